"""Target `casadi`: a shared library of CasADi functions with exact Jacobians, and its source.

Each generated function is an external function of CasADi (`casadi.external`). A function with a
Jacobian kernel also has `jac_<name>`, which CasADi calls for derivatives. Matrices are stored by
columns, without the elements that are zero for this robot. `step_euler` becomes `discrete_step`,
with x = [q; qd] and u = tau.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dynagen.codegen import documentation
from dynagen.codegen.language import Language
from dynagen.codegen.languages import find_language
from dynagen.codegen.naming import make_plain_text, wrap_text
from dynagen.codegen.package import BinaryFile, Kernel, Package, SourceFile
from dynagen.codegen.printing import WIDTH
from dynagen.codegen.targets.manifest import print_library_manifest
from dynagen.codegen.targets.target import Built, SourceFiles, Target
from dynagen.codegen.templating import fill
from dynagen.dynamics.functions.jacobians import JACOBIAN_SUFFIX, JACOBIANS
from dynagen.dynamics.requests import find_functions
from dynagen.errors import UsageError
from dynagen.ir.columns import Blocks, ColumnMatrix, Sparsity, store_by_columns
from dynagen.ir.cost import count
from dynagen.ir.program import PARAMS, PREPARE
from dynagen.numbers.real import DOUBLE
from dynagen.resources import require_extra
from dynagen.robot.model.model import RobotModel
from dynagen.toolchain.commands import C_COMPILER, make_source_folder, run
from dynagen.toolchain.extension import OPTIMISED, THIS_MACHINE
from dynagen.toolchain.externals import ExternalCall, load_externals
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.toolchain.shared_library import SHARED

STEP = "step_euler"
DISCRETE_STEP = "discrete_step"
PARAMETERS = "parameters"
"""Input of run-time parameters; its elements are in the order of the description."""

_STATE = (("x", ("q", "qd")), ("u", ("tau",)))
"""Inputs of `discrete_step` -> inputs of `step_euler` that they consist of."""
_SHORT = 60  # characters of an array that is written in the line of its declaration
_SUFFIXES = {"darwin": ".dylib", "win32": ".dll"}


@dataclass(frozen=True)
class Input:
    """An input of an external function.

    Attributes:
        name: its name in CasADi.
        parts: (input of the kernel, place of its first element here) of each part.
        size: number of elements.
        ones: places of elements that are one, not zero, at rest: w of a unit quaternion.
    """

    name: str
    parts: tuple[tuple[str, int], ...]
    size: int
    ones: tuple[int, ...] = ()

    @property
    def rest(self) -> list[int]:
        """Values for an example, with a quaternion of unit length."""
        return [int(place in self.ones) for place in range(self.size)]


class SparsityTable:
    """The sparsities of a file as arrays of C, each once.

    Attributes:
        arrays: elements of each array as text, by its name.
    """

    def __init__(self) -> None:
        self.arrays: dict[str, str] = {}
        self._names: dict[tuple[int, ...], str] = {}

    def add_dense(self, rows: int, columns: int) -> str:
        """Return the array for a matrix with all elements."""
        return self._add(f"dense_{rows}_{columns}", (rows, columns, 1))

    def add_empty(self, sparsity: Sparsity) -> str:
        """Return the array for a matrix of the same shape without elements."""
        name = f"empty_{sparsity.rows}_{sparsity.columns}"
        return self._add(name, (sparsity.rows, sparsity.columns, *(0 for _ in sparsity.starts)))

    def add(self, sparsity: Sparsity, symbol: str) -> str:
        """Return the array for a matrix of a function with this symbol."""
        if sparsity.is_dense:
            return self.add_dense(sparsity.rows, sparsity.columns)
        numbers = sparsity.rows, sparsity.columns, *sparsity.starts, *sparsity.indices
        return self._add(f"{symbol}_stores_{len(self.arrays)}", numbers)

    def _add(self, name: str, numbers: tuple[int, ...]) -> str:
        if numbers not in self._names:
            self._names[numbers] = name
            self.arrays[name] = _wrap(map(str, numbers))
        return self._names[numbers]


@dataclass(frozen=True)
class SymbolCall:
    """A C function of CasADi's interface for the template; all texts are C.

    Attributes:
        symbol: its name.
        title: arguments and results, for a comment.
        kernel: function that it calls, without the prefix.
        arguments: arguments of that call.
        results: places of the results that the kernel computes.
        unused: size of the array that receives unused results; 0 if there is one result.
        parameters: place of the run-time parameters among the inputs; -1 without.
        can_fail: whether the kernel returns a status.
        inputs: names of the inputs, quoted.
        outputs: names of the outputs, quoted.
        given: arrays with the sparsities of the inputs.
        stored: arrays with the sparsities of the outputs.
        input_count: number of inputs.
        output_count: number of outputs.
    """

    symbol: str
    title: str
    kernel: str
    arguments: tuple[str, ...]
    results: tuple[int, ...]
    unused: int
    parameters: int
    can_fail: bool
    inputs: str
    outputs: str
    given: str
    stored: str
    input_count: int
    output_count: int


@dataclass(frozen=True)
class External:
    """A function of CasADi, and the kernels that compute it.

    Attributes:
        name: name in CasADi, a C symbol.
        function: name of the kernel's function in dynagen.
        inputs: inputs; run-time parameters are the last one.
        outputs: results as CasADi stores them.
        jacobian: blocks of `jac_<name>`, in CasADi's order: for each output the derivatives by each
            input. May be empty.
        can_fail: whether the kernel returns a status.
    """

    name: str
    function: str
    inputs: tuple[Input, ...]
    outputs: tuple[ColumnMatrix, ...]
    jacobian: tuple[ColumnMatrix, ...]
    can_fail: bool

    def describe_calls(self, sparsities: SparsityTable) -> list[SymbolCall]:
        """Return the function and its Jacobian for the template."""
        calls = [self._describe(self.name, self.function, self.outputs, (), sparsities)]
        if self.jacobian:
            derivatives = self.function + JACOBIAN_SUFFIX
            name = f"jac_{self.name}"
            calls.append(self._describe(name, derivatives, self.jacobian, self.outputs, sparsities))
        return calls

    def _describe(
        self,
        symbol: str,
        kernel: str,
        matrices: tuple[ColumnMatrix, ...],
        originals: tuple[ColumnMatrix, ...],
        sparsities: SparsityTable,
    ) -> SymbolCall:
        """Return a C function for the template.

        Args:
            symbol: its name.
            kernel: function that it calls.
            matrices: results.
            originals: outputs of the function whose Jacobian this is; the Jacobian receives them as
                inputs that it does not read.
            sparsities: receives the sparsities.
        """
        given = [
            *(sparsities.add_dense(entry.size, 1) for entry in self.inputs),
            # CasADi passes the outputs to a Jacobian; without elements they cost nothing.
            *(sparsities.add_empty(matrix.sparsity) for matrix in originals),
        ]
        stored = [sparsities.add(matrix.sparsity, symbol) for matrix in matrices]
        results = tuple(place for place, each in enumerate(matrices) if each.sparsity.count)
        arguments = []
        for place, entry in enumerate(self.inputs):
            for part, start in entry.parts:
                # CasADi passes NULL for an input that is zero.
                array = f"arg[{place}] ? arg[{place}] : zeros"
                if part == PARAMS:
                    array = PARAMS
                elif start:
                    array = f"({array}) + {start}"
                arguments.append(array)
        sizes = [matrices[place].sparsity.count for place in results]
        arguments += [
            # CasADi passes NULL for a result that it does not need.
            f"res[{place}]" if len(results) == 1 else f"res[{place}] ? res[{place}] : unused"
            for place in results
        ]
        inputs = [
            *(entry.name for entry in self.inputs),
            *(f"out_{matrix.name}" for matrix in originals),
        ]
        return SymbolCall(
            symbol=symbol,
            title=f"{symbol}: {', '.join(inputs)} -> {', '.join(each.name for each in matrices)}",
            kernel=kernel,
            arguments=tuple(arguments),
            results=results,
            unused=max(sizes) if len(sizes) > 1 else 0,
            parameters=next(
                (place for place, entry in enumerate(self.inputs) if entry.name == PARAMETERS), -1
            ),
            can_fail=self.can_fail,
            inputs=_wrap(f'"{each}"' for each in inputs),
            outputs=_wrap(f'"{matrix.name}"' for matrix in matrices),
            given=_wrap(given),
            stored=_wrap(stored),
            input_count=len(inputs),
            output_count=len(matrices),
        )


def _wrap(items: Iterable[str]) -> str:
    """Return the elements of an array of C: in one line if they are few, else in several."""
    text = ", ".join(items)
    if len(text) <= _SHORT:
        return text
    lines = wrap_text(text, WIDTH - 4)
    return "\n    " + "\n    ".join(lines) + "\n"


def list_requests(requests: Sequence[str], model: RobotModel) -> tuple[str, ...]:
    """Return the functions to generate: those requested, and their Jacobians.

    With run-time parameters there is no Jacobian, because derivatives by them are not generated.

    Raises:
        UsageError: as `find_functions`.
    """
    named = tuple(STEP if request == DISCRETE_STEP else request for request in requests)
    # A Jacobian by some inputs only would be taken for zero by the others.
    if model.parameters:
        return named
    jacobians = (JACOBIANS.get(function.name) for function in find_functions(named, model))
    return tuple(
        dict.fromkeys(
            (
                *named,
                *(
                    jacobian.name
                    for jacobian in jacobians
                    if jacobian and not jacobian.availability.unavailable_because(model)
                ),
            )
        )
    )


def _check(language: Language, settings: Mapping[str, Any]) -> None:
    """Require CasADi, double precision, and a system whose compilers make shared libraries."""
    if settings["real"] != DOUBLE.name:
        raise UsageError("--target casadi: CasADi computes in double precision; leave --real out")
    require_extra("casadi", "casadi", "to prove the functions through casadi.external")


def describe_externals(package: Package) -> tuple[Package, tuple[External, ...]]:
    """Return the package whose kernels store results by columns, and its CasADi functions."""
    programs = {kernel.function: kernel for kernel in package.kernels}
    kernels: dict[str, Kernel] = {}
    externals = []
    for kernel in package.kernels:
        if kernel.function == PREPARE:
            kernels[PREPARE] = kernel
            continue
        if kernel.function.removesuffix(JACOBIAN_SUFFIX) in programs and kernel.function.endswith(
            JACOBIAN_SUFFIX
        ):
            continue
        is_step = kernel.function == STEP
        name = DISCRETE_STEP if is_step else kernel.function
        inputs = tuple(_list_inputs(kernel, package, is_step))
        results = [output.argument.name for output in kernel.program.results]
        matrices: list[tuple[str, Blocks]] = (
            [("x_next", (("q_next",), ("qd_next",)))]
            if is_step
            else [(result, ((result,),)) for result in results]
        )
        kernels[kernel.function], outputs = _store(kernel, matrices)
        jacobian: tuple[ColumnMatrix, ...] = ()
        derivatives = programs.get(kernel.function + JACOBIAN_SUFFIX)
        if derivatives is not None:
            blocks = [
                (
                    f"jac_{matrix}_{entry.name}",
                    tuple(
                        tuple(f"d{output}_d{part}" for part, _ in entry.parts) for (output,) in rows
                    ),
                )
                for matrix, rows in matrices
                for entry in inputs
            ]
            kernels[derivatives.function], jacobian = _store(derivatives, blocks)
        externals.append(
            External(name, kernel.function, inputs, outputs, jacobian, kernel.program.can_fail)
        )
    stored = tuple(kernels[kernel.function] for kernel in package.kernels)
    return replace(package, kernels=stored, vectors={}), tuple(externals)


def _list_inputs(kernel: Kernel, package: Package, is_step: bool) -> Iterator[Input]:
    """List the inputs of a function in CasADi; `discrete_step` has two that join several."""
    arguments = {argument.name: argument for argument in kernel.program.inputs}
    # CasADi's integrators expect one state vector x = (q, qd).
    joined = dict(_STATE) if is_step else {}
    alone = {
        name: (name,) for name in arguments if not any(name in parts for parts in joined.values())
    }
    for name, parts in {**joined, **alone}.items():
        if name == PARAMS:
            yield Input(PARAMETERS, ((PARAMS, 0),), len(package.parameters))
            continue
        sizes = [arguments[part].size for part in parts]
        # The quaternion of a floating base is in q, which comes first.
        yield Input(
            name,
            tuple(zip(parts, accumulate(sizes[:-1], initial=0), strict=True)),
            sum(sizes),
            arguments[parts[0]].ones,
        )


def _store(
    kernel: Kernel, matrices: Sequence[tuple[str, Blocks]]
) -> tuple[Kernel, tuple[ColumnMatrix, ...]]:
    """Return a kernel that stores matrices by columns, and the matrices."""
    # Compressed columns: zeros of a Jacobian are neither computed nor stored.
    program, stored = store_by_columns(kernel.program, matrices)
    return replace(
        kernel, program=program, operations=count(program), calls=None, partition=None
    ), stored


def name_library(package: Package) -> str:
    """Return the file name of the library."""
    return f"{package.prefix}{_SUFFIXES.get(sys.platform, '.so')}"


def _print_files(package: Package, language: Language) -> SourceFiles:
    """Print kernels, CasADi's functions, README, example and manifest."""
    stored, externals = describe_externals(package)
    sparsities = SparsityTable()
    calls = [call for each in externals for call in each.describe_calls(sparsities)]
    values = {
        **documentation.collect_package_values(
            package, language.constant, language.first_index, " * "
        ),
        "robot": make_plain_text(package.robot),
        "externals": externals,
        "calls": calls,
        "sparsities": sparsities.arrays,
        "first": next((each for each in externals if each.jacobian), externals[0]),
        "library": name_library(package),
        "discrete_step": any(each.name == DISCRETE_STEP for each in externals),
        "parameters_input": PARAMETERS,
        "origin": documentation.describe_origin(package),
        "zeros": max((entry.size for each in externals for entry in each.inputs), default=1),
    }
    files = (
        *language.print_kernels(stored),
        SourceFile(f"{package.prefix}_casadi.c", fill("casadi/externals.c.j2", **values)),
        SourceFile(f"{package.prefix}_example.py", fill("casadi/example.py.j2", **values)),
        SourceFile("README.md", fill("casadi/README.md.j2", **values)),
    )
    described = [
        {
            "name": each.name,
            "inputs": {entry.name: entry.size for entry in each.inputs},
            "outputs": {
                matrix.name: [matrix.sparsity.rows, matrix.sparsity.columns]
                for matrix in each.outputs
            },
            "jacobian_nonzeros": {matrix.name: matrix.sparsity.count for matrix in each.jacobian},
        }
        for each in externals
    ]
    paths = [*(file.path for file in files), name_library(package)]
    manifest = print_library_manifest(package, language, paths, {"externals": described})
    return (*files, manifest)


def _compile(package: Package, language: Language, files: SourceFiles) -> BinaryFile:
    """Compile the shared library.

    Raises:
        ToolchainError: the compiler is not installed or rejects the code.
    """
    texts = {file.path: file.text for file in files}
    sources = [path for path in texts if path.endswith(".c")]
    # The library may be moved to another machine of the same architecture.
    options = THIS_MACHINE if package.native else ()
    name = name_library(package)
    with make_source_folder(texts) as folder, TemporaryDirectory(prefix="dynagen-") as made:
        path = Path(made, name)
        command = [
            *C_COMPILER.find(), "-std=c99", *OPTIMISED, *options, *SHARED, "-s", "-Iinclude",
            *sources, "-o", str(path), "-lm",
        ]  # fmt: skip
        run(command, folder, f"the {C_COMPILER.title} rejected generated code")
        return BinaryFile(name, path.read_bytes())


def _load(
    package: Package, language: Language, files: SourceFiles, built: Built | None
) -> dict[str, CompiledKernel]:
    """Load the functions as CasADi's users do: by `casadi.external` and `Function.jacobian`.

    Raises:
        ToolchainError: CasADi cannot load the library.
    """
    assert isinstance(built, BinaryFile)  # `_compile` made it
    _, externals = describe_externals(package)
    signatures = {kernel.function: kernel.program.signature for kernel in package.kernels}
    calls = []
    for each in externals:
        parts = tuple(tuple(part for part, _ in entry.parts) for entry in each.inputs)
        calls.append(ExternalCall(each.name, signatures[each.function], parts, each.outputs, False))
        if each.jacobian:
            jacobian = signatures[each.function + JACOBIAN_SUFFIX]
            calls.append(ExternalCall(each.name, jacobian, parts, each.jacobian, True))
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
    proof=(
        "The library is loaded by casadi.external. Each function and its Jacobian are called on "
        "all states."
    ),
    print_files=_print_files,
    build=_compile,
    load=_load,
    check=_check,
    list_requests=list_requests,
    options=("native",),
)
