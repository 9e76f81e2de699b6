"""Writing of generated files to disk, and comparison with the files on disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dynagen.codegen.targets.archive import find_stale_members, write_archive
from dynagen.codegen.targets.folder import find_stale_files, write_folder
from dynagen.pipeline.generation import Generation
from dynagen.pipeline.staleness import explain_staleness


def choose_default_folder(generation: Generation) -> Path:
    """Return the output folder of runs without --out, such as generated/puma560/c.

    The path is relative to the current folder.
    """
    request = generation.request
    out = request.target.out.replace("<robot>", generation.package.prefix)
    return Path(out.replace("<lang>", request.language.name))


def deliver(generation: Generation, folder: Path) -> Path:
    """Write the generated files of a run to disk.

    Args:
        generation: results of a run; files of unproved results state that they are not proved.
        folder: output folder; a delivery in one file is written into this folder.

    Returns:
        The path of the manifest in the folder, or of the archive for a delivery in one file.

    Raises:
        UsageError: the folder contains files that dynagen has not written, or a file cannot be
            written.
    """
    if generation.archive is not None:
        return write_archive(folder, generation.archive)
    write_folder(folder, generation.contents)
    return folder / generation.manifest.path


@dataclass(frozen=True)
class Staleness:
    """Differences between the files on disk and the files of a new run.

    Attributes:
        files: paths, relative to the folder or archive, of missing or different files.
        reasons: known reasons for the differences, as clauses of a sentence.
    """

    files: tuple[str, ...]
    reasons: tuple[str, ...]


def find_staleness(generation: Generation, folder: Path) -> Staleness | None:
    """Return the differences between the files on disk and a new run; None without differences."""
    if generation.archive is not None:
        files = find_stale_members(folder, generation.archive)
        missing = not generation.place(folder).exists()
        return Staleness(files, ("the file does not exist",) * missing) if files else None
    files = find_stale_files(folder, generation.contents)
    if not files:
        return None
    return Staleness(files, explain_staleness(folder, generation.manifest.text))
