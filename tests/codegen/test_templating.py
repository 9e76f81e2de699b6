"""Templates: their bytecode is kept in `__pycache__`, like the bytecode of modules."""

import os
import sys
from pathlib import Path

import jinja2
import pytest

from dynagen.codegen import templating
from dynagen.codegen.templating import fill


@pytest.fixture
def template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of the only template, `c/greeting.txt.j2`."""
    monkeypatch.setattr(templating, "find_templates_folder", lambda: tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    path = tmp_path / "c" / "greeting.txt.j2"
    path.parent.mkdir()
    path.write_text("Hello {{ name }}.\n", encoding="utf-8")
    return path


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of the names of all templates that jinja2 compiles."""
    names: list[str] = []
    compile_template = jinja2.Environment.compile

    def note(self, source, name, filename):
        names.append(name)
        return compile_template(self, source, name, filename)

    monkeypatch.setattr(jinja2.Environment, "compile", note)
    return names


def greet(name: str) -> str:
    """Fill the template as a new process would."""
    templating._environment.cache_clear()
    return fill("c/greeting.txt.j2", name=name)


def test_a_template_is_compiled_once(template, compiled):
    assert greet("Ada") == "Hello Ada.\n"
    assert [path.suffix for path in (template.parent / "__pycache__").iterdir()] == [".pyc"]
    assert greet("Bob") == "Hello Bob.\n"
    assert compiled == ["c/greeting.txt.j2"]


def test_what_has_changed_is_compiled_again(template, compiled, tmp_path, monkeypatch):
    greet("Ada")
    template.write_text("Goodbye {{ name }}.\n", encoding="utf-8")
    assert greet("Ada") == "Goodbye Ada.\n"
    os.utime(template, (1, 1))
    greet("Ada")
    other = tmp_path / "jinja2.py"
    other.touch()
    os.utime(other, (2, 2))
    monkeypatch.setattr(jinja2, "__file__", str(other))
    greet("Ada")
    greet("Ada")
    assert len(compiled) == 4


def test_no_bytecode_is_written_where_python_writes_none(template, compiled, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert greet("Ada") == greet("Ada") == "Hello Ada.\n"
    assert not (template.parent / "__pycache__").exists()
    assert len(compiled) == 2


def test_an_error_in_a_template_names_its_line(template):
    template.write_text("Hello\n{{ missing.name }}.\n", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(jinja2.UndefinedError) as caught:
            greet("Ada")
        assert (template, 2) in [(each.path, each.lineno + 1) for each in caught.traceback]
