"""Time, size and instructions of each `--trig`: the table of docs/sines_and_cosines.md.

The program requires gcc or clang, arm-none-eabi-gcc with newlib, and qemu-arm:

    python benchmarks/trig_methods.py

The function is inverse dynamics. Times are measured on this machine in double precision, for one
state per call; each time is the shortest of many rounds. Flash and instructions are measured for a
Cortex-M4 in single precision.
"""

from __future__ import annotations

import re
from pathlib import Path

from dynagen.apps.benchmarking.compilers import find_compilers
from dynagen.apps.benchmarking.contender import ONE_STATE, measure_least_times
from dynagen.apps.benchmarking.merging import reduce_to_urdf
from dynagen.apps.benchmarking.ours import ONE_STATE_LIBM, generate_ours, make_native_contenders
from dynagen.apps.benchmarking.states import BenchStates
from dynagen.codegen.package import COMPACT, LIBM, VECTOR
from dynagen.numbers.real import DOUBLE
from dynagen.pipeline.driver import Settings, generate
from dynagen.report.footprint import measure_footprint
from dynagen.robot.loading import load_robot

PAGE = Path(__file__).parents[1] / "docs" / "sines_and_cosines.md"
ROBOTS = ("puma560", "panda", "ur5")
FUNCTION = "inverse_dynamics"
STATES, ROUNDS = 1000, 1000
CALLED = {LIBM: ONE_STATE_LIBM, VECTOR: ONE_STATE}


def main() -> None:
    """Measure all methods for sines and cosines; write the table of docs/sines_and_cosines.md."""
    lines = []
    for robot in ROBOTS:
        times = measure_times(robot)
        for trig in (LIBM, VECTOR, COMPACT):
            flash, instructions = measure_on_a_cortex_m4(robot, trig)
            time = f"{times[trig]:.0f}" if trig in times else ""
            lines.append(f"| {robot} | `{trig}` | {time} | {flash} | {instructions} |\n")
            print(lines[-1], end="", flush=True)
    text = PAGE.read_text(encoding="utf-8")
    # The heading remains, and the rows under it are new.
    table = re.compile(r"(<!-- table: methods -->\n.*\n.*\n)([^<]*)")
    PAGE.write_text(table.sub(lambda found: found[1] + "".join(lines), text), encoding="utf-8")


def measure_times(robot: str) -> dict[str, float]:
    """Return the time of a call (ns) with each method for sines and cosines.

    The time is the shortest among the programs that all installed C compilers produce.
    """
    states = BenchStates.sample(reduce_to_urdf(load_robot(robot)), STATES)
    made = generate_ours(states.robot, (FUNCTION,), DOUBLE, lambda stage, done: None)
    contenders = [
        each
        for compiler in find_compilers(quick=False)
        for each in make_native_contenders(made, states, compiler)[FUNCTION]
    ]
    times = measure_least_times(contenders, STATES, ROUNDS)
    return {
        trig: min(
            time
            for each, time in zip(contenders, times, strict=True)
            if each.called == CALLED[trig]
        )
        for trig in CALLED
    }


def measure_on_a_cortex_m4(robot: str, trig: str) -> tuple[int, str]:
    """Return the flash size of code and C library (bytes), and the instruction count of a call.

    The count is a text, such as `1200` or, if it depends on the state, `1200 to 1300`.
    """
    settings = Settings("c", (FUNCTION,), real="float", trig=trig, verify=False)
    _, footprints = measure_footprint(generate(load_robot(robot), settings), "cortex-m4")
    (found,) = (each for each in footprints if each.function.endswith(FUNCTION))
    run = found.run
    assert found.flash is not None
    assert run is not None
    same = run.least == run.most
    return found.flash, f"{run.most}" if same else f"{run.least} to {run.most}"


if __name__ == "__main__":
    main()
