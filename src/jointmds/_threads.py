"""BLAS is held to one thread inside a fit.

Its threads gain nothing on products this thin, fight with those that run several starts at once,
and change the last bits of results with their number.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import scipy.linalg  # noqa: F401  # loads the BLAS that numba uses, so that it is found below
from threadpoolctl import ThreadpoolController


@cache
def _controller() -> Any:
    return ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which NumPy's and SciPy's BLAS use one thread."""
    limits: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limits
