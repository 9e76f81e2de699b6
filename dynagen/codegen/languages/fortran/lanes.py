"""Batch kernels in Fortran, and subroutines for sines and cosines of several angles.

A batch kernel computes a block of states at a time: the statements of the kernel are in loops over
lanes. A lane is one state of the block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dynagen.codegen import documentation
from dynagen.codegen.lanes import LINE, PAGE, choose_tile_lines, lay_out_lane_loops
from dynagen.codegen.languages.fortran.writer import (
    FOUR,
    FortranWriter,
    check_name,
    continue_lines,
    declare_values,
    format_type,
    list_extents,
    make_conventions,
    subscript,
    write_subroutine_statement,
)
from dynagen.codegen.naming import prefix_symbol
from dynagen.codegen.package import VECTOR, Kernel, Package
from dynagen.codegen.printing import Paragraph
from dynagen.codegen.routine import Routine, make_lane_routine
from dynagen.codegen.segments import LONGEST
from dynagen.codegen.tree import Function
from dynagen.codegen.trigonometry import AT_ONCE, compute_constants
from dynagen.ir.program import PREPARE, Argument, Element, Operation
from dynagen.ir.statements import Name, SineCosine, Statement, list_atoms
from dynagen.numbers.real import DOUBLE, Real

LANES, SINCOS = "lanes", "sines_and_cosines"
"""Fortran names of the number of states in a block, and of the subroutine for sines and cosines."""
STATES_OF_BLOCK = 16
"""Number of states in a block. An AVX-512 vector contains 8 doubles or 16 floats."""
_SHARED = 4096  # smallest number of states that is divided among threads


def _begin(array: str, first: str, argument: Argument) -> str:
    """Return the Fortran text for the first element of state `first` in the array `array`.

    `argument` describes the array of one state.
    """
    return subscript(array, [first, *("1" for _ in list_extents(argument))])


@dataclass(frozen=True)
class LaneRound:
    """A loop over lanes (states of a block) in the inner subroutine, and the calls after it.

    Attributes:
        paragraphs: statements of the loop.
        calls: lines of the calls of functions for all lanes, which follow the loop.
    """

    paragraphs: list[Paragraph]
    calls: list[str]


class FortranLaneWriter(FortranWriter):
    """Writer of a batch kernel as two subroutines.

    The inner subroutine computes a block of states. Compilers vectorise the loops over lanes in the
    inner subroutine. The loops call no function, have a known number of iterations, and are `do
    concurrent`, which declares the iterations independent. Sines, cosines and other library
    functions are computed for all lanes at once, between loops. A value that is passed from one
    loop to another, or to a library function, is an array. The outer subroutine is public and calls
    the inner subroutine block by block. If the last states of a call do not fill a block, they are
    copied, and the copy is computed. If the columns of an array compete for the same few cache
    lines, because of their distance in memory, all states are computed in copies.

    Attributes:
        block: name of the inner subroutine.
        lane: loop variable over the lanes of a block.
    """

    def __init__(
        self,
        routine: Routine,
        real: Real,
        *taken: str,
        one_step: bool = True,
        longest: int = LONGEST,
    ) -> None:
        """Reserve all names that the batch kernel uses.

        Args:
            routine: batch kernel; a routine without a program can only be declared.
            real: number type of the batch kernel.
            taken: names that the batch kernel must not use.
            one_step: whether a subroutine of the module computes sines and cosines instead of the
                intrinsic functions.
            longest: number of operations above which a loop is divided.
        """
        layout = lay_out_lane_loops(routine, make_conventions(LANES, SINCOS, *taken), longest)
        super().__init__(Function(routine.symbol, layout.signature), real)
        self._layout, self._names = layout, layout.names
        self._one_step = one_step
        # Names in Fortran end at 63 characters.
        self.block = check_name(f"{routine.symbol.removesuffix('_batch')}_block")
        self.lane = self._names["lane"]
        self._in_loop = False

    def print_name(self, name: str) -> str:
        """Return the Fortran text of a value.

        In a loop over lanes, the text is the value in the current lane. Elsewhere, it is the array
        of the value in all lanes.
        """
        return f"{name}({self.lane})" if self._in_loop and name in self._layout.arrays else name

    def print_element(self, element: Element) -> str:
        """Return the Fortran text of an element of an argument.

        In a loop over lanes, the text is the element in the current lane. Elsewhere, it is the
        array of the element in all lanes. Run-time parameters have no subscript for the lane,
        because they are the same for all states.
        """
        if element.argument == self._layout.shared:
            return super().print_element(element)
        # The states are the first, contiguous subscript, so that loops over lanes vectorise.
        place = self.lane if self._in_loop else f":{LANES}"
        return subscript(element.argument, [place, *self.list_subscripts(element)])

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Yield the lines of the Fortran statement `name = expression`; both are Fortran texts.

        Inside a loop over lanes, the statement is indented further.
        """
        more = "  " if self._in_loop else ""
        yield from continue_lines(f"{self.indent}{more}{name} = {expression}")

    def write_opening(self, is_bound: bool = True) -> list[str]:
        """Return the lines of the `subroutine` statement of the public subroutine.

        `is_bound` is whether to add `bind(c)`, which lets C call the subroutine.
        """
        names = [self._names["count"], self._names["stride"], *self.arguments]
        # In a recursive subroutine, local arrays are not static: threads do not share them.
        return write_subroutine_statement(self.tree.symbol, names, is_bound, "recursive ")

    def declare_arguments(self) -> list[str]:
        """Return the Fortran declarations of the public subroutine's arguments, one per line.

        Outputs have the intent `inout`, because the subroutine computes only the first states of
        each array (argument `count`); the other elements keep their values.
        """
        count, stride = self._names["count"], self._names["stride"]
        return [
            f"{self.indent}integer(c_size_t), value :: {count}, {stride}",
            *(
                self.declare(
                    each,
                    list_extents(each)
                    if each.name == self._layout.shared
                    else [stride, *list_extents(each)],
                    "inout",
                )
                for each in self.arguments.values()
            ),
        ]

    def write_batch_call(self) -> str:
        """Return a call of the public subroutine with its argument names, for documentation."""
        arguments = [self._names["count"], self._names["stride"], *self.arguments]
        return f"call {self.tree.symbol}({', '.join(arguments)})"

    def write_body(self, threads: bool) -> list[str]:
        """Return the statements of the public subroutine, which calls the inner one for each block.

        Blocks of states are computed in place where possible, and else in copies.

        Args:
            threads: whether the blocks are divided among OpenMP threads.
        """
        first, count, lane, full, part = (
            self._names[name] for name in ("first", "count", "lane", "full", "part")
        )
        stride, tiles, (states, column) = self._names["stride"], self._layout.tiles, self.tile
        rows = [argument for argument in self._layout.passed if argument.name in tiles]
        loop = [
            f"do {first} = 1, {full}, {LANES}",
            *self._call_block(stride, {each.name: _begin(each.name, first, each) for each in rows}),
            "end do",
        ]
        if threads:
            # OpenMP threads divide the blocks.
            loop = [f"!$omp parallel do if ({count} > {_SHARED})", *loop, "!$omp end parallel do"]
        copies, repeats, stores = [], [], []
        for each in rows:
            tile, behind = tiles[each.name], [":"] * len(list_extents(each))
            place = subscript(each.name, [f"{first}:{first} + {part} - 1", *behind])
            copy = subscript(tile, [f":{part}", *behind])
            if each in self.tree.signature.inputs:
                last = subscript(each.name, [count, *behind])
                copies.append(f"  {copy} = {place}")
                repeats.append(f"    {subscript(tile, [lane, *behind])} = {last}")
            else:
                stores.append(f"  {place} = {copy}")
        blocks = f"{count} - mod({count}, {LANES})"
        apart = PAGE // self.real.dtype().itemsize
        lines = [
            *(
                f"{format_type(each)} :: "
                f"{subscript(tiles[each.name], [str(column), *list_extents(each)])}"
                for each in rows
            ),
            f"integer(c_size_t) :: {first}, {lane}, {full}, {part}",
            *(f"associate (unused => {name}); end associate" for name in self._layout.unread),
            "",
            *(
                [
                    f"! Columns {PAGE} bytes apart compete for few lines of the cache: copy all "
                    "states.",
                    f"{full} = merge(0_c_size_t, {blocks}, mod({stride}, {apart}_c_size_t) == 0)",
                ]
                if column > STATES_OF_BLOCK
                else [f"{full} = {blocks}"]
            ),
            *loop,
            "",
            "! All other states are copied; unused lanes repeat the last state.",
            f"do {first} = {full} + 1, {count}, {states}",
            f"  {part} = min({count} - {first} + 1, {states}_c_size_t)",
            *copies,
            f"  do {lane} = {part} + 1, {part} + modulo(-{part}, {LANES})",
            *repeats,
            "  end do",
            f"  do {lane} = 1, {part}, {LANES}",
            *(
                f"  {line}"
                for line in self._call_block(
                    f"{column}_c_size_t",
                    {each.name: _begin(tiles[each.name], lane, each) for each in rows},
                )
            ),
            "  end do",
            *stores,
            "end do",
        ]
        return [line and self.indent + line for line in lines]

    @property
    def tile(self) -> tuple[int, int]:
        """Number of states in a tile (copy of a few states), and length of the tile's columns.

        Each column has one element for each state; elements after the last state are unused.
        """
        sizes = [each.size for each in self._layout.passed if each.name in self._layout.tiles]
        lines = choose_tile_lines(sum(sizes))
        column = lines * LINE // self.real.dtype().itemsize
        # A block of which only some lanes fit would not be faster than one in place.
        states = column - column % STATES_OF_BLOCK
        return (states, column) if states else (STATES_OF_BLOCK, STATES_OF_BLOCK)

    def write_block_head(self) -> list[str]:
        """Return head and argument declarations of the inner subroutine.

        The inner subroutine computes a block of states, one in each lane.
        """
        row, passed = self._names["row"], self._layout.passed
        names = [row, *(argument.name for argument in passed)]
        lines = [
            *write_subroutine_statement(self.block, names, is_bound=False),
            f"{self.indent}integer(c_size_t), intent(in) :: {row}",
        ]
        for argument in passed:
            shape = (
                # Assumed size: the block may begin inside the caller's array.
                list_extents(argument)
                if argument.name == self._layout.shared
                else [*[row, *list_extents(argument)][:-1], "*"]
            )
            lines.append(self.declare(argument, shape, "inout"))
        return lines

    def declare_block_values(self) -> list[str]:
        """Return the Fortran declarations of local values in the subroutine for a block of states.

        Arrays have one element for each lane (state of the block).
        """
        names, arrays = self._layout.values, self._layout.arrays
        steps = (
            call
            for _, calls in self._layout.rounds
            for call in calls
            if isinstance(call, SineCosine) and self._is_step(call)
        )
        unneeded = (
            [self._names["unneeded"]]
            if any(None in (step.sine, step.cosine) for step in steps)
            else []
        )
        return [
            *declare_values(
                f"real(wp), dimension({LANES}) ::",
                [*(name for name in names if name in arrays), *unneeded],
            ),
            *declare_values("real(wp) ::", [name for name in names if name not in arrays]),
            f"{self.indent}integer(c_size_t) :: {self.lane}",
        ]

    def write_block_rounds(self) -> list[LaneRound]:
        """Return the loops over lanes in the subroutine for a block of states, with their calls.

        The last loop stores the results.
        """
        printed = []
        rounds = self._layout.rounds
        for number, (sections, calls) in enumerate(rounds, 1):
            # Names and elements are printed with or without the lane, by this state.
            self._in_loop = True
            paragraphs = self.write_paragraphs(sections)
            paragraphs += self.write_paragraphs(
                [self._layout.results] if number == len(rounds) else []
            )
            self._in_loop = False
            lines = [line for call in calls for line in self._call_on_lanes(call)]
            printed.append(LaneRound(paragraphs, lines))
        return printed

    def _call_on_lanes(self, call: Statement) -> Iterator[str]:
        """Yield the lines of a Fortran statement that calls a library function for all lanes."""
        if not isinstance(call, SineCosine):
            yield from self.write(call)
        elif self._is_step(call):
            # The subroutine always returns the two; the unneeded one goes to a scratch array.
            results = [name or self._names["unneeded"] for name in (call.sine, call.cosine)]
            passed = ", ".join([self.print_expression(call.angle), *results])
            yield from continue_lines(f"{self.indent}call {SINCOS}({passed})")
        else:
            yield from self.write_sine_cosine(call)

    def _is_step(self, call: SineCosine) -> bool:
        """Return whether a subroutine of the module computes the sine and cosine of an angle.

        An angle that depends only on run-time parameters is the same in all lanes; its sine and
        cosine are computed once by intrinsic functions.
        """
        return self._one_step and any(
            isinstance(atom, Name) or atom.argument != self._layout.shared
            for atom in list_atoms(call.angle)
        )

    def _call_block(self, row: str, arrays: Mapping[str, str]) -> Iterator[str]:
        """Yield the lines of a Fortran call of the subroutine that computes a block of states.

        `row` is the Fortran text of the distance between elements of one state in the arrays.
        `arrays` holds the texts to pass for arguments that are not passed by their names.
        """
        passed = [arrays.get(argument.name, argument.name) for argument in self._layout.passed]
        yield from continue_lines(f"  call {self.block}({', '.join([row, *passed])})")


@dataclass(frozen=True)
class BatchSubroutine:
    """Texts of a batch kernel, for the jinja2 templates.

    Attributes:
        symbol: name of the public subroutine.
        block: name of the inner subroutine, which computes a block of states.
        lane: name of the loop variable over the lanes of a block.
        summary: text with formula, operation counts, verified error bound, and notes on the code.
        call: call of the public subroutine with its argument names.
        opening, declarations, body: lines of the public subroutine: its `subroutine` statement,
            the declarations of its arguments, and its statements.
        block_head, block_values: lines of the inner subroutine: its head with the declarations of
            its arguments, and the declarations of local values.
        rounds: loops over lanes of the inner subroutine, each with the calls that follow it.
    """

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


def write_batch_subroutines(package: Package) -> Iterator[BatchSubroutine]:
    """Yield Fortran texts for the jinja2 templates, for each batch kernel of a package."""
    for kernel in package.batch_kernels:
        yield _batch_subroutine(package, kernel.in_one)


def _batch_subroutine(package: Package, kernel: Kernel) -> BatchSubroutine:
    """Return the Fortran texts, for the template, of the batch kernel that belongs to `kernel`."""
    routine = make_lane_routine(kernel.make_routine(prefix_symbol(package.prefix, kernel.function)))
    check_name(routine.symbol)
    writer = FortranLaneWriter(
        routine,
        package.real,
        f"{package.prefix}_n",
        one_step=package.trig == VECTOR,
        longest=package.longest,
    )
    return BatchSubroutine(
        symbol=routine.symbol,
        block=writer.block,
        lane=writer.lane,
        summary=documentation.explain_kernel(package, kernel, "  ! "),
        call=writer.write_batch_call(),
        opening=writer.write_opening(),
        declarations=writer.declare_arguments(),
        body=writer.write_body(package.threads),
        block_head=writer.write_block_head(),
        block_values=writer.declare_block_values(),
        rounds=writer.write_block_rounds(),
    )


def collect_step_values(package: Package) -> Iterator[dict[str, Any]]:
    """Yield named values for the template of Fortran subroutines for several sines and cosines.

    One subroutine computes the sines and cosines of four angles of one state. Another computes the
    sine and cosine of one angle in all states of a block.
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
    # Angles are reduced in double precision, in single-precision kernels too.
    wide = "wp" if package.real is DOUBLE else "dp"
    values = compute_constants(package.real, f"_{wide}")
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
