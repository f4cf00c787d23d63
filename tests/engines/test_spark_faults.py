"""A killed executor of Spark changes no fold."""

import subprocess
import sys

import pytest

from tests.engines.session import REASON

pytest.importorskip("pyspark", reason=REASON)

pytestmark = [pytest.mark.spark, pytest.mark.slow]
CODE = """
import os, signal, threading, time, warnings
warnings.simplefilter("ignore")
import pyspark
os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
from pyspark.sql import SparkSession, functions as fn
import stratframe.spark

builder = SparkSession.builder.master("local-cluster[2,1,1024]")
for name, value in {"ui.enabled": "false", "executor.memory": "700m", "log.level": "OFF"}.items():
    builder = builder.config(f"spark.{name}", value)
spark = builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()
rows = spark.range(0, 1_500_000, 1, 16).withColumn("label", fn.col("id") % 1000)
slow = fn.sha2(fn.repeat(fn.col("id").cast("string"), 60), 512)
rows = rows.filter(fn.length(slow) > 0)

def deal():
    folded = stratframe.spark.kfold(rows, "label", key="id", rare="ignore")
    total = fn.sum(fn.xxhash64("id", "fold").cast("decimal(38,0)"))
    return folded.agg(total, fn.count("fold")).first()

def executors():
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline") as file:
                words = file.read()
        except OSError:
            continue
        if "CoarseGrainedExecutorBackend" in words and APP in words:
            found.append(int(name))
    return found

APP = spark.sparkContext.applicationId
deal()
start = time.time()
expected = deal()
seconds = time.time() - start
for share in (0.2, 0.5, 0.8):
    killer = threading.Timer(seconds * share, lambda: os.kill(executors()[0], signal.SIGKILL))
    killer.start()
    print(deal() == expected)
    killer.join()
spark.stop()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks processes up in /proc")
def test_killed_executors_change_nothing() -> None:
    """An executor that is killed early, midway or late leaves the folds as they were."""
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"] * 3
