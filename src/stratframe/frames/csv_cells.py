"""Cells are written into the bytes of a CSV file, and all other bytes stay as they are.

A record ends at a line feed, and a cell at a comma, outside quotes (RFC 4180). The values are
those that Polars reads; here only the places of cells are found.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ..core.types import Flags, Ints

BOM = b"\xef\xbb\xbf"
COMMA, QUOTE, LINE_FEED, RETURN = b',"\n\r'


BLOCK = 1 << 20
"""Bytes that are looked at in one go, so that masks stay in the caches."""


Bytes: TypeAlias = NDArray[np.uint8]


class Records(NamedTuple):
    """Where the records of a file are, the header first."""

    starts: Ints
    """The first byte of each, shape (n_records,)."""
    stops: Ints
    """The byte after the last cell of each, shape (n_records,)."""
    commas: Ints
    """The commas between cells."""


def write_cells(
    data: bytes, frame: pl.DataFrame, columns: pl.DataFrame, rows: Flags | None = None
) -> bytes:
    """Write columns into the bytes of a CSV file: in their place, new ones at the end.

    Parameters
    ----------
    data : bytes
        The file.
    frame : DataFrame
        What Polars reads from it.
    columns : DataFrame
        The columns to write.
    rows : ndarray of bool, optional
        The rows to write to, by default all. A new column needs all.

    Raises
    ------
    ValueError
        If the records of the file are not those that Polars reads.
    """
    names = frame.columns
    filled = np.full(frame.height, fill_value=True) if rows is None else rows
    old = [name for name in columns.columns if name in names]
    new = [name for name in columns.columns if name not in names]
    for name in old:
        cells = format_cells(columns[name]).filter(pl.Series(filled))
        data = replace_cells(data, frame, names.index(name), cells, np.append(False, filled))
    if new:
        listed = [
            format_cells(pl.Series([name])).append(format_cells(columns[name])) for name in new
        ]
        cells = pl.select(pl.concat_str(listed, separator=",")).to_series()
        data = replace_cells(data, frame, len(names), cells, np.append(True, filled))
    return data


def format_cells(series: pl.Series) -> pl.Series:
    """Write values as cells of CSV, missing ones as nothing."""
    texts = series.cast(pl.String).fill_null("")
    is_quoted = texts.str.contains('[",\r\n]')
    if not is_quoted.any():
        return texts
    quoted = '"' + texts.str.replace_all('"', '""', literal=True) + '"'
    return quoted.zip_with(is_quoted, texts)


def replace_cells(
    data: bytes, frame: pl.DataFrame, place: int, cells: pl.Series, written: Flags
) -> bytes:
    """Replace the cells of one column in the flagged records.

    A record that is too short for this column gets the commas that it lacks.
    """
    text = np.frombuffer(data, dtype=np.uint8)
    found = find_cells(find_records(text, frame.height), place)
    starts, stops, lacking = (each[written] for each in found)
    if (lacking == 1).all():  # a new column, and no short record
        cells = "," + cells
    elif lacking.any():
        commas = pl.lit(",").repeat_by(pl.Series(lacking)).list.join("")
        cells = pl.select(commas + cells).to_series()
    return splice(text, starts, stops, cells)


def find_records(text: Bytes, n_rows: int) -> Records:
    """Find the records of a file, one for its header and one for each row."""
    ends, commas = find_marks(text)
    if not len(ends) or ends[-1] != len(text) - 1:
        ends = np.append(ends, len(text))
    starts = np.append(first_byte(text), ends[:-1] + 1)
    stops = ends - ((ends > starts) & (text[ends - 1] == RETURN) & (ends < len(text)))
    header = np.argmax(stops > starts)  # Polars skips blank lines above it
    starts, stops = starts[header:], stops[header:]
    if len(starts) != n_rows + 1:
        msg = f"its lines are ambiguous: {len(starts) - 1:,} or {n_rows:,} rows below the header"
        raise ValueError(msg)
    return Records(starts, stops, commas)


def find_marks(text: Bytes) -> tuple[Ints, Ints]:
    """Find the line feeds that end records, and the commas that end cells: those outside quotes."""
    found, n_quotes = [], 0
    for first in range(0, len(text), BLOCK):
        block = text[first : first + BLOCK]
        marks = np.flatnonzero((block == COMMA) | (block == LINE_FEED))
        quotes = np.flatnonzero(block == QUOTE)
        is_open = (n_quotes + np.searchsorted(quotes, marks)) % 2 == 0
        found.append(marks[is_open] + first)
        n_quotes += len(quotes)
    if n_quotes:
        check_quotes(text)
    marks = np.concatenate(found)
    is_end = text[marks] == LINE_FEED
    return marks[is_end], marks[~is_end]


def first_byte(text: Bytes) -> int:
    """Return where a text starts: after its byte order mark, if it has one."""
    return len(BOM) if text[: len(BOM)].tobytes() == BOM else 0


def check_quotes(text: Bytes) -> None:
    """Raise if quotes in the middle of a cell enclose a comma or the end of a line.

    Polars takes such quotes for letters; other readers do not.
    """
    quotes = np.flatnonzero(text == QUOTE)
    if len(quotes) % 2:
        msg = "it has a quote that is not closed"
        raise ValueError(msg)
    opening, closing = quotes[::2], quotes[1::2]
    before = text[opening - 1]
    starts_cell = (before == COMMA) | (before == LINE_FEED) | (opening == first_byte(text))
    # Two quotes in a row are one quote of a cell that goes on.
    goes_on = (before == QUOTE) & ~starts_cell
    first = np.maximum.accumulate(np.where(goes_on, 0, np.arange(len(opening))))
    is_inner = ~starts_cell[first]
    if not is_inner.any():
        return
    marks = np.flatnonzero((text == COMMA) | (text == LINE_FEED))
    spans = np.searchsorted(marks, [opening[is_inner], closing[is_inner]])
    wrong = opening[is_inner][spans[0] < spans[1]]
    if len(wrong):
        line = np.count_nonzero(text[: wrong[0]] == LINE_FEED) + 1
        msg = f"line {line:,} has quotes in the middle of a cell, around a comma or line end"
        raise ValueError(msg)


def find_cells(records: Records, place: int) -> tuple[Ints, Ints, Ints]:
    """Find where the cells of a column start and stop, and how many commas a record lacks."""
    starts, stops, commas = records
    first = np.searchsorted(commas, starts)
    n_commas = np.searchsorted(commas, stops) - first
    lacking = np.maximum(place - n_commas, 0)
    if lacking.all():
        return stops, stops, lacking
    bounds = np.append(commas, -1)
    before = bounds[np.where(lacking > 0, -1, first + place - 1)] + 1 if place else starts
    after = bounds[np.where(n_commas > place, first + place, -1)]
    return (
        np.where(lacking > 0, stops, before),
        np.where(n_commas > place, after, stops),
        lacking,
    )


def splice(text: Bytes, starts: Ints, stops: Ints, cells: pl.Series) -> bytes:
    """Put cells in the place of spans of a text, which are in order and do not overlap."""
    widths, old_widths = cells.str.len_bytes().to_numpy(), stops - starts
    places = np.repeat(starts, widths)
    if old_widths.any():
        moved = np.cumsum(old_widths) - old_widths
        within = np.arange(old_widths.sum()) - np.repeat(moved, old_widths)
        text = np.delete(text, np.repeat(starts, old_widths) + within)
        places -= np.repeat(moved, widths)
    added = np.frombuffer(cells.str.join("")[0].encode(), dtype=np.uint8)
    return np.insert(text, places, added).tobytes()
