"""Target: a form of delivery for certain users.

A target combines languages, layouts of the kernels, the files around them, and the method of proof.
The driver calls its functions in this order:

| function | stage | from | to |
| --- | --- | --- | --- |
| check | before all stages | Language, settings | an error if something is missing here |
| list_requests | model | requests, RobotModel, settings | names of the functions to generate |
| print_files | source | Package, Language | SourceFiles |
| build | build | Package, Language, SourceFiles | Archive or library, if there is one |
| load | compiled kernel | Package, Language, SourceFiles, Built | CompiledKernels to prove |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynagen.codegen.language import Language
from dynagen.codegen.package import LIBM, VECTOR, BinaryFile, Package, SourceFile
from dynagen.codegen.targets.archive import Archive
from dynagen.robot.model.model import RobotModel
from dynagen.toolchain.kernel import CompiledKernel

SourceFiles = tuple[SourceFile, ...]
Built = Archive | BinaryFile
"""A delivery in one file, or a compiled library that is delivered with the text files."""


def keep_requests(
    requests: Sequence[str], model: RobotModel, settings: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return the requested functions."""
    return tuple(requests)


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
        proof: the files that the proof builds and calls, as a sentence.
        print_files: prints the text files; the manifest of a folder is the last one. The same
            package always gives the same bytes.
        load: loads the kernels as users of the delivery call them. Keys are names of functions;
            `_batch` is appended to the name if the kernel is called with all states at once.
        build: makes the file of a delivery in one file, or compiles the library of a folder. None
            if the delivery is a folder of text files.
        check: raises an error if a tool or an extra is not installed, or if an option has a value
            that the target does not support. The function receives the settings of the run by name.
        list_requests: returns the names of the functions to generate for the requested functions.
        is_one_file: whether the delivery is one file instead of a folder.
        options: settings of layouts and files that this target offers and others may lack.
        always: switches among the settings that this target always sets.
        trig: default of `--trig` without `--batch`; `vector` where the code runs on the processor
            of a computer.
    """

    name: str
    audience: str
    languages: tuple[Language, ...]
    out: str
    files: tuple[str, ...]
    tools: tuple[str, ...]
    proof: str
    print_files: Callable[[Package, Language], SourceFiles]
    load: Callable[[Package, Language, SourceFiles, Built | None], dict[str, CompiledKernel]]
    build: Callable[[Package, Language, SourceFiles], Built] | None = None
    check: Callable[[Language, Mapping[str, Any]], None] = lambda language, settings: None
    list_requests: Callable[[Sequence[str], RobotModel, Mapping[str, Any]], tuple[str, ...]] = (
        keep_requests
    )
    is_one_file: bool = False
    extras: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    trig: str = LIBM

    def choose_trig(self, batch: bool) -> str:
        """Return the method for sines and cosines of C and Fortran without `--trig`."""
        return VECTOR if batch or "batch" in self.always else self.trig

    @property
    def requirements(self) -> tuple[str, ...]:
        """Tools and extras in words."""
        return (*self.tools, *(f"dynagen[{extra}]" for extra in self.extras))
