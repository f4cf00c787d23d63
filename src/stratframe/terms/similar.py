"""What must stay together by its content: rows that are near-duplicates of each other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from .. import frames
from ..checks import check_one_of, load_extra
from ..core.hashing import hash_groups
from ..core.near import WITHIN_ROUNDING, Near, directions, near_points, near_texts
from ..core.strata import factorize_codes, first_occurrence
from ..core.types import Flags, Ints
from ..errors import StratError, describe, describe_rows
from ..frames import Rule
from ..habits import suggest_arguments
from .base import ColumnRef, EncodedColumns, Missing, Substrata, Term, list_arguments
from .features import feature_refs, finite_numbers, read_points
from .neighbours import progress_bar
from .together import connected_nodes, group_share, rank_by_hash

Metric: TypeAlias = Literal["cosine", "euclidean"]

ORDER_DIGITS = 6
"""Of distances that order groups, so that these do not depend on the platform."""

NearPairs: TypeAlias = Callable[[Ints, Callable[[int], object]], Iterator[Near]]
"""Finds the pairs of unequal labels that are near, and tells how many rows were compared."""


@dataclass(frozen=True, eq=False, repr=False)
class Similar(Term):
    """Rows that are near each other, directly or through other rows."""

    function: ClassVar[str] = "sf.similar"
    group_noun: ClassVar[str] = "groups of similar rows"
    only_groups: ClassVar[bool] = True
    has_features: ClassVar[bool] = True

    within: float
    metric: Metric

    def arguments(self) -> str:
        """Write the features, and how near they must be."""
        features = [frames.format_reference(column) for column in self.columns]
        shown = features[0] if len(features) == 1 else list_arguments(features)
        metric = "" if self.metric == "cosine" else f", metric={self.metric!r}"
        return f"{shown}, {self.within:.10g}{metric}"

    def counted_by(self) -> None:
        """All rows are needed at once."""

    def read(self, series: Sequence[Any]) -> EncodedColumns:
        """Read numbers or vectors; of texts which are equal."""
        if not any(map(frames.dtypes.is_text, series)):
            return read_points(series, str(self))
        if len(series) > 1 or self.metric != "cosine":
            msg = (
                "`sf.similar` compares one column of text alone, and by the cosine, got"
                f" {self}.\nHint: join columns of text into one first."
            )
            raise StratError(msg)
        codes, _ = frames.encode_classes(series[0])
        return EncodedColumns(series, codes, codes < 0)

    def rules(self, missing: Missing) -> list[Rule]:
        """Need finite numbers."""
        return [finite_numbers(missing)] * len(self.columns)

    def divide(self, entry: EncodedColumns, parent: Ints, n_parents: int) -> Substrata:
        """Divide all rows by what they are near to."""
        if not len(parent):
            return Substrata(parent, 0)
        codes, n_codes, near = self.compare(entry)
        labels = np.arange(n_codes)
        with progress_bar(n_codes, "Similar rows") as progress:
            for pairs in near(labels, progress):
                if len(pairs.rows):
                    joined = connected_nodes(n_codes, labels[pairs.rows], labels[pairs.others])
                    labels[:] = joined[labels]
        return Substrata(labels[codes], n_codes)

    def compare(self, entry: EncodedColumns) -> tuple[Ints, int, NearPairs]:
        """List what is compared: its code for each row, how many there are, and the comparison."""
        if entry.data.ndim == 1:
            codes, texts = distinct_texts(entry)
            check_not_zero(entry, np.array([not text for text in texts], dtype=np.bool_)[codes])
            return codes, len(texts), partial(near_texts, weigh_texts(texts), self.within)
        points, within = entry.data, self.within
        if self.metric == "cosine":
            check_not_zero(entry, np.asarray(~points.any(axis=0)))
            # Of directions x and y, |x - y|**2 is 2 (1 - cos).
            points, within = directions(points), float(np.sqrt(2 * (within + WITHIN_ROUNDING)))
        n_rows = points.shape[1]
        return np.arange(n_rows), n_rows, partial(near_points, points, within)

    def number_groups(self, entry: EncodedColumns, codes: Ints) -> Ints:
        """Rank groups by the lowest hash of their rows."""
        if entry.data.ndim == 1:
            keys = [frames.read_key(entry.values_at(np.arange(len(codes))))]
        else:
            keys = [frames.read.key_of_floats(feature) for feature in entry.data]
        return rank_by_hash(codes, hash_groups(keys))

    def explain_group(self, entry: EncodedColumns, rows: Ints) -> str:
        """Say how much of all rows a group has."""
        return (
            f"{group_share(entry, rows)}: a smaller `within` than {self.within:.10g} joins fewer."
        )

    def nearest_groups(self, entry: EncodedColumns, groups: Ints, folds: Ints) -> Ints:
        """Rank groups by how near two of their rows in different folds are."""
        codes, n_codes, near = self.compare(entry)
        dealt = np.flatnonzero(folds >= 0)
        first = np.append(dealt, -1)[first_occurrence(codes[dealt], n_codes)]
        fold, group = np.append(folds, -1)[first], groups[first]
        apart = np.full(int(groups.max(initial=-1)) + 1, np.inf)
        apart[groups[dealt][folds[dealt] != fold[codes[dealt]]]] = 0
        with progress_bar(n_codes, "Similar rows") as progress:
            for pairs in near(fold, progress):
                known = (fold[pairs.rows] >= 0) & (fold[pairs.others] >= 0)
                np.minimum.at(apart, group[pairs.rows[known]], pairs.apart[known])
        return np.argsort(np.argsort(apart.round(ORDER_DIGITS), kind="stable"), kind="stable")


@suggest_arguments
def similar(
    features: ColumnRef | Sequence[ColumnRef], within: float = 0.05, *, metric: Metric = "cosine"
) -> Similar:
    """Keep near-duplicates together: rows at most `within` apart, directly or through others.

    For `groups`, in all verbs that take them: `check` counts the groups that are in several folds,
    and `leaks` lists their rows, the nearest first.

    Parameters
    ----------
    features : column or list of columns
        Numbers, or one column of vectors, such as embeddings, as `sf.clusters` takes them; they are
        not scaled. Or one column of text, compared by the letters of its words.
    within : float
        The largest distance of two rows that belong together, at least 0; of the cosine below 1.
    metric : {"cosine", "euclidean"}
        The cosine distance is 1 - the cosine of the angle between two rows, whatever their lengths:
        0 in the same direction, 1 at a right angle. Text takes this one alone.

    Returns
    -------
    Similar

    Raises
    ------
    StratError
        If an argument breaks a rule.
    ImportError
        Without scikit-learn.

    Notes
    -----
    Texts in small letters are compared by scikit-learn's `TfidfVectorizer(analyzer="char_wb",
    ngram_range=(3, 5))`, fitted to the different texts of the rows that are dealt: more copies of a
    text change no distance. A row of zeros, or text without letters, has no direction, and is an
    error that lists the rows. All pairs are compared, in blocks; distances may be 1e-12 more than
    `within`, for rounding. The groups do not depend on the order of the rows.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"text": ["a red cat", "A red cat!", "blue whales", "two owls"]})
    >>> alike = sf.similar("text", within=0.3)
    >>> df.strat.split(parts={"train": 3, "test": 1}, groups=alike)["split"].tolist()
    ['train', 'train', 'test', 'train']
    """
    load_extra("sklearn", "sklearn")
    refs = feature_refs("sf.similar", features)
    check_one_of("metric", metric, ("cosine", "euclidean"))
    most = 1 if metric == "cosine" else np.inf
    if isinstance(within, bool) or not (isinstance(within, Real) and 0 <= within < most):
        below = "below 1 with the cosine" if metric == "cosine" else "finite"
        msg = f"`within` must be a number of at least 0, and {below}, got {describe(within)}."
        raise StratError(msg)
    return Similar(refs, float(within), metric)


def distinct_texts(entry: EncodedColumns) -> tuple[Ints, list[str]]:
    """Code each row by its text in small letters and with single spaces, and list these."""
    codes, present = factorize_codes(entry.data, int(entry.data.max(initial=-1)) + 1)
    values = frames.to_list(entry.values_at(first_occurrence(codes, len(present))))
    folded = [" ".join(value.lower().split()) for value in values]
    texts = sorted(set(folded))
    places = {text: place for place, text in enumerate(texts)}
    return np.array([places[text] for text in folded], dtype=np.int64)[codes], texts


def weigh_texts(texts: list[str]) -> Any:
    """Weigh the letters of texts, as rows of length 1 whatever the order of the texts."""
    text, rows = "sklearn.feature_extraction.text", "sklearn.preprocessing"
    vectorizer = load_extra(text, "sklearn").TfidfVectorizer(
        analyzer="char_wb", ngram_range=(3, 5), norm=None
    )
    weights = vectorizer.fit_transform(texts)
    weights.sort_indices()
    return load_extra(rows, "sklearn").normalize(weights, copy=False)


def check_not_zero(entry: EncodedColumns, is_zero: Flags) -> None:
    """Raise if rows have no direction."""
    rows = np.flatnonzero(is_zero)
    if not len(rows):
        return
    rows = rows if entry.rows is None else np.sort(entry.rows[rows])
    what, hint = "text in each row, but the text", "missing text is left out, too, by `where`."
    if entry.data.ndim == 2:
        what, hint = "directions, but all numbers", '`metric="euclidean"` measures distances.'
    end = "is blank" if entry.data.ndim == 1 else "are 0"
    msg = f"`sf.similar` compares {what} of {describe_rows(rows)} {end}.\nHint: {hint}"
    shown: dict[Hashable, Any] = {series.name: series for series in entry.series}
    raise StratError(
        msg, frames.rules.failing_rows(frames.library_of(entry.series[0]), shown, rows)
    )
