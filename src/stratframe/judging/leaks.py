"""List rows that share a group, a key or all values with a row of another fold: `leaks`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .. import frames
from ..core.strata import distinct_values
from ..core.types import Ints, Words
from ..engines.engine_source import EngineSource
from ..errors import FOLD_NAME, StratError, plural_name
from ..frames import AnyFrame, Frame, SharedRows
from ..frames.duplicates import count_across_folds
from ..habits import suggest_arguments
from ..pipeline.fold_counts import check_not_itself
from ..pipeline.nest import place_rows
from ..pipeline.options import Options
from ..pipeline.stratify import stratify
from ..terms.by import columns_of
from ..verbs.door import any_frame
from ..verbs.result_tables import fold_table, table_verb, text_array
from ..verbs.sources import join_given, named_source
from .asked import AUTO, Asked, read_arguments
from .copies import are_enough, is_explained
from .duplicates import ComparedRows, EqualRows
from .groups import ComparedUnits, SharedUnits

MOST_FOLDS = 100
"""A column whose name suggests folds counts as folds if it has at most this many values."""


@table_verb
@suggest_arguments
@any_frame()
def leaks(
    frame: AnyFrame,
    *,
    groups: Any = None,
    key: Any = None,
    duplicates: Any = AUTO,
    name: str | Sequence[str] = "fold",
) -> Any:
    """List rows that leak: they share a group, a key or all values with a row of another fold.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame, or mapping
        A mapping of names to frames is read as in `check`; `row` is then the position in the row's
        own frame. For Dask and Spark frames, give only one of `groups`, `key` and `duplicates`.
    groups : column, list of columns, `sf.clusters`, `sf.linked` or `sf.similar`, optional
        List the rows of groups that are in several folds. With a list of columns, each combination
        of values is a group. Rows without a group are not listed.
    key : column or list of columns, optional
        List the rows with a key that is in several folds.
    duplicates : {"auto"}, column, list of columns or None
        List the rows that equal a row of another fold in all of these columns. "auto" takes all
        columns except fold columns, `key`, nested columns such as lists, columns that share a name,
        and columns without fractions in which all values differ. Missing values count as equal.
        With None, rows are not compared.
    name : str or list of str
        One or more fold or part columns from any source. Rows without a fold are left out.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row for each row that leaks and each check that finds it. The columns are `check`, which
        is "groups", "keys" or "duplicates"; `set`, the number of the set of rows with the same
        group, the same key or equal values, counted from 0 in each check; `row`, the position of
        the row in the frame; and the fold, under the name of the fold column (`fold` if that name
        is taken). With several fold columns, the first column is `column`. Rows of Dask and Spark
        frames have no positions: the result is a lazy frame of the rows that leak, with `check` and
        `set` added.

    Raises
    ------
    StratError
        If an argument names a column that does not exist or that cannot be compared.

    See Also
    --------
    check : Count the rows that leak, and judge whether chance can explain them.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"who": ["ann", "bob", "ann", "eve"], "fold": [0, 1, 1, 0]})
    >>> sf.leaks(df, groups="who", duplicates="who")
            check  set  row  fold
    0      groups    0    0     0
    1      groups    0    2     1
    2  duplicates    0    0     0
    3  duplicates    0    2     1
    """
    asked = read_arguments(groups=groups, key=key, duplicates=duplicates)
    frame, name, aside = join_given(frame, name, asked.named)
    source, names = named_source(frame, name)
    if isinstance(source, EngineSource):
        return keep_leaks(source, names, asked)
    eager, compared = read_compared(source.frame, names, asked)

    def table_of(column: str, label: str) -> Any:
        series = frames.folds.read_fold_column(eager, column)
        _, folds = frames.fold_codes(series)
        none = np.zeros(0, dtype=np.int64)
        found = [(none, none), *(shared_sets(each, folds) for each in compared)]
        rows, sets = map(np.concatenate, zip(*found, strict=True))
        sizes = [len(own) for own, _ in found[1:]]
        first = np.searchsorted(folds, folds[rows]) if aside is not None else 0
        table: dict[Hashable, Any] = {
            "check": np.repeat(text_array([each.check for each in compared]), sizes),
            "set": sets,
            "row": rows - first,
            label: frames.take(series, rows),
        }
        return frames.make_frame(frames.library_of(eager), table)

    return fold_table(names, table_of, ("check", "set", "row"))


def keep_leaks(source: EngineSource, names: Sequence[Any], asked: Asked) -> Any:
    refs = asked.refs
    given = [argument for argument in refs if refs[argument]]
    if len(given) != 1 or len(names) != 1:
        shown = ", ".join(f"`{each}`" for each in given) if given else "none of them"
        got = shown if len(names) == 1 else f"{len(names)} columns"
        msg = (
            f"`leaks` on {source.kind} frames takes one of `groups`, `key` and `duplicates`, and"
            f" one column of folds, got {got}.\nHint: call `leaks` once for each argument and each"
            " column; `check` takes several of each."
        )
        raise StratError(msg)
    source.check_shared(Options(groups=asked.terms), refs, ("check", "set"))
    for argument in ("key", "duplicates"):
        check_not_itself(argument, refs[argument], names[0])
    return source.engine.leaking_rows(refs[given[0]], given[0], names[0])


def shared_sets(compared: ComparedUnits | ComparedRows, folds: Ints) -> tuple[Ints, Ints]:
    """Return the rows that share values with a row of another fold, and the set of each."""
    if not compared.columns:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    is_compared = folds >= 0
    if isinstance(compared, ComparedUnits):
        is_compared &= compared.known
    rows = np.flatnonzero(is_compared)
    found, sets = frames.duplicates.rows_across_folds(compared.columns, folds, rows)
    if isinstance(compared, ComparedUnits) and compared.nearest and len(found):
        ranks = compared.nearest(place_rows(folds[found], found, len(folds)))
        if ranks is not None:
            sets = np.unique(ranks[compared.columns[0][found]], return_inverse=True)[1]
            order = np.argsort(sets, kind="stable")
            found, sets = found[order], sets[order]
    return found, sets


def read_compared(
    frame: Frame, names: Sequence[Any], asked: Asked, others: Sequence[Any] = ()
) -> tuple[Any, list[ComparedUnits | ComparedRows]]:
    """Read the columns to compare and `others`; return the frame and the columns to compare."""
    given = asked.refs
    group_refs, keys, refs = given.values()
    frames.check_refs(frame, given)
    checked = {**given, "groups": list(filter(frames.is_computed, group_refs))}
    for argument, own in checked.items():
        for name in names:
            check_not_itself(argument, own, name, frame)
    every, twice = compared_columns(frame, names, keys) if asked.is_auto else ([], [])
    eager = frames.collect_columns(frame, [*others, *names, *group_refs, *keys, *refs, *every])
    compared: list[ComparedUnits | ComparedRows] = []
    if asked.terms:
        compared.append(read_groups(eager, names, asked))
    if keys:
        columns = frames.read_columns(eager, keys)
        compared.append(ComparedUnits("keys", columns, plural_name(asked.key, "keys")))
    if refs:
        compared.append(ComparedRows(frames.read_columns(eager, refs)))
    elif asked.is_auto:
        compared.append(read_duplicates(eager, every, twice, asked))
    return eager, compared


def read_groups(frame: Any, names: Sequence[Any], asked: Asked) -> ComparedUnits:
    """Read the group columns or, if a term makes groups, the group of each row (-1: no fold)."""
    terms, refs = asked.terms, columns_of(asked.terms)
    columns = frames.read_columns(frame, refs)
    if all(term.is_nominal for term in terms):
        frames.references.check_one_each("groups", refs, columns)
        names = tuple(map(frames.format_reference, refs)) if len(refs) > 1 else ()
        return ComparedUnits("groups", columns, plural_name(asked.groups), names)
    read = {"groups": columns}
    # As in `kfold`, rows without a fold do not link other rows.
    no_fold = [frames.is_missing(series) for series in frames.read_columns(frame, names)]
    if (without := np.logical_and.reduce(no_fold)).any():
        where = frames.make_frame(frames.library_of(frame), {"where": ~without})
        read["where"] = [where["where"]]
    strata = stratify(Options(groups=terms), read, len(frame))
    (entry,), found = strata.dealt.groups, strata.dealt.group
    assert found is not None
    nearest = partial(entry.term.nearest_groups, entry, found)
    codes = place_rows(found, strata.dealt.rows, len(frame))
    return ComparedUnits("groups", [codes], entry.term.group_noun, nearest=nearest)


def compared_columns(
    frame: Frame, names: Sequence[Any], keys: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """List the columns except folds, their repeats and keys; list repeated names separately."""
    folds = {frames.label_of(frame, name) for name in names} | {*names}
    left_out = folds | labels_of(frame, keys)
    repeats = {base_of_repeat(name) for name in names} - {None}
    found = [
        name
        for name in frames.column_names(frame)
        if name not in left_out and base_of_repeat(name) not in repeats
    ]
    times = Counter(found)
    return [name for name in found if times[name] == 1], [name for name in times if times[name] > 1]


def base_of_repeat(name: object) -> str | None:
    """Return the base name of a repeat, such as "fold" for "fold_2", or None for other names."""
    if isinstance(name, tuple) and not any(name[1:]):  # a label with several levels
        name = name[0]
    repeat = re.fullmatch(r"(.+)_[1-9]\d*", name) if isinstance(name, str) else None
    return repeat and repeat[1]


def read_duplicates(
    frame: Any, refs: Sequence[Any], twice: Sequence[Any], asked: Asked
) -> ComparedRows:
    """Read the columns in which to look for equal rows, except unsuitable columns."""
    columns, measured, labels = list[Any](), list[Any](), list[Any]()
    unique, left_aside = list[str](), [*map(name_of, twice)]
    has_ids = bool(asked.refs["key"])
    every = frames.read_columns(frame, refs)
    for series in sorted(every, key=lambda each: not frames.is_continuous(each)):
        if unique and len(series) > frames.duplicates.HEAD_ROWS:
            break  # one column of unique numbers is enough, and reading more takes time
        column, name = frames.duplicates.groupable(series), name_of(series.name)
        if column is None:  # a nested column
            left_aside.append(name)
        elif not frames.duplicates.all_unique(column):
            if not (unique or holds_folds(series)):
                columns.append(column)
                labels.append(series.name)
                measured.append(series if frames.is_measured(series) else None)
        elif frames.is_continuous(series):
            unique.append(name)
            columns = [column]  # this column alone shows that no rows are equal
        else:
            left_aside.append(name)
            has_ids = True
    return ComparedRows(
        columns,
        left_aside=left_aside,
        unique=unique,
        measured=measured,
        labels=labels,
        has_ids=has_ids,
        are_strata={*labels} <= labels_of(frame, columns_of(asked.entries)),
    )


def read_beside(
    frame: Frame, eager: Any, names: Sequence[Any], name: Any, asked: Asked
) -> ComparedRows | None:
    """Read the columns to compare together with other columns of `names`, which may not be folds.

    Return None if no rows are compared or if the names of all other columns suggest folds.
    """
    beside = [each for each in names if each != name and not FOLD_NAME.search(name_of(each))]
    if not (asked.is_auto and beside):
        return None
    every, twice = compared_columns(frame, names, asked.refs["key"])
    return read_duplicates(eager, [*every, *beside], twice, asked)


def labels_of(frame: Frame, refs: Sequence[Any]) -> set[Any]:
    """Return the labels of the columns from which references are read, as far as is known."""
    roots = [root for ref in refs for root in frames.references.root_names(ref)]
    return {frames.label_of(frame, root) for root in roots if not frames.is_computed(root)}


def name_of(label: Any) -> str:
    return str(label[0] if isinstance(label, tuple) else label)


def holds_folds(series: Any) -> bool:
    if not FOLD_NAME.search(name_of(series.name)) or frames.is_continuous(series):
        return False
    return frames.encode_classes(series)[1] <= MOST_FOLDS


def count_shared(
    compared: ComparedUnits | ComparedRows, values: list[Any], folds: Ints
) -> SharedUnits | EqualRows:
    """Count the values or rows that several folds share; fold -1 means no fold."""
    if isinstance(compared, ComparedUnits):
        return count_units(compared, values, folds)
    return count_equal_rows(compared, values, folds)


def count_units(compared: ComparedUnits, values: list[Any], folds: Ints) -> SharedUnits:
    """Count the groups or keys that are in several folds."""
    columns, known = compared.columns, compared.known
    has_fold = folds >= 0
    words = frames.duplicates.row_words(columns)
    shared = count_sets(columns, np.flatnonzero(known & has_fold), folds, values, words)
    n_partly = 0
    if not has_fold.all():
        every = count_across_folds(columns, folds, np.flatnonzero(known), words)
        n_partly = every.n_split - shared.n_split
    alone = []
    for column in columns if compared.names else ():
        rows = np.flatnonzero(has_fold & ~frames.is_missing(column))
        alone.append(count_sets([column], rows, folds, values))
    return SharedUnits(compared, shared, n_partly, alone)


def count_equal_rows(compared: ComparedRows, values: list[Any], folds: Ints) -> EqualRows:
    """Count the rows that equal a row of another fold, and judge whether they are copies."""
    columns = compared.columns
    if not columns:
        return EqualRows(compared)
    rows = np.flatnonzero(folds >= 0)
    if compared.unique:
        return EqualRows(compared, SharedRows(len(rows), 0, 0, 0))
    words = frames.duplicates.row_words(columns)
    shared = count_sets(columns, rows, folds, values, words)
    is_asked = compared.measured is None or compared.is_judged
    is_judged = is_asked and are_enough(compared, shared, len(rows))
    by_chance = is_judged and is_explained(compared, shared, folds, rows, words)
    return EqualRows(compared, shared, by_chance)


def count_sets(
    columns: Sequence[Any], rows: Ints, folds: Ints, values: list[Any], words: Words | None = None
) -> SharedRows:
    shared = count_across_folds(columns, folds, rows, words)
    if shared.example is None or shared.example.rows is None:
        return shared
    first, second = sorted(shared.example.rows, key=lambda row: folds[row])
    named = [column for column in columns if not isinstance(column, np.ndarray)]
    example = shared.example._replace(
        rows=(first, second),
        values=tuple(frames.libraries.value_at(series, first) for series in named),
        folds=(values[folds[first]], values[folds[second]]),
    )
    return shared._replace(example=example)


def find_twin(frame: Any, names: Sequence[Any], folds: Ints) -> str | None:
    """Return the name of a column whose values match the folds one-to-one, or None."""
    rows = np.flatnonzero(folds >= 0)
    n_folds = len(distinct_values(folds[rows]))
    columns, _ = compared_columns(frame, names, ())
    for series in frames.read_columns(frames.collect_columns(frame, columns), columns):
        column = frames.duplicates.groupable(series)
        if column is not None and not holds_folds(series):
            found = count_across_folds([column], folds, rows)
            if (found.n_values, found.n_split) == (n_folds, 0):
                return name_of(series.name)
    return None
