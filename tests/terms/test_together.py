"""Rows that are linked by what they share: one group, whatever the order of rows and columns."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold

import stratframe as sf
from tests.helpers import Make, refuse, split_groups, values, warned
from tests.terms.clouds import groups_of, same_partition

LINKED = sf.linked("patient", "device")
ROWS: dict[str, list[Any]] = {
    "id": list(range(12)),
    "patient": ["p0", "p0", "p1", "p2", None, "p3", "p3", "p4", None, "p5", "p6", None],
    "device": ["d1", "d2", "d2", "d3", "d3", None, "d4", None, "d5", "d6", "d6", None],
    "label": ["a", "b"] * 6,
}
COMPONENTS = [0, 0, 0, 3, 3, 5, 5, 7, 8, 9, 9, 11]
CODES = st.integers(-1, 6)
TABLES = st.lists(st.tuples(CODES, CODES, CODES), min_size=1, max_size=15)
REFUSED: list[Any] = [
    (
        lambda df: sf.linked("patient"),
        "`sf.linked` must have at least two columns, got 'patient'.\n"
        'Hint: pass one column as `groups="patient"`, and several without a list:'
        ' `sf.linked("patient", "device")`.',
    ),
    (lambda df: sf.linked("a", "a"), "`sf.linked` must hold each column once, got 'a' twice."),
    (lambda df: sf.linked("a", ["b"]), "`sf.linked` must be given columns, got ['b']."),
    (
        lambda df: sf.kfold(df, ["label", sf.linked("patient", "device")]),
        "`sf.linked` makes groups, so it must be given in `groups`, not in `by`.",
    ),
    (
        lambda df: sf.kfold(df, groups=sf.linked("patient", "devise")),
        "`groups` names the column 'devise',"
        " which the frame does not have.\nHint: did you mean 'device'?",
    ),
]


def components(rows: list[tuple[int, ...]]) -> list[int]:
    """Find the lowest row that each row is linked with, by following links one by one."""
    lowest = list(range(len(rows)))
    before = list[int]()
    while lowest != before:
        before = lowest.copy()
        for (i, one), (j, other) in product(enumerate(rows), repeat=2):
            if any(x == y >= 0 for x, y in zip(one, other, strict=True)):
                lowest[j] = min(lowest[j], lowest[i])
    return lowest


def table_of(rows: list[tuple[int, ...]]) -> pl.DataFrame:
    texts = [[f"v{x}" if x >= 0 else None for x in column] for column in zip(*rows, strict=True)]
    return pl.DataFrame(dict(zip("abc", texts, strict=True)), dict.fromkeys("abc", pl.String))


@given(rows=TABLES)
def test_components_are_those_found_link_by_link(rows: list[tuple[int, ...]]) -> None:
    """Two rows are in one component if links lead from one to the other, and otherwise in two."""
    assert same_partition(groups_of(table_of(rows), sf.linked(*"abc")), components(rows))


def test_components_are_whole(frame: Make) -> None:
    """Each component is in one fold, and `check` and `leaks` see the same groups."""
    folded = sf.kfold(frame(ROWS), "label", 3, groups=LINKED, rare="ignore")
    assert None not in values(folded, "fold")
    assert not split_groups(COMPONENTS, values(folded, "fold"))
    found = sf.check(folded, groups=LINKED, duplicates=None)
    assert "each of 7 groups of linked rows is in one fold" in found.text
    assert not len(sf.leaks(folded, groups=LINKED, duplicates=None))
    apart = sf.kfold(frame(ROWS), "id", 3, rare="ignore")
    leaks = sf.leaks(apart, groups=LINKED, duplicates=None)
    split = split_groups(COMPONENTS, values(apart, "fold"))
    assert {*values(leaks, "row")} == {row for row in range(12) if COMPONENTS[row] in split}
    assert len({*values(leaks, "set")}) == len(split)


@pytest.mark.filterwarnings("ignore:The largest group:stratframe.StratWarning")
@settings(max_examples=40)
@given(data=st.data(), rows=TABLES)
def test_folds_are_free_of_order_and_library(data: st.DataObject, rows: Any) -> None:
    """Rows and columns in another order, on another library, have the same fold."""
    rows = [row for row in rows if max(row) >= 0]
    assume(len(set(components(rows))) > 1)
    table = table_of(rows)
    order = data.draw(st.permutations(range(len(rows))))
    other = sf.linked(*data.draw(st.permutations("abc")))
    folds = sf.kfold(table.to_pandas(), k=2, groups=sf.linked(*"abc"))["fold"].to_numpy()
    found = sf.kfold(table[order].lazy(), k=2, groups=other).collect()["fold"]
    assert found.to_list() == folds[order].tolist()


def test_rows_without_a_fold_link_no_others() -> None:
    """Judges compare the rows that have a fold; the others link nothing."""
    table = pl.DataFrame({"one": [1, 1, 2, 3], "two": [4, 5, 4, 6], "fold": [None, 0, 1, 0]})
    assert sf.check(table, groups=sf.linked("one", "two"), duplicates=None)


def test_sizes_are_as_even_as_those_of_group_k_fold() -> None:
    """No fold is further from its share than the folds of scikit-learn on the components."""
    drawn = np.random.default_rng(0)
    ids = {"patient": drawn.integers(0, 300, 200), "device": drawn.integers(0, 500, 200)}
    df = pd.DataFrame(ids)
    groups = components(list(zip(df["patient"], df["device"] + 1000, strict=True)))
    sizes = sf.kfold(df, k=5, groups=LINKED)["fold"].value_counts()
    others = [len(test) for _, test in GroupKFold(5).split(df, groups=groups)]
    assert np.ptp(sizes) <= np.ptp(others)


def test_one_component_that_swallows_the_data() -> None:
    """The warning of a group that is too large names what links it."""
    df = pd.DataFrame({"patient": range(20), "device": [1] * 14 + list(range(2, 8))})
    largest = "The largest has 70 % of the rows: 'device' links 14 patients."
    message = "The largest group has 14 rows, but the largest fold should have 10, so one fold will"
    message += f" be at least 4 rows too large. {largest}"
    warned(message, lambda: sf.kfold(df, k=2, groups=LINKED))
    message = message.replace("14 patients", "14 values of 'who'")
    who = sf.linked("who", "device")
    warned(message, lambda: sf.kfold(df.rename(columns={"patient": "who"}), k=2, groups=who))
    message = f"`k` must be at most the number of groups, got 9 for 7 groups. {largest}"
    refuse(message, lambda: sf.kfold(df, k=9, groups=LINKED))


def test_new_rows_join_their_group_or_link_two(frame: Make) -> None:
    """`extend` gives new rows the fold of their group, and refuses rows that link two folds."""
    data = ROWS | {"fold": [0, 0, None, 1, 1, 2, None, 2, 1, 0, 0, 2]}
    found = values(sf.extend(frame(data), "label", 3, groups=LINKED), "fold")
    assert (found[2], found[6]) == (0, 2)
    data["device"] = [*data["device"][:6], "d3", *data["device"][7:]]
    message = "`extend` needs each group in one fold, but 1 group in 4 rows (6, 3, 4, 5) is in"
    message += " several: for instance 'p2', 'd3' in folds 1, 2.\nHint: leave out rows that link"
    message += " them, or make the column with groups, as in"
    message += " `df.strat.kfold(..., groups=sf.linked('patient', 'device'))`."
    refuse(message, lambda: sf.extend(frame(data), "label", 3, groups=LINKED))


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_bad_input(call: Callable[[Any], Any], message: str) -> None:
    """Columns that cannot link rows, and links in `by`, are refused."""
    refuse(message, lambda: call(pd.DataFrame(ROWS)))
