"""Hoisting: what depends on run-time parameters alone is computed once, in a kernel of its own, and not in every call.

`prepare` takes the values of the parameters and fills `params`: the values themselves, then every product of them that some
kernel needs. The kernels take `params` instead of the values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dynagen.ir.builder import Builder
from dynagen.ir.interface import PARAMS, PREPARE, STATUS, VALUES
from dynagen.ir.program import Argument, Element, Instruction, Operation, Output, Program
from dynagen.ir.value_numbering import ValueNumberingBuilder
from dynagen.numbers.exact import ONE
from dynagen.passes.dead_code import remove_dead_code

_VALUES_MEANING = "run-time parameters, each in its own unit"
_PARAMS_MEANING = "run-time parameters, prepared"
_STATUS = Argument(STATUS, (1,), ("1",), "0: ok; 1: something in params is infinite or not a number")


def hoist_parameters(programs: Sequence[Program], parameters: Argument) -> tuple[tuple[Program, ...], Program]:
    """Split programs into what `prepare` computes and what is left of them.

    Args:
        programs: kernels that take the input `parameters`.
        parameters: the run-time parameters, one element each.

    Returns:
        The kernels, whose input of that name has grown, and `prepare`.
    """
    preparation = _Preparation(parameters)
    kernels = [_hoist(program, parameters.name, preparation) for program in programs]
    prepare = preparation.program()
    params = prepare.outputs[0].argument
    grown = tuple(
        replace(kernel, inputs=tuple(params if argument.name == params.name else argument for argument in kernel.inputs))
        for kernel in kernels
    )
    return grown, prepare


def without_prepared(program: Program) -> Program:
    """What one call of a program computes, without what `prepare` computes once for all calls."""
    for argument in program.inputs:
        if argument.name == PARAMS:
            (program,), _ = hoist_parameters([program], argument)
    return program


class _Preparation:
    """The program `prepare` while it grows."""

    def __init__(self, parameters: Argument) -> None:
        self._parameters = parameters
        self._builder = ValueNumberingBuilder(PREPARE, [replace(parameters, name=VALUES, meaning=_VALUES_MEANING)])
        self._results = [self._builder.element(VALUES, index) for index in range(parameters.size)]
        self._places: dict[int, int] = {}

    def compute(self, instruction: Instruction, operands: tuple[int, ...]) -> int:
        """Position of the same operation in `prepare`."""
        if isinstance(instruction.payload, Element):
            return self._builder.element(VALUES, instruction.payload.index)
        if instruction.payload is not None:
            return self._builder.constant(instruction.payload)
        return self._builder.emit(instruction.operation, *operands)

    def place(self, position: int) -> int:
        """Index in `params` of a value of `prepare`."""
        if position not in self._places:
            payload = self._builder[position].payload
            if isinstance(payload, Element):
                return payload.index
            self._places[position] = len(self._results)
            self._results.append(position)
        return self._places[position]

    def program(self) -> Program:
        units = self._parameters.units + ("",) * (len(self._results) - self._parameters.size)
        argument = Argument(self._parameters.name, (len(self._results),), units, _PARAMS_MEANING)
        outputs = [Output(argument, tuple(self._results)), Output(_STATUS, (self._status(),))]
        return remove_dead_code(self._builder.finish(outputs))

    def _status(self) -> int:
        """1 / (1 + |a| + |b| + ...), positive unless one of the results is infinite or not a number."""
        builder = self._builder
        builder.begin_section("Status: whether all of them are finite numbers")
        total = builder.constant(ONE)
        for result in self._results:
            total = builder.emit(Operation.ADD, total, builder.emit(Operation.ABSOLUTE, result))
        builder.give_name(total, "total")
        return builder.emit(Operation.DIVIDE, builder.constant(ONE), total)


def _hoist(program: Program, name: str, preparation: _Preparation) -> Program:
    prepared: dict[int, int] = {}  # position in the program -> position in `prepare`, of constants too
    depends: set[int] = set()  # positions of what depends on parameters, and on nothing else but constants
    for position, instruction in enumerate(program.instructions):
        is_parameter = isinstance(instruction.payload, Element) and instruction.payload.argument == name
        if instruction.operation is Operation.INPUT and not is_parameter:
            continue
        if all(operand in prepared for operand in instruction.operands):
            operands = tuple(prepared[operand] for operand in instruction.operands)
            prepared[position] = preparation.compute(instruction, operands)
            if is_parameter or any(operand in depends for operand in instruction.operands):
                depends.add(position)

    needed = {operand for position, i in enumerate(program.instructions) if position not in depends for operand in i.operands}
    needed.update(program.result_values())
    rewritten = Builder(program.name, program.inputs)
    values: list[int] = []
    for position, instruction in enumerate(program.instructions):
        rewritten.begin_section(program.sections[instruction.section])
        if position in depends:
            values.append(rewritten.element(name, preparation.place(prepared[position])) if position in needed else -1)
        else:
            values.append(rewritten.repeat(instruction, tuple(values[operand] for operand in instruction.operands)))
    outputs = (replace(output, values=tuple(values[value] for value in output.values)) for output in program.outputs)
    return remove_dead_code(rewritten.finish(outputs))
