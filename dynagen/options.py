"""Tables of options: frozen dataclasses, each field of which describes one option.

`pipeline.settings.Settings` and `robot.options.ReadingOptions` are tables of options. These tables
determine the options of commands (`cli.options`), the signatures and docstrings of Python functions
(`runtime.api`), the manifest, and the messages on stale folders.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from dynagen.errors import suggest_word

T = TypeVar("T")

OUTPUT = "Output"
FUNCTIONS = "Functions"
EFFORT = "Effort"
ROBOT = "Robot"
PROOF = "Proof"
CORES = "Batch and cores"
BUILD = "Build"
GROUPS = (OUTPUT, FUNCTIONS, EFFORT, ROBOT, PROOF, CORES, BUILD)
"""Headings of groups of options, in the order in which help texts show them."""


@dataclass(frozen=True)
class Option:
    """An option of commands and Python functions, as users see it.

    Attributes:
        meaning: help text, which names other options as on the command line (`--batch`).
        group: heading under which help texts list the option, one of GROUPS.
        keyword: name in Python and, with dashes, on the command line; empty: the name of the
            table's field.
        flags: spellings on the command line, such as `-o`; empty: `--` followed by the keyword.
        metavar: placeholder of the value in help; a placeholder with `=`, such as `NAME=VALUE`,
            means that the option is a mapping in Python.
        choices: all permitted values; empty if the value is not one of a fixed list of words.
        least, most: smallest and largest permitted number on the command line; None: no limit.
        repeated: whether the command line accepts the option several times.
        bare: value of the option if the user writes the option without a value; None: a value is
            required.
        measured: whether the command line also accepts the word `measured` in place of a number.
        usual: the default in words, for help texts. None: help texts show the value of the default.
            Empty: the help of a command shows no default.
        recorded: position (from 1) among the options in the manifest, the JSON file that describes
            delivered code; 0: not in the manifest. The manifest omits options that have their
            default.
        read: function from the user's value to the value of the field.
        plain: function from the value of the field to plain data for the manifest.
        name, type, default: name, type and default value of the table's field.
    """

    meaning: str
    group: str = ""
    keyword: str = ""
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    repeated: bool = False
    bare: str | None = None
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
        """Whether the option is a mapping from names to values."""
        return self.repeated and "=" in (self.metavar or "")


def option(default: T, meaning: str, **attributes: Any) -> T:
    """Declare a field of an options table (a frozen dataclass), and return the field.

    Args:
        default: default value of the option.
        meaning: help text of the option.
        attributes: further attributes of the class `Option`, by keyword.
    """
    return field(
        default=default, metadata={"option": Option(meaning, default=default, **attributes)}
    )


def list_options(table: type) -> dict[str, Option]:
    """Return the options of a table (a dataclass such as `Settings`), by keyword, in order."""
    options = (
        replace(column.metadata["option"], name=column.name, type=str(column.type))
        for column in fields(table)
    )
    return {entry.keyword or entry.name: entry for entry in options}


def list_recorded_options(table: type) -> dict[str, Option]:
    """Return the options of a table that the manifest of delivered code records, by keyword."""
    return {name: entry for name, entry in list_options(table).items() if entry.recorded}


def list_changed_options(values: Any) -> dict[str, Any]:
    """Return the recorded options that differ from their default, by keyword.

    Returns:
        Values as plain data, in the order in which a manifest lists them.
    """
    in_order = sorted(
        list_recorded_options(type(values)).items(), key=lambda item: item[1].recorded
    )
    chosen = {name: (entry, getattr(values, entry.name)) for name, entry in in_order}
    plain = {
        name: entry.plain(value)
        for name, (entry, value) in chosen.items()
        if value != entry.default
    }
    return {name: value for name, value in plain.items() if value is not None}


def make(table: type[T], given: Mapping[str, Any]) -> T:
    """Return an instance of a table with the values that a user gave.

    Args:
        table: frozen dataclass whose fields were declared with `option`.
        given: value by keyword; None stands for the default of the option.

    Raises:
        TypeError: unknown keyword.
    """
    refuse_unknown(given, list_options(table))
    options = {
        name: entry for name, entry in list_options(table).items() if given.get(name) is not None
    }
    return table(**{entry.name: entry.read(given[name]) for name, entry in options.items()})


def refuse_unknown(given: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Reject keywords of `given` that are not keywords of `known`.

    Raises:
        TypeError: a keyword is unknown; the message suggests the nearest known keyword.
    """
    for name in given:
        if name not in known:
            raise TypeError(f"unexpected keyword argument `{name}`{suggest_word(name, known)}")


def format_options(chosen: Mapping[str, Any]) -> str:
    """Return the text of options on a command line, such as `--real float`, from their values."""
    words = []
    for name, value in chosen.items():
        flag = f"--{name.replace('_', '-')}"
        values = (
            [f"{key}={number}" for key, number in value.items()]
            if isinstance(value, Mapping)
            else [value]
        )
        # A switch is written without a value.
        words += [flag if word is True else f"{flag} {word}" for word in values]
    return " ".join(words)
