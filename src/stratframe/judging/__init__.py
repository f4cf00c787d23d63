"""The verbs that judge fold columns, and the findings on which they agree.

- `check`; `findings`: the findings and their severities; `lines`: the text of a finding
- `chronology`: findings on times; `ids`: findings on groups that the call does not name
- `copies`: whether chance explains equal rows
- `report` with `compare`; `advise`; `drift`; `leaks`
- `plot`: the data and the title of each picture; `draw`: bars and matrices
"""
