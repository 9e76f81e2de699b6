"""The files that come with a JavaScript module: package.json, an example, and a golden test."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from dynagen.languages.javascript.printer import ARRAYS, RESERVED
from dynagen.languages.package import Package, SourceFile
from dynagen.languages.programs import Spelling, bracketed, bracketed_rows

# The names that the template of the golden test uses.
_TAKEN = ("wrong", "states", "k", "table", "count_wrong")
_INDENT = "  "


def spelling(package: Package) -> Spelling:
    """Return how JavaScript writes the programs of a package."""
    return Spelling(
        "mjs",
        reserved=(*RESERVED, *_TAKEN, package.prefix),
        values={
            "array": ARRAYS[package.real],
            "row": partial(bracketed, indent=_INDENT),
            "rows": partial(bracketed_rows, indent=_INDENT),
        },
    )


def readme_values(package: Package) -> dict[str, Any]:
    """Return whether a function has an input that is one number."""
    return {
        "has_numbers": any(
            not argument.shape for each in package.kernels for argument in each.program.inputs
        )
    }


def print_build(package: Package, programs: Sequence[str]) -> tuple[SourceFile, ...]:
    """Print package.json, by which the folder is a package for npm and its files are ES modules for node."""
    content = {
        "name": package.prefix.lower(),
        "private": True,
        "type": "module",
        "exports": f"./{package.prefix}.js",
        "sideEffects": False,
    }
    _, *tests = programs
    scripts = {"scripts": {"test": " && ".join(f"node {test}" for test in tests)}} if tests else {}
    return (SourceFile("package.json", json.dumps(content | scripts, indent=2) + "\n"),)
