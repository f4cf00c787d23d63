"""The arrays that the functions of `core` exchange, described once.

Where a name has one of these types, its shape and range are those given here, and a docstring says
only what differs. Other arrays have one entry for each member of what they are named after: `sizes`
one for each stratum, `shares` one for each part.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.signedinteger[Any]]
"""Whole numbers: counts, sizes, places."""

Codes: TypeAlias = Ints
"""The stratum of every row, shape (n_rows,), range 0..n_codes-1: as a rule by first appearance,
and parent by parent, so that every coarser stratum is a run of codes."""

Ancestors: TypeAlias = Sequence[Ints]
"""For each level above the joint strata, finest first, the coarser stratum that holds each of
them, nondecreasing, shape (n_strata,)."""

Rows: TypeAlias = Ints
"""Row numbers in some order, each once, shape (n_rows,): as a rule stratum after stratum."""

Parts: TypeAlias = Ints
"""The part, or the fold, of every row or unit, by its number: range 0..n_parts-1, or -1 for none
yet."""

StratumTable: TypeAlias = NDArray[np.int64]
"""Counts of rows, shape (n_strata, n_parts)."""

Words: TypeAlias = NDArray[np.uint64]
"""Raw random or hashed words of 64 bits, one for each row unless a function says otherwise."""

RandomNumbers: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""Numbers of 16 or 64 bits, one for each row, by which the rows of a stratum are ranked. In
survey sampling those that stay with a row are known as permanent random numbers."""

Flags: TypeAlias = NDArray[np.bool_]
"""Masks."""

Values: TypeAlias = NDArray[Any]
"""Numbers that can be ordered, without NaN: ints, floats or dates as ints. Points in a space of
features have the shape (n_features, n_rows)."""
