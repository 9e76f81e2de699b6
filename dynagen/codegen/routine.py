"""Routines: functions to print and compile, which run a program once or in a loop.

A state is one set of inputs of a function; a program computes one state. Routines are of four
kinds, which differ in the numbers of states and of processor cores of one call.

- Without a loop, the routine is a kernel, which computes one state.
- `StateLoop` calls a kernel for many states; `load_kernels` compiles such loops for calls from
  Python, for example to verify the kernel.
- `LaneLoop` is a batch kernel, delivered with `--batch`, which computes as many states at once as a
  vector register has lanes.
- `Cores` computes one state by several functions that run at the same time, delivered with
  `--cores`.

To add a kind of routine, write a class in this module and a layout.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dynagen.ir.program import Program, Signature

PART, STRIDE = 37, 41
"""Number of states that a `StateLoop` copies at a time for a batch kernel, and the copies' stride.

The stride is the distance between two elements of one state. Neither number is a multiple of the
lanes of a vector, so that a proof also runs incomplete blocks.
"""


@dataclass(frozen=True)
class Cores:
    """Several functions, one for each processor core, that compute a state together.

    Attributes:
        count: number of cores.
        prefix: prefix of public names.
    """

    count: int
    prefix: str


@dataclass(frozen=True)
class StateLoop:
    """A loop that calls a kernel for every state; in arrays, the elements of a state are adjacent.

    Attributes:
        kernel: name in generated code of the called routine.
        side_by_side: whether the called routine is a batch kernel; the loop then copies a few
            states at a time into the layout of batch kernels.
        cores: cores that compute each state together, with a thread for each core; None for one
            core.
    """

    kernel: str
    side_by_side: bool = False
    cores: Cores | None = None


@dataclass(frozen=True)
class LaneLoop:
    """A loop that computes as many states at a time as a vector register has lanes.

    Element j of state i is stored at index `j*stride + i`, where `stride` is an argument of the
    function. All states share the run-time parameters.

    Attributes:
        threads: whether OpenMP divides the blocks of states among threads.
    """

    threads: bool = False


@dataclass(frozen=True)
class Routine:
    """A function to print, with its arguments and its program.

    Attributes:
        symbol: name of the function.
        signature: arguments for one state; a loop has arrays of such arguments.
        program: computation for one state; None for a loop that calls another routine, and for a
            routine that is only declared.
        loop: kind of loop, or `Cores`; None for a kernel that computes one state on one core.
    """

    symbol: str
    signature: Signature
    program: Program | None = None
    loop: StateLoop | LaneLoop | Cores | None = None


def make_state_routine(kernel: Routine, symbol: str) -> Routine:
    """Return the routine that runs a kernel on many states.

    The first argument of the routine is the number of states. The next arguments are the kernel's
    arrays, each with an additional first axis over states, so that the elements of a state are
    adjacent. If the kernel can fail, the last argument is an array for the status codes of all
    states.

    Args:
        kernel: routine for one state on one or several cores, or a batch kernel.
        symbol: name of the new routine.
    """
    cores = kernel.loop if isinstance(kernel.loop, Cores) else None
    return Routine(
        symbol,
        kernel.signature,
        loop=StateLoop(kernel.symbol, isinstance(kernel.loop, LaneLoop), cores),
    )


def make_lane_routine(kernel: Routine, threads: bool = False) -> Routine:
    """Return the routine that computes many states at once in vector registers (batch kernel).

    The first argument of the batch kernel is the number of states. The second is the stride of all
    arrays: the distance between two elements of one state. The next arguments are the kernel's
    arrays, each with an additional last axis over states. If the kernel can fail, the last argument
    is an array for the status codes of all states.
    """
    signature = replace(kernel.signature, name=name_batch_kernel(kernel.signature.name))
    return Routine(name_batch_kernel(kernel.symbol), signature, kernel.program, LaneLoop(threads))


def name_batch_kernel(kernel: str) -> str:
    """Return `<kernel>_batch`, the name of the batch kernel of a kernel with the name `kernel`."""
    return f"{kernel}_batch"


def make_cores_routine(kernel: Routine, cores: Cores) -> Routine:
    """Return the routine that computes one state by several functions, one for each core."""
    signature = replace(kernel.signature, name=name_cores_kernel(kernel.signature.name))
    return Routine(name_cores_kernel(kernel.symbol), signature, kernel.program, cores)


def name_cores_kernel(kernel: str) -> str:
    """Return `<kernel>_cores`, the name of the version of a kernel that runs on several cores."""
    return f"{kernel}_cores"


def name_core_function(kernel: str, core: int) -> str:
    """Return `<kernel>_core<core>`, the name of one core's function; cores are numbered from 0."""
    return f"{kernel}_core{core}"
