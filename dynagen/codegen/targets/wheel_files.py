"""Text files of a wheel: an installable Python package around the compiled module of kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dynagen.codegen import documentation
from dynagen.codegen.documentation import name_elements
from dynagen.codegen.naming import make_plain_text
from dynagen.codegen.package import Package
from dynagen.codegen.templating import fill
from dynagen.ir.program import PREPARE, Signature


@dataclass(frozen=True)
class _WheelFunction:
    """Texts of a ufunc (NumPy function of a kernel); `returned` is the result's Python type."""

    name: str
    explained: str
    arguments: str
    inputs: tuple[str, ...]
    returned: str


@dataclass(frozen=True)
class Distribution:
    """Name, version and requirements of a wheel, as pip reads them.

    Attributes:
        prefix: prefix of public names, which begins the name of the package.
        version: version of the robot's package, not of dynagen.
        python: version of Python, such as 3.11, for which the module is compiled.
        numpy: requirement on numpy, in pip's syntax.
    """

    prefix: str
    version: str
    python: str
    numpy: str

    @property
    def name(self) -> str:
        """Name of the package in the wheel's file name: `prefix` in lower case."""
        return self.prefix.lower()

    @property
    def information(self) -> str:
        """Name of the wheel's folder with the metadata for pip: `<name>-<version>.dist-info`."""
        return f"{self.name}-{self.version}.dist-info"


def print_wheel(
    package: Package, signatures: Mapping[str, Signature], distribution: Distribution
) -> dict[str, str]:
    """Return all text files of a wheel except WHEEL and RECORD, as texts by path."""
    functions = [
        _WheelFunction(
            kernel.function,
            documentation.explain_kernel(package, kernel, ""),
            "\n".join(documentation.describe_arguments(signatures[kernel.function])),
            tuple(each.name for each in signatures[kernel.function].inputs),
            _return_type(signatures[kernel.function], package),
        )
        for kernel in package.kernels
        if kernel.function != PREPARE
    ]
    constants = ("ELEMENTS", "JOINTS", "N", "NQ", "PARAMETERS", "__version__")
    values = {
        "robot": make_plain_text(package.robot),
        "prefix": package.prefix,
        "about": "\n".join(documentation.describe_package(package, 0)),
        "origin": documentation.describe_origin(package),
        "functions": functions,
        "nv": package.nv,
        "nq": package.nq,
        "joints": tuple(joint.name for joint in package.joints),
        # Defaults are rounded to the type of the kernels, so that Python shows the used values.
        "parameters": {
            parameter.name: float(package.real.round(parameter.value))
            for parameter in package.parameters
        },
        "elements": {each.vector: each.labels for each in name_elements(package)},
        "names": [*constants, *sorted(function.name for function in functions)],
        "distribution": distribution.name,
        "version": distribution.version,
        "python": distribution.python,
        "numpy": distribution.numpy,
    }
    return {
        f"{package.prefix}/__init__.py": fill("python/wheel/init.py.j2", **values),
        f"{package.prefix}/__init__.pyi": fill("python/wheel/init.pyi.j2", **values),
        f"{package.prefix}/py.typed": "",
        f"{distribution.information}/METADATA": fill("python/wheel/METADATA.j2", **values),
    }


def _return_type(signature: Signature, package: Package) -> str:
    """Return the Python type of a function's result, as text."""
    types = [f"NDArray[np.{package.real.dtype.__name__}]"] * len(signature.results) + [
        "Any"
    ] * signature.can_fail
    return types[0] if len(types) == 1 else f"tuple[{', '.join(types)}]"
