"""Deliveries of any target: a new row of the table is generated, proved, written and compared."""

from dataclasses import replace

import pytest

from dynagen.codegen import targets
from dynagen.codegen.language import load_package
from dynagen.codegen.languages import find_language
from dynagen.codegen.package import SourceFile
from dynagen.codegen.targets.archive import Archive
from dynagen.codegen.targets.target import Target
from dynagen.errors import ToolchainError, UsageError, VerificationError
from dynagen.on_demand import Registry
from dynagen.pipeline.delivery import choose_default_folder, deliver, find_staleness
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot


def print_module(package, language):
    return (*language.print_kernels(package), SourceFile("VERSION", f"{package.release}\n"))


def build(package, language, files):
    return Archive("toy.zip", {file.path: file.text.encode() for file in files})


def load(package, language, files, archive):
    """Load the module in the archive, not the printed one."""
    sources = [SourceFile(path, text.decode()) for path, text in archive.members.items()]
    return load_package(language, package, sources)


def check(language, options):
    if options["release"] == "9":
        raise ToolchainError("no toolbox found: install one")


TOY = Target(
    name="toy",
    audience="children",
    languages=(find_language("python"),),
    out="toys/<robot>/<lang>",
    files=("<robot>.py", "VERSION"),
    tools=("toolbox",),
    proof="The module in the archive is loaded and called.",
    print_files=print_module,
    build=build,
    load=load,
    check=check,
    options=("release",),
)


@pytest.fixture
def toy(monkeypatch):
    """Settings of a target that is a new row of the table."""
    places = {"folder": "dynagen.codegen.targets.folder.FOLDER", "toy": f"{__name__}.TOY"}
    monkeypatch.setattr(targets, "TARGETS", Registry(places))
    return Settings("python", target="toy", release="4", states=20)


def test_a_new_target_is_generated_proved_written_and_compared(toy, tmp_path):
    robot = load_robot("planar3")
    generation = generate(robot, toy)
    assert set(generation.proofs) == {"inverse_dynamics"}
    assert choose_default_folder(generation).as_posix() == "toys/planar3/python"
    assert find_staleness(generation, tmp_path).reasons == ("the file does not exist",)
    assert deliver(generation, tmp_path) == tmp_path / "toy.zip" == generation.place(tmp_path)
    assert find_staleness(generate(robot, toy, prove=False), tmp_path) is None
    newer = generate(robot, replace(toy, release="5"), prove=False)
    stale = find_staleness(newer, tmp_path)
    assert (stale.files, stale.reasons) == (("VERSION",), ())


def test_the_delivery_is_what_the_proof_calls(toy, monkeypatch):
    def build_wrong(package, language, files):
        members = build(package, language, files).members
        wrong = members["planar3.py"].replace(b"9.81", b"9.8100001")
        assert wrong != members["planar3.py"]
        return Archive("toy.zip", {**members, "planar3.py": wrong})

    monkeypatch.setattr(f"{__name__}.TOY", replace(TOY, build=build_wrong))
    with pytest.raises(VerificationError, match="inverse_dynamics disagrees"):
        generate(load_robot("planar3"), replace(toy, optimize="none"))


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"language": "c"}, UsageError, "toy: c is not one of its languages; expected --lang pyt"),
        ({"target": "folder"}, UsageError, "--release is an option of --target toy, found --targ"),
        (
            {"target": "tuy"},
            UsageError,
            "expected one of folder, toy, found `tuy`; did you mean `toy`?",
        ),
        ({"release": "9"}, ToolchainError, "no toolbox found: install one"),
    ],
)
def test_requests_that_a_target_cannot_meet_are_refused(toy, changes, error, message):
    with pytest.raises(error) as refusal:
        generate(load_robot("planar3"), replace(toy, **changes))
    assert message in str(refusal.value)


def test_the_target_is_recorded_if_it_is_not_the_default(toy):
    robot = load_robot("planar3")
    assert generate(robot, toy, prove=False).package.choices == {"target": "toy"}
    assert generate(robot, Settings(), prove=False).package.choices == {}
    assert "Options" not in dict(generate(robot, toy, prove=False).package.facts)
