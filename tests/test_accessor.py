"""`.strat`: methods that a factory makes of the verbs, and the hand-written ones of expressions."""

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal as assert_polars

import stratframe as sf
from stratframe.accessor import Strat, StratExpr, method, register
from tests.helpers import eager


def methods(accessor: type) -> dict[str, Callable[..., Any]]:
    """List the public methods of an accessor."""
    return {name: each for name, each in vars(accessor).items() if not name.startswith("_")}


METHODS = [*methods(Strat).values(), *methods(StratExpr).values()]


def arguments(function: Callable[..., Any]) -> dict[str, Any]:
    """List the arguments of a function but the first, with their defaults."""
    _, *others = inspect.signature(function).parameters.values()
    return {each.name: each.default for each in others}


def give_back(frame: object, by: str, *, k: int = 5) -> tuple[object, str, int]:
    """Give back what is given.

    Parameters
    ----------
    frame : any frame
        It is described
        in two lines.
    by : str
        A column.
    k : int
        A number.

    Returns
    -------
    tuple
        With the frame : and the rest.
    """
    return frame, by, k


def test_a_method_hands_on_its_frame_and_all_arguments() -> None:
    """A method calls its verb with the frame of the accessor, and returns the result."""
    made = method(give_back)
    rows = object()
    assert made(Strat(rows), "label") == (rows, "label", 5)
    assert made(Strat(rows), by="label", k=3) == (rows, "label", 3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'x'"):
        made(Strat(rows), "label", x=3)


def test_a_method_looks_like_its_verb_without_the_frame() -> None:
    """Name, arguments, types and page are those of the verb, but for the frame."""
    made = method(give_back)
    assert (made.__name__, made.__qualname__) == ("give_back", "Strat.give_back")
    signature = "(self, by: str, *, k: int = 5) -> tuple[object, str, int]"
    assert str(inspect.signature(made)) == signature
    assert made.__annotations__ == {"by": str, "k": int, "return": tuple[object, str, int]}
    described = "frame : any frame\n    It is described\n    in two lines.\n"
    before, found, after = str(inspect.getdoc(give_back)).partition(described)
    assert found
    assert made.__doc__ == before + after


def test_methods_are_made_of_the_functions_of_their_names() -> None:
    """Each method of a frame calls the function of its name."""
    for name, each in methods(Strat).items():
        made = inspect.unwrap(each)
        function = inspect.unwrap(getattr(sf, name))
        assert inspect.getclosurevars(made).nonlocals == {"inner": function}, name
        assert made.__code__ is inspect.unwrap(method(give_back)).__code__, name


def test_every_function_of_a_frame_is_a_method() -> None:
    """Each function whose first argument is a frame is a method, some also of expressions."""
    functions = [each for name in sf.__all__ if inspect.isfunction(each := getattr(sf, name))]
    first = {each.__name__: [*inspect.signature(each).parameters][:1] for each in functions}
    assert methods(Strat).keys() == {name for name in first if first[name] == ["frame"]}
    assert methods(StratExpr).keys() == {"kfold", "split"}


def test_a_method_documents_its_parameters() -> None:
    """The page of a method names each of its parameters once, and no other."""
    for each in METHODS:
        page = str(inspect.getdoc(each)).splitlines()
        start = page.index("Parameters") + 2
        section = page[start : page.index("", start)]
        entries = [line.partition(" : ")[0] for line in section if not line.startswith(" ")]
        named = [name for entry in entries for name in entry.split(", ")]
        assert sorted(named) == sorted(arguments(each)), each.__qualname__
        result = "Yields" if each.__name__ == "folds" else "Returns"
        assert {result, "Examples"} <= set(page), each.__qualname__


def test_repr_names_the_accessor() -> None:
    """The text of `df.strat` names the accessor, the kind of frame and its help."""
    for frame in (pd.DataFrame(), pl.DataFrame(), pl.LazyFrame()):
        kind = type(frame).__name__
        assert repr(frame.strat) == f"<stratified folds on a {kind}; see help(df.strat)>"
    expected = "<stratified folds of a Polars expression; see help(pl.col('label').strat)>"
    assert repr(pl.col("a").strat) == expected


PARTS = {"a": 0.5, "b": 0.25, "c": None}
EXPRESSIONS: list[tuple[str, dict[str, Any]]] = [
    ("kfold", {"k": 4, "seed": 3, "name": "f", "missing": "stratum", "rare": "ignore"}),
    ("kfold", {"k": 10, "deal": "circular", "missing": "null", "rare": "null"}),
    ("split", {"parts": PARTS, "seed": 3, "name": "part", "missing": "stratum", "rare": "ignore"}),
    ("split", {"deal": "circular", "missing": "stratum", "rare": "null"}),
    ("split", {"deal": "contiguous", "missing": "stratum", "rare": "ignore"}),
    ("split", {"each": 2, "missing": "stratum", "rare": "ignore"}),
]
"""Calls in which every argument changes the column of a rare, of a missing and of other rows."""


@pytest.mark.parametrize("name", methods(StratExpr))
def test_an_expression_takes_arguments_of_the_function(name: str) -> None:
    """A method of expressions takes some arguments of its function, with the same defaults."""
    known = arguments(getattr(sf, name))
    taken = arguments(methods(StratExpr)[name])
    assert taken == {argument: known[argument] for argument in taken}
    left_out = {"by", "groups", "key", "where", "overwrite"}
    assert known.keys() - taken.keys() - {"repeats"} == left_out
    called = {argument for verb, kwargs in EXPRESSIONS if verb == name for argument in kwargs}
    assert called == taken.keys()


@pytest.mark.parametrize(("name", "kwargs"), EXPRESSIONS)
@pytest.mark.parametrize("by", ["label", ["label", "sex"]])
def test_an_expression_gives_the_column_of_the_function(name, kwargs, by):
    """An expression gives the column of the frame's verb; the fields of a struct nest."""
    df = pl.LazyFrame({"label": [*"aabb"] * 5 + ["c", None, None], "sex": [*"mf"] * 10 + [*"mfm"]})
    expr = pl.struct(by) if isinstance(by, list) else pl.col(by)
    found = eager(df.with_columns(getattr(expr.strat, name)(**kwargs)))
    assert_polars(found, eager(getattr(df.strat, name)(by, **kwargs)))


@pytest.mark.parametrize("owner", [pd.DataFrame(), pl.DataFrame(), pl.LazyFrame(), pl.col("a")])
def test_accessor_stores_what_it_is_of(owner: Any) -> None:
    """The accessor of a frame or an expression stores its owner and nothing else."""
    accessor = StratExpr if isinstance(owner, pl.Expr) else Strat
    assert type(owner.strat) is accessor
    (stored,) = vars(owner.strat).values()
    assert type(stored) is type(owner)
    if isinstance(owner, pd.DataFrame):
        assert stored is owner
        assert owner.attrs == {}
    assert not {"__getattribute__", "__setattr__"} & set(vars(accessor))


def test_reloading_is_silent() -> None:
    """Frames go on to work when a notebook reloads the package."""
    importlib.reload(sf)
    assert pd.DataFrame.strat is Strat
    assert pl.Expr.strat is StratExpr


def test_a_namespace_of_others_is_replaced_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """If another package has taken the name, a warning says that it is replaced."""
    monkeypatch.setattr(pd.DataFrame, "strat", object())
    with pytest.warns(UserWarning, match="strat"):
        register()
    assert pd.DataFrame.strat is Strat
