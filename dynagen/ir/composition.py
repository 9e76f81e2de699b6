"""Composition: a kernel made of calls of another one, with sums of vectors between them; and the program that it amounts to.

A language prints the calls, so that the code of what is called is there once; or the program, in which it is there as often as
it is called, where vectors of its own would cost more.
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
    """A number times an input that is a scalar."""

    name: str
    number: Exact
    scalar: str


@dataclass(frozen=True)
class Sum:
    """Element by element, base + factor (once + 2 (twice) + once): a vector of its own, or an output.

    Attributes:
        name: of the sum.
        factor: name of a factor, or of an input that is a scalar.
        once: vectors that count once; those behind the first are added last.
        twice: vectors that count twice.
    """

    name: str
    base: str
    factor: str
    once: tuple[str, ...]
    twice: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stage:
    """A call, and what is made of its result.

    Attributes:
        given: inputs of what is called -> vectors; it takes its other inputs from those of the whole, by their names.
        result: name of its only output.
        sums: in this order.
    """

    given: Mapping[str, str]
    result: str
    sums: tuple[Sum, ...]


@dataclass(frozen=True)
class Composition:
    """Calls of one kernel.

    Attributes:
        factors: what sums are multiplied by, beside inputs.
        stages: the sums of the last are the outputs.
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
    """The program of a composition: what is called is repeated, without names, as often as it is called.

    Args:
        name: of the function.
        composition: what it is made of.
        called: the program of what it calls; with a status, it has one too.
        inputs: of the function.
        outputs: likewise, without a status.
    """
    builder = Builder(name, inputs)
    vectors = {
        each.name: tuple(builder.element(each.name, index) for index in range(each.size))
        for each in inputs
    }
    for factor in composition.factors:
        scaled = builder.emit(
            Operation.MULTIPLY, builder.constant(factor.number), *vectors[factor.scalar]
        )
        vectors[factor.name] = (scaled,)
    statuses: list[int] = []
    for number, stage in enumerate(composition.stages, start=1):
        builder.begin_section(f"Stage {number} of {len(composition.stages)}")
        results = _repeat(
            builder,
            called,
            {**vectors, **{taken: vectors[given] for taken, given in stage.given.items()}},
        )
        vectors[stage.result] = results[0]
        statuses += [value for result in results[1:] for value in result]
        for each in stage.sums:
            vectors[each.name] = _sum(builder, each, vectors)
    made = [Output(output, vectors[output.name]) for output in outputs]
    if statuses:
        least = reduce(lambda left, right: builder.emit(Operation.MINIMUM, left, right), statuses)
        made.append(Output(called.outputs[-1].argument, (least,)))
    return validate(builder.finish(made))


def _repeat(builder: Builder, called: Program, vectors: Mapping[str, Vector]) -> list[Vector]:
    """Append the instructions of a program on these inputs; returns its results."""
    values: list[int] = []
    for operation, operands, payload, *_ in called.instructions:
        if isinstance(payload, Element):
            values.append(vectors[payload.argument][payload.index])
        elif payload is not None:
            values.append(builder.constant(payload))
        else:
            values.append(builder.emit(operation, *[values[operand] for operand in operands]))
    return [tuple(values[value] for value in output.values) for output in called.outputs]


def _sum(builder: Builder, each: Sum, vectors: Mapping[str, Vector]) -> Vector:
    (factor,), two = vectors[each.factor], builder.constant(2)

    def added(left: int, right: int) -> int:
        return builder.emit(Operation.ADD, left, right)

    def element(index: int) -> int:
        first, *others = (vectors[name][index] for name in each.once)
        if each.twice:
            doubled = reduce(added, (vectors[name][index] for name in each.twice))
            others.insert(0, builder.emit(Operation.MULTIPLY, two, doubled))
        return added(
            vectors[each.base][index],
            builder.emit(Operation.MULTIPLY, factor, reduce(added, [first, *others])),
        )

    return tuple(element(index) for index in range(len(vectors[each.base])))
