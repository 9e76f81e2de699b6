"""Operation counts, times, worst errors and drift of robots with held frames.

Held frames are fixed in space by constraints. Drift is the distance by which they nevertheless move
in a simulation.

    python benchmarks/contacts.py     # writes the tables of docs/contacts.md; ten minutes

Compiled ufuncs are timed over 1000 states, in one thread, without Baumgarte's terms. The tables
compare these times with Pinocchio's `constraintDynamics` and `impulseDynamics` for the same
constraints.
Pinocchio is called from Python once per state; the time of an empty Python call is subtracted.
Errors of accelerations and velocities are relative to the largest value. The correct values are the
solution of the whole KKT system by numpy, with Pinocchio's mass matrix M, Jacobian J of the held
frames, and bias forces. States in which J M^-1 J^T has a condition number above 1e6 are omitted, as
in proofs.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pinocchio

import dynagen
from benchmarks.loops import solve_all, time_call
from dynagen.numbers.arrays import Array
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.description import RobotDescription
from dynagen.robot.loading import load_robot
from dynagen.robot.options import ReadingOptions
from dynagen.verification.sampling import sample_states
from hardening.pinocchio_robot import PinocchioRobot

PAGE = Path(__file__).parents[1] / "docs" / "contacts.md"
STATES = 1000
DYNAMICS, IMPACT = "constrained_forward_dynamics", "impact"
_LOADED = (
    "inverse_dynamics",
    "forward_dynamics",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)
_GO2 = "cmeel.prefix/share/example-robot-data/robots/go2_description/urdf/go2.urdf"
_WORST = 1e6
_STEP, _SECONDS, _TIME_CONSTANT = 1e-3, 10.0, 0.05


@dataclass(frozen=True)
class Held:
    """Robot with held frames (frames fixed in space), for computations by Pinocchio and numpy.

    Attributes:
        name: name in the table.
        description: the robot.
        frames: names of the held frames.
        rows: number of constraints of each frame, 3 or (with its rotation) 6.
    """

    name: str
    description: RobotDescription
    frames: tuple[str, ...]
    rows: int = 3

    @property
    def request(self) -> str:
        """Names of the held frames as text.

        The ending `:frame` of a name means that the rotation of the frame is held too.
        """
        return ",".join(name + ":frame" * (self.rows == 6) for name in self.frames)

    @cached_property
    def numeric(self) -> PinocchioRobot:
        """Pinocchio's model of the robot, without constraints on the held frames."""
        return PinocchioRobot(self.description, ReadingOptions())

    def compute_jacobian(self, q: Array) -> Array:
        """Return the Jacobian of the held frames in base axes, computed by Pinocchio.

        Each frame has three rows for its linear velocity. If its rotation is held, three rows for
        its angular velocity follow.
        """
        return np.concatenate(
            [self.numeric.compute_jacobian(name, q)[: self.rows] for name in self.frames]
        )

    def compute_bias(self, q: Array, qd: Array) -> Array:
        """Return the drift acceleration dJ/dt qd of the held frames in base axes, by Pinocchio."""
        return np.concatenate(
            [
                self.numeric.compute_frame_acceleration(name, q, qd, 0 * qd)[: self.rows]
                for name in self.frames
            ]
        )

    def solve(self, q: Array, qd: Array, tau: Array) -> Array:
        """Return the joint accelerations that solve the KKT system of motion with held frames."""
        state = {"q": q, "qd": qd}
        net = tau - self.numeric.compute_forces(state, still=True)
        return self._solve(q, net, -self.compute_bias(q, qd))

    def stop(self, q: Array, qd: Array) -> Array:
        """Return the joint velocities after an impact, which solve the KKT system of the impact."""
        return qd + self._solve(q, 0 * qd, -self.compute_jacobian(q) @ qd)

    def _solve(self, q: Array, upper: Array, lower: Array) -> Array:
        jacobian = self.compute_jacobian(q)
        count, zero = len(upper), np.zeros((len(jacobian),) * 2)
        kkt = np.block([[self.numeric.compute_mass_matrix(q), -jacobian.T], [jacobian, zero]])
        result: Array = np.linalg.solve(kkt, np.concatenate([upper, lower]))[:count]
        return result

    def is_regular(self, q: Array) -> bool:
        """Return whether the condition number of J M^-1 J^T is at most 1e6.

        J is the Jacobian of the held frames, and M the mass matrix.
        """
        jacobian = self.compute_jacobian(q)
        mass = self.numeric.compute_mass_matrix(q)
        return bool(np.linalg.cond(jacobian @ np.linalg.solve(mass, jacobian.T)) <= _WORST)

    def make_pinocchio(self) -> Mapping[str, Callable[..., Array]]:
        """Return functions of one state, by which Pinocchio computes constrained motions.

        Returns:
            Two functions of Pinocchio by the names of dynagen's functions. The first computes joint
            accelerations from (q, qd, tau), the second joint velocities after an impact from (q,
            qd).
        """
        model, data = self.numeric.model, self.numeric.model.createData()
        kind = (
            pinocchio.ContactType.CONTACT_3D if self.rows == 3 else pinocchio.ContactType.CONTACT_6D
        )
        held, kept = pinocchio.StdVec_RigidConstraintModel(), pinocchio.StdVec_RigidConstraintData()
        for name in self.frames:
            frame = model.frames[model.getFrameId(f"frame {name}")]
            held.append(
                pinocchio.RigidConstraintModel(
                    kind, model, frame.parentJoint, frame.placement, pinocchio.LOCAL
                )
            )
        for each in held:
            kept.append(each.createData())
        pinocchio.initConstraintDynamics(model, data, held, kept)
        settings = pinocchio.ProximalSettings(1e-12, 0.0, 1)  # one factorisation, no iteration

        def solve(q: Array, v: Array, tau: Array) -> Array:
            result: Array = pinocchio.constraintDynamics(
                model, data, q, v, tau, held, kept, settings
            )
            return result

        def stop(q: Array, v: Array) -> Array:
            result: Array = pinocchio.impulseDynamics(model, data, q, v, held, kept, 0.0, settings)
            return result

        return {DYNAMICS: solve, IMPACT: stop}


def list_robots() -> list[Held]:
    """Return the robots that the benchmark measures."""
    found = (Path(entry) / _GO2 for entry in sys.path)
    path = next((each for each in found if each.is_file()), None) or sys.exit(
        "the URDF of the Go2 is not installed: pip install example-robot-data"
    )
    floating = ReadingOptions(base="floating")
    feet = tuple(f"{leg}_foot" for leg in ("FL", "FR", "RL", "RR"))
    return [
        Held("Go2, four feet", load_robot(str(path), floating), feet),
        Held("Go2, two feet", load_robot(str(path), floating), feet[::3]),
        Held(
            "solo12, four feet",
            load_robot("solo12", floating),
            ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"),
        ),
        Held("panda, tool held in position and orientation", load_robot("panda"), ("tool",), 6),
    ]


def count(robot: Held) -> dict[str, int]:
    """Return the numbers of operations of constrained forward dynamics and of impact velocities."""
    requests = tuple(f"{name}@{robot.request}" for name in (DYNAMICS, IMPACT))
    generation = generate(robot.description, Settings(functions=requests, verify=False))
    return {
        name: function.operations.total
        for name, function in zip((DYNAMICS, IMPACT), generation.functions, strict=True)
    }


def measure(robot: Held) -> list[str]:
    """Return two table rows of a robot: constrained forward dynamics, and impact velocities."""
    states = sample_states(robot.description, ("q", "qd", "tau"), 2 * STATES)
    good = [place for place in range(2 * STATES) if robot.is_regular(states["q"][place])][:STATES]
    q, qd, tau = (states[name][good] for name in ("q", "qd", "tau"))
    place = np.zeros((len(q), 3 * len(robot.frames)))
    axes = [np.tile(np.eye(3).ravel(), (len(q), 1))] if robot.rows == 6 else []
    ours = {
        DYNAMICS: ((q, qd, tau, place, *axes, np.zeros((len(q), 2))), robot.solve, (q, qd, tau)),
        IMPACT: ((q, qd), robot.stop, (q, qd)),
    }
    theirs, operations = robot.make_pinocchio(), count(robot)
    idle = time_call(lambda: [abs(0) for _ in range(len(q))])
    rows = []
    for function, (inputs, oracle, state) in ours.items():
        kernel = dynagen.compile(robot.description, f"{function}@{robot.request}", states=100)
        result = kernel(*inputs)[0]
        expected = np.array(solve_all(oracle, *state))
        error = np.abs(result - expected).max() / np.abs(expected).max()
        spent = time_call(partial(kernel, *inputs)) / len(q)
        configured = [np.array([robot.numeric.configure(each) for each in q])]
        configured += [each @ robot.numeric.G.T for each in state[1:]]
        taken = time_call(partial(solve_all, theirs[function], *configured))
        other = (taken - idle) / len(q) / spent
        rows.append(
            f"| {robot.name} | `{function}` | {operations[function]} | {spent / 1e3:.3g} | "
            f"{error:.1e} | {other:.3g} |"
        )
    return rows


def measure_forces(robot: Held) -> list[str]:
    """Return table rows of some dynamics functions, each with two operation counts.

    The first count is for the robot without contact forces, the second for the robot with contact
    forces as inputs.
    """
    loaded = replace(robot.description, contact_forces=robot.frames)
    names = ("q", "qd", "qdd", "contact_force")
    states = sample_states(loaded, names, STATES)
    q, qd, qdd, force = (states[name] for name in names)
    # By Pinocchio: the joint forces without contact, minus J^T f.
    expected = np.array(
        [
            robot.numeric.compute_forces({"q": a, "qd": b, "qdd": c})
            - robot.compute_jacobian(a).T @ d
            for a, b, c, d in zip(q, qd, qdd, force, strict=True)
        ]
    )
    tau = dynagen.compile(loaded, "inverse_dynamics", states=100)(q, qd, qdd, force)
    error = np.abs(tau - expected).max() / np.abs(expected).max()
    rows = []
    for name in _LOADED:
        settings = Settings(functions=(name,), verify=False)
        without, acting = (
            generate(each, settings).functions[0].operations.total
            for each in (robot.description, loaded)
        )
        worst = f"{error:.1e}" if name == _LOADED[0] else ""
        rows.append(f"| {robot.name} | `{name}` | {without} | {acting} | {worst} |")
    return rows


def simulate(robot: Held, gains: Array) -> float:
    """Return the largest drift (m) of the held frames in ten seconds of simulated motion.

    A controller moves the joints around their initial positions with an amplitude of 0.1 rad at 1
    Hz. The motion is integrated by semi-implicit Euler steps.

    Args:
        robot: the robot with held frames.
        gains: stiffness (1/s^2) and damping (1/s) of Baumgarte's stabilisation, shape (2,).
    """
    numeric, n = robot.numeric, robot.numeric.G.shape[1]
    kernel = dynagen.compile(robot.description, f"{DYNAMICS}@{robot.request}", states=100)
    q = np.concatenate([[0, 0, 0.3, 0, 0, 0, 1], np.tile([0.0, 0.8, -1.5], 4)])
    first, qd = q.copy(), np.zeros(n)
    anchor = np.concatenate([numeric.compute_pose(name, q).translation for name in robot.frames])
    drift = 0.0
    for step in range(int(_SECONDS / _STEP)):
        wanted = first[7:] + 0.1 * np.sin(2 * np.pi * step * _STEP)
        tau = np.concatenate([np.zeros(6), 60 * (wanted - q[7:]) - 2 * qd[6:]])
        qdd, _, status = kernel(q, qd, tau, anchor, gains)
        assert not status
        qd = qd + _STEP * qdd
        q = numeric.integrate(q, _STEP * qd)
        if step % 100 == 0:
            places = [numeric.compute_pose(name, q).translation for name in robot.frames]
            drift = max(drift, float(np.abs(np.concatenate(places) - anchor).max()))
    return drift


def main() -> None:
    """Measure all robots with held frames, and write the tables of docs/contacts.md."""
    robots = list_robots()
    rows = [
        "| robot | function | operations | us | worst error | Pinocchio's time / dynagen's |",
        "| --- | --- | --: | --: | --: | --: |",
    ]
    for robot in robots:
        for row in measure(robot):
            print(row, flush=True)
            rows.append(row)
    critical = np.array([1 / _TIME_CONSTANT**2, 2 / _TIME_CONSTANT])
    drifts = [
        "| robot | without Baumgarte's terms | time constant of 0.05 s |",
        "| --- | --: | --: |",
    ]
    for robot in (robots[0], robots[2]):
        cells = (f"{1e3 * simulate(robot, gains):.2g} mm" for gains in (np.zeros(2), critical))
        drifts.append(f"| {robot.name} | {' | '.join(cells)} |")
        print(drifts[-1], flush=True)
    forces = [
        "| robot | function | operations | with contact forces | worst error |",
        "| --- | --- | --: | --: | --: |",
    ]
    for robot in (robots[0], robots[2]):
        forces += measure_forces(robot)
        print(*forces[-len(_LOADED) :], sep="\n", flush=True)
    text = PAGE.read_text(encoding="utf-8")
    for name, table in (("contacts", rows), ("drift", drifts), ("forces", forces)):
        pattern = re.compile(rf"(<!-- table: {name} -->\n)(.*?)(<!-- end -->)", re.DOTALL)
        lines = "\n".join(table)
        text = pattern.sub(lambda found, lines=lines: f"{found[1]}{lines}\n{found[3]}", text)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
