# ruff: noqa: E501  a table is read in lines
"""The real data that loaders read: what each file is, where it comes from, and its hash."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "JOINTMDS_DATA_DIR"
"""The environment variable that names the folder of real data."""


@dataclass(frozen=True)
class Source:
    """A public repository, at one commit."""

    repository: str
    """Owner and name on GitHub."""

    commit: str
    """The commit the file was taken from."""

    licence: str
    """What is said there about the licence."""


@dataclass(frozen=True)
class File:
    """A file of real data."""

    name: str
    """Its path in the folder of real data."""

    shape: tuple[int, ...]
    """Of what it holds: rows and columns, edges, poses, targets."""

    sha256: str
    """The hash of its bytes, in hexadecimal."""

    source: Source
    """Where it comes from."""

    path: str | None
    """Its path in the source; None if it was derived from what is there."""

    def __str__(self) -> str:
        origin = f"github.com/{self.source.repository} at {self.source.commit[:12]}"
        return f"derived from {origin}" if self.path is None else f"{self.path!r} of {origin}"


_GLTF = "KhronosGroup/glTF-Sample-Assets", "2bac6f8c57bf471df0d2a1e8a8ec023c7801dddf"
_SOURCES = {
    "scot-snareseq": Source("rsinghlab/SCOT", "14649be6e14017dcfe7ba619091b33d1df55f6a9", "MIT (repository)"),
    "scot-scgem": Source("rsinghlab/SCOT", "8518d996bc70197dfffc0c67ee006d9efd73749d", "MIT (repository)"),
    "pamona": Source("caokai1073/Pamona", "ffc4852296c317b656e4f093ca6daa986f0482d4", "none stated"),
    "otml": Source("rflamary/OTML_DS3_2018", "4ec13b5453c77f5773a839046ae79a8f1cd29ddf", "MIT (repository)"),
    "fugal": Source("idea-iitd/Fugal", "14e614be2221dcdce3859c2157d47b22e7f9cac9", "none stated"),
    "joint-mds": Source("BorgwardtLab/JointMDS", "419c856227bb283ab8f3505167caca26818614e5", "BSD-3-Clause (repository); models from predictioncenter.org"),
    "cesium-man": Source(*_GLTF, "CC-BY 4.0, with trademark limits"),
    "rigged-figure": Source(*_GLTF, "CC-BY 4.0"),
}  # fmt: skip

# name, shape, SHA-256, source, path there (-: derived)
_TABLE = """
snareseq/SNAREseq_atac_feat.npy                            1047x19   80d685b6517c100a7fd612846ad38209b64ed9caf095d1630af5a1d7797bd79c scot-snareseq data/SNARE/SNAREseq_atac_feat.npy
snareseq/SNAREseq_metadata.txt                             1047x3    4bfd15c9205ff47e4d37bb0f9d7a9efbe9131b6f660a80f8ad22fccb61c87562 scot-snareseq data/SNARE/SNAREseq_metadata.txt
snareseq/SNAREseq_rna_feat.npy                             1047x10   a8a2c2bbfc036dea5b350d01dd2180b93bb3b1c0008bed49493080348da96a9b scot-snareseq data/SNARE/SNAREseq_rna_feat.npy
scgem/scGEM_expression.csv                                 177x34    f2c1063add312ea1c70885be4270fc6466e6573f0888f9a6e1dec0333dccaacc scot-scgem    data/scGEM_expression.csv
scgem/scGEM_methylation.csv                                177x27    65379767a79cd0aebfa2faf66207dee87fd23c8e61fdb080fd82f1eab91d2d9d scot-scgem    data/scGEM_methylation.csv
scgem/scGEM_typeExpression.txt                             177       8291a3fd5e3e3df389111b0f74c27eab8b12e24810f8e1fdb2cd706abe3ae071 scot-scgem    data/scGEM_typeExpression.txt
scgem/scGEM_typeMethylation.txt                            177       8291a3fd5e3e3df389111b0f74c27eab8b12e24810f8e1fdb2cd706abe3ae071 scot-scgem    data/scGEM_typeMethylation.txt
scgem/GeneName_expression.txt                              34        39ad2ff32eae991abfc81c73e3b189d3770da65a3058a75c3f2d07a57d4ea213 pamona        scGEM/GeneName_experssion.txt
scgem/GeneName_methylation.txt                             27        ba981b78d9ad0ad7f45baca33ff81f8c00aab487d53955cf0ee1c2c41099b8c0 pamona        scGEM/GeneName_methylation.txt
mnist_usps/mnist_usps.npz                                  2000x784  2e003a35cb0a9dc265861bfbfa17a6204b5f3c9869cdf4bfc4802a52bb17010e otml          data/mnist_usps.npz
yeast_ppi/yeast0_Y2H1.txt                                  8323x2    d3f54cde85a18b5e2bb17d9ef5b2100addb07ece9194f94523392a8b9525d2b0 fugal         data/real noise/MultiMagna/yeast0_Y2H1.txt
yeast_ppi/yeast5_Y2H1.txt                                  8739x2    56abda2ed337f4145a9f02bed0bda9274b301aee54d257d3227baaabb4020032 fugal         data/real noise/MultiMagna/yeast5_Y2H1.txt
yeast_ppi/yeast10_Y2H1.txt                                 9155x2    90e89746e2df0225758ee538e3ccc5037e3f1168b6da4807a4a74d53eca164d7 fugal         data/real noise/MultiMagna/yeast10_Y2H1.txt
yeast_ppi/yeast15_Y2H1.txt                                 9571x2    f1a08c5f51b5e00308fc4f912218d1f20d9fffcbdb87b230a700305ffa5f64b6 fugal         data/real noise/MultiMagna/yeast15_Y2H1.txt
yeast_ppi/yeast20_Y2H1.txt                                 9987x2    8f44df050f8ee20b802dcb416155cb80956598e5f37c9e3801337d1702954652 fugal         data/real noise/MultiMagna/yeast20_Y2H1.txt
yeast_ppi/yeast25_Y2H1.txt                                 10403x2   19414d0520fba3ff2ecf3191398f149513909e7933e9ec34f0ee1a210b32639f fugal         data/real noise/MultiMagna/yeast25_Y2H1.txt
graphs/highschool/contacts-prox-high-school-2013_80.txt    4654x2    0d1ffc52030d40672c87d820f6b375fce9a2231a8ab930c36ff1a3c8499b6359 fugal         data/real noise/contacts-prox-high-school-2013/contacts-prox-high-school-2013_80.txt
graphs/highschool/contacts-prox-high-school-2013_90.txt    5236x2    e89b3d2e27e1ff264dbaf1c9fb68c21c30c6e983873b85b47cf9069086344b38 fugal         data/real noise/contacts-prox-high-school-2013/contacts-prox-high-school-2013_90.txt
graphs/highschool/contacts-prox-high-school-2013_95.txt    5527x2    3e05c71704215488a4da6fa20e1e1e59c2389b4b151afc1b5149ac1d2ac31562 fugal         data/real noise/contacts-prox-high-school-2013/contacts-prox-high-school-2013_95.txt
graphs/highschool/contacts-prox-high-school-2013_99.txt    5759x2    430876fc91a39665dc140ba9662f3d719075f44e77aad7b89e3b3e75ee6653de fugal         data/real noise/contacts-prox-high-school-2013/contacts-prox-high-school-2013_99.txt
graphs/highschool/contacts-prox-high-school-2013_100.txt   5818x2    5b706ba8d5c84713da4886466f1ede6d24a4ef04a69b6c1c0a883118b13c06df fugal         data/real noise/contacts-prox-high-school-2013/contacts-prox-high-school-2013_100.txt
graphs/voles/mammalia-voles-plj-trapping_80.txt            1912x2    0458bcf6e780d664cda821217f31ff3d48dfa39a18d4a630b82608a345678bc2 fugal         data/real noise/mamalia-voles-plj-trapping/mammalia-voles-plj-trapping_80.txt
graphs/voles/mammalia-voles-plj-trapping_90.txt            2151x2    c3f981bb4d836b67d1fe2b4665b00167fc80c5472de4b7b52e64cc0112b3b590 fugal         data/real noise/mamalia-voles-plj-trapping/mammalia-voles-plj-trapping_90.txt
graphs/voles/mammalia-voles-plj-trapping_95.txt            2271x2    75421b16eeb71680258fb9b0f256d82c83b05e1eff6c3d7a41ab4950cc9efe86 fugal         data/real noise/mamalia-voles-plj-trapping/mammalia-voles-plj-trapping_95.txt
graphs/voles/mammalia-voles-plj-trapping_99.txt            2367x2    09a6a42f989ea28242664a7a722d11070067b25b97307ca75f892d110123d183 fugal         data/real noise/mamalia-voles-plj-trapping/mammalia-voles-plj-trapping_99.txt
graphs/voles/mammalia-voles-plj-trapping_100.txt           2391x2    e3a6aba49d3c625ae17ea253eb0a00063caf0bccbb2d5d14f16468b5839d3cbe fugal         data/real noise/mamalia-voles-plj-trapping/mammalia-voles-plj-trapping_100.txt
casp14/CASP14.zip                                          58        e77826016b3dee683a93ade2ff3c2c4c9170cc55df871431cbb7d1171e393462 joint-mds     datasets/CASP14.zip
poses/cesium_man/poses.npz                                 4x2338x3  90277d77186e6d4825182fc8997a4ac1d84304451e813fa0c508157459838e3b cesium-man    -
poses/rigged_figure/poses.npz                              3x130x3   d186f05addb8bc071c004062f911bc68989f6f280ccb437f37e804c40ab07609 rigged-figure -
poses/rigged_figure/poses_subdiv2.npz                      3x2050x3  67065855ea8d401f74474e6405ac405aa1b49ba2923e92ddb6617bad1cb388f8 rigged-figure -
"""


def _read_table() -> dict[str, File]:
    files = {}
    for line in _TABLE.strip().splitlines():
        name, shape, sha256, source, path = line.split(maxsplit=4)
        size = tuple(int(count) for count in shape.split("x"))
        files[name] = File(name, size, sha256, _SOURCES[source], None if path == "-" else path)
    return files


REGISTRY = _read_table()
"""Every file, by its name."""


def read(name: str) -> bytes:
    """Return the bytes of a registered file, if they are those that were registered."""
    file = REGISTRY[name]
    folder = os.environ.get(VARIABLE)
    if not folder:
        raise FileNotFoundError(f"{VARIABLE} is not set: set it to a folder that has {name!r} ({file})")
    path = Path(folder) / name
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not there: put {file} there, or set {VARIABLE} to a folder that has it")
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != file.sha256:
        raise ValueError(
            f"{path} has SHA-256 {found}, expected {file.sha256}: it is damaged or another version; replace it by {file}"
        )
    return content
