"""Compare and check references to columns, and read the columns.

A *reference* is the way in which a caller specifies a column: a column name, a Polars expression,
or, for pandas, `pd.col(...)` or a callable that takes the frame. The checks read only the names and
dtypes of columns so that an invalid call on a lazy frame fails before the query runs.
"""

import re
from abc import ABC
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl

from ..checks import is_hashable
from ..errors import (
    MAX_LISTED,
    StratError,
    describe,
    given_twice,
    is_data,
    no_such_column,
    plural,
    shorten,
)
from .dtypes import is_nested, nested_error
from .libraries import EagerFrame, Frame, Series, is_label, label_of, library_of, to_native
from .threads import check_threads


class SparkColumn(ABC):  # noqa: B024 - has no methods, because it only recognizes a class
    """A Spark column, recognized by the name of its class so that Spark is not imported."""

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        return other.__name__ == "Column" and other.__module__.startswith("pyspark.sql.")


PANDAS_EXPRESSIONS: Any = (getattr(pd.api.typing, "Expression", SparkColumn),)
"""The class of `pd.col(...)`, which is new in pandas 3.0."""


EXPRESSIONS = (pl.Expr, *PANDAS_EXPRESSIONS, SparkColumn)

DATA = (
    pd.Series,
    pd.DataFrame,
    pd.Index,
    pd.api.extensions.ExtensionArray,
    pl.Series,
    pl.DataFrame,
    pl.LazyFrame,
    np.ndarray,
)
"""The classes of data that users may give by mistake instead of a column name."""


class Repeated(NamedTuple):
    """A list that names a column twice or, as only the frame can tell, that holds values."""

    entries: tuple[Any, ...]
    error: StratError
    """The error for a list of names."""


ACCEPTED = {
    "by": "column names, terms such as `sf.quantiles`, or expressions",
    "groups": "column names, expressions, or one of `sf.clusters`, `sf.linked` and `sf.similar`",
    "where": "a boolean column, an expression or a callable",
    "name": "column names",
    "apart": "column names",
    "measure": "a column name or an expression",
    "target": "a column name, or `sf.classes` or `sf.continuous` of one",
}
"""Descriptions of what arguments accept, if not simply column names or expressions."""

OF_TERMS = ("by", "groups", "features")
"""The arguments that accept columns of vectors and expressions that give several columns."""

NOT_A_NUMBER = {
    "by": "`by` comes first; pass the number of folds as `k={}`",
    "name": "`name` names an existing column; `df.strat.kfold(..., k={})` adds one",
}
"""Hints for calls that give the number of folds instead of a column."""


def is_computed(ref: Any) -> bool:
    return isinstance(ref, EXPRESSIONS) or callable(ref)


def format_reference(ref: Any) -> str:
    return shorten(str(ref)) if isinstance(ref, EXPRESSIONS) else describe(ref)


def same_column(ref: Any, other: Any) -> bool:
    if isinstance(ref, pl.Expr) and isinstance(other, pl.Expr):
        return ref.meta.eq(other)
    return column_key(ref) == column_key(other)


def gives_column(frame: Any, ref: Any, label: Hashable) -> bool:
    """Return whether a reference gives the column `label`, alone or with other columns."""
    if not isinstance(ref, pl.Expr) or not isinstance(label, str):
        return same_column(label_of(frame, ref), label_of(frame, label))
    if ref.meta.eq(pl.col(label)):
        return True
    if not isinstance(frame, pl.DataFrame | pl.LazyFrame):
        return False
    names = frame.lazy().select(ref).collect_schema().names()
    return len(names) > 1 and label in names


def column_key(ref: Any) -> Hashable:
    """Return a key that equal references share; other references can share it, too."""
    if isinstance(ref, pl.Expr):
        return pl.Expr, str(ref)
    if isinstance(ref, np.str_ | np.number | np.bool_):
        ref = ref.item()  # a numpy scalar is the same label as its Python value
    if is_computed(ref) or not is_hashable(ref):
        return object, id(ref)
    # True, 1 and 1.0 are equal in Python, but are different labels.
    return type(ref), ref


def check_each_column_once(subject: str, refs: Iterable[Any]) -> None:
    known: dict[Hashable, list[Any]] = {}
    for ref in refs:
        alike = known.setdefault(column_key(ref), [])
        if any(same_column(ref, other) for other in alike):
            raise StratError(given_twice(subject, "column", format_reference(ref)))
        alike.append(ref)


class ResultName(NamedTuple):
    """The name of the column that a reference gives."""

    name: Hashable | None
    is_unnamed: bool
    """Whether the column is computed and has no name; None can also be the label of a column."""


def result_name(ref: Any, series: Any) -> ResultName:
    if not is_computed(ref):
        return ResultName(ref, is_unnamed=False)
    name = getattr(series, "name", None)
    return ResultName(name, name is None)


def root_names(ref: Any) -> list[Any]:
    return ref.meta.root_names() if isinstance(ref, pl.Expr) else [ref]


def check_not_data(argument: str, value: object) -> None:
    for entry in value if isinstance(value, list) else [value]:
        if isinstance(entry, DATA):
            raise not_a_reference(argument, entry)


def check_not_values(
    refs: Mapping[str, Sequence[Any]], names: Collection[Hashable], n_rows: int | None
) -> None:
    """Raise if an argument holds the values of a column, or names a column twice.

    `n_rows` is None if the number of rows is not known.
    """
    for argument, entries in refs.items():
        is_repeated = len(entries) == 1 and isinstance(entries[0], Repeated)
        values = list(entries[0].entries if is_repeated else entries)
        if argument not in ("name", "apart") and are_values(values, names, n_rows):
            raise not_a_reference(argument, values)
        if is_repeated:
            raise entries[0].error


def are_values(entries: Sequence[Any], names: Collection[Hashable], n_rows: int | None) -> bool:
    """Return whether a list names no column, and has a value for each row, or is long.

    A long list of names has neither repeats nor more entries than the frame has columns.
    """
    keys = [column_key(entry) for entry in entries if not is_computed(entry)]
    has_numbers = any(not isinstance(entry, str) for entry in entries)
    is_column = len(entries) > 2 and len(keys) == len(entries) == n_rows and has_numbers
    has_repeats = len(set(keys)) < len(keys)
    is_long = len(keys) > MAX_LISTED and (has_repeats or len(keys) > len(names))
    if not (is_column or is_long):
        return False
    # In a MultiIndex, text names the column whose label starts with it.
    known = {column_key(name) for name in names}
    known |= {column_key(name[0]) for name in names if isinstance(name, tuple) and name}
    return known.isdisjoint(keys)


def check_names(argument: str, names: Iterable[object]) -> None:
    for name in names:
        if name is None or is_computed(name) or not is_label(name):
            raise not_a_reference(argument, name, ACCEPTED["name"])


def not_a_reference(argument: str, value: object, accepted: str = "") -> StratError:
    accepted = accepted or ACCEPTED.get(argument, "column names or expressions")
    msg = f"`{argument}` must hold {accepted}, got {describe(value)}."
    if isinstance(value, DATA) or (isinstance(value, list) and len(value) > MAX_LISTED):
        hint = "give the name of the column"
        name = getattr(value, "name", None)
        if isinstance(name, str) and name:
            hint = f"{hint}, {describe(name)}"
        return StratError(f"{msg}\nHint: {hint}.")
    if argument in NOT_A_NUMBER and isinstance(value, Integral) and int(value) > 1:
        return StratError(f"{msg}\nHint: {NOT_A_NUMBER[argument].format(describe(value))}.")
    return StratError(msg)


def hint_at_condition(library: str) -> str:
    column = 'lambda df: df["split"]'
    if library == "polars":
        column = 'pl.col("split")'
    return f'Hint: compute it, as in `where={column} == "train"`.'


def check_refs(
    frame: Frame,
    refs: Mapping[str, Sequence[Any]],
    new_names: Sequence[str] = (),
    *,
    overwrite: bool = False,
) -> None:
    """Raise if a frame lacks columns that the arguments name, or has columns with the new names."""
    # The values of pandas columns are checked when they are read.
    types = None if isinstance(frame, pd.DataFrame) else frame.collect_schema()
    names = list(frame.columns if types is None else types)
    counts = Counter(map(column_key, names))
    n_rows = None if isinstance(frame, pl.LazyFrame) else len(frame)
    check_not_values(refs, names, n_rows)
    for argument, entries in refs.items():
        for ref in entries:
            if argument == "where" and is_flags_of(frame, ref):
                continue
            check_column(frame, ref, argument, names, counts)
            if types is not None:
                check_type(ref, argument, types)
    for name in new_names:
        if types is not None and is_pattern(name):
            msg = f"`name` must not be a pattern of names on a Polars frame, got {describe(name)}."
            raise StratError(msg)
    taken = [name for name in new_names if label_of(frame, name) in names]
    if taken:
        check_taken(frame, taken, refs, partial(reads_column, frame), overwrite=overwrite)


def check_column(
    frame: Frame,
    ref: Any,
    argument: str,
    names: Sequence[Hashable],
    counts: Mapping[Hashable, int],
) -> None:
    """Raise if a reference is not for the library of the frame, or names no or several columns."""
    if argument != "name" and is_computed(ref):
        check_library(frame, ref, argument)
        return
    label = label_of(frame, ref)
    if counts[column_key(label)] != 1:
        raise label_error(label, argument, names, library_of(frame), ref, index_names(frame))


def check_type(ref: Any, argument: str, types: pl.Schema) -> None:
    """Raise if a reference does not give a Polars column (for terms, columns) that is accepted."""
    if is_computed(ref):
        check_expression(ref, argument, types)
    elif is_pattern(ref):
        names = map("x{}".format, range(len(types) + 1))
        free = next(each for each in names if each not in types)
        msg = (
            f"`{argument}` must not name a column that Polars treats as a pattern of names,"
            f" got {describe(ref)}.\nHint: df = df.rename({{{ref!r}: {free!r}}})"
        )
        raise StratError(msg)
    elif argument not in OF_TERMS and is_nested(types[ref]):
        raise nested_error(ref, types[ref])


def is_flags_of(frame: Frame, ref: Any) -> bool:
    """Return whether a reference is a series for an eager frame and, if so, check its rows."""
    if isinstance(frame, pl.DataFrame) and isinstance(ref, pl.Series):
        fault = f"{plural(len(ref), 'value')} for {plural(len(frame), 'row')}"
        is_wrong = len(ref) != len(frame)
    elif isinstance(frame, pd.DataFrame) and isinstance(ref, pd.Series):
        fault = "a different index"
        is_wrong = not ref.index.equals(frame.index)
    else:
        return False
    if is_wrong:
        msg = (
            f"A Series as `where` must match the rows of the frame, got {fault}."
            f"\n{hint_at_condition(library_of(frame))}"
        )
        raise StratError(msg)
    return True


def check_library(frame: Frame, ref: Any, argument: str) -> None:
    is_foreign = isinstance(ref, pl.Expr) == isinstance(frame, pd.DataFrame)
    if is_foreign or isinstance(ref, SparkColumn):
        msg = (
            f"`{argument}` takes Polars expressions on Polars frames, and callables or `pd.col`"
            f" on pandas frames, got {format_reference(ref)} on a {library_of(frame)} frame."
        )
        raise StratError(msg)


def index_names(frame: Frame) -> list[Hashable]:
    """List the columns that `reset_index` would make from the index of a pandas frame."""
    if not isinstance(frame, pd.DataFrame):
        return []
    names = list(frame.index.names)
    return ["index"] if names == [None] else names


def label_error(
    label: Any,
    argument: str,
    names: Sequence[Hashable],
    library: str,
    shown: Any = None,
    index: Sequence[Hashable] = (),
) -> StratError:
    """Build the error for a missing or repeated label; `shown` is the reference as given."""
    shown = label if shown is None else shown
    count = sum(column_key(name) == column_key(label) for name in names)
    if count:
        return StratError(
            f"`{argument}` names the column {label!r}, which occurs {count} times in the frame."
            "\nHint: rename or drop all but one of these columns first."
        )
    is_condition = isinstance(shown, str) and CONDITION.search(shown)
    if argument == "where" and (is_condition or is_data(shown)):
        got = f"{'the text ' if is_condition else ''}{describe(shown)}"
        return StratError(
            f"`where` must hold {ACCEPTED['where']}, got {got}.\n{hint_at_condition(library)}"
        )
    if isinstance(label, str | tuple):
        return StratError(no_such_column(argument, shown, names, index))
    return not_a_reference(argument, label)


CONDITION = re.compile(r"[=<>!~&|]| (and|or|in|not|is) ")
"""A pattern for text that is common in conditions and rare in the names of columns."""


def is_pattern(name: str) -> bool:
    """Return whether Polars treats a column name as a pattern of names."""
    return name == "*" or (name[:1] == "^" and name[-1:] == "$")


def check_expression(ref: Any, argument: str, known: pl.Schema) -> None:
    """Raise if the schema shows that an expression fails or gives columns that are not accepted."""
    try:
        types = pl.LazyFrame(schema=known).select(ref).collect_schema()
    except pl.exceptions.PolarsError as error:
        for name in root_names(ref):
            if name not in known:
                raise label_error(name, argument, list(known), "polars") from error
        raise expression_error(ref, str(error).partition("\n")[0]) from error
    if argument in OF_TERMS and types:
        return
    if len(types) != 1:
        raise several_columns(argument, ref, len(types))
    ((name, dtype),) = types.items()
    if is_nested(dtype):
        raise nested_error(name, dtype)


def several_columns(argument: str, ref: Any, count: int) -> StratError:
    return StratError(
        f"An entry of `{argument}` must give one column, got {count} from {format_reference(ref)}."
    )


def check_one_each(argument: str, refs: Sequence[Any], columns: Sequence[Any]) -> None:
    for ref, column in zip(refs, columns, strict=False):
        if isinstance(column, pl.DataFrame):
            raise several_columns(argument, ref, column.width)


def spread_columns(refs: Sequence[Any], columns: Sequence[Any]) -> list[tuple[Any, Any]]:
    """List each reference with its column; list the columns of a selector one by one."""
    spread: list[tuple[Any, Any]] = []
    for ref, column in zip(refs, columns, strict=True):
        if isinstance(column, pl.DataFrame):
            spread += [(each.name, each) for each in column]
        else:
            spread.append((ref, column))
    if len(spread) > len(refs):
        check_each_column_once("A selector and the entries beside it", [ref for ref, _ in spread])
    return spread


def check_taken(
    frame: Any,
    taken: Sequence[str],
    refs: Mapping[str, Sequence[Any]],
    reads: Callable[[Any, str], bool],
    *,
    overwrite: bool,
) -> None:
    """Raise if new columns replace any that the call reads or, without `overwrite`, any at all."""
    for name in taken:
        for argument, columns in refs.items():
            if any(reads(ref, name) for ref in columns):
                msg = (
                    f"`name` must not be a column that the call reads, but `{argument}` reads"
                    f" {name!r}.\nHint: give the new column another name, or rename this one first."
                )
                raise StratError(msg)
    if not overwrite:
        raise exists_already(frame, taken)


def exists_already(frame: Any, taken: Sequence[str]) -> StratError:
    if len(taken) == 1:
        what = f"a column {taken[0]!r}"
        them = "it"
        dropped = repr(taken[0])
    else:
        what = f"columns {', '.join(map(repr, taken))}"
        them = "them"
        dropped = repr(taken)
    if isinstance(frame, pd.DataFrame):
        dropped = f"columns={dropped}"
    return StratError(
        f"The frame has {what} already. `overwrite=True` replaces {them}."
        f"\nHint: df = df.drop({dropped})"
    )


def reads_column(frame: Any, ref: Any, name: str) -> bool:
    """Return whether a reference reads a column of a frame; return False for all callables."""
    label = label_of(frame, name)
    if isinstance(ref, pl.Expr):
        # Expressions that select columns by position, such as `pl.nth(0)`, have no root names.
        return label in (ref.meta.root_names() or frame.lazy().select(ref).collect_schema())
    if isinstance(ref, PANDAS_EXPRESSIONS):
        rows = frame.iloc[:0]
        return is_valid(ref, rows) and not is_valid(ref, rows.drop(columns=label))
    return same_column(label_of(frame, ref), label)


def is_valid(ref: Any, frame: pd.DataFrame) -> bool:
    try:
        compute_in_pandas(frame, ref)
    except StratError:
        return False
    return True


def collect_columns(frame: Frame, refs: Sequence[Any]) -> EagerFrame:
    """Collect the columns of a lazy frame that references need; return an eager frame unchanged."""
    if not isinstance(frame, pl.LazyFrame):
        return frame
    check_threads()
    names = frame.collect_schema().names()
    roots = [root_names(ref) for ref in refs]
    needed = set(chain.from_iterable(roots))
    # An expression with a pattern of names has no root names, or roots that are not columns.
    if not (all(roots) and needed <= set(names)):
        return frame.collect()
    columns = pl.int_range(pl.len()).alias("row")
    if needed:
        columns = pl.nth([place for place, name in enumerate(names) if name in needed])
    return frame.select(columns).collect()


def empty_columns(frame: pl.LazyFrame, refs: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Return an empty column for each reference to a lazy frame."""
    types = frame.collect_schema()
    return {
        argument: [empty_column(types, ref) for ref in entries]
        for argument, entries in refs.items()
    }


def empty_column(types: pl.Schema, ref: Any) -> Any:
    if isinstance(ref, str):
        return pl.Series(ref, dtype=types[ref])
    query = pl.LazyFrame(schema=types).select(ref)
    return one_or_several(pl.DataFrame(schema=query.collect_schema()))


def read_columns(frame: EagerFrame, refs: Sequence[Any]) -> list[Any]:
    return [to_native(column_of(frame, ref)) for ref in refs]


def column_of(frame: EagerFrame, ref: Any) -> Any:
    """Return the column that a reference gives; a series gives itself."""
    if isinstance(ref, Series):
        return ref
    if not is_computed(ref):
        return frame[label_of(frame, ref)]
    if isinstance(frame, pd.DataFrame):
        return compute_in_pandas(frame, ref)
    columns = frame.select(ref)
    check_height(ref, columns.height, frame.height)
    return one_or_several(columns)


def one_or_several(columns: pl.DataFrame) -> Any:
    """Return a frame with one column as a series, and any other frame unchanged."""
    return columns.to_series() if columns.width == 1 else columns


def compute_in_pandas(frame: pd.DataFrame, ref: Any) -> pd.Series:
    """Evaluate `pd.col(...)`, or call a callable with the frame and check the resulting index."""
    if isinstance(ref, PANDAS_EXPRESSIONS):
        try:
            return frame.assign(stratum=ref)["stratum"].rename(None)
        except (KeyError, ValueError) as error:
            raise expression_error(ref, error) from error
    values = ref(frame)
    if isinstance(values, pd.DataFrame) or np.ndim(values) != 1:
        msg = f"A callable must return one value per row, got {type(values).__name__}."
        raise StratError(msg)
    check_height(ref, len(values), len(frame))
    if isinstance(values, pd.Series) and not values.index.equals(frame.index):
        msg = "A callable must return its values in the order of the frame, got a different index."
        raise StratError(msg)
    if isinstance(values, pd.Series):
        return values
    return pd.Series(values, index=frame.index)


def check_height(ref: Any, height: int, n_rows: int) -> None:
    if height != n_rows:
        msg = (
            f"A computed column must give one value for each of the {n_rows} rows,"
            f" got {height} from {format_reference(ref)}."
        )
        raise StratError(msg)


def expression_error(ref: Any, reason: object) -> StratError:
    return StratError(
        f"A computed column must be a working expression, got {format_reference(ref)}: {reason}"
    )
