"""Delivered kernels on several cores, built into a program that calls them on real threads and
compares every bit.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from dynagen.codegen.package import Package, SourceFile
from dynagen.codegen.targets.folder import write_folder
from dynagen.codegen.templating import fill

STATES = 64

_PROGRAM = """
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "{prefix}_cores.h"

enum {{ CORES = {cores}, STATES = {states} }};
static {prefix}_real {inputs};
static {prefix}_real {expected};
static int failed[STATES];
static struct {{ {prefix}_real {results}; }} *calls; /* of every call its own */
static int *status; /* of every core in every call */
static {context} context;
static size_t count;

typedef int Call(size_t call);
{functions}
static Call *const function[CORES] = {{{names}}};
static int pinned;

static void *run(void *given)
{{
    const size_t core = (size_t)(char *)given - 1;
    if (pinned) {{
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(pinned == 1 ? core % (size_t){processors} : 0, &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0) {{
            exit(3);
        }}
    }}
    for (size_t call = 0; call < count; call++) {{
        status[call*CORES + core] = function[core](call);
    }}
    return NULL;
}}

int main(int argc, char **argv)
{{
    pthread_t threads[CORES];
    size_t wrong = 0;
    if (argc != 4) {{
        return 4;
    }}
    count = (size_t)atol(argv[1]);
    pinned = atoi(argv[2]);
    calls = malloc(count * sizeof *calls);
    status = malloc(count * CORES * sizeof *status);
    srand(7);
    for (size_t state = 0; state < STATES; state++) {{
{fill}
        failed[state] = {serial};
    }}
    {context}_init(&context);
    for (int place = 0; place < CORES; place++) {{ /* in the order that is asked for */
        const int core = (place + atoi(argv[3])) % CORES;
        if (pthread_create(&threads[core], NULL, run, (char *)0 + core + 1) != 0) {{
            return 5;
        }}
    }}
    for (int core = 0; core < CORES; core++) {{
        pthread_join(threads[core], NULL);
    }}
    for (size_t call = 0; call < count; call++) {{
        int any = 0;
        for (int core = 0; core < CORES; core++) {{
            any |= status[call*CORES + (size_t)core];
        }}
        wrong += any != failed[call % STATES];
{compare}
    }}
    printf("%zu calls, %zu wrong\\n", count, wrong);
    return wrong != 0;
}}
"""


def built(
    package: Package,
    files: tuple[SourceFile, ...],
    folder: Path,
    *options: str,
    compiler: str = "gcc",
) -> list[str]:
    """A program for the package's first kernel that is divided: `program CALLS PINNED FIRST`.

    PINNED: 0 for threads that run anywhere, 1 for each on a processor of its own as far as there
        are any, 2 for all on one.
    FIRST: the core whose thread starts first.
    """
    write_folder(folder / "out", files)
    (folder / "main.c").write_text(_source(package))
    sources = [str(path) for path in (folder / "out" / "src").glob("*.c")]
    command = [
        compiler,
        "-std=c11",
        "-D_GNU_SOURCE",
        "-O1",
        "-ffp-contract=off",
        "-pthread",
        *options,
        f"-I{folder}/out/include",
    ]
    wait = fill("c/wait.h.j2", prefix=package.prefix, macro=package.prefix.upper())
    (folder / "wait.h").write_text(wait)
    program = str(folder / "program")
    subprocess.run(
        [
            *command,
            "-include",
            str(folder / "wait.h"),
            str(folder / "main.c"),
            *sources,
            "-lm",
            "-o",
            program,
        ],
        check=True,
    )
    return [program]


def _source(package: Package) -> str:
    kernel = next(each for each in package.kernels if each.partition is not None)
    assert kernel.partition is not None
    prefix, signature = package.prefix, kernel.program.signature
    symbol, cores = f"{prefix}_{kernel.function}", len(kernel.partition.cores)
    inputs, results = (
        [each.name for each in signature.inputs],
        [each.name for each in signature.results],
    )
    sizes = {each.name: each.size for each in (*signature.inputs, *signature.results)}
    returned = "return {};" if signature.can_fail else "{}; return 0;"
    taken = [f"in_{name}[call % STATES]" for name in inputs]
    functions = "\n".join(
        f"static int core{core}(size_t call) {{ "
        + returned.format(
            f"{symbol}_core{core}("
            f"{', '.join(['&context', *taken, *(f'calls[call].{name}' for name in results)])})"
        )
        + " }"
        for core in range(cores)
    )
    passed = ", ".join(
        [
            *(f"in_{name}[state]" for name in inputs),
            *(f"expected_{name}[state]" for name in results),
        ]
    )
    filled = "\n".join(
        f"        for (size_t i = 0; i < {sizes[name]}; i++) {{ in_{name}[state][i] = "
        f"({prefix}_real)rand()/RAND_MAX*2 - 1; }}"
        for name in inputs
    )
    compare = "\n".join(
        f"        wrong += memcmp(calls[call].{name}, expected_{name}[call % STATES], sizeof "
        f"calls[call].{name}) != 0;"
        for name in results
    )
    return _PROGRAM.format(
        prefix=prefix,
        cores=cores,
        states=STATES,
        processors=2,
        context=f"{symbol}_cores",
        inputs=", ".join(f"in_{name}[STATES][{sizes[name]}]" for name in inputs),
        expected=", ".join(f"expected_{name}[STATES][{sizes[name]}]" for name in results),
        results=", ".join(f"{name}[{sizes[name]}]" for name in results),
        functions=functions,
        names=", ".join(f"core{core}" for core in range(cores)),
        fill=filled,
        serial=f"{symbol}({passed})" if signature.can_fail else f"({symbol}({passed}), 0)",
        compare=compare,
    )
