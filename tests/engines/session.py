"""A session of Spark for tests, and frames of it."""

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

REASON = 'needs Java, and pip install "stratframe[spark]"'


def start_session() -> Any:
    """Start a session of Spark with two threads."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    options = {
        "spark.master": "local[2]",
        "spark.app.name": "stratframe",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.timeType.enabled": "true",
    }
    return SparkSession.builder.config(map=options).getOrCreate()


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Start a session of Spark, where it is installed."""
    with warnings.catch_warnings():
        # Spark warns of versions of pandas, and the JVM's pipes stay open at the end.
        warnings.simplefilter("ignore")
        pytest.importorskip("pyspark.sql", reason=REASON)
        if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
            pytest.skip(REASON)
        session = start_session()
    yield session
    session.stop()


def arrow_table(frame: pl.DataFrame) -> pa.Table:
    """Turn a Polars frame into a table of types that Spark reads."""
    table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    narrow = {
        pa.large_string(): pa.string(),
        pa.large_binary(): pa.binary(),
        pa.uint64(): pa.decimal128(20),  # as Spark reads them from Parquet
    }
    fields = [pa.field(each.name, narrow.get(each.type, each.type)) for each in table.schema]
    return table.cast(pa.schema(fields))


def spark_frame(session: Any, frame: pl.DataFrame, n_partitions: int = 0) -> Any:
    """Make a Spark frame, with its rows spread over partitions, some of which may be empty."""
    made = session.createDataFrame(arrow_table(frame))
    return made.repartition(n_partitions) if n_partitions else made
