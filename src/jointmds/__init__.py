"""Joint multidimensional scaling: align two datasets from the dissimilarities within each."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from ._alternate import Progress
    from ._classical import classical_mds
    from ._coupling import Coupling
    from ._estimator import JointMDS
    from ._fraction import fraction_curve
    from ._gromov import gromov_wasserstein
    from ._joint import joint_mds
    from ._mass import Partial, Unbalanced
    from ._procrustes import wasserstein_procrustes
    from ._ranking import AmbiguityWarning
    from ._result import Alignment, Status
    from ._schedule import Schedule
    from ._smacof import smacof
    from ._transport import sinkhorn
    from .dissimilarity import Geodesic
    from .graphs import match_graphs
    from .structures import PointsAlignment, StructureAlignment, align_points, align_structures

__all__ = [
    "Alignment",
    "AmbiguityWarning",
    "Coupling",
    "Geodesic",
    "JointMDS",
    "Partial",
    "PointsAlignment",
    "Progress",
    "Schedule",
    "Status",
    "StructureAlignment",
    "Unbalanced",
    "__version__",
    "align_points",
    "align_structures",
    "classical_mds",
    "fraction_curve",
    "gromov_wasserstein",
    "joint_mds",
    "match_graphs",
    "sinkhorn",
    "smacof",
    "wasserstein_procrustes",
]

_HOMES = {
    "Alignment": "_result",
    "AmbiguityWarning": "_ranking",
    "Coupling": "_coupling",
    "Geodesic": "dissimilarity",
    "JointMDS": "_estimator",
    "Partial": "_mass",
    "PointsAlignment": "structures",
    "Progress": "_alternate",
    "Schedule": "_schedule",
    "Status": "_result",
    "StructureAlignment": "structures",
    "Unbalanced": "_mass",
    "align_points": "structures",
    "align_structures": "structures",
    "classical_mds": "_classical",
    "fraction_curve": "_fraction",
    "gromov_wasserstein": "_gromov",
    "joint_mds": "_joint",
    "match_graphs": "graphs",
    "sinkhorn": "_transport",
    "smacof": "_smacof",
    "wasserstein_procrustes": "_procrustes",
}


def __getattr__(name: str) -> Any:
    """Import a public name on its first use: numba, SciPy and scikit-learn take a second together."""
    if name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
