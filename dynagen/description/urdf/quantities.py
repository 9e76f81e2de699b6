"""The numbers of a URDF: attributes -> exact numbers, and what is wrong, suspicious, or read otherwise than it is written.

Tools write URDF with rounded numbers: 1.5707963 for a right angle, 1e-17 for nothing. Unless the user says otherwise such
numbers are snapped within `snapping.OF_TOOLS`; all others are as written.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dynagen.description.decimals import DECIMAL, MAX_ANGLE, MAX_EXPONENT, MAX_MAGNITUDE
from dynagen.description.displacement import Vector
from dynagen.description.snapping import OF_TOOLS, Snapper, Snapping
from dynagen.description.xml_document import Element
from dynagen.errors import Fault, RobotDescriptionError, shown
from dynagen.numbers.exact import PI, ZERO, Exact

_MAX_LENGTH = 100


class Quantities:
    """Reads the numbers of one description. A faulty number is reported and read as zero.

    Attributes:
        faults: why this is no robot description that can be used.
        warnings: what is most likely a mistake.
        notes: what a user should know besides.
        snaps: numbers that were read otherwise than they are written.
        link: name of the link that is read, for warnings.
    """

    def __init__(self, source: str, snapping: Snapping) -> None:
        self._source = source
        self._snapper = Snapper(snapping, OF_TOOLS)
        self.snaps = self._snapper.snaps
        self.link = ""
        self.faults: list[Fault] = []
        self.warnings: list[Fault] = []
        self.notes: list[str] = []

    def fault(self, where: str, message: str, element: Element) -> None:
        """Report what is wrong with an element."""
        self.faults.append(Fault(where, message, element.line))

    def warn(self, where: str, message: str, element: Element) -> None:
        """Keep what is most likely a mistake: the rule that is broken, and what to do."""
        self.warnings.append(Fault(where, message, element.line, self.link))

    def note(self, where: str, message: str, element: Element) -> None:
        """Keep what a user should know about an element."""
        self.notes.append(f"{_place(where, element)}: {message}")

    def error(self) -> RobotDescriptionError:
        """All faults as one error, in the order of lines."""
        return RobotDescriptionError(self._source, sorted(self.faults, key=lambda fault: fault.line or 0))

    def number(self, element: Element, attribute: str, where: str, default: Exact | None = ZERO) -> Exact:
        """A number; without a default it must be given."""
        text = element.attributes.get(attribute)
        if text is not None:
            return self._exact(text, f"{where}.{attribute}", element)
        if default is None:
            self.fault(where, f"`{attribute}` is missing in <{shown(element.tag)}>", element)
        return default or ZERO

    def content(self, element: Element, where: str) -> Exact:
        """A number that is an element's attribute `value`, or else the text inside it."""
        return self._exact(element.attributes.get("value", element.text), where, element)

    def angle(self, element: Element, attribute: str, where: str) -> Exact:
        """An angle in rad, zero if not given."""
        return self._angle(element.attributes.get(attribute, "0"), f"{where}.{attribute}", element)

    def length(self, element: Element, attribute: str, where: str) -> Exact:
        """A length in m, zero if not given."""
        return self._length(element.attributes.get(attribute, "0"), f"{where}.{attribute}", element)

    def origin(self, parent: Element, where: str) -> tuple[Vector, Vector]:
        """The xyz (m) and rpy (roll, pitch, yaw, rad) of an element's <origin>, each zero where it is left out."""
        origin = parent.find("origin")
        if origin is None:
            return (ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO)
        x, y, z = (self._length(text, f"{where}.xyz", origin) for text in self._three(origin, "xyz", "0 0 0", where))
        roll, pitch, yaw = (self._angle(text, f"{where}.rpy", origin) for text in self._three(origin, "rpy", "0 0 0", where))
        return (x, y, z), (roll, pitch, yaw)

    def axis(self, element: Element, where: str) -> Vector:
        """The direction of a joint's axis, of any length but zero."""
        texts = self._three(element, "xyz", "1 0 0", where)
        x, y, z = (self._length(text, where, element) for text in texts)
        if not (x or y or z):
            self.fault(where, f"an axis needs a direction, found `{shown(' '.join(texts))}`", element)
            return ZERO, ZERO, Exact(1)
        norm = float(x * x + y * y + z * z) ** 0.5
        if abs(norm - 1) > 1e-3:
            self.note(where, f"the axis has length {norm:.4g}, not 1, and is read as a direction", element)
        return x, y, z

    def _three(self, element: Element, attribute: str, default: str, where: str) -> Sequence[str]:
        text = element.attributes.get(attribute, default)
        texts = text.split()
        if len(texts) == 3:
            return texts
        self.fault(where, f"`{attribute}` takes three numbers, found `{shown(text)}`", element)
        return "0", "0", "1"

    def _exact(self, text: str, where: str, element: Element) -> Exact:
        text = text.strip()
        match = DECIMAL.fullmatch(text) if len(text) <= _MAX_LENGTH else None
        expected = None
        if match is None:
            expected = f"expected a decimal number of at most {_MAX_LENGTH} characters"
        elif abs(int(match.group(1) or 0)) > MAX_EXPONENT:
            expected = f"an exponent lies between -{MAX_EXPONENT} and {MAX_EXPONENT}"
        elif abs(value := Exact(text)) > Fraction(10) ** MAX_MAGNITUDE:
            expected = f"a number is at most 1e{MAX_MAGNITUDE}"
        else:
            return value
        self.fault(where, f"{expected}, found `{shown(text)}`", element)
        return ZERO

    def _angle(self, text: str, where: str, element: Element) -> Exact:
        written = self._exact(text, where, element)
        radians = self._snapper.angle(text, written, _place(where, element))
        if abs(radians) > MAX_ANGLE:
            self.fault(where, f"beyond {MAX_ANGLE} rad: angles are in radians, found `{shown(text)}`", element)
            return ZERO
        if radians == written and abs(radians) > 2 * PI:
            self.warn(where, f"{float(radians):.6g} rad is more than a full rotation: URDF has angles in radians", element)
        return radians

    def _length(self, text: str, where: str, element: Element) -> Exact:
        return self._snapper.length(text, self._exact(text, where, element), _place(where, element))


def _place(where: str, element: Element) -> str:
    return f"line {element.line}: {where}"
