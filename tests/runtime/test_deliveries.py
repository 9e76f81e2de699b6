"""A delivery is generated and proved once; later processes find it in the cache."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

import dynagen
from dynagen.pipeline import driver
from dynagen.pipeline.settings import Settings
from dynagen.runtime.deliveries import find_delivery

SETTINGS = Settings(target="wheel", functions=("potential_energy",), states=20, prefix="robot")


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Number of states of each run of the generator; the cache is empty."""
    monkeypatch.setenv("DYNAGEN_CACHE", str(tmp_path / "cache"))
    counted, generate = [], driver.generate

    def count(description, settings, *arguments):
        counted.append(settings.states)
        return generate(description, settings, *arguments)

    monkeypatch.setattr(driver, "generate", count)
    return counted


@pytest.mark.slow
def test_delivery_is_generated_once_for_the_same_robot_settings_and_library(runs, monkeypatch):
    robot = dynagen.load_robot("planar3")
    first = find_delivery(robot, SETTINGS, "cffi")
    assert first.function == "potential_energy"
    assert find_delivery(robot, SETTINGS, "cffi") == first
    assert runs == [20]
    find_delivery(robot, replace(SETTINGS, states=21), "cffi")
    assert runs == [20, 21]
    monkeypatch.setattr(sys.modules["cffi"], "__version__", "0")
    assert find_delivery(robot, SETTINGS, "cffi") == first
    assert runs == [20, 21, 20]
