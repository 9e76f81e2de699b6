"""Help in groups, examples that parse, old spellings, `dynagen help` and the order of a report."""

from __future__ import annotations

import re
import shlex

import pytest
import rich_click as click

from dynagen.cli.commands import GROUPS, HELP_SETTINGS, Command, list_groups
from dynagen.cli.main import dynagen
from dynagen.options import list_options
from dynagen.pipeline.settings import Settings
from dynagen.robot.options import ReadingOptions

GROUP = click.RichContext(dynagen, info_name="dynagen", **HELP_SETTINGS)
COMMANDS = {name: dynagen.get_command(GROUP, name) for name in dynagen.list_commands(GROUP)}
EXAMPLES = [(name, text) for name, command in COMMANDS.items() for text in command.examples]


def sections(text: str) -> dict[str, list[str]]:
    """Headings of a help text and the lines below them."""
    parts = re.split(r"^([A-Z][\w ]+):\n", text, flags=re.MULTILINE)
    bodies = (part.rstrip("\n").split("\n") for part in parts[2::2])
    return dict(zip(parts[1::2], bodies, strict=True))


def help_of(name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", "80")
    command = COMMANDS[name]
    return command.get_help(click.RichContext(command, info_name=name, **HELP_SETTINGS))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_group_of_a_help_text_fits_a_screen(name, monkeypatch):
    text = help_of(name, monkeypatch)
    found = sections(text)
    assert list(found) == [*list_groups(COMMANDS[name]), "Options", "Examples"]
    assert {heading: len(lines) for heading, lines in found.items() if len(lines) > 23} == {}
    assert [line for line in text.splitlines() if len(line) > 80 or line.endswith(" ")] == []
    (help_option,) = found["Options"]
    assert help_option.endswith("--help  Show this message and exit.")


@pytest.mark.parametrize("table", [Settings, ReadingOptions])
def test_every_option_of_a_table_has_a_group(table):
    assert {option.group for option in list_options(table).values()} <= set(GROUPS)


def test_groups_of_the_tables_come_last_and_in_their_order():
    for command in COMMANDS.values():
        shared = [group for group in list_groups(command) if group in GROUPS]
        assert shared == sorted(shared, key=GROUPS.index)
        assert list_groups(command)[len(list_groups(command)) - len(shared) :] == shared


def test_effort_is_explained_in_the_order_of_use(monkeypatch):
    effort = "\n".join(sections(help_of("generate", monkeypatch))["Effort"])
    named = re.findall(r"^ +(--[\w-]+)", effort, re.MULTILINE)
    assert named == ["--optimize", "--budget", "--time-limit", "--cost", "--method"]
    for option in list_options(Settings).values():
        if option.group == "Effort":
            assert option.meaning.count(". ") == 0, option.meaning


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_two_examples(name):
    assert isinstance(COMMANDS[name], Command)
    assert len(COMMANDS[name].examples) == 2


@pytest.mark.parametrize(("name", "text"), EXAMPLES, ids=[text for _, text in EXAMPLES])
def test_examples_are_command_lines_of_their_command(name, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program, *words = shlex.split(re.split(r" [|>] ", text)[0])
    assert (program, words[0]) == ("dynagen", name)
    # Parsing refuses unknown options, missing arguments, and values of the wrong type.
    COMMANDS[name].make_context(name, words[1:], parent=GROUP).close()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["planar3", "--no-verify", "--report", "none"], "--format"),
        (["planar3", "--no-verify", "--report=none"], "--format"),
        (["targets", "--report", "json"], "--format"),
        (["report", "planar3", "--report", "json"], "--format"),
    ],
)
def test_old_spellings_work_and_name_the_new_one(run, old, new):
    status, out, err = run(*old)
    (note,) = err.splitlines()
    assert note.startswith(f"note: --report is now {new}")
    words = [word.replace("--report", new) for word in old]
    assert run(*words) == (status, out, "")
    assert status == 0


def test_stale_was_called_check(run):
    run("planar3", "--no-verify", "--out", "x")
    status, out, err = run("planar3", "--no-verify", "--out", "x", "--check")
    assert (status, out) == (0, "x is up to date\n")
    assert "--check is now --stale" in err


def test_figures_and_motions_had_other_names():
    for name, old, new in (("excite", "--plot", "--figure"), ("simulate", "--csv", "--out")):
        assert COMMANDS[name].renamed[old] == new
    assert all(
        new in {flag for option in command.params for flag in option.opts}
        for command in COMMANDS.values()
        for new in command.renamed.values()
    )


def test_words_after_two_dashes_are_not_options(run):
    assert "--report is now" not in run("robots", "--", "--report")[2]


def test_help_of_a_command_is_what_its_option_prints(run):
    assert run("help", "identify") == run("identify", "--help")
    assert run("help") == run("--help")
    status, _, err = run("help", "identfy")
    assert (status, err) == (
        2,
        "dynagen: there is no command `identfy`; did you mean `identify`?\n",
    )


def test_the_version_has_a_short_option(run):
    assert run("-V") == run("--version")
    assert run("-V")[1].startswith("dynagen, version ")


def test_bundled_robots_do_not_warn_and_check_reports_oddities_last(run):
    _, out, err = run("puma560", "-f", "gravity_forces", "--no-verify", "--out", "x")
    assert err == ""
    assert out.startswith("puma560: 6 joints")
    _, out, err = run("check", "puma560")
    assert err == ""
    last = out[out.rindex("Unusual published numbers: ") :]
    assert "links[0] (waist): inertia breaks the triangle inequality" in last
    assert "note:" not in last


def test_notes_are_counted_and_v_prints_them_after_the_result(run):
    words = ("panda", "-f", "gravity_forces", "--no-verify", "--out", "x")
    short, long = run(*words)[1], run(*words, "-v")[1]
    assert "; -v shows 1 note, passes" in short
    assert "note:" not in short
    assert long.index("Written to") < long.index(
        "note: links hand, left_finger and right_finger are fixed to link7: merged into it"
    )
