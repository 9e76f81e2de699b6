"""Inputs that are read before any result is stored, for languages in which an output may be the same array as an input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from dynagen.ir.program import Element
from dynagen.ir.segments import Segment, Segmentation
from dynagen.ir.statements import Assignment, Block, Name, Store
from dynagen.ir.storing import COPIES, replaced


def copy_inputs(segmentation: Segmentation, copies: Callable[[Element], str]) -> Segmentation:
    """Keep a copy of every input that is read after the first segment that stores something, or that is stored itself.

    Args:
        segmentation: a kernel.
        copies: names for the copies.
    """
    first, *others = segmentation.segments
    storing = next(
        (place for place, segment in enumerate(segmentation.segments) if segment.stores),
        len(others),
    )
    needed: dict[Element, Name] = {}
    for place, segment in enumerate(segmentation.segments):
        stored = {value for _, value in segment.stores}
        late = [
            atom
            for atom in segment.read
            if isinstance(atom, Element) and (place > storing or atom in stored)
        ]
        for element in sorted(late, key=lambda element: (element.argument, element.index)):
            if element not in needed:
                needed[element] = Name(copies(element))
    if not needed:
        return segmentation
    copied = Block(
        COPIES, tuple(Assignment(name.name, element) for element, name in needed.items())
    )
    return Segmentation(
        (
            Segment((*first.blocks, copied), _replaced_stores(first, needed)),
            *(
                Segment(
                    _replaced_blocks(segment, needed if place > storing else {}),
                    _replaced_stores(segment, needed),
                )
                for place, segment in enumerate(others, 1)
            ),
        ),
        (*segmentation.kept, *(name.name for name in needed.values())),
    )


def _replaced_blocks(segment: Segment, names: Mapping[Element, Name]) -> tuple[Block, ...]:
    return tuple(
        replace(
            block, statements=tuple(replaced(statement, names) for statement in block.statements)
        )
        for block in segment.blocks
    )


def _replaced_stores(segment: Segment, names: Mapping[Element, Name]) -> tuple[Store, ...]:
    return tuple(
        Store(place, names.get(value, value) if isinstance(value, Element) else value)
        for place, value in segment.stores
    )
