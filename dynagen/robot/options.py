"""Options of reading a robot, shared by all commands and functions that read a robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

from dynagen.errors import UsageError
from dynagen.options import ROBOT, list_changed_options, list_options, make, option
from dynagen.robot.literals import AS_USUAL, Snapping

if TYPE_CHECKING:
    from typing_extensions import Unpack

LARGEST_SNAP = Fraction(1, 10)
"""Largest tolerance of snapping (rad or m).

It is below half of pi/12, so that an angle is near at most one multiple of pi/12.
"""


FLOATING = "floating"
BASES = ("fixed", FLOATING)
"""Values of the option `base`. By default, the robot description decides."""


def _positions(lock: Mapping[str, str | float]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (joint, at if isinstance(at, str) else repr(float(at))) for joint, at in lock.items()
    )


def _arguments(arg: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(value)) for name, value in arg.items())


def _frames(option: str, given: str | Sequence[str]) -> tuple[str, ...]:
    lists = [names.split(",") for names in ([given] if isinstance(given, str) else given)]
    frames = [[name.strip() for name in names if name.strip()] for names in lists]
    if [] in frames:  # for example an empty variable of the shell
        raise UsageError(
            f"{option}: expected names of frames separated by commas, found an empty text"
        )
    return tuple(name for names in frames for name in names)


def _payload(frame: str | bool) -> str:
    if frame == "":
        raise UsageError("payload: expected the name of a link or frame, found an empty text")
    # `robot.description.TOOL`, whose module imports this one.
    return frame if isinstance(frame, str) else "tool" if frame else ""


def _base(base: str) -> str:
    if base not in ("", *BASES):
        raise UsageError(f"base: expected {' or '.join(BASES)}, found `{base}`")
    return base


def _make_snapping(snap: str | float) -> Snapping:
    try:
        tolerance = Fraction(snap if isinstance(snap, str) else repr(float(snap)))
    except (ValueError, ZeroDivisionError):
        tolerance = Fraction(-1)
    if not 0 <= tolerance <= LARGEST_SNAP:
        raise UsageError(
            f"snap: expected a tolerance (rad and m) from 0 (off) to {float(LARGEST_SNAP)}, "
            f"found `{snap}`"
        )
    return Snapping(tolerance)


class ReadingKeywords(TypedDict, total=False):
    """Types of the options in the Python interface; `ReadingOptions` documents them."""

    root: str | None
    tip: str | None
    lock: Mapping[str, str | float]
    snap: str | float | None
    base: str | None
    wrench_at: str | Sequence[str]
    contact_force: str | Sequence[str]
    payload: str | bool
    arg: Mapping[str, str]
    trust: bool


@dataclass(frozen=True)
class ReadingOptions:
    """Options of reading a robot, from which command line and Python signatures are generated.

    In `lock`, the position of a joint is text in rad or m, which may be arithmetic.
    """

    root: str | None = option(
        None,
        "Make this link the base, and keep only the links that it carries.",
        group=ROBOT,
        metavar="LINK",
        recorded=1,
    )
    tip: str | None = option(
        None,
        "Keep only the chain that ends at this link, which becomes the tool.",
        group=ROBOT,
        metavar="LINK",
        recorded=2,
    )
    lock: tuple[tuple[str, str], ...] = option(
        (),
        "Freeze a joint at a position, in rad or m: elbow=deg(90).",
        group=ROBOT,
        metavar="JOINT=VALUE",
        repeated=True,
        recorded=4,
        read=_positions,
        plain=dict,
    )
    snapping: Snapping = option(
        AS_USUAL,
        "Tolerance (rad, m) within which angles are read as multiples of pi/12 and lengths as "
        "zero; "
        "0 reads every number as written.",
        group=ROBOT,
        keyword="snap",
        metavar="TOL",
        usual="numbers that look rounded by a tool",
        recorded=3,
        read=_make_snapping,
        plain=lambda snapping: None if snapping.tolerance is None else float(snapping.tolerance),
    )
    base: str = option(
        "",
        "Let the base move freely, with the inertia of its links, or confirm that it is fixed.",
        group=ROBOT,
        choices=BASES,
        usual="",
        recorded=6,
        read=_base,
    )
    wrenches: tuple[str, ...] = option(
        (),
        "Frames at which a force and a moment become inputs: left_foot,right_foot.",
        group=ROBOT,
        keyword="wrench_at",
        metavar="FRAMES",
        repeated=True,
        recorded=7,
        read=partial(_frames, "wrench_at"),
        plain=",".join,
    )
    contact_forces: tuple[str, ...] = option(
        (),
        "Frames at which a force in base axes becomes an input: left_foot,right_foot.",
        group=ROBOT,
        keyword="contact_force",
        metavar="FRAMES",
        repeated=True,
        recorded=9,
        read=partial(_frames, "contact_force"),
        plain=",".join,
    )
    payload: str = option(
        "",
        "Add a body whose mass, centre of mass and inertia are run-time parameters. It is fixed to "
        "this link or frame, by default to the tool.",
        group=ROBOT,
        metavar="[FRAME]",
        usual="",
        bare="tool",
        recorded=8,
        read=_payload,
    )
    arguments: tuple[tuple[str, str], ...] = option(
        (),
        "Value of an argument of a xacro file.",
        group=ROBOT,
        keyword="arg",
        metavar="NAME=VALUE",
        repeated=True,
        recorded=5,
        read=_arguments,
        plain=dict,
    )
    trust: bool = option(
        False,
        "Run xacro files: programs that may do anything.",
        group=ROBOT,
    )
    strict: bool = option(False, "Turn warnings about the robot into errors.", group=ROBOT)

    @property
    def floats(self) -> bool:
        """Whether the option `base` requests a floating base."""
        return self.base == FLOATING

    @property
    def changes(self) -> dict[str, Any]:
        """Options that change the robot in the file, by name, as plain data for the manifest."""
        return {name.replace("_", "-"): value for name, value in list_changed_options(self).items()}

    def add_to(self, earlier: ReadingOptions) -> ReadingOptions:
        """Return the options `earlier`, changed by all options of `self` that are not defaults.

        Locked joints and arguments are added to those of `earlier`. The result has `strict` of
        `self`.

        Args:
            earlier: options with which a robot has already been read.
        """
        merged: dict[str, Any] = {}
        for each in list_options(ReadingOptions).values():
            new, old = getattr(self, each.name), getattr(earlier, each.name)
            merged[each.name] = (
                (*old, *new) if each.is_mapping else old if new == each.default else new
            )
        return replace(self, **{**merged, "strict": self.strict})


DEFAULT = ReadingOptions()
"""Default options, which read the robot as its file describes it."""


def make_reading_options(strict: bool = False, **given: Unpack[ReadingKeywords]) -> ReadingOptions:
    """Return options of reading from keywords; missing keywords have their defaults.

    Raises:
        TypeError: unknown keyword.
        UsageError: `snap` is not a number from 0 to LARGEST_SNAP, or `base` is unknown.
    """
    return make(ReadingOptions, {"strict": strict, **given})
