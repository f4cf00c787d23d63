"""References to columns, checked and read: names, expressions, callables."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
import polars as pl

from ..errors import StratError, nearest
from .kinds import Frame, library, names

PANDAS_EXPRESSIONS: tuple[type, ...] = tuple(
    vars(pd.api.typing)[name] for name in ("Expression",) if name in vars(pd.api.typing)
)
"""The class of `pd.col(...)`, which pandas has from 3.0 on."""


EXPRESSIONS = (pl.Expr, *PANDAS_EXPRESSIONS)


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


def ref_name(ref: Any, series: Any) -> Hashable | None:
    """Name the result of a reference.

    Examples
    --------
    >>> ref_name("a", None)
    'a'
    """
    return getattr(series, "name", None) if is_computed(ref) else ref


def roots(ref: Any) -> list[str]:
    """Name the columns that a reference needs.

    Examples
    --------
    >>> roots(pl.col("a") + pl.col("b"))
    ['a', 'b']
    """
    return ref.meta.root_names() if isinstance(ref, pl.Expr) else [ref]


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
                msg = (
                    f"`{argument}` takes Polars expressions on Polars frames, and callables or"
                    f" `pd.col` on pandas frames, got {shown(ref)} on a {library(frame)} frame."
                )
                raise StratError(msg)
            continue
        count = known.count(ref) if isinstance(ref, Hashable) else 0
        if count == 0 and not isinstance(ref, str | tuple):
            msg = (
                f"`{argument}` must hold column names, terms such as `sf.quantiles`,"
                f" or expressions, got {ref!r}."
            )
            raise StratError(msg)
        if count == 0:
            several = "Hint: several columns go in a list."
            hint = several if isinstance(ref, tuple) else nearest(ref, known)
            msg = f"`{argument}` names the column {ref!r}, which the frame does not have.\n{hint}"
            raise StratError(msg)
        if count > 1:
            msg = (
                f"`{argument}` names the column {ref!r}, which the frame has {count} times."
                "\nHint: rename or drop the others first."
            )
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
    stratframe.errors.StratError: A column must hold single values, but 'tags' is List(String).
    """
    if dtype.is_nested() or dtype == pl.Object:
        msg = f"A column must hold single values, but {name!r} is {dtype}."
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
        msg = (
            f"The frame has {noun} {', '.join(map(repr, taken))} already."
            f"\nHint: df = df.drop({drop})"
        )
        raise StratError(msg)


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
        return frame.assign(stratum=cast("Any", ref))["stratum"].rename(None)
    result = ref(frame)
    if isinstance(result, pd.DataFrame) or np.ndim(result) != 1:
        msg = f"A callable in `by` must return one value a row, got {type(result).__name__}."
        raise StratError(msg)
    check_height(ref, len(result), len(frame))
    if isinstance(result, pd.Series) and not result.index.equals(frame.index):
        msg = (
            "A callable in `by` must return its values in the order of the frame,"
            " got another index."
        )
        raise StratError(msg)
    return result if isinstance(result, pd.Series) else pd.Series(result, index=frame.index)


def check_height(ref: Any, found: int, height: int) -> None:
    """Refuse computed strata that are shorter or longer than the frame.

    Examples
    --------
    >>> check_height("a", 3, 3)
    """
    if found != height:
        msg = (
            f"An entry of `by` must give one value for each of the {height} rows,"
            f" got {found} from {shown(ref)}."
        )
        raise StratError(msg)
