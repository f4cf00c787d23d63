"""One deal for every engine: with a key pandas, Polars, Dask and Spark give one answer."""

from contextlib import contextmanager
from functools import partial

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import stratframe as sf
from tests.engines.frames import on_dask, on_spark
from tests.helpers import values
from tests.test_golden import CALLS, DATA, PARTS

pytestmark = [pytest.mark.dask, pytest.mark.spark]

FRAME = pl.DataFrame(DATA).with_columns(pl.col("day").cast(pl.Datetime("us")))
KEYED = [
    *("plain", "class", "class, seed 1", "class, key", "class, text key"),
    *("two columns, missing is a stratum", "quantiles", "class, quantiles, two keys", "bins"),
]
"""Golden calls whose folds do not depend on an order of the rows."""


@pytest.mark.parametrize("verb", ["kfold", "split"])
@given(name=st.sampled_from(KEYED), cuts=st.lists(st.integers(0, len(FRAME)), max_size=6))
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_engines_give_one_answer(spark, verb, name, cuts):
    """Neither the engine nor its partitions, empty ones and single rows among them, matter."""
    by, options = CALLS[name]
    target, column = {"kfold": ({"k": 4}, "fold"), "split": ({"parts": PARTS}, "split")}[verb]
    options = {"key": "id", "rare": "ignore", **target, **options}
    call = partial(getattr(sf, verb), by=by, **options)
    frame = FRAME.to_pandas()
    found = {
        "Polars": values(call(FRAME[::-1]).sort("id"), column),
        "Polars lazy": values(call(FRAME.lazy()).sort("id"), column),
    }
    with contextmanager(on_dask)() as lazy, contextmanager(on_spark)(spark) as remote:
        found["pandas"] = lazy.rows(call(frame))[column]
        found["Dask"] = lazy.rows(call(lazy.spread(frame, cuts)))[column]
        found["Spark"] = remote.rows(call(remote.spread(frame[::-1], cuts)))[column]
    assert all(folds == found["Polars"] for folds in found.values()), found
    assert None not in found["Spark"]
