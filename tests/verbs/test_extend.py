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
from tests.helpers import (
    KINDS,
    TWO_KINDS,
    Make,
    at_fault,
    eager,
    evaluate,
    make,
    refuse,
    refuse_now,
    split_groups,
    spread,
    values,
)


def drawn(n: int, seed: int) -> dict[str, list[Any]]:
    """Rows of a label, a site, a patient and a price."""
    found = np.random.default_rng(seed)
    return {
        "label": found.choice(list("aabbbc"), n).tolist(),
        "site": found.integers(0, 3, n).tolist(),
        "patient": found.integers(0, 40, n).tolist(),
        "price": found.normal(size=n).round(3).tolist(),
    }


def appended(
    old: dict[str, list[Any]], folds: list[Any], new: dict[str, list[Any]]
) -> dict[str, list[Any]]:
    """Old rows with their folds, and new rows without."""
    rows = {name: old[name] + new[name] for name in old}
    return {**rows, "fold": [*folds, *[None] * len(new["label"])]}


@pytest.mark.parametrize("kind", TWO_KINDS)
@given(
    n=st.integers(5, 40), more=st.integers(0, 30), k=st.integers(2, 5), seed=st.integers(0, 2**32)
)
def test_old_rows_keep_their_folds(kind: str, n: int, more: int, k: int, seed: int) -> None:
    """Rows that have a fold keep it; every other gets one of 0..k-1, evenly in each stratum."""
    old, new = drawn(n, 1), drawn(more, 2)
    by = ["label", "site"]
    folds = values(sf.kfold(make(kind, old), by, k, rare="ignore"), "fold")
    out = sf.extend(make(kind, appended(old, folds, new)), by, k, rare="ignore", seed=seed)
    found = values(out, "fold")
    assert found[:n] == folds
    assert set(found) <= set(range(k))
    joint = [
        f"{label}{site}"
        for label, site in zip(old["label"] + new["label"], old["site"] + new["site"], strict=True)
    ]
    assert spread(joint, found, k) <= 1


def test_appends_stay_even(frame: Make) -> None:
    """Where no row has a fold all are dealt; five appends then leave all strata within 1."""
    data = drawn(200, 0)
    folds = values(sf.extend(frame({**data, "fold": [None] * 200}), "label", 5), "fold")
    for step in range(5):
        new = drawn(len(folds) // 10, 10 + step)
        rows = appended(data, folds, new)
        found = values(sf.extend(frame(rows), "label"), "fold")
        assert found[: len(folds)] == folds
        data = {name: rows[name] for name in data}
        folds = found
        assert spread(data["label"], folds, 5) <= 1
        assert spread([0] * len(folds), folds, 5) <= 1


def test_the_same_on_every_frame() -> None:
    """The same rows get the same folds on all kinds of frame, whatever the strata."""
    old, new = drawn(90, 3), drawn(40, 4)
    folds = values(sf.kfold(make("polars", old), "label", 4), "fold")
    rows = appended(old, folds, new)
    entries: list[Any] = [
        None,
        "label",
        ["label", sf.quantiles("price", 3)],
        ["label", "price"],
        ["label", sf.clusters(["price"], 2)],
        sf.margins(["label", "site"]),
    ]
    for by in entries:
        found = {tuple(values(sf.extend(make(kind, rows), by), "fold")) for kind in KINDS}
        assert len(found) == 1
        assert list(found.pop()[:90]) == folds


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


def test_lopsided_folds_are_filled_up(frame: Make) -> None:
    """Where old folds are uneven, the emptiest are filled first."""
    data = {"label": ["a"] * 12, "fold": [0] * 5 + [1] + [None] * 6}
    found = values(sf.extend(frame(data), "label", 3), "fold")
    assert Counter(found) == {0: 5, 1: 4, 2: 3} or Counter(found) == {0: 5, 1: 3, 2: 4}


def test_seeds_choose_among_equals(frame: Make) -> None:
    """Seeds give other folds to new rows, and the same seed the same."""
    old, new = drawn(60, 9), drawn(60, 10)
    folds = values(sf.kfold(frame(old), "label", 3), "fold")
    rows = appended(old, folds, new)
    found = [tuple(values(sf.extend(frame(rows), "label", seed=s), "fold")) for s in (0, 1, 0)]
    assert found[0] == found[2] != found[1]


def test_a_key_frees_new_folds_from_row_order(frame: Make) -> None:
    """With a key a permuted frame is filled with the permuted folds."""
    old, new = drawn(60, 9), drawn(40, 10)
    folds = values(sf.kfold(frame(old), "label", 3), "fold")
    rows = {**appended(old, folds, new), "id": list(range(100))}
    order = np.random.default_rng(0).permutation(100).tolist()
    turned = {name: [column[row] for row in order] for name, column in rows.items()}
    here, there = (
        values(sf.extend(frame(each), "label", key="id"), "fold") for each in (rows, turned)
    )
    assert there == [here[row] for row in order]


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


def test_missing_strata(frame: Make) -> None:
    """With `missing="null"` new rows without a stratum stay null, and old ones keep their fold."""
    data = {"label": ["a", None, "a", None, "a", "a"], "fold": [0, 1, 1, None, None, None]}
    found = values(sf.extend(frame(data), "label", 2, missing="null", rare="ignore"), "fold")
    assert found[:4] == [0, 1, 1, None]
    assert sorted(found[4:]) == [0, 1]


# Groups -----------------------------------------------------------------------------------


def test_members_join_their_group(frame: Make) -> None:
    """New rows of a known group join it; new groups are placed whole; nobody moves."""
    old, new = drawn(150, 11), drawn(60, 12)
    new["patient"] = [patient + 15 for patient in new["patient"]]
    folds = values(sf.kfold(frame(old), "label", 4, groups="patient"), "fold")
    rows = appended(old, folds, new)
    found = values(sf.extend(frame(rows), "label", groups="patient"), "fold")
    assert found[:150] == folds
    assert not split_groups(rows["patient"], found)
    sizes = Counter(found)
    assert max(sizes.values()) - min(sizes.values()) <= 20


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
    refuse(
        "`extend` needs each group in one fold, but 1 group in 3 rows (4, 5, 8) is in several: for"
        " instance 2 in folds 0, 1.\n"
        "Hint: make the column with groups, as in `df.strat.kfold(..., groups='g')`.",
        lambda: sf.extend(frame(data), "y", 2, groups="g", **arguments),
    )


def test_few_new_groups_find_their_best(frame: Make) -> None:
    """Where few groups are new, the most even of all ways is found."""
    data = {
        "y": [0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1],
        "g": [6, 5, 3, 8, 3, 3, 3, 8, 8, 8, 5, 6, 3, 0, 5],
        "fold": [*[None] * 13, 1, None],
    }
    found = values(sf.extend(frame(data), "y", 3, groups="g"), "fold")
    held = Counter(zip(data["y"], found, strict=True))
    assert [[held[y, fold] for fold in range(3)] for y in (0, 1)] == [[3, 3, 3], [2, 2, 2]]


@pytest.mark.parametrize("seed", range(5))
def test_new_groups_balance_the_strata(frame: Make, seed: int) -> None:
    """Groups of one class each are shared out class by class, and not by their sizes alone."""
    data = {
        "y": [*"ab" * 2, *"aaaaaaaabbbbbbbb"],
        "g": [0, 0, 1, 1, *[2 + row // 2 for row in range(16)]],
        "fold": [0, 0, 1, 1, *[None] * 16],
    }
    found = values(sf.extend(frame(data), "y", 2, groups="g", seed=seed), "fold")
    assert set(Counter(zip(data["y"], found, strict=True)).values()) == {5}


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


def test_groups_that_are_split_already(frame: Make, kind: str) -> None:
    """A group that is in two folds is refused, with the rows."""
    data = {"patient": [1, 2, 1, 3, 3], "label": list("ababa"), "fold": [0, 1, 1, 1, None]}
    error = refuse(
        "`extend` needs each group in one fold, but 1 group in 2 rows (0, 2) is in several: for"
        " instance 1 in folds 0, 1.\n"
        "Hint: make the column with groups, as in `df.strat.kfold(..., groups='patient')`.",
        lambda: sf.extend(frame(data), "label", groups="patient", rare="ignore"),
    )
    assert at_fault(error, kind) == {"row": [0, 2], "patient": [1, 1], "fold": [0, 1]}


def test_parts_that_split_groups(frame: Make) -> None:
    """Groups of two columns, and parts, are named as they are."""
    data = {"a": [1, 1, 2, 2, 3], "b": list("xxyyz"), "split": ["u", "v", "v", "u", None]}
    refuse(
        "`extend` needs each group in one part, but 2 groups in 4 rows (0, 1, 2, 3) are in several:"
        " for instance 1, 'x' in parts 'u', 'v'.\n"
        "Hint: make the column with groups, as in `df.strat.split(..., groups=['a', 'b'])`.",
        lambda: sf.extend(
            frame(data), None, parts={"u": 0.5, "v": 0.5}, groups=["a", "b"], name="split"
        ),
    )


def test_clusters_that_are_split_already() -> None:
    """Clusters have no values to name."""
    data = {"x": [0.0, 0.1, 9.0, 9.1, 9.2], "fold": [0, 1, 1, 1, None]}
    refuse(
        "`extend` needs each group in one fold, but 1 group in 2 rows (0, 1) is in several: for"
        " instance folds 0, 1.\n"
        "Hint: make the column with groups, as in"
        " `df.strat.kfold(..., groups=sf.clusters(...))`.",
        lambda: sf.extend(pd.DataFrame(data), None, groups=sf.clusters("x", n=2)),
    )


def test_by_is_asked_for() -> None:
    """To leave `by` out would make new rows uneven in silence, so that it must be given."""
    with pytest.raises(TypeError, match="by"):
        sf.extend(pd.DataFrame({"fold": [0, 1, None]}))  # type: ignore[call-arg]


# Bad input --------------------------------------------------------------------------------


SAY = "\nHint: say how many there are, as in `k=5`."
WRONG: dict[str, tuple[str, list[int]]] = {
    "[0, 1, 2.5, None], None": ("k-1 in 'fold', but there are others in 1 row (2).", [2]),
    "[0, -1, 1, None], 2": ("1 in 'fold', but there are others in 1 row (1).", [1]),
    "[0, 2, inf, 1], 3": ("2 in 'fold', but there are others in 1 row (2).", [2]),
    "[0, 3, 1, 7], 3": ("2 in 'fold', but there are others in 2 rows (1, 3).", [1, 3]),
    "[0, 3, None], None": (f"k-1 in 'fold', but found 0, 3.{SAY}", []),
    "[None] * 3, None": (f"k-1 in 'fold', but found none.{SAY}", []),
    "[0, 0, None], None": (f"k-1 in 'fold', but found 0.{SAY}", []),
    "[0, 1e13, None], None": (f"k-1 in 'fold', but found 0, 10000000000000.{SAY}", []),
}


@pytest.mark.parametrize("given", WRONG)
def test_columns_that_hold_other_numbers(frame: Make, kind: str, given: str) -> None:
    """Other numbers are refused, with the rows, and so are gaps; huge numbers cost nothing."""
    (folds, k), (fault, rows) = evaluate(given), WRONG[given]
    df = frame({"label": ["a"] * len(folds), "fold": folds})
    call = f"`extend` needs folds 0..{fault}"
    error = refuse(call, lambda: sf.extend(df, "label", k, rare="ignore"))
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 1}, "`k` must be at least 2, got 1."),
        (
            {"name": "folds"},
            "`name` names the column 'folds', which the frame does not have.\n"
            "Hint: did you mean 'fold'? If not, add it first, as in"
            " `df.strat.kfold(..., name='folds')` or `split`.",
        ),
        ({"by": sf.chain("price")}, "`extend` does not support `sf.chain` in `by`."),
        ({"by": sf.nearest("price")}, "`extend` does not support `sf.nearest` in `by`."),
    ],
)
def test_arguments_of_extend(arguments: dict[str, Any], message: str) -> None:
    """A wrong argument is refused at the call."""
    data = {**drawn(6, 0), "fold": [0, 1, 0, 1, None, None]}
    refuse_now(message, lambda: sf.extend(pd.DataFrame(data), **{"by": None, **arguments}))


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
