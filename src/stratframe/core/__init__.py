"""Strata, quotas and deals on plain numpy arrays; no frame library is imported here.

Three arrays connect most modules: `codes`, int (n_rows,), the stratum of every row;
`table`, int (n_strata, n_parts), how many rows of each stratum go to each part; and
`parts` or `folds`, int (n_rows,), the part of every row.

- `types`: the arrays that modules exchange
- `seeds`, `hashing`: random words for a purpose, and the hash of a key
- `strata`: codes, nesting, bins; `order`, `nearness`: orders inside strata
- `points`: scaled features; `near`: pairs of rows that are near each other
- `quota`: equal folds and samples; `rounding`: unequal parts; `fill`: new rows
- `deal`: by rank, or in turn; `systematic`: unequal parts along an order
- `totals`: swaps that even out totals
- `groups`: whole groups, and rows balanced over several margins
- `evenness`, `distances`, `chance`: how uneven folds are, how far apart, and what chance allows
"""
