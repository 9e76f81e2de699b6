"""`dynagen convert ROBOT -o FILE`: convert a description, read the result and compare it."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from dynagen.cli.commands import command
from dynagen.cli.options import load_and_warn, reading, robot_argument
from dynagen.cli.output import OUTPUT_FILE, force_option, refuse_existing, write_whole
from dynagen.errors import VerificationError
from dynagen.options import OUTPUT, format_options
from dynagen.report.console import make_console
from dynagen.robot.description import RobotDescription
from dynagen.robot.formats.placements import WrittenRobot
from dynagen.robot.loading import parse_robot, write_robot
from dynagen.robot.options import ReadingOptions
from dynagen.verification.robot_difference import compute_largest_difference

_WITHIN = 1e-12  # largest difference of joint forces, relative to the largest force


@command(
    "dynagen convert arm.urdf -o arm.yaml",
    "dynagen convert ur5 -o forearm.urdf --root upper_arm --tip wrist_1",
)
@robot_argument
@click.option(
    "-o",
    "--out",
    type=OUTPUT_FILE,
    panel=OUTPUT,
    required=True,
    help="File to write; its suffix (.yaml or .urdf) selects the syntax.",
)
@force_option
@reading
def convert(robot: str, out: Path, force: bool, reading: ReadingOptions) -> None:
    """Convert the description of ROBOT, or of a part of it, to another syntax.

    Before the file is written, the result is read again, and its joint forces are compared with the
    joint forces of ROBOT.
    """
    refuse_existing(out, "--out", force)
    description = load_and_warn(robot, reading)
    written = write_robot(description, out)
    difference = _compare(description, written, out)
    write_whole(out, _add_origin(written.text, description), "--out", replace=force)
    console = make_console()
    for note in _notes(description, out):
        console.print(f"note: {note}", markup=False)
    console.print(
        f"Written to {out}; the joint forces of the file that is read again differ by "
        f"{difference:.1e}",
        markup=False,
        soft_wrap=True,
    )


def _compare(description: RobotDescription, written: WrittenRobot, out: Path) -> float:
    """Return the largest difference of joint forces between the converted and the original robot.

    The difference is relative to the largest joint force.

    Raises:
        VerificationError: the difference is larger than rounding errors.
    """
    read = parse_robot(
        written.text, str(out), ReadingOptions(snapping=description.reading.snapping)
    )
    places = {
        link.joint_name: range(link.joint.idx_v, link.joint.idx_v + link.joint.nv)
        for link in read.links
        if link.joint.moves
    }
    # Links of the file may be in another order; joints are matched by the names in the file.
    moving = (link for link in description.links if link.joint.moves)
    own = [joint for joint, link in zip(written.joints, moving, strict=True) if link.joint.nv]
    difference = compute_largest_difference(
        description, read, [entry for joint in own for entry in places[joint]]
    )
    if difference > _WITHIN:
        raise VerificationError(
            f"{out}: the robot that is read back from the converted text differs (joint forces "
            f"differ by {difference:.1e} of the largest); nothing is written. This is a bug in "
            "dynagen: please report it with "
            "the description"
        )
    return difference


def _add_origin(text: str, description: RobotDescription) -> str:
    """Add a comment to the text of a converted description.

    The comment contains the name of the original file and the options of reading.
    """
    words = format_options(description.reading.changes)
    line = f"Written by dynagen convert from {Path(description.path).name}" + (
        f" with {words}" if words else ""
    )
    if text.startswith("<"):
        head, rest = text.split("\n", 1)
        return f"{head}\n<!-- {line.replace('--', '- -')} -->\n{rest}"
    return f"# {line}\n{text}"


def _notes(description: RobotDescription, out: Path) -> list[str]:
    """Return notes on properties of the robot that the output format cannot express."""
    if out.suffix in (".yaml", ".yml"):
        return []
    gravity = " ".join(f"{float(component):g}" for component in description.gravity)
    return [
        "URDF files do not contain gravity: set it in each program that reads the file; the "
        "gravity "
        f"of this robot is {gravity} m/s^2 in the base frame"
    ]
