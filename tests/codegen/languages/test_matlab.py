"""Generated MATLAB in Octave: functions, their messages, and MEX functions with the digits of C."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from dynagen.codegen.targets.folder import write_folder
from dynagen.errors import UsageError
from dynagen.numbers.real import DOUBLE, FLOAT
from dynagen.pipeline.driver import Settings
from dynagen.robot.loading import load_robot
from tests.support.generated_once import compiled, generated
from tests.support.loaded_arm import LOADED_ARM
from tests.support.packages import EVERYTHING, GRAVITY, OPAQUE, kernel, package, render, texts

FUNCTIONS = ("forward_dynamics", "inverse_dynamics_derivatives", "step")
# Fails for a state; tensors with three axes.
TENSOR = """
program tensor
input a[2, 3, 4] "numbers" "m"
input dt[1] "a number" "s"
output b[4, 2, 3] "the same in another order, doubled" "m"
output c[2] "some" "m"
status status[1] "0 or 1" ""
section ""
  x = 2*dt[0]
result b = {results}
result c = x, a[0]
result status = x
""".format(results=", ".join(f"a[{(5 * place) % 24}]" for place in range(24)))


def octave(folder: Path, program: str) -> str:
    """Return the output of a program in a folder, or its error."""
    command = ["octave-cli", "--norc", "--no-history", "--quiet", "--eval", program]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def write_numbers(path: Path, arrays: dict[str, np.ndarray]) -> str:
    """Write arrays into a file; return the program that reads them as columns of states."""
    with path.open("wb") as file:
        for array in arrays.values():
            file.write(np.ascontiguousarray(array, dtype=np.float64).tobytes())
    lines = [f"input = fopen('{path.name}');"]
    lines += [
        f"{name} = fread(input, [{array[0].size}, {len(array)}], 'double');"
        for name, array in arrays.items()
    ]
    return "\n".join([*lines, "fclose(input);\n"])


def test_help_begins_with_one_line_and_argument_checks_follow():
    text = texts(render("matlab", package(kernel(GRAVITY))))["puma560_gravity_forces.m"]
    assert text.startswith(
        "function g = puma560_gravity_forces(q) %#codegen\n%PUMA560_GRAVITY_FORCES  tau = ID"
    )
    assert "  if ~isa(q, 'double') || ~isvector(q) || numel(q) ~= 3\n" in text
    single = texts(render("matlab", package(kernel(GRAVITY), real=FLOAT)))
    assert "~isa(q, 'single')" in single["puma560_gravity_forces.m"]
    assert "(float *)mxGetData" in single["mex/puma560_gravity_forces_mex.c"]


@pytest.mark.tools
def test_wrong_arguments_are_named(tmp_path):
    write_folder(tmp_path, render("matlab", package(kernel(GRAVITY))))
    octave(tmp_path, "puma560_build_mex")
    calls = ["ones(2, 2)", "single([1 2 3])", "ones(3, 2)", "ones(3, 1)*i", "'abc'"]
    name = "puma560_gravity_forces"
    refused = [(name, given) for given in calls[:3]]
    refused += [(f"{name}_mex", given) for given in calls if given != "ones(3, 2)"]  # two states
    for called, given in refused:
        text = octave(tmp_path, f"try, {called}({given}), catch e, disp(e.message), end")
        assert text.startswith(f"{called}: q: expected 3 x 1 double, found "), (given, text)
    text = octave(tmp_path, "try, puma560_gravity_forces_mex(), catch e, disp(e.message), end")
    assert text == "puma560_gravity_forces_mex: expected 1 inputs, found 0\n"


@pytest.mark.tools
@pytest.mark.parametrize("robot", ["loaded", "solo12"])
def test_functions_and_mex_functions_have_the_digits_of_c(robot, tmp_path):
    """With run-time parameters and friction, and with a floating base; some can fail."""
    model = LOADED_ARM if robot == "loaded" else load_robot(robot)
    requests = FUNCTIONS if robot == "loaded" else FUNCTIONS[:2]
    generation = generated(model, Settings("c", requests, verify=False))
    made = generation.package
    functions, kernels = compiled(generation, "matlab"), compiled(generation, "c")
    write_folder(tmp_path, render("matlab", made))
    octave(tmp_path, f"{made.prefix}_build_mex")
    generator = np.random.default_rng(5)
    params = None
    for number, delivered in enumerate(made.kernels):
        inputs = {
            each.name: generator.uniform(0.1, 1, (7, *each.shape))
            for each in delivered.program.inputs
        }
        if "params" in inputs:
            inputs["params"] = params
        expected = kernels[delivered.function](*inputs.values())
        if delivered.function == "prepare":
            params = np.repeat(expected[0][:1], 7, axis=0)
        for ours, wanted in zip(
            functions[delivered.function](*inputs.values()), expected, strict=True
        ):
            np.testing.assert_array_equal(ours, wanted)
        # A matrix of states by columns; elements of matrices by columns too.
        shared = {name: value[:1] if name == "params" else value for name, value in inputs.items()}
        outputs = [f"y{place}" for place in range(len(expected))]
        results = octave(
            tmp_path,
            write_numbers(tmp_path / f"in{number}", shared)
            + f"[{', '.join(outputs)}] = {made.prefix}_{delivered.function}_mex("
            + f"{', '.join(inputs)});\n"
            + f"out = fopen('out{number}', 'w');\n"
            + "".join(f"fwrite(out, {name}, 'double');\n" for name in outputs)
            + "".join(f"disp(size({name}));\n" for name in outputs),
        )
        numbers = np.fromfile(tmp_path / f"out{number}")
        for wanted, size in zip(expected, results.splitlines(), strict=True):
            part, numbers = numbers[: wanted.size], numbers[wanted.size :]
            by_columns = wanted.reshape(7, *wanted.shape[1:])
            np.testing.assert_array_equal(
                part, np.concatenate([each.ravel(order="F") for each in by_columns])
            )
            assert [int(word) for word in size.split()][-1] == 7
        assert not numbers.size


@pytest.mark.tools
@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=str)
def test_tensors_statuses_and_functions_that_matlab_lacks(real, tmp_path):
    """MEX and interpreted functions agree also where C's min, max and sqrt differ from MATLAB's."""
    made = package(kernel(TENSOR), kernel(OPAQUE), real=real, vectors={})
    write_folder(tmp_path, render("matlab", made))
    kind = "single" if real is FLOAT else "double"
    text = octave(
        tmp_path,
        f"""puma560_build_mex
a = {kind}(reshape(1:24, 2, 3, 4));
[b, c, status] = puma560_tensor(a, {kind}(0.5));
[bm, cm, sm] = puma560_tensor_mex(cat(4, a, 2*a), {kind}([-1 0.5]));
disp([isequal(b, bm(:, :, :, 2)/2), isequal(c(1), cm(1, 2)), status, sm, size(bm)]);
for q = {kind}([-1 0.5; 2 -3; 0.1 NaN; NaN 1])
  [y, s] = puma560_opaque(q);
  [ym, t] = puma560_opaque_mex(q);
  disp([isequaln(y, ym), s == t, isa(y, '{kind}'), any(isnan(y)), isreal(y)]);
end
try, puma560_tensor(permute(a, [3 2 1]), {kind}(1)), catch e, disp(e.message), end
try, puma560_tensor_mex(permute(a, [3 2 1]), {kind}(1)), catch e, disp(e.message), end
""",
    )
    lines = text.splitlines()
    assert lines[0].split() == ["1", "1", "0", "1", "0", "4", "2", "3", "2"]
    assert lines[1].split() == ["1", "1", "1", "1", "1"]
    assert lines[2].split() == ["1", "1", "1", "1", "1"]
    assert lines[3].startswith(f"puma560_tensor: a: expected 2 x 3 x 4 {kind}, found 4 x 3 {kind}")
    assert lines[4].startswith("puma560_tensor_mex: a: expected 2 x 3")


@pytest.mark.tools
def test_the_mex_source_passes_strict_warnings(tmp_path):
    write_folder(tmp_path, render("matlab", package(kernel(EVERYTHING), kernel(TENSOR))))
    include = subprocess.run(
        ["mkoctfile", "-p", "OCTINCLUDEDIR"], capture_output=True, text=True, check=True
    ).stdout.strip()
    strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
    folders = ["-Imex", "-Imex/include", f"-isystem{include}"]
    for path in tmp_path.glob("mex/*_mex.c"):
        command = ["gcc", *strict, *folders, "-fsyntax-only", str(path.relative_to(tmp_path))]
        subprocess.run(command, cwd=tmp_path, check=True)


def test_names_fit_the_longest_that_matlab_allows():
    long = kernel(GRAVITY.replace("gravity_forces", "g" * 50))
    files = texts(render("matlab", package(long, prefix="r" * 12)))
    assert f"{'r' * 12}_{'g' * 50}.m" in files
    (gateway,) = (Path(path).stem for path in files if path.endswith("_mex.c"))
    assert len(gateway) <= 63
    assert f"'{gateway}'" in files[f"{'r' * 12}_build_mex.m"]
    with pytest.raises(UsageError, match=r"the MATLAB name r+_g+ is longer than 63 characters"):
        render("matlab", package(long, prefix="r" * 13))
