"""Junk for every argument of every function: a result, or an error of ours that can be read."""

from running import Case, run

import datetime as dt
import os
import resource
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from inspect import signature
from random import Random
from typing import Any

import matplotlib as mpl
import numpy as np
import pandera.errors
import polars as pl
from matplotlib import pyplot as plt
from sklearn.dummy import DummyClassifier

import stratframe as sf
from stratframe.habits import HABITS
from tests import test_junk
from tests.helpers import KINDS, eager, evaluate, make

MAX_BYTES = 12 << 30
"""Memory that a call may ask for; more is a `MemoryError`, which no call may raise."""

ROWS: dict[str, list[Any]] = {
    "id": list(range(24)),
    "label": ["a", "b", "c"] * 8,
    "sex": [True, False, False] * 8,
    "price": [number * number / 7 for number in range(24)],
    "x": [number % 5 + 0.5 for number in range(24)],
    "patient": [number // 3 for number in range(24)],
    "when": [dt.date(2020, 1, 1 + number) for number in range(24)],
    "gaps": [None, "a", "b"] * 8,
    "tags": [["x"]] * 24,
    "keep": [True] * 20 + [False] * 4,
    "fold": [0, 1, 2, 3] * 6,
    "holes": [0, 1, None] * 8,
    "split": ["train", "train", "valid", "test"] * 6,
}


class Long:
    """An object that writes itself in 5,000 letters."""

    def __repr__(self) -> str:
        """Write many letters."""
        return "z" * 5_000


KNOWN = {
    "ROWS": ROWS,
    "dt": dt,
    **{each.__name__: each for each in (Long, Decimal, Fraction, DummyClassifier)},
}
"""Names in the code below."""

JUNK = [
    *("False", "...", "NotImplemented", "1", "2", "3", "7", "24", "25", "1_000", "10**6", "10**9"),
    *("2**31", "2**63", "2**64", "-(2**63)", "-(10**400)", "1.0", "2.0", "1e300", "-0.0", "-inf"),
    *map(repr, ROWS),
    *("' '", "'train'", r"'\0'", "'*'", "'^.*$'", "'é' * 300", r"'a\nb'", "'quantiles(x, 3)'"),
    *("b'label'", "bytearray(3)", "memoryview(b'x')", "object", "int", "repr", "len", "str"),
    *("Exception", "ValueError('no')", "()", "frozenset(['label'])", "('label', 'sex')"),
    *("Decimal('0.5')", "Decimal('NaN')", "Fraction(1, 3)", "dt.date(2020, 1, 1)"),
    *("dt.timedelta(1)", "np.int64(3)", "np.float64(nan)", "np.str_('label')", "np.bool_(True)"),
    *("np.datetime64('NaT')", "pd.NA", "pd.NaT", "pl.Int64", "pl.Enum(['a'])", "range(2, 5)"),
    *("range(0)", "range(2, 10**12)", "pl.col('label')", "pl.col('^.*$')", "pl.all()"),
    *("pl.col('label', 'sex')", "pl.col('x').first()", "pl.col('x').head(3)", "pl.lit(1)"),
    *("pl.lit(None)", "pl.len()", "pl.struct('label', 'sex')", "pl.col('x') > 2"),
    *("pl.col('label') + 1", "sf.classes('label')", "sf.continuous('price')"),
    *("sf.continuous('label')", "sf.quantiles('price', 3)", "sf.bins('x', [0, 2, 5])"),
    *("sf.clusters(['x', 'price'], 2)", "sf.clusters('nope', 2)", "sf.chain(['x', 'price'])"),
    *("sf.nearest(['x', 'price'])", "sf.margins(['label', 'sex'])", "sf.FoldSplit()"),
    *("sf.StratError('no')", "DummyClassifier()", "[[]]", "['label']", "['label', 'sex']"),
    *("['label', 'label']", "['fold', 'fold']", "['fold', 'split']", "[None]", "[1, 2, 3]"),
    *("[0.5, nan]", "[3, 2, 1]", "[-inf, 0, inf]", "list(range(1_000))", "['y' * 5_000, 'label']"),
    *("{'train': 0.5, 'test': 0.5}", "{'train': 0.5, 'test': nan}", "{'train': 12, 'test': 12}"),
    *("{'train': None, 'test': None}", "{'train': 10**400, 'test': None}", "{1: 0.5, 2: 0.5}"),
    *("{'a' * 5_000: 0.5, 'b': 0.5}", "{'': 0.5, ' ': 0.5}", "{str(n): 1 for n in range(1_000)}"),
    *("{'SCV': 'label', 'mine': 'nope'}", "(number for number in (2, 3))", "iter(['label'])"),
    *("lambda: None", "lambda df: df['label']", "lambda df: df", "lambda df: 1 / 0"),
    *("lambda df: None", "Long()", "[Long()]", "{'train': Long(), 'test': 0.5}"),
    *("np.arange(24)", "np.array(['label'])", "np.array([], dtype=object)", "pd.Series(range(24))"),
    *("pd.Series([True] * 24, name='keep')", "pd.Index(['label'])", "pd.DataFrame(ROWS)"),
    *("pd.DataFrame()", "pl.Series('label', ['a'] * 24)", "pl.DataFrame(ROWS)"),
    *("pl.LazyFrame(ROWS)", "pl.DataFrame()", "[sf.margins(['label', 'sex']), 'x']"),
    *("['label', sf.quantiles('price', 2)]", "['label', sf.continuous('price'), 'sex']"),
    *("DummyClassifier", "[DummyClassifier(), None]", "{'dummy': DummyClassifier()}"),
]
"""What is given for an argument, as code, beside that of the tests."""

WORDS = [
    *("random", "circular", "hash", "error", "stratum", "null", "warn", "pool", "ignore", "train"),
    *("drop", "proportional", "equal", "balance", "drift", "sizes", "right", "left", "standard"),
    *("minmax", "kmeans", "minibatch", "agglomerative", "dbscan", "auto", "pandas", "polars"),
]


# Functions ------------------------------------------------------------------------------


def list_folds(frame: Any, *args: Any, **kwargs: Any) -> list[Any]:
    """List the folds of `folds`, collected."""
    return [(eager(fold.train), eager(fold.valid)) for fold in sf.folds(frame, *args, **kwargs)]


def list_parts(frame: Any, *args: Any, **kwargs: Any) -> list[Any]:
    """List the frames of `parts`, collected."""
    return [eager(part) for part in sf.parts(frame, *args, **kwargs).values()]


def splitter_pairs(frame: Any, **kwargs: Any) -> list[Any]:
    """List the pairs of `FoldSplit`."""
    splitter = sf.FoldSplit(**kwargs)
    return [splitter.get_n_splits(frame), *splitter.split(frame)]


def splitter_groups(X: Any, groups: Any) -> list[Any]:  # noqa: N803 - as in scikit-learn
    """List the pairs of `FoldSplit` from what is given for `X` and `groups`."""
    try:
        return list(sf.FoldSplit().split(X, groups=groups))
    except (TypeError, ValueError, OverflowError) as error:
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        if "sklearn" in frame.f_code.co_filename:  # its own check of lengths
            return []
        raise


def polars_kfold(**kwargs: Any) -> Any:
    """Select the folds of a Polars expression."""
    return pl.DataFrame(ROWS).select(pl.col("label").strat.kfold(**kwargs))


def polars_split(**kwargs: Any) -> Any:
    """Select the parts of a Polars expression."""
    return pl.LazyFrame(ROWS).select(pl.struct("label", "sex").strat.split(**kwargs))


def validate(make_schema: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function that makes a schema and validates a frame, with the first or all faults."""

    def validated(**kwargs: Any) -> None:
        schema = make_schema(**kwargs)
        kind = "polars" if kwargs.get("library") == "polars" else "pandas"
        for lazy in (False, True):
            with suppress(pandera.errors.SchemaError, pandera.errors.SchemaErrors):
                schema.validate(make(kind, ROWS), lazy=lazy)

    validated.__qualname__ = f"validate.{make_schema.__name__}"
    return validated


VERBS: dict[Callable[..., Any], dict[str, Any]] = {
    **{getattr(sf, name): given for name, given in test_junk.VERBS.items()},
    sf.extend: {"by": "label", "name": "holes"},
    sf.check: {"by": "label", "groups": "patient", "duplicates": "x"},
    sf.leaks: {"groups": "patient", "duplicates": "x"},
    list_folds: {},
    list_parts: {},
    splitter_pairs: {},
}
"""Functions of a frame, and arguments with which they work."""

ARGUMENTS = {
    list_folds: signature(sf.folds),
    list_parts: signature(sf.parts),
    splitter_pairs: signature(sf.FoldSplit),
}
"""Signatures of functions above that pass their arguments on."""

TERMS = {getattr(sf, name): given for name, given in test_junk.TERMS.items()}

OTHERS: dict[Callable[..., Any], dict[str, Any]] = {
    splitter_groups: {"X": np.zeros((24, 1)), "groups": ROWS["fold"]},
    sf.theory.ber_bias: {"k": 5, "count": 3, "error0": 0.1, "error1": 0.2},
    sf.theory.imbalance: {"counts": [3, 4]},
    sf.theory.largest_deviation: {"counts": [3, 4], "k": 2},
    sf.theory.largest_k: {"counts": [3, 4]},
    sf.theory.probability_any_missing: {"n": 20, "count": 3, "k": 5},
    sf.theory.probability_missing: {"n": 20, "count": 3, "k": 5},
    sf.theory.variance_of_mean: {"variance": 0.1, "k": 5, "rho": 0.1},
    sf.theory.variance_random: {"n": 20, "k": 5, "p": 0.1},
    sf.theory.variance_stratified: {"n": 20, "k": 5, "count": 3},
    sf.study.summary: {"estimates": None},
    sf.study.differences: {"estimates": None},
    sf.study.plot: {"results": None},
    sf.study.wins: {"summary": None},
    sf.study.friedman: {"summary": None},
}

POLARS: dict[Callable[..., Any], tuple[str, ...]] = {
    polars_kfold: ("k", "deal", "missing", "rare", "seed", "name"),
    polars_split: ("parts", "deal", "missing", "rare", "seed", "name"),
}

SCHEMAS = [sf.schemas.folded, sf.schemas.parted, sf.schemas.needed]

STUDIED: dict[str, Any] = {
    "target": "label",
    "features": ["x", "price"],
    "strategies": {"SCV": "label"},
    "k": 2,
    "sample": 12,
    "samples": 1,
    "repeats": 1,
    "progress": False,
}


# Cases ----------------------------------------------------------------------------------


def make_junk(rng: Random) -> Any:
    """Make something that may be no argument at all."""
    code = rng.choice([*test_junk.JUNK, *JUNK])
    return evaluate(code, **KNOWN) if code in JUNK else test_junk.make_junk(code)


def draw(rng: Random) -> Any:
    """Draw something, at times one of our words, or a list of two."""
    if rng.random() < 0.1:
        return rng.choice(WORDS)
    value = make_junk(rng)
    return [value, make_junk(rng)] if rng.random() < 0.05 else value


def replaced(rng: Random, known: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Replace one or more arguments of a call."""
    n = min(rng.choice([1, 1, 1, 2, 2, 3]), len(names))
    return known | {name: draw(rng) for name in rng.sample(names, n)}


def draw_frame(rng: Random) -> Any:
    """Make a frame of some kind; seldom one without rows, and seldom no frame."""
    shape = rng.random()
    if shape < 0.03:
        return draw(rng)
    n = 0 if shape < 0.06 else 1 if shape < 0.09 else 24
    return make(rng.choice(KINDS), {name: column[:n] for name, column in ROWS.items()})


def check_verb(case: Case) -> None:
    """Call a verb."""
    verb = case.rng.choice(list(VERBS))
    names = [name for name in ARGUMENTS.get(verb, signature(verb)).parameters if name != "frame"]
    given = replaced(case.rng, VERBS[verb], names)
    if verb in (sf.kfold, sf.split, sf.sample) and case.rng.random() < 0.05:
        given[case.rng.choice(list(HABITS))] = draw(case.rng)
    case.answer(verb, draw_frame(case.rng), **given)


def check_term(case: Case) -> None:
    """Make a term, and deal with it."""
    function = case.rng.choice(list(TERMS))
    term = case.answer(
        function, **replaced(case.rng, TERMS[function], list(signature(function).parameters))
    )
    if not isinstance(term, Exception):
        frame, by = draw_frame(case.rng), case.rng.choice([term, ["sex", term]])
        verb = case.rng.choice([sf.kfold, sf.plan, sf.advise, sf.sample])
        case.answer(verb, frame, by, **({"n": 5} if verb is sf.sample else {}))


def check_other(case: Case) -> None:
    """Call a formula, a splitter, or a function of the results of a study."""
    function = case.rng.choice(list(OTHERS))
    case.answer(
        function, **replaced(case.rng, OTHERS[function], list(signature(function).parameters))
    )


def check_expression(case: Case) -> None:
    """Deal by a Polars expression."""
    function = case.rng.choice(list(POLARS))
    case.answer(function, **replaced(case.rng, {}, list(POLARS[function])))


def check_schema(case: Case) -> None:
    """Make a schema, and validate a frame with it."""
    make_schema = case.rng.choice(SCHEMAS)
    known: dict[str, Any] = {"by": "label"} if make_schema is sf.schemas.needed else {}
    known |= {"parts": {"train": 0.5, "test": 0.5}} if make_schema is sf.schemas.parted else {}
    known |= {"library": case.rng.choice(["pandas", "polars"])}
    given = replaced(case.rng, known, list(signature(make_schema).parameters))
    case.answer(validate(make_schema), **given)


def check_study(case: Case) -> None:
    """Run a small study."""
    function = case.rng.choice([sf.study.estimates, sf.study.compare])
    names = [name for name in signature(function).parameters if name != "frame"]
    given = replaced(case.rng, STUDIED | {"estimators": DummyClassifier()}, names)
    for name, few in {"n_jobs": 1, "samples": 2}.items():
        if isinstance(given.get(name), int) and given[name] > few:
            given[name] = few  # as many are as good, and take long
    if isinstance(given.get("repeats"), int) and given["repeats"] <= 10_000:
        given["repeats"] = min(given["repeats"], 2)
    case.answer(function, draw_frame(case.rng), **given)


CHECKS = {
    check_verb: 60,
    check_term: 20,
    check_other: 10,
    check_expression: 5,
    check_schema: 8,
    check_study: 1,
}


def check(case: Case) -> None:
    """Make one call."""
    (chosen,) = case.rng.choices(list(CHECKS), list(CHECKS.values()))
    chosen(case)
    plt.close("all")


if __name__ == "__main__":
    mpl.use("Agg")
    resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
    with tempfile.TemporaryDirectory() as folder:  # for whatever is taken as a path
        os.chdir(folder)
        run(check)
