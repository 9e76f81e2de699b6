"""`dynagen check`: values in the base frame, snapped numbers, and suspicious units."""

from __future__ import annotations

import re

import pytest

from dynagen.resources import find_robots_folder
from tests.support.urdf_robots import joint, link, robot

ARM = """
name: arm
convention: standard
gravity: [0, 0, -9.81]
parameters: {load: {value: 0.5, unit: kg, runtime: true}}
links:
  - name: base_link
    joint: revolute
    dh: {alpha: pi/2, a: 0, d: 0.3}
    mass: 4
    com: [0, -0.1, 0]
    inertia: [0.02, 0.01, 0.02]
    motor: {inertia: 0.7}
    limits: {position: [-pi, pi], velocity: 3, effort: 40}
  - name: upper
    joint: revolute
    dh: {alpha: 0, a: 0.5, d: 0}
    mass: 3
    com: [-0.25, 0, 0]
    inertia: [0.001, 0.06, 0.06]
    friction: {viscous: 0.25, coulomb: 2}
    limits: {position: [-2, 2], velocity: 3, effort: 40}
  - name: fore
    joint: prismatic
    dh: {alpha: 0, a: 0, theta: 0}
    mass: 1 + load
    com: [0, 0, 0.1]
    inertia: [0.01, 0.01, 0.001]
    limits: {position: [0, 0.3]}
frames:
  - {name: camera, link: upper, xyz: [0, 0.05, 0], rpy: [0, 0, pi/2]}
"""


@pytest.fixture
def check(run, tmp_path):
    """Check the arm with a part of its text replaced; return status, output and errors."""

    def check(old="", new="", *options):
        assert old in ARM
        (tmp_path / "arm.yaml").write_text(ARM.replace(old, new, 1) if old else ARM)
        return run("check", "arm.yaml", *options)

    return check


def rows(output, title):
    """The rows of the table under a title, by their first cells."""
    table = output[output.index(title) :].split("\n")[1:]
    cells = ([cell.strip() for cell in line.strip("| ").split("|")] for line in table)
    found = {}
    for line, words in zip(table, cells, strict=True):
        if not line.startswith(("|", "+")):
            break
        found[words[0]] = words[1:]
    return found


def test_errors_call_a_bundled_robot_by_its_name(run):
    status, _, err = run("check", "puma560", "--strict")
    assert status == 2
    assert "\npuma560:12: links" not in err
    assert "puma560:12: links[0] (waist): " in err


def test_a_tree_of_a_urdf_may_have_a_link_called_tool(run, tmp_path):
    pair = [
        joint(name, "base", name, '<origin rpy="0 1.5707963267948966 0"/>')
        for name in ("tool", "other")
    ]
    path = tmp_path / "pair.urdf"
    path.write_text(robot(link("base"), link("tool"), link("other"), *pair), encoding="utf-8")
    status, out, _ = run("check", path)
    assert status == 0
    assert "`tool` is the frame" not in out
    assert "read as" not in out


def test_frames_axes_and_centres_of_mass_are_those_in_the_base_frame(check):
    status, out, err = check()
    assert (status, err) == (0, "")
    assert (
        "arm: standard Denavit-Hartenberg, gravity 0 0 -9.81 m/s^2, total mass 8.5 kg, "
        "centre of mass " in out
    )
    frames = rows(out, "Link frames")
    assert frames["base_link"][:3] == [
        "base",
        "revolute",
        "0 0 1",
    ]  # the z axis of its frame is the next joint's
    assert frames["base_link"][3:] == ["0 0 0.3", "1 0 0", "0 0 1", "0 -1 0"]
    assert frames["upper"][:4] == ["base_link", "revolute", "0 -1 0", "0.5 0 0.3"]
    masses = rows(out, "Centres of mass")
    assert masses["upper"][:3] == ["3", "-0.25 0 0", "0.25 0 0.3"]
    assert masses["fore"][:3] == ["1.5", "0 0 0.1", "0.5 -0.1 0.3"]
    assert masses["upper"][4] == "0.14142"
    joints = rows(out, "Joints")
    assert joints["base_link"] == ["0 N m (0%)", "0.7", "-", "-3.1416 to 3.1416", "3", "40"]
    assert joints["upper"][0] == "14.715 N m (37%)"
    assert joints["upper"][2] == "viscous 0.25, coulomb 2"
    frames = rows(out, "Named frames")
    assert frames["tool (default)"] == ["fore", "0.5 0 0.3", "1 0 0", "0 0 1", "0 -1 0"]
    assert frames["camera"] == ["upper", "0.5 0 0.35", "0 0 1", "-1 0 0", "0 -1 0"]
    assert rows(out, "Run-time parameters")["load"] == ["0.5", "kg"]
    assert out.endswith("No warnings.\n")


def test_what_tool_is_on_a_tree_is_said(run):
    out = run("check", "two_arm")[1]
    assert (
        "note: `tool` is the frame of right_forearm, one of the tips left_forearm, right_forearm; "
        in out
    )


@pytest.mark.parametrize(
    ("old", "new", "line", "warning"),
    [
        (
            "    inertia: [0.001, 0.06, 0.06]\n",
            "",
            15,
            "`inertia` is missing and read as zero, a point mass: write inertia:",
        ),
        (
            "    com: [-0.25, 0, 0]\n",
            "",
            15,
            "`com` is missing and read as at the link's origin: write com: [0, 0, 0] to",
        ),
        (
            "    mass: 3\n",
            "",
            15,
            "the mass is missing and read as zero, so `com` has no effect: write the "
            "mass, or remove",
        ),
        (
            "0.001, 0.06, 0.06",
            "10, 600, 600",
            15,
            "radius of gyration 14.14 m, though the robot reaches 1.1 m: mass and inertia have ",
        ),
        (
            "com: [-0.25, 0, 0]",
            "com: [-250, 0, 0]",
            15,
            "centre of mass 250 m from the link's origin, though the robot reaches",
        ),
        (
            "mass: 3",
            "mass: 30000",
            15,
            "all links together have 3.001e+04 kg, more than a cube of stone as wide as the "
            "robot's reach",
        ),
        (
            "alpha: pi/2",
            "alpha: -90",
            9,
            "-90 rad is more than a full rotation: if it is in degrees, write deg(-90)",
        ),
        (
            "[-2, 2]",
            "[-115, 120]",
            22,
            "the limits are more than 2 rotations: if they are in degrees, write [deg(-115), "
            "deg(120)]",
        ),
        (
            "velocity: 3, effort: 40}\n  - name: fore",
            "velocity: 180}\n  - name: fore",
            22,
            "the limit is above 60 rad/s: if it is in degrees per second, write",
        ),
        (
            "mass: 4",
            "mass: -4",
            7,
            "mass -4 kg is negative, which is impossible for a body: remove the sign, unless ",
        ),
        (
            "0.02, 0.01, 0.02",
            "0.02, 0.01, 0.2",
            7,
            "(0.01 + 0.02 < 0.2 kg m^2), which is impossible for a body: check units, axes ",
        ),
        (
            "viscous: 0.25",
            "viscous: -0.25",
            15,
            "viscous friction -0.25 is negative, so that it drives the joint: remove",
        ),
    ],
)
def test_a_suspicious_number_is_warned_of_by_every_command_and_refused_by_strict(
    check, run, tmp_path, old, new, line, warning
):
    status, out, err = check(old, new)
    assert status == 0
    messages = err.splitlines()
    assert any(
        said.startswith(f"warning: arm.yaml:{line}: ") and warning in said for said in messages
    ), err
    assert "No warnings." not in out
    status, _, refused = check(old, new, "--strict")
    assert status == 2
    assert f"arm.yaml:{line}: " in refused
    assert warning in refused
    located = [said for said in messages if re.match(r"warning: arm\.yaml:\d", said)]
    for report in ("none", "json", "text"):
        words = (
            "arm.yaml",
            "--no-verify",
            "-f",
            "gravity_forces",
            "--format",
            report,
            "--out",
            "out",
        )
        status, _, err = run(*words)
        assert (status, err.splitlines()) == (0, located)
    assert run(*words, "--stale")[2].splitlines() == located
    assert run(*words, "--strict")[0] == 2


def test_a_joint_that_cannot_hold_the_arm_is_warned_of(check):
    status, _, err = check("effort: 40}\n  - name: fore", "effort: 10}\n  - name: fore")
    assert status == 0
    assert (
        "link upper: holding the robot at q = 0 requires 14.71 N m, 1.5 times the joint's effort "
        "limit: check masses" in err
    )
    assert check("effort: 40}\n  - name: fore", "effort: 10}\n  - name: fore", "--strict")[0] == 2


def test_verify_report_and_schedule_warn_and_refuse_alike(run, tmp_path):
    (tmp_path / "puma.yaml").write_text((find_robots_folder() / "puma560.yaml").read_text())
    warned = run("check", "puma.yaml")[2]
    assert warned.startswith("warning: puma.yaml:12: links[0] (waist): ")
    assert warned.count("warning: ") == 2
    run("puma.yaml", "-f", "gravity_forces", "--states", "50", "--out", "out", "--format", "none")
    for words in (
        ("report", "puma.yaml", "-f", "gravity_forces"),
        ("verify", "out", "puma.yaml", "--states", "50"),
    ):
        status, _, err = run(*words)
        assert (status, err) == (0, warned)
        assert run(*words, "--strict")[0] == 2
    assert run("schedule", "puma.yaml", "--strict")[0] == 2


def test_numbers_read_as_round_ones_are_listed_with_what_they_do_to_torques(check):
    _, out, _ = check("alpha: pi/2", "alpha: 1.5708")
    found = rows(out, "Snapped numbers")["links[0] (base_link).dh.alpha"]
    assert found[:2] == ["1.5708", "pi/2"]
    assert 1e-7 < float(found[2]) < 1e-5  # 1.5708 is 3.7e-6 rad from a right angle
    assert f"All snapped numbers together change joint forces by at most {found[2]} of" in out
    assert "Snapped numbers" not in check("alpha: pi/2", "alpha: 1.5708", "--snap", "0")[1]


def test_a_part_of_a_robot_is_shown(check):
    status, out, _ = check("", "", "--root", "base_link", "--tip", "upper", "--lock", "fore=0.1")
    assert status == 0
    assert "base_link" not in rows(out, "Joints: force")
    assert rows(out, "Named frames")["tool"][0] == "upper"
    assert (
        "note: 1 link with 1.5 kg is left out by root or tip, without effect on the other links: "
        "fore" in out
    )
    assert "dynagen: --lock: expected JOINT=VALUE" in check("", "", "--lock", "fore")[2]


def test_what_has_no_effect_on_any_force_is_noted(check):
    _, out, _ = check()
    assert "note: no joint force depends on the position of base_link" in out
    assert (
        "joint forces depend only on these sums of parameters, not on the single parameters: "
        in out
    )
    assert "base_link.Jyy + base_link.Ia" in out
