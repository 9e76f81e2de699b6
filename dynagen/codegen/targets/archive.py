"""Archive: a delivery in one zip file, which is written completely or not at all."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from dynagen.errors import UsageError

_TIME = (1980, 1, 1, 0, 0, 0)  # time stamp of all members, so that equal members give equal bytes
_PERMISSIONS = 0o644 << 16


@dataclass(frozen=True)
class Archive:
    """A delivery in one file, a zip archive.

    Attributes:
        name: file name of the archive.
        members: content of each member, by its path in the archive.
    """

    name: str
    members: Mapping[str, bytes]

    @property
    def content(self) -> bytes:
        """Bytes of the zip file; archives with equal members have equal bytes."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content in sorted(self.members.items()):
                entry = zipfile.ZipInfo(path, _TIME)
                entry.external_attr = _PERMISSIONS
                archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
        return packed.getvalue()

    def unpack(self, folder: Path) -> None:
        """Write every member to its path below a folder, which is created if it does not exist."""
        for path, content in self.members.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)


def write_archive(folder: Path, archive: Archive) -> Path:
    """Write an archive into a folder; a file with the same name is replaced.

    Args:
        folder: output folder; created with its parents if it does not exist.
        archive: archive to write.

    Returns:
        Path of the written archive.

    Raises:
        UsageError: the file cannot be written.
    """
    path = folder / archive.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Replacing a file is one step, so that the folder never holds a part of an archive.
        with TemporaryDirectory(dir=folder, prefix="making-") as temporary:
            made = Path(temporary, archive.name)
            made.write_bytes(archive.content)
            os.replace(made, path)
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"cannot write {path}: {reason}; choose another folder with --out, or make this one "
            "writable"
        ) from error
    return path


def find_stale_members(folder: Path, archive: Archive) -> tuple[str, ...]:
    """Return the paths of members in which a new archive differs from the archive on disk.

    The paths include members that only one of the archives has. If the file on disk is missing or
    is not an archive, all members of the new archive are returned.

    Args:
        folder: folder with the archive on disk, which has the same file name.
        archive: the new archive.
    """
    try:
        with zipfile.ZipFile(folder / archive.name) as found:
            present = {path: found.read(path) for path in found.namelist()}
    except (OSError, ValueError, zipfile.BadZipFile):
        present = {}
    paths = sorted({*archive.members, *present})
    return tuple(path for path in paths if present.get(path) != archive.members.get(path))
