"""Operations of the robots of the literature: what this generator has reached, it keeps.

In brackets the best figure known before, or a prototype's. What is generated is compared with the tables that are read here
by `tests/golden/test_counts.py`.
"""

import pytest
from counts_table import SEARCHED as SEARCHES
from counts_table import total_of

MARKS = [
    ("inverse_dynamics", "puma560_listing", 255),  # (262)
    ("inverse_dynamics", "puma560_listing_3dof", 82),  # (70)
    ("inverse_dynamics", "stanford_listing", 211),  # (221)
    ("inverse_dynamics", "stanford_listing_3dof", 57),  # (48)
    ("inverse_dynamics", "puma560", 280),  # (286)
    ("inverse_dynamics", "panda", 562),  # (596)
    ("mass_matrix", "puma560", 133),  # (203)
    ("mass_matrix", "panda", 312),  # (357)
    ("mass_matrix", "stanford_listing", 81),  # (104)
    ("forward_dynamics", "puma560", 452),  # (478)
    ("forward_dynamics", "panda", 1067),  # (1130)
    ("forward_dynamics", "stanford_listing", 378),  # (404)
    ("inverse_dynamics_derivatives+mass_matrix", "puma560", 1056),  # (1225)
    ("regressor", "puma560", 734),  # (783)
    ("regressor", "panda", 1546),  # (1357)
    ("base_regressor", "puma560", 685),  # (691)
    ("base_regressor", "panda", 1181),  # (1192)
    ("mass_matrix+gravity_forces", "puma260", 97),  # (135)
    ("coriolis_forces", "puma260", 161),  # (174)
]

SEARCHED = [
    ("inverse_dynamics", "stanford_listing", 205),  # (221)
    ("inverse_dynamics", "ur5", 236),
    ("mass_matrix", "panda", 298),  # (357)
    ("coriolis_matrix", "ur5", 286),
]


@pytest.mark.parametrize(("function", "robot", "most"), MARKS)
def test_what_was_reached_is_kept(function, robot, most):
    assert total_of(robot, function) <= most


@pytest.mark.parametrize(("function", "robot", "most"), SEARCHED)
def test_what_a_short_search_has_reached_is_kept(function, robot, most):
    assert total_of(robot, function, "max") <= most


@pytest.mark.parametrize(("robot", "function"), [(robot, request) for robot in SEARCHES for request in SEARCHES[robot]])
def test_a_search_never_costs_more_than_no_search(robot, function):
    assert total_of(robot, function, "max") <= total_of(robot, function)
