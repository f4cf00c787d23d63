"""The command line, `stratframe`: folds on an example, or on a file of your own."""

import os
import re
import shlex
import signal
import sys
import threading
import warnings
from argparse import SUPPRESS, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any, Literal, NamedTuple, NoReturn

import stratframe as sf

from . import frames
from .checks import load_extra
from .errors import StratError, StratWarning, describe, plural
from .pipeline.tables import RESERVED
from .terms.parse_text import parse_entry

MAX_SHOWN = 20
"""Strata that a printed table shows before it only counts them."""

MAX_LETTERS = 300
"""Letters of a message about options, which may quote them."""

WRONG, FAILED, STOPPED, PIPE_CLOSED = 1, 2, 130, 141
"""Exit codes: `check` finds a leak or a warning; bad input; and those of a shell for Ctrl-C and
`| head`."""

SIGNALLED = 128
"""What a shell adds to the number of a signal that ended a command."""

ARGUMENTS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "by": (["--by"], {"action": "append", "help": "a column or a term; repeat to nest"}),
    "k": (["-k", "--k"], {"type": int, "help": "folds"}),
    "parts": (
        ["--parts"],
        {
            "help": "fractions or counts of rows, one may be `rest`, or the share of test alone"
            " (in split by default train=0.8,test=0.2)"
        },
    ),
    "groups": (["--groups"], {"action": "append", "help": "a column whose rows stay together"}),
    "where": (["--where"], {"help": "a column of true and false: the rows that get a cell"}),
    "deal": (["--deal"], {"help": "random (default), circular or hash"}),
    "key": (["--key"], {"action": "append", "help": "a column that identifies the rows"}),
    "features": (["--features"], {"action": "append", "help": "a column that should not drift"}),
    "duplicates": (
        ["--duplicates"],
        {
            "action": "append",
            "help": "a column to compare rows by, or `none` (default: all that tell them apart)",
        },
    ),
    "missing": (["--missing"], {"help": "error (default), stratum or null"}),
    "rare": (["--rare"], {"help": "warn (default), error, null, pool or ignore"}),
    "repeats": (["--repeats"], {"type": int, "help": "columns to add (default 1)"}),
    "seed": (["--seed"], {"type": int, "help": "same seed, same folds (default 0)"}),
    "name": (["--name"], {"help": "the column (default fold, of split: split)"}),
    "overwrite": (
        ["--overwrite"],
        {"action": "store_true", "help": "replace a column of that name"},
    ),
}
"""The arguments of the verbs as options; what is not given has the default of the verb."""


class Command(NamedTuple):
    """A verb on the command line."""

    help: str
    arguments: tuple[str, ...]
    result: Literal["frame", "table", "lines"] = "frame"
    """What the verb returns; a frame has a new column."""


READS_FOLDS = ("extend", "report", "check")
"""The commands that read a column of folds or parts, which other programs may have written."""

ROWS = ("by", "groups", "where", "missing", "rare", "seed")
"""What all commands take that give rows a fold or part."""

COMMANDS = {
    "kfold": Command("add a fold column", ("k", *ROWS, "deal", "key", "repeats", "overwrite")),
    "split": Command(
        "add a column of parts", ("parts", *ROWS, "deal", "key", "repeats", "overwrite")
    ),
    "extend": Command("give rows without a fold or part one", ("k", "parts", *ROWS)),
    "check": Command(
        "say if a column is fit for use; exit code 1 if not",
        ("by", "groups", "key", "features", "duplicates"),
        "lines",
    ),
    "report": Command("show how even a column is", ("by", "groups"), "table"),
}

EPILOG = """A term is written as in Python, with column names bare or in quotes:
  --by "quantiles(price, 10)"   --by 'bins("age in years", [0, 18, 65, inf])'
  --by "continuous(price)"      --groups "clusters([x1, x2], n=5)"
FILE and OUT end in .csv, .csv.gz or .parquet; - is standard input or output, as CSV."""

CALLS = (
    ("fold", 'df = df.strat.kfold("class", k=5)', 'df.strat.check("class")'),
    (
        "split",
        'df = df.strat.split("class", {"train": 0.8, "valid": 0.1, "test": 0.1})',
        'df.strat.check("class", "split")',
    ),
)
"""The columns of the example, the calls that add them, and those that check them."""

PICTURE = "stratframe-example.png"

NEXT = """Next, with data of your own:

  {program} kfold rows.csv --by label --out folded.csv
  {program} check folded.csv --by label

or in Python:

  import pandas as pd
  import stratframe as sf  # registers .strat
  df = pd.read_csv("rows.csv").strat.kfold("label", k=5)
  df.strat.check("label")"""

VALUE = r"""sf\.\w+\(.*\)|"[^"]*"|'[^']*'|[\w.]+"""
"""A term, text or a number in code."""

OPTION = re.compile(rf"({'|'.join(ARGUMENTS)})=(\[.+\]|{{.+}}|{VALUE}|)(?=, |$)")
"""An argument in code, which is an option here; without a value, its name alone."""

CALL = re.compile(rf"(?:df\.strat\.)?({'|'.join(COMMANDS)})\((\.{{3}})?(.*)\)")
"""A verb in code, which is a command here."""

IN_A_LIST = re.compile(r"(`(\w+)` .*)several columns go in a list: `(?=\[)", re.DOTALL)
"""An error about an argument, up to the list of columns that it should be."""


class Parser(ArgumentParser):
    """A parser whose errors are those of the package."""

    def error(self, message: str) -> NoReturn:
        """Raise what `main` prints, without the whole of a long value."""
        is_long = len(message) > MAX_LETTERS
        raise StratError(f"{message[:MAX_LETTERS]}..." if is_long else message)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command, and say what went wrong in one line."""
    with warnings.catch_warnings(record=True) as caught, clean_ends():
        warnings.simplefilter("always", StratWarning)
        code = run_safely(argv)
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        complain(f"warning: {as_typed(text)}")
    return code


def as_typed(text: str) -> str:
    """Write the code in a message as it is typed here, where there are options for it."""
    return re.sub("`([^`]+)`", lambda code: f"`{code_as_typed(code[1])}`", text)


def code_as_typed(code: str) -> str:
    """Write a call as a command, an argument as an option, and parts and terms as values of one."""
    if call := CALL.fullmatch(code):
        options = [option_as_typed(*each) for each in OPTION.findall(call[3])]
        return " ".join([program(), *filter(None, call.groups()[:2]), *options])
    if argument := OPTION.fullmatch(code):
        return option_as_typed(*argument.groups())
    if code.startswith("{"):
        return parts_as_typed(code)
    return code.removeprefix("sf.")


def option_as_typed(name: str, value: str) -> str:
    """Write an argument as an option, which is repeated for each entry of a list."""
    (flag, *_), _ = ARGUMENTS[name]
    if value in ("", "True"):
        return flag
    if value.startswith("{"):
        return f"{flag} {parts_as_typed(value)}"
    return " ".join(f"{flag} {value_as_typed(each)}" for each in re.findall(VALUE, value))


def value_as_typed(value: str) -> str:
    """Write a term in the quotes of a shell, and other text without those of Python."""
    if value.startswith("sf."):
        return '"{}"'.format(value.removeprefix("sf.").replace('"', "'"))
    return shlex.quote(value.strip("\"'"))


def parts_as_typed(parts: str) -> str:
    """Write parts and their shares as `--parts` takes them."""
    for code, typed in (('"', ""), (": ", "="), (", ", ","), ("None", "rest")):
        parts = parts.replace(code, typed)
    return parts.strip("{}")


@contextmanager
def clean_ends() -> Iterator[None]:
    """Let signals that end the process at once raise instead, so that no draft is left."""

    def stop(number: int, _: object) -> NoReturn:
        signal.signal(number, signal.SIG_IGN)
        raise SystemExit(SIGNALLED + number)

    numbers = []
    if threading.current_thread() is threading.main_thread():
        known = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
        numbers = [number for number in known if signal.getsignal(number) == signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def run_safely(argv: Sequence[str] | None) -> int:
    """Run the command, and turn what stops it into an exit code."""
    try:
        try:
            return run(vars(parser().parse_args(argv)))
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except (StratError, ImportError) as error:
        complain(as_typed(str(error)))
    except KeyboardInterrupt:
        return STOPPED
    except BrokenPipeError:
        drop_output()
        return PIPE_CLOSED
    except OSError as error:
        drop_output()
        complain(f"Standard output cannot be written: {error.strerror or error}.")
    except Exception as error:  # Python would end with 1, which means leaks
        complain(f"unexpected {type(error).__name__}: {error}")
    return FAILED


def drop_output() -> None:
    """Drop what is left for standard output, which Python would write when it ends."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(text: str) -> None:
    """Print one line to standard error, if there is one."""
    if sys.stderr is not None:
        with suppress(OSError):
            print("stratframe:", *text.splitlines(), file=sys.stderr)


def say(*words: str, sep: str = " ") -> None:
    """Print to standard output, and escape the letters that its encoding lacks."""
    if sys.stdout is not None:
        encoding = sys.stdout.encoding or "utf-8"
        print(sep.join(words).encode(encoding, "backslashreplace").decode(encoding))


def program() -> str:
    """Write how the command was called."""
    is_module = sys.argv[0].endswith("__main__.py")
    return "python -m stratframe" if is_module else "stratframe"


def parser() -> Parser:
    """Describe the arguments."""
    whole = Parser(
        prog=program(),
        description="Stratified folds for a file; without arguments, an example.",
        epilog=f"{program()} COMMAND --help lists the options of a command.",
    )
    whole.add_argument("--version", action="version", version=f"stratframe {sf.__version__}")
    commands = whole.add_subparsers(dest="command", metavar=f"{{{','.join(COMMANDS)}}}")
    for name, command in COMMANDS.items():
        options = commands.add_parser(
            name,
            help=command.help,
            description=f"{command.help[0].upper()}{command.help[1:]}.",
            epilog=EPILOG,
            argument_default=SUPPRESS,
            formatter_class=RawDescriptionHelpFormatter,
        )
        options.add_argument("file", metavar="FILE", help="the file to read")
        if command.result != "lines":
            is_needed = command.result == "frame"
            options.add_argument("--out", required=is_needed, help="the file to write")
        for argument in (*command.arguments, "name"):
            flags, how = ARGUMENTS[argument]
            if argument == "name" and command.result != "frame":
                how = {**how, "action": "append"}
            if argument == "by" and name == "report":
                how = {**how, "required": True}
            options.add_argument(*flags, **how)
    return whole


def run(given: dict[str, Any]) -> int:
    """Run the command with the arguments that are given, and return the exit code."""
    command = given.pop("command")
    if command is None:
        example()
        return 0
    path, out = given.pop("file"), given.pop("out", None)
    for each in (path, out):
        if each is not None:
            frames.check_path(each)
    check_letters(given)
    data = frames.read_bytes(path)
    frame = frames.parse_file(data, path)
    texts = dict(given)
    needed = {"by": None} if command == "extend" else {}
    given |= needed | read_texts(given, frames.column_names(frame))
    if command in READS_FOLDS and frames.is_text_file(path):
        frame = read_folds(command, frame, given)
    with option_words(texts, given):
        result = getattr(sf, command)(frame, **given)
    if COMMANDS[command].result == "lines":
        say(str(result))
        return 0 if result else WRONG
    if COMMANDS[command].result == "table":
        show_table(result, out)
        return 0
    names = output_names(command, given)
    filled = None
    if command == "extend":
        filled = empty_cells(frame, names) & ~empty_cells(result, names)
    written = result
    if frames.is_text_file(path) and frames.is_text_file(out):
        written = frames.update_csv(data, path, frame, result, names, filled)
    frames.write_file(written, out)
    if out != frames.PIPE:
        say(f"{out}: {plural(len(result), 'row')}, {describe_change(frame, names, filled)}")
        show_evenness(result, names[0], given.get("by"), given.get("groups"))
    return 0


def describe_change(frame: Any, names: list[str], filled: Any) -> str:
    """Name the columns that are new or replaced, or of which cells are filled."""
    if filled is not None:
        done = f"filled {plural(int(filled.sum()), 'cell')} of"
    else:
        is_new = set(names).isdisjoint(frames.column_names(frame))
        done = "new" if is_new else "replaced"
    noun = "column" if len(names) == 1 else "columns"
    return f"{done} {noun} {', '.join(map(repr, names))}"


def check_letters(given: dict[str, Any]) -> None:
    """Raise if an option holds bytes that are no letters of UTF-8."""
    for argument, value in given.items():
        for text in value if isinstance(value, list) else [value]:
            try:
                str(text).encode()
            except UnicodeEncodeError as error:
                msg = f"`--{argument}` must be in UTF-8, got {describe(text)}."
                raise StratError(msg) from error


def read_folds(command: str, frame: Any, given: dict[str, Any]) -> Any:
    """Read what is a missing fold or part in the columns that a command is about."""
    name, parts = given.get("name", "fold"), given.get("parts", {})
    names = [name] if isinstance(name, str) else name
    frame = frames.read_marks(frame, names, parts if isinstance(parts, dict) else ())
    if command == "extend" and not parts and name in frames.column_names(frame):
        frames.check_folds_or_parts(*frames.read_columns(frame, names))
    return frame


def empty_cells(frame: Any, names: list[str]) -> Any:
    """Flag the rows in which a column has no fold or part."""
    return frames.is_missing(*frames.read_columns(frame, names))


def output_names(command: str, given: dict[str, Any]) -> list[str]:
    """List the columns that a command writes."""
    name = given.get("name", "split" if command == "split" else "fold")
    repeats = given.get("repeats", 1)
    return [name] if repeats == 1 else [f"{name}_{repeat + 1}" for repeat in range(repeats)]


@contextmanager
def option_words(texts: dict[str, Any], given: dict[str, Any]) -> Iterator[None]:
    """Let errors about arguments that differ on the command line speak of options."""
    try:
        yield
    except StratError as error:
        words = str(error)
        if "`overwrite=True`" in words:  # and not the hint, which is code
            words = words.partition("\n")[0]
        words = IN_A_LIST.sub(r"\1repeat the option: `\2=", words)
        if "parts" in texts:
            words = words.replace(repr(given["parts"]), repr(texts["parts"]))
        if "`parts" in words:
            words = words.replace("`parts`", "`--parts`")
            words = words.replace(" one None", " one rest").replace(" be None:", " be rest:")
        raise StratError(words) from error


def read_texts(given: dict[str, Any], columns: Sequence[object]) -> dict[str, Any]:
    """Turn the texts of options into entries, names and parts."""
    lists = {name: list_ for name, list_ in given.items() if isinstance(list_, list)}
    for argument in {"by", "groups"} & lists.keys():
        texts = lists[argument]
        lists[argument] = [parse_entry(f"`--{argument}`", text, columns) for text in texts]
    # A list may not hold what is allowed alone, such as clusters as groups.
    read: dict[str, Any] = {
        name: list_[0] if len(list_) == 1 else list_ for name, list_ in lists.items()
    }
    if "parts" in given:
        read["parts"] = parse_parts(given["parts"])
    if read.get("duplicates") == "none" and "none" not in columns:
        read["duplicates"] = None
    return read


def parse_parts(text: str) -> dict[str, float | None] | float:
    """Read parts and their shares, or the share of the test part alone."""
    parts: dict[str, float | None] = {}
    try:
        if "=" not in text and 0 < (share := float(text)) < 1:
            return share
        for item in text.split(","):
            name, size = (side.strip() for side in item.split("="))
            if not name or name in parts:
                raise ValueError
            parts[name] = None if size == "rest" else to_number(size)
    except ValueError:
        msg = (
            "`--parts` must name each part once, as in train=0.8,test=rest, or be the share of"
            f" test, as 0.2, got {describe(text)}."
        )
        raise StratError(msg) from None
    return parts


def to_number(text: str) -> float:
    """Read a whole number, or else a fraction."""
    return int(text) if text.isdecimal() else float(text)


def example() -> None:
    """Put folds and parts on the wines of scikit-learn, in both libraries, and check them."""
    columns = wine()
    pandas, polars = (grow(frames.make_frame(each, columns)) for each in ("pandas", "polars"))
    say(f"The wine data of scikit-learn: {len(columns['class'])} rows, 3 classes.")
    for name, call, check in CALLS:
        if column_list(pandas, name) != column_list(polars, name):
            msg = f"pandas and Polars must get the same column {name!r}, but did not."
            raise StratError(msg)
        say(f"\n>>> {call}")
        show_balance(sf.balance(pandas, "class", name))
        say(f">>> {check}")
        say(str(sf.check(pandas, "class", name)))
    say("\npandas and Polars got the same columns.")
    draw_example(pandas)
    say(f"\n{NEXT.format(program=program())}")


def draw_example(frame: Any) -> None:
    """Save a picture of the folds, if matplotlib is there and the folder can be written to."""
    with suppress(ImportError, OSError):
        sf.plot(frame, "class").figure.savefig(PICTURE, dpi=150)
        say(f"A picture of the folds: {PICTURE}")


def wine() -> dict[Any, Any]:
    """Load the wines, which need no download."""
    try:
        data = load_extra("sklearn.datasets", "cluster").load_wine()
    except ImportError as error:
        msg = 'The example needs scikit-learn: pip install "stratframe[cluster]"'
        raise StratError(msg) from error
    features = dict(zip(data.feature_names, data.data.T, strict=True))
    return {"class": data.target_names[data.target].tolist(), **features}


def grow(frame: Any) -> Any:
    """Add the columns of the example."""
    frame = sf.kfold(frame, "class", k=5)
    return sf.split(frame, "class", {"train": 0.8, "valid": 0.1, "test": 0.1})


def column_list(frame: Any, name: str) -> list[Any]:
    """List the values of a column."""
    return frames.to_list(frames.read_columns(frame, [name])[0])


def show_evenness(frame: Any, name: str, by: Any = None, groups: Any = None) -> None:
    """Print the balance of a column, and how even it is, unless it has no strata to show."""
    if by is None:
        return
    try:
        table = sf.balance(frame, by, name)
        found = sf.check(frame, by, name, groups=groups, duplicates=None)
    except StratError:  # an entry has the name of a column of the table
        return
    show_balance(table)
    say(str(found))


def show_balance(table: Any) -> None:
    """Print a balance table: a row for each stratum, the counts of its folds next to it."""
    rows = frames.to_dicts(table)
    names = [str(name) for name in frames.column_names(table) if name not in RESERVED]
    counts: dict[tuple[Any, ...], list[str]] = {}
    for row in rows:
        counts.setdefault(tuple(map(row.get, names)), []).append(str(row["n"]))
    if not names:  # neighbours have no strata
        return
    folds = dict.fromkeys(str(row["fold"]) for row in rows)
    shown = islice(counts.items(), MAX_SHOWN)
    lines = [[", ".join(names), *folds]]
    lines += [[", ".join(map(str, stratum)), *listed] for stratum, listed in shown]
    show_lines(lines, [True] + [False] * len(folds))
    if len(counts) > MAX_SHOWN:
        say(f"    ... and {len(counts) - MAX_SHOWN:,} more")


def show_table(table: Any, out: str | None) -> None:
    """Print a table, and write it if a file is given; CSV alone to standard output."""
    if out is not None:
        frames.write_file(table, out)
    if out == frames.PIPE:
        return
    names = frames.column_names(table)
    columns = [column_list(table, str(name)) for name in names]
    cells = [
        [str(name), *map(format_cell, column)] for name, column in zip(names, columns, strict=True)
    ]
    are_text = [any(isinstance(value, str) for value in column) for column in columns]
    show_lines([list(line) for line in zip(*cells, strict=True)], are_text)


def format_cell(value: Any) -> str:
    """Write a value for a printed table."""
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def show_lines(lines: Sequence[Sequence[str]], are_text: Sequence[bool]) -> None:
    """Print lines of cells in columns, text on the left and numbers on the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        padded = (
            cell.ljust(width) if is_text_file else cell.rjust(width)
            for cell, width, is_text_file in zip(line, widths, are_text, strict=True)
        )
        say(" ", "  ".join(padded).rstrip(), sep="  ")


if __name__ == "__main__":
    sys.exit(main())
