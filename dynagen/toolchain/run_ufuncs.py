"""Script that executes calls of functions in an installed package, in a process without dynagen.

    python -I run_ufuncs.py DESCRIPTION

DESCRIPTION is JSON with the folders to search for modules, the floating-point type, and the
functions with the shapes of their inputs and outputs for one state. The script reads each call from
standard input: the index of the function, the number of states and the inputs. The script writes
the results of the call to standard output.
"""

from __future__ import annotations

import json
import struct
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from runpy import run_path
from typing import Any, cast

_FRAMES = 3  # last calls in the traceback of an error


def main(description: dict[str, Any]) -> None:
    """Import functions, and execute calls until standard input is closed.

    One byte is written to standard output when all functions are imported.

    Args:
        description: mapping with the keys `folders` (where to search for modules), `real` (name of
            the floating-point type) and `functions` (module, name and shapes of each function).
    """
    sys.path[:0] = description["folders"]
    vars(sys)["modules"]["dynagen"] = None  # an import of dynagen fails
    import numpy as np

    # The package may print; the pipe carries results only.
    calls, results, sys.stdout = sys.stdin.buffer, sys.stdout.buffer, sys.stderr
    functions = [(_find(entry), entry) for entry in description["functions"]]
    real = np.dtype(description["real"])
    results.write(b"\1")
    results.flush()
    while head := calls.read(struct.calcsize("=II")):
        index, count = struct.unpack("=II", head)
        function, entry = functions[index]
        inputs = []
        for shape in entry["inputs"]:
            size = count * int(np.prod(shape, dtype=np.int64)) * real.itemsize
            inputs.append(np.frombuffer(calls.read(size), real).reshape(count, *shape))
        expected = [(count, *shape) for shape in entry["outputs"]]
        types = [real] * len(expected)
        if entry["can_fail"]:
            expected, types = [*expected, (count,)], [*types, np.dtype(np.int32)]
        outputs = _call(np, function, inputs, entry["one_by_one"] and not entry["caller"])
        found = [(output.shape, output.dtype) for output in outputs]
        if found != list(zip(expected, types, strict=True)):
            raise TypeError(f"{entry['name']}() returned arrays of shapes and types {found}")
        for output in outputs:
            results.write(output.tobytes())
        results.flush()


def _find(entry: dict[str, Any]) -> Callable[..., Any]:
    """Return the function of numpy arrays that `entry` describes.

    It is the function `entry["name"]` of the module, or the result of `make_call` in the file
    `entry["caller"]` if this is not empty.
    """
    if entry["caller"]:
        return cast(Callable[..., Any], run_path(entry["caller"])["make_call"](entry))
    return cast(Callable[..., Any], getattr(import_module(entry["module"]), entry["name"]))


def _call(
    np: Any, function: Callable[..., Any], inputs: Sequence[Any], one_by_one: bool
) -> list[Any]:
    """Call a function on all states at once or one by one; return its results for all states."""

    def call(*state: Any) -> tuple[Any, ...]:
        returned = function(*state)
        return returned if isinstance(returned, tuple) else (returned,)

    if not one_by_one:
        return list(call(*inputs))
    return [np.stack(rows) for rows in zip(*map(call, *inputs), strict=True)]


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]))
    except Exception as error:
        # The calls in the package, without the calls of importlib that lead there.
        traceback.print_exception(error, limit=-_FRAMES)
        sys.exit(1)
