"""Formulas of the constants in generated code, in terms of named numbers of the description.

A constant such as 0.1501 in a kernel gets the formula `d2 + d3`. The formulas are found in three
steps:

1. `name_numbers` replaces the numbers of the description by numbers that carry names. A number from
   the description's `parameters` has the name of its entry. Other names consist of the key and the
   position of the link, counted from 1: m3, d4, cz5, Ixx2.
2. `Provenance` records a function again with the named numbers, for the chosen candidate.
   The results of arithmetic on named numbers carry formulas (`dynagen.numbers.traced`).
3. `find_formulas` gives a constant of the generated program the formula of the equal constant in
   the program with named numbers.

`Provenance.record_numbers` folds constants during recording, and finds the formula of nearly every
constant at little cost. `Provenance.repeat_passes` repeats all passes and the search.
`repeat_passes` finds the remaining formulas, and takes as long as the original run.
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
from dynagen.numbers.parametric import ParametricNumber
from dynagen.numbers.traced import NamedNumber, TracedNumber, attach_name, list_parts
from dynagen.optimizer.compile import CompiledFunction
from dynagen.optimizer.effort import Effort
from dynagen.optimizer.formulation import DesignSpace
from dynagen.optimizer.passes.equal_values import FACTORS
from dynagen.optimizer.passes.manager import SimplifyingBuilder, run_last_pass, run_passes
from dynagen.optimizer.search.step import factor_small, search_factors
from dynagen.robot.description import (
    CentralInertia,
    LinkDescription,
    OriginInertia,
    RobotDescription,
)
from dynagen.robot.model.model import build_model
from dynagen.robot.names import make_identifier
from dynagen.robot.pose import Displacement, Rotation, Translation, Vector

AXES = ("x", "y", "z")
ELEMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True)
class NamedDescription:
    """Robot description whose numbers carry names, from which formulas of constants are made.

    Attributes:
        description: the robot, with the same values as in the original description.
        symbols: mapping from each name to its value.
    """

    description: RobotDescription
    symbols: dict[str, Exact]


def name_numbers(description: RobotDescription) -> NamedDescription:
    """Return a copy of a description in which every nonzero number has a name."""
    naming = _Naming(
        {number.name for number in iterate_numbers(description) if isinstance(number, NamedNumber)}
    )
    named_description = replace(
        description,
        gravity=naming.name_vector("g", description.gravity, ""),
        links=tuple(
            naming.name_link(link, str(number)) for number, link in enumerate(description.links, 1)
        ),
        frames=tuple(
            replace(
                frame,
                placement=naming.name_steps(frame.placement, f"_{make_identifier(frame.name)}"),
            )
            for frame in description.frames
        ),
    )
    return NamedDescription(named_description, naming.symbols)


def iterate_numbers(data: Any) -> Iterator[Exact]:
    """Yield all exact numbers inside nested tuples and dataclasses, in the order of fields."""
    if isinstance(data, Exact):
        yield data
    elif isinstance(data, tuple):
        for entry in data:
            yield from iterate_numbers(entry)
    elif is_dataclass(data) and not isinstance(data, type):
        for field in fields(data):
            yield from iterate_numbers(getattr(data, field.name))


class _Naming:
    """Assignment of names to the numbers of a description, such as m3 for the mass of link 3.

    A name consists of a stem, such as m, and a suffix: the argument `where`, the link's number.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self.symbols: dict[str, Exact] = {}

    def name_number(self, stem: str, number: Exact, where: str) -> Exact:
        """Return a number named `stem` + `where`, such as m3, unless it already has a name."""
        name = number.name if isinstance(number, NamedNumber) else f"{stem}{where}"
        # A parameter of the user may have this name; underscores make the new one different.
        while not isinstance(number, NamedNumber) and (name in self._taken or name in self.symbols):
            stem += "_"
            name = f"{stem}{where}"
        result = attach_name(name, number)
        if result is not number:
            self.symbols[name] = number
        return result

    def name_vector(self, stem: str, vector: Vector, where: str) -> Vector:
        """Return a vector with named numbers; a name is `stem`, the axis and `where`, as in cz5."""
        x, y, z = (
            self.name_number(f"{stem}{axis}", number, where)
            for axis, number in zip(AXES, vector, strict=True)
        )
        return x, y, z

    def name_steps(self, steps: Displacement, where: str) -> Displacement:
        """Return a displacement whose angles and lengths carry names, such as d4 for link 4."""
        return tuple(self.name_step(step, where) for step in steps)

    def name_step(self, step: Rotation | Translation, where: str) -> Rotation | Translation:
        """Return a rotation or translation whose numbers carry names, such as d4 for link 4."""
        if isinstance(step, Rotation):
            return replace(
                step, angle=self.name_number(step.name or f"r{AXES[step.axis]}", step.angle, where)
            )
        x, y, z = (
            self.name_number(name, number, where)
            for name, number in zip(step.names, step.vector, strict=True)
        )
        return replace(step, vector=(x, y, z))

    def name_inertial(
        self, inertial: CentralInertia | OriginInertia, where: str
    ) -> CentralInertia | OriginInertia:
        """Return inertial data whose numbers carry names, such as m3, cz3 and Ixx3 for link 3."""
        mass = self.name_number("m", inertial.mass, where)
        stem = "I" if isinstance(inertial, CentralInertia) else "J"
        elements = zip(ELEMENTS, inertial.inertia, strict=True)
        xx, yy, zz, xy, xz, yz = (
            self.name_number(f"{stem}{element}", number, where) for element, number in elements
        )
        tensor = (xx, yy, zz, xy, xz, yz)
        if isinstance(inertial, CentralInertia):
            return CentralInertia(mass, self.name_vector("c", inertial.com, where), tensor)
        return OriginInertia(mass, self.name_vector("m", inertial.first_moment, where), tensor)

    def name_link(self, link: LinkDescription, where: str) -> LinkDescription:
        """Return a link whose numbers carry names.

        An axis along x, y or z and a ratio of 1 or -1 have no names.
        """
        joint = link.joint
        return replace(
            link,
            before=self.name_steps(link.before, where),
            after=self.name_steps(link.after, where),
            joint=replace(
                joint,
                axis=self.name_vector("u", joint.axis, where)
                if sum(map(bool, joint.axis)) > 1
                else joint.axis,
                pitch=self.name_number("pitch", joint.pitch, where),
                ratio=self.name_number("ratio", joint.ratio, where)
                if abs(joint.ratio) != ONE
                else joint.ratio,
                offset=self.name_number("offset", joint.offset, where),
            ),
            inertial=self.name_inertial(link.inertial, where),
            motor_inertia=self.name_number("Ia", link.motor_inertia, where),
            friction=self.name_fields(link.friction, where),
            elasticity=self.name_fields(link.elasticity, where),
        )

    def name_fields(self, data: Any, where: str, stem: str = "") -> Any:
        """Name all numbers in nested tuples and dataclasses.

        A name consists of `stem`, the names of the enclosing fields, and the link's number `where`.
        """
        if isinstance(data, Exact):
            return self.name_number(stem, data, where)
        if isinstance(data, tuple):
            several = len(data) > 1
            return tuple(
                self.name_fields(entry, where, f"{stem}{i}_" if several else stem)
                for i, entry in enumerate(data, 1)
            )
        if is_dataclass(data) and not isinstance(data, type):
            return replace(
                data,
                **{
                    field.name: self.name_fields(
                        getattr(data, field.name), where, f"{stem}{field.name}"
                    )
                    for field in fields(data)
                },
            )
        return data


_SHORT = 36  # characters of a formula that fits in a comment line

Formulas = dict[Exact, TracedNumber]
"""Type of a mapping from the magnitude of a constant to an equal number with a formula."""


class Provenance:
    """Robot whose numbers carry names.

    If its functions are recorded again, the constants of the programs carry formulas.

    Attributes:
        symbols: mapping from each name to its value.
    """

    def __init__(self, description: RobotDescription) -> None:
        named = name_numbers(description)
        self.symbols = named.symbols
        self._space = DesignSpace(build_model(named.description))

    def record_numbers(self, function: CompiledFunction) -> Iterable[Exact]:
        """Record a function again with named numbers; return the constants, some with formulas.

        Only constants are folded. This is fast, but misses the constants that later passes create.
        """
        candidate = self._find_named(function.choice)
        builder = SimplifyingBuilder()
        recorder = CountingRecorder(
            builder, [parameter.name for parameter in candidate.model.parameters]
        )
        function.definition.record_into(recorder, candidate, function.method)
        return [*builder.constants, *_composition_factors(function)]

    def repeat_passes(self, function: CompiledFunction, effort: Effort) -> Iterable[Exact]:
        """Repeat the generation of a function with named numbers; yield its constants.

        Some of the constants carry formulas. Recording, passes and search are repeated, which takes
        as long as in the original run.
        """
        # These come first: passes treat numbers that are equal by chance as one, and may add a mass
        # to a length.
        yield from self.record_numbers(function)
        candidate = self._find_named(function.choice)
        recorded = function.definition.build_for(candidate, function.method)
        optimised = run_passes(recorded, effort.cost)
        emitted, _ = run_last_pass(optimised, effort.cost)
        factored, _ = factor_small(optimised, effort.cost)
        yield from (
            *iterate_constants(recorded),
            *iterate_constants(optimised[0]),
            *iterate_constants(emitted),
            *iterate_constants(factored),
        )
        if effort.searches:
            searched, _ = search_factors(optimised, effort.cost, effort.budget)
            yield from iterate_constants(searched)

    def _find_named(self, candidate: Candidate) -> Candidate:
        """Return the candidate with named numbers that equals a candidate of the original run.

        A candidate is a robot model with the formulation that is chosen for each body.

        Raises:
            InvalidProgramError: the design space does not contain the candidate; a bug in dynagen.
        """
        if candidate.parts:
            return replace(candidate, parts=tuple(map(self._find_named, candidate.parts)))
        geometry = list(candidate.model.geometry)
        numbers = list(iterate_numbers(candidate.model.bodies))
        spaces = (self._space, self._space.keeping_loads)
        for placed in (placed for space in spaces for placed in space.placed):
            if _equal(placed.model.geometry, geometry):
                named = placed.make_candidate(candidate.choices)
                if _equal(iterate_numbers(named.model.bodies), numbers):
                    return named
        raise InvalidProgramError(
            f"{candidate.model.name}: no model of the design space has the numbers of this "
            "candidate"
        )


def _composition_factors(function: CompiledFunction) -> Iterator[Exact]:
    """Yield the constant factors of a composed function, for example 1/6 of a Runge-Kutta step."""
    if isinstance(function.definition, ComposedFunction):
        for factor in function.definition.composition.factors:
            yield attach_name(str(factor.number.to_fraction()), factor.number)


def select_short_formulas(formulas: Formulas) -> tuple[tuple[Exact, str], ...]:
    """Return the formulas that fit in a comment line.

    Args:
        formulas: mapping from the magnitude of a constant to an equal number with a formula.

    Returns:
        Pairs of a constant's magnitude and its formula as text, in the order of `formulas`.
    """
    texts = (
        (magnitude, number.formula)
        for magnitude, number in formulas.items()
        if not list_parts(number.terms)
    )
    return tuple((magnitude, text) for magnitude, text in texts if len(text) <= _SHORT)


def iterate_constants(program: Program) -> Iterator[Exact]:
    """Yield the constants of a program; for a polynomial in parameters, yield its coefficients."""
    for instruction in program.instructions:
        if isinstance(instruction.payload, Exact):
            yield from _coefficients(instruction.payload)


def _coefficients(number: Exact) -> Iterator[Exact]:
    """Yield a constant number, or the coefficients of a polynomial in run-time parameters."""
    if isinstance(number, ParametricNumber):
        yield from (coefficient for _, coefficient in number.terms)
    else:
        yield number


def find_formulas(program: Program, numbers: Iterable[Exact]) -> Formulas:
    """Find for each constant of a program a formula that has the same value.

    Args:
        program: the program whose constants are explained.
        numbers: numbers from `Provenance`, some of which carry formulas.

    Returns:
        Mapping from the magnitude of a constant to an equal number with a formula; constants
        without a formula are omitted.
    """
    known: Formulas = {}
    for number in numbers:
        for coefficient in _coefficients(number):
            magnitude = abs(coefficient)
            if isinstance(magnitude, TracedNumber):
                known.setdefault(magnitude.value, magnitude)
    found = (
        (abs(number), _find_formula(abs(number), known)) for number in iterate_constants(program)
    )
    return {magnitude: number for magnitude, number in found if isinstance(number, TracedNumber)}


def _find_formula(value: Exact, known: Formulas) -> Exact | None:
    """Return a number that has the given value and carries a formula; None if none is found.

    Known numbers are tried, their doubles and halves, and sums, differences, products and quotients
    of two known numbers. The optimiser's passes combine constants by the same operations.
    """
    for factor in (ONE, ONE * 2, ONE / 2):
        if value * factor in known:
            return known[value * factor] / factor
    if value in FACTORS:  # 2 and 1/2 belong to the equations; any d3 / (d3 / 2) would explain them
        return None
    for first, number in known.items():
        for second, combine in (
            (value - first, add),
            (first - value, sub),
            (value / first, mul),
            (first / value, truediv),
        ):
            if second in known:
                combined: Exact = combine(number, known[second])
                return combined
    return None


def _equal(left: Iterable[Exact], right: Iterable[Exact]) -> bool:
    """Return whether numbers have equal values, regardless of names and formulas."""
    return all(Exact(x) == Exact(y) for x, y in zip(left, right, strict=True))
