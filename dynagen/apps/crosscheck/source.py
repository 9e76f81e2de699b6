"""Choice of the file that another tool reads for a cross-check of a robot.

The file is the user's own file if possible, and otherwise a URDF that dynagen writes.

The user's own file is preferred, because it tests dynagen's parser: the cross-check shows whether
dynagen and the tool parse the file differently.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from dynagen.errors import UsageError
from dynagen.numbers.exact import ZERO
from dynagen.robot.coordinates import refuse_special_joints
from dynagen.robot.description import LinkDescription, NamedFrame, RobotDescription
from dynagen.robot.loading import write_robot
from dynagen.robot.names import make_identifier

# Options under which the file stays valid.
_HARMLESS_OPTIONS = {"snap", "base", "wrench-at", "contact-force"}
ROOT_JOINT = "root_joint"
"""Name of the joint that `--base floating` adds between the world and the base."""


@dataclass(frozen=True)
class Source:
    """Robot description as a file for another tool.

    Attributes:
        text: content of the file.
        title: the kind of file, in words.
        is_file: True for the user's own file, False for a URDF that dynagen wrote.
        links: links of the description, with the joint names of the file.
        floats: True if the robot has a floating base that the file does not describe, so that the
            tool must add it.
    """

    text: str
    title: str
    is_file: bool
    links: tuple[LinkDescription, ...]
    floats: bool

    @classmethod
    def choose(cls, description: RobotDescription, notation: str) -> Source:
        """Return the file that another tool reads: the user's own file, else a URDF of the robot.

        Args:
            description: the robot.
            notation: notation that the tool reads, URDF or MJCF. A robot with removed links or
                locked joints is always written as a URDF.

        Raises:
            UsageError: the robot has spherical joints, URDF cannot express the robot, or the file
                is not in UTF-8.
        """
        joints = (link.joint for link in description.links)
        refuse_special_joints(description.name, joints, "the cross-check")
        path, changes = Path(description.path), set(description.reading.changes) - _HARMLESS_OPTIONS
        if (
            description.notation == notation
            and path.suffix != ".xacro"
            and path.is_file()
            and not changes
        ):
            floats = any(
                link.joint.type.is_free and not link.joint.name for link in description.links
            )
            links = tuple(map(_name_root_joint, description.links))
            return cls(_read_text(path), f"{path.name} itself", True, links, floats)
        try:
            written = write_robot(description, Path("robot.urdf"))
        except UsageError as error:
            raise UsageError(
                f"cross-check of {description.name}: the robot cannot be written as a URDF: {error}"
            ) from None
        names = iter(written.joints)
        links = tuple(
            _name_joint(link, next(names)) if link.joint.moves else link
            for link in description.links
        )
        return cls(
            written.text,
            f"a URDF written from {path.name or description.name}",
            False,
            links,
            False,
        )

    def adapt_description(
        self, description: RobotDescription, with_motors: bool
    ) -> RobotDescription:
        """Return the robot's description as another tool reads it, for a comparison.

        The joints have the same names as in the tool's file. Motor inertias are set to zero if the
        tool does not read them. Each link becomes a named frame, so that the poses of links are
        compared.

        Args:
            description: the robot.
            with_motors: whether the tool reads motor inertias.
        """
        links = (
            self.links
            if with_motors
            else tuple(replace(link, motor_inertia=ZERO) for link in self.links)
        )
        taken = {make_identifier(frame.name) for frame in description.frames}
        own = tuple(
            NamedFrame(link.name, link.name, ())
            for link in links
            if make_identifier(link.name) not in taken
        )
        return replace(description, links=links, frames=(*description.frames, *own))


def _read_text(path: Path) -> str:
    """Read a robot's file, which must be in UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(
            f"expected text in UTF-8, which other tools require, found other bytes in {path}: "
            "save the file in UTF-8"
        ) from None


def _name_joint(link: LinkDescription, joint: str) -> LinkDescription:
    return replace(link, joint=replace(link.joint, name=joint))


def _name_root_joint(link: LinkDescription) -> LinkDescription:
    """Return a link; name its joint `ROOT_JOINT` if the joint is a floating base without a name."""
    is_nameless = link.joint.type.is_free and not link.joint.name
    return _name_joint(link, ROOT_JOINT) if is_nameless else link
