"""How much memory is free, asked before a large array is made: what the system kills cannot say why."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

GIB = 2.0**30
LIMITS = ("memory.max", "memory/memory.limit_in_bytes")
"""Where a container says how much it may use, under /sys/fs/cgroup."""


LANDMARKS = "choose landmarks, a few thousand of the points that stand for the rest, and fit on those"


def check_memory(need: float, what: str, advice: str = LANDMARKS) -> None:
    """Refuse work that needs more bytes than are free."""
    free = free_memory()
    if free is not None and need > free:
        raise MemoryError(
            f"{what} needs about {need / GIB:.1f} GiB of memory, and {free / GIB:.1f} GiB are free: {advice}"
        )


def fit_bytes(n: int, m: int, itemsize: int, weighted: tuple[bool, bool], couplings: int) -> float:
    """Return about how many bytes a fit of n and m points takes at its peak (measured; starts in float64 take most)."""
    within = (24 + 2 * itemsize) * (float(n) ** 2 + float(m) ** 2)
    given = 40 * (weighted[0] * float(n) ** 2 + weighted[1] * float(m) ** 2)
    return within + given + (32 + (1 + couplings) * itemsize) * float(n) * m


def free_memory() -> float | None:
    """Return how many bytes this process may still take, or None where the system doesn't tell."""
    free = _system()
    with suppress(OSError, ValueError):
        used = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        for name in LIMITS:
            with suppress(OSError, ValueError):  # there is no such file, or it says "max"
                limit = int((Path("/sys/fs/cgroup") / name).read_text()) - used
                free = limit if free is None else min(free, limit)
    return free


def _system() -> float | None:
    with suppress(OSError, ValueError, IndexError):
        fields = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        return float(fields["MemAvailable"].split()[0]) * 1024
    with suppress(OSError, ValueError, AttributeError):  # not Linux: what is there at all, or nothing known
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    return None
