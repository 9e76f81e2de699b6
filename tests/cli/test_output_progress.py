"""Long work is not silent, whatever the report and wherever standard error goes."""

from __future__ import annotations

import re
from time import sleep

import pytest

from dynagen.cli import output
from dynagen.cli.output import show_progress


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_anew")
@pytest.mark.parametrize(
    ("report", "effort"),
    [("none", ()), ("json", ()), ("text", ("--optimize", "max", "--budget", 20))],
    ids=["none", "json", "text"],
)
def test_lines_without_a_terminal_say_what_is_going_on_and_for_how_long(
    run, monkeypatch, report, effort
):
    monkeypatch.setattr(output, "_SECONDS", 0.001)
    status, out, err = run(
        "planar3",
        "-f",
        "inverse_dynamics",
        *effort,
        "--format",
        report,
    )
    assert status == 0
    lines = err.splitlines()
    assert lines
    assert all(
        re.fullmatch(r"dynagen: [a-z][\w ]*(, best \d+)?( \d+%)?, \d+ s", line) for line in lines
    )
    assert any("inverse_dynamics" in line for line in lines)
    assert "dynagen: " not in out


def test_nothing_is_said_after_the_end(capsys, monkeypatch):
    monkeypatch.setattr(output, "_SECONDS", 0.01)
    said = ""
    with show_progress() as show:
        show("search", 0.5)
        while "dynagen: search 50%, " not in said:
            sleep(0.01)
            said += capsys.readouterr().err
    capsys.readouterr()
    sleep(0.05)
    assert capsys.readouterr().err == ""
