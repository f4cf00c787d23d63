"""The boundary: the only module that knows pandas and Polars."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pandas as pd
import polars as pl

from .columns import encode
from .core.strata import first_rows
from .core.types import Flags, Ints
from .errors import StratError, nearest

Series: TypeAlias = pd.Series | pl.Series
Frame: TypeAlias = pd.DataFrame | pl.DataFrame | pl.LazyFrame
FrameT = TypeVar("FrameT", pd.DataFrame, pl.DataFrame, pl.LazyFrame)

PANDAS_EXPRESSIONS: tuple[type, ...] = tuple(
    vars(pd.api.typing)[name] for name in ("Expression",) if name in vars(pd.api.typing)
)
"""The class of `pd.col(...)`, which pandas has from 3.0 on."""

EXPRESSIONS = (pl.Expr, *PANDAS_EXPRESSIONS)


class Dealt(NamedTuple):
    """A column to attach."""

    name: str
    parts: Ints
    """The part of every row; -1 where it has none."""
    labels: tuple[str, ...] | None
    """Names of the parts; None for folds, which are numbers."""
    nullable: bool
    """Whether the arguments allow rows without a fold."""


def check_frame(frame: object) -> None:
    """Refuse what is not a frame.

    Examples
    --------
    >>> check_frame([1])
    Traceback (most recent call last):
        ...
    stratframe.errors.StratError: `frame` must be a pandas or Polars frame, got list.
    """
    if not isinstance(frame, Frame):
        msg = f"`frame` must be a pandas or Polars frame, got {type(frame).__name__}."
        raise StratError(msg)


def is_lazy(frame: Frame) -> bool:
    """Say whether a frame is a query yet to run.

    Examples
    --------
    >>> is_lazy(pl.LazyFrame())
    True
    """
    return isinstance(frame, pl.LazyFrame)


def library(frame: Frame | Series) -> str:
    """Name the library of a frame or series.

    Examples
    --------
    >>> library(pl.DataFrame())
    'polars'
    """
    return "pandas" if isinstance(frame, pd.DataFrame | pd.Series) else "polars"


def names(frame: Frame) -> list[Hashable]:
    """List the column names; a lazy frame reads no data for it.

    Examples
    --------
    >>> names(pl.LazyFrame({"a": [1]}))
    ['a']
    """
    if isinstance(frame, pl.LazyFrame):
        return list(frame.collect_schema().names())
    return list(frame.columns)


def collected(frame: Frame, refs: Sequence[Any] | None = None) -> Any:
    """Collect the columns of a lazy frame that are needed; eager frames stay.

    Examples
    --------
    >>> collected(pl.LazyFrame({"a": [1], "b": [2]}), ["a"]).columns
    ['a']
    """
    if not isinstance(frame, pl.LazyFrame):
        return frame
    if refs is None:
        return frame.collect()
    columns = {name for ref in refs for name in roots(ref)}
    return frame.select(
        name for name in frame.collect_schema().names() if name in columns
    ).collect()


def roots(ref: Any) -> list[str]:
    """Name the columns that a reference needs.

    Examples
    --------
    >>> roots(pl.col("a") + pl.col("b"))
    ['a', 'b']
    """
    return ref.meta.root_names() if isinstance(ref, pl.Expr) else [ref]


def is_computed(ref: Any) -> bool:
    """Say whether a reference is an expression or callable, not a column name.

    Examples
    --------
    >>> is_computed(pl.col("a")), is_computed("a")
    (True, False)
    """
    return isinstance(ref, EXPRESSIONS) or callable(ref)


def shown(ref: Any) -> str:
    """Write a reference for a message.

    Examples
    --------
    >>> shown("a"), shown(pl.col("a") + 1)
    ("'a'", '[(col("a")) + (dyn int: 1)]')
    """
    return str(ref) if isinstance(ref, EXPRESSIONS) else repr(ref)


def same(ref: Any, other: Any) -> bool:
    """Say whether two references are the same column.

    Examples
    --------
    >>> same(pl.col("a"), pl.col("a")), same("a", "b"), same(1, True)
    (True, False, False)
    """
    if isinstance(ref, pl.Expr) or isinstance(other, pl.Expr):
        both = isinstance(ref, pl.Expr) and isinstance(other, pl.Expr)
        return both and ref.meta.eq(other)
    if is_computed(ref) or is_computed(other):
        return ref is other
    return type(ref) is type(other) and bool(ref == other)


def check_refs(frame: Frame, refs: Iterable[Any], argument: str) -> None:
    """Refuse references to columns that are not there, twice there, or nested.

    Examples
    --------
    >>> check_refs(pl.DataFrame({"label": [1]}), ["lable"], "by")
    Traceback (most recent call last):
        ...
    stratframe.errors.StratError: `by` names the column 'lable', which the frame does not have.
    Hint: did you mean 'label'?
    """
    known = names(frame)
    for ref in refs:
        if is_computed(ref):
            wrong = isinstance(ref, pl.Expr) == isinstance(frame, pd.DataFrame)
            if wrong:
                msg = f"`{argument}` takes a Polars expression on Polars frames and a callable or `pd.col` on pandas frames, got {shown(ref)} on a {library(frame)} frame."
                raise StratError(msg)
            continue
        count = known.count(ref) if isinstance(ref, Hashable) else 0
        if count == 0 and not isinstance(ref, str | tuple):
            msg = f"`{argument}` must hold column names, terms such as `sf.quantiles`, or expressions, got {ref!r}."
            raise StratError(msg)
        if count == 0:
            msg = f"`{argument}` names the column {ref!r}, which the frame does not have.\n{nearest(ref, known)}"
            raise StratError(msg)
        if count > 1:
            msg = f"`{argument}` names the column {ref!r}, which the frame has {count} times.\nHint: rename or drop the others first."
            raise StratError(msg)
    if isinstance(frame, pl.LazyFrame):
        schema = frame.collect_schema()
        for ref in refs:
            if isinstance(ref, str):
                check_flat(ref, schema[ref])


def check_flat(name: object, dtype: pl.DataType) -> None:
    """Refuse nested Polars dtypes.

    Examples
    --------
    >>> check_flat("tags", pl.List(pl.String()))
    Traceback (most recent call last):
        ...
    stratframe.errors.StratError: A column of `by` must hold single values, but 'tags' is List(String).
    """
    if dtype.is_nested() or dtype == pl.Object:
        msg = f"A column of `by` must hold single values, but {name!r} is {dtype}."
        raise StratError(msg)


def check_new(frame: Frame, new: Iterable[str]) -> None:
    """Refuse to add a column that is there already.

    Examples
    --------
    >>> check_new(pl.DataFrame({"fold": [1]}), ["fold"])
    Traceback (most recent call last):
        ...
    stratframe.errors.StratError: The frame has a column 'fold' already.
    Hint: df = df.drop('fold')
    """
    known = names(frame)
    taken = [name for name in new if name in known]
    if taken:
        listed = repr(taken[0]) if len(taken) == 1 else repr(taken)
        drop = f"columns={listed}" if isinstance(frame, pd.DataFrame) else listed
        noun = "a column" if len(taken) == 1 else "columns"
        msg = f"The frame has {noun} {', '.join(map(repr, taken))} already.\nHint: df = df.drop({drop})"
        raise StratError(msg)


def read(frame: Any, refs: Sequence[Any]) -> list[Any]:
    """Read columns of an eager frame, by name, expression or callable.

    Examples
    --------
    >>> read(pl.DataFrame({"a": [1, 2]}), [pl.col("a") * 2])[0].to_list()
    [2, 4]
    """
    if isinstance(frame, pd.DataFrame):
        return [read_pandas(frame, ref) for ref in refs]
    found = [
        frame.get_column(ref) if isinstance(ref, str) else frame.select(ref).to_series()
        for ref in refs
    ]
    for ref, series in zip(refs, found, strict=True):
        check_height(ref, len(series), frame.height)
    return found


def read_pandas(frame: pd.DataFrame, ref: Any) -> Any:
    """Read one column of a pandas frame.

    Examples
    --------
    >>> read_pandas(pd.DataFrame({"a": [1, 2]}), lambda df: df["a"] * 2).tolist()
    [2, 4]
    """
    if not is_computed(ref):
        return frame[ref]
    if isinstance(ref, PANDAS_EXPRESSIONS):
        return frame.assign(**{"stratum": ref})["stratum"].rename(None)
    result = ref(frame)
    if isinstance(result, pd.DataFrame) or np.ndim(result) != 1:
        msg = f"A callable in `by` must return one value a row, got {type(result).__name__}."
        raise StratError(msg)
    check_height(ref, len(result), len(frame))
    if isinstance(result, pd.Series) and not result.index.equals(frame.index):
        msg = "A callable in `by` must return its values in the order of the frame, got another index."
        raise StratError(msg)
    return result if isinstance(result, pd.Series) else pd.Series(result, index=frame.index)


def check_height(ref: Any, found: int, height: int) -> None:
    """Refuse computed strata that are shorter or longer than the frame.

    Examples
    --------
    >>> check_height("a", 3, 3)
    """
    if found != height:
        msg = f"An entry of `by` must give one value for each of the {height} rows, got {found} from {shown(ref)}."
        raise StratError(msg)


def ref_name(ref: Any, series: Any) -> Hashable | None:
    """Name the result of a reference.

    Examples
    --------
    >>> ref_name("a", None)
    'a'
    """
    return getattr(series, "name", None) if is_computed(ref) else ref


def height(frame: Any) -> int:
    """Count the rows of an eager frame.

    Examples
    --------
    >>> height(pl.DataFrame({"a": [1, 2]}))
    2
    """
    return len(frame)


def assign(
    frame: FrameT,
    refs: Sequence[Any],
    compute: Callable[[list[Any], int], list[Dealt]],
    outputs: Sequence[Dealt],
) -> FrameT:
    """Add columns that are computed from the named columns, and touch nothing else.

    Parameters
    ----------
    frame : DataFrame or LazyFrame
    refs : sequence of references
        The columns that `compute` takes, in its order.
    compute : callable
        From a list of series and the number of rows to the dealt columns.
    outputs : sequence of Dealt
        What will come out, without rows: a lazy frame needs names and types ahead.

    Returns
    -------
    frame of the same kind

    Examples
    --------
    >>> fold = Dealt("fold", np.array([1, 0]), None, False)
    >>> assign(pl.DataFrame({"a": [5, 6]}), ["a"], lambda series, n_rows: [fold], [fold])["fold"].to_list()
    [1, 0]
    """
    if isinstance(frame, pl.LazyFrame):
        return frame.with_columns(expression(refs, compute, outputs))
    dealt = compute(read(frame, refs), len(frame))
    if isinstance(frame, pl.DataFrame):
        return frame.with_columns(polars_column(column) for column in dealt)
    grown = frame.copy(deep=False)
    for column in dealt:
        grown[column.name] = pandas_column(column)
    return grown


def expression(
    refs: Sequence[Any], compute: Callable[[list[Any], int], list[Dealt]], outputs: Sequence[Dealt]
) -> pl.Expr:
    """Make one Polars expression of a computation on columns.

    Examples
    --------
    >>> fold = Dealt("fold", np.array([1, 0]), None, False)
    >>> one = expression(["a"], lambda series, n_rows: [fold], [fold])
    >>> pl.DataFrame({"a": [5, 6]}).select(one)["fold"].to_list()
    [1, 0]
    """
    exprs = polars_exprs(refs)
    fields = {column.name: polars_type(column) for column in outputs}

    def run(series: Sequence[pl.Series]) -> pl.Series:
        dealt = compute(list(series[: len(refs)]), len(series[0]))
        columns = [polars_column(column) for column in dealt]
        return columns[0] if len(columns) == 1 else pl.DataFrame(columns).to_struct("folds")

    if len(fields) == 1:
        ((name, dtype),) = fields.items()
        return pl.map_batches(exprs, run, return_dtype=dtype).alias(name)
    return pl.map_batches(exprs, run, return_dtype=pl.Struct(fields)).struct.field(*fields)


def polars_exprs(refs: Sequence[Any]) -> list[pl.Expr]:
    """Turn references into Polars expressions, one at least: that of the rows.

    Examples
    --------
    >>> len(polars_exprs([])), len(polars_exprs(["a", pl.col("b")]))
    (1, 2)
    """
    exprs = [pl.col(ref) if isinstance(ref, str) else ref for ref in refs]
    return exprs or [pl.int_range(pl.len(), dtype=pl.UInt32)]


def fields(series: pl.Series) -> list[pl.Series]:
    """Take a struct apart; any other series stays as it is.

    Examples
    --------
    >>> [field.name for field in fields(pl.DataFrame({"a": [1], "b": [2]}).to_struct("s"))]
    ['a', 'b']
    """
    return series.struct.unnest().get_columns() if isinstance(series.dtype, pl.Struct) else [series]


def polars_type(column: Dealt) -> Any:
    """Name the Polars type of a dealt column.

    Examples
    --------
    >>> polars_type(Dealt("fold", np.array([0]), None, False))
    Int64
    """
    return pl.Int64() if column.labels is None else pl.Enum(column.labels)


def polars_column(column: Dealt) -> pl.Series:
    """Make a Polars series of a dealt column.

    Examples
    --------
    >>> polars_column(Dealt("split", np.array([1, -1]), ("train", "test"), True)).to_list()
    ['test', None]
    """
    parts = column.parts.astype(np.int64)
    gaps = parts < 0 if column.nullable else None
    series = pl.Series(column.name, parts)
    if gaps is not None and gaps.any():
        series = series.set(pl.Series(gaps), None)
    if column.labels is None:
        return series
    return pl.Series(column.name, column.labels, dtype=pl.Enum(column.labels)).gather(series)


def pandas_column(column: Dealt) -> Any:
    """Make a pandas array of a dealt column; never a Series, whose index would align.

    Examples
    --------
    >>> pandas_column(Dealt("fold", np.array([1, -1]), None, True))
    <IntegerArray>
    [1, <NA>]
    Length: 2, dtype: Int64
    """
    if column.labels is not None:
        return pd.Categorical.from_codes(column.parts, categories=list(column.labels))
    parts = column.parts.astype(np.int64)
    if not column.nullable:
        return parts
    gaps = parts < 0
    parts[gaps] = 0
    return pd.arrays.IntegerArray(parts, gaps)


def like(kind: str, columns: dict[Hashable, Any]) -> Any:
    """Make a frame of the caller's library.

    Parameters
    ----------
    kind : {"pandas", "polars"}
    columns : dict of name to array, list or series

    Examples
    --------
    >>> like("polars", {"n": np.array([1])}).shape
    (1, 1)
    """
    if kind == "polars":
        return pl.DataFrame({str(name): values for name, values in columns.items()})
    parts = {
        name: values.reset_index(drop=True) if isinstance(values, pd.Series) else values
        for name, values in columns.items()
    }
    return pd.DataFrame(parts)


def take(data: Any, rows: Ints) -> Any:
    """Take rows of an eager frame or series by position.

    Examples
    --------
    >>> take(pl.Series([7, 8, 9]), np.array([2, 0])).to_list()
    [9, 7]
    """
    if isinstance(data, pd.DataFrame | pd.Series):
        return data.iloc[rows]
    return data[rows] if isinstance(data, pl.DataFrame) else data.gather(rows)


def listed(series: Any) -> list[Any]:
    """Turn a series into a list of Python values, None where missing.

    Examples
    --------
    >>> listed(pd.Series([1.0, float("nan")]))
    [1.0, None]
    """
    values = series.to_list() if isinstance(series, pl.Series) else series.tolist()
    return [
        None if value is pd.NA or value is pd.NaT or value != value else value for value in values
    ]


def sample(frame: Any, refs: Sequence[Any], choose: Callable[[list[Any]], Flags]) -> Any:
    """Keep the rows that a computation on the named columns chooses, in their old order.

    A lazy frame runs as one query, so that only the chosen rows are kept.

    Examples
    --------
    >>> sample(pl.DataFrame({"a": [5, 6]}), ["a"], lambda s: np.array([False, True])).rows()
    [(6,)]
    """
    if isinstance(frame, pl.LazyFrame):
        mask = pl.map_batches(
            polars_exprs(refs),
            lambda series: pl.Series(choose(list(series))),
            return_dtype=pl.Boolean,
        )
        return frame.filter(mask).collect()
    chosen = choose(read(frame, refs))
    return frame[chosen] if isinstance(frame, pd.DataFrame) else frame.filter(chosen)


def part_values(frame: Frame, name: str) -> tuple[list[Any], int]:
    """List the values of a fold or part column, in order, and count its nulls.

    Categories are in their own order, with those that no row has. A lazy frame runs
    one small query.

    Examples
    --------
    >>> part_values(pl.DataFrame({"fold": [1, 0, None]}), "fold")
    ([0, 1], 1)
    """
    if isinstance(frame, pd.DataFrame):
        column = frame[name]
        nulls = int(column.isna().sum())
        if isinstance(column.dtype, pd.CategoricalDtype):
            return column.cat.categories.tolist(), nulls
        return whole_numbers(sorted(column.dropna().unique().tolist())), nulls
    if isinstance(frame, pl.DataFrame):
        frame = frame.select(name).lazy()
    dtype = frame.collect_schema()[name]
    found = frame.select(part_expr(frame, name)).group_by(name).len().collect()
    nulls = int(found.filter(pl.col(name).is_null())["len"].sum())
    if isinstance(dtype, pl.Enum):
        return dtype.categories.to_list(), nulls
    return whole_numbers(found[name].drop_nulls().sort().to_list()), nulls


def codes_of(frame: Any, name: str, values: Sequence[Any]) -> Ints:
    """Number the rows of an eager frame by their fold's place in a list.

    Returns
    -------
    ndarray of int64, shape (n_rows,), range -1..len(values)-1
        -1 where the fold is missing.

    Examples
    --------
    >>> codes_of(pl.DataFrame({"fold": [5, 3, None]}), "fold", [3, 5])
    array([ 1,  0, -1])
    """
    codes, n_codes = encode(frame[name])
    first = first_rows(np.where(codes < 0, n_codes, codes), n_codes + 1)[:n_codes]
    found = listed(take(frame[name], first))
    places = {value: place for place, value in enumerate(values)}
    return np.array([*(places[value] for value in found), -1], dtype=np.int64)[codes]


def part_expr(frame: pl.DataFrame | pl.LazyFrame, name: str) -> pl.Expr:
    """Refer to a fold column of a Polars frame, NaN as null.

    Examples
    --------
    >>> frame = pl.DataFrame({"fold": [0.0, float("nan")]})
    >>> frame.select(part_expr(frame, "fold"))["fold"].to_list()
    [0.0, None]
    """
    floats = frame.collect_schema()[name].is_float()
    return pl.col(name).fill_nan(None) if floats else pl.col(name)


def whole_numbers(values: list[Any]) -> list[Any]:
    """Turn whole floats into ints: the folds of a column that met a null in pandas.

    Examples
    --------
    >>> whole_numbers([0.0, 1.0])
    [0, 1]
    """
    return [int(v) if isinstance(v, float) and v.is_integer() else v for v in values]


def where(frame: FrameT, name: str, value: Any) -> FrameT:
    """Keep the rows whose column has a value.

    Examples
    --------
    >>> where(pl.DataFrame({"fold": [0, 1, None]}), "fold", 1).height
    1
    """
    if isinstance(frame, pd.DataFrame):
        return frame[np.asarray((frame[name] == value).fillna(False), dtype=np.bool_)]
    return frame.filter(part_expr(frame, name) == value)


def where_not(frame: FrameT, name: str, value: Any, *, nulls: bool) -> FrameT:
    """Keep the rows whose column has another value, and with `nulls` those without one.

    Examples
    --------
    >>> where_not(pl.DataFrame({"fold": [0, 1, None]}), "fold", 1, nulls=True).height
    2
    """
    if isinstance(frame, pd.DataFrame):
        keep = np.asarray((frame[name] != value).fillna(True), dtype=np.bool_)
        return frame[keep if nulls else keep & frame[name].notna().to_numpy()]
    column = part_expr(frame, name)
    return frame.filter(column.ne_missing(value) if nulls else column != value)


def pandera_module(kind: str) -> Any:
    """Import pandera for a library, which takes a while, only when it is needed.

    Examples
    --------
    >>> pandera_module("polars").__name__
    'pandera.polars'
    """
    if kind == "polars":
        import pandera.polars as module
    else:
        import pandera.pandas as module
    return module


def records(frame: Any) -> list[dict[str, Any]]:
    """List the rows of a small frame as dicts.

    Examples
    --------
    >>> records(pl.DataFrame({"a": [1]}))
    [{'a': 1}]
    """
    return frame.to_dicts() if isinstance(frame, pl.DataFrame) else frame.to_dict("records")


def rows_at(frame: Any, rows: list[int], columns: dict[str, str]) -> Any:
    """Take rows of a small frame, rename its columns, and put the positions first.

    Examples
    --------
    >>> rows_at(pl.DataFrame({"0": [7, 8]}), [1], {"0": "a"}).rows()
    [(1, 8)]
    """
    found = take(frame, np.array(rows, dtype=np.int64))
    renamed = {"row": np.array(rows, dtype=np.int64)}
    renamed |= {label: found[column] for column, label in columns.items() if label != "row"}
    return like(library(frame), renamed)


def read_file(path: str) -> pl.DataFrame:
    """Read a Parquet file, or with any other suffix a CSV file.

    Examples
    --------
    >>> read_file("lost.csv")
    Traceback (most recent call last):
        ...
    stratframe.errors.StratError: The file 'lost.csv' cannot be read: No such file or directory.
    """
    try:
        with open(path, "rb") as file:
            if path.lower().endswith(".parquet"):
                return pl.read_parquet(file)
            return pl.read_csv(file, infer_schema_length=None)
    except (OSError, pl.exceptions.PolarsError) as error:
        msg = f"The file {path!r} cannot be read: {cause(error)}."
        raise StratError(msg) from error


def write_file(frame: pl.DataFrame, path: str) -> None:
    """Write a Parquet file, or with any other suffix a CSV file; all of it or nothing.

    Examples
    --------
    >>> write_file(pl.DataFrame({"a": [1]}), "lost/a.csv")
    Traceback (most recent call last):
        ...
    stratframe.errors.StratError: The file 'lost/a.csv' cannot be written: No such file or directory.
    """
    draft = Path(f"{path}.part")
    try:
        with draft.open("wb") as file:
            write = frame.write_parquet if path.lower().endswith(".parquet") else frame.write_csv
            write(file)
        draft.replace(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        if draft.is_file():
            draft.unlink()
        msg = f"The file {path!r} cannot be written: {cause(error)}."
        raise StratError(msg) from error


def cause(error: Exception) -> str:
    """Say in one line why a file could not be read or written.

    Examples
    --------
    >>> cause(FileNotFoundError(2, "No such file or directory", "x")), cause(OSError("torn."))
    ('No such file or directory', 'torn')
    """
    text = getattr(error, "strerror", None) or str(error)
    return text.strip().partition("\n")[0].rstrip(".")
