"""`sf.margins`: every entry balanced on its own, with even sizes."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from iterstrat.ml_stratifiers import MultilabelStratifiedKFold

import stratframe as sf
from tests.helpers import (
    KINDS,
    Make,
    at_fault,
    columns_of,
    eager,
    make,
    refuse,
    refuse_now,
    spread,
    values,
)

TAGS = [f"tag_{i}" for i in range(6)]


def tagged(n: int = 300, seed: int = 0) -> dict[str, Any]:
    """Rows with six sparse tags, a site, a patient and a price."""
    drawn = np.random.default_rng(seed)
    rates = drawn.beta(0.5, 5, len(TAGS)) + 0.02
    tags = {tag: (drawn.random(n) < rate).tolist() for tag, rate in zip(TAGS, rates, strict=True)}
    return {
        **tags,
        "site": drawn.choice(list("abc"), n).tolist(),
        "patient": drawn.integers(0, n // 4, n).tolist(),
        "price": drawn.normal(size=n).round(3).tolist(),
    }


@pytest.mark.parametrize("kind", KINDS)
@given(
    rows=st.lists(st.tuples(*[st.booleans()] * 3), min_size=12, max_size=60),
    k=st.integers(2, 5),
    seed=st.integers(0, 2**32),
)
def test_sizes_are_within_one(kind: str, rows: list[tuple[bool, ...]], k: int, seed: int) -> None:
    """Every row has a fold, and sizes differ by at most 1."""
    data = {name: list(column) for name, column in zip("abc", zip(*rows, strict=True), strict=True)}
    folds = values(sf.kfold(make(kind, data), sf.margins(list("abc")), k, seed=seed), "fold")
    sizes = [folds.count(fold) for fold in range(k)]
    assert sum(sizes) == len(rows)
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("seed", range(3))
def test_no_worse_than_iterative_stratification(kind: str, seed: int) -> None:
    """Tags spread no more than under iterative stratification, the worst and on the mean."""
    data = tagged(seed=seed)
    folds = values(sf.kfold(make(kind, data), sf.margins(TAGS), 5), "fold")
    labels = np.column_stack([data[tag] for tag in TAGS]).astype(int)
    peer = np.empty(300, dtype=int)
    stratifier = MultilabelStratifiedKFold(5, shuffle=True, random_state=0)
    for fold, (_, test) in enumerate(stratifier.split(labels, labels)):
        peer[test] = fold
    ours, theirs = (
        [spread(data[tag], found, 5) for tag in TAGS] for found in (folds, peer.tolist())
    )
    assert max(ours) <= max(theirs)
    assert sum(ours) <= sum(theirs)
    assert max(ours) <= 1


BY: dict[str, Any] = {
    "columns": sf.margins([*TAGS, "site"]),
    "terms": sf.margins(["site", sf.quantiles("price", 4), sf.bins("price", [-9, 0, 9])]),
    "classes": sf.margins([sf.classes("half"), "site"]),
    "clusters": sf.margins(["site", sf.clusters(["price"], 3)]),
}


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("groups", [None, "patient"])
def test_the_same_on_every_frame(by: str, groups: str | None) -> None:
    """Every kind of entry works, with groups and without, alike on all frames."""
    data = tagged(60)
    data["half"] = [round(2 * price) / 2 for price in data["price"]]
    parts = {"train": 0.7, "valid": 0.2, "test": 0.1}
    frames = [make(kind, data) for kind in KINDS]
    folds = {tuple(values(sf.kfold(each, BY[by], groups=groups), "fold")) for each in frames}
    split = {
        tuple(values(sf.split(each, BY[by], parts, groups=groups), "split")) for each in frames
    }
    assert len(folds) == len(split) == 1
    counts = Counter(split.pop())
    if groups is None:
        assert counts == {"train": 42, "valid": 12, "test": 6}
    else:
        held = Counter(zip(data["patient"], folds.pop(), strict=True))
        assert len(held) == len(set(data["patient"]))


def test_entries_are_even_each(frame: Make) -> None:
    """Each entry is within 1 of even in every value, though their joint strata could not be."""
    data = tagged()
    folds = values(sf.kfold(frame(data), sf.margins([*TAGS, "site"]), 5), "fold")
    assert max(spread(data[name], folds, 5) for name in [*TAGS, "site"]) <= 1


def test_key_and_missing(frame: Make) -> None:
    """With a key a permuted frame gets the permuted folds; missing values follow `missing`."""
    data = tagged(60)
    data["id"] = list(range(60))
    data["site"] = [None if row % 20 == 3 else site for row, site in enumerate(data["site"])]
    order = np.random.default_rng(1).permutation(60).tolist()
    turned = {name: [column[row] for row in order] for name, column in data.items()}
    by = sf.margins(["site", "tag_0"])
    here, there = (
        values(sf.kfold(frame(each), by, 3, key="id", missing="stratum"), "fold")
        for each in (data, turned)
    )
    assert there == [here[row] for row in order]
    nulled = values(sf.kfold(frame(data), by, 3, missing="null"), "fold")
    assert [fold is None for fold in nulled] == [site is None for site in data["site"]]


def test_tables_list_one_entry_after_another(frame: Make) -> None:
    """Tables have a row for each entry and value, named in two columns."""
    data = {"a": [1, 1, 0, 0], "b": ["x", None, "x", "y"], "fold": [0, 1, 0, 1]}
    by = sf.margins(["a", "b"])
    found = columns_of(sf.balance(frame(data), by))
    assert list(found) == ["fold", "entry", "value", "n", "share", "expected", "deviation"]
    assert found["fold"] == [0, 0, 1, 1, 0, 0, 0, 1, 1, 1]
    assert found["entry"] == ["a"] * 4 + ["b"] * 6
    assert [value and value[0] for value in found["value"]] == [*"0101", *("x", "y", None) * 2]
    assert found["n"] == [1, 1, 1, 1, 2, 0, 0, 0, 1, 1]


def test_plan_counts_what_is_dealt(frame: Make) -> None:
    """A plan of margins counts, for each entry and value, what the call deals."""
    data = tagged(90)
    by = sf.margins(["site", "tag_0"])
    plan = eager(sf.plan(frame(data), by, 4))
    folds = values(sf.kfold(frame(data), by, 4), "fold")
    held = Counter(zip(data["site"], folds, strict=True))
    rows = zip(plan["entry"], plan["value"], plan["fold"], plan["n"], strict=True)
    assert all(held[value, fold] == n for entry, value, fold, n in rows if entry == "site")
    empty = sf.plan(frame({name: [] for name in data}), by, 4)
    assert list(empty.columns) == ["entry", "value", "fold", "n"]
    assert len(empty) == 0


@pytest.mark.parametrize("entries", [[], "site"])
def test_margins_need_a_list(entries: Any) -> None:
    """Margins are a list with entries."""
    message = f"`sf.margins` must hold a list of entries, got {entries!r}."
    refuse_now(message, lambda: sf.margins(entries))


@pytest.mark.parametrize("term", [sf.chain("x"), sf.continuous("x"), sf.margins(["site"])])
def test_margins_that_make_no_strata(term: Any) -> None:
    """What makes no strata is refused where the term is made."""
    message = (
        f"`sf.margins` must hold entries that make strata, got `{term.function}`."
        "\nHint: `sf.quantiles` cuts a continuous column."
    )
    refuse_now(message, lambda: sf.margins(["site", term]))


@pytest.mark.parametrize(
    ("by", "arguments", "message"),
    [
        (
            ["site", sf.margins(["tag_0"])],
            {},
            "`sf.margins` must be the only entry of `by`, got ['site', sf.margins(['tag_0'])].",
        ),
        (
            sf.margins(["site", "site"]),
            {},
            "`sf.margins` must hold each entry once, got 'site' twice.",
        ),
        (
            sf.margins(["site"]),
            {"deal": "circular"},
            '`sf.margins` cannot be combined with `deal="circular"`: margins have no row order.',
        ),
    ],
)
def test_what_margins_exclude(by: Any, arguments: dict[str, Any], message: str) -> None:
    """What does not combine is refused at the call."""
    refuse_now(message, lambda: sf.kfold(make("pandas", tagged(20)), by, 2, **arguments))


def test_continuous_margins_are_refused(frame: Make) -> None:
    """A continuous column in margins is an error that names `sf.quantiles`."""
    refuse(
        "An entry of `sf.margins` must make strata, but 'price' holds fractions.\n"
        "Hint: cut it, as in `sf.quantiles('price', 10)`, or take its values as they are,"
        " `sf.classes('price')`.",
        lambda: sf.kfold(frame(tagged(20)), sf.margins(["site", "price"]), 2),
    )


def test_missing_margins_are_refused(frame: Make, kind: str) -> None:
    """Missing values in any margin are refused together, with the rows."""
    data = {"a": [1, None, 0, 1], "b": ["x", "y", "x", None]}
    error = refuse(
        "Column 'a' has missing values in 1 row (1).\n"
        "Column 'b' has missing values in 1 row (3).\n"
        'Hint: `missing="stratum"` makes missing values a stratum of their own; in `kfold`,'
        ' `missing="null"` leaves their fold null.',
        lambda: sf.kfold(frame(data), sf.margins(["a", "b"]), 2),
    )
    assert at_fault(error, kind)["row"] == [1, 3]


def test_sample_refuses_margins(frame: Make) -> None:
    """A sample is drawn from joint strata, so margins are refused."""
    refuse(
        "`sample` does not support `sf.margins` in `by`.",
        lambda: sf.sample(frame(tagged(20)), sf.margins(["site"]), n=5),
    )
