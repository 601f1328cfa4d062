"""Joint multidimensional scaling: align two datasets from the dissimilarities within each."""

from ._classical import classical_mds
from ._gromov import gromov_wasserstein
from ._joint import joint_mds
from ._procrustes import wasserstein_procrustes
from ._result import Alignment, Status
from ._schedule import Schedule
from ._smacof import smacof
from ._transport import sinkhorn
from ._version import __version__

__all__ = [
    "Alignment",
    "Schedule",
    "Status",
    "__version__",
    "classical_mds",
    "gromov_wasserstein",
    "joint_mds",
    "sinkhorn",
    "smacof",
    "wasserstein_procrustes",
]
