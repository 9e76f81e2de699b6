"""The faults of one description, collected until all are known."""

from __future__ import annotations

from dynagen.description.yaml.document import Document, Path
from dynagen.errors import Fault, RobotDescriptionError


class Faults:
    """Faults by field. A field that is already at fault, or lies inside one that is, is not reported again."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._faults: list[Fault] = []
        self._covered: set[Path] = set()
        for path, message in document.faults:
            self.add(path, message)

    def __bool__(self) -> bool:
        return bool(self._faults)

    def add(self, path: Path, message: str, covers: Path | None = None) -> None:
        """Report a field.

        Args:
            path: the field.
            message: what was found and what was expected.
            covers: field that is not worth a second report, if it is another one: what is missing has no place of its own.
        """
        covers = path if covers is None else covers
        if not any(covers[:length] in self._covered for length in range(len(covers) + 1)):
            self._faults.append(Fault(self._document.where(path), message, self._document.line(path)))
            self._covered.add(covers)

    def error(self) -> RobotDescriptionError:
        """All of them as one error, in the order of lines."""
        return RobotDescriptionError(self._document.source, sorted(self._faults, key=lambda fault: fault.line or 0))
