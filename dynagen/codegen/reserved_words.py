"""Reserved words of languages and build tools, which prefixes of public names must not be."""

from __future__ import annotations

import keyword
import re

from dynagen.errors import UsageError
from dynagen.robot.names import MAX_PREFIX

_C = """
    auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef
    union unsigned void volatile while
"""
# Words that are not reserved in C.
_CPP = """
    alignas alignof and and_eq asm bitand bitor bool catch class compl concept const_cast
    consteval constexpr constinit co_await co_return co_yield decltype delete dynamic_cast
    explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or
    or_eq private protected public reinterpret_cast requires static_assert static_cast template
    this thread_local throw true try typeid typename using virtual wchar_t xor xor_eq
"""
# Fortran reserves no words, but keywords as names are hard to read.
_FORTRAN = """
    allocatable allocate associate block call character common complex contains cycle data
    dimension elemental end endif enddo entry equivalence exit external format function implicit
    import integer intent interface intrinsic kind logical module none only optional parameter
    pointer procedure program pure read real recursive result save select stop subroutine target
    then type use where write
"""
# ECMAScript 2024, section 12.7.2, in strict mode as in modules; and global names that a kernel
# would hide.
_JAVASCRIPT = """
    arguments as async await break case catch class const continue debugger default delete do
    else enum eval export extends false finally for from function get if implements import in
    infinity instanceof interface let meta nan new null of package private protected public
    return set static super switch target this throw true try typeof undefined var void while
    with yield
"""
# The Rust reference, "Keywords": strict, reserved and weak ones.
_RUST = """
    abstract as async await become box break const continue crate do dyn else enum extern false
    final fn for gen if impl in let loop macro match mod move mut override priv pub ref return
    self static struct super trait true try type typeof union unsafe unsized use virtual where
    while yield
"""

C_WORDS, CPP_WORDS, FORTRAN_WORDS, JAVASCRIPT_WORDS, RUST_WORDS = (
    frozenset(words.split()) for words in (_C, _CPP, _FORTRAN, _JAVASCRIPT, _RUST)
)
_OWNERS = {
    # A prefix must not be `main`, nor `math` (its header would hide <math.h>), nor a target that
    # every build has.
    "C": C_WORDS.union(["main", "math"]),
    "C++": CPP_WORDS,
    "CMake": frozenset(["all", "clean", "help", "install", "package", "test"]),
    "C++ libraries": frozenset(["eigen", "std"]),
    "Fortran": FORTRAN_WORDS,
    # A module of such a name could not be imported, or would hide a module that it imports itself.
    "Python": frozenset([*map(str.lower, keyword.kwlist), "math", "np", "numpy", "sys"]),
    # Programs import the module under its prefix, and also call console and process.
    "JavaScript": JAVASCRIPT_WORDS.union(["console", "process"]),
    # A prefix is the name of a crate.
    "Rust": RUST_WORDS,
    "Cargo": frozenset(
        ["alloc", "build", "core", "deps", "examples", "incremental", "std", "test"]
    ),
    "CUDA": frozenset(["cuda", "hip"]),
}
"""Mapping from the name of a language or tool to its reserved words, in lower case."""


def check_prefix(prefix: str) -> str:
    """Check that every language allows a prefix of public names; return the prefix unchanged.

    Raises:
        UsageError: the prefix is not an identifier, is too long, or is a reserved word of a
            language or a build tool.
    """
    fault = ""
    if not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", prefix):
        fault = "expected a letter, followed by letters, digits and underscores"
    elif len(prefix) > MAX_PREFIX:
        fault = f"expected at most {MAX_PREFIX} characters, found {len(prefix)}"
    else:
        owners = [owner for owner, words in _OWNERS.items() if prefix.lower() in words]
        if owners:
            fault = f"{prefix.lower()} is a reserved word of {', '.join(owners)}"
    if fault:
        raise UsageError(
            f"{prefix!r} cannot be the prefix of public names: {fault}; choose another prefix "
            "(--prefix)"
        )
    return prefix
