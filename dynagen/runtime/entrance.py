"""`dynagen.compile` and `dynagen.load`, which look into the cache first.

Importing the generator takes a second. The generator is not imported if the cache contains the
function: then a process calls its first function a few hundredths of a second after the import of
numpy. If the cache has no result, `runtime.api` does the work, and the next process finds the
result.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from dynagen.runtime.entries import copy_entry, find_functions, make_key
from dynagen.runtime.robot import Robot
from dynagen.runtime.ufunc import Ufunc
from dynagen.toolchain.cache import cache_file, find_file

_READ = ".read"
"""End of the names of empty files: a description was read without faults."""
_NO_FILE = "description"
# Files that are read alone; others may include files or run programs.
_SUFFIXES = (".yaml", ".yml", ".urdf")
_BUNDLED = [
    Path(__file__).parents[1] / "_data" / "robots",  # installed
    Path(__file__).parents[2] / "robots",  # in a checkout
]


def _find_text(robot: Any) -> tuple[str, str] | None:
    """Return the text of a robot description, and its path; "description" without a file.

    None for a robot that was read before, and for a file that may include others or cannot be read:
    the text alone would not identify the robot.
    """
    if isinstance(robot, Mapping):
        return json.dumps(robot, default=str), _NO_FILE
    if isinstance(robot, str) and "\n" in robot:
        return robot, _NO_FILE
    if not isinstance(robot, str | Path):
        return None
    path = Path(robot)
    try:
        if path.suffix not in _SUFFIXES:
            if path.suffix or "/" in str(robot) or "\\" in str(robot) or path.exists():
                return None
            path = next(each for folder in _BUNDLED if (each := folder / f"{robot}.yaml").is_file())
        # As bytes: the description contains the hash of the file, line ends included.
        return path.read_bytes().decode("utf-8"), str(path)
    except (OSError, ValueError, StopIteration):
        return None


def _identify(source: tuple[str, str], options: Mapping[str, Any]) -> str:
    """Return a hash of a description's text and format, and of the options of a call."""
    text, path = source
    parts = [text, Path(path).suffix, *map(repr, sorted(options.items()))]
    return sha256(json.dumps(parts).encode()).hexdigest()


def _compile(robot: Any, function: Any = "inverse_dynamics", **options: Any) -> Any:
    """Compile a function, or find it in the cache, which contains functions for the CPU only."""
    if options.get("device", "cpu") != "cpu":
        return _find_function("compile")(robot, function, **options)
    source, key = _find_text(robot), None
    if source is not None:
        key = make_key("compile", _identify(source, options), repr(function))
        if (found := find_functions(key)) is not None:
            return next(iter(found.values()))
    ufunc: Ufunc = _find_function("compile")(robot, function, **options)
    # The file may have changed since its text was read here.
    if key is not None and _find_text(robot) == source:
        copy_entry(ufunc, key)
    return ufunc


def _load(robot: Any, **options: Any) -> Robot:
    """Load a robot; its description is read later if it was read without faults before."""
    source, identity = _find_text(robot), ""
    if source is not None:
        identity = _identify(source, options)
        if find_file(make_key("load", identity), _READ) is not None:
            return Robot(lambda: _find_function("read_source")(*source, options), identity)
    made: Robot = _find_function("load")(robot, **options)
    # The file may have changed since its text was read here.
    if source is None or _find_text(robot) != source:
        return made
    cache_file(make_key("load", identity), _READ, Path.touch)
    return Robot(lambda: (made.description, made.settings), identity)


def _find_function(name: str) -> Any:
    """Return a function of `runtime.api`, which imports the generator."""
    from dynagen.runtime import api

    return getattr(api, name)


class Entrance:
    """A function of `runtime.api` behind a quicker one with the same signature and help."""

    def __init__(self, name: str, quick: Callable[..., Any]) -> None:
        """Make the entrance.

        Args:
            name: name of the function in `runtime.api`.
            quick: function that looks into the cache first, and calls `runtime.api` otherwise.
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
        return vars(_find_function(self.__name__))["__signature__"]

    def __repr__(self) -> str:
        return f"<function dynagen.{self.__name__}>"

    @property
    # `object` declares a text that can be changed; reading this one imports the generator.
    def __doc__(self) -> str | None:  # type: ignore[override]
        """The help of the function, which lists the options."""
        return str(_find_function(self.__name__).__doc__)


compile, load = Entrance("compile", _compile), Entrance("load", _load)
