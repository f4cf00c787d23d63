"""Every argument of every verb, term and schema is given values that nobody means.

`pytest --hypothesis-profile=long tests/test_junk.py` makes a hundred times as many random calls.
"""

import datetime as dt
import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from itertools import count, product
from random import Random
from typing import Any
from unittest.mock import ANY

import numpy as np
import pandas as pd
import pandera.errors
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given as given_random
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier

import stratframe as sf
from stratframe.errors import describe
from tests.helpers import FOLDED, KINDS, ROWS, eager, make, refuse, values

MOST_LETTERS = 2_000
NAN = float("nan")
INF = float("inf")
MARK = "a value of the data"
"""A value that a message may show once, and once more in its hint."""
FRAME = {name: cells for name, cells in FOLDED.items() if name != "tags"}
DATA = {"y": [MARK] * 1000, "fold": [0, 1] * 500}


class Unfriendly:
    """An object that cannot be shown."""

    def __repr__(self) -> Any:
        raise RuntimeError

    __len__ = __repr__


JUNK: list[Callable[[], Any]] = [
    lambda: None,
    lambda: True,
    lambda: 0,
    lambda: -1,
    lambda: 0.5,
    lambda: NAN,
    lambda: INF,
    lambda: 10**15,
    lambda: 10**400,
    lambda: 10**5000,
    lambda: 1j,
    lambda: Fraction(10**400, 3),
    lambda: "",
    lambda: "no",
    lambda: "\ud800",
    lambda: "x" * 5000,
    lambda: b"x" * 5000,
    lambda: pd.DataFrame(DATA),
    lambda: pl.DataFrame(DATA),
    lambda: pl.LazyFrame(DATA),
    lambda: pd.Index(DATA["y"]),
    lambda: pd.Series(DATA["y"], name="y"),
    lambda: pd.Series([MARK]),
    lambda: pl.Series("y", DATA["y"]),
    lambda: np.array(DATA["y"]),
    lambda: np.array([MARK]),
    lambda: np.array(0),
    lambda: np.zeros((50, 50)),
    lambda: np.float32(0.3),
    list,
    dict,
    lambda: [MARK] * 5000,
    lambda: ["x" * 5000],
    lambda: [pd.Series([MARK])],
    lambda: [np.array([MARK] * 50)],
    lambda: [["y"]],
    lambda: [[["x" * 5000] * 5] * 5],
    lambda: {"y": 1},
    lambda: {"y"},
    lambda: dict.fromkeys(range(5000), MARK),
    lambda: {"y": pd.DataFrame(DATA)},
    lambda: (["y"],),
    lambda: range(10**30),
    count,
    object,
    lambda: pl.col("nowhere"),
    Unfriendly,
    lambda: pl.sum_horizontal(*(f"column{i}" for i in range(300))),
]
"""What nobody means, made anew each time: some of it can be used once."""


@cache
def name_junk(place: int) -> str:
    """Name a piece of junk by its place in the lists, and by what messages call it."""
    return f"{place} ({describe([*JUNK, *RARER][place]())})"


VERBS: dict[str, dict[str, Any]] = {
    "kfold": {"by": "label", "k": 2, "name": "new"},
    "split": {"by": "label", "parts": 0.5, "name": "new"},
    **{key: {"by": "label", "k": 2} for key in ("extend", "plan")},
    **{key: {"by": "label"} for key in ("balance", "report", "advise", "check", "plot")},
    **{key: dict[str, Any]() for key in ("folds", "cv", "fingerprint")},
    "sample": {"by": "label", "n": 4},
    "from_splits": {"splits": [([0], [1])]},
    "parts": {"name": "fold"},
    "compare": {"by": "label", "names": "fold"},
    "drift": {"features": "price"},
    "leaks": {"duplicates": "label"},
}
TERMS: dict[str, dict[str, Any]] = {
    "continuous": {"column": "price"},
    "classes": {"column": "label"},
    "quantiles": {"column": "price", "n": 2},
    "bins": {"column": "price", "edges": [0, 5, 10]},
    "clusters": {"features": "price", "n": 2},
    **{key: {"features": "price"} for key in ("chain", "nearest")},
    "margins": {"entries": ["label"]},
}
ENTRIES = {"by": "label", "groups": "id", "key": "id", "duplicates": "price", "features": "price"}
"""Arguments that also take lists, whose entries may be junk."""


def arguments_of(function: Callable[..., Any]) -> Iterator[str]:
    """The arguments of a function but the frame."""
    return (name for name in inspect.signature(function).parameters if name != "frame")


def fault_of(function: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """Return what is wrong with the answer: nothing if it is a result or a short error of ours."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*args, **kwargs)
            if isinstance(result, Iterator):
                list(result)
            eager(result)
        except (sf.StratError, TypeError) as error:
            ours = isinstance(error, sf.StratError) or "has no argument" in str(error)
            texts = [str(error) if ours else f"{3 * MARK}: {error!r}"]
        except Exception as error:
            texts = [f"{3 * MARK}: {error!r}"]
        else:
            texts = []
    texts += [str(warning.message) for warning in caught]
    wrong = (text for text in texts if not 0 < len(text) <= MOST_LETTERS or text.count(MARK) > 2)
    return next(wrong, "")[:MOST_LETTERS]


LAZILY = ["kfold", "extend", "sample", "folds", "check", "drift", "leaks"]
CALLED = [*product(["pandas"], VERBS), *product(["polars-lazy"], LAZILY)]


@pytest.mark.parametrize(("kind", "verb"), CALLED)
def test_verbs_answer_junk(kind: str, verb: str) -> None:
    """Whatever value an argument has, the answer is a result or a short error of ours."""
    function = getattr(sf, verb)
    df = make(kind, FRAME)
    # A picture takes long, and reads its other arguments as `check` does.
    arguments = ("by", "kind", "ax") if verb == "plot" else arguments_of(function)
    faults = {}
    for argument, place in product(arguments, range(len(JUNK))):
        given = {name_junk(place): JUNK[place]()}
        if argument in ENTRIES:
            given[f"[..., {name_junk(place)}]"] = [ENTRIES[argument], JUNK[place]()]
        for case, value in given.items():
            faults[f"{argument}={case}"] = fault_of(function, df, **VERBS[verb] | {argument: value})
    assert not {case: fault for case, fault in faults.items() if fault}


@pytest.mark.parametrize("verb", VERBS)
def test_verbs_answer_what_is_no_frame(verb: str) -> None:
    """Every verb has a short error of ours for an object that is no frame."""
    faults = {}
    for place, make_junk in enumerate(JUNK):
        faults[name_junk(place)] = fault_of(getattr(sf, verb), make_junk(), **VERBS[verb])
    assert not {case: fault for case, fault in faults.items() if fault}


# The arguments of a chain are those of nearest neighbours.
OF_TERMS = [
    (term, name) for term in TERMS if term != "chain" for name in arguments_of(getattr(sf, term))
]


@pytest.mark.parametrize(("term", "argument"), OF_TERMS)
def test_terms_answer_junk(term: str, argument: str) -> None:
    """A term with junk as an argument gives a result or a short error, when it is made or used."""
    df = make("pandas", FRAME)
    faults = {}
    for place, make_junk in enumerate(JUNK):
        case = name_junk(place)
        if argument in ("features", "entries", "edges"):
            listed = TERMS[term] | {argument: ["price", make_junk()]}
            of_list = partial(getattr(sf, term), **listed)
            faults[f"[..., {case}]"] = fault_of(lambda of=of_list: sf.report(df, of()))
        made = list[Any]()
        junk = partial(getattr(sf, term), **TERMS[term] | {argument: make_junk()})
        faults[case] = fault_of(lambda to=made, of=junk: to.append(of()))
        for verb, each in product(("plan", "report"), made):
            faults[f"{case} in {verb}"] = fault_of(getattr(sf, verb), df, each)
    assert not {name: fault for name, fault in faults.items() if fault}


RARER: list[Callable[[], Any]] = [
    lambda: ...,
    lambda: NotImplemented,
    lambda: 2,
    lambda: 10,
    lambda: 11,
    lambda: 2**63,
    lambda: -(2**63),
    lambda: 1e300,
    lambda: -0.0,
    lambda: -INF,
    lambda: "id",
    lambda: "label",
    lambda: "price",
    lambda: "tags",
    lambda: "fold",
    lambda: " ",
    lambda: "train",
    lambda: "\0",
    lambda: "^.*$",
    lambda: "a\nb",
    lambda: "quantiles(x, 3)",
    lambda: bytearray(3),
    lambda: ValueError("no"),
    tuple,
    lambda: ("label", "id"),
    lambda: Decimal("NaN"),
    lambda: dt.date(2020, 1, 1),
    lambda: dt.timedelta(1),
    lambda: np.int64(3),
    lambda: np.float64(NAN),
    lambda: np.bool_(True),
    lambda: np.datetime64("NaT"),
    lambda: pd.NA,
    lambda: pd.NaT,
    lambda: pl.Enum(["a"]),
    lambda: range(2, 5),
    lambda: range(0),
    lambda: pl.col("label"),
    lambda: pl.col("^.*$"),
    pl.all,
    lambda: pl.col("label", "id"),
    lambda: pl.col("id").first(),
    lambda: pl.col("id").head(3),
    lambda: pl.lit(None),
    pl.len,
    lambda: pl.struct("label", "id"),
    lambda: pl.col("label") + 1,
    lambda: pl.col("id") > 2,
    lambda: sf.continuous("label"),
    lambda: sf.quantiles("price", 3),
    lambda: sf.bins("id", [0, 2, 50]),
    lambda: sf.clusters(["id", "price"], 2),
    lambda: sf.clusters("nope", 2),
    lambda: sf.chain(["id", "price"]),
    lambda: sf.margins(["label", "id"]),
    sf.FoldSplit,
    lambda: sf.StratError("no"),
    DummyClassifier,
    lambda: ["label", "label"],
    lambda: ["fold", "fold"],
    lambda: [0.5, NAN],
    lambda: [3, 2, 1],
    lambda: [-INF, 0, INF],
    lambda: {"train": 0.5, "test": 0.5},
    lambda: {"train": 5, "test": 5},
    lambda: {"train": None, "test": None},
    lambda: {1: 0.5, 2: 0.5},
    lambda: {"": 0.5, " ": 0.5},
    lambda: {str(n): 1 for n in range(1_000)},
    lambda: {"train": Unfriendly(), "test": 0.5},
    lambda: iter(["label"]),
    lambda: lambda df: df,
    lambda: lambda df: None,
    lambda: lambda df: df["label"],
    lambda: pd.DataFrame(),
    lambda: pd.Series(range(10)),
    lambda: ["label", sf.quantiles("price", 2)],
    lambda: ["label", sf.continuous("price"), "id"],
    lambda: "random",
    lambda: "circular",
    lambda: "hash",
    lambda: "error",
    lambda: "stratum",
    lambda: "null",
    lambda: "pool",
    lambda: "rest",
    lambda: "past",
    lambda: "drop",
    lambda: "equal",
    lambda: "drift",
    lambda: "leaks",
    lambda: "left",
    lambda: "auto",
    lambda: "dbscan",
]
"""Values that random calls have beside the junk."""


def list_pairs(frame: Any, **given: Any) -> list[Any]:
    """List the pairs of `FoldSplit`."""
    splitter = sf.FoldSplit(**given)
    return [splitter.get_n_splits(frame), *splitter.split(frame)]


def deal_expression(frame: Any, **given: Any) -> Any:
    """Select the folds, or parts, of a Polars expression."""
    call = pl.struct("label", "id").strat.split if "parts" in given else pl.col("label").strat.kfold
    return pl.LazyFrame(FRAME).select(call(**given))


def validate(_: Any, *, schema: str, **given: Any) -> None:
    """Make a schema and validate a frame of its library, with the first or all faults."""
    made = getattr(sf.schemas, schema)(**given)
    rows = make("polars" if given["library"] == "polars" else "pandas", FRAME)
    for lazy in (False, True):
        with suppress(pandera.errors.SchemaError, pandera.errors.SchemaErrors):
            made.validate(rows, lazy=lazy)


def without_frame(function: Callable[..., Any]) -> Callable[..., Any]:
    """Call a function that takes no frame."""
    return lambda _, **given: function(**given)


LIBRARY = {"library": "pandas"}
EQUAL = {"n": 20, "count": 3, "k": 5}
FORMULAS: dict[str, dict[str, Any]] = {
    "ber_bias": {"k": 5, "count": 3, "error0": 0.1, "error1": 0.2},
    "corrected_t": {"differences": [0.1, 0.3], "n_train": 8, "n_test": 2, "level": 0.9},
    "imbalance": {"counts": [3, 4]},
    "largest_deviation": {"counts": [3, 4], "k": 2},
    "largest_k": {"counts": [3, 4]},
    **dict.fromkeys(("probability_any_missing", "probability_missing"), EQUAL),
    "variance_stratified": EQUAL,
    "variance_of_mean": {"variance": 0.1, "k": 5, "rho": 0.1},
    "variance_random": {"n": 20, "k": 5, "p": 0.1},
}
TABLES = {"summary": "estimates", "differences": "estimates", "plot": "results"}
TABLES |= {"wins": "summary", "friedman": "summary"}

OTHERS: list[tuple[Callable[..., Any], dict[str, Any], dict[str, Any]]] = [
    (list_pairs, {}, {"name": "fold", "train": "rest", "valid": None, "gap": 0, "window": None}),
    (list_pairs, {}, {"name": "fold", "train": "past", "horizon": 1, "step": None}),
    (deal_expression, {}, {"k": 2, "deal": "random", "rare": "warn", "seed": 0}),
    (deal_expression, {}, {"parts": None, "each": 1, "deal": "random", "name": "part"}),
    (deal_expression, {}, {"parts": 0.5, "deal": "random", "missing": "error", "name": "part"}),
    (validate, {"schema": "folded"}, {"k": 2, "name": "fold", "nulls": False, **LIBRARY}),
    (validate, {"schema": "parted"}, {"parts": {"a": 0.5, "b": 0.5}, "name": "fold", **LIBRARY}),
    (validate, {"schema": "needed"}, {"by": "label", "groups": None, "key": None, **LIBRARY}),
    *((without_frame(getattr(sf.theory, name)), {}, right) for name, right in FORMULAS.items()),
    *(
        (without_frame(getattr(sf.study, name)), {}, {table: None})
        for name, table in TABLES.items()
    ),
]
"""Other functions: what is never junk, and arguments that are right."""


def draw_call(rng: Random) -> tuple[Callable[..., Any], dict[str, Any], list[str]]:
    """Draw a function, arguments that are right, and the names of those that may be junk."""
    kind = rng.random()
    if kind < 0.65:
        verb = rng.choice(list(VERBS))
        return getattr(sf, verb), VERBS[verb], [*arguments_of(getattr(sf, verb))]
    if kind < 0.85:
        term = rng.choice(list(TERMS))
        verb = rng.choice(["kfold", "plan", "advise", "report"])

        def call(frame: Any, **given: Any) -> Any:
            more = {"name": "new"} if verb == "kfold" else {}
            return getattr(sf, verb)(frame, getattr(sf, term)(**given), **more)

        return call, TERMS[term], [*arguments_of(getattr(sf, term))]
    function, fixed, right = rng.choice(OTHERS)
    return function, fixed | right, [*right]


@given_random(rng=st.integers(0, 2**60).map(Random))
def test_random_calls_are_answered(rng: Random) -> None:
    """With junk as one to three arguments, any function gives a result or a short error of ours."""
    function, right, names = draw_call(rng)
    wrong = rng.choices(names, k=rng.choice([1, 1, 2, 3]))
    every = [*JUNK, *RARER]
    junk = {name: rng.randrange(len(every)) for name in wrong}
    n = rng.choice([0, 1, *[10] * 8])
    frame = make(rng.choice(KINDS), {name: cells[:n] for name, cells in FRAME.items()})
    given = right | {name: every[place]() for name, place in junk.items()}
    named = {name: name_junk(place) for name, place in junk.items()}
    assert not fault_of(function, frame, **given), (function, right, named)


NESTED_DICT: dict[int, Any] = {}
NESTED_DICT[0] = NESTED_DICT
SHOWN: list[tuple[object, str]] = [
    ("label", "'label'"),
    (["a", 1], "['a', 1]"),
    (list(range(6)), "list of 6 values"),
    ("x" * 5000, f"{'x' * 40!r}... (5,000 characters)"),
    (["x" * 150] * 2, "list of 2 values"),
    ({"b": np.zeros(3), "a": [1] * 9}, "{'b': ndarray, 'a': list of 9 values}"),
    ({3, 1, 2}, "{1, 2, 3}"),
    (["at 0x1f"], "['at 0x1f']"),
    (object(), "<object object>"),
    (NESTED_DICT, "{0: {0: {0: {0: {0: {0: {...}}}}}}}"),
    (np.zeros(3), "ndarray"),
    (np.float64(0.5), repr(np.float64(0.5))),  # NumPy 1 writes 0.5
    (pl.Series([1]), "Series"),
    (pl.LazyFrame({"a": [1]}), "LazyFrame"),
    (10**29, "1" + "0" * 29),
    (10**5000, "about 10**5000"),
    (-(10**400), "about -10**400"),
    (range(10**30), f"range(0, {10**30})"),
    (Unfriendly(), "<Unfriendly instance>"),
]


@pytest.mark.parametrize(("value", "text"), SHOWN, ids=[text for _, text in SHOWN])
def test_values_in_messages(value: object, text: str) -> None:
    """A message shows a value as in code, data by their type, and long values by their size."""
    assert describe(value) == text


KS = "`ks` must hold at most 10,000 numbers, got"
MOST = "must be at most the number of rows"
TOO_MUCH: list[Any] = [
    pytest.param(
        lambda df: sf.bins("price", count()),
        "`edges` of `sf.bins` must define at most 1,000,000 bins.",
        id="edges_without_an_end",
    ),
    pytest.param(
        lambda df: sf.clusters("price", algorithm="dbscan", eps=10**400),
        "`eps` of `sf.clusters` must be a finite number above 0, got about 10**400.",
        id="eps_beyond_floats",
    ),
    pytest.param(
        lambda df: sf.split(df, "label", {"a": 10**400, "b": 1}),
        "The counts in `parts` must sum to the number of rows that get a part, got about 10**400"
        " for 10 rows.\nHint: one count may be None, which stands for the remaining rows (at least"
        " 1).",
        id="count_beyond_memory",
    ),
    pytest.param(
        lambda df: sf.split(df, "label", {"a": 1e308, "b": 1e308}),
        "`parts` must be fractions that sum to 1, got {'a': 1e+308, 'b': 1e+308}, which sum to"
        " more than a billion.",
        id="shares_beyond_floats",
    ),
    pytest.param(
        lambda df: sf.advise(df, "label", range(2, 10**9)),
        f"{KS} range of 999,999,998 values.",
        id="many_ks",
    ),
    pytest.param(
        lambda df: sf.advise(df, "label", count(2)), f"{KS} count(2).", id="ks_without_an_end"
    ),
    pytest.param(
        lambda df: sf.kfold(df, "label", 10**400),
        f"`k` {MOST} that get a fold, got about 10**400 for 10 rows.",
        id="k_beyond_memory",
    ),
    pytest.param(
        lambda df: sf.sample(df, "label", n=10**5000),
        f"`n` {MOST}, got about 10**5000 for 10 rows.",
        id="sample_beyond_memory",
    ),
]


@pytest.mark.parametrize(("call", "message"), TOO_MUCH)
def test_limits_say_what_is_possible(call: Callable[[Any], Any], message: str) -> None:
    """The error of a number that memory or floats cannot hold says the limit."""
    refuse(message, lambda: call(pd.DataFrame(ROWS)))


@pytest.mark.parametrize("library", [pd, pl])
def test_tables_of_strata_and_folds_are_limited(library: Any) -> None:
    """Ten thousand folds of 30,000 classes, or of their groups, are an error."""
    n = 30_000
    df = library.DataFrame({"y": np.arange(n), "fold": np.arange(n) % 10_000})
    rule = "The table of strata and parts must not exceed 268,435,456 cells, got 300,000,000"
    hint = 'Hint: take fewer folds, or make fewer strata, as with `rare="pool"`.'
    message = f"{rule} (30,000 strata x 10,000 parts).\n{hint}"
    for more in ({}, {"groups": "y"}, {"key": "y"}):
        deal = {"k": 10_000, "rare": "ignore", "name": "new", **more}
        refuse(message, lambda deal=deal: sf.kfold(df, "y", **deal))
    refuse(message, lambda: sf.report(df, sf.classes("y")))


def test_schemas_count_many_folds() -> None:
    """A schema may have more folds than memory can hold."""
    df = pd.DataFrame({"fold": [0, 1, None]})
    assert len(sf.schemas.folded(10**12, nulls=True).validate(df)) == 3


@pytest.mark.skipif(not hasattr(pl, "BaseExtension"), reason="this Polars has no extensions")
@pytest.mark.filterwarnings("ignore")
def test_folds_of_an_extension_column() -> None:
    """Folds may be a column of an extension type of Polars."""

    class Numbered(pl.BaseExtension):
        """Whole numbers of a kind."""

        def __init__(self) -> None:
            super().__init__("stratframe.tests.numbered", pl.Int64)

    pl.register_extension_type("stratframe.tests.numbered", Numbered)
    try:
        fold = pl.Series("fold", [0, 1, 0, 1]).ext.to(Numbered())
        for df in (pl.DataFrame([fold]), pl.LazyFrame([fold])):
            found = [(len(eager(fold.train)), len(eager(fold.valid))) for fold in sf.folds(df)]
            assert found == [(2, 2), (2, 2)]
            assert [len(eager(part)) for part in sf.parts(df, "fold").values()] == [2, 2]
    finally:
        pl.unregister_extension_type("stratframe.tests.numbered")


COLUMNS = {"id": [*range(24)], "y": ["a", "b"] * 12, "old": [0, 0, 1, 1] * 6}
COLUMNS["part"] = [0, 1, None] * 8
NAMED: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "hash_deal": (lambda df, x: sf.kfold(df, k=2, key=x, deal="hash"), "fold"),
    "sample_by_key": (lambda df, x: sf.sample(df, "y", n=6, key=["id", x]), "id"),
    "kfold": (lambda df, x: sf.kfold(df, x, 2), "fold"),
    "kfold_of_groups": (lambda df, x: sf.kfold(df, "y", 2, groups=x, rare="ignore"), "fold"),
    "extend": (lambda df, x: sf.extend(df, x, 2, name="part"), "part"),
    "sample": (lambda df, x: sf.sample(df, x, n=6), "id"),
    "plan": (lambda df, x: sf.plan(df, x, 2), "n"),
    "check": (lambda df, x: sf.check(df, x, "old").findings, "severity"),
    "check_of_groups": (lambda df, x: sf.check(df, "y", "old", groups=x).findings, "severity"),
    "check_of_duplicates": (
        lambda df, x: sf.check(df, "y", "old", duplicates=x).findings,
        "severity",
    ),
    "leaks_of_duplicates": (lambda df, x: sf.leaks(df, duplicates=x, name="old"), "row"),
    "balance": (lambda df, x: sf.balance(df, x, "old"), "n"),
    "balance_of_labels": (lambda df, x: sf.balance(df, "y", x), "n"),
    "folds": (lambda df, x: next(iter(sf.folds(df, x))).train, "id"),
}
"""Calls that name a column x, and the column of their answers that is compared."""
UNNAMED: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "sample_of_others": (lambda df, _: sf.sample(df, "y", n=6), "id"),
    "folds_of_others": (lambda df, _: next(iter(sf.folds(df, "old"))).train, "id"),
    "parts_of_others": (lambda df, _: sf.parts(df, "old")[1], "id"),
    "extend_of_others": (lambda df, _: sf.extend(df, "y", 2, name="part"), "part"),
    "check_of_others": (lambda df, _: sf.check(df, "y", "old").findings, "severity"),
    "leaks_of_others": (lambda df, _: sf.leaks(df, name="old"), "row"),
}


@dataclass
class Cell:
    """An object with `==`, and so without a hash."""

    value: int


def cells(*held: Any) -> Any:
    """Make a column of Python objects, repeated in turn."""
    return pd.Series([held[row % len(held)] for row in range(24)], dtype=object)


def answer(call: str, column: Any, name: str = "x", part: str = "") -> Any:
    """Call a verb on a frame with a column, lazy if this is a frame of one: values, or an error."""
    if isinstance(column, pd.Series):
        df: Any = pd.DataFrame({"x": 0, **COLUMNS}).assign(x=column)
    else:
        df = column.lazy().collect().with_columns(*map(pl.Series, COLUMNS, COLUMNS.values()))
        df = df.lazy() if isinstance(column, pl.LazyFrame) else df
    try:
        make_call, compared = (NAMED | UNNAMED)[call]
        return values(make_call(df, name), part or compared)
    except sf.StratError as error:
        return str(error).partition("\n")[0]


@cache
def plain_answer(call: str, *held: Any) -> Any:
    """Call a verb on a frame with a column of Python objects."""
    return answer(call, cells(*held))


def of_polars(name: str, *held: Any, dtype: Any = None) -> pl.DataFrame:
    """Make a column of Polars, repeated in turn."""
    return pl.DataFrame({name: pl.Series([*held] * (24 // len(held)), dtype=dtype)})


def of_arrow(dtype: Any, *held: Any) -> Any:
    """Make a column of a type of pyarrow, repeated in turn."""
    return pd.Series([*held] * (24 // len(held)), dtype=pd.ArrowDtype(dtype))


OBJECTS = of_polars("x", object(), dtype=pl.Object)
NESTED = {
    "Cell": cells(Cell(1), Cell(2)),
    "void": cells(*np.zeros(2, "i8, i8")),
    "Series": cells(pd.Series([1]), pd.Series([2])),
    "list": cells(["a"], ["b"]),
    "memoryview": cells(memoryview(bytearray(1))),
    "Object": OBJECTS,
    "Object, lazily": OBJECTS.lazy(),
    "list_view<item: int64>[pyarrow]": of_arrow(pa.list_view(pa.int64()), [1], [2]),
}
"""Columns of cells that are no single values, by the word for them in the message."""


@pytest.mark.parametrize("what", NESTED)
def test_cells_that_are_no_single_values(what: str) -> None:
    """A column of values without a hash is refused where a call names it, and else left aside."""
    message = f"A column must hold single values, but 'x' is {what.partition(',')[0]}."
    assert {call: answer(call, NESTED[what]) for call in NAMED} == dict.fromkeys(NAMED, message)
    plain = {call: plain_answer(call, 1, 2) for call in UNNAMED}
    assert {call: answer(call, NESTED[what]) for call in UNNAMED} == plain
    first, *_ = answer("check_of_others", NESTED[what], part="detail")
    assert first == (
        "24 rows (100 %) equal a row of another fold, not judged (without 'x', 'id');"
        " duplicates=['y', 'part'] judges them"
    )


@pytest.mark.parametrize("name", ["^x$", "^y$", "^.*$", "*"])
def test_names_that_polars_takes_for_patterns(name: str) -> None:
    """A column with such a name is an error where a call names it, and does no harm elsewhere."""
    message = f"must not name a column that Polars treats as a pattern of names, got {name!r}."
    plain = {call: plain_answer(call, 1, 2) for call in UNNAMED}
    for column in (of_polars(name, 1, 2), of_polars(name, 1, 2).lazy()):
        found = {call: answer(call, column, name).partition("` ")[2] for call in NAMED}
        assert found == dict.fromkeys(NAMED, message)
        assert {call: answer(call, column, name) for call in UNNAMED} == plain


DAYS = [datetime(2024, 1, day) for day in (3, 1, 2)]
BYTES = [b"c", b"a", b"b"]


def of_numpy(dtype: str, *held: Any) -> Any:
    """Make a column of a type of NumPy, repeated in turn."""
    return pd.Series(np.array([*held] * (24 // len(held)), dtype=dtype))


def no_rows(dtype: str) -> dict[str, Any]:
    """List the calls that select rows of all columns, and why they cannot."""
    message = f"Column 'x' must have a dtype from which pandas can select rows, but is {dtype}."
    calls = ("sample_by_key", "sample", "folds", "sample_of_others", "folds_of_others")
    return dict.fromkeys((*calls, "parts_of_others"), message)


def unordered(what: str, *arguments: str) -> dict[str, Any]:
    """List the calls that need an order of `key`, or of `name`, and why there is none."""
    message = "A column of `{}` must hold values that can be ordered, but 'x' {}."
    calls = {"key": ["hash_deal", "sample_by_key"], "name": ["balance_of_labels", "folds"]}
    return {call: message.format(each, what) for each in arguments for call in calls[each]}


HASHED = {"kfold_of_groups": ANY}
"""The call whose answer depends on the hash of the values."""
HALF = HASHED | unordered("holds half of a surrogate pair", "key")
MIXED = HASHED | unordered("mixes types", "key")
APART = HASHED | unordered("mixes types", "key", "name")
TWINS: dict[str, tuple[Any, Sequence[Any], dict[str, Any]]] = {
    ">i8": (of_numpy(">i8", 3, 1, 2), [3, 1, 2], no_rows(">i8")),
    ">f8": (of_numpy(">f8", 3, 1.5, 2), [3, 1.5, 2], no_rows(">f8")),
    ">M8": (of_numpy(">M8[ns]", *DAYS), DAYS, {}),
    ">U": (of_numpy(">U1", *"cab"), "cab", {}),
    "large_string": (of_arrow(pa.large_string(), *"cab"), "cab", {}),
    "string_view": (of_arrow(pa.string_view(), *"cab"), "cab", no_rows("string_view[pyarrow]")),
    "binary_view": (of_arrow(pa.binary_view(), *BYTES), BYTES, no_rows("binary_view[pyarrow]")),
    "half of a pair": (cells("\ud800", "'\\ud800'", "b"), "cab", HALF),
    "NUL": (cells("a\0b", "a", "a\0a"), "cab", HASHED | dict.fromkeys(unordered("", "key"), ANY)),
    "beyond floats": (cells(2**60 + 1, 2**60, 1.0), [3, 2, 1], MIXED),
    "beyond 64 bits": (cells(np.timedelta64(1, "s"), 2**63, 2**64), [1, 2, 3], APART),
    "zones": (cells(*DAYS[:2], DAYS[0].replace(tzinfo=UTC)), [1, 2, 3], APART),
    "Int128": (of_polars("x", 2**100, 1, 2), [2**100, 1, 2], {}),
    "Int128, lazily": (of_polars("x", 2**100, 1, 2).lazy(), [2**100, 1, 2], {}),
}
"""Columns of rare values, plain ones that are alike, and where their answers differ."""

if hasattr(pl, "UInt128"):
    UNSIGNED = of_polars("x", 2**127, 1, 2, dtype=pl.UInt128).lazy()
    TWINS["UInt128, lazily"] = (UNSIGNED, [2**127, 1, 2], {})


@pytest.mark.parametrize("name", TWINS)
def test_columns_of_rare_values(name: str) -> None:
    """A column of a rare type has the answers of a plain one, or one error of ours."""
    column, plain, others = TWINS[name]
    expected = {call: others.get(call) or plain_answer(call, *plain) for call in NAMED | UNNAMED}
    assert {call: answer(call, column) for call in expected} == expected
