"""Perform the operations of verbs on the frame of an engine, based on counts of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import frames
from ..core.seeds import StreamTag
from ..core.strata import distinct_values
from ..core.types import Flags, Ints, StratumTable
from ..errors import StratError
from ..frames import LabelRows, NewColumn
from ..pipeline.extend import ORDER_SALT, quota_of_new, read_target, target_of
from ..pipeline.fold_counts import (
    LEAST_FOLDS,
    FoldCounts,
    FoldedStrata,
    check_not_itself,
    count_folds,
)
from ..pipeline.hashed import hash_points, hash_salts
from ..pipeline.nest import Strata
from ..pipeline.options import Options, Target
from ..pipeline.parts import (
    empty_outputs,
    part_sizes,
    warn_empty_parts,
    warn_far_parts,
    warn_missed_counts,
)
from ..pipeline.random_numbers import column_stream
from ..pipeline.sample_sizes import SampleSize, sample_streams, sample_table
from ..terms.base import By, Term
from ..terms.bins import TimeSpan
from ..terms.by import Entries, columns_of, require_by
from ..terms.classes import Classes
from .base import (
    Call,
    Engine,
    check_possible,
    engine_on,
    not_possible,
)
from .counted import (
    count_strata,
    cut_points,
    cut_quantiles,
    list_cuts,
    list_quotas,
    lowest_of_strata,
    nest_counts,
    order_salts,
    parts_of_groups,
    repeated_key_error,
    resolve_terms,
    without_orders,
)
from .counts import CountedCodes, Counts, PartsByNumber


class EngineSource:
    """A frame of an engine, from which verbs read only counts of rows."""

    library = "pandas"
    """The library of the tables that verbs return."""
    ranks_by_position = False
    """Whether `kfold` can do without a key; rows of engines have no positions."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @property
    def frame(self) -> Any:
        return self.engine.frame

    @property
    def kind(self) -> str:
        return self.engine.name

    # Columns ----------------------------------------------------------------------------

    def assign(self, options: Options, *, overwrite: bool) -> Any:
        outputs = empty_outputs(options)
        check_possible(options, self.kind)
        names = [output.name for output in outputs]
        self.engine.check(options.columns(), names, overwrite=overwrite)
        if options.deal == "hash":
            return self.deal_by_hash(options, outputs)
        if options.groups:
            return self.deal_groups(options, outputs)
        self.check_key(options, "a `key` or `groups`")
        return self.deal_by_rank(options, outputs)

    def deal_by_hash(self, options: Options, outputs: Sequence[NewColumn]) -> Any:
        """Deal each row by the hash of its key alone."""
        # All rows are one stratum, which the cut points divide from part 0 on.
        first = np.zeros(1, dtype=np.int64)
        by_hash = PartsByNumber(first=first, points=hash_points(options)[None])
        parts = [by_hash] * options.repeats
        call = self.engine.bind(options)
        return self.engine.attach(call, None, outputs, parts, hash_salts(options))

    def deal_groups(self, options: Options, outputs: Sequence[NewColumn]) -> Any:
        """Deal whole groups here, from their counts.

        Each counted row, a group in a stratum, then counts as a stratum that lies whole in one
        part.
        """
        options = without_orders(self.engine, options)
        call, counted = count_strata(self.engine, self.engine.bind(options), options)
        weights = counted.counts.weights
        n_counted = len(weights)
        row_as_stratum = CountedCodes(counted.counts, np.arange(n_counted), n_counted)
        no_points = np.empty((n_counted, 0), dtype=np.uint64)
        sizes = {}
        parts = []
        for output, part_of_row in zip(outputs, parts_of_groups(options, counted), strict=True):
            sizes[output.name] = part_sizes(part_of_row, options.target, weights)
            parts.append(PartsByNumber(part_of_row, no_points))
        warn_far_parts(options, counted.strata.n_rows, sizes, named=len(outputs) > 1)
        return self.engine.attach(call, row_as_stratum, outputs, parts)

    def deal_by_rank(self, options: Options, outputs: Sequence[NewColumn]) -> Any:
        """Deal the rows of each stratum, sorted by the hashes of their keys, by its quotas."""
        call, counted = count_strata(self.engine, self.engine.bind(options), options)
        tables = list_quotas(options, counted)
        sizes = {
            output.name: table.sum(axis=0) for output, table in zip(outputs, tables, strict=True)
        }
        if options.target.each is None:
            warn_empty_parts(options.target, counted.strata.n_rows, sizes, named=len(outputs) > 1)
        salts = order_salts(options)
        parts = find_parts(self.engine, call, counted.coded, options, tables, salts)
        return self.engine.attach(call, counted.coded, outputs, parts, salts)

    def extend(self, options: Options, target: Target, names: Sequence[Any], k: int | None) -> Any:
        if options.groups:
            msg = "`extend` with `groups` looks at all rows of each group"
            raise not_possible(msg, self.kind)
        if options.where is not None:
            msg = "`extend` with `where` looks at the folds of all rows"
            raise not_possible(msg, self.kind)
        self.engine.check({**options.columns(), "name": list(names)})
        options = without_orders(self.engine, options)
        self.check_key(options)
        engine = self.engine
        for name in names:
            of_column = replace(options, name=name, target=target)
            engine = engine_on(extend_column(engine, of_column, k, named=len(names) > 1))
        return engine.frame

    def sample(self, options: Options, wanted: SampleSize) -> Any:
        self.engine.check(options.columns())
        check_possible(options, self.kind)
        self.check_key(options)
        salts = [int(sample_streams(options)[0](1)[0])]
        call = cut_quantiles(self.engine, self.engine.bind(options), options)
        call, counts = self.engine.count(call, salts=salts)
        counted = nest_counts(self.engine, options, counts)
        table = sample_table(options, counted.strata, wanted, lowest_of_strata(counted)[0])
        parts = find_parts(self.engine, call, counted.coded, options, [table], salts)
        mark = self.engine.unused("sampled")
        outputs = empty_outputs(replace(options, name=mark, target=Target(2)))
        marked = engine_on(self.engine.attach(call, counted.coded, outputs, parts, salts))
        return marked.select(mark, [0], equal=True, drops=True)

    def check_key(self, options: Options, needed: str = "a `key`") -> None:
        """Raise an error if a call that ranks rows has no key; the message contains `needed`."""
        if not options.key:
            msg = (
                f"{self.kind} frames need {needed}, because their rows may come in a different"
                ' order each time.\nHint: name the columns that identify a row, as in `key="id"`.'
            )
            raise StratError(msg)

    # Counts -----------------------------------------------------------------------------

    def strata(self, by: By, groups: tuple[Term, ...] = ()) -> Strata:
        """Find the strata for a table, in which continuous entries are divided into bins."""
        options = self.read_by(by, groups, LEAST_FOLDS)
        call = self.engine.bind(options)
        return count_strata(self.engine, call, options, for_table=True)[1].strata

    def plan(self, options: Options) -> tuple[Strata, Callable[[Strata], StratumTable]]:
        """Return the strata of a call, and a function that counts the rows in each part."""
        check_possible(options, self.kind)
        self.engine.check(options.columns())
        if options.groups:
            options = without_orders(self.engine, options)
        else:
            self.check_key(options, "a `key` or `groups`")
        call = self.engine.bind(options)
        call, counted = count_strata(self.engine, call, options, for_table=True)
        strata = counted.strata
        if not options.groups:
            return strata, lambda _: list_quotas(options, counted)[0]
        parts = dealt_only(parts_of_groups(options, counted)[0], strata)
        return strata, lambda level: level.crosstab(parts, options.target.n)

    def collect(self, *_: Any) -> EngineSource:
        """Return this source unchanged, because each count reads only the columns that it needs."""
        return self

    def count_folds(self, by: By, name: str, groups: tuple[Term, ...] = ()) -> FoldCounts:
        """Count the rows of each stratum in each fold; rows without a fold are left out."""
        entries = require_by(by)
        check_not_itself("by", columns_of(entries.terms), name)
        k = len(self.label_rows(name).labels.present)
        options = self.read_by(by, groups, k)

        def count(terms: tuple[Term, ...]) -> FoldedStrata:
            of_terms = replace(options, terms=terms)
            call = self.engine.bind(of_terms, name, drop=True)
            counts, strata = count_strata(self.engine, call, of_terms, for_table=True)[1]
            labels, codes = frames.fold_codes(counts.columns["name"][0], weights=counts.weights)
            return FoldedStrata(strata, counts.columns["by"], labels, codes)

        return count_folds(by, name, Entries(options.terms), k, count)

    def spans(self, refs: Sequence[Any], name: str) -> tuple[list[Any], Sequence[Any], Any, Ints]:
        """Find the earliest and latest time in each fold for each combination of values.

        The last of `refs` is the column of times, and the others hold the values. Of each
        combination, only the rows with these two times are counted. Returns their columns, `refs`,
        their folds and their weights.
        """
        *others, time = refs
        span = self.engine.resolve(TimeSpan((time,)))
        options = Options((*(Classes((each,)) for each in others), span))
        call = self.engine.bind(options, name, drop=True)
        counts = count_strata(self.engine, call, options, for_table=True)[1].counts
        return counts.columns["by"], refs, counts.columns["name"][0], counts.weights

    def read_by(self, by: By, groups: tuple[Term, ...], k: int) -> Options:
        """Read `by` and `groups` for a table, in which continuous entries are divided into bins."""
        entries = require_by(by)
        options = Options(entries.terms, entries.marginal, groups)
        self.engine.check(options.columns())
        return resolve_terms(self.engine, options, lambda term: term.in_bins(k))

    # Folds ------------------------------------------------------------------------------

    def check_names(self, names: Sequence[Any], apart: Sequence[Any] = ()) -> None:
        """Raise an error if a column of folds, or one of `apart`, does not exist."""
        self.engine.check({"name": list(names), "apart": list(apart)})

    def label_rows(
        self,
        name: str,
        apart: Sequence[str] = (),
        every: str | None = None,
        *,
        is_part: bool = False,
    ) -> LabelRows:
        """Count the rows with each combination of a label and values in the columns `apart`."""
        if every is not None:
            self.engine.check_period(name, every)
        terms = tuple(Classes((each,)) for each in apart)
        counts = self.engine.count(self.engine.bind(Options(terms), name, every))[1]
        (folds,) = counts.columns["name"]
        columns = counts.columns["by"]
        weights = counts.weights
        ranks = frames.result.rank_values(folds)
        if ranks is not None:  # counted rows are in no particular order
            order = np.argsort(ranks, kind="stable")
            folds = frames.take(folds, order)
            weights = weights[order]
            columns = [frames.take(column, order) for column in columns]
        shared = list(zip(apart, columns, strict=True))
        if every is not None:
            folds = self.engine.read_times(name, folds, every)
        return frames.encode_labels(name, folds, weights, shared, every, is_part=is_part)

    def select(
        self,
        rows: LabelRows,
        chosen: Flags,
        *,
        nulls: bool = False,
        apart_from: Flags | None = None,
    ) -> Any:
        """Keep rows with a chosen label, but none that share a value with labels `apart_from`."""
        selected = self.select_labels(rows, chosen, nulls=nulls)
        if apart_from is None or not rows.apart:
            return selected
        valid = self.select_labels(rows, apart_from)
        values = frames.labels.values_apart(rows, apart_from)
        return engine_on(selected).drop_shared(valid, values)

    def select_labels(self, rows: LabelRows, chosen: Flags, *, nulls: bool = False) -> Any:
        if rows.periods is not None:
            spans = rows.periods.spans(chosen)
            return self.engine.select_spans(rows.name, spans, nulls=nulls)
        listed, is_match = frames.labels.shorter_list(rows, chosen)
        labels = [rows.labels.values[place] for place in np.flatnonzero(listed)]
        return self.engine.select(rows.name, labels, equal=is_match, nulls=nulls)

    def check_shared(
        self,
        options: Options,
        refs: Mapping[str, Sequence[Any]],
        new_names: Sequence[str] = (),
    ) -> None:
        """Raise an error if rows cannot be counted, a column is missing, or a new name is taken."""
        check_possible(options, self.kind)
        self.engine.check(refs, new_names)


def find_parts(
    engine: Engine,
    call: Call,
    counted: CountedCodes,
    options: Options,
    tables: Sequence[StratumTable],
    salts: Sequence[int],
) -> list[PartsByNumber]:
    """For each table, find the cut points between row numbers that give each part its quota."""
    around = engine.around(call, counted, salts, list(map(list_cuts, tables)))
    repeated = [distinct_values(after[below == after]) for below, after in around]
    if any(map(len, repeated)):
        keys = engine.keys_at(options, salts, repeated)
        raise repeated_key_error([str(name) for name in keys.columns], keys)
    first = np.zeros(counted.n_strata, dtype=np.int64)
    return [
        PartsByNumber(first, cut_points(table, after))
        for table, (_, after) in zip(tables, around, strict=True)
    ]


def extend_column(engine: Engine, options: Options, k: int | None, *, named: bool) -> Any:
    """Fill the missing folds of a column; with `named`, warnings contain the name of the column."""
    # The folds are counted in a separate pass if rows with a missing value are not dealt but can
    # have a fold, or if bins can be cut inside pooled classes, which depend on the number of folds.
    has_pass_of_folds = options.missing == "null" or options.rare == "pool"
    if has_pass_of_folds:
        call, counts = count_with_folds(engine, replace(options, terms=()))
    else:
        call, counts = count_with_folds(engine, options)
    options, parts = read_folds(options, k, counts)
    old_sizes = part_sizes(parts, options.target, counts.weights)
    if has_pass_of_folds:
        call, counts = count_with_folds(engine, options)
        options, parts = read_folds(options, options.target.n, counts)
    counted = nest_counts(engine, options, counts)
    stream = column_stream(options, StreamTag.EXTEND)
    lowest = lowest_of_strata(counted)[0]
    table = quota_of_new(options, counted.strata, dealt_only(parts, counted.strata), stream, lowest)
    sizes = {options.name: old_sizes + table.sum(axis=0)}
    warn_empty_parts(options.target, counted.strata.n_rows, sizes, named=named)
    warn_missed_counts(options.target, sizes, named=named)
    salts = [int(stream(1)[0])]
    new = counted.coded._replace(codes=np.where(parts < 0, counted.coded.codes, -1))
    dealt = find_parts(engine, call, new, options, [table], salts)
    return engine.attach(call, new, empty_outputs(options), dealt, salts, fill=True)


def count_with_folds(engine: Engine, options: Options) -> tuple[Call, Counts]:
    """Count the rows of a call by stratum and fold, and find the order of strata for `extend`."""
    call = cut_quantiles(engine, engine.bind(options, options.name), options)
    return engine.count(call, salts=[ORDER_SALT])


def read_folds(options: Options, k: int | None, counts: Counts) -> tuple[Options, Ints]:
    """Complete the name and target of a call, and find the part of each counted row."""
    (folds,) = counts.columns["name"]
    name = folds.name  # in the spelling of the frame
    target = target_of(frames.make_frame("pandas", {name: folds}), name, options.target, k)
    return read_target(replace(options, name=name, target=target), k, folds, counts.weights)


def dealt_only(parts: Ints, strata: Strata) -> Ints:
    """Return the parts of the counted rows that are dealt."""
    if strata.dealt.rows is None:
        return parts
    return parts[strata.dealt.rows]
