"""Errors that say what to write for arguments out of place, or named as in other libraries."""

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
"""Arguments of other libraries and of other verbs, and how they are written here: the error
suggests the first example whose argument the verb has."""


KFOLD, SPLIT = '`df.strat.kfold("label", k=5)`', '`df.strat.split("label", 0.2)`'
GROUPED = '`df.strat.kfold("label", groups="patient")`'
METHODS: dict[str, str] = {
    "fold": f"{KFOLD} adds folds, `df.strat.folds()` reads them",
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
"""The names of methods in other libraries, in lower case, and what to write here."""


def no_such_method(accessor: type, name: str, of_frames: Collection[str]) -> AttributeError:
    """Build the error for an unknown method of an accessor, with the method that may be meant."""
    if name.startswith("_"):  # Python and notebooks ask for such names
        return AttributeError(f"{accessor.__name__!r} object has no attribute {name!r}")
    known = [each for each in vars(accessor) if not each.startswith("_")]
    near = get_close_matches(name, known, n=1)
    other = f"`df.strat.{near[0]}`" if near else f"it has {either(known)}"
    hint = METHODS.get(name.lower().replace("_", ""), other)
    if name in of_frames:
        hint = f"a frame has it, `df.strat.{name}`"
    return AttributeError(f"`.strat` has no `{name}`.\nHint: {hint}.")


def suggest_arguments(verb: Callable[Params, ResultT]) -> Callable[Params, ResultT]:
    """Raise an error that says what to write for foreign or misplaced arguments of a verb.

    The signature stays as it is, and other unknown arguments get Python's own error. The traceback
    of a `StratError` ends here, one step below the caller; `verb.__wrapped__` gives all of it.
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
    """Write what replaces an argument in this verb or, if it has no equivalent, in another verb."""
    examples = HABITS[argument]
    if argument == "shuffle" and given is False:
        examples = ('deal="contiguous"',)
    ours = next((each for each in examples if each.partition("=")[0] in known), None)
    other = "split" if examples is SIZES else "kfold"
    return f"`{ours}`" if ours else f"`df.strat.{other}(..., {examples[0]})`"


def check_places(verb: str, given: Sequence[object], known: Mapping[str, Parameter]) -> None:
    """Raise if an argument given without its name is in the place of another argument."""
    first, second, *_ = [*given, None, None]
    if "frame" in known and isinstance(first, str) and hasattr(type(second), "columns"):
        msg = (
            f"The frame comes first, got {describe(first)}.\nHint: `{verb}(df, {describe(first)})`,"
            f" or `df.strat.{verb}({describe(first)})`."
        )
        raise StratError(msg)
    placed = [each for each in known if known[each].kind is not Parameter.KEYWORD_ONLY]
    takes_columns = placed[1:2] == ["by"] and {"name", "names"}.isdisjoint(placed)
    columns = [str(text) for text in takewhile(lambda each: isinstance(each, str), given[1:])]
    # A number in quotes has no letters.
    if takes_columns and any(map(str.isalpha, "".join(columns[1:]))):
        msg = (
            f"`{verb}` takes all columns as one argument, got {list_values(columns)}.\n"
            f"Hint: several columns go in a list: `{write_list(columns)}`."
        )
        raise TypeError(msg)
    extra, named = given[len(placed) :], [f"`{each}`" for each in known if each not in placed]
    if extra and named:
        hint = with_full_stop(f"Hint: name it: {preview(named, len(named))}")
        got = with_full_stop(list_values(extra))
        msg = f"`{verb}` takes no argument after `{placed[-1]}` without its name, got {got}\n{hint}"
        raise TypeError(msg)
