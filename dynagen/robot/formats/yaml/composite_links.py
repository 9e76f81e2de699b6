"""Reading of links with universal, cylindrical and planar joints from YAML descriptions.

A link with a composite joint becomes a chain of links (see `dynagen.robot.composite_joints`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dynagen.errors import UsageError
from dynagen.robot.composite_joints import COMPOSITE_TYPES, UNIVERSAL, Axes, expand_joint
from dynagen.robot.description import LinkDescription
from dynagen.robot.formats.yaml.document import Path
from dynagen.robot.formats.yaml.quantities import YamlQuantities
from dynagen.robot.formats.yaml.schema import LinkSchema
from dynagen.robot.names import find_name_faults
from dynagen.robot.pose import Vector


def read_direction(texts: Sequence[str], path: Path, quantities: YamlQuantities) -> Vector | None:
    """Return the direction of an axis, of any length; add a fault and return None if it is invalid.

    Args:
        texts: the components of the axis.
        path: path of the field, for messages.
        quantities: reader of numbers, which collects faults.
    """
    axis = quantities.read_vector(texts, path)
    if not all(component.is_known for component in axis):
        quantities.faults.add(
            path, "an axis cannot depend on run-time parameters: remove `runtime`"
        )
    elif not any(axis):
        quantities.faults.add(path, "expected an axis with a direction, found [0, 0, 0]")
    else:
        return axis
    return None


def check_fields(link: LinkSchema, path: Path, quantities: YamlQuantities) -> None:
    """Add a fault for each field that is not allowed for the type of a link's joint.

    Args:
        link: the fields of the link.
        path: path of the link, for messages.
        quantities: reader of the file, which collects the faults.
    """
    faults = quantities.faults
    if link.joint in COMPOSITE_TYPES:
        for name in ("joint_name", "motor", "friction", "limits", "mimic"):
            if getattr(link, name) is not None:
                faults.add(
                    (*path, name),
                    f"a {link.joint} joint has several coordinates: remove `{name}`, "
                    "or write links without mass (mass: 0) that move one after the other",
                )
    if link.joint == UNIVERSAL.name:
        for name in ("dh", "axis"):
            if getattr(link, name) is not None:
                faults.add(
                    (*path, name),
                    f"a universal joint has two axes: write `origin` and `axes`, not `{name}`",
                )
    elif link.axes is not None:
        faults.add(
            (*path, "axes"),
            f"`axes` is for universal joints, not for a {link.joint} joint: remove `axes`, or "
            "write `axis`",
        )


def expand_links(
    schemas: Sequence[LinkSchema], links: Sequence[LinkDescription], quantities: YamlQuantities
) -> Iterator[LinkDescription]:
    """Yield the links, with a chain of links in place of each link with a composite joint.

    Args:
        schemas: the links of the file, in its order.
        links: the links as read from the file, in any order.
        quantities: reader of numbers, which collects faults.
    """
    places: Mapping[str, int] = {schema.name: i for i, schema in enumerate(schemas)}
    for link in links:
        place = places[link.name]
        schema, path = schemas[place], ("links", place)
        if schema.joint not in COMPOSITE_TYPES:
            yield link
            continue
        kind = COMPOSITE_TYPES[schema.joint]
        axes: Axes = kind.axes if schema.joint == UNIVERSAL.name else (link.joint.axis,)
        if schema.axes is not None:
            axes = tuple(
                read_direction(texts, (*path, "axes", i), quantities) or kind.axes[i]
                for i, texts in enumerate(schema.axes)
            )
        try:
            chain = expand_joint(link, kind, axes)
        except UsageError as error:
            field = "axes" if schema.axes is not None else "axis"
            quantities.faults.add((*path, field), str(error))
            yield link
            continue
        taken = [name for name in places if name != link.name]
        for _, fault in find_name_faults((*taken, *(part.name for part in chain))):
            quantities.faults.add(
                (*path, "name"),
                f"a {schema.joint} joint becomes the links "
                f"{', '.join(part.name for part in chain)}: {fault}",
            )
        yield from chain
