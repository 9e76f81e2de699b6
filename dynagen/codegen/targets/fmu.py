"""Target `fmu`: the motion of a robot as a Functional Mock-up Unit (FMU, FMI 3.0), with source.

The FMU has joint positions and velocities as states, and joint forces as inputs. With Model
Exchange, the FMU delivers derivatives of the states to the solver of the importing tool. With
Co-Simulation, the FMU itself integrates by the classical Runge-Kutta method, like `dynagen simulate
--method RK4`. The standard is the Functional Mock-up Interface Specification, version 3.0, Modelica
Association, 2022.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from dynagen.codegen import documentation
from dynagen.codegen.language import Language
from dynagen.codegen.languages import find_language
from dynagen.codegen.naming import make_plain_text
from dynagen.codegen.package import VECTOR, Package, SourceFile
from dynagen.codegen.targets.archive import Archive
from dynagen.codegen.targets.embedded import check_version, complete_version
from dynagen.codegen.targets.target import Built, SourceFiles, Target
from dynagen.codegen.templating import fill
from dynagen.dynamics.algorithms.friction import depends_on_load
from dynagen.errors import UsageError
from dynagen.numbers.real import DOUBLE
from dynagen.resources import require_extra
from dynagen.robot.coordinates import refuse_special_joints
from dynagen.robot.model.model import RobotModel
from dynagen.toolchain.commands import C_COMPILER
from dynagen.toolchain.extension import OPTIMISED
from dynagen.toolchain.interpreted import InstalledFunction, load_installed
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.toolchain.shared_library import SHARED, compile_library

FORWARD, FRICTION = "forward_dynamics", "friction_forces"
_SUFFIXES = {"darwin": ".dylib", "win32": ".dll"}
_SYSTEMS = {"darwin": "darwin", "win32": "windows"}
_PROCESSORS = {"AMD64": "x86_64", "arm64": "aarch64"}
_OWN_FILES = (
    "fmu.h",
    *(f"{name}.c" for name in ("motion", "instance", "variables", "simulation", "other")),
)
_EXPONENTS = {
    "s": 's="1"',
    "rad": 'rad="1"',
    "m": 'm="1"',
    "rad/s": 'rad="1" s="-1"',
    "m/s": 'm="1" s="-1"',
    "rad/s^2": 'rad="1" s="-2"',
    "m/s^2": 'm="1" s="-2"',
    "N": 'kg="1" m="1" s="-2"',
    "N m": 'kg="1" m="2" s="-2"',
}
"""Mapping from a unit to the exponents of its SI base units, as XML attributes of FMI."""
# Functions of FMI 3.0 that a unit exports although its model does not use them.
_NO_EFFECT = """
    ExitInitializationMode EnterEventMode Terminate EnterConfigurationMode ExitConfigurationMode
    EvaluateDiscreteStates EnterContinuousTimeMode EnterStepMode
"""
_TYPES = ("Float32", *(f"{sign}Int{bits}" for bits in (8, 16, 32, 64) for sign in ("", "U")))
_OTHER_TYPES = ("Boolean", "String")
_REFUSED = """
    InstantiateScheduledExecution ActivateModelPartition GetBinary SetBinary GetClock SetClock
    GetNumberOfVariableDependencies GetVariableDependencies GetDirectionalDerivative
    GetAdjointDerivative GetIntervalDecimal GetIntervalFraction GetShiftDecimal GetShiftFraction
    SetIntervalDecimal SetIntervalFraction SetShiftDecimal SetShiftFraction GetOutputDerivatives
"""


def list_requests(
    requests: Sequence[str], model: RobotModel, settings: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return the functions that the FMU calls: forward dynamics, and friction if the robot has any.

    Args:
        requests: functions that the user requests; not used.
        model: model of the robot.
        settings: settings of the run by name; not used.

    Raises:
        UsageError: the robot has a feature that the FMU does not support, such as a floating base.
    """
    for fault, remedy in (
        (model.floats and "a floating base", "generate `step` in C and call it in your own FMU"),
        (model.parameters and "run-time parameters", "leave `runtime: true` out"),
        (
            model.has_external_forces and "external forces",
            "leave `external_wrench` and `contact_force` out",
        ),
        (
            depends_on_load(model) and "friction that depends on loads",
            "describe friction as a function of velocity",
        ),
    ):
        if fault:
            raise UsageError(f"--target fmu: {model.name} has {fault}; {remedy}")
    joints = (body.joint for body in model.bodies)
    refuse_special_joints(model.name, joints, "--target fmu", with_loops=True)
    has_friction = any(body.friction for body in model.bodies)
    return (FORWARD, FRICTION) if has_friction else (FORWARD,)


def _check(language: Language, settings: Mapping[str, Any]) -> None:
    """Check the version, that numbers are doubles, and that FMPy is installed if it is needed.

    FMPy is needed unless the user switches off the comparison of the FMU with references.
    """
    check_version("fmu", settings)
    if settings["real"] != DOUBLE.name:
        raise UsageError("--target fmu: FMI has doubles; leave --real out")
    if settings["verify"]:
        require_extra("fmpy", "fmu", "to prove the unit", "generate without proof (--no-verify)")


@dataclass(frozen=True)
class Variable:
    """A variable in the model description of an FMU.

    Attributes:
        name: name of the variable, such as `q[1]`.
        reference: value reference of the variable, as defined by FMI.
        meaning: description of the variable with the name of the joint.
        unit: unit of the variable, such as `rad/s`.
        attributes: text of further XML attributes.
        is_output: whether the variable is an output of the FMU.
        is_derivative: whether the variable is the derivative of a state.
        is_computed: whether the variable is computed from states and inputs.
    """

    name: str
    reference: int
    unit: str
    meaning: str
    attributes: str
    is_output: bool = False
    is_derivative: bool = False
    is_computed: bool = False


def list_variables(package: Package) -> tuple[Variable, ...]:
    """Return the FMU's variables except time and step size, in the order of value references.

    First come the variables tau of all joints, then q, qd, der(q), qdd, and friction if there is
    any. The variable der(q) is the derivative of q, and qdd is the derivative of qd.
    """
    return tuple(_iterate_variables(package))


def _iterate_variables(package: Package) -> Iterator[Variable]:
    kernel = next(each for each in package.kernels if each.function == FORWARD)
    q, qd, tau = kernel.program.inputs
    (qdd,) = kernel.program.signature.results
    n = package.nv
    joints = [make_plain_text(joint.name).replace("'", "") for joint in package.joints]
    start = 'variability="continuous" initial="exact" start="0"'
    calculated = 'variability="continuous" initial="calculated"'
    groups = [
        ("tau[%d]", tau.units, "force", 'causality="input" variability="continuous" start="0"', ""),
        ("q[%d]", q.units, "position", f'causality="output" {start}', "o"),
        ("qd[%d]", qd.units, "velocity", f'causality="output" {start}', "o"),
        ("der(q[%d])", qd.units, "velocity", f'causality="local" {calculated}', "dc"),
        ("qdd[%d]", qdd.units, "acceleration", f'causality="output" {calculated}', "odc"),
    ]
    if any(each.function == FRICTION for each in package.kernels):
        groups.append(
            ("friction[%d]", tau.units, "friction", f'causality="output" {calculated}', "oc")
        )
    for group, (name, units, meaning, attributes, kinds) in enumerate(groups):
        for joint in range(n):
            reference = 1 + group * n + joint
            state = f' derivative="{reference - 2 * n}"' if "d" in kinds else ""
            yield Variable(
                name % (joint + 1),
                reference,
                units[joint],
                f"{meaning} of joint {joints[joint]}",
                attributes + state,
                "o" in kinds,
                "d" in kinds,
                "c" in kinds,
            )


def _print_files(package: Package, language: Language) -> SourceFiles:
    """Return the model description, the kernels and the functions of FMI."""
    kernels = [
        SourceFile(f"sources/{PurePosixPath(file.path).name}", file.text)
        for file in language.print_kernels(package)
    ]
    variables = list_variables(package)
    units = dict.fromkeys(["s", *(variable.unit for variable in variables)])
    functions = {kernel.function: kernel for kernel in package.kernels}
    written = "".join(file.text for file in kernels)
    values = {
        "prefix": package.prefix,
        "macro": package.prefix.upper(),
        "robot": make_plain_text(package.robot),
        "version": complete_version(package.release),
        "tool": make_plain_text(package.version),
        "origin": documentation.describe_origin(package),
        # The token changes with the model.
        "token": f"{{{uuid5(NAMESPACE_URL, f'{package.prefix}{written}')}}}",
        "n": package.nv,
        "has_friction": FRICTION in functions,
        "can_fail": functions[FORWARD].program.can_fail,
        "variables": variables,
        "step": len(variables) + 1,
        "units": [{"name": unit, "exponents": _EXPONENTS[unit]} for unit in units],
        "modes": [f"fmi3{name}" for name in _NO_EFFECT.split()],
        "types": (*_TYPES, *_OTHER_TYPES),
        "refused": [f"fmi3{name}" for name in _REFUSED.split()],
    }
    own = [SourceFile(f"sources/{name}", fill(f"fmu/{name}.j2", **values)) for name in _OWN_FILES]
    sources = [file.path.removeprefix("sources/") for file in (*own, *kernels)]
    build = fill(
        "fmu/buildDescription.xml.j2",
        **values,
        sources=[path for path in sources if path.endswith(".c")],
    )
    return (
        SourceFile("modelDescription.xml", fill("fmu/modelDescription.xml.j2", **values)),
        SourceFile("sources/buildDescription.xml", build),
        *own,
        *kernels,
    )


def _build(package: Package, language: Language, files: SourceFiles) -> Archive:
    """Compile the FMU for this platform, and pack it into an archive with its source.

    Raises:
        ToolchainError: the compiler is not installed or rejects the code.
    """
    command = [*C_COMPILER.find(), "-std=c99", "-fvisibility=hidden", *OPTIMISED, *SHARED, "-s"]
    library = compile_library(
        [*command, "-Isources"], {file.path: file.text for file in files}, ["-lm"]
    )
    return Archive(
        f"{package.prefix}.fmu",
        {file.path: file.content for file in files}
        | {f"binaries/{name_platform()}/{_name_library(package)}": library.read_bytes()},
    )


def name_platform() -> str:
    """Return FMI 3.0's name of this processor and operating system, such as x86_64-linux."""
    machine = platform.machine()
    return f"{_PROCESSORS.get(machine, machine)}-{_SYSTEMS.get(sys.platform, 'linux')}"


def _name_library(package: Package) -> str:
    """Return the file name of the FMU's shared library."""
    return f"{package.prefix}{_SUFFIXES.get(sys.platform, '.so')}"


def _load(
    package: Package, language: Language, files: SourceFiles, built: Built | None
) -> dict[str, CompiledKernel]:
    """Open the FMU with FMPy in a Python process without dynagen, and load its functions.

    Raises:
        ToolchainError: FMPy finds an error in the FMU, or cannot open the FMU.
    """
    assert isinstance(built, Archive)  # `_build` made it
    references = {variable.name: variable.reference for variable in list_variables(package)}
    has_friction = any(kernel.function == FRICTION for kernel in package.kernels)
    fmpy = find_spec("fmpy")
    assert fmpy is not None  # `_check` required it
    assert fmpy.origin is not None
    with TemporaryDirectory(prefix="dynagen-", ignore_cleanup_errors=True) as folder:
        path = Path(folder, built.name)
        path.write_bytes(built.content)
        functions = {
            kernel.function: InstalledFunction(
                package.prefix,
                kernel.program.signature,
                caller="fmu_calls.py",
                details={
                    "path": str(path),
                    "joints": package.nv,
                    "references": references,
                    "has_friction": has_friction,
                },
            )
            for kernel in package.kernels
        }
        return load_installed((str(Path(fmpy.origin).parents[1]),), functions, package.real)


FMU = Target(
    name="fmu",
    audience="simulation tools that import units of FMI 3.0",
    languages=(find_language("c"),),
    out="dist",
    files=(
        "modelDescription.xml",
        "sources/buildDescription.xml",
        "sources/ (kernels and functions of FMI in C)",
        "binaries/<platform>/<robot>.so (compiled)",
    ),
    tools=("gcc or clang",),
    extras=("fmu",),
    trig=VECTOR,
    proof=(
        "FMPy validates the unit and opens it. The derivatives of model exchange are compared on "
        "all states."
    ),
    print_files=_print_files,
    build=_build,
    load=_load,
    check=_check,
    list_requests=list_requests,
    is_one_file=True,
    options=("release",),
)
