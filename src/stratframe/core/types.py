"""The arrays that the functions of `core` exchange, described once.

An array of one of these types has the shape and range given here, and a docstring says only what
differs. Other arrays have one entry for each of the things that they describe: `sizes` has one for
each stratum, `shares` one for each part.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.signedinteger[Any]]
"""Whole numbers: counts, sizes, places."""

Codes: TypeAlias = Ints
"""The stratum of every row, shape (n_rows,), range 0..n_codes-1: as a rule numbered by first
appearance, and parent by parent, so that every coarser stratum is a run of codes."""

Ancestors: TypeAlias = Sequence[Ints]
"""For each level above the joint strata, finest first, the coarser stratum that holds each joint
stratum, nondecreasing, shape (n_strata,)."""

Rows: TypeAlias = Ints
"""Row numbers in some order, each occurring once, shape (n_rows,): as a rule stratum by stratum."""

Parts: TypeAlias = Ints
"""The number of the part, or of the fold, of every row or unit: range 0..n_parts-1, or -1 if it has
none yet."""

StratumTable: TypeAlias = NDArray[np.int64]
"""Counts of rows, shape (n_strata, n_parts)."""

Words: TypeAlias = NDArray[np.uint64]
"""Raw random or hashed 64-bit words, one for each row unless a function says otherwise."""

RandomNumbers: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""16-bit or 64-bit numbers, one for each row, by which the rows of a stratum are ranked. In survey
sampling, numbers that stay with a row are known as permanent random numbers."""

Flags: TypeAlias = NDArray[np.bool_]
"""Boolean masks."""

Values: TypeAlias = NDArray[Any]
"""Numbers that can be ordered, without NaN: integers, floats, or dates as integers. Points in
feature space have the shape (n_features, n_rows)."""
