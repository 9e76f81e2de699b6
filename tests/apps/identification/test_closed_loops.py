"""Identification of a robot with closed loops from the positions of its independent joints."""

from __future__ import annotations

import numpy as np
import pytest

import dynagen
from dynagen.apps.identification.identification import identify
from dynagen.apps.identification.regression import regression_model
from dynagen.errors import UsageError
from tests.support.root import ROOT

FIVEBAR = ROOT / "tests" / "robots" / "fivebar.yaml"
RATE = 500  # Hz


def write_log(path, reach=0.3):
    """Write a log of a motion of ten seconds without noise, with exact joint forces."""
    t = np.arange(0, 10, 1 / RATE)
    generator = np.random.default_rng(0)
    q, qd, qdd = np.zeros((3, len(t), 2))
    for joint in range(2):
        for harmonic in range(1, 6):
            a, b = reach * generator.uniform(-1, 1, 2)
            w = 2 * np.pi * 0.1 * harmonic
            q[:, joint] += (a * np.sin(w * t) - b * np.cos(w * t) + b) / w
            qd[:, joint] += a * np.cos(w * t) + b * np.sin(w * t)
            qdd[:, joint] += w * (-a * np.sin(w * t) + b * np.cos(w * t))
    tau, status = dynagen.compile(FIVEBAR, "inverse_dynamics")(q, qd, qdd)
    assert not status.any()
    np.savetxt(
        path, np.column_stack([t, q, tau]), delimiter=",", header="t,q1,q2,tau1,tau2", comments=""
    )


@pytest.mark.slow
def test_the_base_parameters_of_a_five_bar_are_found(tmp_path):
    write_log(tmp_path / "log.csv")
    result = identify(FIVEBAR, tmp_path / "log.csv", friction=())
    described = np.array([each.described for each in result.model.parameters])
    assert len(described) == 13
    np.testing.assert_allclose(
        result.estimate.values, described, rtol=0, atol=2e-3 * np.abs(described).max()
    )


@pytest.mark.slow
def test_positions_at_which_the_loops_cannot_close_are_named():
    text = (ROOT / "tests" / "robots" / "fourbar.yaml").read_text()
    model = regression_model(text.replace("loops:\n", "independent: [rocker]\nloops:\n"), ())
    q, rest = np.array([[0.0], [3.0]]), np.zeros((2, 1))
    message = r"the closed loops of fourbar cannot close at 1 of 2 positions, first at q = 3:"
    with pytest.raises(UsageError, match=message):
        model.compute_regressor(q, rest, rest)
