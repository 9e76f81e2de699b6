"""Speeds of this machine and programs -> the time that no kernel can be below, and what bounds it.

A state takes at least as long as its operations, those of sines and cosines among them, in the
units that do them, if all of these are always at work and as many products are fused with sums as
can be. Nor can it be faster than its arrays are read and written. A state that has to wait for the
one before takes its critical path; others overlap.

Compilers may do two operations of one state by one instruction on a pair: kernels for one state can
be below their bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from dynagen.apps.benchmarking.compilers import Compiler
from dynagen.apps.benchmarking.contender import BATCH, ONE_STATE
from dynagen.apps.benchmarking.ours import BATCH_FLOAT, Generated
from dynagen.apps.benchmarking.probes import ANGLES_AT_ONCE, Probes, Speeds, fastest
from dynagen.ir.cost import CostModel, OperationCount, count, critical_path, fused_products
from dynagen.ir.program import Program
from dynagen.numbers.real import DOUBLE, FLOAT, Real

PRODUCTS = {DOUBLE: 24, FLOAT: 14}
"""Multiplications for sine and cosine of a vector, by real type.

Almost all additions can be fused with them.
"""


@dataclass(frozen=True)
class Roof:
    """What a kernel needs at least: nanoseconds for a state.

    Attributes:
        arithmetic: all operations, by throughput.
        trigonometry: what sines and cosines are of it.
        memory: to read inputs and write results; of a state a call to read inputs, as its results
            stay in the nearest cache.
        critical_path: the longest chain of operations, by latency: for a state that has to wait for
            the one before.
    """

    arithmetic: float
    trigonometry: float
    memory: float
    critical_path: float

    @property
    def bound(self) -> float:
        """For one of many states."""
        return max(self.arithmetic, self.memory)


def roof_of(program: Program, real: Real, speeds: Speeds, memory: float) -> Roof:
    """The roof of a kernel.

    Args:
        program: what it computes.
        real: the type that it computes in.
        speeds: of the machine, in the number of states that it computes at once.
        memory: nanoseconds that a state's arrays take to be read and written.
    """
    operations, fused = count(program), len(fused_products(program))
    vectors = ceil(operations.sincos / ANGLES_AT_ONCE) if speeds.states == 1 else operations.sincos
    halves = 2 if real is FLOAT else 1  # of a vector of floats, as doubles
    all_of_it, without = (
        _throughput(operations, fused, products, speeds) / speeds.states
        for products in (PRODUCTS[real] * vectors * halves, 0)
    )
    return Roof(
        all_of_it, all_of_it - without, memory, float(critical_path(program, _latencies(speeds)))
    )


def _throughput(operations: OperationCount, fused: int, products: int, speeds: Speeds) -> float:
    """Return the least nanoseconds of the operations by the throughput of the units.

    Multiplications and additions may use separate or shared units; the measured speed of a mixture
    decides which.
    """
    multiplications, additions = operations.mul + products, operations.add - fused
    return max(
        multiplications * speeds.multiply,
        additions * speeds.add,
        (multiplications + additions) * speeds.mixed,
        (operations.div + operations.sqrt) * speeds.divide,
    )


def _latencies(speeds: Speeds) -> CostModel:
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
        "ns until a result is there",
    )


def roofs_of(
    made: Generated, compilers: Sequence[Compiler], states: int
) -> dict[tuple[str, str], Roof]:
    """The roofs of all kernels, by function and by how they are called.

    Args:
        made: the kernels.
        compilers: that probes are compiled with; the fastest counts.
        states: that kernels are run on.

    Raises:
        ToolchainError: a compiler refuses.
    """
    roofs = {}
    for called, many in (
        ((BATCH_FLOAT, True),) if made.real is FLOAT else ((ONE_STATE, False), (BATCH, True))
    ):
        probes = [Probes(made, compiler, many) for compiler in compilers]
        speeds = fastest([each.speeds() for each in probes])
        for function in made.functions:
            program = made.program(function)
            taken, given = (
                sum(each.size for each in of) for of in (program.inputs, program.signature.results)
            )
            memory = min(each.memory(states, taken, given if many else 0) for each in probes)
            roofs[function, called] = roof_of(program, made.real, speeds, memory)
    return roofs
