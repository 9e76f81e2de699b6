"""The search over candidates: its results are correct, cheaper and reproducible."""

import numpy as np
import pytest

from dynagen.dynamics.candidate import make_described_candidate
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.errors import UsageError
from dynagen.ir.cost import FLOPS, compute_cost, count, find_cost
from dynagen.ir.evaluation import evaluate
from dynagen.optimizer.compile import compile_function
from dynagen.optimizer.effort import OPTIMIZE, Effort
from dynagen.optimizer.estimation import CandidateEstimator
from dynagen.optimizer.formulation import (
    DesignSpace,
    find_candidate,
    find_group_interiors,
    find_parallel_groups,
    find_second_bodies,
    find_tips,
)
from dynagen.optimizer.passes.manager import run_passes
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from dynagen.robot.model.moving_frames import align_origins
from dynagen.stages import Stages
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support.random_robots import random_description

BY_NAME = {function.name: function for function in FUNCTIONS}
INVERSE_DYNAMICS = BY_NAME["inverse_dynamics"]


def search(model, function=INVERSE_DYNAMICS, budget=200):
    return find_candidate(
        DesignSpace(model), CandidateEstimator(function, "", model, FLOPS).estimate, budget
    )


def emitted(function, candidate):
    return run_passes(function.build_for(candidate))[0]


@pytest.mark.parametrize("seed", range(8))
def test_what_is_found_is_right_and_costs_no_more(seed):
    description = random_description(
        seed,
        joints=2 + seed % 4,
        right_angles=0.8,
        fixed_links=0.2,
        branches=seed % 2 == 0,
        origins=seed % 3 == 0,
    )
    model = build_model(description)
    optimum = search(model, budget=60)
    program = emitted(INVERSE_DYNAMICS, optimum)
    assert (
        count(program).total
        <= count(emitted(INVERSE_DYNAMICS, make_described_candidate(model))).total + 2
    )
    states = sample_states(description, count=30)
    computed = np.array(
        evaluate(program, {name: states[name].T for name in ("q", "qd", "qdd")})["tau"]
    ).T
    expected = make_references(description)[0].compute_inverse_dynamics(
        states["q"], states["qd"], states["qdd"]
    )
    np.testing.assert_allclose(computed, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("robot", "most"),
    [("puma560", 282), ("puma560_listing", 257), ("stanford_listing", 221), ("ur5", 275)],
)
def test_arms_of_the_literature_cost_less_than_ever_published(robot, most):
    model = build_model(load_robot(robot))
    optimum = search(model, budget=600)
    assert count(emitted(INVERSE_DYNAMICS, optimum)).total <= most


def test_a_search_finds_the_same_every_time():
    model = build_model(load_robot("planar3"))
    assert search(model) == search(model)


@pytest.mark.parametrize("name", ["inverse_dynamics", "mass_matrix", "gravity_forces"])
def test_a_simplifying_builder_counts_what_the_passes_leave(name):
    model = build_model(load_robot("stanford"))
    function = BY_NAME[name]
    _, cost = CandidateEstimator(function, function.method, model, FLOPS).estimate(
        make_described_candidate(model)
    )
    left = count(emitted(function, make_described_candidate(model))).total
    assert left <= cost <= 1.2 * left  # what looks at whole sums comes after all rules


def test_sliding_puts_the_displacements_of_parallel_joints_into_one():
    model = build_model(load_robot("puma560"))
    slid = align_origins(model)
    assert [float(body.placement.d) for body in slid.bodies[1:3]] == [
        0,
        pytest.approx(0.2435 - 0.0934),
    ]
    assert align_origins(slid) == slid


def test_bodies_that_candidates_treat_alike_are_told_by_their_place_in_the_tree():
    puma560, two_arm = (build_model(load_robot(robot)) for robot in ("puma560", "two_arm"))
    assert find_parallel_groups(puma560) == {0, 1, 2}  # the first with the base
    assert find_group_interiors(puma560) == {1}
    assert find_tips(puma560) == {5}
    assert find_tips(two_arm) == {3, 6}
    assert find_second_bodies(two_arm) == {1, 4}


# Costs, budgets, efforts


def totals(robot, function, **settings):
    (made,) = generate(
        load_robot(robot), Settings(functions=(function,), verify=False, **settings)
    ).functions
    return made.operations


@pytest.mark.slow
def test_a_budget_bounds_the_programs_that_a_search_looks_at_and_gives_the_same_every_time():
    model = build_model(load_robot("stanford_listing_3dof"))
    shares = []
    for budget in (1, 30):
        told = []
        stage = Stages(lambda of, done, into=told: into.append(done))
        effort = Effort("max", budget=budget)
        made = compile_function(BY_NAME["mass_matrix"], DesignSpace(model), effort, stage=stage)
        done = [each for each in told if each is not None]
        assert sum(each < 0.25 for each in done) <= max(
            budget, 2
        )  # one for either place of the origins at least
        assert done == sorted(done)
        shares.append(made.operations.total)
    assert shares[-1] <= shares[0]
    again = compile_function(BY_NAME["mass_matrix"], DesignSpace(model), effort)
    assert (made.choice, made.program) == (again.choice, again.program)


def test_a_choice_says_in_what_it_departs_from_the_description():
    space = DesignSpace(build_model(load_robot("puma560")))
    assert make_described_candidate(space.described.model).sentences == ()
    regrouped, *others = space.origins_and_tips_moved.resolve(frozenset({0, 1})).sentences
    assert regrouped.startswith("Inertial parameters are regrouped")
    assert others == [
        "Origins are moved along joint axes.",
        "Bodies 1 and 2 are resolved in axes that do not rotate with the joint.",
    ]
    assert make_described_candidate(space.described.model) in space.usual
    of_panda = DesignSpace(build_model(load_robot("panda"))).tips_moved.resolve().sentences
    assert [sentence.partition(" ")[0] for sentence in of_panda] == ["Inertial", "Frames"]
    assert not any(
        "regrouped" in each
        for each in space.without_regrouping.origins_and_tips_moved.resolve().sentences
    )


@pytest.mark.slow
@pytest.mark.parametrize("function", ["mass_matrix", "inverse_dynamics", "gravity_forces"])
def test_more_effort_never_costs_more(function):
    counts = [
        totals("stanford_listing_3dof", function, optimize=optimize, budget=30).total
        for optimize in OPTIMIZE
    ]
    assert counts == sorted(counts, reverse=True)


@pytest.mark.parametrize(("cost", "most"), [("mul", 161), ("softfloat", 161), ("flops", 166)])
def test_a_cost_decides_what_is_emitted(cost, most):
    assert totals("panda", "mass_matrix", cost=cost).mul <= most
    assert totals("panda", "mass_matrix", cost=cost).total <= 322


def test_a_fused_multiply_add_changes_the_order_of_sums_and_nothing_else():
    description = load_robot("puma560")
    asked = Settings(functions=("inverse_dynamics",), states=50, cost="fma")
    generation = generate(description, asked)
    (fused,) = generation.functions
    (plain,) = generate(
        description, Settings(functions=("inverse_dynamics",), verify=False)
    ).functions
    assert fused.operations == plain.operations
    assert generation.proofs["inverse_dynamics"].passed
    assert (
        compute_cost(fused.program, find_cost("fma"))[0]
        <= 174
        < 184
        <= compute_cost(plain.program, find_cost("fma"))[0]
    )


@pytest.mark.parametrize(
    ("effort", "message"),
    [
        ({"optimize": "most"}, "unknown effort 'most'"),
        ({"budget": 0}, "1 program"),
        ({"time_limit": 5.0}, "add --optimize max"),
        ({"optimize": "max", "time_limit": -1.0}, "0 or more"),
    ],
)
def test_an_effort_that_makes_no_sense_is_refused(effort, message):
    with pytest.raises(UsageError, match=message):
        generate(load_robot("planar3"), Settings(verify=False, **effort))
