"""The page on engines is true: its code for Spark runs as it stands."""

import pytest

from tests.test_docs import ROOT, blocks

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


def test_the_code_of_the_page_runs(capsys):
    """The example makes a frame, deals it, judges it, and reads its folds."""
    page = ROOT / "docs" / "beyond-one-machine.md"
    ((_, code, _),) = [each for each in blocks(page) if each[0] == "python"]
    names: dict[str, object] = {}
    exec(code, names)
    assert capsys.readouterr().out.split() == ["0", "12", "6", "1", "12", "6", "2", "12", "6"]
