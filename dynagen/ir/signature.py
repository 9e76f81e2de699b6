"""Signatures of kernels: arguments with shapes and units, and names that all kernels share.

This module imports no other module of the generator, so that compiled functions load fast.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

PREPARE = "prepare"
"""Name of the generated function that computes `params` from the values of run-time parameters."""
VALUES = "values"
"""Name of the input of `prepare`: an array with the value of every run-time parameter."""
PARAMS = "params"
"""Name of the array that `prepare` computes and every kernel reads.

The array contains the values of the run-time parameters, then all combinations of these values that
kernels use.
"""
STATUS = "status"
"""Name of the last output of a program that can fail; it is a number that is positive on success.

Generated code returns the status code 0 for a positive number, and 1 for any other.
"""


@dataclass(frozen=True)
class Argument:
    """An array that a kernel reads or fills, stored row-major.

    Attributes:
        name: name of the array, the same in all languages.
        shape: number of elements in each dimension; () for a scalar.
        units: the SI unit of each element, row-major (joints of one robot may have different
            units).
        meaning: text for documentation, such as "joint positions".
        columns: names of a matrix's columns; empty if they have no names.
        vector: name of the vector that a matrix multiplies, such as `qd` for a Jacobian; otherwise
            empty.
        is_status: whether this is the status, the last output of kernels that can fail.
        ones: flat positions of elements that are one when the robot is at rest, such as the
            component w of a unit quaternion. All other elements are zero at rest.
    """

    name: str
    shape: tuple[int, ...]
    units: tuple[str, ...]
    meaning: str
    columns: tuple[str, ...] = field(default=(), compare=False)
    vector: str = field(default="", compare=False)
    is_status: bool = False
    ones: tuple[int, ...] = field(default=(), compare=False)

    @property
    def size(self) -> int:
        """Number of elements, the product of the shape."""
        return prod(self.shape)


@dataclass(frozen=True)
class Signature:
    """Name and arguments of a kernel.

    Attributes:
        name: the function that the kernel computes, such as `inverse_dynamics`.
        inputs: input arguments, in the order of the generated function.
        outputs: output arguments in the order of the generated function; a status comes last.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """All arguments: inputs, then outputs, which is their order in all languages."""
        return self.inputs + self.outputs

    @property
    def results(self) -> tuple[Argument, ...]:
        """The output arguments except the status."""
        return tuple(output for output in self.outputs if not output.is_status)

    @property
    def can_fail(self) -> bool:
        """Whether the kernel has a status, because it can fail for some inputs."""
        return any(output.is_status for output in self.outputs)


def format_core_signature(signature: Signature) -> str:
    """Return the signature of a generalized ufunc for numpy, such as `(6),(6)->(6,6),()`.

    The text consists of the shapes of all arguments for one state, inputs before outputs. A scalar
    and the status have the shape `()`.
    """
    inputs, outputs = (
        ",".join(
            "()" if argument.is_status else f"({','.join(map(str, argument.shape))})"
            for argument in arguments
        )
        for arguments in (signature.inputs, signature.outputs)
    )
    return f"{inputs}->{outputs}"


def describe_signature(signature: Signature, type_name: str) -> str:
    """Return inputs and outputs with their shapes in one line, as in `<f: q(3) -> tau(3), double>`.

    Args:
        signature: signature of the function.
        type_name: name of the number type of all arguments, such as "double".
    """
    inputs, outputs = (
        ", ".join(
            f"{argument.name}({', '.join(map(str, argument.shape))})" for argument in arguments
        )
        for arguments in (signature.inputs, signature.outputs)
    )
    return f"<{signature.name}: {inputs} -> {outputs}, {type_name}>"
