"""The languages of a test: those that can do what it is about, and whether this machine can run
them.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable

from dynagen.codegen.language import Language
from dynagen.codegen.languages import LANGUAGES
from dynagen.codegen.package import VECTOR
from dynagen.toolchain.commands import Tool

ABILITIES: dict[str, Callable[[Language], bool]] = {
    "batch": lambda language: language.batch_path is not None,
    "sizes": lambda language: language.is_sized,
    "no sizes": lambda language: not language.is_sized,
    "one file": lambda language: language.one_file and not language.headers,
    "vector": lambda language: VECTOR in language.trig,
}
"""What `@pytest.mark.language_can` accepts -> whether a language can do it."""


def languages_that_can(abilities: Iterable[str]) -> list[str]:
    """Return the names of the languages with all of these abilities."""
    chosen = [ABILITIES[ability] for ability in abilities]
    return [language.name for language in LANGUAGES if all(can(language) for can in chosen)]


def languages_without_tool() -> set[str]:
    """Return the names of the languages whose compiler or interpreter this machine lacks."""
    return {
        language.name
        for language in LANGUAGES
        for tool in vars(language.toolchain).values()
        if isinstance(tool, Tool) and not any(map(shutil.which, tool.commands))
    }
