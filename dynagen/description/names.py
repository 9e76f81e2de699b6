"""Names in robot descriptions: what may be one, and how it reads as an identifier."""

from __future__ import annotations

import keyword
import re

MAX_NAME = 63
"""Longest identifier that every target language takes (Fortran 2003, section 3.2)."""

_C_WORDS = (
    "auto break case char const continue default do double else enum extern float for goto if inline int long "
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while"
)
_CPP_WORDS = (
    "alignas alignof and and_eq asm bitand bitor bool catch class compl concept const_cast consteval constexpr "
    "constinit co_await co_return co_yield decltype delete dynamic_cast explicit export false friend mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires "
    "static_assert static_cast template this thread_local throw true try typeid typename using virtual wchar_t xor "
    "xor_eq"
)
_FORTRAN_WORDS = (
    "allocatable allocate associate block call character common complex contains cycle data dimension elemental end "
    "endif enddo entry equivalence exit external format function implicit import integer intent interface intrinsic "
    "kind logical module none only optional parameter pointer procedure program pure read real recursive result "
    "save select stop subroutine target then type use where write"
)
# A robot's name becomes a file name, a header, a Python module and a CMake target: these would hide something that they need.
_TOOL_WORDS = "all clean help install main math numpy package test"
RESERVED_WORDS = frozenset(
    " ".join((_C_WORDS, _CPP_WORDS, _FORTRAN_WORDS, _TOOL_WORDS)).split() + [word.lower() for word in keyword.kwlist]
)


MAX_PREFIX = 40
"""Longest name of a robot, and prefix of public names: what follows it has to fit into MAX_NAME."""


def identifier(name: str) -> str:
    """The name as a lower-case identifier: every other run of characters than a-z, 0-9 becomes one underscore."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def name_fault(name: str, longest: int = MAX_NAME) -> str | None:
    """Why this cannot name a robot, link or frame; None if it can."""
    word = identifier(name)
    if not re.match("[a-z]", word):
        return f"a name must start with a letter (a-z), found `{name}`" if name.strip() else "a name must not be empty"
    if len(word) > longest:
        return f"a name may have {longest} characters, this one has {len(word)}"
    return None
