"""examples/two_rates: the errors of its README are those that it prints, and nothing is ever read
half written.
"""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "two_rates"
STRICT = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with the program, and what its README says."""
    folder = tmp_path_factory.mktemp("two_rates")
    for path in EXAMPLE.iterdir():
        shutil.copy(path, folder)
    text = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    (commands,) = re.findall(r"^```sh\n((?:.*\n)*?)```$", text, re.MULTILINE)
    generate, build, _ = (line.strip() for line in commands.splitlines())
    words = shlex.split(generate)
    subprocess.run(
        [sys.executable, "-m", *words, "--states", "50"],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    for options in (STRICT, f"{STRICT} -fsanitize=thread -g"):
        command = build.replace("cc ", f"cc {options} ", 1)
        command = (
            command.replace("-o two_rates", "-o watched") if "sanitize" in options else command
        )
        subprocess.run(command, shell=True, cwd=folder, check=True)
    return folder, text


@pytest.mark.slow
def test_the_table_of_the_readme_is_what_is_printed(built):
    folder, text = built
    done = subprocess.run(["./two_rates"], cwd=folder, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[2:] == re.findall(r"^\| \d+ \| .* \|$", text, re.MULTILINE)
    errors = [float(number) for number in re.findall(r"([\d.]+) %", done.stdout)]
    assert errors[0] == 0
    assert errors == sorted(errors)
    assert errors[4] == pytest.approx(10 * errors[1], rel=0.05)  # in proportion to the age


@pytest.mark.parametrize("program", ["two_rates", "watched"])
def test_what_is_read_while_it_is_written_is_whole(built, program):
    folder, _ = built
    done = subprocess.run(
        [f"./{program}", "1.5"], cwd=folder, check=False, capture_output=True, text=True
    )
    assert (done.returncode, "data race" in done.stderr) == (0, False)
    reads, written = map(int, re.findall(r"(\d+) times", done.stdout))
    assert min(reads, written) > 1000
    assert done.stdout.endswith(": 0 torn\n")


def test_two_buffers_would_tear(built):
    """The test can fail: with the buffer between gone, writer and reader meet in the same one."""
    folder, _ = built
    careless = folder / "careless"
    careless.mkdir(exist_ok=True)
    text = (folder / "exchange.h").read_text(encoding="utf-8")
    (careless / "exchange.h").write_text(
        text.replace("shared->reading = 2;", "shared->reading = 0;"), encoding="utf-8"
    )
    shutil.copy(folder / "main.c", careless)
    command = (
        "cc -std=c11 -D_POSIX_C_SOURCE=199309L -O2 -I. -I../puma560/include main.c "
        "../puma560/src/*.c -lm -pthread -o torn"
    )
    subprocess.run(command, shell=True, cwd=careless, check=True)
    for _ in range(5):
        done = subprocess.run(
            ["./torn", "1"], cwd=careless, check=False, capture_output=True, text=True
        )
        if done.returncode == 1 and int(re.findall(r"(\d+) torn", done.stdout)[0]) > 0:
            return
    raise AssertionError("nothing was torn, though both tasks used the same buffer")
