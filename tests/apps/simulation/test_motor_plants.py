"""Simulations with elastic joints and coupled motors, against integrations of the references."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dynagen
from dynagen.apps.simulation.plant import plant_of
from dynagen.apps.simulation.torques import Sampled, Table
from dynagen.errors import DynagenError, UsageError
from dynagen.verification.reference import make_references

ARM = """
name: arm
convention: modified
gravity: [1, -9.81, 2]
links:
- {name: upper, joint: revolute, dh: {alpha: 0.4, a: 0, d: 0}, mass: 2.5, com: [0.2, 0, 0.1],
   inertia: [0.01, 0.034, 0.034]}
- {name: slide, joint: prismatic, dh: {alpha: 0.3, a: 0.4, theta: 0.2}, mass: 1.2, com: [0.1, 0, 0],
   inertia: [0.01, 0.009, 0.009]}
- {name: hand, joint: revolute, dh: {alpha: 0.7, a: 0.2, d: 0.1}, mass: 0.7, com: [0.1, 0.05, 0],
   inertia: [0.01, 0.009, 0.008]}
"""
SPRINGS = {
    "upper": "motor: {inertia: 0.3, stiffness: 200, damping: 0.4}",
    "hand": "motor: {inertia: 0.05, stiffness: 40}",
}
COUPLED = """couplings:
- {joints: [upper, hand], matrix: [[1, 0.2], [-0.5, 1]], inertia: [0.2, 0.18]}
"""
START = (0.2, 0.1, -0.3), (0.5, -0.2, 0.4)


def add_to_links(additions: dict[str, str]) -> str:
    text = ARM
    for name, addition in additions.items():
        text = text.replace(f"name: {name},", f"name: {name}, {addition},")
    return text


def drive(t, q, qd):
    return np.array([5 * np.sin(3 * t), -20 * q[..., 1], 1.0]) - 0.3 * qd


def solve_links(q, qd, forces, inertia=0.0):
    """Return the accelerations of the links without motors, from the numeric reference."""
    reference = make_references(dynagen.load_robot(ARM))[0]
    zero = np.zeros(3)
    bias = reference.compute_inverse_dynamics(q, qd, zero)
    still = reference.compute_inverse_dynamics(q, zero, zero)
    matrix = np.array(
        [reference.compute_inverse_dynamics(q, zero, axis) - still for axis in np.eye(3)]
    ).T
    return np.linalg.solve(matrix + inertia, forces - bias)


def integrate(rates, start):
    found = solve_ivp(rates, (0, 0.6), start, method="DOP853", rtol=1e-10, atol=1e-12)
    return found.y[:, -1]


def test_elastic_joints_move_as_an_independent_integration() -> None:
    entries, stiffness, damping = [0, 2], np.array([200, 40]), np.array([0.4, 0])
    inertia = np.array([0.3, 0.05])

    def rates(t, y):
        q, qd, theta, thetad = y[:3], y[3:6], y[6:8], y[8:]
        spring = stiffness * (theta - q[entries]) + damping * (thetad - qd[entries])
        seen, moved = q.copy(), qd.copy()
        seen[entries], moved[entries] = theta, thetad  # motors have the encoders
        tau = drive(t, seen, moved)
        forces = np.array([spring[0], tau[1], spring[1]])
        qdd = solve_links(q, qd, forces)
        return np.concatenate([qd, qdd, thetad, (tau[entries] - spring) / inertia])

    q, qd = map(np.array, START)
    expected = integrate(rates, np.concatenate([q, qd, q[entries], qd[entries]]))
    motion = dynagen.simulate(
        add_to_links(SPRINGS), q0=q, qd0=qd, time=0.6, torques=drive, rtol=1e-10
    )
    found = np.concatenate([motion.q[-1], motion.qd[-1], motion.theta[-1], motion.thetad[-1]])
    np.testing.assert_allclose(found, expected, atol=1e-7)
    assert motion.energy_error < 1e-8
    assert motion.to_csv().startswith(
        "t,q1,q2,q3,qd1,qd2,qd3,tau1,tau2,tau3,theta1,theta2,thetad1,thetad2\n"
    )


def test_coupled_motors_move_as_an_independent_integration() -> None:
    inverse = np.linalg.inv(np.array([[1, 0.2], [-0.5, 1]]))
    inertia = np.zeros((3, 3))
    inertia[np.ix_([0, 2], [0, 2])] = inverse.T @ np.diag([0.2, 0.18]) @ inverse

    def rates(t, y):
        q, qd = y[:3], y[3:]
        return np.concatenate([qd, solve_links(q, qd, drive(t, q, qd), inertia)])

    q, qd = map(np.array, START)
    expected = integrate(rates, np.concatenate([q, qd]))
    motion = dynagen.simulate(ARM + COUPLED, q0=q, qd0=qd, time=0.6, torques=drive, rtol=1e-10)
    np.testing.assert_allclose(np.concatenate([motion.q[-1], motion.qd[-1]]), expected, atol=1e-7)
    assert motion.energy_error < 1e-8
    assert motion.theta.shape == (len(motion.t), 0)


def test_energy_of_springs_and_losses_with_a_wrench_and_viscous_friction() -> None:
    text = add_to_links({**SPRINGS, "upper": SPRINGS["upper"] + ", friction: {viscous: 0.3}"})
    motion = dynagen.simulate(
        text + "external_wrench: tool\n", wrench=[1, 2, -1, 0.1, 0.2, 0], time=1, rtol=1e-10
    )
    assert motion.energy_error < 1e-8
    lossless = dynagen.simulate(add_to_links({"hand": SPRINGS["hand"]}), time=1, rtol=1e-10)
    total = lossless.kinetic + lossless.potential
    np.testing.assert_allclose(total, total[0], atol=1e-7)


def test_a_stiff_spring_moves_as_a_rigid_joint() -> None:
    rigid = dynagen.simulate(add_to_links({"upper": "motor: {inertia: 0.3}"}), time=0.5)
    motor = "motor: {inertia: 0.3, stiffness: 1e7, damping: 1e3}"
    stiff = dynagen.simulate(add_to_links({"upper": motor}), time=0.5, method="Radau")
    np.testing.assert_allclose(stiff.q, rigid.q, atol=2e-5)
    np.testing.assert_allclose(stiff.theta[:, 0], stiff.q[:, 0], atol=2e-5)


def test_dry_friction_holds_the_motor_while_the_link_swings() -> None:
    motor = SPRINGS["upper"] + ", friction: {coulomb: 1000}"
    motion = dynagen.simulate(add_to_links({"upper": motor}), time=0.5)
    assert np.ptp(motion.theta[:, 0]) == 0
    assert np.ptp(motion.q[:, 0]) > 0.01
    assert motion.energy_error < 1e-6
    weak = SPRINGS["upper"] + ", friction: {coulomb: 2}"
    moved = dynagen.simulate(add_to_links({"upper": weak}), time=0.5)
    assert np.ptp(moved.theta[:, 0]) > 0.01
    assert moved.energy_error < 1e-6


def test_fixed_steps_of_several_starts_and_sampled_controllers() -> None:
    plant = plant_of(add_to_links(SPRINGS))
    starts = np.array([START[0], (0.0, 0.0, 0.0)])
    several = dynagen.simulate(plant, q0=starts, time=0.2, method="RK4", step=1e-4)
    exact = dynagen.simulate(plant, q0=starts[0], time=0.2, rtol=1e-11)
    assert several.theta.shape == (len(several.t), 2, 2)
    np.testing.assert_allclose(several.q[-1, 0], exact.q[-1], atol=1e-8)
    np.testing.assert_allclose(several.theta[-1, 0], exact.theta[-1], atol=1e-8)
    law = Sampled(lambda t, q, qd: np.array([1.0, 2.0, 3.0]), 0.01)
    sampled = dynagen.simulate(plant, q0=starts[0], time=0.1, torques=law)
    table = Table(np.array([0.0, 1.0]), np.array([[1.0, 2.0, 3.0]] * 2))
    constant = dynagen.simulate(plant, q0=starts[0], time=0.1, torques=table)
    np.testing.assert_allclose(sampled.q[-1], constant.q[-1], atol=1e-7)
    np.testing.assert_allclose(sampled.tau, [[1, 2, 3]] * len(sampled.t))


def test_the_command_reports_the_motors(run, tmp_path) -> None:
    (tmp_path / "arm.yaml").write_text(add_to_links(SPRINGS))
    status, out, _ = run("simulate", "arm.yaml", "--time", "0.1")
    assert status == 0
    assert "theta(0 s) = 0, 0\n" in out
    status, out, _ = run("simulate", "arm.yaml", "--time", "0.1", "--format", "json")
    assert '"thetad": [' in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (add_to_links({"upper": SPRINGS["upper"]}) + COUPLED.replace("upper", "slide"), "coupled"),
        (
            add_to_links(
                {"upper": SPRINGS["upper"] + ", friction: {transmission: {efficiency: 0.9}}"}
            ),
            "friction that depends on the load in an elastic joint (upper)",
        ),
        (add_to_links({"upper": "motor: {inertia: 0, stiffness: 3}"}), "has no inertia"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises((UsageError, DynagenError)) as error:
        dynagen.simulate(text, time=0.1)
    assert message in str(error.value)
