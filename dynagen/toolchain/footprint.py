"""C source -> what it takes on a target: bytes of code and stack, and the functions that it calls."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dynagen.errors import ToolchainError, UsageError
from dynagen.toolchain.commands import run, source_folder


@dataclass(frozen=True)
class Target:
    """A machine and the tools for it.

    Attributes:
        tools: what the names of compiler and binary tools begin with.
        system_packages: that bring them.
    """

    name: str
    tools: str
    flags: tuple[str, ...]
    system_packages: str

    @property
    def command(self) -> tuple[str, ...]:
        """Compiler and flags."""
        return (f"{self.tools}gcc", "-std=c99", "-O2", *self.flags)


TARGETS = (
    Target(
        "cortex-m4",
        "arm-none-eabi-",
        ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "-ffreestanding"),
        "gcc-arm-none-eabi libnewlib-arm-none-eabi",
    ),
    Target("host", "", ("-ffreestanding",), "gcc"),
)


@dataclass(frozen=True)
class Footprint:
    """Code and stack of one function, with the static functions of its file, which are its segments and helpers.

    Attributes:
        code: bytes of instructions and constants.
        data: bytes of variables in memory.
        stack: bytes of its own frame and of the largest of a static function; functions of other files come on top.
        calls: names of these.
    """

    function: str
    code: int
    data: int
    stack: int
    calls: tuple[str, ...]


def find_target(name: str) -> Target:
    """A target by name.

    Raises:
        UsageError: there is no such target.
    """
    for target in TARGETS:
        if target.name == name:
            return target
    raise UsageError(f"unknown target {name!r}; expected one of {', '.join(target.name for target in TARGETS)}")


def compiler_version(target: Target) -> str:
    """The first line that the target's compiler says about itself."""
    return _run(target, f"{target.tools}gcc", "--version").splitlines()[0]


def measure(target: Target, files: Mapping[str, str]) -> tuple[Footprint, ...]:
    """Compile every source file by itself and measure its functions.

    Args:
        target: for which machine.
        files: path -> text of C files, and of what they include from `include/`.

    Returns:
        One footprint for every function that is not static, in the order of the files. Constants and static functions of a
        file count for each of them.

    Raises:
        ToolchainError: the target's compiler is missing or refuses the source.
    """
    footprints: list[Footprint] = []
    with source_folder(files) as folder:
        for path in files:
            if path.endswith(".c"):
                footprints.extend(_measure_file(target, folder, path))
    return tuple(footprints)


def _measure_file(target: Target, folder: Path, path: str) -> list[Footprint]:
    # A section for every function, so that a file with several of them can be told apart.
    flags = ("-Iinclude", "-fstack-usage", "-ffunction-sections", "-c", path, "-o", "object.o")
    _run(target, *target.command, *flags, folder=folder)
    lines = re.findall(r"^[^\t]*:([\w.]+)\t(\d+)\t", (folder / "object.su").read_text(encoding="utf-8"), re.MULTILINE)
    stacks = {function: int(stack) for function, stack in lines}
    sections = _sections(_run(target, f"{target.tools}size", "-A", "object.o", folder=folder))
    data = sum(size for name, size in sections.items() if name.startswith((".data", ".bss")))
    constants = sum(size for name, size in sections.items() if name.startswith(".rodata"))
    undefined = _run(target, f"{target.tools}nm", "-u", "object.o", folder=folder)
    calls = tuple(sorted(re.findall(r"U (\w+)", undefined)))
    listed = _run(target, f"{target.tools}nm", "-g", "--defined-only", "object.o", folder=folder)
    called_from_outside = set(re.findall(r"T (\w+)", listed))
    static = stacks.keys() - called_from_outside
    constants += sum(sections[f".text.{function}"] for function in static)
    deepest = max((stacks[function] for function in static), default=0)
    return [
        Footprint(function, sections[f".text.{function}"] + constants, data, stack + deepest, calls)
        for function, stack in stacks.items()
        if function in called_from_outside
    ]


def _sections(listing: str) -> dict[str, int]:
    """Sizes by section, as `size -A` lists them."""
    return {name: int(size) for name, size in re.findall(r"^(\.\S+)\s+(\d+)\s", listing, re.MULTILINE)}


def _run(target: Target, *command: str, folder: Path | None = None) -> str:
    if shutil.which(command[0]) is None:
        raise ToolchainError(
            f"no {command[0]} found, which measures for {target.name}: install it (apt-get install {target.system_packages})"
        )
    return run(command, folder, f"cannot measure for {target.name}")
