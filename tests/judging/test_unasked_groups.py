"""What `check` says of groups that a call does not name."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import stratframe as sf
from tests.helpers import TWO_KINDS, Make, columns_of
from tests.judging.conftest import findings_on

RNG = np.random.default_rng(0)
PEOPLE = np.repeat(np.arange(100), 4)
FOLDS = RNG.permutation(np.arange(100) % 5)[PEOPLE]
ROWS = RNG.permutation(400)
NUMBERS = RNG.normal(size=400)
SHUFFLED = RNG.permutation(400) % 5
"""Folds that tear people."""


def data_of(folds: Any, **columns: Any) -> dict[str, list[Any]]:
    """Make visits of a hundred people, who have one label each, in no order."""
    data = {
        "nr": [f"p{each}" for each in PEOPLE],
        "x": NUMBERS,
        "label": PEOPLE // 10 % 2,
        **columns,
        "fold": folds,
    }
    return {name: np.asarray(values)[ROWS].tolist() for name, values in data.items()}


def tear(folds: Any, n: int) -> Any:
    """Move the first row of some people to the next fold."""
    moved = folds.copy()
    moved[: 4 * n : 4] = (moved[: 4 * n : 4] + 1) % 5
    return moved


def uneven_folds() -> Any:
    """Deal whole people so that fold 0 has few of one label, as may happen to ten people."""
    of_label = np.flatnonzero(np.arange(100) // 10 % 2)
    others = np.flatnonzero(np.arange(100) // 10 % 2 == 0)
    folds = np.empty(100, dtype=int)
    folds[of_label] = np.repeat(np.arange(5), [5, 12, 11, 11, 11])
    folds[others] = np.repeat(np.arange(5), [15, 8, 9, 9, 9])
    return folds[PEOPLE]


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_folds_of_whole_groups_are_judged_by_groups(frame: Make) -> None:
    """Folds that keep a column whole are judged as if the call named it."""
    rows = frame(data_of(uneven_folds()))
    found = sf.check(rows, "label")
    named = sf.check(rows, "label", groups="nr")
    assert found.ok
    text = "groups: folds keep 'nr' whole (100 values), judged as groups='nr'"
    assert findings_on(found, "groups") == [("ok", 100, text)]
    for check in ("balance", "strata", "sizes"):
        assert findings_on(found, check) == findings_on(named, check)
    assert not sf.check(rows, "label", groups=False).ok
    assert not findings_on(sf.check(rows, "label", groups=False), "groups")


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_rows_without_a_value(frame: Make) -> None:
    """A row without a value of the whole column is a group of its own; over a tenth is too many."""
    data = data_of(FOLDS)
    data["nr"][:30] = [None] * 30
    assert findings_on(sf.check(frame(data), "label"), "groups")[0][0] == "ok"
    data["nr"][:60] = [None] * 60
    assert not findings_on(sf.check(frame(data), "label"), "groups")


@pytest.mark.parametrize("n_torn", [1, 5])
def test_torn_groups_are_a_leak(frame: Make, n_torn: int) -> None:
    """A few people in two folds, and all others in one, are a leak."""
    found = sf.check(frame(data_of(tear(FOLDS, n_torn))), "label")
    is_or_are = "is" if n_torn == 1 else "are"
    text = (
        f"{n_torn} of 100 values of 'nr' {is_or_are} in several folds, all others in one; if"
        " their rows do not belong together, pass groups=False"
    )
    assert not found.ok
    assert findings_on(found, "groups") == [("leak", n_torn, text)]
    assert sf.check(frame(data_of(tear(FOLDS, n_torn))), groups=False).ok


def test_torn_ids_are_told_once(frame: Make) -> None:
    """A torn column whose name suggests ids is not told again as an id."""
    data = data_of(tear(FOLDS, 2))
    found = sf.check(frame({"patient_id": data.pop("nr"), **data}), "label")
    assert [severity for severity, _, _ in findings_on(found, "groups")] == ["leak"]


def test_blocks_that_cut_values_are_asked_about(frame: Make) -> None:
    """Blocks of sorted rows cut values at their borders; with `strict`, that counts as wrong."""
    folds = (np.arange(400) + 2) * 5 // 402
    rows = frame({"nr": PEOPLE.tolist(), "x": NUMBERS.tolist(), "fold": folds.tolist()})
    found = sf.check(rows)
    assert found.ok
    text = "2 of 100 values of 'nr' are cut at borders of folds; if their rows belong together,"
    assert findings_on(found, "groups") == [("note", 2, f"{text} pass groups='nr'")]
    assert "2 of 100 values of 'nr' are cut at borders of folds; groups='nr'?" in found.text
    assert not sf.check(rows, strict=True, duplicates=None).ok
    assert sf.check(rows, strict=True, groups=False, duplicates=None).ok


SITES = np.repeat(np.arange(4), [40, 60, 100, 200])


@pytest.mark.parametrize("kind", TWO_KINDS)
@pytest.mark.parametrize("name", ["fold", "town"])
def test_sites_may_differ_from_each_other(frame: Make, name: str) -> None:
    """Folds that are sites may be uneven, whether or not their name says so."""
    towns = np.array([*"abcd"])[SITES]
    data = data_of(SITES, town=towns)
    shares = [4 if fold == 1 else 2 for fold in data["fold"]]
    data["label"] = [int(row % 5 < share) for row, share in enumerate(shares)]
    found = sf.check(frame(data), "label", name)
    assert found.ok
    assert findings_on(found, "groups") == [("ok", 4, "groups: each fold is one 'town'")]
    assert [severity for severity, _, _ in findings_on(found, "balance")] == ["note"]
    assert not sf.check(frame(data), "label", name, groups=False).ok


def test_features_are_no_sites(frame: Make) -> None:
    """A column that the call names as a feature does not excuse a difference."""
    towns = np.array([*"abcd"])[SITES]
    rows = frame(data_of(SITES, town=towns))
    assert not sf.check(rows, features="town").ok


def test_ids_by_what_they_do(frame: Make) -> None:
    """A column of people whose name is no id's is asked about, unless the call answers."""
    rows = frame(data_of(SHUFFLED, visit=np.tile(np.arange(4), 100)))
    found = sf.check(rows)
    ((severity, _, text),) = findings_on(found, "groups")
    assert severity == "note"
    assert text.endswith("in several folds; if their rows belong together, pass groups='nr'")
    assert not sf.check(rows, strict=True, duplicates=None).ok
    assert sf.check(rows, strict=True, groups=False, duplicates=None).ok


def test_shuffles_keep_nothing_whole(frame: Make) -> None:
    """Random folds of many rows keep no column whole, and nothing is said of groups."""
    n = 40_000
    rng = np.random.default_rng(0)
    data = {
        "few": rng.integers(0, 3, n),
        "some": rng.integers(0, 50, n),
        "many": rng.integers(0, n // 2, n),
        "all": rng.normal(size=n),
        "one": np.zeros(n),
        "fold": rng.permutation(n) % 5,
    }
    found = sf.check(frame({name: values.tolist() for name, values in data.items()}))
    assert not findings_on(found, "groups")


def test_several_fold_columns() -> None:
    """Each fold column is judged by what it keeps whole itself."""
    data = pd.DataFrame(data_of(FOLDS)).assign(fold_2=SHUFFLED)
    table = columns_of(sf.check(data, "label", ["fold", "fold_2"]).findings)
    rows = zip(table["name"], table["check"], table["severity"], strict=True)
    assert [name for name, check, _ in rows if check == "groups"] == ["fold"]
