"""Ids that are told by what they do, where no name suggests one."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe.judging.behaviour import (
    agreement,
    find_acting_ids,
    has_size_of_ids,
    is_determined,
    lie_together,
    makes_key,
    may_have_size,
    pairs_that_agree,
    repeats_too_often,
    sample_values,
)
from stratframe.judging.candidates import Candidate, read_candidates, sample_rows

pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 3)), min_size=2, max_size=15)


@given(pairs)
def test_pairs_are_counted_as_in_a_loop(rows: list[tuple[int, int]]) -> None:
    """Missing values count as one more value."""
    codes, others = map(np.array, zip(*rows, strict=True))
    alike = [(first, second) for first, second in combinations(rows, 2) if first == second]
    assert pairs_that_agree(codes, others) == len(alike)
    same = [first[1] == second[1] for first, second in combinations(rows, 2)]
    assert agreement(others) == pytest.approx(np.mean(same))


@pytest.mark.parametrize(
    ("n_agreeing", "n_pairs", "anywhere", "is_key", "is_shared"),
    [
        pytest.param(0, 100, 0.1, True, False, id="never_where_ten_are_expected"),
        pytest.param(0, 99, 0.1, False, False, id="too_few_pairs_are_expected"),
        pytest.param(1, 100, 0.1, False, False, id="one_pair_too_many"),
        pytest.param(100, 100, 0.5, False, True, id="always"),
        pytest.param(99, 100, 0.5, False, False, id="not_always"),
        pytest.param(100, 100, 0.95, False, False, id="always_as_anywhere"),
    ],
)
def test_columns_beside_an_id(
    n_agreeing: int, n_pairs: int, anywhere: float, is_key: bool, is_shared: bool
) -> None:
    """Pairs of rows of an id hardly ever agree in what tells its rows apart."""
    assert makes_key(n_agreeing, n_pairs, anywhere) is is_key
    assert is_determined(n_agreeing, n_pairs, anywhere) is is_shared


@pytest.mark.parametrize(
    ("n_values", "expected"),
    [
        pytest.param(5, True, id="classes"),
        pytest.param(200, True, id="large_groups"),
        pytest.param(4_000, False, id="ids_of_50_rows"),
        pytest.param(200_000, False, id="hardly_any_pairs"),
    ],
)
def test_drawn_rows_that_repeat_too_often_for_an_id(n_values: int, expected: bool) -> None:
    """Of 200,000 rows, 1,024 show which columns have too few values for an id."""
    codes = np.random.default_rng(0).integers(n_values, size=1_024)
    assert repeats_too_often(codes, 200_000) is expected


def test_sizes_and_places_of_the_rows_of_ids() -> None:
    """An id has at least 20 values, of 1.5 to 50 rows each, which can lie together."""
    codes = np.repeat(np.arange(20), 3)
    assert has_size_of_ids(codes, 20)
    assert not has_size_of_ids(codes[:-3], 19)
    assert not has_size_of_ids(np.arange(20), 20)
    assert not has_size_of_ids(np.repeat(np.arange(20), 51), 20)
    assert lie_together(codes, 20)
    assert not lie_together(np.tile(np.arange(20), 3), 20)


def test_values_are_drawn_with_all_of_their_rows() -> None:
    """Values are drawn at random until they have as many rows as needed; missing ones never are."""
    codes = np.random.default_rng(0).permutation(np.repeat(np.arange(-1, 100), 5))
    sample = sample_values(codes, 100, 60)
    assert len(sample.rows) == 60
    assert (np.unique(sample.codes, return_counts=True)[1] == 5).all()
    assert sample.codes.min() >= 0
    assert sample.n_pairs == 12 * 10
    assert len(sample_values(codes, 100, 10**6).rows) == 500


@pytest.mark.parametrize("n_each", [1.0, 1.5, 50.0, 5000.0])
def test_a_sample_tells_how_many_rows_values_have(n_each: float) -> None:
    """Drawn rows share values as often as expected from the number of rows of each value."""
    n = 10**6
    codes = np.random.default_rng(0).permutation((np.arange(n) / n_each).astype(np.int64))
    sample = sample_rows(n)
    assert may_have_size(codes[sample.rows], sample) == (1.5 <= n_each <= 50)


def visits(n_people: int, n_visits: int, *, is_shuffled: bool) -> pd.DataFrame:
    """Make visits of people, each of one sex, in the order of the people or of no one."""
    rng = np.random.default_rng(0)
    people = np.repeat(np.arange(n_people), n_visits)
    rows = pd.DataFrame(
        {
            "code": people,
            "visit": np.tile(np.arange(n_visits), n_people),
            "sex": (rng.random(n_people) < 0.5)[people],
            "city": rng.integers(0, 300, len(people)),
            "x": rng.normal(size=len(people)),
        }
    )
    return rows.sample(frac=1, random_state=0) if is_shuffled else rows


def acting(rows: pd.DataFrame) -> list[str]:
    candidates: list[Candidate] = read_candidates(rows, list(rows.columns), {})
    found = find_acting_ids(candidates, candidates, np.ones(len(rows), dtype=bool))
    return [each.label for each in found]


@pytest.mark.parametrize("n_people", [40, 20_000])
@pytest.mark.parametrize("is_shuffled", [False, True])
def test_visits_of_people(n_people: int, is_shuffled: bool) -> None:
    """The number of a visit never repeats for one person, whose sex does not change."""
    rows = visits(n_people, 6, is_shuffled=is_shuffled)
    assert acting(rows) == ["code"]
    assert acting(rows[["code", "visit", "city"]]) == ([] if is_shuffled else ["code"])
    assert acting(rows.drop(columns="visit")) == []
    assert acting(rows.rename(columns={"code": "week"})) == []


def test_a_city_is_no_id() -> None:
    """A column whose rows differ from each other as all rows do is no id."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        {
            "city": rng.integers(0, 100, 1000),
            "kind": rng.integers(0, 5, 1000),
            "age": rng.integers(18, 90, 1000),
        }
    )
    assert acting(rows) == []
