"""Commands with grouped options, examples and old spellings of options, based on rich-click.

`@command(example, ...)` declares a command. The help of a command shows groups of options, then
examples. The command's own groups come first, then the groups in `dynagen.options.GROUPS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import rich_click as click
from click.types import IntParamType
from rich.text import Text
from rich_click.rich_panel import RichOptionPanel

from dynagen.options import GROUPS

HELP_SETTINGS: dict[str, Any] = {
    "help_option_names": ["-h", "--help"],
    "rich_help_config": click.RichHelpConfiguration(
        theme="default-slim",
        max_width=100,
        text_paragraph_linebreaks="\n\n",
        padding_helptext_first_line=(0, 0, 1, 0),
        default_string="\\[default: {}]",
    ),
}
"""Settings of click for all commands: names of the help option, and a plain layout of help."""


class Command(click.RichCommand):
    """Command of the command line whose help groups the options.

    Attributes:
        examples: command lines that `--help` shows.
        renamed: mapping from the old spelling of an option to its new spelling. An old spelling
            works, but a note is printed.
    """

    def __init__(
        self,
        *args: Any,
        examples: tuple[str, ...] = (),
        renamed: Mapping[str, str] | None = None,
        **attributes: Any,
    ) -> None:
        super().__init__(
            *args,
            context_settings=HELP_SETTINGS,
            **attributes,
        )
        self.examples = examples
        for parameter in self.params:
            if isinstance(parameter.type, IntParamType) and parameter.metavar is None:
                parameter.metavar = "N"
        flags = {flag for parameter in self.params for flag in parameter.opts}
        self.renamed = {
            **({"--report": "--format"} if "--format" in flags else {}),
            **(renamed or {}),
        }
        self.panels = [RichOptionPanel(group) for group in list_groups(self)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; print a note for each old spelling."""
        return super().parse_args(ctx, list(self._replace_old(args, ctx.resilient_parsing)))

    def _replace_old(self, args: list[str], quiet: bool) -> Iterator[str]:
        """Replace old spellings of options by the new spellings."""
        words = iter(args)
        for word in words:
            if word == "--":
                yield word
                yield from words
            name, equals, value = word.partition("=")
            if name in self.renamed and not quiet:
                click.echo(
                    f"note: {name} is now {self.renamed[name]}; the old spelling works until the "
                    "next minor version",
                    err=True,
                )
            yield self.renamed.get(name, name) + equals + value

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples at the end of the help, as click requests."""
        assert isinstance(formatter, click.RichHelpFormatter)
        formatter.write(Text("\n  ".join(("Examples:", *self.examples))))

    def get_help(self, ctx: click.Context) -> str:
        """Return the help text without the spaces that rich adds to each line."""
        return strip_lines(super().get_help(ctx))


def strip_lines(text: str) -> str:
    """Return text without spaces at the ends of lines, and without double blank lines."""
    lines = [line.rstrip() for line in text.splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip("\n")


def list_groups(command: click.Command) -> list[str]:
    """Return the option groups of a command: its own groups, then the groups in GROUPS."""
    used = [
        str(parameter.panel)
        for parameter in command.params
        if isinstance(parameter, click.RichOption) and parameter.panel
    ]
    own = [group for group in dict.fromkeys(used) if group not in GROUPS]
    return own + [group for group in GROUPS if group in used]


def command(
    *examples: str, renamed: Mapping[str, str] | None = None
) -> Callable[[Callable[..., Any]], Command]:
    """Return a decorator that turns a function into a command.

    Args:
        examples: command lines that the help of the command shows; a test runs or parses each.
        renamed: mapping from the old spelling of an option to its new spelling. An old spelling
            works, but a note is printed.
    """
    return click.command(cls=Command, examples=examples, renamed=renamed)
