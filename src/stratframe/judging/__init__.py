"""The verbs that judge fold columns, and the findings on which they agree.

- `asked`: the arguments of a call, read once; `lines`: the text of a finding
- `labels`: words for folds and parts
- `check`, which has a file for each of its checks: `groups` and keys; `duplicates`; `balance` and
  totals; `sizes` and labels; `chronology`; `drift`
- `candidates`: the columns that may explain how rows were dealt
- `unasked_groups`: findings on groups that the call does not name, from `ids`, by their names;
  `behaviour`, by what they do; and `whole_columns`, by what folds keep whole
- `sequences`: findings on times that the call does not name
- `compared`: the columns that a call compares; `copies`: whether chance explains equal rows
- `shared`: what folds share in these; `engine_counts`: the same on Dask and Spark frames
- `leaks`; `report` with `compare`; `advise`
- `plot`: the figure; `pictures`: what it shows; `draw`: bars and matrices in the colours of
  `palette`; `picture_names`: names that are cut to their room; `fit`: room for all of these
"""
