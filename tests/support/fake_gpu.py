"""A CUDA driver without a GPU: a library that runs the kernels of a header on the CPU.

It has the functions of the driver that dynagen calls, checks their arguments, and records the
calls. Device memory is memory of the process. Machine code is ignored: the library contains the
kernels of the header, compiled as C++.
"""

import ctypes
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from dynagen.codegen.language import StridedKernel
from dynagen.toolchain import gpu, nvrtc

_DRIVER = Path(__file__).with_name("fake_gpu.cpp")


class FakeGpu:
    """The calls that a fake driver has recorded."""

    def __init__(self, library: Path) -> None:
        self._recorded = ctypes.CDLL(str(library)).recorded_calls
        self._recorded.restype = ctypes.c_char_p

    @property
    def calls(self) -> list[str]:
        return self._recorded().decode().splitlines()


def install(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    text: str,
    pointers: dict[str, str],
    count: int = 1,
) -> FakeGpu:
    """Use a fake driver and a fake NVRTC.

    Args:
        monkeypatch: undoes the changes.
        folder: folder for the library.
        text: text of a header with the prefix `robot`.
        pointers: kernel -> types of its arrays, such as "const double *, double *".
        count: number of GPUs.
    """
    library = build_driver(
        folder, text, {name: f"size_t, size_t, {types}" for name, types in pointers.items()}, count
    )
    monkeypatch.setattr(gpu, "LIBRARY", str(library))
    monkeypatch.setattr(nvrtc, "open_library", lambda: None)
    monkeypatch.setattr(nvrtc, "find_version", lambda: "0.0")
    monkeypatch.setattr(
        nvrtc, "compile_code", lambda text, architecture: (architecture.encode(), "")
    )
    return FakeGpu(library)


def describe_strided(kernels: Sequence[StridedKernel], real: str) -> dict[str, str]:
    """Return the types of all arguments of kernels of a package for learning."""
    return {
        each.symbol: ", ".join(
            [
                "size_t",
                *[f"const {real} *, size_t, size_t"] * len(each.signature.inputs),
                *[f"{real} *, size_t, size_t"] * len(each.signature.results),
            ]
        )
        for each in kernels
    }


def build_driver(
    folder: Path,
    text: str,
    kernels: dict[str, str],
    count: int = 1,
    requested: Mapping[str, int] | None = None,
) -> Path:
    """Compile the driver with kernels, and return the library.

    Args:
        folder: folder for the library.
        text: text of a header with the prefix `robot`.
        kernels: kernel -> types of all arguments.
        count: number of GPUs.
        requested: kernel -> shared memory of a block that its launch requests; the default is that
            of the functions of the header that start kernels.
    """
    wrappers, rows = [], []
    launches = {name: each.bytes for name, each in gpu.read_launches(text).items()}
    memory = {**launches, **(requested or {})}
    for name, types in kernels.items():
        listed = types.split(", ")
        values = ", ".join(f"*({kind} *)a[{place}]" for place, kind in enumerate(listed))
        wrappers.append(f"static void run_{name}(void **a) {{ {name}({values}); }}")
        rows.append(f'{{"{name}", run_{name}, {memory.get(name, 0)}, 0}}, ')
    table = f"static Function all[] = {{{''.join(rows)}{{}}}};"
    table += "static Function *functions() { return all; }"
    (folder / "robot.cuh").write_text(text)
    source = _DRIVER.read_text().replace("COUNT", str(count))
    (folder / "driver.cpp").write_text("\n".join([source, *wrappers, table]))
    library = folder / "libcuda.so.1"
    command = [
        "g++",
        "-std=c++14",
        "-O0",
        "-ffp-contract=off",
        "-fPIC",
        "-shared",
        "-o",
        library.name,
    ]
    subprocess.run([*command, "driver.cpp"], cwd=folder, check=True)
    return library


class FakeArray:
    """An array that CuPy or PyTorch could have made; its memory is memory of the process."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values
        self.device = _Device()

    @property
    def __cuda_array_interface__(self) -> dict:
        return self.values.__array_interface__

    def __getitem__(self, place: object) -> "FakeArray":
        return type(self)(self.values[place])


class _Device:
    id = 0

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


def install_library(monkeypatch: pytest.MonkeyPatch, name: str, stream: int) -> type[FakeArray]:
    """Use a fake CuPy or PyTorch with a current stream, and return its type of arrays."""

    class Array(FakeArray):
        pass

    Array.__module__ = name

    def make_empty(shape: tuple[int, ...], dtype: object, device: object = None) -> FakeArray:
        return Array(np.full(shape, -1, dtype))

    current = SimpleNamespace(**{"ptr" if name == "cupy" else "cuda_stream": stream})
    choose = {"get_current_stream" if name == "cupy" else "current_stream": lambda device: current}
    library = SimpleNamespace(
        empty=make_empty,
        float64=np.float64,
        float32=np.float32,
        int32=np.int32,
        cuda=SimpleNamespace(**choose),
    )
    monkeypatch.setitem(sys.modules, name, library)
    return Array


def check_loaded_pendulums(found, calls, states):
    """Check forces and derivatives of pendulums whose bobs have the masses of a run-time parameter.

    Args:
        found: `forward_dynamics` with `own` masses and `one` mass; `failed`; and derivatives of
            inverse dynamics by the masses, `by_own` and `by_one`.
        calls: recorded calls of the driver.
        states: q, qd, x and masses; x is the force, or the acceleration of inverse dynamics.
    """
    q, _, x, masses = states
    # m l^2 + J = m/4 + 1/10, and m g l = 4.905 m
    for name, mass in (("own", masses), ("one", masses[3])):
        wanted = (x - 4.905 * mass * np.cos(q)) / (mass / 4 + 0.1)
        np.testing.assert_allclose(found[name], wanted, rtol=1e-12)
    assert np.isnan(found["failed"]).all()
    by_mass = x / 4 + 4.905 * np.cos(q)
    np.testing.assert_allclose(found["by_own"], by_mass, rtol=1e-12)
    np.testing.assert_allclose(found["by_one"], by_mass.sum(0), rtol=1e-12)
    assert "inverse_dynamics_parameter_vjp_strided" in "".join(calls)
