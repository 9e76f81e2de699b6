"""The friction of a joint -> the text of its mapping in YAML."""

from __future__ import annotations

from collections.abc import Iterator

from dynagen.description.description import Bearing, Friction, Transmission
from dynagen.description.literals import arithmetic


def friction_text(friction: Friction) -> str:
    """A mapping in braces, which `read_friction` reads as the same friction."""
    return f"{{{', '.join(_parts(friction))}}}"


def _parts(friction: Friction) -> Iterator[str]:
    yield f"viscous: {arithmetic(friction.viscous)}"
    if friction.coulomb_negative is not None:
        both = f"positive: {arithmetic(friction.coulomb)}, negative: {arithmetic(friction.coulomb_negative)}"
        yield f"coulomb: {{{both}}}"
    elif friction.coulomb:
        yield f"coulomb: {arithmetic(friction.coulomb)}"
    if friction.offset:
        yield f"offset: {arithmetic(friction.offset)}"
    if friction.stribeck is not None:
        static, velocity = arithmetic(friction.stribeck.static), arithmetic(friction.stribeck.velocity)
        yield f"stribeck: {{static: {static}, velocity: {velocity}}}"
    if friction.sign != "exact":
        yield f"sign: {friction.sign}, width: {arithmetic(friction.width)}"
    if friction.bearings:
        yield f"bearings: [{', '.join(map(_bearing, friction.bearings))}]"
    if friction.transmission is not None:
        yield f"transmission: {_transmission(friction.transmission)}"


def _bearing(bearing: Bearing) -> str:
    lengths = {"radius": bearing.radius, "length": bearing.length, "centre": bearing.centre}
    given = "".join(f", {name}: {arithmetic(value)}" for name, value in lengths.items() if value)
    return f"{{type: {bearing.kind}, coefficient: {arithmetic(bearing.coefficient)}{given}}}"


def _transmission(transmission: Transmission) -> str:
    parts = [f"breakaway: {arithmetic(transmission.breakaway)}"] if transmission.breakaway else []
    if len(transmission.efficiency) == 1:
        ((_, efficiency),) = transmission.efficiency
        return f"{{{', '.join([*parts, f'efficiency: {arithmetic(efficiency)}'])}}}"
    points = ", ".join(f"[{arithmetic(load)}, {arithmetic(each)}]" for load, each in transmission.efficiency)
    parts += [f"efficiency: [{points}]"]
    parts += [f"rated: {arithmetic(transmission.rated)}"]
    return f"{{{', '.join([*parts, f'interpolation: {transmission.interpolation}'])}}}"
