"""Pages that need nothing else: a template of `templates/report/`, filled, in which text of the user's is escaped."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dynagen.resources import templates_folder


def render_page(template: str, **values: Any) -> str:
    """Fill a template of a page; a value that it lacks is an error."""
    environment = Environment(
        loader=FileSystemLoader(templates_folder() / "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(values)
