"""What a caller has to know stands in the files: tool, payload, wrench, options, owner."""

from __future__ import annotations

import pytest

from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot
from tests.support.loaded_arm import LOADED_ARM

FACTS = (
    "Payload  mass, first moments and inertia about the origin of the frame of link ",
    "Wrench   force and moment exerted on the robot at the origin of frame ",
    "Options  optimize none",
)
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "gravity_forces", "bias_forces")


def test_payload_wrench_and_options_are_explained_where_kernels_are_declared_and_in_the_readme(
    language,
):
    generation = generate(LOADED_ARM, Settings(language, FUNCTIONS, verify=False, optimize="none"))
    texts = {file.path: file.text for file in generation.files}
    assert any(all(fact in text for fact in FACTS) for text in texts.values())
    assert "Payload: mass, first moments" in texts["README.md"]
    summaries = {kernel.function: kernel.summary for kernel in generation.package.kernels}
    assert summaries["inverse_dynamics"] == "tau = M(q) qdd + C(q, qd) qd + g(q) - J(q)^T wrench"
    assert summaries["bias_forces"] == "h = C(q, qd) qd + g(q) - J(q)^T wrench"
    assert (
        summaries["forward_dynamics"] == "qdd = M(q)^-1 (tau - C(q, qd) qd - g(q) + J(q)^T wrench)"
    )
    assert summaries["gravity_forces"] == "g = g(q)"


def test_every_file_says_whose_it_is(language):
    generation = generate(
        load_robot("planar3"), Settings(language, ("gravity_forces",), verify=False)
    )
    for file in (
        file for file in generation.files if not file.path.endswith(".json")
    ):  # those are data
        assert "You own the generated code" in file.text, file.path
        assert "SPDX-License-Identifier: LicenseRef-Owner-Of-Generated-Code" in file.text, file.path


@pytest.mark.parametrize(
    ("robot", "tool"),
    [("scara", "frame tool, fixed to link quill"), ("two_arm", "the frame of link right_forearm")],
)
def test_what_the_tool_is_fixed_to_is_said(robot, tool):
    generation = generate(load_robot(robot), Settings("c", ("forward_kinematics",), verify=False))
    (header,) = (file.text for file in generation.files if file.path.endswith(".h"))
    assert f" * Tool     {tool}\n" in header
