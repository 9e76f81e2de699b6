"""URDF as Pinocchio reads it: generated inverse dynamics and mass matrix of small robots with what
readers get wrong.
"""

from __future__ import annotations

import numpy as np
import pytest

import dynagen
from dynagen.ir.evaluation import evaluate
from tests.support.urdf_robots import INERTIAL, joint, link, pinocchio_forces, robot

PLACED = '<origin xyz="0.3 0.1 -0.2" rpy="0.7 -0.4 0.9"/>'
AXIS = '<axis xyz="0 0 1"/>'
NO_ORIGIN = (
    '<inertial><mass value="2"/><inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0" '
    'ixz="0.01" iyz="0"/></inertial>'
)
TORSO = (
    '<inertial><origin xyz="0 0 0.4"/><mass value="13"/><inertia ixx="1" iyy="1" '
    'izz="0.5" ixy="0" ixz="0" iyz="0"/>'
)
TORSO += "</inertial>"
ONE = link("base_link") + link("one") + joint("j1", "base_link", "one", PLACED + AXIS)

ROBOTS = {
    "rotated inertials": ONE + link("two") + joint("j2", "one", "two", PLACED + AXIS),
    "inertial without origin": ONE + link("two", NO_ORIGIN) + joint("j2", "one", "two", PLACED),
    "negative and tilted axes": ONE
    + link("two")
    + joint("j2", "one", "two", PLACED + '<axis xyz="0 -1 0"/>')
    + link("three")
    + joint("j3", "two", "three", '<axis xyz="-0.6 0 0.8"/>', "prismatic"),
    "default axis and origin": ONE + link("two") + joint("j2", "one", "two"),
    "continuous": ONE + link("two") + joint("j2", "one", "two", PLACED + AXIS, "continuous"),
    "massless link in between": ONE
    + link("two", "")
    + joint("j2", "one", "two", PLACED + AXIS)
    + link("three")
    + joint("j3", "two", "three", PLACED, "prismatic"),
    "chains of fixed joints": ONE
    + link("flange", "")
    + joint("f1", "one", "flange", PLACED, "fixed")
    + link("sensor")
    + joint("f2", "flange", "sensor", PLACED, "fixed")
    + link("two")
    + joint("j2", "sensor", "two", PLACED + AXIS),
    "heavy torso on a fixed joint": link("world", "")
    + link("torso", TORSO)
    + joint("f", "world", "torso", PLACED, "fixed")
    + link("arm")
    + joint("j1", "torso", "arm", PLACED + AXIS)
    + link("tray", TORSO)
    + joint("t", "arm", "tray", PLACED, "fixed"),
    "branches whose joints are not in alphabetical order": ONE
    + link("right")
    + joint("z", "one", "right", PLACED + AXIS)
    + link("left")
    + joint("a", "one", "left", PLACED, "prismatic")
    + link("hand")
    + joint("m", "right", "hand", PLACED + AXIS),
    "mimic of a mimic, before its master": link("base_link")
    + link("first")
    + joint(
        "k1",
        "base_link",
        "first",
        PLACED + AXIS + '<mimic joint="k2" multiplier="-0.5" offset="0.1"/>',
    )
    + link("second")
    + joint("k2", "first", "second", PLACED + AXIS + '<mimic joint="k3" multiplier="2"/>')
    + link("third")
    + joint("k3", "second", "third", PLACED),
}


@pytest.mark.tools
@pytest.mark.parametrize("parts", ROBOTS.values(), ids=ROBOTS)
def test_generated_forces_and_mass_matrix_are_pinocchios(parts: str) -> None:
    text = robot(parts)
    description = dynagen.load_robot(text)
    assert not any("read as" in note for note in description.remarks)
    generation = dynagen.generate(
        description, ("inverse_dynamics", "mass_matrix"), optimize="none", verify=False
    )
    programs = {function.name: function.program for function in generation.functions}
    n = generation.model.nv
    for q, v, a in np.random.default_rng(3).uniform(-2, 2, (5, 3, n)):
        tau, matrix = pinocchio_forces(text, description, q, v, a)
        found = evaluate(programs["inverse_dynamics"], {"q": q, "qd": v, "qdd": a})["tau"]
        np.testing.assert_allclose(found, tau, rtol=0, atol=1e-13 * np.abs(tau).max())
        (found_matrix,) = evaluate(programs["mass_matrix"], {"q": q}).values()
        np.testing.assert_allclose(
            np.reshape(found_matrix, (n, n)), matrix, rtol=0, atol=1e-13 * np.abs(matrix).max()
        )


@pytest.mark.tools
def test_a_urdf_is_compiled_and_proved() -> None:
    text = robot(ONE, link("two"), joint("j2", "one", "two", PLACED + AXIS))
    kernel = dynagen.compile(text, "inverse_dynamics", optimize="none", states=20)
    q, v, a = np.random.default_rng(4).uniform(-2, 2, (3, 2))
    tau, _ = pinocchio_forces(text, dynagen.load_robot(text), q, v, a)
    np.testing.assert_allclose(kernel(q, v, a), tau, rtol=0, atol=1e-13 * np.abs(tau).max())


def test_a_rounded_right_angle_is_one_and_costs_as_much_as_one() -> None:
    def operations(pitch: str) -> int:
        parts = (
            ONE.replace(PLACED, ""),
            link("two", INERTIAL),
            joint("j2", "one", "two", f'<origin rpy="0 {pitch} 0"/>{AXIS}'),
        )
        generation = dynagen.generate(
            robot(*parts), "inverse_dynamics", optimize="none", verify=False
        )
        return generation.functions[0].operations.total

    assert operations("1.5707963705062866") == operations("1.5708") < operations("1.57")
