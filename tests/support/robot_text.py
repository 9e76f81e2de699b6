"""The YAML text of a description, for tests:

Denavit-Hartenberg rows and origins are found again in its steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from dynagen.numbers.exact import PI, ZERO, Exact
from dynagen.robot.description import CentralInertia, LinkDescription, RobotDescription, Tensor
from dynagen.robot.pose import Displacement, Rotation, Translation, Vector, X, Y, Z

_ORIGIN = ("xyz", "yaw", "pitch", "roll")
_ROWS = {
    "modified": (("alpha", "a", "theta", "d"), ()),
    "standard": (("theta", "d"), ("a", "alpha")),
}
_ABOUT = {"yaw": Z, "pitch": Y, "roll": X, "alpha": X, "theta": Z}
_ALONG = {"a": X, "d": Z}


def to_yaml(description: RobotDescription) -> str:
    """The description as a file that reads back to the same robot; `notation` names its
    convention.
    """
    lines = [
        f"name: {description.name}",
        f"convention: {description.notation}",
        f"gravity: {_list(description.gravity)}",
        "links:",
    ]
    previous = None
    for link in description.links:
        lines += [f"  - name: {link.name}", f"    joint: {link.joint.type.name}"]
        if link.parent != previous:
            lines.append(f"    parent: {link.parent or 'base'}")
        lines += [f"    {field}" for field in _geometry(link, description.notation)]
        lines.append(f"    mass: {_number(link.inertial.mass)}")
        if isinstance(link.inertial, CentralInertia):
            lines += [
                f"    com: {_list(link.inertial.com)}",
                f"    inertia: {_list(link.inertial.inertia)}",
            ]
        else:
            lines.append(f"    first_moment: {_list(link.inertial.first_moment)}")
            lines.append(f"    inertia_about_origin: {_list(link.inertial.inertia)}")
        if link.motor_inertia:
            lines.append(f"    motor: {{inertia: {_number(link.motor_inertia)}}}")
        previous = link.name
    return "\n".join(lines) + "\n"


def _geometry(link: LinkDescription, convention: str) -> Iterator[str]:
    if link.joint.type.has_pitch:
        yield f"pitch: {_number(link.joint.pitch)}"
    front, behind = _ROWS[convention]
    is_along_z = link.joint.axis == (ZERO, ZERO, Exact(1))
    for count in range(len(link.before) + 1):
        origin, row = _named(link.before[:count], _ORIGIN), _named(link.before[count:], front)
        rest = _named(link.after, behind)
        if is_along_z and origin is not None and row is not None and rest is not None:
            yield from _origin(origin)
            numbers = row | rest
            terms = (f"{name}: {_number(numbers.get(name, ZERO))}" for name in (*front, *behind))
            yield f"dh: {{{', '.join(terms)}}}"
            return
    origin = _named(link.before, _ORIGIN)
    assert origin is not None
    assert not link.after
    yield from _origin(origin)
    yield f"axis: {_list(link.joint.axis)}"


def _origin(named: dict) -> Iterator[str]:
    if named:
        xyz, rpy = (
            named.get("xyz", (ZERO,) * 3),
            [named.get(angle, ZERO) for angle in ("roll", "pitch", "yaw")],
        )
        yield f"origin: {{xyz: {_list(xyz)}, rpy: {_list(rpy)}}}"


def _named(steps: Displacement, names: Sequence[str]) -> dict | None:
    """The numbers of steps that are some of those with these names, in their order; None if they
    are not.
    """
    named = {}
    remaining = iter(names)
    for step in steps:
        name = next((name for name in remaining if _is(step, name)), None)
        if name is None:
            return None
        vector = () if isinstance(step, Rotation) else step.vector
        named[name] = (
            step.angle
            if isinstance(step, Rotation)
            else vector
            if name == "xyz"
            else vector[_ALONG[name]]
        )
    return named


def _is(step: Rotation | Translation, name: str) -> bool:
    if isinstance(step, Rotation):
        return _ABOUT.get(name) == step.axis
    return name == "xyz" or (
        name in _ALONG and not any(x for axis, x in enumerate(step.vector) if axis != _ALONG[name])
    )


def _number(value: Exact) -> str:
    turns = (value / PI).to_fraction()
    if value and turns.denominator <= 12:
        return f"{turns}*pi"
    fraction = value.to_fraction()
    decimal = repr(float(value))
    return decimal if Fraction(decimal) == fraction else str(fraction)


def _list(values: Vector | Tensor | Sequence[Exact]) -> str:
    return f"[{', '.join(_number(value) for value in values)}]"
