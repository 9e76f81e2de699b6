"""Measured code and stack of the kernels -> a table, and a file beside the manifest.

Measured figures differ from compiler to compiler, so that they never are in the files that have to be the same everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console
from rich.table import Table

from dynagen.codegen.languages import LANGUAGES, find_language
from dynagen.codegen.package import SourceFile
from dynagen.codegen.targets.manifest import footprint_name
from dynagen.errors import UsageError
from dynagen.pipeline.generation import Generation
from dynagen.report.console import new_table
from dynagen.toolchain.footprint import Footprint, compiler_version, find_target, measure


def refuse_unmeasurable(language_name: str, target_name: str) -> None:
    """Refuse to measure what cannot be, before any work is done for it.

    Args:
        language_name: of the command line.
        target_name: one of `footprint.TARGETS`.

    Raises:
        UsageError: there is no such language or target, or the language is for no bare machine.
        ToolchainError: the target's compiler is missing.
    """
    language = find_language(language_name)
    if not language.freestanding:
        able = ", ".join(each.name for each in LANGUAGES if each.freestanding)
        raise UsageError(
            f"--footprint is for code that runs on a bare machine ({able}), not for {language.name}; leave it out"
        )
    compiler_version(find_target(target_name))


def measure_footprint(
    generation: Generation, target_name: str
) -> tuple[SourceFile, tuple[Footprint, ...]]:
    """Measure what was generated, every function by itself, be it in a file with others or not.

    Args:
        generation: of code that runs on a bare machine, which `refuse_unmeasurable` knows.
        target_name: one of `footprint.TARGETS`.

    Returns:
        The file that says it all, and the footprints.

    Raises:
        UsageError: the target is unknown.
        ToolchainError: the target's compiler is missing or refuses the code.
    """
    package = generation.package
    language = generation.request.language
    target = find_target(target_name)
    separate = replace(package, single_file=False)  # compilers pool the constants of a file
    footprints = measure(
        target, {file.path: file.text for file in language.print_kernels(separate)}
    )
    content = {
        "schema": 1,
        "robot": package.robot,
        "input_sha256": package.input_sha256,
        "target": target.name,
        "compiler": compiler_version(target),
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
        footprint_name(package.prefix), json.dumps(content, indent=2) + "\n"
    ), footprints


def footprint_table(console: Console, target_name: str, footprints: Sequence[Footprint]) -> Table:
    """One row for every function; bytes."""
    table = new_table(
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
