"""Units of the columns of a table, from column names (`q1_deg`, `time_ms`) or a user's factor."""

from __future__ import annotations

import re
from math import pi

from dynagen.errors import UsageError
from dynagen.robot.arithmetic import ArithmeticTextError, evaluate

TIME_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
"""Mapping from each unit of the time column to the number of seconds in the unit."""
_ANGLES = {"rad": 1.0, "mrad": 1e-3, "deg": pi / 180, "degrees": pi / 180}
_LENGTHS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3}
_SPEEDS = {"rpm": 2 * pi / 60, "dps": pi / 180}
# Units by quantity, for joints that rotate and for joints that translate, as names write them.
_UNITS = {
    "q": (_ANGLES, _LENGTHS),
    "qd": tuple(
        {f"{unit}_s": size for unit, size in units.items()} | others
        for units, others in ((_ANGLES, _SPEEDS), (_LENGTHS, {}))
    ),
    "qdd": tuple(
        {f"{unit}_s{square}": size for unit, size in units.items() for square in ("2", "_2")}
        for units in (_ANGLES, _LENGTHS)
    ),
    "tau": ({"nm": 1.0, "n_m": 1.0, "mnm": 1e-3, "knm": 1e3}, {"n": 1.0, "mn": 1e-3, "kn": 1e3}),
    "current": ({"a": 1.0, "ma": 1e-3},) * 2,
    "time": (TIME_UNITS,) * 2,
}


def split_unit(name: str, quantity: str, rotates: bool) -> tuple[str, float | None]:
    """Split a column's name into the name without unit, and the factor from the unit to SI units.

    Args:
        name: name such as `q1_deg`, `qd1 [deg/s]` or `tau_3_Nm`.
        quantity: quantity of the column, such as `qd`.
        rotates: True for a revolute joint (units of angles), False for a prismatic joint (lengths).

    Returns:
        The name in lower case without the unit, with `_` between words, and the factor. The factor
        is None for a name without unit.
    """
    words = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    units = _UNITS[quantity][0 if rotates else 1]
    for unit in sorted(units, key=len, reverse=True):
        if words.endswith(f"_{unit}"):
            return words.removesuffix(f"_{unit}"), units[unit]
    return words, None


def split_factor(text: str, source: str) -> tuple[str, float | None]:
    """Split text such as `time_ms/1000` into the name of a column and a factor (here 0.001).

    Args:
        text: name of a column, optionally followed by `*` or `/` and arithmetic.
        source: name of the file, for the message.

    Returns:
        The name, and the factor. The factor is None for text without `*` or `/`.

    Raises:
        UsageError: the factor is not arithmetic, or is zero.
    """
    found = re.fullmatch(r"\s*([^*/]+?)\s*([*/].*)", text)
    if found is None:
        return text, None
    columns, operations = found.groups()
    try:
        factor = float(evaluate(f"1{operations}"))
    except ArithmeticTextError as error:
        raise UsageError(
            f"{source}: columns: `{text}`: {error}; expected columns, then a factor: time_ms/1000 "
            "or q#*pi/180"
        ) from None
    if not factor:
        raise UsageError(f"{source}: columns: `{text}`: the factor is zero")
    return columns, factor
