"""Target `wheel`: a Python package with a robot's compiled functions, which requires only numpy.

The module `wheel_files` prints the text files of the package. This module compiles the kernels,
packs the wheel, and calls the functions of the unpacked wheel in a new Python process.
"""

from __future__ import annotations

import base64
import platform
import re
import sys
import sysconfig
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dynagen.codegen.language import Language, collect_kernel_sources
from dynagen.codegen.languages import LANGUAGES
from dynagen.codegen.package import Package, SourceFile
from dynagen.codegen.routine import name_batch_kernel
from dynagen.codegen.targets.archive import Archive
from dynagen.codegen.targets.target import Built, SourceFiles, Target
from dynagen.codegen.targets.wheel_files import Distribution, print_wheel
from dynagen.codegen.ufuncs import list_ufunc_signatures, write_help
from dynagen.errors import UsageError
from dynagen.ir.program import PREPARE, Signature
from dynagen.toolchain.cache import MODULE
from dynagen.toolchain.extension import THIS_MACHINE, compile_module, require_headers
from dynagen.toolchain.interpreted import InstalledFunction, load_installed
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.version import __version__

# Versions of PEP 440 without epochs and local versions.
_VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?")
_STRIPPED = ("-s",)
_MODULES = {
    language.name: language.ufunc_module
    for language in LANGUAGES
    if language.ufunc_module is not None
}


def check_release(release: str) -> None:
    """Check the version of a Python package, given as text.

    Raises:
        UsageError: the version does not have a form such as 1.0, 2.1.3, 1.0rc1 or 1.0.post1.
    """
    if not _VERSION.fullmatch(release):
        raise UsageError(f"invalid version `{release}`; expected for example 1.0, 2.1.3 or 1.0rc1")


def _check(language: Language, settings: Mapping[str, Any]) -> None:
    """Check that the version is valid, and that Python is CPython with its headers."""
    check_release(settings["release"])
    if sys.implementation.name != "cpython":
        raise UsageError(
            f"wheels are compiled with CPython, found {sys.implementation.name}; run dynagen in "
            "CPython"
        )
    require_headers(_MODULES[language.name].compiler)


def _print_files(package: Package, language: Language) -> SourceFiles:
    """Return the text files of the robot's package.

    Raises:
        UsageError: the package has the name of a module of Python's standard library.
    """
    if package.prefix in sys.stdlib_module_names:
        raise UsageError(
            f"a package `{package.prefix}` would hide the standard module of this name: choose "
            "another name with --prefix"
        )
    texts = print_wheel(package, _signatures(package, language), _distribution(package))
    return tuple(SourceFile(path, text) for path, text in texts.items())


def _build(package: Package, language: Language, files: SourceFiles) -> Archive:
    """Compile the module of ufuncs, and pack the module and the text files into a wheel.

    Raises:
        ToolchainError: the compiler is not installed or rejects the code.
    """
    module = _MODULES[language.name]
    sources, routines = collect_kernel_sources(language, package, language.print_kernels(package))
    signatures = list_ufunc_signatures(routines)
    help_lines = {
        kernel.function: write_help(package, kernel, signatures[kernel.function]).splitlines()
        for kernel in package.kernels
    }
    printed = module.print_module(sources, routines, package.real, help_lines)
    # A wheel is installed on other machines, so its code must run on the oldest of them.
    options = THIS_MACHINE if package.native else make_portable_options(package.prefix)
    with TemporaryDirectory(prefix="dynagen-") as temporary:
        path = Path(temporary, f"{MODULE}{sysconfig.get_config_var('EXT_SUFFIX')}")
        compile_module(module.compiler, printed, path, options)
        compiled = {f"{package.prefix}/{path.name}": path.read_bytes()}
    return pack_wheel(
        _distribution(package),
        {file.path: file.text.encode() for file in files} | compiled,
        _tag(),
    )


def _load(
    package: Package, language: Language, files: SourceFiles, built: Built | None
) -> dict[str, CompiledKernel]:
    """Unpack the wheel, and load its functions in a process that cannot import dynagen.

    A call for one state runs the kernel for one state; a call for many states runs the batch kernel
    in a loop.

    Raises:
        ToolchainError: the package cannot be imported, or lacks a function.
    """
    assert isinstance(built, Archive)  # `_build` made it
    functions = {}
    for name, signature in _signatures(package, language).items():
        # The package itself does not export `prepare`.
        module = f"{package.prefix}.{MODULE}" if name == PREPARE else package.prefix
        # Two kinds of calls: each state alone uses the kernel, all at once the batch kernel.
        functions[name] = InstalledFunction(module, signature, one_by_one=True)
        functions[name_batch_kernel(name)] = InstalledFunction(module, signature)
    with TemporaryDirectory(prefix="dynagen-", ignore_cleanup_errors=True) as folder:
        built.unpack(Path(folder))
        # A wheel requires numpy, and numpy only.
        return load_installed((folder, str(Path(np.__path__[0]).parent)), functions, package.real)


WHEEL = Target(
    name="wheel",
    audience="Python users who have numpy, but not dynagen",
    languages=tuple(language for language in LANGUAGES if language.name in _MODULES),
    out="dist",
    files=(
        "<robot>/__init__.py",
        "<robot>/__init__.pyi",
        "<robot>/py.typed",
        f"<robot>/{MODULE} (compiled)",
        *(f"<robot>-<release>.dist-info/{name}" for name in ("METADATA", "RECORD", "WHEEL")),
    ),
    tools=("CPython with its headers", "gcc or clang"),
    proof=(
        "The wheel is unpacked. A Python process without dynagen imports the package and calls "
        "each function, for one state after the other and for all states at once."
    ),
    print_files=_print_files,
    build=_build,
    load=_load,
    check=_check,
    is_one_file=True,
    options=("release", "native"),
    always=("batch",),
)


def _signatures(package: Package, language: Language) -> dict[str, Signature]:
    """Return the signatures, by name, of all functions of the module, including `prepare`."""
    _, routines = collect_kernel_sources(language, package, ())
    return list_ufunc_signatures(routines)


def _distribution(package: Package) -> Distribution:
    """Return name, version and requirements of the wheel."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return Distribution(package.prefix, package.release, python, _require_numpy())


def pack_wheel(distribution: Distribution, files: Mapping[str, bytes], tag: str) -> Archive:
    """Return files as a wheel, with the additional files WHEEL and RECORD that pip reads.

    Args:
        distribution: name and version.
        files: content of each file, by its path in the wheel.
        tag: interpreter, binary interface and platform, such as `py3-none-linux_x86_64`.
    """
    information = distribution.information
    about = (
        f"Wheel-Version: 1.0\nGenerator: dynagen {__version__}\n"
        f"Root-Is-Purelib: false\nTag: {tag}\n"
    )
    packed = {**files, f"{information}/WHEEL": about.encode()}
    record = [
        f"{name},sha256={_digest(content)},{len(content)}"
        for name, content in sorted(packed.items())
    ]
    packed[f"{information}/RECORD"] = "\n".join([*record, f"{information}/RECORD,,", ""]).encode()
    return Archive(f"{distribution.name}-{distribution.version}-{tag}.whl", packed)


def make_portable_options(prefix: str) -> tuple[str, ...]:
    """Return compiler options for a module that all machines of this architecture can load.

    On x86-64 with glibc, GCC compiles functions for several instruction sets, and the loader
    chooses the functions for the widest SIMD registers of the machine. `prefix` is the prefix of
    the kernels' names.
    """
    clones = platform.machine() == "x86_64" and platform.libc_ver()[0] == "glibc"
    return (f"-D{prefix.upper()}_CLONES", *_STRIPPED) if clones else _STRIPPED


def _require_numpy() -> str:
    """Return the numpy requirement of the wheel.

    A module built with numpy 2 also runs with numpy 1.26, but not the reverse.
    """
    return (
        "numpy >= 1.26" if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else "numpy >= 1.26, < 2"
    )


def _tag() -> str:
    """Return the wheel tag for this machine: Python version, binary interface and platform."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}{sys.abiflags}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def _digest(content: bytes) -> str:
    """Return the SHA-256 digest of a file, encoded as in the file RECORD of a wheel."""
    return base64.urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
