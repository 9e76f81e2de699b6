"""Sphinx extension: pages that can be read with a keyboard and a screen reader.

Blocks of code and tables scroll sideways on a phone, so that the keyboard must reach them. The
captions of the navigation are headings without a level in Sphinx's output.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx


def _improve(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Replace the tags in the page and in its navigation."""
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
    """Register the event after the theme's; called by Sphinx."""
    app.connect("html-page-context", _improve, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
