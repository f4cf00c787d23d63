"""`check` refuses few good columns and lets few bad ones pass, on columns drawn by chance."""

import warnings
from collections.abc import Iterator

import pytest

import stratframe as sf
from tests.judging.rates import BAD, GOOD, NOTED, run


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    """Leave out what is said of folds as they are made: few bins, large groups."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sf.StratWarning)
        yield


def test_columns_of_each_kind_are_judged_right() -> None:
    """Columns of good and noted kinds are fit for use, those of bad kinds are not."""
    assert run(GOOD, "pandas", 1, 2 * len(GOOD)) == []
    assert run(NOTED, "pandas", 1, 9 * len(NOTED)) == []
    assert run(BAD, "polars", 1, 3 * len(BAD)) == []


@pytest.mark.slow
@pytest.mark.parametrize(("library", "seed"), [("pandas", 2), ("polars", 3)])
def test_few_columns_are_judged_wrong(library: str, seed: int) -> None:
    """At most 6 of 2,000 good columns are refused, and at most 20 of 1,600 bad ones pass."""
    assert len(run(GOOD, library, seed, 2000)) <= 6
    assert len(run(BAD, library, seed, 1600)) <= 20
