"""The command line in process."""

import pytest

from dynagen.cli import progress
from dynagen.cli.main import main


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command line in an empty folder: exit status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(progress, "_SECONDS", 600.0)  # a machine under load says nothing that others do not

    def run(*arguments):
        status = 0
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as exit_:
            status = exit_.code or 0
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run
