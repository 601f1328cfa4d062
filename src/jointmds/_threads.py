"""BLAS is held to one thread inside a fit.

Its threads gain nothing on products this thin, fight with those that run several starts at once,
and change the last bits of results with their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

import scipy.linalg  # noqa: F401  # loads the BLAS that numba uses, so that it is found below
from threadpoolctl import ThreadpoolController


class _Hold:
    """The limit, which belongs to the whole process: the first fit sets it, the last to end lifts it."""

    def __init__(self) -> None:
        self.lock, self.users = Lock(), 0

    def enter(self) -> None:
        with self.lock:
            if self.users == 0:
                self.limit = _controller().limit(limits=1, user_api="blas")
            self.users += 1

    def leave(self) -> None:
        with self.lock:
            self.users -= 1
            if self.users == 0:
                self.limit.restore_original_limits()


_hold = _Hold()


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Return a context in which NumPy's and SciPy's BLAS use one thread, in whatever order threads leave it."""
    _hold.enter()
    try:
        yield
    finally:
        _hold.leave()
