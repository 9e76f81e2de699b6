"""Tables of options: frozen dataclasses whose fields have, as metadata, everything that interfaces state about an option.

`settings.Settings` and `description.options.ReadingOptions` are such tables. The options of commands (`cli.options`), the
signatures and docstrings of Python functions (`api`), the manifest and the messages on stale folders follow from them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from dynagen.errors import did_you_mean

T = TypeVar("T")


@dataclass(frozen=True)
class Option:
    """An option as users see it.

    Attributes:
        meaning: help text; mentions other options as on the command line (`--batch`).
        keyword: name in Python and, with dashes, on the command line; empty: the name of the field.
        flags: spellings on the command line; empty: the keyword's.
        metavar: what help calls the value; `NAME=VALUE` stands for a mapping in Python.
        choices: all values; empty if there is no such list.
        least, most: bounds of a number on the command line.
        repeated: whether the command line accepts it several times.
        measured: whether the command line also accepts `measured`.
        usual: the default in words, where the value itself does not tell; empty: help does not show it.
        recorded: place among the options that a manifest records if they are not the default; 0: not recorded.
        read: what a user gives -> value of the field.
        plain: value of the field -> plain data for the manifest; None is left out.
        name, type, default: of the field.
    """

    meaning: str
    keyword: str = ""
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    repeated: bool = False
    measured: bool = False
    usual: str | None = None
    recorded: int = 0
    read: Callable[[Any], Any] = lambda given: given
    plain: Callable[[Any], Any] = lambda value: value
    name: str = ""
    type: str = ""
    default: Any = None

    @property
    def is_mapping(self) -> bool:
        """Whether it holds values by names."""
        return self.repeated and "=" in (self.metavar or "")


def option(default: T, meaning: str, **attributes: Any) -> T:
    """Declare a field of a table; the other attributes are those of `Option`."""
    return field(
        default=default, metadata={"option": Option(meaning, default=default, **attributes)}
    )


def options_of(table: type) -> dict[str, Option]:
    """Return the options of a table by keyword, in its order."""
    options = (
        replace(each.metadata["option"], name=each.name, type=str(each.type))
        for each in fields(table)
    )
    return {each.keyword or each.name: each for each in options}


def recorded(table: type) -> dict[str, Option]:
    """Return the options of a table that a manifest records, by keyword."""
    return {name: each for name, each in options_of(table).items() if each.recorded}


def changed(values: Any) -> dict[str, Any]:
    """Return the recorded options that are not the default, by keyword, as plain data in the manifest's order."""
    in_order = sorted(recorded(type(values)).items(), key=lambda item: item[1].recorded)
    chosen = {name: (each, getattr(values, each.name)) for name, each in in_order}
    plain = {
        name: each.plain(value) for name, (each, value) in chosen.items() if value != each.default
    }
    return {name: value for name, value in plain.items() if value is not None}


def make(table: type[T], given: Mapping[str, Any]) -> T:
    """Return an instance of a table with options by keyword; None stands for the default.

    Raises:
        TypeError: unknown keyword.
    """
    refuse_unknown(given, options_of(table))
    options = {
        name: each for name, each in options_of(table).items() if given.get(name) is not None
    }
    return table(**{each.name: each.read(given[name]) for name, each in options.items()})


def refuse_unknown(given: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Refuse options that do not exist.

    Raises:
        TypeError: unknown keyword; suggests the nearest one.
    """
    for name in given:
        if name not in known:
            raise TypeError(f"unexpected keyword argument `{name}`{did_you_mean(name, known)}")


def option_words(chosen: Mapping[str, Any]) -> str:
    """Return recorded options as words of a command line; empty if there are none."""
    words = []
    for name, value in chosen.items():
        flag = f"--{name.replace('_', '-')}"
        values = (
            [f"{key}={each}" for key, each in value.items()]
            if isinstance(value, Mapping)
            else [value]
        )
        words += [flag if each is True else f"{flag} {each}" for each in values]
    return " ".join(words)
