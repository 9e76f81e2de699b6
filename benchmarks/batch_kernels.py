"""C batch kernel of inverse dynamics, with which benchmarks compare JAX and PyTorch functions."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import dynagen
from dynagen.codegen.targets.folder import write_folder

Kernel = Callable[[Sequence[int]], np.ndarray]
"""Function that returns joint forces, shape (joints, states), for the addresses of q, qd and qdd.
"""


def build_batch(robot: str, states: int) -> tuple[Kernel, int]:
    """Compile the C batch kernel of inverse dynamics of a robot for this machine.

    Args:
        robot: description or name of the robot.
        states: number of states of every call.

    Returns:
        the kernel, and the number of joint velocities of the robot.
    """
    generation = dynagen.generate(robot, batch=True, verify=False, prefix="robot")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_folder(folder, generation.files)
        sources = sorted(map(str, folder.glob("src/*_batch.c")))
        options = ["-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno"]
        options += ["-fno-trapping-math", "-shared", "-fPIC", f"-I{folder}/include"]
        library = folder / "kernels.so"
        subprocess.run(["cc", *options, *sources, "-lm", "-o", str(library)], check=True)
        function = ctypes.CDLL(str(library)).robot_inverse_dynamics_batch
    function.argtypes = [ctypes.c_size_t] * 2 + [ctypes.c_void_p] * 4
    joints = generation.package.nv

    def call(addresses: Sequence[int]) -> np.ndarray:
        result = np.empty((joints, states))
        function(states, states, *addresses, result.ctypes.data)
        return result

    return call, joints
