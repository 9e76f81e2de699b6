"""Float is proved; delivered C compiles without warnings and passes its golden test."""

import re
import subprocess

import numpy as np
import pytest

from dynagen.codegen.targets.folder import write_folder
from dynagen.codegen.targets.golden import make_golden_kernels
from dynagen.ir.program import PREPARE
from dynagen.numbers.real import DOUBLE
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot
from dynagen.verification.comparison import BOUNDS, Expectation, check_kernel
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import States
from tests.support.bundled import ALL_BUNDLED
from tests.support.generated_once import compiled, generated, proved
from tests.support.loaded_arm import loaded_arm_in_c

ROBOTS = (
    "planar3",
    "scara",
    "puma560",
)  # revolute joints, a prismatic one, all of them in general position
FEW = ("inverse_dynamics", "gravity_forces", "mass_matrix")
WARNINGS = (
    "all",
    "extra",
    "pedantic",
    "conversion",
    "float-conversion",
    "double-promotion",
    "shadow",
    "error",
)
STRICT = [f"-W{warning}" for warning in WARNINGS]
COMPILERS = {
    "gcc": ["gcc", "-std=c99", *STRICT],
    "clang": ["clang", "-std=c99", *STRICT],
    "g++": ["g++", "-x", "c++", "-std=c++17", *STRICT],
}
SANITIZERS = "-fsanitize=address,undefined,float-divide-by-zero,float-cast-overflow"
CORTEX_M4 = [
    "-mcpu=cortex-m4",
    "-mthumb",
    "-mfloat-abi=hard",
    "-mfpu=fpv4-sp-d16",
    "-ffreestanding",
]


def in_float(robot):
    """Every function of a bundled robot in C."""
    return generated(load_robot(robot), Settings("c", ("all",), real="float"))


def build_and_run(folder, program, *command):
    sources = sorted(str(path.relative_to(folder)) for path in folder.glob("src/*.c"))
    subprocess.run(
        [*command, "-Iinclude", *sources, program, "-lm", "-o", "program"], cwd=folder, check=True
    )
    return subprocess.run(["./program"], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("robot", ALL_BUNDLED)
def test_every_bundled_robot_is_proved_in_float(robot):
    (proof,) = generate(load_robot(robot), Settings("c", real="float")).proofs.values()
    assert proof.within == 2.0**-20
    # Neither double in disguise nor near the bound. Sums over a humanoid's 29 joints round more
    # than sums over an arm's.
    assert 2.0**-30 < proof.worst.worst_error < 2.0**-21


@pytest.mark.parametrize("seed", [3, 9, 13])
def test_geared_wrists_are_precise_in_float(seed):
    # The motors of the wrist have 4000 times the inertia of the hand. In these random states the
    # torque of the last joint must not enter the other joints' accelerations with its rounding.
    settings = Settings("c", ("forward_dynamics",), real="float", seed=seed)
    (proof,) = generate(load_robot("puma560"), settings).proofs.values()
    assert proof.worst.worst_error < 2.0**-21


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["scara", "puma560"])
def test_every_function_is_proved_in_float(robot, language):
    generation = in_float(robot)
    proofs = proved(generation, compiled(generation, language), 50 if language == "matlab" else 200)
    assert [proof.function for proof in proofs] == [
        function.name for function in generation.functions
    ]
    assert {proof.within for proof in proofs} == {2.0**-20}


@pytest.mark.slow
@pytest.mark.parametrize("everything", ROBOTS, indirect=True)
def test_golden_vectors_are_what_the_references_say(everything):
    definitions = {function.name: function.definition for function in everything.functions}
    independent = make_references(everything.description)
    for golden in make_golden_kernels(everything.package):
        definition = definitions.get(golden.kernel.function)
        if definition is None:
            assert golden.kernel.function == PREPARE
            continue
        arguments = [
            argument for argument in golden.kernel.program.inputs if argument.name != "params"
        ]
        inputs = {
            each.name: np.array(golden.inputs[each.name]).reshape(-1, *each.shape)
            for each in arguments
        }
        count = len(next(iter(inputs.values())))
        values = tuple(
            np.array(output.expected).reshape(count, *output.argument.shape)
            for output in golden.outputs
        )
        outputs = tuple(output.argument.name for output in golden.outputs)
        proof = check_kernel(
            lambda *state, values=values: values,
            Expectation(
                definition.name,
                tuple(inputs),
                outputs,
                definition.expected_results.outputs,
                definition.expected_results.magnitudes,
            ),
            independent,
            States(0, count, inputs),
            BOUNDS[DOUBLE],
        )
        assert proof.passed


@pytest.mark.slow
@pytest.mark.tools
@pytest.mark.parametrize("everything", ["planar3", "scara"], indirect=True)
def test_golden_tests_pass_with_every_compiler_and_without_a_warning(everything, tmp_path):
    run_golden_tests(everything, tmp_path)


@pytest.mark.slow
@pytest.mark.tools
@pytest.mark.parametrize("robot", ["puma560"])
def test_golden_tests_pass_in_float_with_every_compiler_and_without_a_warning(robot, tmp_path):
    run_golden_tests(in_float(robot), tmp_path)


def run_golden_tests(generation, tmp_path):
    """Build example and golden test with every compiler, and run them."""
    write_folder(tmp_path, generation.files)
    prefix = generation.package.prefix
    programs = {f"{prefix}_example", f"{prefix}_golden"}
    for name, command in COMPILERS.items():
        sources = [
            str(path)
            for folder in ("src", "example", "test")
            for path in tmp_path.glob(f"{folder}/*.c")
        ]
        (tmp_path / name).mkdir()
        subprocess.run(
            [*command, "-O1", f"-I{tmp_path}/include", "-c", *sources],
            cwd=tmp_path / name,
            check=True,
        )
        kernels = [path for path in (tmp_path / name).iterdir() if path.stem not in programs]
        for program in programs:
            linked = tmp_path / name / program
            subprocess.run([command[0], *kernels, f"{linked}.o", "-lm", "-o", linked], check=True)
            done = subprocess.run([linked], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("real", ["double", "float"])
def test_golden_tests_pass_with_fused_multiplications(real, tmp_path):
    generation = generate(load_robot("puma560"), Settings("c", FEW, verify=False, real=real))
    write_folder(tmp_path, generation.files)
    prefix = generation.package.prefix
    command = ("gcc", "-std=c99", "-O3", "-march=native", "-ffp-contract=fast")
    done = build_and_run(tmp_path, f"test/{prefix}_golden.c", *command)
    assert re.fullmatch(rf"{prefix}: 0 of \d+ values wrong\n", done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(("compiler", "real"), [("gcc", "double"), ("clang", "float")])
def test_sanitizers_are_silent_on_golden_tests(compiler, real, tmp_path):
    """Of every function of a robot with friction, payload, wrench and a run-time parameter."""
    write_folder(tmp_path, loaded_arm_in_c(real).files)
    done = build_and_run(
        tmp_path,
        "test/loaded_golden.c",
        compiler,
        "-std=c99",
        "-g",
        SANITIZERS,
        "-fno-sanitize-recover=all",
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.tools
def test_a_cortex_m4_needs_nothing_but_mathematics_in_float(tmp_path):
    generation = loaded_arm_in_c("float")
    write_folder(tmp_path, generation.files)
    for source in (*tmp_path.glob("src/*.c"), *tmp_path.glob("test/*.c")):
        command = [
            "arm-none-eabi-gcc",
            "-std=c99",
            "-O2",
            *CORTEX_M4,
            *STRICT,
            "-Iinclude",
            "-c",
            str(source),
        ]
        subprocess.run([*command, "-o", f"{source.stem}.o"], cwd=tmp_path, check=True)
    objects = sorted(path.name for path in tmp_path.glob("*.o"))
    listing = subprocess.run(
        ["arm-none-eabi-nm", "-u", *objects],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    language, package = generation.request.language, generation.package
    symbols = {language.symbol(package.prefix, kernel.function) for kernel in package.kernels}
    assert set(re.findall(r"U (\w+)", listing.stdout)) - symbols == {
        "sinf",
        "cosf",
        "fabsf",
        "tanhf",
        "expf",
    }
