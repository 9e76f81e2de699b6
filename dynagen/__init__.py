"""dynagen: the smallest correct dynamics code for exactly your robot."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dynagen.errors import DynagenError
from dynagen.version import __version__

if TYPE_CHECKING:
    from dynagen.apps.excitation.excitation import excite
    from dynagen.apps.identification.identification import identify
    from dynagen.apps.simulation.simulation import simulate
    from dynagen.runtime.api import compile, generate, load, load_robot

__all__ = [
    "DynagenError",
    "__version__",
    "compile",
    "excite",
    "generate",
    "identify",
    "load",
    "load_robot",
    "simulate",
]

_HOMES = {
    "compile": "dynagen.runtime.entrance",
    "load": "dynagen.runtime.entrance",
    "excite": "dynagen.apps.excitation.excitation",
    "identify": "dynagen.apps.identification.identification",
    "simulate": "dynagen.apps.simulation.simulation",
}


def __getattr__(name: str) -> Any:
    """Import a function of the Python interface when it is first used.

    Importing sympy and numpy takes longer than the whole command `dynagen --help`, which needs
    neither. Functions in the cache are called without importing the code generator.
    """
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "dynagen.runtime.api")), name)
