"""Read and write CSV and Parquet files as Polars frames for the command line."""

import csv
import gzip
import json
import os
import re
import sys
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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

from ..core.types import Flags, Ints
from ..errors import StratError, describe_rows, either, warn

PIPE = "-"
"""The path that stands for standard input or standard output; both are in CSV format."""

SUFFIXES = (".csv", ".tsv", ".csv.gz", ".parquet")

BOM = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8."""

GZIP = b"\x1f\x8b"
"""The first bytes of a file compressed by gzip."""

HEADER = re.compile(rb'(?:[^"\n]*"[^"]*")*[^"\n]*\n')
"""A pattern for the first line of a CSV file, in which quoted cells can contain line ends."""

OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs"}
"""The separators that are guessed from a header without commas."""

MISSING_MARKS = {
    "",
    "NA",
    "N/A",
    "n/a",
    "<NA>",
    "#NA",
    "#N/A",
    "#N/A N/A",
    "NULL",
    "null",
    "None",
    "NaN",
    "nan",
    "-NaN",
    "-nan",
    "1.#IND",
    "-1.#IND",
    "1.#QNAN",
    "-1.#QNAN",
}
"""The cells of a CSV file that `pandas.read_csv` reads as missing by default."""

MAX_CAUSE = 200
"""The maximum length of a cause in an error message, because a cause can quote long cells."""

SCHEMAS = ("ARROW:schema", "org.apache.spark.")
"""Prefixes of the metadata keys to drop from Parquet files: schemas and the Spark version."""


class File(NamedTuple):
    """The content of a file."""

    path: str
    data: bytes
    """The decompressed bytes; for CSV, without the byte order mark or blank lines at the start."""
    frame: pl.DataFrame
    header: list[str]
    """The names of the columns as written in the file; a name may occur twice."""
    separator: str
    """The character that separates the cells of a CSV file."""
    bom: bytes = b""
    """The byte order mark of a CSV file, if it has one."""

    def separator_in(self, out: str) -> str:
        """Return the separator to use in an output file; a name that ends in .tsv implies a tab."""
        is_named = self.separator == separator_of(self.path)
        return separator_of(out, "," if is_named else self.separator)


def check_path(path: str) -> None:
    if path != PIPE and not path.lower().endswith(SUFFIXES):
        noun = ", a directory" if path and Path(path).is_dir() else ""
        msg = (
            f"A file name must end in {either(SUFFIXES)}, got {path!r}{noun}."
            "\nHint: `-` stands for standard input or output, in CSV format."
        )
        raise StratError(msg)


def stem_of(path: str) -> str:
    return re.sub(r"\.(csv|tsv|csv\.gz|parquet)$", "", Path(path).name, flags=re.IGNORECASE)


def is_text_file(path: str) -> bool:
    return not path.lower().endswith(".parquet")


def read_file(path: str, separator: str = "") -> File:
    """Read a whole file or standard input; the separator of CSV is guessed if it is not given."""
    with file_errors(path, "read"):
        data = read_bytes(path)
        if path.lower().endswith(".gz") or data.startswith(GZIP):
            data = gzip.decompress(data)
        if is_text_file(path):
            return parse_csv(path, data, separator or separator_of(path))
        frame = pl.read_parquet(data)
        return File(path, data, frame, frame.columns, separator or ",")


def read_bytes(path: str) -> bytes:
    if path != PIPE:
        return Path(path).read_bytes()
    if sys.stdin is None:
        msg = "it is closed"
        raise OSError(msg)
    return sys.stdin.buffer.read()


def separator_of(path: str, otherwise: str = "") -> str:
    """Return a tab if the name of a file ends in .tsv, and `otherwise` for any other name."""
    return "\t" if path.lower().endswith(".tsv") else otherwise


def parse_csv(path: str, data: bytes, separator: str) -> File:
    """Parse CSV; blank lines are skipped, but are missing values of a single column."""
    bom = BOM if data.startswith(BOM) else b""
    text = data.removeprefix(BOM).lstrip(b"\r\n")
    check_line_ends(text)
    separator = separator or guess_separator(path, text)
    header = parse_header(text, separator)
    if len(header) > 1:
        text = drop_blank_lines(text, separator)
    return File(path, text, parse_cells(text, separator), header, separator, bom)


def check_line_ends(text: bytes) -> None:
    """Raise if the first line ends in CR alone, which Polars takes for a part of a cell."""
    line = HEADER.match(text)
    unquoted = re.sub(rb'"[^"]*"', b"", line[0] if line else text)
    if re.search(rb"\r(?!\n|\Z)", unquoted):
        msg = "its lines end in CR alone, not in LF or CR LF"
        raise ValueError(msg)


def guess_separator(path: str, text: bytes) -> str:
    """Return a comma, or another sign that separates the names of a header without commas."""
    if len(parse_header(text, ",")) > 1:
        return ","
    for separator, noun in OTHER_SEPARATORS.items():
        if len(parse_header(text, separator)) > 1:
            warn(f"{path!r} is read with {noun} as separators, as its header contains them.")
            return separator
    return ","


def parse_header(text: bytes, separator: str) -> list[str]:
    """Parse the header without Polars, which accepts any encoding and renames repeated names."""
    lines = TextIOWrapper(BytesIO(text), "utf-8", newline="")
    try:
        header = next(csv.reader(lines, delimiter=separator), [])
    except csv.Error as error:  # the only rule of the reader is the length of a cell
        limit = f"{csv.field_size_limit():,} characters"
        msg = f"a name in its header has more than {limit}, perhaps as a quote is not closed"
        raise ValueError(msg) from error
    if any("\0" in name for name in header):
        msg = "it is in UTF-16, not in UTF-8"
        raise UnicodeError(msg)
    return header


def drop_blank_lines(text: bytes, separator: str) -> bytes:
    """Remove blank lines, but for those inside quoted cells."""
    if not re.search(rb"\n(?: *\r?\n| +\Z)", text):
        return text
    quoted = rb'((?:^|%b)"(?:[^"]++|"")*+")' % re.escape(separator.encode())
    return re.sub(quoted + rb"|^(?: *\r?\n| +\Z)", rb"\1", text, flags=re.MULTILINE)


def parse_cells(text: bytes, separator: str) -> pl.DataFrame:
    """Parse the cells of CSV, and read a column of numbers that fit no dtype as text."""
    read = partial(pl.read_csv, BOM + text, separator=separator)  # the BOM marks the data as text
    types: dict[str, Any] = {}
    while True:
        try:
            return read(infer_schema_length=None, schema_overrides=types)
        except pl.exceptions.ComputeError as error:
            # Polars names the column at fault only here.
            places = re.findall(r"\(column number (\d+)\)", str(error))
            if not places:
                raise
            names = read(infer_schema=False).columns[int(places[-1]) - 1 :]
            if not names or names[0] in types:
                raise
            types[names[0]] = pl.String


def read_folds(
    frame: pl.DataFrame, names: Collection[str], parts: Collection[str], *, alike: bool
) -> pl.DataFrame:
    """Read blank cells and marks such as NA as missing values in columns of folds or parts.

    A mark that is also the name of a part is read as that part. With `alike`, a column must not
    hold both numbers and words.
    """
    marks = MISSING_MARKS.difference(parts)
    texts = [frame[name] for name in names if frame.schema.get(name) == pl.String]
    return frame.with_columns([clear_marks(each, marks, alike=alike) for each in texts])


def clear_marks(series: pl.Series, marks: Collection[str], *, alike: bool) -> pl.Series:
    """Replace marks of missing values with null; convert the other values to floats if possible."""
    is_known = ~series.str.strip_chars().is_in(list(marks))
    known = series.zip_with(is_known, pl.Series([None], dtype=pl.String))
    numbers = known.str.strip_chars().cast(pl.Float64, strict=False)
    words = (known.is_not_null() & numbers.is_null()).arg_true().to_numpy()
    if alike and numbers.count() and len(words):
        msg = (
            f"`extend` needs folds 0..k-1 in {series.name!r}, but there are other values in"
            f" {describe_rows(words)}.\nHint: an empty cell or NA stands for a missing fold."
        )
        raise StratError(msg)
    return known if len(words) or not numbers.count() else numbers


def read_alike(frames: Mapping[str, pl.DataFrame]) -> list[pl.DataFrame]:
    """Read marks such as NA as missing values in CSV columns that are text in only some files."""
    schemas = [frame.schema for frame in frames.values()]
    mixed = []
    for name in schemas[0]:
        is_text = {schema.get(name) == pl.String for schema in schemas}
        if len(is_text) > 1:
            mixed.append(name)
    alike = []
    for path, frame in frames.items():
        if is_text_file(path):
            frame = read_folds(frame, mixed, (), alike=False)
        alike.append(frame)
    return alike


def parse_times(frame: pl.DataFrame, name: str, path: str) -> pl.DataFrame:
    """Convert a text column in ISO format to times, and read marks such as NA as missing values.

    A column of other text, or of times that UTC does not have, remains text.
    """
    frame = read_folds(frame, [name], (), alike=False)
    if frame.schema.get(name) != pl.String:
        return frame
    texts = frame[name].str.strip_chars()
    try:
        times = [datetime.fromisoformat(text) if text else None for text in texts]
    except ValueError:
        return frame
    is_known = [time is not None for time in times]
    is_zoned = [time is not None and time.tzinfo is not None for time in times]
    if not any(is_known):
        return frame
    if not any(is_zoned):
        return frame.with_columns(pl.Series(name, times, dtype=pl.Datetime("us")))
    if is_zoned != is_known:
        raise mixed_zones(name, path, np.array(is_known), np.array(is_zoned))
    with suppress(OverflowError):
        utc = [time.astimezone(UTC) if time else None for time in times]
        return frame.with_columns(pl.Series(name, utc))
    return frame


def mixed_zones(name: str, path: str, is_known: Flags, is_zoned: Flags) -> StratError:
    with_zone = describe_rows(np.flatnonzero(is_zoned))
    without = describe_rows(np.flatnonzero(is_known & ~is_zoned))
    return StratError(
        f"`time` needs times that all have a time zone or all have none, but {name!r} of {path!r}"
        f" has one in {with_zone} and none in {without}."
        "\nHint: write all times with a zone, as in 2024-03-31T12:00Z."
    )


def has_zoned_times(frame: pl.DataFrame, name: str) -> bool | None:
    """Return whether the times of a column have a time zone, or None if it holds no times."""
    dtype = frame.schema.get(name)
    if not isinstance(dtype, pl.Datetime) or frame[name].count() == 0:
        return None
    return dtype.time_zone is not None


def update_file(
    file: File, out: str, result: pl.DataFrame, names: Sequence[str], rows: Mapping[str, Flags]
) -> bytes:
    """Encode a result in the format of `out`; `rows` flags the new values in the columns `names`.

    If `file` and `out` have the same format, the other cells and the metadata are not changed.
    """
    with file_errors(out, "written"):
        if is_text_file(file.path) and is_text_file(out):
            return update_csv(file, file.separator_in(out), result, names, rows)
        if not is_text_file(file.path) and not is_text_file(out):
            metadata = own_metadata(file.data)
            if metadata:
                return update_parquet(file.data, metadata, result, names)
    return encode_frame(result, out, file.separator_in(out))


def sampled_positions(frame: pl.DataFrame, sample: Callable[[pl.DataFrame], pl.DataFrame]) -> Ints:
    """Return the positions of the rows that a function selects."""
    name = "position"
    while name in frame.columns:
        name += "_"
    positions = pl.Series(name, np.arange(len(frame)))
    chosen: Ints = sample(frame.with_columns(positions))[name].to_numpy()
    return chosen


def select_rows(file: File, out: str, rows: Ints) -> bytes:
    """Encode the rows at some positions in the format of `out`, with their cells as written."""
    with file_errors(out, "written"):
        if is_text_file(file.path) and is_text_file(out):
            cells = pl.DataFrame(text_cells(file))
            # The header is the first row.
            return encode_cells(file, cells[np.append(0, rows + 1)], file.separator_in(out))
        if not is_text_file(file.path) and not is_text_file(out):
            metadata = own_metadata(file.data)
            if metadata:
                parquet = load_parquet()
                table = parquet.read_table(BytesIO(file.data)).take(rows)
                return encode_table(table.replace_schema_metadata(metadata))
    return encode_frame(file.frame[rows], out, file.separator_in(out))


def text_cells(file: File) -> dict[str, pl.Series]:
    """Read the cells of a CSV file as text; the header is the first cell of each column."""
    data = BOM + file.data  # the BOM marks the data as text, not as compressed data
    texts = pl.read_csv(data, has_header=False, infer_schema=False, separator=file.separator)
    return dict(zip(file.frame.columns, texts, strict=True))


def update_csv(
    file: File,
    separator: str,
    result: pl.DataFrame,
    names: Sequence[str],
    rows: Mapping[str, Flags],
) -> bytes:
    columns = text_cells(file)
    for name in names:
        cells = pl.Series([name]).append(result[name].cast(pl.String))
        if name in columns:
            written = np.append(False, rows.get(name, np.ones(len(result), dtype=bool)))
            cells = cells.zip_with(pl.Series(written), columns[name])
        columns[name] = cells
    return encode_cells(file, pl.DataFrame(columns), separator)


def encode_cells(file: File, cells: pl.DataFrame, separator: str) -> bytes:
    """Write cells as CSV, with the line ends and the byte order mark of a file."""
    header = HEADER.match(file.data)
    line_end = "\r\n" if header and header[0].endswith(b"\r\n") else "\n"
    text = BytesIO()
    cells.write_csv(
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
    if described:  # the metadata describes the columns that are replaced
        for name in names:
            if name in described["index_columns"]:
                msg = (
                    f"`name` must not be the index of the frame, got {name!r}.\nHint: give the"
                    " column another name."
                )
                raise StratError(msg)
        described["columns"] = [each for each in described["columns"] if each["name"] not in names]
        metadata = metadata | {"pandas": json.dumps(described)}
    table = load_parquet().read_table(BytesIO(data))
    for name in names:
        column = result[name].to_arrow()
        place = table.schema.get_field_index(name)
        if place < 0:
            table = table.append_column(name, column)
        else:
            table = table.set_column(place, name, column)
    return encode_table(table.replace_schema_metadata(metadata))


def own_metadata(data: bytes) -> dict[str, str]:
    """Read the metadata of a Parquet file that no writer adds by itself."""
    metadata = pl.read_parquet_metadata(BytesIO(data))
    return {key: value for key, value in metadata.items() if not key.startswith(SCHEMAS)}


def load_parquet() -> Any:
    try:
        return import_module("pyarrow.parquet")
    except ImportError as error:
        msg = "Keeping Parquet metadata, such as a pandas index, needs pyarrow: pip install pyarrow"
        raise ImportError(msg) from error


def encode_table(table: Any) -> bytes:
    """Encode an Arrow table as Parquet, and raise if pandas could not read its metadata."""
    parquet = load_parquet()
    file = BytesIO()
    parquet.write_table(table, file)
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
    """Write the whole file or nothing; if the path is a link, replace the target of the link."""
    with file_errors(path, "written"):
        if path.lower().endswith(".gz"):
            data = gzip.compress(data, mtime=0)  # a timestamp would change the bytes
        target = Path(os.path.realpath(path))
        draft = target.with_name(f".stratframe-{token_hex(8)}")
        is_old = target.exists() or target.is_symlink()  # `exists` is false for a loop of links
        if is_old:
            target.open("r+b").close()  # raises if the file is read-only; a rename would not
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
    """Raise an error that names the cause in one line if a file cannot be read or written."""
    try:
        yield
    except StratError:
        raise
    except (
        OSError,
        EOFError,
        ValueError,
        zlib.error,
        csv.Error,
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,
    ) as error:
        text = getattr(error, "strerror", None) or str(error)
        cause = text.strip().partition("\n")[0].rstrip(".") + "."
        if len(cause) > MAX_CAUSE + 1:
            cause = f"{cause[:MAX_CAUSE]}..."
        msg = f"{describe_file(path, done)} cannot be {done}: {cause}"
        raise StratError(msg) from error


def describe_file(path: str, done: str) -> str:
    if path == PIPE:
        return "Standard input" if done == "read" else "Standard output"
    return f"The file {path!r}"
