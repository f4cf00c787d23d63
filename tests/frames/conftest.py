"""Single columns of every kind of frame."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest


@pytest.fixture
def column(frame: Callable[[dict[str, Any]], Any]) -> Callable[[list[Any]], Any]:

    def make_column(values: list[Any]) -> Any:
        made = frame({"x": values})
        return (made.collect() if isinstance(made, pl.LazyFrame) else made)["x"]

    return make_column
