"""Functions on arrays of a GPU, with a driver that runs the same text on the CPU."""

from dataclasses import replace

import numpy as np
import pytest

import dynagen
from benchmarks import gpu as benchmark
from dynagen.errors import ToolchainError, UsageError
from dynagen.pipeline.driver import Settings
from dynagen.robot.loading import load_robot
from dynagen.toolchain import gpu, nvrtc
from tests.support.fake_gpu import FakeArray, install, install_library
from tests.support.generated_once import generated
from tests.support.packages import render, texts

POINTERS = {
    "inverse_dynamics": "const double *, const double *, const double *, double *",
    "mass_matrix": "const double *, double *",
    "forward_dynamics": "const double *, const double *, const double *, double *, int *",
}


def fake(monkeypatch, tmp_path, function, change=lambda text: text):
    """A fake GPU with the kernel of a function of planar3."""
    settings = Settings("cuda", (function,), verify=False, prefix="robot")
    package = generated(load_robot("planar3"), settings).package
    text = change(texts(render("cuda", package))["include/robot.cuh"])
    pointers = {f"robot_{function}_batch": POINTERS[function]}
    return install(monkeypatch, tmp_path, text, pointers)


def compile_for_gpu(function):
    return dynagen.compile("planar3", function, device="cuda", states=20)


def inputs(count, seed=1):
    return np.random.default_rng(seed).normal(size=(3, 3, count))


@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_a_call_starts_a_kernel_on_the_current_stream_and_does_nothing_else(
    library, monkeypatch, tmp_path
):
    machine = fake(monkeypatch, tmp_path, "inverse_dynamics")
    array = install_library(monkeypatch, library, stream=4321)
    function = compile_for_gpu("inverse_dynamics")
    given = inputs(100)
    tau = function(*map(array, given))
    assert type(tau) is array
    expected = dynagen.compile("planar3", states=20)(*given.transpose(0, 2, 1)).T
    np.testing.assert_allclose(tau.values, expected, rtol=0, atol=1e-12 * abs(expected).max())
    launch = "launch robot_inverse_dynamics_batch 2 1 64 0 stream 4321"
    assert machine.calls == ["load", launch]
    function(*map(array, given), out=tau, stream=99)
    assert machine.calls[2:] == [launch.replace("4321", "99")]  # the code is loaded once


def test_views_of_columns_are_used_in_place(monkeypatch, tmp_path):
    fake(monkeypatch, tmp_path, "mass_matrix")
    array = install_library(monkeypatch, "cupy", stream=0)
    function = compile_for_gpu("mass_matrix")
    q = inputs(100)[0]
    whole = function(array(q)).values
    assert whole.shape == (3, 3, 100)
    part = function(array(q)[:, 10:30])  # the new array also has room for 100 states
    np.testing.assert_array_equal(part.values, whole[:, :, 10:30])
    assert part.values.strides == whole.strides
    out = array(np.zeros((3, 3, 100)))
    assert function(q=array(q)[:, 10:30], out=out[:, :, 10:30]) is not None
    np.testing.assert_array_equal(out.values[:, :, 10:30], whole[:, :, 10:30])
    assert not out.values[:, :, :10].any()
    assert not out.values[:, :, 30:].any()
    assert function(array(np.zeros((3, 0)))).values.shape == (3, 3, 0)


def test_arrays_of_other_libraries_need_an_array_for_the_result(monkeypatch, tmp_path):
    machine = fake(monkeypatch, tmp_path, "mass_matrix")
    function = compile_for_gpu("mass_matrix")
    q, out = FakeArray(inputs(5)[0]), FakeArray(np.zeros((3, 3, 5)))
    with pytest.raises(TypeError, match="expected out, because the inputs are not of CuPy"):
        function(q)
    assert function(q, out=out) is out
    assert out.values.all()
    assert machine.calls[-1].endswith("stream 0")


def test_arrays_that_would_need_a_copy_are_refused(monkeypatch, tmp_path):
    machine = fake(monkeypatch, tmp_path, "inverse_dynamics")
    array = install_library(monkeypatch, "cupy", stream=0)
    function = compile_for_gpu("inverse_dynamics")
    q, qd, qdd = map(array, inputs(8))
    for wrong, kind, message in (
        (inputs(8)[0], TypeError, "must be an array on a GPU, of CuPy or PyTorch, not numpy"),
        (array(np.zeros((3, 8), np.float32)), TypeError, "type float64, not float32"),
        (array(np.zeros((8, 3))), ValueError, r"must have shape \(3, states\), not \(8, 3\)"),
        (array(np.zeros((8, 3)).T), ValueError, "side by side, row-major, with strides such as"),
        (array(np.zeros((3, 16))[:, ::2]), ValueError, "side by side"),
        (array(np.zeros((3, 9))), ValueError, "numbers of states differ: {'q': 9, 'qd': 8"),
        (
            array(np.zeros((3, 9)))[:, :8],
            ValueError,
            "distance between rows in all arrays, found {'q': 9",
        ),
    ):
        with pytest.raises(kind, match=message):
            function(wrong, qd, qdd)
    for arguments, named in (((q, qd), {}), ((q, qd, qdd, q), {}), ((q, qd), {"q": q})):
        with pytest.raises(TypeError, match=r"expected q, qd, qdd"):
            function(*arguments, **named)
    assert machine.calls == []


def test_memory_that_no_kernel_may_declare_is_requested(monkeypatch, tmp_path):
    def change(text):
        return text.replace("inverse_dynamics_batch, 1, 0,", "inverse_dynamics_batch, 1, 65536,")

    machine = fake(monkeypatch, tmp_path, "inverse_dynamics", change)
    text = (tmp_path / "robot.cuh").read_text()
    driver, given = gpu.open_driver(), inputs(7)
    kernel = gpu.GpuKernel(text, "robot_inverse_dynamics_batch")
    result = np.zeros((3, 7))
    addresses = [each.ctypes.data for each in (*given, result)]
    kernel.start(0, 7, 7, addresses, 0)  # the driver compares the request with the launch
    assert result.all()
    monkeypatch.setenv("SHARED_MEMORY", "65535")  # a GPU that grants less: blocks are smaller
    gpu.GpuKernel(text, "robot_inverse_dynamics_batch").start(0, 7, 7, addresses, 0)
    assert [call for call in machine.calls if call.startswith("launch")] == [
        "launch robot_inverse_dynamics_batch 1 1 64 65536 stream 0",
        "launch robot_inverse_dynamics_batch 1 1 32 32768 stream 0",
    ]
    less = replace(kernel.launch, bytes=32)
    with (
        driver.use(0),
        pytest.raises(ToolchainError, match="cuLaunchKernel of the CUDA driver failed: invalid"),
    ):
        driver.bind(driver.load(b"", kernel.launch), less, 7, 7, addresses, 0)()


def test_without_a_gpu_or_with_other_wishes_the_message_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(gpu, "LIBRARY", "libcuda-missing.so.1")
    with pytest.raises(ToolchainError, match=r"driver is not installed .*omit the device"):
        compile_for_gpu("mass_matrix")
    with pytest.raises(UsageError, match="unknown device 'cudo'; expected cpu or cuda"):
        dynagen.compile("planar3", device="cudo")
    fake(monkeypatch, tmp_path, "mass_matrix")
    with pytest.raises(UsageError, match="always uses the language cuda, found rust; omit `lang`"):
        dynagen.compile("planar3", "mass_matrix", device="cuda", lang="rust")
    monkeypatch.undo()
    monkeypatch.setattr(nvrtc, "_WHEELS", ("no-such-wheel",))
    with pytest.raises(ToolchainError, match="pip install nvidia-cuda-nvrtc-cu12"):
        nvrtc.open_library()


def test_a_machine_without_a_device_is_reported(monkeypatch, tmp_path):
    settings = Settings("cuda", ("mass_matrix",), verify=False, prefix="robot")
    package = generated(load_robot("planar3"), settings).package
    text = texts(render("cuda", package))["include/robot.cuh"]
    install(monkeypatch, tmp_path, text, {}, count=0)
    with pytest.raises(ToolchainError, match="finds no GPU; CUDA_VISIBLE_DEVICES may hide it"):
        compile_for_gpu("mass_matrix")


@pytest.mark.tools
def test_machine_code_comes_from_the_cache_the_second_time(monkeypatch, tmp_path):
    settings = Settings("cuda", ("mass_matrix",), verify=False, prefix="robot")
    package = generated(load_robot("planar3"), settings).package
    text = texts(render("cuda", package))["include/robot.cuh"]
    code = gpu.compile_cached(text, "sm_90")
    assert code.startswith(b"\x7fELF")
    monkeypatch.setattr(nvrtc, "compile_code", None)
    assert gpu.compile_cached(text, "sm_90") == code


def test_the_benchmark_computes_and_times_what_it_reports(monkeypatch, tmp_path):
    machine = fake(monkeypatch, tmp_path, "inverse_dynamics")
    monkeypatch.setattr(benchmark, "_ROUND", 0)
    assert benchmark.measure_bandwidth(1 << 20) > 1e6
    states = [*inputs(30).transpose(0, 2, 1)]
    expected = dynagen.compile("planar3", states=20)(*states)
    with benchmark.compete("planar3", "inverse_dynamics", "double", states) as contestant:
        np.testing.assert_allclose(contestant.call(), expected, rtol=0, atol=1e-12)
        row = benchmark.describe("dynagen, double", contestant, 30, expected, bound=1e-9)
    name, resident, _, share, copied, error = row.strip("| ").split(" | ")
    assert name == "dynagen, double"
    assert float(resident.removesuffix(" us")) > 0
    assert float(copied.removesuffix(" us")) > 0
    assert share.endswith(" %")
    assert float(error) < 1e-12
    # Three measurements, each of a trial, a call and five rounds.
    assert machine.calls.count("synchronize") == 3 * (1 + 1 + 5)
