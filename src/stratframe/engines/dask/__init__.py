"""The engine for Dask frames, whose partitions are pandas frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ... import frames
from ...core.types import StratumTable, Words
from ...errors import StratError
from ...frames import NewColumn, SharedRows
from ...frames.references import EXPRESSIONS
from ...pipeline.options import Options
from ...terms.base import Term
from ...terms.classes import Classes
from ..base import CountedCodes, Counts, PartsByNumber, by_argument
from ..counted import leaking_sets, shared_values
from ..cuts import NearCuts, counts_by, near_cells, other_rows, split_intervals
from .partitions import add_columns, empty_like, equal_keys, merge_near, rows_near_cuts
from .passes import (
    DaskCall,
    count_frame,
    counted_partitions,
    dask,
    dd,
    keys_and_folds,
    leaks_lazily,
    merged,
    order_statistics,
    over_partitions,
)
from .types import Use
from .values import DASK, Plan, QuantileCuts, cuts_numbers, find_strata, stratum_index


class DaskEngine:
    """The engine of a Dask frame."""

    name = DASK

    def __init__(self, frame: Any) -> None:
        if not isinstance(frame, dd.DataFrame):
            msg = f"`frame` must be a Dask frame, got {type(frame).__name__}."
            raise StratError(msg)
        self.frame = frame

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
                refuse_expression(ref, argument)
        named = {argument: list(given) for argument, given in refs.items()}
        frames.check_refs(self.frame._meta, named, new_names, overwrite=overwrite)

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
        of_fold: list[Any] = [] if fold is None else [fold]
        if fold is not None and every is not None:
            starts, column = frames.folds.period_starts, self.frame[fold]
            meta = starts(column._meta, every)
            of_fold = [add(column.map_partitions(starts, every, meta=meta))]
        terms = (*options.terms, *options.groups, *(Classes((name,)) for name in of_fold))
        entries = [*named["by"], *named["groups"]]
        uses = map(Use, entries + of_fold, map(cuts_numbers, terms))
        plan = Plan(
            terms,
            (*uses, *(Use(name, is_key=True) for name in named["key"])),
            len(options.terms),
            len(options.groups),
            tuple(named["key"]),
            named["where"][0] if named["where"] else None,
            computed=tuple(computed),
            present=(*(entries if options.missing == "null" else ()), *(of_fold if drop else ())),
        )
        return DaskCall(self.frame.assign(**computed) if computed else self.frame, plan)

    # Counts -----------------------------------------------------------------------------

    def count(
        self,
        call: DaskCall,
        *,
        before: int | None = None,
        salts: Sequence[int] = (),
        for_table: bool = False,
    ) -> tuple[DaskCall, Counts]:
        plan = call.plan if before is None else call.plan.before(before)
        plan = plan._replace(salts=tuple(salts), for_table=for_table)
        found, floats = count_frame(call.frame, plan if salts else plan._replace(key=()))
        columns = by_argument(found.columns, plan.n_by, plan.n_groups)
        known = call.plan._replace(salts=plan.salts, floats=floats)
        return call._replace(plan=known), Counts(columns, found.sizes, found.lowest, found)

    def cut(self, call: DaskCall, place: int, n: int, parents: CountedCodes) -> DaskCall:
        plan = call.plan
        index = stratum_index(parents.counts.native.columns, parents.codes, plan.before(place))
        n_strata = max(parents.n_strata, 1)
        words = order_statistics(call.frame, plan.before(place + 1), index, n_strata, n)
        cuts = {**plan.cuts, place: QuantileCuts(index, words)}
        return call._replace(plan=plan._replace(cuts=cuts))

    def recount(
        self, call: DaskCall, counted: CountedCodes, salts: Sequence[int]
    ) -> tuple[DaskCall, CountedCodes]:
        """Count the rows without a fold again, in the strata that are already known."""
        index = stratum_index(counted.counts.native.columns, counted.codes, call.plan)
        call = call._replace(plan=call.plan._replace(filled=call.plan.by[-1]))
        call, counts = self.count(call, salts=salts)
        codes = find_strata(counts.native.columns, index, call.plan, len(counts.weights))
        found = CountedCodes(counts, codes, counted.n_strata)
        if not np.array_equal(found.sizes, counted.sizes):
            raise other_rows()
        return call, found

    def near_cuts(
        self, call: DaskCall, counted: CountedCodes, tables: Sequence[StratumTable]
    ) -> list[NearCuts]:
        """Find the rows in cells that a cut splits; this takes a pass if there are any."""
        counts, codes = counted.counts.native, counted.codes
        cells = [counts_by(codes, each, counted.n_strata) for each in counts.cells]
        flagged = [split_intervals(*each) for each in zip(cells, tables, strict=True)]
        near = [(np.zeros(0, np.int32), np.zeros(0, np.uint64)) for _ in cells]
        if any(flags.any() for flags in flagged):
            index = stratum_index(counts.columns, codes, call.plan)
            packed = [np.packbits(flags) for flags in flagged]
            found = (rows_near_cuts, index, packed, cells[0].shape[1].bit_length() - 1)
            results = over_partitions(call.frame, call.plan, *found, own=counts.checksums)
            near = merged(results, merge_near)
        return [near_cells(each, *rows) for each, rows in zip(cells, near, strict=True)]

    def keys_at(self, call: DaskCall, numbers: Sequence[Words]) -> Any:
        return merged(over_partitions(call.frame, call.plan, equal_keys, numbers), pd.concat)

    def shared_rows(
        self, refs: Sequence[Any], argument: str, name: str, *, drop: bool
    ) -> SharedRows:
        """Count what rows share across folds; keys are compared by hashes, all else by values."""
        call, counts = self.count_shared(refs, argument, name, drop=drop)
        if argument != "key":
            return shared_values(counts, nulls_alike=argument == "duplicates")
        found = [
            frames.duplicates.count_across_folds([hashes], folds)
            for hashes, folds in keys_and_folds(call, counts)
        ]
        return SharedRows(*np.sum([each[:4] for each in found], axis=0).tolist())

    def leaking_rows(self, refs: Sequence[Any], argument: str, name: str) -> Any:
        call, counts = self.count_shared(refs, argument, name, drop=True)
        if argument != "key":
            sets = leaking_sets(counts, nulls_alike=argument == "duplicates")
            index = stratum_index(counts.native.columns, sets, call.plan)
            return leaks_lazily(call, counts.native, argument, index)
        split = [
            hashes[frames.duplicates.rows_across_folds([hashes], folds)[0]]
            for hashes, folds in keys_and_folds(call, counts)
        ]
        return leaks_lazily(call, counts.native, "keys", np.unique(np.concatenate(split)))

    def count_shared(
        self, refs: Sequence[Any], argument: str, name: str, *, drop: bool
    ) -> tuple[DaskCall, Counts]:
        """Count rows by their fold and by what they may share, or for keys by their fold alone."""
        is_key = argument == "key"
        terms = () if is_key else tuple(Classes((ref,)) for ref in refs)
        options = Options(terms=terms, key=tuple(refs) if is_key else ())
        return self.count(self.bind(options, name, drop=drop))

    # Results ----------------------------------------------------------------------------

    def attach(
        self,
        call: DaskCall,
        counted: CountedCodes | None,
        outputs: Sequence[NewColumn],
        parts: Sequence[PartsByNumber],
        salts: Sequence[int] = (),
    ) -> Any:
        """Add the columns, partition by partition, when the frame is computed."""
        new, meta = list(outputs), empty_like(call.frame._meta, call.plan, outputs)
        if counted is not None:
            counts = counted.counts.native
            index = stratum_index(counts.columns, counted.codes, call.plan)
            return counted_partitions(call, counts, add_columns, meta, new, index, list(parts))
        given = (call.plan._replace(salts=tuple(salts)), None, new, None, list(parts))
        return call.frame.map_partitions(add_columns, *given, meta=meta, enforce_metadata=False)

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
        how: dict[str, Any] = {"name": name, "values": values, "equal": equal, "nulls": nulls}
        kept = self.over_rows(partial(frames.select.filter_values, every=every, **how))
        return kept.drop(columns=[name]) if drops else kept

    def drop_shared(self, other: Any, values: Mapping[str, Any]) -> Any:  # noqa: ARG002
        """Look the values up in every partition."""
        return self.over_rows(partial(frames.select.drop_values, values=dict(values)))

    def over_rows(self, keep: Callable[[Any], Any]) -> Any:
        # All arguments are bound in the function: if Dask passes keywords on, it takes two frames
        # for one when only the values of two keywords are swapped.
        return self.frame.map_partitions(keep, meta=self.frame._meta, enforce_metadata=False)


def refuse_expression(ref: Any, argument: str) -> None:
    """Raise if a column is computed by an expression of another library."""
    if isinstance(ref, EXPRESSIONS):
        msg = (
            f"`{argument}` takes column names and callables of the frame on Dask frames, got"
            f" {frames.format_reference(ref)}."
        )
        raise StratError(msg)
