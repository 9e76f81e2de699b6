"""Contact forces in base axes: references, wrenches of the same force, Pinocchio, options."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.dynamics.functions.derivative_products import (
    FORWARD_DYNAMICS_JVP,
    FORWARD_DYNAMICS_VJP,
    INVERSE_DYNAMICS_JVP,
    INVERSE_DYNAMICS_VJP,
)
from dynagen.dynamics.functions.derivatives import (
    FORWARD_DYNAMICS_DERIVATIVES,
    INVERSE_DYNAMICS_DERIVATIVES,
)
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.hessians import INVERSE_DYNAMICS_HESSIAN
from dynagen.dynamics.functions.integration import STEP_EULER_DERIVATIVES
from dynagen.dynamics.functions.inverse_dynamics import (
    BIAS_FORCES,
    INVERSE_DYNAMICS,
    JOINT_WRENCHES,
)
from dynagen.dynamics.functions.jacobians import (
    FORWARD_DYNAMICS_JACOBIAN,
    INVERSE_DYNAMICS_JACOBIAN,
    STEP_EULER_JACOBIAN,
)
from dynagen.errors import RobotDescriptionError, UsageError
from dynagen.robot.description import NamedFrame
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.options import make_reading_options
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.dynamics.functions.test_all_with_wrenches import STEP, TWO
from tests.support.function_proofs import kernel, optimised, proofs, random_candidate
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model, placed, positions_order
from tests.support.random_robots import random_description, random_floating

LOADED = (
    INVERSE_DYNAMICS,
    BIAS_FORCES,
    JOINT_WRENCHES,
    FORWARD_DYNAMICS,
    INVERSE_DYNAMICS_DERIVATIVES,
    FORWARD_DYNAMICS_DERIVATIVES,
    INVERSE_DYNAMICS_JVP,
    INVERSE_DYNAMICS_VJP,
    FORWARD_DYNAMICS_JVP,
    FORWARD_DYNAMICS_VJP,
    INVERSE_DYNAMICS_JACOBIAN,
    FORWARD_DYNAMICS_JACOBIAN,
    INVERSE_DYNAMICS_HESSIAN,
    STEP_EULER_DERIVATIVES,
    STEP_EULER_JACOBIAN,
)


def with_feet(description, *links, wrenches=()):
    """A robot with a frame on some of its links, named foot_0 and so on, and a force at each.

    `wrenches` are numbers of the feet that have a wrench too.
    """
    feet = tuple(
        NamedFrame(f"foot_{number}", description.links[link].name, STEP)
        for number, link in enumerate(links)
    )
    return replace(
        description,
        frames=feet,
        contact_forces=tuple(foot.name for foot in feet),
        external_wrenches=tuple(feet[number].name for number in wrenches),
    )


@pytest.mark.slow
@pytest.mark.parametrize("function", LOADED, ids=lambda function: function.name)
@settings(max_examples=4)
@given(st.integers(0, 10**6), st.booleans(), st.booleans(), st.integers(0, 3))
def test_contact_forces_agree_with_the_references(function, seed, floats, loaded, formulation):
    # The pose of a floating base moves by an exponential.
    floats = floats and function is not STEP_EULER_DERIVATIVES
    build = random_floating if floats else random_description
    joints = 3 - floats - (function is INVERSE_DYNAMICS_HESSIAN)  # second derivatives are large
    description = build(seed, joints, branches=True, fixed_links=0.3)
    # Two of the forces act on one link, and a floating base has one too.
    wrenches = (1,) if loaded and not function.name.endswith("_jacobian") else ()
    description = with_feet(description, -1, 1, -1, 0, wrenches=wrenches)
    candidate = random_candidate(description, formulation)
    for method in function.methods:
        proofs(description, function, optimised(function, description, candidate, method)).require()


@pytest.mark.parametrize("floats", [False, True])
def test_a_contact_force_is_a_wrench_that_does_not_turn_with_its_frame(floats):
    description = with_feet((random_floating if floats else random_description)(3, 3), -1, 1)
    turning = replace(description, contact_forces=(), external_wrenches=description.contact_forces)
    states = sample_states(description, ("q", "qd", "qdd", "contact_force"), 40, 1)
    q, v, a, force = (states[name] for name in ("q", "qd", "qdd", "contact_force"))
    reference, _ = make_references(description)
    wrenches = []
    for number, foot in enumerate(description.frames):
        rotation, _ = reference.find_frame(foot.name).compute_pose(q)
        in_frame = np.einsum("sji,sj->si", rotation, force[:, 3 * number : 3 * number + 3])
        wrenches += [in_frame, 0 * in_frame]
    (tau,) = kernel(optimised(INVERSE_DYNAMICS, description))(q, v, a, force)
    (expected,) = kernel(optimised(INVERSE_DYNAMICS, turning))(
        q, v, a, np.concatenate(wrenches, axis=-1)
    )
    np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.tools
def test_derivatives_are_pinocchios_on_a_floating_robot():
    """Derivatives of the joint forces of constant forces are differences of J^T f in Pinocchio."""
    description = with_feet(random_floating(3, 4), 2, 4, 0)
    bare = replace(description, contact_forces=())
    model, order = pinocchio_model(description)
    data, places = model.createData(), positions_order(order)
    links = {link.name: link for link in description.links}
    for foot in description.frames:
        joint = model.getJointId(foot.link)
        pose = placed(links[foot.link].after) * placed(foot.placement)
        model.addFrame(pin.Frame(foot.name, joint, 0, pose, pin.FrameType.OP_FRAME))
    data = model.createData()
    states = sample_states(description, ("q", "qd", "qdd", "contact_force"), 60, 1)
    q, v, a, force = (states[name][-10:] for name in ("q", "qd", "qdd", "contact_force"))
    with_forces = kernel(optimised(INVERSE_DYNAMICS_DERIVATIVES, description))(q, v, a, force)
    without = kernel(optimised(INVERSE_DYNAMICS_DERIVATIVES, bare))(q, v, a)

    def joint_forces(position, acting):
        total = np.zeros(model.nv)
        pin.computeJointJacobians(model, data, position)
        pin.updateFramePlacements(model, data)
        for number, foot in enumerate(description.frames):
            jacobian = pin.getFrameJacobian(
                model, data, model.getFrameId(foot.name), pin.LOCAL_WORLD_ALIGNED
            )
            total -= jacobian[:3].T @ acting[3 * number : 3 * number + 3]
        return total

    step = 1e-5
    for state in range(len(q)):
        position = q[state][places]
        columns = [
            (
                joint_forces(pin.integrate(model, position, step * unit), force[state])
                - joint_forces(pin.integrate(model, position, -step * unit), force[state])
            )
            / (2 * step)
            for unit in np.eye(model.nv)
        ]
        change = (with_forces[0] - without[0])[state][np.ix_(order, order)]
        np.testing.assert_allclose(change, np.transpose(columns), rtol=0, atol=1e-9)
        by_force = [joint_forces(position, unit) for unit in np.eye(9)]
        np.testing.assert_allclose(
            with_forces[2][state][order], np.transpose(by_force), rtol=0, atol=1e-12
        )
    np.testing.assert_allclose(with_forces[1], without[1], rtol=0, atol=1e-12)


def test_the_input_names_every_element():
    description = with_feet(random_description(1, 3), 0, 2, wrenches=(1,))
    (*_, wrench, force) = optimised(INVERSE_DYNAMICS, description).inputs
    assert (wrench.name, wrench.shape) == ("wrench", (6,))
    assert (force.name, force.shape, set(force.units)) == ("contact_force", (6,), {"N"})
    assert (force.columns[0], force.columns[-1]) == ("foot_0.fx", "foot_1.fz")
    assert force.meaning == (
        "force exerted on the robot at the origin of each of the frames foot_0 and foot_1, "
        "in base axes"
    )


def test_yaml_takes_a_list_and_every_command_an_option(run, tmp_path):
    described = parse_robot(TWO + "contact_force: [left hand, right_hand]\n", "two.yaml")
    assert described.contact_forces == ("left hand", "right_hand")
    path = tmp_path / "two.yaml"
    path.write_text(TWO)
    described = load_robot(path, make_reading_options(contact_force="right_hand"))
    assert (described.contact_forces, described.reading.changes) == (
        ("right_hand",),
        {"contact-force": "right_hand"},
    )
    option = ("--contact-force", "left_hand,right_hand")
    names = ("-f", "inverse_dynamics", "-f", "forward_dynamics_derivatives")
    out = tmp_path / "c"
    assert run(path, *option, *names, "--out", out, "--states", "50")[0] == 0
    manifest = json.loads((out / "two.manifest.json").read_text())
    kernel = manifest["kernels"]["inverse_dynamics"]
    assert kernel["arguments"][3]["name"] == "contact_force"
    assert kernel["arguments"][3]["shape"] == [6]
    source = (out / "src" / "two_inverse_dynamics.c").read_text()
    assert "tau = M(q) qdd + C(q, qd) qd + g(q) - J(q)^T contact_force." in source
    derivatives = manifest["kernels"]["forward_dynamics_derivatives"]["arguments"]
    assert derivatives[-1]["name"] == "dqdd_dcontact_force"
    assert derivatives[-1]["shape"] == [2, 6]
    source = (out / "src" / "two_forward_dynamics_derivatives.c").read_text()
    formula = "dqdd_dtau dtau + dqdd_dcontact_force dcontact_force."
    assert formula in " ".join(source.replace("\n *", " ").split())
    assert "TWO_CONTACT_FORCE_LEFT_HAND_FX" in (out / "include" / "two.h").read_text()
    assert run("verify", out, path, "--states", "50")[0] == 0
    assert run("convert", path, *option, "-o", tmp_path / "again.yaml")[0] == 0
    assert load_robot(tmp_path / "again.yaml").contact_forces == ("left_hand", "right_hand")


def test_frames_that_are_not_there_or_named_twice_are_refused(tmp_path):
    with pytest.raises(RobotDescriptionError, match="there is no frame `foot`"):
        parse_robot(TWO + "contact_force: [left hand, foot]\n", "two.yaml")
    path = tmp_path / "two.yaml"
    path.write_text(TWO)
    with pytest.raises(UsageError, match=r"contact_force: there is no frame `left_hnd`; did you"):
        load_robot(path, make_reading_options(contact_force=["left_hnd"]))
    with pytest.raises(UsageError, match="contact_force: the frame `tool` is named 2 times"):
        load_robot(path, make_reading_options(contact_force=["tool", "tool"]))
