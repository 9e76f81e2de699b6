"""Operation counts, cost models, fused multiply-adds and the critical path of programs.

Fused multiply-add: which products of a program an addition can take along in the same instruction.

Exact operation counts of a program: what one call of the emitted code computes.

Cost models: what a program costs on a target. By default every multiplication, addition and division counts as one.

The critical path: how long a program takes on a machine that never has to wait for anything but operands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from fractions import Fraction

from dynagen.errors import UsageError, did_you_mean
from dynagen.ir.program import Instruction, Operation, Program


def fused_products(program: Program) -> dict[int, int]:
    """Additions and subtractions that can take a product along, and the product, by positions.

    x*y + z is one instruction where nobody else needs x*y; an addition takes one product at most. As either of two products
    will do, these are all pairs that there can be.
    """
    return pair_products(dict(enumerate(program.instructions)), program.result_values())


def pair_products(
    instructions: Mapping[int, Instruction], results: Iterable[int]
) -> dict[int, int]:
    """Such pairs among instructions by position, all of which are needed for some results; operands may lie beyond them."""
    uses = Counter(
        operand for instruction in instructions.values() for operand in instruction.operands
    )
    uses.update(results)
    products = {
        position for position, each in instructions.items() if each.operation is Operation.MULTIPLY
    }
    pairs = {}
    for position, instruction in instructions.items():
        if instruction.operation in (Operation.ADD, Operation.SUBTRACT):
            for operand in instruction.operands:
                if uses[operand] == 1 and operand in products:
                    pairs[position] = operand
                    break
    return pairs


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
        rare = "".join(
            f", {getattr(self, kind)} {kind}" for kind in ("sqrt", "other") if getattr(self, kind)
        )
        return f"{self.mul} mul, {self.add} add, {self.div} div, {self.sincos} sincos{rare}"


KINDS = tuple(field.name for field in fields(OperationCount))


def count(program: Program) -> OperationCount:
    """Count the operations of a program; copies and constants cost nothing."""
    return count_instructions(program.instructions)


def count_instructions(instructions: Collection[Instruction]) -> OperationCount:
    """Count the operations of some instructions of one program."""
    kinds = Counter(instruction.operation.kind for instruction in instructions)
    angles = {
        instruction.operands[0]
        for instruction in instructions
        if instruction.operation.kind == "sincos"
    }
    return OperationCount(**{kind: kinds[kind] for kind in KINDS} | {"sincos": len(angles)})


FMA = "fma"

Cost = tuple[Fraction, int]
"""What a program costs under a model, and its mul + add + div, which decide between programs of equal cost."""


@dataclass(frozen=True)
class CostModel:
    """The cost of every kind of operation on a target.

    Attributes:
        name: as users write it.
        weights: of one operation, by kind as in `OperationCount`; `fma` is that of a product and the addition that takes it
            along. Kinds that are left out cost nothing; without `fma` nothing is fused.
        meaning: what the weights are, for users.
    """

    name: str
    weights: Mapping[str, Fraction] = field(hash=False)
    meaning: str = "weights as given"

    def of(self, operation: Operation) -> Fraction:
        """Weight of an operation by itself."""
        return self.weights.get(operation.kind, Fraction(0))

    @property
    def fusing_saves(self) -> Fraction:
        """The cost that fusing a product and an addition saves; zero where that would cost more."""
        separate = self.of(Operation.MULTIPLY) + self.of(Operation.ADD)
        return max(Fraction(0), separate - self.weights.get(FMA, separate))

    def cost(self, operations: OperationCount, fused: int) -> Cost:
        """Cost of a program with so many operations, of which so many pairs can be fused."""
        counts = operations.as_dict()
        weighted = sum(
            (counts[kind] * weight for kind, weight in self.weights.items() if kind != FMA),
            Fraction(0),
        )
        return weighted - fused * self.fusing_saves, operations.total


def cost_of(program: Program, model: CostModel) -> Cost:
    """The cost of one call of a program under a model."""
    return model.cost(count(program), len(fused_products(program)) if model.fusing_saves else 0)


def _model(name: str, meaning: str, **weights: int) -> CostModel:
    return CostModel(name, {kind: Fraction(weight) for kind, weight in weights.items()}, meaning)


FLOPS = _model("flops", "mul + add + div", mul=1, add=1, div=1)
COST_MODELS = (
    FLOPS,
    _model("mul", "multiplications and divisions", mul=1, div=1),
    _model(
        "fma",
        "a fused multiply-add is one operation, a division eight",
        mul=1,
        add=1,
        fma=1,
        div=8,
        sqrt=8,
        neg=1,
    ),
    # Texas Instruments SWCU192 (technical reference of the CC13x2 and CC26x2), table 3-27: the Cortex-M4F's own unit;
    # a square root as in GCC's cortex-m4-fpu.md, like a division. Sine and cosine are left to a library, with no figure.
    _model(
        "cortex-m4",
        "cycles of the single-precision unit",
        mul=1,
        add=1,
        fma=3,
        div=14,
        sqrt=14,
        neg=1,
        other=1,
    ),
    # GCC's library on a Cortex-M0, measured by the author of Qfplib-M0-full (table of speeds); add: mean of add and subtract.
    _model(
        "softfloat",
        "cycles without a floating-point unit",
        mul=166,
        add=105,
        div=475,
        sqrt=460,
        sincos=6650,
        neg=1,
    ),
)


def find_cost(text: str) -> CostModel:
    """A cost model by its name, or by weights: `mul=2,add=1,div=14`; a name before weights says what the others are.

    Raises:
        UsageError: there is no such model or kind of operation, or a weight is no number.
    """
    known = {model.name: model for model in COST_MODELS}
    first, *others = (part.strip() for part in text.split(","))
    if first in known and not others:
        return known[first]
    model = known.get(first, CostModel("", {}))
    weights = dict(model.weights)
    for part in others if first in known else [first, *others]:
        kind, given, number = part.partition("=")
        if not given:
            raise UsageError(f"unknown cost {part!r}{did_you_mean(part, known) or _EXPECTED}")
        if kind not in (*KINDS, FMA):
            raise UsageError(
                f"unknown operation {kind!r} in --cost{did_you_mean(kind, (*KINDS, FMA)) or _EXPECTED}"
            )
        weights[kind] = _weight(kind, number)
    if not any(weights.values()):
        raise UsageError(f"--cost {text}: some operation has to cost something")
    return replace(model, name=text.replace(" ", ""), weights=weights, meaning="weights as given")


_EXPECTED = (
    f"; expected one of {', '.join(model.name for model in COST_MODELS)}, or weights as `mul=2,add=1,div=14`; "
    f"there are {', '.join((*KINDS, FMA))}"
)


def _weight(kind: str, text: str) -> Fraction:
    if not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", text, re.ASCII):
        raise UsageError(
            f"the cost of {kind} has to be a number as 2 or 1.5, below a million, found {text!r}"
        )
    return Fraction(text)


def critical_path(program: Program, model: CostModel) -> Fraction:
    """Cost of the longest chain of operations of which each needs the one before.

    Every operation takes the time that it costs. The program's cost divided by this is its parallelism: how many operations
    can be under way at once, on average (J. L. Hennessy, D. A. Patterson, Computer Architecture, section 3.1).
    """
    pairs = fused_products(program) if model.fusing_saves else {}
    taken_along = set(pairs.values())
    ready: list[Fraction] = []
    for position, instruction in enumerate(program.instructions):
        start = max((ready[operand] for operand in instruction.operands), default=Fraction(0))
        takes = Fraction(0) if position in taken_along else model.of(instruction.operation)
        ready.append(start + (model.weights[FMA] if position in pairs else takes))
    return max((ready[value] for value in program.result_values()), default=Fraction(0))
