"""`extend` of part columns and of several columns: given rows stay, shares are met."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from stratframe.core.fill import fill_by_shares
from tests.helpers import Make, eager, make, refuse, refuse_now, split_groups, values

PARTS = {"train": 0.6, "valid": 0.2, "test": 0.2}
OLD = {"y": ["a"] * 40 + ["b"] * 20, "who": [i // 3 for i in range(60)]}


def grown(kind: str, column: list[Any], n_new: int = 30) -> Any:
    """A frame with a part column and new rows that have no part."""
    new = {"y": ["a", "b", "c"] * (n_new // 3), "who": [18 + i // 2 for i in range(n_new)]}
    return make(kind, {name: OLD[name] + new[name] for name in OLD} | {"split": column})


def parted(kind: str = "polars") -> list[Any]:
    """The parts of the old rows, and nulls for the new."""
    return [*values(sf.split(make(kind, OLD), "y", PARTS), "split"), *[None] * 30]


@pytest.mark.parametrize("by", ["y", None, sf.margins(["y"])])
@pytest.mark.parametrize("groups", [None, "who"])
@pytest.mark.parametrize("parts", [PARTS, None])
def test_parts_are_filled(kind: str, by: Any, groups: Any, parts: Any) -> None:
    """No row moves, every row has a part, and sizes come close to the shares."""
    before = parted()
    if groups:
        whole = sf.split(make("polars", OLD), "y", PARTS, groups="who")
        before = [*values(whole, "split"), *[None] * 30]
    df = grown(kind, before)
    if kind == "polars-lazy" and parts is None:
        df = df.with_columns(pl.col("split").cast(pl.Enum(list(PARTS))))
    after = values(
        sf.extend(df, by, parts=parts, groups=groups, rare="ignore", name="split"), "split"
    )
    assert after[:60] == before[:60]
    assert None not in after
    sizes = np.array([after.count(part) for part in PARTS])
    shares = np.array([0.6, 0.2, 0.2])
    if groups is None:
        assert np.abs(sizes - 90 * shares).max() <= 1
    else:
        assert not split_groups(values(df, "who"), after)
        assert np.abs(sizes - 90 * shares).max() <= 6


@pytest.mark.parametrize("kind", ["pandas", "polars"])  # a lazy column of text needs `parts`
def test_types_and_order_of_parts(kind: str) -> None:
    """The column becomes a categorical of the parts in their order; text in that of purpose."""
    text = grown(kind, parted())
    filled = eager(sf.extend(text, "y", rare="ignore", name="split"))
    if "polars" in kind:
        assert filled["split"].dtype == pl.Enum(list(PARTS))
    else:
        assert filled["split"].cat.categories.tolist() == list(PARTS)


@given(
    st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=6), st.data()
)
def test_strata_are_as_near_as_they_can_be(held: list[list[int]], data: st.DataObject) -> None:
    """New rows go where the share is least filled: moving one of them makes no stratum nearer."""
    table = np.array(held)
    new = np.array(data.draw(st.lists(st.integers(0, 12), min_size=len(held), max_size=len(held))))
    shares = np.array(
        data.draw(st.sampled_from([[0.6, 0.2, 0.2], [0.5, 0.25, 0.25], [0.8, 0.1, 0.1]]))
    )
    words = np.random.default_rng(0).integers(0, 2**63, len(new)).astype(np.uint64)
    added = fill_by_shares(table, new, shares, words)
    assert (added >= 0).all()
    np.testing.assert_array_equal(added.sum(axis=1), new)
    # Every cell is within a row of what fractions of rows would make best.
    for row, total, cells in zip(table, new, added, strict=True):
        low, high = 0.0, (row.sum() + total) / shares.min() + 1
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (
                (middle, high)
                if np.maximum(middle * shares - row, 0).sum() < total
                else (low, middle)
            )
        due = np.maximum(high * shares - row, 0)
        assert np.abs(cells - due).max() < 1 + 1e-6


def test_several_columns(frame: Make) -> None:
    """The columns of repeats are extended each by itself, in their places."""
    df = sf.kfold(frame({"y": ["a", "b"] * 20, "z": range(40)}), "y", 4, repeats=3)
    names = ["fold_1", "fold_2", "fold_3"]
    holes = {
        name: [None if i % 5 == 0 else f for i, f in enumerate(values(df, name))] for name in names
    }
    gaps = frame({"y": ["a", "b"] * 20, **holes, "z": range(40)})
    filled = sf.extend(gaps, "y", name=names)
    assert list(eager(filled).columns) == ["y", *names, "z"]
    for name in names:
        one = sf.extend(gaps, "y", name=name)
        assert values(filled, name) == values(one, name)
        assert np.bincount(values(filled, name)).tolist() == [10] * 4


def test_parts_without_rows() -> None:
    """The share of a part that no row is in cannot be seen."""
    series = pd.Categorical(["train", None, "train"], categories=["train", "test"])
    df = pd.DataFrame({"y": ["a"] * 3, "split": series})
    message = (
        "`extend` needs rows in each part to see its share, but there are none in 'test'."
        "\nHint: give the shares, as in `parts=`."
    )
    refuse_now(message, lambda: sf.extend(df, "y", name="split"))
    filled = sf.extend(df, "y", parts=0.4, name="split", rare="ignore")
    assert filled["split"].tolist() == ["train", "test", "train"]


def test_rows_of_one_part_show_no_shares(kind: str) -> None:
    """A column that holds `test` alone would make every row a test row, which nobody asks for."""
    rows = make(kind, {"y": ["a", "b"] * 10, "split": ["test"] * 4 + [None] * 16})
    message = "`extend` would put all rows into the only part, 'test'.\n"
    message += "Hint: give the shares, as in `parts=0.2`."
    if kind == "polars-lazy":  # which parts a column holds is only known when it is collected
        message = "`extend` needs folds 0..k-1 in 'split', but it is String.\n"
        message += 'Hint: if it holds parts, give their shares, as in `parts={"train": 0.8, ...}`.'
    refuse(message, lambda: sf.extend(rows, "y", name="split"))
    extended = sf.extend(rows, "y", parts=0.2, name="split")
    assert Counter(values(extended, "split")) == {"test": 4, "train": 16}
