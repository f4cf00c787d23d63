import os

import pytest

pytest.register_assert_rewrite("tests.helpers")

if "PYTEST_XDIST_WORKER" in os.environ:
    # Workers share the cores: on small matrices, threads that wait take most of the time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
