"""The commands and their options, and the errors for words that are no options."""

import re
import shlex
import sys
from argparse import SUPPRESS, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from inspect import signature
from typing import Any, NamedTuple, NoReturn

import stratframe as sf

from .. import frames
from ..errors import StratError, either, list_values
from ..habits import HABITS
from .streams import program

COMMANDS = {
    "kfold": "add a fold column",
    "split": "add a column of parts",
    "extend": "give a fold or part to the rows that have none",
    "check": "say whether a column is fit for use; exit code 1 if not",
    "sample": "draw a stratified sample of the rows",
    "report": "show how even the folds of a column are",
    "advise": "say what each number of folds would cost, and which to choose",
    "fingerprint": "print 16 hex digits that change if any row changes its fold",
}
"""The verbs that the command offers, with their descriptions."""

JUDGES = ("check", "report", "fingerprint")
"""The verbs that add no column, and can read several columns."""

TABLES = ("report", "advise")
"""The verbs that print a table."""

ARGUMENTS: dict[str, dict[str, Any]] = {
    "by": {"action": "append", "help": "a column or a term; repeat the option to nest entries"},
    "k": {"type": int, "help": "the number of folds"},
    "parts": {
        "help": "fractions or counts of rows, of which one can be `rest`, or only the share of"
        " the test part (default of split: train=0.8,test=0.2)"
    },
    "each": {
        "help": "a number of rows of each stratum, or such numbers for the parts, as in"
        " train=rest,valid=1,test=1"
    },
    "n": {"type": int, "help": "the number of rows in the sample"},
    "frac": {"type": float, "help": "the share of the rows in the sample, from 0 to 1"},
    "allocation": {
        "help": "proportional (default) to the sizes of strata, or equal for all strata"
    },
    "ks": {
        "action": "append",
        "type": int,
        "help": "a number of folds to compare (default 2 to 20)",
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
    "strict": {"action": "store_true", "help": "fail while a finding asks a question"},
    "missing": {"help": "error (default), stratum or null"},
    "rare": {"help": "warn (default), error, null, pool or ignore"},
    "repeats": {"type": int, "help": "the number of columns to add (default 1)"},
    "seed": {"type": int, "help": "the seed of the random numbers (default 0)"},
    "name": {"help": "the name of the column (default fold, or split for the command split)"},
    "full": {"action": "store_true", "help": "show all columns of the table"},
    "overwrite": {"action": "store_true", "help": "replace a column of the same name"},
}
"""The arguments of verbs, as options. If an option is left out, the default of the verb applies."""

EPILOG = """Options are called as the arguments of the functions in Python, and messages name these:
`k` is -k, `rare="pool"` is --rare pool, and a list is an option that is repeated.
A term is written as in Python, with column names bare or in quotes:
  --by "quantiles(price, 10)"   --by 'bins("age in years", [0, 18, 65, inf])'
  --by "continuous(price)"      --groups "clusters([x1, x2], n=5)"
FILE and OUT end in .csv, .tsv, .csv.gz or .parquet; - is standard input or output, as CSV."""

SEPARATORS = {",": ",", ";": ";", "|": "|", "tab": "\t", "\t": "\t"}
"""The characters that can separate the cells of a CSV file, by the text that a user types."""


class Command(NamedTuple):
    """A command with its options."""

    verb: str
    files: Sequence[str]
    out: str | None
    separator: str
    """The character between the cells of a CSV file; empty if it is taken from the header."""
    is_json: bool
    texts: Mapping[str, Any]
    """The options that are arguments of the verb, as typed."""


class Parser(ArgumentParser):
    """An argument parser that raises `StratError`."""

    def error(self, message: str) -> NoReturn:
        """Raise an error instead of printing the usage and exiting."""
        raise StratError(message)


def read_command(argv: Sequence[str] | None) -> Command | None:
    """Read the words of a command line; without any, return None for the example."""
    words = sys.argv[1:] if argv is None else list(argv)
    namespace, unknown = parser().parse_known_args(words)
    options = vars(namespace)
    command = options.pop("command")
    if unknown:
        raise unknown_words(command, words, unknown)
    if command is None:
        return None
    file = options.pop("file")
    return Command(
        verb=command,
        files=file if isinstance(file, list) else [file],
        out=options.pop("out", None),
        separator=SEPARATORS.get(options.pop("separator", ""), ""),
        is_json=options.pop("json", False),
        texts=options,
    )


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
        add_files(options, command)
        for argument in arguments_of(command):
            add_option(options, command, argument)
    return whole


def add_files(options: ArgumentParser, command: str) -> None:
    """Add the options for what is read and written."""
    if command in JUDGES:
        options.add_argument(
            "file", metavar="FILE", nargs="+", help="the file to read; if several, each is a part"
        )
    else:
        options.add_argument("file", metavar="FILE", help="the file to read")
    if command == "check":
        options.add_argument("--json", action="store_true", help="print findings as JSON")
    elif command != "fingerprint":
        options.add_argument("--out", required=command not in TABLES, help="the file to write")
    options.add_argument(
        "--separator",
        choices=SEPARATORS,
        metavar="SIGN",
        help="the sign between CSV cells: , ; | or tab (default: taken from the header)",
    )


def add_option(options: ArgumentParser, command: str, argument: str) -> None:
    """Add an argument of a verb as an option."""
    flags = ["-k", "--k"] if argument == "k" else [f"--{argument}"]
    settings = dict(ARGUMENTS[argument])
    if argument == "name" and command in JUDGES:
        settings["action"] = "append"
    if argument == "by" and command in ("sample", *TABLES):
        settings["required"] = True
    options.add_argument(*flags, **settings)


def arguments_of(command: str) -> list[str]:
    """List the arguments of a verb that are options."""
    return [name for name in signature(getattr(sf, command)).parameters if name in ARGUMENTS]


def unknown_words(command: str | None, words: Sequence[str], unknown: Sequence[str]) -> StratError:
    """Make the error for words that are neither options nor their values."""
    if command is None:
        return StratError(f"There is no option {unknown[0]!r}.")
    for word in unknown:
        if is_option(word):
            return unknown_option(command, word)
    return extra_value(command, words, unknown[0])


def is_option(word: str) -> bool:
    return re.fullmatch(r"--?[A-Za-z][^ ]*", word) is not None


def option_name(word: str) -> str:
    """Return the name of an option as typed, as in "n_splits" for "--n-splits=5"."""
    if not word.startswith("--"):
        return word[1]
    return word[2:].partition("=")[0].replace("-", "_")


def unknown_option(command: str, word: str) -> StratError:
    option = word.partition("=")[0]
    return StratError(
        f"`{command}` has no option {option!r}.\nHint: {suggest_option(command, option_name(word))}"
    )


def suggest_option(command: str, name: str) -> str:
    """Suggest what to type for an option of another command or of another library."""
    # An example with a term would need more than another name.
    examples = [each for each in HABITS.get(name, ()) if "sf." not in each]
    names = [name, *(each.partition("=")[0] for each in examples)]
    for each in names:
        if each in arguments_of(command):
            return f"it is {typed(each)} here."
    for each in names:
        owners = [other for other in COMMANDS if each in arguments_of(other)]
        if owners:
            return f"{typed(each)} is an option of {either(owners)}."
    close = get_close_matches(name, arguments_of(command), n=1)
    if close:
        return f"did you mean {typed(close[0])}?"
    return f"`{program()} {command} --help` lists the options."


def typed(argument: str) -> str:
    """Write an argument as it is typed."""
    return "-k" if argument == "k" else f"--{argument}"


def extra_value(command: str, words: Sequence[str], extra: str) -> StratError:
    """Make the error for a word that follows the value of an option, or is another file."""
    place = len(words) - 1 - list(reversed(words)).index(extra)
    places = [each for each in range(place) if is_option(words[each])]
    if places:
        option = words[places[-1]]
        # Files may stand behind the value.
        values = [word for word in words[places[-1] + 1 : place + 1] if not is_file(word)]
        if len(values) > 1:
            return several_values(option, values)
    if command in JUDGES:
        hint = f"files stand together, as in `{command} FILE FILE --by label`."
        return StratError(f"FILE is given already, got also {extra!r}.\nHint: {hint}")
    return StratError(f"`{command}` takes one FILE, got also {extra!r}.")


def is_file(word: str) -> bool:
    return word == frames.files.PIPE or word.lower().endswith(frames.files.SUFFIXES)


def several_values(option: str, values: Sequence[str]) -> StratError:
    name = option_name(option)
    msg = f"{option} takes one value, got {list_values(values)}."
    if name == "parts":
        msg += "\nHint: the shares are one value, as in `--parts train=0.8,test=0.2`."
    elif ARGUMENTS.get(name, {}).get("action") == "append":
        repeated = " ".join(f"{option} {shlex.quote(value)}" for value in values)
        msg += f"\nHint: repeat the option, as in `{repeated}`."
    return StratError(msg)
