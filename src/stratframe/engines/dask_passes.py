"""Passes over a Dask frame: count its rows, find the numbers near the cuts, add the columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..checks import load_extra
from ..core.types import Draws, Flags, Ints, Table
from ..errors import StratError
from ..frames import NewColumn, SharedRows
from ..frames.references import EXPRESSIONS
from ..pipeline.options import Options, Target
from ..terms.base import Term
from ..terms.bins import Continuous, Quantiles
from ..terms.classes import Classes, Plain
from .cut_points import MAX_BITS, WORD, cells_of, cut_points, torn_cells, window_cells
from .driver import (
    Counted,
    CountedStrata,
    check_key,
    check_possible,
    counts_by,
    group_counted,
    parents_only,
    parts_of_groups,
    quotas,
    repeated_keys,
    salts,
    stratify_counted,
    with_bins,
)
from .partitions import (
    PartitionCounts,
    add_by_cuts,
    add_by_values,
    add_tables,
    count_numbers,
    count_partition,
    empty_like,
    equal_keys,
    keys_in_range,
    merge_counts,
    merge_keys,
    merge_near,
    part_has_fractions,
    rows_near_cuts,
    stack_parts,
    take_numbers,
    with_categories,
)
from .quantile_cuts import FEW_ROWS, Ranks, first_ranks, narrow, next_bits, points_of, words_at
from .values import CutQuantiles, Plan, StratumIndex, code_columns, stratum_index

dask: Any = load_extra("dask", "dask")
dd: Any = load_extra("dask.dataframe", "dask")

FAN_IN = 8
"""Results of partitions that are merged at once."""

ENGINE = "Dask"

KEYS_AT_ONCE = 1 << 24
"""Keys whose hashes the driver holds at once."""


class CountedCall(NamedTuple):
    """A call whose rows were counted."""

    options: Options
    """With the bins of the counted rows."""
    frame: Any
    """With the columns that are computed for the call."""
    plan: Plan
    """With the cuts of quantiles."""
    counts: PartitionCounts
    found: CountedStrata

    def quotas(self) -> list[Table]:
        """Compute how many rows of each stratum go to each part, for each repeat."""
        lowest = self.counts.lowest if len(self.counts.lowest) else None
        counted = Counted(self.counts.columns, self.counts.sizes, lowest)
        return quotas(self.options, counted, self.found)


def check_dask(frame: object) -> None:
    """Raise unless an object is a Dask frame."""
    if not isinstance(frame, dd.DataFrame):
        msg = f"`frame` must be a Dask frame, got {type(frame).__name__}."
        raise StratError(msg)


def check_call(frame: Any, options: Options, new: Sequence[NewColumn] = ()) -> None:
    """Raise unless a frame has the columns that a call names, and no new one yet."""
    check_dask(frame)
    check_possible(options, ENGINE)
    for argument, refs in options.columns().items():
        for ref in refs:
            check_expression(ref, argument)
    frames.check_all_refs(frame._meta, options.columns(), [column.name for column in new])


def count_call(
    frame: Any,
    options: Options,
    *,
    for_table: bool = False,
    present: tuple[Hashable, ...] = (),
    n_further: int = 0,
) -> CountedCall:
    """Count the rows of a call by stratum.

    Parameters
    ----------
    for_table, present
        As of `Plan`.
    n_further : int
        How many of the last entries are not those of the call: rows that lack them are dealt.
    """
    planned, plan = plan_call(frame, options)
    plan = plan._replace(present=plan.present[: len(plan.by) - n_further])
    if plan.salts and not plan.key:
        planned = fixed_partitions(planned)
    plan = plan._replace(for_table=for_table, present=plan.present + present)
    plan = cut_quantiles(planned, options, plan)
    counts = count_frame(planned, plan)
    options = replace(options, terms=counted_terms(plan, counts))
    nested = replace(options, missing="stratum") if n_further else options
    found = stratify_counted(nested, Counted(counts.columns, counts.sizes), ENGINE)
    return CountedCall(options, planned, plan, counts, found)


def plan_call(frame: Any, options: Options) -> tuple[Any, Plan]:
    """Add the columns that a call computes to a frame, and plan what its workers do."""
    columns = options.columns()
    computed: dict[str, Any] = {}
    labels: dict[str, list[Hashable]] = {argument: [] for argument in columns}
    for argument, refs in columns.items():
        for ref in refs:
            label: Any = ref
            if frames.is_computed(ref):
                label = f"computed {len(computed) + 1}"
                while label in frame.columns:
                    label += "_"
                computed[label] = compute_column(frame, ref, argument)
            labels[argument].append(label)
    plan = Plan(
        options.terms,
        tuple(labels["by"]),
        tuple(labels["key"]),
        labels["where"][0] if labels["where"] else None,
        tuple(salts(options)) if options.target.n else (),
        computed=tuple(computed),
        cut_shares=expected_shares(options.target),
        n_partitions=frame.npartitions,
        present=tuple(labels["by"]) if options.missing == "null" else (),
    )
    return frame.assign(**computed) if computed else frame, plan


def expected_shares(target: Target) -> tuple[float, ...]:
    """List the share of rows before each cut point, where no counts are given."""
    if not target.n or any(isinstance(share, int) for share in target.shares or ()):
        return ()
    return tuple(float(sum(target.fractions(0)[:place])) for place in range(1, target.n))


def check_expression(ref: Any, argument: str) -> None:
    """Raise if a column is computed by an expression of another library."""
    if isinstance(ref, EXPRESSIONS):
        msg = (
            f"`{argument}` takes column names and callables of the frame on Dask frames, got"
            f" {frames.format_reference(ref)}."
        )
        raise StratError(msg)


def compute_column(frame: Any, ref: Any, argument: str) -> Any:
    """Compute a column of a Dask frame by a callable of it."""
    check_expression(ref, argument)
    column = ref(frame)
    if not isinstance(column, dd.Series):
        msg = f"A computed column must be a Dask series, got {type(column).__name__}."
        raise StratError(msg)
    return column


def over_partitions(frame: Any, plan: Plan, function: Callable[..., Any], *args: Any) -> list[Any]:
    """Call a function on the columns of each partition that a call reads."""
    where = [] if plan.where is None else [plan.where]
    filled = [] if plan.filled is None else [plan.filled]
    wanted = list(dict.fromkeys([*plan.by, *plan.key, *where, *plan.present, *filled]))
    call = dask.delayed(function, pure=False)
    return [
        call(part, plan, number, *args) for number, part in enumerate(frame[wanted].to_delayed())
    ]


def merged(results: Sequence[Any], merge: Callable[..., Any], *args: Any) -> Any:
    """Merge the results of partitions in their order, a few at a time, and compute them."""
    call = dask.delayed(merge, pure=False)
    results = [call([result], *args) for result in results] if len(results) == 1 else results
    while len(results) > 1:
        results = [
            call(list(results[start : start + FAN_IN]), *args)
            for start in range(0, len(results), FAN_IN)
        ]
    return results[0].compute()


def count_frame(frame: Any, plan: Plan) -> PartitionCounts:
    """Count the rows of a frame by the values of the stratum columns."""
    counts: PartitionCounts = merged(
        over_partitions(frame, plan, count_partition), merge_counts, plan
    )
    check_key(dict(zip(map(str, plan.key), counts.missing.tolist(), strict=False)))
    if counts.missing[-1]:
        check_key({str(plan.where): int(counts.missing[-1])})
    metas = [frame._meta[name] for name in plan.by]
    return counts._replace(columns=list(map(with_categories, counts.columns, metas)))


def cut_quantiles(frame: Any, options: Options, plan: Plan) -> Plan:
    """Find the cuts of the quantiles of a call, each inside the strata of the entries before."""
    for place, term in enumerate(options.terms):
        if isinstance(term, Quantiles):
            cut = cut_entry(frame, parents_only(options, place), plan.before(place + 1), term)
            terms = [*plan.terms]
            terms[place] = cut
            plan = plan._replace(terms=tuple(terms))
    return plan


def cut_entry(frame: Any, options: Options, plan: Plan, term: Quantiles) -> CutQuantiles:
    """Find the cuts of the last entry of a plan, given the options of those before."""
    parents = plan.before(len(options.terms))
    counts = count_frame(frame, parents)
    found = stratify_counted(
        replace(options, terms=counted_terms(parents, counts)),
        Counted(counts.columns, counts.sizes),
        ENGINE,
    )
    index = stratum_index(counts.columns, found.codes, parents)
    words = order_statistics(frame, plan, index, max(len(found.strata.sizes), 1), term.n)
    return CutQuantiles(term.columns, term.n, term.name, term.warns, index, words)


def order_statistics(frame: Any, plan: Plan, index: StratumIndex, n_strata: int, n: int) -> Draws:
    """Find the quantiles of the last column of a plan in each stratum, as words."""
    shared, n_cells, used = dask.delayed(index), n_strata, 0
    rounds: list[tuple[Ints, int]] = []
    ranks: Ranks | None = None
    while True:
        bits = next_bits(n_cells, used)
        results = over_partitions(frame, plan, count_numbers, shared, rounds, n_cells, bits)
        counts = merged(results, add_tables)
        ranks = first_ranks(counts, n) if ranks is None else ranks
        ranks, cells, n_rows = narrow(ranks, counts)
        rounds, n_cells, used = [*rounds, (cells, bits)], len(cells), used + bits
        if used == WORD:
            return points_of(ranks, ranks.prefixes, n_strata, n)
        if n_rows <= FEW_ROWS or not bits:
            near = merged(over_partitions(frame, plan, take_numbers, shared, rounds), merge_near)
            return points_of(ranks, words_at(ranks, *near[0]), n_strata, n)


def counted_terms(plan: Plan, counts: PartitionCounts) -> tuple[Term, ...]:
    """Give the quantiles among the terms of a plan the bins of the counted rows."""
    codes = code_columns(counts.columns, plan, len(counts.sizes))
    return tuple(
        with_bins(term, coded.codes) if isinstance(term, CutQuantiles) else term
        for term, coded in zip(plan.terms, codes, strict=True)
    )


def find_cuts(
    call: CountedCall, codes: Ints, index: StratumIndex, tables: Sequence[Table]
) -> list[Draws]:
    """Find the cut points of every stratum, for each repeat.

    Parameters
    ----------
    codes : ndarray of int64, shape (n_counted,), range -1..n_strata-1
    tables : sequence of ndarray of int64, shape (n_strata, n_parts)
    """
    cells = [counts_by(codes, each, len(tables[0])) for each in call.counts.cells]
    torn = [torn_cells(*each) for each in zip(cells, tables, strict=True)]
    near = known_rows(call, codes, torn)
    if near is None:
        few = [(np.flatnonzero(flags), len(flags)) for flags in torn]
        shared = [dask.delayed(each) for each in (index, few)]
        results = over_partitions(call.frame, call.plan, rows_near_cuts, *shared)
        near = merged(results, merge_near)
    found = [
        cut_points(counted, table, *rows)
        for counted, table, rows in zip(cells, tables, near, strict=True)
    ]
    if any(len(cuts.torn) for cuts in found):
        raise shared_numbers(call.frame, call.plan, [cuts.torn for cuts in found])
    return [cuts.points for cuts in found]


def without_orders(frame: Any, terms: Sequence[Term]) -> tuple[Term, ...]:
    """Cut continuous entries into bins; others stay as they are."""
    resolved = [
        Continuous(term.columns, term.name)
        if type(term) is Plain and holds_fractions(frame, term.columns[0])
        else term
        for term in terms
    ]
    return tuple(term.without_order() or term for term in resolved)


def known_rows(
    call: CountedCall, codes: Ints, torn: Sequence[Flags]
) -> list[tuple[Ints, Draws]] | None:
    """Take the rows in cells with a cut point from the first pass, if it has all of them.

    Parameters
    ----------
    codes : ndarray of int64, shape (n_counted,), range -1..n_strata-1
    torn : sequence of ndarray of bool, shape (n_strata * 2**bits,)
        Flags these cells, for each repeat.
    """
    if not any(flags.any() for flags in torn):
        return [(np.zeros(0, np.int32), np.zeros(0, np.uint64)) for _ in torn]
    if not call.counts.near:
        return None
    found = []
    for flags, rows in zip(torn, call.counts.near, strict=True):
        dealt = codes >= 0
        widths = np.full(len(flags) >> MAX_BITS, 1 << MAX_BITS, dtype=np.int64)
        np.minimum.at(widths, codes[dealt], rows.widths[dealt])
        if (flags & ~window_cells(widths, call.plan.cut_shares)).any():
            return None
        strata = codes[rows.codes]
        inside = np.flatnonzero(strata >= 0)
        cells = cells_of(strata[inside], rows.numbers[inside], MAX_BITS)
        inside = inside[flags[cells]]
        found.append((strata[inside], rows.numbers[inside]))
    return found


def holds_fractions(frame: Any, ref: Any) -> bool:
    """Return whether a column holds numbers with fractions, which is looked up for floats only."""
    column = compute_column(frame, ref, "by") if frames.is_computed(ref) else frame[ref]
    if not frames.may_hold_fractions(column._meta):
        return False
    call = dask.delayed(part_has_fractions, pure=False)
    found: bool = merged([call(part) for part in column.to_frame().to_delayed()], any)
    return found


def shared_keys(frame: Any, name: str, key: Sequence[Any], *, drop: bool) -> tuple[SharedRows, int]:
    """Count the keys of a frame, those that repeat, and those in several folds, by their hashes.

    Returns
    -------
    shared : SharedRows
    n_without : int
        Rows without a key.
    """
    options = Options(terms=(Classes((name,)),))
    call = count_call(frame, options, present=(name,) if drop else ())
    index = stratum_index(call.counts.columns, call.found.codes, call.plan)
    planned, plan = plan_call(frame, replace(options, key=tuple(key)))
    plan = plan._replace(salts=(0,), present=call.plan.present)
    n_passes = max(1, -(-int(call.counts.sizes.sum()) // KEYS_AT_ONCE))
    found, n_without = [], 0
    for place in range(n_passes):
        low, high = (2**WORD * edge // n_passes for edge in (place, place + 1))
        results = over_partitions(planned, plan, keys_in_range, dask.delayed(index), low, high - 1)
        hashes, folds, n_without = merged(results, merge_keys)
        found.append(frames.count_across_folds([hashes], folds))
    return SharedRows(*(sum(counts) for counts in zip(*found, strict=True))), n_without


def shared_numbers(frame: Any, plan: Plan, torn: Sequence[Draws]) -> StratError:
    """Build the error for keys that repeat where a stratum is cut."""
    keys = merged(over_partitions(frame, plan, equal_keys, torn), stack_parts)
    return repeated_keys([str(name) for name in plan.key], keys)


def attach(
    call: CountedCall, outputs: Sequence[NewColumn], index: StratumIndex, points: Sequence[Draws]
) -> Any:
    """Add the columns, partition by partition, when the frame is computed."""
    frame, plan = call.frame, call.plan
    meta = empty_like(frame._meta, plan, outputs)
    given = (plan, list(outputs), dask.delayed(index), dask.delayed(list(points)))
    if plan.key:
        return dd.map_partitions(add_by_cuts, frame, 0, *given, meta=meta, enforce_metadata=False)
    call_for = dask.delayed(add_by_cuts, pure=False)
    added = [call_for(part, number, *given) for number, part in enumerate(frame.to_delayed())]
    return dd.from_delayed(added, meta=meta, divisions=frame.divisions, verify_meta=False)


def count_groups(
    frame: Any, options: Options, *, for_table: bool = False
) -> tuple[CountedCall, list[Ints]]:
    """Count the rows of a call by stratum and group, and give every group a part.

    Returns
    -------
    call : CountedCall
        Its entries are those of `by`, then those of `groups`.
    parts : list of ndarray of int64, shape (n_counted,), range -1..n_parts-1
        The part of every counted row, for each repeat.
    """
    n_by = len(options.terms)
    groups = tuple(Classes(term.columns) for term in options.groups)
    planned, plan = plan_call(frame, replace(options, terms=options.terms + groups, groups=()))
    plan = plan._replace(salts=(), for_table=for_table)
    plan = cut_quantiles(planned, options, plan)
    counts = count_frame(planned, plan)
    options = replace(options, terms=counted_terms(plan, counts)[:n_by])
    counted = Counted(counts.columns, counts.sizes)
    found = group_counted(options, counted, ENGINE)
    parts = parts_of_groups(options, counted, found)
    rows = CountedStrata(np.arange(len(counts.sizes)), found.strata)
    return CountedCall(options, planned, plan, counts, rows), parts


def attach_parts(
    call: CountedCall, outputs: Sequence[NewColumn], index: StratumIndex, parts: Sequence[Ints]
) -> Any:
    """Add columns of the parts of counted rows, partition by partition."""
    meta = empty_like(call.frame._meta, call.plan, outputs)
    given = (call.plan, list(outputs), dask.delayed(index), dask.delayed(list(parts)))
    return dd.map_partitions(add_by_values, call.frame, *given, meta=meta, enforce_metadata=False)


def fixed_partitions(frame: Any) -> Any:
    """Fix the partitions of a frame, as rows without a key are numbered in them."""
    # Dask joins partitions of files when few columns are read, but not those of its tasks.
    optimized = frame.optimize()
    return dd.from_delayed(
        optimized.to_delayed(optimize_graph=False),
        meta=frame._meta,
        divisions=optimized.divisions,
        verify_meta=False,
    )
