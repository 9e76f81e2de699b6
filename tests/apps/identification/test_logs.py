"""Logs in every format, columns said in every way, and what is wrong with them by file and
column.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dynagen.apps.identification.faults import check_log
from dynagen.apps.identification.log_columns import find_columns, parse_columns
from dynagen.apps.identification.logs import make_log_format, parse_rows, read_log
from dynagen.apps.identification.tables import read_log_table
from dynagen.errors import UsageError
from dynagen.runtime.api import as_description
from tests.support.libraries import parquet, pyarrow
from tests.support.simulated_logs import SMALL_ARM, model_of, simulated_log, write_log

ROBOT = as_description(SMALL_ARM)
TURNS = (True, True, False)
NAMES = ["stamp", *(f"{name}_{k}" for name in ("pos", "vel", "effort") for k in range(3))]


@pytest.fixture(scope="module")
def log():
    return simulated_log(model_of(), time=2)


@pytest.mark.tools
def test_formats_read_alike(log, tmp_path: Path) -> None:
    names = [
        name if values.ndim == 1 else f"{name}{k + 1}"
        for name, values in log.items()
        for k in range(values[0].size)
    ]
    columns = np.column_stack(list(log.values()))
    write_log(tmp_path / "log.csv", log)
    np.savez(tmp_path / "log.npz", **log)
    parquet.write_table(
        pyarrow.table(dict(zip(names, columns.T, strict=True))), tmp_path / "log.parquet"
    )
    np.savetxt(tmp_path / "bare.txt", columns)
    np.savetxt(
        tmp_path / "semicolons.csv", columns, delimiter=";", header=";".join(names), comments=""
    )
    said = "time=0,q=1:4,qd=4:7,tau=7:10"
    for file in ("log.csv", "log.npz", "log.parquet", "bare.txt", "semicolons.csv"):
        read = read_log(
            tmp_path / file, ROBOT, make_log_format(said if file == "bare.txt" else None)
        )
        for name, values in (("t", read.t), ("q", read.q), ("qd", read.qd), ("tau", read.tau)):
            assert_allclose(values, log[name], rtol=1e-8, err_msg=file)


@pytest.mark.parametrize(
    ("said", "places"),
    [
        ("time=stamp,q=pos_#,tau=effort_#", {"time": (0,), "q": (1, 2, 3), "tau": (7, 8, 9)}),
        (
            "time=0, q=1:4, qd=4:7, current=7:10",
            {"time": (0,), "q": (1, 2, 3), "qd": (4, 5, 6), "current": (7, 8, 9)},
        ),
        ("time=0,q=pos_2+1+pos_1,tau=7+8+9", {"time": (0,), "q": (3, 1, 2), "tau": (7, 8, 9)}),
        (None, {"time": (0,), "q": (1, 2, 3), "qd": (4, 5, 6), "tau": (7, 8, 9)}),
    ],
)
def test_columns_are_found_by_number_range_name_and_pattern(said: str | None, places) -> None:
    names = NAMES if said else ["t", *NAMES[1:]]
    assert find_columns(names, TURNS, said and parse_columns(said), "log").places == places


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("q=1:4", "no column for time"),
        ("time=0", "no column for q"),
        ("time=0,q=1:3,tau=7:10", "q=1:3: expected 3 columns, found 2"),
        ("time=0,q=1:4,tau=8:11", "there is no column 10; the last is 9"),
        ("time=0,q=poss_#,tau=7:10", "did you mean `pos_"),
        ("time=0,q=1:4,tau=7:10,current=7:10", "found both"),
        ("time=0,q=1:4", "found neither"),
        ("time=0,torque=7:10", "dynagen calls it `tau`"),
        ("time", "expected time=0,q=1:7"),
        ("q=1:4,q=1:4", "`q` is given twice"),
    ],
)
def test_columns_that_are_not_are_named(said: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_columns(NAMES, TURNS, parse_columns(said), "log.csv")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("names", "said", "message"),
    [
        ("t q1 q2 tau1 tau2 tau3", None, "log.csv: q: found q1, q2, but not q3: "),
        ("t q0 q1 tau0 tau1 tau2", None, "log.csv: q: found q0, q1, but not q2: "),
        ("t q1 q2 q3 QD1 tau1 tau2 tau3", None, "log.csv: qd: found qd1, but not qd2, qd3: "),
        ("t q1 q2 q3 tau1 tau3", None, "log.csv: tau: found tau1, tau3, but not tau2: "),
        (
            "t p1 p3 tau1 tau2 tau3",
            "time=t,q=p#,tau=tau#",
            "log.csv: columns: q=p#: found p1, p3, but not p2: ",
        ),
    ],
)
def test_columns_of_some_joints_are_told_beside_those_that_are_missing(
    names: str, said: str | None, message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        find_columns(names.split(), TURNS, said and parse_columns(said), "log.csv")
    assert str(caught.value).startswith(message)
    assert "the robot has 3 joints that move" in str(caught.value)


def test_currents_of_some_joints_do_not_hide_forces_of_all() -> None:
    assert find_columns(
        ["t", "q1", "q2", "q3", "tau1", "tau2", "tau3", "i1"], TURNS, None, "log"
    ).places["tau"] == (4, 5, 6)


def test_a_file_may_say_columns_gains_and_rows_and_a_log_its_own_rows(log, tmp_path: Path) -> None:
    file = write_log(tmp_path / "log.csv", {**log, "tau": log["tau"] / (2, -4, 5)})
    mapping = tmp_path / "map.yaml"
    mapping.write_text(
        'columns: {time: 0, q: "1:4", current: [tau1, 8, tau3]}\ngains: [2, -4, 5]\nrows: '
        '"10:100"\n'
    )
    form = make_log_format(mapping)
    read = read_log(file, ROBOT, form)
    assert len(read) == 90
    assert read.first_row == 10
    assert read.qd is None
    assert_allclose(read.tau, log["tau"][10:100], rtol=1e-7)
    assert len(read_log(f"{file}:100:", ROBOT, form)) == len(log["t"]) - 100
    assert read.names["tau"] == ("tau1 (column 7)", "tau2 (column 8)", "tau3 (column 9)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("t,q1\n", "has column names but no rows of numbers"),
        ("t,q1\n0,1\n0.1,x\n", "bad.csv:3: q1: expected a number, found `x`"),
        ("t,q1\n0,1\n0.1,\n", "bad.csv:3: q1: expected a number, found nothing"),
        ("t;q1\n0;1\n0;0,5\n", "found `0,5`: write decimal points instead of commas"),
        ("t,q1\n0,1\n0.1\n", "bad.csv:3: expected 2 cells, found 1"),
        ("t,q1,tau1\n0,1,2\n", "bad.csv: q: found q1, but not q2, q3"),
    ],
)
def test_files_that_are_no_logs_are_refused_by_line(
    text: str, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(text)
    with pytest.raises(UsageError) as caught:
        read_log(file, ROBOT, make_log_format())
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "name", ["none.csv", pytest.param("none.parquet", marks=pytest.mark.tools), "none.npz"]
)
def test_files_that_are_not_there_or_not_what_their_names_say_are_refused(
    name: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        read_log_table(tmp_path / name)
    (tmp_path / name).write_bytes(b"\xff\xfe\x00no such thing")
    with pytest.raises(UsageError, match=r"cannot read|expected"):
        read_log_table(tmp_path / name)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"gains": [1.0, 2.0, 3.0]}, "--gains apply to motor currents"),
        (
            {"gains": [1.0, 0.0, 3.0]},
            "gains: expected a finite number other than zero for each joint, found 1, 0, 3",
        ),
        ({"gains": [1.0, np.nan, 3.0]}, "gains: expected a finite number other than zero"),
        ({"columns": "time=0,q=1:4,current=7:10"}, "motor currents require --gains"),
        (
            {"columns": "time=0,q=1:4,current=7:10", "gains": [1.0]},
            "expected 3 numbers, one per joint, found 1",
        ),
        ({"rows": "390:"}, "10 of the file's 400 rows are selected"),
        ({"rows": "1-2"}, "expected first:last"),
        ({"columns": "no_such.yaml"}, "cannot read no_such.yaml"),
    ],
)
def test_formats_that_do_not_fit_are_refused(given, message: str, log, tmp_path: Path) -> None:
    file = write_log(tmp_path / "log.csv", log)
    with pytest.raises(UsageError) as caught:
        read_log(file, ROBOT, make_log_format(**given))
    assert message in str(caught.value)


def test_degrees_are_of_joints_that_rotate(log, tmp_path: Path) -> None:
    turned = {name: log[name] * (180 / np.pi, 180 / np.pi, 1) for name in ("q", "qd")}
    read = read_log(
        write_log(tmp_path / "log.csv", {**log, **turned}), ROBOT, make_log_format(degrees=True)
    )
    assert_allclose(read.q, log["q"], rtol=1e-7)
    assert_allclose(read.qd, log["qd"], rtol=1e-7)


def test_rows_are_slices() -> None:
    assert [parse_rows(text) for text in ("3:5", ":5", "3:", ":", "-9:")] == [
        slice(3, 5),
        slice(None, 5),
        slice(3, None),
        slice(None, None),
        slice(-9, None),
    ]


@pytest.mark.parametrize(
    ("column", "unit", "scale"),
    [
        ("t", None, 1),
        ("t", "ms", 1e-3),
        ("time_ms", None, 1e-3),
        ("timestamp_us", None, 1e-6),
        ("Time_NS", None, 1e-9),
        ("time_ms", "s", 1),
    ],
)
def test_units_of_time(log, tmp_path: Path, column: str, unit: str | None, scale: float) -> None:
    write_log(tmp_path / "log.csv", {**log, "t": log["t"] / scale})
    path = tmp_path / "log.csv"
    path.write_text(path.read_text().replace("t,", f"{column},", 1))
    read = read_log(path, ROBOT, make_log_format(time_unit=unit))
    assert_allclose(read.t, log["t"], rtol=1e-7, atol=1e-9)


def read_with_header(log, folder: Path, header: str, scales, **options):
    """A log whose columns have other names, and values in other units than SI."""
    columns = [log["t"], *log["q"].T, *log["qd"].T, *log["tau"].T]
    rows = np.column_stack(columns) / np.array(scales)
    np.savetxt(folder / "log.csv", rows, fmt="%.9g", delimiter=",", header=header, comments="")
    return read_log(folder / "log.csv", ROBOT, make_log_format(**options))


DEGREE = np.pi / 180
MIXED = [1e-3, DEGREE, DEGREE, 1e-3, DEGREE, 2 * np.pi / 60, 1e-2, 1, 1e-3, 1e3]
RAW = "ticks,p1,p2,p3,v1,v2,v3,e1,e2,e3"


@pytest.mark.parametrize(
    ("header", "scales", "columns"),
    [
        (
            "time_ms,q1_deg,q2 [deg],q3_mm,qd1 [deg/s],qd2_rpm,qd3_cm_s,tau1_Nm,tau2_mNm,tau3 (kN)",
            MIXED,
            None,
        ),
        (
            RAW,
            [1e-4, 0.5, 0.5, 0.5, 2, 2, 2, 3, 4, 5],
            "time=ticks/1e4,q=p#*1/2,qd=v#*2,tau=e1*3+e2*4+e3*5",
        ),
        # A factor of the user replaces the unit in the name.
        (
            "time_ms,q1_deg,q2_deg,q3_mm,v1,v2,v3,e1,e2,e3",
            [1e-3, *MIXED[1:4], *[1] * 6],
            "time=time_ms/1000,q=q1_deg*deg(1)+q2_deg*pi/180+q3_mm,qd=v#,tau=e#",
        ),
    ],
)
def test_units_of_columns(log, tmp_path: Path, header: str, scales, columns: str | None) -> None:
    read = read_with_header(log, tmp_path, header, scales, columns=columns)
    for found, name in ((read.t, "t"), (read.q, "q"), (read.qd, "qd"), (read.tau, "tau")):
        assert_allclose(found, log[name], rtol=1e-7, atol=1e-7)


def test_a_unit_in_the_name_comes_before_degrees(log, tmp_path: Path) -> None:
    header = "t,q1_rad,q2_rad,q3,qd1,qd2,qd3,tau1,tau2,tau3"
    scales = [1, 1, 1, 1, DEGREE, DEGREE, 1, 1, 1, 1]
    read = read_with_header(log, tmp_path, header, scales, degrees=True)
    assert_allclose(read.q, log["q"], rtol=1e-7, atol=1e-7)
    assert_allclose(read.qd, log["qd"], rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time=ticks/0,q=p#,tau=e#", "division by zero"),
        ("time=ticks*0,q=p#,tau=e#", "the factor is zero"),
        ("time=ticks*__import__('os'),q=p#,tau=e#", "expected columns, then a factor"),
        ("time=tick/1000,q=p#,tau=e#", "did you mean `ticks`"),
    ],
)
def test_factors_that_are_refused(log, tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_with_header(log, tmp_path, RAW, [1] * 10, columns=text)


def test_times_in_milliseconds_are_a_fault_with_a_remedy(log, tmp_path: Path) -> None:
    write_log(tmp_path / "log.csv", {**log, "t": log["t"] * 1000})
    faults = check_log(read_log(tmp_path / "log.csv", ROBOT, make_log_format()), ROBOT)
    assert any("add --time-unit ms" in fault.message for fault in faults)


def test_times_in_a_wrong_unit_are_a_fault_of_the_times(log, tmp_path: Path) -> None:
    write_log(tmp_path / "log.csv", log)
    read = read_log(tmp_path / "log.csv", ROBOT, make_log_format(time_unit="us"))
    faults = check_log(read, ROBOT)
    assert any("check --time-unit" in fault.message and fault.stops for fault in faults)


def test_an_unknown_unit_of_time_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="time unit: expected s, ms, us, ns, found `min`"):
        make_log_format(time_unit="min")
    (tmp_path / "columns.yaml").write_text("time_unit: ms\n")
    assert make_log_format(tmp_path / "columns.yaml").time_unit == "ms"
