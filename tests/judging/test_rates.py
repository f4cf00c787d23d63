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
    """Of 2,000 good columns 6 are refused at most, and of 1,600 bad ones 20 pass."""
    assert len(run(GOOD, library, seed, 2000)) <= 6
    assert len(run(BAD, library, seed, 1600)) <= 20
