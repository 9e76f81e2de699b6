"""Time of a call on one core and on two: table `measured` of docs/schedules.md.

    python benchmarks/cores.py [URDF of a humanoid]

The kernel for one core and the functions for two cores are called alternately on pinned threads,
and timed in blocks of 10 us. The shortest time of a block is reported, because other programs can
only increase it. "Two cores" is the time from the start signal of one core until this core knows
that both cores have finished. "In a row" is the time of consecutive calls without start and end
signals.

The humanoid is `talos_reduced.urdf` of the package example-robot-data. The last row of the table is
for numbers of 128 bits. A library needs about fifty cycles for an operation on such numbers, like a
processor without a floating-point unit.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from dynagen.codegen.partition import Partition
from dynagen.codegen.targets.folder import write_folder
from dynagen.ir.program import Signature
from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import Settings
from dynagen.robot.loading import load_robot

HERE = Path(__file__).parent
BUILD = HERE.parent / "build" / "cores"
DOCUMENT = HERE.parent / "docs" / "schedules.md"
CYCLE = "inverse_dynamics+mass_matrix+forward_kinematics+jacobian+gravity_forces"
TURNS, TURN_SECONDS, BLOCK_SECONDS = 40, 0.02, 10e-6
QUADRUPLE = "_Float128"


@dataclass(frozen=True)
class Case:
    """Function of a robot that the benchmark measures on one and two cores.

    Attributes:
        robot: name of the robot, or path of its file; empty to omit the case.
        function: name of the function, or names joined by `+`.
        title: title of the row in the table.
        timing: assumed times of an operation, and of passing a value to the other core (ns).
        real: the C type of all numbers; empty for double.
    """

    robot: str
    function: str
    title: str
    timing: tuple[float, float] = (Settings.operation_ns, Settings.handover_ns)
    real: str = ""


PROGRAM = """
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "robot_cores.h"

static robot_real {arrays};
static {context} context;
static struct {{ alignas(64) _Atomic unsigned begun, ended; }} step;
static unsigned count, block = 1;

static double now(void)
{{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9*(double)time.tv_nsec;
}}

static void pin(int processor)
{{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}}

static void *second(void *in_row)
{{
    pin(1);
    for (unsigned call = 1; call <= count; call++) {{
        while (!in_row && atomic_load_explicit(&step.begun, memory_order_acquire) != call) {{
        }}
        {second};
        if (!in_row) {{
            atomic_store_explicit(&step.ended, call, memory_order_release);
        }}
    }}
    return NULL;
}}

static double shorter(double best, double time)
{{
    return time < best ? time : best;
}}

static double on_two(int in_row)
{{
    pthread_t thread;
    {context}_init(&context);
    atomic_store(&step.begun, 0u);
    atomic_store(&step.ended, 0u);
    pthread_create(&thread, NULL, second, in_row ? &step : NULL);
    double best = 1, start = now();
    for (unsigned call = 1; call <= count; call++) {{
        if (!in_row) {{
            atomic_store_explicit(&step.begun, call, memory_order_release);
        }}
        {first};
        while (!in_row && atomic_load_explicit(&step.ended, memory_order_acquire) != call) {{
        }}
        if (call % block == 0u) {{
            const double end = now();
            best = shorter(best, end - start);
            start = end;
        }}
    }}
    pthread_join(thread, NULL);
    return best/block;
}}

static double on_one(void)
{{
    double best = 1, start = now();
    for (unsigned call = 1; call <= count; call++) {{
        {serial};
        if (call % block == 0u) {{
            const double end = now();
            best = shorter(best, end - start);
            start = end;
        }}
    }}
    return best/block;
}}

int main(void)
{{
    double best[3] = {{1, 1, 1}};
    pin(0);
    {fill}
    count = 64;
    const double about = on_one();
    block = (unsigned)({block}/about) + 1u;
    count = ((unsigned)({seconds}/about/block) + 4u)*block;
    for (int turn = 0; turn < {turns}; turn++) {{
        const double found[3] = {{on_one(), on_two(0), on_two(1)}};
        for (int each = 0; each < 3; each++) {{
            best[each] = shorter(best[each], found[each]);
        }}
    }}
    printf("%.1f %.1f %.1f\\n", 1e9*best[0], 1e9*best[1], 1e9*best[2]);
    return 0;
}}
"""


def source_of(signature: Signature, symbol: str) -> str:
    """Return a C program that prints three times of a call (ns).

    The first time is on one core, the second on two cores with start and end signals. The third is
    for consecutive calls on two cores, without signals between the calls.
    """
    arguments = [*signature.inputs, *signature.results]
    names = ", ".join(f"a_{each.name}" for each in arguments)
    fill = (
        f"for (int i = 0; i < {each.size}; i++) {{ a_{each.name}[i] = 0.1*i + 0.2; }}"
        for each in signature.inputs
    )
    return PROGRAM.format(
        arrays=", ".join(f"a_{each.name}[{each.size}]" for each in arguments),
        context=f"{symbol}_cores",
        first=f"{symbol}_core0(&context, {names})",
        second=f"{symbol}_core1(&context, {names})",
        serial=f"{symbol}({names})",
        fill="\n    ".join(fill),
        seconds=TURN_SECONDS,
        block=BLOCK_SECONDS,
        turns=TURNS,
    )


def measure(case: Case) -> tuple[int, Partition, list[float]]:
    """Generate, compile and time one function of a robot.

    Returns:
        Number of operations, division of the program between two cores, and three times of a call
        (ns): of a call on one core, of a single call on two cores, and of one of many consecutive
        calls on two cores.
    """
    operation, handover = case.timing
    settings = Settings(
        "c",
        (case.function,),
        prefix="robot",
        verify=False,
        cores=2,
        operation_ns=operation,
        handover_ns=handover,
    )
    generation = generate(load_robot(case.robot), settings)
    (kernel,) = generation.package.kernels
    folder = BUILD / f"{Path(case.robot).stem}_{kernel.function}_{case.real or 'double'}"
    write_folder(folder / "c", generation.files)
    (folder / "main.c").write_text(source_of(kernel.program.signature, f"robot_{kernel.function}"))
    sources = [str(path) for path in (folder / "c/src").glob("*.c")]
    if case.real:
        header = folder / "c/include/robot.h"
        header.write_text(header.read_text().replace("typedef double", f"typedef {case.real}"))
    command = [
        "gcc",
        "-std=c11",
        "-O2",
        "-D_GNU_SOURCE",
        "-fno-math-errno",
        "-pthread",
        f"-I{folder}/c/include",
    ]
    subprocess.run(
        [*command, str(folder / "main.c"), *sources, "-lm", "-o", str(folder / "program")],
        check=True,
    )
    done = subprocess.run([str(folder / "program")], check=True, capture_output=True, text=True)
    assert kernel.partition is not None
    return kernel.operations.total, kernel.partition, [float(word) for word in done.stdout.split()]


def row(case: Case) -> str:
    """Measure one function of a robot; print and return its row of the table."""
    operations, partition, (alone, together, in_row) = measure(case)
    cells = [
        case.title,
        operations,
        len(partition.messages),
        f"{float(partition.speedup):.2f}",
        f"{alone:.0f} ns",
        f"{together:.0f} ns",
        f"{alone / together:.2f}",
        f"{alone / in_row:.2f}",
    ]
    line = f"| {' | '.join(map(str, cells))} |"
    print(line, f"(load {os.getloadavg()[0]:.1f})", flush=True)
    return line


def main() -> None:
    humanoid = sys.argv[1] if len(sys.argv) > 1 else ""
    cases = [
        Case(
            humanoid,
            "inverse_dynamics_derivatives",
            "Talos, 32 joints: derivatives of inverse dynamics",
        ),
        Case(humanoid, "forward_dynamics_derivatives", "Talos: derivatives of forward dynamics"),
        Case("panda", CYCLE, "Panda: torques, masses, pose, Jacobian, gravity in one cycle"),
        Case("panda", "inverse_dynamics", "Panda: inverse dynamics"),
        Case("puma560", "inverse_dynamics", "PUMA 560: inverse dynamics"),
        Case("panda", "inverse_dynamics", "Panda, 128 bits: inverse dynamics", (13, 60), QUADRUPLE),
    ]
    header = (
        "function",
        "operations",
        "messages",
        "estimated",
        "one core",
        "two cores",
        "faster",
        "in a row",
    )
    lines = [f"| {' | '.join(header)} |", "| --- " + "| ---: " * 7 + "|"]
    lines += [row(case) for case in cases if case.robot]
    text = DOCUMENT.read_text(encoding="utf-8")
    before, rest = text.split("<!-- measured -->\n")
    _, after = rest.split("<!-- end -->", 1)
    table = "\n".join(lines)
    DOCUMENT.write_text(
        f"{before}<!-- measured -->\n{table}\n<!-- end -->{after}", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
