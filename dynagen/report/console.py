"""Consoles: rich on a terminal, plain text of fixed width elsewhere, so that logs and pipes stay readable."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

_WIDTH = 120


class _OutputConsole(Console):
    """A console that leaves it to the program to end where nobody reads any more."""

    def on_broken_pipe(self) -> None:
        """Raise what has happened; rich would exit with the status of a failed proof."""
        raise BrokenPipeError


def new_console() -> Console:
    """A console on standard output."""
    console = _OutputConsole(highlight=False)
    if not console.is_terminal:
        console.width = _WIDTH
    return console


def new_table(console: Console, title: str, *columns: str) -> Table:
    """A table whose first column is text and whose others are numbers; plain ASCII unless on a terminal."""
    style = box.SIMPLE_HEAD if console.is_terminal else box.ASCII2
    table = Table(title=escape(title), title_justify="default", title_style="bold", box=style)
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index else "left")
    return table
