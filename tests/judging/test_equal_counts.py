"""Columns that take equally many rows of each stratum, which are no uneven folds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import stratframe as sf
from tests.helpers import Make, values

SIZES = [2, 3, 8, 30, 60, 90]


def logs() -> dict[str, Any]:
    """Make rows of users with few and with many rows."""
    user = np.repeat(["ann", "bob", "cy", "dan", "eve", "flo"], SIZES)
    rng = np.random.default_rng(0)
    return {
        "user": rng.permutation(user).tolist(),
        "time": rng.permutation(len(user)).tolist(),
        "price": rng.random(len(user)).tolist(),
    }


@pytest.mark.parametrize(
    ("by", "each", "line"),
    [
        pytest.param(
            "user",
            2,
            "  note     user: test has 2 rows of each of 5 users, 1 is too small",
            id="classes",
        ),
        pytest.param(
            ["user", sf.continuous("price")],
            {"train": None, "valid": 1, "test": 2},
            "  note     user: valid has 1, test has 2 rows of each of 4 users",
            id="order",
        ),
        pytest.param(
            ["user", sf.quantiles("price", 2)],
            1,
            "  note     user, price: test has 1 row of each of 9 strata, 3 are too small",
            id="joint_strata",
        ),
    ],
)
def test_equal_counts_are_a_note(frame: Make, by: Any, each: Any, line: str) -> None:
    """A column of `each` is fit for use, and its line says how many rows of how many strata."""
    divided = sf.split(frame(logs()), by, each=each, rare="ignore", key="time")

    check = sf.check(divided, by, "split", duplicates=None)

    assert check.ok
    assert line in str(check).splitlines()
    assert not any("lacks" in each or "none of" in each for each in str(check).splitlines())


def test_tables_say_equal_counts(frame: Make) -> None:
    """`report` and `compare` have a verdict of their own for such columns."""
    divided = sf.split(frame(logs()), "user", each=2, rare="ignore", key="time")

    assert values(sf.report(divided, "user", "split"), "verdict") == ["equal counts"] * 2
    assert values(sf.compare(divided, "user", "split"), "verdict") == ["equal counts"]


def test_a_balanced_test_set_of_any_source_is_a_note() -> None:
    """Equal counts are a note whatever call made them."""
    rows = pd.DataFrame({"label": ["a"] * 900 + ["b"] * 90})
    rows["split"] = "train"
    rows.loc[[*range(40), *range(900, 940)], "split"] = "test"

    check = sf.check(rows, "label", "split", duplicates=None)

    assert check.ok
    assert "label: test has 40 rows of each of 2 labels" in str(check)
