"""What an operation and a hand-over between two threads take on this machine."""

from __future__ import annotations

from pathlib import Path

from dynagen.errors import ToolchainError
from dynagen.toolchain.commands import C_COMPILER, run, source_folder

_PROGRAM = Path(__file__).with_name("handover.c")
_OPTIONS = ("-std=c11", "-D_POSIX_C_SOURCE=199309L", "-O2", "-ffp-contract=off", "-pthread")


def measure_times() -> tuple[float, float]:
    """Nanoseconds of an operation and of a hand-over, with two digits.

    Raises:
        ToolchainError: there is no C compiler, or none for threads of POSIX, or no thread can be started.
    """
    with source_folder({_PROGRAM.name: _PROGRAM.read_text(encoding="utf-8")}) as folder:
        refusal = "the times of an operation and a hand-over cannot be measured here; give them as numbers of ns"
        run([*C_COMPILER.find(), *_OPTIONS, _PROGRAM.name, "-o", "handover"], folder, refusal)
        operation, handover = (
            float(f"{float(word):.2g}") for word in run([str(folder / "handover")], folder, refusal).split()
        )
    if min(operation, handover) <= 0:
        raise ToolchainError(refusal)
    return operation, handover
