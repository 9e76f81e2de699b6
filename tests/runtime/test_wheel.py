"""`dynagen wheel`: the package is installed in a fresh environment without dynagen."""

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest

import dynagen
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
    for wheel in wheels.iterdir():
        zipfile.ZipFile(wheel).extractall(tmp_path)
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
        "numpy": "numpy is a word of Python",
        "json": "a package `json` would hide",
    }.items():
        status, _, error = run("wheel", "planar3", "--prefix", name)
        assert (status, refusal in error) == (2, True)
    monkeypatch.setattr(
        extension,
        "unavailable_because",
        lambda compiler: "there is no Python.h in /here: install the headers",
    )
    status, _, error = run("wheel", "planar3")
    assert (status, "there is no Python.h in /here" in error) == (3, True)
    assert not list(tmp_path.rglob("*.whl"))
