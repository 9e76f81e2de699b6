"""Run-time parameters: a kernel with parameters equals the kernel generated for their values."""

import functools
import json
import subprocess
import sys

import numpy as np
import pytest

from dynagen.codegen.languages import find_language
from dynagen.codegen.targets.assembly import assemble
from dynagen.codegen.targets.folder import write_folder
from dynagen.errors import UsageError
from dynagen.numbers.exact import Exact
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.edits import substitute
from dynagen.robot.loading import parse_robot
from dynagen.verification.comparison import Expectation, check_kernel
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import FUNCTIONS_OF_ANY_ARM
from tests.support.generated_once import compiled, generated, proved

ARM = """
name: carrier
convention: {convention}
gravity: [0, 0, -9.81]
parameters:
  m_load: {{value: {m_load}, unit: kg{runtime}}}
  reach: {{value: {reach}, unit: m{runtime}}}
  tilt: {{value: {tilt}, unit: rad{runtime}}}
  zero: {{value: {zero}, unit: rad{runtime}}}
  rotor: {{value: {rotor}{runtime}}}
links:
  - {{name: waist, joint: revolute, dh: {{alpha: 0, a: 0, d: 0}},
      mass: 3, com: [0.1, 0, 0], inertia: [0.1, 0.2, 0.3]}}
  - name: upper
    joint: revolute
    dh: {{alpha: tilt, a: 0.1, d: 0.24, theta: zero}}
    mass: 17.4
    com: [0.068, 0.006, -0.016]
    inertia: [0.13, 0.524, 0.539]
    motor: {{inertia: rotor}}
  - {{name: bracket, joint: fixed, dh: {{alpha: 0, a: reach/2, d: 0, theta: 0}},
      mass: 1/reach, com: [0, 0, 0.1]}}
  - name: fore
    joint: prismatic
    dh: {{alpha: -0.2, a: reach, d: -0.09, theta: 0.3}}
    mass: 4.8 + m_load
    com: [0, -0.07*reach, 0.014]
    inertia: [0.066 + m_load*reach**2, 0.0125, 0.086]
"""
DEFAULTS = {"m_load": 2, "reach": 0.43, "tilt": "-pi/2", "zero": 0, "rotor": 4.71}
OTHERS = {"m_load": 0.7, "reach": 0.61, "tilt": 0.9, "zero": 0.4, "rotor": 1.5}


# The base parameters depend on the geometry. The Hessians of the inverse and forward dynamics are
# proved with a run-time parameter in test_vectors.py.
FUNCTIONS_WITH_PARAMETERS = tuple(
    function.name
    for function in FUNCTIONS_OF_ANY_ARM
    if not function.name.startswith("base_")
    and function.name not in ("inverse_dynamics_hessian", "forward_dynamics_hessian")
)


def arm(values, convention="modified", runtime=True):
    return parse_robot(
        ARM.format(convention=convention, runtime=", runtime: true" if runtime else "", **values),
        "carrier.yaml",
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("convention", "functions"),
    [
        ("modified", FUNCTIONS_WITH_PARAMETERS),
        ("standard", ("inverse_dynamics", "forward_dynamics", "regressor", "jacobian", "step")),
    ],
    ids=["modified", "standard"],
)
def test_a_kernel_with_parameters_equals_the_kernel_for_their_values(
    language, convention, functions
):
    robot = arm(DEFAULTS, convention)
    generation = generated(robot, Settings(functions=functions))
    kernels = compiled(generation, language)
    assert all(proof.passed for proof in proved(generation, kernels, states=50))
    folded = generate(
        arm(OTHERS, convention, runtime=False), Settings(language, ("inverse_dynamics",), states=50)
    )
    values = [float(OTHERS[parameter.name]) for parameter in robot.parameters]
    params, status = kernels["prepare"](values)
    assert status == 0
    np.testing.assert_array_equal(params[: len(values)], values)
    states = sample_states(robot, count=20)
    motion = [states[name] for name in ("q", "qd", "qdd")]
    (flexible,) = kernels["inverse_dynamics"](*motion, params)
    (fixed,) = folded.compiled["inverse_dynamics"](*motion)
    np.testing.assert_allclose(flexible, fixed, rtol=0, atol=1e-12 * np.abs(fixed).max())


def test_what_depends_on_parameters_alone_is_prepared_not_computed_in_every_call():
    flexible = generate(arm(DEFAULTS), Settings("c", ("inverse_dynamics",), verify=False))
    function = flexible.functions[0]
    assert [argument.name for argument in function.program.inputs] == ["q", "qd", "qdd", "params"]
    prepare = flexible.package.kernels[0]
    assert prepare.function == "prepare"
    assert prepare.operations.total > 20
    assert prepare.operations.sincos == 1
    assert function.operations.sincos == 1


@pytest.mark.parametrize("function", ["base_regressor", "base_parameters"])
def test_base_parameters_need_a_geometry_that_is_known(function):
    with pytest.raises(
        UsageError,
        match=f"{function} is not available for carrier: "
        "the base parameters depend on the geometry, .* "
        "Make tilt, zero, reach constant ",
    ):
        generate(arm(DEFAULTS), Settings("python", (function,), verify=False))


def test_the_manifest_names_parameters_with_unit_and_default():
    generation = generate(arm(DEFAULTS), Settings("python", ("inverse_dynamics",), verify=False))
    manifest = json.loads(generation.manifest.text)
    first = {"index": 0, "name": "m_load", "constant": "P_M_LOAD", "unit": "kg", "default": 2.0}
    assert manifest["parameters"][0] == first
    assert [entry["name"] for entry in manifest["parameters"]] == list(DEFAULTS)


CALL = {
    "c": (
        "main.c",
        """
#include <stdio.h>
#include "carrier.h"
int main(void)
{
    carrier_real values[CARRIER_VALUES] = CARRIER_DEFAULTS, params[CARRIER_PARAMS];
    const carrier_real q[CARRIER_N] = {0}, qd[CARRIER_N] = {0}, qdd[CARRIER_N] = {0};
    carrier_real tau[CARRIER_N];
    values[CARRIER_P_M_LOAD] = 0.7;
    if (carrier_prepare(values, params) != 0) {
        return 1;
    }
    carrier_inverse_dynamics(q, qd, qdd, params, tau);
    return printf("%.17g %.17g %.17g", tau[0], tau[1], tau[2]) < 0;
}
""",
        "gcc -std=c99 -Iinclude main.c src/carrier_prepare.c src/carrier_inverse_dynamics.c -lm",
    ),
    "fortran": (
        "main.f90",
        """
program main
  use carrier_dynamics
  double precision :: values(carrier_values), params(carrier_params)
  double precision :: zero(carrier_n), tau(carrier_n)
  integer :: status
  values = carrier_defaults
  values(carrier_p_m_load) = 0.7d0
  call carrier_prepare(values, params, status)
  if (status /= 0) stop 1
  zero = 0
  call carrier_inverse_dynamics(zero, zero, zero, params, tau)
  print "(3es25.16)", tau
end program main
""",
        "gfortran -std=f2008 carrier_dynamics.f90 main.f90",
    ),
    "python": (
        "main.py",
        """
import numpy, carrier
values = numpy.array(carrier.DEFAULTS)
values[carrier.P_M_LOAD] = 0.7
zero = numpy.zeros(carrier.N)
params, status = carrier.prepare(values)
assert status == 0
print(*carrier.inverse_dynamics(zero, zero, zero, params))
""",
        "",
    ),
    "javascript": (
        "main.mjs",
        """
import * as carrier from "./carrier.js";
const values = Float64Array.from(carrier.DEFAULTS);
const params = new Float64Array(carrier.PARAMS);
values[carrier.P_M_LOAD] = 0.7;
const zero = new Float64Array(carrier.N);
const tau = new Float64Array(carrier.N);
if (carrier.VALUES !== values.length || carrier.prepare(values, params) !== 0) {
  process.exit(1);
}
carrier.inverse_dynamics(zero, zero, zero, params, tau);
console.log(...tau);
""",
        "",
    ),
    "matlab": (
        "main.m",
        """
info = carrier_info();
values = info.DEFAULTS;
values(info.P_M_LOAD) = 0.7;
zero = zeros(info.N, 1);
[params, status] = carrier_prepare(values);
if info.VALUES ~= numel(values) || info.PARAMS ~= numel(params) || status ~= 0
  exit(1);
end
fprintf('%.17g ', carrier_inverse_dynamics(zero, zero, zero, params));
""",
        "",
    ),
}


@pytest.mark.parametrize("language", CALL)
def test_a_program_sets_a_parameter_by_its_name(language, tmp_path):
    generation = generate(arm(DEFAULTS), Settings(language, ("inverse_dynamics",), verify=False))
    write_folder(tmp_path, generation.files)
    name, text, build = CALL[language]
    (tmp_path / name).write_text(text)
    if build:
        subprocess.run([*build.split(), "-o", "main"], cwd=tmp_path, check=True)
    interpreters = {"javascript": "node", "matlab": "octave-cli"}
    run = ["./main"] if build else [interpreters.get(language, sys.executable), name]
    done = subprocess.run(run, cwd=tmp_path, check=True, capture_output=True, text=True)
    reference = make_references(substitute(arm(DEFAULTS), {"m_load": Exact("0.7")}))[0]
    expected = reference.compute_inverse_dynamics(*np.zeros((3, 1, 3)))[0]
    np.testing.assert_allclose(
        [float(word) for word in done.stdout.split()], expected, rtol=0, atol=1e-12
    )


GENERAL = """
name: general
convention: modified
gravity: [0, 0, -9.81]
parameters:
  reach: {{value: 0.4, unit: m, runtime: true}}
  depth: {{value: 0.1, unit: m, runtime: true}}
  tilt: {{value: {tilt}, unit: rad, runtime: true}}
  turn: {{value: 0.3, unit: rad, runtime: true}}
  m: {{value: 2, unit: kg, runtime: true}}
links:
  - {{name: waist, joint: revolute, dh: {{alpha: 0, a: 0, d: depth}},
     mass: 3, com: [reach, 0, depth], inertia: [0.1, 0.2, 0.3]}}
  - {{name: bracket, joint: fixed, origin: {{xyz: [reach, depth, 0.2], rpy: [0, 0, 0]}},
     mass: m, com: [0, depth, 0.1], dh: {{alpha: 0, a: 0.1, d: 0.2, theta: 0}}}}
  - {{name: upper, joint: revolute, dh: {{alpha: tilt, a: reach, d: depth, theta: turn}},
     mass: m, com: [0.1, 0, 0], inertia: [0.1, m*reach**2, 0.3]}}
  - {{name: slide, joint: prismatic, origin: {{xyz: [reach, 0.1, depth], rpy: [0.3, 0.2, 0.1]}},
     dh: {{alpha: 0, a: 0, d: reach, theta: turn}},
     mass: 1, com: [0, depth, 0], inertia: [0.1, 0.1, 0.1]}}
"""
KINEMATICS = ("forward_kinematics", "jacobian", "body_jacobian", "jacobian_dot_qd")


@pytest.mark.parametrize("tilt", [0, "pi/2"])
def test_geometry_may_be_zero_or_anything_else_whatever_its_default(tilt):
    robot = parse_robot(GENERAL.format(tilt=tilt), "general.yaml")
    functions = ("inverse_dynamics", "mass_matrix", "momentum_bias", "regressor", *KINEMATICS)
    generation = generate(robot, Settings("python", functions, states=40))
    for values in (
        [0, 0, 0, 0, 0],
        [0, 0.2, np.pi / 2, -1, 3],
        [0.3, 0, -np.pi / 2, 0, 0],
        [-0.2, 0.1, np.pi, 2, 1],
    ):
        exact = {
            parameter.name: Exact(float(value))
            for parameter, value in zip(robot.parameters, values, strict=True)
        }
        given = make_references(substitute(robot, exact))
        params, status = generation.compiled["prepare"](values)
        assert status == 0
        for function in generation.functions:
            definition = function.definition
            inputs = tuple(argument.name for argument in definition.inputs(generation.model))
            outputs = tuple(argument.name for argument in definition.outputs(generation.model))
            call = functools.partial(_call, generation.compiled[function.name], params)
            states = sample_states(robot, inputs, 20)
            expectation = Expectation(
                function.name,
                inputs,
                outputs,
                definition.expected_results.outputs,
                definition.expected_results.magnitudes,
            )
            proof = check_kernel(call, expectation, given, states)
            assert proof.passed, (values, proof)


def _call(kernel, params, *state):
    return kernel(*state, params)


def test_an_angle_of_a_transform_in_general_position_is_refused_by_name():
    text = GENERAL.format(tilt=0).replace("rpy: [0.3,", "rpy: [turn,")
    with pytest.raises(
        UsageError,
        match="link slide: a run-time parameter turns a joint axis about the z axis of its parent",
    ):
        generate(parse_robot(text, "general.yaml"), Settings("c", ("inverse_dynamics",)))


@pytest.mark.slow
@pytest.mark.parametrize("language", ["c", "fortran"])
def test_every_function_is_float_throughout(language, tmp_path):
    generation = generated(arm(DEFAULTS), Settings(functions=("all",), real="float"))
    kernels = compiled(generation, language)
    assert {"forward_dynamics", "regressor", "forward_dynamics_derivatives"} < kernels.keys()
    assert all(proof.passed for proof in proved(generation, kernels, states=40))
    write_folder(tmp_path, assemble(generation.package, find_language(language)))
    warnings = ["-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
    if language == "fortran":
        subprocess.run(
            ["gfortran", "-std=f2008", *warnings, "-c", "carrier_dynamics.f90"],
            cwd=tmp_path,
            check=True,
        )
        return
    warnings += ["-Wdouble-promotion", "-Wfloat-conversion", "-Wshadow"]
    for program in ("example/carrier_example.c", "test/carrier_golden.c"):
        sources = [program, *(str(path) for path in tmp_path.glob("src/*.c"))]
        command = ["gcc", "-std=c99", *warnings, "-Iinclude", *sources, "-lm", "-o", "program"]
        subprocess.run(command, cwd=tmp_path, check=True)
        subprocess.run(["./program"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
