"""Routines over lanes and loops over states in Fortran, and the subroutines that compute their sines and cosines.

Routines over lanes in Fortran: a block of states at once, by the statements of the kernel for one in loops over lanes.

Kernels over lanes as parts of the module, and the subroutine that takes their sines and cosines.

Loops over states in Fortran, compiled beside kernels: for the proof, and for calls from Python.

Sines and cosines of several angles in one step: the subroutines of the module that take them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynagen.codegen import documentation
from dynagen.codegen.languages.fortran.printer import (
    FOUR,
    FortranPrinter,
    checked_name,
    continued,
    declared,
    extents,
    kind_of,
    shaped,
    subroutine_statement,
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
"""What the module defines: how many states a block has, and the subroutine that takes so many angles."""
_CALLED = (
    Operation.HYPERBOLIC_TANGENT,
    Operation.EXPONENTIAL,
)  # no instruction of a processor computes these
_SHARED = 4096  # states from which on threads divide them


@dataclass(frozen=True)
class LaneRound:
    """The statements of a loop over lanes, and those on all lanes that follow it."""

    paragraphs: list[Paragraph]
    calls: list[str]


class FortranLanePrinter(FortranPrinter):
    """Prints a routine over lanes as two subroutines.

    The inner one computes a block of states. Compilers make vectors of its loops over lanes: these call nothing, have a number
    of iterations that is known, and `do concurrent` says that none of them depends on another. Sines, cosines and other
    functions of a library are taken of all lanes, between loops; values that are handed from one loop to another, or to these,
    are arrays. The outer subroutine, which is public, calls it block by block; the states that are left are copied into one.

    Attributes:
        block: symbol of the inner subroutine.
        lane: the variable of its loops.
    """

    def __init__(
        self,
        routine: Routine,
        real: Real,
        *taken: str,
        one_step: bool = True,
        longest: int = LONGEST,
    ) -> None:
        """Name what the routine needs.

        Args:
            routine: in a loop over lanes; without a program it can be declared.
            real: type of its numbers.
            taken: names that it must leave to others.
            one_step: whether sines and cosines are taken by the module's subroutine, or by the language's functions.
            longest: operations of the longest loop; for longer ones gfortran takes more time than in proportion.
        """
        super().__init__(routine, real, LANES, SINCOS, *taken)
        self._one_step = one_step
        self.block = checked_name(f"{routine.symbol.removesuffix('_batch')}_block")
        self._rounds = _divided(rounds(self.listing, _is_call), longest)
        self._kept = {
            self.names[name]
            for name in (*_kept(self._rounds, self.listing), STATUS)
            if name in self.names
        }
        read = read_arguments(self.listing)
        self._passed = [
            each
            for each in self.signature.arguments
            if each.name in read or each in self.signature.outputs
        ]
        self._rest = {
            each.name: self.table.claim(f"{self.names[each.name]}_rest")
            for each in self._passed
            if each.name != PARAMS
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
        """A value: of a lane in a loop, of all lanes outside."""
        return self._of_lane(self.names[name])

    def element(self, element: Element) -> str:
        """An element: of a lane in a loop, of all lanes outside; run-time parameters are those of all states."""
        if element.argument == PARAMS:
            return super().element(element)
        place = self.lane if self._in_loop else f":{LANES}"
        return shaped(self.names[element.argument], [place, *self.subscripts(element, 1)])

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """An assignment: to a lane in a loop, to all lanes outside."""
        more = "  " if self._in_loop else ""
        yield from continued(f"{_INDENT}{more}{self._of_lane(name)} = {expression}")

    def opening(self, is_bound: bool = True) -> list[str]:
        """The statement of the public subroutine; `recursive` keeps its arrays out of static memory."""
        names = [self._count, self._stride, *self.argument_names()]
        return subroutine_statement(self.routine.symbol, names, is_bound, "recursive ")

    def argument_declarations(self) -> list[str]:
        """The arguments of the public subroutine; what is between count and stride keeps its values."""
        sizes = f"{_INDENT}integer(c_size_t), value :: {self._count}, {self._stride}"
        return [sizes, *(self._declared(each, self._stride) for each in self.signature.arguments)]

    def call(self) -> str:
        """A call, for documentation."""
        return f"call {self.routine.symbol}({', '.join([self._count, self._stride, *self.argument_names()])})"

    def body(self) -> list[str]:
        """What the public subroutine does: block after block, then a block of the states that are left."""
        first, count, lane, states, rest = (
            self._first,
            self._count,
            self.lane,
            self._states,
            self._rest,
        )
        rows = [each for each in self._passed if each.name != PARAMS]
        begin = {
            each.name: shaped(self.names[each.name], [first, *("1" for _ in extents(each))])
            for each in rows
        }
        loop = [
            f"do {first} = 1, {count} - {LANES} + 1, {LANES}",
            *self._call_block(self._stride, begin),
            "end do",
        ]
        if isinstance(self.routine.loop, LaneLoop) and self.routine.loop.threads:
            loop = [f"!$omp parallel do if ({count} > {_SHARED})", *loop, "!$omp end parallel do"]
        copies, stores = [], []
        for each in rows:
            behind = [":"] * len(extents(each))
            if each in self.signature.inputs:
                copies.append(
                    f"  {rest[each.name]} = {shaped(self.names[each.name], [states, *behind])}"
                )
            else:
                left = shaped(rest[each.name], [f":{count} - {first} + 1", *behind])
                stores.append(
                    f"  {shaped(self.names[each.name], [f'{first}:{count}', *behind])} = {left}"
                )
        lines = [
            *(
                f"{kind_of(each)} :: {shaped(rest[each.name], [LANES, *extents(each)])}"
                for each in rows
            ),
            f"integer(c_size_t) :: {first}, {lane}, {states}({LANES})",
            *(f"associate (unused => {name}); end associate" for name in self.unread_inputs()),
            "",
            *loop,
            "",
            "! The states that are left; lanes beyond them compute the last one again.",
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
        """The statement of the inner subroutine, and its arguments."""
        names = [self._row, *(self.names[each.name] for each in self._passed)]
        lines = [
            *subroutine_statement(self.block, names, is_bound=False),
            f"{_INDENT}integer(c_size_t), intent(in) :: {self._row}",
        ]
        for each in self._passed:
            shape = (
                extents(each) if each.name == PARAMS else [*[self._row, *extents(each)][:-1], "*"]
            )
            lines.append(self.declared_argument(each, shape, "inout"))
        return lines

    def block_values(self) -> list[str]:
        """The declarations of its values: of all lanes or of one."""
        names = [self.names[name] for name in assigned_names(self.listing)]
        steps = (
            call
            for each in self._rounds
            for call in each.calls
            if isinstance(call, SineCosine) and self._is_step(call)
        )
        unneeded = (
            [self._unneeded] if any(None in (step.sine, step.cosine) for step in steps) else []
        )
        return [
            *declared(
                f"real(wp), dimension({LANES}) ::",
                [*(name for name in names if name in self._kept), *unneeded],
            ),
            *declared("real(wp) ::", [name for name in names if name not in self._kept]),
            f"{_INDENT}integer(c_size_t) :: {self.lane}",
        ]

    def block_rounds(self) -> list[LaneRound]:
        """What it does; the last loop stores the results."""
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
        if isinstance(call, SineCosine) and self._is_step(call):
            results = [
                self.names[name] if name else self._unneeded for name in (call.sine, call.cosine)
            ]
            yield from continued(
                f"{_INDENT}call {SINCOS}({', '.join([self.expression(call.angle), *results])})"
            )
        else:
            yield from self._lines(Block("", (call,)))

    def _is_step(self, call: SineCosine) -> bool:
        """Whether its angles are the subroutine's: one that is the same in all lanes is a number, and no array."""
        return self._one_step and any(
            isinstance(atom, Name) or atom.argument != PARAMS for atom in atoms(call.angle)
        )

    def _of_lane(self, name: str) -> str:
        return f"{name}({self.lane})" if self._in_loop and name in self._kept else name

    def _call_block(self, row: str, arrays: Mapping[str, str]) -> Iterator[str]:
        """A call of the inner subroutine, on arrays by name or on what they begin with."""
        passed = [arrays.get(each.name, self.names[each.name]) for each in self._passed]
        yield from continued(f"  call {self.block}({', '.join([row, *passed])})")

    def _declared(self, argument: Argument, states: str) -> str:
        """The declaration of an argument of the public subroutine."""
        shape = extents(argument) if argument.name == PARAMS else [states, *extents(argument)]
        return self.declared_argument(argument, shape, "inout")


def _is_call(statement: Statement) -> bool:
    """Whether it calls a function of a library."""
    if isinstance(statement, SineCosine):
        return True
    return any(
        isinstance(node, Apply) and node.operation in _CALLED
        for node in nodes(statement.expression)
    )


def _divided(found: Sequence[Round], longest: int) -> list[Round]:
    """The same with long loops in several, cut where few values are live; these become arrays."""
    parts = []
    for each in found:
        *before, last = divide(Listing(each.blocks, ()), longest).segments
        parts += [
            *(Round(segment.blocks, ()) for segment in before),
            Round(last.blocks, each.calls),
        ]
    return parts


def _kept(each_round: Sequence[Round], listing: Listing) -> set[str]:
    """The values that are arrays: of calls, for calls, and what one loop assigns and another one reads."""
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
"""States of a block: two vectors of AVX-512 in double, one in float."""


@dataclass(frozen=True)
class BatchSubroutine:
    """A kernel over lanes as the templates see it."""

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
    """The kernels over lanes, if there are any."""
    for kernel in package.batch_kernels:
        yield _batch_subroutine(package, kernel.in_one)


def _batch_subroutine(package: Package, kernel: Kernel) -> BatchSubroutine:
    routine = over_lanes(
        kernel.routine(prefixed_symbol(package.prefix, kernel.function)), package.threads
    )
    checked_name(routine.symbol)
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
    """What the template places of each subroutine that is called: for four angles of one state, and for those of all lanes."""
    if package.trig != VECTOR:
        return
    taking = [
        kernel.function
        for kernel in package.kernels
        if any(
            each.operation in (Operation.SINE, Operation.COSINE)
            for each in kernel.program.instructions
        )
    ]
    wide = "wp" if package.real is DOUBLE else "dp"
    values = constants(package.real, f"_{wide}")
    polynomials = {
        name: list(continued(f"      {name[0]} = {values[name]}")) for name in ("sine", "cosine")
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
