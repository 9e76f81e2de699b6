"""Run-time parameters as generated code names them: constants for their indices, and their defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dynagen.errors import UsageError
from dynagen.languages.comments import plain_text
from dynagen.languages.package import Package
from dynagen.languages.printing import shortest_decimal


@dataclass(frozen=True)
class ParameterConstant:
    """A run-time parameter as the templates see it.

    Attributes:
        constant: the name of its index.
        index: in the language's arrays.
        name: as in the description.
        unit: as the user writes it; empty if not given.
        default: a literal without suffix.
    """

    constant: str
    index: int
    name: str
    unit: str
    default: str

    @property
    def text(self) -> str:
        """Name and unit, for a comment."""
        return f"{self.name}, {self.unit}" if self.unit else self.name


def parameter_constants(
    package: Package, constant: Callable[[str, str], str], first_index: int
) -> list[ParameterConstant]:
    """The run-time parameters in the order of the array that carries them.

    Args:
        package: what is generated.
        constant: (prefix, parameter) -> name of the constant in the language.
        first_index: of the language's arrays.
    """
    return [
        ParameterConstant(
            constant(package.prefix, parameter.name),
            index,
            plain_text(parameter.name),
            plain_text(parameter.unit),
            shortest_decimal(parameter.value, package.real),
        )
        for index, parameter in enumerate(package.parameters, first_index)
    ]


def prepared_size(package: Package) -> int:
    """Number of elements that the first kernel of a package with run-time parameters fills."""
    return package.kernels[0].program.outputs[0].argument.size if package.parameters else 0


def unusable(values: Mapping[str, float]) -> UsageError:
    """What to say of values of run-time parameters, by name, that nothing can be prepared from."""
    listed = ", ".join(f"{name} = {value!r}" for name, value in values.items())
    return UsageError(
        f"with {listed} something that depends on run-time parameters alone is infinite or not a number: "
        "is there a division by one of them? Write the description without it, or choose other defaults"
    )
