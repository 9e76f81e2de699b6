"""Target: what is delivered and for whom.

A target combines languages, layouts of the kernels, the files around them, and the method of proof.
The driver calls its functions in this order:

| function | stage | from | to |
| --- | --- | --- | --- |
| check | before all stages | Language, options | an error if something is missing here |
| print_files | source | Package, Language | SourceFiles |
| build | archive | Package, Language, SourceFiles | Archive, for a delivery in one file |
| load | compiled kernel | Package, Language, SourceFiles, Archive | CompiledKernels to prove |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dynagen.codegen.language import Language
from dynagen.codegen.package import Package, SourceFile
from dynagen.codegen.targets.archive import Archive
from dynagen.toolchain.kernel import CompiledKernel

SourceFiles = tuple[SourceFile, ...]


@dataclass(frozen=True)
class Target:
    """A form of delivery.

    Attributes:
        name: name in `--target` and in the manifest.
        audience: users of the delivery, a noun phrase.
        languages: languages in which it delivers.
        out: folder to write without `--out`; may contain <robot> and <lang>.
        files: delivered files: paths, or noun phrases where paths depend on the language.
        tools: programs that building and proof require.
        extras: extras of dynagen that building and proof require.
        proof: what is built and called for the proof, a sentence.
        print_files: prints the text files; the manifest of a folder is the last one. The same
            package always gives the same bytes.
        load: loads the kernels as users of the delivery call them. Keys are names of functions;
            `_batch` is appended to the name if the kernel is called with all states at once.
        build: makes the file of a delivery in one file. None if the delivery is a folder.
        check: raises an error if a tool or an extra is missing here, or if an option has a value
            that the target does not support. It receives the values of `options` by name.
        options: settings of layouts and files that this target offers and others may lack.
        always: switches among the settings that this target always sets.
    """

    name: str
    audience: str
    languages: tuple[Language, ...]
    out: str
    files: tuple[str, ...]
    tools: tuple[str, ...]
    proof: str
    print_files: Callable[[Package, Language], SourceFiles]
    load: Callable[[Package, Language, SourceFiles, Archive | None], dict[str, CompiledKernel]]
    build: Callable[[Package, Language, SourceFiles], Archive] | None = None
    check: Callable[[Language, Mapping[str, Any]], None] = lambda language, options: None
    extras: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    always: tuple[str, ...] = ()

    @property
    def requirements(self) -> tuple[str, ...]:
        """Tools and extras in words."""
        return (*self.tools, *(f"dynagen[{extra}]" for extra in self.extras))

    @property
    def is_one_file(self) -> bool:
        """Whether the delivery is one file instead of a folder."""
        return self.build is not None
