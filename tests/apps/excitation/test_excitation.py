"""Motions for identification: series at rest at both ends, slopes of what is optimised, limits
kept, better than random.
"""

from __future__ import annotations

import csv
from io import StringIO

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynagen
from dynagen.apps.excitation.excitation import excite
from dynagen.apps.excitation.limits import Box, Region, Sphere, make_motion_limits, make_workspace
from dynagen.apps.excitation.problem import MEASURES, ExcitationProblem, compile_moving_robot
from dynagen.apps.excitation.trajectories import FourierBasis
from dynagen.errors import UsageError

ARM = """
name: arm
convention: modified
gravity: [0, 0, -9.81]
links:
  - name: shoulder
    joint: revolute
    dh: {alpha: 0, a: 0, d: 0.4}
    inertia: [0.1, 0.1, 0.05]
    friction: {viscous: 2, coulomb: 5}
    limits: {position: [-2, 2], velocity: 2, effort: 60}
  - name: elbow
    joint: revolute
    dh: {alpha: -pi/2, a: 0.1, d: 0}
    mass: 5
    com: [0.2, 0.02, -0.03]
    inertia: [0.01, 0.03, 0.03]
    friction: {viscous: 1, coulomb: 3}
    limits: {position: [-2.5, 1], velocity: 3, effort: 45}
  - name: slide
    joint: prismatic
    dh: {alpha: pi/2, a: 0.3, theta: 0.2}
    mass: 2
    com: [0.05, 0, 0.1]
    inertia: [0.01, 0.02, 0.02]
    limits: {position: [0.1, 0.5], velocity: 0.5, effort: 60}
frames:
  - {name: tip, link: slide, xyz: [0, 0.05, 0.1]}
"""
LIMITS = {"acceleration": [9, 12, 3]}
REGIONS = [
    Region(Box((-1, -1, 0.1), (np.inf, 1, 1.5)), True),
    Region(Sphere((0.4, 0.4, 0.2), 0.15), False),
]


@pytest.fixture(scope="module")
def moving():
    return compile_moving_robot(ARM)


@pytest.fixture(scope="module")
def found():
    return excite(
        ARM,
        time=8,
        limits=LIMITS,
        regions=REGIONS,
        points=["elbow", "tip"],
        clearance=0.02,
        starts=2,
        iterations=25,
    )


@pytest.fixture(scope="module")
def tip():
    return dynagen.compile(ARM, "forward_kinematics@tip")


def differences(function, x, step=1e-6):
    rows = [
        (function(x + step * unit) - function(x - step * unit)) / (2 * step)
        for unit in np.eye(x.size)
    ]
    return np.moveaxis(np.array(rows), 0, -1)


def test_series_begin_and_end_at_rest_and_are_their_own_derivatives():
    basis = FourierBasis(3.0, 4)
    trajectory = basis.make_trajectory(np.random.default_rng(2).normal(size=(2, basis.size)))
    q, qd, qdd = trajectory.at(np.array([0.0, 3.0]))
    assert_allclose([qd, qdd], 0, atol=1e-13)
    assert_allclose(q[0], q[1], atol=1e-13)
    t, step = np.linspace(0, 3, 50), 1e-5
    (before, rate_before, _), (after, rate_after, _) = (
        trajectory.at(t - step),
        trajectory.at(t + step),
    )
    _, qd, qdd = trajectory.at(t)
    assert_allclose((after - before) / (2 * step), qd, atol=1e-8)
    assert_allclose((rate_after - rate_before) / (2 * step), qdd, atol=1e-7)


def test_free_numbers_are_all_motions_at_rest():
    """Every series with N harmonics has 2 N + 1 numbers, and rest takes two equations."""
    basis = FourierBasis(1.0, 5)
    shapes = basis.compute_shapes(np.linspace(0, 1, 40))[0]
    assert shapes.shape[1] == 9
    assert np.linalg.matrix_rank(shapes) == 9


@pytest.mark.parametrize("criterion", MEASURES)
def test_slopes_are_those_of_difference_quotients(moving, criterion):
    limits = make_motion_limits(moving.robot, LIMITS)
    inside_out = Region(Box((0.3, -0.1, 0.2), (0.6, 0.2, 0.5)), False)
    workspace = make_workspace(moving.robot, [*REGIONS, inside_out], clearance=0.01)
    problem = ExcitationProblem(moving, FourierBasis(8, 3), limits, workspace, MEASURES[criterion])
    x = np.random.default_rng(4).normal(scale=0.3, size=problem.shape).reshape(-1)
    assert_allclose(
        problem.compute_information_slope(x), differences(problem.compute_information, x), atol=1e-7
    )
    slopes = problem.compute_slack_slope(x)
    assert slopes.shape == (4 * 3 + 3 * 4, x.size)
    assert_allclose(slopes, differences(problem.compute_slack, x), atol=1e-6)


def test_measures_are_what_their_names_say():
    rows = np.random.default_rng(5).normal(size=(700, 6)) * 10.0 ** np.arange(6)
    assert MEASURES["logdet"](rows)[0] == pytest.approx(np.linalg.slogdet(rows.T @ rows)[1] / 6)
    lengths = np.linalg.norm(rows, axis=0)
    assert np.exp(-MEASURES["condition"](rows)[0]) == pytest.approx(np.linalg.cond(rows / lengths))
    rows[:, 3] = rows[:, 1]
    assert [measure(rows)[0] for measure in MEASURES.values()] == [-np.inf, -np.inf]


def test_points_are_where_forward_kinematics_has_them(tip):
    robot = dynagen.load_robot(ARM)
    q = np.random.default_rng(6).normal(size=(20, 3))
    everywhere = Region(Sphere((0.0, 0.0, 0.0), 1e-9), False)
    distance = make_workspace(robot, [everywhere], ["tip"]).compute_clearances(q)[0][:, 0, 0]
    assert_allclose(distance, np.linalg.norm(tip(q)[1], axis=1), atol=1e-8)


@pytest.mark.slow
def test_the_motion_keeps_all_limits(found, moving, tip):
    """At moments that nobody has looked at."""
    t = np.linspace(0, 8, 7919)
    q, qd, qdd = found.trajectory.at(t)
    tau = moving.inverse_dynamics(q, qd, qdd) + moving.friction_forces(qd)
    assert np.all((q >= [-2, -2.5, 0.1]) & (q <= [2, 1, 0.5]))
    assert np.all(np.abs(qd) <= [2, 3, 0.5])
    assert np.all(np.abs(qdd) <= LIMITS["acceleration"])
    assert np.all(np.abs(tau) <= [60, 45, 60])
    position = tip(q)[1]
    assert position[:, 2].min() >= 0.1 + 0.02
    assert np.linalg.norm(position - [0.4, 0.4, 0.2], axis=1).min() >= 0.15 + 0.02
    # The reported distance contains the required clearance of 0.02 m.
    nearest = min(
        (position[:, 2] - 0.1).min(),
        (np.linalg.norm(position - [0.4, 0.4, 0.2], axis=1) - 0.15).min(),
    )
    assert 0.02 <= found.clearance <= nearest + 1e-6
    assert max(parts.max() for parts in found.used.values()) > 0.95  # a limit is used


def test_it_tells_more_than_random_motions(found):
    best = found.searches[found.best].measures
    assert all(best[-1] > search.measures[0] + 1 for search in found.searches)
    assert np.all(np.diff(best) >= 0)
    assert found.log_determinant == pytest.approx(best[-1], abs=0.01)


def test_the_same_seed_takes_the_same_way(found):
    again = excite(
        ARM,
        time=8,
        limits=LIMITS,
        regions=REGIONS,
        points=["elbow", "tip"],
        clearance=0.02,
        starts=1,
        iterations=3,
    )
    np.testing.assert_array_equal(again.searches[0].measures, found.searches[0].measures[:4])


def test_tables_have_one_period(found):
    names, *rows = csv.reader(StringIO(found.to_csv(50)))
    assert names == ["t", *(f"{name}{joint}" for name in ("q", "qd", "qdd") for joint in (1, 2, 3))]
    table = np.array(rows, dtype=float)
    assert_allclose(table[:, 0], np.arange(401) / 50, atol=1e-12)
    assert_allclose(table[[0, -1], 4:], 0, atol=1e-12)
    assert_allclose(table[0], [0, *table[-1, 1:]], atol=1e-12)


def test_a_good_condition_is_sought_too():
    better = excite(ARM, time=8, limits=LIMITS, criterion="condition", starts=1, iterations=25)
    assert np.exp(-better.searches[0].measures[0]) > 1.5 * better.condition


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limits": {"speed": 3}}, "unknown quantity `speed`"),
        (
            {"limits": {"velocity": [1, 2]}},
            "one limit for all joints or 3 numbers of velocity, found 2",
        ),
        (
            {"limits": {"position": (1, -1)}},
            "positions of shoulder between two finite ascending numbers, found 1:-1",
        ),
        ({"limits": {"effort": np.inf}}, "a number above zero for effort of shoulder, found inf"),
        (
            {"limits": {"effort": 5}},
            "none of 200 random postures within the position limits keeps the effort limits "
            "at rest",
        ),
        ({"regions": REGIONS, "points": ["tipp"]}, "no link or frame `tipp`; did you mean `tip`"),
        (
            {"regions": [Region(Box((5, 5, 5), (6, 6, 6)), True)]},
            "none of 200 random postures .* workspace",
        ),
        ({"harmonics": 1}, "2 or more"),
        ({"time": 0}, "seconds above zero"),
        ({"fraction": 1.5}, "at most 1"),
        ({"criterion": "trace"}, "logdet or condition"),
        ({"starts": 0}, "1 or more"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(options, message):
    with pytest.raises(UsageError, match=message):
        excite(ARM, **options)


def test_missing_limits_are_named_with_their_joints():
    with pytest.raises(
        UsageError,
        match=r"of position for upper_arm, .*; of velocity .*--limits position=-pi/2:pi/2 "
        r"--limits vel",
    ):
        excite("planar3")
    with pytest.raises(UsageError, match="requires a fixed base"):
        excite("planar3", base="floating")  # before any limit is asked for
