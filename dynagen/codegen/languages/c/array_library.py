"""Source of a shared library with functions that XLA (JAX) or PyTorch calls on arrays of states.

For XLA, each kernel becomes two handlers of the foreign function interface (FFI): for arrays stored
by rows, and for arrays stored by columns. For PyTorch, each kernel becomes one operator. The
templates `c/ffi` and `c/torch` read the arguments of a call; the templates `c/arrays` call kernels
on arrays in any layout. The loops over states are the same as in the Python module of NumPy ufuncs
(`extension`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dynagen.codegen.c_statements import REAL_TYPES
from dynagen.codegen.language import StridedKernel
from dynagen.codegen.languages.c.extension import count_params, describe_kernels, print_lanes
from dynagen.codegen.routine import Routine
from dynagen.codegen.templating import fill, read_template
from dynagen.ir.program import PARAMS
from dynagen.numbers.real import DOUBLE, FLOAT, Real

XLA, TORCH = "ffi", "torch"
"""Folders of templates for the callers of the library: XLA and PyTorch."""
_CODES = {
    XLA: {DOUBLE: "XLA_FFI_DataType_F64", FLOAT: "XLA_FFI_DataType_F32"},
    TORCH: {DOUBLE: "float64", FLOAT: "float32"},
}
_HEADERS = {XLA: "handlers.h", TORCH: "operators.h"}
_GPU_HEADERS = {XLA: "gpu_handlers.h", TORCH: "gpu_operators.h"}
_LOOPS = ("operand.h", "transpose.h", "rows.h", "tiles.h")
_CALLS = ("axes.h", "calls.h")


def _describe_batch(routine: Routine) -> tuple[str, str]:
    """Return C texts of a batch kernel: its prototype, and a call.

    The call passes elements of `in` and `out`, which are arrays of pointers.
    """
    signature = routine.signature
    *state, last = [f"in[{place}]" for place in range(len(signature.inputs))]
    inputs = [*state, "params" if signature.inputs[-1].name == PARAMS else last]
    results = [f"out[{place}]" for place in range(len(signature.results))]
    status = ["status"] if signature.can_fail else []
    call = f"{routine.symbol}({', '.join(['count', 'stride', *inputs, *results, *status])})"
    types = ["const Real *"] * len(inputs) + ["Real *"] * len(results) + ["int *"] * len(status)
    return f"void {routine.symbol}(size_t, size_t, {', '.join(types)})", call


def print_array_library(
    caller: str,
    files: Mapping[str, str],
    routines: Sequence[Routine],
    real: Real,
    gpu: Sequence[StridedKernel] = (),
) -> dict[str, str]:
    """Return the C files of a library that XLA or PyTorch calls, as texts by path.

    The functions of the library compute kernels on arrays of states.

    Args:
        caller: program that calls the library, XLA or TORCH.
        files: texts of the files with kernels and of the included files, by path.
        routines: the kernels, including batch kernels. With run-time parameters, `prepare` must be
            among the kernels.
        real: number type of the kernels.
        gpu: GPU kernels that functions of the library start.
    """
    kernels = describe_kernels(routines, real)
    library = fill(
        f"c/{caller}/library.c.j2",
        real=REAL_TYPES[real].name,
        code=_CODES[caller][real],
        operands=max(len(kernel.signature.arguments) for kernel in kernels),
        rank=max(1, *(len(array.shape) for kernel in kernels for array in kernel.arrays)),
        params=count_params(routines),
        kernels=kernels,
        gpu={each.signature.name: each for each in gpu},
        batches={
            each.signature.name: _describe_batch(each) for each in routines if each.loop is not None
        },
    )
    return {
        **print_lanes(files, routines, kernels, real, alone=False),
        **{f"extension/{page}": read_template(f"c/extension/{page}") for page in _LOOPS},
        **{f"extension/{page}": read_template(f"c/arrays/{page}") for page in _CALLS},
        **(_read_gpu_headers(caller) if gpu else {}),
        f"extension/{_HEADERS[caller]}": read_template(f"c/{caller}/{_HEADERS[caller]}"),
        "extension/library.c": library,
    }


def _read_gpu_headers(caller: str) -> dict[str, str]:
    """Return the C headers for GPU kernels, as texts by path; `caller` is XLA or TORCH."""
    header = _GPU_HEADERS[caller]
    return {
        "extension/gpu.h": read_template("c/arrays/gpu.h"),
        f"extension/{header}": read_template(f"c/{caller}/{header}"),
    }
