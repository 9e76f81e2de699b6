from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.errors import RobotDescriptionError
from dynagen.robot.formats.yaml.document import read_yaml_document


def test_numbers_stay_text_and_every_field_knows_its_line() -> None:
    document = read_yaml_document(
        b"a: 0.10\nb:\n  - {name: arm, c: 1e-3}\n  - yes\n'n': 'null'\nt: true\n", "x.yaml"
    )
    assert document.tree == {
        "a": "0.10",
        "b": [{"name": "arm", "c": "1e-3"}, "yes"],
        "n": "null",
        "t": True,
    }
    assert document.find_line(("b", 0, "c")) == 3
    assert document.find_line(("b", 1)) == 4
    assert document.find_line(("b", 0, "missing", "deeper")) == 3
    assert document.describe_place(("b", 0, "c")) == "b[0] (arm).c"
    assert document.describe_place(("b", 1)) == "b[1]"


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (
            "a: !!python/object:os.system x",
            [
                (
                    ("a",),
                    "the tag `tag:yaml.org,2002:python/object:os.system` is not supported",
                )
            ],
        ),
        (
            "a: !!float 1",
            [(("a",), "the tag `tag:yaml.org,2002:float` is not supported: remove it")],
        ),
        (
            "a: &x [1]\nb: *x",
            [
                (("a",), "the anchor `&x` is not supported: write the value out"),
                (("b",), "the alias `*x` is not supported: write the value out"),
            ],
        ),
        (
            "a:\n  <<: {b: 1}",
            [(("a", "<<"), "the merge key `<<` is not supported: write the keys out")],
        ),
        ("a: 1\nb: 2\na: 3", [(("a",), "`a` is given twice, the second time in line 3")]),
        ("a:\nb: ~\nc: null", [((key,), "no value is given") for key in "abc"]),
        ('a: "\\0"', [(("a",), "control character U+0000 in a text")]),
        ('"\\e": 1', [(("\x1b",), "a key must be a plain word")]),
    ],
)
def test_what_yaml_allows_and_descriptions_do_not(
    text: str, faults: list[tuple[tuple[str, ...], str]]
) -> None:
    found = read_yaml_document(text.encode(), "x.yaml").faults
    assert [path for path, _ in found] == [path for path, _ in faults]
    for (_, message), (_, start) in zip(found, faults, strict=True):
        assert message.startswith(start)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "x.yaml:1: the file is empty; expected the keys name, convention, gravity and links"),
        (
            b"<?xml version='1.0'?>\n<robot/>",
            "x.yaml:1: expected YAML, found XML: the name of a URDF file must end in .urdf",
        ),
        (b"- 1", "x.yaml:1: expected a mapping with the keys name, convention, gravity and links"),
        (b"a: 1\n---\nb: 1", "x.yaml:2: a second document starts here; a file describes one robot"),
        (b"a: 1\nb: c: d", "x.yaml:2: not valid YAML: mapping values are not allowed here"),
        (
            b"a: 1\n\tb: 2",
            "x.yaml:2: not valid YAML: found character '\\t' that cannot start any token; "
            "write spaces instead of tabs",
        ),
        (b"a: [1", "x.yaml:1: not valid YAML: expected ',' or ']', but got '<stream end>'"),
        (b"a: 1\nb: \xff", "x.yaml:2: not UTF-8 text (byte 0xff): save the file as UTF-8"),
        (b"\x7fELF\x02", "x.yaml:1: control character U+007F: this is not plain text"),
        ("a: 1\nb: \u202e1".encode(), "x.yaml:2: control character U+202E: this is not plain text"),
        (b"a: " + b"[" * 30, "x.yaml:1: nested deeper than 20 levels"),
        (b"[" * 100_000, "x.yaml:1: nested deeper than 20 levels"),
        (b"? [a]\n: 1", "x.yaml:1: a key must be a plain word"),
        (b"a" * 1_000_001, "x.yaml: larger than 1000000 bytes: this is not a robot description"),
    ],
)
def test_a_file_that_cannot_be_read_on_is_refused_at_once(data: bytes, message: str) -> None:
    start = time.perf_counter()
    with pytest.raises(RobotDescriptionError) as error:
        read_yaml_document(data, "x.yaml")
    assert str(error.value) == message
    assert time.perf_counter() - start < 5


def test_many_aliases_do_not_multiply() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 15)
    )
    assert len(read_yaml_document(bomb.encode(), "x.yaml").faults) == 15 + 14 * 9


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=60)
    | st.text("ab:-[]{}#&*!|>'\"%@?, \n\t\\01~<", max_size=60).map(str.encode)
)
def test_any_bytes_are_a_tree_or_a_message(data: bytes) -> None:
    try:
        document = read_yaml_document(data, "x.yaml")
    except RobotDescriptionError as error:
        source = error.source
    else:
        source = document.source
        assert all(document.find_line(path) >= 1 for path, _ in document.faults)
    assert source == "x.yaml"
