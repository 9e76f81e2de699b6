"""Operation counts of the recursions: upper bounds, and growth with the number of joints."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dynagen.dynamics.functions import FUNCTIONS
from dynagen.ir.cost import OperationCount, count
from dynagen.numbers.exact import ZERO
from dynagen.optimizer.passes.manager import run_passes
from dynagen.robot.description import RobotDescription
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from tests.support.counts_table import total_of
from tests.support.function_proofs import FUNCTIONS_OF_ANY_ARM
from tests.support.random_robots import random_description, random_floating

FUNCTION = {function.name: function for function in FUNCTIONS}


def operations(description: RobotDescription, function: str = "inverse_dynamics") -> OperationCount:
    return count(run_passes(FUNCTION[function].build(build_model(description)))[0])


@pytest.mark.parametrize(("robot", "most"), [("puma560_listing", 365), ("stanford_listing", 327)])
def test_inverse_dynamics_of_the_literature_s_robots(robot: str, most: int) -> None:
    assert operations(load_robot(robot)).total <= most


def general_chain(joints: int) -> RobotDescription:
    """Revolute joints, all angles oblique, all inertial data present."""
    return random_description(
        1, joints, "modified", prismatic=0, right_angles=0, inertia_form="central"
    )


def test_the_cost_of_a_joint_does_not_grow_with_the_number_of_joints() -> None:
    totals = {joints: operations(general_chain(joints)).total for joints in (6, 12, 24)}
    first, second = (totals[12] - totals[6]) / 6, (totals[24] - totals[12]) / 12
    assert second == pytest.approx(first, rel=0.05)
    assert second < 168  # 92 M + 76 A a revolute joint: Dhanaraj (1990), Table 2.9


@pytest.mark.parametrize(
    "function",
    sorted({each.name for each in FUNCTIONS_OF_ANY_ARM} - {"friction_forces", "synchronous"}),
)  # the first two have little to lose, the last requires six joints
def test_the_recorded_program_is_larger_than_the_optimised_one(function: str) -> None:
    recorded = count(FUNCTION[function].build(build_model(general_chain(3))))
    assert 0 < operations(general_chain(3), function).total < recorded.total


def test_what_a_function_leaves_out_costs_nothing() -> None:
    description = load_robot("puma560")
    names = ("gravity_forces", "coriolis_forces", "bias_forces", "inverse_dynamics")
    totals = {name: operations(description, name).total for name in names}
    assert totals["gravity_forces"] < totals["bias_forces"] < totals["inverse_dynamics"]
    assert totals["coriolis_forces"] <= totals["bias_forces"]


def test_one_sine_and_cosine_a_revolute_joint() -> None:
    assert (
        operations(load_robot("puma560")).sincos == 5
    )  # nothing depends on the first joint's angle: gravity is along its axis
    assert operations(general_chain(4)).sincos == 4


def test_a_weightless_robot_at_rest_needs_no_forces() -> None:
    description = replace(load_robot("puma560"), gravity=(ZERO, ZERO, ZERO))
    assert operations(description, "gravity_forces") == OperationCount()


@pytest.mark.parametrize(
    ("robot", "function", "most"),
    [
        ("puma560", "inverse_dynamics_vjp", 650),
        ("puma560", "inverse_dynamics_jvp", 650),
        ("panda", "inverse_dynamics_vjp", 1361),
        ("panda", "inverse_dynamics_jvp", 1371),
        ("puma560", "inverse_dynamics_hessian", 2900),
    ],
)
def test_derivative_products_cost_less_than_those_of_differentiated_programs(robot, function, most):
    """CasADi differentiates the optimised inverse dynamics of the Panda to 1361 and 1371."""
    assert total_of(robot, function) <= most


def test_derivative_products_do_not_read_the_position_of_a_base():
    """Products with the base's rotation matrix would cost more, and read its position."""
    model = build_model(random_floating(1, 2))
    for name in ("inverse_dynamics_vjp", "forward_dynamics_vjp", "forward_dynamics_hessian"):
        (program, _) = run_passes(FUNCTION[name].build(model))
        read = {
            each.payload.index
            for each in program.instructions
            if getattr(each.payload, "argument", "") == "q"
        }
        assert not read & {0, 1, 2}
