"""`dynagen report`: our counts beside those of others, as text, JSON and a page."""

from __future__ import annotations

import json
import re
from pathlib import Path

from dynagen.apps.literature.comparison import compare, compared_functions
from dynagen.apps.literature.comparison_page import comparisons_html
from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import Settings
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.options import make_reading_options
from tests.support.page_elements import PageElements

HOSTILE = "<script>alert(1)</script>"


def test_a_comparison_of_several_functions_is_one_table_of_the_cheapest_sources(run) -> None:
    output = run("report", "stanford_listing_3dof", "--compare", "--jobs", "1")[1]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in output.splitlines()
        if line.startswith("| ") and "_dynamics" in line
    ]
    assert [row[0] for row in rows] == ["inverse_dynamics", "forward_dynamics"]
    assert all(float(row[3]) == round(int(row[2]) / int(row[1]), 2) > 1 for row in rows)
    assert "Pass by pass" not in output
    assert len(output.splitlines()) < 15


def test_text_shows_ours_first_and_the_others_by_cost(run) -> None:
    output = run("report", "stanford_listing_3dof", "--compare", "-v", "--jobs", "1")[1]
    totals = [
        int(total)
        for total in re.findall(r"\|\s+0 \|\s+(\d+) \|", output.partition("Pass by pass")[0])
    ]
    assert totals[0] > totals[1]
    assert totals[2:] == sorted(totals[2:])
    assert "Murray and Neuman 1988" in output
    assert "incomplete model" in output
    assert (
        "Erratum, Dhanaraj 1990: the code in Appendix D leaves out the linear acceleration"
        in output
    )
    assert "C. Dhanaraj: M.Eng. thesis, Memorial University of Newfoundland, 1990" in output


def test_published_algorithms_are_counted_on_any_robot_that_they_cover() -> None:
    text = (
        Path(load_robot("stanford_listing").path)
        .read_text(encoding="utf-8")
        .replace("4.25", "4.26", 1)
    )
    changed = parse_robot(text, "changed.yaml")
    (comparison,) = compare(changed, ("inverse_dynamics",), ("none",), Settings(), rivals=True)
    counted = {entry.label: entry.total for entry in comparison.others if entry.kind == "recursion"}
    assert (
        counted["Newton-Euler, conventional"]
        > counted["Newton-Euler, reformulated"]
        > comparison.ours[0].total
    )
    assert not any("Turney" in label for label in counted)  # whose text knows no prismatic joints
    assert {"inverse_dynamics", "forward_dynamics"} == set(compared_functions(changed))


def test_json_has_the_counts_of_the_emitted_code(run) -> None:
    output = json.loads(run("report", "planar3", "-f", "mass_matrix", "--format", "json")[1])
    emitted = generate(
        load_robot("planar3"), Settings(functions=("mass_matrix",), verify=False)
    ).functions[0]
    described, default = output["functions"]["mass_matrix"]["ours"]
    assert output["robot"] == "planar3"
    assert default["total"] == emitted.operations.total < described["total"]
    assert output["functions"]["mass_matrix"]["others"] == []
    descent = [step["total"] for step in output["functions"]["mass_matrix"]["descent"]]
    assert descent[-1] == emitted.operations.total
    assert len(descent) == len(
        [1 for before, after in zip([0, *descent], descent, strict=False) if before != after]
    )


def test_errata_stand_with_the_figures_that_they_touch(run, tmp_path: Path) -> None:
    output = run("report", "stanford_listing_3dof", "--compare", "--format", "json")[1]
    errata = {
        entry["label"]: entry["erratum"]
        for entry in json.loads(output)["functions"]["inverse_dynamics"]["others"]
    }
    assert [label for label, erratum in errata.items() if erratum] == ["Dhanaraj 1990"]
    page = tmp_path / "report.html"
    assert (
        run("report", "stanford_listing_3dof", "--compare", "--format", "json", "--html", page)[1]
        == output
    )
    erratum = errata["Dhanaraj 1990"].replace("'", "&#39;")
    assert f"Erratum: {erratum}." in page.read_text(encoding="utf-8")


def test_a_page_of_several_functions_begins_with_all_of_them(run, tmp_path: Path) -> None:
    run(
        "report",
        "planar3",
        "-f",
        "gravity_forces",
        "-f",
        "mass_matrix",
        "--compare",
        "--html",
        tmp_path / "page.html",
    )
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    elements = PageElements(page)
    assert elements.references[:2] == ["#gravity_forces", "#mass_matrix"]
    assert {reference[1:] for reference in elements.references} <= elements.targets
    assert elements.count["svg"] == 2 * 2  # counts, and the descent
    assert re.search(
        r"^td\.number, td\.change \{ white-space: nowrap;", page, re.MULTILINE
    )  # or telephones show `28 0`


def test_the_page_needs_nothing_else_and_closes_what_it_opens(run, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    output = run("report", "stanford_listing_3dof", "--compare", "--html", page)[1]
    assert output.endswith(f"\nWritten to {page}\n")
    text = page.read_text(encoding="utf-8")
    elements = PageElements(text)
    assert elements.needs_nothing_else
    assert {"svg", "table", "style"} <= elements.count.keys()
    assert "http" not in text
    counts = run("report", "stanford_listing_3dof", "--compare", "--format", "json")[1]
    entries = json.loads(counts)["functions"]["inverse_dynamics"]
    for entry in (*entries["ours"], *entries["others"]):  # a bar for each, with its count
        assert any(seen.startswith(f"{entry['total']} (") for seen in elements.texts)
    assert {"paper", "textbook recursion"} <= set(elements.texts)


def test_matplotlib_is_required_for_the_page_alone(run, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr("dynagen.resources.find_spec", lambda module: None)
    status, out, error = run("report", "pendulum", "--html", "page.html")
    assert (status, out, "pip install 'dynagen[view]'" in error) == (3, "", True)
    assert not list(tmp_path.iterdir())
    status, out, _ = run("report", "pendulum")
    assert (status, "Pass by pass" in out) == (0, True)


def test_names_of_a_description_cannot_write_html() -> None:
    text = (Path(load_robot("planar3").path).read_text(encoding="utf-8")).replace(
        "name: planar3", f'name: "{HOSTILE}"', 1
    )
    description = parse_robot(text, "hostile.yaml")
    comparisons = compare(description, ("gravity_forces",), ("none",), Settings(), rivals=True)
    page = comparisons_html(description, comparisons)
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page


def test_figures_are_for_the_bundled_numbers_only() -> None:
    bundled = load_robot("puma560")
    text = Path(bundled.path).read_text(encoding="utf-8")
    changed = parse_robot(text.replace("17.40", "17.50", 1), "puma560.yaml")
    assert "mass_matrix" in compared_functions(bundled)
    part = load_robot("puma560", make_reading_options(lock={"wrist_3": 0}))
    for other in (changed, part):
        assert set(compared_functions(other)) == {
            "inverse_dynamics",
            "forward_dynamics",
            "forward_dynamics_without_bias",
        }  # by the formulas for any robot


def test_a_file_that_cannot_be_written_is_an_error_of_the_user(run, tmp_path: Path) -> None:
    status, _, error = run("report", "pendulum", "--html", tmp_path / "none" / "page.html")
    assert status == 2
    assert "cannot write" in error
    assert "--html" in error
