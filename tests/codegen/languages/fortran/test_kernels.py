"""Generated Fortran: gfortran takes it in silence, it can be called from C, and names fit."""

import subprocess

import pytest

from dynagen.errors import UsageError
from tests.support.packages import EVERYTHING, GRAVITY, kernel, package, render, texts

CALLER = """
program caller
  use puma560_dynamics
  use, intrinsic :: iso_c_binding, only: c_double
  implicit none
  real(c_double) :: q(3), g(2)
  q = 0
  call puma560_gravity_forces(q, g)
  if (puma560_n /= 3 .or. abs(g(1) - 9.81_c_double) > 0) error stop
end program caller
"""


def run(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.tools
@pytest.mark.parametrize("standard", ["f2008", "f2018"])
def test_gfortran_has_nothing_to_say(standard, tmp_path):
    module = texts(render("fortran", package(kernel(EVERYTHING), kernel(GRAVITY))))[
        "puma560_dynamics.f90"
    ]
    (tmp_path / "puma560_dynamics.f90").write_text(module)
    (tmp_path / "caller.f90").write_text(CALLER)
    warnings = ["-Wall", "-Wextra", "-Wconversion", "-Wimplicit-procedure", "-pedantic", "-Werror"]
    run(tmp_path, "gfortran", f"-std={standard}", "-O2", *warnings, "-c", "puma560_dynamics.f90")
    run(
        tmp_path, "gfortran", f"-std={standard}", "caller.f90", "puma560_dynamics.o", "-o", "caller"
    )
    run(tmp_path, "./caller")


def test_names_are_at_most_63_characters_long():
    prefix = "p" * (63 - len("_gravity_forces"))
    render("fortran", package(kernel(GRAVITY), prefix=prefix))
    with pytest.raises(UsageError, match="longer than 63 characters; choose a shorter --prefix"):
        render("fortran", package(kernel(GRAVITY), prefix=prefix + "p"))


def test_names_that_differ_in_case_alone_are_told_apart():
    text = """
program clash
input q[1] "position" "rad"
output s[1] "result" "N m"
section ""
  puma560_n = 2*q[0]
  wp = puma560_n*q[0]
  sin = wp*wp
result s = sin
"""
    module = texts(render("fortran", package(kernel(text), prefix="PUMA560")))[
        "PUMA560_dynamics.f90"
    ]
    assert "real(wp) :: puma560_n_, wp_, sin_" in module
