"""Python extension modules from C source code, which are compiled and stored in the cache."""

from __future__ import annotations

import json
import os
import platform
import shlex
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType, ModuleType

import numpy as np

from dynagen.errors import ToolchainError
from dynagen.toolchain.cache import cache_file, describe_processor, import_module
from dynagen.toolchain.commands import Tool, make_source_folder, run, run_all

OPTIMISED = ("-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
"""Options of gcc, gfortran and clang for code that users call.

-ffp-contract=off prevents fused multiply-adds, so that results are equal to the last bit in scalar
and batch kernels and on all machines. Options in the environment variable DYNAGEN_CFLAGS come later
in the command and can override this option.
-fno-math-errno and -fno-trapping-math permit the compiler to ignore errno and floating-point
exceptions. A square root is then one instruction, and a branch may become a conditional move;
results are unchanged.
"""
OPTIONS_VARIABLE = "DYNAGEN_CFLAGS"
"""Environment variable with additional options, which come last in the compiler's command."""
_NATIVE = {
    "x86_64": "-march=native",
    "AMD64": "-march=native",
    "aarch64": "-mcpu=native",
    "arm64": "-mcpu=native",
}
THIS_MACHINE = tuple(option for machine, option in _NATIVE.items() if machine == platform.machine())
"""Compiler options that permit all instructions of this processor; omitted for wheels."""
# Symbols are hidden: kernels of the same name in two modules of a process stay separate, and calls
# are direct.
_LIBRARY = ("-std=c99", "-fvisibility=hidden", "-fPIC")
# On macOS, Python's functions are resolved when the module is loaded.
_LINKING = {"darwin": ("-undefined", "dynamic_lookup")}


def explain_unavailable(compiler: Tool) -> str | None:
    """Return why Python modules cannot be compiled here, with a remedy; None if they can."""
    if sys.platform == "win32" or Path(compiler.find()[0]).stem.lower() == "cl":
        return (
            "Python modules require gcc or clang, on Linux or macOS: set CC=gcc or CC=clang; on "
            "Windows, run dynagen in WSL"
        )
    folder = sysconfig.get_path("include")
    if not Path(folder, "Python.h").exists():
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        return (
            f"Python.h was not found in {folder}: install the headers of Python {version} "
            f"(apt-get install python{version}-dev; dnf install python3-devel)"
        )
    return None


def require_headers(compiler: Tool) -> None:
    """Check that Python extension modules can be compiled on this machine.

    Raises:
        ToolchainError: modules cannot be compiled; the message contains the reason and a remedy.
    """
    if reason := explain_unavailable(compiler):
        raise ToolchainError(reason)


def compile_module(
    compiler: Tool,
    files: Mapping[str, str],
    path: Path,
    options: tuple[str, ...] = THIS_MACHINE,
    compile_others: Callable[[], Iterable[Path]] = tuple,
) -> None:
    """Compile a Python extension module from C source code.

    Args:
        compiler: gcc, clang, or a compiler with the same options.
        files: mapping from path to text, for C files and for the headers that they include. Paths
            are relative to one common folder, and paths of headers begin with `include/`.
        path: path to which the compiled module is written.
        options: compiler options in addition to those for all extension modules; by default, the
            option that selects this machine's type of processor.
        compile_others: function that returns further object files for the module, from the cache.
            It is called just before they are used, because cached files may be deleted.

    Raises:
        ToolchainError: the compiler is not installed or rejects the source, or modules cannot be
            compiled on this machine.
    """
    require_headers(compiler)
    with make_source_folder(files) as folder:
        command = _command(compiler, options)
        refusal = f"the {compiler.title} rejected generated code"
        objects = {f"{file}.o": file for file in files if file.endswith(".c")}
        run_all(
            [[*command, "-c", source, "-o", made] for made, source in objects.items()],
            folder,
            refusal,
        )
        linking = ("-shared", "-o", str(path), "-lm", *_LINKING.get(sys.platform, ()))
        others = map(str, compile_others())
        run([*command, *objects, *others, *linking], folder, refusal)


def compile_calls(compiler: Tool, files: Mapping[str, str]) -> list[Path]:
    """Return the object files of C files that many modules share, from the cache or newly compiled.

    Args:
        compiler: gcc, clang, or a compiler with the same options.
        files: mapping from path to text, for the C files and the headers that they include.

    Raises:
        ToolchainError: the files cannot be compiled (see `compile_module`).
    """
    require_headers(compiler)
    content = (json.dumps(sorted(files.items())), *_dependencies(compiler))

    def compile_file(source: str, made: Path) -> None:
        command = [*_command(compiler, THIS_MACHINE), "-c", source, "-o", str(made)]
        with make_source_folder(files) as folder:
            run_all([command], folder, f"the {compiler.title} rejected generated code")

    return [
        cache_file((path, *content), ".o", partial(compile_file, path))
        for path in files
        if path.endswith(".c")
    ]


def load_module(
    compiler: Tool, files: Mapping[str, str], shared: Mapping[str, str] = MappingProxyType({})
) -> ModuleType:
    """Load an extension module from the cache, and compile it first if necessary.

    Args:
        compiler: gcc, clang, or a compiler with the same options.
        files: mapping from path to text, for C files and for the headers that they include. Paths
            are relative to one common folder, and paths of headers begin with `include/`.
        shared: those of the files that many modules share; `compile_calls` compiles them.

    Raises:
        ToolchainError: the module cannot be compiled (see `compile_module`) or loaded.
    """
    content = (json.dumps(sorted(files.items())), *_dependencies(compiler))
    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    own = {path: text for path, text in files.items() if path not in shared or path.endswith(".h")}

    def compile_own(made: Path) -> None:
        compile_module(compiler, own, made, compile_others=lambda: compile_calls(compiler, shared))

    for attempt in range(2):
        path = cache_file(content, suffix, compile_own)
        try:
            return import_module(path)
        except ImportError as error:
            if attempt:
                raise ToolchainError(
                    f"cannot load the output of the {compiler.title}: {error}"
                ) from error
            # The disk was full, or the cache comes from another machine: compile once more.
            path.unlink(missing_ok=True)
    raise AssertionError("unreachable")


def _dependencies(compiler: Tool) -> Iterator[str]:
    """Yield texts that, with the source code, determine a compiled module."""
    command = _command(compiler, THIS_MACHINE)
    yield json.dumps(command)
    yield read_version(tuple(compiler.find()))
    yield sys.version
    yield np.__version__
    yield describe_processor()


def _command(compiler: Tool, options: tuple[str, ...]) -> list[str]:
    """Return the compiler's command with all options for an extension module, without the files."""
    folders = dict.fromkeys(
        [sysconfig.get_path("include"), sysconfig.get_path("platinclude"), np.get_include()]
    )
    # System folders: the compiler does not warn about headers of Python and numpy.
    includes = [word for folder in folders for word in ("-isystem", folder)]
    chosen = shlex.split(os.environ.get(OPTIONS_VARIABLE, ""))
    return [*compiler.find(), *_LIBRARY, *OPTIMISED, *options, *chosen, "-Iinclude", *includes]


@cache
def read_version(compiler: tuple[str, ...]) -> str:
    """Return the text that a compiler (command with arguments) prints for `--version`."""
    return run([*compiler, "--version"], None, f"cannot determine the version of {compiler[0]}")
