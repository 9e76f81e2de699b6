"""Completion of robots, functions and files in shells.

The functions are called by click: (context, parameter, incomplete word) -> completions. A
completion imports the listed names only when a shell calls it.
"""

from __future__ import annotations

import rich_click as click
from click.shell_completion import CompletionItem

from dynagen.resources import list_bundled_robots


def complete_robot(
    context: click.Context, parameter: click.Parameter | None, incomplete: str
) -> list[CompletionItem]:
    """Complete a robot: the bundled robots, and files."""
    # The item of type file comes first: bash forgets the items before it.
    names = [name for name in list_bundled_robots() if name.startswith(incomplete)]
    return [
        CompletionItem(incomplete, type="file"),
        *(CompletionItem(name, help="bundled robot") for name in names),
    ]


def complete_file(
    context: click.Context, parameter: click.Parameter | None, incomplete: str
) -> list[CompletionItem]:
    """Complete the path of a file."""
    return [CompletionItem(incomplete, type="file")]


def complete_function(
    context: click.Context, parameter: click.Parameter | None, incomplete: str
) -> list[CompletionItem]:
    """Complete a function, also the last one of a fused function: `mass_matrix+grav`."""
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
