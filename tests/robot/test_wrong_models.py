"""Warnings about models that are valid, but probably wrong: units, placeholders, a fixed base."""

from pathlib import Path

import pytest

import dynagen
from dynagen.cli.main import main
from dynagen.errors import UsageError
from dynagen.robot.options import make_reading_options
from dynagen.runtime.api import as_description

BAR = '<inertia ixx="{0}" iyy="{0}" izz="{1}" ixy="0" ixz="0" iyz="0"/>'


def write_arm(
    folder: Path,
    inertias: tuple[str, str] = ("0.01 0.001", "0.02 0.001"),
    length: float = 0.4,
    limits: str = "-3 3",
    limbs: int = 1,
) -> Path:
    """Write an arm of two links, or the same arm several times on one root link of 2 kg."""
    low, high = limits.split()
    links = ['<link name="root"><inertial><mass value="2"/>' + BAR.format(0.1, 0.1)]
    links[0] += "</inertial></link>"
    for limb in range(limbs):
        parent = "root"
        for joint, inertia in enumerate(inertias):
            name = f"link_{limb}_{joint}"
            links.append(
                f'<link name="{name}"><inertial><origin xyz="{length / 2} 0 0"/><mass value="1"/>'
                f"{BAR.format(*inertia.split())}</inertial></link>"
                f'<joint name="{name}_joint" type="revolute"><parent link="{parent}"/>'
                f'<child link="{name}"/><origin xyz="{length if joint else 0} {limb} 0"/>'
                f'<axis xyz="0 1 0"/>'
                f'<limit lower="{low}" upper="{high}" effort="90" velocity="3"/></joint>'
            )
            parent = name
    path = folder / "arm.urdf"
    path.write_text(f'<robot name="arm">{"".join(links)}</robot>')
    return path


def list_warnings(path: Path, **options: str) -> list[str]:
    return [
        f"{fault.where}: {fault.message}" for fault in dynagen.load_robot(path, **options).warnings
    ]


def test_a_plausible_arm_has_no_warnings(tmp_path: Path) -> None:
    assert list_warnings(write_arm(tmp_path)) == []


def test_mass_beyond_the_extent_of_a_link(tmp_path: Path) -> None:
    (warning,) = list_warnings(write_arm(tmp_path, inertias=("0.01 0.001", "0.7 0.6")))
    assert warning == (
        "link link_0_1: radius of gyration 0.8367 m, but the link extends 0.2 m from its joint: "
        "no body of this size has so much inertia with this mass; compare both with the data "
        "sheet or the CAD model"
    )


def test_a_first_moment_of_a_vanishing_mass(tmp_path: Path) -> None:
    """The centre of mass is 1e299 m away: its square overflows."""
    path = tmp_path / "rod.yaml"
    path.write_text(
        "name: rod\nconvention: modified\ngravity: [0, 0, -9.81]\nlinks:\n"
        "  - {name: rod, joint: revolute, dh: {alpha: 0, a: 0, d: 0}, mass: 1e-300,\n"
        "     first_moment: [0, 0, 0.1], inertia_about_origin: [1, 1, 1]}\n"
    )
    assert dynagen.load_robot(path).name == "rod"


def test_an_inertia_of_a_vanishing_mass(tmp_path: Path) -> None:
    """The radius of gyration is 1e150 m: its cube overflows."""
    path = tmp_path / "rod.yaml"
    path.write_text(
        "name: rod\nconvention: modified\ngravity: [0, 0, -9.81]\nlinks:\n"
        "  - {name: rod, joint: revolute, dh: {alpha: 0, a: 1, d: 0}, mass: 1e-300,\n"
        "     com: [0, 0, 0.1], inertia: [1, 1, 1]}\n"
    )
    (warning,) = list_warnings(path)
    assert "radius of gyration 1e+150 m, though the robot reaches 1 m" in warning


def test_several_links_are_one_warning(tmp_path: Path) -> None:
    path = write_arm(tmp_path, inertias=("0.01 0.001", "0.7 0.6"), limbs=2)
    (warning,) = list_warnings(path, base="fixed")
    assert warning.startswith("link link_0_1: ")
    assert "(link_1_1 too)" in warning


def test_placeholders_for_inertia(tmp_path: Path) -> None:
    path = write_arm(tmp_path, inertias=("0.1 0.1", "0.1 0.1"))
    (warning,) = list_warnings(path)
    assert warning.startswith("link root: all 3 links with mass have the inertia 0.1 kg m^2")


def test_lengths_in_millimetres(tmp_path: Path) -> None:
    warnings = list_warnings(write_arm(tmp_path, length=400, inertias=("0.1 0.1", "0.2 0.1")))
    assert warnings == [
        "link root: the robot reaches 400 m, which looks like mm: write lengths in m (1 mm is "
        "0.001)"
    ]


@pytest.mark.parametrize(
    ("limits", "count"), [("-170 170", 1), ("-6.28 6.28", 0), ("-62.8 62.8", 0)]
)
def test_position_limits_in_degrees(tmp_path: Path, limits: str, count: int) -> None:
    found = [
        line for line in list_warnings(write_arm(tmp_path, limits=limits)) if "degrees" in line
    ]
    assert len(found) == count
    expected = "link link_0_0: position limits -170 to 170 rad (link_0_1 too) look like degrees"
    assert all(line.startswith(expected) for line in found)


def test_inertia_in_other_units_is_reported_once_for_all_links(tmp_path: Path) -> None:
    (warning,) = list_warnings(write_arm(tmp_path, inertias=("100 10", "200 10")))
    assert warning.startswith("link link_0_0: radius of gyration 10 m (link_0_1 too), though")


def test_a_fixed_base_with_several_limbs(tmp_path: Path) -> None:
    path = write_arm(tmp_path, limbs=4)
    (warning,) = list_warnings(path)
    assert warning.startswith(
        "link root: the base is fixed, although it has 2 kg and carries 4 limbs "
        "(link_0_0, link_1_0, link_2_0, link_3_0)"
    )
    assert list_warnings(path, base="fixed") == []
    assert list_warnings(path, base="floating") == []
    assert list_warnings(path, tip="link_2_1") == []


def test_options_that_are_applied_later_replace_the_warning(tmp_path: Path) -> None:
    description = dynagen.load_robot(write_arm(tmp_path, limbs=3))

    def count(**options: object) -> int:
        return len(as_description(description, make_reading_options(**options)).warnings)

    assert count(lock={"link_0_0_joint": 0.1}) == 1  # two limbs are left
    assert count(base="floating") == count(base="fixed") == count(tip="link_0_1") == 0
    fixed = as_description(description, make_reading_options(base="fixed"))
    assert as_description(fixed, make_reading_options(lock={"link_0_0_joint": 0.1})).warnings == ()


@pytest.mark.parametrize(
    ("options", "load"),
    [
        ({"payload": "root"}, "link payload: the payload at root"),
        ({"wrench_at": "root"}, "link root: the wrench at root"),
        ({"contact_force": "link_0_1,root"}, "link root: the contact force at root"),
    ],
)
def test_loads_at_the_fixed_base(tmp_path: Path, options: dict[str, str], load: str) -> None:
    path = write_arm(tmp_path)
    (warning,) = list_warnings(path, **options)
    assert warning.startswith(f"{load} has no effect, because this frame is fixed to the base")
    assert list_warnings(path, **options, base="floating") == []
    assert list_warnings(path, **dict.fromkeys(options, "link_0_0")) == []
    # A later option replaces the warning.
    description = dynagen.load_robot(path, **options)
    moved = as_description(description, make_reading_options(base="floating"))
    assert moved.warnings == ()


def test_frames_of_forces_are_a_list_or_texts_with_commas_and_never_an_empty_text(
    tmp_path: Path,
) -> None:
    path = write_arm(tmp_path)
    expected = ("link_0_0", "link_0_1")
    for given in ("link_0_0, link_0_1", ["link_0_0", "link_0_1"], ("link_0_0,", "link_0_1")):
        assert dynagen.load_robot(path, contact_force=given).contact_forces == expected
    for options in ({"contact_force": ""}, {"wrench_at": ","}, {"payload": ""}):
        (name,) = options
        with pytest.raises(UsageError, match=f"{name}: expected .*, found an empty text"):
            dynagen.load_robot(path, **options)


def test_frames_of_forces_may_be_given_by_one_option_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--contact-force", "link_0_0", "--contact-force", "link_0_1"]
    main(["convert", str(write_arm(tmp_path)), "-o", "arm.yaml", *options])
    assert dynagen.load_robot("arm.yaml").contact_forces == ("link_0_0", "link_0_1")
