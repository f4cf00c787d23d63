"""References to columns: compared, checked and read."""

from typing import Any

import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from stratframe.frames.references import check_refs, collect_columns, same_column
from tests.helpers import refuse_now, refuse_rule


def column_a(df: pd.DataFrame) -> Any:
    return df["a"]


A = pl.col("a")
DATA = {"a": [1, 2, 3], "b": ["x", "y", "x"]}
SAME = [("a", "a"), (pd.NA, pd.NA), (A + 1, pl.col("a") + 1), (column_a, column_a)]
OTHERS = [("a", "b"), (1, True), (1, 1.0), (A + 1, A + 2), (A, "a"), ("a", A)]
OTHERS += [(column_a, lambda df: df["a"]), (column_a, "a")]


@pytest.mark.parametrize(("pairs", "same"), [(SAME, True), (OTHERS, False)])
def test_same_column(pairs: Any, same: bool) -> None:
    """Names are the same by type and value, expressions by structure, functions by identity."""
    assert [same_column(*pair) for pair in pairs] == [same] * len(pairs)


@pytest.mark.parametrize("name", ["*", "^a.*$"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_new_names_are_no_patterns(name: str, overwrite: bool) -> None:
    """Polars would take a pattern for other columns; pandas knows no patterns."""
    check_refs(pd.DataFrame(DATA), {}, [name], overwrite=overwrite)
    rule = f"`name` must not be a pattern of names on a Polars frame, got {name!r}."
    for df in (pl.DataFrame(DATA), pl.LazyFrame(DATA)):
        refuse_rule(rule, lambda df=df: check_refs(df, {}, [name], overwrite=overwrite))


def test_named_patterns_are_renamed() -> None:
    """The hint says how a column gets a name that Polars takes as it is."""
    rule = "`by` must not name a column that Polars treats as a pattern of names, got '^a.*$'."
    rule += "\nHint: df = df.rename({'^a.*$': 'x0'})"
    refuse_now(rule, lambda: check_refs(pl.DataFrame({"^a.*$": [1]}), {"by": ["^a.*$"]}))
    check_refs(pd.DataFrame({"^a.*$": [1]}), {"by": ["^a.*$"]})


NEEDED = [(["b"], ["b"]), (["b", A + 1], ["a", "b"])]
NEEDED += [([each], ["a", "b", "c"]) for each in (pl.all().sum(), pl.col("^a$"), pl.nth(0))]


@pytest.mark.parametrize(("refs", "columns"), NEEDED)
def test_lazy_frames_collect_what_is_needed(refs: list[Any], columns: list[str]) -> None:
    """Only referenced columns are read; an expression that names none needs all."""
    lazy = pl.LazyFrame({**DATA, "c": [1, 2, 3]})
    found = collect_columns(lazy, refs)
    assert isinstance(found, pl.DataFrame)
    assert found.equals(lazy.collect().select(columns))


@pytest.mark.parametrize("argument", ["by", "key"])
@pytest.mark.parametrize("library", [pd, pl])
def test_a_value_for_each_row_is_no_list_of_columns(library: Any, argument: str) -> None:
    """A list as long as a small frame is reported as values, and not as names."""
    df = library.DataFrame({"label": ["a", "b", "a", "b"]})
    with pytest.raises(
        sf.StratError, match=rf"^`{argument}` must hold column names.*\[7, 8, 9, 5\]"
    ):
        sf.kfold(df, **{"by": "label", "k": 2, argument: [7, 8, 9, 5]})
