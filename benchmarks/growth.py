"""How generation grows with the robot: time and operations of general chains and trees of 6 to 60 joints.

Times are those of the processor, as ratios to the smallest robot of the same run, so that machines can be compared. Prints a
table and, if matplotlib is there (`pip install 'dynagen[bench]'`), draws docs/growth.png.

    python benchmarks/growth.py [FUNCTION ...]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from itertools import count as numbers_from
from pathlib import Path
from random import Random
from time import process_time

from dynagen.numbers.exact import Exact
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.coordinates import with_coordinates
from dynagen.robot.description import CentralInertia, LinkDescription, RobotDescription, Tensor
from dynagen.robot.formats.yaml.links import row_steps
from dynagen.robot.joints import REVOLUTE, Joint
from dynagen.robot.pose import Vector

JOINTS = (6, 12, 24, 36, 60)
FUNCTIONS = ("inverse_dynamics", "gravity_forces", "mass_matrix", "forward_dynamics")
LIMBS = {"chain": 1, "tree": 4}
"""Shape -> how many limbs of equal length the first link carries."""
REPEATS = 2
_SEEDS = numbers_from(1)
PLOT = Path(__file__).parents[1] / "docs" / "growth.png"


@dataclass(frozen=True)
class Measurement:
    """One function of one robot: seconds of the processor, best of the repeats, and operations of the kernel."""

    shape: str
    joints: int
    function: str
    seconds: float
    operations: int


def general_robot(joints: int, limbs: int = 1, seed: int = 1) -> RobotDescription:
    """A robot of revolute joints in general position: no angle is special, no inertial datum is zero.

    Args:
        joints: how many.
        limbs: chains that the first link carries.
        seed: of its numbers.
    """
    rng = Random(seed)

    def decimal(low: float, high: float) -> Exact:
        return Exact(Fraction(round(1000 * rng.uniform(low, high)), 1000))

    def vector(low: float, high: float) -> Vector:
        return decimal(low, high), decimal(low, high), decimal(low, high)

    def link(number: int) -> LinkDescription:
        tensor: Tensor = (*vector(1, 1.5), *vector(-0.2, 0.2))
        row = decimal(0.2, 1.2), decimal(0.1, 0.5), decimal(0.1, 0.5), decimal(0.2, 1.2)
        before, after = row_steps("modified", *row)
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
        with_coordinates([link(number) for number in range(1, joints + 1)]),
    )


def measure(shape: str, joints: int, function: str) -> Measurement:
    """Generate C without compiling it for a few robots; of a robot that was seen before some work would be remembered."""
    seconds = []
    for _ in range(REPEATS):
        robot = general_robot(joints, LIMBS[shape], next(_SEEDS))
        start = process_time()
        made = generate(robot, Settings("c", (function,), verify=False))
        seconds.append(process_time() - start)
    return Measurement(shape, joints, function, min(seconds), made.functions[0].operations.total)


def line(each: Measurement, first: Measurement) -> str:
    """A measurement beside that of the smallest robot."""
    return (
        f"{each.function:20}{each.shape:8}{each.joints:>8}{each.operations:>12}{each.operations / each.joints:>11.1f}"
        f"{each.seconds:>9.2f}{each.seconds / first.seconds:>12.1f}{each.operations / first.operations:>18.1f}"
    )


def plot(measurements: list[Measurement], path: Path) -> None:
    """Operations, and time as a ratio, over the number of joints; straight lines of slope one are linear growth."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    lines: dict[tuple[str, str], list[Measurement]] = {}
    for each in measurements:
        lines.setdefault((each.function, each.shape), []).append(each)
    colours = {
        name: f"C{number}" for number, name in enumerate(dict.fromkeys(name for name, _ in lines))
    }
    for (name, shape), found in lines.items():
        style = {
            "color": colours[name],
            "label": f"{name}, {shape}",
            "linestyle": "-" if shape == "chain" else "--",
        }
        joints = [each.joints for each in found]
        left.plot(joints, [each.operations for each in found], marker="o", markersize=4, **style)
        right.plot(
            joints,
            [each.seconds / found[0].seconds for each in found],
            marker="o",
            markersize=4,
            **style,
        )
    right.plot(JOINTS, [joints / JOINTS[0] for joints in JOINTS], "k:", label="linear")
    right.plot(
        JOINTS,
        [(joints / JOINTS[0]) ** 2 for joints in JOINTS],
        color="grey",
        linestyle=":",
        label="quadratic",
    )
    ticks = {left: (100, 300, 1000, 3000, 10000, 30000), right: (1, 3, 10, 30, 100)}
    left.set(ylabel="operations of one call", title="Multiplications, additions and divisions")
    right.set(ylabel=f"time, {JOINTS[0]} joints = 1", title="Time to generate C, not compiled")
    for axes, values in ticks.items():
        axes.set(xlabel="joints", xscale="log", yscale="log")
        axes.set(xticks=JOINTS, yticks=values)
        axes.xaxis.set_major_formatter("{x:.0f}")
        axes.yaxis.set_major_formatter("{x:.0f}")
        axes.minorticks_off()
        axes.grid(visible=True, alpha=0.3)
    right.legend(fontsize=7)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=120)


def main(functions: list[str]) -> None:
    print(
        f"{'function':20}{'shape':8}{'joints':>8}{'operations':>12}{'per joint':>11}{'seconds':>9}{'time ratio':>12}"
        f"{'operations ratio':>18}"
    )
    measurements: list[Measurement] = []
    for function in functions or FUNCTIONS:
        for shape in LIMBS:
            found = []
            for joints in JOINTS:
                found.append(measure(shape, joints, function))
                print(line(found[-1], found[0]), flush=True)
            measurements += found
    try:
        plot(measurements, PLOT)
    except ModuleNotFoundError:
        print("No plot: matplotlib is not installed.", file=sys.stderr)
    else:
        print(f"Plot: {PLOT}")


if __name__ == "__main__":
    main(sys.argv[1:])
