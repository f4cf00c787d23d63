"""A term of one's own is one class in one file: nothing else of the package knows it."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

import stratframe as sf
from stratframe import frames
from stratframe.frames import Rule
from stratframe.terms.base import (
    ByValue,
    ColumnTerm,
    EncodedColumns,
    OrderTerm,
    StrataTerm,
    Substrata,
    Term,
)
from tests.helpers import Make, at_fault, refuse, strata_of, values

DATA = {"number": [0, 1, 2, 3, 4, 5] * 5, "label": ["a", "b"] * 15, "other": list(range(30))}


@dataclass(frozen=True, eq=False)
class Remainder(ColumnTerm):
    """Every third value: strata by the remainder of whole numbers, as short as a term can be."""

    function: ClassVar[str] = "remainder"

    columns: tuple[Any, ...]
    n: int = 3
    name: Hashable | None = None

    def shown_arguments(self) -> list[str]:
        return [str(self.n)]

    def read(self, series: Sequence[Any], /) -> EncodedColumns:
        return EncodedColumns(*frames.read_ordinal(series[0], str(self)))

    def rules(self, _: str, /) -> list[Rule]:
        return [Rule(within=(0, np.inf), hint="drop these rows.")]

    def divide(self, entry: Any, parent: Any, n_parents: int) -> Substrata:
        return Substrata(entry.data.astype(np.int64) % self.n, self.n)

    def labels(self, entry: Any, division: Substrata, parent: Any, rows: Any) -> Any:
        return [f"remainder {code}" for code in division.codes[rows]]


class Bare:
    """The same without any base class: the protocol is all that the pipeline asks for."""

    function = "bare"
    is_nominal = False
    orders_rows = False
    uses_row_order = False
    columns: tuple[Any, ...] = ("number",)
    name = None

    def __str__(self) -> str:
        return "bare()"

    def check_k(self, k: int) -> None:
        pass

    def resolve(self, series: Sequence[Any], /) -> "Bare":
        return self

    def without_order(self) -> "Bare":
        return self

    def counted_by(self) -> ByValue:
        return ByValue()

    def read(self, series: Sequence[Any], /) -> EncodedColumns:
        return EncodedColumns(*frames.read_ordinal(series[0], "bare"))

    def rules(self, missing: str, /) -> list[Rule]:
        return [Rule()]

    def default_name(self, column: Hashable, /) -> Hashable:
        return "third"

    def divide(self, entry: Any, parent: Any, n_parents: int) -> Substrata:
        return Substrata(entry.data.astype(np.int64) % 3, 3)

    def labels(self, entry: Any, division: Substrata, parent: Any, rows: Any) -> Any:
        return division.codes[rows]


TERMS = [Remainder(("number",)), Bare()]


@pytest.mark.parametrize("term", TERMS, ids=["short", "bare"])
def test_is_a_term(term: Any) -> None:
    """A class with what the protocol names is a term that makes strata, and no order."""
    assert isinstance(term, Term)
    assert isinstance(term, StrataTerm)
    assert not isinstance(term, OrderTerm)


@pytest.mark.parametrize("term", TERMS, ids=["short", "bare"])
def test_deals_evenly(frame: Make, term: Any) -> None:
    """Each fold has two rows of every remainder, and even counts of a class nested inside."""
    dealt = sf.kfold(frame(DATA), [term, "label"], k=5)
    table = pd.crosstab(
        [number % 3 for number in DATA["number"]], pd.Series(values(dealt, "fold"), name="fold")
    )
    assert (table == 2).all().all()
    labels = pd.crosstab(pd.Series(DATA["label"]), pd.Series(values(dealt, "fold")))
    assert labels.max(axis=None) - labels.min(axis=None) <= 1


def test_is_in_every_verb(frame: Make) -> None:
    """Splits, samples, extensions, margins, groups and tables take the term, too."""
    term, df = Remainder(("number",)), frame(DATA)
    assert set(values(sf.split(df, term, {"a": 0.5, "b": 0.5}), "split")) == {"a", "b"}
    assert len(values(sf.sample(df, term, n=6), "number")) == 6
    given = frame({**DATA, "fold": [0, 1, 2, 3, 4, None] * 5})
    assert None not in values(sf.extend(given, term), "fold")
    assert None not in values(sf.kfold(df, sf.margins([term, "label"])), "fold")
    assert None not in values(sf.kfold(df, term, groups="other"), "fold")
    report = sf.report(sf.kfold(df, term), term)
    assert values(report, "rows_off") == [0.0] * 5


def test_names_its_strata(frame: Make) -> None:
    """Tables call the strata as the term does, in its order, under its name."""
    term = Remainder(("number",), name="rest")
    assert strata_of(frame(DATA), term) == {f"remainder {place}": 10 for place in range(3)}
    assert sf.plan(frame(DATA), term).columns[0] == "rest"


def test_states_its_rules(frame: Make, kind: str) -> None:
    """Values that break a rule of the term are an error with the rows; so are repeated terms."""
    df = frame({"number": [0, 1, -2, 3]})
    rule = "Column 'number' has values outside 0 to inf in 1 row (2)."
    error = refuse(rule, lambda: sf.kfold(df, Remainder(("number",)), k=2))
    assert at_fault(error, kind) == {"row": [2], "number": [-2]}
    twice = [Remainder(("number",)), Remainder(("number",))]
    rule = "`by` must hold each entry once, got remainder('number', 3) twice."
    refuse(rule, lambda: sf.kfold(frame(DATA), twice))
