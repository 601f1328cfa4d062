"""Keeping some of the embeddings that a fit passes through."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._alternate import Callback, Progress
from ._result import Keyframes
from ._typing import Array


class Recorder:
    """A callback that keeps about `keep` evenly spaced embeddings of a run of unknown length.

    It records every s-th iteration, and doubles s, dropping every other record, whenever twice as
    many are held as asked for.
    """

    def __init__(self, keep: int, callback: Callback | None) -> None:
        self.keep, self.callback = keep, callback
        self.stride = 1
        self.frames: list[tuple[int, Array, Array]] = []

    def __call__(self, progress: Progress) -> bool | None:
        """Record, then ask the caller's own callback."""
        iteration = len(progress.history)
        if (iteration - 1) % self.stride == 0:
            self.frames.append((iteration, *progress.embed()))
        if len(self.frames) > 2 * self.keep:
            self.stride *= 2
            self.frames = [frame for frame in self.frames if (frame[0] - 1) % self.stride == 0]
        return self.callback(progress) if self.callback is not None else None

    def keyframes(
        self, x: NDArray[np.bool_], y: NDArray[np.bool_], scale: float, apart: tuple[Array, Array]
    ) -> Keyframes:
        """Return at most `keep` embeddings, the separate ones first; NaN where points were left out."""
        recorded = [(0, *apart), *self.frames]
        count = min(self.keep, len(recorded))
        picked = np.linspace(0, len(recorded) - 1, count).round().astype(int)
        frames = [recorded[i] for i in picked]

        def spread(points: Array, kept: NDArray[np.bool_]) -> Array:
            out = np.full((len(kept), points.shape[1]), np.nan, points.dtype)
            out[kept] = points * points.dtype.type(scale)
            return out

        return Keyframes(
            np.array([frame[0] for frame in frames]),
            np.stack([spread(frame[1], x) for frame in frames]),
            np.stack([spread(frame[2], y) for frame in frames]),
        )
