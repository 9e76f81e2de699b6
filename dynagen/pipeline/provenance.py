"""Formulas of the constants in generated code, in the numbers of the description.

RobotDescription -> the same description in numbers that know their names, and the table of these names.

A number has the name that the description's `parameters` give it where its text is such a name, and else that of its key, with
the position of its link in the description, from 1: m3, d4, cz5, Ixx2.

Formulas of the constants in a program: a compiled function -> what each of its numbers is made of.

The function is recorded once more for the candidate that was chosen, in numbers that know their names, and constants of the
two programs are compared by value. Folding while recording finds nearly all of them and costs little; the same passes as for
the program itself find all, and cost as much again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from operator import add, mul, sub, truediv
from typing import Any

from dynagen.dynamics.candidate import Candidate
from dynagen.dynamics.function import ComposedFunction
from dynagen.dynamics.recording import CountingRecorder
from dynagen.errors import InvalidProgramError
from dynagen.ir.program import Program
from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.parametric import Parametric
from dynagen.numbers.traced import Named, Traced, named, parts_in
from dynagen.optimizer.compile import CompiledFunction
from dynagen.optimizer.effort import Effort
from dynagen.optimizer.formulation import DesignSpace
from dynagen.optimizer.passes.equal_values import FACTORS
from dynagen.optimizer.passes.manager import SimplifyingBuilder, run_last_pass, run_passes
from dynagen.optimizer.search.step import refactored
from dynagen.robot.description import (
    CentralInertia,
    LinkDescription,
    OriginInertia,
    RobotDescription,
)
from dynagen.robot.model.model import build_model
from dynagen.robot.names import identifier
from dynagen.robot.pose import Displacement, Rotation, Translation, Vector

AXES = ("x", "y", "z")
ELEMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True)
class NamedDescription:
    """A description whose numbers know their names.

    Attributes:
        symbols: value of every name.
    """

    description: RobotDescription
    symbols: dict[str, Exact]


def with_symbols(description: RobotDescription) -> NamedDescription:
    """Name all numbers of a description that are not zero; run-time parameters have their names already."""
    naming = _Naming({each.name for each in numbers_of(description) if isinstance(each, Named)})
    named_description = replace(
        description,
        gravity=naming.vector("g", description.gravity, ""),
        links=tuple(
            naming.link(link, str(number)) for number, link in enumerate(description.links, 1)
        ),
        frames=tuple(
            replace(frame, placement=naming.steps(frame.placement, f"_{identifier(frame.name)}"))
            for frame in description.frames
        ),
    )
    return NamedDescription(named_description, naming.symbols)


def numbers_of(data: Any) -> Iterator[Exact]:
    """All numbers anywhere inside frozen dataclasses and tuples."""
    if isinstance(data, Exact):
        yield data
    elif isinstance(data, tuple):
        for each in data:
            yield from numbers_of(each)
    elif is_dataclass(data) and not isinstance(data, type):
        for field in fields(data):
            yield from numbers_of(getattr(data, field.name))


class _Naming:
    """Names numbers and keeps what each name stands for."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self.symbols: dict[str, Exact] = {}

    def number(self, stem: str, number: Exact, where: str) -> Exact:
        """A number by the name that it has, or by that of its key."""
        name = number.name if isinstance(number, Named) else f"{stem}{where}"
        while not isinstance(number, Named) and (name in self._taken or name in self.symbols):
            stem += "_"
            name = f"{stem}{where}"
        result = named(name, number)
        if result is not number:
            self.symbols[name] = number
        return result

    def vector(self, stem: str, vector: Vector, where: str) -> Vector:
        x, y, z = (
            self.number(f"{stem}{axis}", number, where)
            for axis, number in zip(AXES, vector, strict=True)
        )
        return x, y, z

    def steps(self, steps: Displacement, where: str) -> Displacement:
        return tuple(self.step(step, where) for step in steps)

    def step(self, step: Rotation | Translation, where: str) -> Rotation | Translation:
        if isinstance(step, Rotation):
            return replace(
                step, angle=self.number(step.name or f"r{AXES[step.axis]}", step.angle, where)
            )
        x, y, z = (
            self.number(name, number, where)
            for name, number in zip(step.names, step.vector, strict=True)
        )
        return replace(step, vector=(x, y, z))

    def inertial(
        self, inertial: CentralInertia | OriginInertia, where: str
    ) -> CentralInertia | OriginInertia:
        mass = self.number("m", inertial.mass, where)
        stem = "I" if isinstance(inertial, CentralInertia) else "J"
        elements = zip(ELEMENTS, inertial.inertia, strict=True)
        xx, yy, zz, xy, xz, yz = (
            self.number(f"{stem}{element}", number, where) for element, number in elements
        )
        tensor = (xx, yy, zz, xy, xz, yz)
        if isinstance(inertial, CentralInertia):
            return CentralInertia(mass, self.vector("c", inertial.com, where), tensor)
        return OriginInertia(mass, self.vector("m", inertial.first_moment, where), tensor)

    def link(self, link: LinkDescription, where: str) -> LinkDescription:
        joint = link.joint
        return replace(
            link,
            before=self.steps(link.before, where),
            after=self.steps(link.after, where),
            joint=replace(
                joint,
                axis=self.vector("u", joint.axis, where)
                if sum(map(bool, joint.axis)) > 1
                else joint.axis,
                pitch=self.number("pitch", joint.pitch, where),
                ratio=self.number("ratio", joint.ratio, where)
                if abs(joint.ratio) != ONE
                else joint.ratio,
                offset=self.number("offset", joint.offset, where),
            ),
            inertial=self.inertial(link.inertial, where),
            motor_inertia=self.number("Ia", link.motor_inertia, where),
            friction=self.fields(link.friction, where),
        )

    def fields(self, data: Any, where: str, stem: str = "") -> Any:
        """The numbers of friction, by the names of their fields."""
        if isinstance(data, Exact):
            return self.number(stem, data, where)
        if isinstance(data, tuple):
            several = len(data) > 1
            return tuple(
                self.fields(each, where, f"{stem}{i}_" if several else stem)
                for i, each in enumerate(data, 1)
            )
        if is_dataclass(data) and not isinstance(data, type):
            return replace(
                data,
                **{
                    f.name: self.fields(getattr(data, f.name), where, f"{stem}{f.name}")
                    for f in fields(data)
                },
            )
        return data


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
        recorder = CountingRecorder(
            builder, [parameter.name for parameter in candidate.model.parameters]
        )
        function.definition.record_into(recorder, candidate, function.method)
        return [*builder.constants, *_of_composition(function)]

    def all_numbers(self, function: CompiledFunction, effort: Effort) -> Iterable[Exact]:
        """All numbers that a function is made of, by the passes and the search that made it; takes as long as they do."""
        candidate = self._named(function.choice)
        recorded = function.definition.build_for(candidate, function.method)
        optimised = run_passes(recorded, effort.cost)
        emitted, _ = run_last_pass(optimised, effort.cost)
        yield from (
            *constants_of(recorded),
            *constants_of(optimised[0]),
            *constants_of(emitted),
            *_of_composition(function),
        )
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
        raise InvalidProgramError(
            f"{candidate.model.name}: no model of the design space has the numbers of this candidate"
        )


def _of_composition(function: CompiledFunction) -> Iterator[Exact]:
    """Numbers of the sums between calls, as the sixth of a Runge-Kutta step."""
    if isinstance(function.definition, ComposedFunction):
        for factor in function.definition.composition.factors:
            yield named(str(factor.number.to_fraction()), factor.number)


def short_formulas(formulas: Formulas) -> tuple[tuple[Exact, str], ...]:
    """Those that a line has room for, as text; in the order of the constants."""
    texts = (
        (magnitude, each.formula)
        for magnitude, each in formulas.items()
        if not parts_in(each.terms)
    )
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
        for other, combined in (
            (value - each, add),
            (each - value, sub),
            (value / each, mul),
            (each / value, truediv),
        ):
            if other in known:
                made: Exact = combined(number, known[other])
                return made
    return None


def _equal(left: Iterable[Exact], right: Iterable[Exact]) -> bool:
    """Whether numbers are the same, whatever they know of themselves."""
    return all(Exact(x) == Exact(y) for x, y in zip(left, right, strict=True))
