"""Check every link of the built site that stays in it: pages, anchors, pictures, scripts.

    python .ci/links.py SITE

Nothing is fetched. A page that loads anything from another server, such as a font or a script, is
an error, too; links that a reader may follow to other servers are not checked.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src")}
"""Attributes whose addresses the browser fetches by itself."""

IN_STYLE = re.compile(r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^'\")\s]+)")
"""What a style sheet fetches from another server."""


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


if __name__ == "__main__":
    found = find_faults(Path(sys.argv[1]))
    print("\n".join(found) or "All links inside the site lead somewhere.")
    sys.exit(bool(found))
