"""Tables over time: columns by name, units in names, separators, and faults by row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dynagen.errors import UsageError
from dynagen.robot.motion_tables import read_motion_table


@pytest.mark.parametrize(
    "text",
    [
        "q2,t,q1\n3,0,1\n4,1,2\n",
        "Time [ms];q1 (deg);q2_mm\n0;57.29577951308232;3000\n1000;114.59155902616465;4000\n",
        't_s "q1" q2_m\n0 1 3\n\n1 2 4\n',
        "\ufeffTIME_US\tQ1_mrad\tq2\n0\t1000\t3\n1e6\t2000\t4\n",
    ],
)
def test_names_units_and_separators(tmp_path: Path, text: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    times, values = read_motion_table(path, ["q1", "q2"])
    np.testing.assert_allclose(times, [0, 1])
    np.testing.assert_allclose(values, [[1, 3], [2, 4]])


def test_forces_may_have_units(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("t,tau1_mNm,tau2_kN\n0,1000,0.002\n1,0,0\n")
    np.testing.assert_allclose(read_motion_table(path, ["tau1", "tau2"])[1][0], [1, 2])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty: expected a line of names such as t,q1"),
        (b"t,q2\n0,0\n1,0\n", "no column q1; expected t,q1, found t,q2"),
        (b"t,q1\n0,0\n1\n", "row 2: q1 is not a number"),
        (b"t,q1\n0,nan\n1,0\n", "expected at least two rows of finite numbers"),
        (b"t,q1\n1,0\n1,0\n", "ascending t"),
        (b"\xff\xfe\x00", "not a text file"),
    ],
)
def test_faults(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=message):
        read_motion_table(path, ["q1"])
