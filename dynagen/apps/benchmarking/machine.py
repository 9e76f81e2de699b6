"""What times depend on, said with them."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from dynagen.apps.benchmarking.compilers import Compiler
from dynagen.toolchain.extension import OPTIMISED, THIS_MACHINE


def machine(compilers: Sequence[Compiler]) -> dict[str, str]:
    """Processor, its load by other programs, system, compilers and flags."""
    processor = platform.processor() or platform.machine()
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        processor = (
            next(line for line in lines if line.startswith("model name")).partition(":")[2].strip()
        )
    python_flags = " ".join((*OPTIMISED, *THIS_MACHINE))
    return {
        "processor": f"{processor}, {os.cpu_count()} of them",
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
        "system": platform.platform(),
        "compilers": "; ".join(each.version for each in compilers),
        "flags": f"{' '.join(compilers[0].options)}, for all of C and C++; from Python ours has {python_flags}",
        "python": f"{platform.python_version()}, numpy {np.__version__}",
    }
