"""Errors for misplaced arguments, and for names of arguments and methods in other libraries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from itertools import takewhile
from typing import ParamSpec, TypeVar

from .errors import (
    StratError,
    describe,
    either,
    list_values,
    name_frames,
    preview,
    with_full_stop,
    write_list,
)

Params = ParamSpec("Params")
ResultT = TypeVar("ResultT")

COUNTS = ("k=5", "ks=[5, 10]", "n=3")
SIZES = ('parts={"train": 0.8, "test": 0.2}', 'valid="test"', "frac=0.2")
SHARES = ('parts={"train": 0.8, "test": 0.2}', "frac=0.2")
HABITS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("n_splits", "n_folds", "num_folds", "folds", "v", "k"), COUNTS),
    **dict.fromkeys(("n_clusters", "n"), COUNTS),
    **dict.fromkeys(("random_state", "seed"), ("seed=0",)),
    **dict.fromkeys(("shuffle", "deal"), ('deal="random"',)),
    **dict.fromkeys(("stratify", "strata", "cat_col", "target", "y", "by"), ('by="label"',)),
    "stratify_by_column": ('by="label"',),
    **dict.fromkeys(("group", "id_col", "groups"), ('groups="patient"',)),
    **dict.fromkeys(("n_repeats", "num_fold_cols", "repeats"), ("repeats=10",)),
    **dict.fromkeys(("train", "train_size", "test", "test_size", "parts", "frac"), SIZES),
    **dict.fromkeys(("valid", "val", "validation", "dev"), SIZES),
    **dict.fromkeys(("fraction", "prop", "ratio"), SHARES),
    "size": ('parts={"train": 0.8, "test": 0.2}', "n=3"),
    **dict.fromkeys(("fold", "fold_col", "column", "cv"), ('name="fold"', 'names=["fold"]')),
    **dict.fromkeys(("name", "names"), ('name="fold"', 'names=["fold"]')),
    **dict.fromkeys(("weights", "sample_weight"), ('by=["label", sf.total("weight")]',)),
    "max_train_size": ("window=12",),
    "freq": ('every="1mo"',),
    "missing": ('missing="stratum"', 'nulls="drop"'),
    "nulls": ('nulls="drop"', 'missing="null"'),
    "allocation": ('allocation="equal"',),
    "apart": ('apart="patient"',),
    "ax": ("ax=ax",),
    **dict.fromkeys(("each", "n_per_class"), ("each=2",)),
    "duplicates": ('duplicates=["text", "label"]',),
    "every": ('every="1mo"',),
    "features": ('features=["age", "income"]',),
    "full": ("full=True",),
    "gap": ("gap=1",),
    "horizon": ("horizon=3",),
    "key": ('key="id"',),
    "kind": ('kind="balance"',),
    "ks": ("ks=[5, 10]", "k=5"),
    "last": ("last=3",),
    "overwrite": ("overwrite=True",),
    "rare": ('rare="pool"',),
    "splits": ("splits=cv.split(X, y)",),
    "step": ("step=1",),
    "strict": ("strict=True",),
    "time": ('time="date"',),
    "where": ('where="labelled"',),
    "window": ("window=12",),
}
"""Arguments of other libraries and other verbs, with examples of what to write instead. The error
suggests the first example whose argument the verb has, or else the first in the verb of `HOMES`."""

HOMES = {
    **dict.fromkeys(("parts", "each"), "split"),
    **dict.fromkeys(("allocation", "frac", "n"), "sample"),
    **dict.fromkeys(("apart", "every", "gap", "last", "nulls", "window"), "folds"),
    **dict.fromkeys(("horizon", "step"), "folds"),
    **dict.fromkeys(("duplicates", "features", "name", "strict", "time"), "check"),
    **dict.fromkeys(("ax", "kind"), "plot"),
    "splits": "from_splits",
    **dict.fromkeys(("full", "ks"), "advise"),
}
"""The verb that has an argument, if it is not `kfold`."""

NOT_HERE = {
    "replace": "rows are drawn once each; `df.sample(...)` of pandas and Polars can repeat them",
    "initial": "`folds(last=12)` validates the last 12 labels and trains on all labels before them",
    **dict.fromkeys(
        ("embargo", "purge"),
        "`folds(gap=1)` leaves out the label before and the label after those that are validated",
    ),
    "buffer": '`kfold(groups="cell")` keeps each cell of a grid whole, but cells can touch',
}
"""Arguments of other libraries that have no counterpart, with what comes closest.

`initial` is an argument of Prophet, sktime and skforecast. An `embargo` leaves out rows after the
test set, and a `purge` those before it (Lopez de Prado, 2018). A `buffer` is a distance in space.
"""

OF_A_VERB = {
    ("sample", "groups"): '`df.strat.split(..., groups="patient")` draws whole groups',
    ("sample", "weights"): (
        '`by=["label", sf.continuous("weight")]` spreads the sample over the weights'
    ),
    ("extend", "weights"): '`df.strat.kfold(..., by=["label", sf.total("weight")])`',
    **{
        (verb, "missing"): "missing values are a stratum of their own"
        for verb in ("advise", "balance", "check", "compare", "plot", "report", "sample")
    },
}
"""Hints for an argument of one verb, which come before those of `HABITS`."""

ALIASES = {"group": "groups", "id_col": "groups", "sample_weight": "weights"}
"""Arguments that `OF_A_VERB` lists under another name."""

OF_SEVERAL = ("balance", "check", "drift", "fingerprint", "leaks", "plot", "report")
"""The verbs that take a mapping of names to frames."""

KFOLD = '`df.strat.kfold("label", k=5)`'
SPLIT = '`df.strat.split("label", 0.2)`'
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
    foreign = name.lower().replace("_", "")
    near = get_close_matches(name, known, n=1)
    if name in of_frames:
        hint = f"frames have it, as in `df.strat.{name}`"
    elif foreign in METHODS:
        hint = METHODS[foreign]
    elif near:
        hint = f"`df.strat.{near[0]}`"
    else:
        hint = f"it has {either(known)}"
    return AttributeError(f"`.strat` has no `{name}`.\nHint: {hint}.")


def suggest_arguments(verb: Callable[Params, ResultT]) -> Callable[Params, ResultT]:
    """Make a verb suggest what to write for misplaced arguments and those of other libraries.

    The signature does not change, and Python itself rejects other unknown arguments. The traceback
    of a `StratError` ends in this wrapper; a call of `verb.__wrapped__` shows the full traceback.
    """
    known = signature(verb).parameters
    foreign = {*HABITS, *NOT_HERE}.difference(known)
    name = verb.__qualname__.removesuffix(".__init__").rpartition(".")[-1]

    @wraps(verb)
    def answered(*args: Params.args, **kwargs: Params.kwargs) -> ResultT:
        __tracebackhide__ = True  # so that pytest's traceback ends at the caller
        unknown = [argument for argument in kwargs if argument in foreign]
        if unknown:
            hints = dict.fromkeys(translate(name, each, kwargs[each], known) for each in unknown)
            listing = either(f"`{argument}`" for argument in unknown)
            msg = f"`{name}` has no argument {listing}.\nHint: {', '.join(hints)}."
            raise TypeError(msg)
        try:
            check_places(name, args, known)
            return verb(*args, **kwargs)
        except StratError as error:
            raise error.with_traceback(None) from error.__cause__

    return answered


def translate(verb: str, argument: str, value: object, known: Collection[str]) -> str:
    """Write the equivalent of an argument in this verb or, if there is none, in another verb."""
    hint = OF_A_VERB.get((verb, ALIASES.get(argument, argument)))
    if hint is not None:
        return hint
    if argument in NOT_HERE:
        return NOT_HERE[argument]
    examples = HABITS[argument]
    if argument == "shuffle" and value is False:
        examples = ('deal="contiguous"',)
    for example in examples:
        if argument_of(example) in known:
            return f"`{example}`"
    other = HOMES.get(argument_of(examples[0]), "kfold")
    return f"`df.strat.{other}(..., {examples[0]})`"


def argument_of(example: str) -> str:
    """Return the argument that an example such as "k=5" passes."""
    return example.partition("=")[0]


def is_frame_like(value: object) -> bool:
    """Return whether a value is a frame of any library, recognized by its class."""
    return hasattr(type(value), "columns")


def check_places(verb: str, values: Sequence[object], known: Mapping[str, Parameter]) -> None:
    """Raise an error if a positional argument is in the place of another argument."""
    places = [each for each in known if known[each].kind is not Parameter.KEYWORD_ONLY]
    check_frames(verb, values, places)
    if places[1:2] == ["by"] and {"name", "names"}.isdisjoint(places):
        check_one_by(verb, values)
    only_by_name = [f"`{each}`" for each in known if each not in places]
    surplus = values[len(places) :]
    if surplus and only_by_name:
        got = with_full_stop(list_values(surplus))
        hint = with_full_stop(f"pass it by name: {preview(only_by_name, len(only_by_name))}")
        msg = (
            f"`{verb}` takes no argument after `{places[-1]}` without its name, got {got}"
            f"\nHint: {hint}"
        )
        raise TypeError(msg)


def check_frames(verb: str, values: Sequence[object], places: Sequence[str]) -> None:
    """Raise an error if the frame is not first, or if frames follow it without their names."""
    first, second, *_ = [*values, None, None]
    if "frame" in places and isinstance(first, str) and is_frame_like(second):
        msg = (
            f"The frame must come first, got {describe(first)}.\nHint: write"
            f" `{verb}(df, {describe(first)})` or `df.strat.{verb}({describe(first)})`."
        )
        raise StratError(msg)
    if verb in OF_SEVERAL and is_frame_like(second):
        n_frames = 1 + len(list(takewhile(is_frame_like, values[1:])))
        msg = (
            f"`{verb}` takes several frames by their names, got {n_frames} frames.\n"
            f"Hint: `sf.{verb}({name_frames(n_frames)})`."
        )
        raise StratError(msg)


def check_one_by(verb: str, values: Sequence[object]) -> None:
    """Raise an error if the columns of `by` are several arguments and not a list."""
    columns = [str(text) for text in takewhile(lambda each: isinstance(each, str), values[1:])]
    # A number in quotes has no letters, and is not taken for a column.
    if any(map(str.isalpha, "".join(columns[1:]))):
        msg = (
            f"`{verb}` takes all columns as one argument, got {list_values(columns)}.\n"
            f"Hint: several columns go in a list: `{write_list(columns)}`."
        )
        raise TypeError(msg)
