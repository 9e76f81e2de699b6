"""Functions that fill the templates of files in `templates/<language>/`.

Python code decides what a file contains; a template only inserts text into the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, MutableMapping
from functools import cache
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any

import jinja2
from jinja2 import BaseLoader, Environment, StrictUndefined, Template

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


class _TemplateFile(SourceFileLoader):
    """A template that Python's import system compiles.

    Its bytecode is kept in a folder `__pycache__`, as the bytecode of modules is.
    """

    def __init__(self, environment: Environment, name: str, path: str) -> None:
        super().__init__(name, path)
        self._environment = environment

    # The declarations of this method in the base classes contradict each other.
    def source_to_code(  # type: ignore[override]
        self, data: bytes, path: str, *, _optimization: int = -1
    ) -> CodeType:
        """Return the bytecode of the template with the content `data`."""
        return self._environment.compile(data.decode(), self.name, path)

    def path_stats(self, path: str) -> Mapping[str, Any]:
        """Return the time and the size by which Python recognises outdated bytecode.

        Bytecode depends on the template, the version of jinja2 and the options in this module.
        """
        files = (path, jinja2.__file__, __file__)
        time = sum(int(os.stat(file).st_mtime) for file in files)
        return {**super().path_stats(path), "mtime": time}


class _TemplateLoader(BaseLoader):
    """Loader of the files in the folder of templates."""

    def load(
        self,
        environment: Environment,
        name: str,
        globals: MutableMapping[str, Any] | None = None,
    ) -> Template:
        """Return a template; `globals` are values for all templates."""
        path = str(find_templates_folder() / name)
        code = _TemplateFile(environment, name, path).get_code(name)
        assert code is not None
        return environment.template_class.from_code(environment, code, globals or {})


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
        loader=_TemplateLoader(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters.update(printed=_print_paragraphs, wrapped=_wrap)
    environment.globals.update(ownership=_OWNERSHIP, spdx=_SPDX)
    return environment
