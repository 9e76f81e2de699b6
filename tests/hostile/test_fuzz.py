"""A hundred thousand hostile inputs: only numbers, robots and user messages come out.

Nothing in them is ever executed.
"""

from __future__ import annotations

import sys
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.hostile_inputs import (
    COMPLETE,
    MINIMAL,
    check_document,
    check_expression,
    random_document,
    random_expression,
)

EXPRESSIONS = 99_000
DOCUMENTS = 1_000
BATCH = 100


@pytest.mark.slow
@settings(max_examples=EXPRESSIONS // BATCH)
@given(st.randoms(use_true_random=True))
def test_any_expression_is_a_number_or_a_message(rng: Random) -> None:
    for _ in range(BATCH):
        check_expression(random_expression(rng))


@pytest.mark.slow
@settings(max_examples=DOCUMENTS // BATCH)
@given(st.randoms(use_true_random=True))
def test_any_description_is_a_robot_or_a_message(rng: Random) -> None:
    for _ in range(BATCH):
        check_document(random_document(rng))


def test_the_fuzzed_descriptions_start_from_robots() -> None:
    assert check_document(MINIMAL)
    assert check_document(COMPLETE)


FORBIDDEN = {
    "exec",
    "compile",
    "import",
    "open",
    "os.system",
    "os.exec",
    "subprocess.Popen",
    "socket.connect",
    "os.remove",
    "os.rename",
}
_seen: list[str] | None = None


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if _seen is not None and event in FORBIDDEN:
        _seen.append(f"{event} {arguments!r}"[:200])


sys.addaudithook(_watch)  # cannot be taken away again, hence the flag


def test_reading_a_description_neither_runs_nor_opens_anything() -> None:
    global _seen
    rng = Random(1)
    texts = [MINIMAL, COMPLETE, *(random_document(rng) for _ in range(100))]
    for text in texts:  # once, so that whatever is imported late has been imported
        check_document(text)
    try:
        _seen = []
        for text in texts:
            check_document(text)
        assert _seen == []
    finally:
        _seen = None
