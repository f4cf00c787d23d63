"""One call on a Spark frame: its columns checked, its quantiles cut, and its rows counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..checks import load_extra
from ..core.types import Ints
from ..errors import StratError
from ..pipeline.options import Options
from ..pipeline.strata import Strata
from ..terms.base import Term
from ..terms.bins import Continuous
from ..terms.classes import Classes, Plain
from ..terms.entry import read_entry
from .driver import check_term, group_counted, parts_of_groups
from .spark_columns import Call, Typed, has_fractions, read_call, typed_column
from .spark_passes import (
    ENGINE,
    CountedCall,
    CountedRows,
    check_where,
    collect,
    count_rows,
    count_values,
)
from .spark_quantiles import cut_quantiles


def check_frame(frame: Any) -> None:
    """Raise unless an object is a frame of Spark."""
    sql = load_extra("pyspark.sql", "spark")
    if not isinstance(frame, sql.DataFrame):
        msg = f"`frame` must be a pyspark.sql.DataFrame, got {type(frame).__name__}."
        raise StratError(msg)


def count_call(frame: Any, options: Options, *, for_table: bool = False) -> CountedCall:
    """Count the rows of a call by stratum."""
    call = read_call(frame, options)
    check_types(call, options.terms)
    check_where(call)
    call = cut_quantiles(call, options)
    return count_rows(call, call.rows, options, for_table=for_table)


def count_groups(
    frame: Any, options: Options, *, for_table: bool = False
) -> tuple[Call, CountedRows, list[Ints], Strata]:
    """Count the rows of a call by stratum and group, and give every group a part.

    Returns
    -------
    call : Call
        Its entries are those of `by`, then those of `groups`.
    found : CountedRows
    parts : list of ndarray of int64, shape (n_counted,), range -1..n_parts-1
        The part of every counted row, for each repeat.
    strata : Strata
        Of the counted rows that are dealt.
    """
    terms = without_orders(frame, options.terms)
    groups = tuple(Classes(term.columns) for term in options.groups)
    both = replace(options, terms=terms + groups, groups=())
    call = read_call(frame, both)
    check_types(call, both.terms)
    check_where(call)
    call = cut_quantiles(call, replace(both, groups=options.groups))
    found = count_values(call, call.rows, both, for_table=for_table)
    options = replace(options, terms=found.options.terms[: len(terms)])
    grouped = group_counted(options, found.counted, ENGINE)
    return call, found, parts_of_groups(options, found.counted, grouped), grouped.strata


def without_orders(frame: Any, terms: Sequence[Term]) -> tuple[Term, ...]:
    """Cut continuous entries into bins; others stay as they are."""
    resolved = [resolve(frame, term, typed_column(frame, term.columns[0], "by")) for term in terms]
    return tuple(term.without_order() or term for term in resolved)


def check_types(call: Call, terms: Sequence[Term]) -> None:
    """Raise if a term cannot read its column, or takes it as continuous."""
    columns = [each.typed.column.alias(f"c{i}") for i, each in enumerate(call.strata)]
    if not columns:
        return
    table = collect(call.frame.select(*columns).limit(0))
    for place, (term, each) in enumerate(zip(terms, call.strata, strict=True)):
        check_term(resolve(call.frame, term, each.typed), ENGINE)
        read_entry(term, [table[f"c{place}"].alias(each.typed.name)], place + 1)


def resolve(frame: Any, term: Term, typed: Typed) -> Term:
    """Take a column that holds fractions as continuous."""
    if type(term) is Plain and has_fractions(frame, typed):
        return Continuous(term.columns, term.name)
    return term


def require_key(options: Options) -> None:
    """Raise if a call has no key."""
    if not options.key:
        msg = (
            "Spark frames need a `key`, because their rows have no order.\nHint: name the columns"
            ' that identify a row, as in `key="id"`.'
        )
        raise StratError(msg)
