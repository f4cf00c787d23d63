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
from .arrow import collect, run, with_sign
from .call import SparkCall, stratum_of_term
from .columns import (
    FLOATS,
    HELPER,
    Typed,
    by_period,
    check_column,
    check_periods,
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
        typed = []
        for argument, columns in refs.items():
            typed += [self.typed(ref, argument) for ref in columns]
        # Some verbs check their columns twice, but the warning is shown only once.
        if typed and not self.has_warned:
            self.has_warned = warn_of_changes(self.frame, typed)

    def typed(self, ref: Any, argument: str) -> Typed:
        typed = typed_column(self.frame, ref, argument)
        check_column(typed, argument)
        if argument == "key":
            columns_to_hash(typed)
        return typed

    def check_period(self, name: str, every: str) -> None:
        check_periods(self.typed(name, "name"), every)

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
        resolved = term.resolve([empty])
        if not typed.is_decimal and typed.dtype not in FLOATS:
            return resolved
        # The rows are searched for a fraction only if a fraction could change the result.
        half = load_extra("polars", "spark").Series([0.5])
        if type(term.resolve([half])) is type(resolved):
            return resolved
        value = typed.present.cast("double")
        is_finite = functions().abs(value) < END_OF_INTEGERS
        rows = self.frame.filter(whole_numbers(typed).isNull() & is_finite)
        fraction = collect(rows.select(typed.column.alias("value")).limit(1))["value"]
        return term.resolve([fraction.alias(typed.name)])

    def bind(
        self,
        options: Options,
        fold: str | None = None,
        every: str | None = None,
        *,
        drop: bool = False,
    ) -> SparkCall:
        named = options.columns()
        frame = self.frame
        terms = (*options.terms, *options.groups)
        typed = [self.typed(ref, "by") for ref in named["by"]]
        typed += [self.typed(ref, "groups") for ref in named["groups"]]
        if fold is not None:
            terms = (*terms, Classes((fold,)))
            folds = by_period(self.typed(fold, "name"), every)
            typed.append(folds)
            if drop:
                frame = frame.filter(folds.present.isNotNull())
        call = SparkCall(
            frame=frame,
            strata=tuple(stratum_of_term(*each) for each in zip(terms, typed, strict=True)),
            n_by=len(options.terms),
            n_groups=len(options.groups),
            key=tuple(self.typed(ref, "key") for ref in named["key"]),
            where=next((self.typed(ref, "where").column for ref in named["where"]), None),
            needs_values=options.missing == "null",
            seed=options.seed,
        )
        self.check_entries(terms, typed)
        if options.deal != "hash":  # rows are then checked when the frame is computed
            check_where(call)
        return call

    def check_entries(self, terms: Sequence[Term], typed: Sequence[Typed]) -> None:
        """Raise an error if an entry needs all rows in order, or cannot read its column."""
        entries = zip(terms, typed, self.empty_columns(typed), strict=True)
        for place, (term, column, empty) in enumerate(entries, 1):
            check_term(self.resolve_on(term, column, empty), self.name)
            read_entry(term, [empty], place)

    count: Any = staticmethod(count)
    cut: Any = staticmethod(cut_entry)
    around: Any = staticmethod(around)
    attach: Any = staticmethod(attach)
    shared_rows: Any = shared_rows
    leaking_rows: Any = leaking_rows

    def keys_at(self, options: Options, salts: Sequence[int], numbers: Sequence[Words]) -> Any:
        """Collect the keys of at most 1000 rows that have the given numbers."""
        call = self.bind(replace(options, terms=(), groups=()))
        sf = functions()
        is_listed = sf.lit(False)
        for words, salt in zip(numbers, salts, strict=True):
            signed = [sf.lit(word).cast("bigint") for word in with_sign(words[:1000]).tolist()]
            is_listed = is_listed | call.number(salt).isin(signed)
        columns = [each.column.alias(f"{i}") for i, each in enumerate(call.key)]
        table = collect(call.rows.filter(is_listed).select(*columns).limit(1000))
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
        typed = self.typed(name, "name")
        sf = functions()
        is_listed = sf.lit(False)
        if values:
            is_listed = typed.present.isin(literals(typed, values))
        is_match = sf.when(typed.present.isNotNull(), is_listed if equal else ~is_listed)
        rows = self.frame.filter(sf.coalesce(is_match, sf.lit(nulls)))
        return rows.drop(name) if drops else rows

    def select_spans(self, name: str, spans: Sequence[Span], *, nulls: bool = False) -> Any:
        sf = functions()
        is_within = spans_condition(self.typed(name, "name"), spans)
        return self.frame.filter(sf.coalesce(is_within, sf.lit(nulls)))

    def read_times(self, name: str, periods: Any, every: str) -> Any:
        """Convert numbers of periods to times in the time zone of the session."""
        dtype = self.typed(name, "name").dtype
        zone = None
        if dtype == "timestamp":
            zone = read_zone(self.frame.sparkSession.conf.get("spark.sql.session.timeZone"))
        return read_readings(name, periods, zone, every, is_date=dtype == "date")

    def drop_shared(self, other: Any, values: Mapping[str, Any]) -> Any:
        """Drop shared rows by an anti-join; the other frame can be too large for a lookup."""
        rows = self.frame
        label = f"{HELPER}shared"
        for name in values:
            value = self.typed(name, "apart").present
            shared = other.select(value.alias(label)).distinct()
            rows = rows.join(shared, value == functions().col(label), "left_anti")
        return rows


def check_where(call: SparkCall) -> None:
    """Raise an error if the column of `where` has missing values."""
    if call.where is None:
        return
    n_missing = run(call.frame.filter(call.where.isNull()).count)
    if n_missing:
        msg = (
            f"The column of `where` {HAS_MISSING} in {plural(n_missing, 'row')}."
            "\nHint: fill the missing values, as in `coalesce(..., lit(False))`."
        )
        raise StratError(msg)


def check_helper_names(names: Sequence[str]) -> None:
    for name in names:
        if name.lower().startswith(HELPER):
            msg = (
                f"A column must not have a name that begins with {HELPER!r}, got {name!r}."
                "\nHint: rename it, because the call adds such columns temporarily."
            )
            raise StratError(msg)
