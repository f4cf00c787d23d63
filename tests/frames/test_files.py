"""CSV and Parquet files."""

import gzip
import os
from io import BytesIO, TextIOWrapper
from pathlib import Path

import polars as pl
import pytest

from stratframe.errors import StratError
from stratframe.frames.files import check_path, parse_file, read_bytes, write_file

FRAME = pl.DataFrame({"a": [1, None], "b": ["x", "y"]})


def read_file(path: str, *, as_text: bool = False) -> pl.DataFrame:
    """Read and parse a file."""
    return parse_file(read_bytes(path), path, as_text=as_text)


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.parquet", "DATA.CSV.GZ"])
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    """A frame comes back from a file of either format; the suffix decides which it is."""
    path = tmp_path / name
    write_file(FRAME, str(path))
    assert read_file(str(path)).equals(FRAME)
    read = pl.read_parquet if name.endswith("parquet") else pl.read_csv  # unpacks by itself
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


def test_packed_files_are_the_same_each_time(tmp_path: Path) -> None:
    """A packed file holds neither its name nor the time."""
    paths = [tmp_path / "a.csv.gz", tmp_path / "b.csv.gz"]
    for path in paths:
        write_file(FRAME, str(path))
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert gzip.decompress(first) == FRAME.write_csv().encode()


def test_a_pipe_is_csv(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The path - is standard input and output."""
    check_path("-")
    write_file(FRAME, "-")
    written = capsysbinary.readouterr().out
    assert written == FRAME.write_csv().encode()
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(written)))
    assert read_file("-").equals(FRAME)


@pytest.mark.parametrize("path", ["data", "data.txt", "data.gz", "csv", "data.parquet.gz", ""])
def test_other_suffixes(path: str) -> None:
    """A suffix must say what the file is."""
    with pytest.raises(StratError) as caught:
        check_path(path)
    assert str(caught.value) == (
        f"A file name must end in .csv, .csv.gz or .parquet, got {path!r}."
        "\nHint: - is standard input or output, as CSV."
    )


@pytest.mark.parametrize("cut", [-1, -9, 20])
def test_broken_packed_files(tmp_path: Path, cut: int) -> None:
    """A packed file that is not whole, or is none, is an error in one line."""
    path = tmp_path / "data.csv.gz"
    write_file(FRAME, str(path))
    for content in (path.read_bytes()[:cut], b"a,b"):
        path.write_bytes(content)
        with pytest.raises(StratError, match=r"data\.csv\.gz' cannot be read: .*\.$"):
            read_file(str(path))


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
