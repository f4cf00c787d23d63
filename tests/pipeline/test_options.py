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
from tests.helpers import ROWS, Make, refuse, refuse_now, refused, values, warned

VISITS = {"patient": [f"p{i // 3}" for i in range(20)], "label": list("ab") * 10, "x": range(20)}
WHOLE = "must be a whole number, got"
GROUPS = "`groups` must be a column, a list of columns, or one of"
GROUPS += " `sf.clusters`, `sf.linked` and `sf.similar`, got"
NO_COLUMN = "which the frame does not have.\nHint: did you mean"
ARGUMENTS: list[Any] = [
    pytest.param({"k": 1}, "`k` must be at least 2, got 1.", id="one_fold"),
    pytest.param({"k": True}, f"`k` {WHOLE} True.", id="k_is_a_flag"),
    pytest.param({"k": 2.5}, f"`k` {WHOLE} 2.5.", id="k_is_a_fraction"),
    pytest.param({"k": 1.0}, f"`k` {WHOLE} 1.0.", id="k_is_a_small_float"),
    pytest.param({"k": 1e30}, f"`k` {WHOLE} 1e+30.", id="k_is_a_large_float"),
    pytest.param({"k": 2.0}, f"`k` {WHOLE} 2.0.\nHint: `k=2`.", id="k_is_a_whole_float"),
    pytest.param({"repeats": 0}, "`repeats` must be at least 1, got 0.", id="no_repeat"),
    pytest.param(
        {"repeats": 10**7},
        "`repeats` must not exceed 10,000 columns, got 10,000,000.",
        id="too_many_repeats",
    ),
    pytest.param({"seed": -1}, "`seed` must be at least 0, got -1.", id="negative_seed"),
    pytest.param({"seed": True}, f"`seed` {WHOLE} True.", id="seed_is_a_flag"),
    pytest.param({"seed": np.array([7, 8])}, f"`seed` {WHOLE} ndarray.", id="seed_is_an_array"),
    pytest.param(
        {"seed": np.bool_(True)},
        f"`seed` {WHOLE} {np.bool_(True)!r}.",
        id="seed_is_a_flag_of_numpy",
    ),
    pytest.param(
        {"deal": "fair"},
        "`deal` must be 'random', 'circular', 'contiguous' or 'hash', got 'fair'.",
        id="unknown_deal",
    ),
    pytest.param(
        {"missing": "drop"},
        "`missing` must be 'error', 'stratum' or 'null', got 'drop'.",
        id="unknown_missing",
    ),
    pytest.param(
        {"missing": ["null"]},
        "`missing` must be 'error', 'stratum' or 'null', got ['null'].",
        id="missing_is_a_list",
    ),
    pytest.param(
        {"rare": None},
        "`rare` must be 'warn', 'error', 'null', 'pool' or 'ignore', got None.",
        id="rare_is_none",
    ),
    pytest.param(
        {"overwrite": "no"}, "`overwrite` must be True or False, got 'no'.", id="overwrite_is_text"
    ),
    pytest.param(
        {"overwrite": 0}, "`overwrite` must be True or False, got 0.", id="overwrite_is_zero"
    ),
    pytest.param({"name": 5}, "`name` must be a non-empty string, got 5.", id="name_is_a_number"),
    pytest.param(
        {"key": 5}, "`key` must hold column names or expressions, got 5.", id="key_is_a_number"
    ),
    pytest.param({"key": []}, "`key` must hold at least one column, got [].", id="empty_key"),
    pytest.param(
        {"key": "idd"}, f"`key` names the column 'idd', {NO_COLUMN} 'id'?", id="misspelt_key"
    ),
    pytest.param({"groups": []}, "`groups` must hold at least one column, got [].", id="no_groups"),
    pytest.param(
        {"groups": ["id", "id"]},
        "`groups` must hold each column once, got 'id' twice.",
        id="group_twice",
    ),
    pytest.param(
        {"groups": sf.margins(["id"])}, f"{GROUPS} sf.margins(['id']).", id="groups_are_margins"
    ),
    pytest.param(
        {"groups": ["id", sf.clusters("price", 3)]},
        f"{GROUPS} sf.clusters(['price']).",
        id="term_beside_a_group",
    ),
    pytest.param(
        {"groups": 5},
        (
            "`groups` must hold column names, expressions, or one of `sf.clusters`,"
            " `sf.linked` and `sf.similar`, got 5."
        ),
        id="groups_are_a_number",
    ),
    pytest.param(
        {"groups": "labels"},
        f"`groups` names the column 'labels', {NO_COLUMN} 'label'?",
        id="misspelt_groups",
    ),
]


@pytest.mark.parametrize(("argument", "message"), ARGUMENTS)
def test_arguments_of_kfold(argument: dict[str, Any], message: str) -> None:
    """A wrong argument is refused at the call."""
    df = pd.DataFrame(ROWS)
    refuse_now(message, lambda: sf.kfold(df, "label", **argument))


@pytest.mark.parametrize(
    ("verb", "options"), [(sf.kfold, {}), (sf.split, {}), (sf.extend, {"k": 2, "name": "given"})]
)
def test_types_of_lazy_frames_are_checked_at_once(verb: Any, options: dict[str, Any]) -> None:
    """A wrong type in a lazy frame is an error of the call, not of the query."""
    lazy = pl.LazyFrame({**ROWS, "given": [None, 1] * 5})
    message = "`where` must be a boolean column, but 'id' is Int64."
    refuse_now(message, lambda: verb(lazy, "label", where="id", **options))


MIXED = "all fractions or all counts, with at most one None"
SUM = "fractions that sum to"
AT_LEAST = "`parts` must map at least 2 names to their shares, got"
TWENTY = '{"train": None, "test": 20} to test on that many rows, or pass a share below 1.'
PARTS: list[Any] = [
    pytest.param(None, f"{AT_LEAST} None.", id="none"),
    pytest.param(["a", "b"], f"{AT_LEAST} ['a', 'b'].", id="list_of_names"),
    pytest.param({"a": 1.0}, f"{AT_LEAST} {{'a': 1.0}}.", id="one_part"),
    pytest.param(1.0, "`parts` must be a share between 0 and 1, got 1.0.", id="share_of_1"),
    pytest.param(0.0, "`parts` must be a share between 0 and 1, got 0.0.", id="share_of_0"),
    pytest.param(
        float("nan"), "`parts` must be a share between 0 and 1, got nan.", id="share_is_nan"
    ),
    pytest.param(True, "`parts` must be a share between 0 and 1, got True.", id="share_is_a_flag"),
    pytest.param(
        np.False_,
        f"`parts` must be a share between 0 and 1, got {np.False_!r}.",
        id="share_is_a_flag_of_numpy",
    ),
    pytest.param(
        [0.8, 0.2],
        f"{AT_LEAST} [0.8, 0.2].\nHint: pass {{'train': 0.8, 'test': 0.2}}",
        id="list_of_shares",
    ),
    pytest.param(
        (0.6, 0.2, 0.2),
        f"{AT_LEAST} (0.6, 0.2, 0.2).\nHint: pass {{'train': 0.6, 'valid': 0.2, 'test': 0.2}}",
        id="tuple_of_shares",
    ),
    pytest.param(20, f"{AT_LEAST} 20.\nHint: pass {TWENTY}", id="whole_number"),
    pytest.param(
        np.int64(20),
        f"{AT_LEAST} {np.int64(20)!r}.\nHint: pass {TWENTY}",
        id="whole_number_of_numpy",
    ),
    pytest.param(
        {1: 0.5, 2: 0.5},
        "The names of `parts` must be strings, got [1, 2].",
        id="names_are_numbers",
    ),
    pytest.param(
        {"a": 0.5, "b": 5},
        f"`parts` must be {MIXED}, got {{'a': 0.5, 'b': 5}}.",
        id="share_and_count",
    ),
    pytest.param(
        {"a": True, "b": 9},
        f"`parts` must be {MIXED}, got {{'a': True, 'b': 9}}.",
        id="flag_and_count",
    ),
    pytest.param(
        {"a": "0.5", "b": 0.5},
        f"`parts` must be {MIXED}, got {{'a': '0.5', 'b': 0.5}}.",
        id="text_and_share",
    ),
    pytest.param(
        {"a": None, "b": None},
        f"`parts` must be {MIXED}, got {{'a': None, 'b': None}}.",
        id="two_rests_alone",
    ),
    pytest.param(
        {"a": 0.0, "b": 10.0},
        "`parts` must be finite and above zero, got {'a': 0.0, 'b': 10.0}.",
        id="share_of_zero_of_two",
    ),
    pytest.param(
        {"a": float("nan"), "b": 10.0},
        "`parts` must be finite and above zero, got {'a': nan, 'b': 10.0}.",
        id="nan_of_two",
    ),
    pytest.param(
        {"a": float("inf"), "b": 10.0},
        "`parts` must be finite and above zero, got {'a': inf, 'b': 10.0}.",
        id="infinite_of_two",
    ),
    pytest.param(
        {"a": 0, "b": 10},
        "`parts` must be finite and above zero, got {'a': 0, 'b': 10}.",
        id="count_of_zero",
    ),
    pytest.param(
        {"a": 9e-07, "b": None},
        "Each share in `parts` must be at least one millionth, got {'a': 9e-07, 'b': None}.",
        id="tiny_share",
    ),
    pytest.param(
        {"a": 1.0, "b": None},
        (
            f"`parts` must be {SUM} less than 1, to leave a remainder, got"
            " {'a': 1.0, 'b': None}, which sum to 1."
        ),
        id="rest_of_nothing",
    ),
    pytest.param(
        {"a": 0.7, "b": 0.7, "c": None},
        (
            f"`parts` must be {SUM} less than 1, to leave a remainder, got"
            " {'a': 0.7, 'b': 0.7, 'c': None}, which sum to 1.4."
        ),
        id="rest_below_nothing",
    ),
    pytest.param(
        {"a": 0.5, "b": 0.4},
        f"`parts` must be {SUM} 1, got {{'a': 0.5, 'b': 0.4}}, which sum to 0.9.",
        id="sum_below_1",
    ),
    pytest.param(
        {"a": 0.5, "b": 0.500002},
        f"`parts` must be {SUM} 1, got {{'a': 0.5, 'b': 0.500002}}, which sum to 1.000002.",
        id="sum_just_above_1",
    ),
]


@pytest.mark.parametrize(("parts", "message"), PARTS)
def test_parts(parts: Any, message: str) -> None:
    """Parts that are neither fractions of 1 nor counts are refused at the call."""
    df = pd.DataFrame(ROWS)
    refuse_now(message, lambda: sf.split(df, "label", parts))


def test_parts_are_never_null() -> None:
    """Every row of a split has a part, so that `missing="null"` is refused."""
    message = "`missing` must be 'error' or 'stratum', got 'null'."
    refuse_now(message, lambda: sf.split(pd.DataFrame(ROWS), "label", missing="null"))


@pytest.mark.parametrize("number", [Fraction, Decimal, np.float16, np.float32, np.longdouble])
def test_shares_of_other_types(number: Any) -> None:
    """Shares may be numbers of numpy of any width, fractions and decimals."""
    df = pd.DataFrame({"label": ["a", "b", "b"] * 333})
    for share in ("0.2", "0.123"):
        given = number(share)
        test = float(share)
        rest = 1 - float(share)
        for parts, plain in (
            (given, test),
            ({"train": None, "test": given}, {"train": None, "test": test}),
            ({"a": given, "b": number(str(rest))}, {"a": test, "b": rest}),
        ):
            assert sf.split(df, "label", parts).equals(sf.split(df, "label", plain))
        assert sf.sample(df, "label", frac=given).equals(sf.sample(df, "label", frac=test))


@pytest.mark.parametrize(
    ("parts", "total"), [({"a": 5, "b": 6}, 11), ({"a": 5, "b": 4}, 9), ({"a": 10, "b": None}, 10)]
)
def test_counts_sum_to_the_rows(parts: dict[str, int | None], total: int) -> None:
    """Counts of rows that do not sum to the rows dealt are refused."""
    refuse(
        f"The counts in `parts` must sum to the number of rows that get a part, got {total} for 10"
        " rows.\nHint: one count may be None, which stands for the remaining rows (at least 1).",
        lambda: sf.split(pd.DataFrame(ROWS), "label", parts),
    )


@pytest.mark.parametrize(
    ("parts", "shares"),
    [
        ({"a": 70, "b": 15, "c": 15}, "{'a': 0.7, 'b': 0.15, 'c': 0.15}"),
        ({"a": 3, "b": 1}, "{'a': 0.75, 'b': 0.25}"),
    ],
)
def test_counts_that_are_percentages(parts: dict[str, int], shares: str) -> None:
    """The error of counts that look like percentages shows them as shares, too."""
    error = refused(lambda: sf.split(pd.DataFrame(ROWS), "label", parts))

    assert str(error).endswith(f"\nShares are below 1: `parts={shares}`.")


ROWS_DEALT = "must be at most the number of rows that get a"
OF_GROUPS = "must be at most the number of groups"
SITES = {"site": [0, 1, 2] * 10, "label": list("ab") * 15}
FEWER: list[Any] = [
    pytest.param(
        lambda df: sf.kfold(df, "label", 11),
        ROWS,
        f"`k` {ROWS_DEALT} fold, got 11 for 10 rows.",
        id="folds_than_rows",
    ),
    pytest.param(
        lambda df: sf.kfold(df, "label", 11, missing="null"),
        {"label": ["a", None, "a"]},
        f"`k` {ROWS_DEALT} fold, got 11 for 2 rows.",
        id="folds_than_rows_with_a_class",
    ),
    pytest.param(
        lambda df: sf.split(df, "label", {f"p{place}": 0.05 for place in range(20)}),
        ROWS,
        f"The number of `parts` {ROWS_DEALT} part, got 20 for 10 rows.",
        id="parts_than_rows",
    ),
    pytest.param(
        lambda df: sf.kfold(df, "label", groups="site"),
        SITES,
        f"`k` {OF_GROUPS}, got 5 for 3 groups.",
        id="folds_than_groups",
    ),
    pytest.param(
        lambda df: sf.split(df, groups="site"),
        {"site": [0] * 9},
        f"The number of `parts` {OF_GROUPS}, got 2 for 1 group.",
        id="parts_than_groups",
    ),
]


@pytest.mark.parametrize(("call", "data", "message"), FEWER)
def test_fewer_rows_or_groups_than_folds(
    frame: Make, call: Callable[[Any], Any], data: Any, message: str
) -> None:
    """More folds or parts than rows, or groups, are refused, and nothing is said of rare strata."""
    refuse(message, lambda: call(frame(data)))


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
    """Contiguous parts exclude orders that are no order of values, and repeats."""
    rule = f'`deal="contiguous"` cannot be combined with {message}'
    refuse_now(rule, lambda: sf.kfold(pd.DataFrame(VISITS), deal="contiguous", **arguments))


@pytest.mark.parametrize("repeats", [1, 3])
def test_a_group_larger_than_a_fold(frame: Make, repeats: int) -> None:
    """A warning says that one group is larger than a fold, and by how much at least."""
    df = frame({"site": [0] * 50 + list(range(1, 51)), "label": list("ab") * 50})

    out = warned(
        "The largest group has 50 rows, but the largest fold should have 20, so one fold will be at"
        " least 30 rows too large.",
        lambda: sf.kfold(df, "label", groups="site", repeats=repeats),
    )

    sizes = sorted(Counter(values(out, "fold" if repeats == 1 else "fold_1")).values())
    assert sizes == [12, 12, 13, 13, 50]


def test_a_group_one_row_larger_than_a_fold() -> None:
    """A group that is too large by one row is warned of."""
    df = pd.DataFrame({"site": [0] * 6 + [1, 2, 3, 4]})

    warned(
        "The largest group has 6 rows, but the largest fold should have 5, so one fold will be at"
        " least 1 row too large.",
        lambda: sf.kfold(df, k=2, groups="site"),
    )


def test_fractions_of_parts_are_exact() -> None:
    """A group that is exactly as large as its part causes no warning."""
    df = pl.DataFrame({"site": [0] * 8 + [1, 2], "label": list("ab") * 5})
    out = sf.split(df, "label", {"train": 0.8, "test": 0.2}, groups="site")
    assert Counter(out["split"].to_list()) == {"train": 8, "test": 2}


class Seven:
    """A whole number that is none of Python's or NumPy's."""

    def __index__(self) -> int:
        return 7


@pytest.mark.parametrize("seed", [np.int64(7), np.uint8(7), np.array(7), Seven()])
def test_seeds_are_what_could_be_an_index(seed: Any) -> None:
    """Any object with the value of a whole number is that seed."""
    rows = pd.DataFrame(ROWS)
    assert sf.kfold(rows, "label", 2, seed=seed).equals(sf.kfold(rows, "label", 2, seed=7))
