"""Files that cannot be read or written, and columns that cannot be named."""

from pathlib import Path

import polars as pl
import pytest

from stratframe.frames.files import parse_times
from tests.command.calls import check_error

Capture = pytest.CaptureFixture[str]

ENDINGS = "A file name must end in .csv, .tsv, .csv.gz or .parquet, got"
STANDARD = "Hint: `-` stands for standard input or output, in CSV format."
LINKS = "Too many levels of symbolic links"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param("kfold in.csv --out ''", f"{ENDINGS} ''. {STANDARD}", id="no_output"),
        pytest.param(
            "kfold in.csv --out x.gz", f"{ENDINGS} 'x.gz'. {STANDARD}", id="no_type_of_output"
        ),
        pytest.param(
            "check x.parquet.gz", f"{ENDINGS} 'x.parquet.gz'. {STANDARD}", id="no_type_of_input"
        ),
        pytest.param(
            "check dir.csv/",
            f"{ENDINGS} 'dir.csv/', a directory. {STANDARD}",
            id="directory_with_a_slash",
        ),
        pytest.param(
            "check no.csv",
            "The file 'no.csv' cannot be read: No such file or directory.",
            id="no_such_file",
        ),
        pytest.param(
            "check dir.csv", "The file 'dir.csv' cannot be read: Is a directory.", id="directory"
        ),
        pytest.param(
            "check loop.csv", f"The file 'loop.csv' cannot be read: {LINKS}.", id="loop_of_links"
        ),
        pytest.param(
            "kfold in.csv --out loop.csv",
            f"The file 'loop.csv' cannot be written: {LINKS}.",
            id="output_in_a_loop_of_links",
        ),
        pytest.param(
            "kfold in.csv --out dir.csv",
            "The file 'dir.csv' cannot be written: Is a directory.",
            id="directory_as_output",
        ),
        pytest.param(
            "kfold in.csv --out in.csv/out.csv",
            "The file 'in.csv/out.csv' cannot be written: Not a directory.",
            id="output_in_a_file",
        ),
        pytest.param(
            "kfold in.csv --by label,price --out out.csv",
            "`by` names the column 'label,price', which the frame does not have. Hint: several"
            ' columns go in a list: `["label", "price"]`.',
            id="columns_joined_by_a_comma",
        ),
        pytest.param(
            "kfold in.csv --by 'a\x1b\udcff' --rare ignore --out out.csv",
            "`by` names the column 'a\\x1b\\udcff', which the frame does not have. Hint: the"
            " columns are 'id', 'label', 'sex', 'price', 'pair', ...",
            id="column_that_cannot_be_printed",
        ),
    ],
)
def test_errors_are_one_line(command: str, message: str, home: Path, capsys: Capture) -> None:
    """An error is one line on stderr and exit code 2, and changes no file."""
    Path("dir.csv").mkdir()
    Path("loop.csv").symlink_to("loop.csv")

    check_error(command, message, home, capsys)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        pytest.param("", "empty CSV", id="empty"),
        pytest.param("a,b\r1,2\r3,4\r", "its lines end in CR alone, not in LF or CR LF", id="cr"),
        pytest.param(
            'a,"b\r"\r1,"2\n"\r\n',
            "its lines end in CR alone, not in LF or CR LF",
            id="cr_and_quoted_line_ends",
        ),
        pytest.param(
            '"a,b\n' + "1,2\n" * 40_000,
            "a name in its header has more than 131,072 characters, perhaps as a quote is not"
            " closed",
            id="open_quote",
        ),
    ],
)
def test_texts_that_are_no_csv(text: str, cause: str, home: Path, capsys: Capture) -> None:
    """Text that is no CSV is an error that says what is wrong with it."""
    Path("in.csv").write_text(text, newline="")

    check_error(
        "kfold in.csv -k 2 --out out.csv",
        f"The file 'in.csv' cannot be read: {cause}.",
        home,
        capsys,
    )


def test_nested_data_are_no_csv(home: Path, capsys: Capture) -> None:
    """A column of lists is not written as CSV."""
    pl.DataFrame({"x": [[1], [2]]}).write_parquet("lists.parquet")

    check_error(
        "kfold lists.parquet -k 2 --out out.csv",
        "The file 'out.csv' cannot be written: CSV format does not support nested data.",
        home,
        capsys,
    )


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        pytest.param("", "name", id="output"),
        pytest.param("--name fold_duplicated_0", "name", id="name_that_polars_gives"),
        pytest.param("--name f --by 'margins([y, quantiles(fold, 2)])'", "by", id="in_a_term"),
        pytest.param("--name f --key fold", "key", id="key"),
        pytest.param(
            "--name f --key fold_duplicated_0", "key", id="key_by_the_name_that_polars_gives"
        ),
    ],
)
def test_columns_that_occur_twice(options: str, argument: str, home: Path, capsys: Capture) -> None:
    """A column whose name occurs twice cannot be named, neither as written nor as Polars has it."""
    Path("twice.csv").write_text("y,fold,fold\na,0,1\nb,1,0\n")

    check_error(
        f"kfold twice.csv {options} --out out.csv",
        f"`{argument}` names the column 'fold', which occurs 2 times in the frame. Hint: rename or"
        " drop all but one of these columns first.",
        home,
        capsys,
    )


@pytest.mark.parametrize(
    ("texts", "dtype"),
    [
        pytest.param(["2024-03-01", "", "2024-03-02"], pl.Datetime("us"), id="dates"),
        pytest.param(
            ["2024-03-01T12:00:00.25", "2024-03-02 12:00", "NA"], pl.Datetime("us"), id="times"
        ),
        pytest.param(
            ["2024-03-01T12:00Z", "2024-03-02T12:00+02:00", None],
            pl.Datetime("us", "UTC"),
            id="times_with_a_zone",
        ),
        pytest.param(["12", " NA ", "2"], pl.Float64, id="numbers"),
        pytest.param(
            ["0001-01-01T00:00+01:00", "2024-03-01T12:00Z"],
            pl.String,
            id="before_the_first_year_in_utc",
        ),
        pytest.param(["2024-03-01", "3/2/2024", None], pl.String, id="not_iso"),
    ],
)
def test_iso_text_is_read_as_times(texts: list[str | None], dtype: pl.DataType) -> None:
    """Text is read as times if all of it is ISO and in the range of UTC; marks are missing."""
    (found,) = parse_times(pl.DataFrame({"t": texts}), "t", "in.csv")

    assert found.dtype == dtype
    if dtype != pl.String:
        assert found.drop_nulls().is_sorted() or dtype == pl.Float64
        assert found.null_count() == 1
