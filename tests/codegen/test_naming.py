"""Users' text in comments: it stays text."""

import subprocess
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagen.codegen.documentation import describe_arguments
from dynagen.codegen.languages import LANGUAGES
from dynagen.codegen.naming import make_plain_text
from dynagen.codegen.package import Joint
from dynagen.ir.program import Argument, Signature
from dynagen.robot.joints import REVOLUTE
from tests.support.javascript_code import javascript_code
from tests.support.matlab_code import matlab_code
from tests.support.packages import EVERYTHING, kernel, package, render, texts

HOSTILE = [
    "*/ int injected; /*",
    "/*",
    "end of line \\",
    "??/",
    "*??/\n/ int injected;",
    "*\\/ int injected;",
    '""" + undefined + """',
    "'''",
    "new\nline: int injected;",
    "carriage\rreturn\u2028separator\x0cfeed",
    "& ! continued &",
    "\u202e bidirectional \u200b",
    "Zażółć gęślą 机器人 ½ 🤖",
    "{{ version }} {% raw %} ${x} %s {0}",
    "NUL \0 byte \x1b[31m",
    "x" * 5000,
    "|cell|`code`<script>[link](http://example.org)",
    "*" * 50 + "/",
]


@given(st.text())
def test_plain_text_is_one_harmless_line(text):
    plain = make_plain_text(text)
    assert plain.isascii()
    assert plain.isprintable()
    assert len(plain) <= 600
    for dangerous in ("*/", "/*", "??", "\\", '"', "`", "|", "<"):
        assert dangerous not in plain
    assert make_plain_text(plain) == plain


def test_ordinary_text_is_kept():
    text = "Craig (1989), p. 89; Armstrong et al., Table 3: m_2 = 17.4 kg, 50% off"
    assert make_plain_text(text) == text
    assert make_plain_text("Müller & Søn") == "Muller + S?n"


@pytest.fixture(params=HOSTILE, ids=range(len(HOSTILE)))
def hostile(request):
    bad = request.param
    title = bad.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("\r", " ")
    title = " ".join(title.split())
    text = EVERYTHING.replace('"Arithmetic"', f'"{title}"').replace('"a matrix"', f'"{title}"')
    return package(
        kernel(text, bad),
        robot=bad,
        source=bad,
        gravity=bad,
        input_name=bad,
        version=bad,
        input_sha256=bad,
        joints=(Joint(bad, REVOLUTE, bad),) * 3,
    )


@pytest.mark.tools
def test_hostile_text_changes_no_code(hostile, tmp_path):
    for language in LANGUAGES:
        for path, text in texts(render(language.name, hostile)).items():
            assert text.isascii(), path
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
    c = [
        "gcc",
        "-std=c99",
        "-trigraphs",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Iinclude",
        "-fsyntax-only",
    ]
    f_files = ("puma560_dynamics.f90", "example/puma560_example.f90", "test/puma560_golden.f90")
    fortran = ["gfortran", "-std=f2008", "-Wall", "-Werror", "-fsyntax-only", *f_files]
    c_files = ("src/puma560_everything.c", "example/puma560_example.c", "test/puma560_golden.c")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    js_files = ("puma560.js", "example/puma560_example.mjs", "test/puma560_golden.mjs")
    for command in (
        *([*c, file] for file in c_files),
        fortran,
        *(["node", "--check", file] for file in js_files),
    ):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    clean = texts(render("python", package()))
    for path in ("puma560.py", "example/puma560_example.py", "test/puma560_golden.py"):
        assert _code((tmp_path / path).read_text()) == _code(clean[path])
    clean = texts(render("matlab", package()))
    for path in ("puma560_everything.m", "puma560_info.m", "test/puma560_golden.m"):
        assert matlab_code((tmp_path / path).read_text()) == matlab_code(clean[path])
    clean = texts(render("javascript", package()))["puma560.js"]
    assert javascript_code((tmp_path / "puma560.js").read_text()) == javascript_code(clean)


def _code(text):
    """What Python compiles, without documentation and names of joints."""
    module = compile(text, "puma560.py", "exec", optimize=2)
    return [
        module.co_code,
        *(constant.co_code for constant in module.co_consts if hasattr(constant, "co_code")),
    ]


def test_units_of_entries_are_told_where_they_are_few_and_are_the_manifest_s_where_they_are_many():
    few = Argument("Y", (1, 4), ("m", "s", "m", "s"), "numbers", columns=("a", "b", "c", "d"))
    many = replace(few, units=("m", "s", "kg", "rad"))
    (told,), (left,) = (describe_arguments(Signature("f", (), (each,))) for each in (few, many))
    assert told == "Y  out  1 x 4  numbers, m or s"
    assert left == "Y  out  1 x 4  numbers; the manifest lists the unit of each entry"
