"""CSV and Parquet files of the command line, as Polars frames; `-` is CSV in a pipe."""

import gzip
import re
import sys
import zlib
from collections.abc import Collection, Sequence
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from shutil import copymode

import numpy as np
import polars as pl

from ..core.types import Flags
from ..errors import StratError, describe_rows

PIPE = "-"
"""The path of standard input and output."""

SUFFIXES = (".csv", ".csv.gz", ".parquet")

BOM, GZIP = b"\xef\xbb\xbf", b"\x1f\x8b"
"""The byte order mark of UTF-8, and the first bytes of a packed file."""

LONG_NUMBER = r"^[+-]?\d{39,}$"
"""Whole numbers of more digits than surely fit into Polars' longest type, Int128."""

HEADER = re.compile(rb'(?:[^"\n]*"[^"]*")*[^"\n]*\n')
"""The first line of CSV: cells in quotes may hold line ends."""

MISSING_MARKS = {
    *("", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NULL", "null", "None"),
    *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
}
"""What pandas reads as missing in a CSV file (`read_csv`, `na_values`)."""

MAX_CAUSE = 200
"""Letters of a message that may quote cells."""


def check_path(path: str) -> None:
    """Raise unless a path has a suffix that says how its file is read and written."""
    if path != PIPE and not path.lower().endswith(SUFFIXES):
        *first, last = SUFFIXES
        msg = (
            f"A file name must end in {', '.join(first)} or {last}, got {path!r}."
            "\nHint: - is standard input or output, as CSV."
        )
        raise StratError(msg)


def is_text_file(path: str) -> bool:
    """Return whether a file is CSV, packed or not."""
    return not path.lower().endswith(".parquet")


def read_file(path: str) -> tuple[bytes, pl.DataFrame]:
    """Read all of a file, or of standard input: its bytes, unpacked, and what they hold."""
    try:
        data = sys.stdin.buffer.read() if path == PIPE else Path(path).read_bytes()
        if path.lower().endswith(".gz") or data.startswith(GZIP):
            data = gzip.decompress(data)
        return data, parse_csv(data) if is_text_file(path) else pl.read_parquet(data)
    except (OSError, EOFError, ValueError, zlib.error, pl.exceptions.PolarsError) as error:
        raise file_error(path, "read", error) from error


def parse_csv(data: bytes) -> pl.DataFrame:
    """Parse CSV; a column of whole numbers that are too long for a type of integers is text."""
    marked = start_text(data)
    header = BytesIO(marked).readline().decode()  # Polars checks the cells alone
    if "\0" in header:
        msg = "it is in UTF-16, and not in UTF-8"
        raise UnicodeError(msg)
    try:
        return pl.read_csv(marked, infer_schema_length=None)
    except pl.exceptions.ComputeError:
        texts = pl.read_csv(marked, infer_schema=False)
        is_long = texts.select(pl.all().str.contains(LONG_NUMBER).any())
        types = {column.name: pl.String for column in is_long if column.any()}
        return pl.read_csv(marked, infer_schema_length=None, schema_overrides=types)


def start_text(data: bytes) -> bytes:
    """Start CSV with its header, after a byte order mark: no first letters look like packed."""
    return BOM + data.removeprefix(BOM).lstrip(b"\r\n")


def read_folds(
    frame: pl.DataFrame, names: Collection[str], parts: Collection[str], *, alike: bool
) -> pl.DataFrame:
    """Read blanks and marks such as NA as missing in columns of folds or parts.

    A mark that is the name of one of `parts` is a part. In columns that must be `alike`, words
    among numbers are an error.
    """
    marks = MISSING_MARKS.difference(parts)
    texts = [frame[name] for name in names if frame.schema.get(name) == pl.String]
    return frame.with_columns([clear_marks(each, marks, alike=alike) for each in texts])


def clear_marks(series: pl.Series, marks: Collection[str], *, alike: bool) -> pl.Series:
    """Drop marks of missing values, and take what is left as numbers if all of it is."""
    is_known = ~series.str.strip_chars().is_in(list(marks))
    known = series.zip_with(is_known, pl.Series([None], dtype=pl.String))
    numbers = known.str.strip_chars().cast(pl.Float64, strict=False)
    words = (known.is_not_null() & numbers.is_null()).arg_true().to_numpy()
    if alike and numbers.count() and len(words):
        msg = (
            f"`extend` needs folds 0..k-1 in {series.name!r}, but there are others in"
            f" {describe_rows(words)}.\nHint: an empty cell or NA is a missing fold."
        )
        raise StratError(msg)
    return known if len(words) or not numbers.count() else numbers


def update_csv(
    data: bytes,
    frame: pl.DataFrame,
    result: pl.DataFrame,
    names: Sequence[str],
    rows: Flags | None = None,
) -> bytes:
    """Write columns of a result, in some rows, into CSV whose other cells stay as they are."""
    texts = pl.read_csv(start_text(data), has_header=False, infer_schema=False)
    columns = dict(zip(frame.columns, texts, strict=True))  # the header is the first cell of each
    written = np.append(False, np.ones(len(frame), dtype=bool) if rows is None else rows)
    for name in names:
        cells = pl.Series([name]).append(result[name].cast(pl.String))
        if name in columns:
            cells = cells.zip_with(pl.Series(written), columns[name])
        columns[name] = cells
    header = HEADER.match(data)
    line_end = "\r\n" if header and header[0].endswith(b"\r\n") else "\n"
    text = BytesIO()
    pl.DataFrame(columns).write_csv(
        text, include_header=False, include_bom=data.startswith(BOM), line_terminator=line_end
    )
    if not data.endswith(b"\n"):
        text.truncate(text.tell() - len(line_end))
    return text.getvalue()


def write_file(content: pl.DataFrame | bytes, path: str) -> None:
    """Write a frame, or the bytes of CSV: a whole file or nothing, or to standard output."""
    try:
        if isinstance(content, bytes):
            data = content
        else:
            file = BytesIO()
            (content.write_csv if is_text_file(path) else content.write_parquet)(file)
            data = file.getvalue()
        if path.lower().endswith(".gz"):
            data = gzip.compress(data, mtime=0)  # the same bytes each time
        if path != PIPE:
            replace_file(data, path)
    except (OSError, ValueError, pl.exceptions.PolarsError) as error:
        raise file_error(path, "written", error) from error
    if path == PIPE:
        sys.stdout.buffer.write(data)


def replace_file(data: bytes, path: str) -> None:
    """Put a new file in the place of another; what a link leads to, and not the link."""
    target = Path(path).resolve()
    draft = target.with_name(f".stratframe-{token_hex(8)}")
    is_old = target.exists()
    if is_old:
        target.open("r+b").close()  # a new name would be no matter of the old file's permissions
    try:
        with draft.open("xb") as file:
            if is_old:
                copymode(target, draft)
            file.write(data)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def file_error(path: str, done: str, error: Exception) -> StratError:
    """Build the error for a file that cannot be read or written, with the cause in one line."""
    text = getattr(error, "strerror", None) or str(error)
    line = text.strip().partition("\n")[0].rstrip(".")
    cause = f"{line}." if len(line) <= MAX_CAUSE else f"{line[:MAX_CAUSE]}..."
    return StratError(f"The file {path!r} cannot be {done}: {cause}")
