"""xacro files: programs of macros and Python expressions that write a URDF.

xacro evaluates `${...}` as Python code. The checks of xacro do not reach into a lambda or a
comprehension, so that the code can access any class and the operating system. Running an unknown
xacro file is therefore not safe. A file that the user trusts is run by the package xacrodoc, in a
separate process, for a limited time.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from dynagen.errors import Fault, RobotDescriptionError, UsageError, clip, suggest_word
from dynagen.resources import require_extra
from dynagen.robot.options import ReadingOptions

_SECONDS = 60
# Source of the separate process. `requested` collects the names of arguments that xacro looks up:
# it accepts values of any name, and does not report unused ones. `report` prints one line, the last
# one.
_READ = """
import json, os, sys
import xacro
from xacrodoc import XacroDoc
requested = {}
class Arguments(dict):
    def __contains__(self, name):
        requested[name] = True
        return super().__contains__(name)
    def __getitem__(self, name):
        requested[name] = True
        return super().__getitem__(name)
def report(kind, error, trace):
    message = " ".join(str(error).split()) or kind.__name__
    for macro in (xacro.macrostack or [])[-1:]:
        source = os.path.relpath(macro.history[-1][-1] or file)
        message += f", in macro {macro.body.getAttribute('name')} of {source}"
    print(message, file=sys.stderr)
sys.excepthook = report
folder, file, arguments = sys.argv[1:]
os.chdir(folder)  # includes are relative to this folder
arguments = Arguments(json.loads(arguments))
document = XacroDoc.from_file(file, subargs=arguments, resolve_packages=False)
"""
_EXPAND = _READ + "print(json.dumps([document.to_urdf_string(), list(requested)]))"
_LIST = _READ + "print(json.dumps(list(map(os.path.abspath, xacro.all_includes))))"


def expand_xacro(data: bytes, path: str, options: ReadingOptions) -> bytes:
    """Run a xacro file, and return the URDF file that it writes.

    Args:
        data: content of the file. xacro reads the file again, because it may include other files.
        path: path of the file.
        options: options of reading, of which `trust` and `arguments` are used.

    Raises:
        UsageError: the option `trust` is not set, or the file does not declare a given argument.
        ToolchainError: xacrodoc is not installed.
        RobotDescriptionError: the file cannot be run.
    """
    if not options.trust:
        raise UsageError(
            f"{path} is xacro, a program in Python that can do anything that you can do on this "
            "machine: if you trust it and all files that it includes, use --trust "
            "(in Python trust=True)"
        )
    require_extra("xacrodoc", "xacro", f"to expand {path}")
    given = dict(options.arguments)
    text, known = json.loads(_run_program(_EXPAND, Path(path), given))
    for name in given:
        if name not in known:
            listed = f"it has {clip(', '.join(known), 300)}" if known else "it has no arguments"
            raise UsageError(
                f"{path} has no argument `{clip(name)}` (--arg)"
                f"{suggest_word(name, known)}; {listed}"
            )
    return str(text).encode()


def list_xacro_includes(path: str, options: ReadingOptions) -> list[str]:
    """Run a xacro file again and return the files that it includes.

    Args:
        path: path of the file.
        options: the options of the first run.
    """
    return list(map(str, json.loads(_run_program(_LIST, Path(path), dict(options.arguments)))))


def _run_program(program: str, path: Path, arguments: dict[str, str]) -> bytes:
    """Run a Python program on a file and return its output."""
    command = [sys.executable, "-c", program, str(path.parent), path.name, json.dumps(arguments)]
    try:
        run = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise RobotDescriptionError(
            str(path), [Fault("", f"xacro did not finish within {_SECONDS} s")]
        ) from None
    if run.returncode:
        lines = run.stderr.decode("utf-8", "replace").strip().splitlines()
        message = lines[-1] if lines else f"exit status {run.returncode}"
        hint = "; give values to arguments with --arg NAME=VALUE" if "arg" in message else ""
        raise RobotDescriptionError(str(path), [Fault("", f"xacro: {clip(message, 300)}{hint}")])
    return run.stdout
