"""Signatures and help texts of the functions of numpy arrays that call kernels."""

from __future__ import annotations

from collections.abc import Iterable

from dynagen.codegen import documentation
from dynagen.codegen.package import Kernel, Package
from dynagen.codegen.routine import Routine
from dynagen.ir.program import PARAMS, PREPARE, Signature
from dynagen.toolchain.kernel import add_values_argument


def list_ufunc_signatures(routines: Iterable[Routine]) -> dict[str, Signature]:
    """Return, by name, the signatures of the Python functions that call kernels.

    If the robot has run-time parameters, they are the last input of each Python function. The last
    input of the kernel is instead the array that `prepare` computes from the run-time parameters.

    Args:
        routines: kernels, with `prepare` if the robot has run-time parameters.
    """
    kernels = {
        routine.signature.name: routine.signature for routine in routines if routine.loop is None
    }
    return {
        name: add_values_argument(signature, kernels[PREPARE])
        if signature.inputs[-1].name == PARAMS
        else signature
        for name, signature in kernels.items()
    }


def write_help(package: Package, kernel: Kernel, signature: Signature) -> str:
    """Return a function's help text: formula, operation counts, verified error bound, arguments."""
    arguments = documentation.describe_arguments(signature)
    return "\n".join([documentation.explain_kernel(package, kernel, ""), "", *arguments])
