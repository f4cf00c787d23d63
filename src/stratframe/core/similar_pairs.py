"""Search points or texts for pairs of rows that are near each other.

Points are compared in tiles of rows, and texts by the terms that they share. Both searches yield
only pairs of rows with different labels. After each yield, the caller can give the rows of a pair
the same label so that they are not compared again.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .types import Flags, Ints, Values

WITHIN_ROUNDING = 1e-12
"""The amount by which distances may exceed `within`: relative for points, absolute for texts."""

TILE = 2048
"""The number of rows in a tile. The products of the rows of two tiles fit in cache."""

MAX_NUMBERS = 1 << 22
"""The maximum number of values that are held in memory while pairs are measured."""

MAX_PRODUCTS = 1 << 24
"""The maximum number of pairs of texts that are compared at once."""

MOST_LEFT_OUT = 0.7
"""Common terms are left out of a text if the length of the text in these terms is at most this
multiple of the smallest cosine between near texts."""

MOST_TEXTS = 0.9
"""Common terms are chosen so that they can be left out of at least this share of all texts."""

FLOAT32_ERROR = 1e-5
"""An upper bound on the error of a cosine in float32, far above the errors found in practice."""


class Near(NamedTuple):
    """Pairs of rows, and the distance between the rows of each pair."""

    rows: Ints
    others: Ints
    apart: Values
    """The squared distance between points, or 1 - cosine for texts, divided by its limit."""


def directions(points: Values) -> Values:
    """Scale nonzero points, each a column, to length 1 without overflow."""
    largest = np.maximum(points.max(axis=0, initial=0), -points.min(axis=0, initial=0))
    scaled: Values = np.ldexp(points, -np.frexp(largest)[1])
    scaled /= np.sqrt(squared_lengths(scaled))
    return scaled


def tiles_of(n_rows: int) -> list[slice]:
    return [slice(start, start + TILE) for start in range(0, n_rows, TILE)]


def squared_lengths(points: Values) -> Values:
    return np.asarray(np.einsum("ij,ij->j", points, points))


def near_points(
    points: Values,
    within: float,
    labels: Ints,
    progress: Callable[[int], object],
    *,
    exact: bool = False,
) -> Iterator[Near]:
    """Yield the pairs of points that are at most `within` apart; each point is a row.

    Distances are first computed by matrix products, in float32 if this is precise enough and
    otherwise in float64. Pairs that rounding errors leave undecided are measured again from the
    differences between the points. With `exact`, all pairs that may be near are measured again.
    """
    points = points.T  # a row for each feature
    # Scaling by a power of two is exact, and prevents squares from overflowing. The coordinates of
    # scaled points are at most 1 in absolute value.
    exponent = int(np.frexp(max(points.max(initial=0), -points.min(initial=0)))[1])
    limit = square_limit(within, exponent)

    def scaled(rows: slice | Ints) -> Values:
        return np.ldexp(points[:, rows], -exponent)

    def measure(one: Ints, other: Ints) -> Values:
        return squared_lengths(scaled(one) - scaled(other))

    rows, squares, error = centred_rows(points, scaled, limit)
    slack = error * squares
    least = (squares - slack).astype(rows.dtype)
    tiles = tiles_of(len(rows))
    for place, tile in enumerate(tiles):
        for later in tiles[place:]:
            if share_label(labels, tile, later):
                continue
            bounds = lowest_squares(rows, least, tile, later)
            pair = np.nonzero((bounds <= limit) & (labels[tile, None] != labels[later]))
            one = pair[0] + tile.start
            other = pair[1] + later.start
            apart = bounds[pair].astype(np.float64)
            room = slack[one] + slack[other]
            is_sure = (apart + 2 * room <= limit) & (not exact)
            yield Near(one[is_sure], other[is_sure], (apart + room)[is_sure] / (limit or 1))
            yield from measured(one[~is_sure], other[~is_sure], labels, measure, limit, len(points))
        progress(len(labels[tile]))


def square_limit(within: float, exponent: int) -> float:
    """Compute the limit of the squared distances of points that are divided by 2**exponent."""
    mantissa, power = math.frexp(within * (1 + WITHIN_ROUNDING))
    # The limit is capped near 2**100, which is above all squared distances between points with
    # coordinates of at most 1, and fits in float32.
    return math.ldexp(mantissa, min(power - exponent, 50)) ** 2


def share_label(labels: Ints, tile: slice, later: slice) -> bool:
    """Return whether all rows of two tiles have the same label."""
    first = labels[tile.start]
    return bool((labels[tile] == first).all() and (labels[later] == first).all())


def lowest_squares(rows: Values, least: Values, tile: slice, later: slice) -> Values:
    """Bound the squared distances between the rows of two tiles from below.

    `least` holds the squared length of each row minus its error.
    """
    bounds: Values = rows[tile] @ (-2 * rows[later].T)
    bounds += least[tile, None]
    bounds += least[later]
    return bounds


def centred_rows(
    points: Values, scaled: Callable[[slice], Values], limit: float
) -> tuple[Values, Values, float]:
    """Return centred points as rows, their squared lengths, and the error of a squared distance.

    The rows are in float32 if this is precise enough for the limit, and otherwise in float64. The
    error is given as a share of the sum of the squared lengths of two points (Higham 2002, Accuracy
    and stability of numerical algorithms, section 3.1).
    """
    n_features, n_rows = points.shape
    tiles = tiles_of(n_rows)
    dtype: np.dtype[Any] = np.dtype(np.float32)
    centre = np.sum([scaled(tile).sum(axis=1) for tile in tiles], axis=0)[:, None] / n_rows
    squares = np.concatenate([squared_lengths(scaled(tile) - centre) for tile in tiles])
    error = 4 * (n_features + 8) * float(np.finfo(dtype).eps)
    if error * squares.max() > limit / 8:
        dtype = np.dtype(np.float64)
        error *= 2.0**-29
    rows = np.empty((n_rows, n_features), dtype)
    for tile in tiles:
        rows[tile] = (scaled(tile) - centre).T
    return rows, squares, error


def measured(
    rows: Ints,
    others: Ints,
    labels: Ints,
    measure: Callable[[Ints, Ints], Values],
    limit: float,
    width: int,
) -> Iterator[Near]:
    """Measure pairs of rows in batches, and yield near pairs; a row has about `width` values."""
    step = max(1, MAX_NUMBERS // width)
    for start in range(0, len(rows), step):
        one = rows[start : start + step]
        other = others[start : start + step]
        is_apart = labels[one] != labels[other]
        one = one[is_apart]
        other = other[is_apart]
        apart = measure(one, other)
        is_near = apart <= limit
        yield Near(one[is_near], other[is_near], apart[is_near] / (limit or 1))


def near_texts(
    terms: Any,
    within: float,
    labels: Ints,
    progress: Callable[[int], object],
    max_products: int = MAX_PRODUCTS,
) -> Iterator[Near]:
    """Yield the pairs of texts for which 1 - cosine is at most `within`, which must be below 1.

    `terms` is a SciPy sparse matrix of the weights of terms; each row is a text, and has length 1.
    The first comparison ignores the common terms of a text if these terms alone cannot make the
    cosine large enough. Pairs of texts that may be near are then measured with all terms.
    """
    least = 1 - within
    rare_terms, left_out, lengths = without_common_terms(terms, least)
    all_terms = terms.astype(np.float32)

    def measure(one: Ints, other: Ints) -> Values:
        return 1 - np.asarray(terms[one].multiply(terms[other]).sum(axis=1)).ravel()

    n_texts = terms.shape[0]
    width = terms.nnz // n_texts + 1
    step = max(1, max_products // n_texts)
    for start in range(0, n_texts, step):
        product = (rare_terms[start : start + step] @ all_terms[start:].T).tocsr()
        one = start + np.repeat(np.arange(product.shape[0]), np.diff(product.indptr))
        other = start + product.indices.astype(np.int64)
        room = left_out[one] * lengths[other] + FLOAT32_ERROR
        is_near = (product.data + room >= least) & (labels[one] != labels[other])
        yield from measured(
            one[is_near], other[is_near], labels, measure, within + WITHIN_ROUNDING, width
        )
        progress(product.shape[0])


def without_common_terms(terms: Any, least: float) -> tuple[Any, Values, Values]:
    """Leave out the common terms of a text if they alone cannot make the cosine large enough.

    Returns the weights of the other terms, in float32; the length of each text in the terms that it
    lacks there; and the length of each text in the common terms.
    """
    is_common, lengths = common_terms(terms, MOST_LEFT_OUT * least)
    left_out = np.where(lengths <= MOST_LEFT_OUT * least, lengths, 0)
    weights = terms.astype(np.float32)
    weights.data[is_common[weights.indices] & np.repeat(left_out > 0, np.diff(weights.indptr))] = 0
    weights.eliminate_zeros()
    return weights, left_out, lengths


def common_terms(terms: Any, most: float) -> tuple[Flags, Values]:
    """Mark the common terms, and compute the length of each text in these terms.

    A term is common if the share of texts with the term exceeds a limit: the smallest of 1/2,
    1/4, ... for which nearly all texts have a length of at most `most` in the common terms.
    """
    n_texts, n_terms = terms.shape
    counts = np.bincount(terms.indices, minlength=n_terms)
    squares = terms.multiply(terms).tocsr()
    is_common = np.zeros(n_terms, dtype=np.bool_)
    lengths = np.zeros(n_texts)
    share = 1.0
    while share * n_texts > 1:
        share /= 2
        is_more_common = counts > share * n_texts
        next_lengths = np.sqrt(squares @ is_more_common.astype(np.float64))
        if np.mean(next_lengths <= most) < MOST_TEXTS:
            break
        is_common = is_more_common
        lengths = next_lengths
    return is_common, lengths
