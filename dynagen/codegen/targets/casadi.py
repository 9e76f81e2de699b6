"""Target `casadi`: a library of CasADi functions with exact derivatives, and its C source.

Each generated function is an external function of CasADi (`casadi.external`). Matrices are stored
column-major, without the elements that are always zero for this robot. The function `step_euler`
becomes `discrete_step`, with the state x = [q; qd] (joint positions and velocities) and the input
u = tau (joint forces). The module `casadi_functions` describes the functions; this module prints,
compiles and loads them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dynagen.codegen import documentation
from dynagen.codegen.language import Language
from dynagen.codegen.languages import find_language
from dynagen.codegen.naming import make_plain_text
from dynagen.codegen.package import VECTOR, BinaryFile, Package, SourceFile
from dynagen.codegen.targets.casadi_functions import (
    ADJOINT,
    DISCRETE_STEP,
    JACOBIAN,
    PARAMETERS,
    STEP,
    SparsityTable,
    describe_functions,
    name_jacobian,
    name_second_order,
    write_symbol,
)
from dynagen.codegen.targets.manifest import print_library_manifest
from dynagen.codegen.targets.target import Built, SourceFiles, Target
from dynagen.codegen.templating import fill
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.dynamics.functions.jacobians import JACOBIANS
from dynagen.dynamics.requests import find_functions
from dynagen.errors import UsageError
from dynagen.ir.program import PREPARE
from dynagen.numbers.real import DOUBLE
from dynagen.resources import require_extra
from dynagen.robot.coordinates import refuse_special_joints
from dynagen.robot.model.model import RobotModel
from dynagen.toolchain.commands import C_COMPILER
from dynagen.toolchain.extension import OPTIMISED, THIS_MACHINE
from dynagen.toolchain.externals import ExternalCall, load_externals
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.toolchain.shared_library import SHARED, compile_library

_SUFFIXES = {"darwin": ".dylib", "win32": ".dll"}


def list_requests(
    requests: Sequence[str], model: RobotModel, settings: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return the functions to generate: the requested functions and their derivatives.

    With run-time parameters, only Jacobians are generated: derivatives by all inputs and the
    parameters.

    Args:
        requests: functions that the user requests.
        model: model of the robot.
        settings: settings of the run by name; `hessian` adds second derivatives.

    Raises:
        UsageError: a request is unknown or not available for the robot, or a joint is not
            supported.
    """
    joints = (body.joint for body in model.bodies)
    refuse_special_joints(model.name, joints, "the target casadi", with_spherical_joints=True)
    named = tuple(STEP if request == DISCRETE_STEP else request for request in requests)
    # Other derivatives are by small motions, and CasADi's by the entries of quaternions. Gradients
    # and second derivatives by contact forces and parameters are not generated.
    first_only = model.has_turning_axes or model.parameters or model.contact_forces
    derivatives = [
        request
        for function in find_functions(named, model)
        if function.name in JACOBIANS
        for request in (
            [name_jacobian(function.name, bool(model.parameters))]
            if first_only
            else _list_derivatives(function.name, settings["hessian"])
        )
        if _is_available(request, model)
    ]
    return tuple(dict.fromkeys((*named, *derivatives)))


def _is_available(request: str, model: RobotModel) -> bool:
    """Return whether all functions of a request (names joined by +) are available for a robot."""
    known = {function.name: function for function in FUNCTIONS}
    return all(
        name in known and not known[name].availability.explain_absence(model)
        for name in request.split("+")
    )


def _list_derivatives(function: str, hessian: bool) -> Iterator[str]:
    """Yield the names with which to request the kernels for derivatives of a function.

    The derivatives are the Jacobian of the function, the gradient of a weighted sum of its outputs,
    and, with `hessian`, the second derivatives of this sum.
    """
    yield f"{function}_{JACOBIAN}"
    yield f"{function}_{ADJOINT}"
    if hessian:
        yield name_second_order(function)


def _check(language: Language, settings: Mapping[str, Any]) -> None:
    """Check that CasADi is installed and that numbers are doubles."""
    if settings["real"] != DOUBLE.name:
        raise UsageError("--target casadi: CasADi computes in double precision; leave --real out")
    require_extra("casadi", "casadi", "to prove the functions through casadi.external")


def name_library(package: Package) -> str:
    """Return the file name of the shared library, with the suffix of this operating system."""
    return f"{package.prefix}{_SUFFIXES.get(sys.platform, '.so')}"


def _print_files(package: Package, language: Language) -> SourceFiles:
    """Return kernels, functions of CasADi's C interface, README, example and manifest."""
    stored, functions = describe_functions(package)
    kernels = {kernel.function: kernel for kernel in stored.kernels}
    sparsities = SparsityTable()
    symbols = [
        write_symbol(symbol, kernels[symbol.kernel], sparsities)
        for function in functions
        for symbol in function.symbols
    ]
    about = documentation.collect_package_values(
        package, language.constant, language.first_index, " * "
    )
    values = {
        **about,
        "robot": make_plain_text(package.robot),
        "functions": functions,
        "first": next((each for each in functions if each.derivatives), functions[0]),
        "symbols": symbols,
        "sparsities": sparsities.arrays,
        "library": name_library(package),
        "has_step": any(each.value.name == DISCRETE_STEP for each in functions),
        "parameters_input": PARAMETERS,
        "origin": documentation.describe_origin(package),
        "zeros": max(
            entry.size
            for each in functions
            for symbol in each.symbols
            for entry in symbol.inputs
            if entry.parts
        ),
    }
    files = (
        *language.print_kernels(stored),
        SourceFile(f"{package.prefix}_casadi.c", fill("casadi/externals.c.j2", **values)),
        SourceFile(f"{package.prefix}_example.py", fill("casadi/example.py.j2", **values)),
        SourceFile("README.md", fill("casadi/README.md.j2", **values)),
    )
    described = [
        {
            "name": each.value.name,
            "inputs": {entry.name: entry.size for entry in each.value.inputs},
            "outputs": {
                matrix.name: [matrix.sparsity.rows, matrix.sparsity.columns]
                for matrix in each.value.outputs
            },
            "derivatives": [symbol.symbol for symbol in each.derivatives],
            "jacobian_nonzeros": {matrix.name: matrix.sparsity.count for matrix in each.jacobian},
        }
        for each in functions
    ]
    paths = [*(file.path for file in files), name_library(package)]
    manifest = print_library_manifest(package, language, paths, {"externals": described})
    return (*files, manifest)


def _compile(package: Package, language: Language, files: SourceFiles) -> BinaryFile:
    """Compile the shared library.

    Raises:
        ToolchainError: the compiler is not installed or rejects the code.
    """
    options = THIS_MACHINE if package.native else ()
    command = [*C_COMPILER.find(), "-std=c99", *OPTIMISED, *options, *SHARED, "-s", "-Iinclude"]
    library = compile_library(command, {file.path: file.text for file in files}, ["-lm"])
    return BinaryFile(name_library(package), library.read_bytes())


def _load(
    package: Package, language: Language, files: SourceFiles, built: Built | None
) -> dict[str, CompiledKernel]:
    """Load the functions as users do: by `casadi.external`, with derivatives by CasADi.

    Raises:
        ToolchainError: CasADi cannot load the library.
    """
    assert isinstance(built, BinaryFile)  # `_compile` made it
    _, functions = describe_functions(package)
    signatures = {kernel.function: kernel.program.signature for kernel in package.kernels}
    calls = [
        ExternalCall(
            symbol.name,
            symbol.prefix,
            signatures[symbol.kernel],
            tuple(tuple(part for part, _ in entry.parts) for entry in symbol.inputs),
            symbol.outputs,
        )
        for function in functions
        for symbol in function.symbols
    ]
    return load_externals(built.path, built.content, calls, signatures.get(PREPARE))


CASADI = Target(
    name="casadi",
    audience="users of CasADi and its solvers: optimal control, estimation, predictive control",
    languages=(find_language("c"),),
    out="generated/<robot>/casadi",
    files=(
        "<robot>.so (compiled)",
        "<robot>_casadi.c",
        "kernels in C",
        "<robot>_example.py",
        "README.md",
        "<robot>.manifest.json",
    ),
    tools=("gcc or clang",),
    extras=("casadi",),
    trig=VECTOR,
    proof=(
        "The library is loaded by casadi.external. Each function and the derivatives that CasADi "
        "finds for it are called on all states."
    ),
    print_files=_print_files,
    build=_compile,
    load=_load,
    check=_check,
    list_requests=list_requests,
    options=("native", "hessian"),
)
