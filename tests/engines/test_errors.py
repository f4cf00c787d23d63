"""What frames of engines refuse, and in which words."""

import re

import numpy as np
import pandas as pd
import pytest

import stratframe as sf
from stratframe.engines.base import PartsByNumber, check_n_strata, parts_by_number
from stratframe.engines.cells import cell_bits
from tests.engines.frames import FOLDED, FRAME, N, cut
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
BINS = f"{NO_ROWS}`report` with `sf.quantiles(...)` compares the bins of a feature."
ELSEWHERE = f"{NO_ROWS}`sf.quantiles` and `sf.bins` divide numbers into strata."
DISTANCES = f" needs the distances between all rows{ELSEWHERE}"
FEATURES = f" looks at the values of `features` in all rows{BINS}"
SWAPS = f"`sf.total` swaps rows until the totals of the parts are even{ELSEWHERE}"
SORTED = (
    "`by` must not have a continuous entry on {name} frames, because it sorts all rows, got"
    " sf.continuous('price').\nHint: cut it into bins, as in `sf.quantiles('price', 10)`, or use"
    " its values as classes, as in `sf.classes('price')`."
)
CUT = f'`deal="contiguous"` needs all rows in order{NO_ROWS}compare a column with one of its'
CUT += " quantiles, as computed by `quantile` in Dask or `approxQuantile` in Spark."
ONE_THING = (
    "`leaks` on {{name}} frames takes one of `groups`, `key` and `duplicates`, and one column of"
    " folds, got {}.\nHint: call `leaks` once for each argument and each column; `check` takes"
    " several of each."
)
NO_KEY = "{{name}} frames need {}, because their rows may come in a different order each time.\n"
NO_KEY += 'Hint: name the columns that identify a row, as in `key="id"`.'
REFUSED = {
    # What needs the rows themselves.
    "sf.cv(folded)": f"`cv` gives positions of rows{NO_ROWS}`folds` gives frames.",
    "sf.FoldSplit().split(folded)": f"`FoldSplit` gives positions of rows{NO_ROWS}`sf.folds` gives"
    " frames.",
    "sf.plot(folded, 'label')": f"`plot` reads all rows{NO_ROWS}`balance` and `report` give the"
    " figures as tables.",
    "sf.drift(folded, 'age')": f"`drift` looks at the values of all rows{BINS}",
    "sf.check(folded, features='age')": f"`check`{FEATURES}",
    "sf.compare(folded, 'label', 'fold', 'age')": f"`compare`{FEATURES}",
    "sf.leaks(folded)": ONE_THING.format("none of them"),
    "sf.leaks(folded, groups='who', key='id')": ONE_THING.format("`groups`, `key`"),
    "sf.leaks(folded, groups='who', name=['fold', 'plain'])": ONE_THING.format("2 columns"),
    # What ranks rows, by numbers that must be the same each time.
    **{
        f"sf.{call})": NO_KEY.format("a `key` or `groups`")
        for call in (
            "kfold(df",
            "kfold(df, 'label', 4, rare='ignore'",
            "split(df, 'label'",
            "plan(df, 'label', 3",
        )
    },
    "sf.extend(folded, 'label')": NO_KEY.format("a `key`"),
    "sf.sample(df, 'label', n=9)": NO_KEY.format("a `key`"),
    # What needs all rows at once.
    "sf.kfold(df, sf.chain(['age']), key='id')": f"`sf.chain`{DISTANCES}",
    "sf.kfold(df, sf.clusters(['age']), key='id')": f"`sf.clusters`{DISTANCES}",
    **{
        f"sf.{call}, by=['label', sf.total('age', 'id')])": SWAPS
        for call in (
            "kfold(df, key='id'",
            "split(df, groups='age'",
            "plan(df, key='id'",
            "report(folded",
            "check(folded",
        )
    },
    "sf.check(folded, sf.clusters(['age', 'id'], 2))": f"`sf.clusters`{DISTANCES}",
    "sf.balance(folded, ['label', sf.clusters(['age', 'id'], 2)])": f"`sf.clusters`{DISTANCES}",
    **{
        f"sf.{verb}(df, sf.continuous('price'), deal='contiguous')": CUT
        for verb in ("kfold", "split", "plan")
    },
    **{
        f"sf.{verb}(df, {by}{more}, key='id')": message
        for by, message in (
            ("'price'", SORTED),
            ("sf.continuous('price')", SORTED),
            ("sf.nearest('price')", f"`sf.nearest`{DISTANCES}"),
        )
        for verb, more in (("kfold", ""), ("split", ""), ("plan", ", 3"), ("sample", ", n=9"))
    },
    "sf.extend(nines, 'label', groups='age')": "`extend` with `groups` looks at all rows of each"
    f" group{ELSEWHERE}",
    "sf.extend(nines, 'label', key='id', where='some')": "`extend` with `where` looks at the folds"
    f" of all rows{ELSEWHERE}",
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
    "sf.kfold(folded, 'label', key='id')": "The frame has a column 'fold' already. `overwrite=True`"
    " replaces it.\nHint: df = df.drop({fold})",
    # What is no column of flags.
    "sf.kfold(df, 'label', key='id', where='age')": "`where` must be a boolean column, but 'age' is"
    " {integer}.",
    "sf.kfold(df, 'label', key='id', where=pd.Series([True] * 60))": "`where` must hold a boolean"
    " column, an expression or a callable, got Series.\nHint: compute it, as in"
    ' `where=lambda df: df["split"] == "train"`.',
}
KEY = "key=['id', 'fold']"
REFUSED_ON_PANDAS = [
    # Values and sizes, which are counted over all partitions.
    "sf.kfold(df, 'sex', key='id')",
    "sf.kfold(df, 'label', key='sex')",
    "sf.kfold(df, 'label', key=['id', 'whole'])",
    "sf.extend(folded, 'label', key='sex')",
    "sf.kfold(df, sf.bins('age', [10, 60]), key='id')",
    "sf.extend(nines, 'label', 4, key='id')",
    "sf.kfold(df, 'label', 61, key='id')",
    "sf.kfold(empty, 'label', key='id')",
    "sf.kfold(df, 'kind', groups='label')",
    "sf.kfold(df, 'rarely', 7, key='id', rare='error')",
    # Names, and what they name.
    "sf.kfold(df, 'lable', key='id')",
    "sf.folds(folded, 'day', apart='whom')",
    "sf.check(df, name='id', duplicates=['lable'])",
    "sf.report(folded, 'fold')",
    *(f"sf.kfold(folded, {x}, overwrite=True)" for x in ("by='fold'", "groups='fold'", KEY)),
    "sf.report(even, 'fold', 'label')",
    "sf.report(folded, 'label', 'price')",
    # Labels of folds and parts.
    "sf.folds(folded, 'price')",
    "sf.folds(folded)",
    "sf.folds(folded, 'split')",
    "sf.folds(folded, 'label', train='past')",
    "sf.parts(folded, names=['dev'])",
]
"""Calls that are refused on every frame, whose messages other tests spell out."""


def spread(engine, call):
    """Make those of the frames on an engine that a call names."""
    named = {*re.findall(r"\w+", call)} & {*FRAMES}
    return {name: engine.spread(engine.local(FRAMES[name]), [7, 7, 30]) for name in named}


@pytest.mark.parametrize("call", REFUSED)
def test_what_is_refused(engine, call):
    """What an engine cannot do is told at the call."""
    fold = "columns='fold'" if engine.is_pandas else "'fold'"
    message = REFUSED[call].replace("{name}", engine.name)
    message = message.replace("{integer}", engine.integer).replace("{fold}", fold)
    refuse_now(message, lambda: evaluate(call, **spread(engine, call)))


@pytest.mark.parametrize("call", REFUSED_ON_PANDAS)
def test_what_is_wrong_is_told_as_in_pandas(engine, call):
    """What is wrong in a call or its rows has the message of pandas, but no list of these rows."""
    error = refused(lambda: evaluate(call, **FRAMES))
    message = re.sub(r"(rows) \(\d+, .*?\)", r"\1", str(error))
    refuse_now(message, lambda: evaluate(call, **spread(engine, call)))


LACKING = FOLDED.assign(
    half=FOLDED["half"].where(FOLDED["id"] % 6 > 0),
    infinite=FOLDED["half"].where(FOLDED["id"] != 7, float("inf")),
    negative=FOLDED["half"].where(FOLDED["id"] != 7, -float("inf")),
)
"""Rows in which numbers with an order are missing or infinite."""
ORDERED = [
    pytest.param(sf.balance, {}, id="balance"),
    pytest.param(sf.report, {}, id="report"),
    pytest.param(sf.report, {"groups": "who"}, id="report by groups"),
    pytest.param(sf.compare, {"names": ["fold", "plain"]}, id="compare"),
    pytest.param(sf.advise, {"ks": [2, 5]}, id="advise"),
    pytest.param(sf.check, {"duplicates": None}, id="check"),
    pytest.param(sf.kfold, {"groups": "who", "name": "new"}, id="kfold"),
    pytest.param(
        sf.kfold, {"groups": "who", "name": "new", "missing": "stratum"}, id="kfold of all rows"
    ),
    pytest.param(sf.plan, {"groups": "who", "k": 3}, id="plan"),
]
"""Verbs that cut an order into bins on engines, and their arguments beside `by`."""
NO_COUNT = re.compile(r" in \d+ rows?( \(.*?\))?")


@pytest.mark.parametrize(("verb", "options"), ORDERED)
@pytest.mark.parametrize(
    "by", [sf.continuous("half"), "half", ["label", "half"], sf.continuous("infinite"), "negative"]
)
def test_an_order_that_is_cut_into_bins_keeps_its_rules(engine, verb, options, by):
    """Values that are missing or infinite have no place in an order, on any frame."""
    expected = refused(lambda: verb(LACKING, by, **options))

    error = refused(lambda: verb(engine.spread(engine.local(LACKING), [7, 7, 30]), by, **options))

    assert NO_COUNT.sub("", str(error)) == NO_COUNT.sub("", str(expected))


def test_an_order_of_text_is_an_error_that_names_the_entry(engine):
    """The error names the entry of the call, and not the bins that replace it."""
    rows = engine.spread(engine.local(FOLDED), [20])
    error = refused(lambda: sf.balance(rows, sf.continuous("name")))
    assert str(error).startswith(
        "`sf.continuous('name')` needs numbers or dates, but column 'name'"
    )


@pytest.mark.parametrize(
    ("name", "every", "rule"),
    [("name", "1d", "`every` needs dates or times"), ("day", "6h", "`every='6h'` needs times")],
)
def test_periods_of_columns_that_have_none(engine, name, every, rule):
    """Text has no periods, and dates have no hours."""
    rows = engine.spread(engine.local(FOLDED), [20])
    error = refused(lambda: sf.folds(rows, name, every=every))
    assert str(error).startswith(f"{rule}, but column {name!r} is")


def test_where_that_does_not_say(engine):
    """A row of which `where` does not say whether it is dealt is an error."""
    known = FRAME.assign(known=[None if i % 4 == 1 else True for i in range(N)])
    rows = engine.spread(engine.local(known), [20])
    with pytest.raises(sf.StratError, match="has missing values in 15 rows"):
        sf.kfold(rows, "label", key="id", where="known")


@pytest.fixture(
    params=[
        pytest.param("dask", marks=pytest.mark.dask),
        pytest.param("spark", marks=pytest.mark.spark),
    ]
)
def read_files(request):
    """Return the function with which an engine reads a folder of Parquet files."""
    if request.param == "spark":
        return request.getfixturevalue("spark").read.parquet
    from tests.engines.dask_frames import dd

    return lambda folder: dd.read_parquet(folder)


@pytest.mark.parametrize(
    "verb",
    [
        pytest.param(lambda df: sf.kfold(df, "label", 2, key="id", name="new"), id="kfold"),
        pytest.param(
            lambda df: sf.kfold(df, "half", 2, groups="id", name="new"), id="kfold of groups"
        ),
        pytest.param(lambda df: sf.plan(df, None, 2, key="id", where="some"), id="where"),
        pytest.param(lambda df: sf.balance(df, sf.quantiles("half", 2)), id="balance"),
        pytest.param(lambda df: sf.check(df, key="id", duplicates=None), id="check"),
        pytest.param(lambda df: sf.folds(df), id="folds"),
    ],
)
@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of Dask
def test_a_file_that_is_gone(read_files, tmp_path, verb):
    """A verb that reads a file that was removed raises an error that names the file."""
    names = ["id", "label", "half", "some"]
    rows = FOLDED[names].assign(fold=[i % 4 for i in range(N)])
    for place, part in enumerate(cut(rows, [20, 40])):
        part.to_parquet(tmp_path / f"{place}.parquet", index=False)
    frame = read_files(str(tmp_path))
    (tmp_path / "1.parquet").unlink()

    error = refused(lambda: verb(frame))

    assert re.search(r"but a file that it reads is gone: .*1\.parquet", str(error))
    assert str(error).endswith("\nHint: read the files again, and make the folds again.")


def test_a_repeated_key_at_a_cut(engine):
    """Rows of one key between which a stratum is cut are never dealt, but listed."""
    rows = engine.spread(pd.DataFrame({"id": [7] * 10, "label": "a"}), [3])
    rule = "`key` ('id') must identify each row, but repeats in 10 rows."
    error = refuse_rule(rule, lambda: sf.kfold(rows, "label", key="id"))
    assert error.failures["id"].tolist() == [7] * 10


def test_the_driver_holds_the_counts_of_so_many_strata():
    """The largest number of strata is allowed, and one more is an error that says what to do."""
    check_n_strata(2**22)
    refuse_now(
        "`by` must define at most 4,194,304 strata, because the driver holds their counts, got"
        " 4,194,305.\nHint: `sf.quantiles` and `sf.bins` divide many numbers into few strata.",
        lambda: check_n_strata(2**22 + 1),
    )


def test_more_strata_are_counted_by_fewer_bits():
    """All cells together stay below a limit, down to one for each stratum."""
    assert [cell_bits(n) for n in (0, 1 << 20, 1 << 24, 1 << 25)] == [16, 4, 0, 0]


@pytest.mark.parametrize("n_cuts", [1, 2, 3, 4])
def test_the_highest_number_is_in_the_last_part(n_cuts):
    """A point is the lowest number of its part, and no number is beyond the last part."""
    points = np.arange(1, n_cuts + 1, dtype=np.uint64)[None] * np.uint64(10)
    numbers = np.array([0, 9, 10, 10 * n_cuts, 2**64 - 1], dtype=np.uint64)
    found = parts_by_number(np.zeros(5, int), numbers, PartsByNumber(np.zeros(1, int), points))
    assert found.tolist() == [0, 0, 1, n_cuts, n_cuts]
