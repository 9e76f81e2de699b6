from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynagen.apps.literature.conventional import (
    ALGORITHMS,
    FORWARD_ALGORITHMS,
    Algorithm,
    count_conventional,
    record_conventional,
)
from dynagen.errors import UsageError
from dynagen.ir.evaluation import evaluate
from dynagen.robot.description import RobotDescription
from dynagen.robot.loading import load_robot
from dynagen.verification.reference import make_references
from tests.support.random_robots import random_description

ROBOTS = {
    **{
        name: load_robot(name)
        for name in ("puma560_listing", "stanford_listing", "planar3", "puma560")
    },
    "random_standard": random_description(
        3, joints=4, convention="standard", fixed_links=0.3, origins=True
    ),
    "random_modified": random_description(4, joints=5, convention="modified", fixed_links=0.3),
    "random_revolute": random_description(
        5, joints=3, convention="standard", prismatic=0, right_angles=0, origins=True
    ),
}


def joints(robot: RobotDescription) -> int:
    return sum(link.joint.moves for link in robot.links)


def is_covered(algorithm: Algorithm, robot: RobotDescription) -> bool:
    slides = any(link.joint.linear for link in robot.links)
    return (algorithm.sliding or not slides) and (
        algorithm.largest is None or joints(robot) <= algorithm.largest
    )


COVERED = [
    pytest.param(algorithm, robot, id=f"{algorithm.name}-{name}")
    for algorithm in ALGORITHMS
    for name, robot in ROBOTS.items()
    if is_covered(algorithm, robot)
]


@pytest.mark.parametrize(("algorithm", "robot"), COVERED)
def test_an_algorithm_gives_the_joint_forces_of_the_references(
    algorithm: Algorithm, robot: RobotDescription
) -> None:
    states = np.random.default_rng(0).normal(size=(3, 20, joints(robot)))
    q, qd, qdd = states
    tau = np.stack(
        evaluate(record_conventional(algorithm, robot), {"q": q.T, "qd": qd.T, "qdd": qdd.T})[
            "tau"
        ],
        axis=-1,
    )
    for reference in make_references(robot):
        expected = reference.compute_inverse_dynamics(q, qd, qdd)
        assert np.abs(tau - expected).max() <= 1e-11 * np.abs(expected).max()


@pytest.mark.parametrize("robot", [pytest.param(robot, id=name) for name, robot in ROBOTS.items()])
@pytest.mark.parametrize("algorithm", FORWARD_ALGORITHMS, ids=lambda algorithm: algorithm.name)
def test_accelerations_take_the_joint_forces_that_were_given(
    algorithm: Algorithm, robot: RobotDescription
) -> None:
    q, qd, tau = np.random.default_rng(1).normal(size=(3, 20, joints(robot)))
    qdd = np.stack(
        evaluate(record_conventional(algorithm, robot), {"q": q.T, "qd": qd.T, "tau": tau.T})[
            "qdd"
        ],
        axis=-1,
    )
    for reference in make_references(robot):
        residual = reference.compute_inverse_dynamics(q, qd, qdd) - tau
        terms = reference.magnitudes.compute_inverse_dynamics(q, qd, np.abs(qdd))
        assert (np.abs(residual) <= 1e-11 * terms).all()


@pytest.mark.parametrize(("algorithm", "robot"), COVERED)
def test_customising_takes_operations_away(algorithm: Algorithm, robot: RobotDescription) -> None:
    counted = count_conventional(algorithm, robot)
    assert (counted.general is None) is not algorithm.general
    if counted.general is not None:
        assert counted.customised.mul < counted.general.mul
        assert counted.customised.add < counted.general.add


def test_every_algorithm_has_a_name_of_its_own() -> None:
    for attribute in ("name", "title"):
        assert len({getattr(algorithm, attribute) for algorithm in ALGORITHMS}) == len(ALGORITHMS)


@pytest.mark.parametrize(
    ("robot", "what"),
    [
        (load_robot("two_arm"), "is a tree"),
        (replace(load_robot("pendulum"), external_wrenches=("tool",)), "has external forces"),
        (random_description(1, joints=2, massless_links=1), "first moments but no mass"),
    ],
    ids=["tree", "wrench", "massless"],
)
def test_a_robot_that_is_not_covered_is_refused_by_name(robot: RobotDescription, what: str) -> None:
    with pytest.raises(UsageError, match=f"{robot.name}.*{what}"):
        count_conventional(ALGORITHMS[0], robot)


@pytest.mark.parametrize(
    "algorithm", [each for each in ALGORITHMS if not each.sliding], ids=lambda each: each.name
)
def test_a_text_that_knows_no_prismatic_joints_is_not_applied_to_them(algorithm: Algorithm) -> None:
    with pytest.raises(UsageError, match="stanford has a prismatic joint"):
        count_conventional(algorithm, load_robot("stanford"))


@pytest.mark.parametrize(
    "algorithm", [each for each in ALGORITHMS if each.largest], ids=lambda each: each.name
)
def test_an_algorithm_is_not_applied_to_more_joints_than_it_is_for(algorithm: Algorithm) -> None:
    with pytest.raises(UsageError, match="puma560 has 6 joints; this algorithm covers at most 3"):
        count_conventional(algorithm, load_robot("puma560"))
