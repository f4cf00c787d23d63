"""What a user calls.

- `assign`: `kfold`, `split`, `extend`; `sample`; `select`: `folds`, `parts`, `cv`
- `pairs`: which labels train for which; `splitter`: `FoldSplit`
- `tables`: `plan` and `balance`; `report` with `compare`; `advise`; `drift`; `leaks`
- `findings`: what is a leak, a warning, a note or well; `check` prints it
- `plot`: what is drawn, and its title; `draw`: bars and a matrix
- `sources`: the frame of a call, and the columns of folds that it names
"""
