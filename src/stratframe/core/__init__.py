"""Assign the rows of strata to parts, with NumPy arrays and without any frame library.

Most modules exchange three integer arrays: `codes`, shape (n_rows,), the stratum of every row;
`table`, shape (n_strata, n_parts), the number of rows of each stratum that go to each part; and
`parts` or `folds`, shape (n_rows,), the part of every row.

- `types`: types of arrays
- `seeds`, `hashing`: random 64-bit words from a seed, and hashes of keys
- `strata`, `order`, `neighbour_order`: codes of strata and bins, and orders of rows in strata
- `points`, `similar_pairs`: scaled features, and pairs of rows that are near each other
- `quota`, `rounding`, `fill`: tables for equal folds or a sample, unequal parts, and new rows
- `deal`, `systematic`: the assignment of rows to parts by rank, in turn, or evenly over an order
- `totals`: swaps of rows that even out numeric totals
- `groups`: the assignment of whole groups, or of single rows so that several margins are balanced
- `clock`: periods of time by a clock that goes forward and back
- `evenness`, `distances`, `chance`: how uneven folds are, and what chance alone can explain
- `copies`: whether the values of a column are copies; `near_copies`: rows that are equal in all
  columns but one
"""
