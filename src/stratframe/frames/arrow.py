"""Read frames of other libraries, such as pyarrow and DuckDB, and give results back as these.

Whatever has the method `__arrow_c_stream__` is read once, with all its columns, as a Polars frame.
A frame of narwhals is unwrapped, and wrapped again.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
import polars as pl

from ..core.types import Ints
from ..errors import StratError
from .libraries import Series, library_in

ROW = "position of a row in stratframe"
"""The name of the column that finds selected rows again in a pyarrow table."""

UNREAD = "Arrow type that Polars cannot read"
"""The name of the field of the columns that stand in for those that Polars cannot read."""

PLACEHOLDER = pl.Struct({UNREAD: pl.Null})

UNREADABLE = ("dense_union", "sparse_union", "union", "month_day_nano_interval", "run_end_encoded")
"""The types of Arrow that Polars does not have, by the start of their names."""

ORDERED = ("pyarrow", "modin", "cudf")
"""The libraries whose frames keep their rows in one order."""

NEW_TYPES = (pl.Int64, pl.Enum)
"""The Polars types of the columns that verbs write."""


@dataclass(frozen=True)
class Reading:
    """A frame as verbs take it, with all that is needed to give results back as the caller's."""

    frame: Any
    table: Any = None
    """The pyarrow table that was read."""
    unread: Mapping[str, str] = field(default_factory=dict)
    """The reason why Polars cannot read a column, by the name of the column."""
    unordered: str = ""
    """The name of the library, if its rows come in any order."""
    narwhals: Any = None
    """The module of narwhals whose frame was unwrapped."""

    @property
    def numbered(self) -> Any:
        """The frame, with the positions of its rows if they must be found again in the table.

        It is then lazy, so that the other columns are selected in the table alone.
        """
        if self.table is None:
            return self.frame
        return self.frame.with_columns(pl.int_range(pl.len()).alias(ROW)).lazy()

    def give_columns(self, made: Any, *, may_replace: bool) -> Any:
        """Give a frame with new columns back."""
        if self.table is not None:
            return self.wrap(write_columns(self.table, self.frame, made, may_replace=may_replace))
        return self.wrap(self.without_placeholders(made))

    def give_rows(self, rows: Any) -> Any:
        """Give some rows of the frame `numbered` back."""
        if self.table is not None:
            positions = rows.lazy().select(ROW).collect()[ROW]
            return self.wrap(keep_table_rows(self.table, positions.to_numpy()))
        return self.wrap(self.without_placeholders(rows))

    def without_placeholders(self, made: Any) -> Any:
        return made.drop(list(self.unread)) if self.unread else made

    def wrap(self, native: Any) -> Any:
        return native if self.narwhals is None else self.narwhals.from_native(native)


def unwrap(value: Any) -> Reading | None:
    """Take the frame out of one of narwhals; return None for any other object."""
    library = sys.modules.get("narwhals")
    if library is None or not isinstance(value, library.DataFrame | library.LazyFrame):
        return None
    path = type(value).__module__.split(".")
    stable = path[:3] if path[:2] == ["narwhals", "stable"] else ["narwhals"]
    return Reading(value.to_native(), narwhals=sys.modules[".".join(stable)])


def collect_narwhals(value: Any) -> Reading:
    """Read a frame of narwhals whose library has no Arrow stream."""
    if hasattr(value, "collect"):
        return Reading(value.collect("polars").to_native(), unordered="narwhals")
    return Reading(value.to_polars())


def has_stream(value: Any) -> bool:
    """Return whether an object is a table with an Arrow stream, and not a single column."""
    kind = type(value)
    if not hasattr(kind, "__arrow_c_stream__") or isinstance(value, Series):
        return False
    if library_in([each.__module__ for each in kind.__mro__]).startswith("pyspark"):
        return False
    return hasattr(kind, "columns") or hasattr(kind, "schema")


def read_stream(value: Any) -> Reading:
    """Read an Arrow stream as a Polars frame; columns that Polars cannot read get a placeholder."""
    library = type(value).__module__.partition(".")[0].lstrip("_")
    try:
        frame, unread = read_columns_of(value)
    except (MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # panics of Polars are no Exception
        msg = (
            f"`frame` must be an Arrow stream that can be read, but reading the"
            f" {type(value).__name__} failed: {describe_error(error)}"
        )
        raise StratError(msg) from error
    is_table = library == "pyarrow" and type(value).__name__ == "Table"
    return Reading(
        frame,
        table=value if is_table else None,
        unread=unread,
        unordered="" if library in ORDERED else library,
    )


def describe_error(error: BaseException) -> str:
    """Return the first line of an error, which ends in a full stop."""
    lines = str(error).splitlines() or [type(error).__name__]
    return f"{lines[0].rstrip('.')}."


def read_columns_of(value: Any) -> tuple[pl.DataFrame, dict[str, str]]:
    pyarrow: Any = None
    with suppress(ImportError):
        pyarrow = import_module("pyarrow")
    if pyarrow is None:  # then it is left to Polars which types it can read
        return pl.DataFrame(value), {}
    reader = pyarrow.RecordBatchReader.from_stream(value)
    unread = list_unread(reader.schema)
    if not unread:
        return pl.DataFrame(reader), {}
    names = reader.schema.names
    places = [place for place, name in enumerate(names) if name not in unread]
    batches = [batch.select(places) for batch in reader]
    schema = pyarrow.schema([reader.schema.field(place) for place in places])
    frame = pl.DataFrame(pyarrow.Table.from_batches(batches, schema))
    n_rows = sum(batch.num_rows for batch in batches)
    columns = {}
    for name in dict.fromkeys(names):
        if name in unread:
            columns[name] = pl.repeat(None, n_rows, dtype=PLACEHOLDER, eager=True)
        else:
            columns[name] = frame[name]
    return pl.DataFrame(columns), unread


def list_unread(schema: Any) -> dict[str, str]:
    """Say of each column that Polars cannot read why it cannot."""
    unread = {}
    for field_of_column in schema:
        name = field_of_column.name
        if schema.names.count(name) > 1:
            unread[name] = f"its name occurs {schema.names.count(name)} times"
        elif not all(map(is_readable, parts_of(field_of_column.type))):
            unread[name] = f"Polars has no type for {field_of_column.type}"
    return unread


def parts_of(kind: Any) -> Iterator[Any]:
    """Yield an Arrow type, and all types that it consists of."""
    yield kind
    storage = getattr(kind, "storage_type", None)  # of an extension
    if storage is not None:
        yield from parts_of(storage)
    for place in range(kind.num_fields):
        yield from parts_of(kind.field(place).type)
    if str(kind).startswith("dictionary<"):
        yield from parts_of(kind.value_type)


def is_readable(kind: Any) -> bool:
    name = str(kind)
    if name.startswith(("decimal256", "list_view", "large_list_view")):
        return False
    return not name.startswith(UNREADABLE)


# Results ---------------------------------------------------------------------------------


def write_columns(table: Any, read: pl.DataFrame, made: pl.DataFrame, *, may_replace: bool) -> Any:
    """Append new columns to a pyarrow table, and put those that replace others in their places."""
    for name in made.columns:
        if name not in read.columns:
            written = made.select(name).to_arrow()
            table = table.append_column(written.schema.field(0), written.column(0))
        elif may_replace and is_rewritten(read[name], made[name]):
            written = made.select(name).to_arrow()
            place = table.schema.get_field_index(name)
            table = table.set_column(place, written.schema.field(0), written.column(0))
    return table


def is_rewritten(before: pl.Series, after: pl.Series) -> bool:
    if not isinstance(after.dtype, NEW_TYPES):
        return False
    return before.dtype != after.dtype or not before.equals(after, null_equal=True)


def keep_table_rows(table: Any, rows: Ints) -> Any:
    """Select rows of a pyarrow table, in their order."""
    flags = np.zeros(table.num_rows, dtype=np.bool_)
    flags[rows] = True
    pyarrow = sys.modules["pyarrow"]
    try:
        return table.filter(pyarrow.array(flags))
    except pyarrow.ArrowNotImplementedError as error:
        msg = (
            f"Rows of the table must be ones that pyarrow can select, but {describe_error(error)}"
            "\nHint: drop or cast the column with this type first."
        )
        raise StratError(msg) from error


def unread_columns(frame: Any) -> list[str]:
    """List the columns of a frame that stand in for those that Polars cannot read."""
    if not isinstance(frame, pl.DataFrame):
        return []
    return [name for name, dtype in frame.schema.items() if dtype == PLACEHOLDER]
