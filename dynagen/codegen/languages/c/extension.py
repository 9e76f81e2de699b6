"""Source of a Python module in which each C kernel is a NumPy generalized ufunc.

The templates in `c/extension` contain one file for each step of a call, the same for all kernels.

| file | subject |
| --- | --- |
| kernel.h | description of a kernel: its arrays, and its functions |
| run.h | how to run a kernel on one state |
| operand.h, operands.h, states.h, loop.h | the loop over states that numpy calls |
| transpose.h, rows.h, tiles.h, lanes.c.j2 | batch kernels on rows or columns of numpy's arrays |
| places.h, results.h, single.h | a fast call for one state, without numpy's machinery |
| shapes.h, explain.h | error messages that name the argument instead of numpy's operand number |
| arguments.h, call.h | a call from Python, by position or by name |
| ufunc.h, calls.c.j2 | the ufuncs, and the file with all calls, the same for all robots |
| module.c.j2 | the module of one robot: descriptions of its kernels |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dynagen.codegen import documentation
from dynagen.codegen.c_statements import REAL_TYPES
from dynagen.codegen.languages.c.kernels import write_prototype
from dynagen.codegen.languages.c.lanes import name_block
from dynagen.codegen.routine import Routine, name_batch_kernel
from dynagen.codegen.templating import fill, read_template
from dynagen.ir.program import PARAMS, PREPARE, Argument, Signature
from dynagen.ir.signature import format_core_signature
from dynagen.numbers.real import DOUBLE, FLOAT, Real
from dynagen.toolchain.cache import MODULE
from dynagen.toolchain.kernel import add_values_argument

_PAGES = (
    *(
        "kernel.h",
        "run.h",
        "operand.h",
        "operands.h",
        "states.h",
        "loop.h",
        "transpose.h",
        "rows.h",
        "tiles.h",
        "places.h",
        "results.h",
    ),
    *("single.h", "shapes.h", "explain.h", "arguments.h", "call.h", "ufunc.h"),
)
_CODES = {DOUBLE: ("NPY_DOUBLE", "d"), FLOAT: ("NPY_FLOAT", "f")}


@dataclass(frozen=True)
class UfuncKernel:
    """C texts of a kernel and its ufunc, for the jinja2 template.

    Attributes:
        signature: signature of the ufunc.
        core: core signature of the ufunc in numpy's syntax, such as `(6),(6)->(6)`.
        prototype: declaration of the C function.
        call: call of the C function with elements of the arrays of pointers `in` and `out`.
        taken: inputs that differ between states: all except the values that `prepare` computes.
        lanes_call: call of the batch kernel on a block of states; empty without a batch kernel.
        room: number of values that `prepare` computes for the kernel, at least 1.
        prepare: name of the C function that computes the last argument of the kernel from run-time
            parameters, the last input of the ufunc; NULL if the kernel has no such argument.
        doc: help text as a C string literal.
    """

    signature: Signature
    core: str
    prototype: str
    call: str
    taken: tuple[Argument, ...]
    lanes_call: str
    room: int
    prepare: str
    doc: str

    @property
    def arrays(self) -> tuple[Argument, ...]:
        """Arguments of the ufunc without the status code: inputs, then results."""
        return self.signature.inputs + self.signature.results


def print_extension(
    files: Mapping[str, str],
    routines: Sequence[Routine],
    real: Real,
    help_lines: Mapping[str, Sequence[str]],
) -> dict[str, str]:
    """Return the C files of a Python module with a ufunc for each kernel, as texts by path.

    Args:
        files: texts of the files with kernels and of the included files, by path. The module's
            loops include the files of batch kernels, so that each file is compiled once.
        routines: the kernels, including batch kernels. With run-time parameters, `prepare` must be
            among the kernels, because the ufuncs take the parameters' values and call `prepare`.
        real: number type of the kernels.
        help_lines: mapping from a function's name to the lines that Python's `help` shows; the help
            of other functions lists their arguments.
    """
    kernels = describe_kernels(routines, real, help_lines)
    return {
        **print_lanes(files, routines, kernels, real),
        **print_calls(real),
        "extension/module.c": fill(
            "c/extension/module.c.j2", module=MODULE, real=REAL_TYPES[real].name, kernels=kernels
        ),
    }


def print_calls(real: Real) -> dict[str, str]:
    """Return the texts, by path, of the C files that are the same for all robots.

    They are a C file with the calls from Python, and the headers that it includes.

    Args:
        real: number type of the kernels.
    """
    code, letter = _CODES[real]
    return {
        **{f"extension/{page}": read_template(f"c/extension/{page}") for page in _PAGES},
        "extension/calls.c": fill(
            "c/extension/calls.c.j2", real=REAL_TYPES[real].name, code=code, letter=letter
        ),
    }


def describe_kernels(
    routines: Sequence[Routine], real: Real, help_lines: Mapping[str, Sequence[str]] | None = None
) -> list[UfuncKernel]:
    """Return C texts for the jinja2 templates, for each kernel for one state and its ufunc.

    Args:
        routines: the kernels, including batch kernels and `prepare`.
        real: number type of the kernels.
        help_lines: mapping from a function's name to the lines that Python's `help` shows; the help
            of other functions lists their arguments.
    """
    # A ufunc calls the kernel for one state, or the batch kernel of the same symbol for many.
    one_state = [routine for routine in routines if routine.loop is None]
    over_lanes = {routine.symbol: routine for routine in routines if routine.loop is not None}
    return [
        _kernel(
            routine,
            over_lanes.get(name_batch_kernel(routine.symbol)),
            one_state,
            real,
            (help_lines or {}).get(routine.signature.name, ()),
        )
        for routine in one_state
    ]


def print_lanes(
    files: Mapping[str, str],
    routines: Sequence[Routine],
    kernels: Sequence[UfuncKernel],
    real: Real,
    alone: bool = True,
) -> dict[str, str]:
    """Return the C files of the kernels and a C file with loops over states, as texts by path.

    The loops call the inner functions of batch kernels, which compute a block of states: as many
    as a vector has lanes.

    Args:
        files: texts of the files with kernels and of the included files, by path.
        routines: the kernels, including batch kernels.
        kernels: C texts of the kernels, from `describe_kernels`.
        real: number type of the kernels.
        alone: whether the public functions of batch kernels are left out, because the module has
            its own loops over states.
    """
    first = next(routine for routine in routines if routine.loop is None)
    prefix = first.symbol.removesuffix(f"_{first.signature.name}")
    # Files of batch kernels are included, as headers, into the file of their loops.
    lanes = {path: text for path, text in files.items() if f'#include "{prefix}_lanes.h"' in text}
    included = {path.removesuffix(".c") + ".h": text for path, text in lanes.items()}
    loops = fill(
        "c/extension/lanes.c.j2",
        prefix=prefix,
        macro=prefix.upper(),
        alone=alone,
        included=included,
        bytes=np.dtype(real.dtype).itemsize,
        kernels=kernels,
    )
    return {
        **{path: text for path, text in files.items() if path not in lanes},
        **included,
        "extension/lanes.c": loops,
    }


def count_params(routines: Sequence[Routine]) -> int:
    """Return the largest number of values that `prepare` computes for a kernel, at least 1.

    The kernel `prepare` computes all values that depend only on run-time parameters.
    """
    sizes = (
        argument.size
        for routine in routines
        for argument in routine.signature.inputs
        if argument.name == PARAMS
    )
    return max(sizes, default=1)


def _kernel(
    routine: Routine,
    over_lanes: Routine | None,
    routines: Sequence[Routine],
    real: Real,
    help_lines: Sequence[str],
) -> UfuncKernel:
    """Return the C texts of a kernel and its ufunc, for the jinja2 template.

    `over_lanes` is the batch kernel of the same function. `routines` are all kernels for one state,
    in the order of the module. Without `help_lines`, the help is a table of the arguments.
    """
    # `prepare` is called by its position among the kernels for one state.
    places = {each.signature.name: place for place, each in enumerate(routines)}
    signature = routine.signature
    taken = tuple(argument for argument in signature.inputs if argument.name != PARAMS)
    # The kernel takes prepared parameters; its ufunc takes run-time parameters and prepares them.
    if len(taken) < len(signature.inputs):
        prepare = f"run_{places[PREPARE]}"
        signature = add_values_argument(signature, routines[places[PREPARE]].signature)
    else:
        prepare = "NULL"
    results = [f"out[{place}]" for place in range(len(signature.results))]
    arguments = [f"in[{place}]" for place in range(len(signature.inputs))] + results
    return UfuncKernel(
        signature,
        format_core_signature(signature),
        write_prototype(routine, real, "Real"),
        f"{routine.symbol}({', '.join(arguments)})",
        taken,
        _lanes_call(over_lanes, len(taken)) if over_lanes else "",
        count_params([routine]),
        prepare,
        _literal(help_lines or documentation.describe_arguments(signature)),
    )


def _lanes_call(routine: Routine, taken: int) -> str:
    """Return the C call of a batch kernel's function for one block of states.

    The call passes copies of the values of as many states as a vector has lanes. `taken` is the
    number of inputs that differ between states.
    """
    signature = routine.signature
    inputs = [f"(const Real *)tile_{place}" for place in range(taken)]
    # Prepared parameters are the same for all states and have no tile.
    inputs += ["params"] * (len(signature.inputs) - taken)
    results = [f"to_{place}" for place in range(len(signature.results))]
    status = ["status", "LANES"] if signature.can_fail else []
    passed = ["1", "LANES", *inputs, "in_place ? (size_t)stride : LANES", *results, *status]
    return f"{name_block(routine.symbol)}({', '.join(passed)})"


def _literal(lines: Sequence[str]) -> str:
    """Return lines of text as a C string literal, with special characters in names escaped."""
    escaped = (
        line.replace("\\", "\\\\").replace('"', '\\"').replace("??", "?\\?") for line in lines
    )
    return "\n     ".join(f'"{line}\\n"' for line in escaped)
