"""The site has every page and public name; its pictures show real folds; its links are checked.

`.ci/links.py` and `.ci/look.py` check the site that has been built: search, llms.txt, look.
"""

import ast
import re
import runpy
from pathlib import Path
from types import ModuleType
from typing import get_args

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import stratframe as sf
from stratframe.accessor import Strat, StratExpr
from stratframe.judging.plot import Kind

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def entries(page: Path, pattern: str) -> list[str]:
    """List what a pattern finds in a page."""
    return re.findall(pattern, page.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_public_name_has_a_page():
    """The API lists every public name of the package and of its modules once."""
    listed = entries(DOCS / "api" / "index.rst", r"^   ([a-zA-Z][\w.]*)$")
    names = ["accessor"]
    for name in sf.__all__:
        is_module = isinstance(getattr(sf, name), ModuleType)
        names += [f"{name}.{each}" for each in getattr(sf, name).__all__] if is_module else [name]
    assert sorted(listed) == sorted(names)


def imported_names(module: str) -> set[tuple[str | None, str]]:
    """List what a module imports by name, and from where; it need not be installed."""
    tree = ast.parse((ROOT / "src" / "stratframe" / f"{module}.py").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return {(node.module, each.name) for node in imports for each in node.names}


@pytest.mark.parametrize("engine", ["dask", "spark"])
def test_functions_of_engines_are_those_of_the_package(engine):
    """The modules of the engines have verbs of the package, which the API lists."""
    verbs = {each for each in imported_names(engine) if each[0].startswith(("verbs.", "judging."))}
    assert verbs <= imported_names("__init__")
    section = (DOCS / "api" / "index.rst").read_text(encoding="utf-8").partition(".. _engines:")[2]
    worked, _, refused = section.partition("The other verbs")
    linked = re.findall(r":func:`(\w+)`", worked)
    assert sorted(linked) == sorted(name for _, name in verbs)
    others = set(re.findall(r":func:`(\w+)`", refused))
    assert {*linked, *others} == set(entries(DOCS / "api" / "accessor.rst", r"^``df\.strat\.(\w+)"))


def test_every_method_is_listed():
    """The page of the accessor lists the methods on frames and on expressions."""
    page = DOCS / "api" / "accessor.rst"
    own = r"^``pl\.col.*\.(\w+)\("
    for accessor, pattern in ((Strat, r"^``df\.strat\.(\w+)"), (StratExpr, own)):
        methods = {name for name in vars(accessor) if not name.startswith("_")}
        assert set(entries(page, pattern)) == methods


def test_every_page_is_in_the_navigation():
    """The links of the index page of a folder make the toctrees, which have every page once."""
    make_toctrees = runpy.run_path(str(DOCS / "conf.py"))["make_toctrees"]
    for folder in (".", "guide", "recipes", "coming-from"):
        names = ("index.md", "research.md") if folder == "." else ("index.md",)
        indexes = [(DOCS / folder / name).read_text(encoding="utf-8") for name in names]
        toctrees = "\n".join(map(make_toctrees, indexes))
        listed = re.findall(r"<([\w/-]+)>$", toctrees, re.MULTILINE)
        pages = {path.stem for path in (DOCS / folder).glob("*.md")} - {"index"}
        folders = ("api", "guide", "recipes", "coming-from") if folder == "." else ()
        assert sorted(listed) == sorted(pages | {f"{each}/index" for each in folders})


@pytest.mark.slow
def test_gallery_has_every_kind():
    """The gallery has each kind of plot, and the code above each picture draws it."""
    page = DOCS / "gallery.md"
    kinds = entries(page, r'strat\.plot\((?:.*kind="(\w+)")?')
    assert {kind or "shares" for kind in kinds} == set(get_args(Kind))
    study = runpy.run_path(str(DOCS / "studies" / "gallery.py"))
    figures = study["draw_page"]()
    assert list(figures) == entries(page, r"^!\[.*\]\(images/(.*)\)$")
    assert len({id(figure) for figure in figures.values()}) == len(figures)
    begins = {
        "shares": ["fold: even, each class within a row", "sorted: fold 0 has none of 71 rows of"],
        "order": ["fold: even in order, within 2 rows", "random: as even as a shuffle"],
        "sizes": ["fold: 3 folds of 30 to 35 rows", "in turn: 3 folds of 20 to 45 rows"],
        "balance": ["fold: even, each class within a row", "plain: as even as a shuffle"],
        "leaks": ["fold: each of 40 patients is in one fold", "shuffled: 38 of 40 patients are in"],
        "drift": ["fold: none of 30 comparisons beyond", "sorted: 'flavanoids' differs in fold"],
    }
    for kind, starts in begins.items():
        axes = figures[f"gallery-{kind}.png"].axes
        titles = [title.replace("\n", " ") for ax in axes if (title := ax.get_title())]
        assert all(map(str.startswith, titles, starts)), titles


def test_landing_picture_has_verdicts():
    """One column of the landing picture leaks and the other is fit for use, as `check` says."""
    study = runpy.run_path(str(DOCS / "studies" / "landing.py"))
    frame = study["make_frame"]()
    options = {"groups": "patient", "duplicates": None}
    checks = [sf.check(frame, "label", name, **options) for name in study["PANELS"]]
    assert [check.ok for check in checks] == [False, True]
    assert "11 of 12 patients are in several folds" in str(checks[0])
    assert "each of 12 patients is in one fold" in str(checks[1])
    figure = study["draw_landing"](study["INKS"][""])
    assert [ax.get_title(loc="left") for ax in figure.axes] == [
        "LEAKS: 11 of 12 patients\nare in several folds",
        "FIT FOR USE: each of 12\npatients is in one fold",
    ]


def test_pipeline_shows_real_folds():
    """The picture of the steps shows the folds of `kfold`, which are even in every label."""
    study = runpy.run_path(str(DOCS / "studies" / "pipeline.py"))
    frame = study["make_frame"]()
    assert sf.report(frame, "label")["verdict"].eq("even").all()
    figure = study["draw_pipeline"](study["INKS"][""])
    written = [text.get_text() for text in figure.axes[4].texts]
    cells = [value for row in zip(frame["label"], frame["fold"], strict=True) for value in row]
    assert written[3:] == [str(value) for value in cells]


def test_which_rows_go_where():
    """Each picture of folds shows the result of the code above it, as the page says."""
    drawn = runpy.run_path(str(DOCS / "studies" / "pictures.py"))
    strips = drawn["run_page"]()
    pictures = entries(DOCS / "which-rows.md", r"^!\[.*\]\(images/(.*)\.png\)$")
    shown = "plain", "label", "groups", "linked", "contiguous", "newest", "past", "apart", "nested"
    assert list(strips) == pictures == [f"rows-{name}" for name in shown]
    states = {name: np.array([*strips[f"rows-{name}"].lines.values()]) for name in shown}
    for name in ("plain", "label", "groups", "linked", "contiguous", "nested"):
        assert ((states[name] == 2).sum(axis=0) == 1).all()
    bands = strips["rows-linked"].bands
    fold = {name: (states[name] == 2).argmax(axis=0) for name in states}
    assert pd.crosstab(fold["label"], bands["label"]).to_numpy().tolist() == [[5, 3, 2]] * 4
    for name, column in (("groups", "patient"), ("linked", "patient"), ("linked", "device")):
        assert (pd.Series(fold[name]).groupby(bands[column]).nunique() == 1).all()
    for pair in states["apart"]:
        assert not {*bands["patient"][pair == 1]} & {*bands["patient"][pair == 2]}
    month = strips["rows-past"].bands["day"].dt.month
    months = [[[*month[pair == state].unique()] for state in (2, 1)] for pair in states["past"]]
    assert months == [[[3], [1]], *([[each], [each - 3, each - 2]] for each in (4, 5, 6, 7))]


@pytest.mark.slow
def test_letters_of_pictures_of_rows_can_be_read_on_a_phone():
    """On a page of 390 pixels the letters are at least 11 pixels high, and do not overlap."""
    drawn = runpy.run_path(str(DOCS / "studies" / "pictures.py"))
    for strip in drawn["run_page"]().values():
        figure = drawn["draw_strip"](strip, drawn["INKS"][""], narrow=True)
        figure.draw_without_rendering()
        pixels_each_point = 358 / (72 * figure.get_figwidth())
        texts = figure.findobj(mpl.text.Text)
        shown = [text for text in texts if text.get_text() and text.get_visible()]
        assert min(text.get_fontsize() for text in shown) * pixels_each_point > 11
        boxes = [text.get_window_extent() for text in shown]
        assert sum(box.count_overlaps(boxes) for box in boxes) == len(boxes)


def test_link_checker(tmp_path):
    """The check of links finds missing files and anchors, and files from other servers."""
    site = tmp_path / "site"
    site.mkdir()
    check = runpy.run_path(str(ROOT / ".ci" / "links.py"))["find_faults"]
    assert check(site) == [f"{site}: no pages"]
    (tmp_path / "outside.html").write_text("")
    (site / "a.html").write_text(
        '<h1 id="top">A</h1><a href="b.html#end">1</a><a href="#top">2</a><a href="b.html">3</a>'
        '<a href="c.html">4</a><img src="d.png"><a href="https://example.org/">5</a>'
        '<script src="https://example.org/x.js"></script>'
        '<a href>6</a><a href="../outside.html">7</a>'
    )
    (site / "b.html").write_text('<p id="start">B</p><a href="a.html#top">1</a>')
    (site / "s.css").write_text('a { background: url("https://example.org/y.png") url(z.png) }')
    assert check(site) == [
        "a.html: loads https://example.org/x.js",
        "a.html: ../outside.html: no such file",
        "a.html: b.html#end: no such anchor",
        "a.html: c.html: no such file",
        "a.html: d.png: no such file",
        "s.css: loads https://example.org/y.png",
    ]


def test_pages_that_llms_does_not_name(tmp_path: Path) -> None:
    """A page that llms.txt does not name is a fault."""
    check = runpy.run_path(str(ROOT / ".ci" / "links.py"))["find_unnamed"]
    (tmp_path / "which.html").write_text("")
    (tmp_path / "llms.txt").write_text("- [Groups](groups.html)")
    assert check(tmp_path) == ["llms.txt: which.html is missing"]


def test_pages_without_a_description(tmp_path: Path) -> None:
    """A page that does not describe itself to search engines is a fault, but for the search."""
    check = runpy.run_path(str(ROOT / ".ci" / "links.py"))["find_undescribed"]
    (tmp_path / "which.html").write_text('<meta name="description" content="Find your line.">')
    (tmp_path / "why.html").write_text("")
    (tmp_path / "search.html").write_text("")
    assert check(tmp_path) == ["why.html: no description"]
