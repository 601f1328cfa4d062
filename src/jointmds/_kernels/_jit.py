"""The one decorator of every compiled kernel.

A rule for all of them: a loop that sums stores nothing else. Where a loop does both, the compiler
makes two versions of it and chooses by the addresses of the arrays, and the two differ in the last
bit, so that results would not repeat.
"""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import FunctionCache

Function = TypeVar("Function", bound=Callable[..., Any])

# What lets a loop vectorise, without `nnan` and `ninf`: guards in the kernels test for NaN and
# infinity.
FAST_MATH = frozenset({"reassoc", "nsz", "arcp", "contract", "afn"})


def jit(function: Function, /) -> Function:
    """Compile a kernel on its first call: no GIL, NumPy's division by zero, and FAST_MATH.

    The machine code is kept on disk, next to the package or in the user's cache folder; where neither can be
    written, each process compiles its own. Kernels that call each other are always inlined: otherwise a process
    that compiles and one that loads from the cache would run two differently optimised copies of the inner one,
    and the compiler would spend its time on both.
    """
    return _compiled(function, forceinline=True)


def jit_once(function: Function, /) -> Function:
    """Do the same for a kernel that only one other calls: spliced into it, it is not compiled by itself as well."""
    return _compiled(function, inline="always")


def _compiled(function: Function, **options: Any) -> Function:
    kernel = numba.njit(nogil=True, error_model="numpy", fastmath=set(FAST_MATH), **options)(function)
    if kernel is not function:  # it is, under NUMBA_DISABLE_JIT
        with suppress(RuntimeError):  # "no locator available": there is no folder to write to
            kernel._cache = _Cache(function)
    return cast(Function, kernel)


class _Cache(FunctionCache):  # type: ignore[misc]  # see numba in pyproject.toml
    """numba's cache on disk, with two holes closed.

    Its stamp covers the kernel's own file alone, yet kernels of other files are compiled into it:
    after an upgrade of one of those it would go on running the old code. And a disk that fills up
    would fail the call instead of leaving the kernel uncached.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file._source_stamp = (self._cache_file._source_stamp, SOURCES)

    def save_overload(self, signature: Any, data: Any) -> None:
        with suppress(OSError):
            super().save_overload(signature, data)


def _hash_sources(folder: Path) -> str:
    """Digest the sources of all kernels."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


SOURCES = _hash_sources(Path(__file__).parent)
