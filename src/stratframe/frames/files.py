"""CSV and Parquet files for the command line, as Polars frames; `-` is CSV in a pipe."""

import csv
import gzip
import json
import os
import re
import sys
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from io import BytesIO, TextIOWrapper
from pathlib import Path
from secrets import token_hex
from shutil import copymode
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ..core.types import Flags
from ..errors import StratError, describe_rows, warn

PIPE = "-"
"""The path of standard input and output."""

SUFFIXES = (".csv", ".tsv", ".csv.gz", ".parquet")

BOM, GZIP = b"\xef\xbb\xbf", b"\x1f\x8b"
"""The byte order mark of UTF-8, and the first bytes of a compressed file."""

HEADER = re.compile(rb'(?:[^"\n]*"[^"]*")*[^"\n]*\n')
"""The first line of CSV: cells in quotes may hold line ends."""

MISSING_MARKS = {
    *("", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NULL", "null", "None"),
    *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
}
"""What pandas reads as missing in a CSV file (`read_csv`, `na_values`)."""

MAX_CAUSE = 200
"""The maximum number of characters of a cause in a message, because a cause may quote cells."""

SCHEMAS = ("ARROW:schema", "org.apache.spark.")
"""Parquet metadata that is not kept: lists of all columns, and the version of Spark."""


class File(NamedTuple):
    """What a file holds."""

    path: str
    data: bytes
    """Its whole content, decompressed; CSV without its byte order mark and blank lines."""
    frame: pl.DataFrame
    header: list[str]
    """The names of the columns as they are written; a name may occur twice."""
    separator: str
    """What stands between the cells of CSV."""
    bom: bytes = b""
    """The byte order mark of a CSV file, if it has one."""

    def separator_in(self, out: str) -> str:
        """Return the separator for a file made from this one; the new file's name may set it."""
        is_named = self.separator == separator_of(self.path)
        return separator_of(out, "," if is_named else self.separator)


def check_path(path: str) -> None:
    if path != PIPE and not path.lower().endswith(SUFFIXES):
        *first, last = SUFFIXES
        msg = (
            f"A file name must end in {', '.join(first)} or {last}, got {path!r}"
            f"{', a directory' if path and Path(path).is_dir() else ''}."
            "\nHint: - is standard input or output, as CSV."
        )
        raise StratError(msg)


def stem_of(path: str) -> str:
    return re.sub(r"\.(csv|tsv|csv\.gz|parquet)$", "", Path(path).name, flags=re.IGNORECASE)


def is_text_file(path: str) -> bool:
    return not path.lower().endswith(".parquet")


def read_file(path: str, separator: str = "") -> File:
    """Read a whole file, or standard input; the separator is guessed if it is not given."""
    with file_errors(path, "read"):
        data = sys.stdin.buffer.read() if path == PIPE else Path(path).read_bytes()
        if path.lower().endswith(".gz") or data.startswith(GZIP):
            data = gzip.decompress(data)
        if is_text_file(path):
            return parse_csv(path, data, separator or separator_of(path))
        frame = pl.read_parquet(data)
        return File(path, data, frame, frame.columns, separator or ",")


def separator_of(path: str, otherwise: str = "") -> str:
    """Return the separator that the name of a file implies: a tab for .tsv, else `otherwise`."""
    return "\t" if path.lower().endswith(".tsv") else otherwise


def parse_csv(path: str, data: bytes, separator: str) -> File:
    """Parse CSV without its blank lines; a column whose numbers fit no type becomes text."""
    bom, text = data[: len(BOM) * data.startswith(BOM)], data.removeprefix(BOM).lstrip(b"\r\n")
    header = parse_header(text, separator or ",")
    if not separator and len(header) == 1:
        for sign, signs in ((";", "semicolons"), ("\t", "tabs")):
            if len(found := parse_header(text, sign)) > 1:
                header, separator = found, sign
                warn(f"The cells of {path!r} are read as separated by {signs}, as its header is.")
                break
    separator = separator or ","
    if len(header) > 1 and re.search(rb"\n(?: *\r?\n| +\Z)", text):
        # Line ends inside quoted cells stay.
        quoted = rb'((?:^|%b)"(?:[^"]++|"")*+")' % re.escape(separator.encode())
        text = re.sub(quoted + rb"|^(?: *\r?\n| +\Z)", rb"\1", text, flags=re.MULTILINE)
    read = partial(pl.read_csv, BOM + text, separator=separator)  # so that no text looks compressed
    types: dict[str, Any] = {}
    while True:
        try:
            frame = read(infer_schema_length=None, schema_overrides=types)
        except pl.exceptions.ComputeError as error:
            places = re.findall(r"\(column number (\d+)\)", str(error))
            names = read(infer_schema=False).columns[int(places[-1]) - 1 :] if places else []
            if not names or names[0] in types:
                raise
            types[names[0]] = pl.String
        else:
            return File(path, text, frame, header, separator, bom)


def parse_header(text: bytes, separator: str) -> list[str]:
    """Parse the first line of CSV, because Polars takes any encoding and renames repeated names."""
    lines = TextIOWrapper(BytesIO(text), "utf-8", newline="")
    header = next(csv.reader(lines, delimiter=separator), [])
    if any("\0" in name for name in header):
        msg = "it is in UTF-16, not in UTF-8"
        raise UnicodeError(msg)
    return header


def read_folds(
    frame: pl.DataFrame, names: Collection[str], parts: Collection[str], *, alike: bool
) -> pl.DataFrame:
    """Read blanks and marks such as NA as missing in columns of folds or parts.

    A mark that is the name of one of `parts` is a part. With `alike`, a column that mixes
    numbers and words is an error.
    """
    marks = MISSING_MARKS.difference(parts)
    texts = [frame[name] for name in names if frame.schema.get(name) == pl.String]
    return frame.with_columns([clear_marks(each, marks, alike=alike) for each in texts])


def clear_marks(series: pl.Series, marks: Collection[str], *, alike: bool) -> pl.Series:
    """Set marks of missing values to null; convert the rest to numbers if all of it is numeric."""
    is_known = ~series.str.strip_chars().is_in(list(marks))
    known = series.zip_with(is_known, pl.Series([None], dtype=pl.String))
    numbers = known.str.strip_chars().cast(pl.Float64, strict=False)
    words = (known.is_not_null() & numbers.is_null()).arg_true().to_numpy()
    if alike and numbers.count() and len(words):
        msg = (
            f"`extend` needs folds 0..k-1 in {series.name!r}, but there are other values in"
            f" {describe_rows(words)}.\nHint: an empty cell or NA is a missing fold."
        )
        raise StratError(msg)
    return known if len(words) or not numbers.count() else numbers


def read_alike(several: Mapping[str, pl.DataFrame]) -> list[pl.DataFrame]:
    """Read marks such as NA as missing in CSV columns that hold numbers in other files."""
    types = [frame.schema for frame in several.values()]
    mixed = [x for x in types[0] if len({each.get(x) == pl.String for each in types}) > 1]
    return [
        read_folds(frame, mixed, (), alike=False) if is_text_file(path) else frame
        for path, frame in several.items()
    ]


def parse_times(frame: pl.DataFrame, names: Collection[str]) -> pl.DataFrame:
    """Read marks as missing in columns of times, and text as times if all of it is in ISO format.

    Either all times or none must have a time zone.
    """
    frame = read_folds(frame, names, (), alike=False)
    for name in names:
        with suppress(ValueError, OverflowError):
            texts = frame[name].str.strip_chars() if frame.schema.get(name) == pl.String else ()
            times = [text and datetime.fromisoformat(text) for text in texts]
            if len({each.tzinfo is not None for each in times if each}) == 1:
                utc = [each.astimezone(UTC) if each and each.tzinfo else each for each in times]
                frame = frame.with_columns(pl.Series(name, utc))
    return frame


def update_file(
    file: File, out: str, result: pl.DataFrame, names: Sequence[str], rows: Mapping[str, Flags]
) -> bytes:
    """Encode a result as a file of the type of `out`, whose columns have new values in some rows.

    If both files are of one type, all other cells and the metadata stay as they are.
    """
    with file_errors(out, "written"):
        if is_text_file(file.path) and is_text_file(out):
            return update_csv(file, file.separator_in(out), result, names, rows)
        if not is_text_file(file.path) and not is_text_file(out):
            metadata = pl.read_parquet_metadata(BytesIO(file.data))
            kept = {key: text for key, text in metadata.items() if not key.startswith(SCHEMAS)}
            if kept:
                return update_parquet(file.data, kept, result, names)
    return encode_frame(result, out, file.separator_in(out))


def update_csv(
    file: File,
    separator: str,
    result: pl.DataFrame,
    names: Sequence[str],
    rows: Mapping[str, Flags],
) -> bytes:
    data = BOM + file.data  # so that no text looks compressed
    texts = pl.read_csv(data, has_header=False, infer_schema=False, separator=file.separator)
    # The header is the first cell of each column.
    columns = dict(zip(file.frame.columns, texts, strict=True))
    for name in names:
        cells = pl.Series([name]).append(result[name].cast(pl.String))
        if name in columns:
            written = np.append(False, rows.get(name, np.ones(len(result), dtype=bool)))
            cells = cells.zip_with(pl.Series(written), columns[name])
        columns[name] = cells
    header = HEADER.match(file.data)
    line_end = "\r\n" if header and header[0].endswith(b"\r\n") else "\n"
    text = BytesIO()
    pl.DataFrame(columns).write_csv(
        text,
        include_header=False,
        separator=separator,
        line_terminator=line_end,
    )
    if not file.data.endswith(b"\n"):
        text.truncate(text.tell() - len(line_end))
    return file.bom + text.getvalue()


def update_parquet(
    data: bytes, metadata: dict[str, str], result: pl.DataFrame, names: Sequence[str]
) -> bytes:
    described = json.loads(metadata.get("pandas", "null"))
    if described:  # it still describes the columns to be replaced
        for name in names:
            if name in described["index_columns"]:
                msg = (
                    f"`name` must not be the index of the frame, got {name!r}.\nHint: give the"
                    " column another name."
                )
                raise StratError(msg)
        described["columns"] = [each for each in described["columns"] if each["name"] not in names]
        metadata = metadata | {"pandas": json.dumps(described)}
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError as error:
        msg = "Parquet with metadata, such as a pandas index, needs pyarrow: pip install pyarrow"
        raise ImportError(msg) from error
    table = parquet.read_table(BytesIO(data))
    for name in names:
        place, column = table.schema.get_field_index(name), result[name].to_arrow()
        put = table.append_column if place < 0 else partial(table.set_column, place)
        table = put(name, column)
    file = BytesIO()
    parquet.write_table(table.replace_schema_metadata(metadata), file)
    try:
        parquet.read_schema(file).empty_table().to_pandas()
    except (TypeError, ValueError) as error:
        msg = "pandas could not read it, because not all column names of its frame are text"
        raise ValueError(msg) from error
    return file.getvalue()


def encode_frame(frame: pl.DataFrame, path: str, separator: str) -> bytes:
    with file_errors(path, "written"):
        file = BytesIO()
        if is_text_file(path):
            frame.write_csv(file, separator=separator)
        else:
            frame.write_parquet(file)
        return file.getvalue()


def write_file(data: bytes, path: str) -> None:
    """Write the whole file or nothing; a link stays, and its target is replaced."""
    with file_errors(path, "written"):
        if path.lower().endswith(".gz"):
            data = gzip.compress(data, mtime=0)  # the same bytes each time
        target = Path(os.path.realpath(path))
        draft = target.with_name(f".stratframe-{token_hex(8)}")
        is_old = target.exists() or target.is_symlink()  # the latter for a loop of links
        if is_old:
            target.open("r+b").close()  # fails if the old file is read-only, as a rename would not
        try:
            with draft.open("xb") as file:
                if is_old:
                    copymode(target, draft)
                file.write(data)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


@contextmanager
def file_errors(path: str, done: str) -> Iterator[None]:
    """Raise, with the cause in one line, if a file cannot be read or written."""
    try:
        yield
    except StratError:
        raise
    except (
        *(OSError, EOFError, ValueError, zlib.error, csv.Error),
        *(pl.exceptions.PolarsError, pl.exceptions.PanicException),
    ) as error:
        text = getattr(error, "strerror", None) or str(error)
        line = text.strip().partition("\n")[0].rstrip(".")
        cause = f"{line}." if len(line) <= MAX_CAUSE else f"{line[:MAX_CAUSE]}..."
        msg = f"The file {path!r} cannot be {done}: {cause}"
        raise StratError(msg) from error
