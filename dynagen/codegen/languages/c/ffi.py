"""Source of a shared library whose functions XLA calls on arrays of states (JAX).

Each kernel becomes two handlers of XLA's foreign function interface, for arrays in rows and in
columns. `templates/c/ffi` has the handlers; the loops over states are those of NumPy's ufuncs
(`extension`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dynagen.codegen.languages.c.extension import count_params, describe_kernels, print_lanes
from dynagen.codegen.languages.c.writer import REAL_TYPES
from dynagen.codegen.routine import Routine
from dynagen.codegen.templating import fill, read_template
from dynagen.ir.program import PARAMS
from dynagen.numbers.real import DOUBLE, FLOAT, Real

_CODES = {DOUBLE: "XLA_FFI_DataType_F64", FLOAT: "XLA_FFI_DataType_F32"}
_LOOPS = ("operand.h", "transpose.h", "rows.h", "tiles.h")


def _describe_batch(routine: Routine) -> tuple[str, str]:
    """Return the prototype of a batch kernel, and its call with elements of `in` and `out`."""
    signature = routine.signature
    *state, last = [f"in[{place}]" for place in range(len(signature.inputs))]
    inputs = [*state, "params" if signature.inputs[-1].name == PARAMS else last]
    results = [f"out[{place}]" for place in range(len(signature.results))]
    status = ["status"] if signature.can_fail else []
    call = f"{routine.symbol}({', '.join(['count', 'stride', *inputs, *results, *status])})"
    types = ["const Real *"] * len(inputs) + ["Real *"] * len(results) + ["int *"] * len(status)
    return f"void {routine.symbol}(size_t, size_t, {', '.join(types)})", call


def print_ffi_library(
    files: Mapping[str, str], routines: Sequence[Routine], real: Real
) -> dict[str, str]:
    """Return all files that the library is compiled from, path -> text.

    Args:
        files: files that contain kernels, and files that they include.
        routines: the kernels, including batch kernels; `prepare` among them if a kernel takes
            prepared parameters.
        real: type of their numbers.
    """
    kernels = describe_kernels(routines, real)
    library = fill(
        "c/ffi/library.c.j2",
        real=REAL_TYPES[real].name,
        code=_CODES[real],
        operands=max(len(kernel.signature.arguments) for kernel in kernels),
        params=count_params(routines),
        kernels=kernels,
        batches={
            each.signature.name: _describe_batch(each) for each in routines if each.loop is not None
        },
    )
    return {
        **print_lanes(files, routines, kernels, real, alone=False),
        **{f"extension/{page}": read_template(f"c/extension/{page}") for page in _LOOPS},
        **{
            f"extension/{page}": read_template(f"c/ffi/{page}") for page in ("axes.h", "handlers.h")
        },
        "extension/library.c": library,
    }
