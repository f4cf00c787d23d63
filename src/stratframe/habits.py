"""Arguments as other libraries call them, or as one guesses, answered with what they are here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from inspect import Parameter, signature
from itertools import takewhile
from numbers import Integral, Real
from typing import ParamSpec, TypeVar

from .errors import StratError, describe, preview, several_columns, with_full_stop

Params = ParamSpec("Params")
ResultT = TypeVar("ResultT")

PART_NAMES = {
    "train": "train",
    "train_size": "train",
    **{part: part for part in ("valid", "val", "validation", "dev", "test")},
    "test_size": "test",
}
"""Parts that are given as arguments, each with its share, in the order of a split."""

HABITS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("n_splits", "n_folds", "folds", "v"), ("k", "ks")),
    **dict.fromkeys(("k", "n_clusters"), ("k", "ks", "n")),
    **dict.fromkeys(("random_state", "seed"), ("seed",)),
    **dict.fromkeys(("shuffle", "deal"), ("deal",)),
    **dict.fromkeys(("stratify", "strata", "cat_col", "target", "y", "by"), ("by",)),
    **dict.fromkeys(("weights", "sample_weight"), ("weights",)),
    **dict.fromkeys(("group", "id_col", "groups"), ("groups",)),
    **dict.fromkeys(("n_repeats", "num_fold_cols", "repeats"), ("repeats",)),
    **dict.fromkeys(PART_NAMES, ("parts", "valid")),
    **dict.fromkeys(("train_size", "test_size", "parts"), ("parts", "frac")),
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
    "weights": "each row counts once",
}
"""What to do where a verb has no argument that takes their place."""

MAX_LETTERS = 40
"""Letters or digits of a value that a hint repeats."""

EXAMPLES: dict[str, object] = {
    "k": 5,
    "ks": 5,
    "n": 3,
    "seed": 0,
    "by": "label",
    "groups": "patient",
    "repeats": 10,
    "frac": 0.2,
    "valid": "test",
}
"""Values for the hint where the value given is of another type."""


def suggest_arguments(verb: Callable[Params, ResultT]) -> Callable[Params, ResultT]:
    """Answer arguments of other libraries, and those without names, with a `TypeError` that helps.

    The signature stays as it is, and other unknown arguments get Python's own error.
    """
    known = signature(verb).parameters
    named = [each for each in known if known[each].kind is Parameter.KEYWORD_ONLY]
    placed = [each for each in known if each not in named]
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
        check_frame_first(name, args)
        check_places(name, args, placed, named)
        check_once(name, dict(zip(placed, args, strict=False)), kwargs)
        return verb(*args, **kwargs)

    return answered


def check_frame_first(verb: str, given: Sequence[object]) -> None:
    """Raise if a column is named before the frame is given."""
    if len(given) > 1 and isinstance(given[0], str) and hasattr(type(given[1]), "columns"):
        msg = (
            f"The frame comes first, got {describe(given[0])}.\nHint: `{verb}(df,"
            f" {describe(given[0])})`, or `df.strat.{verb}({describe(given[0])})`."
        )
        raise StratError(msg)


def check_places(
    verb: str, given: Sequence[object], placed: Sequence[str], named: Sequence[str]
) -> None:
    """Raise if several columns are given one by one, or an argument without the name it needs."""
    takes_columns = placed[1:2] == ["by"] and {"name", "names"}.isdisjoint(placed)
    columns = list(takewhile(is_word, given[1:])) if takes_columns else []
    if len(columns) > 1:
        listed = ", ".join(map(repr, columns))
        hint = several_columns([f'"{column}"' for column in columns])
        msg = f"`{verb}` takes all columns as one argument, got {listed}.\n{hint}"
        raise TypeError(msg)
    extra = given[len(placed) :]
    if extra and named:
        got = with_full_stop(preview(map(describe, extra), len(extra)))
        msg = (
            f"`{verb}` takes no argument after `{placed[-1]}` without its name, got {got}"
            f"\n{name_size(named, extra)}"
        )
        raise TypeError(msg)


def check_once(verb: str, placed: Mapping[str, object], named: Mapping[str, object]) -> None:
    """Raise if an argument is given by its place and again by its name."""
    for argument in placed.keys() & named.keys():
        first, second = describe(placed[argument]), describe(named[argument])
        msg = (
            f"`{verb}` got `{argument}` twice: {first} by its place, and"
            f" `{argument}={second}`.\nHint: give every argument its name."
        )
        raise TypeError(msg)


def is_word(value: object) -> bool:
    """Return whether a value is text that may name a column, and is no number."""
    return isinstance(value, str) and is_short(value) and any(map(str.isalpha, value))


def name_size(named: Sequence[str], given: Sequence[object]) -> str:
    """Hint at the size of a sample with its name; of other values list the names."""
    if len(given) == 1 and "n" in named and is_size(given[0]):
        return f"Hint: `{'n' if isinstance(given[0], Integral) else 'frac'}={given[0]}`."
    return with_full_stop(f"Hint: name it: {preview((f'`{each}`' for each in named), len(named))}")


def suggest(verb: str, known: Collection[str], given: Mapping[str, object]) -> list[str]:
    """Write the arguments that take the place of others, with their values if these are simple."""
    draws = "seed" in known
    reads_folds = not draws and not {"name", "names"}.isdisjoint(known)
    hints, of_kfold = [], []
    for habit, value in given.items():
        ours = next((name for name in HABITS[habit] if name in known), None)
        main = HABITS[habit][0]
        if ours == "parts":
            hints.append(f"`parts={translate_parts(given)}`")
        elif ours is not None:
            hints.append(f"`{ours}={translate_value(ours, value)}`")
        elif reads_folds and main not in ("parts", "weights"):
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
    shown = value if type(value) is type(EXAMPLES[name]) and is_short(value) else EXAMPLES[name]
    return f'"{shown}"' if isinstance(shown, str) else repr(shown)


def is_short(value: object) -> bool:
    """Return whether text or a number is short enough for a hint."""
    if isinstance(value, str):
        return len(value) <= MAX_LETTERS
    return not isinstance(value, int) or abs(value) < 10**MAX_LETTERS


def translate_parts(given: Mapping[str, object]) -> str:
    """Write sizes that were given one by one as parts; the share of `test` alone."""
    sizes: dict[str, object] = {
        part: given[name] for name, part in PART_NAMES.items() if name in given
    }
    if not all(map(is_size, sizes.values())):
        sizes = {"test": 0.2}
    elif len(sizes) == 1 and isinstance(given.get("test"), float):
        return str(sizes["test"])
    shares = [size for size in sizes.values() if isinstance(size, float)]
    is_rest_known = len(shares) == len(sizes) and sum(shares) < 1
    rest = round(1 - sum(shares), 12) if is_rest_known else None
    if "train" not in sizes:
        sizes = {"train": rest, **sizes}
    elif len(sizes) == 1:
        sizes["test"] = rest
    listed = (f'"{part}": {size}' for part, size in sizes.items())
    return f"{{{', '.join(listed)}}}"


def is_size(value: object) -> bool:
    """Return whether a value is a number of rows, or a share of them."""
    if isinstance(value, bool) or not isinstance(value, Real) or not is_short(value):
        return False
    return float(value) > 0 if isinstance(value, Integral) else 0 < float(value) < 1
