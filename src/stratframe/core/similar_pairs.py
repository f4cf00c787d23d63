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

MOST_LEFT_OUT, MOST_TEXTS = 0.7, 0.9
"""Common terms are chosen so that, for at least the share `MOST_TEXTS` of all texts, the length of
the text in these terms is at most `MOST_LEFT_OUT` times the smallest cosine between near texts."""

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
    found: Values = np.ldexp(points, -np.frexp(largest)[1])
    found /= np.sqrt(squared_lengths(found))
    return found


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
    # scaled points are at most 1 in absolute value. The limit is capped near 2**100, which is above
    # all squared distances between such points and fits in float32.
    exponent = int(np.frexp(max(points.max(initial=0), -points.min(initial=0)))[1])
    mantissa, power = math.frexp(within * (1 + WITHIN_ROUNDING))
    limit = math.ldexp(mantissa, min(power - exponent, 50)) ** 2

    def scaled(rows: slice | Ints) -> Values:
        return np.ldexp(points[:, rows], -exponent)

    def measure(one: Ints, other: Ints) -> Values:
        return squared_lengths(scaled(one) - scaled(other))

    rows, squares, error = centred_rows(points, scaled, limit)
    tiles, slack = tiles_of(len(rows)), error * squares
    least = (squares - slack).astype(rows.dtype)
    for place, own in enumerate(tiles):
        for tile in tiles[place:]:
            first = labels[own.start]
            if (labels[own] == first).all() and (labels[tile] == first).all():
                continue
            found = rows[own] @ (-2 * rows[tile].T)
            found += least[own, None]
            found += least[tile]
            pair = np.nonzero((found <= limit) & (labels[own, None] != labels[tile]))
            one, other = pair[0] + own.start, pair[1] + tile.start
            apart, room = found[pair].astype(np.float64), slack[one] + slack[other]
            is_sure = (apart + 2 * room <= limit) & (not exact)
            yield Near(one[is_sure], other[is_sure], (apart + room)[is_sure] / (limit or 1))
            one, other = one[~is_sure], other[~is_sure]
            yield from measured(one, other, labels, measure, limit, len(points))
        progress(len(labels[own]))


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
        dtype, error = np.dtype(np.float64), error * 2.0**-29
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
        one, other = rows[start : start + step], others[start : start + step]
        is_apart = labels[one] != labels[other]
        one, other = one[is_apart], other[is_apart]
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
    n_texts, least = terms.shape[0], 1 - within
    is_common, lengths = common_terms(terms, MOST_LEFT_OUT * least)
    left_out = np.where(lengths <= MOST_LEFT_OUT * least, lengths, 0)
    kept = terms.astype(np.float32)
    kept.data[is_common[kept.indices] & np.repeat(left_out > 0, np.diff(kept.indptr))] = 0
    kept.eliminate_zeros()
    every = terms.astype(np.float32)

    def measure(one: Ints, other: Ints) -> Values:
        return 1 - np.asarray(terms[one].multiply(terms[other]).sum(axis=1)).ravel()

    step, width = max(1, max_products // n_texts), terms.nnz // n_texts + 1
    for start in range(0, n_texts, step):
        product = (kept[start : start + step] @ every[start:].T).tocsr()
        one = start + np.repeat(np.arange(product.shape[0]), np.diff(product.indptr))
        other = start + product.indices.astype(np.int64)
        room = left_out[one] * lengths[other] + FLOAT32_ERROR
        is_near = (product.data + room >= least) & (labels[one] != labels[other])
        yield from measured(
            one[is_near], other[is_near], labels, measure, within + WITHIN_ROUNDING, width
        )
        progress(product.shape[0])


def common_terms(terms: Any, most: float) -> tuple[Flags, Values]:
    """Mark the common terms, and compute the length of each text in these terms.

    A term is common if the share of texts with the term exceeds a limit: the smallest of 1/2,
    1/4, ... for which nearly all texts have a length of at most `most` in the common terms.
    """
    n_texts, counts = terms.shape[0], np.bincount(terms.indices, minlength=terms.shape[1])
    squares, share = terms.multiply(terms).tocsr(), 1.0
    found = np.zeros(len(counts), dtype=np.bool_), np.zeros(n_texts)
    while share * n_texts > 1:
        share /= 2
        is_common = counts > share * n_texts
        lengths = np.sqrt(squares @ is_common.astype(np.float64))
        if np.mean(lengths <= most) < MOST_TEXTS:
            break
        found = is_common, lengths
    return found
