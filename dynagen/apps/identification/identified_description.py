"""Robot description with estimated parameters, and standard deviations as remarks.

Logs determine only the base parameters, which are fewer than the parameters of the links. The user
can choose between two sets of link parameters. The first are the physically consistent links
nearest to the description. The second are the base parameters themselves, with zero for all other
numbers; such links yield the same joint forces, but are not physical bodies. Both sets have exactly
the identified base parameters, because they are computed in exact arithmetic. A parameter that was
estimated as zero is therefore zero for the generator as well, and costs no operation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dynagen.apps.identification.estimators import Estimate
from dynagen.apps.identification.identification import Identification
from dynagen.apps.identification.link_parameters import (
    LinkParameters,
    make_link_parameters,
    round_to_decimal,
)
from dynagen.apps.identification.physical_links import compute_eigenvalues, find_nearest_links
from dynagen.apps.identification.regression import FrictionShape
from dynagen.errors import ImpossibleLinksError, UsageError, VerificationError, clip
from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.robot.description import (
    Friction,
    LinkDescription,
    RobotDescription,
    Stribeck,
    Transmission,
)
from dynagen.robot.loading import parse_robot, write_robot
from dynagen.robot.model.regrouping import INERTIAL_PARAMETERS
from dynagen.robot.options import ReadingOptions

_DIGITS = 9  # significant digits of numbers that data determine only in combination
_KEYS = {
    "mass": range(1),
    "first_moment": range(1, 4),
    "inertia_about_origin": range(4, 10),
    "motor": range(10, 11),
}
_ALONE = 1e-9  # rounding error within which a unit vector is a combination of rows of K


def replace_numbers(
    robot: RobotDescription,
    estimate: Estimate,
    shape: FrictionShape,
    source: str,
    base_only: bool = False,
    smooth: float | None = None,
) -> RobotDescription:
    """Return the robot's description with estimated inertia, motor inertia and friction.

    Args:
        robot: the robot as described.
        estimate: the estimated parameters. All other base and friction parameters are set to zero.
        shape: nonlinear friction parameters: Stribeck velocities and power losses of transmissions.
        source: text on the origin of the numbers, for the field `source` of the description.
        base_only: True to write the base parameters into the links, with zero for all other
            inertial numbers.
        smooth: replace the sign of the velocity in friction laws by tanh(velocity / smooth), with
            `smooth` in rad/s or m/s; None: keep the described sign function.

    Returns:
        A description with exactly the estimated base parameters and friction.

    Raises:
        ImpossibleLinksError: no physically consistent links have these base parameters; the message
            names the inconsistent links.
        VerificationError: the computed links are not physically consistent, which is a bug in
            dynagen.
    """
    links = make_link_parameters(robot)
    values = {
        parameter.name: float(value)
        for parameter, value in zip(estimate.parameters, estimate.values, strict=True)
    }
    base = tuple(round_to_decimal(values.get(parameter.name, 0.0)) for parameter in links.base)
    near = _zero_links(links) if base_only else _consistent_links(links, base)
    # The solver reaches the base parameters approximately; the rest is added in exact arithmetic.
    standard = links.reproduce(near, base)
    if not base_only:
        _refuse_inconsistent(links, standard)
    written = links.to_description(standard)
    deviations = _deviations(links, estimate, base_only)
    remarks = {
        name: _remark(value, *deviations[name])
        for name, value in zip(links.names, standard, strict=True)
    }
    joints = [link.name for link in written.links if link.joint.nv]
    changed = []
    for link in written.links:
        remarked = replace(link, friction=None, remarks=tuple(_remarks(links, link, remarks)))
        if link.name in joints:
            joint = joints.index(link.name)
            own = {
                parameter.name.rpartition(".")[2]: values[parameter.name]
                for parameter in estimate.parameters
                if parameter.joint == joint
            }
            remarked = replace(
                remarked,
                friction=_friction(link, own, shape, joint, smooth),
                remarks=(*remarked.remarks, *_friction_remark(estimate, joint)),
            )
        changed.append(remarked)
    return replace(written, links=tuple(changed), source=source)


def _refuse_inconsistent(links: LinkParameters, standard: tuple[Exact, ...]) -> None:
    """Raise an error if the pseudo-inertia of a link is not positive definite.

    `standard` contains the values of all standard parameters, in the order of `links.standard`.
    """
    spectra = compute_eigenvalues(links, _floats(standard))
    if broken := [link for link, values in spectra.items() if values[0] <= 0]:
        raise VerificationError(
            f"identified links are not physically consistent: {', '.join(broken)}. "
            "This is a bug in dynagen"
        )


@dataclass(frozen=True)
class IdentifiedDescription:
    """Description of an identified robot, as text and as read back from the text.

    Attributes:
        description: the robot as read back from the text.
        text: content of the YAML file.
        found: the identification whose estimate the text contains. It is the result of the physical
            estimator if no physically consistent links have the parameters of the user's
            identification.
        impossible: reason why the user's identification could not be written; empty if it was.
    """

    description: RobotDescription
    text: str
    found: Identification
    impossible: str = ""


def write_identified(
    found: Identification, path: Path, base_only: bool = False, smooth: float | None = None
) -> IdentifiedDescription:
    """Return an identified robot as YAML text, which is checked by reading it back.

    If no physically consistent links have the identified parameters, the result of the physical
    estimator from the same logs is written instead.

    Args:
        found: the identification.
        path: path of the file, ending in .yaml or .yml; the file is not written.
        base_only: True to write the base parameters into the links, with zero for all other
            inertial numbers.
        smooth: replace the sign of the velocity in friction laws by tanh(velocity / smooth), with
            `smooth` in rad/s or m/s; None: keep the described sign function.

    Raises:
        UsageError: the path ends in neither .yaml nor .yml.
        VerificationError: the robot that is read back has other base parameters than the written
            robot.
    """
    if path.suffix not in (".yaml", ".yml"):
        raise UsageError(
            f"`{clip(str(path))}`: expected a file name that ends in .yaml or .yml, because "
            "identified robots are written as YAML"
        )
    try:
        return _write(found, path, base_only, smooth)
    except ImpossibleLinksError as error:
        return replace(
            _write(found.identify_by("physical"), path, base_only, smooth), impossible=str(error)
        )


def _write(
    found: Identification, path: Path, base_only: bool, smooth: float | None
) -> IdentifiedDescription:
    """Write one identification as YAML text, and check the text by reading it back."""
    logs = ", ".join(log.samples.source for log in found.logs)
    source = f"Identified by dynagen from {logs}, estimator {found.estimate.estimator}"
    description = replace_numbers(
        found.robot, found.estimate, found.model.shape, source, base_only, smooth
    )
    head = "".join(f"# {line}\n" for line in _head(found, base_only))
    text = head + write_robot(description, path).text
    again = parse_robot(text, str(path), ReadingOptions(snapping=description.reading.snapping))
    wanted, reached = (
        make_link_parameters(description).described_base,
        make_link_parameters(again).described_base,
    )
    if len(wanted) != len(reached) or not np.allclose(wanted, reached, rtol=1e-12, atol=1e-15):
        raise VerificationError(
            f"{path}: the robot read back from the written text differs; nothing is written. "
            "This is a bug in dynagen"
        )
    return IdentifiedDescription(again, text, found)


def _head(found: Identification, base_only: bool) -> Iterator[str]:
    """Yield the comments at the top of the YAML file: estimated and dropped parameters."""
    yield f"{found.robot.name}, identified by dynagen identify"
    if base_only:
        yield "The links contain the base parameters themselves and are not physical bodies:"
        yield "joint forces are correct, masses and centres of mass are not."
    else:
        yield "Of all physically consistent links with the base parameters below, these are the"
        yield f"nearest to the description. Estimator: {found.estimate.estimator}."
    yield "Base parameters and friction, with standard deviations:"
    for parameter, value, deviation in zip(
        found.estimate.parameters, found.estimate.values, found.estimate.deviations, strict=True
    ):
        yield f"  {parameter.name} = {value:.6g} +- {deviation:.2g} {parameter.unit}".rstrip()
    for dropped in found.judgement.dropped:
        yield f"  {found.full_model.parameters[dropped.index].name} = 0: {dropped.reason}"


def _zero_links(links: LinkParameters) -> list[Exact]:
    """Return the described standard parameters, with zeros where the inertia may be changed.

    Zeros replace the motor inertias, and the inertial parameters of the links in
    `links.free_links`.
    """
    free = {
        place
        for link in links.free_links
        for place in range(links.places[link], links.places[link] + 10)
    }
    free |= set(links.motors.values())
    return [ZERO if place in free else value for place, value in enumerate(links.described)]


def _consistent_links(links: LinkParameters, base: tuple[Exact, ...]) -> list[Exact]:
    """Return the standard parameters of physically consistent links with given base parameters."""
    found = find_nearest_links(links, _floats(base))
    motors = set(links.motors.values())
    return [
        round_to_decimal(max(value, 0.0) if place in motors else value, _DIGITS)
        for place, value in enumerate(found)
    ]


def _floats(numbers: tuple[Exact, ...]) -> Array:
    return np.array([float(number) for number in numbers])


def _deviations(
    links: LinkParameters, estimate: Estimate, base_only: bool
) -> dict[str, tuple[bool, float | None]]:
    """Return whether each standard parameter affects joint forces, and its standard deviation.

    The keys are parameter names. The standard deviation (SI units) is None if the logs determine
    the parameter only in combination with other parameters. With `base_only`, the links
    contain only the base parameters; all other standard parameters are zero.
    """
    places = {parameter.name: place for place, parameter in enumerate(estimate.parameters)}
    pairs = [(row, places[base.name]) for row, base in enumerate(links.base) if base.name in places]
    rows, columns = ([pair[side] for pair in pairs] for side in (0, 1))
    covariance = np.zeros((len(links.base),) * 2)
    covariance[np.ix_(rows, rows)] = estimate.covariance[np.ix_(columns, columns)]
    # standard = back base: exact for base parameters alone, least-norm otherwise.
    back = links.units if base_only else np.linalg.pinv(links.grouping)
    spread = np.sqrt(np.maximum(np.einsum("sb,bc,sc->s", back, covariance, back), 0.0))
    spread[spread < _ALONE * spread.max()] = 0.0
    if base_only:
        alone = np.any(links.units != 0, axis=1)
    else:
        alone = np.abs(back @ links.grouping - np.eye(len(back))).max(axis=1) < _ALONE
    effect = np.any(links.grouping != 0, axis=0)
    return {
        name: (bool(effect[place]), float(spread[place]) if alone[place] else None)
        for place, name in enumerate(links.names)
    }


def _remark(value: Exact, has_effect: bool, deviation: float | None) -> str:
    """Return the YAML remark on a number: its standard deviation, or why this is missing."""
    if not has_effect:
        return "no effect"
    if deviation is None:
        return "with others only" if value else "regrouped"
    return f"+- {deviation:.2g}" if deviation else "not significant"


def _remarks(
    links: LinkParameters, link: LinkDescription, remarks: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the YAML keys of a link's inertial numbers, each with a remark for its line.

    A remark contains the standard deviations of the numbers, from `remarks` by parameter name.
    """
    if link.name not in links.free_links and link.name not in links.motors:
        return
    named = [remarks.get(f"{link.name}.{name}", "") for name in (*INERTIAL_PARAMETERS, "Ia")]
    for key, places in _KEYS.items():
        parts = [named[place] for place in places]
        yield key, parts[0] if len(set(parts)) == 1 else ", ".join(parts)


def _friction(
    link: LinkDescription,
    own: Mapping[str, float],
    shape: FrictionShape,
    joint: int,
    smooth: float | None,
) -> Friction | None:
    """Return a joint's estimated friction for its description; None without friction.

    `own` contains the joint's estimated friction parameters by name. With `smooth` (rad/s or m/s),
    tanh(velocity / smooth) replaces the sign of the velocity.
    """
    if not any(own.values()):
        return None
    numbers = {name: round_to_decimal(value) for name, value in own.items()}
    before = link.friction or Friction(ZERO, ZERO)
    stribeck = transmission = None
    if "static" in numbers:
        stribeck = Stribeck(
            numbers["static"], round_to_decimal(float(shape.stribeck_velocity[joint]))
        )
    if loss := numbers.get("loss"):
        if not 0 < loss < 1:
            raise UsageError(
                f"{link.name}: the transmission would lose {100 * float(loss):.3g} % of its load; "
                "expected between 0 and 100 %: leave load out of --friction"
            )
        transmission = Transmission(ZERO, ONE, ((ZERO, ONE - loss),))
    return Friction(
        viscous=numbers.get("viscous", ZERO),
        coulomb=numbers.get("coulomb", ZERO),
        coulomb_negative=numbers.get("coulomb_negative"),
        offset=numbers.get("offset", ZERO),
        stribeck=stribeck,
        sign=before.sign if smooth is None else "tanh",
        width=before.width if smooth is None else round_to_decimal(smooth),
        transmission=transmission,
    )


def _friction_remark(estimate: Estimate, joint: int) -> Iterator[tuple[str, str]]:
    """Yield the YAML key `friction`, with a remark on the friction parameters of a joint.

    The remark contains the standard deviation of each parameter. Nothing is yielded for a joint
    without friction parameters.
    """
    parts = [
        f"{parameter.name.rpartition('.')[2]} +- {deviation:.2g}"
        for parameter, deviation in zip(estimate.parameters, estimate.deviations, strict=True)
        if parameter.joint == joint
    ]
    if parts:
        yield "friction", ", ".join(parts)
