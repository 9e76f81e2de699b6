"""`dynagen.compile` and `dynagen.load`, which search the cache before they import the generator.

Importing dynagen's code generator takes a second. The generator is not imported if the cache
contains the function; a process can then call the function a few hundredths of a second after the
import of numpy. If the cache does not contain a function, `runtime.api` compiles the function and
stores it in the cache.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from dynagen.memory import collect_garbage_rarely
from dynagen.runtime.entries import copy_entry, find_functions, make_key
from dynagen.runtime.robot import Robot
from dynagen.runtime.ufunc import Ufunc
from dynagen.toolchain.cache import cache_file, find_file

_READ = ".read"
"""Suffix of empty cache files. Such a file records that a description was read without faults."""
_NO_FILE = "description"
# Files that are read alone; others may include files or run programs.
_SUFFIXES = (".yaml", ".yml", ".urdf")
_BUNDLED = [
    Path(__file__).parents[1] / "_data" / "robots",  # installed
    Path(__file__).parents[2] / "robots",  # in a checkout
]


def _find_text(robot: Any) -> tuple[str, str] | None:
    """Return the text and the path of a robot description, from any argument of `load_robot`.

    The path is "description" if the text does not come from a file. The result is None for a loaded
    robot, for a file that may include other files, and for an unreadable file.
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
    """Return a function from the cache, or compile it; only functions for the CPU are cached."""
    if options.get("device", "cpu") != "cpu":
        return _generate("compile", robot, function, **options)
    source, key = _find_text(robot), None
    if source is not None:
        key = make_key("compile", _identify(source, options), repr(function))
        if (found := find_functions(key)) is not None:
            return next(iter(found.values()))
    ufunc: Ufunc = _generate("compile", robot, function, **options)
    # The file may have changed since its text was read here.
    if key is not None and _find_text(robot) == source:
        copy_entry(ufunc, key)
    return ufunc


def _load(robot: Any, **options: Any) -> Robot:
    """Return a robot; a file that was loaded without faults before is read only when needed."""
    source, identity = _find_text(robot), ""
    if source is not None:
        identity = _identify(source, options)
        if find_file(make_key("load", identity), _READ) is not None:
            return Robot(lambda: _find_function("read_source")(*source, options), identity)
    made: Robot = _generate("load", robot, **options)
    # The file may have changed since its text was read here.
    if source is None or _find_text(robot) != source:
        return made
    cache_file(make_key("load", identity), _READ, Path.touch)
    return Robot(lambda: (made.description, made.settings), identity)


@collect_garbage_rarely()  # also during the imports, which make many objects
def _generate(name: str, *arguments: Any, **options: Any) -> Any:
    """Call the function `name` of the module `runtime.api`; return its result."""
    return _find_function(name)(*arguments, **options)


def _find_function(name: str) -> Any:
    """Return a function of the module `runtime.api`; importing the module takes a second.

    The module imports the generator.
    """
    from dynagen.runtime import api

    return getattr(api, name)


class Entrance:
    """Fast substitute for a function of `runtime.api`, with the same signature and help.

    The substitute searches the cache before it imports the generator.
    """

    def __init__(self, name: str, quick: Callable[..., Any]) -> None:
        """Store the name of the slow function, and the fast function that is called instead.

        Args:
            name: name of the function in `runtime.api`.
            quick: function that searches the cache, and calls the function in `runtime.api` if the
                cache has no result.
        """
        self._quick = quick
        self.__name__ = self.__qualname__ = name
        self.__module__ = "dynagen"

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call the fast function that the constructor received as `quick`; return its result."""
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
        """Docstring of the replaced function of `runtime.api`, with all options of the function."""
        return str(_find_function(self.__name__).__doc__)


compile, load = Entrance("compile", _compile), Entrance("load", _load)
