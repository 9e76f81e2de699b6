"""Operation counts, cost models, fused multiply-adds and critical path of programs.

Counts are the exact numbers of operations in one call of the emitted code. A cost model multiplies
the counts by the costs on a processor; by default a multiplication, addition or division costs one.
The critical path is the costliest chain of operations in which each uses the result of the one
before. Its cost is the run time with unlimited arithmetic units.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from fractions import Fraction
from operator import attrgetter

from dynagen.errors import UsageError, suggest_word
from dynagen.ir.operation import ADD, MULTIPLY, SUBTRACT
from dynagen.ir.program import Instruction, Operation, Program


def find_fused_products(program: Program) -> dict[int, int]:
    """Return the products that a processor can fuse with an addition or subtraction.

    x*y + z is one machine instruction (FMA) if x*y has no other use. An addition is fused with at
    most one product.

    Returns:
        Mapping from the position of the addition or subtraction to the position of the product.
    """
    return pair_products(dict(enumerate(program.instructions)), program.iterate_result_values())


def pair_products(
    instructions: Mapping[int, Instruction], results: Iterable[int]
) -> dict[int, int]:
    """Return the products that can be fused with an addition, for some instructions of a program.

    A product whose only use is an addition or subtraction is fused with it (FMA).

    Args:
        instructions: mapping from positions to instructions; operands of these instructions may
            be absent from the mapping.
        results: positions of values that are used outside `instructions`, with one entry for each
            use. Such products are not fused.

    Returns:
        Mapping from the position of the addition or subtraction to the position of the product.
    """
    uses = Counter(
        operand for instruction in instructions.values() for operand in instruction.operands
    )
    uses.update(results)
    products = {
        position
        for position, instruction in instructions.items()
        if instruction.operation is MULTIPLY
    }
    pairs = {}
    for position, instruction in instructions.items():
        if instruction.operation in (ADD, SUBTRACT):
            for operand in instruction.operands:
                # A product with other uses is computed anyway, so fusing it saves nothing.
                if uses[operand] == 1 and operand in products:
                    pairs[position] = operand
                    break
    return pairs


@dataclass(frozen=True)
class OperationCount:
    """Numbers of operations of one call of a kernel.

    Attributes:
        mul: multiplications.
        add: additions and subtractions.
        div: divisions.
        sqrt: square roots.
        sincos: angles whose sine, cosine or both are computed.
        neg: sign changes that need an instruction; a sign in an addition or a literal is free.
        other: absolute values, signs, minima, maxima, tanh, exp and lookups in tables.
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
        """Number mul + add + div of operations, by which programs are compared."""
        return self.mul + self.add + self.div

    def as_dict(self) -> dict[str, int]:
        """Return a mapping from the name of each count, such as `mul`, to the count."""
        return asdict(self)

    def __str__(self) -> str:
        rare = "".join(
            f", {getattr(self, kind)} {kind}" for kind in ("sqrt", "other") if getattr(self, kind)
        )
        return f"{self.mul} mul, {self.add} add, {self.div} div, {self.sincos} sincos{rare}"


KINDS = tuple(field.name for field in fields(OperationCount))


def count(program: Program) -> OperationCount:
    """Return the number of operations of each kind in one call of a program.

    Copies, constants and inputs are not counted. Sine and cosine of the same angle count as one
    `sincos`.
    """
    return count_instructions(program.instructions)


def count_instructions(instructions: Collection[Instruction]) -> OperationCount:
    """Return the number of operations of each kind among some instructions of one program.

    Copies, constants and inputs are not counted. Sine and cosine of the same angle count as one
    `sincos`.
    """
    kinds = dict.fromkeys(("", *KINDS), 0)
    for operation, number in Counter(map(attrgetter("operation"), instructions)).items():
        kinds[operation.kind] += number
    # Sine and cosine of one angle count once.
    if kinds["sincos"]:
        angles = {
            instruction.operands[0]
            for instruction in instructions
            if instruction.operation.kind == "sincos"
        }
        kinds["sincos"] = len(angles)
    del kinds[""]  # copies, constants and inputs
    return OperationCount(**kinds)


FMA = "fma"

Cost = tuple[Fraction, int]
"""Type of a cost: the cost under a model, then the number mul + add + div of operations.

Of two programs with equal costs under the model, the one with fewer operations is preferred.
"""


@dataclass(frozen=True)
class CostModel:
    """The cost of each kind of operation on a processor.

    Attributes:
        name: name on the command line, such as "flops", or the text of the weights.
        weights: mapping from a kind of operation (a field of `OperationCount`) to the cost of one
            operation. The key `fma` is the cost of a fused product and addition. A kind of
            operation that is not a key costs nothing; without the key `fma` no products are fused.
        meaning: unit of the weights in words, shown to users.
    """

    name: str
    weights: Mapping[str, Fraction] = field(hash=False)
    meaning: str = "weights as given"

    def weigh(self, operation: Operation) -> Fraction:
        """Return the cost of an operation outside a fused multiply-add; zero without a weight."""
        return self.weights.get(operation.kind, Fraction(0))

    @property
    def fusing_saves(self) -> Fraction:
        """Cost that fusing one product with an addition saves, at least 0: mul + add - fma.

        Without the weight `fma`, no products are fused and the saving is 0.
        """
        # Example: with mul = add = fma = 1 each fused pair saves one.
        separate = self.weigh(MULTIPLY) + self.weigh(ADD)
        return max(Fraction(0), separate - self.weights.get(FMA, separate))

    def compute_cost(self, operations: OperationCount, fused: int) -> Cost:
        """Return the cost of a program under this model, and its number of operations.

        Args:
            operations: operation counts of the program.
            fused: number of multiplications that are fused with an addition or subtraction.

        Returns:
            The cost, with the saving by fused operations, and the number mul + add + div.
        """
        counts = operations.as_dict()
        weighted = sum(
            (counts[kind] * weight for kind, weight in self.weights.items() if kind != FMA),
            Fraction(0),
        )
        return weighted - fused * self.fusing_saves, operations.total


def compute_cost(program: Program, model: CostModel) -> Cost:
    """Return the cost of one call of a program, and its number of operations.

    Args:
        program: the program.
        model: the cost of each kind of operation; products are fused only if that saves cost.

    Returns:
        The cost in the unit of the model, and the number mul + add + div.
    """
    return model.compute_cost(
        count(program), len(find_fused_products(program)) if model.fusing_saves else 0
    )


def _model(name: str, meaning: str, **weights: int) -> CostModel:
    """Return a cost model; `weights` are the weights by kind of operation."""
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
    # Texas Instruments SWCU192 (technical reference of the CC13x2 and CC26x2), table 3-27: the
    # floating-point unit of the Cortex-M4F. A square root costs as much as a division, as in GCC's
    # cortex-m4-fpu.md. Sine and cosine come from a library and have no figure.
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
    # GCC's library on a Cortex-M0, measured by the author of Qfplib-M0-full (table of speeds). add:
    # mean of addition and subtraction.
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
    """Return the cost model that a user names or defines.

    Args:
        text: name of a model, such as "fma", or weights such as "mul=2,add=1,div=14". A model's
            name before the weights, as in "fma,div=14", supplies the weights of all kinds of
            operations that the text does not set.

    Raises:
        UsageError: unknown model or kind of operation, an invalid weight, or only zero weights.
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
            raise UsageError(f"unknown cost {part!r}{suggest_word(part, known) or _EXPECTED}")
        if kind not in (*KINDS, FMA):
            raise UsageError(
                f"unknown operation {kind!r} in --cost"
                f"{suggest_word(kind, (*KINDS, FMA)) or _EXPECTED}"
            )
        weights[kind] = _weight(kind, number)
    if not any(weights.values()):
        raise UsageError(f"--cost {text}: expected at least one weight above zero")
    return replace(model, name=text.replace(" ", ""), weights=weights, meaning="weights as given")


_EXPECTED = (
    f"; expected one of {', '.join(model.name for model in COST_MODELS)}, "
    f"or weights, such as `mul=2,add=1,div=14`, of {', '.join((*KINDS, FMA))}"
)


def _weight(kind: str, text: str) -> Fraction:
    """Return the weight of an operation that a user wrote, such as "1.5", as an exact fraction.

    A weight is a decimal number below a million with at most six decimals; any other text raises
    UsageError.
    """
    if not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", text, re.ASCII):
        raise UsageError(
            f"invalid cost of {kind}: expected a number such as 2 or 1.5, below a million, "
            f"found {text!r}"
        )
    return Fraction(text)


def compute_critical_path(program: Program, model: CostModel) -> Fraction:
    """Return the largest cost of a chain of operations, each of which uses the preceding result.

    The cost of a chain is the sum of the costs of its operations, in the unit of the model. The
    cost of the whole program divided by the result is the parallelism of the program: the mean
    number of operations that can run at once (Hennessy and Patterson, "Computer Architecture",
    section 3.1).
    """
    pairs = find_fused_products(program) if model.fusing_saves else {}
    absorbed = set(pairs.values())
    ready: list[Fraction] = []  # time at which each value is known
    for position, instruction in enumerate(program.instructions):
        start = max((ready[operand] for operand in instruction.operands), default=Fraction(0))
        time = Fraction(0) if position in absorbed else model.weigh(instruction.operation)
        ready.append(start + (model.weights[FMA] if position in pairs else time))
    return max((ready[value] for value in program.iterate_result_values()), default=Fraction(0))
