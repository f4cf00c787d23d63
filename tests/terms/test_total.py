"""`sf.total`: totals in proportion to the parts, and counts as without it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import Make, columns_of, loss_of, make, refuse, refuse_now, values

LAST = "must come last in `by`, and must occur only once, got "
REFUSED: list[Any] = [
    (lambda: sf.total(), "`sf.total` must hold at least one column, got []."),
    (lambda: sf.total("x", "x"), "`sf.total` must hold each column once, got 'x' twice."),
    (lambda: sf.total(["x", "y"]), "`sf.total` must be given columns, got ['x', 'y']."),
    (lambda: [sf.total("x"), "y"], f"`sf.total` {LAST}[sf.total('x'), 'y']."),
    (lambda: [sf.total("x"), sf.total("y")], f"`sf.total` {LAST}[sf.total('x'), sf.total('y')]."),
    (
        lambda: [sf.continuous("x"), sf.total("y")],
        f"`sf.continuous` or `sf.total` {LAST}[sf.continuous('x'), sf.total('y')].",
    ),
    (
        lambda: [sf.margins(["y"]), sf.total("x")],
        "`sf.margins` must be the only entry of `by`, got [sf.margins(['y']), sf.total('x')].",
    ),
    (
        lambda: sf.margins(["y", sf.total("x")]),
        "`sf.margins` must hold entries that define strata, got"
        " `sf.total`.\nHint: `sf.quantiles` cuts a continuous column into bins.",
    ),
]
SIZES = [(500, 5, 1, 10, 0.001), (500, 5, 3, 15, 0.2), (5_000, 10, 3, 8, 0.05)]
DATA: dict[str, Any] = {
    "y": [0, 0, 0, 0, 1, 1, 1, 1],
    "x": [1, 2, 4, 8, 1, 1, 3, 4],
    "gap": [1, None, *range(6)],
    "inf": [float("inf"), *range(7)],
    "text": list("abcdefgh"),
}
EXCLUDED: list[Any] = [
    (
        lambda df: sf.kfold(df, ["y", sf.total("x")], 2, deal="circular"),
        "`sf.total` cannot be combined with"
        ' `deal="circular"`: it swaps rows at random.\nHint: leave out `deal`.',
    ),
    (
        lambda df: sf.sample(df, ["y", sf.total("x")], n=2),
        "`sample` does not support `sf.total` in `by`.\n"
        "Hint: `sf.continuous` spreads the sample over the values of a column.",
    ),
    (
        lambda df: sf.extend(df, ["y", sf.total("x")], name="y"),
        "`extend` does not support `sf.total` in `by`: rows that have a"
        " fold keep it.\nHint: leave this term out, or make the column again with"
        " `kfold` or `split`.",
    ),
]


@pytest.mark.parametrize(("make_by", "message"), REFUSED)
def test_what_is_no_total(make_by: Callable[[], Any], message: str) -> None:
    """`sf.total` checks its columns and its place in `by`."""
    refuse_now(message, lambda: sf.kfold(pl.LazyFrame(DATA), make_by(), 2))


@pytest.mark.parametrize(("call", "message"), EXCLUDED)
def test_what_totals_exclude(call: Callable[[Any], Any], message: str) -> None:
    """What does not combine with totals is an error that says what to do."""
    refuse_now(message, lambda: call(pl.LazyFrame(DATA)))


def test_totals_are_of_known_numbers(kind: str) -> None:
    """A number that is missing or infinite has no total."""
    df = make(kind, DATA)
    message = "Column 'gap' has missing values in 1 row (1).\nHint: drop these rows, or fill the"
    message += ' missing values first; in `kfold`, `missing="null"` leaves the fold of these rows'
    message += " null."
    refuse(message, lambda: sf.kfold(df, ["y", sf.total("gap")], 2))
    message = "Column 'inf' has infinite values in 1 row (0)."
    refuse(message, lambda: sf.kfold(df, ["y", sf.total("inf")], 2))


def test_totals_are_of_numbers(kind: str) -> None:
    """A column that is no number is named, with its type."""
    with pytest.raises(sf.StratError, match=r"`sf.total\('text'\)` needs numbers, .*"):
        sf.kfold(make(kind, DATA), sf.total("text"), 2)


def test_tables_show_what_is_without_totals(frame: Make) -> None:
    """Totals make no strata: plans, reports and balances are those of the other entries."""
    df = frame(DATA)
    by = ["y", sf.total("x")]
    folded = sf.kfold(df, by, 2)
    assert columns_of(sf.plan(df, by, 2)) == columns_of(sf.plan(df, "y", 2))
    for verb in (sf.report, sf.balance):
        assert columns_of(verb(folded, by)) == columns_of(verb(folded, "y"))
    assert columns_of(sf.advise(df, by, [2])) == columns_of(sf.advise(df, "y", [2]))
    assert columns_of(sf.plan(df, sf.total("x"), 2)) == columns_of(sf.plan(df, None, 2))


def worst(folds: Any, numbers: Any, k: int) -> float:
    held = np.array([np.bincount(folds, column, k) for column in np.atleast_2d(numbers)])
    return float(100 * np.abs(held / held.mean(axis=1, keepdims=True) - 1).max())


@pytest.mark.parametrize(("n", "k", "n_columns", "plain", "bar"), SIZES)
def test_totals_and_a_plain_deal(n: int, k: int, n_columns: int, plain: float, bar: float) -> None:
    """Totals are closer to their shares than those of the same deal without `sf.total`."""
    found = []
    for seed in range(9):
        rng = np.random.default_rng(seed)
        numbers = rng.lognormal(0, 1, (n_columns, n))
        names = [f"w{i}" for i in range(n_columns)]
        df = pl.DataFrame({"y": rng.integers(0, 3, n), **dict(zip(names, numbers, strict=True))})
        deals = (sf.kfold(df, by, k, seed=seed)["fold"] for by in ("y", ["y", sf.total(*names)]))
        found.append([worst(folds, numbers, k) for folds in deals])
    before, after = np.median(found, axis=0)
    assert before > plain
    assert after < bar


def test_totals_of_groups() -> None:
    """Of assignments with no larger loss of counts, one with far more even totals is found."""
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        who = np.repeat(np.arange(60), rng.integers(1, 8, 60))
        y = rng.integers(0, 2, len(who))
        w = rng.lognormal(0, 1, len(who))
        df = pl.DataFrame({"who": who, "y": y, "w": w})
        by = ["y", sf.total("w")]
        deals = [sf.kfold(df, each, groups="who", seed=seed)["fold"] for each in ("y", by)]
        losses = [loss_of(y, folds.to_list(), 5) for folds in deals]
        assert losses[1] <= losses[0] + 1e-9
        found.append([worst(folds, w, 5) for folds in deals])
        turned = df.sample(fraction=1, shuffle=True, seed=seed)
        first = df.with_columns(first=deals[1])["who", "first"].unique()
        again = sf.kfold(turned, by, groups="who", seed=seed).join(first, "who")
        assert (again["fold"] == again["first"]).all()
    assert np.median(found, axis=0)[1] < np.median(found, axis=0)[0] / 10


def test_totals_of_parts_by_counts() -> None:
    """Parts given as counts of rows hold these, and their shares of the totals; groups do, too."""
    data = {"y": [0, 1] * 30, "w": [1.5**i for i in range(20)] * 3}
    df = pl.DataFrame({**data, "who": [i // 2 for i in range(60)]})
    for groups in (None, "who"):
        out = sf.split(df, ["y", sf.total("w")], {"a": 40, "b": None}, groups=groups)
        parts = values(out, "split")
        assert parts.count("a") == 40
        held = sum(w for w, part in zip(data["w"], parts, strict=True) if part == "a")
        assert abs(held / sum(data["w"]) - 2 / 3) < 0.01


@pytest.mark.parametrize("totals", [sf.total("w"), sf.total("w", "x")])
def test_totals_beside_clusters_with_a_key(totals: Any) -> None:
    """Totals after clusters, which order the rows, change no count."""
    rng = np.random.default_rng(3)
    data = {name: rng.normal(size=90).tolist() for name in ("w", "x", "y")}
    df = pl.DataFrame(data | {"id": list(range(90)), "site": [*"aab"] * 30})
    by = ["site", sf.clusters(["x", "y"], n=4)]
    shares = {"train": 0.55, "valid": 0.3, "test": 0.15}

    plain = sf.split(df, by, shares, key="id")
    found = sf.split(df, [*by, totals], shares, key="id")

    tables = [columns_of(sf.balance(each, by, name="split")) for each in (plain, found)]
    assert tables[0]["n"] == tables[1]["n"]
