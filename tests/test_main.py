"""`python -m stratframe`."""

import gzip
import os
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib import import_module
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import stratframe as sf
from stratframe.__main__ import as_typed, main
from tests.helpers import values

DATA = {
    "id": range(40),
    "label": ["a", "b"] * 20,
    "sex": ["m", "m", "f", "f"] * 10,
    "price": [number / 7 for number in range(40)],
    "pair": [number // 4 for number in range(40)],
    "old": [number < 30 for number in range(40)],
}


@pytest.fixture(params=[".csv", ".csv.gz", ".parquet"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A file of each type."""
    path = tmp_path / f"in{request.param}"
    frame = pl.DataFrame(DATA)
    if request.param == ".parquet":
        frame.write_parquet(path)
    else:
        text = frame.write_csv().encode()
        path.write_bytes(gzip.compress(text) if request.param == ".csv.gz" else text)
    return str(path)


def read(path: Path) -> pl.DataFrame:
    return pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path)


def test_example_is_run_by_the_module(tmp_path: Path) -> None:
    """`python -m stratframe` prints the folds, what a check says, and what to type next."""
    done = subprocess.run(
        [sys.executable, "-m", "stratframe"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    (counts,) = re.findall(r"class_0((?:  [0-9]{2}){5})\n", done.stdout)
    assert sorted(counts.split()) == ["11", "12", "12", "12", "12"]
    assert "   class    train  valid  test\n" in done.stdout
    lines = done.stdout.splitlines()
    for call, said in (
        ('>>> df.strat.check("class")', "fold is fit for use"),
        ('>>> df.strat.check("class", "split")', "split is fit for use"),
    ):
        assert lines[lines.index(call) + 1] == said
    assert "pandas and Polars got the same columns." in lines
    assert "A picture of the folds: stratframe-example.png" in lines
    assert (tmp_path / "stratframe-example.png").read_bytes().startswith(b"\x89PNG")
    assert "  python -m stratframe check folded.csv --by label" in lines
    assert lines[-1] == '  df.strat.check("label")'


def test_example_needs_no_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without matplotlib the example has no picture, but is whole."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    assert main([]) == 0
    out = capsys.readouterr().out
    assert "picture" not in out
    assert "  stratframe check folded.csv --by label\n" in out
    assert out.endswith('df.strat.check("label")\n')
    assert list(tmp_path.iterdir()) == []


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


Verb = Callable[[Any], Any]

COMMANDS: list[tuple[str, Verb]] = [
    ("kfold --by label", lambda df: sf.kfold(df, "label")),
    ("kfold --k 4", lambda df: sf.kfold(df, k=4)),
    (
        "kfold --by label --by sex --k 3 --name f --seed 9",
        lambda df: sf.kfold(df, ["label", "sex"], 3, name="f", seed=9),
    ),
    ("kfold --by price", lambda df: sf.kfold(df, "price")),
    (
        "kfold --by label --groups sex --groups pair -k 3",
        lambda df: sf.kfold(df, "label", 3, groups=["sex", "pair"]),
    ),
    (
        "kfold --groups 'clusters([id, price], n=6)' -k3",
        lambda df: sf.kfold(df, k=3, groups=sf.clusters(["id", "price"], n=6)),
    ),
    (
        "kfold --by label --by 'quantiles(price, 4)' --by 'bins(id, [0, 9, inf])'",
        lambda df: sf.kfold(
            df, ["label", sf.quantiles("price", 4), sf.bins("id", [0, 9, float("inf")])]
        ),
    ),
    (
        "kfold --by 'margins([label, sex, quantiles(price, 3)])'",
        lambda df: sf.kfold(df, sf.margins(["label", "sex", sf.quantiles("price", 3)])),
    ),
    (
        "split --by label --by 'nearest([id, price])'",
        lambda df: sf.split(df, ["label", sf.nearest(["id", "price"])]),
    ),
    (
        "kfold --by label --repeats 2 --key sex --key id",
        lambda df: sf.kfold(df, "label", repeats=2, key=["sex", "id"]),
    ),
    ("split --by label --parts 0.3 --repeats 3", lambda df: sf.split(df, "label", 0.3, repeats=3)),
    (
        "split --by label --parts train=0.5,test=0.5",
        lambda df: sf.split(df, "label", {"train": 0.5, "test": 0.5}),
    ),
    ("split --by label --parts 0.25", lambda df: sf.split(df, "label", 0.25)),
    ("kfold --by label --where old --k 3", lambda df: sf.kfold(df, "label", 3, where="old")),
    (
        "split --by label --deal circular --where old",
        lambda df: sf.split(df, "label", deal="circular", where="old"),
    ),
    (
        "kfold --by label --name pair --overwrite",
        lambda df: sf.kfold(df, "label", name="pair", overwrite=True),
    ),
    (
        "split --by label --parts 'train=rest, valid=5,test=8'",
        lambda df: sf.split(df, "label", {"train": None, "valid": 5, "test": 8}),
    ),
]


@pytest.mark.parametrize(("command", "verb"), COMMANDS, ids=[text for text, _ in COMMANDS])
def test_command_is_the_verb(command: str, verb: Verb, tmp_path: Path) -> None:
    """A command writes the file with the columns that the function adds."""
    name, *args = shlex.split(command)
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    pl.DataFrame(DATA).write_csv(path)
    assert main([name, str(path), *args, "--out", str(out)]) == 0
    assert out.read_text() == verb(pl.DataFrame(DATA)).write_csv()


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet"])
def test_files_of_all_types(suffix: str, file: str, tmp_path: Path) -> None:
    """From any type of file to any other the rows stay, and the column is that of the function."""
    out = tmp_path / f"out{suffix}"
    assert main(["kfold", file, "--by", "label", "--by", "price", "--out", str(out)]) == 0
    expected = sf.kfold(pl.DataFrame(DATA), ["label", "price"])
    if suffix == ".parquet":
        assert pl.read_parquet(out).equals(expected)
    else:
        data = out.read_bytes()
        text = gzip.decompress(data) if suffix == ".csv.gz" else data
        assert text.decode() == expected.write_csv()


@pytest.mark.parametrize(
    ("args", "change"),
    [
        (["kfold"], "new column 'fold'"),
        (["kfold", "--repeats", "2"], "new columns 'fold_1', 'fold_2'"),
        (["kfold", "--name", "pair", "--overwrite"], "replaced column 'pair'"),
        (["split", "--name", "half", "--parts", "0.5"], "new column 'half'"),
    ],
)
def test_command_says_what_it_did(
    args: list[str], change: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A command names the columns that are new or replaced."""
    assert main([args[0], file, *args[1:], "--out", file]) == 0
    assert capsys.readouterr().out == f"{file}: 40 rows, {change}\n"


def test_command_prints_the_balance(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A command prints the counts of every stratum in every fold, of the first column."""
    assert main(["kfold", file, "--by", "label", "--k", "2", "--repeats", "2", "--out", file]) == 0
    assert capsys.readouterr().out == (
        f"{file}: 40 rows, new columns 'fold_1', 'fold_2'\n"
        "   label   0   1\n"
        "   a      10  10\n"
        "   b      10  10\n"
        "fold_1 is fit for use\n"
        "  ok       label: even, each class within a row of its share\n"
        "  ok       sizes: 2 folds of 20 rows\n"
    )


def test_long_tables_are_cut(tmp_path: Path, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A balance table of many strata shows the first twenty, and how many more there are."""
    args = ["--by", "classes(id)", "--rare", "ignore", "--out", str(tmp_path / "out.csv")]
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


def test_warnings_are_lines(tmp_path: Path, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A warning of the package is one line on stderr, and the file is written."""
    out = tmp_path / "out.csv"
    assert main(["kfold", file, "--by", "id", "--out", str(out)]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    rule = "40 classes of 'id' have fewer rows than the 5 folds: "
    assert lines[0].startswith(f"stratframe: warning: {rule}")
    assert lines[0].endswith("Hint: `quantiles('id', 10)` or `continuous('id')`.")
    assert out.exists()


def test_warnings_speak_of_options(
    tmp_path: Path, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a warning tells to write is written as options."""
    out = ["--out", str(tmp_path / "out.csv")]
    assert main(["split", file, "--by", "label", "--parts", "0.8", *out]) == 0
    assert capsys.readouterr().err == (
        "stratframe: warning: `--parts 0.8` is the share of `test`, and leaves 0.2 for `train`."
        " Hint: `0.2`, or `train=0.8,test=0.2`, trains on 0.8; `train=0.2,test=0.8` says that this"
        " is meant.\n"
    )
    rare = tmp_path / "rare.csv"
    rare.write_text("label\n" + "a\n" * 20 + "b\n")
    assert main(["kfold", str(rare), "--by", "label", *out]) == 0
    assert "`--rare ignore` silences this warning" in capsys.readouterr().err


ERRORS = {
    "kfold no.csv": "The file 'no.csv' cannot be read: No such file or directory.",
    "kfold dir.csv": "The file 'dir.csv' cannot be read: Is a directory.",
    "kfold head.csv": "Cannot assign folds to a frame without rows.",
    "kfold in.csv --out out": (
        "A file name must end in .csv, .csv.gz or .parquet, got 'out'. Hint: - is standard"
        " input or output, as CSV."
    ),
    "kfold in.csv --out in.csv/out.csv": (
        "The file 'in.csv/out.csv' cannot be written: Not a directory."
    ),
    "kfold in.csv --out dir.csv": "The file 'dir.csv' cannot be written: Is a directory.",
    "kfold in.csv --by 'quantiles(prices, 3)'": (
        "`by` names the column 'prices', which the frame does not have. Hint: did you mean 'price'?"
    ),
    "kfold in.csv --by 'quantile(price, 3)'": (
        "`--by` must be a column or a term, as in quantiles(price, 10), got 'quantile(price,"
        " 3)'. Hint: did you mean quantiles(...)?"
    ),
    "kfold in.csv --k x": "argument -k/--k: invalid int value: 'x'",
    "split in.csv --parts train=0.8,valid=4,test=rest": (
        "`--parts` must be all fractions or all counts, with at most one rest, got"
        " 'train=0.8,valid=4,test=rest'."
    ),
    "split in.csv --parts train=0,test=rest": (
        "`--parts` must be finite and above zero, got 'train=0,test=rest'."
    ),
    "split in.csv --parts train=30,test=20": (
        "The counts in `--parts` must sum to the rows that get a part, got 50 for 40 rows. Hint:"
        " one part may be rest: it takes the rest, at least 1 row."
    ),
    "extend in.csv --name pair -k 4 --parts 0.2": (
        "`extend` takes `k` for folds or `--parts` for parts, got both."
    ),
    "kfold in.csv --by label,price": (
        "`by` names the column 'label,price', which the frame does not have. Hint: repeat the"
        " option: `--by label --by price`."
    ),
    "kfold in.csv --by 'margins([price, label])'": (
        "An entry of `margins` must make strata, but 'price' holds fractions. Hint: cut it, as in"
        " `quantiles('price', 10)`, or take its values as they are, `classes('price')`."
    ),
    "kfold in.csv --groups pair --key id": (
        "`groups` cannot be combined with `key`: whole groups are not assigned in row order. Hint:"
        " leave out `key`, as folds of groups do not depend on the order of rows; or let a hash of"
        " the group alone decide, as in `stratframe kfold --key pair --deal hash`."
    ),
    "kfold in.csv --key pair": (
        "`key` ('pair') must identify each row, but repeats in 40 rows (0, 1, 2, 3, 4, ...). Hint:"
        " in `kfold` and `split`, `--groups` keeps rows that belong together in one fold or part,"
        " and with `--deal hash` keys may repeat."
    ),
    "split in.csv --deal hash --key id --parts train=30,test=10": (
        "`--deal hash` takes shares in `--parts`, not counts of rows: a row's key alone decides."
        " Hint: a share, as in `--parts train=0.8,test=0.2`, is met up to chance."
    ),
    "report in.csv --by label": (
        "There is no column 'fold'. Hint: add it first, as in `stratframe kfold ... --name fold`."
    ),
    "kfold in.csv --name pair": "The frame has a column 'pair' already. `--overwrite` replaces it.",
}
"""Commands that go wrong, and the line that each prints."""


@pytest.mark.parametrize("command", ERRORS)
def test_errors_are_one_line(
    command: str,
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
    args = shlex.split(command)
    assert main(args if "--out" in args else [*args, "--out", "out.csv"]) == 2
    assert capsys.readouterr() == ("", f"stratframe: {ERRORS[command]}\n")
    assert set(tmp_path.rglob("*")) == before


TYPED = {
    "k=5": "-k 5",
    "overwrite=True": "--overwrite",
    'missing="null"': "--missing null",
    "name='my fold'": "--name 'my fold'",
    'name=["fold_1", "fold_2"]': "--name fold_1 --name fold_2",
    'parts={"train": None, "test": 100}': "--parts train=rest,test=100",
    'by=sf.classes("site")': "--by \"classes('site')\"",
    "df.strat.kfold(..., groups=['a', 'b'])": "stratframe kfold ... --groups a --groups b",
    "df.strat.kfold(..., groups=sf.clusters(...))": 'stratframe kfold ... --groups "clusters(...)"',
    "df.strat.advise('label')": "df.strat.advise('label')",
    'where=pl.col("price") > 5': 'where=pl.col("price") > 5',
}
"""Code in messages, and what is typed for it; what has no option stays as it is."""


@pytest.mark.parametrize("code", TYPED)
def test_code_in_messages_is_typed(code: str) -> None:
    """What a message tells to write is written as it is typed on the command line."""
    assert as_typed(f"Hint: `{code}`, or `k`.") == f"Hint: `{TYPED[code]}`, or `k`."


@pytest.mark.parametrize("text", ["8", "1.2", "", "a,b", "=1,b=1", "a=x,b=1", "a=1,a=1", "a=1=2"])
def test_parts_that_cannot_be_read(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is neither parts with their shares nor a share of test is refused."""
    pl.DataFrame(DATA).write_csv(tmp_path / "in.csv")
    args = ["--parts", text, "--out", str(tmp_path / "out.csv")]
    assert main(["split", str(tmp_path / "in.csv"), *args]) == 2
    assert capsys.readouterr().err == (
        "stratframe: `--parts` must name each part once, as in train=0.8,test=rest, or be the"
        f" share of test, as 0.2, got {text!r}.\n"
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["kfold", "in.csv"], "the following arguments are required: --out"),
        (["report", "in.csv"], "the following arguments are required: --by"),
        (["kfold", "in.csv", "--seed", "9" * 5_000], "argument --seed: invalid int value: '999"),
        (["kfold", "in.csv", "--out", "o.csv", "--by", "\udcff"], "`--by` must be in UTF-8, got"),
        (["check", "a\0.csv"], "The file 'a\\x00.csv' cannot be read: embedded null byte."),
        (["deal"], "argument {kfold,split,extend,check,report}: invalid choice: 'deal' "),
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
    assert len(err) < 400


@pytest.mark.parametrize(
    "term", ["quantiles(price, 100000000000000000000)", "bins(price, [0, 1" + "0" * 400 + "])"]
)
def test_huge_numbers_are_one_line(
    term: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Numbers that no machine can hold are one line on stderr and exit code 2."""
    assert main(["report", file, "--by", term, "--name", "pair"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("stratframe: ")


@pytest.mark.parametrize("error", [OverflowError("too\nlarge"), MemoryError(), TypeError("no")])
def test_unexpected_errors_do_not_look_like_leaks(
    error: Exception, file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error that nobody foresaw is one line and exit code 2: 1 means that rows leak."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(sf, "check", fail)
    assert main(["check", file]) == 2
    words = " ".join(str(error).splitlines())
    assert capsys.readouterr() == ("", f"stratframe: unexpected {type(error).__name__}: {words}\n")


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
    assert err.startswith(f"stratframe: The file '{path}' cannot be read: ")
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
    assert err.startswith(f"stratframe: The file '{out}' cannot be written: ")
    assert err.count("\n") == 1
    assert out.read_text() == "old"
    assert set(tmp_path.iterdir()) == {path, out}


# Standard input and output --------------------------------------------------------------


def run(*args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    command = [sys.executable, "-m", "stratframe", *args]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)


CSV = pl.DataFrame(DATA).write_csv()


def test_pipes_are_csv() -> None:
    """From standard input to standard output nothing but the rows is written."""
    folded = run("kfold", "-", "--by", "label", "--out", "-", stdin=CSV)
    assert (folded.returncode, folded.stderr) == (0, "")
    assert folded.stdout == sf.kfold(pl.DataFrame(DATA), "label").write_csv()
    report = run("report", "-", "--by", "label", "--out", "-", stdin=folded.stdout)
    table = sf.report(pl.read_csv(BytesIO(folded.stdout.encode())), "label")
    assert (report.returncode, report.stdout) == (0, table.write_csv())


def test_warnings_and_errors_of_pipes_go_to_stderr() -> None:
    """In a pipe, warnings and errors are lines on stderr, and an error writes nothing."""
    warned = run("kfold", "-", "--by", "id", "--out", "-", stdin=CSV)
    assert warned.returncode == 0
    assert warned.stderr.startswith("stratframe: warning: ")
    assert warned.stdout.count("\n") == 41
    refused = run("kfold", "-", "--by", "lable", "--out", "-", stdin=CSV)
    message = (
        "stratframe: `by` names the column 'lable', which the frame does not have. Hint:"
        " did you mean 'label'?\n"
    )
    assert (refused.returncode, refused.stdout, refused.stderr) == (2, "", message)
    empty = run("kfold", "-", "--out", "-")
    assert (empty.returncode, empty.stdout) == (2, "")
    assert empty.stderr.startswith("stratframe: The file '-' cannot be read: ")


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    """A reader that stops early, as `head` does, ends the command without a word."""
    path = tmp_path / "in.csv"
    pl.DataFrame(DATA).write_csv(path)
    for out in (["--out", "-"], []):
        verb = ["kfold"] if out else ["check", "--name", "label"]
        command = [sys.executable, "-m", "stratframe", *verb, str(path), *out]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            assert process.stderr.read() == b""
        assert process.returncode == 141


def signal_while_writing(folder: Path, number: int, action: str) -> tuple[int, str]:
    """Send a signal to a command that writes a file, and return its exit code and errors."""
    path = folder / "in.csv"
    pl.DataFrame(DATA).write_csv(path)
    code = f"""
import os, signal, sys, time
import polars as pl
from stratframe.__main__ import main

write = pl.DataFrame.write_parquet

def write_signalled(*args):
    assert len(os.listdir({str(folder)!r})) == 2
    os.kill(os.getpid(), {number})
    time.sleep(0.1)
    return write(*args)

signal.signal({number}, signal.{action})
pl.DataFrame.write_parquet = write_signalled
sys.exit(main(["kfold", {str(path)!r}, "--out", {str(folder / "out.parquet")!r}]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_leaves_no_draft(tmp_path: Path, name: str) -> None:
    """A command that is ended while it writes leaves no file, and the code of a shell."""
    number = getattr(signal, name)
    assert signal_while_writing(tmp_path, number, "SIG_DFL") == (128 + number, "")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


@posix
def test_an_ignored_signal_ends_nothing(tmp_path: Path) -> None:
    """A command that outlives its terminal, as under `nohup`, writes its file."""
    assert signal_while_writing(tmp_path, signal.SIGHUP, "SIG_IGN") == (0, "")
    assert len(pl.read_parquet(tmp_path / "out.parquet")) == len(pl.DataFrame(DATA))


def test_signals_of_the_caller_stay(file: str) -> None:
    """After a call of `main` signals do what they did before."""
    before = signal.getsignal(signal.SIGTERM)
    assert main(["check", file, "--name", "pair"]) in (0, 1)
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize(
    "args",
    [["kfold", "in.csv", "--out", "-"], ["report", "in.csv", "--by", "label", "--name", "sex"]],
)
def test_output_that_cannot_be_written(args: list[str], tmp_path: Path) -> None:
    """A full disk behind standard output is one line and exit code 2."""
    pl.DataFrame(DATA).write_csv(tmp_path / "in.csv")
    command = [sys.executable, "-m", "stratframe", *args]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=tmp_path
        )
    message = "stratframe: Standard output cannot be written: No space left on device.\n"
    assert (done.returncode, done.stderr) == (2, message)


@pytest.mark.skipif(os.name != "posix", reason="a shell of POSIX")
@pytest.mark.parametrize(
    ("args", "message"),
    [
        ("kfold - --out x.csv <&-", "The file '-' cannot be read: Bad file descriptor."),
        ("kfold in.csv --out - >&-", "Standard output cannot be written: Bad file descriptor."),
        ("kfold in.csv --by no --out - 2>&-", ""),
    ],
)
def test_streams_that_are_closed(args: str, message: str, tmp_path: Path) -> None:
    """A standard stream that the shell has closed is an error in one line, if there is one."""
    pl.DataFrame(DATA).write_csv(tmp_path / "in.csv")
    command = f"{shlex.quote(sys.executable)} -m stratframe {args}"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    line = f"stratframe: {message}\n" if message else ""
    assert (done.returncode, done.stdout, done.stderr) == (2, "", line)


def test_letters_that_the_output_lacks(tmp_path: Path) -> None:
    """Letters that the encoding of standard output lacks are escaped."""
    pl.DataFrame({"ü": ["é", "a"] * 5}).write_csv(tmp_path / "in.csv")
    done = subprocess.run(
        [sys.executable, "-m", "stratframe", "kfold", "in.csv", "--by", "ü", "--out", "out.csv"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].split()[0] == r"\xfc"


def test_ctrl_c_ends_quietly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An interrupted command says nothing, leaves no file, and ends as shells expect."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "in.csv"
    pl.DataFrame(DATA).write_csv(path)
    monkeypatch.setattr(pl.DataFrame, "write_parquet", interrupt)
    assert main(["kfold", str(path), "--out", str(tmp_path / "out.parquet")]) == 130
    assert capsys.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == [path]


# Other commands -------------------------------------------------------------------------


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    """`--version` prints the version of the package."""
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"stratframe {sf.__version__}\n"


@pytest.mark.parametrize("command", ["kfold", "split", "extend", "report", "check"])
def test_help_shows_terms(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command lists its options and shows how terms and pipes are written."""
    with pytest.raises(SystemExit):
        main([command, "--help"])
    out = capsys.readouterr().out
    assert "--by" in out
    assert '--by "quantiles(price, 10)"' in out
    assert "- is standard input or output" in out


def test_help_and_hints_say_how_the_command_was_called(tmp_path: Path) -> None:
    """The module calls itself the module, so that what it prints can be typed again."""
    assert run("--help").stdout.startswith("usage: python -m stratframe [-h]")
    assert run("kfold", "--help").stdout.startswith("usage: python -m stratframe kfold [-h]")
    (tmp_path / "in.csv").write_text(CSV)
    hint = "as in `python -m stratframe kfold ... --name fold`.\n"
    assert run("check", str(tmp_path / "in.csv")).stderr.endswith(hint)


def test_the_console_script_is_the_module() -> None:
    """The script `stratframe` calls the function that `python -m stratframe` calls."""
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    module, _, name = tomllib.loads(text)["project"]["scripts"]["stratframe"].partition(":")
    assert getattr(import_module(module), name) is main


@pytest.mark.parametrize("parts", [None, "train=0.5,valid=0.25,test=0.25"])
def test_extend_fills_parts(tmp_path: Path, parts: str | None) -> None:
    """`extend` fills a column of parts, and leaves the rows of which `--where` is false."""
    names = ["train", "train", "valid", "test"] * 4
    rows = [f"{name},true" for name in names] + [",true"] * 8 + [",false"] * 4
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    path.write_text("split,new\n" + "\n".join(rows) + "\n")
    shares = [] if parts is None else ["--parts", parts]
    args = [*shares, "--where", "new", "--name", "split", "--out", str(out)]
    assert main(["extend", str(path), *args]) == 0
    found = values(pl.read_csv(out), "split")
    assert found[:16] == names
    assert sorted(found[16:24]) == ["test"] * 2 + ["train"] * 4 + ["valid"] * 2
    assert found[24:] == [None] * 4


def extendable(folds: list[str]) -> str:
    """Write rows whose last ones have no fold."""
    rows = [f"{place:03},{'ab'[place % 2]}" for place in range(12)]
    filled = [*folds, *[""] * (12 - len(folds))]
    return "\n".join(
        ["id,y,fold", *(f"{row},{fold}" for row, fold in zip(rows, filled, strict=True))]
    )


@pytest.mark.parametrize(
    "folds", [list("01201201"), ["0.0", "1.0", "2.0", "0.0"], ["00", "1", "2"]]
)
def test_extend_fills_the_gaps_alone(folds: list[str]) -> None:
    """`extend` gives rows without a fold one; all other cells stay as they are written."""
    text = extendable(folds)
    done = run("extend", "-", "--by", "y", "-k", "3", "--out", "-", stdin=text)
    assert (done.returncode, done.stderr) == (0, "")
    given, out = text.splitlines(), done.stdout.splitlines()
    n_given = len(folds) + 1
    assert out[:n_given] == given[:n_given]
    assert [line[:-1] for line in out[n_given:]] == given[n_given:]
    expected = sf.extend(pl.read_csv(BytesIO(text.encode())), "y", 3)["fold"].to_list()
    assert [float(line.rpartition(",")[2]) for line in out[1:]] == expected


def test_extend_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`extend` names the column that it filled, and prints its balance."""
    path, out = tmp_path / "in.csv", tmp_path / "out.parquet"
    path.write_text(extendable(list("0101")).replace("fold", "part"))
    assert main(["extend", str(path), "--by", "y", "--name", "part", "--out", str(out)]) == 0
    assert capsys.readouterr().out == (
        f"{out}: 12 rows, filled 8 cells of column 'part'\n"
        "   y  0  1\n"
        "   a  3  3\n"
        "   b  3  3\n"
        "part is fit for use\n"
        "  ok       y: even, each class within a row of its share\n"
        "  ok       sizes: 2 folds of 6 rows\n"
    )
    assert pl.read_parquet(out)["part"].dtype == pl.Int64


RECORDS = {
    "BOM and CRLF": [
        b"\xef\xbb\xbfid,y,fold\r\n",
        b'01,"a,b",%b\r\n',
        b'2,"a\r\n",%b\r\n',
        b"3,a,%b",
    ],
    "same names": [b"id,fold,id,fold\n", b"01,%b,1,0\n", b"1e1,%b,,1\n", b",%b,-0,2\n"],
    "quotes": [b'"id","y","fold"\n', b'"1.50","a",%b\n', b'"2","",%b\n', b',"""",%b\n'],
    "long numbers": [b"id,y,fold\n", b"9" * 40 + b",1e5,%b\n", b"002,x,%b\n", b"-3, ,%b\n"],
}
"""Records as other programs write them, with a place for the fold."""


@pytest.mark.parametrize("case", RECORDS)
@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
@pytest.mark.parametrize("mark", [b"", b"NA", b'"n/a"', b" "])
def test_all_other_bytes_stay(case: str, suffix: str, mark: bytes, tmp_path: Path) -> None:
    """From CSV to CSV all bytes but those of new cells are the same, also in place."""
    header, *records = RECORDS[case]
    path, pack = tmp_path / f"in{suffix}", suffix == ".csv.gz"

    def deal(name: str) -> list[bytes]:
        return [b"%d" % fold for fold in sf.kfold(pl.DataFrame(DATA)[:3], k=3, name=name)[name]]

    def write(cells: list[bytes]) -> list[bytes]:
        return [header, *(record % cell for record, cell in zip(records, cells, strict=True))]

    def written(*args: str) -> bytes:
        assert main([args[0], str(path), *args[1:], "--out", str(path)]) == 0
        return gzip.decompress(path.read_bytes()) if pack else path.read_bytes()

    data = b"".join(write([b'"0"', b"1.0", mark]))
    path.write_bytes(gzip.compress(data) if pack else data)
    filled = [b"".join(write([b'"0"', b"1.0", fold])) for fold in (b"0", b"1")]
    assert written("extend", "-k", "2") in filled
    assert written("kfold", "-k", "3", "--overwrite") == b"".join(write(deal("fold")))
    longer = [
        re.sub(rb"(\r?\n)?$", rb",%b\1" % cell, line, count=1)
        for line, cell in zip(write(deal("fold")), [b"f", *deal("f")], strict=True)
    ]
    assert written("kfold", "-k", "3", "--name", "f") == b"".join(longer)


@pytest.mark.parametrize("args", [[], ["-k", "2"]])
def test_extend_of_folds_and_words(
    args: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A word among folds that marks nothing as missing is an error with its rows."""
    path = tmp_path / "in.csv"
    path.write_text("fold\n0\n1\nNA\n?\n0\nx\n")
    assert main(["extend", str(path), *args, "--out", str(path)]) == 2
    assert capsys.readouterr().err == (
        "stratframe: `extend` needs folds 0..k-1 in 'fold', but there are others in 2 rows"
        " (3, 5). Hint: an empty cell or NA is a missing fold.\n"
    )
    assert path.read_text() == "fold\n0\n1\nNA\n?\n0\nx\n"


def test_checks_of_a_column_with_marks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`check` counts marks of missing folds as rows without a fold."""
    path = tmp_path / "in.csv"
    path.write_text("id,fold\n1,0\n2,1\n3,NA\n4, \n")
    main(["check", str(path)])
    assert "  note     2 rows have no fold\n" in capsys.readouterr().out


FOLDED = sf.kfold(pl.DataFrame(DATA), "label", 4).write_csv()


def test_report_prints_the_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """`report` prints its table, a line for each fold, and writes it where asked."""
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(FOLDED.encode())))
    out = tmp_path / "report.csv"
    assert main(["report", "-", "--by", "label", "--out", str(out)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    table = sf.report(pl.read_csv(BytesIO(FOLDED.encode())), "label")
    assert lines[0] == table.columns
    assert [line[:2] for line in lines[1:]] == [[str(fold), "10"] for fold in range(4)]
    assert out.read_text() == table.write_csv()


@pytest.mark.parametrize(
    ("args", "code", "text"),
    [
        (["--by", "label"], 0, "  ok       label: even, each class within a row of its share"),
        (["--key", "id"], 0, "  ok       each of 40 keys is unique"),
        (["--groups", "sex"], 1, "  LEAK     2 of 2 sexes are in several folds, such as 'm' in"),
        (["--duplicates", "none", "--name", "fold"], 0, "  ok       sizes: 4 folds of 10 rows"),
        (["--features", "price"], 0, "  ok       drift: none of 4 comparisons beyond chance"),
    ],
)
def test_check_ends_with_1_if_anything_is_wrong(
    args: list[str], code: int, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`check` prints its lines; exit code 1 says that one is a leak or a warning."""
    path = tmp_path / "in.csv"
    path.write_text(FOLDED)
    assert main(["check", str(path), *args]) == code
    out = capsys.readouterr().out
    assert text in out
    assert out.startswith("fold is fit for use\n") == (code == 0)
    assert ("duplicates" in out) == ("none" not in args)


def test_missing_extras_are_one_line(
    file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A library that is missing is one line on stderr that says what to install."""
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    assert main(["kfold", file, "--by", "clusters(price, n=2)", "--out", file]) == 2
    err = capsys.readouterr().err
    assert err.startswith("stratframe: sklearn is not installed: pip install")
    assert err.count("\n") == 1


def test_a_column_with_the_name_of_a_term_is_the_column(tmp_path: Path) -> None:
    """A column that is called as a term is written wins over the term."""
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    frame = pl.DataFrame({"quantiles(x, 2)": ["a", "b"] * 6, "x": range(12)})
    frame.write_csv(path)
    assert main(["kfold", str(path), "--by", "quantiles(x, 2)", "-k", "3", "--out", str(out)]) == 0
    assert read(out).equals(sf.kfold(frame, "quantiles(x, 2)", 3))


def test_repeats_are_all_named(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """All new columns are named, and the balance is that of the first."""
    assert main(["kfold", file, "--repeats", "2", "--out", file]) == 0
    assert capsys.readouterr().out == f"{file}: 40 rows, new columns 'fold_1', 'fold_2'\n"
    assert main(["split", file, "--repeats", "2", "--out", file]) == 0
    assert capsys.readouterr().out == f"{file}: 40 rows, new columns 'split_1', 'split_2'\n"
