"""Search for the columns of each quantity in a log, by the user's `--columns` or by usual names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dynagen.errors import UsageError, suggest_word
from dynagen.robot.column_units import split_factor, split_unit

QUANTITIES = ("time", "q", "qd", "qdd", "tau", "current")
_EXPECTED = "time=0,q=1:7,qd=7:13,current=13:19, or names: time=t,q=q#,tau=effort#"
# Usual names of columns, compared without regard to case. # stands for the joint number.
_USUAL = {
    "time": (
        "t",
        "time",
        "timestamp",
    ),
    "q": ("q#", "q_#", "q[#]", "position#", "position_#", "pos_#"),
    "qd": ("qd#", "qd_#", "dq#", "dq_#", "qd[#]", "velocity#", "velocity_#", "vel_#"),
    "qdd": ("qdd#", "qdd_#", "ddq#", "ddq_#", "qdd[#]", "acceleration_#"),
    "tau": ("tau#", "tau_#", "tau[#]", "torque#", "torque_#", "effort#", "effort_#"),
    "current": ("current#", "current_#", "i#", "i_#"),
}


@dataclass(frozen=True)
class LogColumns:
    """Column numbers of a log, by quantity such as time or position.

    Attributes:
        places: column numbers by quantity: one number for the time, n for any other quantity.
            Quantities that are not in the log are missing.
        factors: the user's factors to SI units, by column number. Columns without a factor are
            missing.
    """

    places: Mapping[str, tuple[int, ...]]
    factors: Mapping[int, float] = field(default_factory=dict)


def parse_columns(text: str) -> dict[str, str]:
    """Parse the value of `--columns`, such as `time=0,q=1:7`, to a map from quantity to text.

    The result of the example is {"time": "0", "q": "1:7"}.

    Raises:
        UsageError: the text is not a list of `quantity=columns`.
    """
    given: dict[str, str] = {}
    for part in text.split(","):
        quantity, equals, columns = (piece.strip() for piece in part.partition("="))
        if not equals or not columns:
            raise UsageError(f"--columns: expected {_EXPECTED}; found `{part}`")
        if quantity in given:
            raise UsageError(f"--columns: `{quantity}` is given twice")
        given[quantity] = columns
    return given


def find_columns(
    names: Sequence[str], rotates: Sequence[bool], given: Mapping[str, Any] | None, source: str
) -> LogColumns:
    """Find the column numbers of each quantity in a log.

    Args:
        names: names of the log's columns, or column numbers as text if the file has no names.
        rotates: for each moving joint, True if it is revolute.
        given: the user's columns by quantity: a text as for `--columns`, a number, or a list of
            numbers and names. None: columns with the usual names t, q1, ..., qd1, ..., tau1, ...
        source: name of the log, for messages.

    Raises:
        UsageError: a quantity is unknown, or its columns are missing, too few or too many.
    """
    count, factors = len(rotates), dict[int, float]()
    places: dict[str, tuple[int, ...]]
    if given is None:
        looked_for = {quantity: _find_usual(names, rotates, quantity) for quantity in QUANTITIES}
        places = {quantity: found for quantity, found in looked_for.items() if found}
        _refuse_incomplete(names, count, places, source)
    else:
        for quantity in given:
            if quantity not in QUANTITIES:
                hint = suggest_word(
                    quantity,
                    QUANTITIES,
                    {"t": "time", "position": "q", "velocity": "qd", "torque": "tau"},
                )
                raise UsageError(
                    f"{source}: columns: unknown quantity `{quantity}`{hint}; "
                    f"expected {', '.join(QUANTITIES)}"
                )
        places = {
            name: _places(names, count, name, text, source, factors) for name, text in given.items()
        }
    for needed in ("time", "q"):
        if needed not in places:
            usual = ", ".join(name.replace("#", "1") for name in _USUAL[needed][:2])
            listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
            raise UsageError(
                f"{source}: there is no column for {needed} ({usual}); found {listed}. "
                f"Name the column with --columns {_EXPECTED}"
            )
    if ("tau" in places) == ("current" in places):
        found = "both" if "tau" in places else "neither"
        raise UsageError(
            f"{source}: expected joint forces (tau1, ...) or motor currents (current1, ... with "
            f"--gains), found {found}. Name the columns with --columns {_EXPECTED}"
        )
    return LogColumns(places, factors)


def _find_usual(names: Sequence[str], rotates: Sequence[bool], quantity: str) -> tuple[int, ...]:
    """Find the column numbers of a quantity by usual names, with or without units in the names.

    The result is empty unless the columns of all joints exist.
    """
    of_columns = rotates[:1] if quantity == "time" else rotates
    folded = [name.strip().lower() for name in names]
    # The same names without their units, for a column of each joint.
    bases = [[split_unit(name, quantity, turns)[0] for name in names] for turns in of_columns]
    for pattern in _USUAL[quantity]:
        for wanted in _number_names(pattern, len(of_columns)):
            if all(name in folded for name in wanted):
                return tuple(folded.index(name) for name in wanted)
    for pattern in _USUAL[quantity]:
        for wanted in _number_names(pattern, len(of_columns)):
            plain = [split_unit(name, quantity, rotates=True)[0] for name in wanted]
            if all(name in own for name, own in zip(plain, bases, strict=True)):
                return tuple(own.index(name) for name, own in zip(plain, bases, strict=True))
    return ()


def _refuse_incomplete(
    names: Sequence[str], count: int, places: Mapping[str, tuple[int, ...]], source: str
) -> None:
    """Refuse a log in which the columns of a quantity exist for some joints only.

    Incomplete joint forces are accepted if the motor currents are complete, and incomplete currents
    if the forces are complete.
    """
    forces = {"tau", "current"}
    missing = [
        quantity
        for quantity in QUANTITIES
        if quantity not in places and not (quantity in forces and forces & places.keys())
    ]
    for quantity in missing:
        if partial := _describe_partial_columns(names, count, _USUAL[quantity]):
            raise UsageError(
                f"{source}: {quantity}: {partial}. Name the columns with --columns {_EXPECTED}"
            )


def _describe_partial_columns(names: Sequence[str], count: int, patterns: Sequence[str]) -> str:
    """Describe which columns of a quantity exist and which are missing in a log.

    Each of the `patterns`, such as `q#`, stands for one column name per joint. The pattern with
    most existing columns is described. The text is empty if no column exists.
    """
    folded = {name.strip().lower() for name in names}
    candidates = (series for pattern in patterns for series in _number_names(pattern, count))
    nearest = max(
        candidates, key=lambda series: sum(name.lower() in folded for name in series), default=[]
    )
    there = [name for name in nearest if name.lower() in folded]
    missing = [name for name in nearest if name.lower() not in folded]
    if not there:
        return ""
    return (
        f"found {', '.join(there)}, but not {', '.join(missing)}: "
        f"the robot has {count} joints that move"
    )


def _number_names(pattern: str, count: int) -> list[list[str]]:
    """Return two lists of names for a pattern such as `q#`: numbered from 1, and from 0.

    A pattern without `#` is itself the only name, if the count of names is 1.
    """
    if "#" not in pattern:
        return [[pattern]] if count == 1 else []
    return [
        [pattern.replace("#", str(number + first)) for number in range(count)] for first in (1, 0)
    ]


def _places(
    names: Sequence[str],
    count: int,
    quantity: str,
    given: Any,
    source: str,
    factors: dict[int, float],
) -> tuple[int, ...]:
    """Return the column numbers of a quantity, and add the user's factors of columns to `factors`.

    `given` is the user's text, number or list of columns. `factors` contains, by column number, the
    factor that converts the column to SI units.
    """
    expected = 1 if quantity == "time" else count
    parts = given if isinstance(given, list) else str(given).split("+")
    places: list[int] = []
    for part in (part.strip() for part in map(str, parts)):
        columns, factor = (part, None) if part in names else split_factor(part, source)
        found = _place(names, expected, quantity, columns, source)
        places += found
        factors |= {} if factor is None else dict.fromkeys(found, factor)
    if len(places) != expected:
        raise UsageError(
            f"{source}: columns: {quantity}={given}: expected {expected} columns, "
            f"found {len(places)}"
        )
    return tuple(places)


def _place(names: Sequence[str], count: int, quantity: str, part: str, source: str) -> list[int]:
    if part in names:
        return [names.index(part)]
    if match := re.fullmatch(r"(\d+)(?::(\d+))?", part):
        first = int(match[1])
        places = list(range(first, int(match[2]))) if match[2] else [first]
        if beyond := [place for place in places if place >= len(names)]:
            last = len(names) - 1
            raise UsageError(
                f"{source}: columns: {quantity}={part}: there is no column {beyond[0]}; "
                f"the last is {last}"
            )
        return places
    for wanted in _number_names(part, count):
        if all(name in names for name in wanted):
            return [names.index(name) for name in wanted]
    if partial := _describe_partial_columns(names, count, [part]):
        raise UsageError(f"{source}: columns: {quantity}={part}: {partial}")
    hint, found = suggest_word(part, names), ", ".join(names[:12])
    raise UsageError(
        f"{source}: columns: {quantity}={part}: there is no such column{hint}; found {found}"
    )
