"""Operation counts, times and worst errors of robots with closed loops.

    python benchmarks/loops.py     # writes the table of docs/closed_loops.md; a minute

Compiled ufuncs are timed over 1000 states, in one thread. Forward dynamics is compared with
Pinocchio's `constraintDynamics` of the tree with cut loops at these states. Pinocchio is called
from Python once per state; the time of an empty Python call is subtracted. Errors are relative to
the largest value. The correct values are computed by the tree with cut loops and Lagrange
multipliers (`tests/support/cut_trees.py`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pinocchio

import dynagen
from dynagen.numbers.arrays import Array
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.pose import Pose, compute_pose
from tests.support.cut_trees import CutTree

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "closed_loops.md"
ROBOTS = ("fourbar", "fivebar", "palletiser", "ankle_leg", "delta")
FUNCTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
STATES = 1000
_TABLE = re.compile(r"(<!-- table: loops -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def main() -> None:
    """Measure all robots with closed loops, and write the table of docs/closed_loops.md."""
    rows = [
        "| robot | function | operations | sines, cosines | ns | worst error "
        "| Pinocchio's time / dynagen's |",
        "| --- | --- | --: | --: | --: | --: | --: |",
    ]
    for name in ROBOTS:
        for row in measure(name):
            print(row, flush=True)
            rows.append(row)
    text = PAGE.read_text(encoding="utf-8")
    table = "\n".join(rows)
    PAGE.write_text(_TABLE.sub(lambda found: f"{found[1]}{table}\n{found[3]}", text))


def count(name: str) -> dict[str, tuple[int, int]]:
    """Return for each function the number of operations, and the number of sines and cosines."""
    settings = Settings(functions=FUNCTIONS, verify=False)
    generation = generate(dynagen.load_robot(ROOT / "tests" / "robots" / f"{name}.yaml"), settings)
    return {
        function.name: (function.operations.total, function.operations.sincos)
        for function in generation.functions
    }


def measure(name: str) -> list[str]:
    """Return the table rows of a robot with closed loops."""
    path = ROOT / "tests" / "robots" / f"{name}.yaml"
    cut = CutTree.read(path.read_text(encoding="utf-8"), name)
    q, v, a, tau = draw_states(cut, STATES)
    free = cut.independent
    inputs = {
        "inverse_dynamics": (q[:, free], v[:, free], a[:, free]),
        "mass_matrix": (q[:, free],),
        "forward_dynamics": (q[:, free], v[:, free], tau),
    }
    expected = {"inverse_dynamics": tau, "forward_dynamics": cut.solve(q, v, tau)[:, free]}
    rows, counts = [], count(name)
    for function, arguments in inputs.items():
        kernel = dynagen.compile(str(path), function)
        results = kernel(*arguments)
        result = results[0] if isinstance(results, tuple) else results
        spent = time_call(partial(kernel, *arguments)) / STATES
        error = other = ""
        if function in expected:
            right = expected[function]
            error = f"{np.abs(result - right).max() / np.abs(right).max():.1e}"
        if function == "forward_dynamics":
            solve = make_pinocchio(cut)
            force = np.zeros_like(q)
            force[:, free] = tau
            idle = time_call(lambda: [abs(0) for _ in range(STATES)])
            taken = time_call(partial(solve_all, solve, q, v, force))
            other = f"{(taken - idle) / STATES / spent:.3g}"
        operations, sines = counts[function]
        rows.append(
            f"| {name} | `{function}` | {operations} | {sines} | {spent:.3g} | {error} | {other} |"
        )
    return rows


def draw_states(cut: CutTree, number: int) -> tuple[Array, Array, Array, Array]:
    """Draw random motions of a robot with loops, and compute the joint forces.

    Returns:
        Positions, velocities and accelerations of all joints, which keep the loops closed, and the
        forces of the independent joints. Each array has a row for each of `number` states.
    """
    step = 0.1 if cut.robot.name == "ankle_leg" else 0.4  # Newton steps start at zero
    q, generator = cut.draw(number, step=step), np.random.default_rng(3)
    shape = number, len(cut.independent)
    v = cut.find_velocities(q, generator.uniform(-3, 3, shape))
    a = cut.find_accelerations(q, v, generator.uniform(-10, 10, shape))
    return q, v, a, cut.compute_forces(q, v, a)


def solve_all(solve: Callable[[Array, Array, Array], Array], *states: Array) -> list[Array]:
    """Return the results of a function, which is called once for each state."""
    return [solve(*state) for state in zip(*states, strict=True)]


def make_pinocchio(cut: CutTree) -> Callable[[Array, Array, Array], Array]:
    """Return Pinocchio's constrained forward dynamics of a tree with cut loops, as f(q, v, tau)."""
    model = pinocchio.Model()
    model.gravity.linear = np.array([float(number) for number in cut.tree.gravity])
    frames: dict[str | None, tuple[int, pinocchio.SE3]] = {None: (0, pinocchio.SE3.Identity())}
    for link in cut.tree.links:
        parent, pose = frames[link.parent]
        axis = np.array([float(number) for number in link.joint.axis])
        turns = bool(link.joint.angular)
        kind = (
            pinocchio.JointModelRevoluteUnaligned
            if turns
            else pinocchio.JointModelPrismaticUnaligned
        )
        joint = model.addJoint(
            parent,
            kind(axis / np.linalg.norm(axis)),
            pose * _convert(compute_pose(link.before)),
            link.name,
        )
        place = _convert(compute_pose(link.after))
        xx, yy, zz, xy, xz, yz = (float(number) for number in link.inertial.inertia)
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        com = np.array([float(number) for number in link.inertial.com])
        body = pinocchio.Inertia(float(link.inertial.mass), com, inertia)
        model.appendBodyToJoint(joint, body, place)
        model.armature[model.idx_vs[joint]] = float(link.motor_inertia)
        frames[link.name] = joint, place
    ends = {frame.name: frame for frame in cut.tree.frames}
    constraints = pinocchio.StdVec_RigidConstraintModel()
    for loop in cut.robot.loops:
        sides = []
        for name in (loop.first, loop.second):
            joint, place = frames[ends[name].link]
            sides += [joint, place * _convert(compute_pose(ends[name].placement))]
        constraints.append(
            pinocchio.RigidConstraintModel(
                pinocchio.ContactType.CONTACT_3D, model, *sides, pinocchio.LOCAL
            )
        )
    data = model.createData()
    kept = pinocchio.StdVec_RigidConstraintData()
    for constraint in constraints:
        kept.append(constraint.createData())
    pinocchio.initConstraintDynamics(model, data, constraints, kept)
    # Constraints of planar loops repeat each other.
    settings = pinocchio.ProximalSettings(1e-13, 1e-10, 20)

    def solve(q: Array, v: Array, tau: Array) -> Array:
        result: Array = pinocchio.constraintDynamics(
            model, data, q, v, tau, constraints, kept, settings
        )
        return result

    return solve


def _convert(pose: Pose) -> pinocchio.SE3:
    rotation = np.array([[float(number) for number in row] for row in pose.rotation])
    return pinocchio.SE3(rotation, np.array([float(number) for number in pose.translation]))


def time_call(run: Callable[[], object]) -> float:
    """Return the shortest time of a call (ns)."""
    times = []
    for _ in range(7):
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return min(times) * 1e9


if __name__ == "__main__":
    main()
