"""What every engine does: folds, parts and tables are those of pandas, whatever the partitions."""

from collections import defaultdict
from datetime import datetime
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import stratframe as sf
from stratframe.engines.base import Options, engine_of
from tests.engines.frames import FOLDED, FRAME, N, heard
from tests.helpers import refuse_now
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
    [sf.bins("whole", [0, 1, 2]), "sex"],
    [sf.bins("price", [0, 50, 126], closed="left"), "label", "sex"],
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
    {"seed": 7, "name": "my.`own` fold"},
    {"where": "some"},
    {"where": lambda df: df["age"] > 20},
    {"rare": "null"},
    {"rare": "pool"},
    {"missing": "null"},
]
CUTS = [7, 7, 23, 41]
"""Where the rows are cut into partitions, one of which is empty."""
KEYED = {"key": "id", "missing": "stratum", "rare": "ignore"}
TARGETS = [2, 3, 4, 5, 6, PARTS, {"a": 20, "b": None}, 0.3]
ALL = list(range(N))
orders = st.permutations(ALL)
places = st.lists(st.integers(0, N), max_size=6)


def outcome(engine, call):
    """List the rows of a result, or the words of the error, and those of warnings."""
    try:
        result, words = heard(call)
        return engine.rows(result), words
    except sf.StratError as error:
        return str(error)


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
        rows = engine.spread(frame.iloc[order], cuts)
        options = {**KEYED, "key": key, **call}
        verb = sf.kfold if isinstance(target, int) else sf.split
        found = outcome(engine, lambda: verb(rows, by, target, **options))
        assert found == outcome(engine, lambda: verb(frame, by, target, **options))

    check()


@pytest.mark.parametrize(("n_strata", "k"), [(1, 5), (3, 70), (2000, 4)])
def test_many_rows(engine, n_strata, k):
    """Large and small strata get the folds of pandas."""
    rng = np.random.default_rng(0)
    n = 40_000
    frame = pd.DataFrame({"id": rng.permutation(n), "g": rng.integers(0, n_strata, n)})
    frame["big"] = frame["g"] * (frame["id"] % 3 > 0)
    rows = engine.spread(frame, range(0, n, n // 8))
    for by in ("g", ["big", "g"]):
        expected, found = (sf.kfold(each, by, k, **KEYED, repeats=2) for each in (frame, rows))
        assert engine.rows(found) == engine.rows(expected)


@pytest.mark.parametrize("closed", ["right", "left"])
def test_edges_of_large_integers(engine, closed):
    """Integers that no float tells apart fall into the bins of pandas."""
    start = 1_700_000_000_000_000_001
    frame = pd.DataFrame({"id": range(100), "t": [start + i for i in range(100)]})
    by = sf.bins("t", [start, start + 49, start + 70, 2**63, float("inf")], closed=closed)
    found, expected = (
        sf.kfold(each, by, 4, key="id") for each in (engine.spread(frame, [9]), frame)
    )
    assert engine.rows(found) == engine.rows(expected)


GIVEN = FRAME.assign(
    given=[i * i % 7 % 4 if i % 3 else None for i in range(N)],
    fifth=[i % 4 if i % 5 == 0 else None for i in range(N)],
    few=[1 + i % 2 if i % 5 else None for i in range(N)],
    part=[list(PARTS)[i % 7 % 3] if i % 4 else None for i in range(N)],
    other=[list(PARTS)[i % 11 % 3] if i % 4 else None for i in range(N)],
    most=["train"] * (N - 1) + [None],
    rest=["test"] * (N - 1) + [None],
    pair=[i // 2 if i % 9 else None for i in range(N)],
    third=[i // 20 for i in range(N)],
    number=[i % 7 for i in range(N)],
    Sampled="x",
)
GIVEN = GIVEN.astype(dict.fromkeys(["part", "other", "most", "rest"], object))
ENTRIES = ["label", "sex", sf.quantiles("age", 2)]
PART_NAMES = {"name": ["part", "other"], "key": "id", "rare": "ignore"}
SHARES = {"a": 0.98, "b": 0.01, "c": 0.01}
RARELY = [sf.quantiles("price", 2), "rarely"]
BINS_OF_SEX = ["sex", sf.quantiles("age", 3)]


def case(case_id, verb, *args, **options):
    """Make a case of a call: `verb(frame, *args, **options)`."""
    return pytest.param(lambda df: verb(df, *args, **options), id=case_id)


SAMPLES = [
    case("sample", sf.sample, ["label", "sex"], key="id", n=17),
    case("sample_of_bins", sf.sample, BINS_OF_SEX, key="id", n=17),
    case(
        "sample_of_equal_sizes", sf.sample, ["label", "sex"], key="id", frac=0.4, allocation="equal"
    ),
    case("sample_of_each", sf.sample, "label", key="id", each=3),
]
"""A sample is lazy, and has no column more."""

OWN_TERMS = [
    case("own_term_first", sf.kfold, [TERM, "label"], 4, key="id"),
    case("own_term_last", sf.split, ["label", TERM], PARTS, key="id"),
]
"""A term of another module, with no line written for it."""

HASHED = [
    case("hash_of_categories", sf.kfold, k=100, key="kind", deal="hash", repeats=3, seed=5),
    case("hash_of_a_repeated_key", sf.kfold, k=100, key=["label", "who"], deal="hash"),
    case("hash_of_some_rows", sf.split, parts=PARTS, key="name", deal="hash", where="some"),
    case(
        "hash_of_computed_rows",
        sf.split,
        parts=0.3,
        key=["day", "id"],
        deal="hash",
        where=lambda df: df["age"] > 20,
    ),
]
"""The key alone decides, also one that repeats."""

WHOLE_GROUPS = [
    case("groups", sf.kfold, None, 3, groups="who"),
    case("groups_and_repeats", sf.kfold, "label", 3, groups="who", repeats=2),
    case("parts_of_groups", sf.split, "label", PARTS, groups="who", repeats=2),
    case("null_groups", sf.kfold, "label", 3, groups="pair", missing="null"),
    case("few_groups", sf.kfold, "label", 2, groups="sex", missing="null", rare="ignore"),
    case(
        "groups_of_two_columns",
        sf.kfold,
        ["label", "sex"],
        3,
        groups=["who", "kind"],
        missing="stratum",
    ),
    case(
        "groups_of_some_rows",
        sf.kfold,
        ["sex", "label"],
        3,
        groups="who",
        missing="null",
        where="some",
    ),
    case("groups_and_fractions", sf.kfold, ["label", "price"], 3, groups="who"),
    case(
        "groups_and_quantiles", sf.kfold, ["label", sf.quantiles("age", 3)], 3, groups="who", seed=5
    ),
    case("null_rare_groups", sf.kfold, "rarely", 3, groups="who", rare="null"),
    case("pooled_rare_groups", sf.kfold, "rarely", 3, groups="who", rare="pool"),
    case("null_rare_groups_in_bins", sf.kfold, RARELY, 3, groups="who", rare="null"),
    case("pooled_rare_groups_in_bins", sf.kfold, RARELY, 3, groups="who", rare="pool"),
]

EACH = [
    case("two_of_each", sf.split, ["label", "sex"], each=2, missing="stratum", key="id", repeats=2),
    case(
        "counts_of_each_bin",
        sf.split,
        ["label", sf.quantiles("age", 2)],
        each={"a": 1, "b": None, "c": 4},
        key="id",
    ),
    case("seven_of_some_rows", sf.split, each=7, key="name", where="some"),
    case("plan_of_each", sf.plan, "kind", each=3, key="id"),
]
"""Counts of rows of each stratum."""

EXTENDED = [
    case("extend", sf.extend, ENTRIES, name="given", **KEYED),
    case("extend_with_k_and_seed", sf.extend, ENTRIES, name="given", **KEYED, k=4, seed=3),
    case(
        "extend_all_but_missing",
        sf.extend,
        ENTRIES,
        name="given",
        key="id",
        missing="null",
        rare="ignore",
    ),
    case(
        "extend_bins", sf.extend, sf.quantiles("price", 7), name="given", key="id", missing="null"
    ),
    case(
        "extend_pooled_classes",
        sf.extend,
        ["who", sf.quantiles("price", 2)],
        name="fifth",
        key="id",
        rare="pool",
    ),
    case("extend_all_folds_but_one", sf.extend, "label", 3, name="few", key="id"),
    case(
        "extend_parts_that_are_there",
        sf.extend,
        ["label", "whole"],
        missing="stratum",
        **PART_NAMES,
    ),
    case(
        "extend_named_parts_but_where_missing",
        sf.extend,
        ["label", "whole"],
        parts=PARTS,
        missing="null",
        **PART_NAMES,
    ),
]
"""Folds and parts that are given stay."""

EMPTY = [
    case("parts_without_rows", sf.split, "label", SHARES, key="id", repeats=2),
    case("a_group_in_each_part", sf.split, "label", SHARES, groups="third"),
    case("extended_empty_parts", sf.extend, "label", parts=PARTS, name=["most", "rest"], key="id"),
    case("sample_of_no_rows", sf.sample, "label", frac=0.001, key="id"),
]
"""What is empty is said, and groups fill all parts."""

TABLES = [
    case("plan", sf.plan, "label", 4, key="id"),
    case("plan_of_parts", sf.plan, ["label", "sex"], parts=PARTS, seed=3, **KEYED),
    case(
        "plan_of_some_rows",
        sf.plan,
        [sf.quantiles("price", 3), "kind"],
        3,
        where="some",
        name="inner",
        key="id",
    ),
    case(
        "plan_all_but_missing",
        sf.plan,
        ["label", "sex"],
        3,
        missing="null",
        key="id",
        rare="ignore",
    ),
    case("plan_of_groups", sf.plan, ["kind", "some"], 3, groups="who", rare="ignore"),
    case(
        "plan_of_parts_of_groups",
        sf.plan,
        ["label", sf.quantiles("price", 2)],
        parts=PARTS,
        groups="who",
        where="some",
    ),
    case("advise", sf.advise, ["label", "age"], [2, 5, 30], groups="who", full=True),
    case(
        "advise_for_groups_of_two_columns",
        sf.advise,
        ["label", "age"],
        [2, 5, 30],
        groups=["kind", "day"],
        full=True,
    ),
]

OTHERS = [case("a_column_is_replaced", sf.kfold, "label", key="id", name="given", overwrite=True)]
EQUAL = SAMPLES + OWN_TERMS + HASHED + WHOLE_GROUPS + EACH + EXTENDED + EMPTY + TABLES + OTHERS
"""Calls on rows some of which have folds and parts."""


@pytest.mark.parametrize("call", EQUAL)
def test_calls_give_what_they_give_in_pandas(engine, call):
    """No other order of the rows and no partitions change a row, a column, a table or a warning."""
    frame = engine.local(GIVEN)
    expected, wanted = heard(lambda: call(frame))
    rows = engine.spread(frame[::-1], CUTS)
    found, words = heard(lambda: call(rows))
    assert words == wanted
    if isinstance(found, pd.DataFrame):
        engine.check_table(found, expected)
    else:
        assert list(found.columns) == list(expected.columns)
        assert engine.rows(found) == engine.rows(expected)


@pytest.mark.parametrize("options", [{"key": "id"}, {"groups": "id"}], ids=str)
def test_equally_rare_classes_are_listed_by_value(engine, options):
    """The order of the rows does not change which classes a warning lists, and where."""
    labels = ["f", "e", None, "c", "b", "a", "g", "g", *["x"] * 12]
    frame = pd.DataFrame({"id": range(20), "label": labels})
    rows = engine.spread(engine.local(frame), [3, 9])

    for each in (frame, frame[::-1], rows):
        _, words = heard(lambda each=each: sf.kfold(each, "label", 3, missing="stratum", **options))
        noun = "row" if "key" in options else "group"
        listed = ", ".join(f"'{label}' (1 {noun})" for label in "abcef")
        assert f"are folds (3): {listed}, ...\n" in words[0]


GROUPS = st.sampled_from(["who", "label", "name", "kind", "day", "time", "whole", "half", "some"])
GROUPED = [None, "label", ["sex", "kind"], ["label", sf.quantiles("age", 2)]]


def test_groups_of_any_type_are_those_of_pandas(engine):
    """Groups of any columns have one fold on all engines, by whatever types these store them."""
    frame = engine.local(FRAME)
    names = st.lists(GROUPS, min_size=1, max_size=3, unique=True)

    @example(["who", "name"], ["label"], ALL[::-1], [20], 2, 1)
    @given(names, st.sampled_from(GROUPED), orders, places, st.integers(2, 3), st.integers(0, 9))
    @settings(max_examples=engine.n_examples // 2)
    def check(groups, by, order, cuts, k, seed):
        options = {"groups": groups, "missing": "null", "rare": "ignore", "seed": seed}
        rows = engine.spread(frame.iloc[order], cuts)
        found = outcome(engine, lambda: sf.kfold(rows, by, k, **options))
        assert found == outcome(engine, lambda: sf.kfold(frame, by, k, **options))

    check()


AGE_BINS = sf.bins("age", [0, 18, 65, 120], name="bin")
AGE_THIRDS = sf.quantiles("age", 3, name="third")
AGE_CLASSES = sf.classes("age")
USED_TWICE = [
    pytest.param({"by": AGE_THIRDS, "groups": "age"}, id="quantiles and groups"),
    pytest.param({"by": AGE_BINS, "groups": ["label", "age"]}, id="bins and groups"),
    pytest.param({"by": sf.continuous("age"), "groups": "age"}, id="order and groups"),
    pytest.param({"by": [AGE_THIRDS, AGE_CLASSES], "key": "id"}, id="quantiles, then classes"),
    pytest.param({"by": [AGE_CLASSES, AGE_THIRDS], "key": "id"}, id="classes, then quantiles"),
    pytest.param({"by": [AGE_BINS, AGE_THIRDS], "key": "id"}, id="bins, then quantiles"),
    pytest.param({"by": AGE_THIRDS, "key": ["age", "id"]}, id="quantiles and key"),
    pytest.param({"by": "some", "where": "some", "groups": ["some", "who"]}, id="flags"),
]
"""Calls in which two arguments, or two entries, use a column."""


@pytest.mark.parametrize("options", USED_TWICE)
@pytest.mark.filterwarnings("ignore:.*quantiles:stratframe.StratWarning")
def test_a_column_is_read_for_each_use(engine, options):
    """A column that is cut into bins can also be a class, a group or a key, as in pandas."""
    frame = engine.local(FRAME.assign(age=FRAME["age"].fillna(30)))
    rows = engine.spread(frame.iloc[::-1], [7, 7, 30])
    options = {**options, "k": 3, "rare": "ignore"}

    folds, expected_folds = (sf.kfold(each, **options) for each in (rows, frame))
    plan, expected_plan = (sf.plan(each, **options) for each in (rows, frame))

    assert engine.rows(folds) == engine.rows(expected_folds)
    engine.check_table(plan, expected_plan)


def test_advice_on_bins_of_the_groups(engine):
    """`advise` counts groups, and not the bins into which their column is cut."""
    frame = engine.local(FRAME)
    rows = engine.spread(frame, [20])

    advice, expected = (sf.advise(each, AGE_THIRDS, [2, 9], groups="age") for each in (rows, frame))

    engine.check_table(advice, expected)


@pytest.mark.parametrize("by", [None, ["sex", "kind"]], ids=str)
def test_parts_of_few_groups_are_those_of_pandas(engine, by):
    """All assignments of three groups give the parts, the counts and the warnings of pandas."""
    frame = engine.local(GIVEN)
    options = {"parts": PARTS, "groups": "third", "missing": "stratum"}
    expected, words = heard(lambda: sf.split(frame, by, repeats=2, **options))
    planned, told = heard(lambda: sf.plan(frame, by, **options))
    assert all(any("do not meet the shares" in each for each in said) for said in (words, told))

    rows = engine.spread(frame[::-1], CUTS)
    found, said = heard(lambda: sf.split(rows, by, repeats=2, **options))
    assert (engine.rows(found), said) == (engine.rows(expected), words)
    table, said = heard(lambda: sf.plan(rows, by, **options))
    engine.check_table(table, planned)
    assert said == told


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


@pytest.mark.parametrize("by", TABLED, ids=str)
def test_tables_are_those_of_pandas(engine, by):
    """Tables of strata, and of the folds and parts of several columns, are those of pandas."""
    frame = engine.local(FOLDED)
    rows = engine.spread(frame, [11, 11, 30, 59])
    names = ["fold", "split"]
    for verb in (sf.balance, partial(sf.report, full=True), partial(sf.compare, full=True)):
        engine.check_table(verb(rows, by, names), verb(frame, by, names))
    for verb, name in ((sf.balance, "plain"), (sf.report, "split")):
        engine.check_table(verb(rows, by, name), verb(frame, by, name))
    # What `kfold` without a key deals is not known there.
    left_out = ["variance_stratified", "ratio"]
    advice = [sf.advise(each, by, [2, 7, 99], full=True) for each in (rows, frame)]
    engine.check_table(*(table.drop(columns=left_out) for table in advice))


JUDGED = [(300, ["even", "no less even than a shuffle"]), (90, ["too few rows"] * 2)]


@pytest.mark.parametrize(("n", "words"), JUDGED)
def test_orders_are_judged_as_on_pandas(engine, n, words):
    """The running counts of an order are those of pandas, with ties, in each class and alone."""
    drawn = np.random.default_rng(2)
    x = sf.continuous("x")
    frame = pd.DataFrame({"x": drawn.normal(9, 1, n).round(2), "id": range(n)})
    frame["label"] = frame["id"].mod(2).map(["a", "b"].__getitem__)
    frame["whole"] = frame["id"] ** 2 % 331  # most of its values are rare
    for name, by in (("own", ["label", x]), ("bins", ["label", sf.quantiles("x", 5)])):
        frame = frame.strat.kfold(by, name=name)
    frame["plain"] = drawn.permutation(n) % 5
    frame["blocks"] = frame["x"].rank(method="first").astype(int) * 5 // (n + 1)
    rows = engine.spread(frame, [1, n // 2])
    names = ["own", "bins", "plain", "blocks"]
    for by in (["label", "x"], x, sf.continuous("id"), "whole"):
        engine.check_table(sf.compare(rows, by, names), sf.compare(frame, by, names))
    verdicts = list(sf.compare(rows, ["label", "x"], names)["verdict"])
    assert verdicts == [*words, "as even as a shuffle", "uneven"]


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
    frame = FOLDED.assign(pair=[i // 2 for i in ALL], whole=[i % 4 for i in ALL])
    frame["text"], frame["twin"] = [f"text {max(i, 5)}" for i in ALL], FOLDED["fold"]
    frame["block"] = ["test" if i < 20 else "train" for i in ALL]
    frame = engine.local(frame.assign(never=["train" if i % 2 else None for i in ALL]))
    found = sf.check(engine.spread(frame, [17, 45]), **options)
    answers = {"duplicates": None, "groups": False, "time": False}
    expected = sf.check(frame, **answers | options)
    assert found.ok == expected.ok
    assert lines_of(found) == lines_of(expected)
    assert ("not looked for on" in str(found)) == ("duplicates" not in options)
    named = [options.get("key"), *np.atleast_1d(options.get("time", ""))]
    has_id = "groups" not in options and "id" not in named
    assert ("not looked for in 'id' on" in str(found)) == has_id
    assert ("'fold' and 'twin' are the same" in str(found)) == ("twin" in options.get("name", ""))
    if options.get("groups") == "pair":
        assert "pairs are in several folds, such as " in str(found)


def test_times_that_are_not_looked_for(engine):
    """A column whose name says time is reported as not looked at, until the call names it."""
    frame = engine.local(pd.DataFrame({"year": range(60), "x": [1, 2] * 30, "fold": [0, 1] * 30}))
    spread = engine.spread(frame, [17, 45])
    assert "note     time: not looked for in 'year' on" in sf.check(spread).text
    assert "not looked for in 'year'" not in sf.check(spread, time=False).text
    assert "not looked for in 'year'" not in sf.check(spread, time="year").text


def test_groups_that_are_not_looked_for(engine):
    """A column whose name says ids is reported as not looked at, until the call names it."""
    frame = engine.local(pd.DataFrame({"user": [1, 2] * 30, "fold": [0, 1] * 30}))
    spread = engine.spread(frame, [17, 45])
    assert "note     groups: not looked for in 'user' on" in sf.check(spread).text
    assert "groups: not looked for" not in sf.check(spread, groups=False).text
    assert "groups: not looked for" not in sf.check(spread, groups="user").text


def test_lost_folds_and_names(engine):
    """A gap in the numbers of folds is a lost fold; a gap in the numbers of sites is not."""
    frame = engine.local(pd.DataFrame({"fold": [0, 1, 3] * 20, "site": [3, 7, 40] * 20}))
    spread = engine.spread(frame, [17, 45])
    assert "WARNING  fold 2 has no rows" in sf.check(spread).text
    assert sf.check(spread, name="site").ok


def test_copies_of_everything(engine):
    """A test set that is the train set leaks, and so do three copies of one frame."""
    once = pd.DataFrame({"text": [f"text {i}" for i in range(40)], "label": ["a", "b"] * 20})
    for parts in (["train", "test"], ["train", "valid", "test"]):
        copied = pd.concat([once.assign(split=part) for part in parts], ignore_index=True)
        spread = engine.spread(engine.local(copied), [17, 45])
        found = sf.check(spread, name="split", duplicates=["text", "label"])
        assert f"LEAK     {len(copied)} rows (100 %) equal a row of another part" in found.text


def test_relabelled_folds_are_the_same(engine):
    """A column that only renames the folds is reported, unless some rows have no fold."""
    data = {"fold": [0, 1, 2, None] * 6, "name": ["b", "c", "a", None] * 6}
    frame = engine.local(pd.DataFrame({**data, "id": range(24), "other": ["b", "c", "a", "d"] * 6}))
    spread = engine.spread(frame.astype({"fold": "Int64"}), [7, 15])
    found = sf.check(spread, name=["fold", "name", "other"])
    assert "'fold' and 'name' are the same" in found.text
    assert "'other' are the same" not in found.text


def lines_of(check):
    """List what was found, up to its examples; times of Spark have a zone."""
    found = check.findings[~check.findings["detail"].str.contains("not looked for")]
    details = found["detail"].str.partition(", such as")[0].str.replace("+00:00", "")
    return found.assign(detail=details).to_dict("list")


SHARED = [{"groups": "who"}, {"groups": ["whole", "sex"]}, {"key": "age"}]


@pytest.mark.parametrize("shared", [*SHARED, {"duplicates": ["age", "sex"]}], ids=str)
def test_leaks_are_the_rows_of_pandas(engine, shared):
    """The rows that leak, and the sets that they share, are those of pandas; rows are whole."""
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


CELLS = st.tuples(*map(st.sampled_from, (["a", "b", None], [1, 2, None], [0, 1, None])))
"""Two values and a fold, any of them missing."""


def test_what_rows_share_is_counted_as_row_by_row(engine):
    """The engine counts values, repeated values, values in several folds, their rows and pairs.

    Rows without a fold are in one more, or left out; missing values are alike in duplicates only.
    """

    @given(st.lists(CELLS, min_size=1, max_size=40), places, st.booleans(), st.booleans())
    @settings(max_examples=engine.n_examples // 2)
    def check(cells, cuts, alike, drop):
        rows = pd.DataFrame(cells, columns=["one", "two", "fold"]).convert_dtypes()
        rows = rows.astype({"one": object, "two": "Int64", "fold": "Int64"})
        made = engine_of(engine.spread(rows, [min(cut, len(rows)) for cut in cuts]))
        argument = "duplicates" if alike else "groups"
        found = made.shared_rows(["one", "two"], argument, "fold", drop=drop)
        folds = defaultdict(list)
        for *values, fold in cells:
            if (alike or None not in values) and not (drop and fold is None):
                folds[tuple(values)].append(fold)
        pairs = [pair for each in folds.values() for pair in combinations(each, 2)]
        split = [each for each in folds.values() if len({*each}) > 1]
        n_repeated = sum(len(each) > 1 for each in folds.values())
        assert found[:4] == (len(folds), n_repeated, len(split), sum(map(len, split)))
        assert (found.example is None) == (not split)
        n_split_pairs = sum(one != other for one, other in pairs)
        largest = max(map(len, folds.values()), default=0)
        assert found[5:] == (len(pairs), n_split_pairs, largest)
        if split:
            values = tuple(None if pd.isna(value) else value for value in found.example.values)
            labels = {*found.example.folds}
            assert len(labels) == 2
            assert labels <= {*folds[values]}

    check()


@pytest.mark.parametrize("n", [0, 1, N])
def test_rows_of_a_call_without_entries_are_alike(engine, n):
    """The counted rows of a call without entries have no columns, and count all rows."""
    made = engine_of(engine.spread(engine.local(FRAME[:n]), [n // 3]))
    counts = made.count(made.bind(Options()))[1]
    assert counts.weights.sum() == n
    assert counts.columns["by"] == []


def test_parts_have_the_rows_of_pandas(engine):
    """Parts are frames of the engine with these rows, in the order of their names."""
    frame = engine.local(FOLDED)
    found = sf.parts(engine.spread(frame, [17, 45]))
    expected = sf.parts(frame)
    assert list(found) == list(expected) == ["train", "valid", "test"]
    for name, part in found.items():
        assert engine.rows(part) == engine.rows(expected[name])


RULES = [
    {"nulls": "train"},
    {"nulls": "drop"},
    {"name": "day", "train": "past", "gap": 1, "window": 2},
    {"name": "day", "every": "1d", "last": 3},
    {"name": "month", "every": "1mo", "train": "past", "horizon": 3, "step": 1, "gap": "10d"},
    {"name": "day", "every": "1d", "horizon": 2, "apart": "kind"},
    {"name": "time", "train": "past", "horizon": 40, "step": 60},
    {"name": "half", "train": [0.5, 7, 9.5], "valid": [2.5, 2]},
    {"name": "name", "train": ["row 1", "row 2", "row 7"], "valid": ["row 7", "row 3"]},
    {"name": "split", "train": "train", "valid": "test"},
    {"name": "split", "train": "train", "valid": ["test", "valid"], "apart": "who"},
    {"name": "fold", "train": [0, 2], "nulls": "drop"},
    {"name": "fold", "train": [0, 2], "nulls": "train", "apart": ["who", "day"]},
    {"nulls": "train", "apart": "half"},
    {"nulls": "drop", "apart": ["time", "name", "who"]},
    {"name": ["day", "fold"], "nulls": "drop", "apart": "whole"},
    {"nulls": "drop", "apart": "row"},
]


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_rules_read_the_rows_of_pandas(engine, rule):
    """Pairs by any rule are frames of the engine with the rows of pandas, and with its words."""
    who = GIVEN["pair"]
    month = FOLDED["day"].map(lambda day: day.replace(month=day.day))
    frame = engine.local(FOLDED.assign(who=who, month=month, row=[i // 4 for i in ALL]))
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
