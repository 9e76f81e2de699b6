"""The file that another tool reads: the user's own where it can, else what is written of the description."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from dynagen.errors import UsageError
from dynagen.numbers.exact import ZERO
from dynagen.robot.description import LinkDescription, NamedFrame, RobotDescription
from dynagen.robot.loading import write_robot
from dynagen.robot.names import identifier

_KNOWN_TO_OTHERS = {"snap", "base", "wrench-at"}  # options that leave the file what it is
ROOT_JOINT = "root_joint"
"""What the joint of a base is called that floats only because the user says so."""


@dataclass(frozen=True)
class Source:
    """A robot for another tool.

    Attributes:
        text: of the file.
        said: what that is, for people.
        is_file: whether it is the user's own.
        links: of the description, whose joints are called as in the file.
        floats: whether the base moves freely where that of the text does not.
    """

    text: str
    said: str
    is_file: bool
    links: tuple[LinkDescription, ...]
    floats: bool

    @classmethod
    def of(cls, description: RobotDescription, notation: str) -> Source:
        """The user's own file, if it is in a notation and has not been cut or locked; else a URDF that is written.

        Raises:
            UsageError: URDF cannot say all of the robot, or the file is in an encoding that others do not read.
        """
        path, changes = Path(description.path), set(description.reading.changes) - _KNOWN_TO_OTHERS
        if (
            description.notation == notation
            and path.suffix != ".xacro"
            and path.is_file()
            and not changes
        ):
            floats = any(
                link.joint.type.is_free and not link.joint.name for link in description.links
            )
            links = tuple(map(_with_root_joint, description.links))
            return cls(_text_of(path), f"{path.name} itself", True, links, floats)
        try:
            written = write_robot(description, Path("robot.urdf"))
        except UsageError as error:
            raise UsageError(
                f"a second opinion on {description.name} needs a URDF, and {error}"
            ) from None
        names = iter(written.joints)
        links = tuple(
            _named(link, next(names)) if link.joint.moves else link for link in description.links
        )
        return cls(
            written.text,
            f"a URDF that is written of {path.name or description.name}",
            False,
            links,
            False,
        )

    def robot(self, description: RobotDescription, with_motors: bool) -> RobotDescription:
        """The description with the names of the source, every link a frame, and motors if the tool knows them."""
        links = (
            self.links
            if with_motors
            else tuple(replace(link, motor_inertia=ZERO) for link in self.links)
        )
        taken = {identifier(frame.name) for frame in description.frames}
        own = tuple(
            NamedFrame(link.name, link.name, ())
            for link in links
            if identifier(link.name) not in taken
        )
        return replace(description, links=links, frames=(*description.frames, *own))


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(
            f"{path} is not in UTF-8, which is what other tools read: save it so"
        ) from None


def _named(link: LinkDescription, joint: str) -> LinkDescription:
    return replace(link, joint=replace(link.joint, name=joint))


def _with_root_joint(link: LinkDescription) -> LinkDescription:
    return _named(link, ROOT_JOINT) if link.joint.type.is_free and not link.joint.name else link
