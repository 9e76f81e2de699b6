"""MATLAB functions, one in each file, and the file with the names of joints and parameters."""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.codegen import documentation
from dynagen.codegen.languages.matlab.writer import (
    CLASSES,
    CONVENTIONS,
    HELPERS,
    MatlabWriter,
    check_name,
)
from dynagen.codegen.layouts import lay_out_state
from dynagen.codegen.naming import name_constant_in_module, prefix_symbol
from dynagen.codegen.package import Kernel, Package, SourceFile
from dynagen.codegen.printing import print_tables
from dynagen.codegen.templating import fill
from dynagen.ir.program import Argument

_COMMENT = "%   "


def choose_kernel_path(package: Package, kernel: Kernel) -> str:
    """Return the path, in the output folder, of the MATLAB file with a kernel."""
    return f"{prefix_symbol(package.prefix, kernel.function)}.m"


def name_info(package: Package) -> str:
    """Return `<prefix>_info`, the MATLAB function with the names of joints and parameters."""
    return prefix_symbol(package.prefix, "info")


def print_kernels(package: Package) -> tuple[SourceFile, ...]:
    """Return a MATLAB file for each kernel, and one with names of joints, parameters and elements.

    Elements are named entries of vectors, such as base parameters.

    A kernel that calls another function several times is printed with all statements in one
    function, so that each file can be used alone.
    """
    values = documentation.collect_package_values(package, name_constant_in_module, 1, _COMMENT)
    info = fill("matlab/info.m.j2", name=name_info(package), real=CLASSES[package.real], **values)
    files = (_print_kernel(package, kernel.in_one) for kernel in package.kernels)
    return (*files, SourceFile(f"{name_info(package)}.m", info))


@dataclass(frozen=True)
class MatlabArgument:
    """An argument for the jinja2 templates.

    Attributes:
        name: name that is legal in MATLAB.
        shape: numbers of rows and columns; for an array with three axes also the number of pages.
        check: MATLAB condition that is true if a value has the wrong shape.
    """

    name: str
    shape: tuple[int, ...]
    check: str = ""

    @property
    def expected(self) -> str:
        """Required shape of the argument as text, such as `6 x 1`, for an error message."""
        return " x ".join(map(str, self.shape))

    @property
    def sizes(self) -> str:
        """Shape of the argument as text, such as `6, 1`, for the arguments of MATLAB's `zeros`."""
        return ", ".join(map(str, self.shape))


def describe_argument(name: str, argument: Argument) -> MatlabArgument:
    """Return an argument, named `name` in MATLAB, with its shape; a vector is a column."""
    shape = (*argument.shape, 1, 1)[:2] if len(argument.shape) < 2 else argument.shape
    if len(argument.shape) > 1:
        check = f"~isequal(size({name}), [{', '.join(map(str, shape))}])"
    elif argument.size == 1:
        check = f"numel({name}) ~= 1"
    else:
        check = f"~isvector({name}) || numel({name}) ~= {argument.size}"
    return MatlabArgument(name, shape, check)


def _print_kernel(package: Package, kernel: Kernel) -> SourceFile:
    """Return the MATLAB file of a kernel."""
    symbol = check_name(prefix_symbol(package.prefix, kernel.function))
    function = lay_out_state(kernel.make_routine(symbol), CONVENTIONS)
    signature = function.signature
    operations = {instruction.operation for instruction in kernel.program.instructions}
    text = fill(
        "matlab/function.m.j2",
        name=function.symbol,
        summary=documentation.explain_kernel(package, kernel, _COMMENT),
        arguments=documentation.comment_arguments(
            kernel.program.signature, f"{_COMMENT}  ", scalar="a number"
        ),
        inputs=[describe_argument(each.name, each) for each in signature.inputs],
        outputs=[describe_argument(each.name, each) for each in signature.results],
        status=function.status,
        real=CLASSES[package.real],
        paragraphs=MatlabWriter(function, package.real).write_paragraphs(),
        symbols=documentation.format_comment(
            documentation.describe_symbols([kernel], *function.symbols), "% "
        ),
        helpers=[name for operation, name in HELPERS.items() if operation in operations],
        tables=print_tables(operations, package.real),
        info=name_info(package),
        robot=documentation.describe_package(package, 1)[0],
        origin=documentation.describe_origin(package),
    )
    return SourceFile(choose_kernel_path(package, kernel), text)
