"""`kfold` and `split`: the column that they add, whole groups, hashes and expressions."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xxhash
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, StratifiedKFold

import stratframe as sf
from tests.helpers import (
    HALVES,
    ROWS,
    TWO_KINDS,
    Make,
    eager,
    folds_of,
    make,
    peer_folds,
    refuse,
    refuse_now,
    refuse_rule,
    values,
    warned,
)


@pytest.mark.parametrize("verb", [sf.kfold, sf.split])
def test_output_is_there_already(frame: Make, kind: str, verb: Any) -> None:
    """A column that is there already is an error, whose hint can be pasted."""
    drop = "df.drop('id')" if "polars" in kind else "df.drop(columns='id')"

    refuse_now(
        f"The frame has a column 'id' already. `overwrite=True` replaces it.\nHint: df = {drop}",
        lambda: verb(frame(ROWS), "label", name="id"),
    )


def test_some_outputs_are_there_already(frame: Make, kind: str) -> None:
    """Of several columns the error names those that are there, which can then be dropped."""
    df = sf.kfold(frame(ROWS), "label", repeats=2)
    names = ["fold_1", "fold_2"]
    drop = f"df.drop({names})" if "polars" in kind else f"df.drop(columns={names})"

    refuse_now(
        "The frame has columns 'fold_1', 'fold_2' already. `overwrite=True` replaces them.\n"
        f"Hint: df = {drop}",
        lambda: sf.kfold(df, "label", repeats=3),
    )
    dropped = df.drop(names) if "polars" in kind else df.drop(columns=names)
    assert "fold_3" in eager(sf.kfold(dropped, "label", repeats=3)).columns


@pytest.mark.parametrize("by", [None, "label", sf.quantiles("label", 3), sf.continuous("label")])
def test_no_rows_to_deal(frame: Make, by: Any) -> None:
    """A verb that adds a column refuses an empty frame."""
    message = "{} must be at most the number of rows that get a {}, got 2 for 0 rows."
    empty = frame({"label": []})
    refuse(message.format("`k`", "fold"), lambda: sf.kfold(empty, by, 2))
    refuse(message.format("The number of `parts`", "part"), lambda: sf.split(empty, by, HALVES))


def test_many_repeats_fragment_no_frame() -> None:
    """Many repeats are added to a pandas frame without a warning of its fragmentation."""
    frame = pd.DataFrame({"a": [1, 2] * 4}, index=[1, 1, 2, 2, 3, 3, 4, 4])
    frame.attrs = {"source": "here"}
    out = sf.kfold(frame, "a", 2, repeats=120)
    assert out.shape == (8, 121)
    assert out.attrs == frame.attrs
    assert out["fold_1"].tolist() == sf.kfold(frame, "a", 2)["fold"].tolist()


def test_clusters_are_left_out_whole(frame: Make) -> None:
    """`groups=sf.clusters(...)` leaves whole clusters out."""
    x, y = np.random.default_rng(0).normal(size=(2, 240)).tolist()
    df = frame({"label": ["a", "b", "c"] * 80, "x": x, "y": y})
    term = sf.clusters(["x", "y"], 12)
    counts = sf.balance(sf.kfold(df, "label", k=4, groups=term), term)  # clusters are strata
    held = zip(values(counts, "cluster"), values(counts, "n"), strict=True)
    assert {*Counter(cluster for cluster, n in held if n).values()} == {1}


def test_clusters_are_ordered_by_their_points(frame: Make) -> None:
    """Clusters that are the same in every order of the rows get the same folds."""
    x = [100.0 * (i * 7 % 12) + i % 5 for i in range(96)]
    groups = sf.clusters("x", 12, algorithm="agglomerative", scale=None)
    here, there = (folds_of(frame({"x": each}), k=4, groups=groups) for each in (x, x[::-1]))
    assert there == here[::-1]


def test_a_circular_deal_of_clusters_draws_nothing() -> None:
    """With `deal="circular"` the seed changes no fold of clusters."""
    x, y = np.random.default_rng(0).normal(size=(2, 60))
    df = pd.DataFrame({"x": x, "y": y})
    term = sf.clusters(["x", "y"], 3)
    folds = [folds_of(df, term, deal="circular", seed=seed) for seed in range(3)]
    assert folds[0] == folds[1] == folds[2]


LABELS = st.lists(st.sampled_from("abcd"), min_size=12, max_size=60)


@given(labels=LABELS, k=st.integers(2, 7), seed=st.integers(0, 9))
def test_contiguous_folds_are_those_of_scikit_learn(labels: list[str], k: int, seed: int) -> None:
    """Contiguous folds are those of scikit-learn; along a column, pieces of the sorted rows."""
    order = np.random.default_rng(seed).permutation(len(labels))
    frame = pl.DataFrame({"label": labels, "x": order})
    deal = {"deal": "contiguous"}
    assert folds_of(frame, None, k, seed=seed, **deal) == peer_folds(KFold(k), labels, None)
    pieces = enumerate(np.array_split(np.argsort(order), k))
    expected = sorted((row, fold) for fold, rows in pieces for row in rows)
    assert folds_of(frame, sf.continuous("x"), k, **deal) == [fold for _, fold in expected]
    if max(map(labels.count, labels)) >= k:
        theirs = peer_folds(StratifiedKFold(k), labels, None)
        assert folds_of(frame, "label", k, **deal) == theirs


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"a": 0.8, "b": 0.2}, "aaaaaaaab"),
        ({"a": 0.2, "b": 0.8}, "aabbbbbbb"),
        ({"a": 0.7, "b": 0.2, "c": 0.1}, "aaaaaaaaaabbbc"),
        ({"a": 0.7, "b": 0.2, "c": 0.1}, "aaaaaaaaaaaaabbbbc"),
        ({"a": 3, "b": None, "c": 2}, "aaabbbbbcc"),
    ],
)
def test_left_over_rows_of_stretches(parts: dict[str, Any], expected: str) -> None:
    """In a contiguous deal the first parts take the rows that are left over."""
    rows = pd.DataFrame({"x": range(len(expected))})

    dealt = sf.split(rows, parts=parts, deal="contiguous", seed=None)

    assert "".join(dealt["split"]) == expected


def test_shares_are_listed_by_use() -> None:
    """`check` lists train first; all tables, and `parts`, keep the order of the categories."""
    text = pd.DataFrame({"y": [*"ab"] * 10}).strat.split("y")["split"].astype("str")
    df = pd.DataFrame({"y": [*"ab"] * 10, "split": text.astype("category")})

    assert "sizes: train 0.8, test 0.2" in str(sf.check(df, "y", "split", duplicates=None))
    assert [*sf.parts(df)] == ["test", "train"]


def test_shares_of_other_parts_keep_their_order() -> None:
    """If a part has a name of its own, the parts are listed as the call named them."""
    df = sf.split(pd.DataFrame({"y": [*"ab"] * 10}), "y", {"foo": 0.8, "test": 0.2})

    assert "sizes: foo 0.8, test 0.2" in str(sf.check(df, "y", "split", duplicates=None))


GRADES = ["low", "mid", "high", "top"]


def ordered(kind: str, values: list[str]) -> Any:
    """A frame of grades, whose categories have an order that is not that of letters."""
    if kind == "polars-lazy":
        return pl.LazyFrame({"grade": pl.Series(values, dtype=pl.Enum(GRADES))})
    return pd.DataFrame({"grade": pd.Categorical(values, GRADES, ordered=True)})


def test_stretches_by_ordered_categories(kind: str) -> None:
    """A contiguous deal cuts along a key in the order of its categories; a text key by letters."""
    df = ordered(kind, ["top", "low", "high", "mid"])
    dealt = sf.kfold(df, k=2, key="grade", deal="contiguous")
    assert values(dealt, "fold") == [1, 0, 1, 0]

    text = pl.DataFrame({"grade": ["top", "low", "high", "mid"]})
    assert sf.kfold(text, k=2, key="grade", deal="contiguous")["fold"].to_list() == [1, 0, 0, 1]


def test_stretches_by_two_keys(kind: str) -> None:
    """With several keys, ordered categories come in their order and other keys by value."""
    df = ordered(kind, ["high", "low", "high", "low"])
    place = [1, 10, 0, 9]
    if isinstance(df, pl.LazyFrame):
        df = df.with_columns(place=pl.Series(place))
    else:
        df = df.assign(place=place)
    dealt = sf.kfold(df, k=4, key=["grade", "place"], deal="contiguous")
    assert values(dealt, "fold") == [3, 1, 2, 0]


class Place:
    """An object that equals another of the same name, and has no other value."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


UNHASHED: dict[str, list[Any]] = {
    "mixed": [1, "one", 2, "two", 3, "three"],
    "objects": [Place(name) for name in "abcdef"],
    "sets": [frozenset(name) for name in "abcdef"],
    "complex": [complex(i, 1) for i in range(6)],
    "surrogates": ["\ud800", *"abcde"],
}


@pytest.mark.parametrize("case", UNHASHED)
def test_groups_that_cannot_be_hashed_come_in_order(case: str) -> None:
    """Groups of values that cannot be hashed are dealt in the order in which they appear."""
    rows = [i * i % 6 for i in range(36)] + list(range(6))
    who = pd.Series([UNHASHED[case][row] for row in rows], dtype=object)
    frame = pd.DataFrame({"who": who, "row": rows})
    folds = sf.kfold(frame, k=3, groups="who")["fold"]
    assert folds.groupby(frame["row"]).nunique().max() == 1
    renamed = pd.DataFrame({"who": [Place(f"other {row}") for row in rows]})
    assert folds.tolist() == sf.kfold(renamed, k=3, groups="who")["fold"].tolist()


def test_intervals_are_groups_by_their_text() -> None:
    """Intervals of pandas get the folds of their text, whatever the order of the rows."""
    frame = pd.DataFrame({"x": [i * 37 % 101 for i in range(90)]})
    frame["cut"] = pd.cut(frame["x"], 9)
    frame["plain"] = frame["cut"].astype("interval[float64, right]")
    frame["text"] = frame["cut"].astype(str)
    by_text = sf.kfold(frame, k=3, groups="text")["fold"]
    assert sf.kfold(frame, k=3, groups="plain")["fold"].tolist() == by_text.tolist()
    turned = sf.kfold(frame[::-1], k=3, groups="cut")["fold"]
    assert turned[::-1].tolist() == by_text.tolist()


def test_repeats_of_parts_round_anew() -> None:
    """Where a stratum's share is no whole number, its rows in a part average to it."""
    df = pd.DataFrame({"label": list("aaabbbbbbb")})
    out = sf.split(df, "label", {"train": 0.5, "test": 0.5}, rare="ignore", repeats=400)
    counts = [int((out[name][:3] == "test").sum()) for name in out.columns if name != "label"]
    assert set(counts) == {1, 2}
    assert abs(np.mean(counts) - 1.5) < 4 * 0.5 / 400**0.5


# `deal="hash"`: the key of a row decides its fold, and nothing else.
USERS = [f"user {i * 37 % 60}" for i in range(150)]
KEYED = {"user": USERS, "id": list(range(-40, 110)), "ok": [i % 3 > 0 for i in range(150)]}
BY_USER = {"key": "user", "deal": "hash"}
MANY = pl.DataFrame({"id": range(100_000)})


def share_of_hashes(*key, seed=0, name="", purpose=17, repeat=0):
    """Hash a key as the documentation says, and give its share of all hashes."""
    text = f"{seed} {purpose} 0 {repeat} {name}"
    entropy = [int.from_bytes(text.encode() + b"\x01", "little"), 0xFFFFFFF0]
    u = 42
    for word in (np.random.PCG64DXSM(np.random.SeedSequence(entropy)).random_raw(), *key):
        is_text = isinstance(word, str)
        data = word.encode() if is_text else (int(word) % 2**64).to_bytes(8, "little")
        u = xxhash.xxh64_intdigest(data, seed=u)
    return u


@pytest.mark.parametrize("k", [7, 1000])
def test_folds_are_those_of_the_published_formula(frame, k):
    """The fold of a row is floor(u k / 2**64), u the hash of its key."""
    folds = values(sf.kfold(frame(KEYED), k=k, **BY_USER), "fold")
    assert folds == [share_of_hashes(user) * k >> 64 for user in USERS]
    folds = values(sf.kfold(frame(KEYED), k=k, key="id", deal="hash"), "fold")
    assert folds == [share_of_hashes(number) * k >> 64 for number in KEYED["id"]]


SALTS: list[tuple[dict[str, Any], dict[str, dict[str, Any]]]] = [
    ({"seed": 2**70}, {"fold": {"seed": 2**70}}),
    ({"name": "inner"}, {"inner": {"name": "inner"}}),
    ({"name": "split"}, {"split": {}}),
    ({"repeats": 3}, {f"fold_{repeat + 1}": {"repeat": repeat} for repeat in range(3)}),
]


@pytest.mark.parametrize(("options", "salts"), SALTS)
def test_seed_name_and_repeat_are_in_the_formula(options, salts):
    """The seed, the name and the number of the repeat change the hash; default names do not."""
    folded = sf.kfold(pl.DataFrame(KEYED), key=["id", "user"], deal="hash", **options)
    keys = [*zip(KEYED["id"], USERS, strict=True)]
    for name, salt in salts.items():
        assert folded[name].to_list() == [share_of_hashes(*key, **salt) * 5 >> 64 for key in keys]


def test_parts_are_those_of_the_published_formula(frame):
    """A row goes to the first part whose cumulative share exceeds the row's share of all hashes."""
    shares = {"train": 0.5, "valid": 0.25, "test": None}
    parts = values(sf.split(frame(KEYED), parts=shares, **BY_USER), "split")
    hashes = [share_of_hashes(user, purpose=18) for user in USERS]
    names = ["train", "train", "valid", "test"]
    assert parts == [names[u >> 62] for u in hashes]


@given(rows=st.lists(st.integers(0, 149)), kind=st.sampled_from(TWO_KINDS))
@example(rows=[], kind="pandas")
@example(rows=[], kind="polars-lazy")
def test_any_rows_alone_have_the_same_folds(rows, kind):
    """The fold of a key depends on no other row, on no order and on no library."""
    known = dict(zip(USERS, values(sf.kfold(pl.DataFrame(KEYED), **BY_USER), "fold"), strict=True))
    users = [USERS[row] for row in rows]
    data = pl.Series(users, dtype=pl.String) if kind.startswith("polars") else users
    alone = sf.kfold(make(kind, {"user": data}), **BY_USER)
    assert values(alone, "fold") == [known[user] for user in users]


def test_a_wider_test_part_keeps_the_old_test_rows():
    """With the training part first, test rows stay test rows as the part grows."""
    shares = (0.05, 0.1, 0.25, 0.5)
    options = {"key": "id", "deal": "hash"}
    tests = [{*sf.parts(sf.split(MANY, parts=share, **options))["test"]["id"]} for share in shares]
    assert all(less < more for less, more in pairwise(tests))


def test_where_leaves_rows_out(frame):
    """Rows outside `where` have no fold, may lack a key, and change nothing."""
    users = [user if ok else None for user, ok in zip(USERS, KEYED["ok"], strict=True)]
    folds = values(sf.kfold(frame({**KEYED, "user": users}), where="ok", **BY_USER), "fold")
    full = values(sf.kfold(frame(KEYED), **BY_USER), "fold")
    assert folds == [fold if ok else None for fold, ok in zip(full, KEYED["ok"], strict=True)]


def test_lazy_frames_stream(tmp_path):
    """A lazy frame gets one expression that works row by row, so that the query streams."""
    MANY.write_parquet(tmp_path / "in.parquet")
    query = pl.scan_parquet(tmp_path / "in.parquet").unique().strat.kfold(key="id", deal="hash")
    plan = query.explain()
    assert plan.count("python_udf") == 1
    assert "HCONCAT" not in plan
    query.sink_parquet(tmp_path / "out.parquet")
    streamed = pl.read_parquet(tmp_path / "out.parquet").sort("id")
    assert streamed.equals(MANY.strat.kfold(key="id", deal="hash"))


def test_missing_keys_are_errors(kind):
    """A missing key is an error that names the row; in a lazy frame it names only the column."""
    data = make(kind, {"user": ["a", None, "b", None], "ok": [True, True, True, False]})
    for where, rows in ((None, " in 2 rows (1, 3)"), ("ok", " in 1 row (1)")):
        rule = f"Column 'user' has missing values{'' if kind == 'polars-lazy' else rows}."
        refuse_rule(rule, lambda where=where: sf.kfold(data, k=2, where=where, **BY_USER))


@pytest.mark.parametrize(
    ("expression", "rule"),
    [
        pytest.param(
            pl.struct("gaps", "y").strat.kfold(2),
            "Column 'gaps' has missing values in 1 row (1).",
            id="missing_values",
        ),
        pytest.param(
            pl.col("far").strat.split(),
            "Column 'far' has infinite values in 1 row (2).",
            id="infinite_values",
        ),
        pytest.param(
            pl.col("y").strat.kfold(5),
            "`k` must be at most the number of rows that get a fold, got 5 for 4 rows.",
            id="more_folds_than_rows",
        ),
        pytest.param(
            pl.struct("y", "tags").strat.kfold(2),
            "A column must hold single values, but 'tags' is List(String).",
            id="lists",
        ),
    ],
)
def test_data_of_expressions(expression: pl.Expr, rule: str) -> None:
    """The error of an expression begins with the rule that the data break."""
    data = {"y": ["a"] * 4, "gaps": [1, None, 1, 1], "far": [1.5, 2.5, float("inf"), 3.5]}
    frame = pl.DataFrame({**data, "tags": [["t"]] * 4})

    for each in (frame, frame.lazy()):
        refuse_rule(rule, lambda each=each: each.with_columns(expression))


def test_expressions_of_no_rows() -> None:
    """An expression refuses a frame without rows, as a verb does."""
    empty = pl.DataFrame({"y": []}, schema={"y": pl.String})

    refuse_rule(
        "`k` must be at most the number of rows that get a fold, got 2 for 0 rows.",
        lambda: empty.with_columns(pl.col("y").strat.kfold(2)),
    )


def test_each_group_of_over_starts_anew() -> None:
    """Inside `.over` each group is dealt alone with the same draws: sizes add up unevenly."""
    rows = {"city": [f"city {row // 6}" for row in range(600)], "y": ["well", "ill", "well"] * 200}
    fold = pl.col("y").strat.kfold(k=5, rare="ignore").over("city")

    counts = pl.DataFrame(rows).with_columns(fold)["fold"].value_counts()["count"]

    assert counts.sort().to_list() == [100, 100, 100, 100, 200]


Y = pl.col("y")


@pytest.mark.parametrize("expr", [Y, pl.struct("y", "x"), Y.cast(pl.Categorical)])
def test_warnings_inside_over_name_the_column(expr: pl.Expr) -> None:
    """A warning of an expression inside `.over` names the column, as one outside does."""
    frame = pl.DataFrame({"y": ["a"] * 8 + ["b"], "x": [1] * 9, "all": [0] * 9})
    fold = expr.strat.kfold(k=3).over("all")
    message = (
        "1 class of 'y' has fewer rows than there are folds (3): 'b' (1 row).\n"
        "Hint: `df.strat.advise('y')` shows what each k does to it; "
        '`rare="ignore"` silences this warning.'
    )
    for each in (frame, frame.lazy()):
        warned(message, lambda each=each: each.with_columns(fold))


@pytest.mark.parametrize("by", [Y, pl.struct("x", "y")])
def test_errors_inside_over_name_the_column(by: pl.Expr) -> None:
    """An error of an expression inside `.over` names the column."""
    frame = pl.DataFrame({"y": ["a", None, "a", "a"], "x": [1] * 4, "all": [0] * 4})
    fold = by.strat.kfold(k=2).over("all")
    refuse_rule("Column 'y' has missing values in 1 row (1).", lambda: frame.with_columns(fold))
