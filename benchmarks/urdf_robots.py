"""Test of the URDF reader on each URDF of the package example-robot-data.

    pip install example-robot-data pin
    python benchmarks/urdf_robots.py            # or with the path of any folder with URDFs
    python benchmarks/urdf_robots.py --quick    # no choice of formulations: a few minutes

For each robot, the program of inverse dynamics is evaluated on 20 random states. The results are
compared with Pinocchio's own reader and `rnea`: once with numbers as written (`--snap 0`), once
with rounded numbers snapped to exact ones. The last lines of the output are the numbers that
docs/urdf.md states.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from dynagen.apps.crosscheck.pinocchio import load_pinocchio
from dynagen.errors import DynagenError
from dynagen.ir.evaluation import evaluate
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.description import RobotDescription
from dynagen.robot.literals import Snapping
from dynagen.robot.loading import load_robot
from dynagen.robot.options import ReadingOptions
from dynagen.verification.sampling import sample_states

STATES = 20
_SHARE = "cmeel.prefix/share/example-robot-data/robots"


@dataclass(frozen=True)
class Outcome:
    """Result for the URDF of one robot.

    Attributes:
        name: name of the file without suffix.
        refused: reason why the file is not read; empty if it is read.
        joints: number of joint velocities.
        operations: operations of inverse dynamics with numbers snapped to exact ones.
        seconds: time to read the file, to generate its code and to compare the results (s).
        as_written, snapped: largest difference from Pinocchio, relative to the largest torque, with
            numbers as written and with snapped numbers.
    """

    name: str
    refused: str = ""
    joints: int = 0
    operations: int = 0
    seconds: float = 0.0
    as_written: float = 0.0
    snapped: float = 0.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        help="folder with URDFs [default: the package example-robot-data]",
    )
    parser.add_argument(
        "--quick", action="store_true", help="generate with --optimize none, which is faster"
    )
    arguments = parser.parse_args()
    folder = arguments.folder or installed()
    effort = "none" if arguments.quick else "default"
    outcomes = []
    for path in sorted(folder.rglob("*.urdf")):
        outcomes.append(outcome(path, effort))
        print(line(outcomes[-1]), flush=True)
    print("\n".join(summary(outcomes)))


def installed() -> Path:
    """Return the folder with the robots of example-robot-data; exit if this is not installed."""
    found = (Path(entry) / _SHARE for entry in sys.path)
    if folder := next((each for each in found if each.is_dir()), None):
        return folder
    sys.exit(
        "example-robot-data is not installed: pip install example-robot-data, or name a "
        "folder with URDFs"
    )


def outcome(path: Path, effort: str) -> Outcome:
    started = time.perf_counter()
    try:
        as_written = load_robot(path, ReadingOptions(snapping=Snapping(Fraction(0))))
        snapped = load_robot(path)
        exactly, _ = compared(as_written, as_written, "none")
        rounded, operations = compared(snapped, as_written, effort)
    except DynagenError as error:
        return Outcome(path.stem, refused=str(error).splitlines()[0].removeprefix(f"{path}:"))
    joints = sum(link.joint.nv for link in snapped.links)
    return Outcome(
        path.stem, "", joints, operations, time.perf_counter() - started, exactly, rounded
    )


def compared(
    robot: RobotDescription, as_written: RobotDescription, effort: str
) -> tuple[float, int]:
    """Compare the generated inverse dynamics with Pinocchio's, and count operations.

    Args:
        robot: robot for which code is generated.
        as_written: the robot with numbers as written in the file, for Pinocchio.
        effort: effort of the optimiser.

    Returns:
        The largest difference relative to the largest torque, and the number of operations of the
        generated code.
    """
    other, known = load_pinocchio(as_written)
    without_motors = replace(
        robot,
        links=tuple(replace(link, motor_inertia=link.motor_inertia * 0) for link in robot.links),
    )
    generated = generate(without_motors, Settings(optimize=effort, verify=False)).functions[0]
    states = sample_states(known, count=STATES, seed=1)
    expected, found = [], []
    for q, v, a in zip(*(states[name] for name in ("q", "qd", "qdd")), strict=True):
        expected.append(other.compute("inverse_dynamics", q, v, a))
        found.append(evaluate(generated.program, {"q": q, "qd": v, "qdd": a})["tau"])
    scale = np.abs(expected).max()
    return float(
        np.abs(np.array(found) - np.array(expected)).max() / scale
    ), generated.operations.total


def line(each: Outcome) -> str:
    if each.refused:
        return f"{each.name:40} refused: {each.refused}"
    errors = f"as written {each.as_written:.1e}, snapped {each.snapped:.1e}"
    return (
        f"{each.name:40} {each.joints:3} joints {each.operations:6} operations "
        f"{each.seconds:6.1f} s   {errors}"
    )


def summary(outcomes: list[Outcome]) -> list[str]:
    read = [each for each in outcomes if not each.refused]
    exactly = max((each.as_written for each in read), default=0.0)
    near = sum(each.snapped < 1e-11 for each in read)
    return [
        "",
        f"{len(read)} of {len(outcomes)} are read; {len(outcomes) - len(read)} are refused",
        f"with all numbers as written, all robots agree with Pinocchio to {exactly:.1e} of the "
        "largest torque",
        f"with snapped numbers (1.5708 read as pi/2), {near} robots agree to 1e-11, and all to "
        f"{max(each.snapped for each in read):.1e}",
    ]


if __name__ == "__main__":
    main()
