"""`sf.schemas.needed`: the schema of a call takes what the call takes, and nothing else."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pandera.errors
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import make, some_slow

EAGER = ["pandas", "pandas-nullable", "pandas-pyarrow", "polars"]
DATA: dict[str, list[Any]] = {
    "label": [*"abababab"],
    "who": [*"xxyyzzzw"],
    "id": [*range(8, 0, -1)],
}
DATA |= {"price": [0.5, 1.5, 2.0, 9.0, 4.0, 5.5, 6.0, 7.0], "age": [0, 18, 19, 64, 65, 30, 31, 32]}
CALLS: list[tuple[Any, dict[str, Any]]] = [
    ("label", {}),
    ("price", {}),
    (["label", "price"], {"key": "id"}),
    (["label", sf.bins("age", [0, 18, 65])], {"key": ["who", "id"]}),
    (sf.quantiles("price", 2), {"missing": "stratum"}),
    ("label", {"groups": "who"}),
    (sf.margins(["label", sf.quantiles("price", 2)]), {"missing": "stratum"}),
    (["label", sf.nearest(["price", "age"])], {}),
    (["label", sf.total("price", "age")], {}),
    (sf.chain("price", scale=None), {}),
    (None, {"key": "id"}),
]
FAULTS: list[tuple[str, int, Any]] = [
    *((column, 2, None) for column in DATA),
    ("price", 3, float("inf")),
    ("price", 3, float("nan")),
    ("age", 1, 66),
    ("age", 1, -1),
    ("id", 1, 6),
    ("price", 0, 1e200),
]


def needed(kind: str, *args: Any, **arguments: Any) -> Any:
    """The schema of a call, of the library of a kind of frame."""
    return sf.schemas.needed(*args, **arguments, library=kind.partition("-")[0])


def failures(kind: str, data: dict[str, list[Any]], *args: Any, **arguments: Any) -> Any:
    """The table of all failures of a frame that the schema of a call refuses."""
    with pytest.raises(pandera.errors.SchemaErrors) as caught:
        needed(kind, *args, **arguments).validate(make(kind, data), lazy=True)
    return caught.value.failure_cases


def takes(call: Any) -> bool:
    """Whether a call gives a result, or an error of ours or of pandera."""
    try:
        call()
    except (sf.StratError, pandera.errors.SchemaError, pandera.errors.SchemaErrors):
        return False
    return True


@pytest.mark.parametrize("kind", some_slow(EAGER, {"pandas-nullable", "pandas-pyarrow"}))
@pytest.mark.parametrize("call", CALLS, ids=lambda call: str(call))
def test_takes_what_kfold_takes(kind: str, call: tuple[Any, dict[str, Any]]) -> None:
    """The schema of a call takes a frame if and only if the call does."""
    by, arguments = call
    schema = needed(kind, by, **arguments)
    frame = make(kind, DATA)
    sf.kfold(frame, by, 2, rare="ignore", **arguments)
    assert schema.validate(frame).equals(frame)
    for column, row, value in FAULTS:
        cells = [*DATA[column][:row], value, *DATA[column][row + 1 :]]
        frame = make(kind, DATA | {column: cells})
        dealt = takes(lambda: sf.kfold(frame, by, 2, rare="ignore", **arguments))  # noqa: B023
        valid = takes(lambda: schema.validate(frame, lazy=True))  # noqa: B023
        assert valid == dealt, (column, row, value)


@given(
    st.lists(st.one_of(st.none(), st.floats(width=16), st.sampled_from([1.0, 2.0])), min_size=3),
    st.sampled_from(["error", "stratum"]),
    st.sampled_from(EAGER),
)
def test_plain_columns_of_floats(values: list[float | None], missing: Any, kind: str) -> None:
    """A float column is checked as classes, or as continuous if it has fractions."""
    assume(any(value is not None for value in values))
    frame = make(kind, {"x": values})
    schema = needed(kind, "x", missing=missing)
    dealt = takes(lambda: sf.kfold(frame, "x", 2, missing=missing, rare="ignore"))
    assert takes(lambda: schema.validate(frame, lazy=True)) == dealt


@pytest.mark.parametrize("kind", EAGER)
@pytest.mark.parametrize("by", ["label", sf.quantiles("x", 2), sf.continuous("x")], ids=str)
def test_missing_values_are_named_once(kind: str, by: Any) -> None:
    """A missing value is one failure, and an infinite value another one."""
    data = {"label": ["a", None, "b", "a"], "x": [1.5, None, float("inf"), 2.0]}
    cases = failures(kind, data, by)
    assert list(cases["index"]) == ([1, 2] if str(by) == "sf.continuous('x')" else [1])
    assert [check for check in cases["check"] if check == "not_nullable"] == ["not_nullable"]


@pytest.mark.parametrize("kind", EAGER)
def test_wrong_types_are_named_beside_missing_values(kind: str) -> None:
    """A column of the wrong type is one failure, and hides none of the others."""
    cells = {"x": ["a", "b", None], "label": ["a", None, "b"], "id": [1, 1, 2]}
    cases = failures(kind, cells, ["label", sf.quantiles("x", 2)], key="id")
    found = set(zip(cases["column"].to_list(), cases["check"].to_list(), strict=True))
    nulls = {("label", "not_nullable"), ("x", "not_nullable")}
    rules = {("id", "field_uniqueness"), ("x", "kfold takes sf.quantiles('x', 2)")}
    assert found == nulls | rules


REFUSED: list[tuple[Any, dict[str, Any]]] = [
    ("label", {"groups": "who", "key": "id"}),
    ([sf.chain("price"), "label"], {}),
    (pd.Series([1]), {}),
    ("label", {"missing": "drop"}),
]


@pytest.mark.parametrize(("by", "arguments"), REFUSED)
def test_combinations_are_those_of_kfold(by: Any, arguments: dict[str, Any]) -> None:
    """Arguments that `kfold` does not combine are the same error here."""
    with pytest.raises(sf.StratError) as dealt:
        sf.kfold(pd.DataFrame(DATA), by, 2, **arguments)
    with pytest.raises(sf.StratError) as stated:
        sf.schemas.needed(by, **arguments)
    assert str(stated.value) == str(dealt.value)


def test_nan_in_a_nullable_column_is_missing() -> None:
    """NaN in a nullable column is missing for the call, and hence a failure."""
    zeros = pd.Series([0.0, 1.0, 2.0], dtype="Float64")
    frame = pd.DataFrame({"x": zeros / zeros})
    assert not takes(lambda: sf.schemas.needed(sf.continuous("x")).validate(frame))


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("by", ["y", sf.quantiles("x", 2), sf.chain("x"), "tags"])
def test_columns_that_are_not_there_or_of_the_wrong_type(kind: str, by: Any) -> None:
    """A missing column, text in place of numbers and nested values are refused."""
    frame = make(kind, {"x": ["a", "b"], "tags": [["p"], ["q"]]})
    assert not takes(lambda: sf.schemas.needed(by, library=kind).validate(frame, lazy=True))


def test_continuous_columns_come_last() -> None:
    """A column with fractions is refused if other entries follow it."""
    frame = pd.DataFrame(DATA)
    bys = [["label", "price"], ["price", "label"]]
    bys.append(sf.margins(["label", "price"]))
    found = [takes(lambda by=by: sf.schemas.needed(by).validate(frame)) for by in bys]
    assert found == [True, False, False]


def test_labels_of_a_key_may_be_numbers() -> None:
    """The columns of a key are unique together, also if their names are numbers."""
    frame = pd.DataFrame({0: [1, 1, 2], 1.5: [1, 2, 1]})
    schema = sf.schemas.needed(None, key=[0, 1.5])
    assert takes(lambda: schema.validate(frame))
    assert not takes(lambda: schema.validate(frame.iloc[[0, 0, 1]].reset_index(drop=True)))


def test_computed_columns_are_left_out() -> None:
    """Expressions and callables have no name in the frame, so that no schema can name them."""
    schema = sf.schemas.needed("x", key=[pl.col("id") + 1, "day"], library="polars")
    assert list(schema.columns) == ["x", "day"]
    assert list(sf.schemas.needed([pl.col("label"), "who"], library="polars").columns) == ["who"]
    assert list(sf.schemas.needed(lambda df: df["label"], key="id").columns) == ["id"]


def test_column_of_two_arguments() -> None:
    """A column that is an entry and a group keeps both rules."""
    both = sf.schemas.needed("who", groups="who", missing="stratum").columns["who"]
    keyed = sf.schemas.needed("id", key="id", missing="stratum").columns["id"]
    assert (both.nullable, keyed.nullable, keyed.unique) == (True, False, True)


BAD_CALLS: list[Any] = [
    pytest.param(
        lambda: sf.schemas.needed("x", key=[{"id": 1}]),
        "`key` must hold column names, got {'id': 1}.",
        id="dict_in_key",
    ),
    pytest.param(
        lambda: sf.schemas.needed("x", groups=pd.NA),
        "`groups` must hold column names, got <NA>.",
        id="groups_are_missing",
    ),
    pytest.param(
        lambda: sf.schemas.needed("x", key=[sf.classes("id")]),
        "`key` must hold column names or expressions",
        id="term_in_key",
    ),
    pytest.param(
        lambda: sf.schemas.needed("x", key="\ud800"),
        "`key` must be text that UTF-8 can encode, got '\\ud800'.",
        id="key_that_utf8_cannot_encode",
    ),
]


@pytest.mark.parametrize(("call", "beginning"), BAD_CALLS)
def test_arguments(call: Callable[[], Any], beginning: str) -> None:
    """A wrong argument is the same error as in the call."""
    with pytest.raises(sf.StratError) as caught:
        call()
    assert str(caught.value).startswith(beginning)
