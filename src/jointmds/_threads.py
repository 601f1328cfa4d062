"""BLAS is held to one thread inside a fit.

Its threads gain nothing on products this thin, fight with those that run several starts at once,
and change the last bits of results with their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

import scipy.linalg  # noqa: F401  # loads the BLAS that numba uses, so that it is found below
from threadpoolctl import ThreadpoolController


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Return a context in which NumPy's and SciPy's BLAS use one thread.

    The number belongs to the process, so of fits that overlap in several threads the first sets it, and the last to
    end puts it back.
    """
    mine = _hold.enter()
    try:
        yield
    finally:
        _hold.leave(mine)


class _Hold:
    """How many fits are running, and how many threads each library had before the first."""

    def __init__(self) -> None:
        self.lock, self.users = Lock(), 0
        self.first: list[int] = []

    def enter(self) -> list[int]:
        """Set the limit; return what held before in this thread."""
        with self.lock:
            mine = [library.get_num_threads() for library in _libraries()]
            self.first = self.first if self.users else mine
            self.users += 1
            for library in _libraries():
                _set(library, 1)
        return mine

    def leave(self, mine: list[int]) -> None:
        """Lift it, if nobody else needs it."""
        with self.lock:
            self.users -= 1
            for library, own, first in zip(_libraries(), mine, self.first, strict=True):
                if getattr(library, "threading_layer", None) == "openmp":  # each thread has a number of its own
                    _set(library, own)
                elif self.users == 0:
                    _set(library, first)


_hold = _Hold()


@cache
def _libraries() -> list[Any]:
    return [library for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]


def _set(library: Any, number: int | None) -> None:
    """Set a number of threads even if another thread was the last to set it, which threadpoolctl 3.8 ignores."""
    release = getattr(library, "clear_controlling_thread", lambda *, force: None)
    release(force=True)
    if number is not None:
        library.set_num_threads(number)
    release(force=True)
