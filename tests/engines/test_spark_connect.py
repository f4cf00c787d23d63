"""Spark Connect, whose frames and columns are of other classes, in a process of its own."""

import subprocess
import sys

import pytest

CODE = """
import warnings
warnings.simplefilter("ignore")
import pandas as pd
from pyspark.sql import SparkSession, functions
import stratframe as sf

spark = SparkSession.builder.remote("local[1]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", "3")
n = 120
df = pd.DataFrame({
    "Id": range(n), "a.b": ["x", "y", "z"] * 40, "we`ird": [i * 7 % 101 / 3 for i in range(n)],
    "who": [i // 4 for i in range(n)], "text": [str(i % 9) for i in range(n)],
})
rows = spark.createDataFrame(df)
calls = [
    dict(by="a.b", key="Id"),
    dict(by=["a.b", sf.quantiles("we`ird", 4)], key=["id", "text"], repeats=2),
    dict(by=sf.bins("we`ird", [0, 10, 34]), groups="who"),
    dict(key="text", deal="hash", where=functions.col("Id") > 7),
]
here = lambda call: {**call, "where": lambda df: df["Id"] > 7} if "where" in call else call
for ansi in ("true", "false"):
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    for call in calls:
        named = {**call, "key": ["Id", "text"]} if call.get("repeats") else call
        wanted, found = sf.kfold(df, k=3, **here(named)), sf.kfold(rows, k=3, **call)
        found = found.toPandas().sort_values("Id", ignore_index=True)
        pd.testing.assert_frame_equal(found, wanted, check_dtype=False)
folded = sf.kfold(rows, "a.b", 3, key="Id")
local = sf.kfold(df, "a.b", 3, key="Id")
assert sf.check(folded, "a.b", groups="who").findings["n"][0] == 30
assert sf.leaks(folded, groups="who").count() == len(sf.leaks(local, groups="who", duplicates=None))
assert [fold.valid.count() for fold in sf.folds(folded)] == [40] * 3
# Connect does not say what is not deterministic, and so the call goes on.
drawn = rows.withColumn("Id", functions.monotonically_increasing_id())
assert sf.kfold(drawn, "a.b", 3, key="Id").where("fold = 0").count() == 40
print("equal")
"""


@pytest.mark.spark
def test_folds_are_those_of_pandas() -> None:
    """Folds, checks and leaks are those of pandas, with names of any kind, by ANSI or without."""
    pytest.importorskip("grpc", reason='needs pip install "pyspark[connect]"')
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert done.stdout.split()[-1:] == ["equal"], done.stderr
