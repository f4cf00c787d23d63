"""`by`, `groups` and `key` -> terms and columns, and how they combine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

from .. import frames
from ..errors import StratError, at_least_one, given_twice, preview, shorten
from .base import By, ColumnRef, Term, is_term
from .classes import Groups, Plain
from .clusters import Clusters
from .margins import Margins, format_entry


class Entries(NamedTuple):
    """What a call names: the entries of `by`, the groups and the keys."""

    terms: tuple[Term, ...] = ()
    marginal: bool = False
    """Whether they are margins: balanced each on its own, not nested."""
    groups: tuple[Term, ...] = ()
    key: tuple[ColumnRef, ...] = ()


def parse(by: By | None, groups: Any = None, key: Any = None) -> Entries:
    """Turn `by`, `groups` and `key` into terms and columns, and check how they combine."""
    return parse_by(by)._replace(groups=parse_groups(groups), key=parse_columns("key", key))


def parse_by(by: By | None) -> Entries:
    """Turn `by` into terms, and check how they combine."""
    if by is None:
        return Entries()
    if not isinstance(by, str):
        frames.check_not_data("by", by)
    entries = by if isinstance(by, list) else [by]
    if not entries:
        raise StratError(at_least_one("`by`", "entry", []))
    for entry in entries:
        if isinstance(entry, Margins):
            return parse_margins(entry, entries)
    terms = tuple(map(to_term, entries))
    check_once(terms, "`by`")
    check_order_last(terms)
    return Entries(terms)


def parse_margins(margins: Margins, entries: Sequence[Any]) -> Entries:
    """Take the entries of margins, which are the only entry of `by`."""
    if len(entries) > 1:
        listed = preview(map(format_entry, entries), len(entries))
        msg = f"`sf.margins` must be the only entry of `by`, got [{listed}]."
        raise StratError(msg)
    terms = tuple(map(to_term, margins.entries))
    check_once(terms, "`sf.margins`")
    return Entries(terms, marginal=True)


def to_term(entry: Any) -> Term:
    """Take what is no term as a column."""
    return entry if is_term(entry) else Plain((entry,))


def check_once(terms: Sequence[Term], subject: str) -> None:
    """Raise if an entry is given twice."""
    alike: dict[Any, list[Term]] = {}
    for term in terms:
        others = alike.setdefault((type(term), *map(frames.column_key, term.columns)), [])
        if any(same_terms(term, other) for other in others):
            raise StratError(given_twice(subject, "entry", str(term)))
        others.append(term)


def check_order_last(terms: Sequence[Term]) -> None:
    """Raise unless the only term that orders rows is the last."""
    orders = [term for term in terms if term.orders_rows]
    if orders and (len(orders) > 1 or terms[-1] is not orders[0]):
        functions = " or ".join(dict.fromkeys(f"`{term.function}`" for term in orders))
        msg = (
            f"{functions} must be the last entry of `by`, and only once,"
            f" got [{preview(terms, len(terms))}]."
        )
        raise StratError(msg)


def require_by(by: By | None) -> Entries:
    """Turn `by` into terms where there must be some."""
    entries = parse_by(by)
    if not entries.terms:
        raise StratError(at_least_one("`by`", "entry", None))
    return entries


def parse_columns(argument: str, given: Any) -> tuple[ColumnRef, ...]:
    """Turn one column or a list of columns into a tuple; None into an empty one."""
    if given is None:
        return ()
    frames.check_not_data(argument, given)
    columns = tuple(given) if isinstance(given, list) else (given,)
    if not columns:
        raise StratError(at_least_one(f"`{argument}`", "column", []))
    return columns


def parse_groups(groups: Any) -> tuple[Term, ...]:
    """Turn `groups` into terms: columns, or one term of clusters."""
    if isinstance(groups, Clusters):
        return (groups,)
    columns = parse_columns("groups", groups)
    for column in columns:
        if is_term(column) or isinstance(column, Margins):
            msg = (
                "`groups` must be a column, a list of columns or one `sf.clusters`, got"
                f" {shorten(str(column))}."
            )
            raise StratError(msg)
    for column in frames.repeated(columns):
        raise StratError(given_twice("`groups`", "column", frames.format_reference(column)))
    return tuple(Groups((column,)) for column in columns)


def columns_of(terms: Iterable[Term]) -> list[ColumnRef]:
    """List the columns of terms, one term after another."""
    return [column for term in terms for column in term.columns]


def split_series(terms: Sequence[Term], series: Iterable[Any]) -> list[tuple[Term, list[Any]]]:
    """Split series, which come in the order of `columns_of`, by term."""
    left = iter(series)
    return [(term, list(islice(left, len(term.columns)))) for term in terms]


def same_terms(term: Term, other: Term) -> bool:
    """Return whether two terms ask for the same."""
    if type(term) is not type(other) or len(term.columns) != len(other.columns):
        return False
    settings = vars(term).keys() - {"columns", "name"}
    return all(map(frames.same_column, term.columns, other.columns)) and all(
        getattr(term, setting) == getattr(other, setting) for setting in settings
    )
