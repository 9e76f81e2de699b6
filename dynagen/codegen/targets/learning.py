"""Python packages for machine learning, with kernels for products of Jacobians with vectors.

The targets `jax` and `torch` deliver Python packages for machine learning. Run-time parameters of
the robot are an input of every function of a package. Kernels whose names end with `_jvp`, `_vjp`,
`_parameter_jvp` and `_parameter_vjp` compute products of a function's Jacobian with a vector on the
right (jvp) or left (vjp). The Jacobian contains derivatives by the motion, or by the run-time
parameters.
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
from dynagen.codegen.language import Language, PrintLibrary, collect_kernel_sources
from dynagen.codegen.naming import make_plain_text
from dynagen.codegen.package import Kernel, Package
from dynagen.codegen.routine import name_batch_kernel
from dynagen.codegen.targets.archive import Archive
from dynagen.codegen.targets.gpu_kernels import add_proof, compile_kernels, print_kernels
from dynagen.codegen.targets.target import SourceFiles
from dynagen.codegen.targets.wheel import check_release, make_portable_options, pack_wheel
from dynagen.codegen.targets.wheel_files import Distribution
from dynagen.dynamics.algorithms.external_wrenches import list_external_inputs
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.dynamics.requests import find_functions
from dynagen.errors import ToolchainError
from dynagen.ir.program import PARAMS, PREPARE, Argument, Signature
from dynagen.resources import require_extra
from dynagen.robot.coordinates import refuse_special_joints
from dynagen.robot.model.model import RobotModel
from dynagen.toolchain import nvrtc
from dynagen.toolchain.commands import C_COMPILER
from dynagen.toolchain.extension import OPTIMISED, THIS_MACHINE
from dynagen.toolchain.interpreted import InstalledFunction, load_installed
from dynagen.toolchain.kernel import CompiledKernel, add_values_argument, make_prepare_kernel
from dynagen.toolchain.shared_library import SHARED, compile_library

LIBRARY = "kernels.so"
PARAMETERS = "parameters"
"""Name of the input that holds the run-time parameters in the order of the description."""
_PRODUCTS = ("jvp", "vjp")
_PARAMETER_PRODUCTS = ("parameter_jvp", "parameter_vjp")


def list_requests(
    requests: Sequence[str],
    model: RobotModel,
    settings: Mapping[str, Any],
    with_spherical_joints: bool = False,
) -> tuple[str, ...]:
    """Return the requested functions, and functions for products of their Jacobians with vectors.

    The products are Jacobian-vector (jvp) and vector-Jacobian (vjp) products, with derivatives by
    the motion and by run-time parameters.

    Args:
        requests: functions that the user requests.
        model: model of the robot.
        settings: settings of the run by name; not used.
        with_spherical_joints: whether the target supports spherical joints.

    Raises:
        UsageError: a request is unknown, or a joint is not supported.
    """
    joints = (body.joint for body in model.bodies)
    refuse_special_joints(
        model.name, joints, "this target", with_spherical_joints=with_spherical_joints
    )
    known = {function.name: function for function in FUNCTIONS}
    kinds = (*_PRODUCTS, *_PARAMETER_PRODUCTS) if model.parameters else _PRODUCTS
    products = [
        name
        for function in find_functions(requests, model)
        for name in (f"{function.name}_{product}" for product in kinds)
        if _has_products(function.name)
        # There are no derivatives by external wrenches and contact forces.
        and not list_external_inputs(function.inputs(model))
        and not known[name].availability.explain_absence(model)
    ]
    return tuple(dict.fromkeys((*requests, *products)))


def _has_products(function: str) -> bool:
    """Return whether there are functions for the Jacobian-vector products of a function."""
    names = {each.name for each in FUNCTIONS}
    return all(f"{function}_{product}" in names for product in _PRODUCTS)


def check(target: str, settings: Mapping[str, Any]) -> None:
    """Check that the user's settings are valid and that the required software is installed.

    Args:
        target: name of the target and of its library, `jax` or `torch`.
        settings: settings of the run by name; `release` is the version, `gpu` adds GPU kernels.

    Raises:
        ToolchainError: the library, the compiler, or NVRTC for a GPU is not installed.
        UsageError: the version is invalid.
    """
    check_release(settings["release"])
    if settings["gpu"]:
        nvrtc.open_library()
    require_extra(target, target, "to prove the functions")
    if sys.platform == "win32" or Path(C_COMPILER.find()[0]).stem.lower() == "cl":
        raise ToolchainError(
            f"--target {target} compiles with gcc and clang only, and not on Windows; set CC"
        )


@dataclass(frozen=True)
class LearningFunction:
    """A function of the Python package, for the jinja2 template.

    Attributes:
        name: name of the function.
        inputs: inputs in order. The run-time parameters (`parameters`) are the last input, in place
            of the values that `prepare` computes from them.
        outputs: outputs in order, without the status code.
        differentiable: whether there are kernels for Jacobian-vector products of the function.
        takes_parameters: whether the last input contains run-time parameters.
        has_quaternions: whether the first input is q and contains quaternions.
        explained: text with formula, operation counts and verified error bound.
        arguments: table of the arguments, as text.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    differentiable: bool
    takes_parameters: bool
    has_quaternions: bool
    explained: str
    arguments: str

    def name_result(self, array: str) -> str:
        """Return the Python type of the result, such as `tuple[Array, Array]`.

        `array` is the name of the type of one output.
        """
        arrays = ", ".join([array] * len(self.outputs))
        return arrays if len(self.outputs) == 1 else f"tuple[{arrays}]"


def describe_functions(package: Package) -> list[LearningFunction]:
    """Return the functions of the Python package, in the order of the kernels.

    Kernels for products of Jacobians with vectors, and `prepare`, are left out.
    """
    products = find_products(package)
    differentiable = {function for function, _ in products.values()}
    return [
        _describe(package, kernel, kernel.function in differentiable)
        for kernel in package.kernels
        if kernel.function != PREPARE and kernel.function not in products
    ]


def find_products(package: Package) -> dict[str, tuple[str, str]]:
    """Return the kernels for products of Jacobians with vectors, by name.

    Returns:
        A mapping from the name of a kernel to the name of the differentiated function and the kind
            of product, such as `jvp`.
    """
    kernels = {kernel.function: kernel for kernel in package.kernels}
    kinds = (*_PRODUCTS, *(_PARAMETER_PRODUCTS if package.parameters else ()))
    return {
        f"{name}_{product}": (name, product)
        for name, kernel in kernels.items()
        if not list_external_inputs(kernel.program.inputs)
        and all(f"{name}_{product}" in kernels for product in kinds)
        for product in kinds
    }


def _describe(package: Package, kernel: Kernel, differentiable: bool) -> LearningFunction:
    """Return the description of the Python function that calls a kernel.

    A `differentiable` function has kernels for its Jacobian-vector products.
    """
    signature = kernel.program.signature
    inputs = tuple(_rename_parameters(package, each) for each in signature.inputs)
    outputs = signature.results
    shown = replace(signature, inputs=inputs, outputs=outputs)
    return LearningFunction(
        kernel.function,
        inputs,
        outputs,
        differentiable,
        inputs[-1].name == PARAMETERS,
        package.nq > package.nv and inputs[0].name == "q",
        documentation.explain_kernel(package, kernel, "    "),
        "\n".join(documentation.describe_arguments(shown)),
    )


def _rename_parameters(package: Package, argument: Argument) -> Argument:
    """Return an argument of a kernel as argument of the Python function.

    If it is the array that `prepare` computes from run-time parameters, the run-time parameters
    themselves are returned instead.
    """
    if argument.name != PARAMS:
        return argument
    (values,) = package.kernels[0].program.inputs
    return replace(values, name=PARAMETERS)


def _add_values(signature: Signature, prepare: Signature | None) -> Signature:
    """Return a signature in which run-time parameters replace the values that `prepare` computes.

    `prepare` is None without run-time parameters.
    """
    if prepare is None or signature.inputs[-1].name != PARAMS:
        return signature
    return add_values_argument(signature, prepare)


@dataclass(frozen=True)
class TurningJoint:
    """A joint with a quaternion, or adjacent joints without quaternions, for the jinja2 template.

    Attributes:
        has_position: whether q contains a position vector before the quaternion, as for a floating
            base.
        has_quaternion: whether q contains a quaternion of the joint.
        nq, nv: numbers of entries in the positions q and in the velocities.
    """

    has_position: bool
    has_quaternion: bool
    nq: int
    nv: int


def list_turning_joints(package: Package) -> list[TurningJoint]:
    """Return groups of joints for the code that converts velocities to changes of q, in order.

    A joint with a quaternion is a group of its own; other consecutive joints form one group.
    """
    parts: list[TurningJoint] = []
    for joint in package.joints:
        names, count = joint.type.position_names, len(joint.type.rotates)
        if joint.type.quaternion:
            # The bodies of a spherical joint have one velocity each, and the first the quaternion.
            nv = 6 if joint.type.is_free else 3
            parts.append(TurningJoint(joint.type.is_free, True, len(names), nv))
        elif names and parts and not parts[-1].has_quaternion:
            last = parts[-1]
            parts[-1] = replace(last, nq=last.nq + len(names), nv=last.nv + count)
        elif names:
            parts.append(TurningJoint(False, False, len(names), count))
    return parts


def collect_values(
    package: Package, functions: Sequence[LearningFunction], distribution: Distribution
) -> dict[str, Any]:
    """Return named values for the templates of a Python package for JAX or PyTorch."""
    constants = ("JOINTS", "N", "NQ", "PARAMETERS", "__version__")
    maps = ("find_change", "find_motion") if package.nq > package.nv else ()
    return {
        "robot": make_plain_text(package.robot),
        "about": "\n".join(documentation.describe_package(package, 0)),
        "origin": documentation.describe_origin(package),
        "functions": functions,
        "kernels": [each.function for each in package.kernels if each.function != PREPARE],
        "library": LIBRARY,
        "gpu": package.gpu,
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


def describe_distribution(package: Package, module: str) -> Distribution:
    """Return name, version and requirements of the wheel of a Python package.

    The wheel is for any Python 3, because its library does not use Python's C interface.
    """
    return Distribution(module, package.release, "3", "numpy >= 1.26")


def build_wheel(
    package: Package,
    language: Language,
    files: SourceFiles,
    module: str,
    print_library: PrintLibrary,
    includes: Sequence[str] = (),
) -> Archive:
    """Compile the library of kernels, and return a wheel with the library and the text files.

    Args:
        package: kernels.
        language: language of the kernels.
        files: text files of the Python package.
        module: name of the Python package.
        print_library: function that returns the source files of the library, by path.
        includes: options of the compiler that name folders with headers.

    Raises:
        ToolchainError: the compiler is not installed or rejects the code.
    """
    sources, routines = collect_kernel_sources(language, package, language.print_kernels(package))
    _, gpu = print_kernels(package)
    printed = print_library(sources, routines, package.real, gpu)
    options = THIS_MACHINE if package.native else make_portable_options(package.prefix)
    command = [
        *C_COMPILER.find(),
        *("-std=c11", "-fvisibility=hidden"),
        *OPTIMISED,
        *options,
        *SHARED,
        *("-Iinclude", *includes),
    ]
    library = compile_library(command, printed, ["-lm", *(["-ldl", "-lpthread"] if gpu else [])])
    compiled = {f"{module}/{LIBRARY}": library.read_bytes()}
    compiled |= {f"{module}/{name}": code for name, code in compile_kernels(package).items()}
    platform = re.sub("[-.]", "_", sysconfig.get_platform())
    return pack_wheel(
        describe_distribution(package, module),
        {file.path: file.text.encode() for file in files} | compiled,
        f"py3-none-{platform}",
    )


def load_functions(
    package: Package, built: Archive, module: str, library: str
) -> dict[str, CompiledKernel]:
    """Unpack a package, and load its functions in a Python process that cannot import dynagen.

    Each function is loaded twice: for calls with one state, and for calls with many states. The
    script `<library>_calls.py` calls the function in all supported ways.

    Args:
        package: kernels of the package.
        built: the package as a wheel.
        module: name of the Python package.
        library: name of the library that the package requires: `jax` or `torch`.

    Returns:
        A mapping from function names to kernels; for calls with many states, the names end in
            `_batch`.

    Raises:
        ToolchainError: the package cannot be imported, or lacks a function.
    """
    products = find_products(package)
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
                module,
                signature,
                one_by_one,
                caller=f"{library}_calls.py",
                details={
                    "function": function,
                    "product": product,
                    "quaternions": package.nq - package.nv,
                    "operations": kernel.operations.total,
                    "added": len(signature.inputs) - len(own[function].inputs),
                    "parameters": prepare is not None,
                },
            )
    with TemporaryDirectory(prefix="dynagen-", ignore_cleanup_errors=True) as folder:
        built.unpack(Path(folder))
        found = find_spec(library)
        assert found is not None  # `check` required it
        assert found.origin is not None
        kernels = load_installed((folder, str(Path(found.origin).parents[1])), loaded, package.real)
    if prepare is not None:
        kernels[PREPARE] = make_prepare_kernel(prepare, package.real)
    return add_proof(package, kernels)
