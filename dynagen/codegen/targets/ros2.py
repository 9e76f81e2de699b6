"""Target `ros2`: a ROS 2 package with a plugin for inverse dynamics.

The plugin implements the interface of unisa-acg/inverse-dynamics-solver (Petrone, Ferrentino and
Chiacchio, "A ROS2-based software library for inverse dynamics computation"). In ROS distributions
the interface is called `inverse_dynamics_solver`. In newer source versions the interface is called
`inverse_dynamics_interface`, with a Jacobian and external wrenches. The generated package builds
with either version of the interface.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from sysconfig import get_path
from typing import Any

from dynagen.codegen import documentation
from dynagen.codegen.language import Language
from dynagen.codegen.languages import find_language
from dynagen.codegen.naming import make_plain_text
from dynagen.codegen.package import VECTOR, Package, SourceFile
from dynagen.codegen.targets.assembly import print_readme
from dynagen.codegen.targets.embedded import check_version, complete_version
from dynagen.codegen.targets.manifest import add_manifest
from dynagen.codegen.targets.target import Built, SourceFiles, Target
from dynagen.codegen.templating import fill, read_template
from dynagen.dynamics.algorithms.friction import depends_on_load
from dynagen.errors import ToolchainError, UsageError
from dynagen.numbers.real import DOUBLE
from dynagen.robot.coordinates import refuse_special_joints
from dynagen.robot.description import LinearRow
from dynagen.robot.model.model import RobotModel
from dynagen.toolchain.commands import Tool
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.toolchain.shared_library import LIBRARY, SOURCES, SharedLibrary

FRICTION = "friction_forces"
METHODS = {
    "mass_matrix": "getInertiaMatrix",
    "coriolis_forces": "getCoriolisVector",
    "gravity_forces": "getGravityVector",
    FRICTION: "getFrictionVector",
    "jacobian": "getJacobian",
    "inverse_dynamics": "getTorques",
}
"""Mapping from functions to methods of the ROS 2 interface for inverse dynamics solvers."""
INTERFACES = {
    "inverse_dynamics_solver": "InverseDynamicsSolver",
    "inverse_dynamics_interface": "InverseDynamicsInterface",
}
"""Mapping from a ROS package to the C++ class by which it defines the plugin interface.

Both packages define the interface of inverse dynamics solvers.
"""
_STAND_INS = (
    "rclcpp/node_interfaces/node_parameters_interface.hpp",
    "pluginlib/class_list_macros.hpp",
    *(f"{name}/{name}.hpp" for name in INTERFACES),
)
CPP_COMPILER = Tool("C++ compiler", "CXX", ("c++", "g++", "clang++"), "g++")
STRICT = ("-Wall", "-Wextra", "-Werror")


def list_requests(
    requests: Sequence[str], model: RobotModel, settings: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return the functions to generate: all functions that the interface of ROS 2 has.

    Friction is left out if the robot has none.

    Args:
        requests: functions that the user requests; each must belong to the interface.
        model: model of the robot.
        settings: settings of the run by name; not used.

    Raises:
        UsageError: the interface does not have a requested function, or the robot has a feature
            that the interface does not support.
    """
    for request in requests:
        if request not in METHODS:
            raise UsageError(
                f"--target ros2: the interface of ROS 2 has no method `{request}`; expected one of "
                f"{', '.join(METHODS)}, which are generated together"
            )
    for fault, remedy in (
        (
            model.floats and "a floating base",
            "the interface requires a fixed base; use another --target",
        ),
        (model.parameters and "run-time parameters", "leave `runtime: true` out"),
        (
            model.has_external_forces and "external forces",
            "leave them out: users of the interface pass external forces to its methods",
        ),
        (
            depends_on_load(model) and "friction that depends on loads",
            "leave it out: the interface computes friction from qd only",
        ),
        (
            any(not isinstance(step, LinearRow) for step in model.closure) and "closed loops",
            "the interface cannot report positions in which the loops do not close; use another "
            "--target",
        ),
    ):
        if fault:
            raise UsageError(f"--target ros2: {model.name} has {fault}; {remedy}")
    joints = (body.joint for body in model.bodies)
    refuse_special_joints(model.name, joints, "--target ros2", with_loops=True)
    has_friction = any(body.friction for body in model.bodies)
    return tuple(name for name in METHODS if name != FRICTION or has_friction)


def _check(language: Language, settings: Mapping[str, Any]) -> None:
    """Check the version, that numbers are doubles, and that Eigen is installed if it is needed.

    Eigen is needed unless the user switches off the comparison of the plugin with references.
    """
    check_version("ros2", settings)
    if settings["real"] != DOUBLE.name:
        raise UsageError(
            "--target ros2: the interface of ROS 2 uses double precision; leave --real out"
        )
    if settings["verify"]:
        find_eigen()


def find_eigen() -> Path:
    """Return the folder that contains the headers of the C++ library Eigen in `eigen3/Eigen`.

    It is the folder of the Python package cmeel-eigen if that is installed, or else /usr/include.

    Raises:
        ToolchainError: the C++ library Eigen is not installed.
    """
    for folder in (Path(get_path("purelib"), "cmeel.prefix", "include"), Path("/usr/include")):
        if (folder / "eigen3" / "Eigen" / "Core").is_file():
            return folder
    raise ToolchainError(
        "Eigen is needed to prove the plugin: install it with `pip install 'dynagen[ros2]'`, or "
        "generate without proof (--no-verify)"
    )


def name_package(package: Package) -> str:
    """Return `<prefix>_dynamics_plugin`, the ROS package and C++ namespace, in lower case."""
    return f"{package.prefix.lower()}_dynamics_plugin"


def name_class(package: Package) -> str:
    """Return the C++ class of the plugin: the prefix in camel case, then `InverseDynamics`."""
    words = package.prefix.split("_")
    return "".join(word[:1].upper() + word[1:] for word in words) + "InverseDynamics"


def _print_files(package: Package, language: Language) -> SourceFiles:
    """Return the kernels, the plugin, the files that ROS requires, README and manifest."""
    kernels = language.print_kernels(package)
    name = name_package(package)
    named = {"package": name, "class": name_class(package)}
    values = {
        **documentation.collect_package_values(
            package, language.constant, language.first_index, " * "
        ),
        "robot": make_plain_text(package.robot),
        **named,
        "version": complete_version(package.release),
        "macro": package.prefix.upper(),
        "n": package.nv,
        "has_friction": any(kernel.function == FRICTION for kernel in package.kernels),
        "sources": [file.path for file in kernels if file.path.endswith(".c")],
    }
    printed = {
        "package.xml": "package.xml",
        "CMakeLists.txt": "CMakeLists.txt",
        f"include/{name}/plugin.hpp": "plugin.hpp",
        "src/plugin.cpp": "plugin.cpp",
    }
    files = (
        *kernels,
        *(
            SourceFile(path, fill(f"ros2/{template}.j2", **values))
            for path, template in printed.items()
        ),
        *(
            SourceFile(
                f"{interface}.xml",
                fill("ros2/plugin.xml.j2", base=f"{interface}::{base}", **values),
            )
            for interface, base in INTERFACES.items()
        ),
        print_readme(package, language, "ros2/README.md.j2", named),
    )
    return add_manifest(package, language, files)


def print_stand_ins() -> dict[str, str]:
    """Return small replacements for ROS headers, as texts by path.

    With these files, dynagen compiles and verifies the plugin without ROS.
    """
    return {path: read_template(f"ros2/proof/{path}") for path in _STAND_INS}


def print_calls(package: Package) -> str:
    """Return C++ code that calls the plugin's methods on many states, to verify the plugin."""
    calls = [
        {
            "name": kernel.function,
            "method": METHODS[kernel.function],
            "inputs": [argument.name for argument in kernel.program.inputs],
        }
        for kernel in package.kernels
    ]
    values = {"package": name_package(package), "class": name_class(package), "n": package.nv}
    return fill("ros2/proof/calls.cpp.j2", calls=calls, **values)


def _load(
    package: Package, language: Language, files: SourceFiles, built: Built | None
) -> dict[str, CompiledKernel]:
    """Compile the plugin with stand-ins for ROS headers, and load it through its interface.

    Raises:
        ToolchainError: Eigen or the compiler is not installed, or the compiler rejects the code.
    """
    compiled = {
        file.path.removesuffix(".c") + ".cpp" if file.path.endswith(".c") else file.path: file.text
        for file in files
        if file.path.endswith((".c", ".cpp", ".h", ".hpp"))
    }
    includes = ("-Iinclude", "-Istand_ins", f"-isystem{find_eigen()}")
    define = f"-D{package.prefix.upper()}_RENAMED_INTERFACE"
    options = ("-std=c++17", "-ffp-contract=off", "-fPIC", "-shared", *STRICT, define)
    toolchain = SharedLibrary(
        CPP_COMPILER, command=(*options, *includes, SOURCES, "-o", LIBRARY), suffix=".cpp"
    )
    compiled |= {f"stand_ins/{path}": text for path, text in print_stand_ins().items()}
    compiled["calls.cpp"] = print_calls(package)
    symbols = {
        f"states_of_{kernel.function}": kernel.program.signature for kernel in package.kernels
    }
    return toolchain.load(compiled, symbols, package.real)


ROS2 = Target(
    name="ros2",
    audience="controllers in ROS 2 that load inverse dynamics as a plugin",
    languages=(find_language("c"),),
    out="generated/<robot>/ros2",
    files=(
        "package.xml",
        "CMakeLists.txt",
        *(f"{name}.xml" for name in INTERFACES),
        "include/<robot>_dynamics_plugin/plugin.hpp",
        "src/plugin.cpp",
        "kernels in C",
        "README.md",
        "<robot>.manifest.json",
    ),
    tools=("compiler of C++",),
    extras=("ros2",),
    trig=VECTOR,
    proof=(
        "The plugin is compiled with stand-ins for the headers of ROS, loaded by the name of its "
        "class, and its methods are called on all states."
    ),
    print_files=_print_files,
    load=_load,
    check=_check,
    list_requests=list_requests,
    options=("release", "single_file"),
)
