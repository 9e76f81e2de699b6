"""Target `torch`: operators of PyTorch, their derivatives and mappings, and planted faults.

`make test-torch` runs these tests in an environment of their own.
"""

import subprocess
import sys
import threading
import zipfile
from functools import partial
from operator import attrgetter

import numpy as np
import pytest

import dynagen
import dynagen.torch
from dynagen.codegen.languages.c import array_library
from dynagen.codegen.targets import torch as target
from tests.support.libraries import forward_ad, torch

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning"),  # of torch's own modules
]
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "forward_kinematics")
WALKER = """name: walker
gravity: [0, 0, -9.81]
links:
  - {name: trunk, joint: floating, mass: 4, com: [0.01, 0.02, 0.03],
     inertia: [0.1, 0.12, 0.15, 0.01, 0, 0]}
  - {name: leg, joint: revolute, parent: trunk, axis: [0, 1, 0], origin: {xyz: [0.2, 0, -0.1]},
     mass: 1, com: [0, 0, -0.2], inertia: [0.01, 0.01, 0.002, 0, 0, 0]}
"""
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
import numpy as np, sys, torch
from planar3_torch import JOINTS, N, inverse_dynamics
assert "dynagen" not in sys.modules and (N, JOINTS) == (3, ("upper_arm", "forearm", "hand"))
q, qd, qdd = map(torch.from_numpy, np.load("states.npy"))
np.testing.assert_array_equal(inverse_dynamics(q, qd, qdd), np.load("tau.npy"))
print(torch.func.grad(lambda q: inverse_dynamics(q, qd[0], qdd[0])[0])(q[0]).shape)
help(inverse_dynamics)
"""


def draw(nq, nv, count=50):
    generator = np.random.default_rng(7)
    sizes = (nq, nv, nv)
    return [torch.from_numpy(generator.uniform(-2, 2, (count, size))) for size in sizes]


@pytest.fixture(scope="module")
def planar3():
    return dynagen.torch.load("planar3", states=60)


@pytest.fixture(scope="module")
def walker():
    return dynagen.torch.load(WALKER, states=60)


@pytest.fixture(scope="module")
def loaded():
    return dynagen.torch.load(LOADED, states=60)


@pytest.fixture(scope="module")
def reference():
    """Return the robot planar3 whose functions accept numpy arrays."""
    return dynagen.load("planar3", states=20)


def agree(found, wanted, scale=1e-12):
    wanted = np.asarray(wanted)
    np.testing.assert_allclose(found.detach(), wanted, rtol=0, atol=scale * abs(wanted).max())


def require_grad(inputs):
    return [each.clone().requires_grad_() for each in inputs]


def test_the_wheel_runs_without_dynagen(tmp_path, reference):
    generation = dynagen.generate("planar3", FUNCTIONS, target="torch", out=tmp_path, states=60)
    assert generation.archive.name.startswith("planar3_torch-0.1-py3-none-")
    with zipfile.ZipFile(tmp_path / generation.archive.name) as wheel:
        wheel.extractall(tmp_path)
    inputs = draw(3, 3)
    np.save(tmp_path / "states.npy", np.array(inputs))
    np.save(tmp_path / "tau.npy", reference.inverse_dynamics(*map(np.asarray, inputs)))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("torch.Size([3])\n")
    assert "First derivatives in forward and reverse mode." in done.stdout


def jacobians(reference, inputs):
    """Derivatives of inverse dynamics by q, qd and qdd, from kernels of their own."""
    by_q, by_qd = reference.inverse_dynamics_derivatives(*map(np.asarray, inputs))
    return by_q, by_qd, reference.mass_matrix(np.asarray(inputs[0]))


def test_transformations_agree_with_the_jacobians(planar3, reference):
    f, x = planar3.inverse_dynamics, draw(3, 3, 12)
    tau = reference.inverse_dynamics(*map(np.asarray, x))
    blocks = jacobians(reference, x)
    changes = [torch.cos(each) for each in x]
    change = sum(np.einsum("bij,bj->bi", *pair) for pair in zip(blocks, changes, strict=True))
    gradients = [np.einsum("bij,bi->bj", each, 2 * tau) for each in blocks]

    def loss(*x):
        return f(*x).square().sum()

    by_all = (0, 1, 2)
    agree(torch.vmap(f)(*x), tau)
    agree(torch.func.jvp(f, tuple(x), tuple(changes))[1], change)
    for found in (
        torch.func.grad(loss, by_all)(*x),
        torch.vmap(torch.func.grad(loss, by_all))(*x),
        torch.func.grad(lambda *x: torch.vmap(loss)(*x).sum(), by_all)(*x),
        torch.autograd.grad(loss(*(leaves := require_grad(x))), leaves),
    ):
        for result, wanted in zip(found, gradients, strict=True):
            agree(result, wanted)
    for jacobian in (torch.func.jacfwd, torch.func.jacrev):
        for result, wanted in zip(torch.vmap(jacobian(f, by_all))(*x), blocks, strict=True):
            agree(result, wanted)
    with forward_ad.dual_level():
        duals = [forward_ad.make_dual(*pair) for pair in zip(x, changes, strict=True)]
        agree(forward_ad.unpack_dual(f(*duals)).tangent, change)
    batched = torch.autograd.grad(
        f(*leaves), leaves[0], torch.eye(3, dtype=torch.float64)[:, None].expand(3, 12, 3),
        is_grads_batched=True,
    )  # fmt: skip
    agree(batched[0].movedim(0, 1), blocks[0])


def test_inputs_broadcast_and_their_gradients_are_sums(planar3, reference):
    q, qd, qdd = require_grad(draw(3, 3, 5))
    one = qd[0].detach().clone().requires_grad_()
    tau = planar3.inverse_dynamics(q[:, None], one, qdd)
    arrays = [np.asarray(each.detach()) for each in (q, one, qdd)]
    wanted = [arrays[0][:, None] + np.zeros((5, 5, 3)), *np.broadcast_arrays(*arrays[1:])]
    wanted[1:] = [np.broadcast_to(each, (5, 5, 3)) for each in wanted[1:]]
    agree(tau, reference.inverse_dynamics(*wanted))
    found = torch.autograd.grad(tau.sum(), (q, one, qdd))
    blocks = [each.sum(-2) for each in jacobians(reference, wanted)]
    for result, each, axes in zip(found, blocks, (1, (0, 1), 0), strict=True):
        agree(result, each.sum(axes))


@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
@pytest.mark.parametrize("robot", ["planar3", "walker", "loaded"])
def test_gradcheck_in_both_modes(robot, function, request):
    """Difference quotients by all entries of q, also along the quaternion, and by parameters."""
    inputs = {"planar3": (3, 3), "walker": (8, 7), "loaded": (1, 1)}[robot]
    values = draw(*inputs, count=4)
    if robot == "loaded":
        values.append(torch.tensor([2.0], dtype=torch.float64))
    assert torch.autograd.gradcheck(
        getattr(request.getfixturevalue(robot), function),
        require_grad(values),
        check_forward_ad=True,
        check_batched_grad=True,
        check_batched_forward_grad=True,
    )


def operators(function):
    """Return the operators of a function of planar3 or another fixed robot."""
    return function.__globals__[f"_{function.__name__}"]


def test_operators_pass_opcheck(planar3, loaded):
    x = draw(3, 3, 6)
    weights = torch.ones(3, dtype=torch.float64).expand(6, 3)
    parameters = torch.tensor([2.0], dtype=torch.float64)
    inverse, rod = operators(planar3.inverse_dynamics), operators(loaded.inverse_dynamics)
    still = draw(1, 1, 6)
    for columns in (False, True):
        for operator, inputs in (
            (inverse.operator, require_grad(x)),
            (inverse.kernels["vjp"], [*x, weights]),
            (inverse.kernels["jvp"], [*x, *x]),
            (operators(planar3.forward_kinematics).kernels[""], [x[0].T.contiguous().T]),
            (rod.operator, [*require_grad(still), parameters.requires_grad_()]),
            (rod.kernels["parameter_vjp"], [*still, still[0], parameters.detach()]),
        ):
            torch.library.opcheck(operator, (*inputs, columns))


@pytest.mark.parametrize("robot", ["planar3", "walker"])
def test_compiled_calls_are_whole_graphs(robot, request):
    """With transposed and expanded arguments, by the compiler's own code for the CPU."""
    f = request.getfixturevalue(robot).forward_dynamics
    x = draw(*((3, 3) if robot == "planar3" else (8, 7)), count=12)
    arguments = {
        "rows": x,
        "transposed": [each.T.contiguous().T for each in x],
        "expanded": [x[0], x[1][:1].expand(12, -1), x[2][0]],
    }

    def loss(q, qd, tau):
        return (f(q, qd, tau) * qd.sin()).square().sum()

    compiled = torch.compile(loss, fullgraph=True)
    columns = torch.compile(partial(f, states_last=True), fullgraph=True)
    for name, inputs in arguments.items():
        wanted = torch.autograd.grad(loss(*(leaves := require_grad(inputs))), leaves)
        found = torch.autograd.grad(compiled(*(leaves := require_grad(inputs))), leaves)
        for result, expected in zip(found, wanted, strict=True):
            np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12, err_msg=name)
        full = [each.expand(12, -1) for each in inputs]
        agree(columns(*(each.T for each in full)).T, f(*full), 1e-13)


def test_functional_derivatives_inside_compiled_code_are_refused(planar3):
    q, qd, qdd = draw(3, 3, 1)

    f = planar3.inverse_dynamics
    gradient = torch.func.grad(lambda q: f(q, qd, qdd).sum())
    compiled = torch.compile(gradient, fullgraph=True, backend="aot_eager")
    with pytest.raises(Exception, match=r"call torch.func outside of it, or loss.backward\(\)"):
        compiled(q)


@pytest.mark.parametrize("shape", [(), (1,), (7,), (40,), (3, 1), (2, 3, 5), (0,)])
def test_states_last_is_another_layout(planar3, shape):
    q = torch.from_numpy(np.random.default_rng(3).uniform(-2, 2, (*shape, 3)))
    rotation, position = planar3.forward_kinematics(q)
    columns = planar3.forward_kinematics(q.movedim(-1, 0), states_last=True)
    assert [each.shape for each in columns] == [(3, 3, *shape), (3, *shape)]
    assert all(each.is_contiguous() for each in (rotation, position, *columns))
    np.testing.assert_array_equal(columns[0].movedim((0, 1), (-2, -1)), rotation)
    np.testing.assert_array_equal(columns[1].movedim(0, -1), position)


def test_missing_derivatives_are_refused(planar3):
    f = partial(planar3.inverse_dynamics, qd=torch.ones(3, dtype=torch.float64))
    f = partial(f, qdd=torch.ones(3, dtype=torch.float64))
    q = torch.ones(3, dtype=torch.float64, requires_grad=True)
    with pytest.raises(NotImplementedError, match=r"first derivatives only.*--target jax"):
        torch.func.hessian(lambda q: f(q)[0])(q)
    with pytest.raises(NotImplementedError, match=r"first derivatives only.*--target jax"):
        torch.autograd.functional.hessian(lambda q: f(q)[0], q)
    with pytest.raises(NotImplementedError, match="mass_matrix has no kernels for derivatives"):
        planar3.mass_matrix(q).sum().backward()
    assert not planar3.mass_matrix(q.detach()).requires_grad


def test_products_are_linear_in_their_weights(planar3):
    """The derivative of v J by v is J, which the other product computes."""
    x = draw(3, 3, 1)
    weights = torch.ones(1, 3, dtype=torch.float64, requires_grad=True)
    leaf = x[0].clone().requires_grad_()
    (by_q,) = torch.autograd.grad(
        planar3.inverse_dynamics(leaf, *x[1:]), leaf, weights, create_graph=True
    )
    with pytest.raises(NotImplementedError, match="first derivatives only"):
        by_q.sum().backward()
    _, pull = torch.func.vjp(lambda q: planar3.inverse_dynamics(q, *x[1:]), x[0])
    _, change = torch.func.jvp(pull, (weights.detach(),), (torch.ones_like(x[0]),))
    agree(change[0], pull(torch.ones_like(x[0]))[0])


def test_a_motion_is_differentiated_through_a_loop(planar3):
    """The gradient of a sum over a motion agrees with central differences."""
    forces = torch.from_numpy(np.random.default_rng(1).normal(size=(20, 5, 3)))

    def move(q, forces):
        qd, total = torch.zeros_like(q), 0.0
        for force in forces:
            qd = qd + 0.01 * planar3.forward_dynamics(q, qd, force)
            q = q + 0.01 * qd
            total = total + q.square().sum()
        return total

    q = torch.ones(5, 3, dtype=torch.float64, requires_grad=True)
    (found,) = torch.autograd.grad(move(q, forces), q)
    step = 1e-5 * torch.sin(torch.arange(15, dtype=torch.float64)).reshape(5, 3)
    with torch.no_grad():
        difference = (move(q + step, forces) - move(q - step, forces)) / 2
    assert float(difference) == pytest.approx(float((found * step).sum()), rel=1e-7)


def test_single_precision():
    function = dynagen.torch.load("planar3", real="float", states=60).inverse_dynamics
    double = dynagen.torch.load("planar3", states=60).inverse_dynamics
    x = draw(3, 3)
    result = function(*(leaves := require_grad([each.float() for each in x])))
    assert result.dtype == torch.float32
    np.testing.assert_allclose(result.detach(), double(*x), rtol=0, atol=1e-4)
    wanted = torch.autograd.grad(double(*(doubles := require_grad(x))).sum(), doubles)
    for found, each in zip(torch.autograd.grad(result.sum(), leaves), wanted, strict=True):
        np.testing.assert_allclose(found, each, rtol=0, atol=1e-3)


def test_run_time_parameters_are_an_input_and_failures_are_nan(loaded):
    still = torch.zeros(30, 1, dtype=torch.float64)
    masses = torch.linspace(-1, 4, 30, dtype=torch.float64)[:, None]
    # m l^2 + J = m/4 + 1/10, and m g l = 4.905 m
    wanted = np.where(masses > -0.4, -4.905 * masses / (masses / 4 + 0.1), np.nan)
    forward = loaded.forward_dynamics
    np.testing.assert_allclose(forward(still, still, still, masses), wanted, rtol=1e-12)
    one = forward(still, still, still, [2.0])  # one set for all states: the batch kernel
    np.testing.assert_allclose(one, forward(still, still, still, still + 2), rtol=1e-14)
    assert forward(still, still, still, [-1.0]).isnan().all()


def test_the_gradient_by_parameters_is_that_of_the_formula(loaded):
    """tau = (m/4 + 1/10) qdd + 4.905 m cos(q), with one mass and with one for each state."""
    q, qd, qdd = draw(1, 1, 20)
    by_mass = qdd / 4 + 4.905 * torch.cos(q)
    one = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
    many = torch.linspace(1, 3, 20, dtype=torch.float64)[:, None].requires_grad_()
    loaded.inverse_dynamics(q, qd, qdd, one).sum().backward()
    loaded.inverse_dynamics(q, qd, qdd, many).sum().backward()
    agree(one.grad, by_mass.sum(0))
    agree(many.grad, by_mass)


def test_small_motions_and_changes_of_q_are_inverse(walker):
    walker.forward_dynamics(*(each[0] for each in draw(8, 7)))
    package = sys.modules[walker.forward_dynamics.__module__]
    q, v, w = draw(8, 7)
    q[:, 3:7] /= q[:, 3:7].norm(dim=1)[:, None]
    agree(package.find_motion(q, package.find_change(q, v)), v, 1e-14)
    dq = torch.func.vjp(lambda dq: package.find_motion(q, dq), q)[1](w)[0]
    agree(package._motions.pull_motion(q, w), dq, 1e-14)


def test_threads_share_a_library(planar3):
    inputs = draw(3, 3, 64)
    wanted, found = planar3.inverse_dynamics(*inputs), []

    def compute():
        found.extend(planar3.inverse_dynamics(*inputs) for _ in range(50))

    threads = [threading.Thread(target=compute) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 200
    assert all(torch.equal(each, wanted) for each in found)


def break_line(old, new):
    def change(text):
        assert old in text
        return text.replace(old, new)

    return change


@pytest.mark.parametrize(
    ("module", "path", "fault", "message"),
    [
        (
            array_library,
            "c/arrays/calls.h",
            ("offsets[element] = offset", "offsets[element] = 0"),
            "_batch",
        ),
        (array_library, "c/torch/operators.h", ("columns ? states : 1", "1"), "_batch"),
        (target, "torch/rules.py", ("*changes[start:end]", "*arrays[start:end]"), "jvp"),
    ],
    ids=["offsets", "columns", "rule"],
)
def test_a_fault_in_the_package_is_found_and_nothing_is_written(
    module, path, fault, message, monkeypatch, tmp_path
):
    right, change = module.read_template, break_line(*fault)
    monkeypatch.setattr(
        module, "read_template", lambda each: change(right(each)) if each == path else right(each)
    )
    with pytest.raises(dynagen.DynagenError, match=message):
        dynagen.generate(WALKER, target="torch", out=tmp_path / "out", states=60)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("inputs", "options", "message"),
    [
        ((4, 3, 3), {}, r"q must have the shape \(\.\.\., 3\), found \(4,\)"),
        (((3, 9), 3, 3), {}, r"q must have the shape \(\.\.\., 3\), found \(3, 9\)"),
        (((9, 3), (8, 3), 3), {}, r"do not broadcast: q \(9,\), qd \(8,\), qdd \(\)"),
        ((4, 3, 3), {"states_last": True}, r"shape \(3, \.\.\.\), found \(4,\)"),
    ],
)
def test_wrong_shapes_are_explained(planar3, inputs, options, message):
    tensors = [torch.zeros(shape, dtype=torch.float64) for shape in inputs]
    with pytest.raises(ValueError, match=message):
        planar3.inverse_dynamics(*tensors, **options)


def test_wrong_types_and_devices_are_explained(planar3):
    function, still = planar3.inverse_dynamics, torch.zeros(3, dtype=torch.float64)
    with pytest.raises(TypeError, match=r"qd must be of type torch.float64, found torch.fl"):
        function(still, still.float(), still)
    with pytest.raises(
        TypeError, match=r"found torch.float32; convert it with q.to\(torch.float64"
    ):
        function(np.zeros(3, np.float32), still, still)
    with pytest.raises(TypeError, match=r"q must contain real numbers, found torch.complex128"):
        function([1j + np.complex128(0), 0, 0], still, still)
    with pytest.raises(ValueError, match=r"qdd is on cpu in layout torch.sparse_coo.*to_dense\(\)"):
        function(still, still, still.to_sparse())
    with pytest.raises(RuntimeError, match="inverse_dynamics"):
        operators(function).kernels[""](still, still[:2], still, False)


def test_a_robot_names_its_functions(planar3):
    assert {"forward_dynamics", "mass_matrix"} <= set(dir(planar3))
    assert "PyTorch functions, compiled: " in repr(planar3)
    with pytest.raises(AttributeError, match="did you mean `forward_dynamics`"):
        attrgetter("forward_dynamcs")(planar3)
    with pytest.raises(dynagen.DynagenError, match="fortran is not one of its languages"):
        dynagen.generate("planar3", target="torch", lang="fortran")
