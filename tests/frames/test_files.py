"""CSV and Parquet files."""

import gzip
import os
from pathlib import Path

import polars as pl
import pytest

from stratframe.errors import StratError
from stratframe.frames.files import encode_frame, read_file, read_folds, write_file

FRAME = pl.DataFrame({"a": [1, None], "b": ["x", "y"]})
posix = pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")


def read(path: Path) -> pl.DataFrame:
    return read_file(str(path)).frame


def write(path: Path) -> None:
    write_file(encode_frame(FRAME, str(path), ","), str(path))


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.parquet", "DATA.CSV.GZ"])
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    """A frame comes back from a file of any type, which holds neither its name nor the time."""
    path, second = paths = [tmp_path / name, tmp_path / f"other{name}"]
    for each in paths:
        write(each)
        assert read(each).equals(FRAME)
    assert path.read_bytes() == second.read_bytes()
    others = pl.read_parquet if name.endswith("parquet") else pl.read_csv  # unpacks by itself
    assert others(path).equals(FRAME)
    assert sorted(tmp_path.iterdir()) == sorted(paths)


TEXTS = {
    "a,b\n" + "1,1\n" * 200 + "x,1\n": (pl.String, pl.Int64),
    "a,b\n-" + "1" * 40 + ",1\n2,3\n": (pl.String, pl.Int64),
    "a,b\n-" + "1" * 20 + ",1\nx,3\n": (pl.String, pl.Int64),
    "a,b\n12,٣٤\n1,2\n٣,4\n": (pl.String, pl.String),
    "a,b\n1.5,1\n٣.٤,2\n": (pl.String, pl.Int64),
    "a at column 'b' (column number 7),b\n٣,1\n": (pl.String, pl.Int64),
    "x^2,b\n1,2\n": (pl.Int64, pl.Int64),
    "PAR1,b\n1,2\n": (pl.Int64, pl.Int64),
    "\ufeff\r\n\na,b\r\n1,true\r\n": (pl.Int64, pl.Boolean),
}
"""CSV, and the types of its columns; some starts as packed files do, or with blank lines."""


@pytest.mark.parametrize("text", TEXTS)
def test_types_come_from_all_rows(tmp_path: Path, text: str) -> None:
    """A text or a number too long for a type makes a column of text, also in a packed file."""
    path = tmp_path / "data.csv"
    for content in (text.encode(), gzip.compress(text.encode())):
        path.write_bytes(content)
        frame = read(path)
        assert tuple(frame.dtypes) == TEXTS[text]
        assert ",".join(frame.columns) == text.lstrip("\ufeff\r\n").splitlines()[0]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "utf-32"])
def test_other_encodings(tmp_path: Path, encoding: str) -> None:
    """CSV that is not UTF-8 is an error, wherever the other letters are."""
    path = tmp_path / "data.csv"
    for text in ("é,b\n1,2\n", "a,b\né,2\n"):
        path.write_text(text, encoding=encoding)
        with pytest.raises(StratError, match=r"data\.csv' cannot be read: (?i:.*utf-8.*)\.$"):
            read(path)


MARKS = ["", " ", "NA", " NA ", "n/a", "N/A", "nan", "NaN", "null", "NULL", "None", "<NA>", "#N/A"]
CELLS = [(["0", "1"], [0, 1]), (["0.0", " 1"], [0.0, 1.0]), ([], [])]
CELLS += [(texts, texts) for texts in (["train", "NA?"], ["0", "b"])]


@pytest.mark.parametrize(("cells", "expected"), CELLS)
def test_marks_of_missing_values(cells: list[str], expected: list[object]) -> None:
    """Blanks and what pandas reads as missing are null, and numbers beside them are numbers."""
    frame = pl.DataFrame({"fold": [*cells, *MARKS, None], "x": [*cells, *MARKS, ""]})
    found = read_folds(frame, ["fold", "no such"], (), alike=False)
    assert found["fold"].to_list() == [*expected, *[None] * (len(MARKS) + 1)]
    assert found["x"].to_list() == frame["x"].to_list()


def test_a_mark_may_be_a_part() -> None:
    """A part that is named NA is a part."""
    frame = pl.DataFrame({"split": ["NA", "EU", "n/a"]})
    found = read_folds(frame, ["split"], ["NA", "EU"], alike=False)
    assert found["split"].to_list() == ["NA", "EU", None]


@pytest.mark.parametrize("name", ["data.csv.gz", "data.parquet"])
@pytest.mark.parametrize("cut", [-1, -9, 20])
def test_broken_files(tmp_path: Path, name: str, cut: int) -> None:
    """A packed file that is cut short, or is not packed at all, is an error in one line."""
    path = tmp_path / name
    write(path)
    for content in (path.read_bytes()[:cut], b"a,b"):
        path.write_bytes(content)
        with pytest.raises(StratError, match=rf"{name}' cannot be read: .*\.$"):
            read(path)


@posix
@pytest.mark.parametrize("mode", [None, 0o600, 0o664])
def test_permissions(tmp_path: Path, mode: int | None) -> None:
    """A file that is written over keeps its permissions; a new one has those of any file."""
    path = tmp_path / "data.csv"
    other = tmp_path / "other"
    other.touch()
    if mode is not None:
        path.touch()
        for each in (path, other):
            each.chmod(mode)
    write(path)
    assert path.stat().st_mode == other.stat().st_mode
    assert path.read_text() == FRAME.write_csv()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_is_read_only_stays(tmp_path: Path) -> None:
    """A file that the user may not write to is not replaced by a new one."""
    path = tmp_path / "data.csv"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(StratError, match=r"cannot be written: Permission denied\.$"):
        write(path)
    assert path.read_text() == "old"


@posix
@pytest.mark.parametrize("is_there", [True, False])
def test_links_stay(tmp_path: Path, is_there: bool) -> None:
    """Writing to a symbolic link writes the file that it leads to, and the link stays."""
    target = tmp_path / "data" / "target.csv"
    link = tmp_path / "link.csv"
    target.parent.mkdir()
    link.symlink_to(target)
    if is_there:
        target.touch(0o600)
    write(link)
    assert link.is_symlink()
    assert target.read_text() == FRAME.write_csv()
    assert list(target.parent.iterdir()) == [target]
