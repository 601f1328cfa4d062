"""Compiled calls in several threads: each writes what no other touches, so their number changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TypeVar

import numpy as np
from joblib import effective_n_jobs  # type: ignore[import-untyped]
from joblib.parallel import get_active_backend  # type: ignore[import-untyped]

Argument = TypeVar("Argument")


def count_jobs(n_jobs: int | None) -> int:
    """Return how many threads to use: all cores by default, but one inside a worker of joblib."""
    if n_jobs is None:
        n_jobs = 1 if get_active_backend()[0].nesting_level else -1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
        raise ValueError(f"n_jobs must be a number of threads, -1 for all cores, or None, not {n_jobs!r}")
    return int(effective_n_jobs(int(n_jobs)))


def in_threads(
    task: Callable[[Argument], None], arguments: Iterable[Argument], jobs: int, stop: Event | None = None
) -> None:
    """Call the task with each argument; after an error or Ctrl-C, those that have not started never do.

    Those that have started may ask `stop` whether to end early.
    """
    if jobs == 1:
        for argument in arguments:
            task(argument)
        return
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for future in [pool.submit(task, argument) for argument in arguments]:
                future.result()
        except BaseException:
            if stop is not None:
                stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
