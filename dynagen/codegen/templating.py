"""Skeletons of files, from `templates/<language>/`; all decisions are made in Python, a template only places ready text."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dynagen.codegen.printing import Paragraph
from dynagen.resources import templates_folder

# What every file says of itself. Which license its owner puts it under is not for the generator to say.
_OWNERSHIP = (
    "This code belongs to whoever generated it; the authors of dynagen claim no right to it."
)
_SPDX = "SPDX-License-Identifier: LicenseRef-Owner-Of-Generated-Code"


def fill(template: str, **values: Any) -> str:
    """Fill a template, named as `c/kernel.c.j2`; a value that it lacks is an error."""
    return _environment().get_template(template).render(values)


def verbatim(template: str) -> str:
    """The text of a template that has nothing to fill."""
    return (templates_folder() / template).read_text(encoding="utf-8")


def _printed(paragraphs: Iterable[Paragraph], comment: str) -> list[str]:
    """Return the text of each paragraph that has lines, under its title in a comment, as `    /* %s */`."""
    return [
        "\n".join([*([comment % paragraph.title] if paragraph.title else []), *paragraph.lines])
        for paragraph in paragraphs
        if paragraph.lines
    ]


@cache
def _environment() -> Environment:
    # Not HTML: nothing is escaped here. Users' text has passed `comments.plain_text` before it arrives.
    environment = Environment(
        loader=FileSystemLoader(templates_folder()),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters.update(printed=_printed)
    environment.globals.update(ownership=_OWNERSHIP, spdx=_SPDX)
    return environment
