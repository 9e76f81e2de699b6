"""Layout of a batch kernel in vector registers: a block of states, one state in each lane.

The function has the statements of the kernel for one state, with vectors for numbers. It loads all
elements that it reads before it stores anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dynagen.codegen.layouts import Conventions, Scope
from dynagen.codegen.naming import assigned_names, read_elements
from dynagen.codegen.routine import Routine
from dynagen.codegen.segments import replace_inputs, store_early
from dynagen.codegen.tree import Function, Load, Section
from dynagen.ir.program import PARAMS, Element
from dynagen.ir.statements import Listing, Name


@dataclass(frozen=True)
class LaneLayout:
    """A batch kernel with vectors for numbers.

    Attributes:
        block: function that computes a block of states; its first section loads the inputs.
        names: free names of loop variables and sizes, by their preferred names.
        tails: argument -> free name of an array for the states of an incomplete block. Run-time
            parameters have none: all states share them.
    """

    block: Function
    names: Mapping[str, str]
    tails: Mapping[str, str]


def lay_out_lanes(routine: Routine, conventions: Conventions) -> LaneLayout:
    """Return the batch kernel of a program."""
    scope = Scope(routine, conventions)
    signature = scope.signature
    read = read_elements(scope.listing)
    # In the order of arguments and elements, for identical output on every run.
    loads = tuple(
        Load(scope.claim(f"{argument.name}_{index}"), Element(argument.name, index))
        for argument in signature.inputs
        for index in range(argument.size)
        if Element(argument.name, index) in read
    )
    tails = {
        argument.name: scope.claim(f"{argument.name}_tail")
        for argument in (*signature.inputs, *signature.results)
        if argument.name != scope.names.get(PARAMS)
    }
    names = {
        name: scope.claim(name) for name in ("count", "stride", "first", "states", "row", "part")
    }
    unread = scope.unread
    stored = store_early(scope.listing, None)
    scope.listing = _read_registers(stored, {load.element: Name(load.name) for load in loads})
    sections = [*map(scope.section, scope.listing.blocks), Section("Status", scope.status)]
    block = Function(
        routine.symbol,
        signature,
        (Section("Inputs", loads), *sections),
        values=tuple(assigned_names(scope.listing)),
        unread=unread,
        symbols=scope.symbols,
    )
    return LaneLayout(block, names, tails)


def _read_registers(listing: Listing, loaded: Mapping[Element, Name]) -> Listing:
    """Return a listing that reads vector registers instead of elements of inputs."""
    blocks = tuple(
        replace(
            block,
            statements=tuple(replace_inputs(statement, loaded) for statement in block.statements),
        )
        for block in listing.blocks
    )
    results = tuple(
        (
            output,
            tuple(
                loaded.get(value, value) if isinstance(value, Element) else value
                for value in values
            ),
        )
        for output, values in listing.results
    )
    return Listing(blocks, results)
