"""Table of elements and attributes of MJCF, and how dynagen treats them.

The table is only documentation, which `docs/mjcf.md` shows. MuJoCo's compiler reads MJCF files, and
the modules `compiled` and `reading` read the compiled model. A test compares the table with
MuJoCo's schema to find new elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase


class Treatment(Enum):
    """Treatment of an MJCF attribute by dynagen; the values are printed in the docs."""

    USED = "used"
    WARNED = "a warning"
    NOTED = "a note"
    REFUSED = "refused"
    NO_EFFECT = "no effect"


@dataclass(frozen=True)
class Rule:
    """Rule that some attributes of some MJCF elements have a certain treatment.

    Attributes:
        elements: paths below `mujoco`, such as `body/joint`, with `*` for any characters.
        attributes: names of attributes, with `*` for any characters.
        reason: explanation of the treatment for the docs.
    """

    elements: tuple[str, ...]
    attributes: tuple[str, ...]
    treatment: Treatment
    reason: str


_ALL = ("*",)
_POSE = ("pos", "quat", "axisangle", "euler", "xyaxes", "zaxis")

RULES: tuple[Rule, ...] = (
    Rule(
        ("default", "default/*"),
        _ALL,
        Treatment.USED,
        "MuJoCo's compiler expands defaults; then the rule of the element itself applies",
    ),
    Rule(("mujoco",), ("model",), Treatment.USED, "name of the robot"),
    Rule(
        ("compiler", "compiler/*"),
        _ALL,
        Treatment.USED,
        "units, mesh folders, inertia from geoms: settings of MuJoCo's compiler",
    ),
    Rule(("option",), ("gravity",), Treatment.USED, "gravity"),
    Rule(("option",), ("density", "viscosity", "wind"), Treatment.WARNED, "forces of a fluid"),
    Rule(
        ("option/flag",),
        ("gravity", "equality", "constraint", "frictionloss", "damper", "spring"),
        Treatment.USED,
        "parts of the physics that are disabled",
    ),
    Rule(
        ("option", "option/*", "size", "statistic", "visual", "visual/*", "custom", "custom/*"),
        _ALL,
        Treatment.NO_EFFECT,
        "solver, contacts, memory, drawing, user data",
    ),
    Rule(
        ("extension", "extension/*", "*/plugin", "*/plugin/config", "actuator/plugin*"),
        _ALL,
        Treatment.WARNED,
        "forces of plugins",
    ),
    Rule(
        ("asset/mesh", "asset/hfield", "asset/model", "asset"),
        _ALL,
        Treatment.USED,
        "inertia of geoms, and models that are attached, by MuJoCo's compiler",
    ),
    Rule(("asset/*", "*/skin", "*/skin/*"), _ALL, Treatment.NO_EFFECT, "drawing"),
    Rule(("body",), ("gravcomp",), Treatment.WARNED, "gravity acts on the whole body"),
    Rule(
        ("body",),
        ("name", *_POSE, "childclass", "simple", "fuse"),
        Treatment.USED,
        "frames of links; options of MuJoCo's compiler",
    ),
    Rule(
        ("body",),
        ("mocap", "sleep", "user"),
        Treatment.NO_EFFECT,
        "mocap bodies are fixed to the world",
    ),
    Rule(("body/inertial",), _ALL, Treatment.USED, "mass, centre of mass and inertia"),
    Rule(("body/joint",), ("type",), Treatment.USED, "hinge, slide and ball"),
    Rule(
        ("body/joint",),
        ("stiffness", "springref", "springdamper", "springyield"),
        Treatment.WARNED,
        "springs are not read; the damping that `springdamper` sets is used",
    ),
    Rule(
        ("body/joint",),
        ("damping",),
        Treatment.USED,
        "viscous friction; higher coefficients: a warning",
    ),
    Rule(
        ("body/joint",),
        (
            *("name", "class", "pos", "axis", "ref", "range", "limited", "armature"),
            *("frictionloss", "actuatorfrcrange", "actuatorfrclimited"),
        ),
        Treatment.USED,
        "axis, reference, limits, motor inertia, Coulomb friction",
    ),
    Rule(
        ("body/joint",),
        ("group", "margin", "sol*", "user", "actuatorgravcomp"),
        Treatment.NO_EFFECT,
        "solver, drawing, user data; `actuatorgravcomp` has no effect without `gravcomp`",
    ),
    Rule(("body/freejoint",), ("name", "align"), Treatment.USED, "floating base"),
    Rule(("body/freejoint",), ("group",), Treatment.NO_EFFECT, "drawing"),
    Rule(
        ("body/geom",),
        (
            *("name", "class", "type", "size", "fromto", "mass", "density", "shellinertia"),
            *(*_POSE, "mesh", "hfield", "fitscale", "group"),
        ),
        Treatment.USED,
        "inertia of the body, if it has no `inertial`",
    ),
    Rule(("body/geom",), ("fluid*",), Treatment.WARNED, "with `density` or `viscosity`"),
    Rule(("body/geom",), _ALL, Treatment.NO_EFFECT, "contacts and drawing"),
    Rule(("body/site",), ("name", "class", "fromto", *_POSE), Treatment.USED, "named frame"),
    Rule(("body/site",), _ALL, Treatment.NO_EFFECT, "drawing"),
    Rule(("body/attach",), _ALL, Treatment.USED, "the model that MuJoCo's compiler attaches"),
    Rule(("body/camera", "body/light"), _ALL, Treatment.NO_EFFECT, "drawing"),
    Rule(
        ("body/flexcomp", "body/flexcomp/*", "deformable", "deformable/*"),
        _ALL,
        Treatment.WARNED,
        "elasticity of flexible bodies",
    ),
    Rule(("contact", "contact/*"), _ALL, Treatment.NOTED, "pairs and exclusions of contacts"),
    Rule(
        ("tendon/*",),
        ("stiffness", "damping", "frictionloss", "armature", "spring*"),
        Treatment.WARNED,
        "springs, damping, friction and inertia of tendons",
    ),
    Rule(("tendon", "tendon/*"), _ALL, Treatment.NOTED, "tendons"),
    Rule(
        ("equality/joint",),
        ("joint1", "joint2", "polycoef", "active", "name", "class"),
        Treatment.USED,
        "read as a mimicking joint if linear, else refused; inactive constraints: a note",
    ),
    Rule(("equality/joint",), ("sol*",), Treatment.NO_EFFECT, "solver"),
    Rule(
        ("equality/connect", "equality/weld"),
        ("body1", "body2", "anchor", "relpose", "site1", "site2", "active", "name", "class"),
        Treatment.USED,
        "closed loops between bodies; loops to the world: refused; inactive constraints: a note",
    ),
    Rule(
        ("equality/connect", "equality/weld"),
        ("sol*", "torquescale"),
        Treatment.NO_EFFECT,
        "solver; dynagen closes loops exactly",
    ),
    Rule(
        ("equality", "equality/*"),
        _ALL,
        Treatment.REFUSED,
        "constraints of tendons and flexible bodies; inactive constraints: a note",
    ),
    Rule(
        ("actuator/*",),
        ("armature", "damping"),
        Treatment.USED,
        "motor inertia and viscous friction times the square of the gear ratio, on hinges and "
        "slides; on other elements: a warning",
    ),
    Rule(
        ("actuator/*",),
        ("gear", "joint", "jointinparent"),
        Treatment.USED,
        "joint and gear ratio to which `armature` and `damping` apply",
    ),
    Rule(("actuator", "actuator/*"), _ALL, Treatment.NOTED, "actuators"),
    Rule(("sensor", "sensor/*"), _ALL, Treatment.NOTED, "sensors"),
    Rule(("keyframe", "keyframe/*"), _ALL, Treatment.NOTED, "keyframes"),
)
"""Rules for all attributes; the first rule that matches an attribute applies."""


def find_rule(element: str, attribute: str) -> Rule | None:
    """Return the rule for an MJCF attribute; None for an unknown attribute.

    Args:
        element: path of the element below `mujoco`; `mujoco` for the root.
        attribute: name of the attribute.
    """
    return next(
        (
            rule
            for rule in RULES
            if any(fnmatchcase(element, pattern) for pattern in rule.elements)
            and any(fnmatchcase(attribute, pattern) for pattern in rule.attributes)
        ),
        None,
    )


def list_table() -> list[str]:
    """Return the table of MJCF attributes and their treatment, as Markdown lines for the docs."""
    lines = ["| elements | attributes | treatment | |", "| --- | --- | --- | --- |"]
    for rule in RULES:
        elements, attributes = (
            ", ".join(f"`{name}`" for name in names).replace("`*`", "all others")
            for names in (rule.elements, rule.attributes)
        )
        lines.append(f"| {elements} | {attributes} | {rule.treatment.value} | {rule.reason} |")
    return lines
