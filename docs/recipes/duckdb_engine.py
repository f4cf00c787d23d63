"""stratframe on DuckDB: an engine whose frames are relations of a DuckDB connection.

What each method gets and returns is said in `stratframe.engines.base.Engine`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa

from stratframe.engines import base

NUMBERS = count()
"""Numbers for the names of functions that are registered with DuckDB."""

CHANGED = "The frame must give the same rows each time that it is computed."
"""The message of DuckDB for a row whose stratum was not counted."""


class DuckFrame:
    """A relation of a DuckDB connection. DuckDB computes it when it is read."""

    def __init__(self, connection: Any, relation: Any) -> None:
        self.connection = connection
        self.relation = relation

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.relation.columns)

    def pl(self) -> pl.DataFrame:
        """Compute the relation as a Polars frame."""
        return self.relation.pl()

    def __stratframe_engine__(self) -> DuckEngine:
        """Make the engine: this method is what the verbs look for."""
        return DuckEngine(self)


class Columns:
    """What callables get: the columns of a frame, by name, as expressions of DuckDB."""

    def __getitem__(self, name: str) -> Any:
        return duckdb.ColumnExpression(name)


class Call(NamedTuple):
    """The rows of a frame with the columns that a call reads."""

    rows: Any
    """The relation, with the columns `_entry0` and so on, `_key0` and so on, and `_is_dealt`."""
    names: list[str]
    """The name of each entry, for messages and tables."""
    n_by: int
    n_groups: int
    key: list[str]
    every: str | None


class DuckEngine(base.Engine):
    """The engine of a `DuckFrame`."""

    name = "DuckDB"

    def __init__(self, frame: DuckFrame) -> None:
        self.frame = frame

    def made(self, relation: Any) -> DuckFrame:
        """Make a frame of the same connection."""
        return DuckFrame(self.frame.connection, relation)

    def empty(self) -> pl.DataFrame:
        """Compute no rows."""
        return self.frame.relation.limit(0).pl()

    # Columns ------------------------------------------------------------------------------

    def check(
        self,
        refs: Mapping[str, Sequence[Any]],
        new_names: Sequence[str] = (),
        *,
        overwrite: bool = False,
    ) -> None:
        """Check the columns that have names; DuckDB checks expressions."""
        named = {}
        for argument, columns in refs.items():
            named[argument] = [column for column in columns if not callable(column)]
        super().check(named, new_names, overwrite=overwrite)

    def expression(self, ref: Any) -> str:
        """Write a column in SQL, with null in place of NaN, and with one zero."""
        text = str(ref(Columns())) if callable(ref) else quote(ref)
        (dtype,) = self.frame.relation.project(f"{text} as value").types
        if str(dtype) in ("FLOAT", "DOUBLE"):
            return f"case when not isnan({text}) then {text} + 0.0 end"
        return text

    def resolve(self, term: base.Term) -> base.Term:
        """Choose the term by a value with a fraction, if the column has one."""
        values = self.frame.relation.project(f"{self.expression(term.columns[0])} as value")
        series = values.limit(0).pl()["value"]
        if series.dtype.is_float() or series.dtype.is_decimal():
            has_fraction = values.filter("isfinite(value::double) and value % 1 <> 0")
            series = has_fraction.limit(1).pl()["value"]
        return term.resolve([series])

    def bind(
        self,
        options: base.Options,
        fold: str | None = None,
        every: str | None = None,
        *,
        drop: bool = False,
    ) -> Call:
        """Add the columns of a call, and flag the rows that are dealt."""
        refs = options.columns()
        entries = [*refs["by"], *refs["groups"]]
        flags = [f"_entry{i} is not null" for i in range(len(entries))]
        if options.missing != "null":
            flags = []
        if fold is not None:
            if drop:
                flags.append(f"_entry{len(entries)} is not null")
            entries.append(fold)
        for ref in refs["where"]:
            self.check_where(ref)
            flags.append(self.expression(ref))
        columns = [f"{self.expression(ref)} as _entry{i}" for i, ref in enumerate(entries)]
        columns += [f"{self.expression(ref)} as _key{i}" for i, ref in enumerate(refs["key"])]
        rows = self.frame.relation.project(", ".join(["*", *columns]))
        is_dealt = " and ".join(f"({flag})" for flag in flags) or "true"
        return Call(
            rows=rows.project(f"*, {is_dealt} as _is_dealt"),
            names=[ref if isinstance(ref, str) else "computed" for ref in entries],
            n_by=len(refs["by"]),
            n_groups=len(refs["groups"]),
            key=[ref if isinstance(ref, str) else "computed" for ref in refs["key"]],
            every=every,
        )

    def check_where(self, ref: Any) -> None:
        """Raise an error if a column holds no flags, or if flags are missing."""
        flags = self.frame.relation.project(f"{self.expression(ref)} as value")
        base.read_flags(flags.limit(0).pl()["value"], repr(ref))
        ((n_missing,),) = flags.filter("value is null").aggregate("count(*)").fetchall()
        base.check_key([(ref, n_missing)])

    # Counts -------------------------------------------------------------------------------

    def numbered(self, call: Call, salts: Sequence[int]) -> Any:
        """Add the numbers of the dealt rows with each salt, as `_number0` and so on.

        DuckDB has no XXH64, so that keys are hashed in Python, 2048 rows at a time.
        """
        if not salts:
            return call.rows
        fields = [f"_key{i}" for i in range(len(call.key))]
        types = dict(zip(call.rows.columns, call.rows.types, strict=True))
        struct = ", ".join(f"{field} {types[field]}" for field in fields)
        function = f"stratframe_number_{next(NUMBERS)}"
        self.frame.connection.create_function(
            function,
            number_keys,
            ["UBIGINT", f"STRUCT({struct})"],
            "UBIGINT",
            type="arrow",
            null_handling="special",
        )
        key = ", ".join(f"{field} := {field}" for field in fields)
        numbers = [
            f"case when _is_dealt then {function}({salt}::ubigint, struct_pack({key})) end"
            f" as _number{i}"
            for i, salt in enumerate(salts)
        ]
        return call.rows.project(", ".join(["*", *numbers]))

    def count(
        self, call: Call, *, before: int | None = None, salts: Sequence[int] = ()
    ) -> tuple[Call, base.Counts]:
        """Count the rows of each combination of values."""
        n_entries = len(call.names) if before is None else before
        entries = [f"_entry{i}" for i in range(n_entries)]
        keys = [f"_key{i}" for i in range(len(call.key) if salts else 0)]
        totals = ["count(*) as n", *(f"count({key}) as {key}" for key in keys)]
        totals += [f"min(_number{i}) as lowest{i}" for i in range(len(salts))]
        rows = self.numbered(call, salts).filter("_is_dealt")
        counted = rows.aggregate(", ".join([*entries, *totals]), ", ".join(entries))
        table = counted.limit(base.MAX_STRATA + 1).pl()
        base.check_n_strata(len(table))
        n_rows = table["n"].sum()
        base.check_key(zip(call.key, (n_rows - table[key].sum() for key in keys), strict=False))
        columns = [
            table[entry].alias(name) for entry, name in zip(entries, call.names, strict=False)
        ]
        if call.every is not None and before is None:
            times = columns[-1].to_pandas(use_pyarrow_extension_array=True)
            columns[-1] = base.period_starts(times, call.every)
        n_by, n_groups = (call.n_by, call.n_groups) if before is None else (before, 0)
        lowest = [table[f"lowest{i}"].fill_null(0).to_numpy() for i in range(len(salts))]
        return call, base.Counts(
            columns=base.by_argument(columns, n_by, n_groups),
            weights=table["n"].cast(pl.Int64).to_numpy(),
            lowest=np.array(lowest, dtype=np.uint64).reshape(len(salts), len(table)),
            native=table.select(entries),
        )

    def around(
        self,
        call: Call,
        counted: base.CountedCodes,
        salts: Sequence[int],
        cuts: Sequence[base.Cuts],
    ) -> list[tuple[Any, Any]]:
        """Sort the numbers of all rows in their strata."""
        pairs = []
        for salt, cuts_of_salt in zip(salts, cuts, strict=True):
            known = {"_code": pl.Series(counted.codes)}
            rows = self.with_known(self.numbered(call, [salt]), counted, known)
            numbers_of_rows = rows.filter("_is_dealt and _code >= 0").project("_code, _number0")
            table = numbers_of_rows.order("_code, _number0").pl()
            sizes = np.bincount(table["_code"].to_numpy(), minlength=counted.n_strata)
            if not np.array_equal(sizes, counted.sizes):
                raise base.other_rows()
            numbers = table["_number0"].to_numpy()
            places = (np.cumsum(sizes) - sizes)[cuts_of_salt.strata] + cuts_of_salt.ranks
            pairs.append((numbers[places - 1], numbers[places]))
        return pairs

    def with_known(
        self, rows: Any, counted: base.CountedCodes, known: Mapping[str, pl.Series]
    ) -> Any:
        """Join to each row what is known of its counted row."""
        entries = counted.counts.native
        names = [f"{name}_known" for name in entries.columns]
        table = pl.DataFrame(
            [
                *entries.rename(dict(zip(entries.columns, names, strict=True))),
                *(series.alias(name) for name, series in known.items()),
            ]
        )
        pairs = zip(entries.columns, names, strict=True)
        is_same = [f"rows.{entry} is not distinct from known.{name}" for entry, name in pairs]
        small = self.frame.connection.from_arrow(table.to_arrow()).set_alias("known")
        return rows.set_alias("rows").join(small, " and ".join(is_same) or "true", how="left")

    # Results ------------------------------------------------------------------------------

    def attach(
        self,
        call: Call,
        counted: base.CountedCodes | None,
        outputs: Sequence[base.NewColumn],
        parts: Sequence[base.PartsByNumber],
        salts: Sequence[int] = (),
        *,
        fill: bool = False,
    ) -> DuckFrame:
        """Count the points of each row's stratum that are at most the row's number."""
        rows = self.numbered(call, salts)
        if counted is None:
            rows = rows.project(", ".join(["*", *known_of_all(call, parts)]))
        else:
            rows = self.with_known(rows, counted, known_of_counted(counted, parts))
        columns = {name: quote(name) for name in self.frame.columns}
        for i, (output, cuts) in enumerate(zip(outputs, parts, strict=True)):
            part = part_in_sql(i, output, has_points=cuts.points.shape[1] > 0)
            if fill:
                dtype = "bigint" if output.labels is None else "varchar"
                part = f"coalesce({quote(output.name)}::{dtype}, {part})"
            columns[output.name] = f"{part} as {quote(output.name)}"
        return self.made(rows.project(", ".join(columns.values())))

    def select(
        self,
        name: str,
        values: Sequence[Any],
        *,
        equal: bool,
        nulls: bool = False,
        drops: bool = False,
    ) -> DuckFrame:
        """Keep the rows in some folds, or in all others."""
        text = self.expression(name)
        is_match = f"{text} in ({', '.join(map(literal, values))})" if len(values) else "false"
        if not equal:
            is_match = f"not ({is_match})"
        kept = self.keep_where(f"case when ({text}) is not null then {is_match} end", nulls=nulls)
        return self.made(kept.project(f"* exclude ({quote(name)})") if drops else kept)

    def select_spans(
        self, name: str, spans: Sequence[tuple[int, int | None]], *, nulls: bool = False
    ) -> DuckFrame:
        """Keep the rows whose microseconds since 1970 are in some spans."""
        time = f"epoch_us({quote(name)})"
        flags = ["false"]
        for first, end in spans:
            is_before = "true" if end is None else f"{time} < {end}"
            flags.append(f"({time} >= {first} and {is_before})")
        return self.made(self.keep_where(" or ".join(flags), nulls=nulls))

    def keep_where(self, is_kept: str, *, nulls: bool) -> Any:
        """Keep the rows for which a condition is true or, with `nulls`, unknown."""
        return self.frame.relation.filter(f"coalesce({is_kept}, {nulls})")


def quote(name: str) -> str:
    """Write the name of a column in SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """Write a value in SQL; DuckDB compares times with their text."""
    if isinstance(value, bool | int | float):
        return repr(value)
    return "'" + str(value).replace("'", "''") + "'"


def number_keys(salts: pa.ChunkedArray, keys: pa.ChunkedArray) -> pa.Array:
    """Compute the numbers of some rows; the number of a row with a missing key is null."""
    table = pl.Series(keys).struct.unnest()
    is_known = table.select(pl.all_horizontal(pl.all().is_not_null())).to_series()
    known = [series.filter(is_known) for series in table]
    numbers = np.zeros(len(table), dtype=np.uint64)
    if len(salts):
        numbers[is_known.to_numpy()] = base.number_rows(known, [salts[0].as_py()])[0]
    return pa.array(numbers, mask=~is_known.to_numpy())


def known_of_all(call: Call, parts: Sequence[base.PartsByNumber]) -> list[str]:
    """Write, in SQL, the first part of all rows and the points between their numbers."""
    cases = []
    for i, name in enumerate(call.key):
        message = literal(f"Column {name!r} has missing values.")
        cases.append(f"when _is_dealt and _key{i} is null then error({message})::int")
    columns = []
    for i, cuts in enumerate(parts):
        points = ", ".join(map(str, cuts.points[0].tolist()))
        columns.append(f"case {' '.join(cases)} else {cuts.first[0]} end as _first{i}")
        columns.append(f"[{points}]::ubigint[] as _points{i}")
    return columns


def known_of_counted(
    counted: base.CountedCodes, parts: Sequence[base.PartsByNumber]
) -> dict[str, pl.Series]:
    """List the first part of each counted row, or -1, and the points between its numbers."""
    is_dealt = counted.codes >= 0
    strata = counted.codes[is_dealt]
    known = {}
    for i, cuts in enumerate(parts):
        first = np.full(len(is_dealt), -1)
        first[is_dealt] = cuts.first[strata]
        points = np.zeros((len(is_dealt), cuts.points.shape[1]), dtype=np.uint64)
        points[is_dealt] = cuts.points[strata]
        known[f"_first{i}"] = pl.Series(first)
        if points.shape[1]:
            known[f"_points{i}"] = pl.Series(points).cast(pl.List(pl.UInt64))
    return known


def part_in_sql(i: int, output: base.NewColumn, *, has_points: bool) -> str:
    """Write the part of each row in SQL; a stratum that was not counted is an error."""
    part = f"_first{i}"
    if has_points:
        part += f" + len(list_filter(_points{i}, lambda point: point <= _number{i}))"
    if output.labels is not None:
        part = f"[{', '.join(map(literal, output.labels))}][1 + {part}]"
        changed = f"error('{CHANGED}')::varchar"
    else:
        part = f"({part})::bigint"
        changed = f"error('{CHANGED}')::bigint"
    return (
        f"case when not _is_dealt then null when _first{i} is null then {changed}"
        f" when _first{i} >= 0 then {part} end"
    )
