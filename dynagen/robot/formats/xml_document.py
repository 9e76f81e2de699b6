"""XML text -> a tree of elements that know their lines, by the standard library's expat.

A document type is refused where it begins, so that no entity is ever declared and none expands. Numbers stay the text that was
written. Nothing here knows what the elements are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from dynagen.errors import Fault, RobotDescriptionError, shown
from dynagen.robot.names import find_control_character

MAX_BYTES = 4_000_000
MAX_DEPTH = 100
MAX_TEXT = 200


@dataclass(frozen=True)
class Element:
    """An element.

    Attributes:
        line: on which it begins, counted from 1.
        text: in front of its first child, at most MAX_TEXT characters.
    """

    tag: str
    attributes: Mapping[str, str]
    line: int
    children: tuple[Element, ...] = ()
    text: str = ""

    def find(self, tag: str) -> Element | None:
        """The first child of this name; others of the same name do not count, as in ROS."""
        return next(self.find_all(tag), None)

    def find_all(self, tag: str) -> Iterator[Element]:
        """The children of this name, in their order."""
        return (child for child in self.children if child.tag == tag)


def read_document(data: bytes, source: str) -> Element:
    """Read an XML document: its outermost element.

    Args:
        data: the file's bytes, in UTF-8, UTF-16 or what the XML declaration names.
        source: the file's name, for messages.

    Raises:
        RobotDescriptionError: this is not well-formed XML, declares a document type, or is too large or nested too deep.
    """
    if len(data) > MAX_BYTES:
        raise _refusal(source, f"larger than {MAX_BYTES} bytes: this is no robot description", None)
    parser = expat.ParserCreate()
    builder = _Builder(source, parser)
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    parser.StartDoctypeDeclHandler = builder.refuse_document_type
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise _refusal(
            source, f"not well-formed XML: {expat.ErrorString(error.code)}", error.lineno
        ) from None
    except (
        LookupError,
        ValueError,
    ) as error:  # what Python raises for encodings that it does not know
        raise _refusal(
            source, f"not readable as XML: {shown(str(error))}; save the file as UTF-8", 1
        ) from None
    return builder.root


def _refusal(source: str, message: str, line: int | None) -> RobotDescriptionError:
    return RobotDescriptionError(source, [Fault("", message, line)])


@dataclass
class _Open:
    """An element whose end has not been read."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""


class _Builder:
    """expat's events -> elements."""

    def __init__(self, source: str, parser: expat.XMLParserType) -> None:
        self._source = source
        self._parser = parser
        self._open = [_Open("", {}, 1)]

    @property
    def root(self) -> Element:
        """The outermost element."""
        return self._open[0].children[0]

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self._parser.CurrentLineNumber
        if len(self._open) > MAX_DEPTH:
            raise _refusal(self._source, f"nested deeper than {MAX_DEPTH} levels", line)
        for name, text in attributes.items():
            if character := find_control_character(name + text):
                message = f"control character U+{ord(character):04X} in `{shown(name)}`: this is no plain text"
                raise _refusal(self._source, message, line)
        self._open.append(_Open(tag, attributes, line))

    def end(self, tag: str) -> None:
        done = self._open.pop()
        self._open[-1].children.append(
            Element(tag, done.attributes, done.line, tuple(done.children), done.text)
        )

    def characters(self, text: str) -> None:
        into = self._open[-1]
        if not into.children and len(into.text) < MAX_TEXT:
            into.text = (into.text + text)[:MAX_TEXT]

    def refuse_document_type(self, name: str, *identifiers: object) -> None:
        message = f"document type `{shown(name)}`: a robot description needs none, remove <!DOCTYPE ...> and its entities"
        raise _refusal(self._source, message, self._parser.CurrentLineNumber)
