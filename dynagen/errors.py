"""Errors that a user can cause, and helpers for their messages.

A message states what happened, where, and what to try next. The command line prints an error of the
class `DynagenError` and exits with its `exit_code`. A traceback appears only with `--debug`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType

_LONGEST = 63  # characters of a word that are compared: the comparison takes quadratic time


class DynagenError(Exception):
    """Base class of the errors that dynagen raises on purpose."""

    exit_code = 2


@dataclass(frozen=True)
class Fault:
    """A fault in a robot description, with its place in the file.

    Attributes:
        where: the field, such as `links[2] (forearm).dh.alpha`; empty for the file as a whole.
        message: description of the fault, and what was expected instead.
        line: line in the file, counted from 1; None without a file.
        link: name of the link that a warning concerns; empty for other warnings and for errors.
    """

    where: str
    message: str
    line: int | None = None
    link: str = field(default="", compare=False)

    def full_message(self, source: str) -> str:
        """Return the line `file:line: where: message`; `source` is the name of the robot's file."""
        place = source if self.line is None else f"{source}:{self.line}"
        return (
            f"{place}: {self.where}: {self.message}" if self.where else f"{place}: {self.message}"
        )


class RobotDescriptionError(DynagenError):
    """Invalid robot description; the error lists all faults, not only the first.

    Likely causes: a misspelt key, a missing `convention`, an entry that is not a number. The
    message of every fault states what was expected.
    """

    def __init__(self, source: str, faults: Sequence[Fault]) -> None:
        self.source = source
        self.faults = tuple(faults)
        super().__init__("\n".join(fault.full_message(source) for fault in self.faults))


class UsageError(DynagenError):
    """Request that cannot be met: an unknown robot, function or language, or a protected folder."""


class ImpossibleLinksError(UsageError):
    """Estimated base parameters that contradict physics; the message names the links.

    No physically consistent links have these base parameters. `dynagen identify -o` then writes the
    closest physically consistent links. `dynagen identify --base-parameters` writes the estimated
    parameters unchanged.
    """


class InvalidProgramError(DynagenError):
    """Program that violates a rule of dynagen's intermediate representation: a bug in dynagen."""

    exit_code = 1


class VerificationError(DynagenError):
    """Disagreement between generated code and the numeric reference. Nothing is written.

    A VerificationError is a bug in dynagen. Please report the bug with the robot description. The
    message names the kernel, the state and the error.
    """

    exit_code = 1


class SimulationError(DynagenError):
    """Simulated motion that ended early: the mass matrix became singular, or the motion diverged.

    The message of a SimulationError states the time, the state and the joint whose pivot failed.
    `dynagen simulate --out` still writes the motion up to the early end. In Python, `simulate` does
    not raise a SimulationError, but returns the motion up to the early end with the message in
    `stopped`.
    """

    exit_code = 1


class StaleOutputError(DynagenError):
    """Output on disk that differs from the output of a new run, found by `--stale`."""

    exit_code = 1


class ToolchainError(DynagenError):
    """Missing compiler, or a compiler that rejected generated code.

    Likely causes: no C or Fortran compiler on the PATH (the message names the package to install),
    or a compiler too old for C99. `--no-verify` generates code without compiling it; every
    generated file then states that it is not proved.
    """

    exit_code = 3


def refuse_if(condition: bool, message: str) -> None:
    """Raise a UsageError with a message if a condition is true.

    Raises:
        UsageError: the condition is true.
    """
    if condition:
        raise UsageError(message)


def suggest_word(
    word: str, known: Iterable[str], aliases: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return `; did you mean ...?` with the nearest known word; empty if no word is near.

    Args:
        word: the user's word.
        known: all valid words.
        aliases: names in other tools, in lower case, with the valid word for each.
    """
    if alias := aliases.get(word.lower()):
        return f"; dynagen calls it `{alias}`"
    close = find_nearest(word, known)
    return f"; did you mean `{close}`?" if close else ""


def find_nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the word of `known` most similar to a misspelt `word`; None if none is similar."""
    choices = list(known)
    folded = {choice.lower(): choice for choice in reversed(choices)}
    close = get_close_matches(word[:_LONGEST].lower(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None


def clip(text: str, length: int = 60) -> str:
    """Return printable text for a message, shortened to at most `length` characters."""
    printable = "".join(c if c.isprintable() else "?" for c in text[: length + 1])
    return printable[: length - 3] + "..." if len(text) > length else printable
