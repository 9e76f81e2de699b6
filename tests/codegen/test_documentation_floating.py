"""Code for a robot on a floating base: proved in every language, with its entries documented."""

from __future__ import annotations

import json

import pytest

from dynagen.pipeline.driver import Generation, Settings, generate
from dynagen.robot.loading import parse_robot

WALKER = """name: walker
gravity: [0, 0, -9.81]
links:
  - {name: trunk, joint: floating, mass: 6, com: [0.1, 0, 0], inertia: [0.02, 0.07, 0.08]}
  - {name: left, parent: trunk, joint: revolute, axis: [1, 0, 0],
     mass: 1, com: [0, 0.1, 0.2], inertia: [0.1, 0.1, 0.1]}
  - {name: right, parent: trunk, joint: prismatic, axis: [1, 0, 0],
     mass: 1, com: [0, 0, 0.2], inertia: [0.1, 0.1, 0.1]}
"""
FUNCTIONS = (
    "inverse_dynamics",
    "mass_matrix",
    "forward_dynamics",
    "jacobian",
    "inverse_dynamics_derivatives",
)


def generation(language: str = "c", **settings: object) -> Generation:
    return generate(
        parse_robot(WALKER, "walker.yaml"), Settings(language, FUNCTIONS, states=60, **settings)
    )


@pytest.mark.parametrize("real", ["double", "float"])
def test_kernels_are_proved_in_every_language(language: str, real: str) -> None:
    proofs = generation(language, real=real).proofs
    assert {name.removesuffix("_batch") for name in proofs} == set(FUNCTIONS)


def test_the_manifest_says_what_each_entry_is() -> None:
    manifest = json.loads(generation(verify=False).manifest.text)
    assert (manifest["nq"], manifest["nv"]) == (9, 8)
    trunk, left, right = manifest["joints"]
    assert trunk["q"] == ["x", "y", "z", "qx", "qy", "qz", "qw"]
    assert trunk["v"] == ["vx", "vy", "vz", "wx", "wy", "wz"]
    assert (trunk["type"], left["unit"], right["unit"]) == ("floating", "rad", "m")
    q, qd, _, tau = manifest["kernels"]["inverse_dynamics"]["arguments"]
    assert (q["shape"], qd["shape"], tau["shape"]) == ([9], [8], [8])
    assert q["unit"] == ["m"] * 3 + [""] * 4 + ["rad", "m"]
    assert tau["unit"] == ["N"] * 3 + ["N m"] * 4 + ["N"]
    by_position, _ = manifest["kernels"]["inverse_dynamics_derivatives"]["arguments"][3:]
    assert by_position["shape"] == [8, 8]


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        (
            "c",
            [
                "#define WALKER_N 8",
                "#define WALKER_NQ 9",
                "walker_real q[9] = {0, 0, 0, 0, 0, 0, 1};",
            ],
        ),
        ("fortran", [":: walker_n = 8", ":: walker_nq = 9", "q(7) = 1.0_c_double"]),
        ("python", ["N = 8", "NQ = 9", "q[6] = 1.0"]),
        ("javascript", ["export const N = 8;", "export const NQ = 9;", "q[6] = 1.0;"]),
        (
            "matlab",
            ["  info.N = 8;", "  info.NQ = 9;", "q = double([0.0; 0.0; 0.0; 0.0; 0.0; 0.0; 1.0;"],
        ),
        ("rust", ["pub const N: usize = 8;", "pub const NQ: usize = 9;"]),
        ("cpp", ["inline constexpr int N = 8;", "inline constexpr int NQ = 9;"]),
    ],
)
def test_files_tell_sizes_and_begin_with_a_unit_quaternion(language: str, lines: list[str]) -> None:
    text = "\n".join(file.text for file in generation(language, verify=False).files)
    for line in lines:
        assert line in text
    assert "scale it to length one" in text
    assert "position and unit quaternion x y z w of trunk, then joint positions" in " ".join(
        text.split()
    )
