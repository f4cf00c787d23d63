"""The tests that the page for contributors shows are run here, as they stand on the page."""

from tests.command.conftest import home
from tests.helpers import run_shown
from tests.test_docs import ROOT, blocks

__all__ = ["home"]

PAGE = ROOT / "docs" / "contributing.md"
SHOWN = [code for language, code, _ in blocks(PAGE) if language == "python"]


def run_examples() -> dict[str, object]:
    names: dict[str, object] = {"__name__": "contributing"}
    for code in SHOWN:
        run_shown(code, str(PAGE), names=names)
    return {name: each for name, each in names.items() if name.startswith("test_")}


globals().update(run_examples())


def test_the_page_shows_a_test_of_a_finding_and_one_of_the_command() -> None:
    """The page has an example of each kind of test that it explains."""
    assert len(run_examples()) == len(SHOWN) == 2
