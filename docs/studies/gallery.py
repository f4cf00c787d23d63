"""Draw the pictures of docs/gallery.md with the code of that page.

    python docs/studies/gallery.py

Saves docs/images/gallery-*.png: each block of code that is followed by a picture draws it. The site
also has the pictures for narrow and for dark pages.
"""

import re
import textwrap
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

mpl.use("Agg")

DOCS = Path(__file__).parents[1]
BLOCK = re.compile(
    r"^```python\n(.*?)^```$(?:\n\n!\[[^\]]*\]\(images/([\w-]+\.png)\))?", re.M | re.S
)

INK = "#e6e6e6"
PAPER = "#14181e"
STYLES = {
    "": {},
    "-dark": {
        "axes.edgecolor": INK,
        "axes.facecolor": PAPER,
        "axes.labelcolor": INK,
        "figure.facecolor": PAPER,
        "savefig.facecolor": PAPER,
        "text.color": INK,
        "xtick.color": INK,
        "ytick.color": INK,
    },
}
"""Settings of matplotlib, by the ending of a picture's name; classes keep their colours."""

NARROW = 4.0
"""The largest width of a picture for narrow pages, in inches, at which its letters can be read."""

LETTERS = 9.5
"""The least size of letters in such a picture, in points."""


def draw_page() -> dict[str, Figure]:
    """Run the code of the page, and name the figures that its blocks leave open."""
    text = (DOCS / "gallery.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    figures = {}
    for code, image in BLOCK.findall(text):
        exec(code, names)
        if image:
            figures[image] = plt.gcf()
    return figures


def stack(figure: Figure) -> None:
    """Put what is side by side one below the other, for narrow pages, without bars of colours."""
    for image in [image for ax in figure.axes for image in (*ax.images, *ax.collections)]:
        if image.colorbar:
            image.colorbar.remove()
    grid = figure.add_gridspec(len(figure.axes), 1)
    for place, ax in enumerate(figure.axes):
        ax.set_subplotspec(grid[place])
        ax.tick_params(labelleft=True)
    if label := figure.get_supxlabel():
        lines = [textwrap.fill(line, 40) for line in label.split("\n")]
        figure.supxlabel("\n".join(lines), size="medium")
    for text in figure.findobj(mpl.text.Text):
        text.set_fontsize(max(text.get_fontsize(), LETTERS))
    width, height = figure.get_size_inches()
    n = len(figure.axes)
    figure.set_size_inches(min(NARROW, 0.5 + width / n), height * n)


def draw_all(folder: Path, dpi: int) -> None:
    """Draw each picture for wide and narrow, light and dark pages, and save it in a folder."""
    for ending, style in STYLES.items():
        with mpl.rc_context(style):
            for image, figure in draw_page().items():
                save(figure, folder, image.removesuffix(".png"), ending, dpi)


def save(figure: Figure, folder: Path, name: str, ending: str, dpi: int) -> None:
    """Save a figure for wide pages and, with its parts below each other, for narrow ones."""
    figure.savefig(folder / f"{name}{ending}.png", dpi=dpi)
    stack(figure)
    figure.savefig(folder / f"{name}-narrow{ending}.png", dpi=dpi)
    plt.close(figure)


if __name__ == "__main__":
    for image, figure in draw_page().items():
        figure.savefig(DOCS / "images" / image, dpi=100)
