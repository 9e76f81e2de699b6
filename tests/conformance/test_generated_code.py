"""Robots x functions x languages: code is proved, has no warnings, and costs as documented."""

import subprocess
from dataclasses import replace

import numpy as np
import pytest

from dynagen.codegen.languages import LANGUAGES
from dynagen.codegen.targets.assembly import assemble
from dynagen.codegen.targets.folder import write_folder
from dynagen.pipeline.driver import Settings, generate
from dynagen.verification.reference import list_reference_names
from dynagen.verification.sampling import DEFAULT_COUNT, sample_states
from tests.support.c_operations import count_operations
from tests.support.generated_once import compiled, proved
from tests.support.hash_seeds import with_two_hash_seeds
from tests.support.libraries import pinocchio as pin
from tests.support.names_in_code import check_all_names
from tests.support.pinocchio_robots import pinocchio_model
from tests.support.random_robots import random_description

WARNINGS = (
    "all",
    "extra",
    "pedantic",
    "conversion",
    "double-promotion",
    "shadow",
    "missing-prototypes",
    "error",
)
ROBOTS = ("planar3", "scara", "puma560", "two_arm", "solo12")
"""Robots in a plane, with a prismatic joint, in general position, and with branches."""
KINEMATICS = ("forward_kinematics", "jacobian", "body_jacobian", "jacobian_dot_qd")
STRICT = [f"-W{warning}" for warning in WARNINGS]
C_COMPILERS = {
    "gcc": ["gcc", "-std=c99", *STRICT],
    "clang": ["clang", "-std=c99", *STRICT],
    "g++": [
        "g++",
        "-x",
        "c++",
        "-std=c++17",
        *(flag for flag in STRICT if flag != "-Wmissing-prototypes"),
    ],
}


@pytest.mark.slow
def test_every_function_of_every_bundled_robot_is_proved(everything):
    prove(everything, "c")


@pytest.mark.slow
@pytest.mark.parametrize("everything", ROBOTS, indirect=True)
@pytest.mark.parametrize("language", [each.name for each in LANGUAGES if each.name != "c"])
def test_every_function_is_proved_in_every_language(everything, language):
    prove(everything, language)


def prove(everything, language):
    """Prove every function of a robot in a language."""
    # Octave needs a millisecond for a state of a large function.
    states = 100 if language == "matlab" else DEFAULT_COUNT
    proofs = proved(everything, compiled(everything, language), states)
    for function, result in zip(everything.functions, proofs, strict=True):
        assert result.function == function.name
        assert result.passed
        assert result.within == 1e-12
        # J M^-1 J^T is not compared near its singular states. Many special poses are singular,
        # and a small sample has as many: the PUMA leaves out 15 of 100 states, 57 of 1000.
        regular = 0.9 if states == DEFAULT_COUNT else 0.8
        least = regular if function.name.startswith("operational_inertia") else 1
        assert least * states <= result.states <= states
        against = tuple(comparison.reference for comparison in result.comparisons)
        assert against == list_reference_names(function.definition.expected_results.subjects)
        if function.name in KINEMATICS:
            assert against == ("link transforms", "exponentials of screws")


@pytest.mark.slow
def test_every_name_is_explained(everything):
    """Check every robot in C, because all languages print the same names."""
    robot, in_c = everything.package.robot, everything.request.language
    for language in LANGUAGES if robot in ("scara", "two_arm") else [in_c]:
        check_all_names(language, everything.package)


@pytest.mark.slow
@pytest.mark.tools
@pytest.mark.parametrize("everything", ["panda", "two_arm", "solo12"], indirect=True)
def test_emitted_c_compiles_without_a_warning(everything, tmp_path):
    """Compile one kernel at a time with one compiler, all in one file with slow compilers.

    test_delivered_c.py compiles planar3, scara and puma560.
    """
    one_file = assemble(replace(everything.package, single_file=True), everything.request.language)
    for name, command in C_COMPILERS.items():
        write_folder(tmp_path / name, everything.files if name == "gcc" else one_file)
        sources = sorted(str(path) for path in (tmp_path / name).glob("src/*.c"))
        assert len(sources) == (len(everything.package.kernels) if name == "gcc" else 1)
        command = [*command, f"-I{tmp_path / name / 'include'}", "-fsyntax-only", *sources]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("everything", ROBOTS, indirect=True)
def test_the_manifest_counts_what_a_c_parser_counts(everything):
    sources = {file.path: file.text for file in everything.files}
    for kernel, function in zip(everything.package.kernels, everything.functions, strict=True):
        text = sources[everything.request.language.kernel_path(everything.package, kernel)]
        assert count_operations(text, everything.package.prefix) == function.operations


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(30))
def test_random_chains_agree_with_both_references_and_with_pinocchio(seed):
    description = random_description(
        seed, joints=1 + seed % 9, convention=("modified", "standard")[seed % 2]
    )
    generation = generate(description, Settings("c", ("inverse_dynamics",), states=60))
    states = sample_states(description, count=20, seed=seed)
    (computed,) = generation.compiled["inverse_dynamics"](states["q"], states["qd"], states["qdd"])
    model, order = pinocchio_model(description)
    data = model.createData()
    for index in range(states.count):
        q, qd, qdd = (states[name][index][order] for name in ("q", "qd", "qdd"))
        expected = pin.rnea(model, data, q, qd, qdd)
        np.testing.assert_allclose(
            computed[index][order], expected, rtol=0, atol=1e-12 * np.abs(expected).max()
        )


PRINT_ALL = """
import sys
from dynagen.codegen.targets.assembly import assemble
from dynagen.robot.loading import load_robot
from dynagen.codegen.languages import LANGUAGES
from dynagen.pipeline.driver import Settings, generate

robot = load_robot("stanford_listing_3dof")
package = generate(robot, Settings(functions=("all",)), prove=False).package
for language in LANGUAGES:
    for file in assemble(package, language):
        sys.stdout.write(f"==> {language.name} {file.path}\\n{file.text}")
"""


@pytest.mark.slow
def test_two_hash_seeds_give_identical_bytes_in_every_language():
    first, second = with_two_hash_seeds(PRINT_ALL)
    assert first == second
    assert {
        line.split()[1].decode() for line in first.splitlines() if line.startswith(b"==> ")
    } == {language.name for language in LANGUAGES}
