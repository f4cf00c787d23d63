"""CSV and Parquet files of the command line, as Polars frames; `-` is CSV in a pipe."""

import gzip
import os
import sys
import zlib
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import polars as pl

from ..errors import StratError

PIPE = "-"
"""The path of standard input and output."""

SUFFIXES = (".csv", ".csv.gz", ".parquet")


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
        if path == PIPE:
            return sys.stdin.buffer.read()
        data = Path(path).read_bytes()
        return gzip.decompress(data) if is_packed(path) else data
    except (OSError, EOFError, zlib.error) as error:
        raise read_error(path, error) from error


def parse_file(data: bytes, path: str, *, as_text: bool = False) -> pl.DataFrame:
    """Parse the bytes of a file of that name; of CSV, on request with all cells as text."""
    try:
        if is_text_file(path):
            return pl.read_csv(data, infer_schema_length=0 if as_text else None)
        return pl.read_parquet(data)
    except pl.exceptions.PolarsError as error:
        raise read_error(path, error) from error


def write_file(frame: pl.DataFrame, path: str) -> None:
    """Write a file, completely or not at all, or CSV to standard output."""
    draft = None
    try:
        if path == PIPE:
            print_frame(frame)
            return
        folder = Path(path).parent
        with NamedTemporaryFile(dir=folder, prefix=".stratframe-", delete=False) as file:
            draft = Path(file.name)
            write_frame(frame, file, path)
        # Temporary files are private; the result gets the permissions of any new file.
        draft.chmod(0o666 & ~current_umask())
        draft.replace(path)
    except BrokenPipeError:
        raise
    except (OSError, pl.exceptions.PolarsError) as error:
        msg = f"The file {path!r} cannot be written: {error_cause(error)}."
        raise StratError(msg) from error
    finally:
        if draft is not None:
            draft.unlink(missing_ok=True)


def print_frame(frame: pl.DataFrame) -> None:
    """Write CSV to standard output, nothing of it if a column does not fit."""
    text = BytesIO()
    frame.write_csv(text)
    sys.stdout.buffer.write(text.getvalue())
    sys.stdout.buffer.flush()


def write_frame(frame: pl.DataFrame, file: Any, path: str) -> None:
    """Write a frame to an open file, in the format that its path names."""
    if not is_text_file(path):
        frame.write_parquet(file)
    elif is_packed(path):
        # Without a name and a time the same frame gives the same bytes.
        packed: Any = gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)
        with packed:
            frame.write_csv(packed)
    else:
        frame.write_csv(file)


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
    return StratError(f"The file {path!r} cannot be read: {error_cause(error)}.")


def error_cause(error: Exception) -> str:
    """Return in one line why a file could not be read or written."""
    text = getattr(error, "strerror", None) or str(error)
    return text.strip().partition("\n")[0].rstrip(".")
