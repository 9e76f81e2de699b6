"""C batch kernels: results of the kernels for one state, for any number of states and stride."""

import ctypes
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from dynagen.codegen.package import LIBM, VECTOR
from dynagen.codegen.targets.folder import write_folder
from dynagen.numbers.real import DOUBLE, FLOAT
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

WARNINGS = [
    "all",
    "extra",
    "pedantic",
    "conversion",
    "float-conversion",
    "double-promotion",
    "shadow",
    "error",
]
WARNINGS = [f"-W{name}" for name in WARNINGS]
COMPILERS = {
    "gcc": ["gcc", "-std=c99", "-Wmissing-prototypes"],
    "clang": ["clang", "-std=c99", "-Wmissing-prototypes"],
    "g++": ["g++", "-x", "c++", "-std=c++17"],
    "clang++": ["clang++", "-x", "c++", "-std=c++17"],
}
SANITIZERS = "-fsanitize=address,undefined,float-divide-by-zero,float-cast-overflow"


def built(made, folder, *options, compiler="gcc"):
    write_folder(folder / "out", render("c", made))
    sources = sorted(map(str, (folder / "out").glob("src/*.c")))
    library = folder / f"kernels{len(list(folder.glob('*.so')))}.so"
    command = [
        compiler,
        "-std=c99",
        "-O2",
        "-ffp-contract=off",
        "-shared",
        "-fPIC",
        f"-I{folder}/out/include",
        *options,
    ]
    subprocess.run([*command, *sources, "-lm", "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


@pytest.mark.parametrize(
    ("compiler", "real"),
    [("gcc", DOUBLE), ("clang", FLOAT), ("g++", FLOAT), ("clang++", DOUBLE)],
)
def test_compilers_have_nothing_to_say(compiler, real, tmp_path):
    kernels = [kernel(text) for text in (EVERYTHING, GRAVITY, PASSED_THROUGH, OPAQUE)]
    for threads, trig in ((False, LIBM), (True, VECTOR)):
        folder = tmp_path / trig
        made = package(
            *kernels, real=real, batch=True, threads=threads, trig=trig, single_file=threads
        )
        made = replace(made, longest=2 if threads else made.longest)
        write_folder(folder, render("c", made))
        for options in (
            ["-O0"],
            ["-O2", "-march=native"],
            ["-O2", "-fopenmp", "-DPUMA560_LANE_BYTES=16"],
        ):
            for source in map(str, folder.rglob("src/*_batch.c")):
                command = [
                    *COMPILERS[compiler],
                    *WARNINGS,
                    *options,
                    f"-I{folder}/include",
                    "-c",
                    source,
                    "-o",
                    "x.o",
                ]
                done = subprocess.run(
                    command, cwd=tmp_path, capture_output=True, text=True, check=False
                )
                assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
@pytest.mark.parametrize(
    "text", [EVERYTHING, GRAVITY, PASSED_THROUGH], ids=["everything", "gravity", "swap"]
)
@pytest.mark.parametrize(("compiler", "trig"), [("gcc", VECTOR), ("clang", VECTOR), ("gcc", LIBM)])
def test_any_number_of_states_in_vectors_of_any_width(text, real, compiler, trig, tmp_path):
    made = package(kernel(text), real=real, batch=True, trig=trig)
    for width in (16, 64):
        library = built(
            made, tmp_path, f"-DPUMA560_LANE_BYTES={width}", "-Wno-psabi", compiler=compiler
        )
        for count in (*range(20), 37):
            states = random_states(made, count, count)
            expected = one_by_one(library, made, states)
            for stride in {count, count + 1, count + 5}:
                assert_same(called(library, made, states, stride), expected)


# More rows than a cache set has lines.
MANY_ROWS = f"""
program many
input q[4] "numbers" "m"
output y[40] "results" "m"
section ""
{"".join(f"  y{k} = {k + 1}.0*q[{k % 4}] + 0.25*q[{(k + 1) % 4}]" + chr(10) for k in range(36))}
result y = {", ".join(f"y{k}" for k in range(36))}, 0, q[1], y3, 1
"""


@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_states_are_computed_in_tiles_at_strides_of_4096_bytes(real, compiler, tmp_path):
    made = package(kernel(MANY_ROWS), real=real, batch=True, threads=True)
    assert "_TILE(9)" in texts(render("c", made))["src/puma560_many_batch.c"]
    threads = ("-fopenmp",) if compiler == "gcc" else ("-march=native",)
    for options in ((), ("-DPUMA560_LANE_BYTES=64", "-Wno-psabi"), threads):
        tiled = built(made, tmp_path, *options, compiler=compiler)
        plain = built(made, tmp_path, *options, "-DPUMA560_TILES=0", compiler=compiler)
        for stride in (512, 1024, 1040, 4096, 8192):
            for count in (9, 17, 75, stride - 3, stride):
                states = random_states(made, count, count)
                found = called(tiled, made, states, stride)
                assert_same(found, called(plain, made, states, stride))
                np.testing.assert_array_equal(found[0][:, 37], states["q"][:, 1])


@pytest.mark.parametrize("stride", [1024, 1040])
def test_an_output_of_a_tile_may_be_the_same_array_as_an_input(stride, tmp_path):
    made = package(kernel(MANY_ROWS.replace("q[4]", "q[40]")), batch=True)
    library, states = built(made, tmp_path), random_states(made, 1001)
    expected = one_by_one(library, made, states)
    assert_same(called(library, made, states, stride, aliased="q"), expected)


def test_states_one_by_one_where_there_are_no_vectors(tmp_path):
    made = package(kernel(EVERYTHING), batch=True, trig=VECTOR)
    library, states = built(made, tmp_path, "-DPUMA560_NO_VECTORS"), random_states(made, 5)
    assert_same(called(library, made, states, 7), one_by_one(library, made, states))


@pytest.mark.parametrize("text", [EVERYTHING, PASSED_THROUGH], ids=["everything", "swap"])
def test_an_output_may_be_the_same_array_as_an_input(text, tmp_path):
    made = package(kernel(text), batch=True)
    library, states = built(made, tmp_path), random_states(made, 11)
    expected = one_by_one(library, made, states)
    for name in states:
        assert_same(called(library, made, states, 13, aliased=name)[:1], expected[:1])


@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
@pytest.mark.parametrize("options", [(), ("-march=native", "-O3")], ids=["any", "native"])
def test_what_is_no_number_stays_in_its_lane(real, options, tmp_path):
    made = package(kernel(OPAQUE), real=real, batch=True)
    library = built(made, tmp_path, *options)
    states = hostile_states(made)
    *values, status = called(library, made, states, len(states["q"]))
    *expected, expected_status = one_by_one(library, made, states)
    assert_same([*values, status], [*expected, expected_status])
    assert_same([np.signbit(value) for value in values], [np.signbit(value) for value in expected])
    assert set(status) == {0, 1}


def test_threads_divide_the_states(tmp_path):
    made = package(kernel(EVERYTHING), batch=True, threads=True)
    states = random_states(made, 10001)
    serial, parallel = built(made, tmp_path), built(made, tmp_path, "-fopenmp")
    assert_same(called(parallel, made, states, 10003), called(serial, made, states, 10003))
    symbols = subprocess.run(
        ["nm", "-D", parallel._name], capture_output=True, text=True, check=True
    ).stdout
    assert "GOMP_parallel" in symbols


def test_clones_are_chosen_at_run_time(tmp_path):
    made = package(kernel(EVERYTHING), batch=True, trig=VECTOR)
    states = random_states(made, 23)
    clones, plain = built(made, tmp_path, "-DPUMA560_CLONES"), built(made, tmp_path)
    symbols = subprocess.run(
        ["nm", clones._name], capture_output=True, text=True, check=True
    ).stdout
    assert {
        f"puma560_everything_batch_range.{each}"
        for each in ("arch_x86_64_v4", "arch_x86_64_v3", "default")
    } <= {line.split()[-1].removesuffix(".0") for line in symbols.splitlines()}
    assert_same(called(clones, made, states, 23), called(plain, made, states, 23))


@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
@pytest.mark.parametrize(
    "text",
    [EVERYTHING, GRAVITY, PASSED_THROUGH, OPAQUE],
    ids=["everything", "gravity", "swap", "opaque"],
)
@pytest.mark.parametrize("trig", [LIBM, VECTOR])
@pytest.mark.parametrize(
    ("compiler", "options"),
    [("gcc", ()), ("gcc", ("-DPUMA560_CLONES",)), ("clang", ("-march=native",))],
    ids=["gcc", "clones", "clang"],
)
def test_long_kernels_compute_the_same_in_segments(text, real, trig, compiler, options, tmp_path):
    made = replace(package(kernel(text), real=real, batch=True, trig=trig), longest=2)
    files = texts(render("c", made))
    (source,) = (text for path, text in files.items() if path.endswith("_batch.c"))
    assert source.count("PUMA560_LANE_SEGMENT void") > 1
    warnings = [*WARNINGS, "-Wmissing-prototypes", "-Wno-psabi"]
    library = built(made, tmp_path, *warnings, *options, compiler=compiler)
    for count in (1, 7, 37):
        states = random_states(made, count, count)
        expected = one_by_one(library, made, states)
        assert_same(called(library, made, states, count + 3), expected)
        first = made.kernels[0].program.signature.results[0]
        for name in states:
            if states[name].shape[1] == first.size:
                found = called(library, made, states, count + 3, aliased=name)
                assert_same(found[:1], expected[:1])


HARNESS = """
#include <stdlib.h>
#include "puma560.h"

int main(void)
{
    for (size_t count = 1; count < 40; count++) {
        double *q = malloc(3*count*sizeof *q), *qd = malloc(3*count*sizeof *q);
        double *qdd = malloc(3*count*sizeof *q);
        double *tau = malloc(3*count*sizeof *q), *jacobian = malloc(6*count*sizeof *q);
        for (size_t k = 0; k < 3*count; k++) {
            q[k] = 0.25*(double)k;
            qd[k] = 1.0;
            qdd[k] = 2.0;
        }
        puma560_everything_batch(count, count, q, qd, qdd, tau, jacobian);
        free(q); free(qd); free(qdd); free(tau); free(jacobian);
    }
    return 0;
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_sanitizers_are_silent_on_arrays_without_a_spare_number(compiler, tmp_path):
    write_folder(
        tmp_path / "out", render("c", package(kernel(EVERYTHING), batch=True, trig=VECTOR))
    )
    (tmp_path / "main.c").write_text(HARNESS)
    sources = [str(tmp_path / "main.c"), *map(str, (tmp_path / "out").glob("src/*.c"))]
    command = [
        compiler,
        "-g",
        "-O1",
        "-march=native",
        SANITIZERS,
        "-fno-sanitize-recover=all",
        f"-I{tmp_path}/out/include",
    ]
    subprocess.run([*command, *sources, "-lm", "-o", str(tmp_path / "program")], check=True)
    done = subprocess.run([str(tmp_path / "program")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_package_says_where_they_are():
    files = texts(render("c", package(kernel(EVERYTHING), kernel(GRAVITY), batch=True)))
    assert {
        "src/puma560_lanes.h",
        "src/puma560_everything_batch.c",
        "src/puma560_gravity_forces_batch.c",
    } <= set(files)
    assert "  src/puma560_everything_batch.c\n" in files["CMakeLists.txt"]
    assert '"symbol": "puma560_gravity_forces_batch"' in files["puma560.manifest.json"]
    assert (
        "void puma560_gravity_forces_batch(size_t count, size_t stride,"
        in files["include/puma560.h"]
    )
    one = texts(
        render("c", package(kernel(EVERYTHING), kernel(GRAVITY), batch=True, single_file=True))
    )
    assert [path for path in one if path.endswith("_batch.c")] == ["src/puma560_batch.c"]


@pytest.mark.tools
def test_cmake_builds_them(tmp_path):
    write_folder(tmp_path / "out", render("c", package(kernel(EVERYTHING), batch=True)))
    build = tmp_path / "build"
    subprocess.run(
        [shutil.which("cmake"), "-S", str(tmp_path / "out"), "-B", str(build)],
        check=True,
        capture_output=True,
    )
    subprocess.run(["cmake", "--build", str(build)], check=True, capture_output=True)
    symbols = subprocess.run(
        ["nm", str(build / "libpuma560.a")], capture_output=True, text=True, check=True
    ).stdout
    assert " T puma560_everything_batch\n" in symbols
