"""What is wrong with a fold column: `audit`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, get_args

import numpy as np

from .. import frames
from ..checks import check_one_of
from ..core.types import Ints
from ..engines.deal import CountedFrame
from ..frames import Frame, SharedRows
from ..habits import suggest_arguments
from ..pipeline.local import LocalFrame
from ..pipeline.options import Options
from ..pipeline.strata import stratify
from ..pipeline.tables import FOLD_NAME, FoldCounts, fold_table, table_verb
from ..terms.base import By, Term
from ..terms.by import columns_of, parse, parse_columns, require_by
from .audit_checks import (
    Check,
    KeptNulls,
    checks_table,
    duplicate_rows,
    empty_folds,
    equal_rows,
    lacks_key,
    missing_strata,
    repeated_keys,
    split_groups,
    unassigned_rows,
)
from .select import fold_names, list_names
from .sides import Side, side_of

HEAD, MOST_FOLDS = 10_000, 100
"""First rows of a column that is called as folds are, and the values that it may then have."""


class AuditInput(NamedTuple):
    """What the checks of one fold column look at."""

    groups: Ints | None
    """The group of every row."""
    group_names: list[Any]
    """The columns whose values name the groups; none if groups are clusters."""
    keys: list[Any]
    rows: list[Any]
    """The columns by which rows are compared."""
    are_named: bool
    """Whether the call names these columns."""
    with_examples: bool = False
    """Whether examples of what leaks are looked for."""

    def take(self, rows: Ints) -> AuditInput:
        """Take some rows."""
        return AuditInput(
            None if self.groups is None else self.groups[rows],
            [frames.take(series, rows) for series in self.group_names],
            [frames.take(series, rows) for series in self.keys],
            [frames.take(series, rows) for series in self.rows],
            self.are_named,
            self.with_examples,
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

    def read(self, *, with_examples: bool = False) -> AuditInput:
        """Read what is compared, and encode the groups."""
        group_columns, keys, rows = (
            frames.read_columns(self.frame, refs)
            for refs in (columns_of(self.group_terms), self.keys, self.compared)
        )
        groups = None
        if self.group_terms:
            options = Options(groups=self.group_terms)
            groups = stratify(options, {"groups": group_columns}, len(self.frame)).groups
        if not self.are_named:
            rows = [series for series in rows if not holds_folds(series)]
        are_values = all(term.is_nominal for term in self.group_terms)
        names = group_columns if are_values else []
        return AuditInput(groups, names, keys, rows, self.are_named, with_examples)

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


class Examined(NamedTuple):
    """What was found in one fold column, before it is told."""

    folds: frames.FoldValues
    groups: SharedRows | None = None
    """How the groups are shared by the folds; as all others, None if not asked for."""
    keys: tuple[SharedRows, int] | None = None
    """How the keys are, and the number of rows without one."""
    rows: tuple[Check, SharedRows | None] | None = None
    """Whether rows equal those of another fold, and how many do."""
    counts: FoldCounts | None = None
    """The rows of the strata in every fold."""

    def checks(self, nulls: KeptNulls) -> list[Check]:
        """List the checks in their order; a column without rows has none."""
        if not sum(self.folds.sizes) + self.folds.n_nulls:
            return []
        found = [
            unassigned_rows(self.folds.n_nulls, nulls),
            None if self.groups is None else split_groups(self.groups),
            None if self.keys is None else repeated_keys(*self.keys),
            None if self.rows is None else self.rows[0],
            empty_folds(self.folds),
            None if self.counts is None else missing_strata(self.counts, nulls),
        ]
        return [check for check in found if check is not None]


@table_verb
@suggest_arguments
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
        fold columns and `key`, and with [] none. With `fold_1`, its repeats `fold_2`, ... count
        as fold columns, and so do others that are called fold or split, inner or outer. Missing
        values are equal to each other. If these columns have fewer than half as many
        combinations of values as there are rows, equal rows are a warning.
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
    side, names, examined = examine(frame, name, Question(by, groups, key, columns, nulls))
    alone = len(names) == 1
    return fold_table(
        names, lambda each, _: checks_table(side.library, examined(each).checks(nulls), alone=alone)
    )


class Question(NamedTuple):
    """What an audit is asked for."""

    by: By | None
    groups: Any
    key: Any
    columns: Any
    nulls: KeptNulls = "train"
    with_examples: bool = False


def examine(
    frame: Any, name: object, asked: Question
) -> tuple[Side[Any], list[Any], Callable[[Any], Examined]]:
    """Check the arguments of an audit: the collected frame, its fold columns, a look at one."""
    by, groups, key, columns, nulls, with_examples = asked
    side = side_of(frame)
    if isinstance(side, CountedFrame):
        names = list_names(name, frame)
        return side, names, examine_counts(side, names, asked)
    found = check_audit(frame, name, by, groups, key, columns)
    given, collected = found.read(with_examples=with_examples), LocalFrame(found.frame)

    def look_at(column: str) -> Examined:
        """Examine one fold column."""
        counts = None if by is None else collected.folded(by, column).crossed()
        return examine_rows(found.fold_column(column), given, counts, nulls)

    return collected, found.names, look_at


def examine_counts(
    side: CountedFrame, names: list[Any], asked: Question
) -> Callable[[Any], Examined]:
    """Check the arguments of an audit of a frame whose rows are counted."""
    by, groups, key, columns, nulls, _ = asked
    (_, _, group_terms, keys) = parse(None, groups, key)
    named = {"groups": columns_of(group_terms), "key": list(keys)}
    named["columns"] = list(parse_compared(columns))
    side.check_shared(Options(groups=group_terms), {"name": names, **named})

    def look_at(column: str) -> Examined:
        """Examine one fold column."""
        found = side.label_rows(column).labels
        if not sum(found.sizes) + found.n_nulls:
            return Examined(found)
        shared = {
            argument: side.shared_rows(refs, argument, column, drop=nulls == "drop")
            for argument, refs in named.items()
            if refs
        }
        return Examined(
            found,
            groups=shared["groups"][0] if "groups" in shared else None,
            keys=shared.get("key"),
            rows=equal_rows(shared["columns"][0], len(named["columns"])) if columns else None,
            counts=None if by is None else side.folded(by, column).crossed(),
        )

    return look_at


def examine_rows(
    series: Any, given: AuditInput, counts: FoldCounts | None, nulls: KeptNulls
) -> Examined:
    """Run the checks of one fold column whose arguments were given."""
    values, folds = frames.fold_codes(series)
    found = frames.count_values(values, folds)
    if nulls == "drop" and found.n_nulls:
        known = np.flatnonzero(folds >= 0)
        given, folds = given.take(known), folds[known]
    groups, with_example = None, given.with_examples
    if given.groups is not None:
        shared = frames.count_across_folds([given.groups], folds, with_example=with_example)
        groups = name_example(shared, given.group_names, values, folds)
    keys = None
    if given.keys:
        keys = count_keys(given.keys, values, folds, with_example=with_example)
    rows = None
    if given.rows or not given.are_named:
        named = given.are_named
        rows = duplicate_rows(given.rows, folds, named=named, with_example=with_example)
    return Examined(found, groups, keys, rows, counts)


def count_keys(
    keys: Sequence[Any], values: list[Any], folds: Ints, *, with_example: bool
) -> tuple[SharedRows, int]:
    """Count the keys across folds, and the rows that lack one."""
    known = np.flatnonzero(~lacks_key(keys))
    if len(known) < len(folds):
        keys = [frames.take(series, known) for series in keys]
    shared = frames.count_across_folds(keys, folds[known], with_example=with_example)
    return name_example(shared, keys, values, folds[known]), len(folds) - len(known)


def name_example(
    shared: SharedRows, columns: Sequence[Any], values: list[Any], folds: Ints
) -> SharedRows:
    """Name the value and the folds of an example of rows that are in several folds."""
    if shared.example is None or shared.example.rows is None:
        return shared
    rows = sorted(shared.example.rows, key=lambda row: folds[row] % (len(values) + 1))
    labels = [*values, None]
    example = shared.example._replace(
        values=tuple(frames.value_at(series, rows[0]) for series in columns),
        folds=tuple(labels[folds[row]] for row in rows),
    )
    return shared._replace(example=example)


def compared_columns(
    frame: Frame, columns: Any, names: Sequence[Any], keys: Sequence[Any]
) -> tuple[Any, ...]:
    """List the columns by which rows are compared."""
    refs = parse_compared(columns)
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


def holds_folds(series: Any) -> bool:
    """Return whether a column is called as columns of folds are, and has few values."""
    name = series.name[0] if isinstance(series.name, tuple) else series.name
    if not FOLD_NAME.search(str(name)) or frames.is_continuous(series):
        return False
    head = np.arange(min(len(series), HEAD))
    return frames.encode_classes(frames.take(series, head))[1] <= MOST_FOLDS


def parse_compared(columns: Any) -> tuple[Any, ...]:
    """Turn `columns` into a tuple, which may be empty: then no rows are compared."""
    return () if isinstance(columns, list) and not columns else parse_columns("columns", columns)


def base_of_repeat(name: object) -> str | None:
    """Name the column that a column is a repeat of, as fold_2 of fold; None if it is none."""
    if isinstance(name, tuple) and not any(name[1:]):  # a label of column levels
        name = name[0]
    repeat = re.fullmatch(r"(.+)_[1-9]\d*", name) if isinstance(name, str) else None
    return repeat and repeat[1]
