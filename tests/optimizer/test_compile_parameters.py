"""Run-time parameters in inertial data: formulations are chosen, and `prepare` regroups."""

import numpy as np
import pytest
from hypothesis import given, settings

from dynagen.numbers.exact import Exact
from dynagen.pipeline.driver import Settings, generate
from dynagen.resources import find_robots_folder
from dynagen.robot.edits import substitute
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support.random_robots import robots
from tests.support.robot_text import to_yaml

MOTION = ("q", "qd", "qdd")
FUNCTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
SHORT = 30  # programs that a search looks at: by default 600, which takes much longer


def with_forearm_mass():
    text = (find_robots_folder() / "puma560.yaml").read_text(encoding="utf-8")
    parameters = "parameters:\n  m_fore: {value: 4.80, unit: kg, runtime: true}\n"
    assert text.count("mass: 4.80 ") == 1
    return parse_robot(
        text.replace("links:\n", f"{parameters}links:\n").replace("mass: 4.80 ", "mass: m_fore "),
        "puma560.yaml",
    )


@pytest.mark.slow
def test_a_run_time_mass_costs_nothing_in_a_call():
    flexible = generate(with_forearm_mass(), Settings("python", FUNCTIONS, states=50))
    fixed = generate(load_robot("puma560"), Settings("python", FUNCTIONS, verify=False))
    for known, at_run_time in zip(fixed.functions, flexible.functions, strict=True):
        assert at_run_time.operations.total == known.operations.total
        assert at_run_time.considered[0][1].total <= known.considered[0][1].total
    states = sample_states(flexible.description, MOTION, 30)
    motion = [states[name] for name in MOTION]
    for mass in (0.0, 2.5, 40.0):
        reference = make_references(substitute(flexible.description, {"m_fore": Exact(mass)}))[0]
        params, status = flexible.compiled["prepare"]([mass])
        assert status == 0
        (tau,) = flexible.compiled["inverse_dynamics"](*motion, params)
        scale = reference.magnitudes.compute_inverse_dynamics(*motion).max(axis=0)
        assert (np.abs(tau - reference.compute_inverse_dynamics(*motion)) <= 1e-14 * scale).all()


@pytest.mark.slow
@settings(max_examples=4)
@given(robots(4))
def test_a_run_time_inertia_anywhere_is_proved(description):
    text = to_yaml(description).replace(
        "links:\n", "parameters:\n  x: {value: 1.5, runtime: true}\nlinks:\n", 1
    )
    first, last = text.index("mass: "), text.rindex("mass: ")
    text = (
        text[:first]
        + text[first:last].replace("mass: ", "mass: x*", 1)
        + text[last:].replace("mass: ", "mass: x**2 + 0*", 1)
    )
    robot = parse_robot(text, "random.yaml")
    assert robot.parameters
    for optimize in ("default", "max") if len(robot.links) < 3 else ("default",):
        functions = ("inverse_dynamics", "momentum_bias")
        generate(robot, Settings("python", functions, states=40, optimize=optimize, budget=SHORT))


@pytest.mark.slow
@pytest.mark.parametrize("optimize", ["default", "max"])
def test_run_time_geometry_leaves_the_robot_as_it_is_described(optimize):
    text = (find_robots_folder() / "planar3.yaml").read_text(encoding="utf-8")
    text = text.replace(
        "links:", "parameters: {d3: {value: 0.1, runtime: true}}\nlinks:", 1
    ).replace("d: 0}", "d: d3}", 1)
    asked = Settings("python", ("inverse_dynamics",), states=40, optimize=optimize, budget=SHORT)
    generation = generate(parse_robot(text, "planar3.yaml"), asked)
    assert not generation.functions[0].formulation
