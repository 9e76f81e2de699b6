"""Hoisting: operations that depend only on run-time parameters move to `prepare`, which runs once.

Before hoisting, a number that depends on parameters is a constant of the program
(`numbers.parametric`). Therefore, passes and searches do not count products and sums of such
numbers. The generated function `prepare` reads the run-time parameters and fills the vector
`params`, which the kernels read. `params` contains the parameters themselves, then each combination
of parameters that a kernel needs.

    tau = (m*l^2 + J)*qdd        with the run-time parameters m, l and J
    ->  prepare: params = m, l, J, m*l^2 + J
        kernel:  tau = params[3]*qdd
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce

from dynagen.ir.builder import Builder, ValueNumberingBuilder
from dynagen.ir.program import (
    PREPARE,
    STATUS,
    VALUES,
    Argument,
    Element,
    Operation,
    Output,
    Program,
)
from dynagen.ir.symbols import SCALAR, Symbol
from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.parametric import Atom, FunctionAtom, Monomial, ParametricNumber
from dynagen.optimizer.passes.folding import remove_dead_code

_VALUES_MEANING = "run-time parameters, each in its own unit"
_PARAMS_MEANING = "run-time parameters, prepared"
_FUNCTIONS = {operation.value: operation for operation in Operation}
_STATUS = Argument(
    STATUS,
    (1,),
    ("1",),
    "0: success; 1: a value in params is infinite or not a number",
    is_status=True,
)
_TOTAL = Symbol("total", "", SCALAR, "1 plus the magnitudes of all results")


def hoist_parameters(
    programs: Sequence[Program], parameters: Argument
) -> tuple[tuple[Program, ...], Program]:
    """Move operations on run-time parameters from kernels to a new program, `prepare`.

    Args:
        programs: programs of kernels whose constants may depend on run-time parameters.
        parameters: argument with one element for each run-time parameter, named like the input
            `params`; its `columns` are the parameters' names.

    Returns:
        The programs of the kernels, with the new input `params`, and `prepare`.
    """
    preparation = _Preparation(parameters)
    kernels = [_rewrite_kernel(program, parameters.name, preparation) for program in programs]
    prepare = preparation.finish()
    params = prepare.outputs[0].argument
    grown = tuple(
        replace(
            kernel,
            inputs=tuple(
                params if argument.name == params.name else argument for argument in kernel.inputs
            ),
        )
        for kernel in kernels
    )
    return grown, prepare


class _Preparation:
    """The program `prepare` under construction; it computes values from run-time parameters.

    `parameters` is an argument with one element for each run-time parameter.
    """

    def __init__(self, parameters: Argument) -> None:
        self._parameters = parameters
        self._builder = ValueNumberingBuilder(
            PREPARE, [replace(parameters, name=VALUES, meaning=_VALUES_MEANING, columns=())]
        )
        self._builder.declare(_TOTAL)
        self._results = [
            self._builder.add_element(VALUES, index) for index in range(parameters.size)
        ]
        self._places: dict[int, int] = {}

    def add_number(self, number: Exact) -> int:
        """Add a number that may depend on run-time parameters; return the position of its value."""
        if not isinstance(number, ParametricNumber):
            return self._builder.add_constant(number)
        # The number is a polynomial in parameters: emit it term by term.
        return reduce(self._add_term, number.terms[1:], self._add_product(*number.terms[0]))

    def add_operation(self, operation: Operation, operands: tuple[int, ...]) -> int:
        """Add an operation on values of `prepare`; return the position of the result."""
        return self._builder.emit(operation, *operands)

    def _add_term(self, total: int, term: tuple[Monomial[Atom], Exact]) -> int:
        """Add a term of a polynomial in parameters to the value at `total`.

        Return the position of the sum.
        """
        monomial, number = term
        operation = Operation.SUBTRACT if number.is_negative else Operation.ADD
        return self._builder.emit(operation, total, self._add_product(monomial, abs(number)))

    def _add_product(self, monomial: Monomial[Atom], number: Exact) -> int:
        """Add a product of parameters and a number; return the position of the product."""
        factors = [self._add_atom(atom) for atom in monomial]
        if number != ONE or not factors:
            # A term without factors is a number, even if that is 1.
            factors.append(self._builder.add_constant(number))
        return reduce(partial(self._builder.emit, Operation.MULTIPLY), factors)

    def _add_atom(self, atom: Atom) -> int:
        """Add a parameter, or a function of a number that depends on parameters.

        Return the position of its value.
        """
        if isinstance(atom, FunctionAtom):
            argument = self.add_number(atom.argument)
            if atom.name == "reciprocal":
                return self._builder.emit(
                    Operation.DIVIDE, self._builder.add_constant(ONE), argument
                )
            return self._builder.emit(_FUNCTIONS[atom.name], argument)
        return self._builder.add_element(VALUES, self._parameters.columns.index(str(atom)))

    def find_place(self, position: int) -> int:
        """Return the index in the array `params` of the value at a position of `prepare`.

        A value that is not yet in `params`, the result of `prepare`, is appended.
        """
        if position not in self._places:
            # A plain parameter has its place from the beginning.
            payload = self._builder[position].payload
            if isinstance(payload, Element):
                return payload.index
            self._places[position] = len(self._results)
            self._results.append(position)
        return self._places[position]

    def finish(self) -> Program:
        """Return the program `prepare`, whose results depend only on run-time parameters."""
        units = self._parameters.units + ("",) * (len(self._results) - self._parameters.size)
        argument = Argument(self._parameters.name, (len(self._results),), units, _PARAMS_MEANING)
        outputs = [Output(argument, tuple(self._results)), Output(_STATUS, (self._add_status(),))]
        return remove_dead_code(self._builder.finish(outputs))

    def _add_status(self) -> int:
        """Add the status 1/(1 + |a| + |b| + ...) of all results a, b, ...; return its position.

        The status is positive unless a result is infinite or not a number.
        """
        builder = self._builder
        # The sum is infinite or not a number if a term is; its reciprocal is then zero or not a
        # number.
        builder.begin_section("Status: check that all values in params are finite")
        total = builder.add_constant(ONE)
        for result in self._results:
            total = builder.emit(Operation.ADD, total, builder.emit(Operation.ABSOLUTE, result))
        builder.give_name(total, _TOTAL().text)
        return builder.emit(Operation.DIVIDE, builder.add_constant(ONE), total)


def _rewrite_kernel(program: Program, name: str, preparation: _Preparation) -> Program:
    """Return a kernel that reads from `params` the values which depend only on parameters.

    The computation of these values is added to `prepare`. `name` is the name of the kernel's input
    `params`.
    """
    # position in the program -> position in `prepare`, also of constants
    prepared: dict[int, int] = {}
    # positions of values that depend on parameters and constants only, at least on one parameter
    depends: set[int] = set()
    for position, (operation, operands, payload, *_) in enumerate(program.instructions):
        if isinstance(payload, Exact):
            prepared[position] = preparation.add_number(payload)
            if not payload.is_known:
                depends.add(position)
        # Constants count as prepared, so that a + 3 is prepared too; but 2 + 3 remains in the
        # kernel.
        elif operands and all(operand in prepared for operand in operands):
            prepared[position] = preparation.add_operation(
                operation, tuple(prepared[operand] for operand in operands)
            )
            if not depends.isdisjoint(operands):
                depends.add(position)

    # Only values that the kernel itself needs get a place in `params`, not those in between.
    needed = {
        operand
        for position, i in enumerate(program.instructions)
        if position not in depends
        for operand in i.operands
    }
    needed.update(program.iterate_result_values())
    rewritten = Builder.for_program(program)
    values: list[int] = []
    for position, instruction in enumerate(program.instructions):
        rewritten.begin_section(program.sections[instruction.section])
        # Values inside of prepared expressions are not needed here: -1 marks them.
        if position in depends:
            values.append(
                rewritten.add_element(name, preparation.find_place(prepared[position]))
                if position in needed
                else -1
            )
        else:
            values.append(
                rewritten.repeat(
                    instruction, tuple(values[operand] for operand in instruction.operands)
                )
            )
    outputs = (
        replace(output, values=tuple(values[value] for value in output.values))
        for output in program.outputs
    )
    return remove_dead_code(rewritten.finish(outputs))
