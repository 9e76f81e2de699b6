"""Measured size and instruction counts of kernels, as a table and as a file of the delivery.

The measured sizes and counts depend on the compiler. Measurements are written to a separate file,
because all other generated files are the same on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rich.console import Console
from rich.table import Table

from dynagen.codegen.languages import LANGUAGES, find_language
from dynagen.codegen.package import SourceFile
from dynagen.codegen.targets.manifest import name_footprint_file
from dynagen.errors import UsageError
from dynagen.pipeline.generation import Generation
from dynagen.report.console import make_table
from dynagen.toolchain.emulation import count_instructions, read_emulator_version
from dynagen.toolchain.footprint import (
    Footprint,
    Target,
    find_target,
    measure,
    read_compiler_version,
)


def check_footprint_target(language_name: str, target_name: str) -> None:
    """Check that footprints can be measured, before any work is done.

    Args:
        language_name: value of --lang.
        target_name: name of one of `toolchain.footprint.TARGETS`.

    Raises:
        UsageError: an unknown language or target, or a language that requires an operating system.
        ToolchainError: the processor's compiler is not installed.
    """
    language = find_language(language_name)
    if not language.freestanding:
        able = ", ".join(known.name for known in LANGUAGES if known.freestanding)
        raise UsageError(
            f"--footprint requires a language that runs without an operating system ({able}), "
            f"found {language.name}; omit --footprint"
        )
    read_compiler_version(find_target(target_name))


def measure_footprint(
    generation: Generation, target_name: str
) -> tuple[SourceFile, tuple[Footprint, ...]]:
    """Measure code, data and stack size of each kernel of a run.

    Args:
        generation: results of a run, whose language was accepted by `check_footprint_target`.
        target_name: name of one of `toolchain.footprint.TARGETS`.

    Returns:
        A JSON file with all sizes, and the footprints.

    Raises:
        UsageError: the target is unknown.
        ToolchainError: the processor's compiler is not installed or rejects the code.
    """
    package = generation.package
    language = generation.request.language
    target = find_target(target_name)
    # One file for each kernel: a compiler pools the constants of a file, and they could not be
    # attributed to kernels.
    separate = replace(package, single_file=False)
    files = {file.path: file.text for file in language.print_kernels(separate)}
    footprints = _add_calls(generation, target, files, measure(target, files))
    content = {
        "schema": 1,
        "robot": package.robot,
        "input_sha256": package.input_sha256,
        "target": target.name,
        "compiler": read_compiler_version(target),
        "command": " ".join(target.command),
        "emulator": read_emulator_version(target.emulator),
        "functions": {footprint.function: _describe(footprint) for footprint in footprints},
    }
    return SourceFile(
        name_footprint_file(package.prefix), json.dumps(content, indent=2) + "\n"
    ), footprints


def _add_calls(
    generation: Generation,
    target: Target,
    files: dict[str, str],
    footprints: tuple[Footprint, ...],
) -> tuple[Footprint, ...]:
    """Add instruction counts, from runs of the generated test (golden vectors) in an emulator.

    Without the emulator, the footprints are returned unchanged.
    """
    prefix = generation.package.prefix
    vectors = {
        file.path: file.text for file in generation.files if file.path == f"test/{prefix}_golden.c"
    }
    if not vectors or read_emulator_version(target.emulator) is None:
        return footprints
    calls = count_instructions(
        target.command,
        target.tools,
        target.emulator,
        {**files, **vectors},
        f"{prefix}_golden",
        [footprint.function for footprint in footprints],
    )
    return tuple(replace(footprint, run=calls.get(footprint.function)) for footprint in footprints)


def _describe(footprint: Footprint) -> dict[str, Any]:
    """Return a footprint as plain data, without quantities that were not measured."""
    described: dict[str, Any] = {
        "code_bytes": footprint.code,
        "data_bytes": footprint.data,
        "stack_bytes": footprint.stack,
        "calls": list(footprint.calls),
    }
    if footprint.flash is not None:
        described["flash_bytes_with_library"] = footprint.flash
    if footprint.run is not None:
        described["stack_bytes_with_library"] = footprint.run.stack
        described["instructions"] = {"least": footprint.run.least, "most": footprint.run.most}
    return described


def tabulate_footprints(
    console: Console, target_name: str, footprints: Sequence[Footprint]
) -> Table:
    """Return a table with one row for each function: code, data and stack size in bytes.

    With an emulator, the table also has instruction counts, and stack sizes with the C library.

    Args:
        console: where the table will be printed.
        target_name: name of the processor in `toolchain.footprint.TARGETS`.
        footprints: measured sizes.
    """
    target = find_target(target_name)
    columns = ["code", "data", "stack"]
    captions = [" ".join(target.command)]
    if target.emulator:
        columns = ["code", "+ libm", "data", "stack", "+ libm", "instructions"]
        captions.append(_explain(target))
    table = make_table(
        console, f"Footprint on {target_name}, in bytes", "function", *columns, "calls"
    )
    table.caption, table.caption_justify = "\n".join(captions), "left"
    for footprint in footprints:
        cells: list[object] = [footprint.code, footprint.data, footprint.stack]
        if target.emulator:
            run = footprint.run
            cells = [
                footprint.code,
                "" if footprint.flash is None else footprint.flash,
                footprint.data,
                footprint.stack,
                "" if run is None else run.stack,
                "" if run is None else _format_range(run.least, run.most),
            ]
        table.add_row(footprint.function, *map(str, cells), ", ".join(footprint.calls))
    return table


def _format_range(least: int, most: int) -> str:
    return str(least) if least == most else f"{least} to {most}"


def _explain(target: Target) -> str:
    """Explain the columns that the emulator fills; without it, state how it is installed."""
    version = read_emulator_version(target.emulator)
    if version is None:
        return (
            f"Instructions and the stack with libm are not shown, because {target.emulator[0]} is "
            "not "
            f"installed (apt-get install {target.emulator_package})"
        )
    return (
        "+ libm: with the functions of the C library. The stack with libm and the instructions of "
        "a "
        f"call are measured on the golden vectors in {version.split(' (')[0]}"
    )
