"""Compositions: kernels that call another kernel several times, with sums of vectors between.

An integrator's stages are an example. A language either prints the calls, so that the called code
exists once, or the inlined program, which avoids temporary vectors.
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
    """An exact number times a scalar input."""

    name: str
    number: Exact
    scalar: str


@dataclass(frozen=True)
class Sum:
    """Vector base + factor (once + 2 (twice) + once), element by element.

    Attributes:
        name: name of the sum: a temporary vector or an output.
        base: name of a vector.
        factor: name of a factor, or of a scalar input.
        once: names of vectors with weight one; all after the first are added last.
        twice: names of vectors with weight two.
    """

    name: str
    base: str
    factor: str
    once: tuple[str, ...]
    twice: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stage:
    """One call, and the sums made from its result.

    Attributes:
        given: inputs of the called kernel -> vectors; its other inputs are inputs of the whole with
            the same names.
        result: name of the call's only output.
        sums: computed in this order.
    """

    given: Mapping[str, str]
    result: str
    sums: tuple[Sum, ...]


@dataclass(frozen=True)
class Composition:
    """Calls of one kernel, with sums between them.

    Attributes:
        factors: factors of sums, in addition to inputs.
        stages: the calls; the sums of the last stage are the outputs.
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
    """Return the program of a composition, with the called program repeated at every call.

    Args:
        name: name of the function.
        composition: its calls and sums.
        called: the called program. If it has a status, the result has one too.
        inputs: inputs of the function.
        outputs: outputs of the function, without a status.
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
    """Append the instructions of a program, without names, and return its results."""
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
    """Append the instructions of a sum and return its elements."""
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
