"""Coverage-guided fuzzing of the loader and the expression reader by hand, for as long as you like:

    pip install atheris
    PYTHONPATH=tests/hostile python tests/hostile/fuzz_loader.py -max_total_time=600 build/fuzz-corpus

The corpus folder keeps the inputs that reached something new. A crash is written to a file, whose name given as the only
argument runs it again. The first byte chooses between an expression and a description.
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
