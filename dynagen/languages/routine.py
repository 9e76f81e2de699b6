"""Routine: what a language prints as one function: a program, run once or in a loop.

Between a program, which knows one state, and a printer stands the choice of what one call runs it on. A kernel is a routine
without a loop. The loop over states is what `loading` compiles beside kernels, so that many states are one call. Lanes of a
vector unit or several cores are other kinds of loop: a type beside StateLoop, and a method of the printers that can write it.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.ir.program import Program, Signature


@dataclass(frozen=True)
class StateLoop:
    """States that lie one behind the other in every array and are computed one after the other, by calls of a kernel.

    Attributes:
        kernel: symbol of the routine that computes one of them.
    """

    kernel: str


@dataclass(frozen=True)
class Routine:
    """A function to print.

    Attributes:
        symbol: what it is called.
        signature: the arguments for one state; those of a loop are arrays of these.
        program: what it computes of one state; None is for a loop, and for what is only called.
        loop: over what it runs; None is one state.
    """

    symbol: str
    signature: Signature
    program: Program | None = None
    loop: StateLoop | None = None


def over_states(kernel: Routine, symbol: str) -> Routine:
    """The routine that runs a kernel on many states.

    Its arguments are the number of states, the kernel's arrays with an axis over states, the slowest in memory, and, if the
    kernel can fail, an array for their status.

    Args:
        kernel: that computes one state.
        symbol: of the new routine; one made of the kernel's could be longer than a language allows.
    """
    return Routine(symbol, kernel.signature, loop=StateLoop(kernel.symbol))
