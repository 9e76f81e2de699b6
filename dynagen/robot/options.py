"""Options of reading a robot, which every command and function that reads one takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypedDict

from dynagen.errors import UsageError, did_you_mean
from dynagen.robot.literals import AS_USUAL, Snapping

if TYPE_CHECKING:
    from typing_extensions import Unpack

LARGEST_SNAP = Fraction(1, 10)
"""rad or m; half of what lies between two multiples of pi/12, and less."""


FLOATING = "floating"
BASES = ("fixed", FLOATING)
"""What a base may be; the first leaves a description as it is."""


class ReadingKeywords(TypedDict, total=False):
    """The options as users give them, by the names that they have on the command line too.

    Attributes:
        root, tip: links.
        lock: positions by the names of joints, or of the links that they move.
        snap: tolerance in rad and m.
        base: fixed or floating.
        trust: whether programs may run.
        arg: values by the names of a program's arguments.
        wrench_at: names of frames, in a text with commas between them or one by one.
    """

    root: str | None
    tip: str | None
    lock: Mapping[str, str | float]
    snap: str | float | None
    base: str | None
    trust: bool
    arg: Mapping[str, str]
    wrench_at: str | Sequence[str]


@dataclass(frozen=True)
class ReadingOptions:
    """Options of reading a robot.

    Attributes:
        strict: refuse a robot that there are warnings about.
        root: link that becomes the base: the robot is that link and what it carries; None keeps the base.
        tip: last link of the chain that the robot becomes; None keeps all branches.
        lock: joints that do not move, and where they stand: a number or arithmetic, in rad or m.
        snapping: which rounded numbers are read as round ones.
        trust: whether a description that is a program may be run.
        arguments: names and values of what such a program takes.
        base: floating makes the base move freely, fixed leaves it as it is.
        wrenches: frames at which a force and a moment are an input; none leaves those that the description names.
    """

    strict: bool = False
    root: str | None = None
    tip: str | None = None
    lock: tuple[tuple[str, str], ...] = ()
    snapping: Snapping = AS_USUAL
    trust: bool = False
    arguments: tuple[tuple[str, str], ...] = ()
    base: str = BASES[0]
    wrenches: tuple[str, ...] = ()

    @property
    def floats(self) -> bool:
        """Whether the base is to move freely."""
        return self.base == FLOATING

    @property
    def changes(self) -> dict[str, Any]:
        """The options that make the robot another than the file's, by name; plain data, for the manifest."""
        snap = self.snapping.tolerance
        chosen = {
            "root": self.root,
            "tip": self.tip,
            "snap": None if snap is None else float(snap),
            "lock": dict(self.lock),
            "arg": dict(self.arguments),
            "base": self.base if self.floats else None,
            "wrench-at": ",".join(self.wrenches) or None,
        }
        return {name: value for name, value in chosen.items() if value not in (None, {})}

    def after(self, earlier: ReadingOptions) -> ReadingOptions:
        """These options on top of those that a robot has been read with."""
        return replace(
            self,
            root=self.root or earlier.root,
            tip=self.tip or earlier.tip,
            lock=(*earlier.lock, *self.lock),
            snapping=earlier.snapping if self.snapping == AS_USUAL else self.snapping,
            trust=self.trust or earlier.trust,
            arguments=(*earlier.arguments, *self.arguments),
            base=self.base if self.floats else earlier.base,
            wrenches=self.wrenches or earlier.wrenches,
        )


DEFAULT = ReadingOptions()
"""The whole robot, as its file has it."""


def reading_options(strict: bool = False, **given: Unpack[ReadingKeywords]) -> ReadingOptions:
    """The options that users give.

    Raises:
        TypeError: there is no such option.
        UsageError: `snap` is no number from 0 to LARGEST_SNAP, or there is no such base.
    """
    known = ReadingKeywords.__annotations__
    for name in given:
        if name not in known:
            raise TypeError(f"unexpected keyword argument `{name}`{did_you_mean(name, known)}")
    base, snap = given.get("base") or BASES[0], given.get("snap")
    if base not in BASES:
        raise UsageError(f"base: expected {' or '.join(BASES)}, found `{base}`")
    at_frames = given.get("wrench_at", ())
    return ReadingOptions(
        strict=strict,
        root=given.get("root"),
        tip=given.get("tip"),
        lock=tuple(
            (joint, at if isinstance(at, str) else repr(float(at)))
            for joint, at in given.get("lock", {}).items()
        ),
        snapping=Snapping(None if snap is None else _tolerance(snap)),
        trust=given.get("trust", False),
        arguments=tuple((name, str(value)) for name, value in given.get("arg", {}).items()),
        base=base,
        wrenches=tuple(
            filter(
                None,
                map(str.strip, at_frames.split(",") if isinstance(at_frames, str) else at_frames),
            )
        ),
    )


def _tolerance(snap: str | float) -> Fraction:
    try:
        tolerance = Fraction(snap if isinstance(snap, str) else repr(float(snap)))
    except (ValueError, ZeroDivisionError):
        tolerance = Fraction(-1)
    if not 0 <= tolerance <= LARGEST_SNAP:
        raise UsageError(
            f"snap: expected a number of rad and m from 0 (off) to {float(LARGEST_SNAP)}, found `{snap}`"
        )
    return tolerance


def option_words(changes: Mapping[str, Any]) -> str:
    """The entries of `changes` as on the command line; empty if there are none."""
    words = []
    for option, value in changes.items():
        values = (
            [f"{name}={each}" for name, each in value.items()]
            if isinstance(value, Mapping)
            else [value]
        )
        words += [f"--{option} {each}" for each in values]
    return " ".join(words)
