"""Strata, quotas and deals on plain numpy arrays; no frame library is imported here.

Three arrays connect the modules: `codes`, int (n_rows,), the stratum of every row;
`table`, int (n_strata, n_parts), the rows of each stratum that go to each part; and
`parts` or `folds`, int (n_rows,), the part of every row.
"""
