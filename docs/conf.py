"""Settings of the site: `sphinx-build -W --keep-going docs site`."""

import re
import runpy
from html import escape
from itertools import zip_longest
from pathlib import Path

import stratframe

DOCS = Path(__file__).parent
DRAWN = DOCS / "images" / "drawn"
"""Pictures drawn by the build; those under `images` are for readers on GitHub."""

project = "stratframe"
author = "the stratframe contributors"
copyright = author  # noqa: A001 - Sphinx gives it this name
version = release = stratframe.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["studies"]
templates_path = ["_templates"]
highlight_language = "none"
nitpicky = True
smartquotes = False
default_role = "literal"
toc_object_entries = False

# Markdown: the anchors of headings are GitHub's.
myst_enable_extensions = ["attrs_inline", "colon_fence"]
myst_heading_anchors = 4

# API: types are those of the docstrings.
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False

copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "stratframe"
html_static_path = ["_static"]
html_favicon = "_static/icon.svg"
html_css_files = ["site.css"]
html_search_scorer = str(DOCS / "scorer.js")
html_sidebars = {"**": ["pages.html"]}
html_domain_indices = False
html_use_index = False
html_show_sphinx = False
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "stratframe"},
    "navbar_center": [],
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["footer.html"],
    "footer_end": [],
    "primary_sidebar_end": [],
    "show_toc_level": 2,
    "search_bar_text": "Search",
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

INDEX = {
    "does-it-matter": ["r2", "r2 score", "r squared"],
    "coming-from/scikit-learn": [
        "groupkfold",
        "stratifiedkfold",
        "timeseriessplit",
        "train_test_split",
    ],
    "diagnostics": [
        "leakage",
        "data leakage",
        "detect leakage",
        "leakage detection",
        "panel data",
        "jupyter",
        "notebook",
        "check folds",
        "verify folds",
        "verify fold column",
        "fold column",
        "audit fold column",
    ],
    "not-promised": [
        "upgrade",
        "update",
        "semver",
        "versions",
        "semantic versioning",
        "backward compatibility",
        "folds changed",
        "cpcv",
        "combinatorial purged",
        "purgedkfold",
        "purging",
        "embargo",
    ],
    "guide/use": ["calibration", "stacking"],
    "guide/tools": ["autogluon", "catboost", "lightgbm", "optuna", "skorch", "xgboost"],
    "guide/make": ["random state", "random_state", "seed"],
    "recipes/annotators": ["annotation", "double coding", "inter-annotator agreement"],
    "recipes/assign-to-arms": [
        "a/b test",
        "ab test",
        "clinic",
        "clinics",
        "clinical trial",
        "cluster-randomised",
        "cluster-randomized",
        "cluster randomised",
        "cluster randomized",
        "randomisation",
        "randomization",
    ],
    "recipes/both-axes-new": ["recommender", "recommender system", "cold start"],
    "recipes/choosing-k": [
        "imbalanced",
        "class imbalance",
        "imbalanced data",
        "rare class",
        "rare labels",
    ],
    "recipes/early-stopping": ["gradient boosting"],
    "recipes/fold-from-id": [
        "federated",
        "federated learning",
        "hash split",
        "deterministic hash split",
        "without storing anything",
    ],
    "recipes/forecasting": [
        "time series",
        "time series split",
        "backtest",
        "walk forward",
        "walk-forward",
    ],
    "recipes/groups": [
        "groups",
        "leakage",
        "patient leakage",
        "group k-fold",
        "stratified group k-fold",
        "stratified group kfold",
        "stratifiedgroupkfold",
    ],
    "recipes/hugging-face-pytorch": ["dataloader", "torch", "datasets"],
    "recipes/holdout": [
        "holdout",
        "train test split",
        "train validation test",
        "80/10/10",
        "70/15/15",
        "always in test",
        "fixed test rows",
    ],
    "recipes/last-months": [
        "last month",
        "datetime index",
        "datetimeindex",
        "out of time",
        "out-of-time",
        "vintage",
    ],
    "recipes/last-of-each-user": ["recommender", "leave last out", "leave one out"],
    "recipes/many-labels": ["multilabel", "multi-label", "several labels per row"],
    "recipes/n-of-each": ["few-shot", "few shot", "balanced sample"],
    "recipes/nested-search": ["optuna", "hyperparameter tuning", "nested cross-validation"],
    "recipes/new-data": [
        "new data",
        "new rows",
        "growing data",
        "incremental",
        "incremental data",
        "weekly",
        "every week",
    ],
    "recipes/other-frames": [
        "anndata",
        "duckdb",
        "geopandas",
        "narwhals",
        "pyarrow",
        "scanpy",
        "xarray",
    ],
    "recipes/regression": ["skewed target", "log target"],
    "recipes/share-folds": [
        "random state",
        "random_state",
        "reproducible split",
        "reproducibility",
    ],
    "recipes/stratified-samples": [
        "active learning",
        "bigger sample",
        "enlarge a sample",
        "enlarge sample",
        "evaluation set",
        "larger sample",
        "nested samples",
        "stratified sampling",
    ],
    "recipes/tags": ["multilabel", "multi-label", "several labels per row"],
    "which": [
        "always in test",
        "always in train",
        "conformal",
        "conformal prediction",
        "learning curve",
        "survival",
        "survival analysis",
        "treatment arms",
    ],
}
"""Words that a reader may search for, and the pages that should come first."""

BUTTONS = re.compile(r"^(?:\*\*\[[^\]]+\]\([^)]+\)\*\* ?)+$", re.MULTILINE)
BUTTON = re.compile(r"\*\*(\[[^\]]+\]\([^)]+\))\*\*")
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
ENTRY = re.compile(r"^- \[([^\]]+)\]\(([^)#]+)\): ((?:.+\n)(?:  .+\n)*)", re.MULTILINE)
ENTRIES = re.compile(rf"(?:{ENTRY.pattern})+", re.MULTILINE)
IMAGE = re.compile(r"^!\[([^\]]*)\]\(((?:\.\./)?images)/([\w-]+)\.png\)$", re.MULTILINE)
TABLE = re.compile(r"<table\b(?:(?!</table>).)*?</thead>.*?</table>", re.DOTALL)
SECTION = re.compile(r"^(:[A-Z][\w ]*:|\.\. (rubric|seealso|only|_|index)\b.*)$")
"""The first line of a section that numpydoc writes."""

VARIANTS = ("", "-dark", "-narrow", "-narrow-dark")
"""The endings of the names of pictures."""


def list_pages(text: str, section: str) -> str:
    """Make a hidden toctree of the pages that a section of an index page lists."""
    pages = [
        f"{title} <{path.removesuffix('.md').removesuffix('.rst')}>"
        for title, path, _ in ENTRY.findall(text)
    ]
    caption = f":caption: {section}\n" if section else ""
    return f":::{{toctree}}\n:hidden:\n{caption}\n" + "\n".join(pages) + "\n:::\n" if pages else ""


def make_toctrees(text: str) -> str:
    """Make the toctrees of an index page, one for each section."""
    first, *rest = HEADING.split(text)
    sections = [("", first), *zip(rest[::2], rest[1::2], strict=True)]
    return "\n".join(list_pages(part, title) for title, part in sections)


def make_cards(entries: re.Match[str]) -> str:
    """Turn a list of links to pages into cards."""
    cards = [
        f"::::{{grid-item-card}} {title}\n:link: {path.removesuffix('.md').removesuffix('.rst')}\n"
        f":link-type: doc\n\n{text[0].upper()}{text[1:]}::::\n"
        for title, path, text in ENTRY.findall(entries[0])
    ]
    return ":::::{grid} 1 2 2 4\n:gutter: 3\n\n" + "".join(cards) + ":::::\n\n"


def make_buttons(links: re.Match[str]) -> str:
    """Turn a line of bold links into buttons, the first of them filled."""
    first, *others = BUTTON.findall(links[0])
    outlined = [f"{each}{{.sd-btn .sd-btn-outline-primary}}" for each in others]
    return "\n".join([f"{first}{{.sd-btn .sd-btn-primary}}", *outlined])


def show_variants(image: re.Match[str]) -> str:
    """Show the pictures that the build has drawn: for wide and narrow, light and dark pages."""
    alt, folder, name = image.groups()
    found = [ending for ending in VARIANTS if (DRAWN / f"{name}{ending}.png").exists()]
    shown = []
    for ending in found:
        readers = [
            f".only-{special if special in ending else usual}"
            for special, usual in (("dark", "light"), ("narrow", "wide"))
            if any(special in each for each in found)
        ]
        shown.append(f"![{alt}]({folder}/drawn/{name}{ending}.png)")
        shown[-1] += "{" + " ".join(readers) + "}" if readers else ""
    return "\n".join(shown) or image[0]


def read_page(app, page, source):
    """Adapt what is written for GitHub to the site: lists of pages, pictures, the changelog."""
    text = source[0]
    if page == "changes":
        text = (DOCS.parent / "CHANGELOG.md").read_text(encoding="utf-8").replace("](docs/", "](")
        app.env.note_dependency(str(DOCS.parent / "CHANGELOG.md"))
    text = text.replace("](../CHANGELOG.md", "](changes.md")
    text = IMAGE.sub(show_variants, text)
    if page == "index":
        text = BUTTONS.sub(make_buttons, text, count=1)
        text = ENTRIES.sub(make_cards, text, count=1) + make_toctrees(text)
    elif (page == "research" or page.endswith("/index")) and app.env.doc2path(page).suffix == ".md":
        text += "\n" + make_toctrees(text)
    source[0] = text


def add_words(app, doctree):
    """Make the words of `INDEX` main entries of their pages, which searches list first."""
    from sphinx.addnodes import index  # noqa: PLC0415 - tests read this file without Sphinx

    words = INDEX.get(app.env.docname, ())
    entries = [("single", word, "", "main", None) for word in words]
    doctree.insert(0, index(entries=entries))


def link_names(app, what, name, obj, options, lines):
    """Link what docstrings name, such as `sf.quantiles`, to its page, and `by` to the terms."""
    text = "\n".join(lines)
    text = re.sub(r"(?<!`)`sf\.([\w.]+)`(?!`)", r":py:obj:`sf.\1 <stratframe.\1>`", text)
    lines[:] = text.replace("by : entry or", "by : :ref:`entry <terms>` or").split("\n")


def put_example_first(app, what, name, obj, options, lines):
    """Put the example of a docstring above its parameters: numpydoc leaves it at the end."""
    rubric = ".. rubric:: Examples"
    sections = [row for row, line in enumerate(lines) if SECTION.match(line)]
    if not sections or rubric not in lines:
        return
    start = lines.index(rubric)
    end = min([row for row in sections if row > start], default=len(lines))
    example = ["", *lines[start:end], ""]
    del lines[start:end]
    lines[sections[0] : sections[0]] = example


def name_cells(app, page, template, context, doctree):
    """Give the cells of tables their headings, which phones show in place of the first row."""
    context["body"] = TABLE.sub(name_cells_of, context.get("body", ""))


def name_cells_of(table):
    """Write the heading of its column into each cell of a table."""
    head, body = table[0].split("</thead>", 1)
    headings = [strip_tags(cell) for cell in re.findall(r"<th\b[^>]*>(.*?)</th>", head, re.DOTALL)]
    rows = [name_row(row, headings) for row in body.split("<tr")]
    return f"{head}</thead>{'<tr'.join(rows)}"


def name_row(row, headings):
    """Write the headings of a table into the cells of a row that are not empty."""
    first, *cells = row.split("<td")
    named = [first]
    for heading, cell in zip_longest(headings, cells):
        if cell is None:
            break
        is_named = heading and strip_tags(f"<td{cell}")
        named.append(f'<td data-heading="{heading}"{cell}' if is_named else f"<td{cell}")
    return "".join(named)


def strip_tags(cell):
    """Return the text of a cell, as it is written in an attribute."""
    return " ".join(re.sub(r"<[^>]+>", "", cell).split()).replace('"', "&quot;")


def group_recipes(html):
    """Write the sections of the recipes above the first page of each, in the list of all pages."""
    _, *rest = HEADING.split((DOCS / "recipes" / "index.md").read_text(encoding="utf-8"))
    for title, section in zip(rest[::2], rest[1::2], strict=True):
        first = re.escape(ENTRY.search(section)[1])
        item = rf'<li class="toctree-l2[^>]*><a [^>]*>{first}</a>'
        html = re.sub(item, rf'<li class="page-group">{title}</li>\g<0>', str(html), count=1)
    return html


def add_functions(app, page, template, context, doctree):
    """Let the template of the list of pages group the recipes."""
    context["group_recipes"] = group_recipes


def describe(doctree):
    """Write what search engines show below the title: the first paragraph of a page."""
    from docutils import nodes  # noqa: PLC0415 - tests read this file without Sphinx

    first = next(iter(doctree.findall(nodes.paragraph)), None)
    return " ".join(first.astext().split()) if first else ""


def add_description(app, page, template, context, doctree):
    """Name and describe a page to search engines."""
    if page == "index":
        context["docstitle"] = ""  # its title has the name of the package already
    if doctree and (text := describe(doctree)):
        context["metatags"] += f'<meta name="description" content="{escape(text)}">\n'


def draw_pictures(app):
    """Run the scripts that draw pictures without any data but their own."""
    DRAWN.mkdir(exist_ok=True)
    for script in ("diagnostics", "gallery", "landing", "pictures", "pipeline"):
        runpy.run_path(str(DOCS / "studies" / f"{script}.py"))["draw_all"](DRAWN, dpi=160)


def list_pages_of(page):
    """List the pages of an index page, with those of index pages among them."""
    for title, path, text in ENTRY.findall((DOCS / page).read_text(encoding="utf-8")):
        target = (Path(page).parent / path).as_posix()
        about = " ".join(text.split())
        yield f"- [{title}]({target.rpartition('.')[0]}.html): {about}"
        if target == "research.md" or target.endswith("/index.md"):
            yield from list_pages_of(target)


def make_llms(titles):
    """Write what language models read: the pages by title, and which call is for what.

    Pages that no index page lists are those of `titles`, such as those of the API.
    """
    front, which = ((DOCS / name).read_text(encoding="utf-8") for name in ("index.md", "which.md"))
    heading, summary, _ = front.split("\n\n", 2)
    listed = "\n".join(list_pages_of("index.md"))
    links = {page: f"({page}.html)" for page in titles if page != "index"}
    others = [f"- [{titles[page]}]{link}" for page, link in links.items() if link not in listed]
    calls = re.sub(r"\]\(([\w/-]+)\.md", r"](\1.html", which[which.index("\n## ") :].strip())
    parts = [
        heading,
        f"> {' '.join(summary.split())}",
        "## Pages",
        listed,
        "\n".join(others),
        calls,
    ]
    return "\n\n".join(parts) + "\n"


def write_llms(app, exception):
    """Save llms.txt beside the pages."""
    if exception is None:
        titles = {page: title.astext() for page, title in sorted(app.env.titles.items())}
        (Path(app.outdir) / "llms.txt").write_text(make_llms(titles), encoding="utf-8")


def setup(app):
    """Connect the steps of the build."""
    app.connect("builder-inited", draw_pictures)
    app.connect("source-read", read_page)
    app.connect("html-page-context", add_description)
    app.connect("doctree-read", add_words)
    app.connect("autodoc-process-docstring", link_names)
    app.connect("autodoc-process-docstring", put_example_first, priority=900)  # after numpydoc
    app.connect("html-page-context", add_functions)
    app.connect("html-page-context", name_cells)
    app.connect("build-finished", write_llms)
