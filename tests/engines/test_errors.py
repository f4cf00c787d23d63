"""What frames of engines refuse, and in which words."""

import re

import numpy as np
import pandas as pd
import pytest

import stratframe as sf
from stratframe.engines.base import PartsByNumber, check_n_strata, parts_by_number
from stratframe.engines.cells import cell_bits
from tests.engines.frames import FOLDED, FRAME, N
from tests.helpers import evaluate, refuse_now, refuse_rule, refused

FRAMES = {
    "df": FRAME,
    "folded": FOLDED,
    "nines": FOLDED.assign(fold=[9 if i % 10 == 3 else i % 4 for i in range(N)]),
    "even": pd.DataFrame({"id": range(30), "label": [*"aab"] * 10, "fold": [*range(5)] * 6}),
    "empty": FRAME[["id", "label"]][:0],
}
"""The frames of the calls."""

NO_ROWS = ", which is not possible on {name} frames.\nHint: "
TABLES = "`balance` and `report` give the figures as tables."
BINS = "`report` with `sf.quantiles(...)` compares the bins of a feature."
ELSEWHERE = (
    ", which is not possible on {name} frames.\n"
    "Hint: `sf.quantiles` and `sf.bins` divide numbers into strata."
)
DISTANCES = " needs the distances between all rows" + ELSEWHERE
SORTED = (
    "`by` must not have a continuous entry on {name} frames, because it sorts all rows, got"
    " sf.continuous('price').\nHint: cut it into bins, as in `sf.quantiles('price', 10)`, or use"
    " its values as classes, as in `sf.classes('price')`."
)
CUT = (
    '`deal="contiguous"` needs all rows in order, which is not possible on {name} frames.\n'
    "Hint: compare a column with one of its quantiles, as computed by `quantile` in Dask or"
    " `approxQuantile` in Spark."
)
ONE_THING = (
    "`leaks` on {{name}} frames takes one of `groups`, `key` and `duplicates`, and one column of"
    " folds, got {}.\nHint: call `leaks` once for each argument and each column; `check` takes"
    " several of both."
)

NO_KEY = (
    "{{name}} frames need {}, because their rows may come in a different order each time.\n"
    'Hint: name the columns that identify a row, as in `key="id"`.'
)

REFUSED = {
    # What needs the rows themselves.
    "sf.cv(folded)": f"`cv` gives positions of rows{NO_ROWS}`folds` gives frames.",
    "sf.FoldSplit().split(folded)": (
        f"`FoldSplit` gives positions of rows{NO_ROWS}`sf.folds` gives frames."
    ),
    "sf.plot(folded, 'label')": f"`plot` reads all rows{NO_ROWS}{TABLES}",
    "sf.drift(folded, 'age')": f"`drift` looks at the values of all rows{NO_ROWS}{BINS}",
    "sf.check(folded, features='age')": (
        f"`check` looks at the values of `features` in all rows{NO_ROWS}{BINS}"
    ),
    "sf.compare(folded, 'label', 'fold', 'age')": (
        f"`compare` looks at the values of `features` in all rows{NO_ROWS}{BINS}"
    ),
    "sf.leaks(folded)": ONE_THING.format("none of them"),
    "sf.leaks(folded, groups='who', key='id')": ONE_THING.format("`groups`, `key`"),
    "sf.leaks(folded, groups='who', name=['fold', 'plain'])": ONE_THING.format("2 columns"),
    # What ranks rows, by numbers that must be the same each time.
    **{
        f"sf.{call})": NO_KEY.format(needed)
        for needed, calls in {
            "a `key` or `groups`": (
                *("kfold(df", "kfold(df, 'label', 4, rare='ignore'", "split(df, 'label'"),
                "plan(df, 'label', 3",
            ),
            "a `key`": ("extend(folded, 'label'", "sample(df, 'label', n=9"),
        }.items()
        for call in calls
    },
    # What needs all rows at once.
    "sf.kfold(df, sf.chain(['age']), key='id')": f"`sf.chain`{DISTANCES}",
    "sf.kfold(df, sf.clusters(['age']), key='id')": f"`sf.clusters`{DISTANCES}",
    **{
        f"sf.{call}, ['label', sf.total('age', 'id')]{rest})": (
            f"`sf.total` swaps rows until the totals of the parts are even{ELSEWHERE}"
        )
        for call, rest in (
            ("kfold(df", ", key='id'"),
            ("split(df", ", groups='age'"),
            ("plan(df", ", key='id'"),
            ("report(folded", ""),
            ("check(folded", ""),
        )
    },
    "sf.check(folded, sf.clusters(['age', 'id'], 2))": f"`sf.clusters`{DISTANCES}",
    "sf.kfold(df, sf.margins(['label', 'sex']), key='id')": (
        f"`sf.margins` searches over all rows at once{ELSEWHERE}"
    ),
    "sf.kfold(df, 'label', key='id', deal='circular')": (
        f'`deal="circular"` needs all rows in order{ELSEWHERE}'
    ),
    **{
        f"sf.{call}, sf.continuous('price'), deal='contiguous')": CUT
        for call in ("kfold(df", "split(df", "plan(df")
    },
    **{
        f"sf.{call}, key='id')": message
        for by, message in {
            "'price'": SORTED,
            "sf.continuous('price')": SORTED,
            "sf.nearest('price')": f"`sf.nearest`{DISTANCES}",
        }.items()
        for call in (
            *(f"kfold(df, {by}", f"split(df, {by}", f"plan(df, {by}, 3", f"sample(df, {by}, n=9"),
        )
    },
    "sf.extend(nines, 'label', groups='age')": (
        f"`extend` with `groups` looks at all rows of each group{ELSEWHERE}"
    ),
    "sf.extend(nines, 'label', key='id', where='some')": (
        f"`extend` with `where` looks at the folds of all rows{ELSEWHERE}"
    ),
    **{
        f"sf.kfold(df, ['rarely', sf.quantiles('price', 2)], groups='who', rare={rare!r})": (
            f"`rare={rare!r}` cannot be combined with `groups` and quantiles inside the strata of"
            " earlier entries on {name} frames."
        )
        for rare in ("null", "pool")
    },
    "sf.kfold(df, 'label', groups='sex', missing='stratum')": (
        "`groups` must have no missing values on {name} frames, where rows without a group are"
        ' counted together.\nHint: fill the missing values, or use `missing="null"` in `kfold`,'
        " which leaves the folds of these rows null."
    ),
    **{
        f"sf.{call}, groups={groups})": (
            f"`{groups.partition('(')[0]}` looks at all rows at once, which is not possible on"
            " {name} frames.\nHint: compute a column of groups on one machine, or with a graph"
            ' library for {name}, and pass its name, as in `groups="component"`.'
        )
        for call in ("kfold(df", "advise(df, 'label'", "report(folded, 'label'")
        for groups in ("sf.linked('sex', 'age')", "sf.similar('age', 0.1)")
    },
    "sf.kfold(folded, 'label', key='id')": (
        "The frame has a column 'fold' already. `overwrite=True` replaces it."
        "\nHint: df = df.drop({fold})"
    ),
    # What is no column of flags.
    "sf.kfold(df, 'label', key='id', where='age')": (
        "`where` must be a boolean column, but 'age' is {integer}."
    ),
    "sf.kfold(df, 'label', key='id', where=pd.Series([True] * 60))": (
        "`where` must hold a boolean column, an expression or a callable, got Series.\n"
        'Hint: compute it, as in `where=lambda df: df["split"] == "train"`.'
    ),
}

REFUSED_ON_PANDAS = [
    # Values and sizes, which are counted over all partitions.
    *("sf.kfold(df, 'sex', key='id')", "sf.kfold(df, 'label', key='sex')"),
    *("sf.kfold(df, 'label', key=['id', 'whole'])", "sf.extend(folded, 'label', key='sex')"),
    *("sf.kfold(df, sf.bins('age', [10, 60]), key='id')", "sf.extend(nines, 'label', 4, key='id')"),
    *("sf.kfold(df, 'label', 61, key='id')", "sf.kfold(empty, 'label', key='id')"),
    *("sf.kfold(df, 'kind', groups='label')", "sf.kfold(df, 'rarely', 7, key='id', rare='error')"),
    # Names, and what they name.
    *("sf.kfold(df, 'lable', key='id')", "sf.folds(folded, 'day', apart='whom')"),
    "sf.check(df, name='id', duplicates=['lable'])",
    "sf.kfold(folded, by='fold', overwrite=True)",
    "sf.kfold(folded, groups='fold', overwrite=True)",
    *("sf.kfold(folded, key=['id', 'fold'], overwrite=True)", "sf.report(folded, 'fold')"),
    *("sf.report(even, 'fold', 'label')", "sf.report(folded, 'label', 'price')"),
    # Labels of folds and parts.
    *("sf.folds(folded, 'price')", "sf.folds(folded)", "sf.folds(folded, 'split')"),
    *("sf.folds(folded, 'label', train='past')", "sf.parts(folded, names=['dev'])"),
]
"""Calls that are refused on every frame, whose messages other tests spell out."""


def spread(engine, call):
    """Make those of the frames on an engine that a call names."""
    named = {*re.findall(r"\w+", call)} & {*FRAMES}
    return {name: engine.spread(engine.local(FRAMES[name]), [7, 7, 30]) for name in named}


@pytest.mark.parametrize("call", REFUSED)
def test_what_is_refused(engine, call):
    """What an engine cannot do is told at the call."""
    words = ("int64", "columns='fold'") if engine.is_pandas else ("bigint", "'fold'")
    message = REFUSED[call]
    for name, word in zip(("name", "integer", "fold"), (engine.name, *words), strict=True):
        message = message.replace(f"{{{name}}}", word)
    refuse_now(message, lambda: evaluate(call, **spread(engine, call)))


@pytest.mark.parametrize("call", REFUSED_ON_PANDAS)
def test_what_is_wrong_is_told_as_in_pandas(engine, call):
    """What is wrong in a call or its rows has the message of pandas, but no list of these rows."""
    message = str(refused(lambda: evaluate(call, **FRAMES)))
    message = re.sub(r"(rows) \(\d+, .*?\)", r"\1", message)
    refuse_now(message, lambda: evaluate(call, **spread(engine, call)))


def test_where_that_does_not_say(engine):
    """A row of which `where` does not say whether it is dealt is an error."""
    known = FRAME.assign(known=[None if i % 4 == 1 else True for i in range(N)])
    rows = engine.spread(engine.local(known), [20])
    with pytest.raises(sf.StratError, match="has missing values in 15 rows"):
        sf.kfold(rows, "label", key="id", where="known")


def test_a_repeated_key_at_a_cut(engine):
    """Rows of one key between which a stratum is cut are never dealt, but listed."""
    frame = pd.DataFrame({"id": [7] * 10, "label": "a"})
    error = refuse_rule(
        "`key` ('id') must identify each row, but repeats in 10 rows.",
        lambda: sf.kfold(engine.spread(frame, [3]), "label", key="id"),
    )
    assert error.failures["id"].tolist() == [7] * 10


def test_the_driver_holds_the_counts_of_so_many_strata():
    """The largest number of strata is allowed, and one more is an error that says what to do."""
    check_n_strata(2**22)
    refuse_now(
        "`by` must define at most 4,194,304 strata, because the driver holds their counts, got"
        " 4,194,305.\nHint: `sf.quantiles` and `sf.bins` divide many numbers into few strata.",
        lambda: check_n_strata(2**22 + 1),
    )


@pytest.mark.parametrize(("n_strata", "bits"), [(0, 16), (1 << 20, 4), (1 << 24, 0), (1 << 25, 0)])
def test_more_strata_are_counted_by_fewer_bits(n_strata, bits):
    """All cells together stay below a limit, down to one for each stratum."""
    assert cell_bits(n_strata) == bits


@pytest.mark.parametrize("n_cuts", [1, 2, 3, 4])
def test_the_highest_number_is_in_the_last_part(n_cuts):
    """A point is the lowest number of its part, and no number is beyond the last part."""
    points = np.arange(1, n_cuts + 1, dtype=np.uint64)[None] * np.uint64(10)
    numbers = np.array([0, 9, 10, 10 * n_cuts, 2**64 - 1], dtype=np.uint64)
    found = parts_by_number(np.zeros(5, int), numbers, PartsByNumber(np.zeros(1, int), points))
    assert found.tolist() == [0, 0, 1, n_cuts, n_cuts]
