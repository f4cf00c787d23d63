"""Types of the arrays that the functions of `core` exchange.

Each type states the shape and the range of its arrays; docstrings of functions state only
exceptions. All other arrays have one entry for each object that they describe. For example,
`sizes` has one entry for each stratum, and `shares` has one entry for each part.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.signedinteger[Any]]
"""Signed integers, such as counts, sizes and positions."""

Codes: TypeAlias = Ints
"""The stratum of every row, shape (n_rows,), range 0..n_codes-1. Strata are usually numbered parent
by parent, and by first appearance within a parent, so that a coarser stratum is a run of codes."""

Ancestors: TypeAlias = Sequence[Ints]
"""An array for each level above the joint strata, from the finest level to the coarsest. Each array
holds the coarser stratum of each joint stratum, in nondecreasing order, shape (n_strata,)."""

Rows: TypeAlias = Ints
"""The positions of all rows in some order, shape (n_rows,), usually sorted by stratum."""

Parts: TypeAlias = Ints
"""The part or fold of every row or unit, range 0..n_parts-1, or -1 if it has no part yet."""

StratumTable: TypeAlias = NDArray[np.int64]
"""The number of rows of each stratum in each part, shape (n_strata, n_parts)."""

Words: TypeAlias = NDArray[np.uint64]
"""Words (64-bit integers), random or from a hash, one for each row unless stated otherwise."""

RandomNumbers: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""Random 16-bit or 64-bit numbers, one for each row, by which the rows of a stratum are ranked. In
survey sampling, numbers that stay with a row are known as permanent random numbers."""

Flags: TypeAlias = NDArray[np.bool_]

Values: TypeAlias = NDArray[Any]
"""Integers or floats without NaN; dates are converted to integers. Points in feature space have the
shape (n_features, n_rows) unless a function says otherwise."""
