"""The natural orthogonal complement and its decoupled form, against their defining properties."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS, JOINT_WRENCHES
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.ir.program import Argument, Output
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from dynagen.verification.kinematics import compute_joint_frames, make_numeric_links, round_vector
from dynagen.verification.orthogonal_complement import (
    compute_body_wrenches,
    compute_exerted_wrench,
    compute_joint_twists,
    compute_propagation_matrix,
    compute_shaping_matrix,
    make_link_inertias,
)
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support.bundled import bundled
from tests.support.function_proofs import kernel, optimised
from tests.support.random_robots import random_description, random_floating

STATES = 8
ARMS = ["planar3", "scara", "puma560", "stanford", "ur5", "two_arm"]
RANDOM = {
    "tree": random_description(3, 5, branches=True, fixed_links=0.3, helical=0.3, axes=0.4),
    "chain": random_description(4, 4, fixed_links=0.3, helical=0.5),
}
ROBOTS = [*ARMS, *RANDOM]


@cache
def robot(name):
    description = RANDOM[name] if name in RANDOM else load_robot(name)
    states = sample_states(description, ("q", "qd", "qdd", "tau"), 40, 3)
    return (
        description,
        make_numeric_links(description),
        *(states[each][-STATES:] for each in ("q", "qd", "qdd", "tau")),
    )


def assert_close(left, right):
    np.testing.assert_allclose(left, right, rtol=0, atol=1e-12 * max(1.0, np.abs(right).max()))


def motors(links):
    return np.array([link.motor_inertia for link in links if link.variable is not None])


def constraints(links, q):
    """Return K, eq. 7.50: the constraints of the twists of links that a joint connects.

    A fixed joint has six rows, a joint with an axis five. The joint's axes have z along it; twists
    are those of the point before the joint.
    """
    joints, poses = compute_joint_frames(links, q)
    origins = [pose[..., :3, 3] for pose in poses]
    rows = []
    for position, (link, joint) in enumerate(zip(links, joints, strict=True)):
        x, y, z = np.moveaxis(joint[..., :3, :3] @ link.axis_frame[:3, :3], -1, 0)
        none = np.zeros_like(x)
        free = (
            [(none, z), (z, none)]
            if link.variable is None
            else [(link.angular * z, -link.linear * z)]
        )
        for along, about in [(x, none), (y, none), (none, x), (none, y), *free]:
            row = np.zeros((len(q), len(links), 6))
            for other, sign in ((position, 1), (link.parent, -1)):
                if other is not None:
                    lever = joint[..., :3, 3] - origins[other]  # v at the point is v + w x lever
                    row[:, other, :3] = sign * along
                    row[:, other, 3:] = sign * (about + np.cross(lever, along))
            rows.append(row.reshape(len(q), -1))
    return np.stack(rows, axis=1)


@pytest.mark.parametrize("name", ROBOTS)
def test_twists_of_joints_obey_all_constraints_and_nothing_else_does(name):
    _, links, q, *_ = robot(name)
    k, t = constraints(links, q), compute_shaping_matrix(links, q)
    assert_close(k @ t, 0 * (k @ t))
    assert (np.linalg.matrix_rank(k) == 6 * len(links) - q.shape[1]).all()
    assert (np.linalg.matrix_rank(t) == q.shape[1]).all()


@pytest.mark.parametrize("name", ROBOTS)
def test_the_mass_matrix_is_that_of_uncoupled_links_seen_through_the_complement(name):
    """I = T^T M T (eq. 7.58) = N_d^T (N_l^T M N_l) N_d (Saha, eq. 2), and our kernel's."""
    description, links, q, *_ = robot(name)
    (ours,) = kernel(optimised(MASS_MATRIX, description))(q)
    t, n_l, n_d, inertias = (
        each(links, q)
        for each in (
            compute_shaping_matrix,
            compute_propagation_matrix,
            compute_joint_twists,
            make_link_inertias,
        )
    )
    blocks = t.reshape(len(q), len(links), 6, -1)
    assert_close(
        np.einsum("slia,slij,sljb->sab", blocks, inertias, blocks) + np.diag(motors(links)), ours
    )
    mass = np.zeros((len(q), len(links), 6, len(links), 6))
    for link in range(len(links)):
        mass[:, link, :, link, :] = inertias[:, link]
    composites = np.swapaxes(n_l, 1, 2) @ mass.reshape(n_l.shape) @ n_l
    assert_close(np.swapaxes(n_d, 1, 2) @ composites @ n_d + np.diag(motors(links)), ours)


@pytest.mark.parametrize("name", ROBOTS)
def test_constraint_wrenches_do_no_work_and_are_what_joints_carry_beside_their_actuators(name):
    """w^C = M td + W M t - w^G - w^A is K^T lambda (eq. 7.53).

    The part of a joint is dynagen's wrench minus the wrench of the actuator.
    """
    description, links, q, qd, qdd, _ = robot(name)
    (ours,) = kernel(optimised(JOINT_WRENCHES, description))(q, qd, qdd)
    (tau,) = kernel(optimised(INVERSE_DYNAMICS, description))(q, qd, qdd)
    taken = compute_body_wrenches(links, round_vector(description.gravity), q, qd, qdd)
    t, k = compute_shaping_matrix(links, q), constraints(links, q)
    projected = np.einsum("sij,si->sj", t, taken)
    assert_close(projected + motors(links) * qdd, tau)  # eq. 7.57
    # An actuator's wrench is along its joint's screw, and its opposite acts on the parent: together
    # N_l^-T of all of them.
    on_joints = np.einsum("sij,sj->si", actuator_wrenches(links, q), projected)
    constraint = (
        taken
        - np.linalg.solve(
            np.swapaxes(compute_propagation_matrix(links, q), 1, 2), on_joints[..., None]
        )[..., 0]
    )
    assert_close(np.einsum("sij,si->sj", t, constraint), 0 * projected)  # eq. 7.51
    multipliers = np.linalg.pinv(np.swapaxes(k, 1, 2)) @ constraint[..., None]
    assert_close((np.swapaxes(k, 1, 2) @ multipliers)[..., 0], constraint)
    poses, row, first = compute_joint_frames(links, q)[1], 0, 0
    for position, link in enumerate(links):
        rows = slice(first, first + (6 if link.variable is None else 5))
        first = rows.stop
        if link.variable is None:
            continue
        block = k[:, rows, 6 * position : 6 * position + 6]
        carried = (
            np.einsum("sij,si->sj", block, multipliers[:, rows, 0])
            + on_joints[:, 6 * position : 6 * position + 6]
        )
        to_link = np.swapaxes(poses[position][..., :3, :3], -1, -2)
        parts = [(to_link @ carried[:, part, None])[..., 0] for part in (slice(0, 3), slice(3, 6))]
        assert_close(np.concatenate(parts, axis=-1), ours[:, row])
        row += 1


def actuator_wrenches(links, q):
    """Return the wrenches of unit joint forces about the origins of links.

    They are (l z, a z) / (a^2 + l^2) at the axis.
    """
    joints, poses = compute_joint_frames(links, q)
    columns = np.zeros((len(q), len(links), 6, sum(link.variable is not None for link in links)))
    for position, link in enumerate(links):
        if link.variable is not None:
            axis = joints[position][..., :3, :3] @ link.axis / (link.angular**2 + link.linear**2)
            lever = joints[position][..., :3, 3] - poses[position][..., :3, 3]
            columns[:, position, :3, link.variable] = link.linear * axis
            columns[:, position, 3:, link.variable] = link.angular * axis + np.cross(
                lever, link.linear * axis
            )
    return columns.reshape(len(q), 6 * len(links), -1)


def saha_factors(links, q):
    """Return U and D of I = U D U^T, by articulated bodies.

    D_i = p_i^T M_i p_i + Ia_i, and U_ij is the share of joint j's force.
    """
    n_l, n_d = compute_propagation_matrix(links, q), compute_joint_twists(links, q)
    bodies, count = make_link_inertias(links, q).copy(), n_d.shape[-1]
    pivots, upper = np.zeros((len(q), count)), np.zeros((len(q), count, count))
    for outer in reversed(range(len(links))):
        rows, parent, joint = (
            slice(6 * outer, 6 * outer + 6),
            links[outer].parent,
            links[outer].variable,
        )
        if joint is not None:
            p = n_d[:, rows, joint]
            hat = np.einsum("sij,sj->si", bodies[:, outer], p)
            pivots[:, joint] = np.einsum("si,si->s", p, hat) + links[outer].motor_inertia
            psi = hat / pivots[:, joint, None]
            upper[:, joint, joint] = 1
            inner = parent
            while inner is not None:
                if links[inner].variable is not None:
                    at_inner = slice(6 * inner, 6 * inner + 6)
                    handed = np.einsum("sij,si->sj", n_l[:, rows, at_inner], psi)
                    upper[:, links[inner].variable, joint] = np.einsum(
                        "si,si->s", n_d[:, at_inner, links[inner].variable], handed
                    )
                inner = links[inner].parent
            bodies[:, outer] -= np.einsum("si,sj->sij", hat, psi)
        if parent is not None:
            b = n_l[:, rows, 6 * parent : 6 * parent + 6]
            bodies[:, parent] += np.swapaxes(b, 1, 2) @ bodies[:, outer] @ b
    return upper, pivots


@pytest.mark.parametrize("method", ["composite", "articulated"])
@pytest.mark.parametrize("name", ROBOTS)
def test_sahas_factors_make_our_mass_matrix_and_have_our_pivots(name, method):
    description, links, q, qd, _, tau = robot(name)
    upper, pivots = saha_factors(links, q)
    (ours,) = kernel(optimised(MASS_MATRIX, description))(q)
    assert_close(np.einsum("sij,sj,skj->sik", upper, pivots, upper), ours)
    program = FORWARD_DYNAMICS.build(build_model(description), method)
    named = {
        instruction.name: position for position, instruction in enumerate(program.instructions)
    }
    reciprocals = Argument(
        "dinv", (len(pivots[0]),), ("",) * len(pivots[0]), "reciprocals of our pivots"
    )
    places = tuple(named[f"dinv{joint + 1}"] for joint in range(len(pivots[0])))
    (inverses,) = kernel(replace(program, outputs=(Output(reciprocals, places),)))(q, qd, tau)
    np.testing.assert_allclose(inverses * pivots, 1.0, rtol=0, atol=1e-10)


def test_a_wrench_from_outside_and_a_floating_base_are_in_the_complement_too():
    for description in (
        bundled("ur5", "external_wrench: true"),
        random_floating(5, 4, branches=True),
    ):
        loaded = ("wrench",) * bool(description.external_wrenches)
        states = sample_states(description, ("q", "qd", "qdd", *loaded), 40, 3)
        motion = [states[name][-STATES:] for name in ("q", "qd", "qdd", *loaded)]
        newton_euler, complement = (each.reactions for each in make_references(description))
        assert_close(newton_euler.compute_wrenches(*motion), complement.compute_wrenches(*motion))
        if loaded:
            on_links = compute_exerted_wrench(
                complement.links, complement.wrench_frames[0], motion[0], motion[3]
            )
            assert np.count_nonzero(on_links.any(axis=0)) == 6
