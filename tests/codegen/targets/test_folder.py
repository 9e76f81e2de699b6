"""Output folders: written completely or not at all; files of users are never touched."""

import json
import subprocess
import sys

import pytest

from dynagen.codegen.package import SourceFile
from dynagen.codegen.targets import folder
from dynagen.codegen.targets.folder import find_stale_files, write_folder
from dynagen.errors import UsageError
from tests.support.root import ROOT

MANIFEST = "arm.manifest.json"


def output(version, *paths):
    """Files of a package whose content tells its version."""
    content = {"schema": 1, "dynagen": "1.0", "files": [*paths, MANIFEST], "version": version}
    return (
        *(SourceFile(path, f"{path} {version}\n") for path in paths),
        SourceFile(MANIFEST, json.dumps(content)),
    )


def tree(folder):
    return {
        str(path.relative_to(folder)): path.read_text() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if not path.is_dir() or not any(path.iterdir())
    }


@pytest.fixture(params=["atomic", "renames"])
def way(request, monkeypatch):
    """Both ways to exchange folders: the system's own, and the one for systems without."""
    if request.param == "renames":
        monkeypatch.setattr(folder, "_exchange_atomically", lambda first, second: False)
    return request.param


@pytest.mark.usefixtures("way")
def test_old_files_are_replaced_or_removed_and_foreign_ones_stay(tmp_path):
    out = tmp_path / "parents" / "are made" / "out"
    write_folder(out, output(1, "include/arm.h", "src/one.c", "old/only.c"))
    (out / "notes.txt").write_text("mine")
    (out / "src" / "mine.c").write_text("mine")
    (out / "empty").mkdir()
    (out / "link").symlink_to("notes.txt")
    second = output(2, "include/arm.h", "src/two.c")
    write_folder(out, second)
    assert tree(out) == {
        **{file.path: file.text for file in second},
        "notes.txt": "mine",
        "src/mine.c": "mine",
        "empty": None,
        "link": "mine",
    }
    assert (out / "link").is_symlink()
    assert not (out / "old").exists()
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_an_empty_folder_is_used_and_keeps_its_mode(tmp_path):
    out = tmp_path / "out"
    out.mkdir(mode=0o700)
    write_folder(out, output(1, "a.c"))
    assert out.stat().st_mode & 0o777 == 0o700
    assert tree(out).keys() == {"a.c", MANIFEST}


def test_folders_without_files_are_empty_as_build_tools_make_them(tmp_path):
    out = tmp_path / "out"
    (out / "src" / "deeper").mkdir(parents=True)
    (out / "include").mkdir()
    write_folder(out, output(1, "src/a.c"))
    assert tree(out).keys() == {"src/a.c", MANIFEST, "include", "src/deeper"}
    (tmp_path / "foreign" / "src").mkdir(parents=True)
    (tmp_path / "foreign" / "src" / "link").symlink_to("nowhere")
    with pytest.raises(UsageError, match=r"is not empty and has no arm\.manifest\.json"):
        write_folder(tmp_path / "foreign", output(1, "a.c"))


@pytest.mark.usefixtures("way")
def test_what_stays_the_same_keeps_its_time_and_the_manifest_is_new(tmp_path):
    def times():
        return {
            path.name: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()
        }

    same, *rest = output(1, "src/same.c", "src/other.c")
    write_folder(tmp_path / "out", [same, *rest])
    before = times()
    _, other, manifest = output(2, "src/same.c", "src/other.c")
    write_folder(tmp_path / "out", [same, other, manifest])
    after = times()
    assert after["same.c"] == before["same.c"]
    assert after["other.c"] > before["other.c"]
    assert after[MANIFEST] > before[MANIFEST]
    write_folder(tmp_path / "out", [same, other, manifest])
    assert times()["other.c"] == after["other.c"]
    assert times()[MANIFEST] > after[MANIFEST]


def test_a_new_folder_has_the_usual_mode(tmp_path):
    (tmp_path / "usual").mkdir()
    write_folder(tmp_path / "out", output(1, "a.c"))
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "usual").stat().st_mode


def manifest_of(**content):
    return json.dumps({"schema": 1, "dynagen": "1.0", "files": ["a.c", MANIFEST], **content})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "is not empty and has no arm.manifest.json"),
        ("not json", "is not a manifest that this version of dynagen can read"),
        ("[]", "is not a manifest"),
        (manifest_of(schema=2), "is not a manifest"),
        (manifest_of(dynagen=None), "is not a manifest"),
        (manifest_of(files=["../victim"]), "is not a manifest"),
        (manifest_of(files=["src/../../victim"]), "is not a manifest"),
        (manifest_of(files=["/etc/passwd"]), "is not a manifest"),
        (manifest_of(files=["..\\victim"]), "is not a manifest"),
        (manifest_of(files=[7]), "is not a manifest"),
        ("[" * 100_000, "is not a manifest"),
    ],
)
def test_a_folder_that_is_not_dynagens_is_refused(tmp_path, content, message):
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.tex").write_text("years of work")
    (tmp_path / "victim").write_text("precious")
    if content is not None:
        (out / MANIFEST).write_text(content)
    before = tree(tmp_path)
    with pytest.raises(UsageError, match=message):
        write_folder(out, output(1, "a.c"))
    assert tree(tmp_path) == before


def test_a_file_or_a_loop_of_links_as_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("text")
    (tmp_path / "loop").symlink_to("loop")
    for name in ("file", "file/below", "loop", "nul\0", "/"):
        with pytest.raises(UsageError):
            write_folder(tmp_path / name, output(1, "a.c"))
    assert (tmp_path / "file").read_text() == "text"


def test_a_file_that_is_in_the_way_is_named_and_kept(tmp_path):
    out = tmp_path / "out"
    write_folder(out, output(1, "a.c"))
    (out / "b.c").write_text("mine")
    before = tree(out)
    with pytest.raises(UsageError, match=r"cannot overwrite .*b\.c"):
        write_folder(out, output(2, "a.c", "b.c"))
    (out / "b.c").unlink()
    (out / "b.c").mkdir()
    with pytest.raises(UsageError, match=r"cannot overwrite .*b\.c"):
        write_folder(out, output(2, "a.c", "b.c"))
    (out / "b.c").rmdir()
    assert tree(out) == {name: text for name, text in before.items() if name != "b.c"}


def test_links_lead_nowhere(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "arm.h").write_text("precious")
    out = tmp_path / "out"
    write_folder(out, output(1, "include/arm.h", "a.c"))

    (out / "a.c").unlink()
    (out / "a.c").symlink_to(outside / "arm.h")
    write_folder(out, output(2, "include/arm.h", "a.c"))
    assert not (out / "a.c").is_symlink()
    assert (out / "a.c").read_text() == "a.c 2\n"

    (out / "include" / "arm.h").unlink()
    (out / "include").rmdir()
    (out / "include").symlink_to(outside)
    with pytest.raises(UsageError, match=r"cannot overwrite .*include"):
        write_folder(out, output(3, "include/arm.h", "a.c"))
    write_folder(out, output(4, "a.c"))
    assert (out / "include").is_symlink()

    (out / MANIFEST).unlink()
    (out / MANIFEST).symlink_to(outside / "manifest")
    with pytest.raises(UsageError, match="has no"):
        write_folder(out, output(5, "a.c"))
    assert tree(outside) == {"arm.h": "precious"}


def test_a_link_to_the_output_folder_is_followed_once(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    write_folder(tmp_path / "link", output(1, "a.c"))
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "a.c").read_text() == "a.c 1\n"


def test_failure_leaves_everything_as_it_was(tmp_path, monkeypatch):
    out = tmp_path / "out"
    write_folder(out, output(1, "a.c"))
    before = tree(tmp_path)

    def refuse(*arguments):
        raise OSError(28, "No space left on device")

    for name in ("_synchronise", "exchange"):
        with monkeypatch.context() as patch:
            patch.setattr(f"dynagen.codegen.targets.folder.{name}", refuse)
            with pytest.raises(UsageError, match="No space left on device; choose another folder"):
                write_folder(out, output(2, "a.c"))
        assert tree(tmp_path) == before


def test_renames_are_undone_if_the_second_one_fails(tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "_exchange_atomically", lambda first, second: False)
    (tmp_path / "old").mkdir()
    with pytest.raises(OSError, match="missing"):
        folder.exchange(tmp_path / "missing", tmp_path / "old", tmp_path / "aside")
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_leftovers_of_a_killed_run_are_cleaned_or_put_back(tmp_path):
    out = tmp_path / "out"
    write_folder(out, output(1, "a.c"))
    (out / "notes.txt").write_text("mine")
    out.rename(tmp_path / ".out.dynagen-old")
    (tmp_path / ".out.dynagen-12345678").mkdir()
    (tmp_path / ".out.dynagen-12345678" / "half").write_text("half")
    others = {".outer.dynagen-12345678", ".out.dynagen-notes"}
    for name in others:
        (tmp_path / name).mkdir()
    write_folder(out, output(2, "a.c"))
    assert tree(out)["notes.txt"] == "mine"
    assert {path.name for path in tmp_path.iterdir()} == {"out", *others}


# Forks a writer that is killed at its first call of a C function that may change the disk, another
# that is killed at its second, and so on until one survives. Between two such calls the disk stays
# the same. After each writer it waits until the test has checked the folder.
KILLER = """
import itertools, os, signal, sys
sys.path.insert(0, {root!r})
from pathlib import Path
from dynagen.codegen.targets.folder import write_folder
from tests.codegen.targets.test_folder import output

CHANGES = (
    "open", "write", "flush", "close", "__exit__", "mkdir", "rmdir", "unlink", "link", "chmod",
    "rename", "flock",
)

def kill_at(number):
    calls = itertools.count(1)
    def profile(frame, event, argument):
        if event == "c_call" and argument.__name__ in CHANGES and next(calls) == number:
            os.kill(os.getpid(), signal.SIGKILL)
    return profile

os.fsync = lambda descriptor: None  # it guards against power failures, and takes most of the time
for number in itertools.count(1):
    files = output(number, "include/arm.h", f"src/{{number % 2}}.c")
    child = os.fork()
    if not child:
        sys.setprofile(kill_at(number))
        write_folder(Path({out!r}), files)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    print(number, os.WIFSIGNALED(status), flush=True)
    input()
"""


@pytest.mark.slow
def test_a_kill_at_any_call_that_changes_the_disk_leaves_the_old_output_or_the_new(tmp_path):
    out = tmp_path / "out"
    write_folder(out, output(0, "include/arm.h", "a.c"))
    (out / "notes.txt").write_text("mine")
    script = KILLER.format(root=str(ROOT), out=str(out))
    versions = [0]
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as killer:
        assert killer.stdin is not None
        assert killer.stdout is not None
        for line in killer.stdout:
            number, killed = line.split()
            files = tree(out)
            manifest = json.loads(files.pop(MANIFEST))
            version, listed = manifest["version"], set(manifest["files"]) - {MANIFEST}
            assert files == {
                "notes.txt": "mine",
                **{path: f"{path} {version}\n" for path in listed},
            }
            assert version in (versions[-1], int(number))
            versions.append(version)
            if killed == "False":
                break
            killer.stdin.write("\n")
            killer.stdin.flush()
        killer.kill()
    assert len(versions) > 40
    assert versions[1] == 0
    assert versions[-1] == int(number)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_stale_files_are_the_missing_and_the_different(tmp_path):
    out = tmp_path / "out"
    files = output(1, "include/arm.h", "a.c", "b.c")
    assert find_stale_files(out, files) == ("include/arm.h", "a.c", "b.c", MANIFEST)
    write_folder(out, files)
    assert find_stale_files(out, files) == ()
    (out / "include" / "arm.h").write_text("include/arm.h 1\r\n", newline="")
    (out / "a.c").unlink()
    (out / "b.c").rename(out / "c.c")
    (out / "b.c").symlink_to("c.c")
    assert find_stale_files(out, files) == ("include/arm.h", "a.c", "b.c")
