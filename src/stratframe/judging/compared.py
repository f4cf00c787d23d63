"""Read the columns that a call compares: groups, keys, and all that can tell rows apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from .. import frames
from ..core.near_copies import flag_split_rows
from ..core.strata import distinct_values
from ..core.types import Ints
from ..errors import FOLD_NAME, plural_name
from ..frames import ComparedColumn, Frame, columns_to_compare
from ..pipeline.fold_counts import check_not_itself
from ..pipeline.nest import place_rows
from ..pipeline.options import Options
from ..pipeline.stratify import stratify
from ..terms.by import columns_of
from .asked import Asked
from .copies import ComparedRows
from .groups import ComparedUnits

MOST_FOLDS = 100
"""A column whose name suggests folds counts as folds if it has at most this many values."""

FEW_ROWS = 64
"""The number of rows that are first compared with the folds."""

MOST_UNIQUE = 2
"""The maximum number of continuous columns of many rows that are read to see whether they differ
in every row; the others are not compared, as reading them takes time."""


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
        columns = columns_to_compare(frames.read_columns(eager, keys))
        compared.append(ComparedUnits("keys", columns, plural_name(asked.key, "keys")))
    if refs:
        compared.append(ComparedRows(columns_to_compare(frames.read_columns(eager, refs))))
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
        return ComparedUnits(
            "groups", columns_to_compare(columns), plural_name(asked.groups), names
        )
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
    return ComparedUnits(
        "groups", columns_to_compare([codes]), entry.term.group_noun, nearest=nearest
    )


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
    is_long = len(frame) > frames.duplicates.HEAD_ROWS
    every = frames.read_columns(frame, refs)
    are_continuous = [frames.is_continuous(series) for series in every]
    for place in np.argsort(np.logical_not(are_continuous), kind="stable").tolist():
        series, is_continuous = every[place], are_continuous[place]
        if is_continuous and is_long and len(unique) == MOST_UNIQUE:
            continue
        column, name = ComparedColumn(series, place), name_of(series.name)
        # One column that differs in every row shows that no rows are equal; others may be sampled.
        differs = frames.duplicates.all_unique
        if unique and is_long:
            differs = frames.duplicates.seem_unique
        if not column.is_comparable:
            left_aside.append(name)
        elif not differs(column):
            if not holds_folds(series):
                columns.append(column)
                labels.append(series.name)
                measured.append(series if frames.is_measured(series) else None)
        elif is_continuous:
            unique.append(name)
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
        strata=labels_of(frame, columns_of(asked.entries)),
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


def find_twin(frame: Any, names: Sequence[Any], folds: Ints) -> str | None:
    """Return the name of a column whose values match the folds one-to-one, or None."""
    rows = np.flatnonzero(folds >= 0)
    columns, _ = compared_columns(frame, names, ())
    for series in frames.read_columns(frames.collect_columns(frame, columns), columns):
        column = ComparedColumn(series)
        if not column.is_comparable or holds_folds(series):
            continue
        if matches_folds(column, folds, rows):
            return name_of(series.name)
    return None


def matches_folds(column: ComparedColumn, folds: Ints, rows: Ints) -> bool:
    """Return whether each fold has one value of the column, and each value is in one fold."""
    n_folds = 0
    # A few rows tell most columns apart.
    for some in (rows[:: max(len(rows) // FEW_ROWS, 1)], rows):
        own_folds = folds[some]
        values = column.comparable_numbers(some)
        n_folds = len(distinct_values(own_folds))
        if len(distinct_values(values)) != n_folds or flag_split_rows(values, own_folds).any():
            return False
    return n_folds > 1
