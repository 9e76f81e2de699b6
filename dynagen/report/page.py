"""HTML pages from the templates in `templates/report/`; the pages work without a network."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

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
    return environment.get_template(template).render(values)
