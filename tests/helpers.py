"""What many tests need: frames of every kind, and checks of errors and warnings."""

import ast
import warnings
from collections import Counter
from collections.abc import Callable, Container, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf

KINDS = ["pandas", "pandas-nullable", "pandas-pyarrow", "polars", "polars-lazy"]
TWO_KINDS = ["pandas", "polars-lazy"]
"""Those of tests of what does not read values by itself: each kind is read in `frames`."""


Make = Callable[[dict[str, Any]], Any]
"""Makes a frame of the kind under test, as the fixture `frame` does."""
HALVES = {"train": 0.5, "test": 0.5}
ROWS: dict[str, list[Any]] = {"id": list(range(10)), "label": ["a", "b"] * 5}
ROWS |= {"price": [number + 0.5 for number in range(10)], "tags": [["x"]] * 10}
"""Ten rows in which nothing is wrong, but that `tags` holds lists."""
FOLDED = {**ROWS, "fold": [0, 1] * 5}


def some_slow(cases: Iterable[Any], slow: Container[Any]) -> list[Any]:
    """Make a parameter of each case, some of them for the slow run alone."""
    return [pytest.param(each, marks=[pytest.mark.slow] if each in slow else []) for each in cases]


def fixture_of_kinds(kinds: list[Any]) -> Any:
    """Make the fixture `kind` of a folder or module: the name of the kind of frame."""

    @pytest.fixture(params=kinds)
    def kind(request: pytest.FixtureRequest) -> str:
        return str(request.param)

    return kind


def make(kind: str, data: dict[str, Any]) -> Any:
    """Make a frame of a kind from columns of Python values; None is missing."""
    if kind == "polars":
        return pl.DataFrame(data, strict=False)
    if kind == "polars-lazy":
        return pl.LazyFrame(data, strict=False)
    frame = pd.DataFrame(data)
    if kind == "pandas":
        return frame
    backend = "numpy_nullable" if kind == "pandas-nullable" else "pyarrow"
    with np.errstate(invalid="ignore"):  # pandas 2.2 casts infinities to see if they are whole
        return frame.convert_dtypes(dtype_backend=backend)


def eager(frame: Any) -> Any:
    """Collect a lazy frame; return others as they are."""
    return frame.collect() if isinstance(frame, pl.LazyFrame) else frame


def values(frame: Any, column: str) -> list[Any]:
    """List a column of any frame, None where missing."""
    found = eager(frame)[column]
    items = found.to_list() if isinstance(found, pl.Series) else found.astype(object).tolist()
    return [None if item is None or item is pd.NA or item != item else item for item in items]


def columns_of(table: Any) -> dict[str, list[Any]]:
    """List all columns of any frame, None where missing."""
    return {name: values(table, name) for name in eager(table).columns}


def folds_of(frame: Any, by: Any = None, k: int = 3, **options: Any) -> list[Any]:
    """List the folds of a call that ignores rare classes."""
    return values(sf.kfold(frame, by, k, rare="ignore", **options), options.get("name", "fold"))


def strata_of(frame: Any, by: Any, **options: Any) -> dict[Any, int]:
    """Count the rows of each stratum in the order of a plan; those of several entries: tuples."""
    options = {"missing": "stratum", "rare": "ignore"} | options
    columns = columns_of(sf.plan(frame, by, 2, **options))
    counts = columns.pop("n")
    _ = columns.pop("fold")
    found: Counter[Any] = Counter()
    for *names, n in zip(*columns.values(), counts, strict=True):
        found[names[0] if len(names) == 1 else tuple(names)] += n
    return dict(found)


def fractions(numbers: list[int]) -> list[Fraction]:
    """Divide whole numbers by their sum, without rounding."""
    return [Fraction(number, sum(numbers)) for number in numbers]


def split_groups(groups: list[Any], folds: list[Any]) -> set[Any]:
    """List the groups that are in two folds; rows without a fold do not count."""
    held = {(group, fold) for group, fold in zip(groups, folds, strict=True) if fold is not None}
    return {group for group, n in Counter(group for group, _ in held).items() if n > 1}


def spread(column: list[Any], folds: list[Any], k: int) -> int:
    """Find the largest difference of counts between folds 0..k-1, over the values of a column."""
    held = Counter(zip(column, folds, strict=True))
    counts = [[held[value, fold] for fold in range(k)] for value in set(column)]
    return max(max(each) - min(each) for each in counts)


def peer_folds(splitter: Any, classes: Any, groups: Any) -> list[int]:
    """List the folds that a splitter of scikit-learn gives the rows."""
    folds = np.zeros(len(classes), dtype=int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for fold, (_, rows) in enumerate(splitter.split(classes, classes, groups)):
            folds[rows] = fold
    return folds.tolist()


def loss_of(classes: Any, folds: list[int], k: int) -> float:
    """Sum the squared deviations from even folds by these, over classes and sizes."""
    codes = np.unique(classes, return_inverse=True)[1]
    table = np.zeros((k, codes.max() + 1))
    np.add.at(table, (folds, codes), 1)
    counts = np.column_stack([table, table.sum(axis=1)])
    even = counts.sum(axis=0) / k
    return float(((counts - even) ** 2 / even).sum())


def refused(call: Callable[[], Any]) -> sf.StratError:
    """Take the error of a call whose result is collected."""
    with pytest.raises(sf.StratError) as caught:
        eager(call())
    return caught.value


def refuse(message: str, call: Callable[[], Any]) -> sf.StratError:
    """Check the error of a call; what Polars adds after a blank line does not count."""
    error = refused(call)
    assert str(error).partition("\n\n")[0] == message
    return error


def refuse_now(message: str, call: Callable[[], Any]) -> None:
    """Check the error that comes at the call, with no frame collected."""
    with pytest.raises(sf.StratError) as caught:
        call()
    assert str(caught.value) == message


def refuse_rule(rule: str, call: Callable[[], Any]) -> sf.StratError:
    """Check the first line of an error, the rule, whatever hints follow."""
    error = refused(call)
    assert str(error).partition("\n")[0] == rule
    return error


def warned(message: str, call: Callable[[], Any]) -> Any:
    """Check the one warning of a call, and return its result."""
    with pytest.warns(sf.StratWarning) as caught:
        result = eager(call())
    assert [str(warning.message) for warning in caught] == [message]
    return result


def at_fault(error: sf.StratError, kind: str) -> dict[str, list[Any]]:
    """List the rows at fault, which are in the caller's own library."""
    assert isinstance(error.failures, pl.DataFrame if "polars" in kind else pd.DataFrame)
    return {str(name): values(error.failures, name) for name in error.failures.columns}


def run_shown(code: str, page: str = "<shown>", *, names: dict[str, Any] | None = None) -> Any:
    """Run code that a page or a message shows, and return the value of an expression at its end.

    Only what users are shown is run from text, as the text is what is tested: a case is Python.
    """
    names = {"sf": sf, "pl": pl, "pd": pd} if names is None else names
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, page, "exec"), names)
    return eval(compile(ast.Expression(last.value), page, "eval"), names) if last else None
