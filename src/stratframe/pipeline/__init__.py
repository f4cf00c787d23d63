"""The steps from the arguments of a call to a new column or a table of counts.

- `options` checks the arguments and rejects combinations that are not allowed.
- `local_source` carries out the verbs on pandas and Polars frames.
- `check_data` checks values, keys and groups, and that there are enough rows.
- `rare` treats classes that have fewer rows than there are folds.
- `nest` divides the rows into strata.
- `random_numbers` computes the random numbers or key hashes that rank the rows.
- `parts` computes how many rows of each stratum go to each part, and selects these rows.
- `hashed` deals rows by key alone, `extend` deals new rows, and `sample_sizes` draws samples.
- `fold_counts` counts the rows of each stratum in each fold.

`frames.attach` reads the columns of a call and passes them to a function that deals the rows. For
a lazy frame, this happens when the frame is collected.
"""
