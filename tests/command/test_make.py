"""`kfold`, `split` and `extend` of files."""

import csv
import gzip
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import polars as pl
import pytest

import stratframe as sf
from tests.command.calls import CSV, DATA, call, check_error
from tests.helpers import values

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch

FOURS = sf.quantiles("price", 4)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param("kfold --k 4", sf.kfold(DATA, k=4), id="no_strata"),
        pytest.param(
            "kfold --by label --by sex -k3 --name f --seed 9",
            sf.kfold(DATA, ["label", "sex"], 3, name="f", seed=9),
            id="nested",
        ),
        pytest.param(
            "kfold --by label --groups sex --groups pair -k 3",
            sf.kfold(DATA, "label", 3, groups=["sex", "pair"]),
            id="several_columns_of_groups",
        ),
        pytest.param(
            "kfold --groups 'clusters([id, price], n=6)' -k3",
            sf.kfold(DATA, k=3, groups=sf.clusters(["id", "price"], n=6)),
            id="groups_by_a_term",
        ),
        pytest.param(
            "kfold --by label --by 'quantiles(price, 4)' --by 'bins(id, [0, 9, inf])'",
            sf.kfold(DATA, ["label", FOURS, sf.bins("id", [0, 9, float("inf")])]),
            id="terms",
        ),
        pytest.param(
            "kfold --by 'sf.margins([label, quantiles(price, 4)])'",
            sf.kfold(DATA, sf.margins(["label", FOURS])),
            id="term_in_a_term",
        ),
        pytest.param(
            "kfold --by label --repeats 2 --key sex --key id",
            sf.kfold(DATA, "label", repeats=2, key=["sex", "id"]),
            id="repeats",
        ),
        pytest.param(
            "kfold --by price --where old --rare ignore",
            sf.kfold(DATA, "price", where="old", rare="ignore"),
            id="where",
        ),
        pytest.param(
            "kfold --by label --name pair --overwrite",
            sf.kfold(DATA, "label", name="pair", overwrite=True),
            id="overwrite",
        ),
        pytest.param(
            "split --by label --parts 0.3 --repeats 3",
            sf.split(DATA, "label", 0.3, repeats=3),
            id="share_of_the_test_part",
        ),
        pytest.param(
            "split --parts 'train=rest, valid=5,test=8'",
            sf.split(DATA, None, {"train": None, "valid": 5, "test": 8}),
            id="counts",
        ),
        pytest.param(
            "split --by label --each 3", sf.split(DATA, "label", each=3), id="rows_of_each_stratum"
        ),
        pytest.param(
            "split --by label --each train=rest,valid=1,test=2",
            sf.split(DATA, "label", each={"train": None, "valid": 1, "test": 2}),
            id="rows_of_each_stratum_in_parts",
        ),
        pytest.param(
            "split --deal hash --key id --parts a=.5,b=.5",
            sf.split(DATA, parts={"a": 0.5, "b": 0.5}, deal="hash", key="id"),
            id="hash",
        ),
    ],
)
def test_command_is_the_verb(command: str, expected: pl.DataFrame) -> None:
    """A command writes the file with the columns that the function adds."""
    verb, _, options = command.partition(" ")

    assert call(f"{verb} in.csv {options} --out out.csv") == 0

    assert Path("out.csv").read_text() == expected.write_csv()


@pytest.mark.parametrize(
    ("source", "out"),
    [
        ("in.csv", "in.csv"),
        ("in.csv", "out.parquet"),
        ("in.csv.gz", "in.csv.gz"),
        ("in.csv.gz", "out.csv"),
        ("in.parquet", "in.parquet"),
        ("in.parquet", "out.csv.gz"),
    ],
)
def test_files_of_all_types(source: str, out: str, home: Path) -> None:
    """From any type of file to any other, or over itself, the rows stay and no draft is left."""
    Path("in.csv.gz").write_bytes(gzip.compress(CSV.encode()))
    DATA.write_parquet("in.parquet")

    assert call(f"kfold {source} --by label --by price --out {out}") == 0

    read = pl.read_parquet if out.endswith("parquet") else pl.read_csv
    assert read(out).equals(sf.kfold(pl.read_csv("in.csv"), ["label", "price"], overwrite=True))
    assert {each.name for each in home.iterdir()} == {"in.csv", "in.csv.gz", "in.parquet", out}


@pytest.mark.parametrize(
    ("command", "change"),
    [
        pytest.param("kfold", "new column 'fold'", id="new_column"),
        pytest.param(
            "kfold --repeats 2", "new columns 'fold_1', 'fold_2'", id="new_columns_of_repeats"
        ),
        pytest.param(
            "kfold --name pair --overwrite", "replaced column 'pair'", id="replaced_column"
        ),
        pytest.param(
            "split --repeats 2", "new columns 'split_1', 'split_2'", id="new_columns_of_parts"
        ),
    ],
)
def test_command_says_what_it_did(command: str, change: str, capsys: Capture) -> None:
    """A command names the columns that are new or replaced."""
    assert call(f"{command} in.csv --out out.csv") == 0

    assert capsys.readouterr().out == f"out.csv: 40 rows, {change}\n"


def test_command_prints_the_balance(capsys: Capture) -> None:
    """A command prints the counts of every stratum in every fold, of the first column."""
    assert call("kfold in.csv --by label --k 2 --repeats 2 --out out.csv") == 0

    assert capsys.readouterr().out == (
        "out.csv: 40 rows, new columns 'fold_1', 'fold_2'\n"
        "   label   0   1\n"
        "   a      10  10\n"
        "   b      10  10\n"
        "fold_1 is fit for use\n"
        "  ok       label: even, each class within a row of its share\n"
        "  ok       sizes: 2 folds of 20 rows\n"
    )


def test_strata_that_are_called_as_a_column_of_the_table(capsys: Capture) -> None:
    """If the table of counts cannot be made, because a stratum is called `n`, none is printed."""
    DATA.with_columns(n="label").write_csv("in.csv")

    assert call("kfold in.csv --by n --out out.csv") == 0

    assert capsys.readouterr().out == "out.csv: 40 rows, new column 'fold'\n"


def test_missing_values_of_both_kinds_are_a_stratum(capsys: Capture) -> None:
    """NaN and empty cells are one stratum of the table that is printed."""
    Path("in.csv").write_text("y,z\n" + "1.0,a\n2.5,b\nNaN,a\n,b\nNaN,b\n,a\n" * 2)

    assert call("kfold in.csv --by z --by 'classes(y)' -k 2 --missing stratum --out out.csv") == 0

    assert "   b, 2.5   1  1\n   b, None  2  2\n" in capsys.readouterr().out


def test_long_tables_are_cut(capsys: Capture) -> None:
    """A balance table of many strata shows the first twenty, and how many more there are."""
    assert call("kfold in.csv --by 'classes(id)' --rare ignore --out out.csv") == 0

    out = capsys.readouterr().out
    assert "\n   19  " in out
    assert "\n   20  " not in out
    assert "\n    ... and 20 more\n" in out


def test_control_characters_are_escaped(capsys: Capture) -> None:
    """Control characters of cells, headers, parts and file names are printed as `repr` does."""
    frame = pl.DataFrame({"red\x1b[31m": ["\x1b[1mbold", "a\ttab", " outer"] * 4})
    frame.write_csv("in.csv")
    options = "--by 'red\x1b[31m' --parts '\x07=0.5,b=0.5' --name 'new\x1b'"

    assert call(f"split in.csv {options} --out 'out\x1b.csv'") == 0

    out, err = capsys.readouterr()
    assert out.startswith(
        "'out\\x1b.csv': 12 rows, new column 'new\\x1b'\n"
        "   'red\\x1b[31m'  '\\x07'  b\n"
        "   '\\x1b[1mbold'       2  2\n"
        "   ' outer'            2  2\n"
        "   'a\\ttab'            2  2\n"
    )
    assert out.replace("\n", "").isprintable()
    assert err == ""


def test_extend_fills_the_gaps_alone(capsys: Capture) -> None:
    """`extend` gives rows without a fold one; all other cells stay as they are written."""
    folds = ["0.0", "1", "02", "0"]
    cells = [*folds, *[""] * 8]
    lines = [f"{row:03},{'ab'[row % 2]},{cell}\n" for row, cell in enumerate(cells)]
    Path("in.csv").write_text("id,y,part\n" + "".join(lines))

    assert call("extend in.csv --by y -k 3 --name part --key id --out out.csv") == 0

    filled = "filled 8 cells of column 'part'\n   y  0  1  2\n"
    assert filled in capsys.readouterr().out
    frame = pl.read_csv("in.csv").with_columns(pl.col("part").cast(pl.Float64))
    expected = sf.extend(frame, "y", 3, name="part", key="id")["part"]
    rows = list(csv.reader(Path("out.csv").read_text().splitlines()[1:]))
    assert [row[0] for row in rows] == [f"{row:03}" for row in range(12)]
    assert [row[2] for row in rows] == folds + [f"{fold:.0f}" for fold in expected[4:]]


@pytest.mark.parametrize("parts", ["", "--parts train=0.5,valid=0.25,test=0.25"])
def test_extend_fills_parts(parts: str) -> None:
    """`extend` fills a column of parts, and leaves the rows of which `--where` is false."""
    names = ["train", "train", "valid", "test"] * 4
    rows = [f"{name},true" for name in names] + [",true"] * 8 + [",false"] * 4
    Path("in.csv").write_text("split,new\n" + "\n".join(rows) + "\n")

    assert call(f"extend in.csv {parts} --where new --name split --out out.csv") == 0

    found = values(pl.read_csv("out.csv"), "split")
    assert found[:16] == names
    assert sorted(found[16:24]) == ["test"] * 2 + ["train"] * 4 + ["valid"] * 2
    assert found[24:] == [None] * 4


def test_extend_fills_the_columns_of_repeats(capsys: Capture) -> None:
    """If there is no column `fold`, `extend` fills fold_1, fold_2, ..., marks such as NA too."""
    Path("in.csv").write_text("y,fold_1,fold_2\na,0,1\nb,1,0\na,NA,\nb,1, \na,1,0\nb,0,1\n")

    assert call("extend in.csv --by y -k 2 --out out.csv") == 0

    assert "filled 3 cells of columns 'fold_1', 'fold_2'" in capsys.readouterr().out
    assert pl.read_csv("out.csv").null_count().sum_horizontal().item() == 0


def test_extend_needs_folds_of_one_kind(home: Path, capsys: Capture) -> None:
    """Folds with words among them are refused, with the rows of the words."""
    Path("in.csv").write_text("fold\n0\n1\nNA\n?\n0\nx\n")

    check_error(
        "extend in.csv --out in.csv",
        "`extend` needs folds 0..k-1 in 'fold', but there are other values in 2 rows (3, 5). Hint:"
        " an empty cell or NA stands for a missing fold.",
        home,
        capsys,
    )


def test_nothing_fails_after_the_file_is_written(monkeypatch: Patch) -> None:
    """What is printed about a file is made first: if that fails, no file is written."""
    monkeypatch.setattr("stratframe.balance", Mock(side_effect=ZeroDivisionError))

    assert call("kfold in.csv --by label --out out.csv") == 2

    assert not Path("out.csv").exists()


def test_messages_stay_as_they_are(home: Path, monkeypatch: Patch, capsys: Capture) -> None:
    """A message names arguments as it does in Python, on one line."""
    message = '`rare="error"`: no.\nHint: `df.strat.kfold(..., name="a")` or `k=5`.'
    monkeypatch.setattr("stratframe.kfold", Mock(side_effect=sf.StratError(message)))

    check_error("kfold in.csv --out out.csv", message.replace("\n", " "), home, capsys)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        pytest.param(
            OverflowError("too\nlarge"),
            "unexpected OverflowError: too large",
            id="error_of_two_lines",
        ),
        pytest.param(MemoryError(), "There is not enough memory.", id="no_memory"),
        pytest.param(
            MemoryError("Unable to allocate 9 GiB"),
            "There is not enough memory. Unable to allocate 9 GiB",
            id="no_memory_for_an_array",
        ),
    ],
)
def test_unexpected_errors_do_not_look_like_leaks(
    error: Any, message: str, home: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    """An error that nobody foresaw is one line and exit code 2: 1 means that rows leak."""
    monkeypatch.setattr("stratframe.frames.files.read_file", Mock(side_effect=error))

    check_error("check in.csv", message, home, capsys)
