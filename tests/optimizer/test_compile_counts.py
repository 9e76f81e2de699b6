"""Operations of the robots of the literature: reached figures are kept.

In brackets is the best figure known before, or the figure of a prototype. The tables of all figures
are compared in `tests/golden/test_counts.py`.
"""

import pytest

from dynagen.pipeline.driver import Settings, generate
from tests.support.bundled import bundled, with_masses_at_run_time
from tests.support.counts_table import SEARCHED as SEARCHES
from tests.support.counts_table import total_of

MARKS = [
    ("inverse_dynamics", "puma560_listing", 255),  # (262)
    ("inverse_dynamics", "puma560_listing_3dof", 72),  # (70)
    ("inverse_dynamics", "stanford_listing", 208),  # (221)
    ("inverse_dynamics", "stanford_listing_3dof", 50),  # (48)
    ("inverse_dynamics", "scara", 28),
    ("inverse_dynamics", "puma560", 280),  # (286)
    ("inverse_dynamics", "panda", 552),  # (596)
    ("mass_matrix", "puma560", 118),  # (203)
    ("mass_matrix", "panda", 312),  # (357)
    ("mass_matrix", "stanford_listing", 79),  # (104)
    ("forward_dynamics", "puma560", 426),  # (478)
    ("forward_dynamics", "panda", 1057),  # (1130)
    ("forward_dynamics", "stanford_listing", 349),  # (404)
    ("inverse_dynamics_derivatives+mass_matrix", "puma560", 1037),  # (1225)
    ("regressor", "puma560", 712),  # (783)
    ("regressor", "panda", 1514),  # (1357)
    ("base_regressor", "puma560", 665),  # (691)
    ("base_regressor", "panda", 1158),  # (1192)
    ("mass_matrix+gravity_forces", "puma260", 91),  # (135)
    ("coriolis_forces", "puma260", 156),  # (174)
]

WITH_PAYLOAD = [  # (A. Izaguirre et al. 1992, see dynagen.dynamics.requests, for the PUMA 260)
    ("inverse_dynamics", "puma560", 362),
    ("mass_matrix", "puma560", 226),
    ("forward_dynamics", "puma560", 643),
    ("inverse_dynamics_derivatives", "puma560", 1477),
    ("inverse_dynamics", "panda", 555),
    ("mass_matrix", "panda", 315),
    ("forward_dynamics", "panda", 1060),
    ("inverse_dynamics_derivatives", "panda", 2453),
    ("mass_matrix+gravity_forces", "puma260", 203),  # (340)
    ("coriolis_forces", "puma260", 260),  # (370)
]

FLOATING = [  # (CasADi's functions of Pinocchio for the G1)
    ("inverse_dynamics", "g1", 3221),  # (6213)
    ("mass_matrix", "g1", 3259),  # (5721)
    ("inverse_dynamics", "solo12", 1099),
    ("mass_matrix", "solo12", 466),
    ("forward_dynamics", "solo12", 2212),
]

SEARCHED = [
    ("inverse_dynamics", "stanford_listing", 202),  # (221)
    ("inverse_dynamics", "ur5", 227),
    ("mass_matrix", "panda", 295),  # (357)
    ("coriolis_matrix", "ur5", 249),
]


@pytest.mark.parametrize(("function", "robot", "most"), MARKS)
def test_what_was_reached_is_kept(function, robot, most):
    assert total_of(robot, function) <= most


@pytest.mark.parametrize(("function", "robot", "most"), WITH_PAYLOAD)
def test_a_payload_at_run_time_costs_no_more_than_was_reached(function, robot, most):
    assert total_of(robot, function, "payload") <= most


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "robot"),
    [
        ("inverse_dynamics", "puma560"),
        ("mass_matrix+gravity_forces", "puma260"),
        ("forward_dynamics", "scara"),
    ],
)
def test_a_search_never_ends_with_more_than_the_default_even_with_a_payload(function, robot):
    totals = [
        generate(
            bundled(robot, "payload: true"),
            Settings(functions=(function,), verify=False, optimize=optimize, budget=10),
        )
        .functions[0]
        .operations.total
        for optimize in ("default", "max")
    ]
    assert totals[1] <= totals[0]


@pytest.mark.slow
@pytest.mark.parametrize(("optimize", "budget", "most"), [("default", 1, 260), ("max", 100, 240)])
def test_masses_at_run_time_cost_a_call_nothing(optimize, budget, most):
    """The UR5 takes 260 and, after a short search, 240 operations with its masses known."""
    asked = Settings(functions=("inverse_dynamics",), states=200, optimize=optimize, budget=budget)
    generation = generate(with_masses_at_run_time("ur5"), asked)
    assert generation.functions[0].operations.total <= most
    assert generation.proofs["inverse_dynamics"].passed


@pytest.mark.parametrize(("function", "robot", "most"), FLOATING)
def test_a_floating_base_costs_no_more_than_was_reached(function, robot, most):
    assert total_of(robot, function, "floating") <= most


@pytest.mark.parametrize(("function", "robot", "most"), SEARCHED)
def test_what_a_short_search_has_reached_is_kept(function, robot, most):
    assert total_of(robot, function, "max") <= most


@pytest.mark.parametrize(
    ("robot", "function"), [(robot, request) for robot in SEARCHES for request in SEARCHES[robot]]
)
def test_a_search_never_costs_more_than_no_search(robot, function):
    assert total_of(robot, function, "max") <= total_of(robot, function)
