"""Dhanaraj (1990), listing D.4: simulation by Gill's method.

The arm has the first three joints of the PUMA 560, and a payload.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import dynagen
from dynagen.apps.simulation.simulation import Motion
from dynagen.numbers.exact import ZERO
from dynagen.report.drawing import COLOURS, make_axes_logarithmic, make_panels, put_legend_above
from dynagen.robot.description import OriginInertia
from studies.gill.integrators import Integrator, classical, gill, gill_of_listing
from studies.gill.listing import bias_forces, inertia_matrix
from studies.page import Table

Array = NDArray[np.float64]

T = 2.0  # s
START = np.array([3.6997, 2.3083, 0.5951])  # rad, as in the listing
STEPS = (0.08, 0.04, 0.02, 0.01, 0.005, 0.002, 0.001)  # s; the listing has 0.02
INTEGRATORS: dict[str, Integrator] = {
    "Gill": gill,
    "Gill, listing D.4": gill_of_listing,
    "classical": classical,
}
ARM = (Path(__file__).with_name("arm.yaml")).read_text(encoding="utf-8")
TWICE = ARM.replace("twice: 0", "twice: 1")
"""Description of the arm in which the forearm's inertia contains m c^2 twice, as in the thesis.

The mass is m, and c is the distance of the centre of mass from the joint axis.
"""


def torques(t: float) -> Array:
    """Compute torques that rotate each joint by one radian, from rest to rest (N m), shape (3,).

    The torques are D qdd + h, with the mass matrix D and the bias forces h that the thesis prints.
    """
    s = t / T
    q = START + 10 * s**3 - 15 * s**4 + 6 * s**5
    qd, qdd = (30 * s**2 - 60 * s**3 + 30 * s**4) / T, (60 * s - 180 * s**2 + 120 * s**3) / T**2
    tau: Array = inertia_matrix(q) @ np.full(3, qdd) + bias_forces(q, np.full(3, qd))
    return tau


def rates(t: float, y: Array) -> Array:
    """Compute the derivative of (q, qd), shape (6,), in the precision of the state.

    The accelerations are inv(D) (tau - h), with the mass matrix D and the bias forces h that the
    thesis prints.
    """
    q, qd = y[:3], y[3:]
    load = torques(t).astype(y.dtype) - bias_forces(q, qd).astype(y.dtype)
    return np.concatenate([qd, np.linalg.solve(inertia_matrix(q).astype(y.dtype), load)])


@cache
def errors(name: str, precision: type) -> Array:
    """Compute an integrator's largest error of the final joint angles (rad) by step size.

    The shape of the result is (steps,), with an error for each of STEPS.

    Args:
        name: name of the integrator.
        precision: floating-point type.
    """
    start = np.concatenate([START, np.zeros(3)])
    exact = solve_ivp(rates, (0, T), start, "DOP853", rtol=1e-12, atol=1e-14).y[:3, -1]
    ends = [INTEGRATORS[name](rates, start.astype(precision), T, step)[:3] for step in STEPS]
    found: Array = np.abs(np.array(ends, dtype=float) - exact).max(axis=1)
    return found


def steps() -> Table:
    """Tabulate errors of the final joint angles in a simulation.

    There is a row for each step size, and a column for each integrator and floating-point type.
    """
    columns = [
        errors(name, precision) for precision in (np.float64, np.float32) for name in INTEGRATORS
    ]
    names = [f"{name}, {precision}" for precision in ("double", "single") for name in INTEGRATORS]
    rows = [
        [f"{step:g}", *(f"{column[row]:.0e}" for column in columns)]
        for row, step in enumerate(STEPS)
    ]
    return Table(("step in s", *names), rows)


def fitted(of_bias: bool) -> tuple[dict[str, float], float]:
    """Fit base parameters of the arm to the mass matrix D or the bias forces h of the thesis.

    Args:
        of_bias: whether to fit to h; otherwise D is used.

    Returns:
        A mapping from the name of each base parameter to its least-squares value, and the largest
        residual of an element of D (kg m^2) or h (N m).
    """
    regressor = dynagen.compile(ARM, "base_regressor")
    rng, rows, values = np.random.default_rng(0), [], []
    for q, qd in zip(rng.uniform(-3, 3, (60, 3)), rng.uniform(-2, 2, (60, 3)), strict=True):
        # A column of D is the torque of a unit acceleration without gravity.
        still = regressor(q, np.zeros(3), np.zeros(3))
        rows += (
            [regressor(q, qd, np.zeros(3))]
            if of_bias
            else [regressor(q, np.zeros(3), unit) - still for unit in np.eye(3)]
        )
        values += [bias_forces(q, qd)] if of_bias else list(inertia_matrix(q))
    matrix, right = np.vstack(rows), np.concatenate(values)
    found = np.linalg.lstsq(matrix, right, rcond=1e-10)[0]
    return dict(zip(regressor.outputs[0].columns, found, strict=True)), float(
        np.abs(matrix @ found - right).max()
    )


def described(text: str) -> dict[str, float]:
    """Return a mapping from the name of each base parameter of a description to its value."""
    standard: list[float] = []
    for body in (link.inertial for link in dynagen.load_robot(text).links):
        # The waist is given about its centre of mass. It has no mass, so all first moments are
        # zero.
        first_moment = body.first_moment if isinstance(body, OriginInertia) else body.com
        standard += map(float, [body.mass, *first_moment, *body.inertia, ZERO])
    values = dynagen.compile(ARM, "base_parameters")(standard)
    return dict(zip(dynagen.compile(ARM, "base_regressor").outputs[0].columns, values, strict=True))


def model() -> Table:
    """Compare fitted base parameters with the base parameters of two descriptions of the arm.

    One set of base parameters is fitted to the mass matrix D that the thesis prints, another set
    to the bias forces h that the thesis prints.
    """
    of_inertia, of_bias, once, twice = (
        fitted(False)[0],
        fitted(True)[0],
        described(ARM),
        described(TWICE),
    )
    rows = []
    for name, seen_in in (
        ("forearm.my", "Dh"),
        ("forearm.JxxR", "Dh"),
        ("forearm.Jzz", "D"),
        ("upper_arm.mxR", "h"),
        ("upper_arm.JzzR", "D"),
    ):
        fits = (
            f"{fit[name]:.3f}" if letter in seen_in else ""
            for letter, fit in (("D", of_inertia), ("h", of_bias))
        )
        rows.append([name, *fits, f"{once[name]:.3f}", f"{twice[name]:.3f}"])
    return Table(
        ("kg m, kg m^2", "D as printed", "h as printed", "the arm", "with m c^2 twice"), rows
    )


def residuals() -> Table:
    """Tabulate the largest residuals of two fits of base parameters to the thesis's formulas.

    One fit is to the mass matrix D that the thesis prints, the other to its bias forces h.
    """
    rows = [
        [name, f"{fitted(of_bias)[1]:.0e}"]
        for name, of_bias in (("D, kg m^2", False), ("h, N m", True))
    ]
    return Table(("", "largest residual"), rows)


TABLES: dict[str, Callable[[], Table]] = {"model": model, "residuals": residuals, "steps": steps}


def moved(text: str) -> Motion:
    """Simulate the motion of an arm, described by `text`, under the joint forces of `torques`.

    The step size is that of the thesis's listing, 0.02 s.
    """

    def drive(t: float, q: Array, qd: Array) -> Array:
        return torques(t)

    return dynagen.simulate(
        text, q0=START, time=T, torques=drive, method="RK4", step=0.02, every=0.02
    )


def figures() -> dict[str, Figure]:
    """Draw motions of the arm, and the integrators' errors over the step size.

    One motion has the inertia as printed in the thesis, the other the corrected inertia.
    """
    figure, axes = make_panels(1, 2, 3.6)
    # Wide pale lines under narrow dashed ones: both stay visible where they coincide.
    for text, dash, width, alpha, label in (
        (TWICE, "-", 4.0, 0.35, "as printed"),
        (ARM, "--", 1.3, 1.0, "inertia once"),
    ):
        motion = moved(text)
        for joint in range(3):
            axes[0].plot(
                motion.t,
                motion.q[:, joint] - START[joint],
                dash,
                color=COLOURS[joint],
                linewidth=width,
                alpha=alpha,
                label=f"q{joint + 1} {label}",
            )
    axes[0].set(xlabel="t in s", ylabel="rotation since the start, rad")
    for precision, dash, label in ((np.float64, "-", "double"), (np.float32, "--", "single")):
        widths = (4.0, 2.4, 1.0)  # of methods whose errors coincide, the first is the widest
        for colour, width, name in zip(COLOURS, widths, INTEGRATORS, strict=False):
            axes[1].plot(
                STEPS,
                errors(name, precision),
                dash,
                color=colour,
                linewidth=width,
                label=f"{name}, {label}",
                marker="o",
                markersize=3,
            )
    axes[1].set(xlabel="step in s", ylabel="error of q at 2 s, rad")
    make_axes_logarithmic(axes[1], "xy")
    put_legend_above(axes[0], 2)
    put_legend_above(axes[1], 2)
    return {"errors": figure}
