"""MEX functions: C kernels, a gateway for each kernel, and a MATLAB function that builds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dynagen.codegen import documentation
from dynagen.codegen.languages import c
from dynagen.codegen.languages.matlab.writer import CLASSES
from dynagen.codegen.naming import prefix_symbol
from dynagen.codegen.package import Kernel, Package, SourceFile
from dynagen.codegen.templating import fill
from dynagen.ir.program import PARAMS, Argument
from dynagen.robot.names import MAX_NAME

_FOLDER = "mex"
_TYPES = {"double": "double", "single": "float"}


def print_build(package: Package, programs: Sequence[str]) -> tuple[SourceFile, ...]:
    """Return the C files of MEX functions, and the MATLAB function that compiles them.

    `programs`, the paths of the example and the golden test, are not used.
    """
    # The kernels are those of `--lang c`, one in each file.
    kernels = c.C.print_kernels(replace(package, single_file=False, batch=False, threads=False))
    values = {
        "prefix": package.prefix,
        "macro": package.prefix.upper(),
        "real": CLASSES[package.real],
        "type": _TYPES[CLASSES[package.real]],
        "origin": documentation.describe_origin(package),
    }
    gateways = [
        _describe(package, kernel, number) for number, kernel in enumerate(package.kernels, 1)
    ]
    has_matrices = any(gateway.declared for gateway in gateways)
    files = (
        *(SourceFile(f"{_FOLDER}/{file.path}", file.text) for file in kernels),
        SourceFile(
            f"{_FOLDER}/{package.prefix}_mex.h",
            fill("matlab/mex.h.j2", has_matrices=has_matrices, **values),
        ),
        *(
            SourceFile(
                f"{_FOLDER}/{gateway.mex}.c",
                fill("matlab/mex.c.j2", **vars(gateway), **values),
            )
            for gateway in gateways
        ),
    )
    build = fill("matlab/build_mex.m.j2", kernels=gateways, **values)
    return (*files, SourceFile(f"{package.prefix}_build_mex.m", build))


@dataclass(frozen=True)
class _MexArgument:
    """An argument of a MEX function.

    `shape` holds the numbers of rows, columns and pages (third axis). `is_shared` is 1 if all
    states share the argument, else 0.
    """

    name: str
    shape: tuple[int, ...]
    is_shared: int


@dataclass(frozen=True)
class _Gateway:
    """C texts of a MEX function, for the jinja2 template.

    `name` is the C function of the kernel, `mex` the MEX function. `source` is the path of the
    kernel's C file, relative to the delivered folder. `outputs` exclude the status code. `declared`
    are row-major copies of matrices; statements `before` and `after` the call copy from and to
    them.
    """

    name: str
    mex: str
    source: str
    inputs: list[_MexArgument]
    outputs: list[_MexArgument]
    can_fail: bool
    declared: list[str]
    before: list[str]
    call: str
    after: list[str]


def _describe(package: Package, kernel: Kernel, number: int) -> _Gateway:
    """Return the C texts of a kernel's MEX function; `number` can make its name unique."""
    name = prefix_symbol(package.prefix, kernel.function)
    real = _TYPES[CLASSES[package.real]]
    signature = kernel.program.signature
    passed, declared, before, after = [], [], [], []
    for arguments, array in ((signature.inputs, "in"), (signature.results, "out")):
        for place, argument in enumerate(arguments):
            if len(argument.shape) < 2:
                passed.append(f"{array}[{place}]")
                continue
            rows = f"{array}_rows_{place}"
            passed.append(rows)
            declared.append(f"{real} {rows}[{argument.size}]; /* {argument.name} by rows */")
            if array == "in":
                before.append(f"reorder(&inputs[{place}], in[{place}], {rows}, 1);")
            else:
                after.append(f"reorder(&outputs[{place}], {rows}, out[{place}], 0);")
    call = f"{name}({', '.join(passed)});"
    if signature.can_fail:
        call = f"((double *)mxGetData(results[{len(signature.results)}]))[state] = {call}"
    return _Gateway(
        name,
        _name_mex(name, number),
        c.C.kernel_path(replace(package, single_file=False), kernel),
        [_describe_argument(each) for each in signature.inputs],
        [_describe_argument(each) for each in signature.results],
        signature.can_fail,
        declared,
        before,
        call,
        after,
    )


def _name_mex(symbol: str, number: int) -> str:
    """Return the name of a kernel's MEX function: `<symbol>_mex`.

    If this name is too long for MATLAB, `symbol` is cut, and `number` makes the name unique.
    """
    name = f"{symbol}_mex"
    return name if len(name) <= MAX_NAME else f"{symbol[: MAX_NAME - 8]}_{number}_mex"


def _describe_argument(argument: Argument) -> _MexArgument:
    """Return an argument with its numbers of rows, columns and pages."""
    shape = (*argument.shape, 1, 1, 1)[:3]
    return _MexArgument(argument.name, shape, int(argument.name == PARAMS))
