"""Cache of joint motions and frames: equal keys share results, and its memory is limited."""

import numpy as np
import pytest

from dynagen.robot.loading import load_robot
from dynagen.verification.kinematics import (
    RecentResults,
    compute_joint_frames,
    compute_joint_motion,
    compute_screw,
    make_numeric_links,
)


def test_results_are_computed_once_and_are_read_only() -> None:
    cache, calls = RecentResults(1000), []

    def compute() -> tuple[np.ndarray, ...]:
        calls.append(1)
        return (np.zeros(3),)

    (first,), (second,) = cache.find("key", compute), cache.find("key", compute)
    assert first is second
    assert len(calls) == 1
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1.0


def test_results_that_were_not_used_recently_are_dropped() -> None:
    cache, computed = RecentResults(2 * 24), list[str]()

    def find(key: str) -> None:
        def compute() -> tuple[np.ndarray, ...]:
            computed.append(key)
            return (np.zeros(3),)  # 24 bytes

        cache.find(key, compute)

    for key in "abacab":
        find(key)
    # The use of a before c keeps it; c drops b.
    assert "".join(computed) == "abcb"


def test_joint_motions_differ_between_positions_and_joints() -> None:
    links = make_numeric_links(load_robot("panda"))
    states = np.random.default_rng(1).normal(size=(2, 5, 7))
    for q in (*states, states[0] + 1e-30j):
        for link in links:
            expected = compute_screw(link, q) @ link.after
            assert np.array_equal(compute_joint_motion(link, q), expected)
        joints, poses = compute_joint_frames(links, q)
        for link, joint, pose in zip(links, joints, poses, strict=True):
            parent = np.eye(4) if link.parent is None else poses[link.parent]
            assert np.array_equal(joint, parent @ link.before)
            assert np.array_equal(pose, joint @ compute_joint_motion(link, q))
