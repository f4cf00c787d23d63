"""Without Dask or Spark an error names the extra that installs it, and nothing else needs it."""

import subprocess
import sys

IMPORT = """
import sys
sys.modules["dask"] = None
sys.modules["pyspark"] = None
import stratframe
assert sys.modules["dask"] is sys.modules["pyspark"] is None
try:
    import stratframe.dask
except ImportError as error:
    print(error)
try:
    import stratframe.spark
except ImportError as error:
    print(error)
"""


def test_a_missing_engine_names_its_extra():
    """Importing the module of an engine that is missing tells what to install."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        'dask is not installed: pip install "stratframe[dask]"',
        'pyspark is not installed: pip install "stratframe[spark]"',
    ]
