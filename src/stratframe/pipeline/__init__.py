"""One call, from its arguments to a column, and the counts that tables show.

- `options`: which arguments does a call have, and which of them clash?
- `local_source`: what do verbs ask of a pandas or Polars frame?
- `check_data`: do values, keys and groups obey the rules, and are there enough rows?
- `rare`: what happens to classes with fewer rows than folds?
- `nest`: which rows are alike?
- `random_numbers`: by which random number or key hash is each row ranked?
- `parts`: how many rows of each stratum go to each part, and which ones?
- `hashed`, `extend`, `sample_sizes`: the same by key alone, for new rows, and for samples.
- `fold_counts`: how many rows of each stratum are in each fold?

`frames.attach` reads the columns of a call and hands them to one of the functions that deal; for a
lazy frame, this happens when the frame is collected.
"""
