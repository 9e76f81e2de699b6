"""`dynagen.simulate`: a robot, its initial state and its drive to its motion.

Motion: what a simulation gives: states over time, what drove them, energies and the tool's path.

`dynagen.simulate`: a robot, its state at the start and what drives it -> its motion.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from dynagen.apps.simulation.integration import (
    FIXED_STEPS,
    METHODS,
    StoppedError,
    Tolerances,
    stretches,
)
from dynagen.apps.simulation.plant import Array, Plant, plant_of
from dynagen.apps.simulation.torques import Sampled, Torques, no_torques
from dynagen.errors import UsageError, refuse_if
from dynagen.resources import require_extra
from dynagen.robot.description import RobotDescription
from dynagen.robot.options import ReadingKeywords, reading_options
from dynagen.runtime.api import AnyRobot, as_description


@dataclass(frozen=True)
class Passage:
    """A joint that goes beyond a limit.

    Attributes:
        time: in s.
        joint: number of the coordinate, from 0.
        limit: position in rad or m.
    """

    time: float
    joint: int
    limit: float

    def __str__(self) -> str:
        return f"q{self.joint + 1} passes its limit {self.limit:.6g} at {self.time:.6g} s"


@dataclass(frozen=True, repr=False)
class Motion:
    """The motion of a robot; several motions at once have another axis behind that of time.

    Attributes:
        robot: its name.
        t: times in s, shape (times,).
        q: positions, shape (times, ..., nq), rad or m.
        qd: rates, shape (times, ..., n), rad/s or m/s.
        tau: joint torques or forces that drive it, likewise, in N m or N.
        kinetic, potential: energies in J, shape (times, ...).
        work: what torques, friction and a wrench have done since the start in J, likewise.
        tool: the tool's position in the base frame in m, shape (times, ..., 3).
        steps: how many the integrator took.
        passages: of joints beyond their limits.
        notes: what else is to be known of it.
        stopped: why it ends before its time; empty if it does not.
    """

    robot: str
    t: Array
    q: Array
    qd: Array
    tau: Array
    kinetic: Array
    potential: Array
    work: Array
    tool: Array
    steps: int
    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()
    stopped: str = ""

    def __repr__(self) -> str:
        """One line, without the arrays."""
        several = f", {self.q[0].size // self.q.shape[-1]} motions" if self.q.ndim > 2 else ""
        return f"<Motion of {self.robot}: {self.t[-1]:g} s at {len(self.t)} times{several}, {self.steps} steps>"

    @property
    def stopped_at_limit(self) -> bool:
        """Whether it ends early because that was asked for."""
        return self.stopped in map(str, self.passages)

    @property
    def energy_error(self) -> float:
        """Largest departure of kinetic and potential energy from what work explains, in units of the greatest of these.

        These are the kinetic energy, and the changes of potential energy and of work since the start. The departure measures
        the integration: with exact integration it is rounding. Potential energy is computed from the description itself.
        """
        kinetic, potential, work = (
            values - values[:1] for values in (self.kinetic, self.potential, self.work)
        )
        scale = max(float(np.max(np.abs(values))) for values in (self.kinetic, potential, work))
        return float(np.max(np.abs(kinetic + potential - work))) / scale if scale else 0.0

    def to_csv(self) -> str:
        """The states as CSV with columns t, q1, ..., qd1, ...; numbers read back as they are.

        Raises:
            ValueError: there are several motions.
        """
        if self.q.ndim != 2:
            raise ValueError("several motions at once are not one table: take them one by one")
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(
            [
                "t",
                *(
                    f"{name}{k + 1}"
                    for name, of in (("q", self.q), ("qd", self.qd))
                    for k in range(of.shape[1])
                ),
            ]
        )
        writer.writerows(
            [repr(float(value)) for value in row]
            for row in np.column_stack([self.t, self.q, self.qd])
        )
        return text.getvalue()


if TYPE_CHECKING:
    from typing_extensions import Unpack

Told = Callable[[float], None]


def simulate(
    robot: AnyRobot | Plant,
    *,
    q0: ArrayLike,
    time: float,
    qd0: ArrayLike | None = None,
    torques: Torques | Sampled = no_torques,
    method: str = METHODS[0],
    rtol: float = 1e-8,
    atol: float | None = None,
    step: float | None = None,
    every: float = 0.01,
    parameters: Mapping[str, float] | None = None,
    wrench: ArrayLike | None = None,
    friction: bool = True,
    stop_at_limits: bool = False,
    told: Told | None = None,
    **options: Unpack[ReadingKeywords],
) -> Motion:
    """Simulate the motion of a robot.

    Args:
        robot: a description, or what `load_robot` takes; or a Plant (`simulation.plant.plant_of`), so that many simulations
            compile and prove one robot once. A plant has its parameters, wrench and friction, and giving them here is refused.
        q0: positions at t = 0 in rad or m, shape (nq,); several starts, (..., nq), with the methods of fixed steps.
        time: how long, s.
        qd0: rates at t = 0, shape (n,), or several; None: at rest.
        torques: what drives the joints, `(t, q, qd) -> tau`: a function, a `Table`, a controller, or a controller that acts
            once in a period (`Sampled`); see `dynagen.apps.simulation.torques`. Left out: nothing.
        method: DOP853, RK45 or Radau (stiff friction), with error control; RK4 or euler (semi-implicit), with steps of equal
            length.
        rtol: the error of a step that is allowed, relative to the state.
        atol: the same, absolute; a hundredth of rtol if left out.
        step: length of a step, s; with error control the longest. Left out: no limit, and `every` with fixed steps.
        every: between the states that are returned, s.
        parameters: values of run-time parameters by name, a payload's among them; the others keep their defaults.
        wrench: force (N) and moment (N m) on the robot at each of the k frames that it takes them at, shape (6 k,).
        friction: whether the friction that the description gives acts. Dry friction (sign: exact) sticks and breaks away.
        stop_at_limits: whether the motion ends where a joint passes a limit of its position; else passages are only told.
        told: called with the time that is reached, now and then.
        options: as of `load_robot`.

    Returns:
        The motion; `stopped` says so if the mass matrix became singular, or a limit ended it.

    Raises:
        UsageError: bad input, or scipy is missing.
        DynagenError: the robot has no forward dynamics, or as `compile`.
    """
    refuse_if(
        isinstance(robot, Plant)
        and not (parameters is None and wrench is None and friction and not options),
        "a plant has its parameters, wrench, friction and options: give them to plant_of",
    )
    if not isinstance(robot, Plant):
        robot = as_description(robot, reading_options(**options))
    start = start_of(robot.robot if isinstance(robot, Plant) else robot, q0, qd0, method)
    refuse_if(not 0 < time < np.inf, f"time: expected seconds above zero, found {time}")
    refuse_if(
        not 0 < every <= time,
        f"every: expected seconds above zero, at most {time:g}, found {every}",
    )
    refuse_if(
        step is not None and not 0 < step <= time,
        f"step: expected seconds above zero, at most {time:g}, found {step}",
    )
    refuse_if(not 0 < rtol < 1, f"rtol: expected a number between 0 and 1, found {rtol}")
    if method in METHODS:
        require_extra(
            "scipy", "simulate", "to integrate with error control (RK4 and euler do without)"
        )
    plant = robot if isinstance(robot, Plant) else plant_of(robot, parameters, wrench, friction)
    refuse_if(
        method in FIXED_STEPS and bool(plant.dry.any()),
        f"{method} steps over the moments where dry friction (sign: exact) stops a joint: take {METHODS[0]}, or sign: tanh",
    )
    _refuse_unfit(torques, start)
    times = np.append(np.arange(0.0, time * (1 - 1e-12), every), time)
    follow = _Recording(plant, times, start, stop_at_limits, told or (lambda time: None))
    if method in FIXED_STEPS:
        return follow.fixed_steps(method, torques, step or every)
    tolerances = Tolerances(rtol, rtol / 100 if atol is None else atol, step or np.inf)
    return follow.adaptive(method, torques, tolerances)


def _refuse_unfit(torques: Torques | Sampled, start: tuple[Array, Array]) -> None:
    """Refuse what is no function of time and state, or gives torques of another number of joints."""
    law = torques.law if isinstance(torques, Sampled) else torques
    refuse_if(
        not callable(law),
        f"torques: expected a function (t, q, qd) -> tau, found {law!r}; read_table reads a file",
    )
    try:
        tau = law(0.0, *start)
        found = np.shape(tau)
        np.broadcast_shapes(found, start[1].shape)
    except ValueError as error:
        raise UsageError(
            f"torques: they do not fit {start[1].shape[-1]} joints: {error}"
        ) from error
    refuse_if(
        found != start[1].shape,
        f"torques: expected an array of shape {start[1].shape}, found {found}",
    )
    refuse_if(not np.isfinite(tau).all(), f"torques: expected finite numbers, found {tau} at t = 0")


def start_of(
    robot: RobotDescription, q0: ArrayLike, qd0: ArrayLike | None, method: str
) -> tuple[Array, Array]:
    """Positions, shape (..., nq), and rates, shape (..., n), at the start.

    Raises:
        UsageError: they do not fit the robot or the method.
    """
    refuse_if(
        method not in (*METHODS, *FIXED_STEPS),
        f"there is no method `{method}`: there are {', '.join((*METHODS, *FIXED_STEPS))}",
    )
    q = np.asarray(q0, dtype=float)
    joints = [link.joint for link in robot.links]
    nq, nv = sum(joint.nq for joint in joints), sum(joint.nv for joint in joints)
    qd = np.zeros((*q.shape[:-1], nv)) if qd0 is None else np.asarray(qd0, dtype=float)
    for name, values, count in (("q0", q, nq), ("qd0", qd, nv)):
        layout = " (position, quaternion x y z w, joints)" if nq > nv and name == "q0" else ""
        found = values.shape[-1] if values.ndim else "one"
        refuse_if(found != count, f"{name}: expected {count} numbers{layout}, found {found}")
        refuse_if(not np.isfinite(values).all(), f"{name}: expected finite numbers")
    starts = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1])
    q, qd = (np.array(np.broadcast_to(each, (*starts, each.shape[-1]))) for each in (q, qd))
    if nq > nv:
        length = np.linalg.norm(q[..., 3:7], axis=-1, keepdims=True)
        refuse_if(
            not np.allclose(length, 1, atol=1e-6),
            "q0: the quaternion (x, y, z, w) of the floating base has not the length 1",
        )
        q[..., 3:7] /= length
    refuse_if(
        q.ndim > 1 and method in METHODS,
        f"{method} takes one start; several at once are for {' and '.join(FIXED_STEPS)}",
    )
    return q, qd


class _Recording:
    """Fills in the states that are returned, while one of the integrators goes on."""

    def __init__(
        self, plant: Plant, times: Array, start: tuple[Array, Array], stop: bool, told: Told
    ) -> None:
        self._plant, self._times, self._start, self._stop, self._told = (
            plant,
            times,
            start,
            stop,
            told,
        )
        self._rows: list[tuple[float, Array, Array, Array, Any]] = []
        self._passages: dict[tuple[int, float], Passage] = {}
        limits = [
            (link.joint.idx_q, link.limits.position)
            for link in plant.robot.links
            if link.limits and link.joint.nv
        ]
        self._limits = [
            (joint, float(ends[0]), float(ends[1])) for joint, ends in limits if ends is not None
        ]

    def adaptive(self, method: str, torques: Torques | Sampled, tolerances: Tolerances) -> Motion:
        """Integrate with error control."""
        n, steps, stopped = self._plant.positions, 0, ""
        try:
            for stretch in stretches(
                self._plant,
                np.concatenate(self._start),
                torques,
                float(self._times[-1]),
                method,
                tolerances,
            ):
                steps += stretch.steps
                end, reason = self._passed(stretch.state, stretch.start, stretch.end)
                last = end if reason else stretch.end
                for t in self._due(last):
                    y = stretch.state(t)
                    self._rows.append((t, y[:n], y[n:-1], stretch.tau(t, y[:n], y[n:-1]), y[-1]))
                self._told(last)
                if reason:
                    stopped = reason
                    break
        except StoppedError as reason_found:
            stopped = str(reason_found)
            self._rows = self._rows or [
                (0.0, *self._start, self._start[1] * np.nan, 0.0)
            ]  # torques are no part of the state
        return self._motion(steps, stopped)

    def fixed_steps(self, method: str, torques: Torques | Sampled, step: float) -> Motion:
        """Integrate with equal steps; between two states that are returned there is a whole number of them."""
        advance = FIXED_STEPS[method]
        (q, qd), steps, stopped = self._start, 0, ""
        state = q, qd, np.zeros(q.shape[:-1])
        sample, held, law = (
            0,
            np.zeros_like(qd),
            torques.law if isinstance(torques, Sampled) else torques,
        )

        def holding(t: float, q: Array, qd: Array) -> Array:
            return held

        for t, until in zip(self._times, [*self._times[1:], None], strict=True):
            drive = holding if isinstance(torques, Sampled) else law
            count = 1 if until is None else max(1, int(np.ceil((until - t) / step - 1e-9)))
            h = 0.0 if until is None else (until - t) / count
            for number in range(count):
                now = t + number * h
                if (
                    isinstance(torques, Sampled)
                    and now >= sample * torques.period - 1e-9 * torques.period
                ):
                    held, sample = np.array(law(now, state[0], state[1])), sample + 1
                if number == 0:
                    self._rows.append(
                        (float(t), state[0], state[1], drive(now, state[0], state[1]), state[2])
                    )
                if until is not None:
                    state = advance(self._plant, drive, now, h, state)
                    steps += 1
            if not all(np.isfinite(each).all() for each in state):
                stopped = f"the motion or its torques leave all bounds between {t:.6g} s and {until:.6g} s: try shorter steps"
                break
            self._told(float(t))
        return self._motion(steps, stopped)

    def _due(self, end: float) -> list[float]:
        """The times up to one at which a state is returned, and has not been."""
        begun = len(self._rows)
        count = int(np.searchsorted(self._times, end, side="right"))
        return [float(t) for t in self._times[begun:count]]

    def _passed(
        self, state: Callable[[float], Array], begun: float, end: float
    ) -> tuple[float, str]:
        """Note joints that pass a limit within a step; the first time and what it was, if that ends the motion."""
        from scipy.optimize import brentq

        first, reason = end, ""
        q0, q1 = state(begun), state(end)
        for joint, low, high in self._limits:
            for limit, sense in ((low, -1.0), (high, 1.0)):
                if (
                    sense * (q0[joint] - limit) <= 0 < sense * (q1[joint] - limit)
                    and (joint, limit) not in self._passages
                ):
                    at = brentq(
                        lambda t, joint=joint, limit=limit: state(t)[joint] - limit, begun, end
                    )
                    self._passages[joint, limit] = passage = Passage(at, joint, limit)
                    if self._stop and at <= first:
                        first, reason = at, str(passage)
        return first, reason

    def _notes(self) -> tuple[str, ...]:
        """Whether the robot is no physical one where it starts."""
        first = self._start[0].reshape(-1, self._plant.positions)[0]
        joint, pivot = self._plant.smallest_pivot(first)
        if pivot > 0:
            return ()
        pivot_of = f"the pivot of joint {joint + 1} is {pivot:.2g} of its diagonal entry"
        return (f"the mass matrix is not positive definite at the start: {pivot_of}",)

    def _motion(self, steps: int, stopped: str) -> Motion:
        t, q, qd, tau, work = (np.array(column) for column in zip(*self._rows, strict=True))
        plant = self._plant
        return Motion(
            plant.robot.name,
            t,
            q,
            qd,
            np.broadcast_to(tau, qd.shape),
            plant.kinetic_energy(q, qd),
            plant.potential_energy(q),
            work,
            plant.tool_position(q),
            steps,
            tuple(sorted(self._passages.values(), key=lambda passage: passage.time)),
            self._notes(),
            stopped,
        )
