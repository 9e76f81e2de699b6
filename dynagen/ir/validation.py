"""Rules of programs, checked after recording and after every pass.

A check after every pass reveals which pass contains a bug.
"""

from __future__ import annotations

import re
from functools import lru_cache

from dynagen.errors import InvalidProgramError
from dynagen.ir.operation import CONSTANT, INPUT
from dynagen.ir.program import Element, Instruction, Program
from dynagen.numbers.exact import Exact

LONGEST_NAME = 63
"""Largest number of characters of a name in a program: all target languages accept such names."""

_NAME = re.compile(rf"[a-z][a-z0-9_]{{0,{LONGEST_NAME - 1}}}")
_ARGUMENT = re.compile(rf"[A-Za-z][A-Za-z0-9_]{{0,{LONGEST_NAME - 1}}}")


def validate(program: Program) -> Program:
    """Return the program unchanged if it obeys the rules of the intermediate form.

    - Operands precede their use, and each operation has the required number of operands.
    - Constants have a number as payload, inputs an element of an input argument.
    - Each element of an output has a value, and each element of an argument a unit.
    - Names of values are unique, lower-case and at most 63 characters long.
    - No value has an argument's name in any case, because Fortran ignores case.
    - Each table has a name that no argument, value or other table has.

    Raises:
        InvalidProgramError: the message names the first instruction or argument that violates a
            rule.
    """
    sizes = {argument.name: argument.size for argument in program.inputs}
    # Fortran ignores case, and C kernels declare arguments and values in one scope.
    taken = {argument.name.lower() for argument in program.arguments}
    if len(taken) != len(program.arguments):
        raise InvalidProgramError(f"{program.name}: two arguments have the same name")
    for argument in program.arguments:
        if not _ARGUMENT.fullmatch(argument.name):
            raise InvalidProgramError(
                f"{program.name}: {argument.name!r} is not a valid name of an argument"
            )
        if len(argument.units) != argument.size:
            raise InvalidProgramError(
                f"{program.name}: expected {argument.size} units for {argument.name}, found "
                f"{len(argument.units)}"
            )
    for table in program.tables:
        if not _is_name(table.name) or table.name in taken or not table.entries:
            raise InvalidProgramError(
                f"{program.name}: the table {table.name!r} is empty, or its name is invalid or "
                "used twice"
            )
        taken.add(table.name)
    sections = len(program.sections)
    for position, instruction in enumerate(program.instructions):
        operation, operands, payload, name, section = instruction
        # Most instructions are valid sums and products; this test saves them a call.
        is_valid = (
            payload is None
            and len(operands) == operation.operand_count == 2
            and 0 <= operands[0] < position
            and 0 <= operands[1] < position
            and 0 <= section < sections
            and (name is None or (name not in taken and _is_name(name)))
        )
        if not is_valid and (fault := _fault(position, instruction, sizes, taken, sections)):
            raise InvalidProgramError(
                f"{program.name}: instruction {position} ({operation.value}): {fault}"
            )
        if name is not None:
            taken.add(name)
    for output in program.outputs:
        if len(output.values) != output.argument.size:
            raise InvalidProgramError(
                f"{program.name}: expected {output.argument.size} values for the output "
                f"{output.argument.name}, found {len(output.values)}"
            )
        if any(not 0 <= value < len(program.instructions) for value in output.values):
            raise InvalidProgramError(
                f"{program.name}: output {output.argument.name} refers to a value "
                "that does not exist"
            )
    return program


@lru_cache(maxsize=1 << 16)  # the names of a program are checked after every pass
def _is_name(text: str) -> bool:
    """Return whether a text is a valid name of a value or table."""
    return _NAME.fullmatch(text) is not None


def _fault(
    position: int, instruction: Instruction, sizes: dict[str, int], taken: set[str], sections: int
) -> str | None:
    """Return the rule that an instruction violates, as text; None if it is valid.

    `sizes` are the numbers of elements of the inputs. `taken` are the names of all arguments (in
    lower case), tables and earlier instructions. `sections` is the number of sections.
    """
    operation, operands, payload, name, section = instruction
    if len(operands) != operation.operand_count:
        return f"expected {operation.operand_count} operands, found {len(operands)}"
    if operands and (min(operands) < 0 or max(operands) >= position):
        return "every operand must be the result of an earlier instruction"
    if (payload is not None or not operands) and (fault := _leaf_fault(instruction, sizes)):
        return fault
    if not 0 <= section < sections:
        return f"the section {section} does not exist"
    if name is not None:
        if not _is_name(name):
            return f"{name!r} is not a lower-case identifier"
        if name in taken or not operands:
            return f"the name {name} is used twice, or names an input or a constant"
    return None


def _leaf_fault(instruction: Instruction, sizes: dict[str, int]) -> str | None:
    """Return the rule that an instruction's constant or input element violates, as text.

    The result is None if the instruction is valid.
    """
    operation, _, payload, _, _ = instruction
    if (operation is CONSTANT) != isinstance(payload, Exact):
        return "a constant must have a number as payload, and no other operation may have one"
    if (operation is INPUT) != isinstance(payload, Element):
        return "an input must have an element as payload, and no other operation may have one"
    if isinstance(payload, Element) and not 0 <= payload.index < sizes.get(payload.argument, 0):
        return f"{payload.argument}[{payload.index}] is not an element of an input"
    return None
