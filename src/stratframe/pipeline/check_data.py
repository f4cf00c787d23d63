"""Check that the data of a call have valid values and keys, and enough rows and groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import frames
from ..core.types import Ints
from ..errors import StratError, at_most
from ..frames import Rule, RuledColumn
from ..terms.base import BoundTerm
from ..terms.entry import ruled_columns
from .nest import DealtRows
from .options import Options, Target
from .random_numbers import first_of_equal_keys, read_keys


def rows_where(series: Any, *, in_batch: bool = False) -> Ints:
    """Return the rows for which `where` is true."""
    name, text, subject = "where", "the column of `where`", "The column of `where`"
    if series.name is not None:
        name, text, subject = series.name, repr(series.name), f"Column {series.name!r}"
    flags, missing = frames.read_flags(series, text)
    rule = Rule(hint="fill the missing values, as in `fill_null(False)` or `fillna(False)`.")
    frames.check_rules([RuledColumn(name, subject, rule, series, missing)], in_batch=in_batch)
    return np.flatnonzero(flags)


def check_values(dealt: DealtRows, options: Options, key: Sequence[Any] = ()) -> DealtRows:
    """Raise one error for all values that break a rule; otherwise, add the hashed keys."""
    for entry in dealt.by if options.marginal else dealt.by[:-1]:
        if entry.term.orders_rows:  # a plain column with fractions
            rule, others = "A continuous entry of `by` must come last", " and is followed by others"
            if options.marginal:
                rule, others = "An entry of `sf.margins` must define strata", ""
            msg = (
                f"{rule}, but {entry.text} holds fractions{others}.\nHint: cut it into bins, as in"
                f" `sf.quantiles({entry.code}, 10)`, or use its values as classes, as in"
                f" `sf.classes({entry.code})`."
            )
            raise StratError(msg)
    columns = [
        column for entry in dealt.entries for column in ruled_columns(entry, options.missing)
    ]
    if not key:
        frames.check_rules(columns)
        return dealt
    keyed = ruled_keys(key, dealt.rows)
    columns += keyed
    if any(column.missing.any() for column in keyed):
        frames.check_rules(columns)
    key = dealt.take(key)
    keys = read_keys(options, key)
    first = first_of_equal_keys(keys, key)
    if first is not None:
        texts = ", ".join(column.text.removeprefix("Column ") for column in keyed)
        unique = Rule(complete=False, unique=True, hint=UNIQUE_KEY_HINT)
        no_gaps = np.zeros(len(first), dtype=np.bool_)
        columns.append(
            RuledColumn("key", f"`key` ({texts})", unique, key[0], no_gaps, first, dealt.rows)
        )
    frames.check_rules(columns)
    return replace(dealt, keys=keys)


UNIQUE_KEY_HINT = (
    "in `kfold` and `split`, pass `groups=` so that rows that belong together stay in one fold or"
    ' part, or pass `deal="hash"`, which allows repeated keys.'
)


def ruled_keys(key: Sequence[Any], rows: Ints | None) -> list[RuledColumn]:
    """Return the key columns, each with the rule that it must have no missing values."""
    columns = []
    for place, series in enumerate(key, 1):
        name, text = f"key {place}", f"Entry {place} of `key`"
        if series.name is not None:
            name, text = series.name, f"Column {series.name!r}"
        missing = frames.is_missing(series if rows is None else frames.take(series, rows))
        columns.append(RuledColumn(name, text, Rule(), series, missing, rows=rows))
    return columns


def check_enough(dealt: DealtRows, target: Target) -> None:
    if target.n > dealt.total:
        limit = f"the number of rows that get a {target.kind}"
        raise StratError(at_most(target.argument, limit, target.n, dealt.total, "row"))
    group = dealt.group
    if group is not None and target.n > (n_groups := int(group.max(initial=-1)) + 1):
        msg = at_most(target.argument, "the number of groups", target.n, n_groups, "group")
        raise StratError(msg + explain_largest(dealt.groups, group, np.bincount(group)))


def explain_largest(grouped_by: Sequence[BoundTerm], groups: Ints | None, sizes: Ints) -> str:
    """Return a sentence that explains the size of the largest group, or an empty string."""
    rows = np.flatnonzero(groups == sizes.argmax())
    return "".join(entry.term.explain_group(entry, rows) for entry in grouped_by)
