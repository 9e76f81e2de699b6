"""Numeric solution of closed loops along a path from zero."""

from __future__ import annotations

import numpy as np
import pytest

from dynagen.robot.loading import load_robot
from dynagen.verification import loops
from tests.support.root import ROOT


@pytest.fixture(params=["fourbar", "fivebar"])
def constraints(request):
    robot = load_robot(ROOT / "tests" / "robots" / f"{request.param}.yaml")
    return loops.make_coordinates(robot).constraints


def draw(constraints, count):
    """Draw independent joints far beyond the poses in which the loops close."""
    return np.random.default_rng(1).uniform(-3, 3, (count, len(constraints.free)))


def test_a_state_closes_alone_as_among_others(constraints):
    q = draw(constraints, 60)
    together = constraints.close(q)
    alone = np.concatenate([constraints.close(each[None]) for each in q])
    assert np.isnan(together).any() or len(constraints.free) == 1
    assert np.array_equal(np.isnan(together), np.isnan(alone))
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-12)


def test_positions_that_hardly_close_become_zero(monkeypatch):
    robot = load_robot(ROOT / "tests" / "robots" / "fivebar.yaml")
    constraints = loops.make_coordinates(robot).constraints
    q = draw(constraints, 50)
    closed = ~np.isnan(constraints.close(q)).any(axis=1)
    monkeypatch.setattr(loops, "_ATTEMPTS", 0)
    found = loops.shrink_to_closed(robot, q)
    assert 0 < closed.sum() < 50
    assert np.array_equal(found, np.where(closed[:, None], q, 0))
