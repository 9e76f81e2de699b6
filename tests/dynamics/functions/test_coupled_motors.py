"""Dynamics at motors that move several joints together: references, identities and refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynagen.dynamics.functions.coupled_motors import (
    MOTOR_FORWARD_DYNAMICS,
    MOTOR_INVERSE_DYNAMICS,
)
from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS
from dynagen.dynamics.requests import find_functions
from dynagen.errors import DynagenError, UsageError
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.pipeline.driver import Settings
from dynagen.robot.description import CentralInertia, Coupling
from dynagen.robot.edits import add_floating_base, lock
from dynagen.robot.formats.yaml.writing import write_yaml
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.matrices import invert
from dynagen.robot.model.model import build_model
from dynagen.verification.sampling import sample_states
from tests.support.bundled import extended
from tests.support.function_proofs import heavier, kernel, optimised, proofs
from tests.support.generated_once import compiled, generated, proved

FUNCTIONS = (MOTOR_INVERSE_DYNAMICS, MOTOR_FORWARD_DYNAMICS)
THREE = [["1", "0", "0"], ["-1/10", "1", "0"], ["1/20", "-1/5", "1"]]
TWO = [["1/2", "1/2"], ["1/2", "-1/2"]]  # a differential: the sum and the difference of two motors


def couple(name, links, matrix, inertias=("0.2", "0.18", "0.19")):
    """A bundled robot whose joints of some links have coupled motors instead of their own."""
    description = load_robot(name)
    coupling = Coupling(
        tuple(links),
        tuple(tuple(map(Exact, row)) for row in matrix),
        tuple(map(Exact, inertias[: len(links)])),
    )
    return replace(
        description,
        links=tuple(
            replace(link, motor_inertia=ZERO) if link.name in links else link
            for link in description.links
        ),
        couplings=(coupling,),
    )


def make_floating(description):
    """The robot on a floating base with mass."""
    floating = add_floating_base(description)
    base, *links = floating.links
    inertial = CentralInertia(Exact(20), (ZERO,) * 3, (ONE, ONE, ONE, ZERO, ZERO, ZERO))
    return replace(floating, links=(replace(base, inertial=inertial), *links))


WRIST = couple("puma560", ["wrist_1", "wrist_2", "wrist_3"], THREE)
ROBOTS = {
    "wrist": WRIST,
    "differential": couple("stanford_listing_3dof", ["waist", "shoulder"], TWO),
    "revolute and prismatic": couple("stanford_listing_3dof", ["shoulder", "boom"], TWO),
    "floating base": make_floating(couple("stanford_listing_3dof", ["waist", "shoulder"], TWO)),
}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
@pytest.mark.parametrize("robot", ROBOTS)
def test_they_agree_with_the_references(robot, function):
    description = ROBOTS[robot]
    proofs(description, function, optimised(function, description)).require()


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_a_link_or_a_motor_a_billionth_too_heavy_is_found(function):
    (coupling,) = WRIST.couplings
    inertias = (coupling.inertias[0] * Exact("1.000000001"), *coupling.inertias[1:])
    for other in (
        heavier(WRIST),
        replace(WRIST, couplings=(replace(coupling, inertias=inertias),)),
    ):
        assert not proofs(WRIST, function, optimised(function, other)).passed


def states(description, *names):
    sampled = sample_states(description, names, 100)
    return tuple(sampled[name][-40:] for name in names)


def test_forward_dynamics_is_the_inverse_of_inverse_dynamics():
    q, qd, qdd = states(WRIST, "q", "qd", "qdd")
    (torques,) = kernel(optimised(MOTOR_INVERSE_DYNAMICS, WRIST))(q, qd, qdd)
    (found, *_) = kernel(optimised(MOTOR_FORWARD_DYNAMICS, WRIST))(q, qd, torques)
    np.testing.assert_allclose(found, qdd, rtol=1e-9, atol=1e-9)


def test_the_power_of_the_motors_is_that_of_links_and_rotors():
    """By virtual work, without rotors: motor torques times motor velocities are joint powers."""
    (coupling,) = WRIST.couplings
    light = replace(WRIST, couplings=(replace(coupling, inertias=(ZERO,) * 3),))
    q, qd, qdd = states(WRIST, "q", "qd", "qdd")
    (torques,) = kernel(optimised(MOTOR_INVERSE_DYNAMICS, light))(q, qd, qdd)
    (forces,) = kernel(optimised(INVERSE_DYNAMICS, WRIST))(q, qd, qdd)
    matrix = np.array([[float(number) for number in row] for row in coupling.matrix])
    motors = qd.copy()
    motors[:, 3:] = np.linalg.solve(matrix, qd[:, 3:].T).T
    np.testing.assert_allclose((torques * motors).sum(axis=1), (forces * qd).sum(axis=1), rtol=1e-9)


def test_a_differential_accelerates_by_the_sum_of_its_motors():
    """Two equal motors move one joint together and the other against each other."""
    description = parse_robot(
        "name: pair\nconvention: modified\ngravity: [0, 0, 0]\nlinks:\n"
        "  - {name: pan, joint: prismatic, dh: {alpha: 0, a: 0, theta: 0}, mass: 0}\n"
        "  - {name: tilt, joint: revolute, dh: {alpha: 0, a: 0, d: 0}, mass: 3, com: [0, 0, 0],"
        " inertia: [1, 1, 2]}\n"
        "couplings:\n  - {joints: [pan, tilt], matrix: [[1/2, 1/2], [1/2, -1/2]],"
        " inertia: [1/4, 1/4]}",
        "pair.yaml",
    )
    still = np.zeros((1, 2))
    (qdd, *_) = kernel(optimised(MOTOR_FORWARD_DYNAMICS, description))(
        still, still, np.array([[2.0, 1.0]])
    )
    # Rotors: T^-1 = [[1, 1], [1, -1]], so that A = 1/2 on both joints; T^-T tau = (3, 1).
    np.testing.assert_allclose(qdd, [[3 / (3 + 0.5), 1 / (2 + 0.5)]], rtol=1e-14)


@pytest.mark.parametrize("language", ["c", "python", "javascript"])
def test_compiled_code_is_proved(language):
    names = tuple(function.name for function in FUNCTIONS)
    made = generated(ROBOTS["differential"], Settings(language, names, states=200))
    proved(made, compiled(made, language), 200)


def test_inertias_of_motors_may_be_run_time_parameters():
    text = write_yaml(ROBOTS["differential"]).text.replace("inertia: [0.2, ", "inertia: [rotor, ")
    description = extended(text, "parameters: {rotor: {value: 0.2, runtime: true}}")
    names = tuple(function.name for function in FUNCTIONS)
    made = generated(description, Settings("c", names, states=50))
    proved(made, compiled(made, "c"), 50)


def test_descriptions_keep_couplings():
    assert parse_robot(write_yaml(WRIST).text, "again.yaml").couplings == WRIST.couplings


def test_matrices_are_inverted_exactly():
    matrix = tuple(
        tuple(map(Exact, row)) for row in (("0", "2", "1"), ("1", "0", "3"), *[("1", "1", "1")])
    )
    inverse = invert(matrix)
    assert inverse is not None
    product = [
        [
            sum((a * b for a, b in zip(row, column, strict=True)), ZERO)
            for column in zip(*inverse, strict=True)
        ]
        for row in matrix
    ]
    assert product == [[ONE, ZERO, ZERO], [ZERO, ONE, ZERO], [ZERO, ZERO, ONE]]
    assert invert(((ONE, ONE), (ONE, ONE))) is None


@pytest.mark.parametrize(
    ("coupling", "message"),
    [
        ("joints: [pan, tilk], matrix: [[1, 0], [0, 1]], inertia: [1, 1]", "unknown link `tilk`"),
        ("joints: [pan, pan], matrix: [[1, 0], [0, 1]], inertia: [1, 1]", "pan is coupled twice"),
        ("joints: [pan, tilt], matrix: [[1, 0], [0, 1]], inertia: [1]", "2 inertias, found 1"),
        ("joints: [pan, tilt], matrix: [[1, 0]], inertia: [1, 1]", "expected 2 rows of 2 numbers"),
        ("joints: [pan, tilt], matrix: [[1, 1], [1, 1]], inertia: [1, 1]", "has no inverse"),
        ("joints: [pan, roll], matrix: [[1, 0], [0, 1]], inertia: [1, 1]", "a motor of its own"),
    ],
)
def test_wrong_couplings_are_reported(coupling, message):
    with pytest.raises(DynagenError, match=message):
        parse_robot(
            "name: pair\nconvention: modified\ngravity: [0, 0, 0]\nlinks:\n"
            + "".join(
                f"  - {{name: {name}, joint: revolute, dh: {{alpha: 0, a: 1, d: 0}}, mass: 1,"
                f" com: [0, 0, 0], inertia: [1, 1, 1]{motor}}}\n"
                for name, motor in (("pan", ""), ("tilt", ""), ("roll", ", motor: {inertia: 1}"))
            )
            + f"couplings:\n  - {{{coupling}}}",
            "pair.yaml",
        )


def test_robots_without_couplings_and_edits_of_coupled_joints_are_refused():
    with pytest.raises(
        UsageError, match="no motors are coupled: add `couplings` to the description"
    ):
        find_functions(["motor_inverse_dynamics"], build_model(load_robot("puma560")))
    branches = couple("two_arm", ["left_upper_arm", "right_upper_arm"], TWO)
    with pytest.raises(UsageError, match="is on another branch"):
        find_functions(["motor_forward_dynamics"], build_model(branches))
    with pytest.raises(UsageError, match="coupled motors, which lock does not support"):
        lock(WRIST, [("wrist_2", "0")])


PAIR = (
    "name: pair\nconvention: modified\ngravity: [0, 0, 0]\nlinks:\n"
    "  - {{name: pan, joint: prismatic, dh: {{alpha: 0, a: 0, theta: 0}}, mass: {pan}}}\n"
    "  - {{name: tilt, joint: revolute, dh: {{alpha: 0, a: 0, d: 0}}, mass: 0}}\n"
    "couplings:\n  - {{joints: [pan, tilt], matrix: [[1/2, 1/2], [1/2, -1/2]],"
    " inertia: {inertia}}}"
)


@pytest.mark.parametrize(
    ("pan", "inertia", "bare"),
    [
        ("0", "[1, 1]", ""),
        ("0", "[1, 0]", "pan"),  # one motor moves two joints without inertia
        ("0", "[0, 0]", "pan"),
        ("2", "[0, 0]", "tilt"),
        ("2", "[0, 1]", ""),
    ],
)
def test_joints_that_neither_links_nor_motors_give_inertia_are_refused(
    pan: str, inertia: str, bare: str
) -> None:
    model = build_model(parse_robot(PAIR.format(pan=pan, inertia=inertia), "pair.yaml"))
    reason = MOTOR_FORWARD_DYNAMICS.availability.explain_absence(model)
    assert bool(bare) == bool(reason)
    assert bare in reason
