"""Instructions and stack of calls in an emulator, against functions whose code is written here."""

from __future__ import annotations

import pytest

from dynagen.errors import VerificationError
from dynagen.toolchain.emulation import count_instructions
from dynagen.toolchain.footprint import find_target

# Three instructions and 24 bytes of stack; a loop of four rounds of two instructions, and three.
ASSEMBLY = """
__asm__(".syntax unified\\n.thumb\\n"
    ".global short_one\\n.type short_one, %function\\nshort_one:\\n"
    "sub sp, #24\\n add sp, #24\\n bx lr\\n"
    ".global calls_it\\n.type calls_it, %function\\ncalls_it:\\n"
    "push {lr}\\n bl short_one\\n pop {pc}\\n"
    ".global loops\\n.type loops, %function\\nloops:\\n"
    "again: subs r0, #1\\n bne again\\n bx lr\\n");
void short_one(void);
void calls_it(void);
void loops(int);
int arm_golden(void);
int arm_golden(void) { short_one(); loops(4); loops(2); calls_it(); return WRONG; }
"""


def count(wrong: int):
    target = find_target("cortex-m4")
    return count_instructions(
        target.command,
        target.tools,
        target.emulator,
        {"golden.c": ASSEMBLY.replace("WRONG", str(wrong))},
        "arm_golden",
        ("short_one", "calls_it", "loops", "absent"),
    )


@pytest.mark.tools
def test_every_instruction_of_a_call_and_of_its_callees_counts() -> None:
    found = count(0)
    assert found.keys() == {"short_one", "calls_it", "loops"}
    # A call within a call belongs to the outer one.
    assert (found["short_one"].least, found["short_one"].stack) == (3, 24)
    assert (found["calls_it"].most, found["calls_it"].stack) == (6, 28)
    assert (found["loops"].least, found["loops"].most, found["loops"].stack) == (5, 9, 0)


@pytest.mark.tools
def test_wrong_golden_values_are_reported() -> None:
    with pytest.raises(VerificationError, match="7 golden values are wrong in qemu-arm"):
        count(7)
