"""Rules of the intermediate form, checked after recording and after every pass.

A bug is thus found in the pass that contains it.
"""

from __future__ import annotations

import re

from dynagen.errors import InvalidProgramError
from dynagen.ir.program import Element, Instruction, Operation, Program
from dynagen.numbers.exact import Exact

LONGEST_NAME = 63
"""Length of the longest identifier that all target languages accept."""

_NAME = re.compile(rf"[a-z][a-z0-9_]{{0,{LONGEST_NAME - 1}}}")
_ARGUMENT = re.compile(rf"[A-Za-z][A-Za-z0-9_]{{0,{LONGEST_NAME - 1}}}")


def validate(program: Program) -> Program:
    """Return the program if it obeys the rules.

    Operands precede their use and have the operation's number. Constants and inputs carry their
    payload. Elements lie within their argument. Outputs are complete. Names are lower case (Fortran
    ignores case), at most LONGEST_NAME long, unique, and different from the arguments' in any case.
    Every element of an argument has a unit.

    Raises:
        InvalidProgramError: names the first instruction that violates a rule.
    """
    sizes = {argument.name: argument.size for argument in program.inputs}
    # Fortran ignores case, and C kernels declare arguments and values in one scope.
    taken = {argument.name.lower() for argument in program.arguments}
    if len(taken) != len(program.arguments):
        raise InvalidProgramError(f"{program.name}: two arguments have the same name")
    for argument in program.arguments:
        if not _ARGUMENT.fullmatch(argument.name):
            raise InvalidProgramError(
                f"{program.name}: {argument.name!r} is not the name of an argument"
            )
        if len(argument.units) != argument.size:
            raise InvalidProgramError(
                f"{program.name}: {argument.name} needs one unit for every element"
            )
    for position, instruction in enumerate(program.instructions):
        fault = _fault(program, position, instruction, sizes, taken)
        if fault is not None:
            raise InvalidProgramError(
                f"{program.name}: instruction {position} ({instruction.operation.value}): {fault}"
            )
        if instruction.name is not None:
            taken.add(instruction.name)
    for output in program.outputs:
        if len(output.values) != output.argument.size:
            raise InvalidProgramError(
                f"{program.name}: output {output.argument.name} is not complete"
            )
        if any(not 0 <= value < len(program.instructions) for value in output.values):
            raise InvalidProgramError(
                f"{program.name}: output {output.argument.name} refers to a value "
                "that does not exist"
            )
    return program


def _fault(
    program: Program,
    position: int,
    instruction: Instruction,
    sizes: dict[str, int],
    taken: set[str],
) -> str | None:
    """Return the fault of an instruction; None if it is valid.

    Args:
        program: the program.
        position: position of the instruction.
        instruction: to check.
        sizes: number of elements of each input.
        taken: names of the arguments and of earlier instructions.
    """
    operation, operands, payload, name, section = instruction
    if len(operands) != operation.operand_count:
        return f"expected {operation.operand_count} operands, found {len(operands)}"
    if operands and (min(operands) < 0 or max(operands) >= position):
        return "an operand is not computed before it is used"
    if (payload is not None or not operands) and (fault := _leaf_fault(instruction, sizes)):
        return fault
    if not 0 <= section < len(program.sections):
        return f"there is no section {section}"
    if name is not None:
        if not _NAME.fullmatch(name):
            return f"{name!r} is not a lower-case identifier"
        if name in taken or not operands:
            return f"the name {name} is taken, or belongs to an input or a constant"
    return None


def _leaf_fault(instruction: Instruction, sizes: dict[str, int]) -> str | None:
    """Return the fault of an instruction's payload; None if it is valid."""
    operation, _, payload, _, _ = instruction
    if (operation is Operation.CONSTANT) != isinstance(payload, Exact):
        return "a constant carries a number, and nothing else does"
    if (operation is Operation.INPUT) != isinstance(payload, Element):
        return "an input carries an element, and nothing else does"
    if isinstance(payload, Element) and not 0 <= payload.index < sizes.get(payload.argument, 0):
        return f"{payload.argument}[{payload.index}] is not an element of an input"
    return None
