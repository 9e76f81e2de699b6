"""Frames held fixed on request: syntax of the request, arguments and numeric reference.

For example, `left_foot,right_foot,hand:frame` holds the origins of two feet (3 constraints each),
and origin and rotation of a hand (6 constraints). The constraint matrix J maps the joint velocities
to the velocities that are held at zero; each of its rows is one constraint.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.constraints import (
    POINT,
    record_frame_biases,
    record_frame_rows,
    record_frame_velocities,
)
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import make_joint_motion
from dynagen.dynamics.function import Dependence, DynamicsFunction, ExpectedResults
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.recording import Quantity, join
from dynagen.ir.evaluation import evaluate
from dynagen.ir.program import Argument
from dynagen.robot.model.model import BASE, AttachedFrame, RobotModel
from dynagen.robot.names import make_identifier

_WHOLE = ":frame"
_SMALLEST = 1e-9  # singular value of J relative to the largest, below which rows are dependent
_POSES = 5
_GAINS, _ANCHOR, _AXES = "gains", "anchor", "anchor_axes"


@dataclass(frozen=True)
class HeldFrames:
    """Frames that are held fixed, read from the text of the user's request.

    Attributes:
        request: the frames as requested, for example `left_foot,hand:frame`.
    """

    request: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the held frames, in the order of the request, without the suffix `:frame`."""
        return tuple(each.removesuffix(_WHOLE) for each in self.request.split(","))

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Number of constraints of each held frame: 3 for its origin, 6 with its rotation."""
        return tuple(6 if each.endswith(_WHOLE) else POINT for each in self.request.split(","))

    @property
    def rows(self) -> int:
        """Number of constraints of all held frames together: the rows of the constraint matrix."""
        return sum(self.counts)

    @property
    def _whole(self) -> tuple[str, ...]:
        """Names of the frames that are held with their rotation."""
        return tuple(
            name for name, rows in zip(self.names, self.counts, strict=True) if rows > POINT
        )

    def make_result(self, name: str, force: str, moment: str, kind: str, effect: str) -> Argument:
        """Return the output argument for the forces and moments that hold the frames.

        Args:
            name: name of the argument, for example `impulse`.
            force: unit of the forces, which hold the origins of frames, such as "N s".
            moment: unit of the moments, which hold the rotations of frames, such as "N m s".
            kind: word that the argument's documentation uses for the forces, such as "impulses".
            effect: verb that states what the forces do to the frames, such as "stop".
        """
        units = tuple(
            unit for count in self.counts for unit in ((force,) * 3 + (moment,) * 3)[:count]
        )
        whole = " and moments" if self._whole else ""
        return Argument(
            name,
            (len(units),),
            units,
            f"{kind}{whole} on the robot that {effect} {', '.join(self.names)}, in base axes",
        )

    def make_anchor_arguments(self) -> tuple[Argument, ...]:
        """Return inputs of Baumgarte's stabilisation: held positions, held rotations and gains.

        Positions (m) and rotation matrices are in base axes. The rotations are left out if no
        frame's rotation is held. The gains are stiffness (1/s^2) and damping (1/s).
        """
        count, whole = len(self.names), len(self._whole)
        axes = Argument(
            _AXES,
            (9 * whole,),
            ("",) * 9 * whole,
            f"held rotation matrices of {', '.join(self._whole)}, row by row; "
            "columns are unit vectors, in base axes",
            ones=tuple(9 * number + place for number in range(whole) for place in (0, 4, 8)),
        )
        return (
            Argument(
                _ANCHOR,
                (3 * count,),
                ("m",) * 3 * count,
                f"held positions of {', '.join(self.names)}, in base axes",
                tuple(f"{name}.{axis}" for name in self.names for axis in "xyz"),
            ),
            *((axes,) if whole else ()),
            Argument(
                _GAINS,
                (2,),
                ("1/s^2", "1/s"),
                "stiffness and damping of the held frames (Baumgarte); 0, 0: without",
            ),
        )

    def record_rows(self, recording: Recording) -> list[tuple[Quantity, ...]]:
        """Record the constraint matrix J as a list of rows, one for each constraint.

        For each frame, J contains the rows for the velocity of its origin, and if its rotation is
        held, the rows for its angular velocity, in base axes.
        """
        return [
            row
            for frame, count in self._iterate(recording)
            for row in record_frame_rows(recording, frame, count)
        ]

    def record_velocities(self, recording: Recording) -> list[Quantity]:
        """Record the velocities (m/s, rad/s) that are zero while the frames are held.

        For each frame, these are the velocity of its origin, and if its rotation is held, its
        angular velocity, in base axes.
        """
        return [
            velocity
            for frame, count in self._iterate(recording)
            for velocity in record_frame_velocities(recording, frame, count)
        ]

    def record_biases(self, recording: Recording) -> list[Quantity]:
        """Record the term b of each constraint J qdd + b = 0, with the constraint matrix J.

        b is the drift acceleration dJ/dt qd plus stiffness and damping terms of Baumgarte's
        stabilisation, in base axes.
        """
        gains = [recording.add_element(_GAINS, place) for place in range(2)]
        biases: list[Quantity] = []
        whole = 0
        for number, (frame, count) in enumerate(self._iterate(recording)):
            anchor = join(recording.add_element(_ANCHOR, 3 * number + place) for place in range(3))
            axes: list[Quantity] = []
            if count > POINT:
                # The matrix is stored row by row, and its columns are the unit vectors.
                places = [range(9 * whole + column, 9 * whole + 9, 3) for column in range(3)]
                axes = [
                    join(recording.add_element(_AXES, place) for place in column)
                    for column in places
                ]
                whole += 1
            biases += record_frame_biases(recording, frame, count, gains, anchor, axes)
        return biases

    def _iterate(self, recording: Recording) -> list[tuple[AttachedFrame, int]]:
        """Return the held frames of a robot, each with its number of constraints."""
        frames = map(recording.model.find_frame, self.names)
        return list(zip(frames, self.counts, strict=True))

    def explain_absence(self, model: RobotModel) -> str:
        """Return the reason why these frames cannot be held on a robot, or an empty string."""
        for name, times in Counter(map(make_identifier, self.names)).items():
            if times > 1:
                return f"the frame {name} is named {times} times; name it once"
        for name in self.names:
            if model.find_frame(name).body == BASE:
                return f"the frame {name} is fixed to the base and is held already; leave it out"
        if reason := FORWARD_DYNAMICS.availability.unavailable_because(model):
            return reason
        if (rank := self._find_rank(model)) < self.rows:
            return (
                f"the {self.rows} constraints of {', '.join(self.names)} are dependent: their "
                f"Jacobian has rank {rank} at random positions, so the forces are not unique. Hold "
                "fewer frames, or the origin of a frame only"
            )
        return ""

    def _find_rank(self, model: RobotModel) -> int:
        """Return the largest rank of the constraint matrix among a few random positions."""
        jacobians = DynamicsFunction(
            name="constraint_jacobian",
            formula="",
            inputs=make_joint_motion("q"),
            outputs=lambda model: (
                Argument("J", (self.rows, model.nv), ("1",) * (self.rows * model.nv), "rows"),
            ),
            methods={"": lambda recording: (_flatten(self.record_rows(recording)),)},
            expected_results=ExpectedResults(lambda *_: ()),
            depends_on=Dependence.NOTHING,
        )
        program = jacobians.build(model)
        generator = np.random.Generator(np.random.PCG64(0))
        (positions,) = jacobians.inputs(model)
        parameters = [float(each.value) for each in model.parameters]
        ranks = []
        for _ in range(_POSES):
            q = generator.uniform(-1, 1, positions.size)
            for body in model.coordinates:
                if quaternion := body.joint.type.quaternion:
                    start = body.joint.idx_q
                    place = slice(start + quaternion.start, start + quaternion.stop)
                    q[place] /= np.linalg.norm(q[place])
            # The rank of the program's own rows, so that zeros of this robot's structure are exact.
            entries = evaluate(program, {"q": q, "params": parameters})["J"]
            jacobian = np.reshape([float(each) for each in entries], (self.rows, model.nv))
            ranks.append(int(np.linalg.matrix_rank(jacobian, rtol=_SMALLEST)))
        # A random pose may be singular by chance; almost all poses have the largest rank.
        return max(ranks)

    def compute_jacobian(self, reference: Any, q: Any) -> Any:
        """Return the expected constraint matrix J, shape (states, constraints, n), in base axes.

        n is the number of joint velocities. `reference` is the numeric reference, and q are
        positions, shape (states, nq).
        """
        return self._stack(reference, "compute_jacobian", -2, q)

    def compute_jacobian_magnitudes(self, reference: Any, q: Any) -> Any:
        """Return, for each element of J, the sum of the absolute values of its terms.

        J is the constraint matrix, shape (states, constraints, n). `reference` is the numeric
        reference, and q are positions, shape (states, nq).
        """
        return self._stack(reference, "compute_jacobian_magnitudes", -2, q)

    def compute_biases(
        self, reference: Any, q: Any, qd: Any, anchor: Any, axes: Any, gains: Any
    ) -> Any:
        """Return the vector b of all constraints J qdd + b = 0, shape (states, constraints).

        J is the constraint matrix. b is the drift acceleration dJ/dt qd plus Baumgarte's
        stabilisation. The proof compares the generated code with this result.

        Args:
            reference: dynamics of the robot in numpy, for the proof.
            q: positions, shape (states, nq).
            qd: velocities, shape (states, n).
            anchor: held positions (m) of all held frames, shape (states, frames, 3), in base axes.
            axes: held rotation matrices of the m frames held with rotation, shape (states, m, 3,
                3).
            gains: stiffness (1/s^2) and damping (1/s) of the stabilisation, shape (states, 2).
        """
        drift = self._stack(reference, "compute_drift_acceleration", -1, q, qd)
        velocity = np.einsum("...ij,...j->...i", self.compute_jacobian(reference, q), qd)
        errors = []
        poses = [reference.find_frame(name).compute_pose(q) for name in self.names]
        for number, (rotation, position) in enumerate(poses):
            errors.append(position - anchor[..., number, :])
            if self.counts[number] > POINT:
                held = axes[..., self._whole.index(self.names[number]), :, :]
                # Half the sum of h x r over unit vectors h, r: axis times sine of the angle.
                errors.append(np.cross(held, rotation, axis=-2).sum(axis=-1) / 2)
        error = np.concatenate(errors, axis=-1)
        return drift + gains[..., :1] * error + gains[..., 1:] * velocity

    def compute_bias_magnitudes(
        self, reference: Any, q: Any, qd: Any, anchor: Any, axes: Any, gains: Any
    ) -> Any:
        """Return, for each entry of b, the sum of the absolute values of its terms.

        b, shape (states, constraints), is the constant term of the constraints J qdd + b = 0.

        Args:
            reference: dynamics of the robot in numpy, for the proof.
            q: positions, shape (states, nq).
            qd: velocities, shape (states, n).
            anchor: held positions (m) of all held frames, shape (states, frames, 3), in base axes.
            axes: held rotation matrices of the m frames held with rotation, shape (states, m, 3,
                3).
            gains: stiffness (1/s^2) and damping (1/s) of the stabilisation, shape (states, 2).
        """
        terms = self.compute_jacobian_magnitudes(reference, q)
        velocity = np.einsum("...ij,...j->...i", terms, np.abs(qd))
        errors = []
        for number, name in enumerate(self.names):
            _, reach = reference.find_frame(name).compute_pose_magnitudes(q)
            errors.append(reach + np.abs(anchor[..., number, :]))
            if self.counts[number] > POINT:
                held = np.abs(axes[..., self._whole.index(name), :, :]).sum(axis=(-2, -1))
                errors.append(np.stack([held] * 3, axis=-1))
        error = np.concatenate(errors, axis=-1)
        drift = self._stack(reference, "compute_drift_magnitudes", -1, q, qd)
        gains = np.abs(gains)
        return drift + gains[..., :1] * error + gains[..., 1:] * velocity

    def split_inputs(self, reference: Any, *inputs: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Divide inputs into external forces, and the inputs of Baumgarte's stabilisation.

        `inputs` are all inputs of a function with held frames after q, qd and tau. The inputs of
        the stabilisation are held positions, held rotations, and gains (stiffness and damping).
        """
        count = reference.external_count
        anchor, *axes, gains = inputs[count:]
        shape = anchor.shape[:1]
        held = axes[0].reshape(*shape, -1, 3, 3) if axes else np.zeros((*shape, 0, 3, 3))
        return inputs[:count], (anchor.reshape(*shape, -1, 3), held, gains)

    def _stack(self, reference: Any, method: str, axis: int, *state: Any) -> Any:
        """Return a kinematic quantity of all held frames, joined along one axis of the array.

        `method` names the method of `FrameReference` that computes the quantity of one frame from
        the arguments `state`. The result has one entry for each constraint along `axis`.
        """
        parts = [
            np.take(getattr(reference.find_frame(name), method)(*state), range(count), axis=axis)
            for name, count in zip(self.names, self.counts, strict=True)
        ]
        return np.concatenate(parts, axis=axis)


def _flatten(rows: list[tuple[Quantity, ...]]) -> list[Quantity]:
    return [entry for row in rows for entry in row]
