"""Copies are found although one column differs in them."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import stratframe as sf
from stratframe.frames import compared_column, duplicates
from tests.helpers import TWO_KINDS, Make, columns_of, make
from tests.judging.conftest import findings_on

N_ROWS = 600
N_COPIES = 60


def people(n: int = N_ROWS, seed: int = 0) -> pd.DataFrame:
    """Draw rows of which hardly any are equal."""
    drawn = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "city": drawn.integers(0, 200, n),
            "age": drawn.integers(18, 90, n),
            "weight": drawn.normal(70, 12, n).round(1),
            "height": drawn.normal(170, 9, n).round(),
            "label": drawn.choice(["no", "yes"], n),
        }
    )


def copy_rows(rows: pd.DataFrame, n_copies: int = N_COPIES) -> tuple[pd.DataFrame, Any]:
    """Put copies of the first rows into the next folds; also flag the copies."""
    drawn = np.random.default_rng(1)
    folds = drawn.integers(0, 5, len(rows))
    dealt = rows.assign(fold=folds)
    copies = dealt.head(n_copies).assign(fold=(folds[:n_copies] + 1) % 5)
    both = pd.concat([dealt, copies], ignore_index=True)
    is_copy = np.arange(len(both)) >= len(rows)
    order = drawn.permutation(len(both))
    return both.iloc[order].reset_index(drop=True), is_copy[order]


def findings_of(
    rows: pd.DataFrame, by: Any = "label", kind: str = "polars"
) -> list[tuple[str, int, str]]:
    """List the severity, the number and the text of the findings on equal rows."""
    made = make(kind, {name: rows[name].tolist() for name in rows})
    return findings_on(sf.check(made, by), "duplicates")


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_predictions_hide_no_copies(kind: str) -> None:
    """A column that differs in every row is left out, so that copies of all others are a leak."""
    rows, _ = copy_rows(people())
    rows["oof"] = np.random.default_rng(2).normal(size=len(rows))
    assert findings_of(rows, kind=kind) == [
        (
            "leak",
            120,
            "120 rows (18 %) equal a row of another fold in all but 'oof', which differs in every"
            " row",
        )
    ]


def test_several_predictions_hide_no_copies() -> None:
    """All columns that differ in every row are left out."""
    rows, _ = copy_rows(people())
    rows["a"] = np.random.default_rng(2).normal(size=len(rows))
    rows["b"] = np.random.default_rng(3).normal(size=len(rows))
    ((severity, n_rows, text),) = findings_of(rows)
    assert (severity, n_rows) == ("leak", 120)
    assert text.endswith("in all but 'a', 'b', which differ in every row")


def test_rows_without_copies_beside_predictions() -> None:
    """Rows that differ in the other columns, too, are no copies."""
    rows = people().assign(fold=np.arange(N_ROWS) % 5)
    rows["oof"] = np.random.default_rng(2).normal(size=N_ROWS)
    assert findings_of(rows) == [("ok", 0, "duplicates: none, as 'oof' differs in every row")]


def test_few_columns_beside_one_that_differs() -> None:
    """With fewer than three columns beside one that differs in every row, copies cannot be told."""
    rows, _ = copy_rows(people()[["city", "label"]])
    rows["oof"] = np.random.default_rng(2).normal(size=len(rows))
    assert findings_of(rows) == [
        ("note", 0, "duplicates: not judged, as 'oof' differs in every row")
    ]


def test_an_edited_number_hides_no_copies() -> None:
    """Copies of which a number was edited are a leak, which names the column."""
    rows, is_copy = copy_rows(people())
    rows.loc[is_copy, "weight"] += 0.1
    ((severity, n_rows, text),) = findings_of(rows)
    assert (severity, n_rows) == ("leak", 120)
    assert text == (
        "120 rows (18 %) equal a row of another fold in all but 'weight';"
        " `leaks(duplicates=['city', 'age', 'height', 'label'])` lists them"
    )


def test_one_pair_that_is_equal_by_chance_hides_no_copies() -> None:
    """A few rows that are equal by chance do not turn a leak of many edited copies into a note."""
    drawn = np.random.default_rng(0)
    sizes = {"city": 20, "age": 20, "height": 11, "label": 2, "weight": 30}
    rows = pd.DataFrame({name: drawn.integers(0, size, 130) for name, size in sizes.items()})
    rows["weight"] += 0.5
    rows, is_copy = copy_rows(rows, 50)
    edited = np.flatnonzero(is_copy)[1:]
    rows.loc[edited, "weight"] += 1

    ((severity, _, text), *_) = sorted(findings_of(rows, None))

    assert severity == "leak"
    assert "in all but 'weight'" in text


def test_a_flipped_label_hides_no_copies() -> None:
    """Copies with another label are a leak if the call names the label, else a question."""
    rows, is_copy = copy_rows(people())
    rows.loc[is_copy, "label"] = rows.loc[is_copy, "label"].map({"no": "yes", "yes": "no"})
    named = [each[:2] for each in findings_of(rows)]
    unnamed = [each[:2] for each in findings_of(rows, None)]
    assert named == [("leak", 120)]
    assert unnamed == [("note", 120)]


def test_measurements_of_patients_are_no_copies() -> None:
    """Rows of a patient that differ in the measured value alone are not told as copies."""
    drawn = np.random.default_rng(0)
    visits = drawn.integers(1, 8, 150)
    patient = np.repeat(np.arange(150), visits)
    n = len(patient)
    rows = pd.DataFrame(
        {
            "nr": patient,
            "sex": patient % 2,
            "arm": patient // 2 % 3,
            "born": 1940 + patient % 50,
            "value": drawn.normal(120, 15, n).round(1),
            "fold": drawn.permutation(n) % 5,
        }
    )
    for value in (rows["value"], drawn.normal(size=n)):
        found = findings_of(rows.assign(value=value), None)
        assert "leak" not in {severity for severity, _, _ in found}
        assert "in all but" not in "".join(text for _, _, text in found)


def test_a_column_that_repeats_the_folds_hides_no_copies(frame: Make) -> None:
    """A column whose values match the folds one-to-one is left aside, which is said."""
    rows, _ = copy_rows(people())
    rows["site"] = rows["fold"].map(dict(enumerate("abcde")))
    found = columns_of(sf.check(frame({name: rows[name].tolist() for name in rows})).findings)
    assert found["severity"][0] == "leak"
    assert found["detail"][0].startswith("120 rows (18 %) equal a row of another fold")
    assert found["detail"][0].endswith("(without 'site')")
    listed = sf.leaks(frame({name: rows[name].tolist() for name in rows}))
    assert len(columns_of(listed)["row"]) == 120


def test_a_source_beside_copied_texts(frame: Make) -> None:
    """A column of sources, each of which is a part, does not hide that all texts are copied."""
    texts = [f"text {row}" for row in range(300)] * 2
    parts = ["train"] * 300 + ["test"] * 300
    sources = ["a.csv"] * 300 + ["b.csv"] * 300
    found = sf.check(frame({"text": texts, "source": sources, "split": parts}), name="split")
    assert "LEAK     600 rows (100 %) equal a row of another part" in found.text


@pytest.mark.parametrize("hidden", ["oof", "weight"])
def test_samples_of_many_rows_find_copies(hidden: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above some number of rows, samples of hashes show whether to compare all rows."""
    monkeypatch.setattr(compared_column, "SHORT", 1000)
    monkeypatch.setattr(duplicates, "SAMPLED", 500)
    monkeypatch.setattr(duplicates, "HEAD_ROWS", 2000)
    rows = people(4000)
    plain = findings_of(rows.assign(fold=np.arange(4000) % 5))
    rows, is_copy = copy_rows(rows, 400)
    if hidden == "oof":
        rows["oof"] = np.random.default_rng(2).normal(size=len(rows))
    else:
        rows.loc[is_copy, "weight"] += 0.1
    found = findings_of(rows)
    assert [severity for severity, _, _ in plain] == ["ok"]
    assert found[0][0] == "leak"
    assert f"in all but '{hidden}'" in found[0][2]


MEASURED: dict[str, Callable[[pd.Series], pd.Series]] = {
    "floats": lambda numbers: numbers,
    "objects": lambda numbers: numbers.astype(object),
    "decimals": lambda numbers: pd.Series(map(Decimal, map(str, numbers)), dtype=object),
    "arrow": lambda numbers: numbers.astype("double[pyarrow]"),
    "nullable": lambda numbers: numbers.astype("Float64"),
}
"""Columns of fractions in the dtypes that pandas has for them."""


@pytest.mark.parametrize("dtype", MEASURED)
def test_fractions_of_any_dtype_hide_no_copies(dtype: str) -> None:
    """Copies of which a number was edited are a leak, however the number is stored."""
    rows, is_copy = copy_rows(people())
    rows.loc[is_copy, "weight"] += 0.1
    rows["weight"] = MEASURED[dtype](rows["weight"])

    (found,) = findings_on(sf.check(rows, "label"), "duplicates")

    assert found[0] == "leak"
    assert "in all but 'weight'" in found[2]


def test_copies_of_many_rows_are_counted_without_a_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Samples choose what to compare, but the rows that a column hides are counted in all rows."""
    monkeypatch.setattr(compared_column, "SHORT", 1000)
    monkeypatch.setattr(duplicates, "SAMPLED", 500)
    rows, is_copy = copy_rows(people(4000), 400)
    rows.loc[is_copy, "weight"] += 0.1
    columns = ["city", "age", "height", "label"]
    in_all = rows.groupby([*columns, "weight"])["fold"].transform("nunique") > 1
    in_all_but_one = rows.groupby(columns)["fold"].transform("nunique") > 1

    ((_, n_rows, _),) = findings_of(rows)

    assert n_rows == in_all_but_one.sum() - in_all.sum()


def twins(n_values: int, n: int = 1000) -> pd.DataFrame:
    """Draw three columns, and one more beside each that it determines."""
    drawn = np.random.default_rng(0)
    age, school, town = drawn.integers(0, n_values, (3, n))
    return pd.DataFrame(
        {
            "age": age,
            "age_squared": age**2,
            "school": school,
            "school_name": [f"school {code}" for code in school],
            "town": town,
            "region": town // 2,
        }
    )


def test_columns_that_others_determine_say_nothing_of_chance() -> None:
    """Rows are equal by chance if chance explains them without columns that others determine."""
    rows = twins(25).assign(fold=np.arange(1000) % 5)
    ((severity, n_rows, text),) = findings_of(rows, None)
    assert (severity, n_rows) == ("note", 40)
    assert "maybe by chance" in text
    copied, _ = copy_rows(twins(80))
    assert findings_of(copied, None)[0][:2] == ("leak", 126)


@pytest.mark.parametrize("decimals", [2, 15], ids=["hardly_repeats", "differs_in_every_row"])
def test_copies_ask_if_chance_explains_them_in_fewer_columns(decimals: int) -> None:
    """Copies that differ in one column are told, beside columns that others determine, too."""
    rows, _ = copy_rows(twins(40), 120)
    rows["noise"] = np.random.default_rng(2).normal(size=len(rows)).round(decimals)

    found = findings_of(rows, None)

    assert [(severity, n) for severity, n, _ in found if n] == [("note", 254)]
    assert "254 rows (23 %) equal a row of another fold in all but 'noise'" in found[0][2]


def test_rows_that_differ_in_the_year_alone_are_no_copies() -> None:
    """Rows that differ in the label alone are a question if the label makes a key, as years do."""
    drawn = np.random.default_rng(0)
    nr, year = np.divmod(np.arange(1000), 5)
    count = np.where(nr < 30, nr, drawn.integers(0, 5000, 1000))
    rows = pd.DataFrame({"nr": nr, "year": year, "count": count, "state": nr % 20})
    rows = rows.assign(place=nr // 3, fold=drawn.permutation(1000) % 5)
    of_year = [each for each in findings_of(rows, "year") if "in all but" in each[2]]
    assert [(severity, n_rows) for severity, n_rows, _ in of_year] == [("note", 150)]


def test_chance_in_all_columns_is_chance_in_all_but_one() -> None:
    """If chance makes many rows equal in all columns, rows equal in all but one are a note."""
    drawn = np.random.default_rng(0)
    entry = drawn.normal(900, 60, 500).astype(int)
    stay = np.where(drawn.random(500) < 0.4, 137, drawn.integers(0, 137, 500))
    rows = pd.DataFrame({"died": stay < 137, "entry": entry, "exit": entry + stay, "stay": stay})
    rows = rows.assign(sex=drawn.random(500) < 0.8)
    found = findings_of(rows.assign(fold=drawn.permutation(500) % 5), "sex")
    assert {severity for severity, _, _ in found} == {"note"}
