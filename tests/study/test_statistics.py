"""The summary of estimates, against pandas, NumPy and SciPy called directly."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pandas.testing import assert_frame_equal
from scipy.stats import ttest_1samp

import stratframe as sf
from tests.helpers import refuse

CELL = ["strategy", "estimator", "k"]


def drawn_estimates(n_samples: int = 40, n_repeats: int = 3, seed: int = 0) -> pd.DataFrame:
    """Estimates of two strategies by two estimators, at random around drawn truths."""
    drawn = np.random.default_rng(seed)
    values = ["SCV", "other"], ["a", "b"], [2, 5], range(n_samples), range(n_repeats)
    keys = pd.MultiIndex.from_product(values, names=[*CELL, "sample", "repeat"])
    frame = keys.to_frame(index=False)
    truths = drawn.normal(0.8, 0.02, (2, n_samples))
    is_b = (frame["estimator"] == "b").astype(int)
    frame["truth"] = truths[is_b, frame["sample"]]
    spread = np.where(frame["strategy"] == "SCV", 0.04, 0.03)
    frame["estimate"] = frame["truth"] - 0.01 + spread * drawn.normal(size=len(frame))
    return frame.assign(seconds=2.0, fold_seconds=0.5, error="")


def test_moments_are_those_of_numpy() -> None:
    """Bias, standard deviation and mean squared error are those of all errors."""
    frame = drawn_estimates()
    found = sf.study.summary(frame, full=True).set_index(CELL)
    for place, values in frame.set_index(CELL).eval("estimate - truth").groupby(level=[0, 1, 2]):
        row = found.loc[place]
        assert row["bias"] == pytest.approx(values.mean())
        assert row["sd"] == pytest.approx(values.std(ddof=0))
        assert row["mse"] == pytest.approx((values**2).mean())
    assert (found[["seconds", "fold_seconds", "failed"]] == [2, 0.5, 0]).all(axis=None)


def test_a_summary_in_full_adds_columns() -> None:
    """In full, further columns come after the ratio and its interval."""
    frame = drawn_estimates()
    found = sf.study.summary(frame)
    in_full = sf.study.summary(frame, full=True)
    assert found.columns.tolist() == [*CELL, "mse_ratio", "low", "high"]
    more = ["bias", "sd", "mse", "within", "seconds", "fold_seconds", "failed", "error"]
    assert in_full.columns.tolist() == [*found.columns, *more]
    assert_frame_equal(in_full[found.columns], found)


def test_the_interval_is_that_of_scipy() -> None:
    """The ratio and its interval are those of SciPy's t-test of a linear form over samples."""
    frame = drawn_estimates()
    found = sf.study.summary(frame).set_index(CELL)
    chosen = frame[(frame["estimator"] == "b") & (frame["k"] == 5)]
    squares = (chosen["estimate"] - chosen["truth"]) ** 2
    per_sample = squares.groupby([chosen["strategy"], chosen["sample"]]).mean().unstack(0)
    ratio = per_sample["other"].mean() / per_sample["SCV"].mean()
    # The delta method: the log of the ratio changes with each sample by its share of both means.
    shares = per_sample / per_sample.mean()
    logs = ttest_1samp(shares["other"] - shares["SCV"], 0).confidence_interval()
    row = found.loc[("other", "b", 5), ["mse_ratio", "low", "high"]]
    assert row.tolist() == pytest.approx([ratio, *(ratio * np.exp(bound) for bound in logs)])


@pytest.mark.slow
def test_the_interval_covers_the_ratio() -> None:
    """In 100 studies with a known ratio, about 95 intervals hold it."""
    held = 0
    for seed in range(100):
        frame = drawn_estimates(60, 1, seed)
        rows = sf.study.summary(frame[(frame["estimator"] == "a") & (frame["k"] == 2)])
        low, high = rows.loc[1, ["low", "high"]]
        held += low <= (0.03**2 + 0.01**2) / (0.04**2 + 0.01**2) <= high
    # The standard deviation of the count is 2.2.
    assert 86 <= held <= 100


def test_within_gives_the_error_of_a_mean_of_repeats() -> None:
    """The formula of the docstring is exact for the mean of all repeats."""
    frame = drawn_estimates(n_repeats=4)
    found = sf.study.summary(frame, full=True)
    means = frame.groupby([*CELL, "sample"], sort=False)[["estimate", "truth"]].mean()
    squares = (means["estimate"] - means["truth"]) ** 2
    expected = squares.groupby(CELL, sort=False).mean()
    assert (found["mse"] - 3 / 4 * found["within"]).to_numpy() == pytest.approx(expected.to_numpy())
    once = sf.study.summary(frame[frame["repeat"] == 0], full=True)
    assert once["within"].isna().all()


def test_equal_strategies_have_a_ratio_of_one() -> None:
    """A strategy that makes the same errors has the ratio 1, and no interval around it."""
    scv = drawn_estimates().query("strategy == 'SCV'")
    found = sf.study.summary(pd.concat([scv, scv.assign(strategy="twin")]))
    assert (found[["mse_ratio", "low", "high"]] == 1).all(axis=None)


def test_another_baseline() -> None:
    """Any strategy may be what the others are compared with."""
    frame = drawn_estimates()
    first = sf.study.summary(frame)
    second = sf.study.summary(frame, baseline="other")
    ratios = first.loc[first["strategy"] == "other", ["mse_ratio", "low", "high"]].to_numpy()
    inverse = second.loc[second["strategy"] == "SCV", ["mse_ratio", "high", "low"]].to_numpy()
    assert ratios == pytest.approx(1 / inverse)
    rule = "`baseline` must be 'SCV' or 'other', got 'DOB-SCV'."
    refuse(rule, lambda: sf.study.summary(frame, "DOB-SCV"))


def test_missing_estimates() -> None:
    """A ratio uses the samples that both strategies have, and other columns all estimates."""
    frame = drawn_estimates().query("estimator == 'a' and k == 2").reset_index(drop=True)
    lost = (frame["sample"] < 5) | (frame["sample"] == 7) & (frame["repeat"] == 1)
    lost &= frame["strategy"] == "other"
    frame.loc[lost, ["estimate", "error"]] = [np.nan, "ValueError: lost"]
    first, second = (row for _, row in sf.study.summary(frame, full=True).iterrows())
    squares = (frame["estimate"] - frame["truth"]) ** 2
    per_sample = squares.groupby([frame["strategy"], frame["sample"]]).mean().unstack(0)
    assert first["mse"] == pytest.approx(per_sample["SCV"].mean())
    assert second["mse"] == pytest.approx(per_sample["other"].mean())
    both = per_sample.dropna()
    assert second["mse_ratio"] == pytest.approx(both["other"].mean() / both["SCV"].mean())
    assert (second["failed"], second["error"]) == (5 * 3 + 1, "ValueError: lost")
    assert (first["failed"], first["error"]) == (0, "")


def test_few_samples_have_no_interval() -> None:
    """One sample has a ratio but no interval, and a baseline without errors no ratio."""
    one = sf.study.summary(drawn_estimates(1, 2)).query("strategy == 'other'")
    assert one["mse_ratio"].notna().all()
    assert one[["low", "high"]].isna().all(axis=None)
    exact = drawn_estimates()
    exact.loc[exact["strategy"] == "SCV", "estimate"] = exact["truth"]
    assert sf.study.summary(exact)["mse_ratio"].isna().all()


def test_strategies_need_not_have_all_rows() -> None:
    """Rows that are left out do not count as failures."""
    frame = drawn_estimates()
    some = frame[(frame["strategy"] == "SCV") | (frame["k"] == 2) & (frame["repeat"] == 0)]
    found = sf.study.summary(some, full=True)
    assert found.groupby("strategy").size().to_dict() == {"SCV": 4, "other": 2}
    assert (found["failed"] == 0).all()


@pytest.mark.parametrize(
    ("make", "verb"),
    [
        pytest.param(pl.DataFrame, sf.study.summary, id="summary"),
        pytest.param(pl.LazyFrame, sf.study.differences, id="differences"),
        pytest.param(
            pl.DataFrame, partial(sf.study.differences, pooled=True), id="pooled_differences"
        ),
    ],
)
def test_polars_gives_the_same(make: Any, verb: Any) -> None:
    """A result is in the caller's library; missing numbers are null in Polars."""
    frame = drawn_estimates(n_repeats=1)

    found = verb(make(frame.to_dict("list")), full=True)

    expected = verb(frame, full=True)
    assert isinstance(found, pl.DataFrame)
    assert found["within"].null_count() == len(found)
    plain = pd.DataFrame(found.drop("within").to_dict(as_series=False))
    assert_frame_equal(plain, expected.drop(columns="within"), check_dtype=False)


def test_bad_frames() -> None:
    """A frame that holds no estimates, or some twice, is an error."""
    frame = drawn_estimates()
    message = (
        "`estimates` names the column 'truth', which the frame does not have."
        "\nHint: the columns are 'strategy', 'estimator', 'k', 'sample', 'repeat', ..."
    )
    refuse(message, lambda: sf.study.summary(frame.drop(columns=["truth"])))
    refuse("`estimates` must have rows, got none.", lambda: sf.study.summary(frame[:0]))
    rule = "`estimates` must hold each repeat once, got some repeats twice."
    refuse(rule, lambda: sf.study.summary(pd.concat([frame, frame])))
