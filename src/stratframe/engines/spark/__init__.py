"""The engine for Spark frames, whose passes are Spark's own expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ...checks import load_extra
from ...errors import StratError
from ...frames import SharedRows
from ...frames.references import check_taken
from ...pipeline.options import Options
from ...terms.base import Term
from ...terms.classes import Classes
from ...terms.entry import read_entry
from ..base import CountedCodes, Counts, check_term
from .columns import (
    FLOATS,
    SparkCall,
    Typed,
    by_period,
    check_boolean,
    check_single,
    columns_to_hash,
    compared_names,
    functions,
    literals,
    row_with_fraction,
    stratum_of_term,
    typed_column,
    warn_of_changes,
)
from .new_columns import attach
from .passes import (
    HELPER,
    check_keys,
    check_where,
    collect,
    collect_keys,
    count_rows,
    key_counts,
    near_cuts,
)
from .quantiles import cut_entry
from .shared import leaking_rows, shared_rows

SPARK = "Spark"


class SparkEngine:
    """The engine of a Spark frame."""

    name = SPARK

    def __init__(self, frame: Any) -> None:
        check_spark_frame(frame)
        self.frame = frame
        self.has_warned = False

    # Columns ----------------------------------------------------------------------------

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
            reads = partial(is_same_name, compared)
            check_taken(self.frame, taken, refs, reads, overwrite=overwrite)
        typed = [self.typed(ref, argument) for argument, given in refs.items() for ref in given]
        # Every verb checks its columns first, and some verbs do so twice.
        if typed and not self.has_warned:
            self.has_warned = warn_of_changes(self.frame, typed)

    def typed(self, ref: Any, argument: str) -> Typed:
        """Find a column of single values, and check its type."""
        typed = typed_column(self.frame, ref, argument)
        if argument == "where":
            check_boolean(typed)
        check_single(typed)
        if argument == "key":
            columns_to_hash(typed)
        return typed

    def resolve(self, term: Term) -> Term:
        typed = self.typed(term.columns[0], "by")
        empty = collect(self.frame.select(typed.column.alias("value")).limit(0))["value"]
        return resolve_on(self.frame, term, typed, empty.alias(typed.name))

    def bind(
        self,
        options: Options,
        fold: str | None = None,
        every: str | None = None,
        *,
        drop: bool = False,
    ) -> SparkCall:
        named = options.columns()
        typed = [
            self.typed(ref, argument) for argument in ("by", "groups") for ref in named[argument]
        ]
        terms, frame = (*options.terms, *options.groups), self.frame
        if fold is not None:
            typed.append(by_period(self.typed(fold, "name"), every))
            terms = (*terms, Classes((fold,)))
            frame = frame.filter(typed[-1].present.isNotNull()) if drop else frame
        call = SparkCall(
            frame,
            terms,
            tuple(stratum_of_term(*each) for each in zip(terms, typed, strict=True)),
            len(options.terms),
            len(options.groups),
            tuple(self.typed(ref, "key") for ref in named["key"]),
            next((self.typed(ref, "where").column for ref in named["where"]), None),
            needs_values=options.missing == "null",
            seed=options.seed,
        )
        self.check_types(call)
        if options.deal != "hash":
            check_where(call)
        return call

    def check_types(self, call: SparkCall) -> None:
        """Raise if a term cannot read its column, or takes it as continuous."""
        columns = [each.typed.column.alias(f"c{i}") for i, each in enumerate(call.strata)]
        if not columns:
            return
        table = collect(self.frame.select(*columns).limit(0))
        for place, (term, each) in enumerate(zip(call.terms, call.strata, strict=True)):
            empty = table[f"c{place}"].alias(each.typed.name)
            check_term(resolve_on(self.frame, term, each.typed, empty), SPARK)
            read_entry(term, [empty], place + 1)

    # Counts -----------------------------------------------------------------------------

    def count(
        self,
        call: SparkCall,
        *,
        before: int | None = None,
        salts: Sequence[int] = (),
        for_table: bool = False,
    ) -> tuple[SparkCall, Counts]:
        call = call._replace(salts=tuple(salts))
        counted = call if before is None else call.before(before)
        return call, count_rows(counted, for_table=for_table)

    cut = staticmethod(cut_entry)

    def recount(
        self, call: SparkCall, counted: CountedCodes, salts: Sequence[int]
    ) -> tuple[SparkCall, CountedCodes]:
        """Keep the counts, and check the keys of the rows without a fold."""
        fold = call.strata[-1].typed
        call = call._replace(where=fold.present.isNull(), filled=fold, salts=tuple(salts))
        n_rows = functions().count(functions().lit(1)).alias("n")
        check_keys(call.key, collect(call.rows.agg(n_rows, *key_counts(call.key))))
        counts = counted.counts
        # If the first pass counted cells, these are of other numbers.
        counts = counts._replace(native=counts.native._replace(cells=()))
        return call, counted._replace(counts=counts)

    near_cuts = staticmethod(near_cuts)
    keys_at = staticmethod(collect_keys)

    def shared_rows(
        self, refs: Sequence[Any], argument: str, name: str, *, drop: bool
    ) -> SharedRows:
        columns = [self.typed(ref, argument) for ref in refs]
        fold, nulls_alike = self.typed(name, "name"), argument == "duplicates"
        return shared_rows(self.frame, columns, fold, nulls_alike=nulls_alike, drop=drop)

    def leaking_rows(self, refs: Sequence[Any], argument: str, name: str) -> Any:
        columns = [self.typed(ref, argument) for ref in refs]
        return leaking_rows(self.frame, columns, self.typed(name, "name"), argument)

    # Results ----------------------------------------------------------------------------

    attach = staticmethod(attach)

    def select(
        self,
        name: str,
        values: Sequence[Any],
        *,
        equal: bool,
        nulls: bool = False,
        every: str | None = None,
        drops: bool = False,
    ) -> Any:
        typed = by_period(self.typed(name, "name"), every)
        fold = typed.present
        found = fold.isin(literals(typed, values)) if values else functions().lit(False)
        found = functions().when(fold.isNotNull(), found)
        kept = self.frame.filter(
            functions().coalesce(found if equal else ~found, functions().lit(nulls))
        )
        return kept.drop(name) if drops else kept

    def drop_shared(self, other: Any, values: Mapping[str, Any]) -> Any:
        """Join the values of the other frame, which may be many."""
        kept = self.frame
        for name in values:
            label, typed = f"{HELPER}shared", self.typed(name, "apart")
            held = other.select(typed.present.alias(label)).distinct()
            kept = kept.join(held, typed.present == functions().col(label), "left_anti")
        return kept


def resolve_on(frame: Any, term: Term, typed: Typed, empty: Any) -> Term:
    """Choose the term that a term stands for on a column, which may depend on its fractions.

    `empty` is the column as a Polars series without rows. Spark looks for a row with a fraction
    only if such a row could change the choice.
    """
    resolved, half = term.resolve([empty]), load_extra("polars", "spark").Series([0.5])
    has_fractions = typed.is_decimal or typed.dtype in FLOATS
    if not has_fractions or type(term.resolve([half])) is type(resolved):
        return resolved
    return term.resolve([collect(row_with_fraction(frame, typed))["value"].alias(typed.name)])


def check_spark_frame(frame: Any) -> None:
    """Raise unless an object is a Spark frame that has no column named like a helper."""
    sql = load_extra("pyspark.sql", "spark")
    if not isinstance(frame, sql.DataFrame):
        kind = type(frame)
        msg = f"`frame` must be a pyspark.sql.DataFrame, got a {kind.__module__}.{kind.__name__}."
        if kind.__module__.startswith("pyspark.pandas"):
            msg += "\nHint: take the Spark frame below it, `df.to_spark()`."
        raise StratError(msg)
    check_helper_names(frame.columns)


def check_helper_names(names: Sequence[str]) -> None:
    for name in names:
        if name.lower().startswith(HELPER):
            msg = (
                f"A column must not have a name that begins with {HELPER!r}, got {name!r}."
                "\nHint: rename it, as the call adds such columns for a while."
            )
            raise StratError(msg)


def is_same_name(compared: Callable[[str], str], ref: object, name: str) -> bool:
    """Return whether a reference is a name that the session takes for the same as `name`."""
    return isinstance(ref, str) and compared(ref) == compared(name)
