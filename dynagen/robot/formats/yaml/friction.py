"""Reading of joint friction from YAML descriptions, with checks."""

from __future__ import annotations

from dynagen.errors import clip
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.robot.description import Bearing, Friction, Stribeck, Transmission
from dynagen.robot.formats.yaml.document import Path
from dynagen.robot.formats.yaml.friction_schema import (
    BearingSchema,
    CoulombSchema,
    FrictionSchema,
    TransmissionSchema,
)
from dynagen.robot.formats.yaml.quantities import YamlQuantities
from dynagen.robot.joints import JointType

_DIMENSIONS = {"journal": ("radius", "length"), "linear": ("length",), "thrust": ("radius",)}
"""Fields that each type of bearing requires; their values are lengths (m)."""


def read_friction(
    friction: FrictionSchema, joint: JointType, path: Path, quantities: YamlQuantities
) -> Friction:
    """Read the friction of a joint.

    Args:
        friction: the fields of the file.
        joint: type of the joint, which must match the bearings.
        path: path of `friction`, for messages.
        quantities: reader of numbers, which collects faults.
    """
    forward, backward = _read_coulomb(friction.coulomb, (*path, "coulomb"), quantities)
    stribeck = None
    if friction.stribeck is not None:
        inside = (*path, "stribeck")
        static = quantities.read_number(friction.stribeck.static, (*inside, "static"))
        stribeck = Stribeck(
            static,
            _require_positive(friction.stribeck.velocity, (*inside, "velocity"), quantities),
        )
    width = ZERO
    if friction.sign != "exact":
        width = _require_positive(friction.width, (*path, "width"), quantities)
    elif friction.width is not None:
        quantities.faults.add(
            (*path, "width"),
            "`width` requires `sign: tanh` or `sign: linear`: remove `width`, or add one of these "
            "signs",
        )
    bearings = [
        _read_bearing(bearing, joint, (*path, "bearings", index), quantities)
        for index, bearing in enumerate(friction.bearings)
    ]
    transmission = friction.transmission
    return Friction(
        viscous=quantities.read_number(friction.viscous, (*path, "viscous")),
        coulomb=forward,
        coulomb_negative=backward,
        offset=quantities.read_number(friction.offset, (*path, "offset")),
        stribeck=stribeck,
        sign=friction.sign,
        width=width,
        bearings=tuple(bearings),
        transmission=_read_transmission(transmission, (*path, "transmission"), quantities)
        if transmission
        else None,
    )


def _read_coulomb(
    coulomb: str | CoulombSchema | None, path: Path, quantities: YamlQuantities
) -> tuple[Exact, Exact | None]:
    """Return Coulomb friction at positive velocities, and at negative ones or None if equal."""
    if not isinstance(coulomb, CoulombSchema):
        return quantities.read_number(coulomb, path), None
    return (
        quantities.read_number(coulomb.positive, (*path, "positive")),
        quantities.read_number(coulomb.negative, (*path, "negative")),
    )


def _read_bearing(
    bearing: BearingSchema, joint: JointType, path: Path, quantities: YamlQuantities
) -> Bearing:
    rotates = bearing.type != "linear"
    if rotates != bool(joint.angular):
        expected = "journal or thrust" if joint.angular else "linear"
        quantities.faults.add(
            (*path, "type"),
            f"expected {expected} for a bearing of a {joint.name} joint, found `{bearing.type}`",
        )
    lengths = {}
    for name in ("radius", "length"):
        text, field = getattr(bearing, name), (*path, name)
        if name in _DIMENSIONS[bearing.type]:
            lengths[name] = _require_positive(text, field, quantities)
        elif text is not None:
            quantities.faults.add(
                field, f"a {bearing.type} bearing has no `{name}`: remove `{name}`"
            )
    if bearing.type == "thrust" and bearing.centre is not None:
        quantities.faults.add(
            (*path, "centre"),
            "the friction of a thrust bearing does not depend on `centre`: remove `centre`",
        )
    return Bearing(
        kind=bearing.type,
        coefficient=quantities.read_number(bearing.coefficient, (*path, "coefficient")),
        radius=lengths.get("radius", ZERO),
        length=lengths.get("length", ZERO),
        centre=quantities.read_number(bearing.centre, (*path, "centre")),
    )


def _read_transmission(
    transmission: TransmissionSchema, path: Path, quantities: YamlQuantities
) -> Transmission:
    breakaway = quantities.read_number(transmission.breakaway, (*path, "breakaway"))
    inside = (*path, "efficiency")
    if isinstance(transmission.efficiency, str):
        points = [(ZERO, quantities.read_number(transmission.efficiency, inside))]
        rated = ONE
        if transmission.rated is not None:
            quantities.faults.add(
                (*path, "rated"),
                "a constant efficiency does not depend on the rated load: remove `rated`",
            )
    else:
        numbers = [
            [
                quantities.read_number(text, (*inside, row, column))
                for column, text in enumerate(texts)
            ]
            for row, texts in enumerate(transmission.efficiency)
        ]
        points = [(load, efficiency) for load, efficiency in numbers]
        rated = _require_positive(transmission.rated, (*path, "rated"), quantities)
        if len(points) < 2:
            quantities.faults.add(
                inside,
                "expected a number or at least two points [load / rated, efficiency], "
                f"found {len(points)}",
            )
            points = [(ZERO, ONE)]
    for row, (load, efficiency) in enumerate(points):
        where = inside if len(points) == 1 else (*inside, row)
        if not (load.is_known and efficiency.is_known):
            quantities.faults.add(
                where, "an efficiency cannot depend on run-time parameters: remove `runtime`"
            )
        elif not 0 < efficiency <= 1:
            quantities.faults.add(
                where,
                f"expected an efficiency above 0 and at most 1, found {float(efficiency):.6g}",
            )
        if load < 0 or (row and not load > points[row - 1][0]):
            quantities.faults.add(
                where, "expected loads of 0 or above that ascend from point to point"
            )
    return Transmission(breakaway, rated, tuple(points), transmission.interpolation)


def _require_positive(text: str | None, path: Path, quantities: YamlQuantities) -> Exact:
    """Return a positive number; for any other number, report a fault and return 1."""
    value = quantities.read_number(text, path)
    if text is None:
        quantities.faults.add(
            path[:-1], f"`{path[-1]}` is missing; expected a positive number", path
        )
    elif not value > 0:
        quantities.faults.add(path, f"expected a positive number, found `{clip(text)}`")
    return value if value > 0 else ONE
