"""Targets `platformio`, `arduino` and `zephyr`: C libraries for microcontroller projects.

Each target adds files by which a build system finds the library of C kernels. The table `_FORMS`
lists the files that each target adds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from dynagen.codegen import documentation
from dynagen.codegen.language import Language, load_package
from dynagen.codegen.languages import find_language
from dynagen.codegen.naming import make_plain_text
from dynagen.codegen.package import Package, SourceFile
from dynagen.codegen.targets.assembly import print_example, print_readme
from dynagen.codegen.targets.manifest import add_manifest
from dynagen.codegen.targets.target import SourceFiles, Target
from dynagen.codegen.templating import fill
from dynagen.errors import UsageError


@dataclass(frozen=True)
class _Form:
    """A form in which a C library is delivered, for one build system.

    `name` is the name of the target and of its folder of templates. `audience` names the users as a
    noun phrase. `sketch` is the template of the example program as Arduino sketch; if it is empty,
    the example is a C program. `files` maps paths to templates; `<robot>` in a path is the prefix
    of public names.
    """

    name: str
    audience: str
    headers: str
    example: str
    files: Mapping[str, str]
    sketch: str = ""


_FORMS = (
    _Form(
        "platformio",
        "firmware projects that PlatformIO builds",
        headers="include",
        example="examples/<robot>_example/src/main.c",
        files={
            "library.json": "packages/platformio/library.json.j2",
            "examples/<robot>_example/platformio.ini": "packages/platformio/platformio.ini.j2",
        },
    ),
    _Form(
        "arduino",
        "sketches of the Arduino IDE and arduino-cli",
        headers="src",
        example="examples/<robot>_example/<robot>_example.ino",
        files={"library.properties": "packages/arduino/library.properties.j2"},
        sketch="packages/arduino/example.ino.j2",
    ),
    _Form(
        "zephyr",
        "applications on the real-time system Zephyr",
        headers="include",
        example="samples/<robot>_example/src/main.c",
        files={
            "zephyr/module.yml": "packages/zephyr/module.yml.j2",
            "zephyr/CMakeLists.txt": "packages/zephyr/CMakeLists.txt.j2",
            "zephyr/Kconfig": "packages/zephyr/Kconfig.j2",
            "samples/<robot>_example/CMakeLists.txt": "packages/zephyr/sample.txt.j2",
            "samples/<robot>_example/prj.conf": "packages/zephyr/prj.conf.j2",
            "samples/<robot>_example/sample.yaml": "packages/zephyr/sample.yaml.j2",
        },
    ),
)


def _print_files(form: _Form, package: Package, language: Language) -> SourceFiles:
    """Return the kernels, the example, the files of the build system, README and manifest."""
    kernels = [
        SourceFile(file.path.replace("include/", f"{form.headers}/"), file.text)
        for file in language.print_kernels(package)
    ]
    values = {
        "prefix": package.prefix,
        "robot": make_plain_text(package.robot),
        "version": complete_version(package.release),
        "origin": documentation.describe_origin(package),
        "sources": [file.path for file in kernels if file.path.endswith(".c")],
    }
    described = [
        SourceFile(_name(path, package), fill(template, **values))
        for path, template in form.files.items()
    ]
    files = (
        *kernels,
        *described,
        print_example(package, language, _name(form.example, package), form.sketch),
        print_readme(package, language, f"packages/{form.name}/README.md.j2"),
    )
    return add_manifest(package, language, files)


def _name(path: str, package: Package) -> str:
    """Return a path in the delivered folder, with the package's prefix in place of `<robot>`."""
    return path.replace("<robot>", package.prefix)


def complete_version(release: str) -> str:
    """Return a version of one to three numbers, completed by zeros to three: 1 becomes 1.0.0."""
    return ".".join([*release.split("."), "0", "0"][:3])


def check_version(target: str, settings: Mapping[str, Any]) -> None:
    """Check that the setting `release`, the version, consists of at most three numbers.

    Args:
        target: name of the target, for the error message.
        settings: settings of the run by name.

    Raises:
        UsageError: the version does not consist of one to three numbers.
    """
    release = settings["release"]
    if not re.fullmatch(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){0,2}", release):
        raise UsageError(
            f"--target {target}: invalid version `{release}`; expected one to three numbers, for "
            "example 1.0 or 2.1.3"
        )


def _make_target(form: _Form) -> Target:
    """Return the target that delivers the C library in one form, for one build system."""
    return Target(
        name=form.name,
        audience=form.audience,
        languages=(find_language("c"),),
        out=f"generated/<robot>/{form.name}",
        files=("kernels in C", *form.files, form.example, "README.md", "<robot>.manifest.json"),
        tools=("compiler of C",),
        proof="The delivered kernels are compiled, loaded, and called on all states.",
        print_files=partial(_print_files, form),
        load=lambda package, language, files, built: load_package(language, package, files),
        check=lambda language, settings: check_version(form.name, settings),
        options=("release", "single_file"),
    )


PLATFORMIO, ARDUINO, ZEPHYR = map(_make_target, _FORMS)
