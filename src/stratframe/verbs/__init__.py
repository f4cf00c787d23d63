"""The verbs that make and read folds, and the helpers that several of them share.

- `deals`: `kfold`, `split`, `extend`; `sample`; `select`: `folds`, `parts`, `cv`
- `fingerprint`: `fingerprint`, 16 hex digits of who is where
- `from_splits`: `from_splits`, columns of the pairs of any splitter
- `splitter`: `FoldSplit`; `pairs`: the training labels for each validation label
- `tables`: `plan` and `balance`
- `result_tables`: the columns that name strata in tables
- `door`: frames of other libraries, for all verbs
- `sources`: the frame of a call, and the fold columns that the call names
"""
