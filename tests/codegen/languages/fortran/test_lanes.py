"""Fortran batch kernels: vectorised loops, results of the kernels for one state, own sines."""

import ctypes
import subprocess
from dataclasses import replace

import mpmath
import numpy as np
import pytest

from dynagen.codegen.package import LIBM, VECTOR
from dynagen.errors import UsageError
from dynagen.numbers.real import DOUBLE, FLOAT
from dynagen.pipeline.generation import Settings, resolve
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from tests.support.lane_calls import assert_same, called, hostile_states, one_by_one, random_states
from tests.support.packages import (
    EVERYTHING,
    GRAVITY,
    OPAQUE,
    PASSED_THROUGH,
    kernel,
    package,
    render,
    texts,
)
from tests.support.sine_accuracy import REACH, sample, units_off

WARNINGS = [
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wimplicit-procedure",
    "-Wimplicit-interface",
    "-pedantic",
    "-Werror",
]
SINE_AND_COSINE = """
program sine_and_cosine
input q[1] "angle" "rad"
output y[2] "sine and cosine" ""
section ""
  s, c = sincos(q[0])
result y = s, c
"""
# Calls of what calls gave, in four rounds, and one of the same angle in all lanes.
ROUNDS = """
program rounds
input q[2] "angles" "rad"
output y[3] "results" ""
section "First"
  s1, _ = sincos(q[0])
  early = q[0]*q[1]
section "Second"
  angle = early + s1
  s2, c2 = sincos(angle)
  tangent = tanh(s2*c2)
section "Third"
  _, c3 = sincos(tangent - early)
  both = exp(c3)*(s1 + tangent)
  fixed, _ = sincos(0.5)
result y = both, fixed, early
"""
CALLER = """
program caller
  use puma560_dynamics
  use, intrinsic :: iso_c_binding, only: c_double, c_size_t
  implicit none
  real(c_double) :: q(40, 3), g(40, 2)
  integer :: state
  q = 0
  g = -1
  call puma560_gravity_forces_batch(37_c_size_t, 40_c_size_t, q, g)
  if (any([(abs(g(state, 1) - 9.81_c_double) > 0, state = 1, 37)])) error stop
  if (any(g(38:, :) > -1)) error stop
end program caller
"""


def compiled(folder, source, *options):
    """Compile a module; what the compiler says."""
    (folder / "module.f90").write_text(source)
    command = ["gfortran", *options, "module.f90"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


def built(made, folder, *options):
    """The kernels of a package, as a library."""
    source = texts(render("fortran", made))["puma560_dynamics.f90"]
    name = f"kernels{len(list(folder.glob('*.so')))}.so"
    compiled(
        folder,
        source,
        "-std=f2008",
        "-O2",
        "-ffp-contract=off",
        *options,
        "-shared",
        "-fPIC",
        "-o",
        name,
    )
    return ctypes.CDLL(str(folder / name))


@pytest.mark.tools
@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
def test_gfortran_has_nothing_to_say_and_makes_vectors_of_every_loop(real, tmp_path):
    kernels = [kernel(text) for text in (EVERYTHING, GRAVITY, PASSED_THROUGH, OPAQUE, ROUNDS)]
    for trig, threads, standard in ((VECTOR, True, "f2018"), (LIBM, False, "f2008")):
        made = package(*kernels, real=real, batch=True, threads=threads, trig=trig, vectors={})
        source = texts(render("fortran", made))["puma560_dynamics.f90"]
        options = [
            f"-std={standard}",
            "-O2",
            "-mavx2",
            "-fno-trapping-math",
            "-c",
            "-fopt-info-vec-optimized=report",
        ]
        assert compiled(tmp_path, source, *WARNINGS, "-fopenmp", *options) == ""
        report = [
            line
            for line in (tmp_path / "report").read_text().splitlines()
            if "loop vectorized" in line
        ]
        vectors = {int(line.split(":")[1]) for line in report}
        lines = source.splitlines()
        loops = [number for number, line in enumerate(lines, 1) if "do concurrent" in line]
        ends = [
            next(end for end in range(loop, len(lines)) if lines[end - 1] == "    end do")
            for loop in loops
        ]
        assert len(loops) == (8 if trig == VECTOR else 6)
        assert [
            loop
            for loop, end in zip(loops, ends, strict=True)
            if vectors.isdisjoint(range(loop, end))
        ] == []


@pytest.mark.tools
def test_a_fortran_program_calls_them_on_arrays_of_its_own(tmp_path):
    source = texts(render("fortran", package(kernel(GRAVITY), batch=True)))["puma560_dynamics.f90"]
    compiled(tmp_path, source + CALLER, "-std=f2008", "-fcheck=all", "-o", "caller")
    subprocess.run([str(tmp_path / "caller")], check=True)


@pytest.mark.tools
@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
@pytest.mark.parametrize(
    ("text", "trig"),
    [
        (EVERYTHING, LIBM),
        (EVERYTHING, VECTOR),
        (PASSED_THROUGH, LIBM),
        (ROUNDS, LIBM),
        (ROUNDS, VECTOR),
    ],
    ids=["everything", "everything in steps", "swap", "rounds", "rounds in steps"],
)
def test_any_number_of_states_in_arrays_of_any_width(text, trig, real, tmp_path):
    """Compare bitwise if functions are the same: gfortran uses glibc's others for vectors."""
    made = package(kernel(text), real=real, batch=True, trig=trig)
    library = built(made, tmp_path, "-fno-tree-vectorize")
    for count in (0, 1, 15, 16, 17, 32, 37):
        states = random_states(made, count, count)
        expected = one_by_one(library, made, states, returns_status=False)
        for stride in (count, count + 5):
            assert_same(called(library, made, states, stride), expected)


@pytest.mark.tools
def test_long_loops_are_cut(tmp_path):
    made = package(kernel(EVERYTHING), batch=True)
    source = texts(render("fortran", replace(made, longest=6)))["puma560_dynamics.f90"]
    assert source.count("do concurrent") > 4
    states = random_states(made, 19)
    cut, whole = (built(each, tmp_path) for each in (replace(made, longest=6), made))
    assert_same(called(cut, made, states, 20), called(whole, made, states, 20))


@pytest.mark.tools
def test_neighbours_of_a_state_do_not_matter(tmp_path):
    made = package(kernel(EVERYTHING), batch=True, trig=VECTOR)
    library, states = built(made, tmp_path, "-mavx2"), random_states(made, 23)
    states["q"][5] = 1e9
    together = called(library, made, states, 23)
    for state in range(23):
        alone = called(library, made, {name: values[[state]] for name, values in states.items()}, 1)
        assert_same(alone, [values[[state]] for values in together])


@pytest.mark.tools
@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
def test_what_is_no_number_stays_in_its_lane(real, tmp_path):
    made = package(kernel(OPAQUE), real=real, batch=True)
    library, states = built(made, tmp_path, "-fno-tree-vectorize"), hostile_states(made)
    *values, status = called(library, made, states, len(states["q"]))
    *expected, expected_status = one_by_one(library, made, states, returns_status=False)
    assert_same([*values, status], [*expected, expected_status])
    assert_same([np.signbit(value) for value in values], [np.signbit(value) for value in expected])
    assert set(status) == {0, 1}


@pytest.mark.tools
def test_threads_divide_the_states(tmp_path):
    made = package(kernel(EVERYTHING), batch=True, threads=True)
    states = random_states(made, 5001)
    serial, parallel = built(made, tmp_path), built(made, tmp_path, "-fopenmp")
    assert_same(called(parallel, made, states, 5003), called(serial, made, states, 5003))
    symbols = subprocess.run(
        ["nm", "-D", parallel._name], capture_output=True, text=True, check=True
    ).stdout
    assert "GOMP_parallel" in symbols


@pytest.mark.tools
@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
def test_sines_and_cosines_are_within_one_unit_in_the_last_place(real, tmp_path):
    made = package(kernel(SINE_AND_COSINE), real=real, batch=True, trig=VECTOR)
    angles = sample(real)[::3]
    for options in (), ("-mavx2", "-mfma", "-ffp-contract=fast"):
        library, states = built(made, tmp_path, *options), {"q": angles[:, None]}
        for (found,) in (
            called(library, made, states, len(angles)),
            one_by_one(library, made, states),
        ):
            assert units_off(real, found[:, 0], mpmath.sin, angles).max() < (
                0.95 if real is DOUBLE else 0.57
            )
            assert units_off(real, found[:, 1], mpmath.cos, angles).max() < (
                0.95 if real is DOUBLE else 0.57
            )


@pytest.mark.tools
def test_far_away_and_without_a_number_they_are_those_of_the_language(tmp_path):
    made = package(kernel(SINE_AND_COSINE), batch=True, trig=VECTOR)
    angles = np.array([1e6, -1e15, 1e300, np.nextafter(REACH, np.inf), np.inf, -np.inf, np.nan])
    library, language = built(made, tmp_path), built(replace(made, trig=LIBM), tmp_path)
    states = {"q": angles[:, None]}
    expected = one_by_one(language, made, states)
    assert_same(called(library, made, states, 9), expected)
    assert_same(one_by_one(library, made, states), expected)


@pytest.mark.tools
def test_options_that_regroup_sums_cost_digits_and_no_more(tmp_path):
    made = package(kernel(SINE_AND_COSINE), batch=True, trig=VECTOR)
    angles = np.random.default_rng(5).uniform(-4, 4, 1000)
    (found,) = called(
        built(made, tmp_path, "-Ofast", "-nostartfiles"), made, {"q": angles[:, None]}, 1000
    )
    np.testing.assert_allclose(
        found, np.stack([np.sin(angles), np.cos(angles)], 1), rtol=0, atol=1e-15
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"language": "python", "batch": True},
            "python has no batch kernels; expected --lang c, fortran",
        ),
        (
            {"language": "python", "trig": VECTOR},
            "--trig vector: python does not support this method; expected libm",
        ),
    ],
)
def test_what_a_language_lacks_is_refused(settings, message):
    with pytest.raises(UsageError, match=message):
        resolve(Settings(**settings), build_model(load_robot("planar3")))
