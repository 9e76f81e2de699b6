"""A swing of the Panda from rest to rest, which Ipopt plans and acados follows.

Ipopt and acados use the same generated integrator step of 20 ms. Ipopt calls `discrete_step`
through CasADi; acados calls the functions of `--target acados`.
"""

import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import casadi
import numpy as np

import dynagen
import dynagen.casadi

ROBOT, N = "panda", 7
INTERVALS, HORIZON, LOOP, DT = 50, 20, 75, 0.02  # intervals of the plan, of acados, of the loop; s
REST = np.zeros(N)
START = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
GOAL = np.array([1.0, 0.3, -0.4, -1.2, 0.5, 2.2, -0.3])
OF_VELOCITY, OF_FORCE = 1e-2, 1e-3  # weights of the squares in the plan, per second
FOLLOWING = np.repeat([100.0, 1.0, 1e-3], N)  # weights of errors of q, qd and u in acados
PUSH = 0.3  # standard deviation of the forces that disturb the loop, N m


@dataclass(frozen=True)
class Plan:
    """A planned motion.

    Attributes:
        states: positions and velocities of the N joints, shape (INTERVALS + 1, 2 N).
        forces: joint forces, shape (INTERVALS, N).
        cost: value of the objective.
        iterations: iterations of Ipopt.
        seconds: time of all iterations.
    """

    states: np.ndarray
    forces: np.ndarray
    cost: float
    iterations: int
    seconds: float


def make_plan(step, hessian="limited-memory"):
    """Plan the swing by direct multiple shooting; the plan minimises squared forces and velocities.

    Args:
        step: CasADi function (x, u, dt) -> x_next.
        hessian: "exact" or "limited-memory".

    Returns:
        The plan, and the statistics that Ipopt reports.
    """
    x, u = casadi.MX.sym("x", 2 * N, INTERVALS + 1), casadi.MX.sym("u", N, INTERVALS)
    gaps = step.map(INTERVALS)(x[:, :-1], u, DT) - x[:, 1:]
    ends = x[:, 0] - casadi.DM([*START, *REST]), x[:, -1] - casadi.DM([*GOAL, *REST])
    problem = {
        "x": casadi.veccat(x, u),
        "f": DT * (OF_FORCE * casadi.sumsqr(u) + OF_VELOCITY * casadi.sumsqr(x[N:, :])),
        "g": casadi.veccat(gaps, *ends),
    }
    options = {
        "ipopt.hessian_approximation": hessian,
        "ipopt.print_level": 0,
        "ipopt.sb": "yes",
        "print_time": False,
    }
    solver = casadi.nlpsol("solver", "ipopt", problem, options)
    line = START + np.linspace(0, 1, INTERVALS + 1)[:, None] * (GOAL - START)
    states = np.hstack([line, np.zeros_like(line)])
    guess = np.concatenate([states.ravel(), np.zeros(N * INTERVALS)])
    begin = time.perf_counter()
    solution = solver(x0=guess, lbg=0, ubg=0)
    seconds, statistics = time.perf_counter() - begin, solver.stats()
    if not statistics["success"]:
        raise RuntimeError(f"Ipopt: {statistics['return_status']}")
    states, forces = np.split(np.array(solution["x"]).ravel(), [2 * N * (INTERVALS + 1)])
    plan = Plan(
        states.reshape(-1, 2 * N),
        forces.reshape(-1, N),
        float(solution["f"]),
        statistics["iter_count"],
        seconds,
    )
    return plan, statistics


def make_solver(model, parameters, folder, options=None):
    """Return a solver of acados that follows a plan over HORIZON intervals.

    Args:
        model: AcadosModel with discrete dynamics.
        parameters: value of the model's parameter vector p; None if the model has no p.
        folder: working folder, for generated files.
        options: further options of the solver by name.
    """
    from acados_template import AcadosOcp, AcadosOcpSolver

    ocp = AcadosOcp()
    ocp.model = model
    ocp.dims.N = HORIZON
    if parameters is not None:
        ocp.parameter_values = parameters
    cost = ocp.cost
    cost.cost_type, cost.cost_type_e = "LINEAR_LS", "LINEAR_LS"
    cost.Vx, cost.Vu, cost.Vx_e = np.eye(3 * N, 2 * N), np.eye(3 * N, N, -2 * N), np.eye(2 * N)
    cost.W, cost.W_e = np.diag(FOLLOWING), np.diag(FOLLOWING[: 2 * N])
    cost.yref, cost.yref_e = np.zeros(3 * N), np.zeros(2 * N)
    ocp.constraints.x0 = np.zeros(2 * N)
    settings = {
        "tf": HORIZON * DT,
        "integrator_type": "DISCRETE",
        "nlp_solver_type": "SQP",
        "nlp_solver_max_iter": 50,
        "hessian_approx": "GAUSS_NEWTON",
        "qp_solver": "PARTIAL_CONDENSING_HPIPM",
        "qp_solver_cond_N": HORIZON,
        "tol": 1e-8,
        "ext_fun_compile_flags": "-O3 -march=native",
        **(options or {}),
    }
    for name, value in settings.items():
        setattr(ocp.solver_options, name, value)
    here = Path.cwd()
    os.chdir(folder)  # acados reads and writes files in the working folder
    try:
        ocp.code_export_directory = str(Path(folder, f"{model.name}_solver"))
        return AcadosOcpSolver(ocp, json_file=str(Path(folder, f"{model.name}.json")))
    finally:
        os.chdir(here)


def solve(solver, plan, first, state):
    """Return states and forces that follow a plan, with the plan as initial guess.

    Args:
        solver: a solver of `make_solver`.
        plan: states and forces with at least `first + HORIZON` intervals.
        first: index of the plan's interval at which the horizon begins.
        state: the measured state.
    """
    states, forces = plan
    for k in range(HORIZON):
        solver.set(k, "yref", np.concatenate([states[first + k], forces[first + k]]))
        solver.set(k, "u", forces[first + k])
        solver.set(k, "pi", np.zeros(2 * N))
    solver.set(HORIZON, "yref", states[first + HORIZON])
    for k in range(HORIZON + 1):
        solver.set(k, "x", states[first + k])
    for bound in ("lbx", "ubx"):
        solver.set(0, bound, state)
    if (status := solver.solve()) != 0:
        raise RuntimeError(f"acados ended with status {status}")
    return (
        np.array([solver.get(k, "x") for k in range(HORIZON + 1)]),
        np.array([solver.get(k, "u") for k in range(HORIZON)]),
    )


def hold_goal(plan, step):
    """Return a plan's states and forces, extended by a phase at rest at the goal."""
    still = np.concatenate([GOAL, REST])
    u = casadi.MX.sym("u", N)
    residual = casadi.Function("residual", [u], [step(still, u, DT)[N:]])
    # The velocity after the step is linear in the forces.
    slope = np.array(casadi.Function("slope", [u], [casadi.jacobian(residual(u), u)])(REST))
    force = -np.linalg.solve(slope, np.array(residual(REST)).ravel())
    count = LOOP + HORIZON - INTERVALS
    return (
        np.vstack([plan.states, np.tile(still, (count, 1))]),
        np.vstack([plan.forces, np.tile(force, (count, 1))]),
    )


def run_loop(solver, plan, step, seed=1):
    """Follow a plan under random additional joint forces; return states of shape (LOOP + 1, 2 N).

    Args:
        solver: a solver of `make_solver`; None applies the forces of the plan without feedback.
        plan: states and forces.
        step: the plant, a CasADi function (x, u, dt) -> x_next.
        seed: seed of the random forces.
    """
    random = np.random.default_rng(seed)
    states = [plan[0][0]]
    for k in range(LOOP):
        force = plan[1][k] if solver is None else solve(solver, plan, k, states[-1])[1][0]
        pushed = force + random.normal(0, PUSH, N)
        states.append(np.array(step(states[-1], pushed, DT)).ravel())
    return np.array(states)


def generate_model(folder):
    """Generate a folder with the integrator step for acados.

    Returns:
        The AcadosModel, and the value of its parameter vector p.
    """
    dynagen.generate(ROBOT, target="acados", out=folder, states=100)
    sys.path.insert(0, str(folder))
    from panda_acados import make_model, make_parameters

    here = Path.cwd()
    os.chdir(folder)
    try:
        return make_model(), make_parameters(DT)
    finally:
        os.chdir(here)


def main():
    """Plan the swing, follow the plan, print results; return plan and motions for the figure."""
    step = dynagen.casadi.load(ROBOT, states=100).discrete_step
    swing, _ = make_plan(step)
    print(f"Ipopt: cost {swing.cost:.5f} after {swing.iterations} iterations")
    plan = hold_goal(swing, step)
    with tempfile.TemporaryDirectory() as folder:
        solver = make_solver(*generate_model(Path(folder)), folder)
        undisturbed, _ = solve(solver, plan, 0, plan[0][0])
        gap = np.abs(undisturbed - plan[0][: HORIZON + 1]).max()
        print(f"acados, undisturbed: distance from the plan below 1e-6: {gap < 1e-6}")
        loops = {
            "without feedback": run_loop(None, plan, step),
            "with acados": run_loop(solver, plan, step),
        }
    half = INTERVALS // 2 + 1
    for name, states in loops.items():
        distance = np.abs(states - plan[0][: LOOP + 1])[:half, :N].max()
        print(f"{name}: at most {distance:.2f} rad from the plan in the first half")
    return plan[0][: LOOP + 1], loops


if __name__ == "__main__":
    main()
