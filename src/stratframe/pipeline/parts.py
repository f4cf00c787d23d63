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
    outputs, rows, new = empty_outputs(options), strata.dealt.rows, []
    for repeat, output in enumerate(track(outputs, "New columns") if outputs[1:] else outputs):
        parts = deal_rows(options, strata, repeat)
        new.append(output._replace(parts=place_rows(parts, rows, n_rows)))
    target, n_dealt, tied = options.target, strata.n_rows, options.deal == "contiguous"
    if tied or (target.names and min(target.fractions(n_dealt)) * n_dealt < 1):
        sizes = {column.name: part_sizes(column.parts, target) for column in new}
        warn_empty_parts(target, n_dealt, sizes, named=len(new) > 1, tied=tied)
    if strata.dealt.group is not None:
        sizes = {column.name: part_sizes(column.parts, target) for column in new}
        warn_far_parts(options, n_dealt, sizes, named=len(new) > 1)
    return new


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
    return sum_by(parts[has_part], None if weights is None else weights[has_part], target.n)


def warn_empty_parts(
    target: Target, n_rows: int, sizes: Mapping[str, Ints], *, named: bool, tied: bool = False
) -> None:
    """Warn about empty parts; `sizes` holds the number of rows in each part of each column.

    Folds are checked only if equal values are `tied` to one fold, as other folds can then be empty.
    """
    lines = []
    parts = list(map(repr, target.names or ())) or [f"Fold {fold}" for fold in range(target.n)]
    for place, part in enumerate(parts if target.names or tied else ()):
        empty = [name for name, held in sizes.items() if not held[place]]
        if empty:
            columns = f" in {list_values(empty)}" if named else ""
            share = float(target.fractions(n_rows)[place] * n_rows)
            why = f"its share of {plural(n_rows, 'row')} is {share:.10g}"
            fault = f": {why}." if share < 1 else f", and no new rows are left for it ({why})."
            if tied and share >= 1:
                fault = f": {why}, but equal values stay in one {target.kind}."
            lines.append(f"{part} has no rows{columns}{fault}")
    if lines:
        warn(" ".join(lines[:MAX_LISTED]) + " ..." * (len(lines) > MAX_LISTED))


FAR_OF_LARGEST, FAR_OF_OWN = 0.1, 0.5
"""A part is far from its share if it is off by more than `FAR_OF_LARGEST` times the largest share,
or by more than `FAR_OF_OWN` times its own share."""


def warn_far_parts(
    options: Options, n_rows: int, sizes: Mapping[str, Ints], *, named: bool
) -> None:
    """Warn about parts that whole groups leave far from their shares; `sizes` as above."""
    target = options.target
    if target.names is None or options.rare == "ignore" or not n_rows:
        return
    shares = [float(share * n_rows) for share in target.fractions(n_rows)]
    lines = []
    for column, held in sizes.items():
        for name, share, size in zip(target.names, shares, held.tolist(), strict=True):
            off = abs(size - share)
            # Without groups, too, whole rows can be off by up to one row.
            if off >= 1 and (off > FAR_OF_LARGEST * max(shares) or off > FAR_OF_OWN * share):
                where = f" in {column!r}" if named else ""
                has = f"{name!r} has {plural(size, 'row')}{where}"
                lines.append(f"{has} (its share is {share:.10g})")
    if lines:
        listed = "; ".join(lines[:MAX_LISTED]) + " ..." * (len(lines) > MAX_LISTED)
        warn(
            f"Whole groups do not meet the shares of `parts`: {with_full_stop(listed)}"
            "\nHint: choose shares that these groups can meet, or fewer entries in `by`;"
            ' `rare="ignore"` silences this warning.'
        )
