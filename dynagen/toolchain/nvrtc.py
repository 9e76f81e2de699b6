"""Compilation of CUDA code by NVRTC, NVIDIA's compiler library.

NVRTC requires neither a GPU nor other parts of CUDA. The wheel `nvidia-cuda-nvrtc-cu12` contains
the library. `compile_code` returns machine code. `compile_kernels` returns the number of registers,
spilled bytes and instructions of each kernel, as CUDA's assembler reports them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files
from struct import unpack_from
from typing import Any

import cffi

from dynagen.errors import ToolchainError

WHEEL = "nvidia-cuda-nvrtc-cu12"
_WHEELS = (WHEEL, "nvidia-cuda-nvrtc")  # the second one is of CUDA 13
_BYTES = 16  # of a machine instruction since compute capability 7.0
_DECLARATIONS = """
    int nvrtcVersion(int *, int *);
    int nvrtcCreateProgram(void **, const char *, const char *, int, const char **, const char **);
    int nvrtcCompileProgram(void *, int, const char **);
    int nvrtcGetProgramLogSize(void *, size_t *);
    int nvrtcGetProgramLog(void *, char *);
    int nvrtcGetPTXSize(void *, size_t *);
    int nvrtcGetPTX(void *, char *);
    int nvrtcGetCUBINSize(void *, size_t *);
    int nvrtcGetCUBIN(void *, char *);
    int nvrtcDestroyProgram(void **);
"""
_KERNEL = re.compile(
    r"Compiling entry function '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, "
    r"(\d+) bytes spill loads.*?Used (\d+) registers",
    re.DOTALL,
)


@dataclass(frozen=True)
class CompiledForGpu:
    """Resources that a kernel requires on a GPU.

    Attributes:
        name: symbol of the kernel.
        registers: number of registers of a thread.
        stack: bytes of local memory of a thread.
        spills: bytes that a thread stores from registers to local memory, for lack of registers.
        instructions: number of machine instructions, including a few instructions without effect
            that pad the end of the code.
    """

    name: str
    registers: int
    stack: int
    spills: int
    instructions: int


def compile_code(
    text: str, architecture: str = "sm_90", options: Sequence[str] = ()
) -> tuple[bytes, str]:
    """Compile CUDA code, and return the machine code and the compiler's report.

    Args:
        text: CUDA source text without `#include` directives.
        architecture: architecture of the GPU, such as `sm_90`. For `compute_75`, the result is PTX
            code, which the driver compiles for any GPU since compute capability 7.5.
        options: further options of NVRTC.

    Raises:
        ToolchainError: NVRTC is not installed, or rejects the text.
    """
    ffi, library = open_library()
    program, size = ffi.new("void **"), ffi.new("size_t *")
    name = ffi.new("char[]", b"kernels.cu")
    source = ffi.new("char[]", text.encode())
    library.nvrtcCreateProgram(program, source, name, 0, ffi.NULL, ffi.NULL)
    try:
        given = (f"--gpu-architecture={architecture}", *options)
        arguments = [ffi.new("char[]", each.encode()) for each in given]
        failed = library.nvrtcCompileProgram(program[0], len(arguments), arguments)
        library.nvrtcGetProgramLogSize(program[0], size)
        log = ffi.new("char[]", size[0])
        library.nvrtcGetProgramLog(program[0], log)
        report = ffi.string(log).decode()
        if failed:
            raise ToolchainError(f"NVRTC rejected the source:\n{report}")
        kind = "PTX" if architecture.startswith("compute_") else "CUBIN"
        getattr(library, f"nvrtcGet{kind}Size")(program[0], size)
        code = ffi.new("char[]", size[0])
        getattr(library, f"nvrtcGet{kind}")(program[0], code)
    finally:
        library.nvrtcDestroyProgram(program)
    return bytes(ffi.buffer(code)), report


def compile_kernels(
    text: str, architecture: str = "sm_90", options: Sequence[str] = ()
) -> tuple[CompiledForGpu, ...]:
    """Compile CUDA code, and return the registers, memory and instructions of each kernel.

    The kernels are sorted by name.

    Args:
        text: CUDA source text without `#include` directives.
        architecture: architecture of the GPU, such as `sm_90`.
        options: further options of NVRTC.

    Raises:
        ToolchainError: NVRTC is not installed, or rejects the text.
    """
    code, report = compile_code(text, architecture, ("--ptxas-options=-v", *options))
    sizes = _measure_functions(code)
    found = (
        CompiledForGpu(name, int(registers), int(stack), int(spills), sizes[name] // _BYTES)
        for name, stack, spills, _, registers in _KERNEL.findall(report)
    )
    return tuple(sorted(found, key=lambda kernel: kernel.name))


def open_library() -> tuple[cffi.FFI, Any]:
    """Return cffi's interface and the opened NVRTC library of CUDA 12 or 13.

    Raises:
        ToolchainError: NVRTC is not installed.
    """
    paths = [path for wheel in _WHEELS for path in _find_libraries(wheel)]
    if not paths:
        raise ToolchainError(f"NVRTC is not installed; install it with: pip install {WHEEL}")
    ffi = cffi.FFI()
    ffi.cdef(_DECLARATIONS)
    return ffi, ffi.dlopen(paths[0])


def find_version() -> str:
    """Return the version of NVRTC, for example 12.9.

    Raises:
        ToolchainError: NVRTC is not installed.
    """
    ffi, library = open_library()
    major, minor = ffi.new("int *"), ffi.new("int *")
    library.nvrtcVersion(major, minor)
    return f"{major[0]}.{minor[0]}"


def _find_libraries(wheel: str) -> list[str]:
    """Return the paths of the NVRTC library in a wheel; empty if the wheel is not installed."""
    try:
        installed = files(wheel) or []
    except PackageNotFoundError:
        return []
    return [str(each.locate()) for each in installed if each.name.startswith("libnvrtc.so")]


def _measure_functions(code: bytes) -> dict[str, int]:
    """Return the size of each function in a 64-bit ELF file, in bytes."""
    (table,) = unpack_from("<Q", code, 40)
    count, names = unpack_from("<HH", code, 60)
    sections = [unpack_from("<IIQQQQ", code, table + 64 * index) for index in range(count)]
    start = sections[names][4]
    found = {}
    for name, _, _, _, _, size in sections:
        title = code[start + name : code.index(b"\0", start + name)].decode()
        if title.startswith(".text."):
            found[title.removeprefix(".text.")] = size
    return found
