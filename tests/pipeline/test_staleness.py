"""Why a folder is stale: what its manifest names and what is asked for now, side by side."""

import json
from pathlib import Path

import pytest

import dynagen
from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import Settings
from dynagen.pipeline.staleness import reasons
from dynagen.robot.loading import load_robot, parse_robot


def manifest(robot="planar3", **settings):
    description = load_robot(robot) if isinstance(robot, str) else robot
    return generate(description, Settings(**{"verify": False, **settings})).manifest.text


@pytest.fixture
def folder(tmp_path):
    dynagen.generate("planar3", ["mass_matrix"], verify=False, out=tmp_path / "x")
    return tmp_path / "x"


def test_the_same_request_gives_no_reason(folder):
    assert reasons(folder, manifest(functions=("mass_matrix",))) == ()


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (
            {"functions": ("gravity_forces",)},
            "it was written with `-f mass_matrix`, and this is with `-f gravity_forces`",
        ),
        (
            {"language": "python"},
            "it was written with `--lang c`, and this is with `--lang python`",
        ),
        ({"real": "float"}, "it was written with `--real double`, and this is with `--real float`"),
        (
            {"prefix": "arm", "single_file": True},
            "it was written without `--prefix arm --single-file`",
        ),
        ({"batch": True, "threads": True}, "it was written without `--batch --threads`"),
        (
            {"optimize": "none", "cost": "fma"},
            "it was written without `--optimize none --cost fma`",
        ),
        (
            {"functions": ("gravity_forces",), "method": "carried"},
            "it was written with `-f mass_matrix`, and this is with `-f gravity_forces --method carried`",
        ),
        (
            {"verify": True, "seed": 3},
            "it was written with `--no-verify`, and this is with `--states 1000 --seed 3`",
        ),
    ],
)
def test_options_that_differ_are_named_and_no_others(folder, settings, reason):
    settings = {"functions": ("mass_matrix",), **settings}
    assert reasons(folder, manifest(**settings)) == (reason,)


def test_options_of_the_folder_that_this_run_leaves_out_are_named(tmp_path):
    dynagen.generate("planar3", verify=False, single_file=True, out=tmp_path / "x")
    assert reasons(tmp_path / "x", manifest()) == ("it was written with `--single-file`",)


def test_a_changed_description_another_robot_and_another_version_are_told_apart(folder):
    asked = {"functions": ("mass_matrix",)}
    known = load_robot("planar3")
    changed = parse_robot(Path(known.path).read_text(encoding="utf-8") + "# a remark\n", known.path)
    assert reasons(folder, manifest(changed, **asked)) == ("planar3.yaml has changed since",)
    assert reasons(folder, manifest("scara", **asked)) == (
        "it is of the robot planar3, not of scara",
    )
    now = json.loads(manifest(**asked))
    assert reasons(folder, json.dumps({**now, "dynagen": "9"})) == (
        f"it was written by dynagen {now['dynagen']}, and this is 9",
    )


def test_a_folder_without_a_manifest_to_read_says_so(folder, tmp_path):
    now = manifest()
    assert reasons(tmp_path / "nowhere", now) == ("there is no such folder",)
    assert reasons(tmp_path, now) == ("it has no manifest of dynagen",)
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
        assert reasons(folder, now) == (
            "planar3.manifest.json is not a manifest that this version of dynagen can read",
        )
    path.with_name("b.manifest.json").write_text("{}")
    assert reasons(folder, now) == ("it has 2 manifests of dynagen",)
