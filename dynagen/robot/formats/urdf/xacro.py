"""xacro: a program in macros and Python expressions -> the URDF that it writes, if the user trusts the program.

xacro evaluates `${...}` as Python. It forbids names that begin with two underscores, but not inside a lambda or a
comprehension, from where any class can be reached, and with it the operating system. Nothing makes that safe, so that such a
file is run only where the user says so: by the package xacrodoc, in a process of its own, for a limited time.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from dynagen.errors import Fault, RobotDescriptionError, UsageError, did_you_mean, shown
from dynagen.resources import require_extra
from dynagen.robot.options import ReadingOptions

_SECONDS = 60
_READ = """
import json, os, sys
import xacro
from xacrodoc import XacroDoc
asked = {}
class Arguments(dict):  # xacro itself takes values by any name, and never says that it has asked for none of it
    def __contains__(self, name):
        asked[name] = True
        return super().__contains__(name)
    def __getitem__(self, name):
        asked[name] = True
        return super().__getitem__(name)
def tell(kind, error, trace):  # in one line, which is the last
    said = " ".join(str(error).split()) or kind.__name__
    for macro in (xacro.macrostack or [])[-1:]:
        said += f", in macro {macro.body.getAttribute('name')} of {os.path.relpath(macro.history[-1][-1] or file)}"
    print(said, file=sys.stderr)
sys.excepthook = tell
folder, file, arguments = sys.argv[1:]
os.chdir(folder)  # which files are included from
document = XacroDoc.from_file(file, subargs=Arguments(json.loads(arguments)), resolve_packages=False)
"""
_EXPAND = _READ + "print(json.dumps([document.to_urdf_string(), list(asked)]))"
_LIST = _READ + "print(json.dumps(list(map(os.path.abspath, xacro.all_includes))))"


def expand_xacro(data: bytes, path: str, options: ReadingOptions) -> bytes:
    """Run a xacro file: the content of the URDF that it writes.

    Args:
        data: the file's content, which is read again from its path, because it may include others.
        path: of the file.
        options: values of its arguments, and whether to run it.

    Raises:
        UsageError: the options do not trust the file, or give values to arguments that it does not have.
        ToolchainError: xacrodoc is not installed.
        RobotDescriptionError: the file cannot be run.
    """
    if not options.trust:
        raise UsageError(
            f"{path} is xacro, a program in Python, and nothing keeps it from doing what you can do on this machine: "
            "if you trust it, and all that it includes, say --trust (in Python trust=True)"
        )
    require_extra("xacrodoc", "xacro", f"to expand {path}")
    given = dict(options.arguments)
    text, asked = json.loads(_said(_EXPAND, Path(path), given))
    for name in given:
        if name not in asked:
            has = f"it has {shown(', '.join(asked), 300)}" if asked else "it has none"
            raise UsageError(
                f"{path} has no argument `{shown(name)}` (--arg){did_you_mean(name, asked)}; {has}"
            )
    return str(text).encode()


def xacro_includes(path: str, options: ReadingOptions) -> list[str]:
    """The files that a xacro file, which has been expanded with these options, includes; it is run again."""
    return [str(each) for each in json.loads(_said(_LIST, Path(path), dict(options.arguments)))]


def _said(program: str, path: Path, arguments: dict[str, str]) -> bytes:
    """Run a Python program on a file: what it prints."""
    command = [sys.executable, "-c", program, str(path.parent), path.name, json.dumps(arguments)]
    try:
        run = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise RobotDescriptionError(
            str(path), [Fault("", f"xacro has not come to an end in {_SECONDS} s")]
        ) from None
    if run.returncode:
        said = run.stderr.decode("utf-8", "replace").strip().splitlines() or [
            f"exit status {run.returncode}"
        ]
        hint = "; give values to arguments with --arg NAME=VALUE" if "arg" in said[-1] else ""
        raise RobotDescriptionError(str(path), [Fault("", f"xacro: {shown(said[-1], 300)}{hint}")])
    return run.stdout
