"""The table of MJCF has every element and attribute of MuJoCo's schema, and the docs have it."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from dynagen.robot.formats.mjcf.vocabulary import RULES, Treatment, find_rule, list_table
from tests.support.libraries import mujoco
from tests.support.root import ROOT

ARITIES = ("(!)", "(?)", "(*)", "(R)")


def list_schema():
    """Every element's path and attributes, as MuJoCo prints them."""
    path, found = [], {}
    for line in mujoco.mj_printSchema(False, False).splitlines():
        words = line.split()
        is_element = len(words) > 1 and words[1] in ARITIES
        if is_element:
            depth = (len(line) - len(line.lstrip())) // 3
            path = [*path[:depth], words[0].replace("(world)body", "body")]
            words = words[2:]
        found.setdefault("/".join(path[1:]) or "mujoco", []).extend(words)
    return found


@pytest.mark.tools
def test_every_element_and_attribute_of_mujoco_has_a_rule():
    schema = list_schema()
    assert len(schema) > 100
    assert {"body/joint", "option/flag", "actuator/motor", "body/flexcomp/edge"} <= schema.keys()
    pairs = [(element, name) for element, names in schema.items() for name in names]
    assert [pair for pair in pairs if find_rule(*pair) is None] == []
    used = {find_rule(*pair) for pair in pairs}
    bare = {element for element, names in schema.items() if not names}
    for rule in RULES:  # no rule is left over
        assert rule in used or any(
            fnmatchcase(element, pattern) for element in bare for pattern in rule.elements
        ), rule


def test_rules_are_those_of_the_first_match():
    assert find_rule("body/joint", "armature").treatment is Treatment.USED
    assert find_rule("body/joint", "stiffness").treatment is Treatment.WARNED
    assert find_rule("equality/tendon", "tendon1").treatment is Treatment.REFUSED
    assert find_rule("equality/weld", "body1").treatment is Treatment.USED
    assert find_rule("actuator/position", "kp").treatment is Treatment.NOTED
    assert find_rule("body/joint", "new") is None


def test_the_docs_have_the_table():
    assert "\n".join(list_table()) in (ROOT / "docs" / "mjcf.md").read_text(encoding="utf-8")
