"""Entries nested into strata."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import stratframe as sf
from tests.helpers import FOLDED, Make, refuse, strata_of, warned
from tests.pipeline.test_check_data import RARE
from tests.terms.clouds import FEATURE_ROWS, FEATURES, cloud

NO_MARGIN = "An entry of `sf.margins` must define strata, but 'price' holds fractions."
FRACTIONS: list[Any] = [
    pytest.param(
        lambda df: sf.kfold(df, ["price", "label"], name="new"),
        (
            "A continuous entry of `by` must come last,"
            " but 'price' holds fractions and is followed by others."
        ),
        id="fractions_before_classes",
    ),
    pytest.param(
        lambda df: sf.kfold(df, sf.margins(["label", "price"]), name="new"),
        NO_MARGIN,
        id="kfold_of_margins",
    ),
    pytest.param(
        lambda df: sf.check(df, sf.margins(["label", "price"])), NO_MARGIN, id="check_of_margins"
    ),
    pytest.param(
        lambda df: sf.balance(df, sf.margins(["label", "price"])),
        NO_MARGIN,
        id="balance_of_margins",
    ),
    pytest.param(
        lambda df: sf.report(df, sf.margins(["label", "price"])), NO_MARGIN, id="report_of_margins"
    ),
]
"""Calls with fractions where entries must make strata, which tables cut in other places."""


@pytest.mark.parametrize(("call", "rule"), FRACTIONS)
def test_fractions_that_must_make_strata(call: Callable[[Any], Any], rule: str) -> None:
    """A float column with fractions is continuous: it comes last, and is no margin."""
    refuse(
        f"{rule}\nHint: cut it into bins, as in `sf.quantiles('price', 10)`, or use its values as"
        " classes, as in `sf.classes('price')`.",
        lambda: call(pd.DataFrame(FOLDED)),
    )


@pytest.mark.parametrize(
    "by",
    [
        ["sex", "label"],
        [sf.bins("x", [0, 10, 12]), "label"],
        sf.bins("x", [0, 10, 12]),
        sf.quantiles("x", 6),
        sf.continuous("x"),
    ],
)
def test_bins_and_deeper_levels_are_never_rare(by: Any) -> None:
    """Only classes of the first entry may be rare; bins and deeper levels cost nothing."""
    df = sf.kfold(pd.DataFrame({**RARE, "x": range(12)}), by, 3, rare="error")

    assert sorted(df["fold"]) == [0] * 4 + [1] * 4 + [2] * 4


def test_terms_of_other_arguments_are_others() -> None:
    """Terms of the same features that differ otherwise may be combined."""
    by = [sf.clusters(["x"], 2), sf.clusters(["x"], 3, name="finer"), sf.clusters(["y"], 2)]
    assert sf.kfold(pd.DataFrame(FEATURE_ROWS), by, 2, rare="ignore") is not None


@pytest.mark.parametrize(
    "last", ["label", sf.continuous("x"), sf.chain("y"), sf.clusters("z", 2, name="more")], ids=str
)
def test_clusters_before_other_entries(last: Any) -> None:
    """Entries that follow nest inside the clusters, and may order the rows anew."""
    df = pd.DataFrame(cloud())
    by = [sf.clusters(FEATURES, 3), last]

    sizes = sf.kfold(df, by, 5)["fold"].value_counts()

    assert sizes.max() - sizes.min() <= 1
    assert sf.plan(df, by, 5)["n"].sum() == len(df)


DATA: dict[str, Any] = {
    "label": ["a", "b", None, "a", "a", "b", "c", "a"],
    "size": [1, 1, 2, 2, 1, 1, 2, 1],
    "price": [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5],
    "id": list(range(8)),
}


def test_strata_nest(frame: Make) -> None:
    """Several entries give a column each; bins are named by their edges."""
    by = ["size", sf.bins("id", [0, 3, 9], name="range"), sf.quantiles("price", 2)]
    message = "`sf.quantiles('price', 2)` produced fewer than 2 bins in 1 of 4 strata (as few as"
    message += " 1), because equal values stay in one bin."
    data = frame(DATA)
    assert list(sf.plan(data, by[:2], 2).columns) == ["size", "range", "fold", "n"]
    found = warned(message, lambda: strata_of(data, by))
    assert list(found.items()) == [
        ((1, "[0, 3]", "[0.5, 0.5]"), 1),
        ((1, "[0, 3]", "(0.5, 1.5]"), 1),
        ((1, "(3, 9]", "[4.5, 5.5]"), 2),
        ((1, "(3, 9]", "(5.5, 7.5]"), 1),
        ((2, "[0, 3]", "[2.5, 2.5]"), 1),
        ((2, "[0, 3]", "(2.5, 3.5]"), 1),
        ((2, "(3, 9]", "[6.5, 6.5]"), 1),
    ]


def test_many_entries_nest() -> None:
    """A stratum of many entries is inside the strata of all levels above it."""
    columns = {f"c{place}": [row // (place + 1) % 2 for row in range(40)] for place in range(12)}
    df = sf.kfold(pd.DataFrame(columns), list(columns), 2, rare="ignore")
    for level in range(1, 13):
        for _, rows in df.groupby(list(columns)[:level]):
            assert abs((rows["fold"] == 0).sum() - (rows["fold"] == 1).sum()) <= 1
