"""Every error that a user can cause: what happened, where, and what to try next; and what messages are made of.

The command line prints the message and exits with `exit_code`; a traceback appears only with `--debug`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType

_LONGEST = 63  # characters of a word that are compared


class DynagenError(Exception):
    """Base of all errors that dynagen raises on purpose."""

    exit_code = 2


@dataclass(frozen=True)
class Fault:
    """One thing wrong with a robot description.

    Attributes:
        where: the field, such as `links[2] (forearm).dh.alpha`; empty for the file as a whole.
        message: what was found and what was expected.
        line: line in the file, counted from 1; None where there is no file.
        link: name of the link that a warning is about; empty where it is about none of them.
    """

    where: str
    message: str
    line: int | None = None
    link: str = field(default="", compare=False)

    def said_of(self, source: str) -> str:
        """The whole sentence, with the file and the line."""
        place = source if self.line is None else f"{source}:{self.line}"
        return (
            f"{place}: {self.where}: {self.message}" if self.where else f"{place}: {self.message}"
        )


class RobotDescriptionError(DynagenError):
    """A robot description cannot be used; carries all of its faults, not only the first.

    Likely causes: a misspelt key, a missing `convention`, a number that is none. Every fault says what was expected there.
    """

    def __init__(self, source: str, faults: Sequence[Fault]) -> None:
        self.source = source
        self.faults = tuple(faults)
        super().__init__("\n".join(fault.said_of(source) for fault in self.faults))


class UsageError(DynagenError):
    """A request that cannot be met: an unknown robot, function or language, a folder that must not be touched."""


class ImpossibleLinksError(UsageError):
    """No links that can be built have the base parameters that were estimated; names the links that are in the way.

    `dynagen identify -o` then writes the best of those that can be built, `--base-parameters` the parameters as they are.
    """


class InvalidProgramError(DynagenError):
    """A program breaks the rules of the intermediate form: a bug in dynagen."""

    exit_code = 1


class VerificationError(DynagenError):
    """Generated code and the numeric reference disagree: nothing is written.

    This is a bug in dynagen. Please report it with the robot description; the message names kernel, state and error.
    """

    exit_code = 1


class SimulationError(DynagenError):
    """A simulated motion ended before its time: the mass matrix became singular, or the motion left all bounds.

    The message gives the time, the state and the joint whose pivot failed. What there is of the motion is written. Python's
    `simulate` returns it instead, with the message as its `stopped`.
    """

    exit_code = 1


class StaleOutputError(DynagenError):
    """`--check` found output on disk that differs from what would be generated now."""

    exit_code = 1


class ToolchainError(DynagenError):
    """A compiler is missing, or refused generated code.

    Likely causes: no C or Fortran compiler on the PATH (the message names the package to install), or a compiler too old
    for C99. `--no-verify` generates without compiling, and says so in every file.
    """

    exit_code = 3


def refuse_if(condition: bool, message: str) -> None:
    """Refuse a request.

    Raises:
        UsageError: the condition holds.
    """
    if condition:
        raise UsageError(message)


def did_you_mean(
    word: str, known: Iterable[str], aliases: Mapping[str, str] = MappingProxyType({})
) -> str:
    """`; did you mean ...?` with the nearest known word; empty if none is near.

    Args:
        word: what was written.
        known: what could have been meant.
        aliases: what others call it, in lower case, and which of the known words that is.
    """
    if alias := aliases.get(word.lower()):
        return f"; here it is called `{alias}`"
    close = nearest(word, known)
    return f"; did you mean `{close}`?" if close else ""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that a misspelt one most likely means, or None."""
    choices = list(known)
    folded = {choice.lower(): choice for choice in reversed(choices)}
    close = get_close_matches(word[:_LONGEST].lower(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None


def shown(text: str, length: int = 60) -> str:
    """Text from a file, printable and at most `length` characters long, for a message."""
    printable = "".join(c if c.isprintable() else "?" for c in text[: length + 1])
    return printable[: length - 3] + "..." if len(text) > length else printable
