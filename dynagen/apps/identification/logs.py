"""Logs: recorded motion and forces, read from tables whose columns the user names.

Logs: what a robot recorded, from files of numbers to filtered samples; what is wrong with it, by file and column.

Tables: files of numbers in named columns: CSV with or without a line of names, Parquet, npz.

Columns: which columns of a log hold what, as users say it: by number, by range, by name, or not at all.

    time=0,q=1:7,qd=7:13,current=13:19       numbers from 0; ranges as Python has them, without their end
    time=stamp,q=pos#,tau=effort#            names; # stands for the joints' numbers, from 1 or from 0
    q=shoulder+elbow                         names one by one

The same as a mapping in a file of YAML or JSON: `columns: {time: 0, q: "1:7", tau: [effort_a, effort_b]}`, with `gains`,
`rows` and `degrees` beside it as the options of these names have them.

Logs: what a robot recorded, column by column, in SI units; as read, neither filtered nor trusted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from dynagen.apps.identification.samples import Array
from dynagen.errors import UsageError, did_you_mean, shown
from dynagen.resources import require_extra
from dynagen.robot.description import RobotDescription

_FORMATS = "CSV (.csv, .txt), Parquet (.parquet) or numpy (.npz)"
_SEPARATORS = (",", ";", "\t")


@dataclass(frozen=True)
class Table:
    """Numbers by row and column.

    Attributes:
        names: of columns; their numbers in words where the file has none.
        values: shape (rows, columns).
        source: name of the file.
        has_names: whether the file names its columns.
        first_row: number that the first row has in the file, from 0.
    """

    names: tuple[str, ...]
    values: Array
    source: str
    has_names: bool = True
    first_row: int = 0

    def column_name(self, place: int) -> str:
        """As a message says it: by name and number, or by number."""
        return f"{self.names[place]} (column {place})" if self.has_names else f"column {place}"


def read_table(path: Path) -> Table:
    """Read a file, by the ending of its name; one that is none of the known is read as CSV.

    Raises:
        UsageError: the file cannot be read, or holds what is no number.
        ToolchainError: it is Parquet, and pyarrow is missing.
    """
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            return _read_parquet(path)
        return _read_npz(path) if path.suffix.lower() == ".npz" else _read_csv(path)
    except (OSError, UnicodeDecodeError) as error:
        what = getattr(error, "strerror", None) or f"it is no text: expected {_FORMATS}"
        raise UsageError(f"cannot read {path}: {what}") from error


def csv_head(path: Path) -> tuple[list[str], str | None, bool]:
    """The cells of a file's first line, what separates them (None: blanks), and whether they are names.

    Raises:
        UsageError: the file is empty.
    """
    with open(path, encoding="utf-8-sig") as file:
        first = next((line for line in file if line.strip()), "")
    if not first:
        raise UsageError(f"{path} is empty: expected a line of names and rows of numbers")
    separator = next((each for each in _SEPARATORS if each in first), None)
    head = [
        name.strip().strip('"') for name in (first.split(separator) if separator else first.split())
    ]
    return head, separator, not all(_is_number(cell) for cell in head)


def _read_csv(path: Path) -> Table:
    head, separator, has_names = csv_head(path)
    if has_names and _has_one_line(path):
        raise UsageError(f"{path} has names and no rows of numbers")
    try:
        values = np.loadtxt(
            path,
            delimiter=separator,
            skiprows=int(has_names),
            ndmin=2,
            encoding="utf-8-sig",
            comments=None,
        )
    except ValueError:
        raise UsageError(fault_of_csv(path)) from None
    if values.shape[1] != len(head):
        raise UsageError(f"{path}: {len(head)} names, but {values.shape[1]} columns of numbers")
    names = tuple(head) if has_names else tuple(map(str, range(len(head))))
    return Table(names, values, str(path), has_names)


def _has_one_line(path: Path) -> bool:
    with open(path, encoding="utf-8-sig") as file:
        return sum(1 for _ in islice((line for line in file if line.strip()), 2)) < 2


def fault_of_csv(path: Path) -> str:
    """What is the first thing wrong with a file that numpy does not read."""
    head, separator, has_names = csv_head(path)
    row = -1
    with open(path, encoding="utf-8-sig") as file:
        for line_number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            row += 1
            cells = line.split(separator)
            if len(cells) != len(head):
                return f"{path}:{line_number}: expected {len(head)} cells, found {len(cells)}"
            for place, cell in enumerate(cells):
                if (row or not has_names) and not _is_number(cell):
                    name = head[place] if has_names else f"column {place}"
                    found = f"`{shown(cell.strip())}`" if cell.strip() else "nothing"
                    return f"{path}:{line_number}: {name}: expected a number, found {found}"
    return f"{path}: expected rows of numbers"


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _read_parquet(path: Path) -> Table:
    require_extra("pyarrow", "identify", "to read Parquet")
    from pyarrow import ArrowInvalid, parquet

    try:
        table = parquet.read_table(path)
        columns = [
            np.asarray(table.column(name).to_numpy(), dtype=float) for name in table.column_names
        ]
    except (ArrowInvalid, ValueError, TypeError) as error:
        raise UsageError(
            f"cannot read {path}: expected Parquet with columns of numbers: {shown(str(error))}"
        ) from error
    return Table(tuple(table.column_names), np.column_stack(columns), str(path))


def _read_npz(path: Path) -> Table:
    """Arrays of shape (rows,) are columns; those of shape (rows, n) are n, with numbers from 1 behind the name."""
    names: list[str] = []
    columns: list[Array] = []
    try:
        with np.load(path, allow_pickle=False) as arrays:
            for name in arrays.files:
                array = np.asarray(arrays[name], dtype=float)
                if array.ndim not in (1, 2):
                    raise UsageError(
                        f"{path}: {name}: expected shape (rows,) or (rows, joints), found {array.shape}"
                    )
                names += (
                    [name]
                    if array.ndim == 1
                    else [f"{name}{number + 1}" for number in range(array.shape[1])]
                )
                columns += [array] if array.ndim == 1 else list(array.T)
    except ValueError as error:
        raise UsageError(
            f"cannot read {path}: expected arrays of numbers, as numpy.savez writes them"
        ) from error
    if len({len(column) for column in columns}) != 1:
        lengths = ", ".join(
            f"{name} {len(column)}" for name, column in zip(names, columns, strict=True)
        )
        raise UsageError(f"{path}: expected arrays with as many rows each, found {lengths}")
    return Table(tuple(names), np.column_stack(columns), str(path))


def parse_rows(text: str) -> slice:
    """Rows as Python slices them: `354:5090`, `:5090`, `354:`.

    Raises:
        UsageError: it is no such range.
    """
    match = re.fullmatch(r"(-?\d*):(-?\d*)", text.strip())
    if not match:
        raise UsageError(
            f"rows: expected first:last, as 354:5090 (from 0, without the last), found `{text}`"
        )
    first, last = (int(each) if each else None for each in match.groups())
    return slice(first, last)


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


def find_columns(
    names: Sequence[str], count: int, said: Mapping[str, Any] | None, source: str
) -> Columns:
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
                hint = did_you_mean(
                    quantity,
                    QUANTITIES,
                    {"t": "time", "position": "q", "velocity": "qd", "torque": "tau"},
                )
                raise UsageError(
                    f"{source}: columns: there is no `{quantity}`{hint}; there are {', '.join(QUANTITIES)}"
                )
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


def _refuse_incomplete(
    names: Sequence[str], count: int, places: Mapping[str, tuple[int, ...]], source: str
) -> None:
    """Refuse a quantity that usual names give for some joints only. Of forces and currents the other may be whole.

    Raises:
        UsageError: says which columns are there, and which are not.
    """
    forces = {"tau", "current"}
    missing = [
        each
        for each in QUANTITIES
        if each not in places and not (each in forces and forces & places.keys())
    ]
    for quantity in missing:
        if partial := _partly_there(names, count, _USUAL[quantity]):
            raise UsageError(
                f"{source}: {quantity}: {partial}. Say which columns are meant: --columns {_EXPECTED}"
            )


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
    return [
        [pattern.replace("#", str(number + first)) for number in range(count)] for first in (1, 0)
    ]


def _places(
    names: Sequence[str], count: int, quantity: str, said: Any, source: str
) -> tuple[int, ...]:
    expected = 1 if quantity == "time" else count
    parts = said if isinstance(said, list) else str(said).split("+")
    places: list[int] = []
    for part in map(str, parts):
        places += _place(names, expected, quantity, part.strip(), source)
    if len(places) != expected:
        raise UsageError(
            f"{source}: columns: {quantity}={said}: expected {expected} columns, found {len(places)}"
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
                f"{source}: columns: {quantity}={part}: there is no column {beyond[0]}; the last is {last}"
            )
        return places
    for wanted in _numbered(part, count):
        if all(name in names for name in wanted):
            return [names.index(name) for name in wanted]
    if partial := _partly_there(names, count, [part]):
        raise UsageError(f"{source}: columns: {quantity}={part}: {partial}")
    hint, found = did_you_mean(part, names), ", ".join(names[:12])
    raise UsageError(
        f"{source}: columns: {quantity}={part}: there is no such column{hint}; found {found}"
    )


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
        return replace(
            self,
            t=self.t[rows],
            q=self.q[rows],
            qd=qd,
            qdd=qdd,
            tau=self.tau[rows],
            first_row=first,
        )


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
    given |= {
        key: value
        for key, value in (("gains", gains), ("rows", rows), ("degrees", degrees))
        if value is not None
    }
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
    return LogFormat(
        given.get("columns"),
        numbers,
        str(given.get("rows", ":")),
        bool(given.get("degrees", False)),
    )


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
        raise UsageError(
            f"{path}: expected `columns:` with a mapping of time, q, qd, qdd, tau or current to columns"
        )
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
    part = (
        table.source
        if last - first == len(table.values)
        else f"{table.source}, rows {first} to {last - 1}"
    )
    log = log_of(
        replace(table, values=table.values[first:last], source=part, first_row=first), robot, form
    )
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
    scale = np.array(
        [np.pi / 180 if form.degrees and link.joint.angular else 1.0 for link in joints]
    )
    motion = {
        name: values[:, columns.places[name]] * scale
        for name in ("q", "qd", "qdd")
        if name in columns.places
    }
    tau = _forces(values, columns, form, len(joints), path)
    t = values[:, columns.places["time"][0]]
    names = {
        quantity: tuple(map(table.column_name, places))
        for quantity, places in columns.places.items()
    }
    names["tau"] = names.get("tau", names.get("current", ()))
    return Log(
        path, t, motion["q"], motion.get("qd"), motion.get("qdd"), tau, names, table.first_row
    )


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
        raise UsageError(
            f"{path}: motor currents need --gains, N m/A, one a joint with commas between"
        )
    if len(form.gains) != count:
        raise UsageError(f"--gains: expected {count} numbers, one a joint, found {len(form.gains)}")
    return np.asarray(values[:, columns.places["current"]] * np.array(form.gains))
