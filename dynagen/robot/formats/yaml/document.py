"""YAML files as trees of plain values with line numbers, and the faults of a file.

A tree consists of mappings, lists and texts. Only a subset of YAML is allowed: one document,
without tags, anchors, aliases, merge keys and empty values. Numbers are kept as text, so that 0.1
is exactly 1/10.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from dynagen.errors import Fault, RobotDescriptionError, clip
from dynagen.robot.names import find_control_character

Path = tuple[str | int, ...]
Tree = dict[str, "Tree"] | list["Tree"] | str | bool

MAX_BYTES = 1_000_000
MAX_DEPTH = 20
_BOOLEANS = {
    word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")
}
_NULLS = ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True)
class Document:
    """The content of a YAML file.

    Attributes:
        source: name of the file.
        tree: valid content of the file: mappings, lists, texts and truth values; numbers are texts.
        lines: mapping from the path of each key and list item to its line, counted from 1.
        faults: pairs of a path and a message, for YAML syntax that descriptions do not allow.
    """

    source: str
    tree: dict[str, Tree]
    lines: dict[Path, int]
    faults: tuple[tuple[Path, str], ...] = ()

    def find_line(self, path: Path) -> int:
        """Return the line of a field (from 1), or of the nearest enclosing field in the file.

        Args:
            path: keys and list indices that lead to the field, such as ("links", 2, "mass").
        """
        while path not in self.lines:
            path = path[:-1]
        return self.lines[path]

    def describe_place(self, path: Path) -> str:
        """Return a field's path as text for users, e.g. `links[2] (forearm).dh.alpha`.

        Args:
            path: keys and list indices that lead to the field.
        """
        text = ""
        node: Any = self.tree
        for key in path:
            if isinstance(key, int):
                text += f"[{key}]"
                node = node[key] if isinstance(node, list) and key < len(node) else None
                name = node.get("name") if isinstance(node, dict) else None
                text += f" ({clip(name)})" if isinstance(name, str) else ""
            else:
                text += f".{clip(key)}" if text else clip(key)
                node = node.get(key) if isinstance(node, dict) else None
        return text

    def find_link(self, path: Path) -> str:
        """Return the name of the link that contains a field; empty for a field of no link.

        Args:
            path: keys and list indices that lead to the field, such as ("links", 2, "mass").
        """
        links = self.tree.get("links")
        entries: dict[str | int, Tree] = dict(enumerate(links)) if isinstance(links, list) else {}
        link = entries.get(path[1]) if path[:1] == ("links",) and len(path) > 1 else None
        return str(link.get("name", "")) if isinstance(link, dict) else ""


def read_yaml_document(data: bytes, source: str) -> Document:
    """Read one YAML document.

    Args:
        data: content of the file, in UTF-8.
        source: name of the file, for messages.

    Raises:
        RobotDescriptionError: the content is too large, not UTF-8 or not valid YAML, contains
            control characters, or is not a single YAML document with a mapping at the top.
    """
    text = _decode(data, source)
    _refuse_control_characters(text, source)
    if text.lstrip().startswith("<"):
        _refuse(source, "expected YAML, found XML: the name of a URDF file must end in .urdf", 1)
    builder = _YamlBuilder(source)
    try:
        tree = builder.document(YAML(pure=True).parse(text))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = str(error.problem or error.context)
        hint = "; write spaces instead of tabs" if r"'\t'" in problem else ""
        _refuse(
            source, f"not valid YAML: {clip(problem, 200)}{hint}", mark.line + 1 if mark else None
        )
    except (YAMLError, ValueError, IndexError) as error:
        # ruamel.yaml raises these for broken escapes and directives.
        _refuse(source, f"not valid YAML: {clip(str(error), 200)}", None)
    if not isinstance(tree, dict):
        _refuse(source, "expected a mapping with the keys name, convention, gravity and links", 1)
    return Document(source, tree, builder.lines, tuple(builder.faults))


def _refuse(source: str, message: str, line: int | None) -> NoReturn:
    raise RobotDescriptionError(source, [Fault("", message, line)])


def _decode(data: bytes, source: str) -> str:
    if len(data) > MAX_BYTES:
        _refuse(source, f"larger than {MAX_BYTES} bytes: this is not a robot description", None)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        _refuse(
            source, f"not UTF-8 text (byte 0x{data[error.start]:02x}): save the file as UTF-8", line
        )


def _refuse_control_characters(text: str, source: str) -> None:
    for number, line in enumerate(text.split("\n"), start=1):
        character = find_control_character(line)
        if character is not None:
            _refuse(
                source, f"control character U+{ord(character):04X}: this is not plain text", number
            )


@dataclass
class _YamlBuilder:
    """Builder of a tree from the events of a YAML parser.

    Reading continues after a fault, unless the remaining text has no clear meaning.
    """

    source: str
    faults: list[tuple[Path, str]] = field(default_factory=list)
    lines: dict[Path, int] = field(default_factory=dict)

    def document(self, events: Iterator[Any]) -> Tree:
        """Return the content of the only document in a YAML text."""
        tree: Tree = ""
        documents = 0
        for event in events:
            match type(event).__name__:
                case "DocumentStartEvent":
                    documents += 1
                    if documents > 1:
                        _refuse(
                            self.source,
                            "a second document starts here; a file describes one robot",
                            event.start_mark.line + 1,
                        )
                case "StreamStartEvent" | "StreamEndEvent" | "DocumentEndEvent":
                    pass
                case _:
                    tree = self.value(event, events, ())
        if not documents:
            _refuse(
                self.source,
                "the file is empty; expected the keys name, convention, gravity and links",
                1,
            )
        return tree

    def value(self, event: Any, events: Iterator[Any], path: Path) -> Tree:
        """Return the value whose first event is `event`: a text, truth value, list or mapping.

        The event's line is recorded for `path`, unless the line of its key is already recorded.
        """
        line = event.start_mark.line + 1
        self.lines.setdefault(path, line)
        if len(path) > MAX_DEPTH:
            _refuse(self.source, f"nested deeper than {MAX_DEPTH} levels", line)
        kind = type(event).__name__
        if kind == "AliasEvent":
            self.faults.append(
                (
                    path,
                    f"the alias `*{clip(event.anchor)}` is not supported: "
                    "write the value out, or name it under `parameters`",
                )
            )
            return ""
        if event.anchor is not None:
            self.faults.append(
                (
                    path,
                    f"the anchor `&{clip(event.anchor)}` is not supported: "
                    "write the value out, or name it under `parameters`",
                )
            )
        if event.tag is not None:
            self.faults.append(
                (
                    path,
                    f"the tag `{clip(str(event.tag))}` is not supported: "
                    "remove it, and write a plain value",
                )
            )
        if kind == "MappingStartEvent":
            return self.mapping(events, path)
        if kind == "SequenceStartEvent":
            return self.sequence(events, path)
        return self.scalar(event, path, line)

    def mapping(self, events: Iterator[Any], path: Path) -> dict[str, Tree]:
        """Return the mapping at `path`, which consists of the next events."""
        tree: dict[str, Tree] = {}
        for event in events:
            if type(event).__name__ == "MappingEndEvent":
                break
            line = event.start_mark.line + 1
            if type(event).__name__ != "ScalarEvent":
                _refuse(self.source, "a key must be a plain word", line)
            key = str(event.value)
            if event.anchor is not None or event.tag is not None:
                self.faults.append(
                    ((*path, key), "a key must be a plain word, without tag or anchor")
                )
            elif key == "<<":
                self.faults.append(
                    ((*path, key), "the merge key `<<` is not supported: write the keys out")
                )
            elif key in tree:
                self.faults.append(
                    ((*path, key), f"`{clip(key)}` is given twice, the second time in line {line}")
                )
            elif not key or find_control_character(key):
                self.faults.append(((*path, key), "a key must be a plain word"))
            self.lines.setdefault((*path, key), line)
            value = self.value(next(events), events, (*path, key))
            tree.setdefault(key, value)
        return tree

    def sequence(self, events: Iterator[Any], path: Path) -> list[Tree]:
        """Return the list at `path`, which consists of the next events."""
        tree: list[Tree] = []
        for event in events:
            if type(event).__name__ == "SequenceEndEvent":
                break
            tree.append(self.value(event, events, (*path, len(tree))))
        return tree

    def scalar(self, event: Any, path: Path, line: int) -> Tree:
        """Return the text or truth value of a scalar event at `path` and `line`."""
        text = str(event.value)
        if event.style is None and text in _BOOLEANS:
            return _BOOLEANS[text]
        if event.style is None and text in _NULLS:
            self.faults.append((path, "no value is given; write one, or remove the key"))
        elif character := find_control_character(text):
            self.faults.append((path, f"control character U+{ord(character):04X} in a text"))
        return text


class Faults:
    """Record of a file's faults. Faults inside a field that already has a fault are left out."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._faults: list[Fault] = []
        self._covered: set[Path] = set()
        for path, message in document.faults:
            self.add(path, message)

    def __bool__(self) -> bool:
        return bool(self._faults)

    def add(self, path: Path, message: str, covers: Path | None = None) -> None:
        """Report a fault of a field, unless the field or an enclosing field already has a fault.

        Args:
            path: keys and list indices that lead to the field.
            message: text with the found and the expected value.
            covers: path of the field whose later faults are ignored, by default `path`. For a
                missing key, `path` is the enclosing mapping and `covers` the key.
        """
        covers = path if covers is None else covers
        if not any(covers[:length] in self._covered for length in range(len(covers) + 1)):
            self._faults.append(
                Fault(self._document.describe_place(path), message, self._document.find_line(path))
            )
            self._covered.add(covers)

    def make_error(self) -> RobotDescriptionError:
        """Return one error with all faults of the file, in the order of their lines."""
        return RobotDescriptionError(
            self._document.source, sorted(self._faults, key=lambda fault: fault.line or 0)
        )
