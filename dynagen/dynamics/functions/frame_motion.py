"""Velocity and acceleration of the tool or a named frame, in base axes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.frame_motion import (
    record_acceleration,
    record_velocity,
)
from dynagen.dynamics.algorithms.kinematics import FrameMotion
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import make_joint_motion
from dynagen.dynamics.function import (
    Availability,
    Dependence,
    DynamicsFunction,
    ExpectedResults,
    Record,
    Results,
)
from dynagen.ir.program import Argument
from dynagen.robot.description import TOOL
from dynagen.robot.model.model import AttachedFrame


def _bind(record: Any, frame: str) -> Record:
    """Return a method that records the velocity or acceleration of a frame, with six entries.

    The linear components come first, then the angular ones. `record` is the function that records
    the two vectors as a `FrameMotion`.
    """

    def bound(recording: Recording) -> Results:
        motion = record(recording, recording.model.find_frame(frame))
        return ((motion.linear, motion.angular),)

    return bound


def _record_acceleration(recording: Recording, frame: AttachedFrame) -> FrameMotion:
    return record_acceleration(recording, frame, recording.add_elements("qdd"))


def _expect_velocity(frame: str, reference: Any, q: Any, qd: Any) -> tuple[Any]:
    jacobian = reference.find_frame(frame).compute_jacobian(q)
    return (np.einsum("...ij,...j->...i", jacobian, qd),)


def _velocity_magnitudes(frame: str, reference: Any, q: Any, qd: Any) -> tuple[Any]:
    terms = reference.find_frame(frame).compute_jacobian_magnitudes(q)
    return (np.einsum("...ij,...j->...i", terms, np.abs(qd)),)


def _expect_acceleration(frame: str, reference: Any, q: Any, qd: Any, qdd: Any) -> tuple[Any]:
    """Return the expected acceleration J qdd + dJ/dt qd of a frame with the Jacobian J."""
    (along,) = _expect_velocity(frame, reference, q, qdd)
    return (along + reference.find_frame(frame).compute_drift_acceleration(q, qd),)


def _acceleration_magnitudes(frame: str, reference: Any, q: Any, qd: Any, qdd: Any) -> tuple[Any]:
    (along,) = _velocity_magnitudes(frame, reference, q, qdd)
    return (along + reference.find_frame(frame).compute_drift_magnitudes(q, qd),)


def make_frame_velocity(frame: str) -> DynamicsFunction:
    """Return the function that computes the velocity of a named frame, shape (6,).

    The entries are the linear velocity of the frame's origin (m/s), then the angular velocity
    (rad/s), in base axes.
    """
    meaning = "velocity of the frame's origin, then angular velocity, in base axes"
    output = Argument("V", (6,), ("m/s",) * 3 + ("rad/s",) * 3, meaning)
    return DynamicsFunction(
        name="frame_velocity",
        formula=f"V = J(q) qd: velocity of the frame {frame} in base axes",
        inputs=make_joint_motion("q", "qd"),
        outputs=lambda model: (output,),
        methods={"": _bind(record_velocity, frame)},
        expected_results=ExpectedResults(
            partial(_expect_velocity, frame),
            magnitudes=partial(_velocity_magnitudes, frame),
            subjects=("kinematics",),
        ),
        availability=Availability(for_frame=make_frame_velocity, with_loops=True),
        depends_on=Dependence.NOTHING,
    )


def make_frame_acceleration(frame: str) -> DynamicsFunction:
    """Return the function that computes the acceleration of a named frame, shape (6,).

    The entries are the acceleration of the frame's origin (m/s^2), then the angular acceleration
    (rad/s^2), in base axes.
    """
    meaning = "acceleration of the frame's origin, then angular acceleration, in base axes"
    output = Argument("Vd", (6,), ("m/s^2",) * 3 + ("rad/s^2",) * 3, meaning)
    return DynamicsFunction(
        name="frame_acceleration",
        formula=f"Vd = J(q) qdd + dJ/dt qd: acceleration of the frame {frame} in base axes",
        inputs=make_joint_motion("q", "qd", "qdd"),
        outputs=lambda model: (output,),
        methods={"": _bind(_record_acceleration, frame)},
        expected_results=ExpectedResults(
            partial(_expect_acceleration, frame),
            magnitudes=partial(_acceleration_magnitudes, frame),
            subjects=("kinematics",),
        ),
        availability=Availability(for_frame=make_frame_acceleration),
        depends_on=Dependence.NOTHING,
    )


FRAME_VELOCITY = make_frame_velocity(TOOL)
FRAME_ACCELERATION = make_frame_acceleration(TOOL)
