"""Kernels in segments: no compiler warnings, and bitwise the results of the whole kernel."""

import ctypes
import subprocess
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from dynagen.codegen.language import load_package
from dynagen.codegen.languages import find_language
from dynagen.numbers.real import DOUBLE, FLOAT
from dynagen.pipeline.driver import Settings
from dynagen.robot.loading import load_robot
from tests.support.generated_once import generated, proved
from tests.support.packages import EVERYTHING, PASSED_THROUGH, kernel, package

LONGEST = 60
FUNCTIONS = ("forward_dynamics", "regressor", "inverse_dynamics_derivatives")
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
COMPILERS = {
    "gcc": ["gcc", "-std=c99", *STRICT],
    "clang": ["clang", "-std=c99", "-Weverything", "-Wno-declaration-after-statement", "-Werror"],
    "g++": ["g++", "-x", "c++", "-std=c++17", *STRICT],
}


@lru_cache
def generation(real="double"):
    return generated(load_robot("planar3"), Settings("c", FUNCTIONS, real=real))


def segmented(made):
    return replace(made, longest=LONGEST)


def sources(language, made, folder):
    files = find_language(language).print_kernels(made)
    for file in files:
        (folder / file.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.path).write_text(file.text)
    return [str(folder / file.path) for file in files if not file.path.endswith(".h")]


def compiled(language, made):
    chosen = find_language(language)
    return load_package(chosen, made, chosen.print_kernels(made))


@pytest.mark.language_can("sizes")
@pytest.mark.parametrize("real", ["double", "float"])
def test_results_keep_their_bits_and_are_proved(language, real):
    made = generation(real)
    whole, parts = compiled(language, made.package), compiled(language, segmented(made.package))
    rng = np.random.default_rng(5)
    for name in FUNCTIONS:
        inputs = [
            rng.uniform(-3, 3, (50, *argument.shape)) for argument in whole[name].signature.inputs
        ]
        for one, other in zip(whole[name](*inputs), parts[name](*inputs), strict=True):
            assert one.tobytes() == other.tobytes()
    proved(made, parts, states=50)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("real", ["double", "float"])
def test_c_compilers_have_nothing_to_say(compiler, real, tmp_path):
    for place, made in enumerate(
        (generation(real).package, replace(generation(real).package, single_file=True))
    ):
        for source in sources("c", segmented(made), tmp_path / str(place)):
            command = [
                *COMPILERS[compiler],
                "-O2",
                f"-I{tmp_path}/{place}/include",
                "-c",
                source,
                "-o",
                f"{tmp_path}/x.o",
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr


@pytest.mark.tools
def test_gfortran_has_nothing_to_say(tmp_path):
    (source,) = sources("fortran", segmented(generation().package), tmp_path)
    command = [
        "gfortran",
        "-std=f2008",
        "-O2",
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-pedantic",
        "-Werror",
        "-c",
        source,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
@pytest.mark.parametrize("text", [EVERYTHING, PASSED_THROUGH], ids=["everything", "swap"])
def test_an_output_may_be_the_same_array_as_an_input(text, real, tmp_path):
    made = replace(package(kernel(text), real=real), longest=2)
    name = made.kernels[0].function
    library = tmp_path / "kernels.so"
    command = [
        "gcc",
        "-std=c99",
        "-O2",
        "-ffp-contract=off",
        "-shared",
        "-fPIC",
        f"-I{tmp_path}/include",
    ]
    subprocess.run([*command, *sources("c", made, tmp_path), "-lm", "-o", str(library)], check=True)
    call = ctypes.CDLL(str(library))[f"puma560_{name}"]
    inputs = list(
        np.random.default_rng(3)
        .uniform(-2, 2, (len(made.kernels[0].program.inputs), 3))
        .astype(real.dtype)
    )
    outputs = [
        np.empty(output.argument.size, real.dtype) for output in made.kernels[0].program.outputs
    ]
    call(*(ctypes.c_void_p(array.ctypes.data) for array in (*inputs, *outputs)))
    for aliased in range(len(inputs)):
        copies, others = [array.copy() for array in inputs], [array.copy() for array in outputs[1:]]
        call(*(ctypes.c_void_p(array.ctypes.data) for array in (*copies, copies[aliased], *others)))
        assert [copies[aliased].tobytes(), *(array.tobytes() for array in others)] == [
            array.tobytes() for array in outputs
        ]


def test_a_segment_says_which_steps_it_takes():
    source = next(
        file.text
        for file in find_language("c").print_kernels(segmented(generation().package))
        if file.path.endswith("forward_dynamics.c")
    )
    assert "/* Segment 1 of " in source
    assert "struct planar3_forward_dynamics_kept {" in source
    assert "static PLANAR3_SEGMENT void planar3_forward_dynamics_1(" in source
