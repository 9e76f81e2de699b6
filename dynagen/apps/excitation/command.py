"""`dynagen excite ROBOT`: search of a motion for identification, within the robot's limits."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import rich_click as click

from dynagen.apps.excitation.excitation import Excitation
from dynagen.apps.excitation.excitation import excite as seek
from dynagen.apps.excitation.figure import EXTRA, draw_excitation
from dynagen.apps.excitation.limits import Box, Region, Sphere
from dynagen.apps.excitation.problem import MEASURES
from dynagen.apps.excitation.safe_limits import choose_safe_limits
from dynagen.apps.identification.regression import require_fixed_base
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
from dynagen.errors import UsageError, clip
from dynagen.options import OUTPUT
from dynagen.report.console import make_console, make_table
from dynagen.report.drawing import FORMATS, require_drawing
from dynagen.robot.options import ReadingOptions

_MOST_ROWS = 1_000_000  # of a written motion
_SHAPES = (
    "box:x,y,z,x,y,z (lower and upper corner, inf allowed) or sphere:x,y,z,radius, in m in "
    "the base frame"
)


@command(
    "dynagen excite ur5 -o motion.csv --floor 0.05",
    "dynagen excite ur5 -o motion.csv --limits acceleration=10 --figure motion.svg",
    renamed={"--plot": "--figure"},
)
@robot_argument
@click.option(
    "-o",
    "--out",
    panel=OUTPUT,
    required=True,
    type=OUTPUT_FILE,
    help="CSV to write: t, q1, ..., qd1, ..., qdd1.",
)
@click.option(
    "--time",
    "duration",
    panel="Motion",
    default=10.0,
    show_default=True,
    metavar="S",
    help="Duration of the motion (one period), s.",
)
@click.option(
    "--harmonics",
    panel="Motion",
    default=5,
    show_default=True,
    help="Number of terms of the Fourier series. The highest frequency is HARMONICS / TIME.",
)
@click.option(
    "--rate",
    panel="Motion",
    default=100.0,
    show_default=True,
    metavar="HZ",
    help="Rows per second of the CSV.",
)
@click.option(
    "--criterion",
    panel="Search",
    default="logdet",
    show_default=True,
    type=click.Choice(list(MEASURES)),
    help="Quantity to optimise. logdet maximises the determinant of the regressor's Gram matrix; "
    "condition minimises the condition number of the regressor.",
)
@click.option(
    "--limits",
    panel="Limits",
    multiple=True,
    metavar="QUANTITY=NUMBERS",
    help="Limits that replace those of the description, one for all joints or one per joint: "
    "position=-pi:pi, velocity=2,2,3, acceleration=10, effort=150. May be repeated.",
)
@click.option(
    "--fraction",
    panel="Limits",
    default=0.8,
    show_default=True,
    help="Fraction of all limits that the motion may use.",
)
@click.option(
    "--inside",
    panel="Limits",
    multiple=True,
    metavar="SHAPE",
    help=f"Region that points must stay inside: {_SHAPES}. May be repeated.",
)
@click.option(
    "--outside",
    panel="Limits",
    multiple=True,
    metavar="SHAPE",
    help="Region that points must stay outside, in the same form. May be repeated.",
)
@click.option(
    "--floor",
    panel="Limits",
    type=float,
    metavar="Z",
    help="Height in m that points must stay above; -inf removes the floor. [default: 0, if the "
    "robot stands above its base]",
)
@click.option(
    "--degrees",
    panel=OUTPUT,
    is_flag=True,
    help="Write angles in degrees, in columns q1_deg, qd1_deg_s, qdd1_deg_s2.",
)
@click.option(
    "--points",
    panel="Limits",
    metavar="NAMES",
    help="Points to check, as names of links (their origins) and of named frames. "
    "[default: all moving links and the tool]",
)
@click.option(
    "--clearance",
    panel="Limits",
    default=0.0,
    show_default=True,
    metavar="M",
    help="Smallest distance of the points from the borders of all regions and the floor, m.",
)
@click.option(
    "--starts",
    panel="Search",
    default=5,
    show_default=True,
    help="Number of random motions to search from.",
)
@click.option(
    "--iterations",
    panel="Search",
    default=100,
    show_default=True,
    help="Largest number of iterations per search.",
)
@click.option(
    "--seed", panel="Search", default=0, show_default=True, help="Seed of the random motions."
)
@click.option(
    "--figure",
    "plot",
    panel=OUTPUT,
    type=OUTPUT_FILE,
    help=f"Figure of the motion, its torques and the search ({', '.join(FORMATS)}).",
)
@report_form("text", "json", "none")
@reading
def excite(
    robot: str,
    out: Path,
    duration: float,
    harmonics: int,
    rate: float,
    criterion: str,
    limits: tuple[str, ...],
    fraction: float,
    inside: tuple[str, ...],
    outside: tuple[str, ...],
    floor: float | None,
    degrees: bool,
    points: str | None,
    clearance: float,
    starts: int,
    iterations: int,
    seed: int,
    plot: Path | None,
    form: str,
    reading: ReadingOptions,
) -> None:
    """Search a periodic motion of ROBOT for identification, within limits and at rest at both ends.

    The motion is a finite Fourier series, and is chosen so that a log of the motion determines the
    base parameters as well as possible. `dynagen identify` estimates the parameters from the
    recorded log.
    """
    if not rate > 0:
        raise UsageError(f"--rate: expected Hz above zero, found {rate:g}")
    if rate * duration > _MOST_ROWS:
        raise UsageError(
            f"--rate: expected at most {_MOST_ROWS / duration:g} Hz, which are {_MOST_ROWS} rows "
            f"in {duration:g} s, found {rate:g}"
        )
    if plot is not None:
        require_drawing(EXTRA, plot)
    description = load_and_warn(robot, reading)
    regions = [
        Region(_shape(option, text), option == "--inside")
        for option, texts in (("--inside", inside), ("--outside", outside))
        for text in texts
    ]
    given = {
        name: _limit(name, text)
        for name, text in parse_pairs("--limits", "QUANTITY=NUMBERS", limits).items()
    }
    require_fixed_base(description)
    safe = choose_safe_limits(description, given, floor, clearance)
    if safe.floor is not None:
        regions.append(
            Region(Box((-np.inf, -np.inf, safe.floor), (np.inf, np.inf, np.inf)), inside=True)
        )
    for note in safe.notes if form == "text" else ():
        click.echo(f"note: {note}", err=True)
    with show_progress() as progress:
        progress("compiling", None)
        excitation = seek(
            description,
            time=duration,
            harmonics=harmonics,
            criterion=criterion,
            limits=safe.limits,
            fraction=fraction,
            regions=regions,
            points=[name.strip() for name in points.split(",")] if points else (),
            clearance=clearance,
            starts=starts,
            iterations=iterations,
            seed=seed,
            progress=lambda done: progress("searching", done),
        )
    write_whole(out, excitation.to_csv(rate, degrees), "-o")
    if plot is not None:
        write_bytes(plot, draw_excitation(excitation, plot), "--figure")
    _report(excitation, form, fraction, out, plot)
    if form == "text":
        words = ("check", robot, "--html", "robot.html", "--motion", str(out))
        suggest_command(make_console(), "play it", *words, reading=reading)


def _limit(quantity: str, text: str) -> list[float] | list[list[float]]:
    """Parse the limits of one quantity for `excite`: numbers, or pairs low:high for positions."""
    option = f"--limits {quantity}"
    if quantity != "position":
        return parse_numbers(option, text)
    intervals = []
    for interval in text.split(","):
        ends = [parse_number(option, end) for end in interval.split(":")]
        if len(ends) != 2:
            raise UsageError(
                f"{option}: expected low:high, such as -pi/2:pi/2, found `{clip(interval)}`"
            )
        intervals.append(ends)
    return intervals


def _shape(option: str, text: str) -> Box | Sphere:
    """Parse the option text of a region, which is a box or a sphere."""
    kind, _, rest = text.partition(":")
    found = parse_numbers(option, rest) if rest else []
    if (kind, len(found)) == ("box", 6):
        (x, y, z), (far_x, far_y, far_z) = found[:3], found[3:]
        if x < far_x and y < far_y and z < far_z:
            return Box((x, y, z), (far_x, far_y, far_z))
        raise UsageError(
            f"{option}: expected the lower corner of the box first, found `{clip(text)}`"
        )
    if (kind, len(found)) == ("sphere", 4) and found[3] > 0 and np.isfinite(found).all():
        return Sphere((found[0], found[1], found[2]), found[3])
    raise UsageError(f"{option}: expected {_SHAPES}, found `{clip(text)}`")


def _report(excitation: Excitation, form: str, fraction: float, *written: Path | None) -> None:
    if form == "none":
        return
    used = {quantity: fraction * parts for quantity, parts in excitation.used.items()}
    if form == "json":
        report = {
            "robot": excitation.robot,
            "criterion": excitation.criterion,
            "log_determinant": excitation.log_determinant,
            "condition": excitation.condition,
            "used": {
                name: [float(f"{part:.6g}") for part in parts] for name, parts in used.items()
            },
            "clearance": excitation.clearance,
            "best": excitation.best,
            "searches": [search.measures.tolist() for search in excitation.searches],
        }
        click.echo(json.dumps(report, indent=2))
        return
    console = make_console()
    trajectory, best = excitation.trajectory, excitation.searches[excitation.best].measures[-1]
    harmonics = trajectory.cosines.shape[1]
    console.print(
        f"{excitation.robot}: {trajectory.period:g} s, "
        f"{harmonics} harmonics of {1 / trajectory.period:g} Hz",
        markup=False,
    )
    table = make_table(console, "Used fraction of each limit", "joint", *used)
    for joint, name in enumerate(excitation.moving.joints):
        table.add_row(clip(name), *(f"{parts[joint]:.0%}" for parts in used.values()))
    console.print(table)
    random = max(search.measures[0] for search in excitation.searches)
    console.print(
        f"condition number {excitation.condition:.4g}, log det / p "
        f"{excitation.log_determinant:.4g}; the search improved {excitation.criterion} from "
        f"{random:.4g} (best random motion) to {best:.4g}",
        markup=False,
        soft_wrap=True,
    )
    if excitation.clearance is not None:
        console.print(
            "smallest distance of a checked point from the floor, a box or a sphere: "
            f"{excitation.clearance:.3g} m",
            markup=False,
            soft_wrap=True,
        )
    report_files(console, *written)
