"""The source of compiled Python modules: compilers have nothing to say about it."""

import sysconfig

import numpy as np
import pytest

from dynagen.codegen.languages import find_language
from dynagen.runtime.ufuncs import collect_source
from dynagen.toolchain.commands import make_source_folder, run
from tests.support.loaded_arm import loaded_arm_in_c

WARNINGS = (
    "-std=c99 -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wcast-qual -pedantic -Werror"
)


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("real", ["double", "float"])
def test_compilers_have_nothing_to_say_about_a_module(compiler, real):
    generation = loaded_arm_in_c(real, batch=True)
    files = collect_source("c", generation.package, generation.files).print_module_files(
        find_language("c").ufunc_module
    )
    folders = (sysconfig.get_path("include"), np.get_include())
    includes = [word for folder in folders for word in ("-isystem", folder)]
    with make_source_folder(files) as folder:
        for options in (
            ["module.c"],
            ["calls.c"],
            ["lanes.c"],
            ["lanes.c", "-DLOADED_LANE_BYTES=64"],
            ["lanes.c", "-DLOADED_NO_VECTORS"],
        ):
            source, *defined = options
            command = [
                compiler,
                *WARNINGS.split(),
                *defined,
                "-fsyntax-only",
                "-Iinclude",
                *includes,
                f"extension/{source}",
            ]
            assert run(command, folder, "warnings") == ""
