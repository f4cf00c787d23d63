"""Frames of every engine, and the rows that tests of engines deal."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal
from polars import selectors

import stratframe as sf
from tests.engines.session import spark_frame
from tests.helpers import columns_of
from tests.test_golden import DATA, PARTS

N = len(DATA["id"])
FRAME = pd.DataFrame(DATA).assign(
    kind=pd.Categorical(["xyzx"[i % 4] for i in range(N)], categories=["z", "y", "x", "w"]),
    day=[date(2024, 1, 1 + i % 5) for i in range(N)],
    time=pd.to_datetime([datetime(2024, 1, 1, i % 24, i) for i in range(N)]),
    name=[f"row {i * 7 % N}" for i in range(N)],
    whole=[float(i % 3) if i % 7 else None for i in range(N)],
    some=[i % 5 > 0 for i in range(N)],
    half=[i * 31 % N / 2 for i in range(N)],
    who=[i // 3 for i in range(N)],
    rarely=["common" if i > 4 else "rare" for i in range(N)],
)
FOLDED = sf.kfold(FRAME.assign(plain=[i % 3 for i in range(N)]), "label", 4, where="some")
FOLDED = sf.split(FOLDED, "label", PARTS, rare="ignore")


class EngineFrames(NamedTuple):
    """How frames of an engine are made of those of pandas, and read again."""

    name: str
    """What messages call the engine."""
    spread: Callable[[pd.DataFrame, Sequence[int]], Any]
    """Cuts the rows into partitions at some places, equal ones for an empty partition; an engine
    whose rows have no order makes as many partitions as there are places."""
    collect: Callable[[Any], Any] = lambda frame: frame.compute()
    """Collects all rows in a frame of pandas or Polars."""
    local: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame
    """Makes the pandas frame whose types the engine has."""
    is_pandas: bool = True
    """Whether partitions are frames of pandas, so that columns have its types."""
    integer: str = "int64"
    """What messages call the type of integers."""
    n_examples: int = 80
    """Random examples that are tried."""

    def rows(self, frame: Any) -> dict[str, list[Any]]:
        """List the columns of a frame in the order of ids, None where missing."""
        rows = frame if isinstance(frame, pd.DataFrame) else self.collect(frame)
        order = np.argsort(rows["id"].to_numpy())
        return {name: [each[i] for i in order] for name, each in columns_of(rows).items()}

    def check_table(self, found: pd.DataFrame, expected: pd.DataFrame) -> None:
        """Compare a table with that of pandas, and their types where the engine has those."""
        if self.is_pandas:
            assert_frame_equal(found, expected)
        assert columns_of(found) == columns_of(expected)


def cut(frame: pd.DataFrame, places: Sequence[int]) -> list[pd.DataFrame]:
    return [frame.iloc[start:end] for start, end in pairwise([0, *sorted(places), len(frame)])]


@pytest.fixture(scope="session")
def duck_frame() -> Iterator[Callable[[pa.Table], Any]]:
    """Make frames of the engine of the recipe on one connection, as each takes long to open."""
    duckdb = pytest.importorskip("duckdb", reason="needs pip install duckdb")
    recipe = load_recipe()
    with duckdb.connect(config={"threads": 1}) as connection:
        yield lambda table: recipe.DuckFrame(connection, connection.from_arrow(table))


def on_duckdb(duck_frame: Callable[[pa.Table], Any]) -> Iterator[EngineFrames]:
    """Make frames of the engine of the recipe, whose rows have no partitions."""

    def local(frame: pd.DataFrame) -> pd.DataFrame:  # categories have no order in DuckDB
        return frame.astype(dict.fromkeys(frame.select_dtypes("category").columns, object))

    def spread(frame: pd.DataFrame, places: Sequence[int]) -> Any:
        return duck_frame(pl.from_pandas(local(frame)).to_arrow())

    yield EngineFrames(
        "DuckDB",
        spread,
        collect=lambda frame: frame.pl(),
        local=local,
        is_pandas=False,
        integer="Int64",
        n_examples=60,
    )


def load_recipe() -> Any:
    """Import the engine of the recipe, which is a file of the docs."""
    path = Path(__file__).parents[2] / "docs" / "recipes" / "duckdb_engine.py"
    spec = spec_from_file_location("duckdb_engine", path)
    assert spec is not None
    assert spec.loader is not None
    recipe = module_from_spec(spec)
    spec.loader.exec_module(recipe)
    return recipe


def on_dask() -> Iterator[EngineFrames]:
    from tests.engines.dask_frames import ONE_THREAD, dask, of_parts

    with dask.config.set(ONE_THREAD):
        yield EngineFrames("Dask", lambda df, places: of_parts(cut(df, places), df.iloc[:0]))


def on_spark(session: Any) -> Iterator[EngineFrames]:
    def local(frame: pd.DataFrame) -> pd.DataFrame:  # Spark has no categories
        return frame.astype(dict.fromkeys(frame.select_dtypes("category").columns, object))

    def spread(frame: pd.DataFrame, places: Sequence[int]) -> Any:
        return spark_frame(session, pl.from_pandas(local(frame)), len(places))

    yield EngineFrames(
        "Spark",
        spread,
        collect_spark,
        local,
        is_pandas=False,
        integer="bigint",
        n_examples=16,
    )


def collect_spark(frame: Any) -> pl.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = pl.DataFrame(pl.from_arrow(frame.toArrow()))
    return rows.with_columns(selectors.datetime().dt.replace_time_zone(None))  # which Spark adds


def heard(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return the result of a call, and the words of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, [str(each.message) for each in caught if each.category is sf.StratWarning]
