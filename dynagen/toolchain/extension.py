"""C source of a Python module -> the module, compiled once for a machine and kept in a cache."""

from __future__ import annotations

import json
import os
import platform
import shlex
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

import numpy as np

from dynagen.errors import ToolchainError
from dynagen.toolchain.commands import Tool, cached_file, run, source_folder

MODULE = "_kernels"
"""Name of every module, as its source has it."""
OPTIMISED = ("-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
"""Of gcc, gfortran and clang, for what users call.

-ffp-contract=off: no fused multiply-adds, so that one state and many, and all machines, give the same to the last bit;
DYNAGEN_CFLAGS comes behind it.
-fno-math-errno, -fno-trapping-math: nobody reads errno or floating-point exceptions, so that a square root is an instruction
and a branch may become a selection; no result depends on it.
"""
OPTIONS_VARIABLE = "DYNAGEN_CFLAGS"
"""Environment variable with further options of the compiler, which come last."""
_NATIVE = {
    "x86_64": "-march=native",
    "AMD64": "-march=native",
    "aarch64": "-mcpu=native",
    "arm64": "-mcpu=native",
}
THIS_MACHINE = tuple(option for machine, option in _NATIVE.items() if machine == platform.machine())
"""All that this processor can do. What others get, a wheel, is compiled without."""
# Hidden, so that kernels of the same name in two modules of a process do not mix, and calls of them are direct.
_LIBRARY = ("-std=c99", "-fvisibility=hidden", "-fPIC", "-shared")
_LINKING = {
    "darwin": ("-undefined", "dynamic_lookup")
}  # Python's functions are found when the module is loaded


def unavailable_because(compiler: Tool) -> str | None:
    """The reason for which no module can be compiled here, and what to do about it; None if one can."""
    if sys.platform == "win32" or Path(compiler.find()[0]).stem.lower() == "cl":
        return "Python modules are compiled with gcc and clang only, and not on Windows"
    folder = sysconfig.get_path("include")
    if not Path(folder, "Python.h").exists():
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        return (
            f"there is no Python.h in {folder}: install the headers of Python {version} "
            f"(apt-get install python{version}-dev; dnf install python3-devel)"
        )
    return None


def compile_module(
    compiler: Tool, files: Mapping[str, str], path: Path, options: tuple[str, ...] = THIS_MACHINE
) -> None:
    """Compile a module.

    Args:
        compiler: gcc, clang, or another that takes their options.
        files: path -> text of C files, and of what they include from `include/`.
        path: of the module's file.
        options: of the compiler, beside those that all modules are compiled with.

    Raises:
        ToolchainError: there is no compiler, it refuses the source, or a module cannot be compiled here.
    """
    if reason := unavailable_because(compiler):
        raise ToolchainError(reason)
    with source_folder(files) as folder:
        sources = [file for file in files if file.endswith(".c")]
        command = [
            *_command(compiler, options),
            *sources,
            "-o",
            str(path),
            "-lm",
            *_LINKING.get(sys.platform, ()),
        ]
        run(command, folder, f"the {compiler.title} refused generated code")


def load_module(compiler: Tool, files: Mapping[str, str]) -> ModuleType:
    """Load a module from the cache, where it is put if it is not there.

    Args:
        compiler: gcc, clang, or another that takes their options.
        files: path -> text of C files, and of what they include from `include/`.

    Raises:
        ToolchainError: as `compile_module`; or what it made cannot be loaded.
    """
    content = (json.dumps(sorted(files.items())), *_surroundings(compiler))
    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    for attempt in range(2):
        path = cached_file(content, suffix, lambda made: compile_module(compiler, files, made))
        try:
            return import_module(path)
        except ImportError as error:
            if attempt:
                raise ToolchainError(
                    f"cannot load what the {compiler.title} made: {error}"
                ) from error
            path.unlink(
                missing_ok=True
            )  # a disk was full, or a folder moved here from another machine
    raise AssertionError("unreachable")


def _surroundings(compiler: Tool) -> Iterator[str]:
    """What a compiled module depends on besides its source."""
    command = _command(compiler, THIS_MACHINE)
    yield json.dumps(command)
    yield version_of(tuple(compiler.find()))
    yield sys.version
    yield np.__version__
    yield processor()


def _command(compiler: Tool, options: tuple[str, ...]) -> list[str]:
    folders = dict.fromkeys(
        [sysconfig.get_path("include"), sysconfig.get_path("platinclude"), np.get_include()]
    )
    # Others' headers are not held to our warnings.
    includes = [word for folder in folders for word in ("-isystem", folder)]
    chosen = shlex.split(os.environ.get(OPTIONS_VARIABLE, ""))
    return [*compiler.find(), *_LIBRARY, *OPTIMISED, *options, *chosen, "-Iinclude", *includes]


@cache
def version_of(compiler: tuple[str, ...]) -> str:
    """The version of a compiler, as it says it."""
    return run([*compiler, "--version"], None, f"cannot ask {compiler[0]} for its version")


@cache
def processor() -> str:
    """The processor, which -march=native depends on: other machines may see the same cache."""
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return "\n".join(
            sorted(
                {
                    line
                    for line in lines
                    if line.startswith(("model name", "flags", "Features", "CPU part"))
                }
            )
        )
    return f"{platform.machine()} {platform.processor()}"


def import_module(path: Path) -> ModuleType:
    """Import a compiled module from its file.

    Raises:
        ImportError: it is damaged, or of another Python or machine.
    """
    loader = ExtensionFileLoader(MODULE, str(path))
    module = module_from_spec(ModuleSpec(MODULE, loader, origin=str(path)))
    loader.exec_module(module)
    return module
