"""`dynagen.simulate`: the motion of a robot from an initial state, under given torques."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from dynagen.apps.simulation.integration import (
    FIXED_STEPS,
    METHODS,
    SolverTolerances,
    StoppedError,
    integrate_stretches,
)
from dynagen.apps.simulation.plant import plant_of
from dynagen.apps.simulation.rigid_plant import Plant
from dynagen.apps.simulation.start import compute_start
from dynagen.apps.simulation.torques import Sampled, Torques, return_zero_torques
from dynagen.errors import UsageError, refuse_if
from dynagen.numbers.arrays import Array
from dynagen.resources import require_extra
from dynagen.robot.options import ReadingKeywords, make_reading_options
from dynagen.runtime.api import AnyRobot, as_description

MOST_STATES = 10_000_000
"""Largest number of returned states; all are kept in memory."""
# A motion that needs more steps would take hours. It is judged from a thousand steps at a time.
_MOST_STEPS, _JUDGED = 10_000_000, 1000


@dataclass(frozen=True)
class Passage:
    """Event in a simulated motion: a joint passes a position limit.

    Attributes:
        time: time at which the limit is passed, in s.
        joint: index in q of the joint's position, from 0.
        limit: position of the limit in rad or m.
    """

    time: float
    joint: int
    limit: float

    def __str__(self) -> str:
        return f"q{self.joint + 1} passes its limit {self.limit:.6g} at {self.time:.6g} s"


@dataclass(frozen=True, repr=False)
class Motion:
    """Simulated motion of a robot with n velocities and nq positions.

    Motions from several starts have further axes (...) after the time axis.

    Attributes:
        robot: name of the robot.
        t: times in s, shape (times,).
        q: positions, shape (times, ..., nq), rad or m.
        qd: velocities, shape (times, ..., n), rad/s or m/s.
        tau: joint forces of the drive, shape (times, ..., n), N m or N.
        kinetic, potential: energies in J, shape (times, ...).
        work: work of torques, friction and external forces since the start in J, shape (times,
            ...).
        tool: position of the tool's origin in the base frame in m, shape (times, ..., 3).
        theta, thetad: positions and velocities of the motors of m elastic joints, shape (times,
            ..., m). Division by the gear ratios makes them comparable with q and qd.
        steps: number of integration steps.
        passages: events in which joints pass their position limits.
        notes: remarks on the motion for the user.
        stopped: reason for an early end; empty for a complete motion.
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
    theta: Array
    thetad: Array
    steps: int
    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()
    stopped: str = ""

    def __repr__(self) -> str:
        """Return one line with the robot, the duration and the number of states."""
        several = f", {self.q[0].size // self.q.shape[-1]} motions" if self.q.ndim > 2 else ""
        return (
            f"<Motion of {self.robot}: {self.t[-1]:g} s at {len(self.t)} times{several}, "
            f"{self.steps} steps>"
        )

    @property
    def stopped_at_limit(self) -> bool:
        """Whether the motion ended early because a joint passed a position limit."""
        return self.stopped in map(str, self.passages)

    @property
    def energy_error(self) -> float:
        """Largest error of the energy balance, divided by the largest term of the balance.

        The energy balance is kinetic + potential energy = initial energy + work. With exact
        integration, only rounding errors remain. The potential energy is computed from the
        description, so the balance also checks the generated code.
        """
        kinetic, potential, work = (
            values - values[:1] for values in (self.kinetic, self.potential, self.work)
        )
        scale = max(float(np.max(np.abs(values))) for values in (self.kinetic, potential, work))
        return float(np.max(np.abs(kinetic + potential - work))) / scale if scale else 0.0

    def to_csv(self) -> str:
        """Return the motion as CSV with the columns t, q1, ..., qd1, ..., tau1, ... in SI units.

        Columns theta1, ..., thetad1, ... follow for the motors of elastic joints. Numbers have all
        digits.

        Raises:
            ValueError: the motion has several starts.
        """
        if self.q.ndim != 2:
            raise ValueError(
                "expected a motion with one start, found several starts: write the "
                "motions one by one"
            )
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        columns = {
            "q": self.q,
            "qd": self.qd,
            "tau": self.tau,
            "theta": self.theta,
            "thetad": self.thetad,
        }
        names = [
            f"{name}{number + 1}"
            for name, values in columns.items()
            for number in range(values.shape[1])
        ]
        writer.writerow(["t", *names])
        writer.writerows(
            [repr(float(value)) for value in row]
            for row in np.column_stack([self.t, *columns.values()])
        )
        return text.getvalue()


if TYPE_CHECKING:
    from typing_extensions import Unpack

TimeProgress = Callable[[float], None]
"""Function that is called with the simulated time in s."""


def simulate(
    robot: AnyRobot | Plant,
    *,
    q0: ArrayLike | None = None,
    time: float = 2.0,
    qd0: ArrayLike | None = None,
    torques: Torques | Sampled = return_zero_torques,
    method: str = METHODS[0],
    rtol: float = 1e-8,
    atol: float | None = None,
    step: float | None = None,
    every: float = 0.01,
    parameters: Mapping[str, float] | None = None,
    wrench: ArrayLike | None = None,
    friction: bool = True,
    force: ArrayLike | None = None,
    stop_at_limits: bool = False,
    progress: TimeProgress | None = None,
    **options: Unpack[ReadingKeywords],
) -> Motion:
    """Simulate the motion of a robot from an initial state, under given torques.

    Args:
        robot: path of a file, name of a bundled robot, or a `RobotDescription`; or a Plant
            (`simulation.plant.plant_of`), with which many simulations share the compiled functions.
            Parameters, external forces and friction are part of a plant, and must not be passed in
            addition.
        q0: the nq positions at t = 0 in rad or m, shape (nq,); methods with fixed steps permit
            several starts, shape (..., nq). None: zero, or the middle of a joint's limits if the
            limits exclude zero.
        time: duration, s.
        qd0: the n velocities at t = 0 in rad/s or m/s, shape (n,) or (..., n); None: zero.
        torques: joint forces: a function `(t, q, qd) -> tau` with the time t in s and tau of shape
            (n,) in N m or N, or a table or controller of `dynagen.apps.simulation.torques`.
        method: DOP853, RK45 or Radau (stiff friction), with error control; RK4 or euler
            (semi-implicit), with fixed steps.
        rtol: permitted error of a step, relative to the state.
        atol: permitted absolute error of a step in rad, m, rad/s and m/s; None: rtol / 100.
        step: step length in s for fixed steps (None: `every`), or the longest step with error
            control (None: no bound).
        every: time between returned states, s.
        parameters: values of run-time parameters by name, including the parameters of a payload;
            other parameters keep their defaults.
        wrench: force (N) and moment (N m) at the origin of each of the k frames of external
            wrenches, in the frame's axes, shape (6 k,); None for zero.
        force: force (N) in base axes at the origin of each of the m frames of contact forces, shape
            (3 m,); None for zero.
        friction: whether the described friction is simulated. With dry friction (sign: exact),
            joints stick and break away.
        stop_at_limits: True to end the motion if a joint passes a position limit. Passages are
            recorded in any case.
        progress: function that is called repeatedly with the simulated time in s.
        options: options for reading the robot, as for `dynagen.load_robot`.

    Returns:
        The motion. If the motion ended early, its attribute `stopped` contains the reason.

    Raises:
        UsageError: invalid input, or scipy is not installed.
        DynagenError: the robot has no forward dynamics, or its functions cannot be compiled.
    """
    refuse_if(
        isinstance(robot, Plant)
        and not (
            parameters is None and wrench is None and force is None and friction and not options
        ),
        "expected no parameters, wrench, force, friction or options next to a Plant: pass them "
        "to plant_of",
    )
    if not isinstance(robot, Plant):
        robot = as_description(robot, make_reading_options(**options))
    start = compute_start(robot.robot if isinstance(robot, Plant) else robot, q0, qd0, method)
    refuse_if(not 0 < time < np.inf, f"time: expected seconds above zero, found {time}")
    refuse_if(
        not 0 < every <= time,
        f"every: expected seconds above zero, at most {time:g}, found {every}",
    )
    refuse_if(
        time / every > MOST_STATES,
        f"every: {every:g} s returns {time / every:.3g} states, at most {MOST_STATES:.0e} are "
        f"kept: expected at least {time / MOST_STATES:.3g} s",
    )
    refuse_if(
        step is not None and not 0 < step <= time,
        f"step: expected seconds above zero, at most {time:g}, found {step}",
    )
    refuse_if(not 0 < rtol < 1, f"rtol: expected a number between 0 and 1, found {rtol}")
    if method in METHODS:
        require_extra(
            "scipy", "simulate", "to integrate with error control (not needed for RK4 and euler)"
        )
    plant = (
        robot if isinstance(robot, Plant) else plant_of(robot, parameters, wrench, friction, force)
    )
    refuse_if(
        method in FIXED_STEPS and bool(plant.dry_coordinates.any()),
        f"{method} does not find the times at which dry friction (sign: exact) stops a joint: "
        f"use {METHODS[0]}, or sign: tanh",
    )
    _refuse_unfit(torques, start)
    start = plant.add_motors(*start)
    torques = (
        replace(torques, law=plant.drive_motors(torques.law))
        if isinstance(torques, Sampled)
        else plant.drive_motors(torques)
    )
    times = np.append(np.arange(0.0, time * (1 - 1e-12), every), time)
    recording = _Recording(plant, times, start, stop_at_limits, progress or (lambda time: None))
    if method in FIXED_STEPS:
        return recording.integrate_fixed(method, torques, step or every)
    tolerances = SolverTolerances(rtol, rtol / 100 if atol is None else atol, step or np.inf)
    return recording.integrate_adaptive(method, torques, tolerances)


def _refuse_unfit(torques: Torques | Sampled, start: tuple[Array, Array]) -> None:
    """Check that `torques` is a function whose result has one entry per joint."""
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
            f"torques: the function fails for {start[1].shape[-1]} joints: {error}"
        ) from error
    refuse_if(
        found != start[1].shape,
        f"torques: expected an array of shape {start[1].shape}, found {found}",
    )
    refuse_if(not np.isfinite(tau).all(), f"torques: expected finite numbers, found {tau} at t = 0")


class _Recording:
    """Integrator of one motion, which records the states at the requested times."""

    def __init__(
        self,
        plant: Plant,
        times: Array,
        start: tuple[Array, Array],
        stop: bool,
        progress: TimeProgress,
    ) -> None:
        self._plant, self._times, self._start = plant, times, start
        self._stop, self._progress = stop, progress
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

    def integrate_adaptive(
        self, method: str, torques: Torques | Sampled, tolerances: SolverTolerances
    ) -> Motion:
        """Integrate the motion with error control, and return the states at the requested times."""
        n, steps, stopped, judged = self._plant.positions, 0, "", 0.0
        try:
            for stretch in integrate_stretches(
                self._plant,
                np.concatenate(self._start),
                torques,
                float(self._times[-1]),
                method,
                tolerances,
            ):
                steps += stretch.steps
                end, reason = self._record_passages(stretch.state, stretch.start, stretch.end)
                last = end if reason else stretch.end
                for t in self._list_due_times(last):
                    y = stretch.state(t)
                    self._rows.append((t, y[:n], y[n:-1], stretch.tau(t, y[:n], y[n:-1]), y[-1]))
                self._progress(last)
                if not reason and steps % _JUDGED == 0:
                    reason, judged = self._judge_steps(last - judged, last), last
                if reason:
                    stopped = reason
                    break
        except StoppedError as error:
            stopped = str(error)
            # Before the first state is returned only the start is known, without its torques.
            self._rows = self._rows or [(0.0, *self._start, self._start[1] * np.nan, 0.0)]
        return self._motion(steps, stopped)

    def _judge_steps(self, advanced: float, now: float) -> str:
        """Return the reason to end the motion if the steps are too short, else an empty text.

        The last thousand steps took `advanced` seconds of the motion, up to the time `now` (s).
        """
        step, left = advanced / _JUDGED, float(self._times[-1]) - now
        if left <= _MOST_STEPS * step:
            return ""
        return (
            f"the motion is too fast for its duration: it would require {left / step:.1g} more "
            f"steps of {step:.1g} s. Check the velocities (rad/s), or simulate a shorter time"
        )

    def integrate_fixed(self, method: str, torques: Torques | Sampled, step: float) -> Motion:
        """Integrate the motion with fixed steps, and return the states at the requested times.

        The steps between two requested times have equal lengths of at most `step` (s).
        """
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
            # The last returned time has no step after it: one round with h = 0 records it.
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
            if not all(np.isfinite(part).all() for part in state):
                stopped = (
                    f"the motion or the torques diverge between {t:.6g} s and {until:.6g} s: "
                    "use shorter steps"
                )
                break
            self._progress(float(t))
        return self._motion(steps, stopped)

    def _list_due_times(self, end: float) -> list[float]:
        """Return the requested times up to `end` for which no state is recorded yet."""
        begun = len(self._rows)
        count = int(np.searchsorted(self._times, end, side="right"))
        return [float(t) for t in self._times[begun:count]]

    def _record_passages(
        self, state: Callable[[float], Array], begun: float, end: float
    ) -> tuple[float, str]:
        """Record the joints that pass a position limit within a step.

        If a limit ends the motion, time (s) and reason are returned, else `end` and an empty text.
        """
        from scipy.optimize import brentq

        first, reason = end, ""
        # Only the first passage of a limit is recorded, and only in the outward direction.
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
        """Return a tuple with a note if the mass matrix is not positive definite at the start."""
        first = self._start[0].reshape(-1, self._plant.positions)[0]
        joint, pivot = self._plant.compute_smallest_pivot(first)
        if pivot > 0:
            return ()
        return (
            "the mass matrix is not positive definite at the start, so that the motion is not "
            f"that of a physical robot: the pivot of joint {joint + 1} is {pivot:.2g} of its "
            "diagonal entry. `dynagen check` reports which link is not physical",
        )

    def _motion(self, steps: int, stopped: str) -> Motion:
        """Return the recorded motion, with energies and tool positions of all states."""
        t, q, qd, tau, work = (np.array(column) for column in zip(*self._rows, strict=True))
        plant = self._plant
        nq, n = plant.positions - plant.motors, plant.count - plant.motors
        return Motion(
            plant.robot.name,
            t,
            q[..., :nq],
            qd[..., :n],
            plant.take_joint_forces(np.broadcast_to(tau, qd.shape)),
            plant.compute_kinetic_energy(q, qd),
            plant.compute_potential_energy(q),
            work,
            plant.compute_tool_position(q),
            q[..., nq:],
            qd[..., n:],
            steps,
            tuple(sorted(self._passages.values(), key=lambda passage: passage.time)),
            self._notes(),
            stopped,
        )
