"""A term of one's own is one class in one file: nothing else of the package knows it."""

from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

import stratframe as sf
from stratframe.frames import Rule
from stratframe.terms.base import Term
from tests.helpers import Make, at_fault, refuse, spread, strata_of, values

DATA: dict[str, Any] = {"number": [*range(6)] * 5, "label": ["a", "b"] * 15, "other": range(30)}


@dataclass(frozen=True, eq=False, repr=False)
class Remainder(Term):
    """Every n-th value: strata by the remainder of whole numbers."""

    function: ClassVar[str] = "remainder"
    n: int = 3

    def arguments(self) -> str:
        return f"{super().arguments()}, {self.n}"

    def rules(self, _: str) -> list[Rule]:
        return [Rule(within=(0, np.inf), hint="drop these rows.")]

    def cut(self, values: Any, parent: Any, weights: Any) -> tuple[Any, int]:
        return values.astype(np.int64) % self.n, self.n

    def labels(self, entry: Any, division: Any, parent: Any, rows: Any) -> Any:
        return [f"remainder {code}" for code in division.codes[rows]]


TERM = Remainder(("number",))


def test_deals_evenly(frame: Make) -> None:
    """Each fold has two rows of every remainder, and even counts of a class nested inside."""
    folds = values(sf.kfold(frame(DATA), [TERM, "label"], k=5), "fold")
    remainders = [number % 3 for number in DATA["number"]]
    assert Counter(Counter(zip(remainders, folds, strict=True)).values()) == {2: 15}
    assert spread(DATA["label"], folds, 5) <= 1


def test_is_in_every_verb() -> None:
    """Splits, samples, extensions, margins, groups and tables take the term, too."""
    df = pd.DataFrame(DATA)
    assert set(sf.split(df, TERM, {"a": 0.5, "b": 0.5})["split"]) == {"a", "b"}
    assert len(sf.sample(df, TERM, n=6)) == 6
    assert None not in values(sf.extend(df.assign(fold=[0, 1, 2, 3, 4, None] * 5), TERM), "fold")
    assert None not in values(sf.kfold(df, sf.margins([TERM, "label"])), "fold")
    assert None not in values(sf.kfold(df, TERM, groups="other"), "fold")
    assert values(sf.report(sf.kfold(df, TERM), TERM), "rows_off") == [0.0] * 5


def test_names_its_strata(frame: Make) -> None:
    """Tables call the strata as the term does, in its order, under its name."""
    term = Remainder(("number",), name="rest")
    assert strata_of(frame(DATA), term) == {f"remainder {place}": 10 for place in range(3)}
    assert sf.plan(frame(DATA), term).columns[0] == "rest"


def test_states_its_rules(frame: Make, kind: str) -> None:
    """Values that break a rule of the term are an error with the rows; so are repeated terms."""
    df = frame({"number": [0, 1, -2, 3]})
    rule = "Column 'number' has values outside 0 to inf in 1 row (2)."
    error = refuse(rule, lambda: sf.kfold(df, TERM, k=2))
    assert at_fault(error, kind) == {"row": [2], "number": [-2]}
    rule = "`by` must hold each entry once, got remainder('number', 3) twice."
    refuse(rule, lambda: sf.kfold(frame(DATA), [TERM, Remainder(("number",))]))
