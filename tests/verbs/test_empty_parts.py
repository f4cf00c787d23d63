"""Parts and samples without rows: `split`, `extend` and `sample` say so."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.engines.frames import heard
from tests.helpers import TWO_KINDS, Make, eager, evaluate, make, values, warned
from tests.test_promises import shares

PARTS = {"train": 0.8, "valid": 0.1, "test": 0.1}
ROWS = {
    "y": ["a"] * 7,
    "x": [i + 0.5 for i in range(7)],
    "id": range(7),
    "most": [True] * 6 + [False],
    "part": ["train"] * 6 + [None],
    "other": ["train"] * 6 + ["valid"],
}
TEST = "'test' has no rows: its share of 7 rows is 0.7."

CALLS = {
    "sf.split(df, 'y', PARTS, seed=3)": TEST,
    "sf.split(df, 'y', PARTS, seed=5, key='id')": TEST.replace("test", "valid"),
    "sf.split(df, 'y', 0.05, deal='circular')": "'test' has no rows: its share of 7 rows is 0.35.",
    "sf.split(df, 'y', 0.05, deal='contiguous')": (
        "'test' has no rows: its share of 7 rows is 0.35."
    ),
    "sf.split(df, sf.continuous('most'), {'a': 0.6, 'b': 0.4}, deal='contiguous')": (
        "'b' has no rows: its share of 7 rows is 2.8, but equal values stay in one part."
    ),
    "sf.kfold(df, sf.continuous('most'), 3, deal='contiguous')": (
        "Fold 2 has no rows: its share of 7 rows is 2.333333333, but equal values stay in one fold."
    ),
    "sf.split(df, 'y', 0.01, where='most')": "'test' has no rows: its share of 6 rows is 0.06.",
    "sf.extend(df, 'y', parts={'train': 0.5, 'valid': 0.5}, name='part', where='most')": (
        "'valid' has no rows, and no new ones are left for it (its share of 6 rows is 3)."
    ),
    "pl.DataFrame({'y': ['a'] * 7}).with_columns(pl.col('y').strat.split(PARTS, seed=3))": TEST,
    "sf.sample(df, 'y', frac=0.01)": "The sample is empty: 0.01 of 7 rows is 0.07.",
    "sf.sample(df, sf.continuous('x'), frac=0.05, allocation='equal')": (
        "The sample is empty: 0.05 of 7 rows is 0.35."
    ),
}
"""Calls of seven rows, and the warning of each."""


@pytest.mark.parametrize("call", CALLS)
def test_what_is_empty_is_said(frame: Make, call: str) -> None:
    """A part without rows is a warning that names its share, and so is an empty sample."""
    warned(CALLS[call], lambda: evaluate(call, df=frame(ROWS), PARTS=PARTS))


def test_columns_that_are_extended_are_named(frame: Make) -> None:
    """Of several columns each has a warning, which names it."""
    names = ["part", "other"]
    _, words = heard(lambda: eager(sf.extend(frame(ROWS), None, parts=PARTS, name=names)))
    assert words == [
        "'valid' has no rows in 'part': its share of 7 rows is 0.7.",
        "'test' has no rows in 'other': its share of 7 rows is 0.7.",
    ]


@pytest.mark.parametrize(
    "call",
    [
        "sf.split(df, 'y', {'train': None, 'valid': 1, 'test': 1})",
        "sf.split(df, parts=0.01, key='id', deal='hash')",
        "sf.kfold(df, 'y', 7)",
        "sf.sample(df, 'y', n=0)",
        "sf.sample(df, 'y', frac=0.0)",
        "sf.sample(df.head(0), 'y', frac=0.5)",
    ],
)
def test_nothing_is_said_of_what_was_asked_for(frame: Make, call: str) -> None:
    """Counts are met, a hash leaves sizes to chance, and samples of no rows were asked for."""
    eager(evaluate(call, df=frame(ROWS)))


def about(columns: list[list[Any]], parts: dict[str, float]) -> list[str]:
    """Write the warnings that columns of parts deserve."""
    lines = []
    for part, share in parts.items():
        empty = [f"'split_{i}'" for i, column in enumerate(columns, 1) if part not in column]
        named = f" in {', '.join(empty)}" if len(columns) > 1 else ""
        due = f"{round(share * len(columns[0]), 2):g}"
        share = f"its share of {len(columns[0])} rows is {due}"
        if empty and float(due) < 1:
            lines.append(f"{part!r} has no rows{named}: {share}.")
        elif empty:
            lines.append(f"{part!r} has no rows{named}, and no new ones are left for it ({share}).")
    return [" ".join(lines)] if lines else []


@pytest.mark.parametrize("kind", TWO_KINDS)
@given(
    labels=st.lists(st.integers(0, 2), min_size=4, max_size=30),
    parts=shares(4),
    repeats=st.sampled_from([1, 3]),
    seed=st.integers(0, 99),
    by=st.sampled_from(["y", ["y", sf.continuous("x")], sf.margins(["y"])]),
)
def test_a_warning_for_each_empty_part(
    kind: str, labels: list[int], parts: dict[str, float], repeats: int, seed: int, by: Any
) -> None:
    """The warning names all parts that are empty, in all columns, and no others."""
    data = {"y": labels, "x": [i / 2 for i in range(len(labels))]}
    options: dict[str, Any] = {"rare": "ignore", "repeats": repeats, "seed": seed}
    out, words = heard(lambda: eager(sf.split(make(kind, data), by, parts, **options)))
    names = ["split"] if repeats == 1 else [f"split_{i}" for i in range(1, repeats + 1)]
    assert words == about([values(out, name) for name in names], parts)


@pytest.mark.parametrize("kind", TWO_KINDS)
@given(
    given_parts=st.lists(st.none() | st.integers(0, 3), min_size=6, max_size=30),
    parts=shares(4),
    groups=st.booleans(),
    seed=st.integers(0, 99),
)
@pytest.mark.filterwarnings("ignore:The largest group:stratframe.StratWarning")
def test_extended_parts_are_filled_or_named(
    kind: str, given_parts: list[int | None], parts: dict[str, float], groups: bool, seed: int
) -> None:
    """New groups fill as many empty parts as they can; a part that stays empty is named."""
    names, n = list(parts), len(given_parts)
    column = [None if part is None else names[part] for part in given_parts]
    data = {"part": column, "who": [i // 2 for i in range(n)]}
    if groups:  # a group has the part of its first row
        data["part"] = [column[i // 2 * 2] for i in range(n)]
    options: dict[str, Any] = {"groups": "who" if groups else None, "seed": seed, "name": "part"}
    if groups and len(set(data["who"])) < len(parts):
        return
    call = lambda: eager(sf.extend(make(kind, data), None, parts=parts, **options))  # noqa: E731
    out, words = heard(call)
    after = values(out, "part")
    assert all(part in (None, new) for part, new in zip(data["part"], after, strict=True))
    assert [each for each in words if "has no rows" in each] == about([after], parts)
    if groups:
        new = {who for who, part in zip(data["who"], data["part"], strict=True) if part is None}
        n_empty = len(parts) - len({*data["part"]} - {None})
        assert len(parts) - len({*after}) == max(n_empty - len(new), 0)


def test_groups_fill_all_parts(frame: Make) -> None:
    """Five groups of 20 rows go to three parts, none of which is empty; also by counts."""
    data = {"y": [0, 1] * 50, "g": [i // 20 for i in range(100)]}
    for parts in (PARTS, {"train": None, "valid": 10, "test": 10}):
        out = sf.split(frame(data), "y", parts, groups="g", repeats=3)
        for name in ("split_1", "split_2", "split_3"):
            assert Counter(values(out, name)) == {"train": 60, "valid": 20, "test": 20}
