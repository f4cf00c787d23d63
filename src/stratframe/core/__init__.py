"""Strata, quotas and deals on plain numpy arrays; no frame library is imported here.

Three arrays connect the modules: `codes`, int (n_rows,), the stratum of every row;
`table`, int (n_strata, n_parts), the rows of each stratum that go to each part; and
`parts` or `folds`, int (n_rows,), the part of every row.

- `seeds`, `hashing`: random words of a purpose, and the hash of a key
- `strata`: codes, nesting, bins; `order`, `features`, `neighbours`: orders inside strata
- `quota`: equal folds and samples; `rounding`: unequal parts, with totals that are met
- `deal`: by rank; `systematic`: along an order; `extend`: new rows; `groups`: whole groups
- `evenness`, `distances`, `chance`: how far from even, how far apart, and what chance gives
"""
