"""Strata and quotas that are computed from counted rows.

An engine counts the rows with each combination of values. This module treats each combination as a
row with a weight, so that the pipeline can nest counted rows as it nests other rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..core.strata import lowest_words
from ..core.types import Flags, Ints, StratumTable, Words
from ..errors import StratError, plural
from ..pipeline.check_data import UNIQUE_KEY_HINT
from ..pipeline.deals import deal_units, quota_table
from ..pipeline.nest import Strata, place_rows
from ..pipeline.options import Options, Rare
from ..pipeline.random_numbers import row_streams
from ..pipeline.stratify import stratify
from ..terms.base import ByQuantiles, Term
from .base import Call, Engine, check_possible, check_term
from .counts import HIGHEST_WORD, CountedCodes, Counts, Cuts


class CountedStrata(NamedTuple):
    """Counted rows and their strata."""

    counts: Counts
    strata: Strata

    @property
    def coded(self) -> CountedCodes:
        codes = place_rows(self.strata.codes, self.strata.dealt.rows, len(self.counts.weights))
        return CountedCodes(self.counts, codes, len(self.strata.sizes))


def count_strata(
    engine: Engine, call: Call, options: Options, *, for_table: bool = False
) -> tuple[Call, CountedStrata]:
    """Cut entries at quantiles, count the rows of a call, and nest the counted rows into strata.

    With `for_table`, the lowest value in each bin is added, because tables show the ranges of bins.
    """
    call = cut_quantiles(engine, call, options)
    salts: list[int] = []
    if options.target.n and not options.groups:
        salts = order_salts(options)
    call, counts = engine.count(call, salts=salts)
    if for_table:
        counts = with_lows(counts)
    return call, nest_counts(engine, options, counts)


def order_salts(options: Options) -> list[int]:
    """Draw a salt for the row numbers of each repeat."""
    return [int(row_streams(options, each)[0](1)[0]) for each in range(options.repeats)]


def with_lows(counts: Counts) -> Counts:
    """Add counted rows with weight 0 for the lowest values in bins; convert columns to pandas."""
    stack = frames.libraries.stack
    if not counts.lows:
        columns = {
            argument: [stack([series]) for series in several]
            for argument, several in counts.columns.items()
        }
        return counts._replace(columns=columns)
    columns = {}
    for argument, several in counts.columns.items():
        lows = several
        if argument == "by":
            lows = [counts.lows.get(place, series) for place, series in enumerate(several)]
        columns[argument] = [stack(pair) for pair in zip(several, lows, strict=True)]
    weights = np.append(counts.weights, np.zeros_like(counts.weights))
    lowest = None if counts.lowest is None else np.tile(counts.lowest, 2)
    return counts._replace(columns=columns, weights=weights, lowest=lowest)


def nest_counts(engine: Engine, options: Options, counts: Counts) -> CountedStrata:
    check_counted(engine, options, counts)
    strata = stratify(options, counts.columns, len(counts.weights), counts.weights)
    return CountedStrata(counts, strata)


def check_counted(engine: Engine, options: Options, counts: Counts) -> None:
    """Raise an error if an entry is continuous, or if rows without a group are counted together."""
    for place, (term, series) in enumerate(zip(options.terms, counts.columns["by"], strict=True)):
        check_term(term.resolve([series]), engine.name)
        if place in counts.lows and any(rule.finite for rule in term.rules(options.missing)):
            check_finite([series, counts.lows[place]])
    if not options.groups or options.missing != "stratum":
        return
    if any(frames.is_missing(series).any() for series in counts.columns["groups"]):
        msg = (
            f"`groups` must have no missing values on {engine.name} frames, where rows without a"
            ' group are counted together.\nHint: fill the missing values, or use `missing="null"`'
            " in `kfold`, which leaves the folds of these rows null."
        )
        raise StratError(msg)


def check_finite(ends: Sequence[Any]) -> None:
    """Raise an error if a bin has an infinite value; its rows are not counted by value."""
    for series in ends:
        values, missing = frames.read_numbers(series, "")
        if not np.isfinite(values[~missing]).all():
            msg = f"Column {series.name!r} {frames.rules.HAS_INFINITE}."
            raise StratError(msg)


def cut_quantiles(engine: Engine, call: Call, options: Options) -> Call:
    """Cut each quantile entry inside the strata of the entries before it."""
    for place, term in enumerate(options.terms):
        alike = term.counted_by()
        if isinstance(alike, ByQuantiles):
            call, counts = engine.count(call, before=place)
            parents = nest_counts(engine, parents_only(engine, options, place), counts)
            call = engine.cut(call, place, alike.n, parents.coded)
    return call


def parents_only(engine: Engine, options: Options, place: int) -> Options:
    """Restrict a call to its first `place` entries; the next entry is cut inside their strata."""
    if options.groups and place and options.rare in ("null", "pool"):
        msg = (
            f"`rare={options.rare!r}` cannot be combined with `groups` and quantiles inside the"
            f" strata of earlier entries on {engine.name} frames."
        )
        raise StratError(msg)
    rare: Rare = "ignore"
    if options.rare in ("null", "pool"):
        rare = options.rare
    return replace(options, terms=options.terms[:place], groups=(), rare=rare)


def resolve_terms(engine: Engine, options: Options, cut: Callable[[Term], Term]) -> Options:
    """Resolve the entries of a call, and replace each continuous entry with bins by `cut`."""
    # An engine resolves entries of one column only, so others are refused before.
    check_possible(replace(options, terms=tuple(map(cut, options.terms))), engine.name)
    resolved = tuple(cut(engine.resolve(term)) for term in options.terms)
    options = replace(options, terms=resolved)
    check_possible(options, engine.name)
    return options


def without_orders(engine: Engine, options: Options) -> Options:
    """Resolve the entries of a call, and replace each continuous entry with ten bins."""
    return resolve_terms(engine, options, lambda term: term.without_order() or term)


# Quotas ----------------------------------------------------------------------------------


def list_quotas(options: Options, counted: CountedStrata) -> list[StratumTable]:
    return [
        quota_table(options, counted.strata, repeat, words)
        for repeat, words in enumerate(lowest_of_strata(counted))
    ]


def lowest_of_strata(counted: CountedStrata) -> list[Words]:
    """For each salt, find the lowest row number in each stratum."""
    strata = counted.strata
    lowest = counted.counts.lowest
    assert lowest is not None
    if strata.dealt.rows is not None:
        lowest = lowest[:, strata.dealt.rows]
    return [lowest_words(strata.codes, len(strata.sizes), words) for words in lowest]


def parts_of_groups(options: Options, counted: CountedStrata) -> list[Ints]:
    """Deal whole groups in each repeat; return the part of each counted row, or -1 if not dealt."""
    strata = counted.strata
    n_counted = len(counted.counts.weights)
    return [
        place_rows(deal_units(options, strata, repeat), strata.dealt.rows, n_counted)
        for repeat in range(options.repeats)
    ]


# Cuts ------------------------------------------------------------------------------------
#
# The rows of a stratum are ranked by their numbers. The first rows go to part 0 until its quota is
# reached, the next rows go to part 1, and so on. The part of a row is thus the number of cut points
# in its stratum that are at most the row's number. The function `deal_by_rank` in core/deal.py
# gives the same parts to rows in memory, as tests/engines/test_engines.py checks.


def rows_before_cuts(table: StratumTable) -> tuple[Ints, Flags]:
    """Count the rows before cuts, and flag inner cuts; both have shape (n_strata, n_parts - 1)."""
    before = np.cumsum(table, axis=1)[:, :-1]
    return before, (before > 0) & (before < table.sum(axis=1)[:, None])


def list_cuts(table: StratumTable) -> Cuts:
    """List the cuts that have rows on both sides."""
    before, is_inner = rows_before_cuts(table)
    return Cuts(np.nonzero(is_inner)[0], before[is_inner])


def cut_points(table: StratumTable, after: Words) -> Words:
    """Complete the cut points of every stratum; `after` has the points with rows on both sides.

    The result has shape (n_strata, n_parts - 1) and is nondecreasing along the parts.
    """
    before, is_inner = rows_before_cuts(table)
    points = np.where(before > 0, HIGHEST_WORD, np.uint64(0))
    points[is_inner] = after
    return points


def repeated_key_error(names: Sequence[str], failures: Any) -> StratError:
    texts = ", ".join(map(repr, names))
    n_rows = plural(len(failures), "row")
    msg = (
        f"`key` ({texts}) must identify each row, but repeats in {n_rows}.\nHint: {UNIQUE_KEY_HINT}"
    )
    return StratError(msg, failures)
