"""Python: one module of numpy functions that broadcast over leading axes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dynagen.ir.program import STATUS
from dynagen.languages import documentation
from dynagen.languages.comments import plain_text
from dynagen.languages.elements import named_elements
from dynagen.languages.naming import module_constant
from dynagen.languages.package import Kernel, Package, SourceFile
from dynagen.languages.parameters import parameter_constants
from dynagen.languages.printing import Paragraph
from dynagen.languages.python.calls import call_paragraphs
from dynagen.languages.python.printer import Array, PythonPrinter
from dynagen.languages.routine import Routine
from dynagen.languages.templating import fill

_INDENT = " " * 4


def kernel_path(package: Package, kernel: Kernel) -> str:
    """All kernels are in one module."""
    return f"{package.prefix}.py"


def print_kernels(package: Package) -> tuple[SourceFile, ...]:
    """The module."""
    module = fill(
        "python/module.py.j2",
        prefix=package.prefix,
        about="\n".join(documentation.about(package, 0)),
        origin=documentation.origin(package),
        symbols="\n".join(documentation.symbol_lines(package.kernels)),
        dtype=package.real.dtype.__name__,
        nq=package.nq,
        nv=package.nv,
        joint_names=[plain_text(joint.name) for joint in package.joints],
        parameters=parameter_constants(package, module_constant, 0),
        named_elements=named_elements(package),
        functions=[each for kernel in package.kernels for each in _functions(package, kernel)],
    )
    return (SourceFile(f"{package.prefix}.py", module),)


@dataclass(frozen=True)
class _Function:
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


def _functions(package: Package, kernel: Kernel) -> list[_Function]:
    """The function of a kernel; before it, what it calls."""
    if kernel.calls is None:
        return [_function(package, kernel, _printer(package, kernel))]
    called = replace(kernel, program=kernel.calls.program, calls=None)
    inner = PythonPrinter(
        Routine(f"_{kernel.function}_stage", called.program.signature, called.program), package.real
    )
    stage = replace(
        _function(package, called, inner),
        name=inner.routine.symbol,
        summary=f"What {kernel.function} calls at every stage.",
    )
    outer = PythonPrinter(Routine(kernel.function, kernel.program.signature), package.real)
    inputs = kernel.program.inputs
    whole = _Function(
        name=kernel.function,
        summary=documentation.explained(package, kernel, _INDENT),
        arguments=documentation.argument_block(kernel.program.signature, _INDENT),
        inputs=[outer.array(argument) for argument in inputs],
        outputs=[outer.array(output.argument) for output in kernel.program.results],
        status=outer.names.get(STATUS, ""),
        paragraphs=call_paragraphs(
            kernel.calls, outer.names, outer.table, inputs, stage.name, package.real
        ),
        results=[],
        is_made_of_calls=True,
    )
    return [stage, whole]


def _function(package: Package, kernel: Kernel, printer: PythonPrinter) -> _Function:
    program = kernel.program
    return _Function(
        name=kernel.function,
        summary=documentation.explained(package, kernel, _INDENT),
        arguments=documentation.argument_block(kernel.program.signature, _INDENT),
        inputs=[printer.array(argument) for argument in program.inputs],
        outputs=[printer.array(output.argument) for output in program.results],
        status=printer.names.get(STATUS, ""),
        paragraphs=printer.paragraphs(),
        results=list(printer.stores().lines),
    )


def _printer(package: Package, kernel: Kernel) -> PythonPrinter:
    return PythonPrinter(
        Routine(kernel.function, kernel.program.signature, kernel.program), package.real
    )
