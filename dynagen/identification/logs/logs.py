"""Logs: what a robot recorded, column by column, in SI units; as read, neither filtered nor trusted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from dynagen.description.description import RobotDescription
from dynagen.errors import UsageError
from dynagen.identification.logs.columns import Columns, find_columns, parse_columns
from dynagen.identification.logs.tables import Table, parse_rows, read_table
from dynagen.identification.samples import Array

_KEYS = ("columns", "gains", "rows", "degrees")
_FEWEST_ROWS = 50


@dataclass(frozen=True)
class LogFormat:
    """How logs are to be read.

    Attributes:
        columns: which columns hold what, by quantity; None: they have usual names.
        gains: N m/A or N/A, one a joint, negative where a current's sign is; None where joint forces are logged.
        rows: that count.
        degrees: whether angles are in degrees, their rates in degrees/s.
    """

    columns: Mapping[str, Any] | None = None
    gains: tuple[float, ...] | None = None
    rows: str = ":"
    degrees: bool = False


@dataclass(frozen=True)
class Log:
    """A log of a robot with n joints.

    Attributes:
        source: the file, and which of its rows where these are not all, for messages.
        t: s, shape (count,).
        q: rad or m, shape (count, n).
        qd, qdd: likewise; None where they are not logged.
        tau: forces that the motors give, N m or N, likewise.
        names: of the columns of q, qd, qdd and tau as messages say them, by quantity.
        first_row: of the file that counts, from 0.
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
        """A part of it."""
        motion = (None if each is None else each[rows] for each in (self.qd, self.qdd))
        qd, qdd = motion
        first = self.first_row + (rows.start or 0)
        return replace(self, t=self.t[rows], q=self.q[rows], qd=qd, qdd=qdd, tau=self.tau[rows], first_row=first)


def log_format(
    columns: str | Mapping[str, Any] | Path | None = None,
    gains: Sequence[float] | None = None,
    rows: str | None = None,
    degrees: bool | None = None,
) -> LogFormat:
    """How to read logs, from what a user says.

    Args:
        columns: as `parse_columns` takes them, a mapping of the same, or a file of YAML or JSON with the keys columns, gains,
            rows and degrees; what is given besides counts more than what is in the file.
        gains: of motor currents.
        rows: as `354:5090`.
        degrees: whether angles are in degrees.

    Raises:
        UsageError: the file cannot be read, or has other keys; or as `parse_columns`.
    """
    given: dict[str, Any] = {}
    if isinstance(columns, Path) or (isinstance(columns, str) and "=" not in columns):
        given = _read_mapping(Path(columns))
    elif columns is not None:
        given = {"columns": parse_columns(columns) if isinstance(columns, str) else dict(columns)}
    given |= {key: value for key, value in (("gains", gains), ("rows", rows), ("degrees", degrees)) if value is not None}
    if "rows" in given:
        parse_rows(str(given["rows"]))
    try:
        numbers = None if given.get("gains") is None else tuple(float(gain) for gain in given["gains"])
    except (TypeError, ValueError):
        raise UsageError(f"gains: expected a number for each joint, found {given['gains']}") from None
    return LogFormat(given.get("columns"), numbers, str(given.get("rows", ":")), bool(given.get("degrees", False)))


def _read_mapping(path: Path) -> dict[str, Any]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        content = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"--columns: expected time=0,q=1:7,..., or a file of YAML that maps columns; cannot read {path}: {error.strerror}"
        ) from error
    except (YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: expected YAML: {str(error).splitlines()[0]}") from error
    if not isinstance(content, dict) or not isinstance(content.get("columns", {}), dict):
        raise UsageError(f"{path}: expected `columns:` with a mapping of time, q, qd, qdd, tau or current to columns")
    if unknown := [key for key in content if key not in _KEYS]:
        raise UsageError(f"{path}: there is no key `{unknown[0]}`; there are {', '.join(_KEYS)}")
    return dict(content)


def read_log(name: str | Path, robot: RobotDescription, form: LogFormat) -> Log:
    """Read a log.

    Args:
        name: of the file, with `:first:last` behind it if other rows count than those of the format.
        robot: whose log it is.
        form: how to read it.

    Raises:
        UsageError: file, columns or gains do not fit the robot.
        ToolchainError: it is Parquet, and pyarrow is missing.
    """
    path, rows = _split(str(name), form.rows)
    table = read_table(Path(path))
    first, last, _ = parse_rows(rows).indices(len(table.values))
    part = table.source if last - first == len(table.values) else f"{table.source}, rows {first} to {last - 1}"
    log = log_of(replace(table, values=table.values[first:last], source=part, first_row=first), robot, form)
    if len(log) < _FEWEST_ROWS:
        raise UsageError(
            f"{path}: {len(log)} of the file's {len(table.values)} rows are meant: expected {_FEWEST_ROWS} at least"
        )
    return log


def log_of(table: Table, robot: RobotDescription, form: LogFormat) -> Log:
    """The log in a table.

    Args:
        table: its rows, all of which count.
        robot: whose log it is.
        form: how to read the columns.

    Raises:
        UsageError: columns or gains do not fit the robot.
    """
    path, values = table.source, table.values
    joints = [link for link in robot.links if link.joint.nv]
    columns = find_columns(table.names, len(joints), form.columns, table.source)
    scale = np.array([np.pi / 180 if form.degrees and link.joint.angular else 1.0 for link in joints])
    motion = {name: values[:, columns.places[name]] * scale for name in ("q", "qd", "qdd") if name in columns.places}
    tau = _forces(values, columns, form, len(joints), path)
    t = values[:, columns.places["time"][0]]
    names = {quantity: tuple(map(table.column_name, places)) for quantity, places in columns.places.items()}
    names["tau"] = names.get("tau", names.get("current", ()))
    return Log(path, t, motion["q"], motion.get("qd"), motion.get("qdd"), tau, names, table.first_row)


def _split(name: str, rows: str) -> tuple[str, str]:
    """File and rows of `file.csv:354:5090`."""
    match = re.fullmatch(r"(.+?):(-?\d*:-?\d*)", name)
    return (match[1], match[2]) if match else (name, rows)


def _forces(values: Array, columns: Columns, form: LogFormat, count: int, path: str) -> Array:
    if "tau" in columns.places:
        if form.gains is not None:
            raise UsageError(
                f"{path}: --gains are for motor currents, and the log has joint forces: say current= in --columns"
            )
        return np.asarray(values[:, columns.places["tau"]])
    if form.gains is None:
        raise UsageError(f"{path}: motor currents need --gains, N m/A, one a joint with commas between")
    if len(form.gains) != count:
        raise UsageError(f"--gains: expected {count} numbers, one a joint, found {len(form.gains)}")
    return np.asarray(values[:, columns.places["current"]] * np.array(form.gains))
