"""Back ends: Package -> source files in a target language. Expressions are printed here, skeletons are in `templates/`.

A new language is a module like `c.py`, a folder of templates, and its line in BACKENDS.
"""

from __future__ import annotations

from dynagen.backends.c import CBackend
from dynagen.backends.fortran import FortranBackend
from dynagen.backends.package import Backend
from dynagen.backends.python import PythonBackend
from dynagen.errors import UsageError

BACKENDS: tuple[Backend, ...] = (CBackend(), FortranBackend(), PythonBackend())


def find_backend(name: str) -> Backend:
    """The back end of a language, by its name or an alias, in any case.

    Raises:
        UsageError: there is no such language.
    """
    for backend in BACKENDS:
        if name.lower() in (backend.name, *backend.aliases):
            return backend
    languages = ", ".join(backend.name for backend in BACKENDS)
    raise UsageError(f"unknown language {name!r}; expected one of {languages}")
