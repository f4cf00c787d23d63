"""Single columns of every kind of frame."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers import eager


@pytest.fixture
def column(frame: Callable[[dict[str, Any]], Any]) -> Callable[[list[Any]], Any]:
    return lambda values: eager(frame({"x": values}))["x"]
