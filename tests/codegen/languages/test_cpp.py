"""Generated C++: templates for double, float and dual numbers, and functions for Eigen."""

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynagen.codegen.targets.folder import write_folder
from dynagen.numbers.real import FLOAT
from dynagen.pipeline.driver import Settings
from dynagen.robot.loading import load_robot
from tests.support.generated_once import compiled, generated
from tests.support.libraries import find_eigen
from tests.support.loaded_arm import LOADED_ARM
from tests.support.packages import EVERYTHING, GRAVITY, OPAQUE, kernel, package, render, texts

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wconversion", "-Wshadow")
FUNCTIONS = ("inverse_dynamics", "coriolis_matrix", "jacobian", "inverse_dynamics_derivatives")
DUAL = Path(__file__).with_name("dual.hpp")


def header(*kernels, **changes):
    return texts(render("cpp", package(*kernels, **changes)))["include/puma560.hpp"]


def build(folder, program, compiler="g++", *options):
    """Compile a program with all warnings, run it, and return its output."""
    (folder / "main.cpp").write_text(program)
    command = [compiler, "-std=c++17", "-O1", "-ffp-contract=off", *WARNINGS, *options]
    command += [f"-I{folder}/include", f"-I{DUAL.parent}", "main.cpp", "-o", "main"]
    for line in (command, ["./main"]):
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return done.stdout


def test_functions_are_templates_whose_sines_are_found_by_type():
    text = header(kernel(GRAVITY))
    assert "template <class Real>\ninline void gravity_forces(const Real *q, Real *g)\n" in text
    assert "    using std::cos;\n" in text
    assert "    const Real c1 = cos(q_0);\n" in text
    assert " *   g  out  2  joint forces that hold the robot against gravity, N m\n" in text


def test_constants_have_their_own_type_and_alone_that_of_results():
    text = header(kernel(EVERYTHING))
    assert "const Real y0 = Number(-1.49)*qd_0 - Number(0.25);" in text
    assert "jacobian[3] = Real(0.3333333333333333);" in text
    assert "Number(-1.49f)*" in header(kernel(EVERYTHING), real=FLOAT)
    assert "min_of(q_1, Real(0.25))" in header(kernel(OPAQUE))


@pytest.fixture(scope="module")
def arm():
    return generated(load_robot("puma560"), Settings("c", FUNCTIONS, verify=False))


@pytest.mark.tools
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_headers_and_programs_have_no_warnings(compiler, tmp_path):
    functions = ("step", "friction_forces", "mass_matrix+bias_forces", "forward_dynamics")
    made = generated(LOADED_ARM, Settings("c", functions, verify=False)).package
    every = (made, replace(made, longest=40), package(kernel(EVERYTHING)), package(kernel(OPAQUE)))
    for place, each in enumerate(every):
        folder = tmp_path / str(place)
        write_folder(folder, render("cpp", each))
        program = (folder / "test" / f"{each.prefix}_golden.cpp").read_text()
        with_eigen = f'#include "{each.prefix}_eigen.hpp"\n{program}'
        text = build(folder, with_eigen, compiler, f"-isystem{find_eigen()}")
        assert text.startswith(f"{each.prefix}: 0 of ")


@pytest.mark.tools
@pytest.mark.parametrize("real", ["double", "float"])
def test_double_and_float_compute_the_digits_of_c(real):
    functions = ("step", "friction_forces", "mass_matrix+bias_forces")
    made = generated(LOADED_ARM, Settings("c", functions, verify=False, real=real))
    rng = np.random.default_rng(3)
    for cut in (made, replace(made, package=replace(made.package, longest=40))):
        c, cpp = compiled(cut, "c"), compiled(cut, "cpp")
        for name, function in c.items():
            inputs = [rng.normal(size=(50, *each.shape)) for each in function.signature.inputs]
            inputs[0][0] = np.nan
            for one, other in zip(function(*inputs), cpp[name](*inputs), strict=True):
                np.testing.assert_array_equal(one, other)


STATE = """
    const double q[6] = {0.3, -0.5, 0.7, 0.2, -0.9, 1.1}, qd[6] = {0.1, 0.2, -0.3, 0.4, 0.5, -0.6};
    const double qdd[6] = {1, -2, 3, 0.5, 0.25, -1.5};
"""


# Number types with 12 derivatives: header, type, and expressions for number k and its derivatives.
NUMBERS = {
    "dual.hpp": ("dual::Dual<12>", "seed(value, k)", "d"),
    "ceres/jet.h": ("ceres::Jet<double, 12>", "T(value, k)", "v"),
}


@pytest.mark.tools
@pytest.mark.parametrize("source", NUMBERS)
def test_derivatives_of_dual_numbers_agree_with_the_derivative_kernel(source, arm, tmp_path):
    write_folder(tmp_path, render("cpp", arm.package))
    number, seeded, parts = NUMBERS[source]
    program = f"""
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "{source}"
#include "puma560.hpp"
using T = {number};
[[maybe_unused]] static T seed(double value, int k)
{{
    T number(value);
    number.{parts}[k] = 1;
    return number;
}}
int main()
{{{STATE}
    T x[6], v[6], a[6], tau[6];
    double dq[36], dqd[36], error = 0, size = 0;
    for (int k = 0; k < 12; k++) {{
        const double value = k < 6 ? q[k] : qd[k - 6];
        (k < 6 ? x[k] : v[k - 6]) = {seeded};
    }}
    for (int i = 0; i < 6; i++) {{
        a[i] = T(qdd[i]);
    }}
    puma560::inverse_dynamics(x, v, a, tau);
    puma560::inverse_dynamics_derivatives(q, qd, qdd, dq, dqd);
    for (int i = 0; i < 6; i++) {{
        for (int j = 0; j < 6; j++) {{
            error = std::max({{error, std::abs(tau[i].{parts}[j] - dq[6 * i + j]),
                              std::abs(tau[i].{parts}[6 + j] - dqd[6 * i + j])}});
            size = std::max({{size, std::abs(dq[6 * i + j]), std::abs(dqd[6 * i + j])}});
        }}
    }}
    std::printf("%g %g", error, size);
}}
"""
    error, size = map(float, build(tmp_path, program, "g++", f"-isystem{find_eigen()}").split())
    assert size > 1
    assert error <= 1e-14 * size


@pytest.mark.tools
def test_eigen_matrices_are_not_transposed(arm, tmp_path):
    write_folder(tmp_path, render("cpp", arm.package))
    program = (
        """
#include <cstdio>
#include "puma560_eigen.hpp"
int main()
{"""
        + STATE
        + """
    using Vector = Eigen::Matrix<double, 6, 1>;
    const Vector position = Eigen::Map<const Vector>(q);
    const Eigen::VectorXd velocity = Eigen::Map<const Vector>(qd);
    double C[36], J[36];
    puma560::coriolis_matrix(q, qd, C);
    puma560::jacobian(q, J);
    const Eigen::Matrix<double, 6, 6> columns = puma560::coriolis_matrix(position, velocity);
    const Eigen::MatrixXd any = puma560::jacobian(0.5*(position + position));
    int wrong = 0, asymmetric = 0;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            wrong += columns(i, j) != C[6 * i + j] || any(i, j) != J[6 * i + j];
            asymmetric += C[6 * i + j] != C[6 * j + i];
        }
    }
    const Eigen::Map<const Vector> acceleration(qdd);
    const auto both = puma560::inverse_dynamics_derivatives(position, velocity, acceleration);
    const Vector direction = Vector::Ones();
    std::printf("%d %d %g", wrong, asymmetric, (both.dtau_dq*direction)(1));
}
"""
    )
    wrong, asymmetric, slope = map(
        float, build(tmp_path, program, "g++", f"-isystem{find_eigen()}").split()
    )
    assert wrong == 0
    assert asymmetric > 10
    functions = compiled(arm, "c")
    state = np.array([0.3, -0.5, 0.7, 0.2, -0.9, 1.1])
    dq, _ = functions["inverse_dynamics_derivatives"](
        state, [0.1, 0.2, -0.3, 0.4, 0.5, -0.6], [1, -2, 3, 0.5, 0.25, -1.5]
    )
    assert slope == pytest.approx(dq.sum(axis=1)[1], rel=1e-5)
