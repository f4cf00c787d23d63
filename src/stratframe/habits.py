"""Arguments as other libraries call them, or as one guesses, answered with what they are here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from inspect import signature
from numbers import Real
from typing import ParamSpec, TypeVar

Params = ParamSpec("Params")
ResultT = TypeVar("ResultT")

PART_NAMES = ("train", "valid", "val", "validation", "dev", "test")
"""Parts that are given as arguments, each with its share, in the order of a split."""

HABITS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("n_splits", "n_folds", "folds", "v", "k"), ("k", "ks")),
    **dict.fromkeys(("random_state", "seed"), ("seed",)),
    **dict.fromkeys(("shuffle", "deal"), ("deal",)),
    **dict.fromkeys(("stratify", "strata", "cat_col", "by"), ("by",)),
    **dict.fromkeys(("group", "id_col", "groups"), ("groups",)),
    **dict.fromkeys(("n_repeats", "num_fold_cols", "repeats"), ("repeats",)),
    "test_size": ("parts", "frac"),
    "parts": ("parts", "frac"),
    **dict.fromkeys(PART_NAMES, ("parts", "valid")),
}
"""Arguments of other libraries and of other verbs, and those that take their place; the first that
a verb has."""

SPLIT_HINT = '`split` makes parts, as in `split(..., parts={"train": 0.8, "test": 0.2})`'

OTHERWISE = {
    "k": "`kfold` makes folds, as in `kfold(..., k=5)`",
    "seed": "nothing is drawn at random",
    "deal": "rows are always drawn at random",
    "by": "the expression itself is what is stratified by",
    "groups": 'groups stay together in `df.strat.kfold(..., groups="patient")` and in `split`',
    "repeats": "`df.strat.kfold(..., repeats=10)` adds several columns",
    "parts": SPLIT_HINT,
}
"""What to do where a verb has no argument that takes their place."""

MAX_LETTERS = 40
"""Letters or digits of a value that a hint repeats."""

EXAMPLES: dict[str, object] = {
    "k": 5,
    "ks": 5,
    "seed": 0,
    "by": "label",
    "groups": "patient",
    "repeats": 10,
    "frac": 0.2,
    "valid": "test",
}
"""Values for the hint where the value given is of another type."""


def suggest_arguments(verb: Callable[Params, ResultT]) -> Callable[Params, ResultT]:
    """Answer arguments of other libraries with a `TypeError` that names those of this verb.

    The signature stays as it is, and other unknown arguments get Python's own error.
    """
    known = signature(verb).parameters.keys()
    habits = HABITS.keys() - known
    name = verb.__qualname__.removesuffix(".__init__").rpartition(".")[-1]

    @wraps(verb)
    def answered(*args: Params.args, **kwargs: Params.kwargs) -> ResultT:
        found = [argument for argument in kwargs if argument in habits]
        if found:
            *first, last = (f"`{argument}`" for argument in found)
            listed = f"{', '.join(first)} or {last}" if first else last
            hints = ", ".join(suggest(name, known, {each: kwargs[each] for each in found}))
            msg = f"`{name}` has no argument {listed}.\nHint: {hints}."
            raise TypeError(msg)
        return verb(*args, **kwargs)

    return answered


def suggest(verb: str, known: Collection[str], given: Mapping[str, object]) -> list[str]:
    """Write the arguments that take the place of others, with their values if these are simple."""
    draws = "seed" in known
    reads_folds = not draws and not {"name", "names"}.isdisjoint(known)
    hints, of_kfold = [], []
    for habit, value in given.items():
        ours = next((name for name in HABITS[habit] if name in known), None)
        main = HABITS[habit][0]
        if ours == "parts" and habit in PART_NAMES:
            hints.append(f"`parts={translate_parts(given)}`")
        elif ours is not None:
            hints.append(f"`{ours}={translate_value(ours, value)}`")
        elif reads_folds and main != "parts":
            of_kfold.append(f"{main}={translate_value(main, value)}")
        else:
            hints.append(OTHERWISE["seed" if main == "deal" and not draws else main])
    if of_kfold:
        call = f"df.strat.kfold(..., {', '.join(of_kfold)})"
        hints.append(f"`{verb}` reads a column that is there already; `{call}` makes one")
    return list(dict.fromkeys(hints))


def translate_value(name: str, value: object) -> str:
    """Write a value in the way that our argument takes it, or an example."""
    if name == "deal":
        return '"circular"' if value is False else '"random"'
    if name == "parts":
        return translate_size(value)
    shown = value if type(value) is type(EXAMPLES[name]) and is_short(value) else EXAMPLES[name]
    return f'"{shown}"' if isinstance(shown, str) else repr(shown)


def is_short(value: object) -> bool:
    """Return whether text or a number is short enough for a hint."""
    if isinstance(value, str):
        return len(value) <= MAX_LETTERS
    return not isinstance(value, int) or abs(value) < 10**MAX_LETTERS


def translate_parts(given: Mapping[str, object]) -> str:
    """Write shares that were given one by one as parts; the share of a test set alone."""
    shares = {name: given[name] for name in PART_NAMES if name in given}
    test = shares.get("test")
    if not all(is_number(share) for share in shares.values()):
        return translate_size(None)
    if len(shares) == 1 and isinstance(test, float) and 0 < test < 1:
        return repr(test)
    if "train" not in shares:
        shares = {"train": None, **shares}
    elif len(shares) == 1:
        shares["test"] = None
    listed = (f'"{name}": {share}' for name, share in shares.items())
    return f"{{{', '.join(listed)}}}"


def is_number(value: object) -> bool:
    """Return whether a value is a number, as shares are."""
    return isinstance(value, Real) and not isinstance(value, bool) and is_short(value)


def translate_size(size: object) -> str:
    """Write the size of a test set, a share or a number of rows, as parts."""
    if type(size) is int and is_short(size):
        return f'{{"train": None, "test": {size}}}'
    share = size if isinstance(size, float) and 0 < size < 1 else 0.2
    return f'{{"train": {round(1 - share, 12)}, "test": {share}}}'
