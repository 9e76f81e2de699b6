"""Functions that fill the templates of files in `templates/<language>/`.

Python code decides what a file contains; a template only inserts text into the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dynagen.codegen.naming import wrap_text
from dynagen.codegen.printing import Paragraph
from dynagen.resources import find_templates_folder

# The end of every file's header. The owner of the code chooses its licence.
_OWNERSHIP = "You own the generated code; the dynagen authors claim no rights to it."
_SPDX = "SPDX-License-Identifier: LicenseRef-Owner-Of-Generated-Code"
_WIDTH = 100  # of comments


def fill(template: str, **values: Any) -> str:
    """Return the text of a template in which the placeholders are replaced by values.

    Args:
        template: path in the folder of templates, such as `c/kernel.c.j2`.
        values: value of each variable of the template.
    """
    return _environment().get_template(template).render(values)


def read_template(template: str) -> str:
    """Return the text of a file without placeholders in the folder of templates.

    `template` is the path of the file relative to this folder.
    """
    return (find_templates_folder() / template).read_text(encoding="utf-8")


def _print_paragraphs(paragraphs: Iterable[Paragraph], comment: str) -> list[str]:
    """Return the text of each non-empty paragraph, after a comment with the paragraph's title.

    `comment` is the format of the comment line, for example ` /* %s */`.
    """
    return [
        "\n".join([*([comment % paragraph.title] if paragraph.title else []), *paragraph.lines])
        for paragraph in paragraphs
        if paragraph.lines
    ]


def _wrap(text: str, start: str) -> str:
    """Return a text wrapped for a comment; all lines except the first begin with `start`."""
    return f"\n{start}".join(wrap_text(text, _WIDTH - 8))  # 8: the longest opening and end


@cache
def _environment() -> Environment:
    """Return the jinja2 environment of all templates, with the texts on ownership and licence."""
    # No HTML, so nothing is escaped. Users' text has passed `naming.make_plain_text` already.
    environment = Environment(
        loader=FileSystemLoader(find_templates_folder()),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters.update(printed=_print_paragraphs, wrapped=_wrap)
    environment.globals.update(ownership=_OWNERSHIP, spdx=_SPDX)
    return environment
