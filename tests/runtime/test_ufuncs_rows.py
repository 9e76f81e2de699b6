"""Calls with many states, in SIMD lanes or copied, equal calls with one state in every bit."""

import itertools

import numpy as np
import pytest

from dynagen.codegen.languages import find_language
from dynagen.pipeline.driver import Settings
from dynagen.robot.loading import load_robot
from dynagen.runtime.ufuncs import collect_source
from dynagen.toolchain.extension import compile_module, import_module
from tests.support.generated_once import generated

RNG = np.random.default_rng(8)
# Each with arrays of 3 numbers per state, fewer than some pieces have, and of 9, which no lane
# width divides.
REQUESTS = ("inverse_dynamics", "mass_matrix+gravity_forces")
WIDTHS = {
    "2 doubles": ("double", "-DROBOT_LANE_BYTES=16"),
    "4 doubles": ("double", "-DROBOT_LANE_BYTES=32"),
    "8 doubles": ("double", "-DROBOT_LANE_BYTES=64"),
    "4 floats": ("float", "-DROBOT_LANE_BYTES=16"),
    "8 floats": ("float", "-DROBOT_LANE_BYTES=32"),
    "16 floats": ("float", "-DROBOT_LANE_BYTES=64"),
    "no vectors": ("double", "-DROBOT_NO_VECTORS"),
    "no shuffles": ("double", "-D__has_builtin(x)=0"),
}
WAYS = {
    "rows": np.ascontiguousarray,
    "rows apart": lambda x: np.concatenate([x, x], axis=-1)[..., : x.shape[-1]],
    "backwards": lambda x: x[::-1].copy()[::-1],
    "columns": lambda x: np.moveaxis(np.moveaxis(x, 0, -1).copy(), -1, 0),
    "neither": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
}


@pytest.mark.parametrize("width", WIDTHS)
def test_states_in_any_order_by_vectors_of_any_width(width, tmp_path):
    real, option = WIDTHS[width]
    generation = generated(
        load_robot("planar3"),
        Settings("c", REQUESTS, prefix="robot", verify=False, real=real, batch=True),
    )
    extension = find_language("c").ufunc_module
    source = collect_source("c", generation.package, generation.files)
    compile_module(
        extension.compiler,
        source.print_module_files(extension),
        tmp_path / "_kernels.so",
        ("-O1", option),
    )
    module = import_module(tmp_path / "_kernels.so")
    for count in (8, 16, 21, 35):
        q, qd, qdd = RNG.uniform(-3, 3, (3, count, 3)).astype(generation.request.real.dtype)
        alone = np.array(
            [module.inverse_dynamics(*state) for state in zip(q, qd, qdd, strict=True)]
        )
        matrices, gravity = map(
            np.array, zip(*map(module.mass_matrix_gravity_forces, q), strict=True)
        )
        for taken, given in itertools.product(WAYS.values(), WAYS.values()):
            tau, both = (
                given(np.zeros_like(alone)),
                (given(np.zeros_like(matrices)), np.zeros_like(gravity)),
            )
            module.inverse_dynamics(taken(q), qd, taken(qdd), out=tau)
            np.testing.assert_array_equal(tau, alone)
            module.mass_matrix_gravity_forces(taken(q), out=both)
            np.testing.assert_array_equal(both[0], matrices)
            np.testing.assert_array_equal(both[1], gravity)
        for each in range(3):  # the same for all states
            state = [
                values[0] if place == each else values for place, values in enumerate((q, qd, qdd))
            ]
            expected = [
                module.inverse_dynamics(*given)
                for given in zip(*np.broadcast_arrays(*state), strict=True)
            ]
            np.testing.assert_array_equal(module.inverse_dynamics(*state), expected)
