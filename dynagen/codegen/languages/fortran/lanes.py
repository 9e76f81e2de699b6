"""Batch kernels in Fortran, and subroutines for sines and cosines of several angles.

A batch kernel computes a block of states at once, by the statements of the kernel in loops over
lanes. A lane is one state of the block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynagen.codegen import documentation
from dynagen.codegen.languages.fortran.printer import (
    FOUR,
    FortranPrinter,
    check_name,
    continue_lines,
    declare_values,
    extents,
    kind_of,
    subroutine_statement,
    subscript,
)
from dynagen.codegen.naming import assigned_names, prefixed_symbol, read_arguments
from dynagen.codegen.package import VECTOR, Kernel, Package
from dynagen.codegen.printing import Paragraph
from dynagen.codegen.routine import LaneLoop, Routine, over_lanes
from dynagen.codegen.segments import LONGEST, divide
from dynagen.codegen.trigonometry import AT_ONCE, Round, constants, rounds
from dynagen.ir.program import PARAMS, PREPARE, STATUS, Argument, Element, Operation
from dynagen.ir.statements import (
    Apply,
    Block,
    Listing,
    Name,
    SineCosine,
    Statement,
    atoms,
    names_read,
    nodes,
)
from dynagen.numbers.real import DOUBLE, Real

_INDENT = "    "
LANES, SINCOS = "lanes", "sines_and_cosines"
"""Names in the module: number of states of a block, and the subroutine for as many angles."""
# Processors have no instructions for these: library functions compute them.
_CALLED = (Operation.HYPERBOLIC_TANGENT, Operation.EXPONENTIAL)
_SHARED = 4096  # smallest number of states that is divided among threads


@dataclass(frozen=True)
class LaneRound:
    """Statements of a loop over lanes, and the calls on all lanes that follow it."""

    paragraphs: list[Paragraph]
    calls: list[str]


class FortranLanePrinter(FortranPrinter):
    """Printer of a batch kernel as two subroutines.

    The inner one computes a block of states. Compilers vectorise its loops over lanes: these call
    nothing, have a known number of iterations, and `do concurrent` declares that the iterations are
    independent. Sines, cosines and other library functions are computed for all lanes at once,
    between loops. Values that are passed from one loop to another, or to a library function, are
    arrays. The outer subroutine is public and calls the inner one block by block; the remaining
    states are copied into one more block.

    Attributes:
        block: symbol of the inner subroutine.
        lane: variable of its loops.
    """

    def __init__(
        self,
        routine: Routine,
        real: Real,
        *taken: str,
        one_step: bool = True,
        longest: int = LONGEST,
    ) -> None:
        """Claim all names of the batch kernel.

        Args:
            routine: routine in a loop over lanes; without a program it can only be declared.
            real: type of its numbers.
            taken: names that it must not use.
            one_step: whether the module's subroutine computes sines and cosines, instead of the
                language's functions.
            longest: operations of the longest loop. gfortran's time grows faster than the length of
                a loop.
        """
        super().__init__(routine, real, LANES, SINCOS, *taken)
        self._one_step = one_step
        self.block = check_name(f"{routine.symbol.removesuffix('_batch')}_block")
        # A loop that calls a library function is not vectorised, hence rounds of loops and calls.
        self._rounds = _divide_rounds(rounds(self.listing, _is_call), longest)
        self._kept = {
            self.names[name]
            for name in (*_find_arrays(self._rounds, self.listing), STATUS)
            if name in self.names
        }
        read = read_arguments(self.listing)
        self._passed = [
            argument
            for argument in self.signature.arguments
            if argument.name in read or argument in self.signature.outputs
        ]
        self._rest = {
            argument.name: self.table.claim(f"{self.names[argument.name]}_rest")
            for argument in self._passed
            if argument.name != PARAMS
        }
        names = ("count", "stride", "row", "first", "states", "lane", "unneeded")
        (
            self._count,
            self._stride,
            self._row,
            self._first,
            self._states,
            self.lane,
            self._unneeded,
        ) = map(self.table.claim, names)
        self._in_loop = False

    def name(self, name: str) -> str:
        """Return a value: of one lane in a loop, of all lanes outside."""
        return self._of_lane(self.names[name])

    def element(self, element: Element) -> str:
        """Return an element: of one lane in a loop, of all lanes outside.

        Run-time parameters are the same for all states.
        """
        if element.argument == PARAMS:
            return super().element(element)
        place = self.lane if self._in_loop else f":{LANES}"
        return subscript(self.names[element.argument], [place, *self.subscripts(element, 1)])

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Yield an assignment: to one lane in a loop, to all lanes outside."""
        more = "  " if self._in_loop else ""
        yield from continue_lines(f"{_INDENT}{more}{self._of_lane(name)} = {expression}")

    def opening(self, is_bound: bool = True) -> list[str]:
        """Return the statement of the public subroutine; `recursive` avoids static arrays."""
        names = [self._count, self._stride, *self.argument_names()]
        return subroutine_statement(self.routine.symbol, names, is_bound, "recursive ")

    def argument_declarations(self) -> list[str]:
        """Return the arguments of the public subroutine.

        Elements between count and stride keep their values, so that the intent of outputs is inout.
        """
        sizes = f"{_INDENT}integer(c_size_t), value :: {self._count}, {self._stride}"
        return [
            sizes,
            *(self._declared(argument, self._stride) for argument in self.signature.arguments),
        ]

    def call(self) -> str:
        """Return a call, for documentation."""
        arguments = [self._count, self._stride, *self.argument_names()]
        return f"call {self.routine.symbol}({', '.join(arguments)})"

    def body(self) -> list[str]:
        """Return the body of the public subroutine: a loop over blocks, then remaining states."""
        first, count, lane, states, rest = (
            self._first,
            self._count,
            self.lane,
            self._states,
            self._rest,
        )
        rows = [argument for argument in self._passed if argument.name != PARAMS]
        begin = {
            argument.name: subscript(
                self.names[argument.name], [first, *("1" for _ in extents(argument))]
            )
            for argument in rows
        }
        loop = [
            f"do {first} = 1, {count} - {LANES} + 1, {LANES}",
            *self._call_block(self._stride, begin),
            "end do",
        ]
        if isinstance(self.routine.loop, LaneLoop) and self.routine.loop.threads:
            # OpenMP threads divide the blocks.
            loop = [f"!$omp parallel do if ({count} > {_SHARED})", *loop, "!$omp end parallel do"]
        copies, stores = [], []
        for argument in rows:
            behind = [":"] * len(extents(argument))
            if argument in self.signature.inputs:
                copies.append(
                    f"  {rest[argument.name]} ="
                    f" {subscript(self.names[argument.name], [states, *behind])}"
                )
            else:
                left = subscript(rest[argument.name], [f":{count} - {first} + 1", *behind])
                stores.append(
                    f"  {subscript(self.names[argument.name], [f'{first}:{count}', *behind])}"
                    f" = {left}"
                )
        lines = [
            *(
                f"{kind_of(row)} :: {subscript(rest[row.name], [LANES, *extents(row)])}"
                for row in rows
            ),
            f"integer(c_size_t) :: {first}, {lane}, {states}({LANES})",
            *(f"associate (unused => {name}); end associate" for name in self.unread_inputs()),
            "",
            *loop,
            "",
            "! The remaining states; unused lanes compute the last one again.",
            f"{first} = {count} - mod({count}, {LANES}) + 1",
            f"if ({first} <= {count}) then",
            f"  {states} = [(min({first} + {lane} - 1, {count}), {lane} = 1, {LANES})]",
            *copies,
            *self._call_block(LANES, rest),
            *stores,
            "end if",
        ]
        return [line and _INDENT + line for line in lines]

    def block_head(self) -> list[str]:
        """Return the statement of the inner subroutine, and its arguments."""
        names = [self._row, *(self.names[argument.name] for argument in self._passed)]
        lines = [
            *subroutine_statement(self.block, names, is_bound=False),
            f"{_INDENT}integer(c_size_t), intent(in) :: {self._row}",
        ]
        for argument in self._passed:
            shape = (
                # Assumed size: the block may begin inside the caller's array.
                extents(argument)
                if argument.name == PARAMS
                else [*[self._row, *extents(argument)][:-1], "*"]
            )
            lines.append(self.declared_argument(argument, shape, "inout"))
        return lines

    def block_values(self) -> list[str]:
        """Return the declarations of its values: arrays over lanes, or scalars."""
        names = [self.names[name] for name in assigned_names(self.listing)]
        steps = (
            call
            for part in self._rounds
            for call in part.calls
            if isinstance(call, SineCosine) and self._is_step(call)
        )
        unneeded = (
            [self._unneeded] if any(None in (step.sine, step.cosine) for step in steps) else []
        )
        return [
            *declare_values(
                f"real(wp), dimension({LANES}) ::",
                [*(name for name in names if name in self._kept), *unneeded],
            ),
            *declare_values("real(wp) ::", [name for name in names if name not in self._kept]),
            f"{_INDENT}integer(c_size_t) :: {self.lane}",
        ]

    def block_rounds(self) -> list[LaneRound]:
        """Return its statements; the last loop stores the results."""
        printed = []
        for number, each in enumerate(self._rounds, 1):
            self._in_loop = True
            paragraphs = [self.paragraph(block) for block in each.blocks]
            paragraphs += [self.stores()] if number == len(self._rounds) else []
            self._in_loop = False
            printed.append(
                LaneRound(paragraphs, [line for call in each.calls for line in self._call(call)])
            )
        return printed

    def _call(self, call: Statement) -> Iterator[str]:
        """Yield the lines of a call on all lanes."""
        if isinstance(call, SineCosine) and self._is_step(call):
            results = [
                self.names[name] if name else self._unneeded for name in (call.sine, call.cosine)
            ]
            yield from continue_lines(
                f"{_INDENT}call {SINCOS}({', '.join([self.expression(call.angle), *results])})"
            )
        else:
            yield from self._lines(Block("", (call,)))

    def _is_step(self, call: SineCosine) -> bool:
        """Return whether the module's subroutine computes an angle.

        An angle of run-time parameters alone is the same in all lanes, hence a scalar.
        """
        return self._one_step and any(
            isinstance(atom, Name) or atom.argument != PARAMS for atom in atoms(call.angle)
        )

    def _of_lane(self, name: str) -> str:
        """Return the current lane of a value that is an array, in a loop."""
        return f"{name}({self.lane})" if self._in_loop and name in self._kept else name

    def _call_block(self, row: str, arrays: Mapping[str, str]) -> Iterator[str]:
        """Yield a call of the inner subroutine, with arrays or their first elements."""
        passed = [arrays.get(argument.name, self.names[argument.name]) for argument in self._passed]
        yield from continue_lines(f"  call {self.block}({', '.join([row, *passed])})")

    def _declared(self, argument: Argument, states: str) -> str:
        """Return the declaration of an argument of the public subroutine."""
        shape = extents(argument) if argument.name == PARAMS else [states, *extents(argument)]
        return self.declared_argument(argument, shape, "inout")


def _is_call(statement: Statement) -> bool:
    """Return whether a statement calls a library function."""
    if isinstance(statement, SineCosine):
        return True
    return any(
        isinstance(node, Apply) and node.operation in _CALLED
        for node in nodes(statement.expression)
    )


def _divide_rounds(found: Sequence[Round], longest: int) -> list[Round]:
    """Divide long loops where few values are live; these values become arrays."""
    parts = []
    for part in found:
        *before, last = divide(Listing(part.blocks, ()), longest).segments
        parts += [
            *(Round(segment.blocks, ()) for segment in before),
            Round(last.blocks, part.calls),
        ]
    return parts


def _find_arrays(each_round: Sequence[Round], listing: Listing) -> set[str]:
    """Return the values that are arrays: of calls, for calls, and values that cross loops."""
    # Name of a value -> number of the loop that assigns it.
    home: dict[str, int] = {}
    kept: set[str] = set()
    for number, each in enumerate(each_round):
        inside = [statement for block in each.blocks for statement in block.statements]
        home.update((name, number) for statement in inside for name in statement.assigned)
        kept.update(
            name
            for statement in inside
            for name in names_read(statement)
            if home.get(name) != number
        )
        for call in each.calls:
            kept.update((*call.assigned, *names_read(call)))
    results = (
        value.name for _, values in listing.results for value in values if isinstance(value, Name)
    )
    return kept.union(name for name in results if home.get(name) != len(each_round) - 1)


STATES_OF_BLOCK = 16
"""States in a block: two AVX-512 vectors in double, one in float."""


@dataclass(frozen=True)
class BatchSubroutine:
    """A batch kernel for the templates."""

    symbol: str
    block: str
    lane: str
    summary: str
    call: str
    opening: list[str]
    declarations: list[str]
    body: list[str]
    block_head: list[str]
    block_values: list[str]
    rounds: list[LaneRound]


def batch_subroutines(package: Package) -> Iterator[BatchSubroutine]:
    """Yield the batch kernels, if any."""
    for kernel in package.batch_kernels:
        yield _batch_subroutine(package, kernel.in_one)


def _batch_subroutine(package: Package, kernel: Kernel) -> BatchSubroutine:
    """Return a batch kernel for the templates."""
    routine = over_lanes(
        kernel.routine(prefixed_symbol(package.prefix, kernel.function)), package.threads
    )
    check_name(routine.symbol)
    printer = FortranLanePrinter(
        routine,
        package.real,
        f"{package.prefix}_n",
        one_step=package.trig == VECTOR,
        longest=package.longest,
    )
    return BatchSubroutine(
        symbol=routine.symbol,
        block=printer.block,
        lane=printer.lane,
        summary=documentation.explained(package, kernel, "  ! "),
        call=printer.call(),
        opening=printer.opening(),
        declarations=printer.argument_declarations(),
        body=printer.body(),
        block_head=printer.block_head(),
        block_values=printer.block_values(),
        rounds=printer.block_rounds(),
    )


def steps(package: Package) -> Iterator[dict[str, Any]]:
    """Yield template values for the subroutines that compute several sines and cosines.

    One computes four angles of one state, the other the angles of all lanes.
    """
    if package.trig != VECTOR:
        return
    taking = [
        kernel.function
        for kernel in package.kernels
        if any(
            instruction.operation in (Operation.SINE, Operation.COSINE)
            for instruction in kernel.program.instructions
        )
    ]
    wide = "wp" if package.real is DOUBLE else "dp"
    values = constants(package.real, f"_{wide}")
    polynomials = {
        name: list(continue_lines(f"      {name[0]} = {values[name]}"))
        for name in ("sine", "cosine")
    }
    if taking:
        yield {
            **values,
            **polynomials,
            "wide": wide,
            "name": FOUR,
            "angles": AT_ONCE,
            "of": "four angles",
            "kind": "integer",
        }
    if package.batch and any(function != PREPARE for function in taking):
        lanes = {"name": SINCOS, "angles": LANES, "of": "all lanes", "kind": "integer(c_size_t)"}
        yield {**values, **polynomials, "wide": wide, **lanes}
