"""Wrenches at several frames: references, Pinocchio's external forces, names, options."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.dynamics.functions.derivatives import (
    FORWARD_DYNAMICS_DERIVATIVES,
    INVERSE_DYNAMICS_DERIVATIVES,
)
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.inverse_dynamics import BIAS_FORCES, INVERSE_DYNAMICS
from dynagen.errors import RobotDescriptionError, UsageError
from dynagen.numbers.exact import Exact
from dynagen.robot.description import NamedFrame
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.options import make_reading_options
from dynagen.robot.pose import make_translation_and_rpy
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import kernel, optimised, proofs, random_candidate
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model, placed, positions_order
from tests.support.random_robots import random_description, random_floating

LOADED = (
    INVERSE_DYNAMICS,
    BIAS_FORCES,
    FORWARD_DYNAMICS,
    INVERSE_DYNAMICS_DERIVATIVES,
    FORWARD_DYNAMICS_DERIVATIVES,
)
STEP = make_translation_and_rpy(
    tuple(map(Exact, ("0.1", "-0.2", "0.3"))), tuple(map(Exact, ("0.4", "-1.1", "0.7")))
)


def with_feet(description, *links):
    """A robot with a frame on some of its links, named foot_0 and so on, and a wrench at each."""
    feet = tuple(
        NamedFrame(f"foot_{number}", description.links[link].name, STEP)
        for number, link in enumerate(links)
    )
    return replace(description, frames=feet, external_wrenches=tuple(foot.name for foot in feet))


@pytest.mark.slow
@pytest.mark.parametrize("function", LOADED, ids=lambda function: function.name)
@settings(max_examples=4)
@given(st.integers(0, 10**6), st.booleans(), st.integers(0, 3))
def test_several_wrenches_agree_with_the_references(function, seed, floats, formulation):
    build = random_floating if floats else random_description
    description = build(seed, 3, branches=True, fixed_links=0.3)
    description = with_feet(description, -1, 1, -1)  # two of them on one link
    candidate = random_candidate(description, formulation)
    for method in function.methods:
        proofs(description, function, optimised(function, description, candidate, method)).require()


@pytest.mark.tools
def test_they_are_pinocchios_external_forces_on_a_floating_robot():
    description = with_feet(random_floating(3, 4), 2, 4, 0)
    model, order = pinocchio_model(description)
    data, places = model.createData(), positions_order(order)
    states = sample_states(description, ("q", "qd", "qdd", "wrench"), 60, 1)
    q, v, a, wrench = (states[name][-10:] for name in ("q", "qd", "qdd", "wrench"))
    (tau,) = kernel(optimised(INVERSE_DYNAMICS, description))(q, v, a, wrench)
    links = {link.name: link for link in description.links}
    for state in range(len(q)):
        forces = pin.StdVec_Force([pin.Force.Zero() for _ in range(model.njoints)])
        for number, foot in enumerate(description.frames):
            pose = placed(links[foot.link].after) * placed(foot.placement)
            forces[model.getJointId(foot.link)] += pose.act(
                pin.Force(wrench[state, 6 * number : 6 * number + 6])
            )
        expected = pin.rnea(model, data, q[state][places], v[state][order], a[state][order], forces)
        np.testing.assert_allclose(
            tau[state][order], expected, rtol=0, atol=1e-11 * np.abs(expected).max()
        )


def test_the_input_names_every_element():
    (*_, wrench) = optimised(INVERSE_DYNAMICS, with_feet(random_description(1, 3), 0, 2)).inputs
    assert (wrench.name, wrench.shape, wrench.units[:4]) == (
        "wrench",
        (12,),
        ("N", "N", "N", "N m"),
    )
    assert (wrench.columns[0], wrench.columns[-1]) == ("foot_0.fx", "foot_1.nz")
    assert (
        "at the origin of each of the frames foot_0 and foot_1, in the axes of the frame"
        in wrench.meaning
    )
    (*_, alone) = optimised(INVERSE_DYNAMICS, with_feet(random_description(1, 3), 0)).inputs
    assert alone.columns == ("fx", "fy", "fz", "nx", "ny", "nz")


TWO = """name: two
gravity: [0, 0, -9.81]
links:
  - {name: left, parent: base, joint: revolute, axis: [1, 0, 0],
      mass: 1, com: [0, 0, 0.2], inertia: [0.1, 0.1, 0.1]}
  - {name: right, parent: base, joint: revolute, axis: [1, 0, 0],
      mass: 1, com: [0, 0, 0.2], inertia: [0.1, 0.1, 0.1]}
frames:
  - {name: left hand, link: left, xyz: [0, 0, 1], rpy: [0, 0, 0]}
  - {name: right_hand, link: right, xyz: [0, 0, 1], rpy: [0, 0, 0]}
"""


def test_yaml_takes_a_list_and_every_command_an_option(run, tmp_path):
    assert parse_robot(
        TWO + "external_wrench: [left hand, right_hand]\n", "two.yaml"
    ).external_wrenches == (
        "left hand",
        "right_hand",
    )
    path = tmp_path / "two.yaml"
    path.write_text(TWO)
    described = load_robot(path, make_reading_options(wrench_at="right_hand"))
    assert (described.external_wrenches, described.reading.changes) == (
        ("right_hand",),
        {"wrench-at": "right_hand"},
    )
    status, _, _ = run(
        path, "--wrench-at", "left_hand,right_hand", "--out", tmp_path / "c", "--states", "50"
    )
    assert status == 0
    manifest = json.loads((tmp_path / "c" / "two.manifest.json").read_text())
    assert manifest["kernels"]["inverse_dynamics"]["arguments"][3]["shape"] == [12]
    assert "TWO_WRENCH_LEFT_HAND_FX" in (tmp_path / "c" / "include" / "two.h").read_text()
    assert run("verify", tmp_path / "c", path, "--states", "50")[0] == 0
    assert (
        run("convert", path, "--wrench-at", "left_hand,right_hand", "-o", tmp_path / "again.yaml")[
            0
        ]
        == 0
    )
    assert len(load_robot(tmp_path / "again.yaml").external_wrenches) == 2


def test_frames_that_are_not_there_or_named_twice_are_refused(tmp_path):
    with pytest.raises(RobotDescriptionError, match="there is no frame `foot`"):
        parse_robot(TWO + "external_wrench: [left hand, foot]\n", "two.yaml")
    with pytest.raises(RobotDescriptionError, match="the frame `left_hand` is named 2 times"):
        parse_robot(TWO + "external_wrench: [left hand, left_hand]\n", "two.yaml")
    path = tmp_path / "two.yaml"
    path.write_text(TWO)
    with pytest.raises(UsageError, match=r"wrench_at: there is no frame `left_hnd`; did you mean"):
        load_robot(path, make_reading_options(wrench_at=["left_hnd"]))
