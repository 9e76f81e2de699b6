"""Back ends: Package -> source files in a target language. Expressions are printed here, skeletons are in `templates/`.

A new language is a module like `c.py`, a folder of templates, and its line in BACKENDS.
"""

from __future__ import annotations

from dynagen.errors import UsageError
from dynagen.languages.c.kernels import CBackend
from dynagen.languages.fortran.kernels import FortranBackend
from dynagen.languages.package import Backend
from dynagen.languages.python.kernels import PythonBackend

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
