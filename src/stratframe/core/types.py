"""Types of the arrays that the functions of `core` exchange."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.signedinteger[Any]]
"""Codes of strata, row numbers, counts."""

Table: TypeAlias = NDArray[np.int64]
"""Counts, shape (n_strata, n_parts)."""

Draws: TypeAlias = NDArray[np.uint64]
"""Raw random 64-bit words."""

Numbers: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""Numbers that rank rows, of 16 or 64 bits."""

Flags: TypeAlias = NDArray[np.bool_]
"""Masks."""

Values: TypeAlias = NDArray[Any]
"""Numbers that can be ordered: ints, floats or dates as ints."""
