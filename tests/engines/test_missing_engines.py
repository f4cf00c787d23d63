"""Without Dask or Spark an error names the extra that installs it, and nothing else needs it."""

import subprocess
import sys

import pytest

IMPORT = """
import sys
sys.modules["{engine}"] = None
import stratframe
assert "{engine}" not in sys.modules or sys.modules["{engine}"] is None
try:
    import stratframe.{module}
except ImportError as error:
    print(error)
"""


@pytest.mark.parametrize(("module", "engine"), [("dask", "dask"), ("spark", "pyspark")])
def test_a_missing_engine_names_its_extra(module, engine):
    """Importing the module of an engine that is missing tells what to install."""
    code = IMPORT.format(module=module, engine=engine)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f'{engine} is not installed: pip install "stratframe[{module}]"'
