"""Names of parts, ranked by their use."""

from typing import Any

import pytest

from stratframe.frames.purposes import (
    PURPOSES,
    purpose_of_flags,
    purposes_of,
    purposes_of_column,
)

NONE = len(PURPOSES)


@pytest.mark.parametrize(
    ("labels", "ranks"),
    [
        pytest.param(["Train ", "VALID", "test", "x"], [0, 1, 2, NONE], id="whole names"),
        pytest.param(["train", "dev", "test"], [0, 1, 2], id="dev among parts"),
        pytest.param(["train", "dev", "ops"], [0, NONE, NONE], id="dev among others"),
        pytest.param(["Training set", "Test set"], [0, 2], id="first words"),
        pytest.param(["Training set", "all"], [NONE, NONE], id="first words among others"),
        pytest.param(["2023_fit", "2024_oos"], [0, 3], id="words after digits"),
        pytest.param(["TestB", "holdOut", "learn.1"], [2, 3, 0], id="words before a capital"),
        pytest.param(["Valencia", "device", "holder"], [NONE] * 3, id="longer words"),
        pytest.param(["train", 3, None], [0, NONE, NONE], id="labels that are no text"),
        pytest.param(["", "_", "test x"], [NONE] * 3, id="labels without words"),
        pytest.param([], [], id="no labels"),
    ],
)
def test_ranks_of_names(labels: list[object], ranks: list[int]) -> None:
    """A label that is a known name describes a use; other words do so only if all labels do."""
    assert purposes_of(labels).tolist() == ranks


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        pytest.param("is_test", 2, id="a prefix"),
        pytest.param("IsTrain", 0, id="a prefix in camel case"),
        pytest.param("holdout", 3, id="no prefix"),
        pytest.param("is_new", None, id="no use"),
        pytest.param("test_passed", None, id="more than a use"),
        pytest.param("is", None, id="only a prefix"),
        pytest.param(("is_test", ""), None, id="a label that is no text"),
    ],
)
def test_names_of_flags(name: object, rank: int | None) -> None:
    """The name of a column of flags describes a use if, without "is", it is one such word."""
    assert purpose_of_flags(name) == rank


@pytest.mark.parametrize("labels", [[False, True], [0, 1], ["false", "TRUE"], [0.0, 1.0]], ids=str)
def test_flags_have_the_use_of_their_column(labels: list[Any]) -> None:
    """A column of flags describes the use in its name and the rest; other labels their own use."""
    assert purposes_of_column("is_test", labels).tolist() == [0, 2]
    assert purposes_of_column("train", labels).tolist() == [2, 0]
    assert (purposes_of_column("is_new", labels) == len(PURPOSES)).all()
    assert purposes_of_column("is_test", ["train", "test"]).tolist() == [0, 2]
