"""Random robots for tests: descriptions, and a hypothesis strategy."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from hypothesis import strategies as st

from dynagen.numbers.exact import PI, ZERO, Exact
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import (
    CentralInertia,
    LinkDescription,
    OriginInertia,
    RobotDescription,
    Tensor,
)
from dynagen.robot.edits import add_floating_base
from dynagen.robot.formats.yaml.links import Convention, make_row_steps
from dynagen.robot.joints import FIXED, HELICAL, PRISMATIC, REVOLUTE, Joint, JointType
from dynagen.robot.pose import Displacement, Vector, make_translation_and_rpy, translate

InertiaForm = Literal["central", "origin", "mixed"]


def random_description(
    seed: int | np.random.Generator,
    joints: int | None = None,
    convention: Convention | None = None,
    *,
    prismatic: float = 0.25,
    helical: float = 0.0,
    axes: float = 0.0,
    mimics: float = 0.0,
    right_angles: float = 0.5,
    inertia_form: InertiaForm = "mixed",
    fixed_links: float = 0.0,
    massless_links: float = 0.0,
    branches: bool = False,
    origins: bool = False,
) -> RobotDescription:
    """A robot whose numbers are short decimals and multiples of pi/2, and whose links are
    physically possible bodies.

    Args:
        seed: of the random generator, or the generator itself.
        joints: number of moving joints; None draws 1 to 9.
        convention: None draws one.
        prismatic, helical: probability that a moving joint is prismatic, and that one which is not
        is helical.
        mimics: probability that a joint that moves follows one before it, of whatever type.
        axes: probability that a joint that moves has an axis of its own instead of a
            Denavit-Hartenberg row.
        right_angles: probability that an angle is a multiple of pi/2.
        inertia_form: in which form inertial data are given.
        fixed_links: probability of a fixed link after each moving one.
        massless_links: probability of a link without mass that has first moments and inertia, as
            identification gives them.
        branches: whether links choose their parents among all earlier ones and the base.
        origins: whether half of the links have a fixed transform in front of their
            Denavit-Hartenberg row.
    """
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 10)) if joints is None else joints
    chosen: Convention = convention or ("modified" if rng.random() < 0.5 else "standard")
    types: list[JointType] = []
    for _ in range(count):
        types.append(PRISMATIC if rng.random() < prismatic else REVOLUTE)
        if helical and types[-1] is REVOLUTE and rng.random() < helical:
            types[-1] = HELICAL
        if rng.random() < fixed_links:
            types.append(FIXED)
    links: list[LinkDescription] = []
    for number, joint in enumerate(types, start=1):
        parents = [None, *(link.name for link in links)]
        parent = parents[int(rng.integers(len(parents)))] if branches else parents[-1]
        before, after = make_row_steps(
            chosen,
            alpha=_angle(rng, right_angles),
            a=_length(rng),
            d=_length(rng),
            theta=_angle(rng, right_angles),
        )
        inertial = _inertial(rng, inertia_form, massless=rng.random() < massless_links)
        if origins and rng.random() < 0.5:
            before = (*_transform(rng, right_angles), *before)
        motor_inertia = _decimal(rng, 0, 20, 10) if joint.moves and rng.random() < 0.5 else ZERO
        moving = Joint(joint)
        if joint is HELICAL:
            moving = replace(moving, pitch=_decimal(rng, -20, 20, 100))
        if axes and joint.moves and rng.random() < axes:
            before, after = _transform(rng, right_angles), ()
            moving = replace(moving, axis=_axis(rng, right_angles))
        others = [link.name for link in links if link.joint.moves]
        if mimics and joint.moves and others and rng.random() < mimics:
            ratio, offset = (
                _decimal(rng, 1, 15, 10) * int(rng.choice([-1, 1])),
                _decimal(rng, -10, 10, 10),
            )
            moving = replace(
                moving, mimics=others[int(rng.integers(len(others)))], ratio=ratio, offset=offset
            )
        links.append(
            LinkDescription(
                f"link_{number}", parent, before, moving, after, inertial, motor_inertia
            )
        )
    gravity: Vector = (
        (ZERO, ZERO, Exact("-9.81")) if rng.random() < 0.5 else _vector(rng, -98, 98, 10)
    )
    return RobotDescription(
        f"random_{rng.integers(10**6)}", gravity, number_coordinates(links), notation=chosen
    )


def random_floating(
    seed: int | np.random.Generator, joints: int = 4, **options: Any
) -> RobotDescription:
    """A tree on a floating base that has inertia; options as for `random_description`."""
    rng = np.random.default_rng(seed)
    base, *links = add_floating_base(
        random_description(rng, joints, **{"branches": True, **options})
    ).links
    heavy = replace(
        base, inertial=_inertial(rng, options.get("inertia_form", "mixed"), massless=False)
    )
    gravity = _vector(rng, -98, 98, 10)
    return RobotDescription(
        f"floating_{rng.integers(10**6)}",
        gravity,
        number_coordinates([heavy, *links]),
        notation="random",
    )


def random_fork(seed: int) -> RobotDescription:
    """Three revolute joints in general position, the second and the third of which are carried by
    the first.
    """
    robot = random_description(seed, 3, prismatic=0, right_angles=0)
    first, *branches = robot.links
    return replace(robot, links=(first, *(replace(link, parent=first.name) for link in branches)))


def robots(
    max_joints: int = 6, *, branches: bool = True, origins: bool = True, mimics: float = 0.0
) -> st.SearchStrategy[RobotDescription]:
    """Hypothesis strategy over `random_description`: chains and, if allowed, trees and fixed
    transforms.
    """
    return st.builds(
        random_description,
        st.integers(0, 2**32 - 1),
        joints=st.integers(1, max_joints),
        convention=st.sampled_from(["modified", "standard"]),
        prismatic=st.sampled_from([0.0, 0.3, 1.0]),
        helical=st.sampled_from([0.0, 0.5]),
        axes=st.sampled_from([0.0, 0.5]),
        mimics=st.just(mimics),
        right_angles=st.sampled_from([1.0, 0.5, 0.0]),
        inertia_form=st.sampled_from(["central", "origin", "mixed"]),
        fixed_links=st.sampled_from([0.0, 0.3]),
        branches=st.booleans() if branches else st.just(False),
        origins=st.booleans() if origins else st.just(False),
    )


def _inertial(
    rng: np.random.Generator, form: InertiaForm, massless: bool
) -> CentralInertia | OriginInertia:
    mass, com = ZERO if massless else _decimal(rng, 1, 99, 10), _vector(rng, -30, 30, 100)
    # Second moments A A^T of some mass distribution; every physically possible inertia is tr(S) 1 -
    # S for such an S.
    a, b, c = (_vector(rng, -20, 20, 100) for _ in range(3))
    central = _inertia((_dot(a, a), _dot(b, b), _dot(c, c), _dot(a, b), _dot(a, c), _dot(b, c)))
    if massless:
        return OriginInertia(mass, com, central)
    if form == "central" or (form == "mixed" and rng.random() < 0.5):
        return CentralInertia(mass, com, central)
    x, y, z = com
    parallel_axis = _inertia(
        (mass * x * x, mass * y * y, mass * z * z, mass * x * y, mass * x * z, mass * y * z)
    )
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
    return (
        _decimal(rng, low, high, unit),
        _decimal(rng, low, high, unit),
        _decimal(rng, low, high, unit),
    )


def _length(rng: np.random.Generator) -> Exact:
    return ZERO if rng.random() < 0.4 else _decimal(rng, -60, 60, 100)


def _angle(rng: np.random.Generator, right_angles: float) -> Exact:
    return (
        PI * Fraction(int(rng.integers(-1, 3)), 2)
        if rng.random() < right_angles
        else _decimal(rng, -300, 300, 100)
    )


def _transform(rng: np.random.Generator, right_angles: float) -> Displacement:
    angles = (_angle(rng, right_angles), _angle(rng, right_angles), _angle(rng, right_angles))
    return make_translation_and_rpy(_vector(rng, -50, 50, 100), angles)


def _axis(rng: np.random.Generator, right_angles: float) -> Vector:
    """A coordinate axis either way, or any direction; its length is not one."""
    if rng.random() < right_angles:
        return translate(int(rng.integers(3)), Exact(int(rng.choice([-2, -1, 1])))).vector
    x, y, z = _vector(rng, -3, 3, 1)
    return x, y, z if x or y or z else Exact(1)
