"""A wrench at a frame -> the joint forces that hold it, by virtual work: minus the transposed Jacobian times the wrench."""

from __future__ import annotations

import numpy as np

from dynagen.verification.frames import FrameReference
from dynagen.verification.kinematics import Array


def joint_forces(frame: FrameReference, q: Array, wrench: Array) -> Array:
    """Joint forces, shape (..., n), for a force and a moment in the frame's axes that the surroundings exert, (..., 6)."""
    forces: Array = -np.einsum("...ij,...i->...j", frame.body_jacobian(q), wrench)
    return forces


def term_magnitudes(frame: FrameReference, q: Array, wrench: Array) -> Array:
    """Sums of the magnitudes of their terms: nothing of a force or a moment is lost on the way to a joint."""
    sizes = np.repeat(np.stack([np.linalg.norm(wrench[..., part], axis=-1) for part in (slice(3), slice(3, 6))], -1), 3, -1)
    magnitudes: Array = np.einsum("...ij,...i->...j", frame.jacobian_magnitudes(q), sizes)
    return magnitudes
