"""Terms of several numeric columns: clusters, and orders by nearness."""

from collections.abc import Hashable, Sequence
from numbers import Real
from typing import Any

from .. import frames
from ..checks import check_one_of, load_extra, check_int
from ..core.features import SCALES
from ..errors import StratError
from .algorithms import parameters
from .base import Chain, Clusters, Nearest, Ref, Term

COUNTED = ("kmeans", "minibatch", "agglomerative")
"""Algorithms that are told the number of clusters."""

ALGORITHMS = (*COUNTED, "dbscan")


def clusters(
    features: Ref | Sequence[Ref],
    n: int | str = "auto",
    *,
    algorithm: Any = "kmeans",
    scale: str | None = "standard",
    eps: float | None = None,
    min_samples: int | None = None,
    seed: int | None = None,
    name: Hashable | None = None,
) -> Clusters:
    """Take clusters of rows as strata, fitted inside each parent stratum.

    The rows of a cluster are ordered by their distance to its centre, so that rows that
    are alike go to different folds.

    Parameters
    ----------
    features : column or list of columns
        Numbers or booleans, none missing or infinite, cast to float64.
    n : int or "auto"
        Clusters of each parent stratum, at least 1; fewer where it has fewer distinct
        rows. "auto" estimates one number from samples of all rows that are dealt. DBSCAN
        finds its own; an object keeps its own with "auto".
    algorithm : {"kmeans", "minibatch", "agglomerative", "dbscan"} or object
        An object has scikit-learn's `fit_predict`; it is cloned, and given a seed
        where it has a `random_state`. Its label -1 is noise, a cluster like others.
    scale : {"standard", "minmax"} or None
        Divide the features by their standard deviation or range over all rows that are
        dealt, or leave them as they are.
    eps : float, optional
        Radius of a neighbourhood in scaled units, for DBSCAN; by default the knee of
        the sorted distances to the neighbours.
    min_samples : int, optional
        Rows of a dense neighbourhood, for DBSCAN; by default twice the features, at
        most a tenth of the rows, at least 2.
    seed : int, optional
        Of the clusters alone; by default that of the call, and 0 in the tables that
        have none.
    name : hashable, optional
        What its stratum column is called in result frames; by default "cluster".

    Returns
    -------
    Clusters

    Raises
    ------
    StratError
        If an argument breaks a rule.
    ImportError
        Without scikit-learn.

    Notes
    -----
    Cluster labels come from scikit-learn: the same folds are promised for one version
    of it on one platform.

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
    >>> sf.strata(df, sf.clusters(["x", "y"], 2))
       cluster  n  share
    0        0  3    0.5
    1        1  3    0.5
    """
    load_extra("sklearn", "cluster")
    refs = feature_refs("sf.clusters", features)
    check_algorithm(algorithm)
    check_scale("sf.clusters", scale)
    if algorithm != "dbscan" and not (eps is None and min_samples is None):
        msg = f"`eps` and `min_samples` are for algorithm='dbscan', got {algorithm!r}."
        raise StratError(msg)
    if eps is not None and not (isinstance(eps, Real) and 0 < eps < float("inf")):
        msg = f"`eps` of `sf.clusters` must be a finite number above 0, got {eps!r}."
        raise StratError(msg)
    return Clusters(
        refs,
        check_number(n, algorithm),
        algorithm,
        scale,
        None if eps is None else float(eps),
        None if min_samples is None else check_int("min_samples", min_samples, 1),
        None if seed is None else check_int("seed", seed, 0),
        name,
    )


def chain(
    features: Ref | Sequence[Ref],
    *,
    scale: str | None = "standard",
    name: Hashable | None = None,
) -> Chain:
    """Order rows by a chain of nearest neighbours inside their stratum, so that they part.

    From a random row of the stratum always to the nearest row not yet taken: the order
    of distribution-balanced stratified cross-validation (DB-SCV). It comes last in
    `by`, and only once.

    Parameters
    ----------
    features, scale
        As for `sf.clusters`.
    name : hashable, optional
        An order has no column in result frames; every term takes a name.

    Returns
    -------
    Chain

    Raises
    ------
    StratError
        If an argument breaks a rule.

    References
    ----------
    Zeng and Martinez (2000), Distribution-balanced stratified cross-validation for
    accuracy estimation.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"x": [0, 10, 1, 11, 2, 12]})
    >>> df.strat.kfold(sf.chain("x"), k=3, deal="circular")["fold"].tolist()
    [2, 0, 1, 1, 0, 2]
    """
    check_scale("sf.chain", scale)
    return Chain(feature_refs("sf.chain", features), scale, name)


def nearest(
    features: Ref | Sequence[Ref],
    block: int | None = None,
    *,
    scale: str | None = "standard",
    name: Hashable | None = None,
) -> Nearest:
    """Order rows by blocks of nearest neighbours inside their stratum, so that they part.

    A random row of the stratum and the rows nearest to it form a block, one row for
    each fold; then the next, of those not yet taken: the order of distribution
    optimally balanced stratified cross-validation (DOB-SCV). It comes last in `by`, and
    only once.

    Parameters
    ----------
    features, scale
        As for `sf.clusters`.
    block : int, optional
        Rows of a block, at least 2. By default `k`, and in `split` and `sample`
        round(1 / smallest share).
    name : hashable, optional
        An order has no column in result frames; every term takes a name.

    Returns
    -------
    Nearest

    Raises
    ------
    StratError
        If an argument breaks a rule.

    References
    ----------
    Moreno-Torres, Saez and Herrera (2012), Study on the impact of partition-induced
    dataset shift on k-fold cross-validation.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"x": [0, 10, 1, 11, 20, 21]})
    >>> df.strat.kfold(sf.nearest("x"), k=2)["fold"].tolist()
    [1, 1, 0, 0, 0, 1]
    """
    check_scale("sf.nearest", scale)
    size = None if block is None else check_int("block", block, 2)
    return Nearest(feature_refs("sf.nearest", features), size, scale, name)


def feature_refs(verb: str, features: Any) -> tuple[Ref, ...]:
    """Check a column or list of columns."""
    refs = tuple(features) if isinstance(features, list) else (features,)
    if not refs:
        msg = f"`features` of `{verb}` must hold at least one column, got []."
        raise StratError(msg)
    for place, ref in enumerate(refs):
        if not is_ref(ref):
            msg = (
                f"`features` of `{verb}` must be a column or a list of columns, got {ref!r}."
                "\nHint: several columns go in a list, as in `list(df.columns)`."
            )
            raise StratError(msg)
        if any(frames.same_column(ref, other) for other in refs[:place]):
            shown = frames.format_reference(ref)
            msg = f"`features` of `{verb}` must hold each column once, got {shown} twice."
            raise StratError(msg)
    return refs


def is_ref(ref: Any) -> bool:
    """Say whether a value may name or compute a column."""
    if frames.is_computed(ref):
        return True
    try:
        hash(ref)
    except TypeError:
        return False
    return ref is not None and not isinstance(ref, Term)


def check_scale(verb: str, scale: object) -> None:
    """Check how features are scaled."""
    if scale is not None and (not isinstance(scale, str) or scale not in SCALES):
        msg = f"`scale` of `{verb}` must be 'standard', 'minmax' or None, got {scale!r}."
        raise StratError(msg)


def check_algorithm(algorithm: object) -> None:
    """Check the name of an algorithm, or that an object can be one."""
    if isinstance(algorithm, str):
        check_one_of("algorithm", algorithm, ALGORITHMS)
    elif isinstance(algorithm, type) or not callable(getattr(algorithm, "fit_predict", None)):
        msg = f"`algorithm` must have scikit-learn's `fit_predict`, got {algorithm!r}."
        if isinstance(algorithm, type):
            msg += f"\nHint: pass an object, {algorithm.__name__}()."
        raise StratError(msg)


def check_number(n: object, algorithm: Any) -> int | None:
    """Check the number of clusters, and that the algorithm takes one."""
    if isinstance(n, str):
        if n != "auto":
            msg = f"`n` of `sf.clusters` must be a whole number or 'auto', got {n!r}."
            raise StratError(msg)
        return None
    number = check_int("n", n, 1)
    if algorithm == "dbscan":
        msg = f"`n` must be 'auto' for 'dbscan', which finds the number itself, got {n!r}."
        raise StratError(msg)
    if not isinstance(algorithm, str) and not parameters(algorithm, "n_clusters"):
        msg = f"`n` must be 'auto' for an object without `n_clusters`, got {n!r}."
        raise StratError(msg)
    return number
