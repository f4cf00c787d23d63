"""`by` -> terms: which entries it holds, how they combine, how messages show them."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from .. import frames
from ..errors import StratError
from .base import (
    Bins,
    By,
    Classes,
    Clusters,
    Features,
    Margins,
    Ordering,
    Plain,
    Quantiles,
    Ref,
    Term,
)


def parse(by: By | None) -> tuple[Term, ...]:
    """Turn `by` into terms, and check how they combine."""
    if by is None:
        return ()
    entries = by if isinstance(by, list) else [by]
    if not entries:
        msg = "`by` must hold at least one entry, got []."
        raise StratError(msg)
    terms = tuple(entry if isinstance(entry, Term) else Plain(entry) for entry in entries)
    if any(isinstance(term, Margins) for term in terms):
        if len(terms) > 1:
            listed = ", ".join(shown(term) for term in terms)
            msg = f"`sf.margins` must stand alone in `by`, got [{listed}]."
            raise StratError(msg)
        check_once(margins_of(terms), "`sf.margins`")
        return terms
    check_once(terms, "`by`")
    orders = [term for term in terms if isinstance(term, Ordering)]
    if orders and (len(orders) > 1 or terms[-1] is not orders[0]):
        listed = ", ".join(shown(term) for term in terms)
        verbs = " or ".join(dict.fromkeys(f"`{verb(term)}`" for term in orders))
        msg = f"{verbs} must be the last entry of `by`, and only once, got [{listed}]."
        raise StratError(msg)
    return terms


def check_once(terms: Sequence[Term], where: str) -> None:
    """Refuse the same entry twice."""
    for place, term in enumerate(terms):
        if any(same(term, other) for other in terms[:place]):
            msg = f"{where} must hold each entry once, got {shown(term)} twice."
            raise StratError(msg)


def margins_of(terms: Sequence[Term]) -> tuple[Term, ...]:
    """List the entries of a term of margins; none if there is no such term."""
    return tuple(entry for term in terms if isinstance(term, Margins) for entry in term.entries)


def parse_some(by: By | None) -> tuple[Term, ...]:
    """Turn `by` into terms where there must be some."""
    terms = parse(by)
    if not terms:
        msg = "`by` must hold at least one entry, got None."
        raise StratError(msg)
    return terms


def parse_columns(argument: str, given: Any) -> tuple[Any, ...]:
    """Turn one column or a list of columns into a tuple; None into an empty one."""
    columns = () if given is None else tuple(given) if isinstance(given, list) else (given,)
    if given is not None and not columns:
        msg = f"`{argument}` must hold at least one column, got []."
        raise StratError(msg)
    return columns


def parse_groups(groups: Any) -> tuple[Term, ...]:
    """Turn `groups` into terms: columns taken as classes, or one term of clusters."""
    if groups is None:
        return ()
    if isinstance(groups, Clusters):
        return (groups,)
    entries = groups if isinstance(groups, list) else [groups]
    if not entries:
        msg = "`groups` must hold at least one column, got []."
        raise StratError(msg)
    for place, entry in enumerate(entries):
        if isinstance(entry, Term):
            msg = (
                "`groups` must be a column, a list of columns or one `sf.clusters`,"
                f" got {shown(entry)}."
            )
            raise StratError(msg)
        if any(frames.same_column(entry, other) for other in entries[:place]):
            msg = (
                f"`groups` must hold each column once, got {frames.format_reference(entry)} twice."
            )
            raise StratError(msg)
    return tuple(Classes(entry) for entry in entries)


def refs_of(term: Term) -> tuple[Ref, ...]:
    """List the columns of a term."""
    if isinstance(term, Margins):
        return tuple(all_refs(term.entries))
    return term.features if isinstance(term, Features) else (term.column,)


def all_refs(terms: Iterable[Term]) -> list[Ref]:
    """List the columns of terms, one term after another."""
    return [ref for term in terms for ref in refs_of(term)]


def with_columns(terms: Sequence[Term], columns: Iterable[Any]) -> list[tuple[Term, list[Any]]]:
    """Hand every term its columns."""
    left = iter(columns)
    return [(term, list(islice(left, len(refs_of(term))))) for term in terms]


def same(term: Term, other: Term) -> bool:
    """Say whether two terms ask for the same."""
    if type(term) is not type(other) or len(refs_of(term)) != len(refs_of(other)):
        return False
    fields = vars(term).keys() - {"column", "features", "name"}
    return all(map(frames.same_column, refs_of(term), refs_of(other))) and all(
        getattr(term, field) == getattr(other, field) for field in fields
    )


def verb(term: Term) -> str:
    """Name the function that makes a term."""
    return f"sf.{type(term).__name__.lower()}"


def shown(term: Term) -> str:
    """Write a term as it stands in code."""
    if isinstance(term, Margins):
        return f"{verb(term)}([{', '.join(map(shown, term.entries))}])"
    if isinstance(term, Features):
        return f"{verb(term)}([{', '.join(map(frames.format_reference, term.features))}])"
    column = frames.format_reference(term.column)
    match term:
        case Plain():
            return column
        case Quantiles():
            return f"{verb(term)}({column}, {term.n})"
        case Bins():
            return f"{verb(term)}({column}, [{', '.join(f'{edge:.15g}' for edge in term.edges)}])"
        case _:
            return f"{verb(term)}({column})"
