"""Compute how many rows of each stratum are in a stratified sample, and select these rows."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from ..core.deal import deal_by_rank
from ..core.groups.local_search import Stream
from ..core.quota import equal_allocation, proportional_allocation
from ..core.seeds import StreamTag, random_words, word_stream
from ..core.strata import order_of_strata
from ..core.systematic import systematic_deal
from ..core.types import Flags, StratumTable, Words
from ..errors import StratError, at_most, plural, warn
from .nest import Columns, Strata, place_rows
from .options import Options
from .random_numbers import row_numbers
from .stratify import stratify

Allocation: TypeAlias = Literal["proportional", "equal"]
"""The method by which the rows of a sample are allocated to the strata."""


class SampleSize(NamedTuple):
    """The size of a sample, and its allocation to the strata."""

    size: int | Fraction | None
    """The number of rows, or the share of all rows; None for a number of rows of each stratum."""
    allocation: Allocation


def sample_streams(options: Options) -> tuple[Stream, Stream]:
    first = word_stream(options.seed, StreamTag.SAMPLE_ROWS)
    second = word_stream(options.seed, StreamTag.SAMPLE_SPREAD)
    return first, second


def sample_table(
    options: Options, strata: Strata, sample: SampleSize, lowest: Words | None
) -> StratumTable:
    """Compute how many rows of each stratum are in the sample, and how many are not.

    If `lowest` is given, strata get their random words in the order of their lowest row numbers.
    """
    sizes = strata.sizes
    if sample.size is None:
        (most, _) = options.target.each or (0, None)
        in_sample = np.minimum(sizes, most or 0)
        return np.column_stack([in_sample, sizes - in_sample])
    total = sample_total(sample.size, strata.n_rows)
    words = random_words(options.seed, StreamTag.SAMPLE_QUOTA, len(sizes))
    if lowest is not None:
        words = words[np.argsort(order_of_strata(lowest, strata.ancestors))]
    if sample.allocation == "equal":
        in_sample = equal_allocation(sizes, total, words)
    else:
        in_sample = proportional_allocation(sizes, total, words)
    return np.column_stack([in_sample, sizes - in_sample])


def sample_total(size: int | Fraction, n_rows: int) -> int:
    """Return the number of rows in a sample, and warn if a share of the rows gives none."""
    total = round(size * n_rows) if isinstance(size, Fraction) else size
    if total > n_rows:
        raise StratError(at_most("`n`", "the number of rows", total, n_rows, "row"))
    if not total and size and n_rows:
        due = float(size * n_rows)
        warn(f"The sample is empty: {float(size):.10g} of {plural(n_rows, 'row')} is {due:.10g}.")
    return total


def sampled_rows(options: Options, sample: SampleSize, columns: Columns, n_rows: int) -> Flags:
    first, second = sample_streams(options)
    strata = stratify(options, columns, n_rows)
    if strata.order is not None:
        table = sample_table(options, strata, sample, None)
        total = int(table[:, 0].sum())
        share = Fraction(max(min(total, n_rows - total), 1), max(n_rows, 1))
        rows = strata.sort_rows(first(n_rows), share)
        parts = systematic_deal(rows, table, second(table.size + n_rows))
    else:
        numbers, tie_breaks = row_numbers(strata.dealt.keys, n_rows, first, second)
        table = sample_table(options, strata, sample, strata.lowest(numbers))
        parts = deal_by_rank(strata.codes, table, numbers, tie_breaks)
    return np.equal(place_rows(parts, strata.dealt.rows, n_rows), 0)
