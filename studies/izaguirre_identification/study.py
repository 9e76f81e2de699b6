"""Izaguirre and others (1992), sections 6 and 7: identification of a PUMA 260.

The paper's procedure is applied to a simulated arm with the parameters in Table 2 of the paper.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from ruamel.yaml import YAML

import dynagen
from dynagen.numbers.exact import Exact
from dynagen.report.drawing import (
    COLOURS,
    GREY,
    draw_joints,
    make_axes_logarithmic,
    make_panels,
    put_legend_above,
)
from dynagen.robot.description import LinkDescription, OriginInertia, RobotDescription
from studies.izaguirre_identification.procedure import (
    EDGE,
    JOINTS,
    LENGTH,
    MOMENTS,
    PERIOD,
    ROBOT,
    Array,
    columns,
    compiled,
    fitted,
    independent,
    names,
    records,
    significant,
    singular_values,
)
from studies.page import Table

_NOISY = "differences, 2 % noise"
EXPERIMENTS = {"exact": (False, 0.0), "differences": (True, 0.0), _NOISY: (True, 0.02)}
"""Mapping from the name of an experiment to two arguments (differences, noise) of `records`.

The first argument is whether velocities and accelerations are finite differences instead of exact.
The second is the standard deviation of the torque noise, relative to each joint's largest torque.
"""
CODE = ("mass_matrix+gravity_forces", "coriolis_forces", "inverse_dynamics")
_PRINTED = {"52": (0.033, 828.8), "23": (0.35, 146.0)}
_ELEMENTS = ("a", "b", "c", "d", "f", "e")


@cache
def truth() -> Array:
    """Return the true parameters of the simulated arm in the paper's order, shape (78,)."""
    values: dict[str, float] = {}
    for number, link in enumerate(dynagen.load_robot(ROBOT).links, start=1):
        body, friction = link.inertial, link.friction
        assert isinstance(body, OriginInertia)
        assert friction is not None
        moments = dict(zip("xyz", body.first_moment, strict=True)) | dict(
            zip(_ELEMENTS, body.inertia, strict=True)
        )
        values |= {f"{name}{number}": float(value) for name, value in moments.items()} | {
            f"m{number}": float(body.mass)
        }
        values |= {f"ia{number}": float(link.motor_inertia)}
        values |= {f"fs{number}": float(friction.coulomb), f"ds{number}": float(friction.viscous)}
    return np.array([values[name] for name in names()])


@cache
def fits(experiment: str, parameters: tuple[int, ...]) -> Array:
    """Estimate parameters from each of ten trajectories separately.

    Args:
        experiment: key of EXPERIMENTS.
        parameters: indices of the p parameters to estimate; all others are taken as zero.

    Returns:
        The estimates, shape (10, p).
    """
    return np.array([fitted(part, parameters) for part in records(*EXPERIMENTS[experiment])])


@cache
def found(experiment: str) -> tuple[int, ...]:
    """Return the indices of the parameters whose contribution to the torques is significant.

    The contributions are computed with the averages of ten estimates, one from each trajectory.
    `experiment` is a key of EXPERIMENTS.
    """
    return significant(
        records(*EXPERIMENTS[experiment]),
        independent(),
        fits(experiment, independent()).mean(axis=0),
    )


def elimination() -> Table:
    """Tabulate which of the 78 parameters are independent, by kind of parameter."""
    kinds = {
        "motors": [name for name in names() if name.startswith("ia")],
        **{
            f"link {link}": [f"{moment}{link}" for moment in MOMENTS.values()]
            for link in range(JOINTS, 0, -1)
        },
        "friction": [name for name in names() if name.startswith(("fs", "ds"))],
    }
    rows = []
    for kind, of_kind in kinds.items():
        left = [names()[place] for place in independent() if names()[place] in of_kind]
        rows.append([kind, str(len(of_kind)), str(len(left)), " ".join(left) or "none"])
    rows.append(["all", str(len(names())), str(len(independent())), ""])
    return Table(("parameters", "before", "left", "which"), rows)


def rule() -> Table:
    """Compare two sets of parameters: significant ones, and the ones in the paper's Table 2.

    A significant parameter contributes at least one per cent of a joint's largest torque in at
    least one trajectory.
    """
    table_2 = [name for name, value in zip(names(), truth(), strict=True) if value]
    rows = []
    for experiment in EXPERIMENTS:
        kept = [names()[place] for place in found(experiment)]
        more, less = (
            [name for name in kept if name not in table_2],
            [name for name in table_2 if name not in kept],
        )
        rows.append([experiment, str(len(kept)), str(len(more)), " ".join(less) or "none"])
    return Table(
        (
            "velocities and accelerations",
            "significant",
            "zero in Table 2",
            "in Table 2, but not significant",
        ),
        rows,
    )


def fit() -> Table:
    """Tabulate mean and standard deviation of the estimates over ten trajectories.

    The fits have all 52 independent parameters, or the 23 parameters of the paper's Table 2.
    """
    experiment, true = _NOISY, tuple(np.flatnonzero(truth()).tolist())
    every, few = fits(experiment, independent()), fits(experiment, true)
    rows = []
    for number, place in enumerate(true):
        column = every[:, independent().index(place)]
        printed = _read_printed()[names()[place]]
        numbers = (
            *printed["table_1"],
            column.mean(),
            column.std(ddof=1),
            *printed["table_2"],
            few[:, number].mean(),
            few[:, number].std(ddof=1),
        )
        rows.append([names()[place], *(f"{each:.4f}" for each in numbers)])
    return Table(
        (
            "parameter",
            "Table 1, average for 52 parameters",
            "deviation",
            "dynagen, for 52 parameters",
            "deviation",
            "Table 2, average for 23 parameters (true values in this study)",
            "deviation",
            "dynagen, for 23 parameters",
            "deviation",
        ),
        rows,
    )


def friction() -> Table:
    """Compare the paper's friction estimates with Lloyd's measurements (Table 3 of the paper)."""
    rows = []
    for name, printed in _read_printed().items():
        if "lloyd" in printed:
            average, deviation = printed["table_2"]
            away = abs(printed["lloyd"] - average) / deviation
            rows.append([name, f"{printed['lloyd']:.3f}", f"{average:.4f}", f"{away:.1f}"])
    return Table(("parameter", "Lloyd 1984", "paper", "difference, deviations"), rows)


@cache
def _read_printed() -> dict[str, dict[str, Any]]:
    """Read the paper's averages, standard deviations and Lloyd's measurement of each parameter."""
    text = Path(__file__).with_name("printed.yaml").read_text(encoding="utf-8")
    read: dict[str, dict[str, Any]] = YAML(typ="safe", pure=True).load(text)
    return read


def conditioning() -> Table:
    """Compare the largest and smallest singular value of the regressor with the paper's values.

    The regressor has the columns of 52 parameters, or of the 23 parameters of the paper's Table 2.
    """
    true = tuple(np.flatnonzero(truth()).tolist())
    rows = []
    for count, parameters in (("52", independent()), ("23", true)):
        values = singular_values(records(False), parameters)
        smallest, greatest = _PRINTED[count]
        rows.append(
            [
                count,
                f"{values[-1]:.2f}",
                f"{values[0]:.0f}",
                f"{values[0] / values[-1]:.0f}",
                f"{smallest}",
                f"{greatest}",
                f"{greatest / smallest:.0f}",
            ]
        )
    columns = (
        "parameters",
        "smallest",
        "largest",
        "ratio",
        "smallest, paper",
        "largest, paper",
        "ratio, paper",
    )
    return Table(columns, rows)


def with_all_moments() -> RobotDescription:
    """Return a description of the arm in which all 52 independent parameters are nonzero.

    Parameters that are zero in the paper's Table 2 become small, different numbers, so that zeros
    and equal numbers do not save operations.
    """
    numbers = {name: Exact(Fraction(1, 1000 + 7 * place)) for place, name in enumerate(names())}
    kept = {names()[place] for place in independent()}

    def filled(number: int, link: LinkDescription) -> LinkDescription:
        body = link.inertial
        assert isinstance(body, OriginInertia)

        def value(name: str, described: Exact) -> Exact:
            return (
                numbers[f"{name}{number}"]
                if f"{name}{number}" in kept and not described
                else described
            )

        x, y, z = (value(name, each) for name, each in zip("xyz", body.first_moment, strict=True))
        xx, yy, zz, xy, xz, yz = (
            value(name, each) for name, each in zip(_ELEMENTS, body.inertia, strict=True)
        )
        return replace(
            link, inertial=OriginInertia(value("m", body.mass), (x, y, z), (xx, yy, zz, xy, xz, yz))
        )

    robot = dynagen.load_robot(ROBOT)
    return replace(
        robot, links=tuple(filled(number, link) for number, link in enumerate(robot.links, start=1))
    )


def code() -> Table:
    """Tabulate operations of generated code for arms with 52 and with 23 nonzero parameters."""
    printed = {"mass_matrix+gravity_forces": 98 + 70, "coriolis_forces": 140 + 110}
    rows = []
    for function in CODE:
        counts = []
        for robot in (with_all_moments(), dynagen.load_robot(ROBOT)):
            operations = (
                dynagen.generate(robot, function, lang="python", verify=False)
                .functions[0]
                .operations
            )
            counts.append(operations.mul + operations.add + operations.div)
        rows.append([function, *map(str, counts), str(printed.get(function, ""))])
    return Table(("function", "52 parameters", "23 parameters", "paper, 23"), rows)


def gravity() -> Table:
    """Compare coefficients of joint 2's gravity torque in generated code and in the paper."""
    rng = np.random.default_rng(3)
    q = rng.uniform(-np.pi, np.pi, (200, JOINTS))
    elbow = q[:, 1] + q[:, 2]
    terms = np.column_stack(
        [
            np.cos(q[:, 1]),
            np.sin(elbow),
            np.cos(elbow) * np.cos(q[:, 3]) * np.sin(q[:, 4]) + np.sin(elbow) * np.cos(q[:, 4]),
        ]
    )
    coefficients, residual, *_ = np.linalg.lstsq(
        terms, compiled("gravity_forces")(q)[:, 1], rcond=None
    )
    assert residual[0] < 1e-20
    formulas = ("g m6 a2", "g (m6 d4 + y4)", "g z6")
    printed = ((5.51792, 5.509), (-1.176644, -1.1762), (-0.13743, -0.192))
    rows = [
        [name, formula, f"{coefficient:.4f}", *(f"{each}" for each in others)]
        for name, formula, coefficient, others in zip(
            ("c12", "c13", "c15"), formulas, coefficients, printed, strict=True
        )
    ]
    return Table(("coefficient", "formula", "generated code, N m", "paper", "Lloyd 1984"), rows)


TABLES: dict[str, Callable[[], Table]] = {
    "elimination": elimination,
    "rule": rule,
    "fit": fit,
    "friction": friction,
    "conditioning": conditioning,
    "code": code,
    "gravity": gravity,
}


def figures() -> dict[str, Figure]:
    """Draw a trajectory, its measured and fitted torques, and the estimates of all parameters."""
    return {
        "motion": _draw_motion(),
        "torques": _draw_torques(),
        "parameters": _draw_parameters(),
    }


def _draw_motion() -> Figure:
    """Draw positions, velocities and accelerations of the first trajectory.

    Velocities and accelerations are finite differences of the positions.
    """
    part = records(*EXPERIMENTS[_NOISY])[0]
    figure, panels = make_panels(3, 1, 6.0)
    signals = {
        "q in degrees (Fig. 1)": part.q,
        "qd in degrees/s (Fig. 2)": part.qd,
        "qdd in degrees/s^2 (Fig. 3)": part.qdd,
    }
    for axes, (label, values) in zip(panels, signals.items(), strict=True):
        draw_joints(axes, _times(), np.degrees(values), label)
    put_legend_above(panels[0], JOINTS)
    panels[-1].set_xlabel("t in s")
    return figure


def _draw_torques() -> Figure:
    """Draw the first trajectory's measured torques, and the fits with 52 and 23 parameters."""
    experiment = EXPERIMENTS[_NOISY]
    part = records(*experiment)[0]
    true = tuple(np.flatnonzero(truth()).tolist())
    figure, panels = make_panels(3, 2, 7.0)
    fitted_forces = {
        len(chosen): columns(part.q, part.qd, part.qdd)[..., chosen] @ fits(_NOISY, chosen)[0]
        for chosen in (independent(), true)
    }
    for joint, axes in enumerate(panels.T.flat):
        axes.plot(_times(), part.tau[:, joint], ".", color=GREY, markersize=3, label="measured")
        # The fits nearly coincide: the first one is wide and pale.
        for (count, forces), colour, (width, alpha) in zip(
            fitted_forces.items(), COLOURS, ((4, 0.4), (1.3, 1)), strict=False
        ):
            label = f"fit of {count} (Fig. {4 if alpha < 1 else 5})"
            axes.plot(
                _times(), forces[:, joint], color=colour, linewidth=width, alpha=alpha, label=label
            )
        axes.set_ylabel(f"tau{joint + 1} in N m")
    for axes in panels[-1]:
        axes.set_xlabel("t in s")
    put_legend_above(panels[0, 0])
    return figure


def _times() -> Array:
    """Return the times of the samples of a trajectory (s)."""
    return np.arange(0, LENGTH, PERIOD)[EDGE:-EDGE]


def _draw_parameters() -> Figure:
    """Draw estimates of 52 parameters, and standard deviations of 23 of them.

    The standard deviations are shown for two fits: with 52 parameters and with 23 parameters.
    """
    figure, (above, below) = make_panels(2, 1, 6.0)
    experiment, true = _NOISY, tuple(np.flatnonzero(truth()).tolist())
    every = fits(experiment, independent())
    deviations = every.std(axis=0, ddof=1)
    place = np.arange(len(independent()))
    above.plot(
        place,
        np.abs(every.mean(axis=0)),
        "o",
        color=COLOURS[0],
        markersize=3,
        label="average, magnitude",
    )
    above.plot(place, deviations, "_", color=COLOURS[1], label="deviation over ten trajectories")
    above.set_xticks(place, [names()[each] for each in independent()], rotation=90, fontsize=7)
    above.set_ylabel("fit of 52, SI units")
    make_axes_logarithmic(above, "y")
    put_legend_above(above)
    place = np.arange(len(true))
    for offset, (label, parameters) in zip(
        (-0.2, 0.2), {"fit of 52": independent(), "fit of 23": true}.items(), strict=True
    ):
        values = fits(experiment, parameters)[:, [parameters.index(each) for each in true]]
        relative = values.std(axis=0, ddof=1) / np.abs(truth()[list(true)])
        below.bar(
            place + offset, 100 * relative, 0.4, label=label, color=COLOURS[0 if offset < 0 else 2]
        )
    make_axes_logarithmic(below, "y")
    below.set_xticks(place, [names()[each] for each in true], rotation=90, fontsize=8)
    below.set_ylabel("deviation, % of the parameter")
    put_legend_above(below)
    return figure
