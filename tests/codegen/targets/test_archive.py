"""Archives: equal members give equal bytes; a file on disk is compared member by member."""

import zipfile

import pytest

from dynagen.codegen.targets.archive import Archive, find_stale_members, write_archive
from dynagen.errors import UsageError

ARCHIVE = Archive("arm.zip", {"arm/b.txt": b"two", "arm/a.txt": b"one"})


def test_equal_members_in_any_order_give_equal_bytes(tmp_path):
    turned = Archive("arm.zip", dict(reversed(ARCHIVE.members.items())))
    assert turned.content == ARCHIVE.content
    path = write_archive(tmp_path / "new" / "folder", ARCHIVE)
    assert path.read_bytes() == ARCHIVE.content
    assert [entry.name for entry in path.parent.iterdir()] == ["arm.zip"]
    with zipfile.ZipFile(path) as written:
        assert {name: written.read(name) for name in written.namelist()} == ARCHIVE.members


def test_missing_different_and_additional_members_are_stale(tmp_path):
    everything = ("arm/a.txt", "arm/b.txt")
    assert find_stale_members(tmp_path, ARCHIVE) == everything
    write_archive(tmp_path, ARCHIVE)
    assert find_stale_members(tmp_path, ARCHIVE) == ()
    write_archive(tmp_path, Archive("arm.zip", {"arm/a.txt": b"one", "arm/c.txt": b"three"}))
    assert find_stale_members(tmp_path, ARCHIVE) == ("arm/b.txt", "arm/c.txt")
    (tmp_path / "arm.zip").write_bytes(b"not an archive")
    assert find_stale_members(tmp_path, ARCHIVE) == everything


def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "null\0character"):
        with pytest.raises(UsageError, match=r"cannot write .*arm\.zip"):
            write_archive(folder, ARCHIVE)
