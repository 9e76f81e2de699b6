"""Efficiency curves: grids of cells, and values against numpy and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import PchipInterpolator

from dynagen.dynamics.algorithms.efficiency import (
    MOST_CELLS,
    divide_loads,
    record_efficiency,
    split_curve,
)
from dynagen.dynamics.recording import Recorder
from dynagen.ir.builder import Builder
from dynagen.ir.evaluation import evaluate
from dynagen.ir.program import Argument, Program
from dynagen.ir.text import print_program
from dynagen.ir.validation import validate
from dynagen.numbers.exact import ZERO, Angle, Exact
from dynagen.optimizer.passes.manager import run_passes
from dynagen.robot.description import Transmission
from tests.support.program_parser import parse_program

RATED = Exact("12.5")
CURVES = st.lists(st.integers(1, 40), min_size=2, max_size=8)


def record(points: tuple[tuple[Exact, Exact], ...], interpolation: str) -> Program:
    """The program that computes the efficiency at an output, without passes."""
    recorder = Recorder(Builder("curve", [Argument("output", (1,), ("N m",), "")]))
    transmission = Transmission(ZERO, RATED, points, interpolation)
    efficiency = record_efficiency(1, transmission, recorder.add_element("output", 0))
    return validate(recorder.finish([(Argument("eff", (1,), ("1",), ""), [efficiency])]))


def compute(program: Program, outputs: np.ndarray) -> np.ndarray:
    return np.broadcast_to(evaluate(program, {"output": [outputs]})["eff"][0], outputs.shape)


def interpolate(
    points: tuple[tuple[Exact, Exact], ...], interpolation: str, outputs: np.ndarray
) -> np.ndarray:
    """The same from numpy and scipy, constant beyond the ends."""
    loads, heights = (np.array([float(point[axis]) for point in points]) for axis in (0, 1))
    load = np.clip(np.abs(outputs) / float(RATED), loads[0], loads[-1])
    if interpolation == "linear":
        return np.interp(load, loads, heights)
    return PchipInterpolator(loads, heights)(load)


@st.composite
def curves(draw: st.DrawFn) -> tuple[tuple[Exact, Exact], ...]:
    heights = draw(st.lists(st.integers(1, 40), min_size=2, max_size=10))
    step = Exact(draw(st.integers(1, 9))) / draw(st.integers(1, 99))
    places = sorted(
        draw(
            st.lists(
                st.integers(0, draw(st.sampled_from([12, 60, 2000]))),
                min_size=len(heights),
                max_size=len(heights),
                unique=True,
            )
        )
    )
    start = Exact(draw(st.integers(0, 30))) / 30
    return tuple(
        (start + step * place, Exact(height) / 40)
        for place, height in zip(places, heights, strict=True)
    )


@given(curves(), st.sampled_from(["linear", "spline"]))
def test_values_agree_with_numpy_and_scipy_between_at_and_beyond_the_points(points, interpolation):
    program = record(points, interpolation)
    ends = np.array([float(load) for load, _ in points]) * float(RATED)
    outputs = np.concatenate(
        [np.linspace(-1.2, 1.2, 97) * ends[-1], ends, np.nextafter(ends, 0), -ends, [0.0, 1e4]]
    )
    found = compute(program, outputs)
    assert found == pytest.approx(interpolate(points, interpolation, outputs), abs=1e-11)
    if program.tables:
        assert np.isnan(compute(program, np.array([np.nan]))).all()
    optimised = run_passes(program)[0]
    assert compute(optimised, outputs) == pytest.approx(found, abs=1e-11)


@given(curves(), st.sampled_from(["linear", "spline"]))
def test_programs_with_tables_read_back(points, interpolation):
    program = record(points, interpolation)
    again = parse_program(print_program(program))
    assert print_program(again) == print_program(program)
    assert again.tables == program.tables


@pytest.mark.parametrize(
    ("loads", "step", "offset", "starts"),
    [
        (("0", "0.5", "1"), "0.5", "0", (0, 1, 2)),
        (("0", "0.1", "0.4", "1"), "0.1", "0", (0, 1, 4, 10)),
        (("0.1", "0.2", "1"), "0.1", "0", (1, 2, 10)),
        (("0.05", "0.15", "0.25"), "0.1", "0.5", (1, 2, 3)),
        (("0.3", "0.5", "0.7"), "0.2", "0.5", (2, 3, 4)),
    ],
)
def test_the_step_is_the_greatest_that_divides_all_distances(loads, step, offset, starts):
    grid = divide_loads(tuple((Exact(load), Exact(1)) for load in loads))
    assert (grid.step, grid.offset, grid.starts) == (Exact(step), Exact(offset), starts)
    assert len(grid.intervals) == starts[-1] + 1
    assert grid.intervals.count(-1) == starts[0]


@pytest.mark.parametrize(
    "loads",
    [
        [Exact(0), Exact(1)],
        [Exact(0), Exact(1), Exact(MOST_CELLS)],
        [Exact(0), Angle(Exact(0)).cos, Exact(2).sqrt()],
    ],
)
def test_two_points_too_many_cells_and_irrational_loads_have_no_table(loads):
    points = tuple((load, Exact(1) / (2 + place)) for place, load in enumerate(loads))
    assert divide_loads(points) is None
    assert not record(points, "linear").tables


@settings(max_examples=60)
@given(CURVES, st.randoms(use_true_random=False))
def test_a_spline_meets_its_points_smoothly_and_stays_between_them(heights, random):
    loads = sorted(random.sample(range(60), len(heights)))
    points = tuple(
        (Exact(load) / 7, Exact(height) / 40) for load, height in zip(loads, heights, strict=True)
    )
    intervals = split_curve(points, "spline")
    slope = None
    for interval, (start, low), (end, high) in zip(intervals, points[:-1], points[1:], strict=True):
        c1, c2, c3 = interval.coefficients
        assert (interval.start, interval.start + interval.width) == (start, end)
        assert (
            low + sum((c * interval.width**power for power, c in enumerate((c1, c2, c3), 1)), ZERO)
            == high
        )
        assert slope in (None, c1)
        slope = c1 + 2 * c2 * interval.width + 3 * c3 * interval.width**2
        for step in range(1, 10):
            way = interval.width * step / 10
            value = low + c1 * way + c2 * way**2 + c3 * way**3
            assert min(low, high) <= value <= max(low, high)
