"""Run random cases until the time is up, and print the first that breaks a promise.

A script of this folder checks one random case; all that it draws comes from `case.rng`. `running`
is imported first: it puts the root of the project on the path, for `tests.helpers`, and takes this
folder off it, where the script `dask.py` would hide Dask. A failure is printed with the calls of
its case and the command that runs the case again, and ends the script with 1.
"""

import argparse
import faulthandler
import linecache
import random
import re
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:] = [str(ROOT), *(path for path in sys.path if Path(path or ".").resolve() != HERE)]

import pandas as pd  # noqa: E402
import polars as pl  # noqa: E402

import stratframe as sf  # noqa: E402
from tests.helpers import eager  # noqa: E402

HOME = str(Path(sf.__file__).parent)
MAX_MESSAGE = 2_000
"""Characters of an error or a warning."""

MAX_SECONDS = 60
"""Seconds of a call."""

MAX_SHOWN = 1_000
"""Characters of an argument in a report."""


@dataclass
class Case:
    """One random case: what it draws from, the calls that it made, and what else to report."""

    rng: random.Random
    calls: list[tuple[Callable[..., Any], Any, dict[str, Any]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Make a call, which is counted and is a part of the report."""
        self.calls.append((function, args, kwargs))
        with warnings.catch_warnings(record=True) as caught, limited(MAX_SECONDS):
            warnings.simplefilter("always", sf.StratWarning)
            result = function(*args, **kwargs)
        for warning in caught:
            check_message(str(warning.message))
        return result

    def answer(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Make a call and collect a lazy result; return a refusal instead of raising it.

        A refusal is a `StratError` or a `TypeError` of ours, or what a column's function raises.
        """
        refusal = None
        try:
            return self.call(lambda: eager(function(*args, **kwargs)))
        except Exception as error:
            is_ours = isinstance(error, sf.StratError) or is_raised_by_us(error)
            if not is_ours and not is_raised_by_a_column(error):
                raise
            refusal = error
        finally:
            self.calls[-1] = (function, args, kwargs)
        if is_ours:
            check_message(str(refusal))
        return refusal


Check = Callable[[Case], object]


def is_raised_by_us(error: BaseException) -> bool:
    """Return whether the innermost line of a traceback raises a `TypeError` of the package."""
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    path = frame.f_code.co_filename
    is_raised = linecache.getline(path, line).lstrip().startswith("raise TypeError(")
    return path.startswith(HOME) and is_raised


def is_raised_by_a_column(error: BaseException) -> bool:
    """Return whether an error comes from a function that was given."""
    codes = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    ours = [code.co_name for code in codes if code.co_filename.startswith(HOME)]
    return ours[-1:] == ["call_on_frame"]


def check_message(message: str) -> None:
    """Fail if a message is empty, or too long to be read."""
    assert message.strip(), "a message without words"
    assert len(message) <= MAX_MESSAGE, f"a message of {len(message):,} characters: {message[:500]}"


def show(value: object) -> str:
    """Write an argument of a call; a frame with its data and types."""
    if isinstance(value, pd.DataFrame):
        text = f"pd.DataFrame({value.to_dict('list')}, index={value.index.tolist()})"
        text += f".astype({ {name: str(dtype) for name, dtype in value.dtypes.items()} })"
    elif isinstance(value, pl.DataFrame):
        text = f"pl.DataFrame({value.to_dict(as_series=False)}, schema={dict(value.schema)})"
    elif isinstance(value, pl.LazyFrame):
        text = f"{type(value).__name__}: {value.explain(optimized=False)}"
    else:
        text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}... ({len(text):,} characters)"


def show_safely(value: object) -> str:
    """Write an argument, or what it is if it cannot be written."""
    try:
        return show(value)
    except Exception:
        return object.__repr__(value)


def show_call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    given = [show_safely(arg) for arg in args]
    given += [f"{name}={show_safely(value)}" for name, value in kwargs.items()]
    return f"{getattr(function, '__qualname__', function)}({', '.join(given)})"


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raise a `TimeoutError` in a block that takes longer, where the system has such alarms."""

    def stop(*_: object) -> None:
        msg = f"a call took more than {seconds} seconds"
        raise TimeoutError(msg)

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def run_case(check: Check, seed: int, number: int) -> tuple[Case, BaseException | None]:
    """Check one case, and return it with what went wrong; warnings that are not ours go wrong."""
    case = Case(random.Random(f"{seed}/{number}"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            # pandera imports pyspark where it is installed.
            warnings.filterwarnings("ignore", "PySpark does not yet fully support", FutureWarning)
            check(case)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # what Polars panics with is no Exception
        return case, error
    return case, None


def report(case: Case, error: BaseException, seed: int, number: int) -> None:
    """Print a failure, the calls of its case, and how to run it again."""
    traceback.print_exception(error, limit=-12, file=sys.stdout)
    print("\nCalls:")
    for call in case.calls:
        print(f"  {show_call(*call)}")
    for note in case.notes:
        print(f"\n{note}")
    print(f"\nAgain: python {Path(sys.argv[0])} --seed {seed} --case {number}\n", flush=True)


def place_of(error: BaseException) -> tuple[object, ...]:
    """Return what tells one fault from another: its type, its lines, what was asserted."""
    steps = traceback.walk_tb(error.__traceback__)
    frames = [(frame.f_code.co_filename, line) for frame, line in steps]
    ours = [place for place in frames if place[0].startswith((HOME, str(HERE)))]
    words = re.sub(r"[\d,.]+", "", str(error))[:40] if isinstance(error, AssertionError) else ""
    return (type(error), words, *ours[-1:], *frames[-1:])


def parse_arguments(description: str | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on (60)")
    parser.add_argument("--seed", type=int, default=0, help="the seed of all cases (0)")
    parser.add_argument("--case", type=int, help="run this case alone")
    parser.add_argument("--all", action="store_true", help="go on after a failure")
    parser.add_argument("--print", action="store_true", help="print the number of each case")
    return parser.parse_args()


def run(check: Check) -> None:
    """Check cases until the time is up, print failures, and exit with 1 if there are any."""
    faulthandler.enable()
    given = parse_arguments(sys.modules["__main__"].__doc__)
    end = monotonic() + given.seconds
    n_calls = 0
    faults = set[tuple[object, ...]]()
    for number in count() if given.case is None else [given.case]:
        if given.print:
            print(f"case {number}", flush=True)
        case, error = run_case(check, given.seed, number)
        n_calls += len(case.calls)
        if error is not None and place_of(error) not in faults:
            faults.add(place_of(error))
            report(case, error, given.seed, number)
        if monotonic() > end or (faults and not given.all):
            break
    n_cases = number + 1 if given.case is None else 1
    told = f"{n_calls:,} calls in {n_cases:,} cases, seed {given.seed}, {len(faults):,} failures"
    print(f"{Path(sys.argv[0]).name}: {told}")
    sys.exit(bool(faults))
