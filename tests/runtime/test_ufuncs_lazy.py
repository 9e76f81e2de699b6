"""Ufuncs on dask arrays: nothing is computed before it is requested, then all at once."""

import numpy as np
import pytest

from dynagen.pipeline.driver import Settings
from dynagen.robot.loading import load_robot
from dynagen.runtime.compilation import make_ufuncs
from tests.support.generated_once import generated
from tests.support.libraries import dask_array as da

STATES = np.random.default_rng(6).uniform(-1, 1, (3, 100, 3))


def ufuncs(language):
    requests = ("inverse_dynamics", "jacobian", "base_regressor", "mass_matrix+gravity_forces")
    settings = Settings(language, requests, verify=False, batch=language == "c")
    return make_ufuncs(generated(load_robot("planar3"), settings))


def lazy(array, chunk=30):
    return da.from_array(array, chunks=(chunk, -1))


@pytest.mark.tools
def test_arrays_of_dask_give_arrays_of_dask_in_every_language(language):
    made = ufuncs(language)
    q, qd, qdd = map(lazy, STATES)
    tau = made["inverse_dynamics"](q, qdd=qdd, qd=qd)
    assert isinstance(tau, da.Array)
    assert (tau.shape, tau.chunks[0], tau.dtype) == ((100, 3), (30, 30, 30, 10), np.float64)
    np.testing.assert_array_equal(tau.compute(scheduler="sync"), made["inverse_dynamics"](*STATES))
    regressor = made["base_regressor"](q, qd, np.zeros(3))
    assert regressor.shape == (100, 3, 11)
    np.testing.assert_array_equal(
        regressor[95].compute(), made["base_regressor"](STATES[0], STATES[1], np.zeros(3))[95]
    )
    matrix, gravity = made["mass_matrix_gravity_forces"](q)
    assert (matrix.shape, gravity.shape) == ((100, 3, 3), (100, 3))
    np.testing.assert_array_equal(
        gravity.compute(), made["mass_matrix_gravity_forces"](STATES[0])[1]
    )
    assert made["jacobian"](q).compute().shape == (100, 6, 3)


@pytest.mark.tools
def test_apply_gufunc_takes_a_ufunc_and_its_signature():
    inverse_dynamics = ufuncs("c")["inverse_dynamics"]
    tau = da.apply_gufunc(
        inverse_dynamics, inverse_dynamics.signature, *map(lazy, STATES), output_dtypes=float
    )
    np.testing.assert_array_equal(tau.compute(), inverse_dynamics(*STATES))
    again = da.apply_gufunc(
        inverse_dynamics, inverse_dynamics.signature, *map(lazy, STATES), output_dtypes=float
    )
    assert (
        tau.name == again.name
    )  # the same computation has the same name: dask can tell that it has been done


@pytest.mark.tools
def test_wrong_arrays_of_dask_are_explained():
    inverse_dynamics = ufuncs("c")["inverse_dynamics"]
    q, qd, _ = map(lazy, STATES)
    with pytest.raises(TypeError, match="qdd is missing"):
        inverse_dynamics(1, 2)
    with pytest.raises(ValueError, match="requires 3 arguments"):
        inverse_dynamics(q, qd)
    with pytest.raises(ValueError, match="consists of multiple chunks"):
        inverse_dynamics(q.rechunk((30, 1)), qd, qd)
