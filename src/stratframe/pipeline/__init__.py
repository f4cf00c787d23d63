"""The steps from the arguments of a call to a new column or a table of counts.

- `options` checks the arguments and rejects combinations that are not allowed.
- `local_source` carries out the verbs on pandas and Polars frames: it checks and reads columns,
  lets a function of this folder compute new ones, and attaches these.
- `parts` computes new columns: `stratify` finds the strata, and `deals` deals their rows.
- `stratify` has the steps from columns to strata: `check_data` checks values, keys and groups, and
  that there are enough rows, `rare` treats classes that have fewer rows than there are folds, and
  `nest` reads the entries of the call and nests them.
- `random_numbers` computes the random numbers or key hashes that rank the rows.
- `hashed` deals rows by key alone, `extend` deals new rows, and `sample_sizes` draws samples.
- `fold_counts` counts the rows of each stratum in each fold.
"""
