"""Functions and objects that are imported when they are first used.

A run uses few of the robot functions, languages and file formats of dynagen. Importing all of them
takes a tenth of a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Generic, TypeVar, overload

Entry = TypeVar("Entry")


def import_on_call(place: str) -> Callable[..., Any]:
    """Return a function that imports another function when it is called, and calls it.

    Args:
        place: module and name of the other function, such as `dynagen.robot.loading.load_robot`.
    """

    def call(*arguments: Any, **options: Any) -> Any:
        return _import(place)(*arguments, **options)

    return call


class Registry(Sequence[Entry], Generic[Entry]):
    """Sequence of named objects, each of which is imported when it is first used.

    Attributes:
        names: names of the objects in order; reading them imports nothing.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        """Store where the objects are.

        Args:
            places: mapping from the name of each object to its module and its name in the module,
                such as `dynagen.codegen.languages.fortran.FORTRAN`.
        """
        self.names = tuple(places)
        self._places = dict(places)

    def find(self, name: str) -> Entry:
        """Return the object with a name, which must be one of `names`."""
        entry: Entry = _import(self._places[name])
        return entry

    @overload
    def __getitem__(self, place: int) -> Entry: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Entry]: ...
    def __getitem__(self, place: int | slice) -> Entry | Sequence[Entry]:
        """Return the object at a position, or the objects of a slice."""
        if isinstance(place, slice):
            return [self.find(name) for name in self.names[place]]
        return self.find(self.names[place])

    def __iter__(self) -> Iterator[Entry]:
        return map(self.find, self.names)

    def __len__(self) -> int:
        return len(self.names)


def _import(place: str) -> Any:
    """Return the object at a place, its module and name."""
    module, _, name = place.rpartition(".")
    return getattr(import_module(module), name)
