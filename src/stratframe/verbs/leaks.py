"""Which rows leak: `leaks`, the rows that `audit` counts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from .. import frames
from ..core.types import Ints
from ..frames import Frame
from ..habits import suggest_arguments
from ..pipeline.tables import fold_table, table_verb, text_array
from ..terms.by import columns_of
from .audit import AuditInput, check_audit
from .audit_checks import lacks_key
from .sides import check_rows


@table_verb
@suggest_arguments
def leaks(
    frame: Frame,
    name: str | Sequence[str] = "fold",
    *,
    columns: Any = None,
    groups: Any = None,
    key: Any = None,
) -> Any:
    """List the rows that leak: each with the rows of other folds that it equals.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    name : str or list of str
        A fold or part column from any source; of a list, each column. Rows without a fold
        are training rows.
    columns, groups, key
        As for `audit`.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per row that leaks, and per check that finds it: `check`, "split_groups",
        "repeated_keys" or "duplicate_rows"; `set`, a number for the rows of one group, of one
        key, or equal to each other, from 0 in each check; `row`, the position in the frame;
        the fold, in a column of the name of the fold column (`fold`, if the table has a
        column of that name), missing for a row without one; then the columns that `groups`,
        `key` and `columns` name. With two columns or more, the first column is `column`.

    Raises
    ------
    StratError
        If an argument names no column, or a column cannot be compared.

    See Also
    --------
    audit : how many there are

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"who": ["ann", "bob", "ann", "eve"], "fold": [0, 1, 1, 0]})
    >>> sf.leaks(df, groups="who", columns="who")[["check", "set", "row", "fold", "who"]]
                check  set  row  fold  who
    0    split_groups    0    0     0  ann
    1    split_groups    0    2     1  ann
    2  duplicate_rows    0    0     0  ann
    3  duplicate_rows    0    2     1  ann
    """
    check_rows(frame, "`leaks` lists positions of rows", "`audit` counts them")
    found = check_audit(frame, name, None, groups, key, columns)
    given = found.read()
    refs = [
        *columns_of(found.group_terms),
        *found.keys,
        *(found.compared if found.are_named else ()),
    ]

    def table_of(column: str, label: str) -> Any:
        """List the leaks of one fold column."""
        series = found.fold_column(column)
        _, folds = frames.fold_codes(series)
        checks = leaking_rows(given, folds) if len(folds) else {}
        sizes = [len(rows) for rows, _ in checks.values()]
        rows = np.concatenate([rows for rows, _ in checks.values()] or [np.zeros(0, np.int64)])
        sets = np.concatenate([sets for _, sets in checks.values()] or [np.zeros(0, np.int64)])
        table: dict[Hashable, Any] = {
            "check": np.repeat(text_array(list(checks)), sizes),
            "set": sets,
            "row": rows,
            label: frames.take(series, rows),
        }
        for ref, values in zip(refs, frames.read_columns(found.frame, refs), strict=True):
            named = frames.result_name(ref, values)
            if named is not None and (named != "column" or len(found.names) == 1):
                table.setdefault(named, frames.take(values, rows))
        return frames.make_frame(frames.library_of(found.frame), table)

    return fold_table(found.names, table_of, ("check", "set", "row", *map(str, refs)))


def leaking_rows(given: AuditInput, folds: Ints) -> dict[str, tuple[Ints, Ints]]:
    """Find the rows that each check counts, and the number of the set that each is in."""
    found = {}
    if given.groups is not None:
        found["split_groups"] = frames.rows_across_folds([given.groups], folds)
    if given.keys:
        known = np.flatnonzero(~lacks_key(given.keys))
        keys = [frames.take(series, known) for series in given.keys]
        rows, sets = frames.rows_across_folds(keys, folds[known])
        found["repeated_keys"] = known[rows], sets
    if given.rows:
        found["duplicate_rows"] = frames.rows_across_folds(given.rows, folds)
    return found
