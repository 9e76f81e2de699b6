"""Columns: which columns of a log hold what, as users say it: by number, by range, by name, or not at all.

    time=0,q=1:7,qd=7:13,current=13:19       numbers from 0; ranges as Python has them, without their end
    time=stamp,q=pos#,tau=effort#            names; # stands for the joints' numbers, from 1 or from 0
    q=shoulder+elbow                         names one by one

The same as a mapping in a file of YAML or JSON: `columns: {time: 0, q: "1:7", tau: [effort_a, effort_b]}`, with `gains`,
`rows` and `degrees` beside it as the options of these names have them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynagen.errors import UsageError, did_you_mean

QUANTITIES = ("time", "q", "qd", "qdd", "tau", "current")
_EXPECTED = "time=0,q=1:7,qd=7:13,current=13:19, or names: time=t,q=q#,tau=effort#"
_USUAL = {
    "time": ("t", "time", "timestamp"),
    "q": ("q#", "q_#", "q[#]", "position#", "position_#", "pos_#"),
    "qd": ("qd#", "qd_#", "dq#", "dq_#", "qd[#]", "velocity#", "velocity_#", "vel_#"),
    "qdd": ("qdd#", "qdd_#", "ddq#", "ddq_#", "qdd[#]", "acceleration_#"),
    "tau": ("tau#", "tau_#", "tau[#]", "torque#", "torque_#", "effort#", "effort_#"),
    "current": ("current#", "current_#", "i#", "i_#"),
}


@dataclass(frozen=True)
class Columns:
    """Places of a log's columns by quantity: one of the time, n of the others; quantities that are not logged are left out."""

    places: Mapping[str, tuple[int, ...]]


def parse_columns(text: str) -> dict[str, str]:
    """What `--columns` says, by quantity.

    Raises:
        UsageError: it is no list of `quantity=columns`.
    """
    said: dict[str, str] = {}
    for part in text.split(","):
        quantity, equals, columns = (each.strip() for each in part.partition("="))
        if not equals or not columns:
            raise UsageError(f"--columns: expected {_EXPECTED}; found `{part}`")
        if quantity in said:
            raise UsageError(f"--columns: `{quantity}` is given twice")
        said[quantity] = columns
    return said


def find_columns(names: Sequence[str], count: int, said: Mapping[str, Any] | None, source: str) -> Columns:
    """The places of columns.

    Args:
        names: of the log's columns; numbers in words where it has none.
        count: of joints.
        said: what the user says of quantities: text, a number, a list of numbers and names; None: usual names count.
        source: for messages.

    Raises:
        UsageError: a quantity is unknown, or its columns are not there or too few or too many.
    """
    places: dict[str, tuple[int, ...]]
    if said is None:
        looked_for = {quantity: _usual(names, count, quantity) for quantity in QUANTITIES}
        places = {quantity: found for quantity, found in looked_for.items() if found}
        _refuse_incomplete(names, count, places, source)
    else:
        for quantity in said:
            if quantity not in QUANTITIES:
                hint = did_you_mean(quantity, QUANTITIES, {"t": "time", "position": "q", "velocity": "qd", "torque": "tau"})
                raise UsageError(f"{source}: columns: there is no `{quantity}`{hint}; there are {', '.join(QUANTITIES)}")
        places = {name: _places(names, count, name, each, source) for name, each in said.items()}
    for needed in ("time", "q"):
        if needed not in places:
            usual = ", ".join(each.replace("#", "1") for each in _USUAL[needed][:2])
            listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
            raise UsageError(
                f"{source}: there is no column for {needed} ({usual}); found {listed}. Say which is: --columns {_EXPECTED}"
            )
    if ("tau" in places) == ("current" in places):
        found = "both are there" if "tau" in places else "neither is there"
        raise UsageError(
            f"{source}: expected joint forces (tau1, ...) or motor currents (current1, ... with --gains), and {found}. "
            f"Say which: --columns {_EXPECTED}"
        )
    return Columns(places)


def _usual(names: Sequence[str], count: int, quantity: str) -> tuple[int, ...]:
    """The places of columns with usual names; empty if there are none."""
    folded = [name.strip().lower() for name in names]
    for pattern in _USUAL[quantity]:
        for wanted in _numbered(pattern, 1 if quantity == "time" else count):
            if all(name in folded for name in wanted):
                return tuple(folded.index(name) for name in wanted)
    return ()


def _refuse_incomplete(names: Sequence[str], count: int, places: Mapping[str, tuple[int, ...]], source: str) -> None:
    """Refuse a quantity that usual names give for some joints only. Of forces and currents the other may be whole.

    Raises:
        UsageError: says which columns are there, and which are not.
    """
    forces = {"tau", "current"}
    missing = [each for each in QUANTITIES if each not in places and not (each in forces and forces & places.keys())]
    for quantity in missing:
        if partial := _partly_there(names, count, _USUAL[quantity]):
            raise UsageError(f"{source}: {quantity}: {partial}. Say which columns are meant: --columns {_EXPECTED}")


def _partly_there(names: Sequence[str], count: int, patterns: Sequence[str]) -> str:
    """What is there and what is missing of the names that patterns stand for; empty if none of any is there."""
    folded = {name.strip().lower() for name in names}
    wanted = (each for pattern in patterns for each in _numbered(pattern, count))
    nearest = max(wanted, key=lambda each: sum(name.lower() in folded for name in each), default=[])
    there = [name for name in nearest if name.lower() in folded]
    missing = [name for name in nearest if name.lower() not in folded]
    if not there:
        return ""
    return f"found {', '.join(there)}, but not {', '.join(missing)}: the robot has {count} joints that move"


def _numbered(pattern: str, count: int) -> list[list[str]]:
    """Names that a pattern stands for, numbered from 1, and from 0."""
    if "#" not in pattern:
        return [[pattern]] if count == 1 else []
    return [[pattern.replace("#", str(number + first)) for number in range(count)] for first in (1, 0)]


def _places(names: Sequence[str], count: int, quantity: str, said: Any, source: str) -> tuple[int, ...]:
    expected = 1 if quantity == "time" else count
    parts = said if isinstance(said, list) else str(said).split("+")
    places: list[int] = []
    for part in map(str, parts):
        places += _place(names, expected, quantity, part.strip(), source)
    if len(places) != expected:
        raise UsageError(f"{source}: columns: {quantity}={said}: expected {expected} columns, found {len(places)}")
    return tuple(places)


def _place(names: Sequence[str], count: int, quantity: str, part: str, source: str) -> list[int]:
    if part in names:
        return [names.index(part)]
    if match := re.fullmatch(r"(\d+)(?::(\d+))?", part):
        first = int(match[1])
        places = list(range(first, int(match[2]))) if match[2] else [first]
        if beyond := [place for place in places if place >= len(names)]:
            last = len(names) - 1
            raise UsageError(f"{source}: columns: {quantity}={part}: there is no column {beyond[0]}; the last is {last}")
        return places
    for wanted in _numbered(part, count):
        if all(name in names for name in wanted):
            return [names.index(name) for name in wanted]
    if partial := _partly_there(names, count, [part]):
        raise UsageError(f"{source}: columns: {quantity}={part}: {partial}")
    hint, found = did_you_mean(part, names), ", ".join(names[:12])
    raise UsageError(f"{source}: columns: {quantity}={part}: there is no such column{hint}; found {found}")
