"""`dynagen schedule`: table, JSON, page, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dynagen.apps.scheduling.decomposition import LinkShape, decompose
from dynagen.apps.scheduling.methods import METHODS
from dynagen.apps.scheduling.page import study_html
from dynagen.apps.scheduling.study import study
from dynagen.codegen.cores.schedule import make_processors
from dynagen.codegen.cores.tasks import Task, TaskGraph
from dynagen.ir.cost import FLOPS
from dynagen.robot.loading import load_robot
from tests.support.page_elements import PageElements

HOSTILE = "<script>alert(1)</script>"


def answer(run, *arguments: object) -> dict:
    status, out, err = run("schedule", *arguments, "--format", "json")
    assert (status, err) == (0, "")
    return json.loads(out)


def test_json_of_the_subtasks_of_the_thesis(run) -> None:
    found = answer(run, "general6", "--tasks", "thesis", "--grain", "3", "--processors", "1..13")
    assert (found["tasks"], found["layers"], found["concurrency"]) == (230, 27, 13)
    assert list(found["schedules"]) == [str(count) for count in range(1, 14)]
    assert found["schedules"]["8"] == {
        "length": 30,
        "bound": 30,
        "optimal": True,
        "speedup": 7.6667,
        "efficiency": 0.9583,
    }
    assert found["published"] == {
        "Dhanaraj (1990)": {
            "2": 116,
            "3": 78,
            "4": 58,
            "5": 47,
            "6": 39,
            "7": 34,
            "8": 31,
            "9": 30,
            "13": 27,
        }
    }
    ends = {task: start + 1 for task, _, start in found["placements"]["2"]}
    assert len(ends) == len(found["graph"]) == 230
    assert max(ends.values()) == 115
    assert all(
        ends[before] < ends[each["task"]] for each in found["graph"] for before in each["after"]
    )
    assert {unit for _, unit, _ in found["placements"]["2"]} == {0, 1}
    assert next(each for each in found["graph"] if each["task"] == "129") == {
        "task": "129",
        "duration": 1,
        "after": [],
        "layers": [1, 26],
        "slack": 25,
    }


def test_json_of_the_stanford_arm_by_the_rules_and_as_printed(run) -> None:
    rules = answer(run, "stanford", "--tasks", "thesis", "--processors", "2")
    printed = answer(run, "stanford", "--tasks", "printed", "--processors", "2,6")
    assert (rules["tasks"], rules["schedules"]["2"]["length"]) == (153, 77)
    assert "there are 152 tasks" in rules["notes"][0]
    assert printed["tasks"] == 156
    assert [each["length"] for each in printed["schedules"].values()] == [78, 27]


def test_json_of_a_program_on_processors_and_on_units(run) -> None:
    fine = answer(run, "planar3", "--processors", "1,4")
    coarse = answer(run, "planar3", "--processors", "4", "--grain", "3")
    assert (
        fine["work"]
        == fine["tasks"]
        == fine["schedules"]["1"]["length"]
        == coarse["work"]
        > coarse["tasks"]
    )
    assert fine["unit"] == FLOPS.name
    pipeline = answer(run, "planar3", "--units", "mul=1,add=2", "--cost", "mul=2.5,add=1")
    (on_units,) = pipeline["schedules"].items()
    assert on_units[0] == "mul=1,add=2"
    assert on_units[1]["length"] >= pipeline["critical_path"]
    assert any(isinstance(start, float) for _, _, start in pipeline["placements"]["mul=1,add=2"])


def test_handing_over_is_in_the_unit_of_the_cost(run) -> None:
    whole = answer(run, "planar3", "--processors", "3", "--handover", "2", "--method", "list")
    halves = answer(
        run,
        "planar3",
        "--processors",
        "3",
        "--handover",
        "1",
        "--method",
        "list",
        "--cost",
        "mul=0.5,add=0.5,div=0.5",
    )
    assert (
        whole["schedules"]["3"]["length"]
        == 2 * halves["schedules"]["3"]["length"]
        > whole["critical_path"]
    )


def test_the_table_tells_what_is_proved(run) -> None:
    status, out, _ = run("schedule", "scara", "--processors", "2..3")
    assert status == 0
    assert "| 2          |     13 |    13 |    yes |" in out
    assert "critical path 7" in out


def test_the_page_stands_by_itself_and_has_a_box_for_every_task(run, tmp_path: Path) -> None:
    status, out, _ = run(
        "schedule", "stanford", "--tasks", "thesis", "--processors", "1..4", "--html", "page.html"
    )
    assert status == 0
    assert out.endswith("Written to page.html\n")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    elements = PageElements(page)
    assert elements.needs_nothing_else
    assert "http" not in page
    assert elements.count["svg"] == 1 + 4 + 1  # curves, Gantt charts, the graph
    assert len(re.findall(r"<title>\d+ \(link \d\)", page)) == 153 * 5
    assert {
        "processor 1",
        "processor 4",
        "speed-up",
        "efficiency in %",
        "levels of 3 operations",
    } <= set(elements.texts)
    assert "dynagen: 3.92 at 4" in elements.texts  # the tooltip of a point
    for source in (
        "Luh and Lin (1982)",
        "Kasahara and Narita (1985)",
        "Chen, Lee and Hou (1988)",
        "Dhanaraj (1990)",
    ):
        assert source in page


def test_text_of_a_description_cannot_break_the_page() -> None:
    graph = TaskGraph(
        "test", (Task(HOSTILE, 1, group=HOSTILE, label=HOSTILE), Task("b", 2, (0,), (1,)))
    )
    page = study_html(
        study(
            load_robot("pendulum"),
            HOSTILE,
            graph,
            [make_processors(1), make_processors(2)],
            notes=(HOSTILE,),
        )
    )
    elements = PageElements(page)
    assert elements.needs_nothing_else
    assert HOSTILE in elements.texts
    assert HOSTILE not in page


def test_a_page_of_nothing_to_do_and_of_very_much() -> None:
    pendulum = load_robot("pendulum")
    PageElements(
        study_html(
            study(
                pendulum,
                "nothing",
                TaskGraph("nothing", ()),
                [make_processors(1), make_processors(2)],
            )
        )
    )
    large = decompose([LinkShape()] * 60)
    page = study_html(
        study(
            pendulum,
            "large",
            large,
            [make_processors(count) for count in (1, 4, 8, 16, 20)],
            METHODS[2],
        )
    )
    assert PageElements(page).count["details"] == 1  # only the schedule that is best used is drawn
    assert "Dependences of tasks" not in page


def test_matplotlib_is_required_for_the_page_alone(run, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr("dynagen.resources.find_spec", lambda module: None)
    status, out, error = run(
        "schedule", "planar3", "--processors", "2", "--method", "list", "--html", "page.html"
    )
    assert (status, out, "pip install 'dynagen[schedule]'" in error) == (3, "", True)
    assert not list(tmp_path.iterdir())
    status, out, _ = run("schedule", "planar3", "--processors", "2", "--method", "list")
    assert (status, "| 2 " in out) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--processors", "0"), "expected 1 to 1024 processors, found 0"),
        (("--processors", "-3"), "expected 1 to 1024 processors, found -3"),
        (("--processors", "1..x"), "expected for example 4, 2,4,8 or 1..13, found '1..x'"),
        (("--processors", "5..2"), "5..2 is descending; write 2..5"),
        (("--processors", "1..500"), "at most 64 schedules at once, found 500"),
        (("--grain", "0"), "--grain: expected a number above zero, found '0'"),
        (
            ("--grain", "0.5"),
            "expected a grain of at least 1, the cost of one mul in the cost model flops",
        ),
        (("--grain", "three"), "--grain: expected a number above zero, found 'three'"),
        (("--units", "mul=2"), "operations without a unit: add"),
        (("--units", "mul=2", "--processors", "2"), "exclude each other"),
        (("--units", "mul=2", "--grain", "3"), "units run single operations: omit --grain"),
        (("--units", "mul=2", "--handover", "3"), "units share their registers"),
        (
            ("--tasks", "thesis", "--grain", "4"),
            "subtask of the thesis has 3 operations: omit --grain",
        ),
        (
            ("--tasks", "thesis", "-f", "mass_matrix"),
            "the thesis's subtasks compute inverse_dynamics only",
        ),
        (("--tasks", "thesis", "--units", "mul=2"), "use --processors instead of --units"),
        (("--tasks", "thesis", "--cost", "mul"), "takes one unit of time (a level): omit --cost"),
        (
            ("--tasks", "printed"),
            "the thesis prints no subtasks for planar3, only for stanford, stanford_listing",
        ),
        (("--friction", "all"), "add --tasks thesis"),
        (("-f", "all"), "expected one function, found all"),
        (("--html", "missing/page.html"), "cannot write missing/page.html"),
    ],
)
def test_what_cannot_be_scheduled_is_refused(run, arguments: tuple[str, ...], message: str) -> None:
    status, out, err = run("schedule", "planar3", *arguments)
    assert (status, out) == (2, "")
    assert message in err


def test_a_stanford_arm_of_ones_own_has_its_own_zeros(run, tmp_path: Path) -> None:
    _, text, _ = run("robots", "stanford")
    (tmp_path / "stanford.yaml").write_text(
        text.replace("com: [0, -0.0566, 0]", "com: [0, -0.0566, 0.01]"), encoding="utf-8"
    )
    found = answer(run, "stanford.yaml", "--tasks", "thesis", "--processors", "2")
    assert found["tasks"] == 155
    assert (found["notes"], found["published"]) == ([], {})
