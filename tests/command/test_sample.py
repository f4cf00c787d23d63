"""`sample` of files."""

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.command.calls import DATA, call

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("ending", "options", "arguments"),
    [
        ("parquet", "--n 10", {"n": 10}),
        ("csv", "--frac 0.3 --seed 4 --key id", {"frac": 0.3, "seed": 4, "key": "id"}),
        ("csv", "--each 4", {"each": 4}),
        ("csv", "--n 9 --allocation equal", {"n": 9, "allocation": "equal"}),
    ],
)
def test_sample_is_that_of_python(
    ending: str, options: str, arguments: dict[str, Any], capsys: Capture
) -> None:
    """The rows in the file are those that `sf.sample` draws."""
    getattr(DATA, f"write_{ending}")(f"in.{ending}")

    assert call(f"sample in.{ending} --by label {options} --out out.{ending}") == 0

    expected = sf.sample(DATA, "label", **arguments)
    sample = getattr(pl, f"read_{ending}")(f"out.{ending}")
    assert sample.equals(expected)
    assert capsys.readouterr().out == f"out.{ending}: {len(expected)} of 40 rows\n"


def test_cells_are_copied_as_written() -> None:
    """Cells, separators and line ends of CSV stay, and blank lines go."""
    lines = ["id;label;fold;fold", "007;a;1;2", "", '008;a;"x;y";', "009;a;;1.50"]
    Path("in.csv").write_bytes("\r\n".join(lines).encode())

    assert (
        call("sample in.csv --by label --n 3 --separator ; --out out.csv".replace(";", "';'")) == 0
    )

    assert Path("out.csv").read_bytes() == "\r\n".join(each for each in lines if each).encode()


def test_index_of_pandas_is_kept() -> None:
    """The index and the dtypes that pandas wrote to Parquet stay those of the rows."""
    index = pd.Index([f"row {row}" for row in range(40)], name="row")
    frame = pd.DataFrame({"label": ["a", "b"] * 20, "x": range(40)}, index=index)
    frame.to_parquet("in.parquet")

    assert call("sample in.parquet --by label --n 7 --out out.parquet") == 0

    pd.testing.assert_frame_equal(pd.read_parquet("out.parquet"), sf.sample(frame, "label", n=7))


def test_column_named_like_the_positions_is_kept() -> None:
    """A file may have a column with the name under which positions are read."""
    frame = DATA.rename({"price": "position"})
    frame.write_csv("in.csv")

    assert call("sample in.csv --by position --n 5 --out out.csv") == 0

    assert pl.read_csv("out.csv").equals(sf.sample(frame, "position", n=5))


def test_bad_sizes_leave_no_file(capsys: Capture) -> None:
    """An error of the verb is one line, and nothing is written."""
    DATA.write_csv("in.csv")

    assert call("sample in.csv --by label --out out.csv") == 2

    assert "Exactly one of" in capsys.readouterr().err
    assert not Path("out.csv").exists()
