"""Measurement of code and stack: the compiler's figures, and messages on missing tools."""

import pytest

from dynagen.errors import ToolchainError, UsageError
from dynagen.toolchain.footprint import TARGETS, find_target, measure, read_compiler_version

FILES = {
    "include/f.h": "float f(float x);\nfloat g(float x);\n",
    "src/f.c": '#include "f.h"\n#include <math.h>\nfloat f(float x) { return sinf(x) + 1.0f; }\n',
    "src/g.c": '#include "f.h"\nstatic volatile float kept[25];\n'
    "float g(float x) { volatile float many[50]; many[0] = x; kept[1] = x; return many[0]; }\n",
}

EVERY_TARGET = pytest.mark.parametrize(
    "target",
    [
        pytest.param(
            target, id=target.name, marks=() if target.name == "host" else pytest.mark.tools
        )
        for target in TARGETS
    ],
)


@EVERY_TARGET
def test_code_data_stack_and_calls_are_measured(target):
    f, g = measure(target, FILES)
    assert (f.function, f.data, f.calls) == ("f", 0, ("sinf",))
    assert (g.function, g.data, g.calls) == ("g", 100, ())
    assert 8 <= f.code <= 100
    assert (
        80 <= g.stack <= 300
    )  # an array of 200 bytes, of which x86-64 has 128 below the stack pointer
    assert f.stack <= 32
    assert "gcc" in read_compiler_version(target)


@pytest.mark.tools
def test_two_functions_in_one_file_are_told_apart():
    both = {
        "include/f.h": FILES["include/f.h"],
        "src/both.c": FILES["src/f.c"] + "float g(float x) { return f(f(x)); }\n",
    }
    f, g = measure(find_target("cortex-m4"), both)
    assert (f.function, g.function) == ("f", "g")
    assert f.code != g.code


@EVERY_TARGET
def test_static_functions_count_with_the_one_that_calls_them(target):
    static = (
        "static __attribute__((noinline)) float h(float x) "
        "{ volatile float many[50]; many[0] = x; return many[0] + 1.0f; }\n"
    )
    source = f'#include "f.h"\n{static}float g(float x) {{ return h(x) * 2.0f; }}\n'
    (g,) = measure(target, {"include/f.h": FILES["include/f.h"], "src/g.c": source})
    (alone,) = measure(
        target, {"include/f.h": FILES["include/f.h"], "src/g.c": source.replace("h(x) *", "x *")}
    )
    assert g.function == "g"
    assert g.code > alone.code
    # Of the array's 200 bytes x86-64 has 128 below the stack pointer.
    assert g.stack >= alone.stack + 80


def test_what_gcc_specialises_and_what_calls_what_count_with_their_origin():
    """A batch kernel calls its static loop, and the loop calls a rare path; gcc clones both."""
    noinline = "static __attribute__((noinline)) float"
    source = f"""#include "f.h"
{noinline} rare(float x, int n)
{{ volatile float many[200]; many[0] = x; return many[0] + (float)n; }}
{noinline} loop(float x, int n)
{{ volatile float many[100]; many[0] = x; return rare(x, n) + many[0] * (float)n; }}
{noinline} other(float x) {{ volatile float many[300]; many[0] = x; return many[0]; }}
float f(float x) {{ return loop(x, 3) + 1.0f; }}
float g(float x) {{ return other(x) + 1.0f; }}
"""
    f, g = measure(find_target("host"), {"include/f.h": FILES["include/f.h"], "src/f.c": source})
    assert (f.function, g.function) == ("f", "g")
    assert (
        4 * (100 + 200) <= f.stack + 128 <= 4 * 500
    )  # of which 128 bytes may lie below the stack pointer
    assert 4 * 300 <= g.stack + 128 <= 4 * 400
    assert f.code > g.code


def test_a_missing_compiler_is_named_with_its_packages(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        ToolchainError, match=r"no arm-none-eabi-gcc found.*apt-get install gcc-arm-none-eabi"
    ):
        measure(find_target("cortex-m4"), FILES)


@pytest.mark.tools
def test_refused_source_shows_what_the_compiler_says():
    with pytest.raises(ToolchainError, match="undeclared"):
        measure(find_target("cortex-m4"), {"src/f.c": "int f(void) { return undeclared; }\n"})


def test_an_unknown_target_is_refused_with_the_known_ones():
    with pytest.raises(
        UsageError, match="unknown target 'pdp-11'; expected one of cortex-m4, host"
    ):
        find_target("pdp-11")
