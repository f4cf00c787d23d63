"""The exception: its rows at fault are made when they are asked for."""

import copy
import pickle
from typing import Any

import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from stratframe.errors import plural_name


def counted(calls: list[int]) -> sf.StratError:
    """An error whose rows are made by a function that counts its calls."""
    return sf.StratError("a rule", lambda: calls.append(1) or pd.DataFrame({"row": [1, 2]}))


def test_failures_are_made_once_and_when_asked_for() -> None:
    """The rows of an error are made at the first look, and only once."""
    calls: list[int] = []
    error = counted(calls)
    assert str(error) == "a rule"
    assert not calls
    assert error.failures is error.failures
    assert calls == [1]


@pytest.mark.parametrize("failures", [None, pd.DataFrame({"row": [1]}), pl.DataFrame({"row": [1]})])
def test_failures_may_be_given(failures: object) -> None:
    """`failures` is the frame that was given, or None, and can be set."""
    error = sf.StratError("a rule", failures=failures)
    assert error.failures is failures
    error.failures = None
    assert error.failures is None


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickle.dumps])
def test_errors_are_pickled_with_their_rows(again: Any) -> None:
    """A copy of an error has its message, notes and rows, also in another process."""
    error = counted([])
    error.add_note("a note")
    found = again(error)
    found = pickle.loads(found) if isinstance(found, bytes) else found
    assert type(found) is sf.StratError
    assert (found.args, found.__notes__) == (("a rule",), ["a note"])
    assert found.failures["row"].tolist() == [1, 2]


@pytest.mark.parametrize("library", [pd, pl])
def test_calls_do_not_make_rows(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of a call makes no frame until its rows are looked at."""
    with pytest.raises(sf.StratError) as caught:
        sf.kfold(library.DataFrame({"x": ["a", None, "b"]}), "x", 2)
    original = library.DataFrame
    made = []
    monkeypatch.setattr(library, "DataFrame", lambda given: made.append(1) or original(given))
    assert list(caught.value.failures["row"]) == [1]
    assert made == [1]


@pytest.mark.parametrize(
    ("name", "plural"),
    [
        ("patients", "patients"),
        ("user_id", "users"),
        ("Family", "families"),
        ("day", "days"),
        ("box", "boxes"),
        ("class", "classes"),
        ("Child", "children"),
        ("people", "people"),
        ("ID", "groups"),
        ("the ward", "groups"),
        ("Straße", "groups"),
        ("Whom", "groups"),
        (("a", "b"), "groups"),
    ],
)
def test_columns_name_what_they_tell_apart(name: object, plural: str) -> None:
    """A name that is a simple word is put in the plural; for others the noun is groups."""
    assert plural_name(name) == plural
