"""Check every link of the built site that stays in it: pages, anchors, pictures, scripts.

    python .ci/links.py SITE

Words that readers search for must lead to their page, and llms.txt must name all pages. Nothing is
fetched. A page that loads anything from another server, such as a font or a script, is an error,
too; links that a reader may follow to other servers are not checked.
"""

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src")}
"""Attributes whose addresses the browser fetches by itself."""

IN_STYLE = re.compile(r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^'\")\s]+)")
"""What a style sheet fetches from another server."""

WORDS = {
    "always in test": "which",
    "catboost": "guide/tools",
    "dataloader": "recipes/hugging-face-pytorch",
    "datetime index": "recipes/last-months",
    "imbalanced": "recipes/choosing-k",
    "jupyter": "diagnostics",
    "leakage": "diagnostics",
    "lightgbm": "guide/tools",
    "multilabel": "recipes/many-labels",
    "optuna": "guide/tools",
    "recommender": "recipes/both-axes-new",
    "survival": "which",
    "time series": "recipes/forecasting",
    "xgboost": "guide/tools",
}
"""What readers search for, and a page that must be among the first that they find."""


class Page(HTMLParser):
    """The anchors of a page, and the addresses that it links and loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        """Keep what a tag names and links."""
        for name, value in attrs:
            if not value:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif (tag, name) in LOADED:
                self.loads.add(value)
            elif (tag, name) == ("a", "href"):
                self.links.add(value)


def is_elsewhere(address: str) -> bool:
    """Whether an address is on another server, or is no address of a page."""
    parts = urlsplit(address)
    return bool(parts.scheme or parts.netloc)


def find_fault(site: Path, path: Path, address: str, pages: dict[Path, Page]) -> str | None:
    """Say what is wrong with an address of a page."""
    parts = urlsplit(address)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_file() or not target.is_relative_to(site):
        return "no such file"
    anchor = unquote(parts.fragment)
    known = pages[target].anchors if target in pages else set()
    return "no such anchor" if anchor and anchor not in known else None


def find_faults(site: Path) -> list[str]:
    """List the links of a site that lead nowhere, and what it loads from other servers."""
    site = site.resolve()
    # The folder `_static` has templates of the theme, which are no pages.
    paths = [path for path in site.rglob("*.html") if "_static" not in path.parts]
    pages = {path: Page(path) for path in sorted(paths)}
    faults = [] if pages else [f"{site}: no pages"]
    for path, page in pages.items():
        name = path.relative_to(site)
        faults += [f"{name}: loads {each}" for each in sorted(page.loads) if is_elsewhere(each)]
        for address in sorted(page.links | page.loads):
            fault = None if is_elsewhere(address) else find_fault(site, path, address, pages)
            faults += [f"{name}: {address}: {fault}"] if fault else []
    for path in sorted(site.rglob("*.css")):
        name = path.relative_to(site)
        text = path.read_text(encoding="utf-8")
        faults += [f"{name}: loads {each}" for each in IN_STYLE.findall(text)]
    return faults


def find_unfound(site: Path, words: dict[str, str] = WORDS) -> list[str]:
    """List the words that the search does not lead to their page by a main entry of its index.

    Such entries come first among the hits, before titles and texts.
    """
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    pages = {
        word: [index["docnames"][place] for place, _, is_main in entries if is_main]
        for word, entries in index["indexentries"].items()
    }
    return [
        f"search: {word} does not lead to {page}"
        for word, page in words.items()
        if page not in pages.get(word, [])
    ]


def find_unnamed(site: Path) -> list[str]:
    """List the pages that llms.txt does not name."""
    text = (site / "llms.txt").read_text(encoding="utf-8")
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    pages -= {"index.html", "search.html"} | {each for each in pages if each.startswith("_")}
    return [f"llms.txt: {page} is missing" for page in sorted(pages) if f"({page})" not in text]


if __name__ == "__main__":
    site = Path(sys.argv[1])
    found = [*find_faults(site), *find_unfound(site), *find_unnamed(site)]
    print("\n".join(found) or "All links inside the site lead somewhere.")
    sys.exit(bool(found))
