"""Arguments of other libraries, data where columns are named: answered with what to write."""

import copy
import inspect
import pickle
import re
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pandera.errors import SchemaErrors
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_val_score

import stratframe as sf
from stratframe.accessor import Strat
from stratframe.habits import HABITS, METHODS, NOT_HERE
from tests.helpers import FOLDED, ROWS, Make, columns_of, refuse_now, refused, run_shown, values

VERBS = sorted({*vars(Strat)} & {*sf.__all__})
PARAMETERS = {each for verb in VERBS for each in inspect.signature(getattr(sf, verb)).parameters}
PARAMETERS -= {"frame"}
METHODS_OF_FRAMES = [name for name in vars(Strat) if not name.startswith("_")]
KFOLD = "df.strat.kfold(..., "
SPLIT = 'parts={"train": 0.8, "test": 0.2}'
ANSWERS: list[Any] = [
    pytest.param(
        lambda df: sf.kfold(df, n_splits=5, shuffle=True, random_state=0),
        "`kfold` has no argument `n_splits`, `shuffle` or `random_state`.\n"
        'Hint: `k=5`, `deal="random"`, `seed=0`.',
        id="several_at_once",
    ),
    pytest.param(
        lambda df: sf.kfold(df, shuffle=False, k=5),
        '`kfold` has no argument `shuffle`.\nHint: `deal="contiguous"`.',
        id="shuffle_of_kfold",
    ),
    pytest.param(
        lambda df: sf.cv(df, shuffle=False),
        f'`cv` has no argument `shuffle`.\nHint: `{KFOLD}deal="contiguous")`.',
        id="shuffle_of_cv",
    ),
    pytest.param(
        lambda df: sf.kfold(df, test_size=0.2),
        f"`kfold` has no argument `test_size`.\nHint: `df.strat.split(..., {SPLIT})`.",
        id="test_size",
    ),
    pytest.param(
        lambda df: sf.split(df, train_size=0.8, test_size=0.2),
        f"`split` has no argument `train_size` or `test_size`.\nHint: `{SPLIT}`.",
        id="train_and_test_size",
    ),
    pytest.param(
        lambda df: sf.split(df, k=5),
        f"`split` has no argument `k`.\nHint: `{KFOLD}k=5)`.",
        id="k_of_split",
    ),
    pytest.param(
        lambda df: sf.sample(df, parts=0.1),
        "`sample` has no argument `parts`.\nHint: `frac=0.2`.",
        id="parts_of_sample",
    ),
    pytest.param(
        lambda df: sf.sample(df, group="city"),
        "`sample` has no argument `group`.\n"
        'Hint: `df.strat.split(..., groups="patient")` draws whole groups.',
        id="group_of_sample",
    ),
    pytest.param(
        lambda df: sf.sample(df, "label", weights="w"),
        "`sample` has no argument `weights`.\n"
        'Hint: `by=["label", sf.continuous("weight")]` spreads the sample over the weights.',
        id="weights_of_sample",
    ),
    pytest.param(
        lambda df: sf.extend(df, "label", weights="w"),
        "`extend` has no argument `weights`.\n"
        'Hint: `df.strat.kfold(..., by=["label", sf.total("weight")])`.',
        id="weights_of_extend",
    ),
    pytest.param(
        lambda df: sf.advise(df, "label", missing="null"),
        "`advise` has no argument `missing`.\nHint: missing values are a stratum of their own.",
        id="missing_of_advise",
    ),
    pytest.param(
        lambda df: sf.split(df, "label", allocation="equal"),
        '`split` has no argument `allocation`.\nHint: `df.strat.sample(..., allocation="equal")`.',
        id="allocation_of_split",
    ),
    pytest.param(
        lambda df: sf.sample(df, "label", n=3, replace=True),
        "`sample` has no argument `replace`.\n"
        "Hint: rows are drawn once each; `df.sample(...)` of pandas and Polars can repeat them.",
        id="replace",
    ),
    pytest.param(
        lambda df: sf.kfold(df, horizon=3),
        "`kfold` has no argument `horizon`.\nHint: `df.strat.folds(..., horizon=3)`.",
        id="horizon_of_kfold",
    ),
    pytest.param(
        lambda df: sf.folds(df, "day", initial=24),
        "`folds` has no argument `initial`.\n"
        "Hint: `folds(last=12)` validates the last 12 labels and trains on all labels before them.",
        id="initial",
    ),
    pytest.param(
        lambda df: sf.folds(df, embargo=1),
        "`folds` has no argument `embargo`.\n"
        "Hint: `folds(gap=1)` leaves out the label before and the label after those that are"
        " validated.",
        id="embargo",
    ),
    pytest.param(
        lambda df: sf.kfold(df, buffer=5.0),
        "`kfold` has no argument `buffer`.\n"
        'Hint: `kfold(groups="cell")` keeps each cell of a grid whole, but cells can touch.',
        id="buffer",
    ),
    pytest.param(
        lambda df: sf.FoldSplit(n_splits=10, random_state=42),
        "`FoldSplit` has no argument `n_splits` or `random_state`.\n"
        f"Hint: `{KFOLD}k=5)`, `{KFOLD}seed=0)`.",
        id="of_a_splitter",
    ),
    pytest.param(
        lambda df: sf.clusters("x", n_clusters=3),
        "`clusters` has no argument `n_clusters`.\nHint: `n=3`.",
        id="of_a_term",
    ),
    pytest.param(
        lambda df: sf.schemas.folded(n_folds=3),
        "`folded` has no argument `n_folds`.\nHint: `k=5`.",
        id="of_a_schema",
    ),
    pytest.param(
        lambda df: pl.col("y").strat.kfold(n_splits=3),
        "`kfold` has no argument `n_splits`.\nHint: `k=5`.",
        id="of_an_expression",
    ),
]


@pytest.mark.parametrize(("call", "message"), ANSWERS)
def test_arguments_of_other_libraries(call: Callable[[Any], Any], message: str) -> None:
    """The error of an argument from another library says what to write instead."""
    with pytest.raises(TypeError) as caught:
        call(pd.DataFrame(ROWS))
    assert str(caught.value) == message


OTHER_NAMES: list[Any] = [
    ("train_test_split", '`df.strat.split("label", 0.2)`'),
    ("StratifiedKFold", '`df.strat.kfold("label", k=5)`'),
    ("kfolds", "`df.strat.kfold`"),
    ("quantiles", f"it has {', '.join(METHODS_OF_FRAMES[:-1])} or plot"),
]
OTHER_NAMES_OF_EXPRESSIONS: list[Any] = [
    ("cv", "frames have it, as in `df.strat.cv`"),
    ("KFold", "`df.strat.kfold`"),
    ("extended", "it has kfold or split"),
]


OF_FRAMES = pd.DataFrame(ROWS).strat
OF_EXPRESSIONS = pl.col("y").strat


@pytest.mark.parametrize(
    ("accessor", "name", "hint"),
    [
        *((OF_FRAMES, *each) for each in OTHER_NAMES),
        *((OF_EXPRESSIONS, *each) for each in OTHER_NAMES_OF_EXPRESSIONS),
    ],
)
def test_names_that_are_no_method(accessor: Any, name: str, hint: str) -> None:
    """The error of a name that the accessor does not have says what to write instead."""
    with pytest.raises(AttributeError) as caught:
        getattr(accessor, name)
    assert str(caught.value) == f"`.strat` has no `{name}`.\nHint: {hint}."
    assert not hasattr(accessor, name)
    assert getattr(accessor, name, 3) == 3


@pytest.mark.parametrize("accessor", [OF_FRAMES, OF_EXPRESSIONS])
def test_names_with_an_underscore_have_the_error_of_python(accessor: Any) -> None:
    """Names that notebooks and libraries look for get the error that they expect."""
    with pytest.raises(AttributeError, match=r"^'\w+' object has no attribute '_repr_html_'$"):
        accessor._repr_html_  # noqa: B018


def test_a_series_keeps_a_label_strat() -> None:
    """A label "strat" in a row of pandas is read and written as any other."""
    row = pd.Series({"strat": 1, "b": 2})
    row.strat = 5
    assert row["strat"] == 5
    assert pd.DataFrame({"strat": ["a", "b"]}).apply(lambda each: each.strat, axis=1).tolist() == [
        "a",
        "b",
    ]
    assert not hasattr(pd.Series(["a"]), "strat")


def test_an_accessor_is_copied() -> None:
    """An accessor can be copied and pickled."""
    accessor = pd.DataFrame(ROWS).strat
    for make in (copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))):
        assert make(accessor).kfold("label").equals(accessor.kfold("label"))


@pytest.mark.parametrize("call", sorted({*re.findall("`(.*?)`", " ".join(METHODS.values()))}))
def test_the_calls_of_the_hints(call: str) -> None:
    """Each call in the hints for names of other libraries works."""
    data = {"label": ["a", "b"] * 10, "patient": [*range(10)] * 2, "month": [1, 2, 3, 4] * 5}
    df = sf.kfold(pd.DataFrame(data), "label")
    given = call.replace("...", "Dummy(), df[['month']], df['label']")
    folded = df.drop(columns="fold") if ".kfold" in given else df
    names = {"sf": sf, "df": folded, "Dummy": DummyClassifier}
    run_shown(given, names=names | {"cross_val_score": cross_val_score})


@pytest.mark.parametrize("verb", VERBS)
def test_every_name_is_answered(verb: str) -> None:
    """Each verb and its method have a hint for every name; unknown names get Python's error."""
    function = getattr(sf, verb)
    df = pd.DataFrame(ROWS)
    parameters = inspect.signature(function).parameters
    assert not {"args", "kwargs"} & parameters.keys()
    assert function.__name__ == verb
    with pytest.raises(TypeError, match="unexpected keyword argument 'flods'"):
        function(df, flods=5)
    for call in (function, getattr(df.strat, verb)):
        for habit in sorted({*HABITS, *NOT_HERE, *PARAMETERS}.difference(parameters)):
            with pytest.raises(TypeError, match=f"^`{verb}` has no argument `{habit}`.\nHint: "):
                call(**{habit: 5})


@pytest.mark.parametrize("library", [pd.DataFrame, pl.LazyFrame])
def test_the_frame_comes_first(library: Any) -> None:
    """A column name in the place of the frame is an error that shows the right order."""
    hint = "Hint: write `cv(df, 'label')` or `df.strat.cv('label')`."
    message = f"The frame must come first, got 'label'.\n{hint}"
    refuse_now(message, lambda: sf.cv("label", library(ROWS)))


OTHER_LIBRARIES = {
    "anndata._core.anndata.AnnData": ("anndata.AnnData", "adata.obs"),
    "daft.dataframe.dataframe.DataFrame": ("daft.DataFrame", "df.to_pandas()"),
    "duckdb._relation.DuckDBPyRelation": ("duckdb.DuckDBPyRelation", "rel.pl()"),
    "_duckdb.DuckDBPyRelation": ("duckdb.DuckDBPyRelation", "rel.pl()"),
    "ibis.expr.types.relations.Table": ("ibis.Table", "table.to_polars()"),
    "lancedb.table.LanceTable": ("lancedb.LanceTable", "table.to_polars()"),
    "modin.pandas.dataframe.DataFrame": ("modin.DataFrame", "df.modin.to_pandas()"),
    "narwhals.stable.v1.DataFrame": ("narwhals.DataFrame", "df.to_native()"),
    "pyarrow._dataset.FileSystemDataset": ("pyarrow.FileSystemDataset", "dataset.to_table()"),
    "pyspark.pandas.frame.DataFrame": ("pyspark.pandas.DataFrame", "df.to_spark()"),
    "ray.data.dataset.MaterializedDataset": ("ray.MaterializedDataset", "ds.to_pandas()"),
    "snowflake.snowpark.dataframe.DataFrame": ("snowflake.snowpark.DataFrame", "df.to_pandas()"),
    "xarray.core.dataset.Dataset": ("xarray.Dataset", "ds.to_dataframe().reset_index()"),
}


def made_in(path: str, *bases: type, **methods: Any) -> Any:
    """Make an object of a class that is in another library."""
    module, _, name = path.rpartition(".")
    return type(name, bases, {"__module__": module, **methods})()


NO_FRAME = "`frame` must be a pandas, Polars, Dask, Spark or Arrow frame, got"


@pytest.mark.parametrize("path", OTHER_LIBRARIES)
def test_objects_of_other_libraries(path: str) -> None:
    """For an object of another library the error shows the line that converts it."""
    got, code = OTHER_LIBRARIES[path]
    found = made_in(path)
    refuse_now(f"{NO_FRAME} {got}.\nHint: pass `{code}`.", lambda: sf.kfold(found, "label"))


def test_a_subclass_of_another_library() -> None:
    """The line is the same for a user's subclass of the object, also in a mapping."""
    own = made_in("mine.Own", type(made_in("ibis.expr.types.relations.Table")))
    hint = "got ibis.Own.\nHint: pass `table.to_polars()`."
    message = f"The frame 'b' must be a pandas, Polars or Arrow frame, {hint}"
    refuse_now(message, lambda: sf.check({"a": pd.DataFrame(ROWS), "b": own}))


def test_data_sets_of_hugging_face() -> None:
    """The hint converts a data set, and puts the new column back."""
    message = (
        f"{NO_FRAME} datasets.Dataset.\nHint: pass `ds.to_polars()`; the new column goes back with"
        ' `ds.add_column("fold", df["fold"].to_list())`.'
    )
    refuse_now(message, lambda: sf.kfold(made_in("datasets.arrow_dataset.Dataset"), "label"))


NO_FRAMES: list[Any] = [
    pytest.param(
        made_in("new.frame.DataFrame"),
        "new.DataFrame.\nHint: convert it to pandas or Polars.",
        id="frame",
    ),
    pytest.param(made_in("new.Grid", __arrow_c_stream__=None), "Grid.", id="stream"),
    pytest.param(
        made_in("datasets.dataset_dict.DatasetDict", dict),
        "datasets.DatasetDict.",
        id="data sets by name",
    ),
    pytest.param(
        pd.Series(["a"], name="label"),
        "Series.\nHint: pass the frame, and name the column, as in `sf.kfold(df, 'label')`.",
        id="series",
    ),
    pytest.param(
        pl.Series(["a"]),
        'Series.\nHint: pass the frame, and name the column, as in `sf.kfold(df, "label")`.',
        id="series without a name",
    ),
    *(
        pytest.param(
            grouped,
            f"{type(grouped).__name__}.\nHint: pass the frame itself; `by` names the columns of"
            " strata, and `groups` those whose values keep rows together.",
            id=type(grouped).__name__,
        )
        for grouped in (
            pd.DataFrame(ROWS).groupby("label"),
            pl.DataFrame(ROWS).group_by("label"),
            pl.LazyFrame(ROWS).group_by("label"),
        )
    ),
]


@pytest.mark.parametrize(("given", "message"), NO_FRAMES)
def test_what_is_no_frame(given: Any, message: str) -> None:
    """An error says what to pass in place of an object that is no frame."""
    refuse_now(f"{NO_FRAME} {message}", lambda: sf.kfold(given, "label"))


PLACED = "takes no argument after `{}` without its name, got {}.\nHint: pass it by name: {}"
MANY = "`groups`, `where`, `deal`, `key`, `missing`, ..."
ONE_LIST = (
    "takes all columns as one argument, got 'label', 'id'.\n"
    'Hint: several columns go in a list: `["label", "id"]`.'
)
PLACES: list[Any] = [
    pytest.param(
        "sample",
        ("label", 10),
        PLACED.format("by", 10, "`n`, `frac`, `each`, `allocation`, `key`, ..."),
        id="size_of_a_sample",
    ),
    pytest.param(
        "kfold",
        ("label", 5, "id", pd.Series([1, 2])),
        PLACED.format("k", "'id', Series", MANY),
        id="two_arguments_after_k",
    ),
    pytest.param("kfold", ("label", "id"), ONE_LIST, id="two_columns"),
    pytest.param("split", ("label", "id", 5), ONE_LIST, id="two_columns_and_a_number"),
]


@pytest.mark.parametrize(("verb", "given", "rule"), PLACES)
def test_arguments_without_their_names(verb: str, given: tuple[Any, ...], rule: str) -> None:
    """A function and its method say how to write an argument that needs its name."""
    df = pd.DataFrame(ROWS)
    for call in (partial(getattr(sf, verb), df), getattr(df.strat, verb)):
        with pytest.raises(TypeError) as caught:
            call(*given)
        assert str(caught.value) == f"`{verb}` {rule}"


def test_an_unknown_argument_comes_before_two_columns() -> None:
    """A call with both faults has the error of the argument that does not exist."""
    with pytest.raises(TypeError) as caught:
        sf.advise(pd.DataFrame(ROWS), "label", "id", k=5)
    assert str(caught.value) == "`advise` has no argument `k`.\nHint: `ks=[5, 10]`."


TAKEN = {
    "by": "column names, terms such as `sf.quantiles`, or expressions",
    "groups": "column names, expressions, or one of `sf.clusters`, `sf.linked` and `sf.similar`",
    "key": "column names or expressions",
}
NAMES = f"`by` must hold {TAKEN['by']}, got"
GIVE_NAME = "Hint: give the name of the column."
LABELS = ["p", "q"] * 200
GIVEN = [
    pd.Series(LABELS, name="label"),
    pd.Series([1, 2]),
    pd.Index([1, 2], name="label"),
    pd.DataFrame({"label": LABELS}),
    pd.Categorical(LABELS),
    pl.Series("label", LABELS),
    pl.DataFrame({"label": LABELS}),
    pl.LazyFrame({"label": LABELS}),
    np.array(LABELS),
    LABELS,
    list(range(400)),
]


@pytest.mark.parametrize("data", GIVEN, ids=lambda data: type(data).__name__)
def test_data_in_place_of_names(data: Any) -> None:
    """Data are never printed: the message has their type, and the name of the column if known."""
    df = pd.DataFrame(ROWS)
    name = getattr(data, "name", None)
    got = "list of 400 values" if isinstance(data, list) else type(data).__name__
    hint = f"Hint: give the name of the column, {name!r}." if name else GIVE_NAME
    message = f"{NAMES} {got}.\n{hint}"
    refuse_now(message, lambda: sf.kfold(df, data))
    if not isinstance(data, list):
        refuse_now(message, lambda: df.strat.kfold([data, data]))


@pytest.mark.parametrize("argument", ["groups", "key"])
def test_data_in_place_of_the_names_of_other_columns(argument: str) -> None:
    """The error of data as groups or as a key says what the argument takes."""
    hint = "Hint: give the name of the column, 'label'."
    message = f"`{argument}` must hold {TAKEN[argument]}, got Series.\n{hint}"
    refuse_now(message, lambda: sf.kfold(pd.DataFrame(ROWS), **{argument: GIVEN[0]}))


@pytest.mark.parametrize(("argument", "n"), [("by", 400), ("groups", 6)])
@pytest.mark.parametrize("kind", ["pandas", "polars-lazy"])
def test_many_names_and_values(frame: Make, argument: str, n: int) -> None:
    """A list of any length holds names if the frame has them, and else values."""
    names = [f"x{i}" for i in range(n)]
    df = frame(dict.fromkeys(names, [0, 1] * 4))
    assert len(values(sf.kfold(df, **{argument: names}, k=2, rare="ignore"), "fold")) == 8
    got = f"got list of {n + 1} values.\n{GIVE_NAME}"
    for given in ([*range(n), 0], [f"{i}" for i in range(n + 1)]):
        refuse_now(
            f"`{argument}` must hold {TAKEN[argument]}, {got}",
            lambda given=given: sf.kfold(df, **{argument: given}, k=2),
        )
    noun = "entry" if argument == "by" else "column"
    twice = f"`{argument}` must hold each {noun} once, got 'x1' twice."
    refuse_now(twice, lambda: sf.kfold(df, **{argument: [*names, "x1"]}, k=2))


@pytest.mark.parametrize("make_data", [pd.Series, np.array])
def test_data_in_terms(make_data: Callable[..., Any]) -> None:
    """Data in a term or in margins are not printed either."""
    df = pd.DataFrame(ROWS)
    data = make_data([0.5, 1.5] * 200)
    got = type(data).__name__
    quantiles = sf.quantiles(data, 2)
    several = [quantiles, sf.quantiles(make_data([0.5]), 2)]
    for by in (quantiles, several, sf.margins([data, "label"])):
        refuse_now(f"{NAMES} {got}.\n{GIVE_NAME}", lambda by=by: sf.kfold(df, by))
    twice = f"`by` must hold each entry once, got sf.quantiles({got}, 2) twice."
    refuse_now(twice, lambda: sf.kfold(df, [quantiles] * 2))
    rule = f"`features` of `sf.chain` must be a column or a list of columns, got {got}."
    hint = "Hint: several columns go in a list, as in `list(df.columns)`."
    refuse_now(f"{rule}\n{hint}", lambda: sf.chain(data))
    refuse_now(f"`sf.margins` must hold a list of entries, got {got}.", lambda: sf.margins(data))


FIRST = "Hint: `by` comes first; pass the number of folds as `k=5`."
NO_COLUMN = "`{}` names the column {}, which the frame does not have.\nHint: {}."
LISTED = "several columns go in a list"
IDS = 'several columns go in a list: `["fold", "id"]`'
MISNAMED: list[Any] = [
    pytest.param(lambda df: sf.kfold(df, [5]), f"{NAMES} 5.\n{FIRST}", id="number_in_a_list_as_by"),
    pytest.param(lambda df: sf.kfold(df, 1), f"{NAMES} 1.", id="one_as_by"),
    pytest.param(
        lambda df: sf.kfold(df, "label", "5"),
        "`k` must be a whole number, got '5'.",
        id="text_as_k",
    ),
    pytest.param(lambda df: sf.kfold(df, [0]), f"{NAMES} 0.", id="zero_in_a_list"),
    pytest.param(
        lambda df: sf.folds(df, -1), "`name` must hold column names, got -1.", id="number_as_name"
    ),
    pytest.param(
        lambda df: sf.kfold(df, [[1] * 9]),
        f"{NAMES} list of 9 values.\n{GIVE_NAME}",
        id="long_list",
    ),
    pytest.param(
        lambda df: sf.kfold(df, (1,) * 9),
        NO_COLUMN.format("by", "tuple of 9 values", LISTED),
        id="long_tuple",
    ),
    pytest.param(
        lambda df: sf.kfold(df, " fold ,id"),
        NO_COLUMN.format("by", "' fold ,id'", IDS),
        id="two_names_with_spaces_in_one_text",
    ),
    pytest.param(
        lambda df: sf.kfold(df, key=("fold", "id")),
        NO_COLUMN.format("key", "('fold', 'id')", IDS),
        id="tuple_as_key",
    ),
    pytest.param(
        lambda df: sf.kfold(df, groups="label, prize"),
        NO_COLUMN.format(
            "groups", "'label, prize'", "the columns are 'id', 'label', 'price', 'fold'"
        ),
        id="name_with_a_comma_and_no_match",
    ),
    pytest.param(
        lambda df: sf.cv(df, "fold, id"),
        NO_COLUMN.format("name", "'fold, id'", IDS),
        id="two_names_as_name",
    ),
    pytest.param(
        lambda df: sf.FoldSplit("fold, id").split(df),
        NO_COLUMN.format("name", "'fold, id'", IDS),
        id="two_names_of_a_splitter",
    ),
]


@pytest.mark.parametrize(("call", "message"), MISNAMED)
def test_what_names_no_column(call: Callable[[Any], Any], message: str) -> None:
    """The error of a number, a long list or several names in one text says what to write."""
    rows = {name: cells for name, cells in FOLDED.items() if name != "tags"}
    refuse_now(message, lambda: call(pd.DataFrame(rows)))


UNKNOWN: dict[str, Any] = {
    **{verb: {"by": "no"} for verb in VERBS},
    **{verb: {"name": "no"} for verb in ("cv", "fingerprint", "folds", "parts")},
    "compare": {"by": "no", "names": "fold"},
    "drift": {"features": "no"},
    "leaks": {"groups": "no"},
    "sample": {"by": "no", "n": 3},
    "from_splits": {"splits": [5]},
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_traceback_ends_below_the_caller(verb: str) -> None:
    """A traceback shows one step below the line of the caller, for functions and methods."""
    df = pd.DataFrame({name: cells for name, cells in FOLDED.items() if name != "tags"})
    for call in (partial(getattr(sf, verb), df), getattr(df.strat, verb)):
        with pytest.raises(sf.StratError) as caught:
            call(**UNKNOWN[verb])
        shown = [step.name for step in traceback.extract_tb(caught.value.__traceback__)]
        assert shown == ["test_a_traceback_ends_below_the_caller", "answered"]


def test_an_error_of_pandera_is_chained_without_its_steps() -> None:
    """The cause of an error is pandera's own error, without a traceback."""
    error = refused(lambda: pd.DataFrame({"label": ["a", None]}).strat.kfold("label"))
    assert isinstance(error.__cause__, SchemaErrors)
    assert error.__cause__.__traceback__ is None


@pytest.mark.parametrize("kind", ["pandas", "polars-lazy"])
def test_a_call_that_is_repeated_ends_in_the_line_to_paste(frame: Make) -> None:
    """The last line of a traceback removes the column that an identical call has added."""
    df = sf.kfold(frame({"label": ["a", "b"] * 4}), "label", k=2)
    error = refused(lambda: df.strat.kfold("label", k=2))
    _, hint, line = "".join(traceback.format_exception(error)).rstrip().rpartition("\nHint: df = ")
    assert hint
    rest = run_shown(line, names={"df": df})
    assert columns_of(rest.strat.kfold("label", k=2)) == columns_of(df)
