"""Logs of motion and joint forces in SI units, read from tables with named columns.

`--columns` selects the columns of each quantity by number, range or name:

    time=0,q=1:7,qd=7:13,current=13:19       numbers from 0; ranges as in Python, without the end
    time=stamp,q=pos#,tau=effort#            names; # stands for the joint numbers from 1 or from 0
    q=shoulder+elbow                         one name per joint
    time=time_ms/1000,q=pos#*pi/180          a factor to SI units

If the name of a column ends in a unit, as `q1_deg`, `qd1 [deg/s]` or `time_ms`, the numbers are
read in this unit.

A YAML or JSON file contains the selection as a mapping: `columns: {time: 0, q: "1:7", tau:
[effort_a, effort_b]}`. The keys `gains`, `rows`, `degrees` and `time_unit` of the file correspond
to the options with these names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from dynagen.apps.identification.log_columns import LogColumns, find_columns, parse_columns
from dynagen.apps.identification.tables import LogTable, read_log_table
from dynagen.errors import UsageError, clip
from dynagen.numbers.arrays import Array
from dynagen.robot.column_units import TIME_UNITS, split_unit
from dynagen.robot.description import RobotDescription


def parse_rows(text: str) -> slice:
    """Parse a range of rows, such as `354:5090`, `:5090` or `354:`, as a slice.

    As in Python, `354:5090` are the rows 354 to 5089, counted from 0.

    Raises:
        UsageError: the text is not a range.
    """
    match = re.fullmatch(r"(-?\d*):(-?\d*)", text.strip())
    if not match:
        raise UsageError(
            "rows: expected first:last, such as 354:5090 for rows 354 to 5089 (counted from 0), "
            f"found `{text}`"
        )
    first, last = (int(end) if end else None for end in match.groups())
    return slice(first, last)


_KEYS = ("columns", "gains", "rows", "degrees", "time_unit")
_FEWEST_ROWS = 50


@dataclass(frozen=True)
class LogFormat:
    """Options for reading logs: columns, gains, rows and units.

    Attributes:
        columns: the columns of each quantity (keys time, q, qd, qdd, tau, current). The value is a
            text as for `--columns`, a column number, or a list. None: columns with the usual names
            t, q1, ..., qd1, ..., tau1, ...
        gains: force per ampere of motor current, N m/A or N/A, one per joint, negative if current
            and force have opposite signs; None if joint forces are logged.
        rows: range of rows to read, as text such as `354:5090`; `:` for all rows.
        degrees: whether angles are in degrees and angular velocities in degrees/s.
        time_unit: unit of the times: s, ms, us or ns; None: the unit at the end of the column's
            name, or s without it.
    """

    columns: Mapping[str, Any] | None = None
    gains: tuple[float, ...] | None = None
    rows: str = ":"
    degrees: bool = False
    time_unit: str | None = None


@dataclass(frozen=True)
class Log:
    """A log of motion and joint forces of a robot with n joints, in SI units.

    Attributes:
        source: name of the file for messages, with the range of rows if not all rows are used.
        t: times in s, shape (count,).
        q: positions in rad or m, shape (count, n).
        qd, qdd: velocities (rad/s or m/s) and accelerations (rad/s^2 or m/s^2), shape (count, n);
            None if not logged.
        tau: forces of the motors at the joints, N m or N, shape (count, n).
        names: names of columns for messages, by quantity.
        first_row: number of the log's first row in the file, counted from 0.
    """

    source: str
    t: Array
    q: Array
    qd: Array | None
    qdd: Array | None
    tau: Array
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    first_row: int = 0

    def __len__(self) -> int:
        return len(self.t)

    def cut(self, rows: slice) -> Log:
        """Return the part of the log in the range `rows`, counted from 0."""
        qd, qdd = (None if values is None else values[rows] for values in (self.qd, self.qdd))
        first = self.first_row + (rows.start or 0)
        return replace(
            self,
            t=self.t[rows],
            q=self.q[rows],
            qd=qd,
            qdd=qdd,
            tau=self.tau[rows],
            first_row=first,
        )


def make_log_format(
    columns: str | Mapping[str, Any] | Path | None = None,
    gains: Sequence[float] | None = None,
    rows: str | None = None,
    degrees: bool | None = None,
    time_unit: str | None = None,
) -> LogFormat:
    """Combine the user's options for reading logs with the options in a file.

    Args:
        columns: text such as `time=0,q=1:7,tau=7:13`, a mapping from quantity to columns, or a YAML
            or JSON file with the keys columns, gains, rows, degrees and time_unit. The other
            arguments override the entries of the file.
        gains: force per ampere of motor current, N m/A or N/A, one per joint; None if joint forces
            are logged.
        rows: rows to use, such as `354:5090`; None for all rows.
        degrees: whether angles are in degrees and angular velocities in degrees/s.
        time_unit: unit of the times: s, ms, us or ns; None: the unit at the end of the column's
            name, or s without it.

    Raises:
        UsageError: the file cannot be read or has unknown keys, the unit is unknown, or the text
            for `columns` is not a list of `quantity=columns`.
    """
    given: dict[str, Any] = {}
    if isinstance(columns, Path) or (isinstance(columns, str) and "=" not in columns):
        given = _read_mapping(Path(columns))
    elif columns is not None:
        given = {"columns": parse_columns(columns) if isinstance(columns, str) else dict(columns)}
    given |= {
        key: value
        for key, value in (
            ("gains", gains),
            ("rows", rows),
            ("degrees", degrees),
            ("time_unit", time_unit),
        )
        if value is not None
    }
    unit = given.get("time_unit")
    if unit is not None and str(unit) not in TIME_UNITS:
        raise UsageError(f"time unit: expected {', '.join(TIME_UNITS)}, found `{clip(str(unit))}`")
    if "rows" in given:
        parse_rows(str(given["rows"]))
    try:
        numbers = (
            None if given.get("gains") is None else tuple(float(gain) for gain in given["gains"])
        )
    except (TypeError, ValueError):
        raise UsageError(
            f"gains: expected a number for each joint, found {given['gains']}"
        ) from None
    if numbers is not None and not all(np.isfinite(gain) and gain for gain in numbers):
        raise UsageError(
            "gains: expected a finite number other than zero for each joint, found "
            f"{', '.join(f'{gain:g}' for gain in numbers)}"
        )
    return LogFormat(
        given.get("columns"),
        numbers,
        str(given.get("rows", ":")),
        bool(given.get("degrees", False)),
        unit,
    )


def _read_mapping(path: Path) -> dict[str, Any]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        content = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            "--columns: expected time=0,q=1:7,..., or a YAML file that maps columns; "
            f"cannot read {path}: {error.strerror}"
        ) from error
    except (YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: expected YAML: {str(error).splitlines()[0]}") from error
    if not isinstance(content, dict) or not isinstance(content.get("columns", {}), dict):
        raise UsageError(
            f"{path}: expected `columns:` with a mapping of time, q, qd, qdd, tau or current to "
            "columns"
        )
    if unknown := [key for key in content if key not in _KEYS]:
        raise UsageError(f"{path}: unknown key `{unknown[0]}`; expected {', '.join(_KEYS)}")
    return dict(content)


def read_log(name: str | Path, robot: RobotDescription, form: LogFormat) -> Log:
    """Read motion and joint forces of a log from a CSV, Parquet or npz file, in SI units.

    Args:
        name: file name. `:first:last` after the name replaces the range of rows in `form`.
        robot: the robot that recorded the log.
        form: columns, gains, range of rows and units of the log.

    Raises:
        UsageError: the file cannot be read, or its columns or the gains do not fit the robot.
        ToolchainError: the file is Parquet, and pyarrow is not installed.
    """
    path, rows = _split(str(name), form.rows)
    table = read_log_table(Path(path))
    first, last, _ = parse_rows(rows).indices(len(table.values))
    part = (
        table.source
        if last - first == len(table.values)
        else f"{table.source}, rows {first} to {last - 1}"
    )
    log = make_log(
        replace(table, values=table.values[first:last], source=part, first_row=first), robot, form
    )
    if len(log) < _FEWEST_ROWS:
        raise UsageError(
            f"{path}: {len(log)} of the file's {len(table.values)} rows are selected: expected at "
            f"least {_FEWEST_ROWS}"
        )
    return log


def make_log(table: LogTable, robot: RobotDescription, form: LogFormat) -> Log:
    """Return the motion and joint forces that a table contains, in SI units.

    Args:
        table: numbers by column; all rows are used.
        robot: the robot that recorded the log.
        form: columns, gains and units. The range of rows is ignored.

    Raises:
        UsageError: columns or gains do not fit the robot.
    """
    path, values = table.source, table.values
    rotates = [bool(link.joint.angular) for link in robot.links if link.joint.nv]
    columns = find_columns(table.names, rotates, form.columns, table.source)

    def read(quantity: str) -> Array:
        return values[:, columns.places[quantity]] * _find_units(
            table, quantity, columns, rotates, form
        )

    motion = {name: read(name) for name in ("q", "qd", "qdd") if name in columns.places}
    forces = read("tau" if "tau" in columns.places else "current")
    tau = _apply_gains(forces, "tau" in columns.places, form, path)
    t = read("time")[:, 0]
    names = {
        quantity: tuple(map(table.name_column, places))
        for quantity, places in columns.places.items()
    }
    names["tau"] = names.get("tau", names.get("current", ()))
    return Log(
        path, t, motion["q"], motion.get("qd"), motion.get("qdd"), tau, names, table.first_row
    )


def _find_units(
    table: LogTable, quantity: str, columns: LogColumns, rotates: Sequence[bool], form: LogFormat
) -> Array:
    """Return, for each column of a quantity, the factor from its unit to SI units.

    A factor from the user overrides the unit in the column's name; a unit in the name overrides
    `degrees`.
    """
    units = []
    for place, turns in zip(columns.places[quantity], rotates, strict=False):
        named = split_unit(table.names[place], quantity, turns)[1] if table.has_names else None
        degrees = form.degrees and turns and quantity in ("q", "qd", "qdd")
        usual = np.pi / 180 if degrees else 1.0
        if quantity == "time" and form.time_unit is not None:
            named = TIME_UNITS[form.time_unit]
        units.append(columns.factors.get(place, usual if named is None else named))
    return np.array(units)


def _split(name: str, rows: str) -> tuple[str, str]:
    """Split a name such as `file.csv:354:5090` into file and rows.

    If the name contains no range of rows, `rows` is returned as the range.
    """
    match = re.fullmatch(r"(.+?):(-?\d*:-?\d*)", name)
    return (match[1], match[2]) if match else (name, rows)


def _apply_gains(values: Array, are_forces: bool, form: LogFormat, path: str) -> Array:
    """Return joint forces from logged forces, or from logged motor currents in A.

    `values` contains the forces (if `are_forces`) or the currents, shape (samples, joints).
    """
    if are_forces:
        if form.gains is not None:
            raise UsageError(
                f"{path}: --gains apply to motor currents, but the columns are joint forces: "
                "name motor currents with current= in --columns"
            )
        return values
    if form.gains is None:
        raise UsageError(
            f"{path}: motor currents require --gains in N m/A: one number per joint, separated by "
            "commas"
        )
    count = values.shape[1]
    if len(form.gains) != count:
        raise UsageError(
            f"--gains: expected {count} numbers, one per joint, found {len(form.gains)}"
        )
    with np.errstate(over="ignore"):  # too large numbers are reported as faults of the log
        return np.asarray(values * np.array(form.gains))
