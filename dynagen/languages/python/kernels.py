"""Python: one module of numpy functions that broadcast over leading axes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dynagen.ir.program import STATUS
from dynagen.languages import documentation
from dynagen.languages.naming import module_constant
from dynagen.languages.package import Kernel, Package, SourceFile
from dynagen.languages.printing import Paragraph
from dynagen.languages.python.calls import PythonCallPrinter
from dynagen.languages.python.printer import Array, PythonPrinter
from dynagen.languages.routine import Routine
from dynagen.languages.templating import fill

_INDENT = "    "


def kernel_path(package: Package, kernel: Kernel) -> str:
    """All kernels are in one module."""
    return f"{package.prefix}.py"


def print_kernels(package: Package) -> tuple[SourceFile, ...]:
    """The module."""
    module = fill(
        "python/module.py.j2",
        **documentation.package_values(package, module_constant, 0),
        symbols="\n".join(documentation.symbol_lines(package.kernels)),
        dtype=package.real.dtype.__name__,
        functions=[each for kernel in package.kernels for each in _functions(package, kernel)],
    )
    return (SourceFile(f"{package.prefix}.py", module),)


@dataclass(frozen=True)
class _PythonFunction:
    """A kernel as the templates see it."""

    name: str
    summary: str
    arguments: str
    inputs: list[Array]
    outputs: list[Array]
    status: str
    paragraphs: list[Paragraph]
    results: list[str]
    is_made_of_calls: bool = False


def _functions(package: Package, kernel: Kernel) -> list[_PythonFunction]:
    """The function of a kernel; before it, what it calls."""
    if kernel.calls is None:
        return [
            _function(package, kernel, PythonPrinter(kernel.routine(kernel.function), package.real))
        ]
    called = replace(kernel, program=kernel.calls.program, calls=None)
    inner = PythonPrinter(called.routine(f"_{kernel.function}_stage"), package.real)
    stage = replace(
        _function(package, called, inner),
        name=inner.routine.symbol,
        summary=f"What {kernel.function} calls at every stage.",
    )
    outer = PythonCallPrinter(Routine(kernel.function, kernel.program.signature), package.real)
    inputs = kernel.program.inputs
    whole = _PythonFunction(
        name=kernel.function,
        summary=documentation.explained(package, kernel, _INDENT),
        arguments=documentation.argument_block(kernel.program.signature, _INDENT),
        inputs=[outer.array(argument) for argument in inputs],
        outputs=[outer.array(output.argument) for output in kernel.program.results],
        status=outer.names.get(STATUS, ""),
        paragraphs=outer.calls(kernel.calls, stage.name),
        results=[],
        is_made_of_calls=True,
    )
    return [stage, whole]


def _function(package: Package, kernel: Kernel, printer: PythonPrinter) -> _PythonFunction:
    program = kernel.program
    return _PythonFunction(
        name=kernel.function,
        summary=documentation.explained(package, kernel, _INDENT),
        arguments=documentation.argument_block(kernel.program.signature, _INDENT),
        inputs=[printer.array(argument) for argument in program.inputs],
        outputs=[printer.array(output.argument) for output in program.results],
        status=printer.names.get(STATUS, ""),
        paragraphs=printer.paragraphs(),
        results=list(printer.stores().lines),
    )
