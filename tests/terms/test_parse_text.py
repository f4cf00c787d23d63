"""Entries as text."""

from math import inf
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from stratframe.errors import StratError
from stratframe.terms.by import to_term
from stratframe.terms.parse_text import parse_entry
from tests.helpers import refuse_now

COLUMNS = ["price", "unit price", "x1", "x2", "quantiles(x1, 2)", "Mass (kg)"]
DENSE = sf.clusters("x1", algorithm="dbscan", eps=0.5)

NO_TERMS = ["price", "unit price", "no such column", "", "Mass (kg)", "Mass (g)"]
WRITTEN: dict[str, Any] = {
    **{name: name for name in [*NO_TERMS, "quantiles(x1, 2)"]},
    "continuous(price)": sf.continuous("price"),
    "sf.continuous(price)": sf.continuous("price"),
    " continuous ( price ) ": sf.continuous("price"),
    "classes('unit price')": sf.classes("unit price"),
    'classes("a, b (c)")': sf.classes("a, b (c)"),
    "classes(größe)": sf.classes("größe"),
    "classes(size.mm)": sf.classes("size.mm"),
    "quantiles(price, 10)": sf.quantiles("price", 10),
    "quantiles(price, n=10)": sf.quantiles("price", 10),
    "quantiles(x1, 3)": sf.quantiles("x1", 3),
    "bins(age, [0, 18.5, 65])": sf.bins("age", [0, 18.5, 65]),
    "bins(age, (-inf, -1, inf), closed=left)": sf.bins("age", [-inf, -1, inf], closed="left"),
    "clusters([x1, 'x2'], n=5)": sf.clusters(["x1", "x2"], n=5),
    "clusters(x1, algorithm=dbscan, eps=0.5, min_samples=None)": DENSE,
    "chain([x1, x2])": sf.chain(["x1", "x2"]),
    "nearest(x1, 4, scale=minmax)": sf.nearest("x1", 4, scale="minmax"),
    "total(x1, price)": sf.total("x1", "price"),
}
PLAIN = "an argument must be a column, a number, a word, or a list of these in [ ]; quote names"
PLAIN += ' with spaces or symbols, as in quantiles("unit price", 10).'
NAMES = "the terms are bins, chain, classes, clusters, continuous, linked, margins, nearest,"
NAMES += " quantiles, similar, total."
NOT_PLAIN = [
    "quantiles(unit price, 10)",
    "quantiles(price, 10",
    "quantiles(price, 10) + 1",
    "quantiles(price, 5 + 5)",
    "quantiles(price, -x)",
    "classes(*price)",
    "classes(lambda: 1)",
    "classes({[price]})",
    "classes(\0)",
    f"classes({'-' * 50_000}1)",
    f"classes({'[' * 5_000}{']' * 5_000})",
]
REFUSED = {
    **dict.fromkeys(NOT_PLAIN, PLAIN),
    "quantile(price, 10)": "did you mean quantiles(...)?",
    "cluster(x1)": "did you mean clusters(...)?",
    "classes(__import__('os').system('true'))": NAMES,
    "classes(print(1))": NAMES,
    "quantiles(price)": "the term is quantiles(column, n, *, name=None).",
    "bins(age, 0, 18)": "the term is bins(column, edges, *, closed='right', name=None).",
    "classes(**price)": "the term is classes(column, *, name=None).",
    "classes(price, size=3)": "the term is classes(column, *, name=None).",
}


def same_terms(one: Any, other: Any) -> bool:
    first = to_term(one)
    second = to_term(other)
    return type(first) is type(second) and vars(first) == vars(second)


@pytest.mark.parametrize("text", WRITTEN)
def test_a_text_is_a_column_or_a_term(text: str) -> None:
    """A text that is no column is the term that it writes, as a call in Python would be."""
    assert same_terms(parse_entry("`--by`", text, COLUMNS), WRITTEN[text])


def test_terms_may_hold_terms() -> None:
    """Margins hold columns and terms; a term may be named, and checks its own arguments."""
    margins = parse_entry("`--by`", "margins([a, quantiles(price, 3, name='p')])", COLUMNS)
    column, term = margins.columns
    assert column == "a"
    assert (str(term), term.name) == ("sf.quantiles('price', 3)", "p")
    message = "`n` of `sf.quantiles` must be a whole number of at least 2, got 'ten'."
    refuse_now(message, lambda: parse_entry("`--by`", "quantiles(price, ten)", COLUMNS))


def test_every_public_term_can_be_written() -> None:
    """The terms of the package are those that a text may call."""
    modules = {path.stem for path in (Path(sf.__file__).parent / "terms").glob("*.py")}
    origins = {name: getattr(getattr(sf, name), "__module__", "") for name in sf.__all__}
    public = [name for name, module in origins.items() if module.rpartition(".")[2] in modules]
    assert f"the terms are {', '.join(sorted(public))}." == NAMES


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:30].replace("\0", "0"))
def test_a_text_that_is_no_entry(text: str) -> None:
    """A text that is neither a column nor a term is an error with a hint, and is never run."""
    shown = repr(text) if len(text) <= 200 else f"{text[:40]!r}... ({len(text):,} characters)"
    rule = f"`--by` must be a column or a term such as quantiles(price, 10), got {shown}."
    refuse_now(f"{rule}\nHint: {REFUSED[text]}", lambda: parse_entry("`--by`", text, COLUMNS))


@given(text=st.text() | st.from_regex(r"(sf\.)?(bins|classes|quantile)\(.*\)?"))
def test_any_text_is_an_entry_or_an_error(text: str) -> None:
    """Any text is a column, a term, or an error of the package."""
    try:
        entry = parse_entry("`--by`", text, [])
    except StratError:
        return
    assert entry == text or type(entry).__module__.startswith("stratframe.terms")


@given(name=st.text(min_size=1), n=st.integers(2, 99))
def test_quoted_names_are_taken_as_they_are(name: str, n: int) -> None:
    """A quoted name, with any signs in it, is the column of that name."""
    assert same_terms(parse_entry("`--by`", f"quantiles({name!r}, {n})", []), sf.quantiles(name, n))
    assert parse_entry("`--by`", name, [name]) == name
