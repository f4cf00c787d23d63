"""What `check` says of ids that no groups name, of groups alone, and of folds that are the same."""

from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import KINDS, Make, columns_of, make, split_groups, values

IDS = (
    "PatientID",
    "userid",
    "geoid",
    "user_ids",
    "Case.ID",
    "MRN",
    "id_patient",
    "subject no",
    "Patient-Nr.",
    "household_key",
    "schoolid2",
    ("visit", "patient_id"),
    ("id", ""),
)
OTHERS = (
    "bid",
    "BidPrice",
    "total_unpaid",
    "COVID-19",
    "acids",
    "thyroid",
    "species_id",
    "fold_id",
    "idx",
    "user_age",
    "",
    3,
    ("id", "price"),
    (pd.NA, "price"),
    None,
)


@pytest.mark.parametrize("name", [*IDS, *OTHERS], ids=repr)
def test_names_of_ids(name: Any) -> None:
    """The last word of a name is an id, or the whole name an entity, in any spelling."""
    rows = pd.DataFrame({name: [f"p{row // 2}" for row in range(80)], "fold": [0, 1] * 40})
    is_told = bool(told(sf.check(rows, duplicates=None), say="groups="))
    assert is_told is any(name is each for each in IDS)


numbers = st.lists(st.integers(0, 24) | st.none(), min_size=70, max_size=70)
folds = st.lists(st.sampled_from([0, 0, 0, 1, 2, None]), min_size=70, max_size=70)
kinds = st.sampled_from(KINDS)
cells = st.sampled_from([0, 1, 2, None])
rows_of_six = st.lists(st.tuples(*[cells] * 6), min_size=2, max_size=12)
words = st.sampled_from(["a", "identifier_of_the_ward_or_the_device_"])
ways = st.sampled_from(["same", "text", "other", "shifted", "filled"])


def told(found: sf.Check, *, say: str = "") -> list[tuple[Any, ...]]:
    """List the findings that say so: severity, check, number and all that they say."""
    table = columns_of(found.findings)
    rows = zip(*(table[name] for name in ("severity", "check", "n", "detail")), strict=True)
    return [row for row in rows if say in row[-1]]


@given(kinds, numbers, numbers, folds, st.sampled_from([1, 0.5]), st.sampled_from(["auto", None]))
def test_ids_are_counted_as_in_a_loop(kind, one, two, fold, times, duplicates):
    """The first two ids that are split are told, as a loop counts them."""
    data: dict[str, list[Any]] = {
        "name": [each and f"u{each}" for each in two],
        "MRN": one,
        "patient_id": [each and f"u{each}" for each in one],
        "dose_id": [None if each is None else each * times for each in two],
        "row_id": [*range(70)],
        "pair_id": [row // 2 for row in range(70)],
    }
    expected = []
    patterns = []
    for name in list(data)[1:]:
        column = data[name]
        present = [each for each in column if each is not None]
        pattern = [each and column.index(each) for each in column]
        has_fractions = any(each % 1 for each in present if not isinstance(each, str))
        is_repeated = len({*present}) >= 20 and len(present) >= 1.5 * len({*present})
        if is_repeated and pattern not in patterns and not has_fractions:
            patterns.append(pattern)
            split = split_groups(column, fold) - {None}
            n = len({x for x, f in zip(column, fold, strict=True) if None not in (x, f)})
            are = "is" if len(split) == 1 else "are"
            detail = (
                f"{name!r}: {len(split)} of {n} {are} in several folds; if their rows belong"
                f" together, pass groups={name!r}"
            )
            expected += [("note", "groups", len(split), detail)] if split else []
    found = sf.check(make(kind, {**data, "fold": fold}), duplicates=duplicates)
    assert told(found, say="groups=") == expected[:2]


VISITS: dict[str, Any] = {
    "patient_id": [row // 2 for row in range(80)],
    "visit": [0, 1] * 40,
    "x": [row + 0.5 for row in range(80)],
    "fold": [0, 1] * 40,
}


@pytest.mark.parametrize("argument", ["by", "groups", "key", "name"])
def test_ids_that_are_named_are_not_told(frame: Make, argument: str) -> None:
    """An id that the call names is not told, unless it is one column of a key."""
    line = "'patient_id': 40 of 40 are in several folds; groups='patient_id'?"
    assert f"  note     {line}\n" in str(sf.check(frame(VISITS), key=["patient_id", "visit"]))
    named: Any = {argument: "visit" if argument == "groups" else "patient_id"}
    assert not told(sf.check(frame(VISITS), **named), say="groups=")


def test_no_rows_have_no_ids(frame: Make) -> None:
    """A column of ids without rows is not told."""
    assert not told(sf.check(frame({"id": [], "fold": []})), say="groups")


@pytest.mark.parametrize(
    "column",
    [
        pytest.param({"ids": [[row] for row in range(80)]}, id="lists"),
        pytest.param({"subject": [f"Re: {'x' * (row // 2)}" for row in range(80)]}, id="mails"),
    ],
)
def test_columns_that_cannot_be_ids(frame: Make, column: dict[str, Any]) -> None:
    """Columns of lists and of long texts are no ids."""
    found = sf.check(frame({**column, "x": VISITS["x"], "fold": VISITS["fold"]}))

    assert found.ok
    assert not told(found, say="groups")


def test_codes_of_subjects_are_ids(frame: Make) -> None:
    """A column called subject is one of ids if it holds codes."""
    codes = {"subject": [f"s{row // 2}" for row in range(80)]}

    found = sf.check(frame({**codes, "x": VISITS["x"], "fold": VISITS["fold"]}))

    assert len(told(found, say="'subject': 40 of 40")) == 1


def test_ids_whose_name_occurs_twice() -> None:
    """An id whose name occurs twice is left aside, as no argument could name it."""
    twice = pd.DataFrame(VISITS)[["patient_id", "patient_id", "x", "fold"]]
    assert not told(sf.check(twice), say="groups=")


def test_ids_of_several_levels() -> None:
    """An id of several levels is written as `groups` accepts it."""
    data = pd.DataFrame(VISITS)
    levels = [("a", each) for each in data.columns[:3]]
    data.columns = pd.MultiIndex.from_tuples([*levels, ("fold", "")])

    assert told(sf.check(data), say="('a', 'patient_id'): 40 of 40")
    assert "40 of 40 groups are" in str(sf.check(data, groups=("a", "patient_id")))


def test_a_query_runs_once() -> None:
    """A lazy frame is collected once, ids and all."""
    runs: list[int] = []

    def count(frame: pl.DataFrame) -> pl.DataFrame:
        runs.append(1)
        return frame

    for duplicates in ("auto", None):
        runs.clear()
        found = sf.check(pl.LazyFrame(VISITS).map_batches(count), duplicates=duplicates)
        assert told(found, say="groups='patient_id'")
        assert runs == [1]


@given(kinds, rows_of_six, st.integers(2, 5), words)
def test_groups_alone_are_told_in_one_line(kind: str, rows: Any, n: int, word: str) -> None:
    """One note lists the columns of groups whose own values are split."""
    *columns, fold = map(list, zip(*rows, strict=True))
    fold = [each or 0 for each in fold]
    data = {f"{word}{place}": column for place, column in enumerate(columns[:n])}
    counts = []
    total = 0
    for name, column in data.items():
        split = split_groups(column, fold) - {None}
        total += len(split)
        counts += [(name, len(split), len({*column} - {None}))] if split else []
    found = sf.check(make(kind, {**data, "fold": fold}), groups=[*data], duplicates=None)
    alone = [row for row in told(found) if " alone: " in row[-1]]
    lines = [line for line in str(found).splitlines() if " alone: " in line]
    if not counts:
        assert alone == lines == []
        return
    (first, number, of), *others = counts
    text = f"{first!r} alone: {number} of {of} {'is' if number == 1 else 'are'} in several folds"
    text += "".join(f"; {name!r} {number} of {of}" for name, number, of in others)
    assert alone == [("note", "groups", total, text)]
    assert len(lines) == 1
    assert len(lines[0]) <= 80
    assert lines[0].count("'") <= 6
    hidden = len(counts) - lines[0].count("'") // 2
    end = f"; {hidden} more" if hidden else f" of {counts[-1][-1]}"
    assert lines[0].endswith(end) or not others


def is_relabelled(folds: list[Any], others: list[Any]) -> bool:
    """Return whether each label of one column stands for one label of the other."""
    pairs = {*zip(folds, others, strict=True)}
    is_one_to_one = len(pairs) == len({*folds}) == len({*others})
    return is_one_to_one and all((fold is None) == (other is None) for fold, other in pairs)


@given(kinds, st.lists(cells, min_size=2, max_size=12), st.lists(ways, max_size=3))
def test_folds_that_are_the_same(kind: str, fold: list[Any], ways: list[str]) -> None:
    """Columns that part the rows alike, whatever their labels, are told, the later with the first.

    A row without a fold in one column must have none in the other.
    """
    made = {
        "same": fold,
        "other": [*fold[:-1], 3],
        "filled": [each or 0 for each in fold],
        "text": [None if each is None else str(each) for each in fold],
        "shifted": [None if each is None else each + 1 for each in fold],
    }
    columns = {"first": fold, **{f"{way}{i}": made[way] for i, way in enumerate(ways)}}
    names = list(columns)
    expected = []
    for place, name in enumerate(names):
        before = [each for each in names[:place] if is_relabelled(columns[each], columns[name])]
        if before and any(each is not None for each in fold):
            expected.append((name, f"{before[0]!r} and {name!r} are the same"))
    table = columns_of(sf.check(make(kind, columns), name=names, duplicates=None).findings)
    rows = zip(table["name"], table["severity"], table["detail"], strict=True)
    same = [(name, severity, text) for name, severity, text in rows if text.endswith("the same")]
    assert sorted(same) == sorted((name, "warning", text) for name, text in expected)


def test_categories_without_rows_do_not_tell_folds_apart() -> None:
    """Columns of the same folds are the same whatever other categories they may hold."""
    fold = ["a", "b"] * 4
    wide = pl.Series(fold, dtype=pl.Enum(["0", "a", "b"]))
    twice = pl.DataFrame({"one": pl.Series(fold, dtype=pl.Enum(["a", "b"])), "two": wide})
    assert "'one' and 'two' are the same" in str(sf.check(twice, name=["one", "two"]))


NAMES = {
    "שם": "שם is fit",
    " ok": "' ok' is fit",
    "a\n  LEAK": r"'a\n  LEAK' is fit",
    "\u202eb": r"'\u202eb' is fit",
}


@pytest.mark.parametrize("name", NAMES)
def test_names_that_would_spoil_the_text(frame: Make, name: str) -> None:
    """Names with blanks at an end, or that cannot be printed, are written as in code."""
    found = sf.check(frame({name: [0, 1] * 4, "x": [row + 0.5 for row in range(8)]}), name=name)
    assert str(found).startswith(NAMES[name])
    assert len(str(found).splitlines()) == len(values(found.findings, "n")) + 1
    assert found._repr_html_().count("<b ") == len(values(found.findings, "n"))
    assert values(found.findings, "name")[0] == name
