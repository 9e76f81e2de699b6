"""Measurement of code size, stack size and instruction counts of C functions on a processor.

Code and stack size of the functions themselves are read from the compiler's output. Totals that
include called functions of the C library are measured too: the code size by linking, the stack size
and the instructions by a run in an emulator, if an emulator is installed. The run calls the
functions with the golden vectors (stored inputs and expected outputs).
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dynagen.errors import ToolchainError, UsageError
from dynagen.toolchain.commands import make_source_folder, run
from dynagen.toolchain.emulation import MeasuredCalls


@dataclass(frozen=True)
class Target:
    """Processor for which footprints are measured, with its compiler and binary tools.

    Attributes:
        name: name of the processor in the option `--footprint`.
        tools: prefix of the names of compiler and binary tools, such as `arm-none-eabi-`.
        flags: options of the compiler that select the processor.
        system_packages: names of the Debian packages that install the tools.
        emulator: command that runs programs of the processor, such as `qemu-arm`, followed by its
            options; empty if no emulator is used.
        emulator_package: name of the Debian package that installs the emulator.
    """

    name: str
    tools: str
    flags: tuple[str, ...]
    system_packages: str
    emulator: tuple[str, ...] = ()
    emulator_package: str = ""

    @property
    def command(self) -> tuple[str, ...]:
        """Command of the C compiler, followed by the options that select the processor."""
        return (f"{self.tools}gcc", "-std=c99", "-O2", *self.flags)


TARGETS = (
    Target(
        "cortex-m4",
        "arm-none-eabi-",
        ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "-ffreestanding"),
        "gcc-arm-none-eabi libnewlib-arm-none-eabi",
        # A processor with all instructions of the Cortex-M4: QEMU's user mode has no M profile.
        ("qemu-arm", "-cpu", "cortex-a15"),
        "qemu-user",
    ),
    Target("host", "", ("-ffreestanding",), "gcc"),
)


@dataclass(frozen=True)
class Footprint:
    """Code and stack size of one function, including static functions of its file that it calls.

    Attributes:
        function: name of the function.
        code: bytes of instructions and constants.
        data: bytes of variables in memory (sections .data and .bss of the function's file).
        stack: largest stack size of a call in bytes, without called functions of other files.
        calls: names of the functions of other files that the function's file calls.
        flash: bytes of code and constants, including called functions of the C library; None for a
            processor without an emulator, such as this machine (`host`).
        run: instructions and stack size of calls in the emulator; None if they were not measured.
    """

    function: str
    code: int
    data: int
    stack: int
    calls: tuple[str, ...]
    flash: int | None = None
    run: MeasuredCalls | None = None


def find_target(name: str) -> Target:
    """Return the processor with a name, such as `cortex-m4`, and its compiler.

    Raises:
        UsageError: no processor has this name.
    """
    for target in TARGETS:
        if target.name == name:
            return target
    raise UsageError(
        f"unknown target {name!r}; expected one of {', '.join(target.name for target in TARGETS)}"
    )


def read_compiler_version(target: Target) -> str:
    """Return the first line that the compiler of a processor prints for `--version`."""
    return _run(target, f"{target.tools}gcc", "--version").splitlines()[0]


def measure(target: Target, files: Mapping[str, str]) -> tuple[Footprint, ...]:
    """Compile each source file separately, and measure its functions.

    Args:
        target: the processor with its compiler.
        files: mapping from path to text, for C files and for the headers that they include. Paths
            are relative to one common folder, and paths of headers begin with `include/`.

    Returns:
        One footprint for each function that is not static, in the order of the files. All constants
        of a file are counted for each of the file's functions. `run` is None in all footprints.

    Raises:
        ToolchainError: the processor's compiler is not installed or rejects the source.
    """
    footprints: list[Footprint] = []
    sources = [path for path in files if path.endswith(".c")]
    with make_source_folder(files) as folder:
        for path in sources:
            footprints.extend(_measure_file(target, folder, path))
        if target.emulator:
            objects = [_name_object(path) for path in sources]
            footprints = [
                replace(footprint, flash=_link(target, folder, footprint.function, objects))
                for footprint in footprints
            ]
    return tuple(footprints)


def _name_object(path: str) -> str:
    return f"{Path(path).stem}.o"


def _measure_file(target: Target, folder: Path, path: str) -> list[Footprint]:
    """Compile one source file and measure its functions."""
    # With a section for every function, the functions of a file are measured separately.
    flags = ("-Iinclude", "-fcallgraph-info=su", "-ffunction-sections", "-fdata-sections")
    built = _name_object(path)
    _run(target, *target.command, *flags, "-c", path, "-o", built, folder=folder)
    graph = (folder / built).with_suffix(".ci")
    frames, callees = _call_graph(graph.read_text(encoding="utf-8"))
    sections = _sections(_run(target, f"{target.tools}size", "-A", built, folder=folder))
    data = sum(size for name, size in sections.items() if name.startswith((".data", ".bss")))
    constants = sum(size for name, size in sections.items() if name.startswith(".rodata"))
    code: Counter[str] = Counter()
    for name, size in sections.items():
        # gcc puts parts of a function into sections such as .text.unlikely.name.
        if function := re.fullmatch(r"\.text\.(?:(?:unlikely|hot|startup|exit)\.)?(.+)", name):
            code[function[1]] += size
    undefined = _run(target, f"{target.tools}nm", "-u", built, folder=folder)
    calls = tuple(sorted(re.findall(r"U (\w+)", undefined)))

    def stack(title: str) -> int:
        # Generated code has no recursion, so the call graph has no cycle.
        return frames[title] + max(map(stack, callees[title]), default=0)

    def reached(title: str) -> set[str]:
        return {title}.union(*map(reached, callees[title]))

    return [
        Footprint(
            title,
            constants + sum(code[callee.rpartition(":")[2]] for callee in reached(title)),
            data,
            stack(title),
            calls,
        )
        for title in frames
        if ":" not in title
    ]


def _link(target: Target, folder: Path, function: str, objects: Sequence[str]) -> int:
    """Return the size of a linked program that contains one function and its called functions."""
    options = ("-nostartfiles", "--specs=nosys.specs", f"-Wl,--gc-sections,-e,{function}")
    _run(target, *target.command, *options, *objects, "-lm", "-o", "one.elf", folder=folder)
    sections = _sections(_run(target, f"{target.tools}size", "-A", "one.elf", folder=folder))
    return sum(
        size for name, size in sections.items() if name.startswith((".text", ".rodata", ".data"))
    )


def _call_graph(text: str) -> tuple[dict[str, int], dict[str, set[str]]]:
    """Parse the functions of a file from the output of gcc's -fcallgraph-info=su.

    Static functions have the title `file:name`. A specialised copy (`name.constprop.0`,
    `name.part.0`) is a separate function with its own section, and may replace the original.

    Returns:
        Sizes of stack frames in bytes, and titles of the called functions of the same file; both
            are mappings from the title of the function.
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
    """Return the size of each section of an object file in bytes, from the output of `size -A`."""
    return {
        name: int(size) for name, size in re.findall(r"^(\.\S+)\s+(\d+)\s", listing, re.MULTILINE)
    }


def _run(target: Target, *command: str, folder: Path | None = None) -> str:
    """Run a tool for the target processor, and return its standard output."""
    if shutil.which(command[0]) is None:
        raise ToolchainError(
            f"no {command[0]} found, which is required to measure for {target.name}: "
            f"install it (apt-get install {target.system_packages})"
        )
    return run(command, folder, f"cannot measure for {target.name}")
