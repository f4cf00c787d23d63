"""Nested resampling: the samples, the truth, the estimates, and what is recorded."""

import inspect
import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pandas.testing import assert_frame_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import stratframe as sf
from stratframe.study import estimate
from stratframe.study.resample import flag_sample
from tests.helpers import refuse, refuse_rule, refused, warned
from tests.study.samples import FEATURES, population, results, to_library

QUICK: dict[str, Any] = {"k": 2, "sample": 40, "samples": 3, "repeats": 2}
ONCE = {**QUICK, "samples": 1, "repeats": 1}
PLAIN = {"k-fold": None}


def study(strategies: Any = None, estimators: Any = None, **changes: Any) -> Any:
    given: dict[str, Any] = {"frame": population(), "target": "label", "features": FEATURES}
    given["estimators"] = GaussianNB() if estimators is None else estimators
    return sf.study.estimates(strategies=strategies, **given | QUICK | changes)


def samples_of(frame: Any, target: str, model: Any, **changes: Any) -> tuple[Any, np.ndarray]:
    seen: list[Any] = []

    def plain(rows: Any, k: int, seed: int) -> Any:
        seen.append(frame["x"].isin(rows["x"]).to_numpy())
        return sf.kfold(rows, k=k, seed=seed)

    given = {"frame": frame, "target": target, "repeats": 1, **changes}
    found = study({"plain": plain}, model, **given).query("strategy == 'plain'")
    return found.reset_index(drop=True), np.array(seen)


def test_one_row_for_each_strategy_estimator_k_sample_and_repeat() -> None:
    """All combinations have a row, in the order of the arguments."""
    found = study({"plain": None}, [GaussianNB(), DummyClassifier()], k=[5, 2])
    assert len(found) == 48
    assert found["strategy"].unique().tolist() == ["SCV", "plain"]
    assert found["estimator"].unique().tolist() == ["GaussianNB", "DummyClassifier"]
    assert found["k"].unique().tolist() == [5, 2]
    assert found["repeat"].tolist()[:3] == [0, 1, 0]
    assert (found["seconds"] >= found["fold_seconds"]).all()
    assert (found["error"] == "").all()


@pytest.mark.parametrize("target", ["label", "price"])
def test_a_constant_prediction_has_known_scores(target: str) -> None:
    """By default classes are scored by accuracy, numbers by the negative mean absolute error."""
    frame = population()
    scores = {"label": (frame["label"] == "no").astype(float), "price": -frame["price"].abs()}
    models = {"label": DummyClassifier(), "price": DummyRegressor(strategy="constant", constant=0)}
    found, samples = samples_of(frame, target, models[target])
    for (_, row), inside in zip(found.iterrows(), samples, strict=True):
        assert inside.sum() == 40
        assert row["truth"] == pytest.approx(scores[target][~inside].mean())
        assert row["estimate"] == pytest.approx(scores[target][inside].mean())


def test_k_equal_to_the_sample_is_leave_one_out() -> None:
    """With as many folds as rows, the estimate is that of leave-one-out cross-validation."""
    frame = population(60)
    scoring = "neg_mean_absolute_error"
    found, samples = samples_of(frame, "price", Ridge(), k=20, sample=20, samples=2)
    for (_, row), inside in zip(found.iterrows(), samples, strict=True):
        data = frame.loc[inside, FEATURES], frame.loc[inside, "price"]
        scores = cross_val_score(Ridge(), *data, cv=LeaveOneOut(), scoring=scoring)
        assert row["estimate"] == pytest.approx(scores.mean())


def test_samples_are_simple_random_samples() -> None:
    """Every row is drawn equally often, and each sample has other rows."""
    drawn = np.array([flag_sample(30, 10, 5, number) for number in range(3000)])
    assert (drawn.sum(axis=1) == 10).all()
    # A count has the standard deviation sqrt(3000 / 3 * 2 / 3), which is 26.
    assert np.abs(drawn.sum(axis=0) - 1000).max() < 4 * 26
    assert len(np.unique(drawn, axis=0)) > 2990


def test_strategies_are_paired() -> None:
    """The same strategy under another name gives the same estimates."""
    by_label = {"again": "label", "arguments": {"by": "label"}, "list": ["label"]}
    by_label["function"] = lambda frame, k, seed: sf.kfold(frame, "label", k, seed=seed)
    found = study(by_label, RandomForestClassifier(3))
    parts = [rows[["truth", "estimate"]] for _, rows in found.groupby("strategy", sort=False)]
    assert len(parts) == 5
    for part in parts[1:]:
        np.testing.assert_array_equal(part, parts[0])


def test_repeats_and_samples_differ_and_keep_the_earlier_ones() -> None:
    """Repeats deal other folds; more samples and repeats change no earlier estimate."""
    few = study(PLAIN)
    more = study(PLAIN, samples=4, repeats=3)
    kept = more[(more["sample"] < 3) & (more["repeat"] < 2)].reset_index(drop=True)
    assert_frame_equal(results(few), results(kept))
    plain = few[few["strategy"] == "k-fold"]
    assert plain.groupby("sample")["estimate"].nunique().max() == 2
    assert plain["truth"].nunique() == 3


def test_the_seed_chooses_samples_and_folds() -> None:
    """A seed always gives the same numbers, another seed others, and None new ones each time."""
    seeds: list[int] = []

    def plain(frame: Any, k: int, seed: int) -> Any:
        seeds.append(seed)
        return sf.kfold(frame, k=k, seed=seed)

    first, again, *others = (study({"plain": plain}, seed=each) for each in (3, 3, 4, None, None))
    assert_frame_equal(results(again), results(first))
    assert not first["truth"].equals(others[0]["truth"])
    # Samples of two seeds have equal truths about once in 500 pairs.
    assert not all(first["truth"].equals(each["truth"]) for each in others[1:])
    assert seeds[:6] == seeds[6:12]
    assert len({*seeds}) == 24


def test_jobs_do_not_change_the_numbers() -> None:
    """Two processes give the numbers of one, also for functions without a name."""
    strategies = {"mine": lambda frame, k, seed: sf.kfold(frame, "label", k, seed=seed + 1)}
    assert_frame_equal(*(results(study(strategies, n_jobs=n_jobs)) for n_jobs in (1, 2)))


@pytest.mark.parametrize("target", ["label", "price"])
def test_libraries_give_the_same_numbers(target: str) -> None:
    """Default strategies and estimators give equal results, in the caller's library."""
    frames = population(), to_library(population(), "lazy")
    ours, theirs = (sf.study.estimates(each, target, FEATURES, **ONCE) for each in frames)
    assert (ours["error"] == "").all()
    assert isinstance(theirs, pl.DataFrame)
    assert_frame_equal(results(ours), results(theirs), check_dtype=False)


def test_columns_can_be_transformed_by_name() -> None:
    """Estimators get frames of the caller's library, so that transformers find columns."""
    frame = population().assign(town=["a", "b", "c"] * 40)
    by_name = [("n", StandardScaler(), FEATURES), ("c", OneHotEncoder(), ["town"])]
    model = make_pipeline(ColumnTransformer(by_name), Ridge())
    given = {"target": "price", "features": [*FEATURES, "town"]}
    frames = frame, to_library(frame, "polars")
    pandas, polars = (results(study(PLAIN, model, frame=each, **given, **ONCE)) for each in frames)
    assert_frame_equal(pandas, polars, check_dtype=False)
    assert pandas["estimate"].notna().all()


def test_whole_numbers_are_classes_or_continuous() -> None:
    """`sf.classes` and `sf.continuous` say what whole numbers are; many values need one of them."""
    frame = population().assign(age=np.arange(120) % 60, few=np.arange(120) % 3)
    message = (
        "`target` must be classes or numbers, but 'age' holds 60 different whole numbers,"
        " which may be either.\nHint: pass `sf.continuous('age')` or `sf.classes('age')`."
    )
    refuse(message, lambda: sf.study.compare(frame, "age", FEATURES))
    for target in (sf.continuous("few"), sf.classes("few"), "few"):
        found = sf.study.estimates(frame, target, FEATURES, PLAIN, **ONCE)
        assert (found["truth"] < 0).all() == ("continuous" in str(target))
    classes = sf.study.estimates(frame, sf.classes("age"), FEATURES, None, GaussianNB(), **ONCE)
    assert classes["truth"].between(0, 1).all()


class SeedSpy(ClassifierMixin, BaseEstimator):
    """A classifier that predicts at random, from its seed alone."""

    def __init__(self, random_state: Any = None) -> None:
        self.random_state = random_state

    def fit(self, data: Any, y: Any) -> "SeedSpy":
        self.classes_ = np.unique(y)
        return self

    def predict(self, data: Any) -> Any:
        return np.random.default_rng(self.random_state).choice(self.classes_, len(data))


@pytest.mark.parametrize("model", [SeedSpy(), make_pipeline(StandardScaler(), SeedSpy())])
def test_random_estimators_are_seeded(model: Any) -> None:
    """A `random_state` of None is set, in pipelines too, and any other stays."""
    runs = [study({"again": "label"}, model) for _ in range(2)]
    assert_frame_equal(*map(results, runs))
    assert runs[0]["truth"].nunique() == 3
    found, samples = samples_of(frame := population(), "label", SeedSpy(7), samples=1)
    drawn = np.random.default_rng(7).choice(["no", "yes"], 80)
    assert found["truth"][0] == pytest.approx((drawn == frame["label"][~samples[0]]).mean())


def test_a_failing_strategy_is_recorded() -> None:
    """A strategy that fails on some samples has an error there, and the others go on."""
    failures = itertools.cycle([RuntimeError("no folds today\nnor tomorrow"), None])

    def sometimes(frame: Any, k: int, seed: int) -> Any:
        if failure := next(failures):
            raise failure
        return sf.kfold(frame, k=k, seed=seed)

    error = "RuntimeError: no folds today"
    message = f"3 of 12 estimates failed, the first for 'bad' with 'GaussianNB' and k=2: {error}"
    found = warned(message, lambda: study({"bad": sometimes}))
    bad = found[found["strategy"] == "bad"]
    assert bad["error"].tolist() == [error, ""] * 3
    assert bad["estimate"].isna().tolist() == [True, False] * 3
    assert bad["truth"].notna().all()
    assert found[found["strategy"] == "SCV"]["estimate"].notna().all()
    row = sf.study.summary(found, full=True).set_index("strategy").loc["bad"]
    assert (row["failed"], row["error"]) == (3, error)


class Small(GaussianNB):
    """A classifier that cannot be fitted to so many rows."""

    def fit(self, data: Any, y: Any, sample_weight: Any = None) -> Any:
        if len(data) >= 40:
            msg = "too many"
            raise MemoryError(msg)
        return super().fit(data, y, sample_weight)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param({"estimators": Small()}, "MemoryError: too many", id="no_true_score"),
        pytest.param(
            {"metric": lambda *_: np.nan},
            "ArithmeticError: the score is nan",
            id="score_that_is_no_number",
        ),
    ],
)
def test_a_failing_estimator_is_recorded(arguments: dict[str, Any], message: str) -> None:
    """Without a finite true score there is a message in place of an estimate."""
    with pytest.warns(sf.StratWarning, match=message):
        found = study(**arguments, **ONCE)

    assert found[["estimate", "truth"]].isna().all(axis=None)
    assert set(found["error"]) == {message}
    assert sf.study.summary(found)["mse_ratio"].isna().all()


def writes(frame: Any, k: int, seed: int) -> Any:
    frame["fold"] = sf.kfold(frame, k=k, seed=seed)["fold"]
    frame["x"] = 0.0
    return frame


@pytest.mark.parametrize(
    ("strategy", "rule"),
    [
        pytest.param(
            lambda df, k, _: np.zeros(len(df)),
            "return a frame with the column 'fold', got ndarray.",
            id="array",
        ),
        pytest.param(
            lambda df, k, _: df,
            "return a frame with the column 'fold', got DataFrame.",
            id="frame_without_folds",
        ),
        pytest.param(
            lambda df, k, _: sf.kfold(df[:30], k=k),
            "return the 40 rows of its frame, got 30.",
            id="fewer_rows",
        ),
        pytest.param(
            lambda df, k, _: sf.kfold(df, k=k)[::-1],
            "return its rows in their original order.",
            id="other_order",
        ),
        pytest.param(
            lambda df, k, _: sf.kfold(df, k=k + 1), "deal k=2 folds, got 3.", id="more_folds"
        ),
        pytest.param(
            {"by": "label", "where": lambda frame: frame["x"] > 0},
            "give every row a fold",
            id="rows_without_a_fold",
        ),
    ],
)
def test_folds_of_a_strategy_are_checked(strategy: Any, rule: str) -> None:
    """A strategy that loses rows, leaves some without a fold or returns no frame fails."""
    with pytest.warns(sf.StratWarning, match="failed"):
        found = study({"broken": strategy})

    errors = found.groupby("strategy")["error"].first()
    assert f"must {rule}" in errors["broken"]
    assert errors["SCV"] == ""


def test_a_strategy_may_write_into_its_frame() -> None:
    """What a strategy writes into its frame changes nothing for the others."""
    found = study({"writes": writes}, **ONCE)

    assert (found["error"] == "").all()
    first = found.groupby("strategy")["estimate"].first()
    assert first["SCV"] == study(**ONCE).query("strategy == 'SCV'")["estimate"].iloc[0]


def test_a_metric_by_name_or_function() -> None:
    """The metric may be any scorer of scikit-learn."""

    def recall(estimator: Any, data: Any, y: Any) -> float:
        return float((estimator.predict(data)[y == "yes"] == "yes").mean())

    metrics = ("recall_macro", recall, "accuracy", None)
    found = [study(PLAIN, metric=metric, **ONCE) for metric in metrics]
    assert_frame_equal(*map(results, found[2:]))
    assert len({each["truth"].iloc[0] for each in found}) == 3


def refuse_study(rule: str, arguments: dict[str, Any]) -> None:
    """Check that a study is refused by a rule before any sample is drawn."""
    frame = population().assign(day=pd.to_datetime(["2024-01-01", "2024-01-02"] * 60))
    arguments = {"frame": frame, "target": "label", "features": FEATURES, **arguments}
    refuse_rule(rule, lambda: sf.study.compare(**arguments))


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        pytest.param(
            {"strategies": ["label"]},
            "`strategies` must be a dict from names to values of `by`, arguments of"
            " `kfold` or functions, got list.",
            id="strategies_in_a_list",
        ),
        pytest.param(
            {"strategies": {}},
            "`strategies` must hold at least one strategy, got {}.",
            id="no_strategies",
        ),
        pytest.param(
            {"strategies": {"a": {"by": "label", "seed": 1}}},
            "The strategy 'a' must hold only arguments of `kfold`, got 'seed'.",
            id="seed_of_a_strategy",
        ),
        pytest.param(
            {"strategies": {"a": "label", "b": ["label", sf.nearest(["x", "z"])]}},
            "`by` names the column 'z', which the frame does not have.",
            id="column_of_a_strategy",
        ),
        pytest.param(
            {"strategies": {"a": {"by": "label", "groups": "x"}}},
            "The strategy 'a' must not hold `groups`: samples are drawn row by row, so the"
            " true score would also be measured on groups that are in the sample.",
            id="groups_of_a_strategy",
        ),
        pytest.param(
            {"strategies": {1: None, "1": "label"}},
            "`strategies` must hold each name once, got '1' twice.",
            id="names_of_strategies_that_print_alike",
        ),
    ],
)
def test_rules_of_strategies(arguments: dict[str, Any], rule: str) -> None:
    """A strategy is a value of `by`, a mapping of arguments of `kfold`, or a function."""
    refuse_study(rule, arguments)


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        pytest.param(
            {"estimators": "ridge"},
            "`estimators` must hold scikit-learn estimators, got str, which has no `fit`.",
            id="name_of_an_estimator",
        ),
        pytest.param(
            {"estimators": {"a": GaussianNB}},
            "`estimators` must hold objects, got the class GaussianNB.",
            id="class_of_an_estimator",
        ),
        pytest.param(
            {"estimators": []},
            "`estimators` must hold at least one estimator, got [].",
            id="no_estimators",
        ),
        pytest.param(
            {"metric": "a"},
            "`metric` must be the name of a scikit-learn scorer, or a function, got 'a'.",
            id="no_scorer",
        ),
        pytest.param(
            {"estimators": {1: GaussianNB(), "1": DummyClassifier()}},
            "`estimators` must hold each name once, got '1' twice.",
            id="names_of_estimators_that_print_alike",
        ),
        pytest.param(
            {"metric": accuracy_score},
            "`metric` must be a scorer (a function of an estimator, X and y), got accuracy_score.",
            id="metric_that_is_no_scorer",
        ),
    ],
)
def test_rules_of_models(arguments: dict[str, Any], rule: str) -> None:
    """Estimators and the metric are those of scikit-learn."""
    refuse_study(rule, arguments)


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        pytest.param({"k": (5, 1)}, "`k` must be at least 2, got 1.", id="one_fold"),
        pytest.param(
            {"k": []},
            "`k` must hold at least one number of folds, got [].",
            id="no_numbers_of_folds",
        ),
        pytest.param({"samples": 0}, "`samples` must be at least 1, got 0.", id="no_samples"),
        pytest.param(
            {"repeats": 1.5}, "`repeats` must be a whole number, got 1.5.", id="half_a_repeat"
        ),
        pytest.param(
            {"repeats": 2**64},
            "`repeats` must not exceed 10,000 runs, got 18,446,744,073,709,551,616.",
            id="too_many_repeats",
        ),
        pytest.param(
            {"k": range(2, 10**6)},
            "`k` must hold at most 10,000 numbers, got range of 999,998 values.",
            id="too_many_numbers_of_folds",
        ),
        pytest.param(
            {"n_jobs": 0},
            "`n_jobs` must be None, or a whole number other than 0, got 0.",
            id="no_jobs",
        ),
        pytest.param(
            {"progress": "no"},
            "`progress` must be True or False, got 'no'.",
            id="progress_in_words",
        ),
        pytest.param({"seed": -1}, "`seed` must be at least 0, got -1.", id="negative_seed"),
    ],
)
def test_rules_of_numbers(arguments: dict[str, Any], rule: str) -> None:
    """Numbers are whole, and no larger than a study can be."""
    refuse_study(rule, arguments)


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        pytest.param(
            {"features": range(10**30)},
            "`features` must hold column names, got range(0, 1000000000000000000000000000000).",
            id="range_of_features",
        ),
        pytest.param(
            {"features": []}, "`features` must hold at least one column, got [].", id="no_features"
        ),
        pytest.param(
            {"features": ["x", "label"]},
            "`features` must not include the target, got 'label'.",
            id="target_among_features",
        ),
        pytest.param(
            {"target": "lable"},
            "`target` names the column 'lable', which the frame does not have.",
            id="misspelt_target",
        ),
        pytest.param(
            {"target": 3},
            "`target` must hold a column name, or `sf.classes` or `sf.continuous` of one, got 3.",
            id="number_as_target",
        ),
        pytest.param(
            {"target": sf.quantiles("price", 3)},
            "`target` must be a column name, `sf.classes(...)` or `sf.continuous(...)`,"
            " got sf.quantiles.",
            id="bins_as_target",
        ),
        pytest.param(
            {"frame": 5},
            "`frame` must be a pandas, Polars or Arrow frame, got int.",
            id="number_as_frame",
        ),
        pytest.param(
            {"target": "day"},
            "`target` must be text, whole numbers or booleans, but scikit-learn cannot"
            " read the values of 'day' as 2 classes.",
            id="dates_as_target",
        ),
        pytest.param(
            {"features": [pl.col("x"), pl.col("z")]},
            "`features` must hold column names, got <Expr ['col(\"x\")']>.",
            id="features_by_expressions",
        ),
        pytest.param(
            {"target": pl.col("label")},
            "`target` must hold column names, got <Expr ['col(\"label\")']>.",
            id="target_by_an_expression",
        ),
        pytest.param(
            {"features": ["x", "x"]},
            "`features` must hold each column once, got 'x' twice.",
            id="feature_twice",
        ),
    ],
)
def test_rules_of_columns(arguments: dict[str, Any], rule: str) -> None:
    """The features and the target are columns of the frame."""
    refuse_study(rule, arguments)


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        pytest.param(
            {"frame": population(60), "sample": 31},
            "At least as many rows must stay outside a sample as are in it, got 60 rows"
            " for a sample of 31.",
            id="too_few_rows_outside",
        ),
        pytest.param(
            {"frame": population(5)},
            "At least as many rows must stay outside a sample as are in it, got 5 rows for"
            " a sample of 1.",
            id="too_few_rows_for_any_sample",
        ),
        pytest.param(
            {"k": 31, "frame": population(91)},
            "`k` must be at most `sample`, got 31 for 30 rows.",
            id="more_folds_than_a_third_of_the_rows",
        ),
        pytest.param(
            {"k": 501, "frame": population(2000)},
            "`k` must be at most `sample`, got 501 for 500 rows.",
            id="more_folds_than_the_largest_sample",
        ),
        pytest.param(
            {"k": [2, 41], "sample": 40},
            "`k` must be at most `sample`, got 41 for 40 rows.",
            id="more_folds_than_the_sample",
        ),
    ],
)
def test_rules_of_sizes(arguments: dict[str, Any], rule: str) -> None:
    """A sample is large enough for its folds, and leaves enough rows outside."""
    refuse_study(rule, arguments)


def test_a_smaller_sample_is_suggested() -> None:
    """The error on a sample that is too large says which size would do."""
    error = refused(lambda: sf.study.compare(population(60), "label", FEATURES, sample=31))
    assert str(error).endswith(
        "\nHint: pass `sample=20`, or add rows. The true score is measured on the rows outside the"
        " sample."
    )


@pytest.mark.parametrize("target", ["label", "price"])
def test_columns_of_several_levels(target: str, tmp_path: Path) -> None:
    """Columns of a MultiIndex give the numbers of plain ones, whatever the strategy."""
    plain = population()
    tuples = {name: ("of x", name) if name in FEATURES else (name, "") for name in plain}
    levels = plain.set_axis(pd.MultiIndex.from_tuples(tuples.values()), axis=1)

    def mine(frame: Any, k: int, seed: int) -> Any:
        return sf.kfold(frame, None, k, seed=seed)

    def run(*given: Any) -> pd.DataFrame:
        own = {"entries": [sf.quantiles(given[-1][0], 3)], "function": mine}
        model = GaussianNB() if target == "label" else Ridge()
        once: Any = {"cache": tmp_path, "k": 2, "samples": 1, "repeats": 1}
        found = [sf.study.estimates(*given, each, model, **once) for each in (None, own)]
        return results(pd.concat(found))

    found = run(levels, tuples[target], levels.columns[:2])
    assert_frame_equal(found, run(plain, target, FEATURES))


def test_a_target_with_missing_values() -> None:
    """Missing classes, and missing or infinite numbers, are errors with their rows."""
    frame = population()
    frame.loc[[3, 5], "label"], frame.loc[7, "price"] = None, np.inf
    missing = "missing values in 2 rows (3, 5)"
    infinite = "infinite values in 1 row (7)"
    for target, what, rows in (("label", missing, [3, 5]), ("price", infinite, [7])):
        rule = f"Column {target!r} has {what}."
        error = refuse_rule(rule, lambda name=target: sf.study.compare(frame, name, FEATURES))
        assert error.failures["row"].tolist() == rows


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra."""
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError, match=r'pip install "stratframe\[sklearn\]"'):
        sf.study.compare(population(), "label", FEATURES)


@pytest.mark.slow
def test_stratified_folds_beat_plain_ones() -> None:
    """Stratified folds estimate the score of a constant prediction better than plain ones."""
    drawn = np.random.default_rng(0)
    frame = pd.DataFrame({"x": drawn.normal(size=2000), "label": drawn.random(2000) < 0.5})
    given = {"k": 10, "sample": 60, "samples": 60, "repeats": 2, "full": True}
    found = sf.study.compare(frame, "label", "x", PLAIN, DummyClassifier(), **given)
    found = found.set_index("strategy")
    assert found.loc["k-fold", "low"] > 1
    assert found.loc["k-fold", "bias"] < found.loc["SCV", "bias"]
    assert found.loc["SCV", ["mse_ratio", "low", "high"]].tolist() == [1, 1, 1]


def test_compare_passes_every_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    """`compare` passes each of its arguments to the argument of `estimates` with the same name."""
    signature = inspect.signature(estimate.estimates)
    arguments: dict[str, Any] = {name: object() for name in signature.parameters}
    calls: list[inspect.BoundArguments] = []

    def record(*args: Any, **named: Any) -> None:
        calls.append(signature.bind(*args, **named))

    monkeypatch.setattr(estimate, "estimates", record)
    monkeypatch.setattr(estimate, "summary", lambda *_, **__: None)

    sf.study.compare(**arguments, full=True)

    assert [call.arguments for call in calls] == [arguments]
