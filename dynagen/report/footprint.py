"""Footprints: measured code and stack size of kernels, as a table and as a file of the delivery.

Measurements depend on the compiler. They have a file of their own, because all other generated
files are the same on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console
from rich.table import Table

from dynagen.codegen.languages import LANGUAGES, find_language
from dynagen.codegen.package import SourceFile
from dynagen.codegen.targets.manifest import name_footprint_file
from dynagen.errors import UsageError
from dynagen.pipeline.generation import Generation
from dynagen.report.console import make_table
from dynagen.toolchain.footprint import Footprint, find_target, measure, read_compiler_version


def check_footprint_target(language_name: str, target_name: str) -> None:
    """Check that footprints can be measured, before any work is done.

    Args:
        language_name: value of --lang.
        target_name: name of one of `toolchain.footprint.TARGETS`.

    Raises:
        UsageError: an unknown language or target, or a language that needs an operating system.
        ToolchainError: the processor's compiler is not installed.
    """
    language = find_language(language_name)
    if not language.freestanding:
        able = ", ".join(known.name for known in LANGUAGES if known.freestanding)
        raise UsageError(
            f"--footprint is for code that runs without an operating system ({able}), not for "
            f"{language.name}; leave it out"
        )
    read_compiler_version(find_target(target_name))


def measure_footprint(
    generation: Generation, target_name: str
) -> tuple[SourceFile, tuple[Footprint, ...]]:
    """Measure code, data and stack size of each kernel of a run.

    Args:
        generation: the run; its language passed `check_footprint_target`.
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
    footprints = measure(
        target, {file.path: file.text for file in language.print_kernels(separate)}
    )
    content = {
        "schema": 1,
        "robot": package.robot,
        "input_sha256": package.input_sha256,
        "target": target.name,
        "compiler": read_compiler_version(target),
        "command": " ".join(target.command),
        "functions": {
            footprint.function: {
                "code_bytes": footprint.code,
                "data_bytes": footprint.data,
                "stack_bytes": footprint.stack,
                "calls": list(footprint.calls),
            }
            for footprint in footprints
        },
    }
    return SourceFile(
        name_footprint_file(package.prefix), json.dumps(content, indent=2) + "\n"
    ), footprints


def tabulate_footprints(
    console: Console, target_name: str, footprints: Sequence[Footprint]
) -> Table:
    """Return a table with one row for each function, in bytes."""
    table = make_table(
        console,
        f"Footprint on {target_name}, in bytes",
        "function",
        "code",
        "data",
        "stack",
        "calls",
    )
    table.caption = " ".join(find_target(target_name).command)
    for footprint in footprints:
        sizes = (str(size) for size in (footprint.code, footprint.data, footprint.stack))
        table.add_row(footprint.function, *sizes, ", ".join(footprint.calls))
    return table
