"""Random frames and calls: the same answer on every kind of frame, with its promises kept.

`pytest --hypothesis-profile=long tests/test_calls.py` tries a hundred times as many. No fold column
may have a larger loss than those of scikit-learn's `StratifiedGroupKFold` and `StratifiedKFold`.
"""

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate, pairwise
from math import ceil, floor, isclose
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from polars.testing import assert_frame_equal as assert_polars_equal
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

import stratframe as sf
from tests.helpers import KINDS, eager, loss_of, make, peer_folds, split_groups, values

pytestmark = pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
rngs = st.integers(0, 2**60).map(Random)
Data = dict[str, list[Any]]
CLASSES: list[list[Any]] = [
    [0, 1, 2, 3, 4, 5],
    [-3, 0, 7, 2**40, -(2**62), 2**53 + 1],
    ["a", "b", "c", "d", "e", "f"],
    ["", " ", "é", "e\u0301", "a" * 40, "0"],
    [True, False],
    [dt.date(2020, 1, day) for day in (5, 1, 3)],
    [dt.datetime(2020, 1, 1, hour) for hour in (0, 23, 7, 9)],
    [0.0, -1.0, 4.0, 1e15],
]


def draw_data(rng: Random) -> Data:
    """Draw a small frame: classes, numbers with ties, groups and keys, some with gaps."""
    n = rng.choice([0, 1, 2, rng.randint(3, 20), rng.randint(10, 120), rng.randint(10, 120)])
    classes = rng.choice(CLASSES)
    classes = rng.sample(classes, rng.randint(1, len(classes)))
    weights = [rng.random() ** rng.choice([0, 1, 4]) for _ in classes]
    group = rng.choice(["group {}", None])
    key = rng.choice(["{:x}", None])
    n_groups = rng.randint(1, max(n, 1))
    step = rng.choice([0.5, 0.1, 1e-6])
    groups = [rng.randrange(n_groups) for _ in range(n)]
    ids = rng.sample(range(10 * n + 1), n)
    data = {
        "label": rng.choices(classes, weights, k=n),
        "a": [rng.randint(0, 2) for _ in range(n)],
        "v": [round(rng.gauss(0, 2) / step) * step + 0.25 for _ in range(n)],
        "w": [round(rng.gauss(0, 2) / step) * step + 0.25 for _ in range(n)],
        "g": [group.format(each) for each in groups] if group else groups,
        "id": [key.format(each) for each in ids] if key else ids,
        "keep": [rng.random() < 0.8 for _ in range(n)],
    }
    data["side"] = [value <= 0 for value in data["w"]]
    for name in ("label", "a", "g", "v"):
        share = rng.choice([0, 0, 0, 0, 0, 0, 0, 0, 0.05, 0.5])
        if share and n > 2 and 2**53 + 1 not in data[name]:  # which no float is
            data[name] = [None if rng.random() < share else value for value in data[name]]
    return data


def forms_of(rng: Random, data: Data) -> dict[str, Any]:
    """Make the same data on three kinds of frame, some with other types and indexes."""
    forms = {kind: make(kind, data) for kind in KINDS}
    plain = forms["pandas"]
    polars = forms["polars"]
    index = pd.Index([rng.randint(0, 3) for _ in range(len(plain))], name="row")
    forms["pandas, odd index"] = plain.set_axis(index)
    if all(isinstance(value, str) for value in data["label"]):
        forms["pandas, categories"] = plain.astype({"label": "category"})
        forms["polars, categories"] = polars.cast({"label": pl.Categorical})
        forms["pandas, objects"] = plain.astype({"label": object})
    if all(type(value) is int for value in data["a"]):
        forms["pandas, short"] = plain.astype({"a": "int8"})
        forms["polars, short"] = polars.cast({"a": pl.UInt8})
    if polars.schema["label"] == pl.Datetime:
        forms["polars, ns"] = polars.cast({"label": pl.Datetime("ns")})
    return {kind: forms[kind] for kind in rng.sample(sorted(forms), 3)}


def draw_by(rng: Random) -> tuple[list[str], Any]:
    """Draw `by`: the strata that it nests, from its first entry on, and what comes after them."""
    levels = rng.sample(["label", "a", "keep", "side"], rng.choice([0, 1, 1, 2, 2, 3]))
    edges = sorted(rng.sample(range(-8, 9), rng.randint(1, 3)))
    features = rng.choice([["v"], ["v", "w"], ["w", "v", "a"]])
    lasts = [
        *[None] * 9,
        sf.continuous("v"),
        sf.quantiles("v", rng.randint(2, 9)),
        sf.bins("w", [-np.inf, *edges, np.inf], closed=rng.choice(["left", "right"])),
        sf.bins("w", [-50, *edges, 50]),
        sf.chain(features),
        sf.total(*features),
        sf.total("v"),
        sf.nearest(features, block=rng.choice([None, None, 3])),
        sf.clusters(features, rng.randint(1, 3)),
        sf.margins(rng.sample(["label", "a", "keep"], rng.randint(1, 3))),
    ]
    last = rng.choice(lasts)
    return ([], last) if isinstance(last, type(sf.margins(["a"]))) else (levels, last)


def draw_parts(rng: Random, n: int) -> Any:
    """Draw parts: a share of test, shares, or counts."""
    kind = rng.random()
    if kind < 0.2:
        return rng.randint(1, 50) / 100
    names = rng.sample(["train", "valid", "test", "rest", "x"], rng.randint(2, 5))
    if kind < 0.4:  # any floats that sum to 1 up to rounding
        weights = [rng.uniform(0.01, 1) for _ in names]
        return {name: weight / sum(weights) for name, weight in zip(names, weights, strict=True)}
    if kind < 0.8:
        steps = pairwise([0, *sorted(rng.sample(range(1, 100), len(names) - 1)), 100])
        return {name: (high - low) / 100 for name, (low, high) in zip(names, steps, strict=True)}
    counts: list[int | None] = [rng.randint(1, max(n // len(names), 1)) for _ in names]
    counts[rng.randrange(len(counts))] = None
    return dict(zip(names, counts, strict=True))


def draw_call(rng: Random, n: int) -> tuple[str, dict[str, Any]]:
    """Draw a verb, `kfold` or `split`, and all arguments but `by`."""
    likely = {
        "missing": (0.3, ["stratum", "stratum", "null", "error"]),
        "rare": (0.5, ["ignore", "null", "pool", "warn"]),
        "groups": (0.25, ["g", "g", ["g", "a"]]),
        "key": (0.25, ["id", ["id"], ["a", "id"]]),
        "where": (0.1, ["keep"]),
        "deal": (0.2, ["circular", "contiguous"]),
        "repeats": (0.1, [2, 3]),
        "name": (0.1, ["other", "fold 2"]),
    }
    options = {name: rng.choice(each) for name, (p, each) in likely.items() if rng.random() < p}
    options["seed"] = rng.choice([0, 1, rng.getrandbits(60)])
    if rng.random() < 0.5:
        return "kfold", options | {"k": rng.choice([2, 3, 5, rng.randint(2, 30)])}
    if options.get("missing") == "null":
        del options["missing"]
    return "split", options | {"parts": draw_parts(rng, n)}


def answer(verb: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Make a call and collect its result; a refusal, of at most 2,000 characters, is None."""
    try:
        return eager(verb(*args, **options))
    except sf.StratError as error:
        message = str(error)
    assert 0 < len(message) <= 2_000
    return None


def columns_in(found: Any, names: Sequence[str]) -> Data | None:
    """List columns of a result; a refusal has none."""
    return None if found is None else {name: values(found, name) for name in names}


def the_same(answers: dict[str, Any]) -> Any:
    """Check that all kinds of frame gave the same, and return it."""
    (first, expected), *others = answers.items()
    for kind, found in others:
        assert same(found, expected), f"{kind} gave {found}, and {first} gave {expected}"
    return expected


def same(one: Any, other: Any) -> bool:
    """Return whether two answers are the same, floats up to rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return bool(one == other)


def table_of(found: Any) -> Any:
    """List the columns of a table, but for the text that says which values it is about."""
    if found is None:
        return None
    names = [name for name in found.columns if name != "detail"]
    return {str(name): list(map(plain, values(found, name))) for name in names}


def plain(value: Any) -> Any:
    """Write a cell without its library's type: floats without fractions are whole numbers."""
    if isinstance(value, dt.date):
        return str(pd.Timestamp(value))
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return re.sub(r"\.0\b", "", value) if isinstance(value, str) else value


def rows_by(columns: Sequence[list[Any]], rows: Sequence[int]) -> list[list[int]]:
    """Group rows by their values in columns."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for row in rows:
        found.setdefault(tuple(column[row] for column in columns), []).append(row)
    return list(found.values())


@given(rng=rngs)
@settings(max_examples=2 * settings().max_examples)
def test_calls(rng: Random) -> None:
    """Columns of `kfold` and `split` are the same everywhere, and keep their promises."""
    data = draw_data(rng)
    levels, last = draw_by(rng)
    verb, options = draw_call(rng, len(data["id"]))
    entries = [sf.bins("w", [-np.inf, 0, np.inf]) if name == "side" else name for name in levels]
    by = [*entries, *([] if last is None else [last])] or None
    forms = forms_of(rng, data)
    call = partial(answer, getattr(sf, verb), by=by, **options)
    column = options.get("name", "fold" if verb == "kfold" else "split")
    repeats = options.get("repeats", 1)
    names = [column] if repeats == 1 else [f"{column}_{place + 1}" for place in range(repeats)]
    answers = {kind: call(frame) for kind, frame in forms.items()}
    dealt = the_same({kind: columns_in(found, names) for kind, found in answers.items()})
    if dealt is None:
        return
    for kind, frame in forms.items():
        check_untouched(eager(frame), answers[kind], names)
    ties = options.get("deal") == "contiguous" and isinstance(last, type(sf.continuous("v")))
    for parts in dealt.values():
        check_column(data, levels, (verb, options), parts, ties=ties)
    first = dealt[names[0]]
    by_order = isinstance(by and by[-1], type(sf.chain("v")) | type(sf.nearest("v")))
    fits = type(sf.clusters("v")), type(sf.margins(["a"]))
    if "key" in options and "deal" not in options and not by_order and not isinstance(last, fits):
        order = rng.sample(range(len(first)), len(first))
        moved = {name: [values[row] for row in order] for name, values in data.items()}
        found = call(make(rng.choice(KINDS), moved))
        assert values(found, names[0]) == [first[row] for row in order]
    if verb == "kfold" and by == ["label"]:
        check_peers(data, options, first)
    check_readers(rng, answers, names)


def check_untouched(frame: Any, dealt: Any, new: Sequence[str]) -> None:
    """Check that a frame has new columns and is else as before."""
    names = list(frame.columns)
    assert list(dealt.columns) == [*names, *new]
    compare = assert_frame_equal if isinstance(dealt, pd.DataFrame) else assert_polars_equal
    compare(dealt[names], frame)


def check_column(data: Data, levels: Sequence[str], call: Any, parts: list[Any], *, ties: bool):
    """Check that parts are whole groups, or their counts, without ties, exact shares, rounded."""
    verb, options = call
    dealt = [row for row, part in enumerate(parts) if part is not None]
    shares = options.get("parts", {})
    # Each float stands for a simple fraction, or where these do not sum to 1, for itself.
    if verb == "kfold":
        shares = dict.fromkeys(range(options["k"]), Fraction(1, options["k"]))
    elif isinstance(shares, float):
        test = Fraction(shares).limit_denominator(10**6)
        shares = {"train": 1 - test, "test": test}
    elif None not in shares.values():
        simple = {name: Fraction(x).limit_denominator(10**6) for name, x in shares.items()}
        total = sum(map(Fraction, shares.values()))
        scaled = {name: Fraction(share) / total for name, share in shares.items()}
        shares = simple if sum(simple.values()) == 1 else scaled
    else:
        rest = len(dealt) - sum(count for count in shares.values() if count is not None)
        counts = {name: rest if count is None else count for name, count in shares.items()}
        shares = {name: Fraction(count, max(len(dealt), 1)) for name, count in counts.items()}
    assert {parts[row] for row in dealt} <= {*shares}
    if ties:
        return
    if "where" in options:
        assert all(data["keep"][row] for row in dealt)
    elif "null" not in (options.get("missing"), options.get("rare")):
        assert len(dealt) == len(parts)
    if "groups" in options:
        cells = [data[name] for name in options["groups"]]  # whose names have one letter
        split = split_groups(list(zip(*cells, strict=True)), parts)
        assert all(None in group for group in split), "a group in two parts"
        return
    nested = accumulate(([name] for name in levels), lambda one, more: one + more)
    strata = [each for names in nested for each in rows_by([data[name] for name in names], dealt)]
    for rows in [dealt] if options.get("rare") == "pool" else [dealt, *strata]:
        counts = Counter(parts[row] for row in rows)
        for name, share in shares.items():
            exact = share * len(rows)
            assert floor(exact) <= counts[name] <= ceil(exact), f"{counts[name]} rows for {exact}"


def check_peers(data: Data, options: dict[str, Any], folds: list[Any]) -> None:
    """Check that scikit-learn has no smaller loss."""
    k = options["k"]
    groups = options.get("groups", "g")
    if None in [*folds, *data["label"], *data["g"]] or options.get("rare") == "pool":
        return
    classes, codes = (
        np.unique([str(x) for x in data[name]], return_inverse=True)[1] for name in ("label", "g")
    )
    peers = [StratifiedKFold(k)] if np.bincount(classes).max() >= k else []
    if "groups" in options:
        peers = [StratifiedGroupKFold(k), StratifiedGroupKFold(k, shuffle=True, random_state=0)]
    for peer in peers if groups == "g" else []:
        theirs = loss_of(classes, peer_folds(peer, classes, codes), k)
        assert loss_of(classes, folds, k) <= theirs + 1e-9


def check_readers(rng: Random, answers: dict[str, Any], names: list[str]) -> None:
    """Check the pairs, frames and tables that are made of a fold column."""
    name = names[-1]
    nulls = rng.choice(["train", "drop", "error"])
    n = rng.randint(0, 20)
    the_same({kind: pairs_of(frame, name, nulls) for kind, frame in answers.items()})
    terms = [[sf.quantiles("w", 3)], [sf.margins(["label", "a"])]]
    by = rng.choice([["label"], ["label", "a"], *terms])
    groups = rng.choice([None, "g"])
    verbs: list[Callable[..., Any]] = [
        partial(sf.balance, by=by, name=name),
        partial(sf.report, by=by, name=names, full=True),
        partial(sf.report, by=by, name=name, groups="g"),
        partial(sf.compare, by=by, names=names, full=True),
        partial(sf.advise, by=by, ks=range(2, 5), groups=groups, full=True),
        lambda frame: sf.check(frame, name=name, groups="g", key="id").findings,
        lambda frame: sf.check(frame, by, name, duplicates=["label", "a"]).findings,
        partial(sf.leaks, name=name, groups="g", duplicates=["label", "v"]),
        partial(sf.drift, features=["v", "a", "label"], name=name, full=True),
        partial(sf.sample, by="label", frac=rng.random(), seed=rng.randint(0, 9)),
        partial(sf.sample, by=["a", sf.continuous("w")], n=n),
        partial(sf.plan, by=by, k=rng.randint(2, 9)),
    ]
    verb = rng.choice(verbs)
    the_same({kind: table_of(answer(verb, frame)) for kind, frame in answers.items()})


def pairs_of(frame: Any, name: str, nulls: Any) -> Any:
    """List the pairs of `cv`, which are those of `FoldSplit` and the sizes of `folds`."""
    found = answer(sf.cv, frame, name, nulls=nulls)
    other = answer(lambda df: list(sf.FoldSplit(name, nulls=nulls).split(df)), frame)
    each = answer(lambda df: list(sf.folds(df, name, nulls=nulls)), frame)
    if found is None:
        assert other is each is None
        return None
    listed = [[side.tolist() for side in pair] for pair in found]
    assert listed == [[side.tolist() for side in pair] for pair in other]
    sizes = [[len(eager(fold.train)), len(eager(fold.valid))] for fold in each]
    assert [[len(side) for side in pair] for pair in listed] == sizes
    return listed


@given(rng=rngs)
@settings(max_examples=2 * settings().max_examples)  # half of the draws are refused
def test_extended_columns(rng: Random) -> None:
    """`extend` keeps given folds, fills those that it may, and evens them out, alike everywhere."""
    data = draw_data(rng)
    k = rng.randint(2, 6)
    share = rng.random()
    n = len(data["id"])
    data["fold"] = [rng.randrange(k) if rng.random() < share else None for _ in range(n)]
    by: Any = rng.choice([[], ["label"], ["label", "a"], ["a", sf.quantiles("v", 3)]])
    options = {"k": rng.choice([k, k, None]), "seed": rng.randint(0, 9)}
    options |= {"missing": "stratum"} if rng.random() < 0.9 else {}
    options |= {"groups": "g"} if rng.random() < 0.1 else {}
    options |= {"where": "keep"} if rng.random() < 0.3 else {}
    options |= {"rare": "ignore"} if rng.random() < 0.5 else {}
    call = partial(answer, sf.extend, by=by or None, **options)
    answers = {kind: call(frame) for kind, frame in forms_of(rng, data).items()}
    dealt = the_same({kind: columns_in(found, ["fold"]) for kind, found in answers.items()})
    if dealt is None:
        return
    folds = dealt["fold"]
    assert all(old in (None, new) for old, new in zip(data["fold"], folds, strict=True))
    for old, new, may in zip(data["fold"], folds, data["keep"], strict=True):
        assert (new is None) == (old is None and "where" in options and not may)
    are_classes = all(isinstance(name, str) for name in by)
    if "groups" not in options and options["k"] and are_classes:
        for rows in rows_by([data[name] for name in by], range(n)):
            old, new = (Counter(each[row] for row in rows) for each in (data["fold"], folds))
            filled = [new[fold] for fold in range(k) if new[fold] > old[fold]]
            assert not filled or max(filled) - min(new[fold] for fold in range(k)) <= 1
