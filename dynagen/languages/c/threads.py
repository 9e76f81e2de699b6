"""Loops over states that call kernels on several cores, each core a thread of POSIX: for the proof, not for delivery."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dynagen.languages.c.printer import CPrinter
from dynagen.languages.c.vocabulary import REAL_TYPES
from dynagen.languages.package import SourceFile
from dynagen.languages.routine import Routine, StateLoop, core_name
from dynagen.languages.templating import fill
from dynagen.numbers.real import Real

WAIT_FILE = "wait.h"
"""What all files include first: while they wait, threads let others run, as there may be fewer processors than threads."""


@dataclass(frozen=True)
class _ThreadLoop:
    """A loop as the template sees it."""

    symbol: str
    head: str
    context: str
    core: str
    arguments: list[str]
    fields: list[str]
    names: list[str]
    can_fail: bool
    status: str
    cores: int


def print_threads(routines: Sequence[Routine], real: Real) -> Iterator[SourceFile]:
    """The file that defines loops over kernels on cores, and the header for all; nothing without loops.

    Every thread calls its core's function for one state after the other and never waits for the others between states, so that
    a proof tries the messages as hard as a user can.
    """
    found = [(routine, routine.loop) for routine in routines if isinstance(routine.loop, StateLoop)]
    prefixes = {loop.cores.prefix for _, loop in found if loop.cores}
    if not prefixes:
        return
    (prefix,) = prefixes
    loops = [_loop(routine, loop, real) for routine, loop in found]
    yield SourceFile("threads.c", fill("c/threads.c.j2", prefix=prefix, loops=loops))
    yield SourceFile(WAIT_FILE, fill("c/wait.h.j2", prefix=prefix, macro=prefix.upper()))


def _loop(routine: Routine, loop: StateLoop, real: Real) -> _ThreadLoop:
    printer = CPrinter(
        routine,
        real,
        REAL_TYPES[real].name,
        "",
        taken=("job", "cores", "count", "state", "threads"),
    )
    results = routine.signature.results
    names = [printer.names[each.name] for each in (*routine.signature.inputs, *results)]
    sizes = [each.size for each in (*routine.signature.inputs, *results)]
    kinds = ["const "] * len(routine.signature.inputs) + [""] * len(results)
    assert loop.cores is not None
    return _ThreadLoop(
        symbol=routine.symbol,
        head=printer.head("void", routine.symbol, ["count"]),
        context=loop.kernel,
        core=core_name(loop.kernel.removesuffix("_cores"), 0)[:-1],
        arguments=[f"job->{name} + {size}*state" for name, size in zip(names, sizes, strict=True)],
        fields=[
            f"{kind}{REAL_TYPES[real].name} *{name};"
            for kind, name in zip(kinds, names, strict=True)
        ],
        names=[*names, *([printer.status_name] if printer.status_name else [])],
        can_fail=routine.signature.can_fail,
        status=printer.status_name,
        cores=loop.cores.count,
    )
