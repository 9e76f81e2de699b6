"""Handwritten source to callable kernels: shapes, batches, memory layout and messages."""

import gc
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from dynagen.codegen.language import load_kernels
from dynagen.codegen.languages import find_language
from dynagen.codegen.routine import Routine
from dynagen.errors import ToolchainError
from dynagen.ir.program import Argument, Signature
from dynagen.numbers.real import DOUBLE
from dynagen.toolchain import commands

X = Argument("x", (3,), ("m",) * 3, "a vector")
A = Argument("a", (2, 3), ("m",) * 2, "a matrix")
Y = Argument("y", (2,), ("m",) * 2, "the product")
B = Argument("b", (3, 2), ("m",) * 3, "the transpose")
PRODUCT = Signature("product", (A, X), (Y, B))
NEGATION = Signature("negation", (X,), (Argument("y", (3,), ("m",) * 3, "minus x"),))

C_FILES = {
    "include/h.h": "void p_product("
    "const double a[6], const double x[3], double y[2], double b[6]);\n",
    "src/product.c": """#include "h.h"
#include <math.h>
void p_product(const double a[6], const double x[3], double y[2], double b[6]) {
    for (int i = 0; i < 2; i++) {
        y[i] = a[3*i]*x[0] + a[3*i + 1]*x[1] + a[3*i + 2]*x[2] + 0.0*sin(x[0]);
        for (int j = 0; j < 3; j++) b[2*j + i] = a[3*i + j];
    }
}
""",
    "src/negation.c": "void p_negation(const double x[3], double y[3]); "
    "void p_negation(const double x[3], double y[3]) "
    "{ for (int i = 0; i < 3; i++) y[i] = -x[i]; }\n",
    "README.md": "not C\n",
}
FORTRAN_FILES = {
    "m.f90": """module m
  use, intrinsic :: iso_c_binding, only: wp => c_double
  implicit none
contains
  subroutine p_product(a, x, y, b) bind(c)
    real(wp), intent(in) :: a(2, 3), x(3)
    real(wp), intent(out) :: y(2), b(3, 2)
    y = a(:, 1)*x(1) + a(:, 2)*x(2) + a(:, 3)*x(3)
    b = transpose(a)
  end subroutine
  subroutine p_negation(x, y) bind(c)
    real(wp), intent(in) :: x(3)
    real(wp), intent(out) :: y(3)
    y = -x
  end subroutine
end module
"""
}
PYTHON_FILES = {
    "m.py": """import numpy as np
def p_product(a, x):
    return np.einsum("...ij,...j->...i", a, x), np.swapaxes(a, -1, -2)
def p_negation(x):
    return -x
"""
}
JAVASCRIPT_FILES = {
    "m.js": """export function p_product(a, x, y, b) {
  for (let i = 0; i < 2; i++) {
    y[i] = a[3*i]*x[0] + a[3*i + 1]*x[1] + a[3*i + 2]*x[2];
    for (let j = 0; j < 3; j++) b[2*j + i] = a[3*i + j];
  }
}
export function p_negation(x, y) {
  for (let i = 0; i < 3; i++) y[i] = -x[i];
}
"""
}
MATLAB_FILES = {
    "p_product.m": """function [y, b] = p_product(a, x)
  y = a*x;
  b = a.';
end
""",
    "p_negation.m": """function y = p_negation(x)
  y = -x;
end
""",
}
CPP_FILES = {
    "include/p.hpp": """namespace p {
template <class Real> void product(const Real *a, const Real *x, Real *y, Real *b) {
    for (int i = 0; i < 2; i++) {
        y[i] = a[3*i]*x[0] + a[3*i + 1]*x[1] + a[3*i + 2]*x[2];
        for (int j = 0; j < 3; j++) b[2*j + i] = a[3*i + j];
    }
}
template <class Real> void negation(const Real *x, Real *y) {
    for (int i = 0; i < 3; i++) y[i] = -x[i];
}
}
"""
}
CUDA_FILES = {
    "include/p.cuh": """template <class A, class B, class C, class D>
inline void p_product(const A a, const B x, C y, D b) {
    for (int i = 0; i < 2; i++) {
        y[i] = a[3*i]*x[0] + a[3*i + 1]*x[1] + a[3*i + 2]*x[2];
        for (int j = 0; j < 3; j++) b[2*j + i] = a[3*i + j];
    }
}
template <class A, class B> inline void p_negation(const A x, B y) {
    for (int i = 0; i < 3; i++) y[i] = -x[i];
}
"""
}
RUST_FILES = {
    "Cargo.toml": """[package]
name = "p"
version = "0.1.0"
edition = "2021"
""",
    "src/lib.rs": """#![no_std]
pub fn product(a: &[f64; 6], x: &[f64; 3], y: &mut [f64; 2], b: &mut [f64; 6]) {
    for i in 0..2 {
        y[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
        for j in 0..3 {
            b[2 * j + i] = a[3 * i + j];
        }
    }
}
pub fn negation(x: &[f64; 3], y: &mut [f64; 3]) {
    for i in 0..3 {
        y[i] = -x[i];
    }
}
""",
}
FILES = {
    "c": C_FILES,
    "cpp": CPP_FILES,
    "cuda": CUDA_FILES,
    "rust": RUST_FILES,
    "fortran": FORTRAN_FILES,
    "python": PYTHON_FILES,
    "javascript": JAVASCRIPT_FILES,
    "matlab": MATLAB_FILES,
}


def load(language, files, programs):
    routines = [Routine(symbol, signature) for symbol, signature in programs.items()]
    return load_kernels(find_language(language), files, routines, DOUBLE)


@cache
def loaded_once(language):
    between = "::" if language in ("cpp", "rust") else "_"
    programs = {f"p{between}product": PRODUCT, f"p{between}negation": NEGATION}
    return load(language, FILES[language], programs)


@pytest.fixture
def kernels(language):
    return loaded_once(language)


def test_kernels_go_by_the_name_of_their_function(kernels):
    assert list(kernels) == ["product", "negation"]


def test_one_state(kernels):
    y, b = kernels["product"]([[1, 2, 3], [4, 5, 6]], [1, 10, 100])
    assert y.tolist() == [321.0, 654.0]
    assert b.tolist() == [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]


def test_many_states_with_one_argument_for_all(kernels):
    a = np.random.default_rng(1).integers(-9, 9, (50, 2, 3)).astype(float)
    x = np.array([1.0, 10.0, 100.0])
    y, b = kernels["product"](a, x)
    np.testing.assert_array_equal(y, a @ x)
    np.testing.assert_array_equal(b, a.transpose(0, 2, 1))


def test_arrays_that_are_views_or_not_of_doubles(kernels):
    x = np.arange(24, dtype=np.float32).reshape(3, 8).T[::2]
    (y,) = kernels["negation"](x)
    np.testing.assert_array_equal(y, -x.astype(float))
    frozen = np.ones((2, 3))
    frozen.flags.writeable = False
    (y,) = kernels["negation"](frozen)
    assert (y == -1).all()


def test_no_states_at_all(kernels):
    (y,) = kernels["negation"](np.empty((0, 3)))
    assert y.shape == (0, 3)


def test_wrong_calls_are_explained(kernels):
    with pytest.raises(ValueError, match=r"product: expected 2 arguments \(a, x\), found 1"):
        kernels["product"](np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"x must have shape \(3,\) or \(states, 3\), not \(4,\)"):
        kernels["negation"](np.zeros(4))
    with pytest.raises(ValueError, match=r"different numbers of states: \[4, 5\]"):
        kernels["product"](np.zeros((4, 2, 3)), np.zeros((5, 3)))


@pytest.mark.parametrize("language", ["c", "fortran", "javascript", "matlab"])
def test_nothing_stays_on_disk_and_kernels_outlive_each_other(language, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    first = load(language, FILES[language], {"p_negation": NEGATION})["negation"]
    changed = {path: text.replace("-x", "2*x") for path, text in FILES[language].items()}
    second = load(language, changed, {"p_negation": NEGATION})["negation"]
    assert list(tmp_path.iterdir()) == []
    gc.collect()
    assert first([1.0, 2.0, 3.0])[0].tolist() == [-1.0, -2.0, -3.0]
    del first
    gc.collect()
    assert second([1.0, 2.0, 3.0])[0].tolist() == [2.0, 4.0, 6.0]


@pytest.mark.parametrize(
    ("language", "variable", "package"),
    [
        ("c", "CC", "gcc"),
        ("fortran", "FC", "gfortran"),
        ("javascript", "NODE", "nodejs"),
        ("matlab", "OCTAVE", "octave"),
    ],
)
def test_a_missing_compiler_is_named_with_its_package(
    language, variable, package, monkeypatch, tmp_path
):
    programs = {"p_negation": NEGATION}
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(variable, raising=False)
    with pytest.raises(
        ToolchainError,
        match=rf"no \w+ (compiler|interpreter) found .*apt-get install {package}.*--no-verify",
    ):
        load(language, FILES[language], programs)
    monkeypatch.setenv(variable, "no-such-compiler -m64")
    with pytest.raises(ToolchainError, match=rf"tried {variable}=no-such-compiler -m64"):
        load(language, FILES[language], programs)


@pytest.mark.tools
def test_the_environment_chooses_the_compiler_and_its_options(monkeypatch):
    monkeypatch.setenv("CC", "clang -DSIGN=-")
    source = (
        "void f(const double x[3], double y[3]); void f(const double x[3], double y[3])"
        "{ for (int i = 0; i < 3; i++) y[i] = SIGN x[i]; }\n"
        "#ifndef __clang__\n#error gcc\n#endif\n"
    )
    files = {"n.c": source}
    kernel = load("c", files, {"f": NEGATION})["negation"]
    assert kernel([1.0, 2.0, 3.0])[0].tolist() == [-1.0, -2.0, -3.0]


def test_files_may_have_private_functions_of_the_same_name():
    files = {
        f"{name}.c": f"static double {helper}(double x) {{ return {sign}x; }}\n"
        f"void {name}(const double x[3], double y[3]); void {name}(const double x[3], double y[3])"
        f"{{ for (int i = 0; i < 3; i++) y[i] = {helper}(x[i]); }}\n"
        for name, helper, sign in [("f", "help", "-"), ("g", "help", "2*")]
    }
    more = replace(NEGATION, name="twice")
    kernels = load("c", {**C_FILES, **files}, {"f": NEGATION, "g": more})
    assert kernels["negation"]([1.0, 2.0, 3.0])[0].tolist() == [-1.0, -2.0, -3.0]
    assert kernels["twice"]([1.0, 2.0, 3.0])[0].tolist() == [2.0, 4.0, 6.0]


def test_refused_source_shows_command_and_first_lines_of_output():
    with pytest.raises(ToolchainError) as caught:
        load("c", {"src/bad.c": "int f(void) { return undeclared; }\n" * 50}, {"f": NEGATION})
    message = str(caught.value)
    assert "the C compiler rejected generated code: " in message
    assert "-ffp-contract=off" in message
    assert "undeclared" in message
    assert len(message.splitlines()) <= 21


def test_what_cannot_be_loaded_is_explained(monkeypatch, tmp_path):
    compiler = tmp_path / "cross-gcc"
    compiler.write_text("#!/bin/sh\necho 'of another machine' > kernels.so\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    with pytest.raises(
        ToolchainError, match="If CC names a cross compiler, set it to this machine's own"
    ):
        load("c", C_FILES, {"p_negation": NEGATION})


def test_python_that_is_none_is_refused():
    with pytest.raises(ToolchainError, match="Python rejected generated code"):
        load("python", {"m.py": "def f(:\n"}, {"f": NEGATION})


def test_javascript_that_is_none_is_refused():
    with pytest.raises(ToolchainError, match=r"(?s)node rejected generated code:.*SyntaxError"):
        load("javascript", {"m.js": "export function f( {"}, {"f": NEGATION})


def test_javascript_that_throws_is_explained_whenever_it_is_called():
    kernel = load(
        "javascript",
        {"m.js": "export function f(x, y) { y[0] = undefined_name; }\n"},
        {"f": NEGATION},
    )["negation"]
    for _ in range(2):
        with pytest.raises(ToolchainError, match="node stopped in generated code"):
            kernel([1.0, 2.0, 3.0])


def test_threads_share_a_process():
    kernel = load("javascript", JAVASCRIPT_FILES, {"p_negation": NEGATION})["negation"]
    states = [np.full((count, 3), count, dtype=float) for count in range(1, 100)]
    with ThreadPoolExecutor(8) as pool:
        for x, (y,) in zip(states, pool.map(kernel, states), strict=True):
            np.testing.assert_array_equal(y, -x)


def test_the_process_ends_with_its_kernels():
    kernels = load(
        "javascript", {"m.js": "export function f(x, y) { y[0] = process.pid; }\n"}, {"f": NEGATION}
    )
    process = Path("/proc") / str(int(kernels["negation"]([0.0, 0.0, 0.0])[0][0]))
    assert process.exists()
    del kernels
    gc.collect()
    assert not process.exists()


@pytest.mark.tools
def test_sums_and_products_are_not_fused(monkeypatch):
    monkeypatch.setenv(
        "CC", "clang -march=native"
    )  # where there are fused instructions, clang would use them
    files = {
        **C_FILES,
        "src/negation.c": C_FILES["src/negation.c"].replace("-x[i]", "x[0]*x[1] + x[2]"),
    }
    kernel = load("c", files, {"p_negation": NEGATION})["negation"]
    tiny = 1.0 + 2.0**-30
    assert kernel([tiny, tiny, -(tiny * tiny)])[0][0] == 0.0


CL = """#!/bin/sh
# Stands for Microsoft's compiler: takes its arguments only, and has gcc do the work.
exports=0
for argument; do
    shift
    case "$argument" in
        /nologo|/Od|/fp:precise|/LD|/link) ;;
        /Iinclude) set -- "$@" -Iinclude ;;
        /Fe:*) set -- "$@" -o "${argument#/Fe:}" ;;
        /EXPORT:*) exports=$((exports + 1)) ;;
        *.c) set -- "$@" "$argument" ;;
        *) echo "cl does not know $argument" >&2; exit 1 ;;
    esac
done
test $exports -eq 2 || exit 2
exec gcc -fPIC -shared "$@" -lm
"""


def test_microsoft_s_compiler_is_called_by_its_own_options(tmp_path, monkeypatch):
    (tmp_path / "cl").write_text(CL)
    (tmp_path / "cl").chmod(0o755)
    monkeypatch.setenv("CC", str(tmp_path / "cl"))
    kernels = load("c", C_FILES, {"p_product": PRODUCT, "p_negation": NEGATION})
    assert kernels["negation"]([1, 2, 3])[0].tolist() == [-1, -2, -3]


def test_a_library_that_the_system_holds_on_to_stays_and_nothing_fails(monkeypatch, tmp_path):
    """As Windows does with libraries that are loaded."""

    def refuse(*arguments, **options):
        raise PermissionError("in use")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(commands, "_LIBRARIES_STAY", True)
    with commands.make_source_folder({"a.c": "int a;"}):
        monkeypatch.setattr(os, "unlink", refuse)
    monkeypatch.undo()
    assert list(tmp_path.rglob("a.c"))
