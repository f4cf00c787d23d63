"""Cells written into the bytes of CSV files."""

import numpy as np
import polars as pl
import pytest

from stratframe.frames.csv_cells import write_cells

FOLDS = pl.DataFrame({"fold": [0, 1, None]})


def write(data: bytes, columns: pl.DataFrame = FOLDS, rows: list[bool] | None = None) -> bytes:
    """Write columns into what Polars reads."""
    flags = None if rows is None else np.array(rows)
    return write_cells(data, pl.read_csv(data), columns, flags)


APPENDED = {
    "plain": (b"a,b\n1,2\n3,4\n5,6\n", b"a,b,fold\n1,2,0\n3,4,1\n5,6,\n"),
    "no last line end": (b"a\n1\n2\n3", b"a,fold\n1,0\n2,1\n3,"),
    "CRLF": (b"a,b\r\n1,2\r\n3,\r\n,6\r\n", b"a,b,fold\r\n1,2,0\r\n3,,1\r\n,6,\r\n"),
    "mixed": (b"a\r\n1\n2\r\n3", b"a,fold\r\n1,0\n2,1\r\n3,"),
    "BOM": (b"\xef\xbb\xbfa\n1\n2\n3\n", b"\xef\xbb\xbfa,fold\n1,0\n2,1\n3,\n"),
    "same names": (b"a,a,a\n1,,2\n3,,\n,,\n", b"a,a,a,fold\n1,,2,0\n3,,,1\n,,,\n"),
    "quotes": (
        b'"a","b,""\n"\n"x,y",1\n"2\r\n\n","3"\n"""",""\n',
        b'"a","b,""\n",fold\n"x,y",1,0\n"2\r\n\n","3",1\n"""","",\n',
    ),
    "blanks": (b"\n\r\na,b\n1,2\n\n3,4", b"\n\r\na,b,fold\n1,2,0\n,,1\n3,4,"),
    "short rows": (b"a,b,c\n1\n1,2\n1,2,3\n", b"a,b,c,fold\n1,,,0\n1,2,,1\n1,2,3,\n"),
    "inches": (b'a,b\n5" 6",1\n2,3\n4,5\n', b'a,b,fold\n5" 6",1,0\n2,3,1\n4,5,\n'),
    "letters": ("é,ß\n€,1\n,\n😀,3\n".encode(), "é,ß,fold\n€,1,0\n,,1\n😀,3,\n".encode()),
}


@pytest.mark.parametrize("case", APPENDED)
def test_new_columns_come_last(case: str) -> None:
    """Each record gets a cell at its end, and all other bytes stay."""
    data, expected = APPENDED[case]
    assert write(data) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'fold,a\n7,1\n"8",2\n,3\n', b"fold,a\n0,1\n1,2\n,3\n"),
        (b'a,fold\r\n"1",7\r\n2,\r\n3,"8\n"', b'a,fold\r\n"1",0\r\n2,1\r\n3,'),
        (b"a,fold,b\n1,,2\n3\n4,5,6\n", b"a,fold,b\n1,0,2\n3,1\n4,,6\n"),
        (b"a,fold,b,fold\n1,,2,8\n3,7,,8\n4,5,6,8\n", b"a,fold,b,fold\n1,0,2,8\n3,1,,8\n4,,6,8\n"),
        (b"fold\n7\n\n8", b"fold\n0\n1\n"),
    ],
)
def test_old_columns_stay_in_their_place(data: bytes, expected: bytes) -> None:
    """The cells of a column that is there are replaced, whatever their length and quotes."""
    assert write(data) == expected


def test_some_rows_are_written() -> None:
    """Cells of other rows stay as they are written."""
    data = b'a,fold\n1,"7"\n2\n3,NA\n'
    assert write(data, rows=[False, True, False]) == b'a,fold\n1,"7"\n2,1\n3,NA\n'


def test_old_and_new_columns() -> None:
    """Columns are written together, those that are new in the order given."""
    columns = pl.DataFrame({"c": [1, 2, 3], "b": ["x", "y", "z"], "d": [4, 5, 6]})
    data = b"a,b\n7\n8,9\n0,0\n"
    assert write(data, columns) == b"a,b,c,d\n7,x,1,4\n8,y,2,5\n0,z,3,6\n"


def test_cells_are_quoted_where_they_must() -> None:
    """Names and cells with a comma, a quote or a line end are quoted."""
    columns = pl.DataFrame({'x, "y"': ["a,b", 'c"', "d\ne"]})
    expected = b'a,"x, ""y"""\n1,"a,b"\n2,"c"""\n3,"d\ne"\n'
    assert write(b"a\n1\n2\n3\n", columns) == expected


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("case", APPENDED)
def test_files_are_read_in_blocks(case: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Quotes, commas and line ends are found wherever a block of the file ends."""
    monkeypatch.setattr("stratframe.frames.csv_cells.BLOCK", size)
    data, expected = APPENDED[case]
    assert write(data) == expected


def test_quotes_that_readers_disagree_on() -> None:
    """Quotes in the middle of a cell around a comma or line end are an error with their line."""
    for data in (b'a,b,c\n1,2,3\n5", 6",1\n4,5,6\n', b'a,b,c\n1,2,3\nx"",5"""\n, ",1\n'):
        frame = pl.DataFrame({"a": [1, 2, 3]})
        with pytest.raises(ValueError, match=r"^line 3 has quotes in the middle of a cell, around"):
            write_cells(data, frame, FOLDS)


def test_a_quote_that_is_not_closed() -> None:
    """A single quote, which would make a quoted cell of what is written, is an error."""
    with pytest.raises(ValueError, match=r"^it has a quote that is not closed$"):
        write(b'a,b\n1,2\n3,4\n5,6"')


def test_other_rows_than_are_read() -> None:
    """A file that has other records than were read is an error with both numbers."""
    with pytest.raises(ValueError, match=r"^its lines are ambiguous: 2 or 3 rows below the header"):
        write_cells(b"a\n1\n2\n", pl.DataFrame({"a": [1, 2, 3]}), FOLDS)
