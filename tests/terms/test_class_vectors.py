"""`sf.margins` of a column of vectors: every component is balanced on its own."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import Make, columns_of, folds_of, refuse, split_groups, spread, values

Matrix = list[list[Any]]


def tables_of(wrap: Callable[[Matrix], Any], library: Any) -> Callable[[Matrix], Any]:
    return lambda rows: library.DataFrame({"labels": wrap(rows)})


VECTORS: dict[str, Callable[[Matrix], Any]] = {
    "polars": tables_of(pl.Series, pl),
    "polars arrays": tables_of(
        lambda rows: pl.Series(rows, dtype=pl.Array(pl.Int8, len(rows[0]))), pl
    ),
    "polars booleans": tables_of(
        lambda rows: pl.Series([[bool(cell) for cell in row] for row in rows]), pl
    ),
    "polars lazy": lambda rows: pl.LazyFrame({"labels": rows}),
    "pandas lists": tables_of(pd.Series, pd),
    "pandas tuples": tables_of(lambda rows: pd.Series([tuple(row) for row in rows]), pd),
    "pandas arrays": tables_of(lambda rows: pd.Series([np.array(row) for row in rows]), pd),
    "pandas floats": tables_of(
        lambda rows: pd.Series([np.array(row, dtype=np.float32) for row in rows]), pd
    ),
    "pandas arrow": tables_of(
        lambda rows: pd.Series(rows, dtype=pd.ArrowDtype(pa.list_(pa.int64()))), pd
    ),
}


def drawn(n: int = 300, n_components: int = 6, seed: int = 0) -> Matrix:
    """Rows of 0 and 1, in which each component has its own rate."""
    rng = np.random.default_rng(seed)
    rates = rng.uniform(0.05, 0.6, n_components)
    matrix: Matrix = (rng.random((n, n_components)) < rates).astype(int).tolist()
    return matrix


def in_columns(rows: Matrix) -> tuple[dict[str, list[Any]], list[str]]:
    names = [f"labels[{place}]" for place in range(len(rows[0]))]
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)), names


@pytest.mark.parametrize("kind", VECTORS)
def test_vectors_are_dealt_as_columns(kind: str) -> None:
    """Whatever holds the vectors, the folds and tables are those of one column per component."""
    rows = drawn()
    data, names = in_columns(rows)
    wanted = values(sf.kfold(pl.DataFrame(data), sf.margins(names), 5), "fold")

    folded = sf.kfold(VECTORS[kind](rows), sf.margins("labels"), 5)

    assert values(folded, "fold") == wanted
    assert max(spread(column, wanted, 5) for column in data.values()) <= 1
    table = columns_of(sf.balance(folded, sf.margins("labels")))
    expected = columns_of(sf.balance(pl.DataFrame(data | {"fold": wanted}), sf.margins(names)))
    assert table["entry"] == expected["entry"]
    assert table["n"] == expected["n"]
    assert "6 margins: even" in sf.check(folded, sf.margins("labels"), duplicates=None).text


@given(
    rows=st.integers(2, 5).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(0, 1), min_size=n, max_size=n), min_size=12, max_size=40
        )
    ),
    options=st.sampled_from(
        [{}, {"key": "id"}, {"groups": "who"}, {"where": "some"}, {"repeats": 2}]
    ),
    seed=st.integers(0, 2**32),
)
def test_vectors_beside_all_arguments(rows: Matrix, options: dict[str, Any], seed: int) -> None:
    """Folds, parts and extended folds of 0 and 1 are those of columns, whatever else is given."""
    data, names = in_columns(rows)
    n = len(rows)
    others = {
        "labels": rows,
        "id": list(range(n))[::-1],
        "who": [row // 2 for row in range(n)],
        "some": [row % 5 != 2 for row in range(n)],
        "site": [row % 3 for row in range(n)],
        "held": [row % 2 if row % 4 else None for row in range(n)],
    }
    df = pl.DataFrame(data | others)
    vectors = sf.margins(["site", "labels"])
    columns = sf.margins(["site", *names])
    options = options | {"seed": seed, "rare": "ignore"}

    for deal in (
        lambda by: sf.kfold(df, by, 3, **options),
        lambda by: sf.split(df, by, 0.3, **options),
        lambda by: sf.plan(df, by, 3, **{key: options[key] for key in options if key != "repeats"}),
    ):
        assert deal(vectors).equals(deal(columns))
    if not options.keys() & {"groups", "repeats"}:
        extended = [sf.extend(df, by, 2, name="held", **options) for by in (vectors, columns)]
        assert extended[0].equals(extended[1])


def test_verbs_that_judge_vectors(frame: Make) -> None:
    """Every verb that reads strata gives for vectors what it gives for columns."""
    rows = drawn(60, 3, seed=1)
    data, names = in_columns(rows)
    held = {"fold": [row % 4 for row in range(60)], "who": [row // 3 for row in range(60)]}
    df = frame(data | held | {"labels": rows})
    calls: list[Callable[[Any], Any]] = [
        lambda by: columns_of(sf.balance(df, by)),
        lambda by: columns_of(sf.report(df, by, full=True)),
        lambda by: columns_of(sf.report(df, by, groups="who")),
        lambda by: columns_of(sf.compare(df, by, ["fold"])),
        lambda by: columns_of(sf.advise(df, by, [2, 3], full=True)),
        lambda by: columns_of(sf.plan(df, by, 4, groups="who")),
        lambda by: sf.check(df, by, duplicates=None).text,
    ]
    for call in calls:
        assert call(sf.margins(["labels"])) == call(sf.margins(names))


@pytest.mark.parametrize(
    ("rows", "entries"),
    [
        pytest.param([[0, 1], [1, 0]], ["x[0]", "x[1]"], id="zeros_and_ones"),
        pytest.param([[0, 1], [1, None]], ["x[0]", "x[1]"], id="component_is_missing"),
        pytest.param([[True, False], [True, True]], ["x[0]", "x[1]"], id="booleans"),
        pytest.param([[1.0, 0.0], [0.0, -0.0]], ["x[0]", "x[1]"], id="whole_floats"),
        pytest.param([[2, 2, 3], [3, 2, 2]], ["x[0]", "x[1]", "x[2]"], id="codes_of_classes"),
        pytest.param([["b", "b"], ["a", "a"], ["a", "b"]], ["x[0]", "x[1]"], id="most_repeat"),
        pytest.param([["b", "b"], ["a", "b"]], ["b", "a"], id="half_repeat"),
        pytest.param([["b", "b"], None, ["a", "a"], None], ["x[0]", "x[1]"], id="missing_lists"),
        pytest.param([["a", None, None], ["b", None, None]], ["a", "b"], id="padded_tags"),
        pytest.param([["sea", "sun"], ["sun", "sea"]], ["sea", "sun"], id="pairs_of_tags"),
        pytest.param([[1], [0]], ["0", "1"], id="length_of_one"),
        pytest.param([[1, 0], [1]], ["1", "0"], id="several_lengths"),
        pytest.param([[1, 1], []], ["1"], id="an_empty_list"),
        pytest.param([[3, 5], [4, 3]], ["3", "4", "5"], id="numbers_of_tags"),
        pytest.param([[2.5, 2.5], [2.5]], ["2.5"], id="fractions_of_several_lengths"),
    ],
)
def test_which_lists_are_vectors(frame: Make, rows: list[Any], entries: list[str]) -> None:
    """Lists of one length are vectors if they hold 0 and 1 only, or if most hold a value twice."""
    df = frame({"x": rows * 6})
    plan = columns_of(sf.plan(df, sf.margins("x"), 2, missing="stratum"))
    assert sorted(set(plan["entry"])) == sorted(entries)


def test_sets_have_no_positions() -> None:
    """Sets are tags, even if they all hold 0 and 1."""
    plan = sf.plan(pd.DataFrame({"x": [{0, 1}, frozenset([0, 1])] * 3}), sf.margins("x"), 2)
    assert plan["entry"].unique().tolist() == ["0", "1"]


@pytest.mark.parametrize("seed", range(3))
def test_vectors_of_codes(seed: int) -> None:
    """Each position of vectors of classes is as even as its own column would be."""
    rows: Matrix = np.random.default_rng(seed).integers(0, 3, (90, 4)).tolist()
    folds = values(sf.kfold(pl.DataFrame({"x": rows}), sf.margins("x"), 5), "fold")
    assert max(spread(column, folds, 5) for column in zip(*rows, strict=True)) <= 1


def test_missing_components(frame: Make) -> None:
    """A vector without a component, or no vector, is missing as a column without a value is."""
    rows: list[Any] = drawn(40, 3, seed=2)
    rows[1], rows[5] = None, [1, None, 0]
    full = [row or [None] * 3 for row in rows]
    data, names = in_columns(full)
    df = frame(data | {"labels": rows})
    message = r"Column 'labels' has missing values in 2 rows \(1, 5\)"
    with pytest.raises(sf.StratError, match=message):
        folds_of(df, sf.margins("labels"), 4)
    for missing in ("stratum", "null"):
        of_vectors = folds_of(df, sf.margins("labels"), 4, missing=missing)
        assert of_vectors == folds_of(df, sf.margins(names), 4, missing=missing)


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([[0.2, 0.8], [1.0, 0.0]], id="two_shares"),
        pytest.param([[0.25], [0.75]], id="one_share"),
        pytest.param([[0.5, 0.5], [0.5, 0.5]], id="repeated"),
        pytest.param([[0.25, None], None], id="missing"),
    ],
)
def test_soft_labels(frame: Make, rows: list[Any]) -> None:
    """Vectors of fractions have no classes, and the error names what takes them."""
    message = (
        "An entry of `sf.margins` must define strata, but the vectors of 'x' hold fractions.\n"
        "Hint: `sf.clusters('x')` makes strata of similar vectors, and `sf.quantiles` cuts a column"
        " that holds one component into bins."
    )
    df = frame({"x": rows * 4, "fold": [0, 1] * 4})
    refuse(message, lambda: values(sf.kfold(df, sf.margins("x"), 2, name="new"), "new"))
    refuse(message, lambda: sf.balance(df, sf.margins(["x"])))


def test_soft_labels_without_a_name() -> None:
    """Decimals with fractions are refused, too, and a computed column need not have a name."""
    df = pd.DataFrame({"x": [[Decimal("0.5"), Decimal(1)]] * 4})
    message = (
        "An entry of `sf.margins` must define strata, but the vectors hold fractions.\n"
        "Hint: `sf.clusters(...)` makes strata of similar vectors, and `sf.quantiles` cuts a column"
        " that holds one component into bins."
    )
    by = sf.margins(lambda frame: frame["x"].rename(None))
    refuse(message, lambda: sf.kfold(df, by, 2))


def test_all_rows_decide_together(frame: Make) -> None:
    """Frames of a mapping, and rows with and without a fold, decide as one column does."""
    codes: Matrix = [[1, 1], [2, 2], [2, 2]] * 4
    pairs: Matrix = [[1, 2], [2, 1]] * 2
    by = sf.margins("x")
    eachs = ["x[0]", "x[1]"]

    several = columns_of(
        sf.balance({"train": frame({"x": codes}), "test": frame({"x": pairs})}, by)
    )
    assert list(dict.fromkeys(several["entry"])) == eachs
    folds = [None] * len(codes) + [0, 1, 0, 1]
    apart = frame({"x": codes + pairs, "fold": folds})
    assert list(dict.fromkeys(columns_of(sf.balance(apart, by))["entry"])) == eachs
    alone = columns_of(sf.plan(frame({"x": pairs}), by, 2))
    assert list(dict.fromkeys(alone["entry"])) == ["1", "2"]


def test_some_rows_are_dealt(frame: Make) -> None:
    """Rows that `where` leaves out count for what the lists are; groups stay whole."""
    rows: Matrix = [[1, 2], [2, 1], [1, 1], [2, 2], [2, 2]] * 6
    data: dict[str, Any] = {
        "x": rows,
        "some": [row != row[::-1] for row in rows],
        "who": [row // 2 for row in range(30)],
    }
    plan = columns_of(sf.plan(frame(data), sf.margins("x"), 2, where="some"))
    assert list(dict.fromkeys(plan["entry"])) == ["x[0]", "x[1]"]
    folds = values(sf.kfold(frame(data), sf.margins("x"), 3, groups="who"), "fold")
    assert not split_groups(data["who"], folds)


def test_a_component_called_as_another_entry(frame: Make) -> None:
    """The column's name comes first where a component has the name of another entry."""
    df = frame({"x": [[0, 1], [1, 1]] * 3, "x[1]": [0, 1] * 3})
    plan = columns_of(sf.plan(df, sf.margins(["x", "x[1]"]), 2))
    assert list(dict.fromkeys(plan["entry"])) == ["x[0]", "x: x[1]", "x[1]"]


def test_values_of_components(frame: Make) -> None:
    """Tables show the values as a column of them does, with one zero and without missing ones."""
    df = frame({"x": [[-0.0, 1.0], [0.0, None], [1.0, 1.0], None] * 2, "fold": [0, 1] * 4})
    table = columns_of(sf.plan(df, sf.margins("x"), 2, missing="stratum"))
    shown = dict.fromkeys(zip(table["entry"], table["value"], strict=True))
    assert list(shown) == [
        ("x[0]", "0.0"),
        ("x[0]", "1.0"),
        ("x[0]", None),
        ("x[1]", "1.0"),
        ("x[1]", None),
    ]


def test_folds_that_hold_no_vector() -> None:
    """Rows with a fold can lack a vector, and a column can lack folds."""
    df = pl.DataFrame({"x": [[0, 1], [1, 1], None], "fold": [None, None, 0]})
    by = sf.margins("x")
    missing = sf.balance(df, by).select("entry", "value", "n").rows()
    assert missing == [("x[0]", None, 1), ("x[1]", None, 1)]
    assert sf.balance(df.with_columns(fold=pl.lit(None, pl.Int64)), by).is_empty()
