"""Other programs for robot dynamics on GPUs, each for the iiwa14 in single precision.

JAX and Warp run the programs on their default devices, also without a GPU. The calls of GRiD follow
its documentation (0.6.0). They have never been run, because GRiD requires a GPU and nvcc.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

Arrays = Sequence[np.ndarray]


@dataclass(frozen=True)
class Contestant:
    """A program that computes a function of many states.

    Attributes:
        start: starts a computation on arrays that are on the device.
        wait: waits for all computations.
        call: copies inputs to the device, computes, and returns the first result, state by state.
    """

    start: Callable[[], object]
    wait: Callable[[], object]
    call: Callable[[], np.ndarray]


Maker = Callable[[str, str, Arrays], Contestant | None]
"""Function that returns a program to be timed (`Contestant`).

The arguments are a robot description, the name of a dynamics function, and states.

The result is None if the library does not have the function.
"""


def find_others() -> dict[str, Maker]:
    """Return a mapping from the name of each installed program to its `Maker`."""
    known: dict[str, tuple[Maker, str]] = {
        "GRiD": (make_grid, "grid_rbd"),
        "frax": (make_frax, "frax"),
        "MJX": (make_mjx, "mujoco.mjx"),
        "MuJoCo Warp": (make_warp, "mujoco_warp"),
    }
    return {name: maker for name, (maker, package) in known.items() if has(package)}


def has(package: str) -> bool:
    """Return whether a Python package is installed."""
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def run_in_jax(function: Callable[..., Any], states: Arrays) -> Contestant:
    """Compile a function by JAX, and return it as a program to be timed.

    The arrays of the function have a row for each state.
    """
    import jax

    compiled = jax.jit(function)
    resident = [jax.device_put(each) for each in states]
    last: list[Any] = [None]

    def start() -> None:
        last[0] = compiled(*resident)

    def call() -> np.ndarray:
        results = compiled(*map(jax.device_put, states))
        arrays = [np.asarray(each) for each in jax.tree_util.tree_leaves(results)]
        return arrays[0]

    return Contestant(start, lambda: jax.block_until_ready(last[0]), call)


def make_frax(robot: str, function: str, states: Arrays) -> Contestant | None:
    """Return a program by frax for inverse or forward dynamics; None for other functions."""
    import frax
    import jax
    import jax.numpy as jnp

    arm = frax.Robot(robot)
    gravity = jnp.array([0, 0, 9.81, 0, 0, 0], jnp.float32)
    wrenches = jnp.zeros((arm.num_joints, 6), jnp.float32)

    def compute_torques(q: Any, qd: Any, qdd: Any) -> Any:
        return arm.rnea(q, qd, qdd, gravity, wrenches)

    def compute_accelerations(q: Any, qd: Any, tau: Any) -> Any:
        bias = compute_torques(q, qd, jnp.zeros_like(q))
        return jnp.linalg.solve(arm.mass_matrix(q), tau - bias)

    known = {"inverse_dynamics": compute_torques, "forward_dynamics": compute_accelerations}
    return run_in_jax(jax.vmap(known[function]), states) if function in known else None


@cache
def read_mujoco_model(robot: str) -> Any:
    """Return a MuJoCo model without shapes, because the files of the shapes may be missing."""
    import mujoco

    text = Path(robot).read_text(encoding="utf-8")
    text = re.sub(r"<(visual|collision)\b.*?</\1>", "", text, flags=re.DOTALL)
    model = mujoco.MjModel.from_xml_string(text)
    # The compared functions include neither limits nor friction of the file.
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.dof_damping[:] = model.dof_frictionloss[:] = model.dof_armature[:] = 0
    return model


def make_mjx(robot: str, function: str, states: Arrays) -> Contestant | None:
    """Return a program that computes inverse or forward dynamics by MJX."""
    import jax
    from mujoco import mjx

    model = mjx.put_model(read_mujoco_model(robot))
    data = mjx.make_data(model)

    def compute_torques(q: Any, qd: Any, qdd: Any) -> Any:
        return mjx.inverse(model, data.replace(qpos=q, qvel=qd, qacc=qdd)).qfrc_inverse

    def compute_accelerations(q: Any, qd: Any, tau: Any) -> Any:
        return mjx.forward(model, data.replace(qpos=q, qvel=qd, qfrc_applied=tau)).qacc

    known = {"inverse_dynamics": compute_torques, "forward_dynamics": compute_accelerations}
    return run_in_jax(jax.vmap(known[function]), states) if function in known else None


def make_warp(robot: str, function: str, states: Arrays) -> Contestant | None:
    """Return a program that computes inverse or forward dynamics by MuJoCo Warp."""
    import mujoco_warp
    import warp

    fields = {
        "inverse_dynamics": (mujoco_warp.inverse, "qacc", "qfrc_inverse"),
        "forward_dynamics": (mujoco_warp.forward, "qfrc_applied", "qacc"),
    }
    if function not in fields:
        return None
    compute, third, result = fields[function]
    model = mujoco_warp.put_model(read_mujoco_model(robot))
    data = mujoco_warp.make_data(read_mujoco_model(robot), nworld=len(states[0]))

    def copy_in() -> None:
        for name, array in zip(("qpos", "qvel", third), states, strict=True):
            getattr(data, name).assign(array)

    def call() -> np.ndarray:
        copy_in()
        compute(model, data)
        values: np.ndarray = getattr(data, result).numpy()
        return values

    copy_in()
    return Contestant(lambda: compute(model, data), warp.synchronize, call)


def make_grid(robot: str, function: str, states: Arrays) -> Contestant | None:
    """Return a program that computes a function by GRiD, through its interface for JAX."""
    import grid_rbd

    name = function.replace("_derivatives", "_gradient")
    arm = grid_rbd.load_robot(
        robot, backend="jax", algorithm_list=[name], enable_mujoco_kernels=False
    )
    return run_in_jax(getattr(arm, name), states)
