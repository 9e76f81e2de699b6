"""Equations of a robot: their values are the references', and their text is readable."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pytest
import sympy

import dynagen
from dynagen.apps.equations.closed_form import derive_closed_form
from dynagen.apps.equations.notation import write_recursion, write_symbol
from dynagen.apps.equations.recursion import derive_recursion
from dynagen.dynamics.requests import find_functions
from dynagen.errors import UsageError
from dynagen.ir.program import Element
from dynagen.ir.statements import Application, Constant, Expression, Name
from dynagen.robot.model.model import build_model
from dynagen.verification.reference import make_references

PRISMATIC = """
name: crane
gravity: [0.3, 0, -9.81]
convention: modified
links:
- {name: column, joint: prismatic, dh: {theta: 0.2, a: 0, alpha: 0}, mass: 4, com: [0.1, 0, 0.3],
   inertia: [0.2, 0.3, 0.1, 0.01, 0.02, 0.03]}
- {name: boom, joint: revolute, dh: {d: 0.4, a: 0.3, alpha: 0.7}, mass: 2, com: [0.2, 0.1, 0],
   inertia: [0.02, 0.3, 0.3, 0, 0.01, 0]}
"""


def load(name: str) -> dynagen.RobotDescription:
    return dynagen.load_robot(PRISMATIC if name == "crane" else name)


def evaluate(expression: Expression, names: Mapping[str, float], state: Mapping[str, list[float]]):
    match expression:
        case Constant(value):
            return float(value)
        case Name(name):
            return names[name]
        case Element(argument, index):
            return state[argument][index]
        case Application(operation, operands):
            return operation.compute(*(evaluate(each, names, state) for each in operands))


@pytest.mark.parametrize("with_names", [False, True])
@pytest.mark.parametrize("robot", ["planar3", "puma560", "crane", "two_arm"])
def test_both_forms_have_the_values_of_the_reference(robot: str, with_names: bool) -> None:
    description = load(robot)
    model = build_model(description)
    (function,) = find_functions(["inverse_dynamics"], model)
    recursion = derive_recursion(description, function, with_names)
    random = np.random.default_rng(4)
    state = {name: random.uniform(-1, 1, model.nv).tolist() for name in ("q", "qd", "qdd")}
    general: dict[str, float] = {}
    folded: dict[str, float] = {}
    for step in recursion.steps:
        for each in step.equations:
            general[each.name] = evaluate(each.general, general, state)
            folded[each.name] = evaluate(each.folded, folded, state)
    for name, value in folded.items():
        assert value == pytest.approx(general[name], rel=1e-12, abs=1e-12)
    ((_, results),) = recursion.results
    expected = make_references(description)[0].compute_inverse_dynamics(
        *map(np.array, state.values())
    )
    found = [evaluate(each, folded, state) for each in results]
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


def test_values_that_no_result_needs_are_marked() -> None:
    model = build_model(load("planar3"))
    (gravity,) = find_functions(["inverse_dynamics"], model)
    recursion = derive_recursion(load("planar3"), gravity, with_names=False)
    unneeded = {
        each.name for step in recursion.steps for each in step.equations if not each.is_needed
    }
    assert {"d1", "w1_x", "l3_xy"} <= unneeded
    assert not {"w2_z", "a2_x", "n1_z"} & unneeded


@pytest.mark.parametrize("with_names", [False, True])
@pytest.mark.parametrize("robot", ["planar3", "puma560_listing_3dof", "crane"])
def test_closed_form_has_the_values_of_the_reference(robot: str, with_names: bool) -> None:
    description = load(robot)
    closed = derive_closed_form(description, with_names)
    reference = make_references(description)[0]
    random = np.random.default_rng(9)
    count = len(closed.positions)
    q, qd, qdd = random.uniform(-2, 2, (3, count))
    numbers = {sympy.Symbol(name): float(value) for name, value in closed.numbers.items()}
    numbers |= {
        sympy.Symbol(f"{function}({name})"): getattr(np, function)(float(value))
        for name, value in closed.numbers.items()
        for function in ("cos", "sin")
    }
    values = numbers | dict(zip((*closed.positions, *closed.velocities), (*q, *qd), strict=True))
    mass, coriolis, gravity = (
        np.array(matrix.subs(values).evalf(), dtype=float)
        for matrix in (closed.mass_matrix, closed.coriolis_matrix, closed.gravity_forces)
    )
    expected = reference.compute_inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(
        mass @ qdd + coriolis @ qd + gravity[:, 0], expected, rtol=1e-9, atol=1e-9
    )
    change = sympy.zeros(count, count)
    for position, velocity in zip(closed.positions, closed.velocities, strict=True):
        change += sympy.diff(closed.mass_matrix, position) * velocity
    skew = np.array(change.subs(values).evalf(), dtype=float) - 2 * coriolis
    np.testing.assert_allclose(skew, -skew.T, atol=1e-9)


def test_the_closed_form_of_planar3_is_the_textbooks(run) -> None:
    status, out, _ = run("equations", "planar3", "--closed")
    assert status == 0
    assert "M[2, 2] = cos(q3) + 5/3\n" in out
    assert "g[3] = 4.905*cos(q1 + q2 + q3)\n" in out


def test_the_recursion_as_text_and_markdown(run) -> None:
    status, out, _ = run("equations", "planar3")
    assert status == 0
    assert "  wd2_z = qdd[0] + qdd[1]\n" in out
    assert "w<i>: angular velocity of body i (rad/s)" in out
    assert "k<i>" not in out  # no value of this symbol is printed
    status, out, _ = run("equations", "planar3", "--general", "--names", "--format", "markdown")
    assert "| `bf3_x` |" in out
    assert "- `m3` = 1" in out


def test_latex_is_balanced_and_has_the_symbols_of_the_papers(run, tmp_path) -> None:
    assert run("equations", "puma560", "--general", "--format", "latex", "-o", "p.tex")[0] == 0
    text = (tmp_path / "p.tex").read_text()
    assert text.count("{") == text.count("}")
    assert text.count(r"\begin{align*}") == text.count(r"\end{align*}")
    assert r"\dot\omega_{2z} &=" in text
    assert not re.search(r"[^\\]\*[^}]", text.replace("align*", "").replace("section*", ""))
    closed = run("equations", "planar3", "--closed", "--names", "--format", "latex")[1]
    assert r"M_{22} &= " in closed
    recursion = run("equations", "planar3", "--format", "latex")[1]
    assert r"N_{3z} &= \frac{1}{3}\,\dot\omega_{3z} + \frac{1}{2}\,a_{3y} \\" in recursion
    assert r"C_{22} &= - a_{3} c_{3x} m_{3} \dot q_{3} \sin {q_{3}} \\" in closed


def test_entries_of_the_closed_form_are_factored_and_decimal(run) -> None:
    planar = run("equations", "planar3", "--closed")[1]
    assert "C[2, 3] = -(qd1 + qd2 + qd3)*sin(q3)/2\n" in planar
    named = run("equations", "planar3", "--closed", "--names")[1]
    assert "- a2*(qd1 + qd2)*(a3*m3 + cx2*m2)*sin(q2)" in named
    stanford = run("equations", "stanford_listing_3dof", "--closed")[1]
    assert "M[3, 3] = 4.25\n" in stanford
    assert "C[2, 2] = qd3*(4.25*q3 - 2.739975)\n" in stanford


def test_lines_of_a_closed_form_in_latex_fit_on_a_page(run) -> None:
    text = run("equations", "planar3", "--closed", "--names", "--format", "latex")[1]
    assert text.count(r"&\quad + ") == 3
    plain = [re.sub(r"\\[a-z]+|[{}_^& ]", "", line) for line in text.splitlines()]
    assert max(map(len, plain)) < 110


def test_a_sum_subtracts_terms_with_a_minus_sign(run) -> None:
    text = run("equations", "stanford")[1]
    assert "  bf2_x = 5.01*a2_x - 0.528054*l2_xz\n" in text
    assert "+ (-" not in text


@pytest.mark.parametrize(
    ("name", "symbol"),
    [
        ("w2_x", r"\omega_{2x}"),
        ("minus_l2_xx", r"-\Lambda_{2xx}"),
        ("c1", "c_{1}"),
        ("m10_2", "m_{10,2}"),
        ("Iyy1", "I_{1yy}"),
        ("gy", "g_{y}"),
        ("cos(alpha2)", r"\cos(\mathit{alpha}_{2})"),
    ],
)
def test_symbols(name: str, symbol: str) -> None:
    assert write_symbol(name) == symbol


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["puma560", "--closed"], "puma560 has 6 joints"),
        (["g1", "--base", "floating", "--closed"], "has a floating base"),
        (["planar3", "-f", "step"], "derive the equations of"),
        (["planar3", "-f", "nothing"], "nothing"),
        (["planar3", "-f", "all"], "-f all: expected one function"),
    ],
)
def test_what_has_no_equations_is_refused(run, arguments: list[str], message: str) -> None:
    status, _, error = run("equations", *arguments)
    assert status == 2
    assert message in error


def test_long_parts_have_equations_of_their_own() -> None:
    # Written out, the parts of these derivatives are too long to print.
    description = dynagen.load_robot("ur5")
    (function,) = find_functions(["forward_dynamics_derivatives"], build_model(description))
    recursion = derive_recursion(description, function, with_names=False)
    names = [each.name for step in recursion.steps for each in step.equations]
    assert any(re.fullmatch(r"t\d+", name) for name in names)
    assert len(write_recursion(recursion, "text", True)) < 1e6


def test_run_time_parameters_are_refused() -> None:
    description = dynagen.load_robot(
        PRISMATIC.replace("mass: 4", "mass: m") + "parameters: {m: {value: 4, runtime: true}}\n"
    )
    with pytest.raises(UsageError, match="run-time parameters"):
        derive_closed_form(description, with_names=False)


def test_a_recursion_is_printed_without_a_general_form() -> None:
    model = build_model(load("planar3"))
    (function,) = find_functions(["gravity_forces"], model)
    text = write_recursion(derive_recursion(load("planar3"), function, False), "text", False)
    assert "no result needs it" not in text
