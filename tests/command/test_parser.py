"""Options, help, and the errors for arguments that cannot be read."""

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import stratframe as sf
from stratframe.__main__ import main
from tests.command.calls import check_error, run

PROJECT = Path(__file__).parents[2]
Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    "command", ["kfold", "split", "extend", "sample", "report", "advise", "check"]
)
def test_help(command: str, capsys: Capture) -> None:
    """`--help` lists the options that the page on the command line lists, and names terms."""
    with pytest.raises(SystemExit):
        main([command, "--help"])

    out = capsys.readouterr().out
    assert '--by "quantiles(price, 10)"' in out
    assert "Options are called as the arguments of the functions in Python" in out
    page = (PROJECT / "docs/guide/command-line.md").read_text()
    (row,) = (line for line in page.splitlines() if line.startswith(f"| `{command}`"))
    listed = set(re.findall(r"`(--?[a-z]+)`", row))
    options = set(re.findall(r"^  (--?[a-z]+)", out, re.MULTILINE))
    assert options - {"-h", "--out", "--separator"} == listed


def test_help_says_how_the_command_was_called() -> None:
    """The module calls itself what was typed."""
    assert run("kfold --help").stdout.startswith("usage: python -m stratframe kfold [-h]")


def test_version(capsys: Capture) -> None:
    """`--version` prints the version of the package."""
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])

    assert capsys.readouterr().out == f"stratframe {sf.__version__}\n"


def test_the_console_script_is_the_module() -> None:
    """The script `stratframe` calls the function that `python -m stratframe` calls."""
    scripts = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["scripts"]

    module, _, name = scripts["stratframe"].partition(":")

    assert getattr(import_module(module), name) is main


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "kfold in.csv --n_splits 5 --out out.csv",
            "`kfold` has no option '--n_splits'. Hint: it is -k here.",
            id="other_library",
        ),
        pytest.param(
            "split in.csv --test-size=0.2 --out out.csv",
            "`split` has no option '--test-size'. Hint: it is --parts here.",
            id="hyphen_and_equals",
        ),
        pytest.param(
            "kfold in.csv --test_size 0.2 --out out.csv",
            "`kfold` has no option '--test_size'. Hint: --parts is an option of split or extend.",
            id="other_library_and_command",
        ),
        pytest.param(
            "check in.csv -k 5",
            "`check` has no option '-k'. Hint: -k is an option of kfold or extend.",
            id="other_command",
        ),
        pytest.param(
            "kfold in.csv --grups sex --out out.csv",
            "`kfold` has no option '--grups'. Hint: did you mean --groups?",
            id="typing_error",
        ),
        pytest.param(
            "kfold in.csv --weights x --out out.csv",
            "`kfold` has no option '--weights'. Hint: `stratframe kfold --help` lists the options.",
            id="needs_a_term",
        ),
        pytest.param("--fold", "There is no option '--fold'.", id="no_command"),
        pytest.param(
            "kfold in.csv --by label 'my sex' --out out.csv",
            "--by takes one value, got 'label', 'my sex'."
            " Hint: repeat the option, as in `--by label --by 'my sex'`.",
            id="several_entries",
        ),
        pytest.param(
            "kfold --by label sex in.csv --out out.csv",
            "--by takes one value, got 'label', 'sex'."
            " Hint: repeat the option, as in `--by label --by sex`.",
            id="several_entries_before_the_file",
        ),
        pytest.param(
            "split in.csv --parts 0.8 0.2 --out out.csv",
            "--parts takes one value, got '0.8', '0.2'."
            " Hint: the shares are one value, as in `--parts train=0.8,test=0.2`.",
            id="several_shares",
        ),
        pytest.param(
            "kfold in.csv --seed 1 2 --out out.csv",
            "--seed takes one value, got '1', '2'.",
            id="several_seeds",
        ),
        pytest.param(
            "kfold in.csv other.csv --out out.csv",
            "`kfold` takes one FILE, got also 'other.csv'.",
            id="several_files",
        ),
        pytest.param(
            "check in.csv --by label other.csv",
            "FILE is given already, got also 'other.csv'."
            " Hint: files stand together, as in `check FILE FILE --by label`.",
            id="files_apart",
        ),
        pytest.param(
            "kfold in.csv --k x --out out.csv",
            "argument -k/--k: invalid int value: 'x'",
            id="no_number",
        ),
        pytest.param("report in.csv", "the following arguments are required: --by", id="required"),
        pytest.param(
            "kfold in.csv --where 'id>3' --out out.csv",
            "`where` must be a column of true and false, got 'id>3'.",
            id="condition",
        ),
    ],
)
def test_arguments_that_cannot_be_read(
    command: str, message: str, home: Path, capsys: Capture
) -> None:
    """An argument that cannot be read is one line that says why, and exit code 2."""
    check_error(command, message, home, capsys)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("8", id="whole_number"),
        pytest.param("1.2", id="more_than_all_rows"),
        pytest.param("", id="empty"),
        pytest.param("a,b", id="names_alone"),
        pytest.param("=1,b=1", id="no_name"),
        pytest.param("a=x,b=1", id="no_number"),
        pytest.param("a=1,a=1", id="name_twice"),
        pytest.param("a=1=2", id="two_numbers"),
    ],
)
def test_parts_that_are_no_shares(text: str, home: Path, capsys: Capture) -> None:
    """`--parts` without names, or with a name twice, is an error that shows how it is written."""
    check_error(
        f"split in.csv --parts '{text}' --out out.csv",
        "`parts` must name each part once, as in train=0.8,test=rest, or be the share of the test"
        f" part, such as 0.2, got {text!r}.",
        home,
        capsys,
    )
