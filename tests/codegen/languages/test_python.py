"""Generated Python: a module for numpy that broadcasts, and says plainly what it cannot take."""

from types import ModuleType

import numpy as np
import pytest

from tests.support.packages import EVERYTHING, GRAVITY, kernel, package, render, texts


@pytest.fixture(scope="module")
def module():
    text = texts(render("python", package(kernel(EVERYTHING), kernel(GRAVITY))))["puma560.py"]
    loaded = ModuleType("puma560")
    exec(compile(text, "puma560.py", "exec"), loaded.__dict__)
    return loaded


def test_constants_and_documentation(module):
    assert module.N == 3
    assert module.JOINTS == ("shoulder", "upper arm", "slide")
    assert "Dhanaraj (1990), Tables 2.1, 2.5, 2.6" in module.__doc__
    assert module.gravity_forces.__doc__.startswith(
        "tau = ID(q, qd, qdd).  1 mul, 0 add, 0 div, 1 sincos. Proved on 1000"
    )
    assert (
        "g  out  2  joint forces that hold the robot against gravity, N m"
        in module.gravity_forces.__doc__
    )


def test_leading_axes_broadcast(module):
    generator = np.random.default_rng(4)
    q, qd, qdd = (
        generator.uniform(-1, 1, (5, 1, 3)),
        generator.uniform(-1, 1, (4, 3)),
        generator.uniform(-1, 1, 3),
    )
    tau, jacobian = module.everything(q, qd, qdd)
    assert tau.shape == (5, 4, 3)
    assert jacobian.shape == (5, 4, 2, 3)
    assert tau.dtype == np.float64
    one, matrix = module.everything(q[2, 0], qd[3], qdd)
    np.testing.assert_array_equal(one, tau[2, 3])
    np.testing.assert_array_equal(matrix, jacobian[2, 3])


def test_lists_integers_and_empty_batches_are_fine(module):
    assert module.gravity_forces([0, 0, 0]).tolist() == [9.81, 0.0]
    assert module.gravity_forces(np.empty((0, 3))).shape == (0, 2)


def test_results_are_new_arrays(module):
    q = np.array([0.5, 1.0, 2.0])
    tau, _ = module.everything(q, np.zeros(3), np.zeros(3))
    tau[:] = 9.0
    assert q.tolist() == [0.5, 1.0, 2.0]


def test_a_wrong_shape_is_explained(module):
    with pytest.raises(ValueError, match=r"^q must have shape \(\.\.\., 3\), not \(2,\)$"):
        module.gravity_forces([1.0, 2.0])
    with pytest.raises(ValueError, match=r"^q must have shape \(\.\.\., 3\), not \(\)$"):
        module.gravity_forces(1.0)
    with pytest.raises(
        ValueError, match=r"leading axes of q, qd, qdd do not broadcast: \[\(4,\), \(5,\), \(\)\]"
    ):
        module.everything(np.zeros((4, 3)), np.zeros((5, 3)), np.zeros(3))


def test_nothing_traps(module):
    tau, _ = module.everything([np.inf, np.nan, 1e308], [1e308] * 3, [0.0] * 3)
    assert np.isnan(tau[0])
