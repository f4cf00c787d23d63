"""Arguments of a call, checked at the call."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import HALVES, ROWS, Make, make, refuse, refuse_now, values, warned
from tests.messages import (
    LARGEST_GROUP,
    MISSING,
    RARE,
    at_least,
    at_least_one,
    at_most,
    given_twice,
    must_hold,
    no_column,
    non_empty_string,
    not_a_frame,
    one_grouping,
    one_of,
    parts_of,
    parts_sum,
    whole_number,
)
from tests.terms.clouds import FEATURE_ROWS

VISITS = {
    "patient": [f"p{i // 3}" for i in range(20)],
    "label": list("ab") * 10,
    "x": list(range(20)),
}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 1}, at_least("k", 2, 1)),
        ({"k": -3}, at_least("k", 2, -3)),
        ({"k": True}, whole_number("k", True)),
        ({"k": 2.5}, whole_number("k", 2.5)),
        ({"k": "5"}, whole_number("k", "5")),
        ({"k": None}, whole_number("k", None)),
        ({"repeats": 0}, at_least("repeats", 1, 0)),
        ({"repeats": 1.0}, whole_number("repeats", 1.0)),
        ({"seed": -1}, at_least("seed", 0, -1)),
        ({"seed": True}, whole_number("seed", True)),
        ({"seed": "1"}, whole_number("seed", "1")),
        ({"deal": "fair"}, one_of("deal", ["random", "circular"], "fair")),
        ({"missing": "drop"}, one_of("missing", MISSING, "drop")),
        ({"missing": ["null"]}, one_of("missing", MISSING, ["null"])),
        ({"rare": None}, one_of("rare", RARE, None)),
        ({"name": 5}, non_empty_string("name", 5)),
        ({"name": None}, non_empty_string("name", None)),
        ({"key": 5}, must_hold("key", 5)),
        ({"key": []}, at_least_one("key", "column", [])),
        (
            {"key": "idd"},
            no_column("key", "idd", "id"),
        ),
    ],
)
def test_arguments_of_kfold(
    frame: Make, kind: str, arguments: dict[str, Any], message: str
) -> None:
    """A wrong argument is refused at the call, on lazy frames too."""
    refuse_now(message, lambda: sf.kfold(frame(ROWS), "label", **arguments), kind)


@pytest.mark.parametrize("verb", [sf.kfold, sf.strata, sf.balance, sf.plan, sf.folds, sf.cv])
@pytest.mark.parametrize("what", [None, [1], pd.Series([1]), pl.Series([1])])
def test_what_is_no_frame(verb: Callable[..., Any], what: object) -> None:
    """What is no frame is refused by its type."""
    message = not_a_frame(what)
    refuse_now(message, lambda: verb(what, "label"))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (None, parts_of(None)),
        (["a", "b"], parts_of(["a", "b"])),
        ({}, parts_of({})),
        ({"a": 1.0}, parts_of({"a": 1.0})),
        ({1: 0.5, 2: 0.5}, "The names of `parts` must be strings, got [1, 2]."),
        *(
            (
                parts,
                "`parts` must be all fractions or all counts, with at most one None,"
                f" got {parts!r}.",
            )
            for parts in (
                {"a": 0.5, "b": 5},
                {"a": True, "b": 9},
                {"a": "0.5", "b": 0.5},
                {"a": None, "b": None},
                {"a": 0.5, "b": None, "c": None},
            )
        ),
        *(
            (parts, f"`parts` must be finite and above zero, got {parts!r}.")
            for parts in (
                {"a": 0, "b": 10},
                {"a": 0.0, "b": 1.0},
                {"a": -0.5, "b": 1.5},
                {"a": -1, "b": None},
                {"a": float("nan"), "b": 0.5},
                {"a": float("inf"), "b": 0.5},
            )
        ),
        (
            {"a": 1e-7, "b": None},
            at_least("Each share in `parts`", "one millionth", {"a": 1e-7, "b": None}),
        ),
        *(
            (
                parts,
                parts_sum(parts, total),
            )
            for parts, total in (
                ({"a": 0.5, "b": 0.4}, "0.9"),
                ({"a": 0.5, "b": 0.6}, "1.1"),
                ({"a": 1.0, "b": None}, "1"),
                ({"a": 0.7, "b": 0.7, "c": None}, "1.4"),
            )
        ),
    ],
)
def test_parts(frame: Make, kind: str, parts: Any, message: str) -> None:
    """Parts that are neither fractions of 1 nor counts are refused at the call."""
    refuse_now(message, lambda: sf.split(frame(ROWS), "label", parts), kind)


def test_numpy_shares(frame: Make) -> None:
    """Shares may be numpy numbers of any width."""
    halves = {part: np.float32(share) for part, share in HALVES.items()}
    found = sf.split(frame(ROWS), "label", halves)
    assert values(found, "split") == values(sf.split(frame(ROWS), "label", HALVES), "split")


def test_split_has_no_null(frame: Make, kind: str) -> None:
    """A split leaves no missing stratum without a part."""
    message = one_of("missing", ["error", "stratum"], "null")
    refuse_now(message, lambda: sf.split(frame(ROWS), "label", missing="null"), kind)


@pytest.mark.parametrize("parts", [{"a": 5, "b": 6}, {"a": 5, "b": 4}, {"a": 10, "b": None}])
def test_counts_sum_to_the_rows(frame: Make, kind: str, parts: dict[str, int | None]) -> None:
    """Counts of rows that do not sum to the rows dealt are refused."""
    refuse(
        "The counts in `parts` must sum to the rows dealt, got"
        f" {sum(n or 0 for n in parts.values())} for 10 rows."
        "\nHint: one part may be None: it takes the rest, at least 1 row.",
        lambda: sf.split(frame(ROWS), "label", parts),
        kind,
    )


@pytest.mark.parametrize(
    ("data", "missing", "rows"),
    [(ROWS, "error", 10), ({"label": ["a", None, "a"]}, "null", 2)],
)
def test_more_folds_than_rows(frame: Make, kind: str, data: Any, missing: str, rows: int) -> None:
    """More folds than rows dealt are refused, and nothing is said of rare strata first."""
    message = at_most("k", "rows dealt", 11, rows, "row")
    refuse(message, lambda: sf.kfold(frame(data), "label", 11, missing=missing), kind)


def test_more_parts_than_rows(frame: Make, kind: str) -> None:
    """More parts than rows dealt are refused."""
    parts = {f"p{place}": 0.05 for place in range(20)}
    message = at_most("The number of `parts`", "rows dealt", 20, 10, "row")
    refuse(message, lambda: sf.split(frame(ROWS), "label", parts), kind)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([], at_least_one("groups", "column", [])),
        (["patient", "patient"], given_twice("groups", "column", "'patient'")),
        (
            sf.quantiles("x", 3),
            one_grouping("sf.quantiles('x', 3)"),
        ),
        (
            ["patient", sf.clusters("x", 3)],
            one_grouping("sf.clusters(['x'])"),
        ),
        (5, must_hold("groups", 5)),
        (
            "patients",
            no_column("groups", "patients", "patient"),
        ),
    ],
)
def test_groups_that_are_none(frame: Make, kind: str, groups: Any, message: str) -> None:
    """What names no groups is refused at the call, on lazy frames too."""
    refuse_now(message, lambda: sf.kfold(frame(VISITS), "label", 2, groups=groups), kind)


@pytest.mark.parametrize(
    ("arguments", "clash"),
    [
        ({"deal": "circular"}, '`deal="circular"`'),
        ({"key": "x"}, "`key`"),
        ({"by": sf.chain("x")}, "`sf.chain`"),
        ({"by": ["label", sf.nearest("x")]}, "`sf.nearest`"),
    ],
)
def test_what_groups_exclude(frame: Make, kind: str, arguments: dict[str, Any], clash: str) -> None:
    """Groups cannot be combined with what orders rows."""
    refuse_now(
        f"`groups` cannot be combined with {clash}: whole groups are not assigned in row order.",
        lambda: sf.kfold(frame(VISITS), groups="patient", **arguments),
        kind,
    )


def test_fewer_groups_than_folds(frame: Make, kind: str) -> None:
    """More folds or parts than groups are refused."""
    data = {"site": [0, 1, 2] * 10, "label": list("ab") * 15}
    refuse(
        at_most("k", "groups", 5, 3, "group"),
        lambda: sf.kfold(frame(data), "label", groups="site"),
        kind,
    )
    refuse(
        at_most("The number of `parts`", "groups", 2, 1, "group"),
        lambda: sf.split(frame({"site": [0] * 9}), groups="site"),
        kind,
    )


@pytest.mark.parametrize("repeats", [1, 3])
def test_a_group_larger_than_a_fold(kind: str, repeats: int) -> None:
    """One group larger than a fold is told, with the best that can be had, and is so dealt."""
    data = {"site": [0] * 50 + list(range(1, 51)), "label": list("ab") * 50}
    df = make(kind, data)
    out = warned(
        f"{LARGEST_GROUP} has 50 rows, but the largest fold should have 20, so one fold will be"
        " at least 30 rows too large.",
        lambda: sf.kfold(df, "label", groups="site", repeats=repeats),
        kind,
    )
    sizes = sorted(Counter(values(out, "fold" if repeats == 1 else "fold_1")).values())
    assert sizes == [12, 12, 13, 13, 50]


def test_fractions_of_parts_are_exact() -> None:
    """A group as large as its part is no surprise."""
    data = {"site": [0] * 8 + [1, 2], "label": list("ab") * 5}
    shares = {"train": 0.8, "test": 0.2}
    out = sf.split(pl.DataFrame(data), "label", shares, groups="site")
    assert Counter(out["split"].to_list()) == {"train": 8, "test": 2}


def test_blocks_of_folds(frame: Make, kind: str) -> None:
    """In folds a block has a row for each; another size is for parts and samples."""
    refuse_now(
        "`block` of `sf.nearest` must equal `k`, got 3 for 5 folds.\n"
        "Hint: leave it out; it is meant for `split` and `sample`.",
        lambda: sf.kfold(frame(FEATURE_ROWS), ["label", sf.nearest("x", 3)]),
        kind,
    )
    assert sf.kfold(frame(FEATURE_ROWS), sf.nearest("x", 3), 3) is not None
    assert sf.split(frame(FEATURE_ROWS), sf.nearest("x", 3), HALVES) is not None


def test_repeats_have_a_limit(frame: Make, kind: str) -> None:
    """More columns than a frame should have are refused at the call."""
    message = "`repeats` must be at most 10,000 columns, got 10,000,000."
    refuse_now(message, lambda: sf.kfold(frame({"x": [1, 2]}), "x", 2, repeats=10**7), kind)
