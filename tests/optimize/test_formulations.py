"""The search over formulations: what it finds is right, costs less, and is the same every time."""

import numpy as np
import pytest
from random_robots import random_description

from dynagen.dynamics.formulation import default_formulation
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.dynamics.recorder import CountingRecorder
from dynagen.ir.count import count
from dynagen.ir.evaluation import evaluate
from dynagen.optimize.formulations import find_formulation
from dynagen.passes.manager import run_passes
from dynagen.passes.simplifier import SimplifyingBuilder
from dynagen.robot.loading import load_robot
from dynagen.robot.model import build_model
from dynagen.robot.sliding import slide_origins
from dynagen.verification.reference import references
from dynagen.verification.sampling import sample_states

BY_NAME = {function.name: function for function in FUNCTIONS}
INVERSE_DYNAMICS = BY_NAME["inverse_dynamics"]


def search(model, function=INVERSE_DYNAMICS, budget=200):
    builder = SimplifyingBuilder()
    recorder = CountingRecorder(builder)

    def cost(candidate, formulation):
        results = function.record_into(recorder, candidate, formulation)
        return builder.cost(value for quantities in results for quantity in quantities for value in quantity.values)

    return find_formulation(model, cost, budget)


def emitted(function, model, formulation=None):
    return run_passes(function.build(model, formulation))[0]


@pytest.mark.parametrize("seed", range(8))
def test_what_is_found_is_right_and_costs_no_more(seed):
    description = random_description(
        seed, joints=2 + seed % 4, right_angles=0.8, fixed_links=0.2, branches=seed % 2 == 0, origins=seed % 3 == 0
    )
    model = build_model(description)
    optimum = search(model, budget=60)
    program = emitted(INVERSE_DYNAMICS, optimum.model, optimum.formulation)
    assert count(program).total <= count(emitted(INVERSE_DYNAMICS, model)).total + 2
    states = sample_states(description, count=30)
    computed = np.array(evaluate(program, {name: states[name].T for name in ("q", "qd", "qdd")})["tau"]).T
    expected = references(description)[0].inverse_dynamics(states["q"], states["qd"], states["qdd"])
    np.testing.assert_allclose(computed, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("robot", "most"), [("puma560", 300), ("puma560_listing", 275), ("stanford_listing", 221), ("ur5", 275)]
)
def test_arms_of_the_literature_cost_less_than_ever_published(robot, most):
    model = build_model(load_robot(robot))
    optimum = search(model, budget=600)
    assert count(emitted(INVERSE_DYNAMICS, optimum.model, optimum.formulation)).total <= most


def test_a_search_finds_the_same_every_time():
    model = build_model(load_robot("planar3"))
    assert search(model).formulation == search(model).formulation
    assert search(model).model == search(model).model


@pytest.mark.parametrize("name", ["inverse_dynamics", "mass_matrix", "gravity_forces"])
def test_a_simplifying_builder_counts_what_the_passes_leave(name):
    model = build_model(load_robot("stanford"))
    function = BY_NAME[name]
    builder = SimplifyingBuilder()
    results = function.record_into(CountingRecorder(builder), model, default_formulation(model))
    cost = builder.cost(value for quantities in results for quantity in quantities for value in quantity.values)
    left = count(emitted(function, model)).total
    assert left <= cost <= 1.12 * left  # factoring, which looks at whole sums, comes after all rules


def test_sliding_puts_the_displacements_of_parallel_joints_into_one():
    model = build_model(load_robot("puma560"))
    slid = slide_origins(model)
    assert [float(body.placement.d) for body in slid.bodies[1:3]] == [0, pytest.approx(0.2435 - 0.0934)]
    assert slide_origins(slid) == slid
