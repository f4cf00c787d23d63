"""Carry out the verbs on pandas frames and on eager and lazy Polars frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from .. import frames
from ..core.types import Flags, Ints, StratumTable
from ..frames import LabelRows, NewColumn
from ..frames.attach import Compute, Refs
from ..terms.base import By, Term
from ..terms.by import Entries, require_by, split_series
from .deals import deal_rows, quota_table
from .extend import extended_columns, target_of
from .fold_counts import (
    LEAST_FOLDS,
    FoldCounts,
    FoldedStrata,
    check_not_itself,
    count_folds,
    cut_orders,
)
from .hashed import hashed_columns
from .nest import Strata
from .options import Options, Target
from .parts import empty_outputs, new_columns
from .random_numbers import row_numbers, row_streams
from .sample_sizes import SampleSize, sampled_rows
from .stratify import stratify


@dataclass(frozen=True, eq=False)
class LocalSource:
    """A pandas frame, or an eager or lazy Polars frame, with the operations that verbs need."""

    frame: Any

    ranks_by_position: ClassVar[bool] = True
    """Whether `kfold` can do without a key, and then deals rows by their position."""

    @property
    def library(self) -> str:
        return frames.library_of(self.frame)

    @property
    def is_lazy(self) -> bool:
        return frames.libraries.is_lazy(self.frame)

    # Columns ----------------------------------------------------------------------------

    def assign(self, options: Options, *, overwrite: bool) -> Any:
        outputs = empty_outputs(options)
        by_row = options.deal == "hash"
        refs = self.check(options, outputs, overwrite=overwrite)
        compute = partial(new_columns, options)
        if by_row:
            compute = partial(hashed_columns, options, in_batch=self.is_lazy)
        elif self.is_lazy:
            self.warn_row_order(options)
        return self.attach(refs, compute, outputs, by_row=by_row)

    def attach(
        self, refs: Refs, compute: Compute, outputs: Sequence[NewColumn], *, by_row: bool = False
    ) -> Any:
        """Read columns, compute new ones and attach them: now or, in a lazy frame, in its query."""
        if self.is_lazy:
            return frames.attach.attach_lazily(self.frame, refs, compute, outputs, by_row=by_row)
        columns = {each: frames.read_columns(self.frame, refs[each]) for each in refs}
        return frames.attach.attach_columns(self.frame, list(compute(columns, len(self.frame))))

    def check(
        self, options: Options, new: Sequence[NewColumn] = (), *, overwrite: bool = False
    ) -> dict[str, list[Any]]:
        """Check the columns that a call reads and adds; in a lazy frame, also the types read."""
        refs = options.columns()
        names = [column.name for column in new]
        frames.check_refs(self.frame, refs, names, overwrite=overwrite)
        if self.is_lazy:
            empty = frames.references.empty_columns(self.frame, refs | {"key": []})
            entries = options.terms, options.marginal, options.groups
            stratify(Options(*entries, where=options.where), empty, 0)
        return refs

    def extend(self, options: Options, target: Target, names: Sequence[Any], k: int | None) -> Any:
        columns = self.check(options)
        self.check_names(names)
        if self.is_lazy:
            self.warn_row_order(options)
        several = [
            replace(options, name=name, target=target_of(self.frame, name, target, k))
            for name in names
        ]
        outputs = [empty_outputs(each)[0] for each in several]
        compute = partial(extended_columns, several, k)
        return self.attach(columns | {"name": names}, compute, outputs)

    def warn_row_order(self, options: Options) -> None:
        """Warn if a lazy query has no fixed row order, unless folds depend on values alone."""
        terms = (term.without_order() or term for term in (*options.terms, *options.groups))
        # If `by` is one continuous entry, contiguous folds depend on its values alone.
        is_one_order = [term.orders_rows for term in options.terms] == [True]
        is_cut_by_value = options.deal == "contiguous" and is_one_order
        if options.target.each is not None:  # counts are exact, so that equal values are parted
            is_cut_by_value = False
        what: str | None = "without `key=` the folds"
        hint = '`key="id"` names columns that identify the rows'
        if options.groups and any(term.uses_row_order for term in terms):
            what = "with `sf.clusters` the folds"
            hint = ""
        elif options.groups and (options.missing == "stratum" or options.groups[0].only_groups):
            # Until the query runs, it is unknown whether rows lack a group.
            what = "where rows lack a group the folds"
            hint = "fill the missing groups with values that identify the rows"
        elif options.groups or options.key or is_cut_by_value:
            what = None
        refs = list(chain.from_iterable(options.columns().values()))
        frames.lazy.warn_row_order(self.frame, what, hint, refs=refs)

    def sample(self, options: Options, sample: SampleSize) -> Any:
        refs = self.check(options)
        return frames.filter_rows(self.frame, refs, partial(sampled_rows, options, sample))

    # Counts -----------------------------------------------------------------------------

    def collect(self, by: By, groups: tuple[Term, ...], refs: Sequence[Any]) -> LocalSource:
        """Run the query of a lazy frame only once, by collecting the columns that tables need."""
        if not self.is_lazy:
            return self
        refs_of_call = Options(*require_by(by), groups).columns()
        frames.check_refs(self.frame, refs_of_call)
        all_refs = [*refs_of_call["by"], *refs_of_call["groups"], *refs]
        return LocalSource(frames.collect_columns(self.frame, all_refs))

    def read(self, refs: Refs) -> tuple[dict[str, list[Any]], int]:
        """Read columns, in one query if the frame is lazy, and count the rows."""
        eager = frames.collect_columns(self.frame, list(chain.from_iterable(refs.values())))
        columns = {each: frames.read_columns(eager, refs[each]) for each in refs}
        return columns, len(eager)

    def strata(self, by: By, groups: tuple[Term, ...] = ()) -> Strata:
        """Return the strata for a table, with each continuous entry cut into bins."""
        options = Options(*require_by(by), groups)
        refs = options.columns()
        frames.check_refs(self.frame, refs)
        columns, n_rows = self.read(refs)
        return stratify(cut_orders(options, columns["by"], LEAST_FOLDS), columns, n_rows)

    def plan(self, options: Options) -> tuple[Strata, Callable[[Strata], StratumTable]]:
        """Return the strata of a call, and a function that counts rows by stratum and part."""
        columns, n_rows = self.read(self.check(options))
        n_parts = options.target.n
        if not n_rows:  # make an empty table instead of raising an error about too few rows
            options = Options(options.terms, options.marginal, options.groups)
            columns = {argument: columns[argument] for argument in ("by", "groups")}
            strata = stratify(options, columns, 0)
            return strata, lambda level: level.crosstab(level.codes, n_parts)
        strata = stratify(options, columns, n_rows)
        if strata.margins or strata.dealt.group is not None or options.deal == "contiguous":
            parts = deal_rows(options, strata, 0)
            return strata, lambda level: level.crosstab(parts, n_parts)
        numbers, _ = row_numbers(strata.dealt.keys, 0, *row_streams(options))
        return strata, lambda level: quota_table(options, level, lowest=level.lowest(numbers))

    def count_folds(self, by: By, name: str, groups: tuple[Term, ...] = ()) -> FoldCounts:
        options = Options(*require_by(by), groups)
        refs = options.columns() | {"name": [name]}
        frames.check_refs(self.frame, refs)
        check_not_itself("by", refs["by"], name, self.frame)
        columns, _ = self.read(refs)
        # As in the call that dealt the rows, all rows decide what kind of term a column needs.
        terms = resolve_terms(options.terms, columns["by"])
        columns = rows_with_fold(columns)
        weights = None
        if not (groups or options.marginal) and all(term.is_nominal for term in terms):
            columns, weights = distinct_rows(columns)
        labels, codes = frames.fold_codes(columns["name"][0], weights=weights)
        k = len(labels.present)
        options = cut_orders(replace(options, terms=terms), columns["by"], k)

        def count(terms: tuple[Term, ...]) -> FoldedStrata:
            strata = stratify(replace(options, terms=terms), columns, len(codes), weights)
            return FoldedStrata(strata, columns["by"], labels, codes)

        return count_folds(by, name, Entries(options.terms, options.marginal), k, count)

    # Folds ------------------------------------------------------------------------------

    def check_names(self, names: Sequence[Any], apart: Sequence[Any] = ()) -> None:
        frames.check_refs(self.frame, {"name": names, "apart": apart})

    def label_rows(
        self,
        name: str,
        apart: Sequence[str] = (),
        every: str | None = None,
        *,
        is_part: bool = False,
    ) -> LabelRows:
        """Encode the labels of a column, for all rows or, in a lazy frame, for distinct rows."""
        return frames.read_labels(self.frame, name, apart, every, is_part=is_part)

    def select(
        self,
        rows: LabelRows,
        chosen: Flags,
        *,
        nulls: bool = False,
        apart_from: Flags | None = None,
    ) -> Any:
        return frames.labels.filter_labels(
            self.frame, rows, chosen, nulls=nulls, apart_from=apart_from
        )


def resolve_terms(terms: Sequence[Term], series: Sequence[Any]) -> tuple[Term, ...]:
    return tuple(term.resolve(columns) for term, columns in split_series(terms, series))


def rows_with_fold(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Select the rows in which the fold column `name` is not null."""
    is_missing = frames.is_missing(columns["name"][0])
    if not is_missing.any():
        return columns
    rows = np.flatnonzero(~is_missing)
    return {
        argument: [frames.take(each, rows) for each in series]
        for argument, series in columns.items()
    }


def distinct_rows(columns: dict[str, list[Any]]) -> tuple[dict[str, list[Any]], Ints | None]:
    """Select one row for each combination of values, and count its rows, if that saves time."""
    unique, weights = frames.duplicates.count_unique_rows([*columns["by"], *columns["name"]])
    return {"by": unique[:-1], "name": unique[-1:]}, weights
