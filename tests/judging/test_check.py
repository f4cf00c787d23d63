"""`check`: whether a column of folds is fit for use, said in a line for each finding."""

from itertools import chain
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import TWO_KINDS, Make, evaluate, make, refuse_now, refused, values
from tests.judging.conftest import cases, lines_of

FORTY, EIGHTHS = [row + 0.5 for row in range(40)], [row / 8 for row in range(400)]
TENTHS = [round(4 + row / 10, 1) for row in range(40)]
SCATTERED = {"fold": [(x * (x + 3) // 5 + i * (1 + x % 7)) % 8 for x in range(200) for i in (0, 1)]}
"""Pairs of rows in two folds, in no order."""
PEOPLE = [f"p{row // 2}" for row in range(40)]
BLOBS = [row + row // 100 * 1e6 for row in range(200)]
"""Two heaps of a hundred numbers."""
TEN_USERS = {"label": ["a"] * 40 + ["b"] * 60, "user": [f"u{row // 10}" for row in range(100)]}
TEN_USERS |= {"fold": [row // 10 % 5 for row in range(100)]}
"""Ten whole users of one label each, two to a fold, so that fold 4 cannot have 'a'."""


def dealt(**tables: list[int]) -> dict[str, list[Any]]:
    labels = [label for label, table in tables.items() for _ in range(sum(table))]
    folds = [fold for table in tables.values() for fold, n in enumerate(table) for _ in range(n)]
    return {"label": labels, "fold": folds}


DIGITS = np.random.default_rng(0).integers(0, 10, (100, 6))  # all rows are different


def digits(copied: int) -> dict[str, list[Any]]:
    """A hundred rows of digits, of which fold 1 has some of fold 0 once more."""
    rows = np.concatenate([DIGITS, DIGITS[:copied]])
    data = {name: rows[:, place].tolist() for place, name in enumerate("abcdef")}
    return {**data, "fold": [0] * 50 + [1] * (50 + copied)}


def copied(n: int) -> dict[str, list[Any]]:
    """Four hundred rows in two folds, of which the last few are the first ones once more."""
    rows = [*range(400 - n), *range(n)]
    fold = [0] * 200 + [1] * 200
    return {"x": [row + 0.5 for row in rows], "day": [row % 7 for row in rows], "fold": fold}


SURVEY = {"city": [*range(40)] * 5, "zip": [*range(1000, 1040)] * 5}
SURVEY |= {"region": [x // 4 for x in range(40)] * 5, "fold": [x // 40 for x in range(200)]}
SURVEY |= {"sex": [row // 40 % 3 for row in range(200)]}
"""Columns that all follow from the city, but for one."""
CASES = cases("""
dealt(a=[4, 3], b=[2, 3]), by='label'
    ok label: even, each class within a row of its share
dealt(a=[18, 16, 16], b=[15, 17, 18]), by='label'
    ok label: even, as far as whole rows allow
dealt(a=[55, 50, 45], b=[45, 50, 55]), by='label'
    note label: as even as a shuffle, shares within 5.0 points
dealt(a=[500, 440, 560], b=[500, 560, 440]), by='label'
    WARNING label: uneven, fold 1 has 440 rows of 'a' (500 expected)
dealt(a=[600, 400], b=[200, 400], c=[1200, 1200]), by='label'
    WARNING label: uneven, fold 0 has 200 rows of 'b' (300 expected)
dealt(a=[2, 0], b=[58, 20]), by='label'
    note sizes: 2 folds of 20 to 60 rows
    ok label: even, as far as whole rows allow
dealt(a=[30, 40, 30], b=[10, 0, 10]), by='label'
    WARNING label: fold 1 has none of 20 rows of 'b' (6.7 expected)
dealt(a=[40, 40, 40], b=[6, 0, 6]), by='label'
    note label: as even as a shuffle, shares within 9.1 points
    note label: fold 1 has none of 12 rows of 'b'
dealt(a=[9, 8, 9], b=[3, 2, 0], c=[0, 2, 3]), by='label'
    note label: as even as a shuffle, shares within 14 points
    note label: 2 classes are not in every fold, such as 'b'
dealt(a=[9, 5, 9], b=[0, 4, 0]), by='label'
    note label: as even as a shuffle, shares within 30 points
    note label: all 4 rows of 'b' are in fold 1
dealt(a=[8, 8, 8, 8, 8], b=[1, 0, 0, 0, 0]), by='label'
    note label: 'b' has 1 row, so 4 of 5 folds have none
    ok label: even, each class within a row of its share
dealt(a=[4, 4, 4], b=[1, 1, 0], c=[0, 0, 1]), by='label'
    note label: 2 classes have fewer rows than folds, such as 'c' with 1
    ok label: even, each class within a row of its share
dealt(a=[450, 25, 25], b=[450, 25, 25]), by='label'
    WARNING sizes: 900, 50, 50 rows; if intended, name the parts ('train', ...)
    ok label: even, as far as whole rows allow
{**dealt(a=[80, 10], b=[9, 1]), 'split': ['test'] * 80 + ['x'] * 10 + ['test'] * 9 + ['x']}, \
by='label', name='split'
    ok label: even, as far as whole rows allow
    ok sizes: test 0.89, x 0.11
dealt(a=[200, 100], b=[100, 200]) | {'site': [*range(10)] * 60}, by=['label', 'site']
    WARNING label, site: uneven, fold 0 has 200 rows of 'a' (150 expected)
dealt(a=[5, 5], b=[5, 5]) | {'site': [*range(5)] * 4}, by=['label', 'site']
    ok label, site: even, each stratum within a row of its share
dealt(a=[200, 100], b=[100, 200]) | {'site': [*range(10)] * 60}, by=sf.margins(['label', 'site'])
    WARNING 2 margins: uneven, fold 0 has 200 rows of 'label: a' (150 expected)
{'price': EIGHTHS, 'fold': [0, 1] * 200}, by='price'
    ok price: even in order, within 2 rows at every cut
{'price': EIGHTHS, 'split': list('aaab') * 100}, by='price', name='split'
    ok price: even in order, within 2 rows at every cut
    ok sizes: a 0.75, b 0.25
{'price': EIGHTHS, 'fold': [0, 0, 0, 0, 1, 1, 1, 1] * 50}, by='price'
    note price: no less even than a shuffle, even in bins but not in order
{'label': list('aabb') * 100, 'price': EIGHTHS, 'fold': [0, 1] * 200}, by=['label', 'price']
    ok label, price: even in order, within 2 rows at every cut
{'price': FORTY, 'fold': [0, 1] * 20}, by='price'
    note price: too few rows to tell an even order from a shuffle
{'price': [row % 11 for row in range(44)], 'fold': [0, 1] * 22}, by='price'
    ok price: even, each class within a row of its share
{'price': range(3), 'fold': [0, 1, 0]}, by=sf.continuous('price')
    note price: too few rows to tell an even order from a shuffle
{'w': [1.5] * 40, 'fold': [0, 1] * 20}, by=sf.total('w')
    ok w: totals within 0 % of their shares
{'label': list('ab') * 20, 'w': FORTY, 'fold': [0, 0, 1, 1] * 10}, by=['label', sf.chain('w')]
    note sf.chain(['w']): its order is not judged
    ok label: even, each class within a row of its share
{'w': FORTY, 'fold': [0, 0, 1, 1] * 10}, by=sf.nearest('w')
    note sf.nearest(['w']): its order is not judged
{'price': range(400), 'fold': [0, 1] * 200}, by='price'
    ok price: even in order, within 2 rows at every cut
{**SCATTERED, 'price': [row // 2 for row in range(400)]}, by='price'
    note sizes: 8 folds of 43 to 57 rows
    ok price: even, as far as whole rows allow
{'price': [row // 2 for row in range(1600)], \
'fold': [row % 4 + row // 800 * 4 for row in range(1600)]}, by='price'
    WARNING price: uneven, fold 0 has 80 rows of [0, 159] (40 expected)
{'price': FORTY, 'fold': [0] * 20 + [1] * 20}, by='price'
    note price: as even as a shuffle, shares within 20 points
{'price': EIGHTHS, 'fold': [0] * 200 + [1] * 200}, by='price'
    WARNING price: uneven, fold 0 has 80 rows of [0, 9.875] (40 expected)
TEN_USERS, by='label', groups='user'
    note label: as even as a shuffle, shares within 40 points
    note label: 'a' has 4 groups, so 1 of 5 folds has none
    ok each of 10 users is in one fold
TEN_USERS, by='label', groups=False
    WARNING label: fold 4 has none of 40 rows of 'a' (8 expected)
TEN_USERS, by='label'
    note label: as even as a shuffle, shares within 40 points
    note label: 'a' has 4 groups, so 1 of 5 folds has none
    ok groups: folds keep 'user' whole (10 values), judged as groups='user'
{'label': ['a', 'b'] * 40, 'user': range(80), 'fold': [0, 1] * 40}, by='label', groups='user'
    WARNING label: all 40 rows of 'a' are in fold 0
    ok each of 80 users is in one fold
{'x': BLOBS, 'fold': [0] * 55 + [1] * 45 + [0] * 45 + [1] * 55}, by=sf.clusters('x', 2)
    note cluster: as even as a shuffle, shares within 5.0 points
{'x': BLOBS, 'fold': [0] * 100 + [1] * 100}, by=sf.clusters('x', 2)
    WARNING cluster: uneven, fold 0 has 100 rows of 0 (50 expected)
{'fold': [1] * 300 + [2] * 100 + [3] * 100 + [4] * 100 + [5] * 100}
    WARNING sizes: 100 to 300 rows; if intended, name the parts ('train', ...)
{'split': ['valid'] * 50 + ['train'] * 900 + ['test'] * 50}, name='split'
    ok sizes: train 0.9, valid 0.05, test 0.05
{'split': list('aabcde')}, name='split'
    ok sizes: 5 parts of 1 to 2 rows
{'tags': [['t']] * 532, 'site': [*'xyz' * 52, *'y' * 329, *'z' * 47], \
'fold': [2, 0, 1] * 52 + [0] * 329 + [1] * 47}
    note sizes: 52 to 381 rows, as each fold is one 'site'
    ok groups: each fold is one 'site'
{'user': [min(row, 100) for row in range(500)], \
'fold': [row % 5 if row < 100 else 0 for row in range(500)]}, groups='user'
    note sizes: 5 folds of 20 to 420 rows
    ok each of 101 users is in one fold
{'x': FORTY, 'fold': [0, 1] * 20}, duplicates='auto'
    ok duplicates: none, as 'x' differs in every row
{'id': range(40), 'x': FORTY, 't': [['t']] * 40, 'fold': [0, 1] * 20}, duplicates='auto'
    ok duplicates: none, as 'x' differs in every row
{**{f'identity_{c}': range(40) for c in 'abc'}, 'x': FORTY, 'fold': [0, 1] * 20}, duplicates='auto'
    ok duplicates: none, as 'x' differs in every row
{'id': range(4), 'fold': [0, 1] * 2, 'fold_inner': [0, 0, 1, 1]}, duplicates='auto'
    note duplicates: not looked for, as no column tells rows apart
digits(20), duplicates='auto'
    LEAK 40 rows (33 %) equal a row of another fold, such as rows 0 and 100
    note sizes: 2 folds of 50 to 70 rows
{'text': [f'line {row % 39}' for row in range(40)], 'stars': [*range(1, 4)] * 13 + [1], \
'fold': [0] * 20 + [1] * 20}, duplicates='auto'
    LEAK 2 rows (5.0 %) equal a row of another fold, such as rows 0 and 39
copied(2), duplicates='auto'
    note 4 rows (1.0 %) equal a row of another fold; `leaks()` lists them
copied(3), duplicates='auto'
    LEAK 6 rows (1.5 %) equal a row of another fold, such as rows 0 and 397
{'a': [row // 201 for row in range(402)], 'x': [*FORTY * 10, 0.5, 0.5], \
'fold': [row % 201 // 67 for row in range(402)]}, duplicates=['a', 'x']
    note 402 rows (100 %) equal a row of another fold, maybe by chance
{'x': [*TENTHS, 4.1], 'site': [*'abcd' * 10, 'b'], 'fold': [0] * 20 + [1] * 21}, duplicates='auto'
    note 2 rows (4.9 %) equal by chance? duplicates=['x', 'site']
{'x': [*(round(17.1 * row, 1) for row in range(40)), 17.1], 'site': [*'abcd' * 10, 'b'], \
'fold': [0] * 20 + [1] * 21}, duplicates='auto'
    LEAK 2 rows (4.9 %) equal a row of another fold, such as rows 1 and 40
copied(2), duplicates=['x', 'day']
    LEAK 4 rows (1.0 %) equal a row of another fold, such as rows 0 and 398
{'a': FORTY, 'b': FORTY, 'n': range(40), 'fold': [0, 1] * 20}, duplicates='auto'
    ok duplicates: none, as 'a', 'b' differ in every row
{**{f'feature_number_{c}': FORTY for c in 'abc'}, 'fold': [0, 1] * 20}, duplicates='auto'
    ok duplicates: none, as 3 columns differ in every row
SURVEY, duplicates='auto'
    note 160 rows (80 %) equal a row of another fold, maybe by chance
SURVEY, duplicates=['city', 'zip', 'region', 'sex']
    LEAK 160 rows (80 %) equal a row of another fold, such as rows 0 and 120
{'x': [0, 1] * 50, 'y': FORTY * 2 + FORTY[:20], 'fold': [0] * 50 + [1] * 50}, duplicates='x'
    LEAK 100 rows (100 %) equal a row of another fold, such as rows 0 and 50
{**digits(20), 'who': [f'k{row}' for row in range(120)], \
'split': ['u', 'v'] * 60, 'inner': [*range(60)] * 2}, duplicates='auto', key='who'
    LEAK 40 rows (33 %) equal a row of another fold, such as rows 0 and 100
    note sizes: 2 folds of 50 to 70 rows
    ok each of 120 keys is unique
{'patient': PEOPLE, 'fold': [0, 1, 2, 3] * 10}, groups='patient'
    LEAK 20 of 20 patients are in several folds, such as 'p0' in folds 0 and 1
{'user': [1, 1, 2, 3], 'split': ['test', 'train', 'train', 'train']}, groups='user', name='split'
    LEAK 1 of 3 users is in several parts, such as 1 in parts train and test
    ok sizes: train 0.75, test 0.25
{'user': [1, 1, 2, 2, None, None], 'fold': [0, 0, 1, None, 0, 1]}, groups='user'
    note 1 of 2 users is in a fold and in rows without one
    note 1 row has no fold
    ok each of 2 users is in one fold
{'patient': list('ppqr'), 'device': list('xyxz'), 'fold': [0, 1, 1, 1]}, \
groups=['patient', 'device']
    note 'patient' alone: 1 of 3 is in several folds; 'device' 1 of 3
    ok each of 4 groups is in one fold
{'x': [0.0, 0.1, 9.0, 9.1], 'fold': [0, 1, 0, 0]}, groups=sf.clusters('x', 2)
    LEAK 1 of 2 clusters is in several folds
{'order_id': ['o7', 'o7', 'o8', None], 'fold': [0, 1, 1, 0]}, key='order_id'
    LEAK 1 of 2 orders is in several folds, such as 'o7' in folds 0 and 1
{'visit': [1, 2, 2], 'fold': [0, 1, 1]}, key='visit'
    WARNING 1 of 2 visits repeats within a fold (`groups` may repeat)
{'fold': [0, 2, 0, 2]}
    WARNING fold 1 has no rows
{'fold': [0, 2, 3, 5, 6, 7] * 2}
    WARNING 2 folds have no rows: 1, 4
{'fold': [2018, 2018, 2020, 2022]}
{'fold': [0, 10 ** 7, 0]}
{'site': [0, 2, 0, 2]}, name='site'
{'fold': [1, 1]}
    WARNING there is only one fold
{'label': ['a', 'b'], 'fold': [None, None]}, \
by='label', groups='label', key='label', duplicates='auto'
    WARNING no row has a fold
{'label': [], 'fold': []}, by='label', groups='label', key='label', duplicates='auto'
    WARNING there are no rows
{'when': range(200), 'fold': [row // 40 for row in range(200)]}, features='when'
    WARNING 'when' differs in fold 0 (KS 1.00, chance reaches 0.24)
{'site': ['x', 'y'] * 50, 'fold': [0, 1] * 50}, features='site'
    WARNING 'site' differs in fold 0 (TV 1.00, chance reaches 0.20)
{'when': range(18), 'fold': [0] * 9 + [1] * 9}, features='when'
    note drift: 2 of 2 comparisons beyond chance
{'when': FORTY, 'fold': [0, 1] * 20}, features=['when']
    ok drift: none of 2 comparisons beyond chance
{'when': [None, None, 1.5, None], 'fold': [0, 0, 1, 1]}, features='when'
    note drift: nothing to compare
""")
"""Columns and options of a call, and the lines below the answer; "ok sizes" is listed only where
that is the point, and rows are compared only where a call says so."""


@pytest.mark.parametrize("call", CASES)
def test_lines(frame: Make, call: str) -> None:
    """Each finding is a line of these words, below the answer."""
    code, lines = f"(lambda data, **options: (data, options))({call})", CASES[call]
    data, options = evaluate(code, **globals())
    found = sf.check(frame(data), **{"duplicates": None, **options})
    first, *others = lines_of(found)
    assert [line for line in others if not line.startswith("ok sizes") or line in lines] == lines
    assert found.ok is bool(found) is not any(line.startswith(("LEAK", "WARN")) for line in lines)
    assert first.startswith(f"{options.get('name', 'fold')} is ")


WRONG: dict[str, Any] = {"label": ["a"] * 20 + ["b"] * 20, "who": PEOPLE, "x": FORTY}
WRONG |= {"good": [0, 1] * 20, "bad_fold": [0, 2] * 18 + [2, 0] * 2, "worse": [0] * 20 + [1] * 20}


def test_the_text_of_several_columns(frame: Make) -> None:
    """The first line is the answer for all; blocks come worst first, and lines in each."""
    names = ["good", "bad_fold", "worse"]
    found = sf.check(frame(WRONG), "label", names, groups="who")
    assert repr(found) == found.text == str(found)
    leak = "  LEAK     20 of 20 groups are in several folds, such as 'p0' in folds 0 and "
    ok = "  ok       "
    even = f"{ok}label: even, each class within a row of its share"
    sizes = f"{ok}sizes: 2 folds of 20 rows"
    differ = f"{ok}duplicates: none, as 'x' differs in every row"
    expected = [
        "0 of 3 fold columns are fit for use",
        "bad_fold is not fit for use: 1 leak, 1 warning",
        f"{leak}2",
        "  WARNING  fold 1 has no rows",
        f"{ok}label: even, as far as whole rows allow",
        sizes,
        differ,
        "good is not fit for use: 1 leak",
        f"{leak}1",
        even,
        sizes,
        differ,
        "worse is not fit for use: 1 warning",
        "  WARNING  label: all 20 rows of 'a' are in fold 0",
        f"{ok}each of 20 groups is in one fold",
        sizes,
        differ,
    ]
    assert found.text.splitlines() == expected
    assert values(found.findings, "severity")[:4] == ["leak", "leak", "warning", "warning"]
    fine = sf.check(frame(WRONG), "label", names, duplicates=None)
    assert fine.text.startswith("1 of 3 fold columns is fit for use\n")


def test_findings_name_the_fold_and_the_class(frame: Make) -> None:
    """The label and the class that a finding is on stand in columns of text, else nothing does."""
    found = sf.check(frame(WRONG), "label", ["bad_fold", "worse"], groups="who").findings
    named = [*zip(*(values(found, name) for name in ("check", "fold", "level")), strict=True)]
    assert named[:3] == [("groups", None, None), ("rows", "1", None), ("strata", "0", "a")]
    assert all((fold, level) == (None, None) for _, fold, level in named[3:])


def test_strict_counts_questions(frame: Make) -> None:
    """With `strict`, a column is unfit while a finding asks what an argument answers."""
    rows = {"id": [row // 3 for row in range(150)], "y": [0, 1] * 75}
    made = sf.kfold(frame(rows), "y")
    assert sf.check(made, "y", duplicates=None).ok
    asked = sf.check(made, "y", duplicates=None, strict=True)
    assert not asked.ok
    assert asked.text.startswith(
        "fold is not fit for use: 1 question\n  note     'id': 50 of 50 are"
    )
    whole = sf.kfold(frame(rows), "y", groups="id")
    assert sf.check(whole, "y", groups="id", duplicates=None, strict=True).ok
    assert sf.check(whole, "y", groups="id", duplicates="y", strict=True).text.count("LEAK") == 1


def test_raising(frame: Make) -> None:
    """A check of a bad column raises with its text, and of a good one does nothing."""
    bad = sf.check(frame(WRONG), "label", "worse")
    refuse_now(bad.text, bad.raise_if_wrong)
    assert sf.check(frame(WRONG), "label", "good").raise_if_wrong() is None  # type: ignore[func-returns-value]


def test_in_a_notebook() -> None:
    """The view in a notebook has a line for each finding; what looks like markup is text."""
    data = {"x": ["<b>", "<b>", "&amp;"], "<i>": [0, 1, 0], "fold": [0, 0, 1]}
    found = sf.check(pd.DataFrame(data), name=["<i>", "fold"], groups="x")
    shown = "".join(ElementTree.fromstring(found._repr_html_()).itertext()).splitlines()
    assert len(shown) == len(found.text.splitlines())
    assert shown[0] == found.text.splitlines()[0]
    assert all(any(each in line for line in shown) for each in values(found.findings, "detail"))
    assert "'<b>' in folds 0 and 1" in "".join(shown)


def test_a_notebook_shows_whole_names() -> None:
    """The view in a notebook does not cut the names that the printed lines cut."""
    name = "what the household of the person spent on food in the last four weeks"
    found = sf.check(pd.DataFrame({name: [1, 1, 1, 2], "fold": [0, 1, 0, 1]}), name)
    assert name not in found.text
    assert name in found._repr_html_()


CHECKS = {"groups", "keys", "time", "duplicates", "balance", "totals"}
CHECKS |= {"strata", "sizes", "drift", "rows"}
SHORT = ("label", "user", "price", "fold")
LONG = ("class_of_the_disease", "number_of_the_person", "income_per_household", "fold_of_all_rows")
CELLS = [[*"abc"], [None, *range(6)], [0.25, 1.5, 2.75, None], [0, 1, 2, 3, None]]
ROWS = st.lists(st.tuples(*map(st.sampled_from, CELLS)), min_size=1, max_size=30)


@pytest.mark.parametrize("names", [SHORT, LONG], ids=["short", "long"])
@given(rows=ROWS, times=st.sampled_from([1, 1, 40]), kind=st.sampled_from(TWO_KINDS))
def test_every_check_has_one_form(names: Any, rows: list[Any], times: int, kind: str) -> None:
    """The answer is that of the findings, whose lines of 80 letters come worst first."""
    by, who, x, name = names
    data = dict(zip(names, map(list, zip(*rows * times, strict=True)), strict=True))
    made = make(kind, {**data, "id": range(len(data[x]))})
    found = sf.check(made, by, name, groups=who, key=[who, x], features=[x, by])
    assert isinstance(found.findings, pl.DataFrame if "polars" in kind else pd.DataFrame)
    assert list(found.findings.columns) == [
        "name",
        "severity",
        "check",
        "n",
        "fold",
        "level",
        "detail",
    ]
    marks = {"leak": "LEAK", "warning": "WARNING", "note": "note", "ok": "ok"}
    severities = values(found.findings, "severity")
    first, *others = str(found).splitlines()
    details = values(found.findings, "detail")
    for line, severity, detail in zip(others, severities, details, strict=True):
        assert line == f"  {marks[severity]:8} {detail}" or len(detail) > 69
        assert line.startswith(f"  {marks[severity]:8} {detail[:3]}")
    assert severities == sorted(severities, key=list(marks).index)
    assert set(values(found.findings, "check")) <= CHECKS
    is_wrong = bool({"leak", "warning"} & {*severities})
    assert found.ok is not is_wrong
    assert first.startswith(f"{name} is {'not fit for use: ' if is_wrong else 'fit for use'}")
    assert max(map(len, chain([first], others))) <= 80


ITSELF = "`{0}` must name columns other than the fold column, but includes 'fold'.\nHint: name a"
ITSELF += ' column by which to compare the folds, as in `{0}="label"`.'
UNKNOWN = "`{}` names the column 'lable', which the frame does not have."
UNKNOWN += "\nHint: did you mean 'label'?"
NAMING, EMPTY = ("by", "key", "features"), ("duplicates", "features", "time")
COLUMNS = "`duplicates` must hold column names or expressions, got"
ERRORS: list[tuple[dict[str, Any], str]] = [
    *(({name: "fold"}, ITSELF.format(name)) for name in NAMING),
    ({"time": "fold"}, ITSELF.format("time").replace('"label"', '"day"')),
    *(({name: "lable"}, UNKNOWN.format(name)) for name in (*NAMING, "groups", "time")),
    ({"duplicates": "fold"}, ITSELF.format("duplicates")),
    ({"duplicates": ["x", "lable"]}, UNKNOWN.format("duplicates")),
    *(({"duplicates": each}, f"{COLUMNS} {each}.") for each in ({"x"}, 7, False)),
    ({"duplicates": "tags"}, "A column must hold single values, but 'tags' is "),
    *(({name: []}, f"`{name}` must hold at least one column, got [].") for name in EMPTY),
    ({"by": []}, "`by` must hold at least one entry, got []."),
    ({"name": []}, "`name` must hold column names, got []."),
    ({"groups": sf.quantiles("x", 2)}, "`groups` must be a column, a list of columns, or one"),
]


@pytest.mark.parametrize(("options", "message"), ERRORS, ids=str)
def test_bad_arguments(frame: Make, options: dict[str, Any], message: str) -> None:
    """A wrong argument is refused in these words, on a frame without rows, too."""
    rows = {"label": ["a", "b"], "x": [0.5, 1.5], "tags": [["t"], ["u"]], "fold": [0, 1]}
    for data in (rows, {name: [] for name in rows}):
        if options == {"duplicates": "tags"} and data is not rows:
            continue  # an empty column has no type in pandas
        error = refused(lambda data=data: sf.check(frame(data), **options))
        assert str(error).startswith(message)
