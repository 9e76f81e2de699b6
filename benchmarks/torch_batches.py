"""Times of functions of PyTorch tensors on one core, next to the batch kernels that they call.

    pip install dynagen torch
    python benchmarks/torch_batches.py      # writes the table of docs/torch.md; two minutes

PyTorch runs the functions eagerly, without compilation, on 10 000 states in double precision. The
calls alternate on one thread. A ratio is the shortest time of one call divided by the shortest time
of another call. The batch kernel fills a new array in every call, as torch does.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from batch_kernels import build_batch

import dynagen.torch

PAGE = Path(__file__).parents[1] / "docs" / "torch.md"
STATES, ROUNDS, SINGLE_CALLS = 10_000, 60, 200
_TABLE = re.compile(r"(<!-- table: times -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_HEAD = """| robot | C batch kernel | (joint, state) | rows | gradient of tau^2 | one state |
| --- | --- | --- | --- | --- | --- |"""


def main() -> None:
    """Time the functions of all robots, and write the table of docs/torch.md."""
    torch.set_num_threads(1)
    rows = []
    for robot in ("puma560", "panda"):
        times = measure(robot)
        batch = times["batch"] / STATES
        ratios = (f"{times[name] / times['batch']:.2f}" for name in ("columns", "rows", "gradient"))
        single = f"{1e6 * times['single'] / SINGLE_CALLS:.1f} us"
        rows.append(f"| {robot} | {1e9 * batch:.1f} ns | {' | '.join(ratios)} | {single} |")
        print(rows[-1], flush=True)
    table = "\n".join([_HEAD, *rows])
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_TABLE.sub(rf"\g<1>{table}\n\g<3>", text), encoding="utf-8")


def measure(robot: str) -> dict[str, float]:
    """Return the shortest time (s) of each benchmarked call, such as `batch` or `gradient`."""
    function = dynagen.torch.load(robot, states=100).inverse_dynamics
    kernel, joints = build_batch(robot, STATES)
    generator = np.random.default_rng(0)
    columns = [torch.tensor(generator.normal(size=(joints, STATES))) for _ in range(3)]
    rows = [each.T.contiguous() for each in columns]
    single = [each[0].clone() for each in rows]
    trained = [each.clone().requires_grad_() for each in rows]
    addresses = [each.data_ptr() for each in columns]

    def differentiate() -> Any:
        return torch.autograd.grad(function(*trained).square().sum(), trained)

    def call_single() -> None:
        for _ in range(SINGLE_CALLS):
            function(*single)

    calls: dict[str, Callable[[], Any]] = {
        "batch": lambda: kernel(addresses),
        "columns": lambda: function(*columns, states_last=True),
        "rows": lambda: function(*rows),
        "gradient": differentiate,
        "single": call_single,
    }
    shortest = dict.fromkeys(calls, np.inf)
    for _ in range(ROUNDS):
        for name, call in calls.items():
            for _ in range(3):
                start = time.perf_counter()
                call()
                shortest[name] = min(shortest[name], time.perf_counter() - start)
    return shortest


if __name__ == "__main__":
    main()
