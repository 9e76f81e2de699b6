"""RobotDescription -> the same description in numbers that know their names, and the table of these names.

A number has the name that the description's `parameters` give it where its text is such a name, and else that of its key, with
the position of its link in the description, from 1: m3, d4, cz5, Ixx2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from dynagen.description.description import CentralInertia, LinkDescription, OriginInertia, RobotDescription
from dynagen.description.displacement import Displacement, Rotation, Translation, Vector
from dynagen.description.names import identifier
from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.traced import Named, named

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
        links=tuple(naming.link(link, str(number)) for number, link in enumerate(description.links, 1)),
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
        x, y, z = (self.number(f"{stem}{axis}", number, where) for axis, number in zip(AXES, vector, strict=True))
        return x, y, z

    def steps(self, steps: Displacement, where: str) -> Displacement:
        return tuple(self.step(step, where) for step in steps)

    def step(self, step: Rotation | Translation, where: str) -> Rotation | Translation:
        if isinstance(step, Rotation):
            return replace(step, angle=self.number(step.name or f"r{AXES[step.axis]}", step.angle, where))
        x, y, z = (self.number(name, number, where) for name, number in zip(step.names, step.vector, strict=True))
        return replace(step, vector=(x, y, z))

    def inertial(self, inertial: CentralInertia | OriginInertia, where: str) -> CentralInertia | OriginInertia:
        mass = self.number("m", inertial.mass, where)
        stem = "I" if isinstance(inertial, CentralInertia) else "J"
        elements = zip(ELEMENTS, inertial.inertia, strict=True)
        xx, yy, zz, xy, xz, yz = (self.number(f"{stem}{element}", number, where) for element, number in elements)
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
                axis=self.vector("u", joint.axis, where) if sum(map(bool, joint.axis)) > 1 else joint.axis,
                pitch=self.number("pitch", joint.pitch, where),
                ratio=self.number("ratio", joint.ratio, where) if abs(joint.ratio) != ONE else joint.ratio,
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
            return tuple(self.fields(each, where, f"{stem}{i}_" if several else stem) for i, each in enumerate(data, 1))
        if is_dataclass(data) and not isinstance(data, type):
            return replace(
                data, **{f.name: self.fields(getattr(data, f.name), where, f"{stem}{f.name}") for f in fields(data)}
            )
        return data
