"""Very many rows at fault: all in `failures`, the first of them in pandera's error."""

from typing import Any

import numpy as np
import pytest

import stratframe as sf
from stratframe.frames import rules
from tests.helpers import Make, eager


def error_of(data: Any, **arguments: Any) -> sf.StratError:
    """The error of a call."""
    with pytest.raises(sf.StratError) as caught:
        eager(sf.kfold(data, **arguments))
    return caught.value


@pytest.mark.parametrize("many", [2, 10_000])
@pytest.mark.parametrize("fault", ["missing", "infinite", "repeated", "several"])
def test_many_rows_at_fault(
    frame: Make, monkeypatch: pytest.MonkeyPatch, fault: str, many: int
) -> None:
    """Whatever pandera lists, the message and the rows are the same, and pandera is the cause."""
    n = 20
    data: dict[str, Any] = {"x": list("ab") * 10, "y": np.arange(n) / 3, "id": list(range(n))}
    arguments: dict[str, Any] = {"by": ["x", sf.continuous("y")], "key": "id"}
    rows: set[int] = set()
    if fault in ("missing", "several"):
        data["x"] = [None if row > 4 else "a" for row in range(n)]
        rows |= set(range(5, n))
    if fault in ("infinite", "several"):
        data["y"] = [float("inf") if row % 2 else 0.5 for row in range(n)]
        rows |= set(range(1, n, 2))
    if fault in ("repeated", "several"):
        data["id"] = [row % 10 for row in range(n)]
        rows |= set(range(n))
    expected = str(error_of(frame(data), **arguments))
    monkeypatch.setattr(rules, "MANY_FAILURES", many)
    error = error_of(frame(data), **arguments)
    assert str(error) == expected
    assert list(error.failures["row"]) == sorted(rows)
    assert type(error.__cause__).__name__ == "SchemaErrors"


def test_pandera_lists_the_first_rows(monkeypatch: pytest.MonkeyPatch, frame: Make) -> None:
    """Of many rows, the error of pandera lists so many and no more; of many columns, ours five."""
    monkeypatch.setattr(rules, "MANY_FAILURES", 3)
    error = error_of(frame({"x": [None, "a"] * 10}), by="x")
    cause: Any = error.__cause__
    assert len(cause.failure_cases) <= 3
    assert len(error.failures) == 10
    many = {f"x{place}": [None, 1.5] for place in range(99)}
    told = str(error_of(frame(many), by=sf.chain(list(many)), k=2)).splitlines()
    assert told[5] == "94 more faults are not listed."
