"""The strata of counted rows, and how many rows of each stratum every part gets.

An engine counts the rows that are alike. Here each count is one row that stands for as many rows as
were counted, and the pipeline nests such rows like any other rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..core.strata import lowest_words
from ..core.types import Flags, Ints, StratumTable, Words
from ..errors import StratError, plural
from ..pipeline.check_data import UNIQUE_KEY_HINT
from ..pipeline.nest import Strata, stratify
from ..pipeline.options import Options, Rare
from ..pipeline.parts import deal_units, place_rows, quota_table
from ..pipeline.random_numbers import row_streams
from ..terms.base import ByQuantiles
from .base import Call, Engine, check_term
from .counts import HIGHEST_WORD, CountedCodes, Counts, Cuts


class CountedStrata(NamedTuple):
    """Counted rows and their strata."""

    counts: Counts
    strata: Strata

    @property
    def coded(self) -> CountedCodes:
        codes = place_rows(self.strata.codes, self.strata.rows, len(self.counts.weights))
        return CountedCodes(self.counts, codes, len(self.strata.sizes))


def count_strata(
    engine: Engine, call: Call, options: Options, *, for_table: bool = False
) -> tuple[Call, CountedStrata]:
    """Find the cuts of quantiles, then count the rows of a call and nest them into strata.

    A table shows bins from their lowest to their highest values.
    """
    call = cut_quantiles(engine, call, options)
    salts = order_salts(options) if options.target.n and not options.groups else []
    call, counts = engine.count(call, salts=salts)
    return call, nest_counts(engine, options, with_lows(counts) if for_table else counts)


def order_salts(options: Options) -> list[int]:
    """Draw the salt for the numbers of rows in each repeat."""
    return [int(row_streams(options, each)[0](1)[0]) for each in range(options.repeats)]


def with_lows(counts: Counts) -> Counts:
    """Add counted rows of weight 0 with the lowest values of bins; columns become pandas series."""
    weights, lowest, columns = counts.weights, counts.lowest, {}
    for argument, given in counts.columns.items():
        lows = [counts.lows.get(place, each) for place, each in enumerate(given)]
        pairs = zip(given, lows if argument == "by" else given, strict=True)
        columns[argument] = [
            frames.libraries.stack(pair if counts.lows else pair[:1]) for pair in pairs
        ]
    if counts.lows:
        weights = np.append(weights, np.zeros_like(weights))
        lowest = None if lowest is None else np.tile(lowest, 2)
    return counts._replace(columns=columns, weights=weights, lowest=lowest)


def nest_counts(engine: Engine, options: Options, counts: Counts) -> CountedStrata:
    check_counted(engine, options, counts)
    strata = stratify(options, counts.columns, len(counts.weights), counts.weights)
    return CountedStrata(counts, strata)


def check_counted(engine: Engine, options: Options, counts: Counts) -> None:
    """Raise if an entry turned out to be continuous, or rows without a group count as one group."""
    for term, series in zip(options.terms, counts.columns["by"], strict=True):
        check_term(term.resolve([series]), engine.name)
    columns = counts.columns["groups"] if options.groups and options.missing == "stratum" else []
    if any(frames.is_missing(series).any() for series in columns):
        msg = (
            f"`groups` must have no missing values on {engine.name} frames, where rows without a"
            ' group are counted together.\nHint: fill them, or in `kfold` use `missing="null"`,'
            " which leaves their fold null."
        )
        raise StratError(msg)


def cut_quantiles(engine: Engine, call: Call, options: Options) -> Call:
    """Find the cuts of each quantile entry inside the strata of the entries before it."""
    for place, term in enumerate(options.terms):
        alike = term.counted_by()
        if isinstance(alike, ByQuantiles):
            call, counts = engine.count(call, before=place)
            parents = nest_counts(engine, parents_only(engine, options, place), counts)
            call = engine.cut(call, place, alike.n, parents.coded)
    return call


def parents_only(engine: Engine, options: Options, place: int) -> Options:
    """Restrict a call to the entries before the one at `place`, which is cut in their strata."""
    if options.groups and place and options.rare in ("null", "pool"):
        msg = (
            f"`rare={options.rare!r}` cannot be combined with `groups` and quantiles inside the"
            f" classes on {engine.name} frames."
        )
        raise StratError(msg)
    rare: Rare = options.rare if options.rare in ("null", "pool") else "ignore"
    return replace(options, terms=options.terms[:place], groups=(), rare=rare)


def without_orders(engine: Engine, options: Options) -> Options:
    """Cut continuous entries of a call into bins; other entries stay as they are."""
    resolved = [engine.resolve(term) for term in options.terms]
    return replace(options, terms=tuple(term.without_order() or term for term in resolved))


# Quotas ----------------------------------------------------------------------------------


def list_quotas(options: Options, counted: CountedStrata) -> list[StratumTable]:
    """Compute how many rows of each stratum go to each part, for each repeat."""
    return [
        quota_table(options, counted.strata, repeat, words)
        for repeat, words in enumerate(lowest_of_strata(counted))
    ]


def lowest_of_strata(counted: CountedStrata) -> list[Words]:
    """Find the lowest number of the rows of each stratum, for each salt."""
    strata, lowest = counted.strata, counted.counts.lowest
    assert lowest is not None
    if strata.rows is not None:
        lowest = lowest[:, strata.rows]
    return [lowest_words(strata.codes, len(strata.sizes), words) for words in lowest]


def parts_of_groups(options: Options, counted: CountedStrata) -> list[Ints]:
    """Find the part of every counted row by its group, -1 if it is not dealt, for each repeat."""
    strata, n_counted = counted.strata, len(counted.counts.weights)
    return [
        place_rows(deal_units(options, strata, repeat), strata.rows, n_counted)
        for repeat in range(options.repeats)
    ]


# Cuts ------------------------------------------------------------------------------------
#
# The rows of a stratum are ranked by their numbers. The first rows go to part 0, up to its quota,
# the next rows to part 1, and so on. So a row's part is how many cut points of its stratum are at
# most the row's number. This does the work of `deal_by_rank` in core/deal.py for rows on other
# machines; tests/engines/test_engines.py checks that the two agree.


def rows_before_cuts(table: StratumTable) -> tuple[Ints, Flags]:
    """Count the rows before cuts, and flag inner cuts; both of shape (n_strata, n_parts - 1)."""
    before = np.cumsum(table, axis=1)[:, :-1]
    return before, (before > 0) & (before < table.sum(axis=1)[:, None])


def list_cuts(table: StratumTable) -> Cuts:
    """List the cuts with rows on both sides."""
    before, is_inner = rows_before_cuts(table)
    return Cuts(np.nonzero(is_inner)[0], before[is_inner])


def cut_points(table: StratumTable, after: Words) -> Words:
    """Make the points of every stratum, given the points of cuts with rows on both sides.

    Returns shape (n_strata, n_parts - 1), nondecreasing along the parts.
    """
    before, is_inner = rows_before_cuts(table)
    points = np.where(before > 0, HIGHEST_WORD, np.uint64(0))
    points[is_inner] = after
    return points


def repeated_key_error(names: Sequence[str], failures: Any) -> StratError:
    """Build the error for a key that rows on both sides of a cut share."""
    texts = ", ".join(map(repr, names))
    msg = f"`key` ({texts}) must identify each row, but repeats in {plural(len(failures), 'row')}."
    msg += f"\nHint: {UNIQUE_KEY_HINT}"
    return StratError(msg, failures)
