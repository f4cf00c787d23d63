"""What a call demands of its data: enough rows and groups, entries that fit, values."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from . import frames
from .core.types import Ints
from .entries import Entry, is_broken, numbers_of, rules_of
from .errors import StratError, plural
from .frames import columns
from .keys import key_order, key_rules
from .schemas import check_rows
from .terms import Continuous


def check_margins(entries: Sequence[Entry]) -> None:
    """Refuse a margin that turns out continuous."""
    for entry in entries:
        if isinstance(entry.term, Continuous):
            msg = (
                f"An entry of `sf.margins` must make strata, but {entry.text} holds fractions."
                f"\nHint: cut it, as in `sf.quantiles({entry.code}, 10)`, or take its values as"
                f" they are, `sf.classes({entry.code})`."
            )
            raise StratError(msg)


def check_groups(groups: Ints, parts: tuple[int, str]) -> None:
    """Refuse more parts than groups."""
    n_groups = int(groups.max(initial=-1)) + 1
    if parts[0] > n_groups:
        what = "`k`" if parts[1] == "folds" else "The number of `parts`"
        msg = (
            f"{what} must be at most the number of groups, got {parts[0]}"
            f" for {plural(n_groups, 'group')}."
        )
        raise StratError(msg)


def check_enough(n_dealt: int, parts: tuple[int, str]) -> None:
    """Refuse more parts than rows."""
    if parts[0] > n_dealt:
        what = "`k`" if parts[1] == "folds" else "The number of `parts`"
        msg = (
            f"{what} must be at most the number of rows dealt, got {parts[0]}"
            f" for {plural(n_dealt, 'row')}."
        )
        raise StratError(msg)


def check_order(entries: Sequence[Entry]) -> None:
    """Refuse a column that turns out continuous but is not the last entry."""
    for entry in entries[:-1]:
        if isinstance(entry.term, Continuous):
            msg = (
                f"A continuous entry of `by` must be the last, but {entry.text} holds fractions"
                f" and others follow.\nHint: cut it, as in `sf.quantiles({entry.code}, 10)`,"
                f" or take its values as they are, `sf.classes({entry.code})`."
            )
            raise StratError(msg)


def check_values(entries: Sequence[Entry], missing: str, key: Sequence[Any]) -> Ints | None:
    """Refuse what breaks the rules of the call, all at once, and sort the rows by key.

    Returns
    -------
    ndarray of int64, shape (n_rows,), or None
        The order of the keys; None without keys.
    """
    asked = [rules_of(entry, missing) for entry in entries]
    broken = [is_broken(entry, rules[0]) for entry, rules in zip(entries, asked, strict=True)]
    rows = places = None
    if key:
        gaps = any(columns.missing(series).any() for series in key)
        broken.append(gaps)
        if not gaps:
            rows, places = key_order(key)
            broken.append(int(places.max(initial=-1)) < len(places) - 1)
    if any(broken):
        # Only now the arrays that pandera looks at are made.
        found = [numbers for entry in entries for numbers in numbers_of(entry)]
        rules = [
            rule._replace(numbers=numbers)
            for rule, numbers in zip(chain.from_iterable(asked), found, strict=True)
        ]
        check_rows(
            frames.library(rules[0].series if rules else key[0]), rules + key_rules(key, places)
        )
    return rows
