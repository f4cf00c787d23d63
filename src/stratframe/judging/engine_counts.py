"""Count the groups, keys and equal rows that folds of a Dask or Spark frame share."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from .. import frames
from ..engines.engine_source import EngineSource
from ..errors import plural_name
from ..frames import FoldValues
from .asked import Asked
from .copies import ComparedRows, is_chance, nearly_unique
from .duplicates import EqualRows
from .groups import ComparedUnits, SharedUnits
from .shared import Shared


def count_on_engine(
    source: EngineSource, asked: Asked, name: Any, labels: FoldValues
) -> Iterator[Shared]:
    """Count what the call names; groups come first, and equal rows last."""
    if asked.refs["groups"]:
        yield count_groups(source, asked, name, labels)
    if asked.refs["key"]:
        yield count_keys(source, asked, name, labels)
    if asked.refs["duplicates"]:
        yield count_rows(source, asked, name, labels)


def count_groups(source: EngineSource, asked: Asked, name: Any, labels: FoldValues) -> SharedUnits:
    """Count the groups of a Dask or Spark frame that are in several folds."""
    count = partial(source.engine.shared_rows, argument="groups", name=name, drop=True)
    refs = asked.refs["groups"]
    names = list(map(frames.format_reference, refs)) if len(refs) > 1 else []
    compared = ComparedUnits("groups", (), plural_name(asked.groups), names)
    rows = count(refs)
    n_partly = count(refs, drop=False).n_split - rows.n_split if labels.n_nulls else 0
    alone = [count([ref]) for ref in refs[: len(names)]]
    return SharedUnits(compared, rows, n_partly, alone)


def count_keys(source: EngineSource, asked: Asked, name: Any, labels: FoldValues) -> SharedUnits:
    """Count the keys of a Dask or Spark frame that are in several folds."""
    count = partial(source.engine.shared_rows, asked.refs["key"], argument="key", name=name)
    rows = count(drop=True)
    n_partly = count(drop=False).n_split - rows.n_split if labels.n_nulls else 0
    return SharedUnits(ComparedUnits("keys", (), plural_name(asked.key, "keys")), rows, n_partly)


def count_rows(source: EngineSource, asked: Asked, name: Any, labels: FoldValues) -> EqualRows:
    """Count the rows of a Dask or Spark frame that equal a row of another fold."""
    count = partial(source.engine.shared_rows, argument="duplicates", name=name, drop=True)
    refs = asked.refs["duplicates"]
    rows = count(refs)
    apart = [count([ref]) for ref in refs] if rows.n_split and len(refs) > 1 else []
    are_unique = nearly_unique(rows, apart)
    by_chance = bool(apart) and is_chance(rows, apart, sum(labels.sizes), are_unique)
    return EqualRows(ComparedRows(), rows, by_chance)
