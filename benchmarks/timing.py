"""What the benchmarks share: the least time of several, and tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any


def least(
    function: Callable[..., Any], *args: Any, repeats: int = 200, seconds: float = 0.001, most: float = 2.0
) -> float:
    """Return the least mean time of a call over `repeats` rounds of about `seconds` each.

    Many short rounds, because on a machine that others use some of them fall between a neighbour's turns. After
    `most` seconds three rounds are enough.
    """
    function(*args)
    started = time.perf_counter()
    function(*args)
    calls = max(1, int(seconds / max(time.perf_counter() - started, 1e-9)))
    best, begun = float("inf"), time.perf_counter()
    for done in range(repeats):
        started = time.perf_counter()
        if done >= 3 and started - begun > most:
            break
        for _ in range(calls):
            function(*args)
        best = min(best, (time.perf_counter() - started) / calls)
    return best


def once(function: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of one call, and what it returned."""
    started = time.perf_counter()
    value = function()
    return time.perf_counter() - started, value


def table(title: str, head: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    """Print a Markdown table."""
    head = list(head)
    print(f"\n**{title}**\n")
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(f"{v:.4g}" if isinstance(v, float) else str(v) for v in row) + " |", flush=True)
