from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from dynagen.errors import UsageError
from dynagen.numbers.exact import Exact
from dynagen.robot.description import Limits
from dynagen.verification.sampling import sample_states
from tests.support.random_robots import random_description


@pytest.fixture
def arm():
    return random_description(1, joints=4, prismatic=0.0)


def test_the_same_seed_gives_the_same_states_on_every_machine(arm):
    states = sample_states(arm, count=50, seed=7)
    text = " ".join(
        f"{value:.12g}" for name in ("q", "qd", "qdd") for value in states[name].ravel()
    )
    assert (
        hashlib.sha256(text.encode()).hexdigest()
        == "ec9e22b8900fd7d702452ef133af8f88f940f9fc3eac241da7013df380b7189a"
    )


def test_another_seed_gives_other_states(arm):
    assert not np.array_equal(sample_states(arm, seed=1)["q"], sample_states(arm, seed=2)["q"])


def test_functions_with_different_inputs_are_proved_at_the_same_poses(arm):
    all_inputs = sample_states(arm, inputs=("q", "qd", "tau"))
    assert np.array_equal(sample_states(arm, inputs=("q",))["q"], all_inputs["q"])
    assert set(all_inputs.inputs) == {"q", "qd", "tau"}


@pytest.mark.parametrize("count", [1, 2, 7, 40, 1000])
def test_the_count_includes_the_special_states(arm, count):
    states = sample_states(arm, count=count)
    assert states.count == count
    assert all(values.shape == (count, 4) for values in states.inputs.values())


def test_a_proof_on_no_state_is_refused(arm):
    with pytest.raises(UsageError, match="at least one state for a proof, found 0"):
        sample_states(arm, count=0)


def test_special_states_come_first_and_are_all_there(arm):
    states = sample_states(arm)
    q, qd, qdd = states["q"], states["qd"], states["qdd"]
    assert not np.concatenate([q[0], qd[0], qdd[0]]).any()
    np.testing.assert_array_equal(q[1:9], np.pi / 2 * np.concatenate([np.eye(4), -np.eye(4)]))
    assert np.all(qd[1:9] != 0)
    np.testing.assert_array_equal(qd[9:13] != 0, np.eye(4, dtype=bool))
    np.testing.assert_array_equal(qdd[9:13] != 0, np.eye(4, dtype=bool))
    assert np.max(np.abs(q[13:21])) > 2 * np.pi
    assert np.max(np.abs(q[21:])) <= np.pi


def test_prismatic_joints_stay_within_a_metre():
    slide = random_description(2, joints=3, prismatic=1.0)
    assert np.max(np.abs(sample_states(slide)["q"])) <= 1.0


def test_limits_bound_the_random_states(arm):
    limits = Limits(position=(Exact("0.5"), Exact("0.75")), velocity=Exact("0.1"), effort=Exact(2))
    bounded = replace(arm, links=tuple(replace(link, limits=limits) for link in arm.links))
    states = sample_states(bounded, inputs=("q", "qd", "tau"))
    random_q = states["q"][21:]
    assert random_q.min() >= 0.5
    assert random_q.max() <= 0.75
    assert np.abs(states["qd"]).max() <= 0.1
    assert np.abs(states["tau"]).max() <= 2
