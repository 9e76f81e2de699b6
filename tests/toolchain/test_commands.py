"""Commands in parallel: all run, at most one for each processor, and a failure ends the others."""

import time
from pathlib import Path

import pytest

from dynagen.errors import ToolchainError
from dynagen.toolchain import commands
from dynagen.toolchain.commands import note_start, run_all


def test_commands_run_at_the_same_time(tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "count_workers", lambda: 2)
    # Each command waits for the file of the other one.
    wait = "touch {}; until test -e {}; do sleep 0.01; done"
    run_all([["sh", "-c", wait.format(*names)] for names in ("ab", "ba")], tmp_path, "no")
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b"}


def test_no_more_commands_run_than_there_are_processors(tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "count_workers", lambda: 1)
    # A folder can be made once: commands at the same time would fail.
    alone = "mkdir taken && sleep 0.05 && rmdir taken"
    run_all([["sh", "-c", f"{alone} && touch {name}"] for name in "abc"], tmp_path, "no")
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b", "c"}


def test_a_command_starts_when_any_other_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "count_workers", lambda: 2)
    # The first command waits for the file of the third.
    wait = "until test -e c; do sleep 0.01; done"
    run_all([["sh", "-c", each] for each in (wait, "true", "touch c")], tmp_path, "no")


def test_a_failing_command_ends_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "count_workers", lambda: 3)
    begun = time.monotonic()
    with pytest.raises(ToolchainError, match=r"refused: sh -c 'echo wrong >&2; exit 1'\nwrong"):
        run_all(
            [["sh", "-c", "echo wrong >&2; exit 1"], ["sleep", "60"], ["sleep", "60"]],
            tmp_path,
            "refused",
        )
    assert time.monotonic() - begun < 30


def test_a_command_that_cannot_start_ends_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "count_workers", lambda: 2)
    begun = time.monotonic()
    with pytest.raises(ToolchainError, match="no such compiler"):
        run_all([["sleep", "60"], ["no such compiler"]], tmp_path, "refused")
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize("processors", [1, 2])
def test_the_start_of_commands_is_noted_while_they_run(tmp_path, monkeypatch, processors):
    monkeypatch.setattr(commands, "count_workers", lambda: processors)
    wait = "until test -e noted; do sleep 0.01; done"
    with note_start((tmp_path / "noted").touch):
        run_all([["sh", "-c", wait]] * 2, tmp_path, "no")


def test_the_end_is_noted_where_no_command_starts():
    noted = []
    with note_start(lambda: noted.append("started")):
        pass
    with pytest.raises(ToolchainError), note_start(lambda: noted.append("failed")):
        run_all([["no such compiler"]], Path(), "refused")
    assert noted == ["started", "failed"]
