"""Saha (2003), section 4: free and forced motions of three arms.

A planar arm, the Stanford arm and a PUMA fall freely. The Stanford arm and the PUMA also move under
the torques of a trajectory.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import dynagen
from dynagen.apps.simulation.simulation import Motion
from studies.page import Table
from studies.saha.drawing import figures
from studies.saha.factors import invert
from studies.saha.integrators import INTEGRATORS
from studies.saha.motions import (
    RUNS,
    TIME,
    Array,
    carried_on,
    deviation,
    explicit_fall,
    fall,
    forced,
    forced_with_steps,
    largest,
    plant,
    robot,
    wanted,
)

__all__ = ["TABLES", "figures"]

TIMES = np.linspace(0, TIME, 1001)  # steps of 0.01 s


def free_fall() -> Table:
    """Tabulate q2 and the boom length b3 of the Stanford arm, at four times of a free fall."""
    motion = fall("stanford")
    rows = [
        [f"{motion.t[row]:g}", f"{motion.q[row, 1]:.3f}", f"{motion.q[row, 2]:#.4g}"]
        for row in (50, 100, 200, 1000)
    ]
    return Table(("t in s", "q2 in rad", "b3 in m"), rows)


def torques() -> Table:
    """Tabulate torques and tool positions of the Stanford arm along the paper's trajectory."""
    path = wanted("stanford", np.array([0.0, 5.0, 10.0]))
    tau = dynagen.compile("stanford_saha", "inverse_dynamics")(*path)[:, :3]
    values = np.round(np.hstack([tau, plant("stanford").compute_tool_position(path[0])]), 3) + 0.0
    rows = [
        [time, *(f"{value:.3f}" for value in row)]
        for time, row in zip(("0", "5", "10"), values, strict=True)
    ]
    return Table(
        ("t in s", "tau1 in N m", "tau2 in N m", "tau3 in N", "x in m", "y in m", "z in m"), rows
    )


def drift() -> Table:
    """Compare the Stanford arm's deviation from its trajectory with a prediction.

    The deviation at 1 s is continued by the linearised equations of motion.
    """
    rows = []
    # The deviation of the last run at 1 s is a rounding error, so it predicts nothing.
    for method, tolerance in RUNS[:3]:
        motion = forced("stanford", method, tolerance)
        off = deviation(motion, "stanford")
        predicted = largest(carried_on("stanford", off[100], 1.0)[1])[200]
        found = (largest(off)[100], largest(off)[300], predicted)
        rows.append(
            [
                method,
                f"{tolerance:.0e}",
                *(f"{each:.1e}" for each in found),
                f"{_leaves(off, motion, 0.01):.2f}",
            ]
        )
    return Table(
        (
            "method",
            "tolerance",
            "deviation at 1 s",
            "deviation at 3 s",
            "deviation at 3 s, predicted from 1 s",
            "time of deviation 0.01, s",
        ),
        rows,
    )


def planar() -> Table:
    """Compare the planar arm's free fall with the solution of equations derived by hand."""
    motion = fall("planar")
    apart = np.abs(explicit_fall() - motion.q).max()
    # The next power of ten does not depend on the rounding of the machine.
    bound = 10.0 ** np.ceil(np.log10(apart))
    return Table(("time, s", "largest difference of an angle, rad"), [["10", f"below {bound:.0e}"]])


def puma() -> Table:
    """Compare the PUMA of the paper's Table II(ii) with and without the minus signs of inertias."""
    rows = []
    for name, title in (("puma_as_printed", "as printed"), ("puma", "minus signs removed")):
        pivot = plant(name).compute_smallest_pivot(np.zeros(6))[1]
        free, driven = fall(name), forced(name, "RK45" if name == "puma" else "DOP853", 1e-6)
        ends = (f"{_end(free):.4g}", f"{_end(driven):.4g}")
        rows.append([title, f"{pivot:.2f}", *ends])
    return Table(
        (
            "inertias",
            "smallest pivot of M at q = 0, relative",
            "end of the free fall, s",
            "end of the forced motion, s",
        ),
        rows,
    )


def leaving() -> Table:
    """Tabulate when motions under the torques of a trajectory deviate from this trajectory.

    Three columns contain the times (s) at which a joint position first deviates by more than 0.001,
    0.01 and 0.1 (rad or m). The integrator has the paper's tolerance. The last column contains the
    times that the paper reads from its plots.
    """
    rows = []
    for name, title, paper in (
        ("stanford", "Stanford", "about 2.5"),
        ("puma", "PUMA, minus signs removed", "about 6"),
    ):
        motion = forced(name, *RUNS[0])
        off = deviation(motion, name)
        rows.append(
            [title, *(f"{_leaves(off, motion, bound):.2f}" for bound in (0.001, 0.01, 0.1)), paper]
        )
    return Table(
        (
            "robot (columns: time in s at which the deviation reaches the number)",
            "0.001",
            "0.01",
            "0.1",
            "in the paper",
        ),
        rows,
    )


def integrators() -> Table:
    """Tabulate the times at which simulated positions first deviate by 0.01 from the trajectory.

    The motions are computed by the paper's integrators with the paper's step (0.01 s).
    """
    rows = []
    for integrator, evaluations in zip(INTEGRATORS, (6, 2), strict=True):
        cells = []
        for name in ("stanford", "puma"):
            states = forced_with_steps(integrator, name)
            off = np.abs(states[:, :6] - wanted(name, TIMES)[0]).max(axis=1)
            away = np.flatnonzero(~(off < 0.01))
            cells.append(f"{TIMES[away[0]]:.1f}" if len(away) else "not in 10 s")
        rows.append([integrator, str(evaluations), *cells])
    return Table(
        (
            "integrator, step 0.01 s",
            "evaluations of forward dynamics per step",
            "Stanford, time of deviation 0.01, s",
            "PUMA, minus signs removed, time of deviation 0.01, s",
        ),
        rows,
    )


def inverse() -> Table:
    """Compare the generated inverse of M with Saha's analytical inverse, where M = U D U^T."""
    rows = []
    for name, title in (("stanford", "Stanford"), ("puma", "PUMA, minus signs removed")):
        generation = dynagen.generate(robot(name), functions=["mass_matrix_inverse"], verify=False)
        q = np.random.default_rng(3).uniform(-np.pi, np.pi, (100, 6))
        matrices = dynagen.compile(robot(name), "mass_matrix")(q)
        ours = dynagen.compile(robot(name), "mass_matrix_inverse")(q)
        theirs = np.array([invert(matrix) for matrix in matrices])
        apart = np.abs(ours - theirs).max(axis=(1, 2)) / np.abs(theirs).max(axis=(1, 2))
        bound = max(1e-12, 10.0 ** np.ceil(np.log10(apart.max())))
        rows.append([title, str(generation.functions[0].operations.total), f"below {bound:.0e}"])
    return Table(
        ("arm", "operations of `mass_matrix_inverse`", "largest relative difference"), rows
    )


def energy() -> Table:
    """Tabulate the change of energy in free falls, relative to the largest kinetic energy."""
    names = (("planar", "planar"), ("stanford", "Stanford"), ("puma", "PUMA, minus signs removed"))
    rows = [
        [title, *(f"{fall(name, rtol).energy_error:.0e}" for rtol in (1e-6, 1e-8))]
        for name, title in names
    ]
    return Table(("free fall", "tolerance 1e-6", "tolerance 1e-8"), rows)


TABLES: dict[str, Callable[[], Table]] = {
    "free-fall": free_fall,
    "torques": torques,
    "drift": drift,
    "planar": planar,
    "energy": energy,
    "leaving": leaving,
    "puma": puma,
    "integrators": integrators,
    "inverse": inverse,
}


def _leaves(off: Array, motion: Motion, bound: float) -> float:
    """Return the first time (s) at which a position deviates by more than a bound; inf if never.

    `off` contains the deviations from the trajectory at the times of the motion; `bound` is in rad
    or m.
    """
    beyond = np.flatnonzero(largest(off) > bound)
    return float(motion.t[beyond[0]]) if len(beyond) else np.inf


def _end(motion: Motion) -> float:
    """Return the time at which a simulated motion ends (s).

    If the simulation stopped early, this is the time that its message `motion.stopped` states.
    """
    return float(motion.stopped.split(" at ")[1].split(" s")[0]) if motion.stopped else motion.t[-1]
