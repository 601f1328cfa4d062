"""The package as a whole: what is built, what importing costs, where compiled kernels go, what the README says."""

import doctest
import importlib.metadata
import os
import pkgutil
import re
import shutil
import site
import subprocess
import sys
import tarfile
import textwrap
import venv
import zipfile
from pathlib import Path

import pytest

import jointmds
from jointmds._kernels._jit import jit

ROOT = Path(__file__).parent.parent
PACKAGE = Path(jointmds.__file__).parent


def run(code, *, command=(sys.executable,), cwd=None, **environment):
    """Run code in a process of its own; return what it printed."""
    process = subprocess.run(
        [*command, "-W", "error", "-c", textwrap.dedent(code)],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout.strip()


def copy_package(folder):
    """Copy the package, without any compiled kernel, into a folder for PYTHONPATH."""
    shutil.copytree(PACKAGE, folder / "jointmds", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


# --- what is built ---


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build the sdist, and from it the wheel, as for a release but without network."""
    pytest.importorskip("build", reason="the package `build` is not installed")
    pytest.importorskip("hatchling", reason="the build backend, hatchling, is not installed")
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT], check=True)
    return folder


@pytest.mark.slow
def test_sdist_has_what_packagers_need(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml", "tests/test_package.py", "src/jointmds/py.typed"} <= names


@pytest.mark.slow
def test_wheel_has_the_package_and_nothing_else(built):
    (wheel,) = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    info = f"jointmds-{jointmds.__version__}.dist-info"
    assert "jointmds/py.typed" in names
    assert f"{info}/licenses/LICENSE" in names
    assert {name.split("/")[0] for name in names} == {"jointmds", info}
    assert not [name for name in names if name.endswith((".pyc", ".nbi", ".nbc"))]


@pytest.mark.slow
def test_wheel_installs_and_runs(built, tmp_path):
    """In a fresh environment that sees this one's other packages: nothing is downloaded."""
    pytest.importorskip("pip", reason="this environment has no pip")
    venv.create(tmp_path, symlinks=os.name != "nt")
    scripts = tmp_path / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    packages = Path(run("import site; print(site.getsitepackages()[-1])", command=(python,)))
    (packages / "dependencies.pth").write_text("\n".join(site.getsitepackages()))
    (wheel,) = built.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", "--ignore-installed"]
    subprocess.run([*pip, wheel], check=True)

    where = run("import jointmds; print(jointmds.__file__)", command=(python,), PYTHONPATH="")
    assert Path(where).is_relative_to(packages)
    assert "demo" in subprocess.run([scripts / "jointmds", "--help"], check=True, capture_output=True, text=True).stdout


def test_version_is_the_same_everywhere():
    assert importlib.metadata.version("jointmds") == jointmds.__version__


# --- what importing costs ---


def test_import_leaves_heavy_packages_alone():
    loaded = run("import jointmds, sys; print(*{name.partition('.')[0] for name in sys.modules})").split()
    assert {"jointmds", "matplotlib", "ot", "pandas", "sklearn", "tqdm", "click"}.intersection(loaded) == {"jointmds"}


def test_import_compiles_nothing():
    """Not even when every module is imported."""
    code = """
        import importlib, pkgutil
        from numba.core.dispatcher import Dispatcher
        import jointmds

        names = [m.name for m in pkgutil.walk_packages(jointmds.__path__, "jointmds.") if "__main__" not in m.name]
        values = [v for name in names for v in vars(importlib.import_module(name)).values()]
        kernels = [v for v in values if isinstance(v, Dispatcher)]
        assert kernels
        print(*(kernel.__name__ for kernel in kernels if kernel.signatures))
    """
    assert run(code, NUMBA_DISABLE_JIT="0") == ""


# --- where compiled kernels go ---

READ_ONLY = """
    import os, pathlib, jointmds
    for folder in (pathlib.Path(jointmds.__file__).parent, pathlib.Path.home()):
        try:
            (folder / "probe").touch()
        except OSError:
            continue
        raise SystemExit(f"{folder} can be written")
    import numpy as np
    points = np.random.default_rng(0).normal(size=(20, 2))
    D = np.linalg.norm(points[:, None] - points, axis=2)
    assert jointmds.smacof(D, 2).stress < 1e-6
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no read-only folders in this sense")
def test_kernels_run_where_no_folder_can_be_written(tmp_path):
    """As for a user of a shared installation, in a container without a home."""
    command = [sys.executable]
    if os.getuid() == 0:  # modes do not stop root, unless it gives up its capabilities
        if not shutil.which("setpriv"):
            pytest.skip("running as root, and there is no setpriv to give up root's capabilities")
        command = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *command]
    home = tmp_path / "home"
    home.mkdir()
    copy_package(tmp_path / "site")
    folders = [home, tmp_path / "site", *(path for path in (tmp_path / "site").rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        environment = {"HOME": str(home), "XDG_CACHE_HOME": "", "NUMBA_CACHE_DIR": ""}
        # With no cache folder named, numba's is "numba" where the process runs: that must be read-only too.
        run(READ_ONLY, command=command, cwd=home, PYTHONPATH=str(tmp_path / "site"), **environment)
    finally:
        for folder in folders:
            folder.chmod(0o755)


PROBE = """
    from jointmds._kernels import probe
    print(probe.caller(), sum(probe.caller.stats.cache_hits.values()))
"""


@pytest.mark.slow
def test_cached_kernels_are_stale_when_any_kernel_changed(tmp_path):
    """numba alone would look at the file of the caller, which stays the same."""
    kernels = copy_package(tmp_path) / "jointmds" / "_kernels"
    caller = "from ._jit import jit\nfrom .callee import callee\n\n@jit\ndef caller():\n    return callee()\n"
    callee = "from ._jit import jit\n\n@jit\ndef callee():\n    return {}\n"
    environment = {"PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    (kernels / "probe.py").write_text(caller)
    (kernels / "callee.py").write_text(callee.format(1))
    assert run(PROBE, **environment) == "1 0"
    assert run(PROBE, **environment) == "1 1"
    (kernels / "callee.py").write_text(callee.format(2))
    assert run(PROBE, **environment) == "2 0"


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_full_disk_does_not_fail_a_call(monkeypatch):
    @jit
    def double(x):
        return 2 * x

    def fail(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr(double._cache._cache_file, "save", fail)
    assert double(21) == 42


# --- what the README and the docstrings say ---


def test_readme_example_runs(capsys):
    """And finds the matches that it promises."""
    (code,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.M)
    exec(compile(code, "<README.md>", "exec"), {})
    assert "100% matched" in capsys.readouterr().out


def test_docstring_examples_run():
    modules = [m.name for m in pkgutil.walk_packages(jointmds.__path__, "jointmds.") if "__main__" not in m.name]
    results = {name: doctest.testmod(importlib.import_module(name)) for name in modules}
    assert sum(result.attempted for result in results.values()) > 0
    assert not [name for name, result in results.items() if result.failed]
