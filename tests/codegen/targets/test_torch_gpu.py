"""Target `torch` with kernels for GPUs: operators start them, and a fake driver runs them.

`make test-torch` runs these tests in an environment of their own. Builds of torch without CUDA have
no tensors on a GPU, so the operators for GPUs serve tensors of the CPU here.
"""

import os
import subprocess
import sys

import numpy as np
import pytest

import dynagen
from dynagen.codegen import parts
from dynagen.codegen.languages.cuda import header
from dynagen.codegen.targets import gpu_kernels
from dynagen.toolchain import nvrtc
from tests.codegen.targets.test_jax_gpu import PENDULUM
from tests.support.fake_gpu import build_driver, check_loaded_pendulums, describe_strided

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning"),  # of torch's own modules
]
# In place of torch's functions for GPUs: all tensors are on GPU 0, whose current stream is 77.
STREAMS = """
#include <stdint.h>
int32_t aoti_torch_get_current_cuda_stream(int32_t device, void **stream)
{
    *stream = (void *)77;
    return device;
}
int32_t aoti_torch_get_device_index(void *tensor, int32_t *device)
{
    *device = 0;
    return 0;
}
"""
START = """
import ctypes
import numpy as np
import torch
driver = ctypes.CDLL("libcuda.so.1")
driver.recorded_calls.restype = ctypes.c_char_p
open_library, streams = ctypes.CDLL, ctypes.CDLL("./streams.so")
class OnCpu:
    def __init__(self, library):
        self.library = library
    def __getattr__(self, name):
        if name == "aoti_torch_library_init_impl":
            return lambda space, platform, *rest: self.library.aoti_torch_library_init_impl(
                space, {b"CPU": b"XPU", b"CUDA": b"CPU"}[platform], *rest)
        return getattr(streams if name == "aoti_torch_get_device_index" else self.library, name)
def open_fake(path):
    if path.endswith("libtorch_cuda.so"):
        return streams
    return OnCpu(open_library(path)) if "torch_cpu" in path else open_library(path)
ctypes.CDLL, torch.version.cuda = open_fake, "12.9"
states = torch.from_numpy(np.load("states.npy"))
"""
LAYOUTS = """
from robot_torch import inverse_dynamics as tau, mass_matrix
q, qd, qdd = states
leaf = q.clone().requires_grad_()
(gradient,) = torch.autograd.grad(tau(leaf, qd, qdd).square().sum(), leaf)
compiled = torch.compile(lambda *x: tau(*x) * 2, fullgraph=True, backend="aot_eager")
found = {
    "rows": tau(q, qd, qdd),
    "strided": tau(q.T.contiguous().T, qd[:, [0, 0, 1, 1, 2]][:, ::2], qdd),
    "columns": tau(q.T, qd.T, qdd.T, states_last=True).T,
    "shared": tau(q, qd[0], qdd),
    "listed": tau(q, qd[0].tolist(), qdd),
    "grid": tau(q[:, None], qd[None, :4], qdd[0]),
    "mapped": torch.vmap(tau, (0, None, 0))(q, qd[0], qdd),
    "compiled": compiled(q, qd, qdd) / 2,
    "gradient": gradient,
    "change": torch.func.jvp(lambda q: tau(q, qd, qdd), (q,), (qd,))[1],
    "matrices": mass_matrix(q),
    "matrices_in_columns": mass_matrix(q.T, states_last=True).movedim(2, 0),
    "none": tau(q[:0], qd[:0], qdd[:0]),
}
"""
LOADED = """
from robot_torch import forward_dynamics, inverse_dynamics
q, qd, qdd, masses = states
own, one = masses.clone().requires_grad_(), masses[3].clone().requires_grad_()
for leaf in (own, one):
    inverse_dynamics(q, qd, qdd, leaf).sum().backward()
found = {
    "own": forward_dynamics(q, qd, qdd, masses),
    "one": forward_dynamics(q, qd, qdd, masses[3]),
    "failed": forward_dynamics(q, qd, qdd, -1 - masses),
    "by_one": one.grad,
    "by_own": own.grad,
}
"""
END = """
np.savez("found.npz", **{name: each.detach().numpy() for name, each in found.items()})
print(driver.recorded_calls().decode())
"""


@pytest.fixture(autouse=True)
def fake_nvrtc(monkeypatch):
    """The fake driver ignores code, and the environment of these tests has no NVRTC."""
    monkeypatch.setattr(nvrtc, "open_library", lambda: None)
    monkeypatch.setattr(nvrtc, "compile_code", lambda text, architecture: (b"code", ""))
    gpu_kernels._compile.cache_clear()


def run(made, folder, program, states, **environment):
    """Run a program with the fake driver, and return its arrays and the recorded calls."""
    made.built.unpack(folder)
    text, kernels = gpu_kernels.print_kernels(made.package)
    real = made.package.real.name
    requested = {each.symbol: each.bytes for each in kernels}
    build_driver(folder, text, describe_strided(kernels, real), requested=requested)
    (folder / "streams.c").write_text(STREAMS)
    command = ["gcc", "-fPIC", "-shared", "streams.c", "-o", "streams.so"]
    subprocess.run(command, cwd=folder, check=True)
    np.save(folder / "states.npy", states.astype(made.package.real.dtype))
    done = subprocess.run(
        [sys.executable, "-c", START + program + END],
        cwd=folder,
        env={**os.environ, "LD_LIBRARY_PATH": str(folder), "PYTHONPATH": str(folder)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(np.load(folder / "found.npz")), done.stdout.splitlines()


@pytest.mark.parametrize("real", ["double", "float"])
def test_operators_start_kernels_on_the_current_stream_in_all_layouts(real, tmp_path):
    functions = ("inverse_dynamics", "mass_matrix")
    options = {"target": "torch", "gpu": True, "prefix": "robot", "states": 40, "real": real}
    made = dynagen.generate("planar3", functions, **options)
    q, qd, qdd = states = np.random.default_rng(3).normal(size=(3, 70, 3))
    found, calls = run(made, tmp_path, LAYOUTS, states)
    tau = dynagen.compile("planar3", states=20)
    matrix = dynagen.compile("planar3", "mass_matrix", states=20)
    pull = dynagen.compile("planar3", "inverse_dynamics_vjp", states=20)
    push = dynagen.compile("planar3", "inverse_dynamics_jvp", states=20)
    still = np.zeros_like(q)
    expected = {
        **dict.fromkeys(("rows", "columns", "compiled"), tau(q, qd, qdd)),
        "strided": tau(q, qd[:, [0, 1, 2]], qdd),
        **dict.fromkeys(("shared", "listed", "mapped"), tau(q, qd[0], qdd)),
        "grid": tau(q[:, None], qd[None, :4], qdd[0]),
        "gradient": pull(q, qd, qdd, 2 * tau(q, qd, qdd))[0],
        "change": push(q, qd, qdd, qd, still, still),
        **dict.fromkeys(("matrices", "matrices_in_columns"), matrix(q)),
        "none": np.zeros((0, 3)),
    }
    assert set(found) == set(expected)
    for name, values in expected.items():
        largest = abs(values).max(initial=1)
        limit = (1e-12 if real == "double" else 1e-4) * largest
        np.testing.assert_allclose(found[name], values, rtol=0, atol=limit, err_msg=name)
    starts = [call for call in calls if call.startswith("launch")]
    assert all(call.endswith("stream 77") for call in starts)
    # The code is loaded once; nothing is copied or waited for.
    assert [call for call in calls if call and not call.startswith("launch")] == ["load"]
    for kernel in ("inverse_dynamics", "inverse_dynamics_vjp", "inverse_dynamics_jvp"):
        assert any(f"robot_{kernel}_strided 2 1 64 0" in call for call in starts)


def test_run_time_parameters_are_an_input_and_failures_are_nan(tmp_path):
    robot = {**PENDULUM, "parameters": {"bob": {"value": 2, "unit": "kg", "runtime": True}}}
    functions = ("inverse_dynamics", "forward_dynamics")
    made = dynagen.generate(robot, functions, target="torch", gpu=True, prefix="robot", states=40)
    states = np.random.default_rng(3).uniform(0.5, 2, size=(4, 70, 1))
    found, calls = run(made, tmp_path, LOADED, states)
    check_loaded_pendulums(found, calls, states)


def test_blocks_have_as_many_threads_as_the_shared_memory_of_a_gpu_permits(monkeypatch, tmp_path):
    for module in (parts, header):
        monkeypatch.setattr(module, "MOST_WORDS", 20)
        monkeypatch.setattr(module, "FEW_WORDS", 20)
        monkeypatch.setattr(module, "SHARED_WORDS", 1)
    parts.divide_outputs.cache_clear()
    made = dynagen.generate(
        "planar3", target="torch", gpu=True, prefix="robot", states=40, verify=False
    )
    (kernel,) = (
        each
        for each in gpu_kernels.print_kernels(made.package)[1]
        if each.signature.name == "inverse_dynamics"
    )
    assert kernel.bytes > 0
    states = np.random.default_rng(3).normal(size=(3, 70, 3))
    program = "from robot_torch import inverse_dynamics\nfound = {'tau': inverse_dynamics(*states)}"
    found, calls = run(made, tmp_path, program, states, SHARED_MEMORY=str(kernel.bytes // 2))
    parts.divide_outputs.cache_clear()
    assert calls[1].endswith(
        f" {-(-70 // (kernel.threads // 2))} {kernel.parts} {kernel.threads // 2} "
        f"{kernel.bytes // 2} stream 77"
    )
    wanted = dynagen.compile("planar3", states=20)(*states)
    np.testing.assert_allclose(found["tau"], wanted, rtol=0, atol=1e-12 * abs(wanted).max())


def test_packages_for_gpus_run_on_builds_of_torch_without_cuda(tmp_path):
    functions = dynagen.generate(
        "planar3", target="torch", gpu=True, prefix="robot", states=40, out=tmp_path
    )
    assert functions.built is not None
    functions.built.unpack(tmp_path)
    program = (
        "import torch; from robot_torch import inverse_dynamics as f; "
        "x = torch.zeros(3, dtype=torch.float64); print(f(x, x, x).device)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout == "cpu\n", done.stderr
