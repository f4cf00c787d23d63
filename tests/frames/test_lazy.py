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

IS_POLARS_2 = pl.__version__ >= "2"
"""Whether Polars prints that a `sort` maintains the order, and the lists of a `group_by`."""

ROWS = pl.LazyFrame({"id": range(20), "day": [0, 1, 2, 3] * 5, "label": ["a", "b"] * 10})
OTHER = pl.LazyFrame({"id": range(20), "x": range(20)})
ID = pl.col("id")
DAY = pl.col("day")
LABEL = pl.col("label")
LISTS = pl.concat_list("id", "day").list
NO_FOLDS = pl.lit(None, pl.Int64).alias("fold")

Step = Callable[[pl.LazyFrame], pl.LazyFrame]


def same(values: Any) -> Any:
    return values


def shuffle(rows: Any) -> Any:
    return rows.sample(fraction=1.0, shuffle=True)


def add(one: pl.Series, other: pl.Series) -> pl.Series:
    return one + other


def warnings_of(call: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(warning.message) for warning in caught]


def kfold_warnings(query: pl.LazyFrame, **options: Any) -> list[str]:
    return warnings_of(lambda: sf.kfold(query, k=2, **options))


# Sure steps ------------------------------------------------------------------------------

SURE_EXPRESSIONS: dict[str, pl.Expr] = {
    "arithmetic": (ID * 2 + 1).abs() ** 2,
    "case": pl.when(DAY > 1).then(ID).otherwise(-1),
    "text": LABEL.str.zfill(9).str.slice(1) + "'",
    "date": DAY.cast(pl.Date).dt.offset_by("1w").dt.year(),
    "lists": LISTS.eval(pl.element() + 1).list.first(),
    "hash": ID.hash(),
    "mean": ID - ID.mean(),
    "quantile": ID - ID.quantile(0.3),
    "window": ID.sum().over("day"),
    "ordered window": ID.first().over("label", order_by="id"),
    "cumulative": ID.cum_sum() + DAY.cum_count(),
    "rolling": ID.rolling_mean(3) + DAY.rolling_max(2),
    "shift": ID.shift(1) + ID.diff(),
    "fill": DAY.replace(3, None).fill_null(strategy="forward"),
    "reverse": ID.reverse(),
    "row number": pl.int_range(pl.len()),
    "sort": ID.sort(),
    "arg_sort": DAY.arg_sort(),
    "ordered sort_by": ID.sort_by("day", maintain_order=True),
    "run": DAY.rle_id(),
    "gather": ID.gather([1, 2, 3]).sum(),
}
SURE_STEPS: dict[str, Step] = {
    "select": lambda rows: rows.select("id", "label"),
    "rename": lambda rows: rows.rename({"id": "unique()"}),
    "text like a step": lambda rows: rows.filter(LABEL != "UNIQUE[maintain_order: false"),
    "filter": lambda rows: rows.filter(DAY > 1),
    "slices": lambda rows: pl.concat([rows.head(9), rows.tail(9), rows.slice(9, 9)]),
    "row index": lambda rows: rows.with_row_index().gather_every(2).reverse(),
    "concat": lambda rows: pl.concat([rows, rows.rename(str.upper)], how="diagonal"),
    "beside": lambda rows: pl.concat([rows, rows.rename(str.upper)], how="horizontal"),
    "unique rows": lambda rows: rows.unique(maintain_order=True),
    "first": lambda rows: rows.unique("day", keep="first", maintain_order=True),
    "none": lambda rows: rows.unique("day", keep="none", maintain_order=True),
    "unique values": lambda rows: rows.select(DAY.unique(maintain_order=True)),
    "unique counts": lambda rows: rows.select(DAY.unique_counts()),
    "drop_nulls": lambda rows: rows.select(ID.drop_nulls()),
    "group_by": lambda rows: rows.group_by("day", maintain_order=True).agg(
        ID.first(), last=ID.last(), n=pl.len()
    ),
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
    "explode": lambda rows: rows.with_columns(both=pl.concat_list("id", "day")).explode("both"),
    "unpivot": lambda rows: rows.unpivot(["id", "day"]),
}
SURE_STEPS |= {
    name: lambda rows, expr=expr: rows.select(expr.alias("new"))  # type: ignore[misc]
    for name, expr in SURE_EXPRESSIONS.items()
}
if IS_POLARS_2:
    SURE_STEPS["ordered sort"] = lambda rows: rows.sort("day", maintain_order=True)


@pytest.mark.parametrize("step", SURE_STEPS.values(), ids=SURE_STEPS)
def test_a_sure_step_does_not_warn(step: Step) -> None:
    """A query of sure steps does not warn, even without a key."""
    assert kfold_warnings(step(ROWS)) == []


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("step", SURE_STEPS.values(), ids=SURE_STEPS)
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
    """The functions of verbs and expressions are sure, in spite of being Python functions."""
    folded = sf.kfold(ROWS, "label", k=2)
    twice = sf.kfold(folded, [LABEL, DAY], k=2, name="twice", repeats=2)
    hashed = sf.split(twice, key="id", deal="hash")
    query = hashed.with_columns(LABEL.strat.kfold(k=2, name="inner"))

    assert kfold_warnings(query, name="last") == []
    assert kfold_warnings(query.join(OTHER, on="id"), key="id", name="last") == []
    assert len(kfold_warnings(query.with_columns(x=ID.map_batches(same)), name="last")) == 1


# Unsure steps ----------------------------------------------------------------------------

UNIQUE = ROWS.unique()
GROUPED = ROWS.group_by("id").agg(pl.first("label"))
FIRST_LABELS = ROWS.group_by("id", maintain_order=True).agg(pl.first("label"))
JOINED = ROWS.join(OTHER, on="id")
SQL = pl.SQLContext(rows=ROWS, other=OTHER)

REORDERED: dict[str, pl.LazyFrame] = {
    "unique": UNIQUE,
    "unique, later steps": UNIQUE.filter(ID > 2).with_columns(y=1),
    "unique, concat": pl.concat([ROWS, UNIQUE]),
    "unique, keep first": ROWS.unique("id", keep="first"),
    "unique, keep none": ROWS.unique("id", keep="none"),
    "group_by": GROUPED,
    "sort": ROWS.sort("label"),
    "sort by two": ROWS.sort("label", ID % 2, descending=[True, False], nulls_last=True),
    "sort after unique": UNIQUE.sort("id", maintain_order=True),
    "sort after group_by": ROWS.group_by("id").agg(x=pl.len()).sort("x"),
    "sort after a sure step": FIRST_LABELS.sort("label"),
    "inner join": JOINED,
    "inner join in SQL": SQL.execute("SELECT * FROM rows JOIN other USING (id)"),
    "left join": ROWS.join(OTHER, on="id", how="left", maintain_order="left"),
    "right join": ROWS.join(OTHER, on="id", how="right"),
    "full join": ROWS.join(OTHER, on="id", how="full", coalesce=True),
    "semi join": ROWS.join(OTHER, on="id", how="semi"),
    "anti join": ROWS.join(OTHER.filter(ID < 9), on="id", how="anti"),
    "cross join": ROWS.join(OTHER.select("x"), how="cross"),
    "join_where": ROWS.join_where(OTHER.select("x"), pl.col("x") > ID),
    "join below a join": JOINED.join(OTHER, on="id", how="left", maintain_order="left_right"),
    "merge_sorted": ROWS.merge_sorted(ROWS, "id"),
    "Python source": register_io_source(same, schema={"id": pl.Int64}),
}
if hasattr(pl, "union"):
    REORDERED["union"] = pl.union([ROWS, ROWS])

PICKED: dict[str, pl.LazyFrame] = {
    "head": UNIQUE.head(9),
    "head of a join": JOINED.tail(9),
    "head of a group_by": GROUPED.slice(2, 9),
    "head of a part": pl.concat([ROWS.head(5), UNIQUE.head(9)]),
    "head below a join": ROWS.join(UNIQUE.head(9).select("id"), on="id"),
    "head below unique": FIRST_LABELS.head(9).unique(),
    "head after two sorts": ROWS.sort("label").sort("id", maintain_order=True).head(9),
    "top_k": ROWS.top_k(9, by="label"),
    "bottom_k": ROWS.bottom_k(9, by="label"),
    "gather_every": UNIQUE.gather_every(2),
    "gather": UNIQUE.select(pl.all().gather([1, 2, 3, 4])),
    "Series": UNIQUE.with_columns(y=pl.Series(range(20))),
    "cum_count": UNIQUE.with_columns(x=ID.cum_count()),
    "row index": UNIQUE.with_row_index("row"),
    "row index after sort": ROWS.sort("label").with_row_index("row"),
    "row number": GROUPED.with_columns(x=pl.int_range(pl.len())),
    "fold": UNIQUE.with_columns(x=LABEL.strat.kfold(k=2)),
    "beside": pl.concat([UNIQUE, OTHER.rename({"id": "other"})], how="horizontal"),
    "first": GROUPED.with_columns(x=ID.first().over("label")),
    "first of groups": ROWS.sort("label").group_by("id", maintain_order=True).agg(LABEL.first()),
    "lists of groups": JOINED.group_by("label", maintain_order=True).agg("id").explode("id"),
    "head of groups": UNIQUE.group_by("label").agg(ID.head(2)).explode("id"),
    "unique": ROWS.sort("label").unique("id", keep="first", maintain_order=True),
    "join_asof": ROWS.sort("id").join_asof(OTHER, on="id"),
}

CHANGED: dict[str, pl.LazyFrame] = {
    "frame function": ROWS.map_batches(shuffle),
    "frame function before a join": ROWS.map_batches(same).join(OTHER, on="id"),
    "group function": ROWS.group_by("id").map_groups(same, schema=None),
    "column function": ROWS.with_columns(ID.map_batches(shuffle, pl.Int64)),
    "value function": ROWS.with_columns(x=ID.map_elements(same, pl.Int64)),
    "rolling function": ROWS.with_columns(x=ID.rolling_map(same, 2)),
    "fold": ROWS.with_columns(x=pl.fold(0, add, ["id", "day"])),
    "reduce": ROWS.with_columns(x=pl.reduce(add, ["id", "day"])),
    "cum_fold": ROWS.with_columns(x=pl.cum_fold(0, add, ["id", "day"])),
    "any row": ROWS.unique("id"),
    "any row, ordered": ROWS.unique("id", maintain_order=True).sort("label", "id"),
    "shuffle": ROWS.with_columns(x=ID.shuffle()),
    "shuffle in a filter": ROWS.filter(pl.int_range(pl.len()).shuffle() < 9),
    "shuffle in a sort": ROWS.sort(pl.int_range(pl.len()).shuffle(), maintain_order=True).head(9),
    "sample": ROWS.select(pl.all().sample(9)),
    "sample of lists": ROWS.with_columns(x=LISTS.sample(1).list.first()),
    "rank": ROWS.filter(LABEL.rank("random") < 9),
    "rank in a window": ROWS.with_columns(y=(LABEL.rank("random") + 1).over("label")),
    "top_k_by": ROWS.select(pl.all().top_k_by("label", 9)),
    "first of ties": ROWS.group_by("label", maintain_order=True).agg(ID.sort_by("label").first()),
    "sort_by": ROWS.select(ID.sort_by("label")),
    "unique values": ROWS.select(ID.unique()),
    "mode": ROWS.with_columns(x=ID.mode().first()),
    "value_counts": ROWS.select(ID.value_counts(name="n").struct.field("id")),
    "top_k": ROWS.select(ID.top_k(9)),
    "line break in a text": ROWS.filter(LABEL == "a\nb"),
    "line break in a name": ROWS.rename({"label": "x\ny"}),
    "quote in a text": ROWS.filter(LABEL == '5" pipe'),
}

EACH_TIME = "in a different order each time it is collected"
OVERLAP = "train and test rows that are collected separately may overlap"


@pytest.mark.parametrize("query", REORDERED.values(), ids=REORDERED)
def test_a_step_without_an_order_warns_unless_there_is_a_key(query: pl.LazyFrame) -> None:
    """A query that gives its rows in any order warns if the folds depend on the order."""
    (message,) = kfold_warnings(query)

    assert message.startswith("The step `")
    assert message.endswith(
        f" may put the rows of this lazy query {EACH_TIME}, and without `key=` the folds depend on"
        f' the order: {OVERLAP}.\nHint: `key="id"` names columns that identify the rows.'
        " Alternatively, collect the query first."
    )
    assert kfold_warnings(query, key="id") == []
    assert kfold_warnings(query, groups="id") == []


@pytest.mark.parametrize("query", PICKED.values(), ids=PICKED)
def test_rows_picked_without_an_order_warn_in_spite_of_a_key(query: pl.LazyFrame) -> None:
    """Positions of rows that come in any order change what the query gives."""
    (message,) = kfold_warnings(query, key="id")

    assert message.startswith("The step `")
    assert f" may put the rows of this lazy query {EACH_TIME}, and " in message
    assert message.endswith(
        f" then gives different rows or values: {OVERLAP}.\nHint: collect the query first."
    )
    assert kfold_warnings(query, groups="id") == [message]
    assert kfold_warnings(query) == [message]
    assert kfold_warnings(query, key="id", deal="hash") == []


@pytest.mark.parametrize("query", CHANGED.values(), ids=CHANGED)
def test_what_can_change_the_rows_warns_in_spite_of_a_key(query: pl.LazyFrame) -> None:
    """A query that can draw, choose among ties or call any function warns with a key, too."""
    query = query.with_columns(key=1)
    (message,) = kfold_warnings(query, key="key")

    assert message.endswith(
        " may give different rows or values each time this lazy query is collected:"
        f" {OVERLAP}.\nHint: collect the query first."
    )
    assert kfold_warnings(query, groups="key") == [message]
    assert kfold_warnings(query) == [message]
    assert kfold_warnings(query, key="key", deal="hash") == []


QUOTED = "An expression with a quote or a line break in its text"


@pytest.mark.parametrize(
    ("query", "name"),
    [
        pytest.param(UNIQUE, "The step `unique`", id="step"),
        pytest.param(JOINED, "The step `inner join`", id="join"),
        pytest.param(GROUPED, "The step `group_by`", id="group_by"),
        pytest.param(ROWS.sort("label"), "The step `sort`", id="sort"),
        pytest.param(JOINED.unique(), "The step `unique`", id="last_of_two_steps"),
        pytest.param(ROWS.map_batches(same), "The step `map_batches`", id="function"),
        pytest.param(UNIQUE.select(ID.shuffle()), "The expression `shuffle`", id="draw_first"),
        pytest.param(ROWS.rename({"id": "\n"}), QUOTED, id="line_break"),
        pytest.param(ROWS.select(x=pl.lit('"')), QUOTED, id="quote"),
    ],
)
def test_a_warning_names_what_is_unsure(query: pl.LazyFrame, name: str) -> None:
    """A warning begins with the step or the expression that is not sure."""
    (message,) = kfold_warnings(query)

    assert message.startswith(f"{name} may ")


# What of a call depends on the order -----------------------------------------------------

NO_KEY = "without `key=` the folds"
NO_GROUP = "where rows lack a group the folds"
OF_CLUSTERS = "with `sf.clusters` the folds"
CLUSTERS = sf.clusters("id", 2)


@pytest.mark.parametrize(
    ("verb", "arguments", "what"),
    [
        pytest.param(sf.kfold, {"by": "label", "seed": None}, NO_KEY, id="kfold"),
        pytest.param(sf.kfold, {"repeats": 2}, NO_KEY, id="repeats"),
        pytest.param(sf.kfold, {"deal": "contiguous"}, NO_KEY, id="contiguous"),
        pytest.param(
            sf.split,
            {"by": ["label", sf.continuous("id")], "deal": "contiguous"},
            NO_KEY,
            id="contiguous_in_strata",
        ),
        pytest.param(
            sf.split, {"by": sf.continuous("id"), "deal": "contiguous"}, None, id="values_are_cut"
        ),
        pytest.param(sf.split, {}, NO_KEY, id="split"),
        pytest.param(sf.extend, {"by": None, "k": 2}, NO_KEY, id="extend"),
        pytest.param(sf.extend, {"by": None, "k": 2, "key": "id"}, None, id="extend_by_key"),
        pytest.param(sf.extend, {"by": None, "k": 2, "groups": "id"}, None, id="extend_of_groups"),
        pytest.param(sf.kfold, {"by": sf.continuous("id"), "groups": "id"}, None, id="bins"),
        pytest.param(sf.kfold, {"by": sf.margins(["label"]), "groups": "id"}, None, id="margins"),
        pytest.param(sf.kfold, {"groups": "id", "missing": "null"}, None, id="null"),
        pytest.param(sf.kfold, {"groups": "id", "missing": "stratum"}, NO_GROUP, id="no_group"),
        pytest.param(sf.kfold, {"groups": CLUSTERS}, OF_CLUSTERS, id="groups_are_clusters"),
        pytest.param(sf.kfold, {"by": CLUSTERS, "groups": "id"}, OF_CLUSTERS, id="by_clusters"),
        pytest.param(sf.plan, {"by": "label"}, None, id="plan"),
    ],
)
def test_what_depends_on_the_order(verb: Any, arguments: dict[str, Any], what: str | None) -> None:
    """A verb warns once if its folds depend on the order of the rows, and only then."""
    no_folds = NO_FOLDS if verb is sf.extend else []

    messages = warnings_of(lambda: verb(UNIQUE.with_columns(no_folds), **arguments))

    assert len(messages) == (what is not None)
    assert all(f", and {what} depend on the order: " in message for message in messages)
    assert warnings_of(lambda: verb(ROWS.with_columns(no_folds), **arguments)) == []


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        pytest.param({"by": DAY % 2, "key": "id"}, None, id="sure"),
        pytest.param({"by": ID.shuffle() % 2, "key": "id"}, "shuffle", id="by"),
        pytest.param({"by": sf.quantiles(ID.shuffle(), 2), "key": "id"}, "shuffle", id="term"),
        pytest.param({"where": ID.sample(20) < 9, "key": "id"}, "sample", id="where"),
        pytest.param({"groups": DAY.map_batches(same, pl.Int64)}, "python_udf", id="groups"),
        pytest.param({"key": [ID, DAY.shuffle()]}, "shuffle", id="key"),
    ],
)
def test_expressions_of_a_call_are_part_of_its_query(
    arguments: dict[str, Any], name: str | None
) -> None:
    """An expression in an argument that is not sure warns as one of the query does."""
    messages = kfold_warnings(ROWS, **arguments)

    expected = [] if name is None else [f"The expression `{name}` may give different rows"]
    assert [message.partition(" or values")[0] for message in messages] == expected


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
    """The checks and the warning come from the plan alone: sources are not read."""

    def fail(*_: object) -> Any:
        raise AssertionError

    source = register_io_source(fail, schema={"id": pl.Int64, "label": pl.String})

    assert len(kfold_warnings(source.unique())) == 1
    assert warnings_of(lambda: sf.split(source, ["label", "id"], key="id")) == []


# What streams ----------------------------------------------------------------------------


def streams(query: pl.LazyFrame) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sf.StratWarning)
        return "HCONCAT" in sf.kfold(query, k=2).explain(optimized=False)


@pytest.mark.parametrize(
    ("expr", "is_streamed"),
    [
        pytest.param((ID + 1).round(2), True, id="arithmetic"),
        pytest.param((ID > 1) & LABEL.is_in(["a", "b"]), True, id="comparison"),
        pytest.param(LABEL.str.to_uppercase().str.slice(1), True, id="text"),
        pytest.param(pl.when(ID > 2).then(pl.lit("a")).otherwise("label"), True, id="case"),
        pytest.param(DAY.cast(pl.Date).dt.truncate("1w").dt.year(), True, id="date"),
        pytest.param(LABEL.cast(pl.Categorical), True, id="categories"),
        pytest.param(ID.min().over("label"), False, id="window"),
        pytest.param(LABEL.str.zfill(9), False, id="rare_function"),
        pytest.param(LISTS.first(), False, id="list"),
        pytest.param(ID.map_batches(same, pl.Int64), False, id="function"),
        pytest.param(LABEL.strat.kfold(k=2), False, id="fold"),
    ],
)
def test_only_known_expressions_stream(expr: pl.Expr, is_streamed: bool) -> None:
    """A query streams if each of its expressions is on a short list."""
    assert streams(ROWS.with_columns(new=expr)) == is_streamed


@pytest.mark.parametrize("kind", ["parquet", "csv", "ipc", "ndjson"])
def test_files_stream(kind: str, tmp_path: Path) -> None:
    """A file of each kind that Polars scans is streamed."""
    path = tmp_path / "rows"
    getattr(ROWS.collect(), f"write_{kind}")(path)

    assert streams(getattr(pl, f"scan_{kind}")(path).filter(ID > 2))


QUOTES = ['5" pipe', '"', '""', 'a", "b', 'x").unique()', "line\nFILTER", "unique()", ", ", '", ']


@pytest.mark.parametrize("text", QUOTES)
def test_names_and_texts_hide_no_expression(text: str) -> None:
    """A quote in a name or text never hides an expression that is not sure."""
    rows = pl.LazyFrame({"id": ["a", "b"], text: ["a", "b"]})
    for query in (
        rows.select(ID.unique(), x=pl.lit(text)),
        rows.select(ID.unique(), pl.col(text)),
        rows.select(pl.col(text).unique(), id=pl.lit("a")),
        rows.select(pl.lit(text).alias("x"), ID.unique(), y=pl.lit(text)),
        rows.filter(pl.col(text) == text).select(ID.unique(), y=pl.lit(text)),
    ):
        assert not streams(query)
        assert len(kfold_warnings(query)) == 1


# Folds of rows ---------------------------------------------------------------------------

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
    "row index": lambda rows: rows.with_row_index("place").drop("place"),
    "concat": lambda rows: pl.concat([rows.filter(DAY == 1), rows.filter(DAY != 1)]),
    "function": lambda rows: rows.map_batches(same),
    "unique": lambda rows: rows.unique(),
    "ordered unique": lambda rows: rows.unique(maintain_order=True),
    "group_by": lambda rows: rows.group_by("id").agg(DAY.min(), LABEL.max()),
    "join": lambda rows: rows.join(rows.select("id"), on="id"),
    "ordered join": lambda rows: rows.join(rows.select("id"), on="id", maintain_order="left_right"),
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
