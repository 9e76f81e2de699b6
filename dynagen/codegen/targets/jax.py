"""Target `jax`: a Python package of differentiable functions of JAX arrays.

Two back ends compute the same: compiled kernels that XLA calls on the CPU, with kernels for
products of their derivatives, and programs in jax.numpy (`jax_programs`). The proof calls the
unpacked package in a fresh process, as users do: on rows and columns of states, by `vmap`, `jvp`
and `vjp`, with both back ends.
"""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dynagen.codegen import documentation
from dynagen.codegen.language import Language, collect_kernel_sources
from dynagen.codegen.languages import LANGUAGES
from dynagen.codegen.naming import make_plain_text
from dynagen.codegen.package import Kernel, Package, SourceFile
from dynagen.codegen.routine import name_batch_kernel
from dynagen.codegen.targets.archive import Archive
from dynagen.codegen.targets.jax_programs import print_programs
from dynagen.codegen.targets.target import Built, SourceFiles, Target
from dynagen.codegen.targets.wheel import check_release, make_portable_options, pack_wheel
from dynagen.codegen.targets.wheel_files import Distribution
from dynagen.codegen.templating import fill, read_template
from dynagen.dynamics.algorithms.external_wrenches import WRENCH
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.dynamics.requests import find_functions
from dynagen.errors import ToolchainError
from dynagen.ir.program import PARAMS, PREPARE, Argument, Signature
from dynagen.resources import require_extra
from dynagen.robot.coordinates import refuse_spherical_joints
from dynagen.robot.model.model import RobotModel
from dynagen.toolchain.commands import C_COMPILER
from dynagen.toolchain.extension import OPTIMISED, THIS_MACHINE
from dynagen.toolchain.interpreted import InstalledFunction, load_installed
from dynagen.toolchain.kernel import CompiledKernel, add_values_argument
from dynagen.toolchain.shared_library import SHARED, compile_library

FFI, XLA = BACKENDS = ("ffi", "xla")
"""Back ends: compiled kernels that XLA calls on the CPU, and programs in jax.numpy."""
PARAMETERS = "parameters"
"""Input of run-time parameters; its elements are in the order of the description."""
_LIBRARY = "kernels.so"
_PAGES = ("description", "functions", "kernels", "motions")
"""Modules of the package that are the same for all robots."""
_PRODUCTS = ("jvp", "vjp")
_PARAMETER_PRODUCTS = ("parameter_jvp", "parameter_vjp")
_PRINTERS = {
    language.name: language.print_ffi_library
    for language in LANGUAGES
    if language.print_ffi_library is not None
}


def name_module(package: Package) -> str:
    """Return the name of the Python package."""
    return f"{package.prefix}_jax"


def _list_requests(
    requests: Sequence[str], model: RobotModel, settings: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return the requested functions, and those for products of their derivatives."""
    refuse_spherical_joints(model.name, (body.joint for body in model.bodies), "the target jax")
    known = {function.name: function for function in FUNCTIONS}
    kinds = (*_PRODUCTS, *_PARAMETER_PRODUCTS) if model.parameters else _PRODUCTS
    products = [
        name
        for function in find_functions(requests, model)
        for name in (f"{function.name}_{product}" for product in kinds)
        if _has_products(function.name)
        # There are no derivatives by external wrenches.
        and not any(each.name == WRENCH for each in function.inputs(model))
        and not known[name].availability.explain_absence(model)
    ]
    return tuple(dict.fromkeys((*requests, *products)))


def _has_products(function: str) -> bool:
    """Return whether a function has kernels for products of its derivatives."""
    names = {each.name for each in FUNCTIONS}
    return all(f"{function}_{product}" in names for product in _PRODUCTS)


def _check(language: Language, settings: Mapping[str, Any]) -> None:
    """Require JAX, a compiler with options as gcc's, and a valid version."""
    check_release(settings["release"])
    require_extra("jax", "jax", "to prove the functions in JAX")
    if sys.platform == "win32" or Path(C_COMPILER.find()[0]).stem.lower() == "cl":
        raise ToolchainError(
            "--target jax compiles with gcc and clang only, and not on Windows; set CC"
        )


@dataclass(frozen=True)
class _JaxFunction:
    """A function of the package for the template.

    Attributes:
        name: its name.
        inputs: inputs in order, with `parameters` in place of prepared parameters.
        outputs: outputs in order, without the status.
        differentiable: whether there are kernels for products of its derivatives.
        takes_parameters: whether its last input contains run-time parameters.
        floats: whether its first input is q of a floating base.
        explained: formula, counts and proof.
        arguments: table of the arguments.
        returned: type of the result.
        derivatives: sentence on its derivatives.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    differentiable: bool
    takes_parameters: bool
    floats: bool
    explained: str
    arguments: str
    returned: str
    derivatives: str


def _describe_functions(package: Package) -> list[_JaxFunction]:
    """Return the functions of the package, without the kernels for their derivatives."""
    products = _find_products(package)
    differentiable = {function for function, _ in products.values()}
    return [
        _describe(package, kernel, kernel.function in differentiable)
        for kernel in package.kernels
        if kernel.function != PREPARE and kernel.function not in products
    ]


def _find_products(package: Package) -> dict[str, tuple[str, str]]:
    """Return the kernels for derivatives of others: name -> (function, product)."""
    kernels = {kernel.function: kernel for kernel in package.kernels}
    kinds = (*_PRODUCTS, *(_PARAMETER_PRODUCTS if package.parameters else ()))
    return {
        f"{name}_{product}": (name, product)
        for name, kernel in kernels.items()
        if not any(each.name == WRENCH for each in kernel.program.inputs)
        and all(f"{name}_{product}" in kernels for product in kinds)
        for product in kinds
    }


def _describe(package: Package, kernel: Kernel, differentiable: bool) -> _JaxFunction:
    """Return a function for the template."""
    signature = kernel.program.signature
    inputs = tuple(_rename_parameters(package, each) for each in signature.inputs)
    outputs = signature.results
    shown = replace(signature, inputs=inputs, outputs=outputs)
    arrays = ", ".join(["jax.Array"] * len(outputs))
    return _JaxFunction(
        kernel.function,
        inputs,
        outputs,
        differentiable,
        inputs[-1].name == PARAMETERS,
        package.nq > package.nv and inputs[0].name == "q",
        documentation.explain_kernel(package, kernel, "    "),
        "\n".join(documentation.describe_arguments(shown)),
        arrays if len(outputs) == 1 else f"tuple[{arrays}]",
        "First derivatives in forward and reverse mode."
        if differentiable
        else 'Derivatives with backend="xla" only.',
    )


def _rename_parameters(package: Package, argument: Argument) -> Argument:
    """Return an input of the function: values of run-time parameters instead of prepared ones."""
    if argument.name != PARAMS:
        return argument
    (values,) = package.kernels[0].program.inputs
    return replace(values, name=PARAMETERS)


def _print_files(package: Package, language: Language) -> SourceFiles:
    """Print the text files of the Python package."""
    functions = _describe_functions(package)
    module = name_module(package)
    distribution = _distribution(package)
    constants = ("JOINTS", "N", "NQ", "PARAMETERS", "__version__")
    maps = ("find_change", "find_motion") if package.nq > package.nv else ()
    values = {
        "robot": make_plain_text(package.robot),
        "module": module,
        "about": "\n".join(documentation.describe_package(package, 0)),
        "origin": documentation.describe_origin(package),
        "functions": functions,
        "kernels": [each.function for each in package.kernels if each.function != PREPARE],
        "library": _LIBRARY,
        "backend": FFI,
        "real": np.dtype(package.real.dtype).name,
        "nv": package.nv,
        "nq": package.nq,
        "joints": tuple(joint.name for joint in package.joints),
        "parameters": {
            parameter.name: float(package.real.round(parameter.value))
            for parameter in package.parameters
        },
        "names": [*constants, *maps, *sorted(function.name for function in functions)],
        "distribution": distribution.name,
        "version": distribution.version,
    }
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
        f"{module}/_programs.py": print_programs(shown),
        f"{module}/py.typed": "",
        f"{distribution.information}/METADATA": fill("jax/METADATA.j2", **values),
    }
    return tuple(SourceFile(path, text) for path, text in texts.items())


def _distribution(package: Package) -> Distribution:
    """Return name and version; the library does not depend on the version of Python."""
    return Distribution(name_module(package), package.release, "3", "numpy >= 1.26")


def _build(package: Package, language: Language, files: SourceFiles) -> Archive:
    """Compile the library of kernels, and pack it with the text files.

    Raises:
        ToolchainError: the compiler is not installed or rejects the code.
    """
    sources, routines = collect_kernel_sources(language, package, language.print_kernels(package))
    printed = _PRINTERS[language.name](sources, routines, package.real)
    options = THIS_MACHINE if package.native else make_portable_options(package.prefix)
    # XLA's header repeats type definitions, which C99 does not allow.
    command = [
        *C_COMPILER.find(),
        *("-std=c11", "-fvisibility=hidden"),
        *OPTIMISED,
        *options,
        *SHARED,
        *("-Iinclude", "-isystem", str(_find_headers())),
    ]
    library = compile_library(command, printed, ["-lm"])
    compiled = {f"{name_module(package)}/{_LIBRARY}": library.read_bytes()}
    platform = re.sub("[-.]", "_", sysconfig.get_platform())
    return pack_wheel(
        _distribution(package),
        {file.path: file.text.encode() for file in files} | compiled,
        f"py3-none-{platform}",
    )


def _find_headers() -> Path:
    """Return the folder with XLA's headers, which jaxlib installs.

    Raises:
        ToolchainError: this jaxlib has no headers.
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
    """Unpack the package, and load its functions in a process that cannot import dynagen.

    Each function is loaded twice: calls for one state, and calls for many by all ways of mapping
    and both back ends. Products of derivatives are computed by `jax.jvp` and `jax.vjp`.

    Raises:
        ToolchainError: the package cannot be imported, or lacks a function.
    """
    assert isinstance(built, Archive)  # `_build` made it
    products = _find_products(package)
    prepare = next(
        (each.program.signature for each in package.kernels if each.function == PREPARE), None
    )
    own = {each.function: _add_values(each.program.signature, prepare) for each in package.kernels}
    loaded = {}
    for kernel in package.kernels:
        if kernel.function == PREPARE:
            continue
        signature = own[kernel.function]
        function, product = products.get(kernel.function, (kernel.function, ""))
        for one_by_one in (True, False):
            name = signature.name if one_by_one else name_batch_kernel(signature.name)
            loaded[name] = InstalledFunction(
                name_module(package),
                signature,
                one_by_one,
                caller="jax_calls.py",
                details={
                    "function": function,
                    "product": product,
                    "floats": package.nq > package.nv,
                    "operations": kernel.operations.total,
                    "added": len(signature.inputs) - len(own[function].inputs),
                    "parameters": prepare is not None,
                },
            )
    with TemporaryDirectory(prefix="dynagen-", ignore_cleanup_errors=True) as folder:
        built.unpack(Path(folder))
        jax = find_spec("jax")
        assert jax is not None  # `_check` required it
        assert jax.origin is not None
        kernels = load_installed((folder, str(Path(jax.origin).parents[1])), loaded, package.real)
    if prepare is not None:
        kernels[PREPARE] = CompiledKernel(
            prepare,
            lambda inputs: [
                np.zeros((len(inputs[0]), *prepare.results[0].shape), package.real.dtype),
                np.zeros(len(inputs[0]), np.int32),
            ],
            package.real,
        )
    return kernels


def _add_values(signature: Signature, prepare: Signature | None) -> Signature:
    """Return the signature of a function that prepares its run-time parameters itself."""
    if prepare is None or signature.inputs[-1].name != PARAMS:
        return signature
    return add_values_argument(signature, prepare)


JAX = Target(
    name="jax",
    audience="users of JAX: learning, gradient-based identification and control, large batches",
    languages=tuple(language for language in LANGUAGES if language.name in _PRINTERS),
    out="dist",
    files=(
        "<robot>_jax/__init__.py",
        *(f"<robot>_jax/_{page}.py" for page in _PAGES),
        "<robot>_jax/_programs.py (jax.numpy)",
        "<robot>_jax/py.typed",
        f"<robot>_jax/{_LIBRARY} (compiled)",
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
    check=_check,
    list_requests=_list_requests,
    is_one_file=True,
    options=("release", "native"),
    always=("batch",),
)
