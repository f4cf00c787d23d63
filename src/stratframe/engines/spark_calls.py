"""One call on a Spark frame: its columns checked, its quantiles cut, and its rows counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..checks import load_extra
from ..errors import StratError
from ..pipeline.options import Options
from ..terms.base import Term
from ..terms.bins import Continuous
from ..terms.classes import Plain
from ..terms.entry import read_entry
from .driver import check_term
from .spark_columns import Call, StratumColumn, has_fractions, read_call
from .spark_passes import ENGINE, CountedCall, check_where, collect, count_rows
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


def check_types(call: Call, terms: Sequence[Term]) -> None:
    """Raise if a term cannot read its column, or takes it as continuous."""
    columns = [each.typed.column.alias(f"c{i}") for i, each in enumerate(call.strata)]
    if not columns:
        return
    table = collect(call.frame.select(*columns).limit(0))
    for place, (term, each) in enumerate(zip(terms, call.strata, strict=True)):
        check_term(resolved(call, term, each), ENGINE)
        read_entry(term, [table[f"c{place}"].alias(each.typed.name)], place + 1)


def resolved(call: Call, term: Term, entry: StratumColumn) -> Term:
    """Take a column that holds fractions as continuous."""
    if type(term) is Plain and has_fractions(call.frame, entry.typed):
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
