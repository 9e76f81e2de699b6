"""Kernels of one signature for run_time.py: our C, Pinocchio, and the C that CasADi writes of Pinocchio's algorithms.

Each is `void kernel(const double *q, const double *qd, const double *u, double *out)`, u being accelerations or forces and out
the results one after the other, matrices by rows. All that is built lies in build/run_time.
"""

from __future__ import annotations

import ctypes
import site
import subprocess
from collections.abc import Callable, Iterable
from math import prod
from pathlib import Path

from dynagen.delivery.folder import write_folder
from dynagen.description.description import RobotDescription
from dynagen.description.joints import REVOLUTE
from dynagen.description.pose import IDENTITY, ORIGIN, Pose, scale, screw_x, screw_z
from dynagen.generation import Settings
from dynagen.languages.package import LIBM
from dynagen.model.model import RobotModel
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.pipeline import generate

Kernel = Callable[..., None]

HERE = Path(__file__).parent
BUILD = HERE.parent / "build" / "run_time"
NATIVE = ("-O3", "-march=native")
FUNCTIONS = {
    "inverse_dynamics": "inverse_dynamics",
    "gravity_forces": "gravity_forces",
    "bias_forces": "bias_forces",
    "mass_matrix": "mass_matrix",
    "forward_dynamics": "forward_dynamics",
    "inverse_dynamics_derivatives": "inverse_dynamics_derivatives+mass_matrix",  # Pinocchio makes it on the way
    "forward_dynamics_derivatives": "forward_dynamics_derivatives",
}
PREFIX = Path(site.getsitepackages()[0])
PINOCCHIO_FLAGS = (  # as Pinocchio's CMake target has them
    "-std=c++17",
    "-DNDEBUG",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
    *(f"-isystem{PREFIX / 'cmeel.prefix/include' / folder}" for folder in ("", "eigen3", "pinocchio/deprecated")),
)


def compiled(command: list[str], target: Path, *needed: Path) -> Path:
    """Run a compiler, unless what it made is younger than all that it needs."""
    if not target.exists() or any(path.stat().st_mtime > target.stat().st_mtime for path in needed):
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([*command, "-o", str(target)], check=True)
    return target


def shared(text: str, target: Path, compiler: tuple[str, ...], *more: str) -> ctypes.CDLL:
    """C source -> loaded library."""
    source = target.with_suffix(".c")
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(text)
    command = [*compiler, "-fPIC", "-fno-semantic-interposition", "-shared", str(source), *more, "-lm"]
    return ctypes.CDLL(str(compiled(command, target, source)))


def pinocchio_library(compiler: str) -> ctypes.CDLL:
    sources = HERE / "pinocchio/kernels.cpp", HERE / "pinocchio/robot.hpp"
    command = [compiler, *PINOCCHIO_FLAGS, *NATIVE, "-fPIC", "-shared", str(sources[0])]
    return ctypes.CDLL(str(compiled(command, BUILD / f"pinocchio_{compiler}.so", *sources)))


def casadi_writer() -> Path:
    sources = HERE / "pinocchio/to_casadi.cpp", HERE / "pinocchio/robot.hpp"
    casadi = PREFIX / "casadi"
    linked = f"-isystem{casadi / 'include'}", f"-L{casadi}", "-lcasadi", f"-Wl,-rpath,{casadi}"
    return compiled(["clang++", *PINOCCHIO_FLAGS, "-O1", str(sources[0]), *linked], BUILD / "to_casadi", *sources)


def robot_text(model: RobotModel) -> str:
    """A robot as pinocchio/robot.hpp reads it."""
    lines = [_numbers(model.gravity), str(len(model.bodies))]
    for body in model.bodies:
        place = body.placement
        foot = Pose(screw_z(place.gamma, ZERO).rotation, place.translation)
        pose = foot @ screw_x(place.alpha, ZERO) @ screw_z(place.theta, place.d)
        inertial = body.inertial
        centre = scale(1 / inertial.mass, inertial.first_moment) if inertial.mass else ORIGIN
        xx, yy, zz, xy, xz, yz = inertial.seen_from(Pose(IDENTITY.rotation, scale(-ONE, centre))).inertia
        columns = [element for column in zip(*pose.rotation, strict=True) for element in column]
        kind = "revolute" if body.joint.type is REVOLUTE else "prismatic"
        numbers = *columns, *pose.translation, inertial.mass, *centre, xx, xy, yy, xz, yz, zz, body.motor_inertia
        lines.append(f"{body.parent + 1} {kind} {_numbers(numbers)}")
    return "\n".join(lines) + "\n"


def _numbers(values: Iterable[Exact]) -> str:
    return " ".join(repr(float(value)) for value in values)


def our_kernel(description: RobotDescription, function: str, name: str, compiler: tuple[str, ...], trig: str = LIBM) -> Kernel:
    """Our C behind the signature of all kernels."""
    settings = Settings("c", (FUNCTIONS[function],), prefix="robot", verify=False, trig=trig)
    arguments, called, sources = _ours(description, settings, name, "")
    text = f"""#include "robot.h"
void kernel(const double *q, const double *qd, const double *u, double *out)
{{
    {called}({arguments});
}}
"""
    return shared(text, BUILD / description.name / function / f"{_file(name)}.so", compiler, *sources).kernel


def our_batch_kernel(description: RobotDescription, function: str, name: str, compiler: tuple[str, ...], real: str) -> Kernel:
    """Our C for many states side by side: `kernel(count, stride, q, qd, u, out)`, on arrays of double or float."""
    settings = Settings("c", (FUNCTIONS[function],), prefix="robot", verify=False, batch=True, real=real)
    arguments, called, sources = _ours(description, settings, name, "stride*")
    text = f"""#include "robot.h"
void kernel(size_t count, size_t stride, const robot_real *q, const robot_real *qd, const robot_real *u, robot_real *out)
{{
    {called}_batch(count, stride, {arguments});
}}
"""
    return shared(text, BUILD / description.name / function / f"{_file(name)}.so", compiler, *sources).kernel


def _ours(description: RobotDescription, settings: Settings, name: str, stride: str) -> tuple[str, str, list[str]]:
    """Arguments of a call, the function that is called, and what the compiler needs."""
    generation = generate(description, settings)
    folder = BUILD / description.name / settings.functions[0] / _file(name)
    write_folder(folder, generation.files)
    program = generation.functions[0].program
    inputs = {"q": "q", "qd": "qd", "qdd": "u", "tau": "u"}
    arguments, offset = [inputs[argument.name] for argument in program.inputs], 0
    for result in program.results:
        arguments.append(f"out + {stride}{offset}")
        offset += prod(result.argument.shape)
    sources = [f"-I{folder / 'include'}", *(str(path) for path in (folder / "src").glob("*.c"))]
    return ", ".join(arguments), f"robot_{program.name}", sources


def _file(name: str) -> str:
    return name.replace(",", "").replace(" ", "_")


def casadi_kernel(folder: Path, function: str) -> Kernel:
    text = f"""#include "{folder / function}.c"
void kernel(const double *q, const double *qd, const double *u, double *out)
{{
    const double *arguments[] = {{q, qd, u}};
    double *results[] = {{out}};
    {function}(arguments, results, 0, 0, 0);
}}
"""
    return shared(text, folder / f"{function}_casadi.so", ("gcc", *NATIVE)).kernel
