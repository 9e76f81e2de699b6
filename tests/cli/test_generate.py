"""The command line in process: exit status, messages, what is written and what is not."""

import json
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from dynagen.dynamics.functions import FUNCTIONS
from dynagen.ir.text import print_program
from dynagen.optimizer import compile
from dynagen.report import generation
from dynagen.resources import find_robots_folder, list_bundled_robots
from dynagen.toolchain.footprint import Target
from tests.support.program_parser import parse_program


def written(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_main_job_proves_writes_and_reports(run, tmp_path, language):
    status, out, _ = run("planar3", "--lang", language)
    assert status == 0
    assert "inverse_dynamics" in out
    assert not [line for line in out.splitlines() if line.endswith(" ")]
    assert "Newton-Euler" in out
    assert "Lagrange" in out
    folder = tmp_path / "generated" / "planar3" / language
    manifest = json.loads((folder / "planar3.manifest.json").read_text())
    assert sorted(written(folder)) == manifest["files"]
    assert manifest["kernels"]["inverse_dynamics"]["verified"]["within"] == 1e-12


def test_options_may_come_before_the_robot(run, tmp_path):
    assert run("--lang", "python", "--no-verify", "planar3")[0] == 0
    assert (tmp_path / "generated/planar3/python/planar3.py").exists()


def test_all_functions_come_in_the_order_of_the_table(run, tmp_path):
    run("planar3", "-f", "all", "--no-verify", "--out", "x")
    manifest = json.loads((tmp_path / "x/planar3.manifest.json").read_text())
    assert list(manifest["kernels"])[:3] == [
        "inverse_dynamics", "inverse_dynamics_reference", "gravity_forces"
    ]  # fmt: skip


def test_the_json_report_is_the_manifest_and_what_was_measured(run, tmp_path):
    status, out, _ = run("planar3", "--format", "json")
    assert status == 0
    report = json.loads(out)
    manifest = json.loads((tmp_path / "generated/planar3/c/planar3.manifest.json").read_text())
    measured = report["kernels"]["inverse_dynamics"].pop("measured")
    assert all(0 <= error <= 1e-12 for error in measured["worst_errors"].values())
    assert len(measured["worst_errors"]) == 2
    assert [report[key] for key in manifest] == list(manifest.values())


def test_the_report_is_short_and_v_shows_how_it_came_about(run):
    words = (
        "planar3",
        "-f",
        "forward_dynamics",
        "-f",
        "base_regressor",
        "--no-verify",
        "--out",
        "x",
    )
    short, long = run(*words)[1], run(*words, "-v")[1]
    assert len(short.splitlines()) < 12
    assert "-v shows" in short
    for title in (
        "Methods",
        "Passes: forward_dynamics",
        "Passes: base_regressor",
        "Base parameters",
        "Cost and",
        "Files",
    ):
        assert title in long
        assert title not in short


def test_what_costs_more_than_a_multiplication_is_counted_by_name(run, tmp_path):
    robot = (find_robots_folder() / "planar3.yaml").read_text()
    friction = (
        "friction: {viscous: 1, coulomb: 2, sign: tanh, width: 0.1, "
        "stribeck: {static: 3, velocity: 0.2}}"
    )
    (tmp_path / "arm.yaml").write_text(
        robot.replace("joint: revolute\n", f"joint: revolute\n    {friction}\n", 1)
    )
    _, out, _ = run(
        "arm.yaml", "-f", "friction_forces", "-f", "gravity_forces", "--no-verify", "--out", "x"
    )
    titles, *rows = (
        [word.strip() for word in line.split("|")]
        for line in out.splitlines()
        if line.startswith("| ")
    )
    counted = {row[1]: dict(zip(titles, row, strict=True)) for row in rows}
    assert (counted["friction_forces"]["tanh"], counted["friction_forces"]["exp"]) == ("1", "1")
    assert (counted["gravity_forces"]["tanh"], counted["gravity_forces"]["exp"]) == ("0", "0")
    (header,) = (tmp_path / "x/include").glob("*.h")
    assert re.search(r"\d+ sincos, [2-9] other\.", header.read_text())


def test_friction_that_is_always_zero_is_noted(run):
    note = "friction_forces is always zero, because no link has `friction`"
    assert note in run("planar3", "-f", "friction_forces", "--no-verify", "--out", "x", "-v")[1]
    assert note not in run("puma260", "-f", "friction_forces", "--no-verify", "--out", "y", "-v")[1]


def test_rounding_is_measured_on_request(run):
    assert (
        json.loads(run("planar3", "--format", "json")[1])["kernels"]["inverse_dynamics"][
            "measured"
        ]["rounding"]
        is None
    )
    status, out, _ = run("planar3", "--format", "json", "--rounding")
    rounding = json.loads(out)["kernels"]["inverse_dynamics"]["measured"]["rounding"]
    assert status == 0
    assert 0 < rounding["emitted"] < 10
    assert rounding["states"] == 32
    assert "Largest rounding error" in run("planar3", "--rounding")[1]


def test_float_is_proved_by_its_own_rule_and_compared_with_double(run, tmp_path):
    status, out, _ = run("planar3", "--real", "float")
    assert status == 0
    assert "States with the largest difference between float and double" in out
    folder = tmp_path / "generated" / "planar3" / "c"
    manifest = json.loads((folder / "planar3.manifest.json").read_text())
    assert manifest["real"] == "float"
    assert manifest["kernels"]["inverse_dynamics"]["verified"]["within"] == 2.0**-20
    assert "2^-20 * S" in manifest["rule"]
    header = (folder / "include/planar3.h").read_text()
    assert "typedef float planar3_real;" in header
    assert "2^-20 * S" in header
    assert run("planar3", "--stale")[0] == 1  # the same in double is something else


def test_one_file_for_all_kernels(run, tmp_path):
    assert run("planar3", "-f", "inverse_dynamics", "-f", "gravity_forces", "--out", "x")[0] == 0
    assert (
        run(
            "planar3",
            "-f",
            "inverse_dynamics",
            "-f",
            "gravity_forces",
            "--single-file",
            "--out",
            "x",
        )[0]
        == 0
    )
    assert [path.name for path in (tmp_path / "x/src").iterdir()] == ["planar3.c"]


def test_dumped_programs_can_be_read_again(run):
    status, out, _ = run("planar3", "--dump-ir", "--no-verify")
    assert status == 0
    assert print_program(parse_program(out)) == out


def test_unverified_output_says_so_everywhere(run, tmp_path):
    _, out, _ = run("planar3", "--no-verify", "--out", "x")
    assert "Not verified" in out
    for name in ("include/planar3.h", "src/planar3_inverse_dynamics.c"):
        assert "Not verified." in (tmp_path / "x" / name).read_text()
    manifest = json.loads((tmp_path / "x/planar3.manifest.json").read_text())
    assert manifest["kernels"]["inverse_dynamics"]["verified"] == "not verified"


def test_check_tells_fresh_output_from_stale(run, tmp_path):
    run("planar3", "--out", "x")
    assert run("planar3", "--out", "x", "--stale")[0] == 0
    before = written(tmp_path / "x")
    status, _, err = run("planar3", "--out", "x", "--stale", "-f", "gravity_forces")
    assert status == 1
    assert (
        "stale; the code was written with `-f inverse_dynamics`, this run with `-f gravity_forces`"
        ". Missing or" in err
    )
    (tmp_path / "x/include/planar3.h").write_text("edited")
    assert run("planar3", "--out", "x", "--stale")[0] == 1
    assert written(tmp_path / "x") != before  # our own edit, which --stale has left alone
    assert (tmp_path / "x/include/planar3.h").read_text() == "edited"


def test_a_large_kernel_is_told(run, monkeypatch):
    monkeypatch.setattr(generation, "_LARGE", 40)
    _, out, _ = run("planar3", "-f", "inverse_dynamics", "-f", "jacobian", "--no-verify")
    words = " ".join(out.split())
    (note,) = re.findall(
        r"note: (\w+) is large: \d+ statements\. Expect [\d.]+ s of compilation with gcc 12 -O2 "
        r"on x86-64, "
        r"\d+ kB of code",
        words,
    )
    assert note == "inverse_dynamics"
    _, out, _ = run("planar3", "--lang", "python", "--no-verify")
    assert "large" not in out


@pytest.mark.usefixtures("compiled_anew")
def test_a_failed_proof_writes_nothing_and_leaves_old_output_alone(run, tmp_path, monkeypatch):
    run("planar3", "--out", "x")
    before = written(tmp_path / "x")
    honest = compile.run_passes

    def sabotaged(recorded, cost):
        good, records = honest(recorded, cost)
        wrong = parse_program(print_program(good).replace("9.81", "9.8100001"))
        return replace(wrong, symbols=good.symbols), records

    monkeypatch.setattr(compile, "run_passes", sabotaged)
    status, out, err = run("planar3", "--out", "x")
    assert status == 1
    assert "disagrees" in err
    assert "q = [" in err
    assert out == ""
    assert written(tmp_path / "x") == before
    assert run("planar3", "--out", "y")[0] == 1
    assert not (tmp_path / "y").exists()


def test_a_missing_compiler_is_named_with_its_remedy(run, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    for language, package in (
        ("c", "gcc"),
        ("fortran", "gfortran"),
        ("javascript", "nodejs"),
        ("matlab", "octave"),
    ):
        status, _, err = run("planar3", "--lang", language)
        assert status == 3
        assert f"apt-get install {package}" in err
        assert "--no-verify" in err
    assert not (tmp_path / "generated").exists()
    assert run("planar3", "--no-verify")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("puma56",), "did you mean `puma560`?"),
        (("nowhere/robot.yaml",), "there is no file"),
        (("planar3", "-f", "inverse_dynamic"), "did you mean `inverse_dynamics`?"),
        (
            ("planar3", "--lang", "cobol"),
            "unknown language 'cobol'; expected one of c, cpp, fortran, python, "
            "javascript, matlab, rust",
        ),
        (
            ("planar3", "--prefix", ""),
            "'' cannot be the prefix of public names: expected a letter, followed by",
        ),
        (
            ("planar3", "--lang", "fortran", "--single-file"),
            "fortran code has one layout of files only; omit the option",
        ),
        (
            ("planar3", "--target", "whel"),
            "ros2, fmu, found `whel`; did you mean `wheel`?",
        ),
        (
            ("planar3", "--target", "wheel", "--lang", "fortran"),
            "--target wheel: fortran is not one of its languages; expected --lang c",
        ),
        (
            ("planar3", "--target", "wheel", "--cores", "2"),
            "--cores is an option of --target folder, found --target wheel; omit the option",
        ),
        (
            ("planar3", "--release", "2"),
            "zephyr, ros2 or fmu, found --target folder; omit the option",
        ),
        (
            ("planar3", "--target", "wheel", "--footprint", "cortex-m4"),
            "--footprint measures source code in a folder, but --target wheel delivers compiled",
        ),
        (("planar3", "--prefix", "1x"), "expected a letter, followed by"),
        (("planar3", "--prefix", "../x"), "expected a letter, followed by"),
        (("planar3", "--prefix", "class"), "class is a reserved word of C++"),
        (("planar3", "--real", "half"), "'half' is not one of"),
        (("planar3", "--out", "/proc/nowhere"), "cannot write"),
        (("check", "puma56"), "did you mean `puma560`?"),
        (
            ("chek", "puma560"),
            "there is no command, file or bundled robot `chek`; did you mean `dynagen check`?",
        ),
        (("robot",), "did you mean `dynagen robots`?"),
        (("planar33",), "did you mean `planar3`?"),
        (("planar3", "-f", "all+mass_matrix"), "`all` cannot be combined"),
        (("planar3", "--states", "99999999999"), "99999999999 is not in the range 1<=x<=100000"),
    ],
)
def test_bad_requests_exit_2_with_a_remedy_and_write_nothing(run, tmp_path, arguments, expected):
    status, out, err = run(*arguments)
    assert status == 2
    assert expected in err
    assert "Traceback" not in err
    assert out == ""
    assert written(tmp_path) == {}


def test_a_faulty_description_shows_all_faults_with_their_lines(run, tmp_path):
    text = (find_robots_folder() / "planar3.yaml").read_text()
    (tmp_path / "bad.yaml").write_text(
        text.replace("convention: modified", "convention: modifed").replace("mass: 1", "mas: 1", 1)
    )
    status, _, err = run("bad.yaml")
    assert status == 2
    assert "bad.yaml:" in err
    assert "did you mean `modified`?" in err
    assert "did you mean `mass`?" in err
    assert set(written(tmp_path)) == {"bad.yaml"}


def test_a_folder_of_somebody_else_is_refused(run, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("years of work")
    status, _, err = run("planar3", "--out", "mine")
    assert status == 2
    assert "not empty" in err
    assert written(tmp_path) == {"mine/thesis.txt": b"years of work"}


def test_a_robot_may_be_called_almost_like_a_command(run, tmp_path):
    text = (find_robots_folder() / "pendulum.yaml").read_text()
    for name in ("check.yaml", "chek"):
        (tmp_path / name).write_text(text)
        assert run(name, "--no-verify", "--format", "none") == (0, "", "")


def test_debug_shows_where_an_error_came_from():
    command = [sys.executable, "-m", "dynagen", "puma56", "--debug"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "Traceback" in done.stderr
    assert "UsageError" in done.stderr


def test_lists_name_every_robot_and_function(run):
    _, robots, _ = run("robots")
    assert all(name in robots for name in list_bundled_robots())
    _, functions, _ = run("functions")
    names = {line.split()[0] for line in functions.splitlines()}
    assert names >= {function.name for function in FUNCTIONS}  # whole, however long
    (line,) = (line for line in functions.splitlines() if line.split()[0] == "inverse_dynamics")
    *cells, formula = re.split("  +", line.strip())
    assert cells == ["inverse_dynamics", "q, qd, qdd", "tau"]
    # A long formula continues in the next line.
    assert "tau = M(q) qdd + C(q, qd) qd + g(q)".startswith(formula)
    assert formula.startswith("tau = M(q) qdd")


def test_a_bundled_robot_is_printed_to_start_from(run, tmp_path):
    status, text, _ = run("robots", "scara")
    assert status == 0
    (tmp_path / "scara.yaml").write_text(text)
    assert (
        run("robots", "scara.yaml")[1] == text == (find_robots_folder() / "scara.yaml").read_text()
    )
    assert "is a bundled robot" in run("pendulum.yaml")[2]
    assert "did you mean `scara`?" in run("robots", "skara")[2]


def test_the_folder_one_is_in_is_no_output_folder(run, tmp_path):
    for out in (".", tmp_path, tmp_path.parent):
        status, _, err = run("pendulum", "--no-verify", "--out", out)
        assert status == 2
        assert "is or contains the current folder" in err
    assert list(tmp_path.iterdir()) == []


def test_help_and_version(run):
    assert "--no-verify" in run("generate", "--help")[1]
    assert "dynagen ROBOT" in run("--help")[1]
    assert run("--version")[1].startswith("dynagen, version ")


@pytest.mark.tools
def test_a_footprint_lies_beside_the_manifest_and_never_in_it(run, tmp_path):
    status, out, _ = run("planar3", "--real", "float", "--footprint", "cortex-m4", "--out", "x")
    assert status == 0
    assert "Footprint on cortex-m4, in bytes" in out
    footprint = json.loads((tmp_path / "x/planar3.footprint.json").read_text())
    measured = footprint["functions"]["planar3_inverse_dynamics"]
    assert measured["calls"] == ["cosf", "sinf"]
    assert measured["data_bytes"] == 0
    assert 100 < measured["code_bytes"] < 5000
    assert 0 < measured["stack_bytes"] < 1000
    # Sine and cosine of newlib are larger than the kernel, and cost more instructions.
    assert measured["flash_bytes_with_library"] > measured["code_bytes"] + 1000
    assert measured["stack_bytes_with_library"] > measured["stack_bytes"]
    (kernel,) = json.loads((tmp_path / "x/planar3.manifest.json").read_text())["kernels"].values()
    operations = kernel["operations"]["mul"] + kernel["operations"]["add"]
    assert operations < measured["instructions"]["least"] < measured["instructions"]["most"] < 5000
    manifest = json.loads((tmp_path / "x/planar3.manifest.json").read_text())
    assert "planar3.footprint.json" not in manifest["files"]
    assert run("planar3", "--real", "float", "--stale", "--out", "x")[0] == 0
    run("planar3", "--out", "x")  # what is measured for other code goes with it
    assert not (tmp_path / "x/planar3.footprint.json").exists()
    assert run("planar3", "--lang", "python", "--footprint", "host", "--out", "y")[0] == 2
    assert not (tmp_path / "y").exists()


def test_what_cannot_be_measured_takes_no_work_with_it(run, tmp_path, monkeypatch):
    """Report a missing compiler before reading the robot, and rejected code after writing it."""
    monkeypatch.setattr(
        "dynagen.toolchain.footprint.TARGETS", (Target("host", "no-such-", (), "none"),)
    )
    status, _, err = run("no_such_robot", "--footprint", "host", "--no-verify")
    assert (
        status,
        err.startswith("dynagen: no no-such-gcc found, which is required to measure for host"),
    ) == (
        3,
        True,
    )
    monkeypatch.setattr(
        "dynagen.toolchain.footprint.TARGETS", (Target("host", "", ("--no-such-flag",), "gcc"),)
    )
    status, _, err = run("pendulum", "--footprint", "host", "--no-verify", "--out", "x")
    assert (status, err.startswith("dynagen: x is written without its footprint: ")) == (3, True)
    assert run("pendulum", "--no-verify", "--out", "x", "--stale")[0] == 0


def test_options_are_told_before_the_robot_is_read(run):
    for options, said in (
        (("--lang", "cc"), "unknown language 'cc'"),
        (("--cost", "foo"), "foo"),
        (("--threads",), "--threads divides the states of --batch"),
        (("--prefix", "3x"), "3x"),
        (
            ("--lang", "python", "--footprint", "host"),
            "--footprint requires a language that runs without an operating system (c",
        ),
    ):
        status, _, err = run("no_such_robot", *options)
        assert (status, said in err, "no_such_robot" in err) == (2, True, False), err


@pytest.mark.tools
@pytest.mark.parametrize("target", ["cortex-m4", "host"])
def test_a_footprint_does_not_depend_on_how_kernels_are_dealt_out_to_files(run, tmp_path, target):
    options = ("-f", "mass_matrix", "-f", "inverse_dynamics", "--no-verify", "--footprint", target)
    _, out, _ = run("planar3", *options, "--out", "apart")
    assert "gcc -std=c99 -O2" in out
    run("planar3", *options, "--single-file", "--out", "single")
    apart, single = (
        json.loads((tmp_path / name / "planar3.footprint.json").read_text())
        for name in ("apart", "single")
    )
    assert single == apart


def test_what_output_depends_on_is_written_for_build_tools(run, tmp_path):
    (tmp_path / "my robots").mkdir()
    text = (find_robots_folder() / "planar3.yaml").read_text()
    (tmp_path / "my robots/arm#1.yaml").write_text(text)
    status, out, _ = run(
        "my robots/arm#1.yaml", "--no-verify", "--out", "x", "--depfile", "x.d", "--format", "none"
    )
    assert (status, out) == (0, "")
    target, causes = (tmp_path / "x.d").read_text().split(": ")
    assert target == f"{tmp_path}/x/planar3.manifest.json"  # new after every run
    assert causes.startswith(f"{tmp_path}/my\\ robots/arm\\#1.yaml ")
    assert causes.endswith("/dynagen/version.py\n")
    assert run("planar3", "--no-verify", "--out", "x", "--depfile", "no/such/folder/x.d")[0] == 2


def test_a_stamp_is_written_at_the_end_of_a_successful_run_and_named_by_the_dependency_file(
    run, tmp_path
):
    build = ("planar3", "--no-verify", "--out", "x", "--depfile", "x.d", "--stamp", "x.stamp")
    assert run(*build)[0] == 0
    assert (tmp_path / "x.d").read_text().startswith(f"{tmp_path}/x.stamp: ")
    (tmp_path / "x.stamp").unlink()
    assert run(*build, "-f", "levitation")[0] == 2
    assert not (tmp_path / "x.stamp").exists()


def test_a_cost_other_than_the_number_of_operations_is_in_the_manifest_and_in_the_report(run):
    assert "cost" not in json.loads(
        run("planar3", "--no-verify", "--format", "json", "--out", "plain")[1]
    )
    status, out, err = run(
        "planar3", "--no-verify", "--format", "json", "--cost", "softfloat", "--out", "soft"
    )
    assert (status, err) == (0, "")
    report = json.loads(out)
    assert report["cost"] == "softfloat"
    by_count, by_cycles = report["kernels"]["inverse_dynamics"]["measured"]["costs"]
    operations = report["kernels"]["inverse_dynamics"]["operations"]
    assert by_count["cost"] == operations["mul"] + operations["add"] + operations["div"]
    assert by_cycles["model"] == "softfloat"
    assert by_cycles["cost"] > 100 * by_count["cost"]
    assert all(0 < each["critical_path"] <= each["cost"] for each in (by_count, by_cycles))
    status, out, _ = run("planar3", "--no-verify", "--cost", "softfloat", "--out", "soft")
    assert "Cost and critical path" in out
    assert "without sines and cosines" not in out
    out = run("planar3", "--no-verify", "--cost", "cortex-m4", "--out", "hard")[1]
    assert "without sines and cosines; --footprint counts" in out
    assert run("planar3", "--cost", "soft")[2].startswith(
        "dynagen: unknown cost 'soft'; did you mean `softfloat`?"
    )
