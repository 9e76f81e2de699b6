"""Fortran loops over states that call kernels, for calls from Python."""

from __future__ import annotations

from collections.abc import Sequence

from dynagen.codegen.languages.fortran.lanes import FortranLaneWriter
from dynagen.codegen.languages.fortran.writer import (
    KINDS,
    FortranWriter,
    check_name,
    format_type,
    list_extents,
    make_conventions,
    subscript,
    write_subroutine_statement,
)
from dynagen.codegen.layouts import Scope, declare
from dynagen.codegen.package import SourceFile
from dynagen.codegen.routine import PART, STRIDE, LaneLoop, Routine, StateLoop
from dynagen.codegen.templating import fill
from dynagen.codegen.tree import Function
from dynagen.ir.program import PARAMS, Argument
from dynagen.numbers.real import Real

_INDENT = "    "


def print_loops(routines: Sequence[Routine], real: Real) -> tuple[SourceFile]:
    """Return a Fortran module with loops over states that call kernels.

    Args:
        routines: kernels, which are only declared, and the loops that call them.
        real: number type of the kernels.
    """
    kernels, loops = [], []
    for routine in routines:
        if isinstance(routine.loop, StateLoop):
            loops.append(_LoopWriter(routine, real).write_subroutine(routine.loop))
        else:
            kernels.append(_declare(routine, real).write_interface())
    return (
        SourceFile(
            "loops.f90",
            fill("fortran/loops.f90.j2", kind=KINDS[real], kernels=kernels, loops=loops),
        ),
    )


def _declare(routine: Routine, real: Real) -> FortranWriter:
    """Return the writer that declares a kernel for one state, or a batch kernel."""
    if isinstance(routine.loop, LaneLoop):
        return FortranLaneWriter(routine, real)
    return FortranWriter(declare(routine, make_conventions()), real)


class _LoopWriter(FortranWriter):
    """Writer of a subroutine that calls a kernel for all states.

    In the arguments' arrays, the elements of one state are adjacent.
    """

    def __init__(self, routine: Routine, real: Real) -> None:
        self._scope = Scope(routine, make_conventions())
        super().__init__(Function(routine.symbol, self._scope.signature), real)

    def write_subroutine(self, loop: StateLoop) -> str:
        """Return the subroutine that calls a kernel for every state."""
        count, state = check_name(self._scope.claim("count")), self._scope.claim("state")
        body = (
            self._side_by_side(loop, count, state)
            if loop.side_by_side
            else self._one_by_one(loop, count, state)
        )
        arguments = [
            self.declare(argument, [*list_extents(argument), count])
            for argument in self.arguments.values()
        ]
        head = write_subroutine_statement(self.tree.symbol, [count, *self.arguments])
        size = f"{_INDENT}integer(c_size_t), value :: {count}"
        return "\n".join(
            [*head, size, *arguments, *(_INDENT + line for line in body), "  end subroutine"]
        )

    def _one_by_one(self, loop: StateLoop, count: str, state: str) -> list[str]:
        """Return the lines of a loop that calls a kernel for one state at a time.

        `count` is the name of the variable with the number of states. `state` is the name of the
        loop variable, which runs from 1 to this number.
        """
        passed = [self._select_state(argument, state) for argument in self.arguments.values()]
        return [
            f"integer(c_size_t) :: {state}",
            f"do {state} = 1, {count}",
            *_call(loop.kernel, passed),
            "end do",
        ]

    def _side_by_side(self, loop: StateLoop, count: str, state: str) -> list[str]:
        """Return the lines of a loop that calls a batch kernel for a few states at a time.

        The loop copies these states into arrays in the layout of batch kernels. `count` is the name
        of the variable with the number of states. `state` is a name for the index of a state.
        """
        first, states = self._scope.claim("first"), self._scope.claim("states")
        # Run-time parameters are the same for all states and are passed as they are.
        rows = [
            argument
            for argument in self.arguments.values()
            if argument.name != self._scope.names.get(PARAMS)
        ]
        sides = {argument.name: self._scope.claim(f"{argument.name}_side") for argument in rows}
        # Subscripts begin at 1.
        place = f"{first} + {state} - 1"
        lay_out, bring_back = [], []
        for argument in rows:
            side, behind = (
                subscript(sides[argument.name], [state, *_all(argument)]),
                self._select_state(argument, place),
            )
            if argument in self.tree.signature.inputs:
                lay_out.append(f"    {side} = {behind}")
            else:
                bring_back.append(f"    {behind} = {side}")
        passed = [
            sides.get(argument.name) or self._select_state(argument, first)
            for argument in self.arguments.values()
        ]
        return [
            *(
                f"{format_type(row)} :: "
                f"{subscript(sides[row.name], [str(STRIDE), *list_extents(row)])}"
                for row in rows
            ),
            f"integer(c_size_t) :: {first}, {state}, {states}",
            f"do {first} = 1, {count}, {PART}",
            f"  {states} = min({PART}_c_size_t, {count} - {first} + 1)",
            f"  do {state} = 1, {states}",
            *lay_out,
            "  end do",
            # Every batch has at most PART states, so that the copies fit into the cache.
            *_call(loop.kernel, [states, f"{STRIDE}_c_size_t", *passed]),
            f"  do {state} = 1, {states}",
            *bring_back,
            "  end do",
            "end do",
        ]

    def _select_state(self, argument: Argument, state: str) -> str:
        return subscript(argument.name, [*_all(argument), state])


def _all(argument: Argument) -> list[str]:
    """Return a `:` for each axis of an argument: the subscripts of all its elements."""
    return [":"] * len(list_extents(argument))


def _call(kernel: str, passed: Sequence[str]) -> list[str]:
    """Return the lines of a Fortran call of a kernel, with one argument per line."""
    return [
        f"  call {kernel}( &",
        *(f"    {each}, &" for each in passed[:-1]),
        f"    {passed[-1]})",
    ]
