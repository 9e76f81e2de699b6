"""The bounds of kernels: what counts, and that this machine's speeds are positive numbers that fit
together.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from dynagen.apps.benchmarking.compilers import find_compilers
from dynagen.apps.benchmarking.contender import BATCH, ONE_STATE
from dynagen.apps.benchmarking.ours import generate_ours
from dynagen.apps.benchmarking.probes import Probes, Speeds, select_fastest
from dynagen.apps.benchmarking.roofline import PRODUCTS, RoofProbes, compute_roof
from dynagen.numbers.real import DOUBLE, FLOAT, Real
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot
from tests.support.program_parser import parse_program

SPEEDS = Speeds(1, 1.0, 2.0, 1.0, 50.0, 3.0, 4.0, 20.0, 30.0)
PROGRAM = """program f
input q[2] "" ""
output tau[1] "" ""
section ""
  s1, c1 = sincos(q[0])
  t1 = s1*q[1]
  t2 = t1 + q[0]
  t3 = t2*t2
  t4 = t3 + t2
  t5 = t4 + s1
result tau = t5
"""


def test_products_take_sums_along_and_the_units_that_have_most_to_do_decide() -> None:
    program = parse_program(PROGRAM)
    one_state = compute_roof(program, DOUBLE, SPEEDS, memory=5.0)
    assert one_state.arithmetic == (2 + 24) * 2.0
    assert one_state.trigonometry == 24 * 2.0
    assert one_state.critical_path == 30.0 + 4.0 + 3.0 + 4.0 + 3.0 + 3.0
    assert one_state.bound == one_state.arithmetic
    eight = compute_roof(program, FLOAT, replace(SPEEDS, states=8, multiply=0.5), memory=5.0)
    assert eight.arithmetic == (2 + 2 * 14 + 1) * 1.0 / 8
    assert eight.bound == 5.0


@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
def test_products_of_sine_and_cosine_are_those_of_the_code(real: Real) -> None:
    files = generate(
        load_robot("pendulum"), Settings(real=real.name, trig="vector", verify=False)
    ).files
    text = next(file.text for file in files if file.path.endswith("_trig.h"))
    core = text[text.index("sincos_vector(") : text.index("An odd number of quarters")] + "x*x"
    products = re.findall(
        r"(?<=[\w)])\*(?=[\w(])", re.sub(r"/\*.*?\*/|static inline.*", "", core, flags=re.DOTALL)
    )
    assert len(products) == PRODUCTS[real]


@pytest.mark.tools
def test_probes_time_operations() -> None:
    made = generate_ours(
        load_robot("pendulum"), ("inverse_dynamics",), DOUBLE, lambda stage, done: None
    )
    (compiler,) = find_compilers(quick=True)
    probes = Probes(made, compiler, many=True)
    speeds = probes.measure_speeds()
    assert speeds.states in (2, 4, 8)
    assert min(vars(speeds).values()) > 0
    assert select_fastest([speeds, replace(speeds, add=0.0)]) == replace(speeds, add=0.0)
    assert probes.measure_memory(64, 3, 1) > 0


@pytest.mark.tools
def test_the_shortest_time_of_each_instruction_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    made = generate_ours(
        load_robot("pendulum"), ("inverse_dynamics",), DOUBLE, lambda stage, done: None
    )
    probes = RoofProbes(made, find_compilers(quick=True), states=64)
    measured = [replace(SPEEDS, add=2.0), replace(SPEEDS, add=0.5, mixed=9.0)]
    memories = [0.25, 0.125]
    for speeds, memory in zip(measured, memories, strict=True):
        monkeypatch.setattr(Probes, "measure_speeds", lambda _, speeds=speeds: speeds)
        monkeypatch.setattr(Probes, "measure_memory", lambda *_, memory=memory: memory)
        probes.measure("inverse_dynamics")
    roofs = probes.compute_roofs("inverse_dynamics")
    program = made.find_program("inverse_dynamics")
    expected = compute_roof(program, DOUBLE, replace(SPEEDS, add=0.5), 0.125)
    assert roofs == dict.fromkeys((ONE_STATE, BATCH), expected)
