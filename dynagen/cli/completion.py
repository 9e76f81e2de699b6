"""Completion of robots, functions and files in shells.

click calls each function with a context, a parameter and an incomplete word; the function returns
completions. Modules that list names are imported only when a shell asks for a completion.
"""

from __future__ import annotations

import rich_click as click
from click.shell_completion import CompletionItem


def complete_robot(
    context: click.Context, parameter: click.Parameter | None, incomplete: str
) -> list[CompletionItem]:
    """Return completions of the argument ROBOT: files and names of bundled robots."""
    from dynagen.resources import list_bundled_robots

    # The item of type file comes first: bash forgets the items before it.
    names = [name for name in list_bundled_robots() if name.startswith(incomplete)]
    return [
        CompletionItem(incomplete, type="file"),
        *(CompletionItem(name, help="bundled robot") for name in names),
    ]


def complete_file(
    context: click.Context, parameter: click.Parameter | None, incomplete: str
) -> list[CompletionItem]:
    """Return the completion item that lets the shell complete the path of a file."""
    return [CompletionItem(incomplete, type="file")]


def complete_function(
    context: click.Context, parameter: click.Parameter | None, incomplete: str
) -> list[CompletionItem]:
    """Return completions of a function's name, also after a `+` as in `mass_matrix+grav`."""
    from dynagen.dynamics.functions import FUNCTIONS
    from dynagen.dynamics.requests import ALL

    first, plus, last = incomplete.rpartition("+")
    listed = {function.name: function.formula for function in FUNCTIONS}
    if not plus:
        listed[ALL] = "all functions of the robot"
    return [
        CompletionItem(first + plus + name, help=meaning)
        for name, meaning in listed.items()
        if name.startswith(last)
    ]
