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
NUMBERS = ["alcohol", "proline", "hue"]
FEATURES = ["label", *NUMBERS]
PROLINE = sf.quantiles("proline", 10)


@pytest.fixture(scope="module", params=[pd.DataFrame, pl.DataFrame])
def wine(request: pytest.FixtureRequest) -> Any:
    """Wines of two bottles each and of sixty producers, with good folds and with bad ones."""
    drawn = np.random.default_rng(0)
    rows = {name: WINE.data[:, WINE.feature_names.index(name)] for name in NUMBERS}
    rows |= {"label": CLASSES[WINE.target], "bottle": [f"bottle {row // 2}" for row in range(178)]}
    rows |= {"producer": [f"producer {row // 3:02}" for row in range(178)]}
    rows |= {"shuffled": drawn.permutation(178) % 5, "unshuffled": np.sort(np.arange(178) % 5)}
    frame = sf.kfold(request.param(rows), "label")
    return sf.split(frame, "label", {"train": 0.8, "valid": 0.1, "test": 0.1})


def estimates(frame: Any) -> Any:
    """Make estimates of long names, of which the ratio is shown beside all that it is of."""
    names = {"other": "SCBCV, random", "a": "linear", "b": "decision tree"}
    return type(frame)(drawn_estimates().replace(names).to_dict("list"))


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
    "leaks of several": lambda df: sf.leaks(df, groups="producer", name=["unshuffled", "fold"]),
    "summary": lambda df: sf.study.summary(estimates(df)),
    "differences": lambda df: sf.study.differences(estimates(df)),
    "pooled differences": lambda df: sf.study.differences(estimates(df), pooled=True),
}
"""Every verb that makes a table, with what makes it wide."""


@pytest.mark.parametrize("case", TABLES)
def test_tables_fit_a_terminal(case: str, wine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """All columns of a table are shown, with whole names, and each row on one line."""
    table = TABLES[case](wine)
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    if isinstance(table, pl.DataFrame):
        with pl.Config(tbl_width_chars=WIDTH, tbl_rows=-1):
            lines = str(table).splitlines()
        header = [cell.strip() for cell in lines[2].strip("│").split("┆")]
    else:
        with pd.option_context("display.max_columns", 0, "display.max_rows", None):
            lines = str(table).splitlines()
        header = lines[0].split()
    assert max(map(len, lines)) <= WIDTH
    assert header == list(table.columns)
    n_other = 7 if isinstance(table, pl.DataFrame) else 1
    assert len(lines) == len(table) + n_other or "differences" in case  # of long names of pairs
