"""Options of reading a robot, common to all commands and functions that read one."""

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
"""Largest tolerance of snapping (rad or m): below half the distance of two multiples of pi/12."""

FLOATING = "floating"
BASES = ("fixed", FLOATING)
"""Choices of `base`; the first one keeps the base of the description."""


class ReadingKeywords(TypedDict, total=False):
    """The options as keyword arguments; the command line has the same names.

    Attributes:
        root, tip: names of links.
        lock: positions (rad or m) by the name of the joint or of the link that it moves.
        snap: tolerance of snapping in rad and m.
        base: "fixed" or "floating".
        trust: whether a description that is a program may run.
        arg: values of a program's arguments, by their names.
        wrench_at: names of frames, as a list or as one text with commas.
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
        strict: whether warnings are errors.
        root: link that becomes the base; links that it does not carry are left out. None keeps the
            base.
        tip: last link of the chain to keep; None keeps all branches.
        lock: joints to fix, and their positions (rad or m) as numbers or arithmetic.
        snapping: rule by which rounded numbers are read as exact ones.
        trust: whether a description that is a program may run.
        arguments: names and values of such a program's arguments.
        base: "floating" makes the base move freely, "fixed" keeps the base of the description.
        wrenches: frames at which external wrenches act; if empty, those of the description.
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
        """Whether these options make the base move freely."""
        return self.base == FLOATING

    @property
    def changes(self) -> dict[str, Any]:
        """The options that change the file's robot, by name; plain data for the manifest."""
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
        """Combine these options with the earlier ones that a robot was read with."""
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
"""Options that change nothing: the robot of the file."""


def reading_options(strict: bool = False, **given: Unpack[ReadingKeywords]) -> ReadingOptions:
    """Convert keyword arguments to options.

    Args:
        strict: whether warnings are errors.
        **given: the other options; those left out have their defaults.

    Raises:
        TypeError: an option is unknown.
        UsageError: `snap` is not a number from 0 to LARGEST_SNAP, or `base` is unknown.
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
        snapping=Snapping(None if snap is None else _read_tolerance(snap)),
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


def _read_tolerance(snap: str | float) -> Fraction:
    """Return the tolerance of snapping exactly, or raise a UsageError."""
    try:
        tolerance = Fraction(snap if isinstance(snap, str) else repr(float(snap)))
    except (ValueError, ZeroDivisionError):
        tolerance = Fraction(-1)
    if not 0 <= tolerance <= LARGEST_SNAP:
        raise UsageError(
            f"snap: expected a number of rad and m from 0 (off) to {float(LARGEST_SNAP)}, "
            f"found `{snap}`"
        )
    return tolerance


def option_words(changes: Mapping[str, Any]) -> str:
    """Format the entries of `ReadingOptions.changes` as options of the command line."""
    words = []
    for option, value in changes.items():
        arguments = (
            [f"{name}={setting}" for name, setting in value.items()]
            if isinstance(value, Mapping)
            else [value]
        )
        words += [f"--{option} {argument}" for argument in arguments]
    return " ".join(words)
