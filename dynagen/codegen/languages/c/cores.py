"""Routines on several cores in C11: a function for each core, the files that hold them, and threads for the proof.

Routine on several cores -> C11: a function for each core, and the context through which they hand each other values.

Kernels on several cores as files: a header with their contexts, and a source file for each kernel or for all of them.

Loops over states that call kernels on several cores, each core a thread of POSIX: for the proof, not for delivery.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from dynagen.codegen import documentation
from dynagen.codegen.languages.c.printer import (
    HELPERS,
    MATH_FUNCTIONS,
    REAL_TYPES,
    TRIGONOMETRIC,
    CPrinter,
    declared,
)
from dynagen.codegen.naming import prefixed_symbol
from dynagen.codegen.package import Kernel, Package, SourceFile
from dynagen.codegen.partition import Exchange, Partition, Share, share_of
from dynagen.codegen.printing import Paragraph, helpers_of
from dynagen.codegen.routine import Routine, StateLoop, core_name, cores_name
from dynagen.codegen.templating import fill
from dynagen.ir.cost import count
from dynagen.ir.program import STATUS, Element
from dynagen.ir.statements import Block, Constant, Name, Store
from dynagen.numbers.real import Real

_INDENT = "    "
AWAIT, AWAIT_END = "await_call", "await_end"
"""Functions of the file that wait for a message, and for the end of an earlier call on another core."""


class CorePrinter(CPrinter):
    """Prints what one core does of a kernel.

    Values come from messages and go to messages; results are stored at the end.
    """

    def __init__(self, kernel: Routine, share: Share, real: Real, prefix: str) -> None:
        """Name what the function needs.

        Args:
            kernel: on one core, with its symbol and arguments.
            share: what this core does of it.
            real: type of its numbers.
            prefix: what all public names start with.
        """
        self._share = share
        self._context_type = cores_name(kernel.symbol)
        routine = Routine(core_name(kernel.symbol, share.core), kernel.signature, share.program)
        super().__init__(
            routine,
            real,
            f"{prefix}_real",
            prefix.upper(),
            taken=(AWAIT, AWAIT_END, *share.messages),
        )
        self._context, self._call, self._side = map(self.table.claim, ("cores", "call", "side"))
        self._takes_part = any(each.awaited or each.sent for each in share.exchanges)

    def element(self, element: Element) -> str:
        """An element of an argument, or of a message."""
        if element.argument in self._share.messages:
            return (
                f"{self._message(self._share.messages[element.argument])}.values[{element.index}]"
            )
        return super().element(element)

    def prototype(self) -> str:
        """The declaration: the context, then the kernel's arguments."""
        parameters = [f"{self._context_type} *{self._context}"]
        parameters += [self._declaration(argument, "const ") for argument in self.signature.inputs]
        parameters += [self._declaration(output) for output in self.signature.results]
        return declared(
            "int" if self.signature.can_fail else "void", self.routine.symbol, parameters
        )

    def results(self) -> Iterator[tuple[Element, Constant | Name | Element]]:
        """The results of the kernel that this core stores, and where."""
        for target, value in self._stored():
            if (
                target.argument not in self._share.messages
                and not self.arguments[target.argument].is_status
            ):
                yield target, value

    def status(self) -> str | None:
        """The number that is positive if all went well; None if it is not this core that knows."""
        for target, value in self._stored():
            if target.argument == STATUS:
                return self.expression(value)
        return None

    def returned(self) -> str:
        """The expression that the function returns; empty if nothing can fail."""
        return self.status_name and ("0" if self.status() is None else self.status_name)

    def opening(self) -> list[str]:
        """The first lines of the function: the number of the call, and arguments that this core does not need made void."""
        stored = {target.argument for target, _ in self.results()}
        unused = [
            *self.unread_inputs(),
            *(self.names[each.name] for each in self.signature.results if each.name not in stored),
        ]
        if self._takes_part:
            lines = [
                f"const uint32_t {self._call} = ++{self._context}->core[{self._share.core}].call;",
                f"const uint32_t {self._side} = {self._call} % 2u;",
            ]
        else:
            lines = [f"(void){self._context};"]
        return [_INDENT + line for line in (*lines, *(f"(void){name};" for name in unused))]

    def work(self) -> Iterator[Paragraph]:
        """The lines that follow these: waits, computations, messages, and the results."""
        partition, core = self._share.partition, self._share.core
        for other in partition.unanswered(core):
            line = f"{AWAIT_END}(&{self._context}->core[{other}].finished, {self._call});"
            yield Paragraph(
                f"Core {other} sends nothing back: its last call but one has to be over",
                (_INDENT + line,),
            )
        stored, blocks = (
            iter(self._stored()),
            {block.section: block for block in self.listing.blocks},
        )
        for exchange in self._share.exchanges:
            first, *computing = exchange.sections
            yield self._receiving(exchange, blocks.get(first))
            yield from (
                self.paragraph(blocks[section]) for section in computing if section in blocks
            )
            for message in exchange.sent:
                yield self._sending(
                    message, islice(stored, len(partition.messages[message].values))
                )
        stores = (self.store(Store(place, value)) for place, value in self.results())
        if lines := (*self.statuses(), *(line for lines in stores for line in lines)):
            yield Paragraph("Results", lines)
        if partition.is_waited_for(core):
            line = f"atomic_store_explicit(&{self._context}->core[{core}].finished, {self._call}, memory_order_release);"
            yield Paragraph("This call is over", (_INDENT + line,))

    def _stored(self) -> Iterator[tuple[Element, Constant | Name | Element]]:
        ((_, values),) = self.listing.results
        return zip(self._share.stores, values, strict=True)

    def _message(self, number: int) -> str:
        return f"{self._context}->message{number + 1}[{self._side}]"

    def _receiving(self, exchange: Exchange, received: Block | None) -> Paragraph:
        """Wait for messages, and name what is in them."""
        messages = self._share.partition.messages
        titles = [
            f"message {number + 1} from core {messages[number].sender}"
            for number in exchange.awaited
        ]
        lines = [
            f"{_INDENT}{AWAIT}(&{self._message(number)}.call, {self._call});"
            for number in exchange.awaited
        ]
        return Paragraph(
            ", ".join(titles).capitalize(), (*lines, *(self._lines(received) if received else ()))
        )

    def _sending(
        self, number: int, values: Iterable[tuple[Element, Constant | Name | Element]]
    ) -> Paragraph:
        lines = [f"{self.element(target)} = {self.expression(value)};" for target, value in values]
        lines.append(
            f"atomic_store_explicit(&{self._message(number)}.call, {self._call}, memory_order_release);"
        )
        receiver = self._share.partition.messages[number].receiver
        return Paragraph(
            f"Message {number + 1} to core {receiver}", tuple(_INDENT + line for line in lines)
        )


@dataclass(frozen=True)
class CoreFunction:
    """The function of one core, as the templates see it."""

    core: int
    does: str
    prototype: str
    opening: list[str]
    paragraphs: list[Paragraph]
    returned: str


@dataclass(frozen=True)
class CoresFunction:
    """A kernel on several cores, as the templates see it."""

    kernel: Kernel
    symbol: str
    summary: str
    arguments: str
    partition: Partition
    cores: list[CoreFunction]


def cores_path(package: Package, kernel: Kernel) -> str:
    """The file of a kernel on several cores, empty if there is none: one a file, unless all are to be in one."""
    if kernel.partition is None:
        return ""
    return f"src/{package.prefix}{'' if package.single_file else f'_{kernel.function}'}_cores.c"


def cores_functions(package: Package) -> list[CoresFunction]:
    """The kernels that are divided among cores, printed."""
    return [
        _function(package, kernel, kernel.partition)
        for kernel in package.kernels
        if kernel.partition is not None
    ]


def core_calls(package: Package) -> list[str]:
    """The calls of the cores for the first kernel that is divided among them; none if none is."""
    for kernel in package.kernels:
        if kernel.partition is not None:
            symbol, signature = (
                prefixed_symbol(package.prefix, kernel.function),
                kernel.program.signature,
            )
            names = ", ".join(
                ["&cores", *(each.name for each in signature.inputs + signature.results)]
            )
            return [
                f"{core_name(symbol, core)}({names});"
                for core in range(len(kernel.partition.cores))
            ]
    return []


def print_cores(package: Package, functions: list[CoresFunction]) -> Iterator[SourceFile]:
    """The header, and the files that include it; nothing without functions."""
    if not functions:
        return
    shared = {
        "prefix": package.prefix,
        "macro": package.prefix.upper(),
        "origin": documentation.origin(package),
    }
    header = fill("c/cores.h.j2", **shared, functions=functions, count=len(functions[0].cores))
    yield SourceFile(f"include/{package.prefix}_cores.h", header)
    for group in [functions] if package.single_file else [[function] for function in functions]:
        operations = {
            each.operation for function in group for each in function.kernel.program.instructions
        }
        text = fill(
            "c/cores.c.j2",
            **shared,
            symbols=documentation.comment_block(
                documentation.symbol_lines([function.kernel for function in group]), " * "
            ),
            uses_math=not operations.isdisjoint((*TRIGONOMETRIC, *MATH_FUNCTIONS)),
            helpers=helpers_of(HELPERS, operations),
            awaits=AWAIT if any(function.partition.messages for function in group) else "",
            awaits_end=AWAIT_END
            if any(_waits_for_ends(function.partition) for function in group)
            else "",
            functions=group,
        )
        yield SourceFile(cores_path(package, group[0].kernel), text)


def _waits_for_ends(partition: Partition) -> bool:
    return any(partition.unanswered(core) for core in range(len(partition.cores)))


def _function(package: Package, kernel: Kernel, partition: Partition) -> CoresFunction:
    symbol = prefixed_symbol(package.prefix, kernel.function)
    return CoresFunction(
        kernel=kernel.in_one,
        symbol=cores_name(symbol),
        summary=documentation.summary(package, kernel, " * "),
        arguments=documentation.argument_block(kernel.program.signature, " *   ", "returns"),
        partition=partition,
        cores=[
            _core_function(package, kernel, partition, core) for core in range(len(partition.cores))
        ],
    )


def _core_function(
    package: Package, kernel: Kernel, partition: Partition, core: int
) -> CoreFunction:
    routine = kernel.routine(prefixed_symbol(package.prefix, kernel.function))
    share = share_of(partition, core)
    printer = CorePrinter(routine, share, package.real, package.prefix)
    paragraphs = list(printer.work())
    return CoreFunction(
        core=core,
        does=str(count(share.program)) if partition.cores[core] else "nothing to do",
        prototype=printer.prototype(),
        opening=printer.opening(),
        paragraphs=paragraphs,
        returned=printer.returned(),
    )


WAIT_FILE = "wait.h"
"""What all files include first: while they wait, threads let others run, as there may be fewer processors than threads."""


@dataclass(frozen=True)
class _ThreadLoop:
    """A loop as the template sees it."""

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
    """The file that defines loops over kernels on cores, and the header for all; nothing without loops.

    Every thread calls its core's function for one state after the other and never waits for the others between states, so that
    a proof tries the messages as hard as a user can.
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
    printer = CPrinter(
        routine,
        real,
        REAL_TYPES[real].name,
        "",
        taken=("job", "cores", "count", "state", "threads"),
    )
    results = routine.signature.results
    names = [printer.names[each.name] for each in (*routine.signature.inputs, *results)]
    sizes = [each.size for each in (*routine.signature.inputs, *results)]
    kinds = ["const "] * len(routine.signature.inputs) + [""] * len(results)
    assert loop.cores is not None
    return _ThreadLoop(
        symbol=routine.symbol,
        head=printer.head("void", routine.symbol, ["count"]),
        context=loop.kernel,
        core=core_name(loop.kernel.removesuffix("_cores"), 0)[:-1],
        arguments=[f"job->{name} + {size}*state" for name, size in zip(names, sizes, strict=True)],
        fields=[
            f"{kind}{REAL_TYPES[real].name} *{name};"
            for kind, name in zip(kinds, names, strict=True)
        ],
        names=[*names, *([printer.status_name] if printer.status_name else [])],
        can_fail=routine.signature.can_fail,
        status=printer.status_name,
        cores=loop.cores.count,
    )
