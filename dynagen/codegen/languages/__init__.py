"""Table of the target languages, and the search for one by name.

Each language prints the source files of a `Package`. A writer class prints the code tree of each
kernel (`codegen.tree`), and templates contain the fixed text of files. To add a language, write a
module like `javascript` and a folder of templates, and add an entry to LANGUAGES and its reserved
words to `codegen.reserved_words`.
"""

from __future__ import annotations

from dynagen.codegen.language import Language
from dynagen.errors import UsageError
from dynagen.on_demand import Registry

LANGUAGES: Registry[Language] = Registry(
    {
        "c": "dynagen.codegen.languages.c.C",
        "cpp": "dynagen.codegen.languages.cpp.CPP",
        "fortran": "dynagen.codegen.languages.fortran.FORTRAN",
        "python": "dynagen.codegen.languages.python.PYTHON",
        "javascript": "dynagen.codegen.languages.javascript.JAVASCRIPT",
        "matlab": "dynagen.codegen.languages.matlab.MATLAB",
        "rust": "dynagen.codegen.languages.rust.RUST",
        "cuda": "dynagen.codegen.languages.cuda.CUDA",
    }
)


def find_language(name: str) -> Language:
    """Return the language with a name or alias, in upper or lower case.

    Raises:
        UsageError: no language has this name or alias.
    """
    if name.lower() in LANGUAGES.names:
        return LANGUAGES.find(name.lower())
    for language in LANGUAGES:
        if name.lower() in language.aliases:
            return language
    raise UsageError(f"unknown language {name!r}; expected one of {', '.join(LANGUAGES.names)}")
