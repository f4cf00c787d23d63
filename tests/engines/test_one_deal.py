"""One deal for every engine: with a key pandas, Polars, Dask and Spark give one answer."""

from itertools import pairwise
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import stratframe as sf
from tests.engines.session import arrow_table, spark
from tests.test_golden import CALLS, DATA, PARTS

dask = pytest.importorskip("dask", reason='needs pip install "stratframe[dask]"')
dd = pytest.importorskip("dask.dataframe", reason='needs pip install "stratframe[dask]"')
pytest.importorskip("pyspark", reason='needs pip install "stratframe[spark]"')

import stratframe.dask as sf_dask  # noqa: E402
import stratframe.spark as sf_spark  # noqa: E402

__all__ = ["spark"]

pytestmark = [pytest.mark.dask, pytest.mark.spark]

N = len(DATA["id"])
FRAME = pl.DataFrame(DATA).with_columns(pl.col("day").cast(pl.Datetime("us")))
KEYED = [
    *("plain", "class", "class, seed 1", "class, key", "class, text key"),
    *("two columns, missing is a stratum", "quantiles", "class, quantiles, two keys", "bins"),
]
"""Golden calls whose folds do not depend on an order of the rows."""


def pieces(cuts: list[int]) -> list[pl.DataFrame]:
    """Cut the frame at some rows; equal cuts make empty pieces."""
    return [FRAME[start:end] for start, end in pairwise([0, *sorted(cuts), N])]


def by_id(frame: pl.DataFrame, column: str) -> list[Any]:
    """List a column in the order of ids, parts as text."""
    found = frame.sort("id")[column]
    return found.cast(pl.String).to_list() if column == "split" else found.to_list()


def on_every_engine(
    session: Any, verb: str, given: tuple[Any, ...], options: dict[str, Any], cuts: list[int]
) -> dict[str, list[Any]]:
    """Deal the same rows on every engine, in partitions where it has some."""
    column = {"kfold": "fold", "split": "split"}[verb]
    parts = [piece.to_pandas() for piece in pieces(cuts)]
    partitions = dd.from_map(lambda place: parts[place], range(len(parts)), meta=parts[0].iloc[:0])
    rows = pl.concat(pieces(cuts)[::-1])
    spread = session.createDataFrame(arrow_table(rows)).repartition(len(parts))
    call = getattr(sf, verb)
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        on_dask = getattr(sf_dask, verb)(partitions, *given, **options).compute()
    on_spark = getattr(sf_spark, verb)(spread, *given, **options).toArrow()
    frames = {
        "pandas": pl.from_pandas(
            call(pd.DataFrame(FRAME.to_dict(as_series=False)), *given, **options)
        ),
        "Polars": call(rows, *given, **options),
        "Polars lazy": call(FRAME.lazy(), *given, **options).collect(),
        "Dask": pl.from_pandas(on_dask),
        "Spark": pl.DataFrame(pl.from_arrow(on_spark)),
    }
    return {engine: by_id(frame, column) for engine, frame in frames.items()}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("verb", ["kfold", "split"])
@given(name=st.sampled_from(KEYED), cuts=st.lists(st.integers(0, N), max_size=6))
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_engines_give_one_answer(spark: Any, verb: str, name: str, cuts: list[int]) -> None:
    """Neither the engine nor its partitions, empty ones and single rows among them, matter."""
    by, options = CALLS[name]
    options = {"key": "id", "rare": "ignore", **options}
    found = on_every_engine(spark, verb, (by, 4 if verb == "kfold" else PARTS), options, cuts)
    assert all(folds == found["Polars"] for folds in found.values()), found
    assert None not in found["Spark"]
