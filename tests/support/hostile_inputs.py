"""Inputs that nobody means well with, and what has to be true of every one of them.

Random expressions and descriptions are made from the pieces that readers trip over; a fuzzer
(`fuzz_loader.py`) makes its own.
"""

from __future__ import annotations

import re
from random import Random

from dynagen.errors import DynagenError, InvalidProgramError, VerificationError
from dynagen.numbers.exact import Exact
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.arithmetic import evaluate
from dynagen.robot.description import RobotDescription
from dynagen.robot.loading import parse_robot

NAMES = {"a2": Exact("0.4318"), "payload": Exact(2), "tiny": Exact("1e-300")}
MINIMAL = """\
name: arm
convention: modified
gravity: [0, 0, -9.81]
links:
  - name: link
    joint: revolute
    dh: {alpha: 0, a: 0, d: 0}
    mass: 1
    com: [0.1, 0, 0]
    inertia: [1, 1, 1]
"""
COMPLETE = """\
name: arm
source: "a book"
convention: standard
gravity: [0, 0, -9.81]
parameters:
  length: 0.3
  load: {value: 2*length, unit: kg, runtime: true}
links:
  - name: one
    joint: prismatic
    dh: {alpha: pi/2, a: 0, theta: 0}
    mass: load
    com: [0.1, 0, 0]
    inertia: [1, 1, 1]
  - name: two
    parent: base
    joint: revolute
    origin: {xyz: [0, length, 0], rpy: [0, 0.3, -pi]}
    dh: {alpha: 0, a: length, d: 0}
    mass: 1
    first_moment: [0, 0, 0.1]
    inertia_about_origin: [1, 1, 1, 0, 0, 0.1]
    motor: {rotor_inertia: 1, gear_ratio: 100}
    friction: {viscous: 1, coulomb: 2}
    limits: {position: [-1, 1], velocity: 1, effort: 1}
frames:
  - {name: tool, link: two, xyz: [0, 0, 0], rpy: [0, 0, 0]}
"""

_ARITHMETIC = """
** // 1e300 1e-300 1e999 0x10 1_000 0.1 1.5708 (((((((( pi a2 payload tiny sin( cos( sqrt( deg(
tan( nan inf True None exec(
lambda:0 __import__('os') \0 \ud800
"""
_TOKENS = (
    *"0123456789.eE+-*/(),^%= \t\n'\"\\{}[]:;#!&|<>@$`~_?xπ\u2212\u00b2",
    *_ARITHMETIC.split(),
    "9" * 80,
)
_NUMBERS = (
    "0",
    "-1",
    "1e300",
    "-1e30",
    "1e-300",
    "1e16",
    "1/3",
    "pi",
    "deg(1e5)",
    "sqrt(2)",
    "length",
    "load",
    "load**2",
)
_WORDS = """
~ null true -1 0 1e300 -1e300 1e-300 nan .inf 0x10 [] {} pi/0 sqrt(-1) 2**16**16 << | > ' " @ %
*anchor base one link arm fixed
prismatic revolute modified standard ../../outside /etc/passwd $(id) `id` \u202e \0 机器人
"""
_PHRASES = """
[0, 0]
[1, 2, 3, 4, 5, 6]
{a: b}
&anchor 1
!!binary aGk=
!!float 1
!!python/object/apply:os.system [id]
{{ 7*7 }}
*/ int x; /*
\"""
import os
"""
_VALUES = (*_WORDS.split(), *_PHRASES.splitlines(), "x" * 3000)
_LINES = """\
---
...
%YAML 1.1
? complex
-
<<: *a
name: again
links: []
parameters: {a: a}
parameters: {pi: 3}
parameters: {b: c, c: b}
\t- tab
  - {name: x}
frames: [{name: f, link: nowhere, xyz: [0, 0, 0], rpy: [0, 0, 0]}]
{
]
""".splitlines()
_NUMBER = re.compile(r"(?<=[ \[])-?[0-9.]+(?=[],} ]|$)")


def random_expression(rng: Random) -> str:
    """Up to a dozen pieces of arithmetic, and of what is none."""
    return "".join(rng.choices(_TOKENS, k=rng.randint(0, 12)))


def random_document(rng: Random) -> str:
    """A description in which a few lines were changed, doubled, moved, cut or replaced."""
    lines = (MINIMAL if rng.random() < 0.7 else COMPLETE).splitlines()
    for _ in range(rng.randint(1, 2)):
        at = rng.randrange(len(lines))
        key, colon, _ = lines[at].rpartition(":")
        match rng.randrange(12):
            case 0 | 1 | 2 | 3:
                lines[at] = _NUMBER.sub(
                    lambda number: rng.choice((number.group(), *_NUMBERS)), lines[at]
                )
            case 4 | 5 if colon:
                lines[at] = f"{key}: {rng.choice(_VALUES)}"
            case 6 if colon:
                lines[at] = f"{key}: {random_expression(rng)}"
            case 7:
                lines.insert(at, rng.choice(_LINES))
            case 8:
                lines.insert(at, lines[rng.randrange(len(lines))])
            case 9 if len(lines) > 1:
                del lines[at]
            case 10:
                lines[at] = "  " * rng.randint(0, 3) + lines[at].lstrip()
            case _:
                cut = rng.randint(0, len(lines[at]))
                lines[at] = (
                    lines[at][:cut] + rng.choice(_TOKENS) + lines[at][cut + rng.randint(0, 2) :]
                )
    return "\n".join(lines)


def check_expression(text: str) -> None:
    """A text is a number of bounded size, or a message that can be shown to a user."""
    try:
        value = evaluate(text, NAMES)
    except DynagenError as error:
        assert_user_error(error)
    else:
        assert abs(float(value)) <= 1e301


def check_document(text: str) -> RobotDescription | None:
    """A text is a robot for which code comes out, or a message that can be shown to a user; return
    the robot.
    """
    try:
        description = parse_robot(text, "hostile.yaml")
        generate(description, Settings("python", verify=False))
    except DynagenError as error:
        assert_user_error(error)
        return None
    return description


def assert_user_error(error: DynagenError) -> None:
    """The error blames the input, not dynagen, and its message can be printed."""
    assert not isinstance(error, InvalidProgramError | VerificationError)
    message = str(error)
    assert message
    assert message.replace("\n", "").isprintable()
