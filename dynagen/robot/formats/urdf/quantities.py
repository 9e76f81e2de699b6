"""Reading of numbers in URDF attributes as exact numbers, with faults, warnings, notes and snaps.

Tools write URDF files with rounded numbers, such as 1.5707963 for a right angle and 1e-17 for zero.
Such numbers are snapped (`dynagen.robot.literals`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dynagen.errors import Fault, RobotDescriptionError, clip
from dynagen.numbers.exact import PI, ZERO, Exact
from dynagen.robot.formats.xml_document import XmlElement
from dynagen.robot.literals import (
    DECIMAL,
    MAX_ANGLE,
    MAX_EXPONENT,
    MAX_MAGNITUDE,
    OF_TOOLS,
    Snapper,
    Snapping,
)
from dynagen.robot.pose import Vector

_MAX_LENGTH = 100


class UrdfQuantities:
    """A reader of the numbers in one file; an invalid number is reported and read as zero.

    The argument `element` of the methods contains the number. `where` is the name of the number in
    messages.

    Attributes:
        faults: reasons why the description is invalid.
        warnings: probable mistakes.
        notes: further information for the user.
        snaps: numbers that were read as nearby round values.
        link: name of the current link, for warnings.
    """

    def __init__(self, source: str, snapping: Snapping) -> None:
        self._source = source
        self._snapper = Snapper(snapping, OF_TOOLS)
        self.snaps = self._snapper.snaps
        self.link = ""
        self.faults: list[Fault] = []
        self.warnings: list[Fault] = []
        self.notes: list[str] = []

    def add_fault(self, where: str, message: str, element: XmlElement) -> None:
        """Add the fault `message` of the field `where`, at the line of `element`."""
        self.faults.append(Fault(where, message, element.line))

    def warn(self, where: str, message: str, element: XmlElement) -> None:
        """Add a warning about the field `where`, at the line of `element`.

        Args:
            where: name of the field.
            message: the broken rule and a remedy.
            element: the XML element that contains the field.
        """
        self.warnings.append(Fault(where, message, element.line, self.link))

    def add_note(self, where: str, message: str, element: XmlElement) -> None:
        """Add the note `message` on the field `where`, at the line of `element`."""
        self.notes.append(f"{_locate(where, element)}: {message}")

    def make_error(self) -> RobotDescriptionError:
        """Return one error with all faults of the file, in the order of their lines."""
        return RobotDescriptionError(
            self._source, sorted(self.faults, key=lambda fault: fault.line or 0)
        )

    def read_number(
        self, element: XmlElement, attribute: str, where: str, default: Exact | None = ZERO
    ) -> Exact:
        """Return the number in an attribute of an element.

        A missing attribute has the value `default`. If `default` is None, it is a fault.
        """
        text = element.attributes.get(attribute)
        if text is not None:
            return self._read_exact(text, f"{where}.{attribute}", element)
        if default is None:
            self.add_fault(where, f"`{attribute}` is missing in <{clip(element.tag)}>", element)
        return default or ZERO

    def read_content(self, element: XmlElement, where: str) -> Exact:
        """Return the number in the attribute `value` of an element, or else in its text."""
        return self._read_exact(element.attributes.get("value", element.text), where, element)

    def read_angle(self, element: XmlElement, attribute: str, where: str) -> Exact:
        """Return the angle (rad) in an attribute after snapping; zero without the attribute."""
        return self._read_angle(
            element.attributes.get(attribute, "0"), f"{where}.{attribute}", element
        )

    def read_length(self, element: XmlElement, attribute: str, where: str) -> Exact:
        """Return the length (m) in an attribute after snapping; zero without the attribute."""
        return self._read_length(
            element.attributes.get(attribute, "0"), f"{where}.{attribute}", element
        )

    def read_origin(self, parent: XmlElement, where: str) -> tuple[Vector, Vector]:
        """Return xyz (m) and rpy (roll, pitch, yaw in rad) of the child <origin>, or zeros."""
        origin = parent.find("origin")
        if origin is None:
            return (ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO)
        x, y, z = (
            self._read_length(text, f"{where}.xyz", origin)
            for text in self._split_three(origin, "xyz", "0 0 0", where)
        )
        roll, pitch, yaw = (
            self._read_angle(text, f"{where}.rpy", origin)
            for text in self._split_three(origin, "rpy", "0 0 0", where)
        )
        return (x, y, z), (roll, pitch, yaw)

    def read_axis(self, element: XmlElement, where: str) -> Vector:
        """Return the direction of an <axis>, of any length except zero, in the axes of the joint.

        An axis of length zero is a fault, and is read as the z axis.
        """
        texts = self._split_three(element, "xyz", "1 0 0", where)
        x, y, z = (self._read_length(text, where, element) for text in texts)
        if not (x or y or z):
            found = clip(" ".join(texts))
            self.add_fault(where, f"an axis must not be zero, found `{found}`", element)
            return ZERO, ZERO, Exact(1)
        norm = float(x * x + y * y + z * z) ** 0.5
        if abs(norm - 1) > 1e-3:
            self.add_note(
                where,
                f"the axis has length {norm:.4g}, not 1, and is read as a direction; its "
                "length has no effect",
                element,
            )
        return x, y, z

    def _split_three(
        self, element: XmlElement, attribute: str, default: str, where: str
    ) -> Sequence[str]:
        text = element.attributes.get(attribute, default)
        texts = text.split()
        if len(texts) == 3:
            return texts
        self.add_fault(
            where, f"`{attribute}`: expected three numbers, found `{clip(text)}`", element
        )
        return "0", "0", "1"  # valid as a vector and as an axis

    def _read_exact(self, text: str, where: str, element: XmlElement) -> Exact:
        text = text.strip()
        match = DECIMAL.fullmatch(text) if len(text) <= _MAX_LENGTH else None
        expected = None
        if match is None:
            expected = f"expected a decimal number of at most {_MAX_LENGTH} characters"
        elif abs(int(match.group(1) or 0)) > MAX_EXPONENT:
            expected = f"expected an exponent between -{MAX_EXPONENT} and {MAX_EXPONENT}"
        elif abs(value := Exact(text)) > Fraction(10) ** MAX_MAGNITUDE:
            expected = f"expected a magnitude of at most 1e{MAX_MAGNITUDE}"
        else:
            return value
        self.add_fault(where, f"{expected}, found `{clip(text)}`", element)
        return ZERO

    def _read_angle(self, text: str, where: str, element: XmlElement) -> Exact:
        written = self._read_exact(text, where, element)
        radians = self._snapper.snap_angle(text, written, _locate(where, element))
        if abs(radians) > MAX_ANGLE:
            self.add_fault(
                where,
                f"expected an angle in radians, at most {MAX_ANGLE} rad, found `{clip(text)}`",
                element,
            )
            return ZERO
        if radians == written and abs(radians) > 2 * PI:
            self.warn(
                where,
                f"{float(radians):.6g} rad is more than a full rotation, which looks like "
                "degrees: write radians (1 degree is 0.0174533)",
                element,
            )
        return radians

    def _read_length(self, text: str, where: str, element: XmlElement) -> Exact:
        return self._snapper.snap_length(
            text, self._read_exact(text, where, element), _locate(where, element)
        )


def _locate(where: str, element: XmlElement) -> str:
    return f"line {element.line}: {where}"
