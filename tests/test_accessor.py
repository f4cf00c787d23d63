"""`.strat`: every method is a function of the package, and nothing more."""

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas.testing import assert_frame_equal as assert_pandas
from polars.testing import assert_frame_equal as assert_polars

import stratframe as sf
from stratframe.accessor import Strat, StratExpr, register
from tests.helpers import eager, make, values

DATA = {
    "label": ["a", "a", "b", "b"] * 5,
    "sex": ["m", "f"] * 10,
    "id": range(20),
    "some": [True, True, True, False] * 5,
}
GROWN = {**DATA, "grown": [0, 1, None, 2, 3] * 4, "parted": ["a", "b", None, "c", None] * 4}
PARTS = {"a": 0.5, "b": 0.25, "c": None}

CALLS: dict[str, list[tuple[list[Any], dict[str, Any]]]] = {
    "kfold": [
        ([["label", "sex"]], {"k": 4, "seed": 3, "name": "f", "repeats": 2, "key": "id"}),
        (["label", 10], {"deal": "circular", "missing": "null", "rare": "ignore"}),
        (["label"], {"groups": "id", "rare": "ignore"}),
        (["label"], {"where": "some", "name": "fold", "overwrite": True}),
    ],
    "split": [
        (["label"], {"groups": "id", "rare": "ignore"}),
        (["label", 0.5], {"where": "some", "name": "split", "overwrite": True}),
        ([["label", "sex"], PARTS], {"seed": 3, "name": "part", "key": "id", "repeats": 2}),
        ([], {"deal": "circular", "missing": "stratum", "rare": "null"}),
    ],
    "extend": [
        (["label", 4], {"groups": "id", "seed": 3, "name": "grown"}),
        (["label"], {"parts": PARTS, "name": "parted"}),
        (["label"], {"where": "some", "rare": "ignore", "name": "grown", "key": "id"}),
        (["sex"], {"missing": "null", "rare": "ignore", "name": "grown"}),
    ],
    "sample": [
        (["label"], {"n": 7, "seed": 3, "key": "id"}),
        (["label"], {"frac": 0.3, "allocation": "equal"}),
    ],
    "folds": [
        ([], {}),
        (["inner"], {"nulls": "train"}),
        (["fold"], {"train": "past", "gap": 1, "window": 2, "valid": [3, 4]}),
        (["split"], {"train": "train", "valid": "test", "apart": "id"}),
    ],
    "parts": [([], {}), (["fold", [3, 2, 4, 0, 1]], {})],
    "cv": [
        ([["fold", "inner"]], {"nulls": "drop"}),
        (["fold"], {"train": "past", "gap": 1, "window": 2, "valid": [3, 4]}),
        (["split"], {"train": "train", "valid": "test", "apart": ["id"]}),
    ],
    "strata": [([["label", "sex"]], {})],
    "plan": [
        (["label", 4], {"seed": 3, "key": "id"}),
        (["label"], {"groups": "id", "where": "some", "name": "f"}),
        (["label"], {"parts": PARTS, "deal": "circular", "missing": "stratum", "rare": "null"}),
    ],
    "balance": [(["label"], {}), (["label", ["fold", "split"]], {})],
    "report": [(["label"], {}), (["label", ["fold", "split"]], {})],
    "compare": [(["label", ["fold", "inner"]], {}), (["label", "split", ["id"]], {})],
    "advise": [(["label"], {}), (["label", [2, 5]], {"groups": "sex"})],
    "drift": [(["id"], {}), ([["id", "sex"], "split"], {})],
    "plot": [
        (["label"], {"ax": Figure().subplots()}),
        (["id", "split", "drift"], {"ax": Figure().subplots()}),
    ],
    "leaks": [([], {}), (["split"], {"columns": "label", "groups": "sex", "key": "id"})],
    "audit": [
        ([], {"nulls": "drop"}),
        ([["fold", "split"]], {"by": "label", "groups": "sex", "key": "id", "columns": ["label"]}),
    ],
}
"""Arguments for each method: together they give every one a value that is not its default."""

EXPRESSIONS: dict[str, list[dict[str, Any]]] = {
    "kfold": [
        {"k": 4, "seed": 3, "name": "f"},
        {"k": 10, "deal": "circular", "missing": "null", "rare": "ignore"},
    ],
    "split": [
        {"parts": PARTS, "seed": 3, "name": "part"},
        {"deal": "circular", "missing": "stratum", "rare": "null"},
    ],
}


def methods(accessor: type) -> dict[str, Callable[..., Any]]:
    """List the public methods of an accessor."""
    return {name: each for name, each in vars(accessor).items() if not name.startswith("_")}


def arguments(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """List the arguments of a function but the first, the frame, without their types."""
    _, *others = inspect.signature(function).parameters.values()
    return [each.replace(annotation=inspect.Parameter.empty) for each in others]


PAGE_SECTIONS = [
    "Parameters",
    "Returns",
    "Yields",
    "Raises",
    "Warns",
    "See Also",
    "Notes",
    "References",
    "Examples",
]
"""The sections of a numpydoc page."""


def page_lines(function: Callable[..., Any]) -> list[str]:
    """List the lines of a docstring."""
    return str(inspect.getdoc(function)).splitlines()


def without_frame(page: list[str]) -> list[str]:
    """Drop the parameter `frame` from a page: its line, and the indented lines below."""
    kept, inside = [], False
    for line in page:
        inside = line.startswith("frame :") or (inside and line.startswith(" "))
        if not inside:
            kept.append(line)
    return kept


def documented_parameters(function: Callable[..., Any]) -> list[str]:
    """List the names that have an entry in the parameters of a page."""
    page = page_lines(function)
    start = page.index("Parameters") + 2
    section = page[start : page.index("", start)]
    entries = [line.partition(" : ")[0] for line in section if not line.startswith(" ")]
    return [name for entry in entries for name in entry.split(", ")]


def plain(result: Any) -> Any:
    """Turn any result into what `==` compares."""
    if isinstance(result, pd.DataFrame | pl.DataFrame | pl.LazyFrame):
        return {str(name): values(result, name) for name in eager(result).columns}
    if isinstance(result, Axes):
        return result.get_title(), result.get_xlabel()
    if isinstance(result, dict):
        return {part: plain(rows) for part, rows in result.items()}
    if isinstance(result, list | tuple | Iterator):
        return [plain(each) for each in result]
    return result.tolist() if hasattr(result, "tolist") else result


@pytest.mark.parametrize("name", methods(Strat))
def test_method_is_the_function(name: str) -> None:
    """A method has the arguments and defaults of its function."""
    method, function = methods(Strat)[name], getattr(sf, name)
    assert arguments(method) == arguments(function)


@pytest.mark.parametrize("name", methods(Strat))
def test_method_has_the_page_of_the_function(name: str) -> None:
    """A method has the docstring of its function, but for the parameter `frame`."""
    method, function = methods(Strat)[name], getattr(sf, name)
    page = page_lines(method)
    assert page == without_frame(page_lines(function))
    assert not any(line.startswith("frame :") for line in page)
    assert [line for line in page if line in PAGE_SECTIONS] == [
        line for line in page_lines(function) if line in PAGE_SECTIONS
    ]


@pytest.mark.parametrize(
    ("accessor", "name"),
    [(accessor, name) for accessor in (Strat, StratExpr) for name in methods(accessor)],
)
def test_method_documents_its_parameters(accessor: type, name: str) -> None:
    """The page of a method names each of its parameters once, and no other."""
    method = methods(accessor)[name]
    assert sorted(documented_parameters(method)) == sorted(each.name for each in arguments(method))


@pytest.mark.parametrize(
    ("accessor", "name"),
    [(accessor, name) for accessor in (Strat, StratExpr) for name in methods(accessor)],
)
def test_help_shows_the_whole_page(
    accessor: type, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """`help()` of a method shows its summary, parameters, result and examples."""
    method = methods(accessor)[name]
    help(method)
    shown = [line.strip() for line in capsys.readouterr().out.splitlines()]
    page = page_lines(method)
    start = shown.index(page[0])
    assert shown[start : start + len(page)] == [line.strip() for line in page]
    result = "Yields" if name == "folds" else "Returns"
    assert {"Parameters", result, "Examples"} <= set(page)


def test_repr_names_the_accessor() -> None:
    """`df.strat` names itself, the kind of its frame and its help."""
    for frame, kind in [
        (pd.DataFrame(), "DataFrame"),
        (pl.DataFrame(), "DataFrame"),
        (pl.LazyFrame(), "LazyFrame"),
    ]:
        assert repr(frame.strat) == f"<stratified folds on a {kind}; see help(df.strat)>"
    expected = "<stratified folds of a Polars expression; see help(pl.col('label').strat)>"
    assert repr(pl.col("a").strat) == expected


@pytest.mark.parametrize("name", methods(Strat))
def test_types_are_those_of_the_function(name: str) -> None:
    """A method has the type annotations of its function."""
    method, function = (
        dict(each.__annotations__) for each in (methods(Strat)[name], getattr(sf, name))
    )
    function.pop("frame")
    assert method == function


@pytest.mark.parametrize("accessor", [Strat, StratExpr])
def test_arguments_are_named(accessor: type) -> None:
    """No method takes `*args` or `**kwargs`, and no attribute is made up."""
    for method in methods(accessor).values():
        kinds = {each.kind for each in inspect.signature(method).parameters.values()}
        assert kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    assert not {"__getattr__", "__getattribute__", "__setattr__"} & set(vars(accessor))


@pytest.mark.parametrize("name", methods(StratExpr))
def test_expression_takes_arguments_of_the_function(name: str) -> None:
    """A method of expressions takes some arguments of its function, with the same defaults."""
    known = {each.name: each.default for each in arguments(getattr(sf, name))}
    taken = {each.name: each.default for each in arguments(methods(StratExpr)[name])}
    assert taken == {argument: known[argument] for argument in taken}
    left_out = {"by", "groups", "key", "where", "overwrite", "repeats"}
    assert set(known) - set(taken) == left_out


def test_calls_cover_every_argument() -> None:
    """The calls below give every argument of every method a value that is not its default."""
    for accessor, calls in ((Strat, CALLS), (StratExpr, EXPRESSIONS)):
        assert set(calls) == set(methods(accessor))
        for name, method in methods(accessor).items():
            changed = set()
            for call in calls[name]:
                args, kwargs = call if isinstance(call, tuple) else ([], call)
                bound = inspect.signature(method).bind(None, *args, **kwargs).arguments
                defaults = {each.name: each.default for each in arguments(method)}
                changed |= {
                    key for key in defaults if bound.get(key, defaults[key]) != defaults[key]
                }
            assert changed == set(defaults), name


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [(name, args, kwargs) for name, calls in CALLS.items() for args, kwargs in calls],
)
def test_method_gives_the_result_of_the_function(
    kind: str, name: str, args: list[Any], kwargs: dict[str, Any]
) -> None:
    """A method gives what its function gives, on every kind of frame."""
    df = make(kind, GROWN if name == "extend" else DATA)
    if name not in {"kfold", "split", "extend", "sample", "strata", "plan"}:
        df = sf.split(sf.kfold(sf.kfold(df, "label"), "label", name="inner"), "label")
    function = getattr(sf, name)(df, *args, **kwargs)
    method = getattr(df.strat, name)(*args, **kwargs)
    assert type(method) is type(function)
    assert plain(method) == plain(function)


@pytest.mark.parametrize(
    ("name", "kwargs"), [(name, each) for name, calls in EXPRESSIONS.items() for each in calls]
)
@pytest.mark.parametrize("by", ["label", ["label", "sex"]])
@pytest.mark.parametrize("kind", ["polars", "polars-lazy"])
def test_expression_gives_the_column_of_the_function(
    name: str, kwargs: dict[str, Any], by: Any, kind: str
) -> None:
    """An expression gives the column of the frame's verb; the fields of a struct nest."""
    df = make(kind, DATA)
    expr = pl.struct(by) if isinstance(by, list) else pl.col(by)
    found = eager(df.with_columns(getattr(expr.strat, name)(**kwargs)))
    assert_polars(found, eager(getattr(df.strat, name)(by, **kwargs)))


def test_verb_keeps_types(kind: str) -> None:
    """A method gives the very columns of the function, dtypes and index too."""
    df = make(kind, DATA)
    found, expected = eager(df.strat.kfold("label")), eager(sf.kfold(df, "label"))
    (assert_polars if "polars" in kind else assert_pandas)(found, expected)


@pytest.mark.parametrize(
    ("owner", "accessor"),
    [
        (pd.DataFrame(), Strat),
        (pl.DataFrame(), Strat),
        (pl.LazyFrame(), Strat),
        (pl.col("a"), StratExpr),
    ],
)
def test_accessor_stores_what_it_is_of(owner: Any, accessor: type) -> None:
    """The accessor is registered on frames and expressions, and stores them and nothing else."""
    assert type(owner.strat) is accessor
    (stored,) = vars(owner.strat).values()
    if isinstance(owner, pd.DataFrame):
        assert stored is owner
        assert owner.attrs == {}
    else:
        assert type(stored) is type(owner)


def test_reloading_is_silent() -> None:
    """The package may be reloaded, as notebooks do, with frames that go on to work."""
    importlib.reload(sf)
    assert pd.DataFrame.strat is Strat
    assert pl.Expr.strat is StratExpr


def test_a_namespace_of_others_is_replaced_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where another package has taken the name, the libraries say so."""
    monkeypatch.setattr(pd.DataFrame, "strat", object())
    with pytest.warns(UserWarning, match="strat"):
        register()
    assert pd.DataFrame.strat is Strat
