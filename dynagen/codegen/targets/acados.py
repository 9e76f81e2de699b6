"""Target `acados`: one time step of a robot as external functions of acados, and a Python model.

The time step is a semi-implicit Euler step with the state x = [q; qd] (joint positions and
velocities) and the input u = tau (joint forces). One kernel computes the next state; another kernel
computes the next state and its derivatives by x and u. All C code is in one file, because acados
copies a single file. To verify this file, dynagen compiles it with the headers of acados, and calls
its functions on vectors and matrices of BLASFEO, as acados does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from dynagen.codegen import documentation
from dynagen.codegen.language import Language
from dynagen.codegen.languages import find_language
from dynagen.codegen.naming import make_plain_text, wrap_text
from dynagen.codegen.package import VECTOR, Kernel, Package, SourceFile
from dynagen.codegen.printing import WIDTH
from dynagen.codegen.targets.manifest import print_library_manifest
from dynagen.codegen.targets.target import Built, SourceFiles, Target
from dynagen.codegen.templating import fill
from dynagen.errors import UsageError
from dynagen.ir.columns import Blocks, ColumnMatrix, Part, store_by_columns
from dynagen.ir.cost import count
from dynagen.ir.program import PARAMS, PREPARE
from dynagen.numbers.real import DOUBLE
from dynagen.resources import require_extra
from dynagen.robot.coordinates import refuse_special_joints
from dynagen.robot.model.model import RobotModel
from dynagen.toolchain.acados import AcadosFunction, find_acados, load_acados
from dynagen.toolchain.kernel import CompiledKernel

STEP = "step_euler"
DERIVATIVES = f"{STEP}+{STEP}_derivatives"
"""Name with which to request the kernel that computes a time step and its derivatives."""
DISCRETE_STEP = "discrete_step"
"""Name with which users request the time step; the target delivers no other function."""

_DEFAULT = ("inverse_dynamics",)  # requested without -f
_NEXT = ("q_next", "qd_next")
_BY = ("tau", "q", "qd")
"""Variables by which results are differentiated, as in acados: the inputs u, then the state x."""
_ARRAYS = {"q": "x", "qd": "x + NQ", "tau": "u", "dt": "p", PARAMS: PARAMS}
_JACOBIAN_END = "_jacobian"


@dataclass(frozen=True)
class _External:
    """Texts of a C function in the interface of acados.

    The function calls the function named `kernel` with the arguments `arguments`. Each returned
    matrix consists of outputs of the kernel; `layouts` holds their positions in each matrix.
    """

    symbol: str
    title: str
    kernel: str
    arguments: tuple[str, ...]
    jacobian: bool
    can_fail: bool
    layouts: tuple[ColumnMatrix, ...]


def list_requests(
    requests: Sequence[str], model: RobotModel, settings: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return the functions to generate: a time step, and a time step with its derivatives.

    Args:
        requests: functions that the user requests; only the time step is allowed.
        model: model of the robot.
        settings: settings of the run by name; not used.

    Raises:
        UsageError: a function other than the time step is requested, the robot has a floating base,
            or external forces act on it.
    """
    refuse_special_joints(model.name, (body.joint for body in model.bodies), "this target")
    others = [request for request in requests if request not in (DISCRETE_STEP, STEP, *_DEFAULT)]
    if others:
        raise UsageError(
            f"--target acados delivers `{DISCRETE_STEP}` only, found `{others[0]}`; leave -f "
            "out, or use --target casadi for other functions"
        )
    if model.has_external_forces:
        raise UsageError(
            "--target acados: a step with external wrenches or contact forces has no derivatives; "
            "remove them from the description"
        )
    if model.floats:
        raise UsageError(
            "--target acados: derivatives that acados requires are not available for robots with a "
            "floating base; use --target casadi, whose discrete_step has a Jacobian"
        )
    return STEP, DERIVATIVES


def _check(language: Language, settings: Mapping[str, Any]) -> None:
    """Check that acados and CasADi are installed and that numbers are doubles."""
    if settings["real"] != DOUBLE.name:
        raise UsageError("--target acados: acados computes in double precision; leave --real out")
    require_extra("casadi", "casadi", "for models of acados")
    find_acados()


def _describe(package: Package) -> tuple[Package, tuple[_External, ...]]:
    """Return the package with matrices stored by columns, and texts of the functions for acados."""
    stored: list[Kernel] = []
    functions = []
    for kernel in package.kernels:
        if kernel.function == PREPARE:
            stored.append(kernel)
            continue
        matrices: list[tuple[str, Blocks]] = [("x_next", tuple((Part(name),) for name in _NEXT))]
        jacobian = kernel.function != STEP
        if jacobian:
            rows = [tuple(Part(f"d{name}_d{by}", transposed=True) for name in _NEXT) for by in _BY]
            matrices.append(("elements", tuple(rows)))
        program, layouts = store_by_columns(kernel.program, matrices)
        stored.append(
            replace(kernel, program=program, operations=count(program), calls=None, partition=None)
        )
        inputs = [_ARRAYS[each.name] for each in program.inputs]
        functions.append(
            _External(
                f"{package.prefix}_step{_JACOBIAN_END if jacobian else ''}",
                "x, u -> x_next" + ", [dx_next/du dx_next/dx]'" * jacobian,
                kernel.function,
                (*inputs, "x_next", *(_name_elements(matrix) for matrix in layouts[1:])),
                jacobian,
                program.can_fail,
                layouts,
            )
        )
    described = replace(package, kernels=tuple(stored), vectors={}, single_file=True)
    return described, tuple(functions)


def _name_elements(matrix: ColumnMatrix) -> str:
    """Return the C name of the array for derivatives: `jacobian` if dense, else `elements`."""
    return "jacobian" if matrix.sparsity.is_dense else "elements"


def _print_files(package: Package, language: Language) -> SourceFiles:
    """Return the C source, the Python model, README and manifest."""
    stored, functions = _describe(package)
    (elements,) = (each for function in functions for each in function.layouts[1:])
    rows = elements.sparsity.rows
    places = [
        column * rows + row
        for column in range(elements.sparsity.columns)
        for row in elements.sparsity.indices[
            elements.sparsity.starts[column] : elements.sparsity.starts[column + 1]
        ]
    ]
    printed = {file.path: file.text for file in language.print_kernels(stored)}
    # Headers come first, in the order in which they include each other.
    paths = sorted(printed, key=lambda path: not path.endswith(".h"))
    own = "|".join(re.escape(PurePosixPath(path).name) for path in paths)
    sources = [re.sub(f'#include "({own})"\n', "", printed[path]).rstrip() for path in paths]
    about = [
        documentation.collect_package_values(package, language.constant, language.first_index, mark)
        for mark in ("", " * ")
    ]
    values = {
        **about[1],
        "robot": make_plain_text(package.robot),
        "origin": documentation.describe_origin(package),
        "functions": functions,
        "sources": sources,
        "places": places,
        "dense": elements.sparsity.is_dense,
        "places_text": "\n".join(
            f"    {line}" for line in wrap_text(", ".join(map(str, places)), WIDTH - 4)
        ),
        "joints": tuple(joint.name for joint in package.joints),
        "values": {each.name: float(each.value) for each in package.parameters},
    }
    files = tuple(
        SourceFile(path, fill(f"acados/{template}", **values | more))
        for path, template, more in (
            (f"{package.prefix}_acados.c", "externals.c.j2", {}),
            (f"{package.prefix}_acados.py", "model.py.j2", {}),
            ("README.md", "README.md.j2", about[0]),
        )
    )
    manifest = print_library_manifest(
        package,
        language,
        [file.path for file in files],
        {"externals": [each.symbol for each in functions], "nonzeros": len(places)},
    )
    return (*files, manifest)


def _load(
    package: Package, language: Language, files: SourceFiles, built: Built | None
) -> dict[str, CompiledKernel]:
    """Compile the C source with the headers of acados, and load its functions.

    Raises:
        ToolchainError: the compiler rejects the code.
    """
    _, functions = _describe(package)
    signatures = {kernel.function: kernel.program.signature for kernel in package.kernels}
    source = next(file for file in files if file.path.endswith(".c"))
    return load_acados(
        source.text,
        [AcadosFunction(each.symbol, signatures[each.kernel], each.layouts) for each in functions],
        signatures.get(PREPARE),
        len(package.parameters),
    )


ACADOS = Target(
    name="acados",
    audience="users of acados: real-time optimal control of robots with a fixed base",
    languages=(find_language("c"),),
    out="generated/<robot>/acados",
    files=(
        "<robot>_acados.c",
        "<robot>_acados.py",
        "README.md",
        "<robot>.manifest.json",
    ),
    tools=("gcc or clang", "acados"),
    extras=("casadi",),
    trig=VECTOR,
    proof=(
        "The source is compiled with acados' headers. Its functions are called on vectors and "
        "matrices of BLASFEO on all states."
    ),
    print_files=_print_files,
    load=_load,
    check=_check,
    list_requests=list_requests,
)
