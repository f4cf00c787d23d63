"""Ctrl-C."""

import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.command.calls import call, run

SCRIPT = """import sys
from stratframe.__main__ import main
sys.exit(main())
"""
"""What installers write as the console script `stratframe`."""

INTERRUPTED_IMPORT = """import os, signal, time
os.kill(os.getpid(), signal.SIGINT)
time.sleep(9)
"""
"""A module that is interrupted while it is imported."""

posix = pytest.mark.skipif(os.name != "posix", reason="a signal of POSIX")


def test_interrupted_commands_leave_no_file(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An interrupted command says so, leaves no file, and ends as shells expect."""
    monkeypatch.setattr(Path, "replace", Mock(side_effect=KeyboardInterrupt))

    assert call("kfold in.csv --out out.parquet") == 130

    assert capsys.readouterr() == ("", "stratframe: interrupted\n")
    assert list(home.iterdir()) == [home / "in.csv"]


@posix
def test_module_is_interrupted_while_it_imports() -> None:
    """If `python -m stratframe` is interrupted before it has started, it prints one line."""
    Path("numpy.py").write_text(INTERRUPTED_IMPORT)

    done = run("kfold in.csv --out out.csv")

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stratframe: interrupted\n")


@posix
def test_script_is_interrupted_while_it_imports() -> None:
    """If the script `stratframe` is interrupted before it has started, it prints one line."""
    Path("polars.py").write_text(INTERRUPTED_IMPORT)
    Path("stratframe").write_text(SCRIPT)

    done = subprocess.run(
        [sys.executable, "stratframe", "kfold", "in.csv"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stratframe: interrupted\n")


@posix
def test_other_programs_get_the_interrupt() -> None:
    """A program of the user that imports stratframe is interrupted like any other."""
    Path("program.py").write_text(
        "import os, signal\n"
        "import stratframe\n"
        "try:\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "except KeyboardInterrupt:\n"
        "    print('caught')\n"
    )

    done = subprocess.run(
        [sys.executable, "program.py", "stratframe"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "caught\n", "")
