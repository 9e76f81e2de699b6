"""HTML pages from the templates in `templates/report/`; the pages work without a network."""

from __future__ import annotations

import re
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from dynagen.resources import find_templates_folder


def render_page(template: str, **values: Any) -> str:
    """Render a template; text of the user is escaped.

    Args:
        template: file name of the template.
        values: value of each variable of the template; a variable without a value is an error.
    """
    environment = Environment(
        loader=FileSystemLoader(find_templates_folder() / "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["mark_code"] = mark_code
    return environment.get_template(template).render(values)


def mark_code(text: str) -> Markup:
    """Return a sentence as HTML in which options and words in backticks are set as code."""
    parts = re.split(r"`([^`]+)`|(?<![\w-])(--[a-z][a-z-]*)", text)
    marked = (
        Markup("<code>{}</code>").format(part) if place % 3 else escape(part)
        for place, part in enumerate(parts)
        if part is not None
    )
    return Markup("").join(marked)
