"""MATLAB and Octave code: one function in each file, and MEX functions in C."""

from __future__ import annotations

from dynagen.codegen.language import Language
from dynagen.codegen.languages.matlab.examples import make_spelling
from dynagen.codegen.languages.matlab.kernels import choose_kernel_path, print_kernels
from dynagen.codegen.languages.matlab.mex import print_build
from dynagen.codegen.naming import name_constant_in_module, prefix_symbol
from dynagen.toolchain.commands import Tool
from dynagen.toolchain.interpreted import OctaveFunctions

MATLAB = Language(
    name="matlab",
    aliases=("octave", "m"),
    layout="column-major",
    first_index=1,
    symbol=prefix_symbol,
    constant=name_constant_in_module,
    kernel_path=choose_kernel_path,
    print_kernels=print_kernels,
    spelling=make_spelling,
    print_build=print_build,
    toolchain=OctaveFunctions(Tool("Octave interpreter", "OCTAVE", ("octave-cli",), "octave")),
)
