"""Redo a published comparison of cluster-based cross-validation strategies.

Spezia, Fontanari and Recamonde-Mendoza (2025), "Comparing Cluster-Based Cross-Validation
Strategies for Machine Learning Model Evaluation", section IV.

    python docs/studies/paper.py FOLDER [N_JOBS]

FOLDER holds data sets as NAME.csv.gz with numeric features and a last column `target`. Saves
all scores in docs/studies/paper.parquet, from which docs/paper-study.md makes its tables. The
scores are the same for every N_JOBS; the seconds are not.

Where the paper leaves details open, the authors' code is followed: features are scaled to 0..1 for
the learners, not for the clusters; classes are weighted by `class_weight="balanced"`; F1 is the
unweighted mean over classes; samples are stratified by class and come in random order; Friedman's
test of bias uses its sign. Parameters are those of table II with the highest balanced accuracy in
5-fold cross-validation on the whole data set. What differs from the paper or the code:

- Equal best values share a win, and ties are ties in Friedman's test.
- Mini-batches have at least 256 rows and stop when the centres hardly move, where the paper has
  1,024 rows. With these, clusters of ten data sets are nearly the same; those of contraceptive,
  vowel and wine_quality_red differ as much as under another seed.
- Logistic regression and support vectors have at most 100,100 iterations, in the code 10,010.
- DBSCAN's radius is estimated on every sample, from the distances to the (`min_samples` - 1)-th
  other row; the code counts the row itself. `min_samples` is twice the number of features.
- Imbalance has the factor K/(K - 1), from which table I follows, where equation (1) has K.
- Folds have equal sizes for ACBCV and DBSCANBCV, too, where the code starts each cluster at fold 0.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from scipy.stats import gmean
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from tqdm import tqdm

import stratframe as sf
from stratframe.study.ranks import TOLERANCE, count_wins, rank_test

RESULTS = Path(__file__).with_name("paper.parquet")
FOLDS = Path(__file__).with_name("paper.folds")
KS = (2, 10)
HOLDOUTS = 100
SAMPLES = 20
"""As in the paper. A higher number adds samples and leaves the first as they are."""

TREES = 10
"""Trees of a forest; scikit-learn's default, 100, takes nearly ten times as long."""


CLUSTERS = {
    "cloud": 4,
    "iris": 4,
    "analcatdata_germangss": 4,
    "movement_libras": 5,
    "sonar": 4,
    "vowel": 4,
    "contraceptive": 5,
    "splice": 2,
    "waveform_21": 4,
    "optdigits": 5,
    "analcatdata_cyyoung9302": 4,
    "appendicitis": 6,
    "backache": 5,
    "new_thyroid": 6,
    "haberman": 5,
    "wine_quality_red": 5,
    "allrep": 7,
    "dis": 7,
    "churn": 4,
    "ann_thyroid": 7,
}
"""The number of clusters of each data set: table I of the paper."""

LEARNERS = {
    "LR": (
        LogisticRegression(max_iter=100_100, random_state=0, class_weight="balanced"),
        {"C": [0.003, 0.03, 0.3, 3.0, 30.0]},
    ),
    "DT": (
        DecisionTreeClassifier(random_state=0, class_weight="balanced"),
        {"max_depth": [1, 5, 10, 15, 50]},
    ),
    "SVM": (
        SVC(max_iter=100_100, random_state=0, class_weight="balanced"),
        {"C": [0.3, 3.0, 30.0, 300.0], "gamma": [0.00003, 0.0003, 0.003, 0.03, 0.3]},
    ),
    "RF": (
        RandomForestClassifier(TREES, random_state=0, class_weight="balanced"),
        {"max_depth": [1, 5, 10, 15, 50]},
    ),
}
"""Learners and the values tried for them: table II of the paper."""


def by_clusters(algorithm: str = "kmeans", n: int | None = None) -> Callable[..., dict[str, Any]]:
    """Make a strategy of clusters of all rows."""
    return lambda features, estimated, seed: {
        "by": [sf.clusters(features, n or estimated, algorithm=algorithm, scale=None, seed=seed)],
        "deal": "circular",
    }


def by_class_and_clusters(
    algorithm: str = "kmeans", n: int | None = None
) -> Callable[..., dict[str, Any]]:
    """Make a strategy of clusters within each class."""
    clusters = by_clusters(algorithm, n)
    return lambda features, estimated, seed: {
        "by": ["target", *clusters(features, estimated, seed)["by"]],
        "deal": "circular",
    }


STRATEGIES: dict[str, Callable[..., dict[str, Any]]] = {
    "k-fold": lambda features, n, seed: {"by": None},
    "SCV": lambda features, n, seed: {"by": "target"},
    "SCBCV": by_class_and_clusters(),
    "SCBCV2": by_class_and_clusters(n=2),
    "SCBCV3": by_class_and_clusters(n=3),
    "SCBCV4": by_class_and_clusters(n=4),
    "SCBCV5": by_class_and_clusters(n=5),
    "SCBCV Mini": by_class_and_clusters("minibatch"),
    "KCBCV": by_clusters(),
    "KCBCV Mini": by_clusters("minibatch"),
    "ACBCV": by_clusters("agglomerative"),
    "DBSCANBCV": lambda features, n, seed: {
        "by": [
            sf.clusters(features, algorithm="dbscan", min_samples=2 * len(features), scale=None)
        ],
        "deal": "circular",
    },
}
"""Names to functions of the features and the estimated number of clusters."""

PLAIN = ("k-fold", "SCV")
"""Strategies without clusters: the code of the paper takes SCV from scikit-learn."""


def data_sets(folder: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the names and frames of a folder."""
    for path in sorted(folder.glob("*.csv.gz")):
        yield path.name.removesuffix(".csv.gz"), pd.read_csv(path)


def imbalance(target: pd.Series) -> float:
    """Return the squared distance of the class shares from equal ones, at most 1.

    Equation (1) of the paper with the factor K/(K - 1), which gives its table I.
    """
    shares = target.value_counts(normalize=True).to_numpy()
    n = len(shares)
    return float(n / (n - 1) * ((shares - 1 / n) ** 2).sum())


def tune(frame: pd.DataFrame, learner: str) -> Pipeline:
    """Return a learner with the best values by 5-fold balanced accuracy on all rows."""
    model, grid = LEARNERS[learner]
    pipeline = make_pipeline(MinMaxScaler(), clone(model))
    named = {f"{pipeline.steps[1][0]}__{name}": values for name, values in grid.items()}
    search = GridSearchCV(pipeline, named, scoring="balanced_accuracy", cv=5, refit=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(frame.drop(columns="target").to_numpy(), frame["target"].to_numpy())
    return pipeline.set_params(**search.best_params_)


def split_target(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the features and the target as arrays."""
    return frame.drop(columns="target").to_numpy(), frame["target"].to_numpy()


def choose_metric(frame: pd.DataFrame) -> Callable[..., float]:
    """Return accuracy, or macro F1 if the classes are imbalanced."""
    if imbalance(frame["target"]) > 0.2:
        return partial(f1_score, average="macro", zero_division=0.0)
    return accuracy_score


def score(
    model: Pipeline,
    x: np.ndarray,
    y: np.ndarray,
    train: np.ndarray,
    metric: Callable[..., float],
) -> float:
    """Fit on the rows of a mask, score on the others."""
    predicted = model.fit(x[train], y[train]).predict(x[~train])
    return metric(y[~train], predicted)


def make_folds(
    frame: pd.DataFrame, strategy: str, k: int, seed: int, clusters: int | str, code: str
) -> np.ndarray:
    """Return the fold of every row of a sample.

    `code="published"` numbers the rows of a shuffled copy, sorted by class where the strategy
    stratifies by class, and applies these positions to the rows as they are in the sample.
    """
    call = STRATEGIES[strategy](list(frame.columns[:-1]), clusters, seed)
    if code == "published":
        frame = frame.sample(frac=1, random_state=seed, ignore_index=True)
        if "target" in call["by"]:
            frame = frame.sort_values("target", kind="stable", ignore_index=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sf.kfold(frame, k=k, seed=seed, rare="ignore", **call)["fold"].to_numpy()


def hash_folds() -> str:
    """Hash the folds of four blobs, whose clusters are the same in all versions of scikit-learn.

    It is stored beside the scores, so that a test notices if they are those of other folds.
    """
    points, _ = make_blobs([30] * 4, centers=100 * np.eye(4), random_state=0)
    frame = pd.DataFrame(points, columns=list("abcd")).assign(target=np.arange(120) % 3)
    names = [*PLAIN, "SCBCV", "KCBCV", "ACBCV"]
    folds = [make_folds(frame, name, k, 0, 4, "described") for name in names for k in KS]
    return sha256(np.stack(folds).astype(np.uint8).tobytes()).hexdigest()


def runs() -> list[tuple[str, str, int]]:
    """List every code, strategy and k."""
    described = [("described", name, k) for name in STRATEGIES for k in KS]
    clustered = [name for name in STRATEGIES if name not in PLAIN]
    return described + [("published", name, k) for name in clustered for k in KS]


def cross_validate(
    name: str, frame: pd.DataFrame, models: dict[str, Pipeline], number: int, rows: np.ndarray
) -> list[dict[str, Any]]:
    """Estimate the score of every learner by every strategy on one sample."""
    sample = frame.iloc[rows].reset_index(drop=True)
    known: dict[bytes, list[dict[str, Any]]] = {}
    found = []
    for code, strategy, k in runs():
        start = time.perf_counter()
        folds = make_folds(sample, strategy, k, number, CLUSTERS.get(name, "auto"), code)
        row = {"data_set": name, "code": code, "strategy": strategy, "k": k, "number": number}
        row["fold_seconds"] = time.perf_counter() - start
        if folds.tobytes() not in known:  # with 4 clusters SCBCV and SCBCV4 are the same folds
            known[folds.tobytes()] = fit_folds(sample, models, folds, choose_metric(frame))
        found += [row | scored for scored in known[folds.tobytes()]]
    return found


def fit_folds(
    sample: pd.DataFrame,
    models: dict[str, Pipeline],
    folds: np.ndarray,
    metric: Callable[..., float],
) -> list[dict[str, Any]]:
    """Cross-validate every learner on one fold column."""
    x, y = split_target(sample)
    found = []
    for learner, model in models.items():
        start = time.perf_counter()
        scores = [score(model, x, y, folds != fold, metric) for fold in range(folds.max() + 1)]
        seconds = time.perf_counter() - start
        found.append({"learner": learner, "score": np.mean(scores), "seconds": seconds})
    return found


def hold_out(
    name: str,
    frame: pd.DataFrame,
    models: dict[str, Pipeline],
    number: int,
    rows: np.ndarray,
) -> list[dict[str, Any]]:
    """Fit every learner on the given rows, score it on the rest."""
    (x, y), metric = split_target(frame), choose_metric(frame)
    train = np.isin(np.arange(len(frame)), rows)
    found = []
    for learner, model in models.items():
        start = time.perf_counter()
        row = {"data_set": name, "learner": learner, "code": "holdout", "strategy": "holdout"}
        row |= {"k": 0, "number": number, "score": score(model, x, y, train, metric)}
        found.append(row | {"fold_seconds": 0.0, "seconds": time.perf_counter() - start})
    return found


def tasks(frames: dict[str, pd.DataFrame], models: dict[str, dict[str, Pipeline]]) -> Iterator[Any]:
    """Yield delayed calls: all holdouts, the first sample of every data set, the second, ..."""
    for name, frame in frames.items():
        for number, rows in enumerate(draw_rows(frame, HOLDOUTS, 2)):
            yield joblib.delayed(hold_out)(name, frame, models[name], number, rows)
    drawn = {name: draw_rows(frame, SAMPLES, 1) for name, frame in frames.items()}
    for number in range(SAMPLES):
        for name, frame in frames.items():
            rows = drawn[name][number]
            yield joblib.delayed(cross_validate)(name, frame, models[name], number, rows)


def draw_rows(frame: pd.DataFrame, n: int, seed: int) -> list[np.ndarray]:
    """Draw 90 % of the rows n times, stratified by class, in random order."""
    y = frame["target"]
    splitter = StratifiedShuffleSplit(n, test_size=0.1, random_state=seed)
    return [rows for rows, _ in splitter.split(y, y)]


def tune_all(
    frames: dict[str, pd.DataFrame], parallel: joblib.Parallel
) -> dict[str, dict[str, Pipeline]]:
    """Tune every learner on every data set."""
    pairs = [(name, learner) for name in frames for learner in LEARNERS]
    tuned = parallel(joblib.delayed(tune)(frames[name], learner) for name, learner in pairs)
    models: dict[str, dict[str, Pipeline]] = {name: {} for name in frames}
    for (name, learner), model in zip(pairs, tuned, strict=True):
        models[name][learner] = model
    return models


def describe(model: Pipeline, learner: str) -> str:
    """Write down the tuned values of a learner."""
    values = model.steps[1][1].get_params()
    return ", ".join(f"{name}={values[name]}" for name in LEARNERS[learner][1])


SETS = {
    "III": ("SCBCV", "SCBCV2", "SCBCV3", "SCBCV4", "SCBCV5"),
    "V": ("SCBCV", "SCBCV Mini", "SCV"),
    "VII": ("ACBCV", "KCBCV", "KCBCV Mini", "DBSCANBCV", "SCBCV", "SCBCV Mini"),
}
"""The strategies of experiment sets 1 to 3, by the paper's tables III, IV and V, VI and VII."""

SIZED = ("SCV", "k-fold", *SETS["VII"])
CODES = ("described", "published")
MEASURES = ("bias", "std. dev.")
DRAWS = 499
SMALLEST = 1e-4
"""Least standard deviation in a ratio: scores on small data sets may not vary at all."""

CASES = [(kind, k) for kind in ("balanced", "imbalanced") for k in KS]

PAPER_P = {
    "III": [
        [0.29901, 0.89176],
        [0.20231, 0.44294],
        [0.82845, 0.92485],
        [0.86324, 0.46102],
    ],
    "V": [[0.09778, 0.07261], [0.90484, 0.74082], [0.20190, 0.01357], [0.00001, 0.01488]],
    "VII": [[0.24267, 0.88889], [0.31952, 0.09580], [0.15311, 0.16582], [0.00422, 0.13075]],
}
"""p-values of Friedman's test for bias and standard deviation: tables III, IV and VI."""

PAPER_WINS = {
    "V": [
        [[13, 16, 11], [16, 19, 5]],
        [[9, 16, 15], [15, 14, 11]],
        [[18, 11, 11], [14, 6, 20]],
        [[5, 5, 30], [15, 6, 19]],
    ],
    "VII": [
        [[9, 4, 6, 3, 7, 11], [9, 3, 9, 9, 5, 5]],
        [[12, 6, 3, 4, 6, 9], [6, 11, 5, 2, 9, 7]],
        [[5, 11, 6, 6, 5, 7], [6, 10, 7, 5, 9, 3]],
        [[5, 5, 11, 8, 8, 3], [9, 7, 5, 10, 7, 2]],
    ],
}
"""Wins for bias and standard deviation among 40 cases: tables V and VII."""


def cubes(
    raw: pd.DataFrame, kind: str, k: int, strategies: tuple[str, ...], code: str
) -> tuple[np.ndarray, np.ndarray]:
    """Arrange scores by data set, learner, strategy and sample, and by holdout.

    Strategies without clusters are the same in both codes.
    """
    raw = raw[(raw["imbalance"] > 0.2) == (kind == "imbalanced")]
    order = ["data_set", "learner", "number"]
    truth = raw[raw["code"] == "holdout"].sort_values(order)["score"].to_numpy()
    found = []
    for strategy in strategies:
        own = "described" if strategy in PLAIN else code
        rows = raw[(raw["code"] == own) & (raw["strategy"] == strategy) & (raw["k"] == k)]
        found.append(rows.sort_values(order)["score"].to_numpy())
    shape = (raw["data_set"].nunique(), raw["learner"].nunique(), -1)
    scores = np.stack([each.reshape(shape) for each in found], axis=2)
    return scores, truth.reshape(shape)


def measures(scores: np.ndarray, truth: np.ndarray) -> dict[str, np.ndarray]:
    """Return bias, its size and the standard deviation by data set, learner and strategy."""
    bias = scores.mean(axis=-1) - truth.mean(axis=-1)[..., None]
    return {"bias": bias, "|bias|": np.abs(bias), "std. dev.": scores.std(axis=-1, ddof=1)}


def by_case(values: np.ndarray) -> np.ndarray:
    """Join data sets and learners to cases."""
    return values.reshape(*values.shape[:-3], -1, values.shape[-1])


def resample(scores: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Draw samples and holdouts of each data set with replacement, for all strategies alike."""
    drawn = np.random.default_rng(0)
    n, size, holdouts = len(scores), scores.shape[-1], truth.shape[-1]
    numbers = drawn.integers(0, size, (DRAWS, n, 1, 1, size))
    others = drawn.integers(0, holdouts, (DRAWS, n, 1, holdouts))
    return (
        np.take_along_axis(scores[None], numbers, -1),
        np.take_along_axis(truth[None], others, -1),
    )


def permute(scores: np.ndarray) -> np.ndarray:
    """Shuffle the strategies within each sample, for all learners alike."""
    n, _, strategies, size = scores.shape
    order = np.random.default_rng(0).random((DRAWS, n, 1, strategies, size)).argsort(3)
    return np.take_along_axis(scores[None], order, 3)


def wins_table(raw: pd.DataFrame, table: str) -> pd.DataFrame:
    """Compare wins in percent, with standard errors, with those of a table of the paper."""
    rows = {}
    for (kind, k), paper in zip(CASES, PAPER_WINS[table], strict=True):
        for measure, counts in zip(MEASURES, paper, strict=True):
            rows[kind, k, measure, "paper"] = [f"{2.5 * count:g}" for count in counts]
            for code in CODES:
                found, again = bootstrapped(raw, kind, k, SETS[table], code, measure)
                cases = found.size / found.shape[-1]
                shares = 100 * count_wins(by_case(found), TOLERANCE) / cases
                errors = 100 * count_wins(by_case(again), TOLERANCE).std(axis=0, ddof=1) / cases
                rows[kind, k, measure, code] = with_errors(shares, errors, 0)
    return to_table(rows, SETS[table])


def to_table(rows: dict[tuple[Any, ...], list[str]], columns: Any) -> pd.DataFrame:
    """Make a table whose index has a level for each part of the keys."""
    return pd.DataFrame(list(rows.values()), pd.MultiIndex.from_tuples(rows), columns)


def bootstrapped(
    raw: pd.DataFrame, kind: str, k: int, strategies: tuple[str, ...], code: str, measure: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return a measure of the strategies, and the same on every bootstrap draw."""
    scores, truth = cubes(raw, kind, k, strategies, code)
    return measures(scores, truth)[measure], measures(*resample(scores, truth))[measure]


def with_errors(values: np.ndarray, errors: np.ndarray, digits: int) -> list[str]:
    """Write values with their standard errors."""
    return [f"{a:.{digits}f}±{b:.{digits}f}" for a, b in zip(values, errors, strict=True)]


def friedman_table(raw: pd.DataFrame, table: str) -> pd.DataFrame:
    """Compare p-values with those of a table of the paper."""
    rows = {}
    for (kind, k), paper in zip(CASES, PAPER_P[table], strict=True):
        theirs = dict(zip(MEASURES, paper, strict=True))
        for measure in ("bias", "|bias|", "std. dev."):
            row = [f"{theirs[measure]:.5f}" if measure in theirs else ""]
            for code in CODES:
                row += p_values(raw, kind, k, SETS[table], code, measure)
            rows[kind, k, measure] = row
    columns = ["p", "range", "permuted"]
    named = [("paper", "p"), *((code, column) for code in CODES for column in columns)]
    return to_table(rows, pd.MultiIndex.from_tuples(named))


def p_values(
    raw: pd.DataFrame, kind: str, k: int, strategies: tuple[str, ...], code: str, measure: str
) -> list[str]:
    """Write Friedman's p, its range if one sample is left out, and p by permutation."""
    scores, truth = cubes(raw, kind, k, strategies, code)
    found = [measures(scores, truth)[measure]]
    found += [
        measures(np.delete(scores, number, axis=-1), truth)[measure]
        for number in range(scores.shape[-1])
    ]
    statistic, p = rank_test(by_case(np.stack(found)), TOLERANCE)
    mixed = measures(permute(scores), truth)[measure]
    statistics = rank_test(by_case(mixed), TOLERANCE).statistic
    permuted = (1 + (statistics >= statistic[0] - 1e-9).sum()) / (1 + DRAWS)
    return [f"{p[0]:.5f}", f"{p[1:].min():.3f}-{p[1:].max():.3f}", f"{permuted:.3f}"]


def sizes_table(raw: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Compare a measure with that of SCV, on average over cases, with standard errors.

    The column SCV has its mean bias in percentage points, the other columns the difference
    from it. Standard deviations are ratios to that of SCV: geometric means.
    """
    rows = {}
    for kind, k in CASES:
        for code in CODES:
            found, again = bootstrapped(raw, kind, k, SIZED, code, measure)
            values, errors = average(found, measure), average(again, measure).std(axis=0, ddof=1)
            rows[kind, k, code] = with_errors(values, errors, 2)
    return to_table(rows, SIZED)


def average(values: np.ndarray, measure: str) -> np.ndarray:
    """Average over cases, relative to SCV."""
    values = by_case(values)
    if measure == "std. dev.":
        values = np.maximum(values, SMALLEST)
        return gmean(values / values[..., :1], axis=-2)
    means = 100 * values.mean(axis=-2)
    return np.concatenate([means[..., :1], means[..., 1:] - means[..., :1]], axis=-1)


def fragile_table(raw: pd.DataFrame) -> pd.DataFrame:
    """Compare the gaps that decide the wins of table VII with the errors behind them.

    All in percentage points, as medians over cases, but for the last two columns: how many
    winners in percent change if the true score moves by one standard error either way, and
    how many on an average bootstrap draw.
    """
    rows = {}
    for kind, k in CASES:
        scores, truth = cubes(raw, kind, k, SETS["VII"], "described")
        bias = measures(scores, truth)["bias"]
        error = truth.std(axis=-1, ddof=1) / np.sqrt(truth.shape[-1])
        first, second = np.moveaxis(np.sort(abs(bias), axis=-1)[..., :2], -1, 0)
        best = abs(bias).argmin(axis=-1)
        moved = [abs(bias + step * error[..., None]).argmin(axis=-1) for step in (-1, 1)]
        again = measures(*resample(scores, truth))["|bias|"].argmin(axis=-1)
        rows[kind, k] = {
            "error of the true score": 100 * np.median(error),
            "best |bias|": 100 * np.median(first),
            "gap to the second": 100 * np.median(second - first),
            "changed by one error": 100 * np.mean((moved[0] != best) | (moved[1] != best)),
            "changed by a draw": 100 * np.mean(again != best),
        }
    return pd.DataFrame(list(rows.values()), pd.MultiIndex.from_tuples(rows)).round(2)


def seconds_table(raw: pd.DataFrame) -> pd.DataFrame:
    """Return the median milliseconds that folds and fits take, with 10 folds."""
    raw = raw[(raw["code"] == "described") & (raw["k"] == 10)]
    each = raw.groupby("strategy", observed=True)[["fold_seconds", "seconds"]].median()
    found = 1000 * each.astype(float).rename(columns={"fold_seconds": "folds", "seconds": "fits"})
    return found.loc[list(SIZED)].round(1)


def run(frames: dict[str, pd.DataFrame], n_jobs: int) -> pd.DataFrame:
    """Run the experiment; one row per data set, learner, code, strategy, k and sample."""
    with joblib.Parallel(n_jobs=n_jobs, return_as="generator") as parallel:
        models = tune_all(frames, parallel)
        todo = len(frames) * (HOLDOUTS + SAMPLES)
        rows = tqdm(parallel(tasks(frames, models)), total=todo, mininterval=10)
        found = pd.DataFrame(chain.from_iterable(rows))
    return add_facts(found, frames, models)


def add_facts(
    found: pd.DataFrame, frames: dict[str, pd.DataFrame], models: dict[str, dict[str, Pipeline]]
) -> pd.DataFrame:
    """Add the imbalance of the data sets and the tuned values of the learners."""
    sets = found["data_set"].map(
        {name: imbalance(frame["target"]) for name, frame in frames.items()}
    )
    pairs = zip(found["data_set"], found["learner"], strict=True)
    tuned = [describe(models[name][learner], learner) for name, learner in pairs]
    return found.assign(imbalance=sets, tuned=tuned)


def save(found: pd.DataFrame, path: Path) -> None:
    """Write the scores as a small Parquet file."""
    small = {"k": "int8", "number": "int16", "fold_seconds": "float32", "seconds": "float32"}
    names = dict.fromkeys(["data_set", "learner", "code", "strategy", "tuned"], "category")
    found.astype(small | names).to_parquet(path, index=False, compression="zstd")
    FOLDS.write_text(f"{hash_folds()}\n")


def main(arguments: list[str]) -> None:
    """Run the experiment on the data sets of a folder, and save its scores."""
    frames = dict(data_sets(Path(arguments[0])))
    save(run(frames, int(arguments[1]) if arguments[1:] else 1), RESULTS)


if __name__ == "__main__":
    main(sys.argv[1:])
