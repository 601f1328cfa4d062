"""The types that signatures share."""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.floating]
Float64: TypeAlias = NDArray[np.float64]
DType: TypeAlias = Literal["float32", "float64"]
RandomState: TypeAlias = int | np.random.Generator | None
