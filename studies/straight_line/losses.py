"""Operation counts of the friction of one joint, compared with Table 3.3 of Dhanaraj (1990).

Each part of the friction model is optimised alone, with forces, moments and loads as inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from dynagen.dynamics.algorithms.efficiency import record_efficiency
from dynagen.dynamics.algorithms.friction import record_bearing_friction, record_supported_load
from dynagen.dynamics.algorithms.screws import Wrench
from dynagen.dynamics.recording import Quantity, Recorder, join
from dynagen.ir.builder import Builder
from dynagen.ir.cost import OperationCount, count
from dynagen.ir.program import Argument
from dynagen.numbers.exact import ZERO, Exact
from dynagen.optimizer.passes.manager import run_passes
from dynagen.robot.description import Bearing, Transmission
from studies.page import Table

TEN_POINTS = tuple((Exact(k) / 9, 1 - Exact(7) / (10 + 3 * k)) for k in range(10))
"""Ten points (load, efficiency) of a gear's efficiency curve, with equally spaced loads."""
UNEVEN_POINTS = tuple((load**3, 1 - Exact(7) / (10 + 27 * load**3)) for load, _ in TEN_POINTS)
"""Ten points (load, efficiency) of a gear's efficiency curve, with unequally spaced loads.

An equally spaced table that contains all these loads would have 729 intervals, which are too many.
"""


def _count(record: Callable[[Recorder], Quantity]) -> OperationCount:
    inputs = [Argument(name, (3,), ("",) * 3, "") for name in ("f", "n")]
    recorder = Recorder(Builder("loss", inputs))
    result = record(recorder)
    output = Argument("tau_f", (1,), ("",), "")
    return count(run_passes(recorder.finish([(output, [result])]))[0])


def _count_bearing(kind: Any, radius: Exact) -> OperationCount:
    bearing = Bearing(kind, Exact("0.1"), radius, Exact("0.2"), ZERO)

    def record(recorder: Recorder) -> Quantity:
        force, moment = (
            join(recorder.add_element(name, index) for index in range(3)) for name in ("f", "n")
        )
        body: Any = SimpleNamespace(to_body_axes=lambda vector: vector)
        load = record_supported_load(bearing, body, Wrench(force, moment))
        return record_bearing_friction(bearing, load)

    return _count(record)


def _count_curve(interpolation: Any) -> OperationCount:
    transmission = Transmission(ZERO, Exact(100), TEN_POINTS, interpolation)
    return _count(lambda recorder: record_efficiency(1, transmission, recorder.add_element("f", 0)))


def table_3_3() -> Table:
    """Compare operation counts of parts of the friction model with the thesis's counts."""
    found = (
        ("journal bearing", "15 M, 5 A", _count_bearing("journal", Exact("0.05"))),
        ("linear bearing", "10 M, 7 A", _count_bearing("linear", ZERO)),
        ("efficiency at ten loads, interpolated linearly", "2 M, 2 A", _count_curve("linear")),
        ("efficiency at ten loads, interpolated by a spline", "5 M, 4 A", _count_curve("spline")),
    )
    rows = [
        [part, printed, f"{ours.mul} M, {ours.add} A", str(ours.sqrt), str(ours.other)]
        for part, printed, ours in found
    ]
    return Table(("part", "printed", "generated", "square roots", "other"), rows)
