"""`extend`: new rows get a fold, old rows keep theirs."""

import datetime as dt
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import Make, at_fault, eager, evaluate, refuse, values


def drawn(n: int, seed: int) -> dict[str, list[Any]]:
    """Rows of a label, a site, a patient and a price."""
    found = np.random.default_rng(seed)
    return {
        "label": found.choice(list("aabbbc"), n).tolist(),
        "site": found.integers(0, 3, n).tolist(),
        "patient": found.integers(0, 40, n).tolist(),
        "price": found.normal(size=n).round(3).tolist(),
    }


def test_floats_of_concat() -> None:
    """The float64 column that `pd.concat` makes is taken, and becomes int64 at its place."""
    old = pd.DataFrame(drawn(60, 5)).strat.kfold("label", k=3)
    joined = pd.concat([old, pd.DataFrame(drawn(30, 6))])
    joined["last"] = 1
    assert joined["fold"].dtype == np.float64
    out = joined.strat.extend("label")
    assert out["fold"].dtype == np.int64
    assert list(out.columns) == list(joined.columns)
    assert out.index.equals(joined.index)
    assert joined["fold"].isna().sum() == 30


@pytest.mark.parametrize(
    "options",
    [{"k": 4}, {"parts": {"a": 0.5, "b": 0.3, "c": 0.2}}, {"by": ["x", "y"], "k": 5}],
    ids=str,
)
@given(seed=st.integers(0, 2**32))
def test_strata_take_turns_by_their_keys(options: dict[str, Any], seed: int) -> None:
    """With a key many small strata share left-over rows alike, whichever comes first."""
    drawn = np.random.default_rng(seed)
    rows = pl.DataFrame(
        {"x": drawn.integers(0, 12, 60), "y": drawn.integers(0, 3, 60), "id": range(60)}
    )
    known = (
        sf.split(rows, None, options["parts"], name="to")
        if "parts" in options
        else (sf.kfold(rows, None, options["k"], name="to"))
    )
    given_rows = known.with_columns(to=pl.when(pl.col("id") % 3 > 0).then("to"))
    call = {"by": "x", "key": "id", "name": "to", "rare": "ignore", "seed": seed, **options}
    turned = given_rows.sample(fraction=1, shuffle=True, seed=seed)
    here, there = (sf.extend(each, **call) for each in (given_rows, turned))
    assert there.sort("id").equals(here)


# Groups -----------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [{"rare": "null"}, {"missing": "null", "rare": "ignore"}])
def test_groups_are_known_by_rows_that_are_not_dealt(frame: Make, arguments: Any) -> None:
    """A group is where its rows are, those without a stratum too."""
    odd = "z" if arguments["rare"] == "null" else None
    data = {
        "y": [*["a"] * 8, odd, "a"],
        "g": [0, 0, 1, 1, 2, 2, 3, 3, 4, 4],
        "fold": [0, 0, 1, 1, 0, 0, 1, 1, 1, None],
    }
    for seed in range(4):
        out = sf.extend(frame(data), "y", 2, groups="g", seed=seed, **arguments)
        assert values(out, "fold")[8:] == [1, 1]
    data["g"] = [0, 0, 1, 1, 2, 2, 3, 3, 2, 4]
    with pytest.raises(sf.StratError, match=r"1 group in 3 rows \(4, 5, 8\) is in several"):
        eager(sf.extend(frame(data), "y", 2, groups="g", **arguments))


def test_sizes_of_margins_stay_within_one(frame: Make) -> None:
    """Margins are extended with even sizes."""
    for seed in range(8):
        drawn_now = np.random.default_rng(seed)
        data = {name: drawn_now.integers(0, m, 60).tolist() for name, m in (("y", 4), ("z", 2))}
        by = sf.margins(["y", "z"])
        first = {name: column[:50] for name, column in data.items()}
        folds = values(sf.kfold(frame(first), by, 4), "fold")
        found = values(sf.extend(frame({**data, "fold": [*folds, *[None] * 10]}), by), "fold")
        sizes = Counter(found)
        assert found[:50] == folds
        assert max(sizes.values()) - min(sizes.values()) <= 1


SPLIT = {
    "groups='patient'": (
        "group in one fold, but 1 group in 2 rows (0, 2) is in several: for instance 1 in folds"
        " 0, 1.\nHint: make the column with groups, as in `df.strat.kfold(..., groups='patient')`."
    ),
    "groups=['site', 'letter'], parts={'u': 0.5, 'v': 0.5}, name='split'": (
        "group in one part, but 2 groups in 4 rows (0, 1, 2, 3) are in several: for instance 1,"
        " 'x' in parts 'u', 'v'.\nHint: make the column with groups, as in"
        " `df.strat.split(..., groups=['site', 'letter'])`."
    ),
    "groups=sf.clusters('x', n=2)": (
        "group in one fold, but 1 group in 2 rows (0, 1) is in several: for instance folds 0, 1."
        "\nHint: make the column with groups, as in `df.strat.kfold(..., groups=sf.clusters(...))`."
    ),
}
"""Groups of which some are in several folds or parts, and what is said of them."""


@pytest.mark.parametrize("groups", SPLIT)
def test_groups_that_are_split_already(frame: Make, kind: str, groups: str) -> None:
    """A group that is in two folds is refused, with the rows; clusters have no values to name."""
    data = {"patient": [1, 2, 1, 3, 3], "site": [1, 1, 2, 2, 3], "letter": list("xxyyz")}
    data |= {"x": [0.0, 0.1, 9.0, 9.1, 9.2], "fold": [0, 1, 1, 1, None]}
    df, given = frame(data | {"split": ["u", "v", "v", "u", None]}), evaluate(f"dict({groups})")
    error = refuse(f"`extend` needs each {SPLIT[groups]}", lambda: sf.extend(df, None, **given))
    if groups == "groups='patient'":
        assert at_fault(error, kind) == {"row": [0, 2], "patient": [1, 1], "fold": [0, 1]}


def test_by_is_asked_for() -> None:
    """To leave `by` out would make new rows uneven in silence, so that it must be given."""
    with pytest.raises(TypeError, match="by"):
        sf.extend(pd.DataFrame({"fold": [0, 1, None]}))  # type: ignore[call-arg]


# Bad input --------------------------------------------------------------------------------


SAY = "\nHint: say how many there are, as in `k=5`."
FOLDS = "`extend` needs folds 0.."
NEVER_TESTED = (
    "Column 'fold' must hold folds, but has -1, which scikit-learn's `PredefinedSplit` never"
    " tests.\nHint: make it null; `extend` then gives these rows a fold."
)
WRONG: dict[str, tuple[str, list[int]]] = {
    "[0, 1, 2.5, None], None": (f"{FOLDS}k-1 in 'fold', but found 2.5 in 1 row (2).", [2]),
    "[0, 2, inf, 1], 3": (f"{FOLDS}2 in 'fold', but found inf in 1 row (2).", [2]),
    "[0, 3, 1, 7], 3": (f"{FOLDS}2 in 'fold', but found 3, 7 in 2 rows (1, 3).", [1, 3]),
    "[0, -2, 1, -1], 2": (f"{FOLDS}1 in 'fold', but found -2, -1 in 2 rows (1, 3).", [1, 3]),
    "[0, 3, None], None": (f"{FOLDS}k-1 in 'fold', but found 0, 3.{SAY}", []),
    "[None] * 3, None": (f"{FOLDS}k-1 in 'fold', but found none.{SAY}", []),
    "[0, 0, None], None": (f"{FOLDS}k-1 in 'fold', but found 0.{SAY}", []),
    "[0, 1e13, None], None": (f"{FOLDS}k-1 in 'fold', but found 0, 10000000000000.{SAY}", []),
    "[0, -1, 1, None], 2": (NEVER_TESTED, [1]),
    "[0, -1, 1, -1], None": (NEVER_TESTED, [1, 3]),
    "['0', '-1', '1', None], None": (NEVER_TESTED, [1]),
}


@pytest.mark.parametrize("given", WRONG)
def test_columns_that_hold_other_numbers(frame: Make, kind: str, given: str) -> None:
    """Other numbers are refused, with the rows, and so are gaps; huge numbers cost nothing."""
    (folds, k), (fault, rows) = evaluate(given), WRONG[given]
    df = frame({"label": ["a"] * len(folds), "fold": folds})
    error = refuse(fault, lambda: sf.extend(df, "label", k, rare="ignore"))
    assert error.failures is None if not rows else at_fault(error, kind)["row"] == rows


def test_text_and_dates_are_no_folds(frame: Make) -> None:
    """Text is refused, and may be parts; dates are refused."""
    text = frame({"label": list("aba"), "fold": ["x", "y", None]})
    refuse(
        f"`extend` needs folds 0..k-1 in 'fold', but it is {eager(text)['fold'].dtype}."
        '\nHint: if it holds parts, give their shares, as in `parts={"train": 0.8, ...}`.',
        lambda: sf.extend(text, "label", 2),
    )
    dates = frame({"y": [1] * 3, "fold": [dt.datetime(2020, 1, 1)] * 3})
    refuse(
        f"`extend` needs folds 0..k-1 in 'fold', but it is {eager(dates)['fold'].dtype}.",
        lambda: sf.extend(dates, "y"),
    )


def test_lazy_reads_no_data() -> None:
    """A lazy frame stays lazy, and its fold column becomes Int64."""
    data = pl.LazyFrame({"label": list("abab"), "fold": [0.0, 1.0, None, None]})
    out = sf.extend(data, "label", rare="ignore")
    assert out.collect_schema()["fold"] == pl.Int64
    assert sorted(out.collect()["fold"].to_list()) == [0, 0, 1, 1]


class Whole:
    """An algorithm whose clusters are the values, if it is given all seven rows."""

    def fit_predict(self, features: np.ndarray) -> np.ndarray:
        """Give each row its cluster."""
        return features[:, 0].astype(int) if len(features) == 7 else np.arange(len(features)) % 2


def test_clusters_as_groups_are_those_of_all_rows(frame: Make) -> None:
    """Clusters are found on all rows, so that rows which are not dealt change no old fold."""
    rows = {
        "label": ["a", "b", "a", None, "b", "a", "b"],
        "x": [1.0, 2.0, 1.0, 1.0, 2.0, 2.0, 3.0],
        "fold": [0, 1, 0, None, None, None, None],
    }
    groups = sf.clusters(["x"], algorithm=Whole(), scale=None)
    out = sf.extend(frame(rows), "label", groups=groups, missing="null", rare="ignore")
    assert values(out, "fold")[:6] == [0, 1, 0, None, 1, 1]


def test_names_that_look_like_patterns() -> None:
    """A column of Polars may be called as a pattern."""
    frame = pl.DataFrame({"^x$": ["a", "b"] * 10, "fold": [0, 1, None, 1] * 5})
    assert sf.extend(frame, None, k=2)["fold"].null_count() == 0
    assert "duplicates" in sf.check(frame).findings["check"]
