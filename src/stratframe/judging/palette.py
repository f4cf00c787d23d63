"""Colours of pictures, which can be told apart on light and on dark paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..checks import load_extra

COLOURS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#F0E442",
    "#860000",
    "#6D0086",
    "#00613D",
    "#CE3D00",
    "#3DDB6D",
    "#AA3179",
    "#926DF3",
    "#FF92FF",
    "#0031AA",
    "#00F3FF",
    "#796D00",
    "#FF6155",
    "#793DC2",
    "#79AA00",
    "#49496D",
    "#AA8655",
    "#7986B6",
    "#00C2AA",
    "#AAE7AA",
    "#B692FF",
    "#FFB686",
    "#860055",
    "#92493D",
    "#C249B6",
    "#3D796D",
    "#DB3D79",
    "#FF92AA",
    "#FFC2E7",
    "#009200",
    "#0092FF",
    "#9EB679",
    "#796192",
    "#B6CE00",
    "#614900",
    "#92CEFF",
    "#9E6D79",
    "#E76DDB",
    "#3D6DE7",
    "#86F36D",
    "#CE9286",
    "#CE9ECE",
    "#C21849",
)
"""Colours of classes. Colour-blind readers can tell the first six apart (Okabe and Ito 2008).

Each of the others is the colour farthest from those before it and from `OTHERS`: the distance in
OKLab (Ottosson 2020) plus half of that which is left in deuteranopia (Machado et al. 2009).
"""

OTHERS = "0.75"
"""The colour of pooled classes."""

TOO_FEW = "#2166AC"
"""The colour of the lower end of a signed scale."""

TOO_MANY = "#B2182B"
"""The colour of the upper end of a scale."""

GRID = 0.12
"""The part of the colour of letters in the colour of the lines between cells."""

EMPTY = 0.05
"""The part of the colour of letters in the colour of empty cells."""

FAINTEST = 0.25
"""The part of the colour of an end in the faintest cell that has a colour."""


def class_colours(n: int) -> Sequence[Any]:
    return COLOURS[:n]


def bin_colours(n: int) -> Sequence[Any]:
    """Spread colours over the palette viridis, from dark to light."""
    return list(load_extra("matplotlib", "plot").colormaps["viridis"](np.linspace(0, 1, n)))


def paper_of(ax: Any) -> Any:
    """Return the colour on which axes are drawn, as RGB."""
    to_rgba = load_extra("matplotlib.colors", "plot").to_rgba
    for colour in (ax.get_facecolor(), ax.get_figure(root=True).get_facecolor()):
        rgba = to_rgba(colour)
        if rgba[3] > 0:
            return rgba[:3]
    return to_rgba("white")[:3]


def ink() -> Any:
    """Return the colour of letters, as RGB."""
    style = load_extra("matplotlib", "plot").rcParams
    return load_extra("matplotlib.colors", "plot").to_rgb(style["text.color"])


def mix(colour: Any, paper: Any, part: float) -> Any:
    """Mix a part of a colour with the paper."""
    to_rgb = load_extra("matplotlib.colors", "plot").to_rgb
    return tuple(part * np.array(to_rgb(colour)) + (1 - part) * np.array(paper))


def colour_scale(paper: Any, blank: float, *, is_signed: bool) -> Any:
    """Make a scale from 0 (-1 if it is signed) to 1, without a colour up to the size `blank`.

    The colour begins at once, so that each cell beyond `blank` can be told from paper.
    """
    points = [(0.0, paper), (blank, paper), (blank, mix(TOO_MANY, paper, FAINTEST))]
    points.append((1.0, TOO_MANY))
    if is_signed:
        points = [
            (0.0, TOO_FEW),
            (0.5 - blank / 2, mix(TOO_FEW, paper, FAINTEST)),
            (0.5 - blank / 2, paper),
            *((0.5 + place / 2, colour) for place, colour in points[1:]),
        ]
    scales = load_extra("matplotlib.colors", "plot").LinearSegmentedColormap
    return scales.from_list("matrix", points)
