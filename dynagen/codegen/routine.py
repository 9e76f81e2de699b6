"""Routine: what a language prints as one function: a program, run once or in a loop.

Between a program, which knows one state, and a printer stands the choice of what one call runs it on. A kernel is a routine
without a loop. The loop over states is what `loading` compiles beside kernels, so that many states are one call. The loop over
lanes is what `--batch` delivers: as many states at once as a vector register has lanes. Cores are what `--cores` delivers: one
state computed by several functions that run at once. A further kind is a type beside these, and a printer that can write it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dynagen.ir.program import Program, Signature

PART, STRIDE = 37, 41
"""How many states are laid out at a time for kernels over lanes, and in arrays of which width."""


@dataclass(frozen=True)
class Cores:
    """Functions, one for each core, that compute a state together.

    Attributes:
        count: how many.
        prefix: what public names start with.
    """

    count: int
    prefix: str


@dataclass(frozen=True)
class StateLoop:
    """States that lie one behind the other in every array and are computed one after the other, by calls of a kernel.

    Attributes:
        kernel: symbol of the routine that is called.
        side_by_side: whether it computes many, in a loop over lanes; a few at a time are laid out as it takes them.
        cores: that compute each state, if there are several; each is a thread.
    """

    kernel: str
    side_by_side: bool = False
    cores: Cores | None = None


@dataclass(frozen=True)
class LaneLoop:
    """States that lie side by side in every array and are computed as many at once as a vector register has lanes.

    Element j of state i is at `[j*stride + i]`; run-time parameters are shared by all states.

    Attributes:
        threads: whether blocks of states are divided among the threads of OpenMP.
    """

    threads: bool = False


@dataclass(frozen=True)
class Routine:
    """A function to print.

    Attributes:
        symbol: what it is called.
        signature: the arguments for one state; those of a loop are arrays of these.
        program: what it computes of one state; None is for a loop that calls it, and for what is only called.
        loop: over what it runs, or on what; None is one state on one core.
    """

    symbol: str
    signature: Signature
    program: Program | None = None
    loop: StateLoop | LaneLoop | Cores | None = None


def over_states(kernel: Routine, symbol: str) -> Routine:
    """The routine that runs a kernel on many states.

    Its arguments are the number of states, the kernel's arrays with an axis over states, the slowest in memory, and, if the
    kernel can fail, an array for their status.

    Args:
        kernel: that computes one state, on one core or on several, or many side by side.
        symbol: of the new routine; one made of the kernel's could be longer than a language allows.
    """
    cores = kernel.loop if isinstance(kernel.loop, Cores) else None
    return Routine(
        symbol,
        kernel.signature,
        loop=StateLoop(kernel.symbol, isinstance(kernel.loop, LaneLoop), cores),
    )


def over_lanes(kernel: Routine, threads: bool = False) -> Routine:
    """The routine that runs a kernel's program on many states side by side.

    Its arguments are the number of states, the stride of all arrays, the kernel's arrays with an axis over states, the fastest
    in memory, and, if the kernel can fail, an array for their status.

    Args:
        kernel: that computes one state.
        threads: whether to divide the states among threads.
    """
    signature = replace(kernel.signature, name=batch_name(kernel.signature.name))
    return Routine(batch_name(kernel.symbol), signature, kernel.program, LaneLoop(threads))


def batch_name(kernel: str) -> str:
    """The name of the routine over lanes that belongs to a kernel, by symbols or by functions."""
    return f"{kernel}_batch"


def over_cores(kernel: Routine, cores: Cores) -> Routine:
    """The routine that computes what a kernel does by a function for each core.

    Args:
        kernel: that computes one state.
        cores: that share the work.
    """
    signature = replace(kernel.signature, name=cores_name(kernel.signature.name))
    return Routine(cores_name(kernel.symbol), signature, kernel.program, cores)


def cores_name(kernel: str) -> str:
    """The name of the routine on several cores that belongs to a kernel, by symbols or by functions."""
    return f"{kernel}_cores"


def core_name(kernel: str, core: int) -> str:
    """The name of the function of one of the cores."""
    return f"{kernel}_core{core}"
