"""`dynagen simulate ROBOT`: motion in free fall, under given torques, or with a controller."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rich_click as click

from dynagen.apps.simulation.figure import EXTRA, draw_motion
from dynagen.apps.simulation.integration import FIXED_STEPS, METHODS
from dynagen.apps.simulation.plant import plant_of
from dynagen.apps.simulation.simulation import Motion
from dynagen.apps.simulation.simulation import simulate as run
from dynagen.apps.simulation.start import compute_start
from dynagen.apps.simulation.torques import (
    Sampled,
    Torques,
    Trajectory,
    TwoRate,
    computed_torque,
    follow,
    hold,
    pd_plus_gravity,
    read_table,
    return_zero_torques,
)
from dynagen.cli.commands import command
from dynagen.cli.options import (
    load_and_warn,
    parse_number,
    parse_numbers,
    parse_pairs,
    reading,
    robot_argument,
)
from dynagen.cli.output import (
    OUTPUT_FILE,
    report_files,
    report_form,
    show_progress,
    suggest_command,
    write_bytes,
    write_whole,
)
from dynagen.errors import SimulationError, UsageError
from dynagen.options import OUTPUT
from dynagen.report.console import make_console
from dynagen.report.drawing import FORMATS, require_drawing
from dynagen.robot.description import RobotDescription
from dynagen.robot.loading import load_robot
from dynagen.robot.options import ReadingOptions

_CONTROLLERS = {
    "computed-torque": "tau = M (qdd + kd e' + kp e) + C qd + g for the position error e, kd in "
    "1/s and kp in 1/s^2",
    "pd-gravity": "tau = kp e + kd e' + g for the position error e, kp in N m/rad and kd in N m "
    "s/rad",
    "two-rate": "computed torque with M and C qd + g updated once per --background period",
}


@command(
    "dynagen simulate planar3 -o motion.csv --figure fall.svg",
    "dynagen simulate ur5 --q0 0,-pi/2,0,0,0,0 --time 1 --figure fall.svg",
    renamed={"--csv": "--out"},
)
@robot_argument
@click.option(
    "--q0",
    panel="Motion",
    metavar="NUMBERS",
    help="Positions at the start, rad or m; for example 0,pi/2,deg(30),0,0,0. [default: zero, or "
    "the middle of the limits if they exclude zero]",
)
@click.option(
    "--qd0",
    panel="Motion",
    metavar="NUMBERS",
    help="Velocities at the start, rad/s or m/s. [default: zero]",
)
@click.option(
    "--time",
    "duration",
    panel="Motion",
    default=2.0,
    show_default=True,
    type=float,
    metavar="S",
    help="Duration, s.",
)
@click.option(
    "--torques",
    panel="Control",
    type=click.Path(path_type=Path, dir_okay=False),
    help="CSV with t, tau1, ...: torques over time, interpolated linearly between rows.",
)
@click.option(
    "--controller",
    panel="Control",
    type=click.Choice(list(_CONTROLLERS)),
    metavar="LAW",
    help="Control law. "
    + "; ".join(f"{name}: {meaning}" for name, meaning in _CONTROLLERS.items())
    + ".",
)
@click.option(
    "--target",
    panel="Control",
    metavar="NUMBERS",
    help="Constant target positions of the controller.",
)
@click.option(
    "--trajectory",
    panel="Control",
    type=click.Path(path_type=Path, dir_okay=False),
    help="CSV with t, q1, ...: positions that the controller follows, interpolated by a cubic "
    "spline.",
)
@click.option(
    "--kp",
    panel="Control",
    metavar="NUMBERS",
    help="Position gains of the controller, one for all joints or one per joint.",
)
@click.option(
    "--kd",
    panel="Control",
    metavar="NUMBERS",
    help="Velocity gains of the controller, one for all joints or one per joint.",
)
@click.option(
    "--model",
    panel="Control",
    metavar="ROBOT",
    help="Robot description that the controller uses as its model. [default: ROBOT]",
)
@click.option(
    "--period",
    panel="Control",
    type=float,
    metavar="S",
    help="Sampling period of the controller, s; torques are constant between samples. [default: "
    "continuous control]",
)
@click.option(
    "--background",
    panel="Control",
    type=float,
    default=0.02,
    show_default=True,
    metavar="S",
    help="Time between updates of M and C qd + g in the two-rate controller, s.",
)
@click.option(
    "--method",
    panel="Integration",
    default=METHODS[0],
    show_default=True,
    type=click.Choice([*METHODS, *FIXED_STEPS]),
    help="Integration method.",
)
@click.option(
    "--rtol",
    panel="Integration",
    default=1e-8,
    show_default=True,
    type=float,
    help="Permitted relative error of a step.",
)
@click.option(
    "--atol",
    panel="Integration",
    type=float,
    help="Permitted absolute error of a step. [default: rtol / 100]",
)
@click.option(
    "--step",
    panel="Integration",
    type=float,
    metavar="S",
    help="Step length of RK4 and euler, or longest step of the other methods, s.",
)
@click.option(
    "--every",
    panel=OUTPUT,
    default=0.01,
    show_default=True,
    type=float,
    metavar="S",
    help="Time between reported states, s.",
)
@click.option(
    "--parameter",
    "given",
    panel="Motion",
    multiple=True,
    metavar="NAME=VALUE",
    help="Value of a run-time parameter. May be repeated.",
)
@click.option(
    "--wrench",
    panel="Motion",
    metavar="NUMBERS",
    help="External wrench: force (N) and moment (N m) for each frame of external wrenches "
    "(--wrench-at).",
)
@click.option(
    "--force",
    panel="Motion",
    metavar="NUMBERS",
    help="Contact force (N) in base axes for each frame of --contact-force.",
)
@click.option(
    "--friction/--no-friction",
    panel="Motion",
    default=True,
    help="Simulate the described friction. [default: friction]",
)
@click.option(
    "--stop-at-limits",
    panel="Motion",
    is_flag=True,
    help="Stop when a joint passes a position limit.",
)
@click.option(
    "-o",
    "--out",
    "table",
    panel=OUTPUT,
    type=OUTPUT_FILE,
    help="CSV to write: t, q1, ..., qd1, ..., tau1, ...; with elastic joints also theta1, ..., "
    "thetad1, ...",
)
@click.option(
    "--figure",
    panel=OUTPUT,
    type=OUTPUT_FILE,
    help="Figure of positions, velocities, torques, energies and the tool's path "
    f"({', '.join(FORMATS)}).",
)
@report_form("text", "json", "none")
@reading
def simulate(
    robot: str,
    q0: str | None,
    qd0: str | None,
    duration: float,
    method: str,
    rtol: float,
    atol: float | None,
    step: float | None,
    every: float,
    given: tuple[str, ...],
    wrench: str | None,
    force: str | None,
    friction: bool,
    stop_at_limits: bool,
    table: Path | None,
    figure: Path | None,
    form: str,
    reading: ReadingOptions,
    **drive: Any,
) -> None:
    """Simulate ROBOT with its compiled forward dynamics, and check the energy balance.

    If the mass matrix becomes singular, the motion ends early. The states up to this time are
    written, and the exit status is 1.
    """
    if figure is not None:
        require_drawing(EXTRA, figure)
    description = load_and_warn(robot, reading)
    start = None if q0 is None else parse_numbers("--q0", q0)
    velocities = None if qd0 is None else parse_numbers("--qd0", qd0)
    parameters = {
        name: parse_number(f"--parameter {name}", text)
        for name, text in parse_pairs("--parameter", "NAME=VALUE", given).items()
    }
    count = compute_start(description, start, velocities, method)[1].size
    with show_progress() as progress:
        progress("compiling", None)
        law = _torques(count, description, _DriveOptions(**drive))
        plant = plant_of(
            description,
            parameters,
            None if wrench is None else parse_numbers("--wrench", wrench),
            friction,
            None if force is None else parse_numbers("--force", force),
        )
        motion = run(
            plant,
            q0=start,
            qd0=velocities,
            time=duration,
            torques=law,
            method=method,
            rtol=rtol,
            atol=atol,
            step=step,
            every=every,
            stop_at_limits=stop_at_limits,
            progress=lambda reached: progress("integrating", min(1.0, reached / duration)),
        )
        if table is not None:
            write_whole(table, motion.to_csv(), "--out")
        if figure is not None:
            write_bytes(figure, draw_motion(motion, description, figure), "--figure")
    _report(motion, form, table, figure)
    has_page = not any(link.joint.type.is_spherical for link in description.links)
    if table is not None and form == "text" and has_page:
        words = ("check", robot, "--html", "robot.html", "--motion", str(table))
        suggest_command(make_console(), "play it", *words, reading=reading)
    if motion.stopped and not motion.stopped_at_limit:
        raise SimulationError(motion.stopped)


@dataclass(frozen=True)
class _DriveOptions:
    """Command-line options for the torques: a table (`torques`) or a controller (all others)."""

    torques: Path | None
    controller: str | None
    target: str | None
    trajectory: Path | None
    kp: str | None
    kd: str | None
    model: str | None
    period: float | None
    background: float


def _torques(count: int, description: RobotDescription, drive: _DriveOptions) -> Torques | Sampled:
    """Return the source of torques that the options select, for `count` joints."""
    if drive.controller is None:
        for option in ("target", "trajectory", "kp", "kd", "model", "period"):
            if getattr(drive, option) is not None:
                raise UsageError(f"--{option} requires --controller: {', '.join(_CONTROLLERS)}")
        return (
            return_zero_torques
            if drive.torques is None
            else read_table(drive.torques, [f"tau{joint + 1}" for joint in range(count)])
        )
    if drive.torques is not None:
        raise UsageError("--torques and --controller exclude each other")
    if drive.kp is None or drive.kd is None:
        raise UsageError(f"--controller {drive.controller} requires gains: --kp and --kd")
    if turning := [link.name for link in description.links if link.joint.type.quaternion]:
        raise UsageError(
            f"--controller {drive.controller} subtracts joint positions, but the orientation of "
            f"{turning[0]} is a quaternion: use --torques, or a control law in Python "
            "(`simulate(robot, torques=...)`)"
        )
    kp, kd = _gains("--kp", drive.kp, count), _gains("--kd", drive.kd, count)
    known = description if drive.model is None else load_robot(drive.model)
    if (joints := sum(link.joint.nv for link in known.links)) != count:
        raise UsageError(
            f"--model {drive.model}: expected {count} joints, as {description.name} has, "
            f"found {joints}"
        )
    path = _trajectory(count, drive.target, drive.trajectory)
    if drive.period is None and drive.controller == "two-rate":
        raise UsageError("--controller two-rate requires --period")
    if drive.period is not None and not drive.period > 0:
        raise UsageError(f"--period: expected seconds above zero, found {drive.period}")
    law: Torques
    if drive.controller == "two-rate":
        law = TwoRate(known, path, kp, kd, drive.background)
    else:
        law = (computed_torque if drive.controller == "computed-torque" else pd_plus_gravity)(
            known, path, kp, kd
        )
    return law if drive.period is None else Sampled(law, drive.period)


def _gains(option: str, text: str, count: int) -> list[float]:
    """Parse the text of an option with gains: one for all joints, or one for each of `count`."""
    found = parse_numbers(option, text)
    if len(found) not in (1, count):
        raise UsageError(f"{option}: expected one number or {count}, found {len(found)}")
    return found * (count // len(found))


def _trajectory(count: int, target: str | None, path: Path | None) -> Trajectory:
    """Return the reference motion: constant positions `target`, or the columns of a CSV file."""
    if (target is None) == (path is None):
        raise UsageError("a controller requires either --target or --trajectory")
    if path is not None:
        return follow(read_table(path, [f"q{joint + 1}" for joint in range(count)]))
    position = parse_numbers("--target", target or "")
    if len(position) != count:
        raise UsageError(f"--target: expected {count} numbers, found {len(position)}")
    return hold(position)


def _report(motion: Motion, form: str, *written: Path | None) -> None:
    """Print the result of a simulation as text or JSON."""
    if form == "none":
        return
    states = {"q": motion.q, "qd": motion.qd}
    if motion.theta.shape[-1]:
        states |= {"theta": motion.theta, "thetad": motion.thetad}
    last = {"t": float(motion.t[-1]), **{name: row[-1].tolist() for name, row in states.items()}}
    if form == "json":
        report = {
            "robot": motion.robot,
            "steps": motion.steps,
            "last": last,
            "energy": {
                "kinetic": motion.kinetic[[0, -1]].tolist(),
                "potential": motion.potential[[0, -1]].tolist(),
                "work": float(motion.work[-1]),
                "relative_error": motion.energy_error,
            },
            "passages": [
                {"time": passage.time, "joint": passage.joint + 1, "limit": passage.limit}
                for passage in motion.passages
            ],
            "notes": list(motion.notes),
            "stopped": motion.stopped,
        }
        click.echo(json.dumps(report, indent=2))
        return
    console = make_console()
    console.print(f"{motion.robot}: {motion.t[-1]:g} s in {motion.steps} steps", markup=False)
    console.print(f"energy balance: relative error {motion.energy_error:.1e}", markup=False)
    for place in (0, -1):
        for name, rows in states.items():
            numbers = ", ".join(f"{value:.6g}" for value in rows[place])
            console.print(
                f"{name}({motion.t[place]:g} s) = {numbers}", markup=False, soft_wrap=True
            )
    for line in (*motion.passages, *motion.notes):
        console.print(f"note: {line}", markup=False, soft_wrap=True)
    if motion.passages and not motion.stopped_at_limit:
        console.print(
            "note: position limits exert no force in a simulation, so that joints can pass them; "
            "--stop-at-limits ends the motion at a limit",
            markup=False,
            soft_wrap=True,
        )
    report_files(console, *written)
