"""Times of functions of JAX arrays on one core, next to the batch kernels that they call.

    pip install 'dynagen[jax]' frax
    python benchmarks/jax_batches.py        # writes the table of docs/jax.md; five minutes

All functions are compiled by `jax.jit` for 10 000 states in double precision, and called in
interleaved rounds. A ratio is the shortest time of one call divided by the shortest time of another
call. The batch kernel fills a new array in every call, as XLA does, because allocating a large
array costs time. If frax is installed, frax and dynagen read the URDF of the iiwa14 in frax.
"""

from __future__ import annotations

import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"

import re
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from batch_kernels import build_batch

import dynagen.jax

jax.config.update("jax_enable_x64", True)

PAGE = Path(__file__).parents[1] / "docs" / "jax.md"
STATES, ROUNDS = 10_000, 40
_TABLE = re.compile(r"(<!-- table: times -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_HEAD = """| robot | C batch kernel | (joint, state) | rows | gradient of tau^2 | `xla` | frax |
| --- | --- | --- | --- | --- | --- | --- |"""

Call = Callable[[], Any]


def main() -> None:
    """Time the functions of all robots, and write the table of docs/jax.md."""
    rows, compilations = [], []
    found = find_spec("frax")
    folder = Path(found.origin).parent / "assets" if found and found.origin else None
    for robot in ("puma560", "panda", "iiwa14"):
        urdf = folder / "iiwa" / "iiwa14.urdf" if folder else None
        if robot == "iiwa14" and urdf is None:
            print("frax is not installed: its row is left out")
            continue
        times, seconds = measure(robot if robot != "iiwa14" else str(urdf), urdf)
        compilations.append(seconds)
        c_batch, *others = (times.get(name) for name in NAMES)
        cells = [f"{1e9 * c_batch:.1f} ns"] + [
            f"{each / c_batch:.2f}" if each else "" for each in others
        ]
        rows.append(f"| {robot} | {' | '.join(cells)} |")
        print(rows[-1], f"compilation {1e3 * seconds:.0f} ms", flush=True)
    table = "\n".join([_HEAD, *rows])
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_TABLE.sub(rf"\g<1>{table}\n\g<3>", text), encoding="utf-8")


NAMES = ("batch", "columns", "rows", "gradient", "program", "frax")


def measure(robot: str, urdf: Path | None) -> tuple[dict[str, float], float]:
    """Return the time per state (s) of each benchmarked call by name, and the longest compile time.

    The calls are the batch kernel and functions of JAX arrays, such as a gradient.
    """
    function = dynagen.jax.load(robot, states=100).inverse_dynamics
    kernel, n = build_batch(robot, STATES)
    generator = np.random.default_rng(0)
    columns = [jnp.asarray(generator.normal(size=(n, STATES))) for _ in range(3)]
    addresses = [each.unsafe_buffer_pointer() for each in columns]
    rows = [jnp.asarray(np.ascontiguousarray(np.asarray(each).T)) for each in columns]

    def tau_of_columns(*motion: Any) -> Any:
        return function(*motion, states_last=True)

    def cost(*motion: Any) -> Any:
        return jnp.sum(function(*motion) ** 2)

    compiled = {
        "columns": (tau_of_columns, columns),
        "rows": (function, rows),
        "gradient": (jax.grad(cost, (0, 1, 2)), rows),
        "program": (lambda *motion: function(*motion, backend="xla"), rows),
    }
    calls: dict[str, Call] = {"batch": lambda: kernel(addresses)}
    longest = 0.0
    for name, (each, inputs) in compiled.items():
        start = time.perf_counter()
        executable = jax.jit(each).lower(*inputs).compile()
        if name != "program":
            longest = max(longest, time.perf_counter() - start)
        calls[name] = bind(executable, inputs)
    if urdf is not None and robot == str(urdf):
        calls["frax"] = bind_frax(urdf, rows)
    shortest = dict.fromkeys(calls, np.inf)
    for _ in range(ROUNDS):
        for name, call in calls.items():
            for _ in range(1 if name in ("program", "frax") else 3):
                start = time.perf_counter()
                call()
                shortest[name] = min(shortest[name], time.perf_counter() - start)
    return {name: seconds / STATES for name, seconds in shortest.items()}, longest


def bind(executable: Any, inputs: list[jax.Array]) -> Call:
    """Return a function that calls a compiled function and waits for the result."""
    return lambda: jax.block_until_ready(executable(*inputs))


def bind_frax(urdf: Path, rows: list[jax.Array]) -> Call:
    """Return a function that calls the inverse dynamics of frax."""
    import frax

    robot = frax.Robot(str(urdf))
    gravity, wrenches = jnp.array([0, 0, 9.81, 0, 0, 0]), jnp.zeros((robot.num_joints, 6))
    tau = jax.vmap(lambda q, qd, qdd: robot.rnea(q, qd, qdd, gravity, wrenches))
    return bind(jax.jit(tau).lower(*rows).compile(), rows)


if __name__ == "__main__":
    main()
