"""JavaScript: one ES module for browsers and node, whose functions fill typed arrays."""

from __future__ import annotations

from dynagen.languages.javascript.kernels import kernel_path, print_kernels
from dynagen.languages.javascript.printer import WORDS
from dynagen.languages.javascript.programs import print_build, readme_values, spelling
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
    spelling=spelling,
    readme_values=readme_values,
    print_build=print_build,
    toolchain=NodeModule(Tool("JavaScript interpreter", "NODE", ("node", "nodejs"), "nodejs")),
)
