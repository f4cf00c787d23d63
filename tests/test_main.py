"""`python -m stratframe`."""

import csv
import gzip
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib import import_module
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from stratframe.__main__ import main
from stratframe.frames.files import parse_times
from tests.helpers import values

DATA = pl.DataFrame({"id": range(40), "label": ["a", "b"] * 20, "sex": [*"mmff"] * 10})
ID = pl.col("id")
DATA = DATA.with_columns(price=ID / 7, pair=ID // 4, old=ID < 30)
CSV = DATA.write_csv()
PROJECT, HAS_FULL = Path(__file__).parents[1], Path("/dev/full").exists()
Capture, Patch = pytest.CaptureFixture[str], pytest.MonkeyPatch


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: Patch) -> Path:
    """A folder of its own for each test, which holds the data as in.csv."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["stratframe"])
    Path("in.csv").write_text(CSV)
    return tmp_path


def call(command: str) -> int:
    """Run what follows `stratframe` in this process."""
    return main(shlex.split(command))


def run(command: str, stdin: str = "", **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    args = [sys.executable, "-m", "stratframe", *shlex.split(command)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.run(args, input=stdin, text=True, check=False, **streams)


def test_example_is_run_by_the_module(home: Path) -> None:
    """`python -m stratframe` prints the folds, what a check says, and what to type next."""
    done = run("")
    assert (done.returncode, done.stderr) == (0, "")
    (counts,) = re.findall(r"class_0((?:  [0-9]{2}){5})\n", done.stdout)
    assert sorted(counts.split()) == ["11", "12", "12", "12", "12"]
    assert "   class    train  valid  test\n" in done.stdout
    lines = done.stdout.splitlines()
    for check, said in (('"class"', "fold"), ('"class", "split"', "split")):
        assert lines[lines.index(f">>> df.strat.check({check})") + 1] == f"{said} is fit for use"
    assert "pandas and Polars got the same columns." in lines
    assert "A picture of the folds: stratframe-example.png" in lines
    assert (home / "stratframe-example.png").read_bytes().startswith(b"\x89PNG")
    assert "  python -m stratframe check folded.csv --by label" in lines
    assert lines[-1] == '  df.strat.check("label")'


def test_example_needs_no_picture(home: Path, monkeypatch: Patch, capsys: Capture) -> None:
    """Without matplotlib the example has no picture, but is whole."""
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    assert main([]) == 0
    out = capsys.readouterr().out
    assert "picture" not in out
    assert "  stratframe check folded.csv --by label\n" in out
    assert out.endswith('df.strat.check("label")\n')
    assert list(home.iterdir()) == [home / "in.csv"]


def test_example_compares_the_libraries(monkeypatch: Patch, capsys: Capture) -> None:
    """The example fails where the libraries do not agree."""

    def by_library(frame: Any, *args: Any, split: Any = sf.split) -> Any:
        return split(frame, *args, seed=len(type(frame).__module__))

    monkeypatch.setattr("stratframe.split", by_library)
    assert main([]) == 2
    rule = "pandas and Polars must get the same column 'split', but did not."
    assert capsys.readouterr().err == f"stratframe: {rule}\n"


CLUSTERS = "kfold in.csv --by 'clusters(price, n=2)' --out out.csv"


@pytest.mark.parametrize("case", [("sklearn.datasets", ""), ("sklearn.cluster", CLUSTERS)])
def test_missing_extras_are_one_line(case: Any, monkeypatch: Patch, capsys: Capture) -> None:
    """A library that is missing is one line on stderr that says what to install."""
    module, command = case
    monkeypatch.setitem(sys.modules, module, None)
    assert call(command) == 2
    line = 'stratframe: sklearn is not installed: pip install "stratframe[sklearn]"\n'
    assert capsys.readouterr().err == line


FOURS = sf.quantiles("price", 4)
BY = ["label", FOURS, sf.bins("id", [0, 9, float("inf")])]
SIX = sf.clusters(["id", "price"], n=6)
COMMANDS = {
    "kfold --by label": "'label'",
    "kfold --k 4": "k=4",
    "kfold --by label --by sex -k3 --name f --seed 9": "['label', 'sex'], 3, name='f', seed=9",
    "kfold --by label --groups sex --groups pair -k 3": "'label', 3, groups=['sex', 'pair']",
    "kfold --groups 'clusters([id, price], n=6)' -k3": "k=3, groups=SIX",
    "kfold --by label --by 'quantiles(price, 4)' --by 'bins(id, [0, 9, inf])'": "BY",
    "kfold --by 'sf.margins([label, quantiles(price, 4)])'": "sf.margins(['label', FOURS])",
    "kfold --by label --repeats 2 --key sex --key id": "'label', repeats=2, key=['sex', 'id']",
    "kfold --by price --where old --rare ignore": "'price', where='old', rare='ignore'",
    "kfold --by label --name pair --overwrite": "'label', name='pair', overwrite=True",
    "split --by label --by 'nearest([id, price])'": "['label', sf.nearest(['id', 'price'])]",
    "split --by label --parts 0.3 --repeats 3": "'label', 0.3, repeats=3",
    "split --by label --deal circular --where old": "'label', deal='circular', where='old'",
    "split --parts train=None,test=8": "None, {'train': None, 'test': 8}",
    "split --parts 'train=rest, valid=5,test=8'": "None, {'train': None, 'valid': 5, 'test': 8}",
    "split --deal hash --key id --parts a=.5,b=.5": "parts=dict(a=.5, b=.5), deal='hash', key='id'",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_command_is_the_verb(command: str) -> None:
    """A command writes the file with the columns that the function adds."""
    name, _, options = command.partition(" ")
    assert call(f"{name} in.csv {options} --out out.csv") == 0
    expected = eval(f"sf.{name}(DATA, {COMMANDS[command]})")
    assert Path("out.csv").read_text() == expected.write_csv()


@pytest.mark.parametrize("source", ["in.csv", "in.csv.gz", "in.parquet"])
@pytest.mark.parametrize("out", ["out.csv", "out.csv.gz", "out.parquet", None])
def test_files_of_all_types(source: str, out: str | None, home: Path) -> None:
    """From any type of file to any other, or over itself, the rows stay and no draft is left."""
    Path("in.csv.gz").write_bytes(gzip.compress(CSV.encode()))
    DATA.write_parquet("in.parquet")
    out = out or source
    assert call(f"kfold {source} --by label --by price --out {out}") == 0
    read = pl.read_parquet if out.endswith("parquet") else pl.read_csv
    assert read(out).equals(sf.kfold(pl.read_csv("in.csv"), ["label", "price"], overwrite=True))
    assert {each.name for each in home.iterdir()} == {"in.csv", "in.csv.gz", "in.parquet", out}


CHANGES = {
    "kfold": "new column 'fold'",
    "kfold --repeats 2": "new columns 'fold_1', 'fold_2'",
    "kfold --name pair --overwrite": "replaced column 'pair'",
    "split --name half --parts 0.5": "new column 'half'",
    "split --repeats 2": "new columns 'split_1', 'split_2'",
    "kfold --by n --name new": "new column 'new'",
}
"""Commands, and what they did; a stratum that is called as a column of the table has no table."""


@pytest.mark.parametrize("command", CHANGES)
def test_command_says_what_it_did(command: str, capsys: Capture) -> None:
    """A command names the columns that are new or replaced."""
    DATA.with_columns(n="label").write_csv("in.csv")
    assert call(f"{command} in.csv --out out.csv") == 0
    assert capsys.readouterr().out == f"out.csv: 40 rows, {CHANGES[command]}\n"


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


RECORDS = {
    "BOM and CRLF": "\ufeffid,y,fold\r\n01,'a,b',{}\r\n2,'a\n',{}\r\n3,a,{}",
    "same names": "id,fold,id,fold 2\n01,{},1,0\n1e1,{},,1\n,{},-0,2\n",
    "semicolons": "id;fold;y\n01;{};1,0\n1e1;{};'a;b'\n;{};-0,2\n",
    "tabs": "id\tfold\ty\n01\t{}\t1,0\n1e1\t{}\t'a\tb'\n;\t{}\t-0;2\n",
    "quotes": "'say ''x''',y,fold\n1.50,'',{}\n2,'''',{}\n,NA,{}\n",
    "long numbers": f"id,y,fold\n{'9' * 40},1e5,{{}}\n002,x,{{}}\n-3, ,{{}}\n",
    "one column": "fold\n{}\n{}\n{}\n",
}
"""Files as other programs write them, with double quotes, and a place for the fold."""


@pytest.mark.parametrize("case", RECORDS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("mark", ["", "NA", " "])
def test_all_other_bytes_stay(case: str, pack: Callable[[bytes], bytes], mark: str) -> None:
    """From CSV to CSV all bytes but those of new cells are the same, also in place."""
    path = Path("in.csv" if pack is bytes else "in.csv.gz")

    def fill(*cells: object) -> bytes:
        return RECORDS[case].replace("'", '"').format(*cells).encode()

    def written(command: str) -> bytes:
        assert call(f"{command} {path} --out {path}") == 0
        data = path.read_bytes()
        return data if pack is bytes else gzip.decompress(data)

    path.write_bytes(pack(fill(0, "1.0", mark)))
    assert written("extend -k 2") in (fill(0, "1.0", 0), fill(0, "1.0", 1))
    assert written("kfold -k 3 --overwrite") == fill(*sf.kfold(DATA[:3], k=3)["fold"])


CELLS = st.lists(st.sampled_from([*"ab01.-e ,;\"'\n\té😀#", "\r\n"]), max_size=4).map("".join)
WIDE = st.integers(2, 4).flatmap(
    lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=3, max_size=9)
)


@given(
    table=WIDE,
    line_end=st.sampled_from(["\n", "\r\n"]),
    start=st.sampled_from(["", "\ufeff"]),
    is_ended=st.booleans(),
)
def test_any_cells_stay(table: list[list[str]], line_end: str, start: str, is_ended: bool) -> None:
    """Whatever the cells are, those that Python's own writer wrote come back with the folds."""

    def write(rows: list[list[str]]) -> bytes:
        text = StringIO(newline="")
        csv.writer(text, lineterminator=line_end).writerows(rows)
        return (start + text.getvalue().removesuffix("" if is_ended else line_end)).encode()

    folds = sf.kfold(pl.DataFrame({"x": table[1:]}), k=2, name="new fold")["new fold"]
    Path("in.csv").write_bytes(write(table))
    assert call("kfold in.csv -k 2 --name 'new fold' --out in.csv") == 0
    cells = ["new fold", *map(str, folds)]
    expected = write([[*row, cell] for row, cell in zip(table, cells, strict=True)])
    assert Path("in.csv").read_bytes() == expected


BLANKS = {
    "\n\na,b\n\n1,2\n  \n\n3,4\n\n\n": "a,b,f\n1,2,\n3,4,\n",
    "a,b\r\n\r\n1,2\r\n\r\n3,4": "a,b,f\r\n1,2,\r\n3,4,",
    "\ufeff\na,b\n\n,\n1,2\n   ": "\ufeffa,b,f\n,,\n1,2,\n",
    "a,'b\n\nc'\n\n1,'x\n\n''\n\n'\n'\n\n',5\n\n": "a,'b\n\nc',f\n1,'x\n\n''\n\n',\n'\n\n',5,\n",
    "a;b\n\n1;'\n\n;'\n\n;\n": "a;b;f\n1;'\n\n;';\n;;\n",
    "a\n\n1\n": "a,f\n,\n1,\n",
    "\r\n'a',b\r\n'x',5' 6'\n1\r\n\r\n": "a,b,f\r\nx,'5'' 6''',\r\n1,,\r\n",
}
"""CSV, with double quotes for single ones, and what becomes of it."""


@pytest.mark.parametrize("text", BLANKS)
def test_blank_lines_are_no_rows(text: str) -> None:
    """Blank lines are left out, or missing values of one column; short records are filled up."""
    Path("in.csv").write_bytes(text.replace("'", '"').encode())
    assert call("kfold in.csv -k 2 --name f --out in.csv") == 0
    expected = re.escape(BLANKS[text].replace("'", '"').encode())
    places = re.sub(rb"([,;])((?:\\\r)?\\\n|\Z)", rb"\1[01]\2", expected)
    assert re.fullmatch(places, Path("in.csv").read_bytes())


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


@pytest.mark.parametrize("folds", [list("01201201"), ["0.0", "1.0", "2.0", "0.0"], ["00", "1"]])
def test_extend_fills_the_gaps_alone(folds: list[str], capsys: Capture) -> None:
    """`extend` gives rows without a fold one; all other cells stay as they are written."""
    cells = [*folds, *[""] * (12 - len(folds))]
    text = "".join(f"{row:03},{'ab'[row % 2]},{cell}\n" for row, cell in enumerate(cells))
    Path("in.csv").write_text(f"id,y,part\n{text}")
    assert call("extend in.csv --by y -k 3 --name part --key id --out out.csv") == 0
    filled = f"filled {12 - len(folds)} cells of column 'part'\n   y  0  1  2\n"
    assert filled in capsys.readouterr().out
    expected = sf.extend(pl.read_csv("in.csv"), "y", 3, name="part", key="id")["part"]
    rows = list(csv.reader(Path("out.csv").read_text().splitlines()[1:]))
    assert [row[0] for row in rows] == [f"{row:03}" for row in range(12)]
    assert [row[2] for row in rows] == folds + [str(fold) for fold in expected[len(folds) :]]


@pytest.mark.parametrize("command", ["check", "report", "extend -k 2 --out out.csv"])
def test_marks_in_the_columns_of_repeats(command: str, capsys: Capture) -> None:
    """Where `fold` means fold_1, fold_2, ..., their marks of missing values are missing, too."""
    name, _, options = command.partition(" ")
    found = []
    for marks in (["NA", "", " "], [""] * 3):
        rows = ["a,0,1", "b,1,0", f"a,{marks[0]},{marks[1]}", f"b,1,{marks[2]}", "a,1,0", "b,0,1"]
        Path("in.csv").write_text("y,fold_1,fold_2\n" + "\n".join(rows) + "\n")
        assert call(f"{name} in.csv --by y {options}") == 0
        found.append((capsys.readouterr(), name == "extend" and Path("out.csv").read_text()))
    assert found[0] == found[1]
    assert name != "extend" or "filled 3 cells of columns 'fold_1', 'fold_2'" in found[0][0].out


PANDAS = {
    "kfold --key id": {"fold": "int64"},
    "kfold --name text --overwrite": {"text": "int64"},
    "kfold --repeats 2": {"fold_1": "int64", "fold_2": "int64"},
    "split": {"split": "category"},
    "extend -k 2 --name gaps": {"gaps": "int64"},
}


@pytest.mark.parametrize("command", PANDAS)
@pytest.mark.parametrize("out", ["in.parquet", "out.parquet"])
def test_parquet_keeps_what_pandas_wrote(command: str, out: str) -> None:
    """From Parquet to Parquet the index, types and metadata of pandas stay."""
    frame = pd.DataFrame({"gaps": [0, 1, None] * 2}, index=pd.Index([*"uvwxyz"], name="id"))
    frame["order"] = pd.Categorical([*"aba"] * 2, categories=["b", "a", "z"], ordered=True)
    frame["number"] = pd.array([1, None, 2] * 2, dtype="Int64")
    frame["text"] = pd.array(["x", None, "y"] * 2, dtype="string")
    frame.attrs = {"source": "ours"}
    frame.to_parquet("in.parquet")
    frame = pd.read_parquet("in.parquet")
    assert call(f"{command} in.parquet --out {out}") == 0
    found = pd.read_parquet(out)
    assert {name: str(found[name].dtype) for name in PANDAS[command]} == PANDAS[command]
    assert found.attrs == frame.attrs
    assert [*found] == [*dict.fromkeys([*frame, *PANDAS[command]])]
    others = frame.columns.difference(PANDAS[command])
    pd.testing.assert_frame_equal(found[others], frame[others])


def test_parquet_keeps_metadata_of_others() -> None:
    """Metadata that is not of pandas stays, and what lists the columns is not kept."""
    DATA.write_parquet("in.parquet", metadata={"k": "v", "org.apache.spark.version": "4"})
    assert call("kfold in.parquet --by label --out out.parquet") == 0
    assert pl.read_parquet("out.parquet").equals(sf.kfold(DATA, "label"))
    assert pl.read_parquet_metadata("out.parquet").keys() - {"ARROW:schema"} == {"k"}


def test_parquet_that_cannot_be_kept(home: Path, monkeypatch: Patch, capsys: Capture) -> None:
    """What pandas wrote is refused where it would be lost: names of columns, or no pyarrow."""
    pd.DataFrame({1: [1, 2]}).to_parquet("in.parquet")
    before = set(home.iterdir())
    assert call("kfold in.parquet -k 2 --out out.parquet") == 2
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    assert call("kfold in.parquet -k 2 --out out.parquet") == 2
    assert set(home.iterdir()) == before
    assert call("kfold in.parquet -k 2 --out out.csv") == 0
    assert capsys.readouterr().err.splitlines() == [
        "stratframe: The file 'out.parquet' cannot be written: pandas could not read it, because"
        " not all column names of its frame are text.",
        "stratframe: Keeping Parquet metadata, such as a pandas index, needs pyarrow:"
        " pip install pyarrow",
    ]


SEPARATED = [
    *(("in.csv", ";", "", "semicolons"), ("in.csv", "\t", "", "tabs"), ("in.tsv", "\t", "", "")),
    *(("in.tsv", ";", "--separator ';'", ""), ("in.csv", "\t", "--separator tab", "")),
    *(("in.csv", "|", "--separator '|'", ""), ("in.csv", ",", "--separator ,", "")),
]


@pytest.mark.parametrize(("name", "sign", "options", "said"), SEPARATED)
def test_separators(name: str, sign: str, options: str, said: str, capsys: Capture) -> None:
    """A separator is given, or guessed and said; OUT has that of its name, or of FILE."""
    DATA.write_csv(name, separator=sign)
    expected = sf.kfold(pl.read_csv("in.csv", separator="," if name != "in.csv" else sign), "label")
    for out in ("out.csv", "out.tsv"):
        assert call(f"kfold {name} --by label {options} --out {out}") == 0
        own = "\t" if out == "out.tsv" else "," if (name, options) == ("in.tsv", "") else sign
        assert Path(out).read_text() == expected.write_csv(separator=own)
    message = f"stratframe: warning: 'in.csv' is read with {said} as separators, as its header"
    assert capsys.readouterr().err == f"{message} contains them.\n" * 2 * bool(said)
    assert call("report out.tsv --by label --out report.csv") == 0
    assert Path("report.csv").read_text().startswith("fold,n,")


FOLDED = sf.kfold(DATA, "label", 4)


def test_report_prints_the_table(monkeypatch: Patch, capsys: Capture) -> None:
    """`report` prints its table, a line for each fold, and writes it where asked."""
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(FOLDED.write_csv().encode())))
    assert call("report - --by label --out report.csv") == 0
    head, *lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    table = sf.report(FOLDED, "label")
    assert head == table.columns
    assert [line[:2] for line in lines] == [[str(fold), "10"] for fold in range(4)]
    assert Path("report.csv").read_text() == table.write_csv()


CHECKED = {
    "--by label": (0, "  ok       label: even, each class within a row of its share"),
    "--key id": (0, "  ok       each of 40 keys is unique"),
    "--groups sex": (1, "  LEAK     2 of 2 sexes are in several folds, such as 'm' in"),
    "--duplicates none --name fold": (0, "  ok       sizes: 4 folds of 10 rows"),
    "--features price": (0, "  ok       drift: none of 4 comparisons beyond chance"),
    "--name marked": (0, "  note     2 rows have no fold\n"),
}


@pytest.mark.parametrize("options", CHECKED)
def test_check_ends_with_1_if_anything_is_wrong(options: str, capsys: Capture) -> None:
    """`check` prints its lines; exit code 1 says that one is a leak or a warning."""
    code, text = CHECKED[options]
    marked = pl.Series("marked", ["NA", " ", *map(str, FOLDED["fold"][2:])])
    FOLDED.with_columns(marked).write_csv("in.csv")
    assert call(f"check in.csv {options}") == code
    out = capsys.readouterr().out
    assert text in out
    assert (" is fit for use\n" in out) == (code == 0)
    assert ("duplicates" in out) == ("none" not in options)


UNREAD, UNWRITTEN = (f"The file {{!r}} cannot be {each}: {{}}.\n" for each in ("read", "written"))
ENDS = "A file name must end in .csv, .tsv, .csv.gz or .parquet, got"
NOT_A_NAME = ENDS + " {!r}. Hint: `-` stands for standard input"
LINKS, NESTED = "Too many levels of symbolic links", "CSV format does not support nested data"
NO_COLUMN = "`--by` names the column {}, which the frame does not have. Hint: {}\n"
LISTED = NO_COLUMN.format("{}", "several columns go in a list: `{}`.")
NO_PARTS = (
    "`--parts` must name each part once, as in train=0.8,test=rest, or be the share of the"
    " test part, such as 0.2, got {!r}.\n"
)
TWICE = (
    "`{}` names the column 'fold', which occurs 2 times in the frame. Hint: rename or drop all"
    " but one of these columns first.\n"
)
BAD_PARTS = "8", "1.2", "", "a,b", "=1,b=1", "a=x,b=1", "a=1,a=1", "a=1=2"
LONG_TERM = "bins(price, [0, 1" + "0" * 400 + "])"
ERRORS = {
    "kfold in.csv --out ''": NOT_A_NAME.format(""),
    **{f"kfold in.csv --out {each}": NOT_A_NAME.format(each) for each in ("csv", "x.gz", "x.txt")},
    "check x.parquet.gz": NOT_A_NAME.format("x.parquet.gz"),
    "kfold no.csv": UNREAD.format("no.csv", "No such file or directory"),
    "check dir.csv": UNREAD.format("dir.csv", "Is a directory"),
    "check a\0.csv": UNREAD.format("a\0.csv", "embedded null byte"),
    "check text.parquet": "The file 'text.parquet' cannot be read: ",
    "check empty.csv": UNREAD.format("empty.csv", "empty CSV"),
    "check wide.csv": "The file 'wide.csv' cannot be read: found more fields than ",
    "kfold head.csv": "`--k` must be at most the number of rows that get a fold, got 5 for 0 ",
    "kfold lists.parquet -k 2": UNWRITTEN.format("out.csv", NESTED),
    "kfold in.csv --out in.csv/out.csv": UNWRITTEN.format("in.csv/out.csv", "Not a directory"),
    "kfold in.csv --out dir.csv": UNWRITTEN.format("dir.csv", "Is a directory"),
    "deal": "argument {kfold,split,extend,check,report}: invalid choice: 'deal' ",
    "kfold in.csv --k x": "argument -k/--k: invalid int value: 'x'\n",
    "report in.csv": "the following arguments are required: --by\n",
    "split in.csv": "the following arguments are required: --out\n",
    "kfold in.csv --by 'bins(prize, [1, 9])'": NO_COLUMN.format("'prize'", "did you mean 'price'?"),
    "kfold in.csv --by 'quantile(price, 3)'": (
        "`--by` must be a column or a term such as quantiles(price, 10), got 'quantile(price,"
        " 3)'. Hint: did you mean quantiles(...)?\n"
    ),
    f"check in.csv --by '{LONG_TERM}'": "`edges` of `bins` must be numbers that floats ",
    "check in.csv --name pair --by \udcff": "`--by` names the column '\\udcff', which ",
    "kfold in.csv --by label,price": LISTED.format("'label,price'", "--by label --by price"),
    'kfold odd.csv --by "it\'s,id"': LISTED.format('"it\'s,id"', "--by 'it'\"'\"'s' --by id"),
    "kfold in.csv --where 'id>3'": "`--where` must be a column of true and false, got 'id>3'.\n",
    "kfold in.csv --where od": "`--where` names the column 'od', which the frame does not have. ",
    "kfold in.csv --by label --rare error -k 30": (
        "2 classes of 'label' have fewer rows than there are folds (30), which `--rare error` does"
        " not allow: 'a' (20 rows), 'b' (20 rows). Hint: `--rare pool` balances them as one class;"
        " `df.strat.advise('label')` in Python shows what each k does to them.\n"
    ),
    "kfold index.parquet -k 2 --overwrite --out index.parquet": (
        "`--name` must not be the index of the frame, got 'fold'. Hint: give the column another"
        " name.\n"
    ),
    "kfold in.csv --repeats 1000000000": "`--repeats` must not exceed 10,000 columns, got 1,000,0",
    "split in.csv --parts train=0,test=rest": (
        "`--parts` must be finite and above zero, got {'train': 0, 'test': None}.\n"
    ),
    **{f"split in.csv --parts '{text}'": NO_PARTS.format(text) for text in BAD_PARTS},
    "kfold in.csv --name id": "The frame has a column 'id' already. `--overwrite` replaces it.\n",
    **{f"{each} twice.csv": TWICE.format("--name") for each in ("check", "kfold")},
    "kfold twice.csv --overwrite": TWICE.format("--name"),
    "extend twice.csv --by y --out out.csv": TWICE.format("--name"),
    "kfold twice.csv --name f --by 'margins([y, quantiles(fold, 2)])'": TWICE.format("--by"),
    "kfold twice.csv --name f --key fold_duplicated_0": TWICE.format("--key"),
    "kfold twice.csv --name fold_duplicated_0": TWICE.format("--name"),
    "kfold twice.csv --name f --key fold": TWICE.format("--key"),
    "check loop.csv": UNREAD.format("loop.csv", LINKS),
    "kfold in.csv --out loop.csv": UNWRITTEN.format("loop.csv", LINKS),
    "check dir.csv/": f"{ENDS} 'dir.csv/', a directory.",
    **dict.fromkeys(
        ("extend words.csv --out words.csv", "extend words.csv -k 2 --out words.csv"),
        "`extend` needs folds 0..k-1 in 'fold', but there are other values in 2 rows (3, 5)."
        " Hint: an empty cell or NA stands for a missing fold.\n",
    ),
    "check in.csv copy/in.csv": (
        "The list of part names, taken from FILE, must hold each name once, got 'in' twice.\n"
    ),
    "check in.csv other.csv --name sex": (
        "`--name` must be left out where several frames are given, because their names are the"
        " parts, got 'sex'.\n"
    ),
    "check in.csv other.csv": (
        "A column must have the same type in every frame, but 'price' is Float64 in 'in', String in"
        " 'other'. Hint: cast it, or drop it.\n"
    ),
    "check in.csv --name pair --time label": (
        "`--time` needs dates, times or numbers, but column 'label' is text. Hint: convert it, for"
        " example with `str.to_date`.\n"
    ),
    "check in.csv --separator x": "argument --separator: invalid choice: 'x' (choose from ",
    "report in.csv --by label": "There is no column 'fold'. Hint: add it first, as in ",
}


@pytest.mark.parametrize("command", ERRORS)
def test_errors_are_one_line(command: str, home: Path, capsys: Capture) -> None:
    """What goes wrong is one line on stderr, perhaps a hint, exit code 2, and files stay."""
    Path("dir.csv").mkdir()
    Path("loop.csv").symlink_to("loop.csv")
    pl.DataFrame({"x": [[1], [2]]}).write_parquet("lists.parquet")
    pd.DataFrame({"fold": [5, 1, 9], "y": [1, 2, 3]}).set_index("fold").to_parquet("index.parquet")
    DATA.with_columns(price=pl.lit("x")).write_csv("other.csv")
    texts = {"text.parquet": "no table", "empty.csv": "", "wide.csv": "a\n1,2\n", "head.csv": "x\n"}
    texts |= {"words.csv": "fold\n0\n1\nNA\n?\n0\nx\n", "odd.csv": "it's,id\na,0\nb,1\n"}
    texts |= {"twice.csv": "y,fold,fold\na,0,1\nb,1,0\n", "out.csv": "old"}
    for name, text in texts.items():
        Path(name).write_text(text)
    before = {each: each.is_file() and each.read_bytes() for each in home.rglob("*")}
    writes = command.startswith(("kfold", "split in.csv --parts")) and "--out" not in command
    assert call(f"{command} --out out.csv" if writes else command) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"stratframe: {ERRORS[command]}")
    assert {each: each.is_file() and each.read_bytes() for each in home.rglob("*")} == before


@pytest.mark.parametrize("error", [OverflowError("too\nlarge"), MemoryError(), TypeError("no")])
def test_unexpected_errors_do_not_look_like_leaks(error: Any, monkeypatch: Patch, capsys: Capture):
    """An error that nobody foresaw is one line and exit code 2: 1 means that rows leak."""
    monkeypatch.setattr("stratframe.__main__.frames.files.read_file", Mock(side_effect=error))
    assert call("check in.csv") == 2
    words = " ".join(str(error).splitlines())
    assert capsys.readouterr() == ("", f"stratframe: unexpected {type(error).__name__}: {words}\n")


MESSAGES = {
    "`rare='ignore'`, `rare=\"pool\"`, `rare`": "`--rare ignore`, `--rare pool`, `--rare`",
    "`name`: `overwrite=True` does.\nHint: df = df.drop('f')": "`--name`: `--overwrite` does.",
    "`name=` says: `name=[\"f_1\", 'f_2']`": "`--name` says: `--name f_1 --name f_2`",
    "`df.strat.kfold(..., name='a b')`, `split`": "`stratframe kfold ... --name 'a b'`, `split`",
    '`kfold(key="id", deal="hash")`': "`stratframe kfold FILE --key id --deal hash --out OUT`",
    '`df.strat.check(name="f", k=5)`': "`stratframe check FILE --name f --k 5`",
    '`parts=["it\'s", ...]`, `parts=0.2`': "`--parts 'it'\"'\"'s'`, `--parts 0.2`",
    'as in `parts={"train": 0.8, ...}` or `k=5`': "as in `--parts train=0.8,...` or `--k 5`",
    '`groups` names 2:\nHint: `["a", "b"]`': "`--groups` names 2:\nHint: `--groups a --groups b`",
    "`by=sf.classes(\"y\")`, `sf.bins('y', 10)`": "`--by 'classes(\"y\")'`, `bins('y', 10)`",
    'compute it, as in `where=pl.col("f") == 1`': 'compute it, as in `where=pl.col("f") == 1`',
    "Column 'k=1' has `df.strat.folds('f')`": "Column 'k=1' has `df.strat.folds('f')` in Python",
}


@pytest.mark.parametrize("message", MESSAGES)
def test_messages_speak_options(message: str, monkeypatch: Patch, capsys: Capture) -> None:
    """Arguments and calls in messages are written as options and commands."""
    monkeypatch.setattr("stratframe.kfold", Mock(side_effect=sf.StratError(message)))
    assert call("kfold in.csv --out out.csv") == 2
    said = " ".join(["stratframe:", *MESSAGES[message].splitlines()])
    assert capsys.readouterr().err == f"{said}\n"


def test_ctrl_c_ends_quietly(home: Path, monkeypatch: Patch, capsys: Capture) -> None:
    """An interrupted command says nothing, leaves no file, and ends as shells expect."""
    monkeypatch.setattr(Path, "replace", Mock(side_effect=KeyboardInterrupt))
    assert call("kfold in.csv --out out.parquet") == 130
    assert capsys.readouterr() == ("", "")
    assert list(home.iterdir()) == [home / "in.csv"]


def test_pipes_are_csv() -> None:
    """From standard input to standard output nothing but the rows is written."""
    frame = sf.kfold(DATA, "label")
    folded = run("kfold - --by label --out -", CSV)
    assert (folded.returncode, folded.stdout, folded.stderr) == (0, frame.write_csv(), "")
    report = run("report - --by label --out -", folded.stdout)
    assert (report.returncode, report.stdout) == (0, sf.report(frame, "label").write_csv())


def test_warnings_and_errors_of_pipes_go_to_stderr() -> None:
    """In a pipe, warnings and errors are lines on stderr, and an error writes nothing."""
    warned = run("kfold - --by id --out -", CSV)
    assert (warned.returncode, warned.stdout.count("\n")) == (0, 41)
    assert warned.stderr.startswith("stratframe: warning: 40 classes of 'id' have fewer rows than ")
    assert warned.stderr.endswith("Hint: `quantiles('id', 10)` or `continuous('id')`.\n")
    assert warned.stderr.count("\n") == 1
    refused = run("kfold - --by lable --out -", CSV)
    message = NO_COLUMN.format("'lable'", "did you mean 'label'?")
    assert (refused.returncode, refused.stdout, refused.stderr) == (2, "", f"stratframe: {message}")


CLOSED, FULL = "Bad file descriptor.", "No space left on device."
NO_OUTPUT = [
    ("kfold in.csv --out out.csv", "", 0, ""),
    ("report in.csv --by label --name sex --out out.csv", "", 0, ""),
    *(("kfold in.csv --out -", "", 141, ""), ("check in.csv --name label", "", 141, "")),
    ("kfold in.csv --out out.csv", ">&-", 0, f"warning: {{}} {CLOSED}"),
    ("check in.csv --name sex", ">&-", 2, f"{{}} {CLOSED}"),
    ("kfold in.csv --out -", ">&-", 2, f"{{}} {CLOSED}"),
    ("kfold in.csv --out out.csv", ">/dev/full", 0, f"warning: {{}} {FULL}"),
    ("kfold in.csv --out -", ">/dev/full", 2, f"{{}} {FULL}"),
    ("report in.csv --by label --name sex", ">/dev/full", 2, f"{{}} {FULL}"),
]
"""Commands, where their output goes (to a closed pipe), the exit code, and what is said."""


@pytest.mark.skipif(os.name != "posix", reason="a shell of POSIX")
@pytest.mark.parametrize(("command", "stdout", "code", "text"), NO_OUTPUT)
def test_a_file_that_is_written_is_done(command: str, stdout: str, code: int, text: str) -> None:
    """Where OUT is written, the code is 0 whatever becomes of standard output, else it says so."""
    if "full" in stdout and not HAS_FULL:
        pytest.skip("a device of Linux")
    reader, writer = os.pipe()
    os.close(reader)
    shell = ["sh", "-c", f"{sys.executable} -m stratframe {command} {stdout}"]
    done = subprocess.run(shell, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    message = text.format("Standard output cannot be written to:")
    assert (done.returncode, done.stderr) == (code, f"stratframe: {message}\n" if text else "")
    assert Path("out.csv").exists() == (code == 0)


@pytest.mark.skipif(not HAS_FULL, reason="a device of Linux")
def test_errors_that_cannot_be_printed() -> None:
    """Where standard error is full, the exit code is the same: 1 would mean that rows leak."""
    with Path("/dev/full").open("w") as full:
        assert run("kfold in.csv --by lable --out out.csv", stderr=full).returncode == 2


def test_nothing_fails_after_the_file_is_written(monkeypatch: Patch) -> None:
    """What is printed about a file is made first: where that fails, no file is written."""
    monkeypatch.setattr("stratframe.balance", lambda *_: 1 / 0)
    assert call("kfold in.csv --by label --out out.csv") == 2
    assert not Path("out.csv").exists()


def test_letters_that_the_output_lacks() -> None:
    """Letters that the encoding of standard output lacks are escaped."""
    pl.DataFrame({"ü": ["é", "a"] * 5}).write_csv("in.csv")
    done = run("kfold in.csv --by ü --out out.csv", env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].split()[0] == r"\xfc"


@pytest.fixture
def parts() -> dict[str, pl.DataFrame]:
    """Two files whose days follow each other, and a user of both."""
    frame = pl.DataFrame({"label": ["a", "b"] * 5, "user": [*"uuvvwwxxyy"]})
    frame = frame.with_columns(day=pl.Series([f"2024-03-{day}" for day in range(10, 20)]))
    Path("old").mkdir()
    frame[:7].write_csv("old/Train.CSV")
    frame[7:].with_columns(empty=None).write_parquet("test.parquet")
    dates = frame.with_columns(pl.col("day").str.to_date())
    return {"Train": dates[:7], "test": dates[7:]}


def test_several_files_are_parts(parts: dict[str, pl.DataFrame], capsys: Capture) -> None:
    """Files are parts by their names, and ISO text is read as dates."""
    assert call("check old/Train.CSV test.parquet --by label --time day --groups user") == 1
    frames = parts | {"test": parts["test"].with_columns(empty=None)}
    found = sf.check(frames, "label", groups="user", time="day")
    assert capsys.readouterr().out == f"{found}\n"
    assert "'Train' ends 2024-03-16, 'test' starts 2024-03-17" in str(found)
    assert call("report old/Train.CSV test.parquet --by label") == 0
    assert capsys.readouterr().out.split()[:5] == ["split", "n", "rows_off", "absent", "verdict"]


JSON = {"in.csv --groups user": 1, "old/Train.CSV test.parquet --time user --time day": 0}


@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize(("command", "code"), JSON.items())
def test_json_is_the_findings(command: str, code: int, capsys: Capture) -> None:
    """With `--json` standard output is one object, whatever values hold; the exit code stays."""
    pl.DataFrame({"user": ['"{é\n\0NaN'] * 2, "fold": [0, 1]}).write_csv("in.csv")
    assert call(f"check {command} --json") == code
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert list(found) == ["ok", "findings"]
    assert found["ok"] is (code == 0)
    fields = ["name", "severity", "check", "n", "detail"]
    assert all(list(each) == fields for each in found["findings"])
    check, start = ("time", "time: ") if code == 0 else ("groups", "the only group is in several ")
    (detail,) = [each["detail"] for each in found["findings"] if each["check"] == check]
    assert detail.startswith(start)


TIMES = {
    "dates": (["2024-03-01", "", "2024-03-02"], pl.Date),
    "times": (["2024-03-01T12:00:00.25", "2024-03-02 12:00", "NA"], pl.Datetime("us")),
    "zones": (["2024-03-01T12:00Z", "2024-03-02T12:00+02:00", None], pl.Datetime("us", "UTC")),
    "numbers": (["12", " NA ", "2"], pl.Float64),
    "some zones": (["2024-03-01T12:00Z", "2024-03-02T12:00", None], pl.String),
    "before all times of UTC": (["0001-01-01T00:00+01:00", "2024-03-01T12:00Z"], pl.String),
    "other text": (["2024-03-01", "3/2/2024", None], pl.String),
}


@pytest.mark.parametrize("case", TIMES)
def test_iso_text_is_read_as_times(case: str) -> None:
    """Text is read as times where all of it is ISO, with a zone or without."""
    texts, dtype = TIMES[case]
    (found,) = parse_times(pl.DataFrame({"t": texts}), ["t"])
    if dtype not in (pl.String, pl.Float64):
        assert found.drop_nulls().is_sorted()
        assert found.null_count() == 1
    assert found.dtype == (pl.Datetime("us") if dtype == pl.Date else dtype)


def test_marks_of_missing_numbers_in_one_of_several_files(capsys: Capture) -> None:
    """Numbers of one file are those of another that has marks such as NA among them."""
    Path("train.csv").write_text("x,day\n1,1\nNA,2\n3.5,NA\n")
    Path("test.csv").write_text("x,day\n3.5,4\n2,5\n")
    assert call("check train.csv test.csv --duplicates x --time day") == 1
    out = capsys.readouterr().out
    assert "2 rows (40 %) equal a row of another part" in out
    assert "time: 'train' ends 2.0, 'test' starts 4.0" in out
    pl.DataFrame({"x": ["1", "NA"], "day": [1, 2]}).write_parquet("text.parquet")
    assert call("check text.parquet test.csv") == 2


@pytest.mark.parametrize("command", ["kfold", "split", "extend", "report", "check"])
def test_help(command: str, capsys: Capture) -> None:
    """Each command lists its options and shows how terms and pipes are typed."""
    with pytest.raises(SystemExit):
        main([command, "--help"])
    out = capsys.readouterr().out
    assert '--by "quantiles(price, 10)"' in out
    assert "- is standard input or output" in out
    page = (PROJECT / "docs/guide/command-line.md").read_text()
    (row,) = (line for line in page.splitlines() if line.startswith(f"| `{command}`"))
    listed = set(re.findall(r"`(--?[a-z]+)`", row))
    options = set(re.findall(r"^  (--?[a-z]+)", out, re.MULTILINE))
    assert options - {"-h", "--out", "--separator"} == listed


def test_help_says_how_the_command_was_called(capsys: Capture) -> None:
    """The module and the script call themselves what was typed, and know their version."""
    assert run("kfold --help").stdout.startswith("usage: python -m stratframe kfold [-h]")
    version = f"stratframe {sf.__version__}\n"
    for flag, words in (("--help", "usage: stratframe [-h]"), ("--version", version)):
        with pytest.raises(SystemExit, match="0"):
            main([flag])
        assert capsys.readouterr().out.startswith(words)


def test_the_console_script_is_the_module() -> None:
    """The script `stratframe` calls the function that `python -m stratframe` calls."""
    scripts = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["scripts"]
    module, _, name = scripts["stratframe"].partition(":")
    assert getattr(import_module(module), name) is main
