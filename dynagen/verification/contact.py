"""A wrench at a frame -> the joint forces that hold it, by virtual work: minus the transposed Jacobian times the wrench."""

from __future__ import annotations

import numpy as np

from dynagen.verification.frames import FrameReference
from dynagen.verification.kinematics import Array

_PARTS = (slice(0, 3), slice(3, 6))  # force and moment


def joint_forces(frame: FrameReference, q: Array, wrench: Array) -> Array:
    """Joint forces that hold a wrench.

    Args:
        frame: where it acts.
        q: joint positions, shape (..., n); complex ones give complex results.
        wrench: force (N) and moment (N m) in the frame's axes, exerted on the robot at the frame's origin, shape (..., 6).
    """
    rotation, _ = frame.pose(q)
    in_base = np.concatenate([(rotation @ wrench[..., part, None])[..., 0] for part in _PARTS], axis=-1)
    forces: Array = -np.einsum("...ij,...i->...j", frame.jacobian_of_axes(q), in_base)
    return forces


def term_magnitudes(frame: FrameReference, q: Array, wrench: Array) -> Array:
    """Sums of the magnitudes of their terms, where rotating changes no magnitude."""
    in_base = np.concatenate([np.linalg.norm(wrench[..., part], axis=-1, keepdims=True) + np.zeros(3) for part in _PARTS], -1)
    magnitudes: Array = np.einsum("...ij,...i->...j", frame.jacobian_magnitudes(q), in_base)
    return magnitudes
