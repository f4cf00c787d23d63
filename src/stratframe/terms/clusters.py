"""The term `sf.clusters`: clusters of rows within strata, found by scikit-learn."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from .. import frames
from ..checks import check_int, check_one_of, load_extra
from ..core.order import grouped
from ..core.points import centroid_distances, centroids, scale_features, unique_points
from ..core.seeds import StreamTag
from ..core.strata import factorize_codes
from ..core.types import Ints, Values
from ..errors import StratError, describe, plural, warn
from ..habits import suggest_arguments
from ..progress import progress_bar
from .algorithms import (
    LARGEST_TREE,
    ONE_THREAD,
    Fit,
    agglomerative,
    custom,
    dbscan,
    estimate,
    kmeans,
    minibatch,
    parameters,
    seeds_of,
    small_fits,
)
from .base import BoundTerm, ColumnRef, Substrata, value_order
from .features import FeatureTerm, Scale, feature_refs

COUNTED: dict[str, Fit] = {
    function.__name__: function for function in (kmeans, minibatch, agglomerative)
}
"""The algorithms that require the number of clusters."""

ALGORITHMS = (*COUNTED, "dbscan")


@dataclass(frozen=True, eq=False, repr=False)
class Clusters(FeatureTerm):
    """Clusters of rows with similar features, within each parent stratum."""

    function: ClassVar[str] = "sf.clusters"
    group_noun: ClassVar[str] = "clusters"
    default_name: ClassVar[str] = "cluster"

    n: int | None
    """The number of clusters; None if it is estimated, or determined by the algorithm."""
    algorithm: Any
    """The name of an algorithm, or an object with `fit_predict`."""
    eps: float | None
    min_samples: int | None
    seed: int

    def divide(self, entry: BoundTerm, parent: Ints, n_parents: int) -> Substrata:
        """Cluster the rows of each stratum, and order each cluster by distance from its centre."""
        labels, distances = cluster(self, entry.data, parent, n_parents)
        # Noise forms the last child.
        codes = np.where(labels < 0, labels.max(initial=-1) + 1, labels)
        return Substrata(codes, int(codes.max(initial=-1)) + 1, value_order(distances), labels)

    def number_groups(self, entry: BoundTerm, codes: Ints) -> Ints:
        """Number clusters by first appearance after sorting the rows by their features."""
        order = np.lexsort(entry.data[::-1])
        numbered = np.empty_like(codes)
        numbered[order] = factorize_codes(codes[order], int(codes.max(initial=-1)) + 1)[0]
        return numbered

    def fit(self) -> Fit:
        if not isinstance(self.algorithm, str):
            return partial(custom, self.algorithm)
        if self.algorithm == "dbscan":
            return partial(dbscan, self.eps, self.min_samples)
        return COUNTED[self.algorithm]

    def count(self, points: Values) -> int:
        """Return the number of clusters as given, estimated, or set in the object; 0 if unknown."""
        if self.n is not None:
            return self.n
        if isinstance(self.algorithm, str):
            needs_number = self.algorithm in COUNTED
            return estimate(points, self.seed) if needs_number else 0
        n = getattr(self.algorithm, "n_clusters", 0)
        return n if isinstance(n, int) else 0


@suggest_arguments
def clusters(
    features: ColumnRef | Sequence[ColumnRef],
    n: int | str = "auto",
    *,
    algorithm: Any = "kmeans",
    scale: Scale = "standard",
    eps: float | None = None,
    min_samples: int | None = None,
    seed: int = 0,
    name: Hashable | None = None,
) -> Clusters:
    """Use clusters of rows, fitted within each parent stratum, as strata.

    The rows of a cluster are ordered by their distance to its centre so that similar rows
    go to different folds.

    Parameters
    ----------
    features : column or list of columns
        Numbers or booleans, without missing or infinite values; they are converted to float64. A
        column can also hold vectors (lists or arrays) of the same length; each component is then a
        feature. On Polars frames, an expression or selector can select several columns.
    n : int or "auto"
        Number of clusters in each parent stratum, at least 1. A stratum with fewer distinct rows
        has fewer clusters. With "auto", one number for all strata is estimated from samples of the
        dealt rows; but DBSCAN finds the number itself, and an object keeps its own setting.
    algorithm : {"kmeans", "minibatch", "agglomerative", "dbscan"} or object
        An object must have a `fit_predict` method, as in scikit-learn. It is cloned, and its
        `random_state`, if any, is set. The label -1 means noise, which forms one more cluster.
    scale : {"standard", "minmax"} or None
        How to scale each feature: "standard" divides it by its standard deviation over all rows
        that are dealt, and "minmax" by its range. None leaves the features unchanged.
    eps : float, optional
        Radius of a neighbourhood for DBSCAN, in scaled units. The default is the knee of the sorted
        distances between neighbours.
    min_samples : int, optional
        Minimum number of rows in a dense neighbourhood for DBSCAN. The default is twice the number
        of features, but at most a tenth of the rows in the stratum, and at least 2.
    seed : int
        Seed of the clustering. The seed of the verb has no effect on clusters, so all verbs find
        the same clusters.
    name : hashable, optional
        Name of the stratum column in result frames; the default is "cluster".

    Returns
    -------
    Clusters

    Raises
    ------
    StratError
        If an argument is invalid.
    ImportError
        If scikit-learn is not installed.

    Notes
    -----
    Cluster labels come from scikit-learn, so identical folds are promised only for the same version
    of scikit-learn on the same platform.

    References
    ----------
    Diamantidis, Karlis and Giakoumakis (2000), Unsupervised stratification of
    cross-validation for accuracy estimation. Spezia, Fontanari and Recamonde-Mendoza
    (2025), Comparing cluster-based cross-validation strategies for machine learning
    model evaluation.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"x": [0.1, 0.2, 0.3, 8.1, 8.2, 8.3], "y": [5, 5, 5, 1, 1, 1]})
    >>> sf.plan(df, sf.clusters(["x", "y"], 2), k=3)
       cluster  fold  n
    0        0     0  1
    1        0     1  1
    2        0     2  1
    3        1     0  1
    4        1     1  1
    5        1     2  1
    """
    load_extra("sklearn", "sklearn")
    refs = feature_refs("sf.clusters", features)
    if isinstance(algorithm, str):
        check_one_of("algorithm", algorithm, ALGORITHMS)
    elif isinstance(algorithm, type) or not callable(getattr(algorithm, "fit_predict", None)):
        msg = f"`algorithm` must have a `fit_predict` method, got {describe(algorithm)}."
        if isinstance(algorithm, type):
            msg += f"\nHint: pass `{algorithm.__name__}()`."
        raise StratError(msg)
    if algorithm != "dbscan" and not (eps is None and min_samples is None):
        msg = f"`eps` and `min_samples` require algorithm='dbscan', got {describe(algorithm)}."
        raise StratError(msg)
    if eps is not None and not (isinstance(eps, Real) and 0 < eps <= sys.float_info.max):
        msg = f"`eps` of `sf.clusters` must be a finite number above 0, got {describe(eps)}."
        raise StratError(msg)
    number = check_number(n, algorithm)
    if min_samples is not None:
        min_samples = check_int("min_samples", min_samples, 1)
    return Clusters(
        refs,
        scale,
        number,
        algorithm,
        None if eps is None else float(eps),
        min_samples,
        check_int("seed", seed, 0),
        name=name,
    )


def check_number(n: object, algorithm: Any) -> int | None:
    """Check that `n` suits the algorithm; return the number of clusters, or None for "auto"."""
    if isinstance(n, str):
        if n != "auto":
            msg = f"`n` of `sf.clusters` must be a whole number or 'auto', got {describe(n)}."
            raise StratError(msg)
        return None
    number = check_int("n", n, 1)
    if isinstance(algorithm, str):
        takes_number = algorithm in COUNTED
        noun = "'dbscan', which finds the number itself"
    else:
        takes_number = bool(parameters(algorithm, "n_clusters"))
        noun = "an object without `n_clusters`"
    if not takes_number:
        msg = f"`n` must be 'auto' for {noun}, got {describe(n)}."
        raise StratError(msg)
    return number


def cluster(
    term: Clusters, points: Values, parent: Ints, n_parents: int, one_thread: int = ONE_THREAD
) -> tuple[Ints, Values]:
    """Cluster the rows of each parent stratum; the points have the shape (n_features, n_rows).

    Return the labels and the distances to cluster centres, in scaled units, each of shape
    (n_rows,). Labels are numbered by first appearance within each stratum, and are -1 for noise.
    """
    labels = np.zeros(len(parent), dtype=np.int64)
    distances = np.zeros(len(parent))
    if not len(parent):
        return labels, distances
    points = scale_features(points, term.scale)
    n = term.count(points)
    fit = term.fit()
    sizes = np.bincount(parent, minlength=n_parents)
    strata = rows_of_strata(parent, sizes)
    seeds = seeds_of(term.seed, StreamTag.CLUSTERS, n_parents)
    if frames.threads.is_forked():
        # OpenMP would wait for threads that exist only in the parent process.
        one_thread = len(parent)
    is_small = sizes <= one_thread
    for is_now, context in ((is_small, small_fits(term.algorithm)), (~is_small, nullcontext())):
        with context, progress_bar(int(sizes[is_now].sum()), "Rows in clusters") as progress:
            for stratum in np.flatnonzero(is_now).tolist():
                rows = strata[stratum]
                labels[rows], distances[rows] = cluster_stratum(
                    fit, points[rows], n, seeds[stratum]
                )
                progress(int(sizes[stratum]))
    warn_clusters(term, sizes, int(labels.max(initial=-1)))
    return labels, distances


def rows_of_strata(codes: Ints, sizes: Ints) -> list[Any]:
    """List the rows of each stratum, or select all rows if there is a single stratum."""
    if len(sizes) == 1:
        return [slice(None)]
    return np.split(grouped(np.arange(len(codes)), codes, len(sizes)), np.cumsum(sizes)[:-1])


def cluster_stratum(fit: Fit, points: Values, n: int, seed: int) -> tuple[Ints, Values]:
    """Cluster a single stratum, and return its labels and distances, as described for `cluster`.

    If there are at most `n` distinct rows, each distinct row is a cluster. If the number of
    clusters is unknown (`n` is 0), one or two distinct rows form a single cluster.
    """
    labels = points_as_clusters(points, n)
    centres = None
    if labels is None:
        labels, centres = fit(points, n, seed)
    known = labels >= 0
    shifted = np.where(known, labels, labels.max(initial=-1) + 1)
    codes, present = factorize_codes(shifted, int(shifted.max(initial=-1)) + 1)
    if centres is None:
        middles = centroids(points, codes, len(present))
    else:
        middles = centres[: labels.max() + 1]
        if not known.all():
            noise = points[~known].mean(axis=0, keepdims=True)
            middles = np.concatenate([middles, noise])
        middles = middles[present]
    numbers = np.full(len(codes), -1, dtype=np.int64)
    numbers[known] = factorize_codes(codes[known], len(present))[0]
    return numbers, centroid_distances(points, codes, middles)


def points_as_clusters(points: Values, n: int) -> Ints | None:
    """Make each distinct row a cluster; return None if there are more than `n` distinct rows."""
    least = n or 2
    window = 4 * least
    codes, n_points = unique_points(points[:window].T)
    while n_points <= least and window < len(points):
        window *= 4
        codes, n_points = unique_points(points[:window].T)
    distinct = codes if n else np.zeros_like(codes)
    return distinct if n_points <= least else None


def warn_clusters(term: Clusters, sizes: Ints, highest: int) -> None:
    n_large = int((sizes > LARGEST_TREE).sum())
    if term.algorithm == "agglomerative" and n_large:
        warn(
            f"`sf.clusters` with algorithm='agglomerative' clustered a sample of {LARGEST_TREE:,}"
            f" rows in {plural(n_large, 'larger stratum', 'larger strata')}, and assigned the other"
            " rows to the nearest centre.\nHint: 'kmeans' and 'minibatch' use all rows."
        )
    if term.algorithm == "dbscan" and highest < 1 and len(sizes):
        warn(
            "`sf.clusters` with algorithm='dbscan' found at most one cluster in every stratum, so"
            " it only separates noise and orders rows by distance to the centre.\nHint: a"
            " smaller `eps` or `min_samples` finds more clusters, and 'kmeans' finds `n` clusters."
        )
