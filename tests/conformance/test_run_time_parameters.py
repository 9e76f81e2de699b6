"""Run-time parameters end to end: a kernel with parameters equals the kernel generated for their values, in every language."""

import json
import subprocess
import sys

import numpy as np
import pytest

from dynagen.backends.folder import write_folder
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.errors import UsageError
from dynagen.exact import Exact
from dynagen.pipeline import Settings, generate
from dynagen.robot.loading import parse_robot
from dynagen.robot.substitution import substitute
from dynagen.verification.reference import references
from dynagen.verification.sampling import sample_states

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
  - {{name: waist, joint: revolute, dh: {{alpha: 0, a: 0, d: 0}}, mass: 3, com: [0.1, 0, 0], inertia: [0.1, 0.2, 0.3]}}
  - name: upper
    joint: revolute
    dh: {{alpha: tilt, a: 0.1, d: 0.24, theta: zero}}
    mass: 17.4
    com: [0.068, 0.006, -0.016]
    inertia: [0.13, 0.524, 0.539]
    motor: {{inertia: rotor}}
  - {{name: bracket, joint: fixed, dh: {{alpha: 0, a: reach/2, d: 0, theta: 0}}, mass: 1/reach, com: [0, 0, 0.1]}}
  - name: fore
    joint: prismatic
    dh: {{alpha: -0.2, a: reach, d: -0.09, theta: 0.3}}
    mass: 4.8 + m_load
    com: [0, -0.07*reach, 0.014]
    inertia: [0.066 + m_load*reach**2, 0.0125, 0.086]
"""
DEFAULTS = {"m_load": 2, "reach": 0.43, "tilt": "-pi/2", "zero": 0, "rotor": 4.71}
OTHERS = {"m_load": 0.7, "reach": 0.61, "tilt": 0.9, "zero": 0.4, "rotor": 1.5}


# All but those of the base parameters, which the geometry decides.
FUNCTIONS_WITH_PARAMETERS = tuple(function.name for function in FUNCTIONS if not function.name.startswith("base_"))


def arm(values, convention="modified", runtime=True):
    return parse_robot(
        ARM.format(convention=convention, runtime=", runtime: true" if runtime else "", **values), "carrier.yaml"
    )


@pytest.mark.parametrize("language", ["c", "fortran", "python"])
@pytest.mark.parametrize("convention", ["modified", "standard"])
def test_a_kernel_with_parameters_equals_the_kernel_for_their_values(language, convention):
    robot = arm(DEFAULTS, convention)
    generation = generate(robot, Settings(language, FUNCTIONS_WITH_PARAMETERS, states=50))
    assert all(function.proof.passed for function in generation.functions)
    folded = generate(arm(OTHERS, convention, runtime=False), Settings(language, ("inverse_dynamics",), states=50))
    values = [float(OTHERS[parameter.name]) for parameter in robot.parameters]
    params, status = generation.compiled["prepare"](values)
    assert status == 0
    np.testing.assert_array_equal(params[: len(values)], values)
    states = sample_states(robot, count=20)
    motion = [states[name] for name in ("q", "qd", "qdd")]
    (flexible,) = generation.compiled["inverse_dynamics"](*motion, params)
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
        match=f"{function} is not to be had for carrier: run-time parameters enter .* Fold tilt, zero, reach ",
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
  double precision :: values(carrier_values), params(carrier_params), zero(carrier_n), tau(carrier_n)
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
}


@pytest.mark.parametrize("language", CALL)
def test_a_program_sets_a_parameter_by_its_name(language, tmp_path):
    generation = generate(arm(DEFAULTS), Settings(language, ("inverse_dynamics",), verify=False))
    write_folder(tmp_path, generation.files)
    name, text, build = CALL[language]
    (tmp_path / name).write_text(text)
    if build:
        subprocess.run([*build.split(), "-o", "main"], cwd=tmp_path, check=True)
    run = ["./main"] if build else [sys.executable, name]
    done = subprocess.run(run, cwd=tmp_path, check=True, capture_output=True, text=True)
    reference = references(substitute(arm(DEFAULTS), {"m_load": Exact("0.7")}))[0]
    expected = reference.inverse_dynamics(*np.zeros((3, 1, 3)))[0]
    np.testing.assert_allclose([float(word) for word in done.stdout.split()], expected, rtol=0, atol=1e-12)
