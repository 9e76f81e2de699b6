"""Time of generation, and operations of the code, for chains and trees of 6 to 60 joints.

Times are processor times, divided by the time for the smallest robot, so that machines can be
compared. The program prints all measurements. Without arguments, it writes the table of
docs/growth.md and draws docs/growth.png (`pip install 'dynagen[bench]'`).

    python benchmarks/growth.py [FUNCTION ...]
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import count as numbers_from
from pathlib import Path
from random import Random
from time import process_time

from matplotlib.figure import Figure

from dynagen.numbers.exact import Exact
from dynagen.pipeline.driver import Settings, generate
from dynagen.report.drawing import (
    COLOURS,
    GREY,
    INK,
    draw_to,
    make_axes_logarithmic,
    make_panels,
    put_legend_below,
)
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import CentralInertia, LinkDescription, RobotDescription, Tensor
from dynagen.robot.formats.yaml.links import make_row_steps
from dynagen.robot.joints import REVOLUTE, Joint
from dynagen.robot.pose import Vector

JOINTS = (6, 12, 24, 36, 60)
FUNCTIONS = ("inverse_dynamics", "gravity_forces", "mass_matrix", "forward_dynamics")
LIMBS = {"chain": 1, "tree": 4}
"""Number of limbs of equal length that the first link carries, by shape of the robot."""
REPEATS = 2
_SEEDS = numbers_from(1)
PAGE = Path(__file__).parents[1] / "docs" / "growth.md"
PLOT = PAGE.with_suffix(".png")
_TABLE = re.compile(r"(<!-- table: growth -->\n.*\n.*\n)([^<]*)")  # the heading remains


@dataclass(frozen=True)
class Measurement:
    """Measurement of one function of one robot.

    Attributes:
        shape: name in LIMBS.
        joints: number of joints.
        function: name of the function.
        seconds: processor time of generation, the least of the repeats (s).
        operations: number of operations of the kernel.
    """

    shape: str
    joints: int
    function: str
    seconds: float
    operations: int


def general_robot(joints: int, limbs: int = 1, seed: int = 1) -> RobotDescription:
    """Return a robot of revolute joints in general position.

    No angle between joint axes is a multiple of 90 degrees, and no inertial parameter is zero.

    Args:
        joints: number of joints.
        limbs: number of chains that the first link carries.
        seed: seed of the random numbers.
    """
    rng = Random(seed)

    def decimal(low: float, high: float) -> Exact:
        return Exact(Fraction(round(1000 * rng.uniform(low, high)), 1000))

    def vector(low: float, high: float) -> Vector:
        return decimal(low, high), decimal(low, high), decimal(low, high)

    def link(number: int) -> LinkDescription:
        tensor: Tensor = (*vector(1, 1.5), *vector(-0.2, 0.2))
        row = decimal(0.2, 1.2), decimal(0.1, 0.5), decimal(0.1, 0.5), decimal(0.2, 1.2)
        before, after = make_row_steps("modified", *row)
        return LinkDescription(
            name=f"link_{number}",
            parent=f"link_{max(1, number - limbs)}" if number > 1 else None,
            before=before,
            joint=Joint(REVOLUTE),
            after=after,
            inertial=CentralInertia(decimal(1, 5), vector(-0.2, 0.2), tensor),
        )

    gravity = (Exact(0), Exact(0), Exact("-9.81"))
    return RobotDescription(
        f"general_{joints}",
        gravity,
        number_coordinates([link(number) for number in range(1, joints + 1)]),
    )


def measure(shape: str, joints: int, function: str) -> Measurement:
    """Time the generation of C code for a few robots; the C code is not compiled.

    Each repeat uses a new robot, because results for earlier robots are cached.

    Args:
        shape: shape of the robots, a key of LIMBS.
        joints: number of joints.
        function: name of the function.

    Returns:
        Least processor time of the repeats, and number of operations for the last robot.
    """
    seconds = []
    for _ in range(REPEATS):
        robot = general_robot(joints, LIMBS[shape], next(_SEEDS))
        start = process_time()
        made = generate(robot, Settings("c", (function,), verify=False))
        seconds.append(process_time() - start)
    return Measurement(shape, joints, function, min(seconds), made.functions[0].operations.total)


def line(each: Measurement, first: Measurement) -> str:
    """Format a measurement as a line of text, with ratios to the smallest robot (`first`)."""
    return (
        f"{each.function:20}{each.shape:8}{each.joints:>8}{each.operations:>12}"
        f"{each.operations / each.joints:>11.1f}"
        f"{each.seconds:>9.2f}{each.seconds / first.seconds:>12.1f}"
        f"{each.operations / first.operations:>18.1f}"
    )


def row(found: list[Measurement]) -> str:
    """Return the table row of a function for one shape of robots (chain or tree)."""
    first, *_, near, last = found
    joints = last.joints - near.joints
    cells = [
        f"`{first.function}`",
        first.shape,
        *(str(each.operations) for each in found),
        f"{(last.operations - near.operations) / joints:.0f}",
        f"{last.operations / first.operations:.1f}",
        f"{last.seconds / first.seconds:.0f}",
    ]
    return f"| {' | '.join(cells)} |\n"


def plot(measurements: list[Measurement]) -> Figure:
    """Draw operations and times of generation over the number of joints.

    Times are relative to the time for the smallest robot. All axes are logarithmic, so that linear
    growth is a line of slope one.
    """
    figure, (left, right) = make_panels(1, 2, 4.2)
    lines: dict[tuple[str, str], list[Measurement]] = {}
    for each in measurements:
        lines.setdefault((each.function, each.shape), []).append(each)
    functions = list(dict.fromkeys(function for function, _ in lines))
    for (function, shape), found in lines.items():
        style = {
            "color": COLOURS[functions.index(function)],
            "label": f"{function}, {shape}",
            "linestyle": "-" if shape == "chain" else "--",
            "marker": "o",
        }
        joints = [each.joints for each in found]
        left.plot(joints, [each.operations for each in found], **style)
        right.plot(joints, [each.seconds / found[0].seconds for each in found], **style)
    right.plot(JOINTS, [joints / JOINTS[0] for joints in JOINTS], ":", color=INK, label="linear")
    right.plot(
        JOINTS, [(joints / JOINTS[0]) ** 2 for joints in JOINTS], ":", color=GREY, label="quadratic"
    )
    left.set_title("Multiplications, additions and divisions of one call")
    right.set_title(f"Time to generate C (without compilation) relative to {JOINTS[0]} joints")
    for axes in (left, right):
        make_axes_logarithmic(axes, "xy")
        axes.set(xlabel="joints", xticks=JOINTS, xticklabels=JOINTS)
        axes.minorticks_off()
    put_legend_below(figure, right, 3)
    return figure


def main(functions: list[str]) -> None:
    print(
        f"{'function':20}{'shape':8}{'joints':>8}{'operations':>12}{'per joint':>11}"
        f"{'seconds':>9}{'time ratio':>12}"
        f"{'operations ratio':>18}"
    )
    measurements: list[Measurement] = []
    rows = []
    for function in functions or FUNCTIONS:
        for shape in LIMBS:
            found = []
            for joints in JOINTS:
                found.append(measure(shape, joints, function))
                print(line(found[-1], found[0]), flush=True)
            measurements += found
            rows.append(row(found))
    if functions:
        return
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_TABLE.sub(lambda table: table[1] + "".join(rows), text), encoding="utf-8")
    PLOT.write_bytes(draw_to(PLOT, "bench", partial(plot, measurements)))
    print(f"Written: {PAGE}, {PLOT}")


if __name__ == "__main__":
    main(sys.argv[1:])
