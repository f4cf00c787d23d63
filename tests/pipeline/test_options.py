"""Arguments of a call, checked at the call."""

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import ROWS, Make, evaluate, refuse, refuse_now, split_groups, values, warned

VISITS = {"patient": [f"p{i // 3}" for i in range(20)], "label": list("ab") * 10, "x": range(20)}
WHOLE = "must be a whole number, got"
GROUPS = "`groups` must be a column, a list of columns, or one of"
GROUPS += " `sf.clusters`, `sf.linked` and `sf.similar`, got"
NO_COLUMN = "which the frame does not have.\nHint: did you mean"
ARGUMENTS = {
    **{f"k={k}": f"`k` must be at least 2, got {k}." for k in (1, -3)},
    **{f"k={k}": f"`k` {WHOLE} {k}." for k in ("True", "2.5", "1.0", "1e+30", "inf", "'5'", None)},
    **{
        f"{name}={n}.0": f"`{name}` {WHOLE} {n}.0.\nHint: `{name}={n}`."
        for name, n in (("k", 5), ("repeats", 1), ("seed", 7))
    },
    "repeats=0": "`repeats` must be at least 1, got 0.",
    "repeats=10**7": "`repeats` must not exceed 10,000 columns, got 10,000,000.",
    "seed=-1": "`seed` must be at least 0, got -1.",
    **{f"seed={seed}": f"`seed` {WHOLE} {seed}." for seed in ("True", "'1'")},
    "seed=np.array([7, 8])": f"`seed` {WHOLE} ndarray.",
    "seed=np.bool_(True)": f"`seed` {WHOLE} {np.bool_(True)!r}.",
    "deal='fair'": "`deal` must be 'random', 'circular', 'contiguous' or 'hash', got 'fair'.",
    "missing='drop'": "`missing` must be 'error', 'stratum' or 'null', got 'drop'.",
    "missing=['null']": "`missing` must be 'error', 'stratum' or 'null', got ['null'].",
    "rare=None": "`rare` must be 'warn', 'error', 'null', 'pool' or 'ignore', got None.",
    **{
        f"overwrite={flag}": f"`overwrite` must be True or False, got {flag}."
        for flag in ("'no'", "0", "None", "1.0")
    },
    **{f"name={name}": f"`name` must be a non-empty string, got {name}." for name in (5, None)},
    "key=5": "`key` must hold column names or expressions, got 5.",
    "key=[]": "`key` must hold at least one column, got [].",
    "key='idd'": f"`key` names the column 'idd', {NO_COLUMN} 'id'?",
    "groups=[]": "`groups` must hold at least one column, got [].",
    "groups=['id', 'id']": "`groups` must hold each column once, got 'id' twice.",
    "groups=sf.margins(['id'])": f"{GROUPS} sf.margins(['id']).",
    "groups=['id', sf.clusters('price', 3)]": f"{GROUPS} sf.clusters(['price']).",
    "groups=5": "`groups` must hold column names, expressions, or one of `sf.clusters`,"
    " `sf.linked` and `sf.similar`, got 5.",
    "groups='labels'": f"`groups` names the column 'labels', {NO_COLUMN} 'label'?",
}


@pytest.mark.parametrize("argument", ARGUMENTS)
def test_arguments_of_kfold(argument: str) -> None:
    """A wrong argument is refused at the call."""
    df = pd.DataFrame(ROWS)
    refuse_now(ARGUMENTS[argument], lambda: evaluate(f"sf.kfold(df, 'label', {argument})", df=df))


@pytest.mark.parametrize(
    ("verb", "options"), [(sf.kfold, {}), (sf.split, {}), (sf.extend, {"k": 2, "name": "given"})]
)
def test_types_of_lazy_frames_are_checked_at_once(verb: Any, options: dict[str, Any]) -> None:
    """A wrong type in a lazy frame is an error of the call, not of the query."""
    lazy = pl.LazyFrame({**ROWS, "given": [None, 1] * 5})
    message = "`where` must be a boolean column, but 'id' is Int64."
    refuse_now(message, lambda: verb(lazy, "label", where="id", **options))


@pytest.mark.parametrize("verb", [sf.kfold, sf.check, sf.balance, sf.plan, sf.folds])
@pytest.mark.parametrize("what", [None, [1], (1, 2), np.array([1])])
def test_what_is_no_frame(verb: Callable[..., Any], what: object) -> None:
    """What is no frame is refused by its type."""
    message = (
        f"`frame` must be a pandas, Polars, Dask, Spark or Arrow frame, got {type(what).__name__}."
    )
    refuse_now(message, lambda: verb(what, "label"))


MIXED = "all fractions or all counts, with at most one None"
SUM = "fractions that sum to"
AT_LEAST = "`parts` must map at least 2 names to their shares, got"
TWENTY = '{"train": None, "test": 20} to test on that many rows, or pass a share below 1.'
PARTS = {
    **{given: f"{AT_LEAST} {given}." for given in ("None", "['a', 'b']", "{}", "{'a': 1.0}")},
    **{
        parts: f"`parts` must be a share between 0 and 1, got {evaluate(parts)!r}."
        for parts in ("1.0", "0.0", "-0.2", "1.5", "nan", "inf", "True", "np.False_")
    },
    "[0.8, 0.2]": f"{AT_LEAST} [0.8, 0.2].\nHint: pass {{'train': 0.8, 'test': 0.2}}",
    "(0.6, 0.2, 0.2)": f"{AT_LEAST} (0.6, 0.2, 0.2).\n"
    "Hint: pass {'train': 0.6, 'valid': 0.2, 'test': 0.2}",
    "20": f"{AT_LEAST} 20.\nHint: pass {TWENTY}",
    "np.int64(20)": f"{AT_LEAST} {np.int64(20)!r}.\nHint: pass {TWENTY}",
    "{1: 0.5, 2: 0.5}": "The names of `parts` must be strings, got [1, 2].",
    **{
        parts: f"`parts` must be {MIXED}, got {parts}."
        for parts in (
            "{'a': 0.5, 'b': 5}",
            "{'a': True, 'b': 9}",
            "{'a': '0.5', 'b': 0.5}",
            "{'a': None, 'b': None}",
            "{'a': 0.5, 'b': None, 'c': None}",
        )
    },
    **{
        f"{{'a': {share}}}": f"`parts` must be finite and above zero, got {{'a': {share}}}."
        for share in (
            "0.0, 'b': 10.0",
            "-0.5, 'b': 10.0",
            "nan, 'b': 10.0",
            "inf, 'b': 10.0",
            "0, 'b': 10",
            "-1, 'b': None",
        )
    },
    "{'a': 9e-07, 'b': None}": "Each share in `parts` must be at least one millionth, got {'a':"
    " 9e-07, 'b': None}.",
    **{
        parts: f"`parts` must be {SUM} less than 1, to leave a remainder, got {parts}, which sum to"
        f" {n}."
        for parts, n in {"{'a': 1.0, 'b': None}": 1, "{'a': 0.7, 'b': 0.7, 'c': None}": 1.4}.items()
    },
    **{
        f"{{'a': 0.5, 'b': {share}}}": (
            f"`parts` must be {SUM} 1, got {{'a': 0.5, 'b': {share}}}, which sum to {total}."
        )
        for share, total in ((0.4, 0.9), (0.500002, 1.000002), (0.6, 1.1))
    },
}


@pytest.mark.parametrize("parts", PARTS)
def test_parts(parts: str) -> None:
    """Parts that are neither fractions of 1 nor counts are refused at the call, and null parts."""
    df = pd.DataFrame(ROWS)
    refuse_now(PARTS[parts], lambda: sf.split(df, "label", evaluate(parts)))
    message = "`missing` must be 'error' or 'stratum', got 'null'."
    refuse_now(message, lambda: sf.split(df, "label", missing="null"))


@pytest.mark.parametrize("number", [Fraction, Decimal, np.float16, np.float32, np.longdouble])
def test_shares_of_other_types(frame: Make, number: Any) -> None:
    """Shares may be numbers of numpy of any width, fractions and decimals."""
    df = frame({"label": ["a", "b", "b"] * 333})
    for share in ("0.2", "0.123"):
        given = number(share)
        test = float(share)
        rest = 1 - float(share)
        for parts, plain in (
            (given, test),
            ({"train": None, "test": given}, {"train": None, "test": test}),
            ({"a": given, "b": number(str(rest))}, {"a": test, "b": rest}),
        ):
            found, expected = (sf.split(df, "label", each) for each in (parts, plain))
            assert values(found, "split") == values(expected, "split")
        sample, expected = (sf.sample(df, "label", frac=frac) for frac in (given, test))
        assert values(sample, "label") == values(expected, "label")


@pytest.mark.parametrize("parts", [{"a": 5, "b": 6}, {"a": 5, "b": 4}, {"a": 10, "b": None}])
def test_counts_sum_to_the_rows(frame: Make, parts: dict[str, int | None]) -> None:
    """Counts of rows that do not sum to the rows dealt are refused."""
    message = "The counts in `parts` must sum to the number of rows that get a part, got"
    message += f" {sum(n or 0 for n in parts.values())} for 10 rows."
    message += "\nHint: one count may be None, which stands for the remaining rows (at least 1)."
    refuse(message, lambda: sf.split(frame(ROWS), "label", parts))


@pytest.mark.parametrize(
    ("parts", "shares"),
    [
        ({"train": 80, "test": 20}, "{'train': 0.8, 'test': 0.2}"),
        ({"a": 70, "b": 15, "c": 15}, "{'a': 0.7, 'b': 0.15, 'c': 0.15}"),
        ({"a": 3, "b": 1}, "{'a': 0.75, 'b': 0.25}"),
    ],
)
def test_counts_that_are_percentages(parts: dict[str, int], shares: str) -> None:
    """Counts of which the shares are short numbers are told as shares, too."""
    message = (
        "The counts in `parts` must sum to the number of rows that get a part, got"
        f" {sum(parts.values())} for 10 rows.\nHint: one count may be None, which stands for the"
        f" remaining rows (at least 1).\nShares are below 1: `parts={shares}`."
    )
    refuse(message, lambda: sf.split(pd.DataFrame(ROWS), "label", parts))


ROWS_DEALT = "must be at most the number of rows that get a"
OF_GROUPS = "must be at most the number of groups"
NULL = "sf.kfold(df, 'label', 11, missing='null')"
ONE = "sf.split(df, groups='site')"
MANY = "sf.split(df, 'label', {f'p{place}': 0.05 for place in range(20)})"
SITES = {"site": [0, 1, 2] * 10, "label": list("ab") * 15}
FEWER: list[tuple[str, dict[str, Any], str]] = [
    ("sf.kfold(df, 'label', 11)", ROWS, f"`k` {ROWS_DEALT} fold, got 11 for 10 rows."),
    (NULL, {"label": ["a", None, "a"]}, f"`k` {ROWS_DEALT} fold, got 11 for 2 rows."),
    (MANY, ROWS, f"The number of `parts` {ROWS_DEALT} part, got 20 for 10 rows."),
    ("sf.kfold(df, 'label', groups='site')", SITES, f"`k` {OF_GROUPS}, got 5 for 3 groups."),
    (ONE, {"site": [0] * 9}, f"The number of `parts` {OF_GROUPS}, got 2 for 1 group."),
]


@pytest.mark.parametrize(("call", "data", "message"), FEWER)
def test_fewer_rows_or_groups_than_folds(frame: Make, call: str, data: Any, message: str) -> None:
    """More folds or parts than rows, or groups, are refused, and nothing is said of rare strata."""
    refuse(message, lambda: evaluate(call, df=frame(data)))


KEYED = "leave out `key`, as folds of groups do not depend on the order of rows; or deal by a"
KEYED += ' hash of the group, as in `kfold(key={}, deal="hash")`.'
CLUSTERED = "`sf.clusters` with the same features defines strata."
DEALS = ("circular", "contiguous")


@pytest.mark.parametrize(
    ("arguments", "clash", "hint"),
    [
        *(({"deal": deal}, f'`deal="{deal}"`', "leave out `deal`.") for deal in DEALS),
        ({"key": "x"}, "`key`", KEYED.format("'patient'")),
        ({"key": "x", "groups": ["patient", "x"]}, "`key`", KEYED.format("['patient', 'x']")),
        ({"key": "x", "groups": sf.clusters("x", 2)}, "`key`", "leave out `key`."),
        ({"by": sf.chain("x")}, "`sf.chain`", CLUSTERED),
        ({"by": ["label", sf.nearest("x")]}, "`sf.nearest`", CLUSTERED),
    ],
)
def test_what_groups_exclude(arguments: dict[str, Any], clash: str, hint: str) -> None:
    """Groups cannot be combined with what orders rows, and the error says what to do instead."""
    rule = f"`groups` cannot be combined with {clash}: whole groups are not assigned in row"
    rule += f" order.\nHint: {hint}"
    refuse_now(rule, lambda: sf.kfold(pd.DataFrame(VISITS), **{"groups": "patient", **arguments}))


NO_DRAWS = "nothing is drawn.\nHint: leave out `repeats`, as all columns would be equal."
CUTS = "which does not sort by value.\nHint: `sf.continuous` orders rows by a column."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(
            ({"by": ["label", term]}, f"`{term.function}`, {CUTS}")
            for term in (sf.chain("x"), sf.nearest("x"), sf.clusters("x", 2))
        ),
        ({"repeats": 3}, f"`repeats=3`: {NO_DRAWS}"),
    ],
)
def test_what_contiguous_stretches_exclude(arguments: dict[str, Any], message: str) -> None:
    """Stretches are of an order of values, and there is one way to cut it."""
    rule = f'`deal="contiguous"` cannot be combined with {message}'
    refuse_now(rule, lambda: sf.kfold(pd.DataFrame(VISITS), deal="contiguous", **arguments))


def test_a_key_instead_of_groups() -> None:
    """Both ways out of `groups` with `key` keep groups whole, whatever the order of the rows."""
    df = pd.DataFrame(VISITS)
    for way in ({"groups": "patient"}, {"key": "patient", "deal": "hash"}):
        dealt = sf.kfold(df, k=2, **way)
        assert not split_groups(dealt["patient"].tolist(), dealt["fold"].tolist())
        turned = sf.kfold(df[::-1], k=2, **way)
        assert turned["fold"].sort_index().tolist() == dealt["fold"].tolist()


@pytest.mark.parametrize("repeats", [1, 3])
def test_a_group_larger_than_a_fold(frame: Make, repeats: int) -> None:
    """One group larger than a fold is told, with the best that can be had, and is so dealt."""
    df = frame({"site": [0] * 50 + list(range(1, 51)), "label": list("ab") * 50})
    message = "The largest group has 50 rows, but the largest fold should have 20, so one fold"
    message += " will be at least 30 rows too large."
    out = warned(message, lambda: sf.kfold(df, "label", groups="site", repeats=repeats))
    sizes = sorted(Counter(values(out, "fold" if repeats == 1 else "fold_1")).values())
    assert sizes == [12, 12, 13, 13, 50]
    rule = "The largest group has 6 rows, but the largest fold should have 5, so one fold will be"
    rule += " at least 1 row too large."
    warned(rule, lambda: sf.kfold(frame({"site": [0] * 6 + [1, 2, 3, 4]}), k=2, groups="site"))


def test_fractions_of_parts_are_exact() -> None:
    """A group as large as its part is no surprise."""
    df = pl.DataFrame({"site": [0] * 8 + [1, 2], "label": list("ab") * 5})
    out = sf.split(df, "label", {"train": 0.8, "test": 0.2}, groups="site")
    assert Counter(out["split"].to_list()) == {"train": 8, "test": 2}


class Seven:
    """A whole number that is none of Python's or NumPy's."""

    def __index__(self) -> int:
        return 7


@pytest.mark.parametrize("seed", [np.int64(7), np.uint8(7), np.array(7), Seven()])
def test_seeds_are_what_could_be_an_index(seed: Any) -> None:
    """Whatever has the value of a whole number is that seed."""
    rows = pd.DataFrame(ROWS)
    assert sf.kfold(rows, "label", 2, seed=seed).equals(sf.kfold(rows, "label", 2, seed=7))
