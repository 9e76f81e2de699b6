"""Dynamics with held frames are those of Pinocchio for the same contacts."""

from __future__ import annotations

import numpy as np
import pytest

import dynagen
from dynagen.verification.sampling import sample_states

pytestmark = [pytest.mark.slow, pytest.mark.tools]


@pytest.fixture(scope="module", params=[2, 3], ids=["solo12", "panda"])
def robot(request):
    from benchmarks.contacts import list_robots

    return list_robots()[request.param]


def test_accelerations_and_impacts_are_those_of_pinocchio(robot):
    from benchmarks.contacts import DYNAMICS, IMPACT

    states = sample_states(robot.description, ("q", "qd", "tau"), 200)
    good = [place for place in range(200) if robot.is_regular(states["q"][place])]
    assert len(good) > 100
    q, qd, tau = (states[name][good] for name in ("q", "qd", "tau"))
    # Pinocchio's contact of six rows holds the spatial acceleration, which equals the classical one
    # if the frame is at rest.
    rest = [np.linalg.pinv(each) @ each for each in map(robot.compute_jacobian, q)]
    held = qd - np.einsum("sij,sj->si", np.array(rest), qd)
    places = [np.zeros((len(q), 3 * len(robot.frames)))]
    places += [np.tile(np.eye(3).ravel(), (len(q), 1))] * (robot.rows == 6)
    inputs = {DYNAMICS: (q, held, tau, *places, np.zeros((len(q), 2))), IMPACT: (q, qd)}
    numeric, theirs = robot.numeric, robot.make_pinocchio()
    positions = np.array([numeric.configure(each) for each in q])
    for function, motion in ((DYNAMICS, (held, tau)), (IMPACT, (qd,))):
        kernel = dynagen.compile(robot.description, f"{function}@{robot.request}", states=60)
        found, *_, status = kernel(*inputs[function])
        expected = np.array(
            [
                theirs[function](*each).copy()
                for each in zip(positions, *(part @ numeric.G.T for part in motion), strict=True)
            ]
        )
        assert not status.any()
        assert np.abs(found @ numeric.G.T - expected).max() < 1e-8 * np.abs(expected).max()


def test_the_page_has_the_counts(robot):
    from benchmarks.contacts import PAGE, count

    page = PAGE.read_text(encoding="utf-8")
    for function, operations in count(robot).items():
        assert f"| {robot.name} | `{function}` | {operations} |" in page
