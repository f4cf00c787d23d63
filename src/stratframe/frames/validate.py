"""Rules on the values of columns: broken rows, failing rows, pandera's word on them."""

from collections.abc import Hashable
from importlib import import_module
from typing import Any

import numpy as np

from ..core.types import Ints, Values
from .library import take
from .tables import make_frame


def failing_rows(kind: str, columns: dict[Hashable, Any], places: Ints) -> Any:
    """Make a frame of some rows of columns, their positions first."""
    position = "row"
    while position in columns:
        position += "_"
    found: dict[Hashable, Any] = {name: take(series, places) for name, series in columns.items()}
    return make_frame(kind, {position: places, **found})


def failure_cases(cases: Any) -> tuple[Values, Values, Values]:
    """Take pandera's failure cases apart: columns, checks and rows."""
    columns, checks, rows = (np.asarray(cases[name]) for name in ("column", "check", "index"))
    return columns.astype(str), checks.astype(str), rows.astype(np.int64)


def pandera_module(kind: str) -> Any:
    """Import pandera for a library, which takes a while, only when it is needed."""
    return import_module(f"pandera.{kind}")


def category_list(series: Any) -> list[Any]:
    """List the categories of a pandas column in their order."""
    found: list[Any] = series.cat.categories.tolist()
    return found
