"""`sf.margins`: every entry balanced on its own, with even sizes."""

import tracemalloc
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from iterstrat.ml_stratifiers import MultilabelStratifiedKFold

import stratframe as sf
from tests.helpers import Make, columns_of, folds_of, peer_folds, split_groups, spread, values

TAGS = [f"tag_{i}" for i in range(6)]
OF_TEXT = pd.ArrowDtype(pa.list_(pa.string()))
LISTS: dict[str, Callable[[list[list[str]]], Any]] = {
    "polars": pl.Series,
    "polars, of one length": lambda rows: pl.Series(
        [[*row, *[None] * (6 - len(row))] for row in rows], dtype=pl.Array(pl.String, 6)
    ),
    "lazy, reversed, repeated": lambda rows: pl.Series([2 * row[::-1] for row in rows]),
    "pandas": pd.Series,
    "pandas sets": lambda rows: pd.Series([set(row) for row in rows]),
    "pandas arrays": lambda rows: pd.Series([np.array(row, dtype=object) for row in rows]),
    "pandas arrow": lambda rows: pd.Series(rows, dtype=OF_TEXT),
}
rows_of_tags = st.lists(st.tuples(st.sets(st.sampled_from("abc")), st.booleans()), min_size=8)
UNREADABLE: list[Any] = [[["a"], np.array("b")], [{"a": 1}], [[["a"]]], [["a"], "b"]]
UNREADABLE += [[["a"], [1.5j]], [["a"], [1]], [[1], [True]]]


def tagged(n: int = 300, seed: int = 0) -> dict[str, Any]:
    drawn = np.random.default_rng(seed)
    rates = drawn.beta(0.5, 5, len(TAGS)) + 0.02
    tags = {tag: (drawn.random(n) < rate).tolist() for tag, rate in zip(TAGS, rates, strict=True)}
    others = {"site": drawn.choice(list("abc"), n), "patient": drawn.integers(0, n // 4, n)}
    others["price"] = drawn.normal(size=n).round(3)
    return tags | {name: column.tolist() for name, column in others.items()}


def by_frequency(data: dict[str, Any]) -> list[str]:
    return sorted(TAGS, key=lambda tag: (-sum(data[tag]), tag))


@pytest.mark.parametrize("seed", range(3))
def test_no_worse_than_iterative_stratification(seed: int) -> None:
    """Each entry is within 1 of even, and no further from it than by iterative stratification."""
    data = tagged(seed=seed)
    folds = values(sf.kfold(pl.DataFrame(data), sf.margins([*TAGS, "site"]), 5), "fold")
    assert max(spread(data[name], folds, 5) for name in [*TAGS, "site"]) <= 1
    folds = values(sf.kfold(pl.DataFrame(data), sf.margins(TAGS), 5), "fold")
    labels = np.column_stack([data[tag] for tag in TAGS]).astype(int)
    peer = peer_folds(MultilabelStratifiedKFold(5, shuffle=True, random_state=0), labels, None)
    ours, theirs = ([spread(data[tag], each, 5) for tag in TAGS] for each in (folds, peer))
    assert max(ours) <= min(1, max(theirs))
    assert sum(ours) <= sum(theirs)


def test_key_and_missing(frame: Make) -> None:
    """With a key a permuted frame gets the permuted folds; missing values follow `missing`."""
    data = tagged(60) | {"id": list(range(60))}
    data["site"] = [None if row % 20 == 3 else site for row, site in enumerate(data["site"])]
    order = np.random.default_rng(1).permutation(60).tolist()
    turned = {name: [column[row] for row in order] for name, column in data.items()}
    call = {"by": sf.margins(["site", "tag_0"]), "k": 3, "key": "id", "missing": "stratum"}
    here, there = (values(sf.kfold(frame(each), **call), "fold") for each in (data, turned))
    assert there == [here[row] for row in order]
    nulled = values(sf.kfold(frame(data), **call | {"missing": "null"}), "fold")
    assert [fold is None for fold in nulled] == [site is None for site in data["site"]]


def test_tables_list_one_entry_after_another(frame: Make) -> None:
    """Tables have a row for each entry and value, named in two columns."""
    data = {"a": [1, 1, 0, 0], "b": ["x", None, "x", "y"], "fold": [0, 1, 0, 1]}
    found = columns_of(sf.balance(frame(data), sf.margins(["a", "b"])))
    assert list(found) == ["fold", "entry", "value", "n", "share", "expected", "deviation"]
    assert found["fold"] == [0, 0, 1, 1, 0, 0, 0, 1, 1, 1]
    assert found["entry"] == ["a"] * 4 + ["b"] * 6
    assert [value and value[0] for value in found["value"]] == [*"0101", *("x", "y", None) * 2]
    assert found["n"] == [1, 1, 1, 1, 2, 0, 0, 0, 1, 1]


def test_plan_counts_what_is_dealt(frame: Make) -> None:
    """A plan of margins counts, for each entry and value, what the call deals."""
    data = tagged(90)
    by = sf.margins(["site", "tag_0"])
    plan = columns_of(sf.plan(frame(data), by, 4))
    held = Counter(zip(data["site"], values(sf.kfold(frame(data), by, 4), "fold"), strict=True))
    rows = zip(plan["entry"], plan["value"], plan["fold"], plan["n"], strict=True)
    assert all(held[value, fold] == n for entry, value, fold, n in rows if entry == "site")
    empty = sf.plan(frame({name: [] for name in data}), by, 4)
    of_lists = sf.plan(frame({"tags": [["a"]]}).head(0), sf.margins("tags"), 4)
    assert list(empty.columns) == list(of_lists.columns) == ["entry", "value", "fold", "n"]
    assert len(empty) == len(of_lists) == 0


def listed(data: dict[str, Any]) -> list[list[str]]:
    return [[tag for tag in TAGS if data[tag][row]] for row in range(len(data["site"]))]


@pytest.mark.parametrize("kind", LISTS)
def test_a_column_of_lists_is_an_entry_for_each_value(kind: str) -> None:
    """The folds are those of one indicator for each tag, the most frequent first."""
    data = tagged()
    by = sf.margins("tags")
    common = by_frequency(data)
    wanted = values(sf.kfold(pl.DataFrame(data), sf.margins(common), 5), "fold")
    tables: Any = pd if "pandas" in kind else pl
    table = tables.LazyFrame if "lazy" in kind else tables.DataFrame
    folded = sf.kfold(table({"tags": LISTS[kind](listed(data))}), by, 5)
    assert values(folded, "fold") == wanted
    table = columns_of(sf.balance(folded, by))
    assert list(dict.fromkeys(table["entry"])) == common
    assert set(table["value"]) == {"True", "False"}
    held = zip(table["n"], table["value"], strict=True)
    assert sum(n for n, value in held if value == "True") == sum(sum(data[tag]) for tag in TAGS)
    assert "6 margins: even" in sf.check(folded, by, duplicates=None).text


@given(rows=rows_of_tags, unit=st.sampled_from(["groups", "key"]), seed=st.integers(0, 2**32))
def test_lists_among_some_rows(rows: list[tuple[set[str], bool]], unit: str, seed: int) -> None:
    """The folds of some rows are those of indicators, also of tags that half of them have."""
    held = [sorted(tags) for tags, _ in rows]
    place = pl.int_range(len(rows))
    counts = Counter(tag for tags in held for tag in tags)
    common = sorted(counts, key=lambda tag: (-counts[tag], tag))
    data = pl.DataFrame({"tags": held, "dealt": [True] * 4 + [dealt for _, dealt in rows[4:]]})
    data = data.with_columns(pl.col("tags").list.contains(tag).alias(tag) for tag in common)
    data = data.with_columns(groups=2 * place % len(rows), key=5 - place)
    call: Any = {"k": 2, "where": "dealt", "repeats": 2, "seed": seed, unit: unit}
    assume(common)
    found, wanted = (sf.kfold(data, sf.margins(by), **call) for by in ("tags", common))
    assert found.equals(wanted)


def test_memory_of_lists() -> None:
    """Folds and tables of many tags take a byte for each row and tag at most."""
    n_rows = 8_000
    n_tags = 500
    data = pl.DataFrame({"tags": [[row % n_tags] for row in range(n_rows)]})
    folded = data.with_columns(fold=pl.int_range(n_rows) * 4 // n_rows)
    by = sf.margins("tags")
    for call in (
        lambda: sf.kfold(data, by, 4, repeats=2),
        lambda: sf.extend(folded.with_columns(fold=pl.col("fold").replace(3, None)), by, 4),
        lambda: sf.plan(data, by, 4),
        lambda: sf.report(folded, by),
        lambda: sf.advise(data, by, [4]),
    ):
        tracemalloc.start()
        call()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak <= n_rows * n_tags


def test_lists_with_groups_and_without_a_list(frame: Make) -> None:
    """Groups stay whole; a row without a list is missing, and some list must hold a value."""
    data = tagged()
    by = sf.margins("tags")
    rows = listed(data)
    whole = values(sf.kfold(frame({**data, "tags": rows}), by, 3, groups="patient"), "fold")
    assert not split_groups(data["patient"], whole)
    gaps = frame({"tags": [None, [], *rows[2:]]})
    with pytest.raises(sf.StratError, match=r"Column 'tags' has missing values in 1 row \(0\)"):
        folds_of(gaps, by)
    assert [fold is None for fold in folds_of(gaps, by, missing="null")[:2]] == [True, False]
    assert None not in folds_of(gaps, by, missing="stratum")
    with pytest.raises(sf.StratError, match="The lists of 'none' must hold at least one value"):
        folds_of(frame({"none": [[]] * 8}), sf.margins("none"), 2)


def test_rare_values_are_one_entry() -> None:
    """Above the limit the rarer values are balanced as one, and a warning says so."""
    many = [[f"t{place}"] for place in range(1_998)] * 5
    rows = [["a", "b"], ["a"], ["a", "c"], ["b", "d"], [], ["c"]] * 4 + many
    message = "'tags' holds 2,002 different values: the 2,000 most frequent values are balanced"
    message += " separately, and the other 2 as one entry."
    with pytest.warns(sf.StratWarning, match=message):
        table = sf.plan(pl.DataFrame({"tags": rows}), sf.margins("tags"), 2)
    counts = table.group_by("entry", "value", maintain_order=True).agg(pl.col("n").sum())
    held = counts.filter(value="True").drop("value").rows()
    assert len(held) == 2_001
    assert held[:2] + held[-1:] == [("a", 12), ("b", 8), ("(rare)", 9)]


@pytest.mark.parametrize("rows", UNREADABLE)
def test_lists_that_cannot_be_read(rows: list[Any]) -> None:
    """Columns of anything but lists of single values of one type are refused."""
    with pytest.raises(sf.StratError, match="must hold single values"):
        sf.kfold(pd.DataFrame({"tags": rows * 4}), sf.margins("tags"), 2)


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        ([["n", "fold"], ["share"], ["n"], []], ["n", "fold", "share"]),
        ([["a", None], [np.nan, "b"], ["a", pd.NA], [None]], ["a", "b"]),
        ([[1, np.nan], [2], [1.0], [2.5, float("nan")]], ["1.0", "2.0", "2.5"]),
        ([[1], [2.5], [1], np.array([], dtype=object)], ["1.0", "2.5"]),
        ([{Decimal("1.5")}, [], (Decimal(2),), [Decimal("1.5")]], ["1.5", "2.0"]),
        (pl.Series([[1.0, float("nan")], [2.0], [1.0], []]), ["1.0", "2.0"]),
    ],
)
def test_what_a_list_may_hold(rows: Any, wanted: list[str]) -> None:
    """Lists may hold values of any one type, and a missing value in a list does not count."""
    make: Any = pl.DataFrame if isinstance(rows, pl.Series) else pd.DataFrame
    folded = sf.kfold(make({"tags": rows}), sf.margins("tags"), 2)
    by = sf.margins("tags")
    assert list(dict.fromkeys(values(sf.balance(folded, by), "entry"))) == wanted


@pytest.mark.parametrize("groups", [None, "patient"])
def test_lists_beside_others(frame: Make, groups: Any) -> None:
    """Folds and figures are those of one indicator for each tag beside the other entries."""
    options = {"missing": "stratum", "groups": groups}
    data = tagged(120) | {"held": [row % 5 for row in range(120)]}
    data["site"] = [None if row % 50 == 7 else site for row, site in enumerate(data["site"])]
    rows = frame(data | {"tags": listed(data)})
    cut = sf.quantiles("price", 4)
    pair = sf.margins(["site", "tags", cut]), sf.margins(["site", *by_frequency(data), cut])
    calls: list[Callable[[Any], Any]] = [
        lambda by: folds_of(rows, by, 4, **options),
        lambda by: values(sf.split(rows, by, 0.3, **options), "split"),
        lambda by: columns_of(sf.plan(rows, by, **options)),
        lambda by: columns_of(sf.balance(rows, by, "held")),
        lambda by: columns_of(sf.report(rows, by, "held", full=True)),
        lambda by: sf.check(rows, by, "held", duplicates=None).text,
    ]
    for call in calls:
        of_lists, of_columns = map(call, pair)
        assert of_lists == of_columns


def test_values_of_two_columns(frame: Make) -> None:
    """A value of a list that has the name of another entry is shown with its column."""
    rows = {"tags": [["a", "b"], []] * 4, "more": [["a"], ["sex"]] * 4, "sex": ["f", "m"] * 4}
    plan = columns_of(sf.plan(frame(rows), sf.margins(["tags", "more", "sex"]), 2))
    assert [*dict.fromkeys(plan["entry"])] == ["tags: a", "b", "more: a", "more: sex", "sex"]
