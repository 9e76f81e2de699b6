"""Times of generated functions in CasADi, next to CasADi's own derivatives of the same programs.

    python benchmarks/casadi_plans.py               # Jacobians, and plans by Ipopt: two minutes
    python benchmarks/casadi_plans.py --hessian     # adds the exact Hessian, five minutes more, and
                                                    # writes the tables of docs/casadi.md

CasADi computes its derivatives from its graph of scalar operations (SX). For Jacobians, CasADi
prints this graph as C code, which is compiled with the options of the generated library. All calls
run alternately in one process. The reported time is the shortest time of each call. The plan is the
trajectory optimisation of examples/panda_swing.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import casadi
import numpy as np

import dynagen.casadi

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "examples" / "panda_swing")]
swing = import_module("swing")
programs = import_module("tests.support.casadi_programs")

PAGE = ROOT / "docs" / "casadi.md"
ROBOTS = ("puma560", "panda")
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "discrete_step")
STATES, ROUNDS, PLANS = 1000, 30, 7
OPTIONS = ("-std=c99", "-O3", "-march=native", "-shared", "-fPIC")


def main() -> None:
    """Print all times and ratios; with `--hessian`, also write the two tables of docs/casadi.md."""
    jacobians = [
        [robot, *(f"{compare_jacobians(robot, function):.2f}" for function in FUNCTIONS)]
        for robot in ROBOTS
    ]
    plans = [compare_plans("limited-memory")]
    if "--hessian" not in sys.argv:
        return
    plans.append(compare_plans("exact"))
    text = PAGE.read_text(encoding="utf-8")
    for name, rows in (("jacobians", jacobians), ("plans", plans)):
        # The heading remains, and the rows under it are new.
        table = re.compile(rf"(<!-- table: {name} -->\n.*\n.*\n)([^<]*)")
        lines = "".join(f"| {' | '.join(row)} |\n" for row in rows)
        text = table.sub(lambda found, lines=lines: found[1] + lines, text)
    PAGE.write_text(text, encoding="utf-8")


def compare_jacobians(robot: str, function: str) -> float:
    """Print times of a function and of its Jacobian, both by dynagen and by CasADi's C code.

    Returns:
        The time of dynagen's Jacobian divided by the time of CasADi's Jacobian.
    """
    ours = dynagen.casadi.load(robot, states=100).function(function)
    is_step = function == "discrete_step"
    own = (
        programs.make_casadi_step(robot)
        if is_step
        else programs.make_casadi_function(robot, function)
    )
    generator = np.random.default_rng(0)
    state = [generator.normal(size=(own.size1_in(place), STATES)) for place in range(own.n_in())]
    with tempfile.TemporaryDirectory() as folder:
        compiled = compile_function(own, Path(folder))
        functions = {
            ("dynagen", "value"): ours,
            ("CasADi", "value"): compiled[0],
            ("dynagen", "Jacobian"): ours.jacobian(),
            ("CasADi", "Jacobian"): compiled[1],
        }
        times = measure_calls(functions, state)
    cells = [
        f"{kind} {1e9 * times['dynagen', kind]:.0f} ns, "
        f"{times['dynagen', kind] / times['CasADi', kind]:.2f} of CasADi's C"
        for kind in ("value", "Jacobian")
    ]
    print(f"{robot} {function}: {'; '.join(cells)}", flush=True)
    return times["dynagen", "Jacobian"] / times["CasADi", "Jacobian"]


def compile_function(own: Any, folder: Path) -> tuple[Any, Any]:
    """Compile the C code that CasADi prints for a function, and for its Jacobian in all inputs.

    Args:
        own: CasADi function of type SX.
        folder: folder for the code and the library.

    Returns:
        the compiled function, and the compiled Jacobian with one result for each pair of output and
        input.
    """
    generator = casadi.CodeGenerator("own.c")
    value = casadi.Function("own", own.sx_in(), own.call(own.sx_in()))
    symbols = value.sx_in()
    blocks = [casadi.jacobian(out, x) for out in value.call(symbols) for x in symbols]
    # CasADi removes operations that occur twice, if asked to.
    slopes = casadi.Function("slopes", symbols, casadi.cse(blocks))
    for each in (value, slopes):
        generator.add(each)
    generator.generate(f"{folder}/")
    library = folder / "own.so"
    subprocess.run(["gcc", *OPTIONS, folder / "own.c", "-o", library, "-lm"], check=True)
    return casadi.external("own", str(library)), casadi.external("slopes", str(library))


def measure_calls(
    functions: Mapping[tuple[str, str], Any], state: list[np.ndarray]
) -> dict[tuple[str, str], float]:
    """Return the shortest time per state of each function over several rounds (s)."""
    calls = {}
    for key, function in functions.items():
        given = [*state, *[0] * (function.n_in() - len(state))]
        calls[key] = function.map(STATES), [casadi.DM(each) for each in given]
    times = dict.fromkeys(functions, np.inf)
    for _ in range(ROUNDS):
        for key, (function, given) in calls.items():
            start = time.perf_counter()
            function.call(given)
            times[key] = min(times[key], (time.perf_counter() - start) / STATES)
    return times


def compare_plans(hessian: str) -> list[str]:
    """Print the time of an iteration of Ipopt, with dynagen's integrator step and with CasADi's.

    Returns:
        Four texts: the kind of Hessian, dynagen's number of iterations, its time of an iteration
        (ms), and the ratio of this time to CasADi's.
    """
    robot = dynagen.casadi.load(swing.ROBOT, states=100, hessian=hessian == "exact")
    steps = {
        # CasADi differentiates forward dynamics faster than the whole step.
        "CasADi": make_step(programs.make_casadi_function(swing.ROBOT, "forward_dynamics")),
        "CasADi, whole step": programs.make_casadi_step(swing.ROBOT),
        "dynagen": robot.discrete_step,
    }
    shortest = dict.fromkeys(steps, np.inf)
    for _ in range(PLANS):
        for name, step in steps.items():
            plan, statistics = swing.make_plan(step, hessian)
            seconds = plan.seconds / plan.iterations
            if seconds < shortest[name]:
                shortest[name] = seconds
                parts = ", ".join(
                    f"{part} {1e3 * statistics[f't_wall_{part}'] / plan.iterations:.2f}"
                    for part in ("nlp_g", "nlp_jac_g", "nlp_hess_l")
                    if f"t_wall_{part}" in statistics
                )
                found = f"{plan.iterations} iterations, cost {plan.cost:.6f}, ms: {parts}"
                print(f"{name}, {hessian}: {1e3 * seconds:.2f} ms an iteration ({found})")
    ratio = shortest["dynagen"] / shortest["CasADi"]
    print(f"{hessian}: {ratio:.2f} of CasADi's time an iteration", flush=True)
    return [hessian, str(plan.iterations), f"{1e3 * shortest['dynagen']:.1f}", f"{ratio:.2f}"]


def make_step(forward: Any) -> Any:
    """Return a semi-implicit Euler step (x, u, dt) -> x_next, as a user of CasADi would write it.

    The state x contains positions and velocities, and u contains joint forces. `forward` is a
    function (q, qd, tau) -> qdd.
    """
    n = forward.numel_out(0)
    x, u, dt = (casadi.MX.sym(*each) for each in (("x", 2 * n), ("u", n), ("dt", 1)))
    velocities = x[n:] + dt * forward(x[:n], x[n:], u)
    after = casadi.vertcat(x[:n] + dt * velocities, velocities)
    return casadi.Function("step", [x, u, dt], [after])


if __name__ == "__main__":
    main()
