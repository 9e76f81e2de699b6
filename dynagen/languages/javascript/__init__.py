"""JavaScript: one ES module for browsers and node, whose functions fill typed arrays."""

from __future__ import annotations

from dynagen.languages.javascript.kernels import kernel_path, print_kernels
from dynagen.languages.javascript.printer import WORDS
from dynagen.languages.javascript.programs import print_programs, readme_values
from dynagen.languages.language import Language
from dynagen.languages.naming import module_constant, module_symbol
from dynagen.toolchain.commands import Tool
from dynagen.toolchain.interpreted import NodeModule

JAVASCRIPT = Language(
    name="javascript",
    aliases=("js", "es"),
    layout="row-major",
    first_index=0,
    words=WORDS,
    symbol=module_symbol,
    constant=module_constant,
    kernel_path=kernel_path,
    print_kernels=print_kernels,
    print_programs=print_programs,
    readme_values=readme_values,
    toolchain=NodeModule(Tool("JavaScript interpreter", "NODE", ("node", "nodejs"), "nodejs")),
)
