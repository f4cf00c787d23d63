"""Errors for misplaced arguments, and for names of arguments and methods in other libraries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from itertools import takewhile
from typing import ParamSpec, TypeVar

from .errors import StratError, describe, either, list_values, preview, with_full_stop, write_list

Params = ParamSpec("Params")
ResultT = TypeVar("ResultT")

COUNTS = ("k=5", "ks=[5, 10]", "n=3")
SIZES = ('parts={"train": 0.8, "test": 0.2}', 'valid="test"', "frac=0.2")
HABITS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("n_splits", "n_folds", "folds", "v", "k", "n_clusters", "n"), COUNTS),
    **dict.fromkeys(("random_state", "seed"), ("seed=0",)),
    **dict.fromkeys(("shuffle", "deal"), ('deal="random"',)),
    **dict.fromkeys(("stratify", "strata", "cat_col", "target", "y", "by"), ('by="label"',)),
    **dict.fromkeys(("group", "id_col", "groups"), ('groups="patient"',)),
    **dict.fromkeys(("n_repeats", "num_fold_cols", "repeats"), ("repeats=10",)),
    **dict.fromkeys(("train", "train_size", "test", "test_size", "parts", "frac"), SIZES),
    **dict.fromkeys(("valid", "val", "validation", "dev"), SIZES),
    **dict.fromkeys(("fold", "fold_col", "column"), ('name="fold"',)),
    **dict.fromkeys(("weights", "sample_weight"), ('by=["label", sf.total("weight")]',)),
}
"""Arguments of other libraries and other verbs, with examples of what to write instead. The error
suggests the first example whose argument the verb has."""


KFOLD, SPLIT = '`df.strat.kfold("label", k=5)`', '`df.strat.split("label", 0.2)`'
GROUPED = '`df.strat.kfold("label", groups="patient")`'
METHODS: dict[str, str] = {
    "fold": f"{KFOLD} adds folds, and `df.strat.folds()` reads them",
    **dict.fromkeys(("stratifiedkfold", "crossvalidate"), KFOLD),
    **dict.fromkeys(("traintestsplit", "trainvaltestsplit", "traintest", "holdout"), SPLIT),
    **dict.fromkeys(("shufflesplit", "stratifiedshufflesplit", "randomsplit"), SPLIT),
    **dict.fromkeys(("stratify", "stratified"), f"{KFOLD} or {SPLIT}"),
    **dict.fromkeys(("groupkfold", "stratifiedgroupkfold", "groups"), GROUPED),
    **dict.fromkeys(
        ("repeatedkfold", "repeatedstratifiedkfold"), '`df.strat.kfold("label", repeats=10)`'
    ),
    **dict.fromkeys(("leaveonegroupout", "logo"), '`df.strat.folds("patient")`'),
    "groupshufflesplit": '`df.strat.split(groups="patient")`',
    "timeseriessplit": '`df.strat.folds("month", train="past")`',
    "crossvalscore": "`cross_val_score(..., cv=df.strat.cv())`",
    "foldsplit": '`sf.FoldSplit("fold")`',
}
"""Names from other libraries, in lower case without underscores, and what to write instead."""


def no_such_method(accessor: type, name: str, of_frames: Collection[str]) -> AttributeError:
    """Make the error for an unknown method of an accessor, with a suggestion of what to write."""
    if name.startswith("_"):  # Python and notebooks look up such names
        return AttributeError(f"{accessor.__name__!r} object has no attribute {name!r}")
    known = [each for each in vars(accessor) if not each.startswith("_")]
    near = get_close_matches(name, known, n=1)
    other = f"`df.strat.{near[0]}`" if near else f"it has {either(known)}"
    hint = METHODS.get(name.lower().replace("_", ""), other)
    if name in of_frames:
        hint = f"frames have it, as in `df.strat.{name}`"
    return AttributeError(f"`.strat` has no `{name}`.\nHint: {hint}.")


def suggest_arguments(verb: Callable[Params, ResultT]) -> Callable[Params, ResultT]:
    """Make a verb suggest what to write for misplaced arguments and those of other libraries.

    The signature does not change, and Python itself rejects other unknown arguments. The traceback
    of a `StratError` ends in this wrapper; a call of `verb.__wrapped__` shows the full traceback.
    """
    known = signature(verb).parameters
    foreign = HABITS.keys() - known
    name = verb.__qualname__.removesuffix(".__init__").rpartition(".")[-1]

    @wraps(verb)
    def answered(*args: Params.args, **kwargs: Params.kwargs) -> ResultT:
        __tracebackhide__ = True  # so that pytest's traceback ends at the caller
        found = [argument for argument in kwargs if argument in foreign]
        if found:
            hints = dict.fromkeys(translate(each, kwargs[each], known) for each in found)
            listed = either(f"`{argument}`" for argument in found)
            msg = f"`{name}` has no argument {listed}.\nHint: {', '.join(hints)}."
            raise TypeError(msg)
        try:
            check_places(name, args, known)
            return verb(*args, **kwargs)
        except StratError as error:
            raise error.with_traceback(None) from error.__cause__

    return answered


def translate(argument: str, given: object, known: Collection[str]) -> str:
    """Write the equivalent of an argument in this verb or, if there is none, in another verb."""
    examples = HABITS[argument]
    if argument == "shuffle" and given is False:
        examples = ('deal="contiguous"',)
    ours = next((each for each in examples if each.partition("=")[0] in known), None)
    other = "split" if examples is SIZES else "kfold"
    return f"`{ours}`" if ours else f"`df.strat.{other}(..., {examples[0]})`"


def check_places(verb: str, given: Sequence[object], known: Mapping[str, Parameter]) -> None:
    """Raise an error if a positional argument is in the place of another argument."""
    first, second, *_ = [*given, None, None]
    if "frame" in known and isinstance(first, str) and hasattr(type(second), "columns"):
        msg = (
            f"The frame must come first, got {describe(first)}.\nHint: write"
            f" `{verb}(df, {describe(first)})` or `df.strat.{verb}({describe(first)})`."
        )
        raise StratError(msg)
    placed = [each for each in known if known[each].kind is not Parameter.KEYWORD_ONLY]
    takes_columns = placed[1:2] == ["by"] and {"name", "names"}.isdisjoint(placed)
    columns = [str(text) for text in takewhile(lambda each: isinstance(each, str), given[1:])]
    # A number in quotes has no letters, and is not taken for a column.
    if takes_columns and any(map(str.isalpha, "".join(columns[1:]))):
        msg = (
            f"`{verb}` takes all columns as one argument, got {list_values(columns)}.\n"
            f"Hint: several columns go in a list: `{write_list(columns)}`."
        )
        raise TypeError(msg)
    extra, named = given[len(placed) :], [f"`{each}`" for each in known if each not in placed]
    if extra and named:
        hint = with_full_stop(f"Hint: pass it by name: {preview(named, len(named))}")
        got = with_full_stop(list_values(extra))
        msg = f"`{verb}` takes no argument after `{placed[-1]}` without its name, got {got}\n{hint}"
        raise TypeError(msg)
