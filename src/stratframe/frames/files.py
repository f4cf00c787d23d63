"""CSV and Parquet files of the command line, as Polars frames; `-` is CSV in a pipe."""

import errno
import gzip
import os
import sys
import zlib
from collections.abc import Collection, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE
from typing import Any

import polars as pl

from ..core.types import Flags
from ..errors import StratError, describe_rows
from .csv_cells import BOM, write_cells

PIPE = "-"
"""The path of standard input and output."""

SUFFIXES = (".csv", ".csv.gz", ".parquet")

GZIP = b"\x1f\x8b"
"""The first bytes of a packed file, which no text in UTF-8 has."""

LONG_NUMBER = r"^[+-]?\d{39,}$"
"""Whole numbers of more digits than surely fit into Polars' longest type, Int128."""

MISSING_MARKS = frozenset(
    {
        *("", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NULL", "null", "None"),
        *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
    }
)
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


def read_bytes(path: str) -> bytes:
    """Read all of a file, or of standard input, and unpack it."""
    try:
        data = open_pipe(sys.stdin).read() if path == PIPE else Path(path).read_bytes()
        is_gzip = is_packed(path) or (is_text_file(path) and data.startswith(GZIP))
        return gzip.decompress(data) if is_gzip else data
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise read_error(path, error) from error


def open_pipe(stream: Any) -> Any:
    """Return the bytes of standard input or output, which a shell may have closed."""
    if stream is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return stream.buffer


def parse_file(data: bytes, path: str) -> pl.DataFrame:
    """Parse the bytes of a file of that name."""
    try:
        return parse_csv(data) if is_text_file(path) else pl.read_parquet(data)
    except (UnicodeError, pl.exceptions.PolarsError) as error:
        raise read_error(path, error) from error


def parse_csv(data: bytes) -> pl.DataFrame:
    """Parse CSV; a column of whole numbers that are too long for a type of integers is text."""
    check_encoding(data)
    # With a byte order mark no first letters are taken for those of a packed file.
    marked = data if data.startswith(BOM) else BOM + data
    try:
        return pl.read_csv(marked, infer_schema_length=None)
    except pl.exceptions.ComputeError:
        texts = pl.read_csv(marked, infer_schema_length=0)
        is_long = texts.select(pl.all().str.contains(LONG_NUMBER).any()).row(0)
        long = [name for name, flag in zip(texts.columns, is_long, strict=True) if flag]
        if not long:
            raise
        types = dict.fromkeys(long, pl.String)
        return pl.read_csv(marked, infer_schema_length=None, schema_overrides=types)


def read_marks(frame: pl.DataFrame, names: Collection[str], parts: Collection[str]) -> pl.DataFrame:
    """Read blanks and marks such as NA as missing in columns of folds or parts.

    A mark that is the name of one of `parts` is a part.
    """
    marks = MISSING_MARKS.difference(parts)
    texts = [name for name in names if frame.schema.get(name) == pl.String]
    return frame.with_columns([clear_marks(frame[name], marks) for name in texts])


def clear_marks(series: pl.Series, marks: Collection[str]) -> pl.Series:
    """Drop marks of missing values, and take what is left as numbers if all of it is."""
    is_known = ~series.str.strip_chars().is_in(list(marks))
    known = series.zip_with(is_known, pl.Series([None], dtype=pl.String))
    for dtype in (pl.Int64, pl.Float64):
        numbers = known.str.strip_chars().cast(dtype, strict=False)
        if numbers.count() == known.count() > 0:
            return numbers
    return known


def check_folds_or_parts(series: pl.Series) -> None:
    """Raise if a column of text has both folds and what is none."""
    if series.dtype != pl.String:
        return
    is_number = series.str.strip_chars().cast(pl.Float64, strict=False).is_not_null()
    rows = (series.is_not_null() & ~is_number).arg_true().to_numpy()
    if is_number.any() and len(rows):
        msg = (
            f"`extend` needs folds 0..k-1 in {series.name!r}, but there are others in"
            f" {describe_rows(rows)}.\nHint: an empty cell or NA is a missing fold."
        )
        raise StratError(msg)


def update_csv(
    data: bytes,
    path: str,
    frame: pl.DataFrame,
    result: pl.DataFrame,
    names: Sequence[str],
    rows: Flags | None = None,
) -> bytes:
    """Write columns of a result into the bytes of a CSV file; see `write_cells`."""
    try:
        return write_cells(data, frame, result.select(names), rows)
    except ValueError as error:
        raise read_error(path, error) from error


def check_encoding(data: bytes) -> None:
    """Raise if a CSV file is not UTF-8; Polars looks at the cells, but not at the header."""
    header = BytesIO(data.lstrip(b"\r\n")).readline()
    header.decode("utf-8")
    if b"\0" in header:  # as in UTF-16
        raise UnicodeError


def write_file(content: pl.DataFrame | bytes, path: str) -> None:
    """Write a frame, or the bytes of CSV: a whole file or nothing, or to standard output."""
    try:
        if path == PIPE:
            print_content(content)
        else:
            replace_file(content, path)
    except (OSError, RuntimeError, ValueError, pl.exceptions.PolarsError) as error:
        if path == PIPE and isinstance(error, OSError):
            raise
        msg = f"The file {path!r} cannot be written: {error_cause(error)}"
        raise StratError(msg) from error


def print_content(content: pl.DataFrame | bytes) -> None:
    """Write CSV to standard output, nothing of it if a column does not fit."""
    text = BytesIO()
    write_csv(content, text)
    open_pipe(sys.stdout).write(text.getbuffer())
    sys.stdout.flush()


def replace_file(content: pl.DataFrame | bytes, path: str) -> None:
    """Put a new file in the place of another; what a link leads to, and not the link."""
    target = Path(path).resolve()
    if target.is_symlink():  # as of Python 3.13 a link that leads to itself is resolved to itself
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
    if target.exists() and not (target.is_file() or target.is_dir()):
        with target.open("wb") as pipe:
            write_content(content, pipe, path)
        return
    old = target.stat() if target.is_file() else None
    if old is not None:
        target.open("r+b").close()  # a new name would be no matter of the old file's permissions
    draft = target.with_name(f".stratframe-{token_hex(8)}")
    try:
        draft.touch(0o600, exist_ok=False)
        with draft.open("wb") as file:
            write_content(content, file, path)
        copy_access(draft, old)
        draft.replace(target)
    finally:
        with suppress(OSError):
            draft.unlink()


def copy_access(draft: Path, old: os.stat_result | None) -> None:
    """Give a file the permissions and the owner of the one it replaces, or of any new file."""
    if old is None:
        draft.chmod(0o666 & ~current_umask())
        return
    if os.name == "posix":
        for owner in ((-1, old.st_gid), (old.st_uid, -1)):  # a group may be one's own
            with suppress(PermissionError):
                os.chown(draft, *owner)
    draft.chmod(S_IMODE(old.st_mode))


def write_content(content: pl.DataFrame | bytes, file: Any, path: str) -> None:
    """Write to an open file, in the format that its path names."""
    if isinstance(content, pl.DataFrame) and not is_text_file(path):
        content.write_parquet(file)
    elif is_packed(path):
        # Without a name and a time the same content gives the same bytes.
        packed: Any = gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)
        with packed:
            write_csv(content, packed)
    else:
        write_csv(content, file)


def write_csv(content: pl.DataFrame | bytes, file: Any) -> None:
    """Write a frame as CSV, or CSV as it is, to an open file."""
    if isinstance(content, bytes):
        file.write(content)
    else:
        content.write_csv(file)


def is_packed(path: str) -> bool:
    """Return whether a path is that of a packed file."""
    return path.lower().endswith(".gz")


def current_umask() -> int:
    """Return the permissions that new files are denied."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read_error(path: str, error: Exception) -> StratError:
    """Build the error for a file that cannot be read."""
    return StratError(f"The file {path!r} cannot be read: {error_cause(error)}")


def error_cause(error: Exception) -> str:
    """Return in one line why a file could not be read or written."""
    if isinstance(error, UnicodeError):
        return "it is not in UTF-8."
    text = getattr(error, "strerror", None) or str(error)
    line = text.strip().partition("\n")[0].rstrip(".")
    return f"{line}." if len(line) <= MAX_CAUSE else f"{line[:MAX_CAUSE]}..."
