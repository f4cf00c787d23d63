"""The tables of docs/study-choice.md, from the estimates of three studies.

    strategies.parquet   12 populations, four models of different kinds
    choices.parquet      8 of these, five models of which pairs are close
    rows.parquet         samples of 200, 800 and 3,200 rows

An error is estimate minus truth. That of a difference between two models is what their errors
differ by. Two runs of each sample give the variance between runs, and with it the squared error of
the mean of any number of runs. Intervals are Student's t over data sets, on logs of ratios; the two
targets of the same wines count as one data set.
"""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

import stratframe as sf

HERE = Path(__file__).parent
TWINS = {"wine_quality_red": "wines", "wine alcohol": "wines"}
SOME = ["SCV", "SCBCV, random", "DB-SCV", "DOB-SCV", "margins"]
PLANS = [(2, 1), (2, 5), (5, 1), (5, 2), (5, 4), (5, 20), (10, 1), (10, 2)]
CLOSE = {
    "linear - linear, penalized": "penalized",
    "linear - linear, fewer features": "fewer features",
    "boosted, depth 2 - boosted, depth 4": "depth",
}
N_ROWS = {
    "breast_cancer": 569,
    "contraceptive": 1473,
    "digits": 1797,
    "vowel": 990,
    "wine_quality_red": 1599,
}
"""Rows of the populations of classes; the generated ones have 5,000."""


# Errors ---------------------------------------------------------------------------------


def read(name):
    """Read a study, and add the errors of its estimates."""
    rows = pd.read_parquet(HERE / f"{name}.parquet")
    texts = ["population", "strategy", "estimator"]
    rows[texts] = rows[texts].astype(str)
    return rows.assign(off=rows["estimate"].astype(float) - rows["truth"].astype(float))


def widen(rows, column="off"):
    """Return the errors of scores: samples by estimators, k, strategies and runs."""
    names = ["estimator", "k", "strategy", "repeat"]
    return rows.pivot(index=["population", "sample"], columns=names, values=column)


def subtract(wide):
    """Return the errors of differences, for all pairs of estimators."""
    couples = combinations(wide.columns.unique("estimator"), 2)
    found = {f"{one} - {other}": wide[one] - wide[other] for one, other in couples}
    return pd.concat(found, axis=1, names=["pair"])


def subtract_close(wide):
    """Return the errors of differences of the close pairs alone."""
    found = subtract(wide)
    return found.loc[:, found.columns.isin(CLOSE, level="pair")].rename(columns=CLOSE)


def around_mean(rows):
    """Return errors of scores from the mean truth over samples."""
    truth = rows.groupby(["population", "estimator"])["truth"].transform("mean")
    return widen(rows.assign(off=rows["estimate"] - truth))


def squared(errors, n_runs=1):
    """Return the squared error of the mean of some runs, unbiased, from two of them."""
    one, two = (errors.xs(run, level="repeat", axis=1) for run in (0, 1))
    within = (one - two).fillna(0) ** 2 / 2
    return ((one**2 + two**2) / 2).fillna(one**2).fillna(two**2) - (1 - 1 / n_runs) * within


# Ratios ---------------------------------------------------------------------------------


def student(values):
    """Return the means over sources, with intervals by Student's t."""
    by_source = values.rename(index=TWINS).groupby(level="population").mean()
    half = stats.t.ppf(0.975, len(by_source) - 1) * by_source.sem()
    middle = by_source.mean()
    return pd.DataFrame({"mean": middle, "low": middle - half, "high": middle + half})


def intervals(logs):
    """Return geometric means of ratios over sources, with their intervals."""
    return np.exp(student(logs).rename(columns={"mean": "ratio"}))


def sources(values, by):
    """Average logs over cases, for each population."""
    means = values.groupby(level="population", sort=False).mean()
    return np.log(means).T.groupby(level=by, sort=False).mean().T


def ratios(errors, names, ks=(2, 5, 10)):
    """Return geometric means of the ratios to SCV, for every k side by side."""
    found = {}
    for k in ks:
        logs = sources(squared(errors.xs(k, level="k", axis=1)), "strategy")
        found[f"{k} folds"] = intervals(logs[names].sub(logs["SCV"], axis=0))
    return pd.concat(found, axis=1).round(2)


def leave(errors):
    """Return the logs of what a second run of SCV with five folds leaves, by pair or model."""
    kept = errors.xs((5, "SCV"), level=["k", "strategy"], axis=1)
    one, two = (squared(kept, n).groupby(level="population").mean() for n in (1, 2))
    return np.log(two / one)


def leave_by_kind(errors):
    """Return what a second run leaves with a tree in the pair, without, and on average."""
    logs = leave(errors)
    tree = logs.columns.str.contains("tree")
    kinds = {"with a tree": logs.loc[:, tree], "without": logs.loc[:, ~tree], "all pairs": logs}
    return intervals(pd.DataFrame({name: each.mean(axis=1) for name, each in kinds.items()}))


def leave_by_rows():
    """Return what a second run leaves for blobs, by pair and rows of a sample."""
    logs = leave(subtract(widen(read("rows"))))
    return np.exp(logs).T[["200 rows", "800 rows", "3200 rows"]].round(2)


def plans(errors, ks=(2, 5, 10)):
    """Return the logs of squared errors, for numbers of folds and of runs."""
    squares = {
        (k, n_runs): squared(errors.xs(k, level="k", axis=1), n_runs)
        for k, n_runs in PLANS
        if k in ks
    }
    squares = pd.concat(squares, axis=1, names=["k", "runs"])
    kept = squares.loc[:, squares.columns.isin(SOME, level="strategy")]
    return sources(kept, ["strategy", "k", "runs"])


def relative(tables, base):
    """Compare numbers of folds and of runs."""
    found = intervals(tables.sub(tables[base], axis=0))
    found.insert(0, "fits", [k * n_runs for _, k, n_runs in found.index])
    return found.round(2)


def as_often(tables, n_runs):
    """Return the logs of ratios to SCV run as often, with k = 5."""
    logs = tables.xs((5, n_runs), level=["k", "runs"], axis=1)
    return logs.sub(logs["SCV"], axis=0)


def compare_runs(tables):
    """Return the ratios to SCV of one run, two and twenty, and of two to those of one."""
    found = {f"{n} run{'s' * (n > 1)}": intervals(as_often(tables, n)) for n in (1, 2, 20)}
    found["two to one"] = intervals(as_often(tables, 2) - as_often(tables, 1))
    return pd.concat(found, axis=1).drop(index="SCV").round(2)


def same_time(runs, gaps, names):
    """Compare one run of each strategy with as many of SCV as take its time."""
    one, limit = (squared(gaps, n).groupby(level="population").mean() for n in (1, np.inf))
    times = runs.groupby(["population", "estimator", "k", "strategy"])[["seconds", "fold_seconds"]]
    times = times.mean().unstack(["estimator", "k", "strategy"])
    couples = (pair.split(" - ") for pair in gaps.columns.unique("pair"))
    seconds = {
        f"{a} - {b}": times["seconds"][a] + times["seconds"][b] - times["fold_seconds"][a]
        for a, b in couples
    }
    seconds = pd.concat(seconds, axis=1, names=["pair"])
    once, at_limit, scv_time = (
        each.xs("SCV", level="strategy", axis=1) for each in (one, limit, seconds)
    )
    found = {}
    for name in names:
        own, own_time = (each.xs(name, level="strategy", axis=1) for each in (one, seconds))
        n_runs = (own_time / scv_time).clip(lower=1)
        logs = np.log(own / (at_limit + (once - at_limit) / n_runs)), np.log(n_runs)
        ratio, longer = (intervals(each.T.groupby(level="k").mean().T) for each in logs)
        found[name] = ratio.assign(time=longer["ratio"])
    return pd.concat(found, names=["strategy"])[["time", "ratio", "low", "high"]].round(2)


def by_population(gaps, k):
    """Return the ratios to SCV of each population, averaged over pairs."""
    logs = sources(squared(gaps.xs(k, level="k", axis=1)), "strategy")
    return np.exp(logs.sub(logs["SCV"], axis=0))[["k-fold", *SOME[1:]]].round(2)


def logs_of_ratios(errors):
    """Average the logs of ratios to SCV over the pairs of each population."""
    logs = sources(squared(errors), ["k", "strategy"])
    return logs - logs.xs("SCV", level="strategy", axis=1).reindex(columns=logs.columns, level="k")


def contrast(errors, others):
    """Divide the ratios to SCV of some pairs by those of others."""
    found = (logs_of_ratios(errors) - logs_of_ratios(others)).dropna(axis=1)
    return intervals(found).drop("SCV", level="strategy").round(2)


# Choices --------------------------------------------------------------------------------


def average_runs(rows):
    """Return estimates that are the means of two runs."""
    keys = ["population", "regression", "strategy", "estimator", "k", "sample"]
    means = rows.groupby(keys, as_index=False, sort=False)[["estimate", "truth"]].mean()
    return means.assign(repeat=0, seconds=np.nan, fold_seconds=np.nan, error="")


def choices(rows, pairs=None):
    """Summarize all pairs of every population together, or average some, in percent."""
    found = {
        population: sf.study.differences(each, pooled=pairs is None, full=True)
        for population, each in rows.groupby("population", sort=False)
    }
    table = pd.concat(found, names=["population"])
    table = table if pairs is None else table[table["pair"].isin(pairs)]
    by = ["population", "k", "strategy"]
    return 100 * table.groupby(by, sort=False)[["correct", "regret"]].mean()


def gains(table, names, name):
    """Compare a column of choices with SCV, in percentage points, for every k side by side."""
    wide = table[name].unstack(["k", "strategy"])
    found = {}
    for k in wide.columns.unique("k"):
        values = wide[k]
        kept = [each for each in names if each in values and each != "SCV"]
        found[f"{k} folds"] = student(values[kept].sub(values["SCV"], axis=0))
    return pd.concat(found, axis=1).round(2) + 0


def second(once, twice, name):
    """Compare choices by two runs of SCV and k = 5 with one, and with one of k = 10."""
    one, two = (each[name].xs("SCV", level="strategy").unstack("k") for each in (once, twice))
    return student(pd.DataFrame({"one of k=5": two[5] - one[5], "one of k=10": two[5] - one[10]}))


# Truth and bias -------------------------------------------------------------------------


def share_of_bias(errors):
    """Divide the squared bias of SCV by its mean squared error, for each k."""
    scv = errors.xs("SCV", level="strategy", axis=1).stack("repeat", future_stack=True)
    groups = scv.groupby(level="population")
    shares = groups.mean() ** 2 / (scv**2).groupby(level="population").mean()
    return shares.T.groupby(level="k").mean().mean(axis=1)


def share_of_truth(runs):
    """Divide the binomial variance of the true accuracy by SCV's squared error, in percent."""
    kept = runs[~runs["regression"] & (runs["k"] == 5) & (runs["strategy"] == "SCV")]
    rows = kept["population"].map(N_ROWS).fillna(5000)
    outside = rows - np.where(kept["population"] == "breast_cancer", 150, 200)
    noise = kept["truth"] * (1 - kept["truth"]) / outside
    both = pd.DataFrame({"noise": noise, "square": kept["off"] ** 2})
    means = both.groupby(kept["population"]).mean()
    return (100 * means["noise"] / means["square"]).round().astype(int).sort_values()


def too_high(runs, k=5):
    """Return the errors of the best model, and the range over models of each bias, in percent."""
    kept = runs[~runs["regression"] & (runs["k"] == k) & runs["strategy"].isin(SOME)]
    wrong = 1 - kept.groupby(["population", "estimator"])["truth"].mean()
    bias = 100 * kept.groupby(["population", "strategy", "estimator"])["off"].mean()
    ends = bias.groupby(["population", "strategy"]).agg(["min", "max"]).round(1) + 0
    shown = ends["min"].map("{:.1f}".format) + " to " + ends["max"].map("{:.1f}".format)
    found = shown.unstack("strategy")[SOME]
    found.insert(0, "wrong", (100 * wrong.groupby("population").min()).round().astype(int))
    return found.sort_values("wrong", ascending=False)


def describe_gaps(rows, pairs):
    """Describe true differences over samples, and SCV's error with k = 5, in hundredths."""
    kept = rows[(rows["k"] == 5) & (rows["strategy"] == "SCV")]
    truths = pairs(widen(kept, "truth")).xs(0, level="repeat", axis=1).groupby(level="population")
    errors = squared(pairs(widen(kept))).groupby(level="population").mean() ** 0.5
    found = pd.concat({"mean": truths.mean(), "std": truths.std(), "error": errors}, axis=1)
    return 100 * found.droplevel(["k", "strategy"], axis=1)


def count_close(found):
    """Count the cases whose mean true difference is smaller than the error, and all."""
    is_close = found["mean"].abs() < found["error"]
    return int(is_close.sum().sum()), is_close.size


def correlate(rows):
    """Correlate true and estimated differences over samples, and average over pairs."""
    kept = rows[(rows["k"] == 5) & (rows["strategy"] == "SCV")]
    estimates, truths = (subtract(widen(kept, name)) for name in ("estimate", "truth"))
    found = {
        name: estimates.loc[name].corrwith(truths.loc[name]).mean()
        for name in estimates.index.unique("population")
    }
    return pd.Series(found)
