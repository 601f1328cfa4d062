"""The table of real data: whole, consistent, and what the documentation says."""

import re
from pathlib import Path

import pytest

from jointmds import datasets
from jointmds.datasets import DATASETS
from jointmds.datasets._registry import FILES

PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"


def test_every_file_says_where_it_comes_from():
    assert len(FILES) == 30
    for name, file in FILES.items():
        assert file.name == name
        assert not name.startswith(("/", "."))
        assert re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert re.fullmatch("[0-9a-f]{40}", file.source.commit)
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", file.source.repository)
        assert file.source.licence
        assert min(file.dimensions) > 0
        assert file.size > 0
        if file.path is None:
            assert file.url is None
        else:
            base = f"https://raw.githubusercontent.com/{file.source.repository}/{file.source.commit}/"
            assert file.url == base + file.path.replace(" ", "%20")
    assert len({file.sha256 for file in FILES.values()}) == len(FILES) - 1  # scGEM's labels are given twice


def test_every_file_belongs_to_one_dataset():
    names = [file.name for dataset in DATASETS.values() for file in dataset.files]
    assert sorted(names) == sorted(FILES)


@pytest.mark.parametrize("name", DATASETS)
def test_every_dataset_is_described(name):
    dataset = DATASETS[name]
    assert dataset.name == name
    assert dataset.function in datasets.__all__
    assert callable(getattr(datasets, dataset.function))
    assert len(dataset.about) > 150
    assert dataset.title
    assert dataset.dimensions
    assert dataset.licence
    assert bool(dataset.files) == (name != "mimic")
    licences = " ".join(file.source.licence for file in dataset.files)
    assert dataset.licence in licences or name == "mimic"


@pytest.mark.parametrize("name", DATASETS)
def test_the_page_says_what_the_registry_says(name):
    dataset = DATASETS[name]
    (section,) = re.findall(rf"^## {name}:.*?(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert dataset.about in " ".join(section.split())
    assert f"`{dataset.function}`" in section
    for word in (dataset.dimensions, dataset.licence):
        assert word in " ".join(section.split())
    for file in dataset.files:
        (line,) = [line for line in section.splitlines() if line.startswith(f"| `{file.name}` |")]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        shape = " × ".join(map(str, file.dimensions))
        source = f"[{file.source.repository}]({file.url})" if file.url else f"derived from {file.source.repository}"
        assert cells == [
            f"`{file.name}`",
            shape,
            str(file.size),
            f"{source}, {file.source.licence}",
            f"`{file.sha256}`",
        ]


def test_the_page_has_no_other_datasets():
    found = re.findall(r"^## (\w+):", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert found == list(DATASETS)
