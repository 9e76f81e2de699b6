"""Degrees of values, and the table of docs/trust.md."""

from __future__ import annotations

import pytest

from dynagen.dynamics.requests import find_functions
from dynagen.ir.fingerprints import FIELD
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from hardening.fingerprint_degrees import bound_degrees, bound_probability, make_table
from tests.support.root import ROOT


def test_degrees_of_gravity_forces_are_those_of_their_sines():
    model = build_model(load_robot("planar3"))
    (function,) = find_functions(["gravity_forces"], model)
    program = function.build(model)
    found = bound_degrees(program)
    last = found[program.results[0].values[0]]
    assert last.denominator == {}
    assert 1 <= max(last.numerator.values()) <= 3
    degree, power = bound_probability(program, FIELD)
    assert 2 <= degree <= 48
    assert power < -45


@pytest.mark.slow
def test_the_page_has_the_table():
    page = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
    assert f"<!-- fingerprints -->\n{make_table()}\n<!-- end -->" in page
