"""Counts of rows of each stratum: `split(each=)` and `sample(each=)`, against counts by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import Make, eager, refuse_now, values, warned

LOG = {
    "user": ["ann"] * 5 + ["bob"] * 3 + ["cy"] * 2,
    "time": [3, 1, 2, 5, 4, 9, 8, 7, 6, 6],
    "id": list(range(10)),
}

LABELS = st.lists(st.sampled_from("abcd"), min_size=3, max_size=60)


@given(
    labels=LABELS,
    sexes=st.lists(st.sampled_from("mf"), min_size=60, max_size=60),
    valid=st.integers(1, 3),
    test=st.integers(1, 3),
    deal=st.sampled_from(["random", "contiguous"]),
    by=st.sampled_from([["label"], ["label", "sex"], ["label", sf.continuous("x")]]),
    place=st.integers(0, 2),
    key=st.sampled_from([None, "x"]),
)
def test_counts_are_exact(
    labels: list[str],
    sexes: list[str],
    valid: int,
    test: int,
    deal: Any,
    by: list[Any],
    place: int,
    key: str | None,
) -> None:
    """Each larger stratum gives each part its count, and all others stay whole in the rest."""
    n_rows = len(labels)
    data = {"label": labels, "sex": sexes[:n_rows], "x": np.argsort(sexes[:n_rows], kind="stable")}
    counts = [("valid", valid), ("test", test)]
    counts.insert(place, ("train", None))  # type: ignore[arg-type]
    entries = [name for name in by if isinstance(name, str)]
    strata = list(zip(*(data[name] for name in entries), strict=True))

    frame = sf.split(
        pl.DataFrame(data), by, each=dict(counts), deal=deal, key=key, rare="ignore", seed=place
    )

    found = Counter(zip(strata, frame["split"], strict=True))
    for stratum, size in Counter(strata).items():
        is_large = size > valid + test
        expected = {"valid": valid * is_large, "test": test * is_large}
        expected["train"] = size - sum(expected.values())
        assert {part: found[stratum, part] for part in expected} == expected


@given(labels=LABELS, most=st.integers(1, 8), more=st.integers(0, 8), seed=st.integers(0, 3))
def test_a_sample_is_part_of_a_larger_one(
    labels: list[str], most: int, more: int, seed: int
) -> None:
    """A sample takes at most `each` rows of a stratum, and is part of a larger one of its seed."""
    frame = pl.DataFrame({"label": labels, "id": range(len(labels))})

    for key in (None, "id"):
        few = sf.sample(frame, "label", each=most, key=key, seed=seed)
        many = sf.sample(frame, "label", each=most + more, key=key, seed=seed)

        sizes = Counter(labels)
        assert Counter(few["label"]) == {label: min(most, sizes[label]) for label in sizes}
        assert set(few["id"]) <= set(many["id"])
        assert few["id"].is_sorted()


def test_the_last_rows_of_each_user(frame: Make) -> None:
    """Contiguous parts follow each other in each stratum, and the last part has the last rows."""
    rows = {name: column[:8] for name, column in LOG.items()}

    divided = sf.split(
        frame(rows),
        ["user", sf.continuous("time")],
        each={"train": None, "valid": 1, "test": 1},
        deal="contiguous",
        key="id",
    )

    expected = ["train", "train", "train", "test", "valid", "test", "valid", "train"]
    assert values(eager(divided), "split") == expected


def test_small_strata_stay_whole_in_the_rest(frame: Make) -> None:
    """One warning says how many strata and rows are too few for the counts."""
    divided = warned(
        "1 of 3 strata (2 rows of 10) has no more rows than the 2 that `each` takes, and stays"
        " whole in 'train'.\nHint: `rare=\"ignore\"` silences this warning.",
        lambda: sf.split(frame(LOG), "user", each=2, key="id"),
    )

    parts = Counter(zip(LOG["user"], values(divided, "split"), strict=True))
    assert parts["ann", "test"] == parts["bob", "test"] == 2
    assert parts["cy", "test"] == 0


def test_small_strata_can_be_an_error() -> None:
    """`rare="error"` refuses strata that the counts do not leave a row."""
    refuse_now(
        "1 of 3 strata (2 rows of 10) has no more rows than the 2 that `each` takes, which"
        ' `rare="error"` does not allow.',
        lambda: sf.split(pd.DataFrame(LOG), "user", each=2, rare="error"),
    )


def test_equal_values_are_parted_by_the_key() -> None:
    """Equal values are parted by the key, or by position, with a warning."""
    times = pd.DataFrame(
        {"user": list("aaabbb"), "time": [1, 2, 2, 4, 3, 3], "id": [5, 9, 7, 1, 2, 3]}
    )
    by = ["user", sf.continuous("time")]

    divided = warned(
        "In 1 of 2 strata, rows with equal values are in different parts: they are ordered by the"
        " key or, without one, as in the frame.",
        lambda: sf.split(times, by, each=1, deal="contiguous", key="id"),
    )
    with pytest.warns(sf.StratWarning, match="In 1 of 2 strata"):
        by_position = sf.split(times, by, each=1, deal="contiguous")

    assert divided["split"].tolist() == ["train", "test", "train", "test", "train", "train"]
    assert by_position["split"].tolist() == ["train", "train", "test", "test", "train", "train"]


def test_no_other_warning_is_given() -> None:
    """Counts of each stratum are meant for small strata, and warn neither of them nor of ids."""
    n_rows = 200
    frame = pd.DataFrame({"id": range(n_rows), "a": range(n_rows), "b": range(n_rows)})
    frame = pd.concat([frame] * 3)

    divided = sf.split(frame, ["id", "a", "b"], each=1)

    assert (divided.query("split == 'test'")["id"].value_counts() == 1).all()
    assert (divided["split"] == "test").sum() == n_rows


@pytest.mark.parametrize("by", [None, sf.continuous("time")])
def test_without_strata_all_rows_are_one(by: Any) -> None:
    """Without entries, or with one that only orders rows, the rows are one stratum."""
    frame = pl.DataFrame(LOG)

    divided = sf.split(frame, by, each=3)

    assert (divided["split"] == "test").sum() == 3


def test_lazy_plan_warns_for_the_order() -> None:
    """Equal values follow the order of the rows, so that a plan without a fixed order warns."""
    query = pl.LazyFrame(LOG).unique()

    with pytest.warns(sf.StratWarning, match="without `key=` the folds"):
        sf.split(query, sf.continuous("time"), each=2, deal="contiguous")


COUNTS_ROWS = ": it counts rows of each stratum.\nHint: "
PURPOSE = (
    "`each` must map one part to None, which gets the rest, and the others to numbers of rows of"
    " each stratum, got "
)
EXAMPLE = '\nHint: `each={"train": None, "valid": 1, "test": 1}`.'
HOLDS_FRACTIONS = (
    "`each` counts rows of each stratum, but 'half' holds fractions, and would only order the rows."
    "\nHint: `sf.classes('half')` makes each value a stratum, and `sf.continuous('half')` says that"
    " it orders rows."
)
NO_COUNT = "`each` must be a number of rows of each stratum, or map names of parts to such numbers,"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            {"each": 0.2},
            f"{NO_COUNT} got 0.2.\nHint: `parts=0.2` is a share of each stratum.",
            id="share",
        ),
        pytest.param({"each": True}, f"{NO_COUNT} got True.", id="flag"),
        pytest.param({"each": 0}, "`each` must be at least 1, got 0.", id="none_of_each"),
        pytest.param(
            {"each": {"a": 1, "b": 2}}, f"{PURPOSE}{{'a': 1, 'b': 2}}.{EXAMPLE}", id="no_rest"
        ),
        pytest.param({"each": {"a": None}}, f"{PURPOSE}{{'a': None}}.{EXAMPLE}", id="only_a_rest"),
        pytest.param(
            {"each": {"a": None, "b": 0.5}},
            "`each` must hold numbers of rows, got {'a': None, 'b': 0.5}.\nHint: `parts` takes"
            " shares of each stratum.",
            id="fraction",
        ),
        pytest.param(
            {"each": {"a": None, "b": 0}},
            "`each` must hold numbers from 1 to 9,007,199,254,740,992, got {'a': None, 'b': 0}.",
            id="count_of_none",
        ),
        pytest.param(
            {"each": 2, "parts": 0.2}, "`each` goes in place of `parts`, got both.", id="parts"
        ),
        pytest.param(
            {"each": 2, "groups": "id"},
            f"`each` cannot be combined with `groups`{COUNTS_ROWS}use shares in `parts`, which"
            " whole groups meet nearly.",
            id="groups",
        ),
        pytest.param(
            {"each": 2, "by": sf.margins(["user", "id"])},
            f"`each` cannot be combined with `sf.margins`{COUNTS_ROWS}name the entries in a list,"
            " so that they nest.",
            id="margins",
        ),
        pytest.param(
            {"each": 2, "by": ["user", sf.total("id")]},
            f"`each` cannot be combined with `sf.total`{COUNTS_ROWS}use shares in `parts`.",
            id="total",
        ),
        pytest.param(
            {"each": 2, "deal": "circular"},
            f'`each` cannot be combined with `deal="circular"`{COUNTS_ROWS}leave out `deal`, or use'
            ' "contiguous".',
            id="circular",
        ),
        pytest.param(
            {"each": 2, "deal": "hash", "key": "id", "by": None},
            f'`each` cannot be combined with `deal="hash"`{COUNTS_ROWS}leave out `deal`, or use'
            ' "contiguous".',
            id="hash",
        ),
        pytest.param(
            {"each": 2, "rare": "pool"},
            f"`each` cannot be combined with `rare='pool'`{COUNTS_ROWS}strata that are too small"
            " stay whole in the part that is None.",
            id="pool",
        ),
        pytest.param(
            {"each": 2, "by": ["user", "half"]}, HOLDS_FRACTIONS, id="column_with_fractions"
        ),
    ],
)
def test_faults_of_split(arguments: dict[str, Any], message: str) -> None:
    """Each rule has its message."""
    frame = pl.DataFrame(LOG).with_columns(half=pl.col("id") / 2)

    refuse_now(message, lambda: sf.split(frame, **({"by": "user"} | arguments)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            {"each": 2, "n": 3},
            "Exactly one of `n`, `frac` and `each` must be given, got n=3, frac=None, each=2.",
            id="two_sizes",
        ),
        pytest.param(
            {"each": 2, "allocation": "equal"},
            "`each` cannot be combined with `allocation='equal'`: it is the number of rows of every"
            " stratum.",
            id="allocation",
        ),
        pytest.param({"each": 0}, "`each` must be at least 1, got 0.", id="none_of_each"),
        pytest.param({"each": 2, "by": "half"}, HOLDS_FRACTIONS, id="column_with_fractions"),
    ],
)
def test_faults_of_sample(arguments: dict[str, Any], message: str) -> None:
    """Each rule has its message."""
    frame = pl.DataFrame(LOG).with_columns(half=pl.col("id") / 2)

    refuse_now(message, lambda: sf.sample(frame, **({"by": "user"} | arguments)))


def test_parts_and_each_of_plan() -> None:
    """`plan` takes one of them, as `split` does."""
    with pytest.raises(sf.StratError, match=r"^`each` goes in place of `parts`, got both\.$"):
        sf.plan(pl.DataFrame(LOG), "user", parts=0.2, each=1)
