"""Reasons why a folder is stale: the manifest on disk against the settings of a new run."""

import json
from pathlib import Path

import pytest

import dynagen
from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import Settings
from dynagen.pipeline.staleness import explain_staleness
from dynagen.robot.loading import load_robot, parse_robot


def manifest(robot="planar3", **settings):
    description = load_robot(robot) if isinstance(robot, str) else robot
    return generate(description, Settings(**{"verify": False, **settings})).manifest.text


@pytest.fixture
def folder(tmp_path):
    dynagen.generate("planar3", ["mass_matrix"], verify=False, out=tmp_path / "x")
    return tmp_path / "x"


def test_the_same_request_gives_no_reason(folder):
    assert explain_staleness(folder, manifest(functions=("mass_matrix",))) == ()


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (
            {"functions": ("gravity_forces",)},
            "the code was written with `-f mass_matrix`, this run with `-f gravity_forces`",
        ),
        (
            {"language": "python"},
            "the code was written with `--lang c`, this run with `--lang python`",
        ),
        (
            {"real": "float"},
            "the code was written with `--real double`, this run with `--real float`",
        ),
        (
            {"prefix": "arm", "single_file": True},
            "the code was written without `--prefix arm --single-file`",
        ),
        ({"batch": True, "threads": True}, "the code was written without `--batch --threads`"),
        (
            {"optimize": "none", "cost": "fma"},
            "the code was written without `--optimize none --cost fma`",
        ),
        (
            {"functions": ("gravity_forces",), "method": "carried"},
            "the code was written with `-f mass_matrix`, this run with `-f gravity_forces "
            "--method carried`",
        ),
        (
            {"verify": True, "seed": 3},
            "the code was written with `--no-verify`, this run with `--states 1000 --seed 3`",
        ),
    ],
)
def test_options_that_differ_are_named_and_no_others(folder, settings, reason):
    settings = {"functions": ("mass_matrix",), **settings}
    assert explain_staleness(folder, manifest(**settings)) == (reason,)


def test_options_of_the_folder_that_this_run_leaves_out_are_named(tmp_path):
    dynagen.generate("planar3", verify=False, single_file=True, out=tmp_path / "x")
    assert explain_staleness(tmp_path / "x", manifest()) == (
        "the code was written with `--single-file`",
    )


def test_a_changed_description_another_robot_and_another_version_are_told_apart(folder):
    asked = {"functions": ("mass_matrix",)}
    known = load_robot("planar3")
    changed = parse_robot(Path(known.path).read_text(encoding="utf-8") + "# a remark\n", known.path)
    assert explain_staleness(folder, manifest(changed, **asked)) == (
        "planar3.yaml has changed since the last run",
    )
    assert explain_staleness(folder, manifest("scara", **asked)) == (
        "the code is for the robot planar3, not for scara",
    )
    now = json.loads(manifest(**asked))
    assert explain_staleness(folder, json.dumps({**now, "dynagen": "9"})) == (
        f"the code was written by dynagen {now['dynagen']}; this is dynagen 9",
    )


def test_a_folder_without_a_manifest_to_read_says_so(folder, tmp_path):
    now = manifest()
    assert explain_staleness(tmp_path / "nowhere", now) == ("the folder does not exist",)
    assert explain_staleness(tmp_path, now) == ("the folder contains no manifest of dynagen",)
    path = folder / "planar3.manifest.json"
    for text in (
        "",
        "[]",
        "{}",
        '{"robot": "planar3"}',
        "[" * 10_000,
        path.read_text().replace('"kernels"', '"nuts"'),
    ):
        path.write_text(text)
        assert explain_staleness(folder, now) == (
            "planar3.manifest.json is not a manifest that this version of dynagen can read",
        )
    path.with_name("b.manifest.json").write_text("{}")
    assert explain_staleness(folder, now) == ("the folder contains 2 manifests of dynagen",)
