"""Target `jax` with kernels for GPUs: XLA calls their handlers, and a fake driver runs them."""

import os
import subprocess
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pytest

import dynagen
from dynagen.codegen.targets import gpu_kernels
from dynagen.errors import VerificationError
from tests.support.fake_gpu import build_driver, check_loaded_pendulums, describe_strided
from tests.support.libraries import jax

pytestmark = pytest.mark.tools
FUNCTIONS = ("inverse_dynamics", "mass_matrix")
# Handlers that XLA calls on the CPU. They pass a stream, as XLA does on a GPU.
STREAMS = """
#include <dlfcn.h>
#include <stdlib.h>
#include <string>
#include "xla/ffi/api/c_api.h"

static XLA_FFI_Error *get_stream(XLA_FFI_Stream_Get_Args *found)
{
    found->stream = (void *)77;
    return nullptr;
}

static XLA_FFI_Error *pass(const char *name, XLA_FFI_CallFrame *frame)
{
    static void *library = dlopen(getenv("KERNELS"), RTLD_NOW);
    auto handler = (XLA_FFI_Handler *)dlsym(library, name);
    if (frame->api == nullptr) {
        return handler(frame);
    }
    XLA_FFI_Api api = *frame->api;
    api.XLA_FFI_Stream_Get = get_stream;
    XLA_FFI_CallFrame changed = *frame;
    changed.api = &api;
    return handler(&changed);
}
"""
START = """
import ctypes, os, sys
import jax
jax.config.update("jax_enable_x64", True)
import numpy as np
streams, driver = ctypes.CDLL(os.environ["STREAMS"]), ctypes.CDLL("libcuda.so.1")
driver.recorded_calls.restype = ctypes.c_char_p
register = jax.ffi.register_ffi_target
def register_on_cpu(name, handler, platform):
    if platform == "CUDA":
        kernel = name.split("_", 2)[2]
        register(name, jax.ffi.pycapsule(getattr(streams, "pass_" + kernel)), platform="cpu")
jax.ffi.register_ffi_target = register_on_cpu
"""
LAYOUTS = """
from robot_jax import inverse_dynamics, mass_matrix
q, qd, qdd = np.load("states.npy")
found = {
    "rows": inverse_dynamics(q, qd, qdd),
    "columns": inverse_dynamics(q.T, qd.T, qdd.T, states_last=True).T,
    "shared": inverse_dynamics(q, qd[0], qdd),
    "grid": inverse_dynamics(q[:, None], qd[None, :4], qdd[0]),
    "mapped": jax.vmap(inverse_dynamics, (0, None, 0))(q, qd[0], qdd),
    "gradient": jax.grad(lambda q: (inverse_dynamics(q, qd, qdd) ** 2).sum())(q),
    "matrices": mass_matrix(q),
    "matrices_in_columns": np.moveaxis(mass_matrix(q.T, states_last=True), 2, 0),
    "none": inverse_dynamics(q[:0], qd[:0], qdd[:0]),
}
"""
LOADED = """
from robot_jax import forward_dynamics, inverse_dynamics
q, qd, qdd, masses = np.load("states.npy")
one = masses[3]
found = {
    "own": forward_dynamics(q, qd, qdd, masses),
    "one": forward_dynamics(q, qd, qdd, one),
    "failed": forward_dynamics(q, qd, qdd, -1 - masses),
    "by_one": jax.grad(lambda mass: inverse_dynamics(q, qd, qdd, mass).sum())(one),
    "by_own": jax.grad(lambda mass: inverse_dynamics(q, qd, qdd, mass).sum())(masses),
}
"""
END = """
np.savez("found.npz", **found)
print(driver.recorded_calls().decode())
"""


@pytest.fixture(scope="module")
def generation():
    return dynagen.generate("planar3", FUNCTIONS, target="jax", gpu=True, prefix="robot", states=40)


def run(generation, folder, program, states):
    """Run a program with the fake driver, and return its arrays and the recorded calls."""
    generation.built.unpack(folder)
    text, kernels = gpu_kernels.print_kernels(generation.package)
    build_driver(folder, text, describe_strided(kernels, "double"))
    names = [
        f"{each.signature.name}_{layout}" for each in kernels for layout in ("rows", "columns")
    ]
    handlers = "\n".join(
        f'extern "C" XLA_FFI_Error *pass_{name}(XLA_FFI_CallFrame *frame) '
        f'{{ return pass("{name}_cuda", frame); }}'
        for name in names
    )
    (folder / "streams.cpp").write_text(STREAMS + handlers)
    command = ["g++", "-std=c++17", "-fPIC", "-shared", f"-I{jax.ffi.include_dir()}", "streams.cpp"]
    subprocess.run([*command, "-o", "streams.so", "-ldl"], cwd=folder, check=True)
    np.save(folder / "states.npy", states)
    done = subprocess.run(
        [sys.executable, "-c", START + program + END],
        cwd=folder,
        env={
            **os.environ,
            "LD_LIBRARY_PATH": str(folder),
            "KERNELS": str(folder / "robot_jax" / "kernels.so"),
            "STREAMS": str(folder / "streams.so"),
            "PYTHONPATH": str(folder),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(np.load(folder / "found.npz")), done.stdout.splitlines()


def test_xla_starts_kernels_on_its_stream_in_all_layouts(generation, tmp_path):
    q, qd, qdd = states = np.random.default_rng(3).normal(size=(3, 70, 3))
    found, calls = run(generation, tmp_path, LAYOUTS, states)
    tau = dynagen.compile("planar3", states=20)
    matrix = dynagen.compile("planar3", "mass_matrix", states=20)
    pull = dynagen.compile("planar3", "inverse_dynamics_vjp", states=20)
    expected = {
        "rows": tau(q, qd, qdd),
        "columns": tau(q, qd, qdd),
        "shared": tau(q, qd[0], qdd),
        "grid": tau(q[:, None], qd[None, :4], qdd[0]),
        "mapped": tau(q, qd[0], qdd),
        "gradient": pull(q, qd, qdd, 2 * tau(q, qd, qdd))[0],
        "matrices": matrix(q),
        "matrices_in_columns": matrix(q),
        "none": np.zeros((0, 3)),
    }
    for name, values in expected.items():
        largest = abs(values).max(initial=1)
        np.testing.assert_allclose(found[name], values, rtol=0, atol=1e-12 * largest, err_msg=name)
    starts = [call for call in calls if call.startswith("launch")]
    assert all(call.endswith("stream 77") for call in starts)
    assert starts[0] == "launch robot_inverse_dynamics_strided 2 1 64 0 stream 77"
    # The code is loaded once; nothing is copied or waited for.
    assert [call for call in calls if call and not call.startswith("launch")] == ["load"]
    assert any("inverse_dynamics_vjp_strided" in call for call in starts)


def test_the_package_contains_code_for_the_driver(generation, tmp_path):
    generation.built.unpack(tmp_path)
    code = (tmp_path / "robot_jax" / "kernels.ptx").read_text()
    assert ".target sm_75" in code
    for name in (*FUNCTIONS, "inverse_dynamics_jvp", "inverse_dynamics_vjp"):
        assert f".entry robot_{name}_strided(" in code
    plain = dynagen.generate("planar3", "mass_matrix", target="jax", verify=False)
    assert isinstance(plain.built.content, bytes)
    (tmp_path / "plain.whl").write_bytes(plain.built.content)
    assert not any(
        name.endswith("ptx") for name in zipfile.ZipFile(tmp_path / "plain.whl").namelist()
    )


def test_a_fault_in_the_text_for_gpus_fails_the_proof(monkeypatch):
    print_kernels = gpu_kernels.print_kernels

    def print_faulty(package):
        text, kernels = print_kernels(package)
        return text.replace("state*q_step", "state*q_step/2"), kernels

    monkeypatch.setattr(gpu_kernels, "print_kernels", print_faulty)
    with pytest.raises(VerificationError, match="mass_matrix_batch"):
        dynagen.generate("planar3", "mass_matrix", target="jax", gpu=True, states=20)


def test_run_time_parameters_are_an_input_and_failures_are_nan(tmp_path):
    robot = {**PENDULUM, "parameters": {"bob": {"value": 2, "unit": "kg", "runtime": True}}}
    functions = ("inverse_dynamics", "forward_dynamics")
    made = dynagen.generate(robot, functions, target="jax", gpu=True, prefix="robot", states=40)
    states = np.random.default_rng(3).uniform(0.5, 2, size=(4, 70, 1))
    found, calls = run(made, tmp_path, LOADED, states)
    check_loaded_pendulums(found, calls, states)
    assert gpu_kernels.print_kernels(replace(made.package, gpu=False)) == ("", ())


PENDULUM = {
    "name": "pendulum",
    "convention": "modified",
    "gravity": [0, -9.81, 0],
    "links": [
        {
            "name": "rod",
            "joint": "revolute",
            "dh": {"alpha": 0, "a": 0, "d": 0},
            "mass": "bob",
            "com": [0.5, 0, 0],
            "inertia": [0, 0, 0.1],
        }
    ],
}
