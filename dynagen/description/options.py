"""How a robot is read: the options that every command and function that reads one takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypedDict

from dynagen.description.snapping import AS_USUAL, Snapping
from dynagen.errors import UsageError

LARGEST_SNAP = Fraction(1, 10)
"""rad or m; half of what lies between two multiples of pi/12, and less."""


class ReadingKeywords(TypedDict, total=False):
    """The options as keyword arguments: see ReadingOptions, which is made of them by `reading_options`."""

    root: str | None
    tip: str | None
    lock: Mapping[str, str | float]
    snap: str | float | None
    trust: bool


@dataclass(frozen=True)
class ReadingOptions:
    """How to read a robot.

    Attributes:
        strict: refuse a robot that there are warnings about.
        root: link that becomes the base: the robot is that link and what it carries; None keeps the base.
        tip: last link of the chain that the robot becomes; None keeps all branches.
        lock: joints that do not move, and where they stand: a number or arithmetic, in rad or m.
        snapping: which rounded numbers are read as round ones.
        trust: whether a description that is a program may be run.
    """

    strict: bool = False
    root: str | None = None
    tip: str | None = None
    lock: tuple[tuple[str, str], ...] = ()
    snapping: Snapping = AS_USUAL
    trust: bool = False

    @property
    def changes(self) -> dict[str, Any]:
        """What makes the robot another than the file's, by the names of the options; plain data, for the manifest."""
        snap = self.snapping.tolerance
        chosen = {"root": self.root, "tip": self.tip, "lock": dict(self.lock), "snap": None if snap is None else float(snap)}
        return {name: value for name, value in chosen.items() if value not in (None, {})}

    def after(self, earlier: ReadingOptions) -> ReadingOptions:
        """These options, of a robot that has been read with earlier ones."""
        return replace(
            self,
            root=self.root or earlier.root,
            tip=self.tip or earlier.tip,
            lock=(*earlier.lock, *self.lock),
            snapping=earlier.snapping if self.snapping == AS_USUAL else self.snapping,
            trust=self.trust or earlier.trust,
        )


DEFAULT = ReadingOptions()
"""The whole robot, as its file has it."""


def reading_options(
    strict: bool = False,
    root: str | None = None,
    tip: str | None = None,
    lock: Mapping[str, str | float] | None = None,
    snap: str | float | None = None,
    trust: bool = False,
) -> ReadingOptions:
    """The options as users give them.

    Args:
        strict: as in ReadingOptions, and so are root, tip and trust.
        root: a link.
        tip: a link.
        lock: positions by the names of joints, or of the links that they move.
        snap: tolerance in rad and m.
        trust: of programs.

    Raises:
        UsageError: `snap` is no number from 0 to LARGEST_SNAP.
    """
    locked = tuple((joint, value if isinstance(value, str) else repr(float(value))) for joint, value in (lock or {}).items())
    return ReadingOptions(strict, root, tip, locked, Snapping(None if snap is None else _tolerance(snap)), trust)


def _tolerance(snap: str | float) -> Fraction:
    try:
        tolerance = Fraction(snap if isinstance(snap, str) else repr(float(snap)))
    except (ValueError, ZeroDivisionError):
        tolerance = Fraction(-1)
    if not 0 <= tolerance <= LARGEST_SNAP:
        raise UsageError(f"snap: expected a number of rad and m from 0 (off) to {float(LARGEST_SNAP)}, found `{snap}`")
    return tolerance


def option_words(changes: Mapping[str, Any]) -> str:
    """What `changes` holds, as on the command line; empty if that is nothing."""
    given = ((name, value) for name, value in changes.items() if name != "lock")
    locked = (("lock", f"{joint}={value}") for joint, value in changes.get("lock", {}).items())
    return " ".join(f"--{name} {value}" for name, value in (*given, *locked))
