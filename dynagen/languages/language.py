"""Language: all that the program knows of a target language, as one object."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynagen.languages.package import LIBM, Kernel, Package, SourceFile
from dynagen.languages.programs import Spelling
from dynagen.languages.routine import Routine
from dynagen.numbers.real import Real
from dynagen.toolchain.commands import Tool
from dynagen.toolchain.kernel import Toolchain
from dynagen.toolchain.shared_library import SharedLibrary


@dataclass(frozen=True)
class Extension:
    """How a language makes of its kernels NumPy generalized ufuncs in a compiled Python module.

    Attributes:
        print_module: all files that it is compiled from, path -> text, given those of the kernels, the kernels, the type of
            their numbers, and the lines that help shows of each function.
        compiler: of these files.
    """

    print_module: Callable[
        [Mapping[str, str], Sequence[Routine], Real, Mapping[str, Sequence[str]]], dict[str, str]
    ]
    compiler: Tool


@dataclass(frozen=True)
class Language:
    """A target language.

    Attributes:
        name: as in `--lang`, the manifest and the folder of templates.
        aliases: other spellings of the name.
        layout: how matrices lie in memory, as the manifest says it.
        first_index: of the language's arrays.
        words: whose words the prefix of public names must not be -> those words, in lower case.
        symbol: (prefix, function) -> what the kernel of a function is called.
        constant: (prefix, parameter) -> name of the constant that tells the index of a run-time parameter.
        kernel_path: the file that a kernel is in, relative to the output folder.
        print_kernels: the files that kernels are in, and those that they include; the same package gives the same bytes.
        spelling: how it writes the example and the golden test of a package.
        readme_values: what only the language's README template places.
        print_build: files by which tools build or run kernels and programs, given the paths of the programs, example first.
        toolchain: what makes its source callable here.
        print_loops: files that declare routines without a loop and define those with one, which call them; None if the
            toolchain runs kernels on many states as they are.
        extension: how its kernels become ufuncs; None if they are wrapped in Python.
        cores_path: the file that a kernel on several cores is in, empty if there is none; None where there never are.
        threads: what makes those callable here, each core on a thread of its own.
        batch_path: the file that a kernel over lanes is in, empty if the package has none of it; None where there never are.
        trig: the methods by which it can compute sines and cosines of one state; over lanes all languages have all of them.
        headers: suffixes of files that kernels include.
        one_file: whether all kernels are in one file anyway, so that nobody need ask for it.
        freestanding: whether kernels run on a bare machine, so that their footprint there can be measured.
    """

    name: str
    aliases: tuple[str, ...]
    layout: str
    first_index: int
    words: Mapping[str, frozenset[str]]
    symbol: Callable[[str, str], str]
    constant: Callable[[str, str], str]
    kernel_path: Callable[[Package, Kernel], str]
    print_kernels: Callable[[Package], tuple[SourceFile, ...]]
    spelling: Callable[[Package], Spelling]
    toolchain: Toolchain
    readme_values: Callable[[Package], Mapping[str, Any]] = lambda package: {}
    print_build: Callable[[Package, Sequence[str]], tuple[SourceFile, ...]] = (
        lambda package, programs: ()
    )
    print_loops: Callable[[Sequence[Routine], Real], tuple[SourceFile, ...]] | None = None
    extension: Extension | None = None
    batch_path: Callable[[Package, Kernel], str] | None = None
    cores_path: Callable[[Package, Kernel], str] | None = None
    threads: Toolchain | None = None
    trig: tuple[str, ...] = (LIBM,)
    headers: tuple[str, ...] = ()
    one_file: bool = True
    freestanding: bool = False

    @property
    def is_compiled(self) -> bool:
        """Whether a compiler makes machine code of kernels, so that one can say what to expect of it."""
        return isinstance(self.toolchain, SharedLibrary)

    def compiles(self, path: str, kernel_paths: Collection[str]) -> bool:
        """Whether a delivered file is one of those that these kernels are compiled from."""
        return path in kernel_paths or path.endswith(self.headers)
