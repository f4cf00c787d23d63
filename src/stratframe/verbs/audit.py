"""What is wrong with a fold column: `audit`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, get_args

import numpy as np

from .. import frames
from ..checks import check_one_of
from ..core.types import Ints
from ..engines.deal import CountedFrame
from ..frames import Frame, SharedRows
from ..pipeline.local import LocalFrame
from ..pipeline.options import Options
from ..pipeline.strata import stratify
from ..pipeline.tables import FoldCounts, fold_table, table_verb
from ..terms.base import By, Term
from ..terms.by import columns_of, parse, parse_columns, require_by
from .audit_checks import (
    Check,
    KeptNulls,
    checks_table,
    duplicate_rows,
    equal_rows,
    lacks_key,
    list_checks,
)
from .select import fold_names, list_names
from .sides import side_of


class AuditInput(NamedTuple):
    """What the checks of one fold column look at."""

    groups: Ints | None
    """The group of every row."""
    keys: list[Any]
    rows: list[Any]
    """The columns by which rows are compared."""
    are_named: bool
    """Whether the call names these columns."""

    def take(self, rows: Ints) -> AuditInput:
        """Take some rows."""
        return AuditInput(
            None if self.groups is None else self.groups[rows],
            [frames.take(series, rows) for series in self.keys],
            [frames.take(series, rows) for series in self.rows],
            self.are_named,
        )


class AuditColumns(NamedTuple):
    """The columns that an audit reads."""

    names: list[Any]
    group_terms: tuple[Term, ...]
    keys: tuple[Any, ...]
    compared: tuple[Any, ...]
    are_named: bool
    frame: Any
    """Collected, if it was lazy."""

    def read(self) -> AuditInput:
        """Read what is compared, and encode the groups."""
        group_columns, keys, rows = (
            frames.read_columns(self.frame, refs)
            for refs in (columns_of(self.group_terms), self.keys, self.compared)
        )
        groups = None
        if self.group_terms:
            options = Options(groups=self.group_terms)
            groups = stratify(options, {"groups": group_columns}, len(self.frame)).groups
        return AuditInput(groups, keys, rows, self.are_named)

    def fold_column(self, name: str) -> Any:
        """Read a fold column."""
        return frames.read_fold_column(self.frame, name)


def check_audit(
    frame: Frame, name: object, by: By | None, groups: Any, key: Any, columns: Any
) -> AuditColumns:
    """Check the arguments of an audit, and collect its columns."""
    frames.check_frame(frame)
    names = fold_names(frame, name)
    (_, _, group_terms, keys) = parse(None, groups, key)
    group_refs = columns_of(group_terms)
    by_refs = [] if by is None else columns_of(require_by(by).terms)
    frames.check_all_refs(frame, {"groups": group_refs, "key": list(keys), "by": by_refs})
    compared = compared_columns(frame, columns, names, keys)
    eager = frames.collect_columns(frame, [*by_refs, *names, *group_refs, *keys, *compared])
    return AuditColumns(names, group_terms, keys, compared, columns is not None, eager)


@table_verb
def audit(
    frame: Frame,
    name: str | Sequence[str] = "fold",
    *,
    by: By | None = None,
    groups: Any = None,
    key: Any = None,
    columns: Any = None,
    nulls: KeptNulls = "train",
) -> Any:
    """Check a fold column for rows that leak and for folds that lack rows or strata.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask, Spark or pandas-on-Spark frame
    name : str or list of str
        A fold or part column from any source; of a list, each column.
    by : entry or list of entries, optional
        Look for strata that a fold lacks; as for `strata`.
    groups : column, list of columns or `sf.clusters`, optional
        Look for groups in two folds. A row without a group is a group by itself.
    key : column or list of columns, optional
        Look for repeated keys. Rows without a key are left out.
    columns : column or list of columns, optional
        Columns to compare when looking for equal rows in two folds; by default all but the
        fold columns and `key`. With `fold_1`, its repeats `fold_2`, ... count as fold
        columns. Missing values are equal to each other. If these columns have fewer than
        half as many combinations of values as there are rows, equal rows are a warning.
    nulls : {"train", "drop"}
        Rows without a fold are in every training set: if such a row, its group or its key is
        also in a fold, it leaks. Or they are in none, as in `folds(nulls="drop")`, and no
        check looks at them.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per check: `severity`, "ok", "warning" or, for rows that leak, "error";
        `check`; `n`, the number of rows, groups, keys, folds or strata; `detail`, in at most
        42 letters, with two columns or more 28. The checks are `unassigned_rows`,
        `split_groups`, `repeated_keys`, `duplicate_rows`, `empty_folds` and `missing_strata`;
        those whose argument is not given are left out. With two columns or more, the first
        column is `column`.

    Raises
    ------
    StratError
        If an argument names no column, or a column cannot be compared.

    See Also
    --------
    leaks : the rows that leak

    Notes
    -----
    On Dask and Spark frames the table is a pandas frame, and `by` is as for `strata`. Equal rows
    are looked for only if `columns` are given. Keys of a Dask frame are compared by their hashes.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"x": [1, 1, 2, 3], "who": ["a", "b", "b", "b"], "fold": [0, 1, 1, 1]})
    >>> sf.audit(df, groups="who", columns="x")
      severity            check  n                                detail
    0       ok  unassigned_rows  0                  every row has a fold
    1       ok     split_groups  0                none of 2 groups leaks
    2    error   duplicate_rows  2  2 rows equal across folds (1 column)
    3       ok      empty_folds  0                 all 2 folds have rows
    """
    check_one_of("nulls", nulls, get_args(KeptNulls))
    side = side_of(frame)
    if isinstance(side, CountedFrame):
        return audit_counts(side, list_names(name), by, groups, key, columns, nulls)
    found = check_audit(frame, name, by, groups, key, columns)
    given = found.read()

    def table_of(column: str, _: str) -> Any:
        """Audit one fold column."""
        counts = None if by is None else LocalFrame(found.frame).folded(by, column).crossed()
        series = found.fold_column(column)
        checks = run_checks(series, given, counts, nulls) if len(series) else []
        return checks_table(frames.library_of(found.frame), checks, alone=len(found.names) == 1)

    return fold_table(found.names, table_of)


def audit_counts(
    side: CountedFrame,
    names: list[Any],
    by: By | None,
    groups: Any,
    key: Any,
    columns: Any,
    nulls: KeptNulls,
) -> Any:
    """Audit the fold columns of a frame whose rows are counted."""
    (_, _, group_terms, keys) = parse(None, groups, key)
    named = {"groups": columns_of(group_terms), "key": list(keys)}
    named["columns"] = list(parse_columns("columns", columns))
    side.check_shared(Options(groups=group_terms), {"name": names, **named})
    alone = len(names) == 1

    def table_of(column: str, _: str) -> Any:
        """Audit one fold column."""
        found = side.label_rows(column).labels
        if not sum(found.sizes) + found.n_nulls:
            return checks_table(side.library, [], alone=alone)
        shared = {
            argument: side.shared_rows(refs, argument, column, drop=nulls == "drop")
            for argument, refs in named.items()
            if refs
        }
        checks = list_checks(
            found,
            nulls,
            groups=shared["groups"][0] if "groups" in shared else None,
            keys=shared.get("key"),
            rows=equal_rows(shared["columns"][0], len(named["columns"])) if columns else None,
            counts=None if by is None else side.folded(by, column).crossed(),
        )
        return checks_table(side.library, checks, alone=alone)

    return fold_table(names, table_of)


def run_checks(
    series: Any, given: AuditInput, counts: FoldCounts | None, nulls: KeptNulls
) -> list[Check]:
    """Run the checks of one fold column whose arguments were given."""
    values, folds = frames.fold_codes(series)
    found = frames.count_values(values, folds)
    if nulls == "drop" and found.n_nulls:
        known = np.flatnonzero(folds >= 0)
        given, folds = given.take(known), folds[known]
    groups = None if given.groups is None else frames.count_across_folds([given.groups], folds)
    keys = count_keys(given.keys, folds) if given.keys else None
    rows = duplicate_rows(given.rows, folds, named=given.are_named)
    return list_checks(found, nulls, groups=groups, keys=keys, rows=rows, counts=counts)


def count_keys(keys: Sequence[Any], folds: Ints) -> tuple[SharedRows, int]:
    """Count the keys across folds, and the rows that lack one."""
    known = np.flatnonzero(~lacks_key(keys))
    if len(known) < len(folds):
        keys = [frames.take(series, known) for series in keys]
    return frames.count_across_folds(keys, folds[known]), len(folds) - len(known)


def compared_columns(
    frame: Frame, columns: Any, names: Sequence[Any], keys: Sequence[Any]
) -> tuple[Any, ...]:
    """List the columns by which rows are compared."""
    refs = parse_columns("columns", columns)
    folds = {frames.label_of(frame, name) for name in names} | {*names}
    if columns is None:
        roots = [root for key in keys for root in frames.root_names(key)]
        repeats = {base_of_repeat(name) for name in names} - {None}
        left_out = {*folds, *(root for root in roots if not frames.is_computed(root))}
        refs = tuple(
            name
            for name in frames.column_names(frame)
            if name not in left_out and base_of_repeat(name) not in repeats
        )
    if columns is not None or len(set(refs)) < len(refs):
        frames.check_refs(frame, refs, "columns")
    return tuple(ref for ref in refs if frames.is_computed(ref) or ref not in folds)


def base_of_repeat(name: object) -> str | None:
    """Name the column that a column is a repeat of, as fold_2 of fold; None if it is none."""
    if isinstance(name, tuple) and not any(name[1:]):  # a label of column levels
        name = name[0]
    repeat = re.fullmatch(r"(.+)_[1-9]\d*", name) if isinstance(name, str) else None
    return repeat and repeat[1]
