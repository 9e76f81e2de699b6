"""Descriptions of estimates: read again they are what was estimated, and what is zero costs
nothing.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynagen
from dynagen.apps.identification.estimators import Estimate
from dynagen.apps.identification.identified_description import replace_numbers
from dynagen.apps.identification.link_parameters import make_link_parameters
from dynagen.apps.identification.physical_links import compute_eigenvalues
from dynagen.apps.identification.regression import RegressionModel
from dynagen.errors import UsageError
from dynagen.robot.description import RobotDescription
from dynagen.robot.loading import parse_robot, write_robot
from dynagen.runtime.api import as_description
from tests.support.simulated_estimates import estimate_of
from tests.support.simulated_logs import SMALL_ARM, model_of, random_motion, simulated_samples

URDF = """
<robot name="sideways">
  <link name="base"/>
  <link name="arm"><inertial><origin xyz="0.1 0.2 0" rpy="0.3 0 0"/><mass value="3"/>
    <inertia ixx="0.05" ixy="0.01" ixz="0" iyy="0.06" iyz="0" izz="0.04"/></inertial></link>
  <link name="hand"><inertial><origin xyz="0 0.1 0.1"/><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.012" iyz="0.001" izz="0.008"/></inertial></link>
  <link name="cover"><inertial><mass value="0.2"/>
    <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="3" effort="50"/></joint>
  <joint name="wrist" type="revolute"><origin xyz="0 0.4 0" rpy="0 1.5707963267948966 0"/>
  <parent link="arm"/>
    <child link="hand"/><axis xyz="1 0 0"/><limit lower="-2" upper="2" velocity="3" effort="50"/>
    </joint>
  <joint name="screws" type="fixed"><origin xyz="0 0 0.1"/><parent link="hand"/>
  <child link="cover"/></joint>
</robot>
"""


def read_again(description: RobotDescription) -> tuple[str, RobotDescription]:
    text = write_robot(description, Path("identified.yaml")).text
    return text, parse_robot(text, "identified.yaml")


def predicted_by(robot: RobotDescription, motion: tuple[np.ndarray, ...]) -> np.ndarray:
    functions = dynagen.load(robot)
    return functions.inverse_dynamics(*motion) + functions.friction_forces(motion[1])


def values_of(estimate: Estimate, robot: RobotDescription) -> np.ndarray:
    values = dict(zip((each.name for each in estimate.parameters), estimate.values, strict=True))
    return np.array([values.get(each.name, 0.0) for each in make_link_parameters(robot).base])


def essential(model: RegressionModel, names: set[str]) -> RegressionModel:
    return model.restrict(
        [place for place, each in enumerate(model.parameters) if each.name not in names]
    )


@pytest.mark.slow
@pytest.mark.parametrize("base_only", [pytest.param(False, marks=pytest.mark.tools), True])
@pytest.mark.parametrize("text", [SMALL_ARM, URDF])
def test_what_is_written_has_the_estimated_base_parameters_and_predicts_the_same_forces(
    text: str, base_only: bool
) -> None:
    model, robot = model_of(text), as_description(text)
    samples = simulated_samples(model, noise=0.02)
    estimate = estimate_of(model, samples)
    described = replace_numbers(robot, estimate, model.shape, "log.csv", base_only)
    written, again = read_again(described)
    assert_allclose(
        make_link_parameters(again).described_base,
        values_of(estimate, robot),
        rtol=1e-11,
        atol=1e-12,
    )
    motion = random_motion(9, len(model.joints)).at(np.linspace(0, 10, 50))
    assert_allclose(
        predicted_by(again, motion),
        model.compute_regressor(*motion) @ estimate.values,
        rtol=1e-9,
        atol=1e-9,
    )
    links = make_link_parameters(again)
    standard = np.array([float(each) for each in links.described])
    assert base_only or all(each[0] > 0 for each in compute_eigenvalues(links, standard).values())
    assert again.source == "log.csv"
    moving = [line for line in written.splitlines() if line.strip().startswith("friction:")]
    assert all("viscous +- " in line and "coulomb +- " in line for line in moving)
    assert written.count("+- ") > 2 * len(moving)


@pytest.mark.tools
def test_numbers_say_how_certain_they_are() -> None:
    model, robot = model_of(), as_description(SMALL_ARM)
    estimate = estimate_of(model, simulated_samples(model, noise=0.02))
    deviation = dict(
        zip((each.name for each in estimate.parameters), estimate.deviations, strict=True)
    )
    written, _ = read_again(replace_numbers(robot, estimate, model.shape, "log.csv"))
    slide = written[written.index("name: slide") :]
    assert f"# +- {deviation['slide.m']:.2g}\n" in slide  # a prismatic joint tells the mass
    assert (
        f"motor: {{inertia: {values_of(estimate, robot)[-1]:.12g}}}  # +- "
        f"{deviation['slide.Ia']:.2g}" in slide
    )
    column = written[written.index("name: column") : written.index("name: upper_arm")]
    assert "  # no effect\n" in column
    assert "with others only" in column


@pytest.mark.tools
def test_essential_parameters_alone_cost_less() -> None:
    robot = as_description(SMALL_ARM)
    dropped = {"upper_arm.JxyR", "upper_arm.JxzR", "upper_arm.JyzR", "slide.my", "column.coulomb"}
    model = essential(model_of(), dropped)
    estimate = estimate_of(model, simulated_samples(model, noise=0.02))
    counts = {}
    for base_only in (False, True):
        written, again = read_again(
            replace_numbers(robot, estimate, model.shape, "log.csv", base_only)
        )
        assert_allclose(
            make_link_parameters(again).described_base,
            values_of(estimate, robot),
            rtol=1e-11,
            atol=1e-15,
        )
        assert (
            "coulomb"
            not in written[written.index("name: column") : written.index("name: upper_arm")]
        )
        counts[base_only] = operations(again)
    assert (
        counts[False] == counts[True]
    )  # zeros of base parameters are zeros for the generator, whatever the links
    assert counts[True] < operations(robot) - 10


def operations(robot: RobotDescription) -> int:
    (function,) = dynagen.generate(robot, verify=False).functions
    return function.operations.total


@pytest.mark.tools
def test_every_law_of_friction_is_written_as_descriptions_have_it() -> None:
    laws = ("viscous", "asymmetric", "stribeck", "load")
    model, robot = model_of(SMALL_ARM, laws), as_description(SMALL_ARM)
    values = model.described_values.copy()
    numbers = {"viscous": 1.5, "coulomb": 2.0, "coulomb_negative": 2.5, "static": 3.0, "loss": 0.1}
    for place, each in enumerate(model.parameters):
        values[place] = numbers.get(each.name.rpartition(".")[2], values[place])
    estimate = Estimate("known", model.parameters, values, np.eye(len(values)) * 1e-6, np.ones(3))
    _, again = read_again(replace_numbers(robot, estimate, model.shape, "log.csv"))
    for link in again.links:
        friction = link.friction
        assert friction is not None
        assert friction.stribeck is not None
        assert friction.transmission is not None
        found = [
            friction.viscous,
            friction.coulomb,
            friction.coulomb_negative,
            friction.stribeck.static,
        ]
        assert [float(each) for each in found if each is not None] == [1.5, 2.0, 2.5, 3.0]
        assert float(friction.transmission.efficiency[0][1]) == 0.9
    spoiled = replace(estimate, values=np.where(values == 0.1, -0.1, values))
    with pytest.raises(UsageError, match="leave load out of --friction"):
        replace_numbers(robot, spoiled, model.shape, "log.csv")


@pytest.mark.tools
def test_what_is_no_body_is_refused_unless_base_parameters_alone_are_asked_for() -> None:
    model, robot = model_of(), as_description(SMALL_ARM)
    values = model.described_values.copy()
    values[[each.name for each in model.parameters].index("slide.mx")] = 30.0
    estimate = Estimate("known", model.parameters, values, np.eye(len(values)), np.ones(3))
    with pytest.raises(
        UsageError, match="no physically consistent links have these base parameters"
    ):
        replace_numbers(robot, estimate, model.shape, "log.csv")
    _, again = read_again(replace_numbers(robot, estimate, model.shape, "log.csv", base_only=True))
    assert_allclose(
        make_link_parameters(again).described_base, values_of(estimate, robot), rtol=1e-11
    )


def test_a_smoothed_sign_is_written_and_read_again() -> None:
    model, robot = model_of(SMALL_ARM), as_description(SMALL_ARM)
    estimate = estimate_of(model, simulated_samples(model, noise=0.02))
    smooth = replace_numbers(robot, estimate, model.shape, "log.csv", base_only=True, smooth=0.05)
    text, again = read_again(smooth)
    assert text.count("sign: tanh, width: 0.05") == 3
    for link, described in zip(again.links, smooth.links, strict=True):
        assert link.friction == described.friction
