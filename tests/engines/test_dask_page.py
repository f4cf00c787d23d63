"""The page on engines is true: its code for Dask runs, and gives what the page shows."""

from typing import Any

import pytest

from tests.test_docs import ROOT, blocks, check_outputs

dask = pytest.importorskip("dask", reason='needs pip install "stratframe[dask]"')

pytestmark = pytest.mark.dask


def test_the_code_of_the_page_gives_what_it_shows():
    """The examples of the page run from top to bottom."""
    page = ROOT / "docs" / "beyond-one-machine.md"
    names: dict[str, Any] = {}
    found = [each for each in blocks(page) if each[0] == "pycon"]
    assert found
    with dask.config.set(scheduler="synchronous"):
        for _, code, line in found:
            failures = check_outputs(code, names, page, line)
            assert not failures, failures
