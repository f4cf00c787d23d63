"""Using columns: folds, parts, cv and samples."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import ROWS, TWO_KINDS, Make, columns_of, eager, make, values


@pytest.mark.filterwarnings("ignore:'none' has no rows:stratframe.StratWarning")
def test_parts_are_in_their_order(frame: Make) -> None:
    """Parts come in the order of the call, empty ones too, without the rows of none; or as named.

    A category without rows may be named or left out.
    """
    data = {"a": ["x"] * 6 + ["y"], "i": list(range(7))}
    split = sf.split(frame(data), "a", {"test": 0.5, "none": 0.01, "train": 0.49}, rare="null")
    found = sf.parts(split)
    assert list(found) == ["test", "none", "train"]
    assert len(values(found["none"], "i")) == 0
    assert sorted(i for part in found.values() for i in values(part, "i")) == list(range(6))
    assert list(sf.parts(split, names=["train", "test"])) == ["train", "test"]
    train, none, test = sf.parts(split, names=("train", "none", "test")).values()
    assert [len(values(part, "i")) for part in (train, none, test)] == [3, 0, 3]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (["b", "a", None, "b"], ["b", "a"]),
        (["test", "valid", "train", "test"], ["train", "valid", "test"]),
        ([2, 0, None, 1, 10], [0, 1, 2, 10]),
        ([None, None], []),
    ],
)
def test_order_of_parts(frame: Make, column: list[Any], expected: list[Any]) -> None:
    """Text comes in the order train, valid, test, others as they appear; numbers are sorted."""
    found = sf.parts(frame({"split": column, "i": list(range(len(column)))}))
    assert list(found) == expected
    for part, rows in found.items():
        assert values(rows, "i") == [i for i, value in enumerate(column) if value == part]


def test_parts_read_back_from_csv(tmp_path: Path) -> None:
    """Train and test stay what they are when a split is written to a file and read again."""
    made = sf.split(pd.DataFrame({"i": range(10)}), None, {"train": 6, "valid": 3, "test": 1})
    made.to_csv(tmp_path / "split.csv", index=False)
    for read in (pd.read_csv, pl.read_csv, pl.scan_csv):
        train, valid, test = sf.parts(read(tmp_path / "split.csv")).values()
        assert [len(eager(part)) for part in (train, valid, test)] == [6, 3, 1]


def test_parts_of_polars_categories() -> None:
    """Polars categoricals are text without an order."""
    column = pl.Series("split", ["test", "a", "train"], dtype=pl.Categorical)
    for df in (column.to_frame(), column.to_frame().lazy()):
        assert list(sf.parts(df)) == ["train", "test", "a"]


def test_a_fold_names_itself(frame: Make) -> None:
    """A fold has its label, its column and its frames; without data at hand it counts no rows."""
    data = {"fold_1": [0, 1] * 700, "fold_2": ["a", *["b"] * 1399]}
    pairs = list(sf.folds(frame(data), ["fold_1", "fold_2"]))
    assert [(pair.name, pair.fold) for pair in pairs] == [
        ("fold_1", 0),
        ("fold_1", 1),
        ("fold_2", "a"),
        ("fold_2", "b"),
    ]
    counts = [": 700 rows train, 700 valid"] * 2
    counts += [": 1,399 rows train, 1 valid", ": 1 row train, 1,399 valid"]
    for pair, count in zip(pairs, counts, strict=True):
        train, valid = pair
        assert train is pair.train
        assert valid is pair.valid
        named = f"Fold {pair.fold!r} of {pair.name!r}"
        assert repr(pair) == (named if isinstance(train, pl.LazyFrame) else named + count)


labels = st.lists(st.integers(0, 4), min_size=1, max_size=60)


@pytest.mark.parametrize("kind", TWO_KINDS)
@given(column=labels, data=st.data(), seed=st.integers(0, 99))
def test_samples_are_proportional(
    kind: str, column: list[int], data: st.DataObject, seed: int
) -> None:
    """A sample has `n` rows in their old order, each stratum its share rounded."""
    n = data.draw(st.integers(0, len(column)))
    frame = make(kind, {"a": column, "i": list(range(len(column)))})
    found = sf.sample(frame, "a", n=n, seed=seed)
    rows = values(found, "i")
    assert rows == sorted(set(rows))
    assert len(rows) == n
    sizes = Counter(column)
    for label, count in Counter(column[row] for row in rows).items():
        assert abs(count - sizes[label] * n / len(column)) < 1


def test_samples_by_share_and_equal_numbers(frame: Make) -> None:
    """`frac` rounds the total; equal allocation passes on what small strata lack."""
    data = {"a": ["x"] * 50 + ["y"] * 20 + ["z"] * 3, "i": list(range(73))}
    assert len(values(sf.sample(frame(data), "a", frac=0.1), "i")) == 7
    assert len(values(sf.sample(frame(data), "a", frac=np.float32(0.5)), "i")) == 36
    equal = values(sf.sample(frame(data), "a", n=33, allocation="equal"), "a")
    assert Counter(equal) == {"x": 15, "y": 15, "z": 3}
    assert sf.sample(frame(data), "a", n=73) is not None


def test_a_continuous_sample_is_spread_over_the_values(frame: Make) -> None:
    """A sample stratified by a continuous column takes rows evenly along its values."""
    data = {"v": [i + 0.5 for i in range(100)]}
    found = values(sf.sample(frame(data), "v", n=10), "v")
    gaps = np.diff([-10.0, *found, 110.0])
    assert gaps.max() <= 22


def test_samples_of_small_shares_and_of_nothing(frame: Any) -> None:
    """A share below a millionth counts in full; no rows of no rows are none."""
    lots = pd.DataFrame({"a": np.zeros(2_500_000, dtype=np.int8)})
    assert len(sf.sample(lots, "a", frac=8e-7)) == 2
    for allocation in ("equal", "proportional"):
        assert len(eager(sf.sample(frame({"a": []}), "a", n=0, allocation=allocation))) == 0


# Bad input ------------------------------------------------------------------------------


NAMED_READS: dict[str, Callable[..., Any]] = {
    "folds": lambda df, name: [values(fold.valid, "id") for fold in sf.folds(df, name)],
    "cv": lambda df, name: [valid.tolist() for _, valid in sf.cv(df, name)],
    "balance": lambda df, name: columns_of(sf.balance(df, "label", name)),
    "report": lambda df, name: columns_of(sf.report(df, "label", name)),
    "compare": lambda df, name: columns_of(sf.compare(df, "label", name)),
    "drift": lambda df, name: columns_of(sf.drift(df, "id", name)),
    "check": lambda df, name: str(sf.check(df, "label", name)),
    "leaks": lambda df, name: columns_of(sf.leaks(df, groups="id", name=name)),
    "extend": lambda df, name: columns_of(sf.extend(df, "label", name=name)),
}


@pytest.mark.parametrize("verb", NAMED_READS)
def test_a_name_means_its_repeats(frame: Make, verb: str) -> None:
    """Where there is no `fold`, every verb reads what `repeats` made of it."""
    read, names = NAMED_READS[verb], ["fold_1", "fold_2", "fold_3"]
    rows = {name: column for name, column in ROWS.items() if name != "tags"}
    three = sf.kfold(frame(rows), "label", 2, repeats=3)
    assert read(three, "fold") == read(three, names)
    whole = sf.kfold(three, "label", 2)
    assert read(whole, "fold") == read(whole, ["fold"])
