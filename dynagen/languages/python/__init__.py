"""Python: one module of numpy functions that broadcast over leading axes, so that many states are one call."""

from __future__ import annotations

from dynagen.languages.language import Language
from dynagen.languages.naming import module_constant, module_symbol
from dynagen.languages.python.kernels import kernel_path, print_kernels
from dynagen.languages.python.printer import WORDS
from dynagen.languages.python.programs import spelling
from dynagen.toolchain.interpreted import PythonModule

PYTHON = Language(
    name="python",
    aliases=("py", "numpy"),
    layout="row-major",
    first_index=0,
    words=WORDS,
    symbol=module_symbol,
    constant=module_constant,
    kernel_path=kernel_path,
    print_kernels=print_kernels,
    spelling=spelling,
    toolchain=PythonModule(),
)
