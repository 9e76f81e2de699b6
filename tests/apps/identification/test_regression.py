"""The regressor with friction beside generated dynamics and friction of the same description."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynagen
from dynagen.apps.identification.regression import regression_model
from dynagen.errors import UsageError
from tests.support.simulated_logs import SMALL_ARM, model_of, random_motion

EVERY_FRICTION = SMALL_ARM.replace(
    "{viscous: 3, coulomb: 4}",
    "{viscous: 3, coulomb: {positive: 4, negative: 5}, stribeck: {static: 6, velocity: 0.05}, "
    "sign: tanh, width: 0.02, "
    "transmission: {efficiency: 0.8}}",
).replace(
    "{viscous: 2, coulomb: 3}", "{viscous: 2, coulomb: 3, stribeck: {static: 5, velocity: 0.3}}"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("robot", "laws"),
    [
        (SMALL_ARM, ("viscous", "coulomb")),
        (EVERY_FRICTION, ("viscous", "asymmetric", "stribeck", "load")),
    ],
)
def test_regressor_times_described_parameters_is_what_the_generated_functions_give(
    robot: str, laws: tuple[str, ...]
) -> None:
    model, functions = model_of(robot, laws), dynagen.load(robot)
    q, qd, qdd = random_motion(3, 3).at(np.linspace(0, 10, 500))
    motion = (qd,) if "load" not in laws else (q, qd, qdd)
    expected = functions.inverse_dynamics(q, qd, qdd) + functions.friction_forces(*motion)
    assert_allclose(
        model.compute_regressor(q, qd, qdd) @ model.described_values, expected, atol=1e-11
    )


def test_parameters_have_names_units_and_joints_and_may_be_chosen() -> None:
    model = model_of()
    names = [parameter.name for parameter in model.parameters]
    assert names[0] == "column.JzzR"
    assert names[-6:] == [
        f"{link}.{law}"
        for link in ("column", "upper_arm", "slide")
        for law in ("viscous", "coulomb")
    ]
    assert [(each.unit, each.joint, each.kind) for each in model.parameters[-2:]] == [
        ("N s/m", 2, "friction"),
        ("N", 2, "friction"),
    ]
    motion = random_motion(1, 3).at(np.linspace(0, 10, 7))
    few = model.restrict([4, len(names) - 1]).restrict([1])
    assert [parameter.name for parameter in few.parameters] == ["slide.coulomb"]
    assert_allclose(
        few.compute_regressor(*motion), model.compute_regressor(*motion)[..., -1:], rtol=0
    )


@pytest.mark.parametrize(
    ("robot", "laws", "message"),
    [
        (SMALL_ARM, ["viscos"], "unknown law `viscos`; did you mean `viscous`?"),
        (SMALL_ARM, ["asymmetric", "offset"], "asymmetric and offset are equivalent"),
        (SMALL_ARM, ["stribeck"], "add coulomb or asymmetric"),
    ],
)
def test_what_cannot_be_identified_is_refused_with_a_reason(
    robot: str, laws: list[str], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        regression_model(robot, laws)
    assert message in str(caught.value)


def test_a_floating_base_is_refused_with_a_reason() -> None:
    with pytest.raises(UsageError, match="identification requires a fixed base"):
        regression_model(dynagen.load_robot(SMALL_ARM, base="floating"))
