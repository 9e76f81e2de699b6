"""Motions of robots with closed loops: energy, closure, and the end in a singular pose."""

from __future__ import annotations

import numpy as np
import pytest

from dynagen.apps.simulation.simulation import simulate
from dynagen.robot.loading import load_robot
from dynagen.verification.reference import make_references
from tests.support.root import ROOT

STARTS = {
    "fourbar": ([0.3], [2.0]),
    "palletiser": (None, None),
    "ankle_leg": ([0.3, -0.5, 0.1, 0.1], None),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", STARTS)
def test_ten_seconds_keep_the_energy_and_the_loops_closed(name):
    robot = load_robot(ROOT / "tests" / "robots" / f"{name}.yaml")
    q0, qd0 = STARTS[name]
    motion = simulate(robot, q0=q0, qd0=qd0, time=10.0)
    assert not motion.stopped
    assert motion.energy_error < 1e-6
    # The references close the loops of the cut tree by themselves.
    expected = make_references(robot)[0].find_frame("tool").compute_pose(motion.q)[1]
    assert np.abs(motion.tool - expected).max() < 1e-12


@pytest.mark.slow
def test_a_motion_into_a_singular_pose_ends_with_the_reason():
    # Without torques the five-bar falls until its rods are in line.
    motion = simulate(load_robot(ROOT / "tests" / "robots" / "fivebar.yaml"), time=1.0)
    assert "a closed loop comes to a singular pose" in motion.stopped
    assert 0 < motion.t[-1] < 0.5
    assert np.isfinite(motion.q).all()
