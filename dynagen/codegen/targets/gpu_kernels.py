"""NVIDIA GPU kernels in packages for machine learning: their code, and its test on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from dynagen.codegen.language import StridedKernel
from dynagen.codegen.languages import find_language
from dynagen.codegen.package import Package
from dynagen.codegen.routine import name_batch_kernel
from dynagen.codegen.templating import fill
from dynagen.toolchain import nvrtc
from dynagen.toolchain.kernel import Array, CompiledKernel

CODE = "kernels.ptx"
"""File name of the GPU kernels in the Python package."""
_ARCHITECTURE = "compute_75"


def print_kernels(package: Package) -> tuple[str, tuple[StridedKernel, ...]]:
    """Return CUDA text of a package's GPU kernels, and their descriptions.

    Without the option `--gpu`, the text and the descriptions are empty.
    """
    printer = find_language("cuda").print_strided
    assert printer is not None
    return printer(package) if package.gpu else ("", ())


def compile_kernels(package: Package) -> dict[str, bytes]:
    """Return the PTX code of the GPU kernels, by its file name; empty without `--gpu`.

    Raises:
        ToolchainError: NVRTC is not installed.
    """
    text, kernels = print_kernels(package)
    return {CODE: _compile(text)} if kernels else {}


@lru_cache(maxsize=8)
def _compile(text: str) -> bytes:
    """Return the PTX code of CUDA text, for GPUs with compute capability 7.5 or newer."""
    code, _ = nvrtc.compile_code(text, _ARCHITECTURE)
    return code.rstrip(b"\0")


def add_proof(package: Package, kernels: dict[str, CompiledKernel]) -> dict[str, CompiledKernel]:
    """Return the kernels, with batch kernels that also run the code of the GPU kernels.

    A C++ compiler compiles the code of the GPU kernels for the CPU, and this code computes every
    second state of a batch. Without `--gpu`, the kernels are returned unchanged.

    Args:
        package: package of the kernels.
        kernels: compiled kernels by name; names of batch kernels end in `_batch`.
    """
    text, strided = print_kernels(package)
    if not strided:
        return kernels
    language = find_language("cuda")
    loops = fill(
        "cuda/strided_loops.cpp.j2", prefix=package.prefix, kernels=strided, real=package.real.name
    )
    files = {f"include/{package.prefix}.cuh": text, "loops.cpp": loops}
    symbols = {f"run_{each.symbol}": each.signature for each in strided}
    on_cpu = language.toolchain.load(files, symbols, package.real)
    names = {name_batch_kernel(name): kernel for name, kernel in on_cpu.items()}
    return {
        name: _alternate(kernel, names[name]) if name in names else kernel
        for name, kernel in kernels.items()
    }


def _alternate(one: CompiledKernel, other: CompiledKernel) -> CompiledKernel:
    """Return a kernel that computes states 0, 2, ... by `one`, and states 1, 3, ... by `other`."""

    def run(inputs: Sequence[Array]) -> list[Array]:
        results = []
        halves = [
            kernel.run([np.ascontiguousarray(each[start::2]) for each in inputs])
            for start, kernel in enumerate((one, other))
        ]
        for even, odd in zip(*halves, strict=True):
            joined = np.empty((len(even) + len(odd), *even.shape[1:]), even.dtype)
            joined[::2], joined[1::2] = even, odd
            results.append(joined)
        return results

    return replace(one, run=run)
