"""Sphinx extension that converts lists of options and examples in docstrings to reStructuredText.

The docstrings of `dynagen.load` and other functions list the options below the argument
`options`, one a line; Sphinx's napoleon cannot parse this form.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

_NESTED = re.compile(r"^ {8}(\w+): (.*)")
_SECTION = re.compile(r"^(Args|Returns|Raises|Yields|Attributes):$")


def _rewrite(app: Sphinx, what: str, name: str, given: Any, options: Any, lines: list[str]) -> None:
    """Turn nested options into lists, and indented lines before the arguments into code."""
    first = next((i for i, line in enumerate(lines) if _SECTION.match(line)), len(lines))
    head = lines[:first]
    for number, line in enumerate(head):
        if line.startswith("    ") and not head[number - 1].strip():
            head[number] = f".. code-block:: python\n\n{line}"
    text = "\n".join(head).split("\n")
    inside = False
    for line in lines[first:]:
        nested = _NESTED.match(line)
        if nested:
            if not inside:
                text.append("")
            inside = True
            text.append(f"        - ``{nested[1]}``: {nested[2]}")
        elif inside and line.startswith(" " * 12):
            text.append(" " * 10 + line.strip())
        else:
            inside = False
            text.append(line)
    # Single quotes of Markdown are code in docstrings.
    lines[:] = [re.sub(r"(?<!`)`([^`\n]+)`(?!`)", r"``\1``", line) for line in text]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the event handler of this extension before napoleon's, when Sphinx loads it."""
    app.connect("autodoc-process-docstring", _rewrite, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
