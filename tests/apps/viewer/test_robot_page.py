"""`dynagen check ROBOT --html`: a page that works alone and agrees with the reference."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import dynagen
from dynagen.verification.reference import make_references
from tests.support.chromium import page_after_scripts

HOSTILE = "</script><script>alert(1)</script><!--'&"
MOVE_FIRST = """<script type="module">
const slider = document.getElementById("slider0");
slider.value = 0.7;
slider.dispatchEvent(new Event("input"));
slider.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", cancelable: true }));
</script></body>"""


def shown_forces(dom: str) -> list[float]:
    """The gravity forces that a page shows."""
    return [float(text) for text in re.findall(r'id="force\d+">([-\d.]+) ', dom)]


def gravity_forces(robot, q):
    newton_euler, _ = make_references(robot)
    rest = np.zeros(newton_euler.degrees_of_freedom)
    return newton_euler.compute_inverse_dynamics(np.array(q), rest, rest)


@pytest.mark.slow
@pytest.mark.tools
@pytest.mark.parametrize(
    ("name", "q"),
    [
        ("two_arm", [0.3, -0.2, 0.5, 0.1, -0.4, 0.6, 0.2]),
        ("stanford", [0.3, 0.5, 0.2, 0.1, 0.4, 0.2]),
    ],
)
def test_torques_on_the_page_are_those_of_the_reference(run, tmp_path, name, q):
    robot = dynagen.load_robot(name)
    status, out, _ = run("check", name, "--html", "page.html")
    assert (status, "Written to page.html" in out) == (0, True)
    dom = page_after_scripts(tmp_path / "page.html", f"q={','.join(map(str, q))}")
    np.testing.assert_allclose(shown_forces(dom), gravity_forces(robot, q), atol=6e-5)
    assert 'class="main-svg"' in dom  # plotly has drawn
    assert "scatter3d" in dom
    assert (
        "Share chart" not in dom.rsplit("</script>", 1)[1]
    )  # plotly's button that sends charts away


HALF_WAY = """<script type="module">
const timeline = document.getElementById("timeline");
timeline.value = 0.5;
timeline.dispatchEvent(new Event("input"));
</script></body>"""


@pytest.mark.slow
@pytest.mark.tools
def test_the_page_plays_a_motion(run, tmp_path):
    (tmp_path / "motion.csv").write_text("q3,t,q2,q1,qd1\n0,0,0,0,9\n0.4,1,-0.6,0.2,9\n")
    status, _, err = run("check", "planar3", "--html", "page.html", "--motion", "motion.csv")
    assert (status, err) == (0, "")
    page = tmp_path / "page.html"
    page.write_text(page.read_text(encoding="utf-8").replace("</body>", HALF_WAY), encoding="utf-8")
    dom = page_after_scripts(page)
    expected = gravity_forces(dynagen.load_robot("planar3"), [0.1, -0.3, 0.2])
    np.testing.assert_allclose(shown_forces(dom), expected, atol=6e-5)
    assert ">0.50 s</output>" in dom
    assert 'id="controls" hidden' not in dom


IN_DEGREES = """<script type="module">
openMotion("time_ms; Q1 [deg]; q2_mrad; q3_rad\\n0;0;0;0\\n1000;90;-600;0.4");
timeline.value = 1;
timeline.dispatchEvent(new Event("input"));
</script></body>"""


@pytest.mark.slow
@pytest.mark.tools
def test_the_page_plays_a_file_in_degrees_and_milliseconds(run, tmp_path):
    run("check", "planar3", "--html", "page.html")
    page = tmp_path / "page.html"
    text = page.read_text(encoding="utf-8")
    # The script of the page is a module, whose names only its own text can use.
    script = IN_DEGREES.split("\n", 1)[1].removesuffix("</script></body>")
    head, tail = text.rsplit("</script>", 1)
    page.write_text(f"{head}{script}</script>{tail}", encoding="utf-8")
    dom = page_after_scripts(page)
    expected = gravity_forces(dynagen.load_robot("planar3"), [np.pi / 2, -0.6, 0.4])
    np.testing.assert_allclose(shown_forces(dom), expected, atol=6e-5)
    assert ">1.00 s</output>" in dom


@pytest.mark.tools
def test_a_motion_in_degrees_is_played_in_radians(run, tmp_path):
    (tmp_path / "motion.csv").write_text("time_ms,q1_deg,q2,q3\n0,0,0,0\n500,90,0,0\n")
    assert run("check", "planar3", "--html", "page.html", "--motion", "motion.csv")[0] == 0
    assert r"t,q1,q2,q3\n0,0,0,0\n0.5,1.5708,0,0" in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t,q1,q2\n0,0,0\n1,0,0\n", "no column q3; expected t,q1,q2,q3, found t,q1,q2"),
        ("t,q1,q2,q3\n0,0,0,0\n", "expected at least two rows of finite numbers"),
        ("t,q1,q2,q3\n0,0,0,0\n1,x,0,0\n", "row 2: q1 is not a number"),
        ("", "motion.csv is empty: expected a line of names such as t,q1,q2,q3"),
    ],
)
def test_a_motion_that_does_not_fit_is_refused(run, tmp_path, text, message):
    (tmp_path / "motion.csv").write_text(text)
    status, _, err = run("check", "planar3", "--html", "page.html", "--motion", "motion.csv")
    assert status == 2
    assert message in err
    assert not (tmp_path / "page.html").exists()


def test_a_motion_needs_a_page(run, tmp_path):
    (tmp_path / "motion.csv").write_text("t,q1,q2,q3\n0,0,0,0\n1,0,0,0\n")
    status, _, err = run("check", "planar3", "--motion", "motion.csv")
    assert (status, "--motion requires a page that plays it; add --html" in err) == (2, True)


@pytest.mark.slow
@pytest.mark.tools
def test_a_humanoid_is_drawn_and_its_sliders_move_it(run, tmp_path):
    run("check", "g1", "--html", "page.html")
    page, robot = tmp_path / "page.html", dynagen.load_robot("g1")
    page.write_text(
        page.read_text(encoding="utf-8").replace("</body>", MOVE_FIRST), encoding="utf-8"
    )
    low, high = np.array(
        [link.limits.position for link in robot.links if link.joint.nv], dtype=float
    ).T
    q = np.clip(
        np.random.default_rng(3).uniform(-0.5, 0.5, 29).round(2), low, high
    )  # sliders end there
    dom = page_after_scripts(page, f"q={','.join(map(str, q))}")
    q[0] = 0.7 + (high[0] - low[0]) / 100  # an arrow key is a hundredth of the range
    np.testing.assert_allclose(shown_forces(dom), gravity_forces(robot, q), atol=6e-5)
    assert 'class="main-svg"' in dom


@pytest.mark.slow
@pytest.mark.tools
def test_a_floating_base_has_sliders_of_its_pose(run, tmp_path):
    (tmp_path / "craft.yaml").write_text(
        "name: craft\ngravity: [0, 0, -9.81]\nlinks:\n"
        "  - {name: body, joint: floating, mass: 2, com: [0.1, 0, 0], inertia: [1, 1, 1]}\n"
        "  - {name: arm, joint: revolute, axis: [0, 1, 0], mass: 1, com: [0.5, 0, 0], "
        "inertia: [0.1, 0.1, 0.1]}\n"
    )
    run("check", "craft.yaml", "--html", "page.html")
    dom = page_after_scripts(tmp_path / "page.html", "q=1,2,3,0,0.3,0,0.4")
    q = [1, 2, 3, 0, np.sin(0.15), 0, np.cos(0.15), 0.4]
    np.testing.assert_allclose(
        shown_forces(dom), gravity_forces(dynagen.load_robot(tmp_path / "craft.yaml"), q), atol=6e-5
    )
    assert "body pitch" in dom


@pytest.mark.tools
def test_no_name_runs_as_a_script(run, tmp_path):
    quoted = HOSTILE.replace("'", "''")
    (tmp_path / "hostile.yaml").write_text(
        f"name: '{quoted}'\nsource: '{quoted}'\ngravity: [0, 0, -9.81]\nlinks:\n"
        f"  - {{name: '{quoted}', joint: revolute, axis: [0, 1, 0], mass: 1, com: [90, 0, 0], "
        "inertia: [1, 1, 1]}\n"
        f"frames:\n  - {{name: '{quoted}', link: '{quoted}', xyz: [1, 0, 0], rpy: [0, 0, 0]}}\n"
    )
    status, _, error = run("check", "hostile.yaml", "--html", "page.html")
    assert status == 0, error
    dom = page_after_scripts(tmp_path / "page.html", "q=0.5")
    np.testing.assert_allclose(shown_forces(dom), [-90 * 9.81 * np.cos(0.5)], atol=6e-5)
    tags: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: tags.append(tag)
    parser.feed(dom)
    assert tags.count("script") == 2  # plotly, and the page's own


@pytest.mark.tools
def test_warnings_stand_beside_their_link(run, tmp_path):
    run("check", "puma_saha", "--html", "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert re.search(
        r'<tr class="warned"><th scope="row">waist</th>.*?</tr>\s*'
        r'<tr class="warned"><td colspan="6"><div>inertia about',
        text,
        re.S,
    )
    assert not re.search(r'(src|href)="', text.split("<script>")[0])


def test_plotly_is_asked_for_by_name(run, monkeypatch, tmp_path):
    monkeypatch.setattr("dynagen.resources.find_spec", lambda module: None)
    status, _, error = run("check", "planar3", "--html", "page.html")
    assert (status, "pip install 'dynagen[view]'" in error) == (3, True)
    assert not list(tmp_path.iterdir())
