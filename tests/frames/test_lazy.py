"""Lazy queries: which of them stream, which warn, and the folds of their rows."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from polars.io.plugins import register_io_source
from polars.testing import assert_frame_equal

import stratframe as sf

ROWS = pl.LazyFrame({"id": range(20), "day": [0, 1, 2, 3] * 5, "label": ["a", "b"] * 10})
OTHER = pl.LazyFrame({"id": range(20), "x": range(20)})
ID = pl.col("id")
DAY = pl.col("day")
LABEL = pl.col("label")
EACH_TIME = "in a different order each time it is collected"
OVERLAP = "train and test rows that are collected separately may overlap"

Step = Callable[[pl.LazyFrame], pl.LazyFrame]


def same(values: Any) -> Any:
    return values


def warnings_of(call: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(warning.message) for warning in caught]


def kfold_warnings(query: pl.LazyFrame, **options: Any) -> list[str]:
    return warnings_of(lambda: sf.kfold(query, k=2, **options))


def streams(query: pl.LazyFrame) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sf.StratWarning)
        return "HCONCAT" in sf.kfold(query, k=2).explain(optimized=False)


# Steps that surely give the same rows in the same order ---------------------------------

SURE: dict[str, Step] = {
    "rows": lambda rows: rows.filter(DAY > 0).with_row_index().gather_every(2).reverse(),
    "slices": lambda rows: pl.concat([rows.head(9), rows.tail(9), rows.slice(9, 9)]),
    "diagonal": lambda rows: pl.concat([rows, rows.rename(str.upper)], how="diagonal"),
    "horizontal": lambda rows: pl.concat([rows, rows.rename(str.upper)], how="horizontal"),
    "ordered_unique": lambda rows: rows.unique("day", keep="first", maintain_order=True),
    "ordered_group_by": lambda rows: rows.group_by("day", maintain_order=True).agg(ID.first()),
    "windows": lambda rows: (
        rows.with_row_index("row")
        .with_columns(pl.col("row").cast(pl.Int64).set_sorted())
        .group_by_dynamic("row", every="9i")
        .agg(ID.first())
    ),
    "join_asof": lambda rows: (
        rows.with_row_index("row")
        .with_columns(pl.col("row").set_sorted())
        .join_asof(rows.select(y="id").with_row_index("row"), on="row", check_sortedness=False)
    ),
    "long": lambda rows: (
        rows.with_columns(both=pl.concat_list("id", "day")).explode("both").unpivot(["id", "both"])
    ),
    "steps_in_a_name_and_a_text": lambda rows: rows.filter(
        LABEL != "UNIQUE[maintain_order: false"
    ).rename({"id": "unique()"}),
    "functions_of_a_row": lambda rows: rows.select(
        number=(ID * 2 + 1).abs() ** 2,
        case=pl.when(DAY > 1).then(ID).otherwise(-1),
        text=LABEL.str.zfill(9).str.slice(1) + "'",
        date=DAY.cast(pl.Date).dt.offset_by("1w").dt.year(),
    ),
    "functions_of_a_column": lambda rows: rows.select(
        mean=ID - ID.mean(),
        window=ID.first().over("label", order_by="id"),
        total=ID.cum_sum() + DAY.cum_count(),
        rolling=ID.rolling_mean(3) + DAY.rolling_max(2),
        number=pl.int_range(pl.len()),
        ascending=ID.sort(),
        by_day=ID.sort_by("day", maintain_order=True),
        days=DAY.unique(maintain_order=True).sum(),
        some=ID.gather([1, 2, 3]).sum(),
    ),
    # Polars 1.33 cannot stream it beside the functions above.
    "shift": lambda rows: rows.select(ID.shift(1) + ID.diff()),
}
if pl.__version__ >= "2":  # which prints that a `sort` maintains the order
    SURE["ordered_sort"] = lambda rows: rows.sort("day", maintain_order=True)


@pytest.mark.parametrize("step", SURE.values(), ids=SURE)
def test_a_sure_step_does_not_warn(step: Step) -> None:
    """A query of sure steps does not warn, even without a key."""
    assert kfold_warnings(step(ROWS)) == []


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("step", SURE.values(), ids=SURE)
def test_a_sure_step_gives_the_same_rows_each_time(step: Step, engine: Any, tmp_path: Path) -> None:
    """Sure steps give the rows of a file in the same order each time, on each engine."""
    rng = np.random.default_rng(0)
    n_rows = 40_000
    columns = {
        "id": rng.permutation(n_rows),
        "day": rng.integers(0, n_rows // 2, n_rows),
        "label": rng.choice(["a", "b", "c"], n_rows),
    }
    pl.DataFrame(columns).write_parquet(tmp_path / "rows.parquet", row_group_size=400)
    query = step(pl.scan_parquet(tmp_path / "rows.parquet"))

    first, *others = [query.collect(engine=engine) for _ in range(20)]

    for other in others:
        assert_frame_equal(other, first)  # except for the last bits of sums of floats


def test_folds_of_our_own_do_not_warn() -> None:
    """The functions of verbs and expressions are sure, although they are Python functions."""
    folded = sf.kfold(ROWS, "label", k=2)
    twice = sf.kfold(folded, [LABEL, DAY], k=2, name="twice", repeats=2)
    hashed = sf.split(twice, key="id", deal="hash")
    query = hashed.with_columns(LABEL.strat.kfold(k=2, name="inner"))

    assert kfold_warnings(query, name="last") == []


# Steps that are not sure ------------------------------------------------------------------

UNIQUE = ROWS.unique()
GROUPED = ROWS.group_by("id").agg(pl.first("label"))
JOINED = ROWS.join(OTHER, on="id")

REORDERED: dict[str, pl.LazyFrame] = {
    "unique": UNIQUE,
    "unique_in_a_part": pl.concat([ROWS, UNIQUE.filter(ID > 2)]),
    "group_by": GROUPED,
    "sort": ROWS.sort("label"),
    "sort_after_unique": UNIQUE.sort("id", maintain_order=True),
    "inner_join": JOINED,
    "ordered_join": ROWS.join(OTHER, on="id", how="left", maintain_order="left"),
    "join_where": ROWS.join_where(OTHER.select("x"), pl.col("x") > ID),
    "merge_sorted": ROWS.merge_sorted(ROWS, "id"),
    "python_source": register_io_source(same, schema={"id": pl.Int64}),
}
CHANGED: dict[str, pl.LazyFrame] = {
    # Rows that are picked or numbered by a position that may change.
    "head": UNIQUE.head(9),
    "head_below_unique": ROWS.head(9).unique(),
    "gather": UNIQUE.select(pl.all().gather([1, 2, 3, 4])),
    "series": UNIQUE.with_columns(y=pl.Series(range(20))),
    "row_index": UNIQUE.with_row_index("row"),
    "row_number": GROUPED.with_columns(x=pl.int_range(pl.len())),
    "fold": UNIQUE.with_columns(x=LABEL.strat.kfold(k=2)),
    "first_of_a_window": GROUPED.with_columns(x=ID.first().over("label")),
    "lists_of_groups": ROWS.sort("label").group_by("day", maintain_order=True).agg("id"),
    "unique_of_some_columns": ROWS.sort("label").unique("id", keep="first", maintain_order=True),
    "join_asof": ROWS.sort("id").join_asof(OTHER, on="id"),
    # Any function, a draw, and a choice among ties.
    "function_of_frames": ROWS.map_batches(same),
    "function_of_groups": ROWS.group_by("id").map_groups(same, schema=None),
    "function_of_columns": ROWS.with_columns(ID.map_batches(same, pl.Int64)),
    "any_row": ROWS.unique("id"),
    "shuffle_in_a_filter": ROWS.filter(pl.int_range(pl.len()).shuffle() < 9),
    "random_rank": ROWS.with_columns(x=LABEL.rank("random")),
    "values_in_the_order_of_ties": ROWS.select(ID.sort_by("label")),
    "line_break_in_a_text": ROWS.filter(LABEL == "a\nb"),
    "line_break_in_a_name": ROWS.rename({"label": "x\ny"}),
    "quote_in_a_text": ROWS.filter(LABEL == '5" pipe'),
}


@pytest.mark.parametrize("query", REORDERED.values(), ids=REORDERED)
def test_a_step_without_an_order_warns_unless_there_is_a_key(query: pl.LazyFrame) -> None:
    """A query that gives its rows in any order warns if the folds depend on the order."""
    (message,) = kfold_warnings(query)

    assert EACH_TIME in message
    assert '`key="id"` names columns that identify the rows.' in message
    assert kfold_warnings(query, key="id") == []
    assert kfold_warnings(query, groups="id") == []


@pytest.mark.parametrize("query", CHANGED.values(), ids=CHANGED)
def test_what_can_change_the_rows_warns_in_spite_of_a_key(query: pl.LazyFrame) -> None:
    """A query that may pick, draw or compute other rows each time warns with a key, too."""
    query = query.with_columns(key=1)
    (message,) = kfold_warnings(query, key="key")

    assert " different rows or values" in message
    assert message.endswith(f": {OVERLAP}.\nHint: collect the query first.")
    assert kfold_warnings(query, groups="key") == [message]
    assert kfold_warnings(query) == [message]
    assert kfold_warnings(query, key="key", deal="hash") == []


QUOTED = "An expression with a quote or a line break in its text"


@pytest.mark.parametrize(
    ("query", "options", "message"),
    [
        pytest.param(
            JOINED,
            {},
            f"The step `inner join` may put the rows of this lazy query {EACH_TIME}, and without"
            f' `key=` the folds depend on the order: {OVERLAP}.\nHint: `key="id"` names columns'
            " that identify the rows. Alternatively, collect the query first.",
            id="order",
        ),
        pytest.param(
            UNIQUE.head(9),
            {"key": "id"},
            f"The step `unique` may put the rows of this lazy query {EACH_TIME}, and `slice` then"
            f" gives different rows or values: {OVERLAP}.\nHint: collect the query first.",
            id="picked_rows",
        ),
        pytest.param(
            ROWS.select(x=pl.lit('"')),
            {},
            f"{QUOTED} may give different rows or values each time this lazy query is collected:"
            f" {OVERLAP}.\nHint: collect the query first.",
            id="quote",
        ),
    ],
)
def test_messages_of_lazy_queries(
    query: pl.LazyFrame, options: dict[str, Any], message: str
) -> None:
    """A warning names the step or the expression, what follows from it, and what to do."""
    assert kfold_warnings(query, **options) == [message]


# What of a call depends on the order ------------------------------------------------------

NO_KEY = "without `key=` the folds"
OF_CLUSTERS = "with `sf.clusters` the folds"
CLUSTERS = sf.clusters("id", 2)
NO_FOLDS = pl.lit(None, pl.Int64).alias("fold")
CUT = {"by": sf.continuous("id"), "deal": "contiguous"}


@pytest.mark.parametrize(
    ("verb", "arguments", "what"),
    [
        pytest.param(sf.kfold, {"by": "label", "seed": None}, NO_KEY, id="kfold"),
        pytest.param(sf.kfold, {"deal": "contiguous"}, NO_KEY, id="contiguous"),
        pytest.param(sf.split, CUT, None, id="values_are_cut"),
        pytest.param(sf.split, {}, NO_KEY, id="split"),
        pytest.param(sf.extend, {"by": None, "k": 2}, NO_KEY, id="extend"),
        pytest.param(sf.extend, {"by": None, "k": 2, "key": "id"}, None, id="extend_by_key"),
        pytest.param(sf.kfold, {"by": sf.margins(["label"]), "groups": "id"}, None, id="margins"),
        pytest.param(sf.kfold, {"groups": "id", "missing": "null"}, None, id="null"),
        pytest.param(
            sf.kfold,
            {"groups": "id", "missing": "stratum"},
            "where rows lack a group the folds",
            id="no_group",
        ),
        pytest.param(sf.kfold, {"groups": CLUSTERS}, OF_CLUSTERS, id="groups_are_clusters"),
        pytest.param(sf.kfold, {"by": CLUSTERS, "groups": "id"}, OF_CLUSTERS, id="by_clusters"),
        pytest.param(sf.plan, {"by": "label"}, None, id="plan"),
    ],
)
def test_what_depends_on_the_order(verb: Any, arguments: dict[str, Any], what: str | None) -> None:
    """A verb warns once if its folds depend on the order of the rows, and only then."""
    no_folds = NO_FOLDS if verb is sf.extend else []

    messages = warnings_of(lambda: verb(UNIQUE.with_columns(no_folds), **arguments))

    assert len(messages) == (0 if what is None else 1)
    assert all(f", and {what} depend on the order: " in message for message in messages)


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        pytest.param({"by": DAY % 2, "key": "id"}, [], id="sure"),
        pytest.param({"by": sf.quantiles(ID.shuffle(), 2), "key": "id"}, ["shuffle"], id="term"),
        pytest.param({"where": ID.sample(20) < 9, "key": "id"}, ["sample"], id="where"),
        pytest.param({"groups": DAY.map_batches(same, pl.Int64)}, ["python_udf"], id="groups"),
        pytest.param({"key": [ID, DAY.shuffle()]}, ["shuffle"], id="key"),
    ],
)
def test_expressions_of_a_call_are_part_of_its_query(
    arguments: dict[str, Any], names: list[str]
) -> None:
    """An expression in an argument that is not sure warns as one of the query does."""
    messages = kfold_warnings(ROWS, **arguments)

    found = [message.partition(" may ")[0] for message in messages]
    assert found == [f"The expression `{name}`" for name in names]


def test_positions_depend_on_the_order() -> None:
    """Positions of a query that may come in another order name other rows, and `cv` warns."""
    query = UNIQUE.with_columns(fold=ID % 2)

    assert warnings_of(lambda: sf.cv(query)) == [
        f"The step `unique` may put the rows of this lazy query {EACH_TIME}, and the positions"
        " depend on the order: positions may refer to other rows when the query is collected"
        " again.\nHint: collect the query first."
    ]
    assert warnings_of(lambda: sf.cv(query.collect())) == []


def test_building_the_plan_reads_nothing() -> None:
    """The checks and the warning come from the plan alone, and sources are not read."""

    def fail(*_: object) -> Any:
        raise AssertionError

    source = register_io_source(fail, schema={"id": pl.Int64, "label": pl.String})

    assert len(kfold_warnings(source.unique())) == 1
    assert warnings_of(lambda: sf.split(source, ["label", "id"], key="id")) == []


# What streams -----------------------------------------------------------------------------


def test_only_known_expressions_stream() -> None:
    """A query streams if each of its expressions is on a short list."""
    known = ROWS.filter((ID > 1) & LABEL.is_in(["a", "b"])).with_columns(
        text=LABEL.str.to_uppercase().str.slice(1),
        case=pl.when(ID > 2).then(pl.lit("a")).otherwise("label"),
        date=DAY.cast(pl.Date).dt.truncate("1w").dt.year(),
    )

    assert streams(known)
    assert not streams(known.with_columns(window=ID.min().over("label")))
    assert not streams(known.with_columns(text=LABEL.str.zfill(9)))
    assert not streams(known.with_columns(inner=LABEL.strat.kfold(k=2)))


@pytest.mark.parametrize("kind", ["parquet", "csv", "ipc", "ndjson"])
def test_files_stream(kind: str, tmp_path: Path) -> None:
    """A file of each kind that Polars scans is streamed."""
    path = tmp_path / "rows"
    getattr(ROWS.collect(), f"write_{kind}")(path)

    assert streams(getattr(pl, f"scan_{kind}")(path).filter(ID > 2))


def test_a_streamed_query_keeps_the_place_of_a_column_that_is_replaced() -> None:
    """A fold column that replaces another one stands where that one stood."""
    query = ROWS.select("id", fold="day", label="label")
    assert streams(query.drop("fold"))

    replaced = sf.kfold(query, "label", k=2, key="id", overwrite=True).collect()

    expected = sf.kfold(query.collect(), "label", k=2, key="id", overwrite=True)
    assert_frame_equal(replaced, expected)


@pytest.mark.parametrize("text", ['5" pipe', '""', 'a", "b', 'x").unique()', "unique()", ", "])
def test_names_and_texts_hide_no_expression(text: str) -> None:
    """A quote in a name or text never hides an expression that is not sure."""
    rows = pl.LazyFrame({"id": ["a", "b"], text: ["a", "b"]})
    for query in (
        rows.select(ID.unique(), pl.col(text)),
        rows.select(pl.lit(text).alias("x"), ID.unique(), y=pl.lit(text)),
        rows.filter(pl.col(text) == text).select(ID.unique(), y=pl.lit(text)),
    ):
        assert not streams(query)
        assert len(kfold_warnings(query)) == 1


# Folds of rows ----------------------------------------------------------------------------

N_ROWS = 6_000
MANY = pl.LazyFrame(
    {
        "id": [row * 7919 % N_ROWS for row in range(N_ROWS)],
        "day": [0, 1, 2] * (N_ROWS // 3),
        "label": ["a", "b"] * (N_ROWS // 2),
    }
)
STEPS_OF_SAME_ROWS: dict[str, Step] = {
    "filter": lambda rows: rows.filter(ID % 3 != 1),
    "maximum": lambda rows: rows.filter(ID.max() > ID),
    "reverse": lambda rows: rows.select(pl.all().reverse()),
    "row_index": lambda rows: rows.with_row_index("place").drop("place"),
    "concat": lambda rows: pl.concat([rows.filter(DAY == 1), rows.filter(DAY != 1)]),
    "function": lambda rows: rows.map_batches(same),
    "unique": lambda rows: rows.unique(),
    "ordered_unique": lambda rows: rows.unique(maintain_order=True),
    "group_by": lambda rows: rows.group_by("id").agg(DAY.min(), LABEL.max()),
    "join": lambda rows: rows.join(rows.select("id"), on="id"),
    "ordered_join": lambda rows: rows.join(rows.select("id"), on="id", maintain_order="left_right"),
    "sort": lambda rows: rows.sort("label"),
    "fold": lambda rows: sf.kfold(rows, k=2, key="id", name="earlier", overwrite=True),
}


@given(
    steps=st.lists(st.sampled_from(list(STEPS_OF_SAME_ROWS)), max_size=4),
    engine=st.sampled_from(["in-memory", "streaming"]),
    seed=st.integers(0, 9),
)
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_rows_keep_their_folds(steps: list[str], engine: Any, seed: int) -> None:
    """With a key each row has its fold in every collection; without, unless it has warned."""
    query = MANY
    for step in steps:
        query = STEPS_OF_SAME_ROWS[step](query)
    rows = query.collect()
    assume(len(rows) > 1)

    keyed = sf.kfold(query, k=2, key="id", seed=seed)
    expected = sf.kfold(rows, k=2, key="id", seed=seed).select("id", "fold").sort("id")
    halves = [keyed.filter(pl.col("fold") == fold).collect(engine=engine) for fold in (0, 1)]
    for found in (keyed.collect(engine=engine), pl.concat(halves)):
        assert found.select("id", "fold").sort("id").equals(expected)

    if not kfold_warnings(query, seed=seed):
        found = sf.kfold(query, k=2, seed=seed).collect(engine=engine)
        assert found["id", "fold"].equals(sf.kfold(rows, k=2, seed=seed)["id", "fold"])
