"""Target `fmu`: FMPy validates the unit, and its motion is that of `dynagen simulate`."""

import re
import subprocess
import xml.etree.ElementTree as ElementTree
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from dynagen.apps.simulation.simulation import simulate
from dynagen.codegen.languages import find_language
from dynagen.codegen.targets import fmu
from dynagen.codegen.targets.archive import Archive
from dynagen.errors import ToolchainError, UsageError, VerificationError
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot, parse_robot
from tests.support.generated_once import generated, proved
from tests.support.libraries import fmpy, fmpy_validation
from tests.support.packages import texts

RUBBING = """name: rubbing_arm
gravity: [0, 0, -9.81]
links:
  - {name: one, joint: revolute, axis: [0, 1, 0], mass: 1, com: [0.3, 0, 0],
     inertia: [0.1, 0.2, 0.3], friction: {viscous: 0.5, coulomb: 1, sign: tanh, width: 0.1}}
  - {name: two, joint: prismatic, axis: [1, 0, 0], origin: {xyz: [0, 0.2, 0.1]}, mass: 1,
     com: [0, 0, 0.1], inertia: [0.1, 0.2, 0.3], friction: {viscous: 20}}
"""
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
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]


def deliver(robot, built=True):
    """Return the robot, the generation, the files of the unit and the unit, if it is built."""
    model = parse_robot(RUBBING, "rubbing.yaml") if robot == "rubbing_arm" else load_robot(robot)
    functions = ("forward_dynamics", "friction_forces")[: 1 + (robot == "rubbing_arm")]
    generation = generated(model, Settings("c", functions, verify=False))
    language = find_language("c")
    files = fmu.FMU.print_files(generation.package, language)
    unit = fmu.FMU.build(generation.package, language, files) if built else None
    return model, generation, files, unit


def write(unit, folder):
    path = folder / unit.name
    path.write_bytes(unit.content)
    return str(path)


@pytest.mark.tools
@pytest.mark.parametrize("robot", ["puma560", "rubbing_arm"])
def test_a_second_at_a_kilohertz_is_that_of_simulate(robot, tmp_path):
    model, generation, _, unit = deliver(robot)
    path, n = write(unit, tmp_path), generation.package.nv
    assert fmpy_validation.validate_fmu(path) == []
    q0, qd0 = 0.3 * np.arange(1, n + 1), 0.5 * np.ones(n)
    starts = {f"q[{joint + 1}]": q0[joint] for joint in range(n)}
    starts |= {f"qd[{joint + 1}]": qd0[joint] for joint in range(n)}
    starts |= {f"tau[{joint + 1}]": 1.5 for joint in range(n)}
    names = [f"q[{joint + 1}]" for joint in range(n)] + [f"qd[{joint + 1}]" for joint in range(n)]
    result = fmpy.simulate_fmu(
        path,
        fmi_type="CoSimulation",
        stop_time=1.0,
        output_interval=0.001,
        start_values=starts,
        output=names,
    )
    motion = simulate(
        model,
        q0=q0,
        qd0=qd0,
        time=1.0,
        torques=lambda t, q, qd: np.full(n, 1.5),
        method="RK4",
        step=0.001,
        every=0.001,
    )
    assert len(result) == len(motion.t) == 1001
    ours = np.stack([result[name] for name in names], axis=1)
    wanted = np.concatenate([motion.q, motion.qd], axis=1)
    np.testing.assert_allclose(result["time"], motion.t, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ours, wanted, rtol=0, atol=1e-12)
    assert abs(wanted[-1] - wanted[0]).max() > 0.1


@pytest.mark.tools
def test_model_exchange_moves_alike_and_a_stored_state_repeats(tmp_path):
    """FMPy integrates with CVode; the tolerance is that of CVode and of the Runge-Kutta steps."""
    _, _, _, unit = deliver("rubbing_arm")
    path = write(unit, tmp_path)
    starts = {"q[1]": 0.4, "qd[2]": 0.3, "tau[1]": 2.0}
    ends = []
    for kind, options in (
        ("CoSimulation", {"output_interval": 0.01}),
        ("ModelExchange", {"relative_tolerance": 1e-8, "output_interval": 0.01}),
    ):
        result = fmpy.simulate_fmu(
            path,
            fmi_type=kind,
            stop_time=0.5,
            start_values=starts,
            output=["q[1]", "q[2]"],
            **options,
        )
        ends.append([result["q[1]"][-1], result["q[2]"][-1]])
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-6)
    described = fmpy.read_model_description(path)
    instance = fmpy.fmi3.FMU3Slave(
        guid=described.guid,
        unzipDirectory=fmpy.extract(path, str(tmp_path / "unit")),
        modelIdentifier=described.coSimulation.modelIdentifier,
        instanceName="one",
    )
    instance.instantiate()
    instance.enterInitializationMode()
    instance.exitInitializationMode()
    state = instance.getFMUState()
    stored = instance.serializeFMUState(state)
    ends = []
    for _ in range(2):
        for step in range(5):
            instance.doStep(0.01 * step, 0.01)
        ends.append(instance.getFloat64([3, 4, 5, 6]))
        instance.setFMUState(instance.deserializeFMUState(stored))
    assert ends[0] == ends[1]
    assert any(ends[0])
    instance.freeFMUState(state)
    with pytest.raises(fmpy.fmi1.FMICallException):
        instance.setFloat64([len(described.modelVariables) - 1], [-1.0])  # step
    instance.terminate()
    instance.freeInstance()


@pytest.mark.tools
def test_the_proof_finds_a_fault_in_kernels_functions_and_description():
    _, generation, files, unit = deliver("rubbing_arm")
    language, made = find_language("c"), generation.package
    proved(generation, fmu.FMU.load(made, language, files, unit), states=20)
    for path, right, wrong in (
        (
            "sources/simulation.c",
            "memcpy(unit->model.state, states,",
            "memmove(unit->model.tau, states,",
        ),
        ("sources/motion.c", "model.tau[i] - net[i]", "model.tau[i] + net[i]"),
        ("sources/rubbing_arm_forward_dynamics.c", "9.81", "9.8100001"),
    ):
        faulty = [
            type(file)(path, file.text.replace(right, wrong)) if file.path == path else file
            for file in files
        ]
        assert texts(faulty)[path] != texts(files)[path]
        built = fmu.FMU.build(made, language, tuple(faulty))
        with pytest.raises((VerificationError, ToolchainError)):
            proved(generation, fmu.FMU.load(made, language, files, built), states=20)
    text = texts(files)["modelDescription.xml"].replace('name="q[1]"', 'name="q[2]"')
    broken = Archive(unit.name, {**unit.members, "modelDescription.xml": text.encode()})
    with pytest.raises(ToolchainError):
        fmu.FMU.load(made, language, files, broken)


@pytest.mark.tools
def test_every_function_of_the_standard_is_exported_and_nothing_else(tmp_path):
    *_, unit = deliver("puma560")
    unit.unpack(tmp_path)
    (library,) = tmp_path.glob("binaries/*/*")
    done = subprocess.run(
        ["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True
    )
    exported = {line.split()[-1] for line in done.stdout.splitlines()}
    header = Path(find_spec("fmpy").origin).parent / "c-code" / "fmi3Functions.h"
    standard = set(re.findall(r"#define (fmi3[A-Z]\w+) +fmi3FullName", header.read_text()))
    assert exported == standard


def test_the_source_builds_as_it_describes_itself(tmp_path):
    *_, files, _ = deliver("planar3", built=False)
    for path, text in texts(files).items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    build = ElementTree.fromstring(texts(files)["sources/buildDescription.xml"])
    sources = [each.attrib["name"] for each in build.iter("SourceFile")]
    assert {f"sources/{name}" for name in sources} == {
        path for path in texts(files) if path.endswith(".c")
    }
    command = ["gcc", *STRICT, "-shared", "-fPIC", *sources, "-o", "unit.so", "-lm"]
    done = subprocess.run(
        command, cwd=tmp_path / "sources", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_variables_have_units_and_the_token_changes_with_the_model():
    *_, files, _ = deliver("rubbing_arm", built=False)
    text = texts(files)["modelDescription.xml"]
    tree = ElementTree.fromstring(text)
    variables = {each.attrib["name"]: each.attrib for each in tree.iter("Float64")}
    assert variables["tau[2]"]["unit"] == "N"
    assert variables["qdd[1]"]["unit"] == "rad/s^2"
    references = [each["valueReference"] for each in variables.values()]
    assert len(set(references)) == len(references) == 2 + 6 * 2
    assert tree.attrib["instantiationToken"] in texts(files)["sources/instance.c"]
    other = ElementTree.fromstring(
        texts(deliver("planar3", built=False)[2])["modelDescription.xml"]
    )
    assert other.attrib["instantiationToken"] != tree.attrib["instantiationToken"]


def test_a_robot_that_does_not_fit_is_refused():
    with pytest.raises(UsageError, match="walker has a floating base; generate `step` in C"):
        generate(parse_robot(FLOATING, "w.yaml"), Settings("c", target="fmu", verify=False))
    with pytest.raises(UsageError, match="--target fmu does not support spherical joints"):
        generate(parse_robot(SPHERICAL, "b.yaml"), Settings("c", target="fmu", verify=False))
