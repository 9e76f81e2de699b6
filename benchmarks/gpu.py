"""Times of kernels on an NVIDIA GPU, next to GRiD, frax, MJX and MuJoCo Warp if they are installed.

    pip install nvidia-cuda-nvrtc-cu12 frax mujoco-mjx mujoco-warp grid-rbd 'jax[cuda12]'
    python -m benchmarks.gpu        # prints tables in Markdown; ten minutes

The robot is the iiwa14 of frax. Without frax the robot is the Panda, and only dynagen is measured.
Resident times are times of calls on arrays in the GPU's memory, with many calls in the queue. All
other times include copies between the GPU and the host. Errors are relative to the largest value.
The exact values are results of the proved functions in double precision. Bandwidth is measured by a
copy on the GPU.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

import dynagen
from benchmarks.gpu_others import Arrays, Contestant, Maker, find_others
from benchmarks.ptxas import find_robots
from dynagen.toolchain.gpu import GpuKernel, open_driver

INPUTS = {
    "inverse_dynamics": ("q", "qd", "qdd"),
    "forward_dynamics": ("q", "qd", "tau"),
    "inverse_dynamics_derivatives": ("q", "qd", "qdd"),
    "forward_dynamics_derivatives": ("q", "qd", "tau"),
}
COUNTS = (1024, 1_000_000)
_ROUNDS, _ROUND = 5, 0.05  # rounds, and seconds of each


def main() -> None:
    """Measure all functions on the GPU, and print the tables."""
    robots = find_robots()
    robot = robots.get("iiwa14", "panda")
    others = find_others() if "iiwa14" in robots else {}
    bandwidth = measure_bandwidth()
    print(f"Bandwidth of a copy: {bandwidth / 1e12:.2f} TB/s\n")
    for function in INPUTS:
        for count in COUNTS:
            rows = list(measure(robot, function, count, bandwidth, others))
            print(f"{function}, {count} states:\n")
            print(
                "| program | time without copies | per state | fraction of the bandwidth | with "
                "copies | error |"
            )
            print("| --- | --- | --- | --- | --- | --- |")
            print("\n".join(rows), flush=True)
            print()


def measure(
    robot: str,
    function: str,
    count: int,
    bandwidth: float,
    others: Mapping[str, Maker],
) -> Iterator[str]:
    """Yield a row of the table for each program that computes the function.

    Args:
        robot: description.
        function: name of the function.
        count: number of states.
        bandwidth: bytes that the GPU reads and writes in a second.
        others: mapping from the name of another library to a function that returns the
            library's program (`Contestant`) for this robot and function.
    """
    reference = dynagen.compile(robot, function)
    n = reference.inputs[0].size
    generator = np.random.default_rng(0)
    states = [generator.normal(size=(count, n)).astype(np.float32) for _ in INPUTS[function]]
    expected = reference(*(each[:1000].astype(float) for each in states))
    expected = expected[0] if isinstance(expected, tuple) else expected
    size = sum(each.size for each in (*reference.inputs, *reference.outputs))
    for real in ("float", "double"):
        with compete(robot, function, real, states) as contestant:
            moved = count * size * (4 if real == "float" else 8)
            yield describe(f"dynagen, {real}", contestant, count, expected, moved / bandwidth)
    for name, make in others.items():
        other = make(robot, function, states)
        if other is not None:
            yield describe(name, other, count, expected)


@contextmanager
def compete(robot: str, function: str, real: str, states: Arrays) -> Iterator[Contestant]:
    """Yield dynagen's kernel as a program to be timed, with its arrays on the first GPU.

    Args:
        robot: description.
        function: name of the function.
        real: floating-point type, float or double.
        states: inputs of the function, each of shape (states, elements).
    """
    made = dynagen.generate(robot, function, lang="cuda", real=real, verify=False, prefix="robot")
    (text,) = (file.text for file in made.files if file.path.endswith(".cuh"))
    kernel, driver = GpuKernel(text, f"robot_{function}_batch"), open_driver()
    outputs = made.package.kernels[0].program.signature.outputs
    count = len(states[0])
    dtype = np.dtype(real if real == "double" else "float32")
    columns = [np.ascontiguousarray(each.T, dtype) for each in states]
    results = [
        np.empty((each.size, count), np.intc if each.is_status else dtype) for each in outputs
    ]
    arrays = [*columns, *results]
    with driver.use(0), driver.allocate([each.nbytes for each in arrays]) as addresses:
        start = kernel.bind(0, count, count, addresses, 0)

        def copy_in() -> None:
            for address, array in zip(addresses, columns, strict=False):
                driver.copy_to_device(address, array)

        def call() -> np.ndarray:
            copy_in()
            start()
            for address, array in zip(addresses[len(columns) :], results, strict=True):
                driver.copy_from_device(array, address)
            return results[0].T.reshape(count, *outputs[0].shape)

        copy_in()
        yield Contestant(start, driver.synchronize, call)


def describe(
    name: str, contestant: Contestant, count: int, expected: np.ndarray, bound: float = 0.0
) -> str:
    """Measure the times and the error of a program, and return its row of the table.

    Args:
        name: name of the program.
        contestant: the program with its arrays.
        count: number of states.
        expected: correct results of the first states, for the error.
        bound: time for the memory traffic alone (s); 0 leaves its cell empty.
    """
    result = contestant.call()[: len(expected)]
    error = np.abs(result - expected).max() / np.abs(expected).max()
    resident = measure_time(contestant.start, contestant.wait)
    whole = measure_time(contestant.call, contestant.wait)
    share = f"{100 * bound / resident:.0f} %" if bound else ""
    return (
        f"| {name} | {1e6 * resident:.1f} us | {1e9 * resident / count:.3f} ns | {share} | "
        f"{1e6 * whole:.1f} us | {error:.1e} |"
    )


def measure_time(call: Callable[[], object], wait: Callable[[], object]) -> float:
    """Return the time per call of many calls in a queue (s), the shortest of several rounds."""
    call()
    wait()
    start = time.perf_counter()
    call()
    wait()
    times = 1 + int(_ROUND / (time.perf_counter() - start))
    shortest = np.inf
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        for _ in range(times):
            call()
        wait()
        shortest = min(shortest, (time.perf_counter() - start) / times)
    return float(shortest)


def measure_bandwidth(size: int = 1 << 30) -> float:
    """Return bytes read and written per second by a copy of `size` bytes on the first GPU."""
    driver = open_driver()
    with driver.use(0), driver.allocate([size, size]) as (to, address):
        seconds = measure_time(lambda: driver.copy_on_device(to, address, size), driver.synchronize)
    return 2 * size / seconds


if __name__ == "__main__":
    main()
