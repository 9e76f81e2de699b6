"""Times of acados with the generated integrator step, next to CasADi's code of the same step.

    python benchmarks/acados_steps.py        # prints; needs CasADi and acados

acados follows the swing of examples/panda_swing over 20 intervals, once with the generated step and
once with CasADi's code of this step. Each printed time is the shortest time of many solutions.
"""

from __future__ import annotations

import sys
import tempfile
from importlib import import_module
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "examples" / "panda_swing")]
swing = import_module("swing")
make_casadi_model = import_module("tests.support.casadi_programs").make_casadi_model

TRIES = 200


def main() -> None:
    """Print linearisation times with dynagen's and CasADi's code, and a difference of forces.

    A time is for one interval, in microseconds. It includes the next state and its derivatives by
    state and input. The difference is the largest one between the joint forces that the solvers
    with either code return (N m).
    """
    generator = np.random.default_rng(0)
    line = swing.START + np.linspace(0, 1, swing.HORIZON + 1)[:, None] * (swing.GOAL - swing.START)
    states = np.hstack([line, np.zeros_like(line)])
    plan = states, generator.normal(0, 1, (swing.HORIZON, swing.N))
    found, times = [], []
    with tempfile.TemporaryDirectory() as folder:
        generated = swing.generate_model(Path(folder))
        for model, parameters in (generated, (make_casadi_model(swing.ROBOT, swing.DT), None)):
            solver = swing.make_solver(model, parameters, folder)
            shortest = np.inf
            for _ in range(TRIES):
                found.append(np.hstack(swing.solve(solver, plan, 0, states[0])[1]))
                iterations = int(np.max(solver.get_stats("sqp_iter")))
                seconds = float(np.sum(solver.get_stats("time_lin")))
                shortest = min(shortest, seconds / iterations / swing.HORIZON)
            times.append(shortest)
            print(f"{model.name}: {1e6 * shortest:.2f} us an interval, {iterations} iterations")
    print(f"linearisation: {times[0] / times[1]:.2f} of CasADi's")
    print(
        f"largest difference between the forces with the two models: "
        f"{abs(found[0] - found[-1]).max():.1e}"
    )


if __name__ == "__main__":
    main()
