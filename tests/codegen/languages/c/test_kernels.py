"""Generated C: every compiler takes it in silence, and it keeps the promises of its header."""

import ctypes
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dynagen
from dynagen.codegen.targets.folder import write_folder
from dynagen.numbers.real import DOUBLE, FLOAT
from tests.support.packages import (
    EVERYTHING,
    GRAVITY,
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
    "gcc": ["gcc", "-std=c99", "-Wmissing-prototypes", *WARNINGS],
    "clang": ["clang", "-std=c99", "-Wmissing-prototypes", *WARNINGS],
    "g++": ["g++", "-x", "c++", "-std=c++17", *WARNINGS],
    "clang++": ["clang++", "-x", "c++", "-std=c++17", *WARNINGS],
}


def write(made, folder):
    write_folder(folder, render("c", made))
    return sorted(map(str, folder.glob("src/*.c")))


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def load(made, folder, *options):
    library = folder / "kernels.so"
    sources = write(made, folder / "out")
    run("gcc", "-std=c99", "-O2", "-ffp-contract=off", "-shared", "-fPIC",
        f"-I{folder}/out/include", *options, *sources, "-lm", "-o", str(library))  # fmt: skip
    return ctypes.CDLL(str(library))


def call(function, *arrays):
    function(*(array.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for array in arrays))


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
@pytest.mark.parametrize("optimisation", ["-O0", "-O2"])
def test_compilers_have_nothing_to_say(compiler, optimisation, real, tmp_path):
    made = package(kernel(EVERYTHING), kernel(GRAVITY), kernel(PASSED_THROUGH), real=real)
    write(made, tmp_path / "out")
    for source in map(str, (tmp_path / "out").rglob("*.c")):
        run(
            *COMPILERS[compiler],
            optimisation,
            f"-I{tmp_path}/out/include",
            "-c",
            source,
            "-o",
            str(tmp_path / "kernel.o"),
        )


@pytest.mark.tools
def test_the_header_stands_alone_and_links_with_cpp(tmp_path):
    sources = write(package(), tmp_path / "out")
    (tmp_path / "main.cpp").write_text(
        '#include "puma560.h"\n#include "puma560.h"\n'
        "int main() { puma560_real q[PUMA560_N] = {0}, tau[3], m[6];\n"
        "puma560_everything(q, q, q, tau, m); return tau[1] != 0; }\n"
    )
    include, program = f"-I{tmp_path}/out/include", str(tmp_path / "program")
    run("gcc", include, "-c", *sources, "-o", str(tmp_path / "kernel.o"))
    run(
        "g++", include, str(tmp_path / "main.cpp"), str(tmp_path / "kernel.o"), "-lm", "-o", program
    )
    run(program)


@pytest.mark.parametrize("aliased", [0, 1, 2])
def test_an_output_may_be_the_same_array_as_an_input(aliased, tmp_path):
    library = load(package(kernel(EVERYTHING), kernel(PASSED_THROUGH)), tmp_path)
    inputs = list(np.random.default_rng(3).uniform(-2.0, 2.0, (3, 3)))
    tau, jacobian = np.empty(3), np.empty(6)
    call(library.puma560_everything, *inputs, tau, jacobian)
    copies = [array.copy() for array in inputs]
    second = np.empty(6)
    call(library.puma560_everything, *copies, copies[aliased], second)
    assert copies[aliased].tobytes() == tau.tobytes()
    assert second.tobytes() == jacobian.tobytes()
    if aliased < 2:
        pair = [np.array([1.0, 2.0, 3.0]), np.array([5.0, 6.0, 7.0])]
        call(library.puma560_swap, *pair, pair[aliased])
        assert pair[aliased].tolist() == [2.0, 1.0, 4.0]


def test_sine_and_cosine_can_be_replaced(tmp_path):
    options = [
        "-DPUMA560_SINCOS(x,s,c)=((s)=(x),(c)=1.0)",
        "-DPUMA560_SIN(x)=(2.0*(x))",
        "-DPUMA560_COS(x)=7.0",
    ]
    library = load(package(kernel(GRAVITY), kernel(EVERYTHING)), tmp_path, *options)
    forces = np.empty(2)
    call(library.puma560_gravity_forces, np.array([0.3, 0.0, 0.0]), forces)
    assert forces.tolist() == [9.81 * 7.0, 0.0]
    q, zero, tau, jacobian = np.array([0.5, 0.25, 4.0]), np.zeros(3), np.empty(3), np.empty(6)
    call(library.puma560_everything, q, zero, zero, tau, jacobian)
    y0, quotient = -0.25, 4.0 * (0.5 - (1.0 - 2.0 * 0.75)) / (2.5 + 49.0)
    assert tau[2] == y0 / (quotient * -(-(y0 * quotient) + np.sqrt(3.0 + 1.5 * 1.5)))


def test_kernels_hold_no_data_and_call_nothing_but_sine_and_cosine(tmp_path):
    for source in write(package(kernel(EVERYTHING), kernel(PASSED_THROUGH)), tmp_path / "out"):
        run(
            "gcc",
            "-std=c99",
            "-O2",
            "-fno-math-errno",
            f"-I{tmp_path}/out/include",
            "-c",
            source,
            "-o",
            str(tmp_path / "k.o"),
        )
        symbols = subprocess.run(
            ["nm", str(tmp_path / "k.o")], capture_output=True, text=True, check=True
        ).stdout
        kinds = {line.split()[-1]: line.split()[-2] for line in symbols.splitlines()}
        assert {name for name, kind in kinds.items() if kind in "BbDdCc"} == set()
        undefined = {name for name, kind in kinds.items() if kind == "U"}
        assert undefined <= {"sin", "cos", "sincos", "_GLOBAL_OFFSET_TABLE_"}


def test_math_h_is_included_only_where_it_is_used():
    sources = texts(render("c", package(kernel(EVERYTHING), kernel(PASSED_THROUGH))))
    assert "#include <math.h>" in sources["src/puma560_everything.c"]
    assert "#include <math.h>" not in sources["src/puma560_swap.c"]
    assert "#include" not in sources["include/puma560.h"]


def test_the_header_documents_robot_and_functions():
    header = texts(render("c", package()))["include/puma560.h"]
    for line in (
        " * Source   Dhanaraj (1990), Tables 2.1, 2.5, 2.6",
        " * SHA-256  " + "0f" * 32,
        " * Gravity  (0, 0, -9.8) m/s^2 in the base frame",
        " * 1      upper arm  revolute   rad       N m",
        " * Generated by dynagen 1.2.3 from puma560.yaml. Do not edit.",
        "/* tau = ID(q, qd, qdd).",
        " *   qd        in   3      joint velocities, rad/s or m/s",
        "#define PUMA560_N 3",
        "typedef double puma560_real;",
    ):
        assert line in header.splitlines()


def test_equal_packages_give_equal_bytes_without_dates():
    first, second = (render("c", package()) for _ in range(2))
    assert first == second
    assert not re.search(r"20\d\d-\d\d-\d\d", "".join(file.text for file in first))


def test_local_names_avoid_everything_that_is_taken():
    taken = ["q0", "tau", "for", "y1", "sin", "class", "linux", "while", "while_", "puma560_real"]
    names = [name for name in taken if name != "tau"]
    lines = "\n".join(f"  {name} = {k + 2}*q[0]" for k, name in enumerate(names))
    text = f"""
program taken
input q[1] "position" "rad"
output tau[{len(names)}] "results" "N m"
section "Names"
{lines}
result tau = {", ".join(names)}
"""
    source = texts(render("c", package(kernel(text))))["src/puma560_taken.c"]
    declared = re.findall(r"const puma560_real (\w+) =", source)
    assert declared == [
        "q_0",
        "q0",
        "for_",
        "y1_",
        "sin_",
        "class_",
        "linux_",
        "while_",
        "while__",
        "puma560_real_",
    ]


def test_every_file_is_written(tmp_path):
    write(package(kernel(EVERYTHING), kernel(GRAVITY)), tmp_path / "out")
    found = {
        str(path.relative_to(tmp_path / "out"))
        for path in Path(tmp_path / "out").rglob("*")
        if path.is_file()
    }
    assert found == {
        "include/puma560.h",
        "src/puma560_everything.c",
        "src/puma560_gravity_forces.c",
        "example/puma560_example.c",
        "test/puma560_golden.c",
        "CMakeLists.txt",
        "misra.txt",
        "README.md",
        "puma560.manifest.json",
    }


def test_how_to_pass_one_number_is_said():
    files = dynagen.generate("pendulum", "step_euler", verify=False).files
    written = {Path(file.path).name: file.text for file in files}
    assert (
        " *   dt       in   1  length of the step, s (one number: &dt)\n" in written["pendulum.h"]
    )
    readme = written["README.md"]
    assert "pendulum_real dt = 0;\n" in readme
    assert "pendulum_step_euler(q, qd, tau, &dt, q_next, qd_next);\n" in readme
