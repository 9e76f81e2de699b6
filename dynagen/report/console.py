"""Consoles and tables, with colours on a terminal and plain ASCII of fixed width elsewhere."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

_WIDTH = 120


class _OutputConsole(Console):
    """Console that raises BrokenPipeError, so that the command line sets the exit status."""

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError, because rich would exit with 1, the status of a failed proof."""
        raise BrokenPipeError


def make_console() -> Console:
    """Return a console on standard output; if this is not a terminal, lines have 120 characters."""
    console = _OutputConsole(highlight=False)
    if not console.is_terminal:
        console.width = _WIDTH
    return console


def make_table(console: Console, title: str, *columns: str) -> Table:
    """Return a table whose first column is text and whose other columns are numbers.

    Args:
        console: where the table will be printed; plain ASCII unless it is a terminal.
        title: line above the table.
        columns: column heads.
    """
    style = box.SIMPLE_HEAD if console.is_terminal else box.ASCII2
    table = Table(title=escape(title), title_justify="default", title_style="bold", box=style)
    for index, column in enumerate(columns):
        # Long names continue in the next line, instead of an ellipsis that hides their end.
        table.add_column(column, justify="right" if index else "left", overflow="fold")
    return table
