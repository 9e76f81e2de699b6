"""Finding back ends, names, and what all languages have in common."""

import re

import pytest
from packages import package, texts

from dynagen.backends import BACKENDS, find_backend
from dynagen.backends.naming import NameTable, c_identifier
from dynagen.errors import UsageError


def test_languages_are_found_by_name_and_alias_in_any_case():
    for backend in BACKENDS:
        for name in (backend.name, *backend.aliases, backend.name.upper()):
            assert find_backend(name) is backend
    names = [name for backend in BACKENDS for name in (backend.name, *backend.aliases)]
    assert len(names) == len(set(names))


def test_an_unknown_language_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="unknown language 'rust'; expected one of c, fortran, python"):
        find_backend("rust")


@pytest.mark.parametrize(
    ("name", "identifier"),
    [("puma560", "puma560"), ("My Robot-2 (left)", "My_Robot_2_left"), ("Émile", "Emile"), ("__a__b", "a_b")],
)
def test_a_robots_name_becomes_an_identifier(name, identifier):
    assert c_identifier(name) == identifier


@pytest.mark.parametrize("name", ["", "2r", "机器人", "___", "../evil"[:2]])
def test_a_name_without_a_first_letter_is_refused(name):
    with pytest.raises(UsageError, match="has to begin with a letter"):
        c_identifier(name)


def test_names_are_claimed_once():
    table = NameTable({"int", "Q"})
    assert [table.claim(name) for name in ("int", "q", "a", "a", "A", "int_")] == ["int_", "q_", "a", "a_", "A__", "int__"]


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
def test_every_readme_is_complete(backend):
    readme = texts(backend.render(package()))["README.md"]
    assert readme.startswith("# puma560: dynamics in ")
    assert (
        "| `" + backend.symbol(package(), package().kernels[0]) + "` | tau = ID(q, qd, qdd) | 7 | 10 | 2 | 1 | 3 | 3 |"
        in readme
    )
    assert "Proved on 1000 states within 1e-12. The references were Newton-Euler and Lagrange." in readme
    assert "This code belongs to whoever generated it" in readme
    assert "{{" not in readme
    assert not re.search(r"\n\n\n|[ \t]\n", readme)
    assert readme.endswith("\n")
    assert not readme.endswith("\n\n")


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
def test_source_is_tidy(backend):
    for path, text in texts(backend.render(package())).items():
        assert text.isascii(), path
        assert not re.search(r"[ \t]\n", text), path
        assert text.endswith("\n"), path
        assert "\t" not in text, path
