"""Turney, Mudge and Lee (1980), section 7: simulation by calls of inverse dynamics ("strobing").

Each call of inverse dynamics computes a column of the mass matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import dynagen
from dynagen.apps.literature.conventional import ALGORITHMS, count_conventional
from dynagen.apps.simulation.plant import plant_of
from dynagen.apps.simulation.rigid_plant import Plant
from dynagen.numbers.exact import ZERO
from dynagen.report.drawing import COLOURS, make_axes_logarithmic, make_panels, put_legend_above
from studies.gill.integrators import classical
from studies.page import Table

Array = NDArray[np.float64]

T = 1.0  # s
START = np.array([0.1, 0.2, 0.3])  # rad
STEPS = (0.1, 0.05, 0.02, 0.01, 0.005)  # s
JOINTS = 6  # joints of the robot whose operations are counted


@cache
def plant() -> Plant:
    """Compile the PUMA 560's first three joints for simulation."""
    return plant_of("puma560", tip="forearm")


@cache
def strobe() -> Callable[[Array, Array, Array], Array]:
    """Return a function (q, qd, tau) -> qdd that computes accelerations by strobing.

    Strobing calls inverse dynamics several times to find the equations of motion. The velocity and
    gravity forces are the torques at zero acceleration. Column j of the mass matrix consists of the
    torques for a unit acceleration of joint j, without velocities and gravity.
    """
    robot = dynagen.load_robot("puma560", tip="forearm")
    inverse_dynamics = dynagen.compile(robot)
    without_gravity = dynagen.compile(replace(robot, gravity=(ZERO, ZERO, ZERO)))

    def accelerations(q: Array, qd: Array, tau: Array) -> Array:
        rest = np.zeros_like(q)
        columns = [without_gravity(q, rest, unit) for unit in np.eye(len(q))]
        return np.linalg.solve(np.stack(columns, axis=-1), tau - inverse_dynamics(q, qd, rest))

    return accelerations


def _end_of_strobed(step: float) -> Array:
    def rates(t: float, y: Array) -> Array:
        return np.concatenate([y[3:], strobe()(y[:3], y[3:], np.zeros(3))])

    return classical(rates, np.concatenate([START, np.zeros(3)]), T, step)[:3]


@cache
def errors() -> tuple[Array, Array]:
    """Compute the largest error of a joint angle after a second of free fall (rad), by step size.

    Returns:
        Two arrays with an error for each of STEPS. For the first array, the accelerations are
        computed by strobing (calls of inverse dynamics, one for each column of the mass matrix);
        for the second array, by dynagen's forward dynamics.
    """
    exact = dynagen.simulate(plant(), q0=START, time=T, rtol=1e-12).q[-1]
    ours = [
        dynagen.simulate(plant(), q0=START, time=T, method="RK4", step=step, every=step).q[-1]
        for step in STEPS
    ]
    strobed = [_end_of_strobed(step) for step in STEPS]
    return np.abs(np.array(strobed) - exact).max(axis=1), np.abs(np.array(ours) - exact).max(axis=1)


def motion() -> Table:
    """Tabulate simulation errors by step size, for two ways to compute accelerations.

    The ways are strobing and dynagen's forward dynamics. Strobing calls inverse dynamics once for
    each column of the mass matrix.
    """
    rows = [
        [f"{step:g}", f"{strobed:.2e}", f"{ours:.2e}"]
        for step, strobed, ours in zip(STEPS, *errors(), strict=True)
    ]
    return Table(("step in s", "strobing", "forward dynamics"), rows)


def elimination(n: int) -> int:
    """Count operations to solve n linear equations with a symmetric positive definite matrix.

    The result is the number of multiplications, divisions and additions, without pivoting.
    """
    columns = range(1, n)
    return sum(m + m * (m + 1) for m in columns) + 2 * n * (n - 1) + n


@cache
def totals() -> dict[str, tuple[int, int]]:
    """Count the operations to compute joint accelerations of the PUMA 560 by several methods.

    Returns:
        Mapping from the name of a method to two numbers of operations: for one call of the dynamics
        function that the method uses, and for all accelerations.
    """
    (turney,) = (each for each in ALGORITHMS if each.name == "turney_modified")
    functions = ("inverse_dynamics", "mass_matrix+bias_forces", "forward_dynamics")
    emitted = {
        name: dynagen.generate("puma560", [name], verify=False).functions[0].operations.total
        for name in functions
    }
    passes = {
        "the report's set, any robot (90n - 27, 88n - 24)": 90 * JOINTS - 27 + 88 * JOINTS - 24,
        "the report's set for the PUMA 560": count_conventional(
            turney, dynagen.load_robot("puma560")
        ).customised.total,
        "dynagen's inverse dynamics": emitted["inverse_dynamics"],
    }
    strobed = {
        f"strobing {name}": (once, (JOINTS + 1) * once + elimination(JOINTS))
        for name, once in passes.items()
    }
    joined = emitted["mass_matrix+bias_forces"]
    return strobed | {
        "dynagen's M and C qd + g, elimination": (joined, joined + elimination(JOINTS)),
        "dynagen's forward dynamics": (emitted["forward_dynamics"], emitted["forward_dynamics"]),
    }


def operations() -> Table:
    """Tabulate the operations to compute the PUMA 560's joint accelerations, by method."""
    least = min(total for _, total in totals().values())
    rows = [
        [name, f"{once}", f"{total}", f"{total / least:.1f}"]
        for name, (once, total) in totals().items()
    ]
    return Table(("method for the accelerations of six joints", "one call", "total", "ratio"), rows)


def velocity_coefficients() -> Table:
    """Compare the torques C_jk of velocity products qd_j qd_k by two methods.

    The methods are strobing, and the generated Christoffel symbols (`christoffel`). Strobing calls
    inverse dynamics without accelerations and gravity. For j != k, it computes 2 C_jk as the
    torques for unit velocities of joints j and k together, minus the torques for each joint alone.
    """
    robot = dynagen.load_robot("puma560")
    forces = dynagen.compile(replace(robot, gravity=(ZERO, ZERO, ZERO)))
    q = np.array([0.4, -0.9, 0.7, 1.1, -0.6, 0.3])
    rest, units = np.zeros(JOINTS), np.eye(JOINTS)
    alone = [forces(q, unit, rest) for unit in units]
    strobed = np.array(
        [
            [
                alone[j]
                if j == k
                else (forces(q, units[j] + units[k], rest) - alone[j] - alone[k]) / 2
                for k in range(JOINTS)
            ]
            for j in range(JOINTS)
        ]
    )
    ours = np.moveaxis(dynagen.compile("puma560", "christoffel")(q), 0, -1)
    apart = np.abs(strobed - ours).max() / np.abs(ours).max()
    pairs, (once, found) = JOINTS * (JOINTS + 1) // 2, _count_velocity_programs()
    additions = 3 * JOINTS * JOINTS * (JOINTS - 1) // 2
    bound = max(1e-12, 10.0 ** np.ceil(np.log10(apart)))
    rows = [
        ["strobing dynagen's Coriolis forces", f"{once}", f"{pairs * once + additions}", ""],
        ["dynagen's `christoffel`", f"{found}", f"{found}", f"below {bound:.0e}"],
    ]
    return Table(("method for C_jk of six joints", "one call", "total", "largest difference"), rows)


@cache
def _count_velocity_programs() -> tuple[int, int]:
    """Count the operations of Coriolis forces and of Christoffel symbols of the PUMA 560."""
    coriolis, christoffel = (
        dynagen.generate("puma560", [name], verify=False).functions[0].operations.total
        for name in ("coriolis_forces", "christoffel")
    )
    return coriolis, christoffel


TABLES: dict[str, Callable[[], Table]] = {
    "operations": operations,
    "motion": motion,
    "velocity": velocity_coefficients,
}


def figures() -> dict[str, Figure]:
    """Draw operation counts and simulation errors.

    The operation counts are those of several methods to compute joint accelerations. The errors
    are drawn over the step size.
    """
    figure, axes = make_panels(1, 2, 3.0)
    names = [
        name.replace("(90n - 27, 88n - 24)", "").replace("strobing ", "strobing\n")
        for name in totals()
    ]
    axes[0].barh(
        range(len(names)), [total for _, total in totals().values()], color=COLOURS[0], height=0.6
    )
    axes[0].set_yticks(range(len(names)), names)
    axes[0].invert_yaxis()
    axes[0].set(xlabel="operations of six joints' accelerations")
    axes[0].grid(visible=False, axis="y")
    # The curves coincide: the first one is wide and pale.
    for values, label, (width, alpha), colour in zip(
        errors(), ("strobing", "forward dynamics"), ((6, 0.35), (1.3, 1)), COLOURS, strict=False
    ):
        axes[1].plot(STEPS, values, linewidth=width, alpha=alpha, color=colour, label=label)
    axes[1].set(xlabel="step in s", ylabel="error of q after 1 s, rad")
    make_axes_logarithmic(axes[1], "xy")
    put_legend_above(axes[1])
    return {"operations": figure}
