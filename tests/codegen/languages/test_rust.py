"""Generated Rust: a crate without dependencies whose digits are those of C."""

import subprocess
from dataclasses import replace

import mpmath
import numpy as np
import pytest

from dynagen.codegen.language import load_package
from dynagen.codegen.languages import find_language
from dynagen.codegen.package import VECTOR, SourceFile
from dynagen.codegen.targets.folder import write_folder
from dynagen.numbers.real import DOUBLE, FLOAT
from dynagen.pipeline.driver import Settings
from dynagen.robot.loading import load_robot
from tests.support.generated_once import compiled, generated
from tests.support.loaded_arm import LOADED_ARM
from tests.support.packages import EVERYTHING, GRAVITY, OPAQUE, kernel, package, render, texts

REALS = pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=str)
CALLED = ("mass_matrix", "forward_dynamics", "step_euler", "step", "mass_matrix+bias_forces")
NUMBERS = """
program numbers
input x[1] "number" ""
output y[5] "functions of it" ""
section ""
  s, c = sincos(x[0])
  root = sqrt(x[0])
  tangent = tanh(x[0])
  power = exp(x[0])
result y = s, c, root, tangent, power
"""


def functions_of(*kernels, **changes):
    return texts(render("rust", package(*kernels, **changes)))["src/functions.rs"]


def test_the_crate_is_without_std_unsafe_code_and_dependencies():
    files = texts(render("rust", package(kernel(EVERYTHING), kernel(GRAVITY))))
    assert "#![no_std]\n#![forbid(unsafe_code)]\n" in files["src/lib.rs"]
    assert "pub use functions::gravity_forces;\n" in files["src/lib.rs"]
    assert "dependencies" not in files["Cargo.toml"]
    assert "unsafe" not in files["src/functions.rs"] + files["src/numbers.rs"]
    assert {"examples/puma560_example.rs", "tests/puma560_golden.rs"} < files.keys()


def test_arguments_are_arrays_and_angles_are_computed_together():
    text = functions_of(kernel(EVERYTHING))
    assert "    jacobian: &mut [f64; 6],\n" in text or "jacobian: &mut [f64; 6])" in text
    assert "let ([s1, s2, _], [c1, _, c3]) = sin_cos([q[0], q[0] + q[1], q[1]]);" in text
    assert "pub fn gravity_forces(q: &[f32; 3], g: &mut [f32; 2]) {\n" in functions_of(
        kernel(GRAVITY), real=FLOAT
    )
    assert ") -> Result<(), Invalid> {\n" in functions_of(kernel(OPAQUE))


def digits_agree(generation, skipped=(), edit=str):
    """Compare with C and `--trig vector` on many states, among them numbers that are none."""
    made = replace(generation, package=replace(generation.package, trig=VECTOR, batch=True))
    rust, c = find_language("rust"), compiled(made, "c")
    files = [SourceFile(each.path, edit(each.text)) for each in rust.print_kernels(made.package)]
    crate = load_package(rust, made.package, files)
    rng = np.random.default_rng(5)
    assert set(c) == set(crate)
    for name, function in c.items():
        if name.removesuffix("_batch") in skipped:
            continue
        inputs = [rng.normal(size=(100, *each.shape)) for each in function.signature.inputs]
        for values in inputs:
            flat = values.reshape(100, -1)
            for state, special in enumerate((0.0, -0.0, np.nan, np.inf, -np.inf, 1e-310, 9e4)):
                flat[state, rng.integers(flat.shape[1])] = special
        for one, other in zip(function(*inputs), crate[name](*inputs), strict=True):
            np.testing.assert_array_equal(one, other, err_msg=name)
            if one.dtype.kind == "f":
                numbers = ~np.isnan(one)
                assert (np.signbit(one[numbers]) == np.signbit(other[numbers])).all(), name


def use_std(text):
    """Let the crate use the standard library."""
    return text.replace("std = []", 'default = ["std"]\nstd = []')


@pytest.mark.tools
@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("longest", [40, 5000])
def test_digits_are_those_of_c(real, longest):
    """With run-time parameters, status codes and fused functions, in pieces or not.

    A step of the random arm can turn by more than 100 000 rad; only `std` computes these like C.
    """
    made = generated(LOADED_ARM, Settings("c", CALLED, verify=False, real=real))
    made = replace(made, package=replace(made.package, longest=longest))
    digits_agree(made, skipped=("step",))
    if longest == 40:
        digits_agree(made, edit=use_std)


@pytest.mark.tools
def test_digits_of_calls_are_those_of_c():
    digits_agree(generated(load_robot("planar3"), Settings("c", ("step",), verify=False)))


@pytest.mark.tools
def test_digits_of_a_floating_base_are_those_of_c():
    functions = ("inverse_dynamics", "integrate", "mass_matrix")
    digits_agree(generated(load_robot("solo12"), Settings("c", functions, verify=False)))


@pytest.mark.tools
@REALS
def test_with_std_the_digits_of_all_functions_are_those_of_c(real):
    made = package(kernel(OPAQUE), kernel(NUMBERS), real=real)
    holder = generated(load_robot("planar3"), Settings("c", ("gravity_forces",), verify=False))
    digits_agree(replace(holder, package=made), edit=use_std)


@pytest.mark.tools
@REALS
def test_functions_of_numbers_without_std(real):
    """Roots are rounded correctly, and all others are within three units in the last place."""
    made = package(kernel(NUMBERS), real=real)
    rust = find_language("rust")
    function = load_package(rust, made, rust.print_kernels(made))["numbers"]
    rng = np.random.default_rng(2)
    largest = 300 if real is DOUBLE else 37
    bits, size = (np.uint64, 0x7FF0_0000_0000_0000) if real is DOUBLE else (np.uint32, 0x7F80_0000)
    positive = rng.integers(0, size, 20000).astype(bits).view(real.dtype)
    (values,) = function(positive[:, None])
    np.testing.assert_array_equal(values[:, 2], np.sqrt(positive))
    angles = 10 ** rng.uniform(5, largest, 200) * rng.choice([-1, 1], 200)
    # The double closest to a multiple of pi/2 (W. Kahan, "Minimizing q*m - n", 1983).
    hard = [6381956970095103 * 2.0**797] if real is DOUBLE else [16367173 * 2.0**72]
    large = np.array([*angles, *hard]).astype(real.dtype)
    small = np.concatenate([rng.uniform(-3, 3, 200), 10 ** rng.uniform(-9, 0, 50)])
    small = small.astype(real.dtype)
    with mpmath.workprec(1200):
        for column, exact, places in (
            (0, mpmath.sin, large),
            (1, mpmath.cos, large),
            (3, mpmath.tanh, small),
            (4, mpmath.exp, small),
        ):
            (values,) = function(places[:, None])
            for place, value in zip(places, values[:, column], strict=True):
                expected = exact(mpmath.mpf(float(place)))
                unit = float(np.spacing(np.abs(real.dtype(float(expected)))))
                assert abs(float(value) - expected) <= (1 if column < 2 else 3) * unit
    (ends,) = function(np.array([[np.inf], [-np.inf], [np.nan]]))
    assert np.isnan(ends[:, :2]).all()
    np.testing.assert_array_equal(ends[:2, 3:], [[1, np.inf], [-1, 0]])
    assert np.isnan(ends[2]).all()


@pytest.mark.tools
@pytest.mark.parametrize("features", [[], ["--features", "std"]], ids=["no_std", "std"])
def test_clippy_rustfmt_and_golden_tests_have_nothing_to_say(features, tmp_path):
    made = generated(LOADED_ARM, Settings("c", (*CALLED, "friction_forces"), verify=False)).package
    every = (
        replace(made, batch=True),
        replace(made, longest=40),
        package(kernel(EVERYTHING), kernel(GRAVITY), real=FLOAT, batch=True),
        package(kernel(OPAQUE), batch=True),
    )
    target = ["--offline", "--target-dir", str(tmp_path / "target"), *features]
    for place, each in enumerate(every[-2:] if features else every):
        folder = tmp_path / str(place)
        write_folder(folder, render("rust", each))
        for command in (
            ["cargo", "fmt", "--check"],
            ["cargo", "clippy", *target, "--all-targets", "--", "--deny", "warnings"],
            ["cargo", "test", *target],
            ["cargo", "run", *target, "--example", f"{each.prefix}_example"],
        ):
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, check=False, timeout=300
            )
            assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.tools
def test_a_wrong_number_fails_the_golden_test(tmp_path):
    write_folder(tmp_path, render("rust", package(kernel(GRAVITY))))
    file = tmp_path / "src" / "functions.rs"
    file.write_text(file.read_text().replace("9.81*", "9.8101*"))
    command = ["cargo", "test", "--offline", "--quiet"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "values wrong" in done.stdout
