"""Initial positions and velocities of simulations: defaults and checks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dynagen.apps.simulation.integration import FIXED_STEPS, METHODS
from dynagen.errors import refuse_if
from dynagen.numbers.arrays import Array
from dynagen.robot.coordinates import refuse_special_joints
from dynagen.robot.description import RobotDescription


def choose_start(robot: RobotDescription) -> Array:
    """Return the default initial positions of a robot in rad or m, as one vector.

    A joint's position is zero, or the middle of its limits if the limits exclude zero. A floating
    base is at the origin without rotation, and a spherical joint is not rotated.
    """
    q = np.zeros(sum(link.joint.nq for link in robot.links))
    for link in robot.links:
        if quaternion := link.joint.type.quaternion:
            q[link.joint.idx_q + quaternion[-1]] = 1.0  # w of the quaternion x, y, z, w
        elif link.joint.nq and link.limits and link.limits.position:
            low, high = map(float, link.limits.position)
            if not low <= 0 <= high:
                q[link.joint.idx_q] = (low + high) / 2
    return q


def compute_start(
    robot: RobotDescription, q0: ArrayLike | None, qd0: ArrayLike | None, method: str
) -> tuple[Array, Array]:
    """Return checked initial positions, shape (..., nq), and velocities, shape (..., n).

    Args:
        robot: the description.
        q0: the nq positions in rad or m, shape (..., nq); None for the positions of `choose_start`.
        qd0: the n velocities in rad/s or m/s, shape (..., n); None for zero.
        method: integration method; only methods with fixed steps permit several starts.

    Raises:
        UsageError: positions or velocities do not fit the robot or the method.
    """
    joints = [link.joint for link in robot.links]
    refuse_special_joints(
        robot.name, joints, "the simulation", with_loops=True, with_spherical_joints=True
    )
    refuse_if(
        method not in (*METHODS, *FIXED_STEPS),
        f"there is no method `{method}`; expected {', '.join((*METHODS, *FIXED_STEPS))}",
    )
    q = choose_start(robot) if q0 is None else np.asarray(q0, dtype=float)
    nq, nv = sum(joint.nq for joint in joints), sum(joint.nv for joint in joints)
    qd = np.zeros((*q.shape[:-1], nv)) if qd0 is None else np.asarray(qd0, dtype=float)
    for name, values, count in (("q0", q, nq), ("qd0", qd, nv)):
        layout = ", with quaternions x y z w," if nq > nv and name == "q0" else ""
        found = values.shape[-1] if values.ndim else "one"
        refuse_if(found != count, f"{name}: expected {count} numbers{layout}, found {found}")
        refuse_if(not np.isfinite(values).all(), f"{name}: expected finite numbers")
    starts = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1])
    q, qd = (np.array(np.broadcast_to(part, (*starts, part.shape[-1]))) for part in (q, qd))
    for link in robot.links:
        if quaternion := link.joint.type.quaternion:
            place = link.joint.idx_q + quaternion[0]
            entries = q[..., place : place + 4]
            length = np.linalg.norm(entries, axis=-1, keepdims=True)
            refuse_if(
                not np.allclose(length, 1, atol=1e-6),
                f"q0: expected a quaternion (x, y, z, w) of length 1 for {link.name}, "
                f"from entry {place} on",
            )
            entries /= length
    refuse_if(
        q.ndim > 1 and method in METHODS,
        f"{method} integrates one start only; several starts require {' or '.join(FIXED_STEPS)}",
    )
    return q, qd
