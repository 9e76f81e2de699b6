"""Target `casadi`: functions are called through `casadi.external`, and differentiated by CasADi."""

import json
import subprocess
import sys
from dataclasses import replace
from operator import attrgetter

import numpy as np
import pytest

import dynagen
import dynagen.casadi
from dynagen.codegen.targets import casadi_functions as target
from dynagen.ir.evaluation import Arithmetic, evaluate
from dynagen.ir.program import Operation
from tests.support.libraries import casadi

pytestmark = pytest.mark.tools
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "discrete_step", "forward_kinematics")
WALKER = """name: walker
gravity: [0, 0, -9.81]
links:
  - {name: trunk, joint: floating, mass: 4, com: [0.01, 0.02, 0.03],
     inertia: [0.1, 0.12, 0.15, 0.01, 0, 0]}
  - {name: leg, joint: revolute, parent: trunk, axis: [0, 1, 0], origin: {xyz: [0.2, 0, -0.1]},
     mass: 1, com: [0, 0, -0.2], inertia: [0.01, 0.01, 0.002, 0, 0, 0]}
"""
BALL = """name: ball
gravity: [0, 1, -9.81]
links:
  - {name: slide, joint: prismatic, axis: [1, 0, 0], mass: 1, com: [0, 0, 0.1], inertia: [0, 0, 0]}
  - {name: arm, joint: spherical, origin: {xyz: [0.1, 0, 0]}, mass: 2, com: [0.1, 0.2, 0.3],
     inertia: [0.3, 0.4, 0.5, 0.01, 0.02, 0.03]}
"""
QUATERNIONS = {WALKER: slice(3, 7), BALL: slice(1, 5)}  # in q
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
LOADED = """
name: loaded
convention: modified
gravity: [0, -9.81, 0]
parameters: {bob: {value: 2, unit: kg, runtime: true}}
links:
  - {name: rod, joint: revolute, dh: {alpha: 0, a: 0, d: 0}, mass: bob, com: [0.5, 0, 0],
     inertia: [0, 0, 0.1]}
"""
LOADED_WALKER = WALKER.replace(
    "links:", "parameters: {bob: {value: 2, unit: kg, runtime: true}}\nlinks:"
).replace("mass: 1,", "mass: bob,")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A delivered folder of planar3."""
    folder = tmp_path_factory.mktemp("casadi") / "planar3"
    dynagen.generate("planar3", FUNCTIONS, target="casadi", out=folder, states=50)
    return folder


def test_the_example_and_the_manifest_describe_the_library(folder):
    done = subprocess.run(
        [sys.executable, folder / "planar3_example.py"], capture_output=True, text=True, check=True
    )
    assert "discrete_step:(x[6],u[3],dt)->(x_next[6]) External" in done.stdout
    manifest = json.loads((folder / "planar3.manifest.json").read_text())
    assert manifest["target"] == "casadi"
    assert "planar3.so" in manifest["files"]
    step = next(each for each in manifest["externals"] if each["name"] == "discrete_step")
    assert step["inputs"] == {"x": 6, "u": 3, "dt": 1}
    assert set(step["jacobian_nonzeros"]) == {"jac_x_next_x", "jac_x_next_u", "jac_x_next_dt"}


def test_the_source_passes_strict_warnings(folder, tmp_path):
    subprocess.run(
        ["cc", *STRICT, "-Iinclude", "-c", "planar3_casadi.c", "-o", tmp_path / "out.o"],
        cwd=folder,
        check=True,
    )


def as_symbolic(program):
    """Return a program as a CasADi function of scalar symbols, which CasADi differentiates."""
    functions = {
        Operation.SINE: casadi.sin,
        Operation.COSINE: casadi.cos,
        Operation.SQRT: casadi.sqrt,
        Operation.NEGATE: lambda value: -value,
        Operation.DIVIDE: lambda left, right: left / right,
    }
    symbols = [casadi.SX.sym(each.name, each.size) for each in program.inputs]
    elements = {
        each.name: [symbol[place] for place in range(each.size)]
        for each, symbol in zip(program.inputs, symbols, strict=True)
    }
    results = evaluate(program, elements, Arithmetic(float, functions))
    return casadi.Function("own", symbols, [casadi.vertcat(*each) for each in results.values()])


@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
@pytest.mark.parametrize("robot", ["planar3", WALKER, BALL], ids=["fixed", "floating", "spherical"])
def test_derivatives_are_those_that_casadi_finds_in_the_same_program(robot, function):
    """CasADi applies its own rules to every operation of the program."""
    ours = dynagen.casadi.load(robot, states=20).function(function)
    (compiled,) = dynagen.generate(robot, function, states=20).functions
    own = as_symbolic(compiled.program)
    sizes = [own.size1_in(number) for number in range(own.n_in())]
    symbols = [casadi.MX.sym("value", size) for size in sizes]
    generator = np.random.default_rng(3)
    for number, symbol in enumerate(symbols):
        computed, wanted = (
            casadi.Function("J", symbols, [casadi.jacobian(f(*symbols), symbol)])
            for f in (ours, own)
        )
        for _ in range(10):
            state = [generator.uniform(-2, 2, size) for size in sizes]
            directions = np.eye(sizes[number])
            if place := QUATERNIONS.get(robot):
                quaternion = state[0][place] = state[0][place] / np.linalg.norm(state[0][place])
                if number == 0:  # ours has no derivative along the quaternion
                    directions[place, place] -= np.outer(quaternion, quaternion)
            ours_here, expected = (each(*state).full() @ directions for each in (computed, wanted))
            np.testing.assert_allclose(
                ours_here, expected, rtol=0, atol=1e-12 * (1 + abs(expected).max())
            )


def test_the_step_is_differentiated_by_state_force_and_length():
    """Difference quotients of the step; it is nearly linear in a small range."""
    step = dynagen.casadi.load("planar3", states=20).discrete_step
    symbols = [casadi.MX.sym(name, size) for name, size in (("x", 6), ("u", 3), ("dt", 1))]
    state = [np.array([0.3, -0.8, 0.5, 1, -2, 0.5]), np.array([1.0, 2.0, -1.0]), np.array([0.02])]
    for number, symbol in enumerate(symbols):
        jacobian = casadi.Function("J", symbols, [casadi.jacobian(step(*symbols), symbol)])
        computed = jacobian(*state).full()
        for place, size in enumerate(state[number]):
            moved = [each.copy() for each in state]
            quotient = 0
            for sign in (1, -1):
                moved[number][place] = size + sign * 1e-6
                quotient = quotient + sign * step(*moved).full()[:, 0] / 2e-6
            np.testing.assert_allclose(computed[:, place], quotient, rtol=0, atol=1e-7)


@pytest.fixture(scope="module")
def walking_steps():
    """The step of a robot with a floating base, and the same program as CasADi's symbols."""
    ours = dynagen.casadi.load(WALKER, states=20).discrete_step
    (compiled,) = dynagen.generate(WALKER, "step_euler", states=20).functions
    program = as_symbolic(compiled.program)
    x, u, dt = (casadi.SX.sym(name, size) for name, size in (("x", 15), ("u", 7), ("dt", 1)))
    # CasADi differentiates by a quaternion of any length; ours is the step from a normalised one.
    q = casadi.vertcat(x[:3], x[3:7] / casadi.norm_2(x[3:7]), x[7])
    return ours, casadi.Function("own", [x, u, dt], [casadi.vertcat(*program(q, x[8:], u, dt))])


@pytest.mark.parametrize(
    "motion", [1.0, 30.0, 0.0], ids=["slow", "more than a turn", "at rest in free fall"]
)
def test_the_step_of_a_floating_base_has_the_derivatives_of_its_program(walking_steps, motion):
    generator = np.random.default_rng(6)
    symbols = [casadi.MX.sym(name, size) for name, size in (("x", 15), ("u", 7), ("dt", 1))]
    ours, own = (
        casadi.Function("J", symbols, [casadi.jacobian(f(*symbols), each) for each in symbols])
        for f in walking_steps
    )
    for _ in range(10):
        x, u = generator.normal(size=15), motion * generator.normal(size=7)
        x[3:7] /= np.linalg.norm(x[3:7])
        x[8:] *= motion
        for computed, expected in zip(ours(x, u, 0.1), own(x, u, 0.1), strict=True):
            scale = 1 + abs(expected.full()).max()
            np.testing.assert_allclose(computed.full(), expected.full(), rtol=0, atol=1e-12 * scale)


@pytest.fixture(scope="module")
def steps():
    """The step of planar3 with second derivatives, and the same program as CasADi's symbols."""
    ours = dynagen.casadi.load("planar3", hessian=True, states=50).discrete_step
    (compiled,) = dynagen.generate("planar3", "step_euler", states=20).functions
    program = as_symbolic(compiled.program)
    q, qd, u, dt = (
        casadi.SX.sym(name, size) for name, size in zip("qvud", (3, 3, 3, 1), strict=True)
    )
    own = casadi.Function(
        "own", [casadi.vertcat(q, qd), u, dt], [casadi.vertcat(*program(q, qd, u, dt))]
    )
    return ours, own


def test_second_derivatives_are_those_that_casadi_finds_in_the_same_program(steps):
    symbols = [casadi.MX.sym(name, size) for name, size in (("x", 6), ("u", 3), ("dt", 1))]
    weights = casadi.MX.sym("weights", 6)
    ours, own = (differentiate_twice(f, symbols, weights) for f in steps)
    generator = np.random.default_rng(4)
    for _ in range(10):
        state = [*(generator.uniform(-2, 2, size) for size in (6, 3)), 0.02]
        multiplier = generator.uniform(-1, 1, 6)
        computed, wanted = (each(*state, multiplier).full() for each in (ours, own))
        np.testing.assert_allclose(computed, wanted, rtol=0, atol=1e-12 * abs(wanted).max())
        np.testing.assert_allclose(computed, computed.T, rtol=0, atol=0)


def differentiate_twice(function, symbols, weights):
    """Return the Hessian of a weighted sum of outputs as a CasADi function."""
    joined = casadi.MX.sym("joined", 10)
    parts = casadi.vertsplit(joined, [0, 6, 9, 10])
    second, _ = casadi.hessian(casadi.dot(weights, function(*parts)), joined)
    return casadi.Function(
        "H", [*symbols, weights], [casadi.substitute(second, joined, casadi.vertcat(*symbols))]
    )


@pytest.mark.parametrize("hessian", ["limited-memory", "exact"])
def test_a_solver_takes_the_same_iterations_as_with_symbols(steps, hessian):
    """Planar3 moves from rest to rest in 0.3 s with the least effort."""
    start, end, intervals, dt = [0, 0.5, -0.5], [1.0, -0.3, 0.4], 15, 0.02
    solutions = []
    for step in steps:
        x, u = casadi.MX.sym("x", 6, intervals + 1), casadi.MX.sym("u", 3, intervals)
        gaps = step.map(intervals)(x[:, :-1], u, dt) - x[:, 1:]
        ends = casadi.vertcat(x[:, 0] - [*start, 0, 0, 0], x[:, -1] - [*end, 0, 0, 0])
        problem = {
            "x": casadi.vertcat(casadi.vec(x), casadi.vec(u)),
            "f": dt * (1e-3 * casadi.sumsqr(u) + 1e-2 * casadi.sumsqr(x[3:, :])),
            "g": casadi.vertcat(casadi.vec(gaps), ends),
        }
        quiet = {"ipopt.print_level": 0, "print_time": 0, "ipopt.sb": "yes"}
        solver = casadi.nlpsol(
            "solver", "ipopt", problem, {**quiet, "ipopt.hessian_approximation": hessian}
        )
        guess = np.zeros(9 * intervals + 6)
        guess[: 6 * (intervals + 1)].reshape(-1, 6)[:, :3] = np.linspace(start, end, intervals + 1)
        solution = solver(x0=guess, lbg=0, ubg=0)
        assert solver.stats()["return_status"] == "Solve_Succeeded"
        solutions.append((solver.stats()["iter_count"], float(solution["f"])))
    (iterations, cost), (wanted_iterations, wanted_cost) = solutions
    assert iterations == wanted_iterations
    assert cost == pytest.approx(wanted_cost, rel=1e-9)


def test_null_arguments_are_zeros_and_null_results_are_not_computed(folder):
    """CasADi passes null pointers for what a graph does not use."""
    inverse = casadi.external("inverse_dynamics", str(folder / "planar3.so"))
    q = [0.1, 0.2, 0.3]
    gravity = casadi.Function("g", [q_symbol := casadi.MX.sym("q", 3)], [inverse(q_symbol, 0, 0)])
    np.testing.assert_array_equal(gravity(q), inverse(q, [0, 0, 0], [0, 0, 0]))
    kinematics = casadi.external("forward_kinematics", str(folder / "planar3.so"))
    _, point = kinematics(q)
    alone = casadi.Function("p", [q_symbol], [kinematics(q_symbol)[1]])
    np.testing.assert_array_equal(alone(q), point)


def test_threads_of_a_map_give_what_one_thread_gives(folder):
    """Steps and their derivatives from 400 states at a time, twenty times over."""
    step = casadi.external("discrete_step", str(folder / "planar3.so"))
    generator = np.random.default_rng(5)
    states = [generator.uniform(-2, 2, (size, 400)) for size in (6, 3, 1)]
    for function in (step, step.jacobian()):
        given = [*states, *[0] * (function.n_in() - len(states))]
        threads, one = function.map(400, "thread", 2), function.map(400)
        expected = one.call(given)
        for _ in range(20):
            for left, right in zip(threads.call(given), expected, strict=True):
                np.testing.assert_array_equal(left.full(), right.full())


def test_run_time_parameters_are_an_input_and_a_failure_is_reported():
    robot = dynagen.casadi.load(LOADED, states=50)
    forward = robot.forward_dynamics
    assert [forward.name_in(number) for number in range(4)] == ["q", "qd", "tau", "parameters"]
    lighter, heavier = (float(forward(0.3, 0, 1, bob)) for bob in (1, 4))
    assert lighter != heavier
    with pytest.raises(RuntimeError, match="forward_dynamics"):
        forward(0.3, 0, 1, -1)


@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics", "discrete_step"])
@pytest.mark.parametrize("robot", [LOADED, LOADED_WALKER], ids=["fixed", "floating"])
def test_derivatives_with_run_time_parameters_are_differences(robot, function):
    """By all inputs except the quaternion, which differences do not keep at unit length."""
    called = dynagen.casadi.load(robot, states=50).function(function)
    count = called.n_in()
    assert called.name_in(count - 1) == "parameters"
    symbols = [casadi.MX.sym("s", called.size1_in(place)) for place in range(count)]
    jacobian = casadi.Function(
        "J", symbols, [casadi.jacobian(called(*symbols), s) for s in symbols]
    )
    state = [np.linspace(0.3, 0.7, called.size1_in(place)) for place in range(count)]
    floats = robot == LOADED_WALKER
    if floats:
        state[0][3:7] = 0.5
    state[-1] = np.array([2.0])
    for place, computed in enumerate(jacobian(*state)):
        for entry in range(len(state[place])):
            if floats and place == 0 and entry in range(3, 7):
                continue
            quotient = 0
            for sign in (1, -1):
                moved = [each.copy() for each in state]
                moved[place][entry] += sign * 1e-5
                quotient += sign * called(*moved).full()[:, 0] / 2e-5
            bound = 1e-7 * (1 + abs(quotient).max())
            np.testing.assert_allclose(computed.full()[:, entry], quotient, rtol=0, atol=bound)
    assert abs(computed.full()).max() > 1e-3  # the parameter counts


def disordered(sparsity):
    """Exchange the rows of the last two elements, which CasADi refuses."""
    *others, last, end = sparsity.indices
    return replace(sparsity, indices=(*others, end, last))


def shifted(sparsity):
    """Put an element into the next row, where it stays in order."""
    places = [
        place
        for column in range(sparsity.columns)
        if (place := sparsity.starts[column + 1] - 1) >= sparsity.starts[column]
        and sparsity.indices[place] + 1 < sparsity.rows
    ]
    indices = list(sparsity.indices)
    if places:
        indices[places[0]] += 1
    return replace(sparsity, indices=tuple(indices))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (disordered, "CasADi cannot load jac_inverse_dynamics"),
        (shifted, "inverse_dynamics_jacobian"),
    ],
)
def test_a_wrong_sparsity_is_found_and_nothing_is_written(fault, message, monkeypatch, tmp_path):
    right = target.SparsityTable.add

    def add(self, sparsity, symbol):
        return right(self, sparsity if sparsity.is_dense else fault(sparsity), symbol)

    monkeypatch.setattr(target.SparsityTable, "add", add)
    with pytest.raises(dynagen.DynagenError, match=message):
        dynagen.generate(
            "puma560", "inverse_dynamics", target="casadi", out=tmp_path / "out", states=20
        )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"real": "float"}, "CasADi computes in double precision"),
        ({"lang": "fortran"}, "fortran is not one of its languages; expected --lang c"),
        ({"batch": True}, "--batch is an option of --target folder"),
    ],
)
def test_misuse_is_explained(options, message):
    with pytest.raises(dynagen.DynagenError, match=message):
        dynagen.generate("planar3", target="casadi", **options)


def test_commands_for_source_code_refuse_a_library(folder, run):
    status, _, error = run("verify", folder, "planar3")
    assert (status, "was delivered by --target casadi" in error) == (2, True)
    status, _, error = run("planar3", "--target", "casadi", "--footprint", "host")
    assert (status, "--target casadi delivers compiled code" in error) == (2, True)


def test_external_wrenches_leave_no_derivatives():
    text = WALKER.replace("name: walker", "name: walker\nexternal_wrench: true")
    generation = dynagen.generate(text, "forward_dynamics", target="casadi", verify=False)
    assert [function.name for function in generation.functions] == ["forward_dynamics"]
    with pytest.raises(dynagen.DynagenError, match="by the input `wrench` are not available"):
        dynagen.generate(text, "forward_dynamics_jacobian", verify=False)


@pytest.mark.parametrize(("robot", "velocities"), [("planar3", 3), (WALKER, 7)])
def test_functions_are_differentiated_by_contact_forces(robot, velocities):
    robot = dynagen.casadi.load(robot, contact_force="tool")
    generator = np.random.default_rng(1)
    for function in (robot.forward_dynamics, robot.discrete_step):
        names = [function.name_in(place) for place in range(function.n_in())]
        symbols = [casadi.MX.sym(name, *function.size_in(name)) for name in names]
        by_force = casadi.jacobian(
            function(*symbols), next(each for each in symbols if each.name() == "contact_force")
        )
        jacobian = casadi.Function("jacobian", symbols, [by_force])
        values = {name: generator.uniform(0.1, 1, function.size_in(name)) for name in names}
        if velocities == 7:
            values[names[0]][3:7] = [[0], [0], [0.6], [0.8]]

        def find_change(axis, function=function, values=values):
            force = values["contact_force"] + np.eye(3)[:, axis : axis + 1]
            after = function(*{**values, "contact_force": force}.values())
            return after.full() - function(*values.values()).full()

        # Accelerations, and velocities after the step, are linear in the force.
        changes = np.hstack([find_change(axis) for axis in range(3)])
        found = jacobian(*values.values()).full()
        np.testing.assert_allclose(
            found[-velocities:], changes[-velocities:], rtol=0, atol=1e-12 * np.abs(changes).max()
        )
        assert np.abs(changes).max() > 1e-3


def test_discrete_step_belongs_to_this_target(run):
    status, _, error = run("planar3", "-f", "discrete_step")
    assert (status, "unknown function `discrete_step`" in error) == (2, True)


def test_a_robot_names_its_functions():
    robot = dynagen.casadi.load("planar3")
    assert {"forward_dynamics", "discrete_step"} <= set(dir(robot))
    with pytest.raises(AttributeError, match="did you mean `forward_dynamics`"):
        attrgetter("forward_dynamcs")(robot)
