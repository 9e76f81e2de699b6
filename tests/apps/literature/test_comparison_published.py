"""What is said of others: every figure has a source, a robot and a function that exist, and stands
once.
"""

from __future__ import annotations

from collections import Counter

import pytest
from pydantic import ValidationError

from dynagen.apps.literature.comparison import (
    Figure,
    GeneralFormula,
    PublishedCounts,
    compare,
    published_counts,
)
from dynagen.apps.literature.unbiased_acceleration import UNBIASED_ACCELERATION
from dynagen.dynamics.requests import find_functions
from dynagen.pipeline.settings import Settings
from dynagen.resources import list_bundled_robots
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from tests.support.counts_table import total_of
from tests.support.function_proofs import optimised, proofs

COUNTS = published_counts()
FIGURES = COUNTS.papers + COUNTS.programs

# For six joints, as Dhanaraj's Table 1.1, Angeles's Table 7.4 and Saha's Table I print them.
PRINTED_FOR_SIX = {
    ("inverse_dynamics", "hollerbach_1980", "4x4 matrices"): (4388, 3586),
    ("inverse_dynamics", "hollerbach_1980", "3x3 matrices"): (2195, 1719),
    ("inverse_dynamics", "luh_walker_paul_1980", ""): (852, 738),
    ("inverse_dynamics", "walker_orin_1982", ""): (800, 595),
    ("inverse_dynamics", "angeles_2003", ""): (800, 646),
    ("inverse_dynamics", "khalil_1986", ""): (538, 478),
    ("inverse_dynamics", "angeles_1989", ""): (521, 435),
    ("inverse_dynamics", "balafoutis_patel_1991", ""): (489, 421),  # the table prints 420
    ("inverse_dynamics", "li_sankar_1992", ""): (459, 390),
    ("inverse_dynamics", "uicker_kahn", ""): (67143, 51548),  # the table prints 66271
    ("inverse_dynamics", "hollerbach_sahar_1983", "spherical wrist"): (688, 558),
    ("inverse_dynamics", "kane_levinson_1983", "Stanford arm"): (646, 394),
    ("forward_dynamics_without_bias", "saha_2003", "divisions counted as multiplications"): (
        862,
        797,
    ),
    ("forward_dynamics", "featherstone_1983", ""): (996, 871),
    ("forward_dynamics", "stejskal_valasek_1996", ""): (1013, 891),
    ("forward_dynamics", "brandl_1986", ""): (1278, 1122),
    ("forward_dynamics_without_bias", "walker_orin_1982", ""): (633, 475),  # the table prints 480
}


def test_every_figure_is_of_a_bundled_robot_and_a_function_and_has_a_source() -> None:
    models = {name: build_model(load_robot(name)) for name in {figure.robot for figure in FIGURES}}
    assert models.keys() <= set(list_bundled_robots())
    for figure in FIGURES:
        assert find_functions([figure.function], models[figure.robot])[0].request == figure.function
    assert {figure.source for figure in (*FIGURES, *COUNTS.formulas)} == COUNTS.sources.keys()


def test_no_figure_stands_twice() -> None:
    stated = Counter(
        (figure.robot, figure.function, figure.source, figure.note) for figure in FIGURES
    )
    assert max(stated.values()) == 1


@pytest.mark.parametrize("key", PRINTED_FOR_SIX, ids="-".join)
def test_formulas_give_what_is_printed_for_six_joints(key: tuple[str, str, str]) -> None:
    (formula,) = (
        each for each in COUNTS.formulas if (each.function, each.source, each.note) == key
    )
    figure = formula.at("any", 6)
    assert figure is not None
    assert (figure.mul, figure.add) == PRINTED_FOR_SIX[key]


def test_labels_are_short() -> None:
    assert COUNTS.sources["khalil_1986"].label == "Khalil et al. 1986"
    assert COUNTS.sources["murray_neuman_1988"].label == "Murray and Neuman 1988"
    assert COUNTS.sources["symoro"].label == "OpenSYMORO ba07d97"
    assert all(len(source.label) < 40 for source in COUNTS.sources.values())


@pytest.mark.parametrize(
    "wrong",
    [{"mul": -1}, {"mul": "many"}, {"multiplications": 3}, {"kind": "rumour"}],
    ids=lambda change: "".join(change),
)
def test_figures_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Figure.model_validate(
            {"robot": "r", "function": "f", "source": "s", "mul": 1, "add": 2} | wrong
        )


def test_formulas_are_fractions_and_nothing_else() -> None:
    with pytest.raises((ValidationError, ValueError)):
        GeneralFormula.model_validate(
            {"function": "f", "source": "s", "mul": ["__import__('os')"], "add": [1]}
        )


def test_formulas_are_for_chains_of_revolute_joints() -> None:
    counts = PublishedCounts(sources={}, papers=(), programs=(), formulas=COUNTS.formulas)
    assert counts.figures("any", None) == ()
    assert {figure.kind for figure in counts.figures("any", 7)} == {"formula"}


def test_formulas_do_not_apply_to_so_few_joints_that_they_go_below_zero() -> None:
    figures = PublishedCounts(sources={}, papers=(), programs=(), formulas=COUNTS.formulas).figures(
        "any", 1
    )
    assert "li_sankar_1992" in {figure.source for figure in figures}  # 29 operations
    assert "angeles_1989" not in {figure.source for figure in figures}  # -4 multiplications


@pytest.mark.parametrize("robot", ["puma560", "panda"])
def test_no_other_generator_needs_fewer_operations(robot: str) -> None:
    figures = [figure for figure in COUNTS.programs if figure.robot == robot]
    assert figures
    assert [figure for figure in figures if figure.total <= total_of(robot, figure.function)] == []


@pytest.mark.parametrize("method", ["composite", "articulated"])
@pytest.mark.parametrize("robot", ["planar3", "stanford_listing_3dof"])
def test_accelerations_without_bias_forces_are_those_of_the_mass_matrix(robot, method) -> None:
    description = load_robot(robot)
    program = optimised(UNBIASED_ACCELERATION, description, method=method)
    proofs(description, UNBIASED_ACCELERATION, program).require()


def test_forward_dynamics_is_compared_with_and_without_bias_forces() -> None:
    functions = ("forward_dynamics", UNBIASED_ACCELERATION.name)
    compared = compare(load_robot("planar3"), functions, ("default",), Settings(), rivals=True)
    whole, unbiased = (comparison.ours[0].total for comparison in compared)
    assert unbiased < whole
    assert {entry.label for entry in compared[1].others} >= {"Walker and Orin 1982", "Saha 2003"}
    assert "Walker and Orin 1982" not in {entry.label for entry in compared[0].others}
