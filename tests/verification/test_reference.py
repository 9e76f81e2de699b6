"""Newton-Euler, Lagrange and Pinocchio agree, and all obey physics."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import PI, ZERO, Exact
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import (
    CentralInertia,
    LinkDescription,
    OriginInertia,
    RobotDescription,
)
from dynagen.robot.formats.yaml.links import make_row_steps
from dynagen.robot.joints import REVOLUTE, Joint
from dynagen.robot.loading import parse_robot
from dynagen.robot.pose import Translation
from dynagen.verification.comparison import Expectation, ExpectedOutputs, check_kernel
from dynagen.verification.kinematics import compute_joint_frames, round_vector
from dynagen.verification.reference import Reference, make_references
from dynagen.verification.sampling import sample_states
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model
from tests.support.random_robots import random_description, robots

INPUTS = ("q", "qd", "qdd")

FAMILIES = {
    "chains": {},
    "chains with right angles only": {"right_angles": 1.0},
    "chains with no right angle": {"right_angles": 0.0},
    "chains with fixed links": {"fixed_links": 0.5},
    "first moments without mass": {"massless_links": 0.4},
    "trees": {"branches": True, "fixed_links": 0.3},
    "fixed transforms before the joints": {"origins": True, "branches": True},
    "prismatic joints only": {"prismatic": 1.0},
    "helical joints": {"helical": 0.7, "branches": True},
    "axes in any direction": {"axes": 0.8, "helical": 0.3, "branches": True},
}


def inverse_dynamics(reference: Reference, q: Array, qd: Array, qdd: Array) -> tuple[Array]:
    return (reference.compute_inverse_dynamics(q, qd, qdd),)


def expected(identity: ExpectedOutputs) -> Expectation:
    return Expectation(identity.__name__, INPUTS, ("tau",), identity)


def gravity_forces(reference: Reference, q: Array, qd: Array, qdd: Array) -> tuple[Array]:
    return (reference.compute_inverse_dynamics(q, np.zeros_like(q), np.zeros_like(q)),)


def coriolis_forces(reference: Reference, q: Array, qd: Array, qdd: Array) -> tuple[Array]:
    return (reference.compute_inverse_dynamics(q, qd, np.zeros_like(q), gravity=False),)


def complex_step(function: object, *pairs: tuple[Array, Array]) -> Array:
    """Derivative of a function along the rates given with its arguments, without cancellation."""
    step = 1e-30
    value = function(*(argument + 1j * step * rate for argument, rate in pairs))
    return np.imag(value) / step


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("identity", [inverse_dynamics, gravity_forces, coriolis_forces])
def test_the_two_references_agree_to_rounding_far_within_the_tolerance(family, identity):
    for seed in range(8):
        description = random_description(seed, **FAMILIES[family])
        newton_euler, lagrange = make_references(description)
        states = sample_states(description, count=100, seed=seed)
        kernel = partial(identity, newton_euler)
        proof = check_kernel(kernel, expected(identity), (lagrange,), states)
        assert proof.worst.worst_error < 1e-13, (family, seed, proof.worst)


@pytest.mark.tools
@pytest.mark.parametrize(
    "family", [name for name in FAMILIES if name != "first moments without mass"]
)
def test_both_references_agree_with_pinocchio(family):
    for seed in range(100, 106):
        description = random_description(seed, **FAMILIES[family])
        model, order = pinocchio_model(description)
        data = model.createData()

        def kernel(q, qd, qdd, model=model, data=data, order=order):
            tau = np.zeros_like(q)
            for row in range(len(q)):
                tau[row, order] = pin.rnea(
                    model, data, q[row, order], qd[row, order], qdd[row, order]
                )
            return (tau,)

        states = sample_states(description, count=60, seed=seed)
        proof = check_kernel(
            kernel, expected(inverse_dynamics), make_references(description), states
        )
        assert proof.worst.worst_error < 1e-13, (family, seed, proof.worst)


@given(robots())
@hypothesis_settings(max_examples=25)
def test_power_of_the_joint_forces_is_the_change_of_energy(description):
    states = sample_states(description, count=40)
    q, qd, qdd = (states[name] for name in INPUTS)
    for reference in make_references(description):

        def energy(q, qd, reference=reference):
            momentum = mass_matrix(reference, q) @ qd[..., None]
            return np.sum(qd * momentum[..., 0], axis=-1) / 2 + potential_energy(
                description, reference, q
            )

        power = np.sum(qd * reference.compute_inverse_dynamics(q, qd, qdd), axis=-1)
        scale = np.sum(
            np.abs(qd) * reference.magnitudes.compute_inverse_dynamics(q, qd, qdd), axis=-1
        )
        change = complex_step(energy, (q, qd), (qd, qdd))
        assert np.all(np.abs(power - change) <= 1e-13 * scale)


@given(robots())
@hypothesis_settings(max_examples=25)
def test_mass_matrix_of_physical_links_is_symmetric_and_positive_semidefinite(description):
    q = sample_states(description, count=20)["q"]
    for reference in make_references(description):
        matrices = mass_matrix(reference, q)
        size = np.max(np.abs(matrices), axis=(-2, -1))
        assert np.all(
            np.abs(matrices - np.swapaxes(matrices, -1, -2)).max(axis=(-2, -1)) <= 1e-13 * size
        )
        assert np.all(np.linalg.eigvalsh(matrices).min(axis=-1) >= -1e-13 * size)


def mass_matrix(reference: Reference, q: Array) -> Array:
    still = np.zeros_like(q)
    columns = [
        reference.compute_inverse_dynamics(q, still, still + unit, gravity=False)
        for unit in np.eye(reference.degrees_of_freedom)
    ]
    return np.stack(columns, axis=-1)


def potential_energy(description: RobotDescription, reference: Reference, q: Array) -> Array:
    _, poses = compute_joint_frames(reference.links, q)
    energy = np.zeros_like(q[..., 0])
    for link, pose in zip(description.links, poses, strict=True):
        mass, inertial = float(link.inertial.mass), link.inertial
        first_moment = (
            mass * round_vector(inertial.com)
            if isinstance(inertial, CentralInertia)
            else round_vector(inertial.first_moment)
        )
        energy = (
            energy
            - (pose[..., :3, :3] @ first_moment + mass * pose[..., :3, 3])
            @ reference.gravity_vector
        )
    return energy


@given(robots())
@hypothesis_settings(max_examples=40)
def test_term_magnitudes_bound_the_joint_forces(description):
    states = sample_states(description, count=60)
    for reference in make_references(description):
        tau, bound = (
            r.compute_inverse_dynamics(*(states[name] for name in INPUTS))
            for r in (reference, reference.magnitudes)
        )
        assert np.all(np.abs(tau) <= bound * (1 + 1e-12))


def test_numbers_of_one_state_and_of_many_are_the_same():
    description = random_description(3, joints=5)
    states = sample_states(description, count=30)
    for reference in make_references(description):
        together = reference.compute_inverse_dynamics(states["q"], states["qd"], states["qdd"])
        one_by_one = [
            reference.compute_inverse_dynamics(*(states[name][row] for name in INPUTS))
            for row in range(30)
        ]
        np.testing.assert_allclose(together, one_by_one, rtol=1e-13, atol=1e-12)


def puma560() -> RobotDescription:
    """PUMA 560, from Dhanaraj (1990), Tables 2.1, 2.5 and 2.6; inertias have no effect at rest."""
    twists = (0, -1, 0, 1, -1, 1)
    lengths = ("0", "0", "0.4318", "-0.0203", "0", "0")
    offsets = ("0", "0.2435", "-0.0934", "0.4331", "0", "0")
    masses = ("0", "17.4", "4.8", "0.82", "0.34", "0.09")
    coms = (
        ("0",) * 3,
        ("0.068", "0.006", "-0.016"),
        ("0", "-0.07", "0.014"),
        ("0", "0", "-0.019"),
        ("0",) * 3,
        ("0", "0", "0.032"),
    )
    links = []
    for number, (twist, a, d, mass, (x, y, z)) in enumerate(
        zip(twists, lengths, offsets, masses, coms, strict=True)
    ):
        before, after = make_row_steps(
            "modified", alpha=PI / 2 * twist, a=Exact(a), d=Exact(d), theta=ZERO
        )
        inertial = CentralInertia(Exact(mass), (Exact(x), Exact(y), Exact(z)), (ZERO,) * 6)
        parent = f"link_{number}" if number else None
        links.append(
            LinkDescription(f"link_{number + 1}", parent, before, Joint(REVOLUTE), after, inertial)
        )
    return RobotDescription("puma560", (ZERO, ZERO, Exact("-9.8")), number_coordinates(links))


def test_puma560_at_home_carries_its_weight_as_worked_out_by_hand():
    # Axes 2 and 3 are horizontal, along y of the base; x of a centre of mass from the axis is its
    # lever.
    shoulder = -9.8 * (17.4 * 0.068 + 4.8 * 0.4318 + (0.82 + 0.34 + 0.09) * (0.4318 - 0.0203))
    elbow = -9.8 * (0.82 + 0.34 + 0.09) * -0.0203
    rest = np.zeros(6)
    for reference in make_references(puma560()):
        tau = reference.compute_inverse_dynamics(rest, rest, rest)
        np.testing.assert_allclose(tau, [0, shoulder, elbow, 0, 0, 0], rtol=1e-14, atol=1e-14)
        assert not reference.compute_inverse_dynamics(rest, rest, rest, gravity=False).any()


def test_both_forms_of_inertial_data_describe_the_same_body():
    com, mass = (Exact("0.1"), Exact("-0.2"), Exact("0.3")), Exact("2.5")
    x, y, z = com
    central = CentralInertia(
        mass,
        com,
        (Exact("0.3"), Exact("0.4"), Exact("0.5"), Exact("0.01"), Exact("0.02"), Exact("-0.03")),
    )
    xx, yy, zz, xy, xz, yz = central.inertia
    about_origin = (
        xx + mass * (y * y + z * z),
        yy + mass * (x * x + z * z),
        zz + mass * (x * x + y * y),
        xy - mass * x * y,
        xz - mass * x * z,
        yz - mass * y * z,
    )
    origin = OriginInertia(mass, (mass * x, mass * y, mass * z), about_origin)
    base = random_description(5, joints=3)
    q, qd, qdd = (sample_states(base, count=30)[name] for name in INPUTS)
    torques = []
    for inertial in (central, origin):
        links = tuple(replace(link, inertial=inertial, motor_inertia=ZERO) for link in base.links)
        robot = replace(base, links=links)
        torques += [
            reference.compute_inverse_dynamics(q, qd, qdd) for reference in make_references(robot)
        ]
    for tau in torques[1:]:
        np.testing.assert_allclose(tau, torques[0], rtol=1e-12, atol=1e-11)


def test_a_small_robot_a_kilometre_from_the_origin_loses_no_digits():
    near = random_description(21, joints=5)
    far_away = Translation((Exact(1000), Exact(-500), Exact(200)))
    first, *others = near.links
    far = replace(near, links=(replace(first, before=(far_away, *first.before)), *others))
    states = sample_states(near, count=60)
    for here, there in zip(make_references(near), make_references(far), strict=True):
        kernel = partial(inverse_dynamics, there)
        proof = check_kernel(kernel, expected(inverse_dynamics), (here,), states)
        assert proof.worst.worst_error < 1e-14


def test_a_frame_on_the_base_beside_a_floating_body_does_not_move() -> None:
    description = parse_robot(
        """
name: beside
gravity: [0, 0, -9.81]
links:
  - {name: trunk, joint: floating, mass: 2, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}
  - {name: desk, parent: base, joint: fixed, origin: {xyz: [1, 0, 0]}, mass: 1, com: [0, 0, 0],
     inertia: [0.1, 0.1, 0.1]}
frames:
  - {name: lamp, link: desk, xyz: [0, 0, 0.5]}
""",
        "beside.yaml",
    )
    states = sample_states(description, ("q", "qd"), 20, 1)
    q, qd = states["q"], states["qd"]
    for reference in make_references(description):
        frame = reference.find_frame("lamp")
        rotation, position = frame.compute_pose(q)
        np.testing.assert_array_equal(rotation, np.broadcast_to(np.eye(3), rotation.shape))
        np.testing.assert_array_equal(position, np.broadcast_to([1, 0, 0.5], position.shape))
        assert not frame.compute_jacobian(q).any()
        assert not frame.compute_drift_acceleration(q, qd).any()
