"""examples/firmware: a CMake project that generates its dynamics code while it builds, and only
when it has to.
"""

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from dynagen.cli.main import main

FIRMWARE = Path(__file__).parents[2] / "examples" / "firmware"
DYNAGEN = Path(sysconfig.get_path("scripts")) / "dynagen"


def run(*command, status=0):
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def project(tmp_path):
    """The example in a folder of its own, whose name has a space, configured for make."""
    return copied(tmp_path, "Unix Makefiles")


def copied(tmp_path, generator):
    folder = tmp_path / "my firmware"
    shutil.copytree(FIRMWARE, folder)
    configure(folder, folder / "build", "-G", generator)
    return folder


def configure(folder, build, *options):
    run("cmake", "-S", folder, "-B", build, f"-DDYNAGEN={DYNAGEN}", *options)


def build(project):
    output = run("cmake", "--build", project / "build")
    return "Generating and proving arm" in output


@pytest.mark.slow
@pytest.mark.tools
def test_ninja_generates_again_only_when_the_description_changes(tmp_path):
    project = copied(tmp_path, "Ninja")
    assert build(project)
    (project / "main.c").touch()
    assert not build(project)
    (project / "arm.yaml").touch()
    assert build(project)
    assert not build(project)


@pytest.mark.slow
@pytest.mark.tools
def test_it_passes_its_tests_and_generates_again_only_when_the_description_changes(project):
    assert build(project)
    tested = run("ctest", "--test-dir", project / "build")
    assert re.search(r"100% tests passed.* out of 2\n", tested)  # wording differs by version
    header = (project / "build/dynagen/arm/include/arm.h").read_text()
    assert "typedef float arm_real;" in header
    assert "Proved on 1000 states" in header
    kernels = project / "build/dynagen/arm/src/arm.c"
    first = kernels.stat().st_mtime_ns
    assert not build(project)
    (project / "main.c").touch()
    assert not build(project)
    configure(project, project / "build")
    assert not build(project)
    assert kernels.stat().st_mtime_ns == first
    description = project / "arm.yaml"
    description.touch()
    assert build(project)
    assert not build(project)
    assert kernels.stat().st_mtime_ns == first  # it comes out as it was: nothing is compiled again
    before = kernels.read_text()
    description.write_text(description.read_text().replace("mass: 1.1", "mass: 2.2"))
    assert build(project)
    assert kernels.read_text() != before
    assert "100% tests passed" in run("ctest", "--test-dir", project / "build")
    assert not build(project)
    lists = project / "CMakeLists.txt"
    lists.write_text(lists.read_text().replace(" REAL float", " mass_matrix REAL float"))
    assert build(project)
    assert "arm_mass_matrix" in (project / "build/dynagen/arm/include/arm.h").read_text()
    assert not build(project)


@pytest.mark.slow
@pytest.mark.tools
def test_a_mistake_in_the_description_stops_the_build_where_it_is(project):
    description = project / "arm.yaml"
    description.write_text(description.read_text().replace("mass: 1.1", "mas: 1.1"))
    output = run("cmake", "--build", project / "build", status=2)
    assert re.search(r"arm\.yaml:\d+: links\[2\] \(forearm\)\.mas: .*did you mean `mass`", output)


@pytest.mark.tools
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("LANGUAGES C", "LANGUAGES CXX", "add C to the LANGUAGES of project"),
        ("dynagen_generate(arm ", "dynagen_generate(my-arm ", "letters, digits and underscores"),
    ],
)
def test_mistakes_in_the_project_stop_its_configuration(old, new, message, tmp_path):
    project = tmp_path / "firmware"
    shutil.copytree(FIRMWARE, project)
    lists = project / "CMakeLists.txt"
    lists.write_text(lists.read_text().replace(old, new))
    command = ("cmake", "-S", project, "-B", project / "build", f"-DDYNAGEN={DYNAGEN}")
    assert message in " ".join(run(*command, status=1).split())


@pytest.mark.slow
@pytest.mark.tools
def test_the_same_project_builds_for_a_cortex_m4(project):
    folder = project / "build-m4"
    configure(
        project, folder, "-DCMAKE_BUILD_TYPE=Release", "--toolchain", project / "cortex-m4.cmake"
    )
    run("cmake", "--build", folder)
    for program in ("firmware", "arm_golden"):
        attributes = run("arm-none-eabi-readelf", "-A", folder / program)
        assert 'Tag_CPU_name: "7E-M"' in attributes
        assert "Tag_ABI_VFP_args: VFP registers" in attributes
    needed = run("arm-none-eabi-nm", "-u", folder / "libarm.a")
    assert set(re.findall(r"U (\w+)", needed)) == {"sinf", "cosf"}


@pytest.mark.slow
@pytest.mark.tools
def test_a_shared_library_links_the_code_of_a_description_that_the_build_makes(project):
    lists = project / "CMakeLists.txt"
    made = (
        "add_custom_command(OUTPUT made.yaml COMMAND ${CMAKE_COMMAND} -E copy "
        "${PROJECT_SOURCE_DIR}/arm.yaml made.yaml)\n"
    )
    call = "dynagen_generate(arm ROBOT ${PROJECT_BINARY_DIR}/made.yaml"
    library = (
        "add_library(control SHARED main.c)\ntarget_link_libraries(control PUBLIC arm::arm)\n"
        "install(TARGETS control arm EXPORT control PUBLIC_HEADER DESTINATION include)\n"
        "install(EXPORT control DESTINATION cmake)\n"
    )
    text = lists.read_text().replace("dynagen_generate(arm ROBOT arm.yaml", made + call)
    lists.write_text(text + library)
    configure(project, project / "build", f"-DCMAKE_INSTALL_PREFIX={project}/installed")
    assert build(project)
    run("cmake", "--install", project / "build")
    assert (project / "installed/include/arm.h").is_file()
    assert "-fno-math-errno" in (project / "build/CMakeFiles/arm.dir/flags.make").read_text()


@pytest.mark.tools
@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("dynagen_generate(arm ROBOT arn.yaml)", "ROBOT arn.yaml is not a file of"),
        ("dynagen_generate(arm ROBOT puma56)", "did you mean `puma560`?"),
        ("dynagen_generate(arm)", "expected ROBOT"),
        ("dynagen_generate(arm ROBOT arm.yaml REEL float)", "found ROBOT;arm.yaml;REEL;float"),
        ("dynagen_generate(arm ROBOT)", "expected ROBOT"),
    ],
)
def test_a_wrong_call_is_explained(project, call, message):
    lists = project / "CMakeLists.txt"
    lists.write_text(re.sub(r"dynagen_generate\(.*\)", call, lists.read_text()))
    assert message in run("cmake", project / "build", status=1)


@pytest.mark.slow
@pytest.mark.tools
def test_bundled_robots_and_options_are_passed_on(project):
    lists = project / "CMakeLists.txt"
    call = "dynagen_generate(puma ROBOT puma560 OPTIONS --states 50)"
    lists.write_text(re.sub(r"(?s)dynagen_generate\(.*", call, lists.read_text()))
    run("cmake", project / "build")
    run("cmake", "--build", project / "build")
    header = (project / "build/dynagen/puma/include/puma.h").read_text()
    assert "Proved on 50 states" in header
    assert "typedef double puma_real;" in header


def test_the_folder_of_the_module_is_printed(capsys):
    main(["--cmake-dir"])
    assert (Path(capsys.readouterr().out.strip()) / "dynagenConfig.cmake").is_file()
