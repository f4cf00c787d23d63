"""Orders by nearness, against the papers, and features of every kind."""

import datetime as dt
import io
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pandera.errors
import polars as pl
import pytest

import stratframe as sf
from stratframe.core.order import shuffled
from stratframe.core.seeds import StreamTag, random_words
from stratframe.terms import neighbours
from tests.helpers import Make, at_fault, columns_of, eager, make, refuse, refuse_now, values
from tests.terms.clouds import FEATURE_ROWS, FEATURES, cloud, points_of, round_robin

TERMS = [sf.clusters, sf.chain, sf.nearest]


def name_of(term: Callable[..., Any]) -> str:
    """The term as messages show it."""
    return f"sf.{term.__name__}"


# The strategies of the papers -----------------------------------------------------------


def drawn_rows(data: dict[str, Any], k: int) -> list[list[int]]:
    """The rows of every class in the order that the seed draws."""
    codes = np.array([int(label[1]) for label in dict.fromkeys(data["label"])])
    classes = np.array([codes.tolist().index(int(label[1])) for label in data["label"]])
    rows = shuffled(classes, 3, random_words(0, StreamTag.FOLD_ROWS, len(classes), k))
    return [rows[classes[rows] == code].tolist() for code in range(3)]


def db_scv(data: dict[str, Any], k: int) -> list[int]:
    """DB-SCV as Zeng and Martinez have it, class after class from a drawn row."""
    points, rows = points_of(data), []
    for own in drawn_rows(data, k):
        here, left = own[0], set(own[1:])
        rows.append(here)
        while left:
            near = np.linalg.norm(points - points[here], axis=1)
            here = min(left, key=lambda row: near[row])
            left.remove(here)
            rows.append(here)
    return rows


def dob_scv(data: dict[str, Any], k: int) -> list[list[int]]:
    """The blocks of DOB-SCV as Moreno-Torres et al. have it, class after class."""
    points, blocks = points_of(data), []
    for own in drawn_rows(data, k):
        left = list(own)
        while left:
            near = np.linalg.norm(points - points[left[0]], axis=1)
            block = sorted(left, key=lambda row: near[row])[:k]
            left = [row for row in left if row not in block]
            blocks.append(block)
    return blocks


def test_db_scv(frame: Make) -> None:
    """In every class a chain goes from a drawn row to the nearest row, and round the folds."""
    data = cloud()
    by = ["label", sf.chain(FEATURES, scale=None)]
    folds = values(sf.kfold(frame(data), by, 5, deal="circular"), "fold")
    assert folds == round_robin(db_scv(data, 5), 5)


@pytest.mark.parametrize("k", [2, 4])
def test_dob_scv(frame: Make, k: int) -> None:
    """A drawn row and its k - 1 nearest of those left in the class are in k folds."""
    data = cloud()
    by = ["label", sf.nearest(FEATURES, scale=None)]
    blocks = dob_scv(data, k)
    folds = values(sf.kfold(frame(data), by, k), "fold")
    assert all(len({folds[row] for row in block}) == len(block) for block in blocks)
    assert any(folds[block[0]] != 0 for block in blocks)
    circular = values(sf.kfold(frame(data), by, k, deal="circular"), "fold")
    assert circular == round_robin([row for block in blocks for row in block], k)


@pytest.mark.parametrize("kind", ["pandas", "polars-lazy"])
def test_twins_part(kind: str) -> None:
    """Twins, far from all others, are always in different folds."""
    order = np.random.default_rng(0).permutation(40).tolist()
    data = {"x": [10.0 * (row // 2) + 0.1 * (row % 2) for row in order]}
    for seed in range(20):
        folds = values(sf.kfold(make(kind, data), sf.nearest("x"), 2, seed=seed), "fold")
        by_row = dict(zip(order, folds, strict=True))
        assert all(by_row[row] != by_row[row + 1] for row in range(0, 40, 2))


# Features -------------------------------------------------------------------------------


def test_features_of_any_numeric_type(kind: str) -> None:
    """Integers, booleans and floats, nullable or not, are features of the same value."""
    x, flag = [1, 5, 2, 7, 3, 9, 4, 8], [True, False] * 4
    whole = make(kind, {"x": x, "flag": flag})
    floats = make(kind, {"x": [float(v) for v in x], "flag": [float(v) for v in flag]})
    for term in TERMS:
        by = term(["x", "flag"])
        here, there = (values(sf.kfold(each, by, 3), "fold") for each in (whole, floats))
        assert here == there


def test_features_may_be_computed() -> None:
    """Features are expressions on Polars frames and callables on pandas frames, too."""
    data = cloud(40)
    frame, lazy = pd.DataFrame(data), pl.LazyFrame(data)
    for term in TERMS:
        one = sf.kfold(frame, term([lambda df: df["x"] * 2, "y"]), 4)["fold"].tolist()
        two = sf.kfold(lazy, term([pl.col("x") * 2, "y"]), 4).collect()["fold"].to_list()
        assert one == two


@pytest.mark.parametrize("scale", ["standard", "minmax"])
@pytest.mark.parametrize("term", TERMS)
def test_scales_make_units_alike(frame: Make, scale: str, term: Any) -> None:
    """Scaled features count alike, whatever their units; a constant one does not count."""
    data = cloud(60)
    data["one"] = [0.1] * 60
    moved = {**data, "y": [1024 * y for y in data["y"]]}
    more = [*FEATURES, "one"]
    here = values(sf.kfold(frame(data), term(FEATURES, scale=scale), 4), "fold")
    there = values(sf.kfold(frame(moved), term(more, scale=scale), 4), "fold")
    raw = values(sf.kfold(frame(moved), term(FEATURES, scale=None), 4), "fold")
    assert here == there
    assert here != raw


def test_seeds(frame: Make) -> None:
    """A term's own seed starts clusters, whatever that of the call, which starts chains."""
    data = cloud()
    noise = np.random.default_rng(5).normal(size=(200, 3))
    data |= {name: noise[:, place].tolist() for place, name in enumerate(FEATURES)}

    def sizes(seed: int, own: int) -> list[int]:
        term = sf.clusters(FEATURES, 5, seed=own)
        return [n // 4 for n in values(sf.plan(frame(data), term, k=4, seed=seed), "n")]

    assert len({tuple(sorted(sizes(0, own))) for own in range(5)}) > 1
    assert len({tuple(sorted(sizes(seed, 1))) for seed in range(5)}) == 1
    chains = {
        tuple(values(sf.kfold(frame(data), sf.chain("x"), deal="circular", seed=seed), "fold"))
        for seed in range(5)
    }
    assert len(chains) == 5


# Orders ---------------------------------------------------------------------------------


def test_orders_have_no_column(frame: Make) -> None:
    """An entry that orders rows has no column in tables, and makes no strata."""
    data = cloud(30)
    for term in (sf.chain(FEATURES), sf.nearest(FEATURES)):
        assert list(sf.plan(frame(data), ["label", term], 2).columns) == ["label", "fold", "n"]
        assert columns_of(sf.plan(frame(data), term, 2)) == {"fold": [0, 1], "n": [15, 15]}


@pytest.mark.parametrize("deal", ["random", "circular"])
def test_samples_and_parts_along_orders(frame: Make, deal: str) -> None:
    """Parts and samples have their exact sizes along every order, and take rows from all over."""
    data = cloud(100)
    for term in (sf.chain(FEATURES), sf.nearest(FEATURES), sf.clusters(FEATURES, 4)):
        by = ["label", term]
        parts = {"train": 0.8, "test": 0.2}
        found = Counter(values(sf.split(frame(data), by, parts, deal=deal), "split"))
        assert found == {"train": 80, "test": 20}
        assert len(eager(sf.sample(frame(data), by, n=7))) == 7
        assert len(eager(sf.sample(frame(data), by, n=0))) == 0


@pytest.mark.parametrize("deal", ["random", "circular"])
def test_blocks_of_a_split(kind: str, deal: str) -> None:
    """Of ten groups of ten rows each, far apart, a tenth of the rows has one of each group."""
    x = [1_000.0 * (row % 10) + row / 100 for row in range(100)]
    for block in (None, 10):
        by = sf.nearest("x", block)
        out = sf.split(make(kind, {"x": x}), by, {"train": 0.9, "test": 0.1}, deal=deal)
        parts = values(out, "split")
        held = Counter(row % 10 for row in range(100) if parts[row] == "test")
        assert len(held) >= 8


def test_repeats_have_orders_of_their_own() -> None:
    """Repeated columns start their chains anew, and the first is that of one repeat."""
    frame = pl.DataFrame(cloud())
    by = ["label", sf.chain(FEATURES)]
    many = sf.kfold(frame, by, 5, repeats=3, deal="circular")
    assert many["fold_1"].to_list() == sf.kfold(frame, by, 5, deal="circular")["fold"].to_list()
    assert len({tuple(many[f"fold_{i}"]) for i in (1, 2, 3)}) == 3


# Extras and the bar ---------------------------------------------------------------------


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.mark.parametrize("terminal", [True, False])
def test_bar_shows_on_a_terminal_only(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """An order by nearness that takes long shows a bar, but only on a terminal."""
    stream = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(neighbours, "PATIENCE", 0)
    sf.kfold(pl.DataFrame(cloud(50)), sf.chain(FEATURES))
    assert ("50/50" in stream.getvalue()) == terminal


def test_a_short_order_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """An order that is done in less than two seconds shows nothing."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    sf.kfold(pl.DataFrame(cloud(50)), sf.chain(FEATURES))
    assert "50/50" not in stream.getvalue()


def test_orders_need_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains and blocks work without scikit-learn, and without tqdm they show no bar."""
    for module in ("sklearn", "tqdm", "kneed"):
        monkeypatch.setitem(sys.modules, module, None)
    for term in (sf.chain(FEATURES), sf.nearest(FEATURES)):
        assert set(sf.kfold(pl.DataFrame(cloud(50)), term)["fold"]) == set(range(5))


# Bad input ------------------------------------------------------------------------------


@pytest.mark.parametrize("term", TERMS)
def test_arguments_of_all(term: Any) -> None:
    """Features are columns, each once, and scales are known."""
    features = f"`features` of `{name_of(term)}`"
    refuse_now(f"{features} must hold at least one column, got [].", lambda: term([]))
    refuse_now(
        f"{features} must hold each column once, got 'x' twice.", lambda: term(["x", "y", "x"])
    )
    for scale in ("robust", 1, ["standard"]):
        refuse_now(
            f"`scale` of `{name_of(term)}` must be 'standard', 'minmax' or None, got {scale!r}.",
            lambda: term("x", scale=scale),  # noqa: B023 - called at once
        )


@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize(
    ("features", "got"),
    [
        (pd.Index(["x", "y"]), "Index"),
        (np.array(["x", "y"]), "ndarray"),
        ({"x"}, "{'x'}"),
        (None, "None"),
        ([["x", "y"]], "['x', 'y']"),
        ([sf.classes("x")], "sf.classes('x')"),
    ],
)
def test_features_that_are_none(term: Any, features: Any, got: str) -> None:
    """Features that are no columns are refused where the term is made."""
    refuse_now(
        f"`features` of `{name_of(term)}` must be a column or a list of columns, got {got}.\n"
        "Hint: several columns go in a list, as in `list(df.columns)`.",
        lambda: term(features),
    )


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (1, "`block` must be at least 2, got 1."),
        (True, "`block` must be a whole number, got True."),
        ("k", "`block` must be a whole number, got 'k'."),
    ],
)
def test_arguments_of_nearest(block: Any, message: str) -> None:
    """A block is a whole number of rows, at least 2."""
    refuse_now(message, lambda: sf.nearest("x", block))


DATE = dt.date(2020, 1, 1)
OTHER_TYPES = {
    "text": ["p", "1"] * 5,
    "dates": [DATE] * 10,
    "datetimes": [dt.datetime(2020, 1, 1)] * 10,
    "durations": [dt.timedelta(1)] * 10,
}


@pytest.mark.parametrize("column", OTHER_TYPES)
def test_types_of_features(frame: Make, column: str) -> None:
    """A feature that is neither number nor boolean is refused at the call, and a way out named."""
    df = frame({**FEATURE_ROWS, "z": OTHER_TYPES[column]})
    refuse_feature(df, eager(df)["z"].dtype)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["p", "q"] * 5, dtype="category"),
        pd.Series([1, 2] * 5, dtype="category"),
        pd.Series([1j] * 10),
        pl.Series(["p", "q"] * 5, dtype=pl.Categorical),
    ],
    ids=lambda column: str(column.dtype),
)
def test_other_types_of_features(column: Any) -> None:
    """Categories, of numbers too, and complex numbers are no features."""
    df = (pd if isinstance(column, pd.Series) else pl).DataFrame({**FEATURE_ROWS, "z": column})
    refuse_feature(df, column.dtype)


def refuse_feature(df: Any, dtype: Any) -> None:
    """Check that no term takes the column `z` of this type as a feature."""
    for term in TERMS:
        refuse_now(
            f"`{name_of(term)}(['x', 'z'])` needs features of numbers or booleans, but column 'z'"
            f" is {dtype}.\nHint: encode it in columns of numbers, as `pd.get_dummies` and"
            " `DataFrame.to_dummies` do.",
            lambda term=term: sf.kfold(df, term(["x", "z"]), 2),
        )


@pytest.mark.parametrize("scale", ["standard", None])
@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize("missing", ["error", "stratum", "null"])
# pandas 2.2 casts infinities to see whether a column holds integers.
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
def test_values_of_features(frame: Make, kind: str, term: Any, missing: str, scale: Any) -> None:
    """Null, NaN and infinity in features are refused at once; rows of nulls may have no fold."""
    data = {
        "label": ["a", "b", "a", "b", "a"],
        "x": [1.5, None, float("inf"), 4, -float("inf")],
        "y": [1, 2, 3, None, 5],
        "z": [True, False, True, False, True],
    }
    infinite = "Column 'x' has infinite values in 2 rows (2, 4)."
    both = (
        "Column 'x' has missing values in 1 row (1).\n"
        f"{infinite}\n"
        "Column 'y' has missing values in 1 row (3).\n"
        'Hint: drop these rows, or fill the gaps first; in `kfold`, `missing="null"` leaves'
        " their fold null."
    )
    error = refuse(
        infinite if missing == "null" else both,
        lambda: sf.kfold(
            frame(data), ["label", term(["z", "x", "y"], scale=scale)], 2, missing=missing
        ),
    )
    found = at_fault(error, kind)
    rows = [2, 4] if missing == "null" else [1, 2, 3, 4]
    assert found["row"] == rows
    assert found["x"] == [data["x"][row] for row in rows]
    assert found["y"] == [data["y"][row] for row in rows]
    assert isinstance(error.__cause__, pandera.errors.SchemaErrors)


@pytest.mark.parametrize("verb", [sf.report, sf.balance])
def test_values_of_features_in_tables(frame: Make, verb: Callable[..., Any]) -> None:
    """Diagnostics refuse them too."""
    data = {"x": [1.5, None], "fold": [0, 1]}
    refuse(
        "Column 'x' has missing values in 1 row (1).\n"
        'Hint: drop these rows, or fill the gaps first; in `kfold`, `missing="null"` leaves'
        " their fold null.",
        lambda: verb(frame(data), sf.clusters("x", 2)),
    )


@pytest.mark.parametrize("term", TERMS)
def test_unscaled_numbers_whose_squares_overflow(frame: Make, kind: str, term: Any) -> None:
    """Without a scale, numbers that cannot be squared are refused; with one they are fine."""
    data = {"x": [1e300, 1.0, 2.0, -1e300], "y": [1.0, 2.0, 4.0, 3.0]}
    error = refuse(
        "Column 'x' has values outside -1e+145 to 1e+145 in 2 rows (0, 3).",
        lambda: sf.kfold(frame(data), term(["x", "y"], scale=None), 2),
    )
    assert at_fault(error, kind)["row"] == [0, 3]
    assert sf.kfold(frame(data), term(["x", "y"]), 2) is not None


@pytest.mark.parametrize("term", TERMS)
def test_objects_as_features(term: Any) -> None:
    """Python objects that are numbers are features; NA is missing, and what is too large told."""
    column = pd.Series([1.5, pd.NA, 2, 3, None], dtype=object)
    refuse(
        "Column 'x' has missing values in 2 rows (1, 4).\n"
        'Hint: drop these rows, or fill the gaps first; in `kfold`, `missing="null"` leaves'
        " their fold null.",
        lambda: sf.kfold(pd.DataFrame({"x": column}), term("x"), 2),
    )
    large = pd.DataFrame({"x": pd.Series([10**400, 1, 2], dtype=object)})
    refuse(
        f"`{name_of(term)}(['x'])` needs numbers that floats can hold in column 'x': int too"
        " large to convert to float.",
        lambda: sf.kfold(large, term("x"), 2),
    )


def test_computed_features_without_a_name(frame: Make, kind: str) -> None:
    """A computed feature without a name is called by its place."""
    if "polars" in kind:
        pytest.skip("Every Polars expression has a name.")
    term = sf.chain(["y", lambda df: np.array([1.0, np.nan] * 5)])
    refuse(
        "Feature 2 of entry 1 of `by` has missing values in 5 rows (1, 3, 5, 7, 9).\n"
        'Hint: drop these rows, or fill the gaps first; in `kfold`, `missing="null"` leaves'
        " their fold null.",
        lambda: sf.kfold(frame(FEATURE_ROWS), term, 2),
    )


@pytest.mark.parametrize("term", TERMS)
def test_fewest_rows(frame: Make, term: Any) -> None:
    """Two rows are enough for two folds; no rows are an empty table, and refused by `kfold`."""
    assert sf.kfold(frame({"x": [1.0, 1.0]}), term("x"), 2) is not None
    message = "Cannot assign folds to a frame without rows."
    refuse(message, lambda: sf.kfold(frame({"x": []}), term("x")))
    assert sum(values(sf.plan(frame({"x": []}), term("x")), "n")) == 0
    assert len(sf.sample(frame({"x": []}), term("x"), frac=0.5)) == 0
