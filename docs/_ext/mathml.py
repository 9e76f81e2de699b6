"""Sphinx extension that writes formulas as MathML.

The extension replaces Sphinx's default for HTML, which loads MathJax from a network. All browsers
since 2023 show MathML (Chrome 109, Firefox, Safari).
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def _write_inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _write_block(writer: HTML5Translator, node: nodes.math_block) -> None:
    writer.body.append(
        f'<div class="formula" tabindex="0">{convert(node.astext(), display="block")}</div>\n'
    )
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer of formulas, when Sphinx loads this extension."""
    app.add_html_math_renderer("mathml", (_write_inline, None), (_write_block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
