"""Motor inertias in a URDF: <transmission> elements between one motor and one joint.

URDF has no element for motor inertia. Two extensions of <transmission> are read. Both contain the
inertia of the rotor and the gear ratio. The motor adds the joint force ratio^2 inertia qdd.

    Drake   <drake:rotor_inertia value=""/> and <drake:gear_ratio value=""/> of the <actuator>; a
            missing ratio is 1
    FROST   <motorInertia>, with the <mechanicalReduction> of URDF
"""

from __future__ import annotations

from collections.abc import Mapping

from dynagen.errors import clip
from dynagen.numbers.exact import ONE, Exact
from dynagen.robot.formats.urdf.quantities import UrdfQuantities
from dynagen.robot.formats.xml_document import XmlElement

_SIMPLE = "SimpleTransmission"


def read_motor_inertias(
    robot: XmlElement, moving: Mapping[str, XmlElement], quantities: UrdfQuantities
) -> dict[str, Exact]:
    """Return the reflected motor inertias that <transmission> elements state.

    An inertia is ignored, with a warning, if its joint is ambiguous.

    Args:
        robot: the outermost element.
        moving: elements of the moving joints, by name.
        quantities: reader of numbers, which collects warnings and notes.

    Returns:
        Reflected motor inertia (kg m^2 or kg) of each joint with a motor, by the joint's name.
    """
    inertias: dict[str, Exact] = {}
    is_any_without = False
    for transmission in robot.find_all("transmission"):
        where = f"transmission {clip(transmission.attributes.get('name', ''))}"
        rotor, is_drake = _find_rotor(transmission)
        if rotor is None:
            is_any_without = True
            continue
        ambiguity = _find_ambiguity(transmission, is_drake)
        joints = [joint.attributes.get("name", "") for joint in transmission.find_all("joint")]
        name = joints[0] if len(joints) == 1 else ""
        if not ambiguity and name not in moving:
            ambiguity = (
                f"no moving joint has the name `{clip(name)}`; correct the name in <joint>"
                if joints
                else "the transmission names no joint; add <joint> with the joint's name"
            )
        if not ambiguity and name in inertias:
            ambiguity = (
                f"joint {clip(name)} has a motor already; write the sum of both inertias in one "
                "<transmission>"
            )
        if ambiguity:
            quantities.warn(where, f"the motor's inertia is not counted: {ambiguity}", transmission)
            continue
        inertias[name] = (
            quantities.read_content(rotor, f"{where}.{rotor.tag}")
            * _read_ratio(transmission, is_drake, where, quantities) ** 2
        )
        quantities.add_note(
            where,
            f"motor inertia {float(inertias[name]):.6g} is counted at joint {clip(name)}",
            transmission,
        )
    if is_any_without:
        quantities.notes.append(
            "a <transmission> without motor inertia counts as zero inertia; to add a motor "
            "inertia, "
            "write <motorInertia> and <mechanicalReduction> in <actuator> (an extension of URDF)"
        )
    return inertias


def _find_rotor(transmission: XmlElement) -> tuple[XmlElement | None, bool]:
    """Return the element with the rotor's inertia, and whether it is Drake's extension of URDF.

    The element is None if the transmission has no such element.
    """
    for parent in (*transmission.find_all("actuator"), transmission):
        for tag in ("drake:rotor_inertia", "motorInertia"):
            if (found := parent.find(tag)) is not None:
                return found, tag.startswith("drake")
    return None, False


def _find_ambiguity(transmission: XmlElement, is_drake: bool) -> str:
    """Return the reason why a transmission's motor inertia is ambiguous; empty if it is not."""
    kind = transmission.find("type")
    name = transmission.attributes.get("type", "") if kind is None else kind.text.strip()
    if not name.endswith(_SIMPLE):
        return (
            f"the type is `{clip(name)}`, expected {_SIMPLE}; convert the file to YAML (dynagen "
            "convert), and write the inertia as `motor` of the joint"
        )
    for tag in ("joint", "actuator"):
        if (count := len(list(transmission.find_all(tag)))) != 1:
            return f"found {count} elements <{tag}>, expected one; write a <transmission> for each"
    if (
        is_drake
        and _find(transmission, "drake:gear_ratio") is None
        and _find(transmission, "mechanicalReduction") is not None
    ):
        return (
            "found <mechanicalReduction> without <drake:gear_ratio>, which Drake reads as 1; "
            "write both"
        )
    return ""


def _read_ratio(
    transmission: XmlElement, is_drake: bool, where: str, quantities: UrdfQuantities
) -> Exact:
    """Return the gear ratio, motor rotations per joint rotation."""
    tag = "drake:gear_ratio" if is_drake else "mechanicalReduction"
    element = _find(transmission, tag)
    return ONE if element is None else quantities.read_content(element, f"{where}.{tag}")


def _find(transmission: XmlElement, tag: str) -> XmlElement | None:
    """Return the first element `tag` among the children of the actuators and the transmission.

    The result is None if there is no such element.
    """
    parents = (*transmission.find_all("actuator"), transmission)
    return next((found for parent in parents if (found := parent.find(tag)) is not None), None)
