"""Dead code: what no result needs is not computed."""

from __future__ import annotations

from dataclasses import replace

from dynagen.ir.program import Instruction, Program


def remove_dead_code(program: Program) -> Program:
    """Keep what the results depend on, in order, and the sections that still have content."""
    live: set[int] = set()
    pending = list(program.result_values())
    while pending:
        position = pending.pop()
        if position not in live:
            live.add(position)
            pending.extend(program.instructions[position].operands)
    kept = sorted(live)
    moved = {position: index for index, position in enumerate(kept)}
    used_sections = sorted({program.instructions[position].section for position in kept})
    section = {old: index for index, old in enumerate(used_sections)}
    instructions = []
    for position in kept:
        instruction = program.instructions[position]
        operands = tuple([moved[operand] for operand in instruction.operands])
        operation, payload, name = instruction.operation, instruction.payload, instruction.name
        instructions.append(Instruction(operation, operands, payload, name, section[instruction.section]))
    return replace(
        program,
        instructions=tuple(instructions),
        outputs=tuple(replace(output, values=tuple(moved[value] for value in output.values)) for output in program.outputs),
        sections=tuple(program.sections[old] for old in used_sections) or ("",),
    )
