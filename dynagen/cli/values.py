"""Values of options: numbers, which may be arithmetic as in a description, lists of them, and NAME=VALUE."""

from __future__ import annotations

from collections.abc import Sequence

from dynagen.description.arithmetic import ArithmeticTextError, evaluate
from dynagen.errors import UsageError


def number(option: str, text: str) -> float:
    """A number: arithmetic, or infinity.

    Raises:
        UsageError: it is none; names the option.
    """
    stripped = text.strip()
    if stripped.lower() in ("inf", "+inf", "-inf"):
        return float(stripped)
    try:
        return float(evaluate(stripped))
    except ArithmeticTextError as error:
        raise UsageError(f"{option}: {error}; expected a number, as 0.5, pi/2 or deg(30)") from None


def numbers(option: str, text: str) -> list[float]:
    """Numbers with commas between them."""
    return [number(option, part) for part in text.split(",")]


def pairs(option: str, form: str, texts: Sequence[str]) -> dict[str, str]:
    """Names and values of an option that is given as `name=value`, several times."""
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or name.strip() in pairs:
            problem = f"`{name.strip()}` is given twice" if equals else f"expected {form}, found `{text}`"
            raise UsageError(f"{option}: {problem}")
        pairs[name.strip()] = value
    return pairs
