"""Target `jax`: a Python package of differentiable functions of JAX arrays.

Each function of the package has two back ends. In the first back end, XLA calls compiled kernels
for functions and for products of their Jacobians with vectors. The second back end consists of
programs in jax.numpy (`jax_programs`). To verify the package, dynagen calls both back ends in a new
process, as users do: on rows and columns of states, by `vmap`, `jvp` and `vjp`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from dynagen.codegen.language import Language
from dynagen.codegen.languages import LANGUAGES
from dynagen.codegen.package import Package, SourceFile
from dynagen.codegen.targets.archive import Archive
from dynagen.codegen.targets.gpu_kernels import CODE
from dynagen.codegen.targets.jax_programs import print_programs
from dynagen.codegen.targets.learning import (
    LIBRARY,
    build_wheel,
    check,
    collect_values,
    describe_distribution,
    describe_functions,
    list_requests,
    list_turning_joints,
    load_functions,
)
from dynagen.codegen.targets.target import Built, SourceFiles, Target
from dynagen.codegen.templating import fill, read_template
from dynagen.errors import ToolchainError
from dynagen.ir.program import PREPARE
from dynagen.toolchain.kernel import CompiledKernel

FFI, XLA = BACKENDS = ("ffi", "xla")
"""Names of the back ends: compiled kernels that XLA calls, and programs in jax.numpy."""
_PAGES = ("description", "functions", "kernels")
"""Modules of the delivered Python package that are the same for all robots."""
_PRINTERS = {
    language.name: language.print_ffi_library
    for language in LANGUAGES
    if language.print_ffi_library is not None
}


def name_module(package: Package) -> str:
    """Return `<prefix>_jax`, the name of the Python package for JAX."""
    return f"{package.prefix}_jax"


def _print_files(package: Package, language: Language) -> SourceFiles:
    """Return the text files of the Python package."""
    functions = describe_functions(package)
    module = name_module(package)
    distribution = describe_distribution(package, module)
    values = {**collect_values(package, functions, distribution), "backend": FFI}
    shown = replace(
        package,
        kernels=tuple(
            kernel
            for kernel in package.kernels
            if kernel.function in {PREPARE, *(function.name for function in functions)}
        ),
    )
    texts = {
        f"{module}/__init__.py": fill("jax/init.py.j2", **values),
        **{f"{module}/_{page}.py": read_template(f"jax/{page}.py") for page in _PAGES},
        f"{module}/_motions.py": fill(
            "motions.py.j2",
            arrays="jax.numpy",
            move_axis="moveaxis",
            join="concatenate",
            joints=list_turning_joints(package),
        ),
        f"{module}/_programs.py": print_programs(shown),
        f"{module}/py.typed": "",
        f"{distribution.information}/METADATA": fill("jax/METADATA.j2", **values),
    }
    return tuple(SourceFile(path, text) for path, text in texts.items())


def _build(package: Package, language: Language, files: SourceFiles) -> Archive:
    """Compile the library of kernels, and pack it with the text files into a wheel.

    Raises:
        ToolchainError: the compiler is not installed or rejects the code.
    """
    # XLA's header repeats type definitions, which C99 does not allow.
    headers = ("-isystem", str(_find_headers()))
    printer = _PRINTERS[language.name]
    return build_wheel(package, language, files, name_module(package), printer, headers)


def _find_headers() -> Path:
    """Return the folder with the headers of XLA, which jaxlib installs.

    Raises:
        ToolchainError: the installed version of jaxlib has no headers.
    """
    spec = find_spec("jaxlib")
    folder = Path(spec.origin if spec and spec.origin else "").parent / "include"
    if not (folder / "xla/ffi/api/c_api.h").exists():
        raise ToolchainError(
            f"there is no xla/ffi/api/c_api.h in {folder}: reinstall JAX with "
            "`pip install 'dynagen[jax]'`"
        )
    return folder


def _load(
    package: Package, language: Language, files: SourceFiles, built: Built | None
) -> dict[str, CompiledKernel]:
    """Load the functions of the unpacked package with both back ends.

    Products of Jacobians with vectors are computed by `jax.jvp` and `jax.vjp`.

    Raises:
        ToolchainError: the package cannot be imported, or lacks a function.
    """
    assert isinstance(built, Archive)  # `_build` made it
    return load_functions(package, built, name_module(package), "jax")


JAX = Target(
    name="jax",
    audience="users of JAX: learning, gradient-based identification and control, large batches",
    languages=tuple(language for language in LANGUAGES if language.name in _PRINTERS),
    out="dist",
    files=(
        "<robot>_jax/__init__.py",
        *(f"<robot>_jax/_{page}.py" for page in (*_PAGES, "motions")),
        "<robot>_jax/_programs.py (jax.numpy)",
        "<robot>_jax/py.typed",
        f"<robot>_jax/{LIBRARY} (compiled)",
        f"<robot>_jax/{CODE} (with --gpu)",
        *(f"<robot>_jax-<release>.dist-info/{name}" for name in ("METADATA", "RECORD", "WHEEL")),
    ),
    tools=("gcc or clang",),
    extras=("jax",),
    proof=(
        "The package is unpacked. A Python process without dynagen imports it and calls each "
        "function with both back ends, on one state and many, by vmap, jvp and vjp."
    ),
    print_files=_print_files,
    build=_build,
    load=_load,
    check=lambda language, settings: check("jax", settings),
    list_requests=partial(list_requests, with_spherical_joints=True),
    is_one_file=True,
    options=("release", "native", "gpu"),
    always=("batch",),
)
