"""The errors of differences between scores, against NumPy and pandas called directly."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import stratframe as sf
from tests.helpers import refuse
from tests.study.test_statistics import drawn_estimates

differences = sf.study.differences
KEYS = ["strategy", "pair", "k"]
INDEX = ["strategy", "k", "sample", "repeat"]


def three_estimators(n_samples: int = 20, n_repeats: int = 2) -> pd.DataFrame:
    frame = drawn_estimates(n_samples, n_repeats)
    third = drawn_estimates(n_samples, n_repeats, 1).query("estimator == 'a'")
    return pd.concat([frame, third.assign(estimator="c")], ignore_index=True)


def written(estimates: Any, truths: Any, strategy: str = "SCV") -> pd.DataFrame:
    """Rows of estimators a, b, ... on samples, each an array (n_estimators, n_samples)."""
    places = np.indices(np.shape(estimates))
    names = [chr(ord("a") + place) for place in places[0].flat]
    rows = pd.DataFrame({"strategy": strategy, "estimator": names, "k": 5})
    rows = rows.assign(sample=places[1].ravel(), repeat=0, estimate=np.ravel(estimates))
    return rows.assign(truth=np.ravel(truths), seconds=2.0, fold_seconds=0.5, error="")


def by_hand(frame: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Differences of two estimators, one row per strategy, k, sample and repeat."""
    rows = frame.set_index([*INDEX, "estimator"])[["estimate", "truth"]]
    found = rows.xs(first, level="estimator") - rows.xs(second, level="estimator")
    return found.assign(error=found["estimate"] - found["truth"])


def test_choices_are_those_of_the_differences() -> None:
    """The better estimator is chosen where the difference has the sign of the true one."""
    frame = three_estimators()
    found = differences(frame, full=True)
    columns = [
        *KEYS,
        "mse_ratio",
        "low",
        "high",
        "bias",
        "sd",
        "mse",
        "correct",
        "regret",
        "within",
        "seconds",
        "fold_seconds",
        "failed",
        "error",
    ]
    assert found.columns.tolist() == columns
    found = found.set_index(KEYS)
    assert len(found) == 2 * 3 * 2
    for first, second in combinations("abc", 2):
        for (strategy, k), rows in by_hand(frame, first, second).groupby(["strategy", "k"]):
            row = found.loc[(strategy, f"{first} - {second}", k)]
            right = (rows["estimate"] > 0) == (rows["truth"] > 0)
            assert row["correct"] == pytest.approx(right.mean())
            assert row["regret"] == pytest.approx((rows["truth"].abs() * ~right).mean())


def test_errors_are_those_of_a_summary_of_differences() -> None:
    """Ratios, intervals and moments are those of a `summary` of the differences."""
    frame = drawn_estimates()
    rows = by_hand(frame, "a", "b").drop(columns="error").reset_index()
    rows = rows.assign(estimator="a - b", seconds=3.5, fold_seconds=0.5, error="")
    expected = sf.study.summary(rows, full=True).rename(columns={"estimator": "pair"})
    found = differences(frame, full=True)
    assert_frame_equal(found[expected.columns], expected)
    assert_frame_equal(differences(frame), expected[found.columns[:6]])


def test_ties() -> None:
    """Equal estimates count as half a right choice, and equal truths have no better estimator."""
    estimates = np.array([[0.7, 0.7, 0.7, 0.8], [0.7, 0.6, 0.8, 0.6]])
    truths = np.array([[0.9, 0.8, 0.8, 0.7], [0.5, 0.8, 0.4, 0.6]])
    row = sf.study.differences(written(estimates, truths), full=True).iloc[0]
    # Sample 1 has equal truths, so that any choice is as good.
    assert row["correct"] == pytest.approx((0.5 + 0 + 1) / 3)
    assert row["regret"] == pytest.approx((0.2 + 0 + 0.4 + 0) / 4)
    # Sums in another order, or single precision, make no better estimator.
    tied = [[0.1 + 0.2, 0.5], [0.3, np.float32(0.1) * 5]]
    row = differences(written(tied, [[0.9, 0.9], [0.5, 0.5]]), full=True).iloc[0]
    assert (row["correct"], row["regret"]) == (0.5, pytest.approx(0.2))
    same = differences(written(estimates, np.ones((2, 4))), full=True).iloc[0]
    assert (same["correct"], same["regret"]) == (pytest.approx(np.nan, nan_ok=True), 0)


def test_pooled_pairs() -> None:
    """Pooled errors are means over pairs, and regret is that of choosing among all."""
    frame = three_estimators()
    each, found = (differences(frame, pooled=pooled, full=True) for pooled in (False, True))
    assert found["pair"].eq("all").all()
    assert found.columns.tolist() == each.columns.tolist()
    means = each.groupby(["strategy", "k"]).mean(numeric_only=True)
    squares = (each.set_index(["strategy", "k"])[["bias", "sd"]] ** 2).groupby(level=[0, 1]).mean()
    rows = found.set_index(["strategy", "k"])
    names = ["mse", "correct", "within", "seconds"]
    assert rows[names].to_numpy() == pytest.approx(means[names].to_numpy())
    assert rows[["bias", "sd"]].to_numpy() == pytest.approx(np.sqrt(squares.to_numpy()))
    ratios = means["mse"] / means["mse"].xs("SCV")
    assert rows["mse_ratio"].to_numpy() == pytest.approx(ratios.to_numpy())
    wide = frame.pivot(index=INDEX, columns="estimator", values=["estimate", "truth"])
    truths = wide["truth"]
    best = wide["estimate"].to_numpy().argmax(axis=1)
    picked = truths.to_numpy()[np.arange(len(truths)), best]
    regret = (truths.max(axis=1) - picked).groupby(["strategy", "k"]).mean()
    assert rows["regret"].to_numpy() == pytest.approx(regret.to_numpy())


def test_missing_estimates() -> None:
    """A difference needs both scores; a ratio uses the samples that both strategies have."""
    frame = drawn_estimates(n_repeats=1).query("k == 2").reset_index(drop=True)
    lost = (frame["strategy"] == "other") & (frame["estimator"] == "b") & (frame["sample"] < 5)
    frame.loc[lost, ["estimate", "error"]] = [np.nan, "ValueError: lost"]
    rows = by_hand(frame, "a", "b").droplevel(["k", "repeat"])["error"].unstack("strategy")
    for pooled in (False, True):
        first, second = (row for _, row in differences(frame, pooled=pooled, full=True).iterrows())
        both = (rows.dropna() ** 2).mean()
        assert second["mse_ratio"] == pytest.approx(both["other"] / both["SCV"])
        assert second["mse"] == pytest.approx(both["other"])
        assert first["mse"] == pytest.approx((rows["SCV"] ** 2).mean())
        assert (second["failed"], second["error"]) == (5, "ValueError: lost")
        assert (first["failed"], first["error"]) == (0, "")


def test_a_pair_that_is_missing_leaves_both_pooled_sums() -> None:
    """A strategy does not look better because it lacks a pair with large errors."""
    frame = three_estimators(n_repeats=1).query("k == 5").reset_index(drop=True)
    is_third = frame["estimator"] == "c"
    frame.loc[is_third, "estimate"] += 5 * (frame.loc[is_third, "sample"] % 3)
    is_lost = is_third & (frame["strategy"] == "other") & (frame["sample"] > 5)
    frame.loc[is_lost, "estimate"] = np.nan
    found = sf.study.differences(frame, pooled=True).set_index("strategy").loc["other"]
    squares = []
    for first, second in combinations("abc", 2):
        errors = by_hand(frame, first, second)["error"].unstack("strategy")
        squares.append(np.where(errors.isna().any(axis=1).to_numpy()[:, None], np.nan, errors**2))
    means = np.nanmean(squares, axis=0)
    assert found["mse_ratio"] == pytest.approx(means[:, 1].mean() / means[:, 0].mean())


def test_rows_that_were_left_out() -> None:
    """A pair has the rows that both of its estimators have."""
    frame = three_estimators()
    some = frame[(frame["estimator"] != "c") | (frame["strategy"] == "SCV")]
    found, pooled = (differences(some, pooled=pooled, full=True) for pooled in (False, True))
    assert found.groupby("strategy").size().to_dict() == {"SCV": 6, "other": 2}
    assert (found["failed"] == 0).all()
    alone, pooled = (each.query("strategy == 'other'")["regret"] for each in (found, pooled))
    assert pooled.to_numpy() == pytest.approx(alone.to_numpy())


@settings(max_examples=10)
@given(st.integers(0, 1000), st.integers(2, 5), st.floats(0.5, 100))
def test_units_and_shared_errors_do_not_matter(seed: int, n_estimators: int, unit: float) -> None:
    """Other units scale errors and regret; an error shared by all estimators changes nothing."""
    drawn = np.random.default_rng(seed)
    # Quarters: gaps are either none or far above rounding.
    truths, estimates, others = drawn.integers(-8, 9, (3, n_estimators, 6)) / 4
    shared = drawn.integers(-8, 9, 6) / 4
    given = ((estimates, "SCV"), (others, "other"))
    rows = [written(each, truths, name) for each, name in given]
    changed = [written(unit * (each + shared), unit * truths, name) for each, name in given]
    first, second = (differences(pd.concat(each), full=True) for each in (rows, changed))
    for name, scale in (("mse_ratio", 1), ("correct", 1), ("bias", unit), ("regret", unit)):
        expected = scale * first[name].to_numpy()
        assert second[name].to_numpy() == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_estimators_that_have_no_pairs() -> None:
    """Estimates of one estimator, or of two that share no row, are an error."""
    frame = drawn_estimates(4)
    message = (
        "`estimates` must have at least two estimators, got only 'a'.\nHint:"
        " `sf.study.estimates` takes a dict of `estimators`; `sf.study.summary` is for the"
        " scores of one estimator."
    )
    refuse(message, lambda: sf.study.differences(frame.query("estimator == 'a'")))
    message = (
        "`estimates` must have two estimators with the same strategy, k, sample and repeat,"
        " got none.\nHint: `sf.study.estimates` makes such a frame."
    )
    apart = frame[(frame["estimator"] == "a") == (frame["k"] == 2)]
    refuse(message, lambda: differences(apart))
