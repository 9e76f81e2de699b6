"""The page and the description of an identification, as the command writes them."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynagen
from dynagen.apps.identification.charts import draw_forces
from dynagen.apps.identification.identification import identify
from dynagen.apps.identification.link_parameters import make_link_parameters
from dynagen.apps.identification.page import build_identification_page
from dynagen.apps.identification.physical_links import compute_eigenvalues
from dynagen.apps.identification.predictions import ABOVE_100
from dynagen.apps.identification.report import print_identification
from dynagen.cli.main import main
from dynagen.report.console import make_console
from dynagen.report.page import mark_code
from tests.support.chromium import page_after_scripts
from tests.support.page_elements import PageElements
from tests.support.simulated_logs import (
    SMALL_ARM,
    model_of,
    random_motion,
    simulated_log,
    write_log,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("identified")
    (folder / "arm.yaml").write_text(SMALL_ARM)
    for seed in (3, 8):
        write_log(folder / f"log{seed}.csv", simulated_log(model_of(), seed=seed, noise=0.3))
    return folder


@pytest.fixture(scope="module")
def written(folder: Path) -> Path:
    """What the command wrote: identified.yaml and page.html."""
    logs = [str(folder / "log3.csv"), "--validate", str(folder / "log8.csv")]
    rules = [
        "--friction",
        "viscous,coulomb,offset",
        "--estimator",
        "physical",
        "--essential",
        "test",
    ]
    out = [
        "-o",
        str(folder / "identified.yaml"),
        "--html",
        str(folder / "page.html"),
        "--format",
        "none",
    ]
    main(["identify", str(folder / "arm.yaml"), *logs, *rules, *out])
    return folder


@pytest.mark.slow
def test_description_is_a_robot_that_can_be_built_and_predicts_the_forces(written: Path) -> None:
    robot = dynagen.load_robot(written / "identified.yaml")
    links = make_link_parameters(robot)
    standard = np.array([float(each) for each in links.described])
    assert all(each[0] > 0 for each in compute_eigenvalues(links, standard).values())
    assert not robot.warnings
    model, functions = model_of(), dynagen.load(robot)
    q, qd, qdd = random_motion(11, 3).at(np.linspace(0, 10, 100))
    forces = functions.inverse_dynamics(q, qd, qdd) + functions.friction_forces(qd)
    expected = model.compute_regressor(q, qd, qdd) @ model.described_values
    assert_allclose(forces, expected, atol=0.02 * np.abs(expected).max())
    head = (written / "identified.yaml").read_text()
    assert "# Of all physically consistent links with the base parameters below" in head
    assert re.search(r"#   upper_arm\.mx = [0-9.]+ \+- [0-9.e-]+ kg m\n", head)
    assert re.search(
        r"#   \w+\.offset = 0: .* deviations from zero; .* all \d+ dropped parameters \(F = ",
        head,
    )
    assert "log3.csv, estimator physical" in robot.source


@pytest.mark.tools
def test_what_cannot_be_built_is_told_and_what_can_is_written(folder: Path, run) -> None:
    """The log is of a slide whose centre of mass is far outside of what its inertia allows."""
    truth = model_of().described_values.copy()
    truth[[each.name for each in model_of().parameters].index("slide.mx")] = 30.0
    write_log(folder / "wrong.csv", simulated_log(model_of(), seed=3, noise=0.3, truth=truth))
    arguments = [
        "identify",
        folder / "arm.yaml",
        folder / "wrong.csv",
        "--despite-faults",
        "--format",
        "json",
        "-o",
    ]
    status, out, err = run(*arguments, folder / "possible.yaml")
    report = json.loads(out)
    assert status == 0
    assert re.search(
        r"warning: no physically consistent links have these base parameters: .* --estimator "
        r"physical are written instead",
        err,
    )
    assert (report["estimator"], report["written"]["estimator"]) == ("weighted", "physical")
    residuals = [
        each["fit"]["relative_residual_percent"][0] for each in (report, report["written"])
    ]
    assert residuals[0] < residuals[1]
    robot = dynagen.load_robot(folder / "possible.yaml")
    standard = np.array([float(each) for each in make_link_parameters(robot).described])
    assert all(
        each[0] > 0 for each in compute_eigenvalues(make_link_parameters(robot), standard).values()
    )
    status, out, err = run(*arguments, folder / "exact.yaml", "--base-parameters")
    assert (status, json.loads(out)["written"]["estimator"]) == (0, "weighted")
    assert "no physically consistent links" not in err


@pytest.mark.tools
def test_page_has_every_joint_parameter_and_reason_and_is_small(written: Path) -> None:
    page = (written / "page.html").read_text()
    assert len(page) < 400_000  # with the samples for zooming
    assert page.count("</h3>") == 2 * 3  # joints of the log and of the one that was held out
    elements = PageElements(page)
    assert all(reference.startswith("#") for reference in elements.references)
    assert elements.count["svg"] == page.count("</h3>")
    assert {
        "force in N m",
        "residual in N m",
        "t in s",
        "frequency in Hz",
        "density in N/√Hz",
    } <= set(elements.texts)
    assert (
        elements.texts.count("measured")
        == elements.texts.count("predicted")
        == elements.count["svg"]
    )
    for each in model_of(friction=("viscous", "coulomb", "offset")).parameters:
        assert f'<th scope="row">{each.name}</th>' in page
    assert "dropped: " in page
    assert '<details class="log" open>\n<summary>held out: log8.csv' in page
    assert "has condition" in page
    assert "eigenvalues" in page
    assert "nearest to the description. Every pseudo-inertia" in " ".join(page.split())
    assert "prefers-color-scheme: dark" in page
    assert "http" not in page.replace("http-equiv", "")  # it needs nothing else


@pytest.mark.tools
@pytest.mark.parametrize("width", [390, 1280])
def test_page_fits_a_telephone_and_a_desk(written: Path, width: int, tmp_path: Path) -> None:
    measuring = (
        "<script>document.title = [innerWidth, "
        "document.documentElement.scrollWidth].join()</script></body>"
    )
    copy = tmp_path / "measured.html"
    copy.write_text(
        (written / "page.html")
        .read_text()
        .replace("</body>", measuring)
        .replace('<details class="log">', '<details class="log" open>')
    )
    found = re.search(r"<title>(\d+),(\d+)</title>", page_after_scripts(copy, width=width))
    assert found
    inner, content = map(int, found.groups())
    assert inner <= max(width, 500)
    assert content <= inner


@pytest.mark.slow
def test_residuals_of_the_description_above_100_percent_are_explained(folder: Path) -> None:
    found = identify(model_of(), str(folder / "log3.csv"))
    (fit,) = found.fit
    for factor, explained in ((1.0, False), (-0.0004, False), (-0.5, True)):
        worse = replace(found, fit=(replace(fit, described=factor * fit.samples.tau),))
        console = make_console()
        with console.capture() as captured:
            print_identification(console, worse)
        assert (
            (ABOVE_100 in captured.get())
            == (mark_code(ABOVE_100) in build_identification_page(worse))
            == explained
        )


@pytest.mark.slow
def test_text_of_users_is_escaped(folder: Path) -> None:
    hostile = SMALL_ARM.replace("name: small_arm", 'name: "<script>alert(1)</script>"')
    found = identify(hostile, str(folder / "log3.csv"))
    page = build_identification_page(found)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert "pseudo-inertia" not in page  # no links were asked for
    assert "nearest to the description" in build_identification_page(found, found.robot)
    assert "other base parameters, because 3 &lt; 2." in build_identification_page(
        found, found.robot, "3 < 2"
    )


def test_a_command_that_cannot_write_all_writes_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robot, log, before = (
        str(folder / "arm.yaml"),
        str(folder / "log3.csv"),
        sorted(folder.iterdir()),
    )
    for given, message in (
        (
            ["-o", str(folder / "new.urdf"), "--html", str(folder / "new.html")],
            "a file name that ends in .yaml or .yml",
        ),
        (["--base-parameters"], "--base-parameters changes what -o writes: add -o FILE"),
        (["-o", str(folder / "none" / "new.yaml")], "cannot write"),
    ):
        with pytest.raises(SystemExit) as stopped:
            main(["identify", robot, log, "--format", "none", *given])
        assert stopped.value.code == 2
        assert message in capsys.readouterr().err
    assert sorted(folder.iterdir()) == before


@pytest.mark.slow
def test_base_parameters_alone_are_written_when_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "base.yaml"
    main(
        [
            "identify",
            str(folder / "arm.yaml"),
            str(folder / "log3.csv"),
            "--base-parameters",
            "-o",
            str(out),
        ]
    )
    said = capsys.readouterr().out.replace("\n", "")
    assert f"Written to {out}" in said
    (counts,) = re.findall(
        r"Inverse dynamics requires (\d+) operations \(as described: (\d+)\)", said
    )
    robots = dynagen.load_robot(out), dynagen.load_robot(folder / "arm.yaml")
    assert [int(count) for count in counts] == [
        dynagen.generate(robot, verify=False).functions[0].operations.total for robot in robots
    ]
    found = identify(model_of(), str(folder / "log3.csv"))
    links = make_link_parameters(dynagen.load_robot(out))
    assert_allclose(
        links.described_base, found.estimate.values[: len(links.base)], rtol=1e-11, atol=1e-13
    )
    assert "are not physical bodies" in out.read_text()


def test_figure_of_forces_shows_what_is_measured_under_what_is_predicted_and_lines_of_spectra() -> (
    None
):
    t = np.arange(4000) / 200
    measured = np.sin(2 * np.pi * 10 * t) + 1e-3 * np.random.default_rng(2).normal(size=len(t))
    forces, residual, spectra = draw_forces("N m", t, measured, 0.5 * measured).axes
    wide, narrow = forces.lines[:2]
    assert (wide.get_label(), narrow.get_label()) == ("measured", "predicted")
    assert wide.get_linewidth() >= 3 * narrow.get_linewidth()
    assert residual.lines[0].get_ydata().max() == pytest.approx(0.5, rel=0.01)
    for line in spectra.lines:
        assert line.get_xdata()[np.argmax(line.get_ydata())] == pytest.approx(10, abs=0.2)
    assert spectra.get_ylim()[0] == pytest.approx(1e-5 * spectra.get_ylim()[1])


ZOOMING = """<script>
const log = document.querySelector("details[open]");
const svg = log.querySelector("svg"), box = svg.querySelector(".zoom-box").getBoundingClientRect();
svg.setPointerCapture = () => {};
const fire = (type, part) => svg.dispatchEvent(new PointerEvent(type,
  { clientX: box.x + part * box.width, clientY: box.y + 5, button: 0 }));
const line = svg.querySelector(".zoom-measured path"), whole = line.getAttribute("d");
fire("pointerdown", 0.25); fire("pointerup", 0.5);
const zoomed = line.getAttribute("d");
const ticks = [...log.querySelectorAll("figure:last-of-type .ticks text")]
  .map((text) => text.textContent);
fire("dblclick", 0.5);
document.title = [zoomed !== whole, ticks.join(" "), line.getAttribute("d") === whole].join("|");
</script></body>"""


@pytest.mark.tools
def test_the_charts_of_a_log_are_zoomed_together(written: Path, tmp_path: Path) -> None:
    """The log takes 20 s; a quarter of it is selected in the first chart, and seen in the last."""
    copy = tmp_path / "zoomed.html"
    copy.write_text((written / "page.html").read_text().replace("</body>", ZOOMING))
    assert "<title>true|6 7 8 9 t in s|true</title>" in page_after_scripts(copy)


def test_options_and_words_in_backticks_are_code_in_a_page() -> None:
    marked = mark_code(
        "Try `dynagen check <a>` or --friction viscous, not a-b--c & --- or -- alone"
    )
    assert marked == (
        "Try <code>dynagen check &lt;a&gt;</code> or <code>--friction</code> viscous, "
        "not a-b--c &amp; --- or -- alone"
    )
