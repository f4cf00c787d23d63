"""`extend`: new rows get a fold or a part, old rows keep theirs; `where` says which new ones."""

import datetime as dt
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import (
    Make,
    at_fault,
    eager,
    make,
    refuse,
    refuse_rule,
    refused,
    split_groups,
    values,
    warned,
)


def test_floats_of_concat() -> None:
    """The float64 column that `pd.concat` makes is taken, and becomes int64 at its place."""
    old = pd.DataFrame({"label": list("aabbbc") * 10}).strat.kfold("label", k=3)
    joined = pd.concat([old, pd.DataFrame({"label": list("abc") * 10})])
    joined["last"] = 1
    assert joined["fold"].dtype == np.float64
    out = joined.strat.extend("label")
    assert out["fold"].dtype == np.int64
    assert list(out.columns) == list(joined.columns)
    assert out.index.equals(joined.index)
    assert joined["fold"].isna().sum() == 30


TURNS = [{"k": 4}, {"parts": {"a": 0.5, "b": 0.3, "c": 0.2}}, {"by": ["x", "y"], "k": 5}]


@pytest.mark.parametrize("options", TURNS, ids=str)
@given(seed=st.integers(0, 2**32))
def test_strata_take_turns_by_their_keys(options: dict[str, Any], seed: int) -> None:
    """With a key, left-over rows of many small strata are spread alike, whatever their order."""
    drawn = np.random.default_rng(seed)
    x = drawn.integers(0, 12, 60)
    y = drawn.integers(0, 3, 60)
    rows = pl.DataFrame({"x": x, "y": y, "id": range(60)})
    dealt = {name: each for name, each in options.items() if name != "by"}
    known = (sf.split if "parts" in options else sf.kfold)(rows, None, **dealt, name="to")
    given_rows = known.with_columns(to=pl.when(pl.col("id") % 3 > 0).then("to"))
    call = {"by": "x", "key": "id", "name": "to", "rare": "ignore", "seed": seed, **options}
    turned = given_rows.sample(fraction=1, shuffle=True, seed=seed)
    here, there = (sf.extend(each, **call) for each in (given_rows, turned))
    assert there.sort("id").equals(here)


@pytest.mark.parametrize("arguments", [{"rare": "null"}, {"missing": "null", "rare": "ignore"}])
def test_groups_are_known_by_rows_that_are_not_dealt(frame: Make, arguments: Any) -> None:
    """A group stays in the fold of its rows, even if these rows have no stratum."""
    odd = "z" if arguments["rare"] == "null" else None
    data = {"y": [*["a"] * 8, odd, "a"], "g": [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]}
    data["fold"] = [0, 0, 1, 1, 0, 0, 1, 1, 1, None]
    for seed in range(4):
        out = sf.extend(frame(data), "y", 2, groups="g", seed=seed, **arguments)
        assert values(out, "fold")[8:] == [1, 1]
    data["g"] = [0, 0, 1, 1, 2, 2, 3, 3, 2, 4]
    with pytest.raises(sf.StratError, match=r"1 group in 3 rows \(4, 5, 8\) is in several"):
        eager(sf.extend(frame(data), "y", 2, groups="g", **arguments))


def test_sizes_of_margins_stay_within_one() -> None:
    """Margins are extended with even sizes."""
    by = sf.margins(["y", "z"])
    for seed in range(8):
        drawn = np.random.default_rng(seed)
        rows = pd.DataFrame({"y": drawn.integers(0, 4, 60), "z": drawn.integers(0, 2, 60)})
        old = sf.kfold(rows[:50], by, 4)

        extended = sf.extend(pd.concat([old, rows[50:]]), by)["fold"]

        assert extended[:50].tolist() == old["fold"].tolist()
        assert np.ptp(np.bincount(extended)) <= 1


TORN = {
    "patient": [1, 2, 1, 3, 3],
    "site": [1, 1, 2, 2, 3],
    "letter": ["x", "x", "y", "y", "z"],
    "x": [0.0, 0.1, 9.0, 9.1, 9.2],
    "fold": [0, 1, 1, 1, None],
    "split": ["u", "v", "v", "u", None],
}
"""Groups that are in two folds, or parts."""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            {"groups": "patient"},
            "`extend` needs each group in one fold, but 1 group in 2 rows (0, 2) is in"
            " several: for instance 1 in folds 0, 1.\n"
            "Hint: make the column with groups, as in `df.strat.kfold(...,"
            " groups='patient')`.",
            id="one_column",
        ),
        pytest.param(
            {"groups": ["site", "letter"], "parts": {"u": 0.5, "v": 0.5}, "name": "split"},
            "`extend` needs each group in one part, but 2 groups in 4 rows (0, 1, 2, 3)"
            " are in several: for instance 1, 'x' in parts 'u', 'v'.\n"
            "Hint: make the column with groups, as in `df.strat.split(..., groups=['site',"
            " 'letter'])`.",
            id="two_columns",
        ),
        pytest.param(
            {"groups": sf.clusters("x", n=2)},
            "`extend` needs each group in one fold, but 1 group in 2 rows (0, 1) is in"
            " several: for instance folds 0, 1.\n"
            "Hint: make the column with groups, as in `df.strat.kfold(...,"
            " groups=sf.clusters(...))`.",
            id="clusters",
        ),
    ],
)
def test_groups_that_are_split_already(arguments: dict[str, Any], message: str) -> None:
    """A group that is in two folds is refused; clusters have no values to name."""
    refuse(message, lambda: sf.extend(pd.DataFrame(TORN), None, **arguments))


def test_rows_of_groups_that_are_split_already(frame: Make, kind: str) -> None:
    """The error holds the rows of the groups that are in two folds."""
    error = refused(lambda: sf.extend(frame(TORN), None, groups="patient"))
    assert at_fault(error, kind) == {"row": [0, 2], "patient": [1, 1], "fold": [0, 1]}


def test_by_is_asked_for() -> None:
    """`by` must be given, as leaving it out would make new rows uneven without a word."""
    with pytest.raises(TypeError, match="by"):
        sf.extend(pd.DataFrame({"fold": [0, 1, None]}))  # type: ignore[call-arg]


HOW_MANY = "\nHint: say how many folds there are, as in `k=5`."
NEVER_TESTED = (
    "Column 'fold' must hold folds, but has -1, which scikit-learn's `PredefinedSplit` never tests."
    "\nHint: replace -1 with null; `extend` then gives these rows a fold."
)
OF_PARTS = '\nHint: if it holds parts, give their shares, as in `parts={"train": 0.8, ...}`.'


@pytest.mark.parametrize(
    ("folds", "k", "rows", "message"),
    [
        pytest.param(
            [0, 1, 2.5, None],
            None,
            [2],
            "`extend` needs folds 0..k-1 in 'fold', but found 2.5 in 1 row (2).",
            id="fraction",
        ),
        pytest.param(
            [0, 2, float("inf"), 1],
            3,
            [2],
            "`extend` needs folds 0..2 in 'fold', but found inf in 1 row (2).",
            id="infinity",
        ),
        pytest.param(
            [0, 3, 1, 7],
            3,
            [1, 3],
            "`extend` needs folds 0..2 in 'fold', but found 3, 7 in 2 rows (1, 3).",
            id="numbers_from_k_up",
        ),
        pytest.param(
            [0, -2, 1, -1],
            2,
            [1, 3],
            "`extend` needs folds 0..1 in 'fold', but found -2, -1 in 2 rows (1, 3).",
            id="other_negative_numbers",
        ),
        pytest.param(
            [0, 3, None],
            None,
            [],
            f"`extend` needs folds 0..k-1 in 'fold', but found 0, 3.{HOW_MANY}",
            id="gaps",
        ),
        pytest.param(
            [None] * 3,
            None,
            [],
            f"`extend` needs folds 0..k-1 in 'fold', but found none.{HOW_MANY}",
            id="no_folds",
        ),
        pytest.param(
            [0, 0, None],
            None,
            [],
            f"`extend` needs folds 0..k-1 in 'fold', but found 0.{HOW_MANY}",
            id="one_fold",
        ),
        pytest.param(
            [0, 10000000000000.0, None],
            None,
            [],
            f"`extend` needs folds 0..k-1 in 'fold', but found 0, 10000000000000.{HOW_MANY}",
            id="huge_number",
        ),
        pytest.param([0, -1, 1, None], 2, [1], NEVER_TESTED, id="never_tested"),
        pytest.param(["0", "-1", "1", None], None, [1], NEVER_TESTED, id="never_tested_as_text"),
    ],
)
def test_columns_that_hold_other_numbers(
    frame: Make, kind: str, folds: list[Any], k: int | None, rows: list[int], message: str
) -> None:
    """A column that holds other numbers than folds is refused, with the rows at fault."""
    df = frame({"label": ["a"] * len(folds), "fold": folds})

    error = refuse(message, lambda: sf.extend(df, "label", k, rare="ignore"))

    if rows:
        assert at_fault(error, kind)["row"] == rows
    else:
        assert error.failures is None


def test_text_and_dates_are_no_folds(frame: Make) -> None:
    """Text is refused, and may be parts; dates are refused."""
    dates = [dt.datetime(2020, 1, 1)] * 3
    for column, hint in ((["x", "y", None], OF_PARTS), (dates, "")):
        df = frame({"label": list("aba"), "fold": column})
        dtype = eager(df)["fold"].dtype
        fault = f"`extend` needs folds 0..k-1 in 'fold', but it is {dtype}.{hint}"
        refuse(fault, lambda df=df: sf.extend(df, "label", 2))


def test_lazy_reads_no_data() -> None:
    """A lazy frame stays lazy, and its fold column becomes Int64."""
    data = pl.LazyFrame({"label": list("abab"), "fold": [0.0, 1.0, None, None]})
    out = sf.extend(data, "label", rare="ignore")
    assert out.collect_schema()["fold"] == pl.Int64
    assert sorted(out.collect()["fold"].to_list()) == [0, 0, 1, 1]


class Whole:
    """An algorithm whose clusters are the values, if it is given all seven rows."""

    def fit_predict(self, features: np.ndarray) -> np.ndarray:
        return features[:, 0].astype(int) if len(features) == 7 else np.arange(len(features)) % 2


def test_clusters_as_groups_are_those_of_all_rows(frame: Make) -> None:
    """Clusters are found on all rows, so that rows which are not dealt change no old fold."""
    rows = {"label": [*"aba", None, *"bab"], "x": [1.0, 2.0, 1.0, 1.0, 2.0, 2.0, 3.0]}
    rows["fold"] = [0, 1, 0, None, None, None, None]
    groups = sf.clusters(["x"], algorithm=Whole(), scale=None)
    out = sf.extend(frame(rows), "label", groups=groups, missing="null", rare="ignore")
    assert values(out, "fold")[:6] == [0, 1, 0, None, 1, 1]


PARTS = {"train": 0.6, "valid": 0.2, "test": 0.2}
GROWN = {
    "y": ["a"] * 40 + ["b"] * 20 + ["a", "b", "c"] * 10,
    "who": [i // 3 if i < 60 else 18 + (i - 60) // 2 for i in range(90)],
}


def parted(kind: str, groups: Any = None) -> Any:
    """Deal the first 60 rows to parts, and the others, which have a new class, to none."""
    old = sf.split(pl.DataFrame(GROWN).head(60), "y", PARTS, groups=groups)
    return make(kind, {**GROWN, "split": [*old["split"], *[None] * 30]})


@pytest.mark.parametrize(
    ("by", "options", "within"),
    [
        pytest.param("y", {"parts": PARTS}, 1, id="strata"),
        pytest.param(None, {"parts": PARTS}, 1, id="no_strata"),
        pytest.param(sf.margins(["y"]), {"parts": PARTS}, 1, id="margins"),
        pytest.param("y", {"parts": PARTS, "groups": "who"}, 6, id="groups"),
        pytest.param(sf.margins(["y"]), {"parts": PARTS, "groups": "who"}, 6, id="groups_margins"),
        pytest.param("y", {}, 1, id="shares_of_the_old_rows"),
    ],
)
def test_parts_are_filled(kind: str, by: Any, options: dict[str, Any], within: int) -> None:
    """No row moves, every row has a part, and sizes come close to the shares."""
    df = parted(kind, options.get("groups"))
    if kind == "polars-lazy" and "parts" not in options:
        df = df.with_columns(pl.col("split").cast(pl.Enum(list(PARTS))))
    filled = sf.extend(df, by, rare="ignore", name="split", **options)
    after = values(filled, "split")
    assert after[:60] == values(df, "split")[:60]
    sizes = np.array([after.count(part) for part in PARTS])
    assert sizes.sum() == 90
    assert np.abs(sizes - [54, 18, 18]).max() <= within
    assert "groups" not in options or not split_groups(GROWN["who"], after)


def test_types_and_order_of_parts() -> None:  # a lazy column of text needs `parts`
    """The column becomes a categorical, whose parts are in their order; parts of text by use."""
    frames = (parted(kind) for kind in ("polars", "pandas"))
    polars, pandas = (sf.extend(df, "y", rare="ignore", name="split")["split"] for df in frames)
    assert polars.dtype == pl.Enum(list(PARTS))
    assert pandas.cat.categories.tolist() == list(PARTS)


def test_several_columns(frame: Make) -> None:
    """The columns of repeats are extended each by itself, in their places."""
    data = {"y": ["a", "b"] * 20, "z": range(40)}
    df = sf.kfold(frame(data), "y", 4, repeats=3)
    names = ["fold_1", "fold_2", "fold_3"]
    given = {name: enumerate(values(df, name)) for name in names}
    holes = {name: [None if i % 5 == 0 else f for i, f in each] for name, each in given.items()}
    gaps = frame({"y": data["y"], **holes, "z": data["z"]})
    filled = sf.extend(gaps, "y", name=names)
    assert list(eager(filled).columns) == ["y", *names, "z"]
    for name in names:
        one = sf.extend(gaps, "y", name=name)
        assert values(filled, name) == values(one, name)
        assert np.bincount(values(filled, name)).tolist() == [10] * 4


def test_counts_that_old_rows_rule_out(frame: Make) -> None:
    """A part of which more rows are asked than new ones can give is a warning."""
    df = frame({"label": ["a", "b"] * 8, "split": ["test"] * 2 + ["train"] * 10 + [None] * 4})

    found = warned(
        "Rows keep the part that they have: 'test' has 6 rows, not 8.\nHint: set the part of rows"
        " that may move to null before the call.",
        lambda: sf.extend(df, "label", parts={"train": None, "test": 8}, name="split"),
    )

    assert values(found, "split") == ["test"] * 2 + ["train"] * 10 + ["test"] * 4


def test_parts_without_rows() -> None:
    """The share of a part that no row is in cannot be seen."""
    parts = pd.Categorical(["train", None, "train"], categories=["train", "test"])
    df = pd.DataFrame({"y": ["a"] * 3, "split": parts})
    message = (
        "`extend` needs rows in each part to find its share, but there are none in 'test'.\n"
        "Hint: give the shares with `parts=`."
    )
    assert refuse(message, lambda: sf.extend(df, "y", name="split")).failures is None
    filled = sf.extend(df, "y", parts=0.4, name="split", rare="ignore")
    assert filled["split"].tolist() == ["train", "test", "train"]


def test_rows_of_one_part_show_no_shares(kind: str) -> None:
    """A column that holds `test` alone would make every row a test row, which nobody asks for."""
    rows = make(kind, {"y": ["a", "b"] * 10, "split": ["test"] * 4 + [None] * 16})
    message = (
        "`extend` would put all rows into the only part, 'test'.\n"
        "Hint: give the shares, as in `parts=0.2`."
    )
    if kind == "polars-lazy":  # which parts a column holds is only known when it is collected
        message = f"`extend` needs folds 0..k-1 in 'split', but it is String.{OF_PARTS}"
    refuse(message, lambda: sf.extend(rows, "y", name="split"))
    extended = sf.extend(rows, "y", parts=0.2, name="split")
    assert Counter(values(extended, "split")) == {"test": 4, "train": 16}


N = 80
PART = ["train", "train", "train", "test"] * (N // 4)
TRAIN = [part == "train" for part in PART]
HOLDOUT: dict[str, Any] = {
    "y": ["a", "b", "b", "a", "c"] * (N // 5),
    "split": PART,
    "train": TRAIN,
    "who": [row // 2 for row in range(N)],
    "x": [row + 0.5 for row in range(N)],
    "fold": [row % 5 if row < 50 and TRAIN[row] else None for row in range(N)],
}
"""A holdout with folds on its training part, and new rows of both parts."""


@pytest.mark.parametrize("by", ["y", None, ["y", sf.quantiles("x", 2)], sf.margins(["y", "who"])])
def test_other_rows_stay_null(kind: str, by: Any) -> None:
    """Rows of the test part get no fold, and other rows the folds that they get without them."""
    where: Any = pl.col("split") == "train"
    if "pandas" in kind:
        where = lambda df: df["split"] == "train"  # noqa: E731
    df = make(kind, HOLDOUT)
    assert None not in values(sf.extend(df, by, rare="ignore"), "fold")
    after = values(sf.extend(df, by, where=where, rare="ignore"), "fold")
    assert [fold is None for fold in after] == [part == "test" for part in PART]
    kept = [row for row in range(N) if TRAIN[row]]
    alone = make(kind, {name: [cells[row] for row in kept] for name, cells in HOLDOUT.items()})
    assert [after[row] for row in kept] == values(sf.extend(alone, by, rare="ignore"), "fold")


def test_the_column_is_nullable(kind: str) -> None:
    """The column has the type that `kfold` gives it with `where`, even if it is full."""
    df = make(kind, {**HOLDOUT, "train": [True] * N})
    after = eager(sf.extend(df, "y", where="train"))
    again = eager(sf.kfold(df, "y", where="train", overwrite=True))
    assert after["fold"].dtype == again["fold"].dtype
    assert str(after["fold"].dtype) == "Int64"


def test_rows_that_stay_null_are_not_looked_at(frame: Make) -> None:
    """Missing values are an error only in rows that get a fold."""
    data = dict(HOLDOUT)
    for name in ("y", "x"):
        data[name] = [HOLDOUT[name][row] if TRAIN[row] else None for row in range(N)]
    after = values(sf.extend(frame(data), ["y", sf.quantiles("x", 2)], where="train"), "fold")
    assert after.count(None) == N // 4


@pytest.mark.parametrize("row", [1, 61])
def test_errors_name_the_rows_of_the_frame(frame: Make, kind: str, row: int) -> None:
    """Rows at fault are positions in the frame; rows that are not dealt are not looked at."""
    df = frame({**HOLDOUT, "y": [*HOLDOUT["y"][:row], None, *HOLDOUT["y"][row + 1 :]]})

    error = refuse_rule(
        f"Column 'y' has missing values in 1 row ({row}).",
        lambda: sf.extend(df, "y", where="train"),
    )

    assert at_fault(error, kind) == {"row": [row], "y": [None]}


@pytest.mark.parametrize("missing", ["error", "null"])
def test_groups_stay_whole(frame: Make, missing: Any) -> None:
    """New rows join the fold of their group; groups without a fold are placed whole."""
    data = {**HOLDOUT, "train": [row % 8 < 6 for row in range(N)]}
    data["fold"] = [row // 2 % 5 if data["train"][row] and row < 41 else None for row in range(N)]
    odd = None if missing == "null" else "a"
    data["fold"][0], data["y"] = None, ["a", "b", "b", "a"] * (N // 4 - 1) + [odd, "b", "b", "a"]
    found = sf.extend(frame(data), "y", groups="who", where="train", missing=missing)
    after = values(found, "fold")
    assert all(old in (None, new) for old, new in zip(data["fold"], after, strict=True))
    assert after[0] == after[1] == 0
    for who, fold, train in zip(data["who"], after, data["train"], strict=True):
        assert (fold is None) == (not train) or data["y"][who * 2] is None
    assert not split_groups(data["who"], after)


def test_clusters_as_groups(frame: Make) -> None:
    """Clusters are made of the rows that have a fold or get one."""
    train = [row % 4 != 3 for row in range(40)]
    x = [float(row // 4 * 100 + row % 4) if train[row] else None for row in range(40)]
    fold = [row // 4 % 2 if train[row] and row % 4 < 2 else None for row in range(40)]
    df = frame({"x": x, "train": train, "fold": fold})
    after = values(sf.extend(df, None, groups=sf.clusters("x", 10), where="train"), "fold")
    assert after == [row // 4 % 2 if train[row] else None for row in range(40)]


@pytest.mark.parametrize("parts", [None, {"a": 0.5, "b": 0.5}])
def test_parts_stay_null(kind: str, parts: Any) -> None:
    """Rows of a part column that `where` leaves out stay without a part."""
    data = {"y": ["u", "v"] * 20, "new": [row >= 30 for row in range(40)]}
    part = ["a", "a", "b", "b"] * 6 + [None] * 16
    polars = pl.Series(part, dtype=pl.Enum(["a", "b"]))
    pandas = pd.Categorical(part, ["a", "b"])
    df = make(kind, {**data, "part": polars if "polars" in kind else pandas})
    after = values(sf.extend(df, "y", parts=parts, where="new", name="part"), "part")
    assert after[:30] == part[:30]
    assert sorted(after[30:]) == ["a"] * 5 + ["b"] * 5
