"""The paper's tables and figures, runnable: our numbers beside the paper's and those of peers."""

from ._catalogue import EXPERIMENTS
from ._comparison import Comparison
from ._problems import DATA
from ._reproduce import Results, reproduce
from ._spec import MEASURES, Case, Experiment, Measure, Run
from ._summary import Row

__all__ = [
    "DATA",
    "EXPERIMENTS",
    "MEASURES",
    "Case",
    "Comparison",
    "Experiment",
    "Measure",
    "Results",
    "Row",
    "Run",
    "reproduce",
]
