"""CSV and Parquet files."""

import gzip
import os
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO, TextIOWrapper
from pathlib import Path

import polars as pl
import pytest

from stratframe.errors import StratError
from stratframe.frames.files import check_path, parse_file, read_bytes, read_marks, write_file

FRAME = pl.DataFrame({"a": [1, None], "b": ["x", "y"]})


def read_file(path: str) -> pl.DataFrame:
    """Read and parse a file."""
    return parse_file(read_bytes(path), path)


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.parquet", "DATA.CSV.GZ"])
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    """A frame comes back from a file of either format; the suffix decides which it is."""
    path = tmp_path / name
    write_file(FRAME, str(path))
    assert read_file(str(path)).equals(FRAME)
    read = pl.read_parquet if name.endswith("parquet") else pl.read_csv  # unpacks by itself
    assert read(path).equals(FRAME)
    assert [each.name for each in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("number", ["9" * 40, "-" + "1" * 400])
def test_numbers_too_long_for_integers(tmp_path: Path, number: str) -> None:
    """A column of whole numbers that no type holds is text; the others keep their types."""
    path = tmp_path / "data.csv"
    path.write_text(f"a,b\n{number},1\n2,3\n")
    frame = read_file(str(path))
    assert frame.schema == {"a": pl.String, "b": pl.Int64}
    assert frame["a"].to_list() == [number, "2"]


@pytest.mark.parametrize("first", ["x^2", "x\u0001", "PAR1"])
def test_text_is_not_taken_for_packed(tmp_path: Path, first: str) -> None:
    """A header that starts as a packed file does is a header."""
    path = tmp_path / "data.csv"
    path.write_text(f"{first},b\n1,2\n")
    assert read_file(str(path)).to_dict(as_series=False) == {first: [1], "b": [2]}


def test_packed_files_with_another_name(tmp_path: Path) -> None:
    """A CSV file that is packed is unpacked, also if its name does not say so."""
    path = tmp_path / "data.csv"
    path.write_bytes(gzip.compress(b"a,b\n1,x\n"))
    assert read_file(str(path)).row(0) == (1, "x")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("text", ["é,b\n1,2\n", "a,b\né,2\n"])
def test_other_encodings(tmp_path: Path, encoding: str, text: str) -> None:
    """CSV that is not UTF-8 is an error, wherever the other letters are."""
    path = tmp_path / "data.csv"
    path.write_text(text, encoding=encoding)
    with pytest.raises(StratError) as caught:
        read_file(str(path))
    causes = "it is not in UTF-8", "invalid utf-8 sequence"
    expected = [f"The file {str(path)!r} cannot be read: {cause}." for cause in causes]
    assert str(caught.value) in expected


MARKS = ["", " ", "NA", " NA ", "n/a", "N/A", "nan", "NaN", "null", "NULL", "None", "<NA>", "#N/A"]


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["0", "1"], [0, 1]),
        (["0.0", " 1"], [0.0, 1.0]),
        (["train", "NA?"], ["train", "NA?"]),
        ([], []),
    ],
)
def test_marks_of_missing_values(mark: str, cells: list[str], expected: list[object]) -> None:
    """Blanks and what pandas reads as missing are null, and numbers beside them are numbers."""
    frame = pl.DataFrame({"fold": [*cells, mark, None], "x": [mark] * (len(cells) + 2)})
    read = read_marks(frame, ["fold", "no such"], ())
    assert read["fold"].to_list() == [*expected, None, None]
    assert read["x"].to_list() == frame["x"].to_list()


def test_a_mark_may_be_a_part() -> None:
    """A part that is named NA is a part."""
    frame = pl.DataFrame({"split": ["NA", "EU", "n/a"]})
    assert read_marks(frame, ["split"], ["NA", "EU"])["split"].to_list() == ["NA", "EU", None]


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


@pytest.mark.parametrize("name", ["data.csv.gz", "data.parquet"])
@pytest.mark.parametrize("cut", [-1, -9, 20])
def test_broken_files(tmp_path: Path, name: str, cut: int) -> None:
    """A packed file that is not whole, or is none, is an error in one line."""
    path = tmp_path / name
    write_file(FRAME, str(path))
    for content in (path.read_bytes()[:cut], b"a,b"):
        path.write_bytes(content)
        with pytest.raises(StratError, match=rf"{name}' cannot be read: .*\.$"):
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


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_permissions_of_a_file_stay(tmp_path: Path, mode: int) -> None:
    """A file that is written over keeps its permissions."""
    path = tmp_path / "data.csv"
    path.touch()
    path.chmod(mode)
    write_file(FRAME, str(path))
    assert path.stat().st_mode & 0o7777 == mode
    assert path.read_text() == FRAME.write_csv()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_is_read_only_stays(tmp_path: Path) -> None:
    """A file that the user may not write to is not replaced by another either."""
    path = tmp_path / "data.csv"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(StratError, match=r"cannot be written: Permission denied\.$"):
        write_file(FRAME, str(path))
    assert path.read_text() == "old"


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
@pytest.mark.parametrize("is_there", [True, False])
def test_links_stay(tmp_path: Path, is_there: bool) -> None:
    """What a symbolic link leads to is written, in its own folder, and the link stays."""
    (tmp_path / "data").mkdir()
    target, link = tmp_path / "data" / "target.csv", tmp_path / "link.csv"
    link.symlink_to(target)
    if is_there:
        target.touch(0o600)
    write_file(FRAME, str(link))
    assert link.is_symlink()
    assert target.read_text() == FRAME.write_csv()
    assert list(target.parent.iterdir()) == [target]
    link.unlink()
    link.symlink_to(link)
    with pytest.raises(StratError, match=r"link\.csv' cannot be written: .*\.$"):
        write_file(FRAME, str(link))


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_named_pipes_stay(tmp_path: Path) -> None:
    """A named pipe is written to, and not replaced by a file."""
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    with ThreadPoolExecutor() as pool:
        read = pool.submit(path.read_text)
        write_file(FRAME, str(path))
        assert read.result(timeout=60) == FRAME.write_csv()
    assert path.is_fifo()
