"""Errata: every check passes, and a check notices a printed statement that holds."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from dynagen.apps.literature.errata.checks import CHECKS, evaluate
from dynagen.apps.literature.errata.erratum import read_errata
from dynagen.apps.literature.errata.identities import IDENTITIES
from dynagen.cli.main import dynagen

ERRATA = [
    pytest.param(erratum, id=f"{paper.citation[:9]} {erratum.place[:24]}")
    for paper in read_errata()
    for erratum in paper.errata
]


@pytest.mark.parametrize("erratum", ERRATA)
def test_the_printed_statement_fails_and_the_corrected_one_holds(erratum):
    verdict = erratum.run_check()
    assert verdict.passed, verdict
    assert verdict.detail


@pytest.mark.parametrize("erratum", ERRATA)
def test_an_erratum_states_what_is_printed_and_how_it_was_found(erratum):
    assert erratum.printed != erratum.correct
    assert erratum.place
    assert erratum.found


def test_every_identity_belongs_to_an_erratum():
    used = {erratum.values[0].check.get("identity") for erratum in ERRATA} - {None}
    assert used == set(IDENTITIES)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("value", {"value": "2*3", "printed": 6, "correct": 7}),
        ("order", {"printed": [1, 2, 3], "correct": [3, 2, 1]}),
        ("names", {"undefined": {"RZ5": "RSY5"}, "defines": ["RZ5"]}),
        ("schedule", {"table": "C.4", "precedence": ["303/401"]}),
        ("schedule", {"table": "C.10"}),
        ("tasks", {"table": "4.7", "printed": [129], "rules": ["first_link"]}),
        ("layers", {"tasks": "4.7", "count": "layers", "printed": 25, "correct": 27}),
    ],
)
def test_a_statement_that_is_right_as_printed_is_no_erratum(kind, data):
    assert not CHECKS[kind](data).passed


def test_expressions_are_arithmetic_only():
    assert evaluate("-2**3 + 1/2") == -7.5
    with pytest.raises(ValueError, match="arithmetic"):
        evaluate("__import__('os')")


def test_the_command_prints_all_errata():
    result = CliRunner().invoke(dynagen, ["report", "--errata", "--format", "json"])
    assert result.exit_code == 0, result.output
    papers = json.loads(result.output)["papers"]
    assert sum(len(paper["errata"]) for paper in papers) == len(ERRATA)
    assert all(erratum["passed"] for paper in papers for erratum in paper["errata"])


def test_a_robot_or_errata_is_required():
    for arguments in (["report"], ["report", "puma560", "--errata"]):
        assert CliRunner().invoke(dynagen, arguments).exit_code != 0
