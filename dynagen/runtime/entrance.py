"""`dynagen.compile` and `dynagen.load`, which look into the cache first.

The generator takes a second to import. If the cache has what is asked for, it is not imported: a
process calls its first function a few hundredths of a second after numpy is there. Otherwise
`runtime.api` does the work, and the next process finds the result.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from dynagen.runtime.entries import copy_entry, find_functions, make_key, write_bytes
from dynagen.runtime.robot import Robot
from dynagen.runtime.ufunc import Ufunc
from dynagen.toolchain.cache import cache_file, find_file

_ROBOT = ".robot.json"
# Files that are read alone; others may include files or run programs.
_SUFFIXES = (".yaml", ".yml", ".urdf")
_BUNDLED = [
    Path(__file__).parents[1] / "_data" / "robots",  # installed
    Path(__file__).parents[2] / "robots",  # in a checkout
]


def _find_text(robot: Any) -> tuple[str, str] | None:
    """Return the text of a robot description, and the name that selects its format.

    None if the cache is of no use: for a robot that was read before, or a file that may include
    others, or that cannot be read.
    """
    if isinstance(robot, Mapping):
        return json.dumps(robot, default=str), "mapping"
    if isinstance(robot, str) and "\n" in robot:
        return robot, "description"
    if not isinstance(robot, str | Path):
        return None
    path = Path(robot)
    try:
        if path.suffix not in _SUFFIXES:
            if path.suffix or "/" in str(robot) or "\\" in str(robot) or path.exists():
                return None
            path = next(each for folder in _BUNDLED if (each := folder / f"{robot}.yaml").is_file())
        return path.read_text(encoding="utf-8"), str(path)
    except (OSError, ValueError, StopIteration):
        return None


def _identify(robot: Any, options: Mapping[str, Any]) -> str:
    """Return a text that identifies a robot and the options of a call; empty if nothing does."""
    found = _find_text(robot)
    if found is None:
        return ""
    text, name = found
    parts = [text, Path(name).suffix or name, *map(repr, sorted(options.items()))]
    return sha256(json.dumps(parts).encode()).hexdigest()


def _compile(robot: Any, function: Any = "inverse_dynamics", **options: Any) -> Ufunc:
    """Compile a function, or find it in the cache."""
    identity = _identify(robot, options)
    key = make_key("compile", identity, repr(function))
    if identity and (found := find_functions(key)) is not None:
        return next(iter(found.values()))
    from dynagen.runtime import api

    ufunc = api.compile(robot, function, **options)
    # The file may have changed since it was identified.
    if identity and _identify(robot, options) == identity:
        copy_entry(ufunc, key)
    return ufunc


def _load(robot: Any, **options: Any) -> Robot:
    """Load a robot; its description is read later if it was read without faults before."""
    identity, found = _identify(robot, options), _find_text(robot)
    key = make_key("load", identity)
    if identity and found is not None and find_file(key, _ROBOT) is not None:
        source = json.loads(found[0]) if found[1] == "mapping" else found

        def read() -> Any:
            from dynagen.runtime import api

            return api.read_source(source, options)

        return Robot(read, identity)
    from dynagen.runtime import api

    made = api.load(robot, **options)
    if identity and _identify(robot, options) == identity:
        content = json.dumps({"robot": made.name}).encode()
        cache_file(key, _ROBOT, lambda path: write_bytes(path, content))
        made.use_cache(identity)
    return made


class Entrance:
    """A function of `runtime.api` behind a quicker one with the same signature and help."""

    def __init__(self, name: str, quick: Callable[..., Any]) -> None:
        """Make the entrance.

        Args:
            name: name of the function.
            quick: function that is called instead.
        """
        self._quick = quick
        self.__name__ = self.__qualname__ = name
        self.__module__ = "dynagen"

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call the function."""
        return self._quick(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        if name != "__signature__":
            raise AttributeError(name)
        return vars(self._find_function())["__signature__"]

    def __repr__(self) -> str:
        return f"<function dynagen.{self.__name__}>"

    def _find_function(self) -> Any:
        """Return the function, whose module imports the generator."""
        from dynagen.runtime import api

        return getattr(api, self.__name__)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        """The help of the function, which lists the options."""
        return str(self._find_function().__doc__)


compile, load = Entrance("compile", _compile), Entrance("load", _load)
