"""The lines of `check`: a table of findings for each topic."""

from typing import Any

import numpy as np
import pytest

import stratframe as sf
from tests.helpers import TWO_KINDS, Make
from tests.judging.conftest import lines_of

Data = dict[str, Any]

FORTY = [row + 0.5 for row in range(40)]

EIGHTHS = [row / 8 for row in range(400)]

TENTHS = [round(4 + row / 10, 1) for row in range(40)]

PEOPLE = [f"p{row // 2}" for row in range(40)]
"""Twenty people with two rows each."""

TEN_USERS = {
    "label": ["a"] * 40 + ["b"] * 60,
    "user": [f"u{row // 10}" for row in range(100)],
    "fold": [row // 10 % 5 for row in range(100)],
}
"""Ten whole users of one label each, two to a fold, so that fold 4 cannot have 'a'."""


def rows_of(**table: list[int]) -> Data:
    """Make rows from a table: for each label, the number of its rows in each fold."""
    labels: list[str] = []
    folds: list[int] = []
    for label, counts in table.items():
        for fold, n in enumerate(counts):
            labels += [label] * n
            folds += [fold] * n
    return {"label": labels, "fold": folds}


def copied_digits() -> Data:
    """Make a hundred different rows of digits; fold 1 also has twenty rows of fold 0."""
    digits = np.random.default_rng(0).integers(0, 10, (100, 6))
    rows = np.concatenate([digits, digits[:20]])
    data: Data = {name: rows[:, place].tolist() for place, name in enumerate("abcdef")}
    data["fold"] = [0] * 50 + [1] * 70
    return data


def repeated_rows(n: int) -> Data:
    """Make four hundred rows in two folds, of which the last n repeat the first n."""
    rows = [*range(400 - n), *range(n)]
    return {
        "x": [row + 0.5 for row in rows],
        "day": [row % 7 for row in rows],
        "fold": [0] * 200 + [1] * 200,
    }


def check_lines(frame: Any, options: dict[str, Any], lines: list[str]) -> None:
    """Check a frame and compare the lines below the answer.

    Lines "ok sizes" count only in tests that list them, and rows are compared only if the options
    say so.
    """
    result = sf.check(frame, **{"duplicates": None, **options})

    answer, *findings = lines_of(result)
    relevant = [line for line in findings if not line.startswith("ok sizes") or line in lines]
    assert relevant == lines
    is_wrong = any(line.startswith(("LEAK", "WARNING")) for line in lines)
    assert result.ok is not is_wrong
    assert answer.startswith(f"{options.get('name', 'fold')} is ")


@pytest.mark.parametrize(
    ("data", "options", "lines"),
    [
        pytest.param(
            rows_of(a=[4, 3], b=[2, 3]),
            {"by": "label"},
            ["ok label: even, each class within a row of its share"],
            id="equal_classes",
        ),
        pytest.param(
            rows_of(a=[18, 16, 16], b=[15, 17, 18]),
            {"by": "label"},
            ["ok label: even, each class within 1.5 rows of its share"],
            id="unequal_classes",
        ),
        pytest.param(
            rows_of(a=[55, 50, 45], b=[45, 50, 55]),
            {"by": "label"},
            ["note label: as even as a shuffle, shares within 5.0 points"],
            id="no_more_uneven_than_chance",
        ),
        pytest.param(
            rows_of(a=[600, 400], b=[200, 400], c=[1200, 1200]),
            {"by": "label"},
            ["WARNING label: uneven, fold 0 has 200 rows of 'b' (300 expected)"],
            id="worst_of_several_classes",
        ),
        pytest.param(
            rows_of(a=[2, 0], b=[58, 20]),
            {"by": "label"},
            [
                "note sizes: 2 folds of 20 to 60 rows",
                "ok label: even, each class within a row of its share",
            ],
            id="small_second_fold",
        ),
        pytest.param(
            rows_of(a=[30, 40, 30], b=[10, 0, 10]),
            {"by": "label"},
            ["WARNING label: fold 1 has none of 20 rows of 'b' (6.7 expected)"],
            id="class_absent_from_a_fold",
        ),
        pytest.param(
            rows_of(a=[40, 40, 40], b=[6, 0, 6]),
            {"by": "label"},
            [
                "note label: as even as a shuffle, shares within 9.1 points",
                "note label: fold 1 has none of 12 rows of 'b'",
            ],
            id="class_absent_by_chance",
        ),
        pytest.param(
            rows_of(a=[9, 8, 9], b=[3, 2, 0], c=[0, 2, 3]),
            {"by": "label"},
            [
                "note label: as even as a shuffle, shares within 14 points",
                "note label: 2 classes are not in every fold, such as 'b'",
            ],
            id="two_classes_absent_by_chance",
        ),
        pytest.param(
            rows_of(a=[9, 5, 9], b=[0, 4, 0]),
            {"by": "label"},
            [
                "note label: as even as a shuffle, shares within 30 points",
                "note label: all 4 rows of 'b' are in fold 1",
            ],
            id="class_in_one_fold",
        ),
        pytest.param(
            rows_of(a=[8, 8, 8, 8, 8], b=[1, 0, 0, 0, 0]),
            {"by": "label"},
            [
                "note label: 'b' has 1 row, so 4 of 5 folds have none",
                "ok label: even, each class within a row of its share",
            ],
            id="class_with_one_row",
        ),
        pytest.param(
            rows_of(a=[4, 4, 4], b=[1, 1, 0], c=[0, 0, 1]),
            {"by": "label"},
            [
                "note label: 2 classes have fewer rows than folds, such as 'c' with 1",
                "ok label: even, each class within a row of its share",
            ],
            id="two_rare_classes",
        ),
        pytest.param(
            rows_of(a=[450, 25, 25], b=[450, 25, 25]),
            {"by": "label"},
            [
                "WARNING sizes: 900, 50, 50 rows; if intended, name the parts ('train', ...)",
                "ok label: even, each class within a row of its share",
            ],
            id="numbered_folds_of_the_sizes_of_parts",
        ),
        pytest.param(
            rows_of(a=[200, 100], b=[100, 200]) | {"site": [*range(10)] * 60},
            {"by": ["label", "site"]},
            ["WARNING label, site: uneven, fold 0 has 200 rows of 'a' (150 expected)"],
            id="joint_strata_uneven",
        ),
        pytest.param(
            rows_of(a=[5, 5], b=[5, 5]) | {"site": [*range(5)] * 4},
            {"by": ["label", "site"]},
            ["ok label, site: even, each stratum within a row of its share"],
            id="joint_strata_even",
        ),
        pytest.param(
            rows_of(a=[200, 100], b=[100, 200]) | {"site": [*range(10)] * 60},
            {"by": sf.margins(["label", "site"])},
            ["WARNING 2 margins: uneven, fold 0 has 200 rows of 'label: a' (150 expected)"],
            id="margins_uneven",
        ),
        pytest.param(
            {"x": [*range(100), *range(10**6, 10**6 + 100)], "fold": [0] * 100 + [1] * 100},
            {"by": sf.clusters("x", 2)},
            ["WARNING cluster: uneven, fold 0 has 100 rows of 0 (50 expected)"],
            id="clusters_uneven",
        ),
    ],
)
def test_lines_on_balance(
    frame: Make, data: Data, options: dict[str, Any], lines: list[str]
) -> None:
    """A line says how even the strata are in the folds."""
    check_lines(frame(data), options, lines)


@pytest.mark.parametrize(
    ("data", "options", "lines"),
    [
        pytest.param(
            {"price": EIGHTHS, "split": list("aaab") * 100},
            {"by": "price", "name": "split"},
            ["ok price: even in order, within 2 rows at every cut", "ok sizes: a 0.75, b 0.25"],
            id="even_in_parts",
        ),
        pytest.param(
            {"price": EIGHTHS, "fold": [0, 0, 0, 0, 1, 1, 1, 1] * 50},
            {"by": "price"},
            ["note price: no less even than a shuffle, even in bins but not in order"],
            id="even_in_bins_alone",
        ),
        pytest.param(
            {"label": list("aabb") * 100, "price": EIGHTHS, "fold": [0, 1] * 200},
            {"by": ["label", "price"]},
            ["ok label, price: even in order, within 2 rows at every cut"],
            id="in_each_class",
        ),
        pytest.param(
            {"price": range(3), "fold": [0, 1, 0]},
            {"by": sf.continuous("price")},
            ["note price: too few rows to tell an even order from a shuffle"],
            id="three_numbers",
        ),
        pytest.param(
            {"price": [row % 11 for row in range(44)], "fold": [0, 1] * 22},
            {"by": "price"},
            ["ok price: even, each class within a row of its share"],
            id="few_distinct_numbers_are_classes",
        ),
        pytest.param(
            {"label": list("ab") * 20, "w": FORTY, "fold": [0, 0, 1, 1] * 10},
            {"by": ["label", sf.chain("w")]},
            [
                "note sf.chain(['w']): its order is not judged",
                "ok label: even, each class within a row of its share",
            ],
            id="order_of_a_chain_in_classes",
        ),
        pytest.param(
            {"w": FORTY, "fold": [0, 0, 1, 1] * 10},
            {"by": sf.nearest("w")},
            ["note sf.nearest(['w']): its order is not judged"],
            id="order_of_neighbours",
        ),
        pytest.param(
            {"price": range(400), "fold": [0, 1] * 200},
            {"by": "price"},
            ["ok price: even in order, within 2 rows at every cut"],
            id="whole_numbers",
        ),
        pytest.param(
            {
                "price": [row // 2 for row in range(1600)],
                "fold": [row % 4 + row // 800 * 4 for row in range(1600)],
            },
            {"by": "price"},
            ["WARNING price: uneven, fold 0 has 80 rows of [0, 159] (40 expected)"],
            id="bins_uneven",
        ),
        pytest.param(
            {"price": FORTY, "fold": [0] * 20 + [1] * 20},
            {"by": "price"},
            ["note price: as even as a shuffle, shares within 20 points"],
            id="few_numbers_uneven_by_chance",
        ),
    ],
)
def test_lines_on_orders(
    frame: Make, data: Data, options: dict[str, Any], lines: list[str]
) -> None:
    """A line says how even numbers are in their order, or in bins."""
    check_lines(frame(data), options, lines)


@pytest.mark.parametrize("kind", TWO_KINDS)
@pytest.mark.parametrize(
    ("data", "options", "lines"),
    [
        pytest.param(
            TEN_USERS,
            {"by": "label", "groups": "user"},
            [
                "note label: as even as a shuffle, shares within 40 points",
                "note label: 'a' has 4 groups, so 1 of 5 folds has none",
                "ok each of 10 users is in one fold",
            ],
            id="class_in_fewer_groups_than_folds",
        ),
        pytest.param(
            {"label": ["a", "b"] * 40, "user": range(80), "fold": [0, 1] * 40},
            {"by": "label", "groups": "user"},
            [
                "WARNING label: all 40 rows of 'a' are in fold 0",
                "ok each of 80 users is in one fold",
            ],
            id="each_row_a_group",
        ),
        pytest.param(
            {"patient": PEOPLE, "fold": [0, 1, 2, 3] * 10},
            {"groups": "patient"},
            ["LEAK 20 of 20 patients are in several folds, such as 'p0' in folds 0 and 1"],
            id="all_groups_in_several_folds",
        ),
        pytest.param(
            {"user": [1, 1, 2, 3], "split": ["test", "train", "train", "train"]},
            {"groups": "user", "name": "split"},
            [
                "LEAK 1 of 3 users is in several parts, such as 1 in parts train and test",
                "ok sizes: train 0.75, test 0.25",
            ],
            id="group_in_several_parts",
        ),
        pytest.param(
            {"user": [1, 1, 2, 2, None, None], "fold": [0, 0, 1, None, 0, 1]},
            {"groups": "user"},
            [
                "note 1 of 2 users is in a fold and in rows without one",
                "note 1 row has no fold",
                "ok each of 2 users is in one fold",
            ],
            id="rows_without_a_group_or_a_fold",
        ),
        pytest.param(
            {"patient": list("ppqr"), "device": list("xyxz"), "fold": [0, 1, 1, 1]},
            {"groups": ["patient", "device"]},
            [
                "note 'patient' alone: 1 of 3 is in several folds; 'device' 1 of 3",
                "ok each of 4 groups is in one fold",
            ],
            id="two_columns_of_groups",
        ),
        pytest.param(
            {"x": [0.0, 0.1, 9.0, 9.1], "fold": [0, 1, 0, 0]},
            {"groups": sf.clusters("x", 2)},
            ["LEAK 1 of 2 clusters is in several folds"],
            id="cluster_in_several_folds",
        ),
        pytest.param(
            {"order_id": ["o7", "o7", "o8", None], "fold": [0, 1, 1, 0]},
            {"key": "order_id"},
            ["LEAK 1 of 2 orders is in several folds, such as 'o7' in folds 0 and 1"],
            id="key_in_several_folds",
        ),
        pytest.param(
            {"visit": [1, 2, 2], "fold": [0, 1, 1]},
            {"key": "visit"},
            ["WARNING 1 of 2 visits repeats within a fold (`groups` may repeat)"],
            id="key_twice_in_a_fold",
        ),
    ],
)
def test_lines_on_groups(
    frame: Make, data: Data, options: dict[str, Any], lines: list[str]
) -> None:
    """A line says whether groups and keys are in one fold."""
    check_lines(frame(data), options, lines)


@pytest.mark.parametrize(
    ("data", "options", "lines"),
    [
        pytest.param(
            {"fold": [1] * 300 + [2] * 100 + [3] * 100 + [4] * 100 + [5] * 100},
            {},
            ["WARNING sizes: 100 to 300 rows; if intended, name the parts ('train', ...)"],
            id="numbered_folds_uneven",
        ),
        pytest.param(
            {"split": ["valid"] * 50 + ["train"] * 900 + ["test"] * 50},
            {"name": "split"},
            ["ok sizes: train 0.9, valid 0.05, test 0.05"],
            id="parts_by_use",
        ),
        pytest.param(
            {"split": list("aabcde")},
            {"name": "split"},
            ["ok sizes: 5 parts of 1 to 2 rows"],
            id="many_parts",
        ),
        pytest.param(
            {
                "tags": [["t"]] * 532,
                "site": [*"xyz" * 52, *"y" * 329, *"z" * 47],
                "fold": [2, 0, 1] * 52 + [0] * 329 + [1] * 47,
            },
            {},
            [
                "note sizes: 52 to 381 rows, as each fold is one 'site'",
                "ok groups: each fold is one 'site'",
            ],
            id="folds_of_one_site_each",
        ),
        pytest.param(
            {
                "user": [min(row, 100) for row in range(500)],
                "fold": [row % 5 if row < 100 else 0 for row in range(500)],
            },
            {"groups": "user"},
            ["note sizes: 5 folds of 20 to 420 rows", "ok each of 101 users is in one fold"],
            id="one_large_group",
        ),
    ],
)
def test_lines_on_sizes(frame: Make, data: Data, options: dict[str, Any], lines: list[str]) -> None:
    """A line says how large the folds are."""
    check_lines(frame(data), options, lines)


@pytest.mark.parametrize(
    ("data", "options", "lines"),
    [
        pytest.param(
            {"id": range(40), "x": FORTY, "t": [["t"]] * 40, "fold": [0, 1] * 20},
            {"duplicates": "auto"},
            ["ok duplicates: none, as 'x' differs in every row"],
            id="ids_and_lists_are_left_aside",
        ),
        pytest.param(
            {**{f"identity_{c}": range(40) for c in "abc"}, "x": FORTY, "fold": [0, 1] * 20},
            {"duplicates": "auto"},
            ["ok duplicates: none, as 'x' differs in every row"],
            id="several_ids_are_left_aside",
        ),
        pytest.param(
            {"id": range(4), "fold": [0, 1] * 2, "fold_inner": [0, 0, 1, 1]},
            {"duplicates": "auto"},
            ["note duplicates: not looked for, as no column tells rows apart"],
            id="nothing_to_compare",
        ),
        pytest.param(
            {"a": FORTY, "b": FORTY, "n": range(40), "fold": [0, 1] * 20},
            {"duplicates": "auto"},
            ["ok duplicates: none, as 'a', 'b' differ in every row"],
            id="two_columns_differ_in_every_row",
        ),
        pytest.param(
            {**{f"feature_number_{c}": FORTY for c in "abc"}, "fold": [0, 1] * 20},
            {"duplicates": "auto"},
            ["ok duplicates: none, as 3 columns differ in every row"],
            id="no_room_for_the_names",
        ),
        pytest.param(
            {
                "text": [f"line {row % 39}" for row in range(40)],
                "stars": [*range(1, 4)] * 13 + [1],
                "fold": [0] * 20 + [1] * 20,
            },
            {"duplicates": "auto"},
            ["LEAK 2 rows (5.0 %) equal a row of another fold, such as rows 0 and 39"],
            id="copied_text",
        ),
        pytest.param(
            repeated_rows(2),
            {"duplicates": "auto"},
            ["note 4 rows (1.0 %) equal a row of another fold; `leaks()` lists them"],
            id="few_copies_of_numbers",
        ),
        pytest.param(
            repeated_rows(3),
            {"duplicates": "auto"},
            ["LEAK 6 rows (1.5 %) equal a row of another fold, such as rows 0 and 397"],
            id="more_copies_of_numbers",
        ),
        pytest.param(
            repeated_rows(2),
            {"duplicates": ["x", "day"]},
            ["LEAK 4 rows (1.0 %) equal a row of another fold, such as rows 0 and 398"],
            id="few_copies_in_named_columns",
        ),
        pytest.param(
            {
                "a": [row // 201 for row in range(402)],
                "x": [*FORTY * 10, 0.5, 0.5],
                "fold": [row % 201 // 67 for row in range(402)],
            },
            {"duplicates": ["a", "x"]},
            ["note 402 rows (100 %) equal a row of another fold, maybe by chance"],
            id="chance_in_named_columns",
        ),
        pytest.param(
            {"x": [*TENTHS, 4.1], "site": [*"abcd" * 10, "b"], "fold": [0] * 20 + [1] * 21},
            {"duplicates": "auto"},
            ["note 2 rows (4.9 %) equal by chance? duplicates=['x', 'site']"],
            id="rounded_numbers_by_chance",
        ),
        pytest.param(
            {
                "x": [*(round(17.1 * row, 1) for row in range(40)), 17.1],
                "site": [*"abcd" * 10, "b"],
                "fold": [0] * 20 + [1] * 21,
            },
            {"duplicates": "auto"},
            ["LEAK 2 rows (4.9 %) equal a row of another fold, such as rows 1 and 40"],
            id="numbers_too_wide_for_chance",
        ),
        pytest.param(
            {
                "city": [*range(40)] * 5,
                "zip": [*range(1000, 1040)] * 5,
                "region": [city // 4 for city in range(40)] * 5,
                "fold": [row // 40 for row in range(200)],
                "sex": [row // 40 % 3 for row in range(200)],
            },
            {"duplicates": "auto"},
            ["note 160 rows (80 %) equal a row of another fold, maybe by chance"],
            id="columns_that_follow_from_one",
        ),
        pytest.param(
            {"x": [0, 1] * 50, "y": FORTY * 2 + FORTY[:20], "fold": [0] * 50 + [1] * 50},
            {"duplicates": "x"},
            ["LEAK 100 rows (100 %) equal a row of another fold, such as rows 0 and 50"],
            id="one_named_column",
        ),
        pytest.param(
            {
                **copied_digits(),
                "who": [f"k{row}" for row in range(120)],
                "split": ["u", "v"] * 60,
                "inner": [*range(60)] * 2,
            },
            {"duplicates": "auto", "key": "who"},
            [
                "LEAK 40 rows (33 %) equal a row of another fold, such as rows 0 and 100",
                "note sizes: 2 folds of 50 to 70 rows",
                "ok each of 120 keys is unique",
            ],
            id="key_and_other_fold_columns_are_left_aside",
        ),
    ],
)
def test_lines_on_duplicates(
    frame: Make, data: Data, options: dict[str, Any], lines: list[str]
) -> None:
    """A line says how many rows equal a row of another fold."""
    check_lines(frame(data), options, lines)


@pytest.mark.parametrize("kind", TWO_KINDS)
@pytest.mark.parametrize(
    ("data", "options", "lines"),
    [
        pytest.param(
            {"fold": [0, 2, 0, 2]}, {}, ["WARNING fold 1 has no rows"], id="one_fold_without_rows"
        ),
        pytest.param(
            {"fold": [0, 2, 3, 5, 6, 7] * 2},
            {},
            ["WARNING 2 folds have no rows: 1, 4"],
            id="two_folds_without_rows",
        ),
        pytest.param({"fold": [0, 10**7, 0]}, {}, [], id="gap_of_millions_is_none"),
        pytest.param({"site": [0, 2, 0, 2]}, {"name": "site"}, [], id="numbers_of_sites"),
        pytest.param({"fold": [1, 1]}, {}, ["WARNING there is only one fold"], id="one_fold"),
        pytest.param(
            {"label": ["a", "b"], "fold": [None, None]},
            {"by": "label", "groups": "label", "key": "label", "duplicates": "auto"},
            ["WARNING no row has a fold"],
            id="no_row_has_a_fold",
        ),
        pytest.param(
            {"label": [], "fold": []},
            {"by": "label", "groups": "label", "key": "label", "duplicates": "auto"},
            ["WARNING there are no rows"],
            id="no_rows",
        ),
    ],
)
def test_lines_on_labels(
    frame: Make, data: Data, options: dict[str, Any], lines: list[str]
) -> None:
    """A line says which folds have no rows."""
    check_lines(frame(data), options, lines)


@pytest.mark.parametrize(
    ("data", "options", "lines"),
    [
        pytest.param(
            {"when": range(200), "fold": [row // 40 for row in range(200)]},
            {"features": "when"},
            ["WARNING 'when' differs in fold 0 (KS 1.00, chance reaches 0.24)"],
            id="numbers_differ",
        ),
        pytest.param(
            {"site": ["x", "y"] * 50, "fold": [0, 1] * 50},
            {"features": "site"},
            ["WARNING 'site' differs in fold 0 (TV 1.00, chance reaches 0.20)"],
            id="classes_differ",
        ),
        pytest.param(
            {"when": range(18), "fold": [0] * 9 + [1] * 9},
            {"features": "when"},
            ["note drift: 2 of 2 comparisons beyond chance"],
            id="too_few_rows_to_warn",
        ),
        pytest.param(
            {"when": FORTY, "fold": [0, 1] * 20},
            {"features": ["when"]},
            ["ok drift: none of 2 comparisons beyond chance"],
            id="no_drift",
        ),
        pytest.param(
            {"when": [None, None, 1.5, None], "fold": [0, 0, 1, 1]},
            {"features": "when"},
            ["note drift: nothing to compare"],
            id="nothing_to_compare",
        ),
    ],
)
def test_lines_on_drift(frame: Make, data: Data, options: dict[str, Any], lines: list[str]) -> None:
    """A line says which features differ between folds."""
    check_lines(frame(data), options, lines)
