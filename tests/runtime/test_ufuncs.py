"""Ufuncs: inputs and results of calls in every language, and messages on wrong calls."""

import gc
import inspect
import re
import sys
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest

import dynagen
from dynagen.errors import VerificationError
from dynagen.pipeline.driver import Settings
from dynagen.robot.loading import load_robot
from dynagen.runtime.compilation import make_ufuncs, prove_calls
from tests.support.generated_once import generated
from tests.support.loaded_arm import SOME_FUNCTIONS, loaded_arm_in_c

REQUESTS = (
    "inverse_dynamics",
    "mass_matrix",
    "forward_kinematics",
    "jacobian",
    "mass_matrix+gravity_forces",
)
RNG = np.random.default_rng(5)


def ufuncs(language="c", real="double", robot="planar3", requests=REQUESTS):
    settings = Settings(language, requests, verify=False, real=real, batch=language == "c")
    return make_ufuncs(generated(load_robot(robot), settings))


@pytest.fixture(scope="module")
def inverse_dynamics():
    return ufuncs()["inverse_dynamics"]


def test_leading_axes_broadcast_in_every_language(language):
    made = ufuncs(language)
    q, qd, qdd = RNG.uniform(-1, 1, (4, 1, 3)), RNG.uniform(-1, 1, (5, 3)), RNG.uniform(-1, 1, 3)
    tau = made["inverse_dynamics"](q, qd, qdd)
    assert tau.shape == (4, 5, 3)
    for a, b in np.ndindex(4, 5):
        one = made["inverse_dynamics"](q[a, 0], qd[b], qdd)
        assert one.shape == (3,)
        np.testing.assert_array_equal(tau[a, b], one)
    matrix, gravity = made["mass_matrix_gravity_forces"](q)
    assert (matrix.shape, gravity.shape) == ((4, 1, 3, 3), (4, 1, 3))
    rotation, point = made["forward_kinematics"](q)
    assert (rotation.shape, point.shape) == ((4, 1, 3, 3), (4, 1, 3))
    assert made["jacobian"](q).shape == (4, 1, 6, 3)
    assert made["mass_matrix"](np.empty((0, 7, 3))).shape == (0, 7, 3, 3)


def test_inputs_by_name_and_results_in_given_arrays_in_every_language(language):
    made = ufuncs(language)
    q, qd, qdd = RNG.uniform(-1, 1, (3, 10, 3))
    for leading in (slice(None), 0):
        state = q[leading], qd[leading], qdd[leading]
        expected = made["inverse_dynamics"](*state)
        out = np.full_like(expected, np.nan)
        assert made["inverse_dynamics"](qdd=state[2], q=state[0], qd=state[1], out=out) is out
        np.testing.assert_array_equal(out, expected)
        rotation, point = (np.empty_like(each) for each in made["forward_kinematics"](state[0]))
        stored = made["forward_kinematics"](state[0], out=(rotation, point))
        assert stored[0] is rotation
        assert stored[1] is point
        np.testing.assert_array_equal(point, made["forward_kinematics"](state[0])[1])


def test_lists_integers_and_other_types_become_what_the_kernel_computes_in(language):
    double, single = (
        ufuncs(language)["inverse_dynamics"],
        ufuncs(language, "float")["inverse_dynamics"],
    )
    state = [0.1, 0.2, 0.3], np.array([1, 2, 3]), np.array([1, 0, 0], dtype=bool)
    assert double(*state).dtype == double.dtype == np.float64
    assert single(*state).dtype == single.dtype == np.float32
    np.testing.assert_allclose(single(*state), double(*state), rtol=1e-5)
    np.testing.assert_array_equal(
        single(*np.ones((3, 2, 3))), single(*np.ones((3, 2, 3), np.float32))
    )


WRONG = {
    "missing": (lambda f, x: f(x, x), TypeError, "takes q, qd, qdd: qdd is missing"),
    "twice": (lambda f, x: f(x, x, x, q=x), TypeError, "got q by position and by name"),
    "unknown": (lambda f, x: f(x, x, x, tau=x), TypeError, "unexpected keyword argument 'tau'"),
    "misspelt": (lambda f, x: f(x, x, qddd=x), TypeError, "unexpected keyword argument 'qddd'"),
    "too many": (lambda f, x: f(x, x, x, x, x), TypeError, "takes 3 inputs.*, not 5"),
    "complex": (lambda f, x: f(x, 1j * x, x), TypeError, "qd must be real numbers, not complex128"),
    "text": (lambda f, x: f(x, x, "1 2 3"), TypeError, "qdd must be real numbers, not <U5"),
    "None": (lambda f, x: f(None, x, x), TypeError, "q must be real numbers, not object"),
    "ragged": (lambda f, x: f([[1, 2], [3]], x, x), ValueError, "inhomogeneous"),
    "short": (
        lambda f, x: f(x, x[:2], x),
        ValueError,
        re.escape("qd must have shape (3,), or (..., 3) for many states, not (2,)"),
    ),
    "scalar": (
        lambda f, x: f(x, 0.0, x),
        ValueError,
        re.escape("qd must have shape (3,), or (..., 3) for many states, not ()"),
    ),
    "transposed": (lambda f, x: f(x, x, np.ones((3, 9))), ValueError, re.escape("not (3, 9)")),
    "counts": (
        lambda f, x: f(np.ones((4, 3)), x, np.ones((5, 3))),
        ValueError,
        re.escape("the leading axes of the inputs do not broadcast: q (4, 3), ")
        + ".*"
        + re.escape("qdd (5, 3)"),
    ),
    "out of another shape": (lambda f, x: f(x, x, x, out=np.empty(2)), ValueError, "."),
    "out of integers": (lambda f, x: f(x, x, x, out=np.empty(3, int)), TypeError, "same_kind"),
    "out that is none": (
        lambda f, x: f(x, x, x, out=[0, 0, 0]),
        TypeError,
        "must be an array|must be of ArrayType",
    ),
    "out of a kernel with one result": (lambda f, x: f(x, x, x, out=(x, x)), ValueError, "."),
}


@pytest.mark.parametrize("call", WRONG)
def test_wrong_calls_are_explained_by_the_names_of_arguments(call, language):
    function, error, message = WRONG[call]
    with pytest.raises(error, match=message):
        function(ufuncs(language)["inverse_dynamics"], np.ones(3))


@pytest.mark.slow
@pytest.mark.parametrize("real", ["double", "float"])
def test_what_is_returned_is_proved_for_functions_with_parameters_and_statuses(real):
    generation = loaded_arm_in_c(real, batch=True, functions=SOME_FUNCTIONS)
    calls = make_ufuncs(generation)
    proofs = prove_calls(generation, calls)
    assert len(proofs) == 2 * (len(calls) - 1)  # each state alone, and all at once


def test_a_function_that_is_wrong_is_not_returned():
    generation = generated(
        load_robot("planar3"), Settings(functions=REQUESTS, verify=False, batch=True)
    )
    right = make_ufuncs(generation)

    def wrong(q):
        """Many states are confused, one alone is not."""
        return right["mass_matrix"](q if np.ndim(q) == 1 else q[::-1])

    with pytest.raises(VerificationError, match="mass_matrix_batch disagrees"):
        prove_calls(generation, {**right, "mass_matrix": wrong})


def test_values_of_parameters_may_differ_from_state_to_state(language):
    robot = {
        "name": "swing", "convention": "modified", "gravity": [0, -9.81, 0],
        "parameters": {"bob": {"value": 2, "runtime": True}},
        "links": [{"name": "rod", "joint": "revolute", "dh": {"alpha": 0, "a": 0, "d": 0},
                   "mass": "bob", "com": [0.5, 0, 0], "inertia": [0, 0, 0]}],
    }  # fmt: skip
    gravity = dynagen.compile(robot, "gravity_forces", lang=language, states=20)
    assert gravity.signature == "(1),(1)->(1)"
    masses = np.array([[1.0], [2.0], [4.0]])
    np.testing.assert_allclose(gravity([0.0], masses), 0.5 * 9.81 * masses, rtol=1e-15)
    np.testing.assert_allclose(
        gravity(np.zeros((5, 1)), values=[3.0]), np.full((5, 1), 0.5 * 9.81 * 3), rtol=1e-15
    )
    np.testing.assert_allclose(
        gravity(np.zeros((4, 1, 1)), masses),
        np.broadcast_to(0.5 * 9.81 * masses, (4, 3, 1)),
        rtol=1e-15,
    )


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("count", [7, 8, 9, 16, 255, 256, 257, 600])
def test_many_states_give_the_same_as_each_alone_to_the_last_bit(real, count):
    made = ufuncs(real=real)
    q, qd, qdd = RNG.uniform(-3, 3, (3, count, 3)).astype(made["jacobian"].dtype)
    alone = [made["inverse_dynamics"](*state) for state in zip(q, qd, qdd, strict=True)]
    np.testing.assert_array_equal(made["inverse_dynamics"](q, qd, qdd), alone)
    np.testing.assert_array_equal(made["mass_matrix"](q), [made["mass_matrix"](each) for each in q])
    columns = np.empty((3, count), q.dtype).T
    made["inverse_dynamics"](
        *map(np.asfortranarray, (q, qd, qdd)), out=columns
    )  # nothing is copied
    np.testing.assert_array_equal(columns, alone)


LAYOUTS = {
    "in columns": np.asfortranarray,
    "every other state": lambda x: np.repeat(x, 2, axis=0)[::2],
    "every other element": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "backwards": lambda x: x[::-1].copy()[::-1],
    "mirrored": lambda x: x[:, ::-1].copy()[:, ::-1],
    "of the other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "not aligned": lambda x: (
        np.frombuffer(b"x" + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(x.shape)
    ),
    "read only": lambda x: np.broadcast_to(x, x.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("count", [1, 3, 8, 300, 1000])
def test_any_layout_of_arrays_gives_the_same_to_the_last_bit(inverse_dynamics, layout, count):
    arrays = RNG.uniform(-1, 1, (3, count, 3))
    laid_out = [LAYOUTS[layout](array) for array in arrays]
    np.testing.assert_array_equal(np.array(laid_out), arrays)
    expected = inverse_dynamics(*arrays)
    np.testing.assert_array_equal(inverse_dynamics(*laid_out), expected)
    np.testing.assert_array_equal(inverse_dynamics(*(each[-1] for each in laid_out)), expected[-1])
    out = np.zeros((3, count)).T
    inverse_dynamics(*arrays, out=out)
    np.testing.assert_array_equal(out, expected)
    for place in range(3):
        aliased = [array.copy() for array in arrays]
        inverse_dynamics(*aliased, out=aliased[place])
        np.testing.assert_array_equal(aliased[place], expected)


def test_a_result_may_overlap_an_input(inverse_dynamics):
    line = RNG.uniform(-1, 1, 8)
    expected = inverse_dynamics(line[:3], line[2:5], line[5:])
    shifted = line.copy()
    inverse_dynamics(shifted[:3], shifted[2:5], shifted[5:], out=shifted[1:4])
    np.testing.assert_array_equal(shifted[1:4], expected)
    with pytest.raises(ValueError, match="read-only"):
        inverse_dynamics(line[:3], line[2:5], line[5:], out=np.broadcast_to(line[:3], 3))


def test_axes_are_numpy_s(inverse_dynamics):
    q, qd, qdd = RNG.uniform(-1, 1, (3, 6, 3))
    expected = inverse_dynamics(q, qd, qdd)
    np.testing.assert_array_equal(inverse_dynamics(q.T, qd.T, qdd.T, axes=[0, 0, 0, 0]), expected.T)
    matrix = ufuncs()["mass_matrix"]
    np.testing.assert_array_equal(matrix(q, axes=[-1, (0, 1)]), np.moveaxis(matrix(q), 0, -1))
    with pytest.raises(TypeError, match="where"):  # as of all generalized ufuncs
        inverse_dynamics(q, qd, qdd, where=True)
    with pytest.raises(TypeError, match="cast"):
        inverse_dynamics(q.astype(np.float32), qd, qdd, casting="no")


def test_not_a_number_stays_one_and_nothing_warns(inverse_dynamics):
    q = np.array([[0.0, 0.0, np.nan], [0.0, np.inf, 0.0], [0.1, 0.2, 0.3]])
    with np.errstate(all="raise"):
        tau = inverse_dynamics(q, q, q)
        inverse_dynamics(q[1], q[1], q[1])
        assert np.isnan(tau[:2]).any(1).all()
        assert np.isfinite(tau[2]).all()


@pytest.mark.slow
def test_not_a_number_reaches_all_that_depends_on_it_and_what_cancels():
    jacobian = dynagen.compile("panda", "jacobian")
    q = np.random.default_rng(1).uniform(-1, 1, (20, 7))
    for joint in range(7):
        moved, spoilt = q.copy(), q.copy()
        moved[:, joint] += 0.5
        spoilt[:, joint] = np.nan
        depends = np.abs(jacobian(moved) - jacobian(q)).max(0) > 1e-12
        reached = np.isnan(jacobian(spoilt)).all(0)
        assert (depends <= reached).all()
        if joint == 0:  # more than depends on it, as docs/python.md states
            assert (depends < reached).any()


def test_help_says_what_a_function_takes_and_costs(inverse_dynamics):
    assert repr(inverse_dynamics) == "<inverse_dynamics: q(3), qd(3), qdd(3) -> tau(3), double>"
    assert str(inspect.signature(inverse_dynamics)) == "(q, qd, qdd, *, out=None, **keywords)"
    assert "26 mul, 23 add" in inverse_dynamics.__doc__
    assert "q    in   3  joint positions, rad" in inverse_dynamics.__doc__
    assert inverse_dynamics.signature == "(3),(3),(3)->(3)"
    assert (inverse_dynamics.nin, inverse_dynamics.nout, inverse_dynamics.__name__) == (
        3,
        1,
        "inverse_dynamics",
    )
    table = inverse_dynamics._repr_html_()
    assert "<td>26</td>" in table
    assert "-&gt; tau(3)" in table


@pytest.mark.slow
def test_calls_leave_no_memory_behind(inverse_dynamics):
    kinematics, x, many = ufuncs()["forward_kinematics"], np.ones(3), np.ones((20, 3))
    out = np.empty(3)

    def calls(count):
        for _ in range(count):
            inverse_dynamics(x, x, x)
            inverse_dynamics(x, qd=x, qdd=x, out=out)
            inverse_dynamics(many, x, [1, 2, 3])
            kinematics(x)
            kinematics(many)
            for wrong in ((x, x), (x, x, 1j * x), (x, x, x[:2]), (many, x, many[:3])):
                with suppress(TypeError, ValueError):
                    inverse_dynamics(*wrong)

    calls(100)
    gc.collect()
    tracemalloc.start()
    try:
        calls(1)
        before = tracemalloc.get_traced_memory()[0]
        calls(10_000)
        assert (
            tracemalloc.get_traced_memory()[0] - before < 50_000
        )  # five bytes a round: no object is as small
    finally:
        tracemalloc.stop()


def test_other_threads_run_meanwhile(inverse_dynamics):
    """Check that a call releases the interpreter: without forced switches, no other thread runs."""
    states, turns, over = np.ones((3, 1000, 3)), [0], threading.Event()

    def count():
        while not over.is_set():
            turns[0] += 1
            time.sleep(0)

    interval = sys.getswitchinterval()
    other = threading.Thread(target=count)
    sys.setswitchinterval(1e6)
    try:
        other.start()
        before, calls = turns[0], 0
        while turns[0] == before and calls < 1_000_000:
            inverse_dynamics(*states)
            calls += 1
        meanwhile = turns[0] - before
    finally:
        over.set()
        sys.setswitchinterval(interval)
        other.join()
    assert meanwhile > 0


def test_threads_call_the_same_function(inverse_dynamics):
    states = [RNG.uniform(-1, 1, (3, count, 3)) for count in range(1, 200)]
    with ThreadPoolExecutor(8) as pool:
        for state, tau in zip(
            states, pool.map(lambda state: inverse_dynamics(*state), states), strict=True
        ):
            np.testing.assert_array_equal(tau, inverse_dynamics(*state))
