"""Frames as sources for verbs, with rows on this machine or elsewhere, and their fold columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from .. import frames
from ..engines.base import engine_of
from ..engines.engine_source import EngineSource
from ..errors import StratError, describe, list_repeats
from ..pipeline.local_source import LocalSource

Source: TypeAlias = LocalSource | EngineSource
"""A source of columns, strata, counts and rows of labels: verbs use the methods of both."""


def source_of(frame: object) -> Source:
    engine = engine_of(frame)
    if engine is not None:
        return EngineSource(engine)
    if not frames.is_frame(frame):
        raise frames.libraries.not_a_frame(frame, "pandas, Polars, Dask or Spark")
    return LocalSource(frame)


def check_rows(frame: object, needs: str, instead: str) -> None:
    """Raise if a verb needs the rows themselves, and the frame has them elsewhere."""
    engine = engine_of(frame)
    if engine is not None:
        msg = f"{needs}, which a {engine.name} frame does not have.\nHint: {instead}."
        raise StratError(msg)


def named_source(
    frame: object, name: object, apart: Sequence[str] = ()
) -> tuple[Source, list[Any]]:
    """Take a frame as a source, and list its fold columns; raise if one does not exist."""
    source, names = source_of(frame), list_names(name, frame)
    source.check_names(names, apart)
    return source, names


def join_given(frame: Any, name: object) -> tuple[Any, Any, list[Any] | None]:
    """Join frames that are given by name; their names become the parts.

    Returns the frame, the name of its fold or part column, and the columns that are left out. A
    single frame is returned as it is, with None for the columns that are left out.
    """
    if not isinstance(frame, Mapping):
        return frame, name, None
    if name != "fold":
        msg = (
            "`name` must be left out where several frames are given, whose names are the parts, got"
            f" {describe(name)}."
        )
        raise StratError(msg)
    joined, aside = frames.join_frames(frame)
    return joined, frames.PART, aside


def list_names(name: object, frame: Any) -> list[Any]:
    """List the names of fold columns; one name may stand for all that `repeats` made of it."""
    columns = frames.column_names(frame)
    known = {each[0] if isinstance(each, tuple) and not any(each[1:]) else each for each in columns}
    found: list[Any] = []
    for each in as_list(name):
        repeats = list_repeats(each, known) if isinstance(each, str) and each not in known else ()
        found += repeats if len(repeats) > 1 else [each]
    return found


def as_list(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) and given else [given]
