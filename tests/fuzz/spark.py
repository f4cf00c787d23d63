"""Random calls on Spark frames: folds, parts and tables are those of pandas and Polars."""

from __future__ import annotations

from running import run

from functools import partial
from typing import Any

import polars as pl

from tests.engines.session import spark_frame, start_session
from tests.fuzz.calls import CLASSES, Rows, check_call

del CLASSES["category"]  # which Spark does not have
COLLATIONS = [None, "UTF8_LCASE", "UNICODE", "UNICODE_CI_AI"]


def on_spark(session: Any, drawn: Rows, _: Any) -> tuple[Any, dict[str, Any]]:
    """Make the frame of Spark, and write names of columns in other cases or as columns."""
    from pyspark.sql import functions as fn

    frame = drawn.frame
    rng = drawn.rng
    rows = spark_frame(session, frame[rng.permutation(drawn.n)], drawn.choose(0, 1, 2, 3, 5, 50))
    for name, dtype in frame.schema.items():
        if dtype == pl.String and (collation := drawn.choose(*COLLATIONS)):
            rows = rows.withColumn(name, fn.collate(rows[quoted(name)], collation))
        if dtype == pl.Datetime("us") and rng.random() < 0.5:
            rows = rows.withColumn(name, rows[quoted(name)].cast("timestamp_ntz"))
    verb, options = drawn.call
    if verb in ("kfold", "split"):
        options = {name: rewritten(drawn, value) for name, value in options.items()}
    return rows, options


def rewritten(drawn: Rows, value: Any) -> Any:
    """Write the name of a column as users of Spark may."""
    from pyspark.sql import functions as fn

    if isinstance(value, list):
        return [rewritten(drawn, each) for each in value]
    if not isinstance(value, str) or value not in drawn.frame.columns:
        return value
    name = value.upper() if value.isascii() and drawn.rng.random() < 0.5 else value
    return fn.col(quoted(name)) if drawn.rng.random() < 0.5 else name


def quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


if __name__ == "__main__":
    session = start_session()
    try:
        run(partial(check_call, spread=partial(on_spark, session)))
    finally:
        session.stop()
