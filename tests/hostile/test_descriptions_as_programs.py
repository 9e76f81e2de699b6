"""No description can run code: every format is tried, and a new one has to be added here."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from dynagen.errors import DynagenError, UsageError
from dynagen.robot.loading import SYNTAXES, load_robot
from tests.support.libraries import mujoco
from tests.support.urdf_robots import joint, link, robot

# An import runs code of dynagen. Formats are imported here, before the events are watched.
for _module in ("mjcf.reading", "urdf.reading", "urdf.xacro"):
    import_module(f"dynagen.robot.formats.{_module}")
ARM = robot(link("base"), link("arm"), joint("turn", "base", "arm", '<axis xyz="0 0 1"/>'))
YAML = """name: arm
gravity: [0, 0, -9.81]
links:
  - {name: one, joint: revolute, axis: [0, 0, 1], mass: 1, com: [0.1, 0, 0], inertia: [1, 1, 1]}
"""
MJCF = """<mujoco><worldbody><body name="a"><joint name="j"/><geom size=".1"/></body></worldbody>
</mujoco>"""
TRICKS = (
    "!!python/object/apply:os.system ['touch injected']",
    "__import__('os').system('touch injected')",
    "${__import__('os').system('touch injected')}",
    "{{ cycler.__init__.__globals__.os.system('touch injected') }}",
    "$(touch injected)",
    "$(eval __import__('os').system('touch injected'))",
    "`touch injected`",
)
ENTITY = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>'


def spoil_yaml(trick):
    yield YAML.replace("name: arm", f"name: {trick}")
    yield YAML.replace("mass: 1", f'mass: "{trick}"')
    yield YAML.replace("mass: 1", f"mass: {trick}")
    yield f"{trick}\n{YAML}"
    yield YAML + f"source: {trick}\n"


def spoil_xml(text, number):
    def spoil(trick):
        trick = trick.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
        yield text.replace('name="arm"', f'name="{trick}"').replace('name="a"', f'name="{trick}"')
        yield text.replace(number, f'"{trick}"')
        first, _, rest = text.partition(">")
        yield f'{first}><xacro:macro name="{trick}"/><include file="{trick}"/>{rest}'
        yield f"{ENTITY}{text.replace(number, '&e;', 1)}"
        yield f'<?xml-stylesheet href="{trick}"?>{text}'
        yield f'{first}><extension><plugin plugin="{trick}"/></extension>{rest}'

    return spoil


SPOILT = {
    (".yaml", ".yml"): spoil_yaml,
    (".urdf",): spoil_xml(ARM, '"0 0 1"'),
    (".xml", ".mjcf"): spoil_xml(MJCF, '".1"'),
}
"""Descriptions that try to run something, by the endings of their format."""
PROGRAMS = {(".xacro",)}
"""Formats whose files are programs, which `--trust` alone runs."""
FORBIDDEN = ("exec", "os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "socket.connect")
_seen: list[str] | None = None


def _watch(event, arguments):
    if _seen is not None and event in FORBIDDEN:
        _seen.append(f"{event} {arguments!r}"[:200])


sys.addaudithook(_watch)  # cannot be taken away again, hence the flag


def test_every_format_is_tried_here():
    endings = {syntax.suffixes for syntax in SYNTAXES}
    assert endings == SPOILT.keys() | PROGRAMS
    assert {syntax.suffixes for syntax in SYNTAXES if syntax.expand} == PROGRAMS


def test_a_program_is_refused_before_it_runs(tmp_path):
    path = tmp_path / "arm.xacro"
    path.write_text(ARM.replace("<robot", '<robot xmlns:xacro="http://ros.org/wiki/xacro"', 1))

    def read():
        with pytest.raises(UsageError, match="--trust"):
            load_robot(path)

    watched(read)


def watched(work):
    """Do work during which nothing forbidden may happen."""
    global _seen
    _seen = []
    try:
        work()
        assert _seen == []
    finally:
        _seen = None


@pytest.mark.parametrize(
    "endings",
    [
        pytest.param(endings, marks=pytest.mark.tools if ".mjcf" in endings else ())
        for endings in SPOILT
    ],
    ids=lambda endings: endings[0],
)
def test_descriptions_run_nothing(endings, tmp_path, monkeypatch):
    if ".mjcf" in endings:
        assert mujoco.__doc__ is not None or mujoco.mj_versionString()  # import it before the watch
    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"arm{endings[0]}"
    refused = 0
    good = {".yaml": YAML, ".urdf": ARM, ".xml": MJCF}[endings[0]]
    path.write_text(good)
    assert load_robot(path).links  # once, so that whatever is imported late has been imported
    for trick in TRICKS:
        for text in SPOILT[endings](trick):
            path.write_text(text)

            def read():
                nonlocal refused
                try:
                    load_robot(path)
                except DynagenError:
                    refused += 1

            watched(read)
    assert refused > len(TRICKS)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
