"""The command `stratframe`, which adds folds to a file, judges its folds, or shows an example."""

import errno
import json
import os
import re
import shlex
import sys
import warnings
from argparse import SUPPRESS, ArgumentParser, RawDescriptionHelpFormatter
from ast import literal_eval
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout, suppress
from inspect import signature
from io import StringIO, TextIOWrapper
from itertools import islice
from typing import Any, NoReturn, TextIO

import stratframe as sf

from . import frames
from .checks import check_each_once, load_extra
from .errors import StratError, StratWarning, describe, plural
from .pipeline.options import MAX_REPEATS
from .terms.parse_text import parse_entry
from .verbs.result_tables import RESERVED
from .verbs.sources import list_names

MAX_LINES = 20
"""The maximum number of strata in a printed table; further strata are only counted."""

WRONG, FAILED, STOPPED, PIPE_CLOSED = 1, 2, 130, 141
"""The exit codes if `check` reports a leak or a warning, if the command fails, if the user presses
Ctrl-C, and if a pipe is closed, for instance by `head`. Shells usually use the last two codes."""

COMMANDS = {
    "kfold": "add a fold column",
    "split": "add a column of parts",
    "extend": "give a fold or part to the rows that have none",
    "check": "say whether a column is fit for use; exit code 1 if not",
    "report": "show how even the folds of a column are",
}
"""The verbs that the command offers, with their descriptions."""

JUDGES = ("check", "report")
"""The verbs that add no column, and can judge several columns."""

ARGUMENTS: dict[str, dict[str, Any]] = {
    "by": {"action": "append", "help": "a column or a term; repeat the option to nest entries"},
    "k": {"type": int, "help": "the number of folds"},
    "parts": {
        "help": "fractions or counts of rows, of which one can be `rest`, or only the share of"
        " the test part (default of split: train=0.8,test=0.2)"
    },
    "groups": {"action": "append", "help": "a column or a term that says which rows stay together"},
    "where": {"help": "a column that is true for the rows that get a fold or part"},
    "deal": {"help": "random (default), circular, contiguous or hash"},
    "key": {"action": "append", "help": "a column that identifies the rows"},
    "features": {"action": "append", "help": "a column whose distribution should not drift"},
    "duplicates": {
        "action": "append",
        "help": "a column to compare, or `none` (default: all columns that tell rows apart)",
    },
    "time": {
        "action": "append",
        "help": "a column of times by which parts should follow each other; repeat the option to"
        " give the column of users first",
    },
    "missing": {"help": "error (default), stratum or null"},
    "rare": {"help": "warn (default), error, null, pool or ignore"},
    "repeats": {"type": int, "help": "the number of columns to add (default 1)"},
    "seed": {"type": int, "help": "the seed of the random numbers (default 0)"},
    "name": {"help": "the name of the column (default fold, or split for the command split)"},
    "overwrite": {"action": "store_true", "help": "replace a column of the same name"},
}
"""The arguments of verbs, as options. If an option is left out, the default of the verb applies."""

EPILOG = """A term is written as in Python, with column names bare or in quotes:
  --by "quantiles(price, 10)"   --by 'bins("age in years", [0, 18, 65, inf])'
  --by "continuous(price)"      --groups "clusters([x1, x2], n=5)"
FILE and OUT end in .csv, .tsv, .csv.gz or .parquet; - is standard input or output, as CSV."""

READ = ("by", "groups", "where", "key", "features", "duplicates", "time")
"""The arguments that name columns to read."""

SEPARATORS = {",": ",", ";": ";", "|": "|", "tab": "\t", "\t": "\t"}
"""The characters that can separate the cells of a CSV file, by the text that a user types."""

NAMES, VERBS = "|".join(ARGUMENTS), "|".join(COMMANDS)

VALUE = r"\"[^\"]*\"|'[^']*'|\[[^]]*\]|\{[^}]*\}|sf\.\w+\([^`]*?\)|[\w.]+(?=[`,)])"

ARGUMENT = re.compile(rf"(?:, |\b)({NAMES})=({VALUE})")
"""A pattern for an argument in a call that a message quotes."""

CALLS = (
    ("fold", 'df = df.strat.kfold("class", k=5)', 'df.strat.check("class")'),
    (
        "split",
        'df = df.strat.split("class", {"train": 0.8, "valid": 0.1, "test": 0.1})',
        'df.strat.check("class", "split")',
    ),
)
"""The columns of the example, the calls that add them, and the calls that check them."""

PICTURE = "stratframe-example.png"

NEXT = """
Next, with data of your own:

  {program} kfold rows.csv --by label --out folded.csv
  {program} check folded.csv --by label

or in Python:

  import pandas as pd
  import stratframe as sf  # registers .strat
  df = pd.read_csv("rows.csv").strat.kfold("label", k=5)
  df.strat.check("label")"""


class Parser(ArgumentParser):
    """An argument parser that raises `StratError`."""

    def error(self, message: str) -> NoReturn:
        """Raise an error instead of printing the usage and exiting."""
        raise StratError(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command, print each warning on one line, and return the exit code."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", StratWarning)
        code = run_safely(argv)
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        complain(f"warning: {text}")
    return code


def run_safely(argv: Sequence[str] | None) -> int:
    """Run the command, print an error on one line, and return the exit code."""
    if isinstance(sys.stdout, TextIOWrapper):  # the encoding might lack characters
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        given = vars(parser().parse_args(argv))
        is_written = given.get("out", frames.files.PIPE) != frames.files.PIPE
        with redirect_stdout(StringIO()) as said:
            code, rows = run(given)
        failure = send(sys.stdout, rows or said.getvalue())
    except (StratError, ImportError) as error:
        complain(str(error))
    except KeyboardInterrupt:
        return STOPPED
    except SystemExit:  # --help and --version raise it
        raise
    except BaseException as error:  # Python would exit with 1, the code for a leak
        complain(f"unexpected {type(error).__name__}: {error}")
    else:
        if failure is None:
            return code
        if isinstance(failure, BrokenPipeError):
            return 0 if is_written else PIPE_CLOSED
        text = f"Standard output cannot be written to: {failure.strerror or failure}."
        complain(f"warning: {text}" if is_written else text)
        return 0 if is_written else FAILED
    return FAILED


def complain(text: str) -> None:
    """Print a message as one line on standard error; write `rare="null"` as `--rare null`."""
    text = re.sub(r"\nHint: df = .*", "", text)
    text = re.sub(r"\A(`(\w+)`.*)`(\[[^`]*\]`)", r"\1`\2=\3", text, flags=re.DOTALL)
    text = re.sub(rf"`({NAMES})=?`", r"`--\1`", text)
    text = re.sub("`[^`]+`", lambda code: ARGUMENT.sub(write_option, code[0]), text)
    text = re.sub(rf"`(?:df\.strat\.)?({VERBS})\(([^`]*)\)`", write_call, text)
    text = re.sub(r"(`df\.strat\.[^`]*`)", r"\1 in Python", text.replace("`sf.", "`"))
    send(sys.stderr, " ".join(["stratframe:", *text.splitlines()]) + "\n")


def send(stream: TextIO | None, content: str | bytes) -> OSError | None:
    """Write to a standard stream (None if it is closed), and return the error, if any."""
    if stream is None:
        return OSError(errno.EBADF, os.strerror(errno.EBADF))
    try:
        if isinstance(content, bytes):
            stream.buffer.write(content)
        else:
            stream.write(content)
        stream.flush()
    except OSError as error:
        # Otherwise, Python would try to write the remaining content when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return error
    return None


def write_option(found: re.Match[str]) -> str:
    """Write an argument as an option, or as one option for each value if the value is a list."""
    name, text = found.groups()
    space = " " if found[0].startswith(",") else ""
    try:
        value = literal_eval(text)
    except (ValueError, SyntaxError):  # a term, or text without quotes
        value = text.removeprefix("sf.")
    if text[0] == "{":
        value = re.sub("[\"'](.*?)[\"']: ", r"\1=", text[1:-1]).replace(", ", ",")
    if value is True:
        return f"{space}--{name}"
    values = [each for each in value if each is not ...] if isinstance(value, list) else [value]
    return space + " ".join(f"--{name} {shlex.quote(str(each))}" for each in values)


def write_call(found: re.Match[str]) -> str:
    """Write a call of a verb as a command; the arguments have already been written as options."""
    verb, options = found.groups()
    if not options.startswith("..."):
        options = f"FILE {options}{'' if verb in JUDGES else ' --out OUT'}"
    return f"`{program()} {verb} {options}`"


def program() -> str:
    """Return the name by which the command was called."""
    is_module = sys.argv[0].endswith("__main__.py")
    return "python -m stratframe" if is_module else "stratframe"


def parser() -> Parser:
    whole = Parser(
        prog=program(),
        description="Stratified folds for a file; without arguments, an example.",
        epilog=f"{program()} COMMAND --help lists the options of a command.",
    )
    whole.add_argument("--version", action="version", version=f"stratframe {sf.__version__}")
    commands = whole.add_subparsers(dest="command", metavar=f"{{{','.join(COMMANDS)}}}")
    for command, words in COMMANDS.items():
        options = commands.add_parser(
            command,
            help=words,
            description=f"{words[0].upper()}{words[1:]}.",
            epilog=EPILOG,
            argument_default=SUPPRESS,
            formatter_class=RawDescriptionHelpFormatter,
        )
        n_files, more = ("+", "; if several, each is a part") if command in JUDGES else (1, "")
        options.add_argument("file", metavar="FILE", nargs=n_files, help=f"the file to read{more}")
        if command == "check":
            options.add_argument("--json", action="store_true", help="print findings as JSON")
        else:
            is_needed = command not in JUDGES
            options.add_argument("--out", required=is_needed, help="the file to write")
        options.add_argument(
            "--separator",
            choices=SEPARATORS,
            metavar="SIGN",
            help="the sign between CSV cells: , ; | or tab (default: taken from the header)",
        )
        for name in signature(getattr(sf, command)).parameters:
            if name in ARGUMENTS:
                how = dict(ARGUMENTS[name])
                if name == "name" and command in JUDGES:
                    how["action"] = "append"
                if name == "by" and command == "report":
                    how["required"] = True
                options.add_argument(*(["-k"] if name == "k" else []), f"--{name}", **how)
    return whole


def run(given: dict[str, Any]) -> tuple[int, bytes]:
    """Run the command, and return the exit code and the rows for standard output.

    The output file is written last, so that an earlier error leaves no file.
    """
    command = given.pop("command")
    if command is None:
        example()
        return 0, b""
    paths, out, as_json = given.pop("file"), given.pop("out", None), given.pop("json", False)
    for each in (*paths, out):
        if each is not None:
            frames.files.check_path(each)
    labels, separator = list(map(frames.files.stem_of, paths)), given.pop("separator", "")
    check_each_once("The list of part names, taken from FILE,", "name", labels)
    files = [frames.files.read_file(path, SEPARATORS.get(separator, "")) for path in paths]
    file, given = files[0], {"by": None} | read_texts(given, files[0].header)
    read = [read_fold_columns(command, each, given) for each in files]
    frame, names = read[0]
    several = frames.files.read_alike(dict(zip(paths, (each for each, _ in read), strict=True)))
    by_part = dict(zip(labels, several, strict=True))
    result = getattr(sf, command)(by_part if len(by_part) > 1 else frame, **given)
    rows = b""
    if command == "check":
        found = {"ok": result.ok, "findings": frames.result.to_dicts(result.findings)}
        print(json.dumps(found) if as_json else result)
        return 0 if result else WRONG, rows
    if command == "report":
        columns = map(str, frames.column_names(result))
        show_columns([(each, column_list(result, each)) for each in columns])
        if out is not None:
            rows = frames.files.encode_frame(result, out, file.separator_in(out))
    else:
        filled = {}
        if command == "extend":
            filled = {each: is_empty(frame, each) & ~is_empty(result, each) for each in names}
        rows = frames.files.update_file(file, out, result, names, filled)
        print(f"{out}: {plural(len(result), 'row')}, {describe_change(frame, names, filled)}")
        if out != frames.files.PIPE:
            show_evenness(result, names[0], given["by"], given.get("groups"))
    if out in (None, frames.files.PIPE):
        return 0, rows
    frames.files.write_file(rows, out)
    return 0, b""


def read_fold_columns(
    command: str, file: frames.files.File, given: dict[str, Any]
) -> tuple[Any, list[str]]:
    """Return the frame of a file with parsed folds and times, and the names of its fold columns."""
    frame, name = file.frame, given.get("name", "split" if command == "split" else "fold")
    names, repeats = [name] if isinstance(name, str) else name, given.get("repeats", 1)
    if repeats != 1:
        names = [f"{name}_{repeat + 1}" for repeat in range(min(repeats, MAX_REPEATS))]
    is_read = command in ("extend", *JUDGES)
    if is_read:
        names = list_names(names, frame)
    spelled: dict[Any, Any] = dict(zip(frame.columns, file.header, strict=False))
    for argument, entries in {**{each: given.get(each) for each in READ}, "name": names}.items():
        for column in columns_in(entries):
            label = spelled.get(column, column)  # Polars renames repeated columns
            if file.header.count(label) > 1:
                raise frames.references.label_error(label, argument, file.header, "polars")
    if is_read and frames.files.is_text_file(file.path):
        parts = given.get("parts", ())
        known, alike = parts if isinstance(parts, dict) else (), command == "extend" and not parts
        frame = frames.files.read_folds(frame, names, known, alike=alike)
    return frames.files.parse_times(frame, columns_in(given.get("time", []))[-1:]), names


def columns_in(entry: Any) -> list[Any]:
    """List the columns that an entry or a list of entries names."""
    held = entry if isinstance(entry, list) else getattr(entry, "columns", None)
    return [entry] if held is None else [column for each in held for column in columns_in(each)]


def is_empty(frame: Any, name: str) -> Any:
    """Flag the missing cells of a column."""
    return frames.is_missing(frames.read_columns(frame, [name])[0])


def read_texts(given: dict[str, Any], columns: Sequence[object]) -> dict[str, Any]:
    """Convert the texts of options to entries, names and parts."""
    read: dict[str, Any] = {}
    for argument, value in given.items():
        entries = value if isinstance(value, list) else [value]
        if argument in ("by", "groups"):
            entries = [parse_entry(f"`--{argument}`", text, columns) for text in entries]
        # An entry that must be alone, such as clusters in `groups`, must not be in a list.
        read[argument] = entries[0] if len(entries) == 1 else entries
    where = given.get("where", "")
    if where not in columns and frames.references.CONDITION.search(where):
        msg = f"`--where` must be a column of true and false, got {describe(where)}."
        raise StratError(msg)
    if "parts" in read:
        read["parts"] = parse_parts(read["parts"])
    if read.get("duplicates") == "none" and "none" not in columns:
        read["duplicates"] = None
    return read


def parse_parts(text: str) -> dict[str, float | None] | float:
    """Parse the shares of named parts, or a single number, which is the share of the test part."""
    sides = [[side.strip() for side in item.split("=")] for item in text.split(",")]
    parts: dict[str, float | None] = {}
    with suppress(ValueError):
        if "=" not in text and 0 < (share := float(text)) < 1:
            return share
        for name, size in sides:
            number = int if size.isdecimal() else float
            parts[name] = None if size in ("rest", "None") else number(size)
    if len(parts) < len(sides) or "" in parts:
        msg = (
            "`--parts` must name each part once, as in train=0.8,test=rest, or be the share of"
            f" the test part, such as 0.2, got {describe(text)}."
        )
        raise StratError(msg)
    return parts


def describe_change(frame: Any, names: list[str], filled: dict[str, Any]) -> str:
    """Describe which columns are new or replaced, or how many of their cells were filled."""
    done = "new" if set(names).isdisjoint(frames.column_names(frame)) else "replaced"
    if filled:
        done = f"filled {plural(sum(int(each.sum()) for each in filled.values()), 'cell')} of"
    noun = "column" if len(names) == 1 else "columns"
    return f"{done} {noun} {', '.join(map(repr, names))}"


def example() -> None:
    """Add folds and parts to scikit-learn's wine data in both libraries, and print the results."""
    data = load_extra("sklearn.datasets", "sklearn").load_wine()
    columns: dict[Any, Any] = {"class": data.target_names[data.target].tolist()}
    columns |= dict(zip(data.feature_names, data.data.T, strict=True))
    folded = (sf.kfold(frames.make_frame(each, columns), "class") for each in ("pandas", "polars"))
    shares = {"train": 0.8, "valid": 0.1, "test": 0.1}
    pandas, polars = (sf.split(each, "class", shares) for each in folded)
    print(f"The wine data of scikit-learn: {len(columns['class'])} rows, 3 classes.")
    for name, call, check in CALLS:
        if column_list(pandas, name) != column_list(polars, name):
            msg = f"pandas and Polars must get the same column {name!r}, but did not."
            raise StratError(msg)
        print(f"\n>>> {call}")
        show_balance(sf.balance(pandas, "class", name))
        print(f">>> {check}\n{sf.check(pandas, 'class', name)}")
    print("\npandas and Polars got the same columns.")
    with suppress(ImportError, OSError):  # matplotlib is missing, or the folder is read-only
        sf.plot(pandas, "class").figure.savefig(PICTURE, dpi=150)
        print(f"A picture of the folds: {PICTURE}")
    print(NEXT.format(program=program()))


def column_list(frame: Any, name: str) -> list[Any]:
    return frames.to_list(frames.read_columns(frame, [name])[0])


def show_evenness(frame: Any, name: str, by: Any, groups: Any) -> None:
    """Print the balance table of a column and the findings of `check`, if `by` is given."""
    with suppress(StratError):  # an entry of `by` has the name of a column of the table
        if by is not None:
            found = sf.check(frame, by, name, groups=groups, duplicates=None)
            show_balance(sf.balance(frame, by, name))
            print(found)


def show_balance(table: Any) -> None:
    """Print a balance table, with a row for each stratum and a column of counts for each fold."""
    names = [str(name) for name in frames.column_names(table) if name not in RESERVED]
    if not names:  # entries that only order rows define no strata
        return
    rows = frames.result.to_dicts(table)
    counts: dict[tuple[Any, ...], list[int]] = {}
    for row in rows:
        stratum = tuple(frames.to_list(list(map(row.get, names))))  # None instead of NaN
        counts.setdefault(stratum, []).append(row["n"])
    shown = dict(islice(counts.items(), MAX_LINES))
    strata = [", ".join(map(str, stratum)) for stratum in shown]
    folds = dict.fromkeys(str(row["fold"]) for row in rows)
    cells = zip(*shown.values(), strict=True)
    show_columns([(", ".join(names), strata), *zip(folds, cells, strict=True)])
    if len(counts) > MAX_LINES:
        print(f"    ... and {len(counts) - MAX_LINES:,} more")


def show_columns(columns: Iterable[tuple[str, Sequence[Any]]]) -> None:
    """Print columns side by side, with text aligned left and numbers aligned right."""
    padded = []
    for name, values in columns:
        cells = [name]
        for value in values:
            text = f"{value:.4g}" if isinstance(value, float) else str(value)
            cells.append("-" if value is None else text)
        is_text = any(isinstance(value, str) for value in values)
        width = max(map(len, cells))
        padded.append([cell.ljust(width) if is_text else cell.rjust(width) for cell in cells])
    for line in zip(*padded, strict=True):
        print("   " + "  ".join(line).rstrip())


if __name__ == "__main__":
    sys.exit(main())
