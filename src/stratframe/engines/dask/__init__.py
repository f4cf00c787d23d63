"""The engine for Dask frames. Each partition of a Dask frame is a pandas frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ... import frames
from ...core.strata import distinct_values, sum_by
from ...core.types import Flags, Ints, StratumTable, Words
from ...errors import StratError
from ...frames import NewColumn, SharedRows, columns_to_compare
from ...frames.attach import attach_pandas
from ...frames.labels import flag_times, flag_unshared, flag_values
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
        self.key_counts: dict[tuple[Any, ...], dict[bool, SharedRows]] = {}
        """The results of `shared_keys` from earlier calls, by the columns that were counted."""
        self.value_counts: dict[tuple[Any, ...], tuple[list[Any], Any, Ints]] = {}
        """The results of `count_shared` from earlier calls, by the columns that were counted."""

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
        for argument, columns in refs.items():
            for ref in columns:
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
        terms: tuple[Term, ...] = passes.compute(
            *(resolve([series]) for series in column.to_delayed())
        )
        # A single partition with continuous values makes the whole column continuous.
        return next((each for each in terms if each.orders_rows), terms[0])

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
        labels = Labels(self)
        named = {
            argument: list(map(labels.find, refs)) for argument, refs in options.columns().items()
        }
        entries = [*named["by"], *named["groups"]]
        of_fold: list[Any] = []
        if fold is not None:
            of_fold = [labels.find(fold)]
            if every is not None:
                of_fold = [labels.add(self.periods(fold, every))]
        present: list[Any] = []
        if options.missing == "null":
            present += entries
        if drop:
            present += of_fold
        plan = Plan(
            terms=(*options.terms, *options.groups, *(Classes((name,)) for name in of_fold)),
            names=(*entries, *of_fold),
            n_by=len(options.terms),
            n_groups=len(options.groups),
            key=tuple(named["key"]),
            where=named["where"][0] if named["where"] else None,
            present=tuple(present),
            computed={label: column.name for label, column in labels.computed.items()},
        )
        frame = self.frame
        if labels.computed:
            frame = frame.assign(**labels.computed)
        return DaskCall(frame, plan, Columns(frame[plan.columns]))

    def periods(self, name: str, every: str) -> Any:
        """Compute the start of each row's period from a column of dates or times."""
        column = self.frame[name]
        meta = period_starts(column._meta, every)
        return column.map_partitions(period_starts, every, meta=meta)

    # Counts -----------------------------------------------------------------------------

    def count(
        self, call: DaskCall, *, before: int | None = None, salts: Sequence[int] = ()
    ) -> tuple[DaskCall, Counts]:
        plan = call.plan if before is None else call.plan.before(before)
        plan = plan._replace(salts=tuple(salts), key=plan.key if salts else ())
        call, counted = over_partitions(call, count_partition, merge_counts, plan)
        check_key(zip(plan.key_and_where(), counted.missing.tolist(), strict=True))
        labels = {
            name: series.rename(plan.computed.get(series.name, series.name))
            for name, series in counted.labels.items()
        }
        columns = [labels[str(place)] for place in range(len(plan.names))]
        for place, use in enumerate(plan.uses):
            if not use.is_cut:
                columns[place] = with_categories(columns[place], call.frame._meta[use.name])
        counts = Counts(
            columns=by_argument(columns, plan.n_by, plan.n_groups),
            weights=counted.table["n"].to_numpy(),
            lowest=np.array([counted.table[f"u{i}"].to_numpy() for i in range(len(salts))]),
            lows={i: labels[f"low{i}"] for i in range(plan.n_by) if f"low{i}" in labels},
            native=counted,
        )
        return call._replace(plan=call.plan._replace(salts=plan.salts)), counts

    def cut(self, call: DaskCall, place: int, n: int, parents: CountedCodes) -> DaskCall:
        index = index_of(parents)
        plan = call.plan.before(place + 1)._replace(key=())

        def count(rounds: Sequence[Round], n_cells: int, bits: int) -> Any:
            function = partial(
                passes.count_numbers, index=index, rounds=rounds, n_cells=n_cells, bits=bits
            )
            return over_partitions(call, function, partial(np.sum, axis=0), plan)[1]

        def take(rounds: Sequence[Round]) -> Any:
            function = partial(passes.take_numbers, index=index, rounds=rounds)
            return over_partitions(call, function, passes.join_arrays, plan)[1]

        words = quantile_words(max(parents.n_strata, 1), n, count, take)
        cuts = {**call.plan.cuts, place: (index, words)}
        return call._replace(plan=call.plan._replace(cuts=cuts))

    def around(
        self, call: DaskCall, counted: CountedCodes, salts: Sequence[int], cuts: Sequence[Cuts]
    ) -> list[tuple[Words, Words]]:
        """Find the numbers around cuts. Cells that are split by a cut need an extra pass."""
        index = index_of(counted)
        if call.plan.salts != tuple(salts):
            call, counted = self.count_again(call, counted, index, salts)
        native: Counted = counted.counts.native
        cells = [dense_cells(each, counted, native.bits) for each in native.cells]
        flagged = [split_cells(*each) for each in zip(cells, cuts, strict=True)]
        rows = rows_in_cells(call, index, native, flagged)
        return [
            numbers_around(counts, cuts_of_salt, codes, numbers)
            for counts, cuts_of_salt, (codes, numbers) in zip(cells, cuts, rows, strict=True)
        ]

    def count_again(
        self, call: DaskCall, counted: CountedCodes, index: Any, salts: Sequence[int]
    ) -> tuple[DaskCall, CountedCodes]:
        """Count rows with other salts; raise an error if the strata have other sizes."""
        call, counts = self.count(call, salts=salts)
        codes = find_codes(counts.native.table, index)[0]
        again = CountedCodes(counts, codes, counted.n_strata)
        if not np.array_equal(again.sizes, counted.sizes):
            raise other_rows()
        return call, again

    def keys_at(self, options: Options, salts: Sequence[int], numbers: Sequence[Words]) -> Any:
        function = partial(passes.equal_keys, salts=salts, numbers=numbers)
        call = self.bind(options)
        keys = over_partitions(call, function, pd.concat)[1]
        return keys.rename(columns=call.plan.computed)

    # Equal rows -------------------------------------------------------------------------

    def shared_rows(
        self, refs: Sequence[Any], argument: str, name: str, *, drop: bool
    ) -> SharedRows:
        """Count equal keys, groups or rows across folds; keys are compared by their hashes."""
        if argument == "key":
            key_and_fold = (*refs, name)
            if key_and_fold not in self.key_counts:
                call = self.bind(Options(key=tuple(refs)), name)
                self.key_counts[key_and_fold] = shared_keys(call)
            return self.key_counts[key_and_fold][drop]
        columns, folds, weights = self.count_shared(refs, name)
        if drop:
            weights = weights * ~frames.is_missing(folds)
        counts = Counts({"by": columns, "name": [folds]}, weights)
        return shared_values(counts, nulls_alike=argument == "duplicates")

    def count_shared(self, refs: Sequence[Any], name: str) -> tuple[list[Any], Any, Ints]:
        """Count rows by fold and values of `refs`, or reuse a count with all of these columns."""
        for (*known_refs, known_name), (columns, folds, weights) in self.value_counts.items():
            if known_name == name and set(refs) <= set(known_refs):
                return [columns[known_refs.index(ref)] for ref in refs], folds, weights
        terms = tuple(Classes((ref,)) for ref in refs)
        counts = self.count(self.bind(Options(terms), name))[1]
        (folds,) = counts.columns["name"]
        self.value_counts[*refs, name] = (counts.columns["by"], folds, counts.weights)
        return self.value_counts[*refs, name]

    def leaking_rows(self, refs: Sequence[Any], argument: str, name: str) -> Any:
        if argument == "key":
            call = self.bind(Options(key=tuple(refs)), name, drop=True)
            find_sets = partial(passes.sets_of_keys, plan=call.plan, keys=leaking_keys(call))
        else:
            terms = tuple(Classes((ref,)) for ref in refs)
            call, counts = self.count(self.bind(Options(terms), name, drop=True))
            codes = leaking_sets(counts, nulls_alike=argument == "duplicates")
            find_sets = partial(
                passes.sets_of_rows,
                plan=call.plan,
                index=index_of(CountedCodes(counts, codes, 0)),
                checksums=counts.native.checksums,
            )
        add_sets = partial(
            passes.add_sets,
            find_sets=find_sets,
            check="keys" if argument == "key" else argument,
        )
        marked = self.add_columns(call, lambda meta: meta.assign(check="", set=0), add_sets)
        return DaskEngine(marked).keep_flagged(["set"], passes.has_set)

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
        add_columns = partial(
            passes.add_columns,
            plan=call.plan,
            index=None if counted is None else index_of(counted),
            checksums=None if counted is None else counted.counts.native.checksums,
            outputs=list(outputs),
            parts=list(parts),
            salts=list(salts),
            fill=fill,
        )
        return self.add_columns(call, lambda meta: attach_pandas(meta, list(outputs)), add_columns)

    def add_columns(
        self, call: DaskCall, add_types: Callable[[Any], Any], add: Callable[..., Any]
    ) -> Any:
        """Add columns that `add` computes from the columns of the call in each partition.

        The function `add` also takes `old_labels`, the labels of the columns to which it adds them;
        `add_types` adds columns of their types to a frame without rows.
        """
        labels = self.frame.columns
        # `assign` in Dask needs column labels that are unique and can be sorted.
        if labels.is_unique and all(isinstance(label, str) for label in labels):
            types = add_types(self.frame._meta[[]])
            new = over_rows(call.wanted.frame, types, partial(add, old_labels=[]))
            return self.frame.assign(**{name: new[name] for name in types.columns})
        types = add_types(self.frame._meta)
        return over_rows(call.frame, types, partial(add, old_labels=list(labels)))

    def select(
        self,
        name: str,
        values: Sequence[Any],
        *,
        equal: bool,
        nulls: bool = False,
        drops: bool = False,
    ) -> Any:
        flag = partial(flag_values, name=name, values=values, equal=equal, nulls=nulls)
        rows = self.keep_flagged([name], flag)
        return rows.drop(columns=[name]) if drops else rows

    def select_spans(self, name: str, spans: Sequence[Span], *, nulls: bool = False) -> Any:
        return self.keep_flagged(
            [name], partial(flag_times, name=name, spans=list(spans), nulls=nulls)
        )

    def drop_shared(self, other: Any, values: Mapping[str, Any]) -> Any:  # noqa: ARG002
        return self.keep_flagged(list(values), partial(flag_unshared, values=dict(values)))

    def keep_flagged(self, names: Sequence[Any], flag: Callable[[Any], Flags]) -> Any:
        """Keep the rows that `flag` flags, given the named columns of a partition.

        The flags are a column of their own, so that Dask reads only the named columns and those
        that are chosen of the result.
        """
        meta = pd.Series([], dtype=np.bool_)
        return self.frame[over_rows(self.frame[names], meta, partial(passes.flags_of, flag=flag))]


class Labels:
    """The labels of the columns that a call reads, and the columns that are computed for it."""

    def __init__(self, engine: DaskEngine) -> None:
        self.engine = engine
        self.computed: dict[str, Any] = {}

    def find(self, ref: Any) -> Any:
        """Find the label of a column, which is computed first if `ref` is no name."""
        if frames.is_computed(ref):
            return self.add(self.engine.column(ref))
        return frames.label_of(self.engine.frame._meta, ref)

    def add(self, column: Any) -> str:
        """Choose a label for a computed column that no column of the frame has."""
        label = f"computed {len(self.computed) + 1}"
        while label in self.engine.frame.columns:
            label += "_"
        self.computed[label] = column
        return label


def index_of(counted: CountedCodes) -> Any:
    """Build the index with which `find_codes` looks up strata by the entries of rows."""
    table = counted.counts.native.table
    return make_index(table[table.columns[: table.columns.index("n")]], counted.codes)


def dense_cells(cells: Cells, counted: CountedCodes, bits: int) -> StratumTable:
    """Sum the counts of cells in each stratum; the result has shape (n_strata, 2**bits)."""
    cell, n = cells
    strata = counted.codes[cell >> bits]
    is_dealt = strata >= 0
    leading = cell[is_dealt] & ((1 << bits) - 1)
    cell_in_stratum = strata[is_dealt] << bits | leading
    sums = sum_by(cell_in_stratum, n[is_dealt], counted.n_strata << bits)
    return sums.reshape(counted.n_strata, 1 << bits)


def rows_in_cells(
    call: DaskCall, index: Any, native: Counted, flagged: Sequence[Flags]
) -> list[tuple[Ints, Words]]:
    """For each salt, collect the strata and the numbers of the rows in flagged cells."""
    if not any(is_split.any() for is_split in flagged):
        return [(np.zeros(0, np.int32), np.zeros(0, np.uint64)) for _ in flagged]
    assert native.checksums is not None
    function = partial(
        passes.rows_near_cuts,
        index=index,
        checksums=native.checksums,
        flagged=[np.packbits(is_split) for is_split in flagged],
        bits=native.bits,
    )
    rows: list[tuple[Ints, Words]] = over_partitions(call, function, passes.merge_near)[1]
    return rows


def shared_keys(call: DaskCall) -> dict[bool, SharedRows]:
    """Count equal keys across folds; the item for True leaves out rows without a fold."""
    count = frames.duplicates.count_across_folds
    counts: dict[bool, list[Any]] = {True: [], False: []}
    for hashes, folds in passes.keys_and_folds(call):
        counts[False].append(count(columns_to_compare([hashes]), folds)[:4])
        has_fold = folds >= 0
        dealt = columns_to_compare([hashes[has_fold]])
        counts[True].append(count(dealt, folds[has_fold])[:4])
    return {drop: SharedRows(*np.sum(each, axis=0).tolist()) for drop, each in counts.items()}


def leaking_keys(call: DaskCall) -> Words:
    """Find the hashes of keys that occur in several folds, in ascending order."""
    hashes_across = []
    for hashes, folds in passes.keys_and_folds(call):
        rows = frames.duplicates.rows_across_folds(columns_to_compare([hashes]), folds)[0]
        hashes_across.append(hashes[rows])
    return distinct_values(np.concatenate(hashes_across))


def with_categories(series: Any, meta: Any) -> Any:
    """Restore the categories of a column, if they are known and include all values."""
    dtype = meta.dtype
    if not isinstance(dtype, pd.CategoricalDtype) or not dd.utils.has_known_categories(meta):
        return series
    is_known = series.isin(dtype.categories) | series.isna()
    return series.astype(dtype) if is_known.all() else series
