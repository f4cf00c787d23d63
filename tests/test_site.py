"""The site has every page, every public name and every kind of plot, and its links are checked."""

import ast
import re
import runpy
from pathlib import Path
from shutil import which
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


@pytest.fixture(scope="module")
def conf():
    """The functions that adapt pages to the site."""
    return runpy.run_path(str(DOCS / "conf.py"))


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
    """The modules of the engines have verbs of the package, to which the API links."""
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


@pytest.mark.parametrize("folder", [".", "guide", "recipes", "coming-from"])
def test_every_page_is_in_the_navigation(conf, folder):
    """The links of the index page of a folder make the toctrees, which have every page once."""
    names = ("index.md", "research.md") if folder == "." else ("index.md",)
    indexes = [(DOCS / folder / name).read_text(encoding="utf-8") for name in names]
    toctrees = "\n".join(map(conf["make_toctrees"], indexes))
    listed = re.findall(r"<([\w/-]+)>$", toctrees, re.MULTILINE)
    pages = {path.stem for path in (DOCS / folder).glob("*.md")} - {"index"}
    folders = ("api", "guide", "recipes", "coming-from") if folder == "." else ()
    assert sorted(listed) == sorted(pages | {f"{each}/index" for each in folders})


def test_cards(conf):
    """A list of links to pages becomes cards with the same titles and texts."""
    cards = conf["ENTRIES"].sub(conf["make_cards"], "# A\n\n- [B](b/c.md): one\n  line.\n\nEnd.\n")
    assert "{grid-item-card} B\n:link: b/c\n:link-type: doc\n\nOne\n  line.\n" in cards
    assert cards.endswith("End.\n")


def test_recipes_are_in_five_groups(conf):
    """The list of all pages names the groups of recipes, each above its first page."""
    titles = entries(DOCS / "recipes" / "index.md", r"^- \[([^\]]+)\]")
    items = [f'<li class="toctree-l2"><a href="#">{title}</a></li>' for title in titles]
    grouped = conf["group_recipes"]("".join(items))
    listed = re.findall(r'<li class="page-group">([^<]+)</li><li[^>]*><a[^>]*>([^<]+)<', grouped)
    assert listed == [
        ("What you predict", "Regression"),
        ("What belongs together", "Groups"),
        ("Time and new rows", "Forecasting"),
        ("Use", "n rows of each class"),
        ("Check", "Choosing k"),
    ]


def test_names_in_docstrings_are_links(conf):
    """The API links what docstrings name to its page, and `by` to the terms, and no calls."""
    lines = ["by : entry or list of entries", "    As `sf.bins`; ``sf.bins`` and `sf.bins(2)` not."]
    conf["link_names"](None, "function", "kfold", None, None, lines)
    assert lines == [
        "by : :ref:`entry <terms>` or list of entries",
        "    As :py:obj:`sf.bins <stratframe.bins>`; ``sf.bins`` and `sf.bins(2)` not.",
    ]


def test_examples_are_before_parameters(conf):
    """The page of a function begins with its example, and keeps all other lines in their order."""
    example = [".. rubric:: Examples", "", ">>> 1 + 1", "2", ""]
    before = ["Add.", "", ":Parameters:", "", "    **a** : int", ""]
    after = [".. rubric:: Notes", "", "None."]
    lines = [*before, *example, *after]
    conf["put_example_first"](None, "function", "add", None, None, lines)
    assert [line for line in lines if line] == [
        "Add.",
        ".. rubric:: Examples",
        ">>> 1 + 1",
        "2",
        ":Parameters:",
        "    **a** : int",
        ".. rubric:: Notes",
        "None.",
    ]
    without = [*before, *after]
    conf["put_example_first"](None, "function", "add", None, None, without)
    assert without == [*before, *after]


@pytest.mark.parametrize("verb", ["kfold", "split"])
def test_examples_have_groups(verb):
    """The examples of the verbs that most readers need first have one of groups."""
    example = getattr(sf, verb).__doc__.partition("Examples\n")[2]
    assert 'groups="patient"' in example


def test_cells_of_tables_have_their_headings(conf):
    """Each cell with a text has the heading of its column; tables without headings stay."""
    table = (
        '<table><thead><tr><th class="head"><p>You <em>have</em></p></th><th><p>Call</p></th></tr>'
        '</thead><tbody><tr class="row-even"><td><p>a</p></td><td><code>b</code></td></tr>'
        "<tr><td>c</td><td></td></tr></tbody></table>"
    )
    plain = "<table><tbody><tr><td>d</td></tr></tbody></table>"
    context = {"body": f"<p>e</p>{plain}{table}{plain}"}
    conf["name_cells"](None, "which", None, context, None)
    assert context["body"].count(plain) == 2
    cells = re.findall(r'<td data-heading="([^"]+)">(?:<\w+>)?(\w?)', context["body"])
    assert cells == [("You have", "a"), ("Call", "b"), ("You have", "c")]


DRAWN = "![A](images/drawn/a"
READERS = {
    "": ["![A](images/a.png)"],
    ".png": [f"{DRAWN}.png)"],
    ".png -narrow.png": [f"{DRAWN}.png){{.only-wide}}", f"{DRAWN}-narrow.png){{.only-narrow}}"],
    ".png -dark.png": [f"{DRAWN}.png){{.only-light}}", f"{DRAWN}-dark.png){{.only-dark}}"],
}


@pytest.mark.parametrize("drawn", READERS)
def test_pictures_are_for_some_readers(conf, tmp_path, monkeypatch, drawn):
    """Each reader sees one variant of a picture, whatever variants are drawn."""
    monkeypatch.setitem(conf["show_variants"].__globals__, "DRAWN", tmp_path)
    for ending in drawn.split():
        (tmp_path / f"a{ending}").touch()
    shown = conf["IMAGE"].sub(conf["show_variants"], "![A](images/a.png)")
    assert shown.split("\n") == READERS[drawn]
    below = conf["IMAGE"].sub(conf["show_variants"], "![A](../images/a.png)")
    assert below == shown.replace("(images", "(../images")


@pytest.mark.slow
def test_gallery_has_every_kind(tmp_path):
    """The code above each picture of the gallery draws it, also for narrow pages, and all kinds."""
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
    for figure in figures.values():
        study["stack"](figure)
        figure.draw_without_rendering()
        assert figure.get_figwidth() <= 4
        letters = [text.get_fontsize() for text in figure.findobj(mpl.text.Text)]
        assert min(letters) * 358 / (72 * figure.get_figwidth()) > 11
        above, below = (ax.get_position() for ax in figure.axes)
        assert above.y0 > below.y1


def test_landing_picture_has_verdicts():
    """The two columns of the landing picture are a leak and fit for use, as `check` says."""
    study = runpy.run_path(str(DOCS / "studies" / "landing.py"))
    frame = study["make_frame"]()
    options = {"groups": "patient", "duplicates": None}
    checks = [sf.check(frame, "label", name, **options) for name in study["PANELS"]]
    assert [check.ok for check in checks] == [False, True]
    assert "11 of 12 patients are in several folds" in str(checks[0])
    assert "each of 12 patients is in one fold" in str(checks[1])
    for narrow in (False, True):
        figure = study["draw_landing"](study["INKS"]["-dark"], narrow)
        shown = [ax.get_title(loc="left") for ax in figure.axes]
        assert shown == [
            "LEAKS: 11 of 12 patients\nare in several folds",
            "FIT FOR USE: each of 12\npatients is in one fold",
        ]


def test_landing_picture_shows_every_visit():
    """Each cell of the landing picture is a visit, in its patient's line, with its fold."""
    study = runpy.run_path(str(DOCS / "studies" / "landing.py"))
    frame = study["make_frame"]()
    figure = study["draw_landing"](study["INKS"][""])
    for ax, name in zip(figure.axes, study["PANELS"], strict=True):
        lines = [int(text.get_position()[1]) for text in ax.texts if text.get_text().isdigit()]
        folds = [int(text.get_text()) for text in ax.texts if text.get_text().isdigit()]
        patients = [list(study["VISITS"])[line] for line in lines]
        assert patients == frame["patient"].tolist()
        assert folds == frame[name].tolist()
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [f"fold {k}" for k in range(5)]


def test_pipeline_shows_real_folds():
    """The picture of the steps has folds that `kfold` gives, which are even at every label."""
    study = runpy.run_path(str(DOCS / "studies" / "pipeline.py"))
    frame = study["make_frame"]()
    assert sf.report(frame, "label")["verdict"].eq("even").all()
    for narrow in (False, True):
        figure = study["draw_pipeline"](study["INKS"][""], narrow)
        titles = [ax.get_title() for ax in figure.axes][:5]
        assert titles == ["1. frame", "2. strata", "3. quota", "4. deal", "5. column"]
        written = [text.get_text() for text in figure.axes[4].texts]
        cells = [value for row in zip(frame["label"], frame["fold"], strict=True) for value in row]
        assert written[3:] == [str(value) for value in cells]


def test_which_rows_go_where():
    """Each picture of folds is of what the code above it gives, as that page says."""
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
    for narrow in (False, True):
        figure = drawn["draw_strip"](strips["rows-past"], drawn["INKS"]["-dark"], narrow)
        labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
        assert labels == ["March", "April", "May", "June", "July", "day"]


def test_pictures_of_rows_are_on_the_pages_of_their_calls():
    """Each picture of rows is also on the page that explains its call, and links to its code."""
    text = (DOCS / "which-rows.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    anchors = [section.partition("\n")[0].lower().replace(" ", "-") for section in sections]
    names = [re.search(r"images/(rows-\w+\.png)", section)[1] for section in sections]
    assert len(names) == 9
    pages = [path.read_text(encoding="utf-8") for path in DOCS.glob("[rg][eu]*/*.md")]
    for name, anchor in zip(names, anchors, strict=True):
        (page,) = (page for page in pages if f"(../images/{name})" in page)
        assert f"(../which-rows.md#{anchor})" in page or name == "rows-plain.png"


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
    """The check of links finds missing files and anchors, and what is loaded from elsewhere."""
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


def test_llms(conf):
    """What language models read names every page once, and has the calls of *which*."""
    pages = [path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")]
    written = conf["make_llms"]({"api/index": "API", "api/generated/kfold": "kfold"})
    named = re.findall(r"^- \[[^\]]+\]\(([\w/-]+)\.html\)", written, re.MULTILINE)
    assert sorted(named) == sorted({*pages, "api/index", "api/generated/kfold"} - {"index"})
    assert '| classes | `df.strat.kfold("label", k=5)` |' in written
    assert ".md" not in written


def test_pictures_of_studies_are_of_printed_tables(conf):
    """Each page of a study has a picture, of numbers that a page prints, with their intervals."""
    drawn = runpy.run_path(str(DOCS / "studies" / "pictures.py"))
    for name, read in drawn["STUDIES"].items():
        pages = [page.read_text("utf-8") for page in DOCS.glob("*.md")]
        assert sum(f"images/{name}.png" in page for page in pages) == 1
        study = read()
        for table in (table for panel in study.panels.values() for table in panel.values()):
            assert table.shape[1] == 3
            middle, low, high = table.to_numpy().T
            assert ((low <= middle) & (middle <= high)).all()
        for narrow in (False, True):
            figure = drawn["draw_study"](study, drawn["INKS"][""], narrow)
            assert [ax.get_title() for ax in figure.axes] == [*study.panels]
            rows = [text.get_text() for text in figure.axes[0].get_yticklabels()]
            assert rows == list(table.index)


needs_node = pytest.mark.skipif(which("node") is None, reason="needs Node")

SEARCH = """
var splitQuery = (text) => text.split(/[^a-z]+/);
const Search = {
  _parseQuery: (query) => [query],
  _performSearch: (query) => {
    const hits = [
      ["which", "Which one do I need?", "", null, 15, "", "text"],
      ["groups", "Groups of a patient", "", null, 5, "", "text"],
      ["groups", "Groups of a patient > Leakage", "#leakage", null, 14, "", "title"],
      ["groups", "stratframe.groups", "#groups", null, 16, "", "object"],
    ];
    hits.forEach((hit) => (hit[4] = Scorer.score(hit)));
    return query === "survival" ? [] : hits.sort((one, other) => one[4] - other[4]);
  },
};
"""
"""A search that finds the same pages for all words, in the order of their scores."""

STEMMER = """
function Stemmer() {
  this.stemWord = (word) => word.replace(/s$/, "");
}
"""


@pytest.fixture
def search_site(tmp_path: Path) -> Path:
    """A site that has nothing but a search, which ranks pages as the site does."""
    static = tmp_path / "_static"
    static.mkdir()
    scorer = (DOCS / "scorer.js").read_text(encoding="utf-8")
    (static / "searchtools.js").write_text(SEARCH)
    (static / "language_data.js").write_text(STEMMER + scorer)
    (tmp_path / "searchindex.js").write_text("")
    return tmp_path


@needs_node
@pytest.mark.parametrize(
    ("query", "pages"),
    [
        pytest.param("copies", ["groups", "which", "groups", "groups"], id="by_their_scores"),
        pytest.param("group", ["groups", "groups", "which", "groups"], id="titles_first"),
        pytest.param("leakage", ["groups", "which", "groups", "groups"], id="not_of_sections"),
        pytest.param("need groups", ["which", "groups", "groups", "groups"], id="shares"),
    ],
)
def test_search_shows_titles_first(search_site: Path, query: str, pages: list[str]) -> None:
    """Pages whose titles hold words of the query come first, the more words the earlier."""
    ask = runpy.run_path(str(ROOT / ".ci" / "links.py"))["ask_search"]
    assert ask(search_site, [query]) == {query: pages}


@needs_node
def test_search_check(search_site: Path) -> None:
    """Words whose page is not among the first two are a fault."""
    find = runpy.run_path(str(ROOT / ".ci" / "links.py"))["find_unfound"]
    assert find(search_site, {"copies": "which", "patients": "groups"}) == []
    assert find(search_site, {"copies": "weights", "survival": "which"}) == [
        "search: copies leads to groups and which, and not to weights",
        "search: survival leads to nothing, and not to which",
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


def test_words_of_the_search_have_pages(conf):
    """The pages that searches should find are there, under the names of the folder."""
    words = runpy.run_path(str(ROOT / ".ci" / "links.py"))["WORDS"]
    assert all((DOCS / f"{page}.md").is_file() for page in [*conf["INDEX"], *words.values()])


def test_buttons(conf):
    """A line of bold links becomes buttons, and bold links in a sentence stay."""
    page = "Text with **[a link](a.md)**.\n\n**[Start](b.md)** **[Which?](c.md)**\n\nEnd.\n"
    shown = conf["BUTTONS"].sub(conf["make_buttons"], page)
    assert shown == (
        "Text with **[a link](a.md)**.\n\n[Start](b.md){.sd-btn .sd-btn-primary}\n"
        "[Which?](c.md){.sd-btn .sd-btn-outline-primary}\n\nEnd.\n"
    )
