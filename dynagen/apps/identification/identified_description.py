"""Description out: an estimate as a robot's description, every number with its deviation.

Data tell base parameters, which are fewer than the numbers of links. Two sets of links have them: links that can be built,
nearest to the described ones (`physical`), or the base parameters themselves as link parameters, all others zero, which are no
bodies but give the same joint forces. Either has the base parameters exactly, in exact arithmetic, so that what was estimated
as zero is zero for the generator as well and costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dynagen.apps.identification.estimators import Estimate
from dynagen.apps.identification.identification import Identification
from dynagen.apps.identification.link_parameters import (
    Array,
    LinkParameters,
    decimal_of,
    link_parameters,
)
from dynagen.apps.identification.physical_links import eigenvalues, nearest_links
from dynagen.apps.identification.regression import FrictionShape
from dynagen.errors import ImpossibleLinksError, UsageError, VerificationError, shown
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

_DIGITS = 9  # of numbers that data do not tell alone
_KEYS = {
    "mass": range(1),
    "first_moment": range(1, 4),
    "inertia_about_origin": range(4, 10),
    "motor": range(10, 11),
}
_ALONE = 1e-9  # what is left of a unit vector that rows of K combine to, by rounding


def identified_description(
    robot: RobotDescription,
    estimate: Estimate,
    shape: FrictionShape,
    source: str,
    base_only: bool = False,
) -> RobotDescription:
    """The robot with identified numbers in place of its own.

    Args:
        robot: as it was described.
        estimate: its parameters; base parameters and friction that are not among them are zero.
        shape: of the friction's columns.
        source: where the numbers come from, for the description's `source`.
        base_only: whether links have the base parameters and nothing else, and are no bodies.

    Returns:
        A description whose base parameters and friction are the estimated ones, with remarks on them.

    Raises:
        ImpossibleLinksError: no links that can be built have these base parameters; names those that are in the way.
    """
    links = link_parameters(robot)
    values = {
        each.name: float(value)
        for each, value in zip(estimate.parameters, estimate.values, strict=True)
    }
    base = tuple(decimal_of(values.get(each.name, 0.0)) for each in links.base)
    near = _nothing(links) if base_only else _bodies(links, base)
    standard = links.reproducing(near, base)
    if not base_only and (
        broken := [
            link for link, each in eigenvalues(links, _floats(standard)).items() if each[0] <= 0
        ]
    ):
        raise VerificationError(
            f"links that were found are none that can be built: {', '.join(broken)}. This is a bug in dynagen"
        )
    written = links.written(standard)
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
                each.name.rpartition(".")[2]: values[each.name]
                for each in estimate.parameters
                if each.joint == joint
            }
            told = (*remarked.remarks, *_friction_remark(estimate, joint))
            remarked = replace(remarked, friction=_friction(link, own, shape, joint), remarks=told)
        changed.append(remarked)
    return replace(written, links=tuple(changed), source=source)


@dataclass(frozen=True)
class Identified:
    """A description of an estimate.

    Attributes:
        description: as it is read again from the text.
        text: of the YAML file.
        found: what is written: not what was given where that can not be built.
        impossible: why it can not; empty where it can.
    """

    description: RobotDescription
    text: str
    found: Identification
    impossible: str = ""


def write_identified(found: Identification, path: Path, base_only: bool = False) -> Identified:
    """The text of an identification's description, read again and compared.

    Where no links that can be built have its parameters, those of the physical estimator are written, from the same logs.

    Args:
        found: the identification.
        path: of the file that it is for, whose ending is that of YAML.
        base_only: as for `identified_description`.

    Raises:
        UsageError: another ending.
        VerificationError: read again, the text is another robot.
    """
    if path.suffix not in (".yaml", ".yml"):
        raise UsageError(
            f"`{shown(str(path))}`: identified robots are written to files that end in .yaml or .yml"
        )
    try:
        return _written(found, path, base_only)
    except ImpossibleLinksError as error:
        return replace(_written(found.by("physical"), path, base_only), impossible=str(error))


def _written(found: Identification, path: Path, base_only: bool) -> Identified:
    logs = ", ".join(each.samples.source for each in found.logs)
    source = f"Identified by dynagen from {logs}, estimator {found.estimate.estimator}"
    description = identified_description(
        found.robot, found.estimate, found.model.shape, source, base_only
    )
    text = write_robot(description, path).text
    again = parse_robot(text, str(path), ReadingOptions(snapping=description.reading.snapping))
    wanted, reached = (
        link_parameters(description).described_base,
        link_parameters(again).described_base,
    )
    if len(wanted) != len(reached) or not np.allclose(wanted, reached, rtol=1e-12, atol=1e-15):
        raise VerificationError(
            f"{path}: read again, this would be another robot; nothing is written. This is a bug in dynagen"
        )
    return Identified(
        again, "".join(f"# {line}\n" for line in _head(found, base_only)) + text, found
    )


def _head(found: Identification, base_only: bool) -> Iterator[str]:
    """What stands above the description: what the numbers are, and what the logs told."""
    yield f"{found.robot.name}, identified by dynagen identify"
    if base_only:
        yield "Links have base parameters and are no bodies: joint forces are right, masses and centres of mass are not."
    else:
        yield "Links are those nearest to the description that can be built and have the base parameters below,"
        yield f"which estimator {found.estimate.estimator} has found."
    yield "Base parameters and friction, with standard deviations:"
    for each, value, deviation in zip(
        found.estimate.parameters, found.estimate.values, found.estimate.deviations, strict=True
    ):
        yield f"  {each.name} = {value:.6g} +- {deviation:.2g} {each.unit}".rstrip()
    for dropped in found.judgement.dropped:
        yield f"  {found.every.parameters[dropped.index].name} = 0: {dropped.reason}"


def _nothing(links: LinkParameters) -> list[Exact]:
    """Standard parameters that are zero wherever a set may change them."""
    free = {
        place
        for link in links.free_links
        for place in range(links.places[link], links.places[link] + 10)
    }
    free |= set(links.motors.values())
    return [ZERO if place in free else value for place, value in enumerate(links.described)]


def _bodies(links: LinkParameters, base: tuple[Exact, ...]) -> list[Exact]:
    """Links that can be built, whose base parameters are these to a solver's precision."""
    found = nearest_links(links, _floats(base))
    motors = set(links.motors.values())
    return [
        decimal_of(max(value, 0.0) if place in motors else value, _DIGITS)
        for place, value in enumerate(found)
    ]


def _floats(numbers: tuple[Exact, ...]) -> Array:
    return np.array([float(each) for each in numbers])


def _deviations(
    links: LinkParameters, estimate: Estimate, base_only: bool
) -> dict[str, tuple[bool, float | None]]:
    """Whether each standard parameter has an effect, and its standard deviation; None where data do not tell it alone."""
    places = {each.name: place for place, each in enumerate(estimate.parameters)}
    chosen = [places.get(each.name) for each in links.base]
    covariance = np.zeros((len(links.base),) * 2)
    told = [row for row, place in enumerate(chosen) if place is not None]
    of_told = [place for place in chosen if place is not None]
    covariance[np.ix_(told, told)] = estimate.covariance[np.ix_(of_told, of_told)]
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
    if not has_effect:
        return "no effect"
    if deviation is None:
        return "with others only" if value else "regrouped"
    return f"+- {deviation:.2g}" if deviation else "not significant"


def _remarks(
    links: LinkParameters, link: LinkDescription, remarks: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """One remark for the numbers of each key."""
    if link.name not in links.free_links and link.name not in links.motors:
        return
    named = [remarks.get(f"{link.name}.{name}", "") for name in (*INERTIAL_PARAMETERS, "Ia")]
    for key, places in _KEYS.items():
        each = [named[place] for place in places]
        yield key, each[0] if len(set(each)) == 1 else ", ".join(each)


def _friction(
    link: LinkDescription, own: Mapping[str, float], shape: FrictionShape, joint: int
) -> Friction | None:
    """Friction as estimated; what the sign of the rate is replaced with near rest is as described."""
    if not any(own.values()):
        return None
    numbers = {name: decimal_of(value) for name, value in own.items()}
    before = link.friction or Friction(ZERO, ZERO)
    stribeck = transmission = None
    if "static" in numbers:
        stribeck = Stribeck(numbers["static"], decimal_of(float(shape.stribeck_velocity[joint])))
    if loss := numbers.get("loss"):
        if not 0 < loss < 1:
            raise UsageError(
                f"{link.name}: a transmission that loses {100 * float(loss):.3g} % of its load is none that a description can "
                "have: leave load out of --friction"
            )
        transmission = Transmission(ZERO, ONE, ((ZERO, ONE - loss),))
    return Friction(
        viscous=numbers.get("viscous", ZERO),
        coulomb=numbers.get("coulomb", ZERO),
        coulomb_negative=numbers.get("coulomb_negative"),
        offset=numbers.get("offset", ZERO),
        stribeck=stribeck,
        sign=before.sign,
        width=before.width,
        transmission=transmission,
    )


def _friction_remark(estimate: Estimate, joint: int) -> Iterator[tuple[str, str]]:
    """The deviations of a joint's friction, by name."""
    each = zip(estimate.parameters, estimate.deviations, strict=True)
    told = [
        f"{one.name.rpartition('.')[2]} +- {deviation:.2g}"
        for one, deviation in each
        if one.joint == joint
    ]
    if told:
        yield "friction", ", ".join(told)
