"""Tables fit a terminal of 80 columns, as pandas and Polars print them by default."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_wine

import stratframe as sf
from tests.study.test_statistics import drawn_estimates

WIDTH = 80

WINE = load_wine()
CLASSES = np.array(["Barolo", "Grignolino", "Barbera red"])
FEATURES = ["alcohol", "proline", "label", "hue"]
PROLINE = sf.quantiles("proline", 10)


@pytest.fixture(scope="module", params=["pandas", "polars"])
def wine(request: pytest.FixtureRequest) -> Any:
    """Wines of two bottles each and of sixty producers, with good folds and with bad ones."""
    drawn = np.random.default_rng(0)
    features = {
        name: WINE.data[:, WINE.feature_names.index(name)] for name in ("alcohol", "proline", "hue")
    }
    rows = {
        **features,
        "label": CLASSES[WINE.target],
        "producer": [f"producer {row // 3:02}" for row in range(178)],
        "bottle": [f"bottle {row // 2}" for row in range(178)],
        "shuffled": drawn.permutation(178) % 5,
        "unshuffled": np.sort(np.arange(178) % 5),
        "gaps": np.where(drawn.random(178) < 0.5, np.nan, drawn.integers(0, 9, 178) * 2),
    }
    frame = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[request.param](rows)
    if request.param == "polars":
        frame = frame.with_columns(pl.col("gaps").fill_nan(None).cast(pl.Int64))
    frame = sf.kfold(frame, "label")
    return sf.split(frame, "label", {"train": 0.8, "valid": 0.1, "test": 0.1})


def printed(table: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Print a table as in a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    if isinstance(table, pl.DataFrame):
        with pl.Config(tbl_width_chars=WIDTH, tbl_rows=-1):
            return str(table).splitlines()
    with pd.option_context("display.max_columns", 0, "display.max_rows", None):
        return str(table).splitlines()


def header(lines: list[str]) -> list[str]:
    """List the names in the header of a printed table."""
    if lines[0].startswith("shape"):
        return [cell.strip() for cell in lines[2].strip("│").split("┆")]
    return lines[0].split()


TABLES: dict[str, Callable[[Any], Any]] = {
    "plan": lambda df: sf.plan(df, ["label", PROLINE]),
    "balance": lambda df: sf.balance(df, ["label", PROLINE]),
    "balance of several": lambda df: sf.balance(df, "label", ["unshuffled", "fold", "split"]),
    "report": lambda df: sf.report(df, ["label", PROLINE]),
    "report of bad folds": lambda df: sf.report(df, "label", "unshuffled"),
    "report with groups": lambda df: sf.report(df, "label", groups="producer"),
    "report of several": lambda df: sf.report(df, "label", ["unshuffled", "shuffled", "split"]),
    "compare": lambda df: sf.compare(df, "label", ["unshuffled", "shuffled", "fold"]),
    "compare with drift": lambda df: sf.compare(df, "label", ["unshuffled", "fold"], FEATURES),
    "advise": lambda df: sf.advise(df, "label", [2, 5, 10, 50, 200]),
    "advise by many strata": lambda df: sf.advise(df, ["label", PROLINE], [2, 5, 10, 50, 200]),
    "advise with groups": lambda df: sf.advise(df, "label", [3, 20, 90], groups="producer"),
    "drift": lambda df: sf.drift(df, FEATURES, "unshuffled"),
    "drift of several": lambda df: sf.drift(df, FEATURES, ["unshuffled", "fold"]),
    "leaks": lambda df: sf.leaks(df, groups="producer", key="bottle", name="unshuffled"),
    "leaks of several": lambda df: sf.leaks(
        df, groups="producer", key="bottle", name=["unshuffled", "fold"]
    ),
}
"""Every verb that makes a table, with what makes it wide."""


@pytest.mark.parametrize("case", TABLES)
def test_tables_fit_a_terminal(case: str, wine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """All columns of a table are shown, with whole names, and each row on one line."""
    table = TABLES[case](wine)
    lines = printed(table, monkeypatch)
    assert max(map(len, lines)) <= WIDTH
    assert header(lines) == list(table.columns)
    n_other = 7 if isinstance(table, pl.DataFrame) else 1
    assert len(lines) == len(table) + n_other


STUDIES: dict[str, Callable[[Any], Any]] = {
    "summary": sf.study.summary,
    "differences": sf.study.differences,
    "pooled differences": lambda estimates: sf.study.differences(estimates, pooled=True),
}


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("case", STUDIES)
def test_tables_of_a_study_fit_a_terminal(
    library: Any, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ratio of a strategy is shown, beside the strategies, pairs and k that it is of."""
    names = {"other": "SCBCV, random", "a": "linear", "b": "decision tree"}
    table = STUDIES[case](library(drawn_estimates().replace(names).to_dict("list")))
    lines = printed(table, monkeypatch)
    assert max(map(len, lines)) <= WIDTH
    assert header(lines) == list(table.columns)
