"""Random robots for tests: descriptions, their YAML text, a hypothesis strategy, and the same robot in Pinocchio."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Literal

import numpy as np
import pinocchio as pin
from hypothesis import strategies as st

from dynagen.description.description import (
    CentralInertia,
    Convention,
    DenavitHartenberg,
    FixedTransform,
    LinkDescription,
    OriginInertia,
    RobotDescription,
    Tensor,
    Vector,
)
from dynagen.description.joints import FIXED, PRISMATIC, REVOLUTE, JointType
from dynagen.numbers.exact import PI, ZERO, Exact

InertiaForm = Literal["central", "origin", "mixed"]


def random_description(
    seed: int | np.random.Generator,
    joints: int | None = None,
    convention: Convention | None = None,
    *,
    prismatic: float = 0.25,
    right_angles: float = 0.5,
    inertia_form: InertiaForm = "mixed",
    fixed_links: float = 0.0,
    massless_links: float = 0.0,
    branches: bool = False,
    origins: bool = False,
) -> RobotDescription:
    """A robot whose numbers are short decimals and multiples of pi/2, and whose links are physically possible bodies.

    Args:
        seed: of the random generator, or the generator itself.
        joints: number of moving joints; None draws 1 to 9.
        convention: None draws one.
        prismatic: probability that a moving joint is prismatic.
        right_angles: probability that an angle is a multiple of pi/2.
        inertia_form: in which form inertial data are given.
        fixed_links: probability of a fixed link after each moving one.
        massless_links: probability of a link without mass that has first moments and inertia, as identification gives them.
        branches: whether links choose their parents among all earlier ones and the base.
        origins: whether half of the links have a fixed transform before their Denavit-Hartenberg step.
    """
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 10)) if joints is None else joints
    chosen: Convention = convention or ("modified" if rng.random() < 0.5 else "standard")
    types: list[JointType] = []
    for _ in range(count):
        types.append(PRISMATIC if rng.random() < prismatic else REVOLUTE)
        if rng.random() < fixed_links:
            types.append(FIXED)
    links: list[LinkDescription] = []
    for number, joint in enumerate(types, start=1):
        parents = [None, *(link.name for link in links)]
        links.append(
            LinkDescription(
                name=f"link_{number}",
                parent=parents[int(rng.integers(len(parents)))] if branches else parents[-1],
                joint=joint,
                dh=DenavitHartenberg(
                    alpha=_angle(rng, right_angles), a=_length(rng), d=_length(rng), theta=_angle(rng, right_angles)
                ),
                inertial=_inertial(rng, inertia_form, massless=rng.random() < massless_links),
                origin=_transform(rng, right_angles) if origins and rng.random() < 0.5 else None,
                motor_inertia=_decimal(rng, 0, 20, 10) if joint.moves and rng.random() < 0.5 else ZERO,
            )
        )
    gravity: Vector = (ZERO, ZERO, Exact("-9.81")) if rng.random() < 0.5 else _vector(rng, -98, 98, 10)
    return RobotDescription(name=f"random_{rng.integers(10**6)}", convention=chosen, gravity=gravity, links=tuple(links))


def random_fork(seed: int) -> RobotDescription:
    """Three revolute joints in general position, the second and the third of which are carried by the first."""
    robot = random_description(seed, 3, prismatic=0, right_angles=0)
    first, *branches = robot.links
    return replace(robot, links=(first, *(replace(link, parent=first.name) for link in branches)))


def robots(max_joints: int = 6, *, branches: bool = True, origins: bool = True) -> st.SearchStrategy[RobotDescription]:
    """Hypothesis strategy over `random_description`: chains and, if allowed, trees and fixed transforms."""
    return st.builds(
        random_description,
        st.integers(0, 2**32 - 1),
        joints=st.integers(1, max_joints),
        convention=st.sampled_from(["modified", "standard"]),
        prismatic=st.sampled_from([0.0, 0.3, 1.0]),
        right_angles=st.sampled_from([1.0, 0.5, 0.0]),
        inertia_form=st.sampled_from(["central", "origin", "mixed"]),
        fixed_links=st.sampled_from([0.0, 0.3]),
        branches=st.booleans() if branches else st.just(False),
        origins=st.booleans() if origins else st.just(False),
    )


def to_yaml(description: RobotDescription) -> str:
    """The description as a file that reads back to the same robot."""
    lines = [
        f"name: {description.name}",
        f"convention: {description.convention}",
        f"gravity: {_list(description.gravity)}",
        "links:",
    ]
    previous = None
    for link in description.links:
        dh = ", ".join(f"{name}: {_number(getattr(link.dh, name))}" for name in ("alpha", "a", "d", "theta"))
        lines += [f"  - name: {link.name}", f"    joint: {link.joint.name}"]
        if link.parent != previous:
            lines.append(f"    parent: {link.parent or 'base'}")
        if link.origin is not None:
            lines.append(f"    origin: {{xyz: {_list(link.origin.xyz)}, rpy: {_list(link.origin.rpy)}}}")
        lines += [f"    dh: {{{dh}}}", f"    mass: {_number(link.inertial.mass)}"]
        if isinstance(link.inertial, CentralInertia):
            lines += [f"    com: {_list(link.inertial.com)}", f"    inertia: {_list(link.inertial.inertia)}"]
        else:
            lines.append(f"    first_moment: {_list(link.inertial.first_moment)}")
            lines.append(f"    inertia_about_origin: {_list(link.inertial.inertia)}")
        if link.motor_inertia:
            lines.append(f"    motor: {{inertia: {_number(link.motor_inertia)}}}")
        previous = link.name
    return "\n".join(lines) + "\n"


def pinocchio_model(description: RobotDescription) -> tuple[pin.Model, list[int]]:
    """The robot in Pinocchio, fixed links merged, motor inertias as armature.

    Pinocchio wants its joints depth first: its q is q[order] with the order returned here.
    """
    model = pin.Model()
    model.gravity.linear = np.array([float(g) for g in description.gravity])
    variables = {link.name: number for number, link in enumerate(link for link in description.links if link.joint.moves)}
    order: list[int] = []

    def add(link: LinkDescription, parent_joint: int, parent_pose: pin.SE3) -> None:
        origin = pin.SE3.Identity()
        if link.origin is not None:
            rpy, xyz = (np.array([float(x) for x in values]) for values in (link.origin.rpy, link.origin.xyz))
            origin = pin.SE3(pin.rpy.rpyToMatrix(rpy), xyz)
        about_x = pin.SE3(pin.utils.rotate("x", float(link.dh.alpha)), np.array([float(link.dh.a), 0, 0]))
        about_z = pin.SE3(pin.utils.rotate("z", float(link.dh.theta)), np.array([0, 0, float(link.dh.d)]))
        before = origin * about_x if description.convention == "modified" else origin
        pose = pin.SE3.Identity() if description.convention == "modified" else about_x
        joint = parent_joint
        if link.joint.moves:
            model_type = pin.JointModelRZ() if link.joint is REVOLUTE else pin.JointModelPZ()
            joint = model.addJoint(parent_joint, model_type, parent_pose * before * about_z, link.name)
            order.append(variables[link.name])
            armature[variables[link.name]] = float(link.motor_inertia)
        else:
            pose = parent_pose * before * about_z * pose
        model.appendBodyToJoint(joint, _pinocchio_inertia(link.inertial), pose)
        for child in description.links:
            if child.parent == link.name:
                add(child, joint, pose)

    armature = np.zeros(len(variables))
    for link in description.links:
        if link.parent is None:
            add(link, 0, pin.SE3.Identity())
    model.armature = armature[order]
    return model, order


def _pinocchio_inertia(inertial: CentralInertia | OriginInertia) -> pin.Inertia:
    xx, yy, zz, xy, xz, yz = (float(x) for x in inertial.inertia)
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    mass = float(inertial.mass)
    if isinstance(inertial, CentralInertia):
        return pin.Inertia(mass, np.array([float(x) for x in inertial.com]), tensor)
    com = np.array([float(x) for x in inertial.first_moment]) / mass
    return pin.Inertia(mass, com, tensor + mass * pin.skew(com) @ pin.skew(com))


def _inertial(rng: np.random.Generator, form: InertiaForm, massless: bool) -> CentralInertia | OriginInertia:
    mass, com = ZERO if massless else _decimal(rng, 1, 99, 10), _vector(rng, -30, 30, 100)
    # Second moments A A^T of some mass distribution; every physically possible inertia is tr(S) 1 - S for such an S.
    a, b, c = (_vector(rng, -20, 20, 100) for _ in range(3))
    central = _inertia((_dot(a, a), _dot(b, b), _dot(c, c), _dot(a, b), _dot(a, c), _dot(b, c)))
    if massless:
        return OriginInertia(mass, com, central)
    if form == "central" or (form == "mixed" and rng.random() < 0.5):
        return CentralInertia(mass, com, central)
    x, y, z = com
    parallel_axis = _inertia((mass * x * x, mass * y * y, mass * z * z, mass * x * y, mass * x * z, mass * y * z))
    xx, yy, zz, xy, xz, yz = (i + j for i, j in zip(central, parallel_axis, strict=True))
    return OriginInertia(mass, (mass * x, mass * y, mass * z), (xx, yy, zz, xy, xz, yz))


def _inertia(second_moments: Tensor) -> Tensor:
    xx, yy, zz, xy, xz, yz = second_moments
    return (yy + zz, xx + zz, xx + yy, -xy, -xz, -yz)


def _dot(left: Vector, right: Vector) -> Exact:
    return left[0] * right[0] + left[1] * right[1] + left[2] * right[2]


def _decimal(rng: np.random.Generator, low: int, high: int, unit: int) -> Exact:
    return Exact(Fraction(int(rng.integers(low, high + 1)), unit))


def _vector(rng: np.random.Generator, low: int, high: int, unit: int) -> Vector:
    return (_decimal(rng, low, high, unit), _decimal(rng, low, high, unit), _decimal(rng, low, high, unit))


def _length(rng: np.random.Generator) -> Exact:
    return ZERO if rng.random() < 0.4 else _decimal(rng, -60, 60, 100)


def _angle(rng: np.random.Generator, right_angles: float) -> Exact:
    return PI * Fraction(int(rng.integers(-1, 3)), 2) if rng.random() < right_angles else _decimal(rng, -300, 300, 100)


def _transform(rng: np.random.Generator, right_angles: float) -> FixedTransform:
    angles = (_angle(rng, right_angles), _angle(rng, right_angles), _angle(rng, right_angles))
    return FixedTransform(xyz=_vector(rng, -50, 50, 100), rpy=angles)


def _number(value: Exact) -> str:
    turns = (value / PI).to_fraction()
    if value and turns.denominator <= 12:
        return f"{turns}*pi"
    fraction = value.to_fraction()
    decimal = repr(float(value))
    return decimal if Fraction(decimal) == fraction else str(fraction)


def _list(values: Vector | Tensor) -> str:
    return f"[{', '.join(_number(value) for value in values)}]"
