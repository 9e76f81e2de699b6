"""Generated CUDA: functions and kernels as C++, kernels in parts, machine code without spills."""

import subprocess
from dataclasses import replace

import mpmath
import numpy as np
import pytest

from dynagen.codegen import parts
from dynagen.codegen.language import load_package
from dynagen.codegen.languages import find_language
from dynagen.codegen.languages.cuda import header
from dynagen.codegen.package import SourceFile
from dynagen.codegen.targets.folder import write_folder
from dynagen.errors import UsageError, VerificationError
from dynagen.numbers.real import DOUBLE, FLOAT
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot
from dynagen.toolchain.nvrtc import compile_kernels
from tests.support.generated_once import compiled, generated, proved
from tests.support.loaded_arm import LOADED_ARM
from tests.support.packages import (
    EVERYTHING,
    GRAVITY,
    OPAQUE,
    kernel,
    loaded,
    package,
    render,
    texts,
)
from tests.support.sine_accuracy import sample, units_off

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wconversion", "-Wshadow")
DERIVATIVES = "inverse_dynamics_derivatives"
SINE = """
program angles
input q[1] "angle" "rad"
output y[2] "sine and cosine" ""
section ""
  s, c = sincos(q[0])
result y = s, c
"""


def text_of(made):
    return texts(render("cuda", made))[f"include/{made.prefix}.cuh"]


def with_kernels(generation, **changes):
    """The generation with kernels for many states, as CUDA always has."""
    return replace(generation, package=replace(generation.package, batch=True, **changes))


def test_functions_serve_local_arrays_and_kernels_columns_of_arrays():
    text = text_of(package(kernel(GRAVITY), batch=True))
    assert (
        "template <class Array1, class Array2>\n"
        "PUMA560_FUNCTION void puma560_gravity_forces(const Array1 q, Array2 g)\n" in text
    )
    assert "    const double c1 = puma560_cos(q[0]);\n" in text
    assert (
        "    puma560_gravity_forces(puma560_inputs{q + state, stride},\n"
        "        puma560_results{g + state, stride});\n" in text
    )


def test_options_without_a_meaning_for_cuda_are_refused():
    for settings, message in (
        (
            Settings("cuda", batch=True, threads=True),
            "always use one thread per state; omit the option",
        ),
        (Settings("cuda", trig="libm"), "cuda does not support this method; omit the option"),
    ):
        with pytest.raises(UsageError, match=message):
            generate(load_robot("planar3"), settings)


@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=str)
def test_sines_and_cosines_are_accurate_and_beyond_their_reach_not_a_number(real):
    function = loaded("cuda", package(kernel(SINE), real=real))["angles"]
    reach = 1e9 if real is DOUBLE else 1e6
    angles = np.concatenate([sample(real), reach * np.linspace(-1, 1, 1000)]).astype(real.dtype)
    (results,) = function(angles[:, None])
    for column, exact in ((0, mpmath.sin), (1, mpmath.cos)):
        errors = units_off(real, results[:, column], exact, angles)
        # Next to a zero of the cosine of a float, a unit in the last place is far below rounding.
        assert errors.max() < 2
    (outside,) = function(np.array([[2 * reach], [-2 * reach], [np.inf], [np.nan]]))
    assert np.isnan(outside).all()


@pytest.mark.parametrize("real", ["double", "float"])
def test_parts_and_shared_memory_change_no_digit(real, monkeypatch):
    made = with_kernels(
        generated(load_robot("planar3"), Settings("c", (DERIVATIVES,), verify=False, real=real))
    )
    whole = compiled(made, "cuda")
    inputs = np.random.default_rng(1).normal(size=(3, 100, 3))
    for values, shared, count, memory in (
        (14, 0, 4, ""),
        (5, 0, 6, "SHARED"),
        (5, 100_000, 1, "REQUESTED"),  # more than a kernel may declare
    ):
        words = values * (2 if real == "double" else 1)
        for module in (parts, header):
            monkeypatch.setattr(module, "MOST_WORDS", words)
            monkeypatch.setattr(module, "FEW_WORDS", words)
        monkeypatch.setattr(parts, "SHARED_WORDS", shared)
        monkeypatch.setattr(header, "SHARED_WORDS", 100_000 if memory == "SHARED" else 1)
        parts.divide_outputs.cache_clear()
        text = text_of(made.package)
        assert text.count("planar3_inverse_dynamics_derivatives_part_") == 2 * count
        assert ("PLANAR3_SHARED " + real in text) == (memory == "SHARED")
        assert ("PLANAR3_REQUESTED(" + real in text) == (memory == "REQUESTED")
        cut = compiled(made, "cuda")
        for one, other in zip(
            whole[DERIVATIVES](*inputs), cut[f"{DERIVATIVES}_batch"](*inputs), strict=True
        ):
            np.testing.assert_array_equal(one, other)
    parts.divide_outputs.cache_clear()


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("column + (size_t)row*stride", "column + row*37"),
        ("column[(size_t)row*stride]", "column[row*42]"),
        ("_BLOCK.x*PLANAR3_BLOCK_SIZE", "_BLOCK.x*PLANAR3_BLOCK_SIZE/2"),
        ("state >= count", "state + 1 >= count"),
        ("(turn & 2) ? -first", "(turn & 4) ? -first"),
    ],
)
def test_the_proof_finds_faults_in_what_kernels_share(right, wrong):
    made = with_kernels(
        generated(load_robot("planar3"), Settings("c", ("inverse_dynamics",), verify=False))
    )
    cuda = find_language("cuda")
    (file,) = cuda.print_kernels(made.package)
    # A block of few threads, so that the states of the proof need several.
    text = file.text.replace("PLANAR3_THREADS 64", "PLANAR3_THREADS 8")
    proved(made, load_package(cuda, made.package, [SourceFile(file.path, text)]), 100)
    assert right in text
    faulty = SourceFile(file.path, text.replace(right, wrong))
    with pytest.raises(VerificationError):
        proved(made, load_package(cuda, made.package, [faulty]), 100)


@pytest.mark.tools
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_headers_and_programs_have_no_warnings(compiler, tmp_path):
    functions = ("step", "friction_forces", "mass_matrix+bias_forces", "forward_dynamics")
    made = with_kernels(generated(LOADED_ARM, Settings("c", functions, verify=False))).package
    others = (EVERYTHING, OPAQUE)
    for place, each in enumerate((made, *(package(kernel(text), batch=True) for text in others))):
        folder = tmp_path / str(place)
        write_folder(folder, render("cuda", each))
        program = f"test/{each.prefix}_golden.cpp"
        command = [compiler, "-std=c++14", "-O1", "-ffp-contract=off", *WARNINGS, "-Iinclude"]
        for line in ([*command, program, "-o", "golden"], ["./golden"]):
            done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"{each.prefix}: 0 of ")


@pytest.mark.tools
@pytest.mark.parametrize(("robot", "real"), [("puma560", "float"), ("panda", "double")])
def test_machine_code_spills_no_registers(robot, real):
    functions = ("inverse_dynamics", "mass_matrix", "forward_dynamics", DERIVATIVES)
    settings = Settings("c", functions, verify=False, real=real)
    made = with_kernels(generated(load_robot(robot), settings)).package
    found = {each.name: each for each in compile_kernels(text_of(made))}
    assert set(found) == {f"{robot}_{name}_batch" for name in functions}
    assert all(each.spills == each.stack == 0 for each in found.values())
    if (robot, real) == ("puma560", "float"):
        assert found["puma560_inverse_dynamics_batch"].instructions <= 500


@pytest.mark.tools
def test_other_kernels_compile_for_a_gpu():
    functions = ("step", "friction_forces", "forward_dynamics")
    made = with_kernels(generated(LOADED_ARM, Settings("c", functions, verify=False))).package
    for each in (made, package(kernel(EVERYTHING), kernel(OPAQUE), batch=True, real=FLOAT)):
        assert len(compile_kernels(text_of(each))) == len(each.batch_kernels)


@pytest.mark.tools
def test_parts_of_a_large_kernel_share_values_and_spill_little():
    settings = Settings("c", ("forward_dynamics_derivatives",), verify=False)
    made = with_kernels(generated(load_robot("panda"), settings)).package
    text = text_of(made)
    (found,) = compile_kernels(text)
    assert "PANDA_SHARED double shared" in text
    assert found.spills <= 256
    # Without shared memory there are 12 parts of 23 784 instructions.
    assert found.instructions < 12_000
