"""`<p>_set_payload`: a body by mass, centre of mass and inertia about it, or a status."""

from __future__ import annotations

import ctypes
import subprocess

import numpy as np
import pytest

from dynagen.codegen.targets.folder import write_folder
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import parse_robot

ARM = """name: arm
gravity: [0, 0, -9.81]
payload: true
parameters: {m_load: {value: 2, unit: kg, runtime: true}}
links:
  - {name: upper, joint: revolute, axis: [0, 1, 0], mass: m_load, com: [0.2, 0, 0],
      inertia: [1, 1, 1]}
"""
ORDER = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
NONE = np.zeros(6)
POINT = (2.0, np.array([0.1, -0.2, 0.3]), NONE)


@pytest.fixture(scope="module", params=["float", "double"])
def set_payload(request, tmp_path_factory: pytest.TempPathFactory):
    """A function from mass, centre of mass and inertia to status and values, or None instead."""
    folder = tmp_path_factory.mktemp("arm")
    settings = Settings("c", ("gravity_forces",), verify=False, real=request.param)
    write_folder(folder, generate(parse_robot(ARM, "arm.yaml"), settings).files)
    strict = "-std=c99 -Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow -pedantic -Werror"
    subprocess.run(
        [
            "gcc",
            *strict.split(),
            *("-shared", "-fPIC", "-Iinclude", "-osets.so", "src/arm_prepare.c", "-lm"),
        ],
        cwd=folder,
        check=True,
    )
    real = {"float": ctypes.c_float, "double": ctypes.c_double}[request.param]
    function = ctypes.CDLL(str(folder / "sets.so")).arm_set_payload
    function.argtypes = [real * 11, real, real * 3, real * 6]

    def call(mass: float, com: np.ndarray, inertia: np.ndarray) -> np.ndarray | None:
        values = (real * 11)(*[7.0] * 11)
        status = function(values, mass, (real * 3)(*com), (real * 6)(*inertia))
        found = np.array(values)
        assert found[0] == 7  # the parameter that is not the payload's
        assert status == 0 or (status == 1 and (found == 7).all())
        return found[1:] if status == 0 else None

    return call


def test_the_readme_sets_the_payload_by_its_function() -> None:
    for payload, sets in (("true", True), ("false", False)):
        text = ARM.replace("payload: true", f"payload: {payload}")
        settings = Settings("c", ("gravity_forces",), verify=False)
        files = generate(parse_robot(text, "arm.yaml"), settings).files
        readme = next(file.text for file in files if file.path == "README.md")
        assert ("if (arm_set_payload(values, 0, com, inertia) != 0) {" in readme) == sets
        assert ("values[ARM_P_M_LOAD] = 2.0;" in readme) != sets


def flatten(tensor: np.ndarray) -> np.ndarray:
    return np.array([tensor[place] for place in ORDER])


def test_bodies_are_accepted_and_moved_to_the_frame(set_payload) -> None:
    random = np.random.default_rng(1)
    for points in (1, 2, 3, 5):  # a point mass, a rod, a plate, a body
        for _ in range(20):
            masses, places = random.uniform(0.1, 1, points), random.normal(size=(points, 3))
            mass, first = masses.sum(), masses @ places

            def about(origin, masses=masses, places=places):
                off = places - origin
                second = np.einsum("i,ij,ik->jk", masses, off, off)
                return np.trace(second) * np.eye(3) - second

            found = set_payload(mass, first / mass, flatten(about(first / mass)))
            expected = np.array([mass, *first, *flatten(about(np.zeros(3)))])
            assert np.abs(found - expected).max() < 1e-5


def test_a_tensor_is_accepted_if_its_principal_moments_satisfy_the_triangle_inequality(
    set_payload,
) -> None:
    random, counts = np.random.default_rng(2), [0, 0]
    for _ in range(400):
        tensor = random.normal(size=(3, 3)) + np.diag(random.uniform(0, 4, 3))
        tensor = (tensor + tensor.T) / 2
        moments = np.linalg.eigvalsh(tensor)
        excess = 2 * moments.max() - moments.sum()  # above the sum of the other two
        if abs(excess) < 0.01 * abs(moments.sum()):
            continue  # near the boundary, with its allowance for rounded data
        is_body = bool(excess < 0)
        assert (set_payload(1.0, np.zeros(3), flatten(tensor)) is not None) == is_body
        counts[is_body] += 1
    assert min(counts) > 30


@pytest.mark.parametrize(
    ("mass", "com", "inertia"),
    [
        (-2.0, POINT[1], NONE),
        (np.nan, POINT[1], NONE),
        (np.inf, POINT[1], NONE),
        (1.0, np.array([0, np.nan, 0]), NONE),
        (1.0, np.array([0, 0, np.inf]), NONE),
        (1.0, np.zeros(3), np.array([1, 1, np.nan, 0, 0, 0])),
        (0.0, np.zeros(3), np.array([1.0, 1, 1, 0, 0, 0])),
        (1.0, np.zeros(3), np.array([1.0, 1, 2.1, 0, 0, 0])),
        (1.0, np.zeros(3), np.array([-1.0, -1, -1, 0, 0, 0])),
        (1.0, np.zeros(3), np.array([0, 0, 0, 0.1, 0, 0])),
    ],
)
def test_numbers_that_no_body_has_are_refused(set_payload, mass, com, inertia) -> None:
    assert set_payload(mass, com, inertia) is None


def test_no_payload_a_point_mass_and_a_rounded_plate_are_bodies(set_payload) -> None:
    assert not set_payload(0.0, np.zeros(3), NONE).any()
    assert set_payload(*POINT) is not None
    assert set_payload(1.0, np.zeros(3), np.array([0.0333, 0.0333, 0.0667, 0, 0, 0])) is not None
