"""Single files that users ask for: written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import mkstemp

from dynagen.errors import UsageError


def write_whole(path: Path, text: str, option: str) -> None:
    """Replace a file by another in one step.

    Args:
        path: of the file.
        text: its new content.
        option: of the command line, that named it.

    Raises:
        UsageError: the file cannot be written.
    """
    try:
        descriptor, new = mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            os.chmod(new, 0o644)
            os.replace(new, path)
        except OSError:
            os.unlink(new)
            raise
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; choose another file with {option}") from error
