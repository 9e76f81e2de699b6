"""`dynagen ROBOT ...` and its sisters: the entry point, and how errors leave it."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

import click

from dynagen.errors import DynagenError, UsageError, nearest
from dynagen.resources import bundled_robots, cmake_folder
from dynagen.version import __version__

_NOBODY_READS = 141  # what a shell says of a program that a closed pipe has ended
_CMAKE_DIR = "Print the folder that find_package(dynagen) needs as dynagen_DIR, and exit."


def _print_cmake_folder(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(cmake_folder())
        context.exit()


_ALL_COMMANDS = {
    "generate": ("cli.generate", "Generate code for a robot, prove it and write it."),
    "check": ("apps.viewer.command", "Show what a robot looks like, and what is suspicious."),
    "report": (
        "apps.literature.command",
        "Show what a robot's functions cost, pass by pass and beside the counts of others.",
    ),
    "wheel": (
        "cli.wheel",
        "Make a Python package of a robot's functions, compiled, to install with pip.",
    ),
    "schedule": (
        "apps.scheduling.command",
        "Schedule a function on several processors or arithmetic units.",
    ),
    "simulate": ("apps.simulation.command", "Simulate the motion of a robot."),
    "excite": ("apps.excitation.command", "Seek a motion for the identification of a robot."),
    "identify": (
        "apps.identification.command",
        "Identify a robot's parameters from logs of its motion and joint forces.",
    ),
    "bench": ("apps.benchmarking.command", "Time a robot's functions beside those of other tools."),
    "verify": ("cli.verify", "Prove again what lies on disk."),
    "convert": ("cli.convert", "Write a robot's description in another syntax."),
    "functions": ("cli.listings", "List the functions that can be generated."),
    "robots": ("cli.listings", "List the bundled robots, or print the description of one."),
    "schema": ("cli.listings", "Print the JSON Schema of robot descriptions."),
}
"""Commands by name: the module, imported when the command runs, and a line of help. The function has the command's name."""

_PACKAGE = Path(__file__).parents[1]
_COMMANDS = {
    name: entry
    for name, entry in _ALL_COMMANDS.items()
    if _PACKAGE.joinpath(*entry[0].split(".")).with_suffix(".py").exists()
}
"""Commands of this installation: an application whose folder is left out has none."""


class _Commands(click.Group):
    """A group that takes an unknown first word for a robot: `dynagen puma560` is `dynagen generate puma560`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = getattr(
            import_module(f"dynagen.{_COMMANDS[cmd_name][0]}"), cmd_name
        )
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS:
            _refuse_misspelt_command(args[0])
            args = ["generate", *args]
        if args[:1] == ["generate"]:
            _begin_workers(args)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # Options of `generate` may come before the robot; the group itself has only these.
        if (
            args
            and args[0].startswith("-")
            and args[0] not in ("--help", "-h", "--version", "--cmake-dir")
        ):
            args = ["generate", *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> None:
        try:
            super().invoke(ctx)
            sys.stdout.flush()
        except (
            BrokenPipeError
        ):  # `| head` has read enough: all work is done, and only the rest of the report is lost
            _discard_output()
            sys.exit(_NOBODY_READS)
        except OSError as error:
            if error.filename is not None:
                raise
            _discard_output()
            raise UsageError(
                f"the report cannot be written to standard output: {error.strerror}"
            ) from None


def _discard_output() -> None:
    """Let nothing more be written to standard output, or Python complains at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse_misspelt_command(word: str) -> None:
    """A word that is neither a file nor a robot, and that is nearer to a command than to any robot."""
    known = bundled_robots()
    near = nearest(word, [*_COMMANDS, *known])
    if (
        near in _COMMANDS
        and word not in known
        and not Path(word).suffix
        and not os.path.exists(word)
    ):
        raise UsageError(
            f"there is no command, file or bundled robot `{word}`; did you mean `dynagen {near}`?"
        )


def _begin_workers(words: list[str]) -> None:
    """Let processes import what they need while this one does, where several functions are asked for."""
    if (
        "all" in words or words.count("-f") + words.count("--function") > 1
    ) and "--jobs" not in words:
        import_module("dynagen.processes").begin_workers()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dynagen")
@click.option(
    "--cmake-dir",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_cmake_folder,
    help=_CMAKE_DIR,
)
def dynagen() -> None:
    """Generate the smallest correct dynamics code for exactly your robot.

    \b
    dynagen ROBOT --lang c      generate, compile and prove (the same as `dynagen generate ROBOT`)
    dynagen check ROBOT         look at a model before trusting it
    dynagen report ROBOT        see what its functions cost, and what they cost elsewhere (--compare)
    dynagen simulate ROBOT      see how it moves
    dynagen excite ROBOT        find the motion that its parameters are measured by
    dynagen identify ROBOT LOG  find its parameters from logs
    dynagen verify DIR          prove again what lies on disk

    ROBOT is the path of a description in YAML, URDF, xacro or MJCF, or the name of a bundled robot.

    Exit status: 0 ok, 1 a proof failed or output is stale, 2 bad input, 3 no toolchain.
    """  # noqa: D301 # \b is click's mark for text that keeps its lines


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; DynagenErrors become a message and an exit status, with a traceback only under --debug."""
    words = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in words
    try:
        dynagen.main(
            [word for word in words if word != "--debug"],
            prog_name="dynagen",
            standalone_mode=False,
        )
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except click.Abort:
        click.echo("Interrupted; nothing was written.", err=True)
        sys.exit(130)
    except DynagenError as error:
        if debug:
            raise
        click.echo(f"dynagen: {error}", err=True)
        sys.exit(error.exit_code)
