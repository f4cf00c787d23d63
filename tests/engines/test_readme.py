"""The README says which calls of its table engines refuse, and all others give the same folds."""

from collections.abc import Callable
from typing import Any

import pytest

import stratframe as sf
from tests.engines.frames import EngineFrames
from tests.test_readme import ROWS, TABLE

MADE: dict[str, Callable[[Any], Any]] = {
    "classes": lambda df: sf.kfold(df, "label", k=5, key="id"),
    "groups": lambda df: sf.kfold(df, k=5, groups="patient"),
    "classes and groups": lambda df: sf.kfold(df, "label", k=5, groups="patient"),
    "the same folds in pandas, Polars, Spark": lambda df: sf.kfold(df, "label", k=5, key="id"),
}
REFUSED: dict[str, Callable[[Any], Any]] = {
    "a number": lambda df: sf.kfold(df, sf.continuous("price"), k=5, key="id"),
    "several labels": lambda df: sf.kfold(df, sf.margins(["sea", "sun", "snow"]), k=5, key="id"),
    "weights": lambda df: sf.kfold(df, ["label", sf.total("weight")], k=5, key="id"),
    "calendar months": lambda df: sf.cv(df, "day", every="1mo", train="past", gap=1),
    "the last fifth": lambda df: sf.split(
        df, sf.continuous("day"), 0.2, deal="contiguous", key="id"
    ),
}


def test_every_row_of_the_table_is_tried() -> None:
    """Each call of the table works or is refused, but for `check`, which other tests run."""
    assert {*MADE, *REFUSED, "judging a column"} == {*TABLE}


@pytest.mark.parametrize("job", MADE)
def test_calls_that_work_give_the_folds_of_pandas(engine: EngineFrames, job: str) -> None:
    """The calls that the README does not name as refused give the folds of pandas."""
    rows = ROWS[["id", "label", "patient"]]

    made = MADE[job](engine.spread(rows, [200, 400]))

    assert engine.rows(made)["fold"] == MADE[job](rows)["fold"].tolist()


@pytest.mark.parametrize("job", REFUSED)
def test_calls_that_are_refused_are_an_error(engine: EngineFrames, job: str) -> None:
    """A number, several labels, weights, the last fifth and `cv` are an error on engines."""
    frame = engine.spread(ROWS, [200, 400])
    with pytest.raises(sf.StratError, match=r"which is not possible on|must not have a cont"):
        REFUSED[job](frame)


def test_bins_and_pairs_of_frames_take_their_place(engine: EngineFrames) -> None:
    """Bins of a number give the folds of pandas, and `folds` the months that `cv` refuses."""
    rows = ROWS[["id", "price", "day"]]
    frame = engine.spread(rows, [200, 400])

    binned = sf.kfold(frame, sf.quantiles("price", 10), k=5, key="id")
    months = [fold.fold for fold in sf.folds(frame, "day", every="1mo", train="past", gap=1)]

    expected = sf.kfold(rows, sf.quantiles("price", 10), k=5, key="id")
    assert engine.rows(binned)["fold"] == expected["fold"].tolist()
    assert len(months) == len(list(sf.cv(rows, "day", every="1mo", train="past", gap=1)))
