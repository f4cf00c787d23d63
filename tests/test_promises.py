"""The promises of the package, as properties over all kinds of frame."""

import datetime as dt
from collections import Counter
from fractions import Fraction
from itertools import accumulate, chain, combinations, pairwise
from math import ceil, floor
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import KINDS, eager, make, some_slow, spread, values

kinds = pytest.mark.parametrize("kind", some_slow(KINDS, set(KINDS) - {"pandas"}))
"""All kinds in the slow run, and one in a plain one: `test_calls.py` compares calls on all kinds,
and `tests/frames` reads what each kind holds."""
seeds = st.integers(0, 2**40)
PARTS = {"train": 0.7, "valid": 0.2, "test": 0.1}


def columns(
    *cards: int, least: int = 10, most: int = 60
) -> st.SearchStrategy[dict[str, list[Any]]]:
    """Columns a, b, ... of small whole numbers, and a row number `id`."""

    def of_size(n: int) -> st.SearchStrategy[dict[str, list[Any]]]:
        drawn = {
            name: st.lists(st.integers(0, card - 1), min_size=n, max_size=n)
            for name, card in zip("abcd", cards, strict=False)
        }
        return st.fixed_dictionaries(drawn | {"id": st.permutations(range(n)).map(list)})

    return st.integers(least, most).flatmap(of_size)


def prices(n: int) -> list[float]:
    """Values with fractions and many ties."""
    return [float(np.sin(i) * 5 // 0.5 / 2 + 0.25) for i in range(n)]


def shares(n_parts: int) -> st.SearchStrategy[dict[str, float]]:
    """Parts whose shares are hundredths."""
    cuts = st.lists(st.integers(1, 99), min_size=n_parts - 1, max_size=n_parts - 1, unique=True)

    def between(points: list[int]) -> dict[str, float]:
        ends = [0, *sorted(points), 100]
        return {f"part{i}": (high - low) / 100 for i, (low, high) in enumerate(pairwise(ends))}

    return cuts.map(between)


def deal(frame: Any, by: Any, wanted: Any, **options: Any) -> list[Any]:
    """List the folds of a number of them, or the parts of shares."""
    verb, name = (sf.kfold, "fold") if isinstance(wanted, int) else (sf.split, "split")
    return values(verb(frame, by, wanted, **options), name)


def strata_rows(*cols: list[Any]) -> dict[tuple[Any, ...], list[int]]:
    rows: dict[tuple[Any, ...], list[int]] = {}
    for row, stratum in enumerate(zip(*cols, strict=True)):
        rows.setdefault(stratum, []).append(row)
    return rows


@kinds
@given(data=columns(4, 3), gaps=st.sets(st.integers(0, 9)), seed=seeds)
def test_only_missing_rows_have_no_fold(kind, data, gaps, seed):
    """With `missing="null"` the rows without a value, and no others, have no fold."""
    data["b"] = [None if row in gaps else b for row, b in enumerate(data["b"])]
    assume(len(data["a"]) - len(gaps) >= 3)
    options: dict[str, Any] = {"missing": "null", "rare": "ignore", "seed": seed}
    folds = deal(make(kind, data), ["a", "b"], 3, **options)
    assert {row for row, fold in enumerate(folds) if fold is None} == gaps
    assert spread(list(zip(data["a"], data["b"], strict=True)), folds, 3) <= 1


@kinds
@given(data=columns(5), k=st.integers(2, 6), seed=seeds)
def test_only_rare_rows_have_no_fold(kind, data, k, seed):
    """With `rare="null"` the rows of classes smaller than k, and no others, have no fold."""
    sizes = Counter(data["a"])
    assume(sum(n for n in sizes.values() if n >= k) >= k)
    folds = deal(make(kind, data), "a", k, rare="null", seed=seed)
    assert [fold is None for fold in folds] == [sizes[a] < k for a in data["a"]]


WEIGHTS: dict[str, Any] = {
    "lognormal": lambda i: float(np.exp(np.sin(37 * i) * 2)),
    "heavy": lambda i: 1.7**i,
    "signed": lambda i: i * 7919 % 23 - 11,
    "zero": lambda _: 0,
}


def loss_of_totals(columns: np.ndarray, parts: np.ndarray, share: np.ndarray) -> float:
    """The sum of squared deviations by targets, these of absolute values, as shares of these."""
    held = np.array([np.bincount(parts, column, len(share)) for column in columns])
    off = held - columns.sum(axis=1, keepdims=True) * share
    scale = np.maximum(np.abs(columns).sum(axis=1, keepdims=True), 1e-300)
    return float(((off / scale) ** 2 / share).sum())


@kinds
@settings(max_examples=25)
@given(
    data=columns(3, 3, least=10, most=40),
    weights=st.lists(st.sampled_from(sorted(WEIGHTS)), min_size=1, max_size=3, unique=True),
    parts=st.integers(2, 5) | st.integers(2, 4).flatmap(shares),
    keyed=st.booleans(),
    seed=seeds,
)
@pytest.mark.filterwarnings("ignore:.* no rows:stratframe.StratWarning")
def test_totals(kind, data, weights, parts, keyed, seed):
    """No swap of two rows of a stratum brings totals nearer to their shares."""
    data |= {each: [WEIGHTS[each](i) for i in data["id"]] for each in weights}
    options: dict[str, Any] = {"seed": seed, "rare": "ignore", "key": "id" if keyed else None}

    def places(rows: dict[str, list[Any]], *last: Any, kind: str = kind) -> np.ndarray:
        names = list(range(parts) if isinstance(parts, int) else parts)
        dealt = deal(make(kind, rows), ["a", "b", *last], parts, **options)
        return np.array([names.index(name) for name in dealt])

    ordered = [sf.continuous(weights[0])] * (len(weights) == 1)
    found = places(data, sf.total(*weights))
    start = places(data, *ordered)
    assert (found == places(data, sf.total(*weights), kind="polars")).all()
    if keyed:
        turned = {name: [column[row] for row in data["id"]] for name, column in data.items()}
        assert (places(turned, sf.total(*weights)) == found[data["id"]]).all()
    share = np.array([1 / parts] * parts if isinstance(parts, int) else list(parts.values()))
    numbers = np.array([data[each] for each in weights], dtype=float)
    loss = loss_of_totals(numbers, found, share)
    if not (keyed and ordered):  # with a key, an order alone can have other counts
        assert loss <= loss_of_totals(numbers, start, share) + 1e-12
    for rows in strata_rows(data["a"], data["b"]).values():
        for one, other in combinations(rows, 2):
            swapped = found.copy()
            swapped[[one, other]] = found[[other, one]]
            assert loss_of_totals(numbers, swapped, share) > loss * (1 - 1e-6) - 1e-12


@kinds
@given(
    data=columns(3, 3, 3, least=10, most=40),
    n_levels=st.integers(0, 3),
    weights=st.lists(st.sampled_from(sorted(WEIGHTS)), min_size=1, max_size=2, unique=True),
    parts=st.integers(2, 5) | st.integers(2, 4).flatmap(shares),
    key=st.sampled_from(["id", None]),
    seed=seeds,
)
@pytest.mark.filterwarnings("ignore:.* no rows:stratframe.StratWarning")
def test_totals_change_no_count(kind, data, n_levels, weights, parts, key, seed):
    """Each stratum has as many rows in each part as without totals, and so has a plan."""
    data |= {each: [WEIGHTS[each](i) for i in data["id"]] for each in weights}
    df = make(kind, data)
    by = list("abc"[:n_levels])
    total = sf.total(*weights)
    options: dict[str, Any] = {"seed": seed, "rare": "ignore", "key": key}

    plain = deal(df, by or None, parts, **options)
    found = deal(df, [*by, total], parts, **options)

    for depth in range(n_levels + 1):
        strata = list(zip(*(data[name] for name in by[:depth]), strict=True)) or [()] * len(plain)
        assert Counter(zip(strata, found, strict=True)) == Counter(zip(strata, plain, strict=True))
    shares_of_plan = {"k": parts} if isinstance(parts, int) else {"parts": parts}
    plans = [sf.plan(df, each, **shares_of_plan, **options) for each in (by or None, [*by, total])]
    assert eager(plans[0]).equals(eager(plans[1]))


BY: dict[str, Any] = {
    "none": None,
    "class": "a",
    "nested": ["a", "b"],
    "continuous": "v",
    "class, continuous": ["a", sf.continuous("v")],
    "quantiles": ["a", sf.quantiles("v", 2)],
    "bins": [sf.bins("v", [-9, 0, 9]), "b"],
    "clusters": ["a", sf.clusters(["v", "b"], 3)],
    "mini-batch clusters": [sf.clusters(["v", "b"], 2, algorithm="minibatch"), "a"],
    "chain": ["a", sf.chain(["v", "b"])],
    "nearest": ["a", sf.nearest(["v", "b"])],
}
RECODINGS: dict[str, Any] = {
    "string": lambda x: f"class {9 - x}",
    "whole float": lambda x: float(x),
    "boolean": lambda x: x == 1,
    "date": lambda x: dt.date(2020, 1, 1 + 7 * (x % 4)),
    "datetime": lambda x: dt.datetime(2020, 1, 1, x % 4),
    "time span": lambda x: dt.timedelta(hours=5 - x),
}


@kinds
@given(
    data=columns(2, 3, 8, least=20),
    seed=seeds,
    to_type=st.sampled_from(list(RECODINGS)),
    call=st.sampled_from([(["b", "a"], None), ("a", "c"), (sf.margins(["a"]), "c")]),
)
@settings(max_examples=15)
@pytest.mark.filterwarnings("ignore:The largest group:stratframe.StratWarning")
def test_names_do_not_matter(kind, data, seed, to_type, call):
    """Renaming classes or recoding their type changes no fold, of rows or of whole groups."""
    by, groups = call
    assume(len(set(data["c"])) > 2)
    options: dict[str, Any] = {"groups": groups, "seed": seed, "rare": "ignore"}
    renamed = data | {"a": [RECODINGS[to_type](a) for a in data["a"]]}
    before, after = (deal(make(kind, each), by, 3, **options) for each in (data, renamed))
    assert before == after


KEYS: dict[str, Any] = {
    "integer": lambda i: i * 3 - 50,
    "string": lambda i: f"r{i:03d}ü" if i % 2 else f"R{i:03d}",
    "date": lambda i: dt.date(1990, 1, 1) + dt.timedelta(days=31 * i),
    "datetime": lambda i: dt.datetime(2020, 1, 1) + dt.timedelta(microseconds=i),
    "float": lambda i: i / 7,
}
types_of_keys = st.sampled_from(list(KEYS))


@kinds
@given(data=columns(3, 2), by=st.sampled_from(sorted(BY)), seed=seeds, type_of_key=types_of_keys)
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_key_frees_folds_from_row_order(kind, data, by, seed, type_of_key):
    """With a key, a permuted frame gets the permuted folds and parts."""
    n = len(data["a"])
    data |= {"v": prices(n), "key": [KEYS[type_of_key](i) for i in data["id"]]}
    order = sorted(range(n), key=lambda row: data["id"][row] * 7 % n)
    turned = {name: [column[row] for row in order] for name, column in data.items()}
    for wanted in (3, PARTS):
        frames = (make(kind, each) for each in (data, turned))
        here, there = (deal(each, BY[by], wanted, key="key", seed=seed) for each in frames)
        assert there == [here[row] for row in order]


GROUPED: dict[str, tuple[Any, dict[str, Any]]] = {
    "no strata": (None, {}),
    "two columns": (["a", "b"], {"groups": ["key", "b"]}),
    "quantiles": (["a", sf.quantiles("v", 2)], {}),
    "continuous": (["b", "v"], {"where": "some"}),
    "bins, pooled": (["a", sf.bins("v", [-9, 0, 9])], {"rare": "pool"}),
    "margins": (sf.margins(["a", "b", sf.quantiles("v", 2)]), {}),
    "missing is left out": (["a", "gap"], {"missing": "null"}),
    "missing is a stratum": (["a", "gap"], {"missing": "stratum"}),
}


@kinds
@settings(max_examples=8)
@given(
    data=columns(3, 2, 12, least=20),
    call=st.sampled_from(sorted(GROUPED)),
    type_of_group=types_of_keys,
    k=st.integers(2, 4),
    seed=seeds,
)
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_groups_are_free_of_row_order(kind, data, call, type_of_group, k, seed):
    """In a permuted frame each group has the same fold; `extend` and `plan` give the same, too."""
    by, options = GROUPED[call]
    assume(len(set(data["c"])) >= 5)
    n = len(data["a"])
    data |= {"v": prices(n), "key": [KEYS[type_of_group](c) for c in data["c"]]}
    data["some"] = [c > 0 for c in data["c"]]
    data["gap"] = [None if c == 1 else a for a, c in zip(data["a"], data["c"], strict=True)]
    data["given"] = [c % k if c > 7 else None for c in data["c"]]
    turned = {name: [column[row] for row in data["id"]] for name, column in data.items()}
    options = {"groups": "key", "rare": "ignore", "seed": seed, **options}
    extended = {name: value for name, value in options.items() if name != "rare"}
    here = []
    there = []
    for found, rows in ((here, data), (there, turned)):
        frame = make(kind, rows)
        found.append(deal(frame, by, k, **options))
        found.append(values(sf.extend(frame, by, k, name="given", **extended), "given"))
    assert there == [[column[row] for row in data["id"]] for column in here]
    if call == "two columns":
        plans = [sf.plan(make(kind, rows), by, k, **options) for rows in (data, turned)]
        assert values(plans[0], "n") == values(plans[1], "n")


TOGETHER: dict[str, Any] = {
    "one column": "c",
    "two columns": ["c", "b"],
    "linked": sf.linked("c", "pair"),
    "similar": sf.similar("c", within=0.5, metric="euclidean"),
    "clusters": sf.clusters("c", 5, scale=None),
}


@kinds
@settings(max_examples=15)
@given(
    data=columns(3, 2, 12, least=12, most=40),
    by=st.sampled_from([None, ["a", "b"], ["a", sf.quantiles("v", 2)], sf.margins(["a", "b"])]),
    groups=st.sampled_from(sorted(TOGETHER)),
    wanted=st.integers(2, 5) | st.integers(2, 5).flatmap(shares),
    seed=seeds,
)
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_no_part_of_groups_is_empty(kind, data, by, groups, wanted, seed):
    """With at least as many groups as parts or folds, none is empty, whatever the order of rows."""
    n_parts = wanted if isinstance(wanted, int) else len(wanted)
    assume(len(set(data["c"])) >= n_parts)
    n = len(data["a"])
    data["v"], data["pair"] = prices(n), [f"{c}-{i % 3}" for i, c in enumerate(data["c"])]
    turned = {name: [column[row] for row in data["id"]] for name, column in data.items()}
    options: dict[str, Any] = {"groups": TOGETHER[groups], "rare": "ignore", "seed": seed}
    here, there = (deal(make(kind, each), by, wanted, **options) for each in (data, turned))
    assert len(set(here)) == n_parts
    if groups != "clusters":
        assert there == [here[row] for row in data["id"]]


@kinds
@given(
    data=columns(5, least=4, most=20),
    gaps=st.sets(st.integers(0, 19)),
    k=st.integers(2, 6),
    rare=st.sampled_from(["null", "pool", "ignore"]),
    by=st.sampled_from(["a", ["a", sf.continuous("id")], sf.margins(["a"])]),
    seed=seeds,
)
def test_no_fold_is_empty(kind, data, gaps, k, rare, by, seed):
    """No fold is empty, or the error says that there are too few rows."""
    data["some"] = [i % 3 > 0 for i in data["id"]]
    data["a"] = [None if row in gaps else a for row, a in enumerate(data["a"])]
    options: dict[str, Any] = {"where": "some", "missing": "null", "rare": rare, "seed": seed}
    try:
        folds = deal(make(kind, data), by, k, **options)
    except sf.StratError as error:
        assert str(error).startswith("`k` must be at most the number of rows")  # noqa: PT017
    else:
        assert set(folds) - {None} == set(range(k))


@kinds
@given(
    data=columns(3, 2),
    levels=st.integers(0, 2),
    order=st.sampled_from(["frame", "key", "continuous"]),
    wanted=st.integers(2, 6) | st.integers(2, 4).flatmap(shares),
)
@pytest.mark.filterwarnings("ignore:.* no rows:stratframe.StratWarning")
def test_contiguous(kind, data, levels, order, wanted):
    """Each stratum is cut at its quotas, or next to equal values at the nearer end."""
    n = len(data["a"])
    by = ["a", "b"][:levels]
    data["v"] = prices(n)
    if isinstance(wanted, int):
        exact = dict.fromkeys(range(wanted), Fraction(1, wanted))
    else:
        exact = {part: Fraction(share).limit_denominator(100) for part, share in wanted.items()}
    options = {"deal": "contiguous", "rare": "ignore", "key": "id" if order == "key" else None}
    last = [sf.continuous("v")] if order == "continuous" else []
    dealt = deal(make(kind, data), [*by, *last] or None, wanted, **options)
    # A column without ties shows the quotas.
    even = deal(make(kind, data), [*by, sf.continuous("id")], wanted, **options)
    place = {"frame": range(n), "key": data["id"], "continuous": data["v"]}[order]
    for level in range(levels + 1):
        coarse = [data[each] for each in by[:level]] or [[0] * n]
        for rows in strata_rows(*coarse).values():
            quotas = Counter(even[row] for row in rows)
            for part, share in exact.items():
                assert floor(len(rows) * share) <= quotas[part] <= ceil(len(rows) * share)
            if level < levels:
                continue
            rows.sort(key=lambda row: place[row])
            steps = pairwise(place[row] for row in rows)
            inside = [end for end, (one, other) in enumerate(steps, 1) if one < other]
            ends = [0, *inside, len(rows)]
            cuts = accumulate((quotas[part] for part in exact), initial=0)
            due = accumulate((len(rows) * share for share in exact.values()), initial=0)
            nearest = []
            for cut, goal in zip(cuts, due, strict=True):
                around = max(end for end in ends if end <= cut), min(e for e in ends if e >= cut)
                nearest.append(min(around, key=lambda end, goal=goal: (abs(end - goal), -end)))
            for part, (start, end) in zip(exact, pairwise(nearest), strict=True):
                assert [dealt[row] for row in rows[start:end]] == [part] * (end - start)
    if order == "key" or (not by and last):
        turned = {column: [cells[row] for row in data["id"]] for column, cells in data.items()}
        there = deal(make(kind, turned), [*by, *last] or None, wanted, **options)
        assert there == [dealt[row] for row in data["id"]]


@kinds
@given(data=columns(3), seed=seeds)
def test_key_orders_as_if_sorted(kind, data, seed):
    """Where rows are dealt along an order, a key gives the folds of the frame sorted by the key."""
    n = len(data["a"])
    data |= {"half": [i % 2 for i in data["id"]], "v": [i // 3 for i in range(n)]}
    order = sorted(range(n), key=lambda row: (data["half"][row], data["id"][row]))
    turned = {name: [column[row] for row in order] for name, column in data.items()}
    by = ["a", sf.continuous("v")]
    options = {"seed": seed, "rare": "ignore"}
    keyed = deal(make(kind, data), by, 3, key=["half", "id"], **options)
    plain = deal(make(kind, turned), by, 3, **options)
    assert [keyed[row] for row in order] == plain


@pytest.mark.parametrize(
    ("verb", "wanted", "n_parts", "to_key"),
    [(sf.kfold, 5, 5, lambda i: i), (sf.split, PARTS, 3, lambda i: f"customer-{i}")],
)
def test_added_rows_move_few_others(verb: Any, wanted: Any, n_parts: int, to_key: Any) -> None:
    """If 1 % more rows are added, fewer than 1 % of the old rows change folds."""
    n = 12_000
    m = 120
    moved = []
    data = {"a": [i % 10 % 3 for i in range(n + m)], "key": [to_key(i * 7) for i in range(n + m)]}
    frame = pl.DataFrame(data)
    for seed in range(20):
        before, after = (
            verb(each, "a", wanted, key="key", seed=seed)[:n, -1].cast(str)
            for each in (frame.head(n), frame)
        )
        moved.append((before != after).sum())
    assert max(moved) < 0.01 * n
    bound = sum(n_parts * ((share * m) ** 0.5 / 2 + 2) for share in (0.4, 0.3, 0.3))
    assert 0 < np.mean(moved) < bound


PLANNED: dict[str, Any] = {
    "nested": (["a", "b"], {}),
    "continuous": (["a", sf.continuous("v")], {}),
    "clusters": (["a", sf.clusters("v", 2)], {}),
    "circular": ("a", {"deal": "circular"}),
    "total": (["a", sf.total("v")], {}),
    "totals": (["a", sf.total("v", "b")], {}),
    "contiguous": (["a", sf.continuous("v")], {"deal": "contiguous"}),
}


@pytest.mark.parametrize(("by", "options"), PLANNED.values(), ids=list(PLANNED))
def test_keyed_plans(by: Any, options: dict[str, Any]) -> None:
    """With a key, too, a plan has the counts of the same call."""
    data = {"id": range(40), "a": [i * i % 7 % 4 for i in range(40)], "v": prices(40)}
    frame = pl.DataFrame({**data, "b": [i // 5 % 3 for i in range(40)]})
    for seed in range(8):
        options = {"key": "id", "rare": "ignore", **options, "seed": seed}
        plan = sf.plan(frame, by, 3, **options).group_by("a", "fold").agg(pl.col("n").sum())
        folds = sf.kfold(frame, by, 3, **options)
        counts = Counter(zip(folds["a"], folds["fold"], strict=True))
        cells = {(*cell, n) for cell, n in counts.items()}
        assert {row for row in plan.rows() if row[-1]} == cells


REPEATED: dict[str, dict[str, Any]] = {
    "folds": {"by": "a", "k": 3},
    "parts": {"by": ["a", "b"], "parts": {"a": 0.55, "b": 0.25, "c": 0.2}},
    "a share": {"by": ["a", sf.continuous("v")], "parts": 0.3},
    "margins": {"by": sf.margins(["a", "b"]), "parts": 0.3},
    "groups": {"by": "a", "parts": PARTS, "groups": "c"},
    "key": {"by": "a", "parts": 0.3, "key": "id"},
    "where": {"by": "a", "k": 4, "where": "some", "name": "mine"},
    "totals": {"by": ["a", sf.total("v", "c")], "k": 4},
}


@pytest.mark.parametrize("call", REPEATED)
def test_repeats_extend(call: str) -> None:
    """The first column is that of one repeat, and more repeats change no earlier one."""
    data = {"a": list("aabab" * 12), "b": [0, 1, 1] * 20, "c": [i // 4 for i in range(60)]}
    data |= {"id": range(60), "v": prices(60), "some": [i % 6 > 0 for i in range(60)]}
    frame = pl.DataFrame(data)
    options = {"seed": 3, "rare": "ignore", **REPEATED[call]}
    verb, default = (sf.split, "split") if "parts" in options else (sf.kfold, "fold")
    name = options.get("name", default)
    few, many = (verb(frame, repeats=n, **options) for n in (3, 5))
    columns = [values(many, f"{name}_{i}") for i in range(1, 6)]
    assert columns[0] == values(verb(frame, **options), name)
    assert columns[:3] == [values(few, f"{name}_{i}") for i in range(1, 4)]
    assert len(set(map(tuple, columns))) == 5


@pytest.mark.parametrize("nullable", [False, True])
def test_one_column_more_and_nothing_else(nullable: bool) -> None:
    """The caller's frame stays as it was, and the new column holds whole numbers."""
    index = pd.MultiIndex.from_tuples([("x", 1), ("x", 1), ("y", 2), ("y", 3)], names=["u", None])
    cells = {"label": list("abab"), 3: [1.5, None, 2, 3], "c": pd.Categorical(list("ppqq"))}
    frame = pd.DataFrame(cells, index)
    frame.attrs = {"source": ["here"]}
    before = frame.copy(deep=True)
    out = sf.kfold(frame, "label", 2, missing="null" if nullable else "error")
    pd.testing.assert_frame_equal(frame, before)
    assert frame.attrs == out.attrs == {"source": ["here"]}
    pd.testing.assert_frame_equal(out.drop(columns="fold"), before)
    assert str(out["fold"].dtype) == ("Int64" if nullable else "int64")
    out.loc[:, "label"] = "changed"
    pd.testing.assert_frame_equal(frame, before)


def test_many_columns_are_no_warning() -> None:
    """A frame that pandas calls fragmented gets its column without a warning."""
    frame = pd.DataFrame({f"x{i}": np.arange(6) % 2 for i in range(150)})
    assert sf.kfold(frame, "x0", 2)["fold"].nunique() == 2


@pytest.mark.filterwarnings("ignore:Passing a BlockManager:DeprecationWarning")  # pandas 2.2's own
@pytest.mark.parametrize("repeats", [1, 2])
def test_subclasses_stay(repeats: int) -> None:
    """A subclass of a pandas frame gives a frame of its own class, with its own attributes."""

    class Mine(pd.DataFrame):
        _metadata: ClassVar[list[str]] = ["source"]

        @property
        def _constructor(self) -> Any:
            return Mine

    frame = Mine({"a": [1, 1, 2, 2]})
    frame.source, frame.attrs["unit"] = "survey", ["cm"]
    frame.flags.allows_duplicate_labels = False
    out: Any = sf.kfold(frame, "a", 2, repeats=repeats)
    assert type(out) is Mine
    assert (out.source, out.attrs) == ("survey", {"unit": ["cm"]})
    assert not out.flags.allows_duplicate_labels
    out.attrs["unit"].append("m")
    assert frame.attrs == {"unit": ["cm"]}


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> pl.LazyFrame:
    """A Parquet file of several row groups."""
    path = tmp_path_factory.mktemp("scan") / "rows.parquet"
    rows = {"id": range(5_000), "y": [i * i % 7 for i in range(5_000)], "x": range(5_000)}
    pl.DataFrame(rows).write_parquet(path, row_group_size=700)
    return pl.scan_parquet(path)


def keep_few(lazy: pl.LazyFrame) -> pl.LazyFrame:
    return lazy.filter(pl.col("id") % 3 > 0).with_columns(z=pl.col("y") // 2).slice(100, 2_000)


LAZY_CALLS: dict[str, Any] = {
    "kfold": lambda lazy: sf.kfold(lazy, "y", k=4),
    "key": lambda lazy: sf.kfold(lazy, "y", k=4, key="id"),
    "quantiles": lambda lazy: sf.kfold(lazy, ["y", sf.quantiles("x", 3)], k=4),
    "repeats": lambda lazy: sf.kfold(lazy, "y", k=4, repeats=3),
    "split": lambda lazy: sf.split(lazy, "y", {"train": 0.7, "test": 0.3}),
    "where": lambda lazy: sf.kfold(lazy, "y", k=4, where=pl.col("id") < 1_500),
    "twice": lambda lazy: sf.kfold(sf.split(lazy, "y"), ["y", "split"], k=4),
    "overwrite": lambda lazy: sf.kfold(lazy.select("id", "y", fold=1), "y", overwrite=True),
}
JOINED = pl.LazyFrame({"y": [0, 1], "w": [5, 6]})
AFTER: dict[str, Any] = {
    "nothing": lambda lazy: lazy,
    "filter": lambda lazy: lazy.filter(pl.col("y") == 1),
    "head": lambda lazy: lazy.head(30),
    "slice": lambda lazy: lazy.slice(800, 900),
    "tail": lambda lazy: lazy.tail(30),
    "select": lambda lazy: lazy.select(pl.last(), "y"),
    "reads the fold": lambda lazy: lazy.filter(pl.last().cast(str).is_in(["0", "test"])),
    "join": lambda lazy: lazy.join(JOINED, on="y", maintain_order="left"),
}


@pytest.mark.parametrize("before", [None, keep_few], ids=["scan", "filtered"])
@pytest.mark.parametrize("call", LAZY_CALLS.values(), ids=list(LAZY_CALLS))
def test_what_follows_a_lazy_deal_changes_no_fold(scan, before, call):
    """Any step after a lazy verb gives what it gives on the collected frame."""
    given = scan if before is None else before(scan)
    query = call(given)
    dealt = call(given.collect())
    assert query.collect_schema() == dealt.schema
    expected = [after(dealt.lazy()).collect() for after in AFTER.values()]
    queries = [after(query) for after in AFTER.values()]
    for engine in ("in-memory", "streaming"):
        for one, other in zip(queries * 2, expected * 2, strict=True):
            assert one.collect(engine=engine).equals(other)
        together = pl.collect_all(queries, engine=engine)
        assert all(one.equals(other) for one, other in zip(together, expected, strict=True))


VARYING: dict[str, Any] = {
    "shuffled values": lambda lazy: lazy.with_columns(pl.col("y").shuffle()),
    "a Python function": lambda lazy: lazy.map_batches(lambda df: df.sample(fraction=1)),
    "no order": lambda lazy: lazy.unique(),
    "groups": lambda lazy: lazy.group_by("id").agg(pl.col("y").first()),
    "a join": lambda lazy: lazy.join(lazy.select("id", z="x"), on="id", how="inner"),
}


@pytest.mark.parametrize("vary", VARYING.values(), ids=list(VARYING))
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_queries_that_vary_are_dealt_as_they_are_collected(scan, vary):
    """Folds belong to the values of their rows, even if each run of a query gives others."""
    for engine in ("in-memory", "streaming"):
        folds = sf.kfold(vary(scan), "y", k=4).collect(engine=engine)
        assert spread(folds["y"].to_list(), folds["fold"].to_list(), 4) <= 1


def test_a_drawn_seed_is_drawn_once() -> None:
    """`seed=None` is drawn when the plan is made: collecting twice gives the same folds."""
    frame = pl.LazyFrame({"a": [1, 2] * 50})
    plan, other = (frame.strat.kfold("a", seed=None) for _ in range(2))
    assert plan.collect().equals(plan.collect())
    assert not plan.collect().equals(other.collect())


@kinds
@given(
    blocks=st.lists(st.sampled_from(range(-27, 28, 3)), min_size=2, max_size=30),
    gap=st.integers(0, 4),
    window=st.none() | st.integers(1, 5),
)
def test_the_past_is_the_past(kind: str, blocks: list[int], gap: int, window: int | None) -> None:
    """With `train="past"` each training label is smaller, by more than `gap` labels."""
    ranks = {block: rank for rank, block in enumerate(sorted(set(blocks)))}
    assume(len(ranks) > gap + 1)
    frame = make(kind, {"block": blocks})
    folds = list(sf.folds(frame, "block", train="past", gap=gap, window=window))
    assert [ranks[fold.fold] for fold in folds] == list(range(gap + 1, len(ranks)))
    for fold in folds:
        train = values(fold.train, "block")
        valid = values(fold.valid, "block")
        assert max(train) < min(valid)
        assert ranks[min(valid)] - ranks[max(train)] == gap + 1
        assert len(set(train)) == min(window or len(ranks), ranks[fold.fold] - gap)


@kinds
@given(data=columns(3, least=30), seed=seeds)
def test_nested_cv(kind, data, seed):
    """In every outer training set each label's inner counts differ by at most 2."""
    frame = make(kind, data)
    out = frame.strat.kfold("a", k=5, seed=seed, rare="ignore")
    out = out.strat.kfold(["a", "fold"], k=3, name="inner", seed=seed, rare="ignore")
    for outer in out.strat.folds():
        train = eager(outer.train)
        assert spread(values(train, "a"), values(train, "inner"), 3) <= 2
        seen = [values(fold.valid, "id") for fold in outer.train.strat.folds("inner")]
        assert sorted(chain.from_iterable(seen)) == sorted(values(train, "id"))
