"""Elements of an HTML page: which there are, what they refer to, and that each is closed."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser


class PageElements(HTMLParser):
    """Elements of a page; every one is closed.

    Attributes:
        count: how many of each.
        references: what attributes refer to; `#...` is inside the page.
        targets: what can be referred to.
        texts: what a reader sees, and tooltips.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count: Counter[str] = Counter()
        self.references: list[str] = []
        self.targets: set[str] = set()
        self.texts: list[str] = []
        self.feed(page)
        assert self.open == []

    @property
    def needs_nothing_else(self) -> bool:
        """Whether the page has no script, and refers to nothing outside itself."""
        return "script" not in self.count and all(
            reference.startswith("#") for reference in self.references
        )

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] += 1
        self.references += [value or "" for name, value in attrs if name in ("src", "href")]
        self.targets |= {value or "" for name, value in attrs if name == "id"}
        if tag not in ("meta", "wbr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
