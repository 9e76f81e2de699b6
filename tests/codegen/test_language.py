"""Finding languages, names, and what all languages have in common."""

import re
from dataclasses import replace

import pytest

from dynagen.codegen.documentation import describe_symbols
from dynagen.codegen.languages import LANGUAGES, find_language
from dynagen.codegen.naming import NameTable
from dynagen.codegen.reserved_words import check_prefix
from dynagen.errors import InvalidProgramError, UsageError
from dynagen.ir.symbols import MINUS
from tests.support.packages import GRAVITY, kernel, package, render, texts


def test_languages_are_found_by_name_and_alias_in_any_case():
    for each in LANGUAGES:
        for name in (each.name, *each.aliases, each.name.upper()):
            assert find_language(name) is each
    names = [name for each in LANGUAGES for name in (each.name, *each.aliases)]
    assert len(names) == len(set(names))


def test_an_unknown_language_is_refused_with_the_known_ones():
    with pytest.raises(
        UsageError, match="unknown language 'cobol'; expected one of c, cpp, fortran, python, "
    ):
        find_language("cobol")


@pytest.mark.parametrize(
    "word",
    [
        "int",
        "lambda",
        "typeof",
        "class",
        "subroutine",
        "math",
        "numpy",
        "np",
        "console",
        "test",
        "Int",
    ],
)
def test_a_word_of_any_language_or_tool_is_no_prefix(word):
    with pytest.raises(
        UsageError,
        match=f"'{word}' cannot be the prefix of public names: {word.lower()} is a reserved word",
    ):
        check_prefix(word)


@pytest.mark.parametrize("prefix", ["puma560", "Arm_2", "x", "a" * 40])
def test_an_identifier_may_be_the_prefix(prefix):
    assert check_prefix(prefix) == prefix


@pytest.mark.parametrize(
    ("prefix", "fault"),
    [
        ("", "expected a letter"),
        ("2r", "expected a letter"),
        ("my-arm", "followed by letters, digits and underscores"),
        ("arm\n", "followed by letters"),
        ("机器人", "expected a letter"),
        ("../evil", "expected a letter"),
        ("a" * 41, "expected at most 40 characters, found 41"),
        ("double", "double is a reserved word of C;"),
        ("Class", r"class is a reserved word of C\+\+, Python, JavaScript;"),
        ("NumPy", "numpy is a reserved word of"),
    ],
)
def test_any_other_prefix_is_refused(prefix, fault):
    with pytest.raises(UsageError, match=fault):
        check_prefix(prefix)


def test_the_table_of_names_lists_only_what_occurs(language):
    sources = [file.text for file in render(language, package()) if not file.path.endswith(".json")]
    assert any("wp<i>" in text and "an example: wp" in text for text in sources)
    assert not any("an example: absent" in text or MINUS in text for text in sources)


def test_a_name_without_a_symbol_is_a_bug():
    made = kernel(GRAVITY)
    with pytest.raises(
        InvalidProgramError, match="gravity_forces: names without a declared symbol: c, f"
    ):
        describe_symbols([replace(made, program=replace(made.program, symbols=()))])


def test_a_name_with_two_meanings_is_a_bug():
    first, second = (kernel(GRAVITY, meaning=meaning) for meaning in ("a force", "a moment"))
    assert len(describe_symbols([first, first])) == len(describe_symbols([first]))
    with pytest.raises(InvalidProgramError, match="gravity_forces: c has two meanings in one file"):
        describe_symbols([first, second])


def test_names_are_claimed_once():
    table = NameTable({"int", "Q"})
    assert [table.claim(name) for name in ("int", "q", "a", "a", "A", "int_")] == [
        "int_",
        "q_",
        "a",
        "a_",
        "A__",
        "int__",
    ]


def test_every_readme_is_complete(language):
    readme = texts(render(language, package()))["README.md"]
    assert readme.startswith("# puma560: dynamics in ")
    assert (
        "| `"
        + find_language(language).symbol("puma560", "everything")
        + "` | tau = ID(q, qd, qdd) | 7 | 10 | 2 | 1 | 3 | 3 |"
        in readme
    )
    assert (
        "Proved on 1000 states within 1e-12. The references were Newton-Euler and Lagrange.\n"
        "Nothing is off" in readme
    )
    assert "You own the generated code" in readme
    assert "{{" not in readme
    assert not re.search(r"\n\n\n|[ \t]\n", readme)
    assert readme.endswith("\n")
    assert not readme.endswith("\n\n")


def test_source_is_tidy(language):
    for path, text in texts(render(language, package())).items():
        assert text.isascii(), path
        assert not re.search(r"[ \t]\n", text), path
        assert text.endswith("\n"), path
        assert "\t" not in text, path
