"""C11 kernels on several cores: one function for each core, and loops with threads to test them.

The cores exchange values through a structure in memory, the context. A header declares the contexts
and the functions of all cores. A source file contains one kernel, or all kernels. For the proof,
loops over states run each core in its own POSIX thread; these loops are not delivered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from dynagen.codegen import documentation
from dynagen.codegen.c_statements import (
    HELPERS,
    MATH_FUNCTIONS,
    REAL_TYPES,
    TRIGONOMETRIC,
    declare_function,
    print_c_tables,
)
from dynagen.codegen.languages.c.writer import CWriter, make_conventions
from dynagen.codegen.layouts import Scope, declare
from dynagen.codegen.naming import prefix_symbol
from dynagen.codegen.package import Kernel, Package, SourceFile
from dynagen.codegen.partition import Exchange, Partition, Share, find_share
from dynagen.codegen.printing import Paragraph, find_helpers
from dynagen.codegen.routine import Routine, StateLoop, name_core_function, name_cores_kernel
from dynagen.codegen.templating import fill
from dynagen.codegen.tree import Function, Node, Section, StatusCode
from dynagen.ir.cost import count
from dynagen.ir.program import Element
from dynagen.ir.statements import Block, Constant, Name, Store
from dynagen.numbers.real import Real

_INDENT = "    "
AWAIT, AWAIT_END = "await_call", "await_end"
"""Names of two C functions: wait for a message, and wait for the end of another core's call."""


class CoreWriter(CWriter):
    """Writer of the function that computes one core's share of a kernel.

    The function reads inputs from arguments and messages, stores values in messages, and stores
    results at the end.
    """

    def __init__(self, kernel: Routine, share: Share, real: Real, prefix: str) -> None:
        """Reserve all names that the function uses.

        Args:
            kernel: the kernel for one core, with its symbol and arguments.
            share: the part of the kernel that this core computes.
            real: number type of the kernel.
            prefix: prefix of all public names.
        """
        self._share = share
        self._context_type = name_cores_kernel(kernel.symbol)
        # The signature of the whole kernel, with the program of one core.
        routine = Routine(
            name_core_function(kernel.symbol, share.core), kernel.signature, share.program
        )
        taken = (AWAIT, AWAIT_END, *share.messages)
        self._scope = scope = Scope(routine, make_conventions(f"{prefix}_real", taken=taken))
        function = Function(routine.symbol, scope.signature, unread=scope.unread)
        super().__init__(function, real, f"{prefix}_real", prefix.upper())
        # side: copy of the messages, for even or odd calls.
        self._context, self._call, self._side = map(scope.claim, ("cores", "call", "side"))
        # A core without messages needs no number of its call.
        self._takes_part = any(exchange.awaited or exchange.sent for exchange in share.exchanges)

    def print_element(self, element: Element) -> str:
        """Return an element of an argument, or of a message from another core, as C text."""
        if element.argument in self._share.messages:
            return (
                f"{self._message(self._share.messages[element.argument])}.values[{element.index}]"
            )
        return super().print_element(element)

    def write_core_prototype(self) -> str:
        """Return the C declaration of the function of one core, without a semicolon."""
        arguments = self._parameters(name for name in self.arguments if name != self.tree.status)
        parameters = [f"{self._context_type} *{self._context}", *arguments]
        return declare_function("int" if self.tree.status else "void", self.tree.symbol, parameters)

    def iterate_results(self) -> Iterator[Store]:
        """Yield the statements by which this core stores results, without the status code."""
        for place, value in self._iterate_stored():
            if place.argument not in (*self._share.messages, self.tree.status):
                yield Store(place, value)

    def print_returned_value(self) -> str:
        """Return the C text of the returned status code; empty if the kernel cannot fail.

        The text is `0` if another core computes the status code.
        """
        return self.tree.status and (self.tree.status if self._status() else "0")

    def write_opening(self) -> list[str]:
        """Return the function's first lines: count the call, and cast unused arguments to void."""
        # Every core has the kernel's arguments; casts suppress warnings.
        stored = {store.place.argument for store in self.iterate_results()}
        results = (argument.name for argument in self.tree.signature.results)
        unused = [*self.tree.unread, *(name for name in results if name not in stored)]
        if self._takes_part:
            lines = [
                f"const uint32_t {self._call} = ++{self._context}->core[{self._share.core}].call;",
                # Two copies of every message: a sender may be one call ahead of its receiver.
                f"const uint32_t {self._side} = {self._call} % 2u;",
            ]
        else:
            lines = [f"(void){self._context};"]
        return [_INDENT + line for line in (*lines, *(f"(void){name};" for name in unused))]

    def write_work(self) -> Iterator[Paragraph]:
        """Yield the statements that wait for messages, compute, send messages and store results."""
        partition, core = self._share.partition, self._share.core
        # See templates/c/cores.c.j2 for the proof that no message is overwritten too early.
        for other in partition.find_unanswered(core):
            line = f"{AWAIT_END}(&{self._context}->core[{other}].finished, {self._call});"
            yield Paragraph(
                f"Core {other} sends no messages to this core: wait until core {other} "
                "has ended the call before last",
                (_INDENT + line,),
            )
        # Values are stored in the order of the share's program: messages first, results last.
        stored = iter(self._iterate_stored())
        blocks = {block.section: block for block in self._scope.listing.blocks}
        for exchange in self._share.exchanges:
            # The first section names the received values.
            first, *computing = exchange.sections
            yield self._write_receiving(exchange, blocks.get(first))
            yield from (
                self.write_paragraph(self._scope.make_section(blocks[section]))
                for section in computing
                if section in blocks
            )
            for message in exchange.sent:
                yield self._write_sending(
                    message, islice(stored, len(partition.messages[message].values))
                )
        results: tuple[Node, ...] = (*self._status(), *self.iterate_results())
        if results:
            yield self.write_paragraph(Section("Results", results))
        if partition.is_waited_for(core):
            finished = f"&{self._context}->core[{core}].finished"
            # Release: all reads of messages by this call come before the number is visible.
            line = f"atomic_store_explicit({finished}, {self._call}, memory_order_release);"
            yield Paragraph("This call has ended", (_INDENT + line,))

    def _status(self) -> tuple[StatusCode, ...]:
        """Return the statement for the status code; empty if another core computes it."""
        return tuple(
            StatusCode(self.tree.status, value)
            for place, value in self._iterate_stored()
            if place.argument == self.tree.status
        )

    def _iterate_stored(self) -> Iterator[tuple[Element, Constant | Name | Element]]:
        """Yield the elements of messages and results that this core stores, with their values."""
        ((_, values),) = self._scope.listing.results
        # Messages are not arguments of the kernel and keep their names.
        names = self._scope.arguments
        for place, value in zip(self._share.stores, values, strict=True):
            yield replace(place, argument=names.get(place.argument, place.argument)), value

    def _message(self, number: int) -> str:
        return f"{self._context}->message{number + 1}[{self._side}]"

    def _write_receiving(self, exchange: Exchange, received: Block | None) -> Paragraph:
        """Return statements that wait for messages and assign the received values, if any."""
        messages = self._share.partition.messages
        titles = [
            f"message {number + 1} from core {messages[number].sender}"
            for number in exchange.awaited
        ]
        lines = [
            f"{_INDENT}{AWAIT}(&{self._message(number)}.call, {self._call});"
            for number in exchange.awaited
        ]
        named = self.write_paragraph(self._scope.make_section(received)).lines if received else ()
        return Paragraph(", ".join(titles).capitalize(), (*lines, *named))

    def _write_sending(
        self, number: int, values: Iterable[tuple[Element, Constant | Name | Element]]
    ) -> Paragraph:
        """Return C statements that store the values of a message, then the count of calls so far.

        When the receiver reads the present count, it knows that the message is complete. `number`
        is the index of the message in `Partition.messages`.
        """
        lines = [
            f"{self.print_element(target)} = {self.print_expression(value)};"
            for target, value in values
        ]
        # Released last: a receiver that sees the number of the call also sees the values.
        stored = f"&{self._message(number)}.call"
        lines.append(f"atomic_store_explicit({stored}, {self._call}, memory_order_release);")
        receiver = self._share.partition.messages[number].receiver
        return Paragraph(
            f"Message {number + 1} to core {receiver}", tuple(_INDENT + line for line in lines)
        )


@dataclass(frozen=True)
class CoreFunction:
    """C texts of the function of one core, for the jinja2 templates.

    Attributes:
        core: number of the core, from 0.
        does: operation counts of the core, or the text `nothing to do`.
        prototype: declaration of the function, without semicolon.
        opening: first lines of the function.
        paragraphs: all other statements except `return`.
        returned: expression that the function returns; empty if the kernel cannot fail.
    """

    core: int
    does: str
    prototype: str
    opening: list[str]
    paragraphs: list[Paragraph]
    returned: str


@dataclass(frozen=True)
class CoresFunction:
    """C texts of a kernel on several cores, for the jinja2 templates.

    Attributes:
        kernel: the kernel.
        symbol: name of the C structure that all cores of the kernel share.
        summary: text of a comment with formula, operation counts and verified error bound.
        arguments: table of the arguments, as a comment.
        partition: division of the kernel among cores.
        cores: function of every core.
    """

    kernel: Kernel
    symbol: str
    summary: str
    arguments: str
    partition: Partition
    cores: list[CoreFunction]


def find_cores_path(package: Package, kernel: Kernel) -> str:
    """Return the path of the C file for a kernel on several cores; empty without such a file.

    The path is relative to the output folder.
    """
    if kernel.partition is None:
        return ""
    return f"src/{package.prefix}{'' if package.single_file else f'_{kernel.function}'}_cores.c"


def write_cores_functions(package: Package) -> list[CoresFunction]:
    """Return C texts for the jinja2 templates, for each kernel that is divided among cores."""
    return [
        _function(package, kernel, kernel.partition)
        for kernel in package.kernels
        if kernel.partition is not None
    ]


def write_core_calls(package: Package) -> list[str]:
    """Return C calls of the first divided kernel, one for each core, as example for the README.

    The list is empty if no kernel of the package is divided among cores.
    """
    for kernel in package.kernels:
        if kernel.partition is not None:
            symbol, signature = (
                prefix_symbol(package.prefix, kernel.function),
                kernel.program.signature,
            )
            names = ", ".join(
                ["&cores", *(argument.name for argument in signature.inputs + signature.results)]
            )
            return [
                f"{name_core_function(symbol, core)}({names});"
                for core in range(len(kernel.partition.cores))
            ]
    return []


def print_cores(package: Package, functions: list[CoresFunction]) -> Iterator[SourceFile]:
    """Yield the C header and the C sources of all kernels on several cores; may be empty."""
    if not functions:
        return
    shared = {
        "prefix": package.prefix,
        "macro": package.prefix.upper(),
        "origin": documentation.describe_origin(package),
    }
    header = fill("c/cores.h.j2", **shared, functions=functions, count=len(functions[0].cores))
    yield SourceFile(f"include/{package.prefix}_cores.h", header)
    for group in [functions] if package.single_file else [[function] for function in functions]:
        # Helpers are defined in every file that needs them.
        operations = {
            instruction.operation
            for function in group
            for instruction in function.kernel.program.instructions
        }
        text = fill(
            "c/cores.c.j2",
            **shared,
            symbols=documentation.format_comment(
                documentation.describe_symbols([function.kernel for function in group]), " * "
            ),
            uses_math=not operations.isdisjoint((*TRIGONOMETRIC, *MATH_FUNCTIONS)),
            helpers=find_helpers(HELPERS, operations),
            tables=print_c_tables(operations, package.real),
            awaits=AWAIT if any(function.partition.messages for function in group) else "",
            awaits_end=AWAIT_END
            if any(_waits_for_ends(function.partition) for function in group)
            else "",
            functions=group,
        )
        yield SourceFile(find_cores_path(package, group[0].kernel), text)


def _waits_for_ends(partition: Partition) -> bool:
    """Return whether a core has to wait until another core has finished a call."""
    return any(partition.find_unanswered(core) for core in range(len(partition.cores)))


def _function(package: Package, kernel: Kernel, partition: Partition) -> CoresFunction:
    """Return the C texts of a kernel on several cores, for the jinja2 template."""
    symbol = prefix_symbol(package.prefix, kernel.function)
    return CoresFunction(
        kernel=kernel.in_one,
        symbol=name_cores_kernel(symbol),
        summary=documentation.summarise_kernel(package, kernel, " * "),
        arguments=documentation.comment_arguments(kernel.program.signature, " *   ", "returns"),
        partition=partition,
        cores=[
            _core_function(package, kernel, partition, core) for core in range(len(partition.cores))
        ],
    )


def _core_function(
    package: Package, kernel: Kernel, partition: Partition, core: int
) -> CoreFunction:
    """Return the C texts of the function of one core (number from 0), for the jinja2 template."""
    routine = kernel.make_routine(prefix_symbol(package.prefix, kernel.function))
    share = find_share(partition, core)
    writer = CoreWriter(routine, share, package.real, package.prefix)
    paragraphs = list(writer.write_work())
    return CoreFunction(
        core=core,
        does=str(count(share.program)) if partition.cores[core] else "nothing to do",
        prototype=writer.write_core_prototype(),
        opening=writer.write_opening(),
        paragraphs=paragraphs,
        returned=writer.print_returned_value(),
    )


WAIT_FILE = "wait.h"
"""Header that is added to each source file for the proof: waiting threads yield the processor.

Otherwise, the proof would take long on a machine with fewer processors than threads.
"""


@dataclass(frozen=True)
class _ThreadLoop:
    """C texts of a loop over states that runs a kernel on threads, for the jinja2 template.

    `head` ends without semicolon. `context` is the C structure by which the cores exchange values.
    `core` is the name of a core's function without the core's number at its end. `fields` declares
    what each thread receives. `status` is the array of status codes.
    """

    symbol: str
    head: str
    context: str
    core: str
    arguments: list[str]
    fields: list[str]
    names: list[str]
    can_fail: bool
    status: str
    cores: int


def print_threads(routines: Sequence[Routine], real: Real) -> Iterator[SourceFile]:
    """Yield a C file that runs kernels on threads in loops over states, and the header `wait.h`.

    With this header, a waiting thread yields its processor. The iterator is empty if no kernel runs
    on several cores. Every thread calls the function of its core for one state after the other,
    without waiting for other threads between states. One core may already compute the next state
    while another core still computes the current state. This is the hardest case for the exchange
    of messages.

    Args:
        routines: loops over states, which call kernels on several cores.
        real: number type of the kernels.
    """
    found = [(routine, routine.loop) for routine in routines if isinstance(routine.loop, StateLoop)]
    prefixes = {loop.cores.prefix for _, loop in found if loop.cores}
    if not prefixes:
        return
    (prefix,) = prefixes
    loops = [_loop(routine, loop, real) for routine, loop in found]
    yield SourceFile("threads.c", fill("c/threads.c.j2", prefix=prefix, loops=loops))
    yield SourceFile(WAIT_FILE, fill("c/wait.h.j2", prefix=prefix, macro=prefix.upper()))


def _loop(routine: Routine, loop: StateLoop, real: Real) -> _ThreadLoop:
    """Return the C texts of a loop over states that runs a kernel on threads, for the template.

    `routine` is the function with the loop; its signature has the kernel's arguments.
    """
    type_name = REAL_TYPES[real].name
    rules = make_conventions(type_name, taken=("job", "cores", "count", "state", "threads"))
    function = declare(routine, rules)
    arguments = (*function.signature.inputs, *function.signature.results)
    kinds = ["const "] * len(function.signature.inputs)
    kinds += [""] * len(function.signature.results)
    assert loop.cores is not None
    return _ThreadLoop(
        symbol=routine.symbol,
        head=CWriter(function, real, type_name).write_head("void", routine.symbol, ["count"]),
        context=loop.kernel,
        core=name_core_function(loop.kernel.removesuffix("_cores"), 0)[:-1],
        arguments=[f"job->{each.name} + {each.size}*state" for each in arguments],
        fields=[
            f"{kind}{type_name} *{each.name};" for kind, each in zip(kinds, arguments, strict=True)
        ],
        names=[*(each.name for each in arguments), *([function.status] if function.status else [])],
        can_fail=routine.signature.can_fail,
        status=function.status,
        cores=loop.cores.count,
    )
