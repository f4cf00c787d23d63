"""Carry out the verbs on pandas frames and on eager and lazy Polars frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from .. import frames
from ..core.types import Flags, StratumTable
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
        outputs, by_row = empty_outputs(options), options.deal == "hash"
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
        columns = {
            argument: frames.read_columns(self.frame, given) for argument, given in refs.items()
        }
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
        outputs = [output for each in several for output in empty_outputs(each)]
        compute = partial(extended_columns, several, k)
        return self.attach(columns | {"name": names}, compute, outputs)

    def warn_row_order(self, options: Options) -> None:
        """Warn if a lazy query has no fixed row order, unless folds depend on values alone."""
        terms = (term.without_order() or term for term in (*options.terms, *options.groups))
        # If `by` is one continuous entry, contiguous folds depend on its values alone.
        is_one_order = [term.orders_rows for term in options.terms] == [True]
        is_cut_by_value = options.deal == "contiguous" and is_one_order
        what: str | None = "without `key=` the folds"
        hint = '`key="id"` names columns that identify the rows'
        if options.groups and any(term.uses_row_order for term in terms):
            what, hint = "with `sf.clusters` the folds", ""
        elif options.groups and (options.missing == "stratum" or options.groups[0].only_groups):
            # Until the query runs, it is unknown whether rows lack a group.
            what = "where rows lack a group the folds"
            hint = "fill the missing groups with values that identify the rows"
        elif options.groups or options.key or is_cut_by_value:
            what = None
        refs = [ref for refs in options.columns().values() for ref in refs]
        frames.lazy.warn_row_order(self.frame, what, hint, refs=refs)

    def sample(self, options: Options, wanted: SampleSize) -> Any:
        named = self.check(options)
        return frames.filter_rows(self.frame, named, partial(sampled_rows, options, wanted))

    # Counts -----------------------------------------------------------------------------

    def collect(self, by: By, groups: tuple[Term, ...], refs: Sequence[Any]) -> LocalSource:
        """Run the query of a lazy frame only once, by collecting the columns that tables need."""
        if not self.is_lazy:
            return self
        named = Options(*require_by(by), groups).columns()
        frames.check_refs(self.frame, named)
        return LocalSource(
            frames.collect_columns(self.frame, [*named["by"], *named["groups"], *refs])
        )

    def read(self, named: Refs) -> tuple[dict[str, list[Any]], int]:
        """Read the named columns, in one query if the frame is lazy, and count the rows."""
        eager = frames.collect_columns(self.frame, [ref for refs in named.values() for ref in refs])
        return {each: frames.read_columns(eager, refs) for each, refs in named.items()}, len(eager)

    def strata(self, by: By, groups: tuple[Term, ...] = ()) -> Strata:
        """Return the strata for a table, with each continuous entry cut into bins."""
        options = Options(*require_by(by), groups)
        named = options.columns()
        frames.check_refs(self.frame, named)
        columns, n_rows = self.read(named)
        return stratify(cut_orders(options, columns["by"], LEAST_FOLDS), columns, n_rows)

    def plan(self, options: Options) -> tuple[Strata, Callable[[Strata], StratumTable]]:
        """Return the strata of a call, and a function that counts rows by stratum and part."""
        named = self.check(options)
        (columns, n_rows), n_parts = self.read(named), options.target.n
        if not n_rows:  # make an empty table instead of raising an error about too few rows
            options = Options(options.terms, options.marginal, options.groups)
            columns = {each: columns[each] for each in ("by", "groups")}
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
        named = options.columns() | {"name": [name]}
        frames.check_refs(self.frame, named)
        check_not_itself("by", named["by"], name, self.frame)
        columns, _ = self.read(named)
        # As in the call that dealt the rows, all rows decide what kind of term a column needs.
        handed = split_series(options.terms, columns["by"])
        resolved = [term.resolve(own) for term, own in handed]
        missing, weights = frames.is_missing(columns["name"][0]), None
        if missing.any():
            rows = np.flatnonzero(~missing)
            columns = {each: [frames.take(one, rows) for one in columns[each]] for each in columns}
        if not (groups or options.marginal) and all(term.is_nominal for term in resolved):
            kept, weights = frames.duplicates.count_unique_rows([*columns["by"], *columns["name"]])
            columns = {"by": kept[:-1], "name": kept[-1:]}
        labels, codes = frames.fold_codes(columns["name"][0], weights=weights)
        k = len(labels.present)
        options = cut_orders(replace(options, terms=tuple(resolved)), columns["by"], k)

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
        apart_from: int | None = None,
    ) -> Any:
        return frames.labels.filter_labels(
            self.frame, rows, chosen, nulls=nulls, apart_from=apart_from
        )
