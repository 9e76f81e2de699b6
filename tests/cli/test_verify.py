"""`dynagen verify`: code on disk is compiled and proved as it is; its folder is checked too."""

import json
import re

import pytest

from dynagen.codegen.languages import find_language
from dynagen.resources import find_robots_folder
from tests.support.fake_gpu import install


@pytest.fixture
def robot(tmp_path):
    """A description of the user's own, which is not bundled."""
    text = (find_robots_folder() / "planar3.yaml").read_text().replace("name: planar3", "name: arm")
    (tmp_path / "arm.yaml").write_text(text)
    return tmp_path / "arm.yaml"


def generate(run, *options, language="c"):
    functions = ("-f", "inverse_dynamics", "-f", "gravity_forces")
    assert run("arm.yaml", "--lang", language, *functions, "--out", "out", *options)[0] == 0


@pytest.mark.parametrize("real", ["double", "float"])
def test_fresh_output_is_proved_again(run, robot, language, real):
    generate(run, "--real", real, language=language)
    status, out, _ = run("verify", "out")
    assert status == 0
    kernels = 4 if find_language(language).always else 2  # CUDA always has batch kernels
    assert out.count("Newton-Euler") == out.count("Lagrange") == kernels
    assert "gravity_forces" in out


def test_one_file_and_a_prefix_of_its_own(run, robot):
    generate(run, "--single-file", "--prefix", "Left", "--no-verify")
    assert run("verify", "out")[0] == 0


@pytest.mark.parametrize(
    ("language", "file"),
    [
        ("c", "src/arm_gravity_forces.c"),
        ("fortran", "arm_dynamics.f90"),
        ("python", "arm.py"),
        ("javascript", "arm.js"),
        ("matlab", "arm_gravity_forces.m"),
    ],
)
def test_an_edited_kernel_is_found_out(run, tmp_path, robot, language, file):
    generate(
        run, "--optimize", "none", language=language
    )  # so that gravity stands in the code as it is
    path = tmp_path / "out" / file
    path.write_text(re.sub(r"\b0\.5(?=[_f*])", "0.5000001", path.read_text()))
    status, _, err = run("verify", "out")
    assert status == 1
    assert "disagrees with the Newton-Euler reference" in err
    assert "Unless the code has been edited" in err


def test_kernels_over_lanes_are_proved_too(run, tmp_path, robot):
    generate(run, "--batch", "--no-verify", "--optimize", "none")
    status, out, _ = run("verify", "out")
    assert status == 0
    assert out.count("gravity_forces_batch") == 2
    path = tmp_path / "out/src/arm_gravity_forces_batch.c"
    path.write_text(re.sub(r"\b0\.5(?=\*)", "0.5000001", path.read_text()))
    status, _, err = run("verify", "out")
    assert status == 1
    assert "gravity_forces_batch disagrees with the Newton-Euler reference" in err


def test_headers_count_too(run, tmp_path, robot):
    generate(run)
    path = tmp_path / "out/include/arm.h"
    path.write_text(path.read_text().replace("(s) = sin(x)", "(s) = sin(x) + 1e-9"))
    assert run("verify", "out")[0] == 1


def test_code_that_does_not_compile_is_refused(run, tmp_path, robot):
    generate(run)
    (tmp_path / "out/src/arm_gravity_forces.c").write_text("int f(void) { return undeclared; }\n")
    status, _, err = run("verify", "out")
    assert status == 3
    assert "undeclared" in err


def test_the_description_is_found_above_the_folder_or_named(run, tmp_path, robot):
    generate(run)
    (tmp_path / "elsewhere").mkdir()
    robot.rename(tmp_path / "elsewhere/arm.yaml")
    status, _, err = run("verify", "out")
    assert status == 2
    assert "dynagen verify out path/to/arm.yaml" in err
    assert run("verify", "out", "elsewhere/arm.yaml")[0] == 0


def test_bundled_robots_are_found(run):
    run("planar3", "--out", "deep/er/out")
    assert run("verify", "deep/er/out")[0] == 0


def test_a_description_that_has_changed_is_no_proof(run, robot):
    generate(run)
    robot.write_text(robot.read_text() + "# a comment\n")
    status, _, err = run("verify", "out")
    assert status == 1
    assert "out was not generated from" in err
    assert "Generate the folder again" in err


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (None, "contains no manifest"),
        ("[]", "not a manifest that this version of dynagen can read"),
        ('{"schema": 99}', "schema 99, expected 1"),
        ("{", "not a manifest"),
    ],
)
def test_a_folder_without_a_sound_manifest_is_refused(run, tmp_path, robot, manifest, message):
    generate(run)
    path = tmp_path / "out/arm.manifest.json"
    path.unlink()
    if manifest is not None:
        path.write_text(manifest)
    status, _, err = run("verify", "out")
    assert status == 2
    assert message in err


def test_a_missing_file_is_named(run, tmp_path, robot):
    generate(run)
    (tmp_path / "out/src/arm_gravity_forces.c").unlink()
    status, _, err = run("verify", "out")
    assert status == 2
    assert "arm_gravity_forces.c cannot be read" in err


def test_a_function_of_another_version_is_named(run, tmp_path, robot):
    generate(run)
    path = tmp_path / "out/arm.manifest.json"
    manifest = json.loads(path.read_text())
    manifest["kernels"]["gravity_forces"]["request"] = "levitation"
    path.write_text(json.dumps(manifest))
    status, _, err = run("verify", "out")
    assert status == 2
    assert "unknown to this version of dynagen: unknown function `levitation`" in err
    manifest["kernels"]["gravity_forces"]["request"] = "bias_forces"
    path.write_text(json.dumps(manifest))
    status, _, err = run("verify", "out")
    assert status == 2
    assert "its kernels are not the functions that the manifest" in err


def test_paths_in_a_manifest_stay_in_the_folder(run, tmp_path, robot):
    generate(run)
    path = tmp_path / "out/arm.manifest.json"
    path.write_text(path.read_text().replace("src/arm_gravity_forces.c", "../arm_gravity_forces.c"))
    status, _, err = run("verify", "out")
    assert status == 2
    assert "expected a path inside the folder" in err


def test_the_part_of_a_robot_is_verified_that_was_generated_for(run, robot):
    part = ("--root", "upper_arm", "--lock", "upper_arm=0.3", "--snap", "0")
    assert run("arm.yaml", "--out", "out", *part)[0] == 0
    manifest = json.loads((robot.parent / "out" / "arm.manifest.json").read_text())
    assert manifest["reading"] == {"root": "upper_arm", "lock": {"upper_arm": "0.3"}, "snap": 0.0}
    assert [joint["name"] for joint in manifest["joints"]] == ["forearm", "hand"]
    assert run("verify", "out")[0] == 0
    status, _, error = run("arm.yaml", "--out", "out", "--stale")
    assert status == 1
    assert "the code was written with `--root upper_arm --snap 0.0 --lock upper_arm=0.3`" in error


def test_kernels_for_many_states_are_proved_on_a_gpu(run, tmp_path, robot, monkeypatch):
    options = ("--no-verify", "--prefix", "robot")
    generate(run, *options, language="cuda")
    text = (tmp_path / "out" / "include" / "robot.cuh").read_text()
    pointers = {
        "robot_inverse_dynamics_batch": "const double *, const double *, const double *, double *",
        "robot_gravity_forces_batch": "const double *, double *",
    }
    machine = install(monkeypatch, tmp_path, text, pointers)
    status, out, _ = run("verify", "out", "--device", "cuda", "--states", "100")
    assert status == 0
    assert "proved; kernels for many states ran on the GPU" in " ".join(out.split())
    starts = [call for call in machine.calls if call.startswith("launch")]
    assert {start.split()[1] for start in starts} == set(pointers)
    # A fault in the GPU's program only is found.
    (tmp_path / "wrong").mkdir()
    wrong = text.replace("column[(size_t)row*stride]", "column[(size_t)row*stride/2]")
    install(monkeypatch, tmp_path / "wrong", wrong, pointers)
    status, _, err = run("verify", "out", "--device", "cuda", "--states", "100")
    assert status == 1
    assert "inverse_dynamics_batch" in err
    assert run("planar3", "--no-verify", "--out", "c")[0] == 0
    status, _, err = run("verify", "c", "--device", "cuda")
    assert status == 2
    assert "has kernels in c; generate the folder with --lang cuda" in " ".join(err.split())


def test_run_time_parameters_are_shared_by_all_states_on_a_gpu(run, tmp_path, robot, monkeypatch):
    robot.write_text(robot.read_text() + "\npayload: true\n")
    assert (
        run(
            "arm.yaml",
            "--lang",
            "cuda",
            "-f",
            "mass_matrix",
            "--out",
            "out",
            "--no-verify",
            "--prefix",
            "robot",
        )[0]
        == 0
    )
    text = (tmp_path / "out" / "include" / "robot.cuh").read_text()
    pointers = {"robot_mass_matrix_batch": "const double *, const double *, double *"}
    install(monkeypatch, tmp_path, text, pointers)
    status, _, err = run("verify", "out", "--device", "cuda", "--states", "50")
    assert status == 0, err
