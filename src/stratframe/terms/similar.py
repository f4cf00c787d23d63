"""The term `sf.similar`: groups of rows that are near-duplicates of each other."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from .. import frames
from ..checks import check_one_of, load_extra
from ..core.hashing import hash_groups
from ..core.similar_pairs import WITHIN_ROUNDING, Near, directions, near_points, near_texts
from ..core.strata import factorize_codes, first_occurrence
from ..core.types import Flags, Ints
from ..errors import StratError, describe, describe_rows
from ..frames import Rule
from ..habits import suggest_arguments
from ..progress import progress_bar
from .base import BoundTerm, ColumnRef, Missing, Substrata, Term, list_arguments
from .features import feature_refs, finite_numbers, read_points
from .together import connected_nodes, group_share, rank_by_hash

Metric: TypeAlias = Literal["cosine", "euclidean"]


@dataclass(frozen=True, eq=False, repr=False)
class Similar(Term):
    """Groups of rows that are near each other, directly or through other rows."""

    function: ClassVar[str] = "sf.similar"
    group_noun: ClassVar[str] = "groups of similar rows"
    only_groups: ClassVar[bool] = True
    has_features: ClassVar[bool] = True

    within: float
    metric: Metric

    def arguments(self) -> str:
        features = [frames.format_reference(column) for column in self.columns]
        text = list_arguments(features)
        if len(features) == 1:
            text = features[0]
        text += f", {self.within:.10g}"
        if self.metric != "cosine":
            text += f", metric={self.metric!r}"
        return text

    def read(self, series: Sequence[Any]) -> BoundTerm:
        if not any(map(frames.dtypes.is_text, series)):
            dtypes = [frames.dtypes.dtype_of(each) for each in series]
            is_number = len(dtypes) == 1 and not frames.dtypes.is_nested(dtypes[0])
            if is_number and self.metric == "cosine":
                msg = (
                    "`sf.similar` compares directions by the cosine, but a number has no direction,"
                    f' got {self}.\nHint: `metric="euclidean"` measures distances.'
                )
                raise StratError(msg)
            return read_points(self, series)
        if len(series) > 1 or self.metric != "cosine":
            msg = (
                "`sf.similar` compares text only in a single column, and only by the cosine, got"
                f" {self}.\nHint: join several columns of text into one first."
            )
            raise StratError(msg)
        codes, _ = frames.encode_classes(series[0])
        return BoundTerm(self, series, codes, codes < 0)

    def rules(self, missing: Missing) -> list[Rule]:
        return [finite_numbers(missing)] * len(self.columns)

    def divide(self, entry: BoundTerm, parent: Ints, n_parents: int) -> Substrata:
        if not len(parent):
            return Substrata(parent, 0)
        codes, compared = self.compare(entry)
        labels = np.arange(compared.shape[0])
        for pairs in self.near(compared, labels):
            if len(pairs.rows):
                joined = connected_nodes(len(labels), labels[pairs.rows], labels[pairs.others])
                labels[:] = joined[labels]
        return Substrata(labels[codes], len(labels))

    def compare(self, entry: BoundTerm) -> tuple[Ints, Any]:
        """Return a code for each row, and the point or weighted text for each code."""
        if entry.data.ndim == 1:
            codes, texts = distinct_texts(entry)
            check_not_zero(entry, np.array([not text for text in texts], dtype=np.bool_)[codes])
            return codes, weigh_texts(texts)
        points = entry.data
        if self.metric == "cosine":
            check_not_zero(entry, np.asarray(~points.any(axis=0)))
            points = directions(points)
        return np.arange(points.shape[1]), points.T

    def near(self, compared: Any, labels: Ints, *, exact: bool = False) -> Iterator[Near]:
        """Yield pairs of near rows with different labels, and show a progress bar."""
        find: Any = near_texts
        within = self.within
        if isinstance(compared, np.ndarray):
            find = partial(near_points, exact=exact)
            if self.metric == "cosine":
                # For vectors x and y of length 1, |x - y|**2 = 2 (1 - cosine).
                within = float(np.sqrt(2 * (within + WITHIN_ROUNDING)))
        with progress_bar(len(labels), "Similar rows") as progress:
            yield from find(compared, within, labels, progress)

    def number_groups(self, entry: BoundTerm, codes: Ints) -> Ints:
        if entry.data.ndim == 1:
            columns: list[Any] = [frames.read_key(entry.values_at(np.arange(len(codes))))]
        else:
            columns = [frames.read.key_of_floats(feature) for feature in entry.data]
        return rank_by_hash(codes, hash_groups(columns))

    def explain_group(self, entry: BoundTerm, rows: Ints) -> str:
        share = group_share(entry, rows)
        if not self.within:
            return f"{share}."
        return f"{share}: a `within` below {self.within:.10g} joins fewer rows."

    def nearest_groups(self, entry: BoundTerm, groups: Ints, folds: Ints) -> Ints:
        """Rank groups by the shortest distance between rows in different folds; -1 is no fold."""
        codes, compared = self.compare(entry)
        folds = folds if entry.rows is None else folds[entry.rows]
        rows = np.flatnonzero(folds >= 0)
        present, first, places = np.unique(codes[rows], return_index=True, return_inverse=True)
        group = groups[rows][first]
        fold = folds[rows][first]
        distances = np.full(int(groups.max(initial=-1)) + 1, np.inf)
        distances[groups[rows][folds[rows] != fold[places]]] = 0
        for pairs in self.near(compared[present], fold, exact=True):
            np.minimum.at(distances, group[pairs.rows], pairs.apart)
        order = np.argsort(distances.round(9), kind="stable")  # rounded, so that platforms agree
        return np.argsort(order)


@suggest_arguments
def similar(
    features: ColumnRef | Sequence[ColumnRef], within: float = 0.05, *, metric: Metric = "cosine"
) -> Similar:
    """Keep together rows that are at most `within` apart, directly or through other rows.

    Use this term as `groups` in any verb that has this argument. `check` counts the groups that are
    in several folds, and `leaks` lists the rows of these groups, with the nearest rows first.

    Parameters
    ----------
    features : column or list of columns
        Numbers, or a column of vectors such as embeddings, as for `sf.clusters`, but not scaled.
        Alternatively, a single column of text, which is compared by the characters of its words.
    within : float
        Maximum distance between two near-duplicates. It must be at least 0; for the cosine
        distance, it must also be below 1.
    metric : {"cosine", "euclidean"}
        The cosine distance is 1 minus the cosine of the angle between two rows: 0 for the same
        direction, and 1 for a right angle. Text requires "cosine", and a single column of numbers
        requires "euclidean".

    Returns
    -------
    Similar

    Raises
    ------
    StratError
        If an argument is invalid.
    ImportError
        If scikit-learn is not installed.

    Notes
    -----
    Texts are converted to lower case and compared by scikit-learn's
    `TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5))`. It is fitted to the distinct texts of
    the rows that are dealt, so copies of a text do not change the distances. With the cosine, a row
    of zeros or a blank text has no direction, and an error lists such rows. All pairs of rows are
    compared, in blocks. Distances can exceed `within` by 1e-12 (relative if Euclidean), to allow
    for rounding. The groups do not depend on the order of the rows.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"text": ["a red cat", "A red cat!", "blue whales", "two owls"]})
    >>> alike = sf.similar("text", within=0.3)
    >>> df.strat.split(parts={"train": 3, "test": 1}, groups=alike)["split"].tolist()
    ['train', 'train', 'train', 'test']
    """
    load_extra("sklearn", "sklearn")
    refs = feature_refs("sf.similar", features)
    check_one_of("metric", metric, ("cosine", "euclidean"))
    most = 1 if metric == "cosine" else sys.float_info.max
    if isinstance(within, bool) or not (isinstance(within, Real) and 0 <= within < most):
        limit = "finite"
        if metric == "cosine":
            limit = "below 1 with the cosine"
        msg = f"`within` must be a number of at least 0, and {limit}, got {describe(within)}."
        raise StratError(msg)
    return Similar(refs, abs(float(within)), metric)  # avoid -0.0


def distinct_texts(entry: BoundTerm) -> tuple[Ints, list[str]]:
    """Put texts in lower case with single spaces; return a code per row, and the distinct texts."""
    codes, present = factorize_codes(entry.data, int(entry.data.max(initial=-1)) + 1)
    values = frames.to_list(entry.values_at(first_occurrence(codes, len(present))))
    folded = [" ".join(value.lower().split()) for value in values]
    texts, places = np.unique(np.array(folded, dtype=object), return_inverse=True)
    return places[codes], texts.tolist()


def weigh_texts(texts: list[str]) -> Any:
    """Return tf-idf vectors of length 1, which do not depend on the order of the texts."""
    vectorizer = load_extra("sklearn.feature_extraction.text", "sklearn").TfidfVectorizer(
        analyzer="char_wb", ngram_range=(3, 5), norm=None
    )
    vectors = vectorizer.fit_transform(texts)
    vectors.sort_indices()
    return load_extra("sklearn.preprocessing", "sklearn").normalize(vectors, copy=False)


def check_not_zero(entry: BoundTerm, is_zero: Flags) -> None:
    rows = np.flatnonzero(is_zero)
    if not len(rows):
        return
    rows = rows if entry.rows is None else np.sort(entry.rows[rows])
    text = describe_rows(rows)
    if entry.data.ndim == 2:
        msg = (
            f"`sf.similar` compares directions, but all numbers of {text} are 0."
            '\nHint: `metric="euclidean"` measures distances.'
        )
    else:
        msg = (
            f"`sf.similar` compares all texts, but the text of {text} is blank."
            "\nHint: drop these rows, or exclude them with `where`."
        )
    columns: dict[Hashable, Any] = {series.name: series for series in entry.series}
    library = frames.library_of(entry.series[0])
    raise StratError(msg, frames.rules.failing_rows(library, columns, rows))
