"""The site is built without a warning; its links lead somewhere, and no
page loads anything from a network.
"""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[1]
_OPTIONS = ("--jobs", "auto", "--fail-on-warning", "--keep-going", "--quiet")
LOADED = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    """Anchors, links and loaded files of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.maths = 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.maths += tag == "math"
        if identifier := given.get("id"):
            self.anchors.add(identifier)
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        elif given.get(LOADED.get(tag, "")) and given.get("rel") != "canonical":
            self.loaded.append(str(given[LOADED[tag]]))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site").resolve()
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "sphinx",
            *_OPTIONS,
            "-d",
            folder / "doctrees",
            ROOT / "docs",
            folder,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html")}


@pytest.mark.slow
@pytest.mark.tools
def test_no_link_is_dead(pages: dict[Path, Page]) -> None:
    dead = []
    for path, page in pages.items():
        for link in page.links + page.loaded:
            parts = urlsplit(link)
            if parts.scheme in ("https", "mailto", "data"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchors = pages[target].anchors if target in pages else set()
            if not target.exists() or (target in pages and parts.fragment not in {"", *anchors}):
                dead.append(f"{path.name}: {link}")
    assert dead == []
    assert len(pages) > 30


@pytest.mark.slow
@pytest.mark.tools
def test_nothing_is_loaded_from_a_network(site: Path, pages: dict[Path, Page]) -> None:
    remote = [
        f"{path.name}: {file}"
        for path, page in pages.items()
        for file in page.loaded
        if urlsplit(file).scheme not in ("", "data") or urlsplit(file).netloc
    ]
    assert remote == []
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert "url(http" not in styles
    assert "@import" not in styles


@pytest.mark.slow
@pytest.mark.tools
def test_formulas_are_rendered(pages: dict[Path, Page]) -> None:
    assert sum(page.maths for page in pages.values()) > 20
    raw = [path for path in pages if "robots" not in path.parts]  # plotly's script has dollars
    assert not [path for path in raw if "$$" in path.read_text(encoding="utf-8")]


@pytest.mark.slow
@pytest.mark.tools
def test_every_page_of_the_documentation_is_in_the_site(site: Path) -> None:
    sources = {
        path.relative_to(ROOT / "docs").with_suffix("").as_posix()
        for path in (ROOT / "docs").rglob("*.md")
    }
    built = {path.relative_to(site).with_suffix("").as_posix() for path in site.rglob("*.html")}
    assert sources <= built
