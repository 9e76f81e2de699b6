"""Table of all commands, and entry point of the command line with its exit statuses."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

import rich_click as click
from click.shell_completion import CompletionItem

from dynagen.cli.commands import HELP_SETTINGS, strip_lines
from dynagen.cli.completion import complete_robot
from dynagen.errors import DynagenError, UsageError, find_nearest
from dynagen.memory import reduce_garbage_collection
from dynagen.version import __version__

_BROKEN_PIPE = 141  # exit status that shells report for a program ended by a closed pipe
_CMAKE_DIR = "Print the folder to use as dynagen_DIR in CMake, for find_package(dynagen), and exit."


def _print_cmake_folder(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    """Print the folder of dynagenConfig.cmake and exit; click calls this for `--cmake-dir`."""
    if wanted:
        from dynagen.resources import find_cmake_folder

        click.echo(find_cmake_folder())
        context.exit()


_ALL_COMMANDS = {
    "generate": ("cli.generate", "Generate code for a robot, prove it and write it."),
    "check": (
        "apps.viewer.command",
        "Show frames, masses and limits of a robot, with warnings; cross-check it with another "
        "tool.",
    ),
    "report": (
        "apps.literature.command",
        "Show the operation counts of a robot's functions, and compare them with published counts.",
    ),
    "equations": (
        "apps.equations.command",
        "Print the equations of a function for one robot, as a recursion or in closed form.",
    ),
    "wheel": (
        "cli.wheel",
        "Build a Python package with compiled functions, to install with pip.",
    ),
    "schedule": (
        "apps.scheduling.command",
        "Schedule a function on several processors or arithmetic units.",
    ),
    "simulate": ("apps.simulation.command", "Simulate the motion of a robot."),
    "excite": (
        "apps.excitation.command",
        "Find an exciting trajectory for the identification of a robot.",
    ),
    "identify": (
        "apps.identification.command",
        "Identify a robot's parameters from logs of its motion and joint forces.",
    ),
    "bench": (
        "apps.benchmarking.command",
        "Time a robot's functions, and compare with other tools.",
    ),
    "verify": ("cli.verify", "Compile and prove the code in a folder again."),
    "bound": (
        "cli.bound",
        "Bound the rounding errors of a robot's functions over the joint ranges.",
    ),
    "convert": ("cli.convert", "Convert a robot description to another syntax."),
    "functions": ("cli.listings", "List the functions that can be generated."),
    "targets": ("cli.listings", "List the targets: the forms of delivery, and their users."),
    "robots": ("cli.listings", "List the bundled robots, or print the description of one."),
    "cache": ("cli.cache", "Show or empty the cache of compiled functions."),
    "schema": ("cli.listings", "Print the JSON Schema of robot descriptions."),
    "help": ("cli.listings", "Show the help of a command."),
}
"""Mapping from the name of a command to its module and one line of help.

A module is imported only when its command runs, because importing sympy and numpy is slow.
"""

_PACKAGE = Path(__file__).parents[1]
_COMMANDS = {
    name: entry
    for name, entry in _ALL_COMMANDS.items()
    if _PACKAGE.joinpath(*entry[0].split(".")).with_suffix(".py").exists()
}
"""Commands of this installation, without those of applications whose folders are missing."""


class _Listing(click.RichGroup):
    """Group that lists its commands in the order of the table, not alphabetically."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names of all commands, as click requires."""
        return list(self.commands)


class _Commands(click.RichGroup):
    """Group of commands with `generate` as the default.

    An unknown first word is taken as ROBOT: `dynagen puma560` means `dynagen generate puma560`.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands in the order of the table."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if it does not exist."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = getattr(
            import_module(f"dynagen.{_COMMANDS[cmd_name][0]}"), cmd_name
        )
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options and commands of the help, without importing the commands' modules."""
        assert isinstance(formatter, click.RichHelpFormatter)
        commands: dict[str, click.Command] = {
            name: click.RichCommand(name=name, help=line) for name, (_, line) in _COMMANDS.items()
        }
        listed = _Listing(params=self.params, commands=commands)
        listed.format_options(click.RichContext(listed, **HELP_SETTINGS), formatter)

    def get_help(self, ctx: click.Context) -> str:
        """Return the help text without the spaces that rich adds to each line."""
        return strip_lines(super().get_help(ctx))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the first word by a command, a robot or an option."""
        if incomplete.startswith("-"):
            return click.RichCommand.shell_complete(self, ctx, incomplete)
        commands = [
            CompletionItem(name, help=line)
            for name, (_, line) in _COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*complete_robot(ctx, None, incomplete), *commands]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the first word; a word that is not a command is taken as ROBOT."""
        unknown = bool(args) and args[0] not in _COMMANDS
        words = ["generate", *args] if unknown else args
        if words[:1] == ["generate"] and not ctx.resilient_parsing:  # else a shell completes a word
            _begin_workers(words)  # before this process imports more modules
            if unknown:
                _refuse_misspelt_command(args[0])
        return super().resolve_command(ctx, words)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of the command line; unknown leading options belong to `generate`."""
        if (
            args
            and args[0].startswith("-")
            and args[0] not in ("--help", "-h", "--version", "-V", "--cmake-dir")
        ):
            args = ["generate", *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> None:
        """Run a command, and handle a standard output that is closed or cannot be written."""
        try:
            super().invoke(ctx)
            if sys.stdout is not None:  # closed before the start, as for daemons
                sys.stdout.flush()
        except BrokenPipeError:
            # The reader, for example `head`, has closed the pipe. Files are written by now, and
            # only the rest of the report is lost.
            _discard_output()
            sys.exit(_BROKEN_PIPE)
        except OSError as error:
            if error.filename is not None:
                raise
            _discard_output()
            raise UsageError(
                f"the report cannot be written to standard output: {error.strerror}"
            ) from None


def _discard_output() -> None:
    """Redirect standard output to the null device, so that Python reports no error at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse_misspelt_command(word: str) -> None:
    """Refuse a word that is neither a file nor a robot and is similar to a command."""
    from dynagen.resources import list_bundled_robots

    known = list_bundled_robots()
    near = find_nearest(word, [*_COMMANDS, *known])
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
    """Start worker processes early if several functions are requested.

    The worker processes then import modules at the same time as this process.
    """
    if (
        "all" in words or words.count("-f") + words.count("--function") > 1
    ) and "--jobs" not in words:
        import_module("dynagen.processes").begin_workers()


@click.group(cls=_Commands, context_settings=HELP_SETTINGS)
@click.version_option(__version__, "-V", "--version", prog_name="dynagen")
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
    dynagen ROBOT --lang c      generate code, prove it and write it
    dynagen check ROBOT         inspect a robot model before you use it
    dynagen report ROBOT        count the operations of its functions
    dynagen simulate ROBOT      simulate its motion
    dynagen excite ROBOT        find an exciting trajectory for identification
    dynagen identify ROBOT LOG  identify its parameters from logs
    dynagen verify DIR          compile and prove the code in a folder again

    ROBOT is a file (YAML, URDF, xacro or MJCF) or the name of a bundled robot such as puma560.

    Exit status: 0 success, 1 proof failed or output stale, 2 invalid input, 3 toolchain missing.
    """  # noqa: D301 # \b is click's mark for text that keeps its lines


def main(arguments: list[str] | None = None) -> None:
    """Run the command line.

    A DynagenError is printed as a message and sets the exit status; --debug shows its traceback.

    Args:
        arguments: words after the program's name; None for the arguments of this process.
    """
    words = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in words
    reduce_garbage_collection()  # before the imports of a command, which make many objects
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
