"""Robots x functions x languages, end to end: emitted code is proved, compiles without a warning, and costs what it says."""

import os
import subprocess
import sys

import numpy as np
import pinocchio as pin
import pytest
from c_operations import count_operations
from pinocchio_robots import pinocchio_model
from random_robots import random_description

from dynagen.delivery.folder import write_folder
from dynagen.description.loading import load_robot
from dynagen.languages import find_language
from dynagen.languages.loading import load_package
from dynagen.pipeline import Settings, generate
from dynagen.proof import prove_kernels
from dynagen.resources import bundled_robots
from dynagen.verification.sampling import DEFAULT_COUNT, DEFAULT_SEED, sample_states

WARNINGS = ("all", "extra", "pedantic", "conversion", "double-promotion", "shadow", "missing-prototypes", "error")
KINEMATICS = ("forward_kinematics", "jacobian", "body_jacobian", "jacobian_dot_qd")
STRICT = [f"-W{warning}" for warning in WARNINGS]
C_COMPILERS = {
    "gcc": ["gcc", "-std=c99", *STRICT],
    "clang": ["clang", "-std=c99", *STRICT],
    "g++": ["g++", "-x", "c++", "-std=c++17", *(flag for flag in STRICT if flag != "-Wmissing-prototypes")],
}


@pytest.fixture(scope="module", params=bundled_robots())
def generation(request):
    """Every function of a bundled robot in C: generated once by every worker, for all the tests of the robot."""
    return generate(load_robot(request.param), Settings("c", ("all",)), prove=False)


def test_every_function_of_every_bundled_robot_is_proved(generation, language):
    written_in, package = find_language(language), generation.package
    kernels = load_package(written_in, package, written_in.print_kernels(package))
    definitions = [function.definition for function in generation.functions]
    proofs = prove_kernels(generation.description, definitions, kernels, package.real, DEFAULT_COUNT, DEFAULT_SEED)
    assert [proof.function for proof in proofs] == [definition.name for definition in definitions]
    for proof in proofs:
        assert proof.passed
        assert proof.within == 1e-12
        assert proof.states == 1000
        against = (
            ("link transforms", "exponentials of screws") if proof.function in KINEMATICS else ("Newton-Euler", "Lagrange")
        )
        assert tuple(comparison.reference for comparison in proof.comparisons) == against


@pytest.mark.parametrize("compiler", C_COMPILERS)
def test_emitted_c_compiles_without_a_warning(generation, compiler, tmp_path):
    write_folder(tmp_path / "robot", generation.files)
    sources = sorted(str(path) for path in tmp_path.glob("robot/src/*.c"))
    command = [*C_COMPILERS[compiler], f"-I{tmp_path / 'robot' / 'include'}", "-fsyntax-only", *sources]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_manifest_counts_what_a_c_parser_counts(generation):
    sources = {file.path: file.text for file in generation.files}
    for kernel, function in zip(generation.package.kernels, generation.functions, strict=True):
        text = sources[generation.language.kernel_path(generation.package, kernel)]
        assert count_operations(text, generation.package.prefix) == function.operations


@pytest.mark.parametrize("seed", range(30))
def test_random_chains_agree_with_both_references_and_with_pinocchio(seed):
    description = random_description(seed, joints=1 + seed % 9, convention=("modified", "standard")[seed % 2])
    generation = generate(description, Settings("c", ("inverse_dynamics",), states=60))
    states = sample_states(description, count=20, seed=seed)
    (computed,) = generation.compiled["inverse_dynamics"](states["q"], states["qd"], states["qdd"])
    model, order = pinocchio_model(description)
    data = model.createData()
    for index in range(states.count):
        q, qd, qdd = (states[name][index][order] for name in ("q", "qd", "qdd"))
        expected = pin.rnea(model, data, q, qd, qdd)
        np.testing.assert_allclose(computed[index][order], expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_two_hash_seeds_give_identical_bytes(language, tmp_path):
    outputs = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        options = ["--lang", language, "-f", "all", "--no-verify", "--out", str(folder)]
        command = [sys.executable, "-m", "dynagen", "stanford", *options]
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed})
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        outputs.append({path.relative_to(folder): path.read_bytes() for path in files})
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) > 2
