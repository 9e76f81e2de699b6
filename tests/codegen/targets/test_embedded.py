"""Libraries for PlatformIO, Arduino and Zephyr: read, packed and built as these tools do."""

import json
import re
import shutil
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from dynagen.codegen.languages import find_language
from dynagen.codegen.targets import find_target
from dynagen.errors import UsageError, VerificationError
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot
from tests.support.generated_once import generated, proved
from tests.support.libraries import kconfiglib
from tests.support.loaded_arm import LOADED_ARM
from tests.support.packages import texts

TARGETS = ("platformio", "arduino", "zephyr")
STRICT = ["-Wall", "-Wextra", "-Werror"]
# What a sketch needs of Arduino.h, with the names of Arduino's reference.
ARDUINO = """#include <cstdio>
struct Printer {
    void begin(long) {}
    void print(const char *text) { std::printf("%s", text); }
    void println(const char *text) { std::printf("%s\\n", text); }
    void println(unsigned long value) { std::printf("%lu\\n", value); }
    void println(double value, int digits) { std::printf("%.*f\\n", digits, value); }
};
static Printer Serial;
static unsigned long micros() { return 0; }
static void delay(unsigned long) {}
"""
# The parts of Zephyr's build system that a module meets: configuration, modules, and its functions.
ZEPHYR = """
enable_language(C)
add_executable(app)
file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/prj.conf options REGEX "^CONFIG_")
foreach(option ${options})
  string(REGEX MATCH "^(CONFIG_[A-Z0-9_]+)=y$" found "${option}")
  set(${CMAKE_MATCH_1} y)
endforeach()
function(zephyr_include_directories)
  foreach(folder ${ARGN})
    target_include_directories(app PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
    include_directories(${folder})
  endforeach()
  set_property(GLOBAL PROPERTY folders ${ARGN})
endfunction()
macro(zephyr_library_named name)
  set(library ${name})
  add_library(${name} STATIC)
  target_link_libraries(app PRIVATE ${name} m)
endmacro()
macro(zephyr_library_sources)
  target_sources(${library} PRIVATE ${ARGN})
  get_property(folders GLOBAL PROPERTY folders)
  foreach(folder ${folders})
    target_include_directories(${library} PRIVATE ${folder})
  endforeach()
endmacro()
foreach(module ${ZEPHYR_EXTRA_MODULES})
  file(STRINGS ${module}/zephyr/module.yml folder REGEX "^  cmake: ")
  string(REPLACE "  cmake: " "" folder "${folder}")
  add_subdirectory(${module}/${folder} module)
endforeach()
"""


def delivered(target: str, robot=None, functions=("inverse_dynamics", "forward_dynamics"), **more):
    """The files of a target by path."""
    description = robot or load_robot("planar3")
    made = generated(description, Settings("c", functions, verify=False)).package
    made = replace(made, **more)
    return texts(find_target(target).print_files(made, find_language("c")))


def write(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_descriptions_of_the_libraries():
    library = json.loads(delivered("platformio", release="2.1")["library.json"])
    assert (library["name"], library["version"]) == ("planar3", "2.1.0")
    for group in library["examples"]:
        for path in group["files"]:
            assert f"{group['base']}/{path}" in delivered("platformio")
    files = delivered("arduino")
    assert library["headers"] in files["library.properties"]
    assert "src/planar3.h" in files
    properties = dict(line.split("=", 1) for line in files["library.properties"].splitlines())
    # https://arduino.github.io/arduino-cli/latest/library-specification/: required fields
    required = "name version author maintainer sentence paragraph category url architectures"
    assert set(required.split()) <= set(properties)
    assert re.fullmatch(r"\d+\.\d+\.\d+", properties["version"])
    assert properties["category"] == "Data Processing"
    files = delivered("zephyr")
    module = YAML(typ="safe").load(files["zephyr/module.yml"])
    assert set(module) == {"name", "build"}
    assert module["build"]["kconfig"] in files
    assert f"{module['build']['cmake']}/CMakeLists.txt" in files
    sample = YAML(typ="safe").load(files["samples/planar3_example/sample.yaml"])
    assert sample["tests"]["sample.planar3_example"]["harness_config"]["regex"] == ["= "]


@pytest.mark.parametrize("target", TARGETS)
def test_the_proof_finds_a_fault_in_the_delivered_kernels(target):
    generation = generated(
        load_robot("planar3"), Settings("c", ("inverse_dynamics",), verify=False)
    )
    language, row = find_language("c"), find_target(target)
    files = row.print_files(generation.package, language)
    proved(generation, row.load(generation.package, language, files, None), states=20)
    path = "src/planar3_inverse_dynamics.c"
    faulty = [
        replace(file, text=re.sub(r"\b1\.5(?=\*| )", "1.5000001", file.text))
        if file.path == path
        else file
        for file in files
    ]
    assert texts(faulty)[path] != texts(files)[path]
    with pytest.raises(VerificationError):
        proved(generation, row.load(generation.package, language, faulty, None), states=20)


def test_a_version_that_these_tools_refuse_is_refused():
    for target in TARGETS:
        with pytest.raises(UsageError, match=r"invalid version `1\.0rc1`; expected one to three"):
            generate(load_robot("planar3"), Settings(target=target, release="1.0rc1"))


@pytest.mark.tools
def test_platformio_packs_the_library_and_the_packed_one_builds(tmp_path):
    folder = write(tmp_path / "library", delivered("platformio"))
    command = [sys.executable, "-m", "platformio", "pkg", "pack", ".", "-o", tmp_path / "p.tar.gz"]
    run(command, folder)
    with tarfile.open(tmp_path / "p.tar.gz") as archive:
        archive.extractall(tmp_path / "packed", filter="data")
    packed = tmp_path / "packed"
    build = json.loads((packed / "library.json").read_text())["build"]
    sources = sorted(map(str, (packed / build["srcDir"]).glob("*.c")))
    example = "examples/planar3_example/src/main.c"
    run(["gcc", *STRICT, f"-I{build['includeDir']}", example, *sources, "-lm", "-o", "run"], packed)
    assert "tau[0] = 44.145\n" in run(["./run"], packed)


@pytest.mark.tools
def test_platformio_refuses_a_damaged_library(tmp_path):
    files = delivered("platformio")
    files["library.json"] = files["library.json"].replace('"version": "0.1.0"', '"version": "one"')
    folder = write(tmp_path, files)
    command = [sys.executable, "-m", "platformio", "pkg", "pack", ".", "-o", "p.tar.gz"]
    assert subprocess.run(command, cwd=folder, capture_output=True).returncode != 0


@pytest.mark.tools
@pytest.mark.parametrize("robot", ["planar3", "loaded"])
def test_the_sketch_builds_as_the_arduino_ide_builds_it(robot, tmp_path):
    """C++ with Arduino.h in front; the library's sources are C, found in src/."""
    files = delivered("arduino", LOADED_ARM if robot == "loaded" else None)
    folder = write(tmp_path, files)
    sketch = files[f"examples/{robot}_example/{robot}_example.ino"]
    main = f'#include "Arduino.h"\n{sketch}\nint main() {{ setup(); loop(); }}\n'
    write(folder, {"Arduino.h": ARDUINO, "main.cpp": main})
    sources = sorted(path for path in files if path.endswith(".c"))
    run(["gcc", *STRICT, "-O2", "-c", *sources], folder)
    objects = [str(path.name) for path in folder.glob("*.o")]
    run(["g++", *STRICT, "-I.", "-Isrc", "main.cpp", *objects, "-lm", "-o", "run"], folder)
    lines = run(["./run"], folder).splitlines()
    assert lines[0] == "us: 0"
    assert robot == "loaded" or lines[1:4] == ["44.145000", "19.620000", "4.905000"]
    assert len(lines) == 4


@pytest.mark.tools
def test_the_zephyr_sample_builds_with_the_module(tmp_path):
    files = delivered("zephyr")
    folder = write(tmp_path / "module", files)
    write(tmp_path / "zephyr", {"ZephyrConfig.cmake": ZEPHYR})
    outer = 'config REQUIRES_FULL_LIBC\n\tbool\nconfig FPU\n\tbool "FPU"\n'
    write(tmp_path, {"Kconfig": f'{outer}source "{folder / "zephyr/Kconfig"}"\n'})
    kconfig = kconfiglib.Kconfig(str(tmp_path / "Kconfig"), warn_to_stderr=False)
    kconfig.load_config(str(folder / "samples/planar3_example/prj.conf"))
    assert kconfig.syms["PLANAR3"].str_value == kconfig.syms["REQUIRES_FULL_LIBC"].str_value == "y"
    sample, build = folder / "samples/planar3_example", tmp_path / "build"
    configure = [
        "cmake",
        "-S",
        str(sample),
        "-B",
        str(build),
        f"-DZephyr_DIR={tmp_path / 'zephyr'}",
    ]
    run([*configure, "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror"], tmp_path)
    run(["cmake", "--build", str(build)], tmp_path)
    assert "tau[0] = 44.145\n" in run([str(build / "app")], tmp_path)
    shutil.rmtree(build)
    (folder / "samples/planar3_example/prj.conf").write_text("CONFIG_CBPRINTF_FP_SUPPORT=y\n")
    run(configure, tmp_path)
    command = ["cmake", "--build", str(build)]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode != 0
