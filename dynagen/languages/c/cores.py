"""Routine on several cores -> C11: a function for each core, and the context through which they hand each other values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from dynagen.ir.program import STATUS, Element
from dynagen.ir.statements import Block, Constant, Name, Store
from dynagen.languages.c.printer import CPrinter, declared
from dynagen.languages.printing import Paragraph
from dynagen.languages.routine import Routine, core_name, cores_name
from dynagen.languages.shares import Exchange, Share
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
