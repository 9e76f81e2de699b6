"""The same robot in Pinocchio, for tests: built from the steps of a description."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from dynagen.robot.description import (
    CentralInertia,
    LinkDescription,
    OriginInertia,
    RobotDescription,
)
from dynagen.robot.joints import FLOATING, HELICAL, PRISMATIC, REVOLUTE, SPHERICAL, Joint
from dynagen.robot.pose import Displacement, Rotation
from tests.support.libraries import pinocchio as pin


def pinocchio_model(description: RobotDescription) -> tuple[pin.Model, list[int]]:
    """The robot in Pinocchio, fixed links merged, motor inertias as armature.

    Pinocchio wants its joints depth first: its v is v[order] with the order returned here, and so
    is its q, but for a floating base (`positions_order`).
    """
    model = pin.Model()
    model.gravity.linear = np.array([float(g) for g in description.gravity])
    moving = [link for link in description.links if link.joint.moves]
    ends = accumulate(len(link.joint.type.rotates) for link in moving)
    variables = {
        link.name: end - len(link.joint.type.rotates)
        for link, end in zip(moving, ends, strict=True)
    }
    order: list[int] = []

    def add(link: LinkDescription, parent_joint: int, parent_pose: pin.SE3) -> None:
        before, after = placed(link.before), placed(link.after)
        if link.joint.moves:
            joint = model.addJoint(
                parent_joint, _joint_model(link.joint), parent_pose * before, link.name
            )
            first = variables[link.name]
            order.extend(range(first, first + len(link.joint.type.rotates)))
            armature[first] = float(link.motor_inertia)
            pose = after
        else:
            joint, pose = parent_joint, parent_pose * before * after
        model.appendBodyToJoint(joint, _inertia(link.inertial), pose)
        for child in description.links:
            if child.parent == link.name:
                add(child, joint, pose)

    armature = np.zeros(sum(len(link.joint.type.rotates) for link in moving))
    for link in description.links:
        if link.parent is None:
            add(link, 0, pin.SE3.Identity())
    model.armature = armature[order]
    return model, order


def positions_order(order: list[int]) -> list[int]:
    """The order of q for a robot with a floating base, from that of v."""
    return [*range(7), *(entry + 1 for entry in order[6:])]


def mimic_model(description: RobotDescription) -> tuple[pin.Model, list[int]]:
    """The robot as Pinocchio's own mimicking joints make it; its v is v[order].

    Motor inertias are left out.
    """
    model, _ = pinocchio_model(description)
    model.armature = np.zeros(model.nv)
    for link in description.links:
        if link.joint.mimics:
            primary, secondary = (model.getJointId(name) for name in (link.joint.mimics, link.name))
            model = pin.transformJointIntoMimic(
                model, primary, secondary, float(link.joint.ratio), float(link.joint.offset)
            )
    places = {link.name: link.joint.idx_v for link in description.links if link.joint.nv}
    names = sorted(
        (model.idx_vs[number], name) for number, name in enumerate(model.names) if name in places
    )
    return model, [places[name] for _, name in names]


def placed(steps: Displacement) -> pin.SE3:
    """Where steps lead to."""
    pose = pin.SE3.Identity()
    for step in steps:
        if isinstance(step, Rotation):
            pose = pose * pin.SE3(
                pin.utils.rotate("xyz"[step.axis], float(step.angle)), np.zeros(3)
            )
        else:
            pose = pose * pin.SE3(np.eye(3), np.array([float(x) for x in step.vector]))
    return pose


def _joint_model(joint: Joint) -> pin.JointModel:
    if joint.type == FLOATING:
        return pin.JointModelFreeFlyer()
    if joint.type == SPHERICAL:
        return pin.JointModelSpherical()
    axis = np.array([float(x) for x in joint.axis])
    axis /= np.linalg.norm(axis)
    if joint.type == HELICAL:
        return pin.JointModelHelicalUnaligned(axis, float(joint.pitch))
    return {REVOLUTE: pin.JointModelRevoluteUnaligned, PRISMATIC: pin.JointModelPrismaticUnaligned}[
        joint.type
    ](axis)


def _inertia(inertial: CentralInertia | OriginInertia) -> pin.Inertia:
    xx, yy, zz, xy, xz, yz = (float(x) for x in inertial.inertia)
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    mass = float(inertial.mass)
    if isinstance(inertial, CentralInertia):
        return pin.Inertia(mass, np.array([float(x) for x in inertial.com]), tensor)
    com = np.array([float(x) for x in inertial.first_moment]) / mass
    return pin.Inertia(mass, com, tensor + mass * pin.skew(com) @ pin.skew(com))
