"""Measurement of instructions and stack size of function calls in an emulated processor."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dynagen.errors import ToolchainError, VerificationError
from dynagen.toolchain.commands import make_source_folder, run

# The entry of the program, which ends with a system call of Linux: 1 is `exit`.
_START = """int {golden}(void);
void _start(void);
void _start(void)
{{
    register int status __asm__("r0") = {golden}();
    register int call __asm__("r7") = 1;
    __asm__ volatile("svc 0" : : "r"(status), "r"(call));
    for (;;) {{
    }}
}}
"""
_SECONDS = 300
# QEMU writes the address of every instruction, then the registers before it.
_ADDRESS = re.compile(r"^Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]+)/")
_STACK = re.compile(r"R13=([0-9a-f]{8}) R14=([0-9a-f]{8})")


@dataclass(frozen=True)
class MeasuredCalls:
    """Instruction counts and stack size of the calls of a function.

    The function is called with the inputs of the golden vectors, which are stored inputs and
    expected outputs.

    Attributes:
        least, most: smallest and largest number of instructions of a call, including called
            functions.
        stack: largest stack size of a call in bytes, including called functions.
    """

    least: int
    most: int
    stack: int


@dataclass
class _Call:
    """Call of a function that has not yet returned.

    Attributes:
        function: name of the function.
        returns: address of the instruction after the call.
        top: stack pointer at the beginning of the call.
        instructions: number of instructions executed in the call until now.
        stack: largest stack size of the call until now, in bytes.
    """

    function: str
    returns: int
    top: int
    instructions: int = 0
    stack: int = 0


def read_emulator_version(emulator: Sequence[str]) -> str | None:
    """Return the first line of the emulator's `--version` output; None if it is not installed."""
    if not emulator or shutil.which(emulator[0]) is None:
        return None
    return run((emulator[0], "--version"), None, "cannot run the emulator").splitlines()[0]


def count_instructions(
    compiler: Sequence[str],
    tools: str,
    emulator: Sequence[str],
    files: Mapping[str, str],
    golden: str,
    functions: Collection[str],
) -> dict[str, MeasuredCalls]:
    """Run a test program in an emulator, and count the instructions of each function call.

    The test program calls the functions with golden vectors: stored inputs and expected outputs.

    Args:
        compiler: command of the C compiler, followed by its options for the processor.
        tools: prefix of the names of the compiler's binary tools, such as `arm-none-eabi-`.
        emulator: command of the emulator, followed by its options.
        files: mapping from path to text, for the C files, the headers in `include/`, and the C file
            with the golden vectors. Paths are relative to one common folder.
        golden: name of the C function that calls the functions with all golden vectors, and returns
            the number of wrong values.
        functions: names of the functions whose calls are counted.

    Returns:
        Mapping from the name of each function to the counts of its calls. Functions that the test
        program does not call are omitted.

    Raises:
        ToolchainError: the compiler, a binary tool or the emulator fails.
        VerificationError: a function returns a value that differs from its expected output.
    """
    with make_source_folder({**files, "start.c": _START.format(golden=golden)}) as folder:
        sources = [path for path in (*files, "start.c") if path.endswith(".c")]
        command = (*compiler, f"-D{golden.upper()}_ALONE", "-Iinclude", *sources)
        libraries = ("-nostartfiles", "--specs=nosys.specs", "-lm", "-o", "golden.elf")
        run((*command, *libraries), folder, "cannot link the golden vectors")
        listing = run((f"{tools}nm", "golden.elf"), folder, "cannot read the golden vectors")
        entries = {
            int(address, 16): name
            for address, name in re.findall(r"^([0-9a-f]+) T (\w+)$", listing, re.MULTILINE)
            if name in functions
        }
        steps = _choose_stepping(emulator)
        traced = (*emulator, *steps, "-d", "nochain,exec,cpu", "-D", "/dev/stdout", "golden.elf")
        process = subprocess.Popen(
            traced, cwd=folder, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
        )
        assert process.stdout is not None
        with process.stdout as trace:
            calls = list(_read_calls(trace, entries))
        status = process.wait(_SECONDS)
    if status < 0 or not calls:
        raise ToolchainError(f"{emulator[0]} cannot run the golden vectors (status {status})")
    if status:
        raise VerificationError(
            f"{status} golden values are wrong in {emulator[0]}: errors of the compiled code, or "
            "of sine and cosine in the C library, exceed the bounds of the proof"
        )
    called = dict.fromkeys(call.function for call in calls)
    return {name: _summarise(call for call in calls if call.function == name) for name in called}


def _choose_stepping(emulator: Sequence[str]) -> tuple[str, ...]:
    """Return the option that makes QEMU translate one instruction at a time."""
    found = re.search(r"version (\d+)\.(\d+)", read_emulator_version(emulator) or "")
    is_new = found is not None and (int(found[1]), int(found[2])) >= (8, 1)
    return ("-one-insn-per-tb",) if is_new else ("-singlestep",)


def _read_calls(trace: Iterable[str], entries: Mapping[int, str]) -> Iterator[_Call]:
    """Yield each call in a trace when the call returns.

    The lines of `trace` contain the address of each instruction and the registers. `entries` maps
    the address of a function's first instruction to the function's name.
    """
    running: _Call | None = None
    address = 0
    for line in trace:
        if found := _ADDRESS.match(line):
            address = int(found[1], 16)
        elif registers := _STACK.search(line):
            pointer, link = (int(text, 16) for text in registers.groups())
            if running is not None and (address, pointer) == (running.returns, running.top):
                yield running
                running = None
            if running is None and address in entries:
                # The last bit of a return address selects the instruction set.
                running = _Call(entries[address], link & ~1, pointer)
            if running is not None:
                running.instructions += 1
                running.stack = max(running.stack, running.top - pointer)


def _summarise(calls: Iterable[_Call]) -> MeasuredCalls:
    counted = list(calls)
    counts = [call.instructions for call in counted]
    return MeasuredCalls(min(counts), max(counts), max(call.stack for call in counted))
