"""Forward dynamics with closed loops are those of Pinocchio for the constrained cut tree."""

from __future__ import annotations

import numpy as np
import pytest

from tests.dynamics.functions.test_all_with_loops import NAMES, compute, cut_tree, draw_motion


@pytest.mark.slow
@pytest.mark.tools
@pytest.mark.parametrize("name", NAMES)
def test_accelerations_are_those_of_pinocchio(name):
    from benchmarks.loops import make_pinocchio

    cut = cut_tree(name)
    q, v, a = draw_motion(cut)
    free = cut.independent
    tau = cut.compute_forces(q, v, a)
    qdd, *least = compute(cut, "forward_dynamics", q[:, free], v[:, free], tau)
    assert np.all([each > 0 for each in least])
    forces = np.zeros_like(q)
    forces[:, free] = tau
    solve = make_pinocchio(cut)
    expected = np.array([solve(*state) for state in zip(q, v, forces, strict=True)])[:, free]
    assert np.abs(qdd - expected).max() < 1e-8 * np.abs(expected).max()


@pytest.mark.slow
@pytest.mark.tools
@pytest.mark.parametrize("name", NAMES)
def test_the_page_has_the_counts(name):
    from benchmarks.loops import PAGE, count

    page = PAGE.read_text(encoding="utf-8")
    for function, (operations, sines) in count(name).items():
        assert f"| {name} | `{function}` | {operations} | {sines} |" in page
