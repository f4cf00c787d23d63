"""Make the cells of result tables: the columns that name strata, and their order.

Tables have a row for each stratum, or each stratum and fold.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Concatenate, Protocol, cast, overload

import numpy as np

from .. import frames
from ..core.strata import first_occurrence
from ..core.types import Ints, Values
from ..errors import StratError, above_limit, plural
from ..frames import AnyFrame, Frame
from ..frames.libraries import PandasFrame, PolarsFrame, PolarsTable
from ..habits import Params
from ..pipeline.nest import Strata

RESERVED = ("n", "share", "fold", "expected", "deviation")
"""The names of columns in result tables. An entry of `by` must not have any of these names."""

ALL_ROWS = "all rows"
"""The name of the only stratum if no entry of `by` divides the rows."""

DECIMALS = 2
"""The number of decimal places in rounded columns, chosen to make tables fit in a terminal."""

MAX_TABLE_ROWS = 2**26
"""The maximum number of rows in a result table; pandas needs 8 GiB to make a table of this size."""


class TableVerb(Protocol[Params]):
    """A verb that returns an eager table of the same library as the frame that it is given."""

    @overload
    def __call__(
        self, frame: PandasFrame, /, *args: Params.args, **kwargs: Params.kwargs
    ) -> PandasFrame: ...
    @overload
    def __call__(
        self, frame: PolarsFrame, /, *args: Params.args, **kwargs: Params.kwargs
    ) -> PolarsTable: ...
    @overload
    def __call__(
        self, frame: Mapping[str, PandasFrame], /, *args: Params.args, **kwargs: Params.kwargs
    ) -> PandasFrame: ...
    @overload
    def __call__(
        self, frame: Mapping[str, PolarsFrame], /, *args: Params.args, **kwargs: Params.kwargs
    ) -> PolarsTable: ...
    @overload
    def __call__(self, frame: AnyFrame, /, *args: Params.args, **kwargs: Params.kwargs) -> Any: ...


def table_verb(function: Callable[Concatenate[Frame, Params], Any]) -> TableVerb[Params]:
    """Declare for type checkers that a verb returns a table; the function itself is unchanged."""
    return cast("TableVerb[Params]", function)


def check_table_size(verb: str, levels: Iterable[Strata], n_parts: int) -> None:
    n_strata = sum(len(level.sizes) for level in levels)
    n_rows = n_strata * n_parts
    if n_rows > MAX_TABLE_ROWS:
        size = f" ({plural(n_strata, 'stratum', 'strata')} x {plural(n_parts, 'part')})"
        fault = above_limit(f"The table of `{verb}`", MAX_TABLE_ROWS, "row", n_rows, size)
        msg = f"{fault}\nHint: name fewer entries in `by`, or cut them into fewer strata."
        raise StratError(msg)


def stacked_table(library: str, rows: Sequence[dict[Hashable, Any]]) -> Any:
    if len(rows) == 1:
        return frames.make_frame(library, rows[0])
    table: dict[Hashable, list[Any]] = {}
    for columns in rows:
        for column, cells in columns.items():
            table.setdefault(column, []).extend(frames.to_list(cells))
    return frames.make_frame(library, table)


def fold_table(
    names: Sequence[Any], table_of: Callable[[Any, str], Any], columns: Sequence[str] = ()
) -> Any:
    """Make one table of all fold columns by stacking their tables.

    A single fold column keeps its name if this is text that the table does not use yet.
    """
    if len(names) == 1:
        name = names[0]
        is_free = isinstance(name, str) and name not in columns
        return table_of(name, name if is_free else "fold")
    tables = [table_of(name, "fold") for name in names]
    if "column" in frames.column_names(tables[0]):
        raise StratError(taken_name("column"))
    return frames.result.stack_frames(list(map(str, names)), tables)


def format_values(values: Sequence[Any]) -> list[str | None]:
    """Convert values to text, and missing values to None."""
    return [None if value is None or value != value else str(value) for value in values]


def table_order(strata: Strata) -> Ints:
    """Sort strata for a table in ascending order of classes or bins, with missing values last."""
    if not strata.levels:
        return np.arange(len(strata.sizes))
    first = first_occurrence(strata.codes, len(strata.sizes))
    columns = []
    for level in strata.levels:
        ranks = None
        if level.term.is_nominal:
            ranks = frames.result.rank_values(level.values(first))
        # Classes that cannot be compared are sorted by first appearance.
        columns.append(level.places[first] if ranks is None else ranks)
    return np.lexsort(columns[::-1])


def stratum_columns(strata: Strata, which: Ints, *, is_margin: bool) -> dict[Hashable, Any]:
    """Make the columns that name strata: one per entry or, for margins, `entry` and `value`."""
    columns: dict[Hashable, Any] = {}
    first = first_occurrence(strata.codes, len(strata.sizes))[which]
    if is_margin:
        (level,) = strata.levels
        values = format_values(frames.to_list(level.values(first)))
        return {"entry": [str(level.name)] * len(first), "value": values}
    for level in strata.levels:
        if level.name in RESERVED or level.name in columns:
            raise StratError(taken_name(level.name))
        columns[level.name] = level.values(first)
    return columns


def taken_name(name: Hashable) -> str:
    return (
        f"{name!r} is already a column of the result: an entry of `by` must have another name."
        '\nHint: rename the entry, as in `sf.classes(..., name="stratum")`.'
    )


def stratum_names(strata: Strata, which: Ints, *, with_entry: bool) -> list[str]:
    """Write the names of strata as text, with the values of several entries in brackets."""
    entry = f"{strata.levels[0].name}: " if with_entry and strata.levels else ""
    names = []
    for texts in stratum_texts(strata, which):
        name = texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
        names.append(f"{entry}{name}")
    return names


def stratum_texts(strata: Strata, which: Ints) -> list[tuple[str, ...]]:
    """Write the values of strata as text, one for each entry."""
    if not strata.levels:
        return [(ALL_ROWS,)] * len(which)
    first = first_occurrence(strata.codes, len(strata.sizes))[which]
    columns = [format_values(frames.to_list(level.values(first))) for level in strata.levels]
    return [tuple(text or "missing" for text in row) for row in zip(*columns, strict=True)]


def text_array(texts: Sequence[str]) -> Any:
    """Make an array of strings; without the dtype, an empty array would hold floats."""
    return np.array(texts, dtype=np.str_)


def rounded_column(library: str, values: Values) -> Any:
    """Make a column of rounded floats, with NaN replaced by the missing value of the library."""
    return frames.float_column(library, values.round(DECIMALS))
