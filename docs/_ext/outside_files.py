"""Sphinx extension that copies linked files outside docs/ into the site.

A link to a folder leads to its README.md, or else to the list of its files. A link to a missing
file causes a warning. MyST does not change links of the form `file:path`; at the event
`html-page-context`, the extension removes the prefix `file:`.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

_LINK = re.compile(r"\]\((?P<path>(?:\.\./)+[^)#]+)(?:#[^)]*)?\)")
_LOGGER = logging.getLogger(__name__)
FILES = "files"
"""Folder of the copies in the site."""


def _copy_linked(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace the links of a page to files outside docs/ by links to copies."""
    folder = Path(app.srcdir, page).parent
    root = Path(app.srcdir).parent

    def replace(link: re.Match[str]) -> str:
        path = Path(os.path.normpath(folder / link["path"]))
        if path.is_relative_to(app.srcdir):
            return link[0]
        if path.is_dir() and (path / "README.md").exists():
            path /= "README.md"
        if not path.exists():
            _LOGGER.warning("link to a missing file: %s", link["path"], location=page)
            return link[0]
        copy = Path(FILES) / f"{path.relative_to(root)}.txt"
        target = Path(app.outdir) / copy
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            listed = sorted(entry.name for entry in path.iterdir() if entry.name[0] not in "._")
            target.write_text("\n".join(listed) + "\n", encoding="utf-8")
        else:
            shutil.copy(path, target)
        return f"](file:{'../' * page.count('/')}{copy.as_posix()})"

    source[0] = _LINK.sub(replace, source[0])


def _remove_prefix(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Make the links to copied files relative to the page."""
    if "body" in context:
        context["body"] = context["body"].replace('href="file:', 'href="')


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the event handlers of this extension, when Sphinx loads it."""
    app.connect("source-read", _copy_linked)
    app.connect("html-page-context", _remove_prefix)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
