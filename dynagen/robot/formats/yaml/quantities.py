"""Reading of numbers in YAML fields as exact numbers, with faults, warnings, notes and snaps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from dynagen.errors import Fault, clip
from dynagen.numbers.exact import ONE, PI, ZERO, Exact
from dynagen.numbers.parametric import Parameter, ParametricNumber
from dynagen.numbers.traced import NamedNumber
from dynagen.robot.arithmetic import RESERVED_NAMES, ArithmeticTextError, evaluate
from dynagen.robot.description import Tensor
from dynagen.robot.formats.yaml.document import Document, Faults, Path
from dynagen.robot.formats.yaml.schema import FrameSchema, OriginSchema, ParameterSchema
from dynagen.robot.literals import DECIMAL, MAX_ANGLE, Snapper, Snapping, Tolerances
from dynagen.robot.names import MAX_NAME, make_identifier
from dynagen.robot.pose import Displacement, Vector, make_translation_and_rpy

TOLERANCES = Tolerances(Fraction(0), Fraction(0))
"""Default tolerances of YAML files.

Because people write YAML files, an angle is read as a multiple of pi/12 only if all its digits are
digits of this multiple. Small lengths are not read as zero.
"""


class YamlQuantities:
    """A reader of the numbers in one file; an invalid number is reported and read as zero.

    The argument `path` of the methods is the path of the field, for messages.

    Attributes:
        faults: reasons why the description is invalid.
        warnings: probable mistakes.
        notes: further information for the user.
        snaps: numbers that were read as nearby round values.
        run_time: run-time parameters, in the order of the file.
    """

    def __init__(self, document: Document, faults: Faults, snapping: Snapping) -> None:
        self._document = document
        self._snapper = Snapper(snapping, TOLERANCES)
        self.snaps = self._snapper.snaps
        self.faults = faults
        self.notes: list[str] = []
        self.warnings: list[Fault] = []
        self.run_time: list[Parameter] = []
        self._parameters: dict[str, Exact] = {}

    def add_note(self, path: Path, message: str) -> None:
        """Add a note for the user on a field.

        Args:
            path: keys and list indices that lead to the field.
            message: text of the note.
        """
        self.notes.append(f"{self._document.describe_place(path)}: {message}")

    def warn(self, path: Path, message: str) -> None:
        """Add a warning about a field.

        Args:
            path: keys and list indices that lead to the field.
            message: the broken rule and a remedy.
        """
        link = self._document.find_link(path)
        self.warnings.append(
            Fault(
                self._document.describe_place(path), message, self._document.find_line(path), link
            )
        )

    def read_parameters(self, parameters: dict[str, str | ParameterSchema]) -> None:
        """Evaluate the field `parameters` in order, so that numbers of the file can use the names.

        A parameter may use earlier parameters. Run-time parameters are added to `run_time`.

        Args:
            parameters: mapping from each name to arithmetic, or to the fields of a parameter.
        """
        for name, entry in parameters.items():
            path: Path = ("parameters", name)
            if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) or len(name) > MAX_NAME:
                self.faults.add(
                    path,
                    "expected a letter, then letters, digits or _, as the name of a parameter, "
                    f"at most {MAX_NAME} characters",
                )
            elif name.lower() in RESERVED_NAMES:
                self.faults.add(
                    path, f"`{name}` already means something in arithmetic: choose another name"
                )
            try:
                value = self._evaluate(entry if isinstance(entry, str) else entry.value, parameters)
            except ArithmeticTextError as error:
                self.faults.add(path, str(error))
                value = ONE  # not zero: a division by it would be reported as a further fault
            self._parameters[name] = value
            if isinstance(entry, ParameterSchema) and entry.runtime:
                self._parameters[name] = self.add_parameter(name, value, entry.unit or "", path)

    def add_parameter(self, name: str, value: Exact, unit: str, path: Path) -> Exact:
        """Add a run-time parameter, and return the number that represents the parameter.

        Args:
            name: name of the parameter.
            value: default value of the parameter in SI units.
            unit: unit as text, such as kg; may be empty.
            path: field of the file that defines the parameter, for messages.
        """
        if not value.is_known:
            message = (
                "the default of a run-time parameter cannot depend on another one: "
                "remove `runtime` from one of them"
            )
            self.faults.add((*path, "value"), message)
        if make_identifier(name) in (
            make_identifier(parameter.name) for parameter in self.run_time
        ):
            self.faults.add(
                path,
                f"another run-time parameter also becomes `{make_identifier(name)}` in generated "
                "code",
            )
        parameter = Parameter(name, value, unit)
        self.run_time.append(parameter)
        return ParametricNumber(parameter)

    def _evaluate(self, text: str, parameters: dict[str, str | ParameterSchema]) -> Exact:
        """Return the value of a parameter's text; report a parameter that is defined later."""
        below = parameters.keys() - self._parameters.keys()
        try:
            return evaluate(text, self._parameters)
        except ArithmeticTextError as error:
            used = re.match("[A-Za-z0-9_]*", text[error.position - 1 :])
            if used and used.group() in below:
                message = (
                    f"`{used.group()}` is defined below: "
                    "a parameter may use only parameters above it"
                )
                raise ArithmeticTextError(message, text, error.position) from None
            raise

    def read_number(self, text: str | None, path: Path) -> Exact:
        """Return the exact value of a number or of arithmetic; zero for None."""
        if text is None:
            return ZERO
        try:
            value = evaluate(text, self._parameters)
        except ArithmeticTextError as error:
            self.faults.add(path, str(error))
            return ZERO
        name = text.strip()
        # A field that is only a parameter's name keeps this name, for comments in generated code.
        return NamedNumber(name, value) if name in self._parameters and value.is_known else value

    def read_angle(self, text: str | None, path: Path) -> Exact:
        """Return the value of a text as an angle (rad) after snapping; zero for None."""
        written = self.read_number(text, path)
        radians = written
        if text is not None and DECIMAL.fullmatch(text.strip()):
            radians = self._snapper.snap_angle(text, written, self._document.describe_place(path))
        if abs(radians) > MAX_ANGLE:
            self.faults.add(
                path,
                f"expected an angle in radians, at most {MAX_ANGLE} rad; for 90 degrees write "
                "deg(90)",
            )
        elif radians == written and abs(radians) > 2 * PI:
            self.warn(
                path,
                f"{float(radians):.6g} rad is more than a full rotation: "
                f"if it is in degrees, write deg({clip(text or '')})",
            )
        return radians

    def read_length(self, text: str | None, path: Path) -> Exact:
        """Return the value of a text as a length (m) after snapping; zero for None."""
        metres = self.read_number(text, path)
        if text is not None and DECIMAL.fullmatch(text.strip()):
            return self._snapper.snap_length(text, metres, self._document.describe_place(path))
        return metres

    def read_vector(self, texts: Sequence[str] | None, path: Path) -> Vector:
        """Return the values of three texts, such as the entries of `com`; zeros for None."""
        x, y, z = (
            self.read_number(text, (*path, i)) for i, text in enumerate(texts or (None,) * 3)
        )
        return x, y, z

    def read_tensor(self, texts: Sequence[str] | None, path: Path) -> Tensor:
        """Return Ixx, Iyy, Izz, Ixy, Ixz, Iyz (kg m^2) from three or six texts; zeros for None."""
        xx, yy, zz, *products = (
            self.read_number(text, (*path, i)) for i, text in enumerate(texts or (None,) * 3)
        )
        xy, xz, yz = products or (ZERO, ZERO, ZERO)
        return xx, yy, zz, xy, xz, yz

    def read_placement(self, fields: OriginSchema | FrameSchema, path: Path) -> Displacement:
        """Return the displacement with the fields `xyz` (m) and `rpy` (roll, pitch, yaw in rad)."""
        roll, pitch, yaw = (
            self.read_angle(text, (*path, "rpy", i)) for i, text in enumerate(fields.rpy)
        )
        x, y, z = (self.read_length(text, (*path, "xyz", i)) for i, text in enumerate(fields.xyz))
        return make_translation_and_rpy((x, y, z), (roll, pitch, yaw))
