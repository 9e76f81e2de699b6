"""Loops of MJCF: dynamics are those of MuJoCo's matrices with hard constraints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dynagen
from dynagen.errors import RobotDescriptionError
from dynagen.robot.description import Dyad
from dynagen.robot.model.model import build_model
from dynagen.verification.reference import make_references
from tests.support.libraries import mujoco

BAR = '<geom type="capsule" size=".02" fromto="0 0 0 {} 0 {}" mass="{}"/>'
FOURBAR = f"""
<mujoco model="fourbar"><compiler angle="radian"/><option gravity="1 0 -9.81"/>
<default><joint axis="0 1 0" armature="0.01"/></default>
<worldbody>
  <body name="crank">{BAR.format(0.06, 0.08, 0.4)}<joint name="one"/>
    <body name="coupler" pos="0.06 0 0.08">{BAR.format(0.27, 0.16, 0.9)}<joint name="two"/>
      <site name="tip" pos="0.27 0 0.16"/>
    </body>
  </body>
  <body name="rocker" pos="0.4 0 0">{BAR.format(-0.07, 0.24, 0.7)}<joint name="three"/>
    <site name="pin" pos="-0.07 0 0.24"/>
  </body>
</worldbody>
<equality>LOOP</equality></mujoco>
"""
PARALLELOGRAM = f"""
<mujoco model="parallelogram"><option gravity="0 0 -9.81"/>
<default><joint axis="0 1 0" armature="0.01"/></default>
<worldbody>
  <body name="left">{BAR.format(0.1, 0.3, 0.4)}<joint name="one"/>
    <body name="rod" pos="0.1 0 0.3">{BAR.format(0.4, 0, 0.9)}<joint name="two"/></body>
  </body>
  <body name="right" pos="0.4 0 0">{BAR.format(0.1, 0.3, 0.7)}<joint name="three"/>
    <body name="pin" pos="0.1 0 0.3">{BAR.format(0, 0.1, 0.1)}
      <joint name="four" axis="AXIS"/></body>
  </body>
</worldbody>
<equality><weld body1="rod" body2="pin"/></equality></mujoco>
"""


def write(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "robot.xml"
    path.write_text(content)
    return path


def solve(model, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Return accelerations of MuJoCo's joints with hard constraints (KKT)."""
    data = mujoco.MjData(model)

    def find_jacobian(positions: np.ndarray) -> np.ndarray:
        data.qpos[:], data.qvel[:] = positions, v
        mujoco.mj_forward(model, data)
        return data.efc_J.reshape(-1, model.nv)[: data.ne].copy()

    step = 1e-6
    change = (find_jacobian(q + step * v) - find_jacobian(q - step * v)) / (2 * step)
    jacobian = find_jacobian(q)
    assert np.abs(data.efc_pos[: data.ne]).max() < 1e-10  # the loop is closed
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    system = np.block([[mass, jacobian.T], [jacobian, np.zeros((len(jacobian),) * 2)]])
    right = np.concatenate([tau - data.qfrc_bias, -change @ v])
    return (np.linalg.pinv(system, 1e-10) @ right)[: model.nv]


LOOPS = {
    "bodies": '<connect body1="coupler" body2="rocker" anchor="0.27 0 0.16"/>',
    "turned": '<connect name="pivot" body1="rocker" body2="coupler" anchor="-0.07 0 0.24"/>',
    "sites": '<connect site1="tip" site2="pin"/>',
}


@pytest.mark.tools
@pytest.mark.parametrize("loop", LOOPS)
def test_accelerations_of_a_connected_four_bar_are_mujocos(tmp_path: Path, loop: str) -> None:
    path = write(tmp_path, FOURBAR.replace("LOOP", LOOPS[loop]))
    robot, model = dynagen.load_robot(path), mujoco.MjModel.from_xml_path(str(path))
    assert [type(step) for step in robot.closure] == [Dyad]
    assert build_model(robot).nv == 1
    assert "loops are closed exactly; in MuJoCo they are closed approximately" in robot.notes
    compare(robot, model)


@pytest.mark.tools
def test_a_weld_closes_a_parallelogram(tmp_path: Path) -> None:
    path = write(tmp_path, PARALLELOGRAM.replace("AXIS", "0 1 0"))
    robot, model = dynagen.load_robot(path), mujoco.MjModel.from_xml_path(str(path))
    assert [link.joint.mimics for link in robot.links] == ["", "left", "left", "left"]
    compare(robot, model)


def compare(robot, model) -> None:
    """Compare accelerations at states in which the loop is closed."""
    reference = make_references(robot)[0]
    for q, v, tau in ((0.0, 0.0, 2.0), (0.3, 2.0, -1.0), (-0.4, -3.0, 0.5)):
        one = np.array([[q]]), np.array([[v]])
        variables = reference.coordinates.compute_positions(one[0])[0]
        speeds = reference.coordinates.compute_velocities(one[1], one[0])[0]
        zero = np.zeros((1, 1))
        bias = reference.compute_inverse_dynamics(*one, zero)
        mass = reference.compute_inverse_dynamics(*one, zero + 1) - bias
        qdd = float((tau - bias)[0, 0] / mass[0, 0])
        forces = np.zeros(model.nv)
        forces[0] = tau
        expected = solve(model, variables, speeds, forces)[0]
        assert abs(qdd - expected) < 1e-6 * max(1.0, abs(expected))


@pytest.mark.tools
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (FOURBAR.replace("LOOP", '<weld body1="coupler" body2="rocker"/>'), "can move"),
        (
            FOURBAR.replace("LOOP", '<connect site1="tip" site2="pin"/>').replace(
                'name="pin" pos="-0.07', 'name="pin" pos="-0.06'
            ),
            "is open by 0.01 m",
        ),
        (PARALLELOGRAM.replace("AXIS", "0 0 1"), "closed loops|no closed formula"),
    ],
)
def test_a_loop_without_a_formula_is_refused(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(RobotDescriptionError, match=message):
        dynagen.load_robot(write(tmp_path, content))
