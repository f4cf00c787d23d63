"""The engine for Dask frames. Each partition of a Dask frame is a pandas frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ... import frames
from ...core.strata import sum_by
from ...core.types import Ints, StratumTable, Words
from ...errors import StratError
from ...frames import NewColumn, SharedRows
from ...frames.attach import attach_pandas
from ...frames.labels import drop_values, filter_spans, filter_values
from ...frames.periods import Span, period_starts
from ...frames.references import EXPRESSIONS
from ...pipeline.options import Options
from ...terms.base import Term
from ...terms.classes import Classes
from ..base import Engine, check_key, other_rows
from ..cells import numbers_around, split_cells
from ..counts import CountedCodes, Counts, Cuts, PartsByNumber, by_argument
from ..quantiles import Round, quantile_words
from ..shared import leaking_sets, shared_values
from . import passes
from .alike import Cells, Counted, count_partition, merge_counts
from .passes import Columns, DaskCall, dask, dd, over_partitions, over_rows
from .rows import DASK, Plan, find_codes, make_index


class DaskEngine(Engine):
    """The engine for a Dask frame."""

    name = DASK

    def __init__(self, frame: Any) -> None:
        if not isinstance(frame, dd.DataFrame):
            msg = f"`frame` must be a Dask frame, got {type(frame).__name__}."
            raise StratError(msg)
        self.frame = frame
        self.shared: dict[Any, Any] = {}
        """Counts from earlier calls of `shared_rows`, by the columns that were counted."""

    def empty(self) -> Any:
        return self.frame._meta

    # Columns ----------------------------------------------------------------------------

    def check(
        self,
        refs: Mapping[str, Sequence[Any]],
        new_names: Sequence[str] = (),
        *,
        overwrite: bool = False,
    ) -> None:
        for argument, given in refs.items():
            for ref in given:
                if isinstance(ref, EXPRESSIONS):
                    msg = (
                        f"`{argument}` takes column names and callables that take a Dask"
                        f" frame, got {frames.format_reference(ref)}."
                    )
                    raise StratError(msg)
        super().check(refs, new_names, overwrite=overwrite)

    def resolve(self, term: Term) -> Term:
        column = self.column(term.columns[0])
        dtype = frames.dtypes.dtype_of(column._meta)
        if not (dtype.is_float() or dtype.is_decimal() or column._meta.dtype == object):
            return term.resolve([column._meta])
        resolve = dask.delayed(term.resolve, pure=False)
        found: tuple[Term, ...] = dask.compute(
            *(resolve([series]) for series in column.to_delayed())
        )
        # A single partition with continuous values makes the whole column continuous.
        return next((each for each in found if each.orders_rows), found[0])

    def column(self, ref: Any) -> Any:
        if not frames.is_computed(ref):
            return self.frame[frames.label_of(self.frame._meta, ref)]
        column = ref(self.frame)
        if not isinstance(column, dd.Series):
            msg = f"A computed column must be a Dask series, got {type(column).__name__}."
            raise StratError(msg)
        return column

    def bind(
        self,
        options: Options,
        fold: str | None = None,
        every: str | None = None,
        *,
        drop: bool = False,
    ) -> DaskCall:
        computed: dict[Any, Any] = {}

        def label_of(ref: Any) -> Any:
            is_named = not frames.is_computed(ref)
            return frames.label_of(self.frame._meta, ref) if is_named else add(self.column(ref))

        def add(column: Any) -> str:
            label = f"computed {len(computed) + 1}"
            while label in self.frame.columns:
                label += "_"
            computed[label] = column
            return label

        named = {
            argument: [label_of(ref) for ref in refs]
            for argument, refs in options.columns().items()
        }
        of_fold: list[Any] = [] if fold is None else [label_of(fold)]
        if fold is not None and every is not None:
            column = self.frame[fold]
            meta = period_starts(column._meta, every)
            of_fold = [add(column.map_partitions(period_starts, every, meta=meta))]
        entries = [*named["by"], *named["groups"]]
        plan = Plan(
            (*options.terms, *options.groups, *(Classes((name,)) for name in of_fold)),
            (*entries, *of_fold),
            len(options.terms),
            len(options.groups),
            tuple(named["key"]),
            named["where"][0] if named["where"] else None,
            (*(entries if options.missing == "null" else ()), *(of_fold if drop else ())),
        )
        frame = self.frame.assign(**computed) if computed else self.frame
        return DaskCall(frame, plan, Columns(frame[plan.columns]))

    # Counts -----------------------------------------------------------------------------

    def count(
        self, call: DaskCall, *, before: int | None = None, salts: Sequence[int] = ()
    ) -> tuple[DaskCall, Counts]:
        plan = call.plan if before is None else call.plan.before(before)
        plan = plan._replace(salts=tuple(salts), key=plan.key if salts else ())
        call, found = over_partitions(call, count_partition, merge_counts, plan)
        check_key(zip(map(str, [*plan.key, plan.where]), found.missing.tolist(), strict=True))
        columns = [found.labels[str(place)] for place in range(len(plan.names))]
        for place, use in enumerate(plan.uses):
            if not use.is_cut:
                columns[place] = with_categories(columns[place], call.frame._meta[use.name])
        lows = {i: found.labels[f"low{i}"] for i in range(plan.n_by) if f"low{i}" in found.labels}
        lowest = np.array([found.table[f"u{i}"].to_numpy() for i in range(len(salts))])
        counts = by_argument(columns, plan.n_by, plan.n_groups), found.table["n"].to_numpy()
        call = call._replace(plan=call.plan._replace(salts=plan.salts))
        return call, Counts(*counts, lowest, lows, found)

    def cut(self, call: DaskCall, place: int, n: int, parents: CountedCodes) -> DaskCall:
        plan = call.plan
        index, own = index_of(parents), plan.before(place + 1)._replace(key=())

        def count(rounds: Sequence[Round], n_cells: int, bits: int) -> Any:
            given = {"index": index, "rounds": rounds, "n_cells": n_cells, "bits": bits}
            add = partial(np.sum, axis=0)
            return over_partitions(call, partial(passes.count_numbers, **given), add, own)[1]

        def take(rounds: Sequence[Round]) -> Any:
            function = partial(passes.take_numbers, index=index, rounds=rounds)
            return over_partitions(call, function, passes.join_arrays, own)[1]

        words = quantile_words(max(parents.n_strata, 1), n, count, take)
        return call._replace(plan=plan._replace(cuts={**plan.cuts, place: (index, words)}))

    def around(
        self, call: DaskCall, counted: CountedCodes, salts: Sequence[int], cuts: Sequence[Cuts]
    ) -> list[tuple[Words, Words]]:
        """Find the numbers around cuts. Cells that are split by a cut need an extra pass."""
        index, n_strata = index_of(counted), counted.n_strata
        if call.plan.salts != tuple(salts):
            call, counts = self.count(call, salts=salts)
            codes = find_codes(counts.native.table, index)[0]
            if not np.array_equal(CountedCodes(counts, codes, n_strata).sizes, counted.sizes):
                raise other_rows()
            counted = CountedCodes(counts, codes, n_strata)
        native: Counted = counted.counts.native
        cells = [dense_cells(each, counted, native.bits) for each in native.cells]
        flagged = [split_cells(*each) for each in zip(cells, cuts, strict=True)]
        near = [(np.zeros(0, np.int32), np.zeros(0, np.uint64)) for _ in cells]
        if any(flags.any() for flags in flagged):
            given = {"index": index, "checksums": native.checksums, "bits": native.bits}
            packed = [np.packbits(flags) for flags in flagged]
            function = partial(passes.rows_near_cuts, flagged=packed, **given)
            near = over_partitions(call, function, passes.merge_near)[1]
        found = zip(cells, cuts, near, strict=True)
        return [numbers_around(counts, each, *rows) for counts, each, rows in found]

    def keys_at(self, options: Options, salts: Sequence[int], numbers: Sequence[Words]) -> Any:
        function = partial(passes.equal_keys, salts=salts, numbers=numbers)
        return over_partitions(self.bind(options), function, pd.concat)[1]

    # Equal rows -------------------------------------------------------------------------

    def shared_rows(
        self, refs: Sequence[Any], argument: str, name: str, *, drop: bool
    ) -> SharedRows:
        """Count equal keys, groups or rows across folds; keys are compared by their hashes."""
        if argument == "key":
            asked = ("key", *refs, name)
            if asked not in self.shared:
                self.shared[asked] = shared_keys(self.bind(Options(key=tuple(refs)), name))
            shared: SharedRows = self.shared[asked][drop]
            return shared
        columns, folds, weights = self.count_shared(refs, name)
        kept = ~frames.is_missing(folds) if drop else True
        counts = Counts({"by": columns, "name": [folds]}, weights * kept)
        return shared_values(counts, nulls_alike=argument == "duplicates")

    def count_shared(self, refs: Sequence[Any], name: str) -> tuple[list[Any], Any, Ints]:
        """Count rows by fold and values of `refs`, or reuse a count with all of these columns."""
        for known, (columns, *others) in self.shared.items():
            if known[0] == "values" and known[-1] == name and set(refs) <= set(known[1:-1]):
                return [columns[known.index(ref) - 1] for ref in refs], *others
        terms = tuple(Classes((ref,)) for ref in refs)
        counts = self.count(self.bind(Options(terms), name))[1]
        found = counts.columns["by"], counts.columns["name"][0], counts.weights
        self.shared["values", *refs, name] = found
        return found

    def leaking_rows(self, refs: Sequence[Any], argument: str, name: str) -> Any:
        if argument == "key":
            call, checksums = self.bind(Options(key=tuple(refs)), name, drop=True), None
            find = frames.duplicates.rows_across_folds
            split = [keys[find([keys], folds)[0]] for keys, folds in passes.keys_and_folds(call)]
            sets: Any = np.unique(np.concatenate(split))
        else:
            terms = tuple(Classes((ref,)) for ref in refs)
            call, counts = self.count(self.bind(Options(terms), name, drop=True))
            codes = leaking_sets(counts, nulls_alike=argument == "duplicates")
            sets = index_of(CountedCodes(counts, codes, 0))
            checksums = counts.native.checksums
        meta = call.frame._meta.assign(check="", set=0)
        given = {"plan": call.plan, "sets": sets, "checksums": checksums}
        check = "keys" if argument == "key" else argument
        found = over_rows(call.frame, meta, passes.rows_of_sets, check=check, **given)
        # The repr of a Dask frame fails if an operand is an index or an array.
        return found.drop(columns=list(call.frame.columns[len(self.frame.columns) :]))

    # Results ----------------------------------------------------------------------------

    def attach(
        self,
        call: DaskCall,
        counted: CountedCodes | None,
        outputs: Sequence[NewColumn],
        parts: Sequence[PartsByNumber],
        salts: Sequence[int] = (),
        *,
        fill: bool = False,
    ) -> Any:
        """Add the columns when the frame is computed, reading only the columns of the call."""
        labels, meta, rows = self.frame.columns, self.frame._meta, call.wanted.frame
        # `assign` in Dask needs column labels that are unique and can be sorted.
        can_assign = labels.is_unique and all(isinstance(label, str) for label in labels)
        given: dict[str, Any] = {"plan": call.plan, "parts": list(parts), "salts": list(salts)}
        given |= {"index": None, "checksums": None, "outputs": list(outputs), "fill": fill}
        if counted is not None:
            given |= {"index": index_of(counted), "checksums": counted.counts.native.checksums}
        if not can_assign:
            meta = attach_pandas(meta, list(outputs))
            return over_rows(call.frame, meta, passes.add_columns, kept=list(labels), **given)
        meta = attach_pandas(meta[[]], list(outputs))
        new = over_rows(rows, meta, passes.add_columns, kept=[], **given)
        return self.frame.assign(**{output.name: new[output.name] for output in outputs})

    def select(
        self,
        name: str,
        values: Sequence[Any],
        *,
        equal: bool,
        nulls: bool = False,
        drops: bool = False,
    ) -> Any:
        how: dict[str, Any] = {"name": name, "values": values, "equal": equal, "nulls": nulls}
        kept = over_rows(self.frame, self.frame._meta, filter_values, **how)
        return kept.drop(columns=[name]) if drops else kept

    def select_spans(self, name: str, spans: Sequence[Span], *, nulls: bool = False) -> Any:
        how: dict[str, Any] = {"name": name, "spans": list(spans), "nulls": nulls}
        return over_rows(self.frame, self.frame._meta, filter_spans, **how)

    def drop_shared(self, other: Any, values: Mapping[str, Any]) -> Any:  # noqa: ARG002
        return over_rows(self.frame, self.frame._meta, drop_values, values=dict(values))


def index_of(counted: CountedCodes) -> Any:
    """Build the index with which `find_codes` looks up strata by the entries of rows."""
    table = counted.counts.native.table
    return make_index(table[table.columns[: table.columns.index("n")]], counted.codes)


def dense_cells(cells: Cells, counted: CountedCodes, bits: int) -> StratumTable:
    """Sum the counts of cells in each stratum; the result has shape (n_strata, 2**bits)."""
    (cell, n), n_cells = cells, counted.n_strata << bits
    strata = counted.codes[cell >> bits]
    dealt = strata >= 0
    own = strata[dealt] << bits | cell[dealt] & ((1 << bits) - 1)
    return sum_by(own, n[dealt], n_cells).reshape(counted.n_strata, 1 << bits)


def shared_keys(call: DaskCall) -> dict[bool, SharedRows]:
    """Count equal keys across folds; the item for True leaves out rows without a fold."""
    count = frames.duplicates.count_across_folds
    found: dict[bool, list[Any]] = {True: [], False: []}
    for hashes, folds in passes.keys_and_folds(call):
        found[False].append(count([hashes], folds)[:4])
        has_fold = folds >= 0
        found[True].append(count([hashes[has_fold]], folds[has_fold])[:4])
    return {drop: SharedRows(*np.sum(each, axis=0).tolist()) for drop, each in found.items()}


def with_categories(series: Any, meta: Any) -> Any:
    """Restore the categories of a column, if they are known and include all values."""
    dtype = meta.dtype
    if not isinstance(dtype, pd.CategoricalDtype) or not dd.utils.has_known_categories(meta):
        return series
    known = series.isin(dtype.categories) | series.isna()
    return series.astype(dtype) if known.all() else series
