"""Compute the new columns of a call, which hold the part of every row."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..core.strata import sum_by
from ..core.types import Ints
from ..errors import MAX_LISTED, list_values, plural, warn, with_full_stop
from ..frames import NewColumn
from ..progress import track
from .deals import deal_rows
from .nest import Columns, place_rows
from .options import Options, Target
from .stratify import stratify


def new_columns(options: Options, columns: Columns, n_rows: int) -> list[NewColumn]:
    # Only tables need the levels, and each level holds a code for every row.
    strata = stratify(options, columns, n_rows)._replace(levels=())
    outputs = empty_outputs(options)
    has_repeats = len(outputs) > 1
    dealt_columns = []
    for repeat, output in enumerate(track(outputs, "New columns") if has_repeats else outputs):
        parts = place_rows(deal_rows(options, strata, repeat), strata.dealt.rows, n_rows)
        dealt_columns.append(output._replace(parts=parts))
    target = options.target
    n_dealt = strata.n_rows
    tied = options.deal == "contiguous"
    if target.each is not None:
        return dealt_columns
    if tied or (target.names and min(target.fractions(n_dealt)) * n_dealt < 1):
        sizes = {column.name: part_sizes(column.parts, target) for column in dealt_columns}
        warn_empty_parts(target, n_dealt, sizes, named=has_repeats, tied=tied)
    if strata.dealt.group is not None:
        sizes = {column.name: part_sizes(column.parts, target) for column in dealt_columns}
        warn_far_parts(options, n_dealt, sizes, named=has_repeats)
    return dealt_columns


def empty_outputs(options: Options) -> list[NewColumn]:
    """Make an empty column for each new column of a call, to declare its name and type."""
    nullable = "null" in (options.missing, options.rare) or options.where is not None
    names = [options.name]
    if options.repeats > 1:
        names = [f"{options.name}_{repeat + 1}" for repeat in range(options.repeats)]
    empty = np.empty(0, dtype=np.int64)
    return [NewColumn(name, empty, options.target.names, nullable) for name in names]


def part_sizes(parts: Ints, target: Target, weights: Ints | None = None) -> Ints:
    """Count the rows in each part; `parts` is -1 for a row without a part."""
    has_part = parts >= 0
    if weights is not None:
        weights = weights[has_part]
    return sum_by(parts[has_part], weights, target.n)


def warn_empty_parts(
    target: Target, n_rows: int, sizes: Mapping[str, Ints], *, named: bool, tied: bool = False
) -> None:
    """Warn about empty parts; `sizes` holds the number of rows in each part of each column.

    Folds are checked only if equal values are `tied` to one fold, as other folds can then be empty.
    """
    if target.names is None and not tied:
        return
    if target.names is None:
        parts = [f"Fold {fold}" for fold in range(target.n)]
    else:
        parts = [repr(name) for name in target.names]
    lines = []
    for place, part in enumerate(parts):
        empty = [name for name, column_sizes in sizes.items() if not column_sizes[place]]
        if empty:
            columns = f" in {list_values(empty)}" if named else ""
            why = explain_empty(target, n_rows, place, tied=tied)
            lines.append(f"{part} has no rows{columns}{why}")
    if lines:
        warn(join_lines(lines, " "))


def explain_empty(target: Target, n_rows: int, place: int, *, tied: bool) -> str:
    """Explain why a part has no rows."""
    share = float(target.fractions(n_rows)[place] * n_rows)
    rows = f"its share of {plural(n_rows, 'row')} is {share:.10g}"
    if share < 1:
        return f": {rows}."
    if tied:
        return f": {rows}, but equal values stay in one {target.kind}."
    return f", and no new rows are left for it ({rows})."


def join_lines(lines: list[str], separator: str) -> str:
    """Join the first lines; dots stand for the others."""
    dots = " ..." if len(lines) > MAX_LISTED else ""
    return separator.join(lines[:MAX_LISTED]) + dots


def warn_missed_counts(target: Target, sizes: Mapping[str, Ints], *, named: bool) -> None:
    """Warn about parts of which a count is asked that the rows with a part rule out."""
    lines = []
    for place, count in enumerate(target.shares or ()):
        if not isinstance(count, int) or target.names is None:
            continue
        for column, column_sizes in sizes.items():
            size = int(column_sizes[place])
            if size != count:
                has = describe_size(target.names[place], size, column, named=named)
                lines.append(f"{has}, not {count:,}")
    if lines:
        warn(
            f"Rows keep the part that they have: {with_full_stop(join_lines(lines, '; '))}"
            "\nHint: set the part of rows that may move to null before the call."
        )


def describe_size(part: str, size: int, column: str, *, named: bool) -> str:
    where = f" in {column!r}" if named else ""
    return f"{part!r} has {plural(size, 'row')}{where}"


FAR_OF_LARGEST = 0.1
"""A part is far from its share if it is off by more than this multiple of the largest share."""

FAR_OF_OWN = 0.5
"""A part is far from its share if it is off by more than this multiple of its own share."""


def warn_far_parts(
    options: Options, n_rows: int, sizes: Mapping[str, Ints], *, named: bool
) -> None:
    """Warn about parts that whole groups leave far from their shares; `sizes` as above."""
    target = options.target
    if target.names is None or options.rare == "ignore" or not n_rows:
        return
    shares = [float(share * n_rows) for share in target.fractions(n_rows)]
    lines = []
    for column, column_sizes in sizes.items():
        for name, share, size in zip(target.names, shares, column_sizes.tolist(), strict=True):
            if is_far(size, share, max(shares)):
                has = describe_size(name, size, column, named=named)
                lines.append(f"{has} (its share is {share:.10g})")
    if lines:
        warn(
            "Whole groups do not meet the shares of `parts`:"
            f" {with_full_stop(join_lines(lines, '; '))}"
            "\nHint: choose shares that these groups can meet, or fewer entries in `by`;"
            ' `rare="ignore"` silences this warning.'
        )


def is_far(size: int, share: float, largest_share: float) -> bool:
    """Return whether a part is far from its share, and by more than whole rows explain."""
    off = abs(size - share)
    # Without groups, too, whole rows can be off by up to one row.
    if off < 1:
        return False
    return off > FAR_OF_LARGEST * largest_share or off > FAR_OF_OWN * share
