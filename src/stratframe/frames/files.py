"""CSV and Parquet files of the command line, as Polars frames."""

import os
from pathlib import Path
from tempfile import NamedTemporaryFile

import polars as pl

from ..errors import StratError


def read_file(path: str, *, as_text: bool = False) -> pl.DataFrame:
    """Read a Parquet file, or with any other suffix CSV, on request with all cells as text."""
    try:
        with Path(path).open("rb") as file:
            if is_parquet(path):
                return pl.read_parquet(file)
            return pl.read_csv(file, infer_schema_length=0 if as_text else None)
    except (OSError, pl.exceptions.PolarsError) as error:
        msg = f"The file {path!r} cannot be read: {error_cause(error)}."
        raise StratError(msg) from error


def write_file(frame: pl.DataFrame, path: str) -> None:
    """Write a Parquet file, or with any other suffix CSV, completely or not at all."""
    draft = None
    try:
        folder = Path(path).parent
        with NamedTemporaryFile(dir=folder, prefix=".stratframe-", delete=False) as file:
            draft = Path(file.name)
            write = frame.write_parquet if is_parquet(path) else frame.write_csv
            write(file)
        # Temporary files are private; the result gets the permissions of any new file.
        draft.chmod(0o666 & ~current_umask())
        draft.replace(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        if draft is not None:
            draft.unlink(missing_ok=True)
        msg = f"The file {path!r} cannot be written: {error_cause(error)}."
        raise StratError(msg) from error


def is_parquet(path: str) -> bool:
    """Return whether a path has the suffix of Parquet files."""
    return path.lower().endswith(".parquet")


def current_umask() -> int:
    """Return the permissions that new files are denied."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def error_cause(error: Exception) -> str:
    """Return in one line why a file could not be read or written."""
    text = getattr(error, "strerror", None) or str(error)
    return text.strip().partition("\n")[0].rstrip(".")
