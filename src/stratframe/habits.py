"""Arguments as other libraries call them, answered with what they are called here."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

Params = ParamSpec("Params")
ResultT = TypeVar("ResultT")

HABITS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("n_splits", "n_folds", "v"), ("k",)),
    "random_state": ("seed",),
    "shuffle": ("deal",),
    **dict.fromkeys(("stratify", "strata"), ("by",)),
    "test_size": ("parts", "frac"),
}
"""Arguments of other libraries, and those that take their place; the first that a verb has."""

OTHERWISE = {
    **dict.fromkeys(("n_splits", "n_folds", "v"), "`kfold` makes folds, as in `kfold(..., k=5)`"),
    "shuffle": "rows are always drawn at random",
    **dict.fromkeys(("stratify", "strata"), "the expression itself is what is stratified by"),
    "test_size": '`split` makes parts, as in `split(..., parts={"train": 0.8, "test": 0.2})`',
}
"""What to do where a verb has no argument that takes their place."""

EXAMPLES: dict[str, object] = {"k": 5, "seed": 0, "by": "label", "frac": 0.2}
"""Values for the hint where the value given is of another type."""


def answer_habits(verb: Callable[Params, ResultT]) -> Callable[Params, ResultT]:
    """Answer arguments of other libraries with a `TypeError` that names those of this verb.

    The signature stays as it is, and other unknown arguments get Python's own error.
    """
    known = signature(verb).parameters.keys()
    habits = HABITS.keys() - known

    @wraps(verb)
    def answered(*args: Params.args, **kwargs: Params.kwargs) -> ResultT:
        found = [name for name in kwargs if name in habits]
        if found:
            hints = dict.fromkeys(suggest_argument(known, name, kwargs[name]) for name in found)
            *first, last = (f"`{name}`" for name in found)
            listed = f"{', '.join(first)} or {last}" if first else last
            msg = f"`{verb.__name__}` has no argument {listed}.\nHint: {', '.join(hints)}."
            raise TypeError(msg)
        return verb(*args, **kwargs)

    return answered


def suggest_argument(known: Collection[str], habit: str, value: object) -> str:
    """Write the argument that takes the place of another, with its value if that is simple."""
    for name in HABITS[habit]:
        if name in known:
            return f"`{name}={translate_value(name, value)}`"
    return OTHERWISE[habit]


def translate_value(name: str, value: object) -> str:
    """Write a value in the way that our argument takes it, or an example."""
    if name == "deal":
        return '"circular"' if value is False else '"random"'
    if name == "parts":
        return translate_size(value)
    shown = value if type(value) is type(EXAMPLES[name]) else EXAMPLES[name]
    return f'"{shown}"' if isinstance(shown, str) else repr(shown)


def translate_size(size: object) -> str:
    """Write the size of a test set, a share or a number of rows, as parts."""
    if type(size) is int:
        return f'{{"train": None, "test": {size}}}'
    share = size if isinstance(size, float) and 0 < size < 1 else 0.2
    return f'{{"train": {round(1 - share, 12)}, "test": {share}}}'
