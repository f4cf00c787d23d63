"""CSV and Parquet files."""

import os
from pathlib import Path

import polars as pl
import pytest

from stratframe.errors import StratError
from stratframe.frames.files import read_file, write_file

FRAME = pl.DataFrame({"a": [1, None], "b": ["x", "y"]})


@pytest.mark.parametrize("name", ["data.csv", "data.txt", "data.parquet", "DATA.PARQUET"])
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    """A frame comes back from a file of either format; the suffix decides which it is."""
    path = tmp_path / name
    write_file(FRAME, str(path))
    assert read_file(str(path)).equals(FRAME)
    read = pl.read_parquet if name.lower().endswith("parquet") else pl.read_csv
    assert read(path).equals(FRAME)
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_cells_as_text(tmp_path: Path) -> None:
    """On request no cell of a CSV file is taken for a number."""
    path = tmp_path / "data.csv"
    path.write_text("a,b\n007,1.50\n")
    assert read_file(str(path), as_text=True).row(0) == ("007", "1.50")
    assert read_file(str(path)).row(0) == (7, 1.5)


def test_types_come_from_all_rows(tmp_path: Path) -> None:
    """A text after many numbers makes a column of text."""
    path = tmp_path / "data.csv"
    path.write_text("a\n" + "1\n" * 500 + "x\n")
    assert read_file(str(path))["a"].dtype == pl.String


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_permissions_are_those_of_new_files(tmp_path: Path) -> None:
    """A written file has the permissions of any file that the user makes."""
    path, plain = tmp_path / "data.csv", tmp_path / "plain"
    mask = os.umask(0o027)
    try:
        plain.touch()
        write_file(FRAME, str(path))
    finally:
        os.umask(mask)
    assert path.stat().st_mode == plain.stat().st_mode


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """The message names the file and the cause, on one line."""
    missing = str(tmp_path / "none.csv")
    with pytest.raises(StratError) as caught:
        read_file(missing)
    assert str(caught.value) == f"The file {missing!r} cannot be read: No such file or directory."
    broken = tmp_path / "broken.parquet"
    broken.write_text("a,b")
    with pytest.raises(StratError, match=r"broken\.parquet' cannot be read: .*\.$"):
        read_file(str(broken))


def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    """A write that fails leaves the old file as it was, and no draft."""
    missing = str(tmp_path / "none" / "data.csv")
    with pytest.raises(StratError) as caught:
        write_file(FRAME, missing)
    assert str(caught.value) == (
        f"The file {missing!r} cannot be written: No such file or directory."
    )
    path = tmp_path / "data.csv"
    path.write_text("old")
    with pytest.raises(StratError, match=r"data\.csv' cannot be written"):
        write_file(pl.DataFrame({"a": [[1]]}), str(path))
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["data.csv"]
