"""Programs around C kernels: the example runs, the golden test finds errors, CMake builds all."""

import json
import re
import subprocess
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dynagen.codegen.targets.folder import write_folder
from dynagen.codegen.targets.golden import make_golden_kernels
from dynagen.errors import UsageError
from dynagen.ir.builder import Builder
from dynagen.ir.operation import make_lookup
from dynagen.ir.program import Argument, Output
from dynagen.ir.tables import Table
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import DOUBLE, FLOAT
from dynagen.pipeline.driver import Settings, generate
from tests.support.loaded_arm import LOADED_ARM
from tests.support.packages import EVERYTHING, GRAVITY, kernel, package, render, texts
from tests.support.random_robots import random_description

REALS = pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
PREPARED = """
program prepare
input values[1] "parameters" "kg"
output params[2] "parameters, prepared" "" ""
section ""
  half = 0.5*values[0]
result params = values[0], half
"""
WITH_PARAMETERS = """
program torque
input q[1] "position" "rad"
input params[2] "parameters, prepared" "" ""
output tau[1] "torque" "N m"
section ""
  s1, _ = sincos(q[0])
  torque = s1*params[1]
result tau = torque
"""


def write(folder, made):
    write_folder(folder, render("c", made))
    return folder


def compile_and_run(folder, program, *compiler):
    command = [
        *(compiler or ("gcc", "-std=c99")),
        "-Iinclude",
        *sorted(str(path) for path in folder.glob("src/*.c")),
    ]
    subprocess.run([*command, program, "-lm", "-o", "program"], cwd=folder, check=True)
    return subprocess.run(
        ["./program"], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )


@REALS
@pytest.mark.parametrize("single_file", [False, True], ids=["files", "one-file"])
def test_example_and_golden_test_run(tmp_path, real, single_file):
    made = package(kernel(EVERYTHING), kernel(GRAVITY), real=real, single_file=single_file)
    folder = write(tmp_path, made)
    assert len(list(folder.glob("src/*.c"))) == (1 if single_file else 2)
    done = compile_and_run(folder, "test/puma560_golden.c")
    assert (done.returncode, done.stdout) == (0, "puma560: 0 of 33 values wrong\n")
    (command,) = re.findall(r"^ {4}(cc .*)$", (folder / "README.md").read_text(), re.MULTILINE)
    done = subprocess.run(
        command, shell=True, cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert [line.split(" = ")[0] for line in done.stdout.splitlines()][:3] == [
        "tau[0]",
        "tau[1]",
        "tau[2]",
    ]
    assert (
        float(done.stdout.splitlines()[1].split(" = ")[1]) == 0.25
    )  # q[0] of the first state, passed through


@REALS
@pytest.mark.parametrize(
    ("right", "wrong", "count"),
    [("9.81", "9.8101", 3), ("9.81", "(q_0 - q_0)/(q_0 - q_0)*9.81", 3), ("= q[0]", "= q[1]", 3)],
    ids=["a constant", "not a number", "an argument"],
)
def test_the_golden_test_counts_what_is_wrong(tmp_path, real, right, wrong, count):
    folder = write(tmp_path, package(kernel(GRAVITY), real=real))
    (source,) = folder.glob("src/*.c")
    text = source.read_text()
    right, wrong = (text.replace("sincos(", "PUMA560_COS(") for text in (right, wrong))
    assert right in text
    source.write_text(text.replace(right, wrong))
    done = compile_and_run(folder, "test/puma560_golden.c")
    assert (done.returncode, done.stdout) == (count, f"puma560: {count} of 6 values wrong\n")


def test_a_bare_machine_needs_no_library_but_sine_and_cosine(tmp_path):
    folder = write(tmp_path, package(kernel(GRAVITY), real=FLOAT))
    needed = set()
    for source in [*folder.glob("src/*.c"), folder / "test/puma560_golden.c"]:
        flags = [
            "-std=c99",
            "-ffreestanding",
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Iinclude",
            "-Dmain=golden",
        ]
        subprocess.run(["gcc", *flags, "-c", str(source), "-o", "object.o"], cwd=folder, check=True)
        names = subprocess.run(
            ["nm", "-u", "object.o"], cwd=folder, check=True, capture_output=True, text=True
        ).stdout
        needed |= set(re.findall(r"U (\w+)", names))
    assert needed - {"_GLOBAL_OFFSET_TABLE_"} == {"cosf", "puma560_gravity_forces"}


def test_what_one_kernel_prepares_goes_into_the_next(tmp_path):
    made = package(
        kernel(PREPARED), kernel(WITH_PARAMETERS), vectors={"values": ((3.0,),), "q": ((0.5,),)}
    )
    prepare, torque = make_golden_kernels(made)
    assert prepare.outputs[0].expected == ((3.0, 1.5),)
    assert torque.inputs["params"] == ((3.0, 1.5),)
    assert torque.outputs[0].expected == ((1.5 * 0.479425538604203,),)
    done = compile_and_run(write(tmp_path, made), "test/puma560_golden.c")
    assert (done.returncode, done.stdout) == (0, "puma560: 0 of 3 values wrong\n")


def test_allowed_errors_stay_small_along_a_chain():
    chain = random_description(5, 24, prismatic=0, right_angles=0)
    made = generate(chain, Settings("c", ("forward_dynamics",), optimize="none"), prove=False)
    (golden,) = make_golden_kernels(made.package)
    (output,) = golden.outputs
    assert len(output.expected) == 6  # no state is left out
    assert np.all(output.allowed <= 1e-9 * np.abs(output.expected).max(axis=0))


@REALS
def test_golden_values_are_rounded_once(real):
    text = """
program thirds
input q[1] "number" "m"
output y[3] "results" "m"
section ""
  y0 = q[0]/3
  y1 = 0.1*q[0]
  y2 = q[0]*q[0]
result y = y0, y1, y2
"""
    (golden,) = make_golden_kernels(
        package(kernel(text), real=real, vectors={"q": ((7.0,), (-11.0,))})
    )
    for q, row in zip((7, -11), golden.outputs[0].expected, strict=True):
        exact = Fraction(q, 3), Fraction(q, 10), Fraction(q * q)
        assert row == tuple(float(real.round(Exact(value))) for value in exact)
    # For 0.1*q the constant is rounded, then the product; twice their sum, and the larger of the
    # states.
    assert golden.outputs[0].allowed[1] == pytest.approx(real.epsilon * 2 * 1.1, rel=1e-9)


@REALS
def test_kernels_stay_within_what_golden_vectors_allow_on_many_states(real, tmp_path):
    states = np.random.default_rng(5).uniform(-3.0, 3.0, (200, 3)).astype(real.dtype).astype(float)
    rows = tuple(map(tuple, states.tolist()))
    made = package(
        kernel(EVERYTHING), real=real, vectors={"q": rows, "qd": rows[::-1], "qdd": rows}
    )
    done = compile_and_run(write(tmp_path, made), "test/puma560_golden.c")
    assert (done.returncode, done.stdout) == (0, "puma560: 0 of 1800 values wrong\n")


def test_a_robot_without_a_value_is_refused():
    text = EVERYTHING.replace("2.5 + c3*c3", "q[0] - q[0]")
    with pytest.raises(UsageError, match=r"everything has no value at q = \[0.25, 0.75, 1.25\]"):
        render("c", package(kernel(text)))


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@REALS
def test_sanitizers_have_nothing_to_say(tmp_path, compiler, real):
    folder = write(tmp_path, package(kernel(EVERYTHING), kernel(GRAVITY), real=real))
    sanitizers = "-fsanitize=address,undefined,float-divide-by-zero,float-cast-overflow"
    for program in ("test/puma560_golden.c", "example/puma560_example.c"):
        done = compile_and_run(
            folder, program, compiler, "-std=c99", "-g", sanitizers, "-fno-sanitize-recover=all"
        )
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.tools
def test_cmake_builds_and_tests_the_folder_alone_and_inside_another_project(tmp_path):
    folder = write(tmp_path / "puma560", package(kernel(EVERYTHING), kernel(GRAVITY)))
    cmake(folder, tmp_path / "alone")
    done = subprocess.run(
        ["ctest"], cwd=tmp_path / "alone", capture_output=True, text=True, check=False
    )
    assert re.search(r"100% tests passed.* out of 2\n", done.stdout)  # wording differs by version
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(controller C)\nadd_subdirectory(puma560)\n"
        "add_executable(controller main.c)\n"
        "target_link_libraries(controller PRIVATE puma560::puma560)\n"
    )
    caller = (
        '#include "puma560.h"\nint main(void) { puma560_real q[PUMA560_N] = {0}, g[2];\n'
        "puma560_gravity_forces(q, g); return g[0] != (puma560_real)9.81; }\n"
    )
    (tmp_path / "main.c").write_text(caller)
    cmake(tmp_path, tmp_path / "inside")
    subprocess.run([tmp_path / "inside/controller"], check=True)
    assert not list((tmp_path / "inside").rglob("*puma560_golden*.o"))
    # A program with a main of its own calls the golden vectors as a library.
    with (tmp_path / "CMakeLists.txt").open("a") as lists:
        lists.write("target_link_libraries(controller PRIVATE puma560::golden)\n")
    (tmp_path / "main.c").write_text(
        "int puma560_golden(void);\nint main(void) { return puma560_golden(); }\n"
    )
    cmake(tmp_path, tmp_path / "inside")
    assert subprocess.run([tmp_path / "inside/controller"], check=False).returncode == 0
    for source in folder.glob("src/*gravity_forces.c"):
        source.write_text(source.read_text().replace("9.81", "9.8101"))
    cmake(tmp_path, tmp_path / "inside")
    assert subprocess.run([tmp_path / "inside/controller"], check=False).returncode == 3


@pytest.mark.tools
def test_it_builds_for_windows_without_a_warning(tmp_path):
    folder = write(tmp_path / "puma560", package(kernel(EVERYTHING), kernel(GRAVITY)))
    strict = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
    windows = (
        "-DCMAKE_SYSTEM_NAME=Windows",
        "-DCMAKE_C_COMPILER=x86_64-w64-mingw32-gcc",
        f"-DCMAKE_C_FLAGS={strict}",
    )
    cmake(folder, tmp_path / "build", *windows)
    for program in ("puma560_example.exe", "puma560_golden.exe"):
        assert (tmp_path / "build" / program).read_bytes().startswith(b"MZ")


MAIN = """
#include "control.h"
int main(void) { return control() != (puma560_real)9.81; }
"""
CONTROL = """
#include "control.h"
puma560_real control(void)
{ puma560_real q[PUMA560_N] = {0}, g[2]; puma560_gravity_forces(q, g); return g[0]; }
"""
LIBRARY = """
cmake_minimum_required(VERSION 3.16)
project(control C)
add_subdirectory(puma560)
add_library(control SHARED control.c)
target_include_directories(control PUBLIC $<INSTALL_INTERFACE:include>)
target_link_libraries(control PUBLIC puma560::puma560)
install(TARGETS control EXPORT control PUBLIC_HEADER DESTINATION include)
install(FILES control.h DESTINATION include)
install(EXPORT control DESTINATION cmake FILE controlTargets.cmake)
file(WRITE ${CMAKE_BINARY_DIR}/controlConfig.cmake
     "find_package(puma560 REQUIRED)\n"
     "include(${CMAKE_INSTALL_PREFIX}/cmake/controlTargets.cmake)\n")
install(FILES ${CMAKE_BINARY_DIR}/controlConfig.cmake DESTINATION cmake)
"""
PROGRAM = """
cmake_minimum_required(VERSION 3.16)
project(program C)
find_package(control REQUIRED)
add_executable(program main.c)
target_link_libraries(program PRIVATE control)
"""


@pytest.mark.tools
def test_a_shared_library_of_a_package_links_it_publicly_and_both_are_installed(tmp_path):
    sources, installed = tmp_path / "library", tmp_path / "installed"
    write(sources / "puma560", package(kernel(GRAVITY)))
    declaration = '#include "puma560.h"\npuma560_real control(void);\n'
    for name, text in {
        "control.c": CONTROL,
        "control.h": declaration,
        "CMakeLists.txt": LIBRARY,
    }.items():
        (sources / name).write_text(text)
    cmake(sources, tmp_path / "build", f"-DCMAKE_INSTALL_PREFIX={installed}")
    subprocess.run(["cmake", "--install", tmp_path / "build"], check=True, capture_output=True)
    program = tmp_path / "program"
    program.mkdir()
    (program / "main.c").write_text(MAIN)
    (program / "CMakeLists.txt").write_text(PROGRAM)
    cmake(
        program,
        program / "build",
        f"-DCMAKE_PREFIX_PATH={installed}",
        f"-Dcontrol_DIR={installed}/cmake",
    )
    subprocess.run([program / "build/program"], check=True)


def cmake(source, build, *options):
    for command in (
        ["-S", source, "-B", build, "--log-level=WARNING", *options],
        ["--build", build],
    ):
        done = subprocess.run(["cmake", *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_one_file_has_the_same_kernels_and_the_manifest_says_where():
    made = package(kernel(EVERYTHING), kernel(GRAVITY))
    many = texts(render("c", made))
    one = texts(render("c", package(kernel(EVERYTHING), kernel(GRAVITY), single_file=True)))
    assert one["include/puma560.h"] == many["include/puma560.h"]
    manifest = json.loads(one["puma560.manifest.json"])
    assert {entry["file"] for entry in manifest["kernels"].values()} == {"src/puma560.c"}
    for name in ("everything", "gravity_forces"):
        text = many[f"src/puma560_{name}.c"]
        body = text[text.index("{\n") :]
        assert body in one["src/puma560.c"]


@pytest.mark.language_can("one file")
def test_other_languages_are_one_file_anyway(language):
    assert render(language, package()) == render(language, package(single_file=True))


def test_the_example_calls_at_rest_and_prepare_is_proved_through_its_callers():
    files = {
        file.path: file.text
        for file in generate(LOADED_ARM, Settings(functions=("inverse_dynamics",), states=20)).files
    }
    assert "wrench[6] = {0};" in files["example/loaded_example.c"]
    kernels = json.loads(files["loaded.manifest.json"])["kernels"]
    compared = {"states": 20, "seed": 20260101, "within": 1e-12}
    assert kernels["prepare"]["verified"] == {**compared, "through": ["inverse_dynamics"]}
    assert kernels["inverse_dynamics"]["verified"] == {
        **compared,
        "references": ["Newton-Euler", "Lagrange"],
    }


def test_golden_vectors_look_up_tables(tmp_path):
    table = make_lookup(Table("heights", (Exact("0.1"), Exact(1) / 3, Exact("0.7"))))
    builder = Builder("heights", [Argument("q", (1,), ("rad",), "position")])
    height = builder.emit(table, builder.add_element("q", 0))
    program = builder.finish([Output(Argument("y", (1,), ("m",), "height"), (height,))])
    made = package(
        replace(kernel(GRAVITY), program=program), vectors={"q": ((1.5,), (-3.0,), (9.0,))}
    )
    (golden,) = make_golden_kernels(made)
    assert golden.outputs[0].expected == ((1 / 3,), (0.1,), (0.7,))
    done = compile_and_run(write(tmp_path, made), "test/puma560_golden.c")
    assert (done.returncode, done.stdout) == (0, "puma560: 0 of 3 values wrong\n")
