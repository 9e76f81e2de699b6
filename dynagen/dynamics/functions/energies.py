"""Kinetic and potential energy of a robot, and their regressors.

With the vector pi of all standard parameters, the kinetic energy is T = YT.pi and the potential
energy is U = YU.pi. The regressors YT and YU are vectors with one entry for every standard
parameter.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.energies import (
    record_kinetic_columns,
    record_kinetic_energy,
    record_potential_columns,
    record_potential_energy,
)
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import (
    Arguments,
    make_joint_motion,
    make_parameter_row,
    make_standard_vector,
)
from dynagen.dynamics.function import (
    Availability,
    Dependence,
    DynamicsFunction,
    ExpectedResults,
    Results,
)
from dynagen.ir.program import Argument
from dynagen.robot.model.base_parameters import list_standard_parameters
from dynagen.robot.model.model import RobotModel


def _make_energy(name: str, meaning: str) -> Arguments:
    return lambda model: (Argument(name, (), ("J",), meaning),)


def _expect_kinetic(reference: Any, q: Any, qd: Any) -> tuple[Any]:
    """Return the kinetic energy qd.M qd / 2; M qd are the joint forces for the accelerations qd."""
    momenta = reference.compute_inverse_dynamics(q, 0 * qd, qd, gravity=False)
    return ((qd * momenta).sum(axis=-1) / 2,)


def _kinetic_magnitudes(reference: Any, q: Any, qd: Any) -> tuple[Any]:
    return _expect_kinetic(reference.magnitudes, q, np.abs(qd))


KINETIC_ENERGY = DynamicsFunction(
    name="kinetic_energy",
    formula="T = qd.M(q) qd / 2",
    inputs=make_joint_motion("q", "qd"),
    outputs=_make_energy("T", "kinetic energy, motor inertias included"),
    methods={"": lambda recording: ([record_kinetic_energy(recording)],)},
    expected_results=ExpectedResults(_expect_kinetic, magnitudes=_kinetic_magnitudes),
    availability=Availability(with_loops=True),
)

# Regrouped parameters give the same forces, but another constant in the energy. A floating base
# has nothing to regroup with.
POTENTIAL_ENERGY = DynamicsFunction(
    name="potential_energy",
    formula="U = U(q), dU/dq = g(q), U = 0 for a mass at the base's origin",
    inputs=make_joint_motion("q"),
    outputs=_make_energy("U", "potential energy of the moving bodies under gravity"),
    methods={"": lambda recording: ([record_potential_energy(recording)],)},
    expected_results=ExpectedResults(
        lambda reference, q: (reference.energies.compute_potential(q),),
        magnitudes=lambda reference, q: (reference.energies.compute_potential_magnitudes(q),),
        subjects=("kinematics",),
    ),
    availability=Availability(with_loops=True),
    depends_on=Dependence.ALL_MOMENTUM,
)


def _make_row(name: str, kind: str, model: RobotModel) -> tuple[Argument, ...]:
    """Return the argument for the derivatives of an energy by every standard parameter."""
    return (make_parameter_row(name, "J", f"{kind} energy", make_standard_vector(model)),)


def _record_kinetic_row(recording: Recording) -> Results:
    return (record_kinetic_columns(recording, list_standard_parameters(recording.model)),)


def _record_potential_row(recording: Recording) -> Results:
    return (record_potential_columns(recording, list_standard_parameters(recording.model)),)


def _expect_kinetic_row(reference: Any, q: Any, qd: Any) -> tuple[Any]:
    """Return the expected regressor qd^T Y / 2 of the kinetic energy.

    Y is the regressor of the joint forces at rest without gravity, for accelerations equal to the
    joint velocities qd.
    """
    momenta = reference.weightless.regressors.compute_standard(q, 0 * qd, qd)
    return (np.einsum("...i,...ij->...j", qd, momenta) / 2,)


def _kinetic_row_magnitudes(reference: Any, q: Any, qd: Any) -> tuple[Any]:
    speeds = np.abs(qd)
    weightless = reference.magnitudes.weightless
    terms = weightless.regressors.compute_standard(q, 0 * qd, speeds)
    return (np.einsum("...i,...ij->...j", speeds, terms) / 2,)


KINETIC_ENERGY_REGRESSOR = DynamicsFunction(
    name="kinetic_energy_regressor",
    formula="YT = YT(q, qd), T = YT.pi",
    inputs=make_joint_motion("q", "qd"),
    outputs=partial(_make_row, "YT", "kinetic"),
    methods={"": _record_kinetic_row},
    expected_results=ExpectedResults(_expect_kinetic_row, magnitudes=_kinetic_row_magnitudes),
    depends_on=Dependence.NOTHING,
)

POTENTIAL_ENERGY_REGRESSOR = DynamicsFunction(
    name="potential_energy_regressor",
    formula="YU = YU(q), U = YU.pi",
    inputs=make_joint_motion("q"),
    outputs=partial(_make_row, "YU", "potential"),
    methods={"": _record_potential_row},
    expected_results=ExpectedResults(
        lambda reference, q: (reference.energies.compute_potential_regressor(q),),
        magnitudes=lambda reference, q: (reference.energies.compute_regressor_magnitudes(q),),
        subjects=("kinematics",),
    ),
    depends_on=Dependence.NOTHING,
)
