"""How generation grows with the robot: time and operations of general chains of 6, 12, 24 and 48 joints.

Times are ratios to the smallest robot of the same run, so that machines can be compared. Prints a table and, if matplotlib is
there (`pip install -e '.[bench]'`), draws docs/growth.png.

    python benchmarks/growth.py [FUNCTION ...]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from itertools import count as numbers_from
from pathlib import Path
from random import Random

from dynagen.description.coordinates import with_coordinates
from dynagen.description.description import CentralInertia, LinkDescription, RobotDescription, Tensor
from dynagen.description.displacement import Vector
from dynagen.description.joints import REVOLUTE, Joint
from dynagen.description.yaml.geometry import row_steps
from dynagen.ir.count import count
from dynagen.numbers.exact import Exact
from dynagen.pipeline import Settings, generate

JOINTS = (6, 12, 24, 48)
FUNCTIONS = ("inverse_dynamics", "bias_forces", "gravity_forces")
STAGES = ("model", "formulation", "program", "passes", "source")
REPEATS = 3
_SEEDS = numbers_from(1)
PLOT = Path(__file__).parents[1] / "docs" / "growth.png"


@dataclass(frozen=True)
class Measurement:
    """One function of one robot: seconds for every stage, best of the repeats, and operations of the kernel."""

    joints: int
    function: str
    seconds: dict[str, float]
    operations: int

    @property
    def total(self) -> float:
        """Seconds of all stages."""
        return sum(self.seconds.values())


def general_chain(joints: int, seed: int = 1) -> RobotDescription:
    """A chain of revolute joints in general position: no angle is special, no inertial datum is zero."""
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
            parent=f"link_{number - 1}" if number > 1 else None,
            before=before,
            joint=Joint(REVOLUTE),
            after=after,
            inertial=CentralInertia(decimal(1, 5), vector(-0.2, 0.2), tensor),
        )

    gravity = (Exact(0), Exact(0), Exact("-9.81"))
    return RobotDescription(f"chain_{joints}", gravity, with_coordinates([link(number) for number in range(1, joints + 1)]))


def measure(joints: int, function: str) -> Measurement:
    """Generate C without compiling it for a few chains; of a chain that was seen before some work would be remembered."""
    chains = (general_chain(joints, next(_SEEDS)) for _ in range(REPEATS))
    runs = [generate(chain, Settings("c", (function,), verify=False)) for chain in chains]
    seconds = {stage: min(run.seconds[stage] for run in runs) for stage in STAGES}
    return Measurement(joints, function, seconds, count(runs[0].functions[0].program).total)


def table(measurements: list[Measurement]) -> str:
    """Every line compares with the smallest robot of the same function."""
    lines = [
        f"{'function':24}{'joints':>8}{'operations':>12}{'per joint':>11}{'seconds':>9}{'time ratio':>12}{'size ratio':>12}"
    ]
    for each in measurements:
        first = next(other for other in measurements if other.function == each.function)
        lines.append(
            f"{each.function:24}{each.joints:>8}{each.operations:>12}{each.operations / each.joints:>11.1f}"
            f"{each.total:>9.2f}{each.total / first.total:>12.1f}{each.joints / first.joints:>12.1f}"
        )
    return "\n".join(lines)


def plot(measurements: list[Measurement], path: Path) -> None:
    """Operations, and time as a ratio, over the number of joints; straight lines of slope one are linear growth."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for name in dict.fromkeys(each.function for each in measurements):
        line = [each for each in measurements if each.function == name]
        joints = [each.joints for each in line]
        left.plot(joints, [each.operations for each in line], "o-", label=name)
        right.plot(joints, [each.total / line[0].total for each in line], "o-", label=name)
    right.plot(JOINTS, [joints / JOINTS[0] for joints in JOINTS], "k--", label="linear")
    ticks = {left: (100, 200, 500, 1000, 2000, 5000, 10000), right: (1, 2, 4, 8, 16)}
    left.set(ylabel="operations of one call", title="Multiplications and additions")
    right.set(ylabel=f"time, {JOINTS[0]} joints = 1", title="Time to generate C, not compiled")
    for axes, values in ticks.items():
        axes.set(xlabel="joints", xscale="log", yscale="log")
        axes.set(xticks=JOINTS, yticks=values)
        axes.xaxis.set_major_formatter("{x:.0f}")
        axes.yaxis.set_major_formatter("{x:.0f}")
        axes.minorticks_off()
        axes.grid(visible=True, alpha=0.3)
        axes.legend()
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=120)


def main(functions: list[str]) -> None:
    measurements = [measure(joints, function) for function in functions or FUNCTIONS for joints in JOINTS]
    print(table(measurements))
    try:
        plot(measurements, PLOT)
    except ModuleNotFoundError:
        print("No plot: matplotlib is not installed.", file=sys.stderr)
    else:
        print(f"Plot: {PLOT}")


if __name__ == "__main__":
    main(sys.argv[1:])
