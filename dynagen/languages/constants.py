"""The table of constants in generated files: which numbers of the description the literals of the code are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dynagen.languages.comments import UNBROKEN, wrap_text
from dynagen.languages.package import Kernel

_KEYS = {
    "m": ("mass", r"\bm[0-9]+\b"),
    "c": ("centre of mass", r"\bc[xyz][0-9]+\b"),
    "I": ("inertia about it", r"\bI[xyz]{2}[0-9]+\b"),
    "ms": ("first moment", r"\bm[xyz][0-9]+\b"),
    "J": ("inertia about the origin", r"\bJ[xyz]{2}[0-9]+\b"),
    "Ia": ("motor inertia", r"\bIa[0-9]+\b"),
    "g": ("gravity", r"\bg[xyz]\b"),
}
"""Stem of a name in a formula -> its meaning, and what such names look like."""
_ONLY_SUMS = "Constants are sums of regrouped terms, which `--explain-constants` prints."


def constant_lines(kernels: Iterable[Kernel], width: int) -> list[str]:
    """Paragraphs that say what the constants of some kernels are made of; none if the description decides none.

    Args:
        kernels: the kernels of one file.
        width: of a line, in characters.
    """
    kernels = list(kernels)
    formulas: dict[str, dict[str, None]] = {}
    for number, formula in (each for kernel in kernels for each in kernel.constants.formulas):
        formulas.setdefault(number, {})[formula] = None
    has_others = any(kernel.constants.others for kernel in kernels)
    if not formulas:
        return wrap_text(_ONLY_SUMS, width) if has_others else []
    text = " ".join(formula for each in formulas.values() for formula in each)
    meanings = ", ".join(
        f"{stem} {meaning}" for stem, (meaning, key) in _KEYS.items() if re.search(key, text)
    )
    keys = f" ({meanings})" if meanings else ""
    opening = (
        f"Constants, by the names of the description or its keys{keys} and links, counted from 1"
    )
    rest = (
        "; others are sums of regrouped terms, which `--explain-constants` prints."
        if has_others
        else "."
    )
    ordered = sorted(formulas, key=float)
    listed = ", ".join(
        " = ".join([number, *formulas[number]]).replace(" ", UNBROKEN) for number in ordered
    )
    return [
        *wrap_text(opening + rest, width),
        "",
        *(f"  {line}" for line in wrap_text(listed, width - 2)),
    ]
