"""Lay out tables as lines of text."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from .. import frames
from ..judging.lines import printable
from ..verbs.result_tables import RESERVED

MAX_LINES = 20
"""The maximum number of strata in a table; further strata are only counted."""


def balance_lines(table: Any) -> list[str]:
    """Lay out a balance table, with a line for each stratum and a column for each fold."""
    names = [name for name in frames.column_names(table) if name not in RESERVED]
    if not names:  # entries that only order rows define no strata
        return []
    rows = frames.result.to_dicts(table)
    counts: dict[tuple[Any, ...], list[int]] = {}
    for row in rows:
        cells = [row[name] for name in names]
        stratum = tuple(frames.to_list(cells))  # None instead of NaN
        counts.setdefault(stratum, []).append(row["n"])
    first_counts = dict(islice(counts.items(), MAX_LINES))
    folds = dict.fromkeys(str(row["fold"]) for row in rows)
    columns: list[tuple[str, Sequence[Any]]] = [
        (join_cells(names), list(map(join_cells, first_counts)))
    ]
    columns += zip(folds, zip(*first_counts.values(), strict=True), strict=True)
    lines = column_lines(columns)
    if len(counts) > MAX_LINES:
        lines.append(f"    ... and {len(counts) - MAX_LINES:,} more")
    return lines


def table_lines(table: Any) -> list[str]:
    """Lay out all columns of a table."""
    return column_lines(
        (str(name), column_list(table, name)) for name in frames.column_names(table)
    )


def column_list(frame: Any, name: object) -> list[Any]:
    return frames.to_list(frames.read_columns(frame, [name])[0])


def join_cells(cells: Iterable[object]) -> str:
    return ", ".join(map(printable, cells))


def column_lines(columns: Iterable[tuple[str, Sequence[Any]]]) -> list[str]:
    """Lay out columns side by side, with text aligned left and numbers aligned right."""
    padded = []
    for name, values in columns:
        cells = [printable(name), *map(write_cell, values)]
        width = max(map(len, cells))
        if any(isinstance(value, str) for value in values):
            padded.append([cell.ljust(width) for cell in cells])
        else:
            padded.append([cell.rjust(width) for cell in cells])
    return ["   " + "  ".join(line).rstrip() for line in zip(*padded, strict=True)]


def write_cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    return printable(value)
