"""C kernels in segments: static functions that share values in a structure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from dynagen.codegen.languages.c.printer import CPrinter, declare_function
from dynagen.codegen.printing import WIDTH, Paragraph, heading
from dynagen.codegen.routine import Routine
from dynagen.codegen.segments import Segment, Segmentation, copy_inputs, runs
from dynagen.ir.program import Argument, Element
from dynagen.ir.statements import Name, Store
from dynagen.numbers.real import Real

_INDENT = "    "


@dataclass(frozen=True)
class CSegment:
    """A static function: title, declaration and statements."""

    title: str
    prototype: str
    paragraphs: list[Paragraph]


class CSegmentPrinter(CPrinter):
    """Printer of a routine that is divided into segments.

    Values that are read outside their segment are members of a structure on the kernel's stack. The
    parameters of a segment are the arguments that it reads or fills, and a pointer to the
    structure.

    Attributes:
        segmentation: segments to print.
    """

    def __init__(
        self,
        routine: Routine,
        real: Real,
        type_name: str,
        macro: str,
        steps: str,
        segmentation: Segmentation,
    ) -> None:
        super().__init__(routine, real, type_name, macro, steps)
        # An earlier segment may have stored results into an array that is also an input.
        self.segmentation = copy_inputs(segmentation, self.copy)
        self._pointer = self.table.claim("kept")
        self._index = self.table.claim("i")
        self._members = [
            self.names.get(name) or self.table.claim(name) for name in self.segmentation.kept
        ]
        # From here on, a kept value is printed as a member of the structure.
        self.names.update(
            (name, f"{self._pointer}->{member}")
            for name, member in zip(self.segmentation.kept, self._members, strict=True)
        )

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Yield the definition of a constant, or an assignment to a member of the structure."""
        if self._is_member(name):
            yield from self._statement(f"{name} = {expression};")
        else:
            yield from super().assign(name, expression)

    def assign_sine_cosine(self, angle: str, sine: str | None, cosine: str | None) -> Iterator[str]:
        """Yield a call of the header's macro; members of the structure are declared already."""
        if sine and cosine:
            if local := [name for name in (sine, cosine) if not self._is_member(name)]:
                yield f"{_INDENT}{self._type} {', '.join(local)};"
            yield from self._statement(f"{self._macro}_SINCOS({angle}, {sine}, {cosine});")
        else:
            yield from super().assign_sine_cosine(angle, sine, cosine)

    def structure(self) -> list[str]:
        """Return the declaration of the structure."""
        first, *others = wrap(
            f"{self._type} {', '.join(self._members)};",
            WIDTH - 2 * len(_INDENT),
            break_on_hyphens=False,
        )
        return [
            f"struct {self._tag} {{",
            _INDENT + first,
            *(2 * _INDENT + line for line in others),
            "};",
        ]

    def segments(self) -> Iterator[CSegment]:
        """Yield the static functions, in order."""
        for number, segment in enumerate(self.segmentation.segments, 1):
            inputs = [each for each in self._arguments(segment) if each in self.signature.inputs]
            outputs = [
                each for each in self._arguments(segment) if each not in self.signature.inputs
            ]
            parameters = [self._declaration(each, "const ") for each in inputs] + [
                self._declaration(each) for each in outputs
            ]
            if self._hands_on(segment):
                constant = (
                    ""
                    if any(name in self.segmentation.kept for name in segment.assigned)
                    else "const "
                )
                parameters.append(f"{constant}struct {self._tag} *{self._pointer}")
            stores = tuple(line for run in runs(segment.stores) for line in self._store(run))
            paragraphs = [
                *map(self.paragraph, segment.blocks),
                *([Paragraph("Results", stores)] if stores else []),
            ]
            prototype = declare_function(
                f"static {self._macro}_SEGMENT void", self._symbol(number), parameters
            )
            yield CSegment(heading(self.segmentation, number), prototype, paragraphs)

    def calls(self) -> list[Paragraph]:
        """Return the statements of the kernel, which calls the segments with one structure."""
        lines = [f"{_INDENT}struct {self._tag} {self._pointer}[1];"]
        for number, segment in enumerate(self.segmentation.segments, 1):
            arguments = [self.names[argument.name] for argument in self._arguments(segment)]
            arguments += [self._pointer] if self._hands_on(segment) else []
            lines += self._statement(f"{self._symbol(number)}({', '.join(arguments)});")
        return [Paragraph("", (*lines, *self.statuses()))]

    @property
    def _tag(self) -> str:
        return f"{self.routine.symbol}_kept"

    def _symbol(self, number: int) -> str:
        return f"{self.routine.symbol}_{number}"

    def _is_member(self, name: str) -> bool:
        return name.startswith(f"{self._pointer}->")

    def _hands_on(self, segment: Segment) -> bool:
        """Return whether a segment reads or assigns a member of the structure."""
        names = {atom.name for atom in segment.read if isinstance(atom, Name)}.union(
            segment.assigned
        )
        return not names.isdisjoint(self.segmentation.kept)

    def _store(self, run: Sequence[Store]) -> Iterator[str]:
        """Yield the store of one result, or a loop that stores one number in consecutive places."""
        (place, value), (last, _) = run[0], run[-1]
        if len(run) == 1:
            yield f"{_INDENT}{self.element(place)} = {self.expression(value)};"
        else:
            i, name = self._index, self.names[place.argument]
            yield f"{_INDENT}for (int {i} = {place.index}; {i} <= {last.index}; {i}++) {{"
            yield f"{2 * _INDENT}{name}[{i}] = {self.expression(value)};"
            yield f"{_INDENT}}}"

    def _arguments(self, segment: Segment) -> list[Argument]:
        """Return the arguments that a segment reads or fills, in the kernel's order."""
        # Only needed arguments are passed, against compiler warnings.
        used = {atom.argument for atom in segment.read if isinstance(atom, Element)}
        used |= {place.argument for place, _ in segment.stores}
        return [argument for argument in self.signature.arguments if argument.name in used]
