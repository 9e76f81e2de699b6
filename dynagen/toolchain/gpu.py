"""NVIDIA GPUs through the CUDA driver: machine code, launches of kernels, and memory.

The driver library is part of NVIDIA's driver and requires no other part of CUDA. NVRTC, NVIDIA's
compiler library, compiles kernels for the GPU on which they run, from the text of a header that
`dynagen --lang cuda` generated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import cffi
import numpy as np

from dynagen.errors import ToolchainError
from dynagen.ir.signature import PARAMS, Signature
from dynagen.numbers.real import Real
from dynagen.toolchain import nvrtc
from dynagen.toolchain.cache import cache_bytes, find_file
from dynagen.toolchain.kernel import Array, CompiledKernel

LIBRARY = "libcuda.so.1"
"""File name of NVIDIA's driver library on Linux."""
_DECLARATIONS = """
    int cuInit(unsigned);
    int cuGetErrorString(int, const char **);
    int cuDeviceGetCount(int *);
    int cuDeviceGetAttribute(int *, int, int);
    int cuDevicePrimaryCtxRetain(void **, int);
    int cuCtxPushCurrent_v2(void *);
    int cuCtxPopCurrent_v2(void **);
    int cuCtxSynchronize(void);
    int cuPointerGetAttribute(void *, int, unsigned long long);
    int cuModuleLoadData(void **, const void *);
    int cuModuleGetFunction(void **, void *, const char *);
    int cuFuncSetAttribute(void *, int, int);
    int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       unsigned, void *, void **, void **);
    int cuMemAlloc_v2(unsigned long long *, size_t);
    int cuMemFree_v2(unsigned long long);
    int cuMemcpyHtoD_v2(unsigned long long, const void *, size_t);
    int cuMemcpyDtoH_v2(void *, unsigned long long, size_t);
    int cuMemcpyDtoD_v2(unsigned long long, unsigned long long, size_t);
"""
# Numbers of enumerations in cuda.h.
_MAJOR, _MINOR = 75, 76  # compute capability of a device
_DEVICE_ORDINAL = 9  # attribute of a pointer
_DYNAMIC_SHARED_MEMORY = 8  # attribute of a function
_MOST_SHARED_MEMORY = 97  # of a block of a device, if a launch requests it
_LAUNCH = re.compile(r"_DEFINE_LAUNCH\(\n +\w+_launch, (\w+), (\d+), (\d+),")
_THREADS = re.compile(r"#define \w+_THREADS (\d+)\n")


@dataclass(frozen=True)
class Launch:
    """Launch parameters of a batch kernel on a GPU.

    Attributes:
        kernel: symbol of the kernel.
        parts: number of parts into which the results are divided, and size of the grid of blocks
            along y. All blocks with the same y compute the same part.
        bytes: dynamic shared memory of a block with `threads` threads, in bytes.
        threads: largest number of threads of a block; each thread computes one state.
    """

    kernel: str
    parts: int
    bytes: int
    threads: int


def read_launches(text: str) -> dict[str, Launch]:
    """Return the launch parameters in a header of `--lang cuda`, by the symbol of the kernel."""
    threads = _THREADS.search(text)
    if threads is None:
        raise ToolchainError("the text is not a header of --lang cuda; generate the header again")
    return {
        kernel: Launch(kernel, int(parts), int(requested), int(threads[1]))
        for kernel, parts, requested in _LAUNCH.findall(text)
    }


class Driver:
    """Driver of this machine's GPUs, which are numbered from 0."""

    def __init__(self, library: str) -> None:
        """Open the driver library of NVIDIA.

        Raises:
            ToolchainError: the library or a GPU is missing.
        """
        self._ffi = cffi.FFI()
        self._ffi.cdef(_DECLARATIONS)
        try:
            self._library = self._ffi.dlopen(library)
        except OSError as error:
            raise ToolchainError(
                f"device cuda: the CUDA driver is not installed ({error}); install NVIDIA's "
                "driver, or omit the device to use the CPU"
            ) from error
        self.call("cuInit", 0)
        if self.count_devices() == 0:
            raise ToolchainError(
                "device cuda: the CUDA driver finds no GPU; CUDA_VISIBLE_DEVICES may hide it"
            )
        self._contexts: dict[int, Any] = {}

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function of the CUDA driver.

        Raises:
            ToolchainError: the function reports an error.
        """
        error = getattr(self._library, name)(*arguments)
        if error:
            text = self._ffi.new("const char **")
            self._library.cuGetErrorString(error, text)
            meaning = self._ffi.string(text[0]).decode() if text[0] else "unknown error"
            raise ToolchainError(f"{name} of the CUDA driver failed: {meaning} (error {error})")

    def _get(self, kind: str, name: str, *arguments: Any) -> Any:
        """Call a function of the driver, and return the value of its output argument."""
        place = self._ffi.new(f"{kind} *")
        self.call(name, place, *arguments)
        return place[0]

    def count_devices(self) -> int:
        """Return the number of GPUs that the CUDA driver finds."""
        return int(self._get("int", "cuDeviceGetCount"))

    def find_architecture(self, device: int) -> str:
        """Return the architecture of the GPU number `device` for NVRTC, for example `sm_90`."""
        major, minor = (
            self._get("int", "cuDeviceGetAttribute", attribute, device)
            for attribute in (_MAJOR, _MINOR)
        )
        return f"sm_{major}{minor}"

    def find_device(self, address: int) -> int:
        """Return the number of the GPU whose memory contains an address."""
        return int(self._get("int", "cuPointerGetAttribute", _DEVICE_ORDINAL, address))

    @contextmanager
    def use(self, device: int) -> Iterator[None]:
        """Make a GPU current in a `with` block, in its primary context, as CuPy and PyTorch do."""
        if device not in self._contexts:
            self._contexts[device] = self._get("void *", "cuDevicePrimaryCtxRetain", device)
        self.call("cuCtxPushCurrent_v2", self._contexts[device])
        try:
            yield
        finally:
            self._get("void *", "cuCtxPopCurrent_v2")

    def fit(self, launch: Launch, device: int) -> Launch:
        """Halve the threads of a block until its shared memory fits into the GPU number `device`.

        A block with half the threads requires half the shared memory. A GPU of compute capability
        7.5 grants 64 KiB of shared memory to a block; later GPUs grant at least 99 KiB.
        """
        if not launch.bytes:
            return launch
        most = self._get("int", "cuDeviceGetAttribute", _MOST_SHARED_MEMORY, device)
        while launch.threads > 1 and launch.bytes > most:
            launch = replace(launch, threads=launch.threads // 2, bytes=launch.bytes // 2)
        return launch

    def load(self, code: bytes, launch: Launch) -> Any:
        """Load machine code into the current context, and return the kernel for `launch`."""
        module = self._get("void *", "cuModuleLoadData", self._ffi.from_buffer(code))
        symbol = self._ffi.new("char[]", launch.kernel.encode())
        kernel = self._get("void *", "cuModuleGetFunction", module, symbol)
        if launch.bytes:
            self.call("cuFuncSetAttribute", kernel, _DYNAMIC_SHARED_MEMORY, launch.bytes)
        return kernel

    def bind(
        self,
        kernel: Any,
        launch: Launch,
        count: int,
        stride: int,
        addresses: Sequence[int],
        stream: int,
    ) -> Callable[[], None]:
        """Return a function that starts a kernel on arrays of states, without waiting for it.

        The context in which the kernel was loaded must be current when the function is called.

        Args:
            kernel: the kernel, from `load`.
            launch: launch parameters of the kernel.
            count: number of states.
            stride: distance in every array between successive elements of one state, as a count of
                numbers.
            addresses: addresses of the arrays on the GPU, inputs before results.
            stream: address of a stream of the current context; 0 for the default stream.
        """
        sizes = self._ffi.new("size_t[2]", [count, stride])
        arrays = self._ffi.new("unsigned long long[]", [*addresses])
        places = [sizes + 0, sizes + 1, *(arrays + place for place in range(len(addresses)))]
        arguments = (
            kernel,
            *(-(-count // launch.threads), launch.parts, 1),
            *(launch.threads, 1, 1),
            launch.bytes,
            self._ffi.cast("void *", stream),
            self._ffi.new("void *[]", places),
            self._ffi.NULL,
        )

        def start() -> None:
            _ = sizes, arrays  # the arguments point into them
            self.call("cuLaunchKernel", *arguments)

        return start

    def synchronize(self) -> None:
        """Wait until the current GPU has finished all work."""
        self.call("cuCtxSynchronize")

    def copy_on_device(self, to: int, address: int, size: int) -> None:
        """Copy memory within the current device, on the default stream.

        Args:
            to: address to copy to.
            address: address to copy from.
            size: number of bytes.
        """
        self.call("cuMemcpyDtoD_v2", to, address, size)

    @contextmanager
    def allocate(self, sizes: Sequence[int]) -> Iterator[list[int]]:
        """Allocate memory of the given sizes (bytes) on the current GPU; yield the addresses."""
        addresses: list[int] = []
        try:
            for size in sizes:
                addresses.append(
                    int(self._get("unsigned long long", "cuMemAlloc_v2", max(size, 1)))
                )
            yield addresses
        finally:
            for address in addresses:
                self.call("cuMemFree_v2", address)

    def copy_to_device(self, address: int, array: Array) -> None:
        """Copy a contiguous array of any shape to an address in the memory of the current GPU."""
        self.call("cuMemcpyHtoD_v2", address, self._ffi.from_buffer(array), array.nbytes)

    def copy_from_device(self, array: Array, address: int) -> None:
        """Copy from an address of the current GPU to a contiguous array, after all GPU work."""
        self.call("cuMemcpyDtoH_v2", self._ffi.from_buffer(array), address, array.nbytes)


def open_driver() -> Driver:
    """Return the CUDA driver of this machine, which is opened once.

    Raises:
        ToolchainError: the driver library or a GPU is missing.
    """
    return _open(LIBRARY)


@cache
def _open(library: str) -> Driver:
    """Return the CUDA driver from a driver library, which stays open."""
    return Driver(library)


class GpuKernel:
    """Kernel of a CUDA header; it is compiled for a GPU when it first starts on this GPU."""

    def __init__(self, text: str, kernel: str) -> None:
        """Make a kernel.

        Args:
            text: text of a header that `dynagen --lang cuda` generated.
            kernel: symbol of the kernel in the header.
        """
        self.text = text
        self.launch = read_launches(text)[kernel]
        self._loaded: dict[int, tuple[Any, Launch]] = {}

    def start(
        self, device: int, count: int, stride: int, addresses: Sequence[int], stream: int
    ) -> None:
        """Start the kernel on arrays of states, without waiting for it.

        Args:
            device: number of the GPU.
            count: number of states.
            stride: distance in every array between successive elements of one state, as a count of
                numbers.
            addresses: addresses of the arrays on the GPU, inputs before results.
            stream: address of a CUDA stream; 0 for the default stream.
        """
        with open_driver().use(device):
            self.bind(device, count, stride, addresses, stream)()

    def bind(
        self, device: int, count: int, stride: int, addresses: Sequence[int], stream: int
    ) -> Callable[[], None]:
        """Return a function that starts the kernel, without waiting for it.

        The primary context of the GPU must be current in this call and when the function is called.

        Args:
            device: number of the GPU.
            count: number of states.
            stride: distance in every array between successive elements of one state, as a count of
                numbers.
            addresses: addresses of the arrays on the GPU, inputs before results.
            stream: address of a CUDA stream; 0 for the default stream.
        """
        driver = open_driver()
        if device not in self._loaded:
            code = compile_cached(self.text, driver.find_architecture(device))
            launch = driver.fit(self.launch, device)
            self._loaded[device] = driver.load(code, launch), launch
        return driver.bind(*self._loaded[device], count, stride, addresses, stream)


def compile_cached(text: str, architecture: str) -> bytes:
    """Return machine code of CUDA source code, from the cache or newly compiled.

    Args:
        text: CUDA source text without `#include` directives.
        architecture: architecture of the GPU, such as `sm_90`.
    """
    key = (text, architecture, nvrtc.find_version())
    path = find_file(key, ".cubin")
    if path is None:
        code, _ = nvrtc.compile_code(text, architecture)
        path = cache_bytes(key, ".cubin", code)
    return path.read_bytes()


@dataclass(frozen=True)
class GpuToolchain:
    """Toolchain that runs batch kernels on a GPU, to prove them; it copies arrays there and back.

    Attributes:
        device: number of the GPU.
    """

    device: int = 0

    def load(
        self,
        files: Mapping[str, str],
        symbols: Mapping[str, Signature],
        real: Real,
        optimise: bool = False,
    ) -> dict[str, CompiledKernel]:
        """Load the batch kernels of a generated CUDA header, for arrays in host memory.

        A kernel is compiled at its first call. Each call copies its arrays to the GPU and back.

        Args:
            files: mapping from path to text; one path ends in `.cuh`, and its text is the header.
            symbols: mapping from the name of each function in the header to the signature of the
                function. Functions that are not batch kernels are ignored.
            real: floating-point type of the kernels.
            optimise: has no effect.

        Returns:
            Mapping from the name of each signature to its kernel, a function of numpy arrays.

        Raises:
            ToolchainError: the driver library or a GPU is missing.
        """
        open_driver()
        (text,) = (text for path, text in files.items() if path.endswith(".cuh"))
        known = read_launches(text)
        kernels = {}
        for symbol, signature in symbols.items():
            if symbol in known:
                run = _CopyingCall(GpuKernel(text, symbol), signature, real, self.device)
                kernels[signature.name] = CompiledKernel(signature, run, real)
        return kernels


@dataclass(frozen=True)
class _CopyingCall:
    """Call of a kernel on arrays of the host, which are copied to the GPU and back."""

    kernel: GpuKernel
    signature: Signature
    real: Real
    device: int

    def __call__(self, inputs: Sequence[Array]) -> list[Array]:
        """Return the results for all states of a batch.

        Inputs and results have the shape (number of states, *shape for one state). The last result
        of a kernel that can fail is the status of each state.
        """
        driver, count = open_driver(), len(inputs[0])
        # Element j of state i lies at [j*count + i]; all states share run-time parameters.
        given = [
            np.ascontiguousarray(
                each[: 1 if argument.name == PARAMS else count].reshape(-1, argument.size).T,
                self.real.dtype,
            )
            for each, argument in zip(inputs, self.signature.inputs, strict=True)
        ]
        results = [
            np.empty((each.size, count), np.intc if each.is_status else self.real.dtype)
            for each in self.signature.outputs
        ]
        with (
            driver.use(self.device),
            driver.allocate([each.nbytes for each in (*given, *results)]) as addresses,
        ):
            for address, array in zip(addresses, given, strict=False):
                driver.copy_to_device(address, array)
            self.kernel.start(self.device, count, count, addresses, 0)
            for address, array in zip(addresses[len(given) :], results, strict=True):
                driver.copy_from_device(array, address)
        return [
            np.ascontiguousarray(array.T).reshape(count, *argument.shape)
            for array, argument in zip(results, self.signature.outputs, strict=True)
        ]
