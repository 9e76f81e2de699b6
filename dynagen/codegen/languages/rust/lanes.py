"""Batch kernels in Rust: blocks of states side by side, in arrays whose loops compilers vectorise.

A batch kernel has the statements of the kernel for one state. The values of a batch kernel have the
type `Lanes`, which contains one number for each state of a block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from dynagen.codegen import documentation
from dynagen.codegen.lanes import has_lanes, lay_out_lanes
from dynagen.codegen.languages.rust.writer import (
    CONVENTIONS,
    LANES,
    TYPES,
    RustWriter,
    comment_summary,
    declare_function,
)
from dynagen.codegen.package import Kernel, Package, SourceFile
from dynagen.codegen.printing import Paragraph
from dynagen.codegen.routine import make_lane_routine
from dynagen.codegen.templating import fill
from dynagen.codegen.tree import Function
from dynagen.ir.program import Argument, Element
from dynagen.ir.statements import Expression
from dynagen.ir.symbols import Symbol
from dynagen.numbers.real import DOUBLE, Real

_COUNTS = {DOUBLE: 4}
"""Mapping from a number type to the count of numbers in Rust's type `Lanes` (32 bytes)."""
_BLOCK = "block"


class RustLaneWriter(RustWriter):
    """Writer of the Rust function that computes a block of states, one in each lane.

    Attributes:
        shared: name of the argument with values computed from run-time parameters, which all states
            share; empty without parameters.
    """

    def __init__(self, function: Function, real: Real, shared: str) -> None:
        super().__init__(function, real)
        self.shared = shared
        self.numbers = set()

    def print_expression(self, expression: Expression) -> str:
        """Return the Rust text of an expression, which is always of the type `Lanes`."""
        text = super().print_expression(expression)
        # Rust converts nothing implicitly: a number must become `Lanes` before it is stored.
        return text if has_lanes(expression) else f"{LANES}::all({text})"

    def load(self, name: str, element: Element) -> Iterator[str]:
        """Yield the Rust definition of the value `name`: an input element in several states.

        A run-time parameter has the same value in all states.
        """
        if element.argument == self.shared:
            yield from self.assign(name, f"{LANES}::all({self.print_element(element)})")
            return
        yield from self.assign(name, f"{_BLOCK}.load({element.argument}, {element.index})")

    def store(self, place: Element, value: Expression) -> Iterator[str]:
        """Yield a Rust statement that stores a value (a number per state) in a result."""
        text = self.print_expression(value)
        yield from self.write_statement(f"{_BLOCK}.store({place.argument}, {place.index}, {text});")

    def write_status_code(self, name: str, value: str) -> Iterator[str]:
        """Yield a Rust statement that stores the status code of each lane in the array `name`.

        The status is 0 where the number `value` is positive, else 1.
        """
        yield from self.write_statement(f"{_BLOCK}.store_status({name}, {value});")

    def list_parameters(self, names: Sequence[str]) -> list[str]:
        """Return the Rust declarations of the arguments `names`, which are arrays over states.

        Run-time parameters have no axis over states, because all states share the parameters.
        """
        return [self._declare_row(self.arguments[name]) for name in names]

    def _declare_row(self, argument: Argument) -> str:
        if argument.name == self.shared:
            return f"{argument.name}: &[{self.type}; {argument.size}]"
        if argument.is_status:
            return f"{argument.name}: &mut [i32]"
        reference = "&" if argument in self.tree.signature.inputs else "&mut "
        return f"{argument.name}: {reference}[{self.type}]"


@dataclass(frozen=True)
class BatchFunction:
    """Rust texts of a batch kernel, for the jinja2 templates.

    Attributes:
        kernel: kernel for one state, with all statements in one function.
        name: name of the public function.
        summary: text with formula, operation counts, verified error bound, and notes on the code.
        arguments: table of the arguments, as a comment.
        head: first lines of the public function.
        rows: mapping from each array with an axis over states to the number of its elements in one
            state.
        status: name of the array of status codes; empty if the kernel cannot fail.
        shared: name of the argument with values computed from run-time parameters; may be empty.
        unread: names of the inputs that are not read.
        passed: names of the arguments of the function `block`.
        block: name of the function that computes one state in each lane.
        block_head: first lines of the function `block`.
        paragraphs: statements of the function `block`.
        names: mapping from the preferred name of a variable to a name that no argument has.
        extra: meanings of names that are not in the program, such as copies of input elements.
    """

    kernel: Kernel
    name: str
    summary: str
    arguments: str
    head: list[str]
    rows: dict[str, int]
    status: str
    shared: str
    unread: tuple[str, ...]
    passed: list[str]
    block: str
    block_head: list[str]
    paragraphs: list[Paragraph]
    names: dict[str, str]
    extra: tuple[Symbol, ...]


def write_batch_functions(package: Package) -> list[BatchFunction]:
    """Return Rust texts for jinja2 templates, for each batch kernel of a package; may be empty."""
    return [_function(package, kernel) for kernel in package.batch_kernels]


def print_batch(
    package: Package, functions: Sequence[BatchFunction], called: Sequence[str]
) -> Iterator[SourceFile]:
    """Yield the Rust files of batch kernels, if there are any, and of the type `Lanes`.

    Args:
        package: package of the kernels.
        functions: texts of the batch kernels, from `write_batch_functions`.
        called: names of the functions of the module `numbers` that kernels call.
    """
    if not functions:
        return
    shared = {
        "real": TYPES[package.real],
        "origin": documentation.describe_origin(package),
        "called": called,
        "can_fail": any(function.status for function in functions),
    }
    extra = dict.fromkeys(symbol for function in functions for symbol in function.extra)
    symbols = documentation.describe_symbols([each.kernel for each in functions], *extra)
    text = fill(
        "rust/batch.rs.j2",
        **shared,
        symbols=documentation.format_comment(symbols, "//! "),
        functions=functions,
    )
    yield SourceFile("src/batch.rs", text)
    lanes = fill("rust/lanes.rs.j2", **shared, lanes=_COUNTS.get(package.real, 8))
    yield SourceFile("src/lanes.rs", lanes)


def _function(package: Package, kernel: Kernel) -> BatchFunction:
    """Return the Rust texts, for the template, of the batch kernel that belongs to `kernel`."""
    kernel = kernel.in_one  # calls would pass vectors of all lanes in memory
    routine = make_lane_routine(kernel.make_routine(kernel.function))
    taken = (_BLOCK, f"{routine.symbol}_{_BLOCK}")
    # The layout must not give these names to values: the printed text uses them itself.
    layout = lay_out_lanes(
        routine, replace(CONVENTIONS, reserved=CONVENTIONS.reserved.union(taken))
    )
    function = layout.block
    writer = RustLaneWriter(function, package.real, layout.shared)
    names = [each.name for each in function.signature.arguments]
    read = [name for name in names if name not in function.unread]
    # An argument of the robot's function may be named count; then these names differ.
    count, stride = layout.names["count"], layout.names["stride"]
    sizes = [f"{count}: usize", f"{stride}: usize"]
    block = f"{routine.symbol}_{_BLOCK}"
    block_head = declare_function(block, [f"{_BLOCK}: Block", *writer.list_parameters(read)])
    return BatchFunction(
        kernel=kernel,
        name=routine.symbol,
        summary=comment_summary(documentation.explain_kernel(package, kernel, "/// ")),
        arguments=documentation.comment_arguments(kernel.program.signature, "/// "),
        head=declare_function(
            routine.symbol, [*sizes, *writer.list_parameters(names)], public="pub "
        ),
        rows={
            each.name: each.size
            for each in (*function.signature.inputs, *function.signature.results)
            if each.name != layout.shared
        },
        status=function.status,
        shared=layout.shared,
        unread=function.unread,
        passed=read,
        block=block,
        block_head=block_head,
        paragraphs=writer.write_paragraphs(),
        names=dict(layout.names),
        extra=function.symbols,
    )
