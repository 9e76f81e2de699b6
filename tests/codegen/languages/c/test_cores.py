"""C kernels divided among cores: bitwise the results of one core, on unsynchronised threads."""

import re
import subprocess
from dataclasses import replace
from functools import cache

import pytest

import dynagen
from dynagen.codegen.cores.partitioning import divide
from dynagen.codegen.cores.tasks import find_timing
from dynagen.codegen.languages import find_language
from dynagen.codegen.partition import Message, Partition, Phase
from dynagen.codegen.targets.assembly import assemble
from dynagen.codegen.targets.folder import write_folder
from dynagen.errors import UsageError
from dynagen.numbers.real import DOUBLE, FLOAT
from tests.support.core_threads import built
from tests.support.generated_once import compiled, proved
from tests.support.loaded_arm import SOME_FUNCTIONS, loaded_arm_in_c
from tests.support.packages import EVERYTHING, GRAVITY, PASSED_THROUGH, kernel, package, render

WARNINGS = [
    "all",
    "extra",
    "pedantic",
    "conversion",
    "float-conversion",
    "double-promotion",
    "shadow",
    "error",
]
WARNINGS = [*(f"-W{name}" for name in WARNINGS), "-Wmissing-prototypes", "-Wstrict-prototypes"]
OFTEN = find_timing(10, 0)  # as many hand-offs as possible
STATUS = """
program may_fail
input q[3] "joint positions" "m"
output cores[2] "results" "m"
output side[1] "a result" "m"
status status[1] "0 or 1" ""
section ""
  call = q[0]*q[1]
  count = q[0] + q[1]
  message1 = call*count
  finished = call - count
  pivot = message1 - finished*call
result cores = message1, finished
result side = pivot
result status = pivot
"""
PIPE = """
program pipe
input q[3] "numbers" "m"
output y[1] "a result" "m"
section ""
  a = q[0]*q[1]
  b = a + q[2]
  c = b*b
result y = c
"""


@cache
def divided_program(program, cores, timing):
    """Return the division of a program, which is the same in double and in float."""
    return divide(program, cores, timing)


def divided(made, cores=2, timing=OFTEN):
    """A package whose kernels are divided."""
    kernels = (
        replace(each, partition=divided_program(each.program, cores, timing))
        for each in made.kernels
    )
    return replace(made, kernels=tuple(kernels))


def ran(program, calls, pinned=0, first=0, seconds=300):
    command = [*program, str(calls), str(pinned), str(first)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{calls} calls, 0 wrong\n", "")


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
@pytest.mark.parametrize("cores", [2, 3])
def test_compilers_have_nothing_to_say(compiler, real, cores, tmp_path):
    kernels = [kernel(text) for text in (EVERYTHING, GRAVITY, PASSED_THROUGH, STATUS)]
    for single_file in (False, True):
        made = divided(package(*kernels, real=real, single_file=single_file), cores)
        write_folder(tmp_path / str(single_file), render("c", made))
        for source in (tmp_path / str(single_file)).rglob("src/*.c"):
            include = f"-I{source.parents[1]}/include"
            command = [
                compiler,
                "-std=c11",
                *WARNINGS,
                "-O2",
                include,
                "-c",
                str(source),
                "-o",
                "x.o",
            ]
            done = subprocess.run(
                command, cwd=tmp_path, capture_output=True, text=True, check=False
            )
            assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_cpp_takes_the_header(compiler, tmp_path):
    write_folder(
        tmp_path / "out", render("c", divided(package(kernel(EVERYTHING), kernel(STATUS))))
    )
    (tmp_path / "main.cpp").write_text(
        '#include "puma560_cores.h"\n'
        "int main() { static puma560_may_fail_cores cores; puma560_may_fail_cores_init(&cores); }\n"
    )
    strict = [
        "-std=c++11",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Wshadow",
        "-Werror",
        "-Iout/include",
    ]
    subprocess.run([compiler, *strict, "-c", "main.cpp"], cwd=tmp_path, check=True)


@pytest.mark.parametrize(
    "text", [EVERYTHING, PASSED_THROUGH, STATUS], ids=["everything", "swap", "status"]
)
@pytest.mark.parametrize("cores", [2, 3])
def test_threads_compute_what_one_does_bit_by_bit(text, cores, tmp_path):
    made = divided(package(kernel(text)), cores)
    program = built(made, render("c", made), tmp_path)
    for pinned, first in ((0, 0), (1, cores - 1), (2, 1)):
        ran(program, 300 if pinned == 2 else 2000, pinned, first)


@pytest.mark.slow
@pytest.mark.parametrize(("cores", "calls"), [(2, 2000), (3, 300)])
def test_the_thread_sanitizer_is_silent(cores, calls, tmp_path):
    generation = dynagen.generate(
        "planar3", "forward_dynamics", cores=cores, operation_ns=10, handover_ns=0, states=20
    )
    assert generation.package.kernels[0].partition.messages
    program = built(generation.package, generation.files, tmp_path, "-fsanitize=thread", "-g")
    ran(program, calls)


def test_the_thread_sanitizer_would_complain(tmp_path):
    generation = dynagen.generate("planar3", cores=2, operation_ns=10, handover_ns=0, verify=False)
    careless = tuple(
        replace(file, text=file.text.replace("memory_order_release", "memory_order_relaxed"))
        for file in generation.files
    )
    (program,) = built(generation.package, careless, tmp_path, "-fsanitize=thread", "-g")
    done = subprocess.run([program, "3000", "0", "0"], capture_output=True, text=True, check=False)
    assert "data race" in done.stderr


def one_way(partition):
    """Whether some core takes messages of another and sends it none."""
    return any(partition.find_unanswered(core) for core in range(len(partition.cores)))


def test_a_core_that_only_gives_waits_for_the_last_call_but_one(tmp_path):
    made = divided(package(kernel(PIPE)))
    (given,) = made.kernels
    assert isinstance(given.partition, Partition)
    *first, last = range(len(given.program.instructions))
    needed = tuple(dict.fromkeys(given.program.instructions[last].operands))
    partition = replace(
        given.partition,
        messages=(Message(0, 1, needed),),
        cores=((Phase((), tuple(first), (0,)),), (Phase((0,), (last,), ()),)),
        owners=(1,),
    )
    assert one_way(partition)
    made = replace(made, kernels=(replace(given, partition=partition),))
    program = built(made, render("c", made), tmp_path)
    for pinned in (0, 1):
        ran(program, 5000, pinned)
    sanitized = built(made, render("c", made), tmp_path, "-fsanitize=thread")
    ran(sanitized, 1000)


@pytest.mark.slow
@pytest.mark.parametrize(("pinned", "first"), [(0, 0), (1, 1)], ids=["free", "pinned-last"])
def test_a_hundred_thousand_calls_under_load(pinned, first, tmp_path):
    """Interrupt the threads at any time; waiting threads yield, which limits the test's time."""
    made = divided(package(kernel(EVERYTHING)))
    program = built(made, render("c", made), tmp_path, "-O3")
    burners = [
        subprocess.Popen(["nice", "-n", "19", "sh", "-c", "while :; do :; done"]) for _ in range(4)
    ]
    try:
        ran(program, 100_000, pinned, first, seconds=600)
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


@pytest.mark.slow
@pytest.mark.parametrize("real", ["double", "float"])
def test_functions_of_a_robot_with_everything_are_proved_on_threads(real):
    generation = loaded_arm_in_c(real, functions=SOME_FUNCTIONS)
    made = divided(generation.package, 2, find_timing(10, 0))
    made = replace(
        made, kernels=(generation.package.kernels[0], *made.kernels[1:])
    )  # all but `prepare`
    proofs = proved(
        replace(generation, package=made),
        compiled(replace(generation, package=made), "c"),
        states=100,
    )
    names = [function.name for function in generation.functions]
    assert [proof.function for proof in proofs] == [
        name for each in names for name in (each, f"{each}_cores")
    ]


def test_the_manifest_says_what_there_is_and_verify_proves_it(tmp_path, run):
    status, text, errors = run(
        "planar3", "--cores", 2, "--operation-ns", 10, "--out", tmp_path / "x", "--states", 50
    )
    assert status == 0, errors
    assert "Estimated for 2 cores (10 ns per operation, 60 ns per hand-off)" in text
    status, text, errors = run("verify", tmp_path / "x", "planar3", "--states", 50)
    assert (status, errors) == (0, "")
    assert "inverse_dynamics_cores" in text
    status, _, errors = run("planar3", "--stale", "--out", tmp_path / "x", "--states", 50)
    assert status == 1
    assert "the code was written with `--cores 2 --operation-ns 10.0`" in re.sub(
        r"\s+", " ", errors
    )


def test_it_is_said_where_more_cores_do_not_pay(tmp_path, run):
    status, text, errors = run("planar3", "--cores", 2, "--out", tmp_path / "x", "--states", 20)
    assert (status, errors) == (0, "")
    said = " ".join(text.split())
    assert (
        "note: inverse_dynamics: core 0 computes the whole function, because several cores would "
        "not be faster: the kernel takes 57 ns, a hand-off 60 ns" in said
    )
    assert "not faster" in (tmp_path / "x" / "README.md").read_text()


def test_what_cannot_be_is_refused():
    for options, message in (
        ({"cores": 0}, "--cores: expected 1 to 64, found 0"),
        ({"cores": 65}, "found 65"),
        (
            {"cores": 2, "batch": True},
            "--batch without --trig libm computes several at once; add --trig libm",
        ),
        (
            {"cores": 2, "lang": "fortran"},
            "fortran has no kernels for several cores; expected --lang c",
        ),
        ({"handover_ns": 20}, "require --cores 2 or more"),
        ({"cores": 2, "handover_ns": -1}, "--handover-ns: expected a time from 0"),
        ({"cores": 2, "operation_ns": 0}, "--operation-ns: expected a time from 0.01"),
    ):
        with pytest.raises(UsageError, match=re.escape(message)):
            dynagen.generate("planar3", verify=False, **options)


def test_one_core_is_no_choice_on_the_command_line(run, tmp_path):
    status, _, errors = run("planar3", "--cores", 1, "--out", tmp_path / "x")
    assert status == 2
    assert "'--cores': 1 is not in the range 2<=x<=64" in errors


def test_without_cores_nothing_is_different():
    files = assemble(package(kernel(EVERYTHING)), find_language("c"))
    assert not any("cores" in file.path or "cores" in file.text for file in files)
