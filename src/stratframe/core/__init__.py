"""Strata, quotas and deals on plain numpy arrays; no frame library is imported here.

The waist of the package: `codes` is an int array (n_rows,) that numbers the
stratum of every row, `table` an int array (n_strata, n_parts) that says how many
rows of each stratum go to each part, and a deal is an int array (n_rows,) that
says which part every row is in.
"""
