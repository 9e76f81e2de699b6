"""Dead code: what no result needs is not computed."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, compress

from dynagen.ir.program import Instruction, Program


def remove_dead_code(program: Program) -> Program:
    """Keep what the results depend on, in order, and the sections that still have content."""
    instructions = program.instructions
    live = [False] * len(instructions)
    for value in program.result_values():
        live[value] = True
    for position in reversed(range(len(instructions))):
        if live[position]:
            for operand in instructions[position].operands:
                live[operand] = True
    used_sections = {instruction.section for instruction, needed in zip(instructions, live, strict=True) if needed}
    if all(live) and len(used_sections) == len(program.sections):
        return program
    section = {old: index for index, old in enumerate(sorted(used_sections))}
    moved = list(accumulate(live, initial=0))  # how many are kept before each
    kept = []
    for operation, operands, payload, name, old in compress(instructions, live):
        kept.append(Instruction(operation, tuple([moved[operand] for operand in operands]), payload, name, section[old]))
    return replace(
        program,
        instructions=tuple(kept),
        outputs=tuple(replace(output, values=tuple(moved[value] for value in output.values)) for output in program.outputs),
        sections=tuple(program.sections[old] for old in section) or ("",),
    )
