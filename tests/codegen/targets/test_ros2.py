"""Target `ros2`: the plugin is loaded by name, and its methods agree with the references."""

import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from dynagen.codegen.languages import find_language
from dynagen.codegen.targets import ros2
from dynagen.errors import UsageError, VerificationError
from dynagen.pipeline.driver import Settings, generate
from dynagen.pipeline.proof import make_references
from dynagen.robot.loading import load_robot, parse_robot
from tests.support.generated_once import generated, proved
from tests.support.packages import texts

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
# A C++ program that opens the plugin's library, loads the class by name, counts the allocations of
# each method by malloc, and prints all results of a state.
MAIN = """
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <new>
#include <utility>
#include INTERFACE_HEADER
#include <pluginlib/class_list_macros.hpp>

static long count = 0;
extern "C" void *__libc_malloc(std::size_t);
extern "C" void *__libc_calloc(std::size_t, std::size_t);
extern "C" void *malloc(std::size_t size) { count++; return __libc_malloc(size); }
extern "C" void *calloc(std::size_t number, std::size_t size)
{
  count++;
  return __libc_calloc(number, size);
}

template<class Call> auto measure(const char *name, Call call)
{
  const long before = count;
  auto result = call();
  const long allocated = count - before;
  std::printf("%s %ld", name, allocated);
  return result;
}

static void print(const Eigen::MatrixXd & matrix)
{
  for (int i = 0; i < matrix.rows(); i++)
    for (int j = 0; j < matrix.cols(); j++) std::printf(" %.17g", matrix(i, j));
  std::printf("\\n");
}

int main(int, char **arguments)
{
  if (!dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL)) { std::puts(dlerror()); return 1; }
  auto plugin = class_loader_stand_in::create<INTERFACE>(arguments[2]);
  plugin->initialize();
  Eigen::VectorXd q(JOINTS), qd(JOINTS), qdd(JOINTS);
  for (int i = 0; i < JOINTS; i++) {
    q[i] = 0.1 + 0.2 * i;
    qd[i] = 0.3 - 0.1 * i;
    qdd[i] = 0.5 * i;
  }
  print(measure("mass_matrix", [&] { return plugin->getInertiaMatrix(q); }));
  print(measure("coriolis_forces", [&] { return plugin->getCoriolisVector(q, qd); }));
  print(measure("gravity_forces", [&] { return plugin->getGravityVector(q); }));
  print(measure("friction_forces", [&] { return plugin->getFrictionVector(qd); }));
  print(measure("inverse_dynamics", [&] { return plugin->getTorques(q, qd, qdd); }));
#ifdef RENAMED
  Eigen::Matrix<double, 6, 1> h;
  h << 1, -2, 3, 0.5, 0.25, -1;
  print(measure("jacobian", [&] { return plugin->getJacobian(q); }));
  print(measure("external", [&] { return plugin->getExternalTorques(q, h); }));
  print(measure("loaded", [&] { return plugin->getTorques(q, qd, qdd, h); }));
#endif
  const auto all = plugin->getDynamicParameters(q, qd);
  std::printf("parts 0");
  print(std::get<2>(all));
  try { plugin->getGravityVector(Eigen::VectorXd(2)); }
  catch (const std::invalid_argument & error) { std::printf("error %s\\n", error.what()); }
}
"""
DELTA = Path(__file__).parents[2] / "robots" / "delta.yaml"
FLOATING = """name: walker
gravity: [0, 0, -9.81]
links:
  - {name: trunk, joint: floating, mass: 4, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}
"""
SPHERICAL = """name: ball
gravity: [0, 0, -9.81]
links:
  - {name: ball, joint: spherical, mass: 4, com: [0, 0, 0.2], inertia: [0.1, 0.1, 0.1]}
"""
RUBBING = """name: rubbing_arm
gravity: [0, 0, -9.81]
links:
  - {name: one, joint: revolute, axis: [0, 1, 0], mass: 1, com: [0.3, 0, 0],
     inertia: [0.1, 0.2, 0.3], friction: {viscous: 0.5, coulomb: 1, sign: tanh, width: 0.1}}
  - {name: two, joint: revolute, axis: [0, 0, 1], origin: {xyz: [0.5, 0, 0]}, mass: 2,
     com: [0.1, 0.2, 0], inertia: [0.1, 0.2, 0.3]}
  - {name: three, joint: prismatic, axis: [1, 0, 0], origin: {xyz: [0, 0.2, 0.1]}, mass: 1,
     com: [0, 0, 0.1], inertia: [0.1, 0.2, 0.3], friction: {viscous: 2}}
"""


def deliver(robot):
    """Return the package of a robot, and the files of the target by path."""
    model = parse_robot(RUBBING, "rubbing.yaml") if robot == "rubbing_arm" else load_robot(robot)
    made = generated(model, Settings("c", functions(robot), verify=False)).package
    return model, made, texts(ros2.ROS2.print_files(made, find_language("c")))


def functions(robot):
    skipped = () if robot == "rubbing_arm" else ("friction_forces",)
    return tuple(name for name in ros2.METHODS if name not in skipped)


def build_and_run(folder: Path, made, files, renamed: bool) -> dict[str, list[str]]:
    """Build plugin and program, and return the words of each line by the first word."""
    files = {
        **files,
        **{f"stand_ins/{path}": text for path, text in ros2.print_stand_ins().items()},
        "main.cpp": MAIN,
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    interface, base = list(ros2.INTERFACES.items())[renamed]
    includes = ["-Iinclude", "-Istand_ins", f"-isystem{ros2.find_eigen()}"]
    define = [f"-D{made.prefix.upper()}_RENAMED_INTERFACE", "-DRENAMED"] if renamed else []
    named = [f"-DINTERFACE={interface}::{base}", f"-DJOINTS={made.nv}"]
    named += [f'-DINTERFACE_HEADER="{interface}/{interface}.hpp"']
    sources = sorted(path for path in files if path.endswith(".c"))
    objects = [path.replace("/", "_").replace(".c", ".o") for path in sources]
    commands = [
        ["gcc", *STRICT, "-fPIC", "-O2", "-Iinclude", "-c", source, "-o", made_object]
        for source, made_object in zip(sources, objects, strict=True)
    ]
    cpp = ["g++", "-std=c++17", *STRICT, *includes, *define]
    commands.append(
        [*cpp, "-fPIC", "-shared", "src/plugin.cpp", *objects, "-o", "plugin.so", "-lm"]
    )
    # The program counts calls of malloc, which -Wpedantic does not like to be replaced.
    commands.append([*cpp, *named, "main.cpp", "-rdynamic", "-o", "main", "-ldl"])
    for command in commands:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    tree = ElementTree.parse(folder / f"{interface}.xml").getroot()
    (described,) = tree.iter("class")
    assert described.attrib["base_class_type"] == f"{interface}::{base}"
    run = ["./main", "./plugin.so", described.attrib["type"]]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
    return {name: rest.split() for name, rest in lines}


@pytest.mark.tools
@pytest.mark.parametrize(
    ("robot", "renamed"), [("rubbing_arm", False), ("rubbing_arm", True), ("planar3", True)]
)
def test_methods_agree_with_the_reference_and_allocate_their_result_only(robot, renamed, tmp_path):
    model, made, files = deliver(robot)
    printed = build_and_run(tmp_path, made, files, renamed)
    steps = np.arange(made.nv)
    q, qd, qdd = (0.1 + 0.2 * steps)[None], (0.3 - 0.1 * steps)[None], (0.5 * steps)[None]
    reference = make_references(model)[0]
    torques = reference.compute_inverse_dynamics
    zero = 0 * q
    matrix = [torques(q, zero, unit[None], gravity=False)[0] for unit in np.eye(made.nv)]
    gravity = torques(q, zero, zero)[0]
    expected = {
        "mass_matrix": np.transpose(matrix),
        "coriolis_forces": torques(q, qd, zero, gravity=False)[0],
        "gravity_forces": gravity,
        "friction_forces": reference.friction.compute_forces(qd)[0]
        if robot == "rubbing_arm"
        else zero[0],
        "inverse_dynamics": torques(q, qd, qdd)[0],
        "parts": gravity,
    }
    if renamed:
        jacobian = np.array([float(word) for word in printed["jacobian"][1:]]).reshape(6, made.nv)
        wrench = np.array([1, -2, 3, 0.5, 0.25, -1])
        expected["external"] = jacobian.T @ wrench
        expected["loaded"] = expected["inverse_dynamics"] + expected["external"]
    for name, values in expected.items():
        words = printed[name]
        np.testing.assert_allclose(
            [float(word) for word in words[1:]], np.ravel(values), rtol=0, atol=1e-12
        )
        assert int(words[0]) == (name != "parts"), name
    assert " ".join(printed["error"]).endswith(
        f"InverseDynamics: joint_positions: expected {made.nv} elements, found 2"
    )


@pytest.mark.tools
def test_the_proof_calls_the_plugin_and_finds_a_fault_in_it():
    generation = generated(load_robot("planar3"), Settings("c", functions("planar3"), verify=False))
    language, made = find_language("c"), generation.package
    files = ros2.ROS2.print_files(made, language)
    proved(generation, ros2.ROS2.load(made, language, files, None), states=20)
    for path, right, wrong in (
        ("src/plugin.cpp", "planar3_coriolis_forces(q, qd,", "planar3_coriolis_forces(qd, q,"),
        ("src/plugin.cpp", ", Eigen::RowMajor>", ", Eigen::ColMajor>"),
        ("src/planar3_gravity_forces.c", "24.525*", "24.5250001*"),
    ):
        faulty = list(files)
        (place,) = [place for place, file in enumerate(files) if file.path == path]
        assert right in files[place].text
        faulty[place] = type(files[place])(path, files[place].text.replace(right, wrong))
        with pytest.raises(VerificationError):
            proved(generation, ros2.ROS2.load(made, language, tuple(faulty), None), states=20)


def test_the_package_describes_itself():
    *_, files = deliver("planar3")
    package = ElementTree.fromstring(files["package.xml"])
    name = package.findtext("name")
    # REP 149: required elements in a name of lower-case letters, digits and underscores.
    assert re.fullmatch(r"[a-z][a-z0-9_]*[a-z0-9]", name)
    for element in ("version", "description", "maintainer", "license"):
        assert package.findtext(element)
    assert package.find("maintainer").attrib["email"]
    depends = {each.text for each in package.iter("depends")} | {
        each.text for each in package.iter("depend")
    }
    assert {*ros2.INTERFACES, "pluginlib", "rclcpp", "eigen"} == depends
    build = files["CMakeLists.txt"]
    assert f"project({name} VERSION 0.1.0 " in build
    for path in files:
        assert not path.endswith(".c") or f"  {path}\n" in build
    for interface, base in ros2.INTERFACES.items():
        (described,) = ElementTree.fromstring(files[f"{interface}.xml"]).iter("class")
        assert described.attrib["type"] == f"{name}::Planar3InverseDynamics"
        assert described.attrib["base_class_type"] == f"{interface}::{base}"
    assert f"include/{name}/plugin.hpp" in files


@pytest.mark.parametrize(
    ("robot", "requests", "expected"),
    [
        (
            "floating",
            ("inverse_dynamics",),
            "has a floating base; the interface requires a fixed base",
        ),
        ("spherical", ("inverse_dynamics",), "--target ros2 does not support spherical joints"),
        (str(DELTA), ("inverse_dynamics",), "delta has closed loops; the interface cannot report"),
        (
            "planar3",
            ("forward_dynamics",),
            "the interface of ROS 2 has no method `forward_dynamics`; expected",
        ),
    ],
)
def test_what_the_interface_lacks_is_refused(robot, requests, expected):
    texts = {"floating": FLOATING, "spherical": SPHERICAL}
    model = parse_robot(texts[robot], "w.yaml") if robot in texts else load_robot(robot)
    with pytest.raises(UsageError, match=re.escape(expected)):
        generate(model, Settings("c", requests, target="ros2", verify=False))
