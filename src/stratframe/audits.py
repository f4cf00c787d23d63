"""What is wrong with a fold column, check by check: `audit`."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import frames
from .findings import (
    Check,
    duplicate_rows,
    empty_folds,
    missing_strata,
    repeated_keys,
    split_groups,
    unassigned_rows,
)
from .frames import Frame
from .parsing import all_refs, parse_columns, parse_groups, parse_some
from .reports import Folded, read_folds
from .strata import Strata, stratify
from .tabling import words
from .terms import By
from .use import fold_names


def audit(
    frame: Frame,
    name: str | Sequence[str] = "fold",
    *,
    by: By | None = None,
    groups: Any = None,
    key: Any = None,
    columns: Any = None,
) -> Any:
    """Check a fold column for rows that leak and for folds that lack something.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    name : str or list of str
        A fold or part column, whoever made it; of a list each is checked. Rows without a
        fold are in every training set: a row, group or key that is in a fold, too, leaks.
    by : entry or list of entries, optional
        Look for strata that a fold lacks; as for `strata`.
    groups : column, list of columns or `sf.clusters`, optional
        Look for groups in two folds. Rows without a group are by themselves.
    key : column or list of columns, optional
        Look for keys that stand twice. Rows without a key are left out.
    columns : column or list of columns, optional
        By which rows are compared, to find equal ones in two folds; by default all but
        the fold columns and `key`. With `fold_1` all of `fold_2`, ... are fold columns.
        Missing values are equal.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per check: `check`; `severity`, "ok", "warning" or, of rows that leak,
        "error"; `detail`, in words; `n`, how many rows, groups, keys, folds or strata.
        The checks are `unassigned_rows`, `split_groups`, `repeated_keys`,
        `duplicate_rows`, `empty_folds` and `missing_strata`; those whose argument is not
        given are left out.

    Raises
    ------
    StratError
        If an argument names no column, or a column cannot be compared.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"x": [1, 1, 2, 3], "who": ["a", "b", "b", "b"], "fold": [0, 1, 1, 1]})
    >>> sf.audit(df, groups="who", columns="x")[["check", "severity", "n"]]
                 check severity  n
    0  unassigned_rows       ok  0
    1     split_groups       ok  0
    2   duplicate_rows    error  2
    3      empty_folds       ok  0
    """
    frames.check_frame(frame)
    names = fold_names(frame, name)
    terms, keys = parse_groups(groups), parse_columns("key", key)
    frames.check_refs(frame, all_refs(terms), "groups")
    frames.check_refs(frame, keys, "key")
    compared = compared_columns(frame, columns, names, keys)
    wanted = [names, all_refs(terms), keys, compared]
    strata = [] if by is None else all_refs(parse_some(by))
    frames.check_refs(frame, strata, "by")
    eager = frames.collected(frame, [*strata, *(ref for refs in wanted for ref in refs)])
    wanted[0] = [frames.label_of(eager, each) for each in names]
    parted, grouping, keyed, rows = (frames.read(eager, refs) for refs in wanted)
    grouped = stratify((), grouping, len(eager), groups=terms) if terms else None
    found: list[Check] = []
    for fold_name, series in zip(names, parted, strict=True):
        folded = None if by is None else read_folds(eager, by, fold_name)
        own = checks(series, grouped, keyed, rows, folded) if len(eager) else []
        several = f"{fold_name}: " if len(names) > 1 else ""
        found += [check._replace(detail=several + check.detail) for check in own]
    return frames.like(
        frames.library(frame),
        {
            "check": words([row.check for row in found]),
            "severity": words([row.severity for row in found]),
            "detail": words([row.detail for row in found]),
            "n": np.array([row.n for row in found], dtype=np.int64),
        },
    )


def checks(
    series: Any,
    grouped: Strata | None,
    keyed: Sequence[Any],
    rows: Sequence[Any],
    folded: Folded | None,
) -> list[Check]:
    """Run the checks of one fold column, those that something was given for."""
    values, folds = frames.fold_codes(series)
    found = [unassigned_rows(folds)]
    if grouped is not None:
        found.append(split_groups(grouped, folds))
    if keyed:
        found.append(repeated_keys(keyed, folds))
    found += [duplicate_rows(rows, folds), empty_folds(values, folds)]
    if folded is not None:
        found.append(missing_strata(folded))
    return found


def compared_columns(
    frame: Frame, columns: Any, names: Sequence[Any], keys: Sequence[Any]
) -> tuple[Any, ...]:
    """List the columns by which rows are compared."""
    found = parse_columns("columns", columns)
    folds = {frames.label_of(frame, name) for name in names} | {*names}
    if columns is None:
        roots = [root for key in keys for root in frames.roots(key)]
        repeats = {repeats_of(name) for name in names} - {None}
        left_out = {*folds, *(root for root in roots if not frames.is_computed(root))}
        found = tuple(
            name
            for name in frames.names(frame)
            if name not in left_out and repeats_of(name) not in repeats
        )
    if columns is not None or len(set(found)) < len(found):
        frames.check_refs(frame, found, "columns")
    return tuple(ref for ref in found if frames.is_computed(ref) or ref not in folds)


def repeats_of(name: object) -> str | None:
    """Name what a column is a repeat of, as fold_2 of fold; None if it is none."""
    if isinstance(name, tuple) and not any(name[1:]):  # a label of column levels
        name = name[0]
    found = re.fullmatch(r"(.+)_[1-9]\d*", name) if isinstance(name, str) else None
    return found and found[1]
