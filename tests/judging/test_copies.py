"""Copies of rows are never told as chance, and rows of the same unit are never told as copies."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import poisson

import stratframe as sf
from stratframe.judging.copies import FEW_ROWS, find_determined, is_within
from tests.helpers import TWO_KINDS, Make, columns_of, make, values
from tests.judging.conftest import findings_on, lines_of

KINDS = st.sampled_from(["text", "ids", "whole", "measured", "rounded", "classes"])
COLUMNS = st.lists(KINDS, min_size=1, max_size=5)
FRAMES = st.sampled_from(TWO_KINDS)
SEEDS = st.integers(0, 10**6)
ROWS = st.integers(300, 1200)
MOST_EQUAL = 1 / 500
"""The expected share of pairs of equal rows in a frame up to which its copies are never chance."""
MOST_EQUAL_BESIDE_FEW = 1 / 10_000
"""The same share for a frame in which only 2 % of the rows are copied."""


def draw_column(drawn: np.random.Generator, kind: str, n: int) -> Any:
    if kind == "text":
        numbers = drawn.integers(0, drawn.choice([50, 10**5, 10**8]), n)
        return [f"text {number}" for number in numbers]
    if kind == "ids":
        return drawn.permutation(n)
    if kind == "whole":
        return drawn.integers(0, drawn.choice([20, 10**4, 10**6]), n)
    if kind == "measured":
        return drawn.normal(size=n)
    if kind == "rounded":
        return drawn.normal(50, 12, n).round(1)
    n_classes = drawn.integers(1, 9)
    return drawn.choice(n_classes, n, p=drawn.dirichlet([1.0] * n_classes))


def draw_frame(seed: int, kinds: list[str], n: int) -> pd.DataFrame:
    drawn = np.random.default_rng(seed)
    return pd.DataFrame({f"c{i}": draw_column(drawn, kind, n) for i, kind in enumerate(kinds)})


def expect_pairs(frame: pd.DataFrame) -> float:
    """Count the pairs of equal rows that independent columns with these values would give."""
    n = len(frame)
    expected = n * n / 2
    for name in frame:
        sizes = frame[name].value_counts().to_numpy()
        expected *= (sizes * (sizes - 1)).sum() / (n * (n - 1))
    return float(expected)


def copy_all(frame: pd.DataFrame, copies: int) -> pd.DataFrame:
    """Put each copy of a row into a fold of its own."""
    return pd.concat([frame.assign(fold=fold) for fold in range(copies)], ignore_index=True)


def copy_some(frame: pd.DataFrame, share: float, seed: int) -> pd.DataFrame:
    """Deal rows to five folds, and copies of some rows to other folds than the rows."""
    drawn = np.random.default_rng(seed)
    dealt = frame.assign(fold=drawn.permutation(len(frame)) % 5)
    chosen = dealt.sample(round(share * len(frame)), random_state=seed)
    copies = chosen.assign(fold=(chosen["fold"] + drawn.integers(1, 5, len(chosen))) % 5)
    return pd.concat([dealt, copies], ignore_index=True).sample(frac=1, random_state=seed)


def severities(frame: pd.DataFrame, kind: str, names: list[str]) -> set[str]:
    """Judge equal rows in all columns, which the call names or not."""
    made = make(kind, {name: frame[name].tolist() for name in frame})
    judged = set()
    for duplicates in ("auto", names):
        found = sf.check(made, duplicates=duplicates).findings
        of_check = dict(zip(values(found, "check"), values(found, "severity"), strict=True))
        judged.add(of_check["duplicates"])
    return judged


@given(kind=FRAMES, columns=COLUMNS, n=ROWS, seed=SEEDS, copies=st.sampled_from([2, 3, 5]))
def test_copies_of_all_rows_are_leaks(
    kind: str, columns: list[str], n: int, seed: int, copies: int
) -> None:
    """If chance gives few equal rows, a frame that is copied whole into other folds leaks."""
    frame = draw_frame(seed, columns, n)
    assume(expect_pairs(frame) <= n * MOST_EQUAL)
    assert severities(copy_all(frame, copies), kind, list(frame)) == {"leak"}


@given(kind=FRAMES, columns=COLUMNS, n=ROWS, seed=SEEDS)
def test_copies_of_half_the_rows_are_leaks(
    kind: str, columns: list[str], n: int, seed: int
) -> None:
    """If chance gives few equal rows, copies of half of the rows in other folds leak."""
    frame = draw_frame(seed, columns, n)
    assume(expect_pairs(frame) <= n * MOST_EQUAL)
    assert severities(copy_some(frame, 0.5, seed), kind, list(frame)) == {"leak"}


@given(kind=FRAMES, columns=COLUMNS, n=ROWS, seed=SEEDS)
def test_copies_of_few_rows_are_leaks(kind: str, columns: list[str], n: int, seed: int) -> None:
    """If two columns or more give hardly any equal rows by chance, copies of 2 % of rows leak."""
    frame = draw_frame(seed, columns, n)
    assume((frame.nunique() > 1).sum() > 1)
    assume(expect_pairs(frame) <= n * MOST_EQUAL_BESIDE_FEW)
    assert severities(copy_some(frame, 0.02, seed), kind, list(frame)) == {"leak"}


REVIEWS = {"text": [f"review {row}" for row in range(500)], "label": [0, 1] * 250}
"""Texts that all differ, and their labels."""


UNIQUE_VALUES = {
    "text": [f"review {row}" for row in range(500)],
    "measured": np.random.default_rng(0).normal(size=500).tolist(),
    "whole": np.random.default_rng(1).integers(20_000, 90_000, 500).tolist(),
}
"""Values of which almost all differ."""

BESIDE = {
    "label": {"label": [0, 1] * 250},
    "language": {
        "language": np.random.default_rng(2).choice(["de", "en", "fr"], 500).tolist(),
        "label": [0, 1] * 250,
    },
    "age": {
        "age": np.random.default_rng(3).integers(18, 91, 500).tolist(),
        "label": [0, 1] * 250,
    },
}
"""Columns that stand beside them."""


@pytest.mark.parametrize(
    ("unique", "beside", "value", "n_rows"),
    [
        pytest.param("text", "label", None, 10, id="a_few_missing_texts"),
        pytest.param("measured", "label", None, 25, id="missing_numbers"),
        pytest.param("text", "language", "ok", 25, id="short_comments"),
        pytest.param("whole", "age", 0, 150, id="people_without_income"),
    ],
)
def test_copies_beside_a_frequent_value(
    kind: str, unique: str, beside: str, value: Any, n_rows: int
) -> None:
    """Rows that share a frequent value by chance do not hide the copies of all other rows."""
    shown = UNIQUE_VALUES[unique]
    data = pd.DataFrame(BESIDE[beside])
    data[unique] = pd.Series([value] * n_rows + shown[n_rows:])
    data = data.sample(frac=1, random_state=0, ignore_index=True)
    columns = {name: missing_as_none(data[name]) for name in data}
    train = make(kind, columns)
    doubled = make(kind, {name: column * 2 for name, column in columns.items()})
    for duplicates in ("auto", list(columns)):
        options: dict[str, Any] = {"duplicates": duplicates}
        assert sf.check(sf.kfold(train, "label", seed=1), "label", **options).ok
        parted = sf.check({"train": train, "test": train}, "label", **options)
        assert "LEAK     1,000 rows (100 %) equal a row of another part" in parted.text
        assert not sf.check(sf.kfold(doubled, "label", seed=1), "label", **options).ok


def missing_as_none(column: Any) -> list[Any]:
    return [None if pd.isna(value) else value for value in column]


def draw_frequent(seed: int, kind: str, n: int, share: float, n_classes: int) -> pd.DataFrame:
    """Draw a column whose values differ except for a frequent one, and a column of few values."""
    drawn = np.random.default_rng(seed)
    shares = drawn.dirichlet([2.0] * n_classes)
    unique = {
        "text": [f"text {number}" for number in drawn.permutation(n)],
        "measured": drawn.normal(size=n),
        "whole": drawn.integers(0, 10**6, n),
    }
    frequent = {"text": drawn.choice(["ok", None]), "measured": np.nan, "whole": 0}
    column = pd.Series(unique[kind], dtype=object)
    # Fewer than six rows could be copies.
    column[drawn.permutation(n)[: max(6, round(share * n))]] = frequent[kind]
    few = drawn.choice(n_classes, n, p=shares)
    return pd.DataFrame({"unique": column, "few": few})


@given(
    kind=FRAMES,
    unique=st.sampled_from(["text", "measured", "whole"]),
    n=ROWS,
    seed=SEEDS,
    share=st.floats(0.01, 0.4),
    n_classes=st.integers(2, 8),
    copies=st.sampled_from([2, 3]),
)
def test_a_frequent_value_hides_no_copies(
    kind: str, unique: str, n: int, seed: int, share: float, n_classes: int, copies: int
) -> None:
    """However frequent a value is, copies of all rows leak, and rows that are no copies do not."""
    frame = draw_frequent(seed, unique, n, share, n_classes)
    assert severities(copy_all(frame, copies), kind, list(frame)) == {"leak"}
    dealt = frame.assign(fold=np.random.default_rng(seed).permutation(n) % 5)
    assert "leak" not in severities(dealt, kind, list(frame))


@pytest.mark.parametrize("duplicates", ["auto", ["text", "label"]])
def test_missing_values_of_one_class_are_no_copies(frame: Make, duplicates: Any) -> None:
    """Rows without a text are equal where all of them have the same label, but are no copies."""
    texts = [None if row % 20 == 0 else f"review {row}" for row in range(500)]
    data = {"text": texts, "label": [row % 2 for row in range(500)]}
    dealt = sf.kfold(frame(data), "label", seed=1)
    assert sf.check(dealt, "label", duplicates=duplicates).ok


def test_missing_ids_of_units_are_no_copies(frame: Make) -> None:
    """Patients of 9 to 15 visits are no copies beside visits whose patient is unknown."""
    visits = np.random.default_rng(0).integers(9, 16, 50)
    patients = np.repeat(np.arange(50), visits)
    data = {
        "patient": [*patients.tolist(), *[None] * 60],
        "sex": [*(patients % 2).tolist(), *[0, 1] * 30],
    }
    n = len(data["sex"])
    line, _ = note_of(sf.check(frame({**data, "fold": [row % 5 for row in range(n)]})))
    assert line.endswith("equal by chance? duplicates=['patient', 'sex']")


def note_of(found: sf.Check) -> tuple[str, str]:
    """Return the printed line and the full text of the note on equal rows."""
    ((severity, _, detail),) = findings_on(found, "duplicates")
    assert severity == "note"
    (line,) = (line for line in lines_of(found) if "rows (" in line)
    return line, detail


VISITS = {
    "visit": [f"v{row}" for row in range(400)],
    "patient": [row // 4 for row in range(400)],
    "sex": [row // 4 % 2 for row in range(400)],
    "fold": [row % 4 for row in range(400)],
}
"""Four visits of each patient, in four folds."""


def test_visits_are_no_copies(frame: Make) -> None:
    """Beside a column that differs in every row, two columns are too few to tell copies."""
    line, detail = note_of(sf.check(frame(VISITS)))
    assert line == "note 400 rows (100 %) equal, not judged; duplicates=['patient', 'sex']"
    assert detail == (
        "400 rows (100 %) equal a row of another fold, not judged (without 'visit');"
        " duplicates=['patient', 'sex'] judges them"
    )


def test_visits_that_are_the_key_are_no_copies(frame: Make) -> None:
    """A key counts as a column that differs in every row."""
    line, _ = note_of(sf.check(frame(VISITS), key="visit"))
    assert line == "note 400 rows (100 %) equal, not judged; duplicates=['patient', 'sex']"


def test_rows_of_a_unit_are_no_copies(frame: Make) -> None:
    """Where the country decides the continent, equal rows of 9 to 15 years are no copies."""
    years = np.random.default_rng(0).integers(9, 16, 50)
    countries = np.repeat(np.arange(50), years)
    data = {"country": countries.tolist(), "continent": (countries % 5).tolist()}
    line, _ = note_of(sf.check(frame({**data, "fold": [row % 5 for row in range(len(countries))]})))
    assert line.endswith("equal by chance? duplicates=['country', 'continent']")


def test_the_call_of_a_note_is_judged(frame: Make) -> None:
    """Columns that the call names are judged whatever other columns there are."""
    found = sf.check(frame(VISITS), duplicates=["patient", "sex"])
    assert "LEAK     400 rows (100 %) equal a row of another fold" in found.text


def test_three_columns_beside_ids_are_judged(frame: Make) -> None:
    """Copies with new ids are found where three other columns agree."""
    doubled = {name: column * 2 for name, column in REVIEWS.items()}
    doubled |= {"stars": [row % 5 for row in range(500)] * 2, "id": list(range(1000))}
    found = sf.check(frame({**doubled, "fold": [0] * 500 + [1] * 500}))
    assert "LEAK     1,000 rows (100 %) equal a row of another fold" in found.text


def test_the_note_on_chance_names_the_columns(frame: Make) -> None:
    """What chance may explain is told with the columns and the call that compares only these."""
    data = {"age": [row % 50 for row in range(400)], "{sex}": [row % 3 for row in range(400)]}
    line, detail = note_of(sf.check(frame({**data, "fold": [row // 200 for row in range(400)]})))
    assert line == "note 400 rows (100 %) equal by chance? duplicates=['age', '{sex}']"
    assert detail == (
        "400 rows (100 %) equal a row of another fold, maybe by chance;"
        " duplicates=['age', '{sex}'] judges them"
    )


def test_a_note_without_room_for_the_call(frame: Make) -> None:
    """The names of many columns are only in the table of findings."""
    answers = np.random.default_rng(0).integers(0, 2, (6, 400)).tolist()
    data = {f"answer {place}": answer for place, answer in enumerate(answers)}
    line, detail = note_of(sf.check(frame({**data, "fold": [row // 200 for row in range(400)]})))
    assert line == "note 390 rows (98 %) equal a row of another fold, maybe by chance"
    assert detail.endswith(f"; duplicates={[*data]} judges them")


@pytest.mark.parametrize("by", ["label", ["label", "site"]])
def test_strata_are_meant_to_repeat(frame: Make, by: Any) -> None:
    """Where `by` has all columns, the note does not ask to compare rows in them."""
    data = {"label": ["a", "b"] * 200, "site": [row // 2 % 3 for row in range(400)]}
    line, detail = note_of(sf.check(sf.kfold(frame(data), by), ["label", "site"]))
    assert line.endswith("rows (100 %) equal a row of another fold, maybe by chance")
    assert detail in line


def test_a_single_column_of_classes_or_ages_is_chance(frame: Make) -> None:
    """Equal values of a column of few values are no leak, even beside a constant column."""
    ages = np.random.default_rng(0).integers(18, 91, 400).tolist()
    for data in ({"age": ages}, {"age": ages, "source": ["web"] * 400}):
        found = sf.check(frame({**data, "fold": [0, 1] * 200}))
        assert found.ok
        assert "by chance" in found.text


def test_copies_of_a_single_column(frame: Make) -> None:
    """A column of texts leaks if all are copied, beside a constant column or none, but not a label.

    A column of lists beside it may differ, so that nothing can be said.
    """
    texts = {"text": REVIEWS["text"] * 2}
    parted = {**texts, "fold": [0] * 500 + [1] * 500}
    for data in (parted, {**parted, "source": ["web"] * 1000}):
        assert "LEAK     1,000 rows (100 %)" in sf.check(frame(data)).text
    beside_lists = {**parted, "tags": [[row] for row in range(1000)]}
    assert sf.check(frame(beside_lists)).ok
    assert "maybe by chance" in sf.check(frame(parted), "text").text


def severity_of(frame: Any, names: list[str], name: str) -> str:
    """Return the severity of the finding on equal rows of one of several fold columns."""
    found = columns_of(sf.check(frame, name=names).findings)
    rows = zip(found["name"], found["check"], found["severity"], strict=True)
    (severity,) = (each for of, check, each in rows if (of, check) == (name, "duplicates"))
    return str(severity)


def test_a_second_column_that_is_no_fold_is_compared(frame: Make) -> None:
    """Copies that agree in a named column are found, although chance explains the other columns."""
    drawn = np.random.default_rng(0)
    kinds = [f"event {number}" for number in drawn.integers(0, 10**6, 400)]
    data = {"etype": kinds * 2, "day": drawn.integers(0, 7, 400).tolist() * 2}
    made = frame({**data, "fold": [0] * 400 + [1] * 400})
    assert severity_of(made, ["fold", "etype"], "fold") == severity_of(made, ["fold"], "fold")
    assert severity_of(made, ["fold", "etype"], "fold") == "leak"
    assert (
        severity_of(frame({"day": data["day"], "fold": [0, 1] * 400}), ["fold"], "fold") == "note"
    )


def test_a_second_column_that_tells_copies_apart_is_left_out(frame: Make) -> None:
    """Copies that differ in a named column, such as other folds, are found without it."""
    kinds = [row // 400 for row in range(800)]
    data = {"text": [f"text {row}" for row in range(400)] * 2, "label": [0, 1] * 400}
    made = frame({**data, "etype": kinds, "fold": [0] * 200 + [1] * 400 + [0] * 200})
    assert severity_of(made, ["fold"], "fold") == "ok"
    assert severity_of(made, ["fold", "etype"], "fold") == "leak"


@pytest.mark.parametrize("name", ["fold_2", "split", "inner"])
def test_columns_that_are_named_like_folds_are_never_compared(frame: Make, name: str) -> None:
    """Labels of another fold column cannot make rows equal, nor tell them apart."""
    labels = {"day": [row % 7 for row in range(400)] * 2}
    unique = [f"part {row}" for row in range(400)] * 2
    made = frame({**labels, name: unique, "fold": [0] * 400 + [1] * 400})
    assert severity_of(made, ["fold", name], "fold") == "note"


@given(found=st.integers(0, 50), expected=st.floats(0, 10))
def test_few_pairs_are_beyond_chance_in_one_case_of_a_thousand(found: int, expected: float) -> None:
    """A few pairs of equal rows are judged by the Poisson distribution."""
    mean = 10 * expected
    chance = poisson.sf(found - 1, mean)
    assume(abs(chance - 0.001) > 1e-9)
    assert is_within(found, expected) == (chance > 0.001 or found <= mean + 3 * mean**0.5)


def test_a_few_rows_do_not_show_that_a_column_is_determined() -> None:
    """A column is determined only if all rows say so, whatever the first rows say."""
    n = 4 * FEW_ROWS
    school = np.arange(n, dtype=np.uint64) % 100
    town = school // 10
    nearly = town.copy()
    nearly[-1] = 99
    unrelated = np.arange(n, dtype=np.uint64) % 7

    assert find_determined([school, town, nearly, unrelated], 0, [1, 2, 3]) == [1]
