"""Take frames of any library: `any_frame`, which all verbs share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any, Literal, TypeAlias, cast

from .. import frames
from ..engines.base import engine_of
from ..errors import StratError, describe, warn
from ..frames.arrow import Reading
from ..habits import Params, ResultT
from ..terms.base import Term

Gives: TypeAlias = Literal["columns", "rows", "tables"]
"""What a verb returns: the frame with new columns, rows of the frame, or tables of results."""

KEY_HINT = '`key="id"` names columns that identify the rows. Alternatively, read it'
"""The hint for verbs that have the argument `key`."""


def any_frame(
    gives: Gives = "tables", *, in_order: str = ""
) -> Callable[[Callable[Params, ResultT]], Callable[Params, ResultT]]:
    """Make a verb take frames of any library, and give results back as frames of this library.

    `in_order` names the result if it depends on the order of the rows without a key or groups.
    """

    def decorate(verb: Callable[Params, ResultT]) -> Callable[Params, ResultT]:
        has_key = "key" in verb.__annotations__

        @wraps(verb)
        def opened(frame: Any, *args: Any, **kwargs: Any) -> Any:
            if frames.is_frame(frame):
                return call(frame, *args, **kwargs)
            if isinstance(frame, Mapping):
                return call_with_several(call, frame, *args, **kwargs)
            reading = read_frame(frame)
            if reading is None:
                return call(frame, *args, **kwargs)
            check_unread(reading, [*args, *kwargs.values()])
            is_keyed = kwargs.get("key") is not None or kwargs.get("groups") is not None
            if in_order and reading.unordered and not is_keyed:
                warn_order(reading.unordered, in_order, has_key=has_key)
            if gives == "rows":
                return give_rows(reading, call(reading.numbered, *args, **kwargs))
            result = call(reading.frame, *args, **kwargs)
            if gives == "columns":
                # `extend` has no `overwrite`, and always replaces columns.
                may_replace = kwargs.get("overwrite", "overwrite" not in verb.__annotations__)
                return reading.give_columns(result, may_replace=may_replace)
            return result

        call: Any = verb
        return cast("Callable[Params, ResultT]", opened)

    return decorate


def read_frame(value: Any) -> Reading | None:
    """Read a frame of a library that verbs do not know; return None for all other objects."""
    reading = frames.arrow.unwrap(value)
    if reading is None:
        return read_native(value)
    native = reading.frame
    if is_known(native):
        return reading
    read = read_native(native)
    if read is None:
        read = frames.arrow.collect_narwhals(value)
    return replace(read, narwhals=reading.narwhals)


def frame_in(value: Any) -> Any:
    """Return a frame of any library as verbs know it, and any other object unchanged."""
    reading = read_frame(value)
    return value if reading is None else reading.frame


def read_native(value: Any) -> Reading | None:
    if is_known(value) or not frames.arrow.has_stream(value):
        return None
    return frames.arrow.read_stream(value)


def is_known(value: Any) -> bool:
    return frames.is_frame(value) or engine_of(value) is not None


def call_with_several(call: Any, several: Mapping[Any, Any], *args: Any, **kwargs: Any) -> Any:
    """Call a verb with the frames of a mapping, each of which may be of any library."""
    read = {}
    for name, frame in several.items():
        reading = read_frame(frame)
        if reading is not None:
            check_unread(reading, [*args, *kwargs.values()])
            read[name] = reading.frame
    # A mapping of another library that holds no such frames is named in the error by its class.
    return call({**several, **read} if read else several, *args, **kwargs)


def give_rows(reading: Reading, result: Any) -> Any:
    """Give frames back that are alone, in a dict of parts, or in folds."""
    if isinstance(result, dict):
        return {part: reading.give_rows(rows) for part, rows in result.items()}
    if hasattr(result, "give_rows"):  # an iterator of folds
        return result.give_rows(reading.give_rows)
    return reading.give_rows(result)


def check_unread(reading: Reading, arguments: list[Any]) -> None:
    """Raise if a call names a column that Polars cannot read."""
    if not reading.unread:
        return
    for name in named_columns(arguments):
        if name in reading.unread:
            msg = (
                f"A column that the call names must be one that Polars can read, but"
                f" {describe(name)} is not: {reading.unread[name]}.\nHint: cast or rename it first."
            )
            raise StratError(msg)


def named_columns(value: Any) -> Iterator[str]:
    """Yield the texts in the arguments of a call, of which some are names of columns."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from named_columns(each)
    elif isinstance(value, Term):
        yield from named_columns(list(value.columns))
    elif frames.is_computed(value):
        yield from filter(lambda root: isinstance(root, str), frames.references.root_names(value))


def warn_order(library: str, what: str, *, has_key: bool) -> None:
    hint = KEY_HINT if has_key else "read it"
    without = "without `key=` " if has_key else ""
    warn(
        f"The rows of this frame of {library} may come in a different order each time it is read,"
        f" and {without}{what} depend on the order: train and test rows that are taken separately"
        f" may overlap.\nHint: {hint} once, as in `df = pl.DataFrame(df)`."
    )
