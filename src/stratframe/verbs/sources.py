"""Turn frames into sources for the verbs, and list their fold columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from .. import frames
from ..engines.base import engine_of
from ..engines.engine_source import EngineSource
from ..errors import StratError, describe, list_repeats, name_frames
from ..pipeline.local_source import LocalSource

Source: TypeAlias = LocalSource | EngineSource
"""A source of columns, strata and counts; verbs use the methods that both classes have."""


def source_of(frame: object) -> Source:
    engine = engine_of(frame)
    if engine is not None:
        return EngineSource(engine)
    if not frames.is_frame(frame):
        raise frames.libraries.not_a_frame(frame, "pandas, Polars, Dask, Spark or Arrow")
    return LocalSource(frame)


def check_rows(frame: object, needs: str, instead: str) -> None:
    """Raise if a verb that needs to read all rows is given a Dask or Spark frame."""
    engine = engine_of(frame)
    if engine is not None:
        msg = f"{needs}, which is not possible on {engine.name} frames.\nHint: {instead}."
        raise StratError(msg)


def named_source(
    frame: object, name: object, apart: Sequence[str] = ()
) -> tuple[Source, list[Any]]:
    """Return the source of a frame and its fold columns; raise if a column does not exist."""
    source = source_of(frame)
    names = list_names(name, frame)
    source.check_names(names, apart)
    return source, names


def join_given(
    frame: Any, name: object, refs: Mapping[str, Sequence[Any]]
) -> tuple[Any, Any, list[Any] | None]:
    """Stack the frames of a mapping; the names of the frames become the parts.

    `refs` has the columns that each argument names. Return the frame, the name of its fold or part
    column, and the columns that are left out. A single frame is returned unchanged, with None in
    place of the columns that are left out.
    """
    if isinstance(frame, list | tuple) and len(frame) > 1 and all(map(frames.is_frame, frame)):
        msg = (
            "`frame` must be a frame, or a mapping of names to frames, got"
            f" {type(frame).__name__} of {len(frame)} frames.\n"
            f"Hint: `{name_frames(len(frame))}`."
        )
        raise StratError(msg)
    if not isinstance(frame, Mapping):
        return frame, name, None
    if name != "fold":
        msg = (
            "`name` must be left out where several frames are given, because their names are the"
            f" parts, got {describe(name)}."
        )
        raise StratError(msg)
    joined, aside = frames.join_frames(frame, refs)
    return joined, frames.PART, aside


def list_names(name: object, frame: Any) -> list[Any]:
    """List the fold columns; a name without a column means the columns that `repeats` made."""
    known = set()
    for column in frames.column_names(frame):
        if isinstance(column, tuple) and not any(column[1:]):
            known.add(column[0])  # the other levels are empty
        else:
            known.add(column)
    names: list[Any] = []
    for each in as_list(name, frame):
        repeats: list[str] = []
        if isinstance(each, str) and each not in known:
            repeats = list_repeats(each, known)
        names += repeats if len(repeats) > 1 else [each]
    return names


def as_list(value: Any, *owners: Any) -> list[Any]:
    """List one or several values; a tuple is one value if one of the `owners` has such a column."""
    if isinstance(value, tuple) and any(
        frames.libraries.has_column(owner, value) for owner in owners
    ):
        return [value]
    if isinstance(value, list | tuple) and value:
        return list(value)
    return [value]
