"""Small frames made and taken apart, and files."""

import os
from collections.abc import Hashable, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pandas as pd
import polars as pl

from ..core.types import Values
from ..errors import StratError


def make_frame(kind: str, columns: dict[Hashable, Any]) -> Any:
    """Make a frame of the caller's library."""
    if kind == "polars":
        return pl.DataFrame({str(name): values for name, values in columns.items()})
    parts = {
        name: values.reset_index(drop=True) if isinstance(values, pd.Series) else values
        for name, values in columns.items()
    }
    if all(isinstance(name, str) for name in parts):
        return pd.DataFrame(parts)
    # Labels of other types stay what they are, tuples and None too.
    frame = pd.DataFrame(dict(enumerate(parts.values())))
    frame.columns = pd.Index(list(parts), dtype=object, tupleize_cols=False)
    return frame


def to_dicts(frame: Any) -> list[dict[str, Any]]:
    """List the rows of a small frame as dicts."""
    return frame.to_dicts() if isinstance(frame, pl.DataFrame) else frame.to_dict("records")


def float_column(kind: str, values: Values) -> Any:
    """Make a column of numbers, NaN as the library's own missing value."""
    return pl.Series(values, nan_to_null=True) if kind == "polars" else values


def read_file(path: str, *, as_text: bool = False) -> pl.DataFrame:
    """Read a Parquet file, or with any other suffix a CSV file, if asked cell by cell as text."""
    try:
        with open(path, "rb") as file:
            if path.lower().endswith(".parquet"):
                return pl.read_parquet(file)
            return pl.read_csv(file, infer_schema_length=0 if as_text else None)
    except (OSError, pl.exceptions.PolarsError) as error:
        msg = f"The file {path!r} cannot be read: {error_cause(error)}."
        raise StratError(msg) from error


def add_columns_of(frame: pl.DataFrame, other: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Put some columns of another frame beside those of a frame."""
    return frame.with_columns(other.select(names).get_columns())


def write_file(frame: pl.DataFrame, path: str) -> None:
    """Write a Parquet file, or with any other suffix a CSV file; all of it or nothing."""
    draft = None
    try:
        folder = Path(path).parent
        with NamedTemporaryFile(dir=folder, prefix=".stratframe-", delete=False) as file:
            draft = Path(file.name)
            write = frame.write_parquet if path.lower().endswith(".parquet") else frame.write_csv
            write(file)
        draft.chmod(0o666 & ~current_umask())
        draft.replace(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        if draft is not None:
            draft.unlink(missing_ok=True)
        msg = f"The file {path!r} cannot be written: {error_cause(error)}."
        raise StratError(msg) from error


def current_umask() -> int:
    """Read the permissions that new files go without."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def error_cause(error: Exception) -> str:
    """Say in one line why a file could not be read or written."""
    text = getattr(error, "strerror", None) or str(error)
    return text.strip().partition("\n")[0].rstrip(".")
