"""What a user calls, and what several of these verbs need.

- `deals`: `kfold`, `split`, `extend`; `sample`; `select`: `folds`, `parts`, `cv`
- `splitter`: `FoldSplit`; `pairs`: which labels train for which
- `tables`: `plan` and `balance`; `report` with `compare`; `advise`; `drift`; `leaks`
- `check`; `findings`: what is a leak, a warning, a note or fine; `lines`: how findings are written
- `chronology`, `ids`: findings on times, and on groups that the call does not name
- `plot`: what is drawn, and its title; `draw`: bars and a matrix
- `sources`: the frame of a call, and the columns of folds that it names
"""
