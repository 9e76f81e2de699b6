"""Table of the target languages, and the search for one by name.

Each language prints the source files of a `Package`. A writer class prints the code tree of each
kernel (`codegen.tree`), and templates contain the fixed text of files. To add a language, write a
module like `javascript` and a folder of templates, and add an entry to LANGUAGES.
"""

from __future__ import annotations

import re

from dynagen.codegen.language import Language
from dynagen.codegen.languages.c import C
from dynagen.codegen.languages.cpp import CPP
from dynagen.codegen.languages.cuda import CUDA
from dynagen.codegen.languages.fortran import FORTRAN
from dynagen.codegen.languages.javascript import JAVASCRIPT
from dynagen.codegen.languages.matlab import MATLAB
from dynagen.codegen.languages.python import PYTHON
from dynagen.codegen.languages.rust import RUST
from dynagen.errors import UsageError
from dynagen.robot.names import MAX_PREFIX

LANGUAGES: tuple[Language, ...] = (C, CPP, FORTRAN, PYTHON, JAVASCRIPT, MATLAB, RUST, CUDA)


def find_language(name: str) -> Language:
    """Return the language with a name or alias, in upper or lower case.

    Raises:
        UsageError: no language has this name or alias.
    """
    for language in LANGUAGES:
        if name.lower() in (language.name, *language.aliases):
            return language
    languages = ", ".join(language.name for language in LANGUAGES)
    raise UsageError(f"unknown language {name!r}; expected one of {languages}")


def check_prefix(prefix: str) -> str:
    """Check that every language allows a prefix of public names; return the prefix unchanged.

    Raises:
        UsageError: the prefix is not an identifier, is too long, or is a reserved word of a
            language or a build tool.
    """
    fault = ""
    if not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", prefix):
        fault = "expected a letter, followed by letters, digits and underscores"
    elif len(prefix) > MAX_PREFIX:
        fault = f"expected at most {MAX_PREFIX} characters, found {len(prefix)}"
    else:
        owners = [
            owner
            for language in LANGUAGES
            for owner, words in language.words.items()
            if prefix.lower() in words
        ]
        if owners:
            fault = f"{prefix.lower()} is a reserved word of {', '.join(owners)}"
    if fault:
        raise UsageError(
            f"{prefix!r} cannot be the prefix of public names: {fault}; choose another prefix "
            "(--prefix)"
        )
    return prefix
