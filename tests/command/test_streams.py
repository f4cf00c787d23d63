"""Standard input, output and error, in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import stratframe as sf
from tests.command.calls import CSV, DATA, run

HAS_FULL = Path("/dev/full").exists()
posix = pytest.mark.skipif(os.name != "posix", reason="a shell of POSIX")
full = pytest.mark.skipif(not HAS_FULL, reason="a device of Linux")


def run_in_shell(command: str, stdout: int) -> subprocess.CompletedProcess[str]:
    """Run the command in a shell that redirects its streams."""
    line = f"{sys.executable} -m stratframe {command}"
    return subprocess.run(
        ["sh", "-c", line], stdout=stdout, stderr=subprocess.PIPE, text=True, check=False
    )


def test_pipes_are_csv() -> None:
    """Standard output has nothing but the rows; a warning is a line on standard error."""
    done = run("kfold - --by id --out -", CSV)

    expected = sf.kfold(DATA, "id", rare="ignore").write_csv()
    assert (done.returncode, done.stdout) == (0, expected)
    assert done.stderr.startswith("stratframe: warning: 40 classes of 'id' have fewer rows than ")
    assert done.stderr.count("\n") == 1


@posix
def test_closed_input_is_an_error() -> None:
    """If standard input is closed, one line says so."""
    done = run_in_shell("check - <&-", subprocess.PIPE)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "stratframe: Standard input cannot be read: it is closed.\n"


@posix
@pytest.mark.parametrize(
    ("command", "code"),
    [
        pytest.param("kfold in.csv --out out.csv", 0, id="file_is_written"),
        pytest.param("kfold in.csv --out -", 141, id="rows_are_not"),
        pytest.param("check in.csv --name label", 141, id="findings_are_not"),
    ],
)
def test_pipe_whose_reader_has_ended(command: str, code: int) -> None:
    """If a reader such as `head` has ended, the exit code is 141, unless OUT is written."""
    reader, writer = os.pipe()
    os.close(reader)

    done = run_in_shell(command, writer)

    os.close(writer)
    assert (done.returncode, done.stderr) == (code, "")


CLOSED = "Standard output cannot be written to: Bad file descriptor.\n"
FULL = "Standard output cannot be written to: No space left on device.\n"


@posix
@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        pytest.param("kfold in.csv --out out.csv >&-", 0, f"warning: {CLOSED}", id="closed_file"),
        pytest.param("kfold in.csv --out - >&-", 2, CLOSED, id="closed"),
        pytest.param(
            "kfold in.csv --out out.csv >/dev/full",
            0,
            f"warning: {FULL}",
            id="full_file",
            marks=full,
        ),
        pytest.param(
            "report in.csv --by label --name sex >/dev/full", 2, FULL, id="full", marks=full
        ),
    ],
)
def test_output_that_cannot_be_written_to(command: str, code: int, message: str) -> None:
    """If standard output is full or closed, one line says so; once OUT is written, it is 0."""
    done = run_in_shell(command, subprocess.PIPE)

    assert (done.returncode, done.stderr) == (code, f"stratframe: {message}")
    assert Path("out.csv").exists() == (code == 0)


@full
def test_errors_that_cannot_be_printed() -> None:
    """If standard error is full, the exit code is the same: 1 would mean that rows leak."""
    with Path("/dev/full").open("w") as stderr:
        done = run("kfold in.csv --by lable --out out.csv", stderr=stderr)

    assert done.returncode == 2


def test_letters_that_the_output_lacks() -> None:
    """Letters that the encoding of standard output lacks are escaped."""
    pl.DataFrame({"ü": ["é", "a"] * 5}).write_csv("in.csv")

    done = run("kfold in.csv --by ü --out out.csv", env=os.environ | {"PYTHONIOENCODING": "ascii"})

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].split()[0] == r"\xfc"
