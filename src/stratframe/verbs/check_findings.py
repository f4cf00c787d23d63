"""What `check` finds in a column: one function for each finding, which says it in words."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from ..core.evenness import group_squares, grouped_variance, promised_deviation
from ..core.types import Ints, Values
from ..errors import describe, plural, preview
from ..frames import FoldValues, SharedRows
from ..pipeline.strata import Strata
from ..pipeline.tables import FoldCounts, stratum_names, table_order
from .advise import units_of_strata
from .audit import Examined
from .audit_checks import empty_folds
from .report import describe_evenness, measure_folds

Severity: TypeAlias = Literal["error", "warning", "note"]

Told: TypeAlias = tuple[Severity, str, str]
"""A finding without the column."""

ENOUGH = 2
"""Groups for each fold above which none should lack their stratum."""


def name_folds(folds: FoldValues) -> str:
    """Choose what the labels of a column are: folds, or parts if they are text."""
    texts = [value for value in folds.values if isinstance(value, str) and not value.isdecimal()]
    return "part" if texts and len(texts) == len(folds.values) else "fold"


def describe_folds(folds: FoldValues, fold: str) -> str:
    """Describe how many rows there are in each fold."""
    sizes = [size for size in folds.sizes if size]
    if not sizes:
        return f"no row has a {fold}" if folds.n_nulls else "there are no rows"
    low, high = min(sizes), max(sizes)
    rows = plural(low, "row") if low == high else f"{low:,} to {high:,} rows"
    return f"{plural(len(sizes), fold)} of {rows}"


# Leaks ----------------------------------------------------------------------------------


def find_leaks(
    found: Examined, called: dict[str, str], fold: str, *, are_named: bool
) -> list[Told]:
    """Say which groups, keys and rows are in several folds."""
    leaks: list[Told] = []
    shared = {"split_groups": found.groups, "repeated_keys": found.keys and found.keys[0]}
    for check_name, rows in shared.items():
        if rows is not None and rows.n_split:
            verb = "is" if rows.n_split == 1 else "are"
            subject = f"{rows.n_split:,} of {rows.n_values:,} {called[check_name]}"
            text = f"LEAK: {subject} {verb} in several {fold}s{give_example(rows, fold)}"
            leaks.append(("error", check_name, text))
    audited, rows = found.rows or (None, None)
    if audited is not None and rows is not None and rows.n_split:
        verb = "equals" if rows.n_rows == 1 else "equal"
        text = f"LEAK: {plural(rows.n_rows, 'row')} {verb} a row of another {fold}"
        if rows.example is not None and rows.example.rows is not None:
            first, second = sorted(rows.example.rows)
            text += f", for instance rows {first:,} and {second:,}"
        if not are_named:
            text += " (`columns=[]` compares none)"
        leaks.append(("error", audited.check, text))
    return leaks


def give_example(shared: SharedRows, fold: str) -> str:
    """Name a value that is in several folds, and two of these; nothing if none is known."""
    if shared.example is None or not shared.example.values:
        return ""
    values, (low, high) = shared.example.values, shared.example.folds
    shown = describe(values[0] if len(values) == 1 else values)
    where = f"in {fold}s {low} and {high}"
    return f", for instance {shown} {where if high is not None else f'in {fold} {low} and in none'}"


def describe_no_leaks(found: Examined, called: dict[str, str], fold: str) -> list[str]:
    """Say what was looked at and does not leak."""
    clean = []
    if found.groups is not None and found.groups.n_values:
        noun = called["split_groups"]
        clean.append(f"each of {found.groups.n_values:,} {noun} is in one {fold}")
    if found.keys is not None and found.keys[0].n_values and not found.keys[0].n_repeated:
        clean.append(f"each of {found.keys[0].n_values:,} {called['repeated_keys']} is unique")
    if found.rows is not None and found.rows[0].severity == "ok":
        clean.append(f"no row equals a row of another {fold}")
    return [", and ".join(clean)] if clean else []


# Balance --------------------------------------------------------------------------------


def without_nulls(counts: FoldCounts) -> FoldCounts:
    """Leave out the rows without a fold, which are counted in the last column of each table."""
    dealt = np.append(np.ones(len(counts.folds), dtype=np.int64), 0)
    return counts._replace(tables=[table * dealt for table in counts.tables])


def describe_balance(counts: FoldCounts, of_groups: Strata | None) -> tuple[str, str]:
    """Say how even a column is, by a verdict of `report` and in words."""
    folds = measure_folds(counts)
    if of_groups is not None and not folds.is_even.all():
        folds = folds._replace(random=random_groups(of_groups, folds.n))
    pooled = folds.pooled()
    (verdict,) = pooled.verdicts()
    word, off = describe_evenness(pooled)
    return verdict, f"{word} ({off})"


def random_groups(strata: Strata, totals: Ints) -> Values:
    """Compute the deviation to expect of each fold if whole groups were assigned at random."""
    assert strata.groups is not None
    squares = np.concatenate(
        [
            group_squares(each.codes, strata.groups, strata.weights, len(each.sizes))
            for each in strata.margins or [strata]
        ]
    )
    # Of all groups only a share may have folds.
    squares = squares * (totals.sum() / max(strata.n_rows, 1))
    expected: Values = np.sqrt(grouped_variance(squares, totals).mean(axis=0))
    return expected


def find_empty(folds: FoldValues, fold: str) -> Told | None:
    """Say which folds have no rows, or that there are too few."""
    audited = empty_folds(folds)
    if audited.severity == "ok":
        return None
    return "warning", "empty_folds", audited.detail.replace("fold", fold, 1) + "".join(audited.more)


def find_missing(counts: FoldCounts, fold: str, of_groups: Strata | None) -> Told | None:
    """Say which strata some fold lacks: wrong if there are enough rows, or groups, for all.

    Joint strata, and bins of an order, are too many to be told of if they are only too rare.
    """
    levels = [] if of_groups is None else of_groups.margins or [of_groups]
    is_joint = counts.of_order or any(len(strata.levels) > 1 for strata in counts.strata)
    rare: list[str] = []
    wrong: list[str] = []
    for place, (table, strata) in enumerate(zip(counts.tables, counts.strata, strict=True)):
        sizes, totals = table.sum(axis=1), table.sum(axis=0)
        expected = sizes[:, None] * totals / max(int(sizes.sum()), 1)
        lacks = (table == 0) & (totals > 0)
        order, with_entry = table_order(strata), len(counts.tables) > 1
        # Any 2 k neighbours of an order hold a whole block, which has a row for each fold.
        could = expected > promised_deviation(sizes)[:, None] + counts.of_order
        if of_groups is not None and lacks.any():
            n_groups = count_groups(strata, levels[place], of_groups.groups)[:, None]
            could &= n_groups * totals > ENOUGH * max(int(sizes.sum()), 1)
        for names, missed in ((wrong, lacks & could), (rare, lacks & ~could)):
            rows = order[(missed.any(axis=1) & (sizes > 0))[order]]
            names += map(repr, stratum_names(strata, rows, with_entry=with_entry))
    if wrong:
        return "warning", "missing_strata", f"not in every {fold}: {preview(wrong, len(wrong))}"
    if rare and not is_joint:
        return "note", "missing_strata", f"too rare for every {fold}: {preview(rare, len(rare))}"
    return None


def count_groups(strata: Strata, of_groups: Strata, groups: Ints | None) -> Ints:
    """Count the groups in each stratum, by its name: with groups strata are numbered otherwise."""
    assert groups is not None
    names, own_names = (
        stratum_names(each, np.arange(len(each.sizes)), with_entry=False)
        for each in (of_groups, strata)
    )
    counts = dict(zip(names, units_of_strata(of_groups, groups).tolist(), strict=True))
    return np.array([counts.get(name, 0) for name in own_names])


# Rows -----------------------------------------------------------------------------------


def find_repeated(found: Examined, keys: str, fold: str) -> Told | None:
    """Say if keys repeat, though in one fold."""
    if found.keys is None or found.keys[0].n_split or not found.keys[0].n_repeated:
        return None
    n_repeated, n_values = found.keys[0].n_repeated, found.keys[0].n_values
    verb = "repeats" if n_repeated == 1 else "repeat"
    text = f"{n_repeated:,} of {n_values:,} {keys} {verb} within a {fold} (`groups` may repeat)"
    return "warning", "repeated_keys", text


def find_unclear(found: Examined) -> Told | None:
    """Say which columns differ in every row, so that none can equal another."""
    audited, rows = found.rows or (None, None)
    if audited is None or rows is not None or ":" not in audited.detail or audited.n:
        return None
    return "note", audited.check, f"equal rows may be {audited.detail}"


def find_unassigned(folds: FoldValues, fold: str) -> Told | None:
    """Say how many rows have no fold."""
    if not folds.n_nulls:
        return None
    verb = "has" if folds.n_nulls == 1 else "have"
    return "note", "unassigned_rows", f"{plural(folds.n_nulls, 'row')} {verb} no {fold}"
