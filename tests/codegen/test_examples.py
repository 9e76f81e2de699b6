"""Example and golden test of languages with fixed files: README commands run, errors show."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dynagen.codegen.targets.folder import write_folder
from dynagen.codegen.targets.golden import make_golden_kernels
from dynagen.numbers.real import DOUBLE, FLOAT
from dynagen.pipeline.driver import Settings
from tests.support.generated_once import generated
from tests.support.loaded_arm import LOADED_ARM
from tests.support.packages import EVERYTHING, GRAVITY, kernel, package, render, texts

REALS = pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=str)
# One with matrices, two that can fail, one of them with a number among its inputs.
FUNCTIONS = ("friction_forces", "mass_matrix", "forward_dynamics", "step_euler")
STRICT = "gfortran -Wall -Wextra -Wconversion -Wimplicit-procedure -pedantic -Werror "
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def run(folder, program):
    """Run the README's command with warnings as errors; return the output and the status."""
    (command,) = re.findall(
        rf"^ {{4}}(.*_{program}\..*)$", (folder / "README.md").read_text(), re.MULTILINE
    )
    command = command.replace("gfortran ", STRICT).replace("-O2", "-O0")
    environment = {**os.environ, "PATH": PATH, "PYTHONPATH": "", "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0 or "values wrong" in done.stdout, done.stderr
    return done.returncode, done.stdout


def printed(text):
    """The numbers that an example prints, without the names before them."""
    values = " ".join(line.rpartition("=")[2] for line in text.splitlines())
    return [float(number) for number in re.findall(r"[-+.\w]*\d[-+.\w]*", values)]


def module(folder):
    """The file that kernels are in."""
    (path,) = [
        path
        for path in folder.iterdir()
        if path.suffix in (".f90", ".py", ".js") or path.name == "puma560_gravity_forces.m"
    ]
    return path


@REALS
@pytest.mark.language_can("one file")
def test_example_and_golden_test_run(language, real, tmp_path):
    made = package(kernel(EVERYTHING), kernel(GRAVITY), real=real)
    write_folder(tmp_path, render(language, made))
    first, *_ = make_golden_kernels(made)
    status, text = run(tmp_path, "example")
    assert status == 0
    np.testing.assert_allclose(
        printed(text),
        [value for output in first.outputs for value in output.expected[0]],
        rtol=1e-5,
    )
    assert run(tmp_path, "golden") == (0, "puma560: 0 of 33 values wrong\n")


@pytest.mark.language_can("one file")
@pytest.mark.parametrize(
    "wrong", ["9.8101", "(q - q)/(q - q)*9.81"], ids=["a constant", "not a number"]
)
def test_the_golden_test_counts_what_is_wrong(language, wrong, tmp_path):
    write_folder(tmp_path, render(language, package(kernel(GRAVITY))))
    text = module(tmp_path).read_text()
    kind = "_wp" if language == "fortran" else ""
    element = "q(1)" if language in ("fortran", "matlab") else "q[0]"
    assert f"9.81{kind}*" in text
    module(tmp_path).write_text(text.replace(f"9.81{kind}", f"{wrong}{kind}".replace("q", element)))
    status, text = run(tmp_path, "golden")
    stops = language in ("fortran", "matlab")
    assert (status, text) == (1 if stops else 3, "puma560: 3 of 6 values wrong\n")


@REALS
@pytest.mark.language_can("one file")
def test_parameters_statuses_and_numbers_are_handed_over(language, real, tmp_path):
    """Of a robot with friction, payload, wrench and a run-time parameter."""
    settings = Settings("c", FUNCTIONS, verify=False, real=real.name)
    made = generated(LOADED_ARM, settings).package
    assert any(each.program.can_fail for each in made.kernels)
    assert any(not argument.shape for each in made.kernels for argument in each.program.inputs)
    write_folder(tmp_path, render(language, made))
    status, text = run(tmp_path, "golden")
    assert (status, re.sub(r"\d{3,}", "N", text)) == (0, "loaded: 0 of N values wrong\n")
    assert real is DOUBLE or run(tmp_path, "example")[0] == 0


@pytest.mark.language_can("one file")
def test_large_tables_and_matrices_are_written_in_the_order_of_the_language(language, tmp_path):
    """Of more bytes than gfortran puts on the stack without a warning."""
    passed = ", ".join(f"q[{index}]" for index in range(8280))
    text = (
        'program reshaped\ninput q[8280] "numbers" "m"\noutput y[90, 92] "the same" "m"\n'
        f"result y = {passed}\n"
    )
    made = package(
        kernel(text),
        vectors={"q": (tuple(np.arange(8280.0).tolist()), tuple(np.arange(8280.0)[::-1].tolist()))},
    )
    write_folder(tmp_path, render(language, made))
    assert run(tmp_path, "golden") == (0, "puma560: 0 of 16560 values wrong\n")


@pytest.mark.language_can("one file")
def test_a_prefix_that_is_the_name_of_an_argument_or_of_a_function_is_no_obstacle(
    language, tmp_path
):
    for prefix in ("q", "gravity_forces"):
        write_folder(tmp_path / prefix, render(language, package(kernel(GRAVITY), prefix=prefix)))
        assert run(tmp_path / prefix, "example")[0] == 0
        assert run(tmp_path / prefix, "golden") == (0, f"{prefix}: 0 of 6 values wrong\n")


@pytest.mark.language_can("one file")
def test_without_golden_vectors_there_is_an_example_alone(language):
    files = texts(render(language, package(vectors={})))
    folders = {path.partition("/")[0] for path in files if "/" in path}
    assert folders - {"mex"} == {"example"}  # MATLAB has its C code in mex
