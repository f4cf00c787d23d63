"""What every engine does: folds, parts and tables are those of pandas, whatever the partitions."""

from datetime import datetime
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import stratframe as sf
from tests.engines.frames import FOLDED, FRAME, N, heard
from tests.helpers import refuse_now, refuse_rule
from tests.terms.test_toy_term import TERM
from tests.test_golden import PARTS

BY = [
    None,
    "label",
    ["label", "sex"],
    ["sex", "label"],
    ["kind", "day", "label"],
    ["whole", "kind"],
    [lambda df: df["age"] > 40, "some"],
    [sf.classes("half")],
    sf.bins("age", [0, 18, 65, 120]),
    [sf.bins("price", [0, 50, 126], closed="left"), "label", "sex"],
    [sf.bins("whole", [0, 1, 2]), "sex"],
    sf.quantiles("price", 4),
    ["label", sf.quantiles("age", 3)],
    [sf.quantiles("half", 3), "sex", sf.quantiles("time", 2), "label"],
    ["sex", sf.quantiles("whole", 3)],
    ["label", sf.quantiles("price", 70)],
]

KEYS = ["id", "name", "time", "half", ["day", "id"]]

CALLS = [
    {},
    {"repeats": 3},
    {"seed": 7, "name": "inner"},
    {"where": "some"},
    {"where": lambda df: df["age"] > 20},
    {"rare": "null"},
    {"rare": "pool"},
    {"missing": "null"},
]

ORDERS = [(slice(None), [7, 7, 23, 41]), (slice(None, None, -1), [30])]
"""Two orders of the rows, and where each is cut into partitions."""


KEYED = {"key": "id", "missing": "stratum", "rare": "ignore"}

ALL = list(range(N))

orders, places = st.permutations(ALL), st.lists(st.integers(0, N), max_size=6)


def outcome(engine, call):
    """List the rows of a result, or the words of the error, and those of warnings."""
    try:
        result, words = heard(call)
        return engine.rows(result), words
    except sf.StratError as error:
        return str(error)


# Samples ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "by", ["label", ["label", "sex"], ["sex", sf.quantiles("age", 3)]], ids=str
)
@pytest.mark.parametrize("options", [{"n": 17}, {"frac": 0.4, "allocation": "equal"}], ids=str)
def test_samples_are_those_of_pandas(engine, by, options):
    """With a key no partitioning and no order of the rows changes a sample, which is lazy."""
    frame = engine.local(FRAME.rename(columns={"name": "Sampled"}))
    expected = sorted(sf.sample(frame, by, key="id", **options)["id"])
    for order, cuts in ORDERS:
        rows = engine.spread(frame.iloc[order], cuts)
        found = engine.rows(sf.sample(rows, by, key="id", **options))
        assert sorted(found["id"]) == expected
        assert list(found) == list(engine.rows(rows))


# Folds and parts -------------------------------------------------------------------------

TARGETS = [2, 3, 4, 5, 6, PARTS, {"a": 20, "b": None}, 0.3]


def deal(frame, by, target, **options):
    """Deal folds if there is a number of them, or else parts."""
    return (sf.kfold if isinstance(target, int) else sf.split)(frame, by, target, **options)


def test_folds_and_parts_are_those_of_pandas(engine):
    """With a key no partitions and no order of the rows change a deal, an error or a warning."""
    frame = engine.local(FRAME)

    @example(["label", "sex"], "id", {"missing": "null"}, ALL[::-1], [20], 4)
    @example(["rarely", "sex"], "id", {"rare": "null"}, ALL[::-1], [20], 6)
    @example(["who", sf.quantiles("age", 2)], "id", {"rare": "pool"}, ALL, [20], 4)
    @example("rarely", "id", {"rare": "warn"}, ALL, [20], 6)
    @example(["label", "sex"], "id", {"repeats": 3}, ALL[::-1], [7, 7, 30], PARTS)
    @given(*map(st.sampled_from, (BY, KEYS, CALLS)), orders, places, st.sampled_from(TARGETS))
    @settings(max_examples=engine.n_examples)
    def check(by, key, call, order, cuts, target):
        rows, options = engine.spread(frame.iloc[order], cuts), {**KEYED, "key": key, **call}
        found = outcome(engine, lambda: deal(rows, by, target, **options))
        assert found == outcome(engine, lambda: deal(frame, by, target, **options))

    check()


@pytest.mark.parametrize("verb", ["kfold", "split"])
@pytest.mark.parametrize("place", [0, 1], ids=["first", "last"])
def test_a_term_of_ones_own_is_dealt(engine, place, verb):
    """A term of another module deals the same rows, with no line written for it."""
    data = {"number": [0, 1, 2, 3, 4, 5, 7] * 6, "label": list("abbaab" * 7), "id": range(42)}
    frame, by = pd.DataFrame(data), ["label"]
    by.insert(place, TERM)
    target = {"kfold": 4, "split": {"a": 0.7, "b": 0.3}}[verb]
    expected = engine.rows(getattr(sf, verb)(frame, by, target, **KEYED))
    rows = engine.spread(frame, [11, 30, 30])
    assert engine.rows(getattr(sf, verb)(rows, by, target, **KEYED)) == expected
    on_polars = getattr(sf, verb)(pl.from_pandas(frame), by, target, **KEYED)
    assert on_polars[on_polars.columns[-1]].to_list() == list(expected.values())[-1]


@pytest.mark.parametrize(("n_strata", "k"), [(1, 5), (3, 70), (2000, 4)])
def test_many_rows(engine, n_strata, k):
    """Large and small strata get the folds of pandas."""
    rng, n = np.random.default_rng(0), 40_000
    frame = pd.DataFrame({"id": rng.permutation(n), "g": rng.integers(0, n_strata, n)})
    frame["big"] = frame["g"] * (frame["id"] % 3 > 0)
    rows = engine.spread(frame, range(0, n, n // 8))
    for by in ("g", ["big", "g"]):
        expected, found = (sf.kfold(each, by, k, **KEYED, repeats=2) for each in (frame, rows))
        assert engine.rows(found) == engine.rows(expected)


def test_a_column_may_be_replaced(engine):
    """`overwrite=True` replaces a fold column where it is; without it that is an error."""
    frame = engine.local(FRAME[["id", "label"]].assign(fold=0, last="x"))
    rows = engine.spread(frame, [20])
    result = sf.kfold(rows, "label", key="id", overwrite=True)
    assert list(result.columns) == ["id", "label", "fold", "last"]
    assert engine.rows(result) == engine.rows(sf.kfold(frame, "label", key="id", overwrite=True))
    rule = "The frame has a column 'fold' already. `overwrite=True` replaces it."
    refuse_rule(rule, lambda: sf.kfold(rows, "label", key="id"))


# Groups ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by", "options"),
    [
        (None, {"groups": "who"}),
        ("label", {"groups": "who", "repeats": 2}),
        ("label", {"groups": "who", "repeats": 2, "target": PARTS}),
        ("label", {"groups": "pair", "missing": "null"}),
        ("label", {"groups": "sex", "missing": "null", "rare": "ignore", "target": 2}),
        (["label", "sex"], {"groups": ["who", "kind"], "missing": "stratum"}),
        (["sex", "label"], {"groups": "who", "missing": "null", "where": "some"}),
        (["label", "price"], {"groups": "who"}),
        (["label", sf.quantiles("age", 3)], {"groups": "who", "seed": 5}),
        ("rarely", {"groups": "who", "rare": "null"}),
        ("rarely", {"groups": "who", "rare": "pool"}),
        ([sf.quantiles("price", 2), "rarely"], {"groups": "who", "rare": "null"}),
        ([sf.quantiles("price", 2), "rarely"], {"groups": "who", "rare": "pool"}),
    ],
    ids=str,
)
def test_folds_of_groups_are_those_of_pandas(engine, by, options):
    """No order of the rows and no partitions change the fold or part of a group, or a warning."""
    frame = engine.local(FRAME.assign(pair=[i // 2 if i % 9 else None for i in range(N)]))
    options = {"target": 3, **options}
    expected, warned = heard(lambda: deal(frame, by, **options))
    for order, cuts in ORDERS:
        rows = engine.spread(frame[order], cuts)
        result, words = heard(lambda rows=rows: deal(rows, by, **options))
        assert engine.rows(result) == engine.rows(expected)
        assert words == warned


GROUPS = ["who", "label", "name", "kind", "day", "time", "whole", "half", "some"]


def test_groups_of_any_type_are_those_of_pandas(engine):
    """Groups of any columns have one fold on all engines, by whatever types these store them."""
    frame = engine.local(FRAME)

    @example(["who", "name"], ["label"], ALL[::-1], [20], 2, 1)
    @given(
        st.lists(st.sampled_from(GROUPS), min_size=1, max_size=3, unique=True),
        st.sampled_from([None, "label", ["sex", "kind"], ["label", sf.quantiles("age", 2)]]),
        orders,
        places,
        st.integers(2, 3),
        st.integers(0, 9),
    )
    @settings(max_examples=engine.n_examples // 2)
    def check(groups, by, order, cuts, k, seed):
        options = {"groups": groups, "missing": "null", "rare": "ignore", "seed": seed}
        rows = engine.spread(frame.iloc[order], cuts)
        found = outcome(engine, lambda: sf.kfold(rows, by, k, **options))
        assert found == outcome(engine, lambda: sf.kfold(frame, by, k, **options))

    check()


# Extend ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        *({}, {"seed": 3}, {"k": 4}, {"missing": "null"}),
        {"missing": "null", "by": sf.quantiles("price", 7)},
        {"rare": "pool", "by": ["who", sf.quantiles("price", 2)]},
    ],
    ids=str,
)
def test_extended_folds_are_those_of_pandas(engine, options):
    """Given folds stay; with a key new ones are those of pandas, in any order of the rows."""
    given = {i * 23 % N: i * i % 4 if i % 3 else None for i in range(N)}
    frame = engine.local(FRAME.assign(fold=FRAME["id"].map(given)))
    options = {"by": ["label", "sex", sf.quantiles("age", 2)], **KEYED, **options}
    found = []
    for order, cuts in ORDERS:
        expected = sf.extend(frame[order], **options)
        result = sf.extend(engine.spread(frame[order], cuts), **options)
        found.append(engine.rows(result))
        assert found[-1] == engine.rows(expected)
        assert list(result.columns) == list(frame.columns)
    assert found[0] == found[1]
    for row, fold in enumerate(found[0]["fold"]):
        assert fold == given[row] or given[row] is None


@pytest.mark.parametrize("missing", ["stratum", "null"])
@pytest.mark.parametrize("parts", [None, PARTS], ids=str)
def test_extended_parts_are_those_of_pandas(engine, parts, missing):
    """New rows of part columns get the parts of pandas, by given shares or by those they have."""
    names = ["split", "other"]
    given = [[list(PARTS)[i % n % 3] if i % 4 else None for i in range(N)] for n in (7, 11)]
    frame = engine.local(FRAME.assign(split=given[0], other=given[1]))
    options = {"parts": parts, "name": names, "key": "id", "missing": missing, "rare": "ignore"}
    expected = sf.extend(frame, ["label", "whole"], **options)
    found = sf.extend(engine.spread(frame, [5, 30]), ["label", "whole"], **options)
    assert engine.rows(found) == engine.rows(expected)
    assert any(None in engine.rows(found)[name] for name in names) == (missing == "null")


FEW = {"a": 0.98, "b": 0.01, "c": 0.01}


@pytest.mark.parametrize(
    ("call", "n_warnings"),
    [
        (lambda rows: sf.split(rows, "label", FEW, key="id", repeats=2, name="new"), 1),
        (lambda rows: sf.split(rows, "label", FEW, groups="third", name="new"), 0),
        (lambda rows: sf.extend(rows, "label", parts=PARTS, name=["split", "other"], key="id"), 2),
        (lambda rows: sf.sample(rows, "label", frac=0.001, key="id"), 1),
    ],
    ids=["split", "groups", "extend", "sample"],
)
def test_what_is_empty_is_said_as_in_pandas(engine, call, n_warnings):
    """Empty parts and samples have the warnings of pandas, and groups fill all parts."""
    frame = FRAME.assign(third=[i // 20 for i in range(N)], split="train", other="test")
    frame = engine.local(frame.astype({"split": object, "other": object}))
    frame.loc[N - 1, ["split", "other"]] = None
    found, words = heard(lambda: call(engine.spread(frame[::-1], [5, 30])))
    expected, wanted = heard(lambda: call(frame))
    assert engine.rows(found) == engine.rows(expected)
    assert words == wanted
    assert len(words) == n_warnings
    assert n_warnings or set(engine.rows(found)["new"]) == set(FEW)


def test_extended_partitions_may_lack_the_first_fold(engine):
    """With `k` the folds are 0..k-1, whatever a partition, or all of them, has."""
    rows = pd.DataFrame({"id": range(6), "y": ["a"] * 6, "fold": [1.0, 2.0, 1.0, 2.0, None, None]})
    filled = sf.extend(engine.spread(rows, [0, 3]), "y", 3, key="id")
    assert engine.rows(filled)["fold"] == [1, 2, 1, 2, 0, 0]


# Tables ----------------------------------------------------------------------------------

TABLED = [
    "label",
    ["kind", "sex"],
    ["day", "some"],
    sf.quantiles("price", 4),
    ["label", sf.quantiles("age", 3)],
    ["sex", "price"],
    [sf.bins("age", [0, 18, 65, 120]), "whole"],
    sf.continuous("age", name="years"),
]

CUTS = [11, 11, 30, 59]


@pytest.mark.parametrize("by", TABLED, ids=str)
def test_tables_are_those_of_pandas(engine, by):
    """Tables of strata, and of the folds and parts of several columns, are those of pandas."""
    frame = engine.local(FOLDED)
    rows, names = engine.spread(frame, CUTS), ["fold", "split"]
    for verb in (sf.balance, partial(sf.report, full=True), partial(sf.compare, full=True)):
        engine.check_table(verb(rows, by, names), verb(frame, by, names))
    for verb, name in ((sf.balance, "plain"), (sf.report, "split")):
        engine.check_table(verb(rows, by, name), verb(frame, by, name))
    # What `kfold` without a key deals is not known there.
    left_out = ["variance_stratified", "ratio"]
    advice = [sf.advise(each, by, [2, 7, 99], full=True) for each in (rows, frame)]
    engine.check_table(*(table.drop(columns=left_out) for table in advice))


@pytest.mark.parametrize("groups", ["who", ["kind", "day"]], ids=str)
def test_advice_on_groups_is_that_of_pandas(engine, groups):
    """Advice counts the groups that hold rows of the rarest stratum."""
    frame = engine.local(FRAME)
    rows = engine.spread(frame, CUTS)
    by, given = ["label", "age"], {"groups": groups, "full": True}
    engine.check_table(*(sf.advise(each, by, [2, 5, 30], **given) for each in (rows, frame)))


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (300, ["even", "no less even than a shuffle", "as even as a shuffle", "uneven"]),
        (90, [*["too few rows"] * 2, "as even as a shuffle", "uneven"]),
    ],
)
def test_orders_are_judged_as_on_pandas(engine, n, words):
    """The running counts of an order are those of pandas, with ties, in each class and alone."""
    drawn, x = np.random.default_rng(2), sf.continuous("x")
    frame = pd.DataFrame({"x": drawn.normal(9, 1, n).round(2), "id": range(n)})
    frame["label"] = frame["id"].mod(2).map(["a", "b"].__getitem__)
    frame["whole"] = frame["id"] ** 2 % 331  # most of its values are rare
    for name, by in (("own", ["label", x]), ("bins", ["label", sf.quantiles("x", 5)])):
        frame = frame.strat.kfold(by, name=name)
    frame["plain"] = drawn.permutation(n) % 5
    frame["blocks"] = frame["x"].rank(method="first").astype(int) * 5 // (n + 1)
    rows, names = engine.spread(frame, [1, n // 2]), ["own", "bins", "plain", "blocks"]
    for by in (["label", "x"], x, sf.continuous("id"), "whole"):
        engine.check_table(sf.compare(rows, by, names), sf.compare(frame, by, names))
    assert list(sf.compare(rows, ["label", "x"], names)["verdict"]) == words


@pytest.mark.parametrize(
    ("by", "options"),
    [
        ("label", {"k": 4}),
        (["label", "sex"], {"parts": PARTS, "missing": "stratum", "seed": 3}),
        ([sf.quantiles("price", 3), "kind"], {"k": 3, "where": "some", "name": "inner"}),
        (["label", "sex"], {"k": 3, "missing": "null"}),
        (["kind", "some"], {"k": 3, "groups": "who"}),
        (["label", sf.quantiles("price", 2)], {"parts": PARTS, "where": "some", "groups": "who"}),
    ],
    ids=str,
)
def test_a_plan_is_that_of_pandas(engine, by, options):
    """With a key, or of whole groups, a plan has the counts of pandas."""
    frame = engine.local(FRAME)
    options = {"key": None if "groups" in options else "id", "rare": "ignore", **options}
    found = sf.plan(engine.spread(frame[::-1], [20, 40]), by, **options)
    engine.check_table(found, sf.plan(frame, by, **options))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"by": "label", "name": ["fold", "split"]},
        {"by": ["label", "sex"], "groups": "pair", "key": "id"},
        {"by": "label", "groups": ["whole", "pair"], "duplicates": ["label", "age"]},
        {"by": "label", "groups": "whole", "name": "whole"},
        {"groups": "sex", "key": ["label", "age"], "duplicates": "pair"},
        {"key": "sex", "by": ["label", "sex"], "duplicates": ["sex", "kind", "whole"]},
        {"groups": ["whole", "pair"], "by": sf.quantiles("price", 9), "duplicates": "half"},
        {"by": "age", "duplicates": "text"},
        {"name": ["fold", "split", "twin"], "key": "id", "duplicates": None},
        {"time": "time"},
        {"time": ["kind", "day"], "name": "split", "duplicates": "sex"},
        {"time": "id", "name": "block"},
        {"time": ["sex", "id"], "name": "block"},
        {"time": "half", "name": "never"},
    ],
    ids=str,
)
def test_a_check_is_that_of_pandas(engine, options):
    """A check finds what it finds in pandas, but names no rows and no keys of Dask."""
    frame = FOLDED.assign(
        pair=[i // 2 for i in range(N)],
        whole=[i % 4 for i in range(N)],
        text=[f"text {max(i, 5)}" for i in range(N)],
        twin=FOLDED["fold"],
        block=["test" if i < 20 else "train" for i in range(N)],
        never=["train" if i % 2 else None for i in range(N)],
    )
    frame = engine.local(frame)
    found = sf.check(engine.spread(frame, [17, 45]), **options)
    expected = sf.check(frame, **{"duplicates": None, **options})
    assert found.ok == expected.ok
    kept = [
        [
            (row["name"], row["severity"], row["check"], row["n"], start_of(row["detail"]))
            for row in each.findings.to_dict("records")
            if "not looked for" not in row["detail"]
        ]
        for each in (found, expected)
    ]
    assert kept[0] == kept[1]
    assert ("not looked for on" in str(found)) == ("duplicates" not in options)
    named = [options.get("key"), *np.atleast_1d(options.get("time", ""))]
    has_id = "groups" not in options and "id" not in named
    assert ("not looked for in 'id' on" in str(found)) == has_id
    assert ("'fold' and 'twin' are the same" in str(found)) == ("twin" in options.get("name", ""))
    if options.get("groups") == "pair":
        assert "pairs are in several folds, such as " in str(found)


def start_of(detail: str) -> str:
    """Take a line up to its example; times of Spark have a zone."""
    return detail.partition(", such as")[0].replace("+00:00", "")


@pytest.mark.parametrize(
    "shared",
    [
        {"groups": "who"},
        {"groups": ["whole", "sex"]},
        {"key": "age"},
        {"duplicates": ["age", "sex"]},
    ],
    ids=str,
)
def test_leaks_are_the_rows_of_pandas(engine, shared):
    """The rows that leak, and which of them share a set, are those of pandas; rows are whole."""
    frame = engine.local(FOLDED)
    found = engine.rows(sf.leaks(engine.spread(frame, [17, 17, 45]), **shared))
    listed = sf.leaks(frame, **{"duplicates": None, **shared})
    rows = listed.assign(id=frame["id"].to_numpy()[listed["row"]]).sort_values("id")
    assert found["id"] == rows["id"].tolist()
    assert found["check"] == rows["check"].tolist()
    own, wanted = (pd.factorize(np.array(each))[0] for each in (found["set"], rows["set"]))
    assert own.tolist() == wanted.tolist()
    leaking = frame["id"].isin(rows["id"])
    assert {name: found[name] for name in frame} == engine.rows(frame[leaking])


def test_parts_have_the_rows_of_pandas(engine):
    """Parts are frames of the engine with these rows, in the order of their names."""
    frame = engine.local(FOLDED)
    found, expected = sf.parts(engine.spread(frame, [17, 45])), sf.parts(frame)
    assert list(found) == list(expected) == ["train", "valid", "test"]
    assert [engine.rows(part) for part in found.values()] == [
        engine.rows(part) for part in expected.values()
    ]


RULES = [
    {"nulls": "train"},
    {"nulls": "drop"},
    {"name": "day", "train": "past"},
    {"name": "day", "train": "past", "gap": 1, "window": 2},
    {"name": "day", "gap": 1},
    {"name": "day", "every": "1d", "last": 3},
    {"name": "month", "every": "1mo", "train": "past", "last": 3},
    {"name": "time", "train": "past", "gap": 56, "window": 3},
    {"name": "half", "train": [0.5, 7, 9.5], "valid": [2.5, 2]},
    {"name": "name", "train": ["row 1", "row 2", "row 7"], "valid": ["row 7", "row 3"]},
    {"name": "split", "train": "train", "valid": "test"},
    {"name": "split", "train": ["train", "valid"]},
    {"name": "split", "train": "train", "valid": ["test", "valid"], "apart": "who"},
    {"name": "fold", "train": [0, 2], "nulls": "drop"},
    {"name": "fold", "train": [0, 2], "nulls": "train", "apart": ["who", "day"]},
    {"name": "fold", "nulls": "train", "apart": "half"},
    {"name": "fold", "nulls": "drop", "apart": ["time", "name", "who"]},
    {"name": ["day", "fold"], "nulls": "drop", "apart": "whole"},
    {"name": "day", "train": "past", "apart": "kind"},
    {"name": "fold", "nulls": "drop", "apart": "row"},
]
"""Rules by which columns are read."""


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_rules_read_the_rows_of_pandas(engine, rule):
    """Pairs by any rule are frames of the engine with the rows of pandas, and with its words."""
    who = [i // 2 if i % 9 else None for i in range(N)]
    month = FOLDED["day"].map(lambda day: day.replace(month=day.day))
    frame = engine.local(FOLDED.assign(who=who, month=month, row=[i // 4 for i in range(N)]))
    rows = engine.spread(frame, [17, 45])
    try:
        expected, words = heard(lambda: list(sf.folds(frame, **rule)))
    except sf.StratError as error:
        refuse_now(str(error), lambda: sf.folds(rows, **rule))
        return
    pairs, found_words = heard(lambda: list(sf.folds(rows, **rule)))
    assert found_words == words
    assert len(pairs) > 0
    for found, each in zip(pairs, expected, strict=True):
        label = found.fold  # times of Spark have a zone
        label = label.replace(tzinfo=None) if isinstance(label, datetime) else label
        assert (found.name, label, repr(found)[:4]) == (each.name, each.fold, "Fold")
        assert type(found.train) is type(rows)
        assert engine.rows(found.train) == engine.rows(each.train)
        assert engine.rows(found.valid) == engine.rows(each.valid)
