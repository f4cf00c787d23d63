"""`sf.clusters`: clusters inside strata, and distances to their centres."""

from typing import NamedTuple

import numpy as np

from ..core.features import centroid_distances, centroids, scale_features, unique_points
from ..core.order import grouped
from ..core.seeds import StreamTag
from ..core.strata import factorize_codes
from ..core.types import Ints, Values
from ..errors import warn
from .algorithms import LARGEST_TREE, Fit, estimate, fit_of, seeds_of
from .base import Clusters
from .neighbours import COUNTED


class Clustered(NamedTuple):
    """The clusters of rows inside their strata."""

    labels: Ints
    """Numbered by first appearance inside each stratum, -1 for noise; shape (n_rows,)."""
    distances: Values
    """From every row to the centre of its cluster, in scaled units; shape (n_rows,)."""

    @property
    def n_clusters(self) -> int:
        """The highest number of clusters in any stratum, noise among them."""
        return int(self.codes.max(initial=-1)) + 1

    @property
    def codes(self) -> Ints:
        """The labels with noise as the last, shape (n_rows,), range 0..n_clusters-1."""
        return np.where(self.labels < 0, self.labels.max(initial=-1) + 1, self.labels)


def cluster(term: Clusters, points: Values, parent: Ints, n_parents: int, seed: int) -> Clustered:
    """Cluster the rows of every parent stratum.

    Parameters
    ----------
    points : ndarray of float64, shape (n_features, n_rows), finite
    parent : ndarray of int, shape (n_rows,), range 0..n_parents-1
    """
    seed = seed if term.seed is None else term.seed
    found = Clustered(np.zeros(len(parent), dtype=np.int64), np.zeros(len(parent)))
    if not len(parent):
        return found
    points = scale_features(points, term.scale)
    n = number_of(term, points, seed)
    fit = fit_of(term)
    seeds = seeds_of(seed, StreamTag.CLUSTERS, n_parents)
    sizes = np.bincount(parent, minlength=n_parents)
    if n_parents == 1:
        found = Clustered(*one(fit, points, n, seeds[0]))
    else:
        every = grouped(np.arange(len(parent)), parent, n_parents)
        parted = np.split(every, np.cumsum(sizes)[:-1])
        for rows, own_seed in zip(parted, seeds, strict=True):
            found.labels[rows], found.distances[rows] = one(fit, points[rows], n, own_seed)
    tell(term, sizes, int(found.labels.max(initial=-1)))
    return found


def one(fit: Fit, points: Values, n: int, seed: int) -> tuple[Ints, Values]:
    """Cluster one stratum.

    Where it has no more distinct rows than clusters are asked for, these are the
    clusters; without a number, fewer than three distinct rows are one cluster.

    Returns
    -------
    labels : ndarray of int64, shape (n_rows,)
        Numbered by first appearance; -1 for noise.
    distances : ndarray of float64, shape (n_rows,)
    """
    labels, centres = few(points, n), None
    if labels is None:
        labels, centres = fit(points, n, seed)
    known = labels >= 0
    shifted = np.where(known, labels, labels.max(initial=-1) + 1)
    codes, present = factorize_codes(shifted, int(shifted.max(initial=-1)) + 1)
    if centres is None:
        middles = centroids(points, codes, len(present))
    else:
        noise = points[~known].mean(axis=0, keepdims=True) if not known.all() else centres[:0]
        middles = np.concatenate([centres[: labels.max() + 1], noise])[present]
    first = np.full(len(codes), -1, dtype=np.int64)
    first[known] = factorize_codes(codes[known], len(present))[0]
    return first, centroid_distances(points, codes, middles)


def number_of(term: Clusters, points: Values, seed: int) -> int:
    """Tell how many clusters to make: as asked, as the object says, or estimated."""
    if term.n is not None:
        return term.n
    if isinstance(term.algorithm, str):
        return estimate(points, seed) if term.algorithm in COUNTED else 0
    own = getattr(term.algorithm, "n_clusters", 0)
    return own if isinstance(own, int) else 0


def few(points: Values, n: int) -> Ints | None:
    """Give each distinct row a cluster, if there are at most `n`; None if there are more.

    Returns
    -------
    ndarray of int64, shape (n_rows,), or None
    """
    least = n if n else 2
    window, n_rows = 4 * least, len(points)
    codes, n_points = unique_points(points[:window].T)
    while n_points <= least and window < n_rows:
        window *= 4
        codes, n_points = unique_points(points[:window].T)
    if n_points > least:
        return None
    return codes if n else np.zeros_like(codes)


def tell(term: Clusters, sizes: Ints, highest: int) -> None:
    """Warn once of what a user would not expect of the clusters.

    Parameters
    ----------
    sizes : ndarray of int, shape (n_parents,)
        Rows of each stratum that was clustered.
    """
    large = int((sizes > LARGEST_TREE).sum())
    if term.algorithm == "agglomerative" and large:
        warn(
            f"`sf.clusters` with algorithm='agglomerative' merged a sample of"
            f" {LARGEST_TREE:,} rows in {'a stratum' if large == 1 else f'{large:,} strata'} of"
            " more, and gave the other rows to the nearest centre.\nHint: 'kmeans' and"
            " 'minibatch' take all rows."
        )
    if term.algorithm == "dbscan" and highest < 1 and len(sizes):
        warn(
            "`sf.clusters` with algorithm='dbscan' found no second cluster in any stratum, so"
            " that it adds nothing but the noise and the distances to the centre.\nHint: a"
            " smaller `eps` or `min_samples` parts more, and 'kmeans' always does."
        )
