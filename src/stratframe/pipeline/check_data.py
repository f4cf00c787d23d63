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
    if series.name is None:
        name = "where"
        text = "the column of `where`"
        subject = "The column of `where`"
    else:
        name = series.name
        text = repr(name)
        subject = f"Column {name!r}"
    flags, missing = frames.read_flags(series, text)
    rule = Rule(hint="fill the missing values, as in `fill_null(False)` or `fillna(False)`.")
    frames.check_rules([RuledColumn(name, subject, rule, series, missing)], in_batch=in_batch)
    return np.flatnonzero(flags)


def check_values(dealt: DealtRows, options: Options, key: Sequence[Any] = ()) -> DealtRows:
    """Raise one error for all values that break a rule; otherwise, add the hashed keys."""
    check_fractions(dealt, options)
    if options.target.each is not None:
        check_are_classes(dealt, options)
    columns: list[RuledColumn] = []
    for entry in dealt.entries:
        columns += ruled_columns(entry, options.missing)
    if not key:
        frames.check_rules(columns)
        return dealt
    key_columns = ruled_keys(key, dealt.rows)
    columns += key_columns
    if any(column.missing.any() for column in key_columns):
        frames.check_rules(columns)
    key = dealt.take(key)
    keys = read_keys(options, key)
    first = first_of_equal_keys(keys, key)
    if first is not None:
        texts = ", ".join(column.text.removeprefix("Column ") for column in key_columns)
        unique = Rule(complete=False, unique=True, hint=UNIQUE_KEY_HINT)
        no_gaps = np.zeros(len(first), dtype=np.bool_)
        columns.append(
            RuledColumn("key", f"`key` ({texts})", unique, key[0], no_gaps, first, dealt.rows)
        )
    frames.check_rules(columns)
    return replace(dealt, keys=keys)


def check_fractions(dealt: DealtRows, options: Options) -> None:
    """Raise an error if a plain column with fractions orders rows where only strata can stand."""
    for entry in dealt.by if options.marginal else dealt.by[:-1]:
        if not entry.term.orders_rows:
            continue
        rule = "A continuous entry of `by` must come last"
        others = " and is followed by others"
        if options.marginal:
            rule = "An entry of `sf.margins` must define strata"
            others = ""
        msg = (
            f"{rule}, but {entry.text} holds fractions{others}.\nHint: cut it into bins, as in"
            f" `sf.quantiles({entry.code}, 10)`, or use its values as classes, as in"
            f" `sf.classes({entry.code})`."
        )
        raise StratError(msg)


def check_are_classes(dealt: DealtRows, options: Options) -> None:
    """Raise an error if a plain column orders rows where `each` counts those of each stratum."""
    for term, entry in zip(options.terms, dealt.by, strict=False):
        if entry.term.orders_rows and not term.orders_rows:
            msg = (
                f"`each` counts rows of each stratum, but {entry.text} holds fractions, and would"
                f" only order the rows.\nHint: `sf.classes({entry.code})` makes each value a"
                f" stratum, and `sf.continuous({entry.code})` says that it orders rows."
            )
            raise StratError(msg)


UNIQUE_KEY_HINT = (
    "in `kfold` and `split`, pass `groups=` so that rows that belong together stay in one fold or"
    ' part, or pass `deal="hash"`, which allows repeated keys.'
)


def ruled_keys(key: Sequence[Any], rows: Ints | None) -> list[RuledColumn]:
    """Return the key columns, each with the rule that it must have no missing values."""
    columns = []
    for place, series in enumerate(key, 1):
        if series.name is None:
            name = f"key {place}"
            text = f"Entry {place} of `key`"
        else:
            name = series.name
            text = f"Column {name!r}"
        missing = frames.is_missing(series if rows is None else frames.take(series, rows))
        columns.append(RuledColumn(name, text, Rule(), series, missing, rows=rows))
    return columns


def check_enough(dealt: DealtRows, target: Target) -> None:
    if target.n > dealt.total:
        limit = f"the number of rows that get a {target.kind}"
        raise StratError(at_most(target.argument, limit, target.n, dealt.total, "row"))
    group = dealt.group
    if group is None:
        return
    n_groups = int(group.max(initial=-1)) + 1
    if target.n > n_groups:
        msg = at_most(target.argument, "the number of groups", target.n, n_groups, "group")
        raise StratError(msg + explain_largest(dealt.groups, group, np.bincount(group)))


def explain_largest(entries: Sequence[BoundTerm], group: Ints, sizes: Ints) -> str:
    """Return a sentence that explains the size of the largest group, or an empty string."""
    rows = np.flatnonzero(group == sizes.argmax())
    return "".join(entry.term.explain_group(entry, rows) for entry in entries)
