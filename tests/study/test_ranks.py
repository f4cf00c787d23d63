"""Wins and Friedman's test of a study, against pandas and SciPy called directly."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pandas.testing import assert_frame_equal
from scipy.stats import friedmanchisquare

import stratframe as sf
from stratframe.study.ranks import count_wins, rank_test
from tests.helpers import refuse
from tests.study.test_statistics import drawn_estimates

CASES = ["population", "estimator"]


def drawn_summary() -> pd.DataFrame:
    """Biases of four strategies on three populations by five estimators, at two k."""
    values = ([2, 5], [*"xyz"], [*"abcde"], ["SCV", *"uvw"])
    names = ["k", *CASES, "strategy"]
    frame = pd.MultiIndex.from_product(values, names=names).to_frame(index=False)
    return frame.assign(bias=np.random.default_rng(0).normal(size=len(frame)).round(1))


@pytest.mark.parametrize("signed", [True, False], ids=["signed", "absolute"])
def test_friedman_is_scipys(signed: bool) -> None:
    """Statistic and p are those of SciPy for the values, or their sizes, of each k."""
    frame = drawn_summary()
    found = sf.study.friedman(frame, "bias", cases=CASES, signed=signed).set_index("k")
    for k, rows in frame.groupby("k"):
        values = rows.pivot(index=CASES, columns="strategy", values="bias")
        expected = friedmanchisquare(*(values if signed else values.abs()).to_numpy().T)
        assert found.loc[k, ["statistic", "p"]].tolist() == pytest.approx([*expected])
    assert (found[["strategies", "cases"]] == [4, 15]).all(axis=None)


def test_noise_of_floats_changes_no_result() -> None:
    """Values that differ in their last bits are ties, for the test and for the wins."""
    frame = drawn_summary()
    drawn = np.random.default_rng(1)
    noisy = frame.assign(bias=frame["bias"] + drawn.uniform(-1e-13, 1e-13, len(frame)))
    for verb in (sf.study.friedman, sf.study.wins):
        assert_frame_equal(verb(noisy, "bias", cases=CASES), verb(frame, "bias", cases=CASES))
    exact = sf.study.friedman(noisy, "bias", cases=CASES, tolerance=0)
    assert (exact["p"] != sf.study.friedman(frame, "bias", cases=CASES)["p"]).all()


def test_wins_are_those_of_the_smallest_size() -> None:
    """Each case is one win, divided among the strategies that are nearest to zero."""
    frame = drawn_summary()
    found = sf.study.wins(frame, "bias", cases=CASES)
    assert found.columns.tolist() == ["k", "strategy", "wins", "cases"]
    assert found["strategy"].tolist() == ["SCV", *"uvw"] * 2
    size = frame["bias"].abs()
    case = [frame[name] for name in ("k", *CASES)]
    is_best = size == size.groupby(case).transform("min")
    shared = is_best / is_best.groupby(case).transform("sum")
    expected = shared.groupby([frame["k"], frame["strategy"]], sort=False).sum()
    np.testing.assert_allclose(found["wins"], expected)
    assert (found.groupby("k")["wins"].sum() == 15).all()


def test_cases_without_a_value_are_left_out() -> None:
    """A case counts if each strategy has a value there."""
    frame = drawn_summary()
    frame.loc[3, "bias"] = np.nan
    for verb in (sf.study.friedman, sf.study.wins):
        expected = verb(frame.iloc[4:], "bias", cases=CASES)
        assert expected.loc[expected["k"] == 2, "cases"].eq(14).all()
        for each in (frame, frame.drop(index=3)):
            assert_frame_equal(verb(each, "bias", cases=CASES), expected)


def test_ranks_of_all_ties_have_no_p() -> None:
    """Strategies that are equal in all cases have no statistic, and share all wins."""
    frame = drawn_summary().assign(bias=0.1)
    assert sf.study.friedman(frame, "bias", cases=CASES)[["statistic", "p"]].isna().all(axis=None)
    assert (sf.study.wins(frame, "bias", cases=CASES)["wins"] == 15 / 4).all()


def test_polars_frames_are_as_pandas_frames() -> None:
    """A Polars frame gives a Polars frame with the same values."""
    frame = drawn_summary()
    for verb in (sf.study.friedman, sf.study.wins):
        found = verb(pl.DataFrame(frame.to_dict("list")), "bias", cases=CASES)
        assert isinstance(found, pl.DataFrame)
        assert found.to_dict(as_series=False) == verb(frame, "bias", cases=CASES).to_dict("list")


def test_ranks_of_a_summary() -> None:
    """Both take a full summary, in which a case is an estimator by default."""
    more = drawn_estimates(6, 1, 1).query("strategy == 'other'").assign(strategy="k-fold")
    summary = sf.study.summary(pd.concat([drawn_estimates(6, 1), more]), full=True)
    assert sf.study.friedman(summary)["cases"].tolist() == [2, 2]
    assert sf.study.wins(summary, "bias").groupby("k")["wins"].sum().tolist() == [2, 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            lambda df: sf.study.wins(df, "bias", cases=CASES, tolerance=-1),
            "`tolerance` must be a number of at least 0, got -1.",
            id="negative_tolerance",
        ),
        pytest.param(
            lambda df: sf.study.wins(df, "bias", cases=CASES, tolerance=float("nan")),
            "`tolerance` must be a number of at least 0, got nan.",
            id="nan_tolerance",
        ),
        pytest.param(
            lambda df: sf.study.wins(df, "bias", cases=CASES, tolerance="0"),
            "`tolerance` must be a number of at least 0, got '0'.",
            id="tolerance_as_text",
        ),
        pytest.param(
            lambda df: sf.study.wins(df, "bias"),
            "`summary` must hold each strategy of a case once, got some strategies twice.\n"
            'Hint: `cases=["population", "estimator"]` tells more cases apart.',
            id="cases_told_apart_by_too_little",
        ),
        pytest.param(
            lambda df: sf.study.wins(df, "bias", cases=None),
            "`cases` must hold at least one column, got None.",
            id="no_cases",
        ),
        pytest.param(
            lambda df: sf.study.wins(df.drop(columns="strategy"), "bias"),
            "`summary` names the column 'strategy', which the frame does not have.\n"
            "Hint: the columns are 'k', 'population', 'estimator', 'bias'.",
            id="no_strategies",
        ),
        pytest.param(
            lambda df: sf.study.wins(df[:0], "bias"),
            "`summary` must have rows, got none.",
            id="no_rows",
        ),
        pytest.param(
            lambda df: sf.study.wins(df, cases=CASES),
            "`measure` names the column 'mse', which the frame does not have.\n"
            "Hint: the columns are 'k', 'population', 'estimator', 'strategy', 'bias'.",
            id="no_measure",
        ),
    ],
)
def test_bad_arguments(call: Callable[..., Any], message: str) -> None:
    """A frame that is no summary, and cases or a tolerance that are none, are errors."""
    refuse(message, lambda: call(drawn_summary()))


def test_bad_arguments_of_friedman() -> None:
    """The test reads its cases and its tolerance as `wins` does."""
    message = "`tolerance` must be a number of at least 0, got -1."
    refuse(message, lambda: sf.study.friedman(drawn_summary(), "bias", cases=CASES, tolerance=-1))
    message = "`cases` must hold at least one column, got None."
    refuse(message, lambda: sf.study.friedman(drawn_summary(), "bias", cases=None))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            lambda df: sf.study.friedman(df[df["strategy"] < "v"], "bias", cases=CASES),
            "`summary` must have at least three strategies, got 2.",
            id="two_strategies",
        ),
        pytest.param(
            lambda df: sf.study.friedman(df[:4], "bias", cases=CASES),
            "`cases` must give at least two cases in which every strategy has a value, got"
            " 1 for k=2.\n"
            'Hint: `cases=["population", "estimator"]` tells more cases apart.',
            id="one_case",
        ),
    ],
)
def test_too_little_for_a_test(call: Callable[..., Any], message: str) -> None:
    """Friedman's test needs three strategies and two cases."""
    refuse(message, lambda: call(drawn_summary()))


def test_ranks_of_many_draws_at_once() -> None:
    """Many draws at once have the results of each draw alone."""
    drawn = np.random.default_rng(0).normal(size=(5, 12, 4)).round(1)
    for place, values in enumerate(drawn):
        test = rank_test(drawn, 1e-9)
        assert test.pvalue[place] == pytest.approx(friedmanchisquare(*values.T).pvalue)
        np.testing.assert_array_equal(count_wins(drawn, 0)[place], count_wins(values, 0))
