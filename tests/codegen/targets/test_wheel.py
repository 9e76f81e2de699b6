"""Target `wheel`: the package is installed in a fresh environment without dynagen, and its proof
fails if the package is wrong.
"""

import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dynagen
from dynagen.codegen.targets import wheel
from dynagen.toolchain import extension

FUNCTIONS = ("-f", "inverse_dynamics", "-f", "forward_kinematics", "-f", "base_regressor")
LOADED = """
name: Loaded-arm
convention: modified
gravity: [0, -9.81, 0]
parameters: {bob: {value: 2, unit: kg, runtime: true}}
links:
  - {name: "the \\"rod\\"", joint: revolute, dh: {alpha: 0, a: 0, d: 0}, mass: bob,
     com: [0.5, 0, 0], inertia: [0, 0, 0.1]}
"""

PROGRAM = """
import pickle, sys
import numpy as np
import planar3, loaded_arm
from planar3 import forward_kinematics, inverse_dynamics

assert "dynagen" not in sys.modules
q, qd, qdd = np.load("states.npy")
np.testing.assert_array_equal(inverse_dynamics(q, qd=qd, qdd=qdd), np.load("tau.npy"))
np.testing.assert_array_equal(inverse_dynamics(q[0], qd[0], qdd[0]), np.load("tau.npy")[0])
assert pickle.loads(pickle.dumps(forward_kinematics)) is forward_kinematics
rotation, point = forward_kinematics(q)
assert (planar3.N, planar3.JOINTS, point.shape) == (3, ("upper_arm", "forearm", "hand"), (200, 3))
assert planar3.ELEMENTS["pi_base"][0] == "upper_arm.mxR"
assert planar3.base_regressor(q, qd, qdd).shape == (200, 3, 11)
qdd, status = loaded_arm.forward_dynamics([[0.0], [0.1]], [0.0], [0.0], [[2.0], [-1.0]])
assert status.tolist() == [0, 1] and qdd.dtype == np.float32
assert loaded_arm.PARAMETERS == {"bob": 2.0} and loaded_arm.JOINTS == ('the "rod"',)
help(inverse_dynamics)
try:
    inverse_dynamics(q, qd, 1j * qdd)
except TypeError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """Two wheels, made by the command line."""
    folder = tmp_path_factory.mktemp("wheels")
    (folder / "loaded.yaml").write_text(LOADED)
    for command in (
        ("planar3", *FUNCTIONS),
        ("loaded.yaml", "-f", "forward_dynamics", "--real", "float", "--release", "2.1rc1"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "dynagen", "wheel", *command, "-o", "out"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.mark.slow
def test_a_wheel_is_named_by_robot_version_interpreter_and_platform(wheels):
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    names = [
        f"{name}-{tag}-{tag}{sys.abiflags}-{platform}.whl"
        for name in ("loaded_arm-2.1rc1", "planar3-0.1")
    ]
    assert sorted(path.name for path in wheels.iterdir()) == names


@pytest.mark.slow
def test_wheels_work_in_a_fresh_environment_without_dynagen(wheels, tmp_path):
    venv.create(tmp_path / "environment", symlinks=True)
    python = tmp_path / "environment" / "bin" / "python"
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--no-deps",
        "--no-index",
        *wheels.iterdir(),
    ]
    subprocess.run(install, check=True, capture_output=True)
    (site_packages,) = (tmp_path / "environment").glob("lib/python*/site-packages")
    for name in ("numpy", "numpy.libs"):  # of this environment, and nothing else of it
        if (source := Path(np.__path__[0]).with_name(name)).exists():
            (site_packages / name).symlink_to(source)
    states = np.random.default_rng(2).uniform(-1, 1, (3, 200, 3))
    np.save(tmp_path / "states.npy", states)
    np.save(tmp_path / "tau.npy", dynagen.compile("planar3", states=20)(*states))
    done = subprocess.run(
        [python, "-I", "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "inverse_dynamics(q, qd, qdd, *, out=None, **kwargs)" in done.stdout
    assert "tau = M(q) qdd + C(q, qd) qd + g(q)." in done.stdout
    assert "26 mul, 23 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12." in done.stdout
    assert "inverse_dynamics(): qdd must be real numbers, not complex64" in done.stdout
    assert (
        subprocess.run(
            [python, "-I", "-c", "import dynagen"], capture_output=True, check=False
        ).returncode
        == 1
    )


@pytest.mark.slow
def test_the_same_robot_gives_the_same_wheel_and_its_files_are_listed(wheels, run, tmp_path):
    status, _, error = run("wheel", "planar3", *FUNCTIONS, "-o", tmp_path)
    assert status == 0, error
    (again,) = tmp_path.glob("*.whl")
    (first,) = wheels.glob("planar3*.whl")
    assert again.read_bytes() == first.read_bytes()
    with zipfile.ZipFile(first) as archive:
        module = archive.read("planar3/__init__.py").decode()
        assert "Tool     " in module
        assert "batch" not in module
        record = archive.read("planar3-0.1.dist-info/RECORD").decode().splitlines()
        assert {line.partition(",")[0] for line in record} == set(archive.namelist())


@pytest.mark.slow
def test_type_checkers_know_what_functions_take(wheels, tmp_path):
    for path in wheels.iterdir():
        zipfile.ZipFile(path).extractall(tmp_path)
    program = tmp_path / "program.py"
    program.write_text(
        "from planar3 import forward_kinematics, inverse_dynamics\n"
        "from loaded_arm import forward_dynamics\n"
        "inverse_dynamics([1, 2, 3], qd=[0, 0, 0], qdd=[0, 0, 0]).sum()\n"
        "rotation, point = forward_kinematics([0, 0, 0])\n"
        "inverse_dynamics([1, 2, 3])\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.count("error:") == 1, done.stdout
    assert 'program.py:5: error: Missing positional arguments "qd", "qdd"' in done.stdout


def test_what_is_no_wheel_is_explained_and_nothing_is_written(run, tmp_path, monkeypatch):
    status, _, error = run("wheel", "planar3", "--release", "1.x")
    assert (status, "invalid version `1.x`" in error) == (2, True)
    for name, refusal in {
        "numpy": "numpy is a reserved word of Python",
        "json": "a package `json` would hide",
    }.items():
        status, _, error = run("wheel", "planar3", "--prefix", name)
        assert (status, refusal in error) == (2, True)
    monkeypatch.setattr(
        extension,
        "explain_unavailable",
        lambda compiler: "Python.h was not found in /here: install the headers",
    )
    status, _, error = run("wheel", "planar3")
    assert (status, "Python.h was not found in /here" in error) == (3, True)
    assert not list(tmp_path.rglob("*.whl"))


@pytest.fixture
def quick(monkeypatch):
    """Modules are compiled without optimisation, which takes a fraction of the time."""
    monkeypatch.setenv(extension.OPTIONS_VARIABLE, "-O0")


@pytest.mark.slow
def test_the_target_wheel_gives_the_wheel_of_the_command_and_check_compares_it(
    run, tmp_path, quick
):
    asked = ("loaded.yaml", "-f", "gravity_forces", "--release", "3.0", "--states", "20")
    (tmp_path / "loaded.yaml").write_text(LOADED)
    status, out, error = run("wheel", *asked, "-o", "a")
    assert status == 0, error
    assert [line for line in out.splitlines() if "gravity_forces_batch" in line]
    status, out, error = run(*asked, "--target", "wheel", "--depfile", "loaded.d")
    assert status == 0, error
    (by_command,), (by_target,) = (tmp_path / "a").iterdir(), (tmp_path / "dist").iterdir()
    assert by_target.name == by_command.name
    assert by_target.read_bytes() == by_command.read_bytes()
    assert f"Written to dist/{by_target.name}" in out
    rule = (tmp_path / "loaded.d").read_text()
    assert rule.startswith(f"{by_target}: {tmp_path / 'loaded.yaml'} ")
    status, out, _ = run(*asked, "--target", "wheel", "--stale")
    assert (status, out) == (0, f"dist/{by_target.name} is up to date\n")
    status, _, error = run(*asked, "--target", "wheel", "--stale", "--real", "float")
    assert status == 1
    assert f"dist/{by_target.name} is stale. Missing or different: " in error
    assert "loaded_arm/__init__.py" in error
    status, _, error = run(*asked, "--target", "wheel", "--stale", "--out", "b")
    assert (status, "is stale; the file does not exist" in error) == (1, True)
    assert not (tmp_path / "b").exists()
    status, _, error = run("verify", by_target)
    assert (status, "`dynagen ROBOT --target NAME --stale`" in error) == (2, True)


@pytest.mark.slow
def test_python_delivers_wheels_too(tmp_path, quick):
    generation = dynagen.generate(
        "pendulum", "gravity_forces", target="wheel", states=20, out=tmp_path
    )
    assert [path.name for path in tmp_path.iterdir()] == [generation.archive.name]
    assert generation.place(tmp_path) == tmp_path / generation.archive.name
    assert set(generation.proofs) == {"gravity_forces", "gravity_forces_batch"}
    (tau,) = generation.compiled["gravity_forces"]([0.5])
    np.testing.assert_array_equal(tau, dynagen.compile("pendulum", "gravity_forces")([0.5]))


def exchange(path, before, after):
    """Return a replacement of `print_module` that changes a file of the module."""

    def plant(print_module):
        def print_faulty(*arguments):
            files = print_module(*arguments)
            faulty = re.sub(before, after, files[path])
            assert faulty != files[path]
            return {**files, path: faulty}

        return print_faulty

    return plant


FAULTS = {
    "kernel for one state": (
        exchange("src/planar3_gravity_forces.c", r"\b9\.81|\b0\.5\b", "0.5000001"),
        "gravity_forces disagrees",
    ),
    "batch kernel": (
        exchange("src/planar3_gravity_forces_batch.h", r"\b9\.81|\b0\.5\b", "0.5000001"),
        "gravity_forces_batch disagrees",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_wrong_code_of_a_module_is_not_delivered(run, tmp_path, monkeypatch, quick, fault):
    plant, message = FAULTS[fault]
    module = wheel._MODULES["c"]
    faulty = replace(module, print_module=plant(module.print_module))
    monkeypatch.setitem(wheel._MODULES, "c", faulty)
    asked = ("-f", "gravity_forces", "--optimize", "none", "--states", "20")
    status, _, error = run("planar3", *asked, "--target", "wheel")
    assert (status, message in error) == (1, True), error
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        ("coriolis_forces, bias_forces = bias_forces, coriolis_forces", 1, "disagrees"),
        ("import dynagen", 3, "import of dynagen halted"),
        ("del bias_forces", 3, "has no attribute 'bias_forces'"),
        ("coriolis_forces = lambda q, qd: q[:-1]", 3, "returned arrays of shapes and types"),
    ],
)
def test_a_wrong_package_around_right_code_is_not_delivered(
    run, tmp_path, monkeypatch, quick, line, status, message
):
    printed = wheel.print_wheel

    def print_faulty(*arguments):
        files = printed(*arguments)
        path = "planar3/__init__.py"
        return {**files, path: f"{files[path]}\n{line}\n"}

    monkeypatch.setattr(wheel, "print_wheel", print_faulty)
    asked = ("-f", "coriolis_forces", "-f", "bias_forces", "--jobs", "1", "--states", "20")
    found, _, error = run("planar3", *asked, "--target", "wheel")
    assert (found, message in error) == (status, True), error
    assert not list(tmp_path.iterdir())
