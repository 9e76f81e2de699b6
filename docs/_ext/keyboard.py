"""Sphinx extension that makes pages readable with a keyboard and a screen reader.

Blocks of code and tables scroll sideways, so the extension lets the keyboard reach them. In
Sphinx's output, the captions of the navigation are headings without a level; the extension adds
the level.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx


def _improve(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Let the keyboard reach blocks that scroll, and give captions of the navigation a level."""
    if "body" in context:
        body = context["body"].replace("<pre>", '<pre tabindex="0">')
        context["body"] = body.replace(
            '<div class="table-wrapper', '<div tabindex="0" class="table-wrapper'
        )
    if "furo_navigation_tree" in context:
        context["furo_navigation_tree"] = context["furo_navigation_tree"].replace(
            'role="heading"', 'role="heading" aria-level="2"'
        )


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the event handler of this extension after the theme's, when Sphinx loads it."""
    app.connect("html-page-context", _improve, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
