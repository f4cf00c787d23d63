"""The columns that may explain how rows were dealt, and the rows that are looked at first."""

from typing import Any

import numpy as np
import pytest

from stratframe import frames
from stratframe.frames.result import make_frame
from stratframe.judging.candidates import (
    BLOCKS,
    FEW_ROWS,
    FIRST_DRAWN,
    candidate_labels,
    names_folds,
    read_candidates,
    sample_rows,
    words_of,
)
from tests.helpers import TWO_KINDS, Make


@pytest.mark.parametrize(
    "name",
    ["Fold_2", "cv5", "k", "set", "testSet", "is_train", "isTest", "partition", "Part"],
)
def test_names_of_folds(name: str) -> None:
    """A column whose name says folds, parts or their use is no candidate."""
    assert names_folds(name)


@pytest.mark.parametrize("name", ["offset", "latest", "folder", "settings", 1, None])
def test_other_names(name: Any) -> None:
    """A word that only contains a word for folds names no folds."""
    assert not names_folds(name)


def test_words_of_a_label() -> None:
    """Capitals, digits and underscores separate words; of several levels the last name counts."""
    assert words_of("patientId_2") == "patient Id 2"
    assert words_of(("visit", "patient_id")) == "patient id"
    assert words_of(("id", "")) == "id"


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_columns_that_are_candidates(frame: Make) -> None:
    """Folds, columns of the call and lists are left out, and missing values are counted."""
    data = {
        "label": ["a", "b"] * 10,
        "id": [row // 2 for row in range(20)],
        "other_fold": [0, 1] * 10,
        "dept": ["x"] * 17 + [None] * 3,
        "tags": [["t"]] * 20,
        "fold": [0, 1] * 10,
    }
    made = frame(data)
    labels = candidate_labels(made, ["fold"], ["label"])
    assert labels == ["id", "dept", "tags"]
    eager = frames.collect_columns(made, labels)
    ids, dept, tags = read_candidates(eager, labels, {})
    assert ids.classes is not None
    assert ids.classes[1] == 10
    assert tags.classes is tags.sampled_codes is None
    every = np.ones(20, dtype=bool)
    assert ids.is_known_in(every)
    assert not dept.is_known_in(every)
    assert dept.is_known_in(np.arange(20) < 18)


@pytest.mark.parametrize("n_rows", [0, 1, FEW_ROWS])
def test_all_rows_of_small_frames_are_sampled(n_rows: int) -> None:
    """A small frame is looked at whole."""
    sample = sample_rows(n_rows)
    assert sample.has_all
    assert sample.is_drawn.all()
    assert sample.rows.tolist() == list(range(n_rows))


@pytest.mark.parametrize("n_rows", [FEW_ROWS + 1, 10**6, 10**8])
def test_rows_are_sampled_in_blocks_and_at_random(n_rows: int) -> None:
    """Of many rows, blocks of neighbours and some 8 sqrt(n) drawn rows are looked at."""
    sample = sample_rows(n_rows)
    assert not sample.has_all
    assert (np.diff(sample.rows) > 0).all()
    assert 0 <= sample.rows[0] < sample.rows[-1] < n_rows
    assert sample.is_drawn.sum() == pytest.approx(8 * n_rows**0.5, rel=0.1)
    assert (np.diff(sample.rows) == 1).sum() >= BLOCKS * 1023


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_numbers_of_large_frames_that_hardly_repeat(library: str) -> None:
    """A sample shows which numbers hardly repeat; missing values do not count as repeated."""
    rng = np.random.default_rng(0)
    n = 2 * FEW_ROWS
    data = {
        "measure": rng.normal(size=n),
        "mostly missing": np.where(np.arange(n) % 10 > 0, np.nan, rng.normal(size=n)),
        "id": np.arange(n) // 2,
        "price": rng.normal(size=n).round(1),
        "text": [str(row) for row in range(n)],
    }
    labels = [*data]
    frame = make_frame(library, data)

    found = read_candidates(frame, labels, {})

    assert [each.hardly_repeats for each in found] == [True, True, False, False, False]


def test_numbers_of_small_frames_are_looked_at_whole() -> None:
    """A small frame is judged by all rows, not by a sample."""
    frame = make_frame("pandas", {"measure": np.arange(FEW_ROWS) / 2})
    (found,) = read_candidates(frame, ["measure"], {})
    assert not found.hardly_repeats


def test_rows_that_are_looked_at_first() -> None:
    """The first rows are some of the drawn rows."""
    sample = sample_rows(10 * FEW_ROWS)
    drawn = sample.rows[sample.is_drawn]
    assert set(sample.first_rows) <= set(drawn)
    assert FIRST_DRAWN <= len(sample.first_rows) < 2 * FIRST_DRAWN
