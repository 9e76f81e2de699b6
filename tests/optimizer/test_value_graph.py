"""Tests of the value graph: dependents of nodes."""

import numpy as np

from dynagen.ir.cost import FLOPS
from dynagen.ir.operation import Operation
from dynagen.numbers.exact import Exact
from dynagen.optimizer.node_values import PRIME, Combination, reduce_products
from dynagen.optimizer.value_graph import ValueGraph, add_constant


def test_all_dependents_at_once_are_those_of_single_nodes() -> None:
    graph = ValueGraph(FLOPS)
    two, five = (add_constant(graph, Exact(number)) for number in (2, 5))
    product = graph.add_combination(Combination(Operation.MULTIPLY, two, five))
    total = graph.add_combination(Combination(Operation.ADD, product, two))
    graph.add_use(total >> 1)
    found = graph.find_all_dependents()
    nodes = range(len(graph.uses))
    assert {node: {other for other in nodes if other in found[node]} for node in found} == {
        node: graph.find_dependents(node) for node in graph.iterate_needed_nodes()
    }
    assert total >> 1 in found[two >> 1]
    assert two >> 1 not in found[total >> 1]


def test_products_are_reduced_without_a_division() -> None:
    largest = int(PRIME) - 1
    known = np.random.default_rng(1).integers(0, largest, 1000, dtype=np.uint64)
    residues = np.concatenate([np.array([0, 1, 16, 17, largest], np.uint64), known])
    products = residues[:, None] * residues
    assert (reduce_products(products) == products % PRIME).all()
