"""Inertia of motors in <transmission>, reflected to the joint: an extension of URDF, which itself has none.

Two tools write it. Drake reads <drake:rotor_inertia value=""/> and <drake:gear_ratio value=""/> of the <actuator> (1 if left
out); FROST a <motorInertia> with the <mechanicalReduction> that URDF has. Both count ratio^2 inertia qdd on the joint.
"""

from __future__ import annotations

from collections.abc import Mapping

from dynagen.description.urdf.quantities import Quantities
from dynagen.description.xml_document import Element
from dynagen.errors import shown
from dynagen.numbers.exact import ONE, Exact

_SIMPLE = "SimpleTransmission"


def read_motor_inertias(robot: Element, moving: Mapping[str, Element], quantities: Quantities) -> dict[str, Exact]:
    """Inertia of the motor by the name of each joint that has one (kg m^2 or kg).

    Where it is not clear which inertia acts on which joint, a warning says so, and none is counted.

    Args:
        robot: the document.
        moving: by name, the joints that move.
        quantities: reads numbers and takes warnings and notes.
    """
    inertias: dict[str, Exact] = {}
    without = False
    for transmission in robot.find_all("transmission"):
        where = f"transmission {shown(transmission.attributes.get('name', ''))}"
        rotor, drake = _rotor(transmission)
        if rotor is None:
            without = True
            continue
        unclear = _unclear(transmission, drake)
        joints = [each.attributes.get("name", "") for each in transmission.find_all("joint")]
        joint = joints[0] if len(joints) == 1 else ""
        if not unclear and joint not in moving:
            unclear = f"there is no joint `{shown(joint)}` that moves" if joints else "it names no joint"
        if not unclear and joint in inertias:
            unclear = f"joint {shown(joint)} has a motor already"
        if unclear:
            quantities.warn(where, f"its motor's inertia is not counted: {unclear}", transmission)
            continue
        inertias[joint] = (
            quantities.content(rotor, f"{where}.{rotor.tag}") * _ratio(transmission, drake, where, quantities) ** 2
        )
        quantities.note(where, f"motor inertia {float(inertias[joint]):.6g} is counted at joint {shown(joint)}", transmission)
    if without:
        quantities.notes.append("<transmission> without the inertia of a motor (URDF itself has none): none is counted")
    return inertias


def _rotor(transmission: Element) -> tuple[Element | None, bool]:
    """The element that gives the inertia of the motor, and whether it is Drake's."""
    for parent in (*transmission.find_all("actuator"), transmission):
        for tag in ("drake:rotor_inertia", "motorInertia"):
            if (found := parent.find(tag)) is not None:
                return found, tag.startswith("drake")
    return None, False


def _unclear(transmission: Element, drake: bool) -> str:
    """The reason for which it is not clear what a transmission means; empty if it is."""
    kind = transmission.find("type")
    name = transmission.attributes.get("type", "") if kind is None else kind.text.strip()
    if not name.endswith(_SIMPLE):
        return f"its type is `{shown(name)}`, expected {_SIMPLE}"
    for tag in ("joint", "actuator"):
        if (count := len(list(transmission.find_all(tag)))) != 1:
            return f"it has {count} elements <{tag}>, expected one"
    if drake and _find(transmission, "drake:gear_ratio") is None and _find(transmission, "mechanicalReduction") is not None:
        return "it has <mechanicalReduction> and no <drake:gear_ratio>, which is 1 to Drake; write both"
    return ""


def _ratio(transmission: Element, drake: bool, where: str, quantities: Quantities) -> Exact:
    """Rotations of the motor per rotation of the joint."""
    tag = "drake:gear_ratio" if drake else "mechanicalReduction"
    element = _find(transmission, tag)
    return ONE if element is None else quantities.content(element, f"{where}.{tag}")


def _find(transmission: Element, tag: str) -> Element | None:
    """An element of the actuator, or of the transmission itself."""
    parents = (*transmission.find_all("actuator"), transmission)
    return next((found for parent in parents if (found := parent.find(tag)) is not None), None)
