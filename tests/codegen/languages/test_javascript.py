"""Generated JavaScript: a module for browsers and node that fills typed arrays."""

import json
import re
import subprocess

import numpy as np
import pytest

import dynagen
from dynagen.codegen.targets.folder import write_folder
from dynagen.numbers.real import DOUBLE, FLOAT
from tests.support.javascript_code import javascript_code
from tests.support.packages import (
    EVERYTHING,
    GRAVITY,
    PASSED_THROUGH,
    kernel,
    package,
    render,
    texts,
)


def module(*kernels, **changes):
    return texts(render("javascript", package(*kernels, **changes)))["puma560.js"]


def run(folder, program):
    """What a program prints that imports a folder as `arm`."""
    (folder / "main.mjs").write_text(f'import * as arm from "./puma560.js";\n{program}\n')
    done = subprocess.run(
        ["node", "main.mjs"], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def folder(tmp_path):
    write_folder(
        tmp_path,
        render("javascript", package(kernel(EVERYTHING), kernel(GRAVITY), kernel(PASSED_THROUGH))),
    )
    return tmp_path


def test_constants_and_functions(folder):
    program = (
        "console.log(JSON.stringify([arm.N, arm.JOINTS, Object.keys(arm).sort(), "
        "Object.isFrozen(arm.JOINTS)]));"
    )
    names = ["JOINTS", "N", "everything", "gravity_forces", "swap"]
    assert run(folder, program) == [3, ["shoulder", "upper arm", "slide"], names, True]


def test_documentation_tells_types_and_arguments():
    text = module(kernel(GRAVITY))
    assert " *   g  out  2  joint forces that hold the robot against gravity, N m\n" in text
    assert (
        " * @param {Float64Array} q\n * @param {Float64Array} g\n */\n"
        "export function gravity_forces(q, g) {\n" in text
    )
    assert " * @param {Float32Array} q\n" in module(kernel(GRAVITY), real=FLOAT)


@pytest.mark.parametrize("aliased", ["q", "qd"])
def test_an_output_may_be_the_same_array_as_an_input(folder, aliased):
    program = (
        f"const q = [1, 2, 3], qd = [5, 6, 7]; arm.swap(q, qd, {aliased}); "
        f"console.log(JSON.stringify({aliased}));"
    )
    assert run(folder, program) == [2.0, 1.0, 4.0]


def test_arrays_of_any_kind_and_parts_of_them_are_fine(folder):
    program = """
const plain = [0, 0];
arm.gravity_forces([0, 0, 0], plain);
const all = new Float64Array(5);
arm.gravity_forces(all.subarray(0, 3), all.subarray(3, 5));
console.log(JSON.stringify([plain, ...all]));
"""
    assert run(folder, program) == [[9.81, 0.0], 0, 0, 0, 9.81, 0.0]


@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=str)
def test_what_is_one_number_is_taken_as_a_number_or_in_an_array(tmp_path, real):
    write_folder(
        tmp_path,
        dynagen.generate(
            "pendulum", "step_euler", lang="js", real=real.name, verify=False, prefix="puma560"
        ).files,
    )
    text = (tmp_path / "puma560.js").read_text()
    assert " *   dt       in   1  length of the step, s (a number)\n" in text
    assert " * @param {number} dt\n" in text
    assert re.search(r"^const dt = 0\.\d+;$", (tmp_path / "README.md").read_text(), re.MULTILINE)
    program = """
const results = [0.1, [0.1], new Float32Array([0.1]), undefined].map((dt) => {
  const q = [0], qd = [0];
  arm.step_euler([1], [2], [0], dt, q, qd);
  return [...q, ...qd];
});
console.log(JSON.stringify(results));
"""
    number, array, single, none = run(tmp_path, program)
    assert number == array
    assert np.allclose(single, number, rtol=1e-7)
    assert none == [None, None]  # NaN, as JSON has it
    assert number[0] == pytest.approx(1 + 0.1 * number[1], rel=1e-6)


def test_nothing_is_needed_that_browsers_lack():
    code = javascript_code(module(kernel(EVERYTHING), kernel(GRAVITY)))
    assert not re.search(r"\b(import|require|process|console|globalThis|new)\b", code)


def test_in_float_every_operation_is_rounded_and_constants_are_floats():
    code = javascript_code(module(kernel(EVERYTHING), real=FLOAT))
    body = code[code.index("export function everything") :]
    for number in map(float, re.findall(r"(?<![\w.])\d+\.\d+(?:e[+-]?\d+)?", body)):
        assert float(np.float32(number)) == number
    operations = len(re.findall(r" [+-] |[*/]|Math\.\w+\(", body))
    assert operations == body.count("fround(") > 20
