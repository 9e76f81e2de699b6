"""Garbage collection is rare during generation, and as before afterwards."""

import gc
import weakref

import pytest

from dynagen.memory import collect_garbage_rarely, collect_new_garbage


@collect_garbage_rarely()
def fail_between_rare_collections() -> None:
    raise RuntimeError(gc.get_threshold()[0])


def test_the_thresholds_of_the_user_are_restored():
    before = gc.get_threshold()
    gc.set_threshold(123, 4, 5)
    try:
        with pytest.raises(RuntimeError, match="2000000"):
            fail_between_rare_collections()
        assert gc.get_threshold() == (123, 4, 5)
    finally:
        gc.set_threshold(*before)


def test_new_garbage_is_collected_on_demand():
    class Node:
        pass

    with collect_garbage_rarely():
        node = Node()
        node.itself = node
        gone = weakref.ref(node)
        del node
        assert gone() is not None
        collect_new_garbage()
        assert gone() is None
