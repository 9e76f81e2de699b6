"""The tables of docs/studies are what comes out."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import dynagen
from studies import page
from studies.gill import integrators
from studies.page import FOLDER, STUDIES, committed_tables, tables_agree
from studies.straight_line.chain import compute_motion
from studies.straight_line.line import ARM, TIMES, Geometry, find_branches, joint_motion, path
from studies.two_rate_control.study import closed_loop

PUMA560 = Geometry(0.4318, -0.0203, 0.4331, 0.2435 - 0.0934)

QUICK = {
    "saha": ("free-fall", "torques", "drift", "planar", "integrators", "inverse"),
    "straight_line": (
        "start",
        "transmissions",
        "ours",
        "braking",
        "cost",
        "table-3-3",
        "extremes",
        "schedules",
    ),
    "gill": ("model", "residuals"),
    "izaguirre_identification": ("elimination", "rule", "fit", "conditioning", "code", "gravity"),
    "strobing": ("operations", "motion", "velocity"),
    "unknown_load": ("parameters", "tracking"),
}
"""Tables that a test computes again, by study; the others take longer, and `make studies` computes
them.
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_the_tables_are_what_comes_out(name: str) -> None:
    for table in QUICK[name]:
        computed = str(import_module(f"studies.{name}.study").TABLES[table]())
        committed = committed_tables(name)[table]
        assert tables_agree(computed, committed), f"{table}\n{computed}\n{committed}"


TABLE = "| 0.25 | 7 | 3e-15 | RK45 |\n"


@pytest.mark.parametrize(
    ("cell", "other", "agrees"),
    [
        ("0.25", "0.26", True),
        ("0.25", "0.27", False),
        ("7", "8", True),
        ("3e-15", "8e-15", True),
        ("3e-15", "1e-14", False),
        ("RK45", "RK4", False),
        ("| RK45 ", "", False),
    ],
)
def test_tables_that_differ_by_rounding_are_kept(cell: str, other: str, agrees: bool) -> None:
    assert tables_agree(TABLE.replace(cell, other), TABLE) == agrees


PATH = '<path id="line" d="M 10 20.5 L 12.25 30" style="stroke-width: 1"/>'


@pytest.mark.parametrize(
    ("piece", "other", "written"),
    [
        ("12.25", "12.26", False),
        ("12.25", "13", True),
        ("width: 1", "width: 1.2", True),
        (" L 12.25 30", "", True),
    ],
)
def test_figures_that_look_the_same_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: str, other: str, written: bool
) -> None:
    monkeypatch.setattr(page, "FOLDER", tmp_path)
    monkeypatch.setattr(page, "render_figure", lambda figure, suffix: figure.encode())
    page.write_figures("study", lambda: {"motion": PATH})
    page.write_figures("study", lambda: {"motion": PATH.replace(piece, other)})
    kept = (tmp_path / "study_motion.svg").read_text("utf-8") == PATH
    assert kept != written


@pytest.mark.parametrize("name", STUDIES)
def test_a_page_has_the_tables_and_figures_of_its_study(name: str) -> None:
    assert set(committed_tables(name)) == set(import_module(f"studies.{name}.study").TABLES)
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\((\w+\.svg)\)", text)) == {
        path.name for path in FOLDER.glob(f"{name}_*.svg")
    }
    assert f"({name}.md)" in (FOLDER / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_wrist_moves_on_the_line() -> None:
    """Against forward kinematics, and derivatives of a spline through the angles."""
    q, qd, qdd = joint_motion(TIMES)
    np.testing.assert_allclose(
        dynagen.compile(ARM, "forward_kinematics")(q)[1], path(TIMES)[0], atol=1e-12
    )
    spline = CubicSpline(TIMES, q)
    inside = slice(5, -5)
    np.testing.assert_allclose(spline(TIMES, 1)[inside], qd[inside], atol=1e-5)
    np.testing.assert_allclose(spline(TIMES, 2)[inside], qdd[inside], atol=2e-3)


@pytest.mark.slow
def test_the_chain_follows_any_line_within_reach() -> None:
    """Against forward kinematics, and torques and friction as separate functions."""
    start, end = (-0.3, 0.35, 0.2), (0.2, 0.45, -0.1)
    motion = compute_motion(start, end)
    wrist = dynagen.compile(ARM, "forward_kinematics")(motion.q)[1]
    np.testing.assert_allclose(wrist[[0, -1]], [start, end], atol=1e-12)
    np.testing.assert_allclose(
        np.cross(wrist - start, np.subtract(end, start)), np.zeros_like(wrist), atol=1e-12
    )
    parts = (
        dynagen.compile(ARM, name)(motion.q, motion.qd, motion.qdd)
        for name in ("inverse_dynamics", "friction_forces")
    )
    np.testing.assert_allclose(motion.tau, sum(parts), atol=1e-10)


@pytest.mark.slow
def test_branches_are_all_solutions() -> None:
    """Against Newton's method from random angles, which finds the same four and no fifth."""
    generator = np.random.default_rng(7)
    position = dynagen.compile(ARM, "forward_kinematics")
    jacobian = dynagen.compile(ARM, "jacobian")
    for point in ([0.4, 0.1, 0.1], [-0.3, 0.35, 0.2], [0.1, -0.5, -0.3]):
        branches = find_branches(PUMA560, np.array(point))
        generated, reached, _ = dynagen.compile(ARM, "inverse_kinematics")(point)
        assert reached.all()
        pairs = [1, 0, 3, 2]  # the elbow's sides are in the other order
        assert np.abs(np.exp(1j * generated[pairs]) - np.exp(1j * branches)).max() < 1e-9
        np.testing.assert_allclose(position(branches)[1], [point] * 4, atol=1e-12)
        q = generator.uniform(-np.pi, np.pi, (500, 3))
        for _ in range(60):
            error = (point - position(q)[1])[..., None]
            q = q + np.clip(np.linalg.solve(jacobian(q)[:, :3], error)[..., 0], -0.5, 0.5)
        found = q[np.linalg.norm(point - position(q)[1], axis=1) < 1e-12]
        distance = np.abs(np.exp(1j * found[:, None]) - np.exp(1j * branches)).max(axis=-1)
        assert distance.min(axis=1).max() < 1e-9
        assert set(distance.argmin(axis=1)) == {0, 1, 2, 3}


@pytest.mark.slow
@pytest.mark.parametrize("branch", range(4))
def test_the_chain_stays_on_the_branch(branch: int) -> None:
    motion = compute_motion(branch=branch)
    q = np.exp(1j * motion.q)
    for place in (0, 100, -1):
        branches, *_ = dynagen.compile(ARM, "inverse_kinematics")(path(TIMES)[0][place])
        np.testing.assert_allclose(q[place], np.exp(1j * branches[branch]), atol=1e-12)


@pytest.mark.parametrize(
    ("end", "message"),
    [((0.4, 0.9, 0.5), "out of reach"), ((0.01, 0.02, 0.1), "out of reach")],
)
def test_the_chain_rejects_a_line_out_of_reach(
    end: tuple[float, float, float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        compute_motion((0.4, 0.1, 0.1), end)


def test_gill_s_method_gives_back_what_rounding_takes() -> None:
    """A pendulum in a thousand steps of single precision; in double precision the classical method
    is of fourth order.
    """

    def fall(t: float, y: np.ndarray) -> np.ndarray:
        return np.array([y[1], -np.sin(y[0])], dtype=y.dtype)

    start = np.array([3.0, 0.0])
    exact = integrators.classical(fall, start, 1.0, 1e-3)
    coarse, fine = (integrators.classical(fall, start, 1.0, step) - exact for step in (0.1, 0.05))
    assert np.log2(np.abs(coarse / fine)) == pytest.approx(4, abs=0.2)
    kept, lost = (
        np.abs(method(fall, start.astype(np.float32), 1.0, 1e-3) - exact).max()
        for method in (integrators.gill, integrators.gill_of_listing)
    )
    assert kept < 5e-7
    assert lost > 10 * kept


@pytest.mark.slow
def test_coefficients_of_20_ms_ago_cost_what_the_page_says() -> None:
    table = committed_tables("two_rate_control")["two-rates"]
    (row,) = (line.split("|")[2:4] for line in table.splitlines() if line.startswith("| 20 "))
    for on_line, expected in zip((False, True), row, strict=True):
        assert closed_loop(180, 0.02, on_line)[1].max() == pytest.approx(
            float(expected), abs=1.01e-4
        )
