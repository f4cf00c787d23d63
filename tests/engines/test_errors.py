"""What frames of engines refuse, and in which words."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import stratframe as sf
from stratframe.engines.base import PartsByNumber, check_n_strata, parts_by_number
from stratframe.engines.cells import cell_bits
from tests.engines.frames import FOLDED, FRAME, N, cut
from tests.helpers import refuse_now, refuse_rule, refused

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
LINKS = (
    f" looks at all rows at once{NO_ROWS}compute a column of groups on one machine, or with a graph"
    ' library for {name}, and pass its name, as in `groups="component"`.'
)
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
RARE_GROUPS = (
    "`rare='{}'` cannot be combined with `groups` and quantiles inside the strata of earlier"
    " entries on {{name}} frames."
)
REFUSED = [
    (
        lambda frames: sf.cv(frames.folded),
        f"`cv` gives positions of rows{NO_ROWS}`folds` gives frames.",
    ),
    (
        lambda frames: sf.FoldSplit().split(frames.folded),
        f"`FoldSplit` gives positions of rows{NO_ROWS}`sf.folds` gives frames.",
    ),
    (
        lambda frames: sf.plot(frames.folded, "label"),
        f"`plot` reads all rows{NO_ROWS}`balance` and `report` give the figures as tables.",
    ),
    (
        lambda frames: sf.drift(frames.folded, "age"),
        f"`drift` looks at the values of all rows{BINS}",
    ),
    (lambda frames: sf.check(frames.folded, features="age"), f"`check`{FEATURES}"),
    (lambda frames: sf.compare(frames.folded, "label", "fold", "age"), f"`compare`{FEATURES}"),
    (lambda frames: sf.leaks(frames.folded), ONE_THING.format("none of them")),
    (
        lambda frames: sf.leaks(frames.folded, groups="who", key="id"),
        ONE_THING.format("`groups`, `key`"),
    ),
    (
        lambda frames: sf.leaks(frames.folded, groups="who", name=["fold", "plain"]),
        ONE_THING.format("2 columns"),
    ),
    (lambda frames: sf.kfold(frames.df), NO_KEY.format("a `key` or `groups`")),
    (lambda frames: sf.plan(frames.df, "label", 3), NO_KEY.format("a `key` or `groups`")),
    (lambda frames: sf.extend(frames.folded, "label"), NO_KEY.format("a `key`")),
    (lambda frames: sf.sample(frames.df, "label", n=9), NO_KEY.format("a `key`")),
    (lambda frames: sf.kfold(frames.df, sf.chain(["age"]), key="id"), f"`sf.chain`{DISTANCES}"),
    (lambda frames: sf.kfold(frames.df, key="id", by=["label", sf.total("age", "id")]), SWAPS),
    (lambda frames: sf.split(frames.df, groups="age", by=["label", sf.total("age", "id")]), SWAPS),
    (lambda frames: sf.report(frames.folded, by=["label", sf.total("age", "id")]), SWAPS),
    (
        lambda frames: sf.check(frames.folded, sf.clusters(["age", "id"], 2)),
        f"`sf.clusters`{DISTANCES}",
    ),
    (lambda frames: sf.kfold(frames.df, sf.continuous("price"), deal="contiguous"), CUT),
    (
        lambda frames: sf.kfold(frames.df, sf.continuous("price"), deal="circular"),
        f'`deal="circular"` needs all rows in order{ELSEWHERE}',
    ),
    (
        lambda frames: sf.kfold(frames.df, sf.margins(["label", "sex"]), key="id"),
        f"`sf.margins` searches over all rows at once{ELSEWHERE}",
    ),
    (lambda frames: sf.kfold(frames.df, "price", key="id"), SORTED),
    (lambda frames: sf.sample(frames.df, "price", n=9, key="id"), SORTED),
    (lambda frames: sf.kfold(frames.df, sf.continuous("price"), key="id"), SORTED),
    (
        lambda frames: sf.plan(frames.df, sf.nearest("price"), 3, key="id"),
        f"`sf.nearest`{DISTANCES}",
    ),
    (
        lambda frames: sf.sample(frames.df, sf.nearest("price"), n=9, key="id"),
        f"`sf.nearest`{DISTANCES}",
    ),
    (
        lambda frames: sf.extend(frames.nines, "label", groups="age"),
        f"`extend` with `groups` looks at all rows of each group{ELSEWHERE}",
    ),
    (
        lambda frames: sf.extend(frames.nines, "label", key="id", where="some"),
        f"`extend` with `where` looks at the folds of all rows{ELSEWHERE}",
    ),
    (
        lambda frames: sf.kfold(
            frames.df, ["rarely", sf.quantiles("price", 2)], groups="who", rare="null"
        ),
        RARE_GROUPS.format("null"),
    ),
    (
        lambda frames: sf.kfold(
            frames.df, ["rarely", sf.quantiles("price", 2)], groups="who", rare="pool"
        ),
        RARE_GROUPS.format("pool"),
    ),
    (
        lambda frames: sf.kfold(frames.df, "label", groups="sex", missing="stratum"),
        "`groups` must have no missing values on {name} frames, where rows without a group are"
        ' counted together.\nHint: fill the missing values, or use `missing="null"` in `kfold`,'
        " which leaves the folds of these rows null.",
    ),
    (lambda frames: sf.kfold(frames.df, groups=sf.linked("sex", "age")), f"`sf.linked`{LINKS}"),
    (
        lambda frames: sf.advise(frames.df, "label", groups=sf.similar("age", 0.1)),
        f"`sf.similar`{LINKS}",
    ),
    (
        lambda frames: sf.kfold(frames.folded, "label", key="id"),
        "The frame has a column 'fold' already. `overwrite=True`"
        " replaces it.\nHint: df = df.drop({fold})",
    ),
    (
        lambda frames: sf.kfold(frames.df, "label", key="id", where="age"),
        "`where` must be a boolean column, but 'age' is {integer}.",
    ),
    (
        lambda frames: sf.kfold(frames.df, "label", key="id", where=pd.Series([True] * 60)),
        "`where` must hold a boolean"
        " column, an expression or a callable, got Series.\nHint: compute it, as in"
        ' `where=lambda df: df["split"] == "train"`.',
    ),
]
REFUSED_ON_PANDAS = [
    pytest.param(lambda frames: sf.kfold(frames.df, "sex", key="id"), id="class_is_missing"),
    pytest.param(lambda frames: sf.kfold(frames.df, "label", key="sex"), id="repeated_key"),
    pytest.param(
        lambda frames: sf.kfold(frames.df, "label", key=["id", "whole"]),
        id="repeated_key_of_two_columns",
    ),
    pytest.param(
        lambda frames: sf.extend(frames.folded, "label", key="sex"), id="repeated_key_of_extend"
    ),
    pytest.param(
        lambda frames: sf.kfold(frames.df, sf.bins("age", [10, 60]), key="id"), id="outside_bins"
    ),
    pytest.param(
        lambda frames: sf.extend(frames.nines, "label", 4, key="id"), id="more_folds_than_k"
    ),
    pytest.param(
        lambda frames: sf.kfold(frames.df, "label", 61, key="id"), id="more_folds_than_rows"
    ),
    pytest.param(lambda frames: sf.kfold(frames.empty, "label", key="id"), id="no_rows"),
    pytest.param(
        lambda frames: sf.kfold(frames.df, "kind", groups="label"), id="more_folds_than_groups"
    ),
    pytest.param(
        lambda frames: sf.kfold(frames.df, "rarely", 7, key="id", rare="error"), id="rare_classes"
    ),
    pytest.param(lambda frames: sf.kfold(frames.df, "lable", key="id"), id="misspelt_by"),
    pytest.param(lambda frames: sf.folds(frames.folded, "day", apart="whom"), id="misspelt_apart"),
    pytest.param(
        lambda frames: sf.check(frames.df, name="id", duplicates=["lable"]),
        id="misspelt_duplicates",
    ),
    pytest.param(lambda frames: sf.report(frames.folded, "fold"), id="folds_as_strata"),
    pytest.param(
        lambda frames: sf.kfold(frames.folded, by="fold", overwrite=True), id="replaced_by"
    ),
    pytest.param(
        lambda frames: sf.kfold(frames.folded, groups="fold", overwrite=True), id="replaced_groups"
    ),
    pytest.param(
        lambda frames: sf.kfold(frames.folded, key=["id", "fold"], overwrite=True),
        id="replaced_key",
    ),
    pytest.param(
        lambda frames: sf.report(frames.even, "fold", "label"), id="folds_as_strata_of_groups"
    ),
    pytest.param(
        lambda frames: sf.report(frames.folded, "label", "price"), id="report_of_fractions"
    ),
    pytest.param(lambda frames: sf.folds(frames.folded, "price"), id="fractions_as_folds"),
    pytest.param(lambda frames: sf.folds(frames.folded), id="null_folds"),
    pytest.param(
        lambda frames: sf.folds(frames.folded, "split"), id="parts_without_names_to_train"
    ),
    pytest.param(lambda frames: sf.folds(frames.folded, "label", train="past"), id="order_of_text"),
    pytest.param(lambda frames: sf.parts(frames.folded, names=["dev"]), id="no_such_part"),
]
"""Calls that are refused on every frame, whose messages other tests spell out."""


class SpreadFrames:
    """The frames of the calls on an engine, each of which is made when a call reads it."""

    def __init__(self, engine):
        self.engine = engine

    def __getattr__(self, name):
        return self.engine.spread(self.engine.local(FRAMES[name]), [7, 7, 30])


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_is_refused(engine, call, message):
    """What an engine cannot do is an error at the call."""
    fold = "columns='fold'" if engine.is_pandas else "'fold'"
    message = message.replace("{name}", engine.name)
    message = message.replace("{integer}", engine.integer).replace("{fold}", fold)
    refuse_now(message, lambda: call(SpreadFrames(engine)))


@pytest.mark.parametrize("call", REFUSED_ON_PANDAS)
def test_what_is_wrong_is_told_as_in_pandas(engine, call):
    """An error in a call or its rows has the message of pandas, without the list of rows."""
    error = refused(lambda: call(SimpleNamespace(**FRAMES)))
    message = re.sub(r"(rows) \(\d+, .*?\)", r"\1", str(error))
    refuse_now(message, lambda: call(SpreadFrames(engine)))


LACKING = FOLDED.assign(
    half=FOLDED["half"].where(FOLDED["id"] % 6 > 0),
    infinite=FOLDED["half"].where(FOLDED["id"] != 7, float("inf")),
    negative=FOLDED["half"].where(FOLDED["id"] != 7, -float("inf")),
)
"""Rows in which numbers with an order are missing or infinite."""
ORDERS = [
    sf.continuous("half"),
    "half",
    ["label", "half"],
    sf.continuous("infinite"),
    "negative",
]
ORDERED = [
    *((sf.balance, {}, by) for by in ORDERS),
    *((sf.kfold, {"groups": "who", "name": "new"}, by) for by in ORDERS),
    (sf.kfold, {"groups": "who", "name": "new", "missing": "stratum"}, "half"),
    (sf.plan, {"groups": "who", "k": 3}, "half"),
    (sf.report, {}, "half"),
    (sf.report, {"groups": "who"}, "half"),
    (sf.compare, {"names": ["fold", "plain"]}, "half"),
    (sf.advise, {"ks": [2, 5]}, "half"),
    (sf.check, {"duplicates": None}, "half"),
]
"""Verbs that cut an order into bins on engines, their arguments beside `by`, and the order."""
NO_COUNT = re.compile(r" in \d+ rows?( \(.*?\))?")


@pytest.mark.parametrize(("verb", "options", "by"), ORDERED)
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
    """Rows of one key at a cut are never dealt: the error lists them."""
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
