"""The command `stratframe`, which adds folds to a file, judges its folds, or shows an example."""

import sys
import warnings
from collections.abc import Callable, Sequence
from io import TextIOWrapper

from .command import interrupt
from .command.example import show_example
from .command.judge import run_check, run_fingerprint, run_table
from .command.make import draw_sample, make_column
from .command.parser import Command, read_command
from .command.streams import Output, complain, send
from .errors import StratError, StratWarning

FAILED = 2
"""The exit code if the command fails. Python's own is 1, which means that `check` found a leak."""

PIPE_CLOSED = 141
"""The exit code if a pipe is closed, for instance by `head`, as in shells."""

ACTIONS: dict[str, Callable[[Command], Output]] = {
    "kfold": make_column,
    "split": make_column,
    "extend": make_column,
    "sample": draw_sample,
    "check": run_check,
    "report": run_table,
    "advise": run_table,
    "fingerprint": run_fingerprint,
}
"""What each command runs."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command, print each warning and error on one line, and return the exit code."""
    try:
        interrupt.raise_again()
        return run_with_warnings(argv)
    except KeyboardInterrupt:
        complain("interrupted")
        return interrupt.STOPPED


def run_with_warnings(argv: Sequence[str] | None) -> int:
    """Run the command, and print each warning on one line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", StratWarning)
        code = run_safely(argv)
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        complain(f"warning: {text}")
    return code


def run_safely(argv: Sequence[str] | None) -> int:
    """Run the command, and print an error on one line."""
    try:
        command = read_command(argv)
        output = show_example() if command is None else ACTIONS[command.verb](command)
    except (KeyboardInterrupt, SystemExit):  # --help and --version raise SystemExit
        raise
    except (StratError, ImportError) as error:
        complain(str(error))
    except MemoryError as error:
        complain(f"There is not enough memory. {error}".rstrip())
    except BaseException as error:  # a panic of Polars is no Exception
        complain(f"unexpected {type(error).__name__}: {error}")
    else:
        return write_output(output)
    return FAILED


def write_output(output: Output) -> int:
    """Write to standard output, and return the exit code."""
    if isinstance(sys.stdout, TextIOWrapper):  # the encoding might lack characters
        sys.stdout.reconfigure(errors="backslashreplace")
    failure = send(sys.stdout, output.content)
    if failure is None:
        return output.code
    is_closed_pipe = isinstance(failure, BrokenPipeError)
    message = f"Standard output cannot be written to: {failure.strerror or failure}."
    if output.has_file:
        if not is_closed_pipe:
            complain(f"warning: {message}")
        return 0
    if is_closed_pipe:
        return PIPE_CLOSED
    complain(message)
    return FAILED


if __name__ == "__main__":
    sys.exit(main())
