"""Loads that a robot meets at run time: the `payload` that it carries and the `external_wrench`es that act on it."""

from __future__ import annotations

from collections.abc import Sequence

from dynagen.description.description import TOOL, LinkDescription, OriginInertia
from dynagen.description.joints import FIXED, Joint
from dynagen.description.names import identifier
from dynagen.description.payload import PAYLOAD, PAYLOAD_PARAMETERS
from dynagen.description.wrenches import wrench_faults
from dynagen.description.yaml.quantities import Quantities
from dynagen.errors import did_you_mean, shown
from dynagen.numbers.exact import ZERO


def with_payload(
    links: tuple[LinkDescription, ...], payload: bool | str, quantities: Quantities
) -> tuple[LinkDescription, ...]:
    """The links and, fixed to one of them and with its frame, a payload whose ten inertial parameters come at run time.

    Args:
        links: of the robot, parents first.
        payload: name of the link that carries it; true means the last one, false that there is none.
        quantities: receives the `PAYLOAD_PARAMETERS`, zero by default.
    """
    if payload is False:
        return links
    names = [link.name for link in links]
    carrier = names[-1] if payload is True else payload
    if carrier not in names:
        message = f"there is no link `{shown(carrier)}`{did_you_mean(carrier, names)}"
        quantities.faults.add((PAYLOAD,), message)
        return links
    if PAYLOAD in map(identifier, names):
        quantities.faults.add((PAYLOAD,), f"a link is called `{PAYLOAD}` already: rename it")
        return links
    mass, x, y, z, *inertia = (
        quantities.at_run_time(name, ZERO, unit, (PAYLOAD,)) for name, unit in PAYLOAD_PARAMETERS.items()
    )
    xx, yy, zz, xy, xz, yz = inertia
    load = LinkDescription(
        name=PAYLOAD,
        parent=carrier,
        before=(),
        joint=Joint(FIXED),
        after=(),
        inertial=OriginInertia(mass, (x, y, z), (xx, yy, zz, xy, xz, yz)),
    )
    place = names.index(carrier) + 1
    return (*links[:place], load, *links[place:])


def wrench_frames(wrench: bool | str | list[str], frames: Sequence[str], quantities: Quantities) -> tuple[str, ...]:
    """Names of the frames in which wrenches act: true means the tool, false that there are none."""
    if isinstance(wrench, bool):
        return (TOOL,) if wrench else ()
    named = tuple(wrench) if isinstance(wrench, list) else (wrench,)
    for message in wrench_faults(named, frames):
        quantities.faults.add(("external_wrench",), message)
    return named
