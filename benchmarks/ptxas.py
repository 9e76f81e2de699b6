"""Registers, spills and instructions of CUDA kernels, reported by NVRTC without a GPU.

    pip install nvidia-cuda-nvrtc-cu12 example-robot-data frax
    python benchmarks/ptxas.py [--architecture sm_90]

The program writes the tables of docs/cuda.md. The robot iiwa14 comes from frax, and Go2 with a
floating base from example-robot-data; a robot whose package is not installed is left out.
"""

from __future__ import annotations

import argparse
import re
import sys
from importlib.util import find_spec
from pathlib import Path

from dynagen.codegen.languages import find_language
from dynagen.errors import ToolchainError
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot
from dynagen.robot.options import ReadingOptions
from dynagen.toolchain.nvrtc import CompiledForGpu, compile_kernels

PAGE = Path(__file__).parents[1] / "docs" / "cuda.md"
FUNCTIONS = {
    "inverse_dynamics": "inverse dynamics",
    "mass_matrix": "M",
    "forward_dynamics": "forward dynamics",
    "inverse_dynamics_derivatives": "derivatives of inverse dynamics",
    "forward_dynamics_derivatives": "derivatives of forward dynamics",
}
_GO2 = "cmeel.prefix/share/example-robot-data/robots/go2_description/urdf/go2.urdf"
REALS = ("float", "double")
_TABLE = re.compile(rf"(<!-- table: ({'|'.join(REALS)}) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def main() -> None:
    """Compile the kernels of all robots for a GPU, and write the tables of docs/cuda.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--architecture", default="sm_90", help="GPU [default: sm_90]")
    architecture = parser.parse_args().architecture
    robots = find_robots()
    tables = {
        real: make_table({name: measure(path, real, architecture) for name, path in robots.items()})
        for real in REALS
    }
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(
        _TABLE.sub(lambda found: f"{found[1]}{tables[found[2]]}\n{found[4]}", text),
        encoding="utf-8",
    )


def find_robots() -> dict[str, str]:
    """Return a mapping from robots to descriptions: names of bundled robots, or paths of files.

    A robot is left out if the Python package with its description is not installed.
    """
    robots = {"PUMA 560": "puma560", "Panda": "panda"}
    found = find_spec("frax")
    if found and found.origin:
        robots["iiwa14"] = str(Path(found.origin).parent / "assets" / "iiwa" / "iiwa14.urdf")
    paths = (Path(folder) / _GO2 for folder in sys.path)
    if go2 := next((path for path in paths if path.exists()), None):
        robots["Go2, floating"] = str(go2)
    return robots


def measure(robot: str, real: str, architecture: str) -> dict[str, tuple[CompiledForGpu, int]]:
    """Compile all functions of a robot by NVRTC for a GPU.

    Args:
        robot: description.
        real: floating-point type.
        architecture: compute capability of the GPU, such as sm_90.

    Returns:
        For each function, by its name: registers, spills and instructions of its kernel, and the
        number of parts of the kernel. Each part computes some of the results.
    """
    reading = ReadingOptions(base="floating") if robot.endswith("go2.urdf") else ReadingOptions()
    settings = Settings("cuda", tuple(FUNCTIONS), verify=False, real=real, prefix="robot")
    package = generate(load_robot(robot, reading), settings, prove=False).package
    (file,) = find_language("cuda").print_kernels(package)
    found = {}
    for kernel in compile_kernels(file.text, architecture):
        function = kernel.name.removeprefix("robot_").removesuffix("_batch")
        parts = re.search(rf"DEFINE_LAUNCH\(\n +robot_{function}_launch, \w+, (\d+),", file.text)
        if parts is None:
            raise ToolchainError(f"no launch function found for the kernel {kernel.name}")
        found[function] = (kernel, int(parts[1]))
        print(f"{Path(robot).stem:10} {real:6} {kernel}, {parts[1]} parts", flush=True)
    return found


def make_table(robots: dict[str, dict[str, tuple[CompiledForGpu, int]]]) -> str:
    """Return a table in Markdown: registers, bytes of spills, instructions, parts of a kernel."""
    lines = [f"| | {' | '.join(robots)} |", f"| --- |{' --- |' * len(robots)}"]
    for function, title in FUNCTIONS.items():
        cells = []
        for kernels in robots.values():
            kernel, parts = kernels[function]
            count = f", {parts} parts" if parts > 1 else ""
            cells.append(f"{kernel.registers}, {kernel.spills}, {kernel.instructions}{count}")
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
