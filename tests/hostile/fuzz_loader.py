"""Coverage-guided fuzzing of the loader and the expression reader, run by hand:

    pip install atheris
    export PYTHONPATH=tests/hostile
    python tests/hostile/fuzz_loader.py -max_total_time=600 build/fuzz-corpus

The corpus folder keeps the inputs that increased coverage. A crash is written to a file; with its
name as the only argument the crash runs again. The first byte of an input chooses between an
expression and a description.
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["dynagen.robot"]):
    from tests.support.hostile_inputs import check_document, check_expression


def fuzz_one_input(data: bytes) -> None:
    """What libFuzzer calls."""
    check = check_document if data[:1] > b"\x7f" else check_expression
    check(data[1:].decode("utf-8", "surrogateescape"))


if __name__ == "__main__":
    atheris.Setup(sys.argv, fuzz_one_input)
    atheris.Fuzz()
