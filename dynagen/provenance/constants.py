"""Formulas of the constants in a program: a compiled function -> what each of its numbers is made of.

The function is recorded once more for the candidate that was chosen, in numbers that know their names, and constants of the
two programs are compared by value. Folding while recording finds nearly all of them and costs little; the same passes as for
the program itself find all, and cost as much again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import add, mul, sub, truediv

from dynagen.description.description import RobotDescription
from dynagen.dynamics.candidate import Candidate
from dynagen.dynamics.composing import ComposedFunction
from dynagen.dynamics.recording.recorder import CountingRecorder
from dynagen.errors import InvalidProgramError
from dynagen.ir.program import Program
from dynagen.model.model import build_model
from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.parametric import Parametric
from dynagen.numbers.traced import Traced, named, parts_in
from dynagen.optimize.compilation import CompiledFunction
from dynagen.optimize.design_space import DesignSpace
from dynagen.optimize.effort import Effort
from dynagen.passes.manager import run_last_pass, run_passes
from dynagen.passes.resubstitution import FACTORS
from dynagen.passes.simplifier import SimplifyingBuilder
from dynagen.provenance.symbols import numbers_of, with_symbols
from dynagen.refactoring.step import refactored

_SHORT = 36  # characters of a formula

Formulas = dict[Exact, Traced]
"""By the magnitude of a constant, the number of that magnitude that knows its formula."""


class Provenance:
    """The robot in numbers that know their names.

    Attributes:
        symbols: value of every name.
    """

    def __init__(self, description: RobotDescription) -> None:
        named = with_symbols(description)
        self.symbols = named.symbols
        self._space = DesignSpace(build_model(named.description))

    def numbers(self, function: CompiledFunction) -> Iterable[Exact]:
        """Numbers that a function is made of: as they are when it has been recorded and folded."""
        candidate = self._named(function.choice)
        builder = SimplifyingBuilder()
        recorder = CountingRecorder(builder, [parameter.name for parameter in candidate.model.parameters])
        function.definition.record_into(recorder, candidate, function.method)
        return [*builder.constants, *_of_composition(function)]

    def all_numbers(self, function: CompiledFunction, effort: Effort) -> Iterable[Exact]:
        """All numbers that a function is made of, by the passes and the search that made it; takes as long as they do."""
        candidate = self._named(function.choice)
        recorded = function.definition.build_for(candidate, function.method)
        optimised = run_passes(recorded, effort.cost)
        emitted, _ = run_last_pass(optimised, effort.cost)
        yield from (*constants_of(recorded), *constants_of(optimised[0]), *constants_of(emitted), *_of_composition(function))
        if effort.searches:
            searched, _ = refactored(optimised, effort.cost, effort.budget)
            yield from constants_of(searched)

    def _named(self, candidate: Candidate) -> Candidate:
        """The same candidate, of the named model."""
        if candidate.parts:
            return replace(candidate, parts=tuple(map(self._named, candidate.parts)))
        geometry, numbers = list(candidate.model.geometry), list(numbers_of(candidate.model.bodies))
        for placed in self._space.placed:
            if _equal(placed.model.geometry, geometry):
                named = placed.candidate(candidate.choices)
                if _equal(numbers_of(named.model.bodies), numbers):
                    return named
        raise InvalidProgramError(f"{candidate.model.name}: no model of the design space has the numbers of this candidate")


def _of_composition(function: CompiledFunction) -> Iterator[Exact]:
    """Numbers of the sums between calls, as the sixth of a Runge-Kutta step."""
    if isinstance(function.definition, ComposedFunction):
        for factor in function.definition.composition.factors:
            yield named(str(factor.number.to_fraction()), factor.number)


def short_formulas(formulas: Formulas) -> tuple[tuple[Exact, str], ...]:
    """Those that a line has room for, as text; in the order of the constants."""
    texts = ((magnitude, each.formula) for magnitude, each in formulas.items() if not parts_in(each.terms))
    return tuple((magnitude, text) for magnitude, text in texts if len(text) <= _SHORT)


def constants_of(program: Program) -> Iterator[Exact]:
    """The numbers in a program, those in polynomials of run-time parameters among them."""
    for instruction in program.instructions:
        if isinstance(instruction.payload, Exact):
            yield from _parts(instruction.payload)


def _parts(number: Exact) -> Iterator[Exact]:
    """A number itself, or the coefficients of one that comes at run time."""
    if isinstance(number, Parametric):
        yield from (coefficient for _, coefficient in number.terms)
    else:
        yield number


def formulas_in(program: Program, numbers: Iterable[Exact]) -> Formulas:
    """Formulas of the constants in a program.

    Args:
        program: whose constants are to be explained.
        numbers: that it is made of, and that may know their formulas.
    """
    known: Formulas = {}
    for number in numbers:
        for each in _parts(number):
            magnitude = abs(each)
            if isinstance(magnitude, Traced):
                known.setdefault(magnitude.value, magnitude)
    found = ((abs(number), _formula_of(abs(number), known)) for number in constants_of(program))
    return {magnitude: number for magnitude, number in found if isinstance(number, Traced)}


def _formula_of(value: Exact, known: Formulas) -> Exact | None:
    """A number of this value that knows its formula: a known one, the double or half of one, or what two of them make."""
    for factor in (ONE, ONE * 2, ONE / 2):
        if value * factor in known:
            return known[value * factor] / factor
    if value in FACTORS:
        return None
    for each, number in known.items():
        for other, combined in ((value - each, add), (each - value, sub), (value / each, mul), (each / value, truediv)):
            if other in known:
                made: Exact = combined(number, known[other])
                return made
    return None


def _equal(left: Iterable[Exact], right: Iterable[Exact]) -> bool:
    """Whether numbers are the same, whatever they know of themselves."""
    return all(Exact(x) == Exact(y) for x, y in zip(left, right, strict=True))
