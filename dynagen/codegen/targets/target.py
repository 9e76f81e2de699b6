"""Target: a form of delivery for certain users.

A target combines languages, layouts of kernels, delivered files, and a way to call the delivered
functions for the proof (comparison with references). The driver of a run
(`pipeline/driver.py`) calls the functions of a target in this order.

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
    """Return the requested functions unchanged, for a target that needs no further functions.

    Args:
        requests: functions that the user requests.
        model: model of the robot; not used.
        settings: settings of the run by name; not used.
    """
    return tuple(requests)


@dataclass(frozen=True)
class Target:
    """A form of delivery, with the functions that print, build and load it.

    Attributes:
        name: name in `--target` and in the manifest.
        audience: noun phrase for the users of the delivery.
        languages: languages in which the target delivers code.
        out: default of `--out`, the output folder; may contain <robot> and <lang>.
        files: paths of the delivered files, or noun phrases where paths depend on the language.
        tools: names of programs that building and proof require.
        extras: names of dynagen's optional features (pip extras) that building and proof require.
        proof: sentence on what the proof builds and calls.
        print_files: function that prints the text files; in a folder, the manifest is the last
            file; the files of equal packages are equal to the last byte.
        load: function that loads the kernels in the way in which users call them, and returns a
            mapping from names to kernels. The name of a kernel that computes many states in one
            call ends with `_batch`.
        build: function that makes the archive of a delivery in one file, or compiles the library of
            a folder; None if the delivery is a folder of text files.
        check: function that raises an error if a tool or an extra is not installed, or if the
            target does not support an option's value. The function's arguments are the language and
            a mapping from option names to values.
        list_requests: function that returns the names of the functions to generate for the
            requested functions.
        is_one_file: whether the delivery is one file instead of a folder.
        options: names of settings that only some targets offer, among them this target.
        always: names of the settings that this target always switches on.
        trig: default of `--trig` without `--batch`; `vector` if the code runs on a PC's processor.
    """

    name: str
    audience: str
    languages: Sequence[Language]
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
        """Return the default of `--trig`: the method for sines and cosines in C and Fortran.

        Args:
            batch: whether the user requests batch kernels (`--batch`).
        """
        return VECTOR if batch or "batch" in self.always else self.trig

    @property
    def requirements(self) -> tuple[str, ...]:
        """Tools and pip extras that building and verification require, such as `dynagen[jax]`."""
        return (*self.tools, *(f"dynagen[{extra}]" for extra in self.extras))
