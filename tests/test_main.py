"""`python -m stratframe`."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import stratframe as sf
from stratframe.__main__ import main
from tests.messages import (
    NO_ROWS,
    RARE,
    as_line,
    at_least,
    hint,
    no_column,
    one_of,
    parts_sum,
    rare_classes,
)

DATA = {
    "id": range(40),
    "label": ["a", "b"] * 20,
    "sex": ["m", "m", "f", "f"] * 10,
    "price": [number / 7 for number in range(40)],
}


@pytest.fixture(params=[".csv", ".parquet"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A file of each type."""
    path = tmp_path / f"in{request.param}"
    frame = pl.DataFrame(DATA)
    (frame.write_csv if request.param == ".csv" else frame.write_parquet)(path)
    return str(path)


def read(path: Path) -> pl.DataFrame:
    return pl.read_csv(path) if path.suffix == ".csv" else pl.read_parquet(path)


def test_example_is_run_by_the_module() -> None:
    """`python -m stratframe` prints three balance tables and that the libraries agree."""
    done = subprocess.run(
        [sys.executable, "-m", "stratframe"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    (counts,) = re.findall(r"class_0((?:  [0-9]{2}){5})\n", done.stdout)
    assert sorted(counts.split()) == ["11", "12", "12", "12", "12"]
    assert "   class    train  valid  test\n" in done.stdout
    assert done.stdout.count("largest deviation") == 3
    assert done.stdout.endswith(
        "pandas and Polars got the same columns: fold, alcohol_fold, split\n"
    )


def test_cells_stay_as_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From CSV to CSV only the new column comes in: no cell is read and written anew."""
    monkeypatch.chdir(tmp_path)
    lines = ["zip,y,amount,flag", "01234,a,1.10,True", "00012,b,1e-3,", "07,a,007,x", ",b,1,y"]
    Path("in.csv").write_text("\n".join(lines) + "\n")
    assert main(["kfold", "in.csv", "--by", "y", "--k", "2", "--out", "out.csv"]) == 0
    out = Path("out.csv").read_text().splitlines()
    assert [line.rpartition(",")[0] for line in out] == lines
    assert sorted(line.rpartition(",")[2] for line in out[1:]) == ["0", "0", "1", "1"]
    assert "new column 'fold'" in capsys.readouterr().out


def test_example_compares_the_libraries(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The example fails where the libraries do not agree."""
    real = sf.split
    monkeypatch.setattr(
        "stratframe.split",
        lambda frame, *args: real(frame, *args, seed=len(type(frame).__module__)),
    )
    assert main([]) == 2
    message = "stratframe: pandas and Polars must get the same column 'split', but did not.\n"
    assert capsys.readouterr().err == message


def test_example_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without scikit-learn the example says in one line what to install."""
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    assert main([]) == 2
    message = 'stratframe: The example needs scikit-learn: pip install "stratframe[cluster]"\n'
    assert capsys.readouterr().err == message


COMMANDS: dict[str, tuple[list[str], Callable[[Any], Any]]] = {
    "classes": (["kfold", "--by", "label"], lambda df: sf.kfold(df, "label")),
    "none": (["kfold", "--k", "4"], lambda df: sf.kfold(df, k=4)),
    "nested": (
        ["kfold", "--by", "label", "--by", "sex", "--k", "3", "--name", "f", "--seed", "9"],
        lambda df: sf.kfold(df, ["label", "sex"], 3, name="f", seed=9),
    ),
    "continuous": (["kfold", "--by", "price"], lambda df: sf.kfold(df, "price")),
    "repeats": (
        ["kfold", "--by", "label", "--repeats", "2", "--key", "sex", "--key", "id"],
        lambda df: sf.kfold(df, "label", repeats=2, key=["sex", "id"]),
    ),
    "parts": (
        ["split", "--by", "label", "--parts", "train=0.5,test=0.5"],
        lambda df: sf.split(df, "label", {"train": 0.5, "test": 0.5}),
    ),
    "counts": (
        ["split", "--by", "label", "--parts", "train=rest, valid=5,test=8"],
        lambda df: sf.split(df, "label", {"train": None, "valid": 5, "test": 8}),
    ),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_command_is_the_verb(command: str, suffix: str, file: str, tmp_path: Path) -> None:
    """A command writes the file with the columns that the function adds."""
    args, verb = COMMANDS[command]
    out = tmp_path / f"out{suffix}"
    assert main([args[0], file, *args[1:], "--out", str(out)]) == 0
    expected = verb(pl.DataFrame(DATA))
    if suffix == ".csv":
        assert out.read_text() == expected.write_csv()
    else:
        assert pl.read_parquet(out).equals(expected)


def test_command_prints_the_balance(
    tmp_path: Path, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A command prints the counts of every stratum in every fold."""
    out = str(tmp_path / "out.csv")
    assert main(["kfold", file, "--by", "label", "--k", "2", "--out", out]) == 0
    assert capsys.readouterr().out == (
        f"{out}: 40 rows, new column 'fold'\n"
        "   label   0   1\n"
        "   a      10  10\n"
        "   b      10  10\n"
        "    largest deviation from the exact share: 0.00 rows\n"
    )


def test_long_tables_are_cut(tmp_path: Path, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A balance table of many strata shows the first twenty, and how many more there are."""
    args = ["--by", "id", "--rare", "ignore", "--out", str(tmp_path / "out.csv")]
    assert main(["kfold", file, *args]) == 0
    out = capsys.readouterr().out
    assert "\n   19  " in out
    assert "\n   20  " not in out
    assert "\n    ... and 20 more\n" in out


def test_a_column_with_a_name_of_the_table_has_no_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A stratum column called as one of the table's own is dealt, but not tabled."""
    pl.DataFrame({"n": [1, 2] * 5}).write_csv(tmp_path / "in.csv")
    out = str(tmp_path / "out.csv")
    assert main(["kfold", str(tmp_path / "in.csv"), "--by", "n", "--out", out]) == 0
    assert capsys.readouterr().out == f"{out}: 10 rows, new column 'fold'\n"


def test_a_file_may_be_written_over(file: str) -> None:
    """FILE and OUT may be the same, and nothing else is left beside it."""
    assert main(["kfold", file, "--by", "label", "--out", file]) == 0
    assert read(Path(file)).equals(sf.kfold(pl.DataFrame(DATA), "label"))
    assert list(Path(file).parent.iterdir()) == [Path(file)]


def test_types_are_inferred_from_the_whole_file(tmp_path: Path) -> None:
    """A CSV column whose first fraction is in row 10,000 is read."""
    path = tmp_path / "in.csv"
    path.write_text("x\n" + "1\n" * 10_000 + "0.5\n")
    assert main(["kfold", str(path), "--by", "x", "--out", str(path)]) == 0


def test_warnings_are_lines(tmp_path: Path, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A warning of the package is one line on stderr, and the file is written."""
    out = tmp_path / "out.csv"
    assert main(["kfold", file, "--by", "id", "--out", str(out)]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    rule = rare_classes(40, "'id'", "5 folds", "")
    assert lines[0].startswith(f"stratframe: warning: {rule}")
    assert out.exists()


def unread(path: object, reason: str = "") -> str:
    return f"The file '{path}' cannot be read: {reason}"


def unwritten(path: object, reason: str = "") -> str:
    return f"The file '{path}' cannot be written: {reason}"


def other_suffix(path: str) -> str:
    return as_line(
        f"A file name must end in .csv, .csv.gz or .parquet, got {path!r}."
        + hint("- is standard input or output, as CSV.")
    )


PARTS = "`--parts` must name each part once, as in train=0.8,test=rest, got"
ERRORS: dict[str, tuple[list[str], str]] = {
    "no file": (
        ["kfold", "no.csv"],
        unread("no.csv", "No such file or directory."),
    ),
    "directory": (["kfold", "dir.csv"], unread("dir.csv", "Is a directory.")),
    "no rows": (["kfold", "head.csv"], NO_ROWS),
    "suffix": (["kfold", "in.txt"], other_suffix("in.txt")),
    "out suffix": (
        ["kfold", "in.csv", "--out", "out"],
        other_suffix("out"),
    ),
    "no out directory": (
        ["kfold", "in.csv", "--out", "no/out.csv"],
        unwritten("no/out.csv", "No such file or directory."),
    ),
    "out in a file": (
        ["kfold", "in.csv", "--out", "in.csv/out.csv"],
        unwritten("in.csv/out.csv", "Not a directory."),
    ),
    "out is a directory": (
        ["kfold", "in.csv", "--out", "dir.csv"],
        unwritten("dir.csv", "Is a directory."),
    ),
    "column": (
        ["kfold", "in.csv", "--by", "lable"],
        as_line(no_column("by", "lable", "label")),
    ),
    "key": (
        ["split", "in.csv", "--key", "idd"],
        as_line(no_column("key", "idd", "id")),
    ),
    "k": (["kfold", "in.csv", "--k", "1"], at_least("k", 2, 1)),
    "k text": (["kfold", "in.csv", "--k", "x"], "argument -k/--k: invalid int value: 'x'"),
    "missing": (
        ["split", "in.csv", "--missing", "null"],
        one_of("missing", ["error", "stratum"], "null"),
    ),
    "rare": (
        ["split", "in.csv", "--rare", "no"],
        one_of("rare", RARE, "no"),
    ),
    "parts sum": (
        ["split", "in.csv", "--parts", "a=0.5,b=0.4"],
        parts_sum({"a": 0.5, "b": 0.4}, "0.9"),
    ),
    "no part": (["split", "in.csv", "--parts", ""], f"{PARTS} ''."),
    "no share": (["split", "in.csv", "--parts", "a,b"], f"{PARTS} 'a,b'."),
    "no name": (["split", "in.csv", "--parts", "=1,b=1"], f"{PARTS} '=1,b=1'."),
    "share text": (["split", "in.csv", "--parts", "a=x,b=1"], f"{PARTS} 'a=x,b=1'."),
    "same part": (["split", "in.csv", "--parts", "a=1,a=1"], f"{PARTS} 'a=1,a=1'."),
    "part with two shares": (["split", "in.csv", "--parts", "a=1=2"], f"{PARTS} 'a=1=2'."),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors_are_one_line(
    case: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What goes wrong is one line on stderr, perhaps a hint, exit code 2, and no new file."""
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(DATA).write_csv("in.csv")
    Path("head.csv").write_text("x\n")
    Path("dir.csv").mkdir()
    before = set(tmp_path.rglob("*"))
    args, message = ERRORS[case]
    assert main(args if "--out" in args else [*args, "--out", "out.csv"]) == 2
    assert capsys.readouterr() == ("", f"stratframe: {message}\n")
    assert set(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["kfold", "in.csv"], "the following arguments are required: --out"),
        (["deal"], "argument {kfold,split,extend,report,audit}: invalid choice: 'deal' "),
    ],
)
def test_bad_arguments_are_one_line(
    args: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong arguments are one line on stderr and exit code 2."""
    assert main(args) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"stratframe: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "content"), [("in.parquet", b"not a table"), ("in.csv", b""), ("in.csv", b"a\n1,2\n")]
)
def test_garbage_is_one_line(
    name: str, content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is not what its suffix says is one line on stderr and exit code 2."""
    path = tmp_path / name
    path.write_bytes(content)
    assert main(["kfold", str(path), "--out", str(tmp_path / "out.csv")]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"stratframe: {unread(path)}")
    assert err.count("\n") == 1


def test_a_file_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lists do not fit into a CSV file: one line on stderr, and OUT stays as it was."""
    path, out = tmp_path / "in.parquet", tmp_path / "out.csv"
    pl.DataFrame({"x": [[1], [2]]}).write_parquet(path)
    out.write_text("old")
    assert main(["kfold", str(path), "--k", "2", "--out", str(out)]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"stratframe: {unwritten(out)}")
    assert err.count("\n") == 1
    assert out.read_text() == "old"
    assert set(tmp_path.iterdir()) == {path, out}
