"""Motions beside what is known of them: energy, closed forms, published figures, and MuJoCo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import dynagen
from dynagen.apps.simulation.integration import compute_acceleration, decide_friction_state
from dynagen.apps.simulation.plant import Plant, plant_of
from dynagen.apps.simulation.simulation import simulate
from dynagen.apps.simulation.torques import (
    Sampled,
    Table,
    computed_torque,
    follow,
    hold,
    pd_plus_gravity,
)
from dynagen.errors import DynagenError, UsageError
from dynagen.numbers.arrays import Array
from dynagen.resources import list_bundled_robots
from dynagen.robot.loading import write_robot

PENDULUM = """
name: swing
convention: standard
gravity: [0, 0, -9.81]
links:
  - name: rod
    joint: revolute
    dh: {alpha: 0, a: 0.5, d: 0}
    origin: {xyz: [0, 0, 0], rpy: [pi/2, 0, 0]}
    mass: 2
    com: [-0.1, 0, 0]
    inertia: [0, 0.01, 0.01]
"""
BLOCK = """
name: block
convention: standard
gravity: [0, 0, -9.81]
links:
  - name: block
    joint: prismatic
    dh: {alpha: 0, a: 0, theta: 0}
    origin: {xyz: [0, 0, 0], rpy: [0, pi/2, 0]}
    mass: 2
    com: [0, 0, 0]
    inertia: [0, 0, 0]
    friction: {coulomb: 3}
"""
ARM = """
name: arm
convention: modified
gravity: [0, 0, -9.81]
links:
  - {name: a, joint: revolute, dh: {alpha: 0, a: 0, d: 0.3}, mass: 4, com: [0, 0.02, -0.1],
      inertia: [0.1, 0.1, 0.05]}
  - {name: b, joint: prismatic, dh: {alpha: pi/2, a: 0.1, theta: 0.2}, mass: 3, com: [0, 0, 0.1],
      inertia: [0.03, 0.03, 0.01]}
  - {name: c, joint: revolute, dh: {alpha: 1, a: 0.3, d: 0.1}, mass: 2, com: [0.2, 0, 0],
      inertia: [0.01, 0.03, 0.03]}
  - {name: d, joint: revolute, dh: {alpha: -1, a: 0.4, d: 0}, mass: 1, com: [0.1, 0.1, 0],
      inertia: [0.01, 0.01, 0.015]}
"""
SATELLITE = """
name: satellite
convention: standard
gravity: [0, 0, 0]
links:
  - {name: body, joint: floating, mass: 20, com: [0.1, 0.02, 0], inertia: [1, 2, 3, 0.1, 0.2, 0.3]}
  - {name: arm, joint: revolute, dh: {alpha: pi/2, a: 1, d: 0.3}, mass: 3, com: [-0.5, 0, 0],
      inertia: [0.01, 0.3, 0.3]}
  - {name: hand, joint: prismatic, dh: {alpha: 0, a: 0.2, theta: 0.4}, mass: 1, com: [0, 0.1, 0],
      inertia: [0.01, 0.02, 0.03]}
"""
PHYSICAL = [name for name in list_bundled_robots() if name != "puma_saha"]


@pytest.mark.slow
@pytest.mark.parametrize("name", PHYSICAL)
def test_energy_of_a_falling_robot_without_friction_is_constant(name: str) -> None:
    robot = dynagen.load_robot(name)
    count = sum(link.joint.nv for link in robot.links)
    start = 0.3 + 0.4 * np.sin(1 + np.arange(count))
    motion = simulate(robot, q0=start, time=4, rtol=1e-11, friction=False, every=0.1)
    assert not motion.stopped
    assert motion.t[-1] == 4
    assert motion.energy_error < 1e-9


def test_a_pendulum_swings_with_its_period() -> None:
    """T = 4 sqrt(I / (m g l)) K(sin^2(amplitude / 2))."""
    from scipy.special import ellipk

    amplitude, length, inertia = 1.0, 0.4, 0.01 + 2 * 0.4**2
    period = 4 * np.sqrt(inertia / (2 * 9.81 * length)) * ellipk(np.sin(amplitude / 2) ** 2)
    motion = simulate(
        PENDULUM, q0=[-np.pi / 2 + amplitude], time=3 * period, rtol=1e-11, every=period
    )
    assert_allclose(motion.q[:, 0], -np.pi / 2 + amplitude, atol=1e-8)
    assert_allclose(motion.qd[:, 0], 0, atol=1e-4)


@pytest.mark.parametrize(("method", "order"), [("RK4", 4), ("euler", 1)])
def test_steps_of_equal_length_have_their_order(method: str, order: int) -> None:
    plant = plant_of(dynagen.load_robot("planar3"), None, None, True)
    exact = simulate(plant, q0=[0.1, 0.2, 0.3], time=0.5, rtol=1e-12).q[-1]
    errors = [
        np.abs(
            simulate(plant, q0=[0.1, 0.2, 0.3], time=0.5, method=method, step=step, every=0.5).q[-1]
            - exact
        ).max()
        for step in (0.01, 0.005)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.3)


def test_many_motions_at_once_are_those_of_each() -> None:
    plant = plant_of(dynagen.load_robot("planar3"), None, None, True)
    starts = np.linspace(-1, 1, 12).reshape(4, 3)
    together = simulate(plant, q0=starts, time=0.2, method="RK4", step=0.01)
    for place, start in enumerate(starts):
        alone = simulate(plant, q0=start, time=0.2, method="RK4", step=0.01)
        assert_allclose(together.q[:, place], alone.q, rtol=1e-12, atol=1e-12)
    assert together.energy_error < 1e-4
    assert repr(alone) == "<Motion of planar3: 0.2 s at 21 times, 20 steps>"
    assert repr(together) == "<Motion of planar3: 0.2 s at 21 times, 4 motions, 20 steps>"
    with pytest.raises(ValueError, match="one by one"):
        together.to_csv()


def test_saha_s_stanford_arm_falls_as_published() -> None:
    """Saha (2003), section 5: the second angle and the third length of the falling arm."""
    motion = simulate(
        "stanford_saha", q0=[0, np.pi / 2, 0, 0, 0, 0], time=10, rtol=1e-10, every=0.5
    )
    published = {0.5: (0.567, 0.348), 1: (0.081, 3.00), 2: (0.004, 15.83), 10: (-0.003, 471.7)}
    for time, (angle, length) in published.items():
        row = round(time / 0.5)
        assert motion.q[row, 1] == pytest.approx(angle, abs=6e-4)
        assert motion.q[row, 2] == pytest.approx(length, rel=2e-3)


def test_a_robot_that_is_no_body_stops_where_its_motion_ends() -> None:
    motion = simulate("puma_saha", q0=[0] * 6, time=10)
    assert "not positive definite at 1.81" in motion.stopped
    assert "pivot of joint" in motion.stopped
    assert motion.t[-1] == pytest.approx(1.81)
    assert "at the start" in motion.notes[0]


def test_a_mass_matrix_that_becomes_indefinite_stops_the_motion_there() -> None:
    """A negative inertia of the second link:

    M22 > 0, and det M = 0 where its angle has a certain cosine.
    """
    robot = """
name: unphysical
convention: standard
gravity: [0, 0, -9.81]
links:
  - {name: a, joint: revolute, dh: {alpha: 0, a: 1, d: 0}, mass: 0, com: [0, 0, 0],
      inertia: [0, 0, 0.1]}
  - {name: b, joint: revolute, dh: {alpha: 0, a: 0, d: 0}, mass: 1, com: [0.5, 0, 0],
      inertia: [0, 0, -0.1]}
"""
    # M = [[0.1 + 1 + 0.15 + cos, 0.15 + cos / 2], [., 0.15]]; det = 0.1875 - 0.0225 - cos^2 / 4 = 0
    # at cos^2 = 0.66
    motion = simulate(robot, q0=[0, 1.5], qd0=[0, -1], time=2, every=0.01)
    angle = float(motion.stopped.split("q = (")[1].split(")")[0].split(",")[1])
    assert "singular" in motion.stopped or "not positive definite" in motion.stopped
    assert np.cos(angle) ** 2 == pytest.approx(0.66, abs=1e-3)


def test_dry_friction_holds_a_block_until_it_breaks_away_and_stops_it_again() -> None:
    """A block of 2 kg under F(t) = 4 t until t = 2, then nothing, with 3 N of Coulomb friction.

    It breaks away at t = 3/4; its rate is (2 (t^2 - 9/16) - 3 (t - 3/4)) / 2 until 2, and falls by
    3/2 a second from there.
    """
    push = Table(np.array([0, 2, 2 + 1e-9, 9]), np.array([[0.0], [8.0], [0.0], [0.0]]))
    motion = simulate(BLOCK, q0=[0.0], time=4, torques=push, rtol=1e-10, every=0.05, step=0.1)
    t, rate = motion.t, motion.qd[:, 0]
    sliding = (2 * (t**2 - 9 / 16) - 3 * (t - 3 / 4)) / 2
    at_two = (2 * (4 - 9 / 16) - 3 * (2 - 3 / 4)) / 2
    expected = np.where(
        t <= 0.75, 0, np.where(t <= 2, sliding, np.maximum(at_two - 1.5 * (t - 2), 0))
    )
    assert_allclose(rate, expected, atol=2e-8)
    stopped = t > 2 + at_two / 1.5 + 0.01
    assert stopped.any()
    assert (rate[stopped] == 0).all()
    assert (rate[t < 0.74] == 0).all()
    assert motion.energy_error < 1e-8


def test_stick_and_slip_on_a_belt_has_its_period() -> None:
    """A block tied by a spring to a point that moves steadily: with static friction above the
    kinetic it sticks and slips.

    Between slips the spring gains rate stiffness; a slip of the block without damping takes pi /
    omega plus what it lacks to the rate of the point. Here friction does not fall, so that the
    block moves with the point after its first slip has died.
    """
    stiffness, rate = 50.0, 0.2

    def spring(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return stiffness * (rate * t - q)

    motion = simulate(BLOCK, q0=[0.0], time=3, torques=spring, rtol=1e-10, every=0.01)
    breaks_away = 3 / (stiffness * rate)  # spring = 3 N
    omega = np.sqrt(stiffness / 2)
    expected = np.where(
        motion.t < breaks_away,
        0,
        rate * (motion.t - breaks_away) - rate / omega * np.sin(omega * (motion.t - breaks_away)),
    )
    until = breaks_away + 2 * np.pi / omega  # there its rate is zero again, and it sticks
    before = motion.t < until
    assert_allclose(motion.q[before, 0], expected[before], atol=1e-8)
    assert motion.energy_error < 1e-8


def test_dry_friction_of_several_joints_comes_to_rest() -> None:
    motion = simulate("puma260", q0=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], time=4)
    assert not motion.stopped
    assert (motion.qd[-1][[0, 3, 5]] == 0).all()
    assert motion.energy_error < 1e-6


@pytest.fixture(scope="module")
def rough_arm() -> Plant:
    """An arm whose joints have dry friction."""
    return plant_of(ARM.replace("}\n", ", friction: {coulomb: 2, viscous: 0.5}}\n"))


def test_joints_at_rest_are_held_or_accelerate_in_their_direction(rough_arm: Plant) -> None:
    rng, seen = np.random.default_rng(4), set()
    for torque in np.geomspace(0.5, 50, 60):
        q, qd = rng.uniform(-1, 1, 4), np.where(rng.random(4) < 0.85, 0.0, rng.normal(size=4))
        weight = rough_arm.compute_mass_matrix(q) @ rough_arm.compute_acceleration(
            q, qd, np.zeros(4)
        )
        tau = torque * rng.normal(size=4) - weight
        contact = decide_friction_state(rough_arm, q, qd, tau)
        qdd, friction = compute_acceleration(rough_arm, contact, q, qd, tau)
        assert_allclose(rough_arm.compute_mass_matrix(q) @ qdd, tau + weight - friction, atol=1e-9)
        assert np.all(np.abs(friction[contact.held]) <= 2 + 1e-8)
        assert np.all((qdd * contact.direction >= 0)[qd == 0])
        assert np.all(contact.direction[qd != 0] == np.sign(qd[qd != 0]))
        assert not (contact.held & (contact.direction != 0)).any()
        seen.add(int(contact.held.sum()))
    assert seen == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("method", ["DOP853", "RK45"])
def test_torques_that_jump_with_the_wanted_direction_move_joints_open_loop(
    rough_arm: Plant, method: str
) -> None:
    """They know the friction, so that they jump at both ends and at every reversal, where joints
    are at rest.
    """
    path = follow(
        Table(np.array([0.0, 0.3, 0.7, 1.0]), np.random.default_rng(6).uniform(-1, 1, (4, 4)))
    )

    def torques(t: float, q: Array, qd: Array) -> Array:
        wanted, rates, rates_change = path(t)
        weight = rough_arm.compute_mass_matrix(wanted) @ (
            rates_change - rough_arm.compute_acceleration(wanted, rates, 0 * rates)
        )
        return weight + rough_arm.compute_friction(wanted, rates, rates_change)

    motion = simulate(rough_arm, q0=path(0)[0], time=1.0, torques=torques, method=method, every=0.1)
    assert motion.t[-1] == 1.0
    assert_allclose(motion.q, [path(t)[0] for t in motion.t], atol=1e-4)


@pytest.mark.slow
def test_computed_torque_follows_and_an_unknown_load_sags() -> None:
    path = follow(Table(np.array([0.0, 1.0]), np.array([[0.0] * 6, [1.0] * 6])))
    exact = computed_torque("puma560", path, 100.0, 20.0)
    assert_allclose(simulate("puma560", q0=[0.0] * 6, time=1, torques=exact).q[-1], 1, atol=1e-6)
    sampled = simulate(
        "puma560", q0=[0.0] * 6, time=1, torques=Sampled(exact, 1e-3), method="RK4", every=1e-3
    )
    assert_allclose(sampled.q[-1], 1, atol=1e-3)
    assert len(sampled.t) == 1001
    assert not np.array_equal(sampled.tau[500], sampled.tau[501])


def test_gravity_compensation_holds_the_robot() -> None:
    law = pd_plus_gravity("planar3", hold([0.3, 0.2, 0.1]), 50.0, 10.0)
    motion = simulate("planar3", q0=[0, 0, 0], time=20, torques=law, method="Radau")
    assert_allclose(motion.q[-1], [0.3, 0.2, 0.1], atol=1e-4)


def test_limits_are_told_or_end_the_motion() -> None:
    robot = PENDULUM + "    limits: {position: [-2, 1]}\n"
    told = simulate(robot, q0=[0.0], time=1)
    assert told.t[-1] == 1
    assert "q1 passes its limit -2" in str(told.passages[0])
    ended = simulate(robot, q0=[0.0], time=1, stop_at_limits=True)
    assert ended.t[-1] <= told.passages[0].time < ended.t[-1] + 0.01
    assert ended.stopped_at_limit


@pytest.mark.slow
def test_too_many_states_and_endless_motions_are_refused() -> None:
    with pytest.raises(UsageError, match=r"every: 1e-12 s returns 1e\+12 states, at most"):
        simulate(PENDULUM, q0=[0.0], time=1, every=1e-12)
    motion = simulate("planar3", q0=[0, 1, 0], qd0=[1e9] * 3, time=1.0)
    assert "the motion is too fast for its duration: it would require" in motion.stopped
    assert motion.t[-1] < 1e-3


def test_a_payload_is_carried() -> None:
    robot = PENDULUM + "payload: true\n"
    light, heavy = (
        simulate(robot, q0=[-1.0], time=1, parameters=given)
        for given in ({}, {"payload_mass": 5.0})
    )
    assert_allclose(light.q, simulate(PENDULUM, q0=[-1.0], time=1).q, atol=1e-6)
    assert np.abs(heavy.q - light.q).max() > 0.01
    assert heavy.energy_error < 1e-7
    with pytest.raises(DynagenError, match="payload_mass: expected a finite number, found inf"):
        simulate(robot, q0=[-1.0], time=1, parameters={"payload_mass": np.inf})
    with pytest.raises(DynagenError, match="wrench: expected finite numbers"):
        simulate(PENDULUM, q0=[-1.0], time=1, wrench=[np.nan] * 6, wrench_at="tool")


def test_a_contact_force_keeps_its_direction() -> None:
    frame = "frames:\n  - {name: centre, link: rod, xyz: [-0.1, 0, 0], rpy: [0, 0, 0]}\n"
    options = {"q0": [-1.0], "time": 1.0, "contact_force": "centre"}
    # The weight of the rod is 2 kg * 9.81 m/s^2: the force carries it.
    carried = simulate(PENDULUM + frame, force=[0, 0, 19.62], **options)
    assert_allclose(carried.q, -1.0, atol=1e-9)
    pulled = simulate(PENDULUM + frame, force=[3.0, 0, 0], **options)
    assert np.abs(pulled.q + 1).max() > 0.1
    assert pulled.energy_error < 1e-7
    with pytest.raises(DynagenError, match="force: expected 3 numbers, force in base axes, found"):
        simulate(PENDULUM + frame, force=[3.0], **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"q0": [0, 0]}, "q0: expected 1 numbers"),
        ({"q0": [np.nan]}, "finite"),
        ({"time": -1}, "time: expected seconds above zero"),
        ({"every": 2}, "every"),
        ({"method": "LSODA"}, "there is no method `LSODA`; expected DOP853"),
        ({"rtol": 0}, "rtol"),
        ({"q0": [[0.0], [1.0]]}, "DOP853 integrates one start"),
        ({"parameters": {"load": 1}}, "no run-time parameter `load`"),
        ({"wrench": [0] * 6}, "has no frame for a wrench"),
        ({"force": [0] * 3}, "has no frame for a force"),
    ],
)
def test_bad_input_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(DynagenError, match=message):
        simulate(PENDULUM, **{"q0": [0.0], "time": 1.0, **options})


@pytest.mark.parametrize("method", ["DOP853", "RK4"])
def test_torques_that_are_no_numbers_are_refused_or_stop_the_motion_where_they_begin(
    method: str,
) -> None:
    with pytest.raises(UsageError, match=r"torques: expected finite numbers, found .* at t = 0"):
        simulate(PENDULUM, q0=[0.1], time=1, torques=lambda t, q, qd: [float("nan")], method=method)
    for since in (1e-9, 0.5):
        motion = simulate(
            PENDULUM,
            q0=[0.1],
            time=1,
            torques=lambda t, q, qd, since=since: [np.nan if t > since else 0],
            method=method,
        )
        assert "torques" in motion.stopped
        assert motion.t[-1] <= since
        assert np.isfinite(motion.q).all()


def test_fixed_steps_refuse_dry_friction() -> None:
    with pytest.raises(UsageError, match="sign: tanh"):
        simulate(BLOCK, q0=[0.0], time=1, method="RK4")


@pytest.mark.slow
@pytest.mark.tools
@pytest.mark.parametrize("source", ["ur5", "panda", ARM], ids=["ur5", "panda", "arm"])
def test_mujoco_moves_alike(source: str) -> None:
    """An independent integrator on an independent engine; steps of 0.1 ms of fourth order leave
    some 1e-9.
    """
    import mujoco

    robot = dynagen.load_robot(source)
    links = tuple(replace(link, limits=None) for link in robot.links)
    model = mujoco.MjModel.from_xml_string(
        write_robot(replace(robot, links=links), Path("robot.urdf")).text
    )
    model.dof_armature[:] = [float(link.motor_inertia) for link in robot.links if link.joint.nv]
    model.opt.gravity[:] = [float(component) for component in robot.gravity]
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, 1e-4
    data = mujoco.MjData(model)
    start = 0.3 + 0.4 * np.sin(1 + np.arange(model.nv))
    data.qpos[:] = start
    for _ in range(5000):
        mujoco.mj_step(model, data)
    motion = simulate(robot, q0=start, time=0.5, rtol=1e-11, friction=False)
    assert_allclose(motion.q[-1], data.qpos, atol=1e-6)


def test_a_spherical_pendulum_keeps_its_energy_and_its_momentum_about_the_vertical() -> None:
    text = """
name: top
gravity: [0, 0, -9.81]
links:
  - {name: top, joint: spherical, origin: {xyz: [0.1, 0, 0]}, mass: 2, com: [0.1, 0.05, 0.3],
     inertia: [0.3, 0.4, 0.5, 0.01, 0.02, 0.03]}
"""
    plant = plant_of(text, None, None, True)
    turned, rates = np.array([0, 0.6, 0, 0.8]), np.array([1.0, -0.5, 3.0])
    motion = simulate(plant, q0=turned, qd0=rates, time=2, rtol=1e-11)
    assert motion.energy_error < 1e-9
    rotation = Rotation.from_quat(motion.q).as_matrix()
    momentum = np.einsum("tij,tj->ti", plant.compute_mass_matrix(motion.q), motion.qd)
    vertical = np.einsum("tj,tj->t", rotation[:, 2], momentum)
    assert np.ptp(rotation[:, 2, 2]) > 0.1  # it nods
    assert_allclose(vertical, vertical[0], rtol=1e-9)
    assert_allclose(simulate(plant, time=0.1).q[0], [0, 0, 0, 1])
    with pytest.raises(UsageError, match="of length 1 for top, from entry 0 on"):
        simulate(plant, q0=2 * turned, time=1)


@pytest.mark.slow
def test_a_floating_robot_keeps_its_energy_and_its_momentum() -> None:
    """Free in space, its momentum in the axes of the world stays: kinetic energy's derivative by
    the rates of the base.
    """
    plant = plant_of(dynagen.load_robot(SATELLITE), None, None, True)
    start, rates = np.array([0.1, 0.2, 0.3, 0, 0, 0.6, 0.8, 0.4, 0.3]), np.linspace(-1, 1, 8)
    motion = simulate(plant, q0=start, qd0=rates, time=2, rtol=1e-11)
    assert motion.energy_error < 1e-8
    assert np.ptp(motion.kinetic) < 1e-8 * motion.kinetic[0]
    assert_allclose(np.linalg.norm(motion.q[:, 3:7], axis=1), 1, atol=1e-9)
    rotation = Rotation.from_quat(motion.q[:, 3:7]).as_matrix()
    momentum = np.einsum("tij,tj->ti", plant.compute_mass_matrix(motion.q), motion.qd)
    linear = np.einsum("tij,tj->ti", rotation, momentum[:, :3])
    angular = np.einsum("tij,tj->ti", rotation, momentum[:, 3:6]) + np.cross(
        motion.q[:, :3], linear
    )
    for each in (linear, angular):
        assert_allclose(each, np.broadcast_to(each[0], each.shape), atol=1e-8 * np.abs(each).max())
    stepped = simulate(plant, q0=start, qd0=rates, time=2, method="RK4", step=1e-3)
    assert_allclose(stepped.q[-1], motion.q[-1], atol=1e-7)
    with pytest.raises(UsageError, match="quaternion"):
        simulate(plant, q0=2 * start, time=1)
