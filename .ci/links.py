"""Check every link of the built site that stays in it: pages, anchors, pictures, scripts.

    python .ci/links.py SITE

The search, which Node runs as a browser does, must show the page of each of some words first or
second, llms.txt must name all pages, and each must have a description. Nothing is fetched. A page
that loads anything from another server, such as a font or a script, is an error, too; links that a
reader may follow to other servers are not checked.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from shutil import which
from urllib.parse import unquote, urlsplit

LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src")}
"""Attributes whose addresses the browser fetches by itself."""

IN_STYLE = re.compile(r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^'\")\s]+)")
"""What a style sheet fetches from another server."""

WORDS = {
    "80/10/10": "recipes/holdout",
    "A/B test": "recipes/assign-to-arms",
    "active learning": "recipes/stratified-samples",
    "always in test": "which",
    "always in train": "which",
    "anndata": "recipes/other-frames",
    "annotation": "recipes/annotators",
    "audit fold column": "diagnostics",
    "backward compatibility": "not-promised",
    "catboost": "guide/tools",
    "clinic": "recipes/assign-to-arms",
    "clinics": "recipes/assign-to-arms",
    "cluster-randomised": "recipes/assign-to-arms",
    "conformal": "which",
    "CPCV": "not-promised",
    "dataloader": "recipes/hugging-face-pytorch",
    "datetime index": "recipes/last-months",
    "detect leakage": "diagnostics",
    "deterministic hash split": "recipes/fold-from-id",
    "duckdb": "recipes/other-frames",
    "evaluation set": "recipes/stratified-samples",
    "federated": "recipes/fold-from-id",
    "few-shot": "recipes/n-of-each",
    "geopandas": "recipes/other-frames",
    "groups": "recipes/groups",
    "growing data": "recipes/new-data",
    "imbalanced": "recipes/choosing-k",
    "incremental": "recipes/new-data",
    "jupyter": "diagnostics",
    "larger sample": "recipes/stratified-samples",
    "leakage": "diagnostics",
    "learning curve": "which",
    "lightgbm": "guide/tools",
    "multi-label": "recipes/many-labels",
    "multilabel": "recipes/many-labels",
    "nested cross-validation": "recipes/nested-search",
    "new rows": "recipes/new-data",
    "optuna": "guide/tools",
    "out of time": "recipes/last-months",
    "PurgedKFold": "not-promised",
    "pyarrow": "recipes/other-frames",
    "r2": "does-it-matter",
    "random state": "guide/make",
    "recommender": "recipes/both-axes-new",
    "regression": "recipes/regression",
    "reproducible split": "recipes/share-folds",
    "scanpy": "recipes/other-frames",
    "semver": "not-promised",
    "several labels per row": "recipes/many-labels",
    "stacking": "guide/use",
    "stratified group k-fold": "recipes/groups",
    "stratified sampling": "recipes/stratified-samples",
    "stratifiedkfold": "coming-from/scikit-learn",
    "survival": "which",
    "time series": "recipes/forecasting",
    "time series split": "recipes/forecasting",
    "train test split": "recipes/holdout",
    "update": "not-promised",
    "upgrade": "not-promised",
    "verify folds": "diagnostics",
    "versions": "not-promised",
    "vintage": "recipes/last-months",
    "walk-forward": "recipes/forecasting",
    "xgboost": "guide/tools",
}
"""What readers search for, and the page that must be the first or second that they find."""

SCRIPT = Path(__file__).with_name("search.js")


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


def ask_search(site: Path, words: Iterable[str]) -> dict[str, list[str]]:
    """Ask the search of the site for each of some words: the pages that it shows, best first."""
    node = which("node")
    if node is None:
        sys.exit("The search of the site is asked by Node, which is not installed.")
    command = [node, str(SCRIPT), str(site), json.dumps([*words])]
    answer = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    return json.loads(answer.stdout)


def find_unfound(site: Path, words: dict[str, str] = WORDS) -> list[str]:
    """List the words whose page is not the first or second that the search shows."""
    hits = ask_search(site, words)
    faults = []
    for word, page in words.items():
        first = hits[word][:2]
        if page not in first:
            found = " and ".join(first) or "nothing"
            faults.append(f"search: {word} leads to {found}, and not to {page}")
    return faults


def find_unnamed(site: Path) -> list[str]:
    """List the pages that llms.txt does not name."""
    text = (site / "llms.txt").read_text(encoding="utf-8")
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    pages -= {"index.html", "search.html"} | {each for each in pages if each.startswith("_")}
    return [f"llms.txt: {page} is missing" for page in sorted(pages) if f"({page})" not in text]


def find_undescribed(site: Path) -> list[str]:
    """List the pages without the description that search engines show."""
    paths = [path.relative_to(site) for path in sorted(site.rglob("*.html"))]
    pages = [path for path in paths if path.name != "search.html" and path.parts[0] != "_static"]
    return [
        f"{page}: no description"
        for page in pages
        if '<meta name="description"' not in (site / page).read_text(encoding="utf-8")
    ]


if __name__ == "__main__":
    site = Path(sys.argv[1])
    found = [
        *find_faults(site),
        *find_unfound(site),
        *find_unnamed(site),
        *find_undescribed(site),
    ]
    print("\n".join(found) or "All links inside the site lead somewhere.")
    sys.exit(bool(found))
