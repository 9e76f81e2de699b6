"""Sines and cosines in one step: accuracy, angles left to the C library, replacement by users."""

import ctypes
import subprocess

import mpmath
import numpy as np
import pytest

import dynagen
from dynagen.codegen.package import VECTOR
from dynagen.codegen.targets.folder import write_folder
from dynagen.codegen.trigonometry import TITLE, move_angles_first
from dynagen.ir.statements import Assignment, SineCosine, write_statements
from dynagen.numbers.real import DOUBLE, FLOAT
from tests.support.c_operations import count_operations
from tests.support.packages import EVERYTHING, GRAVITY, kernel, package, render, texts
from tests.support.program_parser import parse_program
from tests.support.sine_accuracy import REACH, sample, units_off

ANGLES = """
#include "puma560_trig.h"
void sincos_of(size_t count, const puma560_real *angles, puma560_real *sines, puma560_real *cosines)
{
    for (size_t k = 0; k < count; k++) {
        const puma560_four x = {(double)angles[k], 0.5};
        puma560_four s, c;
        puma560_sincos_four(2, &x, &s, &c);
        sines[k] = (puma560_real)s[0];
        cosines[k] = (puma560_real)c[0];
    }
}
"""
FUSED = ("-mavx2", "-mfma", "-ffp-contract=fast")


def made_of(*texts_, real=DOUBLE):
    return package(*map(kernel, texts_), real=real, trig=VECTOR)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Packages in double and float, and a function that takes any number of angles."""
    root = tmp_path_factory.mktemp("trigonometry")
    for real in (DOUBLE, FLOAT):
        write_folder(root / real.name, render("c", made_of(EVERYTHING, GRAVITY, real=real)))
        (root / f"{real.name}.c").write_text(ANGLES)
    return root


def sines_and_cosines(folder, real, angles, *options, compiler="gcc"):
    """What generated code computes, with the options of a compiler."""
    library = folder / f"{abs(hash((real.name, compiler, *options)))}.so"
    command = [compiler, "-std=c99", "-O2", "-shared", "-fPIC", *(options or ["-ffp-contract=off"])]
    includes = [f"-I{folder}/{real.name}/{each}" for each in ("include", "src")]
    subprocess.run(
        [*command, *includes, str(folder / f"{real.name}.c"), "-lm", "-o", str(library)], check=True
    )
    angles = np.ascontiguousarray(angles, real.dtype)
    sines, cosines = np.empty_like(angles), np.empty_like(angles)
    ctypes.CDLL(str(library)).sincos_of(
        ctypes.c_size_t(len(angles)), *(each.ctypes for each in (angles, sines, cosines))
    )
    return sines, cosines


@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
@pytest.mark.parametrize("options", [(), FUSED], ids=["separate", "fused"])
def test_results_are_within_one_unit_in_the_last_place(folder, real, options):
    angles = sample(real)
    sines, cosines = sines_and_cosines(folder, real, angles, *options)
    assert units_off(real, sines, mpmath.sin, angles).max() < (0.95 if real is DOUBLE else 0.57)
    assert units_off(real, cosines, mpmath.cos, angles).max() < (0.95 if real is DOUBLE else 0.57)


def test_far_away_and_without_a_number_they_are_those_of_the_c_library(folder):
    angles = np.array(
        [1e6, -1e15, 1e300, REACH, np.nextafter(REACH, np.inf), np.inf, -np.inf, np.nan]
    )
    sines, cosines = sines_and_cosines(folder, DOUBLE, angles)
    libm_sines, libm_cosines = sines_and_cosines(folder, DOUBLE, angles, "-DPUMA560_OWN_SINCOS")
    far = np.abs(angles) != REACH
    np.testing.assert_array_equal(sines[far], libm_sines[far])
    np.testing.assert_array_equal(cosines[far], libm_cosines[far])
    assert np.isnan(sines[5:]).all()
    assert np.isnan(cosines[5:]).all()


@pytest.mark.tools
@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
def test_every_compiler_computes_the_same_to_the_last_bit(folder, real):
    angles = np.concatenate([sample(real), [1e7, -3e8]])
    expected = sines_and_cosines(folder, real, angles)
    for compiler, *options in (
        ["clang"],
        ["gcc", "-DPUMA560_NO_VECTORS"],
        ["gcc", "-mavx2"],
        ["clang", "-O0"],
    ):
        found = sines_and_cosines(
            folder, real, angles, "-ffp-contract=off", *options, compiler=compiler
        )
        np.testing.assert_array_equal(found, expected)


def test_where_compilers_may_regroup_sums_the_c_library_computes(folder):
    angles = sample(DOUBLE)
    sines, cosines = sines_and_cosines(folder, DOUBLE, angles, "-ffast-math", "-nostartfiles")
    assert units_off(DOUBLE, sines, mpmath.sin, angles).max() < 1
    assert units_off(DOUBLE, cosines, mpmath.cos, angles).max() < 1


def test_ones_own_sine_and_cosine_win(folder):
    options = ["-DPUMA560_SINCOS(x,s,c)=((s)=(x),(c)=2*(x))"]
    sines, cosines = sines_and_cosines(folder, DOUBLE, [0.25, 3.0], *options)
    assert (sines.tolist(), cosines.tolist()) == ([0.25, 3.0], [0.5, 6.0])


@pytest.mark.parametrize(
    "compiler",
    ["gcc -std=c99", "clang -std=c99", "g++ -x c++ -std=c++17", "clang++ -x c++ -std=c++17"],
)
def test_compilers_have_nothing_to_say(folder, compiler, tmp_path):
    warnings = [
        f"-W{name}"
        for name in (
            "all",
            "extra",
            "pedantic",
            "conversion",
            "double-promotion",
            "shadow",
            "error",
        )
    ]
    for real in (DOUBLE, FLOAT):
        sources = sorted(map(str, (folder / real.name).glob("src/*.c")))
        assert len(sources) == 2
        for option in ("-march=native", "-DPUMA560_OWN_SINCOS"):
            command = [
                *compiler.split(),
                *warnings,
                "-O1",
                option,
                f"-I{folder}/{real.name}/include",
                "-c",
                *sources,
            ]
            done = subprocess.run(
                command, cwd=tmp_path, capture_output=True, text=True, check=False
            )
            assert done.stderr == ""


def test_sines_and_cosines_come_first_with_what_their_angles_are_made_of():
    text = """
program steps
input q[3] "positions" "rad"
output y[2] "results" "m"
section "One"
  unrelated = q[0]*q[1]
  sum = q[0] + q[1]
  twice = 2*sum
  s1, c1 = sincos(twice)
section "Two"
  product = s1*unrelated
  s2, _ = sincos(q[2])
  _, c3 = sincos(product)
section "Three"
  y1 = s2 + c1
result y = y1, c3
"""
    blocks = move_angles_first(write_statements(parse_program(text.strip() + "\n"))).blocks
    assert [block.title for block in blocks] == [TITLE, "One", "Two", "Three"]
    names = [
        each.name if isinstance(each, Assignment) else each.sine or each.cosine
        for each in blocks[0].statements
    ]
    assert names == ["sum", "twice", "s1", "s2"]
    assert isinstance(blocks[2].statements[-1], SineCosine)


def test_the_counts_are_those_of_the_code():
    generation = dynagen.generate(
        "panda", ["mass_matrix", "inverse_dynamics", "jacobian"], trig=VECTOR, verify=False
    )
    sources = {file.path: file.text for file in generation.files}
    for function in generation.functions:
        assert (
            count_operations(sources[f"src/panda_{function.name}.c"], "panda")
            == function.operations
        )


def test_the_names_of_a_step_are_explained():
    source = texts(render("c", made_of(EVERYTHING)))["src/puma560_everything.c"]
    assert " *   angles<k>   up to four angles" in source
    assert "#include <math.h>" not in source
