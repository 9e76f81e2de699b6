"""Inertia at a frame: identities, faults and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.frame_motion import FRAME_ACCELERATION
from dynagen.dynamics.functions.kinematics import JACOBIAN
from dynagen.dynamics.functions.operational_space import (
    INVERSE_OPERATIONAL_INERTIA,
    OPERATIONAL_INERTIA,
)
from dynagen.dynamics.requests import find_functions
from dynagen.errors import UsageError
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.edits import add_floating_base
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from dynagen.verification.sampling import sample_states
from tests.support.counts_table import total_of
from tests.support.function_proofs import heavier, kernel, optimised, proofs

PUMA = load_robot("puma560")


def states(description, count=40):
    sampled = sample_states(description, ("q", "qd", "tau"), 100)
    return tuple(sampled[name][-count:] for name in ("q", "qd", "tau"))


@pytest.mark.parametrize("function", [INVERSE_OPERATIONAL_INERTIA, OPERATIONAL_INERTIA])
@pytest.mark.parametrize("robot", ["puma560", "two_arm"])
def test_they_agree_with_the_references_on_a_fixed_and_a_floating_base(robot, function):
    for description in (load_robot(robot), add_floating_base(load_robot(robot))):
        if not function.availability.unavailable_because(build_model(description)):
            proofs(description, function, optimised(function, description)).require()


def test_a_link_a_billionth_too_heavy_is_found():
    program = optimised(INVERSE_OPERATIONAL_INERTIA, heavier(PUMA))
    assert not proofs(PUMA, INVERSE_OPERATIONAL_INERTIA, program).passed


def test_the_inertia_is_the_inverse_and_wrenches_cause_the_predicted_acceleration():
    """Khatib 1987: joint forces J^T (Lambda a + mu) accelerate the frame by a."""
    q, qd, tau = states(PUMA)
    (inverse,) = kernel(optimised(INVERSE_OPERATIONAL_INERTIA, PUMA))(q)
    inertia, bias = kernel(optimised(OPERATIONAL_INERTIA, PUMA))(q, qd)
    conditions = np.linalg.cond(inverse)
    (jacobian,) = kernel(optimised(JACOBIAN, PUMA))(q)
    wanted = tau  # six numbers
    wrench = np.einsum("kij,kj->ki", inertia, wanted) + bias
    forces = np.einsum("kij,ki->kj", jacobian, wrench)
    (qdd,) = kernel(optimised(FORWARD_DYNAMICS, PUMA))(q, qd, forces)
    (acceleration,) = kernel(optimised(FRAME_ACCELERATION, PUMA))(q, qd, qdd)
    for number, condition in enumerate(conditions):
        within = 1e-13 * condition
        np.testing.assert_allclose(inertia[number] @ inverse[number], np.eye(6), atol=within)
        np.testing.assert_allclose(
            acceleration[number], wanted[number], atol=within * np.abs(wanted[number]).max()
        )


def test_a_frame_that_five_joints_move_is_refused():
    with pytest.raises(
        UsageError,
        match=r"operational_inertia is not available for scara: the frame tool moves with 4 joint "
        "velocities, so .* is singular; six are required",
    ):
        find_functions(["operational_inertia"], build_model(load_robot("scara")))


def test_an_unknown_frame_is_refused():
    with pytest.raises(UsageError, match="puma560 has no frame `hand`; its frames are tool"):
        generate(PUMA, Settings(functions=("inverse_operational_inertia@hand",), verify=False))


def test_golden_vectors_leave_out_the_singular_pose_at_rest():
    generation = generate(PUMA, Settings(functions=("operational_inertia",), verify=False))
    (golden,) = (file.text for file in generation.files if file.path == "test/puma560_golden.c")
    assert "{0.0, 0.0, 0.0, 0.0, 0.0, 0.0}," not in golden
    assert "operational_inertia_Lambda_expected" in golden


def test_operation_counts():
    assert total_of("puma560", "inverse_operational_inertia") <= 680
    assert total_of("panda", "inverse_operational_inertia") <= 1150
