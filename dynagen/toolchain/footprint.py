"""C source -> what it takes on a target: bytes of code and stack, and the functions that it calls."""

from __future__ import annotations

import re
import shutil
from collections import Counter
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
    """Code and stack of one function, with what it calls in its file: its segments and helpers.

    Attributes:
        code: bytes of instructions and constants.
        data: bytes of variables in memory.
        stack: bytes of the frames that are there at once, at most; functions of other files come on top.
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
    raise UsageError(
        f"unknown target {name!r}; expected one of {', '.join(target.name for target in TARGETS)}"
    )


def compiler_version(target: Target) -> str:
    """The first line that the target's compiler says about itself."""
    return _run(target, f"{target.tools}gcc", "--version").splitlines()[0]


def measure(target: Target, files: Mapping[str, str]) -> tuple[Footprint, ...]:
    """Compile every source file by itself and measure its functions.

    Args:
        target: for which machine.
        files: path -> text of C files, and of what they include from `include/`.

    Returns:
        One footprint for every function that is not static, in the order of the files. All constants of a file count for
        each of them.

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
    flags = (
        "-Iinclude",
        "-fcallgraph-info=su",
        "-ffunction-sections",
        "-c",
        path,
        "-o",
        "object.o",
    )
    _run(target, *target.command, *flags, folder=folder)
    frames, callees = _call_graph((folder / "object.ci").read_text(encoding="utf-8"))
    sections = _sections(_run(target, f"{target.tools}size", "-A", "object.o", folder=folder))
    data = sum(size for name, size in sections.items() if name.startswith((".data", ".bss")))
    constants = sum(size for name, size in sections.items() if name.startswith(".rodata"))
    code: Counter[str] = Counter()
    for name, size in sections.items():
        if function := re.fullmatch(r"\.text\.(?:(?:unlikely|hot|startup|exit)\.)?(.+)", name):
            code[function[1]] += size
    undefined = _run(target, f"{target.tools}nm", "-u", "object.o", folder=folder)
    calls = tuple(sorted(re.findall(r"U (\w+)", undefined)))

    def stack(title: str) -> int:
        return frames[title] + max(
            map(stack, callees[title]), default=0
        )  # nothing here calls itself

    def reached(title: str) -> set[str]:
        return {title}.union(*map(reached, callees[title]))

    return [
        Footprint(
            title,
            constants + sum(code[each.rpartition(":")[2]] for each in reached(title)),
            data,
            stack(title),
            calls,
        )
        for title in frames
        if ":" not in title
    ]


def _call_graph(text: str) -> tuple[dict[str, int], dict[str, set[str]]]:
    """The functions of a file, as gcc's -fcallgraph-info=su writes them.

    Static functions are titled `file:name`. What gcc has specialised of one (`name.constprop.0`, `name.part.0`), is a function
    of its own with a section of its own, and may be all that is left of it.

    Returns:
        Bytes of each function's own frame, and the functions of the file that it calls.
    """
    nodes = re.findall(
        r'^node: { title: "([^"]+)" label: "[^"]*?\\n(\d+) bytes', text, re.MULTILINE
    )
    frames = {title: int(frame) for title, frame in nodes}
    callees: dict[str, set[str]] = {title: set() for title in frames}
    for caller, callee in re.findall(
        r'^edge: { sourcename: "([^"]+)" targetname: "([^"]+)"', text, re.MULTILINE
    ):
        if callee in frames:
            callees[caller].add(callee)
    return frames, callees


def _sections(listing: str) -> dict[str, int]:
    """Sizes by section, as `size -A` lists them."""
    return {
        name: int(size) for name, size in re.findall(r"^(\.\S+)\s+(\d+)\s", listing, re.MULTILINE)
    }


def _run(target: Target, *command: str, folder: Path | None = None) -> str:
    if shutil.which(command[0]) is None:
        raise ToolchainError(
            f"no {command[0]} found, which measures for {target.name}: install it (apt-get install {target.system_packages})"
        )
    return run(command, folder, f"cannot measure for {target.name}")
