"""Lower bounds on the time of kernels, from their programs and the speeds of this machine.

The arithmetic bound is the time of a state's operations, sines and cosines included. It assumes
that the arithmetic units are always busy, and that as many products as possible are fused with
sums. The memory bound is the time to read and write the arrays. The critical path is the longest
chain of dependent operations. The latency of this chain bounds the time of a state only if the
state waits for the result of the previous state. Computations of independent states overlap.

The bound for one state per call counts scalar instructions. A kernel for one state can be faster
than this bound, because a compiler may compute two operations of a state by one vector instruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf

from dynagen.apps.benchmarking.compilers import Compiler
from dynagen.apps.benchmarking.contender import BATCH, ONE_STATE
from dynagen.apps.benchmarking.ours import BATCH_FLOAT, GeneratedCode
from dynagen.apps.benchmarking.probes import ANGLES_AT_ONCE, Probes, Speeds, select_fastest
from dynagen.ir.cost import (
    CostModel,
    OperationCount,
    compute_critical_path,
    count,
    find_fused_products,
)
from dynagen.ir.program import Program
from dynagen.numbers.real import DOUBLE, FLOAT, Real

PRODUCTS = {DOUBLE: 24, FLOAT: 14}
"""Number of vector multiplications for the sines and cosines of one vector of angles.

The keys are the floating-point types of the angles.

Additions are not counted, because almost all can be fused with multiplications.
"""


@dataclass(frozen=True)
class Roof:
    """Lower bounds on the time of a kernel (generated function) for one state, in ns.

    Attributes:
        arithmetic: time of all operations, if the processor's arithmetic units are always busy.
        trigonometry: part of `arithmetic` for sines and cosines.
        memory: time to read inputs and write results. With one state per call, only reading is
            counted, since results are always written to the same cached memory.
        critical_path: time of the longest chain of dependent operations, by latency. This is a
            lower bound only if each state waits for the result of the previous state.
    """

    arithmetic: float
    trigonometry: float
    memory: float
    critical_path: float

    @property
    def bound(self) -> float:
        """Lower bound on a kernel's time for one of many independent states (ns).

        This is the larger of `arithmetic` and `memory`.
        """
        return max(self.arithmetic, self.memory)


def compute_roof(program: Program, real: Real, speeds: Speeds, memory: float) -> Roof:
    """Compute lower bounds on a kernel's time for one state, from its operations and memory.

    Args:
        program: program of the kernel, for one state.
        real: floating-point type of the kernel.
        speeds: times of instructions with as many lanes as the kernel's instructions.
        memory: time per state to read and write the arrays (ns).
    """
    operations, fused = count(program), len(find_fused_products(program))
    # A kernel for one state computes several of its angles in one vector.
    vectors = ceil(operations.sincos / ANGLES_AT_ONCE) if speeds.states == 1 else operations.sincos
    halves = 2 if real is FLOAT else 1  # a vector of floats becomes two vectors of doubles
    all_of_it, without = (
        _sum_throughputs(operations, fused, products, speeds) / speeds.states
        for products in (PRODUCTS[real] * vectors * halves, 0)
    )
    return Roof(
        all_of_it,
        all_of_it - without,
        memory,
        float(compute_critical_path(program, _make_latency_model(speeds))),
    )


def _sum_throughputs(
    operations: OperationCount, fused: int, products: int, speeds: Speeds
) -> float:
    """Compute the least time (ns) of operations from the throughput of the arithmetic units.

    `operations` excludes sines and cosines; `products` is the number of multiplications that they
    need. `fused` is the number of additions that are fused with multiplications. The measured speed
    of mixed instructions shows whether multiplications and additions share units.
    """
    multiplications, additions = operations.mul + products, operations.add - fused
    return max(
        multiplications * speeds.multiply,
        additions * speeds.add,
        (multiplications + additions) * speeds.mixed,
        (operations.div + operations.sqrt) * speeds.divide,
    )


def _make_latency_model(speeds: Speeds) -> CostModel:
    nanoseconds = {
        "mul": speeds.multiply_latency,
        "add": speeds.add_latency,
        "div": speeds.divide_latency,
        "sqrt": speeds.divide_latency,
        "sincos": speeds.sincos_latency,
    }
    return CostModel(
        "latency",
        {kind: Fraction(time) for kind, time in nanoseconds.items()},
        "ns until the result is available",
    )


class RoofProbes:
    """Repeated measurements of the lower bounds on the times of generated kernels.

    The clock frequency of a processor changes over time, so a bound that is measured only once may
    exceed a kernel time that is measured later. Therefore the shortest time of each instruction
    over all measurements is used.
    """

    def __init__(self, made: GeneratedCode, compilers: Sequence[Compiler], states: int) -> None:
        """Compile the probes: small programs that measure times of instructions and memory access.

        Args:
            made: generated code.
            compilers: compilers of the probes; for each instruction, the shortest time among the
                compilers is used.
            states: number of states on which kernels run.

        Raises:
            ToolchainError: a compiler fails.
        """
        self._made, self._states = made, states
        ways = ((BATCH_FLOAT, True),) if made.real is FLOAT else ((ONE_STATE, False), (BATCH, True))
        self._probes = {
            (called, many): [Probes(made, compiler, many) for compiler in compilers]
            for called, many in ways
        }
        self._speeds: dict[str, Speeds] = {}
        self._memory: dict[tuple[str, str], float] = {}

    def measure(self, function: str) -> None:
        """Measure the times of instructions and of a function's memory traffic.

        The shortest time of this and of earlier measurements is kept.
        """
        program = self._made.find_program(function)
        taken, given = (
            sum(each.size for each in of) for of in (program.inputs, program.signature.results)
        )
        for (called, many), probes in self._probes.items():
            known = [self._speeds[called]] if called in self._speeds else []
            self._speeds[called] = select_fastest(
                [*known, *(each.measure_speeds() for each in probes)]
            )
            self._memory[called, function] = min(
                self._memory.get((called, function), inf),
                *(
                    each.measure_memory(self._states, taken, given if many else 0)
                    for each in probes
                ),
            )

    def compute_roofs(self, function: str) -> dict[str, Roof]:
        """Compute lower bounds on the time of a measured function, for each way of calling it.

        Returns:
            Mapping from the way of calling, such as `batch`, to the bounds for one state in ns.
        """
        program = self._made.find_program(function)
        return {
            called: compute_roof(program, self._made.real, speeds, self._memory[called, function])
            for called, speeds in self._speeds.items()
        }
