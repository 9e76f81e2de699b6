"""The text of a field -> Exact quantities, with faults and notes collected on the way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from dynagen.errors import Fault, shown
from dynagen.numbers.exact import ONE, PI, ZERO, Exact
from dynagen.numbers.parametric import Parameter, Parametric
from dynagen.numbers.traced import Named
from dynagen.robot.arithmetic import RESERVED_NAMES, ArithmeticTextError, evaluate
from dynagen.robot.description import Tensor
from dynagen.robot.formats.yaml.document import Document, Faults, Path
from dynagen.robot.formats.yaml.schema import FrameSchema, OriginSchema, ParameterSchema
from dynagen.robot.literals import DECIMAL, MAX_ANGLE, Snapper, Snapping, Tolerances
from dynagen.robot.names import MAX_NAME, identifier
from dynagen.robot.pose import Displacement, Vector, translation_and_rpy

TOLERANCES = Tolerances(Fraction(0), Fraction(0))
"""People write these files: unless they say otherwise, angles are snapped by their digits alone, and lengths never."""


class Quantities:
    """Reads the numbers of one description. A faulty number is reported and read as zero.

    Attributes:
        notes: what a user should know besides.
        snaps: numbers that were read otherwise than they are written.
        warnings: what is most likely a mistake.
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

    def note(self, path: Path, message: str) -> None:
        """Keep what a user should know about a field."""
        self.notes.append(f"{self._document.where(path)}: {message}")

    def warn(self, path: Path, message: str) -> None:
        """Keep what is most likely a mistake: the rule that is broken, and what to do."""
        link = self._document.link(path)
        self.warnings.append(
            Fault(self._document.where(path), message, self._document.line(path), link)
        )

    def read_parameters(self, parameters: dict[str, str | ParameterSchema]) -> None:
        """Evaluate `parameters` in order; each may use those above it."""
        for name, entry in parameters.items():
            path: Path = ("parameters", name)
            if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) or len(name) > MAX_NAME:
                self.faults.add(
                    path,
                    f"a parameter's name is a letter, then letters, digits or _, at most {MAX_NAME}",
                )
            elif name.lower() in RESERVED_NAMES:
                self.faults.add(
                    path, f"`{name}` already means something in arithmetic: choose another name"
                )
            try:
                value = self._evaluated(
                    entry if isinstance(entry, str) else entry.value, parameters
                )
            except ArithmeticTextError as error:
                self.faults.add(path, str(error))
                value = ONE  # not zero: a division by it would look like another fault
            self._parameters[name] = value
            if isinstance(entry, ParameterSchema) and entry.runtime:
                self._parameters[name] = self.at_run_time(name, value, entry.unit or "", path)

    def at_run_time(self, name: str, value: Exact, unit: str, path: Path) -> Exact:
        """Add a parameter that stays an argument of the generated code; returns the number that it stands for."""
        if not value.is_known:
            message = "the default of a run-time parameter cannot depend on another one: remove `runtime` from one of them"
            self.faults.add((*path, "value"), message)
        if identifier(name) in (identifier(parameter.name) for parameter in self.run_time):
            self.faults.add(
                path,
                f"another run-time parameter also becomes `{identifier(name)}` in generated code",
            )
        parameter = Parameter(name, value, unit)
        self.run_time.append(parameter)
        return Parametric(parameter)

    def _evaluated(self, text: str, parameters: dict[str, str | ParameterSchema]) -> Exact:
        below = {name: ONE for name in parameters if name not in self._parameters}
        try:
            return evaluate(text, self._parameters)
        except ArithmeticTextError as error:
            used = re.match("[A-Za-z0-9_]*", text[error.position - 1 :])
            if used and used.group() in below:
                message = f"`{used.group()}` is not known yet: a parameter may use those above it"
                raise ArithmeticTextError(message, text, error.position) from None
            raise

    def number(self, text: str | None, path: Path) -> Exact:
        """A number; one that is not given is zero."""
        if text is None:
            return ZERO
        try:
            value = evaluate(text, self._parameters)
        except ArithmeticTextError as error:
            self.faults.add(path, str(error))
            return ZERO
        name = text.strip()
        return Named(name, value) if name in self._parameters and value.is_known else value

    def angle(self, text: str | None, path: Path) -> Exact:
        """A number in radians; a bare decimal may be snapped."""
        written = self.number(text, path)
        radians = written
        if text is not None and DECIMAL.fullmatch(text.strip()):
            radians = self._snapper.angle(text, written, self._document.where(path))
        if abs(radians) > MAX_ANGLE:
            self.faults.add(path, f"beyond {MAX_ANGLE} rad: angles are in radians, deg(90) is pi/2")
        elif radians == written and abs(radians) > 2 * PI:
            self.warn(
                path,
                f"{float(radians):.6g} rad is more than a full rotation: for degrees write deg({shown(text or '')})",
            )
        return radians

    def length(self, text: str | None, path: Path) -> Exact:
        """A number in m; a bare decimal may be snapped."""
        metres = self.number(text, path)
        if text is not None and DECIMAL.fullmatch(text.strip()):
            return self._snapper.length(text, metres, self._document.where(path))
        return metres

    def vector(self, texts: Sequence[str] | None, path: Path) -> Vector:
        """Three numbers; zero if not given."""
        x, y, z = (self.number(text, (*path, i)) for i, text in enumerate(texts or (None,) * 3))
        return x, y, z

    def tensor(self, texts: Sequence[str] | None, path: Path) -> Tensor:
        """Ixx, Iyy, Izz, Ixy, Ixz, Iyz from these six or from the diagonal; zero if not given."""
        xx, yy, zz, *products = (
            self.number(text, (*path, i)) for i, text in enumerate(texts or (None,) * 3)
        )
        xy, xz, yz = products or (ZERO, ZERO, ZERO)
        return xx, yy, zz, xy, xz, yz

    def placement(self, fields: OriginSchema | FrameSchema, path: Path) -> Displacement:
        """A translation in m, then yaw, pitch and roll."""
        roll, pitch, yaw = (
            self.angle(text, (*path, "rpy", i)) for i, text in enumerate(fields.rpy)
        )
        x, y, z = (self.length(text, (*path, "xyz", i)) for i, text in enumerate(fields.xyz))
        return translation_and_rpy((x, y, z), (roll, pitch, yaw))
