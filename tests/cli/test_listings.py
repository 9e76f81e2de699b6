"""`dynagen schema` accepts and refuses the same structures as the loader; `dynagen targets` lists
every target.
"""

import copy
import json
import re
import subprocess
import sys

import jsonschema
import pytest
from click.testing import CliRunner
from ruamel.yaml import YAML

from dynagen.cli.listings import targets
from dynagen.codegen.targets import TARGETS
from dynagen.errors import RobotDescriptionError
from dynagen.resources import find_robots_folder, list_bundled_robots
from dynagen.robot.loading import parse_robot


@pytest.fixture(scope="module")
def validator():
    done = subprocess.run(
        [sys.executable, "-m", "dynagen", "schema"], check=True, capture_output=True, text=True
    )
    schema = json.loads(done.stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def described(robot):
    return YAML(typ="safe").load((find_robots_folder() / f"{robot}.yaml").read_text())


@pytest.mark.parametrize("robot", list_bundled_robots())
def test_every_bundled_robot_is_accepted(validator, robot):
    validator.validate(described(robot))


FAULTS = {
    "no name": lambda robot: robot.pop("name"),
    "no convention": lambda robot: robot.pop("convention"),
    "no gravity": lambda robot: robot.pop("gravity"),
    "no links": lambda robot: robot.update(links=[]),
    "an unknown field": lambda robot: robot.update(colour="red"),
    "a misspelt field of a link": lambda robot: robot["links"][1].update(mas=1),
    "an unknown field of a parameter": lambda robot: robot.update(
        parameters={"load": {"value": 1, "units": "kg"}}
    ),
    "a parameter without value": lambda robot: robot.update(parameters={"load": {"unit": "kg"}}),
    "an unknown convention": lambda robot: robot.update(convention="paul"),
    "an unknown joint": lambda robot: robot["links"][0].update(joint="ball"),
    "two components of gravity": lambda robot: robot.update(gravity=[0, 0]),
    "gravity as a number": lambda robot: robot.update(gravity=-9.81),
    "a mass that is a list": lambda robot: robot["links"][1].update(mass=[1]),
    "a mass that is true": lambda robot: robot["links"][1].update(mass=True),
    "a mass that is null": lambda robot: robot["links"][1].update(mass=None),
    "a name that is a number": lambda robot: robot["links"][1].update(name=["arm"]),
    "four elements of inertia": lambda robot: robot["links"][1].update(inertia=[1, 1, 1, 0]),
    "seven elements of inertia": lambda robot: robot["links"][1].update(
        inertia=[1, 1, 1, 0, 0, 0, 0]
    ),
    "a limit without its other end": lambda robot: robot["links"][1].update(
        limits={"position": [1]}
    ),
    "an unknown field of a motor": lambda robot: robot["links"][1].update(
        motor={"inertia": 1, "ratio": 2}
    ),
    "a frame without a link": lambda robot: robot.update(
        frames=[{"name": "tool", "xyz": [0, 0, 0], "rpy": [0, 0, 0]}]
    ),
    "a dh row that is a list": lambda robot: robot["links"][1].update(dh=[0, 0, 0, 0]),
    "a link that is a word": lambda robot: robot["links"].append("hand"),
    "nothing at all": lambda robot: robot.clear(),
}


def test_what_the_faults_are_made_from_is_sound(validator):
    robot = described("puma560")
    validator.validate(robot)
    assert parse_robot(json.dumps(robot), "puma560.yaml").name == "puma560"


@pytest.mark.parametrize("fault", FAULTS)
def test_schema_and_loader_refuse_the_same_faults(validator, fault):
    robot = copy.deepcopy(described("puma560"))
    FAULTS[fault](robot)
    with pytest.raises(RobotDescriptionError):
        parse_robot(json.dumps(robot), "faulty.yaml")
    assert not validator.is_valid(robot)


@pytest.fixture(scope="module")
def listings():
    """`dynagen targets` as text, and as JSON by name."""
    text, data = (
        CliRunner().invoke(targets, options, catch_exceptions=False).output
        for options in ([], ["--format", "json"])
    )
    return text, {target["name"]: target for target in json.loads(data)}


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_every_target_is_listed_with_languages_files_requirements_and_proof(listings, target):
    text, data = listings
    (listed,) = re.findall(rf"^ {target.name} [^\n]*\n(?:  [^\n]*\n)*", text, re.MULTILINE)
    words = " ".join(listed.split())
    entry = data[target.name]
    assert entry["languages"] == [language.name for language in target.languages]
    for value in (
        entry["audience"],
        ", ".join(entry["languages"]),
        ", ".join(entry["files"]),
        entry["out"],
        ", ".join(entry["options"]),
        ", ".join(entry["always"]),
        ", ".join(entry["requires"]["tools"]),
        entry["proof"],
    ):
        assert " ".join(value.split()) in words
    assert all(f"dynagen[{extra}]" in words for extra in entry["requires"]["extras"])
    assert ("as one file" in words) == entry["one_file"]


def test_the_targets_are_listed_in_the_order_of_the_table(listings):
    text, data = listings
    names = [target.name for target in TARGETS]
    assert list(data) == names
    assert re.findall(r"^ (\w+)", text, re.MULTILINE)[1:] == names
