"""The clustering algorithms of scikit-learn, as functions with the same signature."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from ..checks import load_extra
from ..core import seeds as draws
from ..core.points import centroids
from ..core.seeds import StreamTag
from ..core.types import Ints, Values
from ..errors import StratError, plural

LARGEST_TREE = 5_000
"""The maximum number of rows for agglomerative clustering; larger strata are sampled."""

BATCHES = 64
"""A mini-batch has one of this many rows. Of the sizes tried, this one was the fastest for
5,000, 100,000 and 1,000,000 rows, with an inertia within 2 % of that of k-means."""

SMALLEST_BATCH = 256
"""The minimum number of rows in a mini-batch."""

BATCH_TOLERANCE = 1e-3
"""The relative movement of the centres below which mini-batch k-means stops. scikit-learn sets no
limit by default, and mini-batch k-means is then slower than k-means."""

WIDER = 1 + 1e-9
"""The factor by which the radius of DBSCAN is enlarged. The radius is the distance between two
rows; without the factor, rounding errors would decide whether these rows are neighbours."""

SAMPLES = 50
"""The number of samples for estimating the number of clusters."""

SAMPLE_ROWS = 100
"""The maximum number of rows in a sample for estimating the number of clusters."""

ONE_THREAD = 256
"""The maximum number of rows in a stratum that is clustered on one thread. scikit-learn gives each
thread chunks of this size, so further threads would be idle, and would not change the labels."""

Fit: TypeAlias = Callable[[Values, int, int], tuple[Ints, Values | None]]
"""A function of points (n_rows, n_features), the number of clusters and a seed. It returns the
labels (-1 for noise) and the cluster centres (None if the algorithm has no centres)."""


def estimate(points: Values, seed: int) -> int:
    """Estimate the number of clusters from average-linkage trees of small samples.

    A tree is built for each of 50 samples of at most 100 rows. Each tree is cut at the merges that
    are higher than the mean height plus two standard deviations. The estimate is the mean number of
    clusters over the samples, rounded to a whole number (halves are rounded up).

    References
    ----------
    Diamantidis, Karlis and Giakoumakis (2000), Unsupervised stratification of
    cross-validation for accuracy estimation.
    """
    n_rows = len(points)
    if n_rows < 2:
        return 1
    linkage = load_extra("scipy.cluster.hierarchy", "sklearn").linkage
    pairwise_distances = load_extra("scipy.spatial.distance", "sklearn").pdist
    cuts = 0
    for seed_of_sample in seeds_of(seed, StreamTag.CLUSTER_SAMPLES, SAMPLES):
        rows = some_rows(n_rows, SAMPLE_ROWS, seed_of_sample)
        heights = linkage(pairwise_distances(points[rows]), "average")[:, 2]
        cuts += int((heights > heights.mean() + 2 * heights.std()).sum())
    return 1 + (2 * cuts + SAMPLES) // (2 * SAMPLES)


def seeds_of(seed: int, use: StreamTag, count: int) -> list[int]:
    """Draw seeds of 32 bits, as scikit-learn requires."""
    seeds: list[int] = (draws.random_words(seed, use, count) >> np.uint64(32)).tolist()
    return seeds


def some_rows(n_rows: int, most: int, seed: int) -> Ints:
    """Draw the positions of at most `most` rows, in ascending order."""
    if n_rows <= most:
        return np.arange(n_rows)
    draw = load_extra("sklearn.utils.random", "sklearn").sample_without_replacement
    rows: Ints = np.sort(draw(n_rows, most, random_state=seed))
    return rows


def kmeans(points: Values, n: int, seed: int) -> tuple[Ints, Values]:
    sklearn = load_extra("sklearn.cluster", "sklearn")
    return with_centres(sklearn.KMeans(n, n_init=1, random_state=seed), points)


def minibatch(points: Values, n: int, seed: int) -> tuple[Ints, Values]:
    size = max(SMALLEST_BATCH, len(points) // BATCHES)
    batches = load_extra("sklearn.cluster", "sklearn").MiniBatchKMeans(
        n, n_init=1, random_state=seed, batch_size=size, tol=BATCH_TOLERANCE
    )
    return with_centres(batches, points)


def with_centres(model: Any, points: Values) -> tuple[Ints, Values]:
    with converged():
        model.fit(points)
    return model.labels_, model.cluster_centers_


@contextmanager
def converged() -> Iterator[None]:
    """Ignore scikit-learn's warning about equal rows; rounding can make distinct rows equal."""
    kind = load_extra("sklearn.exceptions", "sklearn").ConvergenceWarning
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kind)
        yield


@contextmanager
def small_fits(algorithm: object) -> Iterator[None]:
    """Limit scikit-learn to one thread and skip its checks, which is faster for small strata."""
    limited = load_extra("threadpoolctl", "sklearn").threadpool_limits(1, user_api="openmp")
    # The parameters of a user's object have not been checked yet.
    unchecked = {"assume_finite": True, "skip_parameter_validation": isinstance(algorithm, str)}
    with limited, load_extra("sklearn", "sklearn").config_context(**unchecked):
        yield


def agglomerative(points: Values, n: int, seed: int) -> tuple[Ints, None]:
    """Cluster all rows, or a sample if many, by Ward's method; others go to the nearest centre."""
    rows = some_rows(len(points), max(LARGEST_TREE, n), seed)
    tree = load_extra("sklearn.cluster", "sklearn").AgglomerativeClustering(n)
    labels_of_sample: Ints = tree.fit(points[rows]).labels_
    if len(rows) == len(points):
        return labels_of_sample, None
    assign = load_extra("sklearn.metrics", "sklearn").pairwise_distances_argmin
    labels: Ints = assign(points, centroids(points[rows], labels_of_sample, n))
    labels[rows] = labels_of_sample
    return labels, None


def dbscan(
    eps: float | None, min_samples: int | None, points: Values, n: int, seed: int
) -> tuple[Ints, None]:
    """Cluster by density; the default radius is computed from the distances to neighbours.

    References
    ----------
    Sander, Ester, Kriegel and Xu (1998), Density-based clustering in spatial databases:
    the algorithm GDBSCAN and its applications.
    """
    if min_samples is None:
        min_samples = max(2, min(2 * points.shape[1], len(points) // 10))
    if eps is None:
        eps = radius(points, max(1, min(min_samples, len(points)) - 1))
    model = load_extra("sklearn.cluster", "sklearn").DBSCAN(eps=eps, min_samples=min_samples)
    return model.fit(points).labels_, None


def radius(points: Values, neighbour: int) -> float:
    """Return the knee of the sorted distances from each row to its neighbour of the given rank.

    If there is no knee above zero, use the median distance; if the median is zero, use the smallest
    distance above zero, or 1 if all distances are zero.
    """
    neighbours = load_extra("sklearn.neighbors", "sklearn").NearestNeighbors(n_neighbors=neighbour)
    heights = np.sort(neighbours.fit(points).kneighbors()[0][:, -1])
    with warnings.catch_warnings():
        # kneed warns if there is no knee, and divides by zero if all distances are equal.
        warnings.simplefilter("ignore")
        locator = load_extra("kneed", "sklearn").KneeLocator(
            np.arange(len(heights)), heights, curve="convex", direction="increasing"
        )
    knee = locator.knee_y or np.median(heights)
    return float(knee or min(heights[heights > 0], default=1.0)) * WIDER


def custom(algorithm: Any, points: Values, n: int, seed: int) -> tuple[Ints, Values | None]:
    """Cluster with a clone of the user's object, after setting its seed and number of clusters."""
    model = load_extra("sklearn.base", "sklearn").clone(algorithm, safe=False)
    settings = dict.fromkeys(parameters(model, "random_state"), seed)
    if n:
        settings |= dict.fromkeys(parameters(model, "n_clusters"), n)
    if settings:
        model.set_params(**settings)
    try:
        with converged():
            labels = np.asarray(model.fit_predict(points))
    except (TypeError, ValueError) as error:
        msg = (
            f"`algorithm` must cluster every stratum, but {algorithm} failed on a stratum of"
            f" {plural(len(points), 'row')}: {str(error).partition(chr(10))[0]}"
            "\nHint: it may need more rows than the smallest strata have."
        )
        raise StratError(msg) from error
    if labels.shape != (len(points),) or labels.dtype.kind not in "iu" or labels.min() < -1:
        msg = (
            "`algorithm` must give every row a whole number of at least -1,"
            f" got {labels.dtype} of shape {labels.shape} from {algorithm}."
        )
        raise StratError(msg)
    centres = getattr(model, "cluster_centers_", None)
    if isinstance(centres, np.ndarray) and len(centres) > labels.max():
        return labels.astype(np.int64), centres
    present, codes = np.unique(labels, return_inverse=True)
    return codes.astype(np.int64) - int(present[0] == -1), None


def parameters(algorithm: Any, name: str) -> list[str]:
    """List the parameters that have this name in an object or in the steps of a pipeline."""
    values: dict[str, Any] = getattr(algorithm, "get_params", dict)()
    return [each for each in values if each == name or each.endswith(f"__{name}")]
