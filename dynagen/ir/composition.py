"""Compositions: kernels that call another kernel several times and add its results to vectors.

An example is a Runge-Kutta step, whose stages call forward dynamics. The code generator of each
language emits either calls or one program in which the called code is repeated (inlined). With
calls the called code exists only once; the inlined program needs no temporary vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from dynagen.ir.builder import Builder
from dynagen.ir.operation import Operation
from dynagen.ir.program import Argument, Element, Output, Program
from dynagen.ir.validation import validate
from dynagen.numbers.exact import Exact

Vector = tuple[int, ...]


@dataclass(frozen=True)
class Factor:
    """The product of a number and a scalar input, such as dt/6, which several sums use.

    Attributes:
        name: name of the product in generated code.
        number: exact number.
        scalar: name of a scalar input, such as dt.
    """

    name: str
    number: Exact
    scalar: str


@dataclass(frozen=True)
class Sum:
    """The vector base + factor * (once[0] + 2 * (twice[0] + twice[1] + ...) + once[1] + ...).

    Attributes:
        name: name of the result: a temporary vector or an output.
        base: name of the vector that the weighted sum is added to.
        factor: name of a `Factor`, or of a scalar input.
        once: names of the vectors with weight 1, at least one.
        twice: names of the vectors with weight 2; may be empty.
    """

    name: str
    base: str
    factor: str
    once: tuple[str, ...]
    twice: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stage:
    """One call of the called kernel, and the sums computed after it.

    Attributes:
        given: mapping from an input of the called kernel to the name of the vector that is passed.
            An input that is not in the mapping receives the composition's input of the same name.
        result: name of the vector that this call computes.
        sums: sums in the order of their computation; each may use results of earlier stages.
    """

    given: Mapping[str, str]
    result: str
    sums: tuple[Sum, ...]


@dataclass(frozen=True)
class Composition:
    """Calls of one kernel, with sums of vectors between the calls.

    Attributes:
        factors: products of a number and a scalar input, computed before the first call.
        stages: the calls in order; sums of the last stage are the outputs of the composition.
    """

    factors: tuple[Factor, ...]
    stages: tuple[Stage, ...]


def inline(
    name: str,
    composition: Composition,
    called: Program,
    inputs: tuple[Argument, ...],
    outputs: tuple[Argument, ...],
) -> Program:
    """Return the program of a composition: the called program is repeated at every call.

    Args:
        name: the function that the result computes, such as `step`.
        composition: the calls and sums.
        called: program of the called kernel. If the called kernel has a status, the status of the
            result is the least status of all calls.
        inputs: input arguments of the result.
        outputs: output arguments of the result, without the status; each has the name of the `Sum`
            that computes it.

    Raises:
        InvalidProgramError: the result violates a rule of `validate`.
    """
    builder = Builder(name, inputs)
    vectors = {
        argument.name: tuple(
            builder.add_element(argument.name, index) for index in range(argument.size)
        )
        for argument in inputs
    }
    for factor in composition.factors:
        scaled = builder.emit(
            Operation.MULTIPLY, builder.add_constant(factor.number), *vectors[factor.scalar]
        )
        vectors[factor.name] = (scaled,)
    statuses: list[int] = []  # one for each call of a program that can fail
    for number, stage in enumerate(composition.stages, start=1):
        builder.begin_section(f"Stage {number} of {len(composition.stages)}")
        arguments = {**vectors, **{name: vectors[given] for name, given in stage.given.items()}}
        vectors[stage.result], *status = _append_call(builder, called, arguments)
        statuses += [value for vector in status for value in vector]
        for total in stage.sums:
            vectors[total.name] = _append_sum(builder, total, vectors)
    results = [Output(output, vectors[output.name]) for output in outputs]
    if statuses:
        # A status is positive if all went well: the least of all calls counts.
        least = reduce(lambda left, right: builder.emit(Operation.MINIMUM, left, right), statuses)
        results.append(Output(called.outputs[-1].argument, (least,)))
    return validate(builder.finish(results))


def _append_call(builder: Builder, called: Program, vectors: Mapping[str, Vector]) -> list[Vector]:
    """Append the instructions of a called program without their names; return its outputs.

    `vectors` contains for each input of the called program the positions in `builder` of the
    elements to pass. The result contains the positions of each output's elements.
    """
    values: list[int] = []  # positions here, by positions in the called program
    for operation, operands, payload, *_ in called.instructions:
        if isinstance(payload, Element):
            values.append(vectors[payload.argument][payload.index])
        elif payload is not None:
            values.append(builder.add_constant(payload))
        else:
            values.append(builder.emit(operation, *[values[operand] for operand in operands]))
    return [tuple(values[value] for value in output.values) for output in called.outputs]


def _append_sum(builder: Builder, total: Sum, vectors: Mapping[str, Vector]) -> Vector:
    """Append the operations of one `Sum` and return the positions of the result's elements.

    `vectors` contains, by the name of a vector or factor, the positions of its elements in
    `builder`.
    """
    (factor,), two = vectors[total.factor], builder.add_constant(2)

    def add(left: int, right: int) -> int:
        return builder.emit(Operation.ADD, left, right)

    def element(index: int) -> int:
        first, *others = (vectors[name][index] for name in total.once)
        if total.twice:
            doubled = reduce(add, (vectors[name][index] for name in total.twice))
            others.insert(0, builder.emit(Operation.MULTIPLY, two, doubled))
        base = vectors[total.base][index]
        return add(base, builder.emit(Operation.MULTIPLY, factor, reduce(add, [first, *others])))

    return tuple(element(index) for index in range(len(vectors[total.base])))
