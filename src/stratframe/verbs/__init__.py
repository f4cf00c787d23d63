"""The verbs, which are the public functions, and the helpers that several of them share.

- `deals`: `kfold`, `split`, `extend`; `sample`; `select`: `folds`, `parts`, `cv`
- `splitter`: `FoldSplit`; `pairs`: the training labels for each validation label
- `tables`: `plan` and `balance`; `report` with `compare`; `advise`; `drift`; `leaks`
- `result_tables`: the columns that name strata in all these tables
- `check`; `findings`: the findings and their severities; `lines`: the text of a finding
- `chronology`: findings on times; `ids`: findings on groups that the call does not name
- `copies`: whether chance explains equal rows
- `plot`: the data and the title of each picture; `draw`: bars and matrices
- `sources`: the frame of a call, and the fold columns that the call names
"""
