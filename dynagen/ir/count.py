"""Exact operation counts of a program: what one call of the emitted code computes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import asdict, dataclass, fields

from dynagen.ir.program import Instruction, Program


@dataclass(frozen=True)
class OperationCount:
    """Operations of one call.

    Attributes:
        mul, add, div, sqrt: as emitted; a subtraction is an add.
        sincos: angles of which sine, cosine or both are computed, however that is done.
        neg: sign changes that need an instruction of their own; those absorbed by an addition or a literal are free.
        other: absolute values, signs, minima and maxima, tanh and exp.
    """

    mul: int = 0
    add: int = 0
    div: int = 0
    sqrt: int = 0
    sincos: int = 0
    neg: int = 0
    other: int = 0

    @property
    def total(self) -> int:
        """The mark by which programs are compared: mul + add + div."""
        return self.mul + self.add + self.div

    def as_dict(self) -> dict[str, int]:
        """The counts by name, as the manifest has them."""
        return asdict(self)

    def __str__(self) -> str:
        rare = "".join(f", {getattr(self, kind)} {kind}" for kind in ("sqrt", "other") if getattr(self, kind))
        return f"{self.mul} mul, {self.add} add, {self.div} div, {self.sincos} sincos{rare}"


KINDS = tuple(field.name for field in fields(OperationCount))


def count(program: Program) -> OperationCount:
    """Count the operations of a program; copies and constants cost nothing."""
    return count_instructions(program.instructions)


def count_instructions(instructions: Collection[Instruction]) -> OperationCount:
    """Count the operations of some instructions of one program."""
    kinds = Counter(instruction.operation.kind for instruction in instructions)
    angles = {instruction.operands[0] for instruction in instructions if instruction.operation.kind == "sincos"}
    return OperationCount(**{kind: kinds[kind] for kind in KINDS} | {"sincos": len(angles)})
