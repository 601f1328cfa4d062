# ruff: noqa: E501  a table is read in lines
"""The real data: what each dataset is, where its files come from, their hashes and licences."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

HOST = "https://raw.githubusercontent.com"
"""Where the files of public repositories are served."""


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
    """Its path in the folder of real data, and in the cache."""

    dimensions: tuple[int, ...]
    """Of what it holds: rows and columns, edges, poses, targets."""

    size: int
    """How many bytes it has."""

    sha256: str
    """The hash of its bytes, in hexadecimal."""

    source: Source
    """Where it comes from."""

    path: str | None
    """Its path in the source; None if it was derived from what is there."""

    @property
    def url(self) -> str | None:
        """Where it can be downloaded; None if it was derived."""
        if self.path is None:
            return None
        return f"{HOST}/{self.source.repository}/{self.source.commit}/{quote(self.path)}"


@dataclass(frozen=True)
class Dataset:
    """What is known of a dataset; `DATASETS` has them all."""

    name: str
    """What it is called here."""

    title: str
    """What it is, in a few words."""

    dimensions: str
    """How large the two sides are."""

    licence: str
    """The licence of the repository that publishes it, in short."""

    about: str
    """What it is, and what to mind, in a paragraph."""

    function: str
    """Which function of `jointmds.datasets` returns it."""

    folder: str
    """Where its files are in the folder of real data."""

    @property
    def files(self) -> tuple[File, ...]:
        """What it is read from; nothing for what may not be distributed."""
        return tuple(file for name, file in FILES.items() if name.startswith(f"{self.folder}/"))


_GLTF = "KhronosGroup/glTF-Sample-Assets", "2bac6f8c57bf471df0d2a1e8a8ec023c7801dddf"
_SOURCES = {
    "scot-snareseq": Source("rsinghlab/SCOT", "14649be6e14017dcfe7ba619091b33d1df55f6a9", "MIT (repository)"),
    "scot-scgem": Source("rsinghlab/SCOT", "8518d996bc70197dfffc0c67ee006d9efd73749d", "MIT (repository)"),
    "pamona": Source("caokai1073/Pamona", "ffc4852296c317b656e4f093ca6daa986f0482d4", "none stated"),
    "otml": Source("rflamary/OTML_DS3_2018", "4ec13b5453c77f5773a839046ae79a8f1cd29ddf", "MIT (repository)"),
    "fugal": Source("idea-iitd/Fugal", "14e614be2221dcdce3859c2157d47b22e7f9cac9", "none stated"),
    "joint-mds": Source("BorgwardtLab/JointMDS", "419c856227bb283ab8f3505167caca26818614e5", "BSD-3-Clause (repository)"),
    "cesium-man": Source(*_GLTF, "CC-BY 4.0, with trademark limits"),
    "rigged-figure": Source(*_GLTF, "CC-BY 4.0"),
}  # fmt: skip

# name, shape, bytes, SHA-256, source, path there (-: derived)
_TABLE = """
snareseq/SNAREseq_atac_feat.npy                          1047x19   159272 80d685b6517c100a7fd612846ad38209b64ed9caf095d1630af5a1d7797bd79c scot-snareseq data/SNARE/SNAREseq_atac_feat.npy
snareseq/SNAREseq_metadata.txt                           1047x3     20203 4bfd15c9205ff47e4d37bb0f9d7a9efbe9131b6f660a80f8ad22fccb61c87562 scot-snareseq data/SNARE/SNAREseq_metadata.txt
snareseq/SNAREseq_rna_feat.npy                           1047x10    83888 a8a2c2bbfc036dea5b350d01dd2180b93bb3b1c0008bed49493080348da96a9b scot-snareseq data/SNARE/SNAREseq_rna_feat.npy
scgem/scGEM_expression.csv                               177x34     34323 f2c1063add312ea1c70885be4270fc6466e6573f0888f9a6e1dec0333dccaacc scot-scgem    data/scGEM_expression.csv
scgem/scGEM_methylation.csv                              177x27      9735 65379767a79cd0aebfa2faf66207dee87fd23c8e61fdb080fd82f1eab91d2d9d scot-scgem    data/scGEM_methylation.csv
scgem/scGEM_typeExpression.txt                           177         4425 8291a3fd5e3e3df389111b0f74c27eab8b12e24810f8e1fdb2cd706abe3ae071 scot-scgem    data/scGEM_typeExpression.txt
scgem/scGEM_typeMethylation.txt                          177         4425 8291a3fd5e3e3df389111b0f74c27eab8b12e24810f8e1fdb2cd706abe3ae071 scot-scgem    data/scGEM_typeMethylation.txt
scgem/GeneName_expression.txt                            34           228 39ad2ff32eae991abfc81c73e3b189d3770da65a3058a75c3f2d07a57d4ea213 pamona        scGEM/GeneName_experssion.txt
scgem/GeneName_methylation.txt                           27           192 ba981b78d9ad0ad7f45baca33ff81f8c00aab487d53955cf0ee1c2c41099b8c0 pamona        scGEM/GeneName_methylation.txt
mnist_usps/mnist_usps.npz                                2000x784 1570886 2e003a35cb0a9dc265861bfbfa17a6204b5f3c9869cdf4bfc4802a52bb17010e otml          data/mnist_usps.npz
yeast_ppi/yeast0_Y2H1.txt                                8323x2     72538 d3f54cde85a18b5e2bb17d9ef5b2100addb07ece9194f94523392a8b9525d2b0 fugal         data/real noise/MultiMagna/yeast0_Y2H1.txt
yeast_ppi/yeast5_Y2H1.txt                                8739x2     76240 56abda2ed337f4145a9f02bed0bda9274b301aee54d257d3227baaabb4020032 fugal         data/real noise/MultiMagna/yeast5_Y2H1.txt
yeast_ppi/yeast10_Y2H1.txt                               9155x2     79926 90e89746e2df0225758ee538e3ccc5037e3f1168b6da4807a4a74d53eca164d7 fugal         data/real noise/MultiMagna/yeast10_Y2H1.txt
yeast_ppi/yeast15_Y2H1.txt                               9571x2     83625 f1a08c5f51b5e00308fc4f912218d1f20d9fffcbdb87b230a700305ffa5f64b6 fugal         data/real noise/MultiMagna/yeast15_Y2H1.txt
yeast_ppi/yeast20_Y2H1.txt                               9987x2     87312 8f44df050f8ee20b802dcb416155cb80956598e5f37c9e3801337d1702954652 fugal         data/real noise/MultiMagna/yeast20_Y2H1.txt
yeast_ppi/yeast25_Y2H1.txt                               10403x2    91012 19414d0520fba3ff2ecf3191398f149513909e7933e9ec34f0ee1a210b32639f fugal         data/real noise/MultiMagna/yeast25_Y2H1.txt
graphs/highschool/contacts-prox-high-school-2013_80.txt  4654x2     38441 0d1ffc52030d40672c87d820f6b375fce9a2231a8ab930c36ff1a3c8499b6359 fugal         data/real noise/contacts-prox-high-school-2013/contacts-prox-high-school-2013_80.txt
graphs/highschool/contacts-prox-high-school-2013_90.txt  5236x2     43248 e89b3d2e27e1ff264dbaf1c9fb68c21c30c6e983873b85b47cf9069086344b38 fugal         data/real noise/contacts-prox-high-school-2013/contacts-prox-high-school-2013_90.txt
graphs/highschool/contacts-prox-high-school-2013_95.txt  5527x2     45644 3e05c71704215488a4da6fa20e1e1e59c2389b4b151afc1b5149ac1d2ac31562 fugal         data/real noise/contacts-prox-high-school-2013/contacts-prox-high-school-2013_95.txt
graphs/highschool/contacts-prox-high-school-2013_99.txt  5759x2     47573 430876fc91a39665dc140ba9662f3d719075f44e77aad7b89e3b3e75ee6653de fugal         data/real noise/contacts-prox-high-school-2013/contacts-prox-high-school-2013_99.txt
graphs/highschool/contacts-prox-high-school-2013_100.txt 5818x2     48069 5b706ba8d5c84713da4886466f1ede6d24a4ef04a69b6c1c0a883118b13c06df fugal         data/real noise/contacts-prox-high-school-2013/contacts-prox-high-school-2013_100.txt
graphs/voles/mammalia-voles-plj-trapping_80.txt          1912x2     16681 0458bcf6e780d664cda821217f31ff3d48dfa39a18d4a630b82608a345678bc2 fugal         data/real noise/mamalia-voles-plj-trapping/mammalia-voles-plj-trapping_80.txt
graphs/voles/mammalia-voles-plj-trapping_90.txt          2151x2     18815 c3f981bb4d836b67d1fe2b4665b00167fc80c5472de4b7b52e64cc0112b3b590 fugal         data/real noise/mamalia-voles-plj-trapping/mammalia-voles-plj-trapping_90.txt
graphs/voles/mammalia-voles-plj-trapping_95.txt          2271x2     19886 75421b16eeb71680258fb9b0f256d82c83b05e1eff6c3d7a41ab4950cc9efe86 fugal         data/real noise/mamalia-voles-plj-trapping/mammalia-voles-plj-trapping_95.txt
graphs/voles/mammalia-voles-plj-trapping_99.txt          2367x2     20746 09a6a42f989ea28242664a7a722d11070067b25b97307ca75f892d110123d183 fugal         data/real noise/mamalia-voles-plj-trapping/mammalia-voles-plj-trapping_99.txt
graphs/voles/mammalia-voles-plj-trapping_100.txt         2391x2     20962 e3a6aba49d3c625ae17ea253eb0a00063caf0bccbb2d5d14f16468b5839d3cbe fugal         data/real noise/mamalia-voles-plj-trapping/mammalia-voles-plj-trapping_100.txt
casp14/CASP14.zip                                        58       3758847 e77826016b3dee683a93ade2ff3c2c4c9170cc55df871431cbb7d1171e393462 joint-mds     datasets/CASP14.zip
poses/cesium_man/poses.npz                               4x2338x3  123906 90277d77186e6d4825182fc8997a4ac1d84304451e813fa0c508157459838e3b cesium-man    -
poses/rigged_figure/poses.npz                            3x130x3     5505 d186f05addb8bc071c004062f911bc68989f6f280ccb437f37e804c40ab07609 rigged-figure -
poses/rigged_figure/poses_subdiv2.npz                    3x2050x3   76886 67065855ea8d401f74474e6405ac405aa1b49ba2923e92ddb6617bad1cb388f8 rigged-figure -
"""


def _read_table() -> dict[str, File]:
    files = {}
    for line in _TABLE.strip().splitlines():
        name, shape, size, sha256, source, path = line.split(maxsplit=5)
        sides = tuple(int(count) for count in shape.split("x"))
        files[name] = File(name, sides, int(size), sha256, _SOURCES[source], None if path == "-" else path)
    return files


FILES = _read_table()
"""Every file, by its name."""

_ALL = (
    Dataset(
        "snareseq",
        "accessibility and expression",
        "1047 × 19, 1047 × 10",
        "MIT",
        "SNARE-seq (Chen, Lake and Zhang, 2019): chromatin accessibility (X, 19 topics) and gene expression (Y, "
        "10 principal components) of the same 1,047 cells of four cell lines, as processed for SCOT. Cell i of X "
        "is cell i of Y; labels are the cell lines. The topics are not normalised and reach 460,000: scale every "
        "cell to length 1, as the paper does.",
        "fetch_snareseq",
        "snareseq",
    ),
    Dataset(
        "scgem",
        "expression and methylation",
        "177 × 34, 177 × 27",
        "MIT",
        "scGEM (Cheow et al., 2016): expression of 34 genes (X) and methylation of 27 sites (Y, 0 or 1) in the "
        "same 177 cells, on their way from fibroblasts to stem cells. Cell i of X is cell i of Y; labels are five "
        "stages. Methylation has five duplicate rows: these cells cannot be told apart by Y, and their FOSCTTM "
        "ties. The names of genes and sites are from another repository, which states no licence.",
        "fetch_scgem",
        "scgem",
    ),
    Dataset(
        "mnist_usps",
        "digits of two scanners",
        "1000 × 784, 1000 × 784",
        "MIT",
        "1,000 digits of MNIST (X) and 1,000 of USPS (Y), 100 of each class in either, grey values of 28 by 28 "
        "pixels. The digits of USPS have 16 by 16 pixels, in rows and columns 6 to 21, within a black margin. No "
        "image has a partner: only labels can be compared.",
        "fetch_mnist_usps",
        "mnist_usps",
    ),
    Dataset(
        "yeast_ppi",
        "protein interactions",
        "1004 nodes, 8323 to 10403 edges",
        "none stated",
        "The network of protein interactions of yeast that MultiMAGNA++ is tested on: 1,004 proteins and 8,323 "
        "interactions of high confidence (X), and the same with 5, 10, 15, 20 or 25 % of interactions of lower "
        "confidence added (Y). All edges of X are in Y. Both files use the same node numbers, so that without "
        "permuting them ties leak the truth. 15 % of the nodes cannot be told apart by the structure of the "
        "graph. The paper says that the network has 4,920 interactions; the published file has 8,323.",
        "fetch_yeast_ppi",
        "yeast_ppi",
    ),
    Dataset(
        "casp14",
        "protein models by two groups",
        "58 pairs, 35 to 649 residues",
        "BSD-3-Clause",
        "Models of 58 targets of CASP14 by two groups, AlphaFold 2 (group 427, X) and Baker (group 473, Y): the "
        "positions of their Cα atoms, in Å; the models are from predictioncenter.org. Residue i of X is residue i "
        "of Y. For about eight pairs (T1038, T1040, T1064, T1070, T1093 and others) the two models really differ, "
        "and T1087 is nearly symmetric: for these the best fit of distances need not be the true correspondence.",
        "fetch_casp14",
        "casp14",
    ),
    Dataset(
        "highschool",
        "contacts of pupils",
        "327 nodes, 4654 to 5818 edges",
        "none stated",
        "Who was face to face with whom among 327 pupils of a high school in 2013 (X), and the same network with "
        "80, 90, 95, 99 or 100 % of its edges (Y). Both files use the same node numbers: without permuting them "
        "ties leak the truth.",
        "fetch_highschool",
        "graphs/highschool",
    ),
    Dataset(
        "voles",
        "contacts of voles",
        "713 nodes, 1879 to 2322 edges",
        "none stated",
        "Which of 713 voles were trapped together (X), and the same network with 80, 90, 95, 99 or 100 % of its "
        "edges (Y). Some pairs met twice and are listed twice; they are one edge here. Both files use the same "
        "node numbers: without permuting them ties leak the truth.",
        "fetch_voles",
        "graphs/voles",
    ),
    Dataset(
        "poses",
        "figures in several poses",
        "130 to 2338 vertices",
        "CC-BY 4.0",
        "Two figures, a walking man and a plain one (also refined), in three or four poses with the same "
        "vertices. They were posed from skeletons in glTF files by linear blend skinning (the walking man has "
        "trademark limits besides its licence) and are not published in this form, so they cannot be downloaded: "
        "they are read where somebody has put them. `make_articulated` is for everyone else.",
        "load_poses",
        "poses",
    ),
    Dataset(
        "mimic",
        "diseases and procedures",
        "your own admissions",
        "credentialed",
        "Which diseases and procedures occur together in admissions to intensive care, in MIMIC-III (Johnson et "
        "al., 2016). Access is personal (the PhysioNet Credentialed Health Data License) and the data must not be "
        "passed on, so there is nothing to download: `load_mimic` reads a table that you make from your own copy, "
        "and `make_admissions` draws a stand-in of the same shape. Its codes are invented, and scores on it say "
        "nothing about MIMIC. Always show the baseline: naming the most frequent procedures for every disease "
        "scores 63.7 % (top 3) and 60.7 % (top 5) on the paper's data, better than any method there.",
        "load_mimic",
        "mimic",
    ),
)

DATASETS = {dataset.name: dataset for dataset in _ALL}
"""Every dataset, by its name."""
