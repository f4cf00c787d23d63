"""Parse the arguments `by`, `groups` and `key` into terms and columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

from .. import frames
from ..errors import MAX_LISTED, StratError, at_least_one, given_twice, preview
from .base import By, ColumnRef, Term
from .classes import Classes, Plain
from .margins import Margins, PlainMargin


class Entries(NamedTuple):
    """The parsed entries of `by`."""

    terms: tuple[Term, ...] = ()
    marginal: bool = False
    """Whether the entries are margins, which are balanced separately and not nested."""


def parse_by(by: By | None) -> Entries:
    if by is None:
        return Entries()
    if not isinstance(by, str):
        frames.references.check_not_data("by", by)
    entries = by if isinstance(by, list) else [by]
    terms = list(map(to_term, entries))
    if not terms:
        raise StratError(at_least_one("`by`", "entry", []))
    marginal = any(isinstance(term, Margins) for term in terms)
    if marginal and len(terms) > 1:
        msg = f"`sf.margins` must be the only entry of `by`, got [{preview(terms, len(terms))}]."
        raise StratError(msg)
    if marginal:
        terms = list(map(to_margin, terms[0].columns))
    try:
        check_no_repeats(terms, "`sf.margins`" if marginal else "`by`")
    except StratError as error:
        if len(terms) <= MAX_LISTED or not all(isinstance(term, Plain) for term in terms):
            raise
        repeated = frames.references.Repeated(tuple(columns_of(terms)), error)
        return Entries((Plain((repeated,)),))
    orders = [term for term in terms if term.orders_rows]
    if orders not in ([], terms[-1:]):
        functions = " or ".join(dict.fromkeys(f"`{term.function}`" for term in orders))
        msg = (
            f"{functions} must come last in `by`, and must occur only once,"
            f" got [{preview(terms, len(terms))}]."
        )
        raise StratError(msg)
    return Entries(tuple(terms), marginal)


def to_term(entry: Any) -> Term:
    if not isinstance(entry, Term):
        return Plain((entry,))
    if entry.only_groups:
        msg = f"`{entry.function}` makes groups, so it must be given in `groups`, not in `by`."
        raise StratError(msg)
    return entry


def to_margin(entry: Any) -> Term:
    term = to_term(entry)
    if isinstance(term, Plain):
        return PlainMargin(term.columns)
    return term


def check_no_repeats(terms: Sequence[Term], subject: str) -> None:
    alike: dict[Any, list[Term]] = {}
    for term in terms:
        kind = type(term), *map(frames.references.column_key, term.columns)
        others = alike.setdefault(kind, [])
        if any(same_terms(term, other) for other in others):
            raise StratError(given_twice(subject, "entry", str(term)))
        others.append(term)


def require_by(by: By | None) -> Entries:
    entries = parse_by(by)
    if not entries.terms:
        raise StratError(at_least_one("`by`", "entry", None))
    return entries


def parse_columns(argument: str, refs: Any) -> tuple[ColumnRef, ...]:
    """Turn one column or a list of columns into a tuple; None becomes an empty tuple."""
    if refs is None:
        return ()
    frames.references.check_not_data(argument, refs)
    columns = tuple(refs) if isinstance(refs, list) else (refs,)
    if not columns:
        raise StratError(at_least_one(f"`{argument}`", "column", []))
    return columns


def parse_groups(groups: Any) -> tuple[Term, ...]:
    """Turn `groups` into terms: one term for each column, or a single term that makes groups."""
    if isinstance(groups, Term) and groups.group_noun:
        return (groups,)
    columns = parse_columns("groups", groups)
    for column in columns:
        if isinstance(column, Term):
            msg = (
                "`groups` must be a column, a list of columns, or one of `sf.clusters`,"
                f" `sf.linked` and `sf.similar`, got {frames.format_reference(column)}."
            )
            raise StratError(msg)
    try:
        frames.references.check_each_column_once("`groups`", columns)
    except StratError as error:
        if len(columns) <= MAX_LISTED:
            raise
        columns = (frames.references.Repeated(columns, error),)
    return tuple(Classes((column,)) for column in columns)


def columns_of(terms: Iterable[Term]) -> list[ColumnRef]:
    return [column for term in terms for column in term.columns]


def split_series(
    terms: Sequence[Term], series: Iterable[Any], argument: str = "by"
) -> list[tuple[Term, list[Any]]]:
    """Pair each term with its own series; all series are in the order of `columns_of`."""
    remaining = iter(series)
    pairs = []
    for term in terms:
        series_of_term = list(islice(remaining, len(term.columns)))
        pairs.append((term, series_of_term))
    for term, series_of_term in pairs:
        if not term.has_features:
            frames.references.check_one_each(argument, term.columns, series_of_term)
    return pairs


def same_terms(term: Term, other: Term) -> bool:
    if type(term) is not type(other) or len(term.columns) != len(other.columns):
        return False
    settings = vars(term).keys() - {"columns", "name"}
    return all(map(frames.references.same_column, term.columns, other.columns)) and all(
        getattr(term, setting) == getattr(other, setting) for setting in settings
    )
