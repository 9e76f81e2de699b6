"""Bounds of rounding errors: they hold, they are close, and they are infinite where none exists."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dynagen.errors import UsageError, VerificationError
from dynagen.ir.operation import Operation
from dynagen.numbers.real import DOUBLE, FLOAT
from dynagen.pipeline.driver import Settings, generate
from dynagen.report.rounding_bounds import bound_rounding, compute_bounds
from dynagen.robot.loading import load_robot
from dynagen.verification.sampling import list_ranges
from tests.support.loaded_arm import LOADED_ARM
from tests.support.root import ROOT

pytestmark = pytest.mark.tools  # python-flint


@cache
def made(robot, *functions):
    return generate(load_robot(robot), Settings("python", functions, verify=False))


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["puma560", "panda"])
def test_bounds_hold_and_stay_near_the_precision_of_the_type(robot):
    functions = ("inverse_dynamics", "gravity_forces", "mass_matrix", "jacobian")
    found = bound_rounding(made(robot, *functions))
    assert [(each.function, each.real) for each in found] == [
        (name, real) for name in functions for real in ("double", "float")
    ]
    for each in found:
        assert 0 < each.measured <= each.bound < np.inf
    for each in found:
        if each.function != "jacobian":
            ratio = each.bound / each.largest
            assert ratio < (1e-12 if each.real == "double" else 5e-4)
    page = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
    for double, single in zip(found[::2], found[1::2], strict=True):
        (row,) = re.findall(rf"\| {robot} \| `{double.function}` \| (\S+e\S+) .*", page)
        assert row == f"{double.bound:.2g}"
        assert f"| {single.bound:.2g} |" in page


def test_the_float_bound_is_that_of_double_times_two_to_the_29():
    generation = made("planar3", "inverse_dynamics")
    program = generation.functions[0].program
    ranges = {each.name: list_ranges(generation.description, each.name) for each in program.inputs}
    double, single = (compute_bounds(program, ranges, real)["tau"] for real in (DOUBLE, FLOAT))
    np.testing.assert_allclose(np.array(single) / double, 2.0**29, rtol=1e-3)


def test_a_divisor_that_may_vanish_has_no_bound():
    found = bound_rounding(made("planar3", "forward_dynamics"))
    assert all(np.isinf(each.bound) or each.bound > each.measured for each in found)


def test_an_error_that_no_rounding_explains_is_found():
    generation = made("planar3", "gravity_forces")
    (function,) = generation.functions
    program = function.program
    instructions = [
        each._replace(payload=each.payload * 2) if each.operation is Operation.CONSTANT else each
        for each in program.instructions
    ]
    wrong = replace(function, program=replace(program, instructions=tuple(instructions)))
    with pytest.raises(VerificationError, match="above the bound"):
        bound_rounding(replace(generation, functions=(wrong,)))


def test_unknown_ranges_are_refused():
    with pytest.raises(UsageError, match="run-time parameters, whose ranges are unknown"):
        bound_rounding(generate(LOADED_ARM, Settings("python", verify=False)))


def test_the_command_prints_a_table_and_json(run):
    status, out, _ = run("bound", "planar3", "-f", "gravity_forces")
    assert status == 0
    assert "gravity_forces" in out
    status, out, _ = run("bound", "planar3", "-f", "gravity_forces", "--format", "json")
    double, single = json.loads(out)
    assert (double["real"], single["real"]) == ("double", "float")
    assert 0 < double["measured"] <= double["bound"] < single["bound"]
