"""The README is short, and each cell of its table is tried: what it says to work, and each "no"."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pytest
from iterstrat import ml_stratifiers
from sklearn.model_selection import (
    GroupKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    train_test_split,
)

import stratframe as sf

Positions = npt.NDArray[np.intp]
Pairs = list[tuple[Positions, Positions]]

README = Path(__file__).parents[1] / "README.md"
TAGS = ["sea", "sun", "snow"]


def make_rows() -> pd.DataFrame:
    """Make 600 rows in the order of days, of which each month has another number of rows."""
    n = 600
    rng = np.random.default_rng(0)
    days = pd.date_range("2024-01-01", periods=300)
    rows = pd.DataFrame(
        {
            "id": range(n),
            "label": rng.choice(["cat", "dog", "owl"], n, p=[0.6, 0.3, 0.1]),
            "patient": rng.integers(0, 120, n),
            "price": rng.normal(size=n),
            "weight": rng.lognormal(sigma=1.5, size=n),
            "day": np.sort(rng.choice(days, n)),
        }
    )
    for tag, share in zip(TAGS, (0.5, 0.2, 0.05), strict=True):
        rows[tag] = (rng.random(n) < share).astype(int)
    return rows


ROWS = make_rows()
UNUSED = np.zeros((len(ROWS), 1))
LABEL = ROWS["label"]
PATIENT = ROWS["patient"]
BINS = pd.qcut(ROWS["price"], 10, labels=False)
ONE_HOT = pd.get_dummies(LABEL).astype(int)


def is_even(pairs: Pairs, column: Any, within: int) -> bool:
    """Whether validation sets have the same counts of each value, within so many rows."""
    values = np.asarray(column)
    counts = [pd.Series(values[valid]).value_counts() for _, valid in pairs]
    table = pd.DataFrame(counts).fillna(0)
    return bool((table.max() - table.min()).max() <= within)


def is_whole(pairs: Pairs) -> bool:
    """Whether no patient is on both sides of a pair."""
    patient = ROWS["patient"].to_numpy()
    return all(not {*patient[train]} & {*patient[valid]} for train, valid in pairs)


def is_even_in_labels(pairs: Pairs) -> bool:
    return is_even(pairs, ROWS["label"], 1)


def is_whole_and_even(pairs: Pairs) -> bool:
    return is_whole(pairs) and is_even(pairs, ROWS["label"], 3)


def is_even_in_price(pairs: Pairs) -> bool:
    return is_even(pairs, BINS, 2)


def is_even_in_tags(pairs: Pairs) -> bool:
    return all(is_even(pairs, ROWS[tag], 2) for tag in TAGS)


def is_even_in_weight(pairs: Pairs) -> bool:
    """Whether the labels are even, and the weights of validation sets agree within 1 %."""
    sums = np.array([ROWS["weight"].to_numpy()[valid].sum() for _, valid in pairs])
    return is_even_in_labels(pairs) and bool(np.ptp(sums) < 0.01 * sums.mean())


def is_monthly(pairs: Pairs) -> bool:
    """Whether each pair validates one whole month, and trains before the month that precedes it."""
    month = ROWS["day"].dt.to_period("M")
    return all(
        {*np.flatnonzero(month == month[valid[0]])} == {*valid}
        and month[train].max() < month[valid[0]] - 1
        for train, valid in pairs
    )


def is_newest(pairs: Pairs) -> bool:
    """Whether a fifth of the rows is tested, and no row for training is newer."""
    ((train, test),) = pairs
    days = ROWS["day"]
    return abs(len(test) - 120) <= 3 and days[train].max() <= days[test].min()


MULTILABEL = ml_stratifiers.MultilabelStratifiedKFold(5, shuffle=True, random_state=0)
SHUFFLED = StratifiedKFold(5, shuffle=True, random_state=0)


def split_multilabel(labels: Any) -> Iterable[tuple[Positions, Positions]]:
    """Split as iterative-stratification does, which takes `groups` and ignores them."""
    return MULTILABEL.split(UNUSED, labels, PATIENT)


def split_multilabel_once() -> Iterable[tuple[Positions, Positions]]:
    splitter = ml_stratifiers.MultilabelStratifiedShuffleSplit(1, test_size=0.2, random_state=0)
    return splitter.split(UNUSED, ROWS[TAGS])


def split_in_order() -> Iterable[tuple[Positions, Positions]]:
    """Split off the last fifth of the rows, which are in the order of their days."""
    return [tuple(train_test_split(np.arange(len(ROWS)), test_size=0.2, shuffle=False))]


@dataclass(frozen=True)
class Job:
    """A row of the table: what the pairs must be, and how other libraries come nearest to it."""

    is_done: Callable[[Pairs], bool]
    sklearn: Callable[[], Iterable[tuple[Positions, Positions]]]
    iterstrat: Callable[[], Iterable[tuple[Positions, Positions]]]


JOBS = {
    "classes": Job(
        is_even_in_labels,
        lambda: SHUFFLED.split(UNUSED, LABEL),
        lambda: split_multilabel(ONE_HOT),
    ),
    "groups": Job(
        is_whole,
        lambda: GroupKFold(5).split(UNUSED, groups=PATIENT),
        lambda: split_multilabel(ROWS[TAGS]),
    ),
    "classes and groups": Job(
        is_whole_and_even,
        lambda: StratifiedGroupKFold(5).split(UNUSED, LABEL, PATIENT),
        lambda: split_multilabel(ONE_HOT),
    ),
    "a number": Job(
        is_even_in_price,
        lambda: SHUFFLED.split(UNUSED, BINS),
        lambda: split_multilabel(pd.get_dummies(BINS).astype(int)),
    ),
    "several labels": Job(
        is_even_in_tags,
        lambda: SHUFFLED.split(UNUSED, ROWS[TAGS]),
        lambda: split_multilabel(ROWS[TAGS]),
    ),
    "weights": Job(
        is_even_in_weight,
        lambda: SHUFFLED.split(UNUSED, LABEL),
        lambda: split_multilabel(ONE_HOT),
    ),
    "calendar months": Job(
        is_monthly,
        lambda: TimeSeriesSplit(8, gap=60).split(UNUSED),
        lambda: split_multilabel(ROWS[TAGS]),
    ),
    "the last fifth": Job(
        is_newest,
        split_in_order,
        split_multilabel_once,
    ),
}


def read_table() -> dict[str, tuple[str, str, str]]:
    """Read the table: the job, and what scikit-learn, iterative-stratification and we do."""
    text = README.read_text(encoding="utf-8")
    lines = re.findall(r"^\| (.+) \| (.+) \| (.+) \| (.+) \|$", text, re.MULTILINE)
    _, *rows = [line for line in lines if "---" not in line[0]]
    return {job: (theirs, multilabel, ours) for job, theirs, multilabel, ours in rows}


TABLE = read_table()
JUDGING = "judging a column"
SAME = "the same folds in pandas, Polars, Spark"


def is_met(job: Job, make_pairs: Callable[[], Iterable[tuple[Positions, Positions]]]) -> bool:
    """Try a job: an error is a "no", and so are pairs that are not what the job asks for."""
    try:
        pairs = list(make_pairs())
    except ValueError:
        return False
    return job.is_done(pairs)


def make_ours(cell: str) -> Pairs:
    """Make the call of a cell, and the pairs that its result gives."""
    made = eval(cell.strip("`"), {"df": ROWS, "sf": sf})
    if isinstance(made, pd.DataFrame) and "split" in made:
        return list(sf.cv(made, "split", train="train", valid="test"))
    return list(sf.cv(made)) if isinstance(made, pd.DataFrame) else list(made)


def test_every_row_is_tried() -> None:
    """Each row of the table has a test."""
    assert [*TABLE] == [*JOBS, JUDGING, SAME]


@pytest.mark.parametrize("name", JOBS)
def test_who_does_the_job(name: str) -> None:
    """The call in the last cell does the job; others do if the table does not say "no"."""
    job = JOBS[name]
    by_sklearn, by_iterstrat, call = TABLE[name]
    assert job.is_done(make_ours(call))
    assert is_met(job, job.sklearn) == (by_sklearn != "no")
    assert is_met(job, job.iterstrat) == (by_iterstrat != "no")


def test_what_others_refuse() -> None:
    """Others refuse a number or a class as it is, and so the table says "binned" and "one-hot"."""
    assert not is_met(JOBS["a number"], lambda: SHUFFLED.split(UNUSED, ROWS["price"]))
    assert not is_met(JOBS["a number"], lambda: split_multilabel(ROWS[["price"]]))
    assert not is_met(JOBS["classes"], lambda: split_multilabel(LABEL))


def test_only_stratframe_judges_a_column() -> None:
    """`check` finds a column that leaks; the others have no function that judges folds."""
    df = sf.kfold(ROWS, "label", k=5)
    found = eval(TABLE[JUDGING][2].strip("`"), {"df": df})
    assert not found.ok
    assert TABLE[JUDGING][:2] == ("no", "no")


def folds_by_id(ids: Any, pairs: Iterable[tuple[Any, Positions]]) -> dict[int, int]:
    """Say in which fold each id is."""
    values = np.asarray(ids)
    return {
        int(row): fold for fold, (_, valid) in enumerate(pairs) for row in values[valid].tolist()
    }


def test_only_stratframe_gives_the_same_folds_everywhere() -> None:
    """A row keeps its fold in another order and library; `tests/engines` has Spark and Dask."""
    call = TABLE[SAME][2].strip("`")
    shuffled = ROWS.sample(frac=1, random_state=0)
    frames = {
        "pandas": ROWS,
        "shuffled": shuffled,
        "Polars": pl.from_pandas(shuffled[["id", "label"]]),
    }

    made = {name: eval(call, {"df": frame, "sf": sf}) for name, frame in frames.items()}

    ours = [dict(zip(each["id"], each["fold"], strict=True)) for each in made.values()]
    assert ours[0] == ours[1] == ours[2]
    assert TABLE[SAME][:2] == ("no", "no")
    theirs = [
        folds_by_id(rows["id"], SHUFFLED.split(UNUSED, rows["label"])) for rows in (ROWS, shuffled)
    ]
    assert theirs[0] != theirs[1]
    multilabel = [
        folds_by_id(rows["id"], MULTILABEL.split(UNUSED, rows[TAGS])) for rows in (ROWS, shuffled)
    ]
    assert multilabel[0] != multilabel[1]


def is_free_of_order(**options: Any) -> bool:
    """Whether each row has the same fold after the rows have been shuffled."""
    made = [sf.kfold(rows, k=5, **options) for rows in (ROWS, ROWS.sample(frac=1, random_state=0))]
    ours, theirs = (dict(zip(each["id"], each["fold"], strict=True)) for each in made)
    return ours == theirs


def test_clusters_and_rows_without_a_group_depend_on_the_order_of_rows() -> None:
    """The order of the rows matters for the exceptions that the README names, and only for them."""
    assert is_free_of_order(by="label", groups="patient")
    clusters = sf.clusters(["price", "weight"], 40)
    assert not is_free_of_order(groups=clusters)
    assert not is_free_of_order(
        groups=lambda rows: rows["patient"].where(rows["patient"] > 60), missing="stratum"
    )


def test_the_readme_is_short() -> None:
    """The README has at most 600 words, with its code and its table."""
    assert len(README.read_text(encoding="utf-8").split()) <= 600
