"""Dynamics of random robots by Pinocchio, in the joint coordinates of the robot descriptions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import accumulate

import numpy as np

from dynagen.numbers.arrays import Array
from dynagen.robot.description import LinkDescription, RobotDescription
from dynagen.robot.joints import FIXED, Joint
from dynagen.robot.options import ReadingOptions
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model, placed

State = Mapping[str, Array]
Results = Mapping[str, Array]


class PinocchioRobot:
    """Pinocchio's model of a robot, or of the part of a robot that reading options select.

    In Pinocchio's model, locked and mimicking joints are independent joints too. The constant
    matrix `G` converts the description's joint velocities to Pinocchio's joint velocities.

    Args:
        whole: the whole robot, without run-time parameters.
        options: root, tip and locked joints.
    """

    def __init__(self, whole: RobotDescription, options: ReadingOptions) -> None:
        self._locks = {name: float(place) for name, place in options.lock}
        part = _cut(whole, options)
        self.model, order = pinocchio_model(part)
        if options.root is not None:
            self.model.gravity.linear = self._gravity_at(whole, options.root)
        self._links = {link.name: link for link in part.links}
        self.moving = [link for link in part.links if link.joint.moves]
        self.leaders = [
            link.name
            for link in self.moving
            if not link.joint.mimics and link.name not in self._locks
        ]
        types = [self._links[name].joint.type for name in self.leaders]
        self._velocities = _number([len(each.rotates) for each in types])
        self._positions = _number([len(each.position_names) for each in types])
        self.G = self._relate_velocities()[order]
        self.wrenches = part.external_wrenches
        self._placements = {
            frame.name: (frame.link, placed(frame.placement)) for frame in part.frames
        }
        last = next(link.name for link in reversed(part.links) if link.name != "payload")
        self._placements.setdefault("tool", (options.tip or last, pin.SE3.Identity()))
        for name, (link, place) in self._placements.items():
            joint, at = self._place_on_joint(link)
            kind = pin.FrameType.OP_FRAME
            self.model.addFrame(pin.Frame(f"frame {name}", joint, 0, at * place, kind))
        self._empty_bodies_that_rest()
        self.data = self.model.createData()

    def _empty_bodies_that_rest(self) -> None:
        """Remove the inertia of bodies that no moving joint carries."""
        moved: set[int] = set()
        for link in self.moving:
            number = self.model.getJointId(link.name)
            is_free = (link.joint.mimics or link.name) not in self._locks
            if is_free or self.model.parents[number] in moved:
                moved.add(number)
            else:
                self.model.inertias[number] = pin.Inertia.Zero()

    def _gravity_at(self, whole: RobotDescription, root: str) -> Array:
        """Return gravity (m/s^2) in the axes of the link `root`, shape (3,).

        Locked joints are at their locked positions, all other joints at position zero.
        """
        robot = PinocchioRobot(
            whole, ReadingOptions(lock=tuple((k, str(v)) for k, v in self._locks.items()))
        )
        q = np.zeros(sum(map(len, robot._positions)))
        for quaternion in robot._list_quaternions():
            q[quaternion[-1]] = 1.0
        joint, at = robot._place_on_joint(root)
        pin.forwardKinematics(robot.model, robot.data, robot.configure(q))
        rotation: Array = (robot.data.oMi[joint] * at).rotation
        return rotation.T @ np.array([float(g) for g in whole.gravity])

    def _list_quaternions(self) -> list[range]:
        """Return, for each quaternion in q, the range of its four indices."""
        return [places[-4:] for places in self._positions if len(places) > 1]

    def _relate_velocities(self) -> Array:
        """Return the matrix G: v = G qd are the velocities of all joints, locked ones included."""
        count = sum(map(len, self._velocities))
        rows = []
        for link in self.moving:
            leader = link.joint.mimics or link.name
            for entry in range(len(link.joint.type.rotates)):
                row = np.zeros(count)
                if leader not in self._locks:
                    ratio = float(link.joint.ratio) if link.joint.mimics else 1.0
                    row[self._velocities[self.leaders.index(leader)][entry]] = ratio
                rows.append(row)
        return np.array(rows).reshape(-1, count)

    def _place_on_joint(self, name: str | None) -> tuple[int, pin.SE3]:
        """Return the joint that carries a link, and the pose of the link in the joint's frame."""
        pose = pin.SE3.Identity()
        while name is not None:
            link = self._links[name]
            pose = placed(link.after) * pose
            if link.joint.moves:
                return self.model.getJointId(name), pose
            pose = placed(link.before) * pose
            name = link.parent
        return 0, pose

    def configure(self, q: Array) -> Array:
        """Convert the description's positions q to Pinocchio's configuration vector."""
        result = pin.neutral(self.model)
        for link in self.moving:
            joint = self.model.joints[self.model.getJointId(link.name)]
            leader = link.joint.mimics or link.name
            if leader in self._locks:
                value = np.array([self._locks[leader]])
            else:
                value = q[self._positions[self.leaders.index(leader)]]
            if link.joint.mimics:
                value = float(link.joint.ratio) * value + float(link.joint.offset)
            result[joint.idx_q : joint.idx_q + joint.nq] = value
        return result

    def _forces_of(self, wrench: Array | None) -> pin.StdVec_Force:
        """Convert external wrenches at frames to Pinocchio's forces in joint frames."""
        forces = pin.StdVec_Force([pin.Force.Zero() for _ in range(self.model.njoints)])
        for number, name in enumerate(self.wrenches if wrench is not None else ()):
            frame = self.model.frames[self.model.getFrameId(f"frame {name}")]
            forces[frame.parentJoint] += frame.placement.act(pin.Force(wrench[6 * number :][:6]))
        return forces

    def compute_forces(self, state: State, *, at_rest: bool = False, still: bool = False) -> Array:
        """Return the joint forces of a state.

        If `still` is true, qdd is zero. If `at_rest` is true, qd, qdd and wrenches are zero.
        """
        v = self.G @ state["qd"] if not at_rest else np.zeros(self.model.nv)
        a = self.G @ state["qdd"] if not (still or at_rest) else np.zeros(self.model.nv)
        forces = self._forces_of(None if at_rest else state.get("wrench"))
        return self.G.T @ pin.rnea(self.model, self.data, self.configure(state["q"]), v, a, forces)

    def compute_mass_matrix(self, q: Array) -> Array:
        """Return the mass matrix that Pinocchio computes."""
        upper = np.triu(pin.crba(self.model, self.data, self.configure(q)))
        return self.G.T @ (upper + np.triu(upper, 1).T) @ self.G

    def compute_coriolis_matrix(self, state: State) -> Array:
        """Return Pinocchio's Coriolis matrix C. Other tools may agree in C qd and C + C^T only."""
        q, v = self.configure(state["q"]), self.G @ state["qd"]
        return self.G.T @ pin.computeCoriolisMatrix(self.model, self.data, q, v) @ self.G

    def compute_accelerations(self, state: State) -> Array:
        """Return the joint accelerations for the joint forces of the state."""
        bias = self.compute_forces(state, still=True)
        return np.linalg.solve(self.compute_mass_matrix(state["q"]), state["tau"] - bias)

    def compute_derivatives(self, state: State, qdd: Array) -> tuple[Array, Array]:
        """Return the derivatives of joint forces with respect to positions and velocities."""
        q, v, a = self.configure(state["q"]), self.G @ state["qd"], self.G @ qdd
        forces = self._forces_of(state.get("wrench"))
        pin.computeRNEADerivatives(self.model, self.data, q, v, a, forces)
        by_q, by_v = self.data.dtau_dq.copy(), self.data.dtau_dv.copy()
        return self.G.T @ by_q @ self.G, self.G.T @ by_v @ self.G

    def integrate(self, q: Array, motion: Array) -> Array:
        """Return the joint positions one second after q, for constant joint velocities `motion`."""
        groups = {1: lambda q, v: q + v, 4: pin.liegroups.SO3().integrate}
        groups[7] = pin.liegroups.SE3().integrate
        result = np.empty_like(q)
        for positions, velocities in zip(self._positions, self._velocities, strict=True):
            result[positions] = groups[len(positions)](q[positions], motion[velocities])
        return result

    def compare_positions(self, computed: Array, expected: Array) -> tuple[Array, Array]:
        """Return both positions; expected quaternions receive the signs of computed quaternions.

        A quaternion and its negative describe the same rotation.
        """
        expected = expected.copy()
        for places in self._list_quaternions():
            if computed[places] @ expected[places] < 0:
                expected[places] *= -1
        return computed, expected

    def compute_jacobian(self, frame: str, q: Array, own_axes: bool = False) -> Array:
        """Return the Jacobian of a frame in base axes or its own axes, linear rows first."""
        axes = pin.ReferenceFrame.LOCAL if own_axes else pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        number = self.model.getFrameId(f"frame {frame}")
        found = pin.computeFrameJacobian(self.model, self.data, self.configure(q), number, axes)
        # Pinocchio returns a matrix with one column as a vector.
        return found.reshape(6, -1) @ self.G

    def compute_pose(self, frame: str, q: Array) -> pin.SE3:
        """Return the pose of a frame in Pinocchio's world frame."""
        pin.framesForwardKinematics(self.model, self.data, self.configure(q))
        return self.data.oMf[self.model.getFrameId(f"frame {frame}")].copy()

    def compute_frame_acceleration(self, frame: str, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the classical acceleration of a frame in base axes, linear part first."""
        motion = self.G @ qd, self.G @ qdd
        pin.forwardKinematics(self.model, self.data, self.configure(q), *motion)
        axes, number = (
            pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
            self.model.getFrameId(f"frame {frame}"),
        )
        return pin.getFrameClassicalAcceleration(self.model, self.data, number, axes).vector

    def compute_joint_wrenches(self, state: State) -> Array:
        """Return the wrench that each moving joint transmits, in the frame of its link."""
        self.compute_forces(state)
        rows = []
        for link in self.moving:
            if (link.joint.mimics or link.name) not in self._locks:
                force = self.data.f[self.model.getJointId(link.name)]
                rows.append(placed(link.after).actInv(force).vector)
        return np.array(rows)

    def compute_com_jacobian(self, q: Array) -> Array:
        """Return the Jacobian of the centre of mass in base axes."""
        found = pin.jacobianCenterOfMass(self.model, self.data, self.configure(q))
        return found.reshape(3, -1) @ self.G

    def compute_centroidal_matrix(self, q: Array) -> Array:
        """Return the centroidal momentum matrix in base axes."""
        v = np.zeros(self.model.nv)
        pin.ccrba(self.model, self.data, self.configure(q), v)
        return self.data.Ag.reshape(6, -1) @ self.G

    def compute_centroidal_drift(self, state: State) -> Array:
        """Return the time derivative of centroidal momentum at zero joint acceleration."""
        v = self.G @ state["qd"]
        pin.computeCentroidalMomentumTimeVariation(
            self.model, self.data, self.configure(state["q"]), v, np.zeros(self.model.nv)
        )
        return self.data.dhg.vector.copy()


def _number(counts: list[int]) -> list[range]:
    """Return the index range of each joint's entries in a vector; joint i has counts[i] entries."""
    ends = [*accumulate(counts)]
    return [range(end - count, end) for end, count in zip(ends, counts, strict=True)]


def _cut(robot: RobotDescription, options: ReadingOptions) -> RobotDescription:
    """Return the part of a robot that the options `root` and `tip` select."""
    root, tip, locked = options.root, options.tip, dict(options.lock)
    links = {link.name: link for link in robot.links}

    def moves(link: LinkDescription) -> bool:
        """Whether a link's joint moves. Locked joints, and joints that mimic them, do not move."""
        return link.joint.moves and (link.joint.mimics or link.name) not in locked

    def climb(name: str | None) -> list[str]:
        path = []
        while name is not None:
            path.append(name)
            name = links[name].parent
        return path

    kept = [name for name in links if root is None or root in climb(name)]
    if tip is not None:
        chain = set(climb(tip))

        def belongs(name: str) -> bool:
            """Whether a link is on the chain from root to tip, or fixed to it before the tip."""
            if name in chain:
                return True
            link = links[name]
            if moves(link) or link.parent is None:
                return link.parent is None and not moves(link)
            if link.parent == tip:
                return name == "payload"
            return belongs(link.parent)

        kept = [name for name in kept if belongs(name)]
    part: list[LinkDescription] = []
    for name in kept:
        link = links[name]
        if name == root:
            link = LinkDescription(name, None, (), Joint(FIXED), (), link.inertial)
        part.append(link)
    frames = tuple(frame for frame in robot.frames if frame.link in kept)
    return replace(robot, links=tuple(part), frames=frames)


def _solve_forward_derivatives(robot: PinocchioRobot, s: State) -> tuple[Array, Array, Array]:
    """Return the derivatives of accelerations with respect to positions, velocities and forces."""
    inverse = np.linalg.inv(robot.compute_mass_matrix(s["q"]))
    by_q, by_v = robot.compute_derivatives(s, robot.compute_accelerations(s))
    return -inverse @ by_q, -inverse @ by_v, inverse


Expected = Callable[[PinocchioRobot, str, State, Results], list[tuple[Array, Array]]]
"""Function that returns the pairs of computed and expected values of a dynamics function.

The arguments are the robot in Pinocchio, the name of a frame, a state, and the results of the
kernel.
"""


def _one(name: str, compute: Callable[..., Array]) -> Expected:
    return lambda robot, frame, s, out: [(out[name], compute(robot, frame, s))]


def _compare_coriolis(robot: PinocchioRobot, frame: str, s: State, out: Results) -> list:
    own, other = out["C"], robot.compute_coriolis_matrix(s)
    return [(own @ s["qd"], other @ s["qd"]), (own + own.T, other + other.T)]


def _compare_momentum_bias(robot: PinocchioRobot, frame: str, s: State, out: Results) -> list:
    gravity = robot.compute_forces(s, at_rest=True)
    return [(out["beta"], robot.compute_coriolis_matrix(s).T @ s["qd"] - gravity)]


def _compare_poses(robot: PinocchioRobot, frame: str, s: State, out: Results) -> list:
    pose = robot.compute_pose(frame, s["q"])
    return [(out["R"], pose.rotation), (out["p"], pose.translation)]


def _compare_euler(robot: PinocchioRobot, frame: str, s: State, out: Results) -> list:
    velocities = s["qd"] + s["dt"] * robot.compute_accelerations(s)
    return [
        (out["qd_next"], velocities),
        robot.compare_positions(out["q_next"], robot.integrate(s["q"], s["dt"] * velocities)),
    ]


def _compare_integration(robot: PinocchioRobot, frame: str, s: State, out: Results) -> list:
    return [robot.compare_positions(out["q_next"], robot.integrate(s["q"], s["motion"]))]


def _compare_inverse_derivatives(robot: PinocchioRobot, frame: str, s: State, out: Results) -> list:
    return list(zip(list(out.values())[:2], robot.compute_derivatives(s, s["qdd"]), strict=True))


def _compare_forward_derivatives(robot: PinocchioRobot, frame: str, s: State, out: Results) -> list:
    found = list(out.values())
    expected = _solve_forward_derivatives(robot, s)
    return list(zip(found[:2], expected[:2], strict=True))


def _compare_inverse_vjp(robot: PinocchioRobot, frame: str, s: State, out: Results) -> list:
    by_q, by_v = robot.compute_derivatives(s, s["qdd"])
    by_a, weights = robot.compute_mass_matrix(s["q"]), s["tau_bar"]
    return [
        (out[name], matrix.T @ weights)
        for name, matrix in (("q_bar", by_q), ("qd_bar", by_v), ("qdd_bar", by_a))
    ]


def _compare_inverse_jvp(robot: PinocchioRobot, frame: str, s: State, out: Results) -> list:
    by_q, by_v = robot.compute_derivatives(s, s["qdd"])
    by_a = robot.compute_mass_matrix(s["q"])
    return [(out["dtau"], by_q @ s["dq"] + by_v @ s["dqd"] + by_a @ s["dqdd"])]


def _compare_forward_vjp(robot: PinocchioRobot, frame: str, s: State, out: Results) -> list:
    names = ("q_bar", "qd_bar", "tau_bar")
    matrices = _solve_forward_derivatives(robot, s)
    return [(out[n], m.T @ s["qdd_bar"]) for n, m in zip(names, matrices, strict=True)]


def _compare_forward_jvp(robot: PinocchioRobot, frame: str, s: State, out: Results) -> list:
    by_q, by_v, by_tau = _solve_forward_derivatives(robot, s)
    return [(out["dqdd"], by_q @ s["dq"] + by_v @ s["dqd"] + by_tau @ s["dtau"])]


def _compare_jacobian_derivative(robot: PinocchioRobot, frame: str, s: State, out: Results) -> list:
    # dJ/dq contracted with a velocity and an acceleration-free motion gives the drift.
    v = np.linspace(0.5, -1.0, robot.G.shape[1])
    drift = np.einsum("ijk,j,k->i", out["dJ_dq"], v, v)
    return [(drift, robot.compute_frame_acceleration(frame, s["q"], v, 0 * v))]


def _compute_energy(robot: PinocchioRobot, frame: str, s: State) -> Array:
    # Pinocchio's own function leaves motor inertias out.
    return np.array(s["qd"] @ robot.compute_mass_matrix(s["q"]) @ s["qd"] / 2)


def _compute_com(robot: PinocchioRobot, frame: str, s: State) -> Array:
    # Pinocchio's centre of mass includes only the bodies of joints.
    return pin.centerOfMass(robot.model, robot.data, robot.configure(s["q"])).copy()


def _compute_inverse_inertia(robot: PinocchioRobot, frame: str, s: State) -> Array:
    jacobian = robot.compute_jacobian(frame, s["q"])
    return jacobian @ np.linalg.solve(robot.compute_mass_matrix(s["q"]), jacobian.T)


def _hold(robot: PinocchioRobot, frame: str, s: State) -> tuple[Array, Array]:
    """Return the Jacobian J of a held frame's origin, and J M^-1 J^T with the mass matrix M."""
    jacobian = robot.compute_jacobian(frame, s["q"])[:3]
    return jacobian, jacobian @ np.linalg.solve(robot.compute_mass_matrix(s["q"]), jacobian.T)


def _compare_constrained(robot: PinocchioRobot, frame: str, s: State, out: Results) -> list:
    jacobian, compliance = _hold(robot, frame, s)
    free, rest = robot.compute_accelerations(s), np.zeros(robot.G.shape[1])
    stiffness, damping = s["gains"]
    gap = robot.compute_pose(frame, s["q"]).translation - s["anchor"]
    drift = robot.compute_frame_acceleration(frame, s["q"], s["qd"], rest)[:3]
    lacking = jacobian @ free + drift + damping * (jacobian @ s["qd"]) + stiffness * gap
    force = -np.linalg.solve(compliance, lacking)
    qdd = free + np.linalg.solve(robot.compute_mass_matrix(s["q"]), jacobian.T @ force)
    expected = {"qdd": qdd, "constraint_force": force, "status": np.array(0.0)}
    return [(value, expected[name]) for name, value in out.items()]


def _compare_impact(robot: PinocchioRobot, frame: str, s: State, out: Results) -> list:
    jacobian, compliance = _hold(robot, frame, s)
    impulse = -np.linalg.solve(compliance, jacobian @ s["qd"])
    change = np.linalg.solve(robot.compute_mass_matrix(s["q"]), jacobian.T @ impulse)
    expected = {"qd_after": s["qd"] + change, "impulse": impulse, "status": np.array(0.0)}
    return [(value, expected[name]) for name, value in out.items()]


EXPECTED: Mapping[str, Expected] = {
    "inverse_dynamics": _one("tau", lambda r, f, s: r.compute_forces(s)),
    "gravity_forces": _one("g", lambda r, f, s: r.compute_forces(s, at_rest=True)),
    "bias_forces": _one("h", lambda r, f, s: r.compute_forces(s, still=True)),
    "coriolis_forces": _one("c", lambda r, f, s: r.compute_coriolis_matrix(s) @ s["qd"]),
    "coriolis_matrix": _compare_coriolis,
    "momentum_bias": _compare_momentum_bias,
    "joint_wrenches": _one("f", lambda r, f, s: r.compute_joint_wrenches(s)),
    "mass_matrix": _one("M", lambda r, f, s: r.compute_mass_matrix(s["q"])),
    "constrained_forward_dynamics": _compare_constrained,
    "contact_forces": _compare_constrained,
    "impact": _compare_impact,
    "mass_matrix_inverse": _one(
        "Minv", lambda r, f, s: np.linalg.inv(r.compute_mass_matrix(s["q"]))
    ),
    "kinetic_energy": _one("T", _compute_energy),
    "forward_dynamics": _one("qdd", lambda r, f, s: r.compute_accelerations(s)),
    "integrate": _compare_integration,
    "step_euler": _compare_euler,
    "forward_kinematics": _compare_poses,
    "jacobian": _one("J", lambda r, f, s: r.compute_jacobian(f, s["q"])),
    "body_jacobian": _one("J", lambda r, f, s: r.compute_jacobian(f, s["q"], own_axes=True)),
    "jacobian_dot_qd": _one(
        "Jdqd", lambda r, f, s: r.compute_frame_acceleration(f, s["q"], s["qd"], 0 * s["qd"])
    ),
    "jacobian_derivative": _compare_jacobian_derivative,
    "frame_velocity": _one("V", lambda r, f, s: r.compute_jacobian(f, s["q"]) @ s["qd"]),
    "frame_acceleration": _one(
        "Vd", lambda r, f, s: r.compute_frame_acceleration(f, s["q"], s["qd"], s["qdd"])
    ),
    "inverse_operational_inertia": _one("A", _compute_inverse_inertia),
    "center_of_mass": _one("com", _compute_com),
    "com_jacobian": _one(
        "Jcom",
        lambda r, f, s: r.compute_com_jacobian(s["q"]),
    ),
    "centroidal_momentum_matrix": _one("Ag", lambda r, f, s: r.compute_centroidal_matrix(s["q"])),
    "centroidal_momentum_matrix_dot_qd": _one(
        "dAg_qd", lambda r, f, s: r.compute_centroidal_drift(s)
    ),
    "inverse_dynamics_derivatives": _compare_inverse_derivatives,
    "forward_dynamics_derivatives": _compare_forward_derivatives,
    "inverse_dynamics_vjp": _compare_inverse_vjp,
    "inverse_dynamics_jvp": _compare_inverse_jvp,
    "forward_dynamics_vjp": _compare_forward_vjp,
    "forward_dynamics_jvp": _compare_forward_jvp,
}
"""Mapping from the name of a dynamics function to a function that computes it by Pinocchio.

Each of these functions returns pairs (computed, expected) of the kernel's and Pinocchio's results.
"""

_HOLDING = ("constrained_forward_dynamics", "contact_forces", "impact")
_REQUIRES_INVERSE = (
    "mass_matrix_inverse",
    "forward_dynamics",
    "step_euler",
    "inverse_operational_inertia",
    "forward_dynamics_derivatives",
    "forward_dynamics_vjp",
    "forward_dynamics_jvp",
    *_HOLDING,
)


def find_condition(robot: PinocchioRobot, name: str, frame: str, state: State) -> float:
    """Return the condition number of the linear system in a function; 1 without such a system."""
    if name not in _REQUIRES_INVERSE:
        return 1.0
    condition = np.linalg.cond(robot.compute_mass_matrix(state["q"]))
    if name in _HOLDING:
        condition *= np.linalg.cond(_hold(robot, frame, state)[1])
    return float(condition)
