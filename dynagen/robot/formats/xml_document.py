"""XML documents as trees of elements with line numbers, read by the standard library's expat.

A document type declaration is rejected, so that no entities can be declared or expanded. Numbers
are kept as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from dynagen.errors import Fault, RobotDescriptionError, clip
from dynagen.robot.names import find_control_character

MAX_BYTES = 4_000_000
MAX_DEPTH = 100
MAX_TEXT = 200


@dataclass(frozen=True)
class XmlElement:
    """An element of an XML document.

    Attributes:
        line: line on which the element begins, counted from 1.
        text: text before the first child, at most MAX_TEXT characters.
    """

    tag: str
    attributes: Mapping[str, str]
    line: int
    children: tuple[XmlElement, ...] = ()
    text: str = ""

    def find(self, tag: str) -> XmlElement | None:
        """Return the first child with a tag, or None."""
        return next(self.find_all(tag), None)

    def find_all(self, tag: str) -> Iterator[XmlElement]:
        """Yield the children with a tag, in the order of the file."""
        return (child for child in self.children if child.tag == tag)


def read_xml(data: bytes, source: str) -> XmlElement:
    """Read an XML document and return its outermost element.

    Args:
        data: content of the file, in UTF-8, UTF-16 or the encoding of its XML declaration.
        source: name of the file, for messages.

    Raises:
        RobotDescriptionError: the content is not well-formed XML, contains a document type or a
            control character, is too large, or has too many levels.
    """
    if len(data) > MAX_BYTES:
        raise _build_error(
            source, f"larger than {MAX_BYTES} bytes: this is not a robot description", None
        )
    parser = expat.ParserCreate()
    builder = _XmlBuilder(source, parser)
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    parser.StartDoctypeDeclHandler = builder.refuse_document_type
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise _build_error(
            source, f"not well-formed XML: {expat.ErrorString(error.code)}", error.lineno
        ) from None
    except (LookupError, ValueError) as error:  # Python does not know the encoding
        raise _build_error(
            source, f"not readable as XML: {clip(str(error))}; save the file as UTF-8", 1
        ) from None
    return builder.root


def _build_error(source: str, message: str, line: int | None) -> RobotDescriptionError:
    return RobotDescriptionError(source, [Fault("", message, line)])


@dataclass
class _OpenElement:
    """An XML element whose end tag has not been read yet."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[XmlElement] = field(default_factory=list)
    text: str = ""


class _XmlBuilder:
    """Handlers of expat's events, which build the tree of elements."""

    def __init__(self, source: str, parser: expat.XMLParserType) -> None:
        self._source = source
        self._parser = parser
        self._open = [_OpenElement("", {}, 1)]

    @property
    def root(self) -> XmlElement:
        """The outermost element of the document."""
        return self._open[0].children[0]

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Begin an element; expat calls this method for each start tag."""
        line = self._parser.CurrentLineNumber
        if len(self._open) > MAX_DEPTH:
            raise _build_error(self._source, f"nested deeper than {MAX_DEPTH} levels", line)
        for name, text in attributes.items():
            if character := find_control_character(name + text):
                message = (
                    f"control character U+{ord(character):04X} in `{clip(name)}`: "
                    "this is not plain text"
                )
                raise _build_error(self._source, message, line)
        self._open.append(_OpenElement(tag, attributes, line))

    def end(self, tag: str) -> None:
        """Add the current element to its parent; expat calls this method for each end tag."""
        element = self._open.pop()
        self._open[-1].children.append(
            XmlElement(tag, element.attributes, element.line, tuple(element.children), element.text)
        )

    def characters(self, text: str) -> None:
        """Add text to the current element, up to MAX_TEXT characters.

        Text after the first child of the element is ignored.
        """
        element = self._open[-1]
        if not element.children and len(element.text) < MAX_TEXT:
            element.text = (element.text + text)[:MAX_TEXT]

    def refuse_document_type(self, name: str, *identifiers: object) -> None:
        """Raise a RobotDescriptionError, because a document type is not allowed."""
        message = (
            f"document type `{clip(name)}`: not allowed in a robot description, "
            "remove <!DOCTYPE ...> and its entities"
        )
        raise _build_error(self._source, message, self._parser.CurrentLineNumber)
