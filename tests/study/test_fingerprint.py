"""Functions and objects are known by what they compute, not by where they are."""

import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from stratframe.study.fingerprint import fingerprint
from tests.helpers import refuse_now


def defined(code: str, name: str = "f", **values: Any) -> Any:
    """Run code as a kernel does, without a file, and take what it defines."""
    space = {"__name__": "__main__", **values}
    exec(compile(code, "<stdin>", "exec"), space)
    return space[name]


SAME = {
    "a line above": ("f = lambda x: x + 1", "\n\n\nf = lambda x: x + 1"),
    "a set": ("f = lambda x: x in {'a', 'b', 'c'}", "f = lambda x: x in {'c', 'b', 'a'}"),
    "a name of its own": ("def f(x): return x", "def g(x): return x\nf = g"),
    "a comment and a docstring": ("def f(x): return x", "def f(x):\n    'Text.'\n    return x # y"),
    "inside a function": (
        "def f(x): return [y for y in x]",
        "def make():\n    def g(x): return [y for y in x]\n    return g\nf = make()",
    ),
    "a class inside": (
        "def f():\n    class C:\n        def m(self): self.a = self.b = 1\n    return C()",
        "\n\ndef f():\n    class C:\n        def m(self): self.a = self.b = 1\n    return C()",
    ),
    "a global that is not used": ("y = 1\nf = lambda x: x.y", "y = 2\nf = lambda x: x.y"),
    "functions that call each other": (
        "def f(x): return x and g(x)\ndef g(x): return f(x - 1)",
        "def g(x): return f(x - 1)\ndef f(x): return x and g(x)",
    ),
}
"""Pieces of code that define the same function."""

OTHER = {
    "a constant": ("f = lambda x: x + {}", "1", "2"),
    "a constant of another type": ("f = lambda x: x * {}", "1", "1.0"),
    "an operator": ("f = lambda x: x {} 1", "+", "-"),
    "an attribute": ("f = lambda x: x.{}", "a", "b"),
    "a default": ("f = lambda x, y={}: y", "1", "2"),
    "a default by keyword": ("f = lambda x, *, y={}: y", "1", "2"),
    "names of arguments": ("f = lambda {}: 1", "x, y", "y, x"),
    "kinds of arguments": ("f = lambda x, {}: 1", "y", "*, y"),
    "a nested function": ("f = lambda x: [(lambda y: y + {})(z) for z in x]", "1", "2"),
    "a closure": ("f = (lambda k: lambda x: x + k)({})", "1", "2"),
    "a global number": ("y = {}\nf = lambda x: x + y", "1", "2"),
    "a global list": ("y = [{}]\nf = lambda x: x[y]", "'a'", "'b'"),
    "a global in a nested function": ("y = {}\nf = lambda x: (lambda: x + y)()", "1", "2"),
    "a function that is called": ("def g(x): return x + {}\nf = lambda x: g(x)", "1", "2"),
    "a function two calls away": (
        "def h(x): return {}\ndef g(x): return h(x)\nf = lambda x: g(x)",
        "1",
        "2",
    ),
    "what is cached": ("import functools\nf = functools.cache(lambda x: {})", "1", "2"),
    "where errors are caught": (
        "def f(x):\n    {}\n    except ValueError: pass",
        "try: x()",
        "x()\n    try: pass",
    ),
    "a partial": ("import functools\nf = functools.partial(lambda x, y: y, y={})", "1", "2"),
    "a method": ("class C:\n    def m(self): return {}\nf = C().m", "1", "2"),
    "the object of a method": (
        "class C:\n    def m(self): return self.a\nc = C()\nc.a = {}\nf = c.m",
        "1",
        "2",
    ),
    "the class of an object": ("class C:\n    def fit(self): return {}\nf = C()", "1", "2"),
    "a base of its class": (
        "class B:\n    def fit(self): return {}\nclass C(B): pass\nf = C()",
        "1",
        "2",
    ),
    "a property": ("class C:\n    a = property(lambda self: {})\nf = C()", "1", "2"),
    "a static method": ("class C:\n    a = staticmethod(lambda: {})\nf = C()", "1", "2"),
    "a value of the class": ("class C:\n    a = {}\nf = C()", "1", "2"),
}
"""Code, and two ways to fill it in which define functions that compute something else."""


@pytest.mark.parametrize("codes", SAME.values(), ids=SAME)
def test_the_same_code_is_the_same_function(codes: tuple[str, str]) -> None:
    """Lines, names and the order of sets and definitions do not count."""
    first, second = map(defined, codes)
    assert first is not second
    assert fingerprint(first) == fingerprint(second)


@pytest.mark.parametrize(("code", "one", "other"), OTHER.values(), ids=OTHER)
def test_other_code_is_another_function(code: str, one: str, other: str) -> None:
    """Whatever may change what a function computes counts."""
    first, second = defined(code.replace("{}", one)), defined(code.replace("{}", other))
    assert fingerprint(first) != fingerprint(second)


def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function as decorators do, so that it has another's name."""

    @functools.wraps(function)
    def inner(*args: Any) -> Any:
        return function(*args)

    return inner


DATA = {
    "estimators": (GaussianNB(), GaussianNB(var_smoothing=1e-3)),
    "classes of estimators": (GaussianNB(), DummyClassifier()),
    "functions of libraries": (np.mean, np.median),
    "wrapped functions": (np.mean, wrapped(np.mean)),
    "arrays": (np.arange(6), np.arange(6).reshape(2, 3)),
    "types of arrays": (np.arange(6), np.arange(6.0)),
    "arrays of objects": (np.array(["a", None]), np.array(["b", None])),
    "lists and tuples": ([1], (1,)),
    "sets": ({1, 2}, {1, 3}),
    "sets and frozen sets": ({1, 2}, frozenset({1, 2})),
    "dicts": ({"a": 1}, {"a": 2}),
    "nesting": ([[1], 2], [[1, 2]]),
    "long lists": (list(range(3000)), [*range(1500), 0, *range(1501, 3000)]),
}


@pytest.mark.parametrize(("first", "second"), DATA.values(), ids=DATA)
def test_other_data_have_another_hash(first: Any, second: Any) -> None:
    """Values count with their types, whole."""
    assert fingerprint(first) != fingerprint(second)
    assert fingerprint(first) == fingerprint(first)


def test_what_cannot_be_pickled_is_refused() -> None:
    """An object without content cannot be told from another, and a global one has its type."""
    refuse_now(
        "`cache` needs strategies, estimators and a metric that can be pickled, but got"
        " TypeError: cannot pickle '_thread.lock' object.\nHint: leave out `cache`.",
        lambda: fingerprint({"lock": threading.Lock()}),
    )
    code = "f = lambda x: lock"
    assert fingerprint(defined(code, lock=threading.Lock())) == fingerprint(
        defined(code, lock=threading.Lock())
    )
    assert fingerprint(defined(code, lock=threading.Lock())) != fingerprint(defined(code, lock=3))


def test_an_object_in_itself_has_a_hash() -> None:
    """A list that holds itself is no endless loop."""
    first: list[Any] = [1]
    second: list[Any] = [2]
    for each in (first, second):
        each.append(each)
    assert fingerprint(first) != fingerprint(second)
