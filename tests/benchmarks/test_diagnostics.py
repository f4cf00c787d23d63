"""Tables against what the frame's own library does with the same columns."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import ks_2samp, wasserstein_distance

import stratframe as sf

from .data import LIBRARIES, ROWS, frame_of, labels, texts
from .measure import ROUNDS, interleaved, reach

KINDS = [*LIBRARIES, "lazy"]

LABELS = {
    "3 classes": lambda: labels(3),
    "text": lambda: texts(3),
    "100,000 classes": lambda: labels(100_000),
}

COLUMNS: dict[str, list[Any]] = {
    "few values": [labels(10, seed=seed) for seed in range(5)],
    "many values": [labels(1_000_000, seed=seed) for seed in range(5)],
}


def mixed() -> list[Any]:
    """Draw five columns as frames have them: measures, codes, an amount, and a text."""
    drawn = np.random.default_rng(0)
    measure, amount = drawn.normal(size=ROWS), drawn.normal(size=ROWS).round(2)
    return [measure, labels(100), labels(1_000_000), amount, texts(4)]


def kind_of(kind: str, **columns: Any) -> Any:
    """Make a frame of a library, or a lazy one."""
    return frame_of("polars", **columns).lazy() if kind == "lazy" else frame_of(kind, **columns)


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("kind", KINDS)
def test_report_against_counts(benchmark: Any, kind: str, label: str) -> None:
    """A report costs at most twice a count of the same two columns in the library."""
    frame = kind_of(kind, label=LABELS[label](), fold=labels(5, seed=2))
    names = ["label", "fold"]

    def count() -> object:
        if kind == "pandas":
            return frame.groupby(names).size()
        return frame.lazy().group_by(names).len().collect()

    ratio = interleaved(benchmark, lambda: sf.report(frame, sf.classes("label")), count)
    reach(benchmark, ratio, "x the count", at_most=2)


@pytest.mark.parametrize("columns", ["few values", "many values", "mixed"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_check_against_duplicates(benchmark: Any, library: str, columns: str) -> None:
    """A check of five columns takes at most 1.5 times as long as the library's own search."""
    found = mixed() if columns == "mixed" else COLUMNS[columns]
    data = dict(zip("abcde", found, strict=True))
    frame = frame_of(library, **data, fold=labels(5, seed=9))
    rows = frame[list(data)]

    def search() -> object:
        return rows.is_duplicated() if isinstance(rows, pl.DataFrame) else rows.duplicated()

    ratio = interleaved(benchmark, lambda: sf.check(frame), search)
    reach(benchmark, ratio, "x the search", at_most=1.5)


def by_scipy(frame: Any, folds: int) -> Callable[[], object]:
    """Make the peer that calls SciPy for each fold, on both sides in order."""

    def measure() -> list[object]:
        order = np.argsort(frame["x"].to_numpy())
        x, fold = frame["x"].to_numpy()[order], frame["fold"].to_numpy()[order]
        found: list[object] = []
        for each in range(folds):
            own, others = x[fold == each], x[fold != each]
            with np.errstate(all="ignore"):
                found.append(ks_2samp(own, others, method="asymp"))
            found.append(wasserstein_distance(own, others))
        return found

    return measure


@pytest.mark.parametrize(
    ("rows", "folds", "rounds", "bar"), [(ROWS, 5, 3, 3), (100_000, 1_000, 1, 100)]
)
def test_drift_against_scipy(
    benchmark: Any, rows: int, folds: int, rounds: int, bar: float
) -> None:
    """The drift of all folds is measured many times faster than by two calls for each."""
    x = np.random.default_rng(8).normal(size=rows)
    frame = frame_of("pandas", x=x, fold=labels(folds, rows))
    ratio = interleaved(
        benchmark, lambda: sf.drift(frame, "x"), by_scipy(frame, folds), rounds=rounds
    )
    reach(benchmark, 1 / ratio, "x faster", at_least=bar)


@pytest.mark.parametrize(("features", "folds"), [(1, 2_000), (300, 5)])
@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_drift_of_many(benchmark: Any, features: int, folds: int, kind: str) -> None:
    """Two thousand folds, or three hundred features, take little time."""
    rows, drawn = 100_000, np.random.default_rng(9)
    columns = {
        f"x{i}": drawn.normal(size=rows) if kind == "numbers" else labels(50, rows, seed=i)
        for i in range(features)
    }
    names = list(columns)
    frame = frame_of("pandas", **columns, fold=labels(folds, rows))
    if kind == "classes":
        frame = frame.astype(dict.fromkeys(names, "category"))
    benchmark.pedantic(lambda: sf.drift(frame, names), rounds=1)
    reach(benchmark, benchmark.stats.stats.median, "s", at_most=10)


@pytest.mark.parametrize("rarest", [0.004, 0.2])
def test_advice_on_many_folds(benchmark: Any, rarest: float) -> None:
    """Advice on 2 to 1,999 folds of 1,000,000 rows takes some seconds."""
    shares = [0.5, 0.5 - rarest, rarest]
    frame = frame_of("pandas", y=np.random.default_rng(10).choice(3, 1_000_000, p=shares))
    benchmark.pedantic(lambda: sf.advise(frame, "y", range(2, 2_000), full=True), rounds=1)
    reach(benchmark, benchmark.stats.stats.median, "s", at_most=10)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_million_rows_at_fault(benchmark: Any, library: str) -> None:
    """An error over 1,000,000 of 2,000,000 rows takes little longer than the folds."""
    y = np.random.default_rng(11).random(2_000_000)
    good = frame_of(library, y=y)
    bad = frame_of(library, y=np.where(np.arange(len(y)) % 2, np.inf, y))
    by = sf.continuous("y")

    def fail() -> None:
        with pytest.raises(sf.StratError):
            bad.strat.kfold(by)

    ratio = interleaved(benchmark, fail, lambda: good.strat.kfold(by))
    reach(benchmark, ratio, "x the folds", at_most=1)


@pytest.mark.parametrize("what", ["plan", "balance"])
def test_a_table_beyond_memory(benchmark: Any, what: str) -> None:
    """A table of 200,000,000 rows is refused as soon as its strata are known."""
    label = np.arange(100_000)
    frame = frame_of("pandas", y=label, fold=label % 2_000)

    def table() -> object:
        if what == "plan":
            return sf.plan(frame, "y", 2_000, rare="ignore")
        return sf.balance(frame, sf.classes("y"))

    def fail() -> None:
        with pytest.raises(sf.StratError, match="GiB"):
            table()

    benchmark.pedantic(fail, rounds=ROUNDS, warmup_rounds=1)
    reach(benchmark, benchmark.stats.stats.median, "s", at_most=1)


@pytest.mark.parametrize("library", LIBRARIES)
def test_cv_against_comparisons(benchmark: Any, library: str) -> None:
    """The pairs of `cv` cost little more than those by comparisons of numbers from 0 to 9."""
    frame = frame_of(library, fold=labels(10))

    def compare() -> list[object]:
        folds = frame["fold"].to_numpy()
        return [(np.flatnonzero(folds != i), np.flatnonzero(folds == i)) for i in range(10)]

    ratio = interleaved(benchmark, lambda: sf.cv(frame), compare)
    reach(benchmark, ratio, "x the comparisons", at_most=1.3)


@pytest.mark.parametrize("kind", ["distinct", "repeated", "nearly constant"])
def test_many_entries(benchmark: Any, kind: str) -> None:
    """300 entries of 100,000 rows nest in a few seconds."""
    rows, times = 100_000, 5 if kind == "repeated" else 1
    columns = {f"c{i}": labels(2, rows // times, seed=i).repeat(times) for i in range(300)}
    if kind == "nearly constant":
        columns = {f"c{i}": (np.arange(rows) % (i + 2) == 0).astype(int) for i in range(300)}
    frame = frame_of("pandas", **columns)
    by = list(columns)
    benchmark.pedantic(lambda: sf.kfold(frame, by, rare="ignore"), rounds=1)
    reach(benchmark, benchmark.stats.stats.median, "s", at_most=4)
