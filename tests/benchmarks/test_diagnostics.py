"""Diagnostics.

Against counting label and fold, or finding duplicates in five columns, in the frame's own library.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import ks_2samp, wasserstein_distance

import stratframe as sf

from .data import LIBRARIES, ROWS, frame_of, labels, normal, texts
from .measure import ROUNDS, find, fresh, peak_and_seconds, race, reach_both, take

KINDS = [*LIBRARIES, "lazy"]

LABELS = {
    "3 classes": lambda: labels(3),
    "text": lambda: texts(3),
    "100,000 classes": lambda: labels(100_000),
}

COLUMNS: dict[str, Callable[[], list[Any]]] = {
    "few values": lambda: [labels(10, seed=seed) for seed in range(5)],
    "many values": lambda: [labels(1_000_000, seed=seed) for seed in range(5)],
    "mixed": lambda: [
        normal(seed=0),
        labels(100),
        labels(1_000_000),
        normal(seed=1).round(2),
        texts(4),
    ],
}
"""Five columns; mixed as frames have them: measures, codes, an amount, and a text."""


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("kind", KINDS)
def test_report_against_counts(benchmark: Any, kind: str, label: str) -> None:
    """A report costs at most twice a count of the same two columns in the library."""
    frame = frame_of(kind, label=LABELS[label](), fold=labels(5, seed=2))
    names = ["label", "fold"]

    def count() -> object:
        if kind == "pandas":
            return frame.groupby(names).size()
        return frame.lazy().group_by(names).len().collect()

    race(benchmark, lambda: sf.report(frame, sf.classes("label")), count, 2)


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("library", LIBRARIES)
def test_check_against_duplicates(benchmark: Any, library: str, columns: str) -> None:
    """A check of five columns takes at most 1.5 times as long as the library's own search."""
    data = dict(zip("abcde", COLUMNS[columns](), strict=True))
    frame = frame_of(library, **data, fold=labels(5, seed=9))
    rows = frame[list(data)]
    search = rows.is_duplicated if isinstance(rows, pl.DataFrame) else rows.duplicated
    race(benchmark, lambda: sf.check(frame), search, 1.5)


SMALL = 1_000

WIDE_ROWS = 200_000


@pytest.mark.parametrize("groups", [None, 200], ids=["no groups", "200 groups"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_check_of_a_small_frame(benchmark: Any, library: str, groups: int | None) -> None:
    """A check of 1,000 rows with the label alone takes at most 3 milliseconds."""
    columns = {"label": labels(3, SMALL), "x": normal(SMALL)}
    if groups is not None:
        columns["group"] = labels(groups, SMALL, seed=1)
    named = {} if groups is None else {"groups": "group"}
    frame = sf.kfold(frame_of(library, **columns), "label", **named)
    take(benchmark, lambda: sf.check(frame, "label"), 0.003, 40, warmup=3)


WIDE: dict[str, Callable[[int], Any]] = {
    "measures": lambda seed: normal(WIDE_ROWS, seed),
    "amounts": lambda seed: normal(WIDE_ROWS, seed).round(2),
    "codes": lambda seed: labels(50, WIDE_ROWS, seed=seed),
    "numbers": lambda seed: labels(1_000_000, WIDE_ROWS, seed=seed),
}
"""The columns of wide frames, by their seed."""


@pytest.mark.parametrize("columns", WIDE)
@pytest.mark.parametrize("library", LIBRARIES)
def test_check_of_a_hundred_columns(benchmark: Any, library: str, columns: str) -> None:
    """A check with the label alone takes at most as long as the search for copies of pandas.

    Polars searches by all cores, and takes at least a third of the time of a check.
    """
    data = {f"x{place}": WIDE[columns](place) for place in range(98)}
    fold = labels(5, WIDE_ROWS, seed=99)
    frame = frame_of(library, **data, label=labels(4, WIDE_ROWS, seed=98), fold=fold)
    rows = frame[[*data]]
    search = rows.is_duplicated if isinstance(rows, pl.DataFrame) else rows.duplicated
    at_most = 1 if library == "pandas" else 3
    race(benchmark, lambda: sf.check(frame, "label"), search, at_most, 3)


def check_twenty_million(library: str) -> tuple[int, float]:
    """Check eight columns of 20,000,000 rows; return the peak of memory and the time."""
    rows = 20_000_000
    frame = frame_of(
        library,
        label=labels(4, rows),
        x=normal(rows),
        price=normal(rows, 1).round(2),
        id=labels(rows // 5, rows, seed=2),
        code=labels(50, rows, seed=3),
        score=labels(5, rows, seed=4),
        amount=normal(rows, 5).round(0),
        fold=labels(5, rows, seed=6),
    )
    return peak_and_seconds(lambda: sf.check(frame, "label"))


@pytest.mark.parametrize("library", LIBRARIES)
def test_check_of_twenty_million_rows(benchmark: Any, library: str) -> None:
    """A check of 20,000,000 rows takes at most a minute, and 3 GiB beside the frame."""
    (found,) = find(benchmark, lambda: fresh(check_twenty_million, library))
    reach_both(benchmark, found, gib=3, most_seconds=60)


def by_scipy(frame: Any, folds: int) -> list[object]:
    """Call SciPy for each fold, on both sides in order."""
    order = np.argsort(frame["x"].to_numpy())
    x = frame["x"].to_numpy()[order]
    fold = frame["fold"].to_numpy()[order]
    found: list[object] = []
    for each in range(folds):
        own = x[fold == each]
        others = x[fold != each]
        with np.errstate(all="ignore"):
            found.append(ks_2samp(own, others, method="asymp"))
        found.append(wasserstein_distance(own, others))
    return found


@pytest.mark.parametrize(
    ("rows", "folds", "rounds", "faster"),
    [(ROWS, 5, 3, 3), (100_000, 1_000, 1, 100)],
    ids=["5,000,000 rows, 5 folds", "100,000 rows, 1,000 folds"],
)
def test_drift_against_scipy(
    benchmark: Any, rows: int, folds: int, rounds: int, faster: float
) -> None:
    """The drift of all folds is measured many times faster than by two calls for each."""
    frame = frame_of("pandas", x=normal(rows), fold=labels(folds, rows))
    peer = partial(by_scipy, frame, folds)
    race(benchmark, lambda: sf.drift(frame, "x"), peer, 1 / faster, rounds)


@pytest.mark.parametrize(
    ("features", "folds"), [(1, 2_000), (300, 5)], ids=["2,000 folds", "300 features"]
)
@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_drift_of_many(benchmark: Any, features: int, folds: int, kind: str) -> None:
    """Two thousand folds, or three hundred features, take little time."""
    rows = 100_000
    is_class = kind == "classes"
    draw = (lambda i: labels(50, rows, seed=i)) if is_class else (lambda i: normal(rows, i))
    columns = {f"x{i}": draw(i) for i in range(features)}
    frame = frame_of("pandas", **columns, fold=labels(folds, rows))
    frame = frame.astype(dict.fromkeys(columns, "category")) if is_class else frame
    take(benchmark, lambda: sf.drift(frame, [*columns]), 10)


@pytest.mark.parametrize("rarest", [0.004, 0.2], ids="a class of {:.1%}".format)
def test_advice_on_many_folds(benchmark: Any, rarest: float) -> None:
    """Advice on 2 to 1,999 folds of 1,000,000 rows takes some seconds."""
    shares = [0.5, 0.5 - rarest, rarest]
    frame = frame_of("pandas", y=np.random.default_rng(10).choice(3, 1_000_000, p=shares))
    take(benchmark, lambda: sf.advise(frame, "y", range(2, 2_000), full=True), 10)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_million_rows_at_fault(benchmark: Any, library: str) -> None:
    """An error over 1,000,000 of 2,000,000 rows takes no longer than the folds."""
    y = normal(2_000_000)
    good = frame_of(library, y=y)
    bad = frame_of(library, y=np.where(np.arange(len(y)) % 2, np.inf, y))
    by = sf.continuous("y")

    def fail() -> None:
        with pytest.raises(sf.StratError):
            bad.strat.kfold(by)

    race(benchmark, fail, lambda: good.strat.kfold(by), 1)


@pytest.mark.parametrize(
    "table",
    [
        lambda frame: sf.plan(frame, "y", 2_000, rare="ignore"),
        lambda frame: sf.balance(frame, sf.classes("y")),
    ],
    ids=["plan", "balance"],
)
def test_a_table_beyond_memory(benchmark: Any, table: Callable[[Any], object]) -> None:
    """A table of 200,000,000 rows is refused as soon as its strata are known."""
    label = np.arange(100_000)
    frame = frame_of("pandas", y=label, fold=label % 2_000)

    def fail() -> None:
        with pytest.raises(sf.StratError, match="must not exceed"):
            table(frame)

    take(benchmark, fail, 1, ROUNDS, warmup=1)


@pytest.mark.parametrize("library", LIBRARIES)
def test_cv_against_comparisons(benchmark: Any, library: str) -> None:
    """The pairs of `cv` cost little more than those by comparisons of numbers from 0 to 9."""
    frame = frame_of(library, fold=labels(10))

    def compare() -> list[object]:
        folds = frame["fold"].to_numpy()
        return [(np.flatnonzero(folds != i), np.flatnonzero(folds == i)) for i in range(10)]

    race(benchmark, lambda: sf.cv(frame), compare, 1.3)


@pytest.mark.parametrize("kind", ["distinct", "repeated", "nearly constant"])
def test_many_entries(benchmark: Any, kind: str) -> None:
    """300 entries of 100,000 rows nest in a few seconds."""
    rows = 100_000
    times = 5 if kind == "repeated" else 1
    columns = {f"c{i}": labels(2, rows // times, seed=i).repeat(times) for i in range(300)}
    if kind == "nearly constant":
        columns = {f"c{i}": (np.arange(rows) % (i + 2) == 0).astype(int) for i in range(300)}
    frame = frame_of("pandas", **columns)
    take(benchmark, lambda: sf.kfold(frame, [*columns], rare="ignore"), 4)


# Wide frames ----------------------------------------------------------------------------

FEW = 500
MANY = 5_000


def wide(kind: str, n: int) -> Any:
    """Make a frame of many features, and a fold column."""
    drawn = np.random.default_rng(0).normal(size=(n, 200))
    columns = {f"x{place}": values for place, values in enumerate(drawn)}
    return frame_of(kind, **columns, fold=np.arange(200) % 5)


CALLS: dict[str, Callable[[Any, list[str]], Any]] = {
    "nearest": lambda df, names: sf.kfold(df, sf.nearest(names), name="new"),
    "clusters": lambda df, names: sf.kfold(df, sf.clusters(names, 3), name="new"),
    "check": lambda df, names: sf.check(df, duplicates=names),
    "leaks": lambda df, names: sf.leaks(df, duplicates=names),
    "drift": lambda df, names: sf.drift(df, names),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", KINDS)
def test_time_of_a_column(benchmark: Any, kind: str, call: str) -> None:
    """A column of 5,000 takes at most 1.5 times as long as a column of 500."""

    def make(n: int) -> Callable[[], object]:
        frame = wide(kind, n)
        names = [f"x{place}" for place in range(n)]

        def run() -> None:
            found = CALLS[call](frame, names)
            if isinstance(found, pl.LazyFrame):
                found.collect()

        return run

    race(benchmark, make(MANY), make(FEW), 1.5, 3, columns=MANY // FEW)
