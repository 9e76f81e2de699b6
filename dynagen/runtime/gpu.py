"""Functions of GPU arrays of CuPy, PyTorch or any library with `__cuda_array_interface__`.

A call starts a kernel on the current stream, copies no data and does not wait. States are stored
side by side, as in the kernels: the last axis of each array indexes the states.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynagen.codegen.language import collect_kernel_sources
from dynagen.codegen.languages import find_language
from dynagen.codegen.routine import LaneLoop
from dynagen.codegen.ufuncs import write_help
from dynagen.errors import UsageError
from dynagen.ir.signature import Argument, Signature
from dynagen.pipeline import driver
from dynagen.pipeline.settings import Settings
from dynagen.robot.description import RobotDescription
from dynagen.runtime.progress import show_progress
from dynagen.toolchain import nvrtc
from dynagen.toolchain.gpu import GpuKernel, open_driver

_CUDA = "cuda"  # the language
_PREFIX = "robot"


def compile_gpu_function(description: RobotDescription, settings: Settings) -> GpuFunction:
    """Generate a function, prove its source code on the CPU, and prepare it for GPUs.

    Args:
        description: the robot.
        settings: options of the run, which name one function.

    Returns:
        The function of GPU arrays; it is compiled for a GPU at its first call on this GPU.

    Raises:
        ToolchainError: the CUDA driver, a GPU or NVRTC is missing.
        UsageError: the robot has run-time parameters or no such function, or an option is invalid.
        VerificationError: the proof of the function failed.
    """
    open_driver()
    nvrtc.open_library()
    if description.parameters:
        raise UsageError(
            f"device cuda: {description.name} has run-time parameters, which functions for arrays "
            "of a GPU do not support; start the kernels of `--lang cuda` from C++"
        )
    with show_progress() as progress:
        generation = driver.generate(
            description,
            _choose_language(settings),
            progress,
            prove=settings.verify,
            only_kernels=True,
        )
    package = generation.package
    files, routines = collect_kernel_sources(find_language(_CUDA), package, generation.files)
    (routine,) = (each for each in routines if isinstance(each.loop, LaneLoop))
    (text,) = (text for path, text in files.items() if path.endswith(".cuh"))
    (kernel,) = package.kernels
    return GpuFunction(
        GpuKernel(text, routine.symbol),
        kernel.program.signature,
        np.dtype(package.real.dtype),
        write_help(package, kernel, kernel.program.signature),
    )


def _choose_language(settings: Settings) -> Settings:
    """Return the settings with the language CUDA; refuse settings that name another language."""
    usual = Settings().language
    if settings.language not in (usual, _CUDA):
        raise UsageError(
            f"device cuda always uses the language cuda, found {settings.language}; omit `lang`"
        )
    return replace(settings, language=_CUDA, prefix=settings.prefix or _PREFIX)


@dataclass(frozen=True)
class _View:
    """Location and size of an array on a GPU, whose last axis indexes the states.

    Attributes:
        address: address of the first number.
        count: number of states.
        stride: distance between the elements of one state, counted in numbers; None if a state has
            only one element.
    """

    address: int
    count: int
    stride: int | None


class GpuFunction:
    """Generated function of arrays in the memory of a GPU.

    The last axis of an array indexes the states. All other axes belong to one state: for a robot
    with 7 joints, q has shape (7, states), and the mass matrix (7, 7, states). An array may be a
    view of some columns of a larger array, if all arrays of the call have the same distance between
    rows.

    Attributes:
        inputs, outputs: arguments in order, each with its name, shape for one state, and unit.
        dtype: numpy type of all numbers of the function, float64 or float32; the status code is an
            int32.
    """

    def __init__(
        self, kernel: GpuKernel, signature: Signature, dtype: np.dtype[Any], text: str
    ) -> None:
        """Make a function of GPU arrays.

        Args:
            kernel: kernel of the function, which a GPU compiles at the first call.
            signature: name of the function, and its inputs and outputs.
            dtype: numpy type of all numbers of the function, float64 or float32.
            text: docstring of the function, which `help` shows.
        """
        self._kernel = kernel
        self.inputs, self.outputs, self.dtype = signature.inputs, signature.outputs, dtype
        self.__name__ = self.__qualname__ = signature.name
        self.__doc__ = text

    def __call__(self, *inputs: Any, out: Any = None, stream: Any = None, **named: Any) -> Any:
        """Start the kernel; the results are complete when the stream has finished its work.

        Args:
            inputs: input arrays in the order of `inputs` of this object. An array has the shape of
                the argument, followed by the axis of the states.
            out: array for the result, or a tuple with one array for each result. If `out` is None,
                new arrays are created, which is possible only for inputs of CuPy or PyTorch. An
                output must not overlap an input.
            stream: stream of CuPy or PyTorch, or the address of a stream. None is the current
                stream of CuPy or PyTorch; for other arrays, the default stream.
            named: input arrays by name.

        Returns:
            One result as an array, several results as a tuple of arrays, with the states on the
            last axis. If the function can fail, the last result is the status code of each state,
            shape (states,), 0 for success or 1 for failure.

        Raises:
            TypeError: an array is not on a GPU, has another type of numbers than `dtype`, or is
                missing.
            ValueError: an array has a wrong shape; the numbers of states or the distances between
                rows differ among the arrays; or the states of an array are not side by side.
        """
        arrays = self._bind(inputs, named)
        views = [self._read(each, array) for each, array in zip(self.inputs, arrays, strict=True)]
        count, stride = self._match(views, [each.name for each in self.inputs])
        if out is None:
            results = tuple(self._make(each, arrays[0], count, stride) for each in self.outputs)
        else:
            results = out if isinstance(out, tuple) else (out,)
        if len(results) != len(self.outputs):
            raise ValueError(
                f"{self.__name__}(): out must have an array for each of {len(self.outputs)} "
                f"results, not {len(results)}"
            )
        filled = [
            self._read(each, array) for each, array in zip(self.outputs, results, strict=True)
        ]
        names = [each.name for each in (*self.inputs, *self.outputs)]
        count, stride = self._match([*views, *filled], names)
        if count:
            addresses = [each.address for each in (*views, *filled)]
            device = open_driver().find_device(addresses[0])
            self._kernel.start(device, count, stride, addresses, _find_stream(arrays[0], stream))
        return results if len(results) > 1 else results[0]

    def __repr__(self) -> str:
        names = ", ".join(f"{each.name}{(*each.shape, 'states')}" for each in self.inputs)
        return f"<{self.__name__} on cuda: {names}, {self.dtype.name}>".replace("'", "")

    def _bind(self, inputs: Sequence[Any], named: dict[str, Any]) -> list[Any]:
        """Return the inputs of a call in the order of the signature."""
        names = [each.name for each in self.inputs]
        given = dict(zip(names, inputs, strict=False)) | named
        if (
            len(inputs) > len(names)
            or len(given) != len(inputs) + len(named)
            or [name for name in given if name not in names]
        ):
            raise TypeError(
                f"{self.__name__}() expected {', '.join(names)}; found {len(inputs)} arrays by "
                f"position and {', '.join(named) or 'none'} by name"
            )
        if missing := [name for name in names if name not in given]:
            raise TypeError(
                f"{self.__name__}() expected {', '.join(names)}: {missing[0]} is missing"
            )
        return [given[name] for name in names]

    def _read(self, argument: Argument, array: Any) -> _View:
        """Check type, shape and strides of an array in GPU memory; return its location and size.

        Raises:
            TypeError: the array is not on a GPU, or has another type of numbers.
            ValueError: the shape is wrong, or the states are not side by side.
        """
        where = f"{self.__name__}(): {argument.name}"
        try:
            found = array.__cuda_array_interface__
        except (AttributeError, RuntimeError) as error:  # PyTorch reports why, e.g. a gradient
            raise TypeError(
                f"{where} must be an array on a GPU, of CuPy or PyTorch, not "
                f"{type(array).__module__}.{type(array).__name__}: {error}"
            ) from error
        dtype = np.dtype(np.intc) if argument.is_status else self.dtype
        if np.dtype(found["typestr"]) != dtype:
            raise TypeError(
                f"{where} must have numbers of type {dtype.name}, not "
                f"{np.dtype(found['typestr']).name}; convert the array first"
            )
        shape = tuple(found["shape"])
        if len(shape) != len(argument.shape) + 1 or shape[:-1] != argument.shape:
            expected = ", ".join([*map(str, argument.shape), "states"])
            raise ValueError(f"{where} must have shape ({expected}), not {shape}")
        strides = found.get("strides") or _contiguous_strides(shape, dtype.itemsize)
        return _View(found["data"][0], shape[-1], self._find_stride(where, shape, strides, dtype))

    def _find_stride(
        self, where: str, shape: tuple[int, ...], strides: Sequence[int], dtype: np.dtype[Any]
    ) -> int | None:
        """Return the distance between the elements of one state, as a count of numbers.

        The last axis of `shape` indexes states; `strides` are in bytes. The result is None if a
        state has only one element.

        Raises:
            ValueError: the array is not row-major with the states side by side; `where` begins the
                message.
        """
        # Axes of length 1 have any stride.
        axes = [place for place, size in enumerate(shape[:-1]) if size > 1]
        stride = strides[axes[-1]] // dtype.itemsize if axes else None
        expected = _contiguous_strides((*shape[:-1], stride or shape[-1]), dtype.itemsize)
        chosen = [*axes, *([len(shape) - 1] if shape[-1] > 1 else [])]
        if [strides[axis] for axis in chosen] != [expected[axis] for axis in chosen] or (
            stride is not None and stride < shape[-1]
        ):
            raise ValueError(
                f"{where}: expected states side by side, row-major, with strides such as "
                f"{_contiguous_strides(shape, dtype.itemsize)} in bytes, found {tuple(strides)}; "
                "copy "
                "the array first"
            )
        return stride

    def _match(self, views: Sequence[_View], names: Sequence[str]) -> tuple[int, int]:
        """Return the number of states and the stride, which must be the same for all arrays.

        The stride is the distance between elements of one state, counted in numbers.
        """
        counts = {name: view.count for name, view in zip(names, views, strict=True)}
        if len({*counts.values()}) > 1:
            raise ValueError(f"{self.__name__}(): the numbers of states differ: {counts}")
        strides = {
            name: view.stride
            for name, view in zip(names, views, strict=True)
            if view.stride is not None
        }
        if len({*strides.values()}) > 1:
            raise ValueError(
                f"{self.__name__}(): expected the same distance between rows in all arrays, found "
                f"{strides}"
            )
        count = views[0].count
        return count, next(iter(strides.values()), count)

    def _make(self, argument: Argument, like: Any, count: int, stride: int) -> Any:
        """Return a new array for a result, for the same library and GPU as the input `like`."""
        dtype = np.dtype(np.intc) if argument.is_status else self.dtype
        shape = (*argument.shape, stride)
        name = type(like).__module__.partition(".")[0]
        if name == "torch":
            torch = sys.modules["torch"]
            made = torch.empty(shape, dtype=getattr(torch, dtype.name), device=like.device)
        elif name == "cupy":
            with like.device:
                made = sys.modules["cupy"].empty(shape, dtype)
        else:
            raise TypeError(
                f"{self.__name__}(): expected out, because the inputs are not of CuPy or PyTorch"
            )
        return made if stride == count else made[..., :count]


def _contiguous_strides(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Return the strides, in bytes, of a row-major array."""
    strides = [itemsize]
    for size in reversed(shape[1:]):
        strides.append(strides[-1] * size)
    return tuple(reversed(strides))


def _find_stream(array: Any, stream: Any) -> int:
    """Return the address of the given stream, or of the current stream of the array's library."""
    if stream is None:
        name = type(array).__module__.partition(".")[0]
        if name == "torch":
            stream = sys.modules["torch"].cuda.current_stream(array.device)
        elif name == "cupy":
            stream = sys.modules["cupy"].cuda.get_current_stream(array.device.id)
        else:
            return 0
    for attribute in ("ptr", "cuda_stream"):  # of CuPy, of PyTorch
        if hasattr(stream, attribute):
            return int(getattr(stream, attribute))
    return int(stream)
