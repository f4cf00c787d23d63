"""The engine for Spark frames, which uses only built-in Spark expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...checks import load_extra
from ...core.types import Words
from ...errors import StratError, plural
from ...frames.periods import Span, read_readings, read_zone
from ...frames.references import check_taken
from ...frames.rules import HAS_MISSING
from ...pipeline.options import Options
from ...terms.base import Term
from ...terms.classes import Classes
from ...terms.entry import read_entry
from ..base import Engine, check_term
from .alike import count
from .arrow import collect, with_sign
from .call import SparkCall, stratum_of_term
from .columns import (
    FLOATS,
    HELPER,
    Typed,
    by_period,
    check_column,
    compared_names,
    functions,
    literals,
    spans_condition,
    typed_column,
    warn_of_changes,
)
from .hashes import END_OF_INTEGERS, columns_to_hash, whole_numbers
from .new_columns import attach
from .order_statistics import cut_entry
from .sharing import leaking_rows, shared_rows
from .windows import around


class SparkEngine(Engine):
    """The engine for a Spark frame."""

    name = "Spark"

    def __init__(self, frame: Any) -> None:
        sql = load_extra("pyspark.sql", "spark")
        if not isinstance(frame, sql.DataFrame):
            kind = f"{type(frame).__module__}.{type(frame).__name__}"
            msg = f"`frame` must be a pyspark.sql.DataFrame, got a {kind}."
            if kind.startswith("pyspark.pandas"):
                msg += "\nHint: convert it to a Spark frame with `df.to_spark()`."
            raise StratError(msg)
        check_helper_names(frame.columns)
        self.frame = frame
        self.has_warned = False

    def empty(self) -> Any:
        return collect(self.frame.limit(0))

    def check(
        self,
        refs: Mapping[str, Sequence[Any]],
        new_names: Sequence[str] = (),
        *,
        overwrite: bool = False,
    ) -> None:
        compared = compared_names(self.frame)
        check_helper_names(new_names)
        known = set(map(compared, self.frame.columns))
        taken = [name for name in new_names if compared(name) in known]
        if taken:

            def reads(ref: object, name: str) -> bool:
                return isinstance(ref, str) and compared(ref) == compared(name)

            check_taken(self.frame, taken, refs, reads, overwrite=overwrite)
        typed = [self.typed(ref, argument) for argument, given in refs.items() for ref in given]
        # Some verbs check their columns twice, but the warning is shown only once.
        if typed and not self.has_warned:
            self.has_warned = warn_of_changes(self.frame, typed)

    def typed(self, ref: Any, argument: str) -> Typed:
        typed = typed_column(self.frame, ref, argument)
        check_column(typed, argument)
        if argument == "key":
            columns_to_hash(typed)
        return typed

    def resolve(self, term: Term) -> Term:
        typed = self.typed(term.columns[0], "by")
        (empty,) = self.empty_columns([typed])
        return self.resolve_on(term, typed, empty)

    def empty_columns(self, columns: Sequence[Typed]) -> list[Any]:
        named = [each.column.alias(f"c{place}") for place, each in enumerate(columns)]
        table = collect(self.frame.select(*named).limit(0)) if named else []
        return [series.alias(each.name) for series, each in zip(table, columns, strict=True)]

    def resolve_on(self, term: Term, typed: Typed, empty: Any) -> Term:
        """Resolve a term. The result can depend on whether the column holds fractions."""
        resolved, half = term.resolve([empty]), load_extra("polars", "spark").Series([0.5])
        has_fractions = typed.is_decimal or typed.dtype in FLOATS
        # The rows are searched for a fraction only if a fraction could change the result.
        if not has_fractions or type(term.resolve([half])) is type(resolved):
            return resolved
        value = typed.present.cast("double")
        is_finite = functions().abs(value) < END_OF_INTEGERS
        rows = self.frame.filter(whole_numbers(typed).isNull() & is_finite)
        found = collect(rows.select(typed.column.alias("value")).limit(1))["value"]
        return term.resolve([found.alias(typed.name)])

    def bind(
        self,
        options: Options,
        fold: str | None = None,
        every: str | None = None,
        *,
        drop: bool = False,
    ) -> SparkCall:
        named, frame = options.columns(), self.frame
        terms = (*options.terms, *options.groups)
        typed = [
            self.typed(ref, argument) for argument in ("by", "groups") for ref in named[argument]
        ]
        if fold is not None:
            terms = (*terms, Classes((fold,)))
            typed.append(by_period(self.typed(fold, "name"), every))
            frame = frame.filter(typed[-1].present.isNotNull()) if drop else frame
        call = SparkCall(
            frame,
            tuple(stratum_of_term(*each) for each in zip(terms, typed, strict=True)),
            len(options.terms),
            len(options.groups),
            tuple(self.typed(ref, "key") for ref in named["key"]),
            next((self.typed(ref, "where").column for ref in named["where"]), None),
            needs_values=options.missing == "null",
            seed=options.seed,
        )
        entries = zip(terms, typed, self.empty_columns(typed), strict=True)
        for place, (term, column, empty) in enumerate(entries, 1):
            check_term(self.resolve_on(term, column, empty), self.name)
            read_entry(term, [empty], place)
        if call.where is not None and options.deal != "hash":
            n_missing = call.frame.filter(call.where.isNull()).count()
            if n_missing:
                msg = (
                    f"The column of `where` {HAS_MISSING} in {plural(n_missing, 'row')}."
                    "\nHint: fill the missing values, as in `coalesce(..., lit(False))`."
                )
                raise StratError(msg)
        return call

    count: Any = staticmethod(count)
    cut: Any = staticmethod(cut_entry)
    around: Any = staticmethod(around)
    attach: Any = staticmethod(attach)
    shared_rows: Any = shared_rows
    leaking_rows: Any = leaking_rows

    def keys_at(self, options: Options, salts: Sequence[int], numbers: Sequence[Words]) -> Any:
        """Collect the keys of at most 1000 rows that have the given numbers."""
        call, sf = self.bind(replace(options, terms=(), groups=())), functions()
        columns = [each.column.alias(f"{i}") for i, each in enumerate(call.key)]
        listed = sf.lit(False)
        for found, salt in zip(numbers, salts, strict=True):
            words = [sf.lit(each).cast("bigint") for each in with_sign(found[:1000]).tolist()]
            listed = listed | call.number(salt).isin(words)
        table = collect(call.rows.filter(listed).select(*columns).limit(1000))
        table.columns = [each.name for each in call.key]
        return table.to_pandas()

    def select(
        self,
        name: str,
        values: Sequence[Any],
        *,
        equal: bool,
        nulls: bool = False,
        drops: bool = False,
    ) -> Any:
        typed, sf = self.typed(name, "name"), functions()
        fold = typed.present
        found = fold.isin(literals(typed, values)) if values else sf.lit(False)
        found = sf.when(fold.isNotNull(), found if equal else ~found)
        kept = self.frame.filter(sf.coalesce(found, sf.lit(nulls)))
        return kept.drop(name) if drops else kept

    def select_spans(self, name: str, spans: Sequence[Span], *, nulls: bool = False) -> Any:
        sf = functions()
        found = spans_condition(self.typed(name, "name"), spans)
        return self.frame.filter(sf.coalesce(found, sf.lit(nulls)))

    def read_times(self, name: str, periods: Any, every: str) -> Any:
        """Convert numbers of periods to times in the time zone of the session."""
        dtype, zone = self.typed(name, "name").dtype, None
        if dtype == "timestamp":
            zone = read_zone(self.frame.sparkSession.conf.get("spark.sql.session.timeZone"))
        return read_readings(name, periods, zone, every, is_date=dtype == "date")

    def drop_shared(self, other: Any, values: Mapping[str, Any]) -> Any:
        """Drop shared rows by an anti-join; the other frame can be too large for a lookup."""
        kept = self.frame
        for name in values:
            label, typed = f"{HELPER}shared", self.typed(name, "apart")
            held = other.select(typed.present.alias(label)).distinct()
            kept = kept.join(held, typed.present == functions().col(label), "left_anti")
        return kept


def check_helper_names(names: Sequence[str]) -> None:
    for name in names:
        if name.lower().startswith(HELPER):
            msg = (
                f"A column must not have a name that begins with {HELPER!r}, got {name!r}."
                "\nHint: rename it, because the call adds such columns temporarily."
            )
            raise StratError(msg)
