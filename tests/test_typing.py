"""The types that a user's checker sees."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("path", sorted(ROOT.glob("tests/typing/*.py")), ids=lambda path: path.name)
def test_types_are_kept(path: Path, tmp_path: Path) -> None:
    """`df.pipe(sf.kfold, "label")` type-checks strictly, and keeps the type of the frame."""
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
