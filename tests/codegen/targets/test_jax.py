"""Target `jax`: functions of JAX arrays by both back ends, derivatives, and planted faults."""

import subprocess
import sys
import zipfile
from functools import partial
from operator import attrgetter

import numpy as np
import pytest

import dynagen
import dynagen.jax
from dynagen.codegen.languages.c import array_library
from dynagen.codegen.targets import jax as target
from tests.support.libraries import jax, jax_test_util

pytestmark = pytest.mark.tools
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "forward_kinematics")
WALKER = """name: walker
gravity: [0, 0, -9.81]
links:
  - {name: trunk, joint: floating, mass: 4, com: [0.01, 0.02, 0.03],
     inertia: [0.1, 0.12, 0.15, 0.01, 0, 0]}
  - {name: leg, joint: revolute, parent: trunk, axis: [0, 1, 0], origin: {xyz: [0.2, 0, -0.1]},
     mass: 1, com: [0, 0, -0.2], inertia: [0.01, 0.01, 0.002, 0, 0, 0]}
"""
BALL = """name: ball
gravity: [0, 1, -9.81]
links:
  - {name: slide, joint: prismatic, axis: [1, 0, 0], mass: 1, com: [0, 0, 0.1], inertia: [0, 0, 0]}
  - {name: arm, joint: spherical, origin: {xyz: [0.1, 0, 0]}, mass: 2, com: [0.1, 0.2, 0.3],
     inertia: [0.3, 0.4, 0.5, 0.01, 0.02, 0.03]}
"""
SIZES = {"planar3": (3, 3), "walker": (8, 7), "ball": (5, 4)}  # of q and v
LOADED = """
name: loaded
convention: modified
gravity: [0, -9.81, 0]
parameters: {bob: {value: 2, unit: kg, runtime: true}}
links:
  - {name: rod, joint: revolute, dh: {alpha: 0, a: 0, d: 0}, mass: bob, com: [0.5, 0, 0],
     inertia: [0, 0, 0.1]}
"""

PROGRAM = """
import jax
jax.config.update("jax_enable_x64", True)
import numpy as np, sys
from planar3_jax import JOINTS, N, inverse_dynamics
assert "dynagen" not in sys.modules and (N, JOINTS) == (3, ("upper_arm", "forearm", "hand"))
q, qd, qdd = np.load("states.npy")
np.testing.assert_array_equal(inverse_dynamics(q, qd, qdd), np.load("tau.npy"))
print(jax.jit(jax.grad(lambda q: inverse_dynamics(q, qd[0], qdd[0])[0]))(q[0]).shape)
help(inverse_dynamics)
"""


@pytest.fixture(scope="module", autouse=True)
def _doubles():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.fixture(scope="module")
def states():
    """Fifty states of a robot with a floating base and one joint, or of planar3."""

    def draw(nq, nv, count=50):
        generator = np.random.default_rng(7)
        return [generator.uniform(-2, 2, (count, size)) for size in (nq, nv, nv)]

    return draw


@pytest.fixture(scope="module")
def robots():
    """Return planar3, a robot with a floating base and one with a spherical joint, loaded."""
    return {
        "planar3": dynagen.jax.load("planar3", states=60),
        "walker": dynagen.jax.load(WALKER, states=60),
        "ball": dynagen.jax.load(BALL, states=60),
    }


def test_the_wheel_runs_without_dynagen(tmp_path, states):
    generation = dynagen.generate("planar3", FUNCTIONS, target="jax", out=tmp_path, states=60)
    assert generation.archive.name.startswith("planar3_jax-0.1-py3-none-")
    with zipfile.ZipFile(tmp_path / generation.archive.name) as wheel:
        wheel.extractall(tmp_path)
    inputs = states(3, 3)
    np.save(tmp_path / "states.npy", np.array(inputs))
    np.save(tmp_path / "tau.npy", dynagen.load("planar3", states=20).inverse_dynamics(*inputs))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("(3,)\n")
    assert "First derivatives in forward and reverse mode." in done.stdout


# XLA needs seconds for every derivative of a program of a robot with quaternions; their derivatives
# of the forward dynamics are compared with difference quotients.
@pytest.mark.parametrize(
    ("robot", "function", "chosen"),
    [
        ("planar3", "inverse_dynamics", None),
        ("planar3", "forward_dynamics", None),
        ("walker", "inverse_dynamics", ("value", "jvp", "vmap of grad")),
        ("ball", "inverse_dynamics", ("value", "jvp", "vmap of grad")),
    ],
)
def test_transformations_agree_with_the_program_in_jax_numpy(
    robots, states, robot, function, chosen
):
    compiled = getattr(robots[robot], function)
    program = partial(compiled, backend="xla")
    inputs = states(*SIZES[robot], count=12)
    changes = [np.cos(each) for each in inputs]

    def loss(f):
        return lambda *arguments: (f(*arguments) ** 2).sum()

    transformations = {
        "value": lambda f, x, one: f(*x),
        "vmap of two": lambda f, x, one: jax.vmap(f, (0, None, 0))(x[0], one[1], x[2]),
        "vmap of vmap": lambda f, x, one: jax.vmap(jax.vmap(f, (None, 0, 0)), (0, None, None))(*x),
        "jvp": lambda f, x, one: jax.jvp(f, x, changes)[1],
        "grad": lambda f, x, one: jax.grad(loss(f), (0, 1, 2))(*x),
        "grad of broadcast": lambda f, x, one: jax.grad(loss(f), (0, 1))(*one[:2], x[2]),
        "vmap of grad": lambda f, x, one: jax.vmap(jax.grad(loss(f), (0, 2)))(*x),
        "jacfwd": lambda f, x, one: jax.jacfwd(f, (0, 1, 2))(*one),
        "vmap of jacrev": lambda f, x, one: jax.vmap(jax.jacrev(f, (0, 1, 2)))(*x),
        "by weights": lambda f, x, one: jax.jacfwd(lambda w: jax.vjp(f, *one)[1](w))(one[1]),
    }

    names = chosen or tuple(transformations)

    def transform_all(f, x):
        return {name: transformations[name](f, x, [a[0] for a in x]) for name in names}

    # One compilation of all: XLA needs seconds for the derivatives of a program.
    wanted = jax.jit(partial(transform_all, program))(inputs)
    for found in (
        transform_all(compiled, inputs),
        jax.jit(partial(transform_all, compiled))(inputs),
    ):
        for name in names:
            pairs = zip(*map(jax.tree.leaves, (found[name], wanted[name])), strict=True)
            for result, expected in pairs:
                np.testing.assert_allclose(
                    result, expected, rtol=0, atol=1e-12 * abs(expected).max(), err_msg=name
                )


@pytest.mark.parametrize("robot", ["walker", "ball"])
def test_derivatives_by_quaternions_are_those_of_the_function(robots, states, robot):
    """Difference quotients by all entries of q, also along the quaternion."""
    inputs = states(*SIZES[robot], count=5)
    jax_test_util.check_grads(
        robots[robot].forward_dynamics, inputs, 1, ("fwd", "rev"), atol=1e-5, rtol=1e-5
    )


def test_small_motions_and_changes_of_q_are_inverse(tmp_path, states):
    generation = dynagen.generate(WALKER, "center_of_mass", target="jax", verify=False)
    (tmp_path / "walker_jax").mkdir()
    for path, content in generation.archive.members.items():
        if path.startswith("walker_jax/"):
            (tmp_path / path).write_bytes(content)
    program = """
import jax, numpy as np
jax.config.update("jax_enable_x64", True)
from walker_jax import find_change, find_motion
q, v, _ = (np.load(f"{name}.npy") for name in ("q", "v", "v"))
q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1)[:, None]
np.testing.assert_allclose(find_motion(q, find_change(q, v)), v, rtol=0, atol=1e-14)
assert abs(np.sum(q[:, 3:7] * find_change(q, v)[:, 3:7], 1)).max() < 1e-14
"""
    q, v, _ = states(8, 7)
    np.save(tmp_path / "q.npy", q)
    np.save(tmp_path / "v.npy", v)
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)


@pytest.mark.parametrize("shape", [(), (1,), (7,), (40,), (3, 1), (2, 3, 5), (0,)])
def test_states_last_is_another_layout(robots, states, shape):
    function = robots["planar3"].forward_kinematics
    q = np.random.default_rng(3).uniform(-2, 2, (*shape, 3))
    rotation, position = function(q)
    columns = function(np.moveaxis(q, -1, 0), states_last=True)
    assert [each.shape for each in columns] == [(3, 3, *shape), (3, *shape)]
    np.testing.assert_array_equal(np.moveaxis(columns[0], (0, 1), (-2, -1)), rotation)
    np.testing.assert_array_equal(np.moveaxis(columns[1], 0, -1), position)


def test_second_derivatives_belong_to_the_program(robots):
    function = partial(robots["planar3"].inverse_dynamics, qd=np.ones(3), qdd=np.ones(3))
    with pytest.raises(NotImplementedError, match=r'first derivatives only.*pass backend="xla"'):
        jax.hessian(lambda q: function(q)[0])(np.ones(3))
    assert jax.hessian(lambda q: function(q, backend="xla")[0])(np.ones(3)).shape == (3, 3)
    with pytest.raises(NotImplementedError, match="mass_matrix has no kernels for derivatives"):
        jax.grad(lambda q: robots["planar3"].mass_matrix(q).sum())(np.ones(3))


def test_external_wrenches_leave_no_derivatives():
    text = WALKER.replace("name: walker", "name: walker\nexternal_wrench: true")
    function = dynagen.jax.load(text, states=60).inverse_dynamics
    q, qd, wrench = np.eye(8)[6], np.ones(7), np.ones(6)
    assert function(q, qd, qd, wrench).shape == (7,)
    with pytest.raises(NotImplementedError, match="inverse_dynamics has no kernels for deriv"):
        jax.grad(lambda wrench: function(q, qd, qd, wrench)[0])(wrench)
    by_wrench = jax.grad(lambda wrench: function(q, qd, qd, wrench, backend="xla")[0])(wrench)
    assert by_wrench.shape == (6,)


def test_a_motion_is_differentiated_through_a_loop(robots):
    def move(function, q, forces):
        def step(state, force):
            q, qd = state
            qd = qd + 0.01 * function(q, qd, force)
            return (q + 0.01 * qd, qd), q

        return (jax.lax.scan(step, (q, jax.numpy.zeros_like(q)), forces)[1] ** 2).sum()

    forward = robots["planar3"].forward_dynamics
    inputs = np.ones((5, 3)), np.random.default_rng(1).normal(size=(20, 5, 3))
    found, wanted = (
        jax.jit(jax.grad(partial(move, f), (0, 1)))(*inputs)
        for f in (forward, partial(forward, backend="xla"))
    )
    for result, expected in zip(found, wanted, strict=True):
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12 * abs(expected).max())


def test_single_precision(states):
    function = dynagen.jax.load("planar3", real="float", states=60).inverse_dynamics
    inputs = [each.astype(np.float32) for each in states(3, 3)]
    result = function(*inputs)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, function(*inputs, backend="xla"), rtol=0, atol=1e-4)


def test_run_time_parameters_are_an_input_and_failures_are_nan():
    robot = dynagen.jax.load(LOADED, states=60)
    still = np.zeros((30, 1))
    masses = np.linspace(-1, 4, 30)[:, None]
    # m l^2 + J = m/4 + 1/10, and m g l = 4.905 m
    wanted = np.where(masses > -0.4, -4.905 * masses / (masses / 4 + 0.1), np.nan)
    for backend in ("ffi", "xla"):
        forward = partial(robot.forward_dynamics, backend=backend)
        np.testing.assert_allclose(forward(still, still, still, masses), wanted, rtol=1e-12)
        one = forward(still, still, still, [2.0])  # one set for all states: the batch kernel
        np.testing.assert_allclose(one, forward(still, still, still, still + 2), rtol=1e-14)
        assert np.isnan(forward(still, still, still, [-1.0])).all()


def test_derivatives_by_run_time_parameters():
    """One set of parameters for all states, and one for each."""
    robot = dynagen.jax.load(LOADED, states=60)
    motion = list(np.random.default_rng(5).uniform(-2, 2, (3, 20, 1)))
    one, many = np.array([2.0]), np.linspace(1, 3, 20)[:, None]

    def derive(f, one, many):
        return [
            jax.grad(lambda values: (f(*motion, values) ** 2).sum())(one),
            jax.grad(lambda values: (f(*motion, values) ** 2).sum())(many),
            jax.vmap(jax.jacfwd(f, (0, 3)), (0, 0, 0, None))(*motion, one),
            jax.jvp(f, (*motion, one), (*motion, one))[1],
        ]

    for function in (robot.inverse_dynamics, robot.forward_dynamics):
        found, wanted = (
            jax.tree.leaves(jax.jit(partial(derive, f))(one, many))
            for f in (function, partial(function, backend="xla"))
        )
        for result, expected in zip(found, wanted, strict=True):
            np.testing.assert_allclose(
                result, expected, rtol=0, atol=1e-12 * (abs(expected).max() + 1e-9)
            )


def test_one_library_serves_threads(robots, states):
    inputs = states(3, 3, count=64)
    function = jax.jit(robots["planar3"].inverse_dynamics)
    wanted = np.asarray(function(*inputs))
    for result in [function(*inputs) for _ in range(50)]:
        np.testing.assert_array_equal(result, wanted)


def break_line(old, new):
    def change(text):
        assert old in text
        return text.replace(old, new)

    return change


@pytest.mark.parametrize(
    ("module", "name", "path", "fault", "message"),
    [
        (
            array_library,
            "read_template",
            "c/arrays/calls.h",
            ("offsets[element] = offset", "offsets[element] = 0"),
            "_batch",
        ),
        (
            target,
            "fill",
            "motions.py.j2",
            ("w * dx - x * dw", "w * dx + x * dw"),
            "inverse_dynamics_jvp",
        ),
    ],
    ids=["layout", "motion"],
)
def test_a_fault_in_the_package_is_found_and_nothing_is_written(
    module, name, path, fault, message, monkeypatch, tmp_path
):
    right = getattr(module, name)
    change = break_line(*fault)
    monkeypatch.setattr(
        module,
        name,
        lambda each, **values: (change if each == path else str)(right(each, **values)),
    )
    with pytest.raises(dynagen.DynagenError, match=message):
        dynagen.generate(WALKER, target="jax", out=tmp_path / "out", states=60)
    assert not (tmp_path / "out").exists()


def test_a_fault_in_the_program_is_found(monkeypatch, tmp_path):
    right = target.print_programs
    monkeypatch.setattr(
        target, "print_programs", lambda package: right(package).replace("jnp.sin", "jnp.cos")
    )
    with pytest.raises(dynagen.DynagenError, match="inverse_dynamics_batch"):
        dynagen.generate("planar3", target="jax", out=tmp_path / "out", states=60)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("inputs", "options", "error", "message"),
    [
        ((4, 3, 3), {}, ValueError, r"q must have the shape \(\.\.\., 3\), found \(4,\)"),
        (((3, 9), 3, 3), {}, ValueError, r"q must have the shape \(\.\.\., 3\), found \(3, 9\)"),
        (((9, 3), (8, 3), 3), {}, ValueError, r"do not broadcast: q \(9,\), qd \(8,\), qdd \(\)"),
        ((4, 3, 3), {"states_last": True}, ValueError, r"shape \(3, \.\.\.\), found \(4,\)"),
        ((3, 3, 3), {"backend": "gpu"}, ValueError, "expected backend 'ffi' or 'xla', found 'gpu'"),
    ],
)
def test_wrong_shapes_and_options_are_explained(robots, inputs, options, error, message):
    with pytest.raises(error, match=message):
        robots["planar3"].inverse_dynamics(*map(np.zeros, inputs), **options)


def test_wrong_types_are_explained(robots):
    function, still = robots["planar3"].inverse_dynamics, np.zeros(3)
    with pytest.raises(TypeError, match=r"qd must be of type float64, found float32; convert it"):
        function(still, still.astype(np.float32), still)
    with pytest.raises(TypeError, match="q must contain real numbers, found complex128"):
        function([1j, 0, 0], still, still)
    jax.config.update("jax_enable_x64", False)
    try:
        with pytest.raises(TypeError, match=r"computes in float64.*jax_enable_x64.*--real float"):
            function(still, still, still)
    finally:
        jax.config.update("jax_enable_x64", True)


def test_a_wrong_device_is_explained(robots, monkeypatch):
    class Device:
        platform = "gpu"

        def __str__(self):
            return "cuda:0"

    array = jax.numpy.zeros(3)
    monkeypatch.setattr(type(array), "devices", lambda self: {Device()})
    with pytest.raises(ValueError, match=r'q is on cuda:0.*jax.device_put.*backend="xla"'):
        robots["planar3"].inverse_dynamics(array, array, array)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lang": "fortran"}, "fortran is not one of its languages; expected --lang c"),
        ({"single_file": True}, "--single-file is an option of --target folder"),
        ({"release": "one"}, "invalid version `one`"),
    ],
)
def test_misuse_is_explained(options, message):
    with pytest.raises(dynagen.DynagenError, match=message):
        dynagen.generate("planar3", target="jax", **options)


def test_a_robot_names_its_functions(robots):
    robot = robots["planar3"]
    assert {"forward_dynamics", "mass_matrix"} <= set(dir(robot))
    assert "JAX functions, compiled: " in repr(robot)
    with pytest.raises(AttributeError, match="did you mean `forward_dynamics`"):
        attrgetter("forward_dynamcs")(robot)
    with pytest.raises(dynagen.DynagenError, match="backend: expected ffi or xla, found `cuda`"):
        dynagen.jax.load("planar3", backend="cuda")
