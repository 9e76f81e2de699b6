"""Python interface: it accepts the options of the command line, and descriptions not in files."""

import inspect
from typing import get_type_hints

import pytest

import dynagen
from dynagen.cli.generate import generate as command
from dynagen.errors import RobotDescriptionError, UsageError
from dynagen.options import list_options, list_recorded_options
from dynagen.pipeline.settings import CompileKeywords, GenerateKeywords, LoadKeywords, Settings
from dynagen.resources import find_robots_folder
from dynagen.robot.options import ReadingKeywords, ReadingOptions

PENDULUM = {
    "name": "pendulum",
    "convention": "modified",
    "gravity": [0, -9.81, 0],
    "links": [
        {
            "name": "rod",
            "joint": "revolute",
            "dh": {"alpha": 0, "a": 0, "d": 0},
            "mass": 2,
            "com": [0.25, 0, 0],
            "inertia": [0, "0.5**2/6", "0.5**2/6"],
        }
    ],
}


def test_one_function_may_be_asked_for_by_its_name_alone():
    one = dynagen.generate("planar3", "gravity_forces+mass_matrix", verify=False)
    same = dynagen.generate("planar3", ["gravity_forces+mass_matrix"], verify=False)
    assert one.files == same.files
    with pytest.raises(UsageError, match="did you mean `mass_matrix`"):
        dynagen.generate("planar3", "mas_matrix", verify=False)


def test_no_function_at_all_is_refused():
    with pytest.raises(UsageError, match="no function is requested"):
        dynagen.generate("planar3", [])


def test_implausible_links_are_told_to_the_command_line_only(capsys):
    dynagen.generate("puma560", verify=False)
    assert capsys.readouterr() == ("", "")


def test_a_robot_may_be_a_mapping_or_a_text():
    text = (find_robots_folder() / "planar3.yaml").read_text()
    assert dynagen.load_robot(text).links == dynagen.load_robot("planar3").links
    tau = dynagen.compile(PENDULUM, "gravity_forces", lang="python", states=20)([0.0])
    assert tau == pytest.approx([2 * 9.81 * 0.25])
    with pytest.raises(RobotDescriptionError) as error:
        dynagen.load_robot({**PENDULUM, "gravitation": 1})
    assert (
        str(error.value)
        == "description: gravitation: unknown key `gravitation`; did you mean `gravity`?"
    )


def test_what_is_suspicious_is_told_and_refused_when_strict():
    heavy = {**PENDULUM, "links": [{**PENDULUM["links"][0], "mass": -2}]}
    assert "mass -2 kg is negative" in dynagen.load_robot(heavy).warnings[0].message
    for robot in (heavy, dynagen.load_robot(heavy)):
        with pytest.raises(RobotDescriptionError, match="mass -2 kg is negative"):
            dynagen.generate(robot, verify=False, strict=True)


def test_options_of_the_command_line_are_options_here():
    of_output = {
        "depfile",
        "stamp",
        "dump_ir",
        "footprint",
        "only_compare",
        "form",
        "rounding",
        "verbose",
        "explain_constants",
        "debug",
    }
    options = {parameter.name for parameter in command.params} - of_output
    renamed = {"language": "lang"}
    reading = set(ReadingKeywords.__annotations__)
    here = {renamed.get(name, name) for name in options}
    assert here - reading == set(inspect.signature(dynagen.generate).parameters) - {"options"}
    missing = here - set(inspect.signature(dynagen.compile).parameters) - reading
    assert missing == {
        *("functions", "out", "prefix", "verify", "single_file", "batch", "threads", "jobs"),
        *("cores", "operation_ns", "handover_ns", "target", "release", "native"),
        *("gpu", "hessian"),
    }
    generation = dynagen.generate(
        "planar3", "forward_dynamics", method="articulated", states=20, seed=3, jobs=2
    )
    assert generation.functions[0].method == "articulated"
    assert generation.proofs["forward_dynamics"].states == 20


@pytest.mark.parametrize(
    ("asked", "joined"),
    [(["mass_matrix", "gravity_forces"], "mass_matrix"), ("all", "mass_matrix")],
)
def test_several_functions_are_not_compiled_into_one_in_silence(asked, joined):
    with pytest.raises(
        UsageError,
        match=rf"call compile\(\) for each function, or fuse them: '{joined}\+gravity_forces'",
    ):
        dynagen.compile("planar3", asked)


def test_results_are_shown_in_a_line_and_as_a_table():
    generation = dynagen.generate("planar3", "all", verify=False)
    assert len(repr(generation)) < 200
    assert repr(generation).startswith("<Generation of planar3 in c: inverse_dynamics ")
    assert repr(generation).endswith(" more, not verified>")
    table = generation._repr_html_()
    assert table.count("<tr>") == len(generation.functions) + 1
    kernel = dynagen.compile("planar3", "gravity_forces", lang="python", states=20)
    assert repr(kernel) == "<gravity_forces: q(3) -> g(3), double>"
    robot = dynagen.load_robot("planar3")
    assert (
        repr(robot) == "<RobotDescription of planar3: 3 links, 3 degrees of freedom, "
        "modified Denavit-Hartenberg>"
    )


@pytest.mark.parametrize(
    "call", [dynagen.load_robot, dynagen.load, dynagen.generate, dynagen.compile]
)
def test_misspelt_options_are_refused(call):
    with pytest.raises(TypeError, match="unexpected keyword argument `bases`; did you mean `base`"):
        call("planar3", bases="floating")


def test_a_part_of_a_robot_is_asked_for_as_on_the_command_line():
    part = {"root": "waist", "tip": "forearm", "lock": {"upper_arm": "pi/2"}}
    generation = dynagen.generate("puma560", verify=False, **part)
    assert [body.name for body in generation.model.bodies] == ["forearm"]
    loaded = dynagen.load_robot("puma560", **part)
    assert loaded == generation.description
    assert dynagen.load_robot("puma560", lock={"upper_arm": 1.5}).reading.changes == {
        "lock": {"upper_arm": "1.5"}
    }
    assert (
        dynagen.generate(
            dynagen.load_robot("puma560", lock=part["lock"]),
            verify=False,
            root="waist",
            tip="forearm",
        ).description
        == loaded
    )
    with pytest.raises(UsageError, match="pass `snap` to load_robot"):
        dynagen.generate(loaded, snap=0)
    with pytest.raises(
        UsageError,
        match=r"snap: expected a tolerance \(rad and m\) from 0 \(off\) to 0.1, found `-1`",
    ):
        dynagen.load_robot("puma560", snap=-1)


KEYWORDS = {
    dynagen.load_robot: ReadingKeywords,
    dynagen.load: LoadKeywords,
    dynagen.compile: CompileKeywords,
    dynagen.generate: GenerateKeywords,
}


@pytest.mark.parametrize("keywords", KEYWORDS.values())
def test_keywords_are_options_of_the_tables_with_the_same_types(keywords):
    settings, types = list_options(Settings), get_type_hints(Settings)
    for name, type_ in get_type_hints(keywords).items():
        if name in settings:
            assert type_ == types[settings[name].name]
        else:
            assert name in list_options(ReadingOptions)


@pytest.mark.parametrize("call", KEYWORDS)
def test_help_shows_every_option_with_meaning_and_default(call):
    text, parameters = " ".join(inspect.getdoc(call).split()), inspect.signature(call).parameters
    for name, option in {**list_options(Settings), **list_options(ReadingOptions)}.items():
        accepted = name in KEYWORDS[call].__annotations__
        assert (f" {name}: {option.meaning.partition('--')[0]}" in text) == accepted
        if accepted and name in parameters:
            assert parameters[name].default == option.default


def test_misspelt_settings_are_refused_with_the_nearest_name():
    with pytest.raises(
        TypeError, match="unexpected keyword argument `optimise`; did you mean `optimize`"
    ):
        dynagen.generate("planar3", optimise="max")
    with pytest.raises(TypeError, match="unexpected keyword argument `batch`"):
        dynagen.compile("planar3", batch=True)


def test_no_two_options_have_one_place_in_a_manifest():
    for table in (Settings, ReadingOptions):
        places = [option.recorded for option in list_recorded_options(table).values()]
        assert sorted(places) == list(range(1, len(places) + 1))
