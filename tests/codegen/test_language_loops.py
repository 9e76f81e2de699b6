"""Kernels in loops over states: one call for many states, for any names of arguments."""

import subprocess

import numpy as np
import pytest

from dynagen.codegen.languages import find_language
from dynagen.codegen.routine import Routine, make_state_routine
from dynagen.numbers.real import DOUBLE, FLOAT
from tests.support.packages import kernel, loaded, package

# Names that a loop could want for itself; a matrix that is not square; a status.
TEXT = """
program turned
input count[2] "numbers" "m"
input state[2, 3] "a matrix" "m"
output loops[3, 2] "its transpose" "m"
output k[1] "a sum" "m"
status status[1] "0 or 1" ""
section ""
  a = 2*state[0]
  b = 2*state[1]
  c = 2*state[2]
  d = 2*state[3]
  e = 2*state[4]
  f = 2*state[5]
  sum = count[0] + count[1]
result loops = a, d, b, e, c, f
result k = sum
result status = sum
"""


@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
def test_many_states_are_one_call(language, real):
    function = loaded(language, package(kernel(TEXT), real=real))["turned"]
    numbers = np.random.default_rng(3).uniform(-1, 1, (50, 2)).astype(real.dtype)
    matrices = np.random.default_rng(4).uniform(-1, 1, (50, 2, 3)).astype(real.dtype)
    transposed, total, status = function(numbers, matrices)
    np.testing.assert_array_equal(transposed, 2 * matrices.transpose(0, 2, 1))
    np.testing.assert_array_equal(total[:, 0], numbers.sum(1))
    np.testing.assert_array_equal(status, total[:, 0] <= 0)
    one = function(numbers[7], matrices[7])
    for single, many in zip(one, (transposed, total, status), strict=True):
        np.testing.assert_array_equal(single, many[7])


@pytest.mark.parametrize(
    ("language", "compiler"),
    [
        ("c", "gcc -std=c99 -Wconversion -Wshadow"),
        ("c", "clang -std=c99 -Wconversion -Wshadow"),
        ("fortran", "gfortran -std=f2008"),
    ],
)
def test_compilers_have_nothing_to_say_about_a_loop(language, compiler, tmp_path):
    routine = Routine("p_" + 58 * "x", kernel(TEXT).program.signature)
    (file,) = find_language(language).print_loops(
        [routine, make_state_routine(routine, "states")], DOUBLE
    )
    (tmp_path / file.path).write_text(file.text)
    command = [*compiler.split(), "-Wall", "-Wextra", "-Werror", "-fsyntax-only", file.path]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
